"""Observations: how each asset stands now. The pass of some had nothing to do, and others are written elsewhere.

A pass that finds nothing makes no materialization (docs/decisions/0007), and an operator still asks how things stand.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

import dagster as dg

from assets import metadata, prices, relay, reminders, upgrades
from assets.service import Service, read_facts
from assets.steps import PASS_OF, SECONDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reminder_worker.monitoring.endpoints import IndexLag
    from reminder_worker.runtime import Runtime

Reader = Callable[["Runtime"], Awaitable[metadata.Metadata]]


def observe(service: Service) -> Iterator[dg.AssetObservation]:
    """Yield an observation of each asset that the run of the overview does not make."""
    for name, read in READERS.items():
        yield dg.AssetObservation(name, metadata=service.call(read, SECONDS))


def observe_index(service: Service) -> dg.AssetObservation:
    """Return the position of the chain index now, beside the chain.

    The page of an asset that runs make shows the figures of its last run, also where an observation is newer.
    """
    return dg.AssetObservation("chain", metadata=service.call(reminders.read_index_metadata, 10.0))


async def read_lags(runtime: "Runtime") -> "Sequence[IndexLag]":
    from reminder_worker.monitoring.endpoints import read_index_lags

    return await read_index_lags(runtime.chains, (await read_facts(runtime, "positions")).positions)


async def _read_recipients(runtime: "Runtime") -> metadata.Metadata:
    return {"dagster/row_count": (await read_facts(runtime, "recipients")).recipients}


async def _read_gifts(runtime: "Runtime") -> metadata.Metadata:
    return {"gifts to be told of": (await read_facts(runtime, "gift_notifications")).gift_notifications}


async def _read_authorizations(runtime: "Runtime") -> metadata.Metadata:
    facts = await read_facts(runtime, "open_requests", "ended_requests")
    return {
        "open": metadata.requests_table(facts.open_requests),
        "ended in the last day": metadata.requests_table(facts.ended_requests),
    }


async def _read_alerts(runtime: "Runtime") -> metadata.Metadata:
    alerts = (await read_facts(runtime, "recent_alerts")).recent_alerts
    return {"alerts of the last day": len(alerts), "what was told": metadata.alerts_table(alerts)}


async def _read_states(runtime: "Runtime", name: str) -> metadata.Metadata:
    """Return when the pass of an asset last looked, or why it is off."""
    from reminder_worker import passes

    step = passes.BY_NAME[PASS_OF[name]]
    if off := step.switched_off(runtime.settings):
        return {"pass": f"off: {off}"}
    return {"pass": metadata.passes_table((await read_facts(runtime, "passes")).states_of(step.name), {})}


def _with_pass(name: str, read: Reader) -> Reader:
    async def read_both(runtime: "Runtime") -> metadata.Metadata:
        return {**await _read_states(runtime, name), **await read(runtime)}

    return read_both


_OF_PASSES: Final[Mapping[str, Reader]] = {
    "chain_index": reminders.read_index_metadata,
    "notify_signals": reminders.read_signal_metadata,
    "due_reminders": reminders.read_window_metadata,
    "sent_emails": reminders.read_email_metadata,
    "gift_emails": reminders.read_gift_metadata,
    "returned_emails": reminders.read_bounce_metadata,
    "owner_activity": relay.read_owner_metadata,
    "relay_requests": relay.read_relay_metadata,
    "ops_alerts": relay.read_alert_metadata,
    "prices": prices.read_price_metadata,
    "upgrade_operations": upgrades.read_queue,
}
READERS: Final[Mapping[str, Reader]] = {
    "chain": reminders.read_index_metadata,
    "recipients": _read_recipients,
    "gift_notifications": _read_gifts,
    "authorizations": _read_authorizations,
    "raised_alerts": _read_alerts,
    **{name: _with_pass(name, read) for name, read in _OF_PASSES.items()},
}
