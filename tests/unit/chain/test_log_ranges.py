"""Log ranges shrink when nodes refuse them, grow back, and lose nothing."""

import asyncio

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reminder_worker.chain.endpoints import TooMuch
from reminder_worker.chain.logs import LogFilter, LogRanges
from reminder_worker.chain.rpc import RpcError
from reminder_worker.chain.types import EventLog
from reminder_worker.errors import ChainUnavailable

CONTRACT = "0x" + "11" * 20
TOPIC = "0x" + "aa" * 32


def log_at(block: int, index: int = 0, address: str = CONTRACT, topic: str = TOPIC) -> EventLog:
    return EventLog(address, (topic,), b"", block, "0x" + "22" * 32, "0x" + "33" * 32, index)


class Node:
    """Accepts ranges of at most `most` blocks."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.asked: list[tuple[int, int]] = []

    async def __call__(self, first: int, last: int) -> list[EventLog]:
        self.asked.append((first, last))
        if last - first + 1 > self.most:
            raise TooMuch
        return [log_at(block) for block in range(first, last + 1)]


@given(st.integers(1, 50), st.integers(1, 50), st.integers(0, 20), st.integers(0, 120))
async def test_every_block_is_read_once_and_in_order(largest: int, most: int, first: int, blocks: int) -> None:
    logs = await LogRanges(largest).read_ranges(Node(most), first, first + blocks)
    assert [log.block_number for log in logs] == list(range(first, first + blocks + 1))


async def test_a_refused_range_is_halved_and_asked_for_again_only_after_an_hour() -> None:
    now = 0.0
    ranges, node = LogRanges(1000, lambda: now), Node(100)
    await ranges.read_ranges(node, 0, 999)
    assert node.asked[:5] == [(0, 999), (0, 499), (0, 249), (0, 124), (0, 61)]
    await ranges.read_ranges(node, 1000, 9_999)
    node.asked.clear()
    await ranges.read_ranges(node, 10_000, 19_999)
    assert {last - first + 1 for first, last in node.asked} == {100}, "none is refused, none is smaller than need be"
    node.most = 10_000
    now = 3601.0
    node.asked.clear()
    await ranges.read_ranges(node, 0, 19_999)
    assert max(last - first + 1 for first, last in node.asked) == 1000


async def test_a_single_block_is_asked_for_again_after_it_was_refused() -> None:
    ranges, node = LogRanges(8), Node(1)
    ranges.shrink(1)  # as after a late answer to one block
    await ranges.read_ranges(node, 0, 3)
    assert node.asked == [(0, 0), (1, 1), (2, 2), (3, 3)]


async def test_ranges_are_asked_for_together_once_one_was_accepted() -> None:
    under_way, most = 0, 0

    async def ask(first: int, last: int) -> list[EventLog]:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0)
        under_way -= 1
        return [log_at(first)]

    logs = await LogRanges(10).read_ranges(ask, 0, 199)
    assert most == 4
    assert [log.block_number for log in logs] == list(range(0, 200, 10))


async def test_a_single_block_that_is_refused_is_given_up() -> None:
    node = Node(0)
    with pytest.raises(ChainUnavailable):
        await LogRanges(8).read_ranges(node, 5, 20)
    assert node.asked[-1] == (5, 5)


async def test_nothing_is_asked_for_an_empty_range() -> None:
    node = Node(5)
    assert await LogRanges(5).read_ranges(node, 7, 6) == []
    assert node.asked == []


WANTED = LogFilter(frozenset({CONTRACT}), frozenset({TOPIC}))


def test_logs_come_in_chain_order() -> None:
    logs = [log_at(6, 1), log_at(6, 0), log_at(5, 9)]
    assert WANTED.check_logs(logs, 5, 6) == [log_at(5, 9), log_at(6, 0), log_at(6, 1)]


@pytest.mark.parametrize(
    "log",
    [
        log_at(4),
        log_at(7),
        log_at(5, address="0x" + "12" * 20),
        log_at(5, topic="0x" + "ab" * 32),
        EventLog(CONTRACT, (), b"", 5, "0x" + "22" * 32, "0x" + "33" * 32, 0),
    ],
)
def test_logs_that_were_not_asked_for_are_refused(log: EventLog) -> None:
    with pytest.raises(msgspec.ValidationError):
        WANTED.check_logs([log], 5, 6)


def test_the_same_log_twice_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        WANTED.check_logs([log_at(5), log_at(5)], 5, 6)


@pytest.mark.parametrize(
    "message",
    [
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
    ],
)
def test_a_range_that_is_too_wide_is_no_limit_that_a_rest_would_help(message: str) -> None:
    """Such a range would be asked for again and again, and none of the next blocks read."""
    assert not RpcError(-32005, message).is_rate_limit
