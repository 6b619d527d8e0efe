"""Choice of the indexer: the subgraph while it works, else our own index."""

import pytest
from aiohttp import web
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import Scenario
from reminder_worker.doctor.chain import examine_subgraph
from reminder_worker.errors import IndexerUnavailable
from reminder_worker.indexer.selector import IndexerSelector
from tests.integration.indexer_story import open_parts, settings_of


async def test_a_subgraph_at_the_head_is_preferred(engine: AsyncEngine, chain_scenario: Scenario) -> None:
    """Also before our own index has read anything, and a block before our nodes have it."""
    async with open_parts(engine, chain_scenario) as parts:
        choice = await parts.indexers.choose_indexer()
        assert (choice.indexer, choice.reason) == (parts.subgraph, "preferred")
        assert choice.at == await parts.subgraph.read_head()
        assert parts.indexers.last == choice
        parts.graph.states = [(number + 1, "0x" + f"{number:064x}", store) for number, _, store in parts.graph.states]
        assert (await parts.indexers.choose_indexer()).reason == "preferred"


async def test_without_a_subgraph_our_own_index_answers(engine: AsyncEngine, chain_scenario: Scenario) -> None:
    """From the state it has reached, also while it is behind the chain."""
    async with open_parts(engine, chain_scenario) as parts:
        await parts.index.run()
        chain_scenario.anvil.mine(3)
        choice = await IndexerSelector(parts.chain, parts.index, None).choose_indexer()
        assert (choice.indexer, choice.reason) == (parts.index, "no_subgraph")
        assert choice.at.number == (await parts.chain.get_head()).number - 3


async def test_a_subgraph_may_lag_so_far_and_no_further(engine: AsyncEngine, chain_scenario: Scenario) -> None:
    """Up to the set number of blocks the subgraph answers; beyond, our own index, until the subgraph caught up."""
    async with open_parts(engine, chain_scenario, SUBGRAPH_MAX_LAG=2) as parts:
        chain_scenario.anvil.mine(2)
        await parts.index.run()
        assert (await parts.indexers.choose_indexer()).reason == "preferred"
        chain_scenario.anvil.mine()
        await parts.index.run()
        choice = await parts.indexers.choose_indexer()
        assert (choice.indexer, choice.reason) == (parts.index, "subgraph_lags")
        parts.graph.sync(chain_scenario)
        assert (await parts.indexers.choose_indexer()).reason == "preferred"


async def test_the_less_lagging_indexer_answers_when_both_lag(engine: AsyncEngine, chain_scenario: Scenario) -> None:
    """A slow subgraph is better than an index that is still reading the past, or has not begun."""
    async with open_parts(engine, chain_scenario, SUBGRAPH_MAX_LAG=0) as parts:
        chain_scenario.anvil.mine(2)
        choice = await parts.indexers.choose_indexer()
        assert (choice.indexer, choice.reason) == (parts.subgraph, "own_index_is_behind_it")
        await parts.index.run()
        await parts.index.rewind_to(5)
        assert (await parts.indexers.choose_indexer()).indexer is parts.subgraph


@pytest.mark.parametrize("how", ["indexing errors", "down"])
async def test_a_failing_subgraph_is_replaced(engine: AsyncEngine, chain_scenario: Scenario, how: str) -> None:
    """The subgraph reports errors or does not answer; if our index is empty, too, an error is raised."""
    async with open_parts(engine, chain_scenario) as parts:
        parts.graph.has_indexing_errors = how == "indexing errors"
        parts.graph.faults.extend(web.Response(status=503) for _ in range(6 if how == "down" else 0))
        with pytest.raises(IndexerUnavailable):
            await parts.indexers.choose_indexer()
        await parts.index.run()
        choice = await parts.indexers.choose_indexer()
        assert (choice.indexer, choice.at) == (parts.index, await parts.index.read_head())
        assert parts.indexers.last is not None
        assert parts.indexers.last.reason == "subgraph_fails"


async def test_a_subgraph_that_failed_rests(engine: AsyncEngine, chain_scenario: Scenario) -> None:
    """A dead subgraph is not asked again in each tick, which would slow the ticks."""
    async with open_parts(engine, chain_scenario) as parts:
        await parts.index.run()
        parts.subgraph._rest = 3600
        parts.graph.faults.extend(web.Response(status=404) for _ in range(1))
        await parts.indexers.choose_indexer()
        asked = len(parts.graph.asked)
        indexer = (await parts.indexers.choose_indexer()).indexer
        assert indexer is parts.index
        assert len(parts.graph.asked) == asked


async def test_our_index_answers_a_question_that_fails_at_the_subgraph(
    engine: AsyncEngine, chain_scenario: Scenario
) -> None:
    """The subgraph has a good head and a malformed entity: our own index answers at once."""
    s = chain_scenario
    ann = s.account("ann")
    s.subscribe_premium(ann)
    made = s.create_legacy(ann, {s.account("cid").address: 100})
    s.configure_reminders(ann, made)
    async with open_parts(engine, s) as parts:
        await parts.index.run()

        def spoil(data: object) -> None:
            if isinstance(data, dict) and "rows" in data:
                data["rows"][0]["creator"] = "nonsense"

        parts.graph.spoil = spoil
        found = await parts.indexers.ask_indexer(lambda indexer, at: indexer.reminder_configs([made.address], at))
        assert found[made.address].creator == ann.address.lower()


async def test_configurations_come_from_a_state_with_the_requested_block(
    engine: AsyncEngine, chain_scenario: Scenario
) -> None:
    """A subgraph one block behind is good enough for signals, but would lack the new configuration."""
    s = chain_scenario
    ann, cid = s.account("ann"), s.account("cid")
    s.subscribe_premium(ann)
    legacy = s.create_legacy(ann, {cid.address: 100})
    async with open_parts(engine, s) as parts:
        await parts.index.run()
        s.configure_reminders(ann, legacy)
        configured = s.anvil.block_number()
        assert (await parts.indexers.choose_indexer()).indexer is parts.subgraph
        found = await parts.indexers.reminder_configs([legacy.address], configured)
        assert found[legacy.address].beneficiaries == (cid.address.lower(),)
        assert await parts.indexers.reminder_configs([legacy.address], configured - 1) == found, "our own knows more"
        with pytest.raises(IndexerUnavailable):
            await parts.indexers.reminder_configs([legacy.address], configured + 5)


@pytest.mark.parametrize("far", [False, True], ids=["as high", "higher"])
async def test_a_subgraph_of_another_chain_is_not_asked(
    engine: AsyncEngine, chain_scenario: Scenario, far: bool
) -> None:
    """A wrong address in the settings. It would be at the head, well, and know nothing of our legacies."""
    async with open_parts(engine, chain_scenario) as parts:
        elsewhere = parts.graph.states = [
            (number + 10**6 * far, "0x" + f"{number:064x}", store) for number, _, store in parts.graph.states
        ]
        await parts.index.run()
        choice = await parts.indexers.choose_indexer()
        assert (choice.indexer, choice.reason) == (parts.index, "subgraph_of_another_chain")
        settings = settings_of(chain_scenario, SUBGRAPH_URL=parts.graph.url)
        if not far:
            _, good, words = await examine_subgraph(settings)
            assert (good, "SUBGRAPH_URL" in words) == (False, True)
        parts.graph.sync(chain_scenario)
        assert (await parts.indexers.choose_indexer()).reason == "preferred"
        assert (await examine_subgraph(settings))[1]
        parts.graph.states = elsewhere
        assert (await parts.indexers.choose_indexer()).reason == "subgraph_of_another_chain", (
            "what it was once is no proof"
        )
