"""Open windows of many legacies at one block, although the contract lets one that reverts spoil the whole batch."""

import asyncio
from collections.abc import Sequence

from reminder_worker.chain.client import Chain, TooMuch
from reminder_worker.chain.contracts import ReminderView
from reminder_worker.concurrency import together

# Or hundreds that revert, of a stranger's making, would be found out after everybody's time is over.
QUESTIONS_AT_ONCE = 8

Windows = dict[str, tuple[int, ...]]


async def open_windows(chain: Chain, legacies: Sequence[str], at: str, places: asyncio.Semaphore) -> Windows:
    """By legacy, at a block hash. A batch that reverts is halved; a legacy that reverts alone is absent. `places`: for
    the questions under way, over all batches of a caller."""
    view = ReminderView(chain)

    async def ask(some: Sequence[str]) -> Windows:
        try:
            async with places:
                found = await view.due_windows(some, at=at)
        except TooMuch:
            await chain.head()  # raises when it is the node that does not answer, not this legacy
            return {}
        if isinstance(found, list):
            return dict(zip(some, found, strict=True))
        if len(some) == 1:
            return {}
        middle = len(some) // 2
        first, second = await together(ask(some[:middle]), ask(some[middle:]))
        return {**first, **second}

    return await ask(legacies)
