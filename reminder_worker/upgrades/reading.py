"""Reading the timelock's events so that nothing of two forks is mixed and nothing is called gone that is only missing.

What is not final is read anew each time. A node behind a load balancer may know a block before its logs, so an event
of ours that the logs lack is gone only when its block is, and stays where its receipt says so. What one endpoint's logs
lack a second one gives, as to the chain index.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Final

from reminder_worker.chain.client import Block, Chain
from reminder_worker.chain.types import Log
from reminder_worker.errors import ChainUnavailable
from reminder_worker.indexer.cross_check import Beside, logs_of_receipts, logs_of_two, vouched_for
from reminder_worker.indexer.log_reader import NO_HASH
from reminder_worker.upgrades.events import TOPICS, UpgradeEvent, read_event
from reminder_worker.upgrades.store import Place

CLOCKS_APART_SECONDS: Final = 600  # the database's and the chain's, at most


class NotNow(Enum):
    BEHIND = auto()  # the node that was asked does not know as much as we do
    UNSETTLED = auto()  # the chain changed while it was read, or a node lacks what it should have
    REORGANISED = auto()  # the block we stand on is not part of the chain any more


@dataclass(frozen=True, slots=True)
class Reading:
    """What the chain says of blocks first..last. `final`: the last of them that cannot be taken back.

    `skipped`: logs that are not encoded as the timelock's events. `doubtful`: the first block with a log that one
    endpoint gives and no other; it and what follows is read again.
    """

    first: int
    last: Block
    head: Block
    final: tuple[int, str]
    events: tuple[UpgradeEvent, ...]
    skipped: int
    doubtful: int | None

    @property
    def at_head(self) -> bool:
        return self.last.number == self.head.number


async def read(
    chain: Chain, timelock: str, base: Place, stored: Sequence[UpgradeEvent], furthest: int
) -> Reading | NotNow:
    """Blocks after `base`, at most `furthest` of them while they are final; `stored` are the events we have of them.

    What is not final is read up to the head: a reading that ended before it would not move `base`, and be the next one
    too. Raises `ChainUnavailable`.
    """
    head, finalized = await chain.block("latest"), await chain.block("finalized")
    if finalized is None:
        raise ChainUnavailable(f"no endpoint of chain {chain.chain_id} says what is final")
    if head is None:
        return NotNow.BEHIND
    if head.number < max([base.number, *(event.block_number for event in stored)]):
        if not _is_younger(head, base):
            return NotNow.BEHIND
        if head.number < base.number:
            return NotNow.REORGANISED
    number = base.number + furthest
    if number >= min(finalized.number, head.number):
        number = head.number
    last = head if number == head.number else await chain.block(number)
    if last is None:
        return NotNow.UNSETTLED
    given: list[Log] = []
    beside = Beside()
    if number > base.number:
        given, beside = await logs_of_two(chain, {timelock: TOPICS}, base.number + 1, number)
    stored = [event for event in stored if event.block_number <= number]
    claimed = {(last.number, last.hash), *((log.block_number, log.block_hash) for log in given)}
    settled = min(finalized.number, number)
    asked = {base.number, settled, *(place for place, _ in claimed), *(event.block_number for event in stored)}
    blocks = await chain.blocks_of(asked | {log.block_number for log in beside.logs})
    if base.number in blocks and blocks[base.number].hash != base.hash:
        return NotNow.REORGANISED
    if any(each not in blocks for each in asked if each >= 0):
        return NotNow.UNSETTLED
    told = await _told(chain, given, beside, stored, blocks, head.timestamp)
    if told is None or any(blocks[place].hash != hash for place, hash in claimed):
        return NotNow.UNSETTLED
    logs, doubtful = told
    final = (settled, blocks[settled].hash)
    if doubtful is not None and doubtful <= settled:
        final = (doubtful - 1, blocks[doubtful].parent_hash)
    events = [read_event(log, blocks[log.block_number].timestamp) for log in logs]
    return Reading(
        first=base.number + 1,
        last=last,
        head=head,
        final=final if final[0] > base.number else (base.number, base.hash),
        events=tuple(event for event in events if event is not None),
        skipped=events.count(None),
        doubtful=doubtful,
    )


async def _told(
    chain: Chain,
    given: Sequence[Log],
    beside: Beside,
    stored: Sequence[UpgradeEvent],
    blocks: Mapping[int, Block],
    now: int,
) -> tuple[list[Log], int | None] | None:
    """All logs that count, in order, and the first block in doubt (`vouched_for`); None when the log of a stored event
    is missing although its block is there."""
    known = {event.key for event in stored}
    proven_before = [log for log in beside.logs if _key(log) in known]
    fresh = replace(beside, logs=[log for log in beside.logs if _key(log) not in known])
    proven, doubtful = await vouched_for(fresh, blocks, now)
    told = [*given, *proven_before, *proven]
    standing = {event.key: event for event in stored if blocks[event.block_number].hash == event.block_hash}
    lacking = standing.keys() - map(_key, told)
    if lacking:  # the endpoint that gave them is away, or a node knows a block before its logs
        receipts = await logs_of_receipts(chain, [standing[key].tx_hash for key in lacking])
        told += [log for log in receipts if _key(log) in lacking]
    if standing.keys() - map(_key, told):
        return None
    by_place = {(log.block_number, log.log_index): log for log in told}
    return [by_place[place] for place in sorted(by_place)], doubtful


async def place_at(chain: Chain, number: int, *, history: bool) -> Place | None:
    """A block to read on from, None when no endpoint has it."""
    if number < 0:
        return Place(-1, NO_HASH, history)
    block = await chain.block(number)
    return None if block is None else Place(block.number, block.hash, history)


def _key(log: Log) -> tuple[int, int, str]:
    """As that of its event."""
    return log.block_number, log.log_index, log.block_hash


def _is_younger(head: Block, base: Place) -> bool:
    """Whether the head was made after we last read anything, so that the node does not lag. Stored events above such a
    head are not of this chain: an endpoint invented them, or a development chain was rolled back."""
    return base.moved_at is not None and head.timestamp > base.moved_at.timestamp() + CLOCKS_APART_SECONDS
