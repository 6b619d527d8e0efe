"""What stands still until an operator decides, in every outbox: reminders, emails of gifts, alerts."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Row, func, text, update
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.database.tables import alert, gift_ledger, sent_ledger

_STUCK = text("""
    select *, cast(extract(epoch from now() - created_at) as bigint) as age from (
        select id, state, kind, chain_id, legacy as about, created_at
        from worker.sent_ledger where state in ('held', 'dead')
        union all
        select id, state, kind, chain_id, 'gift ' || timelock_id, created_at
        from worker.gift_ledger where state in ('held', 'dead')
        union all
        select id, state, 'alert ' || kind, chain_id, subject, created_at from worker.alert where state = 'dead'
    ) each
    order by state, created_at
""")
_ANEW = {"state": "queued", "reason": None, "tries": 0, "rejections": 0, "claimed_at": None, "settled_at": None}
_LEDGERS = (sent_ledger, gift_ledger)
_OUTBOXES: tuple[tuple[Any, dict[str, Any]], ...] = (
    *((ledger, _ANEW) for ledger in _LEDGERS),
    (alert, {"state": "queued"}),
)


async def stuck(engine: AsyncEngine) -> Sequence[Row[Any]]:
    """id, state (held, dead), kind, chain_id, about (a legacy, a gift, an alert's subject) and age in seconds."""
    async with engine.connect() as connection:
        return (await connection.execute(_STUCK)).all()


async def requeue(engine: AsyncEngine, ids: Sequence[UUID] | None = None) -> int:
    """Dead emails and alerts back to the queue, all of them or those named; returns how many."""
    count = 0
    async with engine.begin() as connection:
        for outbox, anew in _OUTBOXES:
            back = update(outbox).where(outbox.c.state == "dead").values(**anew, next_try=func.clock_timestamp())
            count += (await connection.execute(back if ids is None else back.where(outbox.c.id.in_(ids)))).rowcount
    return count


async def settle_sent(engine: AsyncEngine, id: UUID, message_id: str) -> bool:
    """A held email of which somebody found out that it left, as `message_id`; False when it is none."""
    known = {"state": "sent", "message_id": message_id, "reason": "by_hand", "body": None, "body_salt": None}
    return await _settle(engine, id, known | {"settled_at": func.clock_timestamp()})


async def settle_unsent(engine: AsyncEngine, id: UUID) -> UUID | None:
    """A held email that certainly never left goes back to the queue; its new id, or None when it is none.

    Its old id is a key under which the mail service will not send any more.
    """
    anew = uuid4()
    fresh = {**_ANEW, "id": anew, "body": None, "body_salt": None, "next_try": func.clock_timestamp()}
    return anew if await _settle(engine, id, fresh) else None


async def _settle(engine: AsyncEngine, id: UUID, values: dict[str, Any]) -> bool:
    async with engine.begin() as connection:
        for ledger in _LEDGERS:
            held = update(ledger).where(ledger.c.id == id, ledger.c.state == "held")
            if (await connection.execute(held.values(**values))).rowcount:
                if ledger is sent_ledger and "id" in values:
                    followers = update(sent_ledger).where(sent_ledger.c.merged_into == id)
                    await connection.execute(followers.values(merged_into=values["id"]))
                return True
    return False
