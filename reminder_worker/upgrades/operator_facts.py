"""Facts about the upgrade queue for operators."""

from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.database.rows import read_rows
from reminder_worker.upgrades.operations import OPEN
from reminder_worker.upgrades.tables import upgrade_operation


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
