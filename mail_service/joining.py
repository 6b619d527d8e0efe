"""One statement and one commit for all that is to be written at the same time."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Hashable, Sequence
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class JoinedWrites(Generic[T]):
    """While one statement is under way, items are collected for the next.

    `write` gets items and returns those that it wrote. Its error is the error of each of them.
    """

    def __init__(self, write: Callable[[Sequence[T]], Awaitable[Collection[T]]]) -> None:
        self._write = write
        self._waiting: dict[T, asyncio.Future[bool]] = {}
        self._writing: asyncio.Task[None] | None = None

    async def write(self, item: T) -> bool:
        """Return whether `item` was written, once it is. Raises errors of the statement. Items must differ."""
        done: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting[item] = done
        if self._writing is None:
            self._writing = asyncio.create_task(self._write_all())
        return await done

    async def _write_all(self) -> None:
        while self._waiting:
            items, self._waiting = self._waiting, {}
            try:
                written = await self._write(list(items))
            except Exception as error:  # noqa: BLE001 - raised where each item is waited for
                for done in items.values():
                    if not done.done():  # else its request was cancelled
                        done.set_exception(error)
            else:
                for item, done in items.items():
                    if not done.done():
                        done.set_result(item in written)
        self._writing = None
