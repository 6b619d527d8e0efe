"""How an opened gift was paid out: the vault forgets it, the logs of the withdrawal tell it.

Anybody may withdraw a gift inside a transaction with tens of thousands of logs, so its receipt is never read. The
vault's own events and the moves of the gift's tokens are asked for, in the block of the withdrawal.
"""

import asyncio
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final

from reminder_worker.chain import abi
from reminder_worker.chain.block_logs import BlockLogs, address_topic
from reminder_worker.chain.client import Chain
from reminder_worker.chain.events import TRANSFER_TOPIC
from reminder_worker.chain.rpc import RpcEndpoint
from reminder_worker.chain.rpc_errors import unless_error
from reminder_worker.chain.types import EventLog, T
from reminder_worker.concurrency import in_time
from reminder_worker.errors import ChainUnavailable
from reminder_worker.indexer.chain_index import REQUEST_SECONDS

MOST_KNOWN: Final = 1000
_WITHDRAWN: Final = abi.find_topic("TimelockERC20", "FundsWithdrawn")


@dataclass(frozen=True, slots=True)
class GiftWithdrawal:
    """The transaction and the block in which a gift was paid out. A block with this hash never changes."""

    timelock_id: int
    recipient: str
    tx_hash: str
    block_hash: str


@dataclass(frozen=True, slots=True)
class GiftPayout:
    """The tokens that reached the recipient, and the tokens that left the vault, during a withdrawal."""

    received: frozenset[str]
    left: frozenset[str]

    def was_ether_sent(self, token: str, *, is_ether: bool, has_payees: bool) -> bool | None:
        """Return whether ether was sent in place of a token. `is_ether`: it is wrapped ether, which the vault unwraps.

        Another token leaves the vault also for its sale. `has_payees`: the router lets the recipient name another
        payee, and a move to a foreign address proves nothing: None.
        """
        if token in self.received:
            return False
        if is_ether:
            return token not in self.left
        return None if has_payees else True


class PayoutReads:
    """Payouts of one chain, each read once: the newest `MOST_KNOWN` are remembered. Four are read at a time.

    A payout that was not found within `REQUEST_SECONDS` is unknown for a minute by `clock`, in seconds.
    """

    def __init__(self, chain: Chain, clock: Callable[[], float] = time.monotonic) -> None:
        self._chain = chain
        self._clock = clock
        self._known: dict[GiftWithdrawal, GiftPayout] = {}
        self._asked_again: dict[GiftWithdrawal, float] = {}
        self._turns = [asyncio.Lock() for _ in range(4)]

    async def read_payout(self, withdrawal: GiftWithdrawal, tokens: Collection[str]) -> GiftPayout | None:
        """Return how a gift of these tokens was paid out; None while no endpoint has the logs of its withdrawal.

        None also without tokens: the index does not know them yet.
        """
        if tokens and self._is_wanted(withdrawal):
            try:
                await in_time(self._read_in_turn(withdrawal, tokens), REQUEST_SECONDS)
            except ChainUnavailable:
                _remember(self._asked_again, withdrawal, self._clock() + 60)
        return self._known.get(withdrawal)

    def _is_wanted(self, withdrawal: GiftWithdrawal) -> bool:
        return withdrawal not in self._known and self._clock() >= self._asked_again.get(withdrawal, 0.0)

    async def _read_in_turn(self, withdrawal: GiftWithdrawal, tokens: Collection[str]) -> None:
        """Read the payout, unless another request for the same gift just did: both have the same turn."""
        async with self._turns[hash(withdrawal) % len(self._turns)]:
            if self._is_wanted(withdrawal):
                _remember(self._known, withdrawal, await self._ask_payout(withdrawal, tokens))

    async def _ask_payout(self, withdrawal: GiftWithdrawal, tokens: Collection[str]) -> GiftPayout:
        """Ask the endpoints in turn. Raises `ChainUnavailable` also if none has the logs of the withdrawal."""
        vault, block = self._chain.settings.timelock_erc20, withdrawal.block_hash
        of_vault, of_recipient = address_topic(vault), address_topic(withdrawal.recipient)
        questions = (
            BlockLogs(block, [vault], [[_WITHDRAWN]]),
            BlockLogs(block, tokens, [[TRANSFER_TOPIC], [of_vault]]),
            BlockLogs(block, tokens, [[TRANSFER_TOPIC], None, [of_recipient]]),
        )

        found: GiftPayout | None = None

        async def attempt(endpoint: RpcEndpoint) -> bool:
            nonlocal found
            answers = await endpoint.ask([each.build_request() for each in questions])
            withdrawn, left, received = (
                question.decode_answer(unless_error(answer), withdrawal.tx_hash)
                for question, answer in zip(questions, answers, strict=True)
            )
            found = _select_payout(withdrawal, withdrawn, left, received)
            return found is not None

        # All answers of one endpoint: without the gift's own event it lacks the other logs of the block, too.
        await self._chain.endpoints.try_in_turn(attempt)
        if found is None:
            raise ChainUnavailable(f"no endpoint of chain {self._chain.chain_id} has the logs of a withdrawal")
        return found


def _remember(memory: dict[GiftWithdrawal, T], withdrawal: GiftWithdrawal, value: T) -> None:
    """Add a value. At most `MOST_KNOWN` are kept, the newest."""
    memory[withdrawal] = value
    if len(memory) > MOST_KNOWN:
        del memory[next(iter(memory))]


def _select_payout(
    withdrawal: GiftWithdrawal, withdrawn: Sequence[EventLog], left: Sequence[EventLog], received: Sequence[EventLog]
) -> GiftPayout | None:
    """Keep the moves between the gift's own event and the one before it, of another gift; None without its event."""
    begin = -1
    for log in withdrawn:
        if int(log.topics[1], 16) == withdrawal.timelock_id:
            within = range(begin + 1, log.log_index)
            return GiftPayout(received=_list_tokens(received, within), left=_list_tokens(left, within))
        begin = log.log_index
    return None


def _list_tokens(logs: Sequence[EventLog], within: range) -> frozenset[str]:
    """Return the tokens with a log of these indexes."""
    return frozenset(log.address for log in logs if log.log_index in within)
