"""Prices of tokens by feed, with their freshness."""

from typing import TYPE_CHECKING

import dagster as dg

from assets import metadata
from assets.reminders import chain
from assets.service import Service
from assets.steps import AFTER_THE_WORK, IN_PLACE, OWNERS, SECONDS, Results, perform, shown_between_runs
from assets.tables import describe_table
from reminder_worker.statistics.feature import FEEDS, PRICES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reminder_worker.runtime import Runtime
    from reminder_worker.statistics.prices import FeedState


@dg.asset(
    deps=[chain],
    group_name="numbers",
    kinds={"ethereum", "postgres"},
    owners=OWNERS,
    tags={"holds": "public-chain-data"},
    metadata=describe_table("price"),
    output_required=False,
    pool="price_feeds",
)
def prices(context: dg.AssetExecutionContext, service: dg.ResourceParam[Service]) -> Results:
    """Every sane round of every Chainlink feed that was seen; absurd, impossible and late answers are marked, not kept.

    The feeds are read every five minutes, all at one block, by the sensor: a run starts only for a new round.
    """
    for found in perform(context, service, PRICES):
        more = service.call(read_price_metadata, SECONDS)
        yield dg.MaterializeResult(metadata={**more, **found}, data_version=IN_PLACE)


@dg.asset_check(asset=prices, op_tags=AFTER_THE_WORK)
def price_not_stale(service: dg.ResourceParam[Service]) -> dg.AssetCheckResult:
    """Every configured feed gave a believable answer within its heartbeat; else its price is marked stale."""
    states = service.read(FEEDS)
    bad = [(chain_id, state) for chain_id, state in states if state.price is None or state.price.stale]
    return dg.AssetCheckResult(
        passed=not bad,
        description=metadata.join_sentence(
            (_describe_stale_feed(*each) for each in bad), f"all of {len(states)} feeds are fresh"
        ),
        metadata={"stale": len(bad), "feeds": len(states), "stale feeds": _make_feed_table(bad)},
    )


@shown_between_runs("prices")
async def read_price_metadata(runtime: "Runtime") -> metadata.Metadata:
    from reminder_worker.statistics.prices import count_rounds

    rows = await count_rounds(runtime.engine)
    return {"feeds now": _make_feed_table(await FEEDS.read(runtime.scope)), "dagster/row_count": rows}


def _describe_stale_feed(chain_id: int, state: "FeedState") -> str:
    symbol, heartbeat = state.symbol or state.feed.token, metadata.format_age(state.feed.heartbeat_seconds)
    last = f"its price is {metadata.format_age(state.price.age)} old" if state.price else "it has no price yet"
    said = f", its last answer was {state.verdict}" if state.verdict not in (None, "good", "stale") else ""
    return f"{symbol}{metadata.name_chain(chain_id)}: {last}, its heartbeat is {heartbeat}{said}"


def _make_feed_table(states: "Sequence[tuple[int, FeedState]]") -> metadata.Table:
    rows = []
    for chain_id, state in states:
        usd, age, is_stale = "none yet", "", True
        if state.price:
            usd, age, is_stale = f"{state.price.usd:f}", metadata.format_age(state.price.age), state.price.stale
        token, verdict = state.symbol or state.feed.token, state.verdict or "not asked yet"
        heartbeat = metadata.format_age(state.feed.heartbeat_seconds)
        rows.append((chain_id, token, usd, age, "stale" if is_stale else "fresh", verdict, heartbeat))
    return metadata.make_table(("chain", "token", "US dollars", "age", "price", "last answer", "heartbeat"), rows)
