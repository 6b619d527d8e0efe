"""The due pass: read the open reminder windows of watched legacies, each legacy at one block.

A reverting legacy pauses for a growing time; all others are served.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import partial

import structlog
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts.legacies import Triggers
from reminder_worker.chain.contracts.premium import PremiumSetting, ReminderView
from reminder_worker.chain.contracts.safes import SafeLegacy, read_safes
from reminder_worker.chain.renewals import RenewalReads
from reminder_worker.chain.types import BlockHeader
from reminder_worker.concurrency import collecting_young_objects_only, run_together, split_batches
from reminder_worker.database.engine import through_deadlocks
from reminder_worker.database.queries import array_text, json_text, list_columns
from reminder_worker.errors import ChainUnavailable
from reminder_worker.indexer.chain_index import CURSOR as INDEX_CURSOR
from reminder_worker.indexer.chain_index import TOUCHED_CURSOR, ChainIndex, TouchedAccounts
from reminder_worker.indexer.models import SAFE
from reminder_worker.indexer.store import IndexCursor, move_cursor, read_cursor
from reminder_worker.outbox.messages import LATEST_TIME, WINDOW_KINDS
from reminder_worker.reminders.audience import CLAIM_WINDOWS, LegacyMembership, read_memberships
from reminder_worker.reminders.further_emails import count_passed, list_further_times
from reminder_worker.reminders.gaps import mark_gaps
from reminder_worker.reminders.horizon import (
    QUESTIONS_AT_ONCE,
    WindowReads,
    is_first_of_day,
    list_window_deadlines,
    next_reading_time,
    opened_long_ago,
)
from reminder_worker.reminders.tables import sql
from reminder_worker.settings import ReminderSettings

log = structlog.get_logger(__name__)

NAMES_AT_ONCE = 40_000  # addresses in one statement: 2 MB of text
LATE_BLOCKS = 64  # below the cursor, events of these blocks may still appear late or in another block


class NoLegacyAnswers(ChainUnavailable):
    """PremiumReminderView reverts, or a node refuses the call, also for legacies that answered before.

    The view or the node is at fault then. Pausing every legacy would silently stop all reminders.
    """


@dataclass(slots=True)
class DueReport:
    """Result of a run, last at `block_number`. `set_aside`: the first few paused legacies, by address."""

    block_number: int
    asked: int = 0
    batches: int = 0
    open_windows: Counter[str] = field(default_factory=Counter)
    too_old: int = 0
    reverting: int = 0
    set_aside: list[str] = field(default_factory=list)
    more: bool = False


@dataclass(slots=True, eq=False)
class WatchedLegacy:
    """Row of `watch`. Not frozen, as `WindowReading`, because a run makes thousands.

    `changed`: due because of an event, not because of the time. `unknown`: no members, or no end of Premium, are stored
    yet. `premium_until`: its end as stored. `safe`: the owner of a Safe legacy, if stored. `guarded` and `enabled`:
    last reading of its guard and its module. `place` and `version` (ctid and xmin): show whether the row was reset
    during the run.
    """

    legacy: str
    creator: str
    legacy_type: int
    asked_at: int | None
    changed: bool
    unknown: bool
    premium_until: int | None
    safe: str | None
    guarded: bool
    enabled: bool
    place: str
    version: str

    @property
    def is_read_whole(self) -> bool:
        """Return whether members and Premium are read, too: after an event, or while they are not stored."""
        return self.changed or self.unknown


@dataclass(slots=True)
class WindowReading:
    """State of one legacy at the block of the pass; `triggers` is None if the legacy reverted.

    `open`: windows with deadlines. `old`: windows that opened too long ago for an email. `premium_until`, `guarded` and
    `enabled` (whether the Safe has the legacy's guard, and the legacy as a module): None if not read.
    """

    watched: WatchedLegacy
    triggers: Triggers | None
    ahead: int
    open: list[tuple[int, int]]
    members: LegacyMembership | None = None
    old: frozenset[tuple[int, int]] = frozenset()
    premium_until: int | None = None
    guarded: bool | None = None
    enabled: bool | None = None

    @property
    def needs_members(self) -> bool:
        """Return whether to read the members: reading those of all legacies would double the requests.

        They are stored to validate signals of blocks whose state is gone.
        """
        return bool(self.open) or self.watched.is_read_whole


class DuePass:
    """Due pass of one chain. Raises `ChainUnavailable` and keeps the batches stored before."""

    def __init__(self, engine: AsyncEngine, chain: Chain, index: ChainIndex, settings: ReminderSettings) -> None:
        self._engine = engine
        self._chain = chain
        self._index = index
        self._settings = settings

    async def poll(self) -> bool:
        """Return whether a legacy is due now."""
        await self._reset_horizon()
        head = await self._chain.get_known_head()
        async with self._engine.connect() as conn:
            values = {"chain_id": self._chain.chain_id, "now": head.timestamp}
            return bool(await conn.scalar(sql["something_to_ask"], values))

    async def run(self, budget_seconds: float = 90.0) -> DueReport:
        """Read all due legacies in batches and store each batch. A run stays under 120 seconds."""
        ends = time.monotonic() + budget_seconds
        await self._reset_horizon()
        run = _DueRun(self._engine, self._chain, self._index, self._settings, await self._chain.get_head())
        with collecting_young_objects_only():
            while time.monotonic() < ends:
                values = {"chain_id": self._chain.chain_id, "now": run.head.timestamp, "limit": 20_000}
                async with self._engine.connect() as conn:
                    watched = [WatchedLegacy(*row) for row in await conn.execute(sql["to_ask"], values)]
                if not watched:
                    return run.report
                # Take the block after the rows: an older block may not contain the event that reset a row.
                await run.read_legacies(watched, await self._chain.get_head(), ends)
        run.report.more = True
        return run.report

    async def ask_again(self) -> None:
        """Mark legacies as due that were read at a block which is not on the chain, as after `backfill`."""
        head = await self._chain.get_head()
        async with self._engine.begin() as conn:
            await conn.execute(sql["ask_again_window"], {"chain_id": self._chain.chain_id, "head": head.number})

    async def _reset_horizon(self) -> None:
        """Mark legacies as due that an event since the last poll may have brought nearer to a window."""
        chain_id = self._chain.chain_id
        async with self._engine.connect() as conn:
            # One snapshot: a reorganisation moves both cursors together.
            await conn.execution_options(isolation_level="REPEATABLE READ")
            indexed = await read_cursor(conn, chain_id, INDEX_CURSOR)
            old = await read_cursor(conn, chain_id, TOUCHED_CURSOR)
        if indexed is None or indexed == old:
            return
        fresh = late = TouchedAccounts({}, {})
        if old is None:
            old = IndexCursor(-1, "", stored=False)
        elif await self._has_advanced(old, indexed):
            fresh = await self._index.touched_since(old.number + 1, indexed.number)
            late = await self._index.touched_since(old.number + 1 - LATE_BLOCKS, old.number)
        else:
            first = min(old.number, indexed.number) + 1 - LATE_BLOCKS
            fresh = await self._index.touched_since(first, indexed.number)
        await through_deadlocks(partial(self._move_horizon, old, indexed, fresh, late))

    async def _has_advanced(self, old: IndexCursor, new: IndexCursor) -> bool:
        """Return whether the index only advanced from `old` to `new`.

        Otherwise a reorganisation moved events to other blocks.
        """
        if old.number < 0 or new.number <= old.number:
            return old.number < new.number
        return bool(await self._chain.has_block(old.number, old.hash))

    async def _move_horizon(
        self, old: IndexCursor, new: IndexCursor, fresh: TouchedAccounts, late: TouchedAccounts
    ) -> None:
        """Move the cursor and mark legacies as due.

        `late`: events near the cursor that may have been found late; a legacy read after such an event is not due.
        """
        chain_id = self._chain.chain_id
        async with self._engine.begin() as conn:
            if await move_cursor(conn, chain_id, TOUCHED_CURSOR, old, new, "chain_index"):
                await ask_now(conn, chain_id, fresh.legacies, fresh.creators)
                values = {
                    "chain_id": chain_id,
                    "legacies": list(late.legacies),
                    "legacy_times": list(late.legacies.values()),
                    "creators": list(late.creators),
                    "creator_times": list(late.creators.values()),
                }
                await conn.execute(sql["ask_late"], values)


async def ask_now(
    connection: AsyncConnection, chain_id: int, legacies: Collection[str], creators: Collection[str]
) -> None:
    """Have the next look of the due pass ask about the watched legacies among these, and of these creators."""
    values = {"chain_id": chain_id, "legacies": list(legacies), "creators": list(creators)}
    await connection.execute(sql["ask_now"], values)


class _DueRun:
    """One run of the due pass. All questions of a round use one block."""

    def __init__(
        self, engine: AsyncEngine, chain: Chain, index: ChainIndex, settings: ReminderSettings, head: BlockHeader
    ) -> None:
        self.head = head
        self.report = DueReport(block_number=head.number)
        self._engine = engine
        self._chain = chain
        self._index = index
        self._settings = settings
        self._at_once = asyncio.Semaphore(settings.due_concurrency)
        self._questions = asyncio.Semaphore(max(settings.due_concurrency, QUESTIONS_AT_ONCE))
        self._default_ahead = 0
        self._to_store: list[WindowReading] = []

    async def read_legacies(self, watched: Sequence[WatchedLegacy], head: BlockHeader, ends: float) -> None:
        self.head = head
        self.report.block_number = head.number
        reads = WindowReads(self._chain, head.hash, self._questions)
        self._default_ahead = await ReminderView(self._chain).read_default_notify_ahead(at=self.head.hash)
        size, safes, others = self._settings.due_batch_size, list[WatchedLegacy](), list[WatchedLegacy]()
        for each in watched:
            (safes if each.legacy_type == SAFE else others).append(each)
        batches = split_batches(others, size) + split_batches(safes, size)
        await run_together(*(self._read_batch(batch, reads, ends) for batch in batches))
        await self._store_readings(1)

    async def _read_batch(self, batch: Sequence[WatchedLegacy], reads: WindowReads, ends: float) -> None:
        async with self._at_once:
            if time.monotonic() > ends:
                return
            found = await self._read_windows(batch, reads)
            self._to_store += found  # not `+= await`: it would read the list before the wait
        self.report.batches += 1
        await self._store_readings(4_000)  # outside `_at_once`: meanwhile the next batch is read

    async def _read_windows(self, batch: Sequence[WatchedLegacy], reads: WindowReads) -> list[WindowReading]:
        looks = []
        states = await reads.read_windows([(each.legacy, each.creator) for each in batch])
        for each, state in zip(batch, states, strict=True):
            if state is None:
                looks.append(WindowReading(each, None, 0, []))
            else:
                deadlines = list_window_deadlines(state.windows, state.triggers)
                looks.append(WindowReading(each, state.triggers, state.ahead or self._default_ahead, deadlines))
        await self._read_members(looks)
        answered = [look for look in looks if look.triggers]
        await self._read_premiums(answered)
        await self._read_safes(answered)
        for look in looks:
            _pause_windows(look)
        return looks

    async def _read_safes(self, looks: Sequence[WindowReading]) -> None:
        """Read the guards and modules of Safes once a day, in one request."""
        wanted: list[tuple[WindowReading, str]] = []
        for each in looks:
            row = each.watched
            safe = row.safe
            if each.members and row.legacy_type == SAFE:
                safe = each.members.owner
            is_due = row.changed or is_first_of_day(row.asked_at, self.head.timestamp)
            if safe and is_due:
                wanted.append((each, safe))
        if not wanted:
            return
        guards = await self._index.find_guards([each.watched.legacy for each, _ in wanted])
        asked = [SafeLegacy(each.watched.legacy, safe, guards.get(each.watched.legacy)) for each, safe in wanted]
        found = await read_safes(self._chain, asked, at=self.head.hash)
        for (each, _), state in zip(wanted, found, strict=True):
            each.guarded = state.guarded
            # The module counts only beside the guard: without its guard a legacy has no reminders at all.
            each.enabled = state.enabled if state.guarded else None

    async def _read_premiums(self, looks: Sequence[WindowReading]) -> None:
        # Only after an event: each payment for Premium has one, and each reset.
        wanted = [each for each in looks if each.watched.is_read_whole]
        creators = sorted({each.watched.creator for each in wanted})
        if not creators:
            return
        expiries = await PremiumSetting(self._chain).read_expiries(creators, at=self.head.hash)
        found = dict(zip(creators, expiries, strict=True))
        resets = await self._read_resets([creator for creator in creators if found[creator] == 0])
        for each in wanted:
            row = each.watched
            each.premium_until = _find_end(found[row.creator], row.premium_until, resets.get(row.creator))

    async def _read_resets(self, creators: Sequence[str]) -> dict[str, int]:
        """Return by creator when Premium was last reset, of those whose Premium was ever reset."""
        if not creators:
            return {}
        values = {"chain_id": self._chain.chain_id, "creators": list(creators)}
        async with self._engine.connect() as conn:
            return {row.creator: row.at for row in await conn.execute(sql["premium_resets"], values)}

    async def _read_members(self, looks: Sequence[WindowReading]) -> None:
        wanted = [each for each in looks if each.needs_members]
        types = {each.watched.legacy: each.watched.legacy_type for each in wanted if each.triggers}
        if not types:
            return
        read = await read_memberships(self._chain, types, self.head.hash)
        doubtful = [each.watched.legacy for each in wanted if self._seems_old(each, 0)]
        resets = await RenewalReads(self._chain).read_resets(doubtful, at=self.head.hash)
        active = dict(zip(doubtful, resets, strict=True))
        for each in wanted:
            members = read.get(each.watched.legacy)
            if each.open:
                each.members = members
                each.old = self._seems_old(each, active.get(each.watched.legacy) or 0)
                each.triggers = each.triggers if members else None
            elif members is not None and members.beneficiaries:
                # Keep the stored members of a legacy that an activation emptied: signals may be judged by them.
                each.members = members

    async def _store_readings(self, least: int) -> None:
        """Write the readings once there are at least `least`."""
        if len(self._to_store) < least:
            return
        looks, self._to_store = self._to_store, []
        has_answers = self.report.asked > self.report.reverting or any(look.triggers for look in looks)
        if not has_answers:
            await self._ask_for_others()
        for part in _split_for_storing(looks):
            answered, failed = list[WindowReading](), list[WatchedLegacy]()
            for each in part:
                if each.triggers:
                    answered.append(each)
                else:
                    failed.append(each.watched)
            await through_deadlocks(partial(self._write_readings, answered, failed))
            self._count_readings(answered, failed)

    async def _ask_for_others(self) -> None:
        """Read some legacies of several creators that answered before. Raises `NoLegacyAnswers` if none answers now."""
        async with self._engine.connect() as conn:
            rows = await conn.execute(sql["answered_before"], {"chain_id": self._chain.chain_id})
            by_creator = {row.creator: row.legacy for row in rows}
        people = [(legacy, creator) for creator, legacy in by_creator.items()]
        reads = WindowReads(self._chain, self.head.hash, self._questions)
        if len(people) > 1 and not any(await reads.read_windows(people)):
            raise NoLegacyAnswers("the chain tells the reminder windows of no legacy")

    def _seems_old(self, look: WindowReading, active_at: int) -> frozenset[tuple[int, int]]:
        """Return windows that opened too long ago for an email.

        `active_at`: start of the timer that set their deadlines; 0 if unknown.
        """
        if look.triggers is None:
            return frozenset()
        now, asked_at, max_age = self.head.timestamp, look.watched.asked_at, self._settings.signal_max_age_seconds
        old = set()
        for window, deadline in look.open:
            if opened_long_ago(window, look.triggers, look.ahead, asked_at, active_at, now, max_age):
                old.add((window, deadline))
        return frozenset(old)

    async def _write_readings(self, looks: Sequence[WindowReading], failed: Sequence[WatchedLegacy]) -> None:
        """Write windows, then `watch`, each ordered by legacy: writes of recipients lock in the same order."""
        now, seen, next_asks, memberships = self.head.timestamp, list[object](), list[int](), list[str | None]()
        for look in looks:
            row = look.watched
            seen += [self._describe_window(look, window, deadline) for window, deadline in look.open]
            if look.triggers:
                next_asks.append(next_reading_time(now, row.legacy, row.legacy_type, look.triggers, look.ahead))
            memberships.append(json_text(look.members) if look.members else None)
        rows = [look.watched for look in looks]
        columns = {
            **list_columns(rows, asked="legacy", places="place", versions="version"),
            **list_columns(looks, premiums="premium_until", guards="guarded", modules="enabled"),
            **list_columns(failed, failed="legacy", failed_places="place", failed_versions="version"),
            "changed": [row.legacy for row in rows if row.changed],
            "memberships": memberships,
            "next_asks": next_asks,
        }
        values: dict[str, object] = {name: array_text(column) for name, column in columns.items()}
        values |= {"chain_id": self._chain.chain_id, "block": self.head.number, "now": now, "seen": json_text(seen)}
        async with self._engine.begin() as conn:
            if seen:
                await conn.execute(sql["see_windows"], values)
            if looks:
                await conn.execute(sql["close_windows"], values)
                await conn.execute(sql["answered"], values)
                checked = [row.legacy for row in rows if row.changed or is_first_of_day(row.asked_at, now)]
                await mark_gaps(conn, self._chain.chain_id, checked, now)
            if failed:
                await conn.execute(sql["set_aside"], values)

    def _describe_window(self, look: WindowReading, window: int, deadline: int) -> dict[str, object]:
        """Return a row of `see_windows`. `due` and `over`: further emails whose day has come, and was too long ago."""
        now = self.head.timestamp
        times = list_further_times(window, deadline, look.ahead)
        return {
            "legacy": look.watched.legacy,
            "window": window,
            "deadline": deadline,
            "old": (window, deadline) in look.old,
            "due": count_passed(times, now),
            "over": count_passed(times, now - self._settings.signal_max_age_seconds),
        }

    def _count_readings(self, looks: Sequence[WindowReading], failed: Sequence[WatchedLegacy]) -> None:
        self.report.asked += len(looks) + len(failed)
        self.report.open_windows.update(WINDOW_KINDS[window].value for look in looks for window, _ in look.open)
        self.report.too_old += sum(len(look.old) for look in looks)
        self.report.reverting += len(failed)
        self.report.set_aside += [each.legacy for each in failed[: 20 - len(self.report.set_aside)]]
        for each in failed:
            log.warning("legacy_reverts", chain_id=self._chain.chain_id, legacy=each.legacy)


def _pause_windows(look: WindowReading) -> None:
    """Leave out the windows of a Safe without its legacy's guard, and the windows of claims if the module is off."""
    row = look.watched
    if row.legacy_type != SAFE:
        return
    if not (row.guarded if look.guarded is None else look.guarded):
        look.open = []
    elif not (row.enabled if look.enabled is None else look.enabled):
        look.open = [(window, deadline) for window, deadline in look.open if window not in CLAIM_WINDOWS]
    look.old &= frozenset(look.open)


def _find_end(expiry: int, stored: int | None, reset_at: int | None) -> int | None:
    """Return the end of Premium to store, in unix seconds; None to keep the stored end.

    A reset leaves no expiry on chain (0). Premium that still ran then ended at the reset.
    """
    if expiry:
        return min(expiry, LATEST_TIME)
    if reset_at is None:
        return 0 if stored is None else None
    return reset_at if stored is None else min(stored, reset_at)


def _split_for_storing(looks: Sequence[WindowReading]) -> list[list[WindowReading]]:
    """Split readings into statements of at most `NAMES_AT_ONCE` addresses, the longest lists last."""
    parts, total = list[list[WindowReading]]([[]]), 0
    for look in sorted(looks, key=_count_addresses):
        total += _count_addresses(look)
        if total > NAMES_AT_ONCE and parts[-1]:
            parts.append([])
            total = _count_addresses(look)
        parts[-1].append(look)
    return [sorted(part, key=lambda look: look.watched.legacy) for part in parts]


def _count_addresses(look: WindowReading) -> int:
    return 0 if look.members is None else len(look.members.beneficiaries) + len(look.members.cosigners)
