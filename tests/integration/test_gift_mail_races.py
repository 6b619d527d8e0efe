"""Emails of gifts at the same moment: what is corrected or erased while a worker has it in hand; several workers."""

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
from reminder_worker.gifts.emails import GiftEmail, GiftMailReport
from reminder_worker.gifts.pages import GiftReader
from reminder_worker.monitoring.erasure import erase_person
from reminder_worker.outbox.dispatcher import OutboxDispatcher
from reminder_worker.outbox.mail_client import MailClient
from tests.integration.gift_mail_world import NORMAL, World, open_world
from tests.integration.locks import blocked
from tests.integration.mail_stub import MailFault


@pytest.fixture
async def world(engine: AsyncEngine, chain_scenario: Scenario) -> AsyncIterator[World]:
    async with AsyncExitStack() as stack:
        yield await open_world(stack, engine, chain_scenario)


def once(monkeypatch: pytest.MonkeyPatch, of: type, name: str, meanwhile: Callable[[], Awaitable[object]]) -> None:
    """Something happens just before the method's first answer is used."""
    method = getattr(of, name)
    happened: list[bool] = []

    async def slow(*arguments: Any) -> Any:
        answer = await method(*arguments)
        if not happened:
            happened.append(True)
            await meanwhile()
        return answer

    monkeypatch.setattr(of, name, slow)


async def opened(world: World) -> tuple[OutboxDispatcher[GiftEmail], GiftMailReport]:
    """The outbox of one run."""
    report = GiftMailReport()
    return world.mail.make_dispatcher(await world.mail._read_head_times(report), report), report


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
            erasures.append(asyncio.create_task(world.notifications.erase_notification(world.erasure(id))))
            await blocked(world.engine, words="delete from worker.gift_notification")

        once(monkeypatch, GiftReader, "read_gifts", erase)
        running = asyncio.create_task(world.mail.run())
        await blocked(world.engine, 2, words="worker.gift_")
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
    await world.sql("update worker.gift_ledger set state = 'sent', message_id = 'm' where state = 'queued'")

    async def open_now() -> None:
        world.scenario.advance(30 * DAY + 1)

    once(monkeypatch, GiftReader, "read_head_time", open_now)
    async with world.engine.connect() as other:
        await other.execute(text("select from worker.gift_ledger where state = 'dropped' for update"))
        correcting = asyncio.create_task(world.register(id, timing="none", recipientEmail="right@post.example"))
        await blocked(world.engine)
        deleting = asyncio.create_task(world.mail.run())
        await blocked(world.engine, 2)
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
        await blocked(world.engine)
        erasing = asyncio.create_task(erase_person(world.engine, world.hashes, NORMAL, None))
        await blocked(world.engine, 2)
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
    world.stub.fail(MailFault.DIES_BEFORE)
    await world.tick()
    assert (await world.states())["gift_waiting"] == "unknown"

    async def take_back() -> None:
        if corrected:
            await world.register(id, recipientEmail="right@post.example")
        else:
            await world.notifications.erase_notification(world.erasure(id))

    once(monkeypatch, MailClient, "ask_status", take_back)
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
        world.stub.fail(MailFault.DIES_BEFORE)
        await world.tick()
        assert (await world.states())["gift_waiting"] == "unknown"
        await world.sql("update worker.gift_ledger set next_try = now() where state = 'unknown'")
    later = datetime.fromtimestamp(time.time(), UTC) + timedelta(days=10)

    async def postpone() -> None:
        await world.register(id, timing="scheduled", notifyAt=later.isoformat())

    once(monkeypatch, GiftReader, "read_gifts", postpone)
    for _ in range(2):
        await world.mail.run()
    assert world.stub.inbox == []
    # The day has come by the database's clock.
    await world.sql("update worker.gift_ledger set next_try = next_try - interval '10 days 1 minute'")
    for _ in range(2):
        await world.mail.run()
    assert world.stub.told("gift_waiting") == [NORMAL]


async def test_advance_notice_withdrawn_while_a_worker_has_the_email_is_not_sent(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = world.seal()
    await world.register(id)
    once(monkeypatch, GiftReader, "read_gifts", lambda: world.register(id, timing="none"))
    for _ in range(3):
        await world.tick()
    assert world.stub.inbox == []
    assert await world.states() == {"gift_unlocked": "queued", "gift_waiting": "dropped"}


# -- several workers ------------------------------------------------------------------------------


async def test_who_is_registered_again_has_planned_anew_only_what_surely_was_not_sent(world: World) -> None:
    """By the ledger alone: not every mail service remembers keys."""
    for was, becomes in (
        ("state = 'sent', message_id = 'm'", "sent"),
        ("state = 'held'", "held"),
        ("state = 'suppressed'", "queued"),
        ("state = 'claimed', claimed_at = now()", "unknown"),
        ("state = 'claimed', claimed_at = null", "queued"),
        ("state = 'dead'", "queued"),
    ):
        id = world.seal()
        await world.sql("delete from worker.quota")
        await world.register(id)
        of_it = "where kind = 'gift_waiting' and timelock_id = :id"
        await world.sql(f"update worker.gift_ledger set {was} {of_it}", id=id)
        await world.register(id, recipientName="Quilla")
        assert await world.sql(f"select state from worker.gift_ledger {of_it}", id=id) == [(becomes,)], was


async def test_an_erasure_while_the_email_is_on_its_way_leaves_no_body_behind(world: World) -> None:
    """The row goes between the store and the answer; what becomes of the email keeps nothing of it."""
    id = world.seal()
    await world.register(id)
    world.stub.fail(MailFault.ACCEPTS_AND_HANGS)
    running = asyncio.create_task(world.mail.run())
    await world.stub.hangs.wait()
    await world.notifications.erase_notification(world.erasure(id))
    await world.stub.stop()
    await running
    assert await world.sql("select from worker.gift_ledger where body is not null or body_salt is not null") == []
    await world.stub.start()
    await world.tick()
    assert (await world.states())["gift_waiting"] == "sent"
    assert len(world.stub.inbox) == 1
