"""Reading logs by ranges that shrink when nodes refuse them, from nodes that are known to have the range."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import structlog
from eth_utils.crypto import keccak

from reminder_worker.chain import wire
from reminder_worker.chain.endpoints import EndpointPool, TooMuch
from reminder_worker.chain.rpc import EndpointFailed, Request, RpcEndpoint, RpcError
from reminder_worker.chain.rpc_errors import unless_error
from reminder_worker.chain.types import NODE_POLICY, BlockHeader, EventLog
from reminder_worker.errors import ChainUnavailable

log = structlog.get_logger(__name__)


class HistoryGone(ChainUnavailable):
    """Every endpoint that has the blocks of a range has pruned their logs."""


def block_request(number: int) -> Request:
    return ("eth_getBlockByNumber", [hex(number), False])


def history_probe(number: int) -> list[Request]:
    """Return the requests for a block and for all its logs, which `is_pruned` compares."""
    return [block_request(number), ("eth_getLogs", [{"fromBlock": hex(number), "toBlock": hex(number)}])]


def is_pruned(answers: Sequence[Any]) -> bool | None:
    """Return whether a node lacks the logs that the bloom of its own block announces; None if the bloom is empty or the
    node refuses. A node prunes the oldest logs first, so the answer holds for all blocks on one side."""
    block, logs = answers
    if isinstance(block, RpcError) or isinstance(logs, RpcError) or not wire.decode_bloom(block):
        return None
    return not wire.has_logs(logs)


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


class LogLimit:
    """Number of blocks that one endpoint accepts in a question for logs.

    Halved when refused, growing by a quarter with success. A refused number is asked for again after an hour, by any
    process: providers limit the blocks of a question, and a refusal costs as much as an answer.

    `wider_at`: unix seconds; 0 as long as nothing was refused.
    """

    def __init__(self, largest: int, clock: Callable[[], float] = time.time) -> None:
        self._largest = largest
        self._clock = clock
        self._most = largest
        self._accepted = 0
        self._refused = largest + 1
        self.wider_at = 0.0
        self.is_stored = True

    @property
    def most(self) -> int:
        """Return the number of blocks to ask for; 0 after even one block was refused: other endpoints may have more."""
        return self._most or (self._largest if self._clock() >= self.wider_at else 0)

    def recall(self, most: int, wider_at: float) -> None:
        """Take over newer knowledge of another process."""
        if wider_at > self.wider_at:
            self._most = self._accepted = min(self._largest, most)
            self._refused, self.wider_at, self.is_stored = max(2, most + 1), wider_at, True

    def record_answer(self, blocks: int) -> None:
        self._accepted = max(self._accepted, blocks)
        if self._clock() >= self.wider_at:
            self._refused = self._largest + 1
        wider = min(self._largest, blocks + max(1, blocks // 4))
        if self._most <= blocks:
            before, self._most = self._most, wider if wider < self._refused else blocks
            self.is_stored &= before == self._most or not self.wider_at

    def record_refusal(self, blocks: int, *, seconds: float = 3600) -> None:
        self._refused = min(self._refused, max(2, blocks))  # one block is asked for in any case
        if self._accepted >= blocks:
            self._accepted = 0
        self._most = self._accepted or blocks // 2
        self.wider_at, self.is_stored = self._clock() + seconds, False

    def record_failure(self, blocks: int, error: EndpointFailed) -> None:
        if error.large:
            self.record_refusal(blocks)
        elif error.slow:
            self.record_silence(blocks)

    def record_silence(self, blocks: int) -> None:
        """Record a question that was not answered in time: the reason may pass."""
        self.record_refusal(blocks, seconds=NODE_POLICY.larger_batches_again_seconds)


AskRange = Callable[[int, int], Awaitable[tuple[list[EventLog], LogLimit]]]
"""Logs of blocks first..last, and the limit of the endpoint that gave them. Raises `TooMuch` to be asked for less."""


async def read_ranges(ask: AskRange, limits: Sequence[LogLimit], first: int, last: int) -> list[EventLog]:
    """Return all logs of blocks first..last, in order. `limits`: of the endpoints, the preferred one first.

    The first range, each wider one, and the next one after a failure are asked for alone, others several at once.
    """
    logs: list[EventLog] = []
    size, proven = limits[0].most, 0
    while first <= last:
        size = max(1, size)
        together = NODE_POLICY.log_requests_together if size <= proven else 1
        ranges = [(start, min(last, start + size - 1)) for start in range(first, last + 1, size)[:together]]
        for (start, end), answer in zip(
            ranges, await asyncio.gather(*(ask(*each) for each in ranges), return_exceptions=True), strict=True
        ):
            if isinstance(answer, TooMuch) and end > start:
                blocks = end - start + 1
                size = max((limit.most for limit in limits if limit.most < blocks), default=blocks // 2)
                break
            if isinstance(answer, ChainUnavailable) and len(ranges) > 1:
                proven = 0
                break
            if isinstance(answer, BaseException):
                raise answer
            found, limit = answer
            logs += found
            first, size, proven = end + 1, limit.most, max(proven, end - start + 1)
    return logs


@dataclass(frozen=True, slots=True)
class SettledBlocks:
    """Old blocks of one reading, up to `last`: every healthy node has them.

    `pruned`: by name of an endpoint with block `last`, whether the endpoint has pruned the logs. None: it cannot tell.
    """

    last: int
    pruned: dict[str, bool | None]


class ChainLogs:
    """Logs of one chain. A node returns no logs for pruned blocks and for blocks that it lacks.

    Its logs of an old range count only if it has the logs of a first block, and the newest of the old blocks: this is
    asked once for each reading. An endpoint that cannot tell counts only if no other endpoint can. Of a range near the
    head, each question has the last block beside it.
    """

    def __init__(self, chain_id: int, endpoints: EndpointPool, limits: Mapping[str, LogLimit]) -> None:
        self.limits = limits
        self._chain_id = chain_id
        self._endpoints = endpoints

    def select_members(self, endpoints: EndpointPool) -> "ChainLogs":
        """Return the logs by these endpoints. Limits are shared."""
        return ChainLogs(self._chain_id, endpoints, self.limits)

    @property
    def limits_in_turn(self) -> list[LogLimit]:
        """Return the limits of the endpoints that give logs (if none does, of all), in the order of asking."""
        members = sorted(self._endpoints.members, key=lambda each: each.rest.is_asked_last)
        ready = [self.limits[each.name] for each in members if not each.rest.is_resting]
        giving = [limit for limit in ready if limit.most]
        return giving or [self.limits[each.name] for each in members]

    @property
    def blocks_at_once(self) -> int:
        """Return the number of blocks to read before their logs are stored: the second endpoint reads them, too."""
        return NODE_POLICY.log_requests_at_once * max(1, min(limit.most for limit in self.limits_in_turn[:2]))

    async def read_logs(
        self, wanted: LogFilter, first_block: int, last_block: int
    ) -> tuple[list[EventLog], BlockHeader]:
        """Return the logs, both blocks included, in order, and the last block, named with its logs by one endpoint.

        Raises `ChainUnavailable` also if no endpoint has `last_block` yet, and `HistoryGone`.
        """
        head = max(endpoint.head or 0 for endpoint in self._endpoints.members)
        if not head:  # which blocks are old is not known
            await self._endpoints.find_newest_block("latest")
            head = max(endpoint.head or 0 for endpoint in self._endpoints.members)
        settled = SettledBlocks(min(last_block, head - NODE_POLICY.kept_log_blocks - 1), {})
        ends: list[BlockHeader] = []

        async def ask(first: int, last: int) -> tuple[list[EventLog], LogLimit]:
            logs, limit, block = await self._read_range(wanted, first, last, settled, is_end=last == last_block)
            if last == last_block and block is not None:
                ends.append(block)
            return logs, limit

        return await read_ranges(ask, self.limits_in_turn, first_block, last_block), ends[-1]

    async def _read_range(
        self, wanted: LogFilter, first: int, last: int, settled: SettledBlocks, *, is_end: bool
    ) -> tuple[list[EventLog], LogLimit, BlockHeader | None]:
        """Return the logs, the limit of the endpoint, and its block beside the logs. None: no block was asked for."""
        found: tuple[list[EventLog], LogLimit, BlockHeader | None] | None = None
        unproven: tuple[list[EventLog], LogLimit, BlockHeader | None] | None = None
        blocks, is_old = last - first + 1, first <= settled.last
        refused = pruned = False

        async def attempt(endpoint: RpcEndpoint) -> bool:
            nonlocal found, unproven, refused, pruned
            name, limit = endpoint.name, self.limits[endpoint.name]
            if is_old and settled.pruned.get(name):
                pruned = True
                return False
            if blocks > max(1, limit.most):
                refused = True
                raise EndpointFailed("refuses so many blocks", large=True)
            is_known = name in settled.pruned
            is_in_doubt = is_known and settled.pruned[name] is None
            if is_old and is_in_doubt and False in settled.pruned.values():
                return False
            probe = history_probe(first) if is_old and not is_known else []
            needs_block = is_end or not is_known or last > settled.last
            beside = [block_request(max(last, settled.last))] if needs_block else []
            try:
                # The block first: the node may import it meanwhile.
                answers = await endpoint.ask([*beside, wanted.build_request(first, last), *probe])
            except EndpointFailed as error:
                limit.record_failure(blocks, error)
                raise
            block = wire.decode_block(unless_error(answers[0])) if beside else None
            if beside and block is None:
                return False  # its logs do not count: some nodes refuse a range that ends above their head
            if probe:
                settled.pruned[name] = is_pruned(answers[-2:])
                if settled.pruned[name]:
                    pruned = True
                    log.warning("history_pruned", chain_id=self._chain_id, endpoint=name, block=first)
                    return False
            logs = answers[len(beside)]
            if isinstance(logs, RpcError):
                refused = True
                limit.record_refusal(blocks)
            given = wanted.check_logs(wire.decode_logs(unless_error(logs)), first, last), limit, block
            limit.record_answer(blocks)
            if is_old and settled.pruned[name] is None:
                unproven = given = unproven or given
                if self._another_may_tell(settled, endpoint):
                    return False
            found = given
            return True

        await self._endpoints.try_in_turn(attempt)
        found = found or unproven
        if found is None:
            raise self._explain_lack(first, last, refused=refused, pruned=pruned)
        return found

    def _explain_lack(self, first: int, last: int, *, refused: bool, pruned: bool) -> ChainUnavailable:
        """Return the error for a range whose logs no endpoint gave."""
        if refused:
            return TooMuch(f"who has block {last} of chain {self._chain_id} refuses so many blocks")
        if pruned:
            return HistoryGone(f"no endpoint of chain {self._chain_id} has the logs of block {first} any more")
        return ChainUnavailable(f"no endpoint of chain {self._chain_id} has block {last} yet")

    def _another_may_tell(self, settled: SettledBlocks, endpoint: RpcEndpoint) -> bool:
        """Return whether another endpoint has the old logs, or was not asked yet."""
        for other in self._endpoints.members:
            if other is endpoint or other.rest.is_resting:
                continue
            if settled.pruned.get(other.name, False) is False:
                return True
        return False

    async def are_pruned(self, number: int) -> bool | None:
        """Return whether every endpoint that answers has pruned the logs of a block; None if no endpoint can tell."""
        answers = await self._endpoints.ask_each(history_probe(number), is_pruned)
        known = [each for each in answers if each is not None]
        return all(known) if known else None

    async def read_blooms(self, numbers: Sequence[int]) -> list[list[int]]:
        """Return, per responding endpoint, the logs bloom of each block; 0 if the endpoint does not have the block."""
        requests = [block_request(number) for number in numbers]
        return await self._endpoints.ask_each(requests, lambda answers: list(map(_read_bloom, answers)))


def _read_bloom(answer: Any) -> int:
    return 0 if isinstance(answer, RpcError) else wire.decode_bloom(answer)
