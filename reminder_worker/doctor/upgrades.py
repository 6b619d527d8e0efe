"""Findings about the UpgradeTimelock: its answer, its delay and its queue."""

from collections.abc import AsyncIterator, Container

from sqlalchemy.exc import SQLAlchemyError

from reminder_worker.chain.abi import selector
from reminder_worker.chain.abi_codec import WORD, at
from reminder_worker.chain.client import Chain
from reminder_worker.chain.types import ContractCall
from reminder_worker.doctor.finding import Finding
from reminder_worker.errors import ChainUnavailable, Misconfigured
from reminder_worker.monitoring.facts import FactScope, read_facts
from reminder_worker.outbox.messages import format_duration
from reminder_worker.settings import ChainSettings, Settings
from reminder_worker.upgrades.wording import LEAST_DELAY_SECONDS


async def look_at_upgrades(settings: Settings, scope: FactScope, silent: Container[int]) -> AsyncIterator[Finding]:
    """`silent` chains are not asked."""
    for chain in settings.chains:
        part = f"chain {chain.chain_id} upgrades"
        if chain.upgrade_timelock is None:
            yield part, None, f"not watched: CHAIN_{chain.chain_id}_UPGRADE_TIMELOCK is not set"
            continue
        if chain.chain_id in silent:
            continue  # its own finding says why
        try:
            delay = await _delay(chain, chain.upgrade_timelock)
            upgrades = (await read_facts(scope, "upgrades")).upgrades
        except (ChainUnavailable, Misconfigured, SQLAlchemyError):
            continue  # the chain's or the database's own finding says why
        if delay is None:
            yield part, False, f"no timelock answers at CHAIN_{chain.chain_id}_UPGRADE_TIMELOCK: check the address"
            continue
        waiting = sum(count.count for count in upgrades if count.is_open and count.chain_id == chain.chain_id)
        queue = f"{waiting} operations wait: see `reminder-worker upgrades list`" if waiting else "nothing waits"
        long_enough = delay >= LEAST_DELAY_SECONDS
        short = "" if long_enough else ", below 48 hours: see upgrade_delay_short in the runbook"
        yield part, long_enough, f"the timelock answers, its delay is {format_duration(delay)}{short}; {queue}"


async def _delay(settings: ChainSettings, timelock: str) -> int | None:
    async with Chain(settings) as chain:
        answer = await chain.call(ContractCall(timelock, selector("TimelockController", "getMinDelay")))
    return at(answer, 0) if isinstance(answer, bytes) and len(answer) == WORD else None
