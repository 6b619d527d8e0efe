"""`make bench`: nothing is measured in vain."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from bench import __main__ as command
from bench import harness, promises
from bench.harness import BenchFigure


async def fails() -> list[BenchFigure]:
    raise RuntimeError("the node went away")


async def measures() -> list[BenchFigure]:
    return [BenchFigure("due", 12.5, "legacies/s")]


@pytest.fixture(autouse=True)
def benches(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The first bench fails, the second measures; results and the page with the figures are files of this test."""
    monkeypatch.setitem(sys.modules, "bench.dispatch", SimpleNamespace(measure=fails))
    monkeypatch.setitem(sys.modules, "bench.due", SimpleNamespace(measure=measures))
    monkeypatch.setattr(harness, "RESULTS", tmp_path / "latest.json")
    monkeypatch.setattr(promises, "PAGE", tmp_path / "promises.md")
    (tmp_path / "promises.md").write_text("")


@pytest.mark.parametrize("name", ["stats_rps", "api_under_load"])
def test_a_missing_program_is_named_before_the_first_measurement(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SystemExit, match="wrk is not installed"):
        command.main(["due", name])
    assert "measuring" not in capsys.readouterr().out


def test_a_bench_that_fails_takes_no_figure_of_another_away(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="dispatch failed"):
        command.main(["dispatch", "due"])
    printed = capsys.readouterr().out
    assert "the node went away" in printed
    assert "legacies/s" in printed
    assert '"due"' in (tmp_path / "latest.json").read_text()
