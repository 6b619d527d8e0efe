"""Requests that wait for their turn: when they start, when they end, and no fee for nothing."""

from collections.abc import AsyncIterator
from typing import Any
from unittest.mock import AsyncMock

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Scenario
from reminder_worker.chain.types import RevertedCall
from reminder_worker.errors import ChainUnavailable
from reminder_worker.relay.models import RelayLane, RequestView
from tests.integration.relay_world import CEILING, CHAIN_ID, EPOCH, GWEI, RelayWorld, open_bare_world


@pytest.fixture
async def world(lasting_scenario: Scenario, engine: AsyncEngine) -> AsyncIterator[RelayWorld]:
    async with open_bare_world(lasting_scenario, engine) as opened:
        yield opened


async def test_request_seconds_before_its_deadline_is_not_started(world: RelayWorld) -> None:
    """The request would pass the simulation on the latest block, and fail in the next one."""
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


async def test_waiting_requests_of_a_paused_signer_start_tomorrow(world: RelayWorld) -> None:
    failing, gift = world.gift("heir", locked=True), world.gift("heir")
    first = await world.admission.admit_request(world.withdrawal(failing, nonce=0))
    waiting = await world.admission.admit_request(world.withdrawal(gift, nonce=1, ttl=10**6), waits=True)
    world.mine()
    await world.run()
    world.finalize()
    await world.run()
    assert await world.state(first) == "reverted"
    world.cancel_nonce(gift.recipient)
    world.mine()
    await world.execute("update worker.relay_request set reason = null where id = :id", id=waiting.id)
    assert (await world.run()).started == 0
    view = await world.admission.read_request(waiting.id)
    assert view is not None
    assert (view.state.value, view.reason) == ("waiting_predecessor", "signer_paused"), "nobody queues behind it"
    await world.execute("update worker.quota set ends_at = ends_at - 86400")
    await world.settle()
    assert await world.state(waiting) == "confirmed"


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


async def admit_two_claims(world: RelayWorld) -> list[RequestView]:
    """Admit two claims of an heir for the same token; the second waits behind the first."""
    world.automine()
    owner, heir, usdc = world.account("owner"), world.account("heir"), world.scenario.deployment.usdc
    legacy = world.scenario.create_legacy(owner, {heir.address: 100}, inactivity=30 * DAY)
    world.scenario.mint(usdc, owner.address, 10**6)
    world.scenario.approve(owner, usdc, legacy.address, 2 * 10**6)
    world.scenario.advance(31 * DAY)
    world.by_hand()
    contract, claims = world.scenario.contracts["TransferEOALegacyRouter"], []
    for nonce in (0, 1):
        auth = world.scenario.claim_auth(heir, legacy.id, [usdc], is_eth=False, nonce=nonce)
        data = bytes.fromhex(contract.encode("activeLegacyFor", legacy.id, [usdc], False, auth)[2:])
        claim = world.authorization(RelayLane.CLAIM, legacy.router, legacy.id, auth, data, 500_000)
        claims.append(await world.admission.admit_request(claim, waits=nonce > 0))
    return claims


@pytest.mark.parametrize(
    ("simulated", "state", "reason"),
    [
        ("as it is", "waiting_predecessor", "nothing_to_claim"),
        (None, "broadcast", None),
        (RevertedCall(b""), "waiting_predecessor", "would_revert"),
    ],
)
async def test_claim_that_would_deliver_nothing_in_its_turn_is_not_started(
    world: RelayWorld, monkeypatch: pytest.MonkeyPatch, simulated: Any, state: str, reason: str | None
) -> None:
    """The request before it took everything. Without simulation the plain call decides; a node that reports a revert is
    believed."""
    claims = await admit_two_claims(world)
    world.mine()
    if simulated != "as it is":
        monkeypatch.setattr(world.chain, "simulate", AsyncMock(return_value=simulated))
    await world.run()
    first, second = [await world.admission.read_request(each.id) for each in claims]
    assert first is not None
    assert second is not None
    assert first.state.value == "mined"
    assert (second.state.value, second.reason) == (state, reason)


async def test_claim_that_starts_after_a_wait_reserves_the_gas_that_it_needs_then(world: RelayWorld) -> None:
    """Otherwise a waiting claim reserves all gas of its lane, which the day's cap may not have left."""
    await admit_two_claims(world)
    world.mine()
    world.automine()
    world.scenario.mint(world.scenario.deployment.usdc, world.account("owner").address, 10**6)
    world.by_hand()
    assert (await world.run()).started == 1
    world.mine()
    (slot,) = await world.rows("select gas_limit, tx_hash from worker.nonce_slot where nonce = 1")
    (attempt,) = await world.rows("select tx_hash from worker.tx_attempt where nonce = 1")
    receipt = world.anvil.receipt(attempt["tx_hash"])
    assert receipt["status"] == "0x1"
    assert int(receipt["gasUsed"], 16) < slot["gas_limit"] < 500_000


async def test_waiting_request_succeeds_when_its_vault_paid_the_gift(world: RelayWorld) -> None:
    """The vault uses no nonce of the signer, so only its event shows the payment."""
    gift = world.gift()
    world.base_fee(2 * CEILING)
    request = await world.admit(gift, ttl=10**9)
    world.base_fee(GWEI)
    world.pay_out_by_vault(gift)
    await world.settle()
    assert await world.state(request) == "satisfied_elsewhere"
    assert not await world.reconcile.poll(CHAIN_ID)
    assert world.paid() == 0


async def test_requests_end_even_while_none_can_start(world: RelayWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the signer could not sign again until the gas price is known."""
    gift = world.gift()
    world.base_fee(2 * CEILING)
    request = await world.admit(gift, ttl=10**9)
    world.pay_out_by_vault(gift)
    world.finalize()
    monkeypatch.setattr(world.admission, "start_waiting", AsyncMock(side_effect=ChainUnavailable("no fees")))
    with pytest.raises(ChainUnavailable):
        await world.run()
    assert await world.state(request) == "satisfied_elsewhere"


async def test_waiting_request_succeeds_when_another_request_paid_the_gift(world: RelayWorld) -> None:
    """Both were good when they came; the second would always revert."""
    gift = world.gift()
    first = await world.admission.admit_request(world.withdrawal(gift, nonce=0))
    second = await world.admission.admit_request(world.withdrawal(gift, nonce=1, ttl=10**9), waits=True)
    await world.settle()
    assert [await world.state(each) for each in (first, second)] == ["confirmed", "satisfied_elsewhere"]
    assert await world.budget() == {"requests": 2, "reserved": 0, "spent": world.paid()}


async def test_request_waiting_across_a_router_upgrade_is_not_sent_and_expires(world: RelayWorld) -> None:
    """Its call names a removed function: no fee is paid for it, and its signer is not paused."""
    gift = world.gift()
    world.base_fee(2 * CEILING)
    request = await world.admit(gift)
    world.automine()
    world.scenario.become_version(world.scenario.deployment.time_lock_router, "2")
    world.by_hand()
    world.base_fee(10 * GWEI)
    await world.run()
    view = await world.admission.read_request(request.id)
    assert view is not None
    assert (view.state.value, view.reason) == ("deferred_fee", "would_revert")
    world.anvil.increase_time(1801)
    await world.settle()
    assert await world.state(request) == "expired"
    assert (await world.attempts(), world.paid()) == ([], 0)
    after = await world.admit(gift)
    await world.settle()
    assert await world.state(after) == "confirmed"


@pytest.mark.parametrize(("nonce", "locked"), [(7, False), (0, True)], ids=["its nonce never comes", "locked"])
async def test_waiting_request_that_reverts_needs_no_search_of_logs(
    world: RelayWorld, monkeypatch: pytest.MonkeyPatch, nonce: int, locked: bool
) -> None:
    """Another account makes as many such requests as the caps allow, and each run checks all."""
    gift = world.gift(locked=locked)
    request = await world.admission.admit_request(world.withdrawal(gift, nonce=nonce, ttl=10**9), waits=True)
    searched = AsyncMock(return_value=[])
    monkeypatch.setattr(world.chain.logs, "read_logs", searched)
    for _ in range(2):
        world.finalize()
        await world.run()
    view = await world.admission.read_request(request.id)
    assert view is not None
    assert (view.state.value, view.reason) == ("waiting_predecessor", "would_revert")
    searched.assert_not_awaited()
