"""A chain with a timelock, a database and the watch between them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import psycopg
from psycopg.rows import namedtuple_row
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import Scenario
from reminder_worker.chain.client import Chain
from reminder_worker.indexer.chain_index import ChainIndex
from reminder_worker.outbox.alerts import AlertOutbox
from reminder_worker.settings import ChainSettings
from reminder_worker.upgrades.job import UpgradeReport, UpgradeWatch, upgrade_logs

CHAIN = 31337


@dataclass
class UpgradeWorld:
    scenario: Scenario
    engine: AsyncEngine
    chain: Chain
    index: ChainIndex
    watch: UpgradeWatch
    heard: int = field(default=0)

    @property
    def timelock(self) -> str:
        return self.scenario.deployment.upgrade_timelock

    async def read_index(self) -> None:
        if await self.index.poll():
            await self.index.run()

    async def catch_up(self) -> UpgradeReport | None:
        """Do as the worker does: a look of each pass, and a run if the look finds work. No pass stops the other."""
        try:
            await self.read_index()
        finally:
            report = await self.watch.run() if await self.watch.poll() else None
        return report

    def told(self) -> list[tuple[str, dict[str, str]]]:
        """Return kind (without `upgrade_`) and facts of every alert since the last call."""
        rows = self.rows("select kind, subject, variables from worker.alert order by created_at, id")
        fresh, self.heard = rows[self.heard :], len(rows)
        return [(row.kind.removeprefix("upgrade_"), _facts(row.variables)) for row in fresh]

    def kinds(self) -> list[str]:
        return [kind for kind, _ in self.told()]

    def operations(self) -> dict[str, str]:
        return {row.operation_id: row.state for row in self.rows("select * from worker.upgrade_operation")}

    def rows(self, statement: str) -> list[Any]:
        url = self.engine.url.render_as_string(hide_password=False).replace("+psycopg", "")
        with psycopg.connect(url, row_factory=namedtuple_row) as connection:
            return connection.execute(statement).fetchall()


def chain_settings(scenario: Scenario, **other: str) -> ChainSettings:
    environ = scenario.deployment.settings_environ(CHAIN, scenario.anvil.url)
    environ |= scenario.deployment.upgrade_environ(CHAIN)
    values = {name.removeprefix(f"CHAIN_{CHAIN}_"): value for name, value in environ.items()}
    return ChainSettings.model_validate({**values, "chain_id": CHAIN, **other})


def world(scenario: Scenario, engine: AsyncEngine, chain: Chain, alerts: AlertOutbox | None = None) -> UpgradeWorld:
    timelock = scenario.deployment.upgrade_timelock
    index = ChainIndex(engine, chain, added=upgrade_logs(chain.settings))
    watch = UpgradeWatch(engine, chain, index, alerts or AlertOutbox(engine), timelock)
    return UpgradeWorld(scenario, engine, chain, index, watch)


def _facts(variables: Mapping[str, Any]) -> dict[str, str]:
    facts = {fact["name"]: fact["value"] for fact in variables["facts"]}
    return {"status": variables["status"], "about": variables["about"], **facts}
