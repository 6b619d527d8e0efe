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
# `safe` and `finalized` move every 6.4 minutes. Shorter than the minute after which a poll asks for one.
SETTLED_SECONDS: Final = 50


@dataclass(frozen=True, slots=True)
class LearnedBlock:
    """A tag's block, learned at the monotonic time `at`. Until `until` there can be no newer one."""

    block: BlockHeader
    at: float
    until: float


class KnownHeads:
    """Keeps the newest block of each tag that one endpoint named, or that the pool chose among all."""

    def __init__(self) -> None:
        self._learned: dict[BlockTag, LearnedBlock] = {}

    def learn(self, tag: BlockTag, block: BlockHeader) -> None:
        """Keep a block that was named just now. One of the future counts as made now, by our clock."""
        at, age = time.monotonic(), max(0.0, time.time() - block.timestamp)
        self._learned[tag] = LearnedBlock(block, at, at + (SLOT_SECONDS - age if tag == "latest" else SETTLED_SECONDS))

    def find(self, tag: BlockTag) -> BlockHeader | None:
        """Return the tag's block while there can be no newer one."""
        known = self._learned.get(tag)
        return known.block if known is not None and time.monotonic() < known.until else None

    def find_recent(self, tag: BlockTag) -> BlockHeader | None:
        """Return the tag's block if it was learned within a minute: enough to see who lags by 30 blocks."""
        known = self._learned.get(tag)
        return known.block if known is not None and time.monotonic() < known.at + 60 else None
