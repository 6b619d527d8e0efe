"""Which entries may be claimed now."""

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from reminder_worker.outbox.messages import ReminderKind
from reminder_worker.reminders.emails import EncryptedRecipient, ReminderEmail, SiblingEmail, decide_claim

NOW = datetime(2026, 11, 21, tzinfo=UTC)
MERGED = [ReminderKind.OWNER_RESET, ReminderKind.ACTIVATED_TRANSFER]
WINDOWS = [kind for kind in ReminderKind if kind.value.startswith(("before", "ready", "layer"))]


def entry(kind: ReminderKind, minutes: int = 0, recipient: str = "anna", event: str = "") -> ReminderEmail:
    """Without `event`, the event names the minute."""
    made = NOW + timedelta(minutes=minutes)
    return make_email(kind, made, None, recipient=recipient, event=event or f"1:{minutes}")


def make_email(
    kind: ReminderKind,
    made: datetime,
    stored: EncryptedRecipient | None,
    *,
    recipient: str = "0x",
    event: str = "e",
    email_hash: bytes | None = None,
    body: bytes | None = None,
) -> ReminderEmail:
    place = ("0xabc", recipient, event, "owner")
    return ReminderEmail(uuid4(), 1, kind, 0, 0, email_hash, body, body is not None, None, *place, made, stored)


def ids(entries: list[ReminderEmail]) -> list[UUID]:
    return [each.id for each in entries]


@pytest.mark.parametrize("kind", ReminderKind)
def test_an_entry_alone_is_claimed(kind: ReminderKind) -> None:
    one = entry(kind)
    assert decide_claim([one], {}).claim == [one]


@pytest.mark.parametrize("kind", MERGED)
def test_the_latest_speaks_for_those_before_it(kind: ReminderKind) -> None:
    first, second, third = entry(kind, 1), entry(kind, 2), entry(kind, 3)
    decision = decide_claim([second, third, first], {})
    assert decision.claim == [third]
    assert decision.merge == {first.id: third.id, second.id: third.id}


@pytest.mark.parametrize("kind", MERGED)
def test_one_that_waits_for_its_retry_takes_earlier_ones_with_it(kind: ReminderKind) -> None:
    due = entry(kind, 1)
    waiting = SiblingEmail(uuid4(), "1:0", NOW + timedelta(minutes=2), None)
    decision = decide_claim([due], {due.email_group: [waiting]})
    assert (decision.claim, decision.merge, decision.defer) == ([], {due.id: waiting.id}, {})
    assert decision.hurry == [waiting.id], "nothing of its kind was sent or is under way: it need not wait any more"


def test_one_that_waits_for_another_under_way_is_not_hurried_by_a_merge() -> None:
    due = entry(ReminderKind.OWNER_RESET, 1)
    waiting = SiblingEmail(uuid4(), "1:0", NOW + timedelta(minutes=2), None)
    under_way = SiblingEmail(uuid4(), "1:0", NOW, NOW + timedelta(minutes=3))
    decision = decide_claim([due], {due.email_group: [waiting, under_way]})
    assert (decision.merge, decision.hurry) == ({due.id: waiting.id}, [])


@pytest.mark.parametrize("kind", WINDOWS)
def test_reminders_of_windows_are_never_merged_and_the_newest_goes_first(kind: ReminderKind) -> None:
    first, second = entry(kind, 1), entry(kind, 2)
    decision = decide_claim([first, second], {})
    assert (decision.claim, decision.merge, decision.defer) == ([second], {}, {})


@pytest.mark.parametrize("kind", WINDOWS)
def test_further_email_speaks_for_unsent_ones_of_its_deadline_alone(kind: ReminderKind) -> None:
    """As after an outage: the first email of a deadline, made again last, is still the earlier one."""
    first, further, other = entry(kind, 3, event="4:60"), entry(kind, 1, event="4:60:1"), entry(kind, 2, event="4:90")
    decision = decide_claim([first, further], {further.email_group: [SiblingEmail(uuid4(), "4:90", NOW, None)]})
    assert (decision.claim, decision.merge) == ([further], {first.id: further.id})
    assert decide_claim([further, other], {}).merge == {}
    waiting = SiblingEmail(uuid4(), "4:60:1", NOW, None)
    decision = decide_claim([first], {first.email_group: [waiting]})
    assert (decision.claim, decision.merge, decision.hurry) == ([], {first.id: waiting.id}, [waiting.id])


@pytest.mark.parametrize("kind", [*MERGED, *WINDOWS])
def test_one_sent_lately_puts_the_next_off_for_a_day(kind: ReminderKind) -> None:
    due = entry(kind)
    sent = [SiblingEmail(uuid4(), "1:0", NOW, NOW + timedelta(hours=hours)) for hours in (25, 27, 26)]
    decision = decide_claim([due], {due.email_group: sent})
    assert (decision.claim, decision.defer) == ([], {due.id: NOW + timedelta(hours=27)})


def test_instructions_and_activations_of_a_safe_are_not_limited() -> None:
    several = [
        entry(kind, n) for kind in (ReminderKind.INSTRUCTIONS, ReminderKind.ACTIVATED_MULTISIG) for n in range(3)
    ]
    assert ids(decide_claim(several, {}).claim) == ids(several)


def test_people_do_not_stand_in_each_others_way() -> None:
    both = [entry(ReminderKind.OWNER_RESET, 1, "anna"), entry(ReminderKind.OWNER_RESET, 1, "ben")]
    assert ids(decide_claim(both, {}).claim) == ids(both)


def test_an_entry_does_not_show_what_is_in_it() -> None:
    stored = EncryptedRecipient("key", b"salt", b"email", b"name")
    made = make_email(ReminderKind.OWNER_RESET, datetime.now(UTC), stored, email_hash=b"hash", body=b"secret")
    for secret in ("secret", "b'email'", "b'name'", "salt", "hash"):
        assert secret not in repr(made)
