"""The pass: once an hour the aggregates of one chain, all of one block, into the table and into Parquet.

The block is the one the index is at, so that what the index says and what the chain says are of the same moment. A
snapshot whose block a reorganisation took back is taken anew while its hour lasts, and so is one that lacked a price
which is there now.
"""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Final

import structlog
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.chain.client import BlockHeader, Chain
from reminder_worker.chain.contracts.premium import TokenWhiteList
from reminder_worker.chain.contracts.tokens import ETHER_METADATA, TokenReads
from reminder_worker.errors import ChainUnavailable
from reminder_worker.indexer import store as index_tables
from reminder_worker.indexer.chain_index import CURSOR
from reminder_worker.statistics import store
from reminder_worker.statistics.prices import ETHER, current_prices
from reminder_worker.statistics.store import Snapshot
from reminder_worker.statistics.valuation import Secured, secured, total, worth

if TYPE_CHECKING:
    from reminder_worker.statistics.holdings import Holdings
    from reminder_worker.statistics.index_rows import IndexRows

log = structlog.get_logger(__name__)

MOST_BEHIND_SECONDS: Final = 900  # an index that is further behind the head is left to catch up first
HOURS_LOOKED_BACK: Final = 24  # for a snapshot whose block is on the chain; without one all days are written
NOT_AT_THE_HEAD: Final = "the index has first to reach the head"


@dataclass(frozen=True, slots=True)
class Taken:
    """What a run of the pass found; `unreadable` tokens (public contracts) failed too often to be counted."""

    block_number: int
    legacies: int
    timelocks: int
    tokens: int
    value_secured_usd: float | None
    without_value: list[str]
    unreadable: list[str]
    days_written: int


class Statistics:
    """Of one chain. `folder`: where the Parquet goes."""

    def __init__(self, engine: AsyncEngine, chain: Chain, folder: Path) -> None:
        self._engine = engine
        self._chain = chain
        self._folder = folder

    async def look(self) -> bool:
        """Whether the hour of the index's block has no snapshot, one of a block that is no longer on the chain, or one
        without a value that can be had now."""
        block = await self._block_of_index()
        if block is None:
            return False
        newest = await store.newest(self._engine, self._chain.chain_id)
        if newest is not None and newest.hour >= store.hour_of(block.timestamp):
            if newest.block_number > block.number:
                # The index was taken back and will reach that block again, unless the chain itself does not have it.
                return await self._is_at_the_head(block, below=newest.block_number)
            known = await self._chain.block(newest.block_number)
            if known is None:
                return False
            if known.hash != newest.block_hash:
                return True
            if not await self._lacked_a_price_of_now(newest):
                return False
        return await self._is_at_the_head(block)

    async def run(self) -> Taken | None:
        """None while the index is far behind: a run that one chain calls for serves all of them.

        The table has the snapshot last: until all is written, its hour is open. Raises `ChainUnavailable`, and
        `OSError` when the folder cannot be written.
        """
        from reminder_worker.statistics import aggregates, days, files
        from reminder_worker.statistics.holdings import read_holdings
        from reminder_worker.statistics.index_rows import read_rows

        if not await self.is_current():
            return None
        tokens: frozenset[str] = frozenset()
        with_feed = frozenset(feed.token for feed in self._chain.settings.price_feeds)

        async def tokens_at(block_hash: str) -> frozenset[str]:
            nonlocal tokens
            tokens = await TokenWhiteList(self._chain).tokens(at=block_hash)
            return tokens | with_feed

        rows = await read_rows(self._engine, self._chain.settings, tokens_at)
        block = await self._chain.block_by_hash(rows.at.hash)
        if block is None:
            raise ChainUnavailable("the block that the index is at is not on the chain")
        holdings = await read_holdings(self._chain, rows.live, tokens, block)
        found = await self._valued(rows, holdings, block)
        snapshot = Snapshot(
            chain_id=self._chain.chain_id,
            hour=store.hour_of(block.timestamp),
            block_number=block.number,
            block_hash=block.hash,
            block_time=block.timestamp,
            counts=aggregates.counts(rows.legacies, rows.timelocks, holdings.deleted),
            tokens=[each.as_json() for each in found],
            value_secured_usd=None if holdings.unreadable & with_feed else total(found, with_feed),
        )
        before = await self._last_on_the_chain(snapshot.hour)
        files.write_snapshot(self._folder, snapshot)
        series = aggregates.daily(rows.legacies, rows.timelocks)
        last_run = before.day if before else None
        due = days.to_write(self._folder, self._chain.chain_id, series, last_run, snapshot.day)
        await days.write_series(self._engine, self._folder, self._chain.chain_id, series, due, snapshot)
        await store.save(self._engine, snapshot)
        await self._forget_those_off_the_chain(snapshot)
        return _taken(snapshot, found, holdings, len(due))

    async def is_current(self) -> bool:
        """Whether the index is at the head, or nearly so: before that, days are not complete."""
        block = await self._block_of_index()
        return block is not None and await self._is_at_the_head(block)

    async def _block_of_index(self) -> BlockHeader | None:
        """None before the index read a block, and after a reorganisation took its block back."""
        async with self._engine.connect() as connection:
            cursor = await index_tables.read_cursor(connection, self._chain.chain_id, CURSOR)
        return None if cursor is None or cursor.number < 0 else await self._chain.block_by_hash(cursor.hash)

    async def _is_at_the_head(self, block: BlockHeader, below: int | None = None) -> bool:
        """Whether the block is not long before the head; with `below`, also that the head is below that number."""
        head = await self._chain.block("latest")
        if head is None or (below is not None and head.number >= below):
            return False
        return head.timestamp - block.timestamp <= MOST_BEHIND_SECONDS

    async def _last_on_the_chain(self, hour: datetime) -> Snapshot | None:
        """The newest snapshot, of this hour or before, whose block is on the chain. One of a future day, by a block
        that an endpoint invented, does not count: with it the files of all days until then were written too early."""
        for each in await store.recent(self._engine, self._chain.chain_id, HOURS_LOOKED_BACK, until=hour):
            if await self._chain.has_block(each.block_number, each.block_hash):
                return each
        return None

    async def _forget_those_off_the_chain(self, taken: Snapshot) -> None:
        """Forget snapshots of later hours whose blocks are not on the chain: an endpoint invented them, or a
        development chain was rolled back. `/stats` would tell them, as the newest."""
        from reminder_worker.statistics import files

        for each in await store.later_than(self._engine, taken.chain_id, taken.hour):
            if not await self._chain.has_block(each.block_number, each.block_hash):
                files.forget_snapshot(self._folder, each, taken.day)
                await store.forget(self._engine, each)

    async def _valued(self, rows: "IndexRows", holdings: "Holdings", block: BlockHeader) -> list[Secured]:
        """What legacies and timelocks secure together, priced as far as there are fresh prices."""
        from reminder_worker.statistics import aggregates

        readable = {token: amount for token, amount in rows.locked.items() if token not in holdings.unreadable}
        amounts = aggregates.added(readable, holdings.amounts, {ETHER: holdings.wei})
        metadata = await TokenReads(self._chain).metadata([token for token in amounts if token != ETHER], at=block.hash)
        return secured(amounts, {**metadata, ETHER: ETHER_METADATA}, await self._fresh_prices())

    async def _lacked_a_price_of_now(self, taken: Snapshot) -> bool:
        """Whether a token without a value would have one now. A price alone does not give one: of an amount that is
        absurd there is none."""
        lacking = [each for each in taken.tokens if each["usd"] is None and each["decimals"] is not None]
        prices = await self._fresh_prices() if lacking else {}
        values = [worth(int(each["amount"]), each["decimals"], prices.get(each["token"])) for each in lacking]
        return any(value is not None for value in values)

    async def _fresh_prices(self) -> dict[str, Decimal]:
        prices = await current_prices(self._engine, self._chain.settings)
        return {token: price.usd for token, price in prices.items() if not price.stale}


def _taken(snapshot: Snapshot, found: list[Secured], holdings: "Holdings", days: int) -> Taken:
    if holdings.unreadable:
        log.warning("tokens_unreadable", chain_id=snapshot.chain_id, tokens=sorted(holdings.unreadable))
    counts, value = snapshot.counts, snapshot.value_secured_usd
    return Taken(
        block_number=snapshot.block_number,
        legacies=counts["legacies"]["total"],
        timelocks=counts["timelocks"]["total"],
        tokens=len(found),
        value_secured_usd=None if value is None else float(value),
        without_value=[each.symbol or each.token for each in found if each.usd is None],
        unreadable=sorted(holdings.unreadable),
        days_written=days,
    )
