"""`eth_simulateV1`: what a transaction would do, its logs and the ether it moves included. Not every node has it."""

from dataclasses import dataclass
from typing import Annotated

import msgspec

from reminder_worker.chain import wire
from reminder_worker.chain.endpoint import Request
from reminder_worker.chain.events import TRANSFER_TOPIC
from reminder_worker.chain.values import Call, Reverted
from reminder_worker.chain.words import WORD


@dataclass(frozen=True, slots=True)
class SimulatedLog:
    address: str
    topics: tuple[str, ...]
    data: bytes

    def pays(self, receiver: str) -> bool:
        """Whether it tells of a move of an ERC-20 token, or of ether, to `receiver`. Who logged it is not looked at:
        only tokens that are trusted are called."""
        if len(self.topics) != 3 or self.topics[0] != TRANSFER_TOPIC or self.topics[2][-40:] != receiver[2:]:
            return False
        return len(self.data) == WORD and any(self.data)


@dataclass(frozen=True, slots=True)
class Simulated:
    """A transaction that succeeds. `gas_used`: after refunds, of which there is a fifth at most; None: not told."""

    logs: tuple[SimulatedLog, ...]
    gas_used: int | None


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
