"""Whom a giver wants told of a gift: registered by a signature, encrypted, corrected and erased.

A row belongs to a gift; what may be sent belongs to the ledger, keyed by a keyed hash of the email, so that a
deleted row re-arms nothing and a corrected address still gets its email.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import TypeVar

import msgspec
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.chain.eip712 import SignatureVerifier, typed_data_digest
from reminder_worker.database.engine import through_deadlocks
from reminder_worker.errors import FieldFault, InvalidInput, NotConfigured, NotFound, SignerMismatch, Superseded
from reminder_worker.gifts.claim_link import LinkRules, check_claim_link
from reminder_worker.gifts.gift_givers import GiverAddress, erase_givers, save_giver
from reminder_worker.gifts.gift_reminders import ReminderAddress, erase_reminders, save_reminder
from reminder_worker.gifts.pages import NO_GIFT, GiftReader, TimelockedGift
from reminder_worker.gifts.tables import sql
from reminder_worker.outbox.bounces import forget_bounces
from reminder_worker.outbox.messages import GiftKind, Language, to_datetime
from reminder_worker.privacy.emails import check_mailed_name, normalise_email
from reminder_worker.privacy.hashing import KeyedHash
from reminder_worker.privacy.vault import Vault
from reminder_worker.quotas import QuotaCounters
from reminder_worker.settings import GiftSettings
from reminder_worker.signed_messages import (
    check_deadline,
    check_salt,
    payload_hash,
    served_chain,
    service_domain,
    spend_digest,
)
from reminder_worker.strict_json import decode_json

T = TypeVar("T")
U = TypeVar("U")
_RFC_3339 = re.compile(r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?(?:[Zz]|[+-]\d{2}:\d{2})")
MESSAGE_TYPES = {
    "GiftNotify2": ({"name": "payloadHash", "type": "bytes32"}, {"name": "deadline", "type": "uint256"}),
    "GiftNotifyErase": ({"name": "timelockId", "type": "uint256"}, {"name": "deadline", "type": "uint256"}),
}


class EmailTiming(StrEnum):
    """When the recipient hears of a gift before it opens; on opening day in every mode."""

    IMMEDIATE = "immediate"
    SCHEDULED = "scheduled"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class NotificationPayload:
    """Recipient, giver, claim link with its fragment, language of the emails. Stored encrypted, never shown."""

    email: str = field(repr=False)
    recipient_name: str = field(repr=False)
    giver_name: str = field(repr=False)
    link: str = field(repr=False)
    language: Language = field(default="en", repr=False)


@dataclass(frozen=True, slots=True)
class CheckedNotification:
    """A payload that was read and found good. `notify_at`: of the timing `scheduled` only.

    `reminds`: whether the recipient is reminded while the gift is open and not opened. `giver`: who hears of its fate.
    """

    timelock_id: int
    payload: NotificationPayload
    timing: EmailTiming
    notify_at: datetime | None
    reminds: bool = False
    giver: GiverAddress | None = None


class _RawPayload(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    salt: str
    timelock_id: str
    recipient_email: str
    recipient_name: str
    giver_name: str
    claim_link: str
    timing: EmailTiming
    notify_at: str | None = None
    language: Language = "en"
    remind_after_opening: bool = False
    giver_email: str | None = None
    giver_language: Language = "en"


def read_payload(text: str, rules: LinkRules, chain_id: int) -> CheckedNotification:
    """Raises `Malformed`, or `InvalidInput` with a fault for every bad field; none echoes a value."""
    payload = decode_json(text, _RawPayload, "/payload")
    faults: list[FieldFault] = []

    def checked(name: str, read: Callable[[T], U], given: T, otherwise: U) -> U:
        try:
            return read(given)
        except ValueError as fault:
            faults.append(FieldFault(f"/payload/{name}", str(fault)))
            return otherwise

    def link_of_this_gift(given: str) -> str:
        return check_claim_link(given, rules, chain_id, timelock_id).url

    checked("salt", check_salt, payload.salt, None)
    timelock_id = checked("timelockId", _read_timelock_id, payload.timelock_id, 0)
    email = checked("recipientEmail", normalise_email, payload.recipient_email, "")
    recipient = checked("recipientName", check_mailed_name, payload.recipient_name, "")
    giver = checked("giverName", check_mailed_name, payload.giver_name, "")
    link = checked("claimLink", link_of_this_gift, payload.claim_link, "")
    notify_at = checked("notifyAt", lambda given: _read_notify_at(given, payload.timing), payload.notify_at, None)
    told = None
    if payload.giver_email is not None:
        own = checked("giverEmail", normalise_email, payload.giver_email, "")
        told = GiverAddress(own, payload.giver_language, giver, recipient)
    if faults:
        raise InvalidInput("The payload holds fields that are not acceptable.", faults)
    return CheckedNotification(
        timelock_id,
        NotificationPayload(email, recipient, giver, link, payload.language),
        payload.timing,
        notify_at,
        payload.remind_after_opening,
        told,
    )


def _read_timelock_id(text: str) -> int:
    if not re.fullmatch(r"[1-9][0-9]{0,17}", text):
        raise ValueError("has to be a timelock id in decimal digits")
    return int(text)


def _read_notify_at(text: str | None, timing: EmailTiming) -> datetime | None:
    """RFC 3339 with the giver's offset; with the timing `scheduled`, and there always."""
    if (text is not None) != (timing is EmailTiming.SCHEDULED):
        raise ValueError("belongs to the timing scheduled, and only there")
    if text is None:
        return None
    if not _RFC_3339.fullmatch(text):
        raise ValueError("has to be an RFC 3339 time with an offset")
    try:
        return datetime.fromisoformat(text.upper()).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError("has to be an RFC 3339 time with an offset") from None


@dataclass(frozen=True, slots=True)
class NotifyRequest:
    """`payload` is the JSON text whose SHA-256 was signed; `giver` a lower-case address, `deadline` in unix seconds."""

    chain_id: int
    giver: str
    payload: str = field(repr=False)
    deadline: int
    signature: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class EraseRequest:
    chain_id: int
    giver: str
    timelock_id: int
    deadline: int
    signature: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class RegistrationResult:
    """When the emails are due; `notify_at` is None when nothing is sent before opening day."""

    timing: EmailTiming
    notify_at: datetime | None
    unlock_at: datetime


class GiftNotifications:
    """`settings` and `rules` are None where gifts are not served or no email is sent."""

    def __init__(
        self,
        engine: AsyncEngine,
        vault: Vault,
        hashes: KeyedHash,
        quotas: QuotaCounters,
        chains: Mapping[int, Chain],
        gifts: GiftReader,
        settings: GiftSettings | None,
        rules: LinkRules | None,
    ) -> None:
        self._engine = engine
        self._vault = vault
        self._hashes = hashes
        self._quotas = quotas
        self._chains = chains
        self._gifts = gifts
        self._settings = settings
        self._rules = rules

    async def register_notification(self, request: NotifyRequest) -> RegistrationResult:
        """Save whom to tell, in the place of whoever was saved before.

        Raises NotConfigured, Malformed, InvalidInput, Expired, DeadlineTooFar, AlreadyUsed, Superseded,
        SignerMismatch, NotFound, LimitReached, ChainUnavailable, IndexerUnavailable.
        """
        settings, rules = self._require_settings()
        chain = served_chain(self._chains, request.chain_id)
        check_deadline(request.deadline, self._quotas.now())
        wish = read_payload(request.payload, rules, request.chain_id)
        message = {"payloadHash": payload_hash(request.payload), "deadline": request.deadline}
        digest = _compute_digest(request.chain_id, "GiftNotify2", message)
        await SignatureVerifier(chain).verify_signature(digest, request.signature, request.giver)
        gift = await self._check_giver(request.chain_id, wish.timelock_id, request.giver)
        head = await self._gifts.read_head_time(request.chain_id)
        notify_at = self._compute_notify_time(wish, gift, head)

        async def save() -> None:
            async with self._engine.begin() as connection:
                at = {"chain_id": request.chain_id, "timelock_id": wish.timelock_id}
                await _record_write(connection, at, digest, request.deadline)
                await self._save_notification(connection, settings, at, wish, notify_at, gift, head)

        await through_deadlocks(save)
        return RegistrationResult(wish.timing, notify_at, to_datetime(gift.unlock_time))

    async def erase_notification(self, request: EraseRequest) -> bool:
        """Erase a row; return whether it existed. Unsent emails are cancelled, sent ones are remembered by a hash.

        Works also where no gift is served any more.
        """
        chain = served_chain(self._chains, request.chain_id)
        check_deadline(request.deadline, self._quotas.now())
        message = {"timelockId": request.timelock_id, "deadline": request.deadline}
        digest = _compute_digest(request.chain_id, "GiftNotifyErase", message)
        await SignatureVerifier(chain).verify_signature(digest, request.signature, request.giver)
        at = {"chain_id": request.chain_id, "timelock_id": request.timelock_id}
        gift = {"chains": [request.chain_id], "timelocks": [request.timelock_id]}
        async with self._engine.connect() as connection:
            registered = await connection.scalar(sql["owner"], at)
        if registered != request.giver:  # the registered giver may erase, also after the gift ended
            await self._check_giver(request.chain_id, request.timelock_id, request.giver)

        async def erase() -> bool:
            async with self._engine.begin() as connection:
                await _record_write(connection, at, digest, request.deadline)
                await connection.execute(sql["cancel"], {**gift, "reason": "erased", "kept": None})
                others = await erase_reminders(connection, gift) + await erase_givers(connection, gift)
                return (await connection.execute(sql["delete_rows"], gift)).rowcount + others > 0

        return await through_deadlocks(erase)

    def _require_settings(self) -> tuple[GiftSettings, LinkRules]:
        if self._settings is None or self._rules is None:
            raise NotConfigured("Emails of gifts are not configured here.")
        return self._settings, self._rules

    async def _check_giver(self, chain_id: int, timelock_id: int, giver: str) -> TimelockedGift:
        gift = await self._gifts.find_gift(chain_id, timelock_id)
        if gift is None:
            raise NotFound(NO_GIFT)
        sealed_by = await self._gifts.confirm_giver(chain_id, timelock_id)
        if sealed_by is None:  # an index is ahead of the nodes
            raise NotFound(NO_GIFT)
        if {gift.owner, sealed_by} != {giver}:
            raise SignerMismatch("The signer did not seal this gift.")
        return gift

    def _compute_notify_time(self, wish: CheckedNotification, gift: TimelockedGift, head: int) -> datetime | None:
        """When to tell before the gift opens; None: never. `head`: time of the chain's latest block, unix seconds."""
        if not gift.is_offered:
            raise NotFound(NO_GIFT)
        if head >= gift.unlock_time:
            return None  # whatever the timing: the email for an open gift is due at once
        now = datetime.fromtimestamp(self._quotas.now(), UTC)
        if wish.timing is EmailTiming.IMMEDIATE:
            return now
        if wish.notify_at is not None and not now < wish.notify_at < to_datetime(gift.unlock_time):
            fault = FieldFault("/payload/notifyAt", "has to lie between now and the day the gift opens")
            raise InvalidInput("The day to tell of the gift is not acceptable.", [fault])
        return wish.notify_at

    async def _save_notification(
        self,
        connection: AsyncConnection,
        settings: GiftSettings,
        at: Mapping[str, int],
        wish: CheckedNotification,
        notify_at: datetime | None,
        gift: TimelockedGift,
        head: int,
    ) -> None:
        email_hash = self._hashes.hash_email(wish.payload.email)
        hashes = {"recipientEmail": email_hash}
        if wish.giver is not None:
            hashes["giverEmail"] = self._hashes.hash_email(wish.giver.email)
        given = self._hashes.hash_given_email(gift.owner, wish.payload.email)
        for scope, subject, limit in (
            ("gift_notify_giver", gift.owner, settings.notify_per_giver),
            ("gift_notify_email", given.hex(), settings.notify_per_email),  # strangers' use of it is not this giver's
        ):
            await self._quotas.reserve_one(connection, scope, subject, limit, 86_400, code="daily_cap_reached")
        await _admit_addresses(connection, at, hashes)
        this_gift = {"chains": [at["chain_id"]], "timelocks": [at["timelock_id"]]}
        await connection.execute(sql["cancel"], {**this_gift, "reason": "replaced", "kept": email_hash})
        key = self._vault.record_key()
        row = {
            **at,
            "key_id": key.key_id,
            "salt": key.salt,
            "payload": key.seal(msgspec.json.encode(asdict(wish.payload)), make_payload_context(**at)),
            "email_hash": email_hash,
            "timing": wish.timing.value,
            "owner": gift.owner,
            "recipient": gift.recipient,
            "unlock_time": gift.unlock_time,
        }
        await connection.execute(sql["save_row"], row)
        await erase_reminders(connection, this_gift)
        await erase_givers(connection, this_gift)
        pinned = {name: row[name] for name in ("email_hash", "owner", "recipient", "unlock_time")}
        now = int(self._quotas.now())
        if wish.reminds:
            address = ReminderAddress(wish.payload.email, wish.payload.language)
            await save_reminder(connection, self._vault, {**at, **pinned}, address, now)
        if wish.giver is not None:
            hashed = {**pinned, "email_hash": hashes["giverEmail"], "recipient_hash": email_hash}
            await save_giver(connection, self._vault, {**at, **hashed}, wish.giver, now)
        await forget_bounces(connection, set(hashes.values()))
        opens = max(gift.unlock_time, int(self._quotas.now()))  # now, for the correction of an open gift
        entry = {**at, "email_hash": email_hash, "expires_at": to_datetime(opens + 90 * 86_400)}
        # What is due at once is so by the database's clock. An email of opening day is looked at from that day on.
        opening_day = to_datetime(gift.unlock_time) if head < gift.unlock_time else None
        opened = {**entry, "kind": GiftKind.GIFT_UNLOCKED.value}
        waiting = {**entry, "kind": GiftKind.GIFT_WAITING.value}
        await connection.execute(sql["plan"], {**opened, "due": opening_day, "day": to_datetime(opens)})
        if notify_at is not None:
            due = None if wish.timing is EmailTiming.IMMEDIATE else notify_at
            await connection.execute(sql["plan"], {**waiting, "due": due, "day": due})
        else:
            await connection.execute(sql["not_wanted"], waiting)


async def _admit_addresses(connection: AsyncConnection, at: Mapping[str, int], hashes: Mapping[str, bytes]) -> None:
    """Refuse a fourth address of a gift's life; known ones are taken again. Raises InvalidInput.

    `hashes`: of addresses, by field. The giver's own is one of the three. It is not counted by the day: some give
    to ten grandchildren at once.
    """
    known = set((await connection.execute(sql["known_addresses"], at)).scalars())
    for name, email_hash in hashes.items():
        if email_hash not in known and len(known) >= 3:
            fault = FieldFault(f"/payload/{name}", "is a further address after 3")
            raise InvalidInput("A gift's address can be corrected only so often.", [fault])
        known.add(email_hash)


def make_payload_context(chain_id: int, timelock_id: int) -> str:
    """Where a row's ciphertext belongs."""
    return f"gift_notification.payload|{chain_id}|{timelock_id}"


async def _record_write(connection: AsyncConnection, at: Mapping[str, int], digest: bytes, deadline: int) -> None:
    """Run first in a transaction: it serialises the writes of a gift."""
    if (await connection.execute(sql["write"], {**at, "deadline": deadline})).first() is None:
        raise Superseded("A message signed later was accepted for this gift; sign a new one.")
    await spend_digest(connection, digest, deadline)


def _compute_digest(chain_id: int, primary_type: str, message: Mapping[str, object]) -> bytes:
    return typed_data_digest(service_domain(chain_id), primary_type, MESSAGE_TYPES, message)
