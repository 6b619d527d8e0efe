"""Reads for viewers are shared, kept for a while, bounded, and never kept when they fail."""

import asyncio
from types import SimpleNamespace

import pytest

from reminder_worker import kept_reads
from reminder_worker.errors import ChainUnavailable
from reminder_worker.kept_reads import KeptReads


class CountedRead:
    """A read that waits for `may_end` and returns the number of its turn."""

    def __init__(self, seconds: float = 12) -> None:
        self.turns = 0
        self.fails = False
        self.may_end = asyncio.Event()
        self._seconds = seconds

    async def __call__(self) -> tuple[int, float]:
        self.turns += 1
        turn = self.turns
        await self.may_end.wait()
        if self.fails:
            raise ChainUnavailable("no answer")
        return turn, self._seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    moved = SimpleNamespace(now=1000)
    moved.monotonic = lambda: moved.now
    monkeypatch.setattr(kept_reads, "time", moved)
    return moved


async def test_a_value_is_read_once_for_all_and_again_when_its_time_is_over(clock: SimpleNamespace) -> None:
    reads, read = KeptReads[int](), CountedRead()
    waiting = [asyncio.create_task(reads.find("gift", read)) for _ in range(50)]
    await asyncio.sleep(0)
    clock.now += 5  # the time of a value begins with its read
    read.may_end.set()
    assert set(await asyncio.gather(*waiting)) == {1}
    clock.now += 6
    assert await reads.find("gift", read) == 1
    clock.now += 1
    assert set(await asyncio.gather(*(reads.find("gift", read) for _ in range(50)))) == {2}
    assert await reads.find("another gift", read) == 3


async def test_a_failure_is_told_to_those_who_wait_and_to_nobody_later(clock: SimpleNamespace) -> None:
    reads, read = KeptReads[int](), CountedRead()
    read.may_end.set()
    read.fails = True
    told = await asyncio.gather(*(reads.find("gift", read) for _ in range(3)), return_exceptions=True)
    assert [type(each) for each in told] == [ChainUnavailable] * 3
    assert read.turns == 1
    read.fails = False
    assert await reads.find("gift", read) == 2


async def test_a_viewer_who_leaves_stops_the_read_of_no_other(clock: SimpleNamespace) -> None:
    reads, read = KeptReads[int](), CountedRead()
    leaving, staying = (asyncio.create_task(reads.find("gift", read)) for _ in range(2))
    await asyncio.sleep(0)
    leaving.cancel()
    await asyncio.wait([leaving])
    read.may_end.set()
    assert (leaving.cancelled(), await staying, read.turns) == (True, 1, 1)


async def test_the_values_that_were_asked_for_last_are_kept(clock: SimpleNamespace) -> None:
    reads, read = KeptReads[int](most=2), CountedRead()
    read.may_end.set()
    for gift in ("first", "second", "first", "third", "first"):
        await reads.find(gift, read)
    assert read.turns == 3, "the first one is asked for again and again"
    await reads.find("second", read)
    assert read.turns == 4, "it had to go"
