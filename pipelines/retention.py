"""Forgetting. Dagster keeps runs for ever (`dagster.yaml` prunes ticks only); history that matters is in our tables."""

import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import dagster as dg

from assets.service import Service
from assets.steps import SECONDS

if TYPE_CHECKING:
    from reminder_worker.runtime import Runtime

_PAGE = 200


class RunRetention(dg.Config):
    """Finished runs older than `days` go, for at most `seconds` at once."""

    days: float = 7
    seconds: float = 90


@dg.op(out=dg.Out(dg.Nothing))
def prune_runs(context: dg.OpExecutionContext, config: RunRetention) -> dg.Output[None]:
    """Delete old runs with their events, oldest first; what is left over waits for the next time.

    Those that made days of a series stay, a few a week: without them Dagster would call these days missing.
    """
    before = datetime.now(UTC) - timedelta(days=config.days)
    finished = [dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]
    old = dg.RunsFilter(statuses=finished, created_before=before)
    day_tags = {"dagster/partition", "dagster/asset_partition_range_start"}
    ends = time.monotonic() + config.seconds
    deleted, kept = 0, 0
    newest_kept: str | None = None
    while time.monotonic() < ends:
        page = context.instance.get_run_records(old, limit=_PAGE, cursor=newest_kept, ascending=True)
        for run in (record.dagster_run for record in page):
            if time.monotonic() >= ends:
                break
            if run.is_success and day_tags & run.tags.keys():
                kept, newest_kept = kept + 1, run.run_id
                continue
            context.instance.delete_run(run.run_id)
            deleted += 1
        if len(page) < _PAGE:
            break
    left = context.instance.get_runs_count(old) - kept
    checks = _forget_checks(context.instance, before)
    events = _forget_events(context.instance, before)
    return dg.Output(
        None, metadata={"deleted": deleted, "left over": left, "results of checks": checks, "observations": events}
    )


def _forget_checks(instance: dg.DagsterInstance, before: datetime) -> int:
    """Delete old results of checks; Dagster keeps them when it deletes their runs. Return how many.

    The newest result of each check stays: Dagster shows it until the next.
    """
    import sqlalchemy as sa

    old = sa.text(
        "delete from asset_check_executions where evaluation_event_timestamp < :before"
        " and id not in (select max(id) from asset_check_executions group by asset_key, check_name)"
    )
    storage: Any = instance.event_log_storage
    with storage.index_connection() as connection:
        return int(connection.execute(old, {"before": before.replace(tzinfo=None)}).rowcount)  # kept in UTC


def _forget_events(instance: dg.DagsterInstance, before: datetime) -> int:
    """Delete old events that no run reported, but for the newest of each asset, partition and kind. Return how many."""
    import sqlalchemy as sa

    of_asset = "asset_key is not null and run_id = ''"
    old = sa.text(
        f"delete from event_logs where {of_asset} and timestamp < :before and id not in"  # noqa: S608 - no input
        f" (select max(id) from event_logs where {of_asset} group by asset_key, partition, dagster_event_type)"
    )
    storage: Any = instance.event_log_storage
    with storage.index_connection() as connection:
        return int(connection.execute(old, {"before": before.replace(tzinfo=None)}).rowcount)  # kept in UTC


@dg.op(out=dg.Out(dg.Nothing))
def forget_expired(service: dg.ResourceParam[Service]) -> dg.Output[None]:
    """Delete what the service itself no longer needs, and the people who are to be erased."""
    report = service.call(_forget_expired, SECONDS)
    return dg.Output(None, metadata={name.replace("_", " "): count for name, count in report.items()})


async def _forget_expired(runtime: "Runtime") -> "dict[str, Any]":
    from reminder_worker import passes
    from reminder_worker.monitoring.feature import FORGET

    (done,) = await passes.run_pass(runtime, FORGET)
    return {name: count for name, count in (done.report or {}).items() if name != "seconds"}
