"""The day of an email as a calendar file (RFC 5545), for the programs that read emails (RFC 5546).

The files are a few lines of text, so a library would cost more than it saves; the tests read them with one.
`gift_page/src/calendar.ts` writes the same form of a gift's day.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from mail_service.variables import parse_time

_START = datetime(2026, 1, 1, tzinfo=UTC)
_WINDOWS: Mapping[str, str] = MappingProxyType(
    {
        "gift_waiting": "gift",
        "instructions": "activation",
        "before_activation": "activation",
        "owner_reset": "activation",
        "before_layer2": "layer2",
        "before_layer3": "layer3",
        "auto_renew_budget": "auto-renew",
    }
)
_OFF_AFTER_A_CHECK_IN = ("layer2", "layer3")
_ALARMS = ("-P7D", "-P1D")  # before the deadline of an owner, or of a shared wallet's signers, to check in


@dataclass(frozen=True, slots=True)
class CalendarFile:
    """An attachment of one method: PUBLISH adds an event or moves it, CANCEL takes it back."""

    name: str
    method: str
    content: str

    def __repr__(self) -> str:
        return "CalendarFile(***)"


@dataclass(frozen=True, slots=True)
class CalendarWords:
    """Plain words of one entry: what happens on its day, and when the day moves (may be empty)."""

    title: str
    description: str


def find_window(template: str, variables: Mapping[str, Any]) -> str | None:
    """Return the name of the day that an email carries, as in `activation`; None if it carries none."""
    if template != "gift_waiting" and not variables.get("deadline"):
        return None
    return _WINDOWS.get(template)


def make_calendar_files(
    template: str, variables: Mapping[str, Any], origin: str, words: CalendarWords, now: datetime
) -> tuple[CalendarFile, ...]:
    """Return the files of an email that carries a day. A check-in also takes days back.

    An event has the same UID in every email about the same day of the same legacy or gift. `origin`: of the link; it is
    the organizer, too, since gift pages know no email address. The sequence number is the time in seconds, so a later
    email replaces an earlier one.
    """
    window = _WINDOWS[template]
    host = urlsplit(origin).hostname
    if window == "gift":
        uid = f"gift-{variables['chainId']}-{variables['timelockId']}@{host}"
        url = variables["claimUrl"].partition("#")[0].partition("?")[0]
        return (_publish(_make_event(uid, origin, now, *_describe(variables["unlockAt"], url, words))),)
    legacy = f"legacy-{variables['chainId']}-{variables['legacyAddress'].lower()}-{variables['role']}"
    page = variables.get("legacyPage") or variables["actionUrl"]  # without the end of the recipient's address
    lines = _describe(variables["deadline"], page, words)
    if window == "activation" and variables["role"] in ("owner", "cosigner"):
        lines += [line for trigger in _ALARMS for line in _make_alarm(trigger, words.title)]
    day = _publish(_make_event(f"{legacy}-{window}@{host}", origin, now, *lines))
    if template != "owner_reset":
        return (day,)
    off = [_make_event(f"{legacy}-{each}@{host}", origin, now, "STATUS:CANCELLED") for each in _OFF_AFTER_A_CHECK_IN]
    return day, CalendarFile("cancelled.ics", "CANCEL", _make_calendar("CANCEL", *off))


def _publish(event: tuple[str, ...]) -> CalendarFile:
    return CalendarFile("day.ics", "PUBLISH", _make_calendar("PUBLISH", event))


def _describe(day: str, url: str, words: CalendarWords) -> list[str]:
    when = parse_time(day)
    assert when is not None  # noqa: S101 - `check_variables` has read it
    lines = [f"DTSTART:{_format_utc(when)}"]
    if when.year < datetime.max.year:  # a contract takes any day; later ones come as the last minute of this year
        lines.append(f"DTEND:{_format_utc(when + timedelta(hours=1))}")
    lines.append(f"SUMMARY:{_escape(words.title)}")
    if words.description:
        lines.append(f"DESCRIPTION:{_escape(words.description)}")
    return [*lines, f"URL:{url}", "TRANSP:TRANSPARENT"]


def _make_alarm(trigger: str, title: str) -> list[str]:
    return ["BEGIN:VALARM", "ACTION:DISPLAY", f"DESCRIPTION:{_escape(title)}", f"TRIGGER:{trigger}", "END:VALARM"]


def _make_event(uid: str, origin: str, now: datetime, *lines: str) -> tuple[str, ...]:
    """Return the lines of one event. RFC 5546 wants the organizer in PUBLISH and CANCEL, and no attendee."""
    sequence = f"SEQUENCE:{int((now - _START).total_seconds())}"
    head = (f"UID:{uid}", f"DTSTAMP:{_format_utc(now)}", sequence, f"ORGANIZER:{origin}")
    return ("BEGIN:VEVENT", *head, *lines, "END:VEVENT")


def _make_calendar(method: str, *events: tuple[str, ...]) -> str:
    head = ("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//reminder-worker//mail service//EN", f"METHOD:{method}")
    lines = (*head, *(line for event in events for line in event), "END:VCALENDAR")
    return "".join(f"{_fold(line)}\r\n" for line in lines)


def _format_utc(when: datetime) -> str:
    return when.strftime("%Y%m%dT%H%M%SZ")


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,").replace("\n", "\\n")


def _fold(line: str) -> str:
    """Lines have at most 75 bytes: 18 characters have at most 72 in UTF-8."""
    if len(line.encode()) <= 75:
        return line
    return "\r\n ".join(line[at : at + 18] for at in range(0, len(line), 18))
