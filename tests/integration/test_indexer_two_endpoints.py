"""The chain index over several endpoints of which one lacks logs, hides, invents or is down."""

from collections.abc import AsyncIterator, Callable, Collection
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

import pytest
import structlog
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.chain import usable_port
from devnet.scenarios import DAY, Legacy, Scenario
from reminder_worker.chain.client import Chain
from reminder_worker.errors import ChainUnavailable
from reminder_worker.indexer.chain_index import ChainIndex
from reminder_worker.indexer.log_reader import ALONE_AFTER_SECONDS, OVERLAP, EndpointsDisagree
from reminder_worker.indexer.tables import chain_event
from tests.integration.chain_proxy import Json, NodeProxy, chain_settings, proxy
from tests.integration.indexer_story import legacies

pytestmark = pytest.mark.one_order("the logs of the endpoint that is asked first are believed")

FAR = OVERLAP + 20  # blocks: deeper than what is read again
FORGED = "0x" + "f0" * 32


@dataclass
class EndpointNodes:
    """Endpoints in order of preference, and how an index over them is made."""

    scenario: Scenario
    engine: AsyncEngine
    stack: AsyncExitStack
    proxies: list[NodeProxy] = field(default_factory=list)

    async def open(self, count: int) -> list[NodeProxy]:
        url = self.scenario.anvil.url
        self.proxies = [await self.stack.enter_async_context(proxy(url)) for _ in range(count)]
        return self.proxies

    def chain(self, *urls: str, **more: Any) -> Chain:
        chain = Chain(chain_settings(self.scenario, *(urls or [each.url for each in self.proxies]), **more))
        self.stack.push_async_callback(chain.close)
        return chain

    def index(self, *urls: str, **more: Any) -> ChainIndex:
        return ChainIndex(self.engine, self.chain(*urls, **more))

    def make(self) -> Legacy:
        return self.scenario.create_legacy(self.scenario.account("ann"), {self.scenario.account("cid").address: 100})

    async def knows(self, made: Legacy) -> bool:
        return made.address in await legacies(self.engine)

    async def events(self) -> int:
        async with self.engine.connect() as connection:
            return (await connection.execute(select(func.count()).select_from(chain_event))).scalar_one()


@pytest.fixture
async def nodes(chain_scenario: Scenario, engine: AsyncEngine) -> AsyncIterator[EndpointNodes]:
    async with AsyncExitStack() as stack:
        yield EndpointNodes(chain_scenario, engine, stack)


def hides(*blocks: int, receipts: bool = False) -> Callable[[Json, Json], Json]:
    """Leave out these blocks' logs; `receipts`: leave out the receipts of their transactions, too."""

    def alter(request: Json, response: Json) -> Json:
        result = response.get("result")
        if request["method"] == "eth_getLogs" and result is not None:
            return {**response, "result": [log for log in result if int(log["blockNumber"], 16) not in blocks]}
        if receipts and request["method"] == "eth_getTransactionReceipt" and result is not None:
            return {**response, "result": None if int(result["blockNumber"], 16) in blocks else result}
        return response

    return alter


def invents(scenario: Scenario, like: str, blocks: Collection[int], **other: str) -> Callable[[Json, Json], Json]:
    """Invent a transaction: its log in existing blocks, and its receipt."""
    receipt = scenario.anvil.rpc("eth_getTransactionReceipt", like)
    last = receipt["logs"][-1]

    def forged(number: int) -> Json:
        block = scenario.anvil.rpc("eth_getBlockByNumber", hex(number), False)
        place = {"blockNumber": hex(number), "blockHash": block["hash"], "logIndex": "0x7"}
        return {**last, **place, "transactionHash": FORGED, **other}

    def alter(request: Json, response: Json) -> Json:
        if request["method"] == "eth_getTransactionReceipt" and request["params"] == [FORGED]:
            logs = [forged(number) for number in blocks if number <= scenario.anvil.block_number()]
            return {**response, "result": {**receipt, "transactionHash": FORGED, "logs": logs}}
        if request["method"] != "eth_getLogs" or "result" not in response:
            return response
        span = request["params"][0]
        within = range(int(span["fromBlock"], 16), int(span["toBlock"], 16) + 1)
        return {**response, "result": response["result"] + [forged(n) for n in blocks if n in within]}

    return alter


def count(node: NodeProxy, method: str) -> int:
    return node.methods().count(method)


@pytest.mark.parametrize("lacking", [0, 1])
async def test_logs_that_one_of_two_endpoints_lacks_are_found_however_deep(nodes: EndpointNodes, lacking: int) -> None:
    """One log index is incomplete; the receipts of the same node confirm the other endpoint's logs."""
    two = await nodes.open(2)
    made = nodes.make()
    two[lacking].alter = hides(nodes.scenario.anvil.block_number())
    nodes.scenario.anvil.mine(FAR)
    index = nodes.index()
    with structlog.testing.capture_logs() as lines:
        assert (await index.run()).stopped == "at_head"
    assert await nodes.knows(made)
    assert [line["event"] for line in lines] == ["logs_missing"] * (lacking == 0)
    before = await nodes.events()
    two[lacking].well()
    await index.rewind_to(0)
    await index.run()
    assert await nodes.events() == before


async def test_old_logs_wait_while_no_endpoint_answers_about_receipts(nodes: EndpointNodes) -> None:
    """The first endpoint lacks the logs and refuses to give receipts for a moment, which is no denial."""
    first, _ = await nodes.open(2)
    made = nodes.make()
    first.alter = hides(nodes.scenario.anvil.block_number())
    limited = {"error": {"code": 429, "message": "too many requests"}}
    first.answer = lambda request: limited if request["method"] == "eth_getTransactionReceipt" else None
    nodes.scenario.advance(ALONE_AFTER_SECONDS + 60)
    with pytest.raises(ChainUnavailable):
        await nodes.index().run()
    first.answer = lambda request: None
    index = nodes.index()
    assert (await index.run()).stopped == "at_head"
    assert await nodes.knows(made)


@pytest.mark.parametrize("hidden", ["receipts too", "altered"])
async def test_one_lying_endpoint_of_three_hides_no_log(nodes: EndpointNodes, hidden: str) -> None:
    """The first endpoint denies even the receipt, or gives another log; two others confirm the right one."""
    first, _, _ = await nodes.open(3)
    made, tx = nodes.make(), nodes.scenario.anvil.rpc("eth_getBlockByNumber", "latest", False)["transactions"][0]
    number = nodes.scenario.anvil.block_number()
    wrong = "0x" + "00" * 12 + "ab" * 20

    def alter(request: Json, response: Json) -> Json:
        result = response.get("result")
        if hidden == "receipts too":
            return hides(number, receipts=True)(request, response)
        if request["method"] == "eth_getLogs" and result is not None:
            return {**response, "result": [{**log, "data": wrong} for log in result if log["transactionHash"] == tx]}
        return response

    first.alter = alter
    nodes.scenario.anvil.mine(FAR)
    index = nodes.index()
    assert (await index.run()).stopped == "at_head"
    assert await nodes.knows(made)


async def test_endpoint_that_is_asked_first_is_not_its_own_second(nodes: EndpointNodes) -> None:
    """The first in the settings hung lately, so the second gives the logs and the third adds the missing one."""
    _, second, _ = await nodes.open(3)
    made = nodes.make()
    second.alter = hides(nodes.scenario.anvil.block_number())
    nodes.scenario.anvil.mine(FAR)
    index = nodes.index()
    rest = index._chain.endpoints.members[0].rest
    rest.record_failure(rest.now() - 60)
    rest.until = rest.now()
    assert (await index.run()).stopped == "at_head"
    assert await nodes.knows(made)


async def test_a_log_of_the_second_endpoint_waits_until_the_first_confirms_it(
    nodes: EndpointNodes,
) -> None:
    """Earlier logs are stored; a log in doubt is neither stored nor skipped, and the pass fails."""
    first, _ = await nodes.open(2)
    earlier = nodes.make()
    nodes.scenario.anvil.mine(FAR)
    hidden = nodes.make()
    first.alter = hides(nodes.scenario.anvil.block_number(), receipts=True)
    nodes.scenario.anvil.mine(3)
    index = nodes.index()
    for work in (index.run, index.run, index.poll):
        with pytest.raises(EndpointsDisagree):
            await work()
    assert await nodes.knows(earlier)
    assert not await nodes.knows(hidden)
    first.well()
    assert (await index.run()).stopped == "at_head"
    assert await nodes.knows(hidden)


async def test_an_invented_log_is_never_stored_and_delays_for_an_hour_at_most(nodes: EndpointNodes) -> None:
    """The second endpoint invents a log in every block: the index follows an hour behind and logs an error."""
    _, second = await nodes.open(2)
    made = nodes.make()
    like = nodes.scenario.anvil.rpc("eth_getBlockByNumber", "latest", False)["transactions"][0]
    nodes.scenario.anvil.mine(FAR)
    index = nodes.index()
    await index.run()
    events, begin = await nodes.events(), (await index.read_head()).number
    second.alter = invents(nodes.scenario, like, range(begin + 1, begin + 10_000))
    nodes.scenario.anvil.mine(2)
    with pytest.raises(EndpointsDisagree):
        await index.run()
    assert (await index.read_head()).number == begin
    nodes.scenario.advance(ALONE_AFTER_SECONDS + 60)
    later = nodes.make()
    with pytest.raises(EndpointsDisagree), structlog.testing.capture_logs() as lines:
        await index.run()
    assert (await index.read_head()).number == begin + 2
    assert {(line["event"], line["log_level"], line["tx"]) for line in lines} == {("logs_passed_over", "error", FORGED)}
    nodes.scenario.advance(DAY)
    with pytest.raises(EndpointsDisagree):
        await index.run()
    assert await nodes.knows(later)
    assert await nodes.knows(made)
    second.well()
    await index.run()
    whole = await nodes.events()
    await index.rewind_to(0)
    await index.run()
    assert await nodes.events() == whole > events


async def test_logs_of_another_fork_delay_nothing(nodes: EndpointNodes) -> None:
    _, second = await nodes.open(2)
    nodes.make()
    like = nodes.scenario.anvil.rpc("eth_getBlockByNumber", "latest", False)["transactions"][0]
    second.alter = invents(nodes.scenario, like, [nodes.scenario.anvil.block_number()], blockHash="0x" + "12" * 32)
    assert (await nodes.index().run()).stopped == "at_head"


@pytest.mark.parametrize("down", [0, 1])
@pytest.mark.parametrize("how", ["refuses connections", "hangs", "denies everything"])
async def test_a_useless_endpoint_of_two_delays_nothing(nodes: EndpointNodes, down: int, how: str) -> None:
    """The other endpoint suffices. A second endpoint that denies logs does not matter: the first is believed."""
    two = await nodes.open(2)
    made = nodes.make()
    urls = [each.url for each in two]
    if how == "refuses connections":
        urls[down] = f"http://127.0.0.1:{usable_port()}"
    elif how == "hangs":
        two[down].hang = True
    else:
        two[1].alter = hides(*range(10_000), receipts=True)
    index = nodes.index(*urls, RPC_TIMEOUT=0.5)
    assert (await index.run()).stopped == "at_head"
    assert await nodes.knows(made)
