"""A gift that nobody opens: its recipient is reminded if the giver asked for it, and the address goes in the end."""

from base64 import b64decode
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Scenario
from reminder_worker.database.rotation import rotate_keys
from reminder_worker.gifts.emails import SEALED_REMINDERS
from reminder_worker.monitoring.erasure import erase_person
from reminder_worker.monitoring.retention import forget_expired
from reminder_worker.privacy.vault import Vault
from tests.integration.gift_mail_world import NORMAL, ORIGIN, World, open_world
from tests.integration.reminder_world import CHAIN_ID, ENC_KEY

KINDS = ("gift_reminder_30", "gift_reminder_90", "gift_reminder_365")


@pytest.fixture
async def world(engine: AsyncEngine, chain_scenario: Scenario) -> AsyncIterator[World]:
    async with AsyncExitStack() as stack:
        yield await open_world(stack, engine, chain_scenario)


async def opened(world: World, **wish: Any) -> int:
    """Seal a gift whose recipient is to be reminded; its opening day's email has left."""
    id = world.seal()
    await world.register(id, **{"timing": "none", "remindAfterOpening": True, **wish})
    await after(world, 30.01)
    assert world.stub.told("gift_unlocked") == [NORMAL]
    assert await world.kept() == 0
    world.stub.inbox.clear()
    return id


async def after(world: World, days: float) -> list[str]:
    """Let days pass by both clocks; return the kinds of this tick's emails."""
    world.stub.inbox.clear()
    world.scenario.advance(int(days * DAY))
    moved = f"make_interval(secs => {days * DAY})"
    await world.sql(f"update worker.gift_reminder set next_at = next_at - {moved}")
    await world.sql("update worker.quota set used = 0")
    await world.tick()
    await world.tick()
    return [email.template for email in world.stub.inbox]


async def addresses(world: World) -> int:
    return int((await world.sql("select count(*) from worker.gift_reminder"))[0][0])


@pytest.mark.core
async def test_recipient_is_reminded_three_times_and_the_address_goes_with_the_last_email(world: World) -> None:
    """The emails hold no word of the giver and no fragment, which nobody but the first email's readers has."""
    id = await opened(world, language="de")
    found = [await after(world, days) for days in (29, 1, 59, 1, 274)]
    assert found == [[], [KINDS[0]], [], [KINDS[1]], []]
    assert await addresses(world) == 1
    assert await after(world, 1) == [KINDS[2]]
    (email,) = world.stub.inbox
    assert (email.to, email.language) == (NORMAL, "de")
    assert email.variables["claimUrl"] == f"{ORIGIN}/gifts/{CHAIN_ID}/{id}"
    assert (email.variables["name"], email.variables["giverName"]) == ("", "")
    assert await addresses(world) == 0
    assert await after(world, 400) == []


async def test_after_a_long_stop_no_reminder_is_made_up_for_and_none_keeps_the_address(world: World) -> None:
    await opened(world)
    await world.sql(
        "insert into worker.gift_ledger (id, chain_id, timelock_id, email_hash, kind, state, next_try, expires_at)"
        " select gen_random_uuid(), chain_id, timelock_id, email_hash, 'gift_reminder_30', 'queued',"
        " now() + interval '1 hour', now() + interval '999 days' from worker.gift_reminder"
    )
    await after(world, 89)
    await world.sql("update worker.gift_ledger set next_try = now() where kind = 'gift_reminder_30'")
    assert await after(world, 2) == [KINDS[1]]
    await after(world, 400)
    assert await addresses(world) == 0


async def test_without_the_givers_word_no_address_outlives_opening_day(world: World) -> None:
    for wish in ({"remindAfterOpening": False}, {"remindAfterOpening": ...}):
        await world.register(world.seal(), timing="none", **wish)
    assert await addresses(world) == 0
    id = world.seal()
    await world.register(id, timing="none", remindAfterOpening=True)
    assert await addresses(world) == 1
    await world.register(id, timing="none")
    assert await addresses(world) == 0, "a later registration without it takes it back"


async def test_opened_gift_is_silent_and_its_address_is_deleted_within_the_hour(world: World) -> None:
    id = await opened(world)
    world.scenario.withdraw_gift(world.heir, id)
    assert await after(world, 30) == []
    assert (await world.states())[KINDS[0]] in ("dropped", "queued", "released")
    await world.index.run()
    await forget_expired(world.engine)
    assert await addresses(world) == 0


@pytest.mark.parametrize("path", ["giver", "operator by email", "operator by wallet"])
async def test_every_erasure_deletes_the_address_after_opening_day(world: World, path: str) -> None:
    id = await opened(world)
    if path == "giver":
        assert await world.notifications.erase_notification(world.erasure(id))
    elif path == "operator by email":
        assert (await erase_person(world.engine, world.hashes, NORMAL, None)).gifts == 1
    else:
        assert (await erase_person(world.engine, world.hashes, None, world.heir.address.lower())).gifts == 1
    assert await addresses(world) == 0
    assert await after(world, 30) == []


async def test_after_a_rotation_the_old_key_opens_no_address_and_the_reminder_arrives(world: World) -> None:
    await opened(world)
    rotated = Vault(b"n" * 32, [b64decode(ENC_KEY)])
    assert [count async for count in rotate_keys(world.engine, rotated, SEALED_REMINDERS)] == [1]
    world.vault = Vault(b"n" * 32)
    world.mail = world.another_mail()
    assert await after(world, 30) == [KINDS[0]]
