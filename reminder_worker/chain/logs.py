"""Reading logs by ranges that shrink when nodes refuse them, from nodes that are known to have the range."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import structlog
from eth_utils.crypto import keccak

from reminder_worker.chain import wire
from reminder_worker.chain.endpoints import EndpointPool, TooMuch
from reminder_worker.chain.rpc import Request, RpcEndpoint, RpcError
from reminder_worker.chain.rpc_errors import unless_error
from reminder_worker.chain.types import NODE_POLICY, BlockHeader, EventLog
from reminder_worker.errors import ChainUnavailable

log = structlog.get_logger(__name__)


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
    if isinstance(block, RpcError) or isinstance(logs, RpcError) or not wire.decode_bloom(block):
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

    def build_requests(self, first: int, last: int) -> list[Request]:
        """For one endpoint in one batch: a node that lacks the last block answers with too few logs, not an error."""
        return [("eth_getBlockByNumber", [hex(last), False]), self.build_request(first, last)]

    def build_request(self, first: int, last: int) -> Request:
        span: dict[str, object] = {"address": sorted(self.addresses), "fromBlock": hex(first), "toBlock": hex(last)}
        if self.topics:
            span["topics"] = [sorted(self.topics)]
        return ("eth_getLogs", [span])

    def check_logs(self, logs: list[EventLog], first: int, last: int) -> list[EventLog]:
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
    """Remembers which range nodes accept: halved when refused, growing by a quarter with each success.

    A refused range is not asked for again within an hour: providers limit the blocks of a question, and a refusal costs
    as much as an answer. After a success several ranges are asked for at the same time.
    """

    def __init__(self, largest: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._largest = largest
        self._clock = clock
        self._too_wide = largest + 1
        self._forget_at = float("-inf")
        self._together = 1
        self.size = largest

    @property
    def at_once(self) -> int:
        """Return the number of blocks to read before their logs are stored."""
        return min(max(self._largest, 10_000), NODE_POLICY.log_requests_at_once * self.size)

    async def read_ranges(
        self, ask: Callable[[int, int], Awaitable[list[EventLog]]], first: int, last: int
    ) -> list[EventLog]:
        """All logs of blocks first..last, in order; `ask` raises `TooMuch` to be asked for less."""
        logs: list[EventLog] = []
        while first <= last:
            starts = range(first, last + 1, self.size)[: self._together]
            ranges = [(start, min(last, start + self.size - 1)) for start in starts]
            for (start, end), answer in zip(
                ranges, await asyncio.gather(*(ask(*each) for each in ranges), return_exceptions=True), strict=True
            ):
                if isinstance(answer, TooMuch) and end > start:
                    self.shrink(end - start + 1)
                    break
                if isinstance(answer, BaseException):
                    raise answer
                logs += answer
                first = end + 1
                if end - start + 1 == self.size:
                    self._grow()
        return logs

    def shrink(self, refused: int) -> None:
        self.size, self._together = max(1, refused // 2), 1
        self._too_wide = min(self._too_wide, max(2, refused))  # one block is asked for in any case
        self._forget_at = self._clock() + 3600

    def _grow(self) -> None:
        if self._clock() >= self._forget_at:
            self._too_wide = self._largest + 1
        self.size = min(self._too_wide - 1, self.size + max(1, self.size // 4))
        self._together = 4


class ChainLogs:
    """Logs of one chain. A node returns no logs for pruned blocks, so its logs of an old range count only if it has the
    logs of the first block."""

    def __init__(self, chain_id: int, endpoints: EndpointPool, largest_range: int) -> None:
        self.ranges = LogRanges(largest_range)
        self._chain_id = chain_id
        self._endpoints = endpoints

    async def read_logs(self, wanted: LogFilter, first_block: int, last_block: int) -> list[EventLog]:
        """Return the logs, both blocks included, in order. Raises as `read_logs_to`."""
        return (await self.read_logs_to(wanted, first_block, last_block))[0]

    async def read_logs_to(
        self, wanted: LogFilter, first_block: int, last_block: int
    ) -> tuple[list[EventLog], BlockHeader]:
        """Return the logs, both blocks included, in order, and the last block, named with its logs by one endpoint.

        Raises `ChainUnavailable` also if no endpoint has `last_block` yet, and `HistoryGone`.
        """
        head = max(endpoint.head or 0 for endpoint in self._endpoints.members)
        probed: dict[RpcEndpoint, bool] = {}  # by endpoint: whether it has pruned an earlier block

        ends: dict[int, BlockHeader] = {}

        async def ask(first: int, last: int) -> list[EventLog]:
            is_old = first + NODE_POLICY.kept_log_blocks < head
            logs, ends[last] = await self._read_range(wanted, first, last, probed, is_old)
            return logs

        return await self.ranges.read_ranges(ask, first_block, last_block), ends[last_block]

    async def _read_range(
        self, wanted: LogFilter, first: int, last: int, probed: dict[RpcEndpoint, bool], is_old: bool
    ) -> tuple[list[EventLog], BlockHeader]:
        found: tuple[list[EventLog], BlockHeader] | None = None
        refused = pruned = False

        async def attempt(endpoint: RpcEndpoint) -> bool:
            nonlocal found, refused, pruned
            if is_old and probed.get(endpoint):
                pruned = True
                return False
            probe = history_probe(first) if is_old and endpoint not in probed else []
            block, logs, *history = await endpoint.ask([*wanted.build_requests(first, last), *probe])
            end = wire.decode_block(unless_error(block))
            if end is None:
                return False  # its logs do not count: some nodes refuse a range that ends above their head
            if history and is_pruned(history):
                pruned = probed[endpoint] = True
                log.warning("history_pruned", chain_id=self._chain_id, endpoint=endpoint.name, block=first)
                return False
            probed[endpoint] = False
            refused = isinstance(logs, RpcError)
            found = wanted.check_logs(wire.decode_logs(unless_error(logs)), first, last), end
            return True

        await self._endpoints.try_in_turn(attempt)
        if found is not None:
            return found
        if refused:
            raise TooMuch(f"who has block {last} of chain {self._chain_id} refuses so many blocks")
        if pruned:
            raise HistoryGone(f"no endpoint of chain {self._chain_id} has the logs of block {first} any more")
        raise ChainUnavailable(f"no endpoint of chain {self._chain_id} has block {last} yet")

    async def are_pruned(self, number: int) -> bool | None:
        """Return whether every endpoint that answers has pruned the logs of a block; None if no endpoint can tell."""
        answers = await self._endpoints.ask_each(history_probe(number), is_pruned)
        known = [each for each in answers if each is not None]
        return all(known) if known else None

    async def read_blooms(self, numbers: Sequence[int]) -> list[list[int]]:
        """Return, per responding endpoint, the logs bloom of each block; 0 if the endpoint does not have the block."""
        requests: list[Request] = [("eth_getBlockByNumber", [hex(number), False]) for number in numbers]
        return await self._endpoints.ask_each(
            requests, lambda answers: [0 if isinstance(each, RpcError) else wire.decode_bloom(each) for each in answers]
        )
