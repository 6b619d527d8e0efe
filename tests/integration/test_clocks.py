"""Clocks of the API's machine, of the database and of the chains that differ."""

import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Scenario
from reminder_worker.errors import LimitReached
from reminder_worker.monitoring import operations
from reminder_worker.quotas import Quotas
from tests.integration import gift_mail_world

AHEAD = 400  # days


@pytest.fixture
async def gifts(engine: AsyncEngine, chain_scenario: Scenario) -> AsyncIterator[gift_mail_world.World]:
    async with AsyncExitStack() as stack:
        yield await gift_mail_world.open_world(stack, engine, chain_scenario)


async def test_a_cooldown_lasts_no_longer_than_one_that_begins_now(engine: AsyncEngine) -> None:
    now = time.time() + AHEAD * DAY
    quotas = Quotas(engine, lambda: now)
    await quotas.cooldown(None, "cool", "a", 100)
    now -= AHEAD * DAY
    await quotas.cooldown(None, "cool", "a", 100)
    now -= 30  # another process, whose clock is a little behind
    with pytest.raises(LimitReached):
        await quotas.cooldown(None, "cool", "a", 100)


async def test_what_is_due_at_once_does_not_wait_for_the_clock_of_who_registers_it(
    gifts: gift_mail_world.World,
) -> None:
    """The API's machine is three hours ahead of the database's."""
    id = gifts.seal()
    gifts.notifications._quotas.now = lambda: time.time() + 3 * 3600
    gifts._deadline += 3 * 3600
    await gifts.register(id)
    await gifts.mail.run()
    assert gifts.stub.told("gift_waiting") == [gift_mail_world.NORMAL]
    gifts.scenario.advance(30 * DAY + 1)
    await gifts.mail.run()
    assert gifts.stub.told("gift_unlocked") == [gift_mail_world.NORMAL]


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
    assert await operations.forget_expired(gifts.engine) == 0
    await gifts.sql(snapshot, days=1)
    assert await operations.forget_expired(gifts.engine) == 2
