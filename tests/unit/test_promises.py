"""The page of promises names only tests that there are."""

import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_test_that_a_promise_names_exists() -> None:
    page = (ROOT / "docs" / "promises.md").read_text()
    named = re.findall(r"`(test_\w+\.py)::(test_\w+)`", page)
    files: defaultdict[str, str] = defaultdict(str)
    for path in (ROOT / "tests").rglob("test_*.py"):
        files[path.name] += path.read_text()
    assert len(named) > 40
    missing = [f"{file}::{name}" for file, name in named if f"def {name}(" not in files[file]]
    assert missing == []
