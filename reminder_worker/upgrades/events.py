"""What the UpgradeTimelock said, from its logs: OpenZeppelin's TimelockController, with the roles of AccessControl."""

from dataclasses import dataclass
from typing import Any, Final

from reminder_worker.chain import abi
from reminder_worker.chain.abi_codec import WORD, Malformed, at, bytes_at
from reminder_worker.chain.types import Log
from reminder_worker.upgrades.decode import READERS

SCHEDULED: Final = "CallScheduled"
EXECUTED: Final = "CallExecuted"
CANCELLED: Final = "Cancelled"
DELAY: Final = "MinDelayChange"
GRANTED: Final = "RoleGranted"
REVOKED: Final = "RoleRevoked"
_EVENTS: Final = {abi.topic(event): event for event in abi.events("TimelockController")}
TOPICS: Final = frozenset(_EVENTS)
_MOST: Final = 1 << 24  # bytes of a call: far more than fits into a block


@dataclass(frozen=True, slots=True)
class UpgradeEvent:
    """One log. `sender` is who sent the transaction, None until it was asked for; `operation_id` where it has one.

    `data` by the ABI's names, without the id: addresses and words as lower-case `0x` hex, call data as hex without
    the `0x`, numbers as int of any size.
    """

    block_number: int
    log_index: int
    block_hash: str
    block_time: int
    tx_hash: str
    sender: str | None
    name: str
    operation_id: str | None
    data: dict[str, Any]

    @property
    def key(self) -> tuple[int, int, str]:
        """The block's hash pins the rest."""
        return self.block_number, self.log_index, self.block_hash


def read_event(log: Log, block_time: int) -> UpgradeEvent | None:
    """None for a log that is none of these events, or not encoded as one."""
    event = _EVENTS.get(log.topics[0]) if log.topics else None
    if event is None:
        return None
    indexed = [each for each in event["inputs"] if each["indexed"]]
    plain = [each for each in event["inputs"] if not each["indexed"]]
    if len(log.topics) != 1 + len(indexed):
        return None
    try:
        found = {
            each["name"]: _value(each["type"], bytes.fromhex(topic[2:]), 0)
            for each, topic in zip(indexed, log.topics[1:], strict=True)
        }
        found |= {each["name"]: _value(each["type"], log.data, place * WORD) for place, each in enumerate(plain)}
    except Malformed:
        return None
    operation_id = found.pop("id", None)
    place = (log.block_number, log.log_index, log.block_hash, block_time, log.tx_hash)
    return UpgradeEvent(*place, None, event["name"], operation_id, found)


def _value(kind: str, data: bytes, position: int) -> Any:
    if kind == "bytes":
        return bytes_at(data, at(data, position), _MOST).hex()
    return READERS[kind](data, position)
