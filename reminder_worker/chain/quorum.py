"""What may not rest on one endpoint's word, because who lies in it could write, show or erase what is personal."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from reminder_worker.chain.client import Chain
from reminder_worker.chain.types import VOICES
from reminder_worker.errors import ChainUnavailable, ServiceError

T = TypeVar("T")


async def agreed(chain: Chain, read: Callable[[Chain], Awaitable[T]]) -> T:
    """What two endpoints say alike, all asked at once; where only one is configured, its word.

    Raises `ChainUnavailable` when no two do: one is down, lags or lies. What `read` returns is compared, so it has to
    hold all that matters; a refusal has to be a value, too, since what `read` raises counts as no answer.
    """
    voices = chain.alone()
    if len(voices) < VOICES:
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
                if said.count(value) == VOICES:
                    return value
    finally:
        for task in asked:
            task.cancel()
        await asyncio.gather(*asked, return_exceptions=True)
    raise ChainUnavailable(f"no two endpoints of chain {chain.chain_id} say the same")
