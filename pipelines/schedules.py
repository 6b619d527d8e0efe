"""What happens by the clock."""

from datetime import timedelta

import dagster as dg

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
    description="The day that is over, for analysts. Days missed are filled in by the hourly pass, or by a backfill.",
)
def nightly(context: dg.ScheduleEvaluationContext) -> dg.RunRequest:
    day = (context.scheduled_execution_time - timedelta(days=1)).date().isoformat()
    return dg.RunRequest(partition_key=day)


SCHEDULES = (every_quarter_hour, hourly, nightly)
