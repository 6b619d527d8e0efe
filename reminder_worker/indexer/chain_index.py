"""Our own index: reads the chain's logs into `chain_event`, and answers questions from what is projected from them.

It is always kept warm, and answers when no subgraph does.
"""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import structlog
from sqlalchemy import Row, Table
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.chain.client import Chain, EventLog
from reminder_worker.chain.events import emitters
from reminder_worker.chain.logs import FIRST_BLOCKS
from reminder_worker.database.engine import through_deadlocks
from reminder_worker.errors import ChainUnavailable, IndexerUnavailable, IndexIsEmpty, Refused
from reminder_worker.indexer import store as rows
from reminder_worker.indexer import tables
from reminder_worker.indexer.decoding import DecodedLogs, Says, decode_logs
from reminder_worker.indexer.log_reader import (
    NO_HASH,
    CursorReorganised,
    EndpointsDisagree,
    LogSlice,
    NothingNew,
    ReadUnsettled,
    read_slice,
)
from reminder_worker.indexer.models import (
    IndexedTimelock,
    IndexHead,
    NotifySignal,
    ReminderConfig,
)
from reminder_worker.indexer.projection import (
    NOTIFY,
    OF_A_CREATOR,
    OF_A_LEGACY,
    ChainEvent,
    config_of,
    signal_of,
    timelock_of,
)
from reminder_worker.indexer.store import Forgotten, IndexCursor, LogPosition

log = structlog.get_logger(__name__)

CURSOR = "index"
TOUCHED_CURSOR = "horizon"  # the cursor of the due pass, which asks `touched_since`: taken back with the events
BUDGET_SECONDS = 90.0  # a run stays under 120 seconds
BLOCKS_AT_ONCE = 50

Stopped = Literal["at_head", "budget", "node_behind", "moved_by_another", "unsettled", "disagreement"]
Decode = Callable[[Sequence[tuple[EventLog, int]]], DecodedLogs]
OnRewind = Callable[[AsyncConnection, int, Collection[str], Collection[str]], Awaitable[None]]
"""Called with the chain id, and the legacies and creators whose events a reorganisation took back."""


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """Result of a run. `skipped`: logs that could not be decoded; `rewound_to`: by a reorganisation."""

    first_block: int
    last_block: int
    head: int | None = None
    events: int = 0
    skipped: int = 0
    rewound_to: int | None = None
    stopped: Stopped = "budget"

    @property
    def more(self) -> bool:
        """Return whether there is more to read now."""
        return self.stopped in ("budget", "unsettled")

    def read(self, found: LogSlice, decoded: DecodedLogs) -> Self:
        return replace(
            self,
            last_block=found.last.number,
            head=found.head,
            events=self.events + len(decoded.events),
            skipped=self.skipped + decoded.skipped,
        )


@dataclass(frozen=True, slots=True)
class TouchedAccounts:
    """Legacies and creators with possibly earlier reminder windows, and the block time of the newest such event."""

    legacies: Mapping[str, int]
    creators: Mapping[str, int]


class EventReader:
    """A reader of the events of some contracts, with a cursor of its own: stores them in `chain_event`.

    `says`: first topics that count, by contract. `source` None leaves the cursor's source as stored.
    """

    def __init__(
        self, engine: AsyncEngine, chain: Chain, name: str, says: Says, decode: Decode, source: str | None
    ) -> None:
        self._engine = engine
        self._chain = chain
        self._cursor_name = name
        self._says = says
        self._decode_logs = decode
        self._source = source

    async def look(self) -> bool:
        """Return whether there are logs to store. A short range without any is passed over here: no run is started.

        Raises `EndpointsDisagree` when nothing but a log in doubt is left to read.
        """
        cursor = await self.cursor()
        found = await read_slice(self._chain, self._says, cursor, self._first_blocks)
        if isinstance(found, NothingNew):
            return False
        if not isinstance(found, LogSlice):
            return True
        if found.doubtful is None and found.last.number < found.head:
            return True
        fresh, stale = await self._compare(found, cursor)
        if stale or self._decode_logs(fresh).events:
            return True
        if found.last.number > cursor.number:
            await self._store(cursor, found.last, [], [])
        if found.doubtful is not None:
            raise self._disagreement(found.doubtful)
        return False

    async def advance(self, budget_seconds: float = BUDGET_SECONDS) -> IndexProgress:
        """Read on as `read_on`. Raises `ChainUnavailable`, and `EndpointsDisagree` when a log in doubt ends the run."""
        progress = await self.read_on(budget_seconds)
        self.raise_for(progress)
        return progress

    def raise_for(self, progress: IndexProgress) -> None:
        """Raise `EndpointsDisagree` for a run that ended before a log in doubt."""
        if progress.stopped == "disagreement":
            raise self._disagreement(progress.last_block + 1)

    async def read_on(self, budget_seconds: float = BUDGET_SECONDS, *, slices: int | None = None) -> IndexProgress:
        """Read on to the head, slice by slice, each with its rows and the cursor in one transaction.

        If several processes read on, each slice is written once and the other processes stop. Certain logs behind a log
        in doubt are stored too, but the cursor waits before the doubt. Raises `ChainUnavailable`.
        """
        ends = time.monotonic() + budget_seconds
        cursor = await self.cursor()
        progress = IndexProgress(cursor.number + 1, cursor.number)
        most, left = self._first_blocks, slices
        while time.monotonic() < ends and left != 0:
            left = None if left is None else left - 1
            found = await read_slice(self._chain, self._says, cursor, most)
            most = self._chain.log_ranges.at_once
            if isinstance(found, NothingNew):
                stopped: Stopped = "at_head" if found.head == cursor.number else "node_behind"
                return replace(progress, head=found.head, stopped=stopped)
            if isinstance(found, ReadUnsettled):
                return replace(progress, stopped="unsettled")
            if isinstance(found, CursorReorganised):
                place = await self._rewind_to_ancestor(cursor, found.head)
                if place is None:
                    return replace(progress, stopped="moved_by_another")
                progress = replace(progress, last_block=place.number, rewound_to=place.number)
            else:
                place = found.last
                decoded = await self._store_slice(cursor, found)
                if decoded is None:
                    return replace(progress, stopped="moved_by_another")
                progress = progress.read(found, decoded)
                if found.doubtful is not None and found.read_to == found.head:
                    return replace(progress, stopped="disagreement")
                if found.doubtful is not None:
                    most = found.head - place.number  # the cursor cannot pass the doubt: read up to the head at once
                elif place.number == found.head:
                    return replace(progress, stopped="at_head")
            cursor = place
        return progress

    async def cursor(self) -> IndexCursor:
        """Return the stored cursor, or the place before the first block."""
        async with self._engine.connect() as connection:
            stored = await rows.read_cursor(connection, self._chain.chain_id, self._cursor_name)
        return stored or replace(await self.start(), stored=False)

    async def start(self) -> IndexCursor:
        """Return the place before the first block. Raises `ChainUnavailable` while no endpoint has it."""
        return await self._place(self._chain.settings.start_block - 1)

    async def _place(self, number: int) -> IndexCursor:
        """Return a block to read on from; block -1 to read the whole chain."""
        if number < 0:
            return IndexCursor(-1, NO_HASH)
        block = await self._chain.block_at(number)
        return IndexCursor(block.number, block.hash)

    @property
    def _first_blocks(self) -> int:
        return min(FIRST_BLOCKS, self._chain.settings.log_range)

    def _disagreement(self, block: int) -> EndpointsDisagree:
        return EndpointsDisagree(f"no two endpoints of chain {self._chain.chain_id} give a log of block {block}")

    async def _compare(
        self, found: LogSlice, cursor: IndexCursor
    ) -> tuple[list[tuple[EventLog, int]], list[LogPosition]]:
        """Return the logs that are not stored yet, and the stored ones above the cursor that were reorganised away.

        Some blocks below the cursor are read again each time. Above it, logs are stored only behind a log in doubt.
        """
        async with self._engine.connect() as connection:
            known = await rows.known_logs(connection, self._chain.chain_id, self._says.keys(), found.first)
        fresh = [(log, at) for log, at in found.logs if (log.block_number, log.log_index, log.block_hash) not in known]
        above = [position for position in known if position[0] > cursor.number]
        blocks = await self._chain.blocks_of({number for number, _, _ in above}) if above else {}
        stale = [(number, index, hash) for number, index, hash in above if number in blocks]
        return fresh, [position for position in stale if blocks[position[0]].hash != position[2]]

    async def _store_slice(self, cursor: IndexCursor, found: LogSlice) -> DecodedLogs | None:
        """Store the slice's new events. Return None when another process moved the cursor meanwhile."""
        fresh, stale = await self._compare(found, cursor)
        decoded = await self._decode(found, fresh, cursor)
        if found.last.number == cursor.number and not stale and not decoded.events:
            return decoded
        return decoded if await self._store(cursor, found.last, decoded.events, stale) else None

    async def _decode(self, found: LogSlice, fresh: Sequence[tuple[EventLog, int]], cursor: IndexCursor) -> DecodedLogs:
        return self._decode_logs(fresh)

    async def _store(
        self, old: IndexCursor, new: IndexCursor, events: Sequence[ChainEvent], stale: Collection[LogPosition]
    ) -> bool:
        chain_id = self._chain.chain_id
        async with self._engine.begin() as connection:
            if not await rows.move_cursor(connection, chain_id, self._cursor_name, old, new, self._source):
                return False
            await rows.forget_logs(connection, chain_id, stale)
            await rows.add_events(connection, chain_id, events)
            await rows.refold(connection, chain_id, events)
        return True

    async def _rewind_to_ancestor(self, cursor: IndexCursor, head: int) -> IndexCursor | None:
        """Forget what a reorganisation took back. Return None when another process moved the cursor meanwhile."""
        place = await self._common_ancestor(min(cursor.number, head))
        forgotten = await self._rewind(cursor, place)
        if forgotten is None:
            return None
        self._log_rewind(place.number, forgotten)
        return place

    def _log_rewind(self, block: int, events: int) -> None:
        """For the reader's owner to say so in its own words."""

    async def _rewind(self, old: IndexCursor, new: IndexCursor) -> int | None:
        """Return how many events were forgotten; None when another process moved the cursor meanwhile."""
        chain_id = self._chain.chain_id

        async def rewind() -> int | None:
            async with self._engine.begin() as connection:
                if not await rows.move_cursor(connection, chain_id, self._cursor_name, old, new, self._source):
                    return None
                forgotten = await rows.forget_after(connection, chain_id, self._says.keys(), new.number)
                await self._after_rewind(connection, new, forgotten)
            return len(forgotten)

        return await through_deadlocks(rewind)

    async def _after_rewind(
        self, connection: AsyncConnection, place: IndexCursor, forgotten: Sequence[Forgotten]
    ) -> None:
        """For what else has to happen in the transaction of a rewind."""

    async def _common_ancestor(self, last: int) -> IndexCursor:
        """Return the newest block up to `last` with a stored event that the chain still has, or the start.

        A hash stands for all blocks below, so finality does not matter: a freshly started node does not know the final
        block. Raises `ChainUnavailable` if no node has one of our blocks at the moment: otherwise a lagging node would
        make us forget everything.
        """
        while True:
            async with self._engine.connect() as connection:
                places = await rows.event_blocks(
                    connection, self._chain.chain_id, self._says.keys(), last, BLOCKS_AT_ONCE
                )
            if not places:
                return await self.start()
            blocks = await self._chain.blocks([place.number for place in places])
            for place, block in zip(places, blocks, strict=True):
                if block is None:
                    raise ChainUnavailable(f"no endpoint of chain {self._chain.chain_id} has block {place.number} yet")
                if block.hash == place.hash:
                    return place
            last = places[-1].number - 1


class ChainIndex(EventReader):
    """An `Indexer`, and the pass that feeds it.

    Answers are of the newest state at or after `at`: the tables keep no history. A question about a state that a
    reorganisation took back since is refused with `IndexerUnavailable`.
    """

    name = "chain_index"

    def __init__(self, engine: AsyncEngine, chain: Chain, on_rewind: OnRewind | None = None) -> None:
        says = emitters(chain.settings)
        super().__init__(
            engine, chain, CURSOR, says, lambda logs: decode_logs(chain.settings, says, logs), source=self.name
        )
        self._on_rewind = on_rewind

    async def rewind_to(self, first_block: int) -> None:
        """Forget `first_block` and all later blocks: the pass reads them again (`backfill`).

        Raises `ChainUnavailable`, and `Refused` for a block that was not read yet or cannot be read again.
        """
        cursor = await self.cursor()
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

    async def touched_since(self, first_block: int, last_block: int) -> TouchedAccounts:
        """Return the legacies and creators with an event in blocks first..last that can open a window earlier."""
        async with self._engine.connect() as connection:
            names = OF_A_LEGACY | OF_A_CREATOR
            events = await rows.select_events(connection, self._chain.chain_id, names, first_block, last_block)
        return TouchedAccounts(
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

    async def timelocks(self, ids: Collection[int], at: IndexHead) -> dict[int, IndexedTimelock]:
        found = await self._rows(tables.timelock, ids, at)
        return {row.timelock_id: timelock_of(row) for row in found}

    async def gifts_of(
        self, recipient: str, at: IndexHead, vault: str, tokens: Collection[str]
    ) -> list[IndexedTimelock]:
        async with self._state(at) as connection:
            found = await rows.live_gifts(connection, self._chain.chain_id, recipient.lower(), vault, tokens)
        return [timelock_of(row) for row in found]

    # -- inner ------------------------------------------------------------------------------------

    async def _rows(self, table: Table, keys: Collection[Any], at: IndexHead) -> Sequence[Row[Any]]:
        async with self._state(at) as connection:
            return await rows.select_rows(connection, table, self._chain.chain_id, keys)

    @asynccontextmanager
    async def _state(self, at: IndexHead) -> AsyncIterator[AsyncConnection]:
        """Open one snapshot of the tables. Raises `IndexerUnavailable` if it lacks blocks of `at`."""
        async with self._engine.connect() as connection:
            await connection.execution_options(isolation_level="REPEATABLE READ")
            cursor = await rows.read_cursor(connection, self._chain.chain_id, CURSOR)
            if cursor is None or cursor.number < at.number or _another_fork(cursor, at):
                raise IndexerUnavailable("our index was taken back by a reorganisation: ask again")
            yield connection

    async def _decode(self, found: LogSlice, fresh: Sequence[tuple[EventLog, int]], cursor: IndexCursor) -> DecodedLogs:
        """Decode events with their legacies: routers name them by id, so legacies made earlier are looked up.

        A log that came late may be a legacy's creation. Events of that legacy may be stored without its address, so
        the whole slice is decoded again.
        """
        late = any(log.block_number <= cursor.number for log, _ in fresh)
        decoded = self._decode_logs(found.logs if late else fresh)
        known: dict[tuple[str, int], str] = {}
        async with self._engine.connect() as connection:
            for router, ids in decoded.unnamed_ids().items():
                addresses = await rows.legacies_by_id(connection, self._chain.chain_id, router, ids)
                known |= {(router, number): address for number, address in addresses.items()}
        return decoded.named(known)

    def _log_rewind(self, block: int, events: int) -> None:
        log.warning("index_rewound", chain_id=self._chain.chain_id, block=block, events=events)

    async def _after_rewind(
        self, connection: AsyncConnection, place: IndexCursor, forgotten: Sequence[Forgotten]
    ) -> None:
        """Take the due pass back too: an event may never be mined again, and no later event would report its loss."""
        await rows.take_cursor_back(connection, self._chain.chain_id, TOUCHED_CURSOR, place)
        if self._on_rewind is not None:
            legacies = {event.legacy for event in forgotten if event.legacy}
            creators = {event.creator for event in forgotten if event.creator and not event.legacy}
            await self._on_rewind(connection, self._chain.chain_id, legacies, creators)


def _another_fork(cursor: IndexCursor, at: IndexHead) -> bool:
    return cursor.number == at.number and cursor.hash != at.hash
