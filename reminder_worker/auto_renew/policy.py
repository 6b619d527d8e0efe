"""Whether a legacy's inactivity timer may be renewed for its owner. Plain functions over frozen values, no I/O.

What is attested is activity: the owner's transaction count at a finalized block has grown beyond what it was when the
timer's last reset was first seen as final. The reset itself may have been a transaction of the owner's, and nobody
knows what came before it, so all of that is in the baseline and never counts: an owner who does nothing after a reset
gains no period by it, whenever we look.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from reminder_worker.chain.renewals import WINDOW_SECONDS, TransactionCounts

NO_RESET: Final = -1
"""The `reset_at` of a baseline that belongs to no reset yet."""


class RenewalDecision(StrEnum):
    """`WAIT` changes by itself; `HELD` wants somebody to look; `REFUSED` by a bound of the contract or an old build."""

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
    """`reason` is a `RenewalReason`, or a code of what stood in the way of sending."""

    decision: RenewalDecision
    reason: str


@dataclass(frozen=True, slots=True)
class StoredBaseline:
    """What is kept of a legacy: the owner's `baseline` count, and the reset (unix seconds) that it is of."""

    reset_at: int
    baseline: int


@dataclass(frozen=True, slots=True)
class FinalActivity:
    """At one finalized block: the timer's last reset (unix seconds) and the owner's transactions up to then."""

    reset_at: int
    count: TransactionCounts


@dataclass(frozen=True, slots=True)
class LegacyState:
    """At one block that is not before the finalized one, at unix time `now`; t1 when line 1 may activate."""

    now: int
    reset_at: int
    is_live: bool
    is_premium: bool
    is_old_build: bool
    enabled: bool
    last_nonce_seen: int
    t1: int
    budget_end: int


def remember(known: StoredBaseline | None, seen: FinalActivity) -> StoredBaseline:
    """The baseline of a reset is taken once, when it is first seen, and from then on kept.

    It is of the highest count said: one that is too low would let what came before the reset pass as new. While
    endpoints disagree about one block, somebody is wrong and no baseline is settled.
    """
    if known is not None and known.reset_at == seen.reset_at:
        return known
    settled = seen.count.lowest == seen.count.highest
    return StoredBaseline(seen.reset_at if settled else NO_RESET, seen.count.highest)


def decide(memory: StoredBaseline, seen: FinalActivity, standing: LegacyState, largest_jump: int) -> RenewalVerdict:
    """`memory` as `remember` gives it for `seen`. The lowest count said is what would be attested."""
    bound = bound_of(standing)
    if bound is not None:
        return RenewalVerdict(RenewalDecision.REFUSED, bound)
    if memory.reset_at != seen.reset_at:
        return RenewalVerdict(RenewalDecision.HELD, RenewalReason.COUNTS_DISAGREE)
    if standing.reset_at != seen.reset_at:
        return RenewalVerdict(RenewalDecision.WAIT, RenewalReason.RESET_NOT_FINAL)
    if standing.now < standing.t1 - _near(standing):
        return RenewalVerdict(RenewalDecision.WAIT, RenewalReason.TOO_EARLY)
    if seen.count.lowest <= max(memory.baseline, standing.last_nonce_seen):
        return RenewalVerdict(RenewalDecision.WAIT, RenewalReason.NO_NEW_ACTIVITY)
    if seen.count.lowest - standing.last_nonce_seen > largest_jump:
        return RenewalVerdict(RenewalDecision.HELD, RenewalReason.JUMP_TOO_LARGE)
    return RenewalVerdict(RenewalDecision.RENEW, RenewalReason.ACTIVE)


def _near(standing: LegacyState) -> int:
    """How many seconds before t1 a timer may be renewed: within the contract's window, and in the timer's second half.
    A short timer is always within the window: each transaction of its owner would cost us a renewal."""
    return min(WINDOW_SECONDS, (standing.t1 - standing.reset_at) // 2)


def bound_of(standing: LegacyState) -> RenewalReason | None:
    """What the contract would refuse, whatever the owner did."""
    if standing.is_old_build:
        return RenewalReason.OLD_BUILD
    if not standing.is_live:
        return RenewalReason.NOT_LIVE
    if not standing.enabled:
        return RenewalReason.OFF_ON_CHAIN
    if not standing.is_premium:
        return RenewalReason.NOT_PREMIUM
    if standing.now >= standing.t1:
        return RenewalReason.TOO_LATE
    return RenewalReason.BUDGET_EXHAUSTED if standing.now > standing.budget_end else None
