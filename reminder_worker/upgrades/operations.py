"""The timelock's events and operations. Plain functions: no database, no chain.

The contract is OpenZeppelin's TimelockController, with the roles of AccessControl.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from eth_utils.abi import abi_to_signature
from eth_utils.crypto import keccak

from reminder_worker.chain import abi
from reminder_worker.chain.abi_codec import WORD, MalformedData, address_at, bytes_at, word_at
from reminder_worker.chain.types import EventLog
from reminder_worker.indexer.projection import ChainEvent

ROLES: Final[Mapping[str, str]] = {
    "0x" + "00" * WORD: "DEFAULT_ADMIN_ROLE",
    **{"0x" + keccak(text=name).hex(): name for name in ("PROPOSER_ROLE", "EXECUTOR_ROLE", "CANCELLER_ROLE")},
}
CANCELLER: Final = next(role for role, name in ROLES.items() if name == "CANCELLER_ROLE")

GIVES_AWAY: Final[Mapping[str, str]] = {
    "changeProxyAdmin(address,address)": "gives a proxy to another admin",
    "transferOwnership(address)": "gives a contract to another owner",
    "renounceOwnership()": "leaves a contract without an owner",
}
"""What the timelock cannot undo, by function."""

AS_POWERFUL: Final[Mapping[str, str]] = {
    "setRouterAddresses(address)": "a vault obeys another router",
    "setUniswapRouter(address)": "tokens are swapped by another contract",
    "setTimelock(address,address,address)": "the router locks assets in other vaults",
    "setLegacyImplementation(address)": "new legacies run other code",
    "setLegacyCreationCode(bytes)": "new legacies run other code",
    "setPullVault(address)": "new legacies pull tokens through another contract",
    "setParams(address,address,address,address)": "PremiumSetting obeys other contracts",
}
"""What setters change that are as powerful as an upgrade, by function."""

Argument = str | int | bytes


@dataclass(frozen=True, slots=True)
class UpgradeCall:
    """One call of an operation. `value` in wei."""

    target: str
    value: int
    data: bytes


@dataclass(frozen=True, slots=True)
class DecodedCall:
    """`function` is None when the selector is not one we know; `arguments` is None when they do not decode.

    Arguments by name: addresses and roles as lower-case `0x` hex, numbers as int, `bytes` as they are. `extra`: how
    many bytes follow that no argument covers.
    """

    function: str | None
    arguments: Mapping[str, Argument] | None
    extra: int = 0

    @property
    def new_implementation(self) -> str | None:
        """Return the proxy's new implementation, if the call sets one."""
        found = (self.arguments or {}).get("implementation")
        return found if isinstance(found, str) else None


def decode_call(data: bytes) -> DecodedCall:
    """Decode call data. Never raises."""
    member = _BY_SELECTOR.get(data[:4])
    if member is None:
        return DecodedCall(None, None)
    function = abi_to_signature(member)
    try:
        arguments, used = _decode_fields(member["inputs"], data[4:])
    except MalformedData:
        return DecodedCall(function, None)
    return DecodedCall(function, arguments, len(data) - 4 - used)


def role_name(role: str) -> str:
    """Return a role's name; `role` itself (0x and 64 hex digits) for a foreign role."""
    return ROLES.get(role, role)


def plain_words(data: bytes) -> str:
    """Describe undecoded call data."""
    if not data:
        return "none"
    if len(data) < 4:
        return f"{len(data)} bytes, too short for a selector: 0x{data.hex()}"
    return f"selector 0x{data[:4].hex()}, {len(data)} bytes"


def _decode_fields(parameters: Sequence[abi.Member], data: bytes) -> tuple[dict[str, Argument], int]:
    """Return the values by name, and their size in bytes. Raises `MalformedData`."""
    found: dict[str, Argument] = {}
    used = len(parameters) * WORD
    for index, parameter in enumerate(parameters):
        if parameter["type"] == "bytes":
            place = word_at(data, index * WORD)
            value = bytes_at(data, place, len(data))
            used = max(used, place + WORD + -(-len(value) // WORD) * WORD)
            found[parameter["name"]] = value
        else:
            found[parameter["name"]] = READERS[parameter["type"]](data, index * WORD)
    return found, min(used, len(data))


READERS: Final[Mapping[str, Callable[[bytes, int], Argument]]] = {
    "address": address_at,
    "uint256": word_at,
    "bytes32": lambda data, position: f"0x{word_at(data, position):064x}",
}
_BY_SELECTOR: Final = {
    abi.find_selector(contract, member["name"]): member
    for contract, names in {
        "ProxyAdmin": ("upgrade", "upgradeAndCall", "transferOwnership", "renounceOwnership", "changeProxyAdmin"),
        "TimelockController": ("updateDelay", "grantRole", "revokeRole"),
        "ContractSetters": tuple(member["name"] for member in abi.read_members("ContractSetters")),
    }.items()
    for member in abi.read_members(contract)
    if member["type"] == "function" and member["name"] in names
}


class QueueEvent(StrEnum):
    """The timelock's events that operators hear of."""

    SCHEDULED = "CallScheduled"
    EXECUTED = "CallExecuted"
    CANCELLED = "Cancelled"
    DELAY = "MinDelayChange"
    GRANTED = "RoleGranted"
    REVOKED = "RoleRevoked"


_EVENTS: Final = {abi.compute_topic(event): event for event in abi.list_events("TimelockController")}
TOPICS: Final = frozenset(_EVENTS)
OPEN: Final = ("pending", "ready")
LATEST: Final = 2**63 - 1  # delays and moments beyond it do not fit into a row, nor into anybody's life


@dataclass(frozen=True, slots=True)
class UpgradeEvent:
    """One log of the timelock. `sender`: of its transaction, None if unknown; `operation_id`: where it has one.

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


def decode_timelock_log(log: EventLog, block_time: int) -> ChainEvent | None:
    """Return the event, or None for a log of another event or not encoded as one."""
    event = _EVENTS.get(log.topics[0]) if log.topics else None
    if event is None:
        return None
    indexed = [field for field in event["inputs"] if field["indexed"]]
    plain = [field for field in event["inputs"] if not field["indexed"]]
    if len(log.topics) != 1 + len(indexed):
        return None
    try:
        data, _ = _decode_fields(plain, log.data)
        for field, topic in zip(indexed, log.topics[1:], strict=True):
            data[field["name"]] = READERS[field["type"]](bytes.fromhex(topic[2:]), 0)
    except MalformedData:
        return None
    stored = {name: value.hex() if isinstance(value, bytes) else value for name, value in data.items()}
    return make_chain_event(log, block_time, event["name"], stored)


def make_chain_event(log: EventLog, block_time: int, name: str, data: Mapping[str, Any]) -> ChainEvent:
    """Return the event of a log that concerns no legacy, user or timelock."""
    return ChainEvent(
        block_number=log.block_number,
        log_index=log.log_index,
        block_hash=log.block_hash,
        block_time=block_time,
        tx_hash=log.tx_hash,
        contract=log.address,
        name=name,
        legacy=None,
        creator=None,
        timelock_id=None,
        data=data,
    )


def upgrade_event_of(event: ChainEvent) -> UpgradeEvent:
    """Return the event as the upgrade queue stores it, without its sender."""
    data = dict(event.data)
    operation_id = data.pop("id", None)
    place = (event.block_number, event.log_index, event.block_hash, event.block_time, event.tx_hash)
    return UpgradeEvent(*place, None, event.name, operation_id, data)


@dataclass(frozen=True, slots=True)
class UpgradeOperation:
    """`state`: pending, ready, executed, cancelled. What begins with `scheduled_` is None when that was never seen.

    Times in unix seconds, `delay` in seconds; `ready_at`: block time and delay, which is what `getTimestamp` says.
    """

    operation_id: str
    state: str
    calls: tuple[UpgradeCall, ...]
    predecessor: str | None = None
    delay: int | None = None
    ready_at: int | None = None
    scheduled_by: str | None = None
    scheduled_at: int | None = None
    scheduled_block: int | None = None
    scheduled_tx: str | None = None
    changed_block: int = 0

    @property
    def is_open(self) -> bool:
        return self.state in OPEN

    @property
    def was_seen(self) -> bool:
        return self.scheduled_tx is not None


@dataclass(frozen=True, slots=True)
class QueueChange:
    """Effect of one transaction; a batch is one change. `name` is the event's."""

    name: str
    operation_id: str | None
    events: tuple[UpgradeEvent, ...]

    @property
    def first_event(self) -> UpgradeEvent:
        return self.events[0]

    @property
    def block_mark(self) -> str:
        """Return a mark that differs for the same change in another block."""
        return f"{self.first_event.block_hash}/{self.first_event.log_index}"

    @property
    def same_as(self) -> tuple[object, ...]:
        """Return a key that is equal for the same change in another block."""
        return self.name, self.operation_id, tuple(sorted(event.data.items()) for event in self.events)


def group_changes(events: Iterable[UpgradeEvent]) -> list[QueueChange]:
    """Return the changes in the order of their first events.

    The events of a batch are one change. Its scheduling events are consecutive. Between its execution events the
    timelock may emit other events, because a call may change the timelock itself.
    """
    groups: list[list[UpgradeEvent]] = []
    executed: dict[object, list[UpgradeEvent]] = {}
    for event in events:
        if event.name not in frozenset(QueueEvent):
            continue
        key = _batch_key(event)
        group: list[UpgradeEvent] = []
        if event.name == QueueEvent.EXECUTED:
            group = executed.setdefault(key, group)
        elif event.name == QueueEvent.SCHEDULED and groups and _batch_key(groups[-1][0]) == key:
            group = groups[-1]
        if not group:
            groups.append(group)
        group.append(event)
    return [QueueChange(group[0].name, group[0].operation_id, tuple(group)) for group in groups]


def without_moved(
    appeared: Iterable[QueueChange], gone: Iterable[QueueChange]
) -> tuple[list[QueueChange], list[QueueChange]]:
    """Return (appeared, gone) without the changes that only moved to another block."""
    left, new = list(gone), []
    for change in appeared:
        twin = next((other for other in left if other.same_as == change.same_as), None)
        if twin is None:
            new.append(change)
        else:
            left.remove(twin)
    return new, left


def operation_of(operation_id: str, events: Sequence[UpgradeEvent]) -> UpgradeOperation | None:
    """Return the operation from all its events in log order; None without events.

    Only what was cancelled can be scheduled again under the same id.
    """
    found: UpgradeOperation | None = None
    for event in events:
        if event.name == QueueEvent.SCHEDULED:
            found = _apply_scheduled(operation_id, found, event)
        elif event.name == QueueEvent.EXECUTED:
            found = _apply_executed(operation_id, found, event)
        elif event.name == QueueEvent.CANCELLED:
            base = found or UpgradeOperation(operation_id, "", ())
            found = replace(base, state="cancelled", changed_block=event.block_number)
    return found


def _apply_scheduled(operation_id: str, before: UpgradeOperation | None, event: UpgradeEvent) -> UpgradeOperation:
    if before is not None and before.is_open:
        return replace(before, calls=(*before.calls, _call_of(event)))
    predecessor, delay = event.data["predecessor"], min(event.data["delay"], LATEST)
    no_predecessor = "0x" + "00" * WORD
    return UpgradeOperation(
        operation_id,
        "pending",
        (_call_of(event),),
        predecessor=None if predecessor == no_predecessor else predecessor,
        delay=delay,
        ready_at=min(event.block_time + delay, LATEST),
        scheduled_by=event.sender,
        scheduled_at=event.block_time,
        scheduled_block=event.block_number,
        scheduled_tx=event.tx_hash,
        changed_block=event.block_number,
    )


def _apply_executed(operation_id: str, before: UpgradeOperation | None, event: UpgradeEvent) -> UpgradeOperation:
    if before is None or not before.was_seen:
        calls = (*(before.calls if before else ()), _call_of(event))
        return UpgradeOperation(operation_id, "executed", calls, changed_block=event.block_number)
    return replace(before, state="executed", changed_block=event.block_number)


def role_members(events: Iterable[UpgradeEvent], role: str) -> list[str]:
    """Return the holders of a role by these events in log order."""
    held: dict[str, None] = {}
    for event in events:
        if event.name == QueueEvent.GRANTED and event.data["role"] == role:
            held[event.data["account"]] = None
        elif event.name == QueueEvent.REVOKED and event.data["role"] == role:
            held.pop(event.data["account"], None)
    return list(held)


def _call_of(event: UpgradeEvent) -> UpgradeCall:
    return UpgradeCall(event.data["target"], event.data["value"], bytes.fromhex(event.data["data"]))


def _batch_key(event: UpgradeEvent) -> tuple[str, str | None, str, str]:
    return event.name, event.operation_id, event.tx_hash, event.block_hash
