"""The statements of the chain index, each for many rows at once. Every function works in the caller's transaction."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Row,
    String,
    Table,
    Update,
    any_,
    bindparam,
    cast,
    delete,
    exists,
    func,
    or_,
    select,
    tuple_,
    update,
)
from sqlalchemy.dialects.postgresql import JSON, JSONB, Insert, distinct_on, insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.database.queries import read_rows
from reminder_worker.database.tables import SCHEMA, age, metadata
from reminder_worker.indexer import tables
from reminder_worker.indexer.models import GIFT, LIVE, MOST_GIFTS, MOST_LOOKED_AT
from reminder_worker.indexer.projection import FOLDS, ChainEvent, TableProjection
from reminder_worker.indexer.tables import chain_event, index_cursor

AT_ONCE = 5000  # rows in one statement
Keys = Collection[str] | Collection[int]
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
    place: dict[str, Any] = {"block_number": new.number, "block_hash": new.hash}
    if source is not None:
        place["source"] = source
    first = insert(index_cursor).values(chain_id=chain_id, name=name, **place)
    statement: Update | Insert = first.on_conflict_do_nothing()
    if old.stored:
        statement = (
            update(index_cursor)
            .values(**place, moved_at=func.clock_timestamp())
            .where(
                index_cursor.c.chain_id == chain_id,
                index_cursor.c.name == name,
                index_cursor.c.block_number == old.number,
                index_cursor.c.block_hash == old.hash,
            )
        )
    moved = await connection.execute(statement.returning(index_cursor.c.chain_id))
    return moved.one_or_none() is not None


async def take_cursor_back(connection: AsyncConnection, chain_id: int, name: str, place: IndexCursor) -> None:
    """A reader that is above this block goes on from there."""
    statement = update(index_cursor).values(block_number=place.number, block_hash=place.hash)
    mine = index_cursor.c.chain_id == chain_id, index_cursor.c.name == name
    await connection.execute(statement.where(*mine, index_cursor.c.block_number > place.number))


async def add_events(connection: AsyncConnection, chain_id: int, events: Sequence[ChainEvent]) -> None:
    rows = [{"chain_id": chain_id, **{name: getattr(event, name) for name in _EVENT}} for event in events]
    await _upsert(connection, chain_event, rows)


async def known_logs(
    connection: AsyncConnection, chain_id: int, contracts: Collection[str], first: int
) -> set[LogPosition]:
    """Return the stored logs of these contracts, from block `first` on."""
    c = chain_event.c
    statement = select(c.block_number, c.log_index, c.block_hash).where(
        c.chain_id == chain_id, c.block_number >= first, c.contract == any_of(contracts)
    )
    return {(row.block_number, row.log_index, row.block_hash) for row in await connection.execute(statement)}


async def event_blocks(
    connection: AsyncConnection, chain_id: int, contracts: Collection[str], last: int, most: int
) -> list[IndexCursor]:
    """Return the newest `most` blocks up to `last` with a stored event of these contracts, the newest first."""
    place = chain_event.c
    statement = (
        select(place.block_number, place.block_hash)
        .ext(distinct_on(place.block_number))
        .where(place.chain_id == chain_id, place.block_number <= last, place.contract == any_of(contracts))
        .order_by(place.block_number.desc())
        .limit(most)
    )
    return [IndexCursor(row.block_number, row.block_hash) for row in await connection.execute(statement)]


async def refold(connection: AsyncConnection, chain_id: int, touched: Sequence[ChainEvent | Forgotten]) -> None:
    """Make the rows of every key that these events touch what all stored events say."""
    for name, fold in FOLDS.items():
        keys = {getattr(event, fold.by) for event in touched if event.name in fold.events} - {None}
        for some in _parts(sorted(keys), AT_ONCE):
            await _refold(connection, chain_id, metadata.tables[f"{SCHEMA}.{name}"], fold, some)


async def forget_after(
    connection: AsyncConnection, chain_id: int, contracts: Collection[str], last: int
) -> Sequence[Forgotten]:
    """Delete the events of these contracts above block `last`, and project their keys again."""
    event = chain_event.c
    return await _forget(connection, chain_id, (event.contract == any_of(contracts)) & (event.block_number > last))


async def forget_logs(connection: AsyncConnection, chain_id: int, logs: Collection[LogPosition]) -> None:
    """Delete single events, and project their keys again."""
    event = chain_event.c
    if logs:
        await _forget(connection, chain_id, tuple_(event.block_number, event.log_index, event.block_hash).in_(logs))


async def _forget(connection: AsyncConnection, chain_id: int, condition: ColumnElement[bool]) -> Sequence[Forgotten]:
    event = chain_event.c
    gone = delete(chain_event).where(event.chain_id == chain_id, condition)
    forgotten = gone.returning(event.name, event.legacy, event.creator, event.timelock_id)
    events = (await connection.execute(forgotten)).all()
    await refold(connection, chain_id, events)
    return events


async def select_events(
    connection: AsyncConnection, chain_id: int, names: Collection[str], first: int, last: int
) -> list[ChainEvent]:
    """Return the events of blocks first..last, both included, in log order."""
    statement = (
        select(*_COLUMNS)
        .where(
            chain_event.c.chain_id == chain_id,
            chain_event.c.block_number.between(first, last),
            chain_event.c.name.in_(names),
        )
        .order_by(chain_event.c.block_number, chain_event.c.log_index)
    )
    return [event_of(row) for row in await connection.execute(statement)]


async def select_rows(connection: AsyncConnection, table: Table, chain_id: int, keys: Keys) -> list[Row[Any]]:
    """Return the projected rows of these keys."""
    key = table.c[FOLDS[table.name].key]
    found: list[Row[Any]] = []
    for some in _parts(list(keys), AT_ONCE):
        found += await connection.execute(select(table).where(table.c.chain_id == chain_id, key == any_of(some)))
    return found


async def live_gifts(
    connection: AsyncConnection, chain_id: int, recipient: str, vault: str, tokens: Collection[str]
) -> list[Row[Any]]:
    """As `Indexer.gifts_of`, among the newest `MOST_LOOKED_AT`."""
    gift = tables.timelock.c
    newest = (
        select(tables.timelock)
        .where(gift.chain_id == chain_id, gift.recipient == recipient, gift.lock_type == GIFT, gift.status == LIVE)
        .order_by(gift.created_at.desc(), gift.timelock_id.desc())
        .limit(MOST_LOOKED_AT)
        .subquery()
    )
    asset = func.jsonb_array_elements(newest.c.assets, type_=JSONB).column_valued("asset")
    is_other = or_(asset["vault"].astext != vault, asset["token"].astext.not_in(tokens))
    statement = (
        select(newest)
        .order_by(exists().where(is_other), newest.c.created_at.desc(), newest.c.timelock_id.desc())
        .limit(MOST_GIFTS)
    )
    return list(await connection.execute(statement))


async def legacies_by_id(
    connection: AsyncConnection, chain_id: int, router: str, ids: Collection[int]
) -> dict[int, str]:
    """Addresses of a router's legacies by their id."""
    legacy = tables.legacy.c
    statement = select(legacy.legacy_id, legacy.address).where(
        legacy.chain_id == chain_id, legacy.router == router, legacy.legacy_id == any_of(sorted(ids))
    )
    return {row.legacy_id: row.address for row in await connection.execute(statement)}


async def _refold(
    connection: AsyncConnection, chain_id: int, table: Table, fold: TableProjection, keys: Sequence[Any]
) -> None:
    by = chain_event.c[fold.by]
    statement = (
        select(*_COLUMNS)
        .where(chain_event.c.chain_id == chain_id, by == any_of(keys), chain_event.c.name.in_(fold.events))
        .order_by(by, chain_event.c.block_number, chain_event.c.log_index)
    )
    events = [event_of(row) for row in await connection.execute(statement)]
    folded = {key: fold.fold(group) for key, group in groupby(events, key=attrgetter(fold.by))}
    gone = [key for key in keys if folded.get(key) is None]
    if gone:
        await connection.execute(delete(table).where(table.c.chain_id == chain_id, table.c[fold.key] == any_of(gone)))
    await _upsert(connection, table, [{"chain_id": chain_id, **row} for row in folded.values() if row is not None])


async def _upsert(connection: AsyncConnection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
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
    for some in _parts(rows, AT_ONCE):
        await connection.execute(statement, {"rows": some})


def event_of(row: Row[Any]) -> ChainEvent:
    return ChainEvent(*tuple(row))


def any_of(keys: Keys) -> Any:
    """`column == any_of(keys)`: one array parameter, however many keys."""
    kind: Any = BigInteger if isinstance(next(iter(keys), None), int) else String
    return any_(bindparam(None, list(keys), type_=ARRAY(kind)))


def _parts(items: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    return (items[start : start + size] for start in range(0, len(items), size))


_EVENT = tuple(ChainEvent.__dataclass_fields__)
_COLUMNS = tuple(chain_event.c[name] for name in _EVENT)


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
