"""A chain with every event that an indexer projects, and its readers."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
from sqlalchemy import Row, select
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Scenario
from reminder_worker.chain.client import Chain
from reminder_worker.indexer.chain_index import ChainIndex
from reminder_worker.indexer.models import EventIndexer, IndexHead
from reminder_worker.indexer.selector import IndexerSelector
from reminder_worker.indexer.subgraph import SubgraphClient
from reminder_worker.indexer.tables import legacy
from reminder_worker.settings import ChainSettings
from tests.integration.chain_proxy import chain_settings
from tests.integration.indexer_graph_node import GraphNode

CHAIN_ID = 31337


def settings_of(scenario: Scenario, **changes: object) -> ChainSettings:
    return chain_settings(scenario, scenario.anvil.url, **{"SIGNAL_BLOCK": "latest", **changes})


@dataclass(frozen=True, slots=True)
class StoryParts:
    """All readers of one chain, on one database."""

    chain: Chain
    index: ChainIndex
    graph: GraphNode
    subgraph: SubgraphClient
    indexers: IndexerSelector


@asynccontextmanager
async def open_parts(engine: AsyncEngine, scenario: Scenario, **changes: object) -> AsyncIterator[StoryParts]:
    """Open the readers: the subgraph is at the chain's head, and the index has read nothing."""
    chain = Chain(settings_of(scenario, **changes))
    try:
        async with GraphNode() as graph, aiohttp.ClientSession() as session:
            graph.sync(scenario)
            subgraph = SubgraphClient(graph.url, session, backoff_seconds=0, rest_seconds=0)
            index = ChainIndex(engine, chain)
            yield StoryParts(chain, index, graph, subgraph, IndexerSelector(chain, index, subgraph))
    finally:
        await chain.close()


@dataclass(frozen=True, slots=True)
class IndexerStory:
    """The story so far: `legacies` and `timelocks` are all of the chain."""

    legacies: tuple[str, ...]
    timelocks: tuple[int, ...]
    recipients: tuple[str, ...]


def tell(scenario: Scenario) -> IndexerStory:
    """Configure, edit, reset, check in, claim, delete; Safe legacies; timelocks in every vault, some of them ended."""
    s = scenario
    ann, bob, cid, dee, eve = (s.account(name) for name in ("ann", "bob", "cid", "dee", "eve"))
    for owner in (ann, bob):
        s.subscribe_premium(owner)
    s.set_time_ahead(ann, 3 * DAY)
    heirs: dict[str, int] = {cid.address: 60, dee.address: 40}
    edited = s.create_legacy(ann, heirs, second_line=eve.address, third_line=bob.address, name="Ann's")
    s.configure_reminders(ann, edited, cosigners=[bob.address])
    s.edit_distribution(ann, edited, {dee.address: 100})
    s.edit_line(ann, edited, 2, None)
    s.check_in(ann, edited)
    s.edit_trigger(ann, edited, 90 * DAY)
    reset = s.create_legacy(bob, heirs)
    s.configure_reminders(bob, reset)
    s.set_auto_renew(bob, reset)
    s.delete_legacy(bob, reset)
    never = s.create_legacy(bob, heirs)
    claimed = s.create_legacy(bob, {cid.address: 100}, inactivity=DAY, second_line=eve.address)
    s.configure_reminders(bob, claimed)
    s.advance(40 * DAY)
    s.claim(cid, claimed)
    s.claim_two_layers_in_one_transaction(cid, eve, claimed)
    older = s.create_legacy_before_v2(ann, heirs)
    s.configure_reminders(ann, older)
    s.delete_legacy(ann, older)
    s.tell_as_before("zzyzx@example.org", "Zzyzx")
    oldest = s.create_legacy_before_v2(bob, heirs, first_build=True)
    s.configure_reminders(bob, oldest, [cid.address, dee.address], second_line=eve.address)
    s.edit_distribution(bob, oldest, {dee.address: 100})
    s.set_time_ahead(bob, 4 * DAY)
    s.tell_as_today()
    s.set_auto_renew(bob, oldest)
    wallet = s.create_safe([ann, bob])
    safe = s.create_safe_legacy(ann, wallet, [cid.address, dee.address], inactivity=10 * DAY)
    s.configure_reminders(ann, safe, [cid.address, dee.address], cosigners=[bob.address])
    s.edit_safe_beneficiaries(ann, safe, [dee.address])
    s.edit_trigger(ann, safe, 5 * DAY)
    s.advance(6 * DAY)
    s.activate_safe_legacy(dee, safe)
    d = s.deployment
    gift = s.create_gift(ann, cid.address, eth=10**18, duration=DAY)
    usdc = s.create_gift(ann, dee.address, tokens=[(d.usdc, 250 * 10**6)])
    mixed = s.create_timelock(
        bob,
        eve.address,
        tokens=[(d.usdc, 5), (d.dai, 7)],
        erc721=[(d.erc721, 11)],
        erc1155=[(d.erc1155, 3, 4)],
        soft=True,
        buffer=2 * DAY,
    )
    soft = s.create_timelock(bob, bob.address, tokens=[(d.usdc, 9)], soft=True, buffer=DAY)
    s.unlock_soft_timelock(bob, soft)
    s.advance(3 * DAY)
    s.withdraw_gift(cid, gift)
    s.withdraw_gift(bob, soft)
    newer = s.create_gift(bob, dee.address, eth=10**17)
    half = s.create_timelock(
        bob, eve.address, erc721=[(d.erc721, 21)], erc1155=[(d.erc1155, 5, 6)], soft=True, buffer=DAY
    )
    paid = s.create_timelock(bob, eve.address, erc721=[(d.erc721, 22)], duration=DAY)
    s.unlock_soft_timelock(bob, half)
    s.advance(2 * DAY)
    s.write(cid, "TimelockERC721", d.timelock_erc721, "withdraw", half, eve.address)
    s.withdraw_gift(eve, paid)
    addresses = tuple(item.address for item in (edited, reset, never, claimed, older, oldest, safe))
    people = tuple(person.address for person in (cid, dee, eve))
    return IndexerStory(addresses, (gift, usdc, mixed, soft, newer, half, paid), people)


async def legacies(engine: AsyncEngine) -> dict[str, Row[Any]]:
    """Return the legacies of our own index, by address."""
    async with engine.connect() as connection:
        return {row.address: row for row in await connection.execute(select(legacy))}


async def answers(
    indexer: EventIndexer, story: IndexerStory, first: int, last: int, at: IndexHead
) -> dict[str, object]:
    """Return the answers to every question, to compare them. Within a block, signals have no common order."""
    signals = await indexer.read_signals(first, last, at)
    return {
        "signals": sorted(signals, key=lambda s: (s.block_number, s.tx_hash, s.legacy, s.kind, s.layer)),
        "reminder_configs": await indexer.reminder_configs(story.legacies, at),
        "timelocks": await indexer.read_timelocks([*story.timelocks, 10**6], at),
    }
