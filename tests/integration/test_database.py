"""Promises of the database itself."""

import asyncio
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text
from sqlalchemy.exc import IntegrityError, OperationalError
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.database import engine as module
from reminder_worker.database.engine import at_once, open_engine
from reminder_worker.database.migrate import NEWEST, alembic_config, migrate, schema_serves
from reminder_worker.database.tables import SCHEMA, metadata


async def test_every_table_has_a_comment(engine: AsyncEngine) -> None:
    async with engine.connect() as connection:
        rows = await connection.execute(
            text(
                "select relname, obj_description(oid) from pg_class"
                " where relkind = 'r' and relnamespace = 'worker'::regnamespace"
            )
        )
        comments = {name: comment for name, comment in rows if name != "alembic_version"}
    assert set(comments) == {table.name for table in metadata.sorted_tables}
    assert all(comments.values())


async def test_the_migrations_make_exactly_the_tables_of_the_code(engine: AsyncEngine) -> None:
    def differences(connection: Connection) -> list[Any]:
        options = {"include_schemas": True, "include_name": lambda name, kind, _: kind != "schema" or name == SCHEMA}
        context = MigrationContext.configure(connection, opts={**options, "version_table_schema": SCHEMA})
        return list(compare_metadata(context, metadata))

    async with engine.connect() as connection:
        assert await connection.run_sync(differences) == []


def test_the_newest_revision_is_the_one_the_code_asks_for() -> None:
    assert ScriptDirectory.from_config(alembic_config()).get_heads() == [NEWEST]


async def test_migrating_twice_changes_nothing(engine: AsyncEngine) -> None:
    await migrate(engine)
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


_COUNT = text("select count(*) from worker.used_signature")
_SPEND = text("insert into worker.used_signature (digest, deadline) values (:digest, 1) returning digest")


async def test_a_statement_at_once_is_committed_and_leaves_the_connection_as_it_was(
    engine: AsyncEngine, database_url: str
) -> None:
    single = open_engine(database_url, pool_size=1)
    assert await at_once(single, _SPEND, {"digest": b"one"}) == [(b"one",)]
    async with single.connect() as connection:  # the same connection: this is a transaction, and is not committed
        await connection.execute(text("insert into worker.used_signature (digest, deadline) values ('two', 1)"))
    await single.dispose()
    async with engine.connect() as connection:
        assert await connection.scalar(_COUNT) == 1


async def test_a_statement_at_once_that_fails_takes_no_connection_with_it(
    engine: AsyncEngine, database_url: str
) -> None:
    """Whether it is refused, its connection breaks, or nobody waits for it any more."""
    single = open_engine(database_url, pool_size=1)
    await at_once(single, _SPEND, {"digest": b"one"})
    with pytest.raises(IntegrityError) as caught:
        await at_once(single, _SPEND, {"digest": b"one"})
    assert "one" not in str(caught.value).partition("[SQL")[2]
    with pytest.raises(OperationalError):
        await at_once(single, text("select pg_terminate_backend(pg_backend_pid())"), {})
    sleeping = asyncio.ensure_future(at_once(single, text("select pg_sleep(60)"), {}))
    async with engine.connect() as connection:
        asleep = text("select exists(select from pg_stat_activity where wait_event = 'PgSleep')")
        while not await connection.scalar(asleep):
            await connection.rollback()
    sleeping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await sleeping
    async with single.connect() as connection:
        await connection.execute(text("insert into worker.used_signature (digest, deadline) values ('two', 1)"))
    assert await at_once(single, _COUNT, {}) == [(1,)]
    await single.dispose()
