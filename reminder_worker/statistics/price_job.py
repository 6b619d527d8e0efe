"""The pass `prices`: looks at every feed of a chain at once, keeps what is new."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import BigInteger, Row, func, literal, or_, select, tuple_, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts.tokens import TokenReads
from reminder_worker.chain.types import BlockHeader
from reminder_worker.database.tables import span
from reminder_worker.settings.values import PriceFeed
from reminder_worker.statistics.feeds import SANE, Answer, Round, Verdict, judge, read_feeds
from reminder_worker.statistics.prices import ETHER, feeds_asked
from reminder_worker.statistics.tables import price, price_feed, price_feed_before

_WRAPPED: Final = {"WETH": ETHER, "WBTC": "BTC"}


@dataclass(frozen=True, slots=True)
class PriceReport:
    """`verdicts` counts feeds by what was thought of their answer; `rounds` were not known before."""

    block: int = 0
    feeds: int = 0
    rounds: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class _Reading:
    """One token's feed as read; `last` is the row about it, `good` the last good answer."""

    feed: PriceFeed
    said: Answer
    verdict: Verdict
    last: Row[Any] | None

    @property
    def sane(self) -> Round | None:
        return self.said.round if self.verdict in SANE else None

    @property
    def is_news(self) -> bool:
        if self.last is None or self.last.verdict != self.verdict:
            return True
        return self.sane is not None and self.sane != _good(self.last)


class Prices:
    """Of one chain."""

    def __init__(self, engine: AsyncEngine, chain: Chain) -> None:
        self._engine = engine
        self._chain = chain
        self._feeds = chain.settings.price_feeds
        self._tokens = TokenReads(chain)

    async def look(self) -> bool:
        """Whether a feed has a new round or another verdict; where none has, that they were asked is kept at once."""
        if not self._feeds:
            return False
        block, readings = await self._read()
        if any(reading.is_news for reading in readings):
            return True
        async with self._engine.begin() as connection:
            await self._keep(connection, block, readings, {})
        return False

    async def run(self) -> PriceReport:
        """Keep every sane round, and what is thought of each feed now."""
        if not self._feeds:
            return PriceReport()
        block, readings = await self._read()
        symbols = await self._symbols(block)
        async with self._engine.begin() as connection:
            rounds = await _keep_rounds(connection, self._chain.chain_id, readings)
            await self._keep(connection, block, readings, symbols)
        return PriceReport(block.number, len(readings), rounds, Counter(each.verdict.value for each in readings))

    async def _read(self) -> tuple[BlockHeader, Sequence[_Reading]]:
        block = await self._chain.head()
        feeds = list(dict.fromkeys(each.feed for each in self._feeds))
        answers = dict(zip(feeds, await read_feeds(self._chain, feeds, block), strict=True))
        known = await self._known()

        def reading(feed: PriceFeed) -> _Reading:
            last, said = known.get((feed.token, feed.feed)), answers[feed.feed]
            verdict = judge(said, _good(last), block.timestamp, feed.heartbeat_seconds)
            return _Reading(feed, said, verdict, last)

        return block, [reading(feed) for feed in self._feeds]

    async def _known(self) -> Mapping[tuple[str, str], Row[Any]]:
        async with self._engine.connect() as connection:
            rows = await connection.execute(feeds_asked(self._chain.chain_id))
            return {(row.token, row.feed): row for row in rows}

    async def _symbols(self, block: BlockHeader) -> Mapping[str, str | None]:
        tokens = [each.token for each in self._feeds if each.token != ETHER]
        found = await self._tokens.metadata(tokens, at=block.hash)
        return {ETHER: ETHER} | {token: each.symbol if each else None for token, each in found.items()}

    async def _keep(
        self,
        connection: AsyncConnection,
        block: BlockHeader,
        readings: Sequence[_Reading],
        symbols: Mapping[str, str | None],
    ) -> None:
        """An endpoint that lags does not overwrite what was seen at a later block, unless that is more than an hour
        old: its block may have been absurd. A feed that was exchanged starts anew."""
        await self._keep_exchanged(connection, block, [each.feed for each in readings if each.last is None])
        rows = [
            {
                "chain_id": self._chain.chain_id,
                "token": each.feed.token,
                "feed": each.feed.feed,
                "heartbeat_seconds": each.feed.heartbeat_seconds,
                "symbol": symbols.get(each.feed.token) or (each.last.symbol if each.last else None),
                "verdict": each.verdict.value,
                "round_id": each.sane.round_id if each.sane else each.last.round_id if each.last else None,
                "block_number": block.number,
                "block_time": block.timestamp,
            }
            for each in readings
        ]
        statement = insert(price_feed).values(rows)
        new = statement.excluded
        kept = await connection.scalars(
            statement.on_conflict_do_update(
                index_elements=["chain_id", "token"],
                set_={name: new[name] for name in rows[0] if name not in ("chain_id", "token")}
                | {"asked_at": func.clock_timestamp()},
                where=or_(
                    price_feed.c.block_number <= new.block_number,
                    price_feed.c.feed != new.feed,
                    price_feed.c.asked_at < func.clock_timestamp() - span(hours=1),
                ),
            ).returning(price_feed.c.token)
        )
        tokens = set(kept)
        await self._keep_doubt(connection, block, [each for each in readings if each.feed.token in tokens])

    async def _keep_doubt(self, connection: AsyncConnection, block: BlockHeader, readings: Sequence[_Reading]) -> None:
        """Since when the last good rounds are no longer today's price; one that the feed says again is so all along."""
        good = [(each.feed.feed, each.sane.round_id) for each in readings if each.sane]
        denied = [
            (each.feed.feed, each.last.round_id)
            for each in readings
            if each.sane is None and each.last is not None and each.last.round_id is not None
        ]
        round_of_feed, of_chain = tuple_(price.c.feed, price.c.round_id), price.c.chain_id == self._chain.chain_id
        for rounds, since, otherwise in (
            (good, None, price.c.denied_since.is_not(None)),
            (denied, block.timestamp, price.c.denied_since.is_(None)),
        ):
            if rounds:
                statement = update(price).values(denied_since=since)
                await connection.execute(statement.where(of_chain, round_of_feed.in_(rounds), otherwise))

    async def _keep_exchanged(self, connection: AsyncConnection, block: BlockHeader, new: Sequence[PriceFeed]) -> None:
        """Which feeds the tokens of `new` ones had until this block, if any: the past is what those said."""
        if not new:
            return
        until = literal(block.timestamp, BigInteger)
        last = price_feed.c
        others = select(last.chain_id, last.token, until, last.feed, last.heartbeat_seconds).where(
            last.chain_id == self._chain.chain_id,
            last.token.in_([each.token for each in new]),
            tuple_(last.token, last.feed).not_in([(each.token, each.feed) for each in new]),
        )
        columns = ["chain_id", "token", "until", "feed", "heartbeat_seconds"]
        await connection.execute(insert(price_feed_before).from_select(columns, others).on_conflict_do_nothing())


def _good(last: Row[Any] | None) -> Round | None:
    if last is None or last.answer is None:
        return None
    return Round(int(last.round_id), int(last.answer), last.decimals, last.updated_at)


async def _keep_rounds(connection: AsyncConnection, chain_id: int, readings: Sequence[_Reading]) -> int:
    """How many are new. A round that a reorganisation answered anew has the later answer."""
    rounds = {each.feed.feed: each.sane for each in readings if each.sane is not None}
    if not rounds:
        return 0
    statement = insert(price).values(
        [
            {
                "chain_id": chain_id,
                "feed": feed,
                "round_id": each.round_id,
                "answer": each.answer,
                "decimals": each.decimals,
                "updated_at": each.updated_at,
            }
            for feed, each in rounds.items()
        ]
    )
    new = statement.excluded
    kept = await connection.execute(
        statement.on_conflict_do_update(
            index_elements=["chain_id", "feed", "round_id"],
            set_={"answer": new.answer, "decimals": new.decimals, "updated_at": new.updated_at},
            where=or_(price.c.answer != new.answer, price.c.updated_at != new.updated_at),
        ).returning(price.c.round_id)
    )
    return len(kept.all())


async def look_at_feeds(chain: Chain) -> tuple[bool | None, str]:
    """For `doctor`: whether every feed gives a believable answer now, and what to do; None: there are none."""
    configured = chain.settings.price_feeds
    if not configured:
        return None, f"no feeds (CHAIN_{chain.chain_id}_PRICE_FEEDS): no prices, nothing has a value"
    block = await chain.block("latest")
    if block is None:
        return False, "the endpoint has no latest block"
    answers = await read_feeds(chain, [each.feed for each in configured], block)
    known = await TokenReads(chain).metadata([each.token for each in configured if each.token != ETHER], at=block.hash)
    bad = []
    for each, said in zip(configured, answers, strict=True):
        symbol = ETHER if each.token == ETHER else found.symbol if (found := known[each.token]) else None
        verdict = judge(said, None, block.timestamp, each.heartbeat_seconds)
        if verdict != Verdict.GOOD:
            bad.append(f"{each.token} ({verdict})")
        elif symbol and said.asset != _WRAPPED.get(symbol, symbol.upper()):
            bad.append(f"{each.token} (a feed of another asset)")
    if bad:
        return False, f"not to be believed: {', '.join(bad)}: check CHAIN_{chain.chain_id}_PRICE_FEEDS"
    return True, f"{len(configured)} feeds answer, fresh and in US dollars"
