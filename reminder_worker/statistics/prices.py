"""Prices of tokens by Chainlink feeds, and exact values of amounts in US dollars.

A price is fresh only while the feed itself is: its age counts from the feed's own time, by the later of block and
database clock, and an answer that is not believed makes the last good price stale at once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from decimal import Context, Decimal
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import Row, func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.chain import abi_codec
from reminder_worker.chain.abi import find_selector
from reminder_worker.chain.abi_codec import WORD, MalformedData
from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts.tokens import TokenMetadata
from reminder_worker.chain.types import BlockHeader, ContractCall, RevertedCall
from reminder_worker.settings import ChainSettings
from reminder_worker.settings.values import PriceFeed
from reminder_worker.statistics.tables import price, sql

ETHER: Final = "ETH"
GRACE_SECONDS: Final = 600  # the feed's transaction takes minutes to be mined, and feeds are read every five minutes
JUMP_HELD_SECONDS: Final = 86_400
"""A jump is held back for a day or two heartbeats. Later the last good answer is too old to compare with."""


class FeedVerdict(StrEnum):
    """Verdict on the last answer of a feed; good and stale answers are kept as prices."""

    GOOD = "good"
    STALE = "stale"  # older than its heartbeat and ten minutes
    NO_ANSWER = "no_answer"  # no contract at the address, a revert, or data of another shape
    NOT_IN_USD = "not_in_usd"
    TOO_MANY_DECIMALS = "too_many_decimals"
    INCOMPLETE = "incomplete"  # never updated, or answered in an earlier round
    IN_THE_FUTURE = "in_the_future"
    NOT_POSITIVE = "not_positive"
    ABSURD = "absurd"  # more than a thousand million dollars
    JUMP = "jump"  # too far from the last good answer: held back


@dataclass(frozen=True, slots=True)
class PriceRound:
    """Round of a feed: US dollars in units of 10^-decimals; `updated_at` is the feed's, in unix seconds."""

    round_id: int
    answer: int
    decimals: int
    updated_at: int


@dataclass(frozen=True, slots=True)
class FeedAnswer:
    """Answer of a feed; `round` is None if it cannot be decoded."""

    round: PriceRound | None
    answered_in: int = 0
    asset: str | None = None  # from the description: `ETH` of a feed of ether in US dollars


async def read_feeds(chain: Chain, feeds: Sequence[PriceFeed], block: BlockHeader) -> dict[str, FeedAnswer]:
    """Read all feeds at one block, by series; a failing feed affects no other. Raises `ChainUnavailable`.

    Decimals are read with every answer: a proxy's aggregator can be replaced by one with other decimals. The answer for
    a wrapped token is the feed's times the token's rate at the block.
    """
    questions = [find_selector("PriceFeed", name) for name in ("latestRoundData", "decimals", "description")]
    by_series = {each.series: each for each in feeds}
    calls = [ContractCall(each.feed, data) for each in by_series.values() for data in questions]
    wrapped = {name: each.token for name, each in by_series.items() if each.is_wrapped}
    found = await chain.call_many(calls + [ask_rate(token) for token in wrapped.values()], at=block.hash)
    answers = {name: decode_answer(*found[3 * i : 3 * i + 3]) for i, name in enumerate(by_series)}
    for name, rate in zip(wrapped, found[len(calls) :], strict=True):
        answers[name] = apply_rate(answers[name], rate)
    return answers


def ask_rate(token: str) -> ContractCall:
    """Return the question for the stETH that one wstETH is worth, in units of 10^-18."""
    return ContractCall(token, find_selector("WrappedStETH", "stEthPerToken"))


def apply_rate(answer: FeedAnswer, rate: bytes | RevertedCall) -> FeedAnswer:
    """Return the answer times the rate, rounded down; without a rate there is no round."""
    if answer.round is None or isinstance(rate, RevertedCall) or len(rate) != WORD:
        return replace(answer, round=None)
    worth = answer.round.answer * int.from_bytes(rate, "big") // 10**18
    return replace(answer, round=replace(answer.round, answer=worth))


def judge_answer(answer: FeedAnswer, good: PriceRound | None, block_time: int, heartbeat: int) -> FeedVerdict:
    """Judge an answer against the last good round; `block_time` is the time of the block it was read at."""
    now = answer.round
    if now is None:
        return FeedVerdict.NO_ANSWER
    if answer.asset is None:
        return FeedVerdict.NOT_IN_USD
    if now.decimals > 36:
        return FeedVerdict.TOO_MANY_DECIMALS
    if now.updated_at == 0 or answer.answered_in < now.round_id:
        return FeedVerdict.INCOMPLETE
    if now.updated_at > block_time:
        return FeedVerdict.IN_THE_FUTURE
    if now.answer <= 0:
        return FeedVerdict.NOT_POSITIVE
    if now.answer > 10**9 * 10**now.decimals:
        return FeedVerdict.ABSURD
    if good is not None and _is_jump(now, good, heartbeat):
        return FeedVerdict.JUMP
    return FeedVerdict.STALE if is_stale(block_time - now.updated_at, heartbeat) else FeedVerdict.GOOD


def is_stale(age: int, heartbeat: int) -> bool:
    """Return whether an age in seconds is too old. A feed writes a round each heartbeat, also at a steady price."""
    return age > heartbeat + GRACE_SECONDS


def _is_jump(now: PriceRound, good: PriceRound, heartbeat: int) -> bool:
    """Return whether a round is too far from the last good one; an old good one proves nothing."""
    if now.updated_at - good.updated_at > max(JUMP_HELD_SECONDS, 2 * heartbeat):
        return False
    new: int = now.answer * 10**good.decimals
    old: int = good.answer * 10**now.decimals
    return new > 2 * old or 2 * new < old


def decode_answer(
    round_data: bytes | RevertedCall, decimals: bytes | RevertedCall, description: bytes | RevertedCall
) -> FeedAnswer:
    """Return the answer of `latestRoundData` or `getRoundData`, whose `round_data` have one shape."""
    try:
        if isinstance(round_data, RevertedCall) or isinstance(decimals, RevertedCall):
            return FeedAnswer(None)
        round_id, answered_in = abi_codec.uint_at(round_data, 0, 80), abi_codec.uint_at(round_data, 4 * WORD, 80)
        answer = int.from_bytes(round_data[WORD : 2 * WORD], "big", signed=True)
        updated_at = abi_codec.word_at(round_data, 3 * WORD)
        found = PriceRound(round_id, answer, abi_codec.uint_at(decimals, 0, 8), updated_at)
    except MalformedData:
        return FeedAnswer(None)
    return FeedAnswer(found, answered_in, _find_asset(description))


def _find_asset(description: bytes | RevertedCall) -> str | None:
    """Return `ETH` of the description `ETH / USD`; None for a feed in another currency."""
    try:
        if isinstance(description, RevertedCall):
            return None
        text = abi_codec.bytes_at(description, abi_codec.word_at(description, 0), 128)
    except MalformedData:
        return None
    asset, slash, currency = text.decode("ascii", "replace").strip().upper().rpartition("/ ")
    return asset.strip() if slash and currency == "USD" else None


@dataclass(frozen=True, slots=True)
class TokenPrice:
    """Price of one whole token; `decimals`, `updated_at` (unix seconds) and `round_id` are the feed's.

    `age` is in seconds. A `stale` price is not a price of today.
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
    """State of a configured feed; `verdict` and `read_at` are None before its first reading.

    `read_at` is the time of the block (unix seconds), `price` that of the last good answer.
    """

    feed: PriceFeed
    symbol: str | None
    verdict: str | None
    read_at: int | None
    price: TokenPrice | None

    def make_older(self, seconds: float) -> "FeedState":
        """Return the state after some seconds without a new reading."""
        if self.price is None:
            return self
        age = self.price.age + int(seconds)
        stale = self.price.stale or is_stale(age, self.feed.heartbeat_seconds)
        return replace(self, price=replace(self.price, age=age, stale=stale))


async def find_current_prices(engine: AsyncEngine, chain_settings: ChainSettings) -> Mapping[str, TokenPrice]:
    """Return prices by token; a token whose feed never gave a good answer is missing."""
    states = await read_feed_states(engine, chain_settings)
    return {state.feed.token: state.price for state in states if state.price is not None}


async def read_feed_states(engine: AsyncEngine, chain_settings: ChainSettings) -> list[FeedState]:
    """Return the state of every configured feed, in the order of the settings."""
    async with engine.connect() as connection:
        found = await connection.execute(sql["feed_states"], {"chain_id": chain_settings.chain_id})
        rows = {(row.token, row.feed): row for row in found}
    return [_make_state(feed, rows.get((feed.token, feed.series))) for feed in chain_settings.price_feeds]


def _make_state(feed: PriceFeed, row: Row[Any] | None) -> FeedState:
    if row is None:
        return FeedState(feed, None, None, None, None)
    known = None
    if row.answer is not None:
        age = max(row.block_time - row.updated_at + row.since, row.now - row.updated_at, 0)
        known = _make_price(feed, row, age, is_denied=row.verdict != FeedVerdict.GOOD)
    return FeedState(feed, row.symbol, row.verdict, row.block_time, known)


async def find_prices_at(engine: AsyncEngine, chain_settings: ChainSettings, moment: int) -> Mapping[str, TokenPrice]:
    """Return prices by token at a moment (unix seconds), by the rounds kept of today's feeds.

    `age` and `stale` are those of that moment. A token without a round until then is missing.
    """
    feeds = chain_settings.price_feeds
    if not feeds:
        return {}
    values = {
        "chain_id": chain_settings.chain_id,
        "tokens": [feed.token for feed in feeds],
        "feeds": [feed.series for feed in feeds],
        "moment": moment,
    }
    async with engine.connect() as connection:
        rows = {row.token: row for row in await connection.execute(sql["prices_at"], values)}
    found = {}
    for feed in feeds:
        row = rows.get(feed.token)
        if row is not None:
            is_denied = row.denied_since is not None and row.denied_since <= moment
            found[feed.token] = _make_price(feed, row, moment - row.updated_at, is_denied=is_denied)
    return found


async def count_rounds(engine: AsyncEngine) -> int:
    """Count the rounds kept, of all chains and feeds."""
    async with engine.connect() as connection:
        return int(await connection.scalar(select(func.count()).select_from(price)) or 0)


def _make_price(feed: PriceFeed, row: Row[Any], age: int, *, is_denied: bool) -> TokenPrice:
    return TokenPrice(
        symbol=row.symbol,
        usd=Decimal(f"{int(row.answer)}E-{row.decimals}"),  # exact: arithmetic would round
        decimals=row.decimals,
        updated_at=row.updated_at,
        round_id=int(row.round_id),
        stale=is_denied or is_stale(age, feed.heartbeat_seconds),
        age=age,
    )


_EXACT: Final = Context(prec=120)


def _round_dollars(value: Decimal) -> Decimal | None:
    """Return dollars and cents; None for a value too large to be believed. Smaller ones add up exactly anywhere."""
    return value.quantize(Decimal("0.01"), context=_EXACT) if value < Decimal(10) ** 24 else None


@dataclass(frozen=True, slots=True)
class SecuredToken:
    """Amount of a token (a lower-case address or `ETH`) in base units, and its value.

    `decimals`, `symbol`: None if not usable. `usd`: None without a fresh price or without decimals.
    """

    token: str
    symbol: str | None
    decimals: int | None
    amount: int
    usd: Decimal | None

    def as_json(self) -> dict[str, Any]:
        """Return JSON values; numbers are strings, since they exceed JSON's."""
        return {**asdict(self), "amount": str(self.amount), "usd": None if self.usd is None else str(self.usd)}


def value_tokens(
    amounts: Mapping[str, int], metadata: Mapping[str, TokenMetadata | None], prices: Mapping[str, Decimal]
) -> list[SecuredToken]:
    """Return the tokens with an amount, the most valuable first. `prices`: fresh dollars of one whole token."""
    found = []
    for token, amount in amounts.items():
        if amount == 0:
            continue
        known = metadata.get(token)
        if known is None:
            found.append(SecuredToken(token, None, None, amount, None))
        else:
            usd = value_amount(amount, known.decimals, prices.get(token))
            found.append(SecuredToken(token, known.symbol, known.decimals, amount, usd))
    return sorted(found, key=lambda held: (-(held.usd or Decimal(-1)), held.token))


def sum_values(tokens: Sequence[SecuredToken], with_feed: frozenset[str]) -> Decimal | None:
    """Return the sum, or None if no token has a feed or a held token with a feed has no value.

    Tokens without a feed do not count: otherwise anybody could remove the sum by locking a crumb of such a token.
    """
    found = Decimal(0)
    for held in tokens:
        if held.token not in with_feed:
            continue
        if held.usd is None:
            return None
        found = _EXACT.add(found, held.usd)
    return _round_dollars(found) if with_feed else None


def value_amount(amount: int, decimals: int, price: Decimal | None) -> Decimal | None:
    """Return the value of base units in dollars and cents; None without a price, and for an absurd value."""
    if price is None:
        return None
    return _round_dollars(_EXACT.multiply(_EXACT.scaleb(Decimal(amount), -decimals), price))
