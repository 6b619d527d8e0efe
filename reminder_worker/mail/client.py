"""The mail service (email-proxy): one request for each email, and what its answer proves.

Only an answer proves something. Whatever may have been accepted without our knowing is `Undecided`, to be
asked about before anything is sent again. No body, address or answer is ever logged or put into an error.
"""

from dataclasses import dataclass
from typing import Literal, Self
from uuid import UUID

import aiohttp
import msgspec
import structlog
from yarl import URL

from reminder_worker import answers
from reminder_worker.errors import MailUnavailable
from reminder_worker.settings import MailSettings

log = structlog.get_logger(__name__)

MAX_ANSWER_BYTES = 64 * 1024
MAX_RETRY_AFTER_SECONDS = 86400.0
# Below the keep-alive of common servers: a connection they close while we write leaves a send undecided.
KEEP_ALIVE_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class Accepted:
    """The SMTP server took it, now or when the same key was sent before."""

    message_id: str


@dataclass(frozen=True, slots=True)
class SuppressedAddress:
    """The addressee asked for no more email."""


@dataclass(frozen=True, slots=True)
class Refused:
    """400, 413 or 422: this request is wrong, nothing was accepted."""

    status: int


@dataclass(frozen=True, slots=True)
class NotAccepted:
    """Proven that nothing was accepted. `status` is 0 when no connection came about."""

    status: int
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class Undecided:
    """It may have been accepted: a timeout, a broken connection, an answer that says nothing."""


Outcome = Accepted | SuppressedAddress | Refused | NotAccepted | Undecided
_OUTAGE = (NotAccepted, Undecided)


@dataclass(frozen=True, slots=True)
class MessageStatus:
    """What the mail service knows of a key; `unknown` is its 404."""

    state: Literal["accepted", "in_flight", "in_doubt", "unknown"]
    message_id: str | None = None


class _Sent(msgspec.Struct):
    messageId: str = ""
    suppressed: bool = False


class _Status(msgspec.Struct):
    status: Literal["in_flight", "accepted", "in_doubt"]
    messageId: str | None = None


class MailClient:
    """Use as `async with`. One pool of connections, as many as may be under way at once."""

    def __init__(self, settings: MailSettings) -> None:
        self.concurrency = settings.concurrency
        self.timeout_seconds = settings.timeout_seconds
        self.keeps_keys = settings.idempotent
        self._url = URL(settings.url)
        self._send_url = self._url / "send"
        token = settings.token.get_secret_value()
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._session: aiohttp.ClientSession | None = None
        self._fails = False  # as it was said

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=self.concurrency, keepalive_timeout=KEEP_ALIVE_SECONDS),
            timeout=aiohttp.ClientTimeout(total=self.timeout_seconds, sock_connect=min(10.0, self.timeout_seconds)),
            headers=self._headers,
            cookie_jar=aiohttp.DummyCookieJar(),
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def send(self, key: UUID, body: bytes) -> Outcome:
        """`POST /send`. Never raises for what the service or the network does."""
        outcome, said = await self._post(key, body)
        fails = speaks_of_an_outage(outcome)
        if fails and not self._fails:  # also of a single email: where there are few, nothing else says why it waits
            log.warning("mail_not_taken", key=str(key), error=said)
        self._fails = fails
        return outcome

    async def _post(self, key: UUID, body: bytes) -> tuple[Outcome, str]:
        """With what came back: the HTTP status, or the class of what failed."""
        headers = {"Idempotency-Key": str(key)}
        try:
            async with self._open.post(self._send_url, data=body, headers=headers, allow_redirects=False) as response:
                return _outcome(response, await answers.read(response, MAX_ANSWER_BYTES)), f"HTTP {response.status}"
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            return NotAccepted(0), type(error).__name__
        except (TimeoutError, aiohttp.ClientError, OSError) as error:
            return Undecided(), type(error).__name__

    async def ask(self, key: UUID) -> MessageStatus:
        """`GET /messages/{key}`. Raises `MailUnavailable` without a usable answer."""
        try:
            async with self._open.get(self._url / "messages" / str(key), allow_redirects=False) as response:
                if response.status == 404:
                    return MessageStatus("unknown")
                if response.status == 200:
                    known = msgspec.json.decode(await answers.read(response, MAX_ANSWER_BYTES), type=_Status)
                    if known.status != "accepted" or is_message_id(known.messageId):
                        return MessageStatus(known.status, known.messageId)
        except (TimeoutError, aiohttp.ClientError, OSError, *answers.NOT_OURS):
            pass
        raise MailUnavailable("the mail service does not say what became of a message")

    @property
    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            raise RuntimeError("the mail client is not open")
        return self._session


def _outcome(response: aiohttp.ClientResponse, answer: bytes) -> Outcome:
    status = response.status
    if status == 200:
        return _sent(answer)
    if status in (400, 413, 422):
        return Refused(status)
    if status in (409, 425):  # the key is known there: asking tells what became of it
        return Undecided()
    if 400 <= status < 500 or status == 503:
        return NotAccepted(status, _retry_after(response.headers.get("Retry-After", "")))
    return Undecided()


def _sent(answer: bytes) -> Outcome:
    try:
        sent = msgspec.json.decode(answer, type=_Sent)
    except answers.NOT_OURS:
        return Undecided()
    if sent.suppressed:
        return SuppressedAddress()
    return Accepted(sent.messageId) if is_message_id(sent.messageId) else Undecided()


def is_message_id(text: str | None) -> bool:
    """Fit to be stored and shown to an operator (RFC 5322 lines end at 998)."""
    return text is not None and 0 < len(text) <= 998 and text.isascii() and text.isprintable()


def _retry_after(value: str) -> float | None:
    """Whole seconds only: the date form would trust two clocks."""
    return min(float(value), MAX_RETRY_AFTER_SECONDS) if value.isascii() and value.isdecimal() else None


def speaks_of_an_outage(outcome: Outcome | MessageStatus) -> bool:
    """Whether the next email would likely meet the same: the service's trouble, not this request's."""
    return isinstance(outcome, _OUTAGE)
