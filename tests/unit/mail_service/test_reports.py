"""Delivery reports of real mail servers are understood, and nothing else is."""

from random import Random

import pytest

from mail_service.reports import DeliveryReport, classify_reason, parse_report
from tests.delivery_reports import complaint, exchange, exim, gmail, postfix

ID = "<00112233445566778899aabbccddeeff@mail.example.org>"
ADDRESS = "anna@example.net"


@pytest.mark.parametrize(
    ("report", "reason"),
    [
        (postfix(ID, ADDRESS), "mailbox_unknown"),
        (exchange(ID, ADDRESS), "mailbox_unknown"),
        (gmail(ID, ADDRESS), "mailbox_full"),
        (exim(ID, ADDRESS), "blocked"),
    ],
    ids=["postfix", "exchange", "gmail", "exim"],
)
def test_a_report_names_its_email_and_a_kind_of_reason(report: bytes, reason: str) -> None:
    found = parse_report(report)
    assert found is not None
    assert (found.message_ids[0], found.event, found.reason, found.address) == (ID, "bounced", reason, ADDRESS)
    assert ADDRESS not in repr(found)


def test_a_complaint_names_its_email() -> None:
    assert parse_report(complaint(ID, ADDRESS)) == DeliveryReport((ID,), "complained")


def test_a_report_in_unicode_is_understood() -> None:
    """RFC 6533, for an address with other letters."""
    report = postfix(ID, "ana\u00efs@example.net").replace(
        b"message/delivery-status", b"message/global-delivery-status"
    )
    found = parse_report(report.replace(b"message/rfc822", b"message/global"))
    assert found is not None
    assert (found.message_ids, found.event, found.reason) == ((ID,), "bounced", "mailbox_unknown")


@pytest.mark.parametrize("action", ["delayed", "delivered", "relayed", "expanded"])
def test_what_did_not_fail_is_no_report(action: str) -> None:
    assert parse_report(postfix(ID, ADDRESS, "4.4.1", action)) is None


@pytest.mark.parametrize(
    "other",
    [
        b"",
        b"Subject: Out of office\r\nIn-Reply-To: " + ID.encode() + b"\r\n\r\nBack on Monday. Status: 5.1.1\r\n",
        postfix(ID, ADDRESS).replace(b"report-type=delivery-status", b"report-type=disposition-notification"),
        postfix(ID, ADDRESS).replace(b"multipart/report", b"multipart/mixed"),
        postfix("none", ADDRESS),
    ],
    ids=["nothing", "out of office", "read receipt", "another email", "without an email"],
)
def test_every_other_email_is_no_report(other: bytes) -> None:
    assert parse_report(other) is None


@pytest.mark.parametrize(
    ("status", "words", "reason"),
    [
        ("5.1.1", "", "mailbox_unknown"),
        ("5.1.2", "", "mailbox_unknown"),
        ("5.2.1", "", "mailbox_unknown"),
        ("5.2.1", "450 The user receives mail at a rate that is too high", "other"),  # Gmail's limit
        ("5.0.0", "550 no such user here", "mailbox_unknown"),
        ("", "550 5.1.1 unknown", "mailbox_unknown"),
        ("4.2.2", "452 mailbox full", "mailbox_full"),
        ("5.7.1", "550 user unknown or blocked by policy", "blocked"),
        ("4.7.0", "", "blocked"),
        ("5.4.4", "host not found", "other"),
        ("4.1.1", "450 greylisted", "other"),
        ("nonsense", "", "other"),
    ],
)
def test_only_codes_about_the_mailbox_blame_it(status: str, words: str, reason: str) -> None:
    assert classify_reason(status, words) == reason


def test_no_broken_email_breaks_the_reader() -> None:
    random = Random(7)
    for sample in (postfix(ID, ADDRESS), exchange(ID, ADDRESS), gmail(ID, ADDRESS), complaint(ID, ADDRESS)):
        for _ in range(300):
            broken = bytearray(sample)
            for _ in range(random.randint(1, 30)):
                broken[random.randrange(len(broken))] = random.choice(b'\x00\xff;:="<>\r\n -')
            parse_report(bytes(broken[: random.randint(1, len(broken))]))
