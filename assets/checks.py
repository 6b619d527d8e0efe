"""Checks of a healthy worker. A failed check names the trouble; none shows personal data."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import dagster as dg

from assets import metadata
from assets.observations import read_lags
from assets.overview import pass_state, worker_health
from assets.relay import ops_alerts, relay_requests
from assets.reminders import chain_index, due_reminders, notify_signals, sent_emails
from assets.service import Service
from assets.steps import AFTER_THE_WORK, SECONDS
from reminder_worker.declarations import WorkerPass
from reminder_worker.features import PASSES
from reminder_worker.monitoring.feature import PASS_STATES, UNDECIDED_EMAILS
from reminder_worker.outbox.feature import CONDITIONS, UNDELIVERED_ALERTS
from reminder_worker.relay.feature import WALLETS
from reminder_worker.reminders.feature import NEW_SIGNALS, SILENT_LEGACIES

if TYPE_CHECKING:
    from reminder_worker.declarations import ExpectedPass
    from reminder_worker.monitoring.facts import PassState
    from reminder_worker.runtime import Runtime

SETTLED_WITHIN = 15 * 60  # seconds; a signal is planned, an unknown email decided, long before


def _make_run_check(step: WorkerPass, asset: str) -> dg.AssetChecksDefinition:
    spec = dg.AssetCheckSpec(
        "every_chain_succeeded",
        asset=asset,
        description="The pass did its work on every chain. If not, the run fails, after all else in it was done.",
    )

    @dg.multi_asset_check(name=f"{step.name}_every_chain_succeeded", specs=[spec], op_tags=AFTER_THE_WORK)
    def check(service: dg.ResourceParam[Service]) -> Iterator[dg.AssetCheckResult]:
        from reminder_worker.monitoring.facts import states_of

        failed = [state for state in states_of(step, service.read(PASS_STATES)) if state.error]
        rows = [(state.chain_id, state.error, metadata.format_age(state.failed_age)) for state in failed]
        yield dg.AssetCheckResult(
            passed=not failed,
            description=metadata.join_sentence(
                (f"{error} {ago} ago{metadata.name_chain(chain)}" for chain, error, ago in rows), "it did its work"
            ),
            metadata={"failed": len(failed), "failures": metadata.make_table(("chain", "error", "ago"), rows)},
        )
        if failed:
            words = ", ".join(f"chain {state.chain_id}: {state.error}" for state in failed)
            raise dg.Failure(f"{step.name} failed: {words}", allow_retries=False)

    return check


@dg.asset_check(asset=chain_index, op_tags=AFTER_THE_WORK)
def index_lag(service: dg.ResourceParam[Service]) -> dg.AssetCheckResult:
    """The chain index follows the head of every chain closely."""
    from reminder_worker.monitoring.facts import LIMITS

    lags = service.call(read_lags, SECONDS)
    known = [lag for lag in lags if lag.error is None]
    words = [f"no answer of chain {lag.chain_id}: {lag.error}" for lag in lags if lag.error is not None]
    words += [
        f"{abs(lag.behind)} blocks {'behind' if lag.behind >= 0 else 'above'} the head of chain {lag.chain_id}"
        for lag in known
    ]
    rows = [(lag.chain_id, lag.head, lag.behind) for lag in known]
    near = [lag for lag in known if abs(lag.behind) <= LIMITS.max_lag_blocks]
    return dg.AssetCheckResult(
        passed=len(near) == len(lags),
        description="; ".join(words),
        metadata={
            "blocks behind": max([0, *(lag.behind for lag in known)]),
            "allowed": LIMITS.max_lag_blocks,
            "chains": metadata.make_table(("chain", "head", "blocks behind"), rows),
        },
    )


@dg.asset_check(asset=notify_signals, op_tags=AFTER_THE_WORK)
def every_signal_settled(service: dg.ResourceParam[Service]) -> dg.AssetCheckResult:
    """Every signal was planned, or set aside with a reason, soon after it was seen."""
    counts = service.read(NEW_SIGNALS)
    oldest = max((count.oldest for count in counts), default=0)
    return dg.AssetCheckResult(
        passed=oldest <= SETTLED_WITHIN,
        description=f"{sum(each.count for each in counts)} signals wait, the oldest for {metadata.format_age(oldest)};"
        f" allowed: {metadata.format_age(SETTLED_WITHIN)}",
        metadata={"oldest": metadata.format_age(oldest), "unsettled": metadata.signals_table(counts)},
    )


@dg.asset_check(asset=due_reminders, op_tags=AFTER_THE_WORK)
def every_set_reaches_somebody(service: dg.ResourceParam[Service]) -> dg.AssetCheckResult:
    """The emails of every legacy with saved people reach a person. A rehearsal tells its owner why not."""
    counts = service.read(SILENT_LEGACIES)
    words = (f"{count} reach nobody{metadata.name_chain(chain)}" for chain, count in counts.items())
    return dg.AssetCheckResult(
        passed=not counts,
        severity=dg.AssetCheckSeverity.WARN,
        description=metadata.join_sentence(words, "each reaches somebody"),
        metadata={"legacies": sum(counts.values())},
    )


@dg.asset_check(asset=sent_emails, op_tags=AFTER_THE_WORK)
def every_email_decided(service: dg.ResourceParam[Service]) -> dg.AssetCheckResult:
    """No email is dead or was held within a week (an operator has to look), and none stays unknown for long."""
    counts = service.read(UNDECIDED_EMAILS)
    stuck = [count for count in counts if count.needs_operator]
    late = [count for count in counts if count.state == "unknown" and count.oldest > SETTLED_WITHIN]
    found = stuck + late
    words = (
        f"{c.count} {c.kind} {c.state}{metadata.name_chain(c.chain_id)}, for {metadata.format_age(c.oldest)}"
        for c in found
    )
    by_state = dict.fromkeys(("unknown", "held", "dead"), 0)
    for count in counts:
        by_state[count.state] += count.count
    return dg.AssetCheckResult(
        passed=not found,
        description=metadata.join_sentence(words, "none is dead, was held lately or is unknown for long"),
        severity=dg.AssetCheckSeverity.ERROR if stuck else dg.AssetCheckSeverity.WARN,
        metadata={**by_state, "emails": metadata.emails_table(counts)},
    )


@dg.asset_check(asset=relay_requests, op_tags=AFTER_THE_WORK)
def no_stuck_slot(service: dg.ResourceParam[Service]) -> dg.AssetCheckResult:
    """Whatever was sent from a wallet of ours is mined soon."""
    found = service.read(WALLETS)
    oldest = max((wallet.oldest_open or 0 for wallet in found), default=0)
    return dg.AssetCheckResult(
        passed=oldest <= SETTLED_WITHIN,
        description=f"the oldest that is not mined waits for {metadata.format_age(oldest)};"
        f" allowed: {metadata.format_age(SETTLED_WITHIN)}"
        if oldest
        else "all is mined",
        metadata={"oldest": metadata.format_age(oldest), "wallets": metadata.wallets_table(found)},
    )


@dg.asset_check(asset=relay_requests, op_tags=AFTER_THE_WORK)
def no_stopped_wallet(service: dg.ResourceParam[Service]) -> dg.AssetCheckResult:
    """No wallet of ours was stopped because the chain shows what it never signed."""
    found = service.read(WALLETS)
    stopped = [f"{each.address}{metadata.name_chain(each.chain_id)}: {each.stopped}" for each in found if each.stopped]
    return dg.AssetCheckResult(
        passed=not stopped,
        description=metadata.join_sentence(stopped, "none is stopped"),
        metadata={"wallets": metadata.wallets_table(found)},
    )


@dg.asset_check(asset=relay_requests, op_tags=AFTER_THE_WORK)
def balances_suffice(service: dg.ResourceParam[Service]) -> dg.AssetCheckResult:
    """Each wallet pays for as many transactions as is set, and for each that waits, by the last look at its balance."""
    found = [each for each in service.read(CONDITIONS) if each.kind == "relayer_low_balance"]
    return dg.AssetCheckResult(
        passed=not found,
        severity=dg.AssetCheckSeverity.WARN,
        description=metadata.join_sentence(
            (
                f"{each.subject}{metadata.name_chain(each.chain_id)} is low since {metadata.format_age(each.age)}"
                for each in found
            ),
            "every wallet has enough",
        ),
        metadata={"low balances": metadata.conditions_table(found)},
    )


@dg.asset_check(asset=ops_alerts, op_tags=AFTER_THE_WORK)
def every_alert_delivered(service: dg.ResourceParam[Service]) -> dg.AssetCheckResult:
    """The mail service refused no alert. Waiting alerts are in the service log already."""
    found = service.read(UNDELIVERED_ALERTS)
    return dg.AssetCheckResult(
        passed=not found["dead"],
        description=f"refused: {found['dead']}, waiting for the mail service: {found['queued']}",
        metadata={"refused": found["dead"], "waiting": found["queued"]},
    )


@dg.asset_check(asset=pass_state, op_tags=AFTER_THE_WORK)
def every_pass_alive(service: dg.ResourceParam[Service]) -> dg.AssetCheckResult:
    """Every pass that is on succeeded lately on every chain; looks that found nothing count."""
    from reminder_worker.monitoring.rules import find_silent

    async def find(runtime: "Runtime") -> "list[tuple[ExpectedPass, PassState | None]]":
        return find_silent(runtime.scope.expected, await PASS_STATES.read(runtime.scope))

    silent = [
        (expected.name, expected.chain_id, metadata.format_age(state.succeeded_age if state else None))
        for expected, state in service.call(find, SECONDS)
    ]
    return dg.AssetCheckResult(
        passed=not silent,
        description=metadata.join_sentence(
            (f"{name}{metadata.name_chain(chain)}: last success {ago}" for name, chain, ago in silent),
            "every pass is alive",
        ),
        metadata={"silent": metadata.make_table(("pass", "chain", "last success"), silent)},
    )


@dg.asset_check(asset=worker_health, op_tags=AFTER_THE_WORK)
def nothing_is_wrong(service: dg.ResourceParam[Service]) -> dg.AssetCheckResult:
    """No alert says that something is wrong now, and the watchdog looks, which would. The runbook says what to do."""
    from reminder_worker.monitoring.facts import watchdog_looks

    found = service.read(CONDITIONS)
    said = [f"{c.kind}: {c.subject}{metadata.name_chain(c.chain_id)}, for {metadata.format_age(c.age)}" for c in found]
    if not watchdog_looks(service.read(PASS_STATES)):
        said.insert(0, "the watchdog does not look, and nobody knows")
    return dg.AssetCheckResult(
        passed=not said,
        description=metadata.join_sentence(said, "nothing is wrong"),
        metadata={"conditions": metadata.conditions_table(found)},
    )


RUN_CHECKS: Final = {step: _make_run_check(step, step.asset) for step in PASSES if step.asset}
STANDING_CHECKS = (
    index_lag,
    every_signal_settled,
    every_set_reaches_somebody,
    every_email_decided,
    no_stuck_slot,
    no_stopped_wallet,
    balances_suffice,
    every_alert_delivered,
    every_pass_alive,
    nothing_is_wrong,
)
