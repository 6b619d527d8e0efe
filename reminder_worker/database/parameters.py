"""Many values as one parameter: the driver would write a list element by element."""

from collections.abc import Iterable

import msgspec


def json_text(value: object) -> str:
    """For `json_to_recordset` and the like: bytes become base64; what may pass 64 bits has to be text already."""
    return msgspec.json.encode(value).decode()


def array_text(items: Iterable[object]) -> str:
    """An array as PostgreSQL reads it, of numbers, ids and ASCII without control characters: JSON's list of these has
    the same quotes, backslashes and null."""
    return "{" + json_text(list(items))[1:-1] + "}"
