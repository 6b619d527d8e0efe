"""How an opened gift was paid out, as its page says it, while nodes lack logs or hang."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import Scenario
from reminder_worker.chain.client import Chain
from reminder_worker.gifts import payouts
from reminder_worker.gifts.payouts import GiftWithdrawal, PayoutReads
from tests.integration.api_world import open_world
from tests.integration.chain_proxy import Json, chain_settings, proxy
from tests.integration.test_attack_nodes import TwoNodes
from tests.integration.test_gift_pages import GIFTS, facts, indexed
from tests.integration.test_pruned_nodes import pruned


@pytest.fixture
async def nodes(chain_scenario: Scenario, engine: AsyncEngine) -> AsyncIterator[TwoNodes]:
    url = chain_scenario.anvil.url
    async with proxy(url) as first, proxy(url) as second:
        urls = {f"CHAIN_{chain_scenario.anvil.chain_id}_RPC_URLS": f"{first.url},{second.url}"}
        async with open_world(chain_scenario, engine, **urls, **GIFTS) as world:
            yield TwoNodes(world, first, second)


def create_gift(scenario: Scenario) -> int:
    return scenario.create_gift(scenario.account("giver"), scenario.account("ada").address, eth=5 * 10**17, duration=0)


def mean_any_contract(request: Json) -> None:
    """Treat an empty list of contracts as geth does: logs of all contracts are wanted."""
    if request["method"] == "eth_getLogs" and request["params"][0].get("address") == []:
        del request["params"][0]["address"]


@pytest.mark.parametrize("place", [0, 1])
async def test_payout_is_read_from_the_endpoint_that_has_the_logs_of_its_block(nodes: TwoNodes, place: int) -> None:
    """A pruned endpoint gives no logs and no error."""
    s = nodes.world.scenario
    gift = create_gift(s)
    s.withdraw_gift(s.account("ada"), gift, skip_swap=True)
    await indexed(nodes.world)
    (nodes.first, nodes.second)[place].alter = pruned(s.anvil.block_number() + 1)
    (asset,) = (await facts(nodes.world, gift)).body["assets"]
    assert (asset["symbol"], asset["asEther"]) == ("WETH", False)


async def test_page_before_the_index_knows_the_assets_counts_against_no_endpoint(nodes: TwoNodes) -> None:
    """The index reads the withdrawal for this page. The list of assets is older."""
    s, chain = nodes.world.scenario, nodes.world.parts.chains[nodes.world.chain_id]
    gift = create_gift(s)
    s.withdraw_gift(s.account("ada"), gift, skip_swap=True)
    nodes.first.answer = nodes.second.answer = mean_any_contract
    answer = await facts(nodes.world, gift)
    assert (answer.status, answer.body["state"]) == (200, "claimed")
    assert [endpoint.errors for endpoint in chain.endpoints.list_health()] == [0, 0]
    (asset,) = (await facts(nodes.world, gift)).body["assets"]
    assert asset["asEther"] is False


def last_withdrawal(scenario: Scenario, gift: int) -> GiftWithdrawal:
    block = scenario.anvil.rpc("eth_getBlockByNumber", "latest", False)
    recipient = scenario.account("ada").address.lower()
    return GiftWithdrawal(gift, recipient, block["transactions"][-1], block["hash"])


async def test_hanging_node_delays_pages_for_seconds_only_and_is_asked_again_after_a_minute(
    chain_scenario: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    s, now = chain_scenario, 0.0
    monkeypatch.setattr(payouts, "REQUEST_SECONDS", 0.2)
    withdrawals = []
    for _ in range(8):
        gift = create_gift(s)
        s.withdraw_gift(s.account("ada"), gift)
        withdrawals.append(last_withdrawal(s, gift))
    tokens = {s.deployment.weth}
    async with proxy(s.anvil.url) as node, Chain(chain_settings(s, node.url, RPC_TIMEOUT=20.0)) as chain:
        await chain.get_head()
        reads = PayoutReads(chain, lambda: now)
        node.hang = True
        async with asyncio.timeout(15):  # the node alone has 20 seconds for each answer
            found = await asyncio.gather(*(reads.read_payout(each, tokens) for each in withdrawals))
        assert found == [None] * 8
        node.well()
        node.posts.clear()
        assert await reads.read_payout(withdrawals[0], tokens) is None
        assert node.posts == []
        now += 60
        assert await reads.read_payout(withdrawals[0], tokens) is not None
