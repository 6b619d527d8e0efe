"""Promises against an RPC endpoint that lies, the first of two: it alone opens, writes and mails nothing personal."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Scenario
from reminder_worker.chain.abi import find_selector
from reminder_worker.chain.eip712 import ERC1271_MAGIC
from tests.integration import reminder_world
from tests.integration.api_world import ApiWorld, open_world, person
from tests.integration.chain_proxy import Json, NodeProxy, proxy
from tests.integration.mail_stub import MailStub

Alter = Callable[[Json, Json], Json]

CODE = "0x00"


@dataclass
class TwoNodes:
    """The API over one chain behind two endpoints; both are well unless told."""

    world: ApiWorld
    first: NodeProxy
    second: NodeProxy


@pytest.fixture
async def nodes(chain_scenario: Scenario, engine: AsyncEngine) -> AsyncIterator[TwoNodes]:
    url = chain_scenario.anvil.url
    async with proxy(url) as first, proxy(url) as second:
        more = {f"CHAIN_{chain_scenario.anvil.chain_id}_RPC_URLS": f"{first.url},{second.url}"}
        async with open_world(chain_scenario, engine, **more) as world:
            yield TwoNodes(world, first, second)


def calls_to(address: str, what: bytes, result: bytes) -> Alter:
    """Give another answer to a call outside of Multicall3."""
    wanted = "0x" + what.hex()

    def alter(request: Json, response: Json) -> Json:
        if request["method"] != "eth_call":
            return response
        message = request["params"][0]
        if message["to"] == address.lower() and message["data"].startswith(wanted):
            return {"jsonrpc": "2.0", "id": request["id"], "result": "0x" + result.hex()}
        return response

    return alter


def signs_for(address: str) -> Alter:
    """Let the endpoint invent a contract at `address` that confirms every signature."""
    agrees = calls_to(address, ERC1271_MAGIC, ERC1271_MAGIC + bytes(28))

    def alter(request: Json, response: Json) -> Json:
        if request["method"] == "eth_getCode" and request["params"][0].lower() == address.lower():
            return {**response, "result": CODE}
        return agrees(request, response)

    return alter


def creator_is(legacy: str, true: str, false: str) -> Alter:
    """The endpoint says that somebody else created `legacy`: wherever an answer about it holds the true creator."""
    asks = find_selector("Legacy", "creator").hex()

    def alter(request: Json, response: Json) -> Json:
        about = request["method"] == "eth_call" and asks in str(request["params"][0]["data"])
        if about and legacy[2:].lower() in str(request["params"][0]).lower():
            return {**response, "result": str(response.get("result")).replace(true[2:].lower(), false[2:].lower())}
        return response

    return alter


async def stored(world: ApiWorld) -> int:
    return int((await world.sql("select count(*) from worker.recipient"))[0][0])


async def test_an_endpoint_that_signs_for_everybody_opens_and_changes_nothing(nodes: TwoNodes) -> None:
    """ERC-1271 is an endpoint's word: with it alone a stranger would read, replace and erase any set."""
    world, owner, stranger = nodes.world, nodes.world.owner(), nodes.world.owner("stranger")
    legacy = world.legacy(owner)
    assert (await world.ingest(owner, legacy, [person(1)])).status == 200
    nodes.first.alter = signs_for(owner.address)
    for kind in ("ReadRecipients", "EraseLegacy", "SendInstructions"):
        answer = await world.call(stranger, kind, legacy)
        assert (answer.status, answer.code) == (503, "chain_unavailable"), kind
    answer = await world.ingest(stranger, legacy, [person(2)])
    assert (answer.status, answer.code) == (503, "chain_unavailable")
    nodes.first.well()
    assert [each["email"] for each in (await world.call(owner, "ReadRecipients", legacy)).body["recipients"]] == [
        "person1@example.org"
    ]


async def test_an_endpoint_that_names_another_creator_replaces_and_erases_nothing(nodes: TwoNodes) -> None:
    world, owner, stranger = nodes.world, nodes.world.owner(), nodes.world.owner("stranger")
    legacy = world.legacy(owner)
    assert (await world.ingest(owner, legacy, [person(1)])).status == 200
    nodes.first.alter = creator_is(legacy.address, owner.address, stranger.address)
    refused: list[Any] = [
        await world.ingest(stranger, legacy, [person(2)]),
        await world.call(stranger, "EraseLegacy", legacy),
        await world.call(stranger, "SendInstructions", legacy),
    ]
    assert [(each.status, each.code) for each in refused] == [(503, "chain_unavailable")] * 3
    assert (await world.call(stranger, "ReadRecipients", legacy)).body["recipients"] == []
    assert await stored(world) == 1
    nodes.first.well()
    assert len((await world.call(owner, "ReadRecipients", legacy)).body["recipients"]) == 1


@pytest.mark.parametrize("silent", ["first", "second"])
async def test_with_one_of_two_endpoints_down_nothing_is_written_and_what_is_stored_is_shown(
    nodes: TwoNodes, silent: str
) -> None:
    world, owner = nodes.world, nodes.world.owner()
    legacy = world.legacy(owner)
    assert (await world.ingest(owner, legacy, [person(1)])).status == 200
    down: NodeProxy = getattr(nodes, silent)
    down.answer = lambda request: {"error": {"code": -32005, "message": "rate limit exceeded"}}
    assert (await world.ingest(owner, legacy, [person(2)])).code == "chain_unavailable"
    assert (await world.call(owner, "EraseLegacy", legacy)).code == "chain_unavailable"
    assert len((await world.call(owner, "ReadRecipients", legacy)).body["recipients"]) == 1
    assert await stored(world) == 1


def invents(tx_hash: str, like: str, node: Any) -> Alter:
    """Let the endpoint invent a transaction, with the receipt of `like`."""
    true = node.rpc("eth_getTransactionReceipt", like)
    logs = [{**each, "transactionHash": tx_hash} for each in true["logs"]]

    def alter(request: Json, response: Json) -> Json:
        if request["method"] == "eth_getTransactionReceipt" and request["params"] == [tx_hash]:
            return {**response, "result": {**true, "transactionHash": tx_hash, "logs": logs}}
        return response

    return alter


@asynccontextmanager
async def checked_in(
    engine: AsyncEngine, scenario: Scenario, mail: MailStub, *endpoints: str
) -> AsyncIterator[reminder_world.MailWorld]:
    """The worker at these endpoints has just ticked: the owner, whom anna is to hear of, checked in before."""
    urls: dict[str, Any] = {f"CHAIN_{reminder_world.CHAIN_ID}_RPC_URLS": ",".join(endpoints)}
    async with reminder_world.open_world(engine, scenario, mail, **urls) as world:
        legacy = world.legacy(inactivity=90 * DAY)
        await world.save(legacy, "owner", "anna")
        world.scenario.check_in(world.account("owner"), legacy)
        await world.tick()
        yield world


async def test_an_activation_invented_by_one_endpoint_sends_no_email(
    chain_scenario: Scenario, engine: AsyncEngine
) -> None:
    """Not while the other one says otherwise, however long; nor at once where it says nothing."""
    url, invented = chain_scenario.anvil.url, "0x" + "ab" * 32
    async with (
        proxy(url) as first,
        proxy(url) as second,
        MailStub() as mail,
        checked_in(engine, chain_scenario, mail, first.url, second.url) as world,
    ):
        assert len(mail.inbox) == 2, "what both say is told"
        await world.sql("delete from worker.sent_ledger")
        ((genuine,),) = await world.sql("select tx_hash from worker.notify_signal")
        await world.sql("update worker.notify_signal set tx_hash = :invented, state = 'new'", invented=invented)
        first.alter = invents(invented, genuine, world.scenario.anvil)

        async def tick() -> int:
            await world.sql("update worker.notify_signal set next_try = now()")
            await world.dispatch.run()
            return len(mail.inbox)

        assert await tick() == 2
        await world.sql("update worker.notify_signal set seen_at = now() - interval '2 hours'")
        assert await tick() == 2, "the other one is believed, however long it takes"
        second.answer = lambda request: {"error": {"code": -32005, "message": "rate limit exceeded"}}
        assert await tick() == 2, "also when it then falls silent"
        await world.sql("update worker.notify_signal set seen_at = now(), reason = null")
        assert await tick() == 2, "and waited for"


def refuses_receipts(request: Json, response: Json) -> Json:
    """As a node that has no receipts, or keeps them from us: no word about any transaction."""
    if request["method"] == "eth_getTransactionReceipt":
        return {"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32601, "message": "no such method"}}
    return response


@pytest.mark.parametrize("down", [True, False], ids=["down", "refuses"])
async def test_a_signal_of_one_endpoint_counts_after_the_other_is_silent_for_long(
    chain_scenario: Scenario, engine: AsyncEngine, down: bool
) -> None:
    url = chain_scenario.anvil.url
    async with proxy(url) as second, MailStub() as mail:
        second.alter = refuses_receipts
        other = "http://127.0.0.1:9" if down else second.url
        async with checked_in(engine, chain_scenario, mail, url, other) as world:
            assert len(mail.inbox) == 0
            await world.sql("update worker.notify_signal set seen_at = now() - interval '2 hours', next_try = now()")
            await world.dispatch.run()
            assert len(mail.inbox) == 2
