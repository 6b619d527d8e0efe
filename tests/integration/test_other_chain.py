"""A legacy of the same address on another chain is another legacy: whatever is read or written is of one chain."""

from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.deploy import UPGRADE_DELAY
from devnet.scenarios import DAY, Legacy, Scenario
from reminder_worker.chain.client import Chain
from reminder_worker.errors import Misconfigured
from reminder_worker.outbox.alerts import Alerts
from reminder_worker.upgrades import store
from reminder_worker.upgrades.job import UpgradeWatch
from tests.integration import upgrade_world
from tests.integration.other_chain import OTHER_CHAIN, mirror, of_other_chain
from tests.integration.reminder_world import CHAIN_ID, World

READ_ANEW = ("index_cursor", "chain_event", "legacy", "reminder_config", "notify_signal", "due_window", "sent_ledger")


async def seen(world: World) -> Legacy:
    """A legacy whose window is open and another's check-in: known, and not planned yet."""
    legacy = world.legacy(inactivity=30 * DAY)
    await world.save(legacy, "anna", "ben")
    world.scenario.advance(24 * DAY)
    another = world.legacy("otto", ("clara",))
    await world.save(another, "clara")
    world.scenario.check_in(world.account("otto"), another)
    await world.look_at_chain()
    return legacy


async def on_another_chain(world: World) -> dict[str, Sequence[Any]]:
    """As ours is now, but for who is configured there and which legacies its routers know by these ids."""
    await mirror(world.engine, CHAIN_ID)
    for change in (
        "reminder_config set beneficiaries = '{}'",
        "chain_event set log_index = log_index + 1000, data = data || '{\"beneficiaries\": []}'",
        "legacy set address = overlay(address placing 'ffffff' from 3)",
    ):
        await world.sql(f"update worker.{change} where chain_id = :other", other=OTHER_CHAIN)
    return await of_other_chain(world.engine)


def told(world: World) -> list[tuple[str, str]]:
    return sorted((email.template, email.to) for email in world.mail.inbox)


async def test_what_another_chain_was_told_is_told_here_too(world: World) -> None:
    await seen(world)
    await world.dispatch.run()
    once = told(world)
    assert len(once) == 3
    other = await on_another_chain(world)
    for table in READ_ANEW:
        await world.sql(f"delete from worker.{table} where chain_id = :id", id=CHAIN_ID)
    await world.sql("update worker.watch set next_ask = 0, membership = null where chain_id = :id", id=CHAIN_ID)
    await world.tick()
    assert told(world) == sorted(once * 2)
    assert await of_other_chain(world.engine) == other


async def test_nothing_that_becomes_of_a_legacy_here_is_said_of_another_chains(world: World) -> None:
    legacy = await seen(world)
    at = await world.index.head()
    signals = await world.index.signals(0, at.number, at)
    other = await on_another_chain(world)
    assert await world.index.signals(0, at.number, at) == signals != []
    await world.dispatch.run()
    before = told(world)
    world.scenario.check_in(world.account("owner"), legacy)
    await world.tick()
    assert told(world) == sorted([*before, ("owner_reset", "anna@example.org"), ("owner_reset", "ben@example.org")])
    newest = world.scenario.anvil.block_number()
    assert (await world.index.touched_since(newest, newest)).legacies.keys() == {legacy.address}
    await world.index.rewind_to(0)
    world.scenario.advance(9 * DAY)
    await world.tick()
    assert await of_other_chain(world.engine) == other


async def test_a_log_that_a_node_gave_late_is_found_where_another_chain_has_one_at_its_place(world: World) -> None:
    await seen(world)
    await mirror(world.engine, CHAIN_ID)
    late = "delete from worker.chain_event where chain_id = :id and name = :name returning tx_hash"
    values = {"id": CHAIN_ID, "name": "LegacyEmailNotifyRequested"}
    gone = await world.sql(late, **values)
    world.scenario.advance(12)
    await world.index.advance()
    assert gone
    assert await world.sql(late, **values) == gone


async def test_an_upgrade_of_the_same_id_on_another_chain_is_another_one(
    chain_scenario: Scenario, engine: AsyncEngine
) -> None:
    s = chain_scenario
    async with Chain(upgrade_world.chain_settings(s)) as chain:
        it = upgrade_world.world(s, engine, chain)
        await it.catch_up()
        executed, cancelled = s.schedule_upgrade(s.deploy("PremiumSetting")), s.schedule_upgrade("0x" + "5b" * 20)
        await it.catch_up()
        assert it.kinds() == ["scheduled", "scheduled"]
        await mirror(engine, CHAIN_ID)
        async with engine.begin() as conn:
            fork = "update worker.upgrade_event set block_hash = '0x' || repeat('7', 64) where chain_id = :id"
            await conn.execute(text(fork), {"id": OTHER_CHAIN})
        other = await of_other_chain(engine)
        async with engine.begin() as conn:
            for table in ("index_cursor", "upgrade_event", "upgrade_operation", "alert"):
                await conn.execute(text(f"delete from worker.{table} where chain_id = :id"), {"id": CHAIN_ID})
        await it.catch_up()
        s.advance(UPGRADE_DELAY)
        await it.catch_up()
        s.execute(executed)
        s.cancel(cancelled)
        s.anvil.mine(3)
        await it.catch_up()
        rows = it.rows(f"select kind, count(*) as times from worker.alert where chain_id = {CHAIN_ID} group by 1")
        assert {row.kind.removeprefix("upgrade_"): row.times for row in rows} == {
            "scheduled": 2,
            "confirmed": 2,
            "executable": 2,
            "executed": 1,
            "cancelled": 1,
        }
        assert not await it.watch.look()
        async with engine.begin() as conn:
            await store.replace_events(conn, CHAIN_ID, await store.events_from(conn, CHAIN_ID, 0), ())
        with pytest.raises(Misconfigured):
            await UpgradeWatch(engine, chain, Alerts(engine), s.deployment.time_lock_router).run()
        assert await of_other_chain(engine) == other
