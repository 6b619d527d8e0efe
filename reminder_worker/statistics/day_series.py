"""Series by day beside those of the file `days`: emails by kind, relays by lane, legacies by state, gifts by horizon.

Each is one statement for a range of days, or comes from rows that were read already. Emails are known to the service
alone, so small numbers of people are hidden (`hide_few`). The other series are public facts of the chain.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from itertools import product
from typing import Any, Final

import polars as pl
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.indexer.models import EOA, SAFE
from reminder_worker.outbox.messages import GiftKind, ReminderKind
from reminder_worker.relay.models import RelayLane
from reminder_worker.settings import ChainSettings
from reminder_worker.statistics.dataset import DAY_EMAILS, DAY_GIFTS, DAY_LEGACIES, DAY_RELAYS
from reminder_worker.statistics.prices import ETHER, GRACE_SECONDS
from reminder_worker.statistics.tables import sql

FEWEST_PEOPLE: Final = 5
KEPT_DAYS: Final = 60
"""Emails and relays of later days only are written: retention deletes rows of both after 90 days."""
DOLLARS: Final = pl.Decimal(38, 2)
LEGACY_TYPES: Final = {EOA: "account", SAFE: "safe"}
SCHEMAS: Final[Mapping[str, Mapping[str, Any]]] = {
    DAY_EMAILS: {"day": pl.Date, "kind": pl.String, "sent": pl.Int64},
    DAY_RELAYS: {
        "day": pl.Date,
        "lane": pl.String,
        "transactions": pl.Int64,
        "failed": pl.Int64,
        "gas_used": pl.Int64,
        "spent_wei": pl.String,
        "ether": pl.Float64,
        "usd": DOLLARS,
    },
    DAY_LEGACIES: {"day": pl.Date, "legacy_type": pl.String, "state": pl.String, "legacies": pl.Int64},
    DAY_GIFTS: {"day": pl.Date, "token": pl.String, "horizon": pl.String, "gifts": pl.Int64},
}
"""Columns of each series; `day` becomes the partition."""


def hide_few(figure: int, people: int) -> int | None:
    """Return the figure, or None if fewer than five people are behind it, also if there is nobody.

    A zero is hidden, too: otherwise None would tell that somebody of few was written to.
    """
    return figure if people >= FEWEST_PEOPLE else None


async def read_series(
    engine: AsyncEngine, settings: ChainSettings, legacies: pl.DataFrame, days: Sequence[date]
) -> dict[str, pl.DataFrame]:
    """Return each series of these days, by dataset. `legacies`: the frame of all legacies.

    Days too old for emails and relays are missing in both.
    """
    first_kept = datetime.now(UTC).date() - timedelta(days=KEPT_DAYS)
    kept = [day for day in days if day >= first_kept]
    async with engine.connect() as connection:
        return {
            DAY_EMAILS: await _read_emails(connection, settings.chain_id, kept),
            DAY_RELAYS: await _read_relays(connection, settings, kept),
            DAY_GIFTS: await _read_gifts(connection, settings, days),
            DAY_LEGACIES: count_states(legacies, days),
        }


def make_emails_frame(found: Mapping[tuple[date, str], tuple[int, int]], days: Sequence[date]) -> pl.DataFrame:
    """Return a row for each day and kind. `found`: emails sent, and people they went to."""
    kinds = [*ReminderKind, *GiftKind]
    rows = [(day, kind.value, hide_few(*found.get((day, kind.value), (0, 0)))) for day, kind in product(days, kinds)]
    return pl.DataFrame(rows, schema=dict(SCHEMAS[DAY_EMAILS]), orient="row")


async def _read_emails(connection: AsyncConnection, chain_id: int, days: Sequence[date]) -> pl.DataFrame:
    rows = await connection.execute(sql["day_emails"], {"chain": chain_id, **_find_range(days)})
    return make_emails_frame({(row.day, row.kind): (row.sent, row.people) for row in rows}, days)


async def _read_relays(connection: AsyncConnection, settings: ChainSettings, days: Sequence[date]) -> pl.DataFrame:
    feed = next((feed for feed in settings.price_feeds if feed.token == ETHER), None)
    given = {
        "chain": settings.chain_id,
        "feed": feed and feed.series,
        "fresh": feed and feed.heartbeat_seconds + GRACE_SECONDS,
        **_find_range(days),
    }
    found = {(row.day, row.lane): row for row in await connection.execute(sql["day_relays"], given)}
    rows = []
    for day, lane in product(days, RelayLane):
        row = found.get((day, lane.value))
        if row is None:
            rows.append((day, lane.value, 0, 0, 0, "0", 0.0, Decimal(0)))
            continue
        wei, usd = int(row.spent_wei), row.usd and row.usd.quantize(Decimal("0.01"))
        rows.append((day, lane.value, row.transactions, row.failed, row.gas_used, str(wei), wei / 10**18, usd))
    return pl.DataFrame(rows, schema=dict(SCHEMAS[DAY_RELAYS]), orient="row")


async def _read_gifts(connection: AsyncConnection, settings: ChainSettings, days: Sequence[date]) -> pl.DataFrame:
    given = {
        "chain": settings.chain_id,
        "vault": settings.timelock_erc20,
        "tokens": sorted(feed.token for feed in settings.price_feeds),
        **_find_range(days),
    }
    rows = [tuple(row) for row in await connection.execute(sql["day_gifts"], given) if row.day in set(days)]
    return pl.DataFrame(rows, schema=dict(SCHEMAS[DAY_GIFTS]), orient="row")


def count_states(legacies: pl.DataFrame, days: Sequence[date]) -> pl.DataFrame:
    """Return a row for each day, type and state: the number of legacies in that state at the end of the day."""
    deleted = pl.col("deleted_at")
    activated = pl.when(deleted.is_null() | (pl.col("activated_at") <= deleted)).then(pl.col("activated_at"))
    claimed = legacies.with_columns(activated_at=activated)
    moments = {
        "created": claimed.select("legacy_type", at="created_at"),
        "claimed": claimed.select("legacy_type", at="activated_at"),
        "deleted": claimed.select("legacy_type", at="deleted_at"),
        "both": claimed.filter(pl.col("activated_at").is_not_null()).select("legacy_type", at="deleted_at"),
    }
    happened = pl.concat([frame.with_columns(what=pl.lit(name)) for name, frame in moments.items()]).drop_nulls("at")
    counts = (
        happened.group_by(day=(pl.col("at") // 86_400).cast(pl.Int32).cast(pl.Date), legacy_type="legacy_type")
        .agg([(pl.col("what") == name).sum().cast(pl.Int64).alias(name) for name in moments])
        .sort("day")
        .with_columns([pl.col(name).cum_sum().over("legacy_type") for name in moments])
    )
    asked = pl.DataFrame(
        list(product(sorted(set(days)), LEGACY_TYPES)), schema={"day": pl.Date, "legacy_type": pl.Int16}, orient="row"
    )
    until = asked.join_asof(counts, on="day", by="legacy_type", check_sortedness=False).fill_null(0)
    return (
        until.select(
            "day",
            pl.col("legacy_type").replace_strict(LEGACY_TYPES, return_dtype=pl.String),
            live=pl.col("created") - pl.col("claimed") - pl.col("deleted") + pl.col("both"),
            activated=pl.col("claimed") - pl.col("both"),
            deleted=pl.col("deleted"),
        )
        .unpivot(
            ["live", "activated", "deleted"], index=["day", "legacy_type"], variable_name="state", value_name="legacies"
        )
        .sort("day", "legacy_type", maintain_order=True)
    )


def _find_range(days: Sequence[date]) -> dict[str, datetime | int]:
    """Return the moments between which the days are; without days an empty range."""
    begin = datetime.combine(min(days, default=date(1970, 1, 1)), time(), UTC)
    end = datetime.combine(max(days) + timedelta(days=1), time(), UTC) if days else begin
    seconds = {"begin_seconds": int(begin.timestamp()), "end_seconds": int(end.timestamp())}
    return {"begin": begin, "end": end, **seconds}
