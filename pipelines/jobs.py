"""Jobs with their assets, and schedules. Every run is one process; the tag `lane` shows sensors which are open."""

from typing import Any, TypeAlias

import dagster as dg

from assets.checks import RUN_CHECKS, STANDING_CHECKS
from assets.overview import node_requests, pass_state, sends_per_day, worker_health
from assets.prices import price_not_stale, prices
from assets.relay import ops_alerts, owner_activity, relay_requests
from assets.reminders import chain_index, due_reminders, gift_emails, notify_signals, returned_emails, sent_emails
from assets.statistics import statistics_days, statistics_snapshots
from assets.upgrades import upgrade_operations
from pipelines.retention import forget_expired, prune_runs
from reminder_worker.monitoring.feature import WATCHDOG

AssetJob: TypeAlias = Any  # Dagster does not export the class that `define_asset_job` returns
LANE = "lane"


def _make_tags(lane: str, seconds: int = 180) -> dict[str, str]:  # a slice of a pass ends by itself within 120
    return {LANE: lane, "dagster/max_runtime": str(seconds)}


def _pass_job(name: str, description: str, *assets: dg.AssetsDefinition, seconds: int = 180) -> AssetJob:
    """The assets and, after them, all of their checks: results older than the asset do not show in Dagster's pages."""
    selection = dg.AssetSelection.assets(*(asset.key for asset in assets))
    return dg.define_asset_job(name, selection, description=description, tags=_make_tags(name, seconds))


events = _pass_job(
    "events", "New blocks: index them, read their signals, send the emails.", chain_index, notify_signals, sent_emails
)
due = _pass_job("due", "Ask the chain which reminder windows are open, send the emails.", due_reminders, sent_emails)
emails = _pass_job(
    "emails", "Send what is due: retries, instructions, the rest of a backlog, gifts.", sent_emails, gift_emails
)
bounces = _pass_job(
    "bounces", "Read the reports of returned emails, stop emails to addresses that do not exist.", returned_emails
)
relay = _pass_job(
    "relay",
    "Follow open requests to their end, read the timelock of the contracts, alert operators.",
    relay_requests,
    upgrade_operations,
    ops_alerts,
)
auto_renew = _pass_job("auto_renew", "Look at the owners who opted in, renew their timers.", owner_activity)
health = _pass_job("health", "Check whether all is well, show what is wrong.", worker_health)
price_feeds = _pass_job("price_feeds", "Read the price feeds, keep what is new.", prices)
statistics = _pass_job(
    "statistics",
    "The hour's counts and value secured, and whether they are sound.",
    statistics_snapshots,
    seconds=1_800,  # a million legacies are read in one run, and nothing waits for it
)
daily_series = dg.define_asset_job(
    "daily_series",
    dg.AssetSelection.assets(statistics_days.key),
    description="Write days into Parquet again, by hand; the hourly run writes each new day.",
    tags=_make_tags("daily_series", 1_800),
)
overview = dg.define_asset_job(
    "overview",
    dg.AssetSelection.assets(pass_state.key, sends_per_day.key, node_requests.key, worker_health.key).without_checks()
    # The sensor starts runs of worker_health only after a change.
    | dg.AssetSelection.checks(*STANDING_CHECKS, price_not_stale, RUN_CHECKS[WATCHDOG]),
    description="The tables operators look at, and every standing check.",
    tags=_make_tags("overview"),
)


@dg.job(description="Forget old runs, spent signatures, counters and requests that are over.", tags=_make_tags("prune"))
def prune() -> None:
    prune_runs()
    forget_expired()


PASS_JOBS = (events, due, emails, bounces, relay, auto_renew, price_feeds, statistics, health)
JOBS = (*PASS_JOBS, daily_series, overview, prune)

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
