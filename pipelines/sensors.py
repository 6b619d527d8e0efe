"""Sensors: ask cheaply whether a pass has work, launch a run only then, else say in words why not.

The question goes to the parts kept warm in this process; it leaves `pass_state` behind and never touches Dagster's
storage. Only when there is work is the run storage asked whether a run of the lane is under way: a limit in
`dagster.yaml` would queue a second run, not drop it. Dagster's loop sleeps five seconds and asks whether more than
the minimum has passed, hence 4 for every 5 seconds, 14 for every 15 and 57 for every minute. A tick costs Dagster
about 20 statements and as many connections.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import dagster as dg

from assets.observations import observe_index
from assets.service import Service
from pipelines.hot_loop import HotLoop
from pipelines.jobs import (
    LANE,
    AssetJob,
    auto_renew,
    bounces,
    due,
    emails,
    events,
    health,
    price_feeds,
    relay,
    statistics,
)
from reminder_worker.auto_renew.feature import AUTO_RENEW, DECISIONS
from reminder_worker.declarations import OperatorFact, WorkerPass
from reminder_worker.gifts.feature import GIFT_NOTIFICATIONS, GIFTS
from reminder_worker.indexer.feature import INDEX, POSITIONS
from reminder_worker.monitoring.feature import PASS_STATES, WATCHDOG
from reminder_worker.outbox.feature import ALERTS, BOUNCED_ADDRESSES, BOUNCES, CONDITIONS, UNDELIVERED_ALERTS
from reminder_worker.outbox.messages import format_clock
from reminder_worker.relay.feature import RELAY
from reminder_worker.reminders.feature import DISPATCH, DUE, NEXT_ASK, PAUSED_LEGACIES, SIGNALS, WAITING_EMAILS
from reminder_worker.statistics.feature import FEEDS, PRICES, SNAPSHOTS, STATISTICS
from reminder_worker.upgrades.feature import UPGRADE_COUNTS, UPGRADES

if TYPE_CHECKING:
    from reminder_worker.monitoring.facts import PassState
    from reminder_worker.passes import PassOutcome
    from reminder_worker.runtime import Runtime

LOOK_SECONDS = 40.0  # Dagster gives a sensor 60, and a pass gives a chain 35
REST_SECONDS = 15  # after a failure of a chain's pass


@dataclass(frozen=True, slots=True)
class SensorFinding:
    """Result of a look: launch a run, or the reason in words for an operator, without an exception's text."""

    launch: bool
    words: str


Idle = Callable[["Runtime"], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class JobWatch:
    """Job with the passes that call for it, the lanes that do its work, and the words for an idle tick."""

    job: AssetJob
    passes: Sequence[WorkerPass]
    lanes: Sequence[str]
    idle: Idle


def _make_sensor(
    service: Service,
    watches: Sequence[JobWatch],
    every: str,
    about: str,
    observed: bool = False,
    loop: HotLoop | None = None,
) -> dg.SensorDefinition:
    """Several jobs share a sensor, since a tick costs Dagster more than the looks cost us.

    `observed`: each tick also shows the position of the chain index in Dagster. `loop`: does the work without a run.

    Its name says how often, because Dagster's page of automations does not.
    """

    @dg.sensor(
        name="_and_".join(_list_jobs(watches)) + f"_every_{every}",
        jobs=list(_list_jobs(watches).values()),
        minimum_interval_seconds={"5_seconds": 4, "15_seconds": 14, "minute": 57, "5_minutes": 297}[every],
        default_status=dg.DefaultSensorStatus.RUNNING,
        description=f"Every {every.replace('_', ' ')}: {about}",
    )
    def sensor(context: dg.SensorEvaluationContext) -> dg.SensorResult:
        requests: dict[str, dg.RunRequest] = {}
        words = []
        for watch, finding in zip(watches, _ask_all(service, watches), strict=True):
            if finding.launch and _is_under_way(context.instance, watch.lanes):
                finding = SensorFinding(
                    False, "there is work, and a run of this lane is under way: it or the next one does it"
                )
            if finding.launch and loop is not None and loop.hand_over():
                finding = SensorFinding(False, "there is work, and the warm process does it without a run")
            if finding.launch:
                requests[watch.job.name] = dg.RunRequest(job_name=watch.job.name)
            else:
                words.append(finding.words)
        if loop is not None:
            loop.keep_going()
        # Checks may wait for a node that hangs: a tick that launches a run does not wait for them.
        done = _drain(loop, context.instance) if loop is not None and not requests else []
        if done:
            words.append("work was done without a run")
        return dg.SensorResult(
            run_requests=list(requests.values()),
            skip_reason=None if requests else "; ".join(words),
            asset_events=[*done, *(_observe_index(service) if observed else [])],
        )

    return sensor


def _drain(loop: HotLoop, instance: dg.DagsterInstance) -> Sequence[dg.AssetMaterialization | dg.AssetCheckEvaluation]:
    """Return what the loop did; nothing if a check does not get its answer, and the next tick asks again."""
    from reminder_worker.errors import ServiceError

    try:
        return loop.drain(instance)
    except (ServiceError, TimeoutError):
        return []


def _observe_index(service: Service) -> list[dg.AssetObservation]:
    """Return the position of the chain index; nothing if the database does not answer, as the sensor's words say."""
    from reminder_worker.errors import ServiceError

    try:
        return [observe_index(service)]
    except (ServiceError, TimeoutError):
        return []


def _list_jobs(watches: Sequence[JobWatch]) -> dict[str, AssetJob]:
    """Return the jobs by name; two watches may call for the same job."""
    return {watch.job.name: watch.job for watch in watches}


def _ask_all(service: Service, watches: Sequence[JobWatch]) -> Sequence[SensorFinding]:
    """Ask all watches at once: in turn they could take longer than Dagster waits, and no run would launch."""
    from reminder_worker.errors import ServiceError

    async def ask_watches(runtime: "Runtime") -> Sequence[SensorFinding]:
        return await asyncio.gather(*(_ask_in_time(runtime, watch) for watch in watches))

    try:
        return service.call(ask_watches, LOOK_SECONDS + 5)  # to open the worker's parts, and to end
    except ServiceError as error:
        return [SensorFinding(False, f"cannot look: {error}")] * len(watches)
    except TimeoutError:
        return [_make_no_answer()] * len(watches)


def _make_no_answer() -> SensorFinding:
    return SensorFinding(False, f"cannot look: no answer within {LOOK_SECONDS:.0f} seconds")


async def _ask_in_time(runtime: "Runtime", watch: JobWatch) -> SensorFinding:
    from reminder_worker.errors import ServiceError

    try:
        async with asyncio.timeout(LOOK_SECONDS):
            return await _poll_passes(runtime, watch.passes, watch.idle)
    except ServiceError as error:
        return SensorFinding(False, f"cannot look: {error}")
    except TimeoutError:
        return _make_no_answer()


async def _poll_passes(runtime: "Runtime", steps: Sequence[WorkerPass], idle: Idle) -> SensorFinding:
    """Look with the passes of the lane, all at once, so that a chain that does not answer one holds up no other.

    A chain whose pass just failed rests, the others do not.
    """
    resting = await _find_resting(runtime)
    notes, launch = [], False
    for step, found in zip(steps, await asyncio.gather(*(_poll_pass(runtime, step) for step in steps)), strict=True):
        if isinstance(found, str):
            notes.append(f"off: {found}")
            continue
        notes += [_describe_outcome(step.name, outcome, resting) for outcome in found if outcome.error or outcome.due]
        launch |= any(outcome.due and (step.name, outcome.chain_id) not in resting for outcome in found)
    return SensorFinding(True, "") if launch else SensorFinding(False, "; ".join(notes) or await idle(runtime))


async def _poll_pass(runtime: "Runtime", step: WorkerPass) -> "Sequence[PassOutcome] | str":
    """Look on every chain; return the reason in words when the pass is off."""
    from reminder_worker import passes
    from reminder_worker.errors import NotConfigured

    try:
        return await passes.poll_pass(runtime, step)
    except NotConfigured as off:
        return str(off)


def _describe_outcome(name: str, outcome: "PassOutcome", resting: dict[tuple[str, int], int]) -> str:
    where = f"{name} of chain {outcome.chain_id}" if outcome.chain_id else name
    if outcome.error:
        return f"{where} cannot look: {outcome.error}"
    return f"{where} failed and is tried again in {resting.get((name, outcome.chain_id), 0)} s"


async def _find_resting(runtime: "Runtime") -> dict[tuple[str, int], int]:
    """Return, by (pass, chain), the seconds until a pass that just failed is tried again."""
    states = await PASS_STATES.read(runtime.scope)
    ages = {(state.name, state.chain_id): _age_of_trouble(state) for state in states}
    return {key: REST_SECONDS - age for key, age in ages.items() if age is not None and age < REST_SECONDS}


def _age_of_trouble(state: "PassState") -> int | None:
    """Return the age of a failure, or of a dispatch that left work because a chain did not answer."""
    if state.error:
        return state.failed_age
    return state.succeeded_age if state.detail.get("unreadable_chains") else None


def _is_under_way(instance: dg.DagsterInstance, lanes: Sequence[str]) -> bool:
    status = dg.DagsterRunStatus
    under_way = [status.QUEUED, status.NOT_STARTED, status.STARTING, status.STARTED, status.CANCELING]
    wanted = dg.RunsFilter(tags={LANE: list(lanes)}, statuses=under_way)
    return bool(instance.get_run_records(wanted, limit=1))


def _say(*facts: OperatorFact[Any], otherwise: str = "no work") -> Idle:
    """Return the reader of the words that the facts have while there is no work."""

    async def say(runtime: "Runtime") -> str:
        words = [fact.idle(await fact.read(runtime.scope)) for fact in facts if fact.idle]
        return "; ".join(filter(None, words)) or otherwise

    return say


async def _no_change(runtime: "Runtime") -> str:
    from reminder_worker.monitoring.facts import watchdog_report
    from reminder_worker.monitoring.watchdog import NOT_TOLD_YET

    conditions, report = await CONDITIONS.read(runtime.scope), watchdog_report(await PASS_STATES.read(runtime.scope))
    if conditions:
        return f"no change; wrong now: {len(conditions)}, as alerts said"
    return NOT_TOLD_YET if report.get("wrong") else "nothing is wrong"


async def _snapshot_taken(runtime: "Runtime") -> str:
    from reminder_worker.statistics.job import NOT_AT_THE_HEAD

    snapshots = await SNAPSHOTS.read(runtime.scope)
    words = []
    for chain_id in runtime.chains:
        newest = snapshots.get(chain_id)
        words.append(
            f"chain {chain_id} has its snapshot of {format_clock(newest.hour.timestamp())}"
            if newest and await runtime.statistics[chain_id].is_current()
            else f"chain {chain_id}: {NOT_AT_THE_HEAD}"
        )
    return "; ".join(words)


def make_sensors(service: Service, loop: HotLoop | None = None) -> tuple[dg.SensorDefinition, ...]:
    """Return the sensors. They hold the service: with a resource Dagster would open its storage at every tick.

    Without a loop, runs do all the work.
    """
    no_window = _say(NEXT_ASK, PAUSED_LEGACIES, otherwise="nobody to remind: no recipients are stored")
    nothing_open = _say(UNDELIVERED_ALERTS, UPGRADE_COUNTS, otherwise="no transaction, alert or upgrade is open")
    return (
        _make_sensor(
            service,
            [JobWatch(events, (INDEX, SIGNALS), ("events",), _say(POSITIONS))],
            "5_seconds",
            "events and signals on chain? Shows what was done without a run.",
            loop=loop,
        ),
        _make_sensor(
            service, [JobWatch(due, (DUE,), ("due",), no_window)], "minute", "can a reminder window have opened?"
        ),
        _make_sensor(
            service,
            [
                JobWatch(emails, (DISPATCH,), ("events", "due", "emails"), _say(WAITING_EMAILS)),
                JobWatch(emails, (GIFTS,), ("emails",), _say(GIFT_NOTIFICATIONS)),
                JobWatch(relay, (UPGRADES, RELAY, ALERTS), ("relay",), nothing_open),
            ],
            "15_seconds",
            "is an email due that no other run is about to send, a request open, an alert untold,"
            " did something happen on the timelock of the contracts?",
        ),
        _make_sensor(
            service,
            [JobWatch(bounces, (BOUNCES,), ("bounces",), _say(BOUNCED_ADDRESSES))],
            "5_minutes",
            "did an email come back?",
        ),
        _make_sensor(
            service,
            [JobWatch(health, (WATCHDOG,), ("health",), _no_change)],
            "minute",
            "did something begin to be wrong, or is it over? Pings HEARTBEAT_URL while all is well."
            " Shows the position of the chain index.",
            observed=True,
        ),
        _make_sensor(
            service,
            [JobWatch(auto_renew, (AUTO_RENEW,), ("auto_renew",), _say(DECISIONS))],
            "5_minutes",
            "was an owner who opted in not looked at for an hour?",
        ),
        _make_sensor(
            service,
            [JobWatch(price_feeds, (PRICES,), ("price_feeds",), _say(FEEDS))],
            "5_minutes",
            "has a price feed a new round, or an answer that is not to be believed?",
        ),
        _make_sensor(
            service,
            [JobWatch(statistics, (STATISTICS,), ("statistics",), _snapshot_taken)],
            "5_minutes",
            "has the hour no snapshot of counts and value secured yet?",
        ),
    )
