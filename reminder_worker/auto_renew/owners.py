"""What is read of opted-in legacies and their owners, for many at once."""

from collections.abc import Sequence
from dataclasses import dataclass

from reminder_worker.auto_renew.policy import StoredBaseline
from reminder_worker.chain.client import BlockHeader, Chain
from reminder_worker.chain.contracts.legacies import LegacyFacts, LegacyReads
from reminder_worker.chain.contracts.premium import PremiumSetting
from reminder_worker.chain.renewals import RenewalReads, RenewState, TransactionCounts
from reminder_worker.errors import ChainUnavailable


@dataclass(frozen=True, slots=True)
class OptedIn:
    """A legacy whose owner wants it renewed, by the index, and what is remembered of it."""

    legacy: str
    legacy_id: int
    owner: str
    memory: StoredBaseline | None


@dataclass(frozen=True, slots=True)
class BlockPair:
    """The finalized block, and the latest one, which is not before it."""

    finalized: BlockHeader
    head: BlockHeader


@dataclass(frozen=True, slots=True)
class LegacyReading:
    """All that was read of one legacy. None: it did not say, or too few endpoints did."""

    one: OptedIn
    facts: LegacyFacts | None
    state: RenewState | None
    is_premium: bool
    final_reset: int | None
    head_reset: int | None
    count: TransactionCounts | None


async def read_places(chain: Chain) -> BlockPair:
    finalized, head = await RenewalReads(chain).finalized(), await chain.block("latest")
    if head is None or head.number < finalized.number:
        raise ChainUnavailable(f"the latest block of chain {chain.chain_id} is behind the finalized one")
    return BlockPair(finalized, head)


async def read_owners(chain: Chain, some: Sequence[OptedIn], places: BlockPair) -> list[LegacyReading]:
    """In a few requests for all; one that reverts has no facts and disturbs no other."""
    renewals, addresses = RenewalReads(chain), [one.legacy for one in some]
    owners = sorted({one.owner for one in some})
    final_resets = await renewals.resets(addresses, at=places.finalized.hash)
    counts = dict(zip(owners, await renewals.counts(owners, at=places.finalized.hash), strict=True))
    at = places.head.hash
    facts = await LegacyReads(chain).facts(addresses, at=at)
    resets = await renewals.resets(addresses, at=at)
    states = await renewals.states([one.legacy_id for one in some], at=at)
    premium = dict(zip(owners, await PremiumSetting(chain).are_premium(owners, at=at), strict=True))
    return [
        LegacyReading(
            one=one,
            facts=found if found is not None and _is_of(found, one) else None,
            state=state,
            is_premium=premium[one.owner],
            final_reset=final_reset,
            head_reset=reset,
            count=counts[one.owner],
        )
        for one, found, state, final_reset, reset in zip(some, facts, states, final_resets, resets, strict=True)
    ]


def _is_of(facts: LegacyFacts, one: OptedIn) -> bool:
    """Whether the legacy itself names the owner that the index does, or another's transactions would be counted."""
    return (facts.legacy_id, facts.creator, facts.owner) == (one.legacy_id, one.owner, one.owner)
