"""Recipients of each email."""

import msgspec

from reminder_worker.indexer.models import ReminderConfig
from reminder_worker.outbox.messages import RecipientRole
from reminder_worker.reminders.audience import LegacyMembership, find_audience

OWNER, SAFE, SIGNER, ANNA, BEN, CLARA, DAN, STRANGER = (f"0x{digit * 40}" for digit in "123456789"[:8])
MEMBERS = LegacyMembership(OWNER, OWNER, (ANNA, BEN), CLARA, DAN)
CONFIG = ReminderConfig("0x", OWNER, (), (ANNA, BEN), CLARA, DAN)
EVERYBODY = {OWNER, ANNA, BEN, CLARA, DAN, STRANGER}


def test_each_line_holds_those_of_it_and_the_lines_before_it_who_are_members_configured_and_stored() -> None:
    without_anna = LegacyMembership(OWNER, OWNER, (BEN,), CLARA, DAN)
    with_a_stranger = LegacyMembership(OWNER, OWNER, (ANNA, BEN, STRANGER), CLARA, DAN)
    for config, stored, members, line, expected in (
        (CONFIG, EVERYBODY, MEMBERS, 1, {OWNER, ANNA, BEN}),
        (CONFIG, EVERYBODY, MEMBERS, 2, {OWNER, ANNA, BEN, CLARA}),
        (CONFIG, EVERYBODY, MEMBERS, 3, {OWNER, ANNA, BEN, CLARA, DAN}),
        (None, EVERYBODY, MEMBERS, 3, set()),
        (CONFIG, {OWNER, BEN}, MEMBERS, 3, {OWNER, BEN}),
        (CONFIG, EVERYBODY, without_anna, 3, {OWNER, BEN, CLARA, DAN}),
        (CONFIG, EVERYBODY, with_a_stranger, 3, {OWNER, ANNA, BEN, CLARA, DAN}),
    ):
        assert set(find_audience(config, stored, members, line)) == expected


def test_roles_come_from_the_chain_whatever_is_configured() -> None:
    config = ReminderConfig("0x", OWNER, (), (ANNA, CLARA), BEN, None)
    found = find_audience(config, EVERYBODY, MEMBERS, 2)
    assert found == {
        OWNER: RecipientRole.OWNER,
        ANNA: RecipientRole.BENEFICIARY,
        BEN: RecipientRole.BENEFICIARY,
        CLARA: RecipientRole.SECOND_LINE,
    }


def test_the_creator_of_a_safe_legacy_hears_as_its_owner_and_only_its_signers_as_cosigners() -> None:
    config = ReminderConfig("0x", OWNER, (OWNER, SIGNER, STRANGER), (ANNA,), None, None)
    members = LegacyMembership(SAFE, OWNER, (ANNA,), cosigners=(OWNER, SIGNER))
    found = find_audience(config, {OWNER, SIGNER, STRANGER, ANNA}, members, 1)
    assert found == {OWNER: RecipientRole.OWNER, ANNA: RecipientRole.BENEFICIARY, SIGNER: RecipientRole.COSIGNER}


def test_a_safe_that_is_configured_and_stored_is_told_as_the_owner_of_its_legacy() -> None:
    """A Safe may have a mailbox of its own, for example that of a treasury."""
    config = ReminderConfig("0x", OWNER, (SAFE,), (ANNA,), None, None)
    members = LegacyMembership(SAFE, OWNER, (ANNA,), cosigners=(OWNER,))
    assert find_audience(config, {SAFE, ANNA}, members, 1) == {
        SAFE: RecipientRole.OWNER,
        ANNA: RecipientRole.BENEFICIARY,
    }


def test_a_person_with_two_roles_has_the_first_role_until_the_other_line_may_act() -> None:
    """A beneficiary who is also third in line is not told to wait for their turn; when it has come, that it has."""
    members = LegacyMembership(OWNER, OWNER, (ANNA, BEN), ANNA, BEN)
    for line in (1, 2, 3):
        found = find_audience(CONFIG, EVERYBODY, members, line)
        assert (found[ANNA], found[BEN]) == (RecipientRole.BENEFICIARY, RecipientRole.BENEFICIARY)
    assert find_audience(CONFIG, EVERYBODY, members, 2, may_act=True)[ANNA] is RecipientRole.SECOND_LINE
    assert find_audience(CONFIG, EVERYBODY, members, 3, may_act=True)[BEN] is RecipientRole.THIRD_LINE


def test_a_membership_survives_being_stored() -> None:
    members = LegacyMembership(SAFE, OWNER, (ANNA,), None, None, (SIGNER,))
    assert msgspec.convert(msgspec.json.decode(msgspec.json.encode(members)), LegacyMembership) == members
