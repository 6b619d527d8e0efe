"""Holdings of owners in the table: each owner is read once a day, and a snapshot adds up the last readings.

Two endpoints must agree about a slice of owners. Where they do not, the slice keeps its last values, and the next run
reads it again.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

import structlog
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts.holdings_reader import OwnerHoldings, OwnerLegacies
from reminder_worker.chain.types import BlockHeader
from reminder_worker.concurrency import run_together, split_batches
from reminder_worker.errors import ChainUnavailable
from reminder_worker.statistics.holdings import HoldingsReader
from reminder_worker.statistics.tables import sql

log = structlog.get_logger(__name__)

OWNERS_AT_ONCE: Final = 20_000
SLICE: Final = 2_500
MOST_UNREADABLE: Final = 16
LATE_SECONDS: Final = 2 * 86_400
"""A reading that is older is of an owner who was missed twice: the sum is not known."""


@dataclass(frozen=True, slots=True)
class TokenHoldings:
    """Sums of the last readings: ether in wei, and base units by token.

    `unreadable`: tokens that keep failing, whose amounts are unknown. `deleted`: the number of legacies that say they
    are no longer live. `never_read`, `late`: the numbers of owners without a reading, and without one of today's tokens
    in the last two days. Owners who are new in this time do not count.
    """

    wei: int
    amounts: Mapping[str, int]
    unreadable: frozenset[str]
    deleted: int
    never_read: int
    late: int


@dataclass(slots=True)
class OwnersRead:
    """Numbers of owners of a run: read, and kept with their last values."""

    read: int = 0
    kept: int = 0


@dataclass(frozen=True, slots=True)
class DueOwner:
    """An owner to read, with the amounts of the last reading as they are stored."""

    legacies: OwnerLegacies
    amounts: Mapping[str, str]

    def make_row(self, found: OwnerHoldings) -> dict[str, Any]:
        """Return the row of a reading. An unreadable token keeps its last amount."""
        unreadable = [token for token, amount in found.amounts.items() if amount is None]
        amounts = {token: str(amount) for token, amount in found.amounts.items() if amount is not None}
        amounts |= {token: self.amounts[token] for token in unreadable if token in self.amounts}
        return {
            "owner": self.legacies.owner,
            "legacies": len(self.legacies.legacies),
            "deleted": found.deleted,
            "wei": str(found.wei),
            "amounts": amounts,
            "unreadable": unreadable,
        }


async def read_due_owners(engine: AsyncEngine, chain: Chain, tokens: frozenset[str], block: BlockHeader) -> OwnersRead:
    """Read the owners who are due, in slices, and forget owners without a live legacy.

    Each slice is stored at once. If no slice of some thousands of owners succeeds, the rest waits for the next run.
    """
    given = {"chain": chain.chain_id, "asked": hash_tokens(tokens)}
    async with engine.begin() as connection:
        await connection.execute(sql["forget_owners"], given)
    readers: dict[Chain, HoldingsReader] = {}
    total, after = OwnersRead(), ""

    async def read(view: Chain, owners: Sequence[OwnerLegacies]) -> list[OwnerHoldings]:
        return await readers.setdefault(view, HoldingsReader(view, block, tokens)).read_owners(owners)

    async def refresh(due: Sequence[DueOwner]) -> int:
        """Return the number of owners that were read and stored."""
        owners = [each.legacies for each in due]
        try:
            found = await chain.agreed(lambda view: read(view, owners))
        except ChainUnavailable as error:
            log.warning("holdings_kept", chain_id=chain.chain_id, owners=len(due), error=str(error))
            return 0
        rows = [each.make_row(holdings) for each, holdings in zip(due, found, strict=True)]
        async with engine.begin() as connection:
            stored = {**given, "rows": json.dumps(rows), "now": block.timestamp}
            await connection.execute(sql["store_holdings"], stored)
        return len(rows)

    while due := await _find_due(engine, {**given, "after": after, "now": block.timestamp, "most": OWNERS_AT_ONCE}):
        done = sum(await run_together(*map(refresh, split_batches(due, SLICE))))
        total.read += done
        total.kept += len(due) - done
        after = due[-1].legacies.owner
        if not done:
            break
    return total


async def _find_due(engine: AsyncEngine, given: Mapping[str, Any]) -> list[DueOwner]:
    async with engine.connect() as connection:
        rows = (await connection.execute(sql["due_owners"], given)).all()
    return [
        DueOwner(OwnerLegacies(owner, tuple(zip(legacies, types, strict=True))), amounts or {})
        for owner, legacies, types, amounts in rows
    ]


def hash_tokens(tokens: Collection[str]) -> bytes:
    return sha256(" ".join(sorted(tokens)).encode()).digest()[:8]


async def sum_holdings(
    engine: AsyncEngine, chain_id: int, tokens: frozenset[str], valued: frozenset[str], now: int, *, is_agreed: bool
) -> TokenHoldings:
    """Return the sums over all owners, for these tokens. `now`: time of the snapshot's block, unix seconds.

    `valued`: tokens whose failures are told, too. `is_agreed`: a reading of other tokens is late.
    """
    given = {"chain": chain_id}
    of_tokens = {**given, "tokens": sorted(tokens)}
    told = {**given, "tokens": sorted(tokens | valued)}
    since = {**given, "since": now - LATE_SECONDS, "asked": hash_tokens(tokens) if is_agreed else None}
    async with engine.connect() as connection:
        wei, deleted, owners = (await connection.execute(sql["holding_totals"], given)).one()
        amounts = {token: int(amount) for token, amount in await connection.execute(sql["holding_tokens"], of_tokens)}
        failing = (await connection.execute(sql["unreadable_tokens"], told)).all()
        never_read, late = (await connection.execute(sql["late_owners"], since)).one()
    unreadable = frozenset(token for token, count in failing if count >= min(MOST_UNREADABLE, owners))
    known = {token: amount for token, amount in amounts.items() if token not in unreadable}
    return TokenHoldings(int(wei), known, unreadable, int(deleted), never_read, late)
