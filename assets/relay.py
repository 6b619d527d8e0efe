"""Relay: the requests whose gas we pay, and the alerts to operators."""

from typing import TYPE_CHECKING

import dagster as dg

from assets import metadata
from assets.auto_renew import owner_activity
from assets.reminders import chain
from assets.service import Service
from assets.steps import OWNERS, Results, materialized

if TYPE_CHECKING:
    from reminder_worker.runtime import Runtime


GROUP = "relay"
STAY_SECONDS = 90.0  # in one run, while anything is open: a run's start costs more than many looks
PAUSE_SECONDS = 10.0

authorizations = dg.AssetSpec(
    "authorizations",
    group_name="outside",
    kinds={"postgres"},
    owners=OWNERS,
    tags={"holds": "encrypted-signatures"},
    metadata={"dagster/table_name": "worker.relay_request"},
    description="Claims, check-ins and withdrawals that users signed: taken, signed and sent by the HTTP API.",
)


@dg.asset(
    deps=[authorizations, owner_activity, chain],
    group_name=GROUP,
    kinds={"ethereum", "postgres"},
    owners=OWNERS,
    tags={"holds": "encrypted-signatures"},
    metadata={"dagster/table_name": "worker.tx_attempt"},
    output_required=False,
)
def relay_requests(context: dg.AssetExecutionContext, service: dg.ResourceParam[Service]) -> Results:
    """Requests followed to their end: receipts, rebroadcasts, replacements, finality, and what each cost."""
    yield from materialized(context, service, "relay", _read_relay_metadata, again=(PAUSE_SECONDS, STAY_SECONDS))


raised_alerts = dg.AssetSpec(
    "raised_alerts",
    deps=[relay_requests, "upgrade_operations", "worker_health"],
    group_name="overview",
    kinds={"postgres"},
    owners=OWNERS,
    tags={"holds": "public-facts"},
    metadata={"dagster/table_name": "worker.alert"},
    description="The outbox of alerts: a row for each change, written in one transaction with what it tells of.",
)


@dg.asset(
    deps=[raised_alerts],  # not relay_requests: this asset would be skipped while the relay's pass is off
    op_tags={"dagster/priority": "-1"},  # after the assets of the same run that raise alerts
    group_name="overview",
    kinds={"postgres", "email"},
    owners=OWNERS,
    tags={"holds": "public-facts"},
    output_required=False,
)
def ops_alerts(context: dg.AssetExecutionContext, service: dg.ResourceParam[Service]) -> Results:
    """Alerts to operators, once for each change: in the service log, and by email if an address is set."""
    yield from materialized(context, service, "alerts", _read_alert_metadata)


RELAY_ASSETS = (authorizations, relay_requests, raised_alerts, ops_alerts)


async def _read_relay_metadata(runtime: "Runtime") -> metadata.Metadata:
    from reminder_worker.passes import read_operator_facts

    facts = await read_operator_facts(runtime, "open_requests", "ended_requests", "wallets")
    return {
        "open requests": sum(count.count for count in facts.open_requests),
        "oldest open slot": metadata.age(max((wallet.oldest_open or 0 for wallet in facts.wallets), default=0)),
        "requests by state": metadata.requests_table(facts.open_requests),
        "ended in the last day": metadata.requests_table(facts.ended_requests),
        "wallets": metadata.wallets_table(facts.wallets),
    }


async def _read_alert_metadata(runtime: "Runtime") -> metadata.Metadata:
    from reminder_worker.passes import read_operator_facts

    facts = await read_operator_facts(runtime, "conditions", "undelivered_alerts")
    return {
        "wrong now": len(facts.conditions),
        "conditions": metadata.conditions_table(facts.conditions),
        "emails waiting": facts.undelivered_alerts["queued"],
        "emails refused": facts.undelivered_alerts["dead"],
    }
