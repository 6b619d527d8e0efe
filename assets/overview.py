"""First look of an operator: the ages of the passes, the emails sent, and what is wrong."""

from datetime import timedelta
from typing import TYPE_CHECKING

import dagster as dg

from assets import metadata
from assets.observations import observe
from assets.relay import relay_requests
from assets.reminders import sent_emails
from assets.service import Service
from assets.steps import IN_PLACE, OWNERS, SECONDS, Results, materialized
from assets.tables import describe_table
from reminder_worker.features import PASSES
from reminder_worker.monitoring.feature import NODE_REQUESTS, PASS_STATES, SETTLED_BY_DAY, WATCHDOG
from reminder_worker.outbox.feature import CONDITIONS
from reminder_worker.reminders.feature import ERASURES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reminder_worker.monitoring.facts import PassState
    from reminder_worker.monitoring.node_requests import RequestTally
    from reminder_worker.outbox.operator import SettledEmails
    from reminder_worker.reminders.erasure import RecentErasures
    from reminder_worker.runtime import Runtime

EVERY_QUARTER_HOUR = dg.FreshnessPolicy.time_window(fail_window=timedelta(hours=1), warn_window=timedelta(minutes=35))


@dg.asset(
    # The last asset of each lane; worker_health and ops_alerts depend on this asset.
    deps=[
        sent_emails,
        "gift_emails",
        "returned_emails",
        "relay_requests",
        "upgrade_operations",
        "statistics_snapshots",
    ],
    group_name="overview",
    kinds={"postgres"},
    owners=OWNERS,
    tags={"holds": "public-facts"},
    metadata=describe_table("pass_state"),
    freshness_policy=EVERY_QUARTER_HOUR,
)
def pass_state(context: dg.AssetExecutionContext, service: dg.ResourceParam[Service]) -> dg.MaterializeResult[None]:
    """When each pass last looked, succeeded and failed. An empty look is a success.

    The same step observes the other assets: their pages show how things stand, also without work.
    """
    for observation in observe(service):
        context.log_event(observation)
    states, off, erasures = service.call(_read_states, SECONDS)
    return dg.MaterializeResult(
        metadata={
            "passes": metadata.passes_table(states, off),
            "failing": sum(state.error is not None for state in states),
            "switched off": len(off),
            **metadata.describe_erasures(erasures),
        },
        data_version=IN_PLACE,
    )


@dg.asset(
    deps=[sent_emails, "gift_emails"],
    group_name="reminders",
    kinds={"postgres", "polars"},
    owners=OWNERS,
    tags={"holds": "aggregates-only"},
    freshness_policy=EVERY_QUARTER_HOUR,
)
def sends_per_day(service: dg.ResourceParam[Service]) -> dg.MaterializeResult[None]:
    """Outcomes of the emails settled in the last fourteen days (UTC), also of gifts, by day and kind.

    A sent email stays counted after it came back or its recipient was erased. An email erased before it was sent never
    counts.
    """
    return dg.MaterializeResult(metadata=metadata.describe_sends(*service.call(_read_sends, SECONDS)))


@dg.asset(
    deps=["chain_index"],
    group_name="overview",
    kinds={"postgres"},
    owners=OWNERS,
    tags={"holds": "aggregates-only"},
    metadata=describe_table("node_request"),
    freshness_policy=EVERY_QUARTER_HOUR,
)
def node_requests(service: dg.ResourceParam[Service]) -> dg.MaterializeResult[None]:
    """Requests to the RPC endpoints in the last fourteen days (UTC), by day and pass: providers charge for each."""
    return dg.MaterializeResult(metadata=metadata.describe_requests(*service.call(_read_requests, SECONDS)))


async def _read_states(
    runtime: "Runtime",
) -> "tuple[Sequence[PassState], dict[str, str], Sequence[RecentErasures]]":
    """Return the states of the passes that are on, why each other pass is off, and the erasures."""
    reasons = {step.name: step.off(runtime.settings) for step in PASSES}
    off = {name: reason for name, reason in reasons.items() if reason}
    return await PASS_STATES.read(runtime.scope), off, await ERASURES.read(runtime.scope)


async def _read_sends(runtime: "Runtime") -> "tuple[Sequence[SettledEmails], int]":
    """Return the settled emails, and of how many days they are."""
    from reminder_worker.monitoring.facts import DAYS_SHOWN

    return await SETTLED_BY_DAY.read(runtime.scope), DAYS_SHOWN


async def _read_requests(runtime: "Runtime") -> "tuple[Sequence[RequestTally], int]":
    """Return the counted requests, and of how many days they are."""
    from reminder_worker.monitoring.facts import DAYS_SHOWN

    return await NODE_REQUESTS.read(runtime.scope), DAYS_SHOWN


@dg.asset(
    deps=[pass_state, sent_emails, "gift_emails", relay_requests],
    group_name="overview",
    kinds={"postgres"},
    owners=OWNERS,
    tags={"holds": "public-facts"},
    output_required=False,
    pool="health",
)
def worker_health(context: dg.AssetExecutionContext, service: dg.ResourceParam[Service]) -> Results:
    """Conditions that are wrong now, and since when.

    The sensor judges each minute; a run shows it at the first look, after a change, and each quarter of an hour.
    """
    yield from materialized(context, service, WATCHDOG, _read_conditions)


async def _read_conditions(runtime: "Runtime") -> metadata.Metadata:
    conditions = await CONDITIONS.read(runtime.scope)
    return {"wrong now": len(conditions), "conditions": metadata.conditions_table(conditions)}
