"""Count of the requests to RPC endpoints: every process adds its own to one table.

A process that crashes loses the counts of its last minute.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date
from typing import Any

import structlog
from sqlalchemy import BigInteger, ColumnElement, Date, cast, extract, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.database.queries import read_rows
from reminder_worker.monitoring.tables import node_request

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class RequestTally:
    """Count of the requests of a day (UTC), to one endpoint, by pass and method. `since`: unix seconds of the first."""

    day: date
    chain_id: int
    endpoint: str
    pass_name: str
    method: str
    count: int
    since: int


async def store_requests(engine: AsyncEngine, chains: Mapping[int, Chain]) -> None:
    """Add what was asked since the last call to the counts of the day.

    A failure is logged, and the next call adds the rest: no work depends on these counts.
    """
    taken = []
    rows: list[dict[str, Any]] = []
    for chain_id, chain in chains.items():
        for endpoint in chain.endpoints.members:
            asked = endpoint.asked.copy()
            endpoint.asked.clear()
            taken.append((endpoint, asked))
            of_endpoint = {"day": today_utc(), "chain_id": chain_id, "endpoint": endpoint.name}
            rows += [
                {**of_endpoint, "pass": name, "method": method, "count": count}
                for (name, method), count in sorted(asked.items())  # in one order: processes wait for each other's rows
            ]
    if not rows:
        return
    try:
        async with asyncio.timeout(5), engine.begin() as connection:
            new = insert(node_request).values(rows)
            total = node_request.c.count + new.excluded.count
            await connection.execute(
                new.on_conflict_do_update(index_elements=list(node_request.primary_key), set_={"count": total})
            )
    except (SQLAlchemyError, OSError, TimeoutError) as error:
        log.warning("requests_not_counted", error=type(error).__name__)
        for endpoint, asked in taken:
            endpoint.asked.update(asked)


@asynccontextmanager
async def store_each_minute(engine: AsyncEngine, chains: Mapping[int, Chain]) -> AsyncIterator[None]:
    """Store the counts of a process without passes."""

    async def repeat() -> None:
        while True:
            await asyncio.sleep(60)
            await store_requests(engine, chains)

    storing = asyncio.create_task(repeat())
    try:
        yield
    finally:
        storing.cancel()
        await asyncio.gather(storing, return_exceptions=True)


async def read_requests(engine: AsyncEngine, days: int) -> list[RequestTally]:
    """Return the counts of today and the days before it (UTC), `days` in all."""
    t = node_request.c
    since = cast(extract("epoch", t.since), BigInteger)
    question = select(t.day, t.chain_id, t.endpoint, t["pass"], t.method, t.count, since)
    recent = question.where(t.day > today_utc() - days).order_by(*node_request.primary_key)
    return await read_rows(engine, RequestTally, recent)


def today_utc() -> ColumnElement[date]:
    """Return the day (UTC) of the database's clock."""
    return cast(func.timezone("UTC", func.now()), Date)  # not the time of each row: no index would serve
