"""Findings about the history that our index has still to read: what it takes at each endpoint's limit."""

import time
from collections.abc import AsyncIterator, Sequence
from math import ceil
from typing import Any, Final

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.chain import wire
from reminder_worker.chain.client import Chain
from reminder_worker.chain.events import map_topics
from reminder_worker.chain.logs import LogFilter
from reminder_worker.chain.rpc import RpcError
from reminder_worker.doctor import Finding
from reminder_worker.errors import ChainUnavailable
from reminder_worker.indexer.store import read_positions
from reminder_worker.monitoring.endpoints import read_index_lags
from reminder_worker.monitoring.node_bill import find_prices
from reminder_worker.outbox.messages import format_duration

SHORT_WAY: Final = 10_000  # blocks: read within a few runs, whatever the endpoint accepts
PROBED: Final = (10_000, 500, 10)
LONG_SECONDS: Final = 1800
REQUESTS_EACH: Final = 1.2  # and the time of 0.3 answers for each range: `bench/catch_up.py` measures both
ANSWERS_EACH: Final = 0.3


async def forecast_catch_up(chain: Chain, engine: AsyncEngine) -> AsyncIterator[Finding]:
    """Ask each endpoint for logs behind the index's block, for fewer until it answers. Nothing for a short way."""
    part = f"chain {chain.chain_id} catch-up"
    try:
        (lag,) = await read_index_lags({chain.chain_id: chain}, await read_positions(engine))
    except (SQLAlchemyError, OSError):
        return  # the database's own finding says why
    left = lag.behind
    if left <= SHORT_WAY:  # also 0 for a chain that does not answer: its own finding says why
        return
    for alone, url in zip(chain.single_views(), chain.settings.rpc_urls, strict=True):
        name = alone.endpoints.list_health()[0].name
        try:
            found = await _find_limit(alone, lag.head - left + 1)
        except ChainUnavailable:
            yield part, None, f"{left} blocks to read, and {name} does not answer"
            continue
        if found is None:
            yield part, None, f"{left} blocks to read, and {name} gives no logs of 10 blocks"
            continue
        blocks, seconds = found
        ranges = left / blocks
        duration = ranges * ANSWERS_EACH * seconds
        words = f"{left} blocks to read: {name} gives {blocks} in a question, which takes some"
        words += f" {ceil(ranges * REQUESTS_EACH):,} requests and {format_duration(max(60, round(duration)))}"
        prices = find_prices(url.get_secret_value())
        if prices.provider:
            each = prices.price_of("eth_getLogs") + (REQUESTS_EACH - 1) * prices.price_of("eth_getBlockByNumber")
            words += f", at {prices.provider} {ranges * each:,.0f} {prices.unit}"
        is_long = duration > LONG_SECONDS
        remedy = ". `reminder-worker backfill --rpc-url` reads from another endpoint once, without a change of RPC_URLS"
        yield part, None if is_long else True, words + remedy * is_long


async def _find_limit(alone: Chain, first: int) -> tuple[int, float] | None:
    """Return how many blocks the endpoint accepts, and how many seconds its answer took; None if it refuses 10.

    Raises `ChainUnavailable` if it does not answer.
    """
    says = map_topics(alone.settings)
    wanted = LogFilter(frozenset(says), frozenset().union(*says.values()))
    for most in PROBED:
        blocks = min(most, alone.settings.log_range)
        began = time.monotonic()
        answers = await alone.endpoints.ask_each([wanted.build_request(first, first + blocks - 1)], _are_logs)
        if not answers:
            raise ChainUnavailable("the endpoint does not answer")
        if answers == [True]:
            return blocks, time.monotonic() - began
    return None


def _are_logs(answers: Sequence[Any]) -> bool:
    return not isinstance(answers[0], RpcError) and isinstance(wire.decode_logs(answers[0]), list)
