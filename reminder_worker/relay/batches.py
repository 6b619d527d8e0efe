"""Batches: items that come while their work waits for its turn are done together. A single item waits for no other."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextvars import Context
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")

MOST_ITEMS: Final = 64
"""Items of one batch; more wait for the next batch."""


@dataclass(eq=False, slots=True)
class OpenBatch(Generic[T]):
    """A batch that more items may join until `work` takes them."""

    items: list[T] = field(default_factory=list)
    task: "asyncio.Task[Any] | None" = None


class BatchRunner(Generic[T, R]):
    """`work` gets a function, and calls it when its turn has come: the function returns all items of the batch.

    `work` returns an outcome per item in order, an exception for an item that failed by itself. An exception of `work`
    goes to every caller. A caller that is cancelled does not cancel `work`.
    """

    def __init__(self, work: Callable[[Callable[[], Sequence[T]]], Awaitable[Sequence[R | BaseException]]]) -> None:
        self._work = work
        self._open: OpenBatch[T] | None = None

    async def run(self, item: T) -> R:
        batch = self._open
        if batch is None or len(batch.items) >= MOST_ITEMS:
            batch = self._open = OpenBatch()
        if batch.task is None:
            # In a context of its own: its log lines do not belong to the first request.
            batch.task = asyncio.create_task(self._work_on(batch), context=Context())
        place = len(batch.items)
        batch.items.append(item)
        outcome: R | BaseException = (await asyncio.shield(batch.task))[place]
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    async def _work_on(self, batch: OpenBatch[T]) -> Sequence[R | BaseException]:
        try:
            return await self._work(partial(self._take, batch))
        finally:
            self._take(batch)

    def _take(self, batch: OpenBatch[T]) -> Sequence[T]:
        if self._open is batch:
            self._open = None
        return batch.items
