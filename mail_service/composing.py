"""From content to the bytes of one email (RFC 5322, MIME)."""

import re
from binascii import b2a_qp
from datetime import UTC, datetime
from email.header import Header
from email.utils import format_datetime
from secrets import token_hex

from mail_service.addresses import MailAddress
from mail_service.errors import MailProblem
from mail_service.rendering import RenderedEmail
from mail_service.variables import is_plain_text, reads_as_url, without_bidi_controls

_MAX_NAME = 120
_PLAIN_NAME = re.compile(r"[A-Za-z0-9' -]{1,60}")
_LONGEST_LINE = 76  # with an encoded word in it (RFC 2047, 2)


def display_name(name: str) -> str:
    """A name fit for a header. Raises 400 when it holds a line break or another control character, or a URL."""
    shown = without_bidi_controls(name[:_MAX_NAME]).strip()
    if len(name) > _MAX_NAME or not is_plain_text(name) or reads_as_url(shown):
        raise MailProblem(400, "bad_name", "The recipient's name is not plain text.", pointer="/to/name")
    return shown


def compose(
    *,
    sender: tuple[str, MailAddress],
    recipient: tuple[str, MailAddress],
    message_id: str,
    rendered: RenderedEmail,
    unsubscribe_url: str | None,
) -> bytes:
    """Return the whole email with CRLF line ends, 7 bit except for an SMTPUTF8 address.

    Headers are written here, since the library `email` damages some names when folding. `unsubscribe_url` becomes
    RFC 8058 one-click headers; they are never folded, which would break the link.
    """
    lines = [
        f"From: {_mailbox('From', *sender)}",
        f"To: {_mailbox('To', *recipient)}",
        f"Subject: {_subject(rendered.subject)}",
        f"Message-ID: {message_id}",
        f"Date: {format_datetime(datetime.now(UTC))}",
        "Auto-Submitted: auto-generated",
    ]
    if unsubscribe_url is not None:
        lines += [f"List-Unsubscribe: <{unsubscribe_url}>", "List-Unsubscribe-Post: List-Unsubscribe=One-Click"]
    boundary = f"=_{token_hex(16)}"
    lines += ["MIME-Version: 1.0", f'Content-Type: multipart/alternative; boundary="{boundary}"', "", ""]
    parts = [_part(boundary, "plain", rendered.text), _part(boundary, "html", rendered.html)]
    return "\r\n".join(lines).encode() + b"".join(parts) + f"--{boundary}--\r\n".encode()


def _mailbox(header: str, name: str, address: MailAddress) -> str:
    """A name that is more than plain words is encoded, never quoted: a comma in it must not begin another mailbox."""
    if not name:
        return str(address)
    if _PLAIN_NAME.fullmatch(name):
        return f"{name} <{address}>"
    return f"{_encoded(header, name)}\r\n <{address}>"


def _subject(text: str) -> str:
    """Return a subject; text that resembles an encoded word (RFC 2047) is encoded, too."""
    plain = text.isascii() and text.isprintable() and "=?" not in text
    return _encoded("Subject", text, "us-ascii" if plain else "utf-8")


def _encoded(header: str, text: str, charset: str = "utf-8") -> str:
    return Header(text, charset, _LONGEST_LINE, header).encode(linesep="\r\n")


def _part(boundary: str, subtype: str, content: str) -> bytes:
    head = (
        f"--{boundary}\r\n"
        f'Content-Type: text/{subtype}; charset="utf-8"\r\n'
        "Content-Transfer-Encoding: quoted-printable\r\n\r\n"
    )
    # The C encoder works on lines that end in CRLF already and keeps them; it is 20 times as fast as `email`'s own.
    body = b2a_qp(content.replace("\n", "\r\n").encode(), istext=True)
    return head.encode() + body + b"\r\n"
