"""Polls know a chain's newest blocks without asking, for as long as nothing newer can be there."""

import pytest

from reminder_worker.chain import heads
from reminder_worker.chain.heads import MOVED_SECONDS, SETTLED_SECONDS, SLOT_SECONDS, KnownHeads
from reminder_worker.chain.types import BlockHeader

NOW = 1_790_000_000


class FakeClocks:
    """Both clocks of a process."""

    passed = 0.0

    def monotonic(self) -> float:
        return self.passed

    def time(self) -> float:
        return NOW + self.passed


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch) -> FakeClocks:
    made = FakeClocks()
    monkeypatch.setattr(heads, "time", made)
    return made


def block(number: int, timestamp: int) -> BlockHeader:
    return BlockHeader(number, f"0x{number:064x}", f"0x{number - 1:064x}", timestamp)


def test_the_latest_block_serves_until_the_next_slot_by_its_own_time(clocks: FakeClocks) -> None:
    known, newest = KnownHeads(), block(7, NOW - 5)
    known.learn("latest", newest)
    clocks.passed = SLOT_SECONDS - 5.1
    assert known.find("latest") == newest
    assert known.find("safe") is None, "each tag for itself"
    clocks.passed = SLOT_SECONDS - 4.9
    assert known.find("latest") is None
    known.learn("latest", newest)
    assert known.find("latest") is None, "a slot without a block: the next one may come at any moment"


def test_a_settled_block_serves_for_less_than_a_minute_and_one_of_the_future_for_a_slot(clocks: FakeClocks) -> None:
    known, safe = KnownHeads(), block(7, NOW - 500)
    known.learn("safe", safe)
    known.learn("latest", block(8, NOW + 100))
    clocks.passed = SLOT_SECONDS + 0.1
    assert known.find("latest") is None
    clocks.passed = SETTLED_SECONDS - 0.1
    assert known.find("safe") == safe
    clocks.passed = SETTLED_SECONDS + 0.1
    assert known.find("safe") is None
    assert known.find_recent("safe") == safe, "the watchdog counts minutes"
    clocks.passed = 60.1
    assert known.find_recent("safe") is None


def test_a_settled_block_that_moved_serves_for_most_of_an_epoch(clocks: FakeClocks) -> None:
    known, moved = KnownHeads(), block(39, NOW)
    for each in (block(7, NOW - 500), moved):
        known.learn("safe", each)
    clocks.passed = MOVED_SECONDS - 0.1
    assert known.find("safe") == moved
    clocks.passed = MOVED_SECONDS + 0.1
    assert known.find("safe") is None
    known.learn("safe", moved)
    clocks.passed += SETTLED_SECONDS + 0.1
    assert known.find("safe") is None, "the next one may come at any moment"
