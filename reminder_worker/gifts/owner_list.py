"""Timelocks that an address sealed, from our own index: public chain data only."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from reminder_worker.chain.contracts.tokens import TokenMetadata, TokenReads
from reminder_worker.indexer.chain_index import ChainIndex
from reminder_worker.indexer.models import ListedTimelock

PAGE_SIZE = 50


@dataclass(frozen=True, slots=True)
class OwnerPage:
    """One page, the newest first. `metadata`: of whitelisted tokens only. `now`: the chain's clock, unix seconds."""

    timelocks: Sequence[ListedTimelock]
    metadata: dict[str, TokenMetadata | None]
    has_more: bool
    now: int


async def read_owner_page(
    index: ChainIndex, tokens: TokenReads, listed: Collection[str], owner: str, before: int | None, now: int
) -> OwnerPage:
    """Return the timelocks with ids below `before`. `listed`: the whitelisted tokens. Raises `ChainUnavailable`."""
    found = await index.list_timelocks(owner, before, PAGE_SIZE + 1)
    page = found[:PAGE_SIZE]
    sealed = {asset.token for each in page for asset in each.timelock.assets}
    shown = sorted(sealed.intersection(listed))
    return OwnerPage(page, await tokens.read_metadata(shown), len(found) > PAGE_SIZE, now)
