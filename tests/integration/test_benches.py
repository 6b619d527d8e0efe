"""Each long bench in little: it still runs, checks what it did, and gives the figures that are told of it.

No time is asserted.
"""

import shutil

import pytest

from bench import api_under_load, catch_up, growth, growth_year, million
from bench.harness import BenchFigure
from reminder_worker.features import POLLED_PASSES


def by_name(figures: list[BenchFigure]) -> dict[str, float]:
    found = {figure.name: figure.value for figure in figures}
    assert len(found) == len(figures)
    return found


async def test_growth_in_little() -> None:
    """A curve of each: emails, watched legacies, the ledger; with the fewest at 1."""
    figures = await growth.measure(smaller=500, runs=1)
    found = by_name(figures)
    sizes = [f"recipients.{n}" for n in (2, 20, 200)] + [f"watched.{n}" for n in (2, 40, 400)]
    assert set(found) == {f"growth.{each}" for each in (*sizes, "ledger.2000", "ledger.20000")}
    assert all(value > 0 for value in found.values())
    assert [figure.ratio for figure in figures if figure.floor == figure.value] == [1, 1, 1]


async def test_growth_of_a_year_in_little() -> None:
    found = by_name(await growth_year.measure(rows=1_000))
    tables = ("message", "sent_ledger", "chain_event", "notify_signal", "due_window")
    assert {f"growth.year.{table}" for table in tables} < set(found)
    assert found["growth.year"] > found["growth.year.legacies"] > 0


async def test_a_million_legacies_in_little() -> None:
    """Every pass looks and runs over tables filled like those of a million, and no statement reads one whole."""
    found = by_name(await million.measure(legacies=2_000, due=300, real=5))
    for step in POLLED_PASSES:
        assert found[f"million.{step.name}.look"] > 0
        assert found[f"million.{step.name}.run"] > 0
    assert {"million.looks.memory", "million.statistics.memory", "million.scrape", "million.forget"} <= set(found)
    assert found["million.whole_reads"] == 0
    assert found["million.database"] > 0


async def test_catch_up_in_little() -> None:
    """The index reaches the head of the stubbed node at each limit."""
    found = by_name(await catch_up.measure(smaller=100))
    for limit in (10_000, 500, 10):
        assert found[f"catch_up.{limit}"] > 0
        assert found[f"catch_up.{limit}.requests"] >= 1


@pytest.mark.skipif(shutil.which("wrk") is None, reason="wrk is not installed")
async def test_the_api_under_load_in_little() -> None:
    """No answer is an error while passes run, signed reads among them."""
    found = by_name(await api_under_load.measure(seconds=2))
    assert found["api_under_load.errors"] == 0
    assert found["api_under_load.signed"] > 0
    assert found["api_under_load.p99"] >= found["api_under_load.p50"] > 0
