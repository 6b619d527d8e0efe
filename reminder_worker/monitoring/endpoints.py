"""Facts about each chain's RPC endpoints, asked of each of them separately, and about how far our readers are."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.chain import wire
from reminder_worker.chain.client import Chain
from reminder_worker.chain.rpc import Request, RpcError
from reminder_worker.chain.types import BlockHeader
from reminder_worker.concurrency import run_together
from reminder_worker.errors import Misconfigured, ServiceError, Unavailable
from reminder_worker.indexer.chain_index import find_gap
from reminder_worker.indexer.store import ReaderPosition
from reminder_worker.settings.values import BlockTag

CHAIN_SECONDS: Final = 25.0  # for all endpoints of a chain; a look has 40


@dataclass(frozen=True, slots=True)
class ReaderLag:
    """Blocks that `index` or `signals` has still to read, now and at the looks `before`, the last of them at the end.

    Negative: the reader stands above the chain's newest block.
    """

    name: str
    behind: int
    before: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class KnownGap:
    """Answer to the last question for a gap in our index: a missing id in words, or None. `asked_at`: unix seconds.

    `first_block`: the first block whose logs may have its creation.
    """

    asked_at: int
    missing: str | None = None
    first_block: int = 0


@dataclass(frozen=True, slots=True)
class ChainSight:
    """State of a chain's endpoints. `lowest` and `highest` of their newest blocks; `agree`: on a deep block's hash.

    `agree` is None with fewer than two answers.

    `newest_age`: seconds since the highest, negative where our clock is behind, None on a local chain. `settled`: ages
    of the newest safe and finalized block, as far as they are asked for and known. `spent`: end of the rest of each
    endpoint whose allowance is used up, in unix seconds.
    """

    chain_id: int
    endpoints: int
    answering: int
    lowest: int = 0
    highest: int = 0
    newest_age: int | None = None
    agree: bool | None = None
    settled: Mapping[str, int] = field(default_factory=dict)
    lags: Sequence[ReaderLag] = ()
    gap: KnownGap | None = None
    spent: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class IndexLag:
    """Blocks between a chain's head and our index, negative: above the head; `error`: why the head is not known."""

    chain_id: int
    head: int = 0
    behind: int = 0
    error: str | None = None


KnownSights = dict[int, tuple[float, ChainSight]]
"""Last sight of each chain, with the monotonic time of its look."""


async def look_at_chains(
    engine: AsyncEngine,
    chains: Mapping[int, Chain],
    positions: Sequence[ReaderPosition],
    behind_before: Mapping[str, Sequence[int]],
    gaps_before: Mapping[int, KnownGap],
    known: KnownSights,
    *,
    is_local: bool,
) -> list[ChainSight]:
    """Ask every endpoint of every chain. `behind_before` and `gaps_before` are of the look before.

    `known` is updated. The sight of a chain that is not local serves for three minutes: a look asks an endpoint for up
    to four blocks.
    """
    blocks = {(position.chain_id, position.name): position.block_number for position in positions}

    async def look(chain_id: int, chain: Chain) -> ChainSight:
        if not is_local and chain_id in known and time.monotonic() < known[chain_id][0] + 175:
            return known[chain_id][1]
        read = {"index": blocks.get((chain_id, "index"), chain.settings.start_block - 1)}
        if (chain_id, "signals") in blocks:
            read["signals"] = blocks[chain_id, "signals"]
        sight, gap = await asyncio.gather(
            _look_at_chain(chain, read, behind_before, is_local), _read_gap(engine, chain, gaps_before.get(chain_id))
        )
        rests = {endpoint.name: endpoint.rest for endpoint in chain.endpoints.members}
        spent = {name: rest.spent_until for name, rest in rests.items() if rest.is_spent}
        sight = replace(sight, gap=gap, spent=spent)
        known[chain_id] = time.monotonic(), sight
        return sight

    return list(await asyncio.gather(*(look(chain_id, chain) for chain_id, chain in chains.items())))


def blocks_behind(sights: Sequence[ChainSight]) -> dict[str, list[int]]:
    """Return the lags of each reader at the last looks, by chain id and name."""
    return {
        _name_reader(sight.chain_id, lag.name): [*lag.before, lag.behind][-10:]
        for sight in sights
        for lag in sight.lags
    }


async def read_index_lags(chains: Mapping[int, Chain], positions: Sequence[ReaderPosition]) -> list[IndexLag]:
    """Return how far the index is behind the head of each chain."""
    read = {position.chain_id: position.block_number for position in positions if position.name == "index"}
    lags = []
    for chain_id, chain in chains.items():
        try:
            head = await chain.get_block("latest")
        except ServiceError as error:
            lags.append(IndexLag(chain_id, error=type(error).__name__))
            continue
        if head is None:
            lags.append(IndexLag(chain_id, error="it has no latest block"))
            continue
        last_read = read.get(chain_id, chain.settings.start_block - 1)
        lags.append(IndexLag(chain_id, head.number, head.number - last_read))
    return lags


def _name_reader(chain_id: int, name: str) -> str:
    return f"{chain_id} {name}"


async def _look_at_chain(
    chain: Chain, read: Mapping[str, int], before: Mapping[str, Sequence[int]], is_local: bool
) -> ChainSight:
    chain_id, configured = chain.chain_id, len(chain.settings.rpc_urls)
    signal_block = chain.settings.signal_block
    try:
        async with asyncio.timeout(CHAIN_SECONDS):
            tags: set[BlockTag] = {"latest", "finalized", signal_block}
            found = await _find_newest(chain, sorted(tags))
            newest = {tag: max(blocks, key=_number_of) for tag, blocks in found.items() if blocks}
            heads = found["latest"]
            lowest = min((head.number for head in heads), default=0)
            deep_block = hex(max(0, lowest - 64))  # no reorganisation explains a difference there
            deep = await _ask_for_block(chain, deep_block) if len(heads) > 1 else []
    except TimeoutError:
        heads = []
    if not heads:
        return ChainSight(chain_id, configured, 0)
    ends = {"index": newest["latest"], "signals": newest.get(signal_block)}
    lags = []
    for name, last_read in read.items():
        end = ends[name]
        if end is not None:
            lags.append(ReaderLag(name, end.number - last_read, before.get(_name_reader(chain_id, name), ())))
    hashes = {block.hash for block in deep}
    sight = ChainSight(
        chain_id=chain_id,
        endpoints=configured,
        answering=len(heads),
        lowest=lowest,
        highest=newest["latest"].number,
        agree=len(hashes) == 1 if len(deep) > 1 else None,
        lags=lags,
    )
    if is_local:  # it makes blocks on demand, and its clock is set by hand
        return sight
    now = int(time.time())
    ages: dict[str, int] = {tag: now - block.timestamp for tag, block in newest.items()}
    return replace(sight, newest_age=ages.pop("latest"), settled=ages)


def _number_of(block: BlockHeader) -> int:
    return block.number


async def _find_newest(chain: Chain, tags: Sequence[BlockTag]) -> dict[BlockTag, list[BlockHeader]]:
    """Return the newest blocks by tag. An endpoint is not asked for what a pass just learned of it."""

    async def ask_one(view: Chain) -> Mapping[BlockTag, BlockHeader | None]:
        (endpoint,) = view.endpoints.members
        usable = chain.shares_heads and endpoint.rest.failures == 0
        heads = endpoint.heads
        found: dict[BlockTag, BlockHeader | None] = dict.fromkeys(tags)
        if usable:
            found.update({tag: heads.find(tag) or heads.find_recent(tag) for tag in tags})
        missing = [tag for tag, block in found.items() if block is None]
        if missing:
            requests: list[Request] = [("eth_getBlockByNumber", [tag, False]) for tag in missing]
            answers = await view.endpoints.ask_each(requests, _decode_blocks)
            if not answers:
                return {}
            for tag, block in zip(missing, answers[0], strict=True):
                found[tag] = block
                if block is not None:
                    heads.learn(tag, block)
        return found

    answers = await run_together(*map(ask_one, chain.single_views()))
    newest: dict[BlockTag, list[BlockHeader]] = {tag: [] for tag in tags}
    for answer in answers:
        for tag, block in answer.items():
            if block is not None:
                newest[tag].append(block)
    return newest


async def _ask_for_block(chain: Chain, number: str) -> list[BlockHeader]:
    """Ask every endpoint separately. An endpoint that does not answer or lacks the block is left out."""
    answers = await chain.endpoints.ask_each([("eth_getBlockByNumber", [number, False])], _decode_blocks)
    return [block for (block,) in answers if block is not None]


def _decode_blocks(answers: Sequence[Any]) -> list[BlockHeader | None]:
    return [None if isinstance(answer, RpcError) else wire.decode_block(answer) for answer in answers]


async def _read_gap(engine: AsyncEngine, chain: Chain, before: KnownGap | None) -> KnownGap | None:
    """Ask once an hour, because it costs a request, and at each look while something is missing or not known.

    Without an answer the known gap stays; None: there was no answer yet.
    """
    now = int(time.time())
    if before is not None and before.missing is None and 0 <= now - before.asked_at < 3600:
        return before
    try:
        async with asyncio.timeout(CHAIN_SECONDS):
            gap = await find_gap(engine, chain)
    except (Unavailable, Misconfigured, TimeoutError):
        return before
    return KnownGap(now, gap.missing, gap.first_block) if gap is not None else KnownGap(now)
