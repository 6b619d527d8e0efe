"""The loop in the sensors' warm process: emails leave at once, Dagster shows the same, and runs do what it leaves."""

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from functools import partial

import dagster as dg
import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from assets.service import Service
from devnet.scenarios import Legacy
from pipelines.hot_loop import HotLoop
from pipelines.sensors import make_sensors
from reminder_worker.runtime import Runtime, open_runtime
from reminder_worker.settings import Settings
from tests.integration.chain_proxy import NodeProxy
from tests.integration.crash import CrashAt, PlannedCrash
from tests.integration.reminder_world import MailWorld
from tests.integration.test_instructions import signed

ASSETS = ["chain_index", "notify_signals", "sent_emails"]
ShownEvent = dg.AssetMaterialization | dg.AssetObservation | dg.AssetCheckEvaluation
CHECKS = {"every_chain_succeeded", "index_lag", "every_signal_settled", "every_email_decided"}


class LoopedSensor:
    """The sensor of events with its loop, and an instance of Dagster that keeps what the ticks return."""

    def __init__(self, settings: Settings, instance: dg.DagsterInstance) -> None:
        self.service = Service(lambda: open_runtime(settings))
        self.loop = HotLoop(self.service)
        self.sensor = make_sensors(self.service, self.loop)[0]
        self.instance = instance

    async def tick(self) -> tuple[list[str], list[ShownEvent]]:
        """Return the launched jobs, and the events that the daemon stores."""
        result = await asyncio.to_thread(self.sensor, dg.build_sensor_context(instance=self.instance))
        assert isinstance(result, dg.SensorResult)
        for event in result.asset_events:
            await asyncio.to_thread(self.instance.report_runless_asset_event, event)
        return [request.job_name or "" for request in result.run_requests or ()], result.asset_events

    async def beat(self) -> None:
        """Wait until the loop has looked once more."""
        before = self.loop._beat_at
        await until(lambda: self.loop._beat_at > before)

    async def end(self) -> None:
        await asyncio.to_thread(self.loop.end)
        await asyncio.to_thread(self.service.close)


async def until(condition: Callable[[], bool]) -> None:
    while not condition():  # noqa: ASYNC110 - of another thread
        await asyncio.sleep(0.01)


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as opened:
        yield opened


@pytest.fixture
async def looped(world: MailWorld, instance: dg.DagsterInstance) -> AsyncIterator[LoopedSensor]:
    opened = LoopedSensor(world.settings, instance)
    yield opened
    await opened.end()


async def make_family(world: MailWorld, owner: str = "owner") -> Legacy:
    """A legacy with saved recipients that the passes have seen."""
    legacy = world.legacy(owner, heirs=("anna", "ben"), second_line="clara", third_line="dan")
    await world.save(legacy, "anna", "ben", "clara", "dan")
    return legacy


def list_assets(events: list[ShownEvent]) -> list[str]:
    return [each.asset_key.to_user_string() for each in events if isinstance(each, dg.AssetMaterialization)]


async def test_an_event_is_told_without_a_run_and_dagster_shows_what_a_run_would(
    world: MailWorld, looped: LoopedSensor
) -> None:
    legacy = await make_family(world)
    await world.tick()
    await looped.tick()
    await looped.beat()
    world.scenario.check_in(world.account("owner"), legacy)
    await until(lambda: len(world.mail.told("owner_reset")) == 2)
    await looped.beat()
    launched, events = await looped.tick()
    assert launched == []
    assert list_assets(events) == ASSETS
    checks = [each for each in events if isinstance(each, dg.AssetCheckEvaluation)]
    assert {each.check_name for each in checks} == CHECKS
    assert all(each.passed for each in checks)
    made = {each.asset_key.to_user_string(): each for each in events if isinstance(each, dg.AssetMaterialization)}
    assert str(world.scenario.anvil.block_number()) in str(made["chain_index"].metadata["position"].value)
    assert made["notify_signals"].metadata["last run: new"].value == 1
    assert made["sent_emails"].metadata["last run: outcomes: owner reset: sent"].value == 2
    _, again = await looped.tick()
    assert again == [], "shown once"


async def test_instructions_leave_at_once_and_only_emails_are_made(world: MailWorld, looped: LoopedSensor) -> None:
    legacy = await make_family(world)
    await world.tick()
    await looped.tick()
    await looped.beat()
    await world.instructions.queue_instructions(signed(world.account("owner"), legacy))
    await until(lambda: len(world.mail.told("instructions")) == 4)
    await looped.beat()
    _, events = await looped.tick()
    assert list_assets(events) == ["sent_emails"]


async def test_a_run_does_what_the_loop_leaves(
    world: MailWorld, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the first beat, before a backlog, and after a failure of a pass."""
    legacy = await make_family(world)
    first = LoopedSensor(world.settings, instance)
    assert (await first.tick())[0] == ["events"], "before the first beat"
    await first.beat()
    await first.end()
    failed = "insert into worker.pass_state (name, chain_id, failed_at, error) values ('dispatch', 0, now(), 'E')"
    forget = "delete from worker.pass_state"
    for most, statement in ((0, forget), (100, f"{forget}; {failed}")):
        monkeypatch.setattr(HotLoop, "most", most)
        looped = LoopedSensor(world.settings, instance)
        await looped.tick()
        await looped.beat()
        for each in statement.split("; "):
            await world.sql(each)
        world.scenario.check_in(world.account("owner"), legacy)
        await until(lambda looped=looped: looped.loop._beat_at == -math.inf)  # type: ignore[misc]
        assert (await looped.tick())[0] == ["events"], statement
        assert world.mail.inbox == []
        await looped.end()
        await world.tick()
        world.mail.inbox.clear()


async def test_a_stopped_sensor_ends_the_loop(
    world: MailWorld, looped: LoopedSensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    legacy = await make_family(world)
    await world.tick()
    await looped.tick()
    await looped.beat()
    monkeypatch.setattr(HotLoop, "ticked_within", 0)
    thread = looped.loop._thread
    assert thread is not None
    await asyncio.to_thread(thread.join)
    world.scenario.check_in(world.account("owner"), legacy)
    monkeypatch.undo()
    assert world.mail.inbox == []
    await looped.tick()
    await until(lambda: len(world.mail.told("owner_reset")) == 2)


async def test_a_loop_killed_at_any_statement_sends_each_email_once(world: MailWorld, looped: LoopedSensor) -> None:
    """A run does the rest. The campaign kills whole processes at every statement."""
    for number in range(0, 1000, 13):
        heir = f"heir{number}"
        legacy = world.legacy(heirs=(heir,))
        await world.save(legacy, heir)
        await world.tick()
        engine = await asyncio.to_thread(looped.service.call, _get_engine, 30)
        world.scenario.check_in(world.account("owner"), legacy)
        with CrashAt(engine, number) as crash, suppress(PlannedCrash):
            await asyncio.to_thread(looped.service.call, partial(looped.loop._work_once, is_found=False), 60)
        await world.leases_expire()
        await world.hurry()
        await world.tick()
        assert world.mail.told("owner_reset") == [f"{heir}@example.org"], number
        world.mail.inbox.clear()
        await world.sql("update worker.pass_state set error = null")
        if crash.left >= 0:
            break
    assert number > 60


async def _get_engine(runtime: Runtime) -> AsyncEngine:
    return runtime.engine


async def test_a_public_chain_is_asked_nothing_by_the_loop(
    proxied: tuple[MailWorld, NodeProxy], instance: dg.DagsterInstance
) -> None:
    world, node = proxied
    service = world.settings.service.model_copy(update={"environment": "production"})
    looped = LoopedSensor(world.settings.model_copy(update={"service": service}), instance)
    legacy = await make_family(world)
    await world.tick()
    await looped.tick()
    await looped.beat()
    node.posts.clear()
    world.scenario.check_in(world.account("owner"), legacy)
    for _ in range(3):
        await looped.beat()
    assert node.requests == []
    await looped.end()
