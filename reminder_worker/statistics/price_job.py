"""Pass `prices`: read every feed of a chain at one block and keep new rounds."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from sqlalchemy import Row, func, or_, tuple_, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts.tokens import ETHER_METADATA, TokenReads
from reminder_worker.chain.types import BlockHeader
from reminder_worker.database.tables import span
from reminder_worker.settings.values import PriceFeed
from reminder_worker.statistics.past_rounds import PastRounds
from reminder_worker.statistics.prices import (
    ETHER,
    FeedAnswer,
    FeedVerdict,
    PriceRound,
    judge_answer,
    read_feeds,
)
from reminder_worker.statistics.tables import price, price_feed, sql


@dataclass(frozen=True, slots=True)
class PriceReport:
    """Result of a run: `verdicts` counts feeds by verdict, `rounds` the new rounds, `past` those read back."""

    block: int = 0
    feeds: int = 0
    rounds: int = 0
    past: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class _FeedReading:
    """Reading of one token's feed; `last` is the stored row of the feed."""

    feed: PriceFeed
    answer: FeedAnswer
    verdict: FeedVerdict
    last: Row[Any] | None

    @property
    def kept_round(self) -> PriceRound | None:
        return self.answer.round if self.verdict in (FeedVerdict.GOOD, FeedVerdict.STALE) else None

    @property
    def is_news(self) -> bool:
        if self.last is None or self.last.verdict != self.verdict:
            return True
        return self.kept_round is not None and self.kept_round != _last_good_round(self.last)


class PricePass:
    """Pass `prices` of one chain."""

    def __init__(self, engine: AsyncEngine, chain: Chain) -> None:
        self._engine = engine
        self._chain = chain
        self._feeds = chain.settings.price_feeds
        self._tokens = TokenReads(chain)
        self._past = PastRounds(engine, chain)

    async def poll(self) -> bool:
        """Return whether a feed has a new round or another verdict, or a gift needs a past round.

        Otherwise store the time of this reading.
        """
        if not self._feeds:
            return False
        block = await self._chain.get_known_head()
        readings = await self._read(block)
        if any(reading.is_news for reading in readings):
            return True
        async with self._engine.begin() as connection:
            await self._store_feeds(connection, block, readings, {})
        return await self._past.is_missing()

    async def run(self) -> PriceReport:
        """Store every believable round and the verdict on each feed."""
        if not self._feeds:
            return PriceReport()
        block = await self._chain.get_head()
        readings = await self._read(block)
        symbols = await self._read_symbols(block)
        async with self._engine.begin() as connection:
            rounds = await _store_rounds(connection, self._chain.chain_id, readings)
            await self._store_feeds(connection, block, readings, symbols)
        past = await self._past.run()
        return PriceReport(
            block.number, len(readings), rounds, past, Counter(reading.verdict.value for reading in readings)
        )

    async def ask_again(self) -> None:
        """Ask for the prices of the gifts that the index reads again, as after `backfill`."""
        await self._past.ask_again()

    async def _read(self, block: BlockHeader) -> Sequence[_FeedReading]:
        answers = await read_feeds(self._chain, self._feeds, block)
        async with self._engine.connect() as connection:
            rows = await connection.execute(sql["feed_states"], {"chain_id": self._chain.chain_id})
            known = {(row.token, row.feed): row for row in rows}
        readings = []
        for feed in self._feeds:
            last, answer = known.get((feed.token, feed.series)), answers[feed.series]
            verdict = judge_answer(answer, _last_good_round(last), block.timestamp, feed.heartbeat_seconds)
            readings.append(_FeedReading(feed, answer, verdict, last))
        return readings

    async def _read_symbols(self, block: BlockHeader) -> Mapping[str, str | None]:
        tokens = [feed.token for feed in self._feeds if feed.token != ETHER]
        found = await self._tokens.read_metadata(tokens, at=block.hash)
        return {ETHER: ETHER, **{token: metadata.symbol for token, metadata in found.items() if metadata}}

    async def _store_feeds(
        self,
        connection: AsyncConnection,
        block: BlockHeader,
        readings: Sequence[_FeedReading],
        symbols: Mapping[str, str | None],
    ) -> None:
        """Store the state of each feed.

        A lagging endpoint does not overwrite the state of a later block for an hour: after that, the later block may
        have been invented. A replaced feed starts again.
        """
        rows = []
        for reading in readings:
            symbol, last_round = (reading.last.symbol, reading.last.round_id) if reading.last else (None, None)
            row = {
                "chain_id": self._chain.chain_id,
                "token": reading.feed.token,
                "feed": reading.feed.series,
                "symbol": symbols.get(reading.feed.token) or symbol,
                "verdict": reading.verdict.value,
                "round_id": reading.kept_round.round_id if reading.kept_round else last_round,
                "block_number": block.number,
                "block_time": block.timestamp,
            }
            rows.append(row)
        statement = insert(price_feed).values(rows)
        new = statement.excluded
        state = ("feed", "symbol", "verdict", "round_id", "block_number", "block_time")
        kept = await connection.scalars(
            statement.on_conflict_do_update(
                index_elements=["chain_id", "token"],
                set_={**{name: new[name] for name in state}, "asked_at": func.clock_timestamp()},
                where=or_(
                    price_feed.c.block_number <= new.block_number,
                    price_feed.c.feed != new.feed,
                    price_feed.c.asked_at < func.clock_timestamp() - span(hours=1),
                ),
            ).returning(price_feed.c.token)
        )
        tokens = set(kept)
        stored = [reading for reading in readings if reading.feed.token in tokens]
        await self._mark_denied_rounds(connection, block, stored)

    async def _mark_denied_rounds(
        self, connection: AsyncConnection, block: BlockHeader, readings: Sequence[_FeedReading]
    ) -> None:
        """Store since when the last good rounds are no longer believed; a round given again was never denied."""
        good, denied = list[tuple[str, int]](), list[tuple[str, int]]()
        for each in readings:
            if each.kept_round is not None:
                good.append((each.feed.series, each.kept_round.round_id))
            elif each.last is not None and each.last.round_id is not None:
                denied.append((each.feed.series, each.last.round_id))
        round_of_feed, of_chain = tuple_(price.c.feed, price.c.round_id), price.c.chain_id == self._chain.chain_id
        for rounds, since, otherwise in (
            (good, None, price.c.denied_since.is_not(None)),
            (denied, block.timestamp, price.c.denied_since.is_(None)),
        ):
            if rounds:
                statement = update(price).values(denied_since=since)
                await connection.execute(statement.where(of_chain, round_of_feed.in_(rounds), otherwise))


def _last_good_round(last: Row[Any] | None) -> PriceRound | None:
    if last is None or last.answer is None:
        return None
    return PriceRound(int(last.round_id), int(last.answer), last.decimals, last.updated_at)


async def _store_rounds(connection: AsyncConnection, chain_id: int, readings: Sequence[_FeedReading]) -> int:
    """Return the number of new rounds. A round with another answer after a reorganisation gets the later one."""
    rounds = {each.feed.series: each.kept_round for each in readings if each.kept_round is not None}
    if not rounds:
        return 0
    rows = [{"chain_id": chain_id, "feed": feed, **asdict(each)} for feed, each in rounds.items()]
    statement = insert(price).values(rows)
    new = statement.excluded
    kept = await connection.execute(
        statement.on_conflict_do_update(
            index_elements=["chain_id", "feed", "round_id"],
            set_={"answer": new.answer, "decimals": new.decimals, "updated_at": new.updated_at},
            where=or_(price.c.answer != new.answer, price.c.updated_at != new.updated_at),
        ).returning(price.c.round_id)
    )
    return len(kept.all())


async def check_feeds(chain: Chain) -> tuple[bool | None, str]:
    """Return for `doctor` whether every feed gives a believable answer, and advice; None if no feed is configured."""
    configured = chain.settings.price_feeds
    if not configured:
        return None, f"no feeds (CHAIN_{chain.chain_id}_PRICE_FEEDS): no prices, nothing has a value"
    wrapped = {"WETH": ETHER, "WBTC": "BTC", "WSTETH": "STETH"}
    block = await chain.get_block("latest")
    if block is None:
        return False, "the endpoint has no latest block"
    answers = await read_feeds(chain, configured, block)
    tokens = [each.token for each in configured if each.token != ETHER]
    known = {**await TokenReads(chain).read_metadata(tokens, at=block.hash), ETHER: ETHER_METADATA}
    bad = []
    for each in configured:
        answer, metadata = answers[each.series], known[each.token]
        symbol = metadata.symbol if metadata else None
        verdict = judge_answer(answer, None, block.timestamp, each.heartbeat_seconds)
        if verdict != FeedVerdict.GOOD:
            bad.append(f"{each.token} ({verdict})")
        elif symbol and answer.asset != wrapped.get(symbol.upper(), symbol.upper()):
            bad.append(f"{each.token} (a feed of another asset)")
        elif symbol and (symbol.upper() == "WSTETH") != each.is_wrapped:
            bad.append(f"{each.token} (without its rate: write *stEthPerToken)")
    if bad:
        return False, f"not to be believed: {', '.join(bad)}: check CHAIN_{chain.chain_id}_PRICE_FEEDS"
    return True, f"{len(configured)} feeds answer, fresh and in US dollars"
