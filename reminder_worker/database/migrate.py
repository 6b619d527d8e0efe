"""Migrate the database, and check that its schema serves this release.

Revisions are numbered in sequence and only add, so the previous release runs on a new revision. An update migrates
first and replaces the processes afterwards; going back to the previous release leaves the database as it is.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.database.tables import SCHEMA
from reminder_worker.errors import Misconfigured

if TYPE_CHECKING:  # every run's process asks whether the schema is current: that must not cost Alembic's import
    from alembic.config import Config

NEWEST = "0017"


def alembic_config(connection: Connection | None = None) -> "Config":
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    return config


def _upgrade_schema(connection: Connection) -> tuple[str | None, str]:
    from alembic import command

    connection.execute(text("select pg_advisory_xact_lock(:lock)"), {"lock": 0x72656D696E64})
    connection.execute(text(f"create schema if not exists {SCHEMA}"))
    found = _read_revision(connection)
    if found is None and (fault := find_encoding_fault(connection)):
        raise Misconfigured(f"the database {fault}")
    if found is None or (found.isdecimal() and int(found) < int(NEWEST)):
        command.upgrade(alembic_config(connection), NEWEST)
        return found, NEWEST
    if not _serves_revision(found):
        serves = f"this version serves {NEWEST} or one further"
        raise Misconfigured(f"the database is at revision {found}, {serves}: install the version that migrated it")
    return found, found


async def migrate_database(engine: AsyncEngine) -> tuple[str | None, str]:
    """Run missing revisions in one transaction; safe if none is missing or two processes start at once.

    Returns the revision before (None: there was no table) and the revision now. A newer schema stays. Raises
    `Misconfigured` if it does not serve this version, and for a new database that is not UTF-8.
    """
    async with engine.begin() as connection:
        return await connection.run_sync(_upgrade_schema)


async def schema_serves(engine: AsyncEngine) -> bool:
    """Return whether the schema is at this code's newest revision, or one further during an update."""
    async with engine.connect() as connection:
        found = await connection.run_sync(_read_revision)
    return found is not None and _serves_revision(found)


def find_encoding_fault(connection: Connection) -> str | None:
    """Return the fault with its remedy if the database is not UTF-8."""
    encoding = connection.scalar(text("show server_encoding"))  # SQL_ASCII without a locale
    if encoding == "UTF8":
        return None
    remedy = "make another, `create database … encoding 'UTF8' template template0`"
    return f"stores text as {encoding}, in which not every character can be kept: {remedy}"


def _serves_revision(revision: str) -> bool:
    return revision.isdecimal() and 0 <= int(revision) - int(NEWEST) <= 1


def _read_revision(connection: Connection) -> str | None:
    """Return the revision, or None before the first migration."""
    present = connection.scalar(text("select to_regclass(:name)"), {"name": f"{SCHEMA}.alembic_version"})
    if present is None:
        return None
    found: str | None = connection.scalar(text(f"select version_num from {SCHEMA}.alembic_version"))  # noqa: S608
    return found
