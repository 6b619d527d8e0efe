"""The chain index read whole into frames: one snapshot of the tables, streamed, so that it may hold a million rows.

COPY writes CSV and Polars parses it, a few megabytes at a time; what each timelock holds is summed on the way and
never kept. Of a million legacies and a million timelocks about 200 MB stay.
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
from reminder_worker.indexer import index_tables
from reminder_worker.indexer.index_tables import Cursor
from reminder_worker.settings import ChainSettings
from reminder_worker.statistics import aggregates

PIECE_BYTES: Final = 8 << 20
CURSOR: Final = "index"
HOLDERS: Final = {"legacy": pl.String, "legacy_type": pl.Int16, "owner": pl.String}
_ASSETS: Final = {"token": pl.String, "amount": pl.String}

_LEGACIES: Final[LiteralString] = """
    copy (select legacy_type, created_at, activated_at, deleted_at from worker.legacy where chain_id = %(chain)s)
    to stdout with (format csv)
"""
_LIVE: Final[LiteralString] = """
    copy (
        select address, legacy_type, owner from worker.legacy
        where chain_id = %(chain)s and activated_at is null and deleted_at is null
    ) to stdout with (format csv)
"""
# A timelock ends with the last of its vaults: the newest event that ended one.
_TIMELOCKS: Final[LiteralString] = """
    copy (
        select t.lock_type, t.status, t.created_at, e.ended_at
        from worker.timelock t left join (
            select timelock_id, max(block_time) as ended_at from worker.chain_event
            where chain_id = %(chain)s and timelock_id is not null
            and (name in ('FundsWithdrawn', 'TokensWithdrawn') or (name = 'ChangeStatus' and data ->> 'status' = '3'))
            group by timelock_id
        ) e on e.timelock_id = t.timelock_id and t.status = 3
        where t.chain_id = %(chain)s
    ) to stdout with (format csv)
"""
# Each vault has a status of its own: what the ERC-20 vault has paid out is gone, also while another vault holds on.
_LOCKED: Final[LiteralString] = """
    copy (
        select a.token, a.amount
        from worker.timelock t, jsonb_to_recordset(t.assets) as a(vault text, token text, amount text)
        where t.chain_id = %(chain)s and t.status = 2 and a.vault = %(vault)s and a.token = any(%(tokens)s)
        and not exists (
            select from worker.chain_event e
            where e.chain_id = t.chain_id and e.timelock_id = t.timelock_id and e.contract = a.vault
            and (e.name = 'FundsWithdrawn' or (e.name = 'ChangeStatus' and e.data ->> 'status' = '3'))
        )
    ) to stdout with (format csv)
"""


@dataclass(frozen=True, slots=True)
class IndexRows:
    """All that one chain's index says. `at`: the block it is of. `locked`: base units by token in live timelocks."""

    at: Cursor
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
    """`tokens_at`: which tokens count, at a block hash. Raises `IndexerUnavailable` before the index read a block."""
    async with _snapshot(engine) as connection:
        cursor = await index_tables.read_cursor(connection, settings.chain_id, CURSOR)
        if cursor is None:
            raise IndexerUnavailable("our index has not read a block yet")
        given = {"chain": settings.chain_id, "vault": settings.timelock_erc20}
        locked: dict[str, int] = {}
        wanted = {**given, "tokens": sorted(await tokens_at(cursor.hash))}
        async for piece in _pieces(connection, _LOCKED, wanted, _ASSETS):
            locked = aggregates.added(locked, aggregates.locked(piece))
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
    """What a COPY says, some megabytes at a time."""
    begun = await connection.execute(text("select 1"))  # so that the transaction is SQLAlchemy's
    begun.close()
    driver: Any = (await connection.get_raw_connection()).driver_connection
    buffer = bytearray()
    async with driver.cursor() as cursor, cursor.copy(statement, dict(given)) as copy:
        async for some in copy:
            buffer += some
            if len(buffer) > PIECE_BYTES:
                end = buffer.rindex(b"\n") + 1
                yield _parsed(bytes(buffer[:end]), schema)
                del buffer[:end]
    if buffer:
        yield _parsed(bytes(buffer), schema)


def _parsed(lines: bytes, schema: Mapping[str, Any]) -> pl.DataFrame:
    return pl.read_csv(BytesIO(lines), has_header=False, schema=dict(schema))


def _joined(pieces: list[pl.DataFrame], schema: Mapping[str, Any]) -> pl.DataFrame:
    return pl.concat(pieces) if pieces else pl.DataFrame(schema=dict(schema))
