"""Series by day: nobody is guessed from a small number, and the states of legacies add up."""

from datetime import date

import polars as pl

from reminder_worker.indexer.models import EOA, SAFE
from reminder_worker.outbox.messages import GiftKind, ReminderKind
from reminder_worker.statistics.aggregates import LEGACIES
from reminder_worker.statistics.day_series import FEWEST_PEOPLE, count_states, hide_few, make_emails_frame

DAY = date(2027, 3, 3)
START = 1_804_032_000  # 2027-03-03 in UTC


def test_a_figure_with_fewer_than_five_people_behind_it_is_hidden() -> None:
    for figure, people, shown in ((0, 0, None), (4, 4, None), (9, 4, None), (5, 5, 5), (7, 6, 7)):
        assert FEWEST_PEOPLE == 5
        assert hide_few(figure, people) == shown


def test_a_day_looks_the_same_whether_a_kind_went_to_nobody_or_to_a_few() -> None:
    """Otherwise a lost guard on chain would show that its owner has an email address stored."""
    some, none = ((DAY, ReminderKind.GUARD_REMOVED.value), (1, 1)), make_emails_frame({}, [DAY])
    assert make_emails_frame(dict([some]), [DAY]).equals(none)
    assert none["kind"].to_list() == [*ReminderKind, *GiftKind]
    assert none["sent"].null_count() == len(none)


def test_each_legacy_is_in_one_state_at_the_end_of_a_day() -> None:
    day = 86_400
    rows = [
        (EOA, START + 1, None, None),
        (EOA, START - day, START + 5, None),
        (EOA, START - day, START + 5, START + day + 5),  # claimed, and deleted a day later
        (EOA, START - 3 * day, None, START - day),
        (SAFE, START + day - 1, None, None),
        (SAFE, START + day, None, None),  # of the next day
    ]
    legacies = pl.DataFrame(rows, schema=LEGACIES, orient="row")
    before, after = date(2027, 3, 2), date(2027, 3, 4)
    found = {
        (row["day"], row["legacy_type"], row["state"]): row["legacies"]
        for row in count_states(legacies, [DAY, after, before, date(2020, 1, 1)]).iter_rows(named=True)
    }
    states = ("live", "activated", "deleted")
    assert len(found) == 4 * 2 * 3
    assert [[found[at, "account", state] for state in states] for at in (before, DAY, after)] == [
        [2, 0, 1],
        [1, 2, 1],
        [1, 1, 2],
    ]
    assert [found[at, "safe", "live"] for at in (before, DAY, after)] == [0, 1, 2]
    assert [found[date(2020, 1, 1), "account", state] for state in states] == [0, 0, 0]
