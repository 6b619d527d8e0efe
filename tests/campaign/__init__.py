"""Faults by the thousand from recorded seeds, and what has to hold after each life of a worker (`make prove`)."""

import hashlib
import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "bench" / "results"


def code_of(*rooms: str) -> str:
    """A digest of their Python files: what was proven is true of this code only."""
    digest = hashlib.sha256()
    for room in rooms:
        for path in sorted((ROOT / room).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def earlier(path: Path, code: str, name: str) -> dict[str, Any]:
    """What `keep` wrote there as `name`, if it was of this code."""
    found = json.loads(path.read_text()) if path.exists() else {}
    return dict(found[name]) if found.get("code") == code else {}


def keep(path: Path, code: str, **found: Any) -> None:
    """Whoever is ended meanwhile leaves the file as it was."""
    new = path.with_suffix(".new")
    new.write_text(json.dumps({"code": code, **found}, indent=1) + "\n")
    new.replace(path)
