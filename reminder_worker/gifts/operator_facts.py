"""Facts about gifts for operators: counts only."""

from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.database.queries import read_rows
from reminder_worker.gifts.tables import gift_ledger, gift_notification


@dataclass(frozen=True, slots=True)
class GiftEmailCount:
    """Remembered emails of gifts, by kind, state and reason."""

    chain_id: int
    kind: str
    state: str
    reason: str | None
    count: int


async def count_gift_emails(engine: AsyncEngine) -> list[GiftEmailCount]:
    """Count the emails of gifts that are remembered."""
    t = gift_ledger.c
    group = (t.chain_id, t.kind, t.state, t.reason)
    question = select(*group, func.count()).group_by(*group).order_by(*group)
    return await read_rows(engine, GiftEmailCount, question)


async def count_notifications(engine: AsyncEngine) -> int:
    """Count the gifts whose recipient is still to be written to, on opening day at the latest."""
    async with engine.connect() as connection:
        return int(await connection.scalar(select(func.count()).select_from(gift_notification)) or 0)
