"""Agreement of a chain's endpoints: one endpoint may lie, lag or be silent.

What is only read takes the first good answer: every read of `Chain` ends in `EndpointPool.try_in_turn`. A decision that
could write, show, erase or pay asks `Chain.agreed`. `find_agreed` and `find_reached` decide each fact apart, where one
batch brings several facts of each endpoint.

| an endpoint  | `Chain.agreed`, `find_agreed`                   | `find_reached`                              |
|--------------|-------------------------------------------------|---------------------------------------------|
| is silent    | gives no vote: two others are enough            | gives no vote: two others are enough        |
| lies         | stands alone: two others are enough             | cannot raise the number above the others'   |
| is behind    | stands alone, unless the question names a block | is passed over if two others are further on |
| is the only  | is believed                                     | is believed                                 |

Without enough votes there is no answer: nothing is done, and a later run asks again. Two that lie alike are believed.
"""

import asyncio
from collections.abc import Awaitable, Sequence

from reminder_worker.chain.types import T
from reminder_worker.errors import ChainUnavailable, ServiceError


def endpoints_needed(endpoints: int) -> int:
    """Return how many of so many endpoints have to agree: two; a single endpoint is believed."""
    return min(2, endpoints)


def find_agreed(votes: Sequence[T], endpoints: int) -> T | None:
    """Return the value that enough of so many endpoints give, the one with the most votes; None without such a value.

    An endpoint that cannot tell gives no vote.
    """
    best = max(votes, key=votes.count, default=None)
    return best if best is not None and votes.count(best) >= endpoints_needed(endpoints) else None


def find_reached(numbers: Sequence[int], endpoints: int) -> int | None:
    """Return the number that enough of so many endpoints have reached; None if too few give one.

    For numbers that only grow, as a block's number or a transaction count: the second highest is the answer.
    """
    needed = endpoints_needed(endpoints)
    return sorted(numbers, reverse=True)[needed - 1] if len(numbers) >= needed else None


async def ask_until_agreed(questions: Sequence[Awaitable[T]], chain_id: int) -> T:
    """Return the value that two of these questions give, all asked at once, each of another endpoint.

    Raises `ChainUnavailable` if no two agree. A `ServiceError` counts as no answer.
    """

    async def ask_one(question: Awaitable[T]) -> tuple[T] | None:
        try:
            return (await question,)
        except ServiceError:  # also `Misconfigured`, when it denies a contract
            return None

    votes: list[tuple[T]] = []
    tasks = [asyncio.ensure_future(ask_one(question)) for question in questions]
    try:
        for answer in asyncio.as_completed(tasks):
            vote = await answer
            if vote is not None:
                votes.append(vote)
            agreed = find_agreed(votes, len(questions))
            if agreed is not None:
                return agreed[0]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    raise ChainUnavailable(f"no two endpoints of chain {chain_id} say the same")
