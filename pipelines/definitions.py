"""Everything Dagster loads from this installation (`workspace.yaml` names this module)."""

import dagster as dg

from assets.checks import RUN_CHECKS, STANDING_CHECKS
from assets.overview import node_requests, pass_state, sends_per_day, worker_health
from assets.prices import prices
from assets.relay import authorizations, ops_alerts, owner_activity, raised_alerts, relay_requests
from assets.reminders import (
    chain,
    chain_index,
    due_reminders,
    gift_emails,
    gift_notifications,
    notify_signals,
    recipients,
    returned_emails,
    sent_emails,
)
from assets.service import Service
from assets.statistics import (
    no_jump,
    no_negative_value,
    statistics_days,
    statistics_snapshots,
    totals_equal_parts,
)
from assets.upgrades import upgrade_operations
from pipelines.jobs import JOBS, SCHEDULES
from pipelines.sensors import make_sensors
from pipelines.warm_starts import start_runs_warm

service = Service()

defs = dg.Definitions(
    assets=[
        chain,
        recipients,
        gift_notifications,
        authorizations,
        chain_index,
        notify_signals,
        due_reminders,
        sent_emails,
        gift_emails,
        returned_emails,
        owner_activity,
        relay_requests,
        raised_alerts,
        ops_alerts,
        prices,
        statistics_snapshots,
        statistics_days,
        upgrade_operations,
        worker_health,
        pass_state,
        sends_per_day,
        node_requests,
    ],
    asset_checks=[*RUN_CHECKS, *STANDING_CHECKS, no_negative_value, totals_equal_parts, no_jump],
    jobs=JOBS,
    sensors=make_sensors(service),
    schedules=SCHEDULES,
    executor=dg.in_process_executor,
    # Nothing passes between steps but their order; were something to, it would stay in memory.
    resources={
        "service": dg.ResourceDefinition.hardcoded_resource(
            service,
            "The worker's database, chains, mail service and wallets: opened once, kept warm, closed by itself.",
        ),
        "io_manager": dg.mem_io_manager,
    },
)

start_runs_warm()
