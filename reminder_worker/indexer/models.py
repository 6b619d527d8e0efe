"""Questions to an indexer, and their answers: from a subgraph or from our own tables."""

from collections.abc import Collection
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

EOA, SAFE = 3, 1  # legacy type
GIFT = 2  # lock type
LIVE, ENDED = 2, 3  # status of a timelock: to be withdrawn, and paid out
MOST_ASSETS = 20  # of one timelock in a list: a stranger may seal 350 in one
MOST_LOOKED_AT = 5000  # the newest gifts of one recipient that our own index looks at
FAR_FUTURE = 2**63 - 1  # the latest time the tables can hold: anybody may lock something until later


class SignalKind(IntEnum):
    """`notifyType` of LegacyEmailNotifyRequested."""

    OWNER_RESET = 0
    MULTISIG_ACTIVATION = 1
    TRANSFER_ACTIVATION = 2


@dataclass(frozen=True, slots=True)
class IndexHead:
    """The state an indexer answers from: its latest block."""

    number: int
    hash: str


@dataclass(frozen=True, slots=True)
class NotifySignal:
    """One NotifyRequested. Addresses and hashes lower-case hex; `block_time` unix seconds."""

    legacy: str
    creator: str
    layer: int
    kind: SignalKind
    block_number: int
    block_time: int
    tx_hash: str


@dataclass(frozen=True, slots=True)
class ReminderConfig:
    """Configured recipients of one legacy. Absent lines are None."""

    legacy: str
    creator: str
    cosigners: tuple[str, ...]
    beneficiaries: tuple[str, ...]
    second_line: str | None
    third_line: str | None


@dataclass(frozen=True, slots=True)
class IndexedLegacy:
    """A legacy of a configured router. `legacy_type`: EOA or SAFE. `activated_at`: first claim, and `deleted_at`, unix
    seconds; None: none is known."""

    address: str
    router: str
    legacy_id: int
    legacy_type: int
    creator: str
    activated_at: int | None
    deleted_at: int | None


@dataclass(frozen=True, slots=True)
class TimelockAsset:
    """Asset of a timelock in one vault: `token_id` for ERC-721 and ERC-1155, `amount` in base units."""

    vault: str
    token: str
    token_id: int | None
    amount: int


@dataclass(frozen=True, slots=True)
class IndexedTimelock:
    """`lock_type`: 0 regular, 1 soft, 2 gift; `status`: 0 null, 1 created, 2 live, 3 ended. Times in unix seconds."""

    timelock_id: int
    lock_type: int
    owner: str
    recipient: str
    unlock_time: int
    status: int
    assets: tuple[TimelockAsset, ...]  # sorted: see `asset_order`
    created_at: int

    def holds_only(self, vault: str, tokens: Collection[str]) -> bool:
        """Return whether all assets are in this vault, and of these tokens."""
        return all(asset.vault == vault and asset.token in tokens for asset in self.assets)


@dataclass(frozen=True, slots=True)
class ListedTimelock:
    """A timelock with its first `MOST_ASSETS` assets. `asset_count`: of all its assets."""

    timelock: IndexedTimelock
    asset_count: int


@dataclass(frozen=True, slots=True)
class NewestGift:
    """The newest gift of a recipient that may be shown; None: there is none. `has_hidden`: there are others."""

    timelock_id: int | None
    created_at: int
    has_hidden: bool


@dataclass(frozen=True, slots=True)
class TimelockHistory:
    """When a timelock was sealed and paid out (unix seconds), as far as our own index knows.

    `opened_in` and `opened_block`: hashes of the payment's transaction and of its block.
    """

    sealed_at: int | None = None
    opened_at: int | None = None
    opened_in: str | None = None
    opened_block: str | None = None


def asset_order(asset: TimelockAsset) -> tuple[str, str, int, int]:
    """Return the sort key of a timelock's assets, the same for all sources."""
    return (asset.vault, asset.token, -1 if asset.token_id is None else asset.token_id, asset.amount)


def nonzero_address(address: str | None) -> str | None:
    """Return the address in lower case; None for the zero address, the contracts' word for "nobody"."""
    return None if address is None or address.lower() == "0x" + "0" * 40 else address.lower()


class EventIndexer(Protocol):
    """Every answer is of one state: the block of `at`. Raises `IndexerUnavailable`."""

    @property
    def name(self) -> str: ...

    async def read_head(self) -> IndexHead:
        """The latest block the indexer has; raises `IndexerUnavailable` when it reports indexing errors."""
        ...

    async def read_signals(self, first_block: int, last_block: int, at: IndexHead) -> list[NotifySignal]:
        """All signals of blocks first..last, both included, in chain order."""
        ...

    async def reminder_configs(self, legacies: Collection[str], at: IndexHead) -> dict[str, ReminderConfig]:
        """By legacy; one without a configuration (or reset) is absent."""
        ...

    async def read_timelocks(self, ids: Collection[int], at: IndexHead) -> dict[int, IndexedTimelock]:
        """By id; unknown ones are absent."""
        ...
