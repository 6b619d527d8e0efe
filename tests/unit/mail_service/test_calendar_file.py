"""Days of emails as calendar files, read by a library that knows the standard."""

from datetime import UTC, datetime
from email import message_from_bytes
from email.policy import default
from typing import Any

import pytest
from icalendar import Calendar, Event

from mail_service.addresses import parse_address
from mail_service.catalogue import TEMPLATES
from mail_service.rendering import EmailRenderer, RenderedEmail, compose_message

RENDERER = EmailRenderer("https://app.example.org", ["https://gifts.example.org"])
DAY = datetime(2026, 11, 24, 15, 4, tzinfo=UTC)


def render(name: str, **changes: Any) -> RenderedEmail:
    sample = {**TEMPLATES[name].sample, **changes}
    links = {"origin": "https://app.example.org", "gift_origin": "https://gifts.example.org"}
    linked = {
        key: value.format(**links) if key in ("actionUrl", "claimUrl") else value for key, value in sample.items()
    }
    return RENDERER.render_email(TEMPLATES[name], linked)


def events(text: str) -> list[Event]:
    assert all(len(line.encode()) <= 75 for line in text.split("\r\n"))
    return Calendar.from_ical(text).events


@pytest.mark.parametrize(
    ("name", "window"),
    [
        ("before_activation", "activation"),
        ("instructions", "activation"),
        ("before_layer2", "layer2"),
        ("before_layer3", "layer3"),
        ("auto_renew_budget", "auto-renew"),
    ],
)
def test_an_email_with_a_deadline_carries_its_day(name: str, window: str) -> None:
    (file,) = render(name, legacyTitle="日本の家; 家族, 全員 " * 3).files
    (event,) = events(file.content)
    assert file.method == "PUBLISH"
    assert event.decoded("DTSTART") == DAY
    assert str(event["UID"]).endswith(f"-{window}@app.example.org")
    assert str(event["SUMMARY"]) == render(name, legacyTitle="日本の家; 家族, 全員 " * 3).subject


def test_a_check_in_moves_the_day_and_takes_the_days_of_later_lines_back() -> None:
    (before,) = events(render("before_activation").files[0].content)
    moved, off = render("owner_reset", deadline="Monday, 24 May 2027, 15:04 UTC").files
    (after,) = events(moved.content)
    assert after["UID"] == before["UID"]
    assert after.decoded("DTSTART") == datetime(2027, 5, 24, 15, 4, tzinfo=UTC)
    assert off.method == "CANCEL"
    later = [events(render(name).files[0].content)[0]["UID"] for name in ("before_layer2", "before_layer3")]
    assert [event["UID"] for event in events(off.content)] == later
    assert {str(event["STATUS"]) for event in events(off.content)} == {"CANCELLED"}


def test_each_event_has_the_second_of_its_email_as_sequence_number() -> None:
    """A calendar keeps the event with the highest number, so an email replaces the day of every earlier email."""
    begin = datetime.now(UTC).replace(microsecond=0)
    files = [*render("before_activation").files, *render("owner_reset").files, *render("gift_waiting").files]
    found = [event for file in files for event in events(file.content)]
    assert len(found) == 5
    for event in found:
        written = event.decoded("DTSTAMP")
        assert begin <= written <= datetime.now(UTC)
        assert int(str(event["SEQUENCE"])) == (written - datetime(2026, 1, 1, tzinfo=UTC)).total_seconds()


def test_days_of_another_role_legacy_or_chain_are_other_entries() -> None:
    """A person may be the owner of a legacy and its second line: each day of theirs stays in the calendar."""
    other = "0x" + "5b" * 20
    days: list[dict[str, Any]] = [{"role": role} for role in ("owner", "beneficiary", "second_line", "cosigner")]
    days += [{"legacyAddress": other}, {"chainId": 8453}]
    for name in ("before_activation", "owner_reset"):
        found = [event["UID"] for day in days for file in render(name, **day).files for event in events(file.content)]
        assert len(set(found)) == len(found), name
    (day,), (again,) = (
        events(render("before_activation", legacyAddress=each).files[0].content) for each in (other, "0x" + "5B" * 20)
    )
    assert day["UID"] == again["UID"]


def test_a_gifts_day_has_the_uid_of_its_page_and_no_message() -> None:
    (file,) = render("gift_waiting").files
    (event,) = events(file.content)
    assert str(event["UID"]) == "gift-1-42@gifts.example.org"
    assert "#" not in str(event["URL"])


@pytest.mark.parametrize("name", ["ready_to_activate", "activated_transfer", "gift_unlocked", "relay_stuck"])
def test_an_email_without_a_day_ahead_carries_no_file(name: str) -> None:
    assert render(name).files == ()


def test_the_files_are_attachments_beside_both_parts_of_the_letter() -> None:
    rendered = render("owner_reset")
    address = parse_address("anna@example.org")
    raw = compose_message(
        sender=("", address), recipient=("", address), message_id="<1@x>", rendered=rendered, unsubscribe_url=None
    )
    message = message_from_bytes(raw, policy=default)
    body = message.get_body(("html",))
    assert body is not None
    assert message.get_content_type() == "multipart/mixed"
    names = [(each.get_filename(), each.get_content_type()) for each in message.iter_attachments()]
    assert names == [("day.ics", "text/calendar"), ("cancelled.ics", "text/calendar")]
    (event,) = Calendar.from_ical(next(iter(message.iter_attachments())).get_content()).events
    assert event.decoded("DTSTART") == DAY
