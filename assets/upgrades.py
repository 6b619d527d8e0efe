"""Upgrade queue: operations scheduled on the timelock that may change the contracts."""

from typing import TYPE_CHECKING

import dagster as dg

from assets import metadata
from assets.reminders import chain
from assets.service import Service
from assets.steps import IN_PLACE, OWNERS, SECONDS, Results, perform, shown_between_runs
from assets.tables import describe_table
from reminder_worker.upgrades.feature import UPGRADE_COUNTS, UPGRADES

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
    for found in perform(context, service, UPGRADES):
        yield dg.MaterializeResult(metadata={**service.call(read_queue, SECONDS), **found}, data_version=IN_PLACE)


@shown_between_runs("upgrade_operations")
async def read_queue(runtime: "Runtime") -> metadata.Metadata:
    from reminder_worker.upgrades.store import list_operations

    engine, watched = runtime.engine, runtime.upgrades
    upgrades = await UPGRADE_COUNTS.read(runtime.scope)
    return {
        "dagster/row_count": sum(count.count for count in upgrades),
        "pending operations": _make_queue_table(await list_operations(engine, watched, limit=50)),
        "ended lately": _make_queue_table(await list_operations(engine, watched, ended=True, limit=50)),
    }


def _make_queue_table(listed: "list[ListedOperation]") -> metadata.Table:
    from reminder_worker.outbox.messages import LATEST_TIME, format_clock

    rows = []
    for each in listed:
        operation = each.operation
        ready = "" if operation.ready_at is None else format_clock(min(operation.ready_at, LATEST_TIME))
        final, sent_by = "yes" if each.final else "not yet", operation.scheduled_by or ""
        row = (operation.state, each.call_summary, ready, final, each.chain_id, sent_by, operation.operation_id)
        rows.append(row)
    return metadata.make_table(("state", "does", "executable at", "final", "chain", "sent by", "operation"), rows)
