"""Who waits for a lock in the database, which has no event for it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.database import engine as engines

BLOCKED = """
    select count(*) from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database() and strpos(query, :words) > 0
"""


async def blocked(engine: AsyncEngine, count: int = 1, *, words: str = "") -> None:
    """Until so many do, in statements with these words."""
    async with asyncio.timeout(60):
        while True:
            async with engine.connect() as connection:
                if (await connection.execute(text(BLOCKED), {"words": words})).scalar_one() >= count:
                    return
            await asyncio.sleep(0.01)


@asynccontextmanager
async def frozen(engine: AsyncEngine, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[AsyncEngine]:
    """Open an engine for a process that is stopped in a transaction, with the service's bound at 200 ms."""
    opened = engines.open_engine(engine.url.render_as_string(hide_password=False), pool_size=1)
    with monkeypatch.context() as soon:
        soon.setattr(engines, "_SESSION", engines._SESSION.replace("'60s'", "'200ms'"))
        async with opened.connect():
            pass  # the pool keeps this connection
    try:
        yield opened
    finally:
        await opened.dispose()
