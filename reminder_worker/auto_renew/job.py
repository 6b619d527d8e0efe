"""Auto-renew: the pass reads each opted-in legacy's owner, stores the baseline, and renews timers by attestation.

An owner is read hourly near the deadline, else once a day. Facts of the owner are of one finalized block, those of the
legacy of the latest one. `policy` decides. A renewal is simulated and then relayed from the attestor's own wallet, once
for each reset of the timer.
"""

import time
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import structlog
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.auto_renew.owners import BlockPair, LegacyReading, OptedIn, read_blocks, read_owners
from reminder_worker.auto_renew.policy import (
    NO_RESET,
    FinalActivity,
    LegacyState,
    RenewalDecision,
    RenewalReason,
    RenewalVerdict,
    StoredBaseline,
    decide_renewal,
    find_bound,
    find_look_seconds,
    update_baseline,
)
from reminder_worker.auto_renew.tables import sql
from reminder_worker.chain.client import Chain
from reminder_worker.chain.renewals import RenewalReads, budget_step, encode_activity
from reminder_worker.chain.types import BlockHeader, ContractCall, RevertedCall
from reminder_worker.errors import ChainUnavailable, LimitReached, Misconfigured, ServiceError, Unavailable
from reminder_worker.relay.admission import RelayAdmission
from reminder_worker.relay.contract_errors import explain_revert
from reminder_worker.relay.models import OPEN_STATES, RelayAuthorization, RelayLane, RequestState
from reminder_worker.relay.onchain_effects import MOST_ATTEMPTS, renewal_digests
from reminder_worker.settings import AutoRenewSettings

log = structlog.get_logger(__name__)

LEGACIES_AT_ONCE: Final = 500
RELAY_SECONDS: Final = 6 * 3600
"""Seconds that a renewal may wait to be mined. The count is old by then and is read again."""

_WAIT, _HELD, _RENEW = RenewalDecision.WAIT, RenewalDecision.HELD, RenewalDecision.RENEW
COUNT_NOT_KNOWN: Final = RenewalVerdict(_WAIT, "count_not_known")
NOT_IN_TIME: Final = RenewalVerdict(_WAIT, "not_in_time")
NOT_THE_ATTESTOR: Final = RenewalVerdict(_HELD, "not_the_attestor")
SENT: Final = RenewalVerdict(_RENEW, "sent")


@dataclass(slots=True)
class RenewalReport:
    """`verdicts`: number of legacies by decision and reason. `sent`: renewals handed to the wallet."""

    legacies: int = 0
    sent: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    finalized: int | None = None
    more: bool = False


@dataclass(frozen=True, slots=True)
class JudgedLegacy:
    """A legacy with its baseline and verdict; `observed` is the count that would be attested."""

    reading: LegacyReading
    baseline: StoredBaseline
    verdict: RenewalVerdict

    @property
    def observed(self) -> int:
        return self.reading.count.lowest if self.reading.count else 0

    @property
    def t1(self) -> int:
        return self.reading.facts.triggers[0] if self.reading.facts else 0

    @property
    def budget_end(self) -> int:
        return self.reading.state.budget_end if self.reading.state else 0


class AutoRenew:
    """Auto-renew on one chain. `admission` is of the attestor's own wallet, which the router must name."""

    def __init__(
        self, engine: AsyncEngine, chain: Chain, admission: RelayAdmission, settings: AutoRenewSettings
    ) -> None:
        self._engine = engine
        self._chain = chain
        self._admission = admission
        self._attestor = admission.signer.address
        self._settings = settings

    async def poll(self) -> bool:
        """Return whether an opted-in legacy is to be read now."""
        head = await self._chain.get_known_head()
        values = {"chain_id": self._chain.chain_id, "now": head.timestamp}
        async with self._engine.connect() as connection:
            return bool(await connection.scalar(sql["something_to_look_at"], values))

    async def run(self, budget_seconds: float = 90.0) -> RenewalReport:
        """Read opted-in legacies that are due: long overdue ones first, then nearest deadlines.

        `budget_seconds`: a run stays under 120 seconds. The legacies left over come first in the next run.

        Nothing is sent if the wallet is not the attestor, or in a dry run; baselines are kept all the same. Raises
        `Misconfigured` afterwards for such a wallet, and `ChainUnavailable` when too few endpoints count transactions:
        a run that could renew no timer is no success. Raises `ChainUnavailable` at once without blocks or answers.
        """
        ends, report = time.monotonic() + budget_seconds, RenewalReport()
        trouble: ServiceError | None = None
        chain = self._chain
        opted_in = await self._read_opted_in(chain)
        while opted_in:
            if time.monotonic() > ends:
                report.more = True
                break
            batch, opted_in = opted_in[:LEGACIES_AT_ONCE], opted_in[LEGACIES_AT_ONCE:]
            trouble = await self._work_on(chain, batch, report, ends) or trouble
        if trouble:
            raise trouble
        return report

    async def _work_on(
        self, chain: Chain, batch: Sequence[OptedIn], report: RenewalReport, ends: float
    ) -> ServiceError | None:
        """Read some legacies, keep their baselines and renew due timers. Return the trouble that stops all renewals."""
        blocks = await read_blocks(chain)
        readings = await read_owners(chain, batch, blocks)
        now = blocks.head.timestamp
        judged = [self._judge_legacy(reading, now) for reading in readings]
        # Kept before anything is sent: a renewal is a reset itself, and these counts are no baseline of that reset.
        await self._keep_baselines(chain.chain_id, judged, now)
        due = sorted((legacy for legacy in judged if legacy.verdict.decision is _RENEW), key=lambda legacy: legacy.t1)
        sent = await self._renew_all(chain, due, blocks, report, ends) if due else []
        await self._keep_baselines(chain.chain_id, sent, now)
        report.legacies += len(readings)
        report.finalized = blocks.finalized.number
        final = [*(legacy for legacy in judged if legacy.verdict.decision is not _RENEW), *sent]
        report.verdicts.update(f"{legacy.verdict.decision}: {legacy.verdict.reason}" for legacy in final)
        return _find_trouble({legacy.verdict for legacy in final})

    def _judge_legacy(self, reading: LegacyReading, now: int) -> JudgedLegacy:
        known = reading.legacy.baseline or StoredBaseline(NO_RESET, 0)
        if reading.facts is None or reading.state is None or reading.head_reset is None:
            return JudgedLegacy(reading, known, RenewalVerdict(_HELD, "not_readable"))
        state = LegacyState(
            now=now,
            reset_at=reading.head_reset,
            is_live=reading.facts.is_live,
            is_premium=reading.is_premium,
            is_old_build=reading.facts.triggers == (0, 0, 0),
            enabled=reading.state.enabled,
            last_nonce_seen=reading.state.last_nonce_seen,
            t1=reading.facts.triggers[0],
            budget_end=reading.state.budget_end,
        )
        if reading.final_reset is None or reading.count is None:
            bound = find_bound(state)  # it holds for any count
            verdict = COUNT_NOT_KNOWN
            if bound is not None:
                verdict = RenewalVerdict(RenewalDecision.REFUSED, bound)
            elif reading.count is not None:
                verdict = RenewalVerdict(_WAIT, RenewalReason.RESET_NOT_FINAL)
            return JudgedLegacy(reading, known, verdict)
        seen = FinalActivity(reading.final_reset, reading.count)
        baseline = update_baseline(reading.legacy.baseline, seen)
        return JudgedLegacy(reading, baseline, decide_renewal(baseline, seen, state, self._settings.largest_jump))

    # -- renewing -------------------------------------------------------------------------------

    async def _renew_all(
        self, chain: Chain, due: Sequence[JudgedLegacy], blocks: BlockPair, report: RenewalReport, ends: float
    ) -> list[JudgedLegacy]:
        """Renew timers, the nearest deadline first, and return each with its new verdict.

        A failed renewal stops no other. Legacies for which the time is up are read again soon.
        """
        if await RenewalReads(chain).read_attestor(at=blocks.head.hash) != self._attestor:
            log.error("not_the_activity_attestor", chain_id=chain.chain_id, wallet=self._attestor)
            return [replace(legacy, verdict=NOT_THE_ATTESTOR) for legacy in due]
        renewed = []
        for legacy in due:
            if time.monotonic() > ends:
                report.more = True
                renewed.append(replace(legacy, verdict=NOT_IN_TIME))
                continue
            try:
                verdict = await self._renew_timer(chain, legacy, blocks.head)
            except (LimitReached, Unavailable) as error:
                verdict = RenewalVerdict(_WAIT, error.code)
            report.sent += verdict is SENT
            renewed.append(replace(legacy, verdict=verdict))
        return renewed

    async def _renew_timer(self, chain: Chain, judged: JudgedLegacy, head: BlockHeader) -> RenewalVerdict:
        router, legacy = chain.settings.transfer_eoa_legacy_router, judged.reading.legacy
        digests = renewal_digests(chain.chain_id, router, legacy.legacy_id, judged.baseline.reset_at)
        earlier = await self._read_attempts(chain.chain_id, digests)
        states = list(earlier.values())
        if any(state in OPEN_STATES for state in states):
            return RenewalVerdict(_WAIT, "under_way")
        if RequestState.CONFIRMED in states:
            return RenewalVerdict(_WAIT, "renewed")
        if states.count(RequestState.REVERTED) >= 3 or len(states) == MOST_ATTEMPTS:
            return RenewalVerdict(_HELD, "reverts")
        data = encode_activity(legacy.legacy_id, judged.observed)
        answer = await chain.call(
            ContractCall(router, data), at=head.hash, gas=self._settings.gas, sender=self._attestor
        )
        if isinstance(answer, RevertedCall):
            return RenewalVerdict(_HELD, explain_revert(answer.data).code)
        if self._settings.dry_run:
            return RenewalVerdict(_RENEW, "dry_run")
        await self._admission.admit_request(
            RelayAuthorization(
                chain_id=chain.chain_id,
                lane=RelayLane.AUTO_RENEW,
                digest=next(digest for digest in digests if digest not in earlier),
                router=router,
                subject_id=legacy.legacy_id,
                signer=self._attestor,
                creator=legacy.owner,
                nonce=judged.observed,
                deadline=min(judged.t1 - 1, judged.budget_end, head.timestamp + RELAY_SECONDS),
                call_data=data,
                gas_limit=self._settings.gas,
            )
        )
        return SENT

    async def _read_attempts(self, chain_id: int, digests: Sequence[bytes]) -> dict[bytes, RequestState]:
        """Return the states of earlier attempts to renew this legacy after this reset."""
        async with self._engine.connect() as connection:
            values = {"chain_id": chain_id, "wallet": self._attestor, "digests": list(digests)}
            rows = await connection.execute(sql["attempts"], values)
            return {bytes(row.digest): RequestState(row.state) for row in rows}

    # -- stored baselines -----------------------------------------------------------------------

    async def _read_opted_in(self, chain: Chain) -> list[OptedIn]:
        """Return opted-in legacies that are due. Forget others: their baselines are worthless if they opt in again."""
        values = {"chain_id": chain.chain_id}
        async with self._engine.connect() as connection:
            forgets = await connection.scalar(sql["something_to_forget"], values)
        finalized = await RenewalReads(chain).read_finalized() if forgets else None
        head = await chain.get_head()
        async with self._engine.begin() as connection:
            if finalized is not None:
                await connection.execute(sql["forget"], {**values, "finalized": finalized.number})
            rows = (await connection.execute(sql["opted_in"], {**values, "now": head.timestamp})).all()
        opted_in = []
        for row in rows:
            baseline = None if row.baseline is None else StoredBaseline(row.reset_at, row.baseline)
            opted_in.append(OptedIn(row.address, row.legacy_id, row.creator, baseline))
        return opted_in

    async def _keep_baselines(self, chain_id: int, judged: Sequence[JudgedLegacy], now: int) -> None:
        if not judged:
            return
        rows = [_to_row(legacy, now) for legacy in sorted(judged, key=lambda legacy: legacy.reading.legacy.address)]
        columns: dict[str, list[Any]] = {name: [row[name] for row in rows] for name in rows[0]}
        async with self._engine.begin() as connection:
            await connection.execute(sql["keep"], {"chain_id": chain_id, **columns})


def _find_trouble(verdicts: Collection[RenewalVerdict]) -> ServiceError | None:
    if NOT_THE_ATTESTOR in verdicts:
        return Misconfigured("the router names another attestor than ATTESTOR_KEY's wallet")
    if COUNT_NOT_KNOWN in verdicts:
        return ChainUnavailable("too few endpoints count the owners' transactions")
    return None


def _to_row(judged: JudgedLegacy, now: int) -> dict[str, Any]:
    reading, legacy = judged.reading, judged.reading.legacy
    latest = 2**62  # beyond all meaningful times; fits the column
    was_in_vain = judged.verdict in (COUNT_NOT_KNOWN, NOT_IN_TIME, NOT_THE_ATTESTOR)
    look_seconds = 0 if was_in_vain else find_look_seconds(judged.verdict, judged.t1, now)
    budget_end = min(judged.budget_end, latest)
    is_reminded = judged.verdict.reason not in (  # otherwise the timer would not be renewed anyway
        RenewalReason.OLD_BUILD,
        RenewalReason.NOT_LIVE,
        RenewalReason.OFF_ON_CHAIN,
        RenewalReason.NOT_PREMIUM,
        "not_readable",
    )
    return {
        "legacy": legacy.address,
        "legacy_id": legacy.legacy_id,
        "owner": legacy.owner,
        "reset_at": judged.baseline.reset_at,
        "baseline": judged.baseline.baseline,
        "nonce_seen": reading.count.lowest if reading.count else judged.baseline.baseline,
        "deadline": min(judged.t1, latest),
        "budget_end": budget_end,
        "budget_step": budget_step(budget_end, now) if is_reminded else None,
        "decision": judged.verdict.decision.value,
        "reason": str(judged.verdict.reason),
        "next_look": now + look_seconds,
    }
