"""Upgrade queue: operations scheduled on the timelock that may change the contracts."""

from typing import TYPE_CHECKING

import dagster as dg

from assets import metadata
from assets.overview import SECONDS
from assets.reminders import chain
from assets.service import Service, read_facts
from assets.steps import IN_PLACE, OWNERS, Results, perform

if TYPE_CHECKING:
    from reminder_worker.runtime import Runtime
    from reminder_worker.upgrades.store import ListedOperation

_COLUMNS = dg.TableSchema(
    columns=[
        dg.TableColumn("chain_id", "int", description="Of the chain the timelock is on"),
        dg.TableColumn("operation_id", "string", description="Of the operation; a batch of calls is one"),
        dg.TableColumn("state", "string", description="pending, ready, executed, cancelled; gone: reorganised away"),
        dg.TableColumn("calls", "json", description="What it does: target, value in wei and call data of each call"),
        dg.TableColumn("predecessor", "string", description="The operation that has to be executed first, if any"),
        dg.TableColumn("delay", "int", description="Seconds, as scheduled"),
        dg.TableColumn("ready_at", "int", description="Unix seconds, from getTimestamp: when it may be executed"),
        dg.TableColumn("scheduled_by", "string", description="Who sent the transaction that scheduled it"),
        dg.TableColumn("scheduled_at", "int", description="Unix seconds"),
        dg.TableColumn("scheduled_block", "int", description="Empty: it was never seen scheduled"),
        dg.TableColumn("scheduled_tx", "string", description="The transaction that scheduled it"),
        dg.TableColumn("changed_block", "int", description="Block of its last change"),
        dg.TableColumn("final", "bool", description="Whether its last change cannot be taken back"),
        dg.TableColumn("seen_at", "timestamp", description="When we first saw it, by the database's clock"),
    ]
)


@dg.asset(
    deps=[chain],
    group_name="upgrades",
    kinds={"ethereum", "postgres"},
    owners=OWNERS,
    tags={"holds": "public-chain-data"},
    metadata={"dagster/column_schema": _COLUMNS, "dagster/table_name": "worker.upgrade_operation"},
    output_required=False,
)
def upgrade_operations(context: dg.AssetExecutionContext, service: dg.ResourceParam[Service]) -> Results:
    """Operations of the UpgradeTimelock: their state, their effect, and when they may be executed.

    The sensor polls the timelock's logs, on a public chain every five minutes: a run starts only for a change.
    """
    for found in perform(context, service, "upgrades"):
        yield dg.MaterializeResult(metadata={**service.call(_read_queue, SECONDS), **found}, data_version=IN_PLACE)


async def _read_queue(runtime: "Runtime") -> metadata.Metadata:
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
