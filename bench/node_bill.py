"""Cost of an idle chain at its first endpoint: all polls and runs of some hours by a moved clock, by two price lists.

Two endpoints, mainnet's default settings with upgrades and prices, a new block in each slot, nothing on them.
`narrow`: endpoints that accept ten blocks of logs a question; `narrow_400` refuse a wide one, and all of its batch, by
HTTP 400 in plain words. With many
legacies all are watched, none has an open window, one of ten is a Safe's, and each has an owner with two or three of
the nine tokens on the white list. `statistics`: the pass's share, in percent of the idle bill without legacies.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from tempfile import TemporaryDirectory

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from bench.big_tables import fill
from bench.harness import BenchFigure
from bench.quiet_chain import MovedClock, QuietChain, find_head
from bench.surroundings import CHAIN_ID, database, settings, stub
from reminder_worker import passes
from reminder_worker.features import POLLED_PASSES
from reminder_worker.monitoring.node_bill import find_prices
from reminder_worker.runtime import Runtime, open_runtime
from reminder_worker.settings import Settings
from reminder_worker.settings.chains import PRESETS

TICKS = {"index": 5, "signals": 5, "due": 60, "watchdog": 60, "auto_renew": 300, "prices": 300, "statistics": 300}
TICK = 15  # seconds, of the other passes' sensors
HOURS = 2
LEGACIES = 100_000
# Read at some moment of the last day, and so due again at some moment of the next.
_SPREAD = text("""
    with numbered as (select legacy, row_number() over () as number from worker.watch),
    read as (
        select legacy, case when number % 10 = 0 then 1 else 3 end as type,
            cast(extract(epoch from now()) as bigint) - number % 79200 as at
        from numbered
    ),
    typed as (update worker.legacy set legacy_type = 1 from read where legacy = address and type = 1)
    update worker.watch set asked_at = read.at, next_ask = (read.at + 79200) / 3600 * 3600, legacy_type = read.type
    from read where read.legacy = watch.legacy
""")
_OF_STATISTICS = text("""
    select method, count from worker.node_request where endpoint like '1:%' and pass = 'statistics'
""")


@dataclass(frozen=True, slots=True)
class DayBill:
    """Requests of a day at the first endpoint by method, of all passes or of one."""

    requests: Counter[str]

    def price(self, host: str) -> float:
        """Return the units of the provider with this host."""
        prices = find_prices(f"https://{host}")
        return sum(prices.price_of(method) * count for method, count in self.requests.items())


async def measure() -> list[BenchFigure]:
    wide, _ = await _count_a_day(10_000)
    narrow, _ = await _count_a_day(10)
    narrow_400, _ = await _count_a_day(10, refusal=b"range too wide")
    growing = {legacies: await _count_a_day(10_000, legacies) for legacies in (100, 10_000, LEGACIES)}
    growth = 100 * (growing[LEGACIES][0].requests.total() / wide.requests.total() - 1)
    return [
        *_show_bill("node_bill", wide, "<= 8", "<= 1.2"),
        _show_units("node_bill.narrow", narrow, "<= 20"),
        _show_units("node_bill.narrow_400", narrow_400, "<= 20"),
        BenchFigure("node_bill.growth", growth, "% more requests", aim="<= 10"),
        *_show_growth(wide, growing),
        *(BenchFigure(f"node_bill.{method}", count, "requests/day") for method, count in sorted(wide.requests.items())),
    ]


def _show_growth(idle: DayBill, growing: Mapping[int, tuple[DayBill, DayBill]]) -> list[BenchFigure]:
    """Return the figures of operating.md's table, and the share of the statistics."""
    aims = {10_000: "<= 10", LEGACIES: "<= 30"}
    figures = []
    for legacies, (bill, of_statistics) in growing.items():
        name = f"node_bill.{legacies}"
        share = 100 * of_statistics.price("alchemy.com") / idle.price("alchemy.com")
        figures += [
            BenchFigure(f"{name}.requests", bill.requests.total(), "requests/day"),
            *_show_bill(name, bill),
            BenchFigure(f"{name}.statistics", share, "% of the idle bill", aim=aims.get(legacies, "")),
        ]
    return figures


def _show_bill(name: str, bill: DayBill, most_units: str = "", most_credits: str = "") -> list[BenchFigure]:
    credits_day = bill.price("infura.io") / 1e6
    return [
        _show_units(f"{name}.units_month", bill, most_units),
        BenchFigure(f"{name}.credits_day", credits_day, "million credits", aim=most_credits),
    ]


def _show_units(name: str, bill: DayBill, aim: str) -> BenchFigure:
    return BenchFigure(name, bill.price("alchemy.com") * 30 / 1e6, "million compute units", aim=aim)


async def _count_a_day(log_blocks: int, legacies: int = 0, refusal: bytes | None = None) -> tuple[DayBill, DayBill]:
    """Return the bill of all passes, and of the statistics alone."""
    first, second = QuietChain(log_blocks, refusal), QuietChain(log_blocks, refusal)
    with MovedClock() as clock, TemporaryDirectory(prefix="rw-bench-") as folder:
        async with (
            database() as (engine, url),
            stub("mail_stub") as mail_url,
            first.serve() as first_url,
            second.serve() as second_url,
        ):
            environ = {f"CHAIN_{CHAIN_ID}_{name}": value for name, value in PRESETS[1].items()}
            environ[f"CHAIN_{CHAIN_ID}_RPC_URLS"] = f"{first_url},{second_url}"
            environ[f"CHAIN_{CHAIN_ID}_START_BLOCK"] = str(find_head() - 50)
            environ[f"CHAIN_{CHAIN_ID}_SIGNAL_BLOCK"] = "safe"
            more = {"ENVIRONMENT": "production", "MAIL_URL": mail_url, "MAIL_TOKEN": "bench"}
            configured = settings(url, environ, **more, STATISTICS_FOLDER=folder)
            if legacies:
                await _fill(engine, legacies)
            async with open_runtime(configured) as runtime:
                await _pass_time(runtime, configured, clock, 1800 + _seconds_to_ten_past(1800))
                first.asked.clear()
                before = await _count_statistics(engine)
                await _pass_time(runtime, configured, clock, HOURS * 3600)
                counted = await _count_statistics(engine) - before
    return _of_a_day(first.asked), _of_a_day(counted)


def _seconds_to_ten_past(later: int) -> int:
    """Return the seconds from some seconds later until ten past an hour: so the hours have as many whole hours."""
    return int(600 - time.time() - later) % 3600


def _of_a_day(asked: Counter[str]) -> DayBill:
    return DayBill(Counter({method: count * 24 // HOURS for method, count in asked.items()}))


async def _count_statistics(engine: AsyncEngine) -> Counter[str]:
    found: Counter[str] = Counter()
    async with engine.connect() as connection:
        for method, count in await connection.execute(_OF_STATISTICS):
            found[method] += count
    return found


async def _fill(engine: AsyncEngine, legacies: int) -> None:
    await fill(engine, 0, {"legacy": legacies, "watch": legacies})
    async with engine.begin() as connection:
        await connection.execute(_SPREAD)


async def _pass_time(runtime: Runtime, configured: Settings, clock: MovedClock, seconds: int) -> None:
    """Poll as the sensors do, and do what is found in a process of its own: it knows nothing of the polls' heads."""
    steps = [step for step in POLLED_PASSES if step.off(configured) is None]
    for second in range(0, seconds, 5):
        clock.ahead += 5
        ticking = [step for step in steps if second % TICKS.get(step.name, TICK) == 0]
        found = await asyncio.gather(*(passes.poll_pass(runtime, step) for step in ticking))
        for step, outcomes in zip(ticking, found, strict=True):
            for outcome in outcomes:
                if outcome.error:
                    raise RuntimeError(f"{step.name}: {outcome.error}")
            if any(outcome.due for outcome in outcomes):
                async with open_runtime(configured) as of_a_run:
                    await passes.run_pass(of_a_run, step)
