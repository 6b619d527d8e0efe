"""Promises of past prices: the round valid when a gift was sealed is read back from its feed, once."""

import json
import time
from collections.abc import AsyncIterator, Mapping

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.deploy import DAY, ETHER, HOUR, deploy_contract
from devnet.scenarios import Scenario
from reminder_worker.chain.client import Chain
from reminder_worker.settings.values import PriceFeed
from reminder_worker.statistics import past_rounds
from reminder_worker.statistics.price_job import PricePass
from tests.integration.api_world import settings_for
from tests.integration.test_prices import DOLLARS, REVERTS, Feeds

OLD, NEW = 1 << 64, 2 << 64


@pytest.fixture
async def feeds(chain_scenario: Scenario, engine: AsyncEngine) -> AsyncIterator[Feeds]:
    """Deploy a feed of ether; nothing has been read yet."""
    anvil = chain_scenario.anvil
    anvil.set_time(max(anvil.now() + 1, int(time.time())))
    feed = deploy_contract(anvil, chain_scenario.contracts["PriceFeed"], "ETH / USD", 8, 2_000 * DOLLARS)
    tokens = (ETHER, chain_scenario.deployment.weth)
    environ = {f"CHAIN_{anvil.chain_id}_PRICE_FEEDS": ",".join(f"{token}={feed}@{HOUR}" for token in tokens)}
    settings = settings_for(chain_scenario, "postgresql://unused@localhost/unused", **environ)
    chain = Chain(settings.chains[0])
    yield Feeds(chain_scenario, engine, chain, PricePass(engine, chain))
    await chain.close()


def write_rounds(feeds: Feeds, rounds: Mapping[int, tuple[int, int]]) -> None:
    """Write rounds by id: dollars and time."""
    for number, (dollars, moment) in rounds.items():
        feed = feeds.settings.price_feeds[0].feed
        keeper = feeds.scenario.account("keeper")
        feeds.scenario.write(keeper, "PriceFeed", feed, "setRound", number, dollars * DOLLARS, moment, number)


async def seal(feeds: Feeds, *moments: int, token: str = "", block: int = 1) -> None:
    """Put gifts into the index, as sealed at these times."""
    assets = json.dumps([{"vault": feeds.ether, "token": token or feeds.scenario.deployment.weth, "id": "0"}])
    insert = """
        insert into worker.timelock
            select :chain, coalesce(max(timelock_id), 0) + 1, 2, :who, :who, 0, 2, cast(:assets as jsonb), :block, :at
            from worker.timelock
    """
    given = {"chain": feeds.chain.chain_id, "who": feeds.ether, "assets": assets, "block": block}
    async with feeds.engine.begin() as connection:
        for moment in moments:
            await connection.execute(text(insert), given | {"at": moment})


async def test_gift_sealed_before_the_first_reading_has_the_price_of_its_own_time(feeds: Feeds) -> None:
    """The feed has two aggregators and rounds of two days; the second wrote one round half a day before its turn."""
    now = feeds.anvil.now()
    first = now - 5 * DAY
    hourly = {OLD + n: (2_000 + n, first + n * HOUR) for n in range(1, 24)}
    late = {NEW + n: (3_000 + n, first + DAY + n * HOUR) for n in range(2, 24)}
    write_rounds(feeds, hourly | {NEW + 1: (3_001, first + 10 * HOUR)} | late | {NEW + 24: (3_024, now)})
    expected = {
        first + 5 * HOUR: 2_005,
        first + 6 * HOUR - 1: 2_005,
        first + 6 * HOUR: 2_006,
        first + 20 * HOUR + 99: 2_020,
        first + DAY + 2 * HOUR: 3_002,
        first + DAY + 17 * HOUR + 1800: 3_017,
        now: 3_024,
    }
    await seal(feeds, first - DAY, *expected)
    assert await feeds.prices.poll()
    report = await feeds.run()
    assert (report.rounds, report.past) == (1, 5)  # the round of now was just read, and two gifts share one
    found = {moment: (await feeds.at(moment))[ETHER] for moment in expected}
    assert {moment: (price.usd, price.stale) for moment, price in found.items()} == {
        moment: (dollars, False) for moment, dollars in expected.items()
    }
    assert found[first + 5 * HOUR].round_id == OLD + 5
    assert not await feeds.at(first - DAY)


async def test_nothing_is_read_back_twice_and_each_later_gift_once(
    feeds: Feeds, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[int]()
    read = past_rounds.read_rounds

    async def count(chain: Chain, feed: PriceFeed, gifts: list[past_rounds.SealingMoment], *rest: object) -> object:
        asked.extend(gift.moment for gift in gifts)
        return await read(chain, feed, gifts, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(past_rounds, "read_rounds", count)
    monkeypatch.setattr(past_rounds, "GIFTS_IN_RUN", 2)
    now = feeds.anvil.now()
    write_rounds(feeds, {OLD + n: (2_000 + n, now - (9 - n) * HOUR) for n in range(1, 10)})
    assert (await feeds.run()).past == 0
    assert not await feeds.prices.poll()
    sealed = [now - n * HOUR for n in (7, 5, 3)]
    await seal(feeds, *sealed, token=feeds.scenario.deployment.dai)
    assert await feeds.prices.poll()
    await feeds.run()
    assert not asked, "no feed of this token"
    assert not await feeds.prices.poll()
    await seal(feeds, *(moment + 3 * HOUR + 60 for moment in sealed))
    while await feeds.prices.poll():
        await feeds.run()
    assert asked == [now - 2 * HOUR + 60, now + 60]  # until then it was asked for already
    await feeds.run()
    assert len(asked) == 2
    async with feeds.engine.begin() as connection:
        await connection.execute(text("delete from worker.timelock where created_at > :at"), {"at": now - 6 * HOUR})
    assert await feeds.prices.poll()
    await feeds.run()
    await seal(feeds, now - 5 * HOUR)
    await feeds.run()
    assert asked[2:] == [now - 5 * HOUR], "the index was read again, and has found a gift more"


async def test_gift_that_the_index_lacked_until_a_backfill_has_its_price(feeds: Feeds) -> None:
    """It is earlier than gifts that were asked for. No look falls between the start and the end of the backfill."""
    now = feeds.anvil.now()
    write_rounds(feeds, {OLD + n: (2_000 + n, now - (9 - n) * HOUR) for n in range(1, 10)})
    await seal(feeds, now - 7 * HOUR, now - HOUR)
    await feeds.run()
    async with feeds.engine.begin() as connection:
        await connection.execute(text("delete from worker.timelock where created_at > :at"), {"at": now - 6 * HOUR})
    await feeds.prices.ask_again()
    await seal(feeds, now - 4 * HOUR, now - HOUR)
    assert await feeds.prices.poll()
    await feeds.run()
    assert (await feeds.at(now - 4 * HOUR))[ETHER].usd == 2_005
    assert not await feeds.prices.poll()


async def test_past_round_that_would_not_be_believed_gives_no_price(feeds: Feeds) -> None:
    now = feeds.anvil.now()
    start = now - DAY
    write_rounds(
        feeds,
        {
            OLD + 1: (2_000, start),
            OLD + 2: (4_001, start + HOUR),
            OLD + 3: (-5, start + 2 * HOUR),
            OLD + 4: (2_000, start + 3 * HOUR),
            OLD + 5: (2_000, now),
        },
    )
    await seal(feeds, start + HOUR, start + 2 * HOUR, start + 3 * HOUR, start + 9 * HOUR)
    assert (await feeds.run()).past == 1
    assert not await feeds.at(start + 2 * HOUR)
    assert [(await feeds.at(start + hours * HOUR))[ETHER].stale for hours in (3, 9)] == [False, True]


async def test_past_price_of_wrapped_ether_is_by_the_rate_at_the_sealing(feeds: Feeds) -> None:
    wrapped = feeds.scenario.deploy("TestWrappedStETH")
    now = feeds.anvil.now()
    write_rounds(feeds, {OLD + 1: (2_000, now - 2 * HOUR), OLD + 2: (2_500, now)})
    sealed = feeds.anvil.block_number()
    feeds.scenario.write(feeds.scenario.account("keeper"), "TestWrappedStETH", wrapped, "setRate", 2 * 10**18)
    both = feeds.with_feeds(PriceFeed(wrapped, feeds.settings.price_feeds[0].feed, HOUR, is_wrapped=True))
    await seal(both, now - HOUR, token=wrapped, block=sealed)
    await both.run()
    assert (await both.at(now - HOUR))[wrapped].usd == 2400
    assert (await both.now())[wrapped].usd == 5000
    await both.chain.close()


async def test_feed_that_cannot_be_read_is_asked_again_an_hour_later(feeds: Feeds) -> None:
    now, feed = feeds.anvil.now(), feeds.settings.price_feeds[0].feed
    write_rounds(feeds, {OLD + 1: (2_000, now - 2 * HOUR), OLD + 2: (2_100, now)})
    await seal(feeds, now - HOUR)
    code = feeds.anvil.rpc("eth_getCode", feed, "latest")
    feeds.anvil.set_code(feed, REVERTS)
    assert (await feeds.run()).past == 0
    feeds.anvil.set_code(feed, code)
    assert (await feeds.run()).past == 0
    async with feeds.engine.begin() as connection:
        await connection.execute(text("update worker.price_past set failed_at = failed_at - interval '61 minutes'"))
    assert await feeds.prices.poll()
    assert (await feeds.run()).past == 1
    assert (await feeds.at(now - HOUR))[ETHER].usd == 2000
