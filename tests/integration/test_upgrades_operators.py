"""The upgrade queue for operators: in Dagster, at a terminal, in the metrics."""

import secrets
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest
from eth_utils.address import to_checksum_address
from sqlalchemy.ext.asyncio import AsyncEngine

from api.metrics import render_fact
from assets.service import Service
from devnet.scenarios import Scenario
from pipelines.definitions import defs
from pipelines.sensors import make_sensors
from reminder_worker.chain.client import Chain
from reminder_worker.declarations import FactScope
from reminder_worker.indexer.feature import INDEX
from reminder_worker.outbox.alerts import AlertOutbox
from reminder_worker.passes import run_pass
from reminder_worker.runtime import open_runtime
from reminder_worker.settings import Settings
from reminder_worker.upgrades.feature import UPGRADE_COUNTS
from tests.integration.commands import CliRun
from tests.integration.upgrade_world import CHAIN, chain_settings, world

SOMEBODY = "0x" + "5b" * 20
OFTEN = "emails_and_relay_every_15_seconds"


@pytest.fixture
def environ(chain_scenario: Scenario, database_url: str, tmp_path: Path) -> dict[str, str]:
    """An installation that watches a timelock, without mail."""
    deployment, url = chain_scenario.deployment, chain_scenario.anvil.url
    return {
        "ENVIRONMENT": "local",
        "DATABASE_URL": database_url.replace("postgresql+psycopg://", "postgresql://"),
        "EMAIL_ENC_KEY": b64encode(secrets.token_bytes(32)).decode(),
        "HASH_KEY": b64encode(secrets.token_bytes(32)).decode(),
        "APP_ORIGIN": "https://app.example.org",
        "STATISTICS_FOLDER": str(tmp_path / "statistics"),
        "CHAINS": str(CHAIN),
        **deployment.settings_environ(CHAIN, url),
        **deployment.upgrade_environ(CHAIN),
    }


@pytest.fixture
def service(environ: dict[str, str]) -> Iterator[Service]:
    settings = Settings.from_environ(environ)
    opened = Service(lambda: open_runtime(settings))
    yield opened
    opened.close()


def _tick(service: Service) -> list[str | None]:
    return [request.job_name for request in _look(service).run_requests or ()]


def _look(service: Service) -> dg.SensorResult:
    sensor = next(sensor for sensor in make_sensors(service) if sensor.name == OFTEN)
    with dg.DagsterInstance.ephemeral() as instance:
        result = sensor(dg.build_sensor_context(instance=instance))
    assert isinstance(result, dg.SensorResult)
    return result


def _run(service: Service) -> dict[str, str]:
    job = defs.resolve_job_def("relay")
    with dg.DagsterInstance.ephemeral() as instance:
        result = job.execute_in_process(
            instance=instance, resources={"service": service, "io_manager": dg.mem_io_manager}
        )
    made = [event for event in result.get_asset_materialization_events() if "upgrade" in str(event.asset_key)]
    return {name: str(value.value) for name, value in made[0].materialization.metadata.items()}


def test_the_sensor_launches_a_run_only_for_a_change_and_the_asset_lists_what_waits(
    chain_scenario: Scenario, service: Service
) -> None:
    assert _tick(service) == ["relay"]  # the first look of all
    assert _run(service)["pending operations"] == "none"
    assert not _tick(service)
    operation = chain_scenario.schedule_upgrade(SOMEBODY)
    service.call(lambda runtime: run_pass(runtime, INDEX), 60)
    assert _tick(service) == ["relay"]
    listed = _run(service)["pending operations"]
    assert operation.id in listed
    assert "upgradeAndCall(address,address,bytes)" in listed
    assert not _tick(service)


def enter_operations(by: CliRun, chain_id: int, count: int) -> None:
    by.sql(
        "insert into worker.upgrade_operation"
        " (chain_id, operation_id, state, calls, ready_at, changed_block, final)"
        " select %s, '0x' || lpad(to_hex(n), 64, '0'), 'pending', '[]', 4e9, 1, true from generate_series(1, %s) n",
        chain_id, count,
    )  # fmt: skip


def test_commands_list_the_queue_and_show_an_operation_in_full(chain_scenario: Scenario, command: CliRun) -> None:
    operation = chain_scenario.schedule_upgrade(SOMEBODY, call=bytes(500))
    assert command("tick", "--pass", "upgrades").exit_code == 0
    listed = command("upgrades", "list").output
    assert operation.id in listed
    assert "upgradeAndCall(address,address,bytes)" in listed
    narrow = command("upgrades", "list", COLUMNS="80").output
    assert all(each in narrow for each in ("chain", "state", "does", "final", "pending"))
    columns = [[cell.strip() for cell in line.split("│")[1:-1]] for line in narrow.splitlines() if "│" in line]
    assert "".join(row[0] for row in columns) == operation.id  # over several lines
    assert "… │" not in narrow + command("upgrades", "show", operation.id, COLUMNS="80").output  # no cell is cut off
    shown = "".join(command("upgrades", "show", operation.id).output.replace("│", "").split())
    assert to_checksum_address(SOMEBODY) in shown
    assert operation.calls[0][2].hex() in shown  # all of it
    assert "CallScheduled" in shown
    unknown = command("upgrades", "show", "0x" + "00" * 32)
    assert unknown.exit_code == 1
    assert "no such operation" in unknown.output
    chain_scenario.cancel(operation)
    assert command("tick", "--pass", "upgrades").exit_code == 0
    assert operation.id not in command("upgrades", "list").output
    assert "cancelled" in command("upgrades", "list", "--ended").output


def test_cron_that_runs_tick_alone_alerts_a_setter_past_the_queue_once(
    chain_scenario: Scenario, command: CliRun
) -> None:
    s, owner = chain_scenario, chain_scenario.account("safe owner")
    safe = s.create_safe([owner])
    router = s.deploy("OwnedSetters", safe, SOMEBODY)

    def tick() -> list[str]:
        s.anvil.mine(3)
        command.sql("update worker.setter_value set compared_at = compared_at - interval '1 day'")
        assert command("tick", **{f"CHAIN_{CHAIN}_TIME_LOCK_ROUTER": router}).exit_code == 0
        alerts = command.sql("select subject from worker.alert where kind = 'upgrade_past_queue'")
        return [str(subject) for (subject,) in alerts]

    assert tick() == tick() == []
    setter = s.contracts["OwnedSetters"].encode("setUniswapRouter", SOMEBODY)
    s.execute_from_safe(owner, safe, router, setter)
    assert tick() == [router]
    assert tick() == [router]


def test_a_list_says_when_there_is_more(command: CliRun) -> None:
    enter_operations(command, 31337, 3)
    assert "There are more" not in command("upgrades", "list", "--limit", "3").output
    cut = command("upgrades", "list", "--limit", "2").output
    assert cut.count(" pending ") == 2
    assert "There are more than these 2: see them with a larger --limit.\n" in cut


def test_operations_of_an_unwatched_timelock_are_not_listed(command: CliRun, service: Service) -> None:
    """No event would close these operations."""
    enter_operations(command, 5, 1)  # a chain that was taken out
    assert "No operation is waiting." in command("upgrades", "list").output
    assert _run(service)["pending operations"] == "none"


def test_doctor_looks_at_the_timelock(chain_scenario: Scenario, command: CliRun) -> None:
    sound = command("doctor").output
    assert "the timelock answers, its delay is 2 days" in sound
    chain_scenario.execute_when_ready(chain_scenario.schedule_delay(3600))
    assert "its delay is 60 minutes, below 48 hours: see upgrade_delay_short in the runbook" in command("doctor").output
    wrong = command("doctor", CHAIN_31337_UPGRADE_TIMELOCK=chain_scenario.deployment.usdc)
    assert wrong.exit_code == 1
    assert "no timelock answers at CHAIN_31337_UPGRADE_TIMELOCK" in wrong.output


async def test_metrics_count_the_queue(chain_scenario: Scenario, engine: AsyncEngine) -> None:
    chain = Chain(chain_settings(chain_scenario))
    try:
        it = world(chain_scenario, engine, chain, AlertOutbox(engine))
        chain_scenario.schedule_upgrade(SOMEBODY)
        await it.catch_up()
    finally:
        await chain.close()
    families = render_fact(UPGRADE_COUNTS, await UPGRADE_COUNTS.read(FactScope(engine, {CHAIN: chain.settings})))
    samples = {s.name: (s.labels, s.value) for family in families for s in family.samples}
    assert samples["reminder_worker_upgrade_operations"] == ({"chain": "31337", "state": "pending"}, 1)
    ready = it.rows("select ready_at from worker.upgrade_operation")[0].ready_at
    assert samples["reminder_worker_upgrade_next_executable_time"] == ({"chain": "31337"}, ready)
    families = render_fact(UPGRADE_COUNTS, await UPGRADE_COUNTS.read(FactScope(engine, {})))
    assert not any(family.samples for family in families), "what waits where nobody looks would wait for ever"
