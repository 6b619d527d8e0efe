"""The emails of gifts: one that a gift waits, on the giver's day, and one on opening day; each at most once.

The same promises as the dispatch of reminders, for far fewer emails: claimed and committed before the POST, the
body stored before it may be posted, everything resolved afresh at a retry, what nobody can decide held and shown.
"""

import time
from collections import Counter
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar
from uuid import UUID, uuid4

import msgspec
import structlog
from sqlalchemy import Row
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.concurrency import each_of, together
from reminder_worker.database.engine import through_deadlocks
from reminder_worker.database.parameters import json_text
from reminder_worker.database.rotation import Sealed
from reminder_worker.errors import ChainUnavailable, DecryptionFailed, NotConfigured, ServiceError
from reminder_worker.gifts.claim_link import LinkRules, as_served_now
from reminder_worker.gifts.gift import Gift, Gifts
from reminder_worker.gifts.notifications import payload_context
from reminder_worker.gifts.notify_payload import Letterhead
from reminder_worker.gifts.queries import sql
from reminder_worker.gifts.tables import gift_ledger, gift_notification
from reminder_worker.outbox import outcomes as become
from reminder_worker.outbox.allowlist import may_mail
from reminder_worker.outbox.mail_client import MailClient, SuppressedAddress
from reminder_worker.outbox.messages import GiftKind, GiftSubject, gift_body
from reminder_worker.outbox.outcomes import Outage, Settlement
from reminder_worker.privacy.vault import Vault
from reminder_worker.quotas import Quotas
from reminder_worker.settings import Settings, counted_apart

log = structlog.get_logger(__name__)
T = TypeVar("T")
Entry = Row[Any]  # `_ENTRY` of the statements

SLICE = 64
LEASE_SECONDS = 180
BUDGET_SECONDS = 90.0
DAY = 86_400
UNREADABLE_SECONDS = 30.0
LONG_SECONDS = 1800.0
AT_ONCE = 8  # each takes a connection to the database, too
NOT_STORED = "recipient_changed"
CLAIMED = "claimed"
IS_ANOTHER = "gift_is_another"


class GiftsAreOthers(ChainUnavailable):
    """None of the gifts of several givers is what was registered. No reorganisation explains that, but an upgrade that
    went wrong does: the emails wait, or each would be given up because its gift seems to be another one."""


@dataclass(slots=True)
class GiftMailReport:
    """`outcomes`: by kind, how many entries came to which state; `deleted`: rows shredded after their opening day;
    `more`: the time was up before all that is due was sent."""

    outcomes: dict[str, Counter[str]] = field(default_factory=dict)
    deleted: int = 0
    more: bool = False
    outage: bool = False
    unreadable_chains: list[int] = field(default_factory=list)

    def count(self, settled: Settlement[Entry]) -> None:
        self.outcomes.setdefault(settled.entry.kind, Counter())[settled.state] += 1


@dataclass(frozen=True, slots=True)
class Ready:
    """`body` is posted, `sealed` what is stored of it."""

    entry: Entry
    body: bytes = field(repr=False)
    sealed: bytes = field(repr=False)


Found = Mapping[tuple[int, int], Gift | None]


@dataclass(frozen=True, slots=True)
class ChainFacts:
    """Gifts of a slice at the latest blocks, and the times of these blocks by chain (absent: not readable). `final`:
    the finalized gifts of the ids whose latest gift is claimed or another (absent: not confirmed by two endpoints)."""

    latest: Found
    final: Found
    heads: Mapping[int, int]


class GiftMail:
    """When a gift opens is judged by its chain's latest block."""

    def __init__(
        self,
        engine: AsyncEngine,
        vault: Vault,
        quotas: Quotas,
        chains: Mapping[int, Chain],
        gifts: Gifts,
        mail: MailClient,
        settings: Settings,
    ) -> None:
        if settings.mail is None or settings.gifts is None:
            raise NotConfigured("no mail service is configured, or no gift is served")
        self._engine = engine
        self._vault = vault
        self._quotas = quotas
        self._chains = chains
        self._gifts = gifts
        self._mail = mail
        self._settings = settings
        # Half of the cap that is shared with reminders, so that a flood of gifts keeps no reminder from its address.
        self._most_a_day = max(1, settings.mail.daily_cap_per_address // 2)
        self._apart = counted_apart(settings.chains)
        self._at_once = min(AT_ONCE, mail.concurrency)
        self._retry_window = settings.gifts.retry_window_seconds
        self._rules = LinkRules.of(settings.gifts.origins, settings.gifts.prefix)

    async def look(self) -> bool:
        """Whether an email is due, undecided or a row to be deleted. Of a chain only its latest block is asked."""
        times = await self._times(GiftMailReport())
        async with self._engine.connect() as connection:
            return bool(await connection.scalar(sql["has_work"], times))

    async def run(self, budget_seconds: float = BUDGET_SECONDS) -> GiftMailReport:
        """Raises what the database raises; a chain or a mail service that fails is only waited for."""
        report = GiftMailReport()
        async with self._engine.begin() as connection:
            await connection.execute(sql["expire_leases"])
        times = await self._times(report)
        ends = time.monotonic() + budget_seconds  # of sending: a silent chain does not use it up
        outage = Outage()
        for claim, handle in ((sql["claim_unknown"], self._decide), (sql["claim"], self._send)):
            while not outage.begun:
                if time.monotonic() >= ends:
                    report.more = True
                    break
                token = uuid4()
                entries = await self._claim(claim, token, times)
                if not entries:
                    break
                await handle(entries, token, report, outage)
        report.outage = outage.begun
        report.deleted = await through_deadlocks(lambda: self._delete(times))  # an erasure locks the other way round
        return report

    async def _delete(self, times: Mapping[str, Any]) -> int:
        async with self._engine.begin() as connection:
            done = (await connection.execute(sql["delete_done"], times)).all()
            late = (await connection.execute(sql["delete_late"], times)).all()
        for row in late:
            log.warning("gift_email_too_late", chain_id=row.chain_id, timelock_id=row.timelock_id)
        return len(done) + len(late)

    async def _times(self, report: GiftMailReport) -> dict[str, Any]:
        """When gifts open is judged by each chain's latest block; a chain that cannot be read is left out."""
        async with self._engine.connect() as connection:
            chains = (await connection.scalars(sql["chains"])).all()
        asked = sorted(set(chains) & set(self._chains))
        found = await together(*(self._readable(id, self._gifts.head_time(id), report) for id in asked))
        heads = [{"chain_id": id, "time": head} for id, head in zip(asked, found, strict=True) if head is not None]
        return {"heads": json_text(heads), "retry_window": self._retry_window}

    async def _claim(self, statement: Any, token: UUID, times: Mapping[str, Any]) -> Sequence[Entry]:
        async with self._engine.begin() as connection:
            values = {**times, "token": token, "lease": LEASE_SECONDS, "limit": SLICE}
            return (await connection.execute(statement, values)).all()

    async def _decide(self, entries: Sequence[Entry], token: UUID, report: GiftMailReport, outage: Outage) -> None:
        """Ask what became of each; what never arrived and is still true is posted again, unchanged, with its key."""
        settled, again = await become.ask(self._mail, entries, outage, _never_arrived)
        for each in settled:
            if await self._settle(each, token, report) and each.refund:
                await self._give_back(each.entry, each.entry.posted_at)
        await self._send(again, token, report, outage)

    async def _send(self, entries: Sequence[Entry], token: UUID, report: GiftMailReport, outage: Outage) -> None:
        facts = await self._read(entries, report)

        async def one(entry: Entry) -> None:
            taken_at = entry.posted_at if entry.undecided else self._quotas.now()
            ready = outage.spared(entry) if outage.begun else await self._resolved(entry, facts)
            settled = await self._post(ready, token, outage) if isinstance(ready, Ready) else ready
            ours = await self._settle(settled, token, report)
            # Nothing reached the address: its place of the day is given back, unless another dispatcher holds the entry
            # by now and may post it on that place. What was never stored nobody posts: whoever claims such an entry
            # takes a place of its own.
            unused = settled.refund and (ours or settled.reason == NOT_STORED)
            if unused and (entry.undecided or isinstance(ready, Ready)):
                await self._give_back(entry, taken_at)

        await each_of(entries, self._at_once, one)

    async def _resolved(self, entry: Entry, facts: ChainFacts) -> Ready | Settlement[Entry]:
        """What to post, made anew from the gift as the chain has it now, the stored address and the words. An undecided
        entry is only checked for being still true, and posted as it was stored."""
        irrelevant = self._irrelevant(entry, facts)
        if irrelevant is not None:
            return irrelevant
        if entry.suppressed and not entry.undecided:
            return become.suppressed(entry)
        try:
            key = self._vault.record(entry.salt, entry.key_id)
            if entry.undecided:
                return Ready(entry, key.open(entry.body, body_context(entry.id)), entry.body)
            opened = key.open(entry.payload, payload_context(entry.chain_id, entry.timelock_id))
        except DecryptionFailed:
            log.error("gift_not_decryptable", chain_id=entry.chain_id, timelock_id=entry.timelock_id)
            return become.later(entry, LONG_SECONDS, "not_decryptable")
        letterhead = msgspec.json.decode(opened, type=Letterhead)
        chain = self._chains[entry.chain_id].settings
        if not may_mail(letterhead.email, chain, self._settings):
            return become.dropped(entry, "test_chain")
        tomorrow = DAY - self._quotas.now() % DAY  # before it is asked: at midnight it would be the day after
        if not await self._quotas.take_many(None, "email_day", {self._counted_as(entry): 1}, self._most_a_day, DAY):
            return become.later(entry, tomorrow, "daily_cap")
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
            as_served_now(letterhead.link, self._rules),
            about,
        )
        return Ready(entry, body, key.seal(body, body_context(entry.id)))

    async def _give_back(self, entry: Entry, taken_at: float) -> None:
        await self._quotas.give_back("email_day", self._counted_as(entry), DAY, taken_at)

    def _counted_as(self, entry: Entry) -> str:
        return become.counted_as(entry.email_hash, apart=entry.chain_id in self._apart)

    def _irrelevant(self, entry: Entry, facts: ChainFacts) -> Settlement[Entry] | None:
        """None when the email is to be sent now."""
        if entry.salt is None:
            return become.dropped(entry, "erased")
        if entry.chain_id not in self._chains:  # it was served once, and may be again
            return become.later(entry, LONG_SECONDS, "chain_not_configured")
        if entry.chain_id not in facts.heads:
            return become.later(entry, UNREADABLE_SECONDS, "chain_not_readable")
        at, head = (entry.chain_id, entry.timelock_id), facts.heads[entry.chain_id]
        gone = _why_gone(entry, facts.latest[at])
        if gone is not None:
            is_final = at in facts.final and _why_gone(entry, facts.final[at]) == gone
            if gone == IS_ANOTHER:
                log.error("gift_is_another", chain_id=entry.chain_id, timelock_id=entry.timelock_id)
                # Else the node is behind, and does not know it yet.
                is_final = is_final and entry.long_known and head >= entry.written
            return become.dropped(entry, gone) if is_final else become.later(entry, LONG_SECONDS, gone)
        if not entry.wanted:
            return become.dropped(entry, "not_wanted")
        if entry.kind == GiftKind.GIFT_WAITING:
            return become.dropped(entry, "open_already") if head >= entry.unlock_time else None
        return become.later(entry, UNREADABLE_SECONDS, "not_open_yet") if head < entry.unlock_time else None

    async def _post(self, ready: Ready, token: UUID, outage: Outage) -> Settlement[Entry]:
        entry = ready.entry
        async with self._engine.begin() as connection:
            values = {"id": entry.id, "token": token, "body": ready.sealed, "salt": entry.salt}
            await connection.execute(sql["lock"], values)
            kept = (await connection.execute(sql["confirm"] if entry.undecided else sql["store"], values)).first()
        if kept is None:  # replaced or erased since the claim: a fresh look tells
            return become.later(entry, 0.0, NOT_STORED)
        outcome = await self._mail.send(entry.id, ready.body)
        outage.hear(outcome)
        if isinstance(outcome, SuppressedAddress):
            async with self._engine.begin() as connection:
                await connection.execute(sql["suppress"], {"email_hash": entry.email_hash})
        return become.answered(entry, outcome)

    async def _read(self, entries: Sequence[Entry], report: GiftMailReport) -> ChainFacts:
        latest: dict[tuple[int, int], Gift | None] = {}
        final: dict[tuple[int, int], Gift | None] = {}
        heads: dict[int, int] = {}

        async def read(chain_id: int) -> None:
            some = [entry for entry in entries if entry.chain_id == chain_id]
            known = await self._readable(chain_id, self._known(chain_id, some), report)
            if known is None:
                return
            gifts, heads[chain_id] = known
            latest.update({(chain_id, entry.timelock_id): gifts.get(entry.timelock_id) for entry in some})
            rows = [each for each in some if each.salt is not None]
            gone = {each.timelock_id for each in rows if _why_gone(each, gifts.get(each.timelock_id)) is not None}
            confirmed = await self._readable(chain_id, self._gifts.final(chain_id, gone), report) if gone else {}
            if confirmed is not None:
                final.update({(chain_id, id): confirmed.get(id) for id in gone})

        await together(*(read(id) for id in {entry.chain_id for entry in entries} & set(self._chains)))
        return ChainFacts(latest, final, heads)

    async def _known(self, chain_id: int, entries: Sequence[Entry]) -> tuple[dict[int, Gift], int]:
        """As `Gifts.read`. Raises `GiftsAreOthers`, too."""
        gifts, head = await self._gifts.read(chain_id, {entry.timelock_id for entry in entries})
        rows = [entry for entry in entries if entry.salt is not None]
        if rows and not _one_is_there(gifts, rows):
            async with self._engine.connect() as connection:
                others = (await connection.execute(sql["registered"], {"chain_id": chain_id})).all()
            theirs, _ = await self._gifts.read(chain_id, {row.timelock_id for row in others})
            if len({row.owner for row in others}) > 1 and not _one_is_there(theirs, others):
                raise GiftsAreOthers("no gift is what was registered")
        return gifts, head

    async def _readable(self, chain_id: int, reading: Awaitable[T], report: GiftMailReport) -> T | None:
        """None for a chain that cannot be read now. All are asked at once: it keeps no other waiting."""
        try:
            return await reading
        except ServiceError as error:  # also `Misconfigured`, when a node denies a contract
            log.warning("gifts_not_readable", chain_id=chain_id, error=type(error).__name__)
            report.unreadable_chains.append(chain_id)
            return None

    async def _settle(self, settled: Settlement[Entry], token: UUID, report: GiftMailReport) -> bool:
        """Whether the outcome was recorded: an acceptance always is, any other only while the lease is ours."""
        async with self._engine.begin() as connection:
            counts = await connection.scalar(sql["settle"], {**settled.columns(), "token": token})
        report.count(settled)
        return bool(counts)


def _why_gone(entry: Entry, gift: Gift | None) -> str | None:
    """Return why the gift as registered is there no more, as a code; None: it is there."""
    if gift is not None and gift.is_ended and gift.recipient == entry.recipient:
        return CLAIMED
    # A reorganisation may have given the id to somebody else's gift.
    if gift is None or (gift.owner, gift.recipient, gift.unlock_time) != (
        entry.owner,
        entry.recipient,
        entry.unlock_time,
    ):
        return IS_ANOTHER
    return None


def _one_is_there(gifts: Mapping[int, Gift], rows: Sequence[Entry]) -> bool:
    return any((gift := gifts.get(row.timelock_id)) is not None and gift.recipient == row.recipient for row in rows)


def _never_arrived(entry: Entry) -> Settlement[Entry] | None:
    """None when it may be posted again as it is. Where its body is gone, whoever is registered now gets a new one."""
    if entry.body is not None and entry.salt is not None:
        return None
    return become.afresh(entry) if entry.wanted else become.dropped(entry, "body_gone")


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
