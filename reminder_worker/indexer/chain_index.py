"""Our own index: answers questions from the rows that are projected from the chain's events.

It is always kept warm, and answers when no subgraph does.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from contextvars import Context
from dataclasses import dataclass
from typing import Any, Final

import structlog
from sqlalchemy import Row, Table
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.chain.abi_codec import WORD, encode_call, encode_word
from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts.routers import decode_timelock
from reminder_worker.chain.events import map_topics
from reminder_worker.chain.heads import SLOT_SECONDS
from reminder_worker.chain.logs import HistoryGone, LogFilter
from reminder_worker.chain.types import ContractCall
from reminder_worker.concurrency import in_time
from reminder_worker.errors import ChainUnavailable, IndexerUnavailable, IndexIsEmpty, Refused
from reminder_worker.indexer import store as rows
from reminder_worker.indexer import tables
from reminder_worker.indexer.decoding import DecodedLogs, TimedLogs, decode_logs
from reminder_worker.indexer.event_reader import AddedContract, EventReader
from reminder_worker.indexer.log_reader import LogSlice
from reminder_worker.indexer.models import (
    FAR_FUTURE,
    IndexedLegacy,
    IndexedTimelock,
    IndexHead,
    ListedTimelock,
    NewestGift,
    NotifySignal,
    ReminderConfig,
    TimelockHistory,
)
from reminder_worker.indexer.projection import (
    NOTIFY,
    OF_A_CREATOR,
    OF_A_LEGACY,
    WITHDRAWN,
    config_of,
    signal_of,
    timelock_of,
)
from reminder_worker.indexer.store import Forgotten, IndexCursor
from reminder_worker.indexer.tables import sql

log = structlog.get_logger(__name__)

CURSOR = "index"
REQUEST_SECONDS: Final = 3
GUARDS_AT_ONCE: Final = 50
TOUCHED_CURSOR = "horizon"  # the cursor of the due pass, which asks `touched_since`: taken back with the events

OnRewind = Callable[[AsyncConnection, int, Collection[str], Collection[str]], Awaitable[None]]
"""Called with the chain id, and the legacies and creators whose events a reorganisation took back."""


@dataclass(frozen=True, slots=True)
class TouchedAccounts:
    """Legacies and creators with possibly earlier reminder windows, and the block time of the newest such event."""

    legacies: Mapping[str, int]
    creators: Mapping[str, int]


class ChainIndex(EventReader):
    """An `Indexer`, and the pass that feeds it.

    Answers are of the newest state at or after `at`: the tables keep no history. A question about a state that a
    reorganisation took back since is refused with `IndexerUnavailable`.
    """

    name = "chain_index"

    def __init__(
        self,
        engine: AsyncEngine,
        chain: Chain,
        on_rewind: OnRewind | None = None,
        added: AddedContract | None = None,
    ) -> None:
        says = map_topics(chain.settings)

        def decode(logs: TimedLogs) -> DecodedLogs:
            if added is None:
                return decode_logs(chain.settings, says, logs)
            ours = decode_logs(chain.settings, says, [each for each in logs if not added.wants(each[0])])
            theirs = added.decode([each for each in logs if added.wants(each[0])])
            return DecodedLogs((*ours.events, *theirs.events), ours.skipped + theirs.skipped)

        every = says if added is None else added.add_to(says)
        super().__init__(engine, chain, CURSOR, every, decode, source=self.name)
        self._on_rewind = on_rewind
        self._added = added
        self._newest: asyncio.Task[None] | None = None
        self._newest_again = 0.0

    async def rewind_to(self, first_block: int) -> None:
        """Forget `first_block` and all later blocks: the pass reads them again (`backfill`).

        Raises `ChainUnavailable`, and `Refused` for a block that was not read yet or cannot be read again.
        """
        cursor = await self.find_cursor()
        first_block = max(first_block, self._chain.settings.start_block)  # before it there is nothing of ours
        if first_block > cursor.number + 1:
            raise Refused(f"the index is at block {cursor.number}: it has not read block {first_block} yet")
        if first_block > cursor.number:
            return
        await self._check_kept(first_block)
        forgotten = await self._rewind_cursor(cursor, await self._find_block(first_block - 1))
        if forgotten is None:
            raise IndexerUnavailable("the index moved meanwhile: try again")
        log.info("index_read_again", chain_id=self._chain.chain_id, first_block=first_block, events=forgotten)

    async def _check_kept(self, first_block: int) -> None:
        """Raise `Refused` if no endpoint surely has the logs of the events that would be forgotten."""
        logs = self._chain.logs
        async with self._engine.connect() as connection:
            first_event = await rows.find_first_event(connection, self._chain.chain_id, first_block)
        for number in (first_block,) if first_event is None else (first_block, first_event):
            if await logs.are_pruned(number):
                raise Refused(f"no endpoint has the logs of block {number} any more: add an archive endpoint first")
        if first_event is None or await logs.are_pruned(first_event) is False:
            return
        # An event in a block without logs was never on this chain.
        if any(bloom for (bloom,) in await logs.read_blooms([first_event])):
            raise Refused(
                f"no endpoint can tell whether it has the logs of block {first_event}: add an archive endpoint"
            )

    async def read_newest(self) -> None:
        """Let a request of a person find what was just mined, if the index gets there within seconds.

        Concurrent requests share one reading of a slice, and a slot has one: strangers may ask as often as they like.
        """
        if time.monotonic() >= self._newest_again:
            self._newest_again = time.monotonic() + SLOT_SECONDS
            self._newest = asyncio.create_task(self._read_newest(), context=Context())
        if self._newest is not None:
            await asyncio.wait([self._newest])  # a request that is given up stops the reading of no other

    async def _read_newest(self) -> None:
        with suppress(ChainUnavailable, SQLAlchemyError):  # the next question has the same trouble
            await in_time(self.read_on(slices=1), REQUEST_SECONDS)

    async def touched_since(self, first_block: int, last_block: int) -> TouchedAccounts:
        """Return the legacies and creators with an event in blocks first..last that can open a window earlier."""
        async with self._engine.connect() as connection:
            names = OF_A_LEGACY | OF_A_CREATOR
            events = await rows.select_events(connection, self._chain.chain_id, names, first_block, last_block)
        legacies, creators = dict[str, int](), dict[str, int]()
        for event in events:
            if event.legacy and event.name in OF_A_LEGACY:
                legacies[event.legacy] = event.block_time
            if event.creator and event.name in OF_A_CREATOR:
                creators[event.creator] = event.block_time
        return TouchedAccounts(legacies, creators)

    # -- the questions ----------------------------------------------------------------------------

    async def read_head(self) -> IndexHead:
        async with self._engine.connect() as connection:
            cursor = await rows.read_cursor(connection, self._chain.chain_id, CURSOR)
        if cursor is None:
            raise IndexIsEmpty("our index has not read a block yet")
        return IndexHead(cursor.number, cursor.hash)

    async def read_signals(self, first_block: int, last_block: int, at: IndexHead) -> list[NotifySignal]:
        async with self._open_snapshot(at) as connection:
            last = min(last_block, at.number)
            events = await rows.select_events(connection, self._chain.chain_id, {NOTIFY}, first_block, last)
        return [signal for signal in map(signal_of, events) if signal is not None]

    async def reminder_configs(self, legacies: Collection[str], at: IndexHead) -> dict[str, ReminderConfig]:
        found = await self._select_rows(tables.reminder_config, legacies, at)
        return {row.legacy: config_of(row._asdict()) for row in found}

    async def read_timelocks(self, ids: Collection[int], at: IndexHead) -> dict[int, IndexedTimelock]:
        found = await self._select_rows(tables.timelock, ids, at)
        return {row.timelock_id: timelock_of(row) for row in found}

    # -- questions that no subgraph answers ---------------------------------------------------------

    async def list_timelocks(self, owner: str, before: int | None, most: int) -> list[ListedTimelock]:
        """Return an owner's timelocks with ids below `before`, the newest first."""
        last = FAR_FUTURE if before is None else before
        async with self._engine.connect() as connection:
            found = await rows.timelocks_of_owner(connection, self._chain.chain_id, owner.lower(), last, most)
        return [ListedTimelock(timelock_of(row), row.asset_count) for row in found]

    async def find_legacies(self, key: str | int) -> list[IndexedLegacy]:
        """Return the legacy with this address, or the legacies with this number at their routers, one or two."""
        async with self._engine.connect() as connection:
            found = await rows.find_legacies(connection, self._chain.chain_id, key, self._chain.settings.legacy_routers)
        return [IndexedLegacy(**row._asdict()) for row in found]

    async def find_newest_gift(self, recipient: str, status: int, tokens: Collection[str]) -> NewestGift:
        """Return the newest gift sealed to an address with this status, of only these ERC-20 tokens."""
        async with self._engine.connect() as connection:
            found = await rows.newest_gifts(connection, self._chain.chain_id, recipient.lower(), status, tokens)
        hidden = any(not row.is_shown for row in found)
        shown = next((row for row in found if row.is_shown), None)
        if shown is None:
            return NewestGift(None, 0, hidden)
        return NewestGift(shown.timelock_id, shown.created_at, hidden)

    async def read_history(self, timelock_id: int, *, is_ended: bool) -> TimelockHistory:
        """Return what is known of the sealing and the payment; reads on first if a payment is not indexed yet."""
        found = await self._find_history(timelock_id)
        if is_ended and found.opened_at is None:
            await self.read_newest()
            found = await self._find_history(timelock_id)
        return found

    async def _find_history(self, timelock_id: int) -> TimelockHistory:
        names = WITHDRAWN | {"TimelockCreated"}
        async with self._engine.connect() as connection:
            events = await rows.timelock_events(connection, self._chain.chain_id, timelock_id, names)
        sealed = next((each for each in events if each.name == "TimelockCreated"), None)
        opened = next((each for each in events if each.name in WITHDRAWN), None)
        sealed_at = sealed.block_time if sealed else None
        if opened is None:
            return TimelockHistory(sealed_at, None, None, None)
        return TimelockHistory(sealed_at, opened.block_time, opened.tx_hash, opened.block_hash)

    async def find_guards(self, legacies: Collection[str]) -> dict[str, str]:
        """Return the guard of each Safe legacy, from the event of its creation. A guard that cannot be read is absent.

        Events stored by an earlier release have no guard. Their blocks are read again, the newest first and
        `GUARDS_AT_ONCE` in one call, and two endpoints must give the same guards.
        """
        values = {"chain_id": self._chain.chain_id, "legacies": list(legacies)}
        async with self._engine.connect() as connection:
            created = (await connection.execute(sql["safe_creations"], values)).all()
        guards = {row.legacy: row.guard for row in created if row.guard is not None}
        lacking: dict[tuple[int, str], set[str]] = defaultdict(set)
        for row in created:
            if row.guard is None:
                lacking[row.block_number, row.contract].add(row.legacy)
        read: dict[str, str] = {}
        for (block, router), missing in sorted(lacking.items(), reverse=True)[:GUARDS_AT_ONCE]:
            found = await self._read_guards(block, router, missing)
            if found is None:
                break  # nodes prune the oldest logs first
            read |= found
        if read:
            values |= {"legacies": list(read), "guards": list(read.values())}
            async with self._engine.begin() as connection:
                await connection.execute(sql["store_guards"], values)
        return guards | read

    # -- inner ------------------------------------------------------------------------------------

    async def _read_guards(self, block: int, router: str, legacies: Collection[str]) -> dict[str, str] | None:
        """Return the guards of these Safe legacies, which a router created in a block; None if its logs are pruned."""
        wanted = LogFilter(frozenset({router}), self._says[router])

        async def read(view: Chain) -> dict[str, str] | None:
            try:
                logs, _ = await view.logs.read_logs(wanted, block, block)
            except HistoryGone:
                return None
            events = self._decode_logs([(each, 0) for each in logs]).events
            guards = {}
            for each in events:
                if each.legacy and each.legacy in legacies and "guard" in each.data:
                    guards[each.legacy] = each.data["guard"]
            return guards

        try:
            found = await self._chain.agreed(read)
        except ChainUnavailable as error:
            log.warning("guard_not_known", chain_id=self._chain.chain_id, block=block, error=type(error).__name__)
            return {}
        if found is None:
            log.warning("guard_not_known", chain_id=self._chain.chain_id, block=block, error=HistoryGone.__name__)
        return found

    async def _select_rows(self, table: Table, keys: Collection[Any], at: IndexHead) -> Sequence[Row[Any]]:
        async with self._open_snapshot(at) as connection:
            return await rows.select_rows(connection, table, self._chain.chain_id, keys)

    @asynccontextmanager
    async def _open_snapshot(self, at: IndexHead) -> AsyncIterator[AsyncConnection]:
        """Open one snapshot of the tables. Raises `IndexerUnavailable` if it lacks blocks of `at`."""
        async with self._engine.connect() as connection:
            await connection.execution_options(isolation_level="REPEATABLE READ")
            cursor = await rows.read_cursor(connection, self._chain.chain_id, CURSOR)
            is_other_fork = cursor is not None and cursor.number == at.number and cursor.hash != at.hash
            if cursor is None or cursor.number < at.number or is_other_fork:
                raise IndexerUnavailable("our index was taken back by a reorganisation: ask again")
            yield connection

    async def _decode_fresh(self, found: LogSlice, fresh: TimedLogs, cursor: IndexCursor) -> DecodedLogs:
        """Decode events with their legacies: routers name them by id, so legacies made earlier are looked up.

        A log that came late may be a legacy's creation. Events of that legacy may be stored without its address, so
        the whole slice is decoded again.
        """
        late = any(log.block_number <= cursor.number for log, _ in fresh)
        decoded = self._decode_logs(found.logs if late else fresh)
        async with self._engine.connect() as connection:
            known = await rows.legacies_by_id(connection, self._chain.chain_id, decoded.unnamed_ids())
        return decoded.with_legacies(known)

    async def _move_cursor(self, connection: AsyncConnection, old: IndexCursor, new: IndexCursor) -> bool:
        """Move the cursor, and the cursor of the added contract along with it."""
        if not await super()._move_cursor(connection, old, new):
            return False
        added, chain_id = self._added, self._chain.chain_id
        if added is not None:
            if not old.stored:
                await rows.move_cursor(connection, chain_id, added.cursor, old, new, added.first_source)
            await rows.follow_cursor(connection, chain_id, added.cursor, added.address, old, new)
        return True

    def _log_rewind(self, block: int, events: int) -> None:
        log.warning("index_rewound", chain_id=self._chain.chain_id, block=block, events=events)

    async def _after_rewind(
        self, connection: AsyncConnection, place: IndexCursor, forgotten: Sequence[Forgotten]
    ) -> None:
        """Take the due pass back too: an event may never be mined again, and no later event would report its loss."""
        await rows.take_cursor_back(connection, self._chain.chain_id, TOUCHED_CURSOR, place)
        if self._on_rewind is not None:
            legacies, creators = set[str](), set[str]()
            for event in forgotten:
                if event.legacy:
                    legacies.add(event.legacy)
                elif event.creator:
                    creators.add(event.creator)
            await self._on_rewind(connection, self._chain.chain_id, legacies, creators)


@dataclass(frozen=True, slots=True)
class IndexGap:
    """A legacy or timelock that the chain has and our index lacks: no endpoint gave it the log of the creation.

    `missing`: its id in words; `first_block`: the first block whose logs may have the creation.
    """

    missing: str
    first_block: int


async def find_gap(engine: AsyncEngine, chain: Chain) -> IndexGap | None:
    """Return the gap that begins at the lowest block, as of the index's own block. One request to a node.

    Ids on chain are counters, so after each run of known ids the next ids are asked of the contracts themselves.
    Raises `ChainUnavailable`, also when no endpoint has the state of that block.
    """
    calls: list[tuple[IndexGap, ContractCall]] = []
    values = {"chain_id": chain.chain_id, "start": chain.settings.start_block}
    vault = chain.settings.timelock_erc20
    async with engine.connect() as connection:
        await connection.execution_options(isolation_level="REPEATABLE READ")
        cursor = await rows.read_cursor(connection, chain.chain_id, CURSOR)
        if cursor is None:
            return None
        for router in chain.settings.legacy_routers:
            for run in await connection.execute(sql["legacy_runs"], {**values, "router": router}):
                for id in _next_ids(run):
                    call = encode_call(router, "TransferEOALegacyRouter", "legacyAddresses", encode_word(id))
                    calls.append((IndexGap(f"legacy {id} of {router}", run.block), call))
        for run in await connection.execute(sql["timelock_runs"], values):
            for id in _next_ids(run):
                call = encode_call(vault, "TimelockERC20", "getTimelockDetails", encode_word(id))
                calls.append((IndexGap(f"timelock {id}", run.block), call))
    answers = await chain.call_many([call for _, call in calls], at=cursor.hash)
    found = []
    for (gap, call), answer in zip(calls, answers, strict=True):
        exists = decode_timelock(answer) is not None if call.to == vault else _is_address(answer)
        if exists:
            found.append(gap)
    return min(found, key=lambda gap: gap.first_block, default=None)


def _next_ids(run: Row[Any]) -> range:
    """Return more than one id: the ERC-20 vault does not know a timelock that holds NFTs alone."""
    return range(run.id + 1, min(run.id + 5, run.next or run.id + 5))


def _is_address(answer: object) -> bool:
    return isinstance(answer, bytes) and len(answer) == WORD and any(answer)
