"""What others build on is frozen in `tests/golden`: a difference from it is a decision, not an accident.

`FREEZE=1 pytest tests/integration/test_frozen.py` writes the files again after a decision, and the commit shows it.
"""

import json
import os
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from prometheus_client.core import GaugeMetricFamily
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from api import problems
from api.metrics import make_gauge
from devnet.scenarios import Scenario
from reminder_worker import errors
from reminder_worker.cli.main import main
from reminder_worker.outbox.messages import AlertKind, GiftKind, ReminderKind
from reminder_worker.settings.table import configuration_table
from tests.integration.api_world import open_world
from tests.unit.test_log_schema import logged

pytestmark = pytest.mark.core

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"
VERSIONS = ROOT / "reminder_worker" / "database" / "migrations" / "versions"
_TABLES = """
select table_schema || '.' || table_name || ' column ' || column_name || ' ' || data_type
    || case is_nullable when 'NO' then ' not null' else '' end || coalesce(' default ' || column_default, '')
from information_schema.columns where table_schema = 'worker'
union all
select conrelid::regclass || ' constraint ' || conname || ' ' || pg_get_constraintdef(oid)
from pg_constraint where connamespace = 'worker'::regnamespace and contype <> 'n'
union all
select schemaname || '.' || tablename || ' index ' || indexdef from pg_indexes where schemaname = 'worker'
"""  # PostgreSQL 18 lists each "not null" as a constraint, too


def compare(name: str, found: str) -> None:
    """Compare with the golden file, or write it where `FREEZE` is set."""
    file = GOLDEN / name
    if os.environ.get("FREEZE"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(found)
    assert found == file.read_text()


def lines(found: Iterator[str] | list[str]) -> str:
    return "".join(f"{line}\n" for line in sorted(found))


async def test_the_openapi_document_is_frozen(engine: AsyncEngine, chain_scenario: Scenario) -> None:
    secrets = {"OPERATOR_SECRET": "o" * 32, "OPS_STATUS_SECRET": "s" * 32}
    async with open_world(chain_scenario, engine, **secrets) as world:
        document = (await world.request("GET", "/schema/openapi.json")).body
    compare("openapi.json", json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


async def test_the_tables_are_frozen(engine: AsyncEngine) -> None:
    async with engine.connect() as connection:
        compare("tables.txt", lines([row[0] for row in await connection.execute(text(_TABLES))]))


def test_the_revisions_of_the_database_are_frozen() -> None:
    """A line may be added. A changed line is an id that is used again, which a database may have with other tables."""
    files: dict[str, bytes] = {}
    for path in sorted(VERSIONS.glob("*.*")):
        id = re.match(r"(\d{8}_)?\d{4}", path.name)
        assert id is not None
        files[id[0]] = files.get(id[0], b"") + path.read_bytes()
    compare("revisions.txt", lines([f"{id} {sha256(text).hexdigest()}" for id, text in files.items()]))


def test_the_settings_are_frozen() -> None:
    compare("settings.md", configuration_table() + "\n")


def test_the_commands_and_their_help_are_frozen() -> None:
    def helps(command: click.Command, *words: str) -> Iterator[str]:
        # Invoked as by a user: click keeps the help option of a command's first context.
        shown = CliRunner().invoke(main, [*words, "--help"], prog_name="reminder-worker", terminal_width=100)
        yield f"$ {' '.join(('reminder-worker', *words))} --help\n{shown.output.rstrip()}\n"
        if isinstance(command, click.Group):
            for name in sorted(command.commands):
                yield from helps(command.commands[name], *words, name)

    compare("commands.txt", "\n".join(helps(main)))


def test_the_events_of_the_log_are_frozen() -> None:
    packages = {"worker": ("reminder_worker", "api", "assets", "pipelines"), "mail": ("mail_service",)}
    found = [
        f"{part} {event} {'/'.join(sorted(levels))} {' '.join(sorted(fields))}".rstrip()
        for part, roots in packages.items()
        for event, (levels, fields) in logged(*roots).items()
    ]
    compare("log_events.txt", lines(found))


def test_the_kinds_of_emails_are_frozen() -> None:
    kinds = {"Kind": ReminderKind, "GiftKind": GiftKind, "AlertKind": AlertKind}
    found = [f"{kind} {name}" for name, enum in kinds.items() for kind in enum]
    compare("email_kinds.txt", lines(found))


def test_the_codes_of_problems_are_frozen() -> None:
    def classes(of: type[errors.ServiceError]) -> Iterator[type[errors.ServiceError]]:
        yield of
        for each in of.__subclasses__():
            yield from classes(each)

    def status(of: type[Exception]) -> int:
        return next(problems.STATUS[each][0] for each in of.__mro__ if each in problems.STATUS)

    found = {f"{status(each)} {each.code}" for each in classes(errors.ServiceError)}
    compare("problem_codes.txt", lines(list(found)))


async def test_the_metrics_and_their_labels_are_frozen(
    engine: AsyncEngine, chain_scenario: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    labels: dict[str, tuple[str, ...]] = {}

    def noted(name: str, text: str, of: tuple[str, ...], values: Any) -> GaugeMetricFamily:
        labels[f"reminder_worker_{name}"] = of
        return make_gauge(name, text, of, values)

    monkeypatch.setattr("api.metrics.make_gauge", noted)
    async with (
        open_world(chain_scenario, engine) as world,
        world.session.get(f"{world.metrics_url}/metrics") as response,
    ):
        families = re.findall(r"^# TYPE (\S+) (\S+)$", await response.text(), re.M)
    compare(
        "metrics.txt", lines([f"{name} {kind} {' '.join(labels.get(name, ()))}".rstrip() for name, kind in families])
    )
