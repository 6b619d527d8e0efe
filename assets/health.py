"""Whether the worker is well: what its watchdog says is wrong now."""

from typing import TYPE_CHECKING

import dagster as dg

from assets import metadata
from assets.overview import pass_state
from assets.relay import relay_requests
from assets.reminders import sent_emails
from assets.service import Service
from assets.steps import OWNERS, Results, materialized

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine


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
    """What is wrong now, since when. Looked at each minute; made anew only when something began or is over."""
    yield from materialized(context, service, "watchdog", _facts)


HEALTH_ASSETS = (worker_health,)


async def _facts(engine: "AsyncEngine") -> metadata.Metadata:
    from reminder_worker.monitoring.operations_relay import conditions

    found = await conditions(engine)
    return {"wrong now": len(found), "conditions": metadata.conditions_table(found)}
