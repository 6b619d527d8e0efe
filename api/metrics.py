"""Prometheus metrics of this process's requests, and the application that serves all metrics.

Labels carry kinds, states, chains and routes only. The passes run elsewhere; their numbers are read from the
database at each scrape.
"""

import asyncio
from collections.abc import Mapping, Sequence

import structlog
from litestar.enums import ScopeType
from litestar.types import Receive, Scope, Send
from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from api.gauges import PARTS, GaugeCollector, fact_gauges, make_gauge, own_endpoint_gauges
from reminder_worker import __version__, passes
from reminder_worker.chain.client import Chain
from reminder_worker.monitoring.facts import read_facts
from reminder_worker.relay.operator import PayingWallet
from reminder_worker.settings import Settings

log = structlog.get_logger(__name__)

SCRAPE_WITHIN_SECONDS = 10
_SECONDS = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_METHODS = frozenset({"GET", "HEAD", "POST", "OPTIONS", "ANY"})


class RequestMetrics:
    """Counts and times the requests of this process."""

    def __init__(self) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self.registry = CollectorRegistry()
        self._children: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}
        self._requests = Counter(
            "reminder_worker_http_requests", "Requests answered", ["method", "route", "status"], registry=self.registry
        )
        self._seconds = Histogram(
            "reminder_worker_http_request_seconds",
            "Seconds to answer",
            ["route"],
            buckets=_SECONDS,
            registry=self.registry,
        )

    def observe(self, method: str, route: str, status: int, seconds: float) -> None:
        key = (method if method in _METHODS else "other", route, status)
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
            async with asyncio.timeout(SCRAPE_WITHIN_SECONDS):
                stored = list(fact_gauges(await read_facts(scope, *PARTS), self._chains, self._wallets))
        except (SQLAlchemyError, OSError, TimeoutError) as error:
            log.error("metrics_without_database", exc_info=error)
            stored = []
        up = make_gauge("database_up", "1 when the database answered", (), {(): float(bool(stored))})
        build = make_gauge("build_info", "1; the label is the version that runs", ("version",), {(__version__,): 1.0})
        registry = CollectorRegistry()
        registry.register(GaugeCollector([build, up, *stored, *own_endpoint_gauges(self._chains)]))
        return generate_latest(self._requests.registry) + generate_latest(registry)
