"""From rows of the chain index to figures: pure functions over Polars frames. Nothing per user leaves them.

Legacies: `deleted` when its deletion was seen (no event tells that of a Safe legacy: by its own word); else `activated`
from its first claim on; else `live`. Timelocks: `live` and `ended` by their status, `gifts` of all there ever were. A
day is one of UTC, by the block's time.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

import polars as pl

from reminder_worker.indexer.models import ENDED, EOA, GIFT, LIVE, SAFE
from reminder_worker.statistics import wide

DAY: Final = 86_400

LEGACIES: Final = {
    "legacy_type": pl.Int16,
    "created_at": pl.Int64,
    "activated_at": pl.Int64,
    "deleted_at": pl.Int64,
}
"""One row for each legacy; unix seconds, null: did not happen."""
TIMELOCKS: Final = {"lock_type": pl.Int16, "status": pl.Int16, "created_at": pl.Int64, "ended_at": pl.Int64}
"""One row for each timelock; unix seconds, null: not ended."""
SERIES: Final = (
    "legacies_created",
    "legacies_activated",
    "legacies_deleted",
    "timelocks_sealed",
    "gifts_sealed",
    "timelocks_withdrawn",
)


def counts(legacies: pl.DataFrame, timelocks: pl.DataFrame, unseen: int = 0) -> dict[str, Any]:
    """`{legacies: {total, live, activated, deleted, byType}, timelocks: {total, live, ended, gifts}}`.

    `unseen`: how many legacies were deleted although no row says so.
    """
    is_deleted = pl.col("deleted_at").is_not_null()
    is_activated = pl.col("activated_at").is_not_null() & ~is_deleted
    of_legacies = legacies.select(
        pl.len().alias("total"),
        ((~is_deleted & ~is_activated).sum().cast(pl.Int64) - unseen).alias("live"),
        is_activated.sum().alias("activated"),
        (is_deleted.sum().cast(pl.Int64) + unseen).alias("deleted"),
        (pl.col("legacy_type") == EOA).sum().alias("eoa"),
        (pl.col("legacy_type") == SAFE).sum().alias("safe"),
    ).row(0, named=True)
    of_timelocks = timelocks.select(
        pl.len().alias("total"),
        (pl.col("status") == LIVE).sum().alias("live"),
        (pl.col("status") == ENDED).sum().alias("ended"),
        (pl.col("lock_type") == GIFT).sum().alias("gifts"),
    ).row(0, named=True)
    by_type = {name: of_legacies.pop(name) for name in ("eoa", "safe")}
    return {"legacies": {**of_legacies, "byType": by_type}, "timelocks": of_timelocks}


def daily(legacies: pl.DataFrame, timelocks: pl.DataFrame) -> pl.DataFrame:
    """What happened on each day that saw anything, and in all until its end (`total_...`); ordered by `day`."""
    gifts = timelocks.filter(pl.col("lock_type") == GIFT)
    moments = (
        legacies["created_at"],
        legacies["activated_at"],
        legacies["deleted_at"],
        timelocks["created_at"],
        gifts["created_at"],
        timelocks["ended_at"],
    )
    parts = [
        pl.DataFrame({"day": at.drop_nulls() // DAY}, schema={"day": pl.Int64}).with_columns(what=pl.lit(name))
        for name, at in zip(SERIES, moments, strict=True)
    ]
    happened = pl.concat(parts)
    by_day = happened.group_by("day").agg(
        [(pl.col("what") == name).sum().cast(pl.Int64).alias(name) for name in SERIES]
    )
    return (
        by_day.sort("day")
        .with_columns([pl.col(name).cum_sum().alias(f"total_{name}") for name in SERIES])
        .with_columns(pl.col("day").cast(pl.Int32).cast(pl.Date))
    )


def reachable(balances: pl.DataFrame, ways: pl.DataFrame) -> dict[str, int]:
    """What claims can move of each token, in base units: sums over holders of min(balance, what claims may take).

    `balances`: one row for each `holder` and `token`, with `balance`. `ways`: one row for each legacy of a holder, with
    `own`, the largest allowance that is its alone (a Safe legacy: all there is), `vault`, and `shared`, the allowance
    of that vault. Values are 32 bytes.

    Several legacies of one holder together move no more than his balance. Each takes its own allowance. A vault's
    allowance counts once: the legacy of this vault with the smallest own allowance may take it instead.
    """
    balance, keys = pl.col("balance"), ["holder", "token"]
    of_vault = [*keys, "vault"]
    each = (
        ways.join(balances, on=keys)
        .sort(*of_vault, "own")
        .with_columns(is_least=pl.struct(of_vault).is_first_distinct())
        .with_columns(
            may=pl.when("is_least").then(pl.max_horizontal("own", "shared")).otherwise(pl.col("own")),
        )
        .with_columns(wide.limbs(pl.col("may")))
    )
    held = [f"held_{name}" for name in wide.LIMBS]
    of_holder = wide.carried(
        each.group_by(keys).agg(pl.col(*wide.LIMBS).sum(), balance.first()).with_columns(wide.limbs(balance, held))
    )
    within = wide.is_less(wide.LIMBS, held)
    moved = of_holder.select(
        "token",
        *(
            pl.when(within).then(pl.col(name)).otherwise(pl.col(limit)).alias(name)
            for name, limit in zip(wide.LIMBS, held, strict=True)
        ),
    )
    return wide.totals(moved, "token")


def added(*amounts: Mapping[str, int]) -> dict[str, int]:
    """Sums by token."""
    found: Counter[str] = Counter()
    for each in amounts:
        found.update(each)
    return found
