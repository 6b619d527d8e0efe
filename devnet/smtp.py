"""The local stack's mailbox: a real SMTP server on loopback and a page that shows what arrived. In memory only.

In a test: `async with Inbox() as inbox:`, then `await inbox.wait_for(lambda m: m.to == "anna@example.org")`.
On its own: `python -m devnet.smtp --smtp-port 2525 --http-port 8025`.
"""

import asyncio
import email
import email.policy
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.message import EmailMessage, Message
from typing import Any, Self

import click
from aiohttp import web
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from devnet.inbox_page import pages

_HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class AttachedFile:
    """One file of an email: a calendar entry, or a picture that the HTML shows."""

    name: str
    content_type: str
    content: bytes


@dataclass(frozen=True, slots=True)
class ReceivedEmail:
    """One email as it arrived. `to` and `sender` are the envelope's, `text` and `html` have LF line ends."""

    number: int
    received_at: datetime
    sender: str
    to: str
    subject: str
    headers: tuple[tuple[str, str], ...]
    text: str
    html: str
    attachments: tuple[AttachedFile, ...]

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)

    def as_json(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "receivedAt": self.received_at.isoformat(),
            "from": self.sender,
            "to": self.to,
            "subject": self.subject,
            "headers": [{"name": name, "value": value} for name, value in self.headers],
            "text": self.text,
            "html": self.html,
            "attachments": [{"name": file.name, "contentType": file.content_type} for file in self.attachments],
        }


@dataclass(slots=True)
class SmtpFaults:
    """Faults for tests. A reply is a whole line, as in `550 5.1.1 no such user`."""

    reply_to_mail: str | None = None
    reply_to_rcpt: str | None = None
    reply_to_data: str | None = None  # after the end of data: the email is not kept
    hold_rcpt: asyncio.Event | None = None  # the reply to RCPT waits until this is set
    rcpt_reached: asyncio.Event = field(default_factory=asyncio.Event)  # set by each RCPT, also one that waits
    delay_seconds: float = 0.0  # before the reply to the end of data
    hold: asyncio.Event | None = None  # the reply to the end of data waits until this is set
    drop_after_data: bool = False  # the email is kept, and the connection closed without a reply


class SmtpInbox:
    """The server and its messages, oldest first. Use as `async with`; everything runs in the loop that enters it."""

    def __init__(
        self,
        smtp_port: int = 0,
        http_port: int | None = None,
        *,
        tls: ssl.SSLContext | None = None,
        login: tuple[str, str] | None = None,
    ) -> None:
        """Port 0 takes a free one; `http_port` None serves no page.

        With `tls` no email is taken before STARTTLS, with `login` (user, password) none before AUTH.
        """
        self._tls = tls
        self._login = login
        self.messages: list[ReceivedEmail] = []
        self.faults = SmtpFaults()
        self.connections = 0
        self.smtp_port = smtp_port
        self.http_port = http_port
        self._server: asyncio.Server | None = None
        self._open: set[SMTP] = set()
        self._runner: web.AppRunner | None = None
        self._arrived = asyncio.Condition()
        self._count = 0

    @property
    def url(self) -> str:
        return f"http://{_HOST}:{self.http_port}"

    async def __aenter__(self) -> Self:
        """Raises `OSError` when a port is busy."""
        await self.accept()
        if self.http_port is not None:
            self._runner = web.AppRunner(pages(self), access_log=None, handle_signals=False)
            await self._runner.setup()
            await web.TCPSite(self._runner, _HOST, self.http_port).start()
            self.http_port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.refuse()
        if self._runner is not None:
            await self._runner.cleanup()

    async def accept(self) -> None:
        """Listen (again, on the same port)."""
        self._server = await asyncio.get_running_loop().create_server(self._connection, _HOST, self.smtp_port)
        self.smtp_port = self._server.sockets[0].getsockname()[1]

    async def refuse(self) -> None:
        """Stop listening and cut every connection, as a server that goes down."""
        if self._server is not None:
            self._server.close()
        for connection in list(self._open):
            if connection.transport is not None:
                connection.transport.abort()  # type: ignore[attr-defined]
        self._open.clear()
        await asyncio.sleep(0)

    async def wait_for(self, predicate: Callable[[ReceivedEmail], bool], timeout: float = 60.0) -> ReceivedEmail:  # noqa: ASYNC109
        """The first message, here or to come, that `predicate` is true of. Raises `TimeoutError`."""
        async with asyncio.timeout(timeout), self._arrived:
            await self._arrived.wait_for(lambda: any(predicate(message) for message in self.messages))
            return next(message for message in self.messages if predicate(message))

    async def wait_for_count(self, count: int) -> None:
        """Until at least `count` messages are here. Raises `TimeoutError`."""
        async with asyncio.timeout(60), self._arrived:
            await self._arrived.wait_for(lambda: len(self.messages) >= count)

    def find(self, number: int) -> ReceivedEmail | None:
        return next((message for message in self.messages if message.number == number), None)

    def clear(self) -> None:
        self.messages.clear()

    def _connection(self) -> SMTP:
        self.connections += 1
        connection = SMTP(
            self,
            hostname="localhost",
            enable_SMTPUTF8=True,
            tls_context=self._tls,
            require_starttls=self._tls is not None,
            auth_required=self._login is not None,
            authenticator=self._authenticate,
            loop=asyncio.get_running_loop(),
        )
        self._open.add(connection)
        return connection

    def _authenticate(
        self, _server: SMTP, _session: Session, _envelope: Envelope, _method: str, data: Any
    ) -> AuthResult:
        right = isinstance(data, LoginPassword) and (data.login.decode(), data.password.decode()) == self._login
        return AuthResult(success=right, handled=False)  # as handled, nobody answers

    # The hooks of aiosmtpd.

    async def handle_MAIL(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.faults.reply_to_mail:
            return self.faults.reply_to_mail
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        self.faults.rcpt_reached.set()
        if self.faults.hold_rcpt is not None:
            await self.faults.hold_rcpt.wait()
        if self.faults.reply_to_rcpt:
            return self.faults.reply_to_rcpt
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        faults = self.faults
        if faults.reply_to_data:
            return faults.reply_to_data
        async with self._arrived:
            for recipient in envelope.rcpt_tos:
                self._count += 1
                self.messages.append(_parse(self._count, envelope.mail_from or "", recipient, envelope.content))
            self._arrived.notify_all()
        if faults.drop_after_data and server.transport is not None:
            server.transport.abort()  # type: ignore[attr-defined]
        if faults.hold is not None:
            await faults.hold.wait()
        await asyncio.sleep(faults.delay_seconds)
        return "250 OK"


def _parse(number: int, sender: str, recipient: str, content: bytes | str | None) -> ReceivedEmail:
    raw = content if isinstance(content, bytes) else (content or "").encode()
    message = email.message_from_bytes(raw, policy=email.policy.default)
    headers = tuple((name, str(value)) for name, value in message.items())
    subject = str(message["subject"] or "")
    text, html = _part(message, "plain"), _part(message, "html")
    return ReceivedEmail(
        number, datetime.now(UTC), sender, recipient, subject, headers, text, html, _attachments(message)
    )


def _part(message: EmailMessage, subtype: str) -> str:
    body = message.get_body((subtype,))
    return str(body.get_content()).replace("\r\n", "\n") if body is not None else ""


def _attachments(message: EmailMessage) -> tuple[AttachedFile, ...]:
    """Every part that is neither the text nor the HTML, also one inside the HTML's part."""
    bodies = (message.get_body(("plain",)), message.get_body(("html",)))
    files = [part for part in message.walk() if not part.is_multipart() and part not in bodies]
    return tuple(_attachment(number, part) for number, part in enumerate(files, 1))


def _attachment(number: int, part: Message) -> AttachedFile:
    content = part.get_payload(decode=True)
    name = part.get_filename() or f"part-{number}"
    return AttachedFile(name, part.get_content_type(), content if isinstance(content, bytes) else b"")


async def _serve(smtp_port: int, http_port: int) -> None:
    async with SmtpInbox(smtp_port, http_port) as inbox:
        click.echo(f"SMTP on {_HOST}:{inbox.smtp_port}, inbox at {inbox.url}")
        await asyncio.Event().wait()


@click.command(
    help="A mailbox for the local stack.\n\nExample: python -m devnet.smtp --smtp-port 2525 --http-port 8025"
)
@click.option("--smtp-port", default=2525, show_default=True, help="port of the SMTP server; 0: any free one")
@click.option("--http-port", default=8025, show_default=True, help="port of the inbox page; 0: any free one")
def main(smtp_port: int, http_port: int) -> None:
    try:
        asyncio.run(_serve(smtp_port, http_port))
    except OSError as error:
        raise click.ClickException(f"a port is busy: {error.strerror}") from None
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
