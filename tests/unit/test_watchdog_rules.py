"""What the watchdog calls wrong, rule by rule, at the very edges."""

from typing import Any

import pytest

from reminder_worker.monitoring.operations import PassState
from reminder_worker.monitoring.rules import (
    ALIVE_WITHIN,
    APART_BLOCKS,
    CLOCKS_WITHIN,
    GROWTH,
    MAX_LAG_BLOCKS,
    NEW_BLOCK_WITHIN,
    SETTLED_WITHIN,
    ChainSight,
    Expected,
    Known,
    Reading,
    Relays,
    Trouble,
    judge,
)
from reminder_worker.outbox.messages import AlertKind

WELL = ChainSight(
    1,
    endpoints=2,
    answering=2,
    lowest=1000,
    highest=1000,
    newest_age=5,
    settled={"safe": SETTLED_WITHIN, "finalized": SETTLED_WITHIN},
    readings=[Reading("index", 0, [0]), Reading("signals", -MAX_LAG_BLOCKS, [0])],
)


def state(name: str = "due", succeeded: int | None = 0, chain_id: int = 1, error: str | None = None) -> PassState:
    return PassState(name, chain_id, 0, succeeded, None, error, None, None)


def wrong(
    *, expected: Any = (), states: Any = (), chains: Any = (), trouble: Trouble | None = None
) -> list[tuple[AlertKind, str, int]]:
    return list(judge(Known(expected, states, chains, trouble or Trouble())))


def sight(**changes: Any) -> ChainSight:
    whole = {name: getattr(WELL, name) for name in WELL.__slots__}
    return ChainSight(**{**whole, **changes})


def test_nothing_known_and_nothing_expected_is_well() -> None:
    assert wrong() == []
    assert wrong(chains=[WELL]) == []


@pytest.mark.parametrize(("age", "stalled"), [(None, False), (7500, False), (7501, True)])
def test_what_runs_by_the_clock_has_its_first_hour_and_another_try(age: int | None, stalled: bool) -> None:
    states = [] if age is None else [state("forget", succeeded=age, chain_id=0)]
    found = wrong(expected=[Expected("forget", 0, 3600, by_the_clock=True)], states=states)
    assert bool(found) is stalled


@pytest.mark.parametrize(("looked_for", "error", "stalled"), [(7500, None, False), (7501, None, True), (0, "E", True)])
def test_what_never_ran_by_the_clock_is_late_too(looked_for: int, error: str | None, stalled: bool) -> None:
    states = [PassState("forget", 0, looked_for, None, None, error, None, None)]
    found = wrong(expected=[Expected("forget", 0, 3600, by_the_clock=True)], states=states)
    assert bool(found) is stalled


@pytest.mark.parametrize("name", ["due", "forget"])
def test_a_success_at_a_time_to_come_hides_no_pass_that_stands_still(name: str) -> None:
    """The database's clock was ahead, and was put back since. Who is alive succeeds again before this is told."""
    expected = [Expected(name, 1, 3600, by_the_clock=name == "forget")]
    known = Known(expected, [PassState(name, 1, -7000, -7000, None, None, None, None)], [], Trouble())
    (found,) = judge(known).values()
    assert (found.subject, found.hold_seconds > 3600) == (name, True)


@pytest.mark.parametrize(("every", "age", "stalled"), [(60, 360, False), (60, 361, True), (3600, 3900, False)])
def test_each_pass_has_its_own_time_beside_the_five_minutes(every: int, age: int, stalled: bool) -> None:
    found = wrong(expected=[Expected("due", 1, every)], states=[state(succeeded=age)])
    assert found == ([(AlertKind.WORKER_STALLED, "due", 1)] if stalled else [])


def test_a_pass_that_fails_at_times_but_succeeds_is_well() -> None:
    """One failure is tried again; only what does not succeed for long is told."""
    assert wrong(expected=[Expected("due", 1, 60)], states=[state(succeeded=30, error="ChainUnavailable")]) == []


def test_one_chain_standing_still_is_told_of_that_chain() -> None:
    expected = [Expected("due", 1, 60), Expected("due", 2, 60)]
    states = [state(succeeded=9999, chain_id=2), state(chain_id=1)]
    assert wrong(expected=expected, states=states) == [(AlertKind.WORKER_STALLED, "due", 2)]


def test_a_pass_that_never_succeeded_has_the_time_of_any_other() -> None:
    (found,) = judge(Known([Expected("prices", 1, 300)], [], [], Trouble())).values()
    assert found.hold_seconds == ALIVE_WITHIN + 300


def test_states_of_passes_that_are_off_are_not_looked_at() -> None:
    assert wrong(states=[state("gifts", None), state("relay", 10**6)]) == []


@pytest.mark.parametrize(
    ("changes", "about"),
    [
        ({"answering": 1}, "no answer"),
        ({"lowest": 1000 - APART_BLOCKS - 1}, "an endpoint lags"),
        ({"newest_age": NEW_BLOCK_WITHIN + 1}, "no new block"),
        ({"newest_age": -CLOCKS_WITHIN - 1}, "a block of the future"),
        ({"agree": False}, "endpoints disagree"),
        ({"settled": {"finalized": 5, "safe": SETTLED_WITHIN + 1}}, "no new safe block"),
        ({"settled": {"finalized": SETTLED_WITHIN + 1}}, "no new finalized block"),
        ({"readings": [Reading("index", -MAX_LAG_BLOCKS - 1, [-MAX_LAG_BLOCKS])]}, "behind what was read"),
    ],
)
def test_each_trouble_of_endpoints_is_a_condition_of_its_own(changes: dict[str, Any], about: str) -> None:
    assert wrong(chains=[sight(**changes)]) == [(AlertKind.RPC_TROUBLE, about, 1)]


@pytest.mark.parametrize(
    "changes", [{"lowest": 1000 - APART_BLOCKS}, {"newest_age": NEW_BLOCK_WITHIN}, {"newest_age": -CLOCKS_WITHIN}]
)
def test_endpoints_may_differ_a_little(changes: dict[str, Any]) -> None:
    assert wrong(chains=[sight(**changes)]) == []


def test_of_a_chain_that_does_not_answer_at_all_everything_else_is_a_consequence() -> None:
    """Of that chain: a pass that stands still on another one, or of none, has a cause of its own."""
    expected = [Expected("index", 1, 5), Expected("index", 2, 5), Expected("dispatch", 0, 15)]
    states = [state(each.name, 9999, chain_id=each.chain_id) for each in expected]
    found = judge(Known(expected, states, [ChainSight(1, 2, 0), sight(chain_id=2)], Trouble()))
    cause = (AlertKind.RPC_TROUBLE, "none answers", 1)
    assert {key: each.because for key, each in found.items()} == {
        cause: None,
        (AlertKind.RPC_TROUBLE, "no answer", 1): cause,
        (AlertKind.WORKER_STALLED, "index", 1): cause,
        (AlertKind.WORKER_STALLED, "index", 2): None,
        (AlertKind.WORKER_STALLED, "dispatch", 0): None,
    }


def test_where_one_endpoint_answers_nothing_is_a_consequence() -> None:
    found = judge(Known([Expected("index", 1, 5)], [state("index", 9999, chain_id=1)], [sight(answering=1)], Trouble()))
    assert {each.because for each in found.values()} == {None}


@pytest.mark.parametrize(
    ("behind", "before", "lags"),
    [
        (MAX_LAG_BLOCKS, [MAX_LAG_BLOCKS], False),
        (MAX_LAG_BLOCKS + 1, [MAX_LAG_BLOCKS + 1], True),
        (10**6, [10**6 + 1], False),
        (10**6, [], False),
        (505, [500, 505, 510, 515], True),
        (10**6, [0, 5, MAX_LAG_BLOCKS], False),
    ],
    ids=["near", "comes no nearer", "catches up", "not compared yet", "at times, not on the whole", "is read again"],
)
@pytest.mark.parametrize("name", ["index", "signals"])
def test_a_reader_lags_when_it_is_far_and_comes_no_nearer(
    name: str, behind: int, before: list[int], lags: bool
) -> None:
    found = wrong(chains=[sight(readings=[Reading(name, behind, before)])])
    assert found == ([(AlertKind.INDEX_LAGGING, name, 1)] if lags else [])


def test_relays_that_come_to_no_end_are_told_by_their_wallet_and_why() -> None:
    ours, left = "0x" + "11" * 20, "0x" + "22" * 20
    relays = [Relays(1, ours, 2, 7300, True), Relays(5, left, 1, 9000, False), Relays(9, ours, 1, 9000, True, False)]
    found = judge(Known([], [], [], Trouble(), relays))
    wallets = [(ours, 1), (left, 5), (ours, 9)]
    assert list(found) == [(AlertKind.RELAY_NOT_FINAL, *each) for each in wallets]
    lacks = [{"its key", "its chain"} & each.facts.keys() for each in found.values()]
    assert lacks == [set(), {"its key"}, {"its chain"}]


@pytest.mark.parametrize(
    ("trouble", "kind"),
    [
        (Trouble(late=1, oldest_late=1801), AlertKind.EMAILS_LATE),
        (Trouble(held=1), AlertKind.EMAILS_NEED_HAND),
        (Trouble(dead=1), AlertKind.EMAILS_NEED_HAND),
        (Trouble(refused_alerts=1), AlertKind.EMAILS_NEED_HAND),
        (Trouble(failed={"relay": GROWTH, "gifts": GROWTH - 1}), AlertKind.FAILURES_GROWING),
    ],
)
def test_trouble_with_emails_and_relays_is_told_by_its_kind(trouble: Trouble, kind: AlertKind) -> None:
    assert [each for each, _, _ in wrong(trouble=trouble)] == [kind]
