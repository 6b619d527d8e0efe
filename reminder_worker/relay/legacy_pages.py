"""Public facts of a legacy for its page, and the preview of an heir's claim.

Viewers share what is read, as viewers of a gift do: a legacy costs at most one request to a node in a slot of 12
seconds. One endpoint's word is enough for a page. Whatever decides about money reads the chain by itself.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from eth_abi.abi import encode

from reminder_worker.chain import abi_codec
from reminder_worker.chain.abi_codec import encode_address, encode_call, encode_word
from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts import Answer, decode_configured
from reminder_worker.chain.contracts.legacies import LegacyFacts, LegacyReads, Triggers
from reminder_worker.chain.contracts.premium import TokenWhiteList
from reminder_worker.chain.contracts.routers import RouterReads
from reminder_worker.chain.contracts.tokens import ETHER_METADATA, TokenMetadata, TokenReads
from reminder_worker.chain.heads import SLOT_SECONDS
from reminder_worker.chain.simulation import LEAST_PAID_WEI, SimulatedTransaction
from reminder_worker.chain.types import ETHER, BlockHeader, BlockMoment, ContractCall, RevertedCall
from reminder_worker.errors import ChainUnavailable, NotFound
from reminder_worker.indexer.models import SAFE, IndexedLegacy
from reminder_worker.indexer.selector import IndexerSelector
from reminder_worker.kept_reads import KeptReads
from reminder_worker.outbox.messages import LATEST_TIME
from reminder_worker.relay.contract_errors import make_refusal
from reminder_worker.relay.validation import check_line

NO_LEGACY: Final = "There is no such legacy."
END_UNKNOWN: Final = "the index does not know yet how this legacy ended"
MOST_CLAIMED: Final = 20
"""Tokens of one claim. The contract takes more, but no claim of so many fits into the gas of the relay."""


class PageState(StrEnum):
    WAITING = "waiting"  # its owner is active, or it names no day
    OPEN = "open"  # the first line may claim
    CLAIMED = "claimed"
    ENDED = "ended"  # its owner deleted it


@dataclass(frozen=True, slots=True)
class LegacyPageFacts:
    """Public facts of a legacy; times are unix seconds, `now` is the chain's clock.

    `opens_at` is None for a day that no calendar has, and for the oldest legacies, which name none. A line that nobody
    is in has no day. `claims_sponsored`: the owner allows it; `check_ins_sponsored`: the owner has Premium. `known` has
    the people, whom no page shows.
    """

    chain_name: str
    explorer_url: str | None
    legacy: str
    router: str
    legacy_id: int
    is_safe: bool
    state: PageState
    opens_at: int | None
    second_line_at: int | None
    third_line_at: int | None
    claimed_at: int | None
    now: int
    claims_sponsored: bool
    check_ins_sponsored: bool
    known: LegacyFacts


@dataclass(frozen=True, slots=True)
class ClaimableAsset:
    """A token, or `ETHER`. `units`: what would arrive, in base units; None if no endpoint can simulate a claim."""

    token: str
    units: int | None
    metadata: TokenMetadata | None


@dataclass(frozen=True, slots=True)
class ClaimPreview:
    """Assets of one claim that would succeed. `has_more`: others, which cannot be claimed now or not together with
    these."""

    assets: tuple[ClaimableAsset, ...]
    has_more: bool


class LegacyPages:
    """`claim_gas`: the most gas of a claim that is relayed here. A local chain makes blocks on demand: there only
    viewers at the same time share a read."""

    _preview_seconds: Final = 60

    def __init__(self, chains: Mapping[int, Chain], indexers: Mapping[int, IndexerSelector], claim_gas: int) -> None:
        self._chains = chains
        self._indexers = indexers
        self._claim_gas = claim_gas
        self._tokens = {chain_id: TokenReads(chain) for chain_id, chain in chains.items()}
        self._facts = KeptReads[LegacyPageFacts | str]()
        self._previews = KeptReads[ClaimPreview]()

    async def find_numbered(self, chain_id: int, number: int) -> list[str]:
        """Return the addresses of the legacies with this number: each router counts for itself. No node is asked.

        Raises `NotFound` for none.
        """
        found = await self._find_indexed(chain_id, number)
        if not found:
            raise NotFound(NO_LEGACY)
        return [each.address for each in found]

    async def read_facts(self, chain_id: int, legacy: str) -> LegacyPageFacts:
        """Return the facts, kept for a slot. No node is asked about an address that the index does not know.

        Raises `NotFound` and `ChainUnavailable`.
        """
        found = await self._facts.find((chain_id, legacy), lambda: self._read_facts(chain_id, legacy))
        if isinstance(found, str):
            raise ChainUnavailable(found)
        return found

    async def preview_claim(self, chain_id: int, legacy: str, account: str) -> ClaimPreview:
        """Return what a claim of this account would bring now, kept for a minute.

        Raises `NotFound`, `ChainUnavailable`, and `ContractRefused` for an account that the chain does not name or
        whose day has not come.
        """
        facts = await self.read_facts(chain_id, legacy)
        if facts.is_safe:
            detail = "A claim of a shared wallet pays nothing out: the heirs become its signers."
            raise make_refusal("CannotClaim", detail)
        if facts.state is PageState.ENDED:
            raise make_refusal("CannotClaim")
        check_line(facts.known, account, facts.now)
        key = chain_id, legacy, account
        return await self._previews.find(key, lambda: self._read_preview(self._chains[chain_id], facts.known, account))

    # -- facts ----------------------------------------------------------------------------------

    async def _read_facts(self, chain_id: int, legacy: str) -> tuple[LegacyPageFacts | str, float]:
        """Return the facts, or why they are not known yet; both are kept for a slot."""
        found = await self._find_indexed(chain_id, legacy)
        if not found:
            raise NotFound(NO_LEGACY)
        (indexed,) = found
        chain = self._chains[chain_id]
        block, known, (is_premium, disabled) = await self._read_chain(chain, indexed)
        if known is None:
            raise ChainUnavailable("the router and the legacy do not agree at the newest block")
        seconds = SLOT_SECONDS if chain.shares_heads else 0
        if not known.is_live and not _has_end(indexed):
            indexed, is_complete = await self._read_end(chain_id, legacy, block.number)
            # The router of Safes emits no event when a legacy is deleted.
            is_deleted = is_complete and indexed.legacy_type == SAFE
            if not _has_end(indexed) and not is_deleted:
                return END_UNKNOWN, seconds
        return _describe_legacy(chain, indexed, known, block, is_premium=is_premium, disabled=disabled), seconds

    async def _find_indexed(self, chain_id: int, key: str | int) -> list[IndexedLegacy]:
        if chain_id not in self._chains:
            raise NotFound(NO_LEGACY)
        return await self._indexers[chain_id].own_index.find_legacies(key)

    async def _read_end(self, chain_id: int, legacy: str, block: int) -> tuple[IndexedLegacy, bool]:
        """Read the index on; return the legacy, and whether the index has read this block."""
        index = self._indexers[chain_id].own_index
        await index.read_newest()
        head = await index.read_head()
        (found,) = await index.find_legacies(legacy)
        return found, head.number >= block

    async def _read_chain(
        self, chain: Chain, indexed: IndexedLegacy
    ) -> tuple[BlockMoment, LegacyFacts | None, tuple[bool, bool]]:
        """Return the newest block, the legacy, whether its creator has Premium, and whether claims are not sponsored.

        A Safe's router knows no sponsored claims, and is not asked.
        """
        premium = encode_call(
            chain.settings.premium_setting, "PremiumSetting", "isPremium", encode_address(indexed.creator)
        )
        calls = [premium]
        if indexed.legacy_type != SAFE:
            id = encode_word(indexed.legacy_id)
            calls.append(encode_call(indexed.router, "TransferEOALegacyRouter", "sponsoredClaimsDisabled", id))
        place = indexed.router, indexed.legacy_id
        block, known, answers = await LegacyReads(chain).read_newest_facts(indexed.address, place, calls)
        is_premium = _decode_flag("isPremium", answers[0])
        disabled = _decode_flag("sponsoredClaimsDisabled", answers[1]) if len(answers) > 1 else True
        return block, known, (is_premium, disabled)

    # -- preview --------------------------------------------------------------------------------

    async def _read_preview(self, chain: Chain, legacy: LegacyFacts, account: str) -> tuple[ClaimPreview, float]:
        """Simulate a claim of all that the legacy may move. If it fails, add one asset after another.

        An asset that makes the claim fail is left out.
        """
        head = await chain.get_head()
        wanted, has_more = await self._list_movable(chain, legacy, head)
        found = await self._simulate(chain, legacy, account, wanted, head) if wanted else {}
        if found is None:
            has_more, found = True, {}
            for asset in wanted:
                together = await self._simulate(chain, legacy, account, [*found, asset], head)
                found = together or found
        names = await self._tokens[chain.chain_id].read_metadata([token for token in found if token != ETHER])
        names[ETHER] = ETHER_METADATA
        assets = tuple(ClaimableAsset(token, units, names[token]) for token, units in found.items())
        return ClaimPreview(assets, has_more), self._preview_seconds

    async def _list_movable(self, chain: Chain, legacy: LegacyFacts, head: BlockHeader) -> tuple[list[str], bool]:
        """Return the whitelisted tokens that the legacy may take, and its ether; and whether there are more."""
        routers = RouterReads(chain)
        listed = sorted(await TokenWhiteList(chain).read_tokens(at=head.hash))
        address = legacy.legacy
        allowed = await routers.read_allowed_tokens(listed, legacy.owner, address, head.timestamp, at=head.hash)
        wanted = [token for token in listed if token in allowed]
        ether = [ETHER] if await chain.get_balance(address) >= LEAST_PAID_WEI else []
        return [*wanted[:MOST_CLAIMED], *ether], len(wanted) > MOST_CLAIMED

    async def _simulate(
        self, chain: Chain, legacy: LegacyFacts, account: str, assets: Sequence[str], head: BlockHeader
    ) -> dict[str, int | None] | None:
        """Return what arrives of each asset, after all fees; None if the claim fails. As the relay simulates a claim,
        but sent by the heir, who has signed nothing yet."""
        tokens, is_eth = [token for token in assets if token != ETHER], ETHER in assets
        call = encode_call(
            legacy.router,
            "TransferEOALegacyRouter",
            "activeLegacy",
            encode(("uint256", "address[]", "bool"), (legacy.legacy_id, tokens, is_eth)),
        )
        payer = legacy.legacy if is_eth else None
        outcome = await chain.simulate(
            call, at=head, sender=account, gas=self._claim_gas, emitter=legacy.router, payer=payer
        )
        if isinstance(outcome, RevertedCall):
            return None
        if isinstance(outcome, SimulatedTransaction):
            return {**outcome.find_gains(account, tokens)}
        return await _confirm_claim(chain, call, assets, account, head)


async def _confirm_claim(
    chain: Chain, call: ContractCall, assets: Collection[str], account: str, head: BlockHeader
) -> dict[str, int | None] | None:
    """Return the assets without amounts if the call succeeds: for nodes that cannot simulate."""
    answer = await chain.call(call, at=head.hash, sender=account)
    return None if isinstance(answer, RevertedCall) else dict.fromkeys(assets)


def _decode_flag(name: str, answer: Answer) -> bool:
    return decode_configured(name, abi_codec.bool_at, answer)


def _describe_legacy(
    chain: Chain, indexed: IndexedLegacy, known: LegacyFacts, block: BlockMoment, *, is_premium: bool, disabled: bool
) -> LegacyPageFacts:
    is_safe, members = indexed.legacy_type == SAFE, known.members
    first, second, third = _list_days(known.triggers)
    return LegacyPageFacts(
        chain_name=chain.settings.shown_name,
        explorer_url=chain.settings.explorer_url,
        legacy=known.legacy,
        router=known.router,
        legacy_id=known.legacy_id,
        is_safe=is_safe,
        state=_derive_state(indexed, known, first, block.timestamp),
        opens_at=first,
        second_line_at=second if members.second_line else None,
        third_line_at=third if members.third_line else None,
        claimed_at=indexed.activated_at,
        now=block.timestamp,
        claims_sponsored=not disabled,
        check_ins_sponsored=is_premium and not is_safe,
        known=known,
    )


def _has_end(indexed: IndexedLegacy) -> bool:
    return indexed.activated_at is not None or indexed.deleted_at is not None


def _list_days(triggers: Triggers) -> tuple[int | None, int | None, int | None]:
    """Return the days of the three lines; None for a day that no calendar has, or that an old build does not name."""
    first, second, third = (day if 0 < day <= LATEST_TIME else None for day in triggers)
    return first, second, third


def _derive_state(indexed: IndexedLegacy, known: LegacyFacts, opens_at: int | None, now: int) -> PageState:
    if not known.is_live:
        is_claimed = indexed.activated_at is not None and indexed.deleted_at is None
        return PageState.CLAIMED if is_claimed else PageState.ENDED
    is_open = opens_at is not None and now >= opens_at
    return PageState.OPEN if is_open else PageState.WAITING
