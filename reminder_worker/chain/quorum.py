"""Answers that need two endpoints, because a lying endpoint could write, show or erase personal data."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from reminder_worker.chain.client import Chain
from reminder_worker.errors import ChainUnavailable, ServiceError

T = TypeVar("T")
ENDPOINTS_THAT_AGREE: Final = 2
"""Endpoints that have to agree, where one endpoint's word is not enough."""


def endpoints_needed(endpoints: int) -> int:
    """Return how many of so many endpoints have to agree; a single endpoint is believed."""
    return min(ENDPOINTS_THAT_AGREE, endpoints)


async def agreed(chain: Chain, read: Callable[[Chain], Awaitable[T]]) -> T:
    """Return the value of two agreeing endpoints, all asked at once; a single configured endpoint is believed.

    Raises `ChainUnavailable` if no two agree: one is down, lags or lies. The values of `read` are compared, so they
    must contain everything relevant. A refusal must be a value too: an exception of `read` counts as no answer.
    """
    voices = chain.single_views()
    if len(voices) < ENDPOINTS_THAT_AGREE:
        return await read(chain)

    async def ask(voice: Chain) -> list[T]:
        try:
            return [await read(voice)]
        except ServiceError:  # also `Misconfigured`, when it denies a contract
            return []

    said: list[T] = []
    asked = [asyncio.ensure_future(ask(voice)) for voice in voices]
    try:
        for answer in asyncio.as_completed(asked):
            for value in await answer:
                said.append(value)
                if said.count(value) == ENDPOINTS_THAT_AGREE:
                    return value
    finally:
        for task in asked:
            task.cancel()
        await asyncio.gather(*asked, return_exceptions=True)
    raise ChainUnavailable(f"no two endpoints of chain {chain.chain_id} say the same")
