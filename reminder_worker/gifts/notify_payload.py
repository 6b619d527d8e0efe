"""The payload of /gift/notify: read strictly, checked whole, before anything asks the chain."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import TypeVar

import msgspec

from reminder_worker.errors import FieldFault, InvalidInput
from reminder_worker.gifts.claim_link import ClaimLink, LinkRules, check_claim_link
from reminder_worker.privacy.emails import check_mailed_name, normalise_email
from reminder_worker.signed_messages import check_salt
from reminder_worker.strict_json import decode

T = TypeVar("T")
U = TypeVar("U")
_TIMELOCK_ID = re.compile(r"[1-9][0-9]{0,17}")
_RFC_3339 = re.compile(r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?(?:[Zz]|[+-]\d{2}:\d{2})")


class Timing(StrEnum):
    """When the recipient hears of a gift before it opens; on opening day in every mode."""

    IMMEDIATE = "immediate"
    SCHEDULED = "scheduled"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Letterhead:
    """Whom to write to, from whom, and the claim link with its fragment. Kept encrypted, never shown."""

    email: str = field(repr=False)
    recipient_name: str = field(repr=False)
    giver_name: str = field(repr=False)
    link: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Wish:
    """A payload that was read and found good. `notify_at`: of the timing `scheduled` only."""

    timelock_id: int
    letterhead: Letterhead
    timing: Timing
    notify_at: datetime | None


class _Payload(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    salt: str
    timelock_id: str
    recipient_email: str
    recipient_name: str
    giver_name: str
    claim_link: str
    timing: Timing
    notify_at: str | None = None


def read_wish(text: str, rules: LinkRules, chain_id: int) -> Wish:
    """Raises `Malformed`, or `InvalidInput` with a fault for every bad field; none echoes a value."""
    payload = decode(text, _Payload, "/payload")
    faults: list[FieldFault] = []

    def checked(name: str, read: Callable[[T], U], given: T) -> U | None:
        try:
            return read(given)
        except ValueError as fault:
            faults.append(FieldFault(f"/payload/{name}", str(fault)))
            return None

    def link_of_this_gift(given: str) -> ClaimLink:
        return check_claim_link(given, rules, chain_id, timelock_id or 0)

    checked("salt", check_salt, payload.salt)
    timelock_id = checked("timelockId", _timelock_id, payload.timelock_id)
    email = checked("recipientEmail", normalise_email, payload.recipient_email)
    recipient = checked("recipientName", check_mailed_name, payload.recipient_name)
    giver = checked("giverName", check_mailed_name, payload.giver_name)
    link = checked("claimLink", link_of_this_gift, payload.claim_link)
    notify_at = checked("notifyAt", lambda given: _notify_at(given, payload.timing), payload.notify_at)
    if faults or timelock_id is None or email is None or recipient is None or giver is None or link is None:
        raise InvalidInput("The payload holds fields that are not acceptable.", faults)
    return Wish(timelock_id, Letterhead(email, recipient, giver, link.url), payload.timing, notify_at)


def _timelock_id(text: str) -> int:
    if not _TIMELOCK_ID.fullmatch(text):
        raise ValueError("has to be a timelock id in decimal digits")
    return int(text)


def _notify_at(text: str | None, timing: Timing) -> datetime | None:
    """RFC 3339 with the giver's offset; with the timing `scheduled`, and there always."""
    if (text is not None) != (timing is Timing.SCHEDULED):
        raise ValueError("belongs to the timing scheduled, and only there")
    if text is None:
        return None
    if not _RFC_3339.fullmatch(text):
        raise ValueError("has to be an RFC 3339 time with an offset")
    try:
        return datetime.fromisoformat(text.upper()).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError("has to be an RFC 3339 time with an offset") from None
