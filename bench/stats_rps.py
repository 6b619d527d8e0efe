"""`/stats` of the whole application under wrk with 32 connections: each request with rate limit, id and metrics."""

import asyncio
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from statistics import median

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
                    rate = median([await _rate(f"http://127.0.0.1:{port}/stats") for _ in range(RUNS)])
    return [BenchFigure("stats_rps", rate, "requests/s")]


async def _rate(url: str) -> float:
    """Requests a second; raises when one was not answered well."""
    command = ("wrk", "-t", "1", "-c", str(CONNECTIONS), "-d", f"{SECONDS}s", url)
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    said, _ = await process.communicate()
    found = RATE.search(said)
    if found is None or b"Non-2xx" in said or b"Socket errors" in said:
        raise RuntimeError("wrk: " + said.decode())
    return float(found[1])


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
