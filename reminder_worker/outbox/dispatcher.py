"""The dispatcher of a family of emails: sends what is due, batch by batch, each email at most once.

While one batch is posted, the next one is claimed, rendered and stored, and the results of the last one are recorded.
Several dispatchers may run at once; claims in the database keep them apart. If a dispatcher stops at any point, its
leases expire and say what they prove (`store.py`).
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar
from uuid import UUID

import structlog
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.concurrency import collecting_young_objects_only, run_together
from reminder_worker.outbox import outcomes
from reminder_worker.outbox.daily_quota import DailyQuota
from reminder_worker.outbox.mail_client import MailClient
from reminder_worker.outbox.models import E, EmailClaim, EmailFamily, EmailSettlement, RenderedEmail
from reminder_worker.outbox.outcomes import MailOutage
from reminder_worker.outbox.store import LEASE_SECONDS, OutboxStore

T = TypeVar("T")
log = structlog.get_logger(__name__)

LEASE_MARGIN_SECONDS = 10.0
GRACE_SECONDS = 10.0
"""How long after the end of a run the emails that it has prepared may still be posted."""


@dataclass(slots=True)
class DeliveryReport:
    """Result of a run. `outcomes`: by kind, how many entries came to which state; `more`: the time was up before
    everything due was sent."""

    outcomes: dict[str, Counter[str]] = field(default_factory=dict)
    merged: int = 0
    put_off: int = 0
    slices: int = 0
    outage: bool = False
    more: bool = False

    def count_settlements(self, settlements: Sequence[EmailSettlement[E]]) -> None:
        for settlement in settlements:
            self.outcomes.setdefault(str(settlement.entry.kind), Counter())[settlement.state] += 1


@dataclass(frozen=True, slots=True)
class PreparedBatch(Generic[E]):
    """Emails whose bodies are stored. Nothing is posted after `post_until` (monotonic)."""

    claim: EmailClaim[E]
    ready: Sequence[RenderedEmail[E]]
    post_until: float


class OutboxDispatcher(Generic[E]):
    """`mail` is open. Raises errors of the database; if the mail service fails, the emails wait."""

    def __init__(self, engine: AsyncEngine, family: EmailFamily[E], quota: DailyQuota, mail: MailClient) -> None:
        self.store = OutboxStore(engine, family.ledger, quota)
        self._family = family
        self._mail = mail
        self._places = asyncio.Semaphore(mail.concurrency)  # under way at once, over all batches

    async def run(self, report: DeliveryReport, budget_seconds: float) -> None:
        """Ask about emails in doubt, then send until nothing is due or the time is up."""
        ends = time.monotonic() + budget_seconds
        await self.store.expire_leases()
        with collecting_young_objects_only():
            await self.decide_unknown(report, ends)
            await self._send_due(report, ends)

    async def _send_due(self, report: DeliveryReport, ends: float) -> None:
        prepared: asyncio.Queue[PreparedBatch[E] | None] = asyncio.Queue(maxsize=1)
        posted: asyncio.Queue[tuple[EmailClaim[E], list[EmailSettlement[E]]] | None] = asyncio.Queue(maxsize=1)

        async def prepare_batches() -> None:
            while not report.outage:
                batch = await self.prepare_batch(report, ends)
                if batch is None:
                    break
                await prepared.put(batch)
                if time.monotonic() > ends:
                    report.more = True
                    break

        async def post_batches() -> None:
            async for batch in _take_all(prepared):
                await posted.put((batch.claim, await self.post_batch(batch, report)))
            await prepared.put(None)  # ends the other `post_batches`, too

        async def record_results() -> None:
            async for result in _take_all(posted):
                await self.settle_batch(report, *result)

        async def prepare_all() -> None:
            # One decrypts while another waits for the database.
            await run_together(prepare_batches(), prepare_batches(), prepare_batches())
            await prepared.put(None)

        async def post_all() -> None:
            # The second begins when the last answers of the first arrive.
            await run_together(post_batches(), post_batches())
            await posted.put(None)

        await run_together(prepare_all(), post_all(), record_results())

    async def prepare_batch(self, report: DeliveryReport, ends: float) -> PreparedBatch[E] | None:
        """Claim, render and store; None when nothing is due."""
        post_until = self._find_last_post(ends, requests=1)
        claim = await self.store.claim_due(self._family.batch_size if report.slices else self._family.first_batch_size)
        if claim.idle:
            return None
        report.slices += 1
        report.merged += claim.merged
        report.put_off += claim.put_off
        return await self.render_batch(report, claim, claim.entries, self.store.store_bodies, post_until)

    def _find_last_post(self, ends: float, requests: int) -> float:
        """Return until when (monotonic) emails claimed now may be posted, in a run that ends at `ends`.

        `requests`: so many requests about each email have to end within the lease.
        """
        leased_until = time.monotonic() + LEASE_SECONDS - requests * self._mail.timeout_seconds - LEASE_MARGIN_SECONDS
        return min(leased_until, ends + GRACE_SECONDS)

    async def render_batch(
        self,
        report: DeliveryReport,
        claim: EmailClaim[E],
        entries: Sequence[E],
        keep: Callable[[EmailClaim[E], Mapping[UUID, tuple[bytes, bytes, bytes | None]]], Awaitable[frozenset[UUID]]],
        post_until: float,
    ) -> PreparedBatch[E]:
        """Render entries. `keep` stores the bodies, or confirms stored ones, and returns which may be posted."""
        ready, settled = await self._family.render(entries)
        kept = await keep(claim, {email.entry.id: (email.sealed, email.salt, email.number_hash) for email in ready})
        # The recipient of the others was replaced, re-encrypted or erased since the claim: the next claim finds out.
        to_post = []
        for email in ready:
            if email.entry.id in kept:
                to_post.append(email)
            else:
                settled.append(outcomes.retry_later(email.entry, 0.0, "recipient_changed"))
        await self.settle_batch(report, claim, settled)
        return PreparedBatch(claim, to_post, post_until)

    async def post_batch(self, batch: PreparedBatch[E], report: DeliveryReport) -> list[EmailSettlement[E]]:
        """Post a batch; return one result for each email. Those left out, by an outage or after `post_until`, are
        unsent."""
        async with self._places:
            pass  # the check of recipients must not be old when the first email is posted
        settled: list[EmailSettlement[E]] = []
        suppressed: list[E] = []
        outage = MailOutage()
        checked: asyncio.Queue[RenderedEmail[E] | None] = asyncio.Queue(maxsize=256)

        async def check_recipients() -> None:
            # Batches wait in a queue. A recipient who was erased or replaced meanwhile must get nothing.
            for start in range(0, len(batch.ready), checked.maxsize):
                chunk = batch.ready[start : start + checked.maxsize]
                gone = await self.store.find_not_to_post(batch.claim, [email.entry.id for email in chunk])
                for email in chunk:
                    if email.entry.id in gone:
                        settled.append(outcomes.retry_later(email.entry, 0.0, "recipient_changed"))
                    else:
                        await checked.put(email)
            await checked.put(None)

        async def post_checked() -> None:
            async with self._places:
                async for email in _take_all(checked):
                    if outage.begun or time.monotonic() > batch.post_until:
                        settled.append(outage.defer_email(email.entry))
                        continue
                    outcome = await self._mail.send_email(email.entry.id, email.body)
                    outage.note_answer(outcome)
                    settlement = outcomes.settle_answer(email.entry, outcome)
                    settled.append(settlement)
                    if settlement.state == "suppressed":
                        suppressed.append(email.entry)
                checked.put_nowait(None)  # ends the other workers, too

        workers = min(self._mail.concurrency, len(batch.ready))
        await run_together(check_recipients(), *(post_checked() for _ in range(workers)))
        await self.store.remember_suppressed(suppressed)
        if outage.begun:
            report.outage = True
            spared = sum(each.reason == "mail_unavailable" and not each.tries for each in settled)
            log.warning("mail_service_fails", spared=spared)
        return settled

    async def settle_batch(
        self, report: DeliveryReport, claim: EmailClaim[E], settled: Sequence[EmailSettlement[E]]
    ) -> None:
        await self.store.settle_claim(claim, settled)
        report.count_settlements(settled)

    async def decide_unknown(self, report: DeliveryReport, ends: float) -> None:
        """Ask about emails in doubt. If an email never arrived and is still true, post it again, with its key."""
        while not report.outage:
            if time.monotonic() >= ends:
                report.more = True
                return
            post_until = self._find_last_post(ends, requests=2)
            claim = await self.store.claim_unknown(self._family.batch_size)
            if not claim.entries:
                return
            outage = MailOutage()
            settled, never_sent = await outcomes.ask_about(
                self._mail, claim.entries, outage, self._family.never_arrived
            )
            report.outage = report.outage or outage.begun
            await self.settle_batch(report, claim, settled)
            batch = await self.render_batch(report, claim, never_sent, self.store.confirm_unknown, post_until)
            await self.settle_batch(report, claim, await self.post_batch(batch, report))


async def _take_all(queue: asyncio.Queue[T | None]) -> AsyncIterator[T]:
    """Yield what comes into the queue; None ends it."""
    while True:
        item = await queue.get()
        if item is None:
            return
        yield item
