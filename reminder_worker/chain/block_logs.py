"""Logs of one block by contract and topics. Other logs in the same transaction, by strangers, are not read."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from reminder_worker.chain import wire
from reminder_worker.chain.rpc import ANSWER_TOO_LONG, Request, RpcEndpoint
from reminder_worker.chain.types import EventLog


@dataclass(frozen=True, slots=True)
class BlockLogs:
    """A question for logs of one block. `block`: its number or its hash.

    `topics`: by position, the values that are wanted there; None: any value. Raises `ValueError` without addresses:
    nodes would give the logs of all contracts.
    """

    block: int | str
    addresses: Collection[str]
    topics: Sequence[Collection[str] | None]

    def __post_init__(self) -> None:
        if not self.addresses:
            raise ValueError("no contracts are named")

    def build_request(self) -> Request:
        wanted: dict[str, object] = {
            "address": sorted(self.addresses),
            "topics": [None if each is None else sorted(each) for each in self.topics],
        }
        if isinstance(self.block, str):
            wanted["blockHash"] = self.block
        else:
            wanted |= {"fromBlock": hex(self.block), "toBlock": hex(self.block)}
        return ("eth_getLogs", [wanted])

    def decode_answer(self, answer: Any, tx_hash: str) -> list[EventLog]:
        """Return the logs of a transaction, in order. Raises `msgspec.ValidationError` for logs not asked for."""
        logs = wire.decode_logs(answer)
        if not all(map(self.includes, logs)):
            raise msgspec.ValidationError("logs of another block, contract or event")
        return sorted((log for log in logs if log.tx_hash == tx_hash), key=lambda log: log.log_index)

    def includes(self, log: EventLog) -> bool:
        """Return whether the question is about this log."""
        place = log.block_hash if isinstance(self.block, str) else log.block_number
        if place != self.block or log.address not in self.addresses or len(log.topics) < len(self.topics):
            return False
        pairs = zip(log.topics, self.topics, strict=False)
        return all(wanted is None or topic in wanted for topic, wanted in pairs)


async def ask_bounded(endpoint: RpcEndpoint, request: Request, most: int) -> Any | None:
    """Return an endpoint's answer, `RpcError` for a refusal; None for an answer of more than `most` bytes, as sent."""
    (answer,) = await endpoint.ask([request], most)
    return None if answer is ANSWER_TOO_LONG else answer


def address_topic(address: str) -> str:
    """Return the topic of an indexed address."""
    return "0x" + address[2:].lower().rjust(64, "0")
