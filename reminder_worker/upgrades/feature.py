"""Upgrade queue as declared: the operations of the watched timelocks."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from reminder_worker.declarations import FactGauge, FactScope, OperatorFact, WorkerFeature, WorkerPass

if TYPE_CHECKING:
    from reminder_worker.settings import Settings
    from reminder_worker.upgrades.store import UpgradeCount


def _upgrades_off(settings: "Settings") -> str | None:
    watched = any(chain.upgrade_timelock for chain in settings.chains)
    return None if watched else "no timelock to watch (CHAIN_x_UPGRADE_TIMELOCK)"


async def _count_upgrades(scope: FactScope) -> "Sequence[UpgradeCount]":
    """Return operations of watched timelocks: on any other an operation would wait for ever."""
    from reminder_worker.upgrades.store import count_upgrades

    watched = {chain_id for chain_id, chain in scope.chains.items() if chain.upgrade_timelock}
    return [count for count in await count_upgrades(scope.engine) if count.chain_id in watched]


def _show_upgrades(upgrades: "Sequence[UpgradeCount]") -> Iterator[FactGauge]:
    counts = {(count.chain_id, count.state): count.count for count in upgrades}
    next_times: dict[tuple[int], float] = {}
    for count in upgrades:
        if count.is_open and count.executable_at is not None:
            key = (count.chain_id,)
            next_times[key] = min(next_times.get(key, count.executable_at), count.executable_at)
    words = "Unix seconds from which the next may run"
    yield FactGauge("upgrade_operations", "Operations of the UpgradeTimelock", ("chain", "state"), counts)
    yield FactGauge("upgrade_next_executable_time", words, ("chain",), next_times)


def _describe_upgrades(upgrades: "Sequence[UpgradeCount]") -> str:
    count = sum(each.count for each in upgrades if each.is_open)
    return f"upgrades that wait: {count}" if count else ""


UPGRADES = WorkerPass("upgrades", 60, asset="upgrade_operations", off=_upgrades_off)
UPGRADE_COUNTS = OperatorFact("upgrades", _count_upgrades, _show_upgrades, _describe_upgrades)
FEATURE = WorkerFeature((UPGRADES,), (UPGRADE_COUNTS,))
