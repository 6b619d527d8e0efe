"""What happens by the clock."""

import dagster as dg

from pipelines.jobs import overview, prune

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

SCHEDULES = (every_quarter_hour, hourly)
