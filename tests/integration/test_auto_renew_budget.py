"""Owners are asked to check in 30 days and 7 days before their auto-renew budget ends."""

import json
from collections.abc import AsyncIterator
from contextlib import nullcontext

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Legacy, Scenario
from reminder_worker.chain.abi import find_selector
from reminder_worker.chain.renewals import BUDGET_SECONDS
from reminder_worker.errors import ChainUnavailable
from reminder_worker.outbox.messages import format_deadline
from reminder_worker.reminders.audience import format_budget_event
from tests.campaign.nodes import behind
from tests.integration.chain_proxy import proxy
from tests.integration.mail_stub import MailFault
from tests.integration.reminder_world import open_world, save_again_while_asked
from tests.integration.renewal_world import RenewalWorld, open_renewals

KIND = "auto_renew_budget"


@pytest.fixture
async def world(engine: AsyncEngine, chain_scenario: Scenario) -> AsyncIterator[RenewalWorld]:
    async with open_renewals(engine, chain_scenario) as opened:
        yield opened


async def opted_in(world: RenewalWorld) -> Legacy:
    """Create an opted-in legacy with stored emails, and a period so long that no other reminder is due."""
    legacy = world.legacy(inactivity=900 * DAY)
    await world.world.save(legacy, "owner", "anna")
    return legacy


def left(world: RenewalWorld, legacy: Legacy, days: float) -> None:
    """Let time pass until so many days of the budget are left."""
    world.scenario.anvil.set_time(int(world.state(legacy)[2] + BUDGET_SECONDS - days * DAY))


async def tick(world: RenewalWorld) -> list[tuple[str, str]]:
    """Run the passes of a worker; return the recipients of budget emails, and the date in them."""
    world.world.mail.inbox.clear()
    await world.look()
    await world.world.hurry()
    await world.world.tick()
    return [(email.to, email.variables["deadline"]) for email in world.world.mail.inbox if email.template == KIND]


async def test_the_owner_alone_is_asked_at_thirty_and_at_seven_days(world: RenewalWorld) -> None:
    legacy = await opted_in(world)
    anchor = world.state(legacy)[2]
    until = format_deadline(anchor + BUDGET_SECONDS)
    left(world, legacy, 31)
    assert await tick(world) == []
    left(world, legacy, 29.5)
    assert await tick(world) == [("owner@example.org", until)]
    left(world, legacy, 8)
    assert await tick(world) == []
    left(world, legacy, 6.5)
    assert await tick(world) == [("owner@example.org", until)]
    left(world, legacy, 1)
    assert await tick(world) == []
    events = await world.world.sql("select event from worker.sent_ledger where kind = :kind order by 1", kind=KIND)
    assert [row[0] for row in events] == [format_budget_event(anchor, 30), format_budget_event(anchor, 7)]
    assert not await world.world.dispatch.poll()


async def test_a_check_in_before_it_is_sent_drops_it_and_begins_a_new_year(world: RenewalWorld) -> None:
    legacy = await opted_in(world)
    left(world, legacy, 20)
    await world.look()
    world.scenario.check_in(world.scenario.account("owner"), legacy)
    await world.world.tick()
    assert await world.world.states(KIND) == {"dropped:checked_in": 1}
    assert world.world.mail.told(KIND) == []
    assert await tick(world) == []
    left(world, legacy, 20)
    assert len(await tick(world)) == 1


async def test_an_owner_saved_again_while_an_email_in_doubt_is_asked_about_is_told_after_all(
    world: RenewalWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    legacy = await opted_in(world)
    left(world, legacy, 20)
    world.world.mail.fail(MailFault.DIES_BEFORE)
    assert await tick(world) == []
    await save_again_while_asked(world.world, monkeypatch, legacy, "owner")
    assert await tick(world) == []
    await world.world.days_pass()
    assert len(await tick(world)) == 1


async def test_an_attested_renewal_neither_suppresses_nor_merges_it(world: RenewalWorld) -> None:
    """Its owner-reset signal is mailed as usual, and the owner is still asked to check in."""
    legacy = world.legacy(inactivity=100 * DAY)
    await world.world.save(legacy, "owner", "anna")
    for days in (293, 221, 149, 77, 5):
        await world.look()
        world.transact()
        left(world, legacy, days)
        assert (await world.look()).sent == 1
    await world.world.tick()
    sent = [(email.template, email.to) for email in world.world.mail.inbox]
    assert (KIND, "owner@example.org") in sent
    assert ("owner_reset", "owner@example.org") in sent
    assert (KIND, "anna@example.org") not in sent


@pytest.mark.parametrize(
    ("change", "reason"),
    [("switched off", "auto_renew_off"), ("deleted", "auto_renew_off"), ("ended", "window_closed")],
)
async def test_owner_of_a_legacy_without_renewals_gets_no_email(world: RenewalWorld, change: str, reason: str) -> None:
    legacy, owner = await opted_in(world), world.scenario.account("owner")
    left(world, legacy, 20)
    await world.look()
    if change == "switched off":
        world.scenario.set_auto_renew(owner, legacy, False)
    elif change == "deleted":
        world.scenario.delete_legacy(owner, legacy)
    else:
        left(world, legacy, -1)
    await world.world.tick()
    assert await world.world.states(KIND) == {f"dropped:{reason}": 1}
    assert world.world.mail.told(KIND) == []


@pytest.mark.parametrize("premium", [True, False])
async def test_owner_without_renewals_gets_no_email_even_if_no_node_counts(
    engine: AsyncEngine, chain_scenario: Scenario, premium: bool
) -> None:
    """A refused count of transactions makes no owner Premium."""
    async with (
        proxy(chain_scenario.anvil.url) as node,
        open_renewals(engine, chain_scenario, CHAIN_31337_RPC_URLS=node.url) as world,
    ):
        counts = "eth_getTransactionCount"
        node.answer = lambda request: {"error": {"code": -32000}} if request["method"] == counts else None
        legacy = await opted_in(world)
        if not premium:
            world.scenario.end_premium(world.world.address("owner"))
        left(world, legacy, 29)
        with pytest.raises(ChainUnavailable) if premium else nullcontext():
            await world.look()
        await world.world.tick()
        assert len(world.world.mail.told(KIND)) == premium
        assert await world.verdict(legacy) == ("count_not_known" if premium else "not_premium")


async def test_owner_without_an_address_gets_no_email_until_one_is_stored(world: RenewalWorld) -> None:
    scenario, owner = world.scenario, world.world.account("owner")
    scenario.subscribe_premium(owner, 20 * 365 * DAY)
    legacy = scenario.create_legacy(owner, {world.world.address("anna"): 100}, inactivity=900 * DAY)
    scenario.set_auto_renew(owner, legacy)
    await world.world.save(legacy, "owner")
    left(world, legacy, 29)
    assert await tick(world) == []
    assert await world.world.states(KIND) == {"dropped:not_in_audience": 1}
    assert not await world.world.dispatch.poll(), "nobody is looked at again and again"
    scenario.configure_reminders(owner, legacy)
    await world.world.days_pass()
    assert len(await tick(world)) == 1


async def test_failing_router_does_not_prevent_the_email(world: RenewalWorld, engine: AsyncEngine) -> None:
    """For example after a bad upgrade, until the next upgrade."""
    legacy, anvil = await opted_in(world), world.scenario.anvil
    left(world, legacy, 20)
    await world.look()
    about = "0x" + find_selector("TransferEOALegacyRouter", "autoRenewState").hex()
    async with (
        proxy(anvil.url) as node,
        open_world(engine, world.scenario, world.world.mail, CHAIN_31337_RPC_URLS=node.url) as late,
    ):
        node.answer = lambda request: (
            {"error": {"code": 3, "message": "execution reverted"}} if about in json.dumps(request) else None
        )
        await late.dispatch.run()
    assert world.world.mail.told(KIND) == []
    await world.world.hurry()
    await world.world.dispatch.run()
    assert world.world.mail.told(KIND) == ["owner@example.org"]


async def test_lagging_node_does_not_prevent_the_email(world: RenewalWorld, engine: AsyncEngine) -> None:
    """By its clock the last month has not begun, so the email is dropped. A day later it is planned again."""
    legacy, anvil = await opted_in(world), world.scenario.anvil
    left(world, legacy, 31)
    before = anvil.block_number()
    left(world, legacy, 29.5)
    await world.look()
    async with (
        proxy(anvil.url) as node,
        open_world(engine, world.scenario, world.world.mail, CHAIN_31337_RPC_URLS=node.url) as late,
    ):
        node.answer = behind(anvil, anvil.block_number() - before)
        await late.dispatch.run()
    assert await world.world.states(KIND) == {"dropped:window_closed": 1}
    assert not await world.world.dispatch.poll(), "nobody is looked at again and again"
    await world.world.days_pass()
    assert len(await tick(world)) == 1
