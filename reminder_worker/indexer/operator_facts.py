"""Facts about our own index for operators."""

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.database.rows import read_rows
from reminder_worker.database.tables import age
from reminder_worker.indexer.tables import index_cursor


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
