"""Values read from the chain, frozen. Addresses and hashes are lower-case `0x` hex.

`ContractCall` and `RevertedCall` are structs: the due pass makes 100,000 calls, and a frozen dataclass takes five times
as long.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

import msgspec

MOST_GAS: Final = 2**24
"""Of one transaction on Ethereum (EIP-7825)."""
ETHER: Final = "0x" + "ee" * 20
"""The chain's own ether where tokens are named (ERC-7528). Nodes log its moves so in simulations."""


@dataclass(frozen=True, slots=True)
class BlockHeader:
    """`timestamp` in unix seconds."""

    number: int
    hash: str
    parent_hash: str
    timestamp: int


class ContractCall(msgspec.Struct, frozen=True, gc=False):
    """A read: `data` is the selector and the encoded arguments."""

    to: str
    data: bytes


class RevertedCall(msgspec.Struct, frozen=True, gc=False):
    """The chain's own answer that a call fails; a value, because one of many calls may. `data` may be empty."""

    data: bytes = b""


@dataclass(frozen=True, slots=True)
class EventLog:
    """`data` may have people's emails in it: it is never shown."""

    address: str
    topics: tuple[str, ...]
    data: bytes = field(repr=False)
    block_number: int
    block_hash: str
    tx_hash: str
    log_index: int


@dataclass(frozen=True, slots=True)
class SimulatedLog:
    """A log of a transaction that is in no block."""

    address: str
    topics: tuple[str, ...]
    data: bytes


@dataclass(frozen=True, slots=True)
class TransactionReceipt:
    """`cost` in wei: gas used times effective gas price."""

    tx_hash: str
    block_number: int
    block_hash: str
    succeeded: bool
    cost: int
    logs: tuple[EventLog, ...]


class SendOutcome(StrEnum):
    """One endpoint's answer to a transaction. `known`: it has it already."""

    ACCEPTED = "accepted"
    KNOWN = "known"
    NONCE_TOO_LOW = "nonce_too_low"
    UNDERPRICED = "underpriced"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class EndpointHealth:
    """`name` is position and host, as `shown_host` shows it: an endpoint's address holds its key. `latency` in seconds,
    of the last answer."""

    name: str
    ok: bool
    errors: int
    latency: float | None
    head: int | None
