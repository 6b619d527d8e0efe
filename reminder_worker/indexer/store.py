"""The statements of the chain index, each for many rows at once. Every function works in the caller's transaction."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from typing import Any

from sqlalchemy import ARRAY, BigInteger, Row, String, Table, and_, any_, bindparam, cast, delete, func, select
from sqlalchemy.dialects.postgresql import JSON, insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.chain.logs import LogLimit
from reminder_worker.database.queries import read_rows
from reminder_worker.database.tables import SCHEMA, age, metadata
from reminder_worker.indexer.models import MOST_ASSETS, MOST_LOOKED_AT, IndexedLegacy
from reminder_worker.indexer.projection import TABLE_PROJECTIONS, ChainEvent, TableProjection
from reminder_worker.indexer.tables import chain_event, index_cursor, legacy, sql

Keys = Collection[str] | Collection[int]
EVENT_COLUMNS = tuple(chain_event.c[name] for name in ChainEvent.__dataclass_fields__)
LogPosition = tuple[int, int, str]  # block, log index, block hash
Forgotten = Row[str, str | None, str | None, int | None]  # name, legacy, creator, timelock of an event


@dataclass(frozen=True, slots=True)
class IndexCursor:
    """The last block that a reader has read. `stored` is false for the place before a chain that was never read."""

    number: int
    hash: str
    stored: bool = True
    moved_at: datetime | None = field(default=None, compare=False)


async def read_cursor(connection: AsyncConnection, chain_id: int, name: str) -> IndexCursor | None:
    c = index_cursor.c
    statement = select(c.block_number, c.block_hash, c.moved_at).where(c.chain_id == chain_id, c.name == name)
    row = (await connection.execute(statement)).one_or_none()
    return None if row is None else IndexCursor(row.block_number, row.block_hash, moved_at=row.moved_at)


async def move_cursor(
    connection: AsyncConnection, chain_id: int, name: str, old: IndexCursor, new: IndexCursor, source: str | None
) -> bool:
    """Move a reader's cursor from `old` to `new`; `source` None leaves the stored one.

    Return False when another process moved it since `old` was read: then the caller must not write anything. Call
    this first in a transaction: it locks the row, which serialises the writers.
    """
    values = {"chain_id": chain_id, "name": name, "block": new.number, "hash": new.hash, "source": source}
    if old.stored:
        statement, values = sql["move_cursor"], values | {"old_block": old.number, "old_hash": old.hash}
    else:
        statement = sql["first_cursor"]
    return (await connection.execute(statement, values)).one_or_none() is not None


async def follow_cursor(
    connection: AsyncConnection, chain_id: int, name: str, contract: str, old: IndexCursor, new: IndexCursor
) -> None:
    """Move the cursor of a contract's own reader along with the index, if it stood at the index's old block."""
    values = {"chain_id": chain_id, "name": name, "block": new.number, "hash": new.hash, "contract": contract}
    await connection.execute(sql["follow_cursor"], values | {"old_block": old.number, "old_hash": old.hash})


async def take_cursor_back(connection: AsyncConnection, chain_id: int, name: str, place: IndexCursor) -> None:
    """Let a reader above this block go on from there."""
    values = {"chain_id": chain_id, "name": name, "block": place.number, "hash": place.hash}
    await connection.execute(sql["take_cursor_back"], values)


async def recall_limits(connection: AsyncConnection, chain_id: int, limits: Mapping[str, LogLimit]) -> None:
    """Take over what other processes have learned about the endpoints' limits, by endpoint."""
    values = {"chain_id": chain_id, "endpoints": list(limits)}
    for row in await connection.execute(sql["recall_limits"], values):
        limits[row.endpoint].recall(row.blocks, row.wider_at)


async def store_limits(connection: AsyncConnection, chain_id: int, limits: Mapping[str, LogLimit]) -> None:
    """Store these limits, unless another process learned something later."""
    for name, limit in sorted(limits.items()):
        values = {"chain_id": chain_id, "endpoint": name, "blocks": limit.most, "wider_at": limit.wider_at}
        await connection.execute(sql["store_limit"], values)
        limit.is_stored = True


async def add_events(connection: AsyncConnection, chain_id: int, events: Sequence[ChainEvent]) -> None:
    names = [column.name for column in EVENT_COLUMNS]
    rows = [{"chain_id": chain_id, **{name: getattr(event, name) for name in names}} for event in events]
    await _upsert_rows(connection, chain_event, rows)


async def known_logs(
    connection: AsyncConnection, chain_id: int, contracts: Collection[str], first: int
) -> set[LogPosition]:
    """Return the stored logs of these contracts, from block `first` on."""
    c = chain_event.c
    logs = select(c.block_number, c.log_index, c.block_hash)
    logs = logs.where(c.chain_id == chain_id, c.block_number >= first, c.contract == any_of(contracts))
    return {tuple(row) for row in await connection.execute(logs)}


async def find_first_event(connection: AsyncConnection, chain_id: int, first: int) -> int | None:
    """Return the first block from `first` on with a stored event, or None."""
    query = select(func.min(chain_event.c.block_number))
    query = query.where(chain_event.c.chain_id == chain_id, chain_event.c.block_number >= first)
    found: int | None = (await connection.execute(query)).scalar_one()
    return found


async def event_blocks(
    connection: AsyncConnection, chain_id: int, contracts: Collection[str], last: int
) -> list[IndexCursor]:
    """Return the newest 50 blocks up to `last` with a stored event of these contracts, the newest first."""
    c = chain_event.c
    blocks = select(c.block_number, c.block_hash).distinct(c.block_number)
    blocks = blocks.where(c.chain_id == chain_id, c.block_number <= last, c.contract == any_of(contracts))
    rows = await connection.execute(blocks.order_by(c.block_number.desc()).limit(50))
    return [IndexCursor(*row) for row in rows]


async def project_again(connection: AsyncConnection, chain_id: int, touched: Sequence[ChainEvent | Forgotten]) -> None:
    """Make the rows of every key that these events touch what all stored events say."""
    for name, fold in TABLE_PROJECTIONS.items():
        keys = {getattr(event, fold.by) for event in touched if event.name in fold.events} - {None}
        if keys:
            await _project_rows(connection, chain_id, metadata.tables[f"{SCHEMA}.{name}"], fold, sorted(keys))


async def forget_after(
    connection: AsyncConnection, chain_id: int, contracts: Collection[str], last: int
) -> Sequence[Forgotten]:
    """Delete the events of these contracts above block `last`, and project their keys again."""
    values = {"chain_id": chain_id, "contracts": list(contracts), "last": last}
    events = (await connection.execute(sql["forget_after"], values)).all()
    await project_again(connection, chain_id, events)
    return events


async def forget_logs(connection: AsyncConnection, chain_id: int, logs: Collection[LogPosition]) -> None:
    """Delete single events, and project their keys again."""
    if logs:
        blocks, indexes, hashes = map(list, zip(*logs, strict=True))
        values = {"chain_id": chain_id, "blocks": blocks, "indexes": indexes, "hashes": hashes}
        await project_again(connection, chain_id, (await connection.execute(sql["forget_logs"], values)).all())


async def select_events(
    connection: AsyncConnection, chain_id: int, names: Collection[str], first: int, last: int
) -> list[ChainEvent]:
    """Return the events of blocks first..last, both included, in log order."""
    c = chain_event.c
    events = select(*EVENT_COLUMNS).where(c.chain_id == chain_id, c.block_number.between(first, last))
    events = events.where(c.name == any_of(names)).order_by(c.block_number, c.log_index)
    return [ChainEvent(*row) for row in await connection.execute(events)]


async def select_rows(connection: AsyncConnection, table: Table, chain_id: int, keys: Keys) -> list[Row[Any]]:
    """Return the projected rows of these keys."""
    key = table.c[TABLE_PROJECTIONS[table.name].key]
    statement = select(table).where(table.c.chain_id == chain_id, key == any_of(keys))
    return list(await connection.execute(statement))


async def newest_gifts(
    connection: AsyncConnection, chain_id: int, recipient: str, status: int, tokens: Collection[str]
) -> list[Row[Any]]:
    """As `ChainIndex.find_newest_gift`, among the newest `MOST_LOOKED_AT`."""
    values = {"chain_id": chain_id, "recipient": recipient, "status": status, "tokens": list(tokens)}
    return list(await connection.execute(sql["newest_gifts"], values | {"looked_at": MOST_LOOKED_AT}))


async def timelocks_of_owner(
    connection: AsyncConnection, chain_id: int, owner: str, before: int, most: int
) -> list[Row[Any]]:
    """As `ChainIndex.list_timelocks`."""
    values = {"chain_id": chain_id, "owner": owner, "before": before, "most": most, "assets": MOST_ASSETS}
    return list(await connection.execute(sql["timelocks_of_owner"], values))


async def timelock_events(
    connection: AsyncConnection, chain_id: int, timelock_id: int, names: Collection[str]
) -> list[Row[Any]]:
    """Return the first event of each of these names of a timelock: its name, block and transaction."""
    values = {"chain_id": chain_id, "timelock_id": timelock_id, "names": list(names)}
    return list(await connection.execute(sql["timelock_events"], values))


async def legacies_by_id(
    connection: AsyncConnection, chain_id: int, keys: Collection[tuple[str, int]]
) -> dict[tuple[str, int], str]:
    """Return the addresses of legacies by router and id."""
    values = {"chain_id": chain_id, "routers": [key[0] for key in keys], "ids": [key[1] for key in keys]}
    found = await connection.execute(sql["legacies_by_id"], values)
    return {(row.router, row.legacy_id): row.address for row in found}


async def find_legacies(
    connection: AsyncConnection, chain_id: int, key: str | int, routers: Collection[str]
) -> list[Row[Any]]:
    """Return the legacy with this address, or the legacies with this number at these routers."""
    c = legacy.c
    is_it = c.address == key if isinstance(key, str) else and_(c.router.in_(routers), c.legacy_id == key)
    columns = [c[name] for name in IndexedLegacy.__dataclass_fields__]
    return list(await connection.execute(select(*columns).where(c.chain_id == chain_id, is_it).order_by(c.router)))


async def _project_rows(
    connection: AsyncConnection, chain_id: int, table: Table, fold: TableProjection, keys: Sequence[Any]
) -> None:
    by = chain_event.c[fold.by]
    statement = (
        select(*EVENT_COLUMNS)
        .where(chain_event.c.chain_id == chain_id, by == any_of(keys), chain_event.c.name.in_(fold.events))
        .order_by(by, chain_event.c.block_number, chain_event.c.log_index)
    )
    events = [ChainEvent(*row) for row in await connection.execute(statement)]
    folded = {key: fold.project(group) for key, group in groupby(events, key=attrgetter(fold.by))}
    gone = [key for key in keys if folded.get(key) is None]
    if gone:
        await connection.execute(delete(table).where(table.c.chain_id == chain_id, table.c[fold.key] == any_of(gone)))
    await _upsert_rows(connection, table, [{"chain_id": chain_id, **row} for row in folded.values() if row is not None])


async def _upsert_rows(connection: AsyncConnection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    """One parameter for all rows: arrays of different lengths do not fit `unnest`, a JSON record set takes them."""
    if not rows:
        return
    names = list(rows[0])
    given = (
        func.json_to_recordset(cast(bindparam("rows", type_=JSON), JSON))
        .table_valued(*(table.c[name]._copy() for name in names))
        .render_derived(name="given", with_types=True)
    )
    keys = [column.name for column in table.primary_key]
    statement = insert(table).from_select(names, select(*(given.c[name] for name in names)))
    statement = statement.on_conflict_do_update(
        index_elements=keys, set_={name: statement.excluded[name] for name in names if name not in keys}
    )
    await connection.execute(statement, {"rows": rows})


def any_of(keys: Keys) -> Any:
    """`column == any_of(keys)`: one array parameter, however many keys."""
    kind: Any = BigInteger if isinstance(next(iter(keys), None), int) else String
    return any_(bindparam(None, list(keys), type_=ARRAY(kind)))


@dataclass(frozen=True, slots=True)
class ReaderPosition:
    """Last block of a reader (`index`, `signals`, `horizon`, `upgrades`); `source` answered it, `age` in seconds."""

    chain_id: int
    name: str
    block_number: int
    source: str | None
    age: int


async def read_positions(engine: AsyncEngine) -> list[ReaderPosition]:
    """Return the position of each reader, by chain and name."""
    t = index_cursor.c
    question = select(t.chain_id, t.name, t.block_number, t.source, age(t.moved_at)).order_by(t.chain_id, t.name)
    return await read_rows(engine, ReaderPosition, question)
