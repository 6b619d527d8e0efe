"""Whatever fails and whenever it stops: never two emails, none lost, and what nobody can know is held and shown."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Legacy, Scenario
from reminder_worker.monitoring.facts import LEDGERS
from reminder_worker.outbox.operator import count_undecided, requeue_dead, settle_sent, settle_unsent
from tests.integration.crash import Crash, CrashAt
from tests.integration.mail_stub import Fault, MailStub
from tests.integration.reminder_world import World, open_world

EVERYBODY = ["anna@example.org", "ben@example.org", "owner@example.org"]
DUE = "before_activation"


@pytest.fixture
async def world(engine: AsyncEngine, chain_scenario: Scenario) -> AsyncIterator[World]:
    """A legacy of three people whose first window is open and stored, and nothing planned yet."""
    async with MailStub() as mail, open_world(engine, chain_scenario, mail) as opened:
        await open_window(opened)
        yield opened


async def open_window(world: World, **terms: Any) -> Legacy:
    legacy = world.legacy(inactivity=30 * DAY, **terms)
    await world.save(legacy, "owner", "anna", "ben")
    world.scenario.advance(24 * DAY)
    await world.look_at_chain()
    return legacy


async def settle(world: World, runs: int = 4) -> None:
    """A healthy worker takes over, later."""
    for _ in range(runs):
        await world.sql(
            "update worker.sent_ledger set lease_until = now() - interval '1 s' where lease_until is not null"
        )
        await world.hurry()
        await world.dispatch.run()
        if not await world.sql("select from worker.sent_ledger where state not in ('sent', 'held')"):
            return


async def nobody_was_forgotten_and_nobody_heard_twice(world: World) -> None:
    assert world.mail.told(DUE) == EVERYBODY
    assert await world.states() == {"sent": 3}


@pytest.mark.parametrize("fault", [f for f in Fault if f not in (Fault.IN_DOUBT, Fault.IN_FLIGHT, Fault.SUPPRESSED)])
@pytest.mark.core
async def test_one_failing_answer_leaves_one_email_each(world: World, fault: Fault) -> None:
    world.mail.fail(fault)
    await world.dispatch.run()
    assert sum((await world.states()).values()) == 3
    await settle(world)
    await nobody_was_forgotten_and_nobody_heard_twice(world)


@pytest.mark.parametrize("fault", [Fault.ACCEPTS_AND_DIES, Fault.UNAVAILABLE])
async def test_a_whole_outage_leaves_one_email_each(world: World, fault: Fault) -> None:
    world.mail.fail(*[fault] * 3)
    await world.dispatch.run()
    await settle(world)
    await nobody_was_forgotten_and_nobody_heard_twice(world)


async def test_what_the_mail_service_doubts_is_held_shown_and_never_sent_again(world: World) -> None:
    world.mail.fail(Fault.IN_DOUBT)
    await world.dispatch.run()
    await settle(world)
    assert await world.states() == {"sent": 2, "held:in_doubt": 1}
    assert len(world.mail.told(DUE)) == 2
    assert [(each.state, each.count) for each in await count_undecided(world.engine)] == [("held", 1)]


async def hold(world: World) -> UUID:
    world.mail.fail(Fault.IN_DOUBT)
    await world.dispatch.run()
    await settle(world)
    ((held,),) = await world.sql("select id from worker.sent_ledger where state = 'held'")
    assert isinstance(held, UUID)
    return held


async def test_what_is_held_is_sent_once_when_somebody_finds_that_it_never_left(world: World) -> None:
    """Under another key: the mail service keeps to its doubt. What its provider says is an operator's to take."""
    held = await hold(world)
    assert "back in the queue" in (await settle_unsent(world.engine, LEDGERS, world.client, held) or "")
    assert await settle_unsent(world.engine, LEDGERS, world.client, held) is None
    await settle(world)
    await nobody_was_forgotten_and_nobody_heard_twice(world)
    assert not await world.sql("select from worker.sent_ledger where body is not null")
    assert not await count_undecided(world.engine)


async def test_what_was_settled_is_not_sent_again_by_a_database_that_was_put_back(world: World) -> None:
    held = await hold(world)
    await settle_unsent(world.engine, LEDGERS, world.client, held)
    await settle(world)
    await world.sql(
        f"update worker.sent_ledger set state = 'held', message_id = null, id = '{held}'"
        f" where id = '{uuid5(held, 'unsent')}'"
    )
    assert await world.states() == {"sent": 2, "held": 1}
    assert "back in the queue" in (await settle_unsent(world.engine, LEDGERS, world.client, held) or "")
    await settle(world)
    await nobody_was_forgotten_and_nobody_heard_twice(world)


async def test_what_the_mail_service_knows_by_now_is_not_sent_again(world: World) -> None:
    held = await hold(world)
    world.mail.find_out(str(held))
    assert "knows by now" in (await settle_unsent(world.engine, LEDGERS, world.client, held) or "")
    await settle(world)
    assert await world.states() == {"sent": 2, "sent:by_hand": 1}
    assert len(world.mail.told(DUE)) == 2


async def test_what_was_held_for_an_address_is_closed_and_an_open_window_told_to_the_next(world: World) -> None:
    held = await hold(world)
    ((who,),) = await world.sql(f"select recipient from worker.sent_ledger where id = '{held}'")
    await world.sql(f"update worker.recipient set written_at = clock_timestamp() where recipient = '{who}'")
    assert "closed, not sent" in (await settle_unsent(world.engine, LEDGERS, world.client, held) or "")
    assert await world.states() == {"sent": 2, "dropped:body_gone": 1}
    await settle(world)
    await nobody_was_forgotten_and_nobody_heard_twice(world)


async def test_what_is_held_is_settled_with_the_id_it_left_under(world: World) -> None:
    held = await hold(world)
    assert await settle_sent(world.engine, LEDGERS, held, "<it@mail.example.org>")
    await settle(world)
    assert await world.states() == {"sent": 2, "sent:by_hand": 1}
    assert len(world.mail.told(DUE)) == 2
    assert not await count_undecided(world.engine)


async def test_what_is_under_way_is_waited_for_and_then_sent_once(world: World) -> None:
    world.mail.fail(Fault.IN_FLIGHT)
    await world.dispatch.run()
    await settle(world, 2)
    assert (await world.states())["unknown"] == 1
    (key,) = await world.sql("select cast(id as text) from worker.sent_ledger where state = 'unknown'")
    world.mail.decide(key[0])
    await settle(world)
    await nobody_was_forgotten_and_nobody_heard_twice(world)


async def test_a_service_that_keeps_no_keys_makes_every_undecidable_send_held(
    engine: AsyncEngine, chain_scenario: Scenario
) -> None:
    async with MailStub() as mail, open_world(engine, chain_scenario, mail, MAIL_IDEMPOTENT="false") as world:
        await open_window(world)
        mail.fail(Fault.ACCEPTS_AND_DIES, Fault.DIES_BEFORE)
        await world.dispatch.run()
        await settle(world)
        assert await world.states() == {"sent": 1, "held:undecidable": 2}
        assert mail.told(DUE) == sorted({*mail.told(DUE)})
        assert len(mail.inbox) == 2


async def test_retry_after_is_honoured(world: World) -> None:
    world.mail.retry_after = 1234
    world.mail.fail(Fault.SLOW_DOWN)
    await world.dispatch.run()
    (waits,) = await world.sql(
        "select extract(epoch from next_try - now()) from worker.sent_ledger where state = 'released'"
    )
    assert 1200 < waits[0] <= 1234


async def test_down_for_a_week_kills_nothing_and_doubles_nothing(world: World) -> None:
    await world.mail.stop()
    for _ in range(8):
        report = await world.dispatch.run()
        assert "dead" not in report.outcomes.get(DUE, {})
        await world.days_pass(1)
        await world.hurry()
    assert sum((await world.states()).values()) == 3
    await world.mail.start()
    await settle(world)
    await nobody_was_forgotten_and_nobody_heard_twice(world)


async def test_a_request_refused_three_times_is_dead_until_it_is_requeued(world: World) -> None:
    await world.dispatch.run()
    await world.sql("update worker.sent_ledger set state = 'queued', message_id = null, claimed_at = null")
    world.mail.decide_all()
    world.mail.inbox.clear()
    world.mail.fail(*[Fault.REJECTED] * 9)
    for _ in range(3):
        await world.dispatch.run()
        await world.hurry()
    assert await world.states() == {"dead:rejected_422": 3}
    assert await requeue_dead(world.engine, LEDGERS) == 3
    await settle(world)
    await nobody_was_forgotten_and_nobody_heard_twice(world)


async def test_an_outage_spares_the_rest_of_the_slice(world: World) -> None:
    legacy = world.legacy(heirs=[f"heir{n}" for n in range(20)], inactivity=1 * DAY)
    await world.save(legacy, "owner", *(f"heir{n}" for n in range(20)))
    await world.look_at_chain()
    world.mail.fail(*[Fault.UNAVAILABLE] * 1000)
    report = await world.dispatch.run()
    assert report.outage
    assert world.mail.requests < 100
    world.mail.faults.clear()
    await settle(world)
    assert await world.states() == {"sent": 24}


async def start_over(world: World) -> None:
    await world.sql("delete from worker.sent_ledger")
    await world.sql("delete from worker.quota")
    await world.sql("update worker.due_window set planned_at = null")
    world.mail.inbox.clear()


@pytest.mark.parametrize("faults", [(), (Fault.ACCEPTS_AND_DIES, Fault.DIES_BEFORE, Fault.UNAVAILABLE)])
async def test_a_crash_at_every_step_of_the_worker(world: World, faults: tuple[Fault, ...]) -> None:
    """Every statement and every commit of a run with sends, doubts and retries, one after the other."""
    for number in range(500):
        await start_over(world)
        world.mail.fail(*faults)
        if faults:
            await world.dispatch.run()
            await world.hurry()
        try:
            with CrashAt(world.engine, number) as crash:
                await world.dispatch.run()
        except Crash:
            await settle(world)
            assert world.mail.told(DUE) == EVERYBODY, f"crashed before statement {number}"
            assert await world.states() == {"sent": 3}
        if crash.left >= 0:
            break
    assert 15 < number < 499


async def test_killed_while_the_mail_service_has_the_email_in_hand(world: World, database_url: str) -> None:
    """A real process and a real kill -9: the lease expires, the mail service is asked, nobody hears twice."""
    world.mail.fail(*[Fault.ACCEPTS_AND_HANGS] * 3)
    program = Path(__file__).with_name("dispatch_process.py")
    values = {**world.scenario.deployment.settings_environ(31337, world.scenario.anvil.url), "MAIL_URL": world.mail.url}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(program),
        database_url,
        *(f"{name}={value}" for name, value in values.items()),
        env={**os.environ, "PYTHONPATH": str(program.parents[2])},
    )
    while len(world.mail.inbox) < 3:
        await asyncio.sleep(0.02)
        assert process.returncode is None
    process.send_signal(signal.SIGKILL)
    await process.wait()
    assert await world.states() == {"claimed": 3}
    await world.dispatch.run()
    assert await world.states() == {"claimed": 3}  # the lease is not over
    await settle(world)
    await nobody_was_forgotten_and_nobody_heard_twice(world)


@pytest.mark.core
async def test_two_dispatchers_at_once_send_each_email_once(
    world: World, engine: AsyncEngine, chain_scenario: Scenario
) -> None:
    heirs = [f"heir{n}" for n in range(40)]
    legacy = world.legacy(heirs=heirs, inactivity=1 * DAY)
    await world.save(legacy, "owner", *heirs)
    await world.look_at_chain()
    world.mail.fail(Fault.ACCEPTS_AND_DIES, Fault.UNAVAILABLE, Fault.DIES_BEFORE)
    async with open_world(engine, chain_scenario, world.mail) as other:
        await asyncio.gather(world.dispatch.run(), other.dispatch.run(), other.dispatch.run())
        await world.hurry()
        await asyncio.gather(world.dispatch.run(), other.dispatch.run())
    await settle(world)
    assert len(world.mail.inbox) == 44
    assert not world.mail.duplicates()
    assert await world.states() == {"sent": 44}
