"""Auto-renew: what was seen of each owner who opted in, and what was decided."""

from typing import TYPE_CHECKING

import dagster as dg

from assets import metadata
from assets.reminders import chain_index
from assets.service import Service
from assets.steps import OWNERS, Results, materialized

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

SHOWN = 100


@dg.asset(
    deps=[chain_index],
    group_name="auto_renew",
    kinds={"ethereum", "postgres"},
    owners=OWNERS,
    tags={"holds": "public-chain-data"},
    metadata={"dagster/table_name": "worker.owner_activity"},
    output_required=False,
)
def owner_activity(context: dg.AssetExecutionContext, service: dg.ResourceParam[Service]) -> Results:
    """Owners whose transactions renew their timers: what was seen, how long is left, what was decided and why."""
    yield from materialized(context, service, "auto_renew", _facts)


AUTO_RENEW_ASSETS = (owner_activity,)


async def _facts(engine: "AsyncEngine") -> metadata.Metadata:
    from reminder_worker.monitoring.operations_relay import owners, verdicts

    counts = await verdicts(engine)
    return {
        "owners": sum(each.count for each in counts),
        "decisions": metadata.verdicts_table(counts),
        "held, and nearest deadlines": metadata.owners_table(await owners(engine, SHOWN)),
    }
