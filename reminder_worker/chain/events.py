"""The protocol's events, from the ABI files, decoded field by field.

Emails, names, notes and nicknames are never decoded: strings and structs are skipped unread, and all other fields are
read with checked bounds. A log is a stranger's bytes: no error message contains any of them.

TransferEOALegacyRouter stands behind a proxy, and its ABI file has the events of all its builds on mainnet: until
2026-07-27 a legacy was announced with TransferEOALegacyCreated, and the first build (from 2026-03-05) indexed no
field of any event. The first topic is the same whether a field is indexed or not; the number of topics tells.

The same holds for PremiumSetting: its two builds before 2026-06-02 (from 2026-03-05 on) announced recipients with email
and name. Only the address of such a struct is read, so the decoded event equals today's.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from eth_utils.abi import collapse_if_tuple

from reminder_worker.chain import abi
from reminder_worker.chain.abi_codec import (
    WORD,
    MalformedData,
    address_at,
    addresses_at,
    bool_at,
    leading_address_at,
    leading_addresses_at,
    uint_at,
    uints_at,
    word_at,
)
from reminder_worker.chain.types import ETHER, EventLog, SimulatedLog
from reminder_worker.settings import ChainSettings

CONTRACTS: Final = {
    "transfer_eoa_legacy_router": "TransferEOALegacyRouter",
    "multisig_legacy_router": "MultisigLegacyRouter",
    "premium_setting": "PremiumSetting",
    "timelock_erc20": "TimelockERC20",
    "timelock_erc721": "TimelockERC721",
    "timelock_erc1155": "TimelockERC1155",
}
"""Setting to ABI file of each contract whose events the service reads."""

ETHER_LOGS: Final = "0x" + "ff" * 19 + "fe"
"""The address that logs moves of ether (EIP-7708)."""

PERSON: Final = "(address,string,string)"
"""Of PremiumSetting before 2026-06-02: address, email and name."""

Reader = Callable[[bytes, int], Any]


class UndecodableLog(ValueError):
    """A log of a foreign event, or with a wrong encoding: count it and go on."""


@dataclass(frozen=True, slots=True)
class EventField:
    """`position`: byte position in the data's head. A dynamic field's head holds the offset of its tail."""

    name: str
    position: int
    read: Reader
    dynamic: bool


@dataclass(frozen=True, slots=True)
class EventType:
    """One event as it stands on chain."""

    name: str
    topic: str
    indexed: tuple[EventField, ...]
    fields: tuple[EventField, ...]
    head_size: int


@dataclass(frozen=True, slots=True)
class DecodedEvent:
    """`args` by the ABI's names, strings and structs left out: addresses lower-case, numbers int, arrays tuples. A
    `PERSON` is its address.

    TimelockCreated has one first topic in the ERC-20 and the ERC-721 vault: in the latter's `amounts` are token ids.
    """

    name: str
    args: dict[str, Any]


@dataclass(frozen=True, slots=True)
class TokenTransfer:
    """One ERC-20 Transfer, or a move of ether (`token` is `ETHER`); `amount` in base units."""

    token: str
    sender: str
    recipient: str
    amount: int


def decode_log(log: EventLog) -> DecodedEvent:
    """Decode a log. Raises `UndecodableLog`. The caller checks the contract (`map_topics`)."""
    event = EVENTS.get((log.topics[0], len(log.topics))) if log.topics else None
    if event is None:
        raise UndecodableLog("an unknown event")
    if len(log.data) < event.head_size:
        raise UndecodableLog(f"{event.name}: too short")
    args: dict[str, Any] = {}
    try:
        for field, topic in zip(event.indexed, log.topics[1:], strict=True):
            args[field.name] = field.read(bytes.fromhex(topic[2:]), 0)
        for field in event.fields:
            position = word_at(log.data, field.position) if field.dynamic else field.position
            args[field.name] = field.read(log.data, position)
    except MalformedData as error:
        raise UndecodableLog(f"{event.name}: {error}") from None
    return DecodedEvent(event.name, args)


def decode_transfer(log: EventLog | SimulatedLog) -> TokenTransfer | None:
    """Return the transfer; None for any other log, also an ERC-721 Transfer with a fourth topic."""
    if len(log.topics) != 3 or log.topics[0] != TRANSFER_TOPIC or len(log.data) != WORD:
        return None
    try:
        sender, recipient = (address_at(bytes.fromhex(topic[2:]), 0) for topic in log.topics[1:])
    except MalformedData:
        return None
    token = ETHER if log.address == ETHER_LOGS else log.address
    return TokenTransfer(token, sender, recipient, word_at(log.data, 0))


def map_topics(settings: ChainSettings) -> Mapping[str, frozenset[str]]:
    """Return the first topics that count from each contract. A log of any other pair is ignored."""
    found: dict[str, frozenset[str]] = {}
    for setting, contract in CONTRACTS.items():
        address: str = getattr(settings, setting)
        found[address] = found.get(address, frozenset()) | {
            abi.compute_topic(event) for event in abi.list_events(contract)
        }
    return found


def _find_reader(kind: str) -> Reader | None:
    """Return the reader of a type; None for a skipped type."""
    if kind == "address":
        return address_at
    if kind == "bool":
        return bool_at
    if kind == "address[]":
        return addresses_at
    if kind == PERSON:
        return leading_address_at
    if kind == f"{PERSON}[]":
        return leading_addresses_at
    if kind.startswith("uint") and kind.removesuffix("[]")[4:].isdecimal():
        bits = int(kind.removesuffix("[]")[4:])
        read = uints_at if kind.endswith("[]") else uint_at
        return lambda data, position: read(data, position, bits)
    return None


def _is_dynamic(parameter: abi.Member) -> bool:
    kind: str = parameter["type"]
    return kind in ("string", "bytes") or kind.endswith("]") or any(map(_is_dynamic, parameter.get("components", ())))


def _head_size(parameter: abi.Member) -> int:
    if _is_dynamic(parameter):
        return WORD
    return sum(map(_head_size, parameter["components"])) if parameter["type"] == "tuple" else WORD


def _event_type(event: abi.Member) -> EventType:
    indexed, fields, head = [], [], 0
    for parameter in event["inputs"]:
        read = _find_reader(collapse_if_tuple(parameter))
        if parameter["indexed"]:
            if read is None or _is_dynamic(parameter):
                raise ValueError(f"{event['name']}: an indexed field that cannot be read back")
            indexed.append(EventField(parameter["name"], 0, read, False))
            continue
        if read is not None:
            fields.append(EventField(parameter["name"], head, read, _is_dynamic(parameter)))
        head += _head_size(parameter)
    return EventType(event["name"], abi.compute_topic(event), tuple(indexed), tuple(fields), head)


def _all_events() -> dict[tuple[str, int], EventType]:
    found: dict[tuple[str, int], EventType] = {}
    for contract in CONTRACTS.values():
        for event in map(_event_type, abi.list_events(contract)):
            found.setdefault((event.topic, 1 + len(event.indexed)), event)
    return found


EVENTS: Final[Mapping[tuple[str, int], EventType]] = _all_events()
"""By first topic and number of topics."""
TRANSFER_TOPIC: Final = abi.find_topic("ERC20", "Transfer")
