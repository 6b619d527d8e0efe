"""Chain index as declared: its pass, and the positions of the readers."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from reminder_worker.declarations import FactGauge, FactScope, OperatorFact, WorkerFeature, WorkerPass

if TYPE_CHECKING:
    from reminder_worker.indexer.store import ReaderPosition


async def _read_positions(scope: FactScope) -> "Sequence[ReaderPosition]":
    from reminder_worker.indexer.store import read_positions

    return scope.keep_served(await read_positions(scope.engine))


def _show_positions(positions: "Sequence[ReaderPosition]") -> Iterator[FactGauge]:
    labels = ("chain", "reader")
    blocks = {(position.chain_id, position.name): position.block_number for position in positions}
    ages = {(position.chain_id, position.name): position.age for position in positions}
    yield FactGauge("reader_block", "Last block read", labels, blocks)
    yield FactGauge("reader_age_seconds", "Since its cursor moved", labels, ages)


def _describe_positions(positions: "Sequence[ReaderPosition]") -> str:
    indexed = [position for position in positions if position.name == "index"]
    words = [f"no event on chain {each.chain_id} up to block {each.block_number}" for each in indexed]
    return "; ".join(words) or "nothing on chain yet"


INDEX = WorkerPass("index", 60, asset="chain_index")
POSITIONS = OperatorFact("positions", _read_positions, _show_positions, _describe_positions)
FEATURE = WorkerFeature((INDEX,), (POSITIONS,))
