"""An update replaces processes one by one: both releases run on the newer schema, and nothing stored is lost."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, MetaData, text
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.database import migrate as module
from reminder_worker.database.engine import open_engine
from reminder_worker.database.migrate import NEWEST, alembic_config, migrate_database, schema_serves
from reminder_worker.errors import Misconfigured
from reminder_worker.privacy.vault import Vault
from reminder_worker.schema import metadata
from tests.integration.relay_rows import connected, enter_budget, enter_request, enter_wallet

pytestmark = pytest.mark.core

SCRIPTS = ScriptDirectory.from_config(alembic_config())
LEGACY, HEIR = "0x" + "a1" * 20, "0x" + "b2" * 20
Rows = dict[str, list[dict[str, Any]]]

KEPT_BEFORE = {("worker.gift_ledger", "gift_ledger_sent_has_a_message_id")}
"""New rules, kept by the previous release already."""

ADDING = """
    op.add_column("recipient", sa.Column("language", sa.Text()), schema="worker")
    op.add_column("sent_ledger", sa.Column("posts", sa.Integer(), server_default="0", nullable=False), schema="worker")
    op.create_table("postcard", sa.Column("id", sa.BigInteger(), primary_key=True), schema="worker")
    op.create_index("suppression_since", "suppression", ["since"], schema="worker")
"""
DEMANDING = """
    op.add_column("suppression", sa.Column("language", sa.Text(), nullable=False), schema="worker")
    op.create_unique_constraint("one_write", "legacy_write", ["deadline"], schema="worker")
    op.drop_column("pass_state", "error", schema="worker")
"""


@dataclass(frozen=True)
class SchemaUpdate:
    """Two neighbouring revisions."""

    previous: str
    next: str
    adds: str | None = None
    """Statements of a revision that is not written yet; none for a revision of the repository."""


WRITTEN = [
    SchemaUpdate(script.down_revision, script.revision)
    for script in SCRIPTS.walk_revisions()
    if isinstance(script.down_revision, str)
]
ANY_TABLES = MetaData()
"""For a release of a revision that is not the repository's newest."""


def make_revision(ahead: int) -> str:
    """Return the id of a revision that is so far ahead of this code's newest."""
    return f"20991231_{int(NEWEST[-4:]) + ahead:04}"


UPCOMING = SchemaUpdate(NEWEST, make_revision(1), ADDING)


@pytest.fixture(params=[*WRITTEN, UPCOMING], ids=lambda update: update.next)
def update(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SchemaUpdate:
    """An update to each revision, and to one more: migrating brings the database to its schema."""
    found: SchemaUpdate = request.param
    bring_to(found, tmp_path, monkeypatch)
    return found


def bring_to(update: SchemaUpdate, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a release of the update's later revision."""
    monkeypatch.setattr(module, "NEWEST", update.next)
    if update.adds is None:
        return
    (folder / "upcoming.py").write_text(
        "import sqlalchemy as sa\nfrom alembic import op\n\n"
        f"revision = {update.next!r}\ndown_revision = {update.previous!r}\n\n\ndef upgrade() -> None:{update.adds}"
    )

    def config_with_the_upcoming(connection: Connection | None = None) -> Config:
        config = alembic_config(connection)
        config.set_main_option("path_separator", "newline")
        config.set_main_option("version_locations", f"{SCRIPTS.versions}\n{folder}")
        return config

    monkeypatch.setattr(module, "alembic_config", config_with_the_upcoming)


@pytest.fixture
def empty_url(mail_database: str) -> str:
    """`postgresql+psycopg://` of a database that nothing was migrated in."""
    return mail_database.replace("postgresql://", "postgresql+psycopg://")


@pytest.fixture
async def previous(empty_url: str, update: SchemaUpdate) -> AsyncIterator[AsyncEngine]:
    """A database as the release before the update left it."""
    engine = open_engine(empty_url)
    async with engine.begin() as connection:
        await connection.run_sync(_upgrade_to, update.previous)
    yield engine
    await engine.dispose()


def _upgrade_to(connection: Connection, revision: str) -> None:
    connection.execute(text("create schema worker"))
    command.upgrade(alembic_config(connection), revision)


def _fill(database_url: str) -> None:
    """Rows of what must never be lost, written the way the previous release does."""
    with connected(database_url) as database:
        for table, values in {
            "installation": "('hash_key', 'abc')",
            "recipient": f"(1, '{LEGACY}', '{HEIR}', 'heir', 'k', decode(repeat('07', 32), 'hex'), '\\x01', '\\x02',"
            " '\\x03', now())",
            "legacy_write": f"(1, '{LEGACY}', 2000000000)",
            "suppression": "('\\x0a', now())",
            "pass_state": "('signals', 1, now(), now())",
        }.items():
            columns = {"pass_state": "(name, chain_id, checked_at, succeeded_at)"}.get(table, "")
            database.execute(f"insert into worker.{table} {columns} values {values}")
        database.execute(
            "insert into worker.sent_ledger (id, chain_id, legacy, recipient, kind, event, role)"
            " values (gen_random_uuid(), 1, %s, %s, 'owner_reset', 'x', 'heir')",
            (LEGACY, HEIR),
        )
        database.execute(
            "insert into worker.gift_ledger (id, email_hash, chain_id, timelock_id, kind, state, message_id,"
            " expires_at) values (gen_random_uuid(), '\\x01', 1, 5, 'gift_waiting', 'sent', 'm', now())"
        )
        enter_wallet(database.execute)
        enter_request(database.execute, Vault(b"k" * 32))
        enter_budget(database.execute, reserved=5, spent=7, requests=1)


def _rows(database_url: str) -> Rows:
    with connected(database_url) as database:
        found = database.execute(
            "select relname from pg_class where relkind = 'r' and relnamespace = 'worker'::regnamespace"
            " and relname <> 'alembic_version' order by 1"
        )
        names = [name for (name,) in found.fetchall()]
        return {
            name: [row for (row,) in database.execute(f"select to_jsonb(t) from worker.{name} t order by t::text")]
            for name in names
        }


def _shape(database_url: str) -> dict[str, Any]:
    """Columns by (table, column): type and whether null is allowed. Constraints and unique indexes as text."""
    with connected(database_url) as database:
        columns = database.execute(
            "select table_name, column_name, data_type, numeric_precision, character_maximum_length, is_nullable"
            " from information_schema.columns where table_schema = 'worker' and table_name <> 'alembic_version'"
        ).fetchall()
        rules = database.execute(
            "select conrelid::regclass::text, conname, pg_get_constraintdef(oid) from pg_constraint"
            " where connamespace = 'worker'::regnamespace and contype <> 'n'"
            " union all select indrelid::regclass::text, indexrelid::regclass::text, pg_get_indexdef(indexrelid)"
            " from pg_index join pg_class on pg_class.oid = indrelid"
            " where indisunique and relnamespace = 'worker'::regnamespace"
        ).fetchall()
    return {"columns": {row[:2]: row[2:] for row in columns}, "rules": set(rules)}


async def test_an_update_keeps_every_row_as_it_was(previous: AsyncEngine, empty_url: str) -> None:
    _fill(empty_url)
    before = _rows(empty_url)
    assert sum(map(bool, before.values())) >= 10
    await migrate_database(previous, ANY_TABLES)
    after = _rows(empty_url)
    for table, rows in before.items():
        kept = [{name: row[name] for name in old} for row, old in zip(after[table], rows, strict=True)]
        assert kept == rows, table


async def test_the_previous_release_can_write_what_it_writes_on_the_newer_schema(
    previous: AsyncEngine, empty_url: str
) -> None:
    """Its rows, with the columns it knows and no others, are taken by the migrated tables."""
    _fill(empty_url)
    before = _rows(empty_url)
    await migrate_database(previous, ANY_TABLES)
    with connected(empty_url) as database:
        for table, rows in before.items():
            database.execute(f"delete from worker.{table}")
            for row in rows:
                names = ", ".join(f'"{name}"' for name in row)
                database.execute(
                    f"insert into worker.{table} ({names})"
                    f" select {names} from jsonb_populate_record(null::worker.{table}, %s::jsonb)",
                    (json.dumps(row),),
                )
    assert _rows(empty_url).keys() >= before.keys()


async def test_a_revision_only_adds(previous: AsyncEngine, empty_url: str) -> None:
    before = _shape(empty_url)
    await migrate_database(previous, ANY_TABLES)
    assert _broken(empty_url, before, _shape(empty_url)) == set()


async def test_a_revision_that_drops_or_demands_would_be_found(
    engine: AsyncEngine, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = _shape(database_url)
    bring_to(SchemaUpdate(NEWEST, UPCOMING.next, DEMANDING), tmp_path, monkeypatch)
    await migrate_database(engine, ANY_TABLES)
    found = _broken(database_url, before, _shape(database_url))
    assert {("pass_state", "error"), ("suppression", "language")} <= found
    assert "one_write" in {name for _, name in found}


def _broken(database_url: str, before: dict[str, Any], after: dict[str, Any]) -> set[tuple[str, str]]:
    """Return what was dropped, narrowed or newly demanded in tables that the previous release uses."""
    columns, tables = before["columns"], {table for table, _ in before["columns"]}
    changed = {key for key in columns if after["columns"].get(key) != columns[key]}
    added = {key for key in after["columns"].keys() - columns.keys() if key[0] in tables}
    demanded = {key for key in added if not _optional(database_url, key)}
    rules = {rule[:2] for rule in after["rules"] - before["rules"] if rule[0].removeprefix("worker.") in tables}
    return changed | demanded | rules - KEPT_BEFORE


def _optional(database_url: str, key: tuple[str, str]) -> bool:
    with connected(database_url) as database:
        found = database.execute(
            "select is_nullable = 'YES' or column_default is not null from information_schema.columns"
            " where table_schema = 'worker' and (table_name, column_name) = (%s, %s)",
            key,
        ).fetchone()
    return bool(found and found[0])


@pytest.mark.parametrize(
    ("found", "serves"),
    [
        (WRITTEN[0].previous, False),
        (NEWEST, True),
        (make_revision(0), False),
        (make_revision(1), True),
        (make_revision(2), False),
    ],
)
async def test_a_release_runs_on_its_own_schema_and_on_the_next_one(
    engine: AsyncEngine, found: str, serves: bool
) -> None:
    await set_revision(engine, found)
    assert await schema_serves(engine) is serves


async def set_revision(engine: AsyncEngine, revision: str) -> None:
    async with engine.begin() as connection:
        await connection.execute(text("update worker.alembic_version set version_num = :to"), {"to": revision})


async def read_revision(engine: AsyncEngine) -> str | None:
    async with engine.connect() as connection:
        return await connection.scalar(text("select version_num from worker.alembic_version"))


async def test_a_release_that_is_taken_back_leaves_the_newer_schema_as_it_is(engine: AsyncEngine) -> None:
    """Its `migrate` succeeds one revision further, since the start waits for that step, and refuses beyond."""
    for ahead, refused in ((1, False), (2, True)):
        await set_revision(engine, make_revision(ahead))
        with pytest.raises(Misconfigured, match="or one further") if refused else nullcontext():
            await migrate_database(engine, metadata)
        assert await read_revision(engine) == make_revision(ahead)


UNRELEASED = {
    "0004": 'column "words" of relation "recipient" already exists',
    NEWEST: "without erasure_count, recipient.words",
    "0018": "which no release has",
    make_revision(0): "which no release has",
}


@pytest.mark.parametrize(("revision", "difference"), UNRELEASED.items())
async def test_a_database_of_an_unreleased_build_is_refused_and_stays_as_it_is(
    engine: AsyncEngine, database_url: str, revision: str, difference: str
) -> None:
    """Before the first release, an id was used for a revision, and then for another one."""
    await set_revision(engine, revision)
    if revision == NEWEST:
        async with engine.begin() as connection:
            await connection.execute(text("drop table worker.erasure_count"))
            await connection.execute(text("alter table worker.recipient drop column words"))
    before = _shape(database_url)
    with pytest.raises(Misconfigured, match=r"unreleased build .* new, empty database") as refused:
        await migrate_database(engine, metadata)
    assert difference in str(refused.value)
    assert (await read_revision(engine), _shape(database_url)) == (revision, before)


def test_a_revision_has_a_number_and_a_date_and_its_file_the_same_name() -> None:
    """`schema_serves` counts with the number; a date keeps an id from being used again."""
    ids = [each.revision for each in SCRIPTS.walk_revisions()][::-1]
    assert [int(id[-4:]) for id in ids] == list(range(1, len(ids) + 1))
    assert [id for id in ids[17:] if not re.fullmatch(r"20\d{6}_\d{4}", id)] == []
    files = sorted(path.stem for path in Path(SCRIPTS.versions).glob("*.py"))
    assert [file[: len(id)] for file, id in zip(files, ids, strict=True)] == ids
