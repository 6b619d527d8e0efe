"""Both indexers on a real chain: the subgraph client against a server that follows graph-node, and our own tables."""

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import Scenario
from tests.integration.indexer_story import answers, open_parts, tell


@pytest.mark.parametrize("question", ["signals", "legacies", "reminder_configs", "timelocks"])
async def test_both_indexers_give_equal_answers(engine: AsyncEngine, chain_scenario: Scenario, question: str) -> None:
    """Whoever answers, the answer is the same: every signal, configuration, legacy and timelock of a busy chain."""
    story = tell(chain_scenario)
    async with open_parts(engine, chain_scenario) as parts:
        await parts.index.advance()
        at = await parts.index.head()
        assert at == await parts.subgraph.head()
        first = parts.chain.settings.start_block
        ours, theirs = [await answers(who, story, first, at.number, at) for who in (parts.index, parts.subgraph)]
        assert ours[question]
        assert ours[question] == theirs[question]
