"""`python -m bench [name ...]`: measure, print a table, write `bench/results/latest.json`."""

import shutil
import sys
from importlib import import_module

import structlog
import uvloop
from rich.console import Console
from rich.table import Table

from bench import promises
from bench.harness import BenchFigure, short, write

NAMES = (
    "dispatch",
    "mail",
    "end_to_end",
    "due",
    "node_bill",
    "recipients",
    "gift_view",
    "erase",
    "claims",
    "growth_year",
    "latency",
    "relay_admission",
    "relay_throughput",
    "relay_latency",
    "statistics",
    "upgrade_alert_latency",
    "stats_rps",
    "streams",
    "api_under_load",
    "idle",
    "start",
    "image",
)
WITH_WRK = ("stats_rps", "api_under_load")
LONG = ("growth", "million", "catch_up", "several")  # minutes each: by name only


def main(names: list[str]) -> None:
    unknown = set(names) - {*NAMES, *LONG}
    if unknown:
        sys.exit(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join((*NAMES, *LONG))}")
    names = names or list(NAMES)
    if set(names) & set(WITH_WRK) and shutil.which("wrk") is None:
        sys.exit("wrk is not installed (Debian: apt-get install wrk)")
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))  # the service logs: elsewhere
    table = Table("name", "value", "unit", "floor", "ratio", "aim")
    console = Console()
    broken = []
    for name in names:
        console.print(f"[dim]measuring {name} …")
        try:
            module = import_module(f"bench.{name}")
            figures: list[BenchFigure] = uvloop.run(
                module.measure()
            )  # the loop of the API and the passes: for floors too
        except Exception:  # noqa: BLE001 - the figures of other benches are worth their minutes
            console.print_exception()
            broken.append(f"{name} failed")
            continue
        write(figures)
        for figure in figures:
            table.add_row(
                figure.name, *(_short(v) for v in (figure.value, figure.unit, figure.floor, figure.ratio)), figure.aim
            )
        broken += [f"{figure.name} is not 0" for figure in figures if figure.aim == "0" and figure.value]
    promises.update()
    console.print(table)
    if broken:  # an aim of 0 is a promise, all other aims are hopes
        sys.exit("; ".join(broken))


def _short(value: float | str | None) -> str:
    return "" if value is None else value if isinstance(value, str) else short(value)


if __name__ == "__main__":
    main([name for argument in sys.argv[1:] for name in argument.split(",") if name])
