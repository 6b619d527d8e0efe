"""Named statements of `queries.sql`, parameters that hold many values, rows as values, and the database's clock."""

import re
from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from sqlalchemy import ColumnElement, Select, Table, TextClause, extract, func, select, text
from sqlalchemy.ext.asyncio import AsyncEngine

T = TypeVar("T")


def load_queries(path: Path, states: Mapping[str, Iterable[str]] | None = None) -> Mapping[str, TextClause]:
    """Return the statements of a file by name.

    Each begins with a line `-- name: some_name`, has comments for the reader, and ends with a semicolon. Values are
    bound parameters (`:name`) only. Text that several statements share begins with `-- part: some_part`, and later
    statements and parts repeat it by `{some_part}`. So do lists of `states`, by name: `state in ({some_states})`. As
    literals they fit the partial indexes; bound parameters would not.
    """
    parts = {name: list_words(words) for name, words in (states or {}).items()}
    statements: dict[str, TextClause] = {}
    ends = r"(?=^-- (?:name|part): |\Z)"
    for kind, name, body in re.findall(rf"^-- (name|part): (\w+)\n(.*?);\s*{ends}", path.read_text(), re.M | re.S):
        code = re.sub(r"^\s*--.*\n", "", body, flags=re.M)
        whole = re.sub(r"\{(\w+)\}", lambda found: parts[found[1]], code)
        if kind == "part":
            parts[name] = whole
        else:
            statements[name] = text(whole)
    return statements


def list_words(words: Iterable[str]) -> str:
    """Return words of ours as literals for `in (…)`."""
    return ", ".join(f"'{word}'" for word in words)


def json_text(value: object) -> str:
    """Return JSON for `json_to_recordset`, faster than a list that the driver writes element by element.

    Bytes become base64; a number that may pass 64 bits has to be text already.
    """
    return msgspec.json.encode(value).decode()


def array_text(items: Iterable[object]) -> str:
    """Return an array in PostgreSQL's form, of numbers, ids and ASCII without control characters.

    JSON's list of these has the same quotes, backslashes and null.
    """
    return "{" + json_text(list(items))[1:-1] + "}"


def list_columns(rows: Iterable[object], **names: str) -> dict[str, list[Any]]:
    """Return lists for `unnest`: by parameter, the attribute of that name (`signal.layer`) of each row, in order."""
    rows = list(rows)
    return {parameter: [*map(attrgetter(name), rows)] for parameter, name in names.items()}


async def read_rows(
    engine: AsyncEngine,
    make_value: Callable[..., T],
    question: Select[Any] | TextClause,
    values: Mapping[str, Any] | None = None,
) -> list[T]:
    """Return `make_value` of the columns of each row; `values` are those of a named statement's parameters."""
    async with engine.connect() as connection:
        return [make_value(*row) for row in await connection.execute(question, values)]


async def count_rows(engine: AsyncEngine, table: Table, *conditions: ColumnElement[bool]) -> int:
    """Count the rows of a table for which all conditions hold."""
    async with engine.connect() as connection:
        found = await connection.execute(select(func.count()).select_from(table).where(*conditions))
        return int(found.scalar_one())


async def estimate_rows(engine: AsyncEngine, table: Table, most: int = 100_000) -> int:
    """Count the rows of a table, up to `most`. For more, return PostgreSQL's estimate, which autovacuum renews."""
    some = select(table).limit(most).subquery()
    estimate = text("select reltuples from pg_class where oid = cast(:table as regclass)")
    async with engine.connect() as connection:
        counted = (await connection.execute(select(func.count()).select_from(some))).scalar_one()
        if counted < most:
            return int(counted)
        estimated = await connection.scalar(estimate, {"table": str(table)})
        return max(int(counted), int(estimated or 0))


async def read_database_time(engine: AsyncEngine) -> float:
    """Return the database's time in unix seconds."""
    async with engine.connect() as connection:
        found = await connection.execute(select(extract("epoch", func.clock_timestamp())))
        return float(found.scalar_one())
