"""Log ranges shrink when nodes refuse them, grow back, and lose nothing."""

import asyncio
from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reminder_worker.chain.endpoints import TooMuch
from reminder_worker.chain.logs import LogFilter, LogLimit, read_ranges
from reminder_worker.chain.rpc import RpcError
from reminder_worker.chain.types import NODE_POLICY, EventLog
from reminder_worker.errors import ChainUnavailable

CONTRACT = "0x" + "11" * 20
TOPIC = "0x" + "aa" * 32


def log_at(block: int, index: int = 0, address: str = CONTRACT, topic: str = TOPIC) -> EventLog:
    return EventLog(address, (topic,), b"", block, "0x" + "22" * 32, "0x" + "33" * 32, index)


class Node:
    """Accepts ranges of at most `most` blocks, and `together` at the same time."""

    def __init__(self, most: int, largest: int, clock: Callable[[], float] = lambda: 0.0) -> None:
        self.most = most
        self.together = 100
        self.limit = LogLimit(largest, clock)
        self.asked: list[tuple[int, int]] = []
        self.under_way = self.most_under_way = 0

    async def ask(self, first: int, last: int) -> tuple[list[EventLog], LogLimit]:
        self.asked.append((first, last))
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        is_limited = self.under_way > self.together
        await asyncio.sleep(0)
        self.under_way -= 1
        if is_limited:
            raise ChainUnavailable
        if last - first + 1 > self.most:
            self.limit.record_refusal(last - first + 1)
            raise TooMuch("refused")
        self.limit.record_answer(last - first + 1)
        return [log_at(block) for block in range(first, last + 1)], self.limit

    async def read(self, first: int, last: int) -> list[int]:
        return [log.block_number for log in await read_ranges(self.ask, [self.limit], first, last)]

    def widths(self) -> list[int]:
        return [last - first + 1 for first, last in self.asked]


@given(st.integers(1, 50), st.integers(1, 50), st.integers(0, 20), st.integers(0, 120))
async def test_every_block_is_read_once_and_in_order(largest: int, most: int, first: int, blocks: int) -> None:
    assert await Node(most, largest).read(first, first + blocks) == list(range(first, first + blocks + 1))


async def test_a_refused_range_is_halved_and_asked_for_again_only_after_an_hour() -> None:
    now = 0.0
    node = Node(100, 1000, lambda: now)
    await node.read(0, 9_999)
    assert node.asked[:5] == [(0, 999), (0, 499), (0, 249), (0, 124), (0, 61)]
    node.asked.clear()
    await node.read(10_000, 19_999)
    assert max(node.widths()) <= 100, "none is refused"
    assert len(node.asked) <= 10_000 / 80, "few are smaller than need be"
    now = 3601.0
    node.asked.clear()
    await node.read(20_000, 29_999)
    assert len([width for width in node.widths() if width > 100]) == 1, "a wider one is tried once"
    node.most, now = 10_000, 7203.0
    await node.read(30_000, 69_999)
    assert max(node.widths()) == 1000


@given(st.integers(1, 5000), st.sampled_from((10, 500, 1000, 2000, 5000)))
async def test_few_questions_are_refused_until_a_limit_is_learned(most: int, largest: int) -> None:
    node = Node(most, largest)
    await node.read(0, 20_000)
    assert len([width for width in node.widths() if width > most]) <= 14
    assert node.limit.most <= most
    assert node.limit.most >= min(most, largest) * 0.7


async def test_what_another_process_learned_is_used_until_its_hour_is_over() -> None:
    now = 0.0
    node = Node(100, 1000, lambda: now)
    node.limit.recall(90, 3600.0)
    await node.read(0, 999)
    assert set(node.widths()) == {90, 10}
    now = 3600.0
    await node.read(1000, 1999)
    assert max(node.widths()) > 90


async def test_a_single_block_that_was_refused_is_asked_for_again_and_its_endpoint_after_an_hour() -> None:
    now = 0.0
    node = Node(1, 8, lambda: now)
    node.limit.record_silence(1)  # as after a late answer to one block
    await node.read(0, 3)
    assert node.asked == [(0, 0), (1, 1), (2, 2), (3, 3)]
    node.limit.record_refusal(1)
    assert node.limit.most == 0
    now = 3600.0
    assert node.limit.most == 8


async def test_ranges_are_asked_for_together_once_one_was_accepted() -> None:
    node = Node(10, 10)
    assert await node.read(0, 199) == list(range(200))
    assert node.most_under_way == NODE_POLICY.log_requests_together
    assert node.asked[0] == (0, 9)


async def test_after_a_failure_of_several_one_range_is_asked_for_alone() -> None:
    """A provider that limits the rate refuses some of several questions. No block is left out, or read twice."""
    node = Node(10, 10)
    node.together = 3
    assert await node.read(0, 999) == list(range(1000))
    node.together = 0
    with pytest.raises(ChainUnavailable):
        await node.read(0, 999)


async def test_a_narrow_endpoint_is_asked_for_what_it_accepts_when_the_wide_one_does_not_answer() -> None:
    narrow, wide = Node(10, 1000), LogLimit(1000)
    narrow.limit.recall(10, 3600.0)

    async def ask(first: int, last: int) -> tuple[list[EventLog], LogLimit]:
        if last - first + 1 > narrow.limit.most:
            raise TooMuch("refused")
        return await narrow.ask(first, last)

    logs = await read_ranges(ask, [wide, narrow.limit], 0, 99)
    assert [log.block_number for log in logs] == list(range(100))
    assert set(narrow.widths()) == {10}


async def test_a_single_block_that_is_refused_is_given_up_and_for_an_empty_range_nothing_is_asked() -> None:
    node = Node(0, 8)
    assert await node.read(7, 6) == []
    assert node.asked == []
    with pytest.raises(ChainUnavailable):
        await node.read(5, 20)
    assert node.asked[-1] == (5, 5)


WANTED = LogFilter(frozenset({CONTRACT}), frozenset({TOPIC}))


def test_logs_come_in_chain_order_and_those_not_asked_for_or_twice_are_refused() -> None:
    assert WANTED.check_logs([log_at(6, 1), log_at(6, 0), log_at(5, 9)], 5, 6) == [
        *(log_at(5, 9), log_at(6, 0), log_at(6, 1))
    ]
    for logs in (
        [log_at(4)],
        [log_at(7)],
        [log_at(5, address="0x" + "12" * 20)],
        [log_at(5, topic="0x" + "ab" * 32)],
        [EventLog(CONTRACT, (), b"", 5, "0x" + "22" * 32, "0x" + "33" * 32, 0)],
        [log_at(5), log_at(5)],
    ):
        with pytest.raises(msgspec.ValidationError):
            WANTED.check_logs(logs, 5, 6)


def test_a_range_that_is_too_wide_is_no_limit_that_a_rest_would_help() -> None:
    """Such a range would be asked for again and again, and none of the next blocks read."""
    for message in (
        "query returned more than 10000 results. Try with this block range [0x118dc91, 0x1198cc3].",
        "range 1000000 exceeds limit of 10000",
        "Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the"
        " response size, or you can request any block range with a cap of 10K logs in the response.",
        "Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range.",
        "eth_getLogs is limited to 1024 block range.",
        "eth_getLogs range is too large, max is 1k blocks",
        "query exceeds max results 20000, retry with the range 23879634-23879696",
        "ranges over 10000 blocks are not supported on freetier",
        "Request timeout on the free tier, please upgrade your tier to the paid one",
        "Requested range exceeds maximum RPC range limit",
        "exceed maximum block range: 50000",
        "block range is larger than max block range, block range = 5120, max block range = 5000",
        "response size should not greater than 10000000 bytes",
        "Unable to complete request at this time.",
    ):
        assert not RpcError(-32005, message).is_rate_limit
