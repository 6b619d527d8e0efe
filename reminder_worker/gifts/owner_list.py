"""Timelocks that an address sealed, from our own index: public chain data only."""

from collections.abc import Sequence
from dataclasses import dataclass

from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts.premium import TokenWhiteList
from reminder_worker.chain.contracts.tokens import TokenMetadata, TokenReads
from reminder_worker.indexer.models import ListedTimelock
from reminder_worker.indexer.selector import IndexerSelector

PAGE_SIZE = 50


@dataclass(frozen=True, slots=True)
class OwnerPage:
    """One page, the newest first. `metadata`: of whitelisted tokens only. `now`: the chain's clock, unix seconds."""

    timelocks: Sequence[ListedTimelock]
    metadata: dict[str, TokenMetadata | None]
    has_more: bool
    now: int


async def read_owner_page(
    chain: Chain, indexer: IndexerSelector, tokens: TokenReads, owner: str, before: int | None
) -> OwnerPage:
    """Return the timelocks with ids below `before`. Raises `ChainUnavailable`."""
    index = indexer.own_index
    head = await chain.get_known_head()
    found = await index.list_timelocks(owner, before, PAGE_SIZE + 1)
    page = found[:PAGE_SIZE]
    listed = await TokenWhiteList(chain).read_tokens()
    sealed = {asset.token for each in page for asset in each.timelock.assets}
    return OwnerPage(page, await tokens.read_metadata(sorted(sealed & listed)), len(found) > PAGE_SIZE, head.timestamp)
