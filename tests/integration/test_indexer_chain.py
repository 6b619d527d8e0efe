"""The chain index on a real chain and database: complete, once, and right again after every kind of reorganisation."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from sqlalchemy import Table, func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Legacy, Scenario
from reminder_worker.chain.client import Chain
from reminder_worker.errors import IndexerUnavailable
from reminder_worker.indexer.chain_index import ChainIndex
from reminder_worker.indexer.models import FAR_FUTURE
from reminder_worker.indexer.tables import chain_event, index_cursor, legacy, reminder_config, timelock
from tests.integration.chain_proxy import Json, NodeProxy, proxy, refused
from tests.integration.indexer_story import legacies, settings_of, tell


@pytest.fixture
async def node(chain_scenario: Scenario) -> AsyncIterator[NodeProxy]:
    async with proxy(chain_scenario.anvil.url) as opened:
        yield opened


@pytest.fixture
async def chain(chain_scenario: Scenario, node: NodeProxy) -> AsyncIterator[Chain]:
    opened = Chain(settings_of(chain_scenario, RPC_URLS=(node.url,)))
    yield opened
    await opened.close()


@pytest.fixture
def index(engine: AsyncEngine, chain: Chain) -> ChainIndex:
    return ChainIndex(engine, chain)


def says_of_block(which: str, block: Json | None) -> Callable[[Json], Json | None]:
    """A node that gives this for one block, by its number or tag, and answers all else."""

    def answer(request: Json) -> Json | None:
        asked = request["method"], request["params"][:1]
        return {"result": block} if asked == ("eth_getBlockByNumber", [which]) else None

    return answer


def some_legacy(scenario: Scenario) -> Legacy:
    return scenario.create_legacy(scenario.account("ann"), {scenario.account("cid").address: 100})


async def contents(engine: AsyncEngine) -> dict[str, list[tuple[Any, ...]]]:
    """Return the events and the rows projected from them."""
    async with engine.connect() as connection:
        return {
            table.name: sorted((tuple(row) for row in await connection.execute(select(table))), key=repr)
            for table in (chain_event, legacy, reminder_config, timelock)
        }


async def count(engine: AsyncEngine, table: Table) -> int:
    async with engine.connect() as connection:
        return (await connection.execute(select(func.count()).select_from(table))).scalar_one()


async def is_as_read_anew(engine: AsyncEngine, index: ChainIndex) -> bool:
    """Return whether a second reading from the first block gives the same tables."""
    before = await contents(engine)
    await index.rewind_to(0)
    assert await count(engine, chain_event) == 0
    assert (await index.run()).stopped == "at_head"
    return before == await contents(engine)


async def test_step_by_step_and_all_at_once_give_the_same_tables(
    engine: AsyncEngine, chain_scenario: Scenario, index: ChainIndex, chain: Chain
) -> None:
    """However the blocks are cut into slices, the tables are the same."""
    tell(chain_scenario)
    small = ChainIndex(engine, Chain(settings_of(chain_scenario, LOG_RANGE=3)))
    progress = await small.run()
    await small._chain.close()
    assert progress.stopped == "at_head"
    assert all((await contents(engine)).values())
    assert await is_as_read_anew(engine, index)


async def test_two_concurrent_runs_store_each_event_once(
    engine: AsyncEngine, chain_scenario: Scenario, chain: Chain
) -> None:
    """A tick and a run at the same time: only one counts an event as stored, and the tables are right."""
    tell(chain_scenario)
    first, second = await asyncio.gather(*(ChainIndex(engine, chain).run() for _ in range(2)))
    assert "at_head" in {first.stopped, second.stopped}
    assert first.events + second.events == await count(engine, chain_event)
    assert await is_as_read_anew(engine, ChainIndex(engine, chain))


async def test_a_reorganisation_removes_old_events_and_adds_new_ones(
    engine: AsyncEngine, chain_scenario: Scenario, index: ChainIndex
) -> None:
    """anvil_reorg replaces the last blocks: their events, and all that was folded from them, are gone."""
    s = chain_scenario
    ann = s.account("ann")
    s.subscribe_premium(ann)
    kept = some_legacy(s)
    s.configure_reminders(ann, kept)
    await index.run()
    before = await contents(engine)
    s.edit_line(ann, kept, 2, s.account("eve").address)
    s.edit_distribution(ann, kept, {s.account("dee").address: 100})
    lost = some_legacy(s)
    await index.run()
    at = await index.read_head()
    assert lost.address in await legacies(engine)
    s.anvil.reorg(3)
    s.anvil.mine()
    progress = await index.run()
    assert progress.rewound_to is not None
    assert await contents(engine) == before
    with pytest.raises(IndexerUnavailable):
        await index.reminder_configs([kept.address], type(at)(at.number + 1, at.hash))
    s.edit_distribution(ann, kept, {s.account("eve").address: 100})
    await index.run()
    configs = await index.reminder_configs([kept.address], await index.read_head())
    assert configs[kept.address].beneficiaries == (s.account("eve").address.lower(),)
    assert await is_as_read_anew(engine, index)


async def test_a_rollback_deeper_than_the_finalized_block_is_read_again(
    engine: AsyncEngine, chain_scenario: Scenario, index: ChainIndex
) -> None:
    """A chain returns to a snapshot and grows past the cursor and its final block: the index follows the new chain."""
    s = chain_scenario
    ann, cid = s.account("ann"), s.account("cid")
    first = some_legacy(s)
    point = s.anvil.snapshot()
    s.anvil.mine(3)
    s.create_legacy(ann, {cid.address: 100}, inactivity=77 * DAY)
    s.anvil.mine(20)
    await index.run()
    cursor = await index.read_head()
    s.anvil.revert(point)
    new = s.create_legacy(s.account("bob"), {cid.address: 100})
    assert (await index.run()).stopped == "node_behind"
    s.anvil.mine(40)
    assert int(s.anvil.rpc("eth_getBlockByNumber", "finalized", False)["number"], 16) > cursor.number
    await index.run()
    creators = {address: row.creator for address, row in (await legacies(engine)).items()}
    assert creators == {first.address: ann.address.lower(), new.address: s.account("bob").address.lower()}
    assert await is_as_read_anew(engine, index)


async def test_a_reorganisation_while_reading_mixes_nothing(
    engine: AsyncEngine, chain_scenario: Scenario, index: ChainIndex, node: NodeProxy
) -> None:
    """The chain changes between the logs and the question that follows: nothing of the old fork is stored."""
    s = chain_scenario
    s.anvil.mine(3)
    lost = some_legacy(s)

    def change(request: Json, response: Json) -> Json:
        if request["method"] == "eth_getLogs":
            s.anvil.reorg(2)
            node.well()
        return response

    node.alter = change
    progress = await index.run()
    assert (progress.stopped, progress.has_more, progress.events) == ("unsettled", True, 0)
    assert await count(engine, index_cursor) == 0
    await index.run()
    assert lost.address not in await legacies(engine)


async def test_a_reorganisation_is_rewound_to_its_first_block_despite_finality(
    engine: AsyncEngine, chain_scenario: Scenario, index: ChainIndex, node: NodeProxy
) -> None:
    """A freshly started node knows no final block; the events of both forks stay stored."""
    s = chain_scenario
    some_legacy(s)
    event = s.anvil.block_number()
    lost = some_legacy(s)
    await index.run()
    s.anvil.reorg(1)
    s.anvil.mine(2)

    def not_final(request: Json) -> Json | None:
        if "finalized" not in request["params"]:
            return None
        return refused("finalized block not found")

    node.answer = not_final
    assert (await index.run()).rewound_to == event
    assert lost.address not in await legacies(engine)
    assert await is_as_read_anew(engine, index)


async def test_a_node_that_lags_moves_nothing_back(
    chain_scenario: Scenario, index: ChainIndex, node: NodeProxy
) -> None:
    """A head below the cursor is reported and changes nothing."""
    s = chain_scenario
    s.anvil.mine(3)
    await index.run()
    at = await index.read_head()
    late = s.anvil.rpc("eth_getBlockByNumber", hex(at.number - 2), False)
    node.answer = says_of_block("latest", late)
    assert not await index.poll()
    progress = await index.run()
    assert (progress.stopped, progress.head, progress.has_more) == ("node_behind", at.number - 2, False)
    assert await index.read_head() == at


async def test_logs_that_come_late_are_found(
    engine: AsyncEngine, chain_scenario: Scenario, index: ChainIndex, node: NodeProxy
) -> None:
    """A node had a block before its logs: a few blocks later the event is stored in order."""
    s = chain_scenario
    await index.run()
    made = some_legacy(s)
    node.answer = lambda request: {"result": []} if request["method"] == "eth_getLogs" else None
    assert not await index.poll()
    node.well()
    s.anvil.mine(5)
    assert await index.poll()
    await index.run()
    assert made.address in await legacies(engine)
    s.anvil.mine()
    assert not await index.poll()


async def test_a_look_skips_empty_blocks_and_leaves_events_to_the_run(
    engine: AsyncEngine, chain_scenario: Scenario, index: ChainIndex, node: NodeProxy
) -> None:
    """A run is asked for only when there is something to store; with no new block a look is one question."""
    s = chain_scenario
    await index.run()
    s.anvil.mine(4)
    assert not await index.poll()
    assert (await index.read_head()).number == s.anvil.block_number()
    node.posts.clear()
    assert not await index.poll()
    assert node.asked == {"eth_getBlockByNumber": 1}
    s.set_time_ahead(s.account("ann"), DAY)
    assert await index.poll()
    assert await count(engine, chain_event) == 0
    assert (await index.run()).events == 1
    assert not await index.poll()


async def test_a_long_way_is_read_within_the_budget_and_goes_on(chain_scenario: Scenario, index: ChainIndex) -> None:
    """Without time left nothing is read, and the progress says that there is more."""
    progress = await index.run(budget_seconds=0)
    assert (progress.stopped, progress.has_more) == ("budget", True)
    with pytest.raises(IndexerUnavailable):
        await index.read_head()


async def test_no_name_of_a_legacy_is_stored(
    engine: AsyncEngine, chain_scenario: Scenario, index: ChainIndex, chain: Chain
) -> None:
    """The strings that events carry do not reach the database."""
    s = chain_scenario
    ann, cid = s.account("ann"), s.account("cid")
    item = s.create_legacy(ann, {cid.address: 100}, name="For little Emma Zzyzx")
    s.edit_config(ann, item, {cid.address: 100}, inactivity=DAY, name="For little Emma Zzyzx")
    s.create_safe_legacy(ann, s.create_safe([ann]), [cid.address], name="For little Emma Zzyzx")
    s.create_gift(ann, cid.address, eth=1)
    await index.run()
    stored = await contents(engine)
    assert all(stored[table.name] for table in (chain_event, legacy, timelock))
    assert "Zzyzx" not in repr(stored)
    assert "Gift" not in repr(stored)


async def test_an_endless_lock_does_not_stop_the_index(chain_scenario: Scenario, index: ChainIndex) -> None:
    """Anybody may choose any duration; a time too large for the tables becomes the last possible second."""
    s = chain_scenario
    ann = s.account("ann")
    number = s.create_timelock(ann, ann.address, tokens=[(s.deployment.usdc, 2**200)], duration=2**250)
    assert (await index.run()).stopped == "at_head"
    found = (await index.read_timelocks([number], await index.read_head()))[number]
    assert (found.unlock_time, found.assets[0].amount) == (FAR_FUTURE, 2**200)


async def test_only_the_right_contract_is_believed(chain_scenario: Scenario, index: ChainIndex) -> None:
    """The same event from a foreign contract, or from another of ours, does not count; garbage is counted."""
    s, place = chain_scenario, chain_scenario.deployment
    ann = s.account("ann")
    stranger = s.deploy("PremiumSetting")
    s.write(ann, "PremiumSetting", stranger, "setTimeAhead", DAY)
    topic = s.contracts["PremiumSetting"].event_topic("LegacyEmailNotifyRequested")
    word = "00" * 12 + ann.address[2:]
    s.anvil.set_code(place.timelock_erc20, f"0x60016000527f{word}7f{word}7f{topic[2:]}60406000a300")
    s.send(ann, place.timelock_erc20)
    s.anvil.set_code(place.premium_setting, f"0x7f{topic[2:]}60006000a100")
    s.send(ann, place.premium_setting)
    progress = await index.run()
    assert (progress.events, progress.skipped) == (0, 2)
    at = await index.read_head()
    assert await index.read_signals(0, at.number, at) == []


async def test_events_that_can_open_a_window_earlier_are_listed(chain_scenario: Scenario, index: ChainIndex) -> None:
    """Edits, check-ins and Premium touch their legacy or creator, and only within the blocks."""
    s = chain_scenario
    ann, bob, cid = (s.account(name) for name in ("ann", "bob", "cid"))
    s.subscribe_premium(ann)
    one, two = (s.create_legacy(owner, {cid.address: 100}) for owner in (ann, bob))
    safe = s.create_safe_legacy(ann, s.create_safe([ann]), [cid.address])
    await index.run()
    first = s.anvil.block_number() + 1
    s.check_in(ann, one)
    s.edit_trigger(ann, safe, DAY)
    s.set_time_ahead(bob, DAY)
    await index.run()
    touched = await index.touched_since(first, s.anvil.block_number())
    assert touched.legacies.keys() == {one.address, safe.address}
    assert touched.creators.keys() == {bob.address.lower()}
    before = await index.touched_since(0, first - 1)
    assert before.creators.keys() == {ann.address.lower()}
    assert two.address not in before.legacies.keys() | touched.legacies.keys()
