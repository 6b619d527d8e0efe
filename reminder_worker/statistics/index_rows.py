"""The chain index read whole into frames: one snapshot of the tables, streamed, so that it may hold a million rows.

PostgreSQL writes lines of many rows at once, since a message for each row would cost more than all else, and Polars
parses them; what each timelock holds is summed on the way and never kept.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Final, LiteralString

import polars as pl
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.errors import IndexerUnavailable
from reminder_worker.indexer import store
from reminder_worker.indexer.chain_index import CURSOR
from reminder_worker.indexer.store import IndexCursor
from reminder_worker.settings import ChainSettings
from reminder_worker.statistics import aggregates, wide

PIECE_CHARACTERS: Final = 8 << 20
HOLDERS: Final = {"legacy": pl.String, "legacy_type": pl.Int16, "owner": pl.String}
_ASSETS: Final = {"token": pl.String, "amount": pl.String}

# A row as text is its fields with commas between and parentheses around; numbers and hex need no quotes.
_LINES: Final[LiteralString] = """
    select string_agg(line, chr(10)) from (
        select trim(both '()' from one::text) as line, row_number() over () / 5000 as part from ({}) as one
    ) as numbered group by part
"""
_LEGACIES: Final[LiteralString] = """
    select legacy_type, created_at, activated_at, deleted_at from worker.legacy where chain_id = :chain
"""
_LIVE: Final[LiteralString] = """
    select address, legacy_type, owner from worker.legacy
    where chain_id = :chain and activated_at is null and deleted_at is null
"""
# A timelock ends with the last of its vaults: the newest event that ended one.
_TIMELOCKS: Final[LiteralString] = """
    select t.lock_type, t.status, t.created_at, e.ended_at
    from worker.timelock t left join (
        select timelock_id, max(block_time) as ended_at from worker.chain_event
        where chain_id = :chain and timelock_id is not null
        and (name in ('FundsWithdrawn', 'TokensWithdrawn') or (name = 'ChangeStatus' and data ->> 'status' = '3'))
        group by timelock_id
    ) e on e.timelock_id = t.timelock_id and t.status = 3
    where t.chain_id = :chain
"""
# Each vault has a status of its own: what the ERC-20 vault has paid out is gone, also while another vault holds on.
_LOCKED: Final[LiteralString] = """
    select a.token, a.amount
    from worker.timelock t, jsonb_to_recordset(t.assets) as a(vault text, token text, amount text)
    where t.chain_id = :chain and t.status = 2 and a.vault = :vault and a.token = any(:tokens)
    and not exists (
        select from worker.chain_event e
        where e.chain_id = :chain and e.timelock_id = t.timelock_id and e.contract = :vault
        and (e.name = 'FundsWithdrawn' or (e.name = 'ChangeStatus' and e.data ->> 'status' = '3'))
    )
"""


@dataclass(frozen=True, slots=True)
class IndexRows:
    """All that one chain's index says. `at`: the block it is of. `locked`: base units by token in live timelocks."""

    at: IndexCursor
    legacies: pl.DataFrame
    timelocks: pl.DataFrame
    live: pl.DataFrame
    locked: Mapping[str, int]


async def read_history(engine: AsyncEngine, chain_id: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The frames of all legacies and all timelocks, for daily series."""
    async with _snapshot(engine) as connection:
        return await _history(connection, chain_id)


async def read_rows(
    engine: AsyncEngine, settings: ChainSettings, tokens_at: Callable[[str], Awaitable[frozenset[str]]]
) -> IndexRows:
    """`tokens_at`: which locked tokens count, at a block. Raises `IndexerUnavailable` before the index read a block."""
    async with _snapshot(engine) as connection:
        cursor = await store.read_cursor(connection, settings.chain_id, CURSOR)
        if cursor is None:
            raise IndexerUnavailable("our index has not read a block yet")
        given = {"chain": settings.chain_id, "vault": settings.timelock_erc20}
        locked: dict[str, int] = {}
        wanted = {**given, "tokens": sorted(await tokens_at(cursor.hash))}
        async for piece in _pieces(connection, _LOCKED, wanted, _ASSETS):
            locked = aggregates.added(locked, wide.decimal_totals(piece, "token", "amount"))
        legacies, timelocks = await _history(connection, settings.chain_id)
        live = [piece async for piece in _pieces(connection, _LIVE, given, HOLDERS)]
        return IndexRows(cursor, legacies, timelocks, _joined(live, HOLDERS), locked)


@asynccontextmanager
async def _snapshot(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    async with engine.connect() as connection:
        await connection.execution_options(isolation_level="REPEATABLE READ")
        yield connection


async def _history(connection: AsyncConnection, chain_id: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    given = {"chain": chain_id}
    legacies = [piece async for piece in _pieces(connection, _LEGACIES, given, aggregates.LEGACIES)]
    timelocks = [piece async for piece in _pieces(connection, _TIMELOCKS, given, aggregates.TIMELOCKS)]
    return _joined(legacies, aggregates.LEGACIES), _joined(timelocks, aggregates.TIMELOCKS)


async def _pieces(
    connection: AsyncConnection, statement: LiteralString, given: Mapping[str, Any], schema: Mapping[str, Any]
) -> AsyncIterator[pl.DataFrame]:
    """The rows of a query, some megabytes at a time."""
    streamed = await connection.stream(text(_LINES.format(statement)), dict(given))
    buffer: list[str] = []
    size = 0
    async for (lines,) in streamed:
        buffer.append(lines)
        size += len(lines)
        if size > PIECE_CHARACTERS:
            yield _parsed(buffer, schema)
            buffer, size = [], 0
    if buffer:
        yield _parsed(buffer, schema)


def _parsed(lines: list[str], schema: Mapping[str, Any]) -> pl.DataFrame:
    return pl.read_csv(BytesIO("\n".join(lines).encode()), has_header=False, schema=dict(schema))


def _joined(pieces: list[pl.DataFrame], schema: Mapping[str, Any]) -> pl.DataFrame:
    return pl.concat(pieces) if pieces else pl.DataFrame(schema=dict(schema))
