"""Reader of the events of some contracts: stores them in `chain_event` with its own cursor."""

import time
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Literal

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.chain.types import NODE_POLICY, EventLog
from reminder_worker.database.engine import through_deadlocks
from reminder_worker.errors import ChainUnavailable
from reminder_worker.indexer import store as rows
from reminder_worker.indexer.decoding import DecodedLogs, Says, TimedLogs
from reminder_worker.indexer.log_reader import EndpointsDisagree, LogSlice, NoSlice, read_slice
from reminder_worker.indexer.projection import ChainEvent
from reminder_worker.indexer.store import Forgotten, IndexCursor, LogPosition

BUDGET_SECONDS = 90.0  # a run stays under 120 seconds
Stopped = Literal["at_head", "budget", "node_behind", "moved_by_another", "unsettled", "reorganised", "disagreement"]
Decode = Callable[[TimedLogs], DecodedLogs]


@dataclass(frozen=True, slots=True)
class AddedContract:
    """Contract of another room. The index reads its logs, too.

    `cursor`: name of the cursor of the room's own reader; its source ends with the contract's address. Up to its block
    the contract's logs are stored without a gap. The index moves it while both cursors stand at the same block.
    `first_source`: its source when the index reads its first blocks.

    `others`: first topics of the room's events from other contracts. The index alone reads them.
    """

    address: str
    topics: frozenset[str]
    decode: Decode
    cursor: str
    first_source: str
    others: Says = field(default_factory=dict)

    def wants(self, log: EventLog) -> bool:
        """Return whether `decode` reads this log."""
        return log.address == self.address or (bool(log.topics) and log.topics[0] in self.others.get(log.address, ()))

    def add_to(self, says: Says) -> Says:
        """Return these first topics by contract, with the room's own."""
        found = dict(says)
        for address, topics in {**self.others, self.address: self.topics}.items():
            found[address] = found.get(address, frozenset()) | topics
        return found


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
    def has_more(self) -> bool:
        """Return whether there is more to read now."""
        return self.stopped in ("budget", "unsettled")


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

    async def poll(self) -> bool:
        """Return whether there are logs to store. Moves the cursor over a short range without any: no run is started.

        Raises `EndpointsDisagree` when nothing but a log in doubt is left to read.
        """
        async with self._learned_limits():
            return await self._find_logs()

    async def _find_logs(self) -> bool:
        cursor = await self.find_cursor()
        head = await self._chain.get_known_block("latest")
        found = await read_slice(self._chain, self._says, cursor, head, self._first_blocks)
        if isinstance(found, LogSlice) and found.doubtful is not None and found.read_to < found.head:
            # A log in doubt holds up no log behind it.
            found = await read_slice(self._chain, self._says, cursor, head, found.head - cursor.number)
        if isinstance(found, NoSlice):
            return found.reason not in ("at_head", "node_behind")
        if found.doubtful is None and found.last.number < found.head:
            return True
        fresh, stale = await self._compare_logs(found, cursor)
        if stale or self._decode_logs(fresh).events:
            return True
        if found.last.number > cursor.number:
            await self._write_events(cursor, found.last, [], [])
        if found.doubtful is not None:
            raise self._make_disagreement(found.doubtful)
        return False

    async def run(self, budget_seconds: float = BUDGET_SECONDS) -> IndexProgress:
        """Read on as `read_on`. Raises `ChainUnavailable`, and `EndpointsDisagree` when a log in doubt ends the run."""
        progress = await self.read_on(budget_seconds)
        self.raise_for(progress)
        return progress

    def raise_for(self, progress: IndexProgress) -> None:
        """Raise `EndpointsDisagree` for a run that ended before a log in doubt."""
        if progress.stopped == "disagreement":
            raise self._make_disagreement(progress.last_block + 1)

    async def read_on(
        self, budget_seconds: float = BUDGET_SECONDS, *, slices: int | None = None, end: int | None = None
    ) -> IndexProgress:
        """Read on to the head, or to block `end`, slice by slice, each with its rows and the cursor in one transaction.

        If several processes read on, each slice is written once and the other processes stop. Certain logs behind a log
        in doubt are stored too, but the cursor waits before the doubt. Raises `ChainUnavailable`.
        """
        async with self._learned_limits():
            return await self._read_slices(budget_seconds, slices, end)

    async def _read_slices(self, budget_seconds: float, slices: int | None, end: int | None) -> IndexProgress:
        ends = time.monotonic() + budget_seconds
        cursor = await self.find_cursor()
        progress = IndexProgress(cursor.number + 1, cursor.number)
        most, left = self._first_blocks, slices
        while time.monotonic() < ends and left != 0:
            left = None if left is None else left - 1
            head = await self._chain.get_block("latest" if end is None else end)
            found = await read_slice(self._chain, self._says, cursor, head, most)
            most = min(NODE_POLICY.log_requests_at_once * most, self._chain.logs.blocks_at_once)
            if isinstance(found, NoSlice):
                if found.reason != "reorganised" or found.head is None:
                    return replace(progress, head=found.head, stopped=found.reason)
                place = await self._common_ancestor(min(cursor.number, found.head))
                forgotten = await self._rewind_cursor(cursor, place)
                if forgotten is None:
                    return replace(progress, stopped="moved_by_another")
                self._log_rewind(place.number, forgotten)
                progress = replace(progress, last_block=place.number, rewound_to=place.number)
            else:
                place = found.last
                decoded = await self._store_slice(cursor, found)
                if decoded is None:
                    return replace(progress, stopped="moved_by_another")
                progress = replace(
                    progress,
                    last_block=place.number,
                    head=found.head,
                    events=progress.events + len(decoded.events),
                    skipped=progress.skipped + decoded.skipped,
                )
                if found.doubtful is not None and found.read_to == found.head:
                    return replace(progress, stopped="disagreement")
                if found.doubtful is not None:
                    most = found.head - place.number  # the cursor cannot pass the doubt: read up to the head at once
                elif place.number == found.head:
                    return replace(progress, stopped="at_head")
            cursor = place
        return progress

    @asynccontextmanager
    async def _learned_limits(self) -> AsyncIterator[None]:
        """Use what other processes learned about the endpoints' limits, and store what is learned meanwhile."""
        chain_id, limits = self._chain.chain_id, self._chain.logs.limits
        async with self._engine.connect() as connection:
            await rows.recall_limits(connection, chain_id, limits)
        try:
            yield
        finally:
            learned = {name: limit for name, limit in limits.items() if not limit.is_stored}
            if learned:
                async with self._engine.begin() as connection:
                    await rows.store_limits(connection, chain_id, learned)

    async def find_cursor(self) -> IndexCursor:
        """Return the stored cursor, or the place before the first block."""
        async with self._engine.connect() as connection:
            stored = await rows.read_cursor(connection, self._chain.chain_id, self._cursor_name)
        return stored or replace(await self.find_start(), stored=False)

    async def find_start(self) -> IndexCursor:
        """Return the place before the first block. Raises `ChainUnavailable` while no endpoint has it."""
        return await self._find_block(self._chain.settings.start_block - 1)

    async def _find_block(self, number: int) -> IndexCursor:
        """Return a block to read on from; block -1 to read the whole chain."""
        if number < 0:
            return IndexCursor(-1, "0x" + "0" * 64)
        block = await self._chain.get_block_at(number)
        return IndexCursor(block.number, block.hash)

    @property
    def _first_blocks(self) -> int:
        return min(NODE_POLICY.first_log_blocks, self._chain.settings.log_range)

    def _make_disagreement(self, block: int) -> EndpointsDisagree:
        return EndpointsDisagree(f"no two endpoints of chain {self._chain.chain_id} give a log of block {block}")

    async def _compare_logs(self, found: LogSlice, cursor: IndexCursor) -> tuple[TimedLogs, list[LogPosition]]:
        """Return the logs that are not stored yet, and the stored ones above the cursor that were reorganised away.

        Some blocks below the cursor are read again each time. Above it, logs are stored only behind a log in doubt.
        """
        async with self._engine.connect() as connection:
            known = await rows.known_logs(connection, self._chain.chain_id, self._says.keys(), found.first)
        fresh = [(log, at) for log, at in found.logs if (log.block_number, log.log_index, log.block_hash) not in known]
        above = [position for position in known if position[0] > cursor.number]
        blocks = await self._chain.get_known_blocks({number for number, _, _ in above}) if above else {}
        stale = []
        for number, index, hash in above:
            if number in blocks and blocks[number].hash != hash:
                stale.append((number, index, hash))
        return fresh, stale

    async def _store_slice(self, cursor: IndexCursor, found: LogSlice) -> DecodedLogs | None:
        """Store the slice's new events. Return None when another process moved the cursor meanwhile."""
        fresh, stale = await self._compare_logs(found, cursor)
        decoded = await self._decode_fresh(found, fresh, cursor)
        if found.last.number == cursor.number and not stale and not decoded.events:
            return decoded
        return decoded if await self._write_events(cursor, found.last, decoded.events, stale) else None

    async def _decode_fresh(self, found: LogSlice, fresh: TimedLogs, cursor: IndexCursor) -> DecodedLogs:
        return self._decode_logs(fresh)

    async def _write_events(
        self, old: IndexCursor, new: IndexCursor, events: Sequence[ChainEvent], stale: Collection[LogPosition]
    ) -> bool:
        chain_id = self._chain.chain_id
        async with self._engine.begin() as connection:
            if not await self._move_cursor(connection, old, new):
                return False
            await rows.forget_logs(connection, chain_id, stale)
            await rows.add_events(connection, chain_id, events)
            await rows.project_again(connection, chain_id, events)
        return True

    async def _move_cursor(self, connection: AsyncConnection, old: IndexCursor, new: IndexCursor) -> bool:
        """Move as `rows.move_cursor`, first in a transaction."""
        return await rows.move_cursor(connection, self._chain.chain_id, self._cursor_name, old, new, self._source)

    def _log_rewind(self, block: int, events: int) -> None:
        """For the reader's owner to say so in its own words."""

    async def _rewind_cursor(self, old: IndexCursor, new: IndexCursor) -> int | None:
        """Return how many events were forgotten; None when another process moved the cursor meanwhile."""
        chain_id = self._chain.chain_id

        async def rewind() -> int | None:
            async with self._engine.begin() as connection:
                if not await self._move_cursor(connection, old, new):
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
                places = await rows.event_blocks(connection, self._chain.chain_id, self._says.keys(), last)
            if not places:
                return await self.find_start()
            blocks = await self._chain.get_blocks([place.number for place in places])
            for place, block in zip(places, blocks, strict=True):
                if block is None:
                    raise ChainUnavailable(f"no endpoint of chain {self._chain.chain_id} has block {place.number} yet")
                if block.hash == place.hash:
                    return place
            last = places[-1].number - 1
