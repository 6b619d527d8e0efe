"""Open windows of many legacies at one block, although the contract lets one that reverts spoil the whole batch."""

from collections.abc import Sequence

from reminder_worker.chain.client import Chain, TooMuch
from reminder_worker.chain.contracts import ReminderView


async def open_windows(chain: Chain, legacies: Sequence[str], at: str) -> dict[str, tuple[int, ...]]:
    """By legacy, at a block hash. A batch that reverts is halved; a legacy that reverts alone is absent."""
    try:
        found = await ReminderView(chain).due_windows(legacies, at=at)
    except TooMuch:
        await chain.head()  # raises when it is the node that does not answer, not this legacy
        return {}
    if isinstance(found, list):
        return dict(zip(legacies, found, strict=True))
    if len(legacies) == 1:
        return {}
    middle = len(legacies) // 2
    return {**await open_windows(chain, legacies[:middle], at), **await open_windows(chain, legacies[middle:], at)}
