"""Delivery reports and complaints, read from the bytes of a stranger. Plain functions, no I/O.

Forms: delivery status notifications (RFC 3464, RFC 6533) in any multipart, the older forms that `flufl.bounce` knows,
and complaints (RFC 5965). The sizes below are cut before anything is parsed: Python's parser takes quadratic time for
the parameters of a field. The words of a report decide the reason and are forgotten.
"""

import email
import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from email.message import Message
from email.parser import HeaderParser
from email.utils import parseaddr
from itertools import islice
from typing import Final, Literal, NamedTuple

from flufl.bounce import all_failures

from mail_service.addresses import MARK
from mail_service.refusals import MAX_WORDS, BounceReason, classify_refusal


class ReportLimits(NamedTuple):
    """Sizes of what is read of a report."""

    email_bytes: int = 256 * 1024  # the parts that count come before a returned email
    header_bytes: int = 32 * 1024
    field_bytes: int = 4 * 1024
    text_bytes: int = 64 * 1024
    parts: int = 100
    names: int = 10


LIMITS = ReportLimits()
MESSAGE_ID: Final = re.compile(r"<[!-;=?-~]{3,250}>")
_MESSAGE_ID_LINE = re.compile(rf"(?im)^[> \t]*message-id: *({MESSAGE_ID.pattern})")
logging.getLogger("flufl.bounce").disabled = True  # it logs what it could not read

ReportEvent = Literal["bounced", "complained", "other_feedback"]


@dataclass(frozen=True, slots=True)
class DeliveryReport:
    """An email came back, or its recipient complained. `other_feedback`: a feedback report that is no complaint.

    `marks`, `message_ids`: names of the email, the likeliest first; none is proven to be ours.
    `addresses`: mailboxes that the report names, never stored; without one nobody is blamed. None: a signed webhook
    reports, so the recipient of the email is meant.
    """

    event: ReportEvent
    marks: tuple[str, ...] = ()
    message_ids: tuple[str, ...] = ()
    reason: BounceReason = "other"
    addresses: tuple[str, ...] | None = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class _ReportedEvent:
    event: ReportEvent
    reason: BounceReason = "other"
    addresses: tuple[str, ...] = field(default=(), repr=False)


def parse_report(raw: bytes) -> DeliveryReport | None:
    """Return the report in an email; None for every other email, also for a report of a delay or a delivery.

    Raises what the parsers raise about a broken email.
    """
    if re.search(rb"\r?\n\r?\n", raw[: LIMITS.header_bytes]) is None:
        return None
    message = email.message_from_bytes(_drop_long_fields(raw[: LIMITS.email_bytes]))
    parts = list(islice(message.walk(), LIMITS.parts))
    returned = [headers for part in parts for headers in _read_returned(part)]
    reported = _read_event(message, parts, returned)
    if reported is None:
        return None
    return DeliveryReport(
        reported.event,
        _find_marks([message, *returned]),
        _find_message_ids(message, parts, returned),
        reported.reason,
        reported.addresses,
    )


def _drop_long_fields(raw: bytes) -> bytes:
    """Drop lines, and continued lines of one field, beyond the size of a field. RFC 5322 ends a line at 998 bytes."""
    kept, size = [], 0
    for line in raw.splitlines(keepends=True):
        size = size + len(line) if line.startswith((b" ", b"\t")) else len(line)
        if size <= LIMITS.field_bytes:
            kept.append(line)
    return b"".join(kept)


def _read_event(message: Message, parts: Sequence[Message], returned: Sequence[Message]) -> _ReportedEvent | None:
    feedback = next((part for part in parts if part.get_content_type() == "message/feedback-report"), None)
    if feedback is not None:
        return _read_feedback(feedback, returned)
    groups = list(_read_groups(parts))
    if groups:
        failed = next((group for group in groups if _read(group, "Action").lower().startswith(("fail", "error"))), None)
        return None if failed is None else _read_failure(failed)
    return _read_older_form(message, parts)


def _read_feedback(part: Message, returned: Sequence[Message]) -> _ReportedEvent | None:
    payload = part.get_payload()
    if not isinstance(payload, list) or not isinstance(payload[0], Message):
        return None
    fields = payload[0]
    if _read(fields, "Feedback-Type").lower() not in ("abuse", "fraud", "opt-out"):
        return _ReportedEvent("other_feedback")  # such as `auth-failure`: not the person's
    named = [str(value) for value in fields.get_all("Original-Rcpt-To", [])]
    named = named or [_read(headers, "To") for headers in returned]
    return _ReportedEvent("complained", addresses=_clean_addresses(named))


def _read_failure(group: Message) -> _ReportedEvent:
    reason = classify_refusal(_read(group, "Status"), _read(group, "Diagnostic-Code"))
    # The original recipient is the address that was written to. A server that forwards names the new address as final.
    named = _read(group, "Original-Recipient") or _read(group, "Final-Recipient")
    return _ReportedEvent("bounced", reason, _clean_addresses([named.rpartition(";")[2]]))


def _read_older_form(message: Message, parts: Sequence[Message]) -> _ReportedEvent | None:
    """Read a bounce without a delivery status: `flufl.bounce` finds its address, the words after it tell the reason."""
    if not parseaddr(_read(message, "From"))[1]:  # the library expects a sender
        return None
    _, permanent = all_failures(message)
    addresses = sorted(address.decode("ascii") for address in permanent)[: LIMITS.names]
    if not addresses:
        return None
    text = next((_read_text(part) for part in parts if part.get_content_maintype() == "text"), "")
    at = text.lower().find(addresses[0].lower())
    words = text[at + len(addresses[0]) :][:MAX_WORDS] if at >= 0 else ""
    words = re.split(r"\r?\n[ \t]*\r?\n|\n--", words)[0]  # a copy of our own email may follow
    return _ReportedEvent("bounced", classify_refusal("", words), _clean_addresses(addresses))


def _clean_addresses(texts: Sequence[str]) -> tuple[str, ...]:
    found = (parseaddr(text[: LIMITS.field_bytes])[1] for text in texts[: LIMITS.names])
    return tuple(address for address in found if "@" in address)


def _find_marks(messages: Sequence[Message]) -> tuple[str, ...]:
    fields = ("To", "Delivered-To", "X-Original-To", "Envelope-To", "X-Delivered-To", "Return-Path")
    values = [str(value) for each in messages for name in fields for value in each.get_all(name, [])]
    marks = [mark for value in values for mark in MARK.findall(value.lower())]
    return tuple(dict.fromkeys(marks))[: LIMITS.names]


def _find_message_ids(message: Message, parts: Sequence[Message], returned: Sequence[Message]) -> tuple[str, ...]:
    """Postfix and Exim return the email or its headers; Exchange and Gmail also name it in two fields of their own."""
    fields = [_read(headers, "Message-ID") for headers in returned]
    fields += [_read(message, "In-Reply-To"), *reversed(_read(message, "References").split())]
    ids = [found for text in fields for found in MESSAGE_ID.findall(text)]
    for part in parts:
        if part.get_content_type() == "text/plain":
            ids += _MESSAGE_ID_LINE.findall(_read_text(part))
    return tuple(dict.fromkeys(ids))[: LIMITS.names]


def _read_returned(part: Message) -> Iterator[Message]:
    """Yield the returned email, or its headers."""
    kinds = ("message/rfc822", "message/global", "text/rfc822-headers", "message/global-headers")
    if part.get_content_type() not in kinds:
        return
    payload = part.get_payload()
    if part.get_content_maintype() == "message" and isinstance(payload, list):
        yield from (inner for inner in payload[:1] if isinstance(inner, Message))
    else:
        yield HeaderParser().parsestr(_read_text(part)[: LIMITS.header_bytes])


def _read_text(part: Message) -> str:
    content = part.get_payload(decode=True)
    return content[: LIMITS.text_bytes].decode("utf-8", "replace") if isinstance(content, bytes) else ""


def _read_groups(parts: Sequence[Message]) -> Iterator[Message]:
    """Yield the groups of fields of each delivery status; the first is about the whole email."""
    for part in parts:
        kind, payload = part.get_content_type(), part.get_payload()
        if not isinstance(payload, list):
            continue
        blocks = [block for block in payload if isinstance(block, Message)]
        if kind == "message/delivery-status":
            yield from blocks
        elif kind == "message/global-delivery-status" and blocks:  # RFC 6533; the library splits only the other one
            rest = blocks[0].get_payload()
            yield from map(HeaderParser().parsestr, re.split(r"\r?\n\r?\n", rest) if isinstance(rest, str) else ())


def _read(message: Message, name: str) -> str:
    """Return a header as text; it may be broken in any way."""
    return str(message.get(name, "")).strip()
