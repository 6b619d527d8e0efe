"""Figures from rows of the chain index. No result is about one user.

A legacy is `deleted` if its deletion is known: by its event, or for a Safe legacy by the legacy's own answer. Otherwise
it is `activated` from its first claim on, and `live` before. Timelocks are `live` or `ended` by their status; `gifts`
counts all gifts ever sealed. A day is a UTC day of the block's time.
"""

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Final

import polars as pl
from sqlalchemy import TextClause, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.errors import IndexerUnavailable
from reminder_worker.indexer import store
from reminder_worker.indexer.chain_index import CURSOR
from reminder_worker.indexer.models import ENDED, EOA, GIFT, LIVE, SAFE
from reminder_worker.indexer.store import IndexCursor
from reminder_worker.settings import ChainSettings
from reminder_worker.statistics.tables import sql

LEGACIES: Final = {
    "legacy_type": pl.Int16,
    "created_at": pl.Int64,
    "activated_at": pl.Int64,
    "deleted_at": pl.Int64,
}
"""Columns of the frame of legacies; unix seconds, null if it did not happen."""
TIMELOCKS: Final = {"lock_type": pl.Int16, "status": pl.Int16, "created_at": pl.Int64, "ended_at": pl.Int64}
"""Columns of the frame of timelocks; unix seconds, null if not ended."""
HolderToken = tuple[str, str]
SERIES: Final = (
    "legacies_created",
    "legacies_activated",
    "legacies_deleted",
    "timelocks_sealed",
    "gifts_sealed",
    "timelocks_withdrawn",
)


def count_by_state(legacies: pl.DataFrame, timelocks: pl.DataFrame, unseen: int = 0) -> dict[str, Any]:
    """Return `{legacies: {total, live, activated, deleted, byType}, timelocks: {total, live, ended, gifts}}`.

    `unseen`: the number of deleted legacies whose rows do not say so.
    """
    is_deleted = pl.col("deleted_at").is_not_null()
    is_activated = pl.col("activated_at").is_not_null() & ~is_deleted
    of_legacies = legacies.select(
        pl.len().alias("total"),
        ((~is_deleted & ~is_activated).sum().cast(pl.Int64) - unseen).alias("live"),
        is_activated.sum().alias("activated"),
        (is_deleted.sum().cast(pl.Int64) + unseen).alias("deleted"),
        (pl.col("legacy_type") == EOA).sum().alias("eoa"),
        (pl.col("legacy_type") == SAFE).sum().alias("safe"),
    ).row(0, named=True)
    of_timelocks = timelocks.select(
        pl.len().alias("total"),
        (pl.col("status") == LIVE).sum().alias("live"),
        (pl.col("status") == ENDED).sum().alias("ended"),
        (pl.col("lock_type") == GIFT).sum().alias("gifts"),
    ).row(0, named=True)
    by_type = {name: of_legacies.pop(name) for name in ("eoa", "safe")}
    return {"legacies": {**of_legacies, "byType": by_type}, "timelocks": of_timelocks}


def count_by_day(legacies: pl.DataFrame, timelocks: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each day with an event: its numbers, and the totals until its end (`total_...`)."""
    gifts = timelocks.filter(pl.col("lock_type") == GIFT)
    moments = (
        legacies["created_at"],
        legacies["activated_at"],
        legacies["deleted_at"],
        timelocks["created_at"],
        gifts["created_at"],
        timelocks["ended_at"],
    )
    parts = [
        pl.DataFrame({"day": at.drop_nulls() // 86_400}, schema={"day": pl.Int64}).with_columns(series=pl.lit(name))
        for name, at in zip(SERIES, moments, strict=True)
    ]
    happened = pl.concat(parts)
    by_day = happened.group_by("day").agg(
        [(pl.col("series") == name).sum().cast(pl.Int64).alias(name) for name in SERIES]
    )
    return (
        by_day.sort("day")
        .with_columns([pl.col(name).cum_sum().alias(f"total_{name}") for name in SERIES])
        .with_columns(pl.col("day").cast(pl.Int32).cast(pl.Date))
    )


@dataclass(frozen=True, slots=True)
class TokenAllowance:
    """Allowances that one legacy of a holder may use for a token.

    `own`: the largest allowance for this legacy alone. `shared`: the allowance for its pull vault, which all legacies
    with the same `vault` share; the vault is empty for none.
    """

    own: int
    vault: str = ""
    shared: int = 0


def find_movable(
    balances: Mapping[HolderToken, int], allowances: Mapping[HolderToken, Sequence[TokenAllowance]]
) -> dict[HolderToken, int]:
    """Return base units that claims can move: the smaller of balance and allowances.

    Each legacy uses its own allowance. A vault's allowance counts once: the legacy of this vault with the smallest own
    allowance uses it, if it is larger.
    """
    found: dict[HolderToken, int] = {}
    for at, balance in balances.items():
        least: dict[str, int] = {}
        shared: dict[str, int] = {}
        total = 0
        for allowance in allowances.get(at, ()):
            total += allowance.own
            least[allowance.vault] = min(allowance.own, least.get(allowance.vault, allowance.own))
            shared[allowance.vault] = allowance.shared
        total += sum(max(shared[vault] - smallest, 0) for vault, smallest in least.items())
        found[at] = min(balance, total)
    return found


def add_amounts(*amounts: Mapping[str, int]) -> dict[str, int]:
    """Return the sums by token."""
    found: Counter[str] = Counter()
    for by_token in amounts:
        found.update(by_token)
    return found


@dataclass(frozen=True, slots=True)
class IndexRows:
    """Rows of one chain's index at the block `at`. `locked`: base units by token in live timelocks."""

    at: IndexCursor
    legacies: pl.DataFrame
    timelocks: pl.DataFrame
    locked: Mapping[str, int]


async def read_history(engine: AsyncEngine, chain_id: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the frames of all legacies and all timelocks, for daily series."""
    async with _open_snapshot(engine) as connection:
        return await _read_history(connection, chain_id)


async def read_rows(
    engine: AsyncEngine, settings: ChainSettings, tokens_at: Callable[[str], Awaitable[frozenset[str]]]
) -> IndexRows:
    """Read all rows; `tokens_at` returns the tokens that count at a block. Raises `IndexerUnavailable` without one."""
    async with _open_snapshot(engine) as connection:
        cursor = await store.read_cursor(connection, settings.chain_id, CURSOR)
        if cursor is None:
            raise IndexerUnavailable("our index has not read a block yet")
        given = {"chain": settings.chain_id, "vault": settings.timelock_erc20}
        wanted = {**given, "tokens": sorted(await tokens_at(cursor.hash))}
        locked = {token: int(amount) for token, amount in await connection.execute(sql["locked_amounts"], wanted)}
        legacies, timelocks = await _read_history(connection, settings.chain_id)
        return IndexRows(cursor, legacies, timelocks, locked)


@asynccontextmanager
async def _open_snapshot(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    async with engine.connect() as connection:
        await connection.execution_options(isolation_level="REPEATABLE READ")
        yield connection


async def _read_history(connection: AsyncConnection, chain_id: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    legacies = await _read_frame(connection, sql["legacies"], chain_id, LEGACIES)
    return legacies, await _read_frame(connection, sql["timelocks"], chain_id, TIMELOCKS)


async def _read_frame(
    connection: AsyncConnection, statement: TextClause, chain_id: int, schema: Mapping[str, Any]
) -> pl.DataFrame:
    """Read up to a million rows, parsed in pieces of some megabytes.

    PostgreSQL returns lines of many rows at once: a message for each row would cost more than all other work. The text
    of a row is its fields with commas between and parentheses around; numbers and hex need no quotes.
    """
    lines = """
        select string_agg(line, chr(10)) from (
            select trim(both '()' from one::text) as line, row_number() over () / 5000 as part from ({}) as one
        ) as numbered group by part
    """
    streamed = await connection.stream(text(lines.format(statement.text)), {"chain": chain_id})
    pieces, buffer, size = [pl.DataFrame(schema=dict(schema))], list[str](), 0

    def parse_buffer() -> None:
        if buffer:
            read = pl.read_csv(BytesIO("\n".join(buffer).encode()), has_header=False, schema=dict(schema))
            pieces.append(read)
            buffer.clear()

    async for (part,) in streamed:
        buffer.append(part)
        size += len(part)
        if size > 8 << 20:
            parse_buffer()
            size = 0
    parse_buffer()
    return pl.concat(pieces)
