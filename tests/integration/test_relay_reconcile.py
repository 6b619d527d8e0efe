"""Reconciler: every slot reaches its end by the facts of the chain, despite lies and kills."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import pytest
from eth_account.signers.local import LocalAccount
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.hostile import HostileReceiving, HostileSigning, TokenMode
from devnet.scenarios import DAY, Legacy, Scenario
from reminder_worker.relay import reconciler, store
from reminder_worker.relay.chain_view import view_chain
from reminder_worker.relay.models import RelayAuthorization, RelayLane, RequestState
from reminder_worker.relay.state_machine import MinedAttempt
from reminder_worker.relay.store import is_paused
from tests.integration.relay_world import CEILING, CHAIN_ID, EPOCH, GWEI, RelayWorld, open_bare_world


@pytest.fixture
async def world(lasting_scenario: Scenario, engine: AsyncEngine) -> AsyncIterator[RelayWorld]:
    async with open_bare_world(lasting_scenario, engine) as opened:
        yield opened


@pytest.mark.core
async def test_a_withdrawal_is_mined_then_confirmed_and_its_cost_is_the_receipts(world: RelayWorld) -> None:
    gift = world.gift()
    request = await world.admit(gift)
    assert await world.state(request) == "broadcast"
    world.mine()
    report = await world.run()
    assert (await world.state(request), report.recorded, report.confirmed) == ("mined", 1, 0)
    world.finalize()
    assert (await world.run()).confirmed == 1
    assert await world.state(request) == "confirmed"
    assert await world.budget() == {"requests": 1, "reserved": 0, "spent": world.paid()}
    assert world.paid() > 0
    assert not await world.reconcile.poll(CHAIN_ID)


async def test_a_failed_call_is_paid_for_by_the_receipt_and_pauses_its_signer_for_the_day(world: RelayWorld) -> None:
    """Also if the deadline has passed when it is final. Otherwise near deadlines would make us pay again and again."""
    gifts = [world.gift("heir", locked=True), world.gift("late heir", locked=True)]
    requests = [await world.admit(gifts[0]), await world.admit(gifts[1], ttl=600)]
    world.mine()
    world.anvil.increase_time(601)
    world.finalize()
    await world.run()
    assert [await world.state(request) for request in requests] == ["reverted"] * 2
    assert await world.budget() == {"requests": 2, "reserved": 0, "spent": world.paid()}
    async with world.engine.connect() as connection:
        for gift in gifts:
            assert await is_paused(connection, CHAIN_ID, gift.recipient.address.lower())
            assert not await is_paused(connection, CHAIN_ID + 1, gift.recipient.address.lower())
    await world.execute("update worker.quota set ends_at = ends_at - 86400")
    async with world.engine.connect() as connection:
        assert not await is_paused(connection, CHAIN_ID, gifts[0].recipient.address.lower()), "tomorrow"


async def test_same_signature_sent_by_another_account_is_a_success(world: RelayWorld) -> None:
    gift = world.gift()
    authorization = world.withdrawal(gift)
    request = await world.admission.admit_request(authorization)
    world.send(world.account("stranger"), authorization.router, authorization.call_data, tip=90 * GWEI)
    await world.settle()
    assert await world.state(request) == "satisfied_elsewhere"
    assert (await world.budget())["spent"] == world.paid() > 0, "our failed transaction is paid for all the same"
    async with world.engine.connect() as connection:
        assert not await is_paused(connection, CHAIN_ID, authorization.signer)


@pytest.mark.core
async def test_a_slot_whose_authorization_was_used_elsewhere_is_freed_by_an_empty_transfer(world: RelayWorld) -> None:
    gift = world.gift()
    authorization = world.withdrawal(gift)
    request = await world.admission.admit_request(authorization)
    world.drop(await world.attempts())
    world.send(world.account("stranger"), authorization.router, authorization.call_data)
    world.mine()
    report = await world.run()
    assert (report.freed, await world.state(request)) == (1, "broadcast")
    call, empty = await world.attempts()
    assert (call["kind"], empty["kind"], empty["nonce"]) == ("call", "empty", call["nonce"])
    assert empty["max_fee_wei"] * 8 >= call["max_fee_wei"] * 9
    assert empty["priority_fee_wei"] * 8 >= call["priority_fee_wei"] * 9
    await world.settle()
    assert await world.state(request) == "satisfied_elsewhere"
    assert await world.budget() == {"requests": 1, "reserved": 0, "spent": world.paid()}
    assert world.count() == 1


async def test_superseded_and_cancelled_nonces_are_distinguished(world: RelayWorld) -> None:
    mine, other, third = world.gift("heir"), world.gift("heir"), world.gift("other heir")
    superseded, cancelled = await world.admit(mine), await world.admit(third)
    instead = world.withdrawal(other)
    world.send(world.account("stranger"), instead.router, instead.call_data, tip=90 * GWEI)
    world.cancel_nonce(third.recipient)
    await world.settle()
    assert await world.state(superseded) == "superseded"
    assert await world.state(cancelled) == "cancelled_by_user"
    async with world.engine.connect() as connection:
        assert await is_paused(connection, CHAIN_ID, third.recipient.address.lower()), "it made us pay"


async def test_unmined_request_expires_at_its_deadline_and_frees_its_nonce(world: RelayWorld) -> None:
    gift = world.gift()
    request = await world.admit(gift, ttl=600)
    world.drop(await world.attempts())
    world.anvil.increase_time(601)
    assert (await world.run()).freed == 1
    world.mine()
    assert (await world.run()).recorded == 1
    assert await world.state(request) == "broadcast", "an empty transfer does nothing of what it asked for"
    await world.settle()
    assert await world.state(request) == "expired"
    assert world.count() == 1
    assert (await world.budget())["reserved"] == 0


async def test_stuck_call_without_use_is_cancelled_and_not_bumped(world: RelayWorld) -> None:
    gift = world.gift()
    request = await world.admit(gift)
    world.drop(await world.attempts())
    world.pay_out_by_vault(gift)
    await world.age(400)
    report = await world.run()
    assert (report.freed, report.replaced) == (1, 0)
    assert [attempt["kind"] for attempt in await world.attempts()] == ["call", "empty"]
    await world.settle()
    assert await world.state(request) == "satisfied_elsewhere"
    assert world.count() == 1


async def test_queue_drains_by_itself_after_a_fee_spike(world: RelayWorld) -> None:
    one, two = world.gift("a"), world.gift("b")
    early = await world.admit(one)
    world.base_fee(2 * CEILING)
    late = await world.admit(two)
    assert await world.state(late) == "deferred_fee", "it took no nonce"
    for _ in range(6):
        await world.age(400)
        await world.run()
        world.base_fee(2 * CEILING)
        world.mine()
    assert len(await world.attempts()) == 1, "no step was used up above the ceiling"
    assert (await world.state(early), await world.state(late)) == ("broadcast", "deferred_fee")
    world.base_fee(GWEI)
    world.mine()
    await world.settle()
    assert (await world.state(early), await world.state(late)) == ("confirmed", "confirmed")
    assert (await world.budget())["spent"] == world.paid()


async def test_fee_bump_stays_within_the_ceiling_and_is_stored_before_it_is_sent(world: RelayWorld) -> None:
    request = await world.admit(world.gift())
    offered = int((await world.attempts())[0]["max_fee_wei"])
    dearer = 2 * offered
    await world.age(60)
    world.base_fee(dearer)
    assert dearer < CEILING
    assert (await world.run()).replaced == 1
    first, second = await world.attempts()
    assert dearer <= second["max_fee_wei"] <= CEILING
    (slot,) = await world.slots()
    assert slot["reserved_wei"] >= second["max_fee_wei"] * second["gas_limit"]
    assert (await world.budget())["reserved"] == slot["reserved_wei"]
    world.base_fee(dearer)
    await world.settle()
    assert await world.state(request) == "confirmed"
    assert world.receipt(second["tx_hash"]) is not None
    assert world.receipt(first["tx_hash"]) is None


async def test_fee_bump_after_midnight_moves_its_whole_reservation_to_the_new_day(world: RelayWorld) -> None:
    request = await world.admit(world.gift())
    (first,) = await world.attempts()
    await world.execute("update worker.nonce_slot set budget_day = budget_day - 1")
    await world.execute("update worker.relay_budget set day = day - 1")
    await world.age(60)
    world.base_fee(2 * int(first["max_fee_wei"]))
    assert (await world.run()).replaced == 1
    (slot,) = await world.slots()
    days = "select reserved_wei, spent_wei from worker.relay_budget where scope = 'global' order by day"
    assert [tuple(day.values()) for day in await world.rows(days)] == [(0, 0), (slot["reserved_wei"], 0)]
    world.base_fee(2 * int(first["max_fee_wei"]))
    await world.settle()
    assert await world.state(request) == "confirmed"
    assert [tuple(day.values()) for day in await world.rows(days)] == [(0, 0), (0, world.paid())]


async def test_replacement_without_room_in_the_cap_stays_within_its_reservation(world: RelayWorld) -> None:
    await world.admit(world.gift())
    (slot,), (first,) = await world.slots(), await world.attempts()
    world.caps = replace(world.caps, daily_wei=int(slot["reserved_wei"]))
    await world.age(400)
    world.base_fee(CEILING * 9 // 10)
    await world.run()
    assert len(await world.attempts()) == 1, "none that could not be mined"
    for base_fee in [int(first["max_fee_wei"]) * 11 // 10] + [CEILING * 9 // 10] * 5:
        await world.age(400)
        world.base_fee(base_fee)
        await world.run()
    first, second = await world.attempts()
    assert second["max_fee_wei"] >= first["max_fee_wei"] * 11 // 10, "what the reservation had room for"
    assert second["max_fee_wei"] * second["gas_limit"] <= slot["reserved_wei"]
    budget = await world.budget()
    assert budget["reserved"] + budget["spent"] <= world.caps.daily_wei
    world.base_fee(GWEI)
    world.mine()
    await world.settle()
    assert (await world.budget())["reserved"] == 0


@pytest.mark.parametrize("depth", range(1, 2 * EPOCH))
@pytest.mark.core
async def test_same_bytes_are_mined_again_after_reorganisations_of_each_depth(world: RelayWorld, depth: int) -> None:
    request = await world.admit(world.gift())
    world.mine(depth)
    await world.run()
    assert await world.state(request) == "mined"
    world.anvil.reorg(depth)
    world.drop(await world.attempts())
    report = await world.run()
    assert (report.unmined, await world.state(request)) == (1, "broadcast")
    assert len(await world.attempts()) == 1
    await world.settle()
    assert await world.state(request) == "confirmed"
    assert world.count() == 1
    assert (await world.budget())["spent"] == world.paid()


async def test_forgotten_transaction_is_sent_again_until_mined(world: RelayWorld) -> None:
    gifts = [world.gift(label) for label in "abc"]
    requests = [await world.admit(gift) for gift in gifts]
    for _ in range(3):
        world.drop(await world.attempts())
        assert (await world.run()).rebroadcast == 3
    await world.settle()
    assert [await world.state(request) for request in requests] == ["confirmed"] * 3
    assert len(await world.attempts()) == 3


async def test_concurrent_reconcilers_take_each_action_once(world: RelayWorld) -> None:
    gifts = [world.gift(label) for label in "abcd"]
    authorizations = [world.withdrawal(gift) for gift in gifts]
    requests = [await world.admission.admit_request(each) for each in authorizations]
    world.drop((await world.attempts())[-1:])
    world.send(world.account("stranger"), authorizations[3].router, authorizations[3].call_data)
    many = [world.reconciler() for _ in range(4)]
    totals = dict.fromkeys(("recorded", "freed", "confirmed", "satisfied_elsewhere"), 0)
    for _ in range(4):
        world.mine(3)
        await world.later()
        for report in await asyncio.gather(*(each.run(CHAIN_ID) for each in many)):
            for name in totals:
                totals[name] += getattr(report, name)
    assert totals == {"recorded": 4, "freed": 1, "confirmed": 3, "satisfied_elsewhere": 1}
    assert [await world.state(request) for request in requests] == ["confirmed"] * 3 + ["satisfied_elsewhere"]
    assert await world.budget() == {"requests": 4, "reserved": 0, "spent": world.paid()}


@pytest.mark.parametrize(
    "moved",
    [
        "update worker.nonce_slot set tx_hash = '0x' || repeat('ab', 32)",
        "update worker.nonce_slot set block_hash = '0x' || repeat('ab', 32)",
        "update worker.nonce_slot set state = 'open', tx_hash = null, block_number = null, block_hash = null",
        "insert into worker.tx_attempt (chain_id, tx_hash, wallet, nonce, kind, max_fee_wei, priority_fee_wei,"
        " gas_limit) select chain_id, '0x' || repeat('ab', 32), wallet, nonce, kind, max_fee_wei, priority_fee_wei,"
        " gas_limit from worker.tx_attempt",
    ],
)
async def test_slot_changed_since_it_was_read_is_not_written(world: RelayWorld, moved: str) -> None:
    await world.admit(world.gift())
    world.mine()
    await world.run()
    async with world.engine.connect() as connection:
        (at,) = await store.read_slots(connection, CHAIN_ID, world.wallet)
    mined = MinedAttempt(at.slot.newest.tx_hash, 1, "0x" + "cd" * 32, True, 1, 5)
    await world.execute(moved)
    before = await world.slots()
    async with world.engine.begin() as connection:
        assert not await store.lock_unchanged(connection, CHAIN_ID, world.wallet, at.slot)
        assert await store.record_mined(connection, CHAIN_ID, world.wallet, [(at, mined)]) == 0
        ended = store.EndedSlot(at, mined, store.RequestEnding(RequestState.CONFIRMED))
        assert await store.finish_slots(connection, CHAIN_ID, world.wallet, [ended]) == set()
    assert await world.slots() == before


@pytest.mark.parametrize("is_final", [False, True])
@pytest.mark.parametrize("age", [0, 400], ids=["sent again", "stuck"])
async def test_no_replacement_is_signed_for_a_slot_recorded_meanwhile(
    world: RelayWorld, monkeypatch: pytest.MonkeyPatch, age: int, is_final: bool
) -> None:
    request = await world.admit(world.gift())
    (attempt,) = await world.attempts()
    await world.age(age)

    async def frozen(*asked: Any) -> Any:
        monkeypatch.setattr(reconciler, "view_chain", view_chain)
        seen = await view_chain(*asked)
        world.mine()
        if is_final:
            world.finalize()
        await world.reconciler().run(CHAIN_ID)
        return seen

    monkeypatch.setattr(reconciler, "view_chain", frozen)
    await world.run()
    found = await world.admission.read_request(request.id)
    assert found is not None
    assert (found.state, found.tx_hash) == ("confirmed" if is_final else "mined", attempt["tx_hash"])
    assert len(await world.attempts()) == 1


async def test_killed_after_a_replacement_was_stored_the_same_bytes_go_out_next(
    world: RelayWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = await world.admit(world.gift())
    world.drop(await world.attempts())
    await world.age(400)
    with monkeypatch.context() as patched:
        patched.setattr(reconciler, "broadcast_attempts", killed)
        with pytest.raises(KilledReconciler):
            await world.run()
    assert len(await world.attempts()) == 2
    world.restart()
    report = await world.run()
    assert (report.replaced, report.rebroadcast) == (0, 1)
    world.mine()
    assert world.receipt((await world.attempts())[1]["tx_hash"]) is not None
    await world.settle()
    assert await world.state(request) == "confirmed"


async def test_nothing_sealed_is_left_when_all_is_final(world: RelayWorld) -> None:
    gift = world.gift()
    authorization = world.withdrawal(gift)
    await world.admission.admit_request(authorization)
    tables = ("relay_request", "tx_attempt")
    dumped = str([await world.rows(f"select t::text from worker.{table} t") for table in tables])
    assert authorization.digest.hex() in dumped, "bytes are shown in hex"
    assert authorization.call_data[-64:-32].hex() not in dumped
    await world.settle()
    (request,) = await world.rows("select call_data, salt, key_id from worker.relay_request")
    assert set(request.values()) == {None}
    assert [attempt["raw"] for attempt in await world.attempts()] == [None]


@pytest.mark.parametrize("lane", [RelayLane.CLAIM, RelayLane.CHECK_IN])
async def test_claim_and_check_in_count_by_their_own_event_only(world: RelayWorld, lane: RelayLane) -> None:
    """Another account sends one family's signature, and the second family's other one with the same nonce."""
    world.automine()
    families = [(world.account(f"owner {name}"), world.account(f"heir {name}")) for name in "ab"]
    legacies = [
        [world.scenario.create_legacy(owner, {heir.address: 100}, inactivity=30 * DAY) for _ in range(2)]
        for owner, heir in families
    ]
    if lane is RelayLane.CLAIM:
        world.scenario.advance(31 * DAY)
    world.by_hand()

    def authorization(owner: LocalAccount, heir: LocalAccount, legacy: Legacy) -> RelayAuthorization:
        contract = world.scenario.contracts["TransferEOALegacyRouter"]
        if lane is RelayLane.CLAIM:
            auth = world.scenario.claim_auth(heir, legacy.id, [], is_eth=True)
            data = contract.encode("activeLegacyFor", legacy.id, [], True, auth)
        else:
            auth = world.scenario.check_in_auth(owner, legacy.id)
            data = contract.encode("activeAliveFor", legacy.id, auth)
        return world.authorization(lane, legacy.router, legacy.id, auth, bytes.fromhex(data[2:]), 500_000)

    admitted = [authorization(*family, own[0]) for family, own in zip(families, legacies, strict=True)]
    sent = [admitted[0], authorization(*families[1], legacies[1][1])]
    satisfied, superseded = [await world.admission.admit_request(each) for each in admitted]
    for position, each in enumerate(sent):
        world.send(world.account(f"stranger {position}"), each.router, each.call_data, tip=90 * GWEI)
    await world.settle()
    assert await world.state(satisfied) == "satisfied_elsewhere"
    assert await world.state(superseded) == "superseded"
    assert (await world.budget())["spent"] == world.paid()


def claims_of_an_open_legacy(world: RelayWorld) -> Callable[[list[str]], RelayAuthorization]:
    """Return a maker of the heir's claims for tokens and ether, all with the same nonce. Blocks are mined by hand."""
    world.automine()
    owner, heir = world.account("owner"), world.account("heir")
    legacy = world.scenario.create_legacy(owner, {heir.address: 100}, inactivity=30 * DAY)
    world.scenario.advance(31 * DAY)
    world.by_hand()

    def claim(assets: list[str]) -> RelayAuthorization:
        auth = world.scenario.claim_auth(heir, legacy.id, assets, is_eth=True, nonce=0)
        contract = world.scenario.contracts["TransferEOALegacyRouter"]
        data = bytes.fromhex(contract.encode("activeLegacyFor", legacy.id, assets, True, auth)[2:])
        return world.authorization(RelayLane.CLAIM, legacy.router, legacy.id, auth, data, 500_000)

    return claim


async def test_claim_in_another_encoding_counts_as_the_same(world: RelayWorld) -> None:
    """A front-runner may append a byte to the call: the signer got the claim and is not paused."""
    claim = claims_of_an_open_legacy(world)([])
    request = await world.admission.admit_request(claim)
    world.send(world.account("stranger"), claim.router, claim.call_data + b"!", tip=90 * GWEI)
    await world.settle()
    assert await world.state(request) == "satisfied_elsewhere"
    assert await world.rows("select from worker.quota where scope = 'relay_paused'") == []


async def test_a_renewal_that_fails_pauses_no_attestor_and_one_that_is_late_expires(world: RelayWorld) -> None:
    """An observed count is no sponsorNonce: the router is not asked."""
    router, deadline = world.scenario.deployment.transfer_eoa_legacy_router, world.anvil.now() + 600
    world.by_hand()
    requests = [
        await world.admission.admit_request(
            world.authorization(
                RelayLane.AUTO_RENEW,
                router,
                legacy_id,
                (world.wallet, 41, deadline, b""),
                bytes([legacy_id] * 4),
                100_000,
            )
        )
        for legacy_id in (1, 2)
    ]
    world.drop((await world.attempts())[1:])
    world.mine()
    world.anvil.increase_time(601)
    await world.settle()
    assert [await world.state(request) for request in requests] == ["reverted", "expired"]
    async with world.engine.connect() as connection:
        assert not await is_paused(connection, CHAIN_ID, world.wallet)


async def test_undecryptable_row_delays_no_other(world: RelayWorld) -> None:
    one, two = world.gift("a"), world.gift("b")
    broken, well = await world.admit(one), await world.admit(two)
    await world.execute("update worker.tx_attempt set raw = decode('00', 'hex') where nonce = 0")
    report = await world.run()
    assert (report.failed, report.rebroadcast) == (1, 1)
    await world.settle()
    assert [await world.state(each) for each in (broken, well)] == ["confirmed"] * 2


class KilledReconciler(BaseException):
    """Stands for `kill -9`: nothing runs after it."""


async def killed(*_: object) -> None:
    raise KilledReconciler


@pytest.mark.parametrize("who", ["token", "recipient", "signer"])
async def test_hostile_signer_costs_one_lane_gas_limit_a_day_at_most(world: RelayWorld, who: str) -> None:
    """The call was good at admission and burns all its gas once mined."""
    gas = 500_000
    world.automine()
    heir, scenario = world.account("heir"), world.scenario
    if who == "token":
        owner, token = world.account("owner"), scenario.create_hostile_token()
        legacy = scenario.create_legacy(owner, {heir.address: 100}, inactivity=30 * DAY)
        scenario.mint(token, owner.address, 100)
        scenario.approve(owner, token, legacy.address, 100)
        scenario.advance(31 * DAY)
        auth = scenario.claim_auth(heir, legacy.id, [token])
        call = scenario.contracts["TransferEOALegacyRouter"].encode("activeLegacyFor", legacy.id, [token], False, auth)
        request = world.authorization(RelayLane.CLAIM, legacy.router, legacy.id, auth, bytes.fromhex(call[2:]), gas)
    else:
        wallet, router = scenario.create_hostile_wallet(heir), scenario.deployment.time_lock_router
        gift = scenario.create_gift(world.account("giver"), wallet, eth=GWEI, tokens=(), duration=1)
        scenario.advance(2)
        auth = scenario.withdraw_auth(heir, gift, on_behalf_of=wallet)
        call = scenario.contracts["TimeLockRouter"].encode("withdrawFor", gift, False, auth)
        request = world.authorization(RelayLane.GIFT_WITHDRAW, router, gift, auth, bytes.fromhex(call[2:]), gas)
    world.by_hand()
    admitted = await world.admission.admit_request(request)
    reserved = (await world.budget())["reserved"]
    world.drop(await world.attempts())
    world.automine()
    if who == "token":
        scenario.set_token_mode(token, TokenMode.BURNS_GAS)
    elif who == "recipient":
        scenario.set_receiving(wallet, HostileReceiving.BURNS_GAS)
    else:
        scenario.set_signing(wallet, HostileSigning.BURNS_GAS)
    world.by_hand()
    await world.settle()
    (attempt,) = await world.attempts()
    burnt = int((world.receipt(attempt["tx_hash"]) or {})["gasUsed"], 16)
    assert await world.state(admitted) == "reverted"
    assert gas * 9 // 10 < burnt <= gas
    assert 0 < world.paid() <= reserved
    assert await world.budget() == {"requests": 1, "reserved": 0, "spent": world.paid()}
    async with world.engine.connect() as connection:
        assert await is_paused(connection, CHAIN_ID, request.signer)
