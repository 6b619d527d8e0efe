"""The dispatch of reminders: plans new emails on each chain, then sends due emails through the outbox."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import structlog
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.concurrency import in_time, together
from reminder_worker.errors import NotConfigured, ServiceError
from reminder_worker.indexer.selector import IndexerSelector
from reminder_worker.outbox.daily_quota import DailyQuota
from reminder_worker.outbox.dispatcher import DeliveryReport, OutboxDispatcher
from reminder_worker.outbox.mail_client import MailClient
from reminder_worker.privacy.vault import Vault
from reminder_worker.reminders.planner import FindEndingBudgets, Planner, PlanReport
from reminder_worker.reminders.rendering import ReminderRenderer
from reminder_worker.reminders.tables import sql
from reminder_worker.settings import Settings, find_test_chains

log = structlog.get_logger(__name__)

BUDGET_SECONDS = 90.0  # of sending


@dataclass(slots=True)
class DispatchReport(DeliveryReport):
    """Result of a dispatch. `unreadable_chains`: nothing was planned there now."""

    plan: PlanReport = field(default_factory=PlanReport)
    unreadable_chains: list[int] = field(default_factory=list)


class ReminderDispatch:
    """`mail` is open. Raises errors of the database; if a chain or the mail service fails, the emails wait."""

    def __init__(
        self,
        engine: AsyncEngine,
        chains: Mapping[int, Chain],
        indexers: Mapping[int, IndexerSelector],
        vault: Vault,
        mail: MailClient,
        settings: Settings,
        find_ending_budgets: FindEndingBudgets,
    ) -> None:
        if settings.mail is None:
            raise NotConfigured("no mail service is configured")
        self._engine = engine
        self._planners = {
            id: Planner(engine, chain, indexers[id], settings.reminders, find_ending_budgets)
            for id, chain in chains.items()
        }
        self.renderer = ReminderRenderer(engine, chains, indexers, vault, settings)
        quota = DailyQuota(settings.mail.daily_cap_per_address, find_test_chains(settings.chains))
        self.outbox = OutboxDispatcher(engine, self.renderer, quota, mail)

    async def look(self) -> bool:
        """Return whether anything is to be planned, sent or asked about now."""
        async with self._engine.connect() as connection:
            if await connection.scalar(sql["has_work"]):
                return True
        for planner in self._planners.values():
            if await planner.has_work():
                return True
        return False

    async def run(self, budget_seconds: float = BUDGET_SECONDS) -> DispatchReport:
        """Plan, ask about emails in doubt, then send until nothing is due or the time is up."""
        report = DispatchReport()
        await together(*(self._plan(chain_id, report) for chain_id in self._planners))
        await self.outbox.run(report, budget_seconds)
        return report

    async def _plan(self, chain_id: int, report: DispatchReport) -> None:
        try:
            await in_time(self._planners[chain_id].run(report.plan))
        except ServiceError as error:  # also `Misconfigured`, when a node denies a contract
            log.warning("not_planned", chain_id=chain_id, error=type(error).__name__)
            report.unreadable_chains.append(chain_id)
