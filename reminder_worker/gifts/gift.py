"""Gifts as the index has them, and as the chain has them when they are new or an email is due."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts.premium import TokenWhiteList
from reminder_worker.chain.contracts.routers import TimelockDetails, TimelockReads
from reminder_worker.chain.quorum import agreed
from reminder_worker.errors import ChainUnavailable
from reminder_worker.indexer.models import ENDED, FAR_FUTURE, GIFT, LIVE, IndexedTimelock
from reminder_worker.indexer.selector import IndexerSelector


@dataclass(frozen=True, slots=True)
class TimelockedGift:
    """A timelock as far as emails go. `is_offered`: a live gift of whitelisted ERC-20 tokens and nothing else."""

    owner: str
    recipient: str
    unlock_time: int
    is_ended: bool
    is_offered: bool


class GiftReader:
    """Raises `ChainUnavailable` and `IndexerUnavailable`."""

    def __init__(self, chains: Mapping[int, Chain], indexers: Mapping[int, IndexerSelector]) -> None:
        self._chains = chains
        self._indexers = indexers

    async def find(self, chain_id: int, timelock_id: int) -> TimelockedGift | None:
        """Read a gift from the index, or from the chain if the index does not know it yet."""
        chain = self._chains[chain_id]
        listed = await TokenWhiteList(chain).tokens()
        known = await self._indexers[chain_id].ask_indexer(
            lambda indexer, at: indexer.read_timelocks([timelock_id], at)
        )
        found = known.get(timelock_id)
        if found is not None:
            return _of_index(found, chain, listed)
        (details,) = await TimelockReads(chain).details([timelock_id])
        return None if details is None else _of_chain(details, listed)

    async def giver(self, chain_id: int, timelock_id: int) -> str | None:
        """Return the giver, confirmed by two endpoints: the giver decides the recipient of our emails."""

        async def read(chain: Chain) -> str | None:
            (details,) = await TimelockReads(chain).details([timelock_id])
            return details.owner if details else None

        return await agreed(self._chains[chain_id], read)

    async def read(self, chain_id: int, ids: Collection[int]) -> tuple[dict[int, TimelockedGift], int]:
        """Return the gifts on chain by id, and the time of their block (unix seconds)."""
        chain = self._chains[chain_id]
        head = await chain.head()
        wanted = sorted(ids)
        details = await TimelockReads(chain).details(wanted, at=head.hash)
        listed = await TokenWhiteList(chain).tokens(at=head.hash)
        known = zip(wanted, details, strict=True)
        return {id: _of_chain(each, listed) for id, each in known if each is not None}, head.timestamp

    async def final(self, chain_id: int, ids: Collection[int]) -> dict[int, TimelockedGift]:
        """Return by id the gifts that the finalized block has, as two endpoints confirm them."""
        wanted = sorted(ids)

        async def read(chain: Chain) -> list[TimelockDetails | None]:
            block = await chain.block("finalized")
            if block is None:
                raise ChainUnavailable(f"no endpoint of chain {chain_id} knows the finalized block")
            return await TimelockReads(chain).details(wanted, at=block.hash)

        known = zip(wanted, await agreed(self._chains[chain_id], read), strict=True)
        return {id: _of_chain(each, ()) for id, each in known if each is not None}

    async def head_time(self, chain_id: int) -> int:
        """Return the time of the latest block in unix seconds, as the contracts see it."""
        return (await self._chains[chain_id].head()).timestamp


def _of_index(found: IndexedTimelock, chain: Chain, listed: Collection[str]) -> TimelockedGift:
    is_live_gift = found.lock_type == GIFT and found.status == LIVE
    offered = is_live_gift and bool(found.assets) and found.holds_only(chain.settings.timelock_erc20, listed)
    return TimelockedGift(found.owner, found.recipient, found.unlock_time, found.status == ENDED, offered)


def _of_chain(found: TimelockDetails, listed: Collection[str]) -> TimelockedGift:
    """Ignore the NFT vaults: a gift is sealed into one vault or waits for the index."""
    is_live_gift = found.lock_type == GIFT and found.status == LIVE
    offered = is_live_gift and bool(found.assets) and all(token in listed for token, _ in found.assets)
    return TimelockedGift(
        found.owner, found.recipient, min(found.unlock_time, FAR_FUTURE), found.status == ENDED, offered
    )
