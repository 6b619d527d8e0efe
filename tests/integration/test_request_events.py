"""A relayed request is followed by server-sent events: their order, their end, and how many may follow at once."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

import aiohttp
import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from api import request_events
from devnet.scenarios import Scenario
from tests.integration.api_world import ApiWorld
from tests.integration.test_sponsor_api import SponsorScenario, relayed, relaying, withdraw_body


class SentEvent(NamedTuple):
    kind: str
    id: str
    data: Any


@pytest.fixture
async def world(
    chain_scenario: Scenario, engine: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[ApiWorld]:
    monkeypatch.setattr(request_events, "LOOK_SECONDS", 0.02)
    async with relaying(chain_scenario, engine) as opened:
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


async def test_no_more_streams_are_open_than_the_database_bears(
    world: ApiWorld, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client without a place asks for the request itself. A place is free again when its holder leaves."""
    monkeypatch.setattr(request_events, "MOST_STREAMS", 1)
    async with world.session.get(world.url + path + "/events") as answer:
        await anext(read_events(answer))
        refused = await world.request("GET", path + "/events")
        assert (refused.status, refused.body["code"]) == (429, "rate_limited")
        assert (await world.request("GET", path)).status == 200
    await set_state(world, "confirmed")
    async with asyncio.timeout(20):
        while (found := await world.request("GET", path + "/events")).status == 429:  # noqa: ASYNC110 - no event says so
            await asyncio.sleep(0.05)
    assert found.body.count(b"event: state") == 1


async def test_a_request_that_is_not_there_has_no_stream(world: ApiWorld) -> None:
    for id in ("0" * 32, "no-id"):
        answer = await world.request("GET", f"/sponsor/requests/{id}/events")
        assert (answer.status, answer.body["code"]) == (404, "not_found")
