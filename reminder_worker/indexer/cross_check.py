"""What a second endpoint's logs have beside the first's, and whether anybody else vouches for it.

An endpoint may lack logs that it should have, because its log index is incomplete or because it lies, and nothing in
its answer says so. Receipts come from another store: who lacks a log mostly has the receipt that proves it.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

import structlog

from reminder_worker.chain import wire
from reminder_worker.chain.client import Block, Chain, Log, TooMuch
from reminder_worker.chain.logs import LogFilter, may_hold
from reminder_worker.chain.rpc import Request, RpcError
from reminder_worker.errors import ChainUnavailable
from reminder_worker.indexer.decoding import Says

log = structlog.get_logger(__name__)

# A log that only one endpoint gives is waited for until its block is so old by the chain's time, then passed over.
ALONE_AFTER_SECONDS: Final = 3600
# Receipts asked for at once. Where so many prove nothing, no more are asked for: an endpoint that invents thousands of
# logs shall not use up what the others let us ask.
MOST_RECEIPTS: Final = 1000


@dataclass(frozen=True, slots=True)
class Beside:
    """Logs that the endpoint `by` gives and the first one does not. `others`: the chain by all but that one."""

    logs: Sequence[Log] = ()
    by: str = ""
    others: Chain | None = None


async def logs_of_two(chain: Chain, says: Says, first: int, last: int) -> tuple[list[Log], Beside]:
    """The logs of the first endpoint that answers, and what a second one, asked at the same time, gives beyond them.

    Raises `ChainUnavailable` when there is no first; without a second one its word counts.
    """
    wanted = LogFilter(frozenset(says), frozenset().union(*says.values()))
    asked = asyncio.ensure_future(_second(chain, wanted, first, last))
    try:
        logs = await chain.logs(sorted(wanted.addresses), sorted(wanted.topics), first, last)
        second = await asked
    finally:
        asked.cancel()
        await asyncio.gather(asked, return_exceptions=True)
    known = set(logs)
    return logs, replace(second, logs=[log for log in second.logs if log not in known and _counts(says, log)])


async def vouched_for(beside: Beside, blocks: Mapping[int, Block], now: int) -> tuple[list[Log], int | None]:
    """The logs that a receipt at another endpoint proves, as far as the first block with a log that is still in doubt;
    and the number of that block, None when there is none.

    What is in doubt is waited for, but only for `ALONE_AFTER_SECONDS`: it may have been invented to stop us. An older
    log is passed over, unless the other endpoints have pruned the logs of its block and their bloom of it has the log.
    A log of another fork than `blocks` is ignored. `now` is the chain's time.
    """
    logs = [log for log in beside.logs if (at := blocks.get(log.block_number)) and at.hash == log.block_hash]
    if not logs or beside.others is None:
        return [], None
    proven = await logs_of_receipts(beside.others, [log.tx_hash for log in logs])
    young = [
        log.block_number
        for log in logs
        if log not in proven and now - blocks[log.block_number].timestamp <= ALONE_AFTER_SECONDS
    ]
    doubtful = min(young, default=None)
    logs = [log for log in logs if doubtful is None or log.block_number < doubtful]
    proven |= await _announced(beside.others, [log for log in logs if log not in proven])
    found, passed_over = [log for log in logs if log in proven], [log for log in logs if log not in proven]
    id, by = beside.others.chain_id, beside.by
    for one in found[:1]:
        log.warning("logs_missing", chain_id=id, by=by, count=len(found), block=one.block_number, tx=one.tx_hash)
    for one in passed_over[:1]:
        log.error(
            "logs_passed_over", chain_id=id, by=by, count=len(passed_over), block=one.block_number, tx=one.tx_hash
        )
    return found, doubtful


async def logs_of_receipts(chain: Chain, tx_hashes: Sequence[str]) -> set[Log]:
    """The logs of these transactions, from all endpoints that have their receipts. Raises `ChainUnavailable` when no
    endpoint answers: silence does not mean that there is no receipt."""
    hashes = list(dict.fromkeys(tx_hashes))
    proven: set[Log] = set()
    for start in range(0, len(hashes), MOST_RECEIPTS):
        some = hashes[start : start + MOST_RECEIPTS]
        requests: list[Request] = [("eth_getTransactionReceipt", [tx_hash]) for tx_hash in some]
        said = await chain.ask_each(requests, _read_receipts)
        if not said:
            raise ChainUnavailable(
                f"no endpoint of chain {chain.chain_id} that was asked gives receipts, or says that there are none"
            )
        found = set().union(*said)
        if not found:
            break
        proven |= found
    return proven


async def _announced(others: Chain, logs: Sequence[Log]) -> set[Log]:
    """Return the logs in blocks that the other endpoints have pruned, if their blooms announce them."""
    blocks = sorted({log.block_number for log in logs})
    first_kept, end = 0, len(blocks)
    while first_kept < end:  # by bisection: a node prunes the oldest blocks first, and an answer may be large
        middle = (first_kept + end) // 2
        if await others.has_pruned(blocks[middle]):
            first_kept = middle + 1
        else:
            end = middle
    pruned = blocks[:first_kept]
    said = [dict(zip(pruned, blooms, strict=True)) for blooms in await others.blooms(pruned)] if pruned else []
    at_pruned = [log for log in logs if log.block_number in pruned]
    return {log for log in at_pruned if said and all(may_hold(blooms[log.block_number], log) for blooms in said)}


async def _second(chain: Chain, wanted: LogFilter, first: int, last: int) -> Beside:
    """All that the second endpoint gives; one that does not answer is passed over for the next."""
    for voice, others in chain.second_voices():
        logs = await _told_by(voice, wanted, first, last)
        if logs is not None:
            return Beside(logs, voice.health()[0].name, others)
    return Beside()


async def _told_by(voice: Chain, wanted: LogFilter, first: int, last: int) -> list[Log] | None:
    """The logs in order, or only the first of them when the endpoint lags, fails or is slow: after `RPC_TIMEOUT` it is
    asked for no more. None when it gave no answer at all."""
    ends = time.monotonic() + voice.settings.rpc_timeout_seconds
    found: list[Log] | None = None

    async def ask(first: int, last: int) -> list[Log]:
        nonlocal found

        def read(answers: Sequence[Any]) -> list[Log] | None:
            return None if isinstance(answers[0], RpcError) else wanted.checked(wire.logs(answers[0]), first, last)

        if time.monotonic() >= ends:
            raise ChainUnavailable("the second endpoint takes too long")
        said = await voice.ask_each([wanted.request(first, last)], read)
        if not said:
            voice.log_ranges.shrink(last - first + 1)  # it may have timed out
            raise ChainUnavailable("the second endpoint does not answer")
        if said[0] is None:
            raise TooMuch("the second endpoint refuses a range")
        found = [*(found or []), *said[0]]
        return []

    with suppress(ChainUnavailable):
        await voice.log_ranges.read(ask, first, last)
    return found


def _counts(says: Says, log: Log) -> bool:
    return log.topics[0] in says[log.address]


def _read_receipts(answers: Sequence[Any]) -> set[Log]:
    receipts = [None if isinstance(answer, RpcError) else wire.receipt(answer) for answer in answers]
    return {log for receipt in receipts if receipt is not None for log in receipt.logs}
