"""The one normal form of an email address, and the rules for names.

Every ValueError from here is a sentence that echoes nothing of its input.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from re import Pattern
from unicodedata import category, normalize

import idna


@dataclass(frozen=True, slots=True)
class TextRules:
    """Limits and patterns of emails and names."""

    email_bytes: int = 254  # RFC 5321 4.5.3.1.3, without the angle brackets
    name_characters: int = 60
    name_digits: int = 8  # of a date; a telephone number with its area has more
    marks_in_a_row: int = 4  # on one letter (UTS #39, 5.4): more are drawn over the lines around a name

    local_part: Pattern[str] = re.compile(r"[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*")
    # Control characters, bidi and other format characters, unassigned ones.
    not_text: frozenset[str] = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
    encoded_word: str = "=?"  # start of RFC 2047: its content, also a line break, appears when a header is written
    joiners: str = "\u200c\u200d"  # part of Persian and Indic names
    pictures: tuple[str, str] = ("\U0001f000", "\U0001faff")  # emoji and the like, maybe younger than our tables
    # Two planes are reserved for ideographs. The yearly additions are letters of people's names.
    ideograph: Pattern[str] = re.compile("[\U00020000-\U0002fffd\U00030000-\U0003fffd]")
    # A dot and a space as a reader sees them.
    dots: Mapping[int, str] = field(
        default_factory=lambda: str.maketrans(dict.fromkeys("\u3002\uff0e\uff61\u2024\ufe52", ".") | {"\u2800": " "})
    )
    # Characters that a reader does not see, or reads past: they would part a dot from its letters. Indic marks stay.
    unread: Pattern[str] = re.compile(
        "[\u0300-\u036f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u1ab0-\u1aff\u1dc0-\u1dff\u200c\u200d\u20d0-\u20ff"
        "\ufe00-\ufe0f\ufe20-\ufe2f\U000e0100-\U000e01ef]"
    )
    # A mark left on a Latin, Greek or Cyrillic letter or a dot is of another script: it is not drawn, or not read.
    takes_marks: Pattern[str] = re.compile("[^\0-\u052f\u1e00-\u1fff]")
    reads_as_url: Pattern[str] = re.compile(
        r"://|//|\\\\|@|\bwww\s*\.|\b(?:https?|ftp|mailto|javascript|data|tel)\s*:"
        r"|[\w-]\.(?:[^\W\d_]{2,}|xn--)|\b\d{1,3}(?:\.\d{1,3}){3}\b",
        re.IGNORECASE,
    )
    # Indic initials stand right before a name: there only a top-level domain of the root zone makes an address.
    indic_domain: Pattern[str] = re.compile(
        r"\.(?:भारत|भारतम्|भारोत|कॉम|नेट|संगठन|বাংলা|ভারত|ভাৰত|ਭਾਰਤ|ભારત|ଭାରତ|இந்தியா|இலங்கை|சிங்கப்பூர்|భారత్|ಭಾರತ|ഭാരതം|ලංකා)"
        r"(?![\w\u0900-\u0dff])"
    )
    other_letters: Pattern[str] = re.compile(r"[^\W\d_\u0900-\u0dff]{2,}")
    # A domain after a space or an emoji.
    odd_domain: Pattern[str] = re.compile(r"[ \u2190-\u2bff\U0001f000-\U0001faff]\.[^\W\d_]{2,}")


_RULES = TextRules()


def normalise_email(text: str) -> str:
    """Return an address trimmed, NFC, both sides lower-cased, domain IDNA-encoded; no DNS is asked. Idempotent."""
    if len(text) > 2 * _RULES.email_bytes:
        raise ValueError("is too long")
    if any(category(character) in _RULES.not_text for character in text):
        raise ValueError("holds a control or invisible character")
    local, at, domain = normalize("NFC", text.strip()).rpartition("@")
    if not at:
        raise ValueError("is not an email address")
    local = normalize("NFC", local.lower())
    if not _RULES.local_part.fullmatch(local) or _RULES.encoded_word in local or len(local.encode()) > 64:
        raise ValueError("has a part before the @ that is not acceptable")
    email = f"{local}@{_encode_domain(domain)}"
    if len(email.encode()) > _RULES.email_bytes:
        raise ValueError("is too long")
    return email


def _encode_domain(text: str) -> str:
    try:
        encoded = idna.encode(text.lower(), uts46=True, std3_rules=True).decode("ascii").lower()
    except (idna.IDNAError, UnicodeError):
        raise ValueError("has a domain that is not valid") from None
    labels = encoded.split(".")
    if len(labels) < 2 or not labels[-1] or labels[-1].isdecimal():
        raise ValueError("has a domain that is not valid")
    return encoded


def check_name(text: str) -> str:
    """Return the name as stored and shown: NFC, single spaces. May be empty; never reads as a URL."""
    if len(text) > 4 * _RULES.name_characters:  # NFC joins at most four; normalisation of marks is quadratic
        raise ValueError(f"is longer than {_RULES.name_characters} characters")
    if any(category(character) in _RULES.not_text and not _is_text(character) for character in text):
        raise ValueError("holds a control or invisible character")
    name = " ".join(normalize("NFC", text).split())
    if _RULES.encoded_word in name:
        raise ValueError("holds what a mail program would decode")
    if len(name) > _RULES.name_characters:
        raise ValueError(f"is longer than {_RULES.name_characters} characters")
    if _count_marks(name) > _RULES.marks_in_a_row:
        raise ValueError("piles marks upon a letter")
    # Mail programs look for addresses in the name itself. An ideograph younger than our tables is a letter, too.
    if any(_RULES.reads_as_url.search(each) for each in (_replace_ideographs(name), _reduce_to_read(name))):
        raise ValueError("reads as a web or email address")
    return name


def check_mailed_name(text: str) -> str:
    """Check a name in our emails. A stranger may have chosen it to be called back or visited."""
    name = check_name(text)
    plain = _reduce_to_read(name)
    if _RULES.odd_domain.search(plain) or _RULES.indic_domain.search(plain) or _has_domain_after_mark(plain):
        raise ValueError("reads as a web or email address")
    if sum(category(character)[0] == "N" for character in plain) > _RULES.name_digits:
        raise ValueError(f"reads as a telephone number, with more than {_RULES.name_digits} digits")
    return name


def _has_domain_after_mark(plain: str) -> bool:
    """Return whether a domain follows a mark, which ends many words of these scripts but is no letter to `re`."""
    for before, after in pairwise(plain.split(".")):
        last = before[-1:] or " "
        if category(last)[0] == "M" and _RULES.other_letters.match(after):
            return True
    return False


def _replace_ideographs(name: str) -> str:
    return _RULES.ideograph.sub("\u4e00", name)


def _reduce_to_read(name: str) -> str:
    """Return the name as people read it, without marks of other scripts and without invisible characters."""
    plain = ""
    for character in _RULES.unread.sub("", normalize("NFKC", _replace_ideographs(name)).translate(_RULES.dots)):
        if category(character)[0] != "M" or _RULES.takes_marks.match(plain[-1:]):
            plain += character
    return plain


def _count_marks(name: str) -> int:
    """Return the most marks in a row that take no room of their own."""
    most = row = 0
    for character in name:
        row = row + 1 if category(character) in ("Mn", "Me") else 0
        most = max(most, row)
    return most


def _is_text(character: str) -> bool:
    is_picture = _RULES.pictures[0] <= character <= _RULES.pictures[1]
    return character in _RULES.joiners or is_picture or _RULES.ideograph.fullmatch(character) is not None
