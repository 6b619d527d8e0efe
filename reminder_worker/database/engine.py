"""The connection to PostgreSQL."""

import time
from collections.abc import Awaitable, Callable, Mapping
from functools import lru_cache
from typing import Any, TypeVar

from sqlalchemy import TextClause, event, make_url
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.exc import DBAPIError, InvalidatePoolError, OperationalError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.util import greenlet_spawn

T = TypeVar("T")
_DEADLOCK = "40P01"
TRUSTED_IDLE_SECONDS = 1.0
_IDLE_SINCE = "idle_since"


def open_engine(url: str, *, pool_size: int = 10) -> AsyncEngine:
    """An engine for `postgresql+psycopg://`. Parameters never show in errors or logs: they may be personal."""
    engine = create_async_engine(
        make_url(url),
        pool_size=pool_size,
        max_overflow=0,
        hide_parameters=True,
        connect_args={"connect_timeout": 10, "application_name": "reminder-worker"},
    )
    _ask_idle_connections(engine)
    return engine


def _ask_idle_connections(engine: AsyncEngine) -> None:
    """Like `pool_pre_ping`, whose round trip is a tenth of a busy request, but not for connections in constant use.

    One that broke within `TRUSTED_IDLE_SECONDS` fails as it would have in use, and the pool then forgets the others.
    """
    dialect = engine.sync_engine.dialect

    def returned(_connection: Any, record: Any) -> None:
        record.info[_IDLE_SINCE] = time.monotonic()

    def taken(connection: Any, record: Any, _proxy: object) -> None:
        since = record.info.get(_IDLE_SINCE)
        if since is None or time.monotonic() - since < TRUSTED_IDLE_SECONDS:
            return
        try:
            dialect.do_ping(connection)
        except dialect.loaded_dbapi.Error:
            raise InvalidatePoolError from None

    event.listen(engine.sync_engine, "checkin", returned)
    event.listen(engine.sync_engine, "checkout", taken)


@lru_cache
def _driver_words(statement: TextClause) -> str:
    return str(statement.compile(dialect=PGDialect_psycopg()))  # type: ignore[no-untyped-call]


async def at_once(engine: AsyncEngine, statement: TextClause, values: Mapping[str, object]) -> list[tuple[Any, ...]]:
    """The rows of one statement that commits by itself, for what a request waits for.

    Given to the driver as it is: SQLAlchemy's own execution takes more time than all the rest of it. Its errors are
    raised, its events of a statement are not.
    """
    words = _driver_words(statement)
    pool, driver = engine.sync_engine.pool, engine.dialect.loaded_dbapi

    def run() -> list[tuple[Any, ...]]:
        taken, as_it_was = pool.connect(), False
        try:
            connection: Any = taken.dbapi_connection
            connection.autocommit = True
            cursor = connection.cursor()
            cursor.execute(words, values)
            rows: list[tuple[Any, ...]] = cursor.fetchall()
            connection.autocommit = False
            as_it_was = True
        except driver.Error as error:
            raise DBAPIError.instance(words, None, error, driver.Error, hide_parameters=True) from None
        finally:
            if as_it_was:
                taken.close()
            else:
                taken.invalidate()
        return rows

    return await greenlet_spawn(run)


async def through_deadlocks(transaction: Callable[[], Awaitable[T]]) -> T:
    """Whoever loses a deadlock changed nothing and tries the whole transaction again, three times at most."""
    for last in (False, False, False, True):
        try:
            return await transaction()
        except OperationalError as error:
            if last or getattr(error.orig, "sqlstate", None) != _DEADLOCK:
                raise
    raise AssertionError("not reached")
