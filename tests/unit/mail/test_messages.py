"""The requests to the mail service: exactly its variables, plain words, nothing rounded."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mail_service.catalogue import TEMPLATES
from mail_service.variables import LinkOrigins, check_variables
from reminder_worker.outbox.messages import (
    LATEST_TIME,
    TEMPLATE_VERSION,
    AlertKind,
    EmailAddressee,
    GiftKind,
    GiftSubject,
    LegacySubject,
    RecipientRole,
    ReminderKind,
    TokenAmount,
    build_alert_body,
    build_gift_body,
    build_reminder_body,
    format_amount,
    format_amounts,
    format_deadline,
    format_role_counts,
    make_alert_variables,
)
from reminder_worker.reminders.gaps import LegacyGap, PersonGap, format_gaps

ORIGINS = LinkOrigins("https://app.example.org", ("https://app.example.org",))
TOKEN = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"
ABOUT = LegacySubject(
    1,
    "Ethereum",
    "0x" + "ab" * 20,
    42,
    "0x" + "cd" * 20,
    "https://app.example.org/legacy/1/42",
    "0x" + "ef" * 20,
    "activeLegacy(uint256 legacyId)",
    "Family savings",
    "Maria",
    "For the children",
    is_own_page=True,
)
FURTHER = {"remindersLeft": 2, "daysOpen": 30, "remindedUntil": "Tuesday, 24 November 2026, 15:04 UTC"}
EXTRA: dict[ReminderKind, dict[str, object]] = {
    ReminderKind.BEFORE_ACTIVATION: {"remindersLeft": 0},
    **dict.fromkeys((ReminderKind.READY_TO_ACTIVATE, ReminderKind.LAYER2_READY, ReminderKind.LAYER3_READY), FURTHER),
    ReminderKind.RECIPIENTS_GAP: {
        "people": format_gaps(LegacyGap(TOKEN, "", False, (PersonGap(TOKEN, "owner", "not_configured"),)))
    },
    ReminderKind.ACTIVATED_TRANSFER: {"amounts": format_amounts([TokenAmount(TOKEN, 10**18, None, None)])},
    ReminderKind.INSTRUCTIONS: {"told": format_role_counts({RecipientRole.BENEFICIARY: 2})},
}
WITHOUT_DEADLINE = {
    ReminderKind.OWNER_RESET,
    ReminderKind.ACTIVATED_MULTISIG,
    ReminderKind.ACTIVATED_TRANSFER,
    ReminderKind.INSTRUCTIONS,
}


def test_every_kind_is_a_template_of_the_mail_service_with_exactly_its_variables() -> None:
    for kind in ReminderKind:
        for role in RecipientRole:
            deadline = None if kind in WITHOUT_DEADLINE else 1_795_532_640
            addressee = EmailAddressee("anna@example.org", "Anna", role, TOKEN)
            body = json.loads(build_reminder_body(kind, addressee, ABOUT, deadline, None, **EXTRA.get(kind, {})))
            template = TEMPLATES[body["template"]]
            assert (body["templateVersion"], body["category"]) == (template.version, template.category)
            assert template.version == TEMPLATE_VERSION
            check_variables(template.variables, body["variables"], ORIGINS)
            assert {v.name for v in template.variables} == set(body["variables"])
            assert body["to"] == {"email": "anna@example.org", "name": "Anna"}


@pytest.mark.parametrize("kind", AlertKind)
@pytest.mark.parametrize("status", ["raised", "cleared", "unwatched", "event"])
def test_every_alert_is_a_template_of_the_mail_service_with_exactly_its_variables(kind: AlertKind, status: str) -> None:
    variables = make_alert_variables(status, 1, "Ethereum", TOKEN, {"nonce": 412, "reason": "foreign_nonce"})
    body = json.loads(build_alert_body(kind.value, "ops@example.org", 1_795_532_640, variables))
    template = TEMPLATES[body["template"]]
    assert (body["templateVersion"], body["category"]) == (template.version, template.category) == (1, "ops")
    assert set(check_variables(template.variables, body["variables"], ORIGINS)) == set(body["variables"])


@pytest.mark.parametrize("kind", GiftKind)
def test_every_gift_kind_is_a_template_of_the_mail_service(kind: GiftKind) -> None:
    about = GiftSubject(1, "Ethereum", 42, "0x" + "1" * 40, "0x" + "2" * 40, 1_795_532_640)
    link = "https://app.example.org/gifts/1/42#g=e30"
    body = json.loads(build_gift_body(kind, "anna@example.org", "Anna", "Grandpa", link, about))
    template = TEMPLATES[body["template"]]
    assert (body["templateVersion"], body["category"]) == (template.version, template.category)
    assert set(check_variables(template.variables, body["variables"], ORIGINS)) == set(body["variables"])


def test_an_operator_template_without_an_alert_does_not_exist() -> None:
    assert {name for name, template in TEMPLATES.items() if template.category == "ops"} == set(AlertKind)


def test_facts_of_an_alert_are_shown_by_their_unit() -> None:
    facts: dict[str, str | int] = {
        "balance_wei": 42 * 10**15,
        "waiting_since_seconds": 1500,
        "seen_at": 0,
        "reason": "",
        "note": "x" * 999,
    }
    shown = {fact["name"]: fact["value"] for fact in make_alert_variables("raised", 0, "", "", facts)["facts"]}
    assert shown == {
        "balance": "0.042 ETH",
        "waiting since": "25 minutes",
        "seen at": "Thursday, 1 January 1970, 00:00 UTC",
        "reason": "none",
        "note": "x" * 299 + "…",
    }, "what is cut says so: half a hash looks like a whole one"


def test_the_same_entry_makes_the_same_bytes_and_no_addressee_is_shown() -> None:
    addressee = EmailAddressee("anna@example.org", "Änna 🙂 Quill", RecipientRole.OWNER, TOKEN)
    first, second = (build_reminder_body(ReminderKind.OWNER_RESET, addressee, ABOUT, 5) for _ in range(2))
    assert first == second
    shown = f"{addressee!r}{ABOUT!r}".lower()
    assert not [word for word in ("anna@", "quill", "savings") if word in shown]


def test_a_deadline_is_said_in_words_with_its_time_zone() -> None:
    for seconds, words in (
        (1_795_532_640, "Tuesday, 24 November 2026, 15:04 UTC"),
        (0, "Thursday, 1 January 1970, 00:00 UTC"),
        (LATEST_TIME, "Friday, 31 December 9999, 23:59 UTC"),
        (2**70, "Friday, 31 December 9999, 23:59 UTC"),
    ):
        assert format_deadline(seconds) == words


def test_an_amount_is_exact() -> None:
    for units, decimals, words in (
        (12_500_500_000, 6, "12,500.5"),
        (1, 18, "0.000000000000000001"),
        (10**24, 18, "1,000,000"),
        (7, 0, "7"),
        (0, 6, "0"),
        (2**256 - 1, 0, f"{2**256 - 1:,}"),
        (1234, None, "1,234 base units"),
        (1234, 200, "1,234 base units"),
    ):
        assert format_amount(units, decimals) == words


@given(st.integers(0, 2**256 - 1), st.integers(0, 36))
def test_an_amount_says_every_digit(units: int, decimals: int) -> None:
    whole, _, fraction = format_amount(units, decimals).replace(",", "").partition(".")
    assert int(whole + fraction.ljust(decimals, "0")) == units
    assert not fraction.endswith("0")


def test_a_token_that_is_not_whitelisted_is_shown_by_its_address() -> None:
    (row,) = format_amounts([TokenAmount(TOKEN, 5, None, 0)])
    assert row["token"] == row["tokenAddress"] == "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"
