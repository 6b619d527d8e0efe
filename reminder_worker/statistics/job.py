"""Pass `statistics`: once an hour, write the aggregates of one chain to the table and to Parquet files.

Counts are of the block that the index has reached. Amounts of legacies are sums of readings of the last day, each of
one block. While its hour lasts, a snapshot is repeated if its block was reorganised out, or if a missing price has
arrived.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Final

import structlog
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts.premium import TokenWhiteList
from reminder_worker.chain.contracts.tokens import ETHER_METADATA, TokenMetadata, TokenReads
from reminder_worker.chain.types import BlockHeader
from reminder_worker.errors import ChainUnavailable
from reminder_worker.indexer import store as index_tables
from reminder_worker.indexer.chain_index import CURSOR
from reminder_worker.statistics import snapshots
from reminder_worker.statistics.file_store import FileStore
from reminder_worker.statistics.prices import (
    ETHER,
    SecuredToken,
    find_current_prices,
    sum_values,
    value_amount,
    value_tokens,
)
from reminder_worker.statistics.snapshots import StatisticsSnapshot

if TYPE_CHECKING:
    from reminder_worker.statistics.aggregates import IndexRows
    from reminder_worker.statistics.owner_holdings import OwnersRead, TokenHoldings

log = structlog.get_logger(__name__)

NOT_AT_THE_HEAD: Final = "the index has first to reach the head"


@dataclass(frozen=True, slots=True)
class StatisticsReport:
    """Result of a run; `unreadable` tokens (public contracts) failed too often to be counted.

    `owners_read`: number of owners that were read in this run. `owners_kept`: number of owners with their last amounts,
    because no two endpoints agreed.
    """

    block_number: int
    legacies: int
    timelocks: int
    tokens: int
    value_secured_usd: float | None
    without_value: list[str]
    unreadable: list[str]
    days_written: int
    owners_read: int
    owners_kept: int


@dataclass(frozen=True, slots=True)
class ListedTokens:
    """Tokens on the white list, and the metadata of these and of tokens with a price feed.

    `is_agreed`: two endpoints say so now.
    """

    tokens: frozenset[str]
    metadata: Mapping[str, TokenMetadata | None]
    is_agreed: bool


class StatisticsPass:
    """Pass `statistics` of one chain; `store` gets the Parquet files."""

    def __init__(self, engine: AsyncEngine, chain: Chain, store: FileStore) -> None:
        self._engine = engine
        self._chain = chain
        self._store = store

    async def poll(self) -> bool:
        """Return whether the hour of the index's block needs a snapshot.

        It does if there is none, if its block was reorganised out, or if a missing value is available now.
        """
        block = await self._find_index_block()
        if block is None:
            return False
        newest = await snapshots.find_newest_snapshot(self._engine, self._chain.chain_id)
        if newest is not None and newest.hour >= snapshots.start_of_hour(block.timestamp):
            if newest.block_number > block.number:
                # The index was reset and will reach that block again, unless the chain itself lost the block.
                return await self._is_at_head(block, below=newest.block_number)
            known = await self._chain.get_block(newest.block_number)
            if known is None:
                return False
            if known.hash != newest.block_hash:
                return True
            if not await self._can_value_more(newest):
                return False
        return await self._is_at_head(block)

    async def run(self) -> StatisticsReport | dict[str, str]:
        """Take the snapshot of this hour. Return the reason in words while the index is far behind.

        The row is written last: until then the hour counts as open. Raises `ChainUnavailable`, and `OSError` if the
        folder cannot be written.
        """
        from reminder_worker.statistics import aggregates, files
        from reminder_worker.statistics.aggregates import read_rows
        from reminder_worker.statistics.owner_holdings import OwnersRead, read_due_owners, sum_holdings

        if not await self.is_current():
            return {"taken": f"nothing: {NOT_AT_THE_HEAD}"}
        listed = ListedTokens(frozenset(), {}, is_agreed=False)
        with_feed = frozenset(feed.token for feed in self._chain.settings.price_feeds)

        async def tokens_at(block_hash: str) -> frozenset[str]:
            nonlocal listed
            listed = await self._read_tokens(block_hash, with_feed)
            return listed.tokens | with_feed

        rows = await read_rows(self._engine, self._chain.settings, tokens_at)
        block = await self._chain.get_block_by_hash(rows.at.hash)
        if block is None:
            raise ChainUnavailable("the block that the index is at is not on the chain")
        owners = OwnersRead()
        if listed.is_agreed:
            owners = await read_due_owners(self._engine, self._chain, listed.tokens, block)
        holdings = await sum_holdings(
            self._engine, self._chain.chain_id, listed.tokens, with_feed, block.timestamp, is_agreed=listed.is_agreed
        )
        if holdings.never_read:  # as after the update that brought the table, while an endpoint is silent
            raise ChainUnavailable(f"{holdings.never_read} owners of chain {self._chain.chain_id} were never read")
        found = await self._value_all(rows, holdings, listed.metadata)
        is_known = not (holdings.late or holdings.unreadable & with_feed)
        snapshot = StatisticsSnapshot(
            chain_id=self._chain.chain_id,
            hour=snapshots.start_of_hour(block.timestamp),
            block_number=block.number,
            block_hash=block.hash,
            block_time=block.timestamp,
            counts=aggregates.count_by_state(rows.legacies, rows.timelocks, holdings.deleted),
            tokens=[each.as_json() for each in found],
            value_secured_usd=sum_values(found, with_feed) if is_known else None,
        )
        before = await self._find_last_on_chain(snapshot.hour)
        await asyncio.to_thread(files.write_snapshot_files, self._store, snapshot)
        series = aggregates.count_by_day(rows.legacies, rows.timelocks)
        last_run = before.day if before else None
        due = await asyncio.to_thread(
            files.find_days_to_write, self._store, self._chain.chain_id, series, last_run, snapshot.day
        )
        settings = self._chain.settings
        await files.write_series(self._engine, self._store, settings, rows.legacies, series, due, snapshot)
        await snapshots.save_snapshot(self._engine, snapshot)
        await self._delete_invented(snapshot)
        return _make_report(snapshot, found, holdings, owners, len(due))

    async def is_current(self) -> bool:
        """Return whether the index is at most a quarter of an hour behind: before that, days are not complete."""
        block = await self._find_index_block()
        return block is not None and await self._is_at_head(block)

    async def _find_index_block(self) -> BlockHeader | None:
        """Return the index's block, or None before its first block and after a reorganisation."""
        async with self._engine.connect() as connection:
            cursor = await index_tables.read_cursor(connection, self._chain.chain_id, CURSOR)
        return None if cursor is None or cursor.number < 0 else await self._chain.get_block_by_hash(cursor.hash)

    async def _is_at_head(self, block: BlockHeader, below: int | None = None) -> bool:
        """Return whether the block is close to the head; with `below`, also whether the head is below that number."""
        head = await self._chain.get_known_block("latest")
        if head is None or (below is not None and head.number >= below):
            return False
        return head.timestamp - block.timestamp <= 900

    async def _find_last_on_chain(self, hour: datetime) -> StatisticsSnapshot | None:
        """Return the newest snapshot up to this hour whose block is on the chain.

        A snapshot at a block that an endpoint invented for a future day does not count: the files of all days until
        then were written too early.
        """
        for each in await snapshots.find_recent_snapshots(self._engine, self._chain.chain_id, 24, until=hour):
            if await self._chain.has_block(each.block_number, each.block_hash):
                return each
        return None

    async def _delete_invented(self, taken: StatisticsSnapshot) -> None:
        """Delete snapshots of later hours whose blocks are not on the chain; `/stats` would show them as the newest."""
        from reminder_worker.statistics import files

        for each in await snapshots.find_later_snapshots(self._engine, taken.chain_id, taken.hour):
            if not await self._chain.has_block(each.block_number, each.block_hash):
                await asyncio.to_thread(files.delete_snapshot_files, self._store, each, taken.day)
                await snapshots.delete_snapshot(self._engine, each)

    async def _read_tokens(self, block_hash: str, with_feed: frozenset[str]) -> ListedTokens:
        """Return the tokens that count. If no two endpoints agree about them, those of the last snapshot count."""

        async def read(view: Chain) -> tuple[frozenset[str], dict[str, TokenMetadata | None]]:
            tokens = await TokenWhiteList(view).read_tokens(at=block_hash)
            named = sorted((tokens | with_feed) - {ETHER})
            return tokens, await TokenReads(view).read_metadata(named, at=block_hash)

        try:
            tokens, metadata = await self._chain.agreed(read)
            return ListedTokens(tokens, metadata, is_agreed=True)
        except ChainUnavailable:
            last = await snapshots.find_newest_snapshot(self._engine, self._chain.chain_id)
            if last is None:
                raise
        log.warning("tokens_kept", chain_id=self._chain.chain_id)
        before = {each["token"]: each for each in last.tokens if each["decimals"] is not None}
        metadata = {token: TokenMetadata(each["symbol"], each["decimals"]) for token, each in before.items()}
        return ListedTokens(frozenset(each["token"] for each in last.tokens), metadata, is_agreed=False)

    async def _value_all(
        self, rows: "IndexRows", holdings: "TokenHoldings", metadata: Mapping[str, TokenMetadata | None]
    ) -> list[SecuredToken]:
        """Return amounts of legacies and timelocks together, valued at fresh prices."""
        from reminder_worker.statistics import aggregates

        readable = {token: amount for token, amount in rows.locked.items() if token not in holdings.unreadable}
        amounts = aggregates.add_amounts(readable, holdings.amounts, {ETHER: holdings.wei})
        known = {**dict.fromkeys(amounts), **metadata, ETHER: ETHER_METADATA}
        return value_tokens(amounts, known, await self._fresh_prices())

    async def _can_value_more(self, taken: StatisticsSnapshot) -> bool:
        """Return whether a token without a value would get one now; an absurd amount never does."""
        lacking = [token for token in taken.tokens if token["usd"] is None and token["decimals"] is not None]
        prices = await self._fresh_prices() if lacking else {}
        for token in lacking:
            if value_amount(int(token["amount"]), token["decimals"], prices.get(token["token"])) is not None:
                return True
        return False

    async def _fresh_prices(self) -> dict[str, Decimal]:
        prices = await find_current_prices(self._engine, self._chain.settings)
        return {token: price.usd for token, price in prices.items() if not price.stale}


def _make_report(
    snapshot: StatisticsSnapshot,
    found: list[SecuredToken],
    holdings: "TokenHoldings",
    owners: "OwnersRead",
    days: int,
) -> StatisticsReport:
    if holdings.unreadable:
        log.warning("tokens_unreadable", chain_id=snapshot.chain_id, tokens=sorted(holdings.unreadable))
    counts, value = snapshot.counts, snapshot.value_secured_usd
    return StatisticsReport(
        block_number=snapshot.block_number,
        legacies=counts["legacies"]["total"],
        timelocks=counts["timelocks"]["total"],
        tokens=len(found),
        value_secured_usd=None if value is None else float(value),
        without_value=[each.symbol or each.token for each in found if each.usd is None],
        unreadable=sorted(holdings.unreadable),
        days_written=days,
        owners_read=owners.read,
        owners_kept=owners.kept,
    )
