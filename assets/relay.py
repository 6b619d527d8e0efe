"""What the relay is made of: the requests whose gas we pay, and the alerts that operators are told."""

from typing import TYPE_CHECKING

import dagster as dg

from assets import metadata
from assets.service import Service
from assets.steps import IN_PLACE, OWNERS, Results, perform

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine


GROUP = "relay"


@dg.asset(
    group_name=GROUP,
    kinds={"postgres", "email"},
    owners=OWNERS,
    tags={"holds": "public-facts"},
    output_required=False,
)
def ops_alerts(context: dg.AssetExecutionContext, service: dg.ResourceParam[Service]) -> Results:
    """What operators were told, each change once: in the service log, and by email when an address is set."""
    for found in perform(context, service, "alerts", _alert_facts):
        yield dg.MaterializeResult(metadata=found, data_version=IN_PLACE)


RELAY_ASSETS = (ops_alerts,)


async def _alert_facts(engine: "AsyncEngine") -> metadata.Metadata:
    from reminder_worker import operations_relay as relay

    conditions, waiting = await relay.conditions(engine), await relay.undelivered_alerts(engine)
    return {
        "wrong now": len(conditions),
        "conditions": metadata.conditions_table(conditions),
        "emails waiting": waiting["queued"],
        "emails refused": waiting["dead"],
    }
