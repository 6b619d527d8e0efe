"""Cards of occasions: fixed pictures without words, so that they are true in every language and on every day.

A card shows neither the letter nor the amount.
"""

from functools import lru_cache
from importlib.resources import files

OCCASIONS = frozenset(
    {
        *("anniversary", "bar-bat-mitzvah", "birthday", "christmas", "diwali", "easter", "eid", "gift", "graduation"),
        *("hanukkah", "lunar-new-year", "new-baby", "new-home", "new-year", "someday", "thank-you", "valentine"),
        "wedding",
    }
)


@lru_cache(maxsize=len(OCCASIONS))
def _read_file(occasion: str) -> bytes:
    return files("mail_service").joinpath(f"cards/{occasion}.png").read_bytes()


def read_card(occasion: str) -> bytes | None:
    """Return the PNG of one of OCCASIONS; None if the file cannot be read, since the email does without it."""
    try:
        return _read_file(occasion)
    except OSError:
        return None
