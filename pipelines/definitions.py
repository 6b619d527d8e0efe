"""Everything Dagster loads from this installation (`workspace.yaml` names this module)."""

import dagster as dg

from assets.auto_renew import AUTO_RENEW_ASSETS
from assets.checks import RUN_CHECKS, STANDING_CHECKS
from assets.gifts import GIFT_ASSETS
from assets.health import HEALTH_ASSETS
from assets.overview import OVERVIEW_ASSETS
from assets.prices import PRICE_ASSETS
from assets.relay import RELAY_ASSETS
from assets.reminders import REMINDER_ASSETS
from assets.service import Service
from assets.statistics import STATISTICS_ASSETS, STATISTICS_CHECKS
from assets.upgrades import UPGRADE_ASSETS
from pipelines.jobs import JOBS
from pipelines.schedules import SCHEDULES
from pipelines.sensors import sensors
from pipelines.warm_starts import start_runs_warm

service = Service()

defs = dg.Definitions(
    assets=[
        *REMINDER_ASSETS,
        *GIFT_ASSETS,
        *RELAY_ASSETS,
        *AUTO_RENEW_ASSETS,
        *PRICE_ASSETS,
        *STATISTICS_ASSETS,
        *UPGRADE_ASSETS,
        *HEALTH_ASSETS,
        *OVERVIEW_ASSETS,
    ],
    asset_checks=[*RUN_CHECKS, *STANDING_CHECKS, *STATISTICS_CHECKS],
    jobs=JOBS,
    sensors=sensors(service),
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
