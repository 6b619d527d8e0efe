"""Daily series: what happened on each day, and in all until its end; computed from the index, so any past day at will.

What was secured is of the last snapshot of the day and stays empty where there is none: it cannot be had afterwards.
"""

from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

import polars as pl
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.statistics import aggregates, files, store
from reminder_worker.statistics.index_rows import read_history


async def write_days(
    engine: AsyncEngine, folder: Path, chain_id: int, days: Sequence[date], also: Sequence[date] = ()
) -> pl.DataFrame:
    """The partitions of these days, each in place of an earlier one. These days and `also` others, ordered by `day`."""
    series = aggregates.daily(*await read_history(engine, chain_id))
    await write_series(engine, folder, chain_id, series, days)
    return on_days(series, [*days, *also])


async def write_series(
    engine: AsyncEngine,
    folder: Path,
    chain_id: int,
    series: pl.DataFrame,
    days: Sequence[date],
    taken: store.Snapshot | None = None,
) -> None:
    """As `write_days`, of a series that is there; `taken` is the newest snapshot, which the table does not have yet."""
    if not days:
        return
    valued = await store.last_of_each_day(engine, chain_id, min(days), max(days))
    if taken is not None:
        valued[taken.day] = taken
    found = with_values(on_days(series, days), valued)
    for row in found.partition_by("day", maintain_order=True):
        day = row["day"][0]
        path = files.place(folder, files.DAY_TOKENS, day, chain_id, files.DAY)
        files.write(path, files.tokens_frame(valued[day].tokens if day in valued else []))
        files.write(files.place(folder, files.DAYS, day, chain_id, files.DAY), row.drop("day"))


def on_days(series: pl.DataFrame, days: Sequence[date]) -> pl.DataFrame:
    """A row for each day asked for: nothing happened on days that `series` (of `aggregates.daily`) does not have."""
    calendar = pl.DataFrame({"day": sorted(set(days))}, schema={"day": pl.Date})
    totals = [f"total_{name}" for name in aggregates.SERIES]
    happened = calendar.join(series.select("day", *aggregates.SERIES), on="day", how="left", maintain_order="left")
    until = calendar.join_asof(series.select("day", *totals), on="day", strategy="backward")
    return happened.hstack(until.select(totals)).with_columns(pl.col(*aggregates.SERIES, *totals).fill_null(0))


def with_values(found: pl.DataFrame, valued: dict[date, store.Snapshot]) -> pl.DataFrame:
    snapshots = [valued.get(day) for day in found["day"]]
    return found.with_columns(
        pl.Series("value_secured_usd", [each and each.value_secured_usd for each in snapshots], dtype=files.DOLLARS),
        pl.Series("value_block_number", [each and each.block_number for each in snapshots], dtype=pl.Int64),
    )


def to_write(folder: Path, chain_id: int, series: pl.DataFrame, last_run: date | None, today: date) -> list[date]:
    """Days that are not final in their files: since the day of the last run, the one before today, and missing ones."""
    first = series["day"][0] if len(series) else today
    fresh = min(last_run or first, today - timedelta(days=1))
    days = (first + timedelta(days=back) for back in range((today - first).days + 1))
    return [
        day for day in days if day >= fresh or not files.place(folder, files.DAYS, day, chain_id, files.DAY).exists()
    ]
