"""Everything Dagster loads from this installation (`workspace.yaml` names this module)."""

import dagster as dg

import assets
from assets.checks import RUN_CHECKS
from assets.service import Service
from pipelines.hot_loop import HotLoop
from pipelines.jobs import JOBS, SCHEDULES
from pipelines.sensors import make_sensors

service = Service()

defs = dg.Definitions(
    assets=dg.load_assets_from_package_module(assets, include_specs=True),
    asset_checks=[*RUN_CHECKS.values(), *dg.load_asset_checks_from_package_module(assets)],
    jobs=JOBS,
    sensors=make_sensors(service, HotLoop(service)),
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
