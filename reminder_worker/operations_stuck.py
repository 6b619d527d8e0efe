"""What stands still until an operator decides, in every outbox: reminders, emails of gifts, alerts."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid5

import structlog
from sqlalchemy import ColumnElement, Row, Table, and_, exists, func, text, update
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.database.tables import alert, gift_ledger, gift_notification, recipient, sent_ledger
from reminder_worker.errors import MailUnavailable
from reminder_worker.mail.client import MailClient

log = structlog.get_logger(__name__)

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


def _same(ledger: Table, whom: Table, *columns: str) -> ColumnElement[bool]:
    return and_(*(ledger.c[name] == whom.c[name] for name in columns))


_LEDGERS = (sent_ledger, gift_ledger)
_ADDRESSEES = (
    (sent_ledger, recipient, _same(sent_ledger, recipient, "chain_id", "legacy", "recipient")),
    (gift_ledger, gift_notification, _same(gift_ledger, gift_notification, "chain_id", "timelock_id", "email_hash")),
)
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
    """A held email of which somebody found out that it left, as `message_id`; False when no such email is held."""
    known = {"state": "sent", "message_id": message_id, "reason": "by_hand", "body": None, "body_salt": None}
    async with engine.begin() as connection:
        for ledger in _LEDGERS:
            held = update(ledger).where(ledger.c.id == id, ledger.c.state == "held")
            if (await connection.execute(held.values(**known, settled_at=func.clock_timestamp()))).rowcount:
                log.info("settled_by_hand", key=str(id), state="sent")
                return True
    return False


async def settle_unsent(engine: AsyncEngine, mail: MailClient | None, id: UUID) -> str | None:
    """A held email that certainly never left goes back to the queue. Returns in words what became of it.

    None when there is nothing to send: no such email is held, or whom it was for was replaced or erased since it was
    tried. `mail`, which is None when it keeps no keys, is asked first, for it may know by now. Raises
    `MailUnavailable` when it cannot say.

    Under its old id, which is its key, the mail service sends nothing any more. The new one follows from it: a database
    that was put back to before this decides the same again, and the mail service knows what it sent.
    """
    known = await mail.ask(id) if mail else None
    if known and known.state == "in_flight":
        raise MailUnavailable("the mail service has it in hand: try again in a minute")
    if known and known.state == "accepted" and known.message_id:
        settled = await settle_sent(engine, id, known.message_id)
        return "sent, as the mail service knows by now" if settled else None
    anew = uuid5(id, "unsent")
    fresh = {**_ANEW, "id": anew, "body": None, "body_salt": None, "next_try": func.clock_timestamp()}
    async with engine.begin() as connection:
        for ledger, whom, same in _ADDRESSEES:
            there = exists().where(same, whom.c.written_at <= ledger.c.claimed_at)
            held = update(ledger).where(ledger.c.id == id, ledger.c.state == "held", there)
            if (await connection.execute(held.values(**fresh))).rowcount:
                merged = update(sent_ledger).where(sent_ledger.c.merged_into == id)
                await connection.execute(merged.values(merged_into=anew))
                log.info("settled_by_hand", key=str(id), state="unsent", anew=str(anew))
                return f"back in the queue as {anew}"
    return None
