"""A relayed request is followed by server-sent events: their order, their end, and how many may follow at once."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, NamedTuple

import aiohttp
import pytest
from sqlalchemy import event
from sqlalchemy.ext.asyncio import AsyncEngine

from api import request_events
from api.request_events import MOST_STREAMS, MOST_STREAMS_OF_A_CLIENT
from devnet.scenarios import Scenario
from tests.integration.api_world import ApiWorld
from tests.integration.test_sponsor_api import SponsorScenario, relayed, relaying, withdraw_body

COPIES = """
    insert into worker.relay_request
    select (jsonb_populate_record(r, jsonb_build_object('id', gen_random_uuid(), 'digest', sha256(n::text::bytea)))).*
    from worker.relay_request r, generate_series(1, :count) n
"""


class SentEvent(NamedTuple):
    kind: str
    id: str
    data: Any


@pytest.fixture
async def world(
    chain_scenario: Scenario, engine: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[ApiWorld]:
    monkeypatch.setattr(request_events, "LOOK_SECONDS", 0.02)
    proxied = {"RATE_LIMIT_PER_MINUTE": "1000", "TRUSTED_PROXIES": "127.0.0.1"}
    async with relaying(chain_scenario, engine, **proxied) as opened:
        yield opened


@pytest.fixture
async def path(world: ApiWorld, chain_scenario: Scenario) -> str:
    """A withdrawal that was sent to the chain."""
    scenario = SponsorScenario(chain_scenario)
    answer = await relayed(world, "/sponsor/gift-withdraw", withdraw_body(world, scenario.gift(), scenario.heir))
    return f"/sponsor/requests/{answer.body['id']}"


async def read_events(answer: aiohttp.ClientResponse) -> AsyncIterator[SentEvent]:
    lines: dict[str, str] = {}
    async for raw in answer.content:
        line = raw.decode().rstrip("\r\n")
        if line:
            name, _, value = line.partition(": ")
            lines[name.rstrip(":")] = value
        elif lines:
            data = lines.get("data", "")
            yield SentEvent(lines.get("event", "message"), lines.get("id", ""), json.loads(data) if data else None)
            lines = {}


async def set_state(world: ApiWorld, state: str) -> None:
    await world.sql("update worker.relay_request set state = :s", s=state)


async def test_each_state_arrives_once_and_then_the_end(world: ApiWorld, path: str) -> None:
    """A state is what the request itself answers. Who lost the connection goes on behind the last event; at the end
    nothing is left, and the browser is told not to come back."""
    async with world.session.get(world.url + path + "/events") as answer:
        assert (answer.status, answer.content_type) == (200, "text/event-stream")
        assert answer.headers["X-Accel-Buffering"] == "no"
        events = read_events(answer)
        first = await anext(events)
        assert (first.kind, first.data) == ("state", (await world.request("GET", path)).body)
        await set_state(world, "mined")
        mined = await anext(events)
        assert mined.data["status"] == "mined"
    async with world.session.get(world.url + path + "/events", headers={"Last-Event-ID": mined.id}) as answer:
        events = read_events(answer)
        await set_state(world, "confirmed")
        confirmed, end = [event async for event in events]
        assert (confirmed.data["status"], end.kind) == ("confirmed", "end")
    again = await world.request("GET", path + "/events", headers={"Last-Event-ID": confirmed.id})
    assert (again.status, again.body) == (204, b"")
    assert len({first.id, mined.id, confirmed.id}) == 3


async def test_silence_is_filled_so_that_no_proxy_closes_the_stream(
    world: ApiWorld, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_events, "ALIVE_SECONDS", 0.05)
    async with world.session.get(world.url + path + "/events") as answer:
        events = read_events(answer)
        kinds = [(await anext(events)).kind for _ in range(3)]
    assert kinds == ["state", "alive", "alive"]


async def follow_each(world: ApiWorld, opened: AsyncExitStack, ids: Sequence[Any]) -> list[AsyncIterator[SentEvent]]:
    """Open a stream for each request. Each client has one."""
    session = await opened.enter_async_context(aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)))
    streams = []
    for number, id in enumerate(ids):
        client = {"X-Forwarded-For": f"203.0.113.{number}"}
        asked = session.get(f"{world.url}/sponsor/requests/{id}/events", headers=client)
        streams.append(read_events(await opened.enter_async_context(asked)))
    return streams


async def test_all_streams_share_a_look(world: ApiWorld, path: str, engine: AsyncEngine) -> None:
    """A look has three statements for any number of requests: their states, their reasons to wait, and the budget.
    Every stream sees a change. A request without a stream is not asked for, and the looks end with the last stream."""
    await world.sql(COPIES, count=49)
    ids = [row.id for row in await world.sql("select id from worker.relay_request")]
    asked = asyncio.Queue[tuple[str, Any]]()

    def note(_connection: Any, _cursor: Any, words: str, values: Any, *_: Any) -> None:
        asked.put_nowait((words, values))

    async def wait_for_look(followed: int) -> None:
        """Wait until a look asks for so many requests."""
        async with asyncio.timeout(20):
            while str((await asked.get())[1]).count("-") != 4 * followed:
                pass

    async with AsyncExitStack() as kept, AsyncExitStack() as closed:
        staying = await follow_each(world, kept, ids[:20])
        leaving = await follow_each(world, closed, ids[20:])
        assert [(await anext(stream)).data["status"] for stream in staying + leaving] == ["broadcast"] * 50
        event.listen(engine.sync_engine, "before_cursor_execute", note)
        await wait_for_look(50)
        looks = [await asked.get() for _ in range(9)]
        assert len({words for words, _ in looks}) == 3
        await set_state(world, "mined")
        assert [(await anext(stream)).data["status"] for stream in staying + leaving] == ["mined"] * 50
        await closed.aclose()
        await wait_for_look(20)
        await set_state(world, "confirmed")
        ends = [[sent.kind async for sent in stream] for stream in staying]
        assert ends == [["state", "end"]] * 20
    event.remove(engine.sync_engine, "before_cursor_execute", note)
    async with asyncio.timeout(20):
        await asyncio.gather(*(task for task in asyncio.all_tasks() if "_keep_looking" in repr(task)))


async def test_streams_end_when_the_database_fails_and_begin_again(world: ApiWorld, path: str) -> None:
    async with AsyncExitStack() as opened:
        streams = await follow_each(world, opened, [path.rpartition("/")[2]] * 2)
        assert [(await anext(stream)).kind for stream in streams] == ["state"] * 2
        await world.sql("alter table worker.relay_request rename to gone")
        assert [[sent async for sent in stream] for stream in streams] == [[], []]
        await world.sql("alter table worker.gone rename to relay_request")
        (stream,) = await follow_each(world, opened, [path.rpartition("/")[2]])
        assert (await anext(stream)).data["status"] == "broadcast"
        await set_state(world, "mined")
        assert (await anext(stream)).data["status"] == "mined"


@asynccontextmanager
async def following(world: ApiWorld, path: str, client: str) -> AsyncIterator[aiohttp.ClientResponse]:
    """Open a stream as a client behind our proxy."""
    async with world.session.get(world.url + path + "/events", headers={"X-Forwarded-For": client}) as answer:
        yield answer


async def follow_at_once(world: ApiWorld, path: str, clients: Sequence[str]) -> Counter[tuple[str, int]]:
    """Open a stream for each entry of `clients` at the same time. Count the answers by client and status."""
    counted: Counter[tuple[str, int]] = Counter()
    async with AsyncExitStack() as opened:
        session = await opened.enter_async_context(aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)))

        async def open_stream(client: str) -> None:
            asked = session.get(world.url + path + "/events", headers={"X-Forwarded-For": client})
            answer = await opened.enter_async_context(asked)
            counted[client, answer.status] += 1
            if answer.status == 429:
                assert (await answer.json())["code"] == "rate_limited"
                assert answer.headers["Retry-After"] == "10"

        await asyncio.gather(*map(open_stream, clients))
    return counted


async def ask_until(world: ApiWorld, path: str, client: str, status: int) -> None:
    """Open and close streams until one has this status: the server learns a moment later that a client has left."""
    async with asyncio.timeout(20):
        while True:
            async with following(world, path, client) as answer:
                if answer.status == status:
                    return


async def test_one_client_follows_ten_requests(world: ApiWorld, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client without a place asks for the request itself. A place is free again when its holder leaves."""
    monkeypatch.setattr(request_events, "LOOK_SECONDS", 2.0)
    found = await follow_at_once(world, path, ["198.51.100.1"] * 150)
    assert found == {("198.51.100.1", 200): MOST_STREAMS_OF_A_CLIENT, ("198.51.100.1", 429): 140}
    await ask_until(world, path, "198.51.100.1", 200)


async def test_no_more_streams_are_open_than_the_database_bears(
    world: ApiWorld, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_events, "LOOK_SECONDS", 2.0)
    found = await follow_at_once(world, path, [f"203.0.113.{number // 10}" for number in range(150)])
    assert sum(count for (_, status), count in found.items() if status == 200) == MOST_STREAMS == 100
    assert (await world.request("GET", path)).status == 200


async def test_ipv6_network_of_a_customer_follows_as_many_requests_as_eight_clients(
    world: ApiWorld, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A customer has 65,536 networks of /64: one of /48."""
    monkeypatch.setattr(request_events, "LOOK_SECONDS", 2.0)
    found = await follow_at_once(world, path, [f"2001:db8:7:{number // 10:x}::1" for number in range(95)])
    assert sum(count for (_, status), count in found.items() if status == 200) == 8 * MOST_STREAMS_OF_A_CLIENT


async def test_every_ending_of_a_stream_releases_its_place(
    world: ApiWorld, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_events, "MOST_STREAMS_OF_A_CLIENT", 1)
    events, client = f"{path}/events", "198.51.100.1"
    for _ in range(3):  # requests that are refused
        assert (await world.request("GET", f"/sponsor/requests/{'0' * 32}/events")).status == 404
    async with following(world, path, client):
        pass  # the client has left before the first event
    await ask_until(world, path, client, 200)
    monkeypatch.setattr(request_events, "LONGEST_SECONDS", -1.0)  # a stream that has lasted its time
    await ask_until(world, path, client, 200)
    monkeypatch.undo()
    monkeypatch.setattr(request_events, "MOST_STREAMS_OF_A_CLIENT", 1)
    await set_state(world, "confirmed")
    for _ in range(3):  # the request has ended
        await ask_until(world, path, client, 200)
    for _ in range(3):
        known = (await world.request("GET", events)).body.split(b"id: ")[1].split()[0].decode()
        assert (await world.request("GET", events, headers={"Last-Event-ID": known})).status == 204


async def test_a_request_that_is_not_there_has_no_stream(world: ApiWorld) -> None:
    for id in ("0" * 32, "no-id"):
        answer = await world.request("GET", f"/sponsor/requests/{id}/events")
        assert (answer.status, answer.body["code"]) == (404, "not_found")
