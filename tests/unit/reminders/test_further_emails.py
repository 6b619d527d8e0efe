"""Days and readers of further emails about one deadline."""

from reminder_worker.outbox.messages import RecipientRole
from reminder_worker.reminders.audience import format_window_event, read_window_deadline, read_window_turn
from reminder_worker.reminders.further_emails import (
    DAY_SECONDS,
    count_left,
    find_end_of_reminders,
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


def test_heirs_alone_have_further_emails_30_90_and_365_days_after_claims_opened() -> None:
    for window in (4, 5, 6):
        days = [(time - DEADLINE) / DAY_SECONDS for time in list_further_times(window, DEADLINE, 0)]
        assert days == [30, 90, 365]
        assert {role for role in RecipientRole if is_for_further(window, role)} == set(RecipientRole) - OWNERS
        assert [count_left(window, turn) for turn in range(1, 4)] == [2, 1, 0]


def test_end_of_reminders_is_named_only_if_it_comes_before_the_next_email() -> None:
    for turn, days in ((0, 30), (1, 90), (2, 365)):
        following = DEADLINE + days * DAY_SECONDS
        assert find_end_of_reminders(4, DEADLINE, turn, following - 1) == following - 1
        assert find_end_of_reminders(4, DEADLINE, turn, following) is None
    assert find_end_of_reminders(4, DEADLINE, 3, DEADLINE) is None, "the last email"
    assert find_end_of_reminders(1, DEADLINE, 0, DEADLINE) is None, "of an owner"


def test_further_email_whose_day_is_over_is_not_sent() -> None:
    assert [find_turn(due, over) for due, over in ((0, 0), (1, 0), (1, 1), (2, 1), (3, 3))] == [0, 1, 0, 2, 0]


def test_each_turn_is_an_event_of_its_own_about_the_same_deadline() -> None:
    events = [format_window_event(4, DEADLINE, turn) for turn in range(4)]
    assert events[0] == f"4:{DEADLINE}", "as in the previous release"
    assert len(set(events)) == 4
    assert [read_window_turn(event) for event in events] == [0, 1, 2, 3]
    assert {read_window_deadline(event) for event in events} == {DEADLINE}
