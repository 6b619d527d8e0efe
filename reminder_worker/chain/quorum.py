"""Answers that need two endpoints, because a lying endpoint could write, show or erase personal data."""

import asyncio
from collections.abc import Awaitable, Callable

from reminder_worker.chain.client import Chain
from reminder_worker.chain.types import T
from reminder_worker.errors import ChainUnavailable, ServiceError


def endpoints_needed(endpoints: int) -> int:
    """Return how many of so many endpoints have to agree: two; a single endpoint is believed."""
    return min(2, endpoints)


async def read_agreed(chain: Chain, read: Callable[[Chain], Awaitable[T]]) -> T:
    """Return the value of two agreeing endpoints, all asked at once; a single configured endpoint is believed.

    Raises `ChainUnavailable` if no two agree: one is down, lags or lies. The values of `read` are compared, so they
    must contain everything relevant. A refusal must be a value too: an exception of `read` counts as no answer.
    """
    views = chain.single_views()
    needed = endpoints_needed(len(views))
    if needed == 1:
        return await read(chain)

    async def ask_one(view: Chain) -> list[T]:
        try:
            return [await read(view)]
        except ServiceError:  # also `Misconfigured`, when it denies a contract
            return []

    values: list[T] = []
    asked = [asyncio.ensure_future(ask_one(view)) for view in views]
    try:
        for answer in asyncio.as_completed(asked):
            for value in await answer:
                values.append(value)
                if values.count(value) == needed:
                    return value
    finally:
        for task in asked:
            task.cancel()
        await asyncio.gather(*asked, return_exceptions=True)
    raise ChainUnavailable(f"no two endpoints of chain {chain.chain_id} say the same")
