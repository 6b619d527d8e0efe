"""A giver who left an address hears what became of the gift, and the address goes with the last email."""

from base64 import b64decode
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Scenario
from reminder_worker.database.rotation import rotate_keys
from reminder_worker.errors import InvalidInput
from reminder_worker.gifts.emails import SEALED_GIVERS
from reminder_worker.monitoring.erasure import erase_person
from reminder_worker.monitoring.retention import forget_expired
from reminder_worker.privacy.vault import Vault
from tests.integration.gift_mail_world import NORMAL, ORIGIN, World, open_world
from tests.integration.mail_stub import MailFault, PostedEmail
from tests.integration.reminder_world import CHAIN_ID, ENC_KEY

GIVER = "Grandpa.Canary@post.example"


@pytest.fixture
async def world(engine: AsyncEngine, chain_scenario: Scenario) -> AsyncIterator[World]:
    async with AsyncExitStack() as stack:
        yield await open_world(stack, engine, chain_scenario)


async def opened(world: World, **wish: Any) -> int:
    """Seal a gift whose giver left an address; its opening day's email has left."""
    id = world.seal()
    await world.register(id, **{"timing": "none", "giverEmail": GIVER, "giverLanguage": "de", **wish})
    world.scenario.advance(30 * DAY + 600)
    await world.sql("update worker.gift_giver set unopened_at = unopened_at - interval '30 days'")
    await world.tick()
    assert world.stub.told("gift_unlocked") == [NORMAL]
    return id


async def look(world: World, days: int = 0) -> list[PostedEmail]:
    """Let days pass by both clocks until the next look; return what the giver heard of it."""
    world.stub.inbox.clear()
    world.scenario.advance(days * DAY + 60)
    await settle(world)
    moved = f"unopened_at = unopened_at - interval '{days} days'"
    await world.sql("update worker.gift_giver set next_look = now() where next_look is not null")
    await world.sql(f"update worker.gift_giver set {moved}")
    await world.sql("update worker.quota set used = 0")
    await world.tick()
    await world.tick()
    return list(world.stub.inbox)


async def settle(world: World) -> None:
    """Make all blocks final, and index them."""
    world.scenario.anvil.mine(2 * world.scenario.anvil.slots_in_an_epoch)
    await world.index.run()


async def addresses(world: World) -> int:
    return int((await world.sql("select count(*) from worker.gift_giver"))[0][0])


@pytest.mark.core
async def test_giver_hears_once_that_the_gift_was_opened_and_the_address_goes(world: World) -> None:
    """The email names both as the giver wrote them. It holds no fragment and no letter."""
    id = await opened(world)
    assert await look(world) == []
    world.scenario.withdraw_gift(world.heir, id)
    (email,) = await look(world)
    assert (email.template, email.to, email.language) == ("giver_opened", GIVER.lower(), "de")
    assert email.variables["claimUrl"] == f"{ORIGIN}/gifts/{CHAIN_ID}/{id}"
    assert (email.variables["name"], email.variables["recipientName"]) == ("Grandpa Canary", "Quilla Canary")
    assert "canary note" not in str(email)
    assert await addresses(world) == 0
    assert await look(world, 90) == []


async def test_giver_hears_once_that_nobody_opened_it_for_90_days(world: World) -> None:
    id = await opened(world)
    assert await look(world, 89) == []
    (email,) = await look(world, 1)
    assert (email.template, email.to) == ("giver_unopened", GIVER.lower())
    assert await addresses(world) == 0
    world.scenario.withdraw_gift(world.heir, id)
    assert await look(world, 1) == []


async def test_opened_gift_is_not_told_as_unopened(world: World) -> None:
    """The index learns of it only after day 90 was noticed."""
    id = await opened(world)
    world.scenario.advance(91 * DAY)
    world.scenario.withdraw_gift(world.heir, id)
    world.scenario.anvil.mine(2 * world.scenario.anvil.slots_in_an_epoch)
    await world.sql("update worker.gift_giver set next_look = now(), unopened_at = now()")
    await world.tick()
    assert world.stub.told("giver_unopened") == []


async def test_email_refused_for_good_counts_as_returned_and_is_told_once(world: World) -> None:
    await world.register(world.seal(), timing="immediate", giverEmail=GIVER)
    world.stub.fail(MailFault.REJECTED, MailFault.REJECTED, MailFault.REJECTED)
    for _ in range(3):
        await world.tick()
    assert (await world.states())["gift_waiting"] == "dead"
    (email,) = await look(world)
    assert (email.template, email.to) == ("giver_returned", GIVER.lower())
    assert await look(world) == []


async def test_giver_who_unsubscribed_hears_nothing_and_the_address_goes_all_the_same(world: World) -> None:
    """The answer of the mail service is remembered for a day, for every gift."""
    for posted in (1, 0):
        world.scenario.withdraw_gift(world.heir, await opened(world))
        requests = world.stub.requests
        world.stub.fail(*[MailFault.SUPPRESSED] * posted)
        assert await look(world) == []
        assert (world.stub.requests - requests, await addresses(world)) == (posted, 0)


async def test_what_was_noticed_too_late_is_not_told(world: World) -> None:
    id = await opened(world)
    world.scenario.withdraw_gift(world.heir, id)
    await settle(world)
    await world.sql("update worker.gift_giver set next_look = now() - interval '1 year'")
    await world.tick()
    assert world.stub.told("giver_opened") == []
    assert await addresses(world) == 0


async def test_only_a_giver_who_signs_an_address_has_one_stored(world: World) -> None:
    id = world.seal()
    await world.register(id, timing="none")
    assert await addresses(world) == 0
    with pytest.raises(InvalidInput) as refused:
        await world.register(id, timing="none", giverEmail="nobody")
    assert [fault.pointer for fault in refused.value.faults] == ["/payload/giverEmail"]
    await world.register(id, timing="none", giverEmail=GIVER)
    assert await addresses(world) == 1
    await world.register(id, timing="none")
    assert await addresses(world) == 0, "a later registration without it takes it back"


@pytest.mark.parametrize(
    "path", ["giver", "giver's email", "giver's wallet", "recipient's email", "recipient's wallet"]
)
async def test_every_erasure_deletes_the_givers_address(world: World, path: str) -> None:
    """A giver's own leaves the recipient's notification."""
    id = world.seal()
    await world.register(id, timing="none", giverEmail=GIVER)
    if path == "giver":
        assert await world.notifications.erase_notification(world.erasure(id))
    else:
        account = world.giver if path.startswith("giver") else world.heir
        email = GIVER if path.startswith("giver") else NORMAL
        by_email, by_wallet = (email, None), (None, account.address.lower())
        person = by_email if path.endswith("email") else by_wallet
        assert (await erase_person(world.engine, world.hashes, *person)).gifts == 1
    assert await addresses(world) == 0
    assert await world.kept() == int(path in ("giver's email", "giver's wallet"))
    world.scenario.advance(31 * DAY)
    world.scenario.withdraw_gift(world.heir, id)
    assert await look(world) == []


async def test_address_of_a_giver_is_forgotten_half_a_year_after_the_opening(world: World) -> None:
    """Whatever became of the last email."""
    await opened(world)
    await world.sql("update worker.gift_giver set unopened_at = now() - interval '89 days'")
    await forget_expired(world.engine)
    assert await addresses(world) == 1
    await world.sql("update worker.gift_giver set unopened_at = now() - interval '91 days'")
    await forget_expired(world.engine)
    assert await addresses(world) == 0


async def test_after_a_rotation_the_old_key_opens_no_givers_address(world: World) -> None:
    await opened(world)
    rotated = Vault(b"n" * 32, [b64decode(ENC_KEY)])
    assert [count async for count in rotate_keys(world.engine, rotated, SEALED_GIVERS)] == [1]
    world.vault = Vault(b"n" * 32)
    world.mail = world.another_mail()
    assert [each.template for each in await look(world, 90)] == ["giver_unopened"]
