"""Descriptions of the Parquet files: the one source of docs/data.md, of their metadata and of the columns in Dagster.

`python -m reminder_worker.statistics.dataset` writes docs/data.md. Its part on tables comes from their comments.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

SNAPSHOTS, TOKENS, DAYS, DAY_TOKENS = "snapshots", "snapshot_tokens", "days", "day_tokens"
DAY_EMAILS, DAY_RELAYS, DAY_LEGACIES, DAY_GIFTS = "day_emails", "day_relays", "day_legacies", "day_gifts"


@dataclass(frozen=True, slots=True)
class ColumnWords:
    """Type (as Parquet readers show it), unit and meaning of a column."""

    type: str
    unit: str
    text: str


@dataclass(frozen=True, slots=True)
class FileWords:
    """A kind of file. `row`: what a row stands for. `changes`: how late the file may change."""

    name: str
    row: str
    changes: str
    columns: Mapping[str, ColumnWords]

    def make_metadata(self) -> dict[str, str]:
        """Return the metadata of a file: `about`, and a sentence by the name of each column."""
        columns = {name: f"{words.text} Unit: {words.unit}." for name, words in self.columns.items()}
        return {"about": f"A row for each {self.row}. {self.changes}", **columns}


def _describe_files() -> dict[str, FileWords]:
    value = (
        "Value of what live legacies and live timelocks secure, in tokens with a price feed. NFTs and tokens without a "
        "feed do not count. "
    )
    tokens = {
        "token": ColumnWords("string", "address or `ETH`", "The token's contract in lower case, or `ETH` for ether."),
        "symbol": ColumnWords("string", "text", "The token's own symbol; null if it may not be shown."),
        "decimals": ColumnWords(
            "int16", "digits", "Base units of a token are 10^-decimals; null if the token says none."
        ),
        "amount": ColumnWords("string", "base units", "Exact amount secured, as text: it does not fit a number."),
        "units": ColumnWords("double", "whole tokens", "The amount, rounded; null without decimals."),
        "usd": ColumnWords(
            "decimal(38,2)",
            "US dollars",
            "Value of the amount. Null without a price feed, a fresh price or decimals: a sum then says too little.",
        ),
    }
    day_changes = (
        "The files of today and yesterday are written again each hour: a day is final 24 hours after its end. After a "
        "pause of the service the days of the pause are written, too. An operator may write an older day anew."
    )
    files = (
        *_describe_hours(tokens, value),
        *_describe_days(day_changes, tokens, value),
        *_describe_service_days(day_changes),
        *_describe_chain_days(day_changes),
    )
    return {file.name: file for file in files}


def _describe_hours(tokens: Mapping[str, ColumnWords], value: str) -> tuple[FileWords, ...]:
    hour = ColumnWords("timestamp[ms, UTC]", "start of an hour", "The hour (UTC) of the block that was read.")
    hour_changes = (
        "The file is replaced within its hour if a missing price comes. "
        "It is replaced or deleted later if its block left the chain."
    )
    return (
        FileWords(
            SNAPSHOTS,
            "chain and hour",
            hour_changes,
            {
                "hour": hour,
                "block_number": ColumnWords(
                    "int64", "block", "The block of the counts. Owners were read in the day before."
                ),
                "block_time": ColumnWords("timestamp[ms, UTC]", "moment", "The time of that block."),
                "legacies_total": ColumnWords("int64", "legacies", "Legacies ever created, of accounts and Safes."),
                "legacies_live": ColumnWords("int64", "legacies", "Neither claimed nor deleted: these secure value."),
                "legacies_activated": ColumnWords("int64", "legacies", "Claimed at least once, and not deleted."),
                "legacies_deleted": ColumnWords("int64", "legacies", "Deleted, Safe legacies included."),
                "timelocks_total": ColumnWords("int64", "timelocks", "Timelocks ever created, gifts included."),
                "timelocks_live": ColumnWords("int64", "timelocks", "Timelocks that still hold something."),
                "timelocks_ended": ColumnWords("int64", "timelocks", "Timelocks paid out in full."),
                "gifts_total": ColumnWords("int64", "gifts", "Timelocks of the gift type ever created."),
                "value_secured_usd": ColumnWords(
                    "decimal(38,2)",
                    "US dollars",
                    value + "Null if a needed price is not fresh, or an owner was not read for two days.",
                ),
            },
        ),
        FileWords(TOKENS, "chain, hour and token with an amount", hour_changes, {**tokens, "hour": hour}),
    )


def _describe_days(day_changes: str, tokens: Mapping[str, ColumnWords], value: str) -> tuple[FileWords, ...]:
    series = {
        "legacies_created": "Legacies created",
        "legacies_activated": "Legacies claimed for the first time (deleted later or not)",
        "legacies_deleted": "Legacies deleted, without Safe legacies (no event tells of their deletion)",
        "timelocks_sealed": "Timelocks created, gifts included",
        "gifts_sealed": "Timelocks of the gift type created",
        "timelocks_withdrawn": "Timelocks paid out in full",
    }
    happened, totals = {}, {}
    for name, text in series.items():
        unit = name.partition("_")[0]
        happened[name] = ColumnWords("int64", unit, f"{text}, on that day.")
        totals[f"total_{name}"] = ColumnWords("int64", unit, f"{text}, until the end of that day.")
    return (
        FileWords(
            DAYS,
            "chain and day (UTC, by block time)",
            day_changes,
            {
                **happened,
                **totals,
                "value_secured_usd": ColumnWords(
                    "decimal(38,2)",
                    "US dollars",
                    value + "By the day's last snapshot; null without one or its value.",
                ),
                "value_block_number": ColumnWords("int64", "block", "The block of that snapshot; null without one."),
            },
        ),
        FileWords(
            DAY_TOKENS,
            "chain, day and token with an amount, by the day's last snapshot",
            day_changes + " Without a snapshot the file has no row.",
            tokens,
        ),
    )


def _describe_service_days(day_changes: str) -> tuple[FileWords, ...]:
    changes = day_changes + " After 60 days it does not change at all: older rows are deleted from the database."
    return (
        FileWords(
            DAY_EMAILS,
            "chain, day (UTC, by the service's clock) and kind of email to people, also without an email",
            changes,
            {
                "kind": ColumnWords("string", "kind", "The kind of email, by the name of its template."),
                "sent": ColumnWords(
                    "int64",
                    "emails",
                    "Emails accepted by the mail service on the day. Null if they went to fewer than five people, "
                    "or to nobody: a small number could tell who is written to. Null is not zero. A sum over kinds is "
                    "a lower bound.",
                ),
            },
        ),
        FileWords(
            DAY_RELAYS,
            "chain, day (UTC, by the service's clock) and lane, also without a transaction",
            changes + " A transaction counts on the day its request ended, once it is final.",
            {
                "lane": ColumnWords(
                    "string",
                    "lane",
                    "`claim`, `check_in` and `gift_withdraw` are asked for by users. `auto_renew` are renewals of "
                    "timers by the service.",
                ),
                "transactions": ColumnWords("int64", "transactions", "Final transactions that the service paid for."),
                "failed": ColumnWords("int64", "transactions", "Final transactions whose call failed on chain."),
                "gas_used": ColumnWords("int64", "gas", "Gas of all; null if an older release did not record it."),
                "spent_wei": ColumnWords("string", "wei", "Exact cost of all, as text: it does not fit a number."),
                "ether": ColumnWords("double", "ether", "The cost, rounded."),
                "usd": ColumnWords(
                    "decimal(38,2)",
                    "US dollars",
                    "The cost at the price of ether when each request ended; null without a fresh price for each.",
                ),
            },
        ),
    )


def _describe_chain_days(day_changes: str) -> tuple[FileWords, ...]:
    return (
        FileWords(
            DAY_LEGACIES,
            "chain, day (UTC, by block time), type of legacy and state",
            day_changes,
            {
                "legacy_type": ColumnWords("string", "type", "`account` for plain accounts, `safe` for Safes."),
                "state": ColumnWords(
                    "string",
                    "state",
                    "`live`: neither claimed nor deleted; `activated`: claimed at least once, and not deleted; "
                    "`deleted`: deleted by an event. No event tells of a Safe legacy's deletion: it stays `live` here. "
                    "In `snapshots` it counts as deleted.",
                ),
                "legacies": ColumnWords(
                    "int64", "legacies", "Number of legacies at the end of the day; of today, so far."
                ),
            },
        ),
        FileWords(
            DAY_GIFTS,
            "chain, day (UTC, by block time), token and horizon with a gift",
            day_changes + " Without a gift the file has no row.",
            {
                "token": ColumnWords(
                    "string",
                    "address",
                    "The gift's only token in lower case, if it has a price feed; `other` for all other gifts. Gifts "
                    "of ether hold WETH.",
                ),
                "horizon": ColumnWords(
                    "string",
                    "time",
                    "Time from sealing to opening, each from the bound before it: `under_30_days`, `under_1_year` (365 "
                    "days), `under_5_years`, `5_years_or_more`.",
                ),
                "gifts": ColumnWords(
                    "int64", "gifts", "Gifts sealed on that day. How a recipient comes to the gift is not recorded."
                ),
            },
        ),
    )


FILES: Final = _describe_files()
PARTITIONS: Final = {
    "day": ColumnWords("date", "UTC day", "The day, by block time; from the path."),
    "chain_id": ColumnWords("int64", "chain id", "The chain (1: Ethereum mainnet); from the path."),
}

_HEAD: Final = """# The data

Generated by `python -m reminder_worker.statistics.dataset`; change the descriptions there. What counts as secured, and
how to read the files: [statistics.md](statistics.md).

The files are Parquet, below `STATISTICS_FOLDER`. They hold aggregates only: no address of a user, nothing per user.
What the chain shows to everybody is counted as it is. What only the service knows (emails) is hidden below five people.
The path holds two columns more, `day=<day>/chain_id=<chain>`. Each file has the descriptions of its own columns in its
metadata, by column, and `"about"` for the whole file: `polars.read_parquet_metadata(path)["about"]`.

## Reading and joining

```python
from pathlib import Path

import polars as pl


def read(dataset):
    files = sorted(Path("statistics", dataset).glob("**/*.parquet"), reverse=True)  # the newest has all columns
    return pl.scan_parquet(files, hive_partitioning=True, missing_columns="insert", extra_columns="ignore").collect()


days, tokens = read("days"), read("day_tokens")  # day and chain_id come from the path
both = days.join(tokens, on=["day", "chain_id"], how="left")  # repeats the day's values for each token
```

A file from before a column was added lacks it; the asset `statistics_days` writes a day again. Hourly files have `hour`
as a key, too. `days.value_block_number` is the `block_number` of a row of `snapshots`, with
its time. A sum skips nulls: count them before. [A notebook](examples/questions.ipynb) answers three questions.
"""

_TABLES: Final = """## Tables for analysts

These tables of PostgreSQL hold public facts and aggregates only. Every other table is for the service alone: a role for
analysts gets `usage` on the schema `worker` and `select` on these three. Every table and column has its description as
a comment: `\\d+ worker.statistics` in psql shows it.
"""


def make_page() -> str:
    """Return docs/data.md."""
    parts = [_HEAD, "## Partitions of every file\n", _make_table(PARTITIONS)]
    for file in FILES.values():
        name = "<hour>" if file.name in (SNAPSHOTS, TOKENS) else "day"
        parts += [f"## {file.name}\n", f"`{file.name}/day=<day>/chain_id=<chain>/{name}.parquet`\n"]
        parts += [f"A row for each {file.row}. {file.changes}\n", _make_table(file.columns)]
    return "\n".join([*parts, *_describe_tables()])


def _describe_tables() -> list[str]:
    from sqlalchemy.dialects import postgresql  # for this page only

    from reminder_worker.statistics.tables import price, price_feed, statistics

    dialect = postgresql.dialect()  # type: ignore[no-untyped-call]
    parts = [_TABLES]
    for table in (statistics, price, price_feed):
        rows = [
            f"| `{column.name}` | {column.type.compile(dialect).lower()} | {column.comment} |"
            for column in table.columns
        ]
        head = [f"### worker.{table.name}\n", f"{table.comment}.\n", "| column | type | what it is |", "|---|---|---|"]
        parts += [*head, *rows, ""]
    return parts


def _make_table(columns: Mapping[str, ColumnWords]) -> str:
    rows = [f"| `{name}` | {words.type} | {words.unit} | {words.text} |" for name, words in columns.items()]
    return "\n".join(["| column | type | unit | what it is |", "|---|---|---|---|", *rows, ""])


if __name__ == "__main__":
    (Path(__file__).parents[2] / "docs" / "data.md").write_text(make_page(), "utf-8")
