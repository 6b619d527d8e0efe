"""The table `statistics`: one row an hour and chain, whole aggregates only."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any, Final

from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import distinct_on, insert
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.statistics.tables import statistics

HOUR: Final = 3_600


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One chain at one block. `counts` and `tokens` as the table describes them; dollars None: not known."""

    chain_id: int
    hour: datetime
    block_number: int
    block_hash: str
    block_time: int
    counts: Mapping[str, Any]
    tokens: Sequence[Mapping[str, Any]]
    value_secured_usd: Decimal | None

    @property
    def day(self) -> date:
        """Of UTC: the driver gives the hour in the zone of the database's session."""
        return self.hour.astimezone(UTC).date()


def hour_of(block_time: int) -> datetime:
    """The hour (UTC) that a block is of."""
    return datetime.fromtimestamp(block_time - block_time % HOUR, UTC)


async def save(engine: AsyncEngine, snapshot: Snapshot) -> None:
    """In place of an earlier one of that hour."""
    keys = {"chain_id": snapshot.chain_id, "hour": snapshot.hour}
    values = {
        "block_number": snapshot.block_number,
        "block_hash": snapshot.block_hash,
        "block_time": snapshot.block_time,
        "counts": dict(snapshot.counts),
        "tokens": [dict(token) for token in snapshot.tokens],
        "value_secured_usd": snapshot.value_secured_usd,
    }
    statement = insert(statistics).values(**keys, **values)
    replaced = {**values, "taken_at": func.clock_timestamp()}
    async with engine.begin() as connection:
        await connection.execute(statement.on_conflict_do_update(index_elements=list(keys), set_=replaced))


async def later_than(engine: AsyncEngine, chain_id: int, hour: datetime) -> list[Snapshot]:
    """Those of later hours."""
    question = select(*_COLUMNS).where(statistics.c.chain_id == chain_id, statistics.c.hour > hour)
    async with engine.connect() as connection:
        return [Snapshot(*row) for row in await connection.execute(question)]


async def forget(engine: AsyncEngine, snapshot: Snapshot) -> None:
    where = statistics.c.chain_id == snapshot.chain_id, statistics.c.hour == snapshot.hour
    async with engine.begin() as connection:
        await connection.execute(delete(statistics).where(*where))


async def newest(engine: AsyncEngine, chain_id: int) -> Snapshot | None:
    found = await recent(engine, chain_id, 1)
    return found[0] if found else None


async def recent(engine: AsyncEngine, chain_id: int, most: int, until: datetime | None = None) -> list[Snapshot]:
    """The newest first; of hours that are not later than `until`."""
    question = select(*_COLUMNS).where(statistics.c.chain_id == chain_id).order_by(statistics.c.hour.desc()).limit(most)
    if until is not None:
        question = question.where(statistics.c.hour <= until)
    async with engine.connect() as connection:
        return [Snapshot(*row) for row in await connection.execute(question)]


async def count(engine: AsyncEngine) -> int:
    """Snapshots kept, of all chains."""
    async with engine.connect() as connection:
        return (await connection.execute(select(func.count()).select_from(statistics))).scalar_one()


async def last_of_each_day(engine: AsyncEngine, chain_id: int, first: date, last: date) -> dict[date, Snapshot]:
    """By day (UTC), of days first..last, both included; without days that have none."""
    begins, ends = _midnight(first), _midnight(last) + timedelta(days=1)
    day = func.date_trunc("day", statistics.c.hour, "UTC")
    question = (
        select(*_COLUMNS)
        .where(statistics.c.chain_id == chain_id, statistics.c.hour >= begins, statistics.c.hour < ends)
        .order_by(day, statistics.c.hour.desc())
        .ext(distinct_on(day))
    )
    async with engine.connect() as connection:
        snapshots = [Snapshot(*row) for row in await connection.execute(question)]
    return {snapshot.day: snapshot for snapshot in snapshots}


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


_COLUMNS = tuple(statistics.c[name] for name in Snapshot.__dataclass_fields__)
