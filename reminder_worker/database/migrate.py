"""Bring the database to the schema this code was written for."""

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.database.tables import SCHEMA

if TYPE_CHECKING:  # every run's process asks whether the schema is current: that must not cost Alembic's import
    from alembic.config import Config

NEWEST = "0003"
_MIGRATE_LOCK = 0x72656D696E64  # any constant; several processes may start at once


def alembic_config(connection: Connection | None = None) -> "Config":
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    return config


def _upgrade(connection: Connection) -> None:
    from alembic import command

    connection.execute(text("select pg_advisory_xact_lock(:lock)"), {"lock": _MIGRATE_LOCK})
    connection.execute(text(f"create schema if not exists {SCHEMA}"))
    command.upgrade(alembic_config(connection), NEWEST)


async def migrate(engine: AsyncEngine) -> None:
    """Run what is missing, in one transaction; harmless when nothing is, or when two start at once."""
    async with engine.begin() as connection:
        await connection.run_sync(_upgrade)


async def schema_is_current(engine: AsyncEngine) -> bool:
    """Whether the database is at this code's newest revision."""
    async with engine.connect() as connection:
        present = await connection.scalar(text("select to_regclass(:name)"), {"name": f"{SCHEMA}.alembic_version"})
        if present is None:
            return False
        found = await connection.scalar(text(f"select version_num from {SCHEMA}.alembic_version"))  # noqa: S608
        return bool(found == NEWEST)
