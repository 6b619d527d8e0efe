"""Policy: may a legacy's inactivity timer be renewed for its owner? Plain functions over frozen values, no I/O.

Attested is activity: the owner's transaction count at a finalized block has grown beyond the baseline, the count when
the timer's last reset was first seen as final. The reset itself, and any transaction before it, is in the baseline and
never counts. So an owner without activity after a reset gains no period by it, whenever the pass runs.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from reminder_worker.chain.renewals import DAY_SECONDS, WINDOW_SECONDS, TransactionCounts

NO_RESET: Final = -1
"""The `reset_at` of a baseline without a reset."""


class RenewalDecision(StrEnum):
    """`WAIT` changes by itself; `HELD` needs an operator; `REFUSED` by a bound of the contract or an old build."""

    RENEW = "renew"
    WAIT = "wait"
    HELD = "held"
    REFUSED = "refused"


class RenewalReason(StrEnum):
    ACTIVE = "active"
    TOO_EARLY = "too_early"
    NO_NEW_ACTIVITY = "no_new_activity"
    RESET_NOT_FINAL = "reset_not_final"
    COUNTS_DISAGREE = "counts_disagree"
    JUMP_TOO_LARGE = "jump_too_large"
    OFF_ON_CHAIN = "off_on_chain"
    OLD_BUILD = "old_build"
    NOT_LIVE = "not_live"
    NOT_PREMIUM = "not_premium"
    TOO_LATE = "too_late"
    BUDGET_EXHAUSTED = "budget_exhausted"


@dataclass(frozen=True, slots=True)
class RenewalVerdict:
    """`reason` is a `RenewalReason`, or a code of an obstacle to sending."""

    decision: RenewalDecision
    reason: str


@dataclass(frozen=True, slots=True)
class StoredBaseline:
    """Baseline of a legacy: the owner's `baseline` count at the reset `reset_at` (unix seconds)."""

    reset_at: int
    baseline: int


@dataclass(frozen=True, slots=True)
class FinalActivity:
    """At one finalized block: the timer's last reset (unix seconds) and the owner's transactions up to then."""

    reset_at: int
    count: TransactionCounts


@dataclass(frozen=True, slots=True)
class LegacyState:
    """Facts at the latest block, at unix time `now`; t1 when line 1 may activate."""

    now: int
    reset_at: int
    is_live: bool
    is_premium: bool
    is_old_build: bool
    enabled: bool
    last_nonce_seen: int
    t1: int
    budget_end: int


def update_baseline(known: StoredBaseline | None, seen: FinalActivity) -> StoredBaseline:
    """Return the baseline of the last reset: taken once, when the reset is first seen, and then kept.

    Use the highest count: a lower one would count transactions before the reset as new activity. While endpoints
    disagree about one block, the baseline belongs to no reset.
    """
    if known is not None and known.reset_at == seen.reset_at:
        return known
    settled = seen.count.lowest == seen.count.highest
    return StoredBaseline(seen.reset_at if settled else NO_RESET, seen.count.highest)


def decide_renewal(
    baseline: StoredBaseline, seen: FinalActivity, state: LegacyState, largest_jump: int
) -> RenewalVerdict:
    """Decide by the result of `update_baseline`. Attested would be the lowest count of the endpoints."""
    bound = find_bound(state)
    if bound is not None:
        return RenewalVerdict(RenewalDecision.REFUSED, bound)
    if baseline.reset_at != seen.reset_at:
        return RenewalVerdict(RenewalDecision.HELD, RenewalReason.COUNTS_DISAGREE)
    if state.reset_at != seen.reset_at:
        return RenewalVerdict(RenewalDecision.WAIT, RenewalReason.RESET_NOT_FINAL)
    if state.now < state.t1 - _near_seconds(state):
        return RenewalVerdict(RenewalDecision.WAIT, RenewalReason.TOO_EARLY)
    if seen.count.lowest <= max(baseline.baseline, state.last_nonce_seen):
        return RenewalVerdict(RenewalDecision.WAIT, RenewalReason.NO_NEW_ACTIVITY)
    if seen.count.lowest - state.last_nonce_seen > largest_jump:
        return RenewalVerdict(RenewalDecision.HELD, RenewalReason.JUMP_TOO_LARGE)
    return RenewalVerdict(RenewalDecision.RENEW, RenewalReason.ACTIVE)


def _near_seconds(state: LegacyState) -> int:
    """Return how many seconds before t1 a timer may be renewed: in the contract's window and the timer's second half.

    A short timer is always within the window: every transaction of the owner would cost us a renewal.
    """
    return min(WINDOW_SECONDS, (state.t1 - state.reset_at) // 2)


def find_look_seconds(verdict: RenewalVerdict, t1: int, now: int) -> int:
    """Return after how many seconds an owner is read again: a day, or an hour within 31 days before t1.

    The window opens 30 days before t1. An owner whose timer cannot be judged yet is read after an hour, too. The hour
    lacks 100 seconds, since the poll that finds an owner due may be five minutes late.
    """
    is_near = now < t1 <= now + WINDOW_SECONDS + DAY_SECONDS
    is_judged = verdict.decision is RenewalDecision.REFUSED or verdict.reason == RenewalReason.TOO_EARLY
    return DAY_SECONDS if is_judged and not is_near else 3500


def find_bound(state: LegacyState) -> RenewalReason | None:
    """Return the reason for which the contract would refuse a renewal, whatever the owner did."""
    if state.is_old_build:
        return RenewalReason.OLD_BUILD
    if not state.is_live:
        return RenewalReason.NOT_LIVE
    if not state.enabled:
        return RenewalReason.OFF_ON_CHAIN
    if not state.is_premium:
        return RenewalReason.NOT_PREMIUM
    if state.now >= state.t1:
        return RenewalReason.TOO_LATE
    return RenewalReason.BUDGET_EXHAUSTED if state.now > state.budget_end else None
