"""Each table has one owner, and a statement names only tables of its own room and of rooms below."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

from reminder_worker import schema
from reminder_worker.database import tables as shared

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "reminder_worker"
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
LAYERS = [
    set(layer.split(" | "))
    for contract in CONTRACTS
    if contract["type"] == "layers"
    for layer in reversed(contract["layers"])
]
HEIGHT = {room: height for height, layer in enumerate(LAYERS) for room in layer}
OWNER = {
    name: module.__name__.split(".")[1]
    for module in (shared, *schema.OWNED_BY_ROOM)
    for name in vars(module)
    if f"{schema.SCHEMA}.{name}" in schema.metadata.tables
}
SOURCES = sorted(
    path for path in PACKAGE.rglob("*") if path.suffix in {".py", ".sql"} and "migrations" not in path.parts
)


def tables_named_in(path: Path) -> set[str]:
    text = path.read_text()
    if path.suffix == ".py":
        text = "\n".join(
            node.value
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        )
    return set(re.findall(rf"\b{schema.SCHEMA}\.(\w+)", text)) & OWNER.keys()


def is_allowed(room: str, table: str) -> bool:
    owner = OWNER[table]
    return room == owner or HEIGHT[owner] < HEIGHT[room]


def test_every_table_has_one_owner() -> None:
    assert sorted(OWNER) == sorted(table.name for table in schema.metadata.tables.values())


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_statement_names_only_tables_of_its_room_and_below(path: Path) -> None:
    room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    assert not {table for table in tables_named_in(path) if not is_allowed(room, table)}


def test_a_table_of_a_room_above_is_not_allowed() -> None:
    assert is_allowed("reminders", "sent_ledger")
    assert not is_allowed("outbox", "recipient")
    assert not is_allowed("reminders", "owner_activity")
