"""Days and readers of further emails about one deadline."""

from reminder_worker.outbox.messages import RecipientRole
from reminder_worker.reminders.audience import format_window_event, read_window_deadline, read_window_turn
from reminder_worker.reminders.further_emails import (
    DAY_SECONDS,
    count_left,
    find_turn,
    is_for_further,
    list_further_times,
)

DEADLINE = 1_800_000_000
OWNERS = {RecipientRole.OWNER, RecipientRole.COSIGNER}


def test_owner_has_one_further_email_at_half_of_a_notice_of_two_days_or_more() -> None:
    assert list_further_times(1, DEADLINE, 7 * DAY_SECONDS) == (DEADLINE - 3.5 * DAY_SECONDS,)
    assert list_further_times(1, DEADLINE, 2 * DAY_SECONDS) == (DEADLINE - DAY_SECONDS,)
    assert list_further_times(1, DEADLINE, 2 * DAY_SECONDS - 1) == ()
    assert {role for role in RecipientRole if is_for_further(1, role)} == OWNERS
    assert count_left(1, 1) == 0


def test_notices_of_later_lines_have_no_further_email() -> None:
    for window in (2, 3):
        assert list_further_times(window, DEADLINE, 7 * DAY_SECONDS) == ()
        assert not any(is_for_further(window, role) for role in RecipientRole)


def test_further_email_whose_day_is_over_is_not_sent() -> None:
    assert [find_turn(due, over) for due, over in ((0, 0), (1, 0), (1, 1), (2, 1), (3, 3))] == [0, 1, 0, 2, 0]


def test_each_turn_is_an_event_of_its_own_about_the_same_deadline() -> None:
    events = [format_window_event(4, DEADLINE, turn) for turn in range(4)]
    assert events[0] == f"4:{DEADLINE}", "as in the previous release"
    assert len(set(events)) == 4
    assert [read_window_turn(event) for event in events] == [0, 1, 2, 3]
    assert {read_window_deadline(event) for event in events} == {DEADLINE}
