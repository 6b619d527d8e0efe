"""The relay's values. Amounts are int wei; addresses and transaction hashes lower-case `0x` hex."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID


class RelayLane(StrEnum):
    CLAIM = "claim"
    CHECK_IN = "check_in"
    GIFT_WITHDRAW = "gift_withdraw"
    AUTO_RENEW = "auto_renew"


class RequestState(StrEnum):
    """Of a request. `satisfied_elsewhere`: another transaction reached the same effect, a success for the user."""

    QUEUED = "queued"
    WAITING_PREDECESSOR = "waiting_predecessor"
    DEFERRED_FEE = "deferred_fee"
    SIGNED = "signed"
    BROADCAST = "broadcast"
    MINED = "mined"
    CONFIRMED = "confirmed"
    REVERTED = "reverted"
    EXPIRED = "expired"
    SATISFIED_ELSEWHERE = "satisfied_elsewhere"
    SUPERSEDED = "superseded"
    CANCELLED_BY_USER = "cancelled_by_user"


class WaitsFor(StrEnum):
    """What an open request waits for. `earlier`: another of its signer's, or of our wallet's, goes first. `paused`: the
    wallet is stopped, or one of its signer's failed today. `would_fail`: it would revert, move nothing, or come too
    late."""

    FEES = "fees"
    BALANCE = "balance"
    DAILY_CAP = "daily_cap"
    CHAIN = "chain"
    EARLIER = "earlier"
    PAUSED = "paused"
    WOULD_FAIL = "would_fail"


WAITING_STATES: Final = frozenset({RequestState.QUEUED, RequestState.WAITING_PREDECESSOR, RequestState.DEFERRED_FEE})
OPEN_STATES: Final = WAITING_STATES | {RequestState.SIGNED, RequestState.BROADCAST, RequestState.MINED}
FOREIGN_NONCE: Final = "foreign_nonce"
"""Why a wallet is stopped: a transaction that is none of ours took one of its nonces."""
FAILED_ON_CHAIN: Final = "failed_on_chain"
"""The reason of a request whose transaction is in a block and failed, before that block is final and afterwards."""
LEAST_SECONDS_LEFT: Final = 30
"""Until the deadline: with less it would hardly be mined in time, and the fee be spent for nothing."""


@dataclass(frozen=True, slots=True)
class RelayAuthorization:
    """What a user allowed, good to be relayed. `call_data` holds their signature.

    `digest`: 32 bytes, EIP-712. `subject_id`: legacy or timelock id. `creator`: of the legacy, or the giver. `nonce`:
    the signer's at the router. `deadline`: unix seconds. `gas_limit`: the lane's ceiling. `needs`: gas that does now;
    what is sent later may need more.
    """

    chain_id: int
    lane: RelayLane
    digest: bytes
    router: str
    subject_id: int
    signer: str
    creator: str
    nonce: int
    deadline: int
    call_data: bytes = field(repr=False)
    gas_limit: int
    needs: int | None = None

    @property
    def gas_now(self) -> int:
        """Of a transaction that is sent at once."""
        return self.gas_limit if self.needs is None else min(self.needs, self.gas_limit)


@dataclass(frozen=True, slots=True)
class RequestView:
    """`reason`: why it was passed over or ended, as a code. `tx_hash`: the newest attempt, or the one mined."""

    id: UUID
    lane: RelayLane
    state: RequestState
    reason: str | None
    tx_hash: str | None
    block_number: int | None
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class WalletCaps:
    """For each chain and day (UTC) of one wallet; None: no such cap. `max_open`: transactions waiting to be mined."""

    daily_wei: int
    daily_count: int
    gas_price_ceiling_wei: int
    per_legacy: int | None = None
    per_gift: int | None = None
    per_signer: int | None = None
    per_creator: int | None = None
    max_open: int = 16

    @property
    def take_gifts(self) -> bool:
        """Whether a gift's withdrawal is ever relayed: a cap may be 0."""
        return 0 not in (self.daily_wei, self.daily_count, self.per_gift, self.per_signer, self.per_creator)

    @property
    def take_legacies(self) -> bool:
        """The same of claims and check-ins."""
        return 0 not in (self.daily_wei, self.daily_count, self.per_legacy, self.per_signer, self.per_creator)


def call_context(id: UUID) -> str:
    """Where a request's sealed call belongs."""
    return f"relay_request.call_data|{id}"
