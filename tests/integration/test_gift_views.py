"""Requests to nodes for viewers of gifts: one in a block's time for all, none for a gift that ended."""

import asyncio
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any, Literal

import pytest
from eth_account.signers.local import LocalAccount
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Scenario
from reminder_worker import kept_reads
from reminder_worker.indexer import chain_index
from tests.integration.api_world import ApiWorld, open_world
from tests.integration.chain_proxy import TwoEndpoints, says_nothing, two_endpoints
from tests.integration.test_gift_pages import GIFTS, ada, entry, facts, giver, indexed, page

__all__ = ["ada", "giver"]

VIEWERS = 50


@pytest.fixture
async def nodes(chain_scenario: Scenario) -> AsyncIterator[TwoEndpoints]:
    async with two_endpoints(chain_scenario.anvil.url) as two:
        yield two


@pytest.fixture
async def world(chain_scenario: Scenario, engine: AsyncEngine, nodes: TwoEndpoints) -> AsyncIterator[ApiWorld]:
    """As on a public chain, where a block lasts 12 seconds and the newest is of now."""
    chain_scenario.anvil.catch_up()
    async with open_world(chain_scenario, engine, **GIFTS, **nodes.environ) as opened:
        opened.parts.chains[opened.chain_id].shares_heads = True
        yield opened


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The clock of what is kept."""
    moved = SimpleNamespace(now=1000)
    moved.monotonic = lambda: moved.now
    monkeypatch.setattr(kept_reads, "time", moved)
    return moved


def take_asked(nodes: TwoEndpoints) -> dict[str, int]:
    """Return the requests to both nodes by method, and begin to count anew."""
    asked = dict(nodes.first.asked + nodes.second.asked)
    nodes.first.posts.clear()
    nodes.second.posts.clear()
    return asked


async def view(world: ApiWorld, gift: int) -> dict[str, Any]:
    """Let `VIEWERS` ask for page and facts at the same time. Return the facts, which are the same for all."""
    pages = [page(world, gift) for _ in range(VIEWERS // 2)]
    answers = await asyncio.gather(*pages, *(facts(world, gift) for _ in range(VIEWERS // 2)))
    assert {each.status for each in answers} == {200}
    told = [each.body for each in answers if isinstance(each.body, dict)]
    assert all(each == told[0] for each in told)
    return dict(told[0])


@pytest.mark.core
async def test_a_gift_costs_one_request_in_a_blocks_time_however_many_view_it(
    world: ApiWorld, nodes: TwoEndpoints, clock: SimpleNamespace, giver: LocalAccount, ada: LocalAccount
) -> None:
    """A withdrawal is seen when the block's time is over; before, the facts say of when they are."""
    s = world.scenario
    before, gift = (s.create_gift(giver, ada.address, eth=1, duration=0) for _ in range(2))
    await indexed(world)
    await view(world, before)  # the endpoint's chain id and the token's name are read once
    take_asked(nodes)
    sealed = await view(world, gift)
    assert (sealed["state"], take_asked(nodes)) == ("open", {"eth_call": 1})
    s.advance(1)
    s.withdraw_gift(ada, gift)
    await indexed(world)
    take_asked(nodes)
    clock.now += 11
    assert (await view(world, gift), take_asked(nodes)) == (sealed, {})
    clock.now += 1
    claimed = await view(world, gift)
    assert claimed["state"] == "claimed"
    assert claimed["asOf"] >= claimed["openedAt"] > sealed["asOf"]
    assert take_asked(nodes) == {"eth_call": 1, "eth_getLogs": 3}, "how it was paid out is read once"
    clock.now += 12
    await view(world, gift)
    assert take_asked(nodes) == {"eth_call": 1}, "while its end is not final"


@pytest.mark.parametrize("silent", ["first", "second"])
async def test_a_gift_that_ended_costs_nothing_once_two_endpoints_say_so(
    world: ApiWorld,
    nodes: TwoEndpoints,
    clock: SimpleNamespace,
    giver: LocalAccount,
    ada: LocalAccount,
    silent: Literal["first", "second"],
) -> None:
    """Nothing is kept while one of them is silent. They are asked about the end each ten minutes."""
    s = world.scenario
    gift = s.create_gift(giver, ada.address, eth=1, duration=0)
    s.withdraw_gift(ada, gift)
    s.advance(DAY)
    s.anvil.mine(2 * s.anvil.slots_in_an_epoch + 1)
    await indexed(world)
    silenced = nodes.first if silent == "first" else nodes.second
    silenced.answer = says_nothing
    await view(world, gift)
    take_asked(nodes)
    clock.now += 12
    await view(world, gift)
    assert set(take_asked(nodes)) == {"eth_call"}, "the facts are read again, and the end is not asked about"
    silenced.well()
    clock.now += 600
    told = await view(world, gift)
    take_asked(nodes)
    clock.now += DAY
    assert (await view(world, gift), take_asked(nodes)) == (told, {})
    assert told["state"] == "claimed"


async def test_lists_and_sheets_of_a_chain_share_one_request_in_a_blocks_time(
    world: ApiWorld,
    nodes: TwoEndpoints,
    clock: SimpleNamespace,
    giver: LocalAccount,
    ada: LocalAccount,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Owners and recipients are not asked about at a node."""
    monkeypatch.setattr(chain_index, "SLOT_SECONDS", 3600)
    world.scenario.create_gift(giver, ada.address, eth=1)
    await indexed(world)
    owners = [giver.address, *(world.scenario.account(f"owner {number}").address for number in range(VIEWERS))]
    lists = [f"/timelocks?chainId={world.chain_id}&owner={each}" for each in owners]
    await entry(world, ada.address)  # the index reads on, once a slot
    await world.request("GET", lists[0])
    for _ in range(2):
        clock.now += 12
        take_asked(nodes)
        answers = await asyncio.gather(*(world.request("GET", each) for each in lists))
        sheets = await asyncio.gather(*(entry(world, each) for each in [ada.address] * VIEWERS))
        assert {each.status for each in answers} == {200}
        assert {each.status for each in sheets} == {302}
        assert take_asked(nodes) == {"eth_call": 1}
