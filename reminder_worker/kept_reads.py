"""Reads for viewers: one read at a time for all who ask for the same, kept for a while."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic

from reminder_worker.concurrency import T, in_time


class KeptReads(Generic[T]):
    """The values of reads by key: the `most` that were asked for last.

    A failure is raised to all who wait for this read and is not kept. A viewer who leaves stops the read of no other.
    """

    def __init__(self, most: int = 500) -> None:
        self._most = most
        self._values: dict[Hashable, tuple[T, float]] = {}
        self._under_way: dict[Hashable, asyncio.Task[T]] = {}

    async def find(self, key: Hashable, read: Callable[[], Coroutine[Any, Any, tuple[T, float]]]) -> T:
        """Return the kept value, or the value of `read`.

        `read` returns the value and a number of seconds. The value is kept so long after the begin of the read.
        """
        now = time.monotonic()
        value, until = self._values.pop(key, (None, 0.0))
        if value is not None and now < until:
            self._values[key] = value, until  # again the newest: the oldest goes first
            return value
        under_way = self._under_way.get(key)
        if under_way is None:
            under_way = self._under_way[key] = asyncio.create_task(self._read(key, read, now))
        return await asyncio.shield(under_way)

    async def _read(self, key: Hashable, read: Callable[[], Coroutine[Any, Any, tuple[T, float]]], now: float) -> T:
        try:
            value, seconds = await in_time(read())
        finally:
            del self._under_way[key]
        self._values[key] = value, now + seconds
        if len(self._values) > self._most:
            del self._values[next(iter(self._values))]
        return value
