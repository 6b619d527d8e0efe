"""Marks of a claim link: its occasion, and the way in which the gift is opened."""

from typing import Literal
from urllib.parse import parse_qs, urlsplit

from mail_service.occasion_card import OCCASIONS

_DEFAULT = "gift"


def find_occasion(claim_url: str) -> str:
    """Return the occasion that a claim link names, as the gift's page reads it; `gift` if it names none of ours."""
    named = parse_qs(urlsplit(claim_url).query).get("o", [])
    return named[0] if len(named) == 1 and named[0] in OCCASIONS else _DEFAULT


def find_way(claim_url: str) -> Literal["paper", "email", ""]:
    """Return `paper` for a printed key, `email` for the wallet of an email address, "" if the link names neither.

    A link that names both says nothing for sure.
    """
    marks = parse_qs(urlsplit(claim_url).query)
    match (marks.get("paper") == ["1"], marks.get("email") == ["1"]):
        case (True, False):
            return "paper"
        case (False, True):
            return "email"
        case _:
            return ""
