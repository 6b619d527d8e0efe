"""Registration of gift emails: permitted signers, texts and rates; corrections and erasure."""

import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Scenario
from reminder_worker.errors import (
    AlreadyUsed,
    ChainUnavailable,
    DeadlineTooFar,
    Expired,
    InvalidInput,
    LimitReached,
    NotConfigured,
    NotFound,
    SignerMismatch,
    Superseded,
)
from reminder_worker.quotas import QuotaCounters
from reminder_worker.runtime import make_gift_notifications
from tests.integration.gift_mail_world import EMAIL, NORMAL, USDC, World, open_world
from tests.integration.reminder_world import CHAIN_ID


@pytest.fixture
async def world(engine: AsyncEngine, chain_scenario: Scenario) -> AsyncIterator[World]:
    async with AsyncExitStack() as stack:
        yield await open_world(stack, engine, chain_scenario)


async def test_a_gift_just_sealed_and_not_indexed_is_read_from_the_chain(world: World) -> None:
    await world.index.run()
    await world.register(world.seal(eth=10**18))
    await world.tick()
    assert world.stub.told("gift_waiting") == [NORMAL]


async def test_only_the_one_who_sealed_it_may_register_or_erase(world: World) -> None:
    id, thief = world.seal(), world.scenario.account("thief")
    with pytest.raises(SignerMismatch):
        await world.notifications.register_notification(world.request(world.payload(id), thief))
    with pytest.raises(SignerMismatch):
        await world.notifications.register_notification(
            world.request(world.payload(id), thief, giver=world.giver.address.lower())
        )
    await world.register(id)
    with pytest.raises(SignerMismatch):
        await world.notifications.erase_notification(world.erasure(id, thief))
    assert await world.kept() == 1


async def test_an_index_that_names_another_giver_registers_and_erases_nothing(world: World) -> None:
    """The giver is read from the chain before an email is sent."""
    id, thief = world.seal(), world.scenario.account("thief")
    await world.index.run()
    lied = "update worker.timelock set owner = :thief where timelock_id = :id returning true"
    assert await world.sql(lied, thief=thief.address.lower(), id=id)
    with pytest.raises(SignerMismatch):
        await world.notifications.register_notification(world.request(world.payload(id), thief))
    with pytest.raises(SignerMismatch):
        await world.notifications.erase_notification(world.erasure(id, thief))
    with pytest.raises(SignerMismatch):  # what would be pinned is not the gift that was sealed
        await world.register(id)
    assert await world.kept() == 0


async def test_one_endpoint_of_two_names_no_giver(engine: AsyncEngine, chain_scenario: Scenario) -> None:
    """They decide whom we write to."""
    urls = f"{chain_scenario.anvil.url},http://127.0.0.1:9"
    async with AsyncExitStack() as stack:
        world = await open_world(stack, engine, chain_scenario, **{f"CHAIN_{CHAIN_ID}_RPC_URLS": urls})
        with pytest.raises(ChainUnavailable):
            await world.register(world.seal())
        assert await world.kept() == 0


async def test_the_payload_is_hashed_as_received(world: World) -> None:
    request = world.request(world.payload(world.seal()))
    with pytest.raises(SignerMismatch):
        await world.notifications.register_notification(
            replace(request, payload=request.payload.replace(EMAIL, "thief@post.example"))
        )
    with pytest.raises(SignerMismatch):
        await world.notifications.register_notification(replace(request, payload=request.payload + " "))
    await world.notifications.register_notification(request)
    with pytest.raises((AlreadyUsed, Superseded)):
        await world.notifications.register_notification(request)


async def test_only_live_gifts_of_whitelisted_tokens(world: World) -> None:
    scenario = world.scenario
    junk = scenario.deploy("TestERC20", "Junk", "JNK", 18)
    usdc = [(scenario.deployment.usdc, USDC)]
    not_offered = [
        world.seal(tokens=[(junk, 5)]),
        scenario.create_timelock(world.giver, world.heir.address, tokens=usdc),
        scenario.create_timelock(world.giver, world.heir.address, tokens=usdc, soft=True),
    ]
    for indexed in (False, True):
        if indexed:
            await world.index.run()
        for id in (*not_offered, 999):
            with pytest.raises(NotFound):
                await world.register(id)
    assert await world.sql("select * from worker.gift_ledger") == []


@pytest.mark.parametrize("timing", ["immediate", "none"])
async def test_an_address_is_corrected_after_the_gift_opened_and_each_hears_of_it_once(
    world: World, timing: str
) -> None:
    id = world.seal()
    await world.register(id, recipientEmail="misspelt@post.example", timing="none")
    world.scenario.advance(30 * DAY + 1)
    await world.tick()
    for address in (EMAIL, EMAIL, "misspelt@post.example"):
        result = await world.register(id, recipientEmail=address, timing=timing)
        assert result.notify_at is None
        await world.tick()
    assert world.stub.told("gift_unlocked") == [NORMAL, "misspelt@post.example"]
    assert world.stub.told("gift_waiting") == []
    assert await world.kept() == 0


async def test_a_correction_long_after_the_opening_waits_for_the_mail_service_as_long_as_any_other(
    world: World,
) -> None:
    id = world.seal()
    world.scenario.advance(60 * DAY)
    await world.stub.stop()
    await world.register(id)
    await world.sql(
        "update worker.gift_notification set written_at = to_timestamp(:now)", now=world.scenario.anvil.now()
    )
    for kept in (1, 1, 0):
        await world.tick()
        assert await world.kept() == kept
        world.scenario.advance(4 * DAY)


async def test_an_email_sent_after_a_late_correction_is_remembered_for_90_days(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The gift opened 60 days ago: the memory of the email would end in a month."""
    id = world.seal(tokens=[(world.scenario.deployment.usdc, USDC)], duration=DAY)
    world.scenario.advance(61 * DAY)
    monkeypatch.setattr(world.notifications._quotas, "now", world.scenario.anvil.now)
    world._deadline += 61 * DAY
    await world.register(id)
    days = "extract(epoch from expires_at - to_timestamp(:now)) / 86400"
    ((left,),) = await world.sql(f"select {days} from worker.gift_ledger", now=world.scenario.anvil.now())
    assert round(left) == 90


async def test_a_claimed_gifts_address_is_not_corrected(world: World) -> None:
    id = world.seal()
    world.scenario.advance(30 * DAY + 1)
    world.scenario.withdraw_gift(world.heir, id)
    with pytest.raises(NotFound):
        await world.register(id)


async def test_a_bad_field_is_named_and_echoes_nothing(world: World) -> None:
    for field, value in (
        ("recipientEmail", "Zaffre at home"),
        ("recipientName", "see https://evil.example"),
        ("language", "tlh"),
        ("giverName", "x" * 61),
        ("claimLink", "https://evil.example/gifts/31337/1#g=eyJ2IjoxfQ"),
        ("salt", "0x1234"),
        ("timelockId", "01"),
        ("timing", "whenever"),
        ("notifyAt", "2030-01-01T00:00:00Z"),
        ("unknown", "Zaffre"),
    ):
        with pytest.raises(InvalidInput) as refused:
            await world.register(world.seal(), **{field: value})
        assert value not in f"{refused.value} {refused.value.faults}"
        assert await world.kept() == 0


async def test_a_scheduled_day_lies_before_the_opening_and_is_kept_to(world: World) -> None:
    id = world.seal()
    unlock = world.scenario.anvil.now() + 30 * DAY
    for wrong in (unlock + 60, time.time() - 60):
        with pytest.raises(InvalidInput):
            await world.register(id, timing="scheduled", notifyAt=datetime.fromtimestamp(wrong, UTC).isoformat())
    await world.register(id, timing="scheduled", notifyAt=datetime.fromtimestamp(time.time() + DAY, UTC).isoformat())
    assert not await world.mail.poll()
    # A day passes by the database's clock.
    await world.sql("update worker.gift_ledger set next_try = next_try - interval '1 day 1 minute'")
    await world.tick()
    assert world.stub.told("gift_waiting") == [NORMAL]


async def test_no_advance_notice_means_opening_day_only(world: World) -> None:
    id = world.seal()
    await world.register(id, timing="none")
    await world.tick()
    assert world.stub.inbox == []
    assert not await world.sql("select from worker.gift_ledger where next_try < now() + interval '29 days'")
    world.scenario.advance(30 * DAY + 1)
    await world.tick()
    assert world.stub.told("gift_unlocked") == [NORMAL]


async def test_an_opening_day_that_only_our_clock_has_reached_waits_for_the_chains(world: World) -> None:
    await world.register(world.seal(), timing="none")
    await world.sql("update worker.gift_ledger set next_try = now(), created_at = now()")
    assert not await world.mail.poll()
    await world.mail.run()
    assert (world.stub.inbox, await world.states()) == ([], {"gift_unlocked": "queued"})


async def test_where_no_email_is_sent_nobody_is_stored_but_what_was_can_be_erased(world: World) -> None:
    """Without a mail service no pass would ever write, nor delete."""
    silent = world.settings.model_copy(update={"mail": None})
    parts = (world.engine, world.vault, world.hashes, QuotaCounters(world.engine), world.chains, world.gifts)
    off = make_gift_notifications(*parts, silent)
    id = world.seal()
    with pytest.raises(NotConfigured):
        await off.register_notification(world.request(world.payload(id)))
    await world.register(id)
    assert await off.erase_notification(world.erasure(id))
    assert await world.kept() == 0


async def test_a_request_shows_neither_its_payload_nor_its_signature(world: World) -> None:
    request = world.request(world.payload(world.seal()))
    assert "canary" not in repr(request).lower()
    assert repr(request.signature) not in repr(request)


# -- corrections, erasure, limits -----------------------------------------------------------------


async def test_a_corrected_address_gets_its_email_and_the_wrong_one_no_further(world: World) -> None:
    id = world.seal()
    await world.register(id, recipientEmail="wrong@post.example")
    await world.tick()
    await world.register(id)
    await world.tick()
    world.scenario.advance(30 * DAY + 1)
    await world.tick()
    assert world.stub.told("gift_waiting") == [NORMAL, "wrong@post.example"]
    assert world.stub.told("gift_unlocked") == [NORMAL]


async def test_registering_again_or_after_erasure_repeats_nothing(world: World) -> None:
    id = world.seal()
    await world.register(id)
    await world.tick()
    await world.register(id, timing="none")
    await world.register(id, recipientName="Quilla")
    await world.tick()
    assert await world.notifications.erase_notification(world.erasure(id))
    assert await world.kept() == 0
    await world.register(id)
    await world.tick()
    assert world.stub.told("gift_waiting") == [NORMAL]
    assert world.stub.requests == 1, "nor is the mail service asked for it once more"


async def test_erasure_cancels_what_was_not_sent(world: World) -> None:
    id = world.seal()
    await world.register(id)
    await world.notifications.erase_notification(world.erasure(id))
    world.scenario.advance(30 * DAY + 1)
    await world.tick()
    assert world.stub.inbox == []
    assert not await world.notifications.erase_notification(world.erasure(id))


async def test_a_captured_message_brings_nothing_back(world: World) -> None:
    id = world.seal()
    older, newer = world.request(world.payload(id)), world.erasure(id)
    await world.notifications.erase_notification(newer)
    with pytest.raises(Superseded):
        await world.notifications.register_notification(older)
    assert await world.kept() == 0


@pytest.mark.parametrize(("ahead", "refusal"), [(-10, Expired), (3660, DeadlineTooFar)])
async def test_a_message_is_good_for_an_hour_at_most(world: World, ahead: int, refusal: type[Exception]) -> None:
    """Otherwise a captured message could restore an erased recipient after the later write is forgotten."""
    id = world.seal()
    world._deadline = int(time.time()) + ahead - 1
    with pytest.raises(refusal):
        await world.register(id)
    with pytest.raises(refusal):
        await world.notifications.erase_notification(world.erasure(id))


async def test_at_most_three_addresses_over_a_gifts_life(world: World) -> None:
    """The giver's own address is one of them. Known ones are always taken again, also for both."""
    for field, accepted in (("recipientEmail", 3), ("giverEmail", 2)):
        id = world.seal()
        for number in range(accepted):
            await world.register(id, **{field: f"{field}{number}@post.example"})
        await world.notifications.erase_notification(world.erasure(id))
        with pytest.raises(InvalidInput) as refused:
            await world.register(id, **{field: "further@post.example"})
        assert [fault.pointer for fault in refused.value.faults] == [f"/payload/{field}"]
        for _ in range(2):
            await world.register(id, **{field: f"{field}1@post.example"})
        first = f"{field}0@post.example"
        await world.register(id, recipientEmail=first, giverEmail=first)


async def test_givers_and_addresses_are_capped_by_the_day(engine: AsyncEngine, chain_scenario: Scenario) -> None:
    for name in ("GIFT_NOTIFY_PER_GIVER", "GIFT_NOTIFY_PER_EMAIL"):
        async with AsyncExitStack() as stack:
            world = await open_world(stack, engine, chain_scenario, **{name: "2"})
            for _ in range(2):
                await world.register(world.seal())
            with pytest.raises(LimitReached) as refused:
                await world.register(world.seal())
            assert refused.value.code == "daily_cap_reached"
            async with engine.begin() as connection:
                await connection.execute(text("delete from worker.quota"))


async def test_strangers_cannot_use_up_an_addresss_registrations_nor_learn_of_them(
    engine: AsyncEngine, chain_scenario: Scenario
) -> None:
    """Each giver has a count of their own for each email; how much is sent to it is capped where it is sent."""
    async with AsyncExitStack() as stack:
        world = await open_world(stack, engine, chain_scenario, GIFT_NOTIFY_PER_EMAIL="1")
        stranger = world.scenario.account("stranger")
        dust = [world.scenario.create_gift(stranger, stranger.address, eth=1, duration=DAY) for _ in range(2)]
        await world.notifications.register_notification(world.request(world.payload(dust[0]), stranger))
        mine, again = world.seal(), world.seal()
        await world.register(mine)
        for id, giver in ((dust[1], stranger), (again, world.giver)):
            with pytest.raises(LimitReached):
                await world.notifications.register_notification(world.request(world.payload(id), giver))
        await world.register(again, recipientEmail="another@post.example")


async def test_a_giver_erases_what_was_registered_also_when_the_chain_forgot_the_gift(world: World) -> None:
    before = world.scenario.anvil.snapshot()
    id = world.seal()
    await world.register(id)
    world.scenario.anvil.revert(before)
    assert await world.notifications.erase_notification(world.erasure(id))
    assert await world.kept() == 0
