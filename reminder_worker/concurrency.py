"""Concurrent work: together, in time, and with few collections of garbage."""

import asyncio
import gc
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import Context
from typing import Any, Generic, TypeVar

from reminder_worker.errors import ChainUnavailable

T = TypeVar("T")
CHAIN_SECONDS = 45.0


async def run_together(*work: Awaitable[Any]) -> list[Any]:
    """Run awaitables at once and return results in order. The first failure cancels the others and is raised.

    `asyncio.gather` alone would leave the others running. Before Python 3.13 a failed `TaskGroup` counts as a
    cancellation of its caller: an `asyncio.timeout` around it raises `CancelledError` instead of `TimeoutError`.
    """
    tasks = [asyncio.ensure_future(each) for each in work]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def split_batches(items: Sequence[T], size: int) -> list[Sequence[T]]:
    """Return the items in order, at most `size` in a batch."""
    return [items[start : start + size] for start in range(0, len(items), size)]


async def run_each(items: Sequence[T], at_once: int, work: Callable[[T], Awaitable[object]]) -> None:
    """Call `work` for each item in order, `at_once` at a time; failures as in `run_together`."""
    rest = iter(items)

    async def worker() -> None:
        for item in rest:
            await work(item)

    await run_together(*(worker() for _ in range(min(at_once, len(items)))))


async def in_time(work: Awaitable[T], seconds: float | None = None) -> T:
    """Return the result of `work`, which asks one chain: other chains wait for it.

    Raises `ChainUnavailable` after `seconds`, by default `CHAIN_SECONDS`.
    """
    seconds = CHAIN_SECONDS if seconds is None else seconds
    try:
        async with asyncio.timeout(seconds):
            return await work
    except TimeoutError:
        raise ChainUnavailable(f"a chain gave no answer within {seconds:.0f} seconds") from None


async def wait_at_most(seconds: float, work: Coroutine[Any, Any, T]) -> T:
    """Return the result of `work`, which asks the database. Raises `TimeoutError`.

    The work is cancelled and not awaited: the driver waits ten seconds more for a server that hangs.
    """
    task = asyncio.create_task(work)
    try:
        done, _ = await asyncio.wait({task}, timeout=seconds)
    finally:
        task.cancel()  # without effect on work that is done
    if not done:
        raise TimeoutError
    return task.result()


class ChainLooks(Generic[T]):
    """Looks at chains for callers that wait a short while only. Concurrent callers share one look at a chain.

    A look continues after its callers have left: only a look that waits to the end finds an endpoint that hangs.
    """

    def __init__(self, look: Callable[[int], Coroutine[Any, Any, T]]) -> None:
        self._look = look
        self._under_way: dict[int, asyncio.Task[T]] = {}

    async def collect_within(self, seconds: float, chain_ids: Iterable[int]) -> dict[int, T]:
        """Return results by chain of the looks that finished in time."""
        looks = {chain_id: self._start_look(chain_id) for chain_id in chain_ids}
        await asyncio.wait(looks.values(), timeout=seconds)
        return {chain_id: look.result() for chain_id, look in looks.items() if look.done()}

    def _start_look(self, chain_id: int) -> asyncio.Task[T]:
        look = self._under_way.get(chain_id)
        if look is None or look.done():
            look = self._under_way[chain_id] = asyncio.create_task(self._look(chain_id), context=Context())
        return look


@contextmanager
def collecting_young_objects_only() -> Iterator[None]:
    """Collect new objects only: collections of the whole process were a sixth of an email's cost."""
    usual = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(20_000, *usual[1:])  # new objects: a batch makes as many, and frees them without the collector
    try:
        yield
    finally:
        gc.set_threshold(*usual)
        gc.unfreeze()
