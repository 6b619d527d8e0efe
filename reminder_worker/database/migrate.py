"""Bring the database to the schema this code was written for."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.database.tables import SCHEMA

_MIGRATE_LOCK = 0x72656D696E64  # any constant; several processes may start at once


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    return config


def _upgrade(connection: Connection) -> None:
    connection.execute(text("select pg_advisory_xact_lock(:lock)"), {"lock": _MIGRATE_LOCK})
    connection.execute(text(f"create schema if not exists {SCHEMA}"))
    command.upgrade(_config(connection), "head")


async def migrate(engine: AsyncEngine) -> None:
    """Run what is missing, in one transaction; harmless when nothing is, or when two start at once."""
    async with engine.begin() as connection:
        await connection.run_sync(_upgrade)


async def schema_is_current(engine: AsyncEngine) -> bool:
    """Whether the database is at this code's newest revision."""
    newest = ScriptDirectory.from_config(_config()).get_current_head()
    async with engine.connect() as connection:
        present = await connection.scalar(text("select to_regclass(:name)"), {"name": f"{SCHEMA}.alembic_version"})
        if present is None:
            return False
        found = await connection.scalar(text(f"select version_num from {SCHEMA}.alembic_version"))  # noqa: S608
        return bool(found == newest)
