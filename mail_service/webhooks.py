"""Delivery reports by webhook: our own signed form, Mailgun and SendGrid. Each is off without its secret.

A report that comes twice changes nothing, so a captured request is worth nothing new. The window of time only bounds
how long one can be sent again. Providers repeat a report for hours under its first time.
"""

import hmac
import time
from base64 import b64decode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, cast

import msgspec
import structlog
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, EllipticCurvePublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_der_public_key
from litestar import Request, post
from litestar.datastructures import State
from pydantic import SecretStr

from mail_service.addresses import MARK, MARK_FIELD
from mail_service.bounces import ReportBook
from mail_service.errors import MailProblem
from mail_service.refusals import BounceReason, classify_refusal
from mail_service.reports import MESSAGE_ID, DeliveryReport

_PROVIDER_WINDOW = 86_400
_SENDGRID_BYTES = 2 * 1024 * 1024  # a batch has up to some hundred KB, and is repeated as it is
_MAX_NAME = 1_000
_NOT_READABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError)
log = structlog.get_logger("mail_service")
AnyRequest = Request[Any, Any, State]


class SignedReport(msgspec.Struct, rename="camel"):
    """One report of our own form. `status`: the code of RFC 3463, such as 5.1.1."""

    message_id: str
    event: Literal["bounced", "complained"]
    status: str = ""


class SignedReports(msgspec.Struct):
    reports: list[msgspec.Raw]


class MailgunSignature(msgspec.Struct):
    timestamp: str
    token: str
    signature: str


class MailgunHook(msgspec.Struct, rename={"event_data": "event-data"}):
    signature: MailgunSignature
    event_data: msgspec.Raw


SendgridBatch = Annotated[list[msgspec.Raw], msgspec.Meta(max_length=10_000)]  # 2 MiB hold no more real events


@post("/reports/signed", status_code=200)
async def take_signed(request: AnyRequest, state: State) -> dict[str, int]:
    """Header `X-Report-Signature`: HMAC-SHA256 in hex of `X-Report-Timestamp`, a dot and the body."""
    secret = _require_secret(state.settings.report_secret)
    body = await request.body()
    at = request.headers.get("x-report-timestamp", "")
    signature = hmac.digest(secret.encode(), at.encode("latin-1", "replace") + b"." + body, "sha256").hex()
    _check_signature(request.headers.get("x-report-signature", ""), signature)
    _check_age(at, 300)
    return await _take_all(state, _decode(body, SignedReports).reports, _read_signed)


@post("/reports/mailgun", status_code=200)
async def take_mailgun(request: AnyRequest, state: State) -> dict[str, int]:
    """The signature is in the body and covers its time and token only."""
    key = _require_secret(state.settings.report_mailgun_key)
    hook = _decode(await request.body(), MailgunHook)
    signed = hook.signature
    _check_signature(
        signed.signature, hmac.digest(key.encode(), f"{signed.timestamp}{signed.token}".encode(), "sha256").hex()
    )
    _check_age(signed.timestamp, _PROVIDER_WINDOW)
    return await _take_all(state, [hook.event_data], _read_mailgun)


@post("/reports/sendgrid", status_code=200, request_max_body_size=_SENDGRID_BYTES)
async def take_sendgrid(request: AnyRequest, state: State) -> dict[str, int]:
    """An ECDSA signature over the time and the body: SendGrid's signed event webhook."""
    key = _read_sendgrid_key(_require_secret(state.settings.report_sendgrid_key))
    body = await request.body()
    at = request.headers.get("x-twilio-email-event-webhook-timestamp", "")
    try:
        signature = b64decode(request.headers.get("x-twilio-email-event-webhook-signature", ""), validate=True)
        key.verify(signature, at.encode("latin-1", "replace") + body, ECDSA(SHA256()))
    except (InvalidSignature, ValueError):
        raise _refuse_signature() from None
    _check_age(at, _PROVIDER_WINDOW)
    return await _take_all(state, _decode(body, SendgridBatch), _read_sendgrid)


def _read_sendgrid_key(text: str) -> EllipticCurvePublicKey:
    """Return the verification key: base64 of DER, checked with the settings."""
    return cast("EllipticCurvePublicKey", load_der_public_key(b64decode(text)))


def _read_signed(content: msgspec.Raw) -> DeliveryReport:
    event = msgspec.json.decode(content, type=SignedReport)
    ids = _read_message_id(event.message_id)
    return DeliveryReport(event.event, (), ids, classify_refusal(event.status, ""), addresses=None)


def _read_mailgun(content: msgspec.Raw) -> DeliveryReport | None:
    event = _WebhookEvent(msgspec.json.decode(content, type=dict[str, Any]))
    marks = event.open("user-variables").read_marks()
    ids = _read_message_id(event.open("message").open("headers").read("message-id"))
    if event.read("event") == "complained":
        return DeliveryReport("complained", marks, ids, addresses=event.read_address("recipient"))
    if (event.read("event"), event.read("severity")) != ("failed", "permanent"):
        return None
    status = event.open("delivery-status")
    reason = _classify_reply(status.read("enhanced-code"), status.read("message"))
    return DeliveryReport("bounced", marks, ids, reason, event.read_address("recipient"))


def _read_sendgrid(content: msgspec.Raw) -> DeliveryReport | None:
    """`dropped`: SendGrid itself did not send, mostly since an earlier email to the address came back."""
    event = _WebhookEvent(msgspec.json.decode(content, type=dict[str, Any]))
    marks, ids, addresses = event.read_marks(), _read_message_id(event.read("smtp-id")), event.read_address("email")
    match event.read("event"):
        case "spamreport":
            return DeliveryReport("complained", marks, ids, addresses=addresses)
        case "bounce":
            reason = _classify_reply(event.read("status"), event.read("reason"))
            if reason == "other" and event.read("type") == "blocked":
                reason = "blocked"
            return DeliveryReport("bounced", marks, ids, reason, addresses)
        case "dropped":
            return DeliveryReport("bounced", marks, ids, "other", addresses)
        case "":
            raise ValueError("an event without its name")
    return None


def _classify_reply(code: str, words: str) -> BounceReason:
    """Providers ask the final server themselves: the code is its own, though the words may lack it."""
    return classify_refusal("", f"{code} {words}")


@dataclass(frozen=True, slots=True)
class _WebhookEvent:
    """JSON object of a provider. A field that is missing, null or of another type is read as empty."""

    fields: dict[str, Any]

    def read(self, name: str) -> str:
        value = self.fields.get(name)
        return value if isinstance(value, str) else ""

    def open(self, name: str) -> "_WebhookEvent":
        value = self.fields.get(name)
        return _WebhookEvent(value if isinstance(value, dict) else {})

    def read_marks(self) -> tuple[str, ...]:
        return tuple(MARK.findall(self.read(MARK_FIELD)[:_MAX_NAME]))

    def read_address(self, name: str) -> tuple[str, ...] | None:
        """Return None without one: the provider's event is about the recipient of the email."""
        address = self.read(name)
        return (address,) if address else None


async def _take_all(
    state: State, events: Sequence[msgspec.Raw], read_event: Callable[[msgspec.Raw], DeliveryReport | None]
) -> dict[str, int]:
    """Take each readable event and count the others. Return the number of events about our emails."""
    book: ReportBook = state.reports
    taken = unreadable = 0
    for content in events:
        try:
            report = read_event(content)
        except _NOT_READABLE:
            unreadable += 1
            continue
        if report is not None:
            taken += await book.take_report(report)
    if unreadable:
        log.warning("report_events_unreadable", count=unreadable)
        await book.store.count("unreadable", unreadable)
    return {"taken": taken}


def _read_message_id(text: str) -> tuple[str, ...]:
    """Return the Message-ID, also one without its brackets; nothing else reaches the database."""
    text = text.strip()
    return tuple(MESSAGE_ID.findall(text if text.startswith("<") else f"<{text}>"))[:1] if len(text) < _MAX_NAME else ()


def _require_secret(secret: SecretStr | None) -> str:
    if secret is None:
        raise MailProblem(404, "not_configured", "These reports are not taken here.")
    return secret.get_secret_value()


def _check_signature(given: str, wanted: str) -> None:
    if not hmac.compare_digest(given.encode("latin-1", "replace"), wanted.encode()):
        raise _refuse_signature()


def _refuse_signature() -> MailProblem:
    return MailProblem(403, "bad_signature", "The signature is missing, wrong or too old.")


def _check_age(timestamp: str, seconds: int) -> None:
    """Unix seconds, not older and not later than the window."""
    if not (timestamp.isascii() and timestamp.isdecimal() and len(timestamp) <= 12):
        raise _refuse_signature()
    if abs(time.time() - int(timestamp)) > seconds:
        raise _refuse_signature()


def _decode(body: bytes, kind: Any) -> Any:
    try:
        return msgspec.json.decode(body, type=kind)
    except _NOT_READABLE:
        raise MailProblem(400, "malformed", "The body is not the JSON that is expected.") from None
