"""Passes of the worker: their questions, intervals and records.

`poll` asks cheaply for work, `run` does the work. Both are recorded in `pass_state`; a poll without work is a success.
A failing chain stops no other chain and no other pass.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass
from typing import Any, Final

import structlog
from sqlalchemy import func
from sqlalchemy.dialects.postgresql import insert

from reminder_worker.auto_renew.feature import AUTO_RENEW
from reminder_worker.auto_renew.job import AutoRenew
from reminder_worker.chain.rpc import asking_as
from reminder_worker.concurrency import in_time
from reminder_worker.declarations import WorkerPart, WorkerPass
from reminder_worker.errors import Misconfigured, NotConfigured, ServiceError
from reminder_worker.gifts.feature import GIFTS
from reminder_worker.indexer.feature import INDEX
from reminder_worker.monitoring.feature import FORGET, WATCHDOG
from reminder_worker.monitoring.node_requests import store_requests
from reminder_worker.monitoring.tables import pass_state
from reminder_worker.outbox.feature import ALERTS, BOUNCES
from reminder_worker.relay.factory import ATTESTOR, relays_on
from reminder_worker.relay.feature import RELAY
from reminder_worker.reminders.feature import DISPATCH, DUE, SIGNALS
from reminder_worker.runtime import Runtime
from reminder_worker.statistics.feature import PRICES, STATISTICS
from reminder_worker.tracing import trace_work
from reminder_worker.upgrades.feature import UPGRADES

log = structlog.get_logger(__name__)

Report = Mapping[str, Any]
LOOK_SECONDS = 35.0  # for one chain: silent endpoints must not take the time of other chains


class PassFailed(ServiceError):
    """Failure of a pass on at least one chain; `pass_state` and the log name the chain."""

    code = "pass_failed"


@dataclass(frozen=True, slots=True)
class PassOutcome:
    """Outcome of a poll or a run on one chain; `error` is the class of its error."""

    chain_id: int
    error: str | None
    due: bool = False
    report: Report | None = None


async def poll_pass(runtime: Runtime, step: WorkerPass) -> list[PassOutcome]:
    """Ask every chain whether the pass has work, unless it had none just now: each question costs the node's owner.

    Raises `NotConfigured` for a pass that is off.
    """
    _check_configured(runtime, step)

    async def poll_chain(chain_id: int) -> PassOutcome:
        if step.per_chain and time.monotonic() < runtime.quiet_until.get((step.name, chain_id), 0.0):
            return PassOutcome(chain_id, None)
        question = poll_part(runtime, step, chain_id)
        error, due = await _run_guarded(step, chain_id, in_time(question, LOOK_SECONDS) if step.per_chain else question)
        await _record_outcome(runtime, step.name, chain_id, error=error, report=None, due=bool(due))
        if not (error or due or runtime.settings.is_local):  # sensors tick some seconds earlier or later
            runtime.quiet_until[step.name, chain_id] = time.monotonic() + step.every_seconds - 5
        return PassOutcome(chain_id, error, due=bool(due))

    chain_ids = step.list_chain_ids(runtime.settings)
    with asking_as(step.name), trace_work(f"poll {step.name}"):
        outcomes = await asyncio.gather(*map(poll_chain, chain_ids))
    await store_requests(runtime.engine, runtime.chains)
    return list(outcomes)


async def run_pass(runtime: Runtime, step: WorkerPass, *, alone: bool = False) -> list[PassOutcome]:
    """Do the pass's work on every chain. Raises `NotConfigured`, and `PassFailed` after all chains had their turn.

    `alone`: no process polls, as with cron; the endpoints' health is recorded as this process sees it.
    """
    _check_configured(runtime, step)

    async def run_chain(chain_id: int) -> PassOutcome:
        began = time.monotonic()
        error, found = await _run_guarded(step, chain_id, run_part(runtime, step, chain_id))
        full = {**report_of(found), "seconds": round(time.monotonic() - began, 3)} if error is None else None
        await _record_outcome(runtime, step.name, chain_id, error=error, report=full, ran=True, sees_endpoints=alone)
        return PassOutcome(chain_id, error, report=full)

    chain_ids = step.list_chain_ids(runtime.settings)
    with asking_as(step.name), trace_work(f"run {step.name}"):
        outcomes = list(await asyncio.gather(*map(run_chain, chain_ids)))
        await store_requests(runtime.engine, runtime.chains)
        failed = [outcome for outcome in outcomes if outcome.error]
        if failed:
            raise PassFailed(f"{step.name}: " + ", ".join(f"chain {o.chain_id}: {o.error}" for o in failed))
        return outcomes


async def poll_part(runtime: Runtime, step: WorkerPass, chain_id: int) -> bool:
    """Poll the part of a pass. No part on this chain: no work."""
    part = PARTS[step](runtime, chain_id)
    return part is not None and await part.poll()


async def run_part(runtime: Runtime, step: WorkerPass, chain_id: int) -> object:
    """Run the part of a pass and return its report."""
    part = PARTS[step](runtime, chain_id)
    return {"does": "nothing on this chain"} if part is None else await part.run()


def _check_configured(runtime: Runtime, step: WorkerPass) -> None:
    reason = step.off(runtime.settings)
    if reason:
        raise NotConfigured(f"{step.name}: {reason}")


async def _run_guarded(step: WorkerPass, chain_id: int, work: Awaitable[Any]) -> tuple[str | None, Any]:
    """Return the class of an error, logged once, or the result: a failing pass never stops the next."""
    try:
        return None, await work
    except Exception as error:
        log.error("pass_failed", name=step.name, chain_id=chain_id, error=type(error).__name__, exc_info=True)
        return type(error).__name__, None


async def _record_outcome(
    runtime: Runtime,
    name: str,
    chain_id: int,
    *,
    error: str | None,
    report: Report | None,
    ran: bool = False,
    due: bool = False,
    sees_endpoints: bool = True,
) -> None:
    """Record a poll or a run. A poll that found work is no success yet: its run is."""
    now = func.clock_timestamp()
    values: dict[str, Any] = {"checked_at": now}
    if error is not None:
        values |= {"failed_at": now, "error": error}
    elif ran or not due:
        values |= {"succeeded_at": now, "error": None}
    if sees_endpoints and chain_id in runtime.chains:  # a polling process lives longer, and knows more, than a run
        values["endpoints"] = [asdict(each) for each in runtime.chains[chain_id].endpoints.list_health()]
    if report is not None:
        values["detail"] = dict(report)
    statement = insert(pass_state).values(name=name, chain_id=chain_id, **values)
    async with runtime.engine.begin() as connection:
        await connection.execute(statement.on_conflict_do_update(index_elements=["name", "chain_id"], set_=values))


def report_of(found: Any) -> Report:
    """Return the fields of a dataclass for JSON; `asdict` would break a Counter."""
    values = found if isinstance(found, Mapping) else {each.name: getattr(found, each.name) for each in fields(found)}
    report = dict(values)
    for name, value in values.items():
        if is_dataclass(value) or isinstance(value, Mapping):
            report[name] = report_of(value)
    return report


def _find_auto_renew(runtime: Runtime, chain_id: int) -> AutoRenew | None:
    """Raises `Misconfigured` for an attestor without a usable key: a pass that ignores it is no success."""
    if relays_on(runtime.settings, chain_id) and ATTESTOR not in runtime.relaying.admissions:
        raise Misconfigured("the attestor's key cannot be used: see `reminder-worker doctor`")
    return runtime.auto_renew.get(chain_id)


PARTS: Final[Mapping[WorkerPass, Callable[[Runtime, int], WorkerPart | None]]] = {
    INDEX: lambda runtime, chain_id: runtime.chain_indexes[chain_id],
    SIGNALS: lambda runtime, chain_id: runtime.signal_passes[chain_id],
    DUE: lambda runtime, chain_id: runtime.due_passes[chain_id],
    DISPATCH: lambda runtime, _: runtime.dispatch,
    GIFTS: lambda runtime, _: runtime.gift_mail,
    BOUNCES: lambda runtime, _: runtime.bounces,
    RELAY: lambda runtime, chain_id: runtime.relay_passes.get(chain_id),
    AUTO_RENEW: _find_auto_renew,
    PRICES: lambda runtime, chain_id: runtime.prices[chain_id],
    STATISTICS: lambda runtime, chain_id: runtime.statistics[chain_id],
    UPGRADES: lambda runtime, chain_id: runtime.upgrades.get(chain_id),
    ALERTS: lambda runtime, _: runtime.alerts,
    WATCHDOG: lambda runtime, _: runtime.watchdog,
    FORGET: lambda runtime, _: runtime.retention,
}
"""Part of the runtime that each pass drives on a chain, or on `ANY_CHAIN`; None: nothing to do there."""
