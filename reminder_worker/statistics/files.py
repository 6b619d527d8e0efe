"""Parquet files for analysts: `<folder>/<dataset>/day=<day>/chain_id=<chain>/<name>.parquet`.

A reader sees the old or the new file, whole (`file_store`). Writing again replaces it. No file holds an address of a
user or anything per user. Numbers of days come from the index, so any past day can be written again; the value secured
is that of the day's last snapshot and cannot be computed later.
"""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from io import BytesIO
from typing import Any, Final

import polars as pl
import polars.selectors as cs
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.settings import ChainSettings
from reminder_worker.statistics.aggregates import SERIES, count_by_day, read_history
from reminder_worker.statistics.dataset import DAY_GIFTS, DAY_LEGACIES, DAY_TOKENS, DAYS, FILES, SNAPSHOTS, TOKENS
from reminder_worker.statistics.day_series import DOLLARS, SCHEMAS, read_series
from reminder_worker.statistics.file_store import FileStore
from reminder_worker.statistics.snapshots import StatisticsSnapshot, find_last_of_each_day

DAY: Final = "day"  # the name of the file of a day
DAY_FILES: Final = (*SCHEMAS, DAY_TOKENS, DAYS)
MOMENT: Final = pl.Datetime("ms", "UTC")


def name_file(dataset: str, day: date, chain_id: int, name: str) -> str:
    return f"{dataset}/day={day.isoformat()}/chain_id={chain_id}/{name}.parquet"


def write_frame(store: FileStore, name: str, frame: pl.DataFrame) -> None:
    """Write a file whole or not at all, with the words of its dataset. Raises `OSError`."""
    content = BytesIO()
    frame.write_parquet(content, metadata=FILES[name.partition("/")[0]].make_metadata())
    store.write(name, content.getvalue())


def _read_frame(store: FileStore, name: str) -> pl.DataFrame:
    return pl.read_parquet(BytesIO(store.read(name)), hive_partitioning=False)


def write_snapshot_files(store: FileStore, snapshot: StatisticsSnapshot) -> None:
    day, name = _name_snapshot(snapshot)
    tokens = make_tokens_frame(snapshot.tokens, hour=snapshot.hour)
    write_frame(store, name_file(TOKENS, day, snapshot.chain_id, name), tokens)
    write_frame(store, name_file(SNAPSHOTS, day, snapshot.chain_id, name), _make_snapshot_frame(snapshot))


def delete_snapshot_files(store: FileStore, snapshot: StatisticsSnapshot, today: date) -> None:
    """Delete the files of a snapshot, and of the days after `today` that were written with it."""
    last, name = _name_snapshot(snapshot)
    places = [(dataset, last, name) for dataset in (TOKENS, SNAPSHOTS)]
    for after in range(1, (last - today).days + 1):
        places += [(dataset, today + timedelta(days=after), DAY) for dataset in DAY_FILES]
    for dataset, day, file in places:
        store.delete(name_file(dataset, day, snapshot.chain_id, file))


def find_negative_columns(store: FileStore, snapshot: StatisticsSnapshot) -> list[str]:
    """Return columns with a number below zero in the files of a snapshot and its day, and unreadable files."""
    day, hour = _name_snapshot(snapshot)
    found = []
    for dataset, name in ((SNAPSHOTS, hour), (TOKENS, hour), *((dataset, DAY) for dataset in DAY_FILES)):
        path = name_file(dataset, day, snapshot.chain_id, name)
        try:
            frame = _read_frame(store, path)
        except (OSError, pl.exceptions.PolarsError):
            found.append(f"{path} cannot be read")
            continue
        amounts = cs.by_name("amount", require_all=False)  # text: base units do not fit a number
        is_negative = frame.select((cs.numeric() < 0).any(), amounts.str.starts_with("-").any()).row(0, named=True)
        found += [f"{column} in {path}" for column, negative in is_negative.items() if negative]
    return found


def _name_snapshot(snapshot: StatisticsSnapshot) -> tuple[date, str]:
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
    rows = []
    for token in tokens:
        row = {name: token[name] for name in ("token", "symbol", "decimals", "amount")}
        row["units"] = None if token["decimals"] is None else int(token["amount"]) / 10 ** token["decimals"]
        row["usd"] = None if token["usd"] is None else Decimal(token["usd"])
        rows.append(row)
    schema = {"token": pl.String, "symbol": pl.String, "decimals": pl.Int16, "amount": pl.String, "units": pl.Float64}
    return pl.DataFrame(rows, schema={**schema, "usd": DOLLARS}).with_columns(
        [pl.lit(value, dtype=MOMENT).alias(name) for name, value in columns.items()]
    )


def list_written_days(store: FileStore) -> list[date]:
    """Return the days with a file of any chain, in order."""
    names = (name.split("/") for name in store.list(DAYS) if name.endswith(f"/{DAY}.parquet"))
    return sorted({date.fromisoformat(parts[1].removeprefix("day=")) for parts in names})


def read_days(store: FileStore, chain_id: int, days: Sequence[date]) -> pl.DataFrame:
    """Return the rows of these days whose file can be read, ordered by `day`."""
    frames = []
    for day in sorted(set(days)):
        try:
            frame = _read_frame(store, name_file(DAYS, day, chain_id, DAY))
        except (OSError, pl.exceptions.PolarsError):
            continue  # the check of the newest files names those that cannot be read
        frames.append(frame.with_columns(pl.lit(day).alias("day")))
    return pl.concat(frames, how="diagonal") if frames else pl.DataFrame(schema={"day": pl.Date})


async def write_days(
    engine: AsyncEngine, store: FileStore, settings: ChainSettings, days: Sequence[date], also: Sequence[date] = ()
) -> pl.DataFrame:
    """Write the files of these days. Return their rows and those of `also`, ordered by `day`."""
    legacies, timelocks = await read_history(engine, settings.chain_id)
    series = count_by_day(legacies, timelocks)
    await write_series(engine, store, settings, legacies, series, days)
    return select_days(series, [*days, *also])


async def write_series(
    engine: AsyncEngine,
    store: FileStore,
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
    frames: list[tuple[str, pl.DataFrame]] = []
    for dataset, frame in (await read_series(engine, settings, legacies, days)).items():
        for day, of_day in _split_days(dataset, frame, days):
            frames.append((name_file(dataset, day, chain_id, DAY), of_day))
    valued = await find_last_of_each_day(engine, chain_id, min(days), max(days))
    if taken is not None:
        valued[taken.day] = taken
    found = add_values(select_days(series, days), valued)
    for row in found.partition_by("day", maintain_order=True):
        day = row["day"][0]
        tokens = make_tokens_frame(valued[day].tokens if day in valued else [])
        frames += [(name_file(DAY_TOKENS, day, chain_id, DAY), tokens)]
        frames += [(name_file(DAYS, day, chain_id, DAY), row.drop("day"))]
    await asyncio.to_thread(_write_frames, store, frames)


def _write_frames(store: FileStore, frames: Sequence[tuple[str, pl.DataFrame]]) -> None:
    for name, frame in frames:
        write_frame(store, name, frame)


def _split_days(dataset: str, frame: pl.DataFrame, days: Sequence[date]) -> list[tuple[date, pl.DataFrame]]:
    """Return the frame of each day; a day without gifts has an empty one, an old day without rows has none."""
    by_day = {key[0]: part for key, part in frame.partition_by("day", include_key=False, as_dict=True).items()}
    if dataset == DAY_GIFTS:
        by_day = dict.fromkeys(days, frame.clear().drop("day")) | by_day
    return [(day, by_day[day]) for day in days if day in by_day]


def select_days(series: pl.DataFrame, days: Sequence[date]) -> pl.DataFrame:
    """Return a row for each day; days missing in `series` (of `count_by_day`) had no events."""
    calendar = pl.DataFrame({"day": sorted(set(days))}, schema={"day": pl.Date})
    totals = [f"total_{name}" for name in SERIES]
    happened = calendar.join(series.select("day", *SERIES), on="day", how="left", maintain_order="left")
    until = calendar.join_asof(series.select("day", *totals), on="day", strategy="backward")
    return happened.hstack(until.select(totals)).with_columns(pl.col(*SERIES, *totals).fill_null(0))


def add_values(found: pl.DataFrame, valued: dict[date, StatisticsSnapshot]) -> pl.DataFrame:
    """Add the value secured, by the last snapshot of each day; empty without a snapshot."""
    values, blocks = list[Any](), list[Any]()
    for day in found["day"]:
        snapshot = valued.get(day)
        values.append(snapshot and snapshot.value_secured_usd)
        blocks.append(snapshot and snapshot.block_number)
    return found.with_columns(
        pl.Series("value_secured_usd", values, dtype=DOLLARS), pl.Series("value_block_number", blocks, dtype=pl.Int64)
    )


def find_days_to_write(
    store: FileStore, chain_id: int, series: pl.DataFrame, last_run: date | None, today: date
) -> list[date]:
    """Return days without a final file: from the last run on, yesterday at least, and days without a file."""
    first = series["day"][0] if len(series) else today
    fresh = min(last_run or first, today - timedelta(days=1))
    known = (DAYS, DAY_LEGACIES, DAY_GIFTS)  # emails and relays of old days are not known
    written = set().union(*(store.list(dataset) for dataset in known))
    found = []
    for back in range((today - first).days + 1):
        day = first + timedelta(days=back)
        if day >= fresh or not written.issuperset(name_file(dataset, day, chain_id, DAY) for dataset in known):
            found.append(day)
    return found
