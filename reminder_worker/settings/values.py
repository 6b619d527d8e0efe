"""Types of settings: each reads a value from text, or names the fault without showing the value."""

import re
from base64 import b64decode
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_network
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, AnyUrl, BeforeValidator, Field, SecretBytes, SecretStr
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from reminder_worker.privacy.emails import check_name, normalise_email

BlockTag = Literal["latest", "safe", "finalized"]


def split_list(value: str) -> tuple[str, ...]:
    """Return the parts between commas, stripped, without empty ones."""
    return tuple(part.strip() for part in value.split(",") if part.strip())


def _read_address(value: str) -> str:
    if not re.fullmatch("0x[0-9a-fA-F]{40}", value):
        raise ValueError("not an address: 0x and 40 hex digits")
    return value.lower()


def _check_line(value: str) -> str:
    if len(value) > 120 or not value.isprintable():
        raise ValueError("needs one line of at most 120 characters")
    return value


def _check_contact(value: str) -> str:
    """Links of emails lead to the addresses that the page of emails lists; a contact is none of them."""
    if "://" in value:
        raise ValueError("needs a mailbox, a telephone number or a street: a web address is ORGANISATION_URL")
    return _check_line(value)


def _check_folder(value: str) -> str:
    if "://" in value and not re.fullmatch(r"(s3|gs)://[a-z0-9][a-z0-9._-]+(/[\w.=-]+)*/?", value, re.ASCII):
        raise ValueError("neither a folder nor s3://bucket/prefix or gs://bucket/prefix")
    return value


def _read_key(value: str) -> bytes:
    """Base64 of 32 bytes, as `reminder-worker keys new` prints it."""
    try:
        raw = b64decode(value, validate=True)
    except ValueError:
        raise ValueError("not base64") from None
    if len(raw) != 32:
        raise ValueError(f"needs 32 bytes, got {len(raw)}")
    return raw


def _read_keys(value: str) -> tuple[bytes, ...]:
    return tuple(map(_read_key, split_list(value)))


def _check_url(value: str) -> str:
    try:
        AnyUrl(value)  # as the URL standard and the HTTP client read it
        parts = urlsplit(value)
        host = (parts.hostname or "").encode("idna")  # as it is looked up
        is_url = parts.scheme in ("http", "https") and host != b"" and parts.port != 0
    except ValueError:  # the error would show a part
        is_url = False
    if not is_url or not value.isprintable() or set(value) & set(" \\"):
        raise ValueError("not a URL: needs http:// or https://, and a host")
    return value


def _base_url(value: str) -> str:
    """Return a base address for paths; it is shown, so it may hold no password."""
    if any(mark in _check_url(value) for mark in "@?#"):
        raise ValueError("not a base address: holds a user, a query or a fragment")
    return value.rstrip("/")


def _in_a_header(value: str) -> str:
    if not value.isprintable():
        raise ValueError("holds a line end or another control character")
    return value


def _check_guard(value: str) -> str:
    if len(value) < 16:
        raise ValueError("needs at least 16 characters")
    return _in_a_header(value)


def _check_proxy(value: str) -> str:
    try:
        ip_network(value, strict=False)
    except ValueError:
        raise ValueError("holds something that is neither address nor network") from None
    return value


def _may_be_mailed(value: str) -> str:
    """Return a normalised address, or a domain after its `@`."""
    try:
        return normalise_email(f"any{value}").removeprefix("any") if value.startswith("@") else normalise_email(value)
    except ValueError:
        raise ValueError("holds what is neither an email address nor a domain as @example.org") from None


def _read_origin(value: str) -> str:
    """Return the origin in the form that browsers send."""
    pattern = r"(?P<scheme>https?)://[a-z0-9][a-z0-9.-]*(:(?P<port>[1-9][0-9]{0,4}))?"
    found = re.fullmatch(pattern, value.removesuffix("/").lower())
    if found is None or int(found["port"] or 0) > 65535:
        raise ValueError("not an origin: scheme, host and port, and nothing else")
    return found[0].removesuffix(":443" if found["scheme"] == "https" else ":80")


def _postgres_url(value: str) -> str:
    if not value.startswith(("postgresql://", "postgresql+psycopg://")):
        raise ValueError("needs postgresql://")
    value = value.replace("postgresql://", "postgresql+psycopg://", 1)
    try:
        url = make_url(value)
        url.get_dialect()().create_connect_args(url)
    except (ArgumentError, ValueError):  # the error would show a part
        raise ValueError("not a URL as postgresql://user:password@host/name") from None
    if "@" in (url.host or ""):  # part of the password: name servers would see it
        raise ValueError("has an @ that is not percent-encoded: write %40")
    return value


@dataclass(frozen=True, slots=True)
class PriceFeed:
    """Chainlink feed of a token in US dollars; `token` is an address or `ETH`.

    `is_wrapped`: the feed is that of stETH, and the token is worth its own `stEthPerToken()` of it.
    """

    token: str
    feed: str
    heartbeat_seconds: int
    is_wrapped: bool = False

    @classmethod
    def from_text(cls, text: str) -> "PriceFeed":
        """`<token>=<feed>@<heartbeat in seconds>`, and `*stEthPerToken` for wstETH. Raises `ValueError`."""
        token, _, rest = text.partition("=")
        feed, _, rest = rest.partition("@")
        heartbeat, star, rate = rest.partition("*")
        if not heartbeat.isdecimal() or not 0 < int(heartbeat) <= 7 * 86400:
            raise ValueError("needs <token>=<feed>@<heartbeat in seconds>")
        if star and (rate != "stEthPerToken" or token.upper() == "ETH"):
            raise ValueError("needs the address of wstETH and *stEthPerToken")
        named = "ETH" if token.upper() == "ETH" else _read_address(token)
        return cls(named, _read_address(feed), int(heartbeat), bool(star))

    def __str__(self) -> str:
        return f"{self.token}={self.feed}@{self.heartbeat_seconds}{'*stEthPerToken' if self.is_wrapped else ''}"

    @property
    def series(self) -> str:
        """Address under which rounds are kept: the feed, or the token where its rate is part of each answer."""
        return self.token if self.is_wrapped else self.feed


def _price_feeds(value: str) -> tuple[PriceFeed, ...]:
    feeds = tuple(map(PriceFeed.from_text, split_list(value)))
    if len({feed.token for feed in feeds}) < len(feeds):
        raise ValueError("names a token twice")
    return feeds


def _legacy_path(value: str) -> str:
    """Return a path of the app with both placeholders, in characters that the mail service takes in a link."""
    if not re.fullmatch(r"/(?!/)[!-~]{0,199}", value) or re.search(r'[\\<>"]', value):
        raise ValueError("not a path of the app as /legacy/{chainId}/{legacy}, of at most 200 characters")
    rest = value.replace("{chainId}", "").replace("{legacy}", "")
    if "{chainId}" not in value or "{legacy}" not in value or set(rest) & set("{}"):
        raise ValueError("needs the placeholders {chainId} and {legacy}, and no other")
    return value


_FIRST_PARTS = frozenset(
    (
        *("emails", "erase-legacy", "erase-recipient", "gift", "health", "ingest-legacy", "legacies", "legacy"),
        *("metrics", "ops", "recipients", "rehearsal", "schema", "send-instructions", "sponsor", "stats"),
        *("timelocks", "upgrades"),
    )
)
"""First parts of the paths of the API, and of an app's page of a legacy."""


def _read_allowances(value: str) -> tuple[int | None, ...]:
    return tuple(_read_allowance(part.strip()) for part in value.split(","))


def _read_allowance(text: str) -> int | None:
    """Read a whole number above 0. An empty place is None."""
    if not text:
        return None
    if not re.fullmatch("[1-9][0-9]{0,14}", text):
        raise ValueError("needs whole numbers above 0, comma separated, or empty places")
    return int(text)


def _gift_prefix(value: str) -> str:
    if value in _FIRST_PARTS:
        raise ValueError("is a path of the API itself: choose another")
    return value


def _check_endpoints(values: tuple[SecretStr, ...]) -> tuple[SecretStr, ...]:
    """Refuse an endpoint named twice, in any spelling: it would agree with itself."""
    urls = [str(AnyUrl(_check_url(value.get_secret_value()))).rstrip("/") for value in values]
    if len(set(urls)) < len(urls):
        raise ValueError("names one twice")
    return values


def _of_text(check: Callable[[str], object]) -> BeforeValidator:
    """Check text only; the type refuses other values."""
    return BeforeValidator(lambda value: check(value) if isinstance(value, str) else value)


Address = Annotated[str, _of_text(_read_address)]
Name = Annotated[str, AfterValidator(check_name)]
Line = Annotated[str, AfterValidator(_check_line)]
Contact = Annotated[str, AfterValidator(_check_contact)]
FileFolder = Annotated[str, AfterValidator(_check_folder)]
LegacyPath = Annotated[str, AfterValidator(_legacy_path)]
GiftPrefix = Annotated[str, AfterValidator(_gift_prefix)]
WebUrl = Annotated[str, _of_text(_base_url)]
SecretWebUrl = Annotated[SecretStr, _of_text(_check_url)]
SecretEmail = Annotated[SecretStr, _of_text(normalise_email)]
SecretToken = Annotated[SecretStr, _of_text(_in_a_header)]
SecretGuard = Annotated[SecretStr, _of_text(_check_guard)]
SecretUrl = Annotated[SecretStr, _of_text(_postgres_url)]
Key = Annotated[SecretBytes, _of_text(_read_key)]
Keys = Annotated[tuple[SecretBytes, ...], _of_text(_read_keys)]
Allowances = Annotated[tuple[int | None, ...], _of_text(_read_allowances)]
PriceFeeds = Annotated[tuple[PriceFeed, ...], _of_text(_price_feeds)]
Mailable = Annotated[tuple[Annotated[str, AfterValidator(_may_be_mailed)], ...], _of_text(split_list)]
Proxies = Annotated[tuple[Annotated[str, AfterValidator(_check_proxy)], ...], _of_text(split_list)]
Count = Annotated[int, Field(le=10**9)]
Origin = Annotated[str, _of_text(_read_origin)]
Origins = Annotated[tuple[Origin, ...], _of_text(split_list)]
SecretUrls = Annotated[tuple[SecretStr, ...], _of_text(split_list), AfterValidator(_check_endpoints)]
