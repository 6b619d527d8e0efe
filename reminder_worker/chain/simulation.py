"""`eth_simulateV1`: a transaction's effects, with logs and moves of ether. Some nodes lack the method."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import Annotated, Final

import msgspec

from reminder_worker.chain import wire
from reminder_worker.chain.events import decode_transfer
from reminder_worker.chain.rpc import Request
from reminder_worker.chain.types import ETHER, ContractCall, RevertedCall, SimulatedLog

LEAST_PAID_WEI: Final = 10**12
"""A claim of less ether may pay nobody: shares are rounded down, and the rest stays in the legacy."""


@dataclass(frozen=True, slots=True)
class SimulatedTransaction:
    """A successful transaction. `gas_used`: after refunds, which are a fifth at most; None if unknown."""

    logs: tuple[SimulatedLog, ...]
    gas_used: int | None

    def find_received(self, receiver: str, tokens: Collection[str]) -> frozenset[str]:
        """Return the assets among `tokens` and `ETHER` of which the receiver has more afterwards."""
        return frozenset(self.find_gains(receiver, tokens))

    def find_gains(self, receiver: str, tokens: Collection[str]) -> dict[str, int]:
        """Return how much more the receiver has afterwards of `tokens` and `ETHER`, in base units; only what grows.

        Transfers back within the transaction are subtracted. Logs of other contracts are ignored: a paid contract may
        log anything.
        """
        gained: Counter[str] = Counter()
        for move in filter(None, map(decode_transfer, self.logs)):
            if move.token == ETHER or move.token in tokens:
                gained[move.token] += move.amount * ((move.recipient == receiver) - (move.sender == receiver))
        return {token: amount for token, amount in gained.items() if amount > 0}

    def is_whole(self, emitter: str, payer: str | None) -> bool:
        """Return whether the answer has a log of `emitter` and, unless None, a move of ether from `payer`.

        The transaction always makes both. Some nodes leave out the logs of contracts, others the moves of ether.
        """
        logs_event = any(log.address == emitter for log in self.logs)
        return logs_event and (payer is None or self._moves_ether(payer))

    def _moves_ether(self, payer: str) -> bool:
        moves = filter(None, map(decode_transfer, self.logs))
        return any(move.token == ETHER and move.sender == payer for move in moves)


class WireSimulatedLog(msgspec.Struct):
    address: wire.AddressHex
    topics: Annotated[list[wire.Word], msgspec.Meta(max_length=4)]
    data: wire.Hex


class WireCallError(msgspec.Struct):
    data: msgspec.Raw = msgspec.Raw()


class WireCall(msgspec.Struct, rename="camel"):
    status: wire.Quantity
    return_data: wire.Hex
    gas_used: wire.Quantity | None = None
    logs: list[WireSimulatedLog] = []
    error: WireCallError | None = None


class WireSimulatedBlock(msgspec.Struct):
    calls: tuple[WireCall]


def build_simulation(call: ContractCall, *, at: int, sender: str, gas: int) -> Request:
    """Return the request on top of block `at`, by number: more nodes accept it than a hash."""
    message = {"from": sender, "to": call.to, "data": "0x" + call.data.hex(), "gas": hex(gas)}
    payload = {"blockStateCalls": [{"calls": [message]}], "traceTransfers": True, "validation": False}
    return ("eth_simulateV1", [payload, hex(at)])


def decode_outcome(answer: object) -> SimulatedTransaction | RevertedCall:
    """Raises `msgspec.ValidationError`."""
    blocks: tuple[WireSimulatedBlock] = wire.decode_result(answer, tuple[WireSimulatedBlock])
    (block,) = blocks
    (call,) = block.calls
    if int(call.status, 16) == 1:
        logs = tuple(
            SimulatedLog(log.address.lower(), tuple(topic.lower() for topic in log.topics), bytes.fromhex(log.data[2:]))
            for log in call.logs
        )
        return SimulatedTransaction(logs, None if call.gas_used is None else int(call.gas_used, 16))
    data = wire.decode_error_data(call.error.data) if call.error else ""  # nodes differ in where they put it
    return RevertedCall(wire.parse_hex(data or call.return_data))
