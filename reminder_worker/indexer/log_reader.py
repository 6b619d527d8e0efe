"""Reading the next blocks of the chain so that nothing of two forks is mixed and nothing is left out."""

from dataclasses import dataclass

from reminder_worker.chain.client import Chain, Log
from reminder_worker.errors import ChainUnavailable
from reminder_worker.indexer.cross_check import logs_of_two, vouched_for
from reminder_worker.indexer.decoding import Says
from reminder_worker.indexer.store import Cursor

OVERLAP = 8  # blocks read again each time: behind a load balancer a node may know a block before its logs
NO_HASH = "0x" + "0" * 64  # of the place before block 0


class EndpointsDisagree(ChainUnavailable):
    """One endpoint gives logs of which no other has the receipt: it invents them, or the others lack them still."""


@dataclass(frozen=True, slots=True)
class Slice:
    """The logs of blocks first..last, each with its block's timestamp. `head` is the chain's latest block."""

    first: int
    last: Cursor
    head: int
    logs: tuple[tuple[Log, int], ...]


@dataclass(frozen=True, slots=True)
class Reorganised:
    """The cursor's block is not part of the chain any more."""


@dataclass(frozen=True, slots=True)
class NothingNew:
    """There is nothing above the cursor: it is at the head, or the node that was asked is behind it."""

    head: int | None


@dataclass(frozen=True, slots=True)
class Unsettled:
    """The chain changed while it was read: to be asked again."""


async def read_slice(
    chain: Chain, says: Says, cursor: Cursor, most: int
) -> Slice | Reorganised | NothingNew | Unsettled:
    """The blocks after `cursor`, no more than `most` and `log_range` of them. Raises `ChainUnavailable`.

    After the logs, the hashes of the cursor's block, of the last block and of every block with a log are asked for. If
    they agree with what the logs, the cursor and the last block said, all of it is of one chain.
    """
    head = await chain.block("latest")
    if head is None or head.number < cursor.number:
        return NothingNew(head.number if head else None)
    if head.number == cursor.number:
        return NothingNew(head.number) if head.hash == cursor.hash else Reorganised()
    number = min(cursor.number + min(most, chain.settings.log_range), head.number)
    last = head if number == head.number else await chain.block(number)
    if last is None:
        return Unsettled()
    first = min(cursor.number + 1, max(chain.settings.start_block, cursor.number + 1 - OVERLAP))
    logs, beside = await logs_of_two(chain, says, first, number)
    blocks = await chain.blocks_of({log.block_number for log in (*logs, *beside.logs)} | {cursor.number, number})
    if cursor.number in blocks and blocks[cursor.number].hash != cursor.hash:
        return Reorganised()
    claimed = [(last.number, last.hash), *((log.block_number, log.block_hash) for log in logs)]
    if cursor.number >= 0:
        claimed.append((cursor.number, cursor.hash))  # where no node has it, nobody knows whether it is on the chain
    if any(number not in blocks or blocks[number].hash != hash for number, hash in claimed):
        return Unsettled()
    missing, doubtful = await vouched_for(beside, blocks, head.timestamp)
    end = Cursor(last.number, last.hash)
    if doubtful is not None:
        end = Cursor(doubtful - 1, blocks[doubtful].parent_hash)
        if end.number <= cursor.number:
            raise EndpointsDisagree(f"no two endpoints of chain {chain.chain_id} give a log of block {doubtful}")
    by_place = {(log.block_number, log.log_index): log for log in (*logs, *missing) if log.block_number <= end.number}
    timed = tuple((log, blocks[log.block_number].timestamp) for _, log in sorted(by_place.items()))
    return Slice(first, end, head.number, timed)
