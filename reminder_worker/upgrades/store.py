"""The statements of the upgrade watch. Every function works in the caller's transaction."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Row, Text, any_, delete, func, literal, select, tuple_, update
from sqlalchemy.dialects.postgresql import ARRAY, insert
from sqlalchemy.ext.asyncio import AsyncConnection

from reminder_worker.indexer.tables import index_cursor
from reminder_worker.outbox.tables import alert
from reminder_worker.upgrades.decode import Call
from reminder_worker.upgrades.events import GRANTED, REVOKED, UpgradeEvent
from reminder_worker.upgrades.operations import OPEN, Operation
from reminder_worker.upgrades.tables import upgrade_event, upgrade_operation

CURSOR: Final = "upgrades"
HISTORY: Final = "history"
WATCH: Final = "watch"
_FIELDS: Final = tuple(UpgradeEvent.__dataclass_fields__)


@dataclass(frozen=True, slots=True)
class Place:
    """The last block whose events are final and told; `history` until the head was reached for the first time.

    `moved_at` changes whenever somebody wrote; None when nobody has yet.
    """

    number: int
    hash: str
    history: bool
    moved_at: datetime | None = None


async def read_place(connection: AsyncConnection, chain_id: int, timelock: str) -> Place | None:
    """None also when it is of another timelock."""
    c = index_cursor.c
    statement = select(c.block_number, c.block_hash, c.source, c.moved_at).where(_of_ours(chain_id))
    row = (await connection.execute(statement.where(c.source.endswith(timelock)))).one_or_none()
    return (
        None if row is None else Place(row.block_number, row.block_hash, row.source.startswith(HISTORY), row.moved_at)
    )


async def forget_others(connection: AsyncConnection, chain_id: int, timelock: str) -> None:
    """What was read of another timelock, which is configured no more: nothing of the two may be mixed."""
    theirs = delete(index_cursor).where(_of_ours(chain_id), ~index_cursor.c.source.endswith(timelock))
    if await connection.scalar(theirs.returning(index_cursor.c.chain_id)) is not None:
        await connection.execute(delete(upgrade_event).where(upgrade_event.c.chain_id == chain_id))
        await connection.execute(delete(upgrade_operation).where(upgrade_operation.c.chain_id == chain_id))


async def take_place(connection: AsyncConnection, chain_id: int, timelock: str, old: Place, new: Place) -> bool:
    """False when somebody wrote since `old` was read: then nothing of the caller's may be written.

    To be called first in a transaction: it holds the row, so that those who write follow one another.
    """
    values = {
        "block_number": new.number,
        "block_hash": new.hash,
        "source": f"{HISTORY if new.history else WATCH} {timelock}",
        "moved_at": func.clock_timestamp(),
    }
    if old.moved_at is None:
        first = insert(index_cursor).values(chain_id=chain_id, name=CURSOR, **values).on_conflict_do_nothing()
        taken = await connection.scalar(first.returning(index_cursor.c.chain_id))
    else:
        mine = update(index_cursor).values(values).where(_of_ours(chain_id), index_cursor.c.moved_at == old.moved_at)
        taken = await connection.scalar(mine.returning(index_cursor.c.chain_id))
    return taken is not None


async def events_from(connection: AsyncConnection, chain_id: int, first: int) -> list[UpgradeEvent]:
    """Of block `first` and all after it, in log order."""
    return await _events(connection, chain_id, upgrade_event.c.block_number >= first)


async def events_of(connection: AsyncConnection, chain_id: int, operation_ids: Collection[str]) -> list[UpgradeEvent]:
    return await _events(connection, chain_id, _is_among(upgrade_event.c.operation_id, operation_ids))


async def role_events(connection: AsyncConnection, chain_id: int) -> list[UpgradeEvent]:
    return await _events(connection, chain_id, upgrade_event.c.name.in_((GRANTED, REVOKED)))


async def newest_event(connection: AsyncConnection, chain_id: int, last: int) -> UpgradeEvent | None:
    """Of those not above block `last`."""
    c = upgrade_event.c
    statement = select(*_COLUMNS).where(c.chain_id == chain_id, c.block_number <= last)
    ordered = statement.order_by(c.block_number.desc(), c.log_index.desc()).limit(1)
    row = (await connection.execute(ordered)).one_or_none()
    return UpgradeEvent(*row) if row else None


async def replace_events(
    connection: AsyncConnection, chain_id: int, gone: Sequence[UpgradeEvent], fresh: Sequence[UpgradeEvent]
) -> None:
    c = upgrade_event.c
    if gone:
        places = [(event.block_number, event.log_index) for event in gone]
        await connection.execute(
            delete(upgrade_event).where(c.chain_id == chain_id, tuple_(c.block_number, c.log_index).in_(places))
        )
    if fresh:
        await connection.execute(insert(upgrade_event), [{"chain_id": chain_id, **asdict(event)} for event in fresh])


async def open_operations(connection: AsyncConnection, chain_id: int) -> list[str]:
    o = upgrade_operation.c
    found = select(o.operation_id).where(o.chain_id == chain_id, o.state.in_(OPEN))
    return list((await connection.execute(found.order_by(o.operation_id))).scalars())


async def executable(connection: AsyncConnection, chain_id: int, now: int) -> bool:
    """Whether the time of a pending operation has come."""
    o = upgrade_operation.c
    found = select(o.operation_id).where(o.chain_id == chain_id, o.state == "pending", o.ready_at <= now)
    return await connection.scalar(found.limit(1)) is not None


async def save_operations(
    connection: AsyncConnection, chain_id: int, operations: Sequence[Operation], gone: Collection[str], final: int
) -> None:
    """`final`: the last block that is."""
    rows = [
        {"chain_id": chain_id, "final": False, **asdict(each), "calls": [_stored_call(call) for call in each.calls]}
        for each in operations
    ]
    if rows:  # all at once: whoever may propose may schedule thousands
        new = insert(upgrade_operation)
        kept = {name: new.excluded[name] for name in rows[0] if name not in ("chain_id", "operation_id", "final")}
        await connection.execute(
            new.on_conflict_do_update(index_elements=["chain_id", "operation_id"], set_=kept), rows
        )
    o = upgrade_operation.c
    if gone:
        vanished = update(upgrade_operation).where(o.chain_id == chain_id, _is_among(o.operation_id, gone))
        await connection.execute(vanished.values(state="gone"))
    different = o.final != (o.changed_block <= final)
    settled = update(upgrade_operation).where(o.chain_id == chain_id, different)
    await connection.execute(settled.values(final=o.changed_block <= final))


async def told(connection: AsyncConnection, chain_id: int, subjects: Collection[str]) -> set[tuple[str, str, str]]:
    """(kind, subject, stage) of what operators were told of these."""
    a = alert.c
    found = select(a.kind, a.subject, a.stage).where(
        a.chain_id == chain_id, _is_among(a.subject, subjects), a.kind.startswith("upgrade_")
    )
    return {(row.kind, row.subject, row.stage) for row in await connection.execute(found)}


def operation_of_row(row: Row[Any]) -> Operation:
    values = {name: row._mapping[name] for name in Operation.__dataclass_fields__}
    calls = tuple(Call(each["target"], each["value"], bytes.fromhex(each["data"])) for each in row.calls)
    return Operation(**{**values, "calls": calls})


def _stored_call(call: Call) -> dict[str, Any]:
    return {"target": call.target, "value": call.value, "data": call.data.hex()}


async def _events(connection: AsyncConnection, chain_id: int, which: ColumnElement[bool]) -> list[UpgradeEvent]:
    c = upgrade_event.c
    statement = select(*_COLUMNS).where(c.chain_id == chain_id, which).order_by(c.block_number, c.log_index)
    return [UpgradeEvent(*row) for row in await connection.execute(statement)]


def _is_among(column: ColumnElement[str], some: Collection[str]) -> ColumnElement[bool]:
    """As one parameter, of which a statement has 65,535 at most."""
    return column == any_(literal(list(some), ARRAY(Text)))


def _of_ours(chain_id: int) -> ColumnElement[bool]:
    return (index_cursor.c.chain_id == chain_id) & (index_cursor.c.name == CURSOR)


_COLUMNS = tuple(upgrade_event.c[name] for name in _FIELDS)
