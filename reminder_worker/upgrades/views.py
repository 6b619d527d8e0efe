"""What operators ask about the upgrade queue: what waits, and everything about one operation."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.errors import NotConfigured, NotFound
from reminder_worker.upgrades import store
from reminder_worker.upgrades.decode import CANCELLER, decode, plain_words
from reminder_worker.upgrades.events import UpgradeEvent
from reminder_worker.upgrades.operations import OPEN, Operation, role_members
from reminder_worker.upgrades.tables import upgrade_operation
from reminder_worker.upgrades.wording import Around, Facts, all_facts, implementations


@dataclass(frozen=True, slots=True)
class Listed:
    """`final`: its last change cannot be taken back."""

    chain_id: int
    operation: Operation
    final: bool

    @property
    def does(self) -> str:
        """Its calls in a few words."""
        words = [decode(call.data).function or plain_words(call.data) for call in self.operation.calls]
        return ", ".join(words[:3]) + (f" and {len(words) - 3} more" if len(words) > 3 else "")


async def operations(
    engine: AsyncEngine, watched: Collection[int], *, ended: bool = False, limit: int = 100
) -> list[Listed]:
    """Those that wait or may be executed, the next first; or those that ended, the newest first.

    `watched`: chains whose timelock is. On another what waited would wait for ever.
    """
    o = upgrade_operation.c
    is_open = o.state.in_(OPEN)
    statement = select(upgrade_operation).where(~is_open if ended else is_open & o.chain_id.in_(watched))
    ordered = statement.order_by(o.changed_block.desc() if ended else o.ready_at, o.operation_id).limit(limit)
    async with engine.connect() as connection:
        return [_listed(row) for row in await connection.execute(ordered)]


async def counts(engine: AsyncEngine) -> dict[tuple[int, str], int]:
    """(chain id, state) → operations."""
    o = upgrade_operation.c
    statement = select(o.chain_id, o.state, func.count()).group_by(o.chain_id, o.state)
    async with engine.connect() as connection:
        return {(chain_id, state): count for chain_id, state, count in await connection.execute(statement)}


async def one(engine: AsyncEngine, chain: Chain, operation_id: str) -> tuple[Facts, Sequence[UpgradeEvent]]:
    """What is known of an operation, and what the timelock said of it. Raises `NotFound`, `NotConfigured`."""
    timelock = chain.settings.upgrade_timelock
    if timelock is None:
        raise NotConfigured(f"CHAIN_{chain.chain_id}_UPGRADE_TIMELOCK is not set: its upgrade queue is not watched")
    o = upgrade_operation.c
    statement = select(upgrade_operation).where(o.chain_id == chain.chain_id, o.operation_id == operation_id)
    async with engine.connect() as connection:
        row = (await connection.execute(statement)).one_or_none()
        events = await store.events_of(connection, chain.chain_id, [operation_id])
        roles = await store.role_events(connection, chain.chain_id)
        place = await store.read_place(connection, chain.chain_id, timelock)
    if row is None:
        raise NotFound("there is no such operation on this chain")
    listed = _listed(row)
    addresses = implementations([listed.operation])
    codes = dict(zip(addresses, await chain.codes(addresses), strict=True))
    cancellers = role_members(roles, CANCELLER)
    around = Around(chain.settings, timelock, codes, cancellers, place.number if place else -1)
    return all_facts(listed.operation, around), events


def _listed(row: Row[Any]) -> Listed:
    return Listed(row.chain_id, store.operation_of_row(row), row.final)
