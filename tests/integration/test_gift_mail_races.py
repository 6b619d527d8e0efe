"""Emails of gifts and their givers at the same moment: what is corrected or erased while a worker has it in hand."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Scenario
from reminder_worker.gifts.facts import Gifts
from reminder_worker.mail.client import MailClient
from reminder_worker.operator import erase_person
from tests.integration.mail_stub import Fault
from tests.integration.test_gift_mail import NORMAL, World, open_world

_BLOCKED = "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"


@pytest.fixture
async def world(engine: AsyncEngine, chain_scenario: Scenario) -> AsyncIterator[World]:
    async with AsyncExitStack() as stack:
        yield await open_world(stack, engine, chain_scenario)


def once(monkeypatch: pytest.MonkeyPatch, of: type, name: str, meanwhile: Callable[[], Awaitable[object]]) -> None:
    """Something happens just before the method's first answer is used."""
    method, happened = getattr(of, name), []

    async def slow(*arguments: Any) -> Any:
        answer = await method(*arguments)
        if not happened:
            happened.append(True)
            await meanwhile()
        return answer

    monkeypatch.setattr(of, name, slow)


async def blocked(world: World, count: int) -> None:
    async with asyncio.timeout(10):
        while len(await world.rows(_BLOCKED)) < count:  # noqa: ASYNC110
            await asyncio.sleep(0.01)  # the database tells nobody


async def test_an_erasure_that_is_answered_lets_no_email_out_that_waited_for_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The body is about to be stored while the erasure is not committed yet."""
    id = world.seal()
    await world.register(id)
    erasures: list[asyncio.Task[bool]] = []
    async with world.engine.connect() as other:  # as a rotation of keys does
        await other.execute(text("select from worker.gift_notification for update"))

        async def erase() -> None:
            erasures.append(asyncio.create_task(world.notifications.erase(world.erasure(id))))
            await blocked(world, 1)

        once(monkeypatch, Gifts, "read", erase)
        running = asyncio.create_task(world.mail.run())
        await blocked(world, 2)
        await other.rollback()
    assert await erasures[0]
    await running
    assert world.stub.inbox == []
    assert (await world.states())["gift_waiting"] == "dropped"


async def test_who_is_registered_as_the_gift_opens_is_not_forgotten_with_the_person_before(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The old address has its email and its row is about to go, while the correction that began before is saved."""
    id = world.seal()
    for email in ("right@post.example", NORMAL):
        await world.register(id, timing="none", recipientEmail=email)
    async with world.engine.begin() as connection:
        await connection.execute(text("update worker.gift_ledger set state = 'sent' where state = 'queued'"))

    async def open_now() -> None:
        world.scenario.advance(30 * DAY + 1)

    once(monkeypatch, Gifts, "head_time", open_now)
    async with world.engine.connect() as other:
        await other.execute(text("select from worker.gift_ledger where state = 'dropped' for update"))
        correcting = asyncio.create_task(world.register(id, timing="none", recipientEmail="right@post.example"))
        await blocked(world, 1)
        deleting = asyncio.create_task(world.mail.run())
        await blocked(world, 2)
        await other.rollback()
    await asyncio.gather(correcting, deleting)
    await world.tick()
    assert world.stub.told("gift_unlocked") == ["right@post.example"]
    assert await world.kept() == 0


async def test_forgetting_a_person_leaves_alone_who_is_registered_in_their_place(world: World) -> None:
    """The giver corrects the address while an operator erases the old one: the right person still hears."""
    id = world.seal()
    await world.register(id)
    async with world.engine.connect() as other:
        await other.execute(text("select from worker.gift_notification for update"))
        correcting = asyncio.create_task(world.register(id, recipientEmail="right@post.example"))
        await blocked(world, 1)
        erasing = asyncio.create_task(erase_person(world.engine, world.hashes, NORMAL, None))
        await blocked(world, 2)
        await other.rollback()
    await asyncio.gather(correcting, erasing)
    await world.tick()
    assert world.stub.told("gift_waiting") == ["right@post.example"]


@pytest.mark.parametrize("corrected", [False, True], ids=["erased", "corrected"])
async def test_what_is_posted_again_is_looked_at_once_more(
    world: World, monkeypatch: pytest.MonkeyPatch, *, corrected: bool
) -> None:
    """The worker has the stored body in hand and asks what became of it, while the giver takes the address back."""
    id = world.seal()
    await world.register(id)
    world.stub.fail(Fault.DIES_BEFORE)
    await world.tick()
    assert (await world.states())["gift_waiting"] == "unknown"

    async def take_back() -> None:
        if corrected:
            await world.register(id, recipientEmail="right@post.example")
        else:
            await world.notifications.erase(world.erasure(id))

    once(monkeypatch, MailClient, "ask", take_back)
    for _ in range(3):
        await world.tick()
    assert world.stub.told("gift_waiting") == (["right@post.example"] if corrected else [])


@pytest.mark.parametrize("undecided", [False, True])
async def test_a_day_chosen_while_a_worker_has_the_email_is_kept_to(
    world: World, monkeypatch: pytest.MonkeyPatch, *, undecided: bool
) -> None:
    """From at once to a later day, between the claim and the send: the surprise is not spoiled."""
    id = world.seal()
    await world.register(id)
    if undecided:
        world.stub.fail(Fault.DIES_BEFORE)
        await world.tick()
        assert (await world.states())["gift_waiting"] == "unknown"
        async with world.engine.begin() as connection:
            await connection.execute(text("update worker.gift_ledger set next_try = now() where state = 'unknown'"))
    later = datetime.fromtimestamp(time.time(), UTC) + timedelta(days=10)

    async def postpone() -> None:
        await world.register(id, timing="scheduled", notifyAt=later.isoformat())

    once(monkeypatch, Gifts, "read", postpone)
    for _ in range(2):
        await world.mail.run()
    assert world.stub.inbox == []
    async with world.engine.begin() as connection:  # the day has come by the database's clock
        await connection.execute(
            text("update worker.gift_ledger set next_try = next_try - interval '10 days 1 minute'")
        )
    for _ in range(2):
        await world.mail.run()
    assert world.stub.told("gift_waiting") == [NORMAL]


async def test_a_day_chosen_after_a_worker_died_is_kept_to(world: World) -> None:
    """Its lease is not over yet, and gives nothing back as due at once."""
    id = world.seal()
    await world.register(id)
    async with world.engine.begin() as connection:
        claimed = (
            "update worker.gift_ledger set state = 'claimed', lease_token = gen_random_uuid(), lease_until = :until"
        )
        waiting = text(f"{claimed} where kind = 'gift_waiting'")
        await connection.execute(waiting, {"until": datetime.now(UTC) + timedelta(minutes=3)})
    later = datetime.fromtimestamp(time.time(), UTC) + timedelta(days=10)
    await world.register(id, timing="scheduled", notifyAt=later.isoformat())
    async with world.engine.begin() as connection:
        over = "update worker.gift_ledger set lease_until = now() - interval '1 second' where lease_until is not null"
        await connection.execute(text(over))
    await world.mail.run()
    assert world.stub.inbox == []


async def test_an_email_is_remembered_until_the_gift_it_is_now_about_has_opened(world: World) -> None:
    """A reorganisation gave the number to a gift that opens later: its email must not be forgotten before."""
    assert world.giver, "whose ether is there before"
    before = world.scenario.anvil.snapshot()
    id = world.seal(duration=DAY, tokens=[(world.scenario.deployment.usdc, 1)])
    await world.register(id, timing="none")
    world.scenario.anvil.revert(before)
    assert world.seal(duration=400 * DAY, tokens=[(world.scenario.deployment.usdc, 1)]) == id
    await world.register(id, timing="none")
    question = "select unlock_time < extract(epoch from expires_at) as kept from worker.gift_notification"
    assert [row.kept for row in await world.rows(f"{question} join worker.gift_ledger using (email_hash)")] == [True]
