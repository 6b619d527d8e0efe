"""Delivery reports of real mail servers are understood, and nothing else is."""

from base64 import b64encode
from collections.abc import Callable
from contextlib import suppress
from random import Random

import pytest

from mail_service.reports import DeliveryReport, parse_report
from tests.delivery_reports import (
    READ_RECEIPT,
    complaint,
    exchange,
    exim,
    gmail,
    old_exim,
    opensmtpd,
    postfix,
    qmail,
    ses,
    workmail,
)

ID = "<00112233445566778899aabbccddeeff@mail.example.org>"
ADDRESS = "anna@example.net"


def test_a_report_names_its_email_and_a_kind_of_reason() -> None:
    for form, reason in (
        (postfix, "mailbox_unknown"),
        (exchange, "mailbox_unknown"),
        (gmail, "mailbox_full"),
        (exim, "blocked"),
    ):
        found = parse_report(form(ID, ADDRESS))
        assert found is not None
        assert (found.message_ids[0], found.event, found.reason) == (ID, "bounced", reason)
        assert found.addresses == (ADDRESS,)
        assert ADDRESS not in repr(found)


def test_a_complaint_names_its_email_and_address() -> None:
    assert parse_report(complaint(ID, ADDRESS)) == DeliveryReport("complained", (), (ID,), addresses=(ADDRESS,))


def test_a_complaint_without_a_field_for_the_address_names_the_one_of_the_returned_email() -> None:
    report = complaint(ID, ADDRESS).replace(b"Original-Rcpt-To: ", b"X-Redacted: ")
    found = parse_report(report.replace(b"Subject: A reminder\n\n", f"To: Anna <{ADDRESS}>\n\n".encode()))
    assert found is not None
    assert found.addresses == (ADDRESS,)


@pytest.mark.parametrize("kind", ["auth-failure", "dmarc", "virus", "other", "not-spam", ""])
def test_other_feedback_is_no_complaint(kind: str) -> None:
    found = parse_report(complaint(ID, ADDRESS).replace(b"Feedback-Type: abuse", f"Feedback-Type: {kind}".encode()))
    assert found is not None
    assert found.event == "other_feedback"


@pytest.mark.parametrize("form", [qmail, opensmtpd, workmail, old_exim], ids=lambda form: form.__name__)
def test_older_and_unusual_forms_are_understood(form: Callable[[str, str], bytes]) -> None:
    found = parse_report(form(ID, ADDRESS))
    assert found is not None
    assert (found.event, found.reason) == ("bounced", "mailbox_unknown")
    assert (found.message_ids, found.addresses) == ((ID,), (ADDRESS,))


@pytest.mark.parametrize("field", ["Final-Recipient", "Original-Recipient"])
def test_the_original_recipient_is_named_before_the_final_one(field: str) -> None:
    report = postfix(ID, ADDRESS).replace(
        f"{field}: rfc822;".encode() + (b" " if field[0] == "F" else b"") + ADDRESS.encode(),
        f"{field}: rfc822;other@example.net".encode(),
    )
    found = parse_report(report)
    assert found is not None
    assert found.addresses == ((ADDRESS,) if field == "Final-Recipient" else ("other@example.net",))


def test_a_report_without_an_address_names_nobody() -> None:
    report = postfix(ID, ADDRESS)
    for line in (f"Final-Recipient: rfc822; {ADDRESS}\n", f"Original-Recipient: rfc822;{ADDRESS}\n"):
        assert line.encode() in report
        report = report.replace(line.encode(), b"")
    found = parse_report(report)
    assert found is not None
    assert found.addresses == ()


def test_the_mark_comes_back_with_the_address_of_the_report() -> None:
    mark = "0123456789abcdef" * 3
    report = ses(ADDRESS).replace(b"To: reports@", f"To: reports+{mark.upper()}@".encode())
    found = parse_report(report)
    assert found is not None
    assert (found.marks, found.reason) == ((mark,), "mailbox_unknown")


def test_a_message_id_with_a_nul_names_no_email() -> None:
    """PostgreSQL takes no such text. Mail servers pass it on, since the part is encoded."""
    returned = b64encode(b"Message-ID: <a\0b@mail.example.org>\n")
    report = postfix(ID, ADDRESS)
    head, _, _ = report.partition(b"Content-Description: Undelivered Message")
    part = b"Content-Type: text/rfc822-headers\nContent-Transfer-Encoding: base64\n\n" + returned
    found = parse_report(head + part + b"\n\n--A1B2.1764240000/mx.example.org--\n")
    assert found is not None
    assert found.message_ids == ()


def test_a_report_in_unicode_is_understood() -> None:
    """RFC 6533, for an address with other letters."""
    report = postfix(ID, "ana\u00efs@example.net").replace(
        b"message/delivery-status", b"message/global-delivery-status"
    )
    found = parse_report(report.replace(b"message/rfc822", b"message/global"))
    assert found is not None
    assert (found.message_ids, found.event, found.reason) == ((ID,), "bounced", "mailbox_unknown")


def test_what_did_not_fail_and_every_other_email_is_no_report() -> None:
    for other in (
        *(postfix(ID, ADDRESS, "4.4.1", action) for action in ("delayed", "delivered", "relayed", "expanded")),
        b"",
        b"Subject: Out of office\r\nIn-Reply-To: " + ID.encode() + b"\r\n\r\nBack on Monday. Status: 5.1.1\r\n",
        READ_RECEIPT,
        b"X: " + b"x" * 40_000 + postfix(ID, ADDRESS),  # more headers than an email has
    ):
        assert parse_report(other) is None


def test_a_broken_email_is_read_or_refused() -> None:
    random = Random(7)
    for sample in (postfix(ID, ADDRESS), exchange(ID, ADDRESS), gmail(ID, ADDRESS), complaint(ID, ADDRESS)):
        for _ in range(300):
            broken = bytearray(sample)
            for _ in range(random.randint(1, 30)):
                broken[random.randrange(len(broken))] = random.choice(b'\x00\xff;:="<>\r\n -')
            with suppress(ValueError, LookupError, TypeError, AttributeError):  # a fault of the library's: set aside
                parse_report(bytes(broken[: random.randint(1, len(broken))]))
