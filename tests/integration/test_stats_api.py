"""Promises of `/stats` and `/stats/prices`: from memory, the same bytes everywhere, honest about their age."""

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from api.schemas import format_time
from api.stats import PublishedStats, whole_tokens
from devnet.deploy import HOUR
from devnet.scenarios import Scenario
from reminder_worker.database.engine import open_engine
from reminder_worker.outbox.messages import to_datetime
from reminder_worker.statistics.price_job import PricePass
from reminder_worker.statistics.prices import GRACE_SECONDS
from reminder_worker.statistics.snapshots import StatisticsSnapshot, save_snapshot, start_of_hour
from tests.integration.api_world import APP_ORIGIN, ApiAnswer, ApiWorld, open_world

DOLLARS = 10**8
TOKEN = "0x" + "aa" * 20


@pytest.fixture
async def world(chain_scenario: Scenario, engine: AsyncEngine) -> AsyncIterator[ApiWorld]:
    anvil = chain_scenario.anvil
    anvil.set_time(max(anvil.now() + 1, int(time.time())))
    set_ether(chain_scenario, 2_500)
    async with open_world(chain_scenario, engine, **chain_scenario.deployment.price_environ(anvil.chain_id)) as opened:
        yield opened


def set_ether(scenario: Scenario, dollars: int) -> int:
    """A new round; when it was updated."""
    now = scenario.anvil.now()
    feed, keeper = scenario.deployment.eth_usd_feed, scenario.account("keeper")
    scenario.write(keeper, "PriceFeed", feed, "setAnswer", dollars * DOLLARS, now)
    return now


def snapshot(chain_id: int, block_time: int, **changes: Any) -> StatisticsSnapshot:
    whole: dict[str, Any] = {
        "chain_id": chain_id,
        "hour": start_of_hour(block_time),
        "block_number": 17,
        "block_hash": "0x" + "11" * 32,
        "block_time": block_time,
        "counts": {
            "legacies": {"total": 5, "live": 3, "activated": 1, "deleted": 1, "byType": {"eoa": 4, "safe": 1}},
            "timelocks": {"total": 4, "live": 3, "ended": 1, "gifts": 2},
        },
        "tokens": [
            {"token": "ETH", "symbol": "ETH", "decimals": 18, "amount": str(15 * 10**17), "usd": "3750.00"},
            {"token": TOKEN, "symbol": None, "decimals": None, "amount": "77", "usd": None},
            {"token": TOKEN, "symbol": "OLD", "decimals": 2, "amount": "7700", "usd": None},
        ],
        "value_secured_usd": Decimal("3750.00"),
    }
    return StatisticsSnapshot(**whole | changes)


async def read_prices(world: ApiWorld) -> None:
    for chain in world.parts.chains.values():
        await PricePass(world.engine, chain).run()


def published(world: ApiWorld, **more: Any) -> PublishedStats:
    """Return the published figures as another process reads them."""
    return PublishedStats(world.engine, [chain.settings for chain in world.parts.chains.values()], **more)


async def answers(world: ApiWorld, path: str, words: str = "") -> Any:
    """As soon as the background has it, with these words in it."""
    for _ in range(500):
        answer = await world.request("GET", path)
        if answer.status == 200 and words in json.dumps(answer.body):
            return answer
        await asyncio.sleep(0.02)
    raise AssertionError("nothing was published")


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.stats.EVERY_SECONDS", 0.05)


async def test_before_the_first_look_it_says_that_there_is_nothing_yet(world: ApiWorld) -> None:
    for path in ("/stats", "/stats/prices"):
        answer = await world.request("GET", path)
        assert (answer.status, answer.code) == (503, "unavailable")
        assert int(answer.headers["Retry-After"]) > 0


async def test_without_feeds_it_says_that_prices_are_not_configured(
    chain_scenario: Scenario, engine: AsyncEngine
) -> None:
    async with open_world(chain_scenario, engine) as bare:
        for path in ("/stats/prices", "/stats/prices?at=2020-01-01T00:00:00Z"):
            answer = await bare.request("GET", path)
            assert (answer.status, answer.code) == (503, "not_configured")


async def test_statistics_have_exactly_the_promised_shape(world: ApiWorld) -> None:
    await save_snapshot(world.engine, snapshot(world.chain_id, 1_800_000_000))
    answer = await answers(world, "/stats")
    legacies = {"total": 5, "live": 3, "activated": 1, "deleted": 1, "byType": {"eoa": 4, "safe": 1}}
    timelocks = {"total": 4, "live": 3, "ended": 1, "gifts": 2}
    assert answer.body == {
        "asOf": "2027-01-15T08:00:00Z",
        "chains": [
            {
                "chainId": world.chain_id,
                "legacies": legacies,
                "timelocks": timelocks,
                "valueSecuredUsd": "3750.00",
                "tokens": [
                    {"symbol": "ETH", "amount": "1.5", "usd": "3750.00"},
                    {"symbol": "OLD", "amount": "77", "usd": None},
                ],
                "withoutPrice": [TOKEN, "OLD"],
                "blockNumber": 17,
            }
        ],
        "totals": {"legacies": legacies, "timelocks": timelocks, "valueSecuredUsd": "3750.00"},
    }
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["Cache-Control"].startswith("public, max-age=")
    assert set(re.findall("0x[0-9a-f]+", json.dumps(answer.body))) == {TOKEN}  # no address but of a nameless token


async def test_totals_are_over_all_chains_and_as_of_is_the_oldest(world: ApiWorld) -> None:
    first = world.parts.chains[world.chain_id].settings
    second = first.model_copy(update={"chain_id": 5})
    await save_snapshot(world.engine, snapshot(world.chain_id, 1_800_000_000))
    await save_snapshot(world.engine, snapshot(5, 1_800_000_000 - 7200, value_secured_usd=None))
    both = PublishedStats(world.engine, [first, second])
    await both.refresh()
    assert both.stats is not None
    said = json.loads(both.stats.body)
    assert said["asOf"] == "2027-01-15T06:00:00Z"
    assert [chain["chainId"] for chain in said["chains"]] == [5, world.chain_id]
    assert said["totals"]["legacies"] == {
        "total": 10, "live": 6, "activated": 2, "deleted": 2, "byType": {"eoa": 8, "safe": 2}
    }  # fmt: skip
    assert said["totals"]["timelocks"]["gifts"] == 4
    assert said["totals"]["valueSecuredUsd"] == "3750.00"


async def test_totals_hold_nothing_of_test_chains_beside_mainnet(world: ApiWorld) -> None:
    """On a test chain anybody can create many legacies, and nothing has a value."""
    first = world.parts.chains[world.chain_id].settings
    both = PublishedStats(world.engine, [first, first.model_copy(update={"chain_id": 1})])
    await save_snapshot(world.engine, snapshot(world.chain_id, 1_800_000_000))
    await both.refresh()
    assert both.stats is None, "totals over nothing would say that there is nothing"
    await save_snapshot(world.engine, snapshot(1, 1_800_000_000, value_secured_usd=Decimal("17.00")))
    await both.refresh()
    assert both.stats is not None
    said = json.loads(both.stats.body)
    assert [chain["valueSecuredUsd"] for chain in said["chains"]] == ["17.00", "3750.00"]
    assert (said["totals"]["legacies"]["total"], said["totals"]["timelocks"]["total"]) == (5, 4)
    assert said["totals"]["valueSecuredUsd"] == "17.00"


async def test_prices_have_exactly_the_promised_shape(world: ApiWorld) -> None:
    updated_at = set_ether(world.scenario, 2_513)
    await read_prices(world)
    block_time = world.scenario.anvil.now()
    answer = await answers(world, "/stats/prices")
    assert answer.body["asOf"] == format_time(to_datetime(block_time))
    ether = answer.body["prices"][0]
    assert ether == {
        "chainId": world.chain_id,
        "symbol": "ETH",
        "usd": "2513.00000000",
        "decimals": 8,
        "updatedAt": format_time(to_datetime(updated_at)),
        "roundId": ether["roundId"],
        "stale": False,
    }
    assert ether["roundId"].isdecimal()
    assert [price["symbol"] for price in answer.body["prices"]] == ["ETH", "WETH", "USDC"]


async def test_a_client_with_the_current_bytes_gets_304(world: ApiWorld) -> None:
    for path in ("/stats", "/stats/prices"):
        await save_snapshot(world.engine, snapshot(world.chain_id, 1_800_000_000))
        await read_prices(world)
        whole = await answers(world, path)
        tag = whole.headers["ETag"]
        assert re.fullmatch(r'"[0-9a-f]{32}"', tag)
        for given in (tag, f"W/{tag}", f'"other", {tag}', f'W/"x",W/{tag} , "y"', "*", " * "):
            answer = await world.request("GET", path, headers={"If-None-Match": given})
            assert (answer.status, answer.body) == (304, b""), given
            assert answer.headers["ETag"] == tag
            assert answer.headers["Cache-Control"] == whole.headers["Cache-Control"]
        for given in ('"other"', tag.strip('"'), "", f'"{tag[1:-2]}"', "**"):
            answer = await world.request("GET", path, headers={"If-None-Match": given})
            assert (answer.status, answer.body) == (200, whole.body), given


def tags(of: PublishedStats) -> tuple[str, str]:
    """Return the tags of statistics and prices."""
    assert of.stats is not None
    assert of.prices is not None
    return of.stats.etag, of.prices.etag


async def test_neither_the_chain_nor_the_database_is_waited_for(world: ApiWorld, database_url: str) -> None:
    """The chain is gone, and every table is locked: what is known is told, at once."""
    await save_snapshot(world.engine, snapshot(world.chain_id, 1_800_000_000))
    await read_prices(world)
    known = [(await answers(world, path)).body for path in ("/stats", "/stats/prices")]
    for chain in world.parts.chains.values():
        await chain.close()
    await world.request("GET", "/stats")  # a share of the rate limit is in hand
    other = open_engine(database_url)
    async with other.begin() as connection:
        await connection.execute(text("lock table worker.statistics, worker.price, worker.price_feed"))
        async with asyncio.timeout(60):
            again = [(await world.request("GET", path)).body for path in ("/stats", "/stats/prices")]
    assert again == known
    await other.dispose()


async def test_a_price_in_memory_grows_stale_while_the_database_does_not_answer(
    world: ApiWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    await read_prices(world)
    passed = 0.0
    memory = published(world, clock=lambda: passed)
    await memory.refresh()
    assert memory.prices is not None
    assert [price["stale"] for price in json.loads(memory.prices.body)["prices"]] == [False] * 3

    async def down(*_: object) -> None:
        raise OSError

    monkeypatch.setattr("api.stats.read_feed_states", down)
    passed = HOUR + GRACE_SECONDS + 1
    await memory.refresh()
    assert [price["stale"] for price in json.loads(memory.prices.body)["prices"]] == [True, True, False]


async def test_history_answers_for_a_moment_or_says_that_there_is_none(world: ApiWorld) -> None:
    first = set_ether(world.scenario, 2_500)
    await read_prices(world)
    world.scenario.anvil.increase_time(1800)
    second = set_ether(world.scenario, 2_600)
    await read_prices(world)
    await answers(world, "/stats/prices", "2600")

    async def at(moment_: int) -> Any:
        return await world.request("GET", "/stats/prices", params={"at": format_time(to_datetime(moment_))})

    before = await at(first - 10**8)
    assert (before.status, before.code) == (404, "no_history")
    for asked, dollars in ((first, 2500), (second - 1, 2500), (second, 2600)):
        answer = await at(asked)
        assert answer.body["asOf"] == format_time(to_datetime(asked))
        assert answer.body["prices"][0]["usd"] == f"{dollars}.00000000"
        assert not answer.body["prices"][0]["stale"]


async def test_a_moment_outside_the_past_is_refused(world: ApiWorld) -> None:
    for written in (
        *("yesterday", "1800000000", "2027-13-01T00:00:00Z", "2027-01-01", "2027-01-01T00:00:00", "", "9" * 5000),
        "2999-01-01T00:00:00Z",
    ):
        answer = await world.request("GET", "/stats/prices", params={"at": written})
        assert (answer.status, answer.code) == (422, "invalid_input")
        assert answer.body["errors"][0]["pointer"] == "/at"
        assert not written or written not in json.dumps(answer.body)


async def test_a_cached_answer_equals_the_answer_of_the_route(world: ApiWorld) -> None:
    for path in ("/stats", "/stats/prices"):
        await save_snapshot(world.engine, snapshot(world.chain_id, 1_800_000_000))
        await read_prices(world)
        tag = (await answers(world, path)).headers["ETag"]
        for headers, status in (({}, 200), ({"If-None-Match": tag}, 304)):
            before = await requests_counted(world, path, status)
            memory, routes = [
                await world.request("GET", path + query, headers=headers) for query in ("", "?goes=to-the-routes")
            ]
            assert memory.body == routes.body
            assert memory.status == routes.status == status
            assert _lasting(memory) == _lasting(routes)
            assert re.fullmatch("[0-9a-f]{32}", memory.headers["X-Request-ID"])
            assert await requests_counted(world, path, status) == before + 2
        assert (await world.request("POST", path)).status == 405


async def test_a_page_of_ours_may_read_it_from_its_own_origin(world: ApiWorld) -> None:
    await save_snapshot(world.engine, snapshot(world.chain_id, 1_800_000_000))
    await answers(world, "/stats")
    answer = await world.request("GET", "/stats", headers={"Origin": APP_ORIGIN})
    assert answer.headers["Access-Control-Allow-Origin"] == APP_ORIGIN
    other = await world.request("GET", "/stats", headers={"Origin": "https://evil.example"})
    assert "Access-Control-Allow-Origin" not in other.headers
    for each in (answer, other, await world.request("GET", "/stats")):
        assert each.headers["Vary"] == "Origin"  # or a shared cache would give one's answer to another


async def test_answers_from_memory_use_up_the_limit(chain_scenario: Scenario, engine: AsyncEngine) -> None:
    await save_snapshot(engine, snapshot(chain_scenario.anvil.chain_id, 1_800_000_000))
    async with open_world(chain_scenario, engine, RATE_LIMIT_PER_MINUTE="20") as world:
        codes = [(await world.request("GET", "/stats")).status for _ in range(50)]
    assert codes.count(200) <= 40  # a minute may end meanwhile
    assert codes[0] == 200
    assert 429 in codes


async def requests_counted(world: ApiWorld, path: str, status: int) -> float:
    text_ = (await (await world.session.get(world.metrics_url + "/metrics")).text()).splitlines()
    series = f'reminder_worker_http_requests_total{{method="GET",route="{path}",status="{status}"}} '
    return sum(float(line.removeprefix(series)) for line in text_ if line.startswith(series))


def _lasting(answer: ApiAnswer) -> dict[str, str]:
    return {k.lower(): v for k, v in answer.headers.items() if k.lower() not in ("x-request-id", "date")}


def test_amounts_are_whole_tokens_exactly() -> None:
    for amount, decimals, words in (
        (0, 18, "0"),
        (1, 18, "0.000000000000000001"),
        (10**18, 18, "1"),
        (1500, 0, "1500"),
        (1500, 3, "1.5"),
    ):
        assert whole_tokens(amount, decimals) == words
