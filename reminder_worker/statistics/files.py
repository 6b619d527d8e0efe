"""Parquet files for analysts: `<folder>/<dataset>/day=<day>/chain_id=<chain>/<name>.parquet`.

A file is written beside its place and renamed, so a reader sees the old or the new file, whole. Writing again replaces
it. No file holds an address of a user or anything per user. Numbers of days come from the index, so any past day can be
written again; the value secured is that of the day's last snapshot and cannot be computed later.
"""

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import polars as pl
import polars.selectors as cs
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.settings import ChainSettings
from reminder_worker.statistics.aggregates import SERIES, count_by_day, read_history
from reminder_worker.statistics.dataset import DAY_GIFTS, DAY_LEGACIES, DAY_TOKENS, DAYS, FILES, SNAPSHOTS, TOKENS
from reminder_worker.statistics.day_series import DOLLARS, SCHEMAS, read_series
from reminder_worker.statistics.snapshots import StatisticsSnapshot, find_last_of_each_day

DAY: Final = "day"  # the name of the file of a day
DAY_FILES: Final = (*SCHEMAS, DAY_TOKENS, DAYS)
MOMENT: Final = pl.Datetime("ms", "UTC")


def locate_file(folder: Path, dataset: str, day: date, chain_id: int, name: str) -> Path:
    return folder / dataset / f"day={day.isoformat()}" / f"chain_id={chain_id}" / f"{name}.parquet"


def write_frame(path: Path, frame: pl.DataFrame) -> None:
    """Write a file whole or not at all, with the words of its dataset. Raises `OSError`."""
    words = FILES[path.parents[2].name].make_metadata()
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{uuid4().hex}.new")
    try:
        with beside.open("wb") as file:
            frame.write_parquet(file, metadata=words)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def write_snapshot_files(folder: Path, snapshot: StatisticsSnapshot) -> None:
    day, name = _name_file(snapshot)
    write_frame(
        locate_file(folder, TOKENS, day, snapshot.chain_id, name),
        make_tokens_frame(snapshot.tokens, hour=snapshot.hour),
    )
    write_frame(locate_file(folder, SNAPSHOTS, day, snapshot.chain_id, name), _make_snapshot_frame(snapshot))


def delete_snapshot_files(folder: Path, snapshot: StatisticsSnapshot, today: date) -> None:
    """Delete the files of a snapshot, and of the days after `today` that were written with it."""
    last, name = _name_file(snapshot)
    places = [(dataset, last, name) for dataset in (TOKENS, SNAPSHOTS)]
    for after in range(1, (last - today).days + 1):
        places += [(dataset, today + timedelta(days=after), DAY) for dataset in DAY_FILES]
    for dataset, day, file in places:
        locate_file(folder, dataset, day, snapshot.chain_id, file).unlink(missing_ok=True)


def find_negative_columns(folder: Path, snapshot: StatisticsSnapshot) -> list[str]:
    """Return columns with a number below zero in the files of a snapshot and its day, and unreadable files."""
    day, hour = _name_file(snapshot)
    found = []
    for dataset, name in ((SNAPSHOTS, hour), (TOKENS, hour), *((dataset, DAY) for dataset in DAY_FILES)):
        path = locate_file(folder, dataset, day, snapshot.chain_id, name)
        try:
            frame = pl.read_parquet(path, glob=False, hive_partitioning=False)
        except (OSError, pl.exceptions.PolarsError):
            found.append(f"{path.relative_to(folder)} cannot be read")
            continue
        amounts = cs.by_name("amount", require_all=False)  # text: base units do not fit a number
        is_negative = frame.select((cs.numeric() < 0).any(), amounts.str.starts_with("-").any()).row(0, named=True)
        found += [f"{column} in {path.relative_to(folder)}" for column, negative in is_negative.items() if negative]
    return found


def _name_file(snapshot: StatisticsSnapshot) -> tuple[date, str]:
    return snapshot.day, f"{snapshot.hour.astimezone(UTC):%H}"


def _make_snapshot_frame(snapshot: StatisticsSnapshot) -> pl.DataFrame:
    legacies, timelocks = snapshot.counts["legacies"], snapshot.counts["timelocks"]
    counts = {f"legacies_{state}": legacies[state] for state in ("total", "live", "activated", "deleted")}
    counts |= {f"timelocks_{state}": timelocks[state] for state in ("total", "live", "ended")}
    counts["gifts_total"] = timelocks["gifts"]
    return pl.DataFrame(
        {
            "hour": pl.Series([snapshot.hour], dtype=MOMENT),
            "block_number": pl.Series([snapshot.block_number], dtype=pl.Int64),
            "block_time": pl.Series([datetime.fromtimestamp(snapshot.block_time, UTC)], dtype=MOMENT),
            **{name: pl.Series([count], dtype=pl.Int64) for name, count in counts.items()},
            "value_secured_usd": pl.Series([snapshot.value_secured_usd], dtype=DOLLARS),
        }
    )


def make_tokens_frame(tokens: Sequence[Mapping[str, Any]], **columns: Any) -> pl.DataFrame:
    """Return a row for each token: `units` are whole tokens, rounded; `amount` is exact."""
    rows = [
        {
            **{name: token[name] for name in ("token", "symbol", "decimals", "amount")},
            "units": None if token["decimals"] is None else int(token["amount"]) / 10 ** token["decimals"],
            "usd": None if token["usd"] is None else Decimal(token["usd"]),
        }
        for token in tokens
    ]
    schema = {"token": pl.String, "symbol": pl.String, "decimals": pl.Int16, "amount": pl.String, "units": pl.Float64}
    return pl.DataFrame(rows, schema={**schema, "usd": DOLLARS}).with_columns(
        [pl.lit(value, dtype=MOMENT).alias(name) for name, value in columns.items()]
    )


def list_written_days(folder: Path) -> list[date]:
    """Return the days with a file of any chain, in order."""
    paths = folder.glob(f"{DAYS}/day=*/chain_id=*/{DAY}.parquet")
    return sorted({date.fromisoformat(path.parents[1].name.removeprefix("day=")) for path in paths})


def read_days(folder: Path, chain_id: int, days: Sequence[date]) -> pl.DataFrame:
    """Return the rows of these days whose file can be read, ordered by `day`."""
    frames = []
    for day in sorted(set(days)):
        try:
            frame = pl.read_parquet(locate_file(folder, DAYS, day, chain_id, DAY), glob=False, hive_partitioning=False)
        except (OSError, pl.exceptions.PolarsError):
            continue  # the check of the newest files names those that cannot be read
        frames.append(frame.with_columns(pl.lit(day).alias("day")))
    return pl.concat(frames, how="diagonal") if frames else pl.DataFrame(schema={"day": pl.Date})


async def write_days(
    engine: AsyncEngine, folder: Path, settings: ChainSettings, days: Sequence[date], also: Sequence[date] = ()
) -> pl.DataFrame:
    """Write the files of these days. Return their rows and those of `also`, ordered by `day`."""
    legacies, timelocks = await read_history(engine, settings.chain_id)
    series = count_by_day(legacies, timelocks)
    await write_series(engine, folder, settings, legacies, series, days)
    return select_days(series, [*days, *also])


async def write_series(
    engine: AsyncEngine,
    folder: Path,
    settings: ChainSettings,
    legacies: pl.DataFrame,
    series: pl.DataFrame,
    days: Sequence[date],
    taken: StatisticsSnapshot | None = None,
) -> None:
    """Write the files of these days; `taken` is the newest snapshot, which is not in the table yet.

    `legacies`: the frame of all legacies; `series`: the result of `count_by_day`.
    """
    if not days:
        return
    chain_id = settings.chain_id
    for dataset, frame in (await read_series(engine, settings, legacies, days)).items():
        for day, of_day in _split_days(dataset, frame, days):
            write_frame(locate_file(folder, dataset, day, chain_id, DAY), of_day)
    valued = await find_last_of_each_day(engine, chain_id, min(days), max(days))
    if taken is not None:
        valued[taken.day] = taken
    found = add_values(select_days(series, days), valued)
    for row in found.partition_by("day", maintain_order=True):
        day = row["day"][0]
        path = locate_file(folder, DAY_TOKENS, day, chain_id, DAY)
        write_frame(path, make_tokens_frame(valued[day].tokens if day in valued else []))
        write_frame(locate_file(folder, DAYS, day, chain_id, DAY), row.drop("day"))


def _split_days(dataset: str, frame: pl.DataFrame, days: Sequence[date]) -> list[tuple[date, pl.DataFrame]]:
    """Return the frame of each day; a day without gifts has an empty one, an old day without rows has none."""
    by_day = {key[0]: part for key, part in frame.partition_by("day", include_key=False, as_dict=True).items()}
    empty = frame.clear().drop("day")
    return [(day, by_day.get(day, empty)) for day in days if day in by_day or dataset == DAY_GIFTS]


def select_days(series: pl.DataFrame, days: Sequence[date]) -> pl.DataFrame:
    """Return a row for each day; days missing in `series` (of `count_by_day`) had no events."""
    calendar = pl.DataFrame({"day": sorted(set(days))}, schema={"day": pl.Date})
    totals = [f"total_{name}" for name in SERIES]
    happened = calendar.join(series.select("day", *SERIES), on="day", how="left", maintain_order="left")
    until = calendar.join_asof(series.select("day", *totals), on="day", strategy="backward")
    return happened.hstack(until.select(totals)).with_columns(pl.col(*SERIES, *totals).fill_null(0))


def add_values(found: pl.DataFrame, valued: dict[date, StatisticsSnapshot]) -> pl.DataFrame:
    """Add the value secured, by the last snapshot of each day; empty without a snapshot."""
    snapshots = [valued.get(day) for day in found["day"]]
    return found.with_columns(
        pl.Series("value_secured_usd", [each and each.value_secured_usd for each in snapshots], dtype=DOLLARS),
        pl.Series("value_block_number", [each and each.block_number for each in snapshots], dtype=pl.Int64),
    )


def find_days_to_write(
    folder: Path, chain_id: int, series: pl.DataFrame, last_run: date | None, today: date
) -> list[date]:
    """Return days without a final file: from the last run on, yesterday at least, and days without a file."""
    first = series["day"][0] if len(series) else today
    fresh = min(last_run or first, today - timedelta(days=1))
    days = (first + timedelta(days=back) for back in range((today - first).days + 1))
    known = (DAYS, DAY_LEGACIES, DAY_GIFTS)  # emails and relays of old days are not known
    return [
        day
        for day in days
        if day >= fresh or not all(locate_file(folder, dataset, day, chain_id, DAY).exists() for dataset in known)
    ]
