"""The connection to PostgreSQL."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from sqlalchemy import make_url
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

T = TypeVar("T")
_DEADLOCK = "40P01"


def open_engine(url: str, *, pool_size: int = 10) -> AsyncEngine:
    """An engine for `postgresql+psycopg://`. Parameters never show in errors or logs: they may be personal."""
    return create_async_engine(
        make_url(url),
        pool_size=pool_size,
        max_overflow=0,
        pool_pre_ping=True,
        hide_parameters=True,
        connect_args={"connect_timeout": 10, "application_name": "reminder-worker"},
    )


async def through_deadlocks(transaction: Callable[[], Awaitable[T]]) -> T:
    """Whoever loses a deadlock changed nothing and tries the whole transaction again, three times at most."""
    for last in (False, False, False, True):
        try:
            return await transaction()
        except OperationalError as error:
            if last or getattr(error.orig, "sqlstate", None) != _DEADLOCK:
                raise
    raise AssertionError("not reached")
