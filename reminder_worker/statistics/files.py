"""Parquet for analysts: `<folder>/<dataset>/day=<day>/chain_id=<chain>/<name>.parquet`.

A file is written beside its place and renamed into it, so that a reader sees the old one or the new one, whole, and
writing anew replaces. No address of a user, nothing per user, is ever in one.
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

from reminder_worker.statistics.store import Snapshot

Schema = dict[str, Any]  # of Polars types by column
SNAPSHOTS, TOKENS, DAYS, DAY_TOKENS = "snapshots", "snapshot_tokens", "days", "day_tokens"
DAY: Final = "day"  # the name of the file of a day
DOLLARS: Final = pl.Decimal(38, 2)
_MOMENT: Final = pl.Datetime("ms", "UTC")
COUNTS: Final = {
    "legacies_total": ("legacies", "total"),
    "legacies_live": ("legacies", "live"),
    "legacies_activated": ("legacies", "activated"),
    "legacies_deleted": ("legacies", "deleted"),
    "timelocks_total": ("timelocks", "total"),
    "timelocks_live": ("timelocks", "live"),
    "timelocks_ended": ("timelocks", "ended"),
    "gifts_total": ("timelocks", "gifts"),
}
SNAPSHOT: Final[Schema] = {
    "hour": _MOMENT,
    "block_number": pl.Int64,
    "block_time": _MOMENT,
    **dict.fromkeys(COUNTS, pl.Int64),
    "value_secured_usd": DOLLARS,
}
TOKEN: Final[Schema] = {
    "token": pl.String,
    "symbol": pl.String,
    "decimals": pl.Int16,
    "amount": pl.String,
    "units": pl.Float64,
    "usd": DOLLARS,
}


def place(folder: Path, dataset: str, day: date, chain_id: int, name: str) -> Path:
    return folder / dataset / f"day={day.isoformat()}" / f"chain_id={chain_id}" / f"{name}.parquet"


def write(path: Path, frame: pl.DataFrame) -> None:
    """Whole or not at all. Raises `OSError`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{uuid4().hex}.new")
    try:
        with beside.open("wb") as file:
            frame.write_parquet(file)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def write_snapshot(folder: Path, snapshot: Snapshot) -> None:
    day, name = _day_and_file(snapshot)
    write(place(folder, TOKENS, day, snapshot.chain_id, name), tokens_frame(snapshot.tokens, hour=snapshot.hour))
    write(place(folder, SNAPSHOTS, day, snapshot.chain_id, name), _snapshot_frame(snapshot))


def forget_snapshot(folder: Path, snapshot: Snapshot, today: date) -> None:
    """And the days after `today` that were written with it."""
    last, name = _day_and_file(snapshot)
    places = [(dataset, last, name) for dataset in (TOKENS, SNAPSHOTS)]
    for after in range(1, (last - today).days + 1):
        places += [(dataset, today + timedelta(days=after), DAY) for dataset in (DAY_TOKENS, DAYS)]
    for dataset, day, file in places:
        place(folder, dataset, day, snapshot.chain_id, file).unlink(missing_ok=True)


def below_zero(folder: Path, snapshot: Snapshot) -> list[str]:
    """Which columns of its files and of its day's hold a number below zero; files that cannot be read whole."""
    day, hour = _day_and_file(snapshot)
    found = []
    for dataset, name in ((SNAPSHOTS, hour), (TOKENS, hour), (DAYS, DAY), (DAY_TOKENS, DAY)):
        path = place(folder, dataset, day, snapshot.chain_id, name)
        try:
            frame = pl.read_parquet(path, glob=False, hive_partitioning=False)
        except (OSError, pl.exceptions.PolarsError):
            found.append(f"{path.relative_to(folder)} cannot be read")
            continue
        amounts = cs.by_name("amount", require_all=False)  # text: base units do not fit a number
        is_negative = frame.select((cs.numeric() < 0).any(), amounts.str.starts_with("-").any()).row(0, named=True)
        found += [f"{column} in {path.relative_to(folder)}" for column, negative in is_negative.items() if negative]
    return found


def _day_and_file(snapshot: Snapshot) -> tuple[date, str]:
    return snapshot.day, f"{snapshot.hour.astimezone(UTC):%H}"


def _snapshot_frame(snapshot: Snapshot) -> pl.DataFrame:
    row = {
        "hour": snapshot.hour,
        "block_number": snapshot.block_number,
        "block_time": datetime.fromtimestamp(snapshot.block_time, UTC),
        **{name: snapshot.counts[group][key] for name, (group, key) in COUNTS.items()},
        "value_secured_usd": snapshot.value_secured_usd,
    }
    return pl.DataFrame([row], schema=SNAPSHOT)


def tokens_frame(tokens: Sequence[Mapping[str, Any]], **also: Any) -> pl.DataFrame:
    """`units`: whole tokens, rounded; `amount` is exact."""
    rows = [
        {
            **{name: token[name] for name in ("token", "symbol", "decimals", "amount")},
            "units": None if token["decimals"] is None else int(token["amount"]) / 10 ** token["decimals"],
            "usd": None if token["usd"] is None else Decimal(token["usd"]),
        }
        for token in tokens
    ]
    return pl.DataFrame(rows, schema=TOKEN).with_columns(
        [pl.lit(value, dtype=_MOMENT).alias(name) for name, value in also.items()]
    )
