"""Claim links: `{origin}/{prefix}/{chainId}/{timelockId}?o=<occasion>&paper=1&email=1#g=<letter>`.

A link is read by one grammar over ASCII text and rebuilt from what was read: nothing is decoded, so that a browser
cannot understand a link otherwise than we do. Every ValueError is a sentence that echoes nothing of its input.
"""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Self, cast, get_args
from unicodedata import category

import msgspec

from reminder_worker.outbox.messages import Language
from reminder_worker.privacy.emails import check_name


class LinkLimits(NamedTuple):
    """Largest parts of a claim link."""

    link_characters: int = 2300
    chain_id: int = 2**53 - 1
    timelock_id: int = 2**63 - 1
    note_characters: int = 500
    letter_bytes: int = 1600  # as JSON: in base64url, with the rest of the link, it fits a QR code of level M


LIMITS: Final = LinkLimits()
_ORIGIN = re.compile(
    r"(?P<scheme>https?)://(?P<host>[a-z0-9][a-z0-9.-]*)(:(?P<port>[1-9][0-9]{0,4}))?",
    re.ASCII | re.IGNORECASE,
)
_REST = re.compile(
    r"/(?P<prefix>[a-z0-9-]+)/(?P<chain>[1-9][0-9]{0,18})/(?P<timelock>[1-9][0-9]{0,18})"
    r"(\?(?P<query>[a-z0-9=&-]+))?#g=(?P<letter>[A-Za-z0-9_-]+)"
)
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
# Line ends, soft hyphens, the space of Khmer keyboards, the joiners of words and emoji, marks of direction, and the
# flags of England, Scotland and Wales; not what turns the words around it.
_IN_A_NOTE: Final = re.compile("[\n\u00ad\u061c\u200b-\u200f]|\U0001f3f4[\U000e0061-\U000e007a]{5}\U000e007f")


@dataclass(frozen=True, slots=True)
class GiftLetter:
    """Text for the link's holders only: it travels in the fragment, which no server sees."""

    to: str = field(repr=False)
    giver: str = field(repr=False)
    note: str = field(repr=False)
    language: Language | None = None  # of the page and the printed pages; without it the reader's own


@dataclass(frozen=True, slots=True)
class ServedOrigin:
    """Scheme, host and port, lower case, with the port always told: two spellings of one origin are equal."""

    scheme: str
    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Raises ValueError for anything but an origin; a host in Unicode has to be given in its xn-- form."""
        found = _ORIGIN.fullmatch(text)
        if found is None:
            raise ValueError("is not an origin: scheme, host and port, and nothing else")
        return cls.from_match(found)

    @classmethod
    def from_match(cls, found: re.Match[str]) -> Self:
        scheme = found["scheme"].lower()
        port = int(found["port"] or _DEFAULT_PORTS[scheme])
        if port > 65535:
            raise ValueError("has a port that is not one")
        return cls(scheme, found["host"].lower(), port)

    def __str__(self) -> str:
        port = "" if self.port == _DEFAULT_PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{self.host}{port}"


@dataclass(frozen=True, slots=True)
class LinkFlags:
    """Flags in a link's query, visible to crawlers and the server."""

    occasion: str | None = None
    paper: bool = False
    email: bool = False

    def format_query(self) -> str:
        """With its question mark; empty when there is nothing to tell."""
        parts = [f"o={self.occasion}" if self.occasion else "", "paper=1" * self.paper, "email=1" * self.email]
        return "?" * any(parts) + "&".join(filter(None, parts))


@dataclass(frozen=True, slots=True)
class ClaimLink:
    """`letter` is None in what the server makes: it never knows one."""

    origin: ServedOrigin
    prefix: str
    chain_id: int
    timelock_id: int
    marks: LinkFlags = LinkFlags()
    letter: GiftLetter | None = None

    @property
    def url(self) -> str:
        fragment = f"#g={encode_letter(self.letter)}" if self.letter else ""
        return f"{self.origin}/{self.prefix}/{self.chain_id}/{self.timelock_id}{self.marks.format_query()}{fragment}"


@dataclass(frozen=True, slots=True)
class LinkRules:
    """Which links are ours: an origin of the list, the first of which is used in links we make, and the prefix."""

    origins: tuple[ServedOrigin, ...]
    prefix: str

    @classmethod
    def from_origins(cls, origins: Iterable[str], prefix: str) -> Self:
        """Raises ValueError when an origin is not one."""
        return cls(tuple(map(ServedOrigin.parse, origins)), prefix)

    def make_link(self, chain_id: int, timelock_id: int, marks: LinkFlags) -> ClaimLink:
        """The canonical link of a gift, without a fragment."""
        return ClaimLink(self.origins[0], self.prefix, chain_id, timelock_id, marks)


def parse_claim_link(text: str, rules: LinkRules) -> ClaimLink:
    """Raises ValueError unless the link is ours and has a letter. Use `ClaimLink.url`, not the text."""
    if len(text) > LIMITS.link_characters:
        raise ValueError("is too long")
    start = _ORIGIN.match(text)
    if start is None:
        raise ValueError("does not begin with an acceptable origin")
    origin = ServedOrigin.from_match(start)
    found = _REST.fullmatch(text, start.end())
    if found is None:
        raise ValueError("is not a claim link")
    if origin not in rules.origins:
        raise ValueError("has an origin that is not allowed here")
    if found["prefix"] != rules.prefix:
        raise ValueError("has another path than a claim link")
    chain_id, timelock_id = int(found["chain"]), int(found["timelock"])
    if chain_id > LIMITS.chain_id or timelock_id > LIMITS.timelock_id:
        raise ValueError("has an impossible chain or timelock number")
    marks = _read_flags(found["query"])
    return ClaimLink(origin, rules.prefix, chain_id, timelock_id, marks, decode_letter(found["letter"]))


def rebuild_link(text: str, rules: LinkRules) -> str:
    """A link that was good under other rules, with the prefix of these, and with the first of their origins where its
    own is none of them: a gift's emails may be sent years after its link was made."""
    start = _ORIGIN.match(text)
    found = _REST.fullmatch(text, start.end()) if start else None
    if start is None or found is None:
        return text
    origin = ServedOrigin.from_match(start)
    return f"{origin if origin in rules.origins else rules.origins[0]}/{rules.prefix}{text[found.end('prefix') :]}"


def check_claim_link(text: str, rules: LinkRules, chain_id: int, timelock_id: int) -> ClaimLink:
    """As `parse_claim_link`, and of this very gift. Raises ValueError."""
    link = parse_claim_link(text, rules)
    if (link.chain_id, link.timelock_id) != (chain_id, timelock_id):
        raise ValueError("is the link of another gift")
    return link


def read_valid_flags(query: Iterable[tuple[str, str]]) -> LinkFlags:
    """Return the valid parts of a request's query that a claim link may have, without repeated ones."""
    values: dict[str, list[str]] = {}
    for name, value in query:
        values.setdefault(name, []).append(value)
    occasion = values.get("o", [""])
    known = len(occasion) == 1 and re.fullmatch(r"[a-z][a-z0-9-]{0,31}", occasion[0])
    return LinkFlags(
        occasion=occasion[0] if known else None,
        paper=values.get("paper") == ["1"],
        email=values.get("email") == ["1"],
    )


def _read_flags(query: str | None) -> LinkFlags:
    """Raises ValueError for other keys, other values, and repetitions."""
    if query is None:
        return LinkFlags()
    pairs = [(name, value) for name, _, value in (part.partition("=") for part in query.split("&"))]
    marks = read_valid_flags(pairs)
    if len(pairs) != (marks.occasion is not None) + marks.paper + marks.email:
        raise ValueError("has a query that no claim link has")
    return marks


# -- the letter ---------------------------------------------------------------------------------------


class _WireLetter(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    v: int
    to: str
    from_: str = msgspec.field(name="from")
    note: str
    language: str = ""


def encode_letter(letter: GiftLetter) -> str:
    """Unpadded base64url of `{"v":1,"to":...,"from":...,"note":...}`, with a `language` where the letter names one.

    Raises ValueError beyond the limits.
    """
    _check_letter(letter)
    raw = msgspec.json.encode(_WireLetter(1, letter.to, letter.giver, letter.note, letter.language or ""))
    if len(raw) > LIMITS.letter_bytes:
        raise ValueError("has a letter that is too long")
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def decode_letter(text: str) -> GiftLetter:
    """Raises ValueError for an unknown version or shape, too long texts, and non-canonical base64.

    A language that is not one of ours is left out: the message counts more.
    """
    if len(text) > LIMITS.letter_bytes * 4 // 3 + 1:
        raise ValueError("has a letter that is too long")
    try:
        raw = urlsafe_b64decode(text + "=" * (-len(text) % 4))
        wire = msgspec.json.decode(raw, type=_WireLetter)
    except (msgspec.DecodeError, UnicodeError, ValueError, RecursionError):
        raise ValueError("has a letter that cannot be read") from None
    if urlsafe_b64encode(raw).rstrip(b"=").decode() != text:
        raise ValueError("has a letter that cannot be read")
    if wire.v != 1:
        raise ValueError("has a letter of a version that is not known here")
    language = cast(Language, wire.language) if wire.language in get_args(Language) else None
    letter = GiftLetter(wire.to, wire.from_, wire.note, language)
    _check_letter(letter)
    return letter


def _check_letter(letter: GiftLetter) -> None:
    try:
        check_name(letter.to)
        check_name(letter.giver)
    except ValueError as fault:
        raise ValueError(f"has a name that {fault}") from None
    if len(letter.note) > LIMITS.note_characters:
        raise ValueError("has a note that is too long")
    # Unassigned characters (Cn) may pass: an emoji may be younger than our tables.
    if any(category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") for character in _IN_A_NOTE.sub("", letter.note)):
        raise ValueError("has a note with a control or invisible character")
