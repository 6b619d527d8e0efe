"""Policy of renewals: each bound, and no period for an owner without activity."""

from dataclasses import dataclass, replace

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from reminder_worker.auto_renew.job import RELAY_SECONDS
from reminder_worker.auto_renew.policy import (
    NO_RESET,
    FinalActivity,
    LegacyState,
    RenewalDecision,
    RenewalReason,
    RenewalVerdict,
    StoredBaseline,
    decide_renewal,
    find_look_seconds,
    update_baseline,
)
from reminder_worker.chain.renewals import BUDGET_SECONDS, DAY_SECONDS, WINDOW_SECONDS, TransactionCounts, budget_step

NOW = 1_900_000_000
RESET = NOW - 80 * DAY_SECONDS
JUMP = 100
GOOD = LegacyState(
    now=NOW,
    reset_at=RESET,
    is_live=True,
    is_premium=True,
    is_old_build=False,
    enabled=True,
    last_nonce_seen=3,
    t1=NOW + 20 * DAY_SECONDS,
    budget_end=NOW + 100 * DAY_SECONDS,
)


def seen(count: int, highest: int | None = None, reset_at: int = RESET) -> FinalActivity:
    return FinalActivity(reset_at, TransactionCounts(count, count if highest is None else highest))


def verdict(standing: LegacyState, count: int = 6, baseline: int = 5) -> tuple[RenewalDecision, str]:
    found = decide_renewal(StoredBaseline(RESET, baseline), seen(count), standing, JUMP)
    return found.decision, found.reason


def test_renewal_that_the_contract_would_refuse_is_refused() -> None:
    for change, reason in (
        ({"is_old_build": True}, RenewalReason.OLD_BUILD),
        ({"is_live": False}, RenewalReason.NOT_LIVE),
        ({"enabled": False}, RenewalReason.OFF_ON_CHAIN),
        ({"is_premium": False}, RenewalReason.NOT_PREMIUM),
        ({"t1": NOW}, RenewalReason.TOO_LATE),
        ({"budget_end": NOW - 1}, RenewalReason.BUDGET_EXHAUSTED),
    ):
        assert verdict(replace(GOOD, **change)) == (RenewalDecision.REFUSED, reason)


@pytest.mark.parametrize(
    ("decision", "reason", "days_left", "hours"),
    [
        (RenewalDecision.WAIT, RenewalReason.TOO_EARLY, 31.1, 24),
        (RenewalDecision.WAIT, RenewalReason.TOO_EARLY, 30.9, 1),
        (RenewalDecision.WAIT, RenewalReason.RESET_NOT_FINAL, 300, 1),
        (RenewalDecision.HELD, RenewalReason.COUNTS_DISAGREE, 300, 1),
        (RenewalDecision.HELD, "not_readable", -1e4, 1),
        (RenewalDecision.REFUSED, RenewalReason.NOT_PREMIUM, 300, 24),
        (RenewalDecision.REFUSED, RenewalReason.NOT_PREMIUM, 5, 1),
        (RenewalDecision.REFUSED, RenewalReason.TOO_LATE, 0, 24),
    ],
)
def test_owner_whose_timer_can_be_renewed_soon_is_read_hourly_and_others_daily(
    decision: RenewalDecision, reason: str, days_left: float, hours: int
) -> None:
    seconds = find_look_seconds(RenewalVerdict(decision, reason), NOW + int(days_left * DAY_SECONDS), NOW)
    assert round(seconds / 3600) == hours


def test_each_bound_is_exact() -> None:
    """To the second, as the contract has it. An owner who was active since the reset is renewed."""
    assert verdict(GOOD) == (RenewalDecision.RENEW, RenewalReason.ACTIVE)
    for facts in (replace(GOOD, t1=NOW + 1), replace(GOOD, budget_end=NOW), replace(GOOD, t1=NOW + WINDOW_SECONDS)):
        assert verdict(facts)[0] is RenewalDecision.RENEW, facts
    assert verdict(replace(GOOD, t1=NOW + WINDOW_SECONDS + 1)) == (RenewalDecision.WAIT, RenewalReason.TOO_EARLY)
    assert verdict(replace(GOOD, reset_at=NOW)) == (RenewalDecision.WAIT, RenewalReason.RESET_NOT_FINAL)


@pytest.mark.parametrize("days", [1, 7, 30, 59])
def test_a_short_timer_is_renewed_in_its_second_half_only(days: int) -> None:
    """The contract's window is always open: each transaction of the owner would cost us a renewal."""
    half = days * DAY_SECONDS // 2
    short = replace(GOOD, t1=RESET + 2 * half)
    assert verdict(replace(short, now=RESET + half - 1)) == (RenewalDecision.WAIT, RenewalReason.TOO_EARLY)
    assert verdict(replace(short, now=RESET + half))[0] is RenewalDecision.RENEW
    assert verdict(replace(short, now=RESET + 2 * half - 1))[0] is RenewalDecision.RENEW


def test_activity_is_above_the_baseline_and_above_what_was_attested() -> None:
    assert verdict(GOOD, count=5, baseline=5) == (RenewalDecision.WAIT, RenewalReason.NO_NEW_ACTIVITY)
    assert verdict(replace(GOOD, last_nonce_seen=6), count=6) == (RenewalDecision.WAIT, RenewalReason.NO_NEW_ACTIVITY)
    assert verdict(replace(GOOD, last_nonce_seen=6), count=7)[0] is RenewalDecision.RENEW


def test_a_jump_since_the_last_attested_is_held() -> None:
    assert verdict(GOOD, count=3 + JUMP)[0] is RenewalDecision.RENEW
    assert verdict(GOOD, count=4 + JUMP) == (RenewalDecision.HELD, RenewalReason.JUMP_TOO_LARGE)


def test_baseline_of_a_reset_is_stored_once_from_the_first_count() -> None:
    first = update_baseline(None, seen(5))
    assert first == StoredBaseline(RESET, 5)
    assert update_baseline(first, seen(9)) == first
    assert update_baseline(first, seen(9, reset_at=NOW)) == StoredBaseline(NOW, 9)


def test_no_baseline_is_settled_on_numbers_that_disagree() -> None:
    unsettled = update_baseline(None, seen(4, highest=5))
    assert unsettled == StoredBaseline(NO_RESET, 5)
    assert decide_renewal(unsettled, seen(4, highest=5), GOOD, JUMP).reason == RenewalReason.COUNTS_DISAGREE
    assert update_baseline(unsettled, seen(5)) == StoredBaseline(RESET, 5)


@pytest.mark.parametrize(("days_left", "step"), [(31, None), (30, 30), (8, 30), (7, 7), (1, 7), (0, 7), (-1, None)])
def test_only_the_nearest_reminder_of_the_budgets_end_is_due(days_left: int, step: int | None) -> None:
    assert budget_step(NOW, NOW - days_left * DAY_SECONDS) == step


@dataclass(frozen=True)
class MinedBlock:
    """`count`: the owner's transactions up to this block. `activity`: one of them is no reset."""

    time: int
    count: int
    reset: bool = False
    activity: bool = False


class DeadOwners(RuleBasedStateMachine):
    """A chain, a worker that runs at any time, an honest endpoint and a faulty one.

    The promise: what is attested always has a transaction of the owner's behind it that is later than the last reset
    and is not the reset itself. So an owner who does nothing after a reset gains nothing, ever.
    """

    def __init__(self) -> None:
        super().__init__()
        self.blocks = [MinedBlock(NOW, 7, reset=True)]
        self.anchor, self.attested = NOW, 0
        self.period = 20 * DAY_SECONDS
        self.memory: StoredBaseline | None = None
        self.pending: tuple[int, int] | None = None

    def last_reset(self, blocks: list[MinedBlock]) -> int:
        return max(place for place, block in enumerate(blocks) if block.reset)

    def mine(self, **changes: object) -> None:
        last = self.blocks[-1]
        self.blocks.append(replace(MinedBlock(last.time + 12, last.count), **changes))  # type: ignore[arg-type]

    @rule()
    def owner_does_something_else(self) -> None:
        self.mine(count=self.blocks[-1].count + 1, activity=True)

    @rule(sponsored=st.booleans())
    def owner_checks_in(self, sponsored: bool) -> None:
        self.mine(count=self.blocks[-1].count + (not sponsored), reset=True)
        self.anchor = self.blocks[-1].time

    @rule(days=st.integers(0, 12))
    def time_passes(self, days: int) -> None:
        self.mine(time=self.blocks[-1].time + 12 + days * DAY_SECONDS)

    @rule()
    def database_is_lost(self) -> None:
        self.memory = None

    @rule(lag=st.integers(0, 2), error=st.sampled_from([0, 0, 0, -1, 1, 5]), mined=st.booleans())
    def worker_looks(self, lag: int, error: int, mined: bool) -> None:
        final = self.blocks[: max(1, len(self.blocks) - lag)]
        honest, reset_at = final[-1].count, self.blocks[self.last_reset(self.blocks)].time
        counted = TransactionCounts(min(honest, honest + error), max(honest, honest + error))
        view = FinalActivity(final[self.last_reset(final)].time, counted)
        self.memory = update_baseline(self.memory, view)
        standing = replace(
            GOOD,
            now=self.blocks[-1].time,
            reset_at=reset_at,
            last_nonce_seen=self.attested,
            t1=reset_at + self.period,
            budget_end=self.anchor + BUDGET_SECONDS,
        )
        if decide_renewal(self.memory, view, standing, 10**6).decision is not RenewalDecision.RENEW:
            return
        since = self.blocks[self.last_reset(self.blocks) + 1 :]
        assert any(block.activity for block in since), "nothing but the reset itself is behind this"
        assert counted.lowest <= self.blocks[-1].count
        self.pending = (counted.lowest, self.blocks[-1].time + RELAY_SECONDS)
        if mined:
            self.renewal_is_mined()

    @rule()
    def renewal_is_mined(self) -> None:
        """The renewal is mined now or after other events, but before its deadline."""
        if self.pending is None:
            return
        (observed, deadline), self.pending = self.pending, None
        now, place = self.blocks[-1].time + 12, self.last_reset(self.blocks)
        reset_at = self.blocks[place].time
        if now > deadline or observed <= self.attested or not reset_at + self.period - WINDOW_SECONDS <= now:
            return
        if now >= reset_at + self.period:
            return
        if not any(block.activity for block in self.blocks[place + 1 :]):
            assert now - reset_at <= RELAY_SECONDS, "a check-in overtook it: hours are gained, not a period"
        self.attested = observed
        self.mine(reset=True)


TestDeadOwners = DeadOwners.TestCase
TestDeadOwners.settings = settings(max_examples=300, stateful_step_count=50, deadline=None)
