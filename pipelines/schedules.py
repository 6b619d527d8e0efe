"""Schedules: jobs by the clock."""

from datetime import timedelta

import dagster as dg

from assets.statistics import statistics_days
from pipelines.jobs import daily_series, overview, prune

every_quarter_hour = dg.ScheduleDefinition(
    name="overview_every_quarter_hour",
    job=overview,
    cron_schedule="*/15 * * * *",
    execution_timezone="UTC",
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description="Keeps the tables for operators fresh; their freshness policy turns red when this stops.",
)
hourly = dg.ScheduleDefinition(
    name="prune_every_hour",
    job=prune,
    cron_schedule="7 * * * *",
    execution_timezone="UTC",
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description="Often and little: an hour brings at most 2,000 runs, and a slice deletes about 5,000.",
)


@dg.schedule(
    name="daily_series_every_night",
    job=daily_series,
    cron_schedule="20 0 * * *",
    execution_timezone="UTC",
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description="The day that is over, for analysts, and the days before it from the first that failed within a week. "
    "Their files the hourly pass has written by then; older days are filled in by a backfill.",
)
def nightly(context: dg.ScheduleEvaluationContext) -> dg.RunRequest:
    today = context.scheduled_execution_time.date()
    week = [(today - timedelta(days=back)).isoformat() for back in range(7, 0, -1)]
    made = context.instance.get_materialized_partitions(statistics_days.key)
    first = next((day for day in week if day not in made), week[-1])
    return dg.RunRequest(
        tags={"dagster/asset_partition_range_start": first, "dagster/asset_partition_range_end": week[-1]}
    )


SCHEDULES = (every_quarter_hour, hourly, nightly)
