"""Cards of occasions: the fixed pictures that link previews of gifts use.

A card shows neither the letter nor the amount.
"""

from functools import lru_cache
from importlib.resources import files
from urllib.parse import parse_qs, urlsplit

OCCASIONS = frozenset(
    {
        *("anniversary", "bar-bat-mitzvah", "birthday", "christmas", "diwali", "easter", "eid", "gift", "graduation"),
        *("hanukkah", "lunar-new-year", "new-baby", "new-home", "new-year", "someday", "thank-you", "valentine"),
        "wedding",
    }
)
_DEFAULT = "gift"


def find_occasion(claim_url: str) -> str:
    """Return the occasion that a claim link names, as the gift's page reads it; `gift` if it names none of ours."""
    named = parse_qs(urlsplit(claim_url).query).get("o", [])
    return named[0] if len(named) == 1 and named[0] in OCCASIONS else _DEFAULT


@lru_cache(maxsize=len(OCCASIONS))
def _read_file(occasion: str) -> bytes:
    return files("mail_service").joinpath(f"cards/{occasion}.png").read_bytes()


def read_card(occasion: str) -> bytes | None:
    """Return the PNG of one of OCCASIONS; None if the file cannot be read, since the email does without it."""
    try:
        return _read_file(occasion)
    except OSError:
        return None
