"""The rules of a rehearsal: each reason why a person gets no email."""

from dataclasses import replace
from typing import Any

import msgspec
import pytest

from reminder_worker.chain.contracts.legacies import NEVER
from reminder_worker.chain.contracts.safes import SafeState
from reminder_worker.indexer.models import ReminderConfig
from reminder_worker.outbox.messages import RecipientRole, ReminderKind
from reminder_worker.reminders.audience import LegacyMembership
from reminder_worker.reminders.rehearsal import LegacyRehearsal, Reasons, RehearsalFacts, UntoldReason, rehearse_legacy

DAY = 86_400
OWNER, SAFE, ANNA, BEN, CLARA, DAN, STRANGER = (f"0x{digit * 40}" for digit in "1234567")
MEMBERS = LegacyMembership(OWNER, OWNER, (ANNA, BEN), CLARA, DAN)
CONFIG = ReminderConfig("0x", OWNER, (), (ANNA, BEN), CLARA, DAN)
FACTS = RehearsalFacts(
    legacy="0x",
    now=0,
    is_live=True,
    triggers=(30 * DAY, 60 * DAY, 90 * DAY),
    ahead=7 * DAY,
    members=MEMBERS,
    config=CONFIG,
    premium_until=1000 * DAY,
)
EVERYBODY = (OWNER, ANNA, BEN, CLARA, DAN)
STORED: dict[str, Reasons] = dict.fromkeys(EVERYBODY, ())


def rehearse(facts: RehearsalFacts = FACTS, stored: dict[str, Reasons] = STORED) -> LegacyRehearsal:
    return rehearse_legacy(facts, stored, dict.fromkeys(EVERYBODY, "beneficiary"))


def reasons_of(rehearsed: LegacyRehearsal, account: str) -> list[tuple[ReminderKind, list[str]]]:
    """Return kind and reasons of each window's first email to this account."""
    found = []
    for window in (each for each in rehearsed.windows if each.turn == 0):
        (person,) = [each for each in window.people if each.recipient == account]
        assert person.will_be_told == (not person.reasons)
        found.append((window.kind, [str(reason) for reason in person.reasons]))
    return found


def test_each_window_tells_its_line_and_the_lines_before_it_in_order_of_time() -> None:
    rehearsed = rehearse()
    told = []
    for window in (each for each in rehearsed.windows if each.turn == 0):
        told.append((window.kind, window.line, window.window.opens_at // DAY, window.window.deadline // DAY))
    assert told == [
        (ReminderKind.BEFORE_ACTIVATION, 1, 23, 30),
        (ReminderKind.READY_TO_ACTIVATE, 1, 30, 30),
        (ReminderKind.BEFORE_LAYER2, 2, 53, 60),
        (ReminderKind.LAYER2_READY, 2, 60, 60),
        (ReminderKind.BEFORE_LAYER3, 3, 83, 90),
        (ReminderKind.LAYER3_READY, 3, 90, 90),
    ]
    assert [reasons for _, reasons in reasons_of(rehearsed, OWNER)] == [[]] * 6
    assert [reasons for _, reasons in reasons_of(rehearsed, CLARA)] == [["later_line"]] * 2 + [[]] * 4
    assert [reasons for _, reasons in reasons_of(rehearsed, DAN)] == [["later_line"]] * 4 + [[]] * 2
    assert [(each.will_be_told, each.reasons) for each in rehearsed.people] == [(True, ())] * 5


def test_further_emails_are_foretold_to_those_who_may_act_while_their_window_is_open() -> None:
    """Claims of the first two lines close with the turn of the next line, before their further emails."""
    further = []
    for window in (each for each in rehearse().windows if each.turn):
        people = [each.recipient for each in window.people if each.will_be_told]
        further.append((window.kind, window.turn, window.emails_at / DAY, people))
    heirs = [ANNA, BEN, CLARA, DAN]
    assert further == [
        (ReminderKind.BEFORE_ACTIVATION, 1, 26.5, [OWNER]),
        (ReminderKind.LAYER3_READY, 1, 120, heirs),
        (ReminderKind.LAYER3_READY, 2, 180, heirs),
        (ReminderKind.LAYER3_READY, 3, 455, heirs),
    ]


@pytest.mark.parametrize(
    ("changed", "account", "expected"),
    [
        ({"config": None}, ANNA, ["not_configured"]),
        ({"config": ReminderConfig("0x", OWNER, (), (BEN,), CLARA, DAN)}, ANNA, ["not_configured"]),
        ({"members": LegacyMembership(OWNER, OWNER, (BEN,), CLARA, DAN)}, ANNA, ["not_a_member"]),
        ({"members": None}, ANNA, ["over_bound"]),
        ({"premium_until": 10 * DAY}, ANNA, ["no_premium"]),
        ({"safe": SafeState(guarded=False, enabled=False)}, ANNA, ["guard_missing"]),
        ({"members": LegacyMembership(OWNER, OWNER, (ANNA, BEN), CLARA)}, DAN, ["not_a_member"]),
    ],
)
def test_a_fact_of_the_chain_keeps_a_person_from_every_email(
    changed: dict[str, Any], account: str, expected: list[str]
) -> None:
    rehearsed = rehearse(replace(FACTS, **changed))
    assert rehearsed.windows
    for kind, reasons in reasons_of(rehearsed, account):
        assert [each for each in reasons if each != "line_without_members"] == expected, kind
    (verdict,) = [each for each in rehearsed.people if each.recipient == account]
    assert not verdict.will_be_told
    assert set(expected) <= {str(each) for each in verdict.reasons}


@pytest.mark.parametrize("reason", ["address_returns", "unsubscribed", "erased_themself", "test_chain_not_listed"])
def test_a_reason_of_the_address_holds_in_every_window(reason: str) -> None:
    rehearsed = rehearse(stored={**STORED, BEN: (UntoldReason(reason),)})
    assert [reasons for _, reasons in reasons_of(rehearsed, BEN)] == [[reason]] * 6
    assert [each.will_be_told for each in rehearsed.people] == [True, True, False, True, True]


def test_a_reason_of_one_window_leaves_the_others() -> None:
    module_off = rehearse(replace(FACTS, safe=SafeState(guarded=True, enabled=False)))
    assert [reasons for _, reasons in reasons_of(module_off, ANNA)] == [[], ["module_disabled"]] * 3
    without_second = rehearse(replace(FACTS, members=msgspec.structs.replace(MEMBERS, second_line=None)))
    assert reasons_of(without_second, DAN) == [
        ("before_activation", ["later_line"]),
        ("ready_to_activate", ["later_line"]),
        ("before_layer2", ["line_without_members"]),
        ("layer3_ready", []),
    ]
    ending = rehearse(replace(FACTS, premium_until=60 * DAY))
    assert [reasons for _, reasons in reasons_of(ending, ANNA)] == [[]] * 4 + [["no_premium"]] * 2
    late = rehearse(replace(FACTS, now=45 * DAY, too_late=frozenset({4})))
    assert reasons_of(late, ANNA)[0] == ("ready_to_activate", ["too_late"])
    (verdict,) = [each for each in late.people if each.recipient == ANNA]
    assert (verdict.will_be_told, verdict.reasons) == (True, (UntoldReason.TOO_LATE,))


def test_whom_the_chain_names_and_nobody_stored_is_listed_without_an_address() -> None:
    rehearsed = rehearse_legacy(FACTS, {ANNA: (), STRANGER: ()}, {ANNA: "beneficiary", STRANGER: "third_line"})
    verdicts = {each.recipient: each.reasons for each in rehearsed.people}
    assert verdicts[BEN] == (UntoldReason.NO_ADDRESS,)
    assert verdicts[STRANGER] == (UntoldReason.NOT_CONFIGURED, UntoldReason.NOT_A_MEMBER)
    (role,) = {each.role for window in rehearsed.windows for each in window.people if each.recipient == STRANGER}
    assert role == RecipientRole.THIRD_LINE


def test_without_a_window_each_person_reads_why_nobody_is_told() -> None:
    changes: tuple[dict[str, Any], ...] = (
        {"is_live": False},
        {"triggers": (0, 0, 0)},
        {"triggers": (NEVER, NEVER, NEVER)},
    )
    for changed in changes:
        rehearsed = rehearse(replace(FACTS, **changed))
        assert rehearsed.windows == ()
        assert {each.reasons for each in rehearsed.people} == {(UntoldReason.NO_WINDOW,)}


def test_the_safe_of_a_legacy_is_no_person_unless_it_is_stored() -> None:
    members = LegacyMembership(SAFE, OWNER, (ANNA,), cosigners=(OWNER, BEN))
    config = ReminderConfig("0x", OWNER, (BEN, SAFE), (ANNA,), None, None)
    facts = replace(FACTS, members=members, triggers=(30 * DAY,) * 3, safe=SafeState(guarded=True, enabled=True))
    unnamed = replace(facts, config=replace(config, cosigners=(BEN,)))
    assert SAFE not in [each.recipient for each in rehearse_legacy(unnamed, {ANNA: ()}, {}).people]
    stored = rehearse_legacy(replace(facts, config=config), {SAFE: (), ANNA: ()}, {SAFE: "owner"})
    assert [each.recipient for each in stored.people if each.will_be_told] == [SAFE, ANNA]
