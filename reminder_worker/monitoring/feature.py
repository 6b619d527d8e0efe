"""Monitoring as declared: the watchdog, retention, and facts over several rooms."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from reminder_worker.declarations import FactGauge, FactScope, OperatorFact, WorkerFeature, WorkerPass

if TYPE_CHECKING:
    from reminder_worker.monitoring.facts import EmailTrouble, PassState
    from reminder_worker.monitoring.node_requests import RequestTally
    from reminder_worker.outbox.operator import SettledEmails, UndecidedEmails
    from reminder_worker.relay.operator import UnfinishedRequests


async def _read_pass_states(scope: FactScope) -> "Sequence[PassState]":
    from reminder_worker.monitoring.facts import read_expected_states

    return await read_expected_states(scope)


def _show_pass_states(states: "Sequence[PassState]") -> Iterator[FactGauge]:
    labels = ("pass", "chain")
    keyed = {(state.name, state.chain_id): state for state in states}
    looked = {key: state.checked_age for key, state in keyed.items()}
    succeeded = {key: state.succeeded_age for key, state in keyed.items()}
    failed = {key: state.failed_age for key, state in keyed.items()}
    failing = {key: float(bool(state.error)) for key, state in keyed.items()}
    yield FactGauge("pass_look_age_seconds", "Since a look", labels, looked)
    yield FactGauge("pass_success_age_seconds", "Since success", labels, succeeded)
    yield FactGauge("pass_failure_age_seconds", "Since the last failure; absent: none", labels, failed)
    yield FactGauge("pass_failing", "1: the last try failed", labels, failing)
    yield from _show_health(states)


def _show_health(states: "Sequence[PassState]") -> Iterator[FactGauge]:
    from reminder_worker.monitoring.facts import watchdog_looks, watchdog_report

    report = watchdog_report(states)
    healthy = float(watchdog_looks(states) and bool(report.get("healthy")))
    heartbeat = report.get("heartbeat", "off")
    pinged = None if heartbeat == "off" else float(heartbeat == "asked")
    health_words = "1: the watchdog looked in the last 5 minutes and found nothing wrong"
    ping_words = "1: the last ping was taken, 0: it was not, or none was sent; absent: not configured"
    yield FactGauge("healthy", health_words, (), {(): healthy})
    yield FactGauge("heartbeat_ok", ping_words, (), {(): pinged})


async def _count_undecided(scope: FactScope) -> "Sequence[UndecidedEmails]":
    from reminder_worker.monitoring.facts import count_undecided_emails

    return await count_undecided_emails(scope)


def _show_undecided(counts: "Sequence[UndecidedEmails]") -> Iterator[FactGauge]:
    undecided: Counter[tuple[int, str, str]] = Counter()
    for each in counts:
        undecided[each.chain_id, each.kind, each.state] += each.count
    yield FactGauge("emails_undecided", "Emails unknown, held or dead", ("chain", "kind", "state"), undecided)


async def _count_settled(scope: FactScope) -> "Sequence[SettledEmails]":
    from reminder_worker.monitoring.facts import count_settled_emails

    return await count_settled_emails(scope)


async def _read_trouble(scope: FactScope) -> "EmailTrouble":
    from reminder_worker.monitoring.facts import read_email_trouble

    return await read_email_trouble(scope)


async def _find_unfinished(scope: FactScope) -> "Sequence[UnfinishedRequests]":
    """Return requests that should be final by now. On an idle local chain nothing becomes final."""
    from reminder_worker.monitoring.facts import LIMITS
    from reminder_worker.relay.operator import find_unfinished

    return await find_unfinished(
        scope.engine, scope.wallets, scope.chains, of_ours=not scope.is_local, seconds=LIMITS.not_final_seconds
    )


async def _read_node_requests(scope: FactScope) -> "Sequence[RequestTally]":
    from reminder_worker.monitoring.facts import DAYS_SHOWN
    from reminder_worker.monitoring.node_requests import read_requests

    return scope.keep_served(await read_requests(scope.engine, DAYS_SHOWN))


def _show_node_requests(tallies: "Sequence[RequestTally]") -> Iterator[FactGauge]:
    """Yield today's requests, which fall to 0 at midnight as a counter does."""
    today = datetime.now(UTC).date()
    of_today = [each for each in tallies if each.day == today]
    counts = {(each.chain_id, each.endpoint, each.pass_name, each.method): each.count for each in of_today}
    labels = ("chain", "endpoint", "pass", "method")
    yield FactGauge("node_requests_today", "Requests to RPC endpoints today (UTC)", labels, counts)


# A schedule and `tick` run this pass without a poll. The watchdog watches it: kept personal data would go unnoticed.
FORGET = WorkerPass("forget", 3600, per_chain=False, by_the_clock=True)
WATCHDOG = WorkerPass("watchdog", 60, asset="worker_health", per_chain=False)
PASS_STATES = OperatorFact("passes", _read_pass_states, _show_pass_states)
UNDECIDED_EMAILS = OperatorFact("undecided", _count_undecided, _show_undecided)
SETTLED_BY_DAY = OperatorFact("settled_by_day", _count_settled)
EMAIL_TROUBLE = OperatorFact("trouble", _read_trouble)
UNFINISHED_REQUESTS = OperatorFact("unfinished", _find_unfinished)
NODE_REQUESTS = OperatorFact("node_requests", _read_node_requests, _show_node_requests)
FEATURE = WorkerFeature(
    (FORGET, WATCHDOG),  # the watchdog judges the ages of all other passes
    (PASS_STATES, UNDECIDED_EMAILS, SETTLED_BY_DAY, EMAIL_TROUBLE, UNFINISHED_REQUESTS, NODE_REQUESTS),
)
