"""Prometheus metrics of this process's requests, and the application that serves all metrics.

Labels carry kinds, states, chains and routes only. The passes run elsewhere; their numbers are read from the
database at each scrape.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

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

from reminder_worker import __version__
from reminder_worker.chain.client import Chain
from reminder_worker.declarations import FactScope, OperatorFact
from reminder_worker.features import FACTS, make_scope
from reminder_worker.indexer.feature import INDEX, POSITIONS
from reminder_worker.indexer.store import ReaderPosition
from reminder_worker.monitoring.facts import PassState, states_of
from reminder_worker.monitoring.feature import NODE_REQUESTS, PASS_STATES
from reminder_worker.monitoring.node_bill import forecast_bills
from reminder_worker.monitoring.node_requests import RequestTally
from reminder_worker.relay.feature import RELAY, WALLETS
from reminder_worker.relay.operator import PayingWallet, WalletState
from reminder_worker.settings import ChainSettings, Settings


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


async def read_gauges(
    scope: FactScope, chains: Mapping[int, Chain], wallets: Sequence[PayingWallet]
) -> list[GaugeMetricFamily]:
    """Read each fact once; return its gauges, and the gauges that join facts with the state of this process."""
    values = {fact: await fact.read(scope) for fact in FACTS if fact.gauges or fact is WALLETS}
    families = [family for fact, value in values.items() for family in render_fact(fact, value)]
    states: Sequence[PassState] = values[PASS_STATES]
    return [
        *families,
        lag_gauge(values[POSITIONS], states, chains),
        *endpoint_gauges(states),
        *wallet_gauges(values[WALLETS], states, wallets),
        *bill_gauges(values[NODE_REQUESTS], list(scope.chains.values())),
    ]


def render_fact(fact: OperatorFact[Any], value: Any) -> list[GaugeMetricFamily]:
    found = fact.gauges(value) if fact.gauges else ()
    return [make_gauge(gauge.name, gauge.text, gauge.labels, gauge.values) for gauge in found]


def lag_gauge(
    positions: Sequence[ReaderPosition], states: Sequence[PassState], chains: Mapping[int, Chain]
) -> GaugeMetricFamily:
    heads = {chain_id: _newest_head(states, chain_id, chains) for chain_id in chains}
    lags = {}
    for position in positions:
        head = heads.get(position.chain_id)
        if head:
            lags[position.chain_id, position.name] = max(0, head - position.block_number)
    return make_gauge("reader_lag_blocks", "Behind the newest block that was seen", ("chain", "reader"), lags)


def wallet_gauges(
    found: Sequence[WalletState], states: Sequence[PassState], wallets: Sequence[PayingWallet]
) -> Iterator[GaugeMetricFamily]:
    """Render wallets by their role; a balance is of the last run of the relay's pass."""
    configured = {wallet.address: wallet for wallet in wallets}
    roles = {(configured[state.address].role, state.chain_id): state for state in found}
    of_wallet = ("wallet", "chain")
    balances = {}
    for last_run in states_of(RELAY, states):
        for name, report in last_run.detail.items():
            if isinstance(report, dict):
                balances[name, last_run.chain_id] = report["balance_eth"] * 1e18
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


def _compute_share(used: int, cap: int) -> float | None:
    """Return None for a cap of 0: an operator switched the wallet off, which is no trouble."""
    return used / cap if cap else None


def bill_gauges(tallies: Sequence[RequestTally], chains: Sequence[ChainSettings]) -> Iterator[GaugeMetricFamily]:
    """Render the forecast of `doctor`."""
    bills = {
        (chain.chain_id, bill.endpoint, bill.prices.unit, bill.prices.period): bill
        for chain in chains
        for bill in forecast_bills(chain, tallies, datetime.now(UTC))
    }
    units = {key: bill.units for key, bill in bills.items() if bill.requests_day is not None}
    allowances = {key: bill.allowance for key, bill in bills.items()}
    of_bill = ("chain", "endpoint", "unit", "period")
    yield make_gauge("node_units_forecast", "What a month or a day costs, by the last days", of_bill, units)
    yield make_gauge("node_units_allowance", "RPC_ALLOWANCE; absent: none is set", of_bill, allowances)


def endpoint_gauges(states: Sequence[PassState]) -> Iterator[GaugeMetricFamily]:
    """Render the endpoints of the passes, named by position and host: an endpoint's address holds a key."""
    return _make_endpoint_gauges("passes", {state.chain_id: state.endpoints for state in states_of(INDEX, states)})


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


def _newest_head(states: Sequence[PassState], chain_id: int, chains: Mapping[int, Chain]) -> int | None:
    """Return the newest block that this process or the process of the passes has seen."""
    heads = [health.head for health in chains[chain_id].endpoints.list_health()]
    looking = [state for state in states_of(INDEX, states) if state.chain_id == chain_id]
    heads += [row["head"] for state in looking for row in state.endpoints]
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
        scope = make_scope(self._engine, self._settings, [wallet.address for wallet in self._wallets])
        try:
            async with asyncio.timeout(10):
                stored = await read_gauges(scope, self._chains, self._wallets)
        except (SQLAlchemyError, OSError, TimeoutError) as error:
            log.error("metrics_without_database", exc_info=error)
            stored = []
        up = make_gauge("database_up", "1 when the database answered", (), {(): float(bool(stored))})
        build = make_gauge("build_info", "1; the label is the version that runs", ("version",), {(__version__,): 1.0})
        registry = CollectorRegistry()
        registry.register(GaugeCollector([build, up, *stored, *own_endpoint_gauges(self._chains)]))
        return generate_latest(self._requests.registry) + generate_latest(registry)
