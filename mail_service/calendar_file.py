"""The day of an email as a calendar file (RFC 5545), for the programs that read emails (RFC 5546).

The files are a few lines of text, so a library would cost more than it saves; the tests read them with one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

from mail_service.variables import parse_time

_START = datetime(2026, 1, 1, tzinfo=UTC)
_WINDOWS: Mapping[str, str] = MappingProxyType(
    {
        "instructions": "activation",
        "before_activation": "activation",
        "owner_reset": "activation",
        "before_layer2": "layer2",
        "before_layer3": "layer3",
        "auto_renew_budget": "auto-renew",
    }
)
_OFF_AFTER_A_CHECK_IN = ("layer2", "layer3")


@dataclass(frozen=True, slots=True)
class CalendarFile:
    """An attachment of one method: PUBLISH adds an event or moves it, CANCEL takes it back."""

    name: str
    method: str
    content: str

    def __repr__(self) -> str:
        return "CalendarFile(***)"


def make_calendar_files(
    template: str, variables: Mapping[str, Any], host: str, summary: str, now: datetime
) -> tuple[CalendarFile, ...]:
    """Return the files of an email. Most have none; a check-in also takes days back.

    An event has the same UID in every email about the same day of the same legacy or gift. `host`: of the link. The
    sequence number is the time in seconds, so a later email replaces an earlier one.
    """
    if template == "gift_waiting":
        uid = f"gift-{variables['chainId']}-{variables['timelockId']}@{host}"  # as the gift's page makes it
        return (_publish(uid, variables["unlockAt"], variables["claimUrl"].partition("#")[0], summary, now),)
    if template not in _WINDOWS or not variables["deadline"]:
        return ()
    legacy = f"legacy-{variables['chainId']}-{variables['legacyAddress'].lower()}-{variables['role']}"
    uid = f"{legacy}-{_WINDOWS[template]}@{host}"
    day = _publish(uid, variables["deadline"], variables["actionUrl"], summary, now)
    if template != "owner_reset":
        return (day,)
    off = [_make_event(f"{legacy}-{window}@{host}", now, "STATUS:CANCELLED") for window in _OFF_AFTER_A_CHECK_IN]
    return day, CalendarFile("cancelled.ics", "CANCEL", _make_calendar("CANCEL", *off))


def _publish(uid: str, day: str, url: str, summary: str, now: datetime) -> CalendarFile:
    when = parse_time(day)
    assert when is not None  # noqa: S101 - `check_variables` has read it
    event = _make_event(
        uid, now, f"DTSTART:{_format_utc(when)}", f"SUMMARY:{_escape(summary)}", f"URL:{url}", "TRANSP:TRANSPARENT"
    )
    return CalendarFile("day.ics", "PUBLISH", _make_calendar("PUBLISH", event))


def _make_event(uid: str, now: datetime, *lines: str) -> tuple[str, ...]:
    sequence = f"SEQUENCE:{int((now - _START).total_seconds())}"
    return ("BEGIN:VEVENT", f"UID:{uid}", f"DTSTAMP:{_format_utc(now)}", sequence, *lines, "END:VEVENT")


def _make_calendar(method: str, *events: tuple[str, ...]) -> str:
    head = ("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//reminder-worker//mail service//EN", f"METHOD:{method}")
    lines = (*head, *(line for event in events for line in event), "END:VCALENDAR")
    return "".join(f"{_fold(line)}\r\n" for line in lines)


def _format_utc(when: datetime) -> str:
    return when.strftime("%Y%m%dT%H%M%SZ")


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,").replace("\n", " ")


def _fold(line: str) -> str:
    """Lines have at most 75 bytes: 18 characters have at most 72 in UTF-8."""
    if len(line.encode()) <= 75:
        return line
    return "\r\n ".join(line[at : at + 18] for at in range(0, len(line), 18))
