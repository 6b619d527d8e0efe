"""Reconcile: every slot is driven to its end by what the chain says, whatever a node says and whenever we are killed."""

from collections.abc import AsyncIterator, Iterator

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.chain import Anvil
from devnet.deploy import Deployment, deploy
from devnet.scenarios import Scenario
from reminder_worker.chain.client import Chain
from tests.integration.chain_proxy import chain_settings
from tests.integration.relay_world import RelayWorld

EPOCH = 3  # so `finalized` is six blocks behind


@pytest.fixture(scope="module")
def hand_mined() -> Iterator[tuple[Anvil, Deployment]]:
    with Anvil(slots_in_an_epoch=EPOCH) as anvil:
        yield anvil, deploy(anvil)


@pytest.fixture
async def world(hand_mined: tuple[Anvil, Deployment], engine: AsyncEngine) -> AsyncIterator[RelayWorld]:
    anvil, deployment = hand_mined
    before = anvil.snapshot()
    scenario = Scenario(anvil, deployment)
    chain = Chain.connect(chain_settings(scenario, anvil.url))
    yield RelayWorld(scenario, engine, chain)
    await chain.close()
    anvil.rpc("anvil_dropAllTransactions")
    anvil.revert(before)
    anvil.rpc("evm_setAutomine", True)


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
    (slot,) = await world.slots()
    receipt = world.receipt(slot["tx_hash"])
    assert receipt is not None
    cost = int(receipt["gasUsed"], 16) * int(receipt["effectiveGasPrice"], 16)
    assert await world.budget() == {"requests": 1, "reserved": 0, "spent": cost}
    assert not await world.reconcile.look(world.chain.chain_id)
