"""Auto-renew: observations and decisions by owner."""

from typing import TYPE_CHECKING

import dagster as dg

from assets import metadata
from assets.reminders import chain_index
from assets.service import Service
from assets.steps import OWNERS, Results, materialized

if TYPE_CHECKING:
    from reminder_worker.runtime import Runtime


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
    yield from materialized(context, service, "auto_renew", _read_metadata)


AUTO_RENEW_ASSETS = (owner_activity,)


async def _read_metadata(runtime: "Runtime") -> metadata.Metadata:
    from reminder_worker.passes import read_operator_facts

    facts = await read_operator_facts(runtime, "decisions", "owners")
    return {
        "owners": sum(count.count for count in facts.decisions),
        "decisions": metadata.decisions_table(facts.decisions),
        "held, and nearest deadlines": metadata.owners_table(facts.owners),
    }
