"""The subgraph client against a server that follows graph-node: whole answers of one state, or a clear failure."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from graphql import parse, validate
from pydantic import SecretStr

from reminder_worker.errors import IndexerUnavailable
from reminder_worker.indexer import subgraph as module
from reminder_worker.indexer.models import FAR_FUTURE, IndexHead, SignalKind
from reminder_worker.indexer.subgraph import QUERIES, SubgraphClient
from tests.integration.indexer_graph_node import Entity, GraphNode, Store

ADDRESS = "0x" + "Ab" * 20
ROUTER = "0x" + "cd" * 20
HEAD = IndexHead(9, "0x" + "09" * 32)
META = {"block": {"number": 1, "hash": "0x" + "ab" * 32}, "hasIndexingErrors": False}


def empty() -> Store:
    return {name: {} for name in ("NotifyRequested", "Legacy", "ReminderConfiguration", "Timelock", "TimelockAsset")}


def put(store: Store, kind: str, **entity: Any) -> None:
    store[kind][entity["id"]] = entity


def fields(**values: Any) -> Entity:
    return values


def signal(number: int, **changes: Any) -> Entity:
    entity = {
        "id": f"0x{number:064x}-0",
        "legacy": ADDRESS,
        "creator": ROUTER,
        "layer": 1,
        "notifyType": 2,
        "blockNumber": 1 + number % 9,
        "blockTimestamp": 1_700_000_000 + number,
        "transactionHash": f"0x{number:064x}",
    }
    return entity | changes


@pytest.fixture
async def graph() -> AsyncIterator[GraphNode]:
    async with GraphNode() as node:
        node.states = [(number, f"0x{number:02x}" + f"{number:02x}" * 31, empty()) for number in range(10)]
        yield node


@pytest.fixture
async def subgraph(graph: GraphNode) -> AsyncIterator[SubgraphClient]:
    async with aiohttp.ClientSession() as session:
        yield SubgraphClient(graph.url, session, backoff_seconds=0, rest_seconds=3600)


def store_of(graph: GraphNode) -> Store:
    return graph.states[-1][2]


def test_every_query_is_valid_for_the_shipped_schema() -> None:
    """A graph-node with `schema.graphql` understands every query of the client."""
    schema = GraphNode().schema
    assert len(QUERIES) == 5
    assert {name: validate(schema, parse(text)) for name, text in QUERIES.items()} == {name: [] for name in QUERIES}


async def test_more_signals_than_a_page_holds_all_come_in_chain_order(
    graph: GraphNode, subgraph: SubgraphClient
) -> None:
    """2,500 signals are three pages of at most 1,000: each once, by block."""
    for number in range(2500):
        put(store_of(graph), "NotifyRequested", **signal(number))
    found = await subgraph.read_signals(0, 9, HEAD)
    assert len({item.tx_hash for item in found}) == len(found) == 2500
    assert [item.block_number for item in found] == sorted(item.block_number for item in found)
    assert graph.asked == ["NotifyRequested"] * 3
    assert (found[0].legacy, found[0].kind) == (ADDRESS.lower(), SignalKind.TRANSFER_ACTIVATION)


async def test_only_the_blocks_asked_for(graph: GraphNode, subgraph: SubgraphClient) -> None:
    """Both ends are included, nothing beyond."""
    for number in range(9):
        put(store_of(graph), "NotifyRequested", **signal(number))
    assert [item.block_number for item in await subgraph.read_signals(3, 5, HEAD)] == [3, 4, 5]


async def test_more_keys_than_a_filter_takes_are_all_answered(graph: GraphNode, subgraph: SubgraphClient) -> None:
    """1,200 configurations are asked for in parts; unknown ones are absent."""
    keys = [f"0x{number:040x}" for number in range(1300)]
    for key in keys[:1200]:
        put(store_of(graph), "ReminderConfiguration", id=key, creator=ADDRESS, cosigners=[], beneficiaries=[ROUTER],
            secondLine=None, thirdLine="0x" + "0" * 40)  # fmt: skip
    found = await subgraph.reminder_configs(keys, HEAD)
    assert sorted(found) == keys[:1200]
    assert {(config.second_line, config.third_line) for config in found.values()} == {(None, None)}


async def test_answers_are_of_the_state_asked_about(graph: GraphNode, subgraph: SubgraphClient) -> None:
    """A subgraph that moved on still answers from the block of `at`; from one it does not have it refuses."""
    config = fields(id=ROUTER, creator=ADDRESS, cosigners=[], beneficiaries=[], secondLine=None)
    put(graph.states[3][2], "ReminderConfiguration", **config, thirdLine=None)
    put(store_of(graph), "ReminderConfiguration", **config, thirdLine=ROUTER)
    early = IndexHead(3, graph.states[3][1])
    assert (await subgraph.reminder_configs([ROUTER], early))[ROUTER].third_line is None
    assert (await subgraph.reminder_configs([ROUTER], HEAD))[ROUTER].third_line == ROUTER
    with pytest.raises(IndexerUnavailable):
        await subgraph.reminder_configs([ROUTER], IndexHead(3, "0x" + "ff" * 32))


async def test_a_timelock_with_more_assets_than_a_page_is_whole(graph: GraphNode, subgraph: SubgraphClient) -> None:
    """Locking many tokens hides no token and blocks no other timelock."""
    lock = fields(id="7", lockType=2, owner=ADDRESS, recipient=ROUTER, unlockTime=2**250, status=2, createdAt=5)
    put(store_of(graph), "Timelock", **lock)
    for number in range(1100):
        put(store_of(graph), "TimelockAsset", id=f"7-{ROUTER}-{number}", timelock="7", vault=ROUTER, token=ADDRESS,
            tokenId=None, amount=10**30 + number)  # fmt: skip
    found = (await subgraph.read_timelocks([7], HEAD))[7]
    assert len(found.assets) == 1100
    assert (found.unlock_time, found.assets[0].amount) == (FAR_FUTURE, 10**30)


async def test_a_passing_failure_is_tried_again(graph: GraphNode, subgraph: SubgraphClient) -> None:
    """The client retries after two failures and after a closed connection."""
    for status in (429, 500, 502, 503):
        graph.faults.extend([web.Response(status=status), web.Response(status=status)])
        assert await subgraph.read_head() == HEAD
        assert not subgraph.is_resting


@pytest.mark.parametrize(
    "fault",
    [
        lambda: web.Response(status=503),
        lambda: web.Response(status=404),
        lambda: web.Response(status=307, headers={"Location": "/api/secret-key/subgraphs/id/reminders"}),
        lambda: web.Response(text="<html>", status=200),
        lambda: web.Response(text="[]", status=200),
        lambda: web.Response(text='{"data": null}', status=200),
        lambda: web.Response(text='{"errors": [{"message": "secret-key rate limit"}]}', status=200),
        lambda: web.Response(text=json.dumps({"data": {"_meta": META}, "errors": [{"message": "a part"}]}), status=200),
        lambda: web.Response(text="[" * 100_000, status=200),
        lambda: web.Response(body=b'{"data": {"_meta": {"block": {"number": 1, "hash": "\xff"}}}}', status=200),
        lambda: ConnectionResetError(),
    ],
)
async def test_a_lasting_failure_is_unavailable_and_names_no_address(
    graph: GraphNode, subgraph: SubgraphClient, fault: Callable[[], web.Response | Exception]
) -> None:
    """A bad answer raises `IndexerUnavailable` and starts the backoff; the message has no URL and no foreign text."""
    graph.faults.extend(fault() for _ in range(3))
    with pytest.raises(IndexerUnavailable) as caught:
        await subgraph.read_head()
    assert "secret-key" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    assert subgraph.is_resting


async def test_a_subgraph_that_hangs_is_waited_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three waits would use up the time of a run, while our own index could answer."""
    monkeypatch.setattr(module, "TIMEOUT", aiohttp.ClientTimeout(total=0.2))
    connections = 0

    async def hang(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        await asyncio.Event().wait()

    server = await asyncio.start_server(hang, "127.0.0.1", 0)
    url = SecretStr(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/")
    async with aiohttp.ClientSession() as session:
        with pytest.raises(IndexerUnavailable):
            await SubgraphClient(url, session, backoff_seconds=0).read_head()
    server.close()
    assert connections == 1


async def test_a_subgraph_with_indexing_errors_does_not_answer(graph: GraphNode, subgraph: SubgraphClient) -> None:
    """The subgraph reports it in `_meta`, and refuses everything else."""
    graph.has_indexing_errors = True
    with pytest.raises(IndexerUnavailable, match="indexing errors"):
        await subgraph.read_head()
    with pytest.raises(IndexerUnavailable):
        await subgraph.read_signals(0, 9, HEAD)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("legacy", "0x12"), ("legacy", None), ("legacy", ADDRESS + "\n"), ("creator", 7), ("layer", 256),
        ("layer", "1"), ("notifyType", -1), ("blockNumber", 5), ("blockNumber", "-5"), ("blockNumber", "\u0665"),
        ("blockTimestamp", "1e9"), ("transactionHash", "0x" + "0" * 63 + "g"), ("id", ""),
    ],
)  # fmt: skip
async def test_a_malformed_entity_is_named_by_its_field_and_never_guessed(
    graph: GraphNode, subgraph: SubgraphClient, field: str, value: object
) -> None:
    """A value of another shape makes the subgraph unavailable; the message has the field and not the value."""
    put(store_of(graph), "NotifyRequested", **signal(4))

    def spoil(data: Any) -> None:
        data["rows"][0][field] = value

    graph.spoil = spoil
    with pytest.raises(IndexerUnavailable, match=rf"rows\[.*\]\.{field}") as caught:
        await subgraph.read_signals(0, 9, HEAD)
    assert len(str(value)) < 3 or str(value) not in str(caught.value)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data["rows"].append(signal(1, blockNumber="5", blockTimestamp="5")),
        lambda data: data["rows"][0].update(blockNumber="99"),
        lambda data: data["rows"].reverse(),
    ],
    ids=["repeated", "other block", "not ascending"],
)
async def test_a_server_that_does_not_page_or_filter_is_not_believed(
    graph: GraphNode, subgraph: SubgraphClient, spoil: Callable[[Any], None]
) -> None:
    """Rows out of order would page for ever or leave some out; rows of other blocks were not asked for."""
    for number in (1, 2):
        put(store_of(graph), "NotifyRequested", **signal(number))
    graph.spoil = spoil
    with pytest.raises(IndexerUnavailable):
        await subgraph.read_signals(0, 9, HEAD)


async def test_an_entity_that_was_not_asked_for_is_not_believed(graph: GraphNode, subgraph: SubgraphClient) -> None:
    """A foreign configuration must not replace ours."""
    config = fields(id=ROUTER, creator=ADDRESS, cosigners=[], beneficiaries=[], secondLine=None, thirdLine=None)
    put(store_of(graph), "ReminderConfiguration", **config)
    graph.spoil = lambda data: data["rows"][0].update(id="0x" + "ee" * 20)
    with pytest.raises(IndexerUnavailable, match="not asked for"):
        await subgraph.reminder_configs([ROUTER], HEAD)
