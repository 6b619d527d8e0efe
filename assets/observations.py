"""Observations: how each asset stands now. The pass of some had nothing to do, and others are written elsewhere.

A pass that finds nothing makes no materialization (docs/decisions/0007), and an operator still asks how things stand.
"""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import dagster as dg

from assets import metadata, reminders
from assets.service import Service
from assets.steps import READERS, SECONDS, Facts, shown_between_runs
from reminder_worker.features import PASSES
from reminder_worker.gifts.feature import GIFT_NOTIFICATIONS
from reminder_worker.indexer.feature import POSITIONS
from reminder_worker.monitoring.feature import PASS_STATES
from reminder_worker.outbox.feature import RECENT_ALERTS
from reminder_worker.relay.feature import ENDED_REQUESTS, OPEN_REQUESTS
from reminder_worker.reminders.feature import RECIPIENTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reminder_worker.monitoring.endpoints import IndexLag
    from reminder_worker.runtime import Runtime


def observe(service: Service) -> Iterator[dg.AssetObservation]:
    """Yield an observation of each asset with a reader: the run of the overview does not make them."""
    for asset, read in READERS.items():
        found = service.call(partial(_read_both, asset=asset, read=read), SECONDS)
        yield dg.AssetObservation(asset, metadata=found)


def observe_index(service: Service) -> dg.AssetObservation:
    """Return the position of the chain index now, beside the chain.

    The page of an asset that runs make shows the figures of its last run, also where an observation is newer.
    """
    return dg.AssetObservation("chain", metadata=service.call(reminders.read_index_metadata, 10.0))


async def read_lags(runtime: "Runtime") -> "Sequence[IndexLag]":
    from reminder_worker.monitoring.endpoints import read_index_lags

    return await read_index_lags(runtime.chains, await POSITIONS.read(runtime.scope))


@shown_between_runs("recipients")
async def _read_recipients(runtime: "Runtime") -> metadata.Metadata:
    return {"dagster/row_count": await RECIPIENTS.read(runtime.scope)}


@shown_between_runs("gift_notifications")
async def _read_gifts(runtime: "Runtime") -> metadata.Metadata:
    return {"gifts to be told of": await GIFT_NOTIFICATIONS.read(runtime.scope)}


@shown_between_runs("authorizations")
async def _read_authorizations(runtime: "Runtime") -> metadata.Metadata:
    open_requests = await OPEN_REQUESTS.read(runtime.scope)
    ended_requests = await ENDED_REQUESTS.read(runtime.scope)
    return {
        "open": metadata.requests_table(open_requests),
        "ended in the last day": metadata.requests_table(ended_requests),
    }


@shown_between_runs("raised_alerts")
async def _read_alerts(runtime: "Runtime") -> metadata.Metadata:
    alerts = await RECENT_ALERTS.read(runtime.scope)
    return {"alerts of the last day": len(alerts), "what was told": metadata.alerts_table(alerts)}


async def _read_state(runtime: "Runtime", asset: str) -> metadata.Metadata:
    """Return when the pass of an asset was last polled, or why it is off; nothing for an asset without a pass."""
    from reminder_worker.monitoring.facts import states_of

    step = next((step for step in PASSES if step.asset == asset), None)
    if step is None:
        return {}
    if off := step.off(runtime.settings):
        return {"pass": f"off: {off}"}
    return {"pass": metadata.passes_table(states_of(step, await PASS_STATES.read(runtime.scope)), {})}


async def _read_both(runtime: "Runtime", asset: str, read: Facts) -> metadata.Metadata:
    return {**await _read_state(runtime, asset), **await read(runtime)}
