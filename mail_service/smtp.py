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

from aiosmtplib import SMTP, SMTPAuthenticationError, SMTPException, SMTPRecipientRefused, SMTPResponseException
from aiosmtplib.protocol import PERIOD_REGEX

from mail_service.addresses import MailAddress
from mail_service.errors import MailProblem, bad_address
from mail_service.settings import MailServiceSettings

_COMMAND_TIMEOUT = 300.0  # RFC 5321, 4.5.3.2: servers delay unknown clients
_REPLY_TO_DATA_TIMEOUT = 600.0  # 4.5.3.2.6; in doubt for ever after it
_WAIT_FOR_A_CONNECTION = 300.0  # after that the recipient may have been erased: the caller has to look again
_CHECK_TIMEOUT = 20.0
_MAX_IDLE_SECONDS = 30.0
_MAX_EMAILS_PER_CONNECTION = 100
_WAITING_PER_CONNECTION = 16
_RETRY_AFTER_REFUSED = 60
_RETRY_AFTER_REFUSED_LOGIN = 300  # a password does not mend itself, and who fails again and again is locked out
_LOGIN_HOLDS = 60.0  # after a login, other connections log in without waiting for a trial
# RFC 3463: the mailbox or its domain does not exist, is misspelled, has moved, takes no email, or is disabled.
_ADDRESS_CODES = ("5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.2.1")
_ENHANCED_CODE = re.compile(r"(?:^|\(#)([245]\.\d{1,3}\.\d{1,3})\b")  # qmail has it in brackets at the end
_UNSPECIFIC_CODES = ("", "5.0.0", "5.1.0")  # only the words tell the cause; Exim sends no code
_ADDRESS_WORDS = re.compile(
    r"(?:user|mailbox|recipient) (?:is )?(?:unknown|not found)|(?:unknown|no such) (?:user|mailbox|recipient)",
    re.IGNORECASE,
)
_LIMIT_WORDS = re.compile(r"\b(?:rate|limit|quota|later|temporar)", re.IGNORECASE)  # Gmail has 5.2.1 for a rate limit
# Exim quotes another server's refusal of our sender.
_OTHER_WORDS = re.compile(r"relay|sender|authenticat|prohibit|policy|(?:black|block) ?list", re.IGNORECASE)
_NAMED_ADDRESS = re.compile(r"\S*@\S*")
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
    def reusable(self) -> bool:
        fresh = time.monotonic() - self.idle_since < _MAX_IDLE_SECONDS
        return self.client.is_connected and fresh and self.sent < _MAX_EMAILS_PER_CONNECTION


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
    def saturated(self) -> bool:
        """Return whether another email would wait too long."""
        return self._under_way >= self._settings.smtp_pool_size * (1 + _WAITING_PER_CONNECTION)

    async def deliver(self, envelope: SmtpEnvelope, gate: Callable[[], Awaitable[bool]]) -> None:
        """Returns after the server's 250 to the body.

        `gate` is awaited after the server agreed to take the body and before the body leaves. Raises `MailProblem` if
        nothing was accepted (422 no such mailbox, 429 come back later, 503), `ClaimLost`, `InDoubt`, and errors of
        `gate` (the body did not leave).
        """
        async with self._slot(), self._prepared(envelope) as connection:
            if not await gate():
                raise ClaimLost
            await _hand_over(connection.client, envelope.content)

    async def check(self) -> None:
        """Greet the server, encrypt and log in as for an email. Raises `MailProblem` if that fails."""
        try:
            async with asyncio.timeout(_CHECK_TIMEOUT), self._slot():
                if self._idle:  # closed first, or this would be one connection more than is allowed
                    await _quit(self._idle.pop().client)
                await _quit(await self._connect())
        except TimeoutError:
            raise _unavailable(_LATE) from None

    async def close(self) -> None:
        """Says goodbye on idle connections. Nothing may be under way."""
        while self._idle:
            await _quit(self._idle.pop().client)

    @asynccontextmanager
    async def _slot(self) -> AsyncIterator[None]:
        self._under_way += 1
        try:
            try:
                async with asyncio.timeout(_WAIT_FOR_A_CONNECTION):
                    await self._slots.acquire()
            except TimeoutError:
                raise busy() from None
            try:
                yield
            finally:
                self._slots.release()
        finally:
            self._under_way -= 1

    @asynccontextmanager
    async def _prepared(self, envelope: SmtpEnvelope) -> AsyncIterator[_SmtpConnection]:
        """A connection whose server waits for the body. Closed when the body did not go through, else kept."""
        connection = await self._ask(envelope)
        try:
            yield connection
        except MailProblem:
            await self._keep(connection)
            raise
        except BaseException:
            connection.client.close()
            raise
        await self._keep(connection)

    async def _ask(self, envelope: SmtpEnvelope) -> _SmtpConnection:
        while self._idle:
            connection = self._idle.pop()
            if not connection.reusable:
                await _quit(connection.client)
                continue
            try:
                await self._open_transaction(connection, envelope)
            except _StaleConnection:
                continue
            return connection
        connection = _SmtpConnection(await self._logged_in())
        try:
            await self._open_transaction(connection, envelope)
        except _StaleConnection as stale:
            raise _unavailable(str(stale)) from None
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
            await self._keep(connection, reset=True)
            raise _refused(refusal) from None
        except (SMTPException, OSError, TimeoutError) as error:
            client.close()
            raise _StaleConnection(_why(error)) from None
        except BaseException:
            client.close()
            raise

    async def _logged_in(self) -> SMTP:
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
                        return await self._connect()
                    except MailProblem as problem:
                        self._failed = (time.monotonic(), problem)
                        raise
        return await self._connect()

    @property
    def _login_holds(self) -> bool:
        return self._login_taken is not None and time.monotonic() - self._login_taken < _LOGIN_HOLDS

    def _take_turn_to_log_in(self) -> None:
        """Raise the `MailProblem` of the last refused login until the next try, which one email makes."""
        if self._login_refused is None:
            return
        now = time.monotonic()
        if now < self._next_login:
            raise replace(self._login_refused, retry_after=ceil(self._next_login - now))
        self._next_login = now + _RETRY_AFTER_REFUSED_LOGIN

    async def _connect(self) -> SMTP:
        settings = self._settings
        client = SMTP(
            hostname=settings.smtp_host,
            port=settings.smtp_port,
            username=settings.smtp_username,
            password=settings.smtp_password.get_secret_value() if settings.smtp_password else None,
            local_hostname=settings.sender[1].domain,
            use_tls=settings.smtp_tls == "tls",
            start_tls=settings.smtp_tls == "starttls",
            timeout=_COMMAND_TIMEOUT,
        )
        try:
            await client.connect()
            if client.is_ehlo_or_helo_needed:
                await client.ehlo()
        except SMTPResponseException as refusal:
            client.close()
            problem = _refused(refusal)
            if isinstance(refusal, SMTPAuthenticationError):
                self._login_refused, self._login_taken = problem, None
                self._next_login = time.monotonic() + (problem.retry_after or 0)
            raise problem from None
        except (SMTPException, OSError, TimeoutError) as error:
            client.close()
            raise _unavailable(_why(error)) from None
        except BaseException:
            client.close()
            raise
        self._login_refused, self._login_taken = None, time.monotonic()
        return client

    async def _keep(self, connection: _SmtpConnection, *, reset: bool = False) -> None:
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
        raise _unavailable("it hung up")
    try:
        protocol.write(PERIOD_REGEX.sub(b"..", content) + b".\r\n")
        reply = await protocol.read_response(timeout=_REPLY_TO_DATA_TIMEOUT)
    except (SMTPException, OSError, TimeoutError):
        raise InDoubt from None
    if reply.code == 250:
        return
    if 400 <= reply.code < 600:
        if reply.code == 421:
            client.close()
        raise _refused(SMTPResponseException(reply.code, reply.message))
    raise InDoubt


async def _quit(client: SMTP) -> None:
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


def busy() -> MailProblem:
    return MailProblem(429, "busy", "Too many emails are waiting for the SMTP server. Nothing was sent.", retry_after=2)


def _unavailable(why: str) -> MailProblem:
    return MailProblem(503, "smtp_unavailable", f"The SMTP server cannot be used: {why}. Nothing was sent.")


def _why(error: Exception) -> str:
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


def _refused(refusal: SMTPResponseException) -> MailProblem:
    """Return the answer to a reply that proves that nothing was accepted.

    The worker gives up an email whose address is refused three times. So the address is blamed only where the code or
    the words name it. Everything else is the provider's trouble, such as a sending limit or a reputation.
    """
    found = _ENHANCED_CODE.search(refusal.message)
    enhanced = found.group(1) if found else ""
    shown = f"{refusal.code} {enhanced}".strip()
    if isinstance(refusal, SMTPRecipientRefused) and refusal.code >= 500 and _blames_address(enhanced, refusal.message):
        return bad_address(f"The SMTP server refused the recipient ({shown}).")
    if 400 <= refusal.code < 500:
        detail = f"The SMTP server asks to come back later ({shown}). Nothing was sent."
        return MailProblem(429, "smtp_deferred", detail, retry_after=_RETRY_AFTER_REFUSED)
    if isinstance(refusal, SMTPAuthenticationError):
        detail = f"The SMTP server refused our login ({shown}). Nothing was sent."
        return MailProblem(503, "smtp_refused", detail, retry_after=_RETRY_AFTER_REFUSED_LOGIN)
    detail = f"The SMTP server refused ({shown}). Nothing was sent."
    return MailProblem(503, "smtp_refused", detail, retry_after=_RETRY_AFTER_REFUSED)


def _blames_address(enhanced: str, message: str) -> bool:
    words = _NAMED_ADDRESS.sub("", message)
    if _LIMIT_WORDS.search(words):
        return False
    if enhanced in _UNSPECIFIC_CODES:
        return _ADDRESS_WORDS.search(words) is not None and _OTHER_WORDS.search(words) is None
    return enhanced in _ADDRESS_CODES
