"""Items that come while their work waits for its turn are done in one go. One that comes alone waits for no other."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextvars import Context
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")

MOST: Final = 64
"""In one batch: whoever comes then is of the next one."""


@dataclass(eq=False, slots=True)
class OpenBatch(Generic[T]):
    """More items may join until `work` takes them."""

    items: list[T] = field(default_factory=list)
    task: "asyncio.Task[Any] | None" = None


class BatchRunner(Generic[T, R]):
    """`work` is called with a function. Once its turn has come it calls that, and gets all items that have come by
    then. It returns an outcome for each in their order, an exception for an item that failed by itself; what it raises,
    every caller gets. It is not cancelled when a caller is."""

    def __init__(self, work: Callable[[Callable[[], Sequence[T]]], Awaitable[Sequence[R | BaseException]]]) -> None:
        self._work = work
        self._open: OpenBatch[T] | None = None

    async def do(self, item: T) -> R:
        batch = self._open
        if batch is None or len(batch.items) >= MOST:
            batch = self._open = OpenBatch()
        if batch.task is None:
            # In a context of its own: what it logs is not of the request that happened to be the first.
            batch.task = asyncio.create_task(self._run(batch), context=Context())
        place = len(batch.items)
        batch.items.append(item)
        outcome: R | BaseException = (await asyncio.shield(batch.task))[place]
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    async def _run(self, batch: OpenBatch[T]) -> Sequence[R | BaseException]:
        try:
            return await self._work(partial(self._take, batch))
        finally:
            self._take(batch)

    def _take(self, batch: OpenBatch[T]) -> Sequence[T]:
        if self._open is batch:
            self._open = None
        return batch.items
