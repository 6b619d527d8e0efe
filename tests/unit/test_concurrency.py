"""Concurrent work ends together and leaves nothing behind in its caller."""

import asyncio

import pytest

from reminder_worker.concurrency import in_time, run_together
from reminder_worker.errors import ChainUnavailable, Unavailable


async def fails() -> None:
    await asyncio.sleep(0)
    raise Unavailable("of itself")


@pytest.mark.parametrize("beside", [0, 1, 3])
async def test_a_failure_that_was_dealt_with_makes_no_cancellation_of_a_chain_that_takes_long(beside: int) -> None:
    async def work() -> None:
        with pytest.raises(Unavailable, match="of itself"):
            await run_together(fails(), *(asyncio.sleep(60) for _ in range(beside)))
        await asyncio.sleep(60)

    with pytest.raises(ChainUnavailable):
        await in_time(work(), 0.05)
    current = asyncio.current_task()
    assert current is not None
    assert current.cancelling() == 0


async def test_the_first_failure_ends_the_others_before_it_is_raised() -> None:
    ended: list[str] = []

    async def slow() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.01)
            ended.append("slow")

    with pytest.raises(Unavailable):
        await run_together(slow(), fails(), slow())
    assert ended == ["slow", "slow"]


async def test_who_is_cancelled_while_a_failure_ends_the_others_is_cancelled() -> None:
    async def slow() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.05)

    waiting = asyncio.ensure_future(run_together(fails(), slow()))
    await asyncio.sleep(0.02)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
