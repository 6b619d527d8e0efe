"""State machine: the next action of a nonce slot, and the fate of an authorization. Plain functions, frozen values.

A slot ends only by facts that are final and confirmed by two endpoints. Anything else may be a lie, a lag or a
reorganisation. It leads to steps that can be undone or cost nothing (record, send the same bytes again, wait), and
within the ceiling to a replacement.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Final, Literal

from reminder_worker.chain.quorum import endpoints_needed, find_agreed
from reminder_worker.relay.fees import MOST_REPLACEMENTS

AttemptKind = Literal["call", "empty"]

STUCK_SECONDS: Final = 60.0
"""Age from which an unmined transaction below the market's price is replaced."""
FRESH_SECONDS: Final = 5.0
"""Age of the last broadcast below which nothing is sent again, replaced, or read of the signer."""
PATIENCE_SECONDS: Final = 300.0
"""Age from which an unmined transaction is replaced although it offers the market's price."""


@dataclass(frozen=True, slots=True)
class StoredAttempt:
    """Signed bytes as stored. Fees in wei per gas; `age` in seconds since signing, `sent` since the last broadcast
    (None: never sent)."""

    tx_hash: str
    kind: AttemptKind
    max_fee: int
    priority_fee: int
    gas_limit: int
    age: float
    sent: float | None


@dataclass(frozen=True, slots=True)
class NonceSlot:
    """A slot that is not final. `attempts` oldest first, at least one.

    `deadline` (unix seconds) and `signer_nonce` are the authorization's; auto-renew has no nonce at the router.
    """

    nonce: int
    mined_in: tuple[str, int, str] | None
    attempts: tuple[StoredAttempt, ...]
    deadline: int
    signer_nonce: int | None

    @property
    def newest(self) -> StoredAttempt:
        return self.attempts[-1]

    @property
    def is_fresh(self) -> bool:
        return self.newest.sent is not None and self.newest.sent < FRESH_SECONDS

    def find_kind(self, tx_hash: str) -> AttemptKind:
        return next(attempt.kind for attempt in self.attempts if attempt.tx_hash == tx_hash)


@dataclass(frozen=True, slots=True)
class MinedAttempt:
    """A receipt; `cost` in wei, gas used times effective price."""

    tx_hash: str
    block_number: int
    block_hash: str
    succeeded: bool
    gas_used: int
    cost: int

    @property
    def place(self) -> tuple[str, int, str]:
        return (self.tx_hash, self.block_number, self.block_hash)


class ReceiptPresence(Enum):
    """Agreement of the responding endpoints on the receipts of a slot's attempts."""

    MINED = "mined"  # enough endpoints give the same receipt
    ABSENT = "absent"  # no endpoint has a receipt
    DISPUTED = "disputed"


@dataclass(frozen=True, slots=True)
class ReceiptStatus:
    """`confirmed`: by as many endpoints as a final decision needs. `mined` is set with `ReceiptPresence.MINED` only.

    `disputed`: the only receipt that some endpoints return, while other endpoints have none.
    """

    presence: ReceiptPresence
    mined: MinedAttempt | None
    confirmed: bool
    disputed: MinedAttempt | None = None


@dataclass(frozen=True, slots=True)
class GasPrice:
    """Gas prices for the next block, in wei per gas; `ceiling` is the configured maximum."""

    base_fee: int
    priority_fee: int
    ceiling: int


@dataclass(frozen=True, slots=True)
class SlotFacts:
    """Facts that enough endpoints agree on. For growing numbers the lower value counts.

    `wallet_count`: transactions of our wallet at the latest block, `wallet_count_final` at the finalized one (None: too
    few endpoints answer). `time`: of the latest block, unix seconds. `signer_nonce`: the router's, at the latest block
    (None: not asked).
    """

    head: int
    time: int
    finalized: int | None
    wallet_count: int
    wallet_count_final: int | None
    signer_nonce: int | None
    receipts: ReceiptStatus
    price: GasPrice | None


@dataclass(frozen=True, slots=True)
class KeepWaiting:
    """Do nothing in this run."""


@dataclass(frozen=True, slots=True)
class RecordBlock:
    """Store the block of a transaction; it is not final."""

    mined: MinedAttempt


@dataclass(frozen=True, slots=True)
class SettleSlot:
    """End the slot: its transaction is final, failed or not."""

    mined: MinedAttempt


@dataclass(frozen=True, slots=True)
class ReopenSlot:
    """Forget the block: a reorganisation removed the transaction."""


@dataclass(frozen=True, slots=True)
class SendAgain:
    """Send the latest attempt again, to every endpoint."""


@dataclass(frozen=True, slots=True)
class ReplaceAttempt:
    """Sign a replacement with a higher fee, if the ceiling allows; else send the latest attempt again."""

    kind: AttemptKind


@dataclass(frozen=True, slots=True)
class ForeignNonce:
    """Stop the wallet: an external transaction took the nonce, finally."""


SlotAction = KeepWaiting | RecordBlock | SettleSlot | ReopenSlot | SendAgain | ReplaceAttempt | ForeignNonce


def agree_on_receipts(votes: Sequence[Sequence[MinedAttempt | None]], configured: int) -> ReceiptStatus:
    """Return the receipt status by the votes of the responding endpoints, each with one entry per attempt.

    Raises `ValueError` without any vote.
    """
    if not votes:
        raise ValueError("nobody answers")
    receipts: list[MinedAttempt] = []
    for vote in votes:
        receipts += [receipt for receipt in vote if receipt is not None][:1]  # at most one was mined
    if not receipts:
        return ReceiptStatus(ReceiptPresence.ABSENT, None, len(votes) >= endpoints_needed(configured))
    mined = find_agreed(receipts, len(votes))
    if mined is not None:
        return ReceiptStatus(ReceiptPresence.MINED, mined, find_agreed(receipts, configured) is not None)
    only = receipts[0] if receipts.count(receipts[0]) == len(receipts) else None
    return ReceiptStatus(ReceiptPresence.DISPUTED, None, False, only)


def decide_action(slot: NonceSlot, facts: SlotFacts) -> SlotAction:
    """Return the next action of a slot, by the first row that fits.

    | receipts | stored block | further facts                                      | action                     |
    |----------|--------------|----------------------------------------------------|----------------------------|
    | mined    | any          | final, confirmed by two endpoints                  | `SettleSlot`               |
    | mined    | the same     |                                                    | `KeepWaiting`              |
    | mined    | none, other  |                                                    | `RecordBlock`              |
    | absent   | some         | the chain has reached that block                   | `ReopenSlot`               |
    | absent   | some         |                                                    | `KeepWaiting`              |
    | disputed | some         | sent just now, or wallet count above the nonce     | `KeepWaiting`              |
    | disputed | some         |                                                    | `SendAgain`                |
    | absent   | none         | final wallet count above the nonce, by two         | `ForeignNonce`             |
    | disputed | none         | wallet count above the nonce, one receipt          | `RecordBlock` of it        |
    | other    | none         | wallet count above the nonce                       | `KeepWaiting`              |
    | other    | none         | sent just now, and no cancellation due             | `KeepWaiting`              |
    | other    | none         | gas price unknown or above the ceiling             | `SendAgain`                |
    | other    | none         | the authorization is dead                          | `ReplaceAttempt("empty")`  |
    | other    | none         | stuck, and a step is left or the fee is too low    | `ReplaceAttempt`           |
    | other    | none         |                                                    | `SendAgain`                |
    """
    status = facts.receipts
    if status.mined is not None:
        is_final = facts.finalized is not None and status.mined.block_number <= facts.finalized
        if is_final and status.confirmed:
            return SettleSlot(status.mined)
        return KeepWaiting() if slot.mined_in == status.mined.place else RecordBlock(status.mined)
    if slot.mined_in is not None:
        if status.presence is ReceiptPresence.ABSENT:
            return ReopenSlot() if facts.head >= slot.mined_in[1] else KeepWaiting()
        if slot.is_fresh or facts.wallet_count > slot.nonce:
            return KeepWaiting()
        return SendAgain()  # an endpoint may have stayed on a fork that the others left
    if facts.wallet_count > slot.nonce:
        if is_foreign(slot.nonce, facts.wallet_count_final, status):
            return ForeignNonce()
        # Some endpoint gives no receipt, but two count the nonce as used: the transaction is in a block. It takes no
        # place among the open slots, but it does not end yet.
        return KeepWaiting() if status.disputed is None else RecordBlock(status.disputed)
    action = _decide_unmined(slot, facts)
    return KeepWaiting() if slot.is_fresh and action != ReplaceAttempt("empty") else action


def _decide_unmined(slot: NonceSlot, facts: SlotFacts) -> SlotAction:
    newest, price = slot.newest, facts.price
    if price is None or price.base_fee > price.ceiling:
        return SendAgain()  # no transaction of ours can be mined: wait without using up replacements
    if newest.kind == "call" and is_dead(slot, facts):
        return ReplaceAttempt("empty")
    underpriced = price.base_fee > newest.max_fee
    stuck = newest.age >= (STUCK_SECONDS if underpriced else PATIENCE_SECONDS)
    steps = sum(attempt.kind == newest.kind for attempt in slot.attempts) - 1
    may_replace = underpriced or steps < MOST_REPLACEMENTS
    return ReplaceAttempt(newest.kind) if stuck and may_replace else SendAgain()


def is_foreign(nonce: int, wallet_count_final: int | None, status: ReceiptStatus) -> bool:
    """Return whether a final external transaction took this nonce of our wallet, confirmed by two endpoints."""
    taken = wallet_count_final is not None and wallet_count_final > nonce
    return taken and status.presence is ReceiptPresence.ABSENT and status.confirmed


def is_dead(slot: NonceSlot, facts: SlotFacts) -> bool:
    """Return whether the next block would refuse the authorization. It may live again after a reorganisation."""
    return _is_used(slot.signer_nonce, facts.signer_nonce) or facts.time > slot.deadline


def _is_used(nonce: int | None, current: int | None) -> bool:
    return nonce is not None and current is not None and current > nonce


# -- authorizations -------------------------------------------------------------------------------


class AuthorizationFate(StrEnum):
    """`ALIVE`: still good. All other values are states of ended requests."""

    ALIVE = "alive"
    SATISFIED = "satisfied_elsewhere"
    SUPERSEDED = "superseded"
    CANCELLED = "cancelled_by_user"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class FinalFacts:
    """Facts at a finalized block that enough endpoints agree on.

    `signer_nonce`: the router's, None if the lane has none. `same_effect`: an event of the same effect, signer and id,
    by a transaction that is not this request's. `other_effect`: an event of the signer for something else, by a
    transaction that took no other known nonce.
    """

    time: int
    signer_nonce: int | None
    same_effect: bool
    other_effect: bool


def decide_fate(nonce: int | None, deadline: int, direct: bool, facts: FinalFacts) -> AuthorizationFate:
    """Return the fate of an authorization, by the first row that fits.

    `direct`: the same effect can be reached without the authorization (a vault pays its recipient).

    | same effect | nonce used | direct | other effect | deadline over | fate         |
    |-------------|------------|--------|--------------|---------------|--------------|
    | yes         | yes        |        |              |               | `SATISFIED`  |
    | yes         |            | yes    |              |               | `SATISFIED`  |
    |             | yes        |        | yes          |               | `SUPERSEDED` |
    |             | yes        |        | no           |               | `CANCELLED`  |
    |             | no         |        |              | yes           | `EXPIRED`    |
    |             | no         |        |              | no            | `ALIVE`      |
    """
    used = _is_used(nonce, facts.signer_nonce)
    if facts.same_effect and (used or direct):
        return AuthorizationFate.SATISFIED
    if used:
        return AuthorizationFate.SUPERSEDED if facts.other_effect else AuthorizationFate.CANCELLED
    return AuthorizationFate.EXPIRED if facts.time > deadline else AuthorizationFate.ALIVE
