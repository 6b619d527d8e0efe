"""Requests that wait for their turn: which are started, which end, and that nothing is paid for in vain."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any
from unittest.mock import AsyncMock

import pytest
from eth_account import Account
from pydantic import SecretStr
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Scenario
from reminder_worker.chain.client import RevertedCall
from reminder_worker.errors import ChainUnavailable, Misconfigured
from reminder_worker.relay import request_store
from reminder_worker.relay.models import RelayLane
from reminder_worker.relay.signer import make_signer
from reminder_worker.relay.slot_store import lock_wallet
from tests.integration.locks import blocked
from tests.integration.relay_world import CEILING, CHAIN_ID, EPOCH, GWEI, RelayWorld, open_bare_world


@pytest.fixture
async def world(lasting_scenario: Scenario, engine: AsyncEngine) -> AsyncIterator[RelayWorld]:
    async with open_bare_world(lasting_scenario, engine) as opened:
        yield opened


async def test_what_waited_until_seconds_before_its_deadline_is_not_paid_for(world: RelayWorld) -> None:
    """It would pass the simulation on the latest block, and fail in the next one."""
    world.base_fee(2 * CEILING)
    request = await world.admit(world.gift(), ttl=600)
    world.anvil.increase_time(590)
    world.base_fee(GWEI)
    world.mine()
    assert (await world.run()).started == 0
    world.anvil.increase_time(20)
    await world.settle()
    assert await world.state(request) == "expired"
    assert world.paid() == 0


async def test_who_is_paused_gets_no_more_of_what_already_waits_until_tomorrow(world: RelayWorld) -> None:
    failing, gift = world.gift("heir", locked=True), world.gift("heir")
    first = await world.admission.admit(world.withdrawal(failing, nonce=0))
    waiting = await world.admission.admit(world.withdrawal(gift, nonce=1, ttl=10**6), waits=True)
    world.mine()
    await world.run()
    world.finalize()
    await world.run()
    assert await world.state(first) == "reverted"
    world.cancel_nonce(gift.recipient)
    world.mine()
    await world.execute("update worker.relay_request set reason = null where id = :id", id=waiting.id)
    assert (await world.run()).started == 0
    view = await world.admission.view(waiting.id)
    assert view is not None
    assert (view.state.value, view.reason) == ("waiting_predecessor", "signer_paused"), "nobody queues behind it"
    await world.execute("update worker.quota set ends_at = ends_at - 86400")
    await world.settle()
    assert await world.state(waiting) == "confirmed"


async def test_who_defers_what_waits_takes_its_turn_at_the_wallets_row(world: RelayWorld) -> None:
    """Else it and somebody who starts the same requests could wait for each other."""
    world.caps = replace(world.caps, max_open=1)
    world.restart()
    await world.admit(world.gift("a"))
    late = await world.admit(world.gift("b"))
    world.base_fee(2 * CEILING)
    async with world.engine.begin() as another:
        await lock_wallet(another, CHAIN_ID, world.wallet)
        deferring = asyncio.create_task(world.admission.start_waiting(CHAIN_ID))
        await blocked(world.engine)
        assert await world.state(late) == "queued"
    assert await deferring == 0
    assert await world.state(late) == "deferred_fee"


async def test_a_renewal_that_waited_past_its_time_is_not_paid_for(world: RelayWorld) -> None:
    """What it attests is to be looked at afresh; and an empty transaction would take its nonce right away."""
    withdrawal = world.withdrawal(world.gift(), ttl=10**6)
    world.base_fee(2 * CEILING)
    deadline = world.anvil.now() + 600
    request = await world.admission.admit(replace(withdrawal, lane=RelayLane.AUTO_RENEW, deadline=deadline))
    world.anvil.increase_time(601)
    world.base_fee(GWEI)
    world.mine()
    assert (await world.run()).started == 0
    await world.settle()
    assert await world.state(request) == "expired"
    assert world.paid() == 0


async def test_successive_nonces_of_one_signer_start_in_order(world: RelayWorld) -> None:
    one, two = world.gift("heir"), world.gift("heir")
    first = await world.admission.admit(world.withdrawal(one, nonce=0))
    second = await world.admission.admit(world.withdrawal(two, nonce=1), waits=True)
    await world.run()
    assert await world.state(second) == "waiting_predecessor"
    world.mine()
    report = await world.run()
    assert (await world.state(first), await world.state(second)) == ("mined", "broadcast")
    assert report.started == 1
    await world.settle()
    assert [await world.state(each) for each in (first, second)] == ["confirmed"] * 2


async def test_a_request_that_waits_past_its_deadline_ends_without_a_slot(world: RelayWorld) -> None:
    gift = world.gift()
    world.base_fee(2 * CEILING)
    request = await world.admit(gift, ttl=600)
    world.base_fee(2 * CEILING)
    world.anvil.increase_time(601)
    await world.run()
    assert await world.state(request) == "deferred_fee", "not final yet"
    for _ in range(2 * EPOCH + 1):
        world.base_fee(2 * CEILING)
        world.mine()
    assert (await world.run()).expired == 1
    assert await world.state(request) == "expired"
    assert await world.slots() == []
    (row,) = await world.rows("select call_data, salt, key_id from worker.relay_request")
    assert set(row.values()) == {None}, "nobody can read its signature any more"


async def test_one_behind_others_of_the_wallet_that_do_not_get_mined_is_over_when_its_gift_was_paid_out(
    world: RelayWorld,
) -> None:
    """It is not simulated meanwhile, and its signer waits for its end."""
    world.caps = replace(world.caps, max_open=1)
    world.restart()
    gifts = world.gift("a"), world.gift("b")
    await world.admit(gifts[0], ttl=10**6)
    behind = await world.admit(gifts[1], ttl=10**6)
    world.drop(await world.attempts())
    world.pay_out_by_vault(gifts[1])
    world.finalize()
    await world.execute("update worker.relay_request set created_at = created_at - interval '60 s'")
    await world.run()
    assert await world.state(behind) == "satisfied_elsewhere"


async def test_a_request_that_got_its_slot_meanwhile_is_not_ended_as_one_that_waits(world: RelayWorld) -> None:
    gift = world.gift()
    world.base_fee(2 * CEILING)
    request = await world.admit(gift)
    async with world.engine.connect() as connection:
        (waiting,) = await request_store.read_waiting(connection, CHAIN_ID, world.wallet, 10)
    world.base_fee(GWEI)
    world.mine()
    world.restart()
    assert await world.admission.start_waiting(CHAIN_ID) == 1
    async with world.engine.begin() as connection:
        assert not await request_store.end_waiting(connection, CHAIN_ID, world.wallet, waiting, "expired")
    assert await world.state(request) == "broadcast"


@pytest.mark.parametrize(
    ("simulated", "state", "reason"),
    [
        ("as it is", "waiting_predecessor", "nothing_to_claim"),
        (None, "broadcast", None),
        (RevertedCall(b""), "waiting_predecessor", "would_revert"),
    ],
)
async def test_a_claim_whose_turn_comes_when_it_would_deliver_nothing_is_not_paid_for(
    world: RelayWorld, monkeypatch: pytest.MonkeyPatch, simulated: Any, state: str, reason: str | None
) -> None:
    """The one before it took everything. A node that does not simulate leaves it to the plain call; one that says it
    fails is heard."""
    world.automine()
    owner, heir, usdc = world.account("owner"), world.account("heir"), world.scenario.deployment.usdc
    legacy = world.scenario.create_legacy(owner, {heir.address: 100}, inactivity=30 * DAY)
    world.scenario.mint(usdc, owner.address, 10**6)
    world.scenario.approve(owner, usdc, legacy.address, 10**6)
    world.scenario.advance(31 * DAY)
    world.by_hand()
    contract, claims = world.scenario.contracts["TransferEOALegacyRouter"], []
    for nonce in (0, 1):
        auth = world.scenario.claim_auth(heir, legacy.id, [usdc], is_eth=False, nonce=nonce)
        data = bytes.fromhex(contract.encode("activeLegacyFor", legacy.id, [usdc], False, auth)[2:])
        claim = world.authorization(RelayLane.CLAIM, legacy.router, legacy.id, auth, data, 500_000)
        claims.append(await world.admission.admit(claim, waits=nonce > 0))
    world.mine()
    if simulated != "as it is":
        monkeypatch.setattr(world.chain, "simulate", AsyncMock(return_value=simulated))
    await world.run()
    first, second = [await world.admission.view(each.id) for each in claims]
    assert first is not None
    assert second is not None
    assert first.state.value == "mined"
    assert (second.state.value, second.reason) == (state, reason)


async def test_a_waiting_request_that_does_not_decrypt_holds_up_no_other(world: RelayWorld) -> None:
    """Neither those that wait with it nor those that come after it."""
    one, two, three = world.gift("a"), world.gift("b"), world.gift("c")
    world.base_fee(2 * CEILING)
    broken = await world.admit(one)
    well = await world.admit(two)
    await world.execute("update worker.relay_request set call_data = decode('00', 'hex') where id = :id", id=broken.id)
    world.base_fee(GWEI)
    assert (await world.run()).started == 1
    assert [await world.state(each) for each in (broken, well)] == ["deferred_fee", "broadcast"]
    passed_over = await world.admission.view(broken.id)
    assert passed_over is not None
    assert passed_over.reason == "not_readable"
    assert await world.state(await world.admit(three)) == "broadcast"


async def test_a_gift_that_its_vault_paid_out_while_its_request_waits_is_a_success_and_is_over(
    world: RelayWorld,
) -> None:
    """The vault takes no nonce of the signer's, so nothing but its event tells."""
    gift = world.gift()
    world.base_fee(2 * CEILING)
    request = await world.admit(gift, ttl=10**9)
    world.base_fee(GWEI)
    world.pay_out_by_vault(gift)
    await world.settle()
    assert await world.state(request) == "satisfied_elsewhere"
    assert not await world.reconcile.poll(CHAIN_ID)
    assert world.paid() == 0


async def test_what_has_ended_is_ended_also_while_nothing_can_be_started(
    world: RelayWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or its signer could sign nothing new until somebody says again what gas costs."""
    gift = world.gift()
    world.base_fee(2 * CEILING)
    request = await world.admit(gift, ttl=10**9)
    world.pay_out_by_vault(gift)
    world.finalize()
    monkeypatch.setattr(world.admission, "start_waiting", AsyncMock(side_effect=ChainUnavailable("no fees")))
    with pytest.raises(ChainUnavailable):
        await world.run()
    assert await world.state(request) == "satisfied_elsewhere"


@pytest.mark.parametrize("wanted", ["a nonce", "a dearer one"])
async def test_what_has_ended_is_ended_also_while_the_wallets_key_does_not_open(world: RelayWorld, wanted: str) -> None:
    paid_out, another = world.gift("a"), world.gift("b")
    if wanted == "a dearer one":
        await world.admit(another, ttl=10**9)
        world.drop(await world.attempts())
        await world.age(3600)
    world.base_fee(2 * CEILING)
    ended = await world.admit(paid_out, ttl=10**9)
    if wanted == "a nonce":
        await world.admit(another, ttl=10**9)
    world.pay_out_by_vault(paid_out)
    world.finalize()
    keystore = json.dumps(Account.encrypt(bytes.fromhex(world.key[2:]), "open sesame", kdf="pbkdf2", iterations=10))
    world.signer = make_signer(SecretStr(keystore), SecretStr("wrong"))
    world.base_fee(GWEI)
    world.mine()
    with pytest.raises(Misconfigured):
        await world.run()
    assert await world.state(ended) == "satisfied_elsewhere"


async def test_a_gift_that_another_request_of_its_recipient_paid_out_is_a_success_and_is_over(
    world: RelayWorld,
) -> None:
    """Both were good when they came; the second one would revert for ever."""
    gift = world.gift()
    first = await world.admission.admit(world.withdrawal(gift, nonce=0))
    second = await world.admission.admit(world.withdrawal(gift, nonce=1, ttl=10**9), waits=True)
    await world.settle()
    assert [await world.state(each) for each in (first, second)] == ["confirmed", "satisfied_elsewhere"]
    assert await world.budget() == {"requests": 2, "reserved": 0, "spent": world.paid()}


async def test_what_waits_across_an_upgrade_of_its_router_is_not_sent_and_ends_with_its_deadline(
    world: RelayWorld,
) -> None:
    """Its call is of a function that is gone: no fee is paid for it, and its signer's day is not spoilt."""
    gift = world.gift()
    world.base_fee(2 * CEILING)
    request = await world.admit(gift)
    world.automine()
    world.scenario.become_version(world.scenario.deployment.time_lock_router, "2")
    world.by_hand()
    world.base_fee(10 * GWEI)
    await world.run()
    view = await world.admission.view(request.id)
    assert view is not None
    assert (view.state.value, view.reason) == ("deferred_fee", "would_revert")
    world.anvil.increase_time(1801)
    await world.settle()
    assert await world.state(request) == "expired"
    assert (await world.attempts(), world.paid()) == ([], 0)
    after = await world.admit(gift)
    await world.settle()
    assert await world.state(after) == "confirmed"


@pytest.mark.parametrize("by", ["its vault", "its recipient"])
async def test_a_gift_of_version_2_is_over_for_a_request_whoever_had_it_paid_out(world: RelayWorld, by: str) -> None:
    """Its vault tells of the recipient, wherever it went."""
    world.automine()
    world.scenario.become_version(world.scenario.deployment.time_lock_router, "2")
    gift, exchange = world.gift(), world.account("exchange").address
    world.base_fee(2 * CEILING)
    request = await world.admit(gift, ttl=10**6 // 2)
    if by == "its vault":
        world.pay_out_by_vault(gift)
    else:
        auth = world.scenario.withdraw_auth(gift.recipient, gift.id, pay_to=exchange)
        world.automine()
        world.scenario.withdraw_for(world.account("stranger"), gift.id, auth)
        world.by_hand()
    await world.settle()
    assert await world.state(request) == "satisfied_elsewhere"
    assert world.paid() == 0


async def test_a_gift_whose_request_no_node_simulated_is_over_when_its_vault_paid_it_out(world: RelayWorld) -> None:
    gift = world.gift()
    world.base_fee(2 * CEILING)
    request = await world.admit(gift, ttl=10**9)
    await world.execute("update worker.relay_request set reason = 'not_simulated'")
    world.pay_out_by_vault(gift)
    await world.settle()
    assert await world.state(request) == "satisfied_elsewhere"


@pytest.mark.parametrize(("nonce", "locked"), [(7, False), (0, True)], ids=["its nonce never comes", "locked"])
async def test_what_reverts_for_as_long_as_it_waits_costs_no_search_of_the_logs(
    world: RelayWorld, monkeypatch: pytest.MonkeyPatch, nonce: int, locked: bool
) -> None:
    """A stranger makes as many of them as the caps allow, and each run looks at all."""
    gift = world.gift(locked=locked)
    request = await world.admission.admit(world.withdrawal(gift, nonce=nonce, ttl=10**9), waits=True)
    searched = AsyncMock(return_value=[])
    monkeypatch.setattr(world.chain, "logs", searched)
    for _ in range(2):
        world.finalize()
        await world.run()
    view = await world.admission.view(request.id)
    assert view is not None
    assert (view.state.value, view.reason) == ("waiting_predecessor", "would_revert")
    searched.assert_not_awaited()
