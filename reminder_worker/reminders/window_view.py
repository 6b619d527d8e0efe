"""Open windows of many legacies at one block, although the contract lets one that reverts spoil the whole batch."""

from collections.abc import Sequence

from reminder_worker.chain.client import Block, Chain, TooMuch
from reminder_worker.chain.contracts import ReminderView
from reminder_worker.errors import ChainUnavailable


async def latest_block(chain: Chain) -> Block:
    """Raises `ChainUnavailable`, also when the chain has no block at all."""
    head = await chain.block("latest")
    if head is None:
        raise ChainUnavailable(f"chain {chain.chain_id} has no latest block")
    return head


async def open_windows(chain: Chain, legacies: Sequence[str], at: str) -> dict[str, tuple[int, ...]]:
    """By legacy, at a block hash. A batch that reverts is halved; a legacy that reverts alone is absent."""
    try:
        found = await ReminderView(chain).due_windows(legacies, at=at)
    except TooMuch:
        await latest_block(chain)  # raises when it is the node that does not answer, not this legacy
        return {}
    if isinstance(found, list):
        return dict(zip(legacies, found, strict=True))
    if len(legacies) == 1:
        return {}
    middle = len(legacies) // 2
    return {**await open_windows(chain, legacies[:middle], at), **await open_windows(chain, legacies[middle:], at)}
