"""The runtime kept warm inside a Dagster process."""

import asyncio
import multiprocessing
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from assets.service import Service
from reminder_worker.errors import ChainUnavailable, Misconfigured


class Opening:
    """Counts how often a runtime was opened and closed; `refuses` makes opening fail."""

    def __init__(self) -> None:
        self.opened = self.closed = 0
        self.refuses = False

    @asynccontextmanager
    async def __call__(self) -> AsyncIterator[Any]:
        if self.refuses:
            raise Misconfigured("HASH_KEY: missing")
        self.opened += 1
        yield self.opened
        self.closed += 1


@pytest.fixture
def opening() -> Opening:
    return Opening()


@pytest.fixture
def service(opening: Opening) -> Iterator[Service]:
    service = Service(opening)
    yield service
    service.close()


async def _which(runtime: Any) -> int:
    return int(runtime)


async def _fail(error: BaseException) -> None:
    raise error


def test_the_runtime_is_kept_until_an_unexpected_failure_or_the_end_closes_it(
    service: Service, opening: Opening
) -> None:
    """An error of the service itself leaves it open. The next question opens it again."""
    assert (opening.opened, repr(service)) == (0, "Service"), "nothing of the settings shows where Dagster shows it"
    assert [service.call(_which, 10), service.call(_which, 10)] == [1, 1]
    with pytest.raises(ChainUnavailable):
        service.call(lambda _: _fail(ChainUnavailable("no endpoint answers")), 10)
    assert (service.call(_which, 10), opening.closed) == (1, 0)
    with pytest.raises(OSError):
        service.call(lambda _: _fail(OSError()), 10)
    assert (opening.closed, service.call(_which, 10)) == (1, 2)
    service.close()
    assert (opening.closed, service.call(_which, 10)) == (2, 3)


def test_settings_that_became_right_are_found_at_the_next_question(service: Service, opening: Opening) -> None:
    opening.refuses = True
    with pytest.raises(Misconfigured):
        service.call(_which, 10)
    opening.refuses = False
    assert service.call(_which, 10) == 1


def test_work_that_takes_too_long_is_given_up(service: Service) -> None:
    given_up = asyncio.Event()

    async def endless(_: Any) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            given_up.set()

    with pytest.raises(TimeoutError):
        service.call(endless, 0.05)
    assert service.call(lambda _: given_up.wait(), 10)


def _ask_once(closed: Path) -> None:
    """The whole of a run's process."""

    @asynccontextmanager
    async def opening() -> AsyncIterator[Any]:
        async with AsyncExitStack() as stack:
            stack.callback(closed.touch)
            yield 1

    Service(opening).call(_which, 10)


@pytest.mark.parametrize("kind", ["spawn", "forkserver"])
def test_a_run_that_ends_closes_the_runtime_however_its_process_was_started(kind: Any, tmp_path: Path) -> None:
    process = multiprocessing.get_context(kind).Process(target=_ask_once, args=[tmp_path / "closed"])
    process.start()
    process.join(30)
    assert (process.exitcode, (tmp_path / "closed").exists()) == (0, True)
