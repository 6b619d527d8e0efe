"""Ends of auto-renew budgets that are to be announced: the planner of reminders makes emails of them."""

from sqlalchemy.ext.asyncio import AsyncConnection

from reminder_worker.auto_renew.tables import sql
from reminder_worker.chain.renewals import BUDGET_SECONDS
from reminder_worker.reminders.planner import EndingBudget


async def find_ending_budgets(connection: AsyncConnection, chain_id: int, limit: int) -> list[EndingBudget]:
    """Return budgets in their last days whose email is not planned yet, in the order of their legacies."""
    values = {"chain_id": chain_id, "budget_seconds": BUDGET_SECONDS, "limit": limit}
    return [EndingBudget(*row) for row in await connection.execute(sql["ending_budgets"], values)]
