"""The connection to PostgreSQL."""

import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any, TypeVar

from sqlalchemy import ExceptionContext, event, make_url, text
from sqlalchemy.exc import InvalidatePoolError, OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

T = TypeVar("T")
TRUSTED_IDLE_SECONDS = 1.0
# Server, database and role may each have other defaults. The statements count on seeing what was committed while they
# waited for a lock, also those that are a transaction by themselves; the driver reads no other dates.
_SESSION = (
    "select set_config('default_transaction_isolation', 'read committed', false),"
    " set_config('datestyle', 'ISO', false),"
    # A process that is frozen or out of reach in a transaction holds locks that claims and admissions wait for.
    " set_config('idle_in_transaction_session_timeout', '60s', false)"
)


def open_engine(url: str, *, pool_size: int = 10) -> AsyncEngine:
    """Return an engine for `postgresql+psycopg://`. Errors and logs never show parameters: they may be personal."""
    # A database host that vanishes in the middle of a statement is noticed within half a minute, not after hours.
    libpq = {
        "connect_timeout": 10,
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": 30_000,
        "application_name": "reminder-worker",
        "client_encoding": "utf8",  # else the driver reads text as bytes where a server was made without a locale
    }
    engine = create_async_engine(
        make_url(url),
        pool_size=pool_size,
        max_overflow=0,
        isolation_level="READ COMMITTED",
        hide_parameters=True,
        connect_args=libpq,
    )
    event.listen(engine.sync_engine, "connect", _set_session)
    _ping_idle_connections(engine)
    event.listen(engine.sync_engine, "handle_error", _treat_read_only_as_away)
    return engine


async def must_take_writes(engine: AsyncEngine) -> None:
    """Raise `OperationalError` on a standby or a full disk. Changes nothing."""
    async with engine.begin() as connection:
        await connection.execute(text("delete from worker.installation where false"))
        # On a full disk a row still fits where others were deleted. Rows beyond the little memory go into a new file,
        # for this statement only: a megabyte, in a millisecond, beside the tables.
        await connection.execute(
            text("select set_config('work_mem', '64kB', true), set_config('temp_tablespaces', '', true)")
        )
        await connection.execute(
            text("""
                with much as materialized (select repeat('x', 8000) as page from generate_series(1, 128))
                select count(page) from much
            """)
        )


async def shares_sessions(engine: AsyncEngine) -> bool:
    """Return whether two connections share a session: a pooling proxy hands sessions from transaction to transaction.

    Prepared statements, settings and locks of such a session belong to other clients, too.
    """
    async with engine.connect() as one, engine.connect() as other:
        for _ in range(3):  # a busy pooler may have given the session to somebody else
            sessions = set()
            for connection in (one, other):
                sessions.add(await connection.scalar(text("select pg_backend_pid()")))
                await connection.rollback()
            if len(sessions) == 1:
                return True
    return False


def _set_session(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    cursor.execute(_SESSION)
    cursor.close()
    connection.commit()


def _treat_read_only_as_away(context: ExceptionContext) -> OperationalError | None:
    """Treat a read-only server as away and drop its connections: after a failover new ones reach the primary."""
    error = context.original_exception
    if getattr(error, "sqlstate", None) != "25006":  # read-only transaction
        return None
    context.is_disconnect = True
    return OperationalError(context.statement, None, error, hide_parameters=True, connection_invalidated=True)


def _ping_idle_connections(engine: AsyncEngine) -> None:
    """Ping connections after some idle time; `pool_pre_ping` would cost a tenth of every busy request.

    A connection that breaks within `TRUSTED_IDLE_SECONDS` fails in use, and the pool then drops the others.
    """
    dialect = engine.sync_engine.dialect

    def note_idle_since(_connection: Any, record: Any) -> None:
        record.info["idle_since"] = time.monotonic()

    def ping_if_idle(connection: Any, record: Any, _proxy: object) -> None:
        since = record.info.get("idle_since")
        if since is None or time.monotonic() - since < TRUSTED_IDLE_SECONDS:
            return
        try:
            dialect.do_ping(connection)
        except dialect.loaded_dbapi.Error:
            raise InvalidatePoolError from None

    event.listen(engine.sync_engine, "checkin", note_idle_since)
    event.listen(engine.sync_engine, "checkout", ping_if_idle)


def in_transaction(
    engine: AsyncEngine, connection: AsyncConnection | None
) -> AbstractAsyncContextManager[AsyncConnection]:
    """Return the caller's connection, or a new transaction without one."""
    return engine.begin() if connection is None else nullcontext(connection)


async def through_deadlocks(transaction: Callable[[], Awaitable[T]]) -> T:
    """Run a transaction and repeat it after a lost deadlock, three times at most: nothing was changed."""
    for repeats_left in (3, 2, 1, 0):
        try:
            return await transaction()
        except OperationalError as error:
            if not repeats_left or getattr(error.orig, "sqlstate", None) != "40P01":  # deadlock detected
                raise
    raise AssertionError("not reached")
