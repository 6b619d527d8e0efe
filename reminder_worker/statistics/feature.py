"""Statistics as declared: prices of tokens, and the hourly snapshots."""

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from reminder_worker.declarations import FactGauge, FactScope, OperatorFact, WorkerFeature, WorkerPass

if TYPE_CHECKING:
    from reminder_worker.settings import Settings
    from reminder_worker.statistics.prices import FeedState
    from reminder_worker.statistics.snapshots import StatisticsSnapshot


def _prices_off(settings: "Settings") -> str | None:
    return None if any(chain.price_feeds for chain in settings.chains) else "no price feeds (CHAIN_x_PRICE_FEEDS)"


async def _read_feeds(scope: FactScope) -> "Sequence[tuple[int, FeedState]]":
    """Return every configured feed with its chain."""
    from reminder_worker.statistics.prices import read_feed_states

    return [
        (chain_id, state)
        for chain_id, chain in scope.chains.items()
        for state in await read_feed_states(scope.engine, chain)
    ]


def _show_feeds(feeds: "Sequence[tuple[int, FeedState]]") -> Iterator[FactGauge]:
    """Yield every feed by its token's symbol, or by the token's address if the symbol is missing or shared."""
    symbols = Counter((chain_id, state.symbol) for chain_id, state in feeds)
    prices = {}
    for chain_id, state in feeds:
        is_known = state.symbol and symbols[chain_id, state.symbol] == 1
        prices[chain_id, state.symbol if is_known else state.feed.token] = state.price
    labels = ("chain", "token")
    dollars = {key: float(price.usd) for key, price in prices.items() if price is not None}
    ages = {key: price.age for key, price in prices.items() if price is not None}
    stale = {key: float(price is None or price.stale) for key, price in prices.items()}
    yield FactGauge("price_usd", "The last good price", labels, dollars)
    yield FactGauge("price_age_seconds", "Age of the last good price, by the time its feed wrote it", labels, ages)
    yield FactGauge("price_stale", "1: there is no fresh price", labels, stale)


def _describe_feeds(feeds: "Sequence[tuple[int, FeedState]]") -> str:
    stale = sum(state.price is None or state.price.stale for _, state in feeds)
    return f"no new round of {len(feeds)} price feeds" + (f"; without a fresh price: {stale}" if stale else "")


async def _read_snapshots(scope: FactScope) -> "Mapping[int, StatisticsSnapshot]":
    """Return the newest snapshots by chain."""
    from reminder_worker.statistics.snapshots import find_newest_snapshot

    snapshots = {chain_id: await find_newest_snapshot(scope.engine, chain_id) for chain_id in scope.chains}
    return {chain_id: snapshot for chain_id, snapshot in snapshots.items() if snapshot is not None}


def _show_snapshots(snapshots: "Mapping[int, StatisticsSnapshot]") -> Iterator[FactGauge]:
    values = {(chain_id,): snapshot.value_secured_usd for chain_id, snapshot in snapshots.items()}
    dollars = {key: None if value is None else float(value) for key, value in values.items()}
    ages = {(chain_id,): max(0.0, time.time() - each.block_time) for chain_id, each in snapshots.items()}
    words = "By the newest snapshot; absent: a price is missing"
    yield FactGauge("value_secured_usd", words, ("chain",), dollars)
    yield FactGauge("statistics_age_seconds", "Since the block of the newest snapshot", ("chain",), ages)


PRICES = WorkerPass("prices", 300, asset="prices", off=_prices_off)
STATISTICS = WorkerPass("statistics", 300, asset="statistics_snapshots")
FEEDS = OperatorFact("feeds", _read_feeds, _show_feeds, _describe_feeds)
SNAPSHOTS = OperatorFact("snapshots", _read_snapshots, _show_snapshots)
TOKEN_PRICES = WorkerFeature((PRICES,), (FEEDS,))
HOURLY_STATISTICS = WorkerFeature((STATISTICS,), (SNAPSHOTS,))
