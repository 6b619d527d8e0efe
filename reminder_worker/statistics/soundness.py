"""What has to hold of any snapshot, and between two that follow each other. Pure; findings in words."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

from reminder_worker.statistics.store import Snapshot

MOST_TIMES: Final = 3  # a value that rose or fell by more from one snapshot to the next is shown
SMALL_DOLLARS: Final = Decimal(10_000)  # below it the value may do what it likes
_ROUNDING: Final = Decimal("0.01")  # of each token


def negative(snapshot: Snapshot) -> list[str]:
    """Which figures are below zero."""
    figures: dict[str, Decimal | int] = {
        f"{group} {name}": value for group, some in snapshot.counts.items() for name, value in _flat(some)
    }
    figures |= {f"amount of {token['token']}": int(token["amount"]) for token in snapshot.tokens}
    figures |= {f"dollars of {t['token']}": Decimal(t["usd"]) for t in snapshot.tokens if t["usd"] is not None}
    figures["value secured"] = snapshot.value_secured_usd or 0
    return [name for name, value in figures.items() if value < 0]


def unequal(snapshot: Snapshot) -> list[str]:
    """Which totals are not what their parts add up to. Timelocks have states besides live and ended."""
    legacies, timelocks = snapshot.counts["legacies"], snapshot.counts["timelocks"]
    valued = [Decimal(token["usd"]) for token in snapshot.tokens if token["usd"] is not None]
    value = snapshot.value_secured_usd
    wrong = {
        "legacies by state": legacies["live"] + legacies["activated"] + legacies["deleted"] != legacies["total"],
        "legacies by type": sum(legacies["byType"].values()) != legacies["total"],
        "timelocks by state": timelocks["live"] + timelocks["ended"] > timelocks["total"],
        "gifts": timelocks["gifts"] > timelocks["total"],
        "value secured": value is not None and abs(sum(valued) - value) > _ROUNDING * len(valued),
    }
    return [name for name, is_wrong in wrong.items() if is_wrong]


def jumps(earlier: Sequence[Snapshot], after: Snapshot) -> list[str]:
    """What changed by more than a set factor, and totals that fell, which only a reorganisation explains.

    `earlier`: the newest first. A value is compared with the last that was known: after a day of silence a feed is
    believed whatever it says.
    """
    before = earlier[0]
    found = [
        f"{group} in all: {before.counts[group]['total']} to {after.counts[group]['total']}"
        for group in ("legacies", "timelocks")
        if after.counts[group]["total"] < before.counts[group]["total"]
    ]
    value = next((each.value_secured_usd for each in earlier if each.value_secured_usd is not None), None)
    if value is None or after.value_secured_usd is None:
        return found
    low, high = sorted((value, after.value_secured_usd))
    if high > SMALL_DOLLARS and high > MOST_TIMES * low:
        found.append(f"value secured: {value:,} to {after.value_secured_usd:,} dollars")
    return found


def _flat(some: dict[str, Any]) -> list[tuple[str, int]]:
    return [(name, value) for name, value in some.items() if isinstance(value, int)] + [
        pair for value in some.values() if isinstance(value, dict) for pair in _flat(value)
    ]
