"""How an opened gift was paid out, as its page says it, while nodes lack logs or hang."""

from collections.abc import AsyncIterator

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import Scenario
from tests.integration.api_world import open_world
from tests.integration.chain_proxy import proxy
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


async def test_payout_is_read_from_the_endpoint_that_has_the_logs_of_its_block(nodes: TwoNodes) -> None:
    """A pruned endpoint, which is asked first, gives no logs and no error."""
    s = nodes.world.scenario
    gift = create_gift(s)
    s.withdraw_gift(s.account("ada"), gift, skip_swap=True)
    await indexed(nodes.world)
    nodes.first.alter = pruned(s.anvil.block_number() + 1)
    (asset,) = (await facts(nodes.world, gift)).body["assets"]
    assert (asset["symbol"], asset["asEther"]) == ("WETH", False)
