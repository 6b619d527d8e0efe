"""Further emails about one deadline: nobody falls silent because somebody did nothing."""

import pytest

from devnet.scenarios import DAY, Legacy
from reminder_worker.reminders.planner import PlanReport
from tests.integration.reminder_world import CHAIN_ID, MailWorld

NOTICE = "before_activation"


async def noticed(world: MailWorld, notice: int) -> Legacy:
    """Create a legacy whose notice begins now; its first emails have left."""
    world.scenario.set_time_ahead(world.account("owner"), notice)
    legacy = world.legacy(heirs=["anna"], inactivity=60 * DAY)
    await world.save(legacy, "owner", "anna")
    await world.look_at_chain()
    world.scenario.advance(60 * DAY - notice)
    await world.tick()
    assert world.mail.told(NOTICE) == ["anna@example.org", "owner@example.org"]
    world.mail.inbox.clear()
    return legacy


async def after(world: MailWorld, days: float, kind: str) -> list[str]:
    """Let days pass; return the readers of this tick's emails of a kind."""
    world.mail.inbox.clear()
    world.scenario.advance(int(days * DAY))
    await world.days_pass(days)
    await world.tick()
    return list(world.mail.told(kind))


@pytest.mark.core
async def test_owner_alone_has_a_second_notice_at_half_of_the_time_and_no_third(world: MailWorld) -> None:
    await noticed(world, 10 * DAY)
    assert await after(world, 4.9, NOTICE) == []
    assert await after(world, 0.2, NOTICE) == ["owner@example.org"]
    assert world.mail.inbox[0].variables["remindersLeft"] == 0
    assert await after(world, 2.5, NOTICE) == []
    assert await after(world, 2, NOTICE) == []


async def test_sign_of_life_leaves_one_email_for_the_deadline(world: MailWorld) -> None:
    legacy = await noticed(world, 10 * DAY)
    world.scenario.check_in(world.account("owner"), legacy)
    assert await after(world, 6, NOTICE) == []


async def test_notice_below_two_days_has_no_second_email(world: MailWorld) -> None:
    await noticed(world, 2 * DAY - 60)
    assert await after(world, 1.5, NOTICE) == []


async def test_second_notice_goes_only_while_its_window_is_open(world: MailWorld) -> None:
    """Premium ends between planning and sending, and is renewed."""
    await noticed(world, 10 * DAY)
    owner = world.account("owner")
    world.scenario.advance(int(5.1 * DAY))
    await world.days_pass(5.1)
    await world.look_at_chain()
    await world.dispatch._planners[CHAIN_ID].run(PlanReport())
    world.scenario.end_premium(owner.address)
    await world.dispatch.run()
    assert world.mail.inbox == []
    assert (await world.states(NOTICE))["dropped:window_closed"] == 1
    world.scenario.subscribe_premium(owner)
    await world.tick()
    assert world.mail.told(NOTICE) == ["owner@example.org"]


async def test_second_notice_of_a_safe_goes_to_its_signers(world: MailWorld) -> None:
    creator, signer, heir = world.account("owner"), world.account("hollyash"), world.address("anna")
    world.scenario.ensure_premium(creator, 900 * DAY)
    safe = world.scenario.create_safe([creator, signer])
    legacy = world.scenario.create_safe_legacy(creator, safe, [heir], inactivity=60 * DAY)
    world.scenario.configure_reminders(creator, legacy, [heir], cosigners=[signer.address])
    await world.save(legacy, "owner", "hollyash", "anna")
    await world.look_at_chain()
    assert len(await after(world, 53.01, NOTICE)) == 3
    assert await after(world, 3.5, NOTICE) == ["hollyash@example.org", "owner@example.org"]
    assert {email.variables["role"] for email in world.mail.inbox} == {"cosigner"}


async def test_second_notice_is_not_made_up_for(world: MailWorld) -> None:
    """The people are saved after half of the notice."""
    world.scenario.set_time_ahead(world.account("owner"), 30 * DAY)
    legacy = world.legacy(heirs=["anna"], inactivity=60 * DAY)
    world.scenario.advance(46 * DAY)
    await world.save(legacy, "owner")
    await world.tick()
    assert world.mail.told(NOTICE) == ["owner@example.org"]
    assert world.mail.inbox[0].variables.get("remindersLeft") is None
    assert await after(world, 2, NOTICE) == []
