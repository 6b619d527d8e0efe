"""Client of the mail service (email-proxy): one request for each email.

Only an answer is a proof. An email is in doubt (`EmailInDoubt`) if the mail service may have accepted it without an
answer: ask before sending again. No body, address or answer is ever logged or put into an error.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Literal, Self, TypeVar
from urllib.parse import urlsplit
from uuid import UUID

import msgspec
import structlog
from pyreqwest.client import Client, ClientBuilder
from pyreqwest.exceptions import (
    BuilderError,
    DetailedPyreqwestError,
    PoolTimeoutError,
    PyreqwestError,
    RequestPanicError,
)
from pyreqwest.middleware import Next
from pyreqwest.request import Request
from pyreqwest.response import Response

from reminder_worker import strict_json
from reminder_worker.errors import MailUnavailable
from reminder_worker.settings import MailSettings
from reminder_worker.tracing import trace_call, traces_open

log = structlog.get_logger(__name__)

T = TypeVar("T")
MAX_ANSWER_BYTES = 64 * 1024
MAX_LIST_BYTES = 256 * 1024  # a thousand addresses are 120 KB


@dataclass(frozen=True, slots=True)
class EmailAccepted:
    """The SMTP server accepted the email, now or when the same key was sent before."""

    message_id: str


@dataclass(frozen=True, slots=True)
class SuppressedAddress:
    """The addressee asked for no more email."""


@dataclass(frozen=True, slots=True)
class EmailRefused:
    """400, 413 or 422: this request is wrong, nothing was accepted."""

    status: int


@dataclass(frozen=True, slots=True)
class NotAccepted:
    """Certainly nothing was accepted. `retry_after`: seconds, if the service returned them."""

    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class EmailInDoubt:
    """The email may have been accepted: a timeout, a broken connection, an unusable answer."""


EmailOutcome = EmailAccepted | SuppressedAddress | EmailRefused | NotAccepted | EmailInDoubt


class ReturnedEmail(msgspec.Struct, frozen=True):
    """An email that came back. `number` rises; `key` is its `Idempotency-Key`."""

    number: int
    key: str
    reason: Literal["mailbox_unknown", "mailbox_full", "blocked", "other"]


class _ReturnedAnswer(msgspec.Struct):
    bounces: list[ReturnedEmail]


ReportNumber = Annotated[int, msgspec.Meta(ge=0, le=10**15)]


class ReportMailbox(msgspec.Struct, frozen=True, rename="camel"):
    """Mailbox of delivery reports. `unread`: reports that wait in it; `last_good_look`: None before the first one."""

    unread: ReportNumber
    last_good_look: Annotated[datetime, msgspec.Meta(tz=True)] | None


class ReportCounts(msgspec.Struct, frozen=True, rename="camel"):
    """Delivery reports by what became of them; the counts only rise."""

    taken: ReportNumber
    unmatched: ReportNumber
    set_aside: ReportNumber
    not_complaints: ReportNumber
    unreadable: ReportNumber


class ReportsAnswer(msgspec.Struct, frozen=True):
    """State of the delivery reports at the mail service. `mailbox`: None if none was ever read."""

    mailbox: ReportMailbox | None
    counts: ReportCounts


@dataclass(frozen=True, slots=True)
class MessageStatus:
    """The mail service's status of a key; `unknown` is its 404. `message_id`: of an accepted email, not empty."""

    state: Literal["accepted", "in_flight", "in_doubt", "unknown"]
    message_id: str = ""


class PreviewedEmail(msgspec.Struct, frozen=True):
    """An email as its person would read it. Never logged."""

    subject: str
    text: str

    def __repr__(self) -> str:
        return "PreviewedEmail(***)"


class _SuppressedAnswer(msgspec.Struct):
    suppressed: list[bool]


class _ForgottenAddress(msgspec.Struct):
    position: int
    reference: Annotated[str, msgspec.Meta(pattern="^([0-9a-fA-F]{2})*$")]


class _ForgottenAnswer(msgspec.Struct):
    addresses: list[_ForgottenAddress]


class _SentAnswer(msgspec.Struct):
    messageId: str = ""
    suppressed: bool = False


class _StatusAnswer(msgspec.Struct):
    status: Literal["in_flight", "accepted", "in_doubt"]
    messageId: str | None = None


class MailClient:
    """Use as `async with`, on uvloop (docs/decisions/0010). One pool of connections, as many as may be under way at
    once; made with the first request, since most processes have none.
    """

    def __init__(self, settings: MailSettings) -> None:
        self.concurrency = settings.concurrency
        self.timeout_seconds = settings.timeout_seconds
        self.keeps_keys = settings.idempotent
        self._settings = settings
        self._is_open = False
        self._client: Client | None = None
        self._fails = False  # as it was said

    async def __aenter__(self) -> Self:
        self._is_open = True
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        self._is_open = False
        if self._client is not None:
            await self._client.close()
            self._client = None

    async def send_email(self, key: UUID, body: bytes) -> EmailOutcome:
        """`POST /send`. Never raises for what the service or the network does."""
        outcome, said = await self._post_email(key, body)
        fails = indicates_outage(outcome)
        if fails and not self._fails:  # a single email, too: without an outage no other line reports it
            log.warning("mail_not_taken", key=str(key), error=said)
        self._fails = fails
        return outcome

    async def _post_email(self, key: UUID, body: bytes) -> tuple[EmailOutcome, str]:
        """With what came back: the HTTP status, or why none did."""
        try:
            post = self._open.post(f"{self._settings.url}/send").header("Idempotency-Key", str(key)).body_bytes(body)
            async with post.build_streamed() as response:
                return _read_outcome(response, await read_answer(response, MAX_ANSWER_BYTES)), f"HTTP {response.status}"
        except PyreqwestError as error:
            causes = list_causes(error)
            # Without an authority to check certificates with, or without a free connection in time, nothing was sent.
            unsent = "client error (Connect)" in causes or isinstance(error, BuilderError | PoolTimeoutError)
            return NotAccepted() if unsent else EmailInDoubt(), causes[-1]

    async def ask_status(self, key: UUID) -> MessageStatus:
        """`GET /messages/{key}`. Raises `MailUnavailable` without a usable answer."""
        unsaid = "what became of a message"
        known = await self._ask(f"messages/{key}", _StatusAnswer, unsaid)
        if known is None:
            return MessageStatus("unknown")
        message_id = known.messageId or ""
        if known.status == "accepted" and not is_message_id(message_id):
            raise _cannot_say(unsaid)
        return MessageStatus(known.status, message_id)

    async def list_forgotten(self) -> AsyncIterator[list[bytes]]:
        """Yield the keyed hashes of addresses that asked to be forgotten, up to a thousand at once.

        A mail service without this list (404) has none. Raises `MailUnavailable` without a usable answer.
        """
        after = 0
        unsaid = "which addresses are to be forgotten"
        while True:
            page = await self._ask(f"forgotten?after={after}", _ForgottenAnswer, unsaid, MAX_LIST_BYTES)
            if page is None or not page.addresses:
                return
            yield [bytes.fromhex(each.reference) for each in page.addresses]
            last = page.addresses[-1].position
            if last <= after:
                raise _cannot_say(unsaid)
            after = last

    async def list_bounces(self, after: int) -> list[ReturnedEmail]:
        """`GET /bounces`: emails that came back, up to 500; none of a mail service that does not know of any.

        Raises `MailUnavailable` without a usable answer.
        """
        page = await self._ask(f"bounces?after={after}", _ReturnedAnswer, "what came back", MAX_LIST_BYTES)
        return page.bounces if page else []

    async def read_reports(self) -> ReportsAnswer | None:
        """`GET /reports`; None of a mail service without it (404). Raises `MailUnavailable` without a usable answer."""
        return await self._ask("reports", ReportsAnswer, "whether delivery reports are read")

    async def preview_email(self, body: bytes) -> PreviewedEmail | None:
        """Return how the body of an email reads, without sending it; None of a mail service without previews (404).

        Raises `MailUnavailable` without a usable answer.
        """
        return await self._ask("preview", PreviewedEmail, "how an email reads", body=body)

    async def find_suppressed(self, emails: Sequence[str]) -> frozenset[str] | None:
        """Return the addresses among at most 200 whose person asked for no more email.

        None of a mail service that does not tell (404). Raises `MailUnavailable` without a usable answer.
        """
        unsaid = "who asked for no more email"
        body = msgspec.json.encode({"emails": emails})
        answer = await self._ask("suppressed", _SuppressedAnswer, unsaid, body=body)
        if answer is None:
            return None
        if len(answer.suppressed) != len(emails):
            raise _cannot_say(unsaid)
        return frozenset(email for email, stopped in zip(emails, answer.suppressed, strict=True) if stopped)

    async def _ask(
        self, path: str, kind: type[T], unsaid: str, most: int = MAX_ANSWER_BYTES, body: bytes | None = None
    ) -> T | None:
        """Return an answer of at most `most` bytes; None if the mail service does not know (404).

        A question with a `body` is posted. Raises `MailUnavailable` without a usable answer. `unsaid`: words for what
        it then does not say.
        """
        url = f"{self._settings.url}/{path}"
        try:
            asking = self._open.get(url) if body is None else self._open.post(url).body_bytes(body)
            async with asking.build_streamed() as response:
                if response.status == 404:
                    return None
                if response.status == 200:
                    return msgspec.json.decode(await read_answer(response, most), type=kind)
        except (PyreqwestError, *strict_json.NOT_JSON):
            pass
        raise _cannot_say(unsaid)

    @property
    def _open(self) -> Client:
        if not self._is_open:
            raise RuntimeError("the mail client is not open")
        if self._client is None:
            self._client = http_client(self._settings)
        return self._client


def _cannot_say(what: str) -> MailUnavailable:
    return MailUnavailable(f"the mail service does not say {what}")


def http_client(settings: MailSettings) -> Client:
    """With our token, for this service alone: no proxy sees an email, no redirect is followed. To be closed.

    Raises `BuilderError` for TLS where no certificate authority is known.
    """
    headers = {"Authorization": f"Bearer {settings.token.get_secret_value()}", "Content-Type": "application/json"}
    builder = (
        ClientBuilder()
        .default_headers(headers)
        .max_connections(settings.concurrency)
        # Below the keep-alive of common servers: a connection they close while we write leaves a send undecided.
        .pool_idle_timeout(timedelta(seconds=3))
        .timeout(timedelta(seconds=settings.timeout_seconds))
        .connect_timeout(timedelta(seconds=min(10.0, settings.timeout_seconds / 2)))  # which proves more
        .follow_redirects(False)
        .no_proxy()
        .gzip(False)  # packed answers could be of any length
        .brotli(False)
        .zstd(False)
        .deflate(False)
    )
    if urlsplit(settings.url).scheme == "http":  # there are none; it would look for authorities, and insist on some
        builder = builder.danger_accept_invalid_certs(True)
    if traces_open():
        builder = builder.with_middleware(_trace_request)
    return builder.build()


async def _trace_request(request: Request, chain: Next) -> Response:
    attributes = {"http.request.method": request.method, "server.address": request.url.host_str or ""}
    with trace_call("mail service", attributes) as headers:
        request.headers.update(headers)
        return await chain.run(request)


async def read_answer(response: Response, most: int) -> bytes:
    """The answer; of one longer than `most` bytes the first `most` + 1. Raises `PyreqwestError`."""
    return bytes(await response.body_reader.read(most + 1) or b"")


def read_header(response: Response, name: str) -> str:
    """Return a header of the answer; empty if it is missing or no text."""
    try:
        return response.get_header(name) or ""
    except ValueError:
        return ""


def list_causes(error: PyreqwestError) -> Sequence[str]:
    """From the whole to its part, the last says most. The classes do not tell: `ConnectError` is also a connection that
    broke off after all of an email was written, `ConnectTimeoutError` an answer that did not come."""
    if isinstance(error, RequestPanicError) or not isinstance(error, DetailedPyreqwestError):
        return [error.message]  # a panic's causes are of another form
    causes = error.details["causes"] or ()
    return [each["message"] for each in causes] or [error.message]


def _read_outcome(response: Response, answer: bytes) -> EmailOutcome:
    status = response.status
    if status == 200:
        return _read_sent(answer)
    if status in (400, 413, 422):
        return EmailRefused(status)
    if status in (409, 425):  # the key is known there: asking tells what became of it
        return EmailInDoubt()
    if 400 <= status < 500 or status == 503:
        return NotAccepted(_retry_after(read_header(response, "Retry-After")))
    return EmailInDoubt()


def _read_sent(answer: bytes) -> EmailOutcome:
    try:
        sent = msgspec.json.decode(answer, type=_SentAnswer)
    except strict_json.NOT_JSON:
        return EmailInDoubt()
    if sent.suppressed:
        return SuppressedAddress()
    return EmailAccepted(sent.messageId) if is_message_id(sent.messageId) else EmailInDoubt()


def is_message_id(text: str) -> bool:
    """Fit to be stored and shown to an operator (RFC 5322 lines end at 998)."""
    return 0 < len(text) <= 998 and text.isascii() and text.isprintable()


def _retry_after(value: str) -> float | None:
    """Whole seconds only: the date form would trust two clocks."""
    return min(float(value), 86400.0) if value.isascii() and value.isdecimal() else None


def indicates_outage(outcome: EmailOutcome | MessageStatus) -> bool:
    """Return whether the service fails, not this request: the next email would probably fail, too."""
    return isinstance(outcome, NotAccepted | EmailInDoubt)
