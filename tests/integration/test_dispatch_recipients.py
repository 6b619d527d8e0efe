"""What a dispatch does about recipients who change meanwhile, and about emails of a kind that meet under way."""

from collections.abc import AsyncIterator

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Legacy, Scenario
from tests.integration.mail_stub import MailStub
from tests.integration.reminder_world import World, open_world


@pytest.fixture
async def world(engine: AsyncEngine, chain_scenario: Scenario) -> AsyncIterator[World]:
    async with MailStub() as mail, open_world(engine, chain_scenario, mail) as opened:
        yield opened


async def approaching(world: World, *people: str) -> Legacy:
    """A legacy whose first window is open and stored, and nothing planned yet."""
    legacy = world.legacy(inactivity=30 * DAY)
    await world.save(legacy, *people)
    world.scenario.advance(24 * DAY)
    await world.look_at_chain()
    return legacy


@pytest.mark.parametrize(
    ("state", "reason"), [("dead", "rejected_422"), ("suppressed", "suppressed"), ("dropped", "body_gone")]
)
async def test_a_corrected_address_is_told_what_the_old_one_never_was(world: World, state: str, reason: str) -> None:
    """Once, and not what another email may have told (`merged`)."""
    legacy = await approaching(world, "anna", "ben")
    await world.mail.stop()
    await world.dispatch.run()
    await world.mail.start()
    unsent = "update worker.sent_ledger set state = :state, reason = :reason, settled_at = now() where recipient = :who"
    await world.sql(unsent, state=state, reason=reason, who=world.address("anna"))
    await world.sql(unsent, state="dropped", reason="merged", who=world.address("ben"))
    corrected = {world.address(label): f"{label}.new@example.org" for label in ("anna", "ben")}
    await world.save(legacy, emails=corrected)
    for _ in range(2):
        await world.hurry()
        await world.tick()
    assert world.mail.told("before_activation") == ["anna.new@example.org"]
