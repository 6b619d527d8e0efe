"""Promises of the database itself."""

from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, event, text
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import StaticPool

from reminder_worker.database import engine as module
from reminder_worker.database.engine import open_engine, shares_sessions
from reminder_worker.database.migrate import NEWEST, alembic_config, migrate_database, schema_serves
from reminder_worker.schema import SCHEMA, metadata


async def test_every_table_and_column_has_a_comment(engine: AsyncEngine) -> None:
    """The comments are those of the code: the test below compares them."""
    async with engine.connect() as connection:
        rows = await connection.execute(
            text(
                "select relname, '', obj_description(oid) from pg_class"
                " where relkind = 'r' and relnamespace = 'worker'::regnamespace"
                " union all select relname, attname, col_description(pg_class.oid, attnum)"
                " from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped"
                " where relkind = 'r' and relnamespace = 'worker'::regnamespace"
            )
        )
        comments = {(table, column): comment for table, column, comment in rows if table != "alembic_version"}
    assert {table for table, _ in comments} == {table.name for table in metadata.sorted_tables}
    assert [place for place, comment in comments.items() if not comment] == []


async def test_the_migrations_make_exactly_the_tables_of_the_code(engine: AsyncEngine) -> None:
    def differences(connection: Connection) -> list[Any]:
        options = {"include_schemas": True, "include_name": lambda name, kind, _: kind != "schema" or name == SCHEMA}
        context = MigrationContext.configure(connection, opts={**options, "version_table_schema": SCHEMA})
        return list(compare_metadata(context, metadata))

    async with engine.connect() as connection:
        assert await connection.run_sync(differences) == []


async def test_each_queue_that_keeps_its_rows_is_vacuumed_after_a_hundredth_of_them(engine: AsyncEngine) -> None:
    """Autovacuum would wait for a fifth, and each poll would read the index entries of all settled rows meanwhile."""
    async with engine.connect() as connection:
        rows = await connection.execute(
            text(
                "select relname, reloptions from pg_class"
                " where relnamespace = 'worker'::regnamespace and reloptions is not null"
            )
        )
        options = {table: set(values) for table, values in rows}
    wanted = {"autovacuum_vacuum_scale_factor=0.01", "vacuum_index_cleanup=on"}
    assert options == dict.fromkeys(("sent_ledger", "gift_ledger", "notify_signal", "due_window"), wanted)


def test_the_newest_revision_is_the_one_the_code_asks_for() -> None:
    assert ScriptDirectory.from_config(alembic_config()).get_heads() == [NEWEST]


async def test_migrating_writes_the_comments_of_the_code_that_differ_and_no_others(engine: AsyncEngine) -> None:
    written: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if statement.startswith("COMMENT"):
            written.append(statement)

    async with engine.begin() as connection:
        await connection.execute(text("comment on table worker.quota is 'of an earlier release'"))
        await connection.execute(text("comment on column worker.quota.used is null"))
    event.listen(engine.sync_engine, "before_cursor_execute", note)
    for _ in range(2):
        await migrate_database(engine, metadata)
    assert [statement.split(" IS ")[0] for statement in written] == [
        "COMMENT ON TABLE worker.quota",
        "COMMENT ON COLUMN worker.quota.used",
    ]


async def test_migrating_twice_changes_nothing(engine: AsyncEngine) -> None:
    await migrate_database(engine, metadata)
    assert await schema_serves(engine)


async def test_a_connection_that_broke_while_it_was_idle_is_replaced_unnoticed(
    engine: AsyncEngine, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "TRUSTED_IDLE_SECONDS", 0.0)
    pooled = open_engine(database_url)
    async with pooled.connect() as connection:
        broken = await connection.scalar(text("select pg_backend_pid()"))
    async with engine.connect() as connection:
        assert await connection.scalar(text("select pg_terminate_backend(:pid, 10000)"), {"pid": broken})
    async with pooled.connect() as connection:
        assert await connection.scalar(text("select pg_backend_pid()")) != broken
    await pooled.dispose()


async def test_a_pooler_that_gives_a_session_to_several_connections_is_noticed(
    engine: AsyncEngine, database_url: str
) -> None:
    pooled = create_async_engine(database_url, poolclass=StaticPool)
    assert await shares_sessions(pooled)
    await pooled.dispose()
    assert not await shares_sessions(engine)
