"""Hourly snapshots of a chain: the table `statistics`, and checks of a snapshot. They hold aggregates only."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from sqlalchemy import Select, delete, func, select
from sqlalchemy.dialects.postgresql import distinct_on, insert
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.statistics.tables import statistics


@dataclass(frozen=True, slots=True)
class StatisticsSnapshot:
    """Aggregates of one chain at one block, described by the columns of the table."""

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
        """UTC day: the driver gives the hour in the session's time zone."""
        return self.hour.astimezone(UTC).date()


def start_of_hour(block_time: int) -> datetime:
    """Return the start of a block's hour, in UTC."""
    return datetime.fromtimestamp(block_time - block_time % 3_600, UTC)


async def save_snapshot(engine: AsyncEngine, snapshot: StatisticsSnapshot) -> None:
    """Store a snapshot in place of an earlier one of that hour."""
    values = asdict(snapshot)
    statement = insert(statistics).values(**values)
    replaced = {**values, "taken_at": func.clock_timestamp()}
    async with engine.begin() as connection:
        await connection.execute(statement.on_conflict_do_update(index_elements=["chain_id", "hour"], set_=replaced))


async def find_later_snapshots(engine: AsyncEngine, chain_id: int, hour: datetime) -> list[StatisticsSnapshot]:
    return await _read_snapshots(engine, _select_snapshots(chain_id).where(statistics.c.hour > hour))


async def delete_snapshot(engine: AsyncEngine, snapshot: StatisticsSnapshot) -> None:
    where = statistics.c.chain_id == snapshot.chain_id, statistics.c.hour == snapshot.hour
    async with engine.begin() as connection:
        await connection.execute(delete(statistics).where(*where))


async def find_newest_snapshot(engine: AsyncEngine, chain_id: int) -> StatisticsSnapshot | None:
    found = await find_recent_snapshots(engine, chain_id, 1)
    return found[0] if found else None


async def find_recent_snapshots(
    engine: AsyncEngine, chain_id: int, most: int, until: datetime | None = None
) -> list[StatisticsSnapshot]:
    """Return snapshots of hours up to `until`, newest first."""
    question = _select_snapshots(chain_id).order_by(statistics.c.hour.desc()).limit(most)
    return await _read_snapshots(engine, question if until is None else question.where(statistics.c.hour <= until))


async def count_snapshots(engine: AsyncEngine) -> int:
    """Count the snapshots of all chains."""
    async with engine.connect() as connection:
        return (await connection.execute(select(func.count()).select_from(statistics))).scalar_one()


async def find_last_of_each_day(
    engine: AsyncEngine, chain_id: int, first: date, last: date
) -> dict[date, StatisticsSnapshot]:
    """Return the last snapshot of each UTC day from `first` to `last`; a day without one is missing."""
    begins, ends = (datetime.combine(day, time(), UTC) for day in (first, last + timedelta(days=1)))
    question = _select_snapshots(chain_id).where(statistics.c.hour >= begins, statistics.c.hour < ends)
    day = func.date_trunc("day", statistics.c.hour, "UTC")
    question = question.order_by(day, statistics.c.hour.desc()).ext(distinct_on(day))
    return {snapshot.day: snapshot for snapshot in await _read_snapshots(engine, question)}


def _select_snapshots(chain_id: int) -> Select[Any]:
    columns = [statistics.c[name] for name in StatisticsSnapshot.__dataclass_fields__]
    return select(*columns).where(statistics.c.chain_id == chain_id)


async def _read_snapshots(engine: AsyncEngine, question: Select[Any]) -> list[StatisticsSnapshot]:
    async with engine.connect() as connection:
        return [StatisticsSnapshot(*row) for row in await connection.execute(question)]


def find_negative_figures(snapshot: StatisticsSnapshot) -> list[str]:
    """Return the names of figures below zero."""
    figures: dict[str, Decimal | int] = {}
    for group, numbers in snapshot.counts.items():
        figures |= {f"{group} {name}": value for name, value in _flatten(numbers)}
    for token in snapshot.tokens:
        figures[f"amount of {token['token']}"] = int(token["amount"])
        figures[f"dollars of {token['token']}"] = Decimal(token["usd"] or 0)
    figures["value secured"] = snapshot.value_secured_usd or 0
    return [name for name, value in figures.items() if value < 0]


def find_unequal_totals(snapshot: StatisticsSnapshot) -> list[str]:
    """Return totals that differ from the sum of their parts. Timelocks have states besides live and ended."""
    legacies, timelocks = snapshot.counts["legacies"], snapshot.counts["timelocks"]
    valued = [Decimal(token["usd"]) for token in snapshot.tokens if token["usd"] is not None]
    value = snapshot.value_secured_usd
    wrong = {
        "legacies by state": legacies["live"] + legacies["activated"] + legacies["deleted"] != legacies["total"],
        "legacies by type": sum(legacies["byType"].values()) != legacies["total"],
        "timelocks by state": timelocks["live"] + timelocks["ended"] > timelocks["total"],
        "gifts": timelocks["gifts"] > timelocks["total"],
        "value secured": value is not None and abs(sum(valued) - value) > Decimal("0.01") * len(valued),
    }
    return [name for name, is_wrong in wrong.items() if is_wrong]


def find_jumps(earlier: Sequence[StatisticsSnapshot], after: StatisticsSnapshot) -> list[str]:
    """Return values above 10,000 dollars that changed more than threefold, and totals that fell.

    Only a reorganisation explains a total that fell.
    `earlier`: newest first. The value is compared with the last known one, since a feed is believed again after a day.
    """
    found = []
    for group in ("legacies", "timelocks"):
        old, new = earlier[0].counts[group]["total"], after.counts[group]["total"]
        if new < old:
            found.append(f"{group} in all: {old} to {new}")
    value = next((each.value_secured_usd for each in earlier if each.value_secured_usd is not None), None)
    if value is None or after.value_secured_usd is None:
        return found
    low, high = sorted((value, after.value_secured_usd))
    if high > 10_000 and high > 3 * low:
        found.append(f"value secured: {value:,} to {after.value_secured_usd:,} dollars")
    return found


def _flatten(numbers: dict[str, Any]) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    for name, value in numbers.items():
        if isinstance(value, dict):
            found += _flatten(value)
        elif isinstance(value, int):
            found.append((name, value))
    return found
