"""Legacies and timelocks that the chain has and our index lacks: no endpoint gave it the logs of their creation.

Ids on chain are counters, so after each run of known ids the next ids are asked of the contracts themselves.
"""

from dataclasses import dataclass
from typing import Final

from sqlalchemy import TextClause, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.chain.abi_codec import WORD, encode_call, word
from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts.timelocks import TIMELOCK_DETAILS, timelock_details
from reminder_worker.chain.types import ContractCall
from reminder_worker.indexer.chain_index import CURSOR
from reminder_worker.indexer.store import read_cursor

LOOK_AHEAD: Final = 4  # more than one: the ERC-20 vault does not know a timelock that holds NFTs alone
_MOST_RUNS: Final = 20  # of one contract


@dataclass(frozen=True, slots=True)
class IndexGap:
    """An id that the index lacks, in words, and the first block whose logs may have its creation."""

    missing: str
    first_block: int


async def find_gap(engine: AsyncEngine, chain: Chain) -> IndexGap | None:
    """Return the gap that begins at the lowest block, as of the index's own block. One request to a node.

    Raises `ChainUnavailable`, also when no endpoint has the state of that block.
    """
    calls: list[tuple[IndexGap, ContractCall]] = []
    async with engine.connect() as connection:
        await connection.execution_options(isolation_level="REPEATABLE READ")
        cursor = await read_cursor(connection, chain.chain_id, CURSOR)
        if cursor is None:
            return None
        for router in chain.settings.legacy_routers:
            for id, block in await _next_ids(connection, chain, _LEGACIES, router=router):
                calls.append(
                    (
                        IndexGap(f"legacy {id} of {router}", block),
                        encode_call(router, "TransferEOALegacyRouter", "legacyAddresses", word(id)),
                    )
                )
        vault = chain.settings.timelock_erc20
        for id, block in await _next_ids(connection, chain, _TIMELOCKS):
            calls.append((IndexGap(f"timelock {id}", block), ContractCall(vault, TIMELOCK_DETAILS + word(id))))
    answers = await chain.call_many([call for _, call in calls], at=cursor.hash)
    found = [
        gap
        for (gap, call), answer in zip(calls, answers, strict=True)
        if (timelock_details(answer) is not None if call.to == vault else _is_address(answer))
    ]
    return min(found, key=lambda gap: gap.first_block, default=None)


async def _next_ids(
    connection: AsyncConnection, chain: Chain, run_ends: TextClause, **of: str
) -> list[tuple[int, int]]:
    """Return the ids after each run of known ids, each with the block of the creation before it."""
    values = {**of, "chain_id": chain.chain_id, "start": chain.settings.start_block, "most": _MOST_RUNS}
    return [
        (id, row.block)
        for row in await connection.execute(run_ends, values)
        for id in range(row.id + 1, min(row.id + 1 + LOOK_AHEAD, row.next or row.id + 1 + LOOK_AHEAD))
    ]


def _is_address(answer: object) -> bool:
    return isinstance(answer, bytes) and len(answer) == WORD and any(answer)


def _run_ends(known: str) -> TextClause:
    """Select the last id of each run, the block of its creation, and the next known id."""
    return text(f"""
        select id, block, next from (
            select id, block, lead(id) over (order by id) as next from ({known} union all select 0, :start) as ids
        ) as runs
        where next is distinct from id + 1
        order by id limit :most
    """)  # noqa: S608 - constants


_LEGACIES = _run_ends(
    "select legacy_id as id, created_block as block from worker.legacy where chain_id = :chain_id and router = :router"
)
_TIMELOCKS = _run_ends(
    "select timelock_id as id, created_block as block from worker.timelock where chain_id = :chain_id"
)
