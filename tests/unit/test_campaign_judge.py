"""The campaign's judge finds every missing and every surplus email, for all kinds and lines."""

from collections.abc import Collection, Sequence
from dataclasses import replace

import pytest

from mail_service.catalogue import TEMPLATES
from mail_service.rendering import EmailRenderer
from tests.campaign.expected import (
    FURTHER,
    GIFTS,
    LATE_BLOCKS,
    SIGNALS,
    WARNINGS,
    WINDOWS,
    ChainMoment,
    ChainSignal,
    ReceivedEmail,
    deadline_words,
    judge_emails,
    kinds_without_proof,
)
from tests.campaign.judge import KeyedEmail, resets_were_merged
from tests.campaign.reading import read_amounts, read_email, read_wallet

LEGACY = "0x" + "1e" * 20
ORIGIN = "https://app.example.org"
DAY = 86400
TIMES = (1_800_000_000, 1_800_000_000 + 10 * DAY, 1_800_000_000 + 20 * DAY)  # when each line may act
LINES = {1: {"owner", "anna"}, 2: {"owner", "anna", "fern"}, 3: {"owner", "anna", "fern", "giles"}}
AUDIENCE = {line: frozenset(people) for line, people in LINES.items()}
STORED = {(LEGACY, to): 1 for to in ("owner", "anna", "fern", "giles", "stranger")}
Story = Sequence[ChainMoment | ReceivedEmail]
"""Events on chain and emails received, in order."""


def sight(*windows: int, settled: bool = False, turn: int = 0, **others: object) -> ChainMoment:
    open_ones = frozenset((LEGACY, number, TIMES[WINDOWS[number][1] - 1], turn) for number in windows)
    owners = {LEGACY: frozenset({"owner"})}
    moment = ChainMoment(0, open_ones, {LEGACY: AUDIENCE}, STORED, (), settled, owners=owners)
    return replace(moment, **others)  # type: ignore[arg-type]


def signal(kind: int, layer: int = 1, tx: str = "0x1", opened: Collection[int] = ()) -> ChainSignal:
    return ChainSignal(tx, LEGACY, kind, layer, AUDIENCE, {line: TIMES[line - 1] for line in opened})


def window_email(to: str, number: int, turn: int = 0) -> ReceivedEmail:
    kind, line = WINDOWS[number]
    return ReceivedEmail(to, kind, LEGACY, deadline_words(TIMES[line - 1]), turn)


def signal_email(to: str, kind: int) -> ReceivedEmail:
    return ReceivedEmail(to, SIGNALS[kind], LEGACY)


def story_of_window(number: int) -> list[ChainMoment | ReceivedEmail]:
    people = sorted(LINES[WINDOWS[number][1]])
    return [sight(number), *(window_email(to, number) for to in people), sight(number, settled=True)]


def story_of_signal(kind: int, layer: int) -> list[ChainMoment | ReceivedEmail]:
    said = (signal(kind, layer),)
    emails = [signal_email(to, kind) for to in sorted(LINES[layer])]
    return [sight(signals=said), *emails, sight(signals=said, settled=True)]


def state_email(kind: str) -> ReceivedEmail:
    about = ("owner", kind, LEGACY) if kind in WARNINGS else ("anna", kind, "gift 7")
    return ReceivedEmail(*about, deadline_words(TIMES[0]))


def story_of_state(kind: str) -> list[ChainMoment | ReceivedEmail]:
    email = state_email(kind)
    return [sight(states={email: 1}), email, sight(states={email: 1}, settled=True)]


NOTICED = story_of_window(1)
OPENED = story_of_window(4)
STORIES = {
    "further email": [*OPENED, sight(4, turn=2), window_email("anna", 4, 2), sight(4, turn=2, settled=True)],
    "second notice": [*NOTICED, sight(1, turn=1), window_email("owner", 1, 1), sight(1, turn=1, settled=True)],
    **{kind: story_of_state(kind) for kind in (*WARNINGS, *GIFTS)},
    **{f"window {number}": story_of_window(number) for number in WINDOWS},
    **{f"{kind} of line {line}": story_of_signal(code, line) for code, kind in SIGNALS.items() for line in LINES},
}


def judged(story: Story, shown: Collection[ReceivedEmail] = ()) -> list[str]:
    emails: list[ReceivedEmail] = []
    sights: list[ChainMoment] = []
    for each in story:
        if isinstance(each, ReceivedEmail):
            emails.append(each)
        else:
            sights.append(replace(each, received=len(emails)))
    return judge_emails(sights, emails, shown)


def test_a_complete_story_has_no_violation_and_each_missing_or_second_email_is_one() -> None:
    for name, story in STORIES.items():
        assert judged(story) == [], name
        for index, email in enumerate(story):
            if not isinstance(email, ReceivedEmail):
                continue
            (found,) = judged([*story[:index], *story[index + 1 :]])
            assert email.to in found, name
            assert email.kind in found, name
            (found,) = judged([*story, email])
            assert f"{email.to} was told 2 times" in found, name


ENDING = state_email("premium_ending")
SAID_ONCE = (signal(2),)
AGAIN = (signal(2, tx="0x2"),)
TOLD = [signal_email(to, 2) for to in ("anna", "owner")]
LATE_CLAIM = (signal(2, opened=[2]),)
WRONG: dict[str, Story] = {
    "a person of a later line": [*story_of_window(4), window_email("fern", 4)],
    "a stored person whom the chain does not name": [*story_of_window(4), window_email("stranger", 4)],
    "a person who is not stored": [sight(4, stored={}), window_email("anna", 4)],
    "another deadline": [sight(4), ReceivedEmail("anna", "ready_to_activate", LEGACY, deadline_words(TIMES[0] + DAY))],
    "another legacy": [sight(4), window_email("anna", 4)._replace(legacy="0x" + "2f" * 20)],
    "a window that opens later": [sight(1), window_email("anna", 4), sight(4)],
    "a claim that comes later": [sight(), TOLD[0], sight(signals=SAID_ONCE)],
    "a claim, to a later line": [sight(signals=SAID_ONCE), signal_email("giles", 2)],
    "a window that closed before": [*story_of_window(4)[:2], sight(block=1), sight(block=70), window_email("owner", 4)],
    "a claim, to somebody who left": [
        sight(signals=SAID_ONCE),
        sight(signals=SAID_ONCE, stored={}, block=1),
        sight(signals=SAID_ONCE, stored={}, block=70),
        TOLD[0],
    ],
    "the end of Premium, once renewed": [sight(states={ENDING: 1}), sight(block=1), sight(block=70), ENDING],
    "the end of Premium, told once of twice": [
        sight(states={ENDING: 1}),
        ENDING,
        sight(states={ENDING: 2}),
        sight(states={ENDING: 2}, settled=True),
    ],
    "an heir's further email, to the owner": [*OPENED, sight(4, turn=1), window_email("owner", 4, 1)],
    "a further email, not sent": [*OPENED, sight(4, turn=2, settled=True)],
    "a second notice, before its day": [*NOTICED, window_email("owner", 1, 1)],
    "a second notice, to an heir": [*NOTICED, sight(1, turn=1), window_email("anna", 1, 1)],
    "the opening day, before it": [sight(states={state_email("gift_waiting"): 1}), state_email("gift_unlocked")],
    "a kind that no chain calls for": [sight(), ReceivedEmail("anna", "instructions", LEGACY)],
    "a second claim, not told": [sight(signals=SAID_ONCE), *TOLD, sight(signals=SAID_ONCE + AGAIN, settled=True)],
    "a claim, not told to a line that was told to act": [
        *story_of_window(5),
        sight(5, signals=LATE_CLAIM),
        *TOLD,
        sight(signals=LATE_CLAIM, settled=True),
    ],
}


def test_what_the_chain_does_not_call_for_is_a_violation() -> None:
    assert [name for name, story in WRONG.items() if not judged(story)] == []


RIGHT: dict[str, Story] = {
    "a window that closed a moment ago, as a node that is behind tells it": [
        sight(4, block=10),
        sight(block=11),
        sight(block=10 + LATE_BLOCKS),
        window_email("owner", 4),
    ],
    "a second notice that speaks for the first": [
        sight(1),
        window_email("anna", 1),
        sight(1, turn=1),
        window_email("owner", 1, 1),
        sight(1, turn=1, settled=True),
    ],
    "a half of the notice before anybody was there": [
        *[each for each in NOTICED if isinstance(each, ReceivedEmail) or not each.settled],
        sight(1, turn=1, settled=True),
    ],
    "two claims told with the next email": [
        sight(signals=SAID_ONCE),
        sight(signals=SAID_ONCE + AGAIN),
        *TOLD,
        sight(signals=SAID_ONCE + AGAIN, settled=True),
    ],
    "a claim that a reorganisation takes away": [sight(signals=SAID_ONCE), TOLD[0], sight(settled=True)],
    "a window that closes before it is told": [sight(4), sight(settled=True)],
    "a person who was written anew after the claim": [
        sight(signals=SAID_ONCE),
        TOLD[1],
        sight(signals=SAID_ONCE, stored={**STORED, (LEGACY, "anna"): 2}, settled=True),
    ],
    "a window of a line without a person": [
        sight(2, audiences={LEGACY: {1: AUDIENCE[1]}}),
        sight(2, audiences={LEGACY: {1: AUDIENCE[1]}}, settled=True),
    ],
}


def test_what_no_promise_calls_for_is_no_violation() -> None:
    assert [name for name, story in RIGHT.items() if judged(story)] == []


def test_a_transaction_that_is_mined_again_is_told_once() -> None:
    """The hash of a transaction is the same in every block."""
    story: Story = [sight(signals=SAID_ONCE), *TOLD, sight(), sight(signals=SAID_ONCE, settled=True)]
    assert judged(story) == []
    assert judged([*story, TOLD[0]]) == [f"anna was told 2 times of 1 signals: activated_transfer of {LEGACY}"]


def test_an_email_that_operators_see_as_held_or_dead_is_not_lost() -> None:
    story: Story = [each for each in story_of_window(4) if each != window_email("anna", 4)]
    assert judged(story, {window_email("anna", 4)}) == []
    assert judged(story, {window_email("anna", 4)._replace(deadline=deadline_words(TIMES[1]))}) != []
    assert judged(story, {window_email("owner", 4)}) != []
    claimed: Story = [sight(signals=SAID_ONCE), TOLD[1], sight(signals=SAID_ONCE, settled=True)]
    assert judged(claimed, {TOLD[0]}) == []
    assert judged(claimed, {TOLD[1]}) != []


def test_a_kind_that_no_settled_sight_calls_for_is_a_violation() -> None:
    every_signal = [signal(kind) for kind in SIGNALS]
    further = [sight(*WINDOWS, settled=True, turn=turn) for turn in range(1, max(FURTHER.values()) + 1)]
    complete = sight(*WINDOWS, signals=every_signal, settled=True)
    assert kinds_without_proof([complete, *further]) == []
    unsettled = kinds_without_proof([replace(complete, settled=False)])
    assert len(unsettled) == len(WINDOWS) + len(SIGNALS) + 4, "four further emails have to be due"
    (found,) = kinds_without_proof([sight(*WINDOWS, signals=every_signal[1:], settled=True), *further])
    assert found.startswith("owner_reset")
    (found,) = kinds_without_proof([complete, *further], "guard_removed")
    assert found.startswith("guard_removed")
    warned = replace(complete, states={state_email("guard_removed"): 1})
    assert kinds_without_proof([warned, *further], "guard_removed") == []


def test_several_resets_of_a_day_are_one_email_to_each_person() -> None:
    letters = [KeyedEmail(str(number), signal_email(to, 0)) for number, to in enumerate(["anna", "owner", "anna"])]
    assert resets_were_merged(letters[:2], [(LEGACY, 0, 2)]) == []
    assert resets_were_merged(letters, [(LEGACY, 0, 3)]) == ["resets of a day were not merged: 2 emails"]
    (nobody,) = resets_were_merged(letters, [("0x", 0, 3)])
    assert "nothing was proven" in nobody


def test_wallet_and_amounts_of_an_email_are_read_from_its_words() -> None:
    for role, wallet in (("owner", None), ("beneficiary", "0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359")):
        text = EmailRenderer(ORIGIN).render_sample(TEMPLATES["activated_transfer"], role).text
        assert read_wallet(text) == wallet
        assert read_amounts(text) == {
            "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48": "12,500.00",
            "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2": "3.25",
        }


@pytest.mark.parametrize("kind", [*WARNINGS, *GIFTS])
def test_emails_about_lasting_states_are_read_from_their_words(kind: str) -> None:
    email = EmailRenderer(ORIGIN).render_sample(TEMPLATES[kind], None if kind in GIFTS else "owner")
    found = read_email("anna", email.subject, email.text)
    assert (found.kind, found.deadline) == (kind, "Tuesday, 24 November 2026, 15:04 UTC")
    assert (found.legacy == "gift 42") == (kind in GIFTS)


def test_the_kind_of_an_email_is_read_from_its_words() -> None:
    for subject, role, kind in (
        ("You can now claim from legacy 7 on Testland", "Beneficiary", "ready_to_activate"),
        ("You can now claim from legacy 7 on Testland", "Second in line", "layer2_ready"),
        ("You can now claim from legacy 7 on Testland", "Third in line", "layer3_ready"),
        ("Something else of legacy 7 on Testland", "Owner", "Something else of legacy 7 on Testland"),
    ):
        contract = "0x" + LEGACY[2:].upper()
        text = f"Open since\r\n  {deadline_words(TIMES[0])}\r\nYour role: {role}\r\nContract:  {contract}\r\n"
        assert read_email("anna", subject, text) == ReceivedEmail("anna", kind, LEGACY, deadline_words(TIMES[0]))
