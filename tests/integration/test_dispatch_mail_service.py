"""The dispatch and the real mail service, when SMTP or the mail service fails: counted in the inbox."""

import asyncio
import os
import signal
import sys
from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.chain import usable_port
from devnet.scenarios import DAY, Scenario
from devnet.smtp import SmtpInbox
from tests.campaign.mail_services import MailServices
from tests.integration.mail_service_stack import environment, process, served
from tests.integration.reminder_world import CHAIN_ID, MailWorld, open_world

PEOPLE = ("owner", "anna", "ben")


def address_of(engine: AsyncEngine) -> str:
    return engine.url.render_as_string(hide_password=False)


async def open_window(world: MailWorld) -> None:
    legacy = world.legacy(inactivity=30 * DAY)
    await world.save(legacy, *PEOPLE)
    world.scenario.advance(24 * DAY)
    await world.look_at_chain()


async def later_ticks(world: MailWorld) -> None:
    for _ in range(4):
        await world.leases_expire()
        await world.hurry()
        await world.dispatch.run()


def nobody_twice(inbox: SmtpInbox) -> bool:
    return max(Counter(message.to for message in inbox.messages).values()) == 1


async def test_a_lost_reply_of_smtp_is_held_and_the_others_are_sent(
    engine: AsyncEngine, chain_scenario: Scenario, inbox: SmtpInbox
) -> None:
    async with (
        served(environment(address_of(engine), inbox)) as service,
        open_world(engine, chain_scenario, service, MAIL_CONCURRENCY="1") as world,
    ):
        await open_window(world)
        inbox.faults.drop_after_data = True
        running = asyncio.create_task(world.dispatch.run())
        await inbox.wait_for_count(1)
        inbox.faults.drop_after_data = False
        await running
        await later_ticks(world)
        states = await world.states()
        assert states["held:in_doubt"] >= 1
        assert sum(states.values()) == 3
        assert len(inbox.messages) == 3
        assert nobody_twice(inbox)


async def test_an_smtp_server_that_is_down_is_waited_for(
    engine: AsyncEngine, chain_scenario: Scenario, inbox: SmtpInbox
) -> None:
    async with (
        served(environment(address_of(engine), inbox)) as service,
        open_world(engine, chain_scenario, service) as world,
    ):
        await open_window(world)
        await inbox.refuse()
        await world.dispatch.run()
        await later_ticks(world)
        assert set(await world.states()) <= {"released", "unknown", "released:mail_unavailable"}
        await inbox.accept()
        await later_ticks(world)
        assert await world.states() == {"sent": 3}
        assert len(inbox.messages) == 3
        assert nobody_twice(inbox)


async def test_an_smtp_server_that_is_slower_than_we_wait_is_delivered_through_once(
    engine: AsyncEngine, chain_scenario: Scenario, inbox: SmtpInbox
) -> None:
    """The mail service goes on without us, and says what became of it when asked."""
    async with (
        served(environment(address_of(engine), inbox)) as service,
        open_world(engine, chain_scenario, service, MAIL_TIMEOUT="0.5") as world,
    ):
        await open_window(world)
        inbox.faults.hold_rcpt = asyncio.Event()
        await world.dispatch.run()
        await later_ticks(world)
        assert await world.states() == {"unknown": 3}
        inbox.faults.hold_rcpt.set()
        await inbox.wait_for_count(3)
        await later_ticks(world)
        assert await world.states() == {"sent": 3}
        assert len(inbox.messages) == 3
        assert nobody_twice(inbox)


@pytest.mark.parametrize("after_data", [True, False])
async def test_the_mail_service_is_killed_with_emails_in_hand(
    engine: AsyncEngine, chain_scenario: Scenario, inbox: SmtpInbox, tmp_path: Path, after_data: bool
) -> None:
    """Whom its crash left undecided is held; whom it did not is sent; nobody hears twice."""
    environ, port, log = environment(address_of(engine), inbox), usable_port(), tmp_path / "log"
    gate = asyncio.Event()
    if after_data:
        inbox.faults.hold = gate
    else:
        inbox.faults.hold_rcpt = gate
    async with process(environ, port, log) as (child, service), open_world(engine, chain_scenario, service) as world:
        await open_window(world)
        running = asyncio.create_task(world.dispatch.run())
        await (inbox.wait_for_count(3) if after_data else inbox.faults.rcpt_reached.wait())
        child.send_signal(signal.SIGKILL)
        await child.wait()
        await running
        assert "sent" not in await world.states()
        gate.set()
        async with process(environ, port, log):
            for _ in range(40):
                await later_ticks(world)
                if set(await world.states()) <= {"sent", "held:in_doubt"}:
                    break
                await asyncio.sleep(0.25)
        assert await world.states() == ({"held:in_doubt": 3} if after_data else {"sent": 3})
        assert len(inbox.messages) == 3
        assert nobody_twice(inbox)


async def test_one_of_two_dispatchers_and_of_two_mail_services_is_killed_with_emails_in_hand(
    engine: AsyncEngine, chain_scenario: Scenario, inbox: SmtpInbox, tmp_path: Path
) -> None:
    """Each dispatcher has the emails of one legacy in hand, spread over both mail services: none twice, none lost."""
    services = MailServices(environment(address_of(engine), inbox), tmp_path / "log")
    await services.start()
    inbox.faults.hold = asyncio.Event()
    try:
        async with open_world(engine, chain_scenario, services) as world:
            for number in (0, 1):
                owner, *heirs = (f"{role} of {number}" for role in ("owner", "anna", "ben", "cleo", "dana"))
                legacy = world.legacy(owner, heirs, inactivity=(30 + number) * DAY)
                await world.save(legacy, owner, *heirs)
            dispatchers = []
            for emails, days in ((5, 24), (10, 1)):
                world.scenario.advance(days * DAY)
                await world.look_at_chain()
                dispatchers.append(await _start_dispatcher(address_of(engine), world))
                await inbox.wait_for_count(emails)
            dispatchers[0].kill()
            services.each[0].end()
            await services.each[0].ended()
            inbox.faults.hold.set()
            await dispatchers[1].wait()
            await services.up()
            for _ in range(40):
                await later_ticks(world)
                if set(states := await world.states()) <= {"sent", "held:in_doubt"}:
                    break
                await asyncio.sleep(0.25)
        assert sum(states.values()) == len(inbox.messages) == 10
        assert states.keys() == {"sent", "held:in_doubt"}
        assert nobody_twice(inbox)
    finally:
        await services.stop()


async def _start_dispatcher(database_url: str, world: MailWorld) -> asyncio.subprocess.Process:
    program = Path(__file__).with_name("dispatch_process.py")
    chain = world.scenario.deployment.settings_environ(CHAIN_ID, world.scenario.anvil.url)
    values = {**chain, "MAIL_URL": str(world.settings.mail and world.settings.mail.url)}
    return await asyncio.create_subprocess_exec(
        *(sys.executable, str(program), database_url, *(f"{name}={value}" for name, value in values.items())),
        env={**os.environ, "PYTHONPATH": str(program.parents[2])},
    )
