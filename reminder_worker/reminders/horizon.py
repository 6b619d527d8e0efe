"""Reminder windows: when they opened, their deadlines, and when to read a legacy again.

All times are chain times in unix seconds. `triggers` are t1, t2, t3: when line 1, 2, 3 may activate.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts.legacies import NEVER, LegacyReads, Triggers
from reminder_worker.chain.contracts.premium import PremiumSetting, ReminderView
from reminder_worker.chain.contracts.window_reader import LegacyWindows, read_packed
from reminder_worker.chain.endpoints import TooMuch
from reminder_worker.concurrency import run_together
from reminder_worker.indexer.models import SAFE
from reminder_worker.outbox.messages import LATEST_TIME
from reminder_worker.reminders.audience import WINDOW_LINES
from reminder_worker.reminders.further_emails import list_further_times

HOUR_SECONDS = 3600
QUARTER_SECONDS = 900


def is_old_build(triggers: Triggers) -> bool:
    """Return whether the legacy is of a build without times. The view calls these ready; they get no reminders."""
    return triggers == (0, 0, 0)


def window_deadline(window: int, triggers: Triggers) -> int:
    return triggers[WINDOW_LINES[window] - 1]


def list_window_deadlines(windows: Sequence[int], triggers: Triggers) -> list[tuple[int, int]]:
    """Return (window, deadline) of each open window whose deadline is a plausible date."""
    if is_old_build(triggers):
        return []
    pairs = [(window, window_deadline(window, triggers)) for window in windows]
    return [(window, deadline) for window, deadline in pairs if deadline <= LATEST_TIME]


def earliest_opening(window: int, triggers: Triggers, ahead: int) -> int:
    """Return the earliest time at which the window can have opened."""
    deadline = window_deadline(window, triggers)
    if window in (4, 5, 6):  # windows that open at the deadline itself
        return deadline
    # The third line's deadline is not announced before the second line may act, however long the notice.
    return max(deadline - ahead, triggers[1]) if window == 3 else deadline - ahead


@dataclass(frozen=True, slots=True)
class ForeseenWindow:
    """A window from `opens_at` until `closes_at`, if the owner shows no sign of life and nobody claims."""

    number: int
    opens_at: int
    closes_at: int
    deadline: int


def foresee_windows(triggers: Triggers, ahead: int, has_second: bool, has_third: bool) -> list[ForeseenWindow]:
    """Return the windows that PremiumReminderView will open, in order of time. `has_second`: the line has a member.

    The turn passes to a line at its trigger, and to a line with a member only. A window stands open while it is the
    turn of the line that the view opens it for.
    """
    if is_old_build(triggers):
        return []
    first, second, third = triggers
    second_ends = third if has_third else NEVER
    first_ends = min(second, second_ends) if has_second else second_ends
    ends = {1: min(first, first_ends), 4: first_ends}
    if second != first:
        ends[2] = first_ends
    if has_second:
        ends[5] = second_ends
    if has_second and third != second:
        ends[3] = second_ends
    if has_third:
        ends[6] = NEVER
    windows = []
    for number, closes_at in ends.items():
        opens_at, deadline = earliest_opening(number, triggers, ahead), window_deadline(number, triggers)
        if opens_at < closes_at and deadline <= LATEST_TIME:
            windows.append(ForeseenWindow(number, opens_at, closes_at, deadline))
    return sorted(windows, key=lambda window: (window.opens_at, window.deadline, window.number))


def opened_long_ago(
    window: int, triggers: Triggers, ahead: int, asked_at: int | None, active_at: int, now: int, max_age: int
) -> bool:
    """Return whether the window opened too long ago for an email: more than `max_age` seconds before `now`.

    `asked_at`: the last reading, None for a legacy just saved. `active_at`: start of the timer that set the deadline; 0
    if unknown.
    """
    if asked_at is None and window_deadline(window, triggers) > now:
        return False  # the legacy was just saved: no email was possible before
    return max(earliest_opening(window, triggers, ahead), asked_at or 0, active_at) < now - max_age


def next_reading_time(now: int, legacy: str, legacy_type: int, triggers: Triggers, ahead: int) -> int:
    """Return the time of the next opening or further email, at most a day ahead: some changes emit no event.

    Daily readings are spread over four hours by the legacy's address, so that legacies saved together do not stay due
    together. They begin on a whole hour, or on a quarter if a window is near: one run reads all of them. Activity of a
    Safe emits no event, and closes its windows: a Safe's legacy is read hourly from a day before its first window.
    """
    latest = now + 24 * HOUR_SECONDS - crc32(legacy.encode()) % (4 * HOUR_SECONDS)
    if is_old_build(triggers) or min(triggers) - ahead > latest:
        return latest - latest % HOUR_SECONDS
    if legacy_type == SAFE:
        latest = now + HOUR_SECONDS
    latest -= latest % QUARTER_SECONDS
    for window in WINDOW_LINES:
        deadline = window_deadline(window, triggers)
        for moment in (deadline - ahead, deadline, *list_further_times(window, deadline, ahead)):
            if now < moment < latest:
                latest = moment
    return latest


def is_first_of_day(asked_at: int | None, now: int) -> bool:
    """Return whether this is the first look of the UTC day.

    A Safe's guard is read then. Its removal emits no event of ours, and each reading costs a request more.
    """
    return asked_at is None or asked_at // 86400 != now // 86400


# Requests at once: a stranger can create hundreds of reverting legacies, and finding them must not take the whole run.
QUESTIONS_AT_ONCE = 8

Windows = dict[str, tuple[int, ...]]


class WindowReads:
    """Reads of windows at one block hash. `places` bounds the requests of all batches.

    One call reads all of a batch. If no endpoint runs its code, view, times and notices are read apart.
    """

    def __init__(self, chain: Chain, at: str, places: asyncio.Semaphore) -> None:
        self._chain = chain
        self._at = at
        self._places = places
        self._ahead: dict[str, int] = {}

    async def read_windows(self, people: Sequence[tuple[str, str]]) -> list[LegacyWindows | None]:
        """Return the state of each legacy, in order; None for a reverting one. `people`: legacies with creators."""
        packed = await read_packed(self._chain, people, at=self._at)
        if packed is not None:
            return packed
        legacies = [legacy for legacy, _ in people]
        windows, triggers, _ = await run_together(
            read_open_windows(self._chain, legacies, self._at, self._places),
            LegacyReads(self._chain).read_triggers(legacies, at=self._at),
            self._learn_ahead({creator for _, creator in people}),
        )
        states: list[LegacyWindows | None] = []
        for (legacy, creator), times in zip(people, triggers, strict=True):
            opened = windows.get(legacy)
            if times is None or opened is None:
                states.append(None)
            else:
                states.append(LegacyWindows(tuple(sorted(opened)), times, self._ahead[creator]))
        return states

    async def _learn_ahead(self, creators: set[str]) -> None:
        # Not `creators - self._ahead.keys()`: that walks through all known creators for each batch.
        unknown = sorted(creator for creator in creators if creator not in self._ahead)
        if unknown:
            times = await PremiumSetting(self._chain).read_times_ahead(unknown, at=self._at)
            self._ahead.update(zip(unknown, times, strict=True))


async def read_open_windows(chain: Chain, legacies: Sequence[str], at: str, places: asyncio.Semaphore) -> Windows:
    """Return open windows by legacy at a block hash.

    A reverting batch is halved; a legacy that reverts alone is absent. `places` bounds the requests of all batches.
    """
    view = ReminderView(chain)

    async def ask_view(some: Sequence[str]) -> Windows:
        try:
            async with places:
                found = await view.read_due_windows(some, at=at)
        except TooMuch:
            await chain.get_head()  # raises if the node is at fault, not this legacy
            return {}
        if isinstance(found, list):
            return dict(zip(some, found, strict=True))
        if len(some) == 1:
            return {}
        middle = len(some) // 2
        first, second = await run_together(ask_view(some[:middle]), ask_view(some[middle:]))
        return {**first, **second}

    return await ask_view(legacies)
