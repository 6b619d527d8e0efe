"""Recipient sets: the legacy's on-chain creator saves, reads and erases them.

A write is one transaction under a lock of its legacy. It spends the digest, stores the deadline, writes the rows and
cancels unsent emails to replaced people, or does nothing.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import UUID

import msgspec
import structlog
from sqlalchemy import ColumnElement, Row, case, delete, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.database.engine import through_deadlocks
from reminder_worker.database.rotation import SealedTable
from reminder_worker.errors import DecryptionFailed, FieldFault, InvalidInput, Superseded
from reminder_worker.outbox.tables import sent_ledger
from reminder_worker.privacy.emails import check_mailed_name, normalise_email
from reminder_worker.privacy.hashing import KeyedHash
from reminder_worker.privacy.vault import RecordKey, Vault
from reminder_worker.quotas import QuotaCounters
from reminder_worker.reminders.authorization import AuthorizedRequest, RequestAuthorizer, SignedRequest
from reminder_worker.reminders.tables import legacy_write, recipient, sql, watch
from reminder_worker.settings import Settings
from reminder_worker.signed_messages import already_used, check_salt, payload_hash
from reminder_worker.strict_json import decode_json

MAX_RECIPIENTS = 64
Role = Literal["owner", "cosigner", "beneficiary", "second_line", "third_line"]

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")


@dataclass(frozen=True, slots=True)
class StoredRecipient:
    """Person behind one address of a legacy. `recipient` is lower case; `repr` hides email and name."""

    recipient: str
    role: Role
    email: str = field(repr=False)
    name: str = field(repr=False)


class _PayloadRecipient(msgspec.Struct, forbid_unknown_fields=True):
    recipient: str
    role: Role
    email: str
    name: str


class _RecipientPayload(msgspec.Struct, forbid_unknown_fields=True):
    salt: str
    recipients: list[_PayloadRecipient]


def read_recipient_set(payload: str) -> tuple[StoredRecipient, ...]:
    """Parse the set in a signed payload. Raises `Malformed`, or `InvalidInput` with a fault for every bad field."""
    read = decode_json(payload, _RecipientPayload, "/payload")
    faults: list[FieldFault] = []
    try:
        check_salt(read.salt)
    except ValueError as error:
        faults.append(FieldFault("/payload/salt", str(error)))
    if len(read.recipients) > MAX_RECIPIENTS:
        fault = FieldFault("/payload/recipients", f"has to hold at most {MAX_RECIPIENTS} recipients")
        raise InvalidInput("The set has too many recipients.", [*faults, fault])
    recipients = [_check_recipient(each, f"/payload/recipients/{i}", faults) for i, each in enumerate(read.recipients)]
    seen: set[str] = set()
    for i, each in enumerate(recipients):
        if each.recipient in seen:
            faults.append(FieldFault(f"/payload/recipients/{i}/recipient", "occurs twice in the set"))
        seen.add(each.recipient)
    if faults:
        raise InvalidInput("The recipient set holds fields that are not acceptable.", faults)
    return tuple(recipients)


def _check_recipient(each: _PayloadRecipient, pointer: str, faults: list[FieldFault]) -> StoredRecipient:
    def field_or_fault(name: str, check: Callable[[str], str], value: str) -> str:
        try:
            return check(value)
        except ValueError as error:
            faults.append(FieldFault(f"{pointer}/{name}", str(error)))
            return value

    return StoredRecipient(
        recipient=field_or_fault("recipient", _check_address, each.recipient),
        role=each.role,
        email=field_or_fault("email", normalise_email, each.email),
        name=field_or_fault("name", check_mailed_name, each.name),
    )


def _check_address(text: str) -> str:
    if not _ADDRESS.fullmatch(text) or int(text, 16) == 0:
        raise ValueError("has to be an address: 0x and 40 hex digits, not zero")
    return text.lower()


def recipient_context(column: str, chain_id: int, legacy: str, address: str) -> str:
    """Return the associated data of a ciphertext in `recipient`: its column and row."""
    return f"recipient.{column}|{chain_id}|{legacy}|{address}"


def email_body_context(ledger_id: UUID) -> str:
    """Return the associated data of a stored request body; the recipient row's key encrypts it."""
    return f"sent_ledger.body|{ledger_id}"


def seal_row(key: RecordKey, at: tuple[int, str, str], email: bytes, name: bytes) -> dict[str, Any]:
    """Return the encrypted columns of the row `at` (chain, legacy, recipient)."""
    return {
        "key_id": key.key_id,
        "salt": key.salt,
        "email": key.seal(email, recipient_context("email", *at)),
        "name": key.seal(name, recipient_context("name", *at)),
    }


def open_row(vault: Vault, row: Row[Any]) -> StoredRecipient:
    """Decrypt a row of `recipient`, in memory only. Raises DecryptionFailed."""
    key = vault.record_key(row.salt, row.key_id)
    at = (row.chain_id, row.legacy, row.recipient)
    email, name = (
        key.open(row.email, recipient_context("email", *at)),
        key.open(row.name, recipient_context("name", *at)),
    )
    return StoredRecipient(row.recipient, row.role, email.decode(), name.decode())


SEALED_RECIPIENTS = SealedTable(
    recipient,
    ("chain_id", "legacy", "recipient"),
    ("email", "name"),
    recipient_context,
    sent_ledger,
    email_body_context,
)


log = structlog.get_logger(__name__)

DAY = 86400
_WAITING = ("queued", "released")
_GIVEN_UP = ("dead", "suppressed")
_UNDECIDED = ("claimed", "unknown", "held")


@dataclass(frozen=True, slots=True)
class SavedSet:
    """Size of the saved set, and the number of recipients removed by the write."""

    saved: int
    shredded: int


class RecipientStore:
    """Saves, reads and erases recipient sets.

    Every method raises as `RequestAuthorizer.authorise` does; writes also raise `Superseded`, and `ingest` raises
    `Malformed`, `InvalidInput` or `LimitReached`.
    """

    def __init__(
        self,
        engine: AsyncEngine,
        vault: Vault,
        hashes: KeyedHash,
        quotas: QuotaCounters,
        chains: Mapping[int, Chain],
        settings: Settings,
    ) -> None:
        self._engine = engine
        self._autocommit = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._vault = vault
        self._hashes = hashes
        self._quotas = quotas
        self._settings = settings.reminders
        self._authoriser = RequestAuthorizer(chains, quotas.now)

    async def ingest(self, request: SignedRequest, payload: str) -> SavedSet:
        """Make `payload` the legacy's complete set and shred everyone else. Premium only."""
        wanted = read_recipient_set(payload)
        granted = await self._authoriser.authorise(
            request, "IngestLegacy", payload_hash=payload_hash(payload), require_premium=True
        )
        return await through_deadlocks(lambda: self._replace(request, granted, wanted))

    async def read(self, request: SignedRequest) -> tuple[StoredRecipient, ...]:
        """Return the set as its creator saved it, also after Premium lapsed. Raises `DecryptionFailed`."""
        granted = await self._authoriser.authorise(request, "ReadRecipients")
        values = {
            "digest": granted.digest,
            "deadline": granted.deadline,
            "chain_id": request.chain_id,
            "legacy": request.legacy,
            "creator": granted.identity.creator,
        }
        async with self._autocommit.connect() as conn:
            rows = (await conn.execute(sql["spend_and_read"], values)).all()
        if not rows[0].spent:
            raise already_used()
        return tuple(open_row(self._vault, row) for row in rows if row.recipient is not None)

    async def erase(self, request: SignedRequest) -> int:
        """Shred the whole set, also after Premium lapsed; return its size."""
        granted = await self._authoriser.authorise(request, "EraseLegacy")
        return await through_deadlocks(lambda: self._erase(request, granted))

    async def _replace(
        self, request: SignedRequest, granted: AuthorizedRequest, wanted: Sequence[StoredRecipient]
    ) -> SavedSet:
        async with self._engine.begin() as conn:
            await self._open_write(conn, request, granted)
            stored = await self._stored(conn, request)
            gone = [address for address in stored if address not in {each.recipient for each in wanted}]
            changed = [each for each in wanted if not self._is_same(stored.get(each.recipient), each)]
            await self._take_new_addresses(conn, request, granted, stored.values(), changed)
            theirs = [*gone, *(each.recipient for each in changed)]
            reworded = [each.recipient for each in changed if self._has_email(stored.get(each.recipient), each)]
            await cancel_unsent(conn, request.chain_id, request.legacy, theirs, reworded=reworded)
            await self._delete(conn, request, gone)
            await self._write(conn, request, changed)
            if changed:
                await plan_windows_again(conn, request.chain_id, request.legacy)
            await _watch_legacy(
                conn, request, granted, keep=bool(wanted)
            )  # after the windows: the lock order of the due pass
        return SavedSet(saved=len(wanted), shredded=len(gone))

    async def _erase(self, request: SignedRequest, granted: AuthorizedRequest) -> int:
        async with self._engine.begin() as conn:
            await self._open_write(conn, request, granted)
            gone = list(await self._stored(conn, request))
            await cancel_unsent(conn, request.chain_id, request.legacy, gone)
            await self._delete(conn, request, gone)
            await _watch_legacy(conn, request, granted, keep=False)
        return len(gone)

    async def _open_write(self, conn: AsyncConnection, request: SignedRequest, granted: AuthorizedRequest) -> None:
        """Spend the digest, lock the row of `legacy_write`, and refuse a write that is not later than the last.

        An equal deadline is refused, too: the order of two writes signed for the same second is unknown.
        """
        await granted.spend(conn)
        statement = insert(legacy_write).values(
            chain_id=request.chain_id, legacy=request.legacy, deadline=request.deadline
        )
        later = await conn.execute(
            statement.on_conflict_do_update(
                index_elements=["chain_id", "legacy"],
                set_={"deadline": statement.excluded.deadline},
                where=legacy_write.c.deadline < statement.excluded.deadline,
            ).returning(legacy_write.c.deadline)
        )
        if later.first() is None:
            raise Superseded("A write with the same or a later deadline was accepted before; sign with a later one.")

    async def _stored(self, conn: AsyncConnection, request: SignedRequest) -> Mapping[str, Row[Any]]:
        """Lock and return the rows by recipient."""
        statement = select(recipient).where(_is_of_legacy(request)).order_by(recipient.c.recipient).with_for_update()
        return {row.recipient: row for row in await conn.execute(statement)}

    def _is_same(self, row: Row[Any] | None, wanted: StoredRecipient) -> bool:
        """Return whether the row already has this content. Such a row and its emails stay untouched."""
        if row is None or not self._has_email(row, wanted):
            return False
        try:
            return open_row(self._vault, row) == wanted
        except DecryptionFailed:
            log.error("recipient_not_decryptable", chain_id=row.chain_id, legacy=row.legacy, recipient=row.recipient)
            return False

    def _has_email(self, row: Row[Any] | None, wanted: StoredRecipient) -> bool:
        return row is not None and bool(row.email_hash == self._hashes.hash_email(wanted.email))

    async def _take_new_addresses(
        self,
        conn: AsyncConnection,
        request: SignedRequest,
        granted: AuthorizedRequest,
        stored: Iterable[Row[Any]],
        changed: Sequence[StoredRecipient],
    ) -> None:
        known = {row.email_hash for row in stored}
        new = {self._hashes.hash_email(each.email) for each in changed} - known
        await self._quotas.reserve_one(
            conn,
            "new_addresses",
            f"{request.chain_id}:{granted.identity.creator}",
            self._settings.new_addresses_per_creator,
            DAY,
            cost=len(new),
            code="daily_cap_reached",
        )

    async def _delete(self, conn: AsyncConnection, request: SignedRequest, gone: Sequence[str]) -> None:
        if gone:
            await conn.execute(delete(recipient).where(_is_of_legacy(request), recipient.c.recipient.in_(gone)))

    async def _write(self, conn: AsyncConnection, request: SignedRequest, changed: Sequence[StoredRecipient]) -> None:
        if not changed:
            return
        statement = insert(recipient)
        written = ("role", "key_id", "salt", "email", "name", "email_hash")
        another = recipient.c.email_hash != statement.excluded.email_hash
        since = case(
            (another, func.clock_timestamp()), else_=recipient.c.written_at
        )  # when the address was written, not the name
        await conn.execute(
            statement.on_conflict_do_update(
                index_elements=["chain_id", "legacy", "recipient"],
                set_={name: statement.excluded[name] for name in written} | {"written_at": since},
            ),
            [self._sealed(request, each) for each in changed],
        )

    def _sealed(self, request: SignedRequest, each: StoredRecipient) -> dict[str, Any]:
        at = (request.chain_id, request.legacy, each.recipient)
        return {
            "chain_id": request.chain_id,
            "legacy": request.legacy,
            "recipient": each.recipient,
            "role": each.role,
            "email_hash": self._hashes.hash_email(each.email),
            **seal_row(self._vault.record_key(), at, each.email.encode(), each.name.encode()),
        }


async def plan_windows_again(conn: AsyncConnection, chain_id: int, legacy: str) -> None:
    """Plan open windows again after recipients were added or replaced; past signals are not planned again."""
    await conn.execute(sql["rearm"], {"chain_id": chain_id, "legacy": legacy})


async def cancel_unsent(
    conn: AsyncConnection, chain_id: int, legacy: str, addresses: Sequence[str], *, reworded: Sequence[str] = ()
) -> None:
    """Cancel emails to replaced or erased people.

    An email that was not accepted is deleted. An email in doubt loses its body: the service can only ask
    about it. So a corrected address gets the email of an open window if the old address did not. A merged
    email stays. `reworded`: people with a new name or role only; their waiting emails are rendered again.
    """
    if not addresses:
        return
    theirs = (
        sent_ledger.c.chain_id == chain_id,
        sent_ledger.c.legacy == legacy,
        sent_ledger.c.recipient.in_(addresses),
    )
    # Lock first: otherwise both statements below could miss an email while a dispatcher records its outcome.
    open_ones = select(sent_ledger.c.id).where(*theirs, sent_ledger.c.state.in_(_WAITING + _UNDECIDED))
    await conn.execute(open_ones.order_by(sent_ledger.c.id).with_for_update())
    dropped = (sent_ledger.c.state == "dropped") & sent_ledger.c.reason.is_distinct_from("merged")
    in_hand = (sent_ledger.c.state == "claimed") & sent_ledger.c.claimed_at.is_(
        None
    )  # without a stored body: not posted
    waits = (sent_ledger.c.state.in_(_WAITING) | in_hand) & sent_ledger.c.recipient.not_in(reworded)
    await conn.execute(delete(sent_ledger).where(*theirs, waits | dropped | sent_ledger.c.state.in_(_GIVEN_UP)))
    # An email in doubt to the same address may be sent again once it is proven unsent; one to an earlier address may
    # not.
    tried_there = sent_ledger.c.body.is_not(None) | sent_ledger.c.reason.is_not_distinct_from("reworded")
    reason = case(
        (sent_ledger.c.state == "held", sent_ledger.c.reason),
        (sent_ledger.c.recipient.in_(reworded) & tried_there, "reworded"),
    )
    await conn.execute(
        update(sent_ledger)
        .where(*theirs, sent_ledger.c.state.in_(_UNDECIDED))
        .values(body=None, body_salt=None, reason=reason)
    )


def _is_of_legacy(request: SignedRequest) -> ColumnElement[bool]:
    return (recipient.c.chain_id == request.chain_id) & (recipient.c.legacy == request.legacy)


async def _watch_legacy(
    conn: AsyncConnection, request: SignedRequest, granted: AuthorizedRequest, *, keep: bool
) -> None:
    """Make a legacy with recipients due at once; stop watching a legacy without recipients."""
    key = {"chain_id": request.chain_id, "legacy": request.legacy}
    if not keep:
        await conn.execute(delete(watch).filter_by(**key))
        return
    values = {"creator": granted.identity.creator, "legacy_type": granted.identity.legacy_type}
    fresh = {"next_ask": 0, "failures": 0, "paused_until": None}
    await conn.execute(
        insert(watch)
        .values(**key, **values, **fresh)
        .on_conflict_do_update(index_elements=["chain_id", "legacy"], set_=values | fresh)
    )
