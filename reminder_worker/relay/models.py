"""Values of the relay. Amounts are int wei; addresses and transaction hashes lower-case `0x` hex."""

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

    @property
    def has_nonce(self) -> bool:
        """Return whether users sign for this lane: the router counts a nonce, and events show the effects."""
        return self is not RelayLane.AUTO_RENEW


class RequestState(StrEnum):
    """`satisfied_elsewhere`: another transaction reached the same effect, a success for the user."""

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
    """Reason for which an open request waits.

    `earlier`: an earlier request of its signer or nonce of our wallet. `paused`: the wallet is stopped, or a request of
    the signer failed today. `would_fail`: it would revert, move nothing, or come too late.
    """

    FEES = "fees"
    BALANCE = "balance"
    DAILY_CAP = "daily_cap"
    CHAIN = "chain"
    EARLIER = "earlier"
    PAUSED = "paused"
    WOULD_FAIL = "would_fail"


WAITING_STATES: Final = (RequestState.QUEUED, RequestState.WAITING_PREDECESSOR, RequestState.DEFERRED_FEE)
UNMINED_STATES: Final = (*WAITING_STATES, RequestState.SIGNED, RequestState.BROADCAST)
OPEN_STATES: Final = (*UNMINED_STATES, RequestState.MINED)
REQUEST_STATES: Final = {
    "waiting_states": WAITING_STATES,
    "unmined_states": UNMINED_STATES,
    "open_states": OPEN_STATES,
}
"""Lists for `load_queries`."""
FOREIGN_NONCE: Final = "foreign_nonce"
"""Reason of a stopped wallet: an external transaction took one of its nonces."""
FAILED_ON_CHAIN: Final = "failed_on_chain"
"""Reason of a request whose transaction failed in a block, final or not."""
CANCELLED_BY_OPERATOR: Final = "cancelled_by_operator"
LEAST_SECONDS_LEFT: Final = 30
"""Seconds that a transaction needs until its deadline: with less it would hardly be mined in time."""
SELF_PAID: Final = "Sending the transaction yourself, at your own fee, still works."


@dataclass(frozen=True, slots=True)
class RelayAuthorization:
    """A validated authorization. `call_data` holds the user's signature.

    `digest`: 32 bytes, EIP-712. `subject_id`: legacy or timelock id. `creator`: of the legacy, or the giver. `nonce`:
    the signer's at the router. `deadline`: unix seconds. `gas_limit`: the lane's ceiling. `needs`: gas that is enough
    now; a later transaction may need more.
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
        """Gas limit of a transaction that is sent at once."""
        return self.gas_limit if self.needs is None else min(self.needs, self.gas_limit)


@dataclass(frozen=True, slots=True)
class RequestView:
    """`reason`: a code of an ended or passed over request. `tx_hash`: the latest attempt, or the mined one."""

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
    """Caps of one wallet per chain and day (UTC); None: no cap. `max_open`: transactions waiting to be mined."""

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
        """Return whether withdrawals of gifts are ever relayed: a cap may be 0."""
        return 0 not in (self.daily_wei, self.daily_count, self.per_gift, self.per_signer, self.per_creator)

    @property
    def take_legacies(self) -> bool:
        """Return whether claims and check-ins are ever relayed."""
        return 0 not in (self.daily_wei, self.daily_count, self.per_legacy, self.per_signer, self.per_creator)


@dataclass(slots=True)
class ReconcileReport:
    """Results of one run on one chain; amounts in wei, ages in seconds. Public facts only.

    `requeued`: the slot ended and the authorization lives on. `freed`: a cancellation transaction was signed for a dead
    one. `failed`: slots and requests with an error in this run.
    """

    open_slots: int = 0
    waiting: int = 0
    recorded: int = 0
    unmined: int = 0
    rebroadcast: int = 0
    replaced: int = 0
    freed: int = 0
    confirmed: int = 0
    reverted: int = 0
    expired: int = 0
    satisfied_elsewhere: int = 0
    superseded: int = 0
    cancelled_by_user: int = 0
    requeued: int = 0
    started: int = 0
    failed: int = 0
    oldest_open_seconds: int = 0
    balance_wei: int = 0
    stopped: str | None = None

    def count_state(self, state: str) -> None:
        name = "requeued" if state == RequestState.QUEUED else state
        setattr(self, name, getattr(self, name) + 1)


def call_context(id: UUID) -> str:
    """Return the context that a request's sealed call is bound to."""
    return f"relay_request.call_data|{id}"
