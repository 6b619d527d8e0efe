"""A second chain with the same addresses, as routers that are deployed alike on two chains give them."""

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.schema import metadata

OTHER_CHAIN = 11155111
_TABLES = [table for table in metadata.sorted_tables if "chain_id" in table.c]


async def mirror(engine: AsyncEngine, chain_id: int) -> None:
    """Everything that is stored of this chain, once more as of the other."""
    async with engine.begin() as conn:
        for table in _TABLES:
            found = (await conn.execute(select(table).where(table.c.chain_id == chain_id))).mappings().all()
            rows = [{**row, "chain_id": OTHER_CHAIN} | ({"id": uuid4()} if "id" in table.c else {}) for row in found]
            if rows:
                await conn.execute(insert(table), rows)


async def of_other_chain(engine: AsyncEngine) -> dict[str, Sequence[Any]]:
    """What is stored of it, by table."""
    async with engine.connect() as conn:
        return {
            table.name: (
                await conn.execute(
                    select(table).where(table.c.chain_id == OTHER_CHAIN).order_by(*table.primary_key.columns)
                )
            ).all()
            for table in _TABLES
        }
