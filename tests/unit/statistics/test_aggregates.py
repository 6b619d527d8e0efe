"""Counts, series and sums over frames: exact, complete, and nothing counted twice."""

from collections import Counter
from collections.abc import Sequence
from datetime import date

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from reminder_worker.statistics import aggregates, files

DAY = 86_400
LARGEST = 2**256 - 1


def legacies(*rows: tuple[int, int, int | None, int | None]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=aggregates.LEGACIES, orient="row")


def timelocks(*rows: tuple[int, int, int, int | None]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=aggregates.TIMELOCKS, orient="row")


def test_a_legacy_is_counted_in_one_state_and_one_type_and_a_timelock_by_its_status() -> None:
    """Deleted wins over activated, activated over live; types and states each add up to the total."""
    found = aggregates.count_by_state(
        legacies((3, 1, None, None), (3, 1, 5, None), (1, 1, None, 6), (3, 1, 5, 6)),
        timelocks((0, 2, 1, None), (2, 2, 1, None), (2, 3, 1, 9), (1, 1, 1, None)),
    )
    assert found["legacies"] == {"total": 4, "live": 1, "activated": 1, "deleted": 2, "byType": {"eoa": 3, "safe": 1}}
    assert found["timelocks"] == {"total": 4, "live": 2, "ended": 1, "gifts": 2}
    nothing = aggregates.count_by_state(legacies(), timelocks())
    assert nothing["legacies"]["total"] == nothing["timelocks"]["total"] == 0
    assert len(aggregates.count_by_day(legacies(), timelocks())) == 0


def test_events_fall_on_their_day_and_add_up() -> None:
    """The last second of a day is still of that day."""
    series = aggregates.count_by_day(
        legacies((3, 0, 2 * DAY, None), (3, DAY - 1, None, 2 * DAY + 5)),
        timelocks((2, 3, DAY, 2 * DAY), (0, 2, DAY, None)),
    )
    first, second, third = series.iter_rows(named=True)
    assert [first["day"], second["day"], third["day"]] == [date(1970, 1, 1), date(1970, 1, 2), date(1970, 1, 3)]
    assert (first["legacies_created"], second["timelocks_sealed"], second["gifts_sealed"]) == (2, 2, 1)
    assert (third["legacies_activated"], third["legacies_deleted"], third["timelocks_withdrawn"]) == (1, 1, 1)
    assert (third["total_legacies_created"], third["total_timelocks_sealed"], third["legacies_created"]) == (2, 2, 0)


def test_a_day_without_events_has_the_totals_of_the_day_before() -> None:
    series = aggregates.count_by_day(legacies((3, 0, None, None)), timelocks())
    before, quiet = files.select_days(series, [date(1970, 1, 9), date(1969, 12, 31)]).iter_rows(named=True)
    assert (before["total_legacies_created"], before["legacies_created"]) == (0, 0)
    assert (quiet["total_legacies_created"], quiet["legacies_created"]) == (1, 0)


Ways = list[tuple[str, int, int]]
"""By legacy: its vault, the vault's allowance, and its own allowance."""


def movable(held: Sequence[tuple[str, str, int, Ways]]) -> dict[str, int]:
    """`held`: holder, token, balance and ways."""
    by_owner = aggregates.find_movable(
        {(holder, token): balance for holder, token, balance, _ in held},
        {
            (holder, token): [aggregates.TokenAllowance(own, vault, shared) for vault, shared, own in ways]
            for holder, token, _, ways in held
        },
    )
    found: Counter[str] = Counter()
    for (_, token), amount in by_owner.items():
        found[token] += amount
    return dict(found)


amounts = st.one_of(st.integers(0, 5), st.integers(0, LARGEST), st.sampled_from([2**64 - 1, 2**64, 2**128, LARGEST]))


@given(
    st.dictionaries(
        st.tuples(st.sampled_from("abc"), st.sampled_from("xy")),
        st.tuples(amounts, amounts, st.lists(amounts, min_size=1, max_size=4)),
        max_size=6,
    )
)
def test_claims_move_the_allowance_and_never_more_than_the_balance(
    held: dict[tuple[str, str], tuple[int, int, list[int]]],
) -> None:
    """Beside the same rule in plain numbers: the legacy with the least of its own may draw on the shared allowance."""
    expected: dict[str, int] = {}
    for (_, token), (balance, shared, own) in held.items():
        least = min(own)
        moved = min(balance, sum(own) - least + max(least, shared))
        expected[token] = expected.get(token, 0) + moved
    assert (
        movable([(h, t, b, [("vault", s, each) for each in own]) for (h, t), (b, s, own) in held.items()]) == expected
    )


def moved(balance: int, shared: int, *own: int) -> int:
    return movable([("h", "t", balance, [("vault", shared, each) for each in own])])["t"]


def test_legacies_of_one_owner_move_no_more_than_the_balance_and_the_larger_allowance() -> None:
    """Unlimited twice is the balance once; limited ones add up; what is permitted to the vault counts once."""
    assert (moved(100, 0, 40), moved(100, 70, 40), moved(50, 70, 40), moved(100, 0, 0)) == (40, 70, 50, 0)
    assert (moved(100, 0, LARGEST, LARGEST), moved(100, 0, 30, 40), moved(100, 20, 0, 0, 0)) == (100, 70, 20)


def test_the_allowance_of_a_vault_counts_once() -> None:
    ways = [("old", 20, 0), ("old", 20, 5), ("new", 30, 10), ("", 0, 7)]
    assert movable([("h", "t", 1000, ways)]) == {"t": 20 + 5 + 30 + 7}
