"""The budget: 1,000,000 watched legacies with a recipient each, and a ledger of as many emails, on one database.

Real tables, a stubbed node. What a look and a run take, how large the database is, and that no plan of a statement
reads a table whole that `bench.plans.WHOLE_BY_DESIGN` does not name.
"""

from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median
from time import perf_counter

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from bench.big_tables import big_tables, fill
from bench.growth import stubbed_settings
from bench.harness import RUNS, Figure
from bench.node_stub import NOW
from bench.plans import WHOLE_BY_DESIGN, whole_reads
from bench.surroundings import database, stub
from reminder_worker import operations
from reminder_worker.chain.client import Chain
from reminder_worker.indexer.chain_index import ChainIndex
from reminder_worker.reminders.ledger import Ledger
from reminder_worker.reminders.windows import DuePass
from reminder_worker.settings import Settings

ROWS = 1_000_000
OTHERS = 20_000  # of the tables that do not grow with legacies
TABLES = ("recipient", "legacy_write", "watch", "legacy", "reminder_config", "sent_ledger")
DUE = 40_000  # what an hour brings: each legacy is asked about once a day
_NONE_DUE = text("update worker.watch set next_ask = :now + 60 where next_ask <= :now")
_DUE = text("""
    update worker.watch set next_ask = :now - 1, asked_at = null
    where (chain_id, legacy) in (select chain_id, legacy from worker.watch order by legacy limit :count)
""")
_STATUS = Path("/proc/self/status")


async def measure() -> list[Figure]:
    async with database() as (engine, url), stub("node_stub") as node_url:
        others = {table.name: OTHERS for table in big_tables()}
        await fill(engine, OTHERS, {**others, **dict.fromkeys(TABLES, ROWS)})
        configured = stubbed_settings(url, node_url)
        chain = Chain.connect(configured.chains[0])
        try:
            return [*await _passes(engine, chain, configured), *await _questions(engine), *await _database(engine)]
        finally:
            await chain.close()


async def _passes(engine: AsyncEngine, chain: Chain, configured: Settings) -> list[Figure]:
    due = DuePass(engine, chain, ChainIndex(engine, chain), configured.reminders)
    ledger = Ledger(engine, daily_cap=100)
    async with engine.begin() as connection:
        await connection.execute(_NONE_DUE, {"now": NOW})
        await connection.execute(text("update worker.sent_ledger set state = 'dropped' where state = 'queued'"))
    for _ in range(12):  # until every statement is a prepared one
        if await due.look() or await ledger.has_work():
            raise RuntimeError("nothing is due")
    idle = (
        [await _milliseconds(due.look) for _ in range(RUNS)],
        [await _milliseconds(ledger.has_work) for _ in range(RUNS)],
    )
    rates, before = [], _memory("VmRSS")
    for _ in range(3):
        async with engine.begin() as connection:
            await connection.execute(_DUE, {"now": NOW, "count": DUE})
        began = perf_counter()
        report = await due.run()
        rates.append(report.asked / (perf_counter() - began))
        if report.asked != DUE:
            raise RuntimeError(f"{report.asked} of {DUE} were asked about")
    rate = median(rates)
    return [
        Figure("million.due.look", median(idle[0]), "ms, nothing due, one answer of the node with it"),
        Figure("million.dispatch.look", median(idle[1]), "ms, nothing due"),
        Figure("million.due.run", rate, "legacies/s"),
        Figure("million.due.day", ROWS / rate, "s of a day to ask about all once"),
        Figure("million.due.memory", (_memory("VmHWM") - before) / 1024, f"MiB more at the highest, {DUE} due"),
    ]


async def _questions(engine: AsyncEngine) -> list[Figure]:
    asked = (
        operations.waiting_emails,
        operations.undecided_emails,
        operations.sends_per_day,
        operations.paused_legacies,
        operations.next_ask,
    )
    seconds = [await _milliseconds(lambda ask=ask: ask(engine)) for ask in asked]  # type: ignore[misc]
    slow = dict(zip((each.__name__ for each in asked), seconds, strict=True))
    found = {name: reads for name, reads in (await whole_reads(engine)).items() if name not in WHOLE_BY_DESIGN}
    if found:
        raise RuntimeError(f"whole tables are read: {found}")
    return [
        Figure("million.gauges", sum(slow.values()), "ms, the questions of a scrape about reminders"),
        Figure("million.whole_reads", len(found), "statements that read a table that grows whole", None, None, "0"),
    ]


async def _database(engine: AsyncEngine) -> list[Figure]:
    async with engine.connect() as connection:
        size = await connection.scalar(text("select pg_database_size(current_database())"))
    return [Figure("million.database", float(size or 0) / 2**30, "GiB, one email each")]


async def _milliseconds(work: Callable[[], Awaitable[object]]) -> float:
    began = perf_counter()
    await work()
    return (perf_counter() - began) * 1000


def _memory(name: str) -> int:
    """KiB of this process."""
    return next(int(line.split()[1]) for line in _STATUS.read_text().splitlines() if line.startswith(name))
