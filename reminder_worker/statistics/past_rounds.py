"""Prices of days before the first reading: rounds valid when gifts were sealed, from the feeds' own rounds.

The id of a proxy's round is its phase (the aggregator's number) times 2^64, plus the aggregator's own number. Within a
phase, dates of rounds rise. A round counts for a moment if no later round of its phase has a date until then.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import chain as joined
from typing import Final

import structlog
from sqlalchemy import Select, func, null, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.chain.abi import find_selector
from reminder_worker.chain.abi_codec import encode_word
from reminder_worker.chain.client import Chain
from reminder_worker.chain.types import BlockHeader, ContractCall, RevertedCall
from reminder_worker.database.tables import span
from reminder_worker.errors import ChainUnavailable
from reminder_worker.settings.values import PriceFeed
from reminder_worker.statistics.prices import (
    ETHER,
    FeedAnswer,
    FeedVerdict,
    PriceRound,
    apply_rate,
    ask_rate,
    decode_answer,
    is_stale,
    judge_answer,
)
from reminder_worker.statistics.tables import price, price_past, sql

log = structlog.get_logger(__name__)

GIFTS_IN_RUN: Final = 20
PROBES: Final = 15
MOST_PHASES: Final = 16
PHASE_BITS: Final = 64
NO_GIFT: Final = -1  # before the time of every gift
LAST_NUMBER: Final = 2**32  # aggregators number their rounds in 32 bits


@dataclass(frozen=True, slots=True)
class SealingMoment:
    """Time (unix seconds) and number of a block that sealed gifts."""

    moment: int
    block: int


class PastRounds:
    """Reader of one chain's past rounds. The table `price_past` keeps how far each feed was asked."""

    def __init__(self, engine: AsyncEngine, chain: Chain) -> None:
        self._engine = engine
        self._chain = chain
        self._feeds = {each.series: each for each in chain.settings.price_feeds}

    async def is_missing(self) -> bool:
        """Return whether a gift was sealed that a feed has not been asked for. A feed that failed rests an hour."""
        return bool(await self._find_due())

    async def run(self) -> int:
        """Read the rounds of the oldest gifts not asked for, some for each feed; return how many were new."""
        due = await self._find_due()
        if not due:
            return 0
        block = await self._chain.get_head()
        return sum([await self._read_feed(self._feeds[series], until, block) for series, until in due.items()])

    async def ask_again(self) -> None:
        """Ask every feed for the gifts that the index reads again (`backfill`). Until then the index lacks them."""
        async with self._engine.begin() as connection:
            newest = await self._find_newest(connection)
            statement = update(price_past).where(price_past.c.chain_id == self._chain.chain_id)
            last = NO_GIFT if newest is None else newest
            await connection.execute(statement.values(until=func.least(price_past.c.until, last)))

    async def _find_due(self) -> dict[str, int]:
        """Return the feeds to ask by series, with the time until which they have been asked.

        Where the newest gift is gone by a reorganisation, the feeds go back with it.
        """
        async with self._engine.connect() as connection:
            newest = await self._find_newest(connection)
            rows = {row.feed: row for row in await connection.execute(self._select_asked())}
        if newest is None:
            return {}
        found = {}
        for series in self._feeds:
            row = rows.get(series)
            if row is None or (row.until != newest and not row.rests):
                found[series] = NO_GIFT if row is None else row.until
        return found

    async def _find_newest(self, connection: AsyncConnection) -> int | None:
        newest: int | None = await connection.scalar(sql["newest_gift"], {"chain": self._chain.chain_id})
        return newest

    def _select_asked(self) -> Select[tuple[str, int, bool]]:
        rests = func.coalesce(price_past.c.failed_at > func.clock_timestamp() - span(hours=1), False)
        question = select(price_past.c.feed, price_past.c.until, rests.label("rests"))
        return question.where(price_past.c.chain_id == self._chain.chain_id)

    async def _read_feed(self, feed: PriceFeed, until: int, block: BlockHeader) -> int:
        """Store the rounds of one feed. A feed that cannot be read now is asked again in an hour."""
        tokens = [each.token for each in self._chain.settings.price_feeds if each.series == feed.series]
        given = {"chain": self._chain.chain_id, "until": until, "most": GIFTS_IN_RUN}
        async with self._engine.connect() as connection:
            newest = await self._find_newest(connection)
            rows = await connection.execute(
                sql["gifts_of_tokens"], given | {"newest": newest, "tokens": [each for each in tokens if each != ETHER]}
            )
            gifts = [SealingMoment(row.created_at, row.created_block) for row in rows]
        try:
            rounds = await read_rounds(self._chain, feed, gifts, block) if gifts else []
        except ChainUnavailable as error:
            log.warning(
                "past_rounds_unreadable", chain_id=self._chain.chain_id, feed=feed.feed, error=type(error).__name__
            )
            await self._store(feed, [], until, has_failed=True)
            return 0
        reached = gifts[-1].moment if len(gifts) == GIFTS_IN_RUN else newest
        return await self._store(feed, rounds, until if reached is None else reached)

    async def _store(
        self, feed: PriceFeed, rounds: Sequence[PriceRound], until: int, *, has_failed: bool = False
    ) -> int:
        """Store rounds not known yet and how far the feed was asked; return the number of new rounds."""
        of_feed = {"chain_id": self._chain.chain_id, "feed": feed.series}
        failed_at = func.clock_timestamp() if has_failed else null()
        asked = insert(price_past).values(**of_feed, until=until, failed_at=failed_at)
        changed = {"until": asked.excluded.until, "failed_at": asked.excluded.failed_at}
        async with self._engine.begin() as connection:
            await connection.execute(asked.on_conflict_do_update(index_elements=["chain_id", "feed"], set_=changed))
            if not rounds:
                return 0
            rows = [{**of_feed, **asdict(each)} for each in {each.round_id: each for each in rounds}.values()]
            kept = await connection.execute(
                insert(price).values(rows).on_conflict_do_nothing().returning(price.c.round_id)
            )
            return len(kept.all())


async def read_rounds(
    chain: Chain, feed: PriceFeed, gifts: Sequence[SealingMoment], block: BlockHeader
) -> list[PriceRound]:
    """Return the believable rounds that were valid at the moments. Raises `ChainUnavailable`.

    A round is held to the round before it as a new answer is to the last good one. A wrapped token's rate is that of
    the sealing's own block, which needs an endpoint with old state.
    """
    reader = _FeedReader(chain, feed, block)
    if not await reader.read_description():
        raise ChainUnavailable("the feed gives no answer")
    found = []
    ids = await reader.find_ids([each.moment for each in gifts])
    for gift, round_id in zip(gifts, ids, strict=True):
        if round_id is None:
            continue
        now, before = await reader.read_answers([round_id, round_id - 1])
        if feed.is_wrapped:
            rate = await _read_rate(chain, feed.token, gift.block)
            now, before = apply_rate(now, rate), apply_rate(before, rate)
        good = before.round
        if good is not None and (good.updated_at == 0 or good.answer <= 0):
            good = None
        verdict = judge_answer(now, good, gift.moment, feed.heartbeat_seconds)
        if now.round is not None and verdict in (FeedVerdict.GOOD, FeedVerdict.STALE):
            found.append(now.round)
    return found


def _spread_probes(low: int, high: int) -> list[int]:
    """Return numbers above `low` and below `high`, spread evenly."""
    return sorted({low + (high - low) * step // (PROBES + 1) for step in range(1, PROBES + 1)} - {low})


async def _read_rate(chain: Chain, token: str, number: int) -> bytes | RevertedCall:
    header = await chain.get_block_at(number)
    return (await chain.call_many([ask_rate(token)], at=header.hash))[0]


class _FeedReader:
    """Reader of one feed's rounds at one block."""

    def __init__(self, chain: Chain, feed: PriceFeed, block: BlockHeader) -> None:
        self._chain = chain
        self._feed = feed
        self._block = block
        self._decimals: bytes | RevertedCall = b""
        self._description: bytes | RevertedCall = b""
        self._latest = 0

    async def read_description(self) -> bool:
        """Read what all rounds share and the id of the latest one; return whether the feed answers."""
        names = ("latestRoundData", "decimals", "description")
        latest, self._decimals, self._description = await self._call([find_selector("PriceFeed", n) for n in names])
        answer = decode_answer(latest, self._decimals, self._description)
        self._latest = answer.round.round_id if answer.round else 0
        return answer.round is not None

    async def find_ids(self, moments: Sequence[int]) -> list[int | None]:
        """Return the id of the round valid at each moment: of the newest phase begun by then.

        A new aggregator may write a round long before its proxy turns to it. Where the newest phase has only a stale
        round, the phase before it counts, if its round is later.
        """
        top = self._latest >> PHASE_BITS
        phases = list(range(top, max(-1, top - MOST_PHASES), -1))
        firsts = await self.read_answers([(phase << PHASE_BITS) + 1 for phase in phases])
        begun = [(phase, each.round.updated_at) for phase, each in zip(phases, firsts, strict=True) if each.round]
        candidates = {}
        for moment in moments:
            of_moment = [phase for phase, at in begun if 0 < at <= moment]
            if of_moment:
                candidates[moment] = of_moment
        newest = await self._search([(of_moment[0], moment) for moment, of_moment in candidates.items()])
        best: dict[int, int] = {}
        for (moment, of_moment), chosen in zip(candidates.items(), newest, strict=True):
            if len(of_moment) > 1 and is_stale(moment - chosen.updated_at, self._feed.heartbeat_seconds):
                (other,) = await self._search([(of_moment[1], moment)])
                chosen = max(chosen, other, key=lambda found: found.updated_at)
            best[moment] = chosen.round_id
        return [best.get(moment) for moment in moments]

    async def _search(self, asked: Sequence[tuple[int, int]]) -> list[PriceRound]:
        """Return each phase's newest round by its moment. Each phase has a round that is old enough.

        All searches go on together, each step with some probes of every search.
        """
        low = [(phase << PHASE_BITS) + 1 for phase, _ in asked]
        high = [min((phase << PHASE_BITS) + LAST_NUMBER, self._latest + 1) for phase, _ in asked]
        while any(end - start > 1 for start, end in zip(low, high, strict=True)):
            probes = list(map(_spread_probes, low, high))
            answers = iter(await self.read_answers(list(joined.from_iterable(probes))))
            for index, (numbers, (_, moment)) in enumerate(zip(probes, asked, strict=True)):
                for number in numbers:
                    answer = next(answers)
                    if answer.round is not None and 0 < answer.round.updated_at <= moment:
                        low[index] = max(low[index], number)
                    else:
                        high[index] = min(high[index], number)
                low[index] = min(low[index], high[index] - 1)
        found = []
        for answer in await self.read_answers(low):
            if answer.round is None:
                raise ChainUnavailable("a round that was there is gone")
            found.append(answer.round)
        return found

    async def read_answers(self, numbers: Sequence[int]) -> list[FeedAnswer]:
        """Return the rounds with these ids. Aggregators of one feed have the same decimals."""
        question = find_selector("PriceFeed", "getRoundData")
        found = await self._call([question + encode_word(number) for number in numbers])
        return [decode_answer(each, self._decimals, self._description) for each in found]

    async def _call(self, questions: Sequence[bytes]) -> list[bytes | RevertedCall]:
        return await self._chain.call_many(
            [ContractCall(self._feed.feed, each) for each in questions], at=self._block.hash
        )
