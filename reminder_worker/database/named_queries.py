"""Load the named statements of a room's `queries.sql`."""

import re
from collections.abc import Mapping
from pathlib import Path

from sqlalchemy import TextClause, text

_NAMED = re.compile(r"^-- name: (\w+)\n(.*?);\s*(?=^-- name: |\Z)", re.M | re.S)


def load_queries(path: Path) -> Mapping[str, TextClause]:
    """Return the statements of a file by name.

    Each begins with a line `-- name: some_name`, has comments for the reader, and ends with a semicolon. Values are
    bound parameters (`:name`) only.
    """
    return {
        name: text(re.sub(r"^\s*--.*\n", "", statement, flags=re.M))
        for name, statement in _NAMED.findall(path.read_text())
    }
