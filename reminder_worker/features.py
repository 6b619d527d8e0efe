"""Features of the worker, in the order of a round of their passes."""

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Final

from reminder_worker.auto_renew.feature import FEATURE as AUTO_RENEW
from reminder_worker.declarations import ExpectedPass, FactScope, OperatorFact, WorkerFeature, WorkerPass
from reminder_worker.gifts.feature import FEATURE as GIFTS
from reminder_worker.indexer.feature import FEATURE as INDEX
from reminder_worker.monitoring.feature import FEATURE as MONITORING
from reminder_worker.outbox.feature import OPERATOR_ALERTS, RETURNED_EMAILS
from reminder_worker.relay.feature import FEATURE as RELAY
from reminder_worker.reminders.feature import FEATURE as REMINDERS
from reminder_worker.statistics.feature import HOURLY_STATISTICS, TOKEN_PRICES
from reminder_worker.upgrades.feature import FEATURE as UPGRADES

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

    from reminder_worker.settings import Settings

FEATURES: Final[tuple[WorkerFeature, ...]] = (
    INDEX,
    REMINDERS,
    GIFTS,
    RETURNED_EMAILS,
    RELAY,
    AUTO_RENEW,
    TOKEN_PRICES,
    UPGRADES,
    HOURLY_STATISTICS,
    OPERATOR_ALERTS,  # after the features that raise alerts
    MONITORING,
)
# Intervals: a poll of `index` asks a node for logs and three blocks, one of `signals` or `due` for a block.
# `upgrades` asks the tables of the index, and a node once a day. The index is a minute old at most, and a
# request that cannot wait lets it read on at once.
# `safe` moves every six minutes, an upgrade waits for two days, and windows are days long. Polls share the newest
# blocks (chain/heads.py). The watchdog looks at endpoints less often than it polls (monitoring/endpoints.py).
PASSES: Final[tuple[WorkerPass, ...]] = tuple(step for feature in FEATURES for step in feature.passes)
FACTS: Final[tuple[OperatorFact[Any], ...]] = tuple(fact for feature in FEATURES for fact in feature.facts)
POLLED_PASSES: Final = tuple(step for step in PASSES if not step.by_the_clock)
PASS_BY_NAME: Final = {step.name: step for step in PASSES}


def list_expected_passes(settings: "Settings") -> list[ExpectedPass]:
    """Return every active pass with each of its chains."""
    expected = []
    for step in PASSES:
        if step.off(settings) is None:
            expected += [
                ExpectedPass(step.name, chain_id, step.every_seconds, by_the_clock=step.by_the_clock)
                for chain_id in step.list_chain_ids(settings)
            ]
    return expected


def make_scope(engine: "AsyncEngine", settings: "Settings", wallets: Collection[str]) -> FactScope:
    """Return the scope of operators' facts: chains and passes as configured, and the wallets whose keys are in use."""
    chains = {chain.chain_id: chain for chain in settings.chains}
    return FactScope(engine, chains, wallets, list_expected_passes(settings), is_local=settings.is_local)
