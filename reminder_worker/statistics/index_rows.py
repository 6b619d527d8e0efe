"""Rows of the chain index as frames: one database snapshot, streamed, for up to a million rows.

PostgreSQL returns lines of many rows at once and Polars parses them: a message for each row would cost more than all
other work.
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
from reminder_worker.statistics import aggregates

HOLDERS: Final = {"legacy": pl.String, "legacy_type": pl.Int16, "owner": pl.String}

# The text of a row is its fields with commas between and parentheses around; numbers and hex need no quotes.
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
# Each vault has a status of its own: amounts paid out by the ERC-20 vault do not count, also while another vault holds.
_LOCKED: Final[LiteralString] = """
    select a.token, cast(sum(cast(a.amount as numeric)) as text)
    from worker.timelock t, jsonb_to_recordset(t.assets) as a(vault text, token text, amount text)
    where t.chain_id = :chain and t.status = 2 and a.vault = :vault and a.token = any(:tokens)
    and not exists (
        select from worker.chain_event e
        where e.chain_id = :chain and e.timelock_id = t.timelock_id and e.contract = :vault
        and (e.name = 'FundsWithdrawn' or (e.name = 'ChangeStatus' and e.data ->> 'status' = '3'))
    )
    group by a.token
"""


@dataclass(frozen=True, slots=True)
class IndexRows:
    """Rows of one chain's index at the block `at`. `locked`: base units by token in live timelocks."""

    at: IndexCursor
    legacies: pl.DataFrame
    timelocks: pl.DataFrame
    live: pl.DataFrame
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
        locked = {token: int(amount) for token, amount in await connection.execute(text(_LOCKED), wanted)}
        legacies, timelocks = await _read_history(connection, settings.chain_id)
        live = [frame async for frame in _stream_frames(connection, _LIVE, given, HOLDERS)]
        return IndexRows(cursor, legacies, timelocks, _concatenate(live, HOLDERS), locked)


@asynccontextmanager
async def _open_snapshot(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    async with engine.connect() as connection:
        await connection.execution_options(isolation_level="REPEATABLE READ")
        yield connection


async def _read_history(connection: AsyncConnection, chain_id: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    given = {"chain": chain_id}
    legacies = [frame async for frame in _stream_frames(connection, _LEGACIES, given, aggregates.LEGACIES)]
    timelocks = [frame async for frame in _stream_frames(connection, _TIMELOCKS, given, aggregates.TIMELOCKS)]
    return _concatenate(legacies, aggregates.LEGACIES), _concatenate(timelocks, aggregates.TIMELOCKS)


async def _stream_frames(
    connection: AsyncConnection, statement: LiteralString, given: Mapping[str, Any], schema: Mapping[str, Any]
) -> AsyncIterator[pl.DataFrame]:
    """Yield the rows of a query as frames of some megabytes."""
    streamed = await connection.stream(text(_LINES.format(statement)), dict(given))
    buffer: list[str] = []
    size = 0
    async for (lines,) in streamed:
        buffer.append(lines)
        size += len(lines)
        if size > 8 << 20:
            yield _parse_lines(buffer, schema)
            buffer, size = [], 0
    if buffer:
        yield _parse_lines(buffer, schema)


def _parse_lines(lines: list[str], schema: Mapping[str, Any]) -> pl.DataFrame:
    return pl.read_csv(BytesIO("\n".join(lines).encode()), has_header=False, schema=dict(schema))


def _concatenate(pieces: list[pl.DataFrame], schema: Mapping[str, Any]) -> pl.DataFrame:
    return pl.concat(pieces) if pieces else pl.DataFrame(schema=dict(schema))
