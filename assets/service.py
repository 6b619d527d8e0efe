"""The worker inside a Dagster process: its parts opened once, kept warm between ticks and steps.

Nothing heavy is imported before the first question, so that a code server that only lists definitions stays small.
"""

import asyncio
import gc
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from multiprocessing.util import Finalize
from typing import TYPE_CHECKING, TypeVar

from reminder_worker.declarations import OperatorFact

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from reminder_worker.runtime import Runtime

T = TypeVar("T")


@asynccontextmanager
async def open_from_environment() -> "AsyncIterator[Runtime]":
    """Raises `Misconfigured` with what is wrong, in words an operator may see."""
    from reminder_worker.logging import configure_logging
    from reminder_worker.runtime import open_runtime
    from reminder_worker.settings import Settings

    settings = Settings.from_environ()
    configure_logging(settings)
    async with open_runtime(settings) as runtime:
        yield runtime


class Service:
    """One event loop in a thread owns the runtime, because its connections belong to the loop they were made in.

    An unexpected failure closes the runtime as soon as nobody uses it, and the next question opens it again.
    """

    def __init__(self, opening: "Callable[[], AbstractAsyncContextManager[Runtime]]" = open_from_environment) -> None:
        self._opening = opening
        self._starting = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._entering: asyncio.Lock | None = None
        self._at_exit: Finalize | None = None
        self._runtime: Runtime | None = None
        self._stack = AsyncExitStack()
        self._users = 0
        self._stale = False

    def __repr__(self) -> str:
        return "Service"  # Dagster shows resources

    def call(self, work: "Callable[[Runtime], Awaitable[T]]", seconds: float) -> T:
        """Run `work` with the runtime and wait for it; after `seconds` it is given up with `TimeoutError`."""
        future = self._submit(work)
        try:
            return future.result(seconds)
        except TimeoutError:
            future.cancel()
            raise

    def read(self, fact: OperatorFact[T], seconds: float = 60.0) -> T:
        """Read a fact for operators and wait for it."""
        return self.call(lambda runtime: fact.read(runtime.scope), seconds)

    def close(self) -> None:
        """End the runtime and the thread; the next question would start them again."""
        with self._starting:
            loop, thread, at_exit, self._loop = self._loop, self._thread, self._at_exit, None
        if loop is None or thread is None or at_exit is None:
            return
        with suppress(TimeoutError):
            asyncio.run_coroutine_threadsafe(self._leave(), loop).result(5.0)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(5.0)
        at_exit.cancel()

    def _submit(self, work: "Callable[[Runtime], Awaitable[T]]") -> "Future[T]":
        with self._starting:
            if self._loop is None:
                # Collections while the worker is imported would walk through all of Dagster's objects again and again.
                gc.freeze()
                import uvloop

                self._loop = uvloop.new_event_loop()
                self._entering = asyncio.Lock()
                self._thread = threading.Thread(target=self._loop.run_forever, name="worker", daemon=True)
                self._thread.start()
                self._at_exit = Finalize(None, self.close, exitpriority=0)  # a run's process ends without `atexit`
            return asyncio.run_coroutine_threadsafe(self._serve(work), self._loop)

    async def _serve(self, work: "Callable[[Runtime], Awaitable[T]]") -> T:
        from reminder_worker.errors import ServiceError

        runtime = await self._enter()
        try:
            return await work(runtime)
        except ServiceError:
            raise  # the parts are sound: they said what is wrong
        except Exception:
            self._stale = True
            raise
        finally:
            self._users -= 1
            if self._stale and self._users == 0:
                await self._leave()

    async def _enter(self) -> "Runtime":
        assert self._entering is not None  # noqa: S101 - made with the loop
        async with self._entering:
            if self._runtime is None:
                self._runtime = await self._stack.enter_async_context(self._opening())
                self._stale = False
            self._users += 1
            return self._runtime

    async def _leave(self) -> None:
        self._runtime = None
        stack, self._stack = self._stack, AsyncExitStack()
        await stack.aclose()
