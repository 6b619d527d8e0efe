"""Deadlines, ages, and when to ask again."""

from hypothesis import given
from hypothesis import strategies as st

from reminder_worker.reminders.horizon import (
    earliest_opening,
    foresee_windows,
    list_window_deadlines,
    next_reading_time,
)

NOW = 1_800_000_000
LEGACY = "0x" + "ab" * 20
DAYS = 86_400
TIMES = st.integers(0, 2**256 - 1) | st.integers(NOW - 10 * DAYS, NOW + 10 * DAYS)


def test_each_window_is_about_its_lines_time_and_one_of_no_humanly_time_is_left_out() -> None:
    for window, deadline in ((1, 10), (4, 10), (2, 20), (5, 20), (3, 30), (6, 30)):
        assert list_window_deadlines([window], (10, 20, 30)) == [(window, deadline)]
    assert list_window_deadlines([4], (0, 0, 0)) == [], "an old build"
    assert list_window_deadlines([4, 2], (10, 2**200, 2**200)) == [(4, 10)]


def test_notices_open_ahead_of_their_deadline_and_the_others_at_it() -> None:
    """The third line's opens at the earliest when the second may act."""
    for window, opened in ((1, 900), (2, 900), (4, 1000), (5, 1000), (6, 1000)):
        assert earliest_opening(window, (1000, 1000, 1000), 100) == opened
    for second, opened in ((800, 900), (950, 950)):
        assert earliest_opening(3, (500, second, 1000), 100) == opened


def open_by_the_view(triggers: tuple[int, int, int], ahead: int, lines: tuple[bool, bool], now: int) -> set[int]:
    """The rule of PremiumReminderView, as its contract has it."""
    first, second, third = triggers
    if lines[1] and now >= third:
        return {6}
    if lines[0] and now >= second:
        return {5, 3} if third != second and now + ahead >= third else {5}
    windows = {2} if second != first and now + ahead >= second else set()
    if now >= first:
        return {*windows, 4}
    return {*windows, 1} if now + ahead >= first else windows


@given(
    st.tuples(st.integers(1, 20), st.integers(0, 10), st.integers(0, 10)),
    st.integers(1, 15),
    st.tuples(st.booleans(), st.booleans()),
    st.integers(0, 60),
)
def test_the_windows_foreseen_for_a_moment_are_those_that_the_contract_then_has_open(
    spans: tuple[int, int, int], ahead: int, lines: tuple[bool, bool], now: int
) -> None:
    first = spans[0]
    triggers = first, first + spans[1], first + spans[1] + spans[2]
    found = set()
    for window in foresee_windows(triggers, ahead, *lines):
        if window.opens_at <= now < window.closes_at:
            found.add(window.number)
    assert found == open_by_the_view(triggers, ahead, lines, now)


def test_asked_again_when_the_next_window_opens() -> None:
    triggers = (NOW + 8 * DAYS - 5, NOW + 40 * DAYS, NOW + 80 * DAYS)
    assert next_reading_time(NOW, LEGACY, 3, triggers, 8 * DAYS - 100) == NOW + 95


def test_asked_again_on_the_day_of_a_further_email() -> None:
    """Notice of eight days: the owner's second email comes four days before the deadline."""
    deadline = NOW + 4 * DAYS + 95
    assert next_reading_time(NOW, LEGACY, 3, (deadline, NOW + 40 * DAYS, NOW + 80 * DAYS), 8 * DAYS) == NOW + 95


@given(st.tuples(TIMES, TIMES, TIMES), st.integers(0, 2**256 - 1) | st.integers(0, 30 * DAYS))
def test_never_later_than_a_day_nor_than_any_opening_and_never_now(triggers: tuple[int, int, int], ahead: int) -> None:
    asked = next_reading_time(NOW, LEGACY, 3, triggers, ahead)
    assert NOW < asked <= NOW + 86_400
    if triggers != (0, 0, 0):
        for moment in (each - before for each in triggers for before in (0, ahead)):
            assert not NOW < moment < asked
    assert NOW < next_reading_time(NOW, LEGACY, 1, triggers, ahead) <= asked


def test_a_safes_legacy_is_read_hourly_from_a_day_before_its_first_window() -> None:
    """Activity of its Safe closes a window without an event."""
    for first, hours in ((-9, 1), (1, 1), (19, 1), (25, 24)):
        triggers = (NOW + 8 * DAYS + first * 3600, NOW + 40 * DAYS, NOW + 80 * DAYS)
        latest = next_reading_time(NOW, LEGACY, 1, triggers, 8 * DAYS) - NOW
        assert (hours - 5) * 3600 < latest <= hours * 3600


def test_daily_looks_are_spread_over_four_hours_and_begin_on_the_hour() -> None:
    """One run reads the looks of an hour; each look alone would start a run each minute."""
    far = (NOW + 400 * DAYS,) * 3
    asked = {next_reading_time(NOW + late, f"0x{late:040x}", 3, far, 7 * DAYS) for late in range(900)}
    assert all(moment % 3600 == 0 for moment in asked)
    assert 4 <= len(asked) <= 6
    assert max(asked) - min(asked) >= 3 * 3600
    near = (NOW + 7 * DAYS + 9000,) * 3
    safes = {next_reading_time(NOW + late, f"0x{late:040x}", 1, near, 7 * DAYS) for late in range(900)}
    assert safes == {NOW + 3600}, "of hourly looks as well"
