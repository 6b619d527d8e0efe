"""Emails of gifts at the same moment: what is corrected or erased while a worker has it in hand; several workers."""

import asyncio
import secrets
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
from reminder_worker.gifts.gift import Gifts
from reminder_worker.monitoring.erasure import erase_person
from reminder_worker.outbox import outcomes as become
from reminder_worker.outbox.dispatcher import OutboxDispatcher
from reminder_worker.outbox.mail_client import MailClient, NotAccepted
from tests.integration.gift_mail_world import NORMAL, World, open_world
from tests.integration.locks import blocked
from tests.integration.mail_stub import Fault


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
    return world.mail.outbox(await world.mail._times(report), report), report


async def leases_end(world: World) -> None:
    """Of whoever has an email in hand, as after three minutes."""
    await world.sql("update worker.gift_ledger set lease_until = now() - interval '1 s' where lease_until is not null")


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
            await blocked(world.engine)

        once(monkeypatch, Gifts, "read", erase)
        running = asyncio.create_task(world.mail.run())
        await blocked(world.engine, 2)
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
    await world.sql("update worker.gift_ledger set state = 'sent' where state = 'queued'")

    async def open_now() -> None:
        world.scenario.advance(30 * DAY + 1)

    once(monkeypatch, Gifts, "head_time", open_now)
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
        await world.sql("update worker.gift_ledger set next_try = now() where state = 'unknown'")
    later = datetime.fromtimestamp(time.time(), UTC) + timedelta(days=10)

    async def postpone() -> None:
        await world.register(id, timing="scheduled", notifyAt=later.isoformat())

    once(monkeypatch, Gifts, "read", postpone)
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
    once(monkeypatch, Gifts, "read", lambda: world.register(id, timing="none"))
    for _ in range(3):
        await world.tick()
    assert world.stub.inbox == []
    assert await world.states() == {"gift_unlocked": "queued", "gift_waiting": "dropped"}


async def test_a_day_chosen_after_a_worker_died_is_kept_to(world: World) -> None:
    """Its lease is not over yet, and gives nothing back as due at once."""
    id = world.seal()
    await world.register(id)
    claimed = "update worker.gift_ledger set state = 'claimed', lease_token = gen_random_uuid(), lease_until = :until"
    await world.sql(f"{claimed} where kind = 'gift_waiting'", until=datetime.now(UTC) + timedelta(minutes=3))
    later = datetime.fromtimestamp(time.time(), UTC) + timedelta(days=10)
    await world.register(id, timing="scheduled", notifyAt=later.isoformat())
    await leases_end(world)
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
    assert [row.kept for row in await world.sql(f"{question} join worker.gift_ledger using (email_hash)")] == [True]


# -- several workers ------------------------------------------------------------------------------


@pytest.mark.parametrize("lost", ["to a correction", "with its lease", "to another worker"])
async def test_what_a_worker_has_in_hand_and_lost_is_not_posted_by_it(world: World, lost: str) -> None:
    id = world.seal()
    await world.register(id)
    outbox, report = await opened(world)
    claim = await outbox.store.claim(10)
    assert len(claim.entries) == 1
    if lost == "to a correction":
        await world.register(id, recipientEmail="right@post.example")
    elif lost == "with its lease":
        await leases_end(world)
    else:
        await world.sql("update worker.gift_ledger set lease_token = gen_random_uuid()")
    batch = await outbox.render(report, claim, claim.entries, outbox.store.store, time.monotonic() + 60)
    await outbox.settle(report, claim, await outbox.post(batch, report))
    assert world.stub.inbox == []
    await leases_end(world)
    for _ in range(2):
        await world.tick()
    assert world.stub.told("gift_waiting") == ["right@post.example" if lost == "to a correction" else NORMAL]


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        ("state = 'sent'", "sent"),
        ("state = 'held'", "held"),
        ("state = 'suppressed'", "queued"),
        ("state = 'claimed', claimed_at = now()", "unknown"),
        ("state = 'claimed', claimed_at = null", "queued"),
        ("state = 'dead'", "queued"),
    ],
)
async def test_who_is_registered_again_has_planned_anew_only_what_surely_was_not_sent(
    world: World, was: str, becomes: str
) -> None:
    """By the ledger alone: not every mail service remembers keys."""
    id = world.seal()
    await world.register(id)
    await world.sql(f"update worker.gift_ledger set {was} where kind = 'gift_waiting'")
    await world.register(id, recipientName="Quilla")
    assert (await world.states())["gift_waiting"] == becomes


@pytest.mark.parametrize("lost", ["lease_until = now() - interval '1 s'", "lease_token = gen_random_uuid()"])
async def test_what_is_undecided_is_posted_again_only_by_who_has_it(world: World, lost: str) -> None:
    await world.register(world.seal())
    world.stub.fail(Fault.DIES_BEFORE)
    await world.tick()
    await world.sql("update worker.gift_ledger set next_try = now()")
    outbox, report = await opened(world)
    claim = await outbox.store.claim_unknown(10)
    assert len(claim.entries) == 1
    await world.sql(f"update worker.gift_ledger set {lost} where state = 'unknown'")
    batch = await outbox.render(report, claim, claim.entries, outbox.store.confirm, time.monotonic() + 60)
    await outbox.settle(report, claim, await outbox.post(batch, report))
    assert world.stub.inbox == []


@pytest.mark.parametrize("state", ["claimed", "unknown", "held"])
async def test_an_acceptance_counts_whoever_holds_it_by_now_and_nothing_else_does(world: World, state: str) -> None:
    await world.register(world.seal())
    outbox, _ = await opened(world)
    claim = await outbox.store.claim(10)
    (entry,) = claim.entries
    anothers = "update worker.gift_ledger set lease_token = gen_random_uuid(), state = :state where id = :id"
    await world.sql(anothers, state=state, id=entry.id)
    await outbox.store.settle(claim, [become.answered(entry, NotAccepted())])
    assert (await world.states())["gift_waiting"] == state
    await outbox.store.settle(claim, [become.sent(entry, "m")])
    assert (await world.states())["gift_waiting"] == "sent"


async def test_an_undecided_email_is_asked_about_by_one_worker_at_a_time(world: World) -> None:
    await world.register(world.seal())
    world.stub.fail(Fault.DIES_BEFORE)
    await world.tick()
    assert (await world.states())["gift_waiting"] == "unknown"
    await world.sql("update worker.gift_ledger set next_try = now()")
    outbox, _ = await opened(world)
    assert len((await outbox.store.claim_unknown(10)).entries) == 1
    assert (await outbox.store.claim_unknown(10)).entries == ()


@pytest.mark.parametrize("lost", [False, True])
async def test_only_who_still_holds_an_email_gives_back_what_it_took_of_its_addresss_day(
    world: World, monkeypatch: pytest.MonkeyPatch, lost: bool
) -> None:
    """Who holds it now may post it for that."""

    async def not_accepted(*_: Any) -> NotAccepted:
        if lost:
            await world.sql("update worker.gift_ledger set lease_token = gen_random_uuid()")
        return NotAccepted()

    await world.register(world.seal())
    monkeypatch.setattr(world.client, "send", not_accepted)
    await world.tick()
    used = await world.sql("select used from worker.quota where scope = 'email_day'")
    assert [row.used for row in used] == [1 if lost else 0]


async def test_a_correction_while_a_worker_has_the_email_takes_no_second_place_of_its_addresss_day(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the cap it would go out a day late."""
    id = world.seal()
    await world.register(id)
    once(monkeypatch, Gifts, "read", lambda: world.register(id, recipientName="Quilla"))
    for _ in range(2):
        await world.tick()
    assert world.stub.told("gift_waiting") == [NORMAL]
    assert await world.sql("select used from worker.quota where scope = 'email_day'") == [(1,)]


async def test_two_workers_at_once_send_one_email(world: World) -> None:
    for _ in range(6):
        await world.register(world.seal(), recipientEmail=f"{secrets.token_hex(4)}@post.example")
    await asyncio.gather(world.mail.run(), world.another_mail().run(), world.another_mail().run())
    told = world.stub.told("gift_waiting")
    assert len(told) == len(set(told)) == 6


async def test_a_worker_that_died_between_store_and_answer_is_asked_about(world: World) -> None:
    """The lease is over and the body stored: nobody knows, so the mail service is asked before anything is sent."""
    await world.register(world.seal())
    world.stub.fail(Fault.ACCEPTS_AND_HANGS)
    running = asyncio.create_task(world.mail.run())
    await world.stub.hangs.wait()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await leases_end(world)
    await world.tick()
    assert (await world.states())["gift_waiting"] == "sent"
    assert len(world.stub.inbox) == 1


async def test_an_erasure_while_the_email_is_on_its_way_leaves_no_body_behind(world: World) -> None:
    """The row goes between the store and the answer; what becomes of the email keeps nothing of it."""
    id = world.seal()
    await world.register(id)
    world.stub.fail(Fault.ACCEPTS_AND_HANGS)
    running = asyncio.create_task(world.mail.run())
    await world.stub.hangs.wait()
    await world.notifications.erase(world.erasure(id))
    await world.stub.stop()
    await running
    assert await world.sql("select from worker.gift_ledger where body is not null or body_salt is not null") == []
    await world.stub.start()
    await world.tick()
    assert (await world.states())["gift_waiting"] == "sent"
    assert len(world.stub.inbox) == 1


async def test_opening_day_and_erasures_at_once_hold_nobody_up(world: World) -> None:
    """They lock the same rows in other orders: whoever loses tries again."""
    gifts = [world.seal() for _ in range(8)]
    for number, id in enumerate(gifts):
        await world.register(id, timing="none", recipientEmail=f"{number}@post.example")
    world.scenario.advance(30 * DAY + 1)
    erasures = [world.notifications.erase(world.erasure(id)) for id in gifts]
    await asyncio.gather(world.mail.run(), world.another_mail().run(), *erasures)
    await world.tick()
    assert await world.kept() == 0
    assert len(world.stub.inbox) == len({email.to for email in world.stub.inbox})
