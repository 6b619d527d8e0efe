"""Facts about auto-renew for operators."""

from dataclasses import dataclass

from sqlalchemy import BigInteger, cast, extract, func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.auto_renew.tables import owner_activity
from reminder_worker.database.queries import read_rows


@dataclass(frozen=True, slots=True)
class OwnerDecision:
    """Last decision about one legacy. Seconds from now, negative when over, None: not known."""

    chain_id: int
    legacy: str
    to_deadline: int | None
    budget_left: int | None
    baseline: int
    nonce_seen: int
    decision: str
    reason: str | None


@dataclass(frozen=True, slots=True)
class DecisionCount:
    """Legacies with one decision for one reason."""

    chain_id: int
    decision: str
    reason: str | None
    count: int


async def read_owner_decisions(engine: AsyncEngine, limit: int) -> list[OwnerDecision]:
    """Return held legacies first, since an operator has to act; then the nearest deadlines, passed ones last."""
    t = owner_activity.c
    now = cast(extract("epoch", func.clock_timestamp()), BigInteger)
    ends = [func.nullif(column, 0) - now for column in (t.deadline, t.budget_end)]
    question = select(t.chain_id, t.legacy, *ends, t.baseline, t.nonce_seen, t.decision, t.reason)
    question = question.order_by(t.decision != "held", t.deadline < now, t.deadline)
    return await read_rows(engine, OwnerDecision, question.limit(limit))


async def count_decisions(engine: AsyncEngine) -> list[DecisionCount]:
    """Count the legacies by decision and reason."""
    t = owner_activity.c
    group = (t.chain_id, t.decision, t.reason)
    return await read_rows(engine, DecisionCount, select(*group, func.count()).group_by(*group).order_by(*group))
