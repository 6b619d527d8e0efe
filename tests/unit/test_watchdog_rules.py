"""Rules of the watchdog, each at its very edge."""

from typing import Any

import pytest

from reminder_worker.declarations import ExpectedPass
from reminder_worker.monitoring.endpoints import ChainSight, ReaderLag
from reminder_worker.monitoring.facts import LIMITS, EmailTrouble, PassState, WatchedFacts
from reminder_worker.monitoring.rules import ConditionKey, WrongCondition, judge_facts
from reminder_worker.outbox.delivery_reports import ReportReading
from reminder_worker.outbox.messages import AlertKind
from reminder_worker.relay.operator import UnfinishedRequests

WELL = ChainSight(
    1,
    endpoints=2,
    answering=2,
    lowest=1000,
    highest=1000,
    newest_age=5,
    settled={"safe": LIMITS.settled_within, "finalized": LIMITS.settled_within},
    lags=[ReaderLag("index", 0, [0]), ReaderLag("signals", -LIMITS.max_lag_blocks, [0])],
)


def state(name: str = "due", succeeded: int | None = 0, chain_id: int = 1, error: str | None = None) -> PassState:
    return PassState(name, chain_id, 0, succeeded, None, error, None, None)


def judged(
    *,
    expected: Any = (),
    states: Any = (),
    chains: Any = (),
    trouble: Any = None,
    unfinished: Any = (),
    reports: Any = None,
) -> dict[ConditionKey, WrongCondition]:
    facts = WatchedFacts(
        expected, passes=states, trouble=trouble or EmailTrouble(), unfinished=unfinished, reports=reports
    )
    return judge_facts(facts, chains)


def wrong(**facts: Any) -> list[tuple[AlertKind, str, int]]:
    return list(judged(**facts))


def sight(**changes: Any) -> ChainSight:
    whole = {name: getattr(WELL, name) for name in WELL.__slots__}
    return ChainSight(**{**whole, **changes})


def test_nothing_known_and_nothing_expected_is_well() -> None:
    assert wrong() == []
    assert wrong(chains=[WELL]) == []


@pytest.mark.parametrize(("age", "stalled"), [(None, False), (7500, False), (7501, True)])
def test_what_runs_by_the_clock_has_its_first_hour_and_another_try(age: int | None, stalled: bool) -> None:
    states = [] if age is None else [state("forget", succeeded=age, chain_id=0)]
    found = wrong(expected=[ExpectedPass("forget", 0, 3600, by_the_clock=True)], states=states)
    assert bool(found) is stalled


@pytest.mark.parametrize(("looked_for", "error", "stalled"), [(7500, None, False), (7501, None, True), (0, "E", True)])
def test_what_never_ran_by_the_clock_is_late_too(looked_for: int, error: str | None, stalled: bool) -> None:
    states = [PassState("forget", 0, looked_for, None, None, error, None, None)]
    found = wrong(expected=[ExpectedPass("forget", 0, 3600, by_the_clock=True)], states=states)
    assert bool(found) is stalled


@pytest.mark.parametrize(("every", "age", "stalled"), [(60, 360, False), (60, 361, True), (3600, 3900, False)])
def test_each_pass_has_its_own_time_beside_the_five_minutes(every: int, age: int, stalled: bool) -> None:
    found = wrong(expected=[ExpectedPass("due", 1, every)], states=[state(succeeded=age)])
    assert found == ([(AlertKind.WORKER_STALLED, "due", 1)] if stalled else [])


def test_a_pass_that_fails_at_times_but_succeeds_is_well() -> None:
    """One failure is tried again; only what does not succeed for long is told."""
    assert wrong(expected=[ExpectedPass("due", 1, 60)], states=[state(succeeded=30, error="ChainUnavailable")]) == []


def test_one_chain_standing_still_is_told_of_that_chain() -> None:
    expected = [ExpectedPass("due", 1, 60), ExpectedPass("due", 2, 60)]
    states = [state(succeeded=9999, chain_id=2), state(chain_id=1)]
    assert wrong(expected=expected, states=states) == [(AlertKind.WORKER_STALLED, "due", 2)]


def test_a_pass_that_never_succeeded_has_the_time_of_any_other() -> None:
    (found,) = judged(expected=[ExpectedPass("prices", 1, 300)]).values()
    assert found.hold_seconds == LIMITS.alive_seconds + 300


def test_states_of_passes_that_are_off_are_not_looked_at() -> None:
    assert wrong(states=[state("gifts", None), state("relay", 10**6)]) == []


def test_each_trouble_of_endpoints_is_a_condition_of_its_own() -> None:
    for changes, about in (
        ({"answering": 1}, "no answer"),
        ({"lowest": 1000 - 31}, "an endpoint lags"),
        ({"newest_age": 601}, "no new block"),
        ({"newest_age": -LIMITS.clocks_within - 1}, "a block of the future"),
        ({"agree": False}, "endpoints disagree"),
        ({"settled": {"finalized": 5, "safe": LIMITS.settled_within + 1}}, "no new safe block"),
        ({"settled": {"finalized": LIMITS.settled_within + 1}}, "no new finalized block"),
        ({"lags": [ReaderLag("index", -LIMITS.max_lag_blocks - 1, [-LIMITS.max_lag_blocks])]}, "behind what was read"),
    ):
        assert wrong(chains=[sight(**changes)]) == [(AlertKind.RPC_TROUBLE, about, 1)]


@pytest.mark.parametrize("changes", [{"lowest": 1000 - 30}, {"newest_age": 600}, {"newest_age": -LIMITS.clocks_within}])
def test_endpoints_may_differ_a_little(changes: dict[str, Any]) -> None:
    assert wrong(chains=[sight(**changes)]) == []


def test_of_a_chain_that_does_not_answer_at_all_everything_else_is_a_consequence() -> None:
    """A pass that stands still on another chain, or on no chain, has a cause of its own."""
    expected = [ExpectedPass("index", 1, 5), ExpectedPass("index", 2, 5), ExpectedPass("dispatch", 0, 15)]
    states = [state(each.name, 9999, chain_id=each.chain_id) for each in expected]
    found = judged(expected=expected, states=states, chains=[ChainSight(1, 2, 0), sight(chain_id=2)])
    cause = (AlertKind.RPC_TROUBLE, "none answers", 1)
    assert {key: each.because for key, each in found.items()} == {
        cause: None,
        (AlertKind.RPC_TROUBLE, "no answer", 1): cause,
        (AlertKind.WORKER_STALLED, "index", 1): cause,
        (AlertKind.WORKER_STALLED, "index", 2): None,
        (AlertKind.WORKER_STALLED, "dispatch", 0): None,
    }


def test_where_one_endpoint_answers_nothing_is_a_consequence() -> None:
    stalled = [state("index", 9999, chain_id=1)]
    found = judged(expected=[ExpectedPass("index", 1, 5)], states=stalled, chains=[sight(answering=1)])
    assert {each.because for each in found.values()} == {None}


@pytest.mark.parametrize(
    ("behind", "before", "lags"),
    [
        (LIMITS.max_lag_blocks, [LIMITS.max_lag_blocks], False),
        (LIMITS.max_lag_blocks + 1, [LIMITS.max_lag_blocks + 1], True),
        (10**6, [10**6 + 1], False),
        (10**6, [], False),
        (505, [500, 505, 510, 515], True),
        (10**6, [0, 5, LIMITS.max_lag_blocks], False),
    ],
    ids=["near", "comes no nearer", "catches up", "not compared yet", "at times, not on the whole", "is read again"],
)
@pytest.mark.parametrize("name", ["index", "signals"])
def test_a_reader_lags_when_it_is_far_and_comes_no_nearer(
    name: str, behind: int, before: list[int], lags: bool
) -> None:
    found = wrong(chains=[sight(lags=[ReaderLag(name, behind, before)])])
    assert found == ([(AlertKind.INDEX_LAGGING, name, 1)] if lags else [])


def test_relays_that_come_to_no_end_are_told_by_their_wallet_and_why() -> None:
    ours, left = "0x" + "11" * 20, "0x" + "22" * 20
    relays = [
        UnfinishedRequests(1, ours, 2, 7300, ours=True),
        UnfinishedRequests(5, left, 1, 9000, ours=False),
        UnfinishedRequests(9, ours, 1, 9000, ours=True, served=False),
    ]
    found = judged(unfinished=relays)
    wallets = [(ours, 1), (left, 5), (ours, 9)]
    assert list(found) == [(AlertKind.RELAY_NOT_FINAL, *each) for each in wallets]
    lacks = [{"its key", "its chain"} & each.facts.keys() for each in found.values()]
    assert lacks == [set(), {"its key"}, {"its chain"}]


def test_trouble_with_emails_and_relays_is_told_by_its_kind() -> None:
    for trouble, kind in (
        (EmailTrouble(late=1, oldest_late=1801), AlertKind.EMAILS_LATE),
        (EmailTrouble(held=1), AlertKind.EMAILS_NEED_HAND),
        (EmailTrouble(dead=1), AlertKind.EMAILS_NEED_HAND),
        (EmailTrouble(refused_alerts=1), AlertKind.EMAILS_NEED_HAND),
        (
            EmailTrouble(failed={"relay": LIMITS.failures_per_hour, "gifts": LIMITS.failures_per_hour - 1}),
            AlertKind.FAILURES_GROWING,
        ),
    ):
        assert [each for each, _, _ in wrong(trouble=trouble)] == [kind]


def test_mailbox_without_a_look_for_an_hour_or_with_a_report_set_aside_today_is_wrong() -> None:
    for reading, hold in (
        (None, None),
        (ReportReading(unmatched=9, unreadable=9), None),  # no mailbox
        (ReportReading(unread=9, look_age=LIMITS.mailbox_read_within), None),
        (ReportReading(unread=0, look_age=LIMITS.mailbox_read_within + 1), 0),
        (ReportReading(unread=0), LIMITS.mailbox_read_within),  # an hour for the first look
        (ReportReading(unread=0, set_aside=1, set_aside_age=5), 0),
        (ReportReading(unread=1, look_age=5, set_aside=1, set_aside_age=LIMITS.set_aside_shown), 0),
        (ReportReading(unread=1, look_age=5, set_aside=1, set_aside_age=LIMITS.set_aside_shown + 1), None),
        (ReportReading(unread=0, look_age=5, unmatched=LIMITS.unmatched_at_first), 0),
        (ReportReading(unread=0, look_age=5, unmatched=LIMITS.unmatched_at_first, taken=1), None),
        (ReportReading(unread=0, look_age=5, unmatched=LIMITS.unmatched_at_first - 1), None),
    ):
        found = judged(reports=reading)
        expected = [] if hold is None else [((AlertKind.REPORTS_NOT_READ, "delivery reports", 0), hold)]
        assert [(key, condition.hold_seconds) for key, condition in found.items()] == expected
