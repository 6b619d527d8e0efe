"""Delivery reports by webhook: our own signed form, Mailgun and SendGrid. Each is off without its secret.

A report that comes twice changes nothing, so a captured request is worth nothing new. The window of time only bounds
how long one can be sent again. Providers repeat a report for hours under its first time.
"""

import hmac
import time
from base64 import b64decode
from collections.abc import Iterator
from typing import Any, Literal, cast

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, EllipticCurvePublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_der_public_key
from litestar import Request, post
from litestar.datastructures import State
from pydantic import SecretStr

from mail_service.errors import MailProblem
from mail_service.reports import DeliveryReport, classify_reason

_PROVIDER_WINDOW = 86_400
AnyRequest = Request[Any, Any, State]


class SignedReport(msgspec.Struct, rename="camel"):
    """One report of our own form. `status`: the code of RFC 3463, such as 5.1.1."""

    message_id: str
    event: Literal["bounced", "complained"]
    status: str = ""


class SignedReports(msgspec.Struct):
    reports: list[SignedReport]


class MailgunSignature(msgspec.Struct):
    timestamp: str
    token: str
    signature: str


class MailgunEvent(msgspec.Struct, rename={"delivery_status": "delivery-status"}):
    event: str
    severity: str = ""
    recipient: str = ""
    message: dict[str, Any] = {}
    delivery_status: dict[str, Any] = {}


class MailgunHook(msgspec.Struct, rename={"event_data": "event-data"}):
    signature: MailgunSignature
    event_data: MailgunEvent


class SendgridEvent(msgspec.Struct, rename={"smtp_id": "smtp-id"}):
    event: str
    smtp_id: str = ""
    email: str = ""
    type: str = ""
    status: str = ""
    reason: str = ""


@post("/reports/signed", status_code=200)
async def take_signed(request: AnyRequest, state: State) -> dict[str, int]:
    """Header `X-Report-Signature`: HMAC-SHA256 in hex of `X-Report-Timestamp`, a dot and the body."""
    secret = _require_secret(state.settings.report_secret)
    body = await request.body()
    at = request.headers.get("x-report-timestamp", "")
    signature = hmac.digest(secret.encode(), at.encode("latin-1", "replace") + b"." + body, "sha256").hex()
    _check_signature(request.headers.get("x-report-signature", ""), signature)
    _check_age(at, 300)
    reports = _decode(body, SignedReports).reports
    return await _take_all(
        state,
        (
            DeliveryReport((_bracket(each.message_id),), each.event, classify_reason(each.status, ""))
            for each in reports
        ),
    )


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
    return await _take_all(state, _read_mailgun(hook.event_data))


@post("/reports/sendgrid", status_code=200)
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
    return await _take_all(
        state, (report for event in _decode(body, list[SendgridEvent]) for report in _read_sendgrid(event))
    )


def _read_sendgrid_key(text: str) -> EllipticCurvePublicKey:
    """Return the verification key: base64 of DER, checked with the settings."""
    return cast("EllipticCurvePublicKey", load_der_public_key(b64decode(text)))


def _read_mailgun(event: MailgunEvent) -> Iterator[DeliveryReport]:
    headers = event.message.get("headers")
    message_id = headers.get("message-id") if isinstance(headers, dict) else None
    if not isinstance(message_id, str):
        return
    ids = (_bracket(message_id),)
    if event.event == "complained":
        yield DeliveryReport(ids, "complained")
    elif event.event == "failed" and event.severity == "permanent":
        status, words = (str(event.delivery_status.get(name) or "") for name in ("enhanced-code", "message"))
        yield DeliveryReport(ids, "bounced", classify_reason(status, words), event.recipient or None)


def _read_sendgrid(event: SendgridEvent) -> Iterator[DeliveryReport]:
    """`dropped`: SendGrid itself did not send, mostly since an earlier email to the address came back."""
    ids = (_bracket(event.smtp_id),)
    if event.event == "spamreport":
        yield DeliveryReport(ids, "complained")
    elif event.event == "bounce":
        reason = classify_reason(event.status, event.reason)
        blocked = event.type == "blocked" and reason == "other"
        yield DeliveryReport(ids, "bounced", "blocked" if blocked else reason, event.email or None)
    elif event.event == "dropped":
        yield DeliveryReport(ids, "bounced", "other", event.email or None)


async def _take_all(state: State, reports: Iterator[DeliveryReport]) -> dict[str, int]:
    """Return how many were about emails of ours."""
    return {"taken": sum([await state.reports.take_report(report) for report in reports])}


def _bracket(message_id: str) -> str:
    return message_id if message_id.startswith("<") else f"<{message_id}>"


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
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise MailProblem(400, "malformed", "The body is not the JSON that is expected.") from None
