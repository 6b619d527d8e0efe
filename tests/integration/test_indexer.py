"""Both indexers on a real chain: the subgraph client against a server that follows graph-node, and our own tables."""

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Scenario
from reminder_worker.indexer.models import ENDED, LIVE
from tests.integration.indexer_story import answers, legacies, open_parts, tell


@pytest.mark.core
async def test_both_indexers_give_equal_answers(engine: AsyncEngine, chain_scenario: Scenario) -> None:
    """Both sources give every signal, configuration and timelock of a busy chain."""
    story = tell(chain_scenario)
    async with open_parts(engine, chain_scenario) as parts:
        await parts.index.run()
        at = await parts.index.read_head()
        assert at == await parts.subgraph.read_head()
        first = parts.chain.settings.start_block
        ours, theirs = [await answers(who, story, first, at.number, at) for who in (parts.index, parts.subgraph)]
        for question in ("signals", "reminder_configs", "timelocks"):
            assert ours[question]
            assert ours[question] == theirs[question]


async def test_our_index_folds_legacies_as_the_subgraph_does(engine: AsyncEngine, chain_scenario: Scenario) -> None:
    """Compare router, id, type, owner, creation time and deletion."""
    story = tell(chain_scenario)
    async with open_parts(engine, chain_scenario) as parts:
        await parts.index.run()
        ours, theirs = await legacies(engine), parts.graph.states[-1][2]["Legacy"]
    assert ours.keys() == theirs.keys() == set(story.legacies)
    for address, entity in theirs.items():
        found = ours[address]
        known = (found.router, found.legacy_id, found.legacy_type, found.creator, found.owner, found.created_at)
        names = ("router", "legacyId", "legacyType", "creator", "owner", "createdAt")
        assert known == tuple(entity[name] for name in names)
        assert (found.deleted_at is not None) == entity["deleted"]


async def test_both_indexers_know_the_vaults_of_nfts_and_soft_locks(
    engine: AsyncEngine, chain_scenario: Scenario
) -> None:
    """Both give all NFTs of a timelock, its end with the last vault, and the time after a soft unlock."""
    story = tell(chain_scenario)
    *_, half, paid = story.timelocks
    d = chain_scenario.deployment
    async with open_parts(engine, chain_scenario) as parts:
        await parts.index.run()
        at = await parts.index.read_head()
        for indexer in (parts.index, parts.subgraph):
            found = await indexer.read_timelocks([half, paid], at)
            assert {(asset.vault, asset.token, asset.token_id, asset.amount) for asset in found[half].assets} == {
                (d.timelock_erc721, d.erc721, 21, 1),
                (d.timelock_erc1155, d.erc1155, 5, 6),
            }
            assert (found[half].lock_type, found[half].status) == (1, 2)  # one of its two vaults has paid
            assert found[half].unlock_time - found[half].created_at < 2 * DAY  # it was a year before the unlock
            assert (found[paid].lock_type, found[paid].status) == (0, 3)


async def test_the_newest_gift_of_a_recipient_is_found_by_its_status_and_tokens(
    engine: AsyncEngine, chain_scenario: Scenario
) -> None:
    """No other timelock, in either spelling of the address. NFTs are tokens of no list."""
    s, d = chain_scenario, chain_scenario.deployment
    story = tell(s)
    claimed, older, _, _, newer, *_ = story.timelocks
    cid, dee, eve = story.recipients
    async with open_parts(engine, s) as parts:
        await parts.index.run()

        async def find(recipient: str, status: int, *tokens: str) -> tuple[int | None, bool]:
            found = await parts.index.find_newest_gift(recipient, status, tokens)
            return found.timelock_id, found.has_hidden

        for spelling in (dee, dee.lower()):
            assert await find(spelling, LIVE, d.weth, d.usdc) == (newer, False)
            assert await find(spelling, LIVE, d.usdc) == (older, True)
            assert await find(spelling, LIVE) == (None, True)
        assert await find(cid, LIVE, d.weth, d.usdc) == (None, False)
        assert await find(cid, ENDED, d.weth, d.usdc) == (claimed, False)
        assert await find(eve, LIVE, d.weth, d.usdc, d.erc721, d.erc1155) == (None, False)
