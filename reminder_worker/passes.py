"""Passes of the worker: their questions, intervals and records.

`poll` asks cheaply for work, `run` does the work. Both are recorded in `pass_state`; a poll without work is a success.
A failing chain stops no other chain and no other pass.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from typing import Any, Protocol

import structlog
from sqlalchemy import func
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.auto_renew.job import AutoRenew
from reminder_worker.chain.rpc import asking_as
from reminder_worker.concurrency import in_time
from reminder_worker.errors import Misconfigured, NotConfigured, ServiceError
from reminder_worker.monitoring.facts import WATCHDOG, ExpectedPass, FactPart, FactScope, OperatorFacts, read_facts
from reminder_worker.monitoring.node_requests import store_requests
from reminder_worker.monitoring.tables import pass_state
from reminder_worker.monitoring.watchdog import HealthWatchdog
from reminder_worker.relay.factory import ATTESTOR, relays_on
from reminder_worker.runtime import Runtime
from reminder_worker.settings import Settings
from reminder_worker.tracing import trace_work

log = structlog.get_logger(__name__)

ANY_CHAIN = 0  # the chain id of a pass that is not of one chain
Report = Mapping[str, Any]
LOOK_SECONDS = 35.0  # for one chain: silent endpoints must not take the time of other chains


class PassFailed(ServiceError):
    """Failure of a pass on at least one chain; `pass_state` and the log name the chain."""

    code = "pass_failed"


class WorkerPart(Protocol):
    """Part of the runtime that does the work of a pass, on one chain or on all."""

    async def poll(self) -> bool:
        """Return whether there is work. May move a cursor, or record what needs no run."""
        ...

    async def run(self) -> object:
        """Do the work; return a report as a mapping or a dataclass, without personal data."""
        ...


@dataclass(frozen=True, slots=True)
class WorkerPass:
    """Pass of the worker. `part` gets one chain, or `ANY_CHAIN` if `per_chain` is false; None: nothing to do there.

    After a poll without work, a chain is polled again `every_seconds` later. On a local chain each sensor's tick polls.
    """

    name: str
    every_seconds: int
    part: Callable[[Runtime, int], WorkerPart | None]
    per_chain: bool = True
    switched_off: Callable[[Settings], str | None] = lambda _: None

    async def poll(self, runtime: Runtime, chain_id: int) -> bool:
        part = self.part(runtime, chain_id)
        return part is not None and await part.poll()

    async def run(self, runtime: Runtime, chain_id: int) -> object:
        part = self.part(runtime, chain_id)
        return {"does": "nothing on this chain"} if part is None else await part.run()

    def list_chain_ids(self, settings: Settings) -> Sequence[int]:
        return [chain.chain_id for chain in settings.chains] if self.per_chain else [ANY_CHAIN]


@dataclass(frozen=True, slots=True)
class PassOutcome:
    """Outcome of a poll or a run on one chain; `error` is the class of its error."""

    chain_id: int
    error: str | None
    due: bool = False
    report: Report | None = None


async def poll_pass(runtime: Runtime, name: str) -> list[PassOutcome]:
    """Ask every chain whether the pass has work, unless it had none just now: each question costs the node's owner.

    Raises `NotConfigured` for a pass that is off.
    """
    step = _find_configured(runtime, name)

    async def poll_chain(chain_id: int) -> PassOutcome:
        if step.per_chain and time.monotonic() < runtime.quiet_until.get((name, chain_id), 0.0):
            return PassOutcome(chain_id, None)
        question = step.poll(runtime, chain_id)
        error, due = await _run_guarded(step, chain_id, in_time(question, LOOK_SECONDS) if step.per_chain else question)
        await _record_outcome(runtime, name, chain_id, error=error, report=None, due=bool(due))
        if not (error or due or runtime.settings.is_local):  # sensors tick some seconds earlier or later
            runtime.quiet_until[name, chain_id] = time.monotonic() + step.every_seconds - 5
        return PassOutcome(chain_id, error, due=bool(due))

    chain_ids = step.list_chain_ids(runtime.settings)
    with asking_as(name), trace_work(f"poll {name}"):
        outcomes = await asyncio.gather(*map(poll_chain, chain_ids))
    await store_requests(runtime.engine, runtime.chains)
    return list(outcomes)


async def run_pass(runtime: Runtime, name: str, *, alone: bool = False) -> list[PassOutcome]:
    """Do the pass's work on every chain. Raises `NotConfigured`, and `PassFailed` after all chains had their turn.

    `alone`: no process polls, as with cron; the endpoints' health is recorded as this process sees it.
    """
    step = _find_configured(runtime, name)

    async def run_chain(chain_id: int) -> PassOutcome:
        began = time.monotonic()
        error, found = await _run_guarded(step, chain_id, step.run(runtime, chain_id))
        full = {**report_of(found), "seconds": round(time.monotonic() - began, 3)} if error is None else None
        await _record_outcome(runtime, name, chain_id, error=error, report=full, ran=True, sees_endpoints=alone)
        return PassOutcome(chain_id, error, report=full)

    chain_ids = step.list_chain_ids(runtime.settings)
    with asking_as(name), trace_work(f"run {name}"):
        outcomes = list(await asyncio.gather(*map(run_chain, chain_ids)))
        await store_requests(runtime.engine, runtime.chains)
        failed = [outcome for outcome in outcomes if outcome.error]
        if failed:
            raise PassFailed(f"{name}: " + ", ".join(f"chain {o.chain_id}: {o.error}" for o in failed))
        return outcomes


def _find_configured(runtime: Runtime, name: str) -> WorkerPass:
    step = BY_NAME[name]
    reason = step.switched_off(runtime.settings)
    if reason:
        raise NotConfigured(f"{name}: {reason}")
    return step


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


def _mail_off(settings: Settings) -> str | None:
    return None if settings.mail else "no mail service is configured (MAIL_URL, MAIL_TOKEN)"


def report_of(found: Any) -> Report:
    """Return the fields of a dataclass for JSON; `asdict` would break a Counter."""
    values = found if isinstance(found, Mapping) else {each.name: getattr(found, each.name) for each in fields(found)}
    nested = (name for name, value in values.items() if is_dataclass(value) or isinstance(value, Mapping))
    return {**values, **{name: report_of(values[name]) for name in nested}}


def _relay_off(settings: Settings) -> str | None:
    if settings.relay or settings.auto_renew:
        return None
    return "no wallet of ours is configured (RELAYER_KEY, ATTESTOR_KEY)"


def _gifts_off(settings: Settings) -> str | None:
    return _mail_off(settings) if settings.gifts else "gifts are not served here (GIFT_ORIGINS)"


def _auto_renew_off(settings: Settings) -> str | None:
    return None if settings.auto_renew else "no attestor is configured (ATTESTOR_KEY)"


def _find_auto_renew(runtime: Runtime, chain_id: int) -> AutoRenew | None:
    """Raises `Misconfigured` for an attestor without a usable key: a pass that ignores it is no success."""
    if relays_on(runtime.settings, chain_id) and ATTESTOR not in runtime.relaying.admissions:
        raise Misconfigured("the attestor's key cannot be used: see `reminder-worker doctor`")
    return runtime.auto_renew.get(chain_id)


def list_expected_passes(settings: Settings) -> list[ExpectedPass]:
    """Return every active pass with each of its chains."""
    return [
        ExpectedPass(step.name, chain_id, step.every_seconds, by_the_clock=step is FORGETTING)
        for step in BY_NAME.values()
        if step.switched_off(settings) is None
        for chain_id in step.list_chain_ids(settings)
    ]


def fact_scope(engine: AsyncEngine, settings: Settings, wallets: Collection[str]) -> FactScope:
    """Return the scope of operators' facts: chains and passes as configured, and the wallets whose keys are in use."""
    chains = {chain.chain_id: chain for chain in settings.chains}
    return FactScope(engine, chains, wallets, list_expected_passes(settings), is_local=settings.is_local)


async def read_operator_facts(runtime: Runtime, *parts: FactPart) -> OperatorFacts:
    """Read these parts of the facts of a running worker."""
    return await read_facts(_make_scope(runtime), *parts)


def _make_scope(runtime: Runtime) -> FactScope:
    return fact_scope(runtime.engine, runtime.settings, [wallet.address for wallet in runtime.wallets])


def _make_watchdog(runtime: Runtime) -> HealthWatchdog:
    scope = _make_scope(runtime)
    scope = replace(scope, expected=[step for step in scope.expected if step.name != WATCHDOG])
    return HealthWatchdog(scope, runtime.alerts, runtime.chains, runtime.settings, runtime.sights)


def _prices_off(settings: Settings) -> str | None:
    return None if any(chain.price_feeds for chain in settings.chains) else "no price feeds (CHAIN_x_PRICE_FEEDS)"


def _upgrades_off(settings: Settings) -> str | None:
    watched = any(chain.upgrade_timelock for chain in settings.chains)
    return None if watched else "no timelock to watch (CHAIN_x_UPGRADE_TIMELOCK)"


# A poll of `index` asks a node for logs and three blocks, one of `signals` or `due` for a block. `upgrades` asks
# the tables of the index, and a node once a day. The index is a minute old at most, and a request that cannot wait lets
# it read on at once.
# `safe` moves every six minutes, an upgrade waits for two days, and windows are days long. Polls share the newest
# blocks (chain/heads.py). The watchdog looks at endpoints less often than it polls (monitoring/endpoints.py).
PASSES: tuple[WorkerPass, ...] = (
    WorkerPass("index", every_seconds=60, part=lambda runtime, chain_id: runtime.chain_indexes[chain_id]),
    WorkerPass("signals", every_seconds=60, part=lambda runtime, chain_id: runtime.signal_passes[chain_id]),
    WorkerPass(
        "due",
        every_seconds=1200,
        part=lambda runtime, chain_id: runtime.due_passes[chain_id],
        switched_off=_mail_off,
    ),
    WorkerPass(
        "dispatch",
        every_seconds=15,
        part=lambda runtime, _: runtime.dispatch,
        per_chain=False,
        switched_off=_mail_off,
    ),
    WorkerPass(
        "gifts",
        every_seconds=15,
        part=lambda runtime, _: runtime.gift_mail,
        per_chain=False,
        switched_off=_gifts_off,
    ),
    WorkerPass(
        "bounces",
        every_seconds=300,
        part=lambda runtime, _: runtime.bounces,
        per_chain=False,
        switched_off=_mail_off,
    ),
    WorkerPass(
        "relay",
        every_seconds=15,
        part=lambda runtime, chain_id: runtime.relay_passes.get(chain_id),
        switched_off=_relay_off,
    ),
    WorkerPass("auto_renew", every_seconds=300, part=_find_auto_renew, switched_off=_auto_renew_off),
    WorkerPass(
        "prices",
        every_seconds=300,
        part=lambda runtime, chain_id: runtime.prices[chain_id],
        switched_off=_prices_off,
    ),
    WorkerPass("statistics", every_seconds=300, part=lambda runtime, chain_id: runtime.statistics[chain_id]),
    WorkerPass(
        "upgrades",
        every_seconds=60,
        part=lambda runtime, chain_id: runtime.upgrades.get(chain_id),
        switched_off=_upgrades_off,
    ),
    WorkerPass("alerts", every_seconds=15, part=lambda runtime, _: runtime.alerts, per_chain=False),
    WorkerPass("watchdog", every_seconds=60, part=lambda runtime, _: _make_watchdog(runtime), per_chain=False),
)
# A schedule and `tick` run this pass without a poll. The watchdog watches it: kept personal data would go unnoticed.
FORGETTING = WorkerPass("forget", every_seconds=3600, part=lambda runtime, _: runtime.retention, per_chain=False)
BY_NAME = {step.name: step for step in (*PASSES, FORGETTING)}
