"""Metadata of assets, as operators read it."""

import base64
from datetime import UTC, date, datetime, timedelta

from assets import metadata
from reminder_worker.monitoring.facts import PassState
from reminder_worker.outbox.operator import SettledEmails
from reminder_worker.passes import report_of
from reminder_worker.reminders.planner import DispatchReport, PlanReport


def _state(chain_id: int, **values: object) -> PassState:
    plain = {"checked_age": 1, "succeeded_age": 1, "failed_age": None, "error": None}
    return PassState(name="index", chain_id=chain_id, **{**plain, **values})  # type: ignore[arg-type]


def test_figures_of_a_report_keep_their_names_and_only_nested_zeros_are_left_out() -> None:
    """Moments are shown as times, and an unknown moment is left out. Figures of several chains are kept apart."""
    moments = {"checked_at": 1_795_387_320, "price": {"updated_at": 0, "dollars": 3}, "opened_at": None, "at": 7}
    counts = {"deleted": 0, "relayer": {"failed": 0, "confirmed": 2, "balance_eth": 0.0}, "seconds": 0.1}
    for states, shown in (
        (
            [_state(1, detail={"outcomes": {"owner_reset": {"sent": 3}}, "last_block": 7})],
            {"outcomes: owner reset: sent": 3, "last block": 7},
        ),
        ([_state(1, detail={"new": 1}), _state(2, detail={"new": 5})], {"new (chain 1)": 1, "new (chain 2)": 5}),
        (
            [_state(1, detail=counts)],
            {"deleted": 0, "relayer: confirmed": 2, "relayer: balance eth": 0.0, "took (seconds)": 0.1},
        ),
        (
            [_state(1, detail=moments)],
            {
                "checked at": "2026-11-22 22:42 UTC",
                "price: updated at": "1970-01-01 00:00 UTC",
                "price: dollars": 3,
                "at": 7,
            },
        ),
    ):
        assert metadata.pass_report(states) == {f"last run: {name}": value for name, value in shown.items()}


def test_a_dispatch_shows_what_it_planned() -> None:
    report = report_of(DispatchReport(plan=PlanReport(premiums=2, guards=1)))
    shown = metadata.pass_report([_state(1, detail=report)])
    assert (shown["last run: plan: premiums"], shown["last run: plan: guards"]) == (2, 1)


def test_words_of_a_check_a_failure_a_pass_that_is_off_and_ages_are_those_that_a_person_would_say() -> None:
    assert metadata.join_sentence([], "all is good") == "all is good"
    assert metadata.join_sentence("abcdefg", "all is good") == "a; b; c; d; e; and 2 more"
    failed = metadata.pass_report([_state(1, error="ChainUnavailable", failed_age=300)])
    assert failed == {"failed": "ChainUnavailable, 5 min ago"}
    text = metadata.passes_table([_state(1)], {"due": "no mail service is configured"}).value
    assert "off: no mail service is configured" in str(text)
    ages = [metadata.format_age(seconds) for seconds in (None, 59, 300, 7200, 3 * 86400)]
    assert ages == ["never", "59 s", "5 min", "2 h", "3 d"]


def test_the_plot_of_sends_is_short_enough_to_show_at_once_even_when_much_was_sent() -> None:
    """Dagster's page shows Markdown below 1,000 characters in place, longer behind a link."""
    today = datetime.now(UTC).date()
    sends = [
        SettledEmails(today - timedelta(days=back), "owner_reset", "sent", 987_654_321 - back) for back in range(14)
    ]
    plot = metadata.describe_sends(sends, 14)["sent per day"].md_str
    assert plot.startswith("![sent per day](data:image/svg+xml;base64,")
    assert len(plot) < 1000


def test_the_plot_has_a_bar_for_each_day_with_sends() -> None:
    days = [(date(2026, 5, 1) + timedelta(days=n), n % 2) for n in range(14)]
    image = base64.b64decode(metadata.draw_bars(days).partition(",")[2]).decode()
    assert image.count("M") == 7


def test_only_what_was_sent_counts_as_sent() -> None:
    today = datetime.now(UTC).date()
    earlier = SettledEmails(
        today - timedelta(days=14), "owner_reset", "sent", 5
    )  # in part; the days shown are whole ones
    found = metadata.describe_sends(
        [earlier, SettledEmails(today, "owner_reset", "sent", 2), SettledEmails(today, "owner_reset", "dropped", 9)], 14
    )
    assert "| owner_reset | sent | 2 |" in found["outcomes"].md_str
    assert (found["sent today"], found["sent in 14 days"]) == (2, 2)


def test_a_line_is_as_wide_as_the_page_allows_and_says_its_bounds_in_words() -> None:
    shown = metadata.draw_line("dollars", [1.0, None, 3.0, *[2.5] * 45]).md_str
    assert shown is not None
    assert len(shown) < 1000
    assert shown.endswith("from 1.00 to 3.00, now 2.50")
    assert (metadata.draw_line("dollars", [1.0, None]).md_str or "").endswith("now not known")
    image = base64.b64decode(shown.partition("base64,")[2].partition(")")[0]).decode()
    assert 'width="364"' in image
    assert "L363 " in image
    assert image.count("M") == 2  # a gap where no value was known
