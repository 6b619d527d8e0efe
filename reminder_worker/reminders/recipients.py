"""Recipient sets: the legacy's on-chain creator saves, reads and erases them.

A write is one transaction under a lock of its legacy. It spends the digest, stores the deadline, writes the rows and
cancels unsent emails to replaced people, or does nothing.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal
from uuid import UUID
from zoneinfo import available_timezones

import msgspec
import structlog
from sqlalchemy import ColumnElement, Row, Text, case, cast, delete, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.database.engine import through_deadlocks
from reminder_worker.database.rotation import SealedTable
from reminder_worker.errors import DecryptionFailed, FieldFault, InvalidInput, Superseded
from reminder_worker.outbox.bounces import BouncedAddress, forget_bounces
from reminder_worker.outbox.messages import Language
from reminder_worker.outbox.models import UNDECIDED, WAITING
from reminder_worker.outbox.tables import sent_ledger
from reminder_worker.privacy.emails import check_mailed_name, normalise_email
from reminder_worker.privacy.hashing import KeyedHash
from reminder_worker.privacy.vault import RecordKey, Vault
from reminder_worker.quotas import QuotaCounters
from reminder_worker.reminders.authorization import AuthorizedRequest, RequestAuthorizer, SignedRequest
from reminder_worker.reminders.erasure_marks import list_marks, settle_marks
from reminder_worker.reminders.receipts import EmailReceipt, read_receipts
from reminder_worker.reminders.tables import RecipientKey, is_of_recipients, legacy_write, recipient, sql, watch
from reminder_worker.settings import Settings
from reminder_worker.signed_messages import already_used, check_salt, payload_hash
from reminder_worker.strict_json import decode_json

Role = Literal["owner", "cosigner", "beneficiary", "second_line", "third_line"]


@dataclass(frozen=True, slots=True)
class StoredRecipient:
    """Person behind one address of a legacy. `recipient` is lower case; `repr` hides what is personal.

    Each row has a copy of the set's `words`. Erasing the row erases the copy.
    `bounced`: an email to the person came back. `unsubscribed`: an email of the last day was refused for that; the mail
    service knows it of all time.
    """

    recipient: str
    role: Role
    email: str = field(repr=False)
    name: str = field(repr=False)
    words: "RecipientWords" = field(default_factory=lambda: RecipientWords(), repr=False)
    bounced: BouncedAddress | None = field(default=None, compare=False)
    unsubscribed: bool = field(default=False, compare=False)


class RecipientWords(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """Additions of the creator to the emails: their own name, the legacy's title, the recipient's language and zone.

    `time_zone`: an IANA name such as `Europe/Berlin`; empty for times in UTC only.
    """

    owner_name: str = ""
    title: str = ""
    language: Language = "en"
    time_zone: str = ""

    def __repr__(self) -> str:
        return "RecipientWords(***)"


class _PayloadRecipient(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    recipient: str
    role: Role
    email: str
    name: str
    language: Language = "en"
    time_zone: str = ""


class _RecipientPayload(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    salt: str
    recipients: list[_PayloadRecipient]
    owner_name: str = ""
    title: str = ""


def read_recipient_set(payload: str) -> tuple[StoredRecipient, ...]:
    """Parse the set in a signed payload. Raises `Malformed`, or `InvalidInput` with a fault for every bad field."""
    read = decode_json(payload, _RecipientPayload, "/payload")
    faults: list[FieldFault] = []
    try:
        check_salt(read.salt)
    except ValueError as error:
        faults.append(FieldFault("/payload/salt", str(error)))
    if len(read.recipients) > 64:
        fault = FieldFault("/payload/recipients", "has to hold at most 64 recipients")
        raise InvalidInput("The set has too many recipients.", [*faults, fault])
    owner_name = _check_field("/payload/ownerName", check_mailed_name, read.owner_name, faults)
    title = _check_field("/payload/title", check_mailed_name, read.title, faults)
    recipients = [
        _check_recipient(each, RecipientWords(owner_name, title, each.language), f"/payload/recipients/{i}", faults)
        for i, each in enumerate(read.recipients)
    ]
    seen: set[str] = set()
    for i, each in enumerate(recipients):
        if each.recipient in seen:
            faults.append(FieldFault(f"/payload/recipients/{i}/recipient", "occurs twice in the set"))
        seen.add(each.recipient)
    if faults:
        raise InvalidInput("The recipient set holds fields that are not acceptable.", faults)
    return tuple(recipients)


def _check_recipient(
    each: _PayloadRecipient, words: RecipientWords, pointer: str, faults: list[FieldFault]
) -> StoredRecipient:
    time_zone = _check_field(f"{pointer}/timeZone", _check_time_zone, each.time_zone, faults)
    return StoredRecipient(
        recipient=_check_field(f"{pointer}/recipient", _check_address, each.recipient, faults),
        role=each.role,
        email=_check_field(f"{pointer}/email", normalise_email, each.email, faults),
        name=_check_field(f"{pointer}/name", check_mailed_name, each.name, faults),
        words=msgspec.structs.replace(words, time_zone=time_zone),
    )


def _check_field(pointer: str, check: Callable[[str], str], value: str, faults: list[FieldFault]) -> str:
    try:
        return check(value)
    except ValueError as error:
        faults.append(FieldFault(pointer, str(error)))
        return value


def _check_address(text: str) -> str:
    if not re.fullmatch(r"0x[0-9a-fA-F]{40}", text) or int(text, 16) == 0:
        raise ValueError("has to be an address: 0x and 40 hex digits, not zero")
    return text.lower()


def _check_time_zone(name: str) -> str:
    """Compare the name with the known names only: no file is opened for it."""
    if name and name not in _read_time_zones():
        raise ValueError("has to be an IANA time zone such as Europe/Berlin")
    return name


@lru_cache(maxsize=1)
def _read_time_zones() -> frozenset[str]:
    """Read the names from the disk once; it takes milliseconds."""
    return frozenset(available_timezones()) - {"localtime", "Factory"}  # of this machine, of no place


def recipient_context(column: str, chain_id: int, legacy: str, address: str) -> str:
    """Return the associated data of a ciphertext in `recipient`: its column and row."""
    return f"recipient.{column}|{chain_id}|{legacy}|{address}"


def email_body_context(ledger_id: UUID) -> str:
    """Return the associated data of a stored request body; the recipient row's key encrypts it."""
    return f"sent_ledger.body|{ledger_id}"


def seal_row(
    key: RecordKey, at: tuple[int, str, str], email: bytes, name: bytes, words: RecipientWords | None = None
) -> dict[str, Any]:
    """Return the encrypted columns of the row `at` (chain, legacy, recipient)."""
    added = None if words is None or words == RecipientWords() else msgspec.json.encode(words)
    return {
        "key_id": key.key_id,
        "salt": key.salt,
        "email": key.seal(email, recipient_context("email", *at)),
        "name": key.seal(name, recipient_context("name", *at)),
        "words": added and key.seal(added, recipient_context("words", *at)),
    }


def open_words(key: RecordKey, at: tuple[int, str, str], sealed: bytes | None) -> RecipientWords:
    """Decrypt the column `words` of the row `at`. To be called after the email was decrypted.

    Where a release without this column wrote the row since, what is left there was for a key that is gone.
    """
    try:
        opened = b"{}" if sealed is None else key.open(sealed, recipient_context("words", *at))
    except DecryptionFailed:
        return RecipientWords()
    return msgspec.json.decode(opened, type=RecipientWords)


def open_row(vault: Vault, row: Row[Any]) -> StoredRecipient:
    """Decrypt a row of `recipient`, in memory only. Raises DecryptionFailed."""
    key = vault.record_key(row.salt, row.key_id)
    at = (row.chain_id, row.legacy, row.recipient)
    email, name = (key.open(getattr(row, column), recipient_context(column, *at)) for column in ("email", "name"))
    return StoredRecipient(row.recipient, row.role, email.decode(), name.decode(), open_words(key, at, row.words))


_KEY = ("chain_id", "legacy", "recipient")
_NOBODY = "0x" + "0" * 40
SEALED_RECIPIENTS = SealedTable(
    recipient, _KEY, ("email", "name"), recipient_context, sent_ledger, email_body_context, optional=("words",)
)


log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class StoredSet:
    """The stored recipients, the addresses of recipients who erased themselves, and receipts by stored recipient."""

    recipients: tuple[StoredRecipient, ...]
    erased_themselves: tuple[str, ...]
    receipts: Mapping[str, tuple[EmailReceipt, ...]]


@dataclass(frozen=True, slots=True)
class SavedSet:
    """Size of the saved set, and the number of recipients removed by the write.

    `now`: the set as it is stored now. It holds nobody who erased themself.
    """

    saved: int
    shredded: int
    now: StoredSet


class RecipientStore:
    """Saves, reads and erases recipient sets.

    Every method raises as `RequestAuthorizer.authorise_request`; writes also raise `Superseded`, and `save_set` raises
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

    async def save_set(self, request: SignedRequest, payload: str) -> SavedSet:
        """Make `payload` the legacy's complete set and shred everyone else. Premium only."""
        wanted = read_recipient_set(payload)
        granted = await self._authoriser.authorise_request(
            request, "IngestLegacy", payload_hash=payload_hash(payload), require_premium=True
        )
        return await through_deadlocks(lambda: self._replace_set(request, granted, wanted))

    async def read_set(self, request: SignedRequest) -> StoredSet:
        """Return the set as its creator saved it, also after Premium lapsed. Raises `DecryptionFailed`."""
        return await self.read_granted(request, await self.authorise_read(request))

    async def authorise_read(self, request: SignedRequest, primary_type: str = "ReadRecipients") -> AuthorizedRequest:
        return await self._authoriser.authorise_request(request, primary_type)

    async def read_granted(self, request: SignedRequest, granted: AuthorizedRequest) -> StoredSet:
        """Spend the signed message and return the set. Raises `AlreadyUsed` and `DecryptionFailed`."""
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
            erased = await list_marks(conn, request.chain_id, request.legacy, granted.identity.creator)
            people = tuple(self._read_row(row) for row in rows if row.recipient is not None)
            receipts = await read_receipts(conn, request.chain_id, request.legacy) if people else {}
        return StoredSet(people, erased, receipts)

    def _read_row(self, row: Row[Any]) -> StoredRecipient:
        bounced = BouncedAddress(row.bounce_reason, row.bounced_at) if row.bounce_reason else None
        return replace(open_row(self._vault, row), bounced=bounced, unsubscribed=row.unsubscribed)

    async def erase_set(self, request: SignedRequest) -> int:
        """Shred the whole set, also after Premium lapsed; return its size."""
        granted = await self._authoriser.authorise_request(request, "EraseLegacy")
        return await through_deadlocks(lambda: self._erase_rows(request, granted))

    async def _replace_set(
        self, request: SignedRequest, granted: AuthorizedRequest, wanted: Sequence[StoredRecipient]
    ) -> SavedSet:
        async with self._engine.begin() as conn:
            await self._open_write(conn, request, granted)
            stored = await self._lock_rows(conn, request)
            hashes = {each.recipient: self._hashes.hash_email(each.email) for each in wanted}
            erased = await settle_marks(conn, request.chain_id, request.legacy, hashes)
            wanted = [each for each in wanted if each.recipient not in erased]
            gone = sorted(stored.keys() - {each.recipient for each in wanted})
            # Whoever signs says that the addresses are right: where an email came back, the next one is tried again.
            again = await forget_bounces(conn, {hashes[each.recipient] for each in wanted})
            changed = []
            for each in wanted:
                if hashes[each.recipient] in again or not self._is_same(stored.get(each.recipient), each):
                    changed.append(each)
            known = {row.email_hash for row in stored.values()}
            new = {hashes[each.recipient] for each in changed} - known
            subject, most = f"{request.chain_id}:{granted.identity.creator}", self._settings.new_addresses_per_creator
            await self._quotas.reserve_one(
                conn, "new_addresses", subject, most, 86_400, cost=len(new), code="daily_cap_reached"
            )
            theirs = [*gone, *(each.recipient for each in changed)]
            reworded = [each.recipient for each in changed if self._has_email(stored.get(each.recipient), each)]
            keys = [(request.chain_id, request.legacy, each) for each in theirs]
            await cancel_unsent(conn, keys, reworded=reworded)
            if gone:
                await conn.execute(delete(recipient).where(_is_of_legacy(request), recipient.c.recipient.in_(gone)))
            if changed:
                await self._write_rows(conn, request, changed)
                await plan_windows_again(conn, request.chain_id, request.legacy)
            # Last, after the windows: the lock order of the due pass.
            await _watch_legacy(conn, request, granted, keep=bool(wanted))
        return SavedSet(saved=len(wanted), shredded=len(gone), now=StoredSet(tuple(wanted), tuple(sorted(erased)), {}))

    async def _erase_rows(self, request: SignedRequest, granted: AuthorizedRequest) -> int:
        async with self._engine.begin() as conn:
            await self._open_write(conn, request, granted)
            gone = list(await self._lock_rows(conn, request))
            await settle_marks(conn, request.chain_id, request.legacy, {})
            await cancel_unsent(conn, [(request.chain_id, request.legacy, each) for each in gone])
            await conn.execute(delete(recipient).where(_is_of_legacy(request)))
            await _watch_legacy(conn, request, granted, keep=False)
        return len(gone)

    async def _open_write(self, conn: AsyncConnection, request: SignedRequest, granted: AuthorizedRequest) -> None:
        """Spend the digest, lock the row of `legacy_write`, and refuse a write that is not later than the last.

        An equal deadline is refused, too: the order of two writes signed for the same second is unknown.
        """
        await granted.spend_digest(conn)
        values = {"chain_id": request.chain_id, "legacy": request.legacy, "deadline": request.deadline}
        statement = insert(legacy_write).values(values)
        later = await conn.execute(
            statement.on_conflict_do_update(
                index_elements=["chain_id", "legacy"],
                set_={"deadline": statement.excluded.deadline},
                where=legacy_write.c.deadline < statement.excluded.deadline,
            ).returning(legacy_write.c.deadline)
        )
        if later.first() is None:
            raise Superseded("A write with the same or a later deadline was accepted before; sign with a later one.")

    async def _lock_rows(self, conn: AsyncConnection, request: SignedRequest) -> Mapping[str, Row[Any]]:
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

    async def _write_rows(
        self, conn: AsyncConnection, request: SignedRequest, changed: Sequence[StoredRecipient]
    ) -> None:
        statement = insert(recipient)
        written = ("role", "key_id", "salt", "email", "name", "words", "email_hash")
        another = recipient.c.email_hash != statement.excluded.email_hash
        # The time at which the address was written, not the name.
        since = case((another, func.clock_timestamp()), else_=recipient.c.written_at)
        await conn.execute(
            statement.on_conflict_do_update(
                index_elements=["chain_id", "legacy", "recipient"],
                set_={name: statement.excluded[name] for name in written} | {"written_at": since},
            ),
            [self._make_row((request.chain_id, request.legacy, each.recipient), each) for each in changed],
        )

    def _make_row(self, at: tuple[int, str, str], each: StoredRecipient) -> dict[str, Any]:
        sealed = seal_row(self._vault.record_key(), at, each.email.encode(), each.name.encode(), each.words)
        email_hash = self._hashes.hash_email(each.email)
        return {**dict(zip(_KEY, at, strict=True)), "role": each.role, "email_hash": email_hash, **sealed}


async def plan_windows_again(conn: AsyncConnection, chain_id: int, legacy: str) -> None:
    """Plan open windows again after recipients were added or replaced; past signals are not planned again."""
    await conn.execute(sql["rearm"], {"chain_id": chain_id, "legacy": legacy})


async def cancel_unsent(conn: AsyncConnection, keys: Sequence[RecipientKey], *, reworded: Sequence[str] = ()) -> None:
    """Cancel emails to replaced or erased people.

    An email that was not accepted is deleted. An email that came back stays, without its person: its day counts it. An
    email in doubt loses its body: the service can only ask about it. So a corrected address gets the email of an open
    window if the old address did not. A merged email stays. The numbers of their emails are forgotten, also of sent
    ones.

    `keys`: about a thousand at most. `reworded`: accounts of people with a new name or role only; their waiting emails
    are rendered again.
    """
    if not keys:
        return
    ledger = sent_ledger.c
    theirs = is_of_recipients(sent_ledger, keys)
    waiting, undecided = ledger.state.in_(WAITING), ledger.state.in_(UNDECIDED)
    # Lock first: otherwise both statements below could miss an email while a dispatcher records its outcome.
    await conn.execute(select(ledger.id).where(theirs, waiting | undecided).order_by(ledger.id).with_for_update())
    dropped = (ledger.state == "dropped") & ledger.reason.is_distinct_from("merged")
    not_posted = (ledger.state == "claimed") & ledger.claimed_at.is_(None)
    waits = (waiting | not_posted) & ledger.recipient.not_in(reworded)
    returned = (ledger.state == "sent") & (ledger.reason == "bounced")
    over = waits | dropped | ledger.state.in_(("dead", "suppressed"))
    await conn.execute(delete(sent_ledger).where(theirs, over))
    # The event is part of the key of a row, and nobody can have several of one event.
    nobodys = {"recipient": _NOBODY, "event": cast(ledger.id, Text), "number_hash": None}
    await conn.execute(update(sent_ledger).where(theirs, returned).values(nobodys))
    # An email in doubt to the same address may be sent again once it is proven unsent; to an earlier address, never.
    tried_there = ledger.body.is_not(None) | ledger.reason.is_not_distinct_from("reworded")
    reason = case((ledger.state == "held", ledger.reason), (ledger.recipient.in_(reworded) & tried_there, "reworded"))
    values = {"body": None, "body_salt": None, "reason": reason}
    await conn.execute(update(sent_ledger).where(theirs, undecided).values(values))
    numbered = ledger.number_hash.is_not(None) & ledger.recipient.not_in(reworded)
    await conn.execute(update(sent_ledger).where(theirs, numbered).values(number_hash=None))


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
