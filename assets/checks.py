"""What should be true of a healthy worker. A failed check says what to look at; none shows personal data."""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import dagster as dg

from assets import metadata
from assets.auto_renew import owner_activity
from assets.gifts import gift_emails
from assets.health import worker_health
from assets.overview import SECONDS, pass_state
from assets.prices import price_not_stale, prices
from assets.relay import ops_alerts, relay_requests
from assets.reminders import chain_index, due_reminders, notify_signals, sent_emails
from assets.service import Service
from assets.statistics import statistics_snapshots
from assets.steps import AFTER_THE_WORK, PASS_OF
from assets.upgrades import upgrade_operations

if TYPE_CHECKING:
    from reminder_worker.monitoring import operations, operations_relay
    from reminder_worker.runtime import Runtime

EVERY_CHAIN = "every_chain_succeeded"
SETTLED_WITHIN = 15 * 60  # seconds; a signal is planned, an unknown email decided, long before


def _every_chain_succeeded(asset: dg.AssetsDefinition) -> dg.AssetChecksDefinition:
    name = PASS_OF[asset.key.to_user_string()]

    spec = dg.AssetCheckSpec(
        EVERY_CHAIN,
        asset=asset,
        description="The pass did its work on every chain. If not, the run fails, after all else in it was done.",
    )

    @dg.multi_asset_check(name=f"{name}_{EVERY_CHAIN}", specs=[spec], op_tags=AFTER_THE_WORK)
    def check(service: dg.ResourceParam[Service]) -> Iterator[dg.AssetCheckResult]:
        failed = [state for state in service.call(partial(_states, name=name), SECONDS) if state.error]
        rows = [(state.chain_id, state.error, metadata.age(state.failed_age)) for state in failed]
        yield dg.AssetCheckResult(
            passed=not failed,
            description=metadata.sentence(
                (f"{error} {ago} ago{metadata.place(chain)}" for chain, error, ago in rows), "it did its work"
            ),
            metadata={"failed": len(failed), "failures": metadata.table(("chain", "error", "ago"), rows)},
        )
        if failed:
            words = ", ".join(f"chain {state.chain_id}: {state.error}" for state in failed)
            raise dg.Failure(f"{name} failed: {words}", allow_retries=False)

    return check


@dg.asset_check(asset=chain_index, op_tags=AFTER_THE_WORK)
def index_lag(service: dg.ResourceParam[Service]) -> dg.AssetCheckResult:
    """The chain index follows the head of every chain closely."""
    from reminder_worker.monitoring.rules import MAX_LAG_BLOCKS

    lags, unread = service.call(_lags, SECONDS)
    worst = max((lag for _, _, lag in lags), default=0)
    said = [f"no answer of chain {chain}: {error}" for chain, error in unread]
    said += [
        f"{abs(lag)} blocks {'behind' if lag >= 0 else 'above'} the head of chain {chain}" for chain, _, lag in lags
    ]
    return dg.AssetCheckResult(
        passed=all(abs(lag) <= MAX_LAG_BLOCKS for _, _, lag in lags) and not unread,
        description="; ".join(said),
        metadata={
            "blocks behind": max(0, worst),
            "allowed": MAX_LAG_BLOCKS,
            "chains": metadata.table(("chain", "head", "blocks behind"), lags),
        },
    )


@dg.asset_check(asset=notify_signals, op_tags=AFTER_THE_WORK)
def every_signal_settled(service: dg.ResourceParam[Service]) -> dg.AssetCheckResult:
    """Every signal was planned, or set aside with a reason, soon after it was seen."""
    counts = service.call(_unsettled, SECONDS)
    oldest = max((count.oldest for count in counts), default=0)
    return dg.AssetCheckResult(
        passed=oldest <= SETTLED_WITHIN,
        description=f"{sum(count.count for count in counts)} signals wait, the oldest for {metadata.age(oldest)};"
        f" allowed: {metadata.age(SETTLED_WITHIN)}",
        metadata={"oldest": metadata.age(oldest), "unsettled": metadata.signals_table(counts)},
    )


@dg.asset_check(asset=sent_emails, op_tags=AFTER_THE_WORK)
def every_email_decided(service: dg.ResourceParam[Service]) -> dg.AssetCheckResult:
    """No email is dead or was held within a week (an operator has to look), and none stays unknown for long."""
    counts = service.call(_undecided, SECONDS)
    stuck = [count for count in counts if count.calls_for_somebody]
    late = [count for count in counts if count.state == "unknown" and count.oldest > SETTLED_WITHIN]
    return dg.AssetCheckResult(
        passed=not stuck and not late,
        description=metadata.sentence(
            (
                f"{c.count} {c.kind} {c.state}{metadata.place(c.chain_id)}, for {metadata.age(c.oldest)}"
                for c in stuck + late
            ),
            "none is dead, was held lately or is unknown for long",
        ),
        severity=dg.AssetCheckSeverity.ERROR if stuck else dg.AssetCheckSeverity.WARN,
        metadata={
            **{state: sum(c.count for c in counts if c.state == state) for state in ("unknown", "held", "dead")},
            "emails": metadata.emails_table(counts),
        },
    )


@dg.asset_check(asset=relay_requests, op_tags=AFTER_THE_WORK)
def no_stuck_slot(service: dg.ResourceParam[Service]) -> dg.AssetCheckResult:
    """Whatever was sent from a wallet of ours is mined soon."""
    found = service.call(_wallets, SECONDS)
    oldest = max((wallet.oldest_open or 0 for wallet in found), default=0)
    return dg.AssetCheckResult(
        passed=oldest <= SETTLED_WITHIN,
        description=f"the oldest that is not mined waits for {metadata.age(oldest)};"
        f" allowed: {metadata.age(SETTLED_WITHIN)}"
        if oldest
        else "all is mined",
        metadata={"oldest": metadata.age(oldest), "wallets": metadata.wallets_table(found)},
    )


@dg.asset_check(asset=relay_requests, op_tags=AFTER_THE_WORK)
def no_stopped_wallet(service: dg.ResourceParam[Service]) -> dg.AssetCheckResult:
    """No wallet of ours was stopped because the chain shows what it never signed."""
    found = service.call(_wallets, SECONDS)
    stopped = [f"{each.address}{metadata.place(each.chain_id)}: {each.stopped}" for each in found if each.stopped]
    return dg.AssetCheckResult(
        passed=not stopped,
        description=metadata.sentence(stopped, "none is stopped"),
        metadata={"wallets": metadata.wallets_table(found)},
    )


@dg.asset_check(asset=relay_requests, op_tags=AFTER_THE_WORK)
def balances_suffice(service: dg.ResourceParam[Service]) -> dg.AssetCheckResult:
    """Each wallet pays for as many transactions as is set, and for each that waits, by the last look at its balance."""
    found = [each for each in service.call(_conditions, SECONDS) if each.kind == "relayer_low_balance"]
    return dg.AssetCheckResult(
        passed=not found,
        severity=dg.AssetCheckSeverity.WARN,
        description=metadata.sentence(
            (f"{each.subject}{metadata.place(each.chain_id)} is low since {metadata.age(each.age)}" for each in found),
            "every wallet has enough",
        ),
        metadata={"low balances": metadata.conditions_table(found)},
    )


@dg.asset_check(asset=ops_alerts, op_tags=AFTER_THE_WORK)
def every_alert_delivered(service: dg.ResourceParam[Service]) -> dg.AssetCheckResult:
    """The mail service refused no alert. Those that wait for it are in the service log already."""
    found = service.call(_undelivered, SECONDS)
    return dg.AssetCheckResult(
        passed=not found["dead"],
        description=f"refused: {found['dead']}, waiting for the mail service: {found['queued']}",
        metadata={"refused": found["dead"], "waiting": found["queued"]},
    )


@dg.asset_check(asset=pass_state, op_tags=AFTER_THE_WORK)
def every_pass_alive(service: dg.ResourceParam[Service]) -> dg.AssetCheckResult:
    """Every pass that is on succeeded lately on every chain; looks that found nothing count."""
    silent = service.call(_silent, SECONDS)
    return dg.AssetCheckResult(
        passed=not silent,
        description=metadata.sentence(
            (f"{name}{metadata.place(chain)}: last success {ago}" for name, chain, ago in silent), "every pass is alive"
        ),
        metadata={"silent": metadata.table(("pass", "chain", "last success"), silent)},
    )


@dg.asset_check(asset=worker_health, op_tags=AFTER_THE_WORK)
def nothing_is_wrong(service: dg.ResourceParam[Service]) -> dg.AssetCheckResult:
    """No alert says that something is wrong now, and the watchdog looks, which would. The runbook says what to do."""
    found = service.call(_conditions, SECONDS)
    said = [f"{c.kind}: {c.subject}{metadata.place(c.chain_id)}, for {metadata.age(c.age)}" for c in found]
    if not service.call(_watchdog_looks, SECONDS):
        said.insert(0, "the watchdog does not look, and nobody knows")
    return dg.AssetCheckResult(
        passed=not said,
        description=metadata.sentence(said, "nothing is wrong"),
        metadata={"conditions": metadata.conditions_table(found)},
    )


_PASS_ASSETS = (
    chain_index,
    notify_signals,
    due_reminders,
    sent_emails,
    gift_emails,
    relay_requests,
    owner_activity,
    prices,
    statistics_snapshots,
    upgrade_operations,
    ops_alerts,
    worker_health,
)
RUN_CHECKS = tuple(_every_chain_succeeded(asset) for asset in _PASS_ASSETS)
STANDING_CHECKS = (
    index_lag,
    every_signal_settled,
    every_email_decided,
    no_stuck_slot,
    no_stopped_wallet,
    balances_suffice,
    every_alert_delivered,
    price_not_stale,
    every_pass_alive,
    nothing_is_wrong,
)


async def _states(runtime: "Runtime", name: str) -> "list[operations.PassState]":
    from reminder_worker import passes

    return [state for state in await passes.states(runtime.engine, runtime.settings) if state.name == name]


async def _lags(runtime: "Runtime") -> tuple[list[tuple[int, int, int]], list[tuple[int, str]]]:
    """(chain, head, blocks behind it; negative: above it); and of each chain that does not tell its head, why."""
    from reminder_worker.errors import ServiceError
    from reminder_worker.monitoring.operations import positions

    read = {p.chain_id: p.block_number for p in await positions(runtime.engine) if p.name == "index"}
    found, unread = [], []
    for chain_id, chain in runtime.chains.items():
        try:
            head = await chain.block("latest")
        except ServiceError as error:
            unread.append((chain_id, type(error).__name__))
            continue
        if head is None:
            unread.append((chain_id, "it has no latest block"))
            continue
        start = chain.settings.start_block - 1
        found.append((chain_id, head.number, head.number - read.get(chain_id, start)))
    return found, unread


async def _unsettled(runtime: "Runtime") -> "list[operations.SignalCount]":
    """Of chains that are served: of one that was taken out nobody settles any more."""
    from reminder_worker.monitoring.operations import unsettled_signals

    return [count for count in await unsettled_signals(runtime.engine) if count.chain_id in runtime.chains]


async def _undecided(runtime: "Runtime") -> "list[operations.EmailCount]":
    from reminder_worker.monitoring.operations import undecided_emails

    return await undecided_emails(runtime.engine, runtime.chains)


async def _wallets(runtime: "Runtime") -> "list[operations_relay.Wallet]":
    """Those that are in use: of an earlier key, as of one that was stolen, nobody ends or resumes anything any more."""
    from reminder_worker.monitoring.operations_relay import wallets

    ours = {wallet.address for wallet in runtime.wallets}
    return [each for each in await wallets(runtime.engine) if each.address in ours and each.chain_id in runtime.chains]


async def _conditions(runtime: "Runtime") -> "list[operations_relay.Condition]":
    from reminder_worker.monitoring.operations_relay import conditions

    return await conditions(runtime.engine)


async def _watchdog_looks(runtime: "Runtime") -> bool:
    from reminder_worker.monitoring.operations import pass_state_of
    from reminder_worker.monitoring.watchdog import NAME, looks

    return looks(await pass_state_of(runtime.engine, NAME))


async def _undelivered(runtime: "Runtime") -> dict[str, int]:
    from reminder_worker.monitoring.operations_relay import undelivered_alerts

    return await undelivered_alerts(runtime.engine)


async def _silent(runtime: "Runtime") -> list[tuple[str, int, str]]:
    """(pass, chain, age of its last success) of every pass that is on and too long without one."""
    from reminder_worker import passes
    from reminder_worker.monitoring import rules

    expected, states = passes.expected(runtime.settings), await passes.states(runtime.engine, runtime.settings)
    return [
        (each.name, each.chain_id, metadata.age(state.succeeded_age if state else None))
        for each, state in rules.silent(expected, states)
    ]
