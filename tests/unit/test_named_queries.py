"""The statements of `queries.sql`: each has a name that the code uses, and each name in the code has a statement."""

import ast
import re
from dataclasses import fields
from importlib import import_module
from pathlib import Path

import pytest

import reminder_worker
from reminder_worker.database.queries import load_queries
from reminder_worker.outbox.models import EmailStatements

PACKAGE = Path(reminder_worker.__path__[0])
FILES = sorted(PACKAGE.glob("*/queries.sql"))
OPTIONAL = {"reminders": {"lock_entries"}}  # locked by gifts only
IMPORT = re.compile(
    r"from reminder_worker\.(\w+)\.(?:queries|tables) import (?:\([^)]*?|[^\n(]*?)\bsql\b(?: as (\w+))?"
)


def names_used(room: str) -> set[str]:
    """Return the names of a room's statements in all modules of the package."""
    used: set[str] = set()
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text()
        for found, alias in IMPORT.findall(text):
            if found == room:
                used |= set(re.findall(rf"\b{alias or 'sql'}\[\"(\w+)\"\]", text))
                if "EmailStatements.load(sql)" in text:
                    used |= {field.name for field in fields(EmailStatements)} - OPTIONAL.get(room, set())
    return used


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.name)
def test_every_statement_is_used_and_every_used_name_has_a_statement(path: Path) -> None:
    room = path.parent.name
    assert set(import_module(f"reminder_worker.{room}.tables").sql) == names_used(room)


def test_a_statement_is_loaded_without_its_comments(tmp_path: Path) -> None:
    file = tmp_path / "queries.sql"
    file.write_text(
        "-- Of the whole file: it has: colons.\n\n-- name: one\n-- Why: so.\nselect :a;\n\n"
        "-- part: shared\n-- Why: twice.\nselect 2;\n\n-- name: two\nselect ({shared}), ({shared});\n\n"
        "-- name: three\nselect from a where state in ({open});\n"
    )
    assert {name: str(statement) for name, statement in load_queries(file, {"open": ("new", "old")}).items()} == {
        "one": "select :a",
        "two": "select (select 2), (select 2)",
        "three": "select from a where state in ('new', 'old')",
    }


JOINS = {"outerjoin", "lateral", "from_select", "scalar_subquery"}
IN_CORE = {
    ("indexer/store.py", "_upsert_rows"),  # of any projected table
    ("relay/operator.py", "find_requests"),  # its conditions depend on the arguments
    ("relay/operator.py", "find_unfinished"),  # the same
}


def joins_tables(node: ast.AST) -> bool:
    """Return whether a call of SQLAlchemy brings a second table in; `join` of a text has one argument."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    return node.func.attr in JOINS or (node.func.attr == "join" and len(node.args) > 1)


def test_a_query_of_several_tables_is_a_named_statement() -> None:
    found = {
        (str(path.relative_to(PACKAGE)), function.name)
        for path in PACKAGE.rglob("*.py")
        for function in ast.walk(ast.parse(path.read_text()))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and any(map(joins_tables, ast.walk(function)))
    }
    assert found == IN_CORE
