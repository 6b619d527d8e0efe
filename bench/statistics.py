"""100,000 legacies and 100,000 timelocks of the index into counts, series and sums, and how much memory that takes.

The rows of one snapshot are streamed from PostgreSQL, parsed and aggregated, with the sums of what timelocks lock and
of what claims of every owner can move.
"""

import asyncio
import multiprocessing
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from statistics import median
from typing import Any, Final

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from bench.harness import RUNS, BenchFigure, seconds_of
from bench.surroundings import CHAIN_ID, database
from reminder_worker.database.engine import open_engine
from reminder_worker.settings import ChainSettings
from reminder_worker.statistics import aggregates
from reminder_worker.statistics.aggregates import IndexRows, read_rows

ChainReading = tuple[
    Mapping[aggregates.HolderToken, int], Mapping[aggregates.HolderToken, Sequence[aggregates.TokenAllowance]]
]
ROWS: Final = 100_000
TOKENS: Final = tuple(f"0x{number:040x}" for number in range(1, 11))
VAULT: Final = "0x" + "ee" * 20
DAY: Final = 86_400
_HASH: Final = "0x" + "11" * 32

_CURSOR = text(
    "insert into worker.index_cursor (chain_id, name, block_number, block_hash) values (:chain, 'index', 1, :hash)"
)
_LEGACIES = text("""
    insert into worker.legacy (chain_id, address, router, legacy_id, legacy_type, creator, owner, created_block,
                               created_at, activated_at, deleted_at)
    select :chain, '0x' || lpad(to_hex(n), 40, '0'), :vault, n, case when n % 10 = 0 then 1 else 3 end,
           '0x' || lpad(to_hex(n / 2), 40, 'a'), '0x' || lpad(to_hex(n / 2), 40, 'a'), n, n * 600,
           case when n % 20 = 7 then n * 600 + 86400 end, case when n % 20 = 3 then n * 600 + 172800 end
    from generate_series(1, :rows) as n
""")
_TIMELOCKS = text("""
    insert into worker.timelock (chain_id, timelock_id, lock_type, owner, recipient, unlock_time, status, assets,
                                 created_block, created_at)
    select :chain, n, n % 3, :vault, :vault, n * 600 + 86400, case when n % 4 = 0 then 3 else 2 end,
           jsonb_build_array(jsonb_build_object(
               'vault', cast(:vault as varchar), 'token', (cast(:tokens as text[]))[1 + n % 10], 'id', null,
               'amount', (n::numeric * 1000000000000000)::text
           )),
           n, n * 600
    from generate_series(1, :rows) as n
""")
_EVENTS = text("""
    insert into worker.chain_event (chain_id, block_number, log_index, block_hash, block_time, tx_hash, contract, name,
                                    timelock_id, data)
    select :chain, n, 0, :hash, n * 600 + 90000, :hash, :vault, 'FundsWithdrawn', n, '{}'
    from generate_series(4, :rows, 4) as n
""")


async def measure() -> list[BenchFigure]:
    async with database() as (engine, url):
        await _fill(engine)
        read = _read_from_chain()

        async def aggregate() -> None:
            _figures(await _rows(engine), read)

        seconds = median([await seconds_of(aggregate) for _ in range(RUNS)])
        memory = await asyncio.to_thread(_memory, url)
    return [
        BenchFigure("statistics", 2 * ROWS / seconds, "rows/s"),
        BenchFigure("statistics.seconds", seconds, "s"),
        BenchFigure("statistics.memory", memory, "MiB above the imports, at most"),
    ]


async def _fill(engine: AsyncEngine) -> None:
    given = {"chain": CHAIN_ID, "hash": _HASH, "vault": VAULT, "rows": ROWS, "tokens": list(TOKENS)}
    async with engine.begin() as connection:
        for statement in (_CURSOR, _LEGACIES, _TIMELOCKS, _EVENTS):
            names = statement.compile().params
            await connection.execute(statement, {name: given[name] for name in names})
    async with engine.connect() as connection:
        await (await connection.execution_options(isolation_level="AUTOCOMMIT")).execute(text("vacuum analyze"))


def _settings() -> ChainSettings:
    return ChainSettings.model_construct(chain_id=CHAIN_ID, timelock_erc20=VAULT)


async def _rows(engine: AsyncEngine) -> IndexRows:
    async def tokens(_: str) -> frozenset[str]:
        return frozenset(TOKENS)

    return await read_rows(engine, _settings(), tokens)


def _figures(rows: IndexRows, read: ChainReading) -> dict[str, Any]:
    by_token: Counter[str] = Counter()
    for (_, token), amount in aggregates.find_movable(*read).items():
        by_token[token] += amount
    return {
        "counts": aggregates.count_by_state(rows.legacies, rows.timelocks),
        "days": len(aggregates.count_by_day(rows.legacies, rows.timelocks)),
        "amounts": aggregates.add_amounts(rows.locked, by_token),
    }


def _read_from_chain() -> ChainReading:
    """Return the same reading each time: an owner of two legacies holds one token, allowed in part."""
    random = Random(5)
    balances, allowances = {}, {}
    for number in range(ROWS // 2):
        at = f"0x{number:040x}", TOKENS[number % len(TOKENS)]
        balance, shared, *own = (random.randrange(10**24) for _ in range(4))
        balances[at] = balance
        allowances[at] = [aggregates.TokenAllowance(amount, VAULT, shared) for amount in own]
    return balances, allowances


def _memory(url: str) -> float:
    """Return the memory of reading and aggregating in a separate process."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return float(pool.apply(_peak, (url,)))


def _peak(url: str) -> float:
    """MiB at the highest, above what the imports take."""
    before = _highest_kib()

    async def once() -> None:
        engine = open_engine(url)
        rows = await _rows(engine)
        aggregates.count_by_state(rows.legacies, rows.timelocks)
        aggregates.count_by_day(rows.legacies, rows.timelocks)
        await engine.dispose()

    asyncio.run(once())
    return (_highest_kib() - before) / 1024


def _highest_kib() -> int:
    """Return the peak memory of this process; the figure of getrusage is inherited."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
