"""Marks of recipients who erased themselves.

The creator sees the mark in place of the entry. A later set does not store the same email for this recipient again. The
mark ends when a set leaves the recipient out, or brings another email.
"""

from collections.abc import Mapping, Sequence

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncConnection

from reminder_worker.reminders.tables import RecipientKey, list_key_columns, self_erasure, sql


async def mark_erased(connection: AsyncConnection, keys: Sequence[RecipientKey]) -> None:
    """Leave a mark for each of these rows, which are about to be deleted."""
    await connection.execute(sql["mark_erased"], list_key_columns(keys))


async def settle_marks(
    connection: AsyncConnection, chain_id: int, legacy: str, hashes: Mapping[str, bytes]
) -> frozenset[str]:
    """End the marks that a new set ends; return the recipients who stay erased.

    `hashes`: the keyed hash of each recipient's email in the set. Call it after the set's rows are locked.
    """
    t = self_erasure.c
    of_legacy = t.chain_id == chain_id, t.legacy == legacy
    marks = (await connection.execute(select(t.recipient, t.email_hash).where(*of_legacy))).all()
    if not marks:
        return frozenset()
    stay = frozenset(mark.recipient for mark in marks if hashes.get(mark.recipient) == mark.email_hash)
    await connection.execute(delete(self_erasure).where(*of_legacy, t.recipient.not_in(stay)))
    return stay


async def list_marks(connection: AsyncConnection, chain_id: int, legacy: str, creator: str) -> tuple[str, ...]:
    """Return the recipients who erased themselves from the set of this creator."""
    t = self_erasure.c
    question = select(t.recipient).where(t.chain_id == chain_id, t.legacy == legacy, t.creator == creator)
    return tuple((await connection.execute(question.order_by(t.recipient))).scalars())
