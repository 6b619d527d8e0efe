"""Migrate the database, and check that its schema serves this release.

Revisions are numbered in sequence and only add, so the previous release runs on a new revision. An update migrates
first and replaces the processes afterwards; going back to the previous release leaves the database as it is.

The id of a revision is its date and number, `20261129_0018`, and is never used again. Some ids without a date were used
twice before the first release. A database of such an unreleased build is refused.
"""

import re
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Inspector, MetaData, inspect, text
from sqlalchemy.exc import ProgrammingError
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.schema import SetColumnComment, SetTableComment

from reminder_worker.database.tables import SCHEMA
from reminder_worker.errors import Misconfigured

if TYPE_CHECKING:  # every run's process asks whether the schema is current: that must not cost Alembic's import
    from alembic.config import Config

NEWEST = "20261129_0027"
_OTHER_TABLES = frozenset({"42P01", "42P07", "42701", "42703", "42704", "42710"})
"""SQLSTATE of a missing or existing table, column or constraint."""


def alembic_config(connection: Connection | None = None) -> "Config":
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    return config


def _upgrade_schema(connection: Connection, tables: MetaData) -> tuple[str | None, str]:
    connection.execute(text("select pg_advisory_xact_lock(:lock)"), {"lock": 0x72656D696E64})
    connection.execute(text(f"create schema if not exists {SCHEMA}"))
    found = _read_revision(connection)
    if found is None:
        fault = find_encoding_fault(connection)
        if fault:
            raise Misconfigured(f"the database {fault}")
    else:
        if found != NEWEST and _serves_revision(found):
            return found, found
        if re.fullmatch(r"\d{8}_\d{4}", found) and found[-4:] > NEWEST[-4:]:
            serves = f"this version serves {NEWEST} or one further"
            raise Misconfigured(f"the database is at revision {found}, {serves}: install the version that migrated it")
    _run_revisions(connection, found)
    inspector = inspect(connection)
    missing = _find_missing(inspector, tables)
    if missing:
        raise _refuse_unreleased(found, f"without {', '.join(missing)}")
    _write_comments(connection, inspector, tables)
    return found, NEWEST


def _run_revisions(connection: Connection, found: str | None) -> None:
    from alembic import command
    from alembic.script import ScriptDirectory

    config = alembic_config(connection)
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if found is not None and found not in known:
        raise _refuse_unreleased(found, "which no release has")
    try:
        command.upgrade(config, NEWEST)
    except ProgrammingError as error:
        if getattr(error.orig, "sqlstate", None) in _OTHER_TABLES:
            raise _refuse_unreleased(found, str(error.orig).splitlines()[0]) from error
        raise


def _find_missing(inspector: Inspector, tables: MetaData) -> list[str]:
    """Return the tables, and the columns of other tables, that the database should have."""
    found = inspector.get_multi_columns(SCHEMA)
    missing: list[str] = []
    for table in tables.sorted_tables:
        columns = found.get((SCHEMA, table.name))
        if columns is None:
            missing.append(table.name)
            continue
        names = {column["name"] for column in columns}
        missing += [f"{table.name}.{column.name}" for column in table.columns if column.name not in names]
    return missing


def _write_comments(connection: Connection, inspector: Inspector, tables: MetaData) -> None:
    """Write the comments of tables and columns that are not those of the code, their one source."""
    of_tables, of_columns = inspector.get_multi_table_comment(SCHEMA), inspector.get_multi_columns(SCHEMA)
    for table in tables.sorted_tables:
        at = (SCHEMA, table.name)
        if of_tables[at]["text"] != table.comment:
            connection.execute(SetTableComment(table))
        written = {column["name"]: column.get("comment") for column in of_columns[at]}
        for column in table.columns:
            if written[column.name] != column.comment:
                connection.execute(SetColumnComment(column))


def _refuse_unreleased(found: str | None, difference: str) -> Misconfigured:
    build = f"an unreleased build (revision {found or 'unknown'}, {difference})"
    remedy = "set DATABASE_URL to a new, empty database, where owners and givers register again"
    return Misconfigured(f"the database was made by {build}, and no release can use it: {remedy}")


async def migrate_database(engine: AsyncEngine, tables: MetaData) -> tuple[str | None, str]:
    """Run missing revisions in one transaction; safe if none is missing or two processes start at once.

    `tables`: those of `reminder_worker.schema`. The database must have them afterwards, and gets their comments.

    Returns the revision before (None: there was no table) and the revision now. A newer schema stays. Raises
    `Misconfigured` if it does not serve this version, for a database of an unreleased build, and for a new database
    that is not UTF-8.
    """
    async with engine.begin() as connection:
        return await connection.run_sync(_upgrade_schema, tables)


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
    following = rf"\d{{8}}_{int(NEWEST[-4:]) + 1:04}"
    return revision == NEWEST or re.fullmatch(following, revision) is not None


def _read_revision(connection: Connection) -> str | None:
    """Return the revision, or None before the first migration."""
    present = connection.scalar(text("select to_regclass(:name)"), {"name": f"{SCHEMA}.alembic_version"})
    if present is None:
        return None
    found: str | None = connection.scalar(text(f"select version_num from {SCHEMA}.alembic_version"))  # noqa: S608
    return found
