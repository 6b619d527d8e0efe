"""What others build on is frozen in `tests/golden`: a difference from it is a decision, not an accident.

`FREEZE=1 pytest tests/integration/test_frozen.py` writes the files again after a decision, and the commit shows it.
"""

import inspect
import json
import os
import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import click
import dagster as dg
import pytest
from click.testing import CliRunner
from prometheus_client.core import GaugeMetricFamily
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from api import problems
from api.metrics import make_gauge
from devnet.scenarios import Scenario
from pipelines.definitions import defs
from reminder_worker import errors, passes
from reminder_worker.cli.main import main
from reminder_worker.declarations import ExpectedPass
from reminder_worker.features import PASSES
from reminder_worker.monitoring import watchdog
from reminder_worker.monitoring.endpoints import ChainSight, KnownGap, ReaderLag
from reminder_worker.monitoring.facts import LIMITS, EmailTrouble, PassState, WatchedFacts
from reminder_worker.monitoring.rules import judge_facts
from reminder_worker.outbox.delivery_reports import ReportReading
from reminder_worker.outbox.messages import AlertKind, GiftKind, ReminderKind
from reminder_worker.relay.operator import UnfinishedRequests
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

    assert passes.PassFailed.code  # a class is found once its module was imported
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


def test_the_assets_checks_jobs_sensors_and_schedules_of_dagster_are_frozen() -> None:
    compare("dagster.txt", lines([*_list_assets(), *_list_checks(), *_list_jobs(), *_list_automations()]))


def _list_assets() -> Iterator[str]:
    graph = defs.resolve_asset_graph()
    for node in graph.asset_nodes:
        made = "made by runs" if node.is_materializable else "made elsewhere"
        needs = _join(key.to_user_string() for key in node.parent_keys)
        yield (
            f"asset {node.key.to_user_string()} group {node.group_name} {made}, needs {needs},"
            f" pools {_join(node.pools or ())}"
        )


def _list_checks() -> Iterator[str]:
    """Yield checks with step and severities. The default severity is an error."""
    for check in defs.asset_checks or ():
        compute: Any = check.node_def.compute_fn  # type: ignore[attr-defined]
        named = set(re.findall(r"AssetCheckSeverity\.(\w+)", inspect.getsource(compute.decorated_fn))) or {"ERROR"}
        for spec in check.check_specs:
            stops = "stops the run" if spec.blocking else "stops nothing"
            name = f"{spec.asset_key.to_user_string()}:{spec.name}"
            yield f"check {name} step {check.node_def.name} severity {_join(named)}, {stops}"


def _list_jobs() -> Iterator[str]:
    for job in defs.resolve_all_job_defs():
        if job.name.startswith("__"):
            continue  # Dagster's own job of all assets
        tags = _join(f"{key}={value}" for key, value in {**job.tags, **(job.run_tags or {})}.items())
        yield f"job {job.name} steps {_join(node.name for node in job.nodes)}, tags {tags}"


def _list_automations() -> Iterator[str]:
    for sensor in defs.sensors or ():
        assert isinstance(sensor, dg.SensorDefinition)
        jobs = _join(target.job_name for target in sensor.targets)
        yield f"sensor {sensor.name} jobs {jobs}, seconds {sensor.minimum_interval_seconds}"
    for schedule in defs.schedules or ():
        assert isinstance(schedule, dg.ScheduleDefinition)
        yield f"schedule {schedule.name} job {schedule.job_name}, {schedule.cron_schedule}"


def _join(names: Iterable[str]) -> str:
    return " ".join(sorted(names)) or "none"


def test_the_conditions_of_the_watchdog_are_frozen() -> None:
    """Every condition has its seconds before a report and its cause; every watched pass has its interval."""
    judged = [each for sight in _list_bad_sights() for each in judge_facts(_make_bad_facts(), [sight]).values()]
    assert {condition.kind for condition in judged} == set(watchdog.OURS)
    found = []
    for condition in judged:
        cause = condition.because[1] if condition.because else "none"
        found.append(
            f"condition {condition.kind} about {condition.subject}, after {condition.hold_seconds} s, cause: {cause}"
        )
    for step in PASSES:
        found.append(f"pass {step.name} every {step.every_seconds} s{' on each chain' if step.per_chain else ''}")
    for name in ("OURS", "OF_WALLETS", "BY_STRANGERS"):
        found += [f"group {name} {kind}" for kind in getattr(watchdog, name)]
    found += [f"limit {name} {getattr(LIMITS, name)}" for name in LIMITS.__slots__]
    compare("conditions.txt", lines(list(set(found))))


def _make_bad_facts() -> WatchedFacts:
    return WatchedFacts(
        expected=[ExpectedPass("due", 1, 1200), ExpectedPass("forget", 0, 3600, by_the_clock=True)],
        passes=[PassState("forget", 0, 10**6, 10**6, None, None)],
        trouble=EmailTrouble(late=1, held=1, dead=1, failed=dict.fromkeys(("reminders", "gifts", "relay"), 99)),
        unfinished=[UnfinishedRequests(1, "wallet", 1, 9000, ours=True)],
        reports=ReportReading(unread=0, look_age=10**6),
    )


def _list_bad_sights() -> list[ChainSight]:
    """Return a chain without any answer, and chains that answer badly."""
    bad: dict[str, Any] = {"highest": 1000, "lowest": 1, "settled": {"safe": 10**6}, "agree": False}
    lag = ReaderLag("index", LIMITS.max_lag_blocks + 1, [LIMITS.max_lag_blocks + 1])
    ahead = ReaderLag("signals", -LIMITS.max_lag_blocks - 1, [0])
    return [
        ChainSight(1, endpoints=3, answering=0, spent={"second": 1_800_000_000}),
        ChainSight(
            1, endpoints=3, answering=1, newest_age=10**6, lags=[lag, ahead], gap=KnownGap(1, "legacy 2", 3), **bad
        ),
        ChainSight(1, endpoints=3, answering=1, newest_age=-(10**6), **bad),
    ]
