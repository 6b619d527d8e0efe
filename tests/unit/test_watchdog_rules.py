"""Rules of the watchdog, each at its very edge."""

from typing import Any

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
    return PassState(name, chain_id, 0, succeeded, None, error)


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


def test_a_pass_stands_still_from_the_end_of_its_own_time_and_another_try() -> None:
    """Five minutes and its own interval; by the clock two of them, also if it never ran. One failure is tried again."""
    by_the_clock = ExpectedPass("forget", 0, 3600, by_the_clock=True)
    due, other = ExpectedPass("due", 1, 60), ExpectedPass("due", 2, 60)
    for expected, states, stalled in (
        ([by_the_clock], [], []),
        ([by_the_clock], [state("forget", 7500, chain_id=0)], []),
        ([by_the_clock], [state("forget", 7501, chain_id=0)], [("forget", 0)]),
        ([by_the_clock], [PassState("forget", 0, 7500, None, None, None)], []),
        ([by_the_clock], [PassState("forget", 0, 7501, None, None, None)], [("forget", 0)]),
        ([by_the_clock], [PassState("forget", 0, 0, None, None, "E")], [("forget", 0)]),
        ([due], [state(succeeded=360)], []),
        ([due], [state(succeeded=361)], [("due", 1)]),
        ([ExpectedPass("due", 1, 3600)], [state(succeeded=3900)], []),
        ([due], [state(succeeded=30, error="ChainUnavailable")], []),
        ([due, other], [state(succeeded=9999, chain_id=2), state(chain_id=1)], [("due", 2)]),
        ([], [state("gifts", None), state("relay", 10**6)], []),  # passes that are off
    ):
        found = wrong(expected=expected, states=states)
        assert found == [(AlertKind.WORKER_STALLED, *each) for each in stalled], states


def test_a_pass_that_never_succeeded_has_the_time_of_any_other() -> None:
    (found,) = judged(expected=[ExpectedPass("prices", 1, 300)]).values()
    assert found.hold_seconds == LIMITS.alive_seconds + 300


def test_each_trouble_of_endpoints_is_a_condition_of_its_own_and_they_may_differ_a_little() -> None:
    for small in ({"lowest": 1000 - 30}, {"newest_age": 600}, {"newest_age": -LIMITS.clocks_within}):
        assert wrong(chains=[sight(**small)]) == [], small
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


def test_a_reader_lags_when_it_is_far_and_comes_no_nearer() -> None:
    far = LIMITS.max_lag_blocks + 1
    for why, behind, before, lags in (
        ("near", far - 1, [far - 1], False),
        ("comes no nearer", far, [far], True),
        ("catches up", 10**6, [10**6 + 1], False),
        ("not compared yet", 10**6, [], False),
        ("at times, not on the whole", 505, [500, 505, 510, 515], True),
        ("is read again", 10**6, [0, 5, far - 1], False),
    ):
        for name in ("index", "signals"):
            found = wrong(chains=[sight(lags=[ReaderLag(name, behind, before)])])
            assert found == ([(AlertKind.INDEX_LAGGING, name, 1)] if lags else []), why


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
