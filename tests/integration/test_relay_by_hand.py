"""Operator actions on a request or a stopped wallet, on a real chain: no nonce lost, no cap passed."""

from collections.abc import AsyncIterator
from unittest.mock import patch

import pytest
from eth_account import Account
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import Scenario
from reminder_worker.chain import wire
from reminder_worker.errors import NotFound, Refused, RelayStopped
from reminder_worker.relay.operator import OperatorActions
from tests.integration.relay_world import CEILING, CHAIN_ID, GWEI, RelayWorld, open_bare_world


@pytest.fixture
async def world(lasting_scenario: Scenario, engine: AsyncEngine) -> AsyncIterator[RelayWorld]:
    async with open_bare_world(lasting_scenario, engine) as opened:
        yield opened


def _hand(world: RelayWorld) -> OperatorActions:
    return OperatorActions(world.engine, world.admission.wallet, world.reconciler())


async def _relayed(world: RelayWorld, heir: str) -> None:
    request = await world.admit(world.gift(heir))
    world.mine()
    world.finalize()
    await world.run()
    assert await world.state(request) == "confirmed"


async def test_a_replacement_offers_an_eighth_more_and_is_what_is_mined(world: RelayWorld) -> None:
    """Once the request has expired, it is a cancellation: a fee for its call would be wasted."""
    request = await world.admit(world.gift())
    tx_hash = await _hand(world).replace_attempt(CHAIN_ID, request.id)
    first, second = await world.attempts()
    assert second["tx_hash"] == tx_hash
    for fee in ("max_fee_wei", "priority_fee_wei"):
        assert second[fee] >= first[fee] * 9 / 8
    world.mine()
    assert world.receipt(tx_hash) is not None
    world.finalize()
    await world.run()
    assert await world.state(request) == "confirmed"
    assert await world.budget() == {"requests": 1, "reserved": 0, "spent": world.paid()}
    expired = await world.admit(world.gift("another heir"))
    await world.execute("update worker.relay_request set deadline = 0 where id = :id", id=expired.id)
    tx_hash = await _hand(world).replace_attempt(CHAIN_ID, expired.id)
    assert [(each["tx_hash"], each["kind"]) for each in await world.attempts()][3:] == [(tx_hash, "empty")]
    world.mine()
    world.finalize()
    await world.run()
    assert await world.state(expired) == "expired"


async def test_no_replacement_is_above_the_ceiling(world: RelayWorld) -> None:
    request = await world.admit(world.gift())

    async def without_end() -> None:
        while True:
            await _hand(world).replace_attempt(CHAIN_ID, request.id)

    with pytest.raises(Refused, match="no room for a higher fee"):
        await without_end()
    fees = [attempt["max_fee_wei"] for attempt in await world.attempts()]
    assert CEILING * 8 / 9 < max(fees) <= CEILING


async def test_mined_or_unknown_request_is_neither_replaced_nor_cancelled(world: RelayWorld) -> None:
    """Also where it was mined since the last run: its nonce must not be freed for a call that would revert now."""
    request = await world.admit(world.gift())
    world.mine()
    for _ in range(2):
        with pytest.raises(Refused, match="in a block"):
            await _hand(world).replace_attempt(CHAIN_ID, request.id)
        assert [each["kind"] for each in await world.attempts()] == ["call"]
        await world.run()
    with pytest.raises(Refused, match="in a block"):
        await _hand(world).cancel_request(CHAIN_ID, request.id)
    world.finalize()
    await world.run()
    assert await world.state(request) == "confirmed"
    with pytest.raises(NotFound):
        await _hand(world).replace_attempt(CHAIN_ID, request.id)


async def test_cancelled_request_frees_its_nonce_and_expires(world: RelayWorld) -> None:
    authorization = world.withdrawal(world.gift())
    request = await world.admission.admit_request(authorization)
    assert not await _hand(world).cancel_request(CHAIN_ID, request.id)
    assert [attempt["kind"] for attempt in await world.attempts()] == ["call", "empty"]
    world.mine()
    world.finalize()
    for _ in range(2):
        await world.run()
    (row,) = await world.rows("select state, reason from worker.relay_request")
    assert row == {"state": "expired", "reason": "cancelled_by_operator"}
    assert world.count() == 1
    assert (await world.budget())["spent"] == world.paid()
    again = await world.admission.admit_request(authorization)  # never relayed a second time
    assert again.id == request.id
    assert world.count() == 1
    await _relayed(world, "another heir")  # and no nonce is missing


async def test_cancelled_waiting_request_ends_at_once_and_its_signature_is_deleted(world: RelayWorld) -> None:
    gift = world.gift()
    world.base_fee(CEILING + GWEI)
    request = await world.admit(gift)
    assert await world.state(request) == "deferred_fee"
    assert await _hand(world).cancel_request(CHAIN_ID, request.id)
    (row,) = await world.rows("select state, reason, call_data, salt from worker.relay_request")
    assert row == {"state": "expired", "reason": "cancelled_by_operator", "call_data": None, "salt": None}
    world.base_fee(GWEI)
    assert (await world.run()).started == 0
    assert await world.slots() == []


async def test_a_stopped_wallet_goes_on_once_the_foreign_transaction_is_final(world: RelayWorld) -> None:
    await _relayed(world, "first")
    world.send(Account.from_key(world.key), world.wallet, nonce=1, tip=GWEI)
    world.mine()
    assert (await world.run()).stopped == "foreign_nonce"
    with pytest.raises(RelayStopped):
        await world.admit(world.gift("second"))
    with pytest.raises(Refused, match="not final yet"):
        await _hand(world).resume_wallet(CHAIN_ID)
    world.finalize()
    assert (await world.run()).stopped == "foreign_nonce"  # not by itself
    await _hand(world).resume_wallet(CHAIN_ID)
    (condition,) = await world.rows("select raised from worker.alert_state where kind = 'relayer_stopped'")
    assert condition == {"raised": False}
    await _relayed(world, "third")
    with pytest.raises(Refused, match="not stopped"):
        await _hand(world).resume_wallet(CHAIN_ID)


async def test_wallet_stopped_by_a_wrong_count_resumes_without_a_nonce_gap(world: RelayWorld) -> None:
    """A node of another chain answered for a moment: nonces from its count would never be mined."""
    await _relayed(world, "first")
    with patch.object(wire, "decode_count", lambda _: 99):
        assert (await world.run()).stopped == "foreign_nonce"
    await _hand(world).resume_wallet(CHAIN_ID)
    await _relayed(world, "second")
    assert [slot["nonce"] for slot in await world.slots()] == [0, 1]
