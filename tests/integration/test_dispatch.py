"""From the chain to one email for each right person."""

from collections.abc import AsyncIterator

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Scenario
from tests.integration.mail_stub import MailStub
from tests.integration.reminder_world import World, open_world

FAMILY = ("owner", "anna", "ben", "clara")


def emails(*labels: str) -> list[str]:
    return sorted(f"{label}@example.org" for label in labels)


@pytest.fixture
async def world(engine: AsyncEngine, chain_scenario: Scenario) -> AsyncIterator[World]:
    async with MailStub() as mail, open_world(engine, chain_scenario, mail) as opened:
        yield opened


async def test_the_whole_life_of_a_legacy(world: World) -> None:
    """Each window and signal becomes one email to each person of its line, however often the worker looks."""
    s, mail = world.scenario, world.mail
    legacy = world.legacy(second_line="clara", inactivity=30 * DAY)
    await world.save(legacy, *FAMILY)
    await world.tick()
    assert mail.inbox == []

    s.advance(24 * DAY)
    for _ in range(3):
        await world.tick()
    assert mail.told("before_activation") == emails("owner", "anna", "ben")

    s.check_in(world.account("owner"), legacy)
    for _ in range(2):
        await world.tick()
    assert mail.told("owner_reset") == emails("owner", "anna", "ben")
    assert len(mail.inbox) == 6

    s.advance(30 * DAY)
    await world.days_pass(30)
    for _ in range(2):
        await world.tick()
    assert mail.told("ready_to_activate") == emails("owner", "anna", "ben")

    usdc = s.deployment.usdc
    s.mint(usdc, world.address("owner"), 1_000_500_000)
    s.approve(world.account("owner"), usdc, legacy.address, 10**12)
    s.claim(world.account("anna"), legacy, [usdc])
    for _ in range(2):
        await world.tick()
    assert mail.told("activated_transfer") == emails("owner", "anna", "ben")
    amounts = {
        email.to: [(row["token"], row["amount"]) for row in email.variables["amounts"]]
        for email in mail.inbox
        if email.template == "activated_transfer"
    }
    assert amounts == {
        "owner@example.org": [("USDC", "500.25")],
        "anna@example.org": [("USDC", "500.25")],
        "ben@example.org": [],
    }
    assert await world.states() == {"sent": len(mail.inbox)}
