"""Reads the next blocks' logs from two endpoints, without mixing two forks and without leaving a log out.

An endpoint may lack logs, because its log index is incomplete or because it lies, and its answer does not show this.
Receipts come from another store of a node: an endpoint without the log mostly has the receipt.
"""

import asyncio
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import structlog

from reminder_worker.chain import wire
from reminder_worker.chain.client import Chain
from reminder_worker.chain.endpoints import TooMuch
from reminder_worker.chain.logs import LogFilter, LogLimit, may_hold, read_ranges
from reminder_worker.chain.rpc import RpcError
from reminder_worker.chain.types import BlockHeader, EventLog
from reminder_worker.concurrency import split_batches
from reminder_worker.errors import ChainUnavailable
from reminder_worker.indexer.decoding import Says
from reminder_worker.indexer.store import IndexCursor

log = structlog.get_logger(__name__)

OVERLAP: Final = 8  # blocks read again each time: behind a load balancer a node may know a block before its logs
# A log that only one endpoint gives is waited for until its block is so old by the chain's time, then passed over.
ALONE_AFTER_SECONDS: Final = 3600
RECEIPTS_AT_ONCE: Final = 5  # a transaction of a stranger may have a receipt of 14.5 MB
# After so many receipts without a log in doubt no more are asked for: an endpoint that invents thousands of logs must
# not use up the requests that the others allow.
UNPROVEN_RECEIPTS: Final = 1000


class EndpointsDisagree(ChainUnavailable):
    """One endpoint gives logs and no other has their receipt: it invents them, or the others still lack them."""


@dataclass(frozen=True, slots=True)
class LogSlice:
    """The certain logs from block `first` on, each with its block's timestamp. `head` is the chain's latest block.

    `last`: the cursor may move to this block. `doubtful`: the first block with a log in doubt, above `last`; of this
    block and of later ones, up to `read_to`, some logs may be missing.
    """

    first: int
    last: IndexCursor
    read_to: int
    head: int
    logs: tuple[tuple[EventLog, int], ...]
    doubtful: int | None


@dataclass(frozen=True, slots=True)
class NoSlice:
    """Nothing was read. `head`: the chain's latest block, None if no endpoint names one.

    `reason`: "reorganised": the cursor's block is no longer part of the chain; "unsettled": the chain changed during
    the reading, or a node lacks a block; "node_behind": the node that was asked is behind the cursor.
    """

    reason: Literal["at_head", "node_behind", "unsettled", "reorganised"]
    head: int | None


@dataclass(frozen=True, slots=True)
class ExtraLogs:
    """Logs that the endpoint `endpoint` gives and the first one does not. `others`: the chain without that endpoint."""

    logs: Sequence[EventLog] = ()
    endpoint: str = ""
    others: Chain | None = None


async def read_slice(
    chain: Chain, says: Says, cursor: IndexCursor, head: BlockHeader | None, most: int
) -> LogSlice | NoSlice:
    """Read at most `most` blocks after `cursor`, up to `head`. Raises `ChainUnavailable`.

    The endpoint of the logs names the last block with them. Then the cursor's block and the logs' blocks are read.
    All is of one fork if their hashes equal those of `head`, of the cursor and in the logs.
    """
    if head is None or head.number <= cursor.number:
        return _at_or_behind(cursor, head)
    number = min(cursor.number + most, head.number)
    last = head if number == head.number else await chain.get_block(number)
    if last is None:
        return NoSlice("unsettled", head.number)
    first = min(cursor.number + 1, max(chain.settings.start_block, cursor.number + 1 - OVERLAP))
    logs, end_block, extra = await logs_of_two(chain, says, first, number)
    blocks = await chain.get_known_blocks({log.block_number for log in (*logs, *extra.logs)} | {cursor.number})
    blocks.setdefault(number, end_block)
    if cursor.number in blocks and blocks[cursor.number].hash != cursor.hash:
        return NoSlice("reorganised", head.number)
    if not _is_one_fork(blocks, cursor, last, logs):
        return NoSlice("unsettled", head.number)
    confirmed, doubtful = await confirm_extra_logs(extra, blocks, head.timestamp)
    end = IndexCursor(last.number, last.hash)
    if doubtful is not None:
        end = IndexCursor(doubtful - 1, blocks[doubtful].parent_hash) if doubtful - 1 > cursor.number else cursor
    by_position = {(log.block_number, log.log_index): log for log in (*logs, *confirmed)}
    timed = tuple((log, blocks[log.block_number].timestamp) for _, log in sorted(by_position.items()))
    return LogSlice(first, end, number, head.number, timed, doubtful)


def _at_or_behind(cursor: IndexCursor, head: BlockHeader | None) -> NoSlice:
    """Judge a head that is not above the cursor.

    A lower head that is younger than the cursor's last move is no lagging node: an endpoint invented the cursor's
    block, or a development chain was rolled back.
    """
    if head is None:
        return NoSlice("node_behind", None)
    if head.number == cursor.number:
        return NoSlice("at_head" if head.hash == cursor.hash else "reorganised", head.number)
    moved_at = cursor.moved_at.timestamp() if cursor.moved_at else float("inf")
    is_younger = head.timestamp > moved_at + 600  # the database's clock and the chain's are less apart
    return NoSlice("reorganised" if is_younger else "node_behind", head.number)


def _is_one_fork(
    blocks: Mapping[int, BlockHeader], cursor: IndexCursor, last: BlockHeader, logs: Iterable[EventLog]
) -> bool:
    """Return whether the cursor, the last block and all logs stand in these blocks. A missing block proves nothing."""
    claimed = [(last.number, last.hash), *((log.block_number, log.block_hash) for log in logs)]
    if cursor.number >= 0:
        claimed.append((cursor.number, cursor.hash))
    return all(number in blocks and blocks[number].hash == hash for number, hash in claimed)


async def logs_of_two(chain: Chain, says: Says, first: int, last: int) -> tuple[list[EventLog], BlockHeader, ExtraLogs]:
    """Return the logs and the last block of the first endpoint that answers, and further logs of a second one.

    Raises `ChainUnavailable` when there is no first; without a second one the first is believed.
    """
    wanted = LogFilter(frozenset(says), frozenset().union(*says.values()))
    second = asyncio.ensure_future(_read_second(chain, wanted, first, last))
    try:
        logs, end = await chain.logs.read_logs(wanted, first, last)
        extra = await second
    finally:
        second.cancel()
        await asyncio.gather(second, return_exceptions=True)
    known = set(logs)
    asked = [log for log in extra.logs if log.topics[0] in says[log.address]]
    return logs, end, replace(extra, logs=[log for log in asked if log not in known])


async def confirm_extra_logs(
    extra: ExtraLogs, blocks: Mapping[int, BlockHeader], now: int
) -> tuple[list[EventLog], int | None]:
    """Return the extra logs that another endpoint confirms, and the number of the first block in doubt, if any.

    Only logs below that block are returned. A log is in doubt for `ALONE_AFTER_SECONDS` of the chain's time (`now`):
    it may have been invented to stop the reader. An older log is passed over, unless the other endpoints have pruned
    its block's logs and the bloom of that block announces the log. A log of another fork than `blocks` is ignored.
    """
    logs = []
    for log in extra.logs:
        block = blocks.get(log.block_number)
        if block is not None and block.hash == log.block_hash:
            logs.append(log)
    if not logs or extra.others is None:
        return [], None
    confirmed = await find_in_receipts(extra.others, logs)
    waiting = {log.block_number for log in logs if log not in confirmed}
    doubtful = min((at for at in waiting if now - blocks[at].timestamp <= ALONE_AFTER_SECONDS), default=None)
    settled = logs
    if doubtful is not None:
        settled = [log for log in logs if log.block_number < doubtful]
    confirmed |= await _announced_by_blooms(extra.others, [log for log in settled if log not in confirmed])
    found, passed_over = list[EventLog](), list[EventLog]()
    for log in settled:
        (found if log in confirmed else passed_over).append(log)
    _log_extra(extra, found, passed_over)
    return found, doubtful


def _log_extra(extra: ExtraLogs, found: Sequence[EventLog], passed_over: Sequence[EventLog]) -> None:
    """Write one line for the confirmed logs and one for those passed over, each with the first log as an example."""
    chain_id, by = extra.others.chain_id if extra.others else 0, extra.endpoint
    if found:
        block, tx = found[0].block_number, found[0].tx_hash
        log.warning("logs_missing", chain_id=chain_id, by=by, count=len(found), block=block, tx=tx)
    if passed_over:
        block, tx, count = passed_over[0].block_number, passed_over[0].tx_hash, len(passed_over)
        log.error("logs_passed_over", chain_id=chain_id, by=by, count=count, block=block, tx=tx)


async def find_in_receipts(chain: Chain, logs: Collection[EventLog]) -> set[EventLog]:
    """Return those of the logs that stand in their transaction's receipt at any endpoint.

    Raises `ChainUnavailable` when no endpoint answers: silence does not mean that there is no receipt.
    """
    wanted = frozenset(logs)
    hashes = list(dict.fromkeys(log.tx_hash for log in logs))
    proven: set[EventLog] = set()
    unproven = 0

    def read(answers: Sequence[Any]) -> set[EventLog]:
        found = set[EventLog]()
        for answer in answers:
            receipt = None if isinstance(answer, RpcError) else wire.decode_receipt(answer)
            if receipt is not None:
                found |= wanted.intersection(receipt.logs)
        return found

    for some in split_batches(hashes, RECEIPTS_AT_ONCE):
        answers = await chain.endpoints.ask_each([("eth_getTransactionReceipt", [hash]) for hash in some], read)
        if not answers:
            raise ChainUnavailable(
                f"no endpoint of chain {chain.chain_id} that was asked gives receipts, or says that there are none"
            )
        found = set().union(*answers)
        proven |= found
        unproven = 0 if found else unproven + len(some)
        if unproven >= UNPROVEN_RECEIPTS:
            break
    return proven


async def _announced_by_blooms(others: Chain, logs: Collection[EventLog]) -> set[EventLog]:
    """Return the logs in blocks that the other endpoints have pruned, if their blooms announce them.

    Endpoints that cannot tell whether they have pruned a block contradict no bloom. Raises `ChainUnavailable` if no
    endpoint gives a bloom.
    """
    numbers = sorted({log.block_number for log in logs})
    first_kept, end = 0, len(numbers)
    while first_kept < end:  # by bisection: a node prunes the oldest blocks first, and an answer may be large
        middle = (first_kept + end) // 2
        if await others.logs.are_pruned(numbers[middle]) is not False:
            first_kept = middle + 1
        else:
            end = middle
    pruned = numbers[:first_kept]
    if not pruned:
        return set()
    rows = await others.logs.read_blooms(pruned)
    if not rows:
        raise ChainUnavailable(f"no endpoint of chain {others.chain_id} that was asked gives the blocks of logs")
    announced = {log for log in logs if log.block_number in pruned}
    for row in rows:
        blooms = dict(zip(pruned, row, strict=True))
        announced = {log for log in announced if may_hold(blooms[log.block_number], log)}
    return announced


async def _read_second(chain: Chain, wanted: LogFilter, first: int, last: int) -> ExtraLogs:
    """Return all logs of the second endpoint; one that does not answer is passed over for the next."""
    for endpoint, others in chain.second_views():
        logs = await _logs_in_time(endpoint, wanted, first, last)
        if logs is not None:
            return ExtraLogs(logs, endpoint.endpoints.list_health()[0].name, others)
    return ExtraLogs()


async def _logs_in_time(endpoint: Chain, wanted: LogFilter, first: int, last: int) -> list[EventLog] | None:
    """Return the endpoint's logs in order, or some of them if it lags, fails or takes over `RPC_TIMEOUT`.

    Return None if it gave no answer at all.
    """
    ends = time.monotonic() + endpoint.settings.rpc_timeout_seconds
    found: dict[EventLog, None] | None = None  # a range may be answered twice, beside one that is refused
    (limit,) = endpoint.logs.limits_in_turn

    async def ask(first: int, last: int) -> tuple[list[EventLog], LogLimit]:
        nonlocal found

        def read(answers: Sequence[Any]) -> list[EventLog] | None:
            if isinstance(answers[0], RpcError):
                return None
            return wanted.check_logs(wire.decode_logs(answers[0]), first, last)

        if time.monotonic() >= ends:
            raise ChainUnavailable("the second endpoint takes too long")
        answers = await endpoint.endpoints.ask_each([wanted.build_request(first, last)], read)
        blocks = last - first + 1
        if not answers:
            if time.monotonic() >= ends:
                limit.record_silence(blocks)
            raise ChainUnavailable("the second endpoint does not answer")
        if answers[0] is None:
            limit.record_refusal(blocks)
            raise TooMuch("the second endpoint refuses a range")
        limit.record_answer(blocks)
        found = (found or {}) | dict.fromkeys(answers[0])
        return [], limit

    with suppress(ChainUnavailable):
        await read_ranges(ask, [limit], first, last)
    return None if found is None else sorted(found, key=lambda log: (log.block_number, log.log_index))
