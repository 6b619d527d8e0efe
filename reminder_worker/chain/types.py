"""Values read from the chain, frozen. Addresses and hashes are lower-case `0x` hex.

`ContractCall` and `RevertedCall` are structs: the due pass makes 100,000 calls, and a frozen dataclass takes five times
as long.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, TypeVar

import msgspec

T = TypeVar("T")
MOST_GAS: Final = 2**24
"""Of one transaction on Ethereum (EIP-7825)."""
ETHER: Final = "0x" + "ee" * 20
"""The chain's own ether where tokens are named (ERC-7528). Nodes log its moves so in simulations."""


@dataclass(frozen=True, slots=True)
class NodePolicy:
    """How much nodes are asked, and how much of their answers counts. Nobody tunes it."""

    rounds: int = 3
    longest_wait_seconds: float = 2.0
    ahead_seconds: int = 120
    """A block with a time further ahead is of the future."""
    first_rest_seconds: float = 0.25
    longest_rest_seconds: float = 60.0
    asked_last_times: int = 4
    """After a failure the others are asked first, for this many times the duration of the failure. A hanging endpoint
    costs a fifth of the time at most."""
    batch_requests: int = 100
    telling_batch_requests: int = 8
    """A refusal of a smaller batch tells nothing about the endpoint's limit a second."""
    larger_batches_again_seconds: float = 600.0
    """After a refused batch: the reason may pass."""
    answer_bytes: int = 1024 * 1024
    """Of one answer, as sent: a block, a count, a fee or a call."""
    long_answer_bytes: int = 16 * 1024 * 1024
    """Of an answer with logs or a transaction, and of a whole HTTP answer. A transaction of 16 million gas can log
    38,000 empty events: a receipt of 14.5 MB."""
    kept_bytes: int = 32 * 1024
    """Of each answer in `call_many`: the longest is of a timelock with 370 tokens, all that fit a transaction. Two
    million gas return 950 KB."""
    views_bytes: int = 16 * 1024
    """Of the node's JSON in `read_views`: five words need 2 KB, and nodes repeat a revert's reason twice."""
    view_gas: int = 100_000
    """Of each view in `read_views`: a genuine legacy needs 20,000."""
    read_gas: int = 2_000_000
    """Far more than our reads need. Burning all of this gas costs the node little."""
    calls_in_chunk: int = 500
    chunks_at_once: int = 8
    first_log_blocks: int = 100
    """Of a poll and of a run's first batch, which shows how many blocks nodes accept."""
    log_requests_at_once: int = 64
    """Then the logs are stored: some providers give the logs of ten blocks at once, and thousands would take longer
    than a run."""
    log_requests_together: int = 8
    """Of them at the same time: free plans allow 5 to 25 requests a second."""
    kept_log_blocks: int = 128
    """A pruned node keeps the logs of at least 64 blocks below the head, mostly of 10,000."""


NODE_POLICY: Final = NodePolicy()


@dataclass(frozen=True, slots=True)
class BlockHeader:
    """`timestamp` in unix seconds."""

    number: int
    hash: str
    parent_hash: str
    timestamp: int


@dataclass(frozen=True, slots=True)
class BlockMoment:
    """Number and time of a block, as contracts read them. `timestamp` in unix seconds."""

    number: int
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
    gas_used: int
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
