"""`docs/logs.md` says what every line of the log has: each event with exactly its fields."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "logs.md").read_text()
WORKER, MAIL = PAGE.split("## Events of the mail service")
LEVELS = {"debug", "info", "warning", "error", "critical"}
_ROW = re.compile(r"^\| `(\w+)` \| ([a-z, ]+) \| ([^|]*)\|", re.M)
_RENDERED = {"exc_info": "exception"}
"""What stands in a line under another name than in the call."""
Written = dict[str, tuple[set[str], set[str]]]
"""By event, the levels and fields."""


def documented(part: str) -> Written:
    found: Written = {}
    for name, level, fields in _ROW.findall(part.partition("| event |")[2]):
        found[name] = (LEVELS & set(re.findall(r"\w+", level)), set(re.findall(r"`(\w+)`", fields)))
    return found


def calls(*packages: str) -> Iterator[tuple[str, str, set[str]]]:
    """Event, level and fields of every call of a structlog logger. The level of `say` depends on the row."""
    for path in (path for package in packages for path in (ROOT / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if not (isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant)):
                continue
            of, event = node.func, str(node.args[0].value)
            fields = {_RENDERED.get(name, name) for name in (keyword.arg or "**" for keyword in node.keywords)}
            if isinstance(of, ast.Name) and of.id == "say":
                yield from ((event, level, fields) for level in ("error", "warning", "info"))
            if isinstance(of, ast.Attribute) and of.attr in LEVELS and _is_our_logger(of.value):
                yield event, of.attr, fields


def _is_our_logger(value: ast.expr) -> bool:
    return ast.unparse(value) in ("log", "structlog.get_logger()", "structlog.get_logger('mail_service')")


def logged(*packages: str) -> Written:
    found: Written = {}
    for event, level, fields in calls(*packages):
        levels, known = found.setdefault(event, (set(), set()))
        levels.add(level)
        known |= fields
    return found


def test_every_event_is_written_down_with_its_levels_and_fields_and_nothing_else_is() -> None:
    """An event is added, renamed or changed together with its line in `docs/logs.md`."""
    for part, packages in ((WORKER, ("reminder_worker", "api", "assets", "pipelines")), (MAIL, ("mail_service",))):
        assert documented(part) == logged(*packages)


def test_events_have_names_and_chains_one_field() -> None:
    for event, _, fields in calls("reminder_worker", "api", "mail_service"):
        assert re.fullmatch(r"[a-z][a-z0-9_]*", event), event
        assert "chain" not in fields, f"{event}: a chain is `chain_id`"
