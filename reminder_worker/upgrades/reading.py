"""Reading the timelock's events so that nothing of two forks is mixed and nothing is called gone that is only missing.

What is not final is read anew each time. A node behind a load balancer may know a block before its logs, so an event
of ours that the logs lack is gone only when its block is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from reminder_worker.chain.client import Block, Chain
from reminder_worker.errors import ChainUnavailable
from reminder_worker.upgrades.events import UpgradeEvent, read_event
from reminder_worker.upgrades.store import Place

NO_HASH: Final = "0x" + "00" * 32  # of the place before block 0


class NotNow(Enum):
    BEHIND = auto()  # the node that was asked does not know as much as we do
    UNSETTLED = auto()  # the chain changed while it was read, or a node lacks what it should have
    REORGANISED = auto()  # the block we stand on is not part of the chain any more


@dataclass(frozen=True, slots=True)
class Reading:
    """What the chain says of blocks first..last. `final`: the last of them that cannot be taken back.

    `skipped`: logs that are none of the timelock's events.
    """

    first: int
    last: Block
    head: Block
    final: tuple[int, str]
    events: tuple[UpgradeEvent, ...]
    skipped: int

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
    if head is None or head.number < base.number:
        return NotNow.BEHIND
    number = base.number + furthest
    if number >= min(finalized.number, head.number):
        number = head.number
    last = head if number == head.number else await chain.block(number)
    if last is None:
        return NotNow.UNSETTLED
    if any(event.block_number > head.number for event in stored):
        return NotNow.BEHIND
    logs = await chain.logs([timelock], [], base.number + 1, number) if number > base.number else []
    stored = [event for event in stored if event.block_number <= number]
    claimed = {(last.number, last.hash), *((log.block_number, log.block_hash) for log in logs)}
    settled = min(finalized.number, number)
    asked = {base.number, settled, *(place for place, _ in claimed), *(event.block_number for event in stored)}
    blocks = await chain.blocks_of(asked)
    if base.hash != NO_HASH and base.number in blocks and blocks[base.number].hash != base.hash:
        return NotNow.REORGANISED
    found = {(log.block_number, log.log_index, log.block_hash) for log in logs}
    if (
        len(blocks) != len([each for each in asked if each >= 0])
        or any(blocks[place].hash != hash for place, hash in claimed)
        or any(blocks[event.block_number].hash == event.block_hash and event.key not in found for event in stored)
    ):
        return NotNow.UNSETTLED
    events = [read_event(log, blocks[log.block_number].timestamp) for log in logs]
    return Reading(
        first=base.number + 1,
        last=last,
        head=head,
        final=(settled, blocks[settled].hash) if settled > base.number else (base.number, base.hash),
        events=tuple(event for event in events if event is not None),
        skipped=events.count(None),
    )


async def place_at(chain: Chain, number: int, *, history: bool) -> Place | None:
    """A block to read on from, None when no endpoint has it."""
    if number < 0:
        return Place(-1, NO_HASH, history)
    block = await chain.block(number)
    return None if block is None else Place(block.number, block.hash, history)
