"""The page of promises names only existing tests and measured figures."""

import re
from collections import defaultdict
from pathlib import Path

from bench.harness import short
from bench.promises import known, told

ROOT = Path(__file__).parents[2]


def test_every_test_that_a_promise_or_the_threat_model_names_exists() -> None:
    files: defaultdict[str, str] = defaultdict(str)
    for path in (ROOT / "tests").rglob("test_*.py"):
        files[path.name] += path.read_text()
    for page, least in (("promises.md", 40), ("threat-model.md", 80)):
        named = re.findall(r"`(test_\w+\.py)::(test_\w+)`", (ROOT / "docs" / page).read_text())
        assert len(named) > least
        assert [f"{file}::{name}" for file, name in named if f"def {name}(" not in files[file]] == []


def test_every_figure_of_a_promise_is_the_one_that_was_measured() -> None:
    page = (ROOT / "docs" / "promises.md").read_text()
    figures = known()
    assert told(page) == page, "python -m bench.promises writes them anew"
    assert f"`campaign.faults` = {short(figures['campaign.faults'])} faults" in page
    assert told("`campaign.faults` = 1,234.5, x") == f"`campaign.faults` = {short(figures['campaign.faults'])}, x"
    assert told("`never.measured` = 17 s") == "`never.measured` = ? s"
