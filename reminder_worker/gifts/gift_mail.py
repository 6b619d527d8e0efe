"""The emails of gifts: one that a gift waits, on the giver's day, and one on opening day; each at most once.

The same promises as the dispatch of reminders, for far fewer emails: claimed and committed before the POST, the
body stored before it may be posted, everything resolved afresh at a retry, what nobody can decide held and shown.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar
from uuid import UUID, uuid4

import msgspec
import structlog
from sqlalchemy import Row
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.database.engine import through_deadlocks
from reminder_worker.database.rotation import Sealed
from reminder_worker.database.tables import gift_ledger, gift_notification
from reminder_worker.errors import DecryptionFailed, MailUnavailable, ServiceError
from reminder_worker.gifts import statements as sql
from reminder_worker.gifts.facts import Gift, Gifts
from reminder_worker.gifts.notifications import payload_context
from reminder_worker.gifts.notify_payload import Letterhead
from reminder_worker.mail.allowlist import may_mail
from reminder_worker.mail.client import (
    Accepted,
    MailClient,
    NotAccepted,
    Outcome,
    Refused,
    SuppressedAddress,
    Undecided,
    speaks_of_an_outage,
)
from reminder_worker.mail.messages import GiftKind, GiftSubject, gift_body
from reminder_worker.mail.outbox import OUTAGE_AFTER
from reminder_worker.privacy.vault import Vault
from reminder_worker.quotas import Quotas
from reminder_worker.settings import GiftSettings, MailSettings, Settings

log = structlog.get_logger(__name__)
T = TypeVar("T")

SLICE = 64
LEASE_SECONDS = 180
BUDGET_SECONDS = 90.0
DAY = 86_400
FIRST_BACKOFF_SECONDS = 15.0
LONGEST_BACKOFF_SECONDS = 1800.0
REJECTIONS_UNTIL_DEAD = 3
UNDER_WAY_SECONDS = 15.0
UNREADABLE_SECONDS = 30.0


@dataclass(slots=True)
class GiftMailReport:
    """`outcomes`: by kind, how many entries came to which state; `deleted`: rows shredded after their opening day;
    `failures` of the mail service, one after the other, up to the last answer."""

    outcomes: dict[str, dict[str, int]] = field(default_factory=dict)
    deleted: int = 0
    outage: bool = False
    unreadable_chains: list[int] = field(default_factory=list)
    failures: int = 0

    def heard(self, *, failed: bool) -> None:
        """Of the mail service: several failures and no good answer between them are an outage."""
        self.failures = self.failures + 1 if failed else 0
        self.outage = self.outage or self.failures >= OUTAGE_AFTER

    def count(self, kind: str, state: str) -> None:
        states = self.outcomes.setdefault(kind, {})
        states[state] = states.get(state, 0) + 1


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of an entry. `delay` in seconds until it is looked at again."""

    state: str
    reason: str | None = None
    message_id: str | None = None
    delay: float = 0.0
    tries: int = 0
    rejections: int = 0


_UNASKED = Verdict("unknown", "mail_unavailable", delay=FIRST_BACKOFF_SECONDS)
_SPARED = Verdict("released", "mail_unavailable", delay=FIRST_BACKOFF_SECONDS)


@dataclass(frozen=True, slots=True)
class Ready:
    """`body` is posted, `sealed` what is stored of it."""

    body: bytes = field(repr=False)
    sealed: bytes = field(repr=False)


Found = Mapping[tuple[int, int], Gift | None]


class GiftMail:
    """`now` gives unix seconds (wall clock); when a gift opens is judged by its chain's latest block."""

    def __init__(
        self,
        engine: AsyncEngine,
        vault: Vault,
        quotas: Quotas,
        chains: Mapping[int, Chain],
        gifts: Gifts,
        mail: MailClient,
        settings: Settings,
        mail_settings: MailSettings,
        gift_settings: GiftSettings,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._engine = engine
        self._vault = vault
        self._quotas = quotas
        self._chains = chains
        self._gifts = gifts
        self._mail = mail
        self._settings = settings
        # Of the count shared with reminders, so that a flood of gifts keeps no reminder from its address.
        self._most_a_day = max(1, mail_settings.daily_cap_per_address // 2)
        self._keeps_keys = mail_settings.idempotent
        self._retry_window = gift_settings.retry_window_seconds
        self._now = now

    async def look(self) -> bool:
        """Whether an email is due, undecided or a row to be deleted. Of a chain only its latest block is asked."""
        times = await self._times(GiftMailReport())
        async with self._engine.connect() as connection:
            return bool(await connection.scalar(sql.HAS_WORK, times))

    async def run(self, budget_seconds: float = BUDGET_SECONDS) -> GiftMailReport:
        """Raises what the database raises; a chain or a mail service that fails is only waited for."""
        report = GiftMailReport()
        async with self._engine.begin() as connection:
            await connection.execute(sql.EXPIRE_LEASES)
        times = await self._times(report)
        ends = time.monotonic() + budget_seconds  # of sending: a silent chain does not use it up
        for claim, handle in ((sql.CLAIM_UNKNOWN, self._decide), (sql.CLAIM, self._send)):
            while time.monotonic() < ends and not report.outage:
                token = uuid4()
                entries = await self._claim(claim, token, times)
                if not entries:
                    break
                await handle(entries, token, report)
        report.deleted = await through_deadlocks(lambda: self._delete(times))  # an erasure locks the other way round
        return report

    async def _delete(self, times: Mapping[str, Any]) -> int:
        async with self._engine.begin() as connection:
            done = (await connection.execute(sql.DELETE_DONE, times)).all()
            late = (await connection.execute(sql.DELETE_LATE, times)).all()
        for row in late:
            log.warning("gift_email_too_late", chain_id=row.chain_id, timelock_id=row.timelock_id)
        return len(done) + len(late)

    async def _times(self, report: GiftMailReport) -> dict[str, Any]:
        """When gifts open is judged by each chain's latest block; a chain that cannot be read is left out."""
        async with self._engine.connect() as connection:
            chains = (await connection.scalars(sql.CHAINS)).all()
        asked = sorted(set(chains) & set(self._chains))
        found = await asyncio.gather(*(self._readable(id, self._gifts.head_time(id), report) for id in asked))
        heads = [{"chain_id": id, "time": head} for id, head in zip(asked, found, strict=True) if head is not None]
        return {"heads": msgspec.json.encode(heads).decode(), "retry_window": self._retry_window}

    async def _claim(self, statement: Any, token: UUID, times: Mapping[str, Any]) -> Sequence[Row[Any]]:
        async with self._engine.begin() as connection:
            values = {**times, "token": token, "lease": LEASE_SECONDS, "limit": SLICE}
            return (await connection.execute(statement, values)).all()

    # -- what is due ------------------------------------------------------------------------------

    async def _send(self, entries: Sequence[Row[Any]], token: UUID, report: GiftMailReport) -> None:
        found, heads = await self._read(entries, report)

        async def one(entry: Row[Any]) -> None:
            taken_at = self._quotas.now()
            verdict = await self._resolved(entry, found, heads) if not report.outage else _SPARED
            if not isinstance(verdict, Ready):
                await self._settle(entry, token, verdict, report)
                return
            verdict = await self._post(entry, token, verdict, report)
            ours = await self._settle(entry, token, verdict, report)
            # Nothing reached the address, and nobody else holds it who may post it for what it took.
            if ours and verdict.state in ("released", "suppressed", "dead"):
                await self._quotas.give_back("email_day", entry.email_hash.hex(), DAY, taken_at)

        await self._for_each(entries, one)

    async def _resolved(self, entry: Row[Any], found: Found, heads: Mapping[int, int]) -> Ready | Verdict:
        """Everything afresh: the gift as the chain has it now, the address, the words."""
        relevant = self._relevant(entry, found, heads)
        if relevant is not None:
            return relevant
        if entry.suppressed:
            return Verdict("suppressed", "suppressed")
        try:
            key = self._vault.record(entry.salt, entry.key_id)
            opened = key.open(entry.payload, payload_context(entry.chain_id, entry.timelock_id))
        except DecryptionFailed:
            log.error("gift_not_decryptable", chain_id=entry.chain_id, timelock_id=entry.timelock_id)
            return Verdict("released", "not_decryptable", delay=LONGEST_BACKOFF_SECONDS)
        letterhead = msgspec.json.decode(opened, type=Letterhead)
        chain = self._chains[entry.chain_id].settings
        if not may_mail(letterhead.email, chain, self._settings):
            return Verdict("dropped", "test_chain")
        tomorrow = DAY - self._now() % DAY  # before it is asked: at midnight it would be the day after
        if not await self._quotas.take_many(None, "email_day", {entry.email_hash.hex(): 1}, self._most_a_day, DAY):
            return Verdict("released", "daily_cap", delay=tomorrow)
        about = GiftSubject(
            chain_id=entry.chain_id,
            chain_name=chain.name,
            timelock_id=entry.timelock_id,
            recipient=entry.recipient,
            router=chain.time_lock_router,
            unlock_time=entry.unlock_time,
        )
        body = gift_body(
            GiftKind(entry.kind),
            letterhead.email,
            letterhead.recipient_name,
            letterhead.giver_name,
            letterhead.link,
            about,
        )
        return Ready(body, key.seal(body, body_context(entry.id)))

    def _relevant(self, entry: Row[Any], found: Found, heads: Mapping[int, int]) -> Verdict | None:
        """None when the email is to be sent now."""
        if entry.salt is None:
            return Verdict("dropped", "erased")
        if entry.chain_id not in self._chains:  # it was served once, and may be again
            return Verdict("released", "chain_not_configured", delay=LONGEST_BACKOFF_SECONDS)
        if entry.chain_id not in heads:
            return Verdict("released", "chain_not_readable", delay=UNREADABLE_SECONDS)
        gift, head = found[entry.chain_id, entry.timelock_id], heads[entry.chain_id]
        if gift is not None and gift.is_ended and gift.recipient == entry.recipient:
            return Verdict("dropped", "claimed")
        # A reorganisation may have given the id to somebody else's gift.
        if gift is None or (gift.owner, gift.recipient, gift.unlock_time) != (
            entry.owner,
            entry.recipient,
            entry.unlock_time,
        ):
            log.error("gift_is_another", chain_id=entry.chain_id, timelock_id=entry.timelock_id)
            if entry.long_known and head >= entry.written:  # else the node is behind, and does not know it yet
                return Verdict("dropped", "gift_is_another")
            return Verdict("released", "gift_is_another", delay=LONGEST_BACKOFF_SECONDS)
        if not entry.wanted:
            return Verdict("dropped", "not_wanted")
        if entry.kind == GiftKind.GIFT_WAITING:
            return Verdict("dropped", "open_already") if head >= entry.unlock_time else None
        return Verdict("released", "not_open_yet", delay=UNREADABLE_SECONDS) if head < entry.unlock_time else None

    async def _post(self, entry: Row[Any], token: UUID, ready: Ready, report: GiftMailReport) -> Verdict:
        async with self._engine.begin() as connection:
            values = {"id": entry.id, "token": token, "body": ready.sealed, "salt": entry.salt}
            await connection.execute(sql.LOCK, values)
            stored = (await connection.execute(sql.STORE, values)).first()
        if stored is None:  # replaced or erased since the claim: a fresh look tells
            return Verdict("released", "recipient_changed")
        return self._outcome(entry, await self._mail.send(entry.id, ready.body), report, undecided=False)

    def _outcome(self, entry: Row[Any], outcome: Outcome, report: GiftMailReport, *, undecided: bool) -> Verdict:
        report.heard(failed=speaks_of_an_outage(outcome))
        match outcome:
            case Accepted(message_id):
                return Verdict("sent", message_id=message_id, tries=1)
            case SuppressedAddress():
                return Verdict("suppressed", "suppressed", tries=1)
            case Refused(status):
                last = entry.rejections + 1 >= REJECTIONS_UNTIL_DEAD
                state = "dead" if last else "released"
                return Verdict(state, f"rejected_{status}", delay=_backoff(entry.tries), tries=1, rejections=1)
            case NotAccepted(_, retry_after):
                state = "unknown" if undecided else "released"
                delay = max(_backoff(entry.tries), retry_after or 0.0)
                return Verdict(state, "mail_unavailable", delay=delay, tries=1)
            case Undecided():
                return Verdict("unknown", delay=_backoff(entry.tries), tries=1)

    # -- what is undecided ------------------------------------------------------------------------

    async def _decide(self, entries: Sequence[Row[Any]], token: UUID, report: GiftMailReport) -> None:
        """Ask what became of each; what never arrived and is still true is posted again, unchanged, with its key."""
        found, heads = await self._read(entries, report)

        async def one(entry: Row[Any]) -> None:
            verdict = await self._decided(entry, token, found, heads, report) if not report.outage else _UNASKED
            await self._settle(entry, token, verdict, report)

        await self._for_each(entries, one)

    async def _decided(
        self, entry: Row[Any], token: UUID, found: Found, heads: Mapping[int, int], report: GiftMailReport
    ) -> Verdict:
        if not self._keeps_keys:
            return Verdict("held", "undecidable")
        try:
            known = await self._mail.ask(entry.id)
        except MailUnavailable:
            report.heard(failed=True)
            return Verdict("unknown", "mail_unavailable", delay=_backoff(entry.tries), tries=1)
        if known.state == "accepted" and known.message_id:
            return Verdict("sent", message_id=known.message_id)
        if known.state == "in_doubt":
            return Verdict("held", "in_doubt")
        if known.state != "unknown":
            return Verdict("unknown", delay=UNDER_WAY_SECONDS)
        if entry.body is None or entry.salt is None:  # nothing was taken: whoever is registered now gets a new one
            return Verdict("released", "recipient_changed") if entry.wanted else Verdict("dropped", "body_gone")
        relevant = self._relevant(entry, found, heads)
        if relevant is not None:
            return Verdict("unknown", relevant.reason, delay=relevant.delay) if relevant.delay else relevant
        try:
            body = self._vault.record(entry.salt, entry.key_id).open(entry.body, body_context(entry.id))
        except DecryptionFailed:
            return Verdict("unknown", "not_decryptable", delay=LONGEST_BACKOFF_SECONDS)
        async with self._engine.begin() as connection:
            confirmed = (await connection.execute(sql.CONFIRM, {"id": entry.id, "token": token})).first()
        if confirmed is None:  # replaced or erased since the claim: asked about again, and then decided
            return Verdict("unknown", "recipient_changed")
        return self._outcome(entry, await self._mail.send(entry.id, body), report, undecided=True)

    # -- both -------------------------------------------------------------------------------------

    async def _read(self, entries: Sequence[Row[Any]], report: GiftMailReport) -> tuple[Found, dict[int, int]]:
        """The gifts as their chains have them, and the time of each chain's latest block (absent: not readable)."""
        found: dict[tuple[int, int], Gift | None] = {}
        heads: dict[int, int] = {}

        async def read(chain_id: int) -> None:
            ids = {entry.timelock_id for entry in entries if entry.chain_id == chain_id}
            known = await self._readable(chain_id, self._gifts.read(chain_id, ids), report)
            if known is not None:
                gifts, heads[chain_id] = known
                found.update({(chain_id, id): gifts.get(id) for id in ids})

        await asyncio.gather(*(read(id) for id in {entry.chain_id for entry in entries} & set(self._chains)))
        return found, heads

    async def _readable(self, chain_id: int, reading: Awaitable[T], report: GiftMailReport) -> T | None:
        """None for a chain that cannot be read now. All are asked at once: it keeps no other waiting."""
        try:
            return await reading
        except ServiceError as error:  # also `Misconfigured`, when a node denies a contract
            log.warning("gifts_not_readable", chain_id=chain_id, error=type(error).__name__)
            report.unreadable_chains.append(chain_id)
            return None

    async def _for_each(self, entries: Sequence[Row[Any]], work: Callable[[Row[Any]], Any]) -> None:
        rest = iter(entries)

        async def worker() -> None:
            for entry in rest:
                await work(entry)

        await asyncio.gather(*(worker() for _ in range(min(8, len(entries)))))

    async def _settle(self, entry: Row[Any], token: UUID, verdict: Verdict, report: GiftMailReport) -> bool:
        """Whether it counts: an acceptance whoever holds the lease by now, the rest only under ours."""
        values = {
            "id": entry.id,
            "token": token,
            "state": verdict.state,
            "reason": verdict.reason,
            "message_id": verdict.message_id,
            "delay": verdict.delay,
            "tries": verdict.tries,
            "rejections": verdict.rejections,
        }
        async with self._engine.begin() as connection:
            counts = await connection.scalar(sql.SETTLE, values)
            if verdict.state == "suppressed":
                await connection.execute(sql.SUPPRESS, {"email_hash": entry.email_hash})
        report.count(entry.kind, verdict.state)
        return bool(counts)


def body_context(id: UUID) -> str:
    """Where a stored body belongs."""
    return f"gift_ledger.body|{id}"


SEALED = Sealed(
    gift_notification,
    ("chain_id", "timelock_id"),
    ("payload",),
    lambda _, *at: payload_context(*at),
    gift_ledger,
    body_context,
)


def _backoff(tries: int) -> float:
    """Full jitter; the first retry is the next tick's."""
    if tries == 0:
        return FIRST_BACKOFF_SECONDS
    ceiling = min(LONGEST_BACKOFF_SECONDS, FIRST_BACKOFF_SECONDS * 2 ** min(tries, 10))
    return max(FIRST_BACKOFF_SECONDS, random.uniform(0, ceiling))  # noqa: S311 - not a secret
