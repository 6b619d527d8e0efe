"""The event pass: store notify signals of the answering indexer in `notify_signal`, each once.

Both sources share one cursor. Every poll reads the last blocks again, so that a change of the source skips nothing;
the transaction identifies a signal, so nothing is stored twice. After a reorganisation all signals young enough for an
email are read again.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.chain.types import BlockHeader
from reminder_worker.errors import ChainUnavailable, IndexIsEmpty
from reminder_worker.indexer.models import EventIndexer, IndexHead, NotifySignal
from reminder_worker.indexer.selector import IndexerSelector
from reminder_worker.indexer.store import IndexCursor, any_of, move_cursor, read_cursor
from reminder_worker.indexer.tables import index_cursor
from reminder_worker.reminders.tables import notify_signal

CURSOR = "signals"


@dataclass(frozen=True, slots=True)
class SignalReport:
    """Signals stored from blocks first to last (None: nothing to read). `more`: the time was up."""

    first_block: int | None = None
    last_block: int | None = None
    new: int = 0
    too_old: int = 0
    source: str | None = None
    more: bool = False


@dataclass(frozen=True, slots=True)
class _SignalBatch:
    """Next block range: from cursor `old` to `new`, with the signals that are not stored yet."""

    old: IndexCursor
    new: IndexCursor
    first: int
    oldest_time: int
    source: str
    fresh: tuple[NotifySignal, ...]

    def is_too_old(self, signal: NotifySignal) -> bool:
        return signal.block_time < self.oldest_time


class SignalPass:
    """Event pass of one chain. A signal older than `max_age_seconds` of chain time is stored as too old."""

    def __init__(self, engine: AsyncEngine, chain: Chain, indexers: IndexerSelector, max_age_seconds: int) -> None:
        self._engine = engine
        self._chain = chain
        self._indexers = indexers
        self._max_age = max_age_seconds

    async def poll(self) -> bool:
        """Return whether there are signals to store; moves the cursor over blocks without. Raises `Unavailable`."""
        step = await self._read_next_range(await self._chain.get_known_block(self._chain.settings.signal_block))
        if step is None:
            return False
        if step.fresh:
            return True
        await self._store_range(step)
        return False

    async def run(self, budget_seconds: float = 60.0) -> SignalReport:
        """Store signals range by range; the cursor moves in the same transaction. Raises `Unavailable`."""
        ends = time.monotonic() + budget_seconds
        report, which = SignalReport(), self._chain.settings.signal_block
        while True:
            step = await self._read_next_range(await self._chain.get_block(which))
            if step is None:
                return report
            if time.monotonic() >= ends:
                return replace(report, more=True)
            if not await self._store_range(step):
                return report  # another run works
            too_old = sum(map(step.is_too_old, step.fresh))
            report = replace(
                report,
                first_block=step.first if report.first_block is None else min(report.first_block, step.first),
                last_block=step.new.number,
                new=report.new + len(step.fresh) - too_old,
                too_old=report.too_old + too_old,
                source=step.source,
            )

    async def ask_again(self) -> None:
        """Delete the cursor: the next run reads all young signals again, as after a reorganisation or `backfill`."""
        statement = delete(index_cursor).filter_by(chain_id=self._chain.chain_id, name=CURSOR)
        async with self._engine.begin() as connection:
            await connection.execute(statement)

    async def _read_next_range(self, head: BlockHeader | None) -> _SignalBatch | None:
        """Return the next range up to `head`, or None if nothing is above the cursor."""
        async with self._engine.connect() as connection:
            cursor = await read_cursor(connection, self._chain.chain_id, CURSOR)
        if head is None:
            which = self._chain.settings.signal_block
            raise ChainUnavailable(f"no endpoint of chain {self._chain.chain_id} has a {which} block")
        if cursor is not None and head.number < cursor.number:
            return None
        oldest_time = head.timestamp - self._max_age
        reorganised = cursor is not None and await self._is_reorganised(cursor, head)
        if cursor is None or reorganised:
            first = await self._chain.find_first_block_since(oldest_time, head.number)
            read = first - 1
        elif head.number == cursor.number:
            return None
        else:
            first = max(self._chain.settings.start_block, cursor.number + 1 - 64)
            read = cursor.number

        async def ask_source(indexer: EventIndexer, at: IndexHead) -> _SignalBatch | None:
            last = min(head.number, at.number, read + 20_000)  # blocks in one transaction
            if last <= read:
                return None  # the source lags: the cursor waits
            if reorganised and not await self._chain.has_block(at.number, at.hash):
                return None  # the source is still on the replaced fork
            signals = await indexer.read_signals(first, last, at)
            place = await self._make_cursor(last, head, at)
            old = cursor or replace(place, stored=False)
            return _SignalBatch(old, place, first, oldest_time, indexer.name, await self._select_fresh(signals))

        try:
            return await self._indexers.ask_indexer(ask_source)
        except IndexIsEmpty:
            return None  # as with a lagging source

    async def _is_reorganised(self, cursor: IndexCursor, head: BlockHeader) -> bool:
        """Return whether another block replaced the cursor's. A missing block proves nothing: the node may lag."""
        if head.number == cursor.number:
            return head.hash != cursor.hash
        return await self._chain.has_block(cursor.number, cursor.hash) is False

    async def _make_cursor(self, number: int, head: BlockHeader, at: IndexHead) -> IndexCursor:
        """Return the cursor at the last block read, with its hash."""
        if number == head.number:
            return IndexCursor(number, head.hash)
        if number == at.number:
            return IndexCursor(number, at.hash)
        return IndexCursor(number, (await self._chain.get_block_at(number)).hash)

    async def _select_fresh(self, signals: Sequence[NotifySignal]) -> tuple[NotifySignal, ...]:
        """Return signals that are not stored, or stored with another block and still waiting."""
        by_key = {(each.tx_hash, each.legacy, int(each.kind), each.layer): each for each in signals}
        if not by_key:
            return ()
        table = notify_signal.c
        columns = table.tx_hash, table.legacy, table.kind, table.layer, table.block_number, table.state
        statement = select(*columns).where(
            table.chain_id == self._chain.chain_id, table.tx_hash == any_of({key[0] for key in by_key})
        )
        async with self._engine.connect() as connection:
            stored = {tuple(row[:4]): row for row in await connection.execute(statement)}
        fresh = []
        for key, signal in by_key.items():
            row = stored.get(key)
            if row is None or (row.state == "new" and row.block_number != signal.block_number):
                fresh.append(signal)
        return tuple(fresh)

    async def _store_range(self, step: _SignalBatch) -> bool:
        """Store a range. A transaction moved to another block updates its signal.

        Return False if another run moved the cursor meanwhile.
        """
        async with self._engine.begin() as connection:
            if not await move_cursor(connection, self._chain.chain_id, CURSOR, step.old, step.new, step.source):
                return False
            rows = [_make_signal_row(self._chain.chain_id, signal, step.is_too_old(signal)) for signal in step.fresh]
            if rows:
                statement = insert(notify_signal)
                statement = statement.on_conflict_do_update(
                    index_elements=[column.name for column in notify_signal.primary_key],
                    set_={name: statement.excluded[name] for name in ("block_number", "block_time")},
                    where=notify_signal.c.state == "new",
                )
                await connection.execute(statement, rows)
        return True


def _make_signal_row(chain_id: int, signal: NotifySignal, too_old: bool) -> dict[str, Any]:
    return {
        "chain_id": chain_id,
        "tx_hash": signal.tx_hash,
        "legacy": signal.legacy,
        "kind": int(signal.kind),
        "layer": signal.layer,
        "creator": signal.creator,
        "block_number": signal.block_number,
        "block_time": signal.block_time,
        "state": "too_old" if too_old else "new",
    }
