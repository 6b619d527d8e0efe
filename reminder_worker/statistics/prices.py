"""What tokens are worth, by Chainlink feeds: every sane round kept, the last good one served with its age.

A price is never fresh when it is not: its age counts from the feed's own time, by the block it was read at and by
our clock, whichever is later, and an answer that is not believed makes the last good one stale at once.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Integer,
    Row,
    Select,
    String,
    Subquery,
    and_,
    cast,
    column,
    func,
    null,
    select,
    true,
    union_all,
    values,
)
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.settings import ChainSettings
from reminder_worker.settings.values import PriceFeed
from reminder_worker.statistics.feeds import Verdict, dollars, is_stale
from reminder_worker.statistics.tables import price, price_feed, price_feed_before

ETHER: Final = "ETH"


@dataclass(frozen=True, slots=True)
class Price:
    """Of one whole token. `decimals` are those of the feed, `age` is in seconds.

    `updated_at` (unix seconds) and `round_id` are the feed's. `stale`: not to be taken for today's price.
    """

    symbol: str | None
    usd: Decimal
    decimals: int
    updated_at: int
    round_id: int
    stale: bool
    age: int


@dataclass(frozen=True, slots=True)
class FeedState:
    """How a configured feed answered last; `verdict` and `read_at` are None before it was asked.

    `read_at` is the time of the block (unix seconds), `price` by the last good answer.
    """

    feed: PriceFeed
    symbol: str | None
    verdict: str | None
    read_at: int | None
    price: Price | None

    def later(self, seconds: float) -> "FeedState":
        """The same after a while in which nothing new was heard."""
        if self.price is None:
            return self
        age = self.price.age + int(seconds)
        stale = self.price.stale or is_stale(age, self.feed.heartbeat_seconds)
        return replace(self, price=replace(self.price, age=age, stale=stale))


async def current_prices(engine: AsyncEngine, chain_settings: ChainSettings) -> Mapping[str, Price]:
    """By token, in the order of the settings; without tokens whose feed never gave a good answer."""
    states = await feed_states(engine, chain_settings)
    return {state.feed.token: state.price for state in states if state.price is not None}


def feeds_asked(chain_id: int) -> Select[Any]:
    """What was thought of each feed last, with its last good answer, if any."""
    same_round = and_(
        price.c.chain_id == price_feed.c.chain_id,
        price.c.feed == price_feed.c.feed,
        price.c.round_id == price_feed.c.round_id,
    )
    question = select(price_feed, price.c.answer, price.c.decimals, price.c.updated_at).outerjoin(price, same_round)
    return question.where(price_feed.c.chain_id == chain_id)


async def feed_states(engine: AsyncEngine, chain_settings: ChainSettings) -> list[FeedState]:
    """Of every configured feed, in the order of the settings."""
    clock = func.extract("epoch", func.clock_timestamp())
    since = cast(clock - func.extract("epoch", price_feed.c.asked_at), BigInteger)
    question = feeds_asked(chain_settings.chain_id)
    question = question.add_columns(since.label("since"), cast(clock, BigInteger).label("now"))
    async with engine.connect() as connection:
        rows = {(row.token, row.feed): row for row in await connection.execute(question)}
    return [_state(each, rows.get((each.token, each.feed))) for each in chain_settings.price_feeds]


async def prices_at(engine: AsyncEngine, chain_settings: ChainSettings, moment: int) -> Mapping[str, Price]:
    """By token, as our own history knows them at a moment (unix seconds); without tokens that it does not know then.

    Of a feed that was exchanged since, while it has a price of then. `age` and `stale` are those of that moment.
    """
    feeds = chain_settings.price_feeds
    if not feeds:
        return {}
    asked = _feeds_at(chain_settings, moment)
    newest = (
        select(price)
        .where(
            price.c.chain_id == chain_settings.chain_id,
            price.c.feed == asked.c.feed,
            price.c.updated_at <= moment,
        )
        .order_by(price.c.updated_at.desc(), price.c.round_id.desc())
        .limit(1)
        .lateral()
    )
    known = price_feed.c
    of_token = and_(known.chain_id == chain_settings.chain_id, known.token == asked.c.token)
    question = (
        select(asked.c.token, asked.c.heartbeat_seconds, newest, known.symbol)
        .select_from(asked.join(newest, true()).outerjoin(price_feed, of_token))
        .ext(distinct_on(asked.c.token))
        .order_by(asked.c.token, asked.c.until.asc().nulls_last())
    )
    async with engine.connect() as connection:
        rows = {row.token: row for row in await connection.execute(question)}
    return {each.token: _past(each, rows[each.token], moment) for each in feeds if each.token in rows}


def _feeds_at(chain_settings: ChainSettings, moment: int) -> Subquery:
    """Rows of `token`, `feed`, `heartbeat_seconds`, `until`: the feeds of today, and those they replaced after then."""
    today = values(
        column("token", String), column("feed", String), column("heartbeat_seconds", Integer), name="today"
    ).data([(each.token, each.feed, each.heartbeat_seconds) for each in chain_settings.price_feeds])
    known = price_feed_before.c
    before = select(known.token, known.feed, known.heartbeat_seconds, known.until).where(
        known.chain_id == chain_settings.chain_id, known.until > moment
    )
    return union_all(select(today, cast(null(), BigInteger).label("until")), before).subquery("asked")


async def rounds_kept(engine: AsyncEngine) -> int:
    """Of all chains and feeds."""
    async with engine.connect() as connection:
        return int(await connection.scalar(select(func.count()).select_from(price)) or 0)


def _state(feed: PriceFeed, row: Row[Any] | None) -> FeedState:
    if row is None:
        return FeedState(feed, None, None, None, None)
    known = _current(feed, row) if row.answer is not None else None
    return FeedState(feed, row.symbol, row.verdict, row.block_time, known)


def _current(feed: PriceFeed, row: Row[Any]) -> Price:
    age = max(row.block_time - row.updated_at + row.since, row.now - row.updated_at, 0)
    return _price(row, age, row.verdict != Verdict.GOOD or is_stale(age, feed.heartbeat_seconds))


def _past(feed: PriceFeed, row: Row[Any], moment: int) -> Price:
    age = moment - row.updated_at
    is_denied = row.denied_since is not None and row.denied_since <= moment
    return _price(row, age, is_denied or is_stale(age, row.heartbeat_seconds or feed.heartbeat_seconds))


def _price(row: Row[Any], age: int, stale: bool) -> Price:
    return Price(
        symbol=row.symbol,
        usd=dollars(int(row.answer), row.decimals),
        decimals=row.decimals,
        updated_at=row.updated_at,
        round_id=int(row.round_id),
        stale=stale,
        age=age,
    )
