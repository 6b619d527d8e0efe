"""The languages that a browser asks for."""

import re
from collections.abc import Container


def find_language(accept_language: str, known: Container[str]) -> str | None:
    """Return the first code of an Accept-Language header that is known, as in `de`; None if none is."""
    codes = [re.split("[-_;]", part.strip().lower())[0] for part in accept_language.split(",")]
    return next((code for code in codes if code in known), None)
