"""Reading of rows into values, and of the database's clock."""

from collections.abc import Callable
from typing import Any, TypeVar

from sqlalchemy import Select, extract, func, select
from sqlalchemy.ext.asyncio import AsyncEngine

T = TypeVar("T")


async def read_rows(engine: AsyncEngine, make_value: Callable[..., T], question: Select[Any]) -> list[T]:
    """Return `make_value` of the columns of each row."""
    async with engine.connect() as connection:
        return [make_value(*row) for row in await connection.execute(question)]


async def read_database_time(engine: AsyncEngine) -> float:
    """Return the database's time in unix seconds."""
    async with engine.connect() as connection:
        return float(await connection.scalar(select(extract("epoch", func.clock_timestamp()))) or 0)
