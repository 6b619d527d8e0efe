"""A clock that was ahead for a while and was put back leaves nothing that waits for as long as it was ahead."""

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Mode, Scenario
from pipelines.sensors import _resting
from reminder_worker.errors import LimitReached
from reminder_worker.monitoring import operations
from reminder_worker.outbox.alerts import STORM, Alerts
from reminder_worker.outbox.messages import AlertKind
from reminder_worker.quotas import Quotas
from reminder_worker.reminders.planner import PlanReport
from tests.integration import gift_mail_world
from tests.integration.mail_stub import Fault, MailStub
from tests.integration.reminder_world import World, open_world
from tests.integration.renewal_world import CHAIN_ID, open_renewals

AHEAD = 400  # days


@pytest.fixture
async def gifts(engine: AsyncEngine, chain_scenario: Scenario) -> AsyncIterator[gift_mail_world.World]:
    async with AsyncExitStack() as stack:
        yield await gift_mail_world.open_world(stack, engine, chain_scenario)


async def _put_back(engine: AsyncEngine, table: str, *columns: str) -> None:
    """The database's clock, that is: by the new one what it wrote before is of the future."""
    moved = ", ".join(f"{column} = {column} + interval '{AHEAD} days'" for column in columns)
    async with engine.begin() as connection:
        await connection.execute(text(f"update worker.{table} set {moved}"))


async def test_owners_are_looked_at_for_auto_renew(engine: AsyncEngine, chain_scenario: Scenario) -> None:
    """Else the timer of an active owner would run out."""
    async with open_renewals(engine, chain_scenario) as world:
        world.legacy()
        await world.look()
        assert not await world.renewer().look(CHAIN_ID)
        await _put_back(engine, "owner_activity", "checked_at")
        assert await world.renewer().look(CHAIN_ID)


async def test_what_waits_to_be_sent_is_sent(world: World) -> None:
    legacy = world.legacy()
    await world.save(legacy, "anna", "ben", "owner")
    world.mail.fail(Fault.UNAVAILABLE)
    world.scenario.check_in(world.account("owner"), legacy)
    await world.tick()
    assert sorted(await world.states()) == ["released:mail_unavailable", "sent"]
    await _put_back(world.engine, "sent_ledger", "next_try")
    assert await world.dispatch.look()
    await world.dispatch.run()
    assert await world.states() == {"sent": 3}


async def test_a_lease_of_a_dispatcher_that_is_gone_ends(world: World) -> None:
    legacy = world.legacy()
    await world.save(legacy, "owner")
    world.scenario.check_in(world.account("owner"), legacy)
    await world.look_at_chain()
    for planner in world.dispatch._planners.values():
        await planner.run(PlanReport())
    await world.sql("update worker.sent_ledger set state = 'claimed', lease_until = now(), lease_token = id")
    await _put_back(world.engine, "sent_ledger", "lease_until")
    assert await world.dispatch.look()
    await world.dispatch.run()
    assert await world.states() == {"sent": 1}


async def test_what_a_dispatcher_that_is_gone_was_asking_about_is_asked_about(world: World) -> None:
    legacy = world.legacy()
    await world.save(legacy, "owner")
    world.mail.fail(Fault.DIES_BEFORE)
    world.scenario.check_in(world.account("owner"), legacy)
    await world.tick()
    assert await world.states() == {"unknown": 1}
    await world.sql("update worker.sent_ledger set next_try = now(), lease_until = now(), lease_token = id")
    await _put_back(world.engine, "sent_ledger", "lease_until", "claimed_at")
    assert await world.dispatch.look()
    await world.dispatch.run()
    assert world.mail.told("owner_reset") == ["owner@example.org"]


async def test_a_signal_that_waits_for_its_transaction_is_planned(world: World) -> None:
    legacy = world.legacy()
    await world.save(legacy, "owner")
    world.scenario.check_in(world.account("owner"), legacy)
    await world.look_at_chain()
    await _put_back(world.engine, "notify_signal", "next_try")
    assert await world.dispatch.look()
    await world.dispatch.run()
    assert world.mail.told("owner_reset") == ["owner@example.org"]


async def test_an_email_of_then_keeps_no_later_one_back_for_more_than_a_day(world: World) -> None:
    legacy = world.legacy()
    await world.save(legacy, "owner")
    world.scenario.check_in(world.account("owner"), legacy)
    await world.tick()
    await _put_back(world.engine, "sent_ledger", "claimed_at", "created_at", "settled_at")
    world.scenario.advance(40 * DAY)
    world.scenario.check_in(world.account("owner"), legacy)
    await world.tick()
    assert world.mail.told("owner_reset") == ["owner@example.org"] * 2


async def test_a_legacy_that_was_set_aside_is_asked_about_again(world: World) -> None:
    legacy = world.scenario.create_reverting_legacy(
        world.account("owner"), {world.address("anna"): 100}, inactivity=DAY
    )
    await world.save(legacy, "anna")
    world.scenario.set_mode(legacy, Mode.REVERTS)
    assert (await world.look_at_chain()).reverting == 1
    assert not await world.due.look()
    await _put_back(world.engine, "watch", "paused_until")
    assert await world.due.look()
    assert (await world.due.run()).asked == 1


async def test_who_unsubscribed_and_came_back_is_written_to(world: World) -> None:
    legacy = world.legacy()
    await world.save(legacy, "owner")
    hash = world.hashes.email("owner@example.org")
    await world.sql("insert into worker.suppression (email_hash) values (:hash)", hash=hash)
    await _put_back(world.engine, "suppression", "since")
    world.scenario.check_in(world.account("owner"), legacy)
    await world.tick()
    assert world.mail.told("owner_reset") == ["owner@example.org"]


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


async def test_an_opened_gift_is_told_of_on_its_day(gifts: gift_mail_world.World) -> None:
    await gifts.register(gifts.seal(), timing="none")
    await _put_back(gifts.engine, "gift_ledger", "next_try")
    assert not await gifts.mail.look()
    gifts.scenario.advance(30 * DAY + 1)
    assert await gifts.mail.look()
    await gifts.mail.run()
    assert gifts.stub.told("gift_unlocked") == [gift_mail_world.NORMAL]


@pytest.mark.parametrize("columns", [("next_try",), ("next_try", "lease_until")], ids=["put off", "in hand"])
async def test_what_became_of_an_opened_gifts_email_is_asked(
    gifts: gift_mail_world.World, columns: Sequence[str]
) -> None:
    """Else the gift would be forgotten first, and its recipient may not have heard."""
    await gifts.register(gifts.seal(), timing="none")
    gifts.scenario.advance(30 * DAY + 1)
    gifts.stub.fail(Fault.DIES_BEFORE)
    await gifts.mail.run()
    assert await gifts.states() == {"gift_unlocked": "unknown"}
    await gifts.sql("update worker.gift_ledger set lease_until = now(), lease_token = id")
    await _put_back(gifts.engine, "gift_ledger", *columns)
    assert await gifts.mail.look()
    await gifts.mail.run()
    assert gifts.stub.told("gift_unlocked") == [gift_mail_world.NORMAL]


async def test_alerts_are_mailed(engine: AsyncEngine, chain_scenario: Scenario) -> None:
    """Also after a storm, whose digest would be the last for ten minutes."""
    async with MailStub() as mail, open_world(engine, chain_scenario, mail) as world:
        alerts = Alerts(engine, world.client, "operators@example.org", {})
        for number in range(2 * STORM):
            await alerts.raise_(None, AlertKind.RELAYER_LOW_BALANCE, f"wallet {number}", CHAIN_ID, {})
            await alerts.run()
        assert not await alerts.look()
        await _put_back(engine, "alert", "created_at", "next_try")
        assert await alerts.look()
        for _ in range(2):
            await alerts.run()
        assert await world.sql("select count(*) from worker.alert where state = 'queued'") == [(0,)]


async def test_a_pass_that_failed_or_left_work_is_tried_again(world: World) -> None:
    """It rests for seconds: else no run would be launched, and nobody would hear of it."""
    await world.sql(
        "insert into worker.pass_state (name, chain_id, succeeded_at, failed_at, error, detail) values"
        " ('index', 31337, now(), now(), 'ChainUnavailable', null),"
        """ ('dispatch', 0, now(), null, null, '{"unreadable_chains": [31337]}')"""
    )
    assert set(await _resting(world)) == {("index", 31337), ("dispatch", 0)}  # type: ignore[arg-type]
    await _put_back(world.engine, "pass_state", "succeeded_at", "failed_at")
    assert await _resting(world) == {}  # type: ignore[arg-type]


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
