"""Health of the worker, as its watchdog sees it."""

from typing import TYPE_CHECKING

import dagster as dg

from assets import metadata
from assets.overview import pass_state
from assets.relay import relay_requests
from assets.reminders import sent_emails
from assets.service import Service
from assets.steps import OWNERS, Results, materialized

if TYPE_CHECKING:
    from reminder_worker.runtime import Runtime


@dg.asset(
    deps=[pass_state, sent_emails, "gift_emails", relay_requests],
    group_name="overview",
    kinds={"postgres"},
    owners=OWNERS,
    tags={"holds": "public-facts"},
    metadata={"dagster/table_name": "worker.alert_state"},
    output_required=False,
)
def worker_health(context: dg.AssetExecutionContext, service: dg.ResourceParam[Service]) -> Results:
    """Conditions that are wrong now, and since when. Judged each minute; materialized only after a change."""
    yield from materialized(context, service, "watchdog", _read_metadata)


HEALTH_ASSETS = (worker_health,)


async def _read_metadata(runtime: "Runtime") -> metadata.Metadata:
    from reminder_worker.passes import read_operator_facts

    conditions = (await read_operator_facts(runtime, "conditions")).conditions
    return {"wrong now": len(conditions), "conditions": metadata.conditions_table(conditions)}
