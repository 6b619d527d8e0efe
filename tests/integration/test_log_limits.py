"""Endpoints that limit the blocks of a question for logs: what is learned serves the next process."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack

import pytest
import structlog
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import Scenario
from reminder_worker.chain.client import Chain
from reminder_worker.chain.types import NODE_POLICY
from reminder_worker.cli.history import open_index
from reminder_worker.doctor import Finding, catch_up
from reminder_worker.doctor.catch_up import forecast_catch_up
from reminder_worker.runtime import open_runtime
from tests.integration.api_world import settings_for
from tests.integration.chain_proxy import Json, NodeProxy, chain_settings, refused, stopped
from tests.integration.test_indexer_two_endpoints import EndpointNodes, hides


@pytest.fixture
async def nodes(chain_scenario: Scenario, engine: AsyncEngine) -> AsyncIterator[EndpointNodes]:
    async with AsyncExitStack() as stack:
        yield EndpointNodes(chain_scenario, engine, stack)


def width(request: Json) -> int:
    span = request["params"][0]
    return int(span["toBlock"], 16) - int(span["fromBlock"], 16) + 1


def widths(node: NodeProxy) -> list[int]:
    """Blocks of each question for our contracts' logs, since `posts` was cleared."""
    logs = [each for each in node.requests if each["method"] == "eth_getLogs"]
    return [width(each) for each in logs if "address" in each["params"][0]]


def limited(blocks: int) -> Callable[[Json], Json | None]:
    def answer(request: Json) -> Json | None:
        is_too_wide = request["method"] == "eth_getLogs" and width(request) > blocks
        return refused(f"up to a {blocks} block range") if is_too_wide else None

    return answer


@pytest.mark.core
@pytest.mark.parametrize("with_400", [False, True])
async def test_limit_that_one_process_learned_is_used_by_the_next(nodes: EndpointNodes, with_400: bool) -> None:
    """Also if the refusal is an HTTP 400 in plain words, for all requests of the batch."""
    (node,) = await nodes.open(1)
    node.answer = limited(10)
    if with_400:
        node.status_of_refusals = 400
    nodes.scenario.anvil.mine(60)
    await nodes.index().run()
    assert max(widths(node)) > 10, "it was refused before"
    for _ in range(2):  # each with a client of its own, as a new process has
        node.posts.clear()
        nodes.scenario.anvil.mine(30)
        assert (await nodes.index().run()).stopped == "at_head"
        assert max(widths(node)) == 10
    async with nodes.engine.begin() as connection:
        await connection.execute(text("update worker.log_limit set wider_at = now() - interval '1 second'"))
    node.posts.clear()
    for _ in range(2):
        nodes.scenario.anvil.mine(30)
        assert (await nodes.index().run()).stopped == "at_head"
    wider = [each for each in widths(node) if each > 10]
    assert len(wider) == 1 + with_400, "tried wider once an hour, by all processes; a refused batch is sent in parts"


async def test_narrow_endpoint_does_not_narrow_another(nodes: EndpointNodes) -> None:
    narrow, wide = await nodes.open(2)
    narrow.answer = limited(10)
    nodes.scenario.anvil.mine(60)
    await nodes.index(narrow.url).run()
    narrow.posts.clear()
    made = nodes.make()
    nodes.scenario.anvil.mine(40)
    await nodes.index().run()
    assert await nodes.knows(made)
    assert max(widths(narrow)) == 10
    assert len(widths(wide)) == 1, "the second opinion is one question for all blocks"


async def test_endpoint_that_refuses_all_logs_slows_down_no_other(nodes: EndpointNodes) -> None:
    """So do pruned nodes that say so. Within the hour it is asked no more."""
    refusing, archive = await nodes.open(2)
    refusing.answer = limited(0)
    nodes.scenario.anvil.mine(300)
    index = nodes.index()
    for _ in range(4):  # until one block is refused
        await index.run()
        await index.rewind_to(0)
    archive.posts.clear()
    refusing.posts.clear()
    assert (await nodes.index().run()).stopped == "at_head"
    assert widths(refusing) == []
    assert len(widths(archive)) < 10


async def test_few_requests_beside_the_questions_for_logs_far_below_the_head(nodes: EndpointNodes) -> None:
    (node,) = await nodes.open(1)
    start = nodes.scenario.anvil.block_number()
    nodes.scenario.anvil.mine(600)
    index = nodes.index(LOG_RANGE=5, START_BLOCK=start)
    assert (await index.run()).stopped == "at_head"
    questions = len(widths(node))
    near_the_head = NODE_POLICY.kept_log_blocks // 5 + 1  # with a block beside each
    assert sum(node.asked.values()) - questions - near_the_head < questions / 4


@pytest.mark.parametrize("behind", [1, NODE_POLICY.kept_log_blocks + 50])
async def test_logs_of_a_node_that_stands_still_do_not_count(nodes: EndpointNodes, behind: int) -> None:
    """It gives none of the blocks that it lacks, also where these are old by now."""
    still, _ = await nodes.open(2)
    still.answer = stopped(nodes.scenario.anvil)
    made = nodes.make()
    still.alter = hides(nodes.scenario.anvil.block_number(), receipts=True)
    nodes.scenario.anvil.mine(behind)
    with structlog.testing.capture_logs() as lines:
        assert (await nodes.index(LOG_RANGE=10).run()).stopped == "at_head"
    assert await nodes.knows(made)
    assert "logs_missing" not in [line["event"] for line in lines]


async def test_backfill_asks_only_the_given_endpoint_for_the_history(nodes: EndpointNodes, database_url: str) -> None:
    configured, other = await nodes.open(2)
    settings = settings_for(nodes.scenario, database_url, CHAIN_31337_RPC_URLS=configured.url)
    made = nodes.make()
    async with open_runtime(settings) as runtime, open_index(runtime, 31337, other.url) as (chain, index):
        assert (await index.run()).stopped == "at_head"
        assert [each.name for each in chain.endpoints.list_health()] == ["2:127.0.0.1"]
    assert await nodes.knows(made)
    assert configured.requests == []


async def test_doctor_says_what_reading_the_history_takes_at_each_endpoint(
    nodes: EndpointNodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    narrow, _ = await nodes.open(2)
    narrow.answer = limited(10)
    start = nodes.scenario.anvil.block_number()
    urls = [each.url for each in nodes.proxies]

    async def findings() -> list[Finding]:
        async with Chain(chain_settings(nodes.scenario, *urls, START_BLOCK=start)) as chain:
            return [finding async for finding in forecast_catch_up(chain, nodes.engine)]

    assert await findings() == [], "a short way"
    nodes.scenario.anvil.mine(30)
    monkeypatch.setattr(catch_up, "SHORT_WAY", 29)
    monkeypatch.setattr(catch_up, "LONG_SECONDS", 0)
    of_narrow, of_wide = await findings()
    assert of_narrow[0] == "chain 31337 catch-up"
    assert "31 blocks to read: 1:127.0.0.1 gives 10 in a question, which takes some 4 requests" in of_narrow[2]
    assert "backfill --rpc-url" in of_narrow[2]
    assert "2:127.0.0.1 gives 5000 in a question, which takes some 1 requests" in of_wide[2]
