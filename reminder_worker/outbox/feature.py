"""Emails as declared: addresses from which emails came back, and alerts to operators."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from reminder_worker.declarations import FactGauge, FactScope, OperatorFact, WorkerFeature, WorkerPass

if TYPE_CHECKING:
    from reminder_worker.outbox.delivery_reports import ReportReading
    from reminder_worker.outbox.operator import RaisedCondition, RecentAlert
    from reminder_worker.settings import Settings


def mail_off(settings: "Settings") -> str | None:
    return None if settings.mail else "no mail service is configured (MAIL_URL, MAIL_TOKEN)"


BOUNCES = WorkerPass("bounces", 300, asset="returned_emails", per_chain=False, off=mail_off)
ALERTS = WorkerPass("alerts", 15, asset="ops_alerts", per_chain=False)


async def _count_bounces(scope: FactScope) -> Mapping[str, int]:
    from reminder_worker.outbox.bounces import count_bounces

    return await count_bounces(scope.engine)


def _show_bounces(bounces: Mapping[str, int]) -> Iterator[FactGauge]:
    values = {(reason,): count for reason, count in bounces.items()}
    yield FactGauge("bounced_addresses", "Stored addresses from which an email came back", ("reason",), values)


def _describe_bounces(bounces: Mapping[str, int]) -> str:
    return f"nothing came back; addresses from which something did: {sum(bounces.values())}"


async def _read_reports(scope: FactScope) -> "ReportReading | None":
    """Return what the pass `bounces` keeps; None while the pass is off: its row says nothing of now."""
    from reminder_worker.outbox.delivery_reports import read_report_reading

    return await read_report_reading(scope.engine) if scope.has_pass(BOUNCES) else None


def _show_reports(reports: "ReportReading | None") -> Iterator[FactGauge]:
    """Yield gauges without samples if the mail service does not count reports."""
    unread: dict[tuple[()], int | None] = {}
    looked: dict[tuple[()], int | None] = {}
    counts: dict[tuple[str], int] = {}
    if reports is not None:
        unread, looked = {(): reports.unread}, {(): reports.look_age}
        counts = {
            ("taken",): reports.taken,
            ("unmatched",): reports.unmatched,
            ("set_aside",): reports.set_aside,
            ("not_complaints",): reports.not_complaints,
            ("unreadable",): reports.unreadable,
        }
    words = "Since the mailbox of delivery reports was read to its end; absent: never, or there is no mailbox"
    yield FactGauge("reports_unread", "Delivery reports that wait in the mailbox; absent: no mailbox", (), unread)
    yield FactGauge("reports_look_age_seconds", words, (), looked)
    yield FactGauge("reports_counted", "Delivery reports so far, as the mail service counts", ("outcome",), counts)


async def _read_conditions(scope: FactScope) -> "Sequence[RaisedCondition]":
    from reminder_worker.outbox.operator import read_conditions

    return await read_conditions(scope.engine)


def _show_conditions(conditions: "Sequence[RaisedCondition]") -> Iterator[FactGauge]:
    wrong = Counter((condition.chain_id, condition.kind) for condition in conditions)
    yield FactGauge("conditions", "What alerts say is wrong now", ("chain", "kind"), wrong)


async def _count_undelivered(scope: FactScope) -> Mapping[str, int]:
    from reminder_worker.outbox.operator import count_undelivered_alerts

    return await count_undelivered_alerts(scope.engine)


def _show_undelivered(counts: Mapping[str, int]) -> Iterator[FactGauge]:
    values = {(state,): count for state, count in counts.items()}
    yield FactGauge("alerts_undelivered", "Alerts that no mail service took", ("state",), values)


def _describe_undelivered(counts: Mapping[str, int]) -> str:
    waiting = counts["queued"]
    return f"nothing is open; alerts waiting for the mail service: {waiting}" if waiting else ""


async def _read_recent_alerts(scope: FactScope) -> "Sequence[RecentAlert]":
    from reminder_worker.outbox.operator import read_recent_alerts

    return await read_recent_alerts(scope.engine)


BOUNCED_ADDRESSES = OperatorFact("bounces", _count_bounces, _show_bounces, _describe_bounces)
REPORTS = OperatorFact("reports", _read_reports, _show_reports)
CONDITIONS = OperatorFact("conditions", _read_conditions, _show_conditions)
UNDELIVERED_ALERTS = OperatorFact("undelivered_alerts", _count_undelivered, _show_undelivered, _describe_undelivered)
RECENT_ALERTS = OperatorFact("recent_alerts", _read_recent_alerts)
RETURNED_EMAILS = WorkerFeature((BOUNCES,), (BOUNCED_ADDRESSES, REPORTS))
OPERATOR_ALERTS = WorkerFeature((ALERTS,), (CONDITIONS, UNDELIVERED_ALERTS, RECENT_ALERTS))
