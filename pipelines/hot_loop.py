"""Loop that does the work of events as soon as it finds some, in the warm process of the sensors.

A run needs seconds to start. The loop does the same passes in the same order with the same leases, so a run and the
loop never do the same twice. The sensor of events starts the loop with its first tick and watches over it: while the
loop does not beat, the sensor launches runs. Dagster shows the loop's materializations and checks with the sensor's
tick. A sensor that an operator stops ends the loop.
"""

import math
import threading
import time
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

import dagster as dg

from assets.checks import RUN_CHECKS, STANDING_CHECKS
from assets.metadata import Metadata
from assets.reminders import chain_index, notify_signals, sent_emails
from assets.service import Service
from assets.steps import IN_PLACE, READERS, RUN_SECONDS, run_and_report
from reminder_worker.indexer.feature import INDEX
from reminder_worker.monitoring.feature import PASS_STATES
from reminder_worker.reminders.feature import DISPATCH, NEW_SIGNALS, SIGNALS, WAITING_EMAILS

if TYPE_CHECKING:
    from reminder_worker.chain.types import BlockHeader
    from reminder_worker.runtime import Runtime

HOT_PASSES: Final = {INDEX: chain_index, SIGNALS: notify_signals, DISPATCH: sent_emails}  # the job `events`, in order


class HotLoop:
    """Thread that works in the sensors' process. `service`: the sensors' own, kept warm.

    `most`: blocks of a chain, or emails with signals; more is a run's. After trouble the loop rests for a run's turn.
    """

    beat_seconds = 0.4
    silent_seconds = 5  # without a beat, before runs do the work
    rest_seconds = 15
    ticked_within = 60
    most = 100

    def __init__(self, service: Service) -> None:
        self._service = service
        self._thread: threading.Thread | None = None
        self._awake = threading.Event()
        self._made: deque[tuple[dg.AssetsDefinition, Metadata]] = deque()
        self._heads: list[BlockHeader | None] = []
        self._ticked_at = self._beat_at = -math.inf

    def keep_going(self) -> None:
        """Start the loop or keep it going. The sensor of events calls this with each tick."""
        self._ticked_at = time.monotonic()
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._work, name="hot loop", daemon=True)
            self._thread.start()

    def drain(self, instance: dg.DagsterInstance) -> Sequence[dg.AssetMaterialization | dg.AssetCheckEvaluation]:
        """Return the materializations since the last call, then the checks as of now.

        Raises as `Service.call`; the next call returns the rest.
        """
        made = [self._made[place] for place in range(len(self._made))]
        assets = {asset.key for asset, _ in made}
        events: list[dg.AssetMaterialization | dg.AssetCheckEvaluation] = []
        for asset, found in made:
            tags = _make_tags(instance, asset, assets)
            events.append(dg.AssetMaterialization(asset.key, metadata=found, tags=tags))
        events += self._check(assets)
        for _ in made:
            self._made.popleft()
        return events

    def end(self) -> None:
        """End the thread after its beat; the next tick would start it again."""
        self._ticked_at = -math.inf
        self._awake.set()
        if self._thread is not None:
            self._thread.join()

    def hand_over(self) -> bool:
        """Let the loop do at once what the sensor found. Return False if the loop does not beat: a run must do it."""
        if time.monotonic() - self._beat_at > self.silent_seconds:
            return False
        self._awake.set()
        return True

    def _check(self, assets: Collection[dg.AssetKey]) -> Iterator[dg.AssetCheckEvaluation]:
        for check in (*RUN_CHECKS.values(), *STANDING_CHECKS):
            (spec,) = check.check_specs
            if spec.asset_key in assets:
                found = check(service=self._service)
                result = found if isinstance(found, dg.AssetCheckResult) else next(found)  # type: ignore[call-overload]
                yield dg.AssetCheckEvaluation(
                    spec.asset_key,
                    spec.name,
                    result.passed,
                    metadata=result.metadata,
                    severity=result.severity,
                    description=result.description,
                )

    def _work(self) -> None:
        while time.monotonic() - self._ticked_at < self.ticked_within:
            is_found = self._awake.is_set()
            self._awake.clear()
            try:
                is_done = self._service.call(partial(self._work_once, is_found=is_found), RUN_SECONDS)
            except Exception:  # noqa: BLE001 - the edge of the thread; the sensor's look and the run say what is wrong
                is_done = False
            self._beat_at = time.monotonic() if is_done else -math.inf
            self._awake.wait(self.beat_seconds if is_done else self.rest_seconds)

    async def _work_once(self, runtime: "Runtime", is_found: bool) -> bool:
        """Do what is to be done; `is_found`: the sensor found events. Return False if a run must do it."""
        is_found = is_found or await self._finds_events(runtime)
        if not is_found and not (runtime.dispatch and await runtime.dispatch.has_new_instructions()):
            return True
        if await _is_troubled(runtime) or await _is_backlog(runtime, self.most):
            return False
        for step in HOT_PASSES if is_found else (DISPATCH,):
            found = await run_and_report(runtime, step, READERS[HOT_PASSES[step].key.to_user_string()])
            if not isinstance(found, str):
                self._made.append((HOT_PASSES[step], found))
        return not await _is_troubled(runtime)

    async def _finds_events(self, runtime: "Runtime") -> bool:
        """Look for a new block of a local chain, and poll for events in it.

        Each question costs the owner of a public chain's node money: there the sensor polls, as rarely as without loop.
        """
        from reminder_worker import passes
        from reminder_worker.chain.rpc import asking_as

        if not runtime.settings.is_local:
            return False
        with asking_as(INDEX.name):
            heads = [await chain.get_block("latest") for chain in runtime.chains.values()]
        if heads == self._heads:
            return False
        found = [*await passes.poll_pass(runtime, INDEX), *await passes.poll_pass(runtime, SIGNALS)]
        self._heads = heads
        return any(outcome.due for outcome in found)


def _make_tags(
    instance: dg.DagsterInstance, asset: dg.AssetsDefinition, new: Collection[dg.AssetKey]
) -> dict[str, str]:
    """Return the versions that a run would note: without them Dagster calls the asset out of date with its inputs."""
    tags = {"dagster/code_version": "of the sensor", "dagster/data_version": IN_PLACE.value}
    for key in asset.asset_deps[asset.key]:
        is_made = key in new or instance.get_latest_materialization_event(key) is not None
        tags[f"dagster/input_data_version/{key.to_user_string()}"] = IN_PLACE.value if is_made else "INITIAL"
        tags[f"dagster/input_event_pointer/{key.to_user_string()}"] = "NULL"
    return tags


async def _is_troubled(runtime: "Runtime") -> bool:
    """Return whether a pass failed on a chain: runs, which show the failure, do the work until it is over."""
    names = {step.name for step in HOT_PASSES}
    states = await PASS_STATES.read(runtime.scope)
    return any(state.name in names and (state.error or state.detail.get("unreadable_chains")) for state in states)


async def _is_backlog(runtime: "Runtime", most: int) -> bool:
    due, signals = (await WAITING_EMAILS.read(runtime.scope)).due, await NEW_SIGNALS.read(runtime.scope)
    if due + sum(each.count for each in signals) > most:
        return True
    for chain_id, index in runtime.chain_indexes.items():
        head = await runtime.chains[chain_id].get_known_block("latest")
        if head is None or head.number - (await index.find_cursor()).number > most:
            return True
    return False
