"""Days of emails as calendar files, read by a library that knows the standard."""

import re
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.policy import default
from pathlib import Path
from typing import Any

import pytest
from icalendar import Calendar, Event

from mail_service.addresses import parse_address
from mail_service.catalogue import TEMPLATES
from mail_service.languages import LANGUAGES
from mail_service.rendering import EmailRenderer, RenderedEmail, compose_message
from mail_service.variables import ROLES

RENDERER = EmailRenderer("https://app.example.org", ["https://gifts.example.org"])
DAY = datetime(2026, 11, 24, 15, 4, tzinfo=UTC)
DAYS = (
    *("before_activation", "owner_reset", "instructions", "before_layer2", "before_layer3", "auto_renew_budget"),
    "gift_waiting",
)
TRANSLATED = [code for code in LANGUAGES if code != "en"]
ISOLATES = re.compile("[\u2066-\u2069]")


def render(name: str, language: str = "en", **changes: Any) -> RenderedEmail:
    sample = {**TEMPLATES[name].sample, **changes}
    links = {"origin": "https://app.example.org", "gift_origin": "https://gifts.example.org"}
    linked = {
        key: value.format(**links) if key in ("actionUrl", "claimUrl") else value for key, value in sample.items()
    }
    return RENDERER.render_email(TEMPLATES[name], linked, language=language)


def events(text: str) -> list[Event]:
    assert all(len(line.encode()) <= 75 for line in text.split("\r\n"))
    return Calendar.from_ical(text).events


def test_an_email_with_a_deadline_carries_its_day() -> None:
    for name, window in (
        ("before_activation", "activation"),
        ("instructions", "activation"),
        ("before_layer2", "layer2"),
        ("before_layer3", "layer3"),
        ("auto_renew_budget", "auto-renew"),
    ):
        (file,) = render(name, legacyTitle="日本の家; 家族, 全員 " * 3).files
        (event,) = events(file.content)
        assert file.method == "PUBLISH"
        assert event.decoded("DTSTART") == DAY
        assert str(event["UID"]).endswith(f"-{window}@app.example.org")
        assert "日本の家; 家族, 全員" in str(event["SUMMARY"])


def test_the_title_says_what_happens_on_the_day() -> None:
    """The entry stands in the calendar until its day, when the subject of the email is long untrue."""
    for name, role, title in (
        ("before_activation", "owner", "Deadline to check in"),
        ("owner_reset", "cosigner", "Deadline to check in"),
        ("instructions", "beneficiary", "You may be able to claim from now on"),
        ("owner_reset", "beneficiary", "You may be able to claim from now on"),
        ("before_activation", "second_line", "The beneficiaries may be able to claim from now on"),
        ("before_layer2", "second_line", "You may be able to claim from now on"),
        ("before_layer2", "beneficiary", "The second in line may be able to claim from now on"),
        ("before_layer3", "third_line", "You may be able to claim from now on"),
        ("before_layer3", "owner", "The third in line may be able to claim from now on"),
        ("auto_renew_budget", "owner", "Auto-renew ends"),
    ):
        rendered = render(name, role=role)
        (event,) = events(rendered.files[0].content)
        assert str(event["SUMMARY"]) == f"{title}: legacy 42 on Ethereum"
        assert str(event["DESCRIPTION"]).startswith("This day moves when ")
        seen = {event["SUMMARY"]}
        for language in TRANSLATED:
            (event,) = events(render(name, language, role=role).files[0].content)
            assert not ISOLATES.search(f"{event['SUMMARY']}{event['DESCRIPTION']}")
            assert event["SUMMARY"] not in seen
            seen.add(event["SUMMARY"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_title_of_a_gifts_day_is_the_one_of_its_page(language: str) -> None:
    words = (Path("gift_page/languages") / LANGUAGES[language] / "claim.ftl").read_text(encoding="utf-8")
    (event,) = events(render("gift_waiting", language).files[0].content)
    assert f"\ncalendar-title = {event['SUMMARY']}\n" in words


@pytest.mark.parametrize("name", DAYS)
def test_a_day_at_the_end_of_all_calendars_is_an_event_without_an_end(name: str) -> None:
    day = "unlockAt" if name == "gift_waiting" else "deadline"
    (event,) = events(render(name, **{day: "Friday, 31 December 9999, 23:59 UTC"}).files[0].content)
    assert event.decoded("DTSTART") == datetime(9999, 12, 31, 23, 59, tzinfo=UTC)
    assert "DTEND" not in event


def test_only_the_check_in_of_those_who_own_the_wallet_rings() -> None:
    for name in DAYS:
        for role in ROLES if name != "gift_waiting" else ("",):
            rendered = render(name, **({"role": role} if role else {}))
            for file in rendered.files:
                rings = [alarm.decoded("TRIGGER") for event in events(file.content) for alarm in event.walk("VALARM")]
                deadline = file.method == "PUBLISH" and "Deadline to check in" in file.content
                deadline = deadline and role in ("owner", "cosigner")
                assert rings == ([timedelta(days=-7), timedelta(days=-1)] if deadline else [])


def test_each_event_has_an_organizer_and_no_attendee() -> None:
    """RFC 5546, 3.2.1 and 3.2.5: programs refuse a PUBLISH or CANCEL without an organizer."""
    files = [(name, file) for name in DAYS for file in render(name).files]
    assert {file.method for _, file in files} == {"PUBLISH", "CANCEL"}
    for name, file in files:
        host = "gifts.example.org" if name == "gift_waiting" else "app.example.org"
        for event in events(file.content):
            assert str(event["ORGANIZER"]) == f"https://{host}"
            assert "ATTENDEE" not in event


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


def test_a_gifts_day_has_the_uid_of_its_page_and_no_message_and_without_a_day_ahead_there_is_no_file() -> None:
    (file,) = render("gift_waiting").files
    (event,) = events(file.content)
    assert str(event["UID"]) == "gift-1-42@gifts.example.org"
    assert "#" not in str(event["URL"])
    for name in ("ready_to_activate", "activated_transfer", "gift_unlocked", "relay_stuck"):
        assert render(name).files == (), name


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
