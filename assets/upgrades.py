"""Upgrade queue: operations scheduled on the timelock that may change the contracts."""

from typing import TYPE_CHECKING

import dagster as dg

from assets import metadata
from assets.reminders import chain
from assets.service import Service, read_facts
from assets.steps import IN_PLACE, OWNERS, SECONDS, Results, perform
from assets.tables import describe_table

if TYPE_CHECKING:
    from reminder_worker.runtime import Runtime
    from reminder_worker.upgrades.store import ListedOperation


@dg.asset(
    deps=[chain],
    group_name="upgrades",
    kinds={"ethereum", "postgres"},
    owners=OWNERS,
    tags={"holds": "public-chain-data"},
    metadata=describe_table("upgrade_operation"),
    output_required=False,
    pool="relay",
)
def upgrade_operations(context: dg.AssetExecutionContext, service: dg.ResourceParam[Service]) -> Results:
    """Operations of the UpgradeTimelock: their state, their effect, and when they may be executed.

    The sensor polls the timelock's logs, on a public chain every five minutes: a run starts only for a change.
    """
    for found in perform(context, service, "upgrades"):
        yield dg.MaterializeResult(metadata={**service.call(read_queue, SECONDS), **found}, data_version=IN_PLACE)


async def read_queue(runtime: "Runtime") -> metadata.Metadata:
    from reminder_worker.upgrades.store import list_operations

    engine, watched = runtime.engine, runtime.upgrades
    facts = await read_facts(runtime, "upgrades")
    return {
        "dagster/row_count": sum(count.count for count in facts.upgrades),
        "pending operations": _make_queue_table(await list_operations(engine, watched, limit=50)),
        "ended lately": _make_queue_table(await list_operations(engine, watched, ended=True, limit=50)),
    }


def _make_queue_table(listed: "list[ListedOperation]") -> metadata.Table:
    from reminder_worker.outbox.messages import LATEST_TIME

    rows = [
        (
            each.operation.state,
            each.call_summary,
            "" if each.operation.ready_at is None else metadata.format_clock(min(each.operation.ready_at, LATEST_TIME)),
            "yes" if each.final else "not yet",
            each.chain_id,
            each.operation.scheduled_by or "",
            each.operation.operation_id,
        )
        for each in listed
    ]
    return metadata.make_table(("state", "does", "executable at", "final", "chain", "sent by", "operation"), rows)
