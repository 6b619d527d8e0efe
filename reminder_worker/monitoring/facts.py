"""What the watchdog knows: read from our tables at one go, and asked of every RPC endpoint. Nothing is judged here."""

import asyncio
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.chain import wire
from reminder_worker.chain.client import Block, Chain
from reminder_worker.chain.rpc import RpcError
from reminder_worker.errors import Misconfigured, Unavailable
from reminder_worker.indexer.gaps import find_gap
from reminder_worker.monitoring import operations, operations_relay
from reminder_worker.monitoring.queries import sql
from reminder_worker.monitoring.rules import (
    COMPARED,
    LATE_SECONDS,
    NOT_FINAL_SECONDS,
    ChainSight,
    Expected,
    Known,
    LastGap,
    Reading,
    Relays,
    Trouble,
)

CHAIN_SECONDS: Final = 25.0  # for all endpoints of a chain; a look has 40
GAP_SECONDS: Final = 3600  # between two questions for a gap, which cost a request to a node
INDEX: Final = "index"  # names of cursors
SIGNALS: Final = "signals"
DEEP: Final = 64  # blocks below the newest: no reorganisation explains a difference there


async def gather(
    engine: AsyncEngine,
    chains: Mapping[int, Chain],
    expected: Sequence[Expected],
    behind_before: Mapping[str, Sequence[int]],
    gaps_before: Mapping[int, LastGap],
    wallets: Sequence[str],
    *,
    is_local: bool,
) -> Known:
    """`behind_before` and `gaps_before`: as of the look before; `wallets`: whose keys are in use. Raises what the
    database raises."""
    states = await operations.pass_states(engine)
    read = {(each.chain_id, each.name): each.block_number for each in await operations.positions(engine)}

    async def sight(chain: Chain) -> ChainSight:
        id = chain.chain_id
        places = {INDEX: read.get((id, INDEX), chain.settings.start_block - 1)}
        if (id, SIGNALS) in read:
            places[SIGNALS] = read[id, SIGNALS]
        found, gap = await asyncio.gather(
            _sight(chain, places, behind_before, is_local), _gap(engine, chain, gaps_before.get(id))
        )
        return replace(found, gap=gap)

    sights = await asyncio.gather(*(sight(chain) for chain in chains.values()))
    trouble = await _trouble(engine, {each.name for each in expected}, chains)
    return Known(expected, states, sights, trouble, await _relays(engine, wallets, list(chains), is_local))


def blocks_behind(sights: Sequence[ChainSight]) -> dict[str, list[int]]:
    """By chain id and name, blocks that each reader had still to read at the last looks, now last."""
    return {
        _label(sight.chain_id, each.name): [*each.before, each.behind][-COMPARED:]
        for sight in sights
        for each in sight.readings
    }


def _label(chain_id: int, name: str) -> str:
    return f"{chain_id} {name}"


async def _sight(
    chain: Chain, places: Mapping[str, int], before: Mapping[str, Sequence[int]], is_local: bool
) -> ChainSight:
    id, configured, signal_block = chain.chain_id, len(chain.settings.rpc_urls), chain.settings.signal_block
    try:
        async with asyncio.timeout(CHAIN_SECONDS):
            told = await _blocks(chain, "latest", *sorted({signal_block, "finalized"} - {"latest"}))
            heads = told.pop("latest")
            settled = {tag: max(found, key=_number) for tag, found in told.items() if found}
            lowest = min((each.number for each in heads), default=0)
            which = hex(max(0, lowest - DEEP))
            deep = (await _blocks(chain, which))[which] if len(heads) > 1 else []
    except TimeoutError:
        heads = []
    if not heads:
        return ChainSight(id, configured, 0)
    newest = max(heads, key=_number)
    ends = {INDEX: newest, SIGNALS: newest if signal_block == "latest" else settled.get(signal_block)}
    return ChainSight(
        chain_id=id,
        endpoints=configured,
        answering=len(heads),
        lowest=lowest,
        highest=newest.number,
        # A local chain makes blocks only when somebody asks for one, and its clock is set by hand.
        newest_age=None if is_local else _age(newest),
        agree=len({each.hash for each in deep}) < 2,
        settled={} if is_local else {tag: _age(block) for tag, block in settled.items()},
        readings=[
            Reading(name, end.number - place, before.get(_label(id, name), ()))
            for name, place in places.items()
            if (end := ends[name]) is not None
        ],
    )


def _number(block: Block) -> int:
    return block.number


def _age(block: Block) -> int:
    return int(time.time()) - block.timestamp


async def _blocks(chain: Chain, *which: str) -> dict[str, list[Block]]:
    """What each endpoint says for itself; one that does not answer or does not have it is left out."""
    said = await chain.ask_each([("eth_getBlockByNumber", [each, False]) for each in which], _each_block)
    return {each: [block for blocks in said if (block := blocks[place])] for place, each in enumerate(which)}


def _each_block(answers: Sequence[Any]) -> list[Block | None]:
    return [None if isinstance(answer, RpcError) else wire.block(answer) for answer in answers]


async def _gap(engine: AsyncEngine, chain: Chain, before: LastGap | None) -> LastGap:
    """Ask once an hour, and at each look while something is missing. Without an answer what was known stays so."""
    now = int(time.time())
    if before is not None and before.missing is None and 0 <= now - before.asked_at < GAP_SECONDS:
        return before
    try:
        async with asyncio.timeout(CHAIN_SECONDS):
            gap = await find_gap(engine, chain)
    except (Unavailable, Misconfigured, TimeoutError):
        return replace(before, asked_at=now) if before is not None else LastGap(now)
    return LastGap(now, gap.missing, gap.first_block) if gap is not None else LastGap(now)


async def _relays(engine: AsyncEngine, wallets: Sequence[str], chains: Sequence[int], is_local: bool) -> list[Relays]:
    """A local chain that nobody uses has no blocks, and so nothing becomes final."""
    found = await operations_relay.unfinished(engine, wallets, chains, of_ours=not is_local, seconds=NOT_FINAL_SECONDS)
    return [
        Relays(each.chain_id, each.address, each.count, each.oldest, each.address in wallets, each.chain_id in chains)
        for each in found
    ]


async def _trouble(engine: AsyncEngine, on: Collection[str], chains: Mapping[int, Chain]) -> Trouble:
    """`on`: names of passes."""
    values = {
        "late": LATE_SECONDS,
        "rooms": [room for room, name in (("reminders", "dispatch"), ("gifts", "gifts")) if name in on],
        "chains": list(chains),
        "unsafe": [id for id, chain in chains.items() if chain.settings.signal_block == "latest"],
    }
    async with engine.connect() as connection:
        row = (await connection.execute(sql["trouble"], values)).one()
    failed = {room: getattr(row, room) for room in ("reminders", "gifts", "relay")}
    return Trouble(row.late, row.oldest_late, row.others_go_out, row.held, row.dead, row.refused_alerts, failed)
