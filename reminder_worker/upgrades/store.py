"""Statements of the upgrade queue, for the watch and for operators."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Row, Text, and_, any_, delete, exists, func, literal, select, tuple_, update
from sqlalchemy.dialects.postgresql import ARRAY, insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.database.queries import read_rows
from reminder_worker.errors import NotConfigured, NotFound
from reminder_worker.indexer.projection import ChainEvent
from reminder_worker.indexer.store import IndexCursor
from reminder_worker.indexer.tables import chain_event, index_cursor
from reminder_worker.outbox.tables import alert
from reminder_worker.upgrades.operations import (
    CANCELLER,
    GRANTED,
    OPEN,
    REVOKED,
    UpgradeCall,
    UpgradeEvent,
    UpgradeOperation,
    decode,
    plain_words,
    role_members,
    upgrade_event_of,
)
from reminder_worker.upgrades.tables import upgrade_event, upgrade_operation
from reminder_worker.upgrades.wording import Facts, WordingContext, all_facts, implementations

CURSOR: Final = "upgrades"
HISTORY: Final = "history"
WATCH: Final = "watch"
_KEY: Final = ("chain_id", "block_number", "log_index", "block_hash")


@dataclass(frozen=True, slots=True)
class ListedOperation:
    """An operation in a list. `final`: its last change is final."""

    chain_id: int
    operation: UpgradeOperation
    final: bool

    @property
    def does(self) -> str:
        """Its calls in a few words."""
        words = [decode(call.data).function or plain_words(call.data) for call in self.operation.calls]
        return ", ".join(words[:3]) + (f" and {len(words) - 3} more" if len(words) > 3 else "")


async def is_history(connection: AsyncConnection, chain_id: int, timelock: str) -> bool | None:
    """Return whether the first reading of this timelock is not recorded yet; None if there is no cursor for it."""
    statement = select(index_cursor.c.source).where(_cursor_of(chain_id), index_cursor.c.source.endswith(timelock))
    source = await connection.scalar(statement)
    return None if source is None else source.startswith(HISTORY)


async def begin_history(connection: AsyncConnection, chain_id: int, timelock: str, start: IndexCursor) -> None:
    """Forget the queue of a timelock that is no longer configured, and put the cursor of this one before the start."""
    others = delete(index_cursor).where(_cursor_of(chain_id), ~index_cursor.c.source.endswith(timelock))
    source = await connection.scalar(others.returning(index_cursor.c.source))
    if source is not None:
        e = chain_event.c
        await connection.execute(delete(chain_event).where(e.chain_id == chain_id, e.contract == source.split(" ")[1]))
        for table in (upgrade_event, upgrade_operation):
            await connection.execute(delete(table).where(table.c.chain_id == chain_id))
    values = {"block_number": start.number, "block_hash": start.hash, "source": f"{HISTORY} {timelock}"}
    first = insert(index_cursor).values(chain_id=chain_id, name=CURSOR, **values)
    await connection.execute(first.on_conflict_do_nothing())


async def end_history(connection: AsyncConnection, chain_id: int, timelock: str) -> None:
    statement = update(index_cursor).values(source=f"{WATCH} {timelock}")
    await connection.execute(statement.where(_cursor_of(chain_id), index_cursor.c.source.endswith(timelock)))


async def unrecorded_events(connection: AsyncConnection, chain_id: int, timelock: str) -> list[UpgradeEvent]:
    """Return the timelock's events in the index that are not recorded yet, in log order, without senders."""
    c = chain_event.c
    known = exists().where(*(upgrade_event.c[name] == c[name] for name in _KEY))
    columns = [c[name] for name in ChainEvent.__dataclass_fields__]
    concerns_none = and_(
        c.legacy.is_(None), c.creator.is_(None), c.timelock_id.is_(None)
    )  # as the partial index has it
    statement = select(*columns).where(c.chain_id == chain_id, c.contract == timelock, concerns_none, ~known)
    found = await connection.execute(statement.order_by(c.block_number, c.log_index))
    return [upgrade_event_of(ChainEvent(*row)) for row in found]


async def removed_events(connection: AsyncConnection, chain_id: int) -> list[UpgradeEvent]:
    """Return the recorded events that the index no longer has, in log order."""
    return await _events(connection, chain_id, ~exists().where(*(chain_event.c[n] == upgrade_event.c[n] for n in _KEY)))


async def events_of(connection: AsyncConnection, chain_id: int, operation_ids: Collection[str]) -> list[UpgradeEvent]:
    return await _events(connection, chain_id, _is_among(upgrade_event.c.operation_id, operation_ids))


async def role_events(connection: AsyncConnection, chain_id: int) -> list[UpgradeEvent]:
    return await _events(connection, chain_id, upgrade_event.c.name.in_((GRANTED, REVOKED)))


async def record_events(
    connection: AsyncConnection, chain_id: int, gone: Sequence[UpgradeEvent], fresh: Sequence[UpgradeEvent]
) -> bool:
    """Replace events. Return False when another process did it meanwhile: then the caller must not write anything."""
    c = upgrade_event.c
    if gone:
        places = [(event.block_number, event.log_index, event.block_hash) for event in gone]
        mine = tuple_(c.block_number, c.log_index, c.block_hash).in_(places)
        deleted = await connection.execute(delete(upgrade_event).where(c.chain_id == chain_id, mine))
        if deleted.rowcount != len(gone):
            return False
    if fresh:
        new = insert(upgrade_event).on_conflict_do_nothing().returning(c.log_index)
        inserted = await connection.execute(new, [{"chain_id": chain_id, **asdict(event)} for event in fresh])
        return len(inserted.all()) == len(fresh)
    return True


async def open_operations(connection: AsyncConnection, chain_id: int) -> list[str]:
    o = upgrade_operation.c
    found = select(o.operation_id).where(o.chain_id == chain_id, o.state.in_(OPEN))
    return list((await connection.execute(found.order_by(o.operation_id))).scalars())


async def vanished_operations(connection: AsyncConnection, chain_id: int) -> frozenset[str]:
    o = upgrade_operation.c
    found = await connection.scalars(select(o.operation_id).where(o.chain_id == chain_id, o.state == "gone"))
    return frozenset(found)


async def next_ready_time(connection: AsyncConnection, chain_id: int) -> int | None:
    """Return the unix second from which the next pending operation may be executed."""
    o = upgrade_operation.c
    statement = select(func.min(o.ready_at)).where(o.chain_id == chain_id, o.state == "pending")
    found: int | None = await connection.scalar(statement)
    return found


async def has_unsettled(connection: AsyncConnection, chain_id: int) -> bool:
    """Return whether the last change of an operation was not final yet."""
    o = upgrade_operation.c
    return await connection.scalar(select(o.final).where(o.chain_id == chain_id, ~o.final).limit(1)) is not None


async def save_operations(
    connection: AsyncConnection, chain_id: int, operations: Sequence[UpgradeOperation], vanished: Collection[str]
) -> None:
    rows = [
        {
            "chain_id": chain_id,
            "final": False,
            **asdict(operation),
            "calls": [_stored_call(call) for call in operation.calls],
        }
        for operation in operations
    ]
    if rows:  # all at once: whoever may propose may schedule thousands
        new = insert(upgrade_operation)
        kept = {name: new.excluded[name] for name in rows[0] if name not in ("chain_id", "operation_id", "final")}
        await connection.execute(
            new.on_conflict_do_update(index_elements=["chain_id", "operation_id"], set_=kept), rows
        )
    o = upgrade_operation.c
    if vanished:
        theirs = update(upgrade_operation).where(o.chain_id == chain_id, _is_among(o.operation_id, vanished))
        await connection.execute(theirs.values(state="gone"))


async def settle_operations(connection: AsyncConnection, chain_id: int, final: int) -> None:
    """Mark the operations whose last change is not above the final block `final`."""
    o = upgrade_operation.c
    settled = update(upgrade_operation).where(o.chain_id == chain_id, o.final != (o.changed_block <= final))
    await connection.execute(settled.values(final=o.changed_block <= final))


async def reported_stages(
    connection: AsyncConnection, chain_id: int, subjects: Collection[str]
) -> set[tuple[str, str, str]]:
    """Return (kind, subject, stage) of the alerts about these subjects."""
    a = alert.c
    found = select(a.kind, a.subject, a.stage).where(
        a.chain_id == chain_id, _is_among(a.subject, subjects), a.kind.startswith("upgrade_")
    )
    return {(row.kind, row.subject, row.stage) for row in await connection.execute(found)}


async def list_operations(
    engine: AsyncEngine, watched: Collection[int], *, ended: bool = False, limit: int = 100
) -> list[ListedOperation]:
    """Return the open operations, the next first; or the ended ones, the newest first.

    `watched`: chains with a watched timelock. Elsewhere an operation would stay open for ever.
    """
    o = upgrade_operation.c
    is_open = o.state.in_(OPEN)
    statement = select(upgrade_operation).where(~is_open if ended else is_open & o.chain_id.in_(watched))
    ordered = statement.order_by(o.changed_block.desc() if ended else o.ready_at, o.operation_id).limit(limit)
    async with engine.connect() as connection:
        return [_listed(row) for row in await connection.execute(ordered)]


async def show_operation(engine: AsyncEngine, chain: Chain, operation_id: str) -> tuple[Facts, Sequence[UpgradeEvent]]:
    """Return an operation's facts and events. Raises `NotFound`, `NotConfigured`."""
    timelock = chain.settings.upgrade_timelock
    if timelock is None:
        raise NotConfigured(f"CHAIN_{chain.chain_id}_UPGRADE_TIMELOCK is not set: its upgrade queue is not watched")
    o = upgrade_operation.c
    statement = select(upgrade_operation).where(o.chain_id == chain.chain_id, o.operation_id == operation_id)
    async with engine.connect() as connection:
        row = (await connection.execute(statement)).one_or_none()
        events = await events_of(connection, chain.chain_id, [operation_id])
        roles = await role_events(connection, chain.chain_id)
    if row is None:
        raise NotFound("there is no such operation on this chain")
    listed = _listed(row)
    addresses = implementations([listed.operation])
    codes = dict(zip(addresses, await chain.codes(addresses), strict=True))
    cancellers = role_members(roles, CANCELLER)
    final = listed.operation.changed_block if listed.final else -1
    return all_facts(listed.operation, WordingContext(chain.settings, timelock, codes, cancellers, final)), events


def _listed(row: Row[Any]) -> ListedOperation:
    return ListedOperation(row.chain_id, _operation_of_row(row), row.final)


def _operation_of_row(row: Row[Any]) -> UpgradeOperation:
    values = {name: row._mapping[name] for name in UpgradeOperation.__dataclass_fields__}
    calls = tuple(UpgradeCall(each["target"], each["value"], bytes.fromhex(each["data"])) for each in row.calls)
    return UpgradeOperation(**{**values, "calls": calls})


def _stored_call(call: UpgradeCall) -> dict[str, Any]:
    return {"target": call.target, "value": call.value, "data": call.data.hex()}


async def _events(connection: AsyncConnection, chain_id: int, which: ColumnElement[bool]) -> list[UpgradeEvent]:
    c = upgrade_event.c
    statement = select(*_COLUMNS).where(c.chain_id == chain_id, which).order_by(c.block_number, c.log_index)
    return [UpgradeEvent(*row) for row in await connection.execute(statement)]


def _is_among(column: ColumnElement[str], some: Collection[str]) -> ColumnElement[bool]:
    """Compare with one array parameter: a statement has 65,535 parameters at most."""
    return column == any_(literal(list(some), ARRAY(Text)))


def _cursor_of(chain_id: int) -> ColumnElement[bool]:
    return (index_cursor.c.chain_id == chain_id) & (index_cursor.c.name == CURSOR)


_COLUMNS = tuple(upgrade_event.c[name] for name in UpgradeEvent.__dataclass_fields__)


@dataclass(frozen=True, slots=True)
class UpgradeCount:
    """Operations of one timelock in one state; `executable_at`: unix seconds from which the first may be executed."""

    chain_id: int
    state: str
    count: int
    executable_at: int | None

    @property
    def is_open(self) -> bool:
        return self.state in OPEN


async def count_upgrades(engine: AsyncEngine) -> list[UpgradeCount]:
    """Count the operations by chain and state."""
    t = upgrade_operation.c
    question = select(t.chain_id, t.state, func.count(), func.min(t.ready_at))
    return await read_rows(engine, UpgradeCount, question.group_by(t.chain_id, t.state).order_by(t.chain_id, t.state))
