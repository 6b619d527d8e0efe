"""Clocks of the API's machine, of the database and of the chains that differ."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import Scenario
from reminder_worker.monitoring.retention import forget_expired
from tests.integration import gift_mail_world

AHEAD = 400  # days


@pytest.fixture
async def gifts(engine: AsyncEngine, chain_scenario: Scenario) -> AsyncIterator[gift_mail_world.World]:
    async with AsyncExitStack() as stack:
        yield await gift_mail_world.open_world(stack, engine, chain_scenario)


async def test_nothing_is_forgotten_by_a_clock_far_ahead_of_the_chains(gifts: gift_mail_world.World) -> None:
    """Gifts still to be told of would be, with all that was spent today."""
    await gifts.register(gifts.seal())
    async with gifts.engine.begin() as connection:
        await connection.execute(text("update worker.gift_ledger set expires_at = now() - interval '1 day'"))
        snapshot = (
            "insert into worker.statistics (chain_id, hour, block_number, block_time, counts, tokens)"
            " select chain_id, now() - make_interval(days => :days), 1,"
            " cast(extract(epoch from now()) - :days * 86400 as bigint), '{}', '[]' from worker.index_cursor limit 1"
        )
        await connection.execute(text(snapshot), {"days": AHEAD})
    assert await forget_expired(gifts.engine) == 0
    await gifts.sql(snapshot, days=1)
    assert await forget_expired(gifts.engine) == 2
