"""The auto-renew pass: looks at each opted-in legacy's owner, remembers what it saw, and renews timers by attestation.

Facts of the owner are of one finalized block, those of the legacy of the latest one. `renewal.py` decides; what it
lets through is simulated and then relayed from the attestor's own wallet, once for each reset of the timer.
"""

import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import structlog
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.auto_renew.owners import BlockPair, LegacyReading, OptedIn, read_owners, read_places
from reminder_worker.auto_renew.policy import (
    NO_RESET,
    FinalActivity,
    LegacyState,
    RenewalDecision,
    RenewalReason,
    RenewalVerdict,
    StoredBaseline,
    bound_of,
    decide,
    remember,
)
from reminder_worker.auto_renew.queries import sql
from reminder_worker.chain.client import BlockHeader, Chain, ContractCall, RevertedCall
from reminder_worker.chain.renewals import RenewalReads, budget_step, record_activity
from reminder_worker.errors import ChainUnavailable, LimitReached, Misconfigured, ServiceError, Unavailable
from reminder_worker.relay.admission import RelayAdmission
from reminder_worker.relay.contract_errors import refusal
from reminder_worker.relay.models import OPEN_STATES, RelayAuthorization, RelayLane, RequestState
from reminder_worker.relay.renewals import MOST_ATTEMPTS, renewal_digests
from reminder_worker.settings import AutoRenewSettings

log = structlog.get_logger(__name__)

LEGACIES_AT_ONCE: Final = 500
BUDGET_SECONDS: Final = 90.0  # a run stays under 120 seconds: who was not looked at comes first next time
OLDEST_LOOK_SECONDS: Final = 3500  # a little less than the hour after which a legacy is looked at again
RELAY_SECONDS: Final = 6 * 3600
"""How long a renewal may wait to be mined: what it attests is old by then, and is looked at afresh."""
MOST_REVERTS: Final = 3
NOT_REMINDED: Final = frozenset(
    {
        RenewalReason.OLD_BUILD,
        RenewalReason.NOT_LIVE,
        RenewalReason.OFF_ON_CHAIN,
        RenewalReason.NOT_PREMIUM,
        "not_readable",
    }
)
"""Why an owner does not hear of the end of their budget: nothing would be renewed anyway."""
LATEST: Final = 2**62  # beyond all times that mean anything; fits the column

NOT_READABLE: Final = RenewalVerdict(RenewalDecision.HELD, "not_readable")
COUNT_NOT_KNOWN: Final = RenewalVerdict(RenewalDecision.WAIT, "count_not_known")
NOT_FINAL_YET: Final = RenewalVerdict(RenewalDecision.WAIT, RenewalReason.RESET_NOT_FINAL)
NOT_IN_TIME: Final = RenewalVerdict(RenewalDecision.WAIT, "not_in_time")
NOT_THE_ATTESTOR: Final = RenewalVerdict(RenewalDecision.HELD, "not_the_attestor")
REVERTS: Final = RenewalVerdict(RenewalDecision.HELD, "reverts")
UNDER_WAY: Final = RenewalVerdict(RenewalDecision.WAIT, "under_way")
DONE: Final = RenewalVerdict(RenewalDecision.WAIT, "renewed")
DRY_RUN: Final = RenewalVerdict(RenewalDecision.RENEW, "dry_run")
SENT: Final = RenewalVerdict(RenewalDecision.RENEW, "sent")


@dataclass(slots=True)
class RenewalReport:
    """`verdicts`: how many legacies came to each decision and reason. `sent`: renewals handed to the wallet."""

    legacies: int = 0
    sent: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    finalized: int | None = None
    more: bool = False


@dataclass(frozen=True, slots=True)
class JudgedLegacy:
    """A legacy with its verdict; `observed` is what would be attested."""

    found: LegacyReading
    memory: StoredBaseline
    verdict: RenewalVerdict

    @property
    def observed(self) -> int:
        return self.found.count.lowest if self.found.count else 0

    @property
    def t1(self) -> int:
        return self.found.facts.triggers[0] if self.found.facts else 0

    @property
    def budget_end(self) -> int:
        return self.found.state.budget_end if self.found.state else 0


class AutoRenew:
    """Over all chains. `admission` is the attestor's own wallet; its address has to be the router's attestor."""

    def __init__(
        self, engine: AsyncEngine, chains: Mapping[int, Chain], admission: RelayAdmission, settings: AutoRenewSettings
    ) -> None:
        self._engine = engine
        self._chains = chains
        self._admission = admission
        self._attestor = admission.signer.address
        self._settings = settings

    async def look(self, chain_id: int) -> bool:
        """Whether an opted-in legacy was not looked at for an hour, or in vain. Only the database is read."""
        in_vain = [verdict.reason for verdict in (NOT_THE_ATTESTOR, COUNT_NOT_KNOWN, NOT_IN_TIME)]
        values = {"chain_id": chain_id, "seconds": OLDEST_LOOK_SECONDS, "in_vain": in_vain}
        async with self._engine.connect() as conn:
            return bool(await conn.scalar(sql["something_to_look_at"], values))

    async def run(self, chain_id: int, budget_seconds: float = BUDGET_SECONDS) -> RenewalReport:
        """Look at every opted-in legacy: those not looked at for long first, then nearest deadlines. Raises
        `ChainUnavailable`.

        Nothing is sent when the wallet is not the attestor, or in a dry run; what was seen is kept all the same. Raises
        `Misconfigured` afterwards for such a wallet, and `ChainUnavailable` when too few endpoints count: looking at
        everybody and renewing nobody is no success.
        """
        ends, report = time.monotonic() + budget_seconds, RenewalReport()
        trouble: ServiceError | None = None
        chain = self._chains[chain_id]
        opted_in = await self._opted_in(chain)
        while opted_in:
            if time.monotonic() > ends:
                report.more = True
                break
            some, opted_in = opted_in[:LEGACIES_AT_ONCE], opted_in[LEGACIES_AT_ONCE:]
            trouble = await self._look_at(chain, some, report, ends) or trouble
        if trouble:
            raise trouble
        return report

    async def _look_at(
        self, chain: Chain, some: Sequence[OptedIn], report: RenewalReport, ends: float
    ) -> ServiceError | None:
        """Look at some legacies, keep what was seen and renew what is due. Returns what keeps all of them from being
        renewed, if anything does."""
        places = await read_places(chain)
        found = await read_owners(chain, some, places)
        judged = [self._judge(each, places.head.timestamp) for each in found]
        # Kept before anything is sent: a renewal is a reset itself, and what was seen here is no baseline of that one.
        await self._keep(chain.chain_id, judged, places.head.timestamp)
        due = sorted(
            (each for each in judged if each.verdict.decision is RenewalDecision.RENEW), key=lambda each: each.t1
        )
        sent = await self._renew_all(chain, due, places, report, ends) if due else []
        await self._keep(chain.chain_id, sent, places.head.timestamp)
        report.legacies += len(found)
        report.finalized = places.finalized.number
        final = [*(one for one in judged if one.verdict.decision is not RenewalDecision.RENEW), *sent]
        report.verdicts.update(f"{each.verdict.decision}: {each.verdict.reason}" for each in final)
        return _trouble({each.verdict for each in final})

    # -- deciding -------------------------------------------------------------------------------

    def _judge(self, found: LegacyReading, now: int) -> JudgedLegacy:
        known = found.one.memory or StoredBaseline(NO_RESET, 0)
        if found.facts is None or found.state is None or found.head_reset is None:
            return JudgedLegacy(found, known, NOT_READABLE)
        standing = LegacyState(
            now=now,
            reset_at=found.head_reset,
            is_live=found.facts.is_live,
            is_premium=found.is_premium,
            is_old_build=found.facts.triggers == (0, 0, 0),
            enabled=found.state.enabled,
            last_nonce_seen=found.state.last_nonce_seen,
            t1=found.facts.triggers[0],
            budget_end=found.state.budget_end,
        )
        if found.final_reset is None or found.count is None:
            bound = bound_of(standing)  # it stands whatever the owner's count is
            unknown = COUNT_NOT_KNOWN if found.count is None else NOT_FINAL_YET
            return JudgedLegacy(
                found, known, unknown if bound is None else RenewalVerdict(RenewalDecision.REFUSED, bound)
            )
        seen = FinalActivity(found.final_reset, found.count)
        memory = remember(found.one.memory, seen)
        return JudgedLegacy(found, memory, decide(memory, seen, standing, self._settings.largest_jump))

    # -- renewing -------------------------------------------------------------------------------

    async def _renew_all(
        self, chain: Chain, due: Sequence[JudgedLegacy], places: BlockPair, report: RenewalReport, ends: float
    ) -> list[JudgedLegacy]:
        """Renew timers, the nearest deadline first; returns each with what became of it. One that cannot be renewed
        stops none of the others; those for which the time is up are looked at again soon."""
        if await RenewalReads(chain).attestor(at=places.head.hash) != self._attestor:
            log.error("not_the_activity_attestor", chain_id=chain.chain_id, wallet=self._attestor)
            return [JudgedLegacy(each.found, each.memory, NOT_THE_ATTESTOR) for each in due]
        renewed = []
        for each in due:
            if time.monotonic() > ends:
                report.more = True
                renewed.append(JudgedLegacy(each.found, each.memory, NOT_IN_TIME))
                continue
            try:
                verdict = await self._renew(chain, each, places.head)
            except LimitReached as limit:
                verdict = RenewalVerdict(RenewalDecision.WAIT, limit.code)
            except Unavailable as error:
                verdict = RenewalVerdict(RenewalDecision.WAIT, error.code)
            report.sent += verdict is SENT
            renewed.append(JudgedLegacy(each.found, each.memory, verdict))
        return renewed

    async def _renew(self, chain: Chain, each: JudgedLegacy, head: BlockHeader) -> RenewalVerdict:
        router, one = chain.settings.transfer_eoa_legacy_router, each.found.one
        digests = renewal_digests(chain.chain_id, router, one.legacy_id, each.memory.reset_at)
        before = await self._before(chain.chain_id, digests)
        states = list(before.values())
        if any(state in OPEN_STATES for state in states):
            return UNDER_WAY
        if RequestState.CONFIRMED in states:
            return DONE
        if states.count(RequestState.REVERTED) >= MOST_REVERTS or len(states) == MOST_ATTEMPTS:
            return REVERTS
        data = record_activity(one.legacy_id, each.observed)
        answer = await chain.call(
            ContractCall(router, data), at=head.hash, gas=self._settings.gas, sender=self._attestor
        )
        if isinstance(answer, RevertedCall):
            return RenewalVerdict(RenewalDecision.HELD, refusal(answer.data).code)
        if self._settings.dry_run:
            return DRY_RUN
        await self._admission.admit(
            RelayAuthorization(
                chain_id=chain.chain_id,
                lane=RelayLane.AUTO_RENEW,
                digest=next(digest for digest in digests if digest not in before),
                router=router,
                subject_id=one.legacy_id,
                signer=self._attestor,
                creator=one.owner,
                nonce=each.observed,
                deadline=min(each.t1 - 1, each.budget_end, head.timestamp + RELAY_SECONDS),
                call_data=data,
                gas_limit=self._settings.gas,
            )
        )
        return SENT

    async def _before(self, chain_id: int, digests: Sequence[bytes]) -> dict[bytes, RequestState]:
        """What became of earlier attempts to renew this legacy after this reset."""
        async with self._engine.connect() as conn:
            values = {"chain_id": chain_id, "wallet": self._attestor, "digests": list(digests)}
            rows = await conn.execute(sql["attempts"], values)
            return {bytes(row.digest): RequestState(row.state) for row in rows}

    # -- what is kept ---------------------------------------------------------------------------

    async def _opted_in(self, chain: Chain) -> list[OptedIn]:
        """Also forgets who opted out: a baseline of then says nothing when they are back."""
        values = {"chain_id": chain.chain_id}
        async with self._engine.connect() as conn:
            forgets = await conn.scalar(sql["something_to_forget"], values)
        finalized = await RenewalReads(chain).finalized() if forgets else None
        async with self._engine.begin() as conn:
            if finalized is not None:
                await conn.execute(sql["forget"], {**values, "finalized": finalized.number})
            rows = (await conn.execute(sql["opted_in"], values)).all()
        return [
            OptedIn(
                row.address,
                row.legacy_id,
                row.creator,
                None if row.baseline is None else StoredBaseline(row.reset_at, row.baseline),
            )
            for row in rows
        ]

    async def _keep(self, chain_id: int, judged: Sequence[JudgedLegacy], now: int) -> None:
        if not judged:
            return
        rows = [_row(each, now) for each in sorted(judged, key=lambda each: each.found.one.legacy)]
        columns: dict[str, list[Any]] = {name: [row[name] for row in rows] for name in rows[0]}
        async with self._engine.begin() as conn:
            await conn.execute(sql["keep"], {"chain_id": chain_id, **columns})


def _trouble(verdicts: Collection[RenewalVerdict]) -> ServiceError | None:
    if NOT_THE_ATTESTOR in verdicts:
        return Misconfigured("the router names another attestor than ATTESTOR_KEY's wallet")
    if COUNT_NOT_KNOWN in verdicts:
        return ChainUnavailable("too few endpoints count the owners' transactions")
    return None


def _row(each: JudgedLegacy, now: int) -> dict[str, Any]:
    found = each.found
    budget_end = min(each.budget_end, LATEST)
    reminded = each.verdict.reason not in NOT_REMINDED
    return {
        "legacy": found.one.legacy,
        "legacy_id": found.one.legacy_id,
        "owner": found.one.owner,
        "reset_at": each.memory.reset_at,
        "baseline": each.memory.baseline,
        "nonce_seen": found.count.lowest if found.count else each.memory.baseline,
        "deadline": min(each.t1, LATEST),
        "budget_end": budget_end,
        "budget_step": budget_step(budget_end, now) if reminded else None,
        "decision": each.verdict.decision.value,
        "reason": str(each.verdict.reason),
    }
