"""Statements of the upgrade queue, for the watch and for operators."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from sqlalchemy import Row, TextClause, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.database.queries import read_rows
from reminder_worker.errors import NotConfigured, NotFound
from reminder_worker.indexer.projection import ChainEvent
from reminder_worker.indexer.store import IndexCursor, move_cursor
from reminder_worker.upgrades.operations import (
    CANCELLER,
    OPEN,
    UpgradeCall,
    UpgradeEvent,
    UpgradeOperation,
    decode_call,
    plain_words,
    role_members,
    upgrade_event_of,
)
from reminder_worker.upgrades.tables import sql, upgrade_event, upgrade_operation
from reminder_worker.upgrades.wording import Facts, WordingContext, all_facts, list_implementations

CURSOR = "upgrades"


@dataclass(frozen=True, slots=True)
class ListedOperation:
    """An operation in a list. `final`: its last change is final."""

    chain_id: int
    operation: UpgradeOperation
    final: bool

    @property
    def call_summary(self) -> str:
        """Return the calls in a few words."""
        words = [decode_call(call.data).function or plain_words(call.data) for call in self.operation.calls]
        return ", ".join(words[:3]) + (f" and {len(words) - 3} more" if len(words) > 3 else "")


async def is_history(connection: AsyncConnection, chain_id: int, timelock: str) -> bool | None:
    """Return whether the first reading of this timelock is not recorded yet; None if there is no cursor for it."""
    found: bool | None = await connection.scalar(sql["is_history"], {"chain_id": chain_id, "timelock": timelock})
    return found


async def begin_history(connection: AsyncConnection, chain_id: int, timelock: str, start: IndexCursor) -> None:
    """Forget the queue of a timelock that is no longer configured, and put the cursor of this one before the start."""
    await connection.execute(sql["forget_other_timelock"], {"chain_id": chain_id, "timelock": timelock})
    await move_cursor(connection, chain_id, CURSOR, replace(start, stored=False), start, first_source(timelock))


def first_source(timelock: str) -> str:
    """Return the source of the cursor of a timelock while its first reading is not recorded."""
    return f"history {timelock}"


async def unrecorded_events(connection: AsyncConnection, chain_id: int, timelock: str) -> list[UpgradeEvent]:
    """Return the timelock's events in the index that are not recorded yet, in log order, without senders."""
    found = await connection.execute(sql["unrecorded_events"], {"chain_id": chain_id, "timelock": timelock})
    return [upgrade_event_of(ChainEvent(*row)) for row in found]


async def read_events(
    connection: AsyncConnection, which: TextClause, chain_id: int, **values: object
) -> list[UpgradeEvent]:
    """Return the recorded events of a statement, in log order."""
    return [UpgradeEvent(*row) for row in await connection.execute(which, {"chain_id": chain_id, **values})]


async def record_events(
    connection: AsyncConnection, chain_id: int, gone: Sequence[UpgradeEvent], fresh: Sequence[UpgradeEvent]
) -> bool:
    """Replace events. Return False when another process did it meanwhile: then the caller must not write anything."""
    if gone:
        marks = [(event.block_number, event.log_index, event.block_hash) for event in gone]
        blocks, indexes, hashes = map(list, zip(*marks, strict=True))
        values = {"chain_id": chain_id, "blocks": blocks, "indexes": indexes, "hashes": hashes}
        if (await connection.execute(sql["forget_events"], values)).rowcount != len(gone):
            return False
    if fresh:
        new = insert(upgrade_event).on_conflict_do_nothing().returning(upgrade_event.c.log_index)
        inserted = await connection.execute(new, [{"chain_id": chain_id, **asdict(event)} for event in fresh])
        return len(inserted.all()) == len(fresh)
    return True


async def operations_in_states(connection: AsyncConnection, chain_id: int, *states: str) -> list[str]:
    """Return the ids of the operations in these states."""
    values = {"chain_id": chain_id, "states": list(states)}
    return list(await connection.scalars(sql["operations_in_states"], values))


async def save_operations(
    connection: AsyncConnection, chain_id: int, operations: Sequence[UpgradeOperation], vanished: Collection[str]
) -> None:
    rows = [{"chain_id": chain_id, "final": False, **asdict(operation)} for operation in operations]
    for row in rows:
        row["calls"] = [{**call, "data": call["data"].hex()} for call in row["calls"]]
    if rows:  # all at once: whoever may propose may schedule thousands
        new = insert(upgrade_operation)
        kept = {name: new.excluded[name] for name in rows[0] if name not in ("chain_id", "operation_id", "final")}
        await connection.execute(
            new.on_conflict_do_update(index_elements=["chain_id", "operation_id"], set_=kept), rows
        )
    if vanished:
        await connection.execute(sql["mark_gone"], {"chain_id": chain_id, "operations": list(vanished)})


async def reported_stages(
    connection: AsyncConnection, chain_id: int, subjects: Collection[str]
) -> set[tuple[str, str, str]]:
    """Return (kind, subject, stage) of the alerts about these subjects."""
    values = {"chain_id": chain_id, "subjects": list(subjects)}
    return {(row.kind, row.subject, row.stage) for row in await connection.execute(sql["reported_stages"], values)}


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
        return [_listed_operation(row) for row in await connection.execute(ordered)]


@dataclass(frozen=True, slots=True)
class RecordedQueue:
    """The open operations of a timelock, the next first; its events are recorded up to `block_number`."""

    chain_id: int
    timelock: str
    block_number: int
    operations: tuple[UpgradeOperation, ...]


async def recorded_queues(engine: AsyncEngine, timelocks: Mapping[int, str]) -> list[RecordedQueue]:
    """Return the queues, by chain id, of the timelocks whose first reading is recorded: the first 500 operations."""
    values = {"name": CURSOR, "chains": list(timelocks), "states": list(OPEN)}
    async with engine.connect() as connection:
        rows = (await connection.execute(sql["recorded_queues"], values)).all()
    found: dict[int, RecordedQueue] = {}
    for row in rows:
        timelock = timelocks[row.chain]
        if row.source is None or row.source.startswith("history ") or not row.source.endswith(timelock):
            continue
        queue = found.get(row.chain, RecordedQueue(row.chain, timelock, row.block, ()))
        added = () if row.operation_id is None else (_listed_operation(row).operation,)
        found[row.chain] = replace(queue, operations=queue.operations + added)
    return list(found.values())


async def show_operation(engine: AsyncEngine, chain: Chain, operation_id: str) -> tuple[Facts, Sequence[UpgradeEvent]]:
    """Return an operation's facts and events. Raises `NotFound`, `NotConfigured`."""
    timelock = chain.settings.upgrade_timelock
    if timelock is None:
        raise NotConfigured(f"CHAIN_{chain.chain_id}_UPGRADE_TIMELOCK is not set: its upgrade queue is not watched")
    o = upgrade_operation.c
    statement = select(upgrade_operation).where(o.chain_id == chain.chain_id, o.operation_id == operation_id)
    async with engine.connect() as connection:
        row = (await connection.execute(statement)).one_or_none()
        events = await read_events(connection, sql["events_of"], chain.chain_id, operations=[operation_id])
        roles = await read_events(connection, sql["role_events"], chain.chain_id)
    if row is None:
        raise NotFound("this chain has no such operation")
    listed = _listed_operation(row)
    addresses = list_implementations([listed.operation])
    codes = dict(zip(addresses, await chain.get_codes(addresses), strict=True))
    final = listed.operation.changed_block if listed.final else -1
    context = WordingContext(chain.settings, timelock, codes, role_members(roles, CANCELLER), final)
    return all_facts(listed.operation, context), events


def _listed_operation(row: Row[Any]) -> ListedOperation:
    values = {name: row._mapping[name] for name in UpgradeOperation.__dataclass_fields__}
    calls = tuple(UpgradeCall(each["target"], each["value"], bytes.fromhex(each["data"])) for each in row.calls)
    return ListedOperation(row.chain_id, UpgradeOperation(**{**values, "calls": calls}), row.final)


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
