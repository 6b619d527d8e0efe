"""Promises of prices: read at one block, judged, kept, and never fresh when they are not."""

import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.chain import Anvil
from devnet.deploy import DAY, ETHER, HOUR, deploy_contract, keep_prices
from devnet.scenarios import Scenario
from reminder_worker.chain.client import Chain
from reminder_worker.settings import ChainSettings
from reminder_worker.settings.values import PriceFeed
from reminder_worker.statistics.price_job import PricePass, PriceReport, check_feeds
from reminder_worker.statistics.prices import (
    GRACE_SECONDS,
    JUMP_HELD_SECONDS,
    TokenPrice,
    find_current_prices,
    find_prices_at,
)
from tests.integration.api_world import settings_for

REVERTS = "0x60006000fd"
DOLLARS = 10**8


@dataclass
class Feeds:
    scenario: Scenario
    engine: AsyncEngine
    chain: Chain
    prices: PricePass

    @property
    def anvil(self) -> Anvil:
        return self.scenario.anvil

    @property
    def settings(self) -> ChainSettings:
        return self.chain.settings

    @property
    def ether(self) -> str:
        return self.scenario.deployment.eth_usd_feed

    @property
    def usdc(self) -> str:
        return self.scenario.deployment.usdc

    def set_ether(self, answer: int, *, updated_at: int | None = None, **round: int) -> int:
        """A new round of ether's feed, by default of now; when it was updated."""
        moment = self.anvil.now() if updated_at is None else updated_at
        if round:
            number = round["number"]
            self._write("setRound", number, answer, moment, round.get("answered_in", number))
        else:
            self._write("setAnswer", answer, moment)
        return moment

    def _write(self, function: str, *args: int) -> None:
        self.scenario.write(self.scenario.account("keeper"), "PriceFeed", self.ether, function, *args)

    async def run(self) -> PriceReport:
        return await self.prices.run()

    async def now(self) -> dict[str, TokenPrice]:
        return dict(await find_current_prices(self.engine, self.settings))

    async def at(self, moment: int) -> dict[str, TokenPrice]:
        return dict(await find_prices_at(self.engine, self.settings, moment))

    async def verdicts(self) -> dict[str, str]:
        return {row.token: row.verdict for row in await self.rows("select token, verdict from worker.price_feed")}

    async def rows(self, statement: str) -> list[Any]:
        async with self.engine.connect() as connection:
            return list((await connection.execute(text(statement))).all())

    def with_feeds(self, *feeds: PriceFeed) -> "Feeds":
        chain = Chain(self.settings.model_copy(update={"price_feeds": feeds}))
        return Feeds(self.scenario, self.engine, chain, PricePass(self.engine, chain))


@pytest.fixture
async def feeds(chain_scenario: Scenario, engine: AsyncEngine) -> AsyncIterator[Feeds]:
    deployment, anvil = chain_scenario.deployment, chain_scenario.anvil
    anvil.set_time(max(anvil.now() + 1, int(time.time())))
    for feed in (deployment.eth_usd_feed, deployment.usdc_usd_feed):
        answer = 2_500 * DOLLARS if feed == deployment.eth_usd_feed else DOLLARS
        chain_scenario.write(chain_scenario.account("keeper"), "PriceFeed", feed, "setAnswer", answer, anvil.now())
    environ = deployment.price_environ(anvil.chain_id)
    settings = settings_for(chain_scenario, "postgresql://unused@localhost/unused", **environ)
    chain = Chain(settings.chains[0])
    yield Feeds(chain_scenario, engine, chain, PricePass(engine, chain))
    await chain.close()


async def test_a_good_answer_is_todays_price_of_each_token(feeds: Feeds) -> None:
    report = await feeds.run()
    assert (report.feeds, report.rounds, report.verdicts) == (3, 2, {"good": 3})
    found = await feeds.now()
    assert list(found) == [ETHER, feeds.scenario.deployment.weth, feeds.usdc]
    assert [(each.symbol, each.usd, each.decimals, each.stale) for each in found.values()] == [
        ("ETH", Decimal(2500), 8, False),
        ("WETH", Decimal(2500), 8, False),
        ("USDC", Decimal(1), 8, False),
    ]
    assert found[ETHER].age < 60


async def test_a_look_asks_for_a_run_only_for_news_and_keeps_that_it_asked(feeds: Feeds) -> None:
    assert await feeds.prices.poll()
    await feeds.run()
    (before,) = await feeds.rows("select min(block_number) from worker.price_feed")
    feeds.anvil.mine()
    assert not await feeds.prices.poll()
    (after,) = await feeds.rows("select min(block_number) from worker.price_feed")
    assert after[0] == before[0] + 1
    assert (await feeds.now())[ETHER].symbol == "ETH"
    feeds.set_ether(2_510 * DOLLARS)
    assert await feeds.prices.poll()
    assert (await feeds.now())[ETHER].usd == 2500  # a look only looks
    await feeds.run()
    assert (await feeds.now())[ETHER].usd == 2510


async def test_a_feed_that_missed_its_heartbeat_is_stale_and_its_price_is_kept(feeds: Feeds) -> None:
    await feeds.run()
    feeds.anvil.increase_time(HOUR + GRACE_SECONDS + 60)
    await feeds.run()
    found = await feeds.now()
    assert (await feeds.verdicts())[ETHER] == "stale"
    assert found[ETHER].stale
    assert found[ETHER].usd == 2500
    assert found[ETHER].age > HOUR + GRACE_SECONDS
    assert not found[feeds.usdc].stale  # a day's heartbeat


async def test_a_price_becomes_stale_without_further_readings(feeds: Feeds) -> None:
    await feeds.run()
    long_ago = f"interval '{HOUR + GRACE_SECONDS + 1} seconds'"
    async with feeds.engine.begin() as connection:
        await connection.execute(text(f"update worker.price_feed set asked_at = asked_at - {long_ago}"))
    found = await feeds.now()
    assert found[ETHER].stale
    assert not found[feeds.usdc].stale


async def test_a_node_that_stands_still_does_not_keep_a_price_fresh(feeds: Feeds) -> None:
    """The newest block and the round are hours old, although the round is fresh by that block."""
    await feeds.run()
    hours = 2 * HOUR
    async with feeds.engine.begin() as connection:
        await connection.execute(text(f"update worker.price_feed set block_time = block_time - {hours}"))
        await connection.execute(text(f"update worker.price set updated_at = updated_at - {hours}"))
    assert (await feeds.now())[ETHER].stale


IMPOSSIBLE: tuple[tuple[int, dict[str, int], str], ...] = (
    (-1, {}, "not_positive"),
    (0, {}, "not_positive"),
    (-(2**255), {}, "not_positive"),
    (2**255 - 1, {}, "absurd"),
    (2_500 * DOLLARS, {"updated_at": 0}, "incomplete"),
    (2_500 * DOLLARS, {"number": 9, "answered_in": 8}, "incomplete"),
    (2_500 * DOLLARS, {"updated_at": 2**256 - 1}, "in_the_future"),
    (5_001 * DOLLARS, {}, "jump"),
    (1_249 * DOLLARS, {}, "jump"),
)


async def test_an_answer_that_cannot_be_is_marked_and_the_last_good_price_kept_as_stale(feeds: Feeds) -> None:
    for answer, round, verdict in IMPOSSIBLE:
        feeds.set_ether(2_500 * DOLLARS)
        await feeds.run()
        before, rounds = (await feeds.now())[ETHER], await feeds.rows("select from worker.price")
        assert (before.usd, before.stale) == (2500, False)
        feeds.set_ether(answer, **round)
        assert await feeds.prices.poll()
        report = await feeds.run()
        assert report.rounds == 0
        assert (await feeds.verdicts())[ETHER] == verdict
        found = await feeds.now()
        assert found[ETHER].stale
        assert (found[ETHER].usd, found[ETHER].round_id) == (before.usd, before.round_id)
        assert not found[feeds.usdc].stale
        assert await feeds.rows("select from worker.price") == rounds
        assert not await feeds.prices.poll()  # known already


@pytest.mark.parametrize(("heartbeat", "held"), [(HOUR, JUMP_HELD_SECONDS), (DAY, 2 * DAY)])
async def test_a_jump_is_held_only_while_there_is_something_to_measure_it_against(
    feeds: Feeds, heartbeat: int, held: int
) -> None:
    """For a day, and for two heartbeats where these are more."""
    ether = feeds.with_feeds(PriceFeed(ETHER, feeds.ether, heartbeat))
    await ether.run()
    for later, verdict in ((1, "jump"), (held - 60, "jump"), (120, "good")):
        feeds.anvil.increase_time(later)
        feeds.set_ether(9_000 * DOLLARS)
        await ether.run()
        assert (await ether.verdicts())[ETHER] == verdict
    assert (await ether.now())[ETHER].usd == 9000
    await ether.chain.close()


async def test_one_feed_that_reverts_or_is_not_there_spoils_no_other(feeds: Feeds) -> None:
    await feeds.run()
    feeds.set_ether(2_600 * DOLLARS)
    feeds.anvil.set_code(feeds.scenario.deployment.usdc_usd_feed, REVERTS)
    nobody = "0x" + "77" * 20
    more = feeds.with_feeds(*feeds.settings.price_feeds, PriceFeed(feeds.scenario.deployment.dai, nobody, DAY))
    await more.run()
    assert await more.verdicts() == {
        ETHER: "good",
        feeds.scenario.deployment.weth: "good",
        feeds.usdc: "no_answer",
        feeds.scenario.deployment.dai: "no_answer",
    }
    found = await more.now()
    assert found[ETHER].usd == 2600
    assert (found[feeds.usdc].usd, found[feeds.usdc].stale) == (1, True)
    assert feeds.scenario.deployment.dai not in found  # never had a price
    await more.chain.close()


async def test_a_feed_in_another_currency_or_of_odd_decimals_is_not_believed(feeds: Feeds) -> None:
    for description, decimals, verdict in (
        ("DAI / ETH", 18, "not_in_usd"),
        ("DAI / LUSD", 18, "not_in_usd"),
        ("DAI / USD", 37, "too_many_decimals"),
        ("DAI / USD", 36, "good"),
    ):
        answer = 10**decimals + 1
        feed = deploy_contract(feeds.anvil, feeds.scenario.contracts["PriceFeed"], description, decimals, answer)
        token = feeds.scenario.deployment.dai
        other = feeds.with_feeds(PriceFeed(token, feed, DAY))
        await other.run()
        assert await other.verdicts() == {token: verdict}
        exact = Decimal("1." + "0" * 35 + "1")
        assert [each.usd for each in (await other.now()).values()] == ([exact] if verdict == "good" else [])
        await other.chain.close()


async def test_wrapped_token_is_worth_its_rate_and_nothing_without_it(feeds: Feeds) -> None:
    wrapped = feeds.scenario.deploy("TestWrappedStETH")
    staked = deploy_contract(feeds.anvil, feeds.scenario.contracts["PriceFeed"], "STETH / USD", 8, 2_500 * DOLLARS)
    both = feeds.with_feeds(
        PriceFeed(feeds.scenario.deployment.dai, staked, HOUR), PriceFeed(wrapped, staked, HOUR, is_wrapped=True)
    )
    assert (await check_feeds(feeds.with_feeds(PriceFeed(wrapped, staked, HOUR, is_wrapped=True)).chain))[0]
    plain = await check_feeds(feeds.with_feeds(PriceFeed(wrapped, staked, HOUR)).chain)
    assert "without its rate" in plain[1]
    await both.run()
    found = await both.now()
    assert [(each.usd, each.stale) for each in found.values()] == [(2500, False), (3000, False)]
    assert found[wrapped].symbol == "wstETH"
    feeds.scenario.write(feeds.scenario.account("keeper"), "TestWrappedStETH", wrapped, "setRate", 13 * 10**17)
    assert await both.prices.poll()
    await both.run()
    assert [each.usd for each in (await both.now()).values()] == [2500, 3250]
    feeds.anvil.set_code(wrapped, REVERTS)
    await both.run()
    assert (await both.verdicts())[wrapped] == "no_answer"
    assert [each.stale for each in (await both.now()).values()] == [False, True]
    await both.chain.close()


async def test_all_feeds_are_read_at_one_block(feeds: Feeds) -> None:
    """Stored answers belong to the stored block, also if a later block has other answers."""
    block = await feeds.chain.get_block("latest")
    assert block is not None

    async def frozen(_which: object) -> object:
        return block

    feeds.chain.get_block = frozen  # type: ignore[method-assign, assignment]
    feeds.set_ether(2_600 * DOLLARS)
    await feeds.run()
    assert (await feeds.now())[ETHER].usd == 2500
    assert {row[0] for row in await feeds.rows("select block_number from worker.price_feed")} == {block.number}


async def test_an_endpoint_that_lags_does_not_take_a_price_back(feeds: Feeds) -> None:
    lagging = await feeds.chain.get_block("latest")
    feeds.set_ether(2_600 * DOLLARS)
    await feeds.run()

    async def behind(_which: object) -> object:
        return lagging

    feeds.chain.get_block = behind  # type: ignore[method-assign, assignment]
    await feeds.run()
    assert (await feeds.now())[ETHER].usd == 2600


async def test_history_tells_the_price_of_any_moment_since_the_first_round(feeds: Feeds) -> None:
    first = feeds.set_ether(2_500 * DOLLARS)
    await feeds.run()
    feeds.anvil.increase_time(1800)
    second = feeds.set_ether(2_600 * DOLLARS)
    await feeds.run()
    assert ETHER not in await feeds.at(first - 1)
    assert [(await feeds.at(moment))[ETHER].usd for moment in (first, second - 1, second)] == [2500, 2500, 2600]
    between = (await feeds.at(second - 1))[ETHER]
    assert (between.updated_at, between.age, between.stale) == (first, second - 1 - first, False)
    much_later = (await feeds.at(second + HOUR + GRACE_SECONDS + 1))[ETHER]
    assert (much_later.usd, much_later.stale) == (2600, True)
    assert between.symbol == "ETH"


@pytest.mark.parametrize("answer", [-1, 5_001 * DOLLARS])
async def test_history_calls_no_price_fresh_that_was_not_believed_then(feeds: Feeds, answer: int) -> None:
    """From the look that denied it until the next good round, also when nobody remembers the feed's trouble by now."""
    first = feeds.set_ether(2_500 * DOLLARS)
    await feeds.run()
    feeds.anvil.increase_time(600)
    feeds.set_ether(answer)
    await feeds.run()
    (denied,) = (await feeds.rows("select block_time from worker.price_feed where token = 'ETH'"))[0]
    feeds.anvil.increase_time(600)
    await feeds.run()
    later = feeds.anvil.now()
    feeds.anvil.increase_time(600)
    good = feeds.set_ether(2_600 * DOLLARS)
    await feeds.run()
    found = [(await feeds.at(moment))[ETHER] for moment in (first, denied - 1, denied, later, good - 1, good)]
    told = [(2500, False), (2500, False), (2500, True), (2500, True), (2500, True), (2600, False)]
    assert [(price.usd, price.stale) for price in found] == told
    assert not (await feeds.at(good))[feeds.usdc].stale


async def test_the_local_stacks_feeds_stay_fresh_and_plausible_however_far_the_clock_is_moved(feeds: Feeds) -> None:
    keep_prices(feeds.anvil, feeds.scenario.deployment)
    for days in (0, 1, 180):
        feeds.anvil.increase_time(days * DAY + 1)
        assert (await feeds.run()).verdicts == {"good": 3}
        found = await feeds.now()
        assert 2_487 < found[ETHER].usd < 2_513
        assert Decimal("0.999") <= found[feeds.usdc].usd <= Decimal("1.001")
        assert not any(price.stale for price in found.values())


async def test_absurd_block_number_holds_prices_back_for_an_hour_at_most(feeds: Feeds) -> None:
    async def say(what: str) -> None:
        async with feeds.engine.begin() as connection:
            await connection.execute(text(f"update worker.price_feed set {what}"))

    await feeds.run()
    await say("block_number = 1000000000000000")
    feeds.set_ether(2_600 * DOLLARS)
    await feeds.run()
    assert (await feeds.now())[ETHER].usd == 2500
    await say("asked_at = now() - interval '61 minutes'")
    await feeds.run()
    assert (await feeds.now())[ETHER].usd == 2600


async def test_price_that_is_believed_again_was_right_all_the_time(feeds: Feeds) -> None:
    """The feed gave no answer for a while; then it says the same round as before."""
    moment, code = feeds.set_ether(2_500 * DOLLARS), feeds.anvil.rpc("eth_getCode", feeds.ether, "latest")
    await feeds.run()
    feeds.anvil.set_code(feeds.ether, REVERTS)
    feeds.anvil.increase_time(60)
    await feeds.run()
    between = feeds.anvil.now()
    assert (await feeds.at(between))[ETHER].stale
    feeds.anvil.set_code(feeds.ether, code)
    feeds.anvil.increase_time(60)
    await feeds.run()
    told = [(await feeds.at(asked))[ETHER] for asked in (moment, between, feeds.anvil.now())]
    assert [(price.usd, price.stale) for price in told] == [(2500, False)] * 3
