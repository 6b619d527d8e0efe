"""The definitions as Dagster loads them, without a database and without a chain."""

import logging
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
import yaml

from assets.service import Service
from pipelines.definitions import defs
from pipelines.jobs import JOBS, LANE, PASS_JOBS, SCHEDULES
from pipelines.sensors import make_sensors
from reminder_worker import schema
from reminder_worker.features import PASSES, POLLED_PASSES
from reminder_worker.passes import PARTS
from reminder_worker.statistics import dataset

SENSORS = make_sensors(Service())
ROOT = Path(__file__).parents[3]
HEAVY = ("web3", "eth_account", "polars", "aiohttp", "psycopg", "reminder_worker.runtime", "reminder_worker.passes")


def test_the_definitions_load_and_every_reference_in_them_resolves() -> None:
    dg.Definitions.validate_loadable(defs)


def test_dagsters_own_commands_check_them_in_a_checkout_without_a_database() -> None:
    here = {name: value for name, value in os.environ.items() if not name.startswith("DAGSTER_")}
    done = subprocess.run(
        [Path(sys.executable).with_name("dg"), "check", "defs", "--use-active-venv"],
        cwd=ROOT,
        env=here,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "All definitions loaded successfully." in done.stdout) == (0, True), done.stderr[-2000:]


def test_an_installation_without_dagsters_database_does_not_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(ROOT / "dagster.yaml", tmp_path)
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
    monkeypatch.delenv("DAGSTER_PG_URL", raising=False)
    with pytest.raises(dg.DagsterInvariantViolationError, match="DAGSTER_PG_URL is not set"):
        dg.DagsterInstance.get().run_storage.get_runs_count()


def test_loading_them_imports_nothing_heavy() -> None:
    """The code server and every run's process start with this import; SQLAlchemy is Dagster's own."""
    code = f"import sys, pipelines.definitions; print([name for name in {HEAVY!r} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"


def test_every_pass_is_an_asset_that_a_sensor_launches() -> None:
    launched = {
        key.to_user_string()
        for sensor in SENSORS
        for target in sensor.targets
        for key in defs.resolve_job_def(target.job_name).asset_layer.executable_asset_keys
    }
    assert {step.asset for step in POLLED_PASSES} == launched
    assert PARTS.keys() == set(PASSES)


def test_a_pass_is_looked_at_as_often_as_it_promises() -> None:
    """Dagster's loop sleeps five seconds and asks whether more than the minimum has passed."""
    promised = {"events_every_5_seconds": ("index", "signals"), "due_every_minute": ("due",)}
    promised |= {"emails_and_relay_every_15_seconds": ("dispatch", "gifts", "upgrades", "relay", "alerts")}
    promised |= {"health_every_minute": ("watchdog",), "auto_renew_every_5_minutes": ("auto_renew",)}
    promised |= {"bounces_every_5_minutes": ("bounces",)}
    promised |= {"price_feeds_every_5_minutes": ("prices",), "statistics_every_5_minutes": ("statistics",)}
    every = {step.name: step.every_seconds for step in POLLED_PASSES}
    said = {"5_seconds": 5, "15_seconds": 15, "minute": 60, "5_minutes": 300}
    for sensor in SENSORS:
        real = -(-(sensor.minimum_interval_seconds or 0) // 5) * 5
        assert real == said[sensor.name.partition("_every_")[2]]
        assert real <= min(every[name] for name in promised[sensor.name])


def test_dispatch_is_an_op_behind_signals_and_windows() -> None:
    graph = defs.resolve_asset_graph()
    emails: Any = defs.resolve_job_def("emails").graph.node_named("sent_emails").definition
    assert "dispatch" in emails.node_dict
    assert {"notify_signals", "due_reminders"} < {
        key.to_user_string() for key in graph.get(dg.AssetKey("sent_emails")).parent_keys
    }
    for name in ("notify_signals", "due_reminders"):
        assert dg.AssetKey("chain_index") in graph.get(dg.AssetKey(name)).parent_keys


def test_whoever_opens_an_asset_reads_what_it_is_whose_it_is_and_what_lies_in_it() -> None:
    for spec in defs.resolve_all_asset_specs():
        name = spec.key.to_user_string()
        assert (spec.description or "").endswith("."), name
        assert spec.owners, name
        assert spec.kinds, name
        assert spec.tags.get("holds"), name
        assert spec.group_name not in (None, "default"), name


def _list_columns(described: dg.TableSchema) -> dict[str, str | None]:
    return {column.name: column.description for column in described.columns}


def test_whoever_opens_an_asset_reads_what_each_column_of_its_table_and_files_holds() -> None:
    """Every column there is, and none else: by the tables that `migrate` makes, and by the words in the files."""
    files = set()
    for spec in defs.resolve_all_asset_specs():
        name = spec.key.to_user_string()
        described = {key: each for key, each in spec.metadata.items() if isinstance(each, dg.TableSchema)}
        for key, each in described.items():
            assert all(_list_columns(each).values()), (name, key)
        if table := spec.metadata.get("dagster/table_name"):
            columns = described.pop("dagster/column_schema")
            assert set(_list_columns(columns)) == set(schema.metadata.tables[table].columns.keys()), name
        for key, each in described.items():
            file = key.removeprefix("columns of ") if key != "dagster/column_schema" else dataset.DAYS
            files.add(file)
            assert set(_list_columns(each)) == {*dataset.PARTITIONS, *dataset.FILES[file].columns}, (name, key)
    assert files == set(dataset.FILES)


def test_every_check_job_schedule_sensor_and_resource_says_what_it_is_for() -> None:
    graph = defs.resolve_asset_graph()
    said = {key.name: graph.get_check_spec(key).description for key in graph.asset_check_keys}
    said |= {job.name: defs.resolve_job_def(job.name).description for job in JOBS}
    triggers: tuple[Any, ...] = (*SENSORS, *SCHEDULES)
    said |= {each.name: each.description for each in triggers}
    said |= {name: each.description for name, each in defs.get_repository_def().get_top_level_resources().items()}
    assert {name for name, words in said.items() if not words} == set()


def test_every_check_that_can_fail_is_in_the_runbook() -> None:
    """A failed check shows the fault, and the runbook the remedy."""
    runbook = (ROOT / "docs" / "runbook.md").read_text()
    checks = {key.name for key in defs.resolve_asset_graph().asset_check_keys}
    assert {name for name in checks if f"`{name}`" not in runbook} == set()


def test_the_lineage_shows_what_becomes_an_email_a_number_or_an_alert() -> None:
    graph = defs.resolve_asset_graph()

    def behind(name: str) -> set[str]:
        return {key.to_user_string() for key in graph.get_ancestor_asset_keys(dg.AssetKey(name))}

    reminders = {"chain", "chain_index", "notify_signals", "due_reminders", "owner_activity", "recipients"}
    assert reminders <= behind("sent_emails")
    assert {"chain", "gift_notifications"} <= behind("gift_emails")
    assert {"authorizations", "owner_activity"} <= behind("relay_requests")
    assert {"prices", "chain_index", "statistics_snapshots"} <= behind("statistics_days")
    assert {"raised_alerts", "upgrade_operations", "relay_requests", "worker_health"} <= behind("ops_alerts")
    assert {step.asset for step in POLLED_PASSES} - {"worker_health", "ops_alerts"} <= behind("pass_state")


def test_sensors_and_schedules_are_on_and_every_job_has_one_process_a_lane_of_its_own_and_an_end() -> None:
    assert {sensor.default_status for sensor in SENSORS} == {dg.DefaultSensorStatus.RUNNING}
    assert {schedule.default_status for schedule in SCHEDULES} == {dg.DefaultScheduleStatus.RUNNING}
    jobs = [defs.resolve_job_def(job.name) for job in JOBS]
    assert {job.executor_def.name for job in jobs} == {"in_process"}
    assert len({job.tags[LANE] for job in jobs}) == len(JOBS)
    long = {"statistics": 1_800, "daily_series": 1_800}  # of a million rows
    assert all(int(job.tags["dagster/max_runtime"]) <= long.get(job.tags[LANE], 300) for job in jobs)


def test_the_work_of_a_pass_has_a_pool_however_its_run_was_started() -> None:
    """Emails alone are sent by several runs at once: each claims its own."""
    graph = defs.resolve_asset_graph()
    assets = {step.asset for step in POLLED_PASSES if step.asset}
    without = {name for name in assets if not graph.get(dg.AssetKey(name)).pools}
    assert without == {"sent_emails"}


def test_what_a_schedule_promises_has_a_freshness_policy() -> None:
    graph = defs.resolve_asset_graph()
    for name in ("pass_state", "sends_per_day", "statistics_days"):
        assert graph.get(dg.AssetKey(name)).freshness_policy is not None
    for job in PASS_JOBS:  # made only when there is work: `every_pass_alive` watches their passes instead
        for key in defs.resolve_job_def(job.name).asset_layer.executable_asset_keys:
            assert graph.get(key).freshness_policy is None


def test_the_instance_limits_every_pool_to_one_step_and_stores_no_output_of_runs() -> None:
    config = yaml.safe_load((ROOT / "dagster.yaml").read_text())
    assert config["concurrency"]["pools"] == {"default_limit": 1, "granularity": "op"}
    assert config["compute_logs"]["class"] == "NoOpComputeLogManager"
    assert config["telemetry"] == {"enabled": False}


def test_dagsters_own_error_log_names_classes_but_no_texts() -> None:
    lines: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(handler.format(record))  # type: ignore[method-assign]
    logger = logging.getLogger("dagster.redacted_errors")
    logger.addHandler(handler)
    try:
        raise ValueError("canary.person@secret.example.org")
    except ValueError:
        logger.exception("Error occurred during user code execution, error ID 1")
    finally:
        logger.removeHandler(handler)
    assert "ValueError" in lines[0]
    assert "error ID 1" in lines[0]
    assert "canary" not in lines[0]
