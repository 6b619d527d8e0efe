"""`/stats` under wrk with 32 connections, beside a bare Litestar route with the same bytes in the same process.

Ours is the whole application: rate limit, request id, security headers and metrics for each request.
"""

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from statistics import median

import aiohttp
import uvicorn
from litestar import Litestar, Response, get

from api.server import open_servers
from bench.harness import RUNS, BenchFigure
from bench.surroundings import CHAIN_ID, chain, database, settings
from devnet.own_logging import own_logging
from reminder_worker.logging import configure_logging
from reminder_worker.runtime import open_runtime
from reminder_worker.settings import Settings
from reminder_worker.statistics.snapshots import StatisticsSnapshot, save_snapshot, start_of_hour

CONNECTIONS = 32
SECONDS = 4
RATE = re.compile(rb"Requests/sec:\s+([0-9.]+)")


async def measure() -> list[BenchFigure]:
    async with database() as (engine, url):
        with chain() as scenario:
            environ = scenario.deployment.settings_environ(CHAIN_ID, scenario.anvil.url)
            limits = {"RATE_LIMIT_PER_MINUTE": "100000000", "API_PORT": "0", "METRICS_PORT": "0", "LOG_FORMAT": "json"}
            configured = settings(url, environ, **limits)
            await save_snapshot(engine, snapshot(int(datetime.now(UTC).timestamp())))
            with logging_as_served(configured):
                async with open_runtime(configured) as runtime, open_servers(runtime) as (port, _):
                    return await _measure(f"http://127.0.0.1:{port}/stats")


async def _measure(ours: str) -> list[BenchFigure]:
    async with aiohttp.ClientSession() as session, session.get(ours) as answer:
        body = await answer.read()
    async with _bare(body) as bare:
        pairs = [(await _rate(bare), await _rate(ours)) for _ in range(RUNS)]
    ratio = median(rate / floor for floor, rate in pairs)
    floor, rate = median(floor for floor, _ in pairs), median(rate for _, rate in pairs)
    return [BenchFigure("stats_rps", rate, "requests/s", floor, ratio, "ratio >= 0.85")]


async def _rate(url: str) -> float:
    """Requests a second; raises when one was not answered well."""
    command = ("wrk", "-t", "1", "-c", str(CONNECTIONS), "-d", f"{SECONDS}s", url)
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    said, _ = await process.communicate()
    found = RATE.search(said)
    if found is None or b"Non-2xx" in said or b"Socket errors" in said:
        raise RuntimeError("wrk: " + said.decode())
    return float(found[1])


@asynccontextmanager
async def _bare(body: bytes) -> AsyncIterator[str]:
    """On a port of its own in this process, served by the same server with the same settings."""

    @get("/stats", media_type="application/json")
    async def stats() -> Response[bytes]:
        return Response(body)

    app = Litestar([stats], openapi_config=None, logging_config=None)
    config = uvicorn.Config(app, port=0, log_config=None, access_log=False, lifespan="off", ws="none")
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - the server tells nobody
        await asyncio.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/stats"
    finally:
        server.should_exit = True
        await serving


@contextmanager
def logging_as_served(configured: Settings) -> Iterator[None]:
    """Every line is made and written, to where nobody reads; afterwards logging is as it was."""
    before = sys.stderr
    with open(os.devnull, "w") as nowhere, own_logging():
        sys.stderr = nowhere
        configure_logging(configured)
        try:
            yield
        finally:
            sys.stderr = before


def snapshot(now: int) -> StatisticsSnapshot:
    """Return a snapshot of realistic size: a dozen tokens."""
    return StatisticsSnapshot(
        chain_id=CHAIN_ID,
        hour=start_of_hour(now),
        block_number=23_456_789,
        block_hash="0x" + "11" * 32,
        block_time=now,
        counts={
            "legacies": {
                "total": 1204, "live": 1101, "activated": 23, "deleted": 80, "byType": {"eoa": 1100, "safe": 104}
            },
            "timelocks": {"total": 405, "live": 310, "ended": 95, "gifts": 77},
        },
        tokens=[
            {
                "token": f"0x{n:040x}", "symbol": f"TOK{n}", "decimals": 18,
                "amount": str(1234567890123456789 * n), "usd": f"{n}531.25",
            }
            for n in range(1, 13)
        ],
        value_secured_usd=Decimal("1532004.25"),
    )  # fmt: skip
