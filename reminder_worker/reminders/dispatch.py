"""The dispatch: plans what is new, then sends what is due, slice by slice, each email at most once.

Claim, resolve and store one slice while the one before is posted and the one before that is recorded. Several
dispatchers may run at once; claims in the database keep them apart. Whatever stops this process at whatever point
leaves leases that expire and say what they prove (`ledger.py`).
"""

import asyncio
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

import structlog
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.concurrency import collecting_young_objects_only, in_time, together
from reminder_worker.errors import NotConfigured, ServiceError
from reminder_worker.indexer.selector import Indexers
from reminder_worker.outbox import outcomes as become
from reminder_worker.outbox.mail_client import MailClient
from reminder_worker.outbox.outcomes import Outage, Settlement
from reminder_worker.privacy.vault import Vault
from reminder_worker.reminders.audience import PLANNED_AGAIN
from reminder_worker.reminders.entries import Claim, Entry
from reminder_worker.reminders.ledger import LEASE_SECONDS, Ledger
from reminder_worker.reminders.planner import FindEndingBudgets, Planner, PlanReport
from reminder_worker.reminders.rendering import Ready, Resolver
from reminder_worker.settings import Settings, counted_apart

log = structlog.get_logger(__name__)

SLICE = 2000
FIRST_SLICE = 200  # small, so that the first email is under way soon
LOOK_AT = 256  # entries whose recipients are looked at once more, shortly before they are posted
BUDGET_SECONDS = 90.0  # of sending; prepared slices are posted for a while after it
OVERTIME_SECONDS = 10.0
LEASE_MARGIN_SECONDS = 10.0
SENT_MEANWHILE_SECONDS = 3600.0
Keep = Callable[[Claim, Mapping[UUID, tuple[bytes, bytes]]], Awaitable[frozenset[UUID]]]
"""Store bodies, or confirm those that are stored: which may be posted."""


@dataclass(slots=True)
class DispatchReport:
    """`outcomes`: by kind, how many entries came to which state. `unreadable_chains`: nothing planned there now."""

    plan: PlanReport = field(default_factory=PlanReport)
    outcomes: dict[str, Counter[str]] = field(default_factory=dict)
    merged: int = 0
    put_off: int = 0
    slices: int = 0
    outage: bool = False
    unreadable_chains: list[int] = field(default_factory=list)
    more: bool = False

    def count(self, settlements: Sequence[Settlement[Entry]]) -> None:
        for each in settlements:
            self.outcomes.setdefault(each.entry.kind.value, Counter())[each.state] += 1


@dataclass(frozen=True, slots=True)
class Slice:
    """Entries whose bodies are stored. Nothing is posted after `post_until` (monotonic): lease or run would be over."""

    claim: Claim
    ready: Sequence[Ready]
    post_until: float


class Dispatch:
    """`mail` is open. Raises what the database raises; a chain or a mail service that fails is only waited for."""

    def __init__(
        self,
        engine: AsyncEngine,
        chains: Mapping[int, Chain],
        indexers: Mapping[int, Indexers],
        vault: Vault,
        mail: MailClient,
        settings: Settings,
        find_ending_budgets: FindEndingBudgets,
    ) -> None:
        if settings.mail is None:
            raise NotConfigured("no mail service is configured")
        self._planners = {
            id: Planner(engine, chain, indexers[id], settings.reminders, find_ending_budgets)
            for id, chain in chains.items()
        }
        self._ledger = Ledger(engine, settings.mail.daily_cap_per_address, counted_apart(settings.chains))
        self._resolver = Resolver(engine, chains, indexers, vault, settings)
        self._mail = mail
        self._places = asyncio.Semaphore(mail.concurrency)  # under way at once, over all slices

    async def look(self) -> bool:
        """Whether anything is to be planned, sent or asked about now."""
        if await self._ledger.has_work():
            return True
        for planner in self._planners.values():
            if await planner.has_work():
                return True
        return False

    async def run(self, budget_seconds: float = BUDGET_SECONDS) -> DispatchReport:
        """Plan, ask about what is undecided, then send until nothing is due or the time is up."""
        report = DispatchReport()
        await together(*(self._plan(chain_id, report) for chain_id in self._planners))
        ends = time.monotonic() + budget_seconds
        await self._ledger.expire_leases()
        with collecting_young_objects_only():
            await self._decide_unknown(report, ends)
            await self._send_due(report, ends)
        return report

    async def _plan(self, chain_id: int, report: DispatchReport) -> None:
        try:
            await in_time(self._planners[chain_id].run(report.plan))
        except ServiceError as error:  # also `Misconfigured`, when a node denies a contract
            log.warning("not_planned", chain_id=chain_id, error=type(error).__name__)
            report.unreadable_chains.append(chain_id)

    # -- what is due ------------------------------------------------------------------------------

    async def _send_due(self, report: DispatchReport, ends: float) -> None:
        prepared: asyncio.Queue[Slice | None] = asyncio.Queue(maxsize=1)
        posted: asyncio.Queue[tuple[Claim, list[Settlement[Entry]]] | None] = asyncio.Queue(maxsize=1)

        async def prepare() -> None:
            while not report.outage and (piece := await self._prepare(report, ends)) is not None:
                await prepared.put(piece)
                if time.monotonic() > ends:
                    report.more = True
                    break

        async def post() -> None:
            while (piece := await prepared.get()) is not None:
                await posted.put((piece.claim, await self._post(piece, report)))
            await prepared.put(None)  # so that the other `post` ends, too

        async def record() -> None:
            while (outcome := await posted.get()) is not None:
                await self._settle(report, *outcome)

        async def prepare_all() -> None:
            # Several at a time: while one waits for the database another decrypts.
            await together(prepare(), prepare(), prepare())
            await prepared.put(None)

        async def post_all() -> None:
            # Two at a time: the second begins as the last answers to the first arrive.
            await together(post(), post())
            await posted.put(None)

        await together(prepare_all(), post_all(), record())

    async def _prepare(self, report: DispatchReport, ends: float) -> Slice | None:
        """Claim, resolve and store; None when nothing is due."""
        leased_until = time.monotonic() + LEASE_SECONDS - self._mail.timeout_seconds - LEASE_MARGIN_SECONDS
        post_until = min(leased_until, ends + OVERTIME_SECONDS)
        claim = await self._ledger.claim(SLICE if report.slices else FIRST_SLICE)
        if claim.idle:
            return None
        report.slices += 1
        report.merged += claim.merged
        report.put_off += claim.put_off
        return await self._made_ready(report, claim, claim.entries, self._ledger.store, post_until)

    async def _made_ready(
        self, report: DispatchReport, claim: Claim, entries: Sequence[Entry], keep: Keep, post_until: float
    ) -> Slice:
        ready, settled = await self._resolver.resolve(entries)
        kept = await keep(claim, {each.entry.id: (each.sealed, each.salt) for each in ready})
        # Where a body was not kept, the recipient was replaced, re-encrypted or erased since the claim: a fresh look
        # tells which.
        settled += [become.later(each.entry, 0.0, "recipient_changed") for each in ready if each.entry.id not in kept]
        await self._settle(report, claim, settled)
        return Slice(claim, [each for each in ready if each.entry.id in kept], post_until)

    async def _post(self, piece: Slice, report: DispatchReport) -> list[Settlement[Entry]]:
        """Post a slice; returns one outcome for each. What was not posted, because of an outage or since the lease
        would end, is proven unsent."""
        async with self._places:
            pass  # wait until something can be posted: else the first look at recipients would be old by then
        settled: list[Settlement[Entry]] = []
        outage = Outage()
        workers = min(self._mail.concurrency, len(piece.ready))
        looked_at: asyncio.Queue[list[Ready] | None] = asyncio.Queue()
        wanted = asyncio.Semaphore()  # one look ahead: recipients are posted to within two chunks after their look
        chunk: deque[Ready] = deque()
        taking = asyncio.Lock()

        async def look() -> None:
            # Slices wait in a queue. So shortly before the post it is looked once more who was erased or replaced
            # meanwhile.
            for start in range(0, len(piece.ready), LOOK_AT):
                await wanted.acquire()
                some = piece.ready[start : start + LOOK_AT]
                gone = await self._ledger.not_to_post(piece.claim, [each.entry.id for each in some])
                lost = (each.entry for each in some if each.entry.id in gone)
                settled.extend(become.later(entry, 0.0, "recipient_changed") for entry in lost)
                await looked_at.put([each for each in some if each.entry.id not in gone])
            await looked_at.put(None)

        async def more() -> bool:
            async with taking:
                while not chunk:
                    some = await looked_at.get()
                    if some is None:
                        looked_at.put_nowait(None)  # so that the other workers end, too
                        return False
                    chunk.extend(some)
                    wanted.release()
            return True

        async def worker() -> None:
            async with self._places:
                while chunk or await more():
                    if not chunk:
                        continue
                    each = chunk.popleft()
                    if outage.begun or time.monotonic() > piece.post_until:
                        settled.append(outage.spared(each.entry))
                        continue
                    outcome = await self._mail.send(each.entry.id, each.body)
                    outage.hear(outcome)
                    settled.append(become.answered(each.entry, outcome))

        await together(look(), *(worker() for _ in range(workers)))
        if outage.begun:
            report.outage = True
            spared = sum(each.reason == "mail_unavailable" and not each.tries for each in settled)
            log.warning("mail_service_fails", spared=spared)
        return settled

    async def _settle(self, report: DispatchReport, claim: Claim, settled: Sequence[Settlement[Entry]]) -> None:
        await self._ledger.settle(claim, settled)
        report.count(settled)

    # -- what is undecided ------------------------------------------------------------------------

    async def _decide_unknown(self, report: DispatchReport, ends: float) -> None:
        """Ask what became of each; what never arrived and is still true is posted again, unchanged, with its key."""
        while not report.outage:
            if time.monotonic() >= ends:
                report.more = True
                return
            post_until = time.monotonic() + LEASE_SECONDS - 2 * self._mail.timeout_seconds - LEASE_MARGIN_SECONDS
            claim = await self._ledger.claim_unknown(SLICE)
            if not claim.entries:
                return
            outage = Outage()
            settled, never_sent = await become.ask(self._mail, claim.entries, outage, _never_arrived)
            report.outage = report.outage or outage.begun
            await self._settle(report, claim, settled)
            again = await self._made_ready(report, claim, never_sent, self._ledger.confirm, post_until)
            await self._settle(report, claim, await self._post(again, report))


def _never_arrived(entry: Entry) -> Settlement[Entry] | None:
    """None when it may be posted again as it is."""
    if entry.sent_meanwhile:
        return become.later(entry, SENT_MEANWHILE_SECONDS)
    if entry.body is None and entry.stored is not None and (entry.reworded or entry.kind in PLANNED_AGAIN):
        return become.afresh(entry)  # its recipient was replaced: what lasts is for a new address, too
    return None
