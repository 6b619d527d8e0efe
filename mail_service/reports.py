"""Delivery reports (RFC 3464) and complaints (RFC 5965), read from what mail servers send. Plain functions, no I/O.

Of a report only the Message-IDs that it may be about and a kind of reason are kept. Its words decide the kind and are
forgotten. Postfix and Exim return the email or its headers; Exchange and Gmail also name it in `In-Reply-To` and
`References`.
"""

import email
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from email.message import Message
from email.parser import HeaderParser
from typing import Final, Literal

from mail_service.smtp import blames_address

BounceReason = Literal["mailbox_unknown", "mailbox_full", "blocked", "other"]
REASONS: Final[tuple[BounceReason, ...]] = ("mailbox_unknown", "mailbox_full", "blocked", "other")
MAX_BYTES: Final = 256 * 1024  # the parts that count come before a returned email
_MAX_IDS = 10
_MESSAGE_ID = re.compile(r"<[^<>\s]{3,250}>")
_CODE = re.compile(r"\b[245]\.\d{1,3}\.\d{1,3}\b")
_RETURNED = ("message/rfc822", "message/global", "text/rfc822-headers", "message/global-headers")


@dataclass(frozen=True, slots=True)
class DeliveryReport:
    """An email came back, or its recipient complained. `message_ids`: of the email, the likeliest first.

    `address`: the mailbox that the report names, if any; never stored.
    """

    message_ids: tuple[str, ...]
    event: Literal["bounced", "complained"]
    reason: BounceReason = "other"
    address: str | None = field(default=None, repr=False)


def parse_report(raw: bytes) -> DeliveryReport | None:
    """Return the report in an email; None for every other email, also for a report of a delay or a delivery."""
    try:
        return _read_report(email.message_from_bytes(raw[:MAX_BYTES]))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):  # the library's, of broken emails
        return None


def _read_report(message: Message) -> DeliveryReport | None:
    if message.get_content_type() != "multipart/report" or not message.is_multipart():
        return None
    parts = [part for part in message.get_payload() if isinstance(part, Message)]
    ids = _find_message_ids(message, parts)
    if not ids:
        return None
    kind = str(message.get_param("report-type", "")).lower()
    if kind == "feedback-report":
        is_complaint = any(part.get_content_type() == "message/feedback-report" for part in parts)
        return DeliveryReport(ids, "complained") if is_complaint else None
    failed = next((block for block in _read_recipients(parts) if _read(block, "Action").lower() == "failed"), None)
    if kind != "delivery-status" or failed is None:
        return None
    reason = classify_reason(_read(failed, "Status"), _read(failed, "Diagnostic-Code"))
    # The original recipient is the address that was written to, the final one perhaps where its owner forwards to.
    named = _read(failed, "Original-Recipient") or _read(failed, "Final-Recipient")
    return DeliveryReport(ids, "bounced", reason, named.partition(";")[2].strip() or None)


def classify_reason(status: str, words: str) -> BounceReason:
    """Return the kind of reason by the code of RFC 3463. Words of the server count only where there is no code."""
    found = _CODE.search(status)
    code = found.group() if found else ""
    if code[1:] in ("", ".0.0"):  # Exim's; the server's own code is in its words
        spoken = _CODE.search(words)
        code = spoken.group() if spoken else code
    if blames_address(code, words):
        return "mailbox_unknown"
    if code[1:] == ".2.2":
        return "mailbox_full"
    return "blocked" if code[1:].startswith(".7.") else "other"


def _find_message_ids(message: Message, parts: Sequence[Message]) -> tuple[str, ...]:
    returned = [_read_returned(part) for part in parts if part.get_content_type() in _RETURNED]
    texts = [_read(headers, "Message-ID") for headers in returned if headers is not None]
    texts += [_read(message, "In-Reply-To"), *reversed(_read(message, "References").split())]
    ids = [found for text in texts for found in _MESSAGE_ID.findall(text[:1000])]
    return tuple(dict.fromkeys(ids))[:_MAX_IDS]


def _read_returned(part: Message) -> Message | None:
    """Return the returned email, or its headers."""
    payload = part.get_payload()
    if part.get_content_maintype() == "message" and isinstance(payload, list):
        return next((inner for inner in payload if isinstance(inner, Message)), None)
    text = part.get_payload(decode=True)
    return HeaderParser().parsestr(text.decode("ascii", "replace")) if isinstance(text, bytes) else None


def _read_recipients(parts: Sequence[Message]) -> Iterator[Message]:
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
