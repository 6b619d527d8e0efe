"""Erasure of people: for an operator, after a legacy was deleted, and of who asked by a link."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

import structlog
from sqlalchemy import ColumnElement, delete, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts.legacies import LegacyReads
from reminder_worker.database.engine import through_deadlocks
from reminder_worker.errors import ChainUnavailable, FieldFault, InvalidInput
from reminder_worker.gifts.tables import gift_notification
from reminder_worker.gifts.tables import sql as gift_sql
from reminder_worker.monitoring.tables import sql
from reminder_worker.outbox.mail_client import MailClient
from reminder_worker.privacy.emails import normalise_email
from reminder_worker.privacy.hashing import KeyedHash
from reminder_worker.reminders.erasure import ErasureCause, erase_recipients
from reminder_worker.reminders.tables import recipient, self_erasure

log = structlog.get_logger(__name__)

KEPT_AFTER_DELETION: Final = 30 * 86_400  # seconds of chain time


@dataclass(frozen=True, slots=True)
class ErasedRows:
    """Numbers of stored recipients and gift notifications that were shredded."""

    recipients: int
    gifts: int


async def erase_person(engine: AsyncEngine, hashes: KeyedHash, email: str | None, address: str | None) -> ErasedRows:
    """Shred every row of an email or of an address on all chains, and cancel the emails that were not sent.

    Sent emails stay recorded without the person. An address does not find the numbers of gifts that ended; an email
    does. Raises `InvalidInput`; give exactly one of both.
    """
    if (email is None) == (address is None):
        faults = [FieldFault("/email", "has to be given, or /address, and not both")]
        raise InvalidInput("Give an email or an address, and not both.", faults)
    hashed = None
    if email is not None:
        try:
            hashed = hashes.hash_email(normalise_email(email))
        except ValueError as error:
            raise InvalidInput("The email address is not acceptable.", [FieldFault("/email", str(error))]) from None
        of_recipient, of_gift = recipient.c.email_hash == hashed, gift_notification.c.email_hash == hashed
    else:
        wanted = str(address).lower()
        of_recipient, of_gift = recipient.c.recipient == wanted, gift_notification.c.recipient == wanted

    known = [] if hashed is None else [hashed]
    return await through_deadlocks(partial(_erase_rows, engine, of_recipient, of_gift, known))


async def _erase_rows(
    engine: AsyncEngine,
    of_recipient: ColumnElement[bool],
    of_gift: ColumnElement[bool],
    email_hashes: Collection[bytes],
    cause: ErasureCause | None = None,
) -> ErasedRows:
    """Erase at once; of gifts that ended only the numbers of emails are left, found by the hash of an email alone."""
    async with engine.begin() as connection:
        recipients = await erase_recipients(connection, of_recipient, cause=cause)
        gifts = await _erase_gifts(connection, of_gift)
        await connection.execute(sql["forget_gift_numbers"], {"hashes": list(email_hashes)})
        return ErasedRows(recipients, gifts)


async def _erase_gifts(connection: AsyncConnection, of_person: ColumnElement[bool]) -> int:
    key = (gift_notification.c.chain_id, gift_notification.c.timelock_id)
    rows = (await connection.execute(select(*key).where(of_person).order_by(*key).with_for_update())).all()
    for row in rows:
        at = {"chain_id": row.chain_id, "timelock_id": row.timelock_id}
        await connection.execute(gift_sql["cancel"], {**at, "reason": "erased", "kept": None})
        await connection.execute(gift_sql["delete_row"], at)
    return len(rows)


async def erase_forgotten(engine: AsyncEngine, mail: MailClient) -> ErasedRows:
    """Erase everybody whose address asked the mail service to be forgotten.

    The list keeps an address until its owner takes emails again: a new row of such an address is erased, too. Raises
    `MailUnavailable`.
    """
    erased = ErasedRows(0, 0)
    async for hashes in mail.list_forgotten():
        of_recipient, of_gift = recipient.c.email_hash.in_(hashes), gift_notification.c.email_hash.in_(hashes)
        some = await through_deadlocks(partial(_erase_rows, engine, of_recipient, of_gift, hashes, "link"))
        erased = ErasedRows(erased.recipients + some.recipients, erased.gifts + some.gifts)
    return erased


async def erase_deleted_legacies(engine: AsyncEngine, chain: Chain) -> int:
    """Erase the recipients of legacies that were deleted over 30 days ago; return how many recipients.

    Two endpoints must confirm in a final block that the legacy is not live: erasing cannot be undone. Without them
    the next pass tries again.
    """
    async with engine.connect() as connection:
        found = (await connection.execute(sql["deleted_legacies"], {"chain_id": chain.chain_id})).all()
    if not found:
        return 0
    deleted = {row.legacy: row.deleted_at for row in found}
    try:
        ended = await chain.agreed(lambda view: _find_long_deleted(view, deleted))
    except ChainUnavailable as error:
        log.warning("deletion_not_confirmed", chain_id=chain.chain_id, error=type(error).__name__)
        return 0
    people = 0
    for legacy in ended:
        people += await through_deadlocks(partial(_erase_legacy, engine, chain.chain_id, legacy))
    return people


async def _find_long_deleted(chain: Chain, deleted: Mapping[str, int]) -> tuple[str, ...]:
    block = await chain.get_block("finalized")
    if block is None:
        raise ChainUnavailable(f"no endpoint of chain {chain.chain_id} knows the finalized block")
    old = [legacy for legacy, at in deleted.items() if at <= block.timestamp - KEPT_AFTER_DELETION]
    live = await LegacyReads(chain).read_live(old, at=block.hash)
    return tuple(legacy for legacy, is_live in zip(old, live, strict=True) if is_live is False)


async def _erase_legacy(engine: AsyncEngine, chain_id: int, legacy: str) -> int:
    of_legacy = (recipient.c.chain_id == chain_id) & (recipient.c.legacy == legacy)
    async with engine.begin() as connection:
        people = await erase_recipients(connection, of_legacy, cause="deleted_legacy")
        await connection.execute(delete(self_erasure).filter_by(chain_id=chain_id, legacy=legacy))
    return people
