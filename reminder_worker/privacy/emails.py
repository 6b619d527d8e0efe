"""The one normal form of an email address, and the rules for names.

Every ValueError from here is a sentence that echoes nothing of its input.
"""

import re
from itertools import pairwise
from unicodedata import category, normalize

import idna

MAX_EMAIL_BYTES = 254  # RFC 5321 4.5.3.1.3, without the angle brackets
MAX_LOCAL_BYTES = 64
MAX_NAME_CHARACTERS = 60
MAX_GIVEN_CHARACTERS = 4 * MAX_NAME_CHARACTERS  # NFC joins at most four; normalisation of marks is quadratic
MAX_NAME_DIGITS = 8  # of a date; a telephone number with its area has more
MAX_MARKS = 4  # on one letter (UTS #39, 5.4): more are drawn over the lines around a name

_LOCAL_PART = re.compile(r"[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*")
_NOT_TEXT = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})  # control, bidi and other format, unassigned
_ENCODED_WORD = "=?"  # how one begins (RFC 2047); what it hides, line breaks too, comes out when a header is written
_JOINERS = "\u200c\u200d"  # part of Persian and Indic names
_PICTURES = ("\U0001f000", "\U0001faff")  # emoji and the like, which may be younger than our tables
# As ideographs may be: two planes are kept for them alone, and the yearly additions are letters of people's names.
_IDEOGRAPH = re.compile("[\U00020000-\U0002fffd\U00030000-\U0003fffd]")
_KNOWN_IDEOGRAPH = "\u4e00"
_DOTS = str.maketrans(dict.fromkeys("\u3002\uff0e\uff61\u2024\ufe52", ".") | {"\u2800": " "})  # as a reader sees them
# What a reader sees nothing of, or reads past: it would part a dot from its letters. Marks of Indic scripts stay.
_UNREAD = re.compile(
    "[\u0300-\u036f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u1ab0-\u1aff\u1dc0-\u1dff\u200c\u200d\u20d0-\u20ff"
    "\ufe00-\ufe0f\ufe20-\ufe2f\U000e0100-\U000e01ef]"
)
# Marks left upon Latin, Greek and Cyrillic letters or dots are another script's: some are not drawn, none is read.
_TAKES_MARKS = re.compile("[^\0-\u052f\u1e00-\u1fff]")
_READS_AS_URL = re.compile(
    r"://|//|\\\\|@|\bwww\s*\.|\b(?:https?|ftp|mailto|javascript|data|tel)\s*:"
    r"|[\w-]\.(?:[^\W\d_]{2,}|xn--)|\b\d{1,3}(?:\.\d{1,3}){3}\b",
    re.IGNORECASE,
)
# Indic initials stand right before a name: there only what is a top-level domain in the root zone makes an address.
_INDIC_DOMAIN = re.compile(
    r"\.(?:भारत|भारतम्|भारोत|कॉम|नेट|संगठन|বাংলা|ভারত|ভাৰত|ਭਾਰਤ|ભારત|ଭାରତ|இந்தியா|இலங்கை|சிங்கப்பூர்|భారత్|ಭಾರತ|ഭാരതം|ලංකා)"
    r"(?![\w\u0900-\u0dff])"
)
_OTHER_LETTERS = re.compile(r"[^\W\d_\u0900-\u0dff]{2,}")
_ODD_DOMAIN = re.compile(r"[ \u2190-\u2bff\U0001f000-\U0001faff]\.[^\W\d_]{2,}")  # behind a space, or of emoji


def normalise_email(text: str) -> str:
    """Trimmed, NFC, both sides lower-cased, domain IDNA-encoded; no DNS is asked. Idempotent."""
    if len(text) > 2 * MAX_EMAIL_BYTES:
        raise ValueError("is too long")
    if any(category(character) in _NOT_TEXT for character in text):
        raise ValueError("holds a control or invisible character")
    local, at, domain = normalize("NFC", text.strip()).rpartition("@")
    if not at:
        raise ValueError("is not an email address")
    local = normalize("NFC", local.lower())
    if not _LOCAL_PART.fullmatch(local) or _ENCODED_WORD in local or len(local.encode()) > MAX_LOCAL_BYTES:
        raise ValueError("has a part before the @ that is not acceptable")
    email = f"{local}@{_domain(domain)}"
    if len(email.encode()) > MAX_EMAIL_BYTES:
        raise ValueError("is too long")
    return email


def _domain(text: str) -> str:
    try:
        encoded = idna.encode(text.lower(), uts46=True, std3_rules=True).decode("ascii").lower()
    except (idna.IDNAError, UnicodeError):
        raise ValueError("has a domain that is not valid") from None
    labels = encoded.split(".")
    if len(labels) < 2 or not labels[-1] or labels[-1].isdecimal():
        raise ValueError("has a domain that is not valid")
    return encoded


def check_name(text: str) -> str:
    """The name as stored and shown: NFC, single spaces. May be empty; never reads as a URL."""
    if len(text) > MAX_GIVEN_CHARACTERS:
        raise ValueError(f"is longer than {MAX_NAME_CHARACTERS} characters")
    if any(category(character) in _NOT_TEXT and not _is_text(character) for character in text):
        raise ValueError("holds a control or invisible character")
    name = " ".join(normalize("NFC", text).split())
    if _ENCODED_WORD in name:
        raise ValueError("holds what a mail program would decode")
    if len(name) > MAX_NAME_CHARACTERS:
        raise ValueError(f"is longer than {MAX_NAME_CHARACTERS} characters")
    if _most_marks(name) > MAX_MARKS:
        raise ValueError("piles marks upon a letter")
    read = _IDEOGRAPH.sub(_KNOWN_IDEOGRAPH, name)  # a letter, also where our tables do not know it
    if any(_READS_AS_URL.search(text) for text in (read, _plain(name))):  # mail programs look at the name itself
        raise ValueError("reads as a web or email address")
    return name


def check_mailed_name(text: str) -> str:
    """The same for a name in our emails, which a stranger may have chosen to be called back or visited."""
    name = check_name(text)
    plain = _plain(name)
    if _ODD_DOMAIN.search(plain) or _INDIC_DOMAIN.search(plain) or _follows_a_mark(plain):
        raise ValueError("reads as a web or email address")
    if sum(category(character)[0] == "N" for character in plain) > MAX_NAME_DIGITS:
        raise ValueError(f"reads as a telephone number, with more than {MAX_NAME_DIGITS} digits")
    return name


def _follows_a_mark(plain: str) -> bool:
    """Return whether a domain follows a mark, which ends many words of these scripts but is no letter to `re`."""
    return any(
        category(before[-1:] or " ")[0] == "M" and _OTHER_LETTERS.match(after)
        for before, after in pairwise(plain.split("."))
    )


def _plain(name: str) -> str:
    known = _IDEOGRAPH.sub(_KNOWN_IDEOGRAPH, name)
    plain = ""
    for character in _UNREAD.sub("", normalize("NFKC", known).translate(_DOTS)):
        if category(character)[0] != "M" or _TAKES_MARKS.match(plain[-1:]):
            plain += character
    return plain


def _most_marks(name: str) -> int:
    """In a row, of those that take no room of their own."""
    most = row = 0
    for character in name:
        row = row + 1 if category(character) in ("Mn", "Me") else 0
        most = max(most, row)
    return most


def _is_text(character: str) -> bool:
    is_picture = _PICTURES[0] <= character <= _PICTURES[1]
    return character in _JOINERS or is_picture or _IDEOGRAPH.fullmatch(character) is not None
