"""Emails and alerts that wait for an operator: dead and held ones of every outbox."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid5

import structlog
from sqlalchemy import Row, exists, func, select, text, update
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.errors import MailUnavailable
from reminder_worker.gifts.tables import gift_ledger, gift_notification
from reminder_worker.monitoring.queries import sql
from reminder_worker.outbox.mail_client import MailClient
from reminder_worker.outbox.tables import alert, sent_ledger
from reminder_worker.reminders.tables import recipient

log = structlog.get_logger(__name__)
_QUEUED_AGAIN = {"state": "queued", "reason": None, "tries": 0, "rejections": 0, "claimed_at": None, "settled_at": None}

_LEDGERS = (sent_ledger, gift_ledger)
# The recipient still has the address of the email: a new address gets no email about a past event.
_SAME_RECIPIENT = exists().where(
    recipient.c.chain_id == sent_ledger.c.chain_id,
    recipient.c.legacy == sent_ledger.c.legacy,
    recipient.c.recipient == sent_ledger.c.recipient,
    recipient.c.written_at <= sent_ledger.c.claimed_at,
)
_SAME_NOTIFICATION = exists().where(
    gift_notification.c.chain_id == gift_ledger.c.chain_id,
    gift_notification.c.timelock_id == gift_ledger.c.timelock_id,
    gift_notification.c.email_hash == gift_ledger.c.email_hash,
)
# Plans the open windows again, for the recipients of now.
_PLAN_AGAIN = text("""
    update worker.due_window d set planned_at = null
    from worker.sent_ledger l where l.id = :id and d.chain_id = l.chain_id and d.legacy = l.legacy and d.state = 'open'
""")
_OUTBOXES: tuple[tuple[Any, dict[str, Any]], ...] = (
    *((ledger, _QUEUED_AGAIN) for ledger in _LEDGERS),
    (alert, {"state": "queued"}),
)


async def find_stuck(engine: AsyncEngine) -> Sequence[Row[Any]]:
    """id, state (held, dead), kind, chain_id, about (a legacy, a gift, an alert's subject) and age in seconds."""
    async with engine.connect() as connection:
        return (await connection.execute(sql["stuck"])).all()


async def requeue_dead(engine: AsyncEngine, ids: Sequence[UUID] | None = None) -> int:
    """Put dead emails and alerts back into the queue, all or the named ones; return how many."""
    count = 0
    async with engine.begin() as connection:
        for outbox, anew in _OUTBOXES:
            back = update(outbox).where(outbox.c.state == "dead").values(**anew, next_try=func.clock_timestamp())
            count += (await connection.execute(back if ids is None else back.where(outbox.c.id.in_(ids)))).rowcount
    return count


async def settle_sent(engine: AsyncEngine, id: UUID, message_id: str) -> bool:
    """Settle a held email as sent with this Message-ID; return False when no such email is held."""
    known = {"state": "sent", "message_id": message_id, "reason": "by_hand", "body": None, "body_salt": None}
    async with engine.begin() as connection:
        for ledger in _LEDGERS:
            held = update(ledger).where(ledger.c.id == id, ledger.c.state == "held")
            if (await connection.execute(held.values(**known, settled_at=func.clock_timestamp()))).rowcount:
                log.info("settled_by_hand", key=str(id), state="sent")
                return True
    return False


async def settle_unsent(engine: AsyncEngine, mail: MailClient | None, id: UUID) -> str | None:
    """Put a held email that never left back into the queue, or close it when its recipient was replaced or erased.

    Return in words what was done, None when no such email is held. A mail service that keeps keys (`mail`) is asked
    first: it may know more by now. Raises `MailUnavailable` when it cannot say.

    The mail service sends nothing under the old id any more, so the email gets a new id, derived from the old id: if
    the database is restored from an earlier backup and this is repeated, the mail service recognises the key.
    """
    known = await mail.ask(id) if mail else None
    if known and known.state == "in_flight":
        raise MailUnavailable("the mail service has it in hand: try again in a minute")
    if known and known.state == "accepted" and known.message_id:
        settled = await settle_sent(engine, id, known.message_id)
        return "sent, as the mail service knows by now" if settled else None
    new_id = uuid5(id, "unsent")
    unsent = {"id": new_id, "body": None, "body_salt": None}
    queued = {**unsent, **_QUEUED_AGAIN, "next_try": func.clock_timestamp()}
    closed = {**unsent, "state": "dropped", "reason": "body_gone", "settled_at": func.clock_timestamp()}
    for ledger, same_person in ((sent_ledger, _SAME_RECIPIENT), (gift_ledger, _SAME_NOTIFICATION)):
        async with engine.begin() as connection:
            # Locked first: a statement sees other tables as of its begin. If it waited for the row while a recipient
            # was replaced, it would still see the earlier recipient.
            held = select(ledger.c.id).where(ledger.c.id == id, ledger.c.state == "held").with_for_update()
            if (await connection.execute(held)).first() is None:
                continue
            row = update(ledger).where(ledger.c.id == id)
            sent_again = (await connection.execute(row.where(same_person).values(**queued))).rowcount > 0
            if not sent_again:
                await connection.execute(row.values(**closed))
                await connection.execute(_PLAN_AGAIN, {"id": new_id})
            merged = update(sent_ledger).where(sent_ledger.c.merged_into == id)
            await connection.execute(merged.values(merged_into=new_id))
            log.info("settled_by_hand", key=str(id), state="queued" if sent_again else "dropped", anew=str(new_id))
        if sent_again:
            return f"back in the queue as {new_id}"
        return "closed, not sent: whom it was for was replaced or erased since, or is no longer kept"
    return None
