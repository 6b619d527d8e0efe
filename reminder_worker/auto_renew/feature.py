"""Auto-renew as declared: owners who opted in, and the decisions about them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from reminder_worker.declarations import FactScope, OperatorFact, WorkerFeature, WorkerPass

if TYPE_CHECKING:
    from reminder_worker.auto_renew.operator_facts import DecisionCount, OwnerDecision
    from reminder_worker.settings import Settings


def _auto_renew_off(settings: "Settings") -> str | None:
    return None if settings.auto_renew else "no attestor is configured (ATTESTOR_KEY)"


async def _count_decisions(scope: FactScope) -> "Sequence[DecisionCount]":
    from reminder_worker.auto_renew.operator_facts import count_decisions

    return scope.keep_served(await count_decisions(scope.engine))


def _describe_decisions(decisions: "Sequence[DecisionCount]") -> str:
    count = sum(decision.count for decision in decisions)
    return f"owners looked at in the last day: {count}" if count else "nobody has opted in"


async def _read_owners(scope: FactScope) -> "Sequence[OwnerDecision]":
    from reminder_worker.auto_renew.operator_facts import read_owner_decisions

    return await read_owner_decisions(scope.engine, limit=100)


AUTO_RENEW = WorkerPass("auto_renew", 300, asset="owner_activity", off=_auto_renew_off)
DECISIONS = OperatorFact("decisions", _count_decisions, idle=_describe_decisions)
OWNER_DECISIONS = OperatorFact("owners", _read_owners)
FEATURE = WorkerFeature((AUTO_RENEW,), (DECISIONS, OWNER_DECISIONS))
