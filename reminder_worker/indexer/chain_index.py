"""Our own index: what the chain's logs say, in our tables. Always kept warm; answers when no subgraph does."""

import time
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import structlog
from sqlalchemy import Row, Table
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.chain.client import Chain, Log
from reminder_worker.chain.events import emitters
from reminder_worker.chain.logs import FIRST_BLOCKS
from reminder_worker.database.engine import through_deadlocks
from reminder_worker.errors import ChainUnavailable, IndexerUnavailable, IndexIsEmpty, Refused
from reminder_worker.indexer import store as rows
from reminder_worker.indexer import tables
from reminder_worker.indexer.decoding import Decoded, decode_logs
from reminder_worker.indexer.from_rows import config_of, signal_of, timelock_of
from reminder_worker.indexer.log_reader import NO_HASH, NothingNew, Reorganised, Slice, Unsettled, read_slice
from reminder_worker.indexer.models import (
    IndexHead,
    NotifySignal,
    ReminderConfig,
    Timelock,
)
from reminder_worker.indexer.projection import NOTIFY, OF_A_CREATOR, OF_A_LEGACY, ChainEvent
from reminder_worker.indexer.store import Cursor

log = structlog.get_logger(__name__)

CURSOR = "index"
TOUCHED_CURSOR = "horizon"  # the cursor of the due pass, which asks `touched_since`: taken back with the events
BUDGET_SECONDS = 90.0  # a run stays under 120 seconds
BLOCKS_AT_ONCE = 50

Stopped = Literal["at_head", "budget", "node_behind", "moved_by_another", "unsettled"]


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """What a run of the pass did. `skipped`: logs that could not be decoded; `rewound_to`: by a reorganisation."""

    first_block: int
    last_block: int
    head: int | None = None
    events: int = 0
    skipped: int = 0
    rewound_to: int | None = None
    stopped: Stopped = "budget"

    @property
    def more(self) -> bool:
        """Whether there is more to read now."""
        return self.stopped in ("budget", "unsettled")

    def read(self, found: Slice, decoded: Decoded) -> Self:
        return replace(
            self,
            last_block=found.last.number,
            head=found.head,
            events=self.events + len(decoded.events),
            skipped=self.skipped + decoded.skipped,
        )


@dataclass(frozen=True, slots=True)
class Touched:
    """Whose reminder windows may have come nearer, with the block time of the newest event that says so."""

    legacies: Mapping[str, int]
    creators: Mapping[str, int]


class ChainIndex:
    """An `Indexer`, and the pass that feeds it.

    Answers are of the newest state at or after `at`: the tables keep no history. An answer from before `at` (they were
    taken back by a reorganisation since) is refused with `IndexerUnavailable`.
    """

    name = "chain_index"

    def __init__(self, engine: AsyncEngine, chain: Chain) -> None:
        self._engine = engine
        self._chain = chain
        self._says = emitters(chain.settings)

    # -- the pass ---------------------------------------------------------------------------------

    async def look(self) -> bool:
        """Whether there are logs to store. A short range without any is passed over here, so that no run is started."""
        cursor = await self._cursor()
        found = await read_slice(self._chain, self._says, cursor, FIRST_BLOCKS)
        if isinstance(found, NothingNew):
            return False
        if not isinstance(found, Slice) or found.last.number < found.head:
            return True
        if decode_logs(self._chain.settings, self._says, await self._fresh(found, cursor)).events:
            return True
        await self._store(cursor, found.last, [])
        return False

    async def advance(self, budget_seconds: float = BUDGET_SECONDS) -> IndexProgress:
        """Read on to the head, slice by slice, each with its rows and the cursor in one transaction.

        Of several that advance at once one writes each slice and the others stop. Raises `ChainUnavailable`.
        """
        ends = time.monotonic() + budget_seconds
        cursor = await self._cursor()
        progress = IndexProgress(cursor.number + 1, cursor.number)
        most = FIRST_BLOCKS
        while time.monotonic() < ends:
            found = await read_slice(self._chain, self._says, cursor, most)
            most = self._chain.log_ranges.at_once
            if isinstance(found, NothingNew):
                stopped: Stopped = "at_head" if found.head == cursor.number else "node_behind"
                return replace(progress, head=found.head, stopped=stopped)
            if isinstance(found, Unsettled):
                return replace(progress, stopped="unsettled")
            if isinstance(found, Reorganised):
                place = await self._common_ancestor(cursor)
                forgotten = await self._rewind(cursor, place)
                moved = forgotten is not None
                if moved:
                    log.warning("index_rewound", chain_id=self._chain.chain_id, block=place.number, events=forgotten)
                after = replace(progress, last_block=place.number, rewound_to=place.number)
            else:
                place = found.last
                fresh = await self._fresh(found, cursor)
                # A log that came late may be a legacy's creation. Events of that legacy may be stored without its
                # address then, so all of the slice is decoded again.
                late = any(log.block_number <= cursor.number for log, _ in fresh)
                decoded = await self._decode(found.logs if late else fresh)
                moved = await self._store(cursor, place, decoded.events)
                after = progress.read(found, decoded)
            if not moved:
                return replace(progress, stopped="moved_by_another")
            cursor, progress = place, after
        return progress

    async def rewind_to(self, first_block: int) -> None:
        """Forget `first_block` and all after it, for the pass to read again (`backfill`).

        Raises `ChainUnavailable`, and `Refused` for a block that was not read yet or cannot be read again.
        """
        cursor = await self._cursor()
        first_block = max(first_block, self._chain.settings.start_block)  # before it there is nothing of ours
        if first_block > cursor.number + 1:
            raise Refused(f"the index is at block {cursor.number}: it has not read block {first_block} yet")
        if first_block > cursor.number:
            return
        if await self._chain.has_pruned(first_block):
            raise Refused(f"no endpoint has the logs of block {first_block} any more: add an archive endpoint first")
        forgotten = await self._rewind(cursor, await self._place(first_block - 1))
        if forgotten is None:
            raise IndexerUnavailable("the index moved meanwhile: try again")
        log.info("index_read_again", chain_id=self._chain.chain_id, first_block=first_block, events=forgotten)

    async def touched_since(self, first_block: int, last_block: int) -> Touched:
        """The legacies and creators of whom an event in blocks first..last can open a window earlier (`OF_A_LEGACY`,
        `OF_A_CREATOR`)."""
        async with self._engine.connect() as connection:
            names = OF_A_LEGACY | OF_A_CREATOR
            events = await rows.select_events(connection, self._chain.chain_id, names, first_block, last_block)
        return Touched(
            legacies={e.legacy: e.block_time for e in events if e.legacy and e.name in OF_A_LEGACY},
            creators={e.creator: e.block_time for e in events if e.creator and e.name in OF_A_CREATOR},
        )

    # -- the questions ----------------------------------------------------------------------------

    async def head(self) -> IndexHead:
        async with self._engine.connect() as connection:
            cursor = await rows.read_cursor(connection, self._chain.chain_id, CURSOR)
        if cursor is None:
            raise IndexIsEmpty("our index has not read a block yet")
        return IndexHead(cursor.number, cursor.hash)

    async def signals(self, first_block: int, last_block: int, at: IndexHead) -> list[NotifySignal]:
        async with self._state(at) as connection:
            last = min(last_block, at.number)
            events = await rows.select_events(connection, self._chain.chain_id, {NOTIFY}, first_block, last)
        return [signal for event in events if (signal := signal_of(event)) is not None]

    async def reminder_configs(self, legacies: Collection[str], at: IndexHead) -> dict[str, ReminderConfig]:
        found = await self._rows(tables.reminder_config, legacies, at)
        return {row.legacy: config_of(row._asdict()) for row in found}

    async def timelocks(self, ids: Collection[int], at: IndexHead) -> dict[int, Timelock]:
        found = await self._rows(tables.timelock, ids, at)
        return {row.timelock_id: timelock_of(row) for row in found}

    async def gifts_of(self, recipient: str, at: IndexHead, vault: str, tokens: Collection[str]) -> list[Timelock]:
        async with self._state(at) as connection:
            found = await rows.live_gifts(connection, self._chain.chain_id, recipient.lower(), vault, tokens)
        return [timelock_of(row) for row in found]

    # -- inner ------------------------------------------------------------------------------------

    async def _rows(self, table: Table, keys: Collection[Any], at: IndexHead) -> Sequence[Row[Any]]:
        async with self._state(at) as connection:
            return await rows.select_rows(connection, table, self._chain.chain_id, keys)

    @asynccontextmanager
    async def _state(self, at: IndexHead) -> AsyncIterator[AsyncConnection]:
        """One snapshot of the tables, which has to hold all that `at` had."""
        async with self._engine.connect() as connection:
            await connection.execution_options(isolation_level="REPEATABLE READ")
            cursor = await rows.read_cursor(connection, self._chain.chain_id, CURSOR)
            if cursor is None or cursor.number < at.number or _another_fork(cursor, at):
                raise IndexerUnavailable("our index was taken back by a reorganisation: ask again")
            yield connection

    async def _cursor(self) -> Cursor:
        async with self._engine.connect() as connection:
            stored = await rows.read_cursor(connection, self._chain.chain_id, CURSOR)
        return stored or replace(await self._place(self._chain.settings.start_block - 1), stored=False)

    async def _place(self, number: int) -> Cursor:
        """A block to read on from; -1 when the chain is to be read whole."""
        if number < 0:
            return Cursor(-1, NO_HASH)
        block = await self._chain.block_at(number)
        return Cursor(block.number, block.hash)

    async def _fresh(self, found: Slice, cursor: Cursor) -> list[tuple[Log, int]]:
        """The logs that are not stored yet. Some blocks below the cursor are read again each time, and most of their
        logs are stored."""
        again = [log for log, _ in found.logs if log.block_number <= cursor.number]
        if not again:
            return list(found.logs)
        async with self._engine.connect() as connection:
            known = await rows.known_logs(connection, self._chain.chain_id, found.first, cursor.number)
        return [(log, time) for log, time in found.logs if (log.block_number, log.log_index) not in known]

    async def _decode(self, logs: Sequence[tuple[Log, int]]) -> Decoded:
        """Events with their legacies: the routers name them by id, so those made earlier are looked up."""
        decoded = decode_logs(self._chain.settings, self._says, logs)
        known: dict[tuple[str, int], str] = {}
        async with self._engine.connect() as connection:
            for router, ids in decoded.unnamed_ids().items():
                found = await rows.legacies_by_id(connection, self._chain.chain_id, router, ids)
                known |= {(router, number): address for number, address in found.items()}
        return decoded.named(known)

    async def _store(self, old: Cursor, new: Cursor, events: Sequence[ChainEvent]) -> bool:
        async with self._engine.begin() as connection:
            if not await rows.move_cursor(connection, self._chain.chain_id, CURSOR, old, new, self.name):
                return False
            await rows.add_events(connection, self._chain.chain_id, events)
            await rows.refold(connection, self._chain.chain_id, events)
        return True

    async def _rewind(self, old: Cursor, new: Cursor) -> int | None:
        """How many events were forgotten; None when another moved the index meanwhile."""
        chain_id = self._chain.chain_id

        async def rewind() -> int | None:
            async with self._engine.begin() as connection:
                if not await rows.move_cursor(connection, chain_id, CURSOR, old, new, self.name):
                    return None
                forgotten = await rows.forget_after(connection, chain_id, new.number)
                await rows.take_cursor_back(connection, chain_id, TOUCHED_CURSOR, new)
                # What is not mined again no later event tells of, and a window that it closed is open.
                legacies = {event.legacy for event in forgotten if event.legacy}
                creators = {event.creator for event in forgotten if event.creator and not event.legacy}
                await rows.ask_now(connection, chain_id, legacies, creators)
            return len(forgotten)

        return await through_deadlocks(rewind)

    async def _common_ancestor(self, cursor: Cursor) -> Cursor:
        """The newest block of which we hold an event and which the chain still has, or the beginning.

        A hash stands for all blocks below it, so nothing has to be known of what is final, which a node that was just
        started does not know. Raises `ChainUnavailable` where no node has one of our blocks at the moment: otherwise a
        node that lags would have us forget everything.
        """
        last = cursor.number
        while True:
            async with self._engine.connect() as connection:
                places = await rows.event_blocks(connection, self._chain.chain_id, last, BLOCKS_AT_ONCE)
            if not places:
                return await self._place(self._chain.settings.start_block - 1)
            blocks = await self._chain.blocks([place.number for place in places])
            for place, block in zip(places, blocks, strict=True):
                if block is None:
                    raise ChainUnavailable(f"no endpoint of chain {self._chain.chain_id} has block {place.number} yet")
                if block.hash == place.hash:
                    return place
            last = places[-1].number - 1


def _another_fork(cursor: Cursor, at: IndexHead) -> bool:
    return cursor.number == at.number and cursor.hash != at.hash
