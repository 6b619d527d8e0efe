"""The event pass stores every notify signal once, from any source and after any reorganisation."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Legacy, Scenario
from reminder_worker.indexer.selector import IndexerSelector
from reminder_worker.indexer.tables import index_cursor
from reminder_worker.reminders.signals import SignalPass
from reminder_worker.reminders.tables import notify_signal
from tests.integration.chain_proxy import proxy
from tests.integration.indexer_story import StoryParts, open_parts

WEEK = 7 * DAY


@pytest.fixture
def legacy(chain_scenario: Scenario) -> Legacy:
    s = chain_scenario
    s.anvil.mine(6)  # what a test reorganises is above the block that the fixture puts back
    return s.create_legacy(s.account("ann"), {s.account("cid").address: 100})


@pytest.fixture
async def parts(engine: AsyncEngine, chain_scenario: Scenario, legacy: Legacy) -> AsyncIterator[StoryParts]:
    async with open_parts(engine, chain_scenario) as opened:
        yield opened


def signal_pass(engine: AsyncEngine, parts: StoryParts, *, own: bool = True, max_age: int = WEEK) -> SignalPass:
    """`own`: from our own index only; else the subgraph is preferred."""
    indexers = IndexerSelector(parts.chain, parts.index, None) if own else parts.indexers
    return SignalPass(engine, parts.chain, indexers, max_age)


async def stored(engine: AsyncEngine) -> list[Any]:
    async with engine.connect() as connection:
        rows = await connection.execute(select(notify_signal).order_by(notify_signal.c.block_number))
        return list(rows)


async def cursor(engine: AsyncEngine) -> Any:
    async with engine.connect() as connection:
        found = await connection.execute(select(index_cursor).where(index_cursor.c.name == "signals"))
        return found.one_or_none()


def check_in(scenario: Scenario, legacy: Legacy) -> str:
    return scenario.check_in(scenario.account("ann"), legacy)


@pytest.mark.core
async def test_a_signal_is_stored_once_with_what_the_chain_says(
    engine: AsyncEngine, chain_scenario: Scenario, legacy: Legacy, parts: StoryParts
) -> None:
    """Legacy, creator, kind, layer, block and time; later runs read it again and store nothing."""
    sent = check_in(chain_scenario, legacy)
    await parts.index.run()
    passing = signal_pass(engine, parts)
    assert await passing.poll()
    report = await passing.run()
    assert (report.new, report.too_old, report.source, report.more) == (1, 0, "chain_index", False)
    (row,) = await stored(engine)
    head = chain_scenario.anvil.block_number()
    ann = chain_scenario.account("ann").address.lower()
    assert (row.tx_hash, row.legacy, row.creator) == (sent, legacy.address, ann)
    assert (row.kind, row.layer, row.block_number, row.state) == (0, 1, head, "new")
    assert row.block_time == chain_scenario.anvil.now()
    chain_scenario.anvil.mine()
    await parts.index.run()
    assert not await passing.poll()
    assert await passing.run() == type(report)()
    assert len(await stored(engine)) == 1


async def test_an_empty_look_moves_on_and_an_idle_one_is_one_question(
    engine: AsyncEngine, chain_scenario: Scenario, legacy: Legacy, parts: StoryParts
) -> None:
    """Blocks without signals start no run, and nothing new costs the node one question."""
    passing = signal_pass(engine, parts)
    await parts.index.run()
    assert not await passing.poll()
    assert (await cursor(engine)).block_number == chain_scenario.anvil.block_number()
    async with (
        proxy(chain_scenario.anvil.url) as node,
        open_parts(engine, chain_scenario, RPC_URLS=(node.url,)) as counted,
    ):
        await counted.chain.endpoints.check_chain_ids()
        node.posts.clear()
        assert not await signal_pass(engine, counted).poll()
        assert node.asked == {"eth_getBlockByNumber": 1}


async def test_two_layers_in_one_transaction_are_two_signals(
    engine: AsyncEngine, chain_scenario: Scenario, parts: StoryParts
) -> None:
    """The layer belongs to a signal's identity."""
    s = chain_scenario
    owner, first, second = (s.account(name) for name in ("bob", "cid", "eve"))
    made = s.create_legacy(owner, {first.address: 100}, inactivity=DAY, second_line=second.address)
    s.advance(40 * DAY)
    s.claim_two_layers_in_one_transaction(first, second, made)
    await parts.index.run()
    await signal_pass(engine, parts).run()
    assert sorted((row.kind, row.layer) for row in await stored(engine)) == [(2, 1), (2, 2)]


async def test_signals_wait_for_the_block_they_are_acted_on_at(
    engine: AsyncEngine, chain_scenario: Scenario, legacy: Legacy
) -> None:
    """With `safe` a signal of the head is not stored yet."""
    async with open_parts(engine, chain_scenario, SIGNAL_BLOCK="finalized") as parts:
        passing = signal_pass(engine, parts)
        check_in(chain_scenario, legacy)
        await parts.index.run()
        await passing.run()
        assert await stored(engine) == []
        chain_scenario.anvil.mine(2)
        await parts.index.run()
        assert await passing.poll()
        await passing.run()
        assert len(await stored(engine)) == 1


async def test_history_is_recorded_as_too_old_or_not_at_all(
    engine: AsyncEngine, chain_scenario: Scenario, legacy: Legacy, parts: StoryParts
) -> None:
    """The first start begins with the blocks that are young enough; what is seen late is recorded, not acted on."""
    s = chain_scenario
    check_in(s, legacy)
    s.advance(9 * DAY)
    young = check_in(s, legacy)
    await parts.index.run()
    passing = signal_pass(engine, parts)
    report = await passing.run()
    assert (report.new, report.too_old) == (1, 0)
    assert [row.tx_hash for row in await stored(engine)] == [young]
    late = check_in(s, legacy)
    s.advance(WEEK + 60)
    await parts.index.run()
    report = await passing.run()
    assert report.new == 0
    assert {row.tx_hash: row.state for row in await stored(engine)}[late] == "too_old"


async def test_a_switch_of_the_source_neither_repeats_nor_skips(
    engine: AsyncEngine, chain_scenario: Scenario, legacy: Legacy
) -> None:
    """Subgraph, our index while it lags, subgraph, our index while it fails, subgraph: each signal once."""
    s = chain_scenario
    sent, sources, places = [], [], []
    async with open_parts(engine, s, SUBGRAPH_MAX_LAG=1) as parts:
        passing = signal_pass(engine, parts, own=False)
        for synced, errors in [(1, 0), (1, 0), (0, 0), (0, 0), (0, 0), (1, 0), (0, 1), (0, 1), (1, 0)]:
            sent.append(check_in(s, legacy))
            await parts.index.run()
            parts.graph.has_indexing_errors = bool(errors)
            if synced:
                parts.graph.sync(s)
            if await passing.poll():
                sources.append((await passing.run()).source)
            places.append((await cursor(engine)).block_number)
    own, other = "chain_index", "subgraph"
    assert sources == [other, other, own, own, other, own, own, other]  # at the third step the lag is still allowed
    assert places == sorted(places)
    assert [row.tx_hash for row in await stored(engine)] == sent


async def test_a_late_signal_of_a_source_is_found_by_reading_again(
    engine: AsyncEngine, chain_scenario: Scenario, legacy: Legacy, parts: StoryParts
) -> None:
    """A subgraph that first left a signal out is read again a few blocks later."""
    s, passing = chain_scenario, signal_pass(engine, parts, own=False)
    sent = check_in(s, legacy)
    parts.graph.sync(s)
    parts.graph.spoil = lambda data: data.update(rows=[]) if "rows" in data else None
    assert not await passing.poll()
    parts.graph.spoil = None
    s.anvil.mine(10)
    parts.graph.sync(s)
    assert await passing.poll()
    await passing.run()
    assert [row.tx_hash for row in await stored(engine)] == [sent]


@pytest.mark.parametrize("own", [True, False], ids=["chain index", "subgraph"])
async def test_a_transaction_that_a_reorganisation_moved_is_the_same_signal(
    engine: AsyncEngine, chain_scenario: Scenario, legacy: Legacy, parts: StoryParts, own: bool
) -> None:
    """Its single row still waits and has the new block."""
    s, passing = chain_scenario, signal_pass(engine, parts, own=own)
    point = s.anvil.snapshot()
    sent = check_in(s, legacy)
    raw = s.anvil.rpc("eth_getRawTransactionByHash", sent)
    await parts.index.run()
    parts.graph.sync(s)
    await passing.run()
    (before,) = await stored(engine)
    s.anvil.revert(point)
    s.anvil.mine(3)
    assert s.anvil.receipt(s.anvil.rpc("eth_sendRawTransaction", raw))["transactionHash"] == sent
    await parts.index.run()
    parts.graph.sync(s)
    assert await passing.poll()
    await passing.run()
    (after,) = await stored(engine)
    assert (after.tx_hash, after.state, after.seen_at) == (sent, "new", before.seen_at)
    assert (after.block_number, after.block_time) == (s.anvil.block_number(), s.anvil.now())
    assert not await passing.poll()


async def test_a_planned_signal_is_not_touched_by_a_reorganisation(
    engine: AsyncEngine, chain_scenario: Scenario, legacy: Legacy, parts: StoryParts
) -> None:
    """A settled signal stays as it is and needs no run, also if it is settled while the pass reads."""
    s, passing = chain_scenario, signal_pass(engine, parts)
    point = s.anvil.snapshot()
    raw = s.anvil.rpc("eth_getRawTransactionByHash", check_in(s, legacy))
    await parts.index.run()
    await passing.run()
    s.anvil.revert(point)
    s.anvil.mine(3)
    s.anvil.receipt(s.anvil.rpc("eth_sendRawTransaction", raw))
    await parts.index.run()
    step = await passing._read_next_range(await parts.chain.get_head())
    assert step is not None
    assert step.fresh
    async with engine.begin() as connection:
        await connection.execute(update(notify_signal).values(state="planned"))
    before = await stored(engine)
    assert await passing._store_range(step)
    assert await stored(engine) == before
    s.anvil.mine()
    await parts.index.run()
    assert not await passing.poll()
    assert await stored(engine) == before


@pytest.mark.parametrize("way", ["anvil_reorg", "snapshot"])
async def test_signals_below_the_cursor_on_a_new_fork_are_found(
    engine: AsyncEngine, chain_scenario: Scenario, legacy: Legacy, parts: StoryParts, way: str
) -> None:
    """The cursor's block is gone: what the new fork brought deep below it is read, however deep."""
    s, passing = chain_scenario, signal_pass(engine, parts)
    s.anvil.mine(4)
    point = s.anvil.snapshot()
    s.anvil.mine(3 if way == "anvil_reorg" else 90)
    await parts.index.run()
    assert not await passing.poll()
    if way == "anvil_reorg":
        s.anvil.reorg(3)
    else:
        s.anvil.revert(point)
    found = check_in(s, legacy)
    s.anvil.mine(200)
    await parts.index.run()
    assert await passing.poll()
    await passing.run()
    assert [row.tx_hash for row in await stored(engine)] == [found]
    assert (await cursor(engine)).block_number == s.anvil.block_number()


async def test_two_runs_at_once_store_each_signal_once(
    engine: AsyncEngine, chain_scenario: Scenario, legacy: Legacy, parts: StoryParts
) -> None:
    """One stores and moves the cursor; the other finds it moved."""
    for _ in range(5):
        check_in(chain_scenario, legacy)
    await parts.index.run()
    reports = await asyncio.gather(*(signal_pass(engine, parts).run() for _ in range(2)))
    assert sum(report.new for report in reports) == len(await stored(engine)) == 5


async def test_source_on_the_old_fork_is_waited_for(
    engine: AsyncEngine, chain_scenario: Scenario, legacy: Legacy
) -> None:
    """Deep below the block that signals are acted on at: nothing that it says of the old fork counts as read."""
    s = chain_scenario
    async with open_parts(engine, s, SIGNAL_BLOCK="finalized") as parts:
        passing = signal_pass(engine, parts)
        point = s.anvil.snapshot()
        s.anvil.mine(90)
        await parts.index.run()
        assert not await passing.poll()
        s.anvil.revert(point)
        found = check_in(s, legacy)
        s.anvil.mine(90)
        assert not await passing.poll()
        await parts.index.run()
        assert await passing.poll()
        await passing.run()
    assert [row.tx_hash for row in await stored(engine)] == [found]


async def test_lagging_node_moves_no_cursor_of_signals_back(
    engine: AsyncEngine, chain_scenario: Scenario, legacy: Legacy, parts: StoryParts
) -> None:
    """A head below the cursor is no reorganisation."""
    s = chain_scenario
    await parts.index.run()
    await signal_pass(engine, parts).run()
    place = await cursor(engine)
    old = s.anvil.rpc("eth_getBlockByNumber", hex(place.block_number - 3), False)
    async with proxy(s.anvil.url) as node, open_parts(engine, s, RPC_URLS=(node.url,)) as lagging:
        node.answer = lambda request: {"result": old} if request["params"][:1] == ["latest"] else None
        passing = signal_pass(engine, lagging)
        assert not await passing.poll()
        assert (await passing.run()).last_block is None
    assert await cursor(engine) == place


async def test_source_behind_the_cursor_does_not_take_it_back(
    engine: AsyncEngine, chain_scenario: Scenario, legacy: Legacy, parts: StoryParts
) -> None:
    """The subgraph lags a little: nothing is read until it has caught up."""
    s, passing = chain_scenario, signal_pass(engine, parts, own=False)
    await parts.index.run()
    await signal_pass(engine, parts).run()
    s.anvil.mine()
    check_in(s, legacy)
    await parts.index.run()
    await signal_pass(engine, parts).run()
    place = await cursor(engine)
    s.anvil.mine()
    assert not await passing.poll()
    assert (await cursor(engine)).block_number == place.block_number
    second = check_in(s, legacy)
    parts.graph.sync(s)
    assert await passing.poll()
    await passing.run()
    assert [row.tx_hash for row in await stored(engine)][-1] == second
    assert len(await stored(engine)) == 2
