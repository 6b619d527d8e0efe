"""The connection to PostgreSQL."""

from sqlalchemy import make_url
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine


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
