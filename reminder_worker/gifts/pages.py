"""Public facts of a gift on chain, and the newest gift sealed to an address.

Only live gifts of whitelisted ERC-20 tokens are offered: for any other timelock the answer is that there is no gift.

Viewers share what is read: a gift costs at most one request to a node in a slot of 12 seconds, however many look at it.
Facts say of which block's time they are. One endpoint's word is enough for a page or a list. Whatever decides about
money, an email or a person's request reads the chain by itself. So does `GiftReader`.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import inf
from typing import Final

from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts.premium import TokenWhiteList
from reminder_worker.chain.contracts.routers import (
    TIMELOCK_VERSIONS,
    GiftView,
    RouterReads,
    TimelockDetails,
    TimelockReads,
)
from reminder_worker.chain.contracts.tokens import TokenMetadata, TokenReads
from reminder_worker.chain.eip712 import TypedDataDomain
from reminder_worker.chain.heads import SLOT_SECONDS
from reminder_worker.chain.types import BlockMoment
from reminder_worker.errors import ChainUnavailable, IndexerUnavailable, NotFound
from reminder_worker.gifts.claim_link import LIMITS, ClaimLink, LinkFlags, LinkRules
from reminder_worker.gifts.owner_list import OwnerPage, read_owner_page
from reminder_worker.gifts.payouts import GiftPayout, GiftWithdrawal, PayoutReads
from reminder_worker.indexer.models import (
    ENDED,
    FAR_FUTURE,
    GIFT,
    LIVE,
    IndexedTimelock,
    NewestGift,
    TimelockHistory,
)
from reminder_worker.indexer.selector import IndexerSelector
from reminder_worker.kept_reads import KeptReads


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

    async def find_gift(self, chain_id: int, timelock_id: int) -> TimelockedGift | None:
        """Read a gift from the index, or from the chain if the index does not know it yet."""
        chain = self._chains[chain_id]
        listed = await TokenWhiteList(chain).read_tokens()
        known = await self._indexers[chain_id].ask_indexer(
            lambda indexer, at: indexer.read_timelocks([timelock_id], at)
        )
        found = known.get(timelock_id)
        if found is not None:
            return _from_index(found, chain, listed)
        (details,) = await TimelockReads(chain).read_details([timelock_id])
        return None if details is None else _from_chain(details, listed)

    async def confirm_giver(self, chain_id: int, timelock_id: int) -> str | None:
        """Return the giver, confirmed by two endpoints: the giver decides the recipient of our emails."""

        async def read(chain: Chain) -> str | None:
            (details,) = await TimelockReads(chain).read_details([timelock_id])
            return details.owner if details else None

        return await self._chains[chain_id].agreed(read)

    async def read_gifts(self, chain_id: int, ids: Collection[int]) -> tuple[dict[int, TimelockedGift], int]:
        """Return the gifts on chain by id, and the time of their block (unix seconds)."""
        chain = self._chains[chain_id]
        head = await chain.get_head()
        wanted = sorted(ids)
        details = await TimelockReads(chain).read_details(wanted, at=head.hash)
        listed = await TokenWhiteList(chain).read_tokens(at=head.hash)
        known = zip(wanted, details, strict=True)
        return {id: _from_chain(each, listed) for id, each in known if each is not None}, head.timestamp

    async def read_finalized(self, chain_id: int, ids: Collection[int]) -> dict[int, TimelockedGift]:
        """Return by id the gifts that the finalized block has, as two endpoints confirm them."""
        wanted = sorted(ids)
        found = await TimelockReads(self._chains[chain_id]).read_final_details(wanted)
        known = zip(wanted, found, strict=True)
        return {id: _from_chain(each, ()) for id, each in known if each is not None}

    async def read_head_time(self, chain_id: int) -> int:
        """Return the time of the latest block in unix seconds, as the contracts see it."""
        return (await self._chains[chain_id].get_head()).timestamp


def _from_index(found: IndexedTimelock, chain: Chain, listed: Collection[str]) -> TimelockedGift:
    is_live_gift = found.lock_type == GIFT and found.status == LIVE
    offered = is_live_gift and bool(found.assets) and found.holds_only(chain.settings.timelock_erc20, listed)
    return TimelockedGift(found.owner, found.recipient, found.unlock_time, found.status == ENDED, offered)


def _from_chain(found: TimelockDetails, listed: Collection[str]) -> TimelockedGift:
    """Ignore the NFT vaults: a gift is sealed into one vault or waits for the index."""
    is_live_gift = found.lock_type == GIFT and found.status == LIVE
    is_listed = all(token in listed for token, _ in found.assets)
    offered = is_live_gift and bool(found.assets) and is_listed
    return TimelockedGift(
        found.owner, found.recipient, min(found.unlock_time, FAR_FUTURE), found.status == ENDED, offered
    )


NO_GIFT: Final = "There is no such gift."


class NotShown(NotFound):
    """There is a gift, but something in it is not whitelisted, or not any more."""


class GiftState(StrEnum):
    SEALED = "sealed"
    OPEN = "open"  # its time has come, and nobody has withdrawn it
    CLAIMED = "claimed"


@dataclass(frozen=True, slots=True)
class GiftAsset:
    """`units` are base units; `as_ether`: wrapped ether that the recipient receives as ether, unit by unit.

    `sold_for_ether`: another token, sold at the withdrawal for ether at the price of that time. Both are None after a
    withdrawal, if its receipt is not known.
    """

    token: str
    units: int
    metadata: TokenMetadata | None
    as_ether: bool | None
    sold_for_ether: bool | None


@dataclass(frozen=True, slots=True)
class GiftFacts:
    """`unlock_time` and `now`, the chain's clock, in unix seconds; `domain` and `sponsor_nonce` are for the recipient's
    WithdrawAuth. `contracts` are the protocol's: what is sent to them is lost. `create_path`: the page for givers,
    where it is served."""

    chain_name: str
    timelock_id: int
    state: GiftState
    recipient: str
    unlock_time: int
    assets: tuple[GiftAsset, ...]
    router: str
    contracts: tuple[str, ...]
    domain: TypedDataDomain
    sponsor_nonce: int
    sponsored: bool
    now: int
    explorer_url: str | None
    history: TimelockHistory
    create_path: str | None


@dataclass(frozen=True, slots=True)
class FoundGifts:
    """The newest gifts of a recipient on one chain: time of sealing, chain id and timelock id. `has_hidden`: others,
    which are not shown."""

    live: list[tuple[int, int, int]]
    opened: list[tuple[int, int, int]]
    has_hidden: bool
    is_test_chain: bool


class GiftPages:
    """`relayed`: the chains on which withdrawals of gifts are relayed here.

    A local chain makes blocks on demand: there only viewers at the same time share a read.
    """

    _final_seconds: Final = 1800  # the finalized block is 13 to 19 minutes old
    _again_seconds: Final = 600

    def __init__(
        self,
        chains: Mapping[int, Chain],
        indexers: Mapping[int, IndexerSelector],
        rules: LinkRules,
        relayed: Collection[int],
        create_path: str | None = None,
    ) -> None:
        self.rules = rules
        self._chains = chains
        self._indexers = indexers
        self._relayed = relayed
        self._create_path = create_path
        self._tokens = {chain_id: TokenReads(chain) for chain_id, chain in chains.items()}
        self._payouts = {chain_id: PayoutReads(chain) for chain_id, chain in chains.items()}
        self._views = {chain_id: RouterReads(chain) for chain_id, chain in chains.items()}
        self._facts = KeptReads[GiftFacts]()
        self._endings = KeptReads[bool]()
        self._whitelists = KeptReads[tuple[BlockMoment, frozenset[str]]]()

    def serves_chain(self, chain_id: int) -> bool:
        return chain_id in self._chains

    async def read_owner_page(self, chain_id: int, owner: str, before: int | None) -> OwnerPage:
        """Return one page of what an address sealed on a served chain."""
        block, listed = await self._find_whitelist(chain_id)
        index, tokens = self._indexers[chain_id].own_index, self._tokens[chain_id]
        return await read_owner_page(index, tokens, listed, owner, before, block.timestamp)

    async def read_facts(self, chain_id: int, timelock_id: int) -> GiftFacts:
        """Raises `NotFound`, `NotShown`, `ChainUnavailable`. A gift that is not indexed yet is known from the chain
        alone.

        Facts are kept for a slot. Those of a gift that ended are kept for good, once two endpoints confirm the gift's
        record at the finalized block.
        """
        if chain_id not in self._chains or not 1 <= timelock_id <= LIMITS.timelock_id:
            raise NotFound(NO_GIFT)
        return await self._facts.find((chain_id, timelock_id), lambda: self._read_facts(chain_id, timelock_id))

    async def _read_facts(self, chain_id: int, timelock_id: int) -> tuple[GiftFacts, float]:
        """Return the facts, and for how many seconds they are kept."""
        chain = self._chains[chain_id]
        indexed = await self._find_indexed(chain_id, timelock_id)
        view = await self._views[chain_id].read_gift_view(timelock_id, indexed.recipient if indexed else None)
        found, allowed = view.details, view.whitelist
        if found is None or found.lock_type != GIFT or found.status not in (LIVE, ENDED):
            raise NotFound(NO_GIFT)
        if indexed is not None and not indexed.holds_only(chain.settings.timelock_erc20, allowed):
            raise NotShown(NO_GIFT)
        units = _find_amounts(found, indexed)
        if not {token for token, _ in units} <= allowed:
            raise NotShown(NO_GIFT)
        is_ended = found.status == ENDED
        metadata, history = await asyncio.gather(
            self._tokens[chain_id].read_metadata([token for token, _ in units]),
            self._indexers[chain_id].own_index.read_history(timelock_id, is_ended=is_ended),
        )
        seconds = self._slot_seconds(chain_id)
        if is_ended:
            withdrawal = _find_withdrawal(timelock_id, found.recipient, history)
            payout = await self._payouts[chain_id].read_payout(withdrawal, set(metadata)) if withdrawal else None
            in_ether = _list_paid_in_ether(payout, units, metadata, has_payees=view.domain.version != "1")
            is_known = payout is not None and None not in metadata.values()
            if is_known and await self._is_final(chain_id, timelock_id, view, history):
                seconds = inf
        else:
            in_ether = [found.last_as_eth and position == len(units) - 1 for position in range(len(units))]
        assets = _describe_assets(units, metadata, in_ether)
        return self._describe_gift(chain, timelock_id, view, found, assets, history), seconds

    async def _is_final(self, chain_id: int, timelock_id: int, view: GiftView, history: TimelockHistory) -> bool:
        """Return whether two endpoints give the same record of a gift that ended at the finalized block.

        A gift that ended stays as it is then. Without an agreement they are asked again after ten minutes.
        """
        if history.opened_at is None or view.block.timestamp - history.opened_at < self._final_seconds:
            return False

        async def confirm() -> tuple[bool, float]:
            try:
                (final,) = await TimelockReads(self._chains[chain_id]).read_final_details([timelock_id])
            except ChainUnavailable:
                return False, self._again_seconds
            return final == view.details, self._again_seconds

        return await self._endings.find((chain_id, timelock_id, view.details), confirm)

    def _describe_gift(
        self,
        chain: Chain,
        timelock_id: int,
        view: GiftView,
        found: TimelockDetails,
        assets: tuple[GiftAsset, ...],
        history: TimelockHistory,
    ) -> GiftFacts:
        domain, now = view.domain, view.block.timestamp
        return GiftFacts(
            chain_name=chain.settings.shown_name,
            timelock_id=timelock_id,
            state=_derive_state(found, now),
            recipient=found.recipient,
            unlock_time=found.unlock_time,
            assets=assets,
            router=chain.settings.time_lock_router,
            contracts=chain.settings.protocol_contracts,
            domain=domain,
            sponsor_nonce=view.nonce,
            sponsored=chain.chain_id in self._relayed and domain.version in TIMELOCK_VERSIONS,
            now=now,
            explorer_url=chain.settings.explorer_url,
            history=history,
            create_path=self._create_path,
        )

    async def find_newest_link(self, recipient: str, marks: LinkFlags) -> ClaimLink:
        """Return the link of the newest live gift sealed to an address, by block time, over all chains.

        One of a test chain only where no other has any: there it costs nothing to seal one. Without a live gift, the
        link of the newest opened one.

        Raises `NotFound`, `NotShown` where all that is sealed to it has something in it that is not whitelisted, and
        `ChainUnavailable` or `IndexerUnavailable` while a chain cannot be asked: the newest may be there.
        """
        found: list[FoundGifts] = []
        for is_test_chain in (False, True):
            asked = [id for id, chain in self._chains.items() if chain.settings.is_test_chain is is_test_chain]
            found += await asyncio.gather(*(self._find_gifts(chain_id, recipient) for chain_id in asked))
            live = [gift for each in found for gift in each.live]
            if live:
                return self._link_newest(live, marks)
        for is_test_chain in (False, True):
            of_these = [each for each in found if each.is_test_chain is is_test_chain]
            opened = [gift for each in of_these for gift in each.opened]
            if opened:
                return self._link_newest(opened, marks)
        if any(each.has_hidden for each in found):
            raise NotShown("No gift that can be shown is sealed to this address.")
        raise NotFound("No gift that can be opened is sealed to this address.")

    def _link_newest(self, gifts: Sequence[tuple[int, int, int]], marks: LinkFlags) -> ClaimLink:
        _, chain_id, timelock_id = max(gifts)
        return self.rules.make_link(chain_id, timelock_id, marks)

    async def _find_gifts(self, chain_id: int, recipient: str) -> FoundGifts:
        """Return the newest live gift to this recipient on a chain, or else the newest opened one.

        Only our own rows are read, and no asset. They look behind others' gifts of worthless tokens: anybody may seal
        those.
        """
        chain, index = self._chains[chain_id], self._indexers[chain_id].own_index
        block, allowed = await self._find_whitelist(chain_id)
        await index.read_newest()
        at = await index.read_head()
        live = await index.find_newest_gift(recipient, LIVE, allowed)
        opened = NewestGift(None, 0, has_hidden=False)
        if live.timelock_id is None:
            if block.number - at.number > chain.settings.subgraph_max_lag:
                raise IndexerUnavailable("the index is far behind: what it lacks may be there")
            opened = await index.find_newest_gift(recipient, ENDED, allowed)
        return FoundGifts(
            _list_gift(live, chain_id), _list_gift(opened, chain_id), live.has_hidden, chain.settings.is_test_chain
        )

    async def _find_whitelist(self, chain_id: int) -> tuple[BlockMoment, frozenset[str]]:
        """Return a newest block and the whitelisted tokens at it, read once a slot for all viewers."""

        async def read() -> tuple[tuple[BlockMoment, frozenset[str]], float]:
            return await self._views[chain_id].read_newest_whitelist(), self._slot_seconds(chain_id)

        return await self._whitelists.find(chain_id, read)

    def _slot_seconds(self, chain_id: int) -> float:
        return SLOT_SECONDS if self._chains[chain_id].shares_heads else 0

    async def _find_indexed(self, chain_id: int, timelock_id: int) -> IndexedTimelock | None:
        """Return the gift in our own index; None, too, if the index cannot answer. The chain has all facts of a live
        gift of ERC-20 tokens."""
        index = self._indexers[chain_id].own_index
        try:
            found = await index.read_timelocks([timelock_id], await index.read_head())
        except IndexerUnavailable:
            return None
        return found.get(timelock_id)


def _list_gift(found: NewestGift, chain_id: int) -> list[tuple[int, int, int]]:
    return [] if found.timelock_id is None else [(found.created_at, chain_id, found.timelock_id)]


def _find_amounts(found: TimelockDetails, indexed: IndexedTimelock | None) -> Sequence[tuple[str, int]]:
    """Return the sealed amounts: from the vault, or from the index after a withdrawal."""
    if found.assets or indexed is None:
        return found.assets
    return [(asset.token, asset.amount) for asset in indexed.assets]


def _is_wrapped_ether(metadata: TokenMetadata | None) -> bool:
    return metadata == TokenMetadata("WETH", 18)  # only whitelisted tokens are asked


def _find_withdrawal(timelock_id: int, recipient: str, history: TimelockHistory) -> GiftWithdrawal | None:
    if history.opened_in is None or history.opened_block is None:
        return None
    return GiftWithdrawal(timelock_id, recipient, history.opened_in, history.opened_block)


def _list_paid_in_ether(
    payout: GiftPayout | None,
    units: Sequence[tuple[str, int]],
    metadata: Mapping[str, TokenMetadata | None],
    *,
    has_payees: bool,
) -> list[bool | None]:
    """Return for each amount of a withdrawn gift whether it was paid out in ether; None if that is not known."""
    tokens = [token for token, _ in units]
    paid: list[bool | None] = []
    for token in tokens:
        if payout is None or tokens.count(token) > 1:
            paid.append(None)
        else:
            is_ether = _is_wrapped_ether(metadata[token])
            paid.append(payout.was_ether_sent(token, is_ether=is_ether, has_payees=has_payees))
    return paid


def _describe_assets(
    units: Sequence[tuple[str, int]], metadata: Mapping[str, TokenMetadata | None], in_ether: Sequence[bool | None]
) -> tuple[GiftAsset, ...]:
    """Return the assets. `in_ether`: for each, whether it is or was paid out in ether; None if that is not known."""
    assets = []
    for (token, amount), paid_as_eth in zip(units, in_ether, strict=True):
        is_ether = _is_wrapped_ether(metadata[token])
        assets.append(
            GiftAsset(
                token=token,
                units=amount,
                metadata=metadata[token],
                as_ether=paid_as_eth if is_ether else False,
                sold_for_ether=False if is_ether else paid_as_eth,
            )
        )
    return tuple(assets)


def _derive_state(found: TimelockDetails, now: int) -> GiftState:
    if found.status == ENDED:
        return GiftState.CLAIMED
    return GiftState.OPEN if now >= found.unlock_time else GiftState.SEALED
