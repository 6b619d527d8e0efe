"""Settings, read once from the environment. A secret may be given as `NAME` or as `NAME_FILE`, a path to a file."""

import os
from base64 import b64decode
from collections.abc import Mapping
from email.utils import parseaddr
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
from cryptography.hazmat.primitives.serialization import load_der_public_key
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretBytes,
    SecretStr,
    ValidationError,
    model_validator,
)
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from mail_service.addresses import MARK, MailAddress, parse_address
from mail_service.errors import MailProblem
from mail_service.organisation import SenderOrganisation


class MailMisconfigured(Exception):
    """The environment does not say what the service needs; the text names each variable, never a value."""


def _read_key(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        raw = b64decode(value, validate=True)
    except ValueError:
        raise ValueError("not base64") from None
    if len(raw) != 32:
        raise ValueError(f"needs 32 bytes, got {len(raw)}")
    return raw


def _read_postgres_url(value: object) -> object:
    if not isinstance(value, str):
        return value
    scheme, separator, rest = value.partition("://")
    if not separator or scheme not in ("postgresql", "postgresql+psycopg"):
        raise ValueError("needs postgresql://")
    address = f"postgresql+psycopg://{rest}"
    try:
        url = make_url(address)
        url.get_dialect()().create_connect_args(url)
    except (ArgumentError, ValueError):  # which would show a part of it
        raise ValueError("not a URL as postgresql://user:password@host/name") from None
    if "@" in (url.host or ""):  # a part of the password, which name servers would be asked for
        raise ValueError("has an @ that is not percent-encoded: write %40")
    return address


def _check_token(value: str) -> str:
    if len(value) < 16:
        raise ValueError("needs at least 16 characters")
    return value


def _check_sendgrid_key(value: str) -> str:
    try:
        key = load_der_public_key(b64decode(value, validate=True))
    except (ValueError, UnsupportedAlgorithm):
        raise ValueError("needs the verification key that SendGrid shows") from None
    if not isinstance(key, EllipticCurvePublicKey):
        raise ValueError("needs the verification key that SendGrid shows")
    return value


def is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _check_web_url(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment or parts.username:
        raise ValueError("needs an http:// or https:// address without query, fragment or credentials")
    if parts.scheme == "http" and not is_loopback(parts.hostname):
        raise ValueError("needs https:// (http:// only on loopback)")
    if not value.isascii() or any(character <= " " or character in '<>"\\' for character in value):
        raise ValueError("needs plain ASCII")
    return value.rstrip("/")


def _check_line(value: str) -> str:
    if len(value) > 120 or not value.isprintable():
        raise ValueError("needs one line of at most 120 characters")
    return value


def _check_contact(value: str) -> str:
    """The page of emails says that links lead to the addresses it lists; a contact is none of them."""
    if "://" in value:
        raise ValueError("needs a mailbox, a telephone number or a street: a web address is ORGANISATION_URL")
    return _check_line(value)


def _check_collector(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment or parts.username:
        raise ValueError("needs an http:// or https:// address without query, fragment or credentials")
    return value.rstrip("/")


def _check_origin(value: str) -> str:
    url = _check_web_url(value)
    if urlsplit(url).path:
        raise ValueError("needs an origin only, without a path")
    return url


def _split_list(value: object) -> object:
    return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


def _check_sender(value: str) -> str:
    if any(ord(character) < 32 for character in value):
        raise ValueError("holds a control character")
    try:
        address = parse_address(parseaddr(value)[1])
    except MailProblem:
        raise ValueError("needs an address, as in: Reminders <reminders@example.org>") from None
    if address.needs_smtputf8:
        raise ValueError("needs an ASCII address: some mail servers refuse others")
    return value


_EXAMPLE_MARK = "0" * 48  # as long as `AddressHasher.make_mark`


def _check_report_address(value: str) -> str:
    """Check an address in which `*`, if there, stands for the mark of an email."""
    if value.count("*") > 1:
        raise ValueError("needs one * at most, where the mark of each email goes")
    if "*" in value and not MARK.search(value.replace("*", _EXAMPLE_MARK)):
        raise ValueError("needs a character such as + or - between the * and letters or digits")
    try:
        _check_sender(value.replace("*", _EXAMPLE_MARK))
    except ValueError:
        if "*" not in value:
            raise
        raise ValueError("needs an address with at most 16 characters beside the * and before the @") from None
    return value


class ReportSettings(BaseModel):
    """Settings of the process that reads delivery reports; `alias` is the environment variable."""

    model_config = ConfigDict(frozen=True, populate_by_name=True, hide_input_in_errors=True)

    database_url: Annotated[SecretStr, BeforeValidator(_read_postgres_url)] | None = Field(
        None, alias="MAIL_SERVICE_DATABASE_URL"
    )
    reports_database_url: Annotated[SecretStr, BeforeValidator(_read_postgres_url)] | None = Field(
        None, alias="MAIL_SERVICE_REPORTS_DATABASE_URL"
    )
    hash_key: Annotated[SecretBytes, BeforeValidator(_read_key)] = Field(alias="MAIL_SERVICE_HASH_KEY")
    mail_from: Annotated[str, BeforeValidator(_check_sender)] = Field(alias="MAIL_FROM")
    report_address: Annotated[str, BeforeValidator(_check_report_address)] | None = Field(None, alias="REPORT_ADDRESS")
    report_imap_host: str | None = Field(None, alias="REPORT_IMAP_HOST")
    report_imap_port: int = Field(993, ge=1, le=65535, alias="REPORT_IMAP_PORT")
    report_imap_tls: Literal["tls", "starttls", "none"] = Field("tls", alias="REPORT_IMAP_TLS")
    report_imap_username: str | None = Field(None, alias="REPORT_IMAP_USERNAME")
    report_imap_password: SecretStr | None = Field(None, alias="REPORT_IMAP_PASSWORD")
    report_imap_folder: str = Field("INBOX", pattern=r"^[ !#-\[\]-~]{1,200}$", alias="REPORT_IMAP_FOLDER")

    @property
    def reader_database_url(self) -> str:
        """Return the URL of the reader of reports, by default that of the mail service."""
        url = self.reports_database_url or self.database_url
        if url is None:
            raise MailMisconfigured("MAIL_SERVICE_REPORTS_DATABASE_URL: missing")
        return url.get_secret_value()

    @property
    def sender(self) -> tuple[str, MailAddress]:
        """Display name and address of `From`."""
        name, address = parseaddr(self.mail_from)
        return name, parse_address(address)

    def make_envelope_sender(self, mark: str) -> MailAddress:
        """Return the address that receives reports about the email with this mark."""
        if self.report_address is None:
            return self.sender[1]
        return parse_address(parseaddr(self.report_address.replace("*", mark))[1])

    @model_validator(mode="after")
    def _a_mailbox_is_whole(self) -> Self:
        given = [self.report_imap_host, self.report_imap_username, self.report_imap_password]
        if any(each is not None for each in given) and any(each is None for each in given):
            raise ValueError("REPORT_IMAP_HOST, REPORT_IMAP_USERNAME and REPORT_IMAP_PASSWORD: give all or none")
        if self.report_imap_host and self.report_imap_tls == "none" and not is_loopback(self.report_imap_host):
            raise ValueError("REPORT_IMAP_TLS: a password is never sent in clear; use tls or starttls")
        return self

    @classmethod
    def from_environ(cls, environ: Mapping[str, str] = os.environ) -> Self:
        """Raises `Misconfigured` with every fault at once."""
        faults: list[str] = []
        given = {name: text for name, value in environ.items() if (text := value.strip())}
        values: dict[str, str] = {}
        for field in cls.model_fields.values():
            name = str(field.alias)
            if name in given:
                values[name] = given[name]
            if f"{name}_FILE" in given and "Secret" in str(field.annotation):
                try:
                    text = Path(given[f"{name}_FILE"]).read_text(encoding="utf-8").strip()
                    if not text:
                        faults.append(f"{name}_FILE: the file is empty")
                    elif values.setdefault(name, text) != text:
                        faults.append(f"{name}: is set in {name}_FILE too, to something else")
                except OSError as error:
                    faults.append(f"{name}_FILE: cannot be read ({error.strerror})")
                except UnicodeDecodeError:  # which would show what it read
                    faults.append(f"{name}_FILE: the file holds something that is not text")
        try:
            settings = cls.model_validate(values)
        except ValidationError as error:
            for fault in error.errors(include_input=False, include_url=False, include_context=False):
                message = "missing" if fault["type"] == "missing" else fault["msg"].removeprefix("Value error, ")
                faults.append(": ".join([*(str(part) for part in fault["loc"]), message]))
        if faults:
            listed = "\n".join(f"- {fault}" for fault in faults)
            raise MailMisconfigured(
                f"settings are not usable:\n{listed}\nNo .env is read: these come from the environment alone."
            )
        return settings


class MailServiceSettings(ReportSettings):
    """Settings of the mail service."""

    database_url: Annotated[SecretStr, BeforeValidator(_read_postgres_url)] = Field(alias="MAIL_SERVICE_DATABASE_URL")
    token: Annotated[SecretStr, BeforeValidator(_check_token)] = Field(alias="MAIL_SERVICE_TOKEN")
    public_url: Annotated[str, BeforeValidator(_check_web_url)] = Field(alias="MAIL_SERVICE_PUBLIC_URL")
    app_origin: Annotated[str, BeforeValidator(_check_origin)] = Field(alias="APP_ORIGIN")
    gift_origins: Annotated[
        tuple[Annotated[str, BeforeValidator(_check_origin)], ...], BeforeValidator(_split_list)
    ] = Field((), alias="GIFT_ORIGINS")
    runbook_url: Annotated[str, BeforeValidator(_check_web_url)] | None = Field(None, alias="RUNBOOK_URL")
    organisation_name: Annotated[str, BeforeValidator(_check_line)] | None = Field(None, alias="ORGANISATION_NAME")
    organisation_contact: Annotated[str, BeforeValidator(_check_contact)] | None = Field(
        None, alias="ORGANISATION_CONTACT"
    )
    organisation_url: Annotated[str, BeforeValidator(_check_web_url)] | None = Field(None, alias="ORGANISATION_URL")
    email_page_url: Annotated[str, BeforeValidator(_check_web_url)] | None = Field(None, alias="EMAIL_PAGE_URL")
    smtp_host: str = Field(min_length=1, alias="SMTP_HOST")
    smtp_port: int = Field(587, ge=1, le=65535, alias="SMTP_PORT")
    smtp_username: str | None = Field(None, alias="SMTP_USERNAME")
    smtp_password: SecretStr | None = Field(None, alias="SMTP_PASSWORD")
    smtp_tls: Literal["starttls", "tls", "none"] = Field("starttls", alias="SMTP_TLS")
    smtp_pool_size: int = Field(20, ge=1, le=200, alias="SMTP_POOL_SIZE")
    report_secret: Annotated[SecretStr, BeforeValidator(_check_token)] | None = Field(None, alias="REPORT_SECRET")
    report_mailgun_key: Annotated[SecretStr, BeforeValidator(_check_token)] | None = Field(
        None, alias="REPORT_MAILGUN_KEY"
    )
    report_sendgrid_key: Annotated[SecretStr, BeforeValidator(_check_sendgrid_key)] | None = Field(
        None, alias="REPORT_SENDGRID_KEY"
    )
    otel_endpoint: Annotated[str, BeforeValidator(_check_collector)] | None = Field(
        None, alias="OTEL_EXPORTER_OTLP_ENDPOINT"
    )
    host: str = Field("127.0.0.1", alias="MAIL_SERVICE_HOST")
    port: int = Field(8090, ge=0, le=65535, alias="MAIL_SERVICE_PORT")

    @property
    def organisation(self) -> SenderOrganisation:
        return SenderOrganisation(
            self.organisation_name or "", self.organisation_contact or "", self.organisation_url or ""
        )

    @model_validator(mode="after")
    def _credentials_travel_encrypted(self) -> Self:
        if (self.smtp_username is None) != (self.smtp_password is None):
            raise ValueError("SMTP_USERNAME and SMTP_PASSWORD: give both or neither")
        if self.smtp_tls == "none" and self.smtp_password is not None and not is_loopback(self.smtp_host):
            raise ValueError("SMTP_TLS: a password is never sent in clear; use starttls or tls")
        return self

    @model_validator(mode="after")
    def _both_sides_begin_alike(self) -> Self:
        if self.smtp_port == 465 and self.smtp_tls == "starttls":  # RFC 8314
            raise ValueError("SMTP_TLS: port 465 takes tls")  # else each waits for the other
        return self
