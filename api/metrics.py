"""Prometheus metrics of this process's requests, and the application that serves all metrics.

Labels carry kinds, states, chains and routes only. The passes run elsewhere; their numbers are read from the
database at each scrape.
"""

import asyncio
import collections
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, Final

import structlog
from litestar.enums import ScopeType
from litestar.types import Receive, Scope, Send
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker import __version__, passes
from reminder_worker.chain.client import Chain
from reminder_worker.monitoring.facts import FactPart, OperatorFacts, read_facts
from reminder_worker.monitoring.node_bill import forecast_bills
from reminder_worker.outbox.delivery_reports import ReportReading
from reminder_worker.relay.operator import PayingWallet
from reminder_worker.settings import ChainSettings, Settings

PARTS: Final[tuple[FactPart, ...]] = (
    "passes",
    "positions",
    "signals",
    "waiting",
    "undecided",
    "settled_last_day",
    "delays",
    "bounces",
    "reports",
    "gift_emails",
    "gift_notifications",
    "open_requests",
    "ended_requests",
    "wallets",
    "conditions",
    "undelivered_alerts",
    "feeds",
    "upgrades",
    "snapshots",
    "node_requests",
    "erasures",
)


class GaugeCollector(Collector):
    """Families ready to be rendered."""

    def __init__(self, families: Iterable[GaugeMetricFamily]) -> None:
        self._families = list(families)

    def collect(self) -> Iterator[GaugeMetricFamily]:
        yield from self._families


def make_gauge(name: str, text: str, labels: tuple[str, ...], values: Mapping[Any, float | None]) -> GaugeMetricFamily:
    """Return a family with `values` by the tuple of label values; None is left out."""
    family = GaugeMetricFamily(f"reminder_worker_{name}", text, labels=labels)
    for key, value in values.items():
        if value is not None:
            family.add_metric([str(part) for part in key], value)
    return family


def fact_gauges(
    facts: OperatorFacts, chains: Mapping[int, Chain], wallets: Sequence[PayingWallet]
) -> Iterator[GaugeMetricFamily]:
    """Render every part of the facts."""
    yield from email_gauges(facts)
    yield from report_gauges(facts.reports)
    yield from gift_gauges(facts)
    yield from pass_gauges(facts, chains)
    yield from endpoint_gauges(facts)
    yield from wallet_gauges(facts, wallets)
    yield from request_gauges(facts)
    yield from alert_gauges(facts)
    yield from price_gauges(facts)
    yield from upgrade_gauges(facts)
    yield from statistics_gauges(facts)
    yield from node_gauges(facts, [chain.settings for chain in chains.values()])


def email_gauges(facts: OperatorFacts) -> Iterator[GaugeMetricFamily]:
    settled: collections.Counter[tuple[object, ...]] = collections.Counter()
    for emails in facts.settled_last_day:
        settled[emails.kind, emails.state] += emails.count
    undecided: collections.Counter[tuple[object, ...]] = collections.Counter()
    for doubtful in facts.undecided:
        undecided[doubtful.chain_id, doubtful.kind, doubtful.state] += doubtful.count
    waiting, oldest = facts.waiting, facts.waiting.oldest or 0.0
    yield make_gauge("emails_settled_last_day", "Reminders settled in the last 24 hours", ("kind", "state"), settled)
    yield make_gauge("emails_due", "Reminders to be tried now", (), {(): waiting.due})
    yield make_gauge("emails_later", "Reminders to be tried later", (), {(): waiting.later})
    yield make_gauge("emails_in_flight", "Reminders claimed by a dispatcher", (), {(): waiting.in_flight})
    yield make_gauge("emails_oldest_waiting_seconds", "Of the oldest due or later", (), {(): oldest})
    erased = {(count.cause,): count.people for count in facts.erasures}
    yield make_gauge("recipients_erased", "Recipients erased in the last 90 days", ("cause",), erased)
    bounced = {(reason,): count for reason, count in facts.bounces.items()}
    yield make_gauge("bounced_addresses", "Stored addresses from which an email came back", ("reason",), bounced)
    delays = {(each.chain_id, "0.5"): each.median for each in facts.delays}
    delays |= {(each.chain_id, "1"): each.longest for each in facts.delays}
    words = "From the block of an event to the mail service's yes, of the last 24 hours"
    yield make_gauge("emails_after_block_seconds", words, ("chain", "quantile"), delays)
    yield make_gauge("emails_undecided", "Emails unknown, held or dead", ("chain", "kind", "state"), undecided)


def report_gauges(reports: ReportReading | None) -> Iterator[GaugeMetricFamily]:
    """Render delivery reports; without samples if the mail service does not count them."""
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
    yield make_gauge("reports_unread", "Delivery reports that wait in the mailbox; absent: no mailbox", (), unread)
    yield make_gauge("reports_look_age_seconds", words, (), looked)
    yield make_gauge("reports_counted", "Delivery reports so far, as the mail service counts", ("outcome",), counts)


def gift_gauges(facts: OperatorFacts) -> Iterator[GaugeMetricFamily]:
    emails: collections.Counter[tuple[object, ...]] = collections.Counter()
    for count in facts.gift_emails:
        emails[count.chain_id, count.kind, count.state] += count.count
    waiting = {(): facts.gift_notifications}
    yield make_gauge("gift_emails", "Emails of gifts that are remembered", ("chain", "kind", "state"), emails)
    yield make_gauge("gifts_to_be_told_of", "Gifts whose recipient is still to be written to", (), waiting)


def pass_gauges(facts: OperatorFacts, chains: Mapping[int, Chain]) -> Iterator[GaugeMetricFamily]:
    signals = {(count.chain_id, count.kind): count for count in facts.signals}
    passes = {(state.name, state.chain_id): state for state in facts.passes}
    readers = {(position.chain_id, position.name): position for position in facts.positions}
    heads = {chain_id: _newest_head(facts, chain_id, chains) for chain_id in chains}
    lags = {
        key: max(0, head - position.block_number)
        for key, position in readers.items()
        if (head := heads.get(position.chain_id))
    }
    of_signal, of_pass, of_reader = ("chain", "kind"), ("pass", "chain"), ("chain", "reader")
    counts = {key: count.count for key, count in signals.items()}
    oldest = {key: count.oldest for key, count in signals.items()}
    looked = {key: state.checked_age for key, state in passes.items()}
    succeeded = {key: state.succeeded_age for key, state in passes.items()}
    failed = {key: state.failed_age for key, state in passes.items()}
    failing = {key: float(bool(state.error)) for key, state in passes.items()}
    blocks = {key: position.block_number for key, position in readers.items()}
    ages = {key: position.age for key, position in readers.items()}
    yield make_gauge("signals_new", "Signals not planned yet", of_signal, counts)
    yield make_gauge("signals_oldest_seconds", "Age of the oldest new", of_signal, oldest)
    yield make_gauge("pass_look_age_seconds", "Since a look", of_pass, looked)
    yield make_gauge("pass_success_age_seconds", "Since success", of_pass, succeeded)
    yield make_gauge("pass_failure_age_seconds", "Since the last failure; absent: none", of_pass, failed)
    yield make_gauge("pass_failing", "1: the last try failed", of_pass, failing)
    yield make_gauge("reader_block", "Last block read", of_reader, blocks)
    yield make_gauge("reader_age_seconds", "Since its cursor moved", of_reader, ages)
    yield make_gauge("reader_lag_blocks", "Behind the newest block that was seen", of_reader, lags)


def wallet_gauges(facts: OperatorFacts, wallets: Sequence[PayingWallet]) -> Iterator[GaugeMetricFamily]:
    """Render wallets by their role; a balance is of the last run of the relay's pass."""
    configured = {wallet.address: wallet for wallet in wallets}
    roles = {(configured[state.address].role, state.chain_id): state for state in facts.wallets}
    of_wallet = ("wallet", "chain")
    balances = {
        (name, state.chain_id): report["balance_eth"] * 1e18
        for state in facts.states_of("relay")
        for name, report in (state.detail or {}).items()
        if isinstance(report, dict)
    }
    slots: dict[tuple[object, ...], float] = {}
    shares: dict[tuple[object, ...], float | None] = {}
    for key, state in roles.items():
        caps = configured[state.address]
        slots |= {(*key, "open"): state.unmined, (*key, "mined"): state.mined}
        shares[*key, "wei"] = _compute_share(state.reserved_wei + state.spent_wei, caps.daily_wei)
        shares[*key, "count"] = _compute_share(state.requests, caps.daily_count)
    oldest = {key: state.oldest_open or 0 for key, state in roles.items()}
    reserved = {key: state.reserved_wei for key, state in roles.items()}
    spent = {key: state.spent_wei for key, state in roles.items()}
    stopped = {key: float(bool(state.stopped)) for key, state in roles.items()}
    used = "Share of today's cap, 1: nothing left; absent: a cap of 0"
    yield make_gauge("relay_balance_wei", "What a wallet holds", of_wallet, balances)
    yield make_gauge("relay_slots", "Nonces taken and not final", (*of_wallet, "state"), slots)
    yield make_gauge("relay_oldest_slot_seconds", "Age of the oldest that is not mined", of_wallet, oldest)
    yield make_gauge("relay_reserved_wei", "Reserved of today's cap (UTC)", of_wallet, reserved)
    yield make_gauge("relay_spent_wei", "Spent of today's cap (UTC)", of_wallet, spent)
    yield make_gauge("relay_cap_used", used, (*of_wallet, "cap"), shares)
    yield make_gauge("relay_stopped", "1: takes no requests", of_wallet, stopped)


def request_gauges(facts: OperatorFacts) -> Iterator[GaugeMetricFamily]:
    of_request = ("chain", "lane", "state")
    opened = {(count.chain_id, count.lane, count.state): count for count in facts.open_requests}
    counts = {key: count.count for key, count in opened.items()}
    oldest = {key: count.oldest for key, count in opened.items()}
    ended = {(count.chain_id, count.lane, count.state): count.count for count in facts.ended_requests}
    yield make_gauge("relay_requests_open", "Requests under way", of_request, counts)
    yield make_gauge("relay_requests_oldest_seconds", "Age of the oldest under way", of_request, oldest)
    yield make_gauge("relay_requests_ended_last_day", "Requests ended in the last 24 hours", of_request, ended)


def _compute_share(used: int, cap: int) -> float | None:
    """Return None for a cap of 0: an operator switched the wallet off, which is no trouble."""
    return used / cap if cap else None


def upgrade_gauges(facts: OperatorFacts) -> Iterator[GaugeMetricFamily]:
    counts = {(count.chain_id, count.state): count.count for count in facts.upgrades}
    next_times: dict[tuple[int], float] = {}
    for count in facts.upgrades:
        if count.is_open and count.executable_at is not None:
            key = (count.chain_id,)
            next_times[key] = min(next_times.get(key, count.executable_at), count.executable_at)
    words = "Unix seconds from which the next may run"
    yield make_gauge("upgrade_operations", "Operations of the UpgradeTimelock", ("chain", "state"), counts)
    yield make_gauge("upgrade_next_executable_time", words, ("chain",), next_times)


def alert_gauges(facts: OperatorFacts) -> Iterator[GaugeMetricFamily]:
    wrong = collections.Counter((condition.chain_id, condition.kind) for condition in facts.conditions)
    undelivered = {(state,): count for state, count in facts.undelivered_alerts.items()}
    report = (facts.watchdog.detail if facts.watchdog else None) or {}
    healthy = float(facts.watchdog_looks and bool(report.get("healthy")))
    heartbeat = report.get("heartbeat", "off")
    pinged = None if heartbeat == "off" else float(heartbeat == "asked")
    health_words = "1: the watchdog looked in the last 5 minutes and found nothing wrong"
    ping_words = "1: the last ping was taken, 0: it was not, or none was sent; absent: not configured"
    yield make_gauge("conditions", "What alerts say is wrong now", ("chain", "kind"), wrong)
    yield make_gauge("alerts_undelivered", "Alerts that no mail service took", ("state",), undelivered)
    yield make_gauge("healthy", health_words, (), {(): healthy})
    yield make_gauge("heartbeat_ok", ping_words, (), {(): pinged})


def price_gauges(facts: OperatorFacts) -> Iterator[GaugeMetricFamily]:
    """Render every feed by its token's symbol, or by the token's address if the symbol is missing or shared."""
    symbols = collections.Counter((chain_id, state.symbol) for chain_id, state in facts.feeds)
    prices = {
        (chain_id, state.symbol if state.symbol and symbols[chain_id, state.symbol] == 1 else state.feed.token): (
            state.price
        )
        for chain_id, state in facts.feeds
    }
    of_token = ("chain", "token")
    dollars = {key: float(price.usd) for key, price in prices.items() if price is not None}
    ages = {key: price.age for key, price in prices.items() if price is not None}
    stale = {key: float(price is None or price.stale) for key, price in prices.items()}
    yield make_gauge("price_usd", "The last good price", of_token, dollars)
    yield make_gauge("price_age_seconds", "Age of the last good price, by the time its feed wrote it", of_token, ages)
    yield make_gauge("price_stale", "1: there is no fresh price", of_token, stale)


def statistics_gauges(facts: OperatorFacts) -> Iterator[GaugeMetricFamily]:
    values = {(chain_id,): snapshot.value_secured_usd for chain_id, snapshot in facts.snapshots.items()}
    dollars = {key: None if value is None else float(value) for key, value in values.items()}
    ages = {(chain_id,): max(0.0, time.time() - each.block_time) for chain_id, each in facts.snapshots.items()}
    words = "By the newest snapshot; absent: a price is missing"
    yield make_gauge("value_secured_usd", words, ("chain",), dollars)
    yield make_gauge("statistics_age_seconds", "Since the block of the newest snapshot", ("chain",), ages)


def node_gauges(facts: OperatorFacts, chains: Sequence[ChainSettings]) -> Iterator[GaugeMetricFamily]:
    """Render requests to nodes: today's, which fall to 0 at midnight as a counter does, and `doctor`'s forecast."""
    now = datetime.now(UTC)
    counts = {
        (each.chain_id, each.endpoint, each.pass_name, each.method): each.count
        for each in facts.node_requests
        if each.day == now.date()
    }
    bills = {
        (chain.chain_id, bill.endpoint, bill.prices.unit, bill.prices.period): bill
        for chain in chains
        for bill in forecast_bills(chain, facts.node_requests, now)
    }
    units = {key: bill.units for key, bill in bills.items() if bill.requests_day is not None}
    allowances = {key: bill.allowance for key, bill in bills.items()}
    words, labels = "Requests to RPC endpoints today (UTC)", ("chain", "endpoint", "pass", "method")
    of_bill = ("chain", "endpoint", "unit", "period")
    yield make_gauge("node_requests_today", words, labels, counts)
    yield make_gauge("node_units_forecast", "What a month or a day costs, by the last days", of_bill, units)
    yield make_gauge("node_units_allowance", "RPC_ALLOWANCE; absent: none is set", of_bill, allowances)


def endpoint_gauges(facts: OperatorFacts) -> Iterator[GaugeMetricFamily]:
    """Render the endpoints of the passes, named by position and host: an endpoint's address holds a key."""
    return _make_endpoint_gauges(
        "passes", {state.chain_id: state.endpoints or [] for state in facts.states_of("index")}
    )


def own_endpoint_gauges(chains: Mapping[int, Chain]) -> Iterator[GaugeMetricFamily]:
    """Render the endpoints as this process sees them."""
    return _make_endpoint_gauges(
        "api",
        {chain_id: [asdict(health) for health in chain.endpoints.list_health()] for chain_id, chain in chains.items()},
    )


def _make_endpoint_gauges(side: str, health: Mapping[int, Sequence[Mapping[str, Any]]]) -> Iterator[GaugeMetricFamily]:
    of_endpoint = ("chain", "endpoint")
    rows = {(chain_id, row["name"]): row for chain_id, rows in health.items() for row in rows}
    up = {key: float(row["ok"]) for key, row in rows.items() if row["errors"] or row["latency"] is not None}
    errors, latencies, heads = ({key: row[name] for key, row in rows.items()} for name in ("errors", "latency", "head"))
    yield make_gauge(f"{side}_rpc_up", "1: answered last, 0: failed; absent: not asked yet", of_endpoint, up)
    yield make_gauge(f"{side}_rpc_errors", "Failed requests so far", of_endpoint, errors)
    yield make_gauge(f"{side}_rpc_latency_seconds", "Of its last answer", of_endpoint, latencies)
    yield make_gauge(f"{side}_rpc_head_block", "Newest block it told", of_endpoint, heads)


def _newest_head(facts: OperatorFacts, chain_id: int, chains: Mapping[int, Chain]) -> int | None:
    """Return the newest block that this process or the process of the passes has seen."""
    heads = [health.head for health in chains[chain_id].endpoints.list_health()]
    looking = [state for state in facts.states_of("index") if state.chain_id == chain_id]
    heads += [row["head"] for state in looking for row in state.endpoints or []]
    return max((head for head in heads if head is not None), default=None)


log = structlog.get_logger(__name__)


class RequestMetrics:
    """Counts and times the requests of this process, and shows what the process uses (`process_*`, on Linux)."""

    def __init__(self) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._children: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}
        self._requests = Counter(
            "reminder_worker_http_requests", "Requests answered", ["method", "route", "status"], registry=self.registry
        )
        self._seconds = Histogram(
            "reminder_worker_http_request_seconds",
            "Seconds to answer",
            ["route"],
            buckets=(0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0),
            registry=self.registry,
        )

    def observe(self, method: str, route: str, status: int, seconds: float) -> None:
        key = (method if method in ("GET", "HEAD", "POST", "OPTIONS", "ANY") else "other", route, status)
        if key not in self._children:  # as many as there are time series; finding them costs more than counting
            self._children[key] = (self._requests.labels(key[0], route, str(status)), self._seconds.labels(route))
        requests, histogram = self._children[key]
        requests.inc()
        histogram.observe(seconds)


class MetricsApp:
    """The /metrics application, on a port of its own."""

    def __init__(
        self,
        engine: AsyncEngine,
        chains: Mapping[int, Chain],
        requests: RequestMetrics,
        wallets: Sequence[PayingWallet],
        settings: Settings,
    ) -> None:
        self._wallets = wallets
        self._settings = settings
        self._engine = engine
        self._chains = chains
        self._requests = requests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = scope["type"] == ScopeType.HTTP and scope["path"] == "/metrics"
        body = await self.text() if found else b"only /metrics is served here\n"
        headers = [(b"content-type", (CONTENT_TYPE_LATEST if found else "text/plain").encode())]
        await send({"type": "http.response.start", "status": 200 if found else 404, "headers": headers})
        await send({"type": "http.response.body", "body": body, "more_body": False})

    async def text(self) -> bytes:
        """Everything; without the database's part, and `reminder_worker_database_up 0`, when it does not answer."""
        scope = passes.fact_scope(self._engine, self._settings, [wallet.address for wallet in self._wallets])
        try:
            async with asyncio.timeout(10):
                stored = list(fact_gauges(await read_facts(scope, *PARTS), self._chains, self._wallets))
        except (SQLAlchemyError, OSError, TimeoutError) as error:
            log.error("metrics_without_database", exc_info=error)
            stored = []
        up = make_gauge("database_up", "1 when the database answered", (), {(): float(bool(stored))})
        build = make_gauge("build_info", "1; the label is the version that runs", ("version",), {(__version__,): 1.0})
        registry = CollectorRegistry()
        registry.register(GaugeCollector([build, up, *stored, *own_endpoint_gauges(self._chains)]))
        return generate_latest(self._requests.registry) + generate_latest(registry)
