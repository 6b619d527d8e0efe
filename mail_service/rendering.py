"""From a template's name and variables to the bytes of one email (RFC 5322, MIME)."""

import re
from base64 import encodebytes
from binascii import b2a_qp
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.header import Header
from email.utils import format_datetime
from secrets import token_hex
from typing import Any
from zoneinfo import ZoneInfo

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined, Template

from mail_service.addresses import MailAddress
from mail_service.calendar_file import CalendarFile, CalendarWords, find_window, make_calendar_files
from mail_service.catalogue import LINES, TEMPLATES, EmailTemplate
from mail_service.claim_link import find_occasion, find_way
from mail_service.errors import MailProblem
from mail_service.languages import find_language, find_zone, load_language
from mail_service.occasion_card import read_card
from mail_service.organisation import NO_ORGANISATION, SenderOrganisation
from mail_service.variables import (
    ROLES,
    LinkOrigins,
    check_variables,
    format_origin,
    is_plain_text,
    reads_as_url,
    without_bidi_controls,
)
from mail_service.wrapping import measure_width, wrap_text

CARD_ID = "card@gift"


@dataclass(frozen=True, slots=True)
class RenderedEmail:
    """One email's content; never logged and never stored."""

    subject: str
    html: str
    text: str
    files: tuple[CalendarFile, ...] = ()
    card: bytes | None = None  # PNG that the HTML shows as `cid:`CARD_ID

    def __repr__(self) -> str:
        return "Rendered(***)"


def make_environment(part: str, code: str = "en") -> Environment:
    """`words` is shared, so both parts say the same; `part` holds layout and building blocks of `html` or `text`."""
    language = load_language(code)
    loaders = [PackageLoader("mail_service", f"templates/{folder}") for folder in (part, "words")]
    environment = Environment(
        loader=ChoiceLoader(loaders),
        autoescape=part != "text",  # noqa: S701 - off for text/plain, on for HTML
        undefined=StrictUndefined,
        trim_blocks=True,
        auto_reload=False,
        extensions=["jinja2.ext.i18n"],
    )
    environment.policies["ext.i18n.trimmed"] = True
    environment.install_gettext_translations(language.translations, newstyle=True)  # type: ignore[attr-defined]
    environment.globals |= {
        "language": language.tag,
        "rtl": language.rtl,
        "start": "right" if language.rtl else "left",
    }
    environment.filters |= {"wrap": wrap_text, "width": measure_width}
    if part != "pages":
        environment.globals["parts"] = environment.get_template("parts.j2").module
    return environment


class _WrittenLanguage:
    """Templates of one language; each is compiled when it is used first."""

    def __init__(self, code: str) -> None:
        self._language = load_language(code)
        self.html = make_environment("html", code)
        self.text = make_environment("text", code)
        self._subjects: dict[str, Template] = {}
        self.roles = {role: self._language.translations.gettext(label) for role, label in ROLES.items()}

    def find_subject(self, template: EmailTemplate) -> Template:
        if template.name not in self._subjects:
            self._subjects[template.name] = self.text.from_string(template.subject)
        return self._subjects[template.name]

    def write_day(self, window: str, context: Mapping[str, Any]) -> CalendarWords:
        title, description = (
            self.text.get_template(f"day_{part}.j2").render(context, window=window).strip()
            for part in ("title", "description")
        )
        return CalendarWords(title, description)

    def translate_values(self, context: dict[str, Any], zone: ZoneInfo | None) -> None:
        """Put days and amounts, which a worker writes in English, into the language, and name the legacy.

        Days are shown in the zone, with UTC beside.
        """
        for name in ("deadline", "unlockAt", "remindedUntil"):
            if name in context:
                context[name] = self._language.format_time(context[name], zone)
        if "legacyId" in context:
            gettext = self._language.translations.gettext
            message = gettext("“%(title)s”") if context["legacyTitle"] else gettext("legacy %(number)s")
            context["legacy"] = message % {"title": context["legacyTitle"], "number": context["legacyId"]}
        for row in context.get("amounts") or ():
            row["amount"] = self._language.format_amount(row["amount"])


class EmailRenderer:
    """Renders for one app origin; gifts may have origins of their own. Templates are compiled once.

    `runbook_url`: where operators keep the runbook, whose entries have the names of alerts. `organisation`: who sends
    the emails. `email_page_url`: the page that answers for the number of an email.
    """

    def __init__(
        self,
        origin: str,
        gift_origins: Sequence[str] = (),
        runbook_url: str | None = None,
        organisation: SenderOrganisation = NO_ORGANISATION,
        email_page_url: str | None = None,
    ) -> None:
        self._runbook_url = runbook_url
        self._sender = {"organisation": organisation, "email_page_url": email_page_url}
        self.origins = LinkOrigins(origin, tuple(gift_origins) or (origin,))
        self._written = {"en": _WrittenLanguage("en")}

    def find_template(self, name: str, version: int) -> EmailTemplate:
        """Raises 400 `unknown_template`."""
        template = TEMPLATES.get(name)
        if template is None or template.version != version:
            raise MailProblem(
                400, "unknown_template", "There is no template of this name and version.", pointer="/template"
            )
        return template

    def render_email(
        self,
        template: EmailTemplate,
        variables: Mapping[str, Any],
        unsubscribe_url: str | None = None,
        language: str = "en",
        forget_url: str | None = None,
        number: str | None = None,
        time_zone: str = "",
    ) -> RenderedEmail:
        """Raises the refusals of `check_variables`. `unsubscribe_url`: shown in the body, when it may be.

        `language` is a BCP 47 tag. Operators, and people whose language is unknown here, get English.
        `time_zone` is an IANA name. Operators, and people whose zone is unknown here, read times in UTC only.
        """
        written = self._find_language("en" if template.category == "ops" else find_language(language))
        context = check_variables(template.variables, variables, self.origins)
        origin = format_origin(context["claimUrl"]) if template.category == "gift" else self.origins.app
        context |= {
            "origin": origin,
            "line": LINES.get(context.get("role", ""), 0),
            "roles": written.roles,
            "unsubscribe_url": unsubscribe_url,
            "forget_url": forget_url,
            "number": number,
            **self._sender,
            "runbook_url": f"{self._runbook_url}#runbook-{template.name}" if self._runbook_url else None,
        }
        card = None
        if template.category == "gift":
            card = read_card(find_occasion(context["claimUrl"]))
            context["way"] = find_way(context["claimUrl"])
        context["card_url"] = f"cid:{CARD_ID}" if card is not None else None
        days = dict(context)  # as workers write them
        if template.category != "ops":
            written.translate_values(context, find_zone(time_zone))
        subject = " ".join(written.find_subject(template).render(context).split())
        words = "unwatched.j2" if context.get("status") == "unwatched" else f"{template.name}.j2"
        html = written.html.get_template(words).render(context, subject=subject)
        text = written.text.get_template(words).render(context, subject=subject)
        window = find_window(template.name, days)
        files: tuple[CalendarFile, ...] = ()
        if window is not None:
            day_words = written.write_day(window, context)
            files = make_calendar_files(template.name, days, origin, day_words, datetime.now(UTC))
        return RenderedEmail(subject, html, re.sub(r"\n{3,}", "\n\n", text).strip() + "\n", files, card)

    def _find_language(self, code: str) -> "_WrittenLanguage":
        if code not in self._written:
            self._written[code] = _WrittenLanguage(code)
        return self._written[code]

    def render_sample(self, template: EmailTemplate, role: str | None = None, language: str = "en") -> RenderedEmail:
        """With the catalogue's sample data, for previews and tests. An unknown role is refused like any other."""
        variables = dict(template.sample)
        for name in ("actionUrl", "claimUrl"):
            if name in variables:
                variables[name] = variables[name].format(origin=self.origins.app, gift_origin=self.origins.gifts[0])
        if role is not None and "role" in variables:
            variables["role"] = role
        forget_url = f"{self.origins.app}/forget/sample"
        number = "0123-4567-89AB-CDEF"
        return self.render_email(template, variables, language=language, forget_url=forget_url, number=number)


def check_display_name(name: str) -> str:
    """A name fit for a header. Raises 400 when it holds a line break or another control character, or a URL."""
    shown = without_bidi_controls(name[:120]).strip()
    if len(name) > 120 or not is_plain_text(name) or reads_as_url(shown):
        raise MailProblem(400, "bad_name", "The recipient's name is not plain text.", pointer="/to/name")
    return shown


def compose_message(
    *,
    sender: tuple[str, MailAddress],
    recipient: tuple[str, MailAddress],
    message_id: str,
    rendered: RenderedEmail,
    unsubscribe_url: str | None,
    provider_fields: Sequence[str] = (),
) -> bytes:
    """Return the whole email with CRLF line ends, 7 bit except for an SMTPUTF8 address.

    Headers are written here, since the library `email` damages some names when folding. `unsubscribe_url` becomes
    RFC 8058 one-click headers; they are never folded, which would break the link.
    """
    lines = [
        f"From: {_format_mailbox('From', *sender)}",
        f"To: {_format_mailbox('To', *recipient)}",
        f"Subject: {_encode_subject(rendered.subject)}",
        f"Message-ID: {message_id}",
        f"Date: {format_datetime(datetime.now(UTC))}",
        "Auto-Submitted: auto-generated",
        *provider_fields,
    ]
    if unsubscribe_url is not None:
        lines += [f"List-Unsubscribe: <{unsubscribe_url}>", "List-Unsubscribe-Post: List-Unsubscribe=One-Click"]
    lines += ["MIME-Version: 1.0", ""]
    head = "\r\n".join(lines).encode()
    page = _encode_part("html", rendered.html)
    if rendered.card is not None:
        page = _join_parts("related", [page, _encode_card(rendered.card)])
    letter = _join_parts("alternative", [_encode_part("plain", rendered.text), page])
    if not rendered.files:
        return head + letter
    return head + _join_parts("mixed", [letter, *(_encode_file(each) for each in rendered.files)])


def _format_mailbox(header: str, name: str, address: MailAddress) -> str:
    """A name that is more than plain words is encoded, never quoted: a comma in it must not begin another mailbox."""
    if not name:
        return str(address)
    if re.fullmatch(r"[A-Za-z0-9' -]{1,60}", name):
        return f"{name} <{address}>"
    return f"{_encode_header(header, name)}\r\n <{address}>"


def _encode_subject(text: str) -> str:
    """Return a subject; text that resembles an encoded word (RFC 2047) is encoded, too."""
    plain = text.isascii() and text.isprintable() and "=?" not in text
    return _encode_header("Subject", text, "us-ascii" if plain else "utf-8")


def _encode_header(header: str, text: str, charset: str = "utf-8") -> str:
    """Encode with lines of at most 76 characters (RFC 2047, 2)."""
    return Header(text, charset, 76, header).encode(linesep="\r\n")


def _join_parts(subtype: str, parts: Sequence[bytes]) -> bytes:
    boundary = f"=_{token_hex(16)}"
    kind = ' type="text/html";' if subtype == "related" else ""  # RFC 2387
    head = f'Content-Type: multipart/{subtype};{kind} boundary="{boundary}"\r\n\r\n'
    body = b"".join(f"--{boundary}\r\n".encode() + part for part in parts)
    return head.encode() + body + f"--{boundary}--\r\n".encode()


def _encode_part(subtype: str, content: str) -> bytes:
    head = f'Content-Type: text/{subtype}; charset="utf-8"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n'
    # The C encoder works on lines that end in CRLF already and keeps them; it is 20 times as fast as `email`'s own.
    body = b2a_qp(content.replace("\n", "\r\n").encode(), istext=True)
    return head.encode() + body + b"\r\n"


def _encode_card(card: bytes) -> bytes:
    head = (
        "Content-Type: image/png\r\n"
        f"Content-ID: <{CARD_ID}>\r\n"
        'Content-Disposition: inline; filename="card.png"\r\n'
        "Content-Transfer-Encoding: base64\r\n\r\n"
    )
    return head.encode() + encodebytes(card).replace(b"\n", b"\r\n")


def _encode_file(file: CalendarFile) -> bytes:
    head = (
        f'Content-Type: text/calendar; charset="utf-8"; method={file.method}\r\n'
        f'Content-Disposition: attachment; filename="{file.name}"\r\n'
        "Content-Transfer-Encoding: base64\r\n\r\n"
    )
    return head.encode() + encodebytes(file.content.encode()).replace(b"\n", b"\r\n")
