"""`make prove` runs every part, tells which are broken, and repeats none that was not."""

from pathlib import Path

import pytest

from tests.campaign.prove import ProofPart, prove


def part(name: str, log: Path, code: int = 0, **environ: str) -> ProofPart:
    words = f"import pathlib; pathlib.Path({str(log)!r}).open('a').write({name!r} + ' '); raise SystemExit({code})"
    return ProofPart(name, ("-c", words), environ)


def test_a_broken_part_stops_no_other_and_what_is_done_is_not_repeated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Until the code changes, or what is asked for: more faults, a longer load."""
    log, file = tmp_path / "log", tmp_path / "prove.json"
    parts = [part("one", log), part("two", log, 1), part("three", log)]
    assert prove(parts, file, "code") == 1
    assert prove(parts, file, "code") == 1
    assert log.read_text().split() == ["one", "two", "three", "two"]
    told = capsys.readouterr().out
    assert "one             done before" in told
    assert "two             BROKEN (exit code 1)" in told

    assert prove([part("one", log), part("three", log, SECONDS="600")], file, "code") == 0
    assert log.read_text().split() == ["one", "two", "three", "two", "three"]
    assert prove([part("one", log)], file, "other code") == 0
    assert log.read_text().split() == ["one", "two", "three", "two", "three", "one"]
