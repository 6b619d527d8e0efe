"""Who waits for a lock in the database, which has no event for it."""

import asyncio

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

BLOCKED = "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"


async def blocked(engine: AsyncEngine, count: int = 1) -> None:
    """Until so many do."""
    async with asyncio.timeout(60):
        while True:
            async with engine.connect() as connection:
                if (await connection.execute(text(BLOCKED))).scalar_one() >= count:
                    return
            await asyncio.sleep(0.01)
