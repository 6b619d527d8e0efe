"""One pass as one asset.

A pass that failed on one chain has served the other chains. Its asset reports, and later steps go on; its check
`every_chain_succeeded` fails the run. A pass that is off is not materialized, and the run's log says why.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import dagster as dg

from assets import metadata
from assets.service import Service
from reminder_worker.declarations import WorkerPass
from reminder_worker.monitoring.feature import PASS_STATES

if TYPE_CHECKING:
    from reminder_worker.runtime import Runtime

OWNERS = ["team:operations"]
AFTER_THE_WORK = {"dagster/priority": "-1"}  # of checks
# Tables updated in place: a newer run of their inputs does not make them stale; the checks judge that.
IN_PLACE = dg.DataVersion("in place")
SECONDS = 60.0  # for an answer
RUN_SECONDS = 170.0  # a slice of a pass ends by itself within 120
Results = Iterator[dg.MaterializeResult[None]]
Facts = Callable[["Runtime"], Awaitable[metadata.Metadata]]
READERS: dict[str, Facts] = {}
"""Readers of metadata by asset, for observations between runs."""


def shown_between_runs(*assets: str) -> Callable[[Facts], Facts]:
    """Register the reader of an asset's metadata: operators also ask while the pass has no work."""

    def register(read: Facts) -> Facts:
        READERS.update(dict.fromkeys(assets, read))
        return read

    return register


def perform(
    context: dg.AssetExecutionContext | dg.OpExecutionContext,
    service: Service,
    step: WorkerPass,
    facts: Facts | None = None,
    again: tuple[float, float] = (0, 0),
    seconds: float = RUN_SECONDS,
) -> Iterator[metadata.Metadata]:
    """Run a pass; yield the report once, nothing for a pass that is off.

    `facts`: metadata beside the report. `again`: repeat after so many seconds while a look finds work, for so many
    seconds in all.
    """
    found = service.call(partial(run_and_report, step=step, facts=facts, again=again), seconds)
    if isinstance(found, str):
        context.log.info(f"skipped: {found}")
    else:
        yield found


def materialized(
    context: dg.AssetExecutionContext,
    service: Service,
    step: WorkerPass,
    facts: Facts,
    again: tuple[float, float] = (0, 0),
) -> Results:
    """Run a pass; yield the materialization of its asset."""
    for found in perform(context, service, step, facts, again):
        yield dg.MaterializeResult(metadata=found, data_version=IN_PLACE)


async def run_and_report(
    runtime: "Runtime", step: WorkerPass, facts: Facts | None, again: tuple[float, float] = (0, 0)
) -> metadata.Metadata | str:
    """Run a pass; return the facts and its report, or the reason in words for a pass that is off."""
    from reminder_worker import passes
    from reminder_worker.errors import NotConfigured
    from reminder_worker.monitoring.facts import states_of

    pause, ends = again[0], time.monotonic() + again[1]
    try:
        await passes.run_pass(runtime, step)
        while time.monotonic() + pause < ends and any(each.due for each in await passes.poll_pass(runtime, step)):
            await asyncio.sleep(pause)
            await passes.run_pass(runtime, step)
    except NotConfigured as off:
        return str(off)
    except passes.PassFailed:
        pass  # recorded in pass_state, shown below, and the check fails the run
    states = states_of(step, await PASS_STATES.read(runtime.scope))
    return {**(await facts(runtime) if facts else {}), **metadata.pass_report(states)}
