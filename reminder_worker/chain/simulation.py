"""`eth_simulateV1`: what a transaction would do, its logs and the ether it moves included. Not every node has it."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import Annotated, Final

import msgspec

from reminder_worker.chain import wire
from reminder_worker.chain.endpoint import Request
from reminder_worker.chain.events import TRANSFER_TOPIC
from reminder_worker.chain.values import Call, Reverted
from reminder_worker.chain.words import WORD

ETHER: Final = "0x" + "ee" * 20
"""As whose token nodes tell of a move of ether."""
_SYSTEM: Final = "0x" + "ff" * 19 + "fe"  # who logs moves of ether on chains that do (EIP-7708)


@dataclass(frozen=True, slots=True)
class SimulatedLog:
    address: str
    topics: tuple[str, ...]
    data: bytes

    def moves(self) -> tuple[str, str, int] | None:
        """Of an ERC-20 token, or of ether: from whom, to whom and how much; None for any other log."""
        if len(self.topics) != 3 or self.topics[0] != TRANSFER_TOPIC or len(self.data) != WORD:
            return None
        return f"0x{self.topics[1][-40:]}", f"0x{self.topics[2][-40:]}", int.from_bytes(self.data, "big")


@dataclass(frozen=True, slots=True)
class Simulated:
    """A transaction that succeeds. `gas_used`: after refunds, of which there is a fifth at most; None: not told."""

    logs: tuple[SimulatedLog, ...]
    gas_used: int | None

    def received(self, receiver: str, tokens: Collection[str]) -> frozenset[str]:
        """Of which of `tokens`, and of `ETHER`, the receiver has more afterwards: what goes back in the transaction
        itself was not received. What others log is not looked at: who is paid ether may log anything."""
        gained: Counter[str] = Counter()
        for log in self.logs:
            token = ETHER if log.address == _SYSTEM else log.address
            move = log.moves() if token == ETHER or token in tokens else None
            if move is not None:
                sender, to, amount = move
                gained[token] += amount * ((to == receiver) - (sender == receiver))
        return frozenset(token for token, amount in gained.items() if amount > 0)


class WireSimulatedLog(msgspec.Struct):
    address: wire.AddressHex
    topics: Annotated[list[wire.Word], msgspec.Meta(max_length=4)]
    data: wire.Hex


class WireCallError(msgspec.Struct):
    data: object = None


class WireCall(msgspec.Struct, rename="camel"):
    status: wire.Quantity
    return_data: wire.Hex
    gas_used: wire.Quantity | None = None
    logs: list[WireSimulatedLog] = []
    error: WireCallError | None = None


class WireSimulatedBlock(msgspec.Struct):
    calls: Annotated[list[WireCall], msgspec.Meta(min_length=1, max_length=1)]


def request(call: Call, *, at: int, sender: str, gas: int) -> Request:
    """On top of the block `at`, by its number, which more nodes take here than a hash."""
    message = {"from": sender, "to": call.to, "data": "0x" + call.data.hex(), "gas": hex(gas)}
    payload = {"blockStateCalls": [{"calls": [message]}], "traceTransfers": True, "validation": False}
    return ("eth_simulateV1", [payload, hex(at)])


def outcome(answer: object) -> Simulated | Reverted:
    """Raises `msgspec.ValidationError`."""
    (block,) = msgspec.convert(answer, Annotated[list[WireSimulatedBlock], msgspec.Meta(min_length=1, max_length=1)])
    (call,) = block.calls
    if int(call.status, 16) == 1:
        logs = tuple(
            SimulatedLog(log.address.lower(), tuple(topic.lower() for topic in log.topics), bytes.fromhex(log.data[2:]))
            for log in call.logs
        )
        return Simulated(logs, None if call.gas_used is None else int(call.gas_used, 16))
    data = call.error.data if call.error else None  # nodes differ in where they put it
    return Reverted(wire.hex_bytes(data if isinstance(data, str) else call.return_data))
