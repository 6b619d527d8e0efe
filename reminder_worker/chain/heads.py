"""The newest blocks of a chain as this process knows them, for as long as they cannot have changed.

**Who may use it**: a poll, which asks whether there is something to do, and what only says how far something lags. A
run asks the chain, and so does everything that decides about money, an email or a person's request.
"""

import time
from dataclasses import dataclass
from typing import Final

from reminder_worker.chain.types import BlockHeader
from reminder_worker.settings.values import BlockTag

SLOT_SECONDS: Final = 12  # Ethereum and Sepolia make a block in each slot, or none
# `safe` and `finalized` move every 6.4 minutes. While one is waited for, it serves for less than the minute after which
# a poll asks; after it moved, and was seen within a minute, for as long as it surely stays.
SETTLED_SECONDS: Final = 50
MOVED_SECONDS: Final = 300


@dataclass(frozen=True, slots=True)
class LearnedBlock:
    """A tag's block, learned at the monotonic time `at`. Until `until` there can be no newer one."""

    block: BlockHeader
    at: float
    until: float


class KnownHeads:
    """The newest block of each tag: of one endpoint, or of the pool of all."""

    def __init__(self) -> None:
        self._learned: dict[BlockTag, LearnedBlock] = {}

    def learn(self, tag: BlockTag, block: BlockHeader) -> None:
        """Keep a block that was named just now. One of the future counts as made now, by our clock."""
        at, before = time.monotonic(), self._learned.get(tag)
        if tag == "latest":
            until = at + SLOT_SECONDS - max(0.0, time.time() - block.timestamp)
        else:
            has_moved = before is not None and block.number > before.block.number
            until = at + (MOVED_SECONDS if has_moved else SETTLED_SECONDS)
        self._learned[tag] = LearnedBlock(block, at, until)

    def find(self, tag: BlockTag) -> BlockHeader | None:
        """Return the tag's block while there can be no newer one."""
        known = self._learned.get(tag)
        return known.block if known is not None and time.monotonic() < known.until else None

    def find_recent(self, tag: BlockTag) -> BlockHeader | None:
        """Return the tag's block if it was learned within a minute: enough to see who lags by 30 blocks."""
        known = self._learned.get(tag)
        return known.block if known is not None and time.monotonic() < known.at + 60 else None
