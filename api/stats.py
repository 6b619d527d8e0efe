"""The answers of `/stats` and `/stats/prices`, ready as bytes: made anew in the background, never while one waits.

Whoever has the same rows gives the same bytes and so the same ETag, in every process. While the database does not
answer, the last answers stay, and prices in them grow stale by the clock.
"""

import asyncio
import hashlib
import re
import time
from collections.abc import AsyncIterator, Callable, Container, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

import msgspec
import structlog
from litestar.response.base import ASGIResponse
from sqlalchemy.ext.asyncio import AsyncEngine

from api.stats_bodies import (
    ChainStatsAnswer,
    LegacyCounts,
    PriceAnswer,
    PricesAnswer,
    StatsAnswer,
    TimelockCounts,
    TokenAnswer,
    TotalsAnswer,
)
from api.upgrades import UpgradesAnswer, upgrades_answer
from reminder_worker.outbox.messages import to_datetime
from reminder_worker.settings import ChainSettings
from reminder_worker.settings.chains import find_test_chains
from reminder_worker.statistics.prices import FeedState, TokenPrice, read_feed_states
from reminder_worker.statistics.snapshots import StatisticsSnapshot, find_newest_snapshot
from reminder_worker.upgrades.store import recorded_queues

log = structlog.get_logger(__name__)

EVERY_SECONDS: Final = 15.0


class CachedDocument:
    """Bytes with their strong ETag; both answers are made once."""

    def __init__(self, content: StatsAnswer | PricesAnswer | UpgradesAnswer) -> None:
        self.body = msgspec.json.encode(content)
        self.etag = f'"{hashlib.sha256(self.body).hexdigest()[:32]}"'
        # Vary: what a shared cache got without an origin has no CORS headers, and is not for a page of the frontend.
        headers = {"ETag": self.etag, "Cache-Control": "public, max-age=30", "Vary": "Origin"}
        self._whole = ASGIResponse(body=self.body, headers=headers)
        self._not_modified = ASGIResponse(status_code=304, headers=headers)

    def answer(self, if_none_match: str | None) -> ASGIResponse:
        """304 for who has these bytes (RFC 9110, 13.1.2: weak comparison, lists, `*`)."""
        if if_none_match is not None and self._is_among(if_none_match):
            return self._not_modified
        return self._whole

    def _is_among(self, tags: str) -> bool:
        return tags.strip() == "*" or self.etag in re.findall(r'(?:W/)?("[^"]*")', tags)


@dataclass(frozen=True, slots=True)
class StatsReading:
    """Values of the database, and when they were read by our own clock."""

    snapshots: Sequence[StatisticsSnapshot]
    feeds: Sequence[tuple[int, FeedState]]
    read: float


class PublishedStats:
    """`stats` and `prices` are None before there is anything to tell. Use `async with published.keep_refreshing():`."""

    def __init__(
        self, engine: AsyncEngine, chains: Sequence[ChainSettings], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._engine = engine
        self.chains = sorted(chains, key=lambda chain: chain.chain_id)
        self._clock = clock
        self._known: StatsReading | None = None
        self.stats: CachedDocument | None = None
        self.prices: CachedDocument | None = None
        self.upgrades: CachedDocument | None = None

    @property
    def read_at(self) -> int | None:
        """Unix seconds by the chain: when every feed in the answer had been read."""
        return _read_at([state for _, state in self._known.feeds]) if self._known else None

    @asynccontextmanager
    async def keep_refreshing(self) -> AsyncIterator[None]:
        await self.refresh()
        task = asyncio.create_task(self._keep_on())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _keep_on(self) -> None:
        while True:
            await asyncio.sleep(EVERY_SECONDS)
            await self.refresh()

    async def refresh(self) -> None:
        """Raises nothing: a failure is logged, and what is known grows older."""
        try:
            async with asyncio.timeout(10.0):
                self._known = await self._read_statistics()
        except Exception as error:
            log.error("stats_not_refreshed", error=type(error).__name__, exc_info=True)
        try:
            if self._known is not None:
                self._publish_documents(self._known)
        except Exception as error:
            log.error("stats_not_refreshed", error=type(error).__name__, exc_info=True)
        await self._refresh_upgrades()

    async def _refresh_upgrades(self) -> None:
        timelocks = {chain.chain_id: chain.upgrade_timelock for chain in self.chains if chain.upgrade_timelock}
        if not timelocks:
            return
        try:
            async with asyncio.timeout(10.0):
                queues = await recorded_queues(self._engine, timelocks)
            self.upgrades = CachedDocument(upgrades_answer(queues)) if queues else None
        except Exception as error:
            log.error("upgrades_not_refreshed", error=type(error).__name__, exc_info=True)

    async def _read_statistics(self) -> StatsReading:
        began = self._clock()
        snapshots = [await find_newest_snapshot(self._engine, chain.chain_id) for chain in self.chains]
        feeds = [
            (chain.chain_id, state) for chain in self.chains for state in await read_feed_states(self._engine, chain)
        ]
        return StatsReading([each for each in snapshots if each is not None], feeds, began)

    def _publish_documents(self, known: StatsReading) -> None:
        waited = self._clock() - known.read
        feeds = [(chain_id, state.make_older(waited)) for chain_id, state in known.feeds]
        as_of = _read_at([state for _, state in feeds])
        priced = [(chain_id, state.price) for chain_id, state in feeds if state.price is not None]
        self.prices = CachedDocument(prices_answer(priced, as_of)) if as_of is not None else None
        apart = find_test_chains(self.chains)
        counted = any(each.chain_id not in apart for each in known.snapshots)
        self.stats = CachedDocument(stats_answer(known.snapshots, apart)) if counted else None


def stats_answer(snapshots: Sequence[StatisticsSnapshot], apart: Container[int]) -> StatsAnswer:
    """Return the answer for one counted chain or more. `apart`: chains outside of the totals."""
    chains = [_describe_chain(each) for each in snapshots]
    counted = [each for each in snapshots if each.chain_id not in apart]
    legacies = [each.counts["legacies"] for each in counted]
    timelocks = [each.counts["timelocks"] for each in counted]
    values = [each.value_secured_usd for each in counted if each.value_secured_usd is not None]
    totals = TotalsAnswer(
        LegacyCounts(
            **_sum_counts(legacies, ("total", "live", "activated", "deleted")),
            by_type=_by_type([each["byType"] for each in legacies]),
        ),
        TimelockCounts(**_sum_counts(timelocks, ("total", "live", "ended", "gifts"))),
        f"{sum(values, Decimal(0)):f}" if values else None,
    )
    return StatsAnswer(to_datetime(min(each.block_time for each in snapshots)), chains, totals)


def prices_answer(prices: Sequence[tuple[int, TokenPrice]], as_of: int) -> PricesAnswer:
    """`prices` with their chains; `as_of` in unix seconds."""
    return PricesAnswer(
        to_datetime(as_of),
        [
            PriceAnswer(
                chain_id=chain_id,
                symbol=price.symbol,
                usd=f"{price.usd:f}",
                decimals=price.decimals,
                updated_at=to_datetime(price.updated_at),
                round_id=str(price.round_id),
                stale=price.stale,
            )
            for chain_id, price in prices
        ],
    )


def whole_tokens(amount: int, decimals: int) -> str:
    """Base units as a decimal string, exact, without zeros at the end."""
    digits = str(amount).rjust(decimals + 1, "0")
    split = len(digits) - decimals
    return f"{digits[:split]}.{digits[split:]}".rstrip("0").rstrip(".")


def _describe_chain(snapshot: StatisticsSnapshot) -> ChainStatsAnswer:
    """A token whose decimals nobody knows has no amount to tell."""
    legacies, timelocks, value = snapshot.counts["legacies"], snapshot.counts["timelocks"], snapshot.value_secured_usd
    tokens, without_price = [], []
    for token in snapshot.tokens:
        if token["decimals"] is not None:
            amount = whole_tokens(int(token["amount"]), token["decimals"])
            tokens.append(TokenAnswer(token["symbol"], amount, token["usd"]))
        if token["usd"] is None:
            without_price.append(token["symbol"] or token["token"])
    return ChainStatsAnswer(
        chain_id=snapshot.chain_id,
        legacies=msgspec.convert(legacies, LegacyCounts),
        timelocks=msgspec.convert(timelocks, TimelockCounts),
        value_secured_usd=None if value is None else f"{value:f}",
        tokens=tokens,
        without_price=without_price,
        block_number=snapshot.block_number,
    )


def _sum_counts(counts: Sequence[Mapping[str, Any]], names: Sequence[str]) -> dict[str, int]:
    return {name: sum(each[name] for each in counts) for name in names}


def _by_type(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    types = sorted({name for each in counts for name in each})
    return {name: sum(each.get(name, 0) for each in counts) for name in types}


def _read_at(feeds: Sequence[FeedState]) -> int | None:
    """Return when the oldest reading of a feed was made; None before any reading."""
    return min((state.read_at for state in feeds if state.read_at is not None), default=None)
