"""From POST /sponsor/gift-withdraw to the answer that says 'broadcast', and how much of it is the chain's own time.

One request at a time, over HTTP, with real PostgreSQL at its default durability. Half of them go past a proxy that
notes when the node was at work: the chain's time beside it.
"""

from collections.abc import Sequence
from statistics import median, quantiles
from time import perf_counter

import aiohttp

from api.server import open_servers
from bench.harness import BenchFigure
from bench.surroundings import CHAIN_ID, RequestRecorder, chain, database, secret_urls, settings
from bench.withdrawals import RELAYER_KEY, SignedWithdrawal, relayer, seal, unmined
from reminder_worker.relay.factory import RELAYER
from reminder_worker.runtime import Runtime, open_runtime
from reminder_worker.settings import Settings

REQUESTS = 200
AT_ONCE = 8  # before those under way are seen to be mined: the engine lets 16 be
LIMITS = {
    "RELAYER_KEY": RELAYER_KEY,
    "RELAY_DAILY_COUNT_CAP": "1000000",
    "RELAY_DAILY_WEI_CAP": str(10**24),
    "RELAY_PER_CREATOR": "1000000",
    "RELAY_PER_CLIENT_HOUR": "1000000",
    "RATE_LIMIT_PER_MINUTE": "1000000",
    "API_PORT": "0",
    "METRICS_PORT": "0",
}


async def measure() -> list[BenchFigure]:
    async with database() as (_, url):
        with chain() as scenario:
            withdrawals = seal(scenario, REQUESTS)
            relayer(scenario)
            environ = scenario.deployment.settings_environ(CHAIN_ID, scenario.anvil.url)
            configured = settings(url, environ, **LIMITS)
            recorder = RequestRecorder(scenario.anvil.url)
            async with recorder.listening() as recorded:
                watched = configured.chains[0].model_copy(update={"rpc_urls": secret_urls(recorded)})
                beside = configured.model_copy(update={"chains": (watched,)})
                seconds = await _seconds(configured, withdrawals[::2], None)
                node = await _seconds(beside, withdrawals[1::2], recorder)
    milliseconds, of_the_node = ([1000 * each for each in some] for some in (seconds, node))
    return [
        _figure("relay_latency.median", median(milliseconds), median(of_the_node)),
        _figure("relay_latency.p95", _p95(milliseconds), _p95(of_the_node)),
    ]


def _figure(name: str, value: float, node: float) -> BenchFigure:
    return BenchFigure(name, value, "ms from POST to broadcast; floor: the node's", node, node / value)


def _p95(values: Sequence[float]) -> float:
    return quantiles(values, n=20, method="inclusive")[-1]


async def _seconds(
    configured: Settings, withdrawals: Sequence[SignedWithdrawal], recorder: RequestRecorder | None
) -> list[float]:
    """Return the seconds of each request except the first few; with a recorder, only the node's working time."""
    measured = []
    async with (
        open_runtime(configured) as runtime,
        open_servers(runtime) as (port, _),
        aiohttp.ClientSession(f"http://127.0.0.1:{port}") as session,
    ):
        for number, each in enumerate(withdrawals):
            if number % AT_ONCE == 0:
                await _until_mined(runtime)
            if recorder is not None:
                recorder.spans.clear()
            began = perf_counter()
            async with session.post("/sponsor/gift-withdraw", json=each.body) as answer:
                told = await answer.json()
            took = perf_counter() - began
            if answer.status != 202 or told["status"] != "broadcast":
                raise RuntimeError(f"answered {answer.status} {told}")
            measured.append(took if recorder is None else _at_work(recorder.spans))
    return measured[AT_ONCE:]


async def _until_mined(runtime: Runtime) -> None:
    reconcile = runtime.relaying.reconcilers[RELAYER]
    while await unmined(runtime.engine):
        await reconcile.run(CHAIN_ID)


def _at_work(spans: Sequence[tuple[float, float]]) -> float:
    """Return the seconds with at least one open request."""
    total, until = 0.0, 0.0
    for began, ended in sorted(spans):
        total += max(0.0, ended - max(began, until))
        until = max(until, ended)
    return total
