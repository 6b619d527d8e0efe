"""Owners: the reads of opted-in legacies and their owners, many at once."""

from collections.abc import Sequence
from dataclasses import dataclass

from reminder_worker.auto_renew.policy import StoredBaseline
from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts.legacies import LegacyFacts, LegacyReads
from reminder_worker.chain.contracts.premium import PremiumSetting
from reminder_worker.chain.renewals import RenewalReads, RenewState, TransactionCounts
from reminder_worker.chain.types import BlockHeader
from reminder_worker.errors import ChainUnavailable


@dataclass(frozen=True, slots=True)
class OptedIn:
    """A legacy with auto-renew switched on, by the index, and its stored baseline."""

    address: str
    legacy_id: int
    owner: str
    baseline: StoredBaseline | None


@dataclass(frozen=True, slots=True)
class BlockPair:
    """The finalized block, and the latest block, never before the finalized one."""

    finalized: BlockHeader
    head: BlockHeader


@dataclass(frozen=True, slots=True)
class LegacyReading:
    """Everything read of one legacy. None: not answered, or by too few endpoints."""

    legacy: OptedIn
    facts: LegacyFacts | None
    state: RenewState | None
    is_premium: bool
    final_reset: int | None
    head_reset: int | None
    count: TransactionCounts | None


async def read_blocks(chain: Chain) -> BlockPair:
    finalized, head = await RenewalReads(chain).read_finalized(), await chain.get_block("latest")
    if head is None or head.number < finalized.number:
        raise ChainUnavailable(f"the latest block of chain {chain.chain_id} is behind the finalized one")
    return BlockPair(finalized, head)


async def read_owners(chain: Chain, legacies: Sequence[OptedIn], blocks: BlockPair) -> list[LegacyReading]:
    """Read all legacies in a few requests. A legacy that reverts has no facts and disturbs no other."""
    renewals, addresses = RenewalReads(chain), [legacy.address for legacy in legacies]
    owners = sorted({legacy.owner for legacy in legacies})
    final_resets = await renewals.read_resets(addresses, at=blocks.finalized.hash)
    counts = dict(zip(owners, await renewals.read_counts(owners, at=blocks.finalized.hash), strict=True))
    at = blocks.head.hash
    facts = await LegacyReads(chain).read_facts(addresses, at=at)
    resets = await renewals.read_resets(addresses, at=at)
    states = await renewals.read_states([legacy.legacy_id for legacy in legacies], at=at)
    premium = dict(zip(owners, await PremiumSetting(chain).are_premium(owners, at=at), strict=True))
    readings = []
    for legacy, found, state, final_reset, reset in zip(legacies, facts, states, final_resets, resets, strict=True):
        is_ours = found is not None and _matches_index(found, legacy)
        reading = LegacyReading(
            legacy=legacy,
            facts=found if is_ours else None,
            state=state,
            is_premium=premium[legacy.owner],
            final_reset=final_reset,
            head_reset=reset,
            count=counts[legacy.owner],
        )
        readings.append(reading)
    return readings


def _matches_index(facts: LegacyFacts, legacy: OptedIn) -> bool:
    """Return whether legacy and index name the same owner; else another account's transactions would be counted."""
    return (facts.legacy_id, facts.creator, facts.owner) == (legacy.legacy_id, legacy.owner, legacy.owner)
