"""Relay and auto-renew: the owners whose timers are renewed, the requests whose gas we pay, and the alerts."""

from typing import TYPE_CHECKING

import dagster as dg

from assets import metadata
from assets.reminders import chain, chain_index
from assets.service import Service
from assets.steps import OWNERS, Results, materialized, shown_between_runs
from assets.tables import describe_table
from reminder_worker.auto_renew.feature import AUTO_RENEW, DECISIONS, OWNER_DECISIONS
from reminder_worker.outbox.feature import ALERTS, CONDITIONS, UNDELIVERED_ALERTS
from reminder_worker.relay.feature import ENDED_REQUESTS, OPEN_REQUESTS, RELAY, WALLET_SPEND, WALLETS

if TYPE_CHECKING:
    from reminder_worker.runtime import Runtime


@dg.asset(
    deps=[chain_index],
    group_name="auto_renew",
    kinds={"ethereum", "postgres"},
    owners=OWNERS,
    tags={"holds": "public-chain-data"},
    metadata=describe_table("owner_activity"),
    output_required=False,
    pool="auto_renew",
)
def owner_activity(context: dg.AssetExecutionContext, service: dg.ResourceParam[Service]) -> Results:
    """Owners whose transactions renew their timers: what was seen, how long is left, what was decided and why."""
    yield from materialized(context, service, AUTO_RENEW, read_owner_metadata)


@shown_between_runs("owner_activity")
async def read_owner_metadata(runtime: "Runtime") -> metadata.Metadata:
    decisions = await DECISIONS.read(runtime.scope)
    owners = await OWNER_DECISIONS.read(runtime.scope)
    return {
        "owners": sum(count.count for count in decisions),
        "decisions": metadata.decisions_table(decisions),
        "held, and nearest deadlines": metadata.owners_table(owners),
    }


STAY_SECONDS = 90.0  # in one run, while anything is open: a run's start costs more than many looks
PAUSE_SECONDS = 10.0

authorizations = dg.AssetSpec(
    "authorizations",
    group_name="outside",
    kinds={"postgres"},
    owners=OWNERS,
    tags={"holds": "encrypted-signatures"},
    metadata=describe_table("relay_request"),
    description="Claims, check-ins and withdrawals that users signed: taken, signed and sent by the HTTP API.",
)


@dg.asset(
    deps=[authorizations, owner_activity, chain],
    group_name="relay",
    kinds={"ethereum", "postgres"},
    owners=OWNERS,
    tags={"holds": "encrypted-signatures"},
    metadata=describe_table("tx_attempt"),
    output_required=False,
    pool="relay",
)
def relay_requests(context: dg.AssetExecutionContext, service: dg.ResourceParam[Service]) -> Results:
    """Requests followed to their end: receipts, rebroadcasts, replacements, finality, and what each cost."""
    yield from materialized(context, service, RELAY, read_relay_metadata, again=(PAUSE_SECONDS, STAY_SECONDS))


raised_alerts = dg.AssetSpec(
    "raised_alerts",
    deps=[relay_requests, "upgrade_operations", "worker_health"],
    group_name="overview",
    kinds={"postgres"},
    owners=OWNERS,
    tags={"holds": "public-facts"},
    metadata=describe_table("alert"),
    description="The outbox of alerts: a row for each change, written in one transaction with the change.",
)


@dg.asset(
    deps=[raised_alerts],  # not relay_requests: this asset would be skipped while the relay's pass is off
    op_tags={"dagster/priority": "-1"},  # after the assets of the same run that raise alerts
    group_name="overview",
    kinds={"postgres", "email"},
    owners=OWNERS,
    tags={"holds": "public-facts"},
    output_required=False,
    pool="relay",
)
def ops_alerts(context: dg.AssetExecutionContext, service: dg.ResourceParam[Service]) -> Results:
    """Alerts to operators, once for each change: in the service log, and by email if an address is set."""
    yield from materialized(context, service, ALERTS, read_alert_metadata)


@shown_between_runs("relay_requests")
async def read_relay_metadata(runtime: "Runtime") -> metadata.Metadata:
    open_requests = await OPEN_REQUESTS.read(runtime.scope)
    ended_requests = await ENDED_REQUESTS.read(runtime.scope)
    wallets = await WALLETS.read(runtime.scope)
    spend = await WALLET_SPEND.read(runtime.scope)
    oldest = max((wallet.oldest_open or 0 for wallet in wallets), default=0)
    return {
        **metadata.describe_spend(spend),
        "open requests": sum(count.count for count in open_requests),
        "oldest open slot": metadata.format_age(oldest),
        "requests by state": metadata.requests_table(open_requests),
        "ended in the last day": metadata.requests_table(ended_requests),
        "wallets": metadata.wallets_table(wallets),
    }


@shown_between_runs("ops_alerts")
async def read_alert_metadata(runtime: "Runtime") -> metadata.Metadata:
    conditions = await CONDITIONS.read(runtime.scope)
    undelivered_alerts = await UNDELIVERED_ALERTS.read(runtime.scope)
    return {
        "wrong now": len(conditions),
        "conditions": metadata.conditions_table(conditions),
        "emails waiting": undelivered_alerts["queued"],
        "emails refused": undelivered_alerts["dead"],
    }
