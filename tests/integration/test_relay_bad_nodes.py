"""Reconciler against nodes that lie, lag, time out or refuse: one bad node of two ends and signs nothing."""

import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from aiohttp import web
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import Scenario
from reminder_worker.chain.client import Chain
from reminder_worker.errors import ChainUnavailable
from reminder_worker.relay.models import RequestView
from tests.integration.chain_proxy import Json, NodeProxy, alters, chain_settings, proxy, stopped
from tests.integration.relay_world import CEILING, GWEI, RelayWorld

PLACES = ("first", "second")


@dataclass
class BadNodes:
    """One chain behind two endpoints, which work unless configured."""

    world: RelayWorld
    first: NodeProxy
    second: NodeProxy

    def bad_and_good(self, place: str) -> tuple[NodeProxy, NodeProxy]:
        """Return the endpoint that is asked at this place, and the other one."""
        return (self.first, self.second) if place == "first" else (self.second, self.first)


@pytest.fixture
async def nodes(lasting_scenario: Scenario, engine: AsyncEngine) -> AsyncIterator[BadNodes]:
    url = lasting_scenario.anvil.url
    async with proxy(url) as first, proxy(url) as second:
        chain = Chain(chain_settings(lasting_scenario, first.url, second.url, RPC_TIMEOUT=20.0))
        world = RelayWorld(lasting_scenario, engine, chain)
        yield BadNodes(world, first, second)
        first.well()
        second.well()
        await chain.close()
        world.calm()


@pytest.mark.parametrize("place", PLACES)
async def test_node_on_an_abandoned_fork_does_not_prevent_rebroadcasts(nodes: BadNodes, place: str) -> None:
    """The other endpoint lost the transaction when it left that fork."""
    world = nodes.world
    request = await world.admit(world.gift())
    world.mine()
    await world.run()
    assert await world.state(request) == "mined"
    (attempt,) = await world.attempts()
    receipt = world.receipt(attempt["tx_hash"])
    bad, _ = nodes.bad_and_good(place)
    bad.alter = alters("eth_getTransactionReceipt", lambda *_: receipt)
    world.anvil.reorg(1)
    world.drop([attempt])
    await world.run()
    world.mine()
    assert world.count() == 1
    assert await world.state(request) == "mined", "nothing is taken back while they do not agree"
    bad.well()
    await nodes.world.settle()
    assert await world.state(request) == "confirmed"
    assert len(await world.attempts()) == 1


@pytest.mark.parametrize("place", PLACES)
async def test_stopped_node_neither_delays_nor_ends_a_request(nodes: BadNodes, place: str) -> None:
    """At the last block of this node the gift is locked: the call would revert there."""
    world = nodes.world
    gift = world.gift(locked=True)
    world.base_fee(2 * CEILING)
    request = await world.admit(gift, ttl=10**7)
    assert await world.state(request) == "deferred_fee"
    bad, _ = nodes.bad_and_good(place)
    bad.answer = stopped(world.anvil)
    world.anvil.increase_time(10**6)
    world.base_fee(GWEI)
    world.mine()
    assert (await world.run()).started == 1
    world.drop(await world.attempts())
    await world.age(400)
    report = await world.run()
    assert (report.replaced, report.freed) == (1, 0)


@pytest.mark.parametrize("place", PLACES)
async def test_mined_slot_is_recorded_although_one_of_two_nodes_is_stopped(nodes: BadNodes, place: str) -> None:
    """Otherwise, once all slots are open, no other request would be sent."""
    world = nodes.world
    request = await world.admit(world.gift())
    lacks, old = stopped(world.anvil), world.anvil.rpc("eth_getTransactionCount", world.wallet, "latest")

    def answer(request: Json) -> Json | None:
        if request["method"] == "eth_getTransactionReceipt":
            return {"result": None}
        return {"result": old} if request["method"] == "eth_getTransactionCount" else lacks(request)

    bad, good = nodes.bad_and_good(place)
    bad.answer = answer
    good.alter = alters("eth_getBlockByNumber", lambda _, block: {**block, "timestamp": hex(int(time.time()))})
    world.mine()
    await world.age(400)
    report = await world.run()
    assert (await world.state(request), report.replaced) == ("mined", 0)
    world.finalize()
    await world.run()
    assert await world.state(request) == "mined", "one alone does not end it"
    nodes.first.well()
    nodes.second.well()
    await world.settle()
    assert await world.state(request) == "confirmed"


async def test_without_any_node_the_run_fails_and_changes_nothing(nodes: BadNodes) -> None:
    await nodes.world.admit(nodes.world.gift())
    before = await nodes.world.slots()
    for node in (nodes.first, nodes.second):
        node.reply = lambda: web.Response(status=500)
    with pytest.raises(ChainUnavailable):
        await nodes.world.run()
    assert await nodes.world.slots() == before


ANSWERS = (
    "nonce too low",
    "nonce too low: next nonce 7, tx nonce 0",
    "already known",
    "transaction already imported",
    "replacement transaction underpriced",
    "transaction underpriced",
    "max fee per gas less than block base fee",
    "insufficient funds for gas * price + value",
    "txpool is full",
)


async def test_whatever_nodes_answer_to_a_transaction_nothing_is_signed_again(nodes: BadNodes) -> None:
    def refuses(message: str, request: Json) -> Json | None:
        if request["method"] == "eth_sendRawTransaction":
            return {"error": {"code": -32000, "message": message}}
        return None

    for number, message in enumerate(ANSWERS, 1):
        for node in (nodes.first, nodes.second):
            node.answer = partial(refuses, message)
        request = await nodes.world.admit(nodes.world.gift())
        for _ in range(3):
            await nodes.world.run()
        assert await nodes.world.state(request) in ("signed", "broadcast")
        assert len(await nodes.world.attempts()) == number
        for node in (nodes.first, nodes.second):
            node.well()
        await nodes.world.settle()
        assert await nodes.world.state(request) == "confirmed"
        assert (await nodes.world.budget())["spent"] == nodes.world.paid()


@pytest.mark.parametrize("place", PLACES)
async def test_one_node_claiming_a_used_signature_frees_no_nonce(nodes: BadNodes, place: str) -> None:
    bad, _ = nodes.bad_and_good(place)
    request = await nodes.world.admit(nodes.world.gift())
    asked = nodes.world.scenario.contracts["TimeLockRouter"].encode("sponsorNonce", nodes.world.wallet)[:10]

    def used(call: Json, found: Any) -> Any:
        return "0x" + (99).to_bytes(32, "big").hex() if call["params"][0]["data"].startswith(asked) else found

    bad.alter = alters("eth_call", used)
    for _ in range(3):
        assert (await nodes.world.run()).freed == 0
    await nodes.world.settle()
    assert await nodes.world.state(request) == "confirmed"
    assert [attempt["kind"] for attempt in await nodes.world.attempts()] == ["call"]


@pytest.mark.parametrize("place", PLACES)
async def test_hidden_event_does_not_turn_success_into_failure(nodes: BadNodes, place: str) -> None:
    bad, _ = nodes.bad_and_good(place)
    world = nodes.world
    authorization = world.withdrawal(world.gift())
    request = await world.admission.admit_request(authorization)
    world.send(world.account("stranger"), authorization.router, authorization.call_data, tip=10**11)
    bad.alter = alters("eth_getLogs", lambda *_: [])
    await nodes.world.settle()
    assert await world.state(request) == "satisfied_elsewhere"
    assert not await world.rows("select from worker.quota where scope = 'relay_paused'")


def slow_over_logs(request: Json, response: Json) -> Json:
    if request["method"] == "eth_getLogs":
        raise web.HTTPGatewayTimeout
    return response


async def failed_one(world: RelayWorld) -> RequestView:
    """Return a request whose transaction failed finally. Only a search of logs shows the end of its gift."""
    gift = world.gift("one")
    request = await world.admit(gift)
    world.drop(await world.attempts())
    world.pay_out_by_vault(gift)
    await world.run()
    world.finalize()
    return request


async def test_search_of_logs_does_not_delay_sending(nodes: BadNodes) -> None:
    """The search is the slowest request to a node, and a slow node is backed off from."""
    world = nodes.world
    failed = await failed_one(world)
    other = await world.admit(world.gift("other"))
    world.drop(await world.attempts())
    nodes.first.alter = nodes.second.alter = slow_over_logs
    await world.run()
    world.mine()
    assert world.count() == 2
    assert await world.state(failed) == "mined", "what became of it is not known yet"
    nodes.first.well()
    nodes.second.well()
    end_rests(nodes)
    await world.settle()
    assert [await world.state(each) for each in (failed, other)] == ["satisfied_elsewhere", "confirmed"]


def end_rests(nodes: BadNodes) -> None:
    """End the backoff of the endpoints after their failures."""
    for endpoint in nodes.world.chain.endpoints.members:
        endpoint.rest.record_success()
