"""Assets, checks, sensors and pruning over a real chain, a real database and Dagster's own storage in PostgreSQL."""

import asyncio
import os
import shutil
import socket
from base64 import b64encode
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import dagster as dg
import psycopg
import pytest
import sqlalchemy as sa
from dagster._core.definitions.run_request import InstigatorType
from dagster._core.scheduler.instigation import TickData, TickStatus
from pydantic import SecretStr

from assets import checks
from assets.reminders import chain_index
from assets.service import Service
from devnet.scenarios import Scenario
from pipelines import jobs
from pipelines.definitions import defs
from pipelines.jobs import LANE
from pipelines.sensors import JobWatch, _make_sensor, make_sensors
from reminder_worker import passes as worker_passes
from reminder_worker.auto_renew.feature import AUTO_RENEW
from reminder_worker.declarations import WorkerPass
from reminder_worker.doctor.report import examine_dagster
from reminder_worker.indexer.feature import INDEX
from reminder_worker.monitoring.feature import PASS_STATES, WATCHDOG
from reminder_worker.outbox.messages import AlertKind, format_clock
from reminder_worker.privacy.vault import Vault
from reminder_worker.relay.feature import RELAY
from reminder_worker.relay.models import RelayAuthorization, RelayLane
from reminder_worker.relay.wallet import load_signer
from reminder_worker.runtime import Runtime, open_runtime
from reminder_worker.settings import Settings
from tests.integration.relay_rows import enter_budget, enter_request, enter_wallet

ROOT = Path(__file__).parents[2]
CANARY = "canary.person@secret.example.org"
SOMEBODY, LEGACY = "0x" + "33" * 20, "0x" + "22" * 20
DEAD_CHAIN = 31338
OFTEN = "emails_and_relay_every_15_seconds"
NOTHING_TO_DO = (
    "no reminder to send; off: gifts: gifts are not served here (GIFT_ORIGINS);"
    " off: upgrades: no timelock to watch (CHAIN_x_UPGRADE_TIMELOCK)"
)
RELAYER_KEY = "0x" + "5e" * 32
RELAYER = load_signer(SecretStr(RELAYER_KEY)).address


@dataclass(frozen=True)
class SensorTick:
    """Result of a tick: the launched jobs, or the reason for none."""

    launched: list[str]
    skip_message: str


@pytest.fixture(scope="module")
def dagster_instance(postgres_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dg.DagsterInstance]:
    """Open an instance from the committed `dagster.yaml`, with a database of its own."""
    name, home = f"dagster_{uuid4().hex[:8]}", tmp_path_factory.mktemp("dagster")
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"create database {name}")
    shutil.copy(ROOT / "dagster.yaml", home)
    url = postgres_server.replace("/postgres?", f"/{name}?").replace("postgresql://", "postgresql+psycopg2://")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAGSTER_PG_URL", url)
        with dg.DagsterInstance.from_config(str(home)) as instance:
            yield instance


@pytest.fixture
def instance(dagster_instance: dg.DagsterInstance) -> dg.DagsterInstance:
    for record in dagster_instance.get_run_records():
        dagster_instance.delete_run(record.dagster_run.run_id)
    return dagster_instance


@pytest.fixture
def environ(chain_scenario: Scenario, database_url: str, tmp_path: Path) -> dict[str, str]:
    anvil, key = chain_scenario.anvil, b64encode(b"k" * 32).decode()
    return {
        "ENVIRONMENT": "local",
        "DATABASE_URL": database_url.replace("postgresql+psycopg://", "postgresql://"),
        "EMAIL_ENC_KEY": key,
        "HASH_KEY": key,
        "APP_ORIGIN": "https://app.example.org",
        "STATISTICS_FOLDER": str(tmp_path / "statistics"),
        "CHAINS": str(anvil.chain_id),
        f"CHAIN_{anvil.chain_id}_SIGNAL_BLOCK": "latest",
        **chain_scenario.deployment.settings_environ(anvil.chain_id, anvil.url),
        "MAIL_URL": "http://127.0.0.1:9",
        "MAIL_TOKEN": "token",
    }


@pytest.fixture
def opened() -> Iterator[Callable[[dict[str, str]], Service]]:
    services: list[Service] = []

    def make(environ: dict[str, str]) -> Service:
        settings = Settings.from_environ(environ)
        services.append(Service(lambda: open_runtime(settings)))
        return services[-1]

    yield make
    for service in services:
        service.close()


@pytest.fixture
def service(opened: Callable[[dict[str, str]], Service], environ: dict[str, str]) -> Service:
    return opened(environ)


@pytest.fixture
def with_relayer(opened: Callable[[dict[str, str]], Service], environ: dict[str, str]) -> Service:
    return opened({**environ, "RELAYER_KEY": RELAYER_KEY})


@pytest.fixture
def database(database_url: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(database_url.replace("postgresql+psycopg://", "postgresql://"), autocommit=True) as connection:
        yield connection


def _tick(name: str, service: Service, instance: dg.DagsterInstance | None = None) -> "SensorTick":
    sensor = next(sensor for sensor in make_sensors(service) if sensor.name == name)
    result = sensor(dg.build_sensor_context(instance=instance))
    assert isinstance(result, dg.SensorResult)
    skipped = result.skip_reason.skip_message if result.skip_reason else None
    return SensorTick([request.job_name or "" for request in result.run_requests or ()], skipped or "")


def _run(
    job: str, service: Service, instance: dg.DagsterInstance | None = None, **options: Any
) -> dg.ExecuteInProcessResult:
    """On the given instance, or on one in memory where what Dagster keeps does not matter."""
    resources = {"service": service, "io_manager": dg.mem_io_manager}
    return defs.resolve_job_def(job).execute_in_process(
        instance=instance, resources=resources, raise_on_error=False, **options
    )


def _made(result: dg.ExecuteInProcessResult) -> dict[str, dict[str, Any]]:
    """Metadata by asset."""
    events = result.get_asset_materialization_events()
    return {
        event.asset_key.to_user_string(): {
            key: value.value for key, value in event.step_materialization_data.materialization.metadata.items()
        }
        for event in events
        if event.asset_key
    }


def _checked(result: dg.ExecuteInProcessResult) -> dict[str, dg.AssetCheckEvaluation]:
    return {each.check_name: each for each in result.get_asset_check_evaluations()}


def _check_owner_in(scenario: Scenario) -> None:
    """A notify signal on chain."""
    owner, heir = scenario.account("owner"), scenario.account("heir")
    scenario.subscribe_premium(owner)
    legacy = scenario.create_legacy(owner, {heir.address: 100})
    scenario.configure_reminders(owner, legacy)
    scenario.check_in(owner, legacy)


async def _alarm(runtime: Runtime) -> None:
    await runtime.alerts.raise_condition(None, AlertKind.RELAY_STUCK, SOMEBODY, 31337, {})


def _result(check: dg.AssetChecksDefinition, service: Service) -> dg.AssetCheckResult:
    result = check(service=service)
    assert isinstance(result, dg.AssetCheckResult)
    return result


def _enter_email(database: psycopg.Connection[Any], state: str, **columns: Any) -> None:
    values = {"id": uuid4(), "chain_id": 31337, "legacy": LEGACY, "recipient": SOMEBODY, "kind": "owner_reset"}
    values |= {"event": uuid4().hex, "role": "owner", "state": state, **columns}
    names = ", ".join(values)
    holes = ", ".join(["%s"] * len(values))
    database.execute(f"insert into worker.sent_ledger ({names}) values ({holes})", list(values.values()))


# -- runs -----------------------------------------------------------------------------------------


def test_a_run_for_events_makes_the_index_then_signals_then_emails_and_says_what_it_did(
    chain_scenario: Scenario, service: Service
) -> None:
    _check_owner_in(chain_scenario)
    result = _run("events", service)
    made = _made(result)
    assert result.success
    assert list(made) == ["chain_index", "notify_signals", "sent_emails"]
    assert str(chain_scenario.anvil.block_number()) in made["chain_index"]["position"]
    assert made["chain_index"]["last run: events"] > 0
    assert made["notify_signals"]["last run: new"] == 1
    assert made["sent_emails"]["undecided emails"] == 0
    checked = _checked(result)
    assert set(checked) == {"every_chain_succeeded", "index_lag", "every_signal_settled", "every_email_decided"}
    assert all(check.passed for check in checked.values())


def test_a_chain_that_fails_fails_the_run_but_holds_up_neither_another_chain_nor_the_emails(
    chain_scenario: Scenario, environ: dict[str, str], opened: Callable[[dict[str, str]], Service]
) -> None:
    dead = chain_scenario.deployment.settings_environ(DEAD_CHAIN, "http://127.0.0.1:9")
    both = {**environ, **dead, "CHAINS": f"{environ['CHAINS']},{DEAD_CHAIN}"}
    _check_owner_in(chain_scenario)
    result = _run("events", opened(both))
    made = _made(result)
    assert not result.success
    assert list(made) == ["chain_index", "notify_signals", "sent_emails"]
    assert made["notify_signals"][f"last run: new (chain {chain_scenario.anvil.chain_id})"] == 1
    assert made["chain_index"][f"failed (chain {DEAD_CHAIN})"].startswith("ChainUnavailable")
    failure = next(event for event in result.all_events if event.event_type_value == "STEP_FAILURE")
    assert f"chain {DEAD_CHAIN}: ChainUnavailable" in failure.step_failure_data.error_display_string
    lag = _checked(result)["index_lag"]
    assert not lag.passed
    assert (lag.description or "").startswith(f"no answer of chain {DEAD_CHAIN}: ChainUnavailable; ")


def test_a_pass_that_is_off_is_not_made_and_the_log_says_why(
    environ: dict[str, str], opened: Callable[[dict[str, str]], Service], instance: dg.DagsterInstance
) -> None:
    service = opened({name: value for name, value in environ.items() if not name.startswith("MAIL_")})
    result = _run("emails", service, instance)
    assert result.success
    assert _made(result) == {}
    logged = [entry.user_message for entry in instance.all_logs(result.run_id)]
    assert any("skipped" in line and "no mail service is configured" in line for line in logged)


def test_texts_of_foreign_exceptions_do_not_reach_dagsters_storage(instance: dg.DagsterInstance) -> None:
    def broken() -> Any:
        raise ValueError(CANARY)

    service = Service(broken)
    try:
        result = _run("events", service, instance)
    finally:
        service.close()
    assert not result.success
    assert "DagsterRedactedUserCodeError" in str(instance.all_logs(result.run_id))
    assert CANARY not in str(instance.all_logs(result.run_id))


# -- the overview ---------------------------------------------------------------------------------


def test_the_overview_shows_every_pass_and_what_was_sent(service: Service, database: psycopg.Connection[Any]) -> None:
    _run("events", service)
    for _ in range(3):
        _enter_email(database, "sent", message_id="m", settled_at=datetime.now(UTC))
    made = _made(_run("overview", service))
    assert made["worker_health"]["wrong now"] == 0
    for name in ("index", "signals", "dispatch"):
        assert f"| {name} |" in made["pass_state"]["passes"]
    assert made["sends_per_day"]["sent today"] == 3
    assert "| owner_reset | sent | 3 |" in made["sends_per_day"]["outcomes"]


def test_the_overview_shows_how_each_asset_stands_also_where_nothing_was_to_be_done(
    service: Service, database: psycopg.Connection[Any], instance: dg.DagsterInstance
) -> None:
    """No page of an asset is empty, and what operators ask at a glance is there: spending, alerts, what is off."""
    _run("events", service)
    enter_budget(database.execute, reserved=0, spent=3 * 10**17, requests=2, days_ago=0)
    service.call(_alarm, 10)
    result = _run("overview", service, instance)
    assert result.success
    observed = [e.asset_observation_data.asset_observation for e in result.get_asset_observation_events()]
    seen = {each.asset_key.to_user_string(): {k: str(v.value) for k, v in each.metadata.items()} for each in observed}
    assert seen["relay_requests"]["spent this month (ETH)"] == "0.3"
    assert "relay_stuck" in seen["raised_alerts"]["what was told"]
    assert seen["prices"]["pass"].startswith("off: ")
    assets = {spec.key.to_user_string() for spec in defs.resolve_all_asset_specs()}
    assert assets - {"statistics_snapshots", "statistics_days"} == set(seen) | set(_made(result))
    assert all(seen.values())


def test_each_minute_shows_where_the_index_is(chain_scenario: Scenario, service: Service) -> None:
    _run("events", service)
    sensor = next(each for each in make_sensors(service) if each.name == "health_every_minute")
    with dg.DagsterInstance.ephemeral() as instance:
        answer = sensor(dg.build_sensor_context(instance=instance))
    assert isinstance(answer, dg.SensorResult)
    (observed,) = answer.asset_events
    assert observed.asset_key == dg.AssetKey("chain")
    assert f"| {chain_scenario.anvil.block_number()} |" in str(observed.metadata["position"])


# -- checks ---------------------------------------------------------------------------------------


def test_the_overview_evaluates_every_standing_check_and_that_of_worker_health(service: Service) -> None:
    assert set(_checked(_run("overview", service))) == {
        "index_lag",
        "every_signal_settled",
        "every_set_reaches_somebody",
        "every_email_decided",
        "no_stuck_slot",
        "no_stopped_wallet",
        "balances_suffice",
        "every_alert_delivered",
        "every_pass_alive",
        "price_not_stale",
        "nothing_is_wrong",
        "every_chain_succeeded",  # of worker_health
    }


def _enter_signal(database: psycopg.Connection[Any], minutes: int, chain_id: int = 31337) -> None:
    database.execute(
        "insert into worker.notify_signal"
        " (chain_id, tx_hash, legacy, kind, layer, creator, block_number, block_time, seen_at)"
        " values (%s, %s, %s, 0, 1, %s, 1, 1, %s)",
        (chain_id, f"0x{minutes:064x}", LEGACY, SOMEBODY, datetime.now(UTC) - timedelta(minutes=minutes)),
    )


def test_each_check_fails_by_its_own_facts_only(with_relayer: Service, database: psycopg.Connection[Any]) -> None:
    """Dead emails, those held in the last week and those long in doubt; old signals; stuck slots; stopped wallets."""
    for state, minutes, passed in (
        *(("dead", 0, False), ("dead", 30 * 24 * 60, False), ("held", 0, False), ("held", 6 * 24 * 60, False)),
        *(("held", 8 * 24 * 60, True), ("unknown", 60, False), ("unknown", 1, True), ("queued", 60, True)),
    ):
        database.execute("delete from worker.sent_ledger")
        _enter_email(database, state, claimed_at=datetime.now(UTC) - timedelta(minutes=minutes))
        assert _result(checks.every_email_decided, with_relayer).passed is passed, (state, minutes)
    for minutes, passed in ((0, True), (30, False)):
        _enter_signal(database, minutes)
        assert _result(checks.every_signal_settled, with_relayer).passed is passed
    for silent, passed in ((False, True), (True, False)):
        database.execute(
            "insert into worker.watch (chain_id, legacy, creator, legacy_type, silent) values (31337, %s, %s, 3, %s)"
            " on conflict (chain_id, legacy) do update set silent = excluded.silent",
            (LEGACY, SOMEBODY, silent),
        )
        found = _result(checks.every_set_reaches_somebody, with_relayer)
        assert found.passed is passed
        assert LEGACY not in str(found)
    for stopped, passed in ((None, True), ("foreign_nonce", False)):
        enter_wallet(database.execute, RELAYER, stopped=stopped)
        assert _result(checks.no_stopped_wallet, with_relayer).passed is passed
    for nonce, (minutes, state, passed) in enumerate(
        ((5, "broadcast", True), (20, "mined", True), (20, "broadcast", False))
    ):
        sql, vault = database.execute, Vault(b"k" * 32)
        enter_request(sql, vault, state, nonce=nonce, age_seconds=60 * minutes, wallet=RELAYER)
        assert _result(checks.no_stuck_slot, with_relayer).passed is passed, (state, minutes)


def test_an_index_far_behind_the_head_fails_its_check(chain_scenario: Scenario, service: Service) -> None:
    _run("events", service)
    assert _result(checks.index_lag, service).passed
    chain_scenario.anvil.mine(101)
    result = _result(checks.index_lag, service)
    assert not result.passed
    assert result.metadata["blocks behind"].value == 101
    assert result.description == f"101 blocks behind the head of chain {chain_scenario.anvil.chain_id}"


def test_a_pass_without_a_late_success_fails_its_check_and_looks_that_find_nothing_count_as_success(
    service: Service, database: psycopg.Connection[Any]
) -> None:
    _run("events", service)
    _run("statistics", service)
    assert not _result(checks.every_pass_alive, service).passed  # the due pass never looked
    _run("health", service)
    for sensor in ("due_every_minute", OFTEN, "bounces_every_5_minutes", "health_every_minute"):
        _tick(sensor, service)
    assert _result(checks.every_pass_alive, service).passed
    database.execute(
        "update worker.pass_state set succeeded_at = clock_timestamp() - interval '1 hour' where name = 'signals'"
    )
    assert not _result(checks.every_pass_alive, service).passed


def test_a_low_balance_and_a_refused_alert_fail_their_checks(
    service: Service, database: psycopg.Connection[Any]
) -> None:
    raised = "insert into worker.alert_state (chain_id, kind, subject, raised, changes) values (1, %s, 'x', %s, 1)"
    entered = (
        "insert into worker.alert (id, chain_id, kind, subject, stage, variables, state)"
        " values (gen_random_uuid(), 1, 'relay_stuck', 'x', %s, '{}', %s)"
    )
    database.execute(raised, ("relayer_low_balance", False))
    database.execute(entered, ("1", "queued"))
    assert _result(checks.balances_suffice, service).passed
    assert _result(checks.every_alert_delivered, service).passed
    database.execute("update worker.alert_state set raised = true")
    database.execute(entered, ("2", "dead"))
    assert not _result(checks.balances_suffice, service).passed
    assert not _result(checks.every_alert_delivered, service).passed


# -- sensors --------------------------------------------------------------------------------------


def test_sensors_with_nothing_to_do_skip_and_say_why(chain_scenario: Scenario, service: Service) -> None:
    _run("events", service)
    _run("statistics", service)
    _run("health", service)
    head, hour = chain_scenario.anvil.block_number(), chain_scenario.anvil.now() // 3600 * 3600
    said = {sensor.name: _tick(sensor.name, service).skip_message for sensor in make_sensors(service)}
    assert said == {
        "events_every_5_seconds": f"no event on chain {chain_scenario.anvil.chain_id} up to block {head}",
        "due_every_minute": "nobody to remind: no recipients are stored",
        OFTEN: "no reminder to send; off: gifts: gifts are not served here (GIFT_ORIGINS);"
        " off: upgrades: no timelock to watch (CHAIN_x_UPGRADE_TIMELOCK);"
        " off: relay: no wallet of ours is configured"
        " (RELAYER_KEY, ATTESTOR_KEY)",
        "bounces_every_5_minutes": "nothing came back; addresses from which something did: 0",
        "auto_renew_every_5_minutes": "off: auto_renew: no attestor is configured (ATTESTOR_KEY)",
        "health_every_minute": "nothing is wrong",
        "statistics_every_5_minutes": f"chain 31337 has its snapshot of {format_clock(hour)}",
        "price_feeds_every_5_minutes": "off: prices: no price feeds (CHAIN_x_PRICE_FEEDS)",
    }


def test_an_event_on_chain_launches_one_run_of_its_lane_until_it_was_read(
    chain_scenario: Scenario, service: Service, instance: dg.DagsterInstance
) -> None:
    _check_owner_in(chain_scenario)
    for status, lane, launches in (
        ("NOT_STARTED", "events", False),
        ("STARTED", "events", False),
        ("SUCCESS", "events", True),
        ("STARTED", "due", True),
    ):
        job = defs.resolve_job_def(lane)
        run = instance.create_run_for_job(job, status=dg.DagsterRunStatus(status), tags={LANE: lane})
        answer = _tick("events_every_5_seconds", service, instance)
        assert answer.launched == (["events"] if launches else []), (status, lane)
        assert launches or "a run of this lane is under way" in answer.skip_message
        instance.delete_run(run.run_id)
    _run("events", service, instance)
    assert not _tick("events_every_5_seconds", service, instance).launched


def test_a_run_started_by_hand_waits_for_the_run_that_does_the_same_work(
    chain_scenario: Scenario, service: Service, instance: dg.DagsterInstance, database: psycopg.Connection[Any]
) -> None:
    storage = instance.event_log_storage
    _run("events", service, instance)  # makes the pool, too
    _check_owner_in(chain_scenario)
    database.execute("delete from worker.pass_state")
    assert storage.claim_concurrency_slot("events", "another run", "chain_index").is_claimed
    with ThreadPoolExecutor(1) as threads:
        by_hand = threads.submit(
            dg.materialize, [chain_index], instance=instance, resources={"service": service}, raise_on_error=False
        )
        while not storage.get_concurrency_info("events").pending_step_count:
            assert not by_hand.done()
        assert database.execute("select count(*) from worker.pass_state where name = 'index'").fetchone() == (0,)
        storage.free_concurrency_slots_for_run("another run")
        assert by_hand.result().success
    assert database.execute("select count(*) from worker.pass_state where name = 'index'").fetchone() == (1,)


def test_a_chain_whose_run_just_failed_rests_before_the_next(
    chain_scenario: Scenario, service: Service, instance: dg.DagsterInstance, database: psycopg.Connection[Any]
) -> None:
    _check_owner_in(chain_scenario)
    insert = (
        "insert into worker.pass_state (name, chain_id, failed_at, error) values ('index', %s, clock_timestamp(), 'E')"
    )
    database.execute(insert, (chain_scenario.anvil.chain_id,))
    assert "failed and is tried again in" in _tick("events_every_5_seconds", service, instance).skip_message
    database.execute("update worker.pass_state set failed_at = clock_timestamp() - interval '1 minute'")
    assert _tick("events_every_5_seconds", service, instance).launched


def _all_passes_look(service: Service) -> None:
    _run("events", service)
    _run("statistics", service)
    for sensor in ("due_every_minute", OFTEN, "bounces_every_5_minutes"):
        _tick(sensor, service)


def test_the_watchdog_launches_a_run_only_for_a_change_and_its_asset_shows_what_is_wrong(
    service: Service, database: psycopg.Connection[Any], instance: dg.DagsterInstance
) -> None:
    _all_passes_look(service)
    assert _tick("health_every_minute", service, instance).launched == ["health"], "the first look"
    assert _made(_run("health", service, instance))["worker_health"]["wrong now"] == 0
    assert _tick("health_every_minute", service, instance).skip_message == "nothing is wrong"
    _enter_email(database, "held", claimed_at=datetime.now(UTC))
    assert _tick("health_every_minute", service, instance).launched == ["health"]
    assert _tick("health_every_minute", service, instance).skip_message.startswith("no change; wrong now: 1")
    result = _run("health", service, instance)
    assert "emails_need_hand" in _made(result)["worker_health"]["conditions"]
    standing = _checked(_run("overview", service))["nothing_is_wrong"]
    assert not standing.passed


def test_nothing_is_said_to_be_well_while_the_watchdog_does_not_look(
    service: Service, database: psycopg.Connection[Any]
) -> None:
    """As where its sensor was switched off: what is wrong by now nobody has told."""
    assert not _result(checks.nothing_is_wrong, service).passed
    _all_passes_look(service)
    _run("health", service)
    assert _result(checks.nothing_is_wrong, service).passed
    database.execute("update worker.pass_state set checked_at = checked_at - interval '6 minutes'")
    assert not _result(checks.nothing_is_wrong, service).passed


def test_a_sensor_that_cannot_look_names_what_failed_and_no_address(
    environ: dict[str, str], opened: Callable[[dict[str, str]], Service], chain_scenario: Scenario
) -> None:
    chain_id = chain_scenario.anvil.chain_id
    service = opened({**environ, f"CHAIN_{chain_id}_RPC_URLS": "http://127.0.0.1:9/secret-path"})
    said = _tick("events_every_5_seconds", service).skip_message
    assert f"index of chain {chain_id} cannot look: ChainUnavailable" in said
    assert "secret-path" not in said


@pytest.mark.parametrize(("sensor", "launched"), [("events_every_5_seconds", ["events"]), (OFTEN, ["relay"])])
def test_a_chain_that_never_answers_keeps_neither_another_chain_nor_alerts_from_being_looked_at(
    sensor: str,
    launched: list[str],
    chain_scenario: Scenario,
    environ: dict[str, str],
    opened: Callable[[dict[str, str]], Service],
    instance: dg.DagsterInstance,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Three endpoints that are silent for as long as each is waited for are longer than a sensor may take."""
    monkeypatch.setattr("reminder_worker.passes.LOOK_SECONDS", 5)
    _check_owner_in(chain_scenario)

    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        dead = chain_scenario.deployment.settings_environ(DEAD_CHAIN, ",".join(f"{url}/{n}" for n in range(3)))
        timelock = {f"CHAIN_{DEAD_CHAIN}_UPGRADE_TIMELOCK": SOMEBODY}
        service = opened({**environ, **dead, **timelock, "CHAINS": f"{environ['CHAINS']},{DEAD_CHAIN}"})
        service.call(_alarm, 10)
        assert _tick(sensor, service, instance).launched == launched


def test_the_looks_of_a_sensor_do_not_wait_for_each_other(
    service: Service, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dagster gives up a sensor after a minute: what is silent in one look must not take the others' time."""
    monkeypatch.setattr("pipelines.sensors.LOOK_SECONDS", 5.0)
    both = asyncio.Barrier(2)

    async def met(_: Runtime) -> str:
        async with both:
            return "met"

    async def silent(_: Runtime) -> str:
        await asyncio.Event().wait()
        return "never"

    watches = [JobWatch(jobs.due, (), ("due",), met), JobWatch(jobs.health, (), ("health",), met)]
    watches += [JobWatch(jobs.emails, (), ("emails",), silent)]
    sensor = _make_sensor(service, watches, "minute", "")
    result = sensor(dg.build_sensor_context(instance=instance))
    assert isinstance(result, dg.SensorResult)
    assert result.skip_reason is not None
    assert result.skip_reason.skip_message == "met; met; cannot look: no answer within 5 seconds"


def test_a_database_that_is_not_migrated_is_said_in_words(
    environ: dict[str, str], opened: Callable[[dict[str, str]], Service], database: psycopg.Connection[Any]
) -> None:
    database.execute("drop schema worker cascade")
    assert "reminder-worker migrate" in _tick("events_every_5_seconds", opened(environ)).skip_message


# -- the relay ------------------------------------------------------------------------------------


@pytest.fixture
def relaying(
    environ: dict[str, str], opened: Callable[[dict[str, str]], Service], monkeypatch: pytest.MonkeyPatch
) -> Service:
    """A worker that relays, and looks once in a run."""
    monkeypatch.setattr("assets.relay.STAY_SECONDS", 0)
    return opened({**environ, "RELAYER_KEY": RELAYER_KEY})


def _relay_a_withdrawal(scenario: Scenario, service: Service) -> UUID:
    """Admitted as the API does it, and mined; not final."""
    scenario.anvil.set_balance(load_signer(SecretStr(RELAYER_KEY)).address, 10**18)
    heir, giver = scenario.account("heir"), scenario.account("giver")
    gift = scenario.create_gift(giver, heir.address, tokens=[(scenario.deployment.usdc, 10**6)], duration=1)
    scenario.advance(2)
    signed = scenario.withdraw_auth(heir, gift, deadline=scenario.anvil.now() + 1800)
    router = scenario.contracts["TimeLockRouter"]
    authorization = RelayAuthorization(
        chain_id=scenario.anvil.chain_id,
        lane=RelayLane.GIFT_WITHDRAW,
        digest=uuid4().bytes * 2,
        router=scenario.deployment.time_lock_router.lower(),
        subject_id=gift,
        signer=heir.address.lower(),
        creator=giver.address.lower(),
        nonce=0,
        deadline=scenario.anvil.now() + 1800,
        call_data=bytes.fromhex(router.encode("withdrawFor", gift, False, signed)[2:]),
        gas_limit=300_000,
    )

    async def admit(runtime: Runtime) -> UUID:
        return (await runtime.relaying.admissions["relayer"].admit_request(authorization)).id

    return service.call(admit, 60)


def _state_of(database: psycopg.Connection[Any], request_id: UUID) -> str:
    row = database.execute("select state from worker.relay_request where id = %s", (request_id,)).fetchone()
    assert row is not None
    return str(row[0])


def test_an_open_request_launches_runs_until_it_is_final_and_then_none(
    chain_scenario: Scenario, relaying: Service, instance: dg.DagsterInstance, database: psycopg.Connection[Any]
) -> None:
    request_id = _relay_a_withdrawal(chain_scenario, relaying)
    assert _tick(OFTEN, relaying, instance).launched == ["relay"]
    made = _made(_run("relay", relaying))
    assert _state_of(database, request_id) == "mined"
    assert list(made) == ["relay_requests", "ops_alerts"]
    assert made["relay_requests"]["open requests"] == 1
    assert "| gift_withdraw | 31337 | mined | 1 |" in made["relay_requests"]["requests by state"]
    assert 0.9 < made["relay_requests"]["last run: relayer: balance eth"] < 1
    assert _tick(OFTEN, relaying, instance).launched
    chain_scenario.anvil.mine(2 * chain_scenario.anvil.slots_in_an_epoch + 1)
    _run("relay", relaying)
    assert _state_of(database, request_id) == "confirmed"
    assert _tick(OFTEN, relaying, instance).skip_message == NOTHING_TO_DO


def test_a_run_stays_while_anything_is_open(
    chain_scenario: Scenario, relaying: Service, database: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run's start costs more than many looks."""
    monkeypatch.setattr("assets.relay.STAY_SECONDS", 60)
    monkeypatch.setattr("assets.relay.PAUSE_SECONDS", 0.01)
    request_id = _relay_a_withdrawal(chain_scenario, relaying)
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(_run, "relay", relaying)
        while _state_of(database, request_id) != "mined":
            assert not running.done()
        chain_scenario.anvil.mine(2 * chain_scenario.anvil.slots_in_an_epoch + 1)
        assert running.result().success
    assert _state_of(database, request_id) == "confirmed"


def test_an_alert_is_told_by_the_next_run_also_when_nothing_is_relayed(
    service: Service, instance: dg.DagsterInstance, database: psycopg.Connection[Any]
) -> None:
    service.call(_alarm, 10)
    assert _tick(OFTEN, service, instance).launched
    result = _run("relay", service)
    assert result.success
    assert list(_made(result)) == ["ops_alerts"]
    assert database.execute("select state, logged_at is not null from worker.alert").fetchall() == [("log_only", True)]
    assert not _tick(OFTEN, service, instance).launched


@pytest.mark.parametrize(
    ("keys", "passes"),
    [
        ({"RELAYER_KEY": "0x1234"}, {RELAY}),
        ({"RELAYER_KEY": RELAYER_KEY, "ATTESTOR_KEY": RELAYER_KEY}, {RELAY, AUTO_RENEW}),
    ],
    ids=["relayer", "attestor"],
)
def test_a_pass_whose_key_cannot_be_used_is_no_success(
    environ: dict[str, str], opened: Callable[[dict[str, str]], Service], keys: dict[str, str], passes: set[WorkerPass]
) -> None:
    """It does nothing, and the watchdog hears of what does not succeed: a log line at the start is soon forgotten."""

    async def failed(runtime: Runtime) -> set[str]:
        for step in passes:
            assert not any(outcome.due for outcome in await worker_passes.poll_pass(runtime, step)), (
                "a run would only fail"
            )
            with suppress(worker_passes.PassFailed):
                await worker_passes.run_pass(runtime, step)
        states = await PASS_STATES.read(runtime.scope)
        return {state.name for state in states if state.error == "Misconfigured" and state.succeeded_age is None}

    service = opened({**environ, **keys})
    names = {step.name for step in passes}
    assert service.call(failed, 30) == names
    assert service.call(failed, 30) == names, "also when it was looked at before"


def test_owners_who_opted_in_are_looked_at_when_due_and_shown(
    chain_scenario: Scenario,
    environ: dict[str, str],
    opened: Callable[[dict[str, str]], Service],
    instance: dg.DagsterInstance,
    database: psycopg.Connection[Any],
) -> None:
    service = opened({**environ, "ATTESTOR_KEY": chain_scenario.account("attestor").key.hex()})
    assert _tick("auto_renew_every_5_minutes", service, instance).skip_message == "nobody has opted in"
    owner, heir = chain_scenario.account("owner"), chain_scenario.account("heir")
    chain_scenario.subscribe_premium(owner)
    legacy = chain_scenario.create_legacy(owner, {heir.address: 100}, inactivity=100 * 86400)
    chain_scenario.set_auto_renew(owner, legacy)
    chain_scenario.anvil.mine(2 * chain_scenario.anvil.slots_in_an_epoch + 1)
    _run("events", service)
    assert _tick("auto_renew_every_5_minutes", service, instance).launched
    made = _made(_run("auto_renew", service))["owner_activity"]
    assert made["owners"] == 1
    assert f"| {chain_scenario.anvil.chain_id} | {legacy.address} |" in made["held, and nearest deadlines"]
    assert "| wait | too_early |" in made["decisions"]
    database.execute(  # of a chain that was taken out
        "insert into worker.owner_activity"
        " select (jsonb_populate_record(o, '{\"chain_id\": 5}')).* from worker.owner_activity o"
    )
    said = _tick("auto_renew_every_5_minutes", service, instance).skip_message
    assert said == "owners looked at in the last day: 1"
    database.execute("update worker.owner_activity set next_look = next_look - 86400")
    assert _tick("auto_renew_every_5_minutes", service, instance).launched


# -- pruning --------------------------------------------------------------------------------------


def _old_run(instance: dg.DagsterInstance, status: str, days: float, **tags: str) -> str:
    run = instance.create_run_for_job(defs.resolve_job_def("due"), status=dg.DagsterRunStatus(status), tags=tags)
    with instance.run_storage.connect() as connection:  # type: ignore[attr-defined]
        connection.execute(
            sa.text("update runs set create_timestamp = now() - make_interval(secs => :age) where run_id = :id"),
            {"age": days * 86400, "id": run.run_id},
        )
    return run.run_id


def _prune(service: Service, instance: dg.DagsterInstance, **config: float) -> dict[str, Any]:
    result = _run("prune", service, instance, run_config={"ops": {"prune_runs": {"config": config}}})
    assert result.success
    data = [e.step_output_data.metadata for e in result.all_events if e.event_type_value == "STEP_OUTPUT"]
    return {key: value.value for each in data for key, value in each.items()}


def test_pruning_deletes_old_finished_runs_only(service: Service, instance: dg.DagsterInstance) -> None:
    old = [_old_run(instance, status, 8) for status in ("SUCCESS", "FAILURE", "CANCELED")]
    kept = [_old_run(instance, "SUCCESS", 6), _old_run(instance, "STARTED", 8)]
    assert _prune(service, instance)["deleted"] == 3
    assert not any(instance.has_run(run_id) for run_id in old)
    assert all(instance.has_run(run_id) for run_id in kept)


def test_pruning_keeps_what_made_a_day_of_a_series_since_it_would_be_called_missing(
    service: Service, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipelines.retention._PAGE", 2)
    day = {"dagster/partition": "2026-01-01"}
    days = {f"dagster/asset_partition_range_{end}": "2026-01-01" for end in ("start", "end")}
    of_days = [_old_run(instance, "SUCCESS", 8, **tags) for tags in (day, days, day)]
    gone = [_old_run(instance, "FAILURE", 8, **day), _old_run(instance, "SUCCESS", 8)]
    found = _prune(service, instance)
    assert (found["deleted"], found["left over"]) == (2, 0)
    assert all(instance.has_run(run_id) for run_id in of_days)
    assert not any(instance.has_run(run_id) for run_id in gone)


def test_pruning_forgets_what_checks_said_long_ago_but_never_their_last_word(
    service: Service, instance: dg.DagsterInstance
) -> None:
    """Dagster itself keeps the results of deleted runs."""

    def told(statement: str) -> list[int]:
        with instance.event_log_storage.index_connection() as connection:  # type: ignore[attr-defined]
            found = connection.execute(sa.text(statement))
            return [row[0] for row in found] if found.returns_rows else []

    def age_all() -> list[int]:
        past = "evaluation_event_timestamp = now() - interval '8 days'"
        return sorted(told(f"update asset_check_executions set {past} returning id"))

    told("delete from asset_check_executions")
    for _ in range(2):
        _run("overview", service, instance)
    before = age_all()
    _run("overview", service, instance)
    _prune(service, instance)
    kept = sorted(told("select id from asset_check_executions"))
    assert len(kept) == len(before) / 2
    assert not set(kept) & set(before)
    assert age_all() == kept
    assert _prune(service, instance)["results of checks"] == 0
    assert sorted(told("select id from asset_check_executions")) == kept


def test_pruning_forgets_what_was_observed_long_ago_but_never_the_last(
    service: Service, instance: dg.DagsterInstance
) -> None:
    def report(block: int) -> None:
        instance.report_runless_asset_event(dg.AssetObservation("chain_index", metadata={"block": block}))

    def kept() -> list[Any]:
        found = instance.fetch_observations(dg.AssetKey("chain_index"), limit=10).records
        return [each.asset_observation.metadata["block"].value for each in found if each.asset_observation]

    with instance.event_log_storage.index_connection() as connection:  # type: ignore[attr-defined]
        connection.execute(sa.text("delete from event_logs where run_id = ''"))
    report(1)
    report(2)
    with instance.event_log_storage.index_connection() as connection:  # type: ignore[attr-defined]
        connection.execute(sa.text("update event_logs set timestamp = now() - interval '8 days' where run_id = ''"))
    assert _prune(service, instance)["observations"] == 1
    assert kept() == [2]
    report(3)
    assert _prune(service, instance)["observations"] == 1
    report(4)
    assert _prune(service, instance)["observations"] == 0
    assert kept() == [4, 3]


def test_pruning_forgets_signatures_and_counters_that_are_over_only(
    service: Service, instance: dg.DagsterInstance, database: psycopg.Connection[Any]
) -> None:
    for name, age in (("over", 7200), ("valid", -3600)):
        database.execute(
            "insert into worker.used_signature select %s, extract(epoch from now())::bigint - %s", (name.encode(), age)
        )
        database.execute(
            'insert into worker.quota (scope, subject, "window", used, ends_at)'
            " select 's', %s, 0, 1, extract(epoch from now())::bigint - %s",
            (name, age),
        )
    assert _prune(service, instance)["rows"] == 2
    assert database.execute("select digest from worker.used_signature").fetchall() == [(b"valid",)]
    assert database.execute("select subject from worker.quota").fetchall() == [("valid",)]


def test_forgetting_that_stopped_fails_the_check_of_the_passes(
    service: Service, instance: dg.DagsterInstance, database: psycopg.Connection[Any]
) -> None:
    """If its schedule is off or fails each hour, expired data stays and everything else looks well."""

    def silent() -> str:
        return str(_result(checks.every_pass_alive, service).metadata["silent"].value)

    assert "| forget |" not in silent()
    _prune(service, instance)
    assert "| forget |" not in silent()
    database.execute("update worker.pass_state set succeeded_at = now() - interval '3 hours' where name = 'forget'")
    assert "| forget |" in silent()
    _prune(service, instance)
    assert "| forget |" not in silent()


def test_pruning_forgets_requests_budgets_and_alerts_that_ended_long_ago_only(
    service: Service, instance: dg.DagsterInstance, database: psycopg.Connection[Any]
) -> None:
    vault, days = Vault(b"k" * 32), 86400
    kept = {
        enter_request(database.execute, vault, "confirmed", nonce=2, age_seconds=80 * days),
        enter_request(database.execute, vault, "broadcast", nonce=3, age_seconds=100 * days),
        enter_request(database.execute, vault, "deferred_fee", nonce=None, age_seconds=100 * days),
        enter_request(database.execute, vault, "cancelled_by_user", nonce=4, age_seconds=100 * days),
    }
    database.execute("update worker.nonce_slot set state = 'mined', spent_wei = null where nonce = 4")  # to be settled
    for state, nonce in (("confirmed", 0), ("reverted", 1), ("expired", None)):
        enter_request(database.execute, vault, state, nonce=nonce, age_seconds=100 * days)
    for ago in (80, 100):
        enter_budget(database.execute, reserved=0, spent=1, requests=1, days_ago=ago)
        for state in ("sent", "queued"):
            database.execute(
                "insert into worker.alert (id, chain_id, kind, subject, stage, variables, state, logged_at, created_at)"
                " values (%s, 1, 'relay_stuck', 'x', %s, '{}', %s, now(), now() - make_interval(days => %s))",
                (uuid4(), f"{state} {ago}", state, ago),
            )
    _prune(service, instance)
    assert {row[0] for row in database.execute("select id from worker.relay_request")} == kept
    for table in ("nonce_slot", "tx_attempt"):
        assert sorted(database.execute(f"select nonce from worker.{table}").fetchall()) == [(2,), (3,), (4,)]
    assert database.execute("select current_date - day < 90 from worker.relay_budget").fetchall() == [(True,)]
    stages = {row[0] for row in database.execute("select stage from worker.alert")}
    assert stages == {"sent 80", "queued 80", "queued 100"}


def test_doctor_says_when_dagster_waits_for_a_time_to_come(instance: dg.DagsterInstance) -> None:
    """No sensor looks before its last tick is over: once its clock was ahead nothing runs, also after a restart."""
    _, good, words = examine_dagster(os.environ["DAGSTER_PG_URL"])
    assert (good, words) == (True, "its storage answers")
    moment = datetime.now(UTC) + timedelta(hours=2, minutes=1)
    data = TickData("origin", "sensor", InstigatorType.SENSOR, TickStatus.SKIPPED, moment.timestamp(), selector_id="s")
    instance.create_tick(data)
    _, good, words = examine_dagster(os.environ["DAGSTER_PG_URL"])
    assert good is False
    assert "its last tick is 2 hours ahead, and nothing runs until then" in words
    instance.wipe_all_schedules()
    assert examine_dagster(os.environ["DAGSTER_PG_URL"])[1]


def test_dagsters_storage_keeps_its_connections(instance: dg.DagsterInstance, postgres_server: str) -> None:
    """Without a pool each statement opens one: 885 a minute when nothing happens."""

    def count_connections() -> int:
        with psycopg.connect(postgres_server, autocommit=True) as connection:
            connection.execute("select pg_stat_force_next_flush()")
            row = connection.execute("select sum(sessions) from pg_stat_database").fetchone()
        assert row is not None
        return int(row[0])

    instance.get_run_records(limit=1)  # each storage opens its own at first
    instance.all_instigator_state()
    instance.get_latest_materialization_event(dg.AssetKey("any"))
    before = count_connections()
    for _ in range(20):
        instance.get_run_records(limit=1)
        instance.all_instigator_state()
        instance.get_latest_materialization_event(dg.AssetKey("any"))
    assert count_connections() - before <= 2, "this test's own"


async def test_a_quiet_chain_is_asked_again_only_after_its_interval(
    chain_scenario: Scenario, environ: dict[str, str]
) -> None:
    """On a public chain: each poll of the index, and each look of the watchdog, costs the node's owner money."""
    settings, chain_id = Settings.from_environ(environ), chain_scenario.anvil.chain_id
    public = settings.model_copy(update={"service": settings.service.model_copy(update={"environment": "production"})})
    async with open_runtime(public) as runtime:
        sights = runtime.watchdog.sights

        async def poll_both() -> tuple[int, int]:
            chain_scenario.anvil.mine()
            await worker_passes.poll_pass(runtime, INDEX)
            await worker_passes.poll_pass(runtime, WATCHDOG)
            return (await runtime.chain_indexes[chain_id].find_cursor()).number, sights[chain_id][1].highest

        await worker_passes.run_pass(runtime, INDEX)
        seen = await poll_both()
        assert await poll_both() == seen, "asked again at once"
        runtime.quiet_until.clear()
        sights[chain_id] = (
            sights[chain_id][0] - 180,
            sights[chain_id][1],
        )
        index, highest = await poll_both()
        assert (index, highest) == (seen[0] + 2, seen[1] + 2), "not asked after the interval"
