"""/send-instructions: everybody the chain confirms, once in a while, and the owner hears who was told."""

import asyncio
import time

import pytest
from eth_account.signers.local import LocalAccount
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Legacy, Scenario
from reminder_worker.errors import (
    AlreadyUsed,
    LegacyNotLive,
    LimitReached,
    NotAKnownLegacy,
    NotConfigured,
    PremiumRequired,
    SignerMismatch,
)
from reminder_worker.reminders.authorization import SignedRequest
from tests.campaign.nodes import behind
from tests.integration.chain_proxy import NodeProxy
from tests.integration.mail_stub import MailStub
from tests.integration.reminder_world import CHAIN_ID, MailWorld, open_world

ABOUT = [{"name": "legacy", "type": "address"}, {"name": "deadline", "type": "uint256"}]
PEOPLE = ("owner", "anna", "ben", "clara", "dan")


async def family(world: MailWorld, *saved: str) -> Legacy:
    legacy = world.legacy(second_line="clara", third_line="dan")
    await world.save(legacy, *(saved or PEOPLE))
    await world.index.run()
    return legacy


def signed(signer: LocalAccount, legacy: Legacy, ahead: int = 600) -> SignedRequest:
    deadline = int(time.time()) + ahead
    domain = {"name": "Reminder Worker", "version": "1", "chainId": CHAIN_ID}
    message = {"legacy": legacy.address, "deadline": deadline}
    signature = signer.sign_typed_data(domain, {"SendInstructions": ABOUT}, message).signature
    return SignedRequest(CHAIN_ID, legacy.address, deadline, bytes(signature))


@pytest.mark.parametrize("end", ["deleted", "claimed"])
async def test_instructions_are_refused_for_an_ended_legacy(world: MailWorld, end: str) -> None:
    legacy, scenario, owner = await family(world), world.scenario, world.account("owner")
    if end == "deleted":
        scenario.delete_legacy(owner, legacy)
    else:
        scenario.advance(400 * DAY)
        scenario.ensure_premium(owner)
        scenario.claim(world.account("anna"), legacy, is_eth=True)
    with pytest.raises(LegacyNotLive):
        await world.instructions.queue_instructions(signed(owner, legacy))
    another = world.legacy(second_line="clara", third_line="dan")
    await world.save(another, *PEOPLE)
    await world.index.run()
    assert await world.instructions.queue_instructions(signed(owner, another)) == 5, "no cooldown has begun"


async def test_instructions_that_wait_while_the_legacy_ends_are_not_sent(world: MailWorld) -> None:
    """The mail service was down, say, and an heir has claimed meanwhile: nothing is left to wait for."""
    legacy, scenario, owner = await family(world), world.scenario, world.account("owner")
    scenario.advance(400 * DAY)
    scenario.ensure_premium(owner)
    await world.instructions.queue_instructions(signed(owner, legacy))
    scenario.claim(world.account("anna"), legacy, is_eth=True)
    await world.dispatch.run()
    assert world.mail.told("instructions") == []
    assert await world.states("instructions") == {"dropped:legacy_not_live": 5}


async def test_all_lines_get_instructions_and_the_owners_copy_counts_them_by_role(world: MailWorld) -> None:
    legacy = await family(world)
    assert await world.instructions.queue_instructions(signed(world.account("owner"), legacy)) == 5
    await world.dispatch.run()
    assert world.mail.told("instructions") == sorted(f"{label}@example.org" for label in PEOPLE)
    told = {email.to: email.variables["told"] for email in world.mail.inbox}
    assert told.pop("owner@example.org") == [
        {"role": "beneficiary", "count": 2},
        {"role": "second_line", "count": 1},
        {"role": "third_line", "count": 1},
    ]
    assert all(rows == [] for rows in told.values())
    assert all(world.names_claim(email.variables, legacy, [], False) for email in world.mail.inbox)


async def test_a_deadline_is_told_only_before_it(world: MailWorld) -> None:
    for legacy, passed in ((await family(world), False), (await family(world), True)):
        if passed:
            world.scenario.advance(400 * DAY)
            world.scenario.ensure_premium(world.account("owner"))
        await world.sql("delete from worker.quota")
        await world.instructions.queue_instructions(signed(world.account("owner"), legacy))
        await world.dispatch.run()
        assert {bool(email.variables["deadline"]) for email in world.mail.inbox} == {not passed}
        world.mail.inbox.clear()


async def test_a_removed_heir_gets_no_instructions(world: MailWorld) -> None:
    legacy = await family(world)
    world.scenario.edit_distribution(world.account("owner"), legacy, {world.address("anna"): 100}, sync=False)
    assert await world.instructions.queue_instructions(signed(world.account("owner"), legacy)) == 4
    world.scenario.edit_line(world.account("owner"), legacy, 3, None)
    await world.index.run()
    await world.dispatch.run()
    assert world.mail.told("instructions") == sorted(f"{label}@example.org" for label in ("owner", "anna", "clara"))
    await world.sql("update worker.sent_ledger set created_at = created_at - interval '11 minutes'")
    await world.hurry()
    await world.dispatch.run()
    assert await world.states("instructions") == {"sent": 3, "dropped:not_in_audience": 1}


async def test_a_node_that_is_behind_takes_no_instructions_from_a_new_heir(
    proxied: tuple[MailWorld, NodeProxy],
) -> None:
    """The owner names one and asks for the instructions at once; the dispatch asks a node that does not know it yet."""
    world, node = proxied
    legacy, owner = await family(world), world.account("owner")
    shares = {world.address(heir): share for heir, share in (("anna", 40), ("ben", 40), ("dora", 20))}
    world.scenario.edit_distribution(owner, legacy, shares)
    world.scenario.configure_reminders(owner, legacy)
    await world.save(legacy, "dora")
    assert await world.instructions.queue_instructions(signed(owner, legacy)) == 6
    node.answer = behind(world.scenario.anvil, 2)
    await world.dispatch.run()
    node.well()
    await world.hurry()
    await world.dispatch.run()
    assert world.mail.told("instructions") == sorted(f"{label}@example.org" for label in (*PEOPLE, "dora"))


async def test_again_only_after_the_cooldown_of_the_owner_and_chain(world: MailWorld) -> None:
    first, second = await family(world), await family(world)
    await world.instructions.queue_instructions(signed(world.account("owner"), first))
    with pytest.raises(LimitReached) as refused:
        await world.instructions.queue_instructions(signed(world.account("owner"), second))
    assert refused.value.code == "cooldown"
    assert 86000 < refused.value.retry_after <= 86400
    assert await world.states("instructions") == {"queued": 5}
    await world.sql("update worker.quota set ends_at = 0")
    assert await world.instructions.queue_instructions(signed(world.account("owner"), second, 700)) == 5


async def test_without_a_cooldown_a_message_counts_once_also_when_it_comes_many_times_at_once(
    engine: AsyncEngine, chain_scenario: Scenario
) -> None:
    async with MailStub() as mail, open_world(engine, chain_scenario, mail, INSTRUCTIONS_COOLDOWN="0") as world:
        message = signed(world.account("owner"), await family(world))
        asked = [world.instructions.queue_instructions(message) for _ in range(4)]
        found = await asyncio.gather(*asked, return_exceptions=True)
        assert sorted(map(str, found))[0] == "5"
        assert sum(isinstance(each, AlreadyUsed) for each in found) == 3


@pytest.mark.parametrize("saved", ["stranger", "owner"])
async def test_a_request_without_recipients_starts_no_cooldown(world: MailWorld, saved: str) -> None:
    """An owner who has saved only their own address has told nobody either."""
    legacy = await family(world, saved)
    assert await world.instructions.queue_instructions(signed(world.account("owner"), legacy)) == 0
    await world.save(legacy, *PEOPLE)
    assert await world.instructions.queue_instructions(signed(world.account("owner"), legacy, 700)) == 5


async def test_instructions_need_an_owner_with_premium_as_creator(world: MailWorld) -> None:
    legacy = await family(world)
    owner = world.account("owner")
    with pytest.raises(SignerMismatch):
        await world.instructions.queue_instructions(signed(world.account("anna"), legacy))
    safe = world.scenario.create_safe([owner])
    of_safe = world.scenario.create_safe_legacy(owner, safe, [world.address("anna")])
    with pytest.raises(SignerMismatch):
        await world.instructions.queue_instructions(signed(owner, of_safe))
    fake = world.scenario.deploy_fake_legacy(owner, legacy.id, [world.address("anna")])
    with pytest.raises(NotAKnownLegacy):
        await world.instructions.queue_instructions(signed(owner, fake))
    world.scenario.end_premium(owner.address)
    with pytest.raises(PremiumRequired):
        await world.instructions.queue_instructions(signed(owner, legacy))
    assert await world.states() == {}


async def test_without_a_mail_service_it_says_so(world: MailWorld) -> None:
    legacy = await family(world)
    off = world.settings.model_copy(update={"mail": None})
    world.instructions._settings = off
    with pytest.raises(NotConfigured):
        await world.instructions.queue_instructions(signed(world.account("owner"), legacy))
