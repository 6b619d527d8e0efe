"""Handing emails to the SMTP server over pooled connections, with certainty about what it took over.

SMTP decides at one point only: the reply to the end of data (RFC 5321, 4.1.1.4). Every refusal before it, and a 4xx or
5xx as that reply, proves that nothing was accepted. No reply after the body left proves nothing.
No text of the server is kept: it may repeat the recipient's address.
"""

import asyncio
import re
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from math import ceil
from typing import NamedTuple

from aiosmtplib import SMTP, SMTPAuthenticationError, SMTPException, SMTPRecipientRefused, SMTPResponseException
from aiosmtplib.protocol import PERIOD_REGEX

from mail_service.addresses import MailAddress
from mail_service.errors import MailProblem, bad_address
from mail_service.refusals import MAX_WORDS, classify_refusal
from mail_service.settings import MailServiceSettings


class SmtpTimes(NamedTuple):
    """Limits of waiting for the SMTP server, in seconds."""

    command: float = 300.0  # RFC 5321, 4.5.3.2: servers delay unknown clients
    reply_to_data: float = 600.0  # 4.5.3.2.6; in doubt for ever after it
    free_connection: float = 300.0  # after that the recipient may have been erased: the caller has to look again
    retry_after_refused: int = 60
    retry_after_refused_login: int = 300  # a password does not mend itself, and repeated failures lock the account


TIMES = SmtpTimes()
_LATE = "it does not answer in time"


class InDoubt(Exception):
    """The body left and no reply came: the server may have accepted it or not."""


class ClaimLost(Exception):
    """The gate refused: the body did not leave."""


class _StaleConnection(Exception):
    """A connection that had been used before was closed by the server meanwhile; the text is `_why`."""


@dataclass(frozen=True, slots=True)
class SmtpEnvelope:
    """Envelope of one delivery; `content` has CRLF line ends."""

    sender: MailAddress
    recipient: MailAddress
    content: bytes = field(repr=False)


@dataclass(slots=True)
class _SmtpConnection:
    client: SMTP
    sent: int = 0
    idle_since: float = 0.0

    @property
    def is_reusable(self) -> bool:
        fresh = time.monotonic() - self.idle_since < 30.0
        return self.client.is_connected and fresh and self.sent < 100


class SmtpPool:
    """At most `smtp_pool_size` connections, kept open between emails, newest used first."""

    def __init__(self, settings: MailServiceSettings) -> None:
        self._settings = settings
        self._slots = asyncio.Semaphore(settings.smtp_pool_size)
        self._idle: list[_SmtpConnection] = []
        self._under_way = 0
        self._login_refused: MailProblem | None = None
        self._next_login = 0.0  # when a login may be tried again after a refused one
        self._login_taken: float | None = None
        self._doubtful_login = asyncio.Lock()
        self._failed: tuple[float, MailProblem] | None = None  # when a login under that lock failed last, and why

    @property
    def is_saturated(self) -> bool:
        """Return whether another email would wait too long."""
        return self._under_way >= self._settings.smtp_pool_size * (1 + 16)

    async def deliver(self, envelope: SmtpEnvelope, gate: Callable[[], Awaitable[bool]]) -> None:
        """Returns after the server's 250 to the body.

        `gate` is awaited after the server agreed to take the body and before the body leaves. Raises `MailProblem` if
        nothing was accepted (422 no such mailbox, 429 come back later, 503), `ClaimLost`, `InDoubt`, and errors of
        `gate` (the body did not leave).
        """
        async with self._take_slot(), self._prepare_connection(envelope) as connection:
            if not await gate():
                raise ClaimLost
            await _hand_over(connection.client, envelope.content)

    async def check_login(self) -> None:
        """Greet the server, encrypt and log in as for an email. Raises `MailProblem` if that fails."""
        try:
            async with asyncio.timeout(20.0), self._take_slot():
                if self._idle:  # closed first, or this would be one connection more than is allowed
                    await _quit_connection(self._idle.pop().client)
                await _quit_connection(await self._open_connection())
        except TimeoutError:
            raise _make_unavailable(_LATE) from None

    async def close(self) -> None:
        """Says goodbye on idle connections. Nothing may be under way."""
        while self._idle:
            await _quit_connection(self._idle.pop().client)

    @asynccontextmanager
    async def _take_slot(self) -> AsyncIterator[None]:
        self._under_way += 1
        try:
            try:
                async with asyncio.timeout(TIMES.free_connection):
                    await self._slots.acquire()
            except TimeoutError:
                raise make_busy() from None
            try:
                yield
            finally:
                self._slots.release()
        finally:
            self._under_way -= 1

    @asynccontextmanager
    async def _prepare_connection(self, envelope: SmtpEnvelope) -> AsyncIterator[_SmtpConnection]:
        """A connection whose server waits for the body. Closed when the body did not go through, else kept."""
        connection = await self._find_connection(envelope)
        try:
            yield connection
        except MailProblem:
            await self._keep_connection(connection)
            raise
        except BaseException:
            connection.client.close()
            raise
        await self._keep_connection(connection)

    async def _find_connection(self, envelope: SmtpEnvelope) -> _SmtpConnection:
        while self._idle:
            connection = self._idle.pop()
            if not connection.is_reusable:
                await _quit_connection(connection.client)
                continue
            try:
                await self._open_transaction(connection, envelope)
            except _StaleConnection:
                continue
            return connection
        connection = _SmtpConnection(await self._log_in())
        try:
            await self._open_transaction(connection, envelope)
        except _StaleConnection as stale:
            raise _make_unavailable(str(stale)) from None
        return connection

    async def _open_transaction(self, connection: _SmtpConnection, envelope: SmtpEnvelope) -> None:
        """Send MAIL, RCPT and DATA up to the 354. Raises `MailProblem`, or `_StaleConnection` for a dead connection."""
        client = connection.client
        try:
            options, encoding = _utf8_options(client, envelope.recipient)
            await client.mail(str(envelope.sender), options=options, encoding=encoding)
            await client.rcpt(str(envelope.recipient), encoding=encoding)
            reply = await client.execute_command(b"DATA")
            if reply.code != 354:
                raise SMTPResponseException(reply.code, reply.message)
        except SMTPResponseException as refusal:
            if refusal.code == 421 and connection.sent:
                client.close()
                raise _StaleConnection from None
            await self._keep_connection(connection, reset=True)
            raise _judge_refusal(refusal) from None
        except (SMTPException, OSError, TimeoutError) as error:
            client.close()
            raise _StaleConnection(_explain_failure(error)) from None
        except BaseException:
            client.close()
            raise

    async def _log_in(self) -> SMTP:
        """Return a new connection, logged in.

        Until the server has accepted the password, a single email tries it and its result holds for all waiting emails:
        a wrong password tried by every connection would lock the account.
        """
        asked = time.monotonic()
        if self._settings.smtp_username is not None and not self._login_holds:
            async with self._doubtful_login:
                if self._failed is not None and self._failed[0] > asked:
                    raise replace(self._failed[1])
                self._take_turn_to_log_in()  # not before: an email that waited in vain uses up no turn
                if not self._login_holds:
                    try:
                        return await self._open_connection()
                    except MailProblem as problem:
                        self._failed = (time.monotonic(), problem)
                        raise
        return await self._open_connection()

    @property
    def _login_holds(self) -> bool:
        """Return whether other connections may log in without waiting for a trial."""
        return self._login_taken is not None and time.monotonic() - self._login_taken < 60.0

    def _take_turn_to_log_in(self) -> None:
        """Raise the `MailProblem` of the last refused login until the next try, which one email makes."""
        if self._login_refused is None:
            return
        now = time.monotonic()
        if now < self._next_login:
            raise replace(self._login_refused, retry_after=ceil(self._next_login - now))
        self._next_login = now + TIMES.retry_after_refused_login

    async def _open_connection(self) -> SMTP:
        settings = self._settings
        client = SMTP(
            hostname=settings.smtp_host,
            port=settings.smtp_port,
            username=settings.smtp_username,
            password=settings.smtp_password.get_secret_value() if settings.smtp_password else None,
            local_hostname=settings.sender[1].domain,
            use_tls=settings.smtp_tls == "tls",
            start_tls=settings.smtp_tls == "starttls",
            timeout=TIMES.command,
        )
        try:
            await client.connect()
            if client.is_ehlo_or_helo_needed:
                await client.ehlo()
        except SMTPResponseException as refusal:
            client.close()
            problem = _judge_refusal(refusal)
            if isinstance(refusal, SMTPAuthenticationError):
                self._login_refused, self._login_taken = problem, None
                self._next_login = time.monotonic() + (problem.retry_after or 0)
            raise problem from None
        except (SMTPException, OSError, TimeoutError) as error:
            client.close()
            raise _make_unavailable(_explain_failure(error)) from None
        except BaseException:
            client.close()
            raise
        self._login_refused, self._login_taken = None, time.monotonic()
        return client

    async def _keep_connection(self, connection: _SmtpConnection, *, reset: bool = False) -> None:
        try:
            if reset and connection.client.is_connected:
                await connection.client.rset()
        except (SMTPException, OSError, TimeoutError):
            connection.client.close()
        if connection.client.is_connected:
            connection.sent += 1
            connection.idle_since = time.monotonic()
            self._idle.append(connection)


async def _hand_over(client: SMTP, content: bytes) -> None:
    """Send the body, which ends with CRLF, and read the final reply."""
    protocol = client.protocol
    if protocol is None or not protocol.is_connected:
        raise _make_unavailable("it hung up")
    try:
        protocol.write(PERIOD_REGEX.sub(b"..", content) + b".\r\n")
        reply = await protocol.read_response(timeout=TIMES.reply_to_data)
    except (SMTPException, OSError, TimeoutError):
        raise InDoubt from None
    if reply.code == 250:
        return
    if 400 <= reply.code < 600:
        if reply.code == 421:
            client.close()
        raise _judge_refusal(SMTPResponseException(reply.code, reply.message))
    raise InDoubt


async def _quit_connection(client: SMTP) -> None:
    try:
        with suppress(SMTPException, OSError, TimeoutError):
            await client.quit(timeout=2)
    finally:
        client.close()


def _utf8_options(client: SMTP, recipient: MailAddress) -> tuple[list[str], str]:
    if not recipient.needs_smtputf8:
        return [], "ascii"
    if not client.supports_extension("smtputf8"):
        raise bad_address("The SMTP server cannot write to an address with these letters.")
    return ["SMTPUTF8"], "utf-8"


def make_busy() -> MailProblem:
    return MailProblem(429, "busy", "Too many emails are waiting for the SMTP server. Nothing was sent.", retry_after=2)


def _make_unavailable(why: str) -> MailProblem:
    return MailProblem(503, "smtp_unavailable", f"The SMTP server cannot be used: {why}. Nothing was sent.")


def _explain_failure(error: Exception) -> str:
    """Tells a certificate that has expired from a wrong port, in nobody's words but our libraries'."""
    cause = error.__cause__ or error
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"its certificate is refused, {cause.verify_message.rstrip('.')}"
    if isinstance(cause, ssl.SSLError):
        return "no TLS comes about with it, see SMTP_TLS and SMTP_PORT"
    if type(error) is SMTPException:  # no STARTTLS, no login: told by the library, of no reply
        return str(error).rstrip(".")
    if isinstance(error, TimeoutError):
        return _LATE
    return f"it cannot be reached or hung up ({type(cause).__name__})"


def _judge_refusal(refusal: SMTPResponseException) -> MailProblem:
    """Return the answer to a reply that proves that nothing was accepted.

    The worker gives up an email whose address is refused three times. So the address is blamed only where the code or
    the words name it. Everything else is the provider's trouble, such as a sending limit or a reputation.
    """
    words = refusal.message[:MAX_WORDS]
    found = re.search(r"(?:^|\(#)([245]\.\d{1,3}\.\d{1,3})\b", words)  # qmail: in brackets at the end
    shown = f"{refusal.code} {found.group(1) if found else ''}".strip()
    is_permanent = isinstance(refusal, SMTPRecipientRefused) and refusal.code >= 500
    if is_permanent and classify_refusal("", words) == "mailbox_unknown":
        return bad_address(f"The SMTP server refused the recipient ({shown}).")
    if 400 <= refusal.code < 500:
        detail = f"The SMTP server asks to come back later ({shown}). Nothing was sent."
        return MailProblem(429, "smtp_deferred", detail, retry_after=TIMES.retry_after_refused)
    if isinstance(refusal, SMTPAuthenticationError):
        detail = f"The SMTP server refused our login ({shown}). Nothing was sent."
        return MailProblem(503, "smtp_refused", detail, retry_after=TIMES.retry_after_refused_login)
    detail = f"The SMTP server refused ({shown}). Nothing was sent."
    return MailProblem(503, "smtp_refused", detail, retry_after=TIMES.retry_after_refused)
