"""Rules of the watchdog: which conditions are wrong by the facts of this moment. Nothing is read here.

`watchdog.py` reports a condition only after it has been wrong for a while, and ends it only after it has been right for
a while. Conditions that the relay reports of our wallets are not repeated here.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from reminder_worker.declarations import ExpectedPass
from reminder_worker.monitoring.endpoints import ChainSight
from reminder_worker.monitoring.facts import LIMITS, EmailTrouble, PassState, WatchedFacts
from reminder_worker.outbox.alerts import AlertFacts
from reminder_worker.outbox.delivery_reports import ReportReading
from reminder_worker.outbox.messages import AlertKind, format_deadline
from reminder_worker.relay.operator import UnfinishedRequests

ConditionKey = tuple[AlertKind, str, int]
"""Kind, subject and chain id (0: not of one chain) of a condition."""


@dataclass(frozen=True, slots=True)
class WrongCondition:
    """Condition that is wrong now, reported after `hold_seconds`: a shorter trouble is a blip.

    It is not reported while its cause, the condition `because`, is wrong.
    """

    kind: AlertKind
    subject: str
    chain_id: int
    facts: AlertFacts
    hold_seconds: int = 0
    because: ConditionKey | None = None

    @property
    def key(self) -> ConditionKey:
        return (self.kind, self.subject, self.chain_id)


def judge_facts(facts: WatchedFacts, sights: Sequence[ChainSight]) -> dict[ConditionKey, WrongCondition]:
    """Return every condition that is wrong."""
    found = [*_judge_passes(facts, sights), *_judge_emails(facts.trouble), *map(_judge_requests, facts.unfinished)]
    found += _judge_reports(facts.reports)
    for sight in sights:
        found += [*_judge_endpoints(sight), *_judge_readers(sight)]
    return {condition.key: condition for condition in found}


def find_silent(
    expected_passes: Iterable[ExpectedPass], passes: Iterable[PassState]
) -> list[tuple[ExpectedPass, PassState | None]]:
    """Return passes without a success for too long. A look that finds no work is a success."""
    states = {(state.name, state.chain_id): state for state in passes}
    silent = []
    for expected in expected_passes:
        state = states.get((expected.name, expected.chain_id))
        patience = LIMITS.alive_seconds + expected.every_seconds
        age = state.succeeded_age if state else None
        if expected.by_the_clock:
            if state is None:
                continue
            patience += expected.every_seconds
            if age is None and state.error is None:
                age = state.checked_age
        if age is None or age > patience:
            silent.append((expected, state))
    return silent


def _judge_passes(facts: WatchedFacts, sights: Sequence[ChainSight]) -> Iterator[WrongCondition]:
    unreachable = {sight.chain_id: _find_unreachable(sight) for sight in sights}
    for expected, state in find_silent(facts.expected, facts.passes):
        age = state.succeeded_age if state else None
        success: AlertFacts = {"last success": "never"} if age is None else {"last_success_seconds": age}
        error: AlertFacts = {"last error": state.error} if state and state.error else {}
        # After a stop everything is old, and the first runs have three minutes.
        hold = (180 if age is not None else LIMITS.alive_seconds) + expected.every_seconds
        shown: AlertFacts = {
            "pass": expected.name,
            "looked_at_every_seconds": expected.every_seconds,
            **success,
            **error,
        }
        because = unreachable.get(expected.chain_id)
        yield WrongCondition(AlertKind.WORKER_STALLED, expected.name, expected.chain_id, shown, hold, because)


def _find_unreachable(sight: ChainSight) -> ConditionKey | None:
    """Return the condition of a chain without any endpoint that answers: no pass can work there."""
    return None if sight.answering else (AlertKind.RPC_TROUBLE, "none answers", sight.chain_id)


def _judge_endpoints(sight: ChainSight) -> Iterator[WrongCondition]:
    def wrong(subject: str, facts: AlertFacts) -> WrongCondition:
        answer: AlertFacts = {"endpoints that answer": f"{sight.answering} of {sight.endpoints}"}
        return WrongCondition(AlertKind.RPC_TROUBLE, subject, sight.chain_id, {**answer, **facts}, LIMITS.blip_seconds)

    unreachable = _find_unreachable(sight)
    if unreachable:
        yield wrong(unreachable[1], {})
    for name, until in sight.spent.items():  # known at once, and no blip
        used_up = wrong(f"allowance of endpoint {name}", {"used up until": format_deadline(until)})
        yield replace(used_up, hold_seconds=0)
    if sight.answering + len(sight.spent) < sight.endpoints:
        yield replace(wrong("no answer", {}), because=unreachable)
    if sight.highest - sight.lowest > 30:
        yield wrong("an endpoint lags", {"newest block": sight.highest, "the one that lags has": sight.lowest})
    if sight.newest_age is not None and sight.newest_age > 600:
        yield wrong("no new block", {"newest block": sight.highest, "its_age_seconds": sight.newest_age})
    if sight.newest_age is not None and sight.newest_age < -LIMITS.clocks_within:
        ahead: AlertFacts = {"newest block": sight.highest, "ahead_of_our_clock_seconds": -sight.newest_age}
        yield wrong("a block of the future", ahead)
    for tag, age in sight.settled.items():
        if age > LIMITS.settled_within:
            yield wrong(f"no new {tag} block", {"its_age_seconds": age, "newest block": sight.highest})
    if any(lag.behind < -LIMITS.max_lag_blocks for lag in sight.lags):
        above = {f"{lag.name} stands above it by": f"{-lag.behind} blocks" for lag in sight.lags}
        yield wrong("behind what was read", {"newest block": sight.highest, **above})
    if sight.agree is False:
        yield wrong("endpoints disagree", {"about a block below": sight.lowest})


def _judge_readers(sight: ChainSight) -> Iterator[WrongCondition]:
    """Report a lagging reader unless it is nearer now than at all earlier looks with a lag: then it catches up.

    The last look alone is not enough: a reader that reads less than the chain makes comes nearer at each of its reads.
    A reader that lagged at no earlier look was just told to read again.
    """
    for lag in sight.lags:
        before = [blocks for blocks in lag.before if blocks > LIMITS.max_lag_blocks]
        if lag.behind > LIMITS.max_lag_blocks and before and lag.behind >= min(before):
            facts: AlertFacts = {"blocks behind": lag.behind, "newest block": sight.highest}
            yield WrongCondition(AlertKind.INDEX_LAGGING, lag.name, sight.chain_id, facts, hold_seconds=300)
    if sight.gap and sight.gap.missing:
        lacks: AlertFacts = {"missing": sight.gap.missing, "to be read again from block": sight.gap.first_block}
        yield WrongCondition(AlertKind.INDEX_GAP, "index", sight.chain_id, lacks, LIMITS.blip_seconds)


def _judge_emails(trouble: EmailTrouble) -> Iterator[WrongCondition]:
    if trouble.held or trouble.dead or trouble.refused_alerts:
        facts: AlertFacts = {"held": trouble.held, "dead": trouble.dead, "alerts refused": trouble.refused_alerts}
        yield WrongCondition(AlertKind.EMAILS_NEED_HAND, "emails", 0, facts)
    if trouble.late:
        late: AlertFacts = {"emails": trouble.late, "oldest_seconds": trouble.oldest_late}
        yield WrongCondition(AlertKind.EMAILS_LATE, "emails", 0, late, hold_seconds=300)
    for room, count in trouble.failed.items():
        if count >= LIMITS.failures_per_hour:
            yield WrongCondition(AlertKind.FAILURES_GROWING, room, 0, {"failed in the last hour": count})


def is_mailbox_overdue(reports: ReportReading) -> bool:
    """Return whether there is a mailbox, and no look has read it to its end for an hour, or ever."""
    if reports.unread is None:
        return False
    return reports.look_age is None or reports.look_age > LIMITS.mailbox_read_within


def was_set_aside_lately(reports: ReportReading) -> bool:
    """Return whether the reading of a report failed twice in the last day."""
    return reports.set_aside_age is not None and reports.set_aside_age <= LIMITS.set_aside_shown


def matches_nothing(reports: ReportReading) -> bool:
    """Return whether reports come, and none names an email of ours: the provider replaces Message-IDs."""
    return reports.taken == 0 and reports.unmatched >= LIMITS.unmatched_at_first


def _judge_reports(reports: ReportReading | None) -> Iterator[WrongCondition]:
    if reports is None:
        return
    at_once = was_set_aside_lately(reports) or matches_nothing(reports)
    if not at_once and not is_mailbox_overdue(reports):
        return
    age = reports.look_age
    look: AlertFacts = {"last good look": "never"} if age is None else {"last_good_look_seconds": age}
    facts: AlertFacts = {**look, "unread reports": reports.unread or 0, "reports set aside": reports.set_aside}
    if matches_nothing(reports):
        facts = {**facts, "about no email of ours": reports.unmatched}
    is_first_hour = age is None and not at_once
    hold = LIMITS.mailbox_read_within if is_first_hour else 0
    yield WrongCondition(AlertKind.REPORTS_NOT_READ, "delivery reports", 0, facts, hold)


def _judge_requests(requests: UnfinishedRequests) -> WrongCondition:
    facts: AlertFacts = {"requests": requests.count, "oldest_seconds": requests.oldest}
    if not requests.ours:
        facts = {**facts, "its key": "is not configured: nobody follows them"}
    elif not requests.served:
        facts = {**facts, "its chain": "is not among CHAINS: nobody follows them"}
    return WrongCondition(AlertKind.RELAY_NOT_FINAL, requests.wallet, requests.chain_id, facts)
