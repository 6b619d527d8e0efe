"""Probes of endpoints have three outcomes: yes, no, and cannot tell, which never counts as yes.

`test_pruned_nodes.py` has the probes for old logs, `test_absent_evidence.py` those by simulation.
"""

from collections.abc import AsyncIterator, Callable
from itertools import product

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import Scenario
from reminder_worker.chain.abi import find_selector
from reminder_worker.chain.client import Chain
from reminder_worker.chain.types import ContractCall
from reminder_worker.doctor import catch_up
from reminder_worker.doctor.catch_up import forecast_catch_up
from reminder_worker.doctor.chain import check_start_block, examine_subgraph
from reminder_worker.indexer.selector import IndexerSelector
from reminder_worker.monitoring.endpoints import look_at_chains, read_index_lags
from tests.integration.chain_proxy import Json, NodeProxy, chain_settings, proxy, refused
from tests.integration.indexer_story import open_parts, settings_of

Answer = Callable[[Json], Json | None]


@pytest.fixture
async def node(chain_scenario: Scenario) -> AsyncIterator[NodeProxy]:
    async with proxy(chain_scenario.anvil.url) as opened:
        yield opened


def to(method: str, told: Json) -> Answer:
    return lambda request: told if request["method"] == method else None


REVERT = {"error": {"code": 3, "message": "execution reverted", "data": "0x"}}


@pytest.mark.parametrize(
    ("second", "succeeds"), [({}, True), (REVERT, False), (refused("no"), False), ({"error": "down"}, False)]
)
async def test_call_succeeds_at_each_endpoint_only_if_two_say_so(
    chain_scenario: Scenario, node: NodeProxy, second: Json, succeeds: bool
) -> None:
    """One endpoint alone would confirm its own simulation."""
    node.answer = to("eth_call", second) if second else node.answer
    call = ContractCall(chain_scenario.deployment.usdc, find_selector("ERC20", "decimals"))
    urls = [chain_scenario.anvil.url, node.url]
    for order in (urls, urls[::-1]):
        async with Chain(chain_settings(chain_scenario, *order)) as chain:
            at = (await chain.get_head()).hash
            assert await chain.succeeds_at_each(call, at=at, sender=call.to, gas=100_000) is succeeds
    async with Chain(chain_settings(chain_scenario, node.url)) as alone:
        node.answer = to("eth_call", refused("no"))
        assert await alone.succeeds_at_each(call, at=at, sender=call.to, gas=100_000) is False


async def test_endpoints_agree_only_if_two_give_the_same_block(
    chain_scenario: Scenario, engine: AsyncEngine, node: NodeProxy
) -> None:
    chain_scenario.anvil.mine(70)
    deep = hex(chain_scenario.anvil.block_number() - 64)
    other = {**chain_scenario.anvil.rpc("eth_getBlockByNumber", deep, False), "hash": "0x" + "0f" * 32}

    def gives(result: Json | None) -> Answer:
        return lambda request: {"result": result} if deep in request["params"] else None

    outcomes: list[tuple[Answer, bool | None]] = [(lambda _: None, True), (gives(other), False), (gives(None), None)]
    urls = [chain_scenario.anvil.url, node.url]
    for (answer, agree), order in product(outcomes, (urls, urls[::-1])):
        node.answer = answer
        async with Chain(chain_settings(chain_scenario, *order)) as chain:
            (sight,) = await look_at_chains(engine, {31337: chain}, [], {}, {}, {}, is_local=True)
        assert sight.agree is agree


async def test_chain_without_a_latest_block_has_an_unknown_lag(chain_scenario: Scenario, node: NodeProxy) -> None:
    """A lag of 0 would make the check in Dagster green while the chain does not answer."""
    for answer in (to("eth_getBlockByNumber", {"result": None}), to("eth_getBlockByNumber", refused("down"))):
        node.answer = answer
        async with Chain(chain_settings(chain_scenario, node.url)) as chain:
            (lag,) = await read_index_lags({31337: chain}, [])
        assert lag.error is not None


async def test_subgraph_is_of_this_chain_only_if_an_endpoint_gives_its_block(
    chain_scenario: Scenario, engine: AsyncEngine, node: NodeProxy
) -> None:
    """A block above those of the endpoints may be too new for them; `test_indexer_choose.py` shows that case."""
    async with open_parts(engine, chain_scenario) as parts:
        await parts.index.run()
        chain_scenario.anvil.mine()
        settings = settings_of(chain_scenario, SUBGRAPH_URL=parts.graph.url, RPC_URLS=node.url)
        number = hex((await parts.subgraph.read_head()).number)
        node.answer = lambda request: {"result": None} if number in request["params"] else None
        _, good, words = await examine_subgraph(settings)
        assert (good, "not compared" in words) == (None, True)
        async with Chain(settings) as chain:
            choice = await IndexerSelector(chain, parts.index, parts.subgraph).choose_indexer()
            assert choice.indexer is parts.index
            node.well()
            choice = await IndexerSelector(chain, parts.index, parts.subgraph).choose_indexer()
            assert choice.indexer is parts.subgraph
        assert (await examine_subgraph(settings))[1] is True


async def test_start_block_is_right_only_if_every_contract_gives_a_number(
    chain_scenario: Scenario, node: NodeProxy
) -> None:
    chain_scenario.anvil.mine()
    start = chain_scenario.anvil.block_number()
    async with Chain(chain_settings(chain_scenario, node.url, START_BLOCK=start)) as chain:
        assert await check_start_block(chain) is None
        node.answer = to("eth_call", REVERT)
        finding = await check_start_block(chain)
    assert finding is not None
    assert (finding[1], "not checked" in finding[2]) == (None, True)


async def test_forecast_tells_a_silent_endpoint_from_one_that_refuses(
    chain_scenario: Scenario, engine: AsyncEngine, node: NodeProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catch_up, "SHORT_WAY", 0)
    chain_scenario.anvil.mine(5)
    outcomes = [(refused("no range"), "gives no logs of 10 blocks"), ({"error": {"code": 429}}, "does not answer")]
    for told, words in outcomes:
        node.answer = to("eth_getLogs", told)
        async with Chain(chain_settings(chain_scenario, node.url)) as chain:
            ((_, good, found),) = [finding async for finding in forecast_catch_up(chain, engine)]
        assert (good, words in found) == (None, True), found
