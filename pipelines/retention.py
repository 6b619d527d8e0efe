"""Forgetting. Dagster keeps runs for ever (`dagster.yaml` prunes ticks only); history that matters is in our tables."""

import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import dagster as dg

from assets.overview import SECONDS
from assets.service import Service

if TYPE_CHECKING:
    from reminder_worker.runtime import Runtime

_FINISHED = [dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]
_PAGE = 200


class Retention(dg.Config):
    """Finished runs older than `days` go, for at most `seconds` at once."""

    days: float = 7
    seconds: float = 90


@dg.op(out=dg.Out(dg.Nothing))
def prune_runs(context: dg.OpExecutionContext, config: Retention) -> dg.Output[None]:
    """Delete old runs with their events, oldest first; what is left over waits for the next time."""
    before = datetime.now(UTC) - timedelta(days=config.days)
    old = dg.RunsFilter(statuses=_FINISHED, created_before=before)
    ends = time.monotonic() + config.seconds
    deleted = 0
    while time.monotonic() < ends:
        page = context.instance.get_run_records(old, limit=_PAGE, ascending=True)
        for record in page:
            if time.monotonic() >= ends:
                break
            context.instance.delete_run(record.dagster_run.run_id)
            deleted += 1
        if len(page) < _PAGE:
            break
    return dg.Output(None, metadata={"deleted": deleted, "left over": context.instance.get_runs_count(old)})


@dg.op(out=dg.Out(dg.Nothing))
def forget_expired(service: dg.ResourceParam[Service]) -> dg.Output[None]:
    """Delete what the service itself no longer needs: signatures past their deadline, counters past their window."""
    return dg.Output(None, metadata={"rows": service.call(_forget, SECONDS)})


async def _forget(runtime: "Runtime") -> int:
    from reminder_worker.operations import forget_expired

    return await forget_expired(runtime.engine)
