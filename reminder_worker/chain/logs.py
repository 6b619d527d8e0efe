"""Reading logs by ranges that shrink when nodes refuse them, from nodes that are known to have the range."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from eth_utils.crypto import keccak

from reminder_worker.chain import wire
from reminder_worker.chain.rpc import Request, RpcError
from reminder_worker.chain.types import EventLog
from reminder_worker.errors import ChainUnavailable


class TooMuch(ChainUnavailable):
    """Every endpoint refused this request or ran out of time; a smaller one may succeed."""


FIRST_BLOCKS: Final = 100  # of a look and of a run's first slice, which tells how many blocks nodes give at once
QUESTIONS_AT_ONCE: Final = 50
OLD_BLOCKS: Final = 128  # below the head; a pruned node keeps the logs of at least 64 blocks, mostly of 10,000


class HistoryGone(ChainUnavailable):
    """Every endpoint that has the blocks of a range has pruned their logs."""


def history_probe(number: int) -> list[Request]:
    """Return the requests for a block and for all its logs, which `is_pruned` compares."""
    return [
        ("eth_getBlockByNumber", [hex(number), False]),
        ("eth_getLogs", [{"fromBlock": hex(number), "toBlock": hex(number)}]),
    ]


def is_pruned(answers: Sequence[Any]) -> bool | None:
    """Return whether a node lacks the logs that the bloom of its own block announces; None if the bloom is empty or the
    node refuses. A node prunes the oldest logs first, so the answer holds for all blocks on one side."""
    block, logs = answers
    if isinstance(block, RpcError) or isinstance(logs, RpcError) or not wire.bloom(block):
        return None
    return not logs


def may_hold(bloom: int, log: EventLog) -> bool:
    """Return whether a block with this bloom may hold the log: three bits for its address and for each topic."""
    for item in (log.address, *log.topics):
        digest = keccak(bytes.fromhex(item[2:]))
        if any(not bloom >> (int.from_bytes(digest[at : at + 2]) & 2047) & 1 for at in (0, 2, 4)):
            return False
    return True


@dataclass(frozen=True, slots=True)
class LogFilter:
    """Logs of any of `addresses` whose first topic is any of `topics` (any at all when empty)."""

    addresses: frozenset[str]
    topics: frozenset[str]

    def requests(self, first: int, last: int) -> list[Request]:
        """For one endpoint in one batch: a node that lacks the last block answers with too few logs, not an error."""
        return [("eth_getBlockByNumber", [hex(last), False]), self.request(first, last)]

    def request(self, first: int, last: int) -> Request:
        span: dict[str, object] = {"address": sorted(self.addresses), "fromBlock": hex(first), "toBlock": hex(last)}
        if self.topics:
            span["topics"] = [sorted(self.topics)]
        return ("eth_getLogs", [span])

    def checked(self, logs: list[EventLog], first: int, last: int) -> list[EventLog]:
        """In chain order; raises `msgspec.ValidationError` when the answer holds what was not asked for."""
        for log in logs:
            topic = log.topics[0] if log.topics else None
            if not first <= log.block_number <= last or log.address not in self.addresses:
                raise msgspec.ValidationError("logs of other blocks or contracts")
            if self.topics and topic not in self.topics:
                raise msgspec.ValidationError("logs of other events")
        if len({(log.block_number, log.log_index) for log in logs}) != len(logs):
            raise msgspec.ValidationError("the same log twice")
        return sorted(logs, key=lambda log: (log.block_number, log.log_index))


class LogRanges:
    """Remembers which range nodes accept: halved when refused, growing back by a quarter with each success."""

    def __init__(self, largest: int) -> None:
        self._largest = largest
        self.size = largest

    @property
    def at_once(self) -> int:
        """Blocks to read before what was found is stored: of some providers, who give the logs of ten blocks at once,
        time would be up before thousands were read, and nothing kept."""
        return min(self._largest, QUESTIONS_AT_ONCE * self.size)

    async def read(self, ask: Callable[[int, int], Awaitable[list[EventLog]]], first: int, last: int) -> list[EventLog]:
        """All logs of blocks first..last, in order; `ask` raises `TooMuch` to be asked for less."""
        logs: list[EventLog] = []
        while first <= last:
            end = min(last, first + self.size - 1)
            try:
                logs += await ask(first, end)
            except TooMuch:
                if end == first:
                    raise
                self.shrink(end - first + 1)
                continue
            if end - first + 1 == self.size:
                self.size = min(self._largest, self.size + max(1, self.size // 4))
            first = end + 1
        return logs

    def shrink(self, refused: int) -> None:
        self.size = max(1, refused // 2)
