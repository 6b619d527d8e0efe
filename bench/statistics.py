"""100,000 legacies and 100,000 timelocks of the index into counts, series and sums, and how much memory that takes.

Ours is from PostgreSQL: the rows of one snapshot streamed, parsed and aggregated, with the sums of what timelocks lock
and of what claims of every owner can move. The floor is the same figures in one Polars query over frames that are in
memory already.
"""

import asyncio
import multiprocessing
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

import polars as pl
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from bench.harness import BenchFigure, interleaved
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
        balances, ways = _reading_frames(*read)
        rows = await _rows(engine)
        expected = _figures(rows, read)
        locked = _locked_frame()
        floor_result = _in_one(rows, locked, balances, ways)
        _compare(expected, floor_result)

        async def ours() -> None:
            _figures(await _rows(engine), read)

        async def floor() -> None:
            _in_one(rows, locked, balances, ways)

        seconds, bare, ratio = await interleaved(ours, floor)
        memory = await asyncio.to_thread(_memory, url)
    return [
        BenchFigure("statistics", 2 * ROWS / seconds, "rows/s", 2 * ROWS / bare, ratio, "no database in the floor"),
        BenchFigure("statistics.seconds", seconds, "s", bare, ratio),
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
    moved = aggregates.sum_movable(*read)
    return {
        "counts": aggregates.count_by_state(rows.legacies, rows.timelocks),
        "days": len(aggregates.count_by_day(rows.legacies, rows.timelocks)),
        "amounts": aggregates.add_amounts(rows.locked, moved),
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


def _reading_frames(
    balances: Mapping[aggregates.HolderToken, int],
    allowances: Mapping[aggregates.HolderToken, Sequence[aggregates.TokenAllowance]],
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return balances and ways as the floor has them in memory."""
    held = [(*at, balance, allowances[at][0].shared) for at, balance in balances.items()]
    ways = [(*at, allowance.own) for at in balances for allowance in allowances[at]]
    names = {"holder": pl.String, "token": pl.String}
    return (
        pl.DataFrame(held, schema={**names, "balance": pl.Int128, "shared": pl.Int128}, orient="row"),
        pl.DataFrame(ways, schema={**names, "own": pl.Int128}, orient="row"),
    )


def _locked_frame() -> pl.DataFrame:
    """Return live timelocks as the floor holds them in memory."""
    rows = [(TOKENS[n % 10], n * 10**15) for n in range(1, ROWS + 1) if n % 4]
    return pl.DataFrame(rows, schema={"token": pl.String, "amount": pl.Int128}, orient="row")


def _in_one(rows: IndexRows, locked: pl.DataFrame, balances: pl.DataFrame, ways: pl.DataFrame) -> dict[str, Any]:
    """The same figures in one query, without a database and without regard to large numbers."""
    legacies, timelocks = rows.legacies.lazy(), rows.timelocks.lazy()
    deleted, activated = pl.col("deleted_at").is_not_null(), pl.col("activated_at").is_not_null()
    state = pl.when(deleted).then(pl.lit("deleted")).when(activated).then(pl.lit("activated")).otherwise(pl.lit("live"))
    moments = [
        legacies.select(at=pl.col("created_at"), what=pl.lit(0)),
        legacies.filter(activated).select(at=pl.col("activated_at"), what=pl.lit(1)),
        legacies.filter(deleted).select(at=pl.col("deleted_at"), what=pl.lit(2)),
        timelocks.select(at=pl.col("created_at"), what=pl.lit(3)),
        timelocks.filter(pl.col("lock_type") == 2).select(at=pl.col("created_at"), what=pl.lit(4)),
        timelocks.filter(pl.col("ended_at").is_not_null()).select(at=pl.col("ended_at"), what=pl.lit(5)),
    ]
    days = pl.concat(moments).group_by(pl.col("at") // DAY, "what").len()
    held = balances.lazy()
    own = ways.lazy().group_by("holder", "token").agg(
        pl.col("own").sum(), least=pl.col("own").min()
    )  # fmt: skip
    may = pl.col("own") - pl.col("least") + pl.max_horizontal("least", "shared")
    moved = held.join(own, on=["holder", "token"]).select("token", amount=pl.min_horizontal("balance", may))
    amounts = pl.concat([moved, locked.lazy()]).group_by("token").agg(pl.col("amount").sum())
    states, types, locks, by_day, sums = pl.collect_all(
        [
            legacies.group_by(state.alias("state")).len(),
            legacies.group_by("legacy_type").len(),
            timelocks.group_by("lock_type", "status").len(),
            days,
            amounts,
        ]
    )
    del types, locks
    return {
        "states": dict(states.iter_rows()),
        "days": by_day["at"].n_unique(),
        "amounts": dict(sums.iter_rows()),
    }


def _compare(ours: dict[str, Any], floor: dict[str, Any]) -> None:
    legacies = {name: ours["counts"]["legacies"][name] for name in ("live", "activated", "deleted")}
    if (legacies, ours["days"], ours["amounts"]) != (floor["states"], floor["days"], floor["amounts"]):
        raise RuntimeError("the floor's figures are others")


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
