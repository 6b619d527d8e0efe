"""Reads the statistics' Parquet files with Polars: `python docs/examples/statistics.py [folder]`.

Needs nothing of reminder-worker, only `polars`; `folder` is what STATISTICS_FOLDER says, `statistics` by default.
"""

import sys
from pathlib import Path

import polars as pl


def read(folder: Path, dataset: str) -> pl.LazyFrame:
    """A dataset with its partitions, `day` and `chain_id`, as columns.

    The newest file is first and says which columns there are: a file from before a column was added has null there.
    """
    files = sorted((folder / dataset).glob("**/*.parquet"), reverse=True)
    if not files:
        sys.exit(f"{folder / dataset} has no file: is it below STATISTICS_FOLDER, and is the first hour over?")
    return pl.scan_parquet(files, hive_partitioning=True, missing_columns="insert", extra_columns="ignore")


def last_days(folder: Path, days: int) -> pl.DataFrame:
    """Return the events of each day and chain, newest first; an unknown value is null.

    Chains are not added up: assets on a test chain are worth nothing and have no price feed.
    """
    happened = ("legacies_created", "legacies_activated", "gifts_sealed", "timelocks_withdrawn")
    by_day = read(folder, "days").select("day", "chain_id", *happened, "value_secured_usd")
    lately = by_day.filter(pl.col("day") > pl.col("day").max() - pl.duration(days=days))
    return lately.sort("day", "chain_id", descending=[True, False]).collect()


def secured_now(folder: Path) -> pl.DataFrame:
    """Return the secured amount of each token in the newest snapshot of each chain, most valuable first."""
    newest = read(folder, "snapshots").group_by("chain_id").agg(pl.col("hour").max())
    held = read(folder, "snapshot_tokens").join(newest, on=["chain_id", "hour"])
    return held.select("chain_id", "symbol", "units", "usd").sort("usd", descending=True, nulls_last=True).collect()


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "statistics")
    pl.Config.set_tbl_width_chars(140)  # the names of columns in one line
    pl.Config.set_tbl_rows(-1)  # all of them
    sys.stdout.write(f"The last seven days\n{last_days(folder, 7)}\n")
    sys.stdout.write(f"Secured by the newest snapshots\n{secured_now(folder)}\n")


if __name__ == "__main__":
    main()
