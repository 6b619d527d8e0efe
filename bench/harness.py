"""Shared parts of every measurement: interleaved runs, medians, a table and a file of results.

A figure stands beside its floor, the bare work measured in the same run, because absolute times on a
shared machine say little; `ratio` is always "share of the floor's speed reached" (1.0 = as fast as the floor)
unless the unit says otherwise.
"""

import json
import os
import platform
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

RESULTS = Path(__file__).parent / "results" / "latest.json"
RUNS = 5


@dataclass(frozen=True, slots=True)
class BenchFigure:
    """`floor` and `ratio` are None where nothing bare can be measured beside it; `aim` is what is hoped for."""

    name: str
    value: float
    unit: str
    floor: float | None = None
    ratio: float | None = None
    aim: str = ""


async def interleaved(
    ours: Callable[[], Awaitable[None]],
    floor: Callable[[], Awaitable[None]],
    before: Callable[[], Awaitable[None]] | None = None,
) -> tuple[float, float, float]:
    """Seconds of ours and of the floor (medians), and the median of floor/ours pair by pair.

    `before` puts back what a run changed; it is not measured.
    """
    pairs = []
    for _ in range(RUNS):
        if before is not None:
            await before()
        pairs.append((await seconds_of(floor), await seconds_of(ours)))
    return median(o for _, o in pairs), median(f for f, _ in pairs), median(f / o for f, o in pairs)


async def seconds_of(work: Callable[[], Awaitable[object]]) -> float:
    began = perf_counter()
    await work()
    return perf_counter() - began


def short(value: float) -> str:
    """For people: three digits, or all of a large number."""
    return f"{value:,.3g}" if value < 100 else f"{value:,.0f}"


def write(figures: Sequence[BenchFigure]) -> None:
    """Merge into the results file: a figure replaces the earlier one of its name."""
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {"figures": []}
    merged = {figure["name"]: figure for figure in kept["figures"]}
    merged |= {figure.name: asdict(figure) for figure in figures}
    RESULTS.parent.mkdir(exist_ok=True)
    machine = f"{os.cpu_count()} cores, Python {platform.python_version()}"
    RESULTS.write_text(json.dumps({"machine": machine, "figures": list(merged.values())}, indent=1) + "\n")
