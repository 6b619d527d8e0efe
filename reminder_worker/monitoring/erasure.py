"""Erasure of a person's rows for an operator."""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, delete, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.database.engine import through_deadlocks
from reminder_worker.errors import FieldFault, InvalidInput
from reminder_worker.gifts.tables import gift_notification
from reminder_worker.gifts.tables import sql as gift_sql
from reminder_worker.monitoring.tables import sql
from reminder_worker.privacy.emails import normalise_email
from reminder_worker.privacy.hashing import KeyedHash
from reminder_worker.reminders.recipients import cancel_unsent
from reminder_worker.reminders.tables import recipient


@dataclass(frozen=True, slots=True)
class ErasedRows:
    """Numbers of stored recipients and gift notifications that were shredded."""

    recipients: int
    gifts: int


async def erase_person(engine: AsyncEngine, hashes: KeyedHash, email: str | None, address: str | None) -> ErasedRows:
    """Shred every row of an email or of an address on all chains, and cancel the emails that were not sent.

    Sent emails stay recorded without the person. Raises `InvalidInput`; give exactly one of both.
    """
    if (email is None) == (address is None):
        faults = [FieldFault("/email", "has to be given, or /address, and not both")]
        raise InvalidInput("Give an email or an address, and not both.", faults)
    if email is not None:
        try:
            hashed = hashes.hash_email(normalise_email(email))
        except ValueError as error:
            raise InvalidInput("The email address is not acceptable.", [FieldFault("/email", str(error))]) from None
        of_recipient, of_gift = recipient.c.email_hash == hashed, gift_notification.c.email_hash == hashed
    else:
        wanted = str(address).lower()
        of_recipient, of_gift = recipient.c.recipient == wanted, gift_notification.c.recipient == wanted

    async def run() -> ErasedRows:
        async with engine.begin() as connection:
            return ErasedRows(
                await _erase_recipients(connection, of_recipient), await _erase_gifts(connection, of_gift)
            )

    return await through_deadlocks(run)


async def _erase_recipients(connection: AsyncConnection, of_person: ColumnElement[bool]) -> int:
    key = (recipient.c.chain_id, recipient.c.legacy, recipient.c.recipient)
    rows = (await connection.execute(select(*key).where(of_person).order_by(*key).with_for_update())).all()
    for row in rows:
        await cancel_unsent(connection, row.chain_id, row.legacy, [row.recipient])
    if rows:
        await connection.execute(delete(recipient).where(of_person))
        await connection.execute(sql["unwatch"])
    return len(rows)


async def _erase_gifts(connection: AsyncConnection, of_person: ColumnElement[bool]) -> int:
    key = (gift_notification.c.chain_id, gift_notification.c.timelock_id)
    rows = (await connection.execute(select(*key).where(of_person).order_by(*key).with_for_update())).all()
    for row in rows:
        at = {"chain_id": row.chain_id, "timelock_id": row.timelock_id}
        await connection.execute(gift_sql["cancel"], {**at, "reason": "erased", "kept": None})
        await connection.execute(gift_sql["delete_row"], at)
    return len(rows)
