"""Choice of the indexer: the subgraph while it works near the head of the chain, else our own index."""

from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

import structlog

from reminder_worker.chain.client import Chain
from reminder_worker.chain.types import BlockHeader
from reminder_worker.errors import ChainUnavailable, IndexerUnavailable
from reminder_worker.indexer.chain_index import ChainIndex
from reminder_worker.indexer.models import EventIndexer, IndexHead, ReminderConfig
from reminder_worker.indexer.subgraph import SubgraphClient

log = structlog.get_logger(__name__)
T = TypeVar("T")
Reason = Literal[
    "preferred",
    "no_subgraph",
    "subgraph_fails",
    "subgraph_of_another_chain",
    "subgraph_lags",
    "own_index_is_behind_it",
]


@dataclass(frozen=True, slots=True)
class IndexerChoice:
    """The chosen indexer, its state, and the reason."""

    indexer: EventIndexer
    at: IndexHead
    reason: Reason


class IndexerSelector:
    """The indexers of one chain. `last` is the latest choice: only another one is logged."""

    def __init__(self, chain: Chain, chain_index: ChainIndex, subgraph: SubgraphClient | None) -> None:
        self._chain = chain
        self._index = chain_index
        self._subgraph = subgraph
        self.last: IndexerChoice | None = None
        self._of_this_chain: IndexHead | None = None  # the subgraph's, when it was last compared

    @property
    def own_index(self) -> ChainIndex:
        """Our own index, for questions that no subgraph answers."""
        return self._index

    async def ask_indexer(
        self, question: Callable[[EventIndexer, IndexHead], Awaitable[T]], *, newest: bool = False
    ) -> T:
        """Return the answer of the chosen indexer, or of our own index if the subgraph fails. Raises as the choice.

        `newest`: a person waits for the answer, so our own index reads on first (`ChainIndex.read_newest`).
        """
        choice = await self.choose_indexer()
        if newest and choice.indexer is self._index:
            await self._index.read_newest()
            choice = replace(choice, at=await self._index.read_head())
        try:
            return await question(choice.indexer, choice.at)
        except IndexerUnavailable:
            if choice.indexer is self._index:
                raise
            return await question(self._index, await self._index.read_head())

    async def reminder_configs(self, legacies: Collection[str], reached: int) -> dict[str, ReminderConfig]:
        """Return configurations from a state that has block `reached` and all blocks of our own index.

        An absent legacy is not configured. If our own index is a little behind, it reads on first. Raises
        `IndexerUnavailable` if no indexer has reached the block, and `ChainUnavailable`.
        """
        own = await self._own_head()
        if own is None or own.number < reached:
            with suppress(ChainUnavailable):  # then the subgraph may still answer
                await self._index.run(budget_seconds=10)
            own = await self._own_head()
        if self._subgraph is not None:
            choice = await self.choose_indexer()
            if choice.indexer is self._subgraph and choice.at.number >= max(reached, own.number if own else 0):
                try:
                    return await self._subgraph.reminder_configs(legacies, choice.at)
                except IndexerUnavailable:
                    pass  # our own index answers, if it can
        if own is None or own.number < reached:
            raise IndexerUnavailable(f"no indexer of chain {self._chain.chain_id} has reached block {reached}")
        return await self._index.reminder_configs(legacies, own)

    async def _own_head(self) -> IndexHead | None:
        try:
            return await self._index.read_head()
        except IndexerUnavailable:
            return None

    async def choose_indexer(self) -> IndexerChoice:
        """Return the indexer that answers now, with its state.

        Raises `IndexerUnavailable` if none can answer, `ChainUnavailable` if the chain's head is not known.
        """
        head = await self._chain.get_known_head()
        choice = await self._compare_indexers(head)
        if self.last is None or (self.last.indexer, self.last.reason) != (choice.indexer, choice.reason):
            log.info("indexer", chain_id=self._chain.chain_id, name=choice.indexer.name, reason=choice.reason)
        self.last = choice
        return choice

    async def _compare_indexers(self, newest: BlockHeader) -> IndexerChoice:
        if self._subgraph is None:
            return await self._choose_own("no_subgraph")
        if self._subgraph.is_resting:
            return await self._choose_own("subgraph_fails")
        try:
            at = await self._subgraph.read_head()
        except IndexerUnavailable:
            return await self._choose_own("subgraph_fails")
        if not await self._is_of_this_chain(at, newest):
            return await self._choose_own("subgraph_of_another_chain")
        if newest.number - at.number <= self._chain.settings.subgraph_max_lag:
            return IndexerChoice(self._subgraph, at, "preferred")
        own = await self._own_head()
        if own is None or own.number < at.number:
            return IndexerChoice(self._subgraph, at, "own_index_is_behind_it")
        return IndexerChoice(self._index, own, "subgraph_lags")

    async def _is_of_this_chain(self, at: IndexHead, newest: BlockHeader) -> bool:
        """Compare the hash of the subgraph's block with our nodes, which may be a little behind.

        A block that no node gives counts only above the newest block of the nodes.
        """
        if at == self._of_this_chain:
            return True
        known = (at.number, at.hash) == (newest.number, newest.hash) or await self._chain.has_block(at.number, at.hash)
        if known:
            self._of_this_chain = at
        if known is not None:
            return known
        return 0 < at.number - newest.number <= self._chain.settings.subgraph_max_lag

    async def _choose_own(self, reason: Reason) -> IndexerChoice:
        return IndexerChoice(self._index, await self._index.read_head(), reason)
