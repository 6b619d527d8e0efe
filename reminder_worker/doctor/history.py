"""Findings about old blocks: gaps of our index, and endpoints that have pruned old logs."""

from collections.abc import AsyncIterator, Container

from sqlalchemy.exc import SQLAlchemyError

from reminder_worker.chain.client import Chain
from reminder_worker.chain.logs import OLD_BLOCKS
from reminder_worker.doctor.finding import Finding
from reminder_worker.errors import ChainUnavailable, Misconfigured
from reminder_worker.indexer.chain_index import IndexGap, find_gap
from reminder_worker.monitoring.facts import FactScope
from reminder_worker.settings import Settings

_LOOKED_AT = 100  # blocks from the start on, for the first with a log


async def look_at_history(settings: Settings, scope: FactScope, silent: Container[int]) -> AsyncIterator[Finding]:
    """`silent` chains are not asked."""
    for each in settings.chains:
        if each.chain_id in silent:
            continue  # its own finding says why
        part = f"chain {each.chain_id} history"
        async with Chain(each) as chain:
            try:
                number = await _first_with_logs(chain)
                if number is not None:
                    yield await _pruned_endpoints(chain, part, number)
            except (ChainUnavailable, Misconfigured):
                continue  # the chain's own finding says why
            try:
                gap = await find_gap(scope.engine, chain)
            except (ChainUnavailable, Misconfigured, SQLAlchemyError):
                yield part, None, "not compared with the contracts: no endpoint has the state of the index's block"
                continue
        yield _gap(part, gap)


async def _first_with_logs(chain: Chain) -> int | None:
    """Return the first block from the start on with a log; None if there is none, or only in blocks that all keep."""
    head, first = await chain.head(), max(0, chain.settings.start_block)
    numbers = range(first, min(first + _LOOKED_AT, head.number - OLD_BLOCKS))
    blooms = await chain.blooms(numbers) if numbers else []
    return next((number for number, *each in zip(numbers, *blooms, strict=True) if any(each)), None)


async def _pruned_endpoints(chain: Chain, part: str, number: int) -> Finding:
    pruned = [alone.health()[0].name for alone in chain.alone() if await alone.has_pruned(number)]
    if not pruned:
        return part, True, f"every endpoint that answers has the logs of block {number}"
    words = f"{', '.join(pruned)} pruned the logs of block {number}"
    if len(pruned) < len(chain.settings.rpc_urls):
        return part, None, f"{words}: the other endpoints are asked for old logs"
    return part, False, f"{words}, so nothing can be read again: add an archive endpoint to RPC_URLS"


def _gap(part: str, gap: IndexGap | None) -> Finding:
    if gap is None:
        return part, True, "our index has every legacy and gift that the contracts know"
    words = f"our index lacks {gap.missing}: with an archive endpoint in RPC_URLS run"
    return part, False, f"{words} `reminder-worker backfill --from-block {gap.first_block}`"
