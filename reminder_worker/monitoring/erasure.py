"""Erasure of people: for an operator, after a legacy was deleted, and of who asked by a link."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import structlog
from sqlalchemy import ColumnElement, Table, delete, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts.legacies import LegacyReads
from reminder_worker.database.engine import through_deadlocks
from reminder_worker.errors import ChainUnavailable, FieldFault, InvalidInput
from reminder_worker.gifts.gift_givers import erase_givers
from reminder_worker.gifts.gift_reminders import erase_reminders
from reminder_worker.gifts.tables import gift_giver, gift_notification, gift_reminder
from reminder_worker.gifts.tables import sql as gift_sql
from reminder_worker.monitoring.tables import sql
from reminder_worker.outbox.mail_client import MailClient
from reminder_worker.privacy.emails import normalise_email
from reminder_worker.privacy.hashing import KeyedHash
from reminder_worker.reminders.erasure import ROWS_AT_ONCE, ErasureCause, erase_recipients
from reminder_worker.reminders.tables import recipient, self_erasure

log = structlog.get_logger(__name__)

KEPT_AFTER_DELETION: Final = 30 * 86_400  # seconds of chain time


@dataclass(frozen=True, slots=True)
class ErasedRows:
    """Numbers of stored recipients and gift notifications that were shredded."""

    recipients: int
    gifts: int


@dataclass(frozen=True, slots=True)
class PersonColumn:
    """Column by which the rows of a person are found, the same in each table."""

    name: str
    value: str | bytes = field(repr=False)

    def is_in(self, table: Table) -> ColumnElement[bool]:
        return table.c[self.name] == self.value


async def erase_person(engine: AsyncEngine, hashes: KeyedHash, email: str | None, address: str | None) -> ErasedRows:
    """Shred every row of an email or of an address on all chains, and cancel the emails that were not sent.

    Sent emails stay recorded without the person. An address does not find the numbers of gifts that ended; an email
    does. Raises `InvalidInput`; give exactly one of both.
    """
    if (email is None) == (address is None):
        faults = [FieldFault("/email", "has to be given, or /address, and not both")]
        raise InvalidInput("Give an email or an address, and not both.", faults)
    if email is not None:
        try:
            hashed = hashes.hash_email(normalise_email(email))
        except ValueError as error:
            raise InvalidInput("The email address is not acceptable.", [FieldFault("/email", str(error))]) from None
        return await _erase_email(engine, hashed)
    wanted = str(address).lower()
    person = PersonColumn("recipient", wanted)
    return await through_deadlocks(partial(_erase_rows, engine, person, []))


async def _erase_email(engine: AsyncEngine, hashed: bytes, cause: ErasureCause | None = None) -> ErasedRows:
    person = PersonColumn("email_hash", hashed)
    return await through_deadlocks(partial(_erase_rows, engine, person, [hashed], cause))


async def _erase_rows(
    engine: AsyncEngine,
    person: PersonColumn,
    email_hashes: Collection[bytes],
    cause: ErasureCause | None = None,
) -> ErasedRows:
    """Erase all or nothing; of gifts that ended only numbers of emails are left, which the hash of an email finds."""
    async with engine.begin() as connection:
        recipients = await erase_recipients(connection, person.is_in(recipient), cause=cause)
        gifts = await _erase_gifts(connection, person)
        await connection.execute(sql["forget_gift_numbers"], {"hashes": list(email_hashes)})
        return ErasedRows(recipients, gifts)


async def _erase_gifts(connection: AsyncConnection, person: PersonColumn) -> int:
    """Erase the gifts of a recipient with the giver's address, which is beside the recipient's name; of a giver only
    that address. Return how many rows or gifts."""
    found = set[tuple[int, int]]()
    is_named = gift_giver.c["recipient_hash" if person.name == "email_hash" else person.name] == person.value
    of_person = {table: person.is_in(table) for table in (gift_notification, gift_reminder)}
    for table, condition in {**of_person, gift_giver: is_named}.items():
        key = (table.c.chain_id, table.c.timelock_id)
        locked = select(*key).where(condition).order_by(*key).with_for_update()
        found |= {(row.chain_id, row.timelock_id) for row in await connection.execute(locked)}
    rows = sorted(found)
    for start in range(0, len(rows), ROWS_AT_ONCE):
        some = rows[start : start + ROWS_AT_ONCE]
        gifts = {"chains": [chain_id for chain_id, _ in some], "timelocks": [id for _, id in some]}
        await connection.execute(gift_sql["cancel"], {**gifts, "reason": "erased", "kept": None})
        await connection.execute(gift_sql["delete_rows"], gifts)
        await erase_reminders(connection, gifts)
        await erase_givers(connection, gifts)
    wallet, hashed = (None, person.value) if person.name == "email_hash" else (person.value, None)
    givers = await connection.scalar(gift_sql["erase_giver"], {"wallet": wallet, "email_hash": hashed})
    return len(rows) + int(givers or 0)


async def erase_forgotten(engine: AsyncEngine, mail: MailClient) -> ErasedRows:
    """Erase everybody whose address asked the mail service to be forgotten.

    The list keeps an address until its owner takes emails again: a new row of such an address is erased, too. Each
    person is erased in a transaction of their own. A failure is raised at the end, after the others were erased. Raises
    `MailUnavailable`.
    """
    erased, failure = ErasedRows(0, 0), None
    async for hashes in mail.list_forgotten():
        async with engine.connect() as connection:
            stored = (await connection.execute(sql["stored_people"], {"hashes": hashes})).scalars().all()
        for hashed in stored:
            try:
                some = await _erase_email(engine, hashed, "link")
            except DBAPIError as error:
                if error.connection_invalidated:  # the database is away: nobody else can be erased now
                    raise
                failure = error
                continue
            erased = ErasedRows(erased.recipients + some.recipients, erased.gifts + some.gifts)
    if failure is not None:
        raise failure
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
