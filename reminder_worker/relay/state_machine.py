"""What the chain's answers mean for a nonce slot and for an authorization: plain functions over frozen values.

Nothing is ended on one endpoint's word or before it is final. What is not final may be a lie, a lag or a
reorganisation, so it only ever leads to steps that can be taken back or that cost nothing: to remember, to send the
same bytes again, to wait; and, within the ceiling, to a replacement.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Final, Literal

from reminder_worker.chain.quorum import endpoints_needed
from reminder_worker.relay.fees import MOST_REPLACEMENTS

AttemptKind = Literal["call", "empty"]

STUCK_SECONDS: Final = 60.0
"""Unmined for so long: a replacement is considered."""
FRESH_SECONDS: Final = 5.0
"""Sent so lately, a transaction is given time: nothing is sent again, nothing dearer is signed, and nobody asks what
became of its signer."""
PATIENCE_SECONDS: Final = 300.0
"""Unmined for so long although it offers the market's price: replaced all the same."""


@dataclass(frozen=True, slots=True)
class StoredAttempt:
    """Signed bytes as stored; fees in wei for one gas, `age` in seconds since they were signed, `sent` in seconds since
    they were last sent (None: never yet)."""

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

    `deadline` (unix seconds) and `signer_nonce` are the authorization's; without a nonce of the router's (auto-renew)
    the latter is None.
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
    def fresh(self) -> bool:
        return self.newest.sent is not None and self.newest.sent < FRESH_SECONDS


@dataclass(frozen=True, slots=True)
class MinedAttempt:
    """What a receipt says; `cost` in wei, gas used times effective price."""

    tx_hash: str
    block_number: int
    block_hash: str
    succeeded: bool
    cost: int

    @property
    def place(self) -> tuple[str, int, str]:
        return (self.tx_hash, self.block_number, self.block_hash)


class ReceiptPresence(Enum):
    """What the endpoints say of a slot's attempts."""

    MINED = "mined"  # enough of those that answer give the same receipt
    ABSENT = "absent"  # all that answer say that none is in a block
    DISPUTED = "disputed"


@dataclass(frozen=True, slots=True)
class ReceiptStatus:
    """`vouched`: as many endpoints say so as a final decision needs. `mined` is set with `Presence.MINED` only.
    `disputed`: the one receipt that some endpoints give while others say that there is none."""

    presence: ReceiptPresence
    mined: MinedAttempt | None
    vouched: bool
    disputed: MinedAttempt | None = None


@dataclass(frozen=True, slots=True)
class GasPrice:
    """Of the next block, wei for one gas. `ceiling` is our own."""

    base_fee: int
    priority_fee: int
    ceiling: int


@dataclass(frozen=True, slots=True)
class SlotFacts:
    """What enough endpoints agree on; of numbers that only grow, the lower.

    `wallet_count`: transactions of our wallet at the latest block, `wallet_count_final` at the finalized one (None:
    not enough endpoints say). `time`: the latest block's, unix seconds. `signer_nonce`: the router's, latest block
    (None: not asked).
    """

    head: int
    time: int
    finalized: int | None
    wallet_count: int
    wallet_count_final: int | None
    signer_nonce: int | None
    sighting: ReceiptStatus
    market: GasPrice | None


@dataclass(frozen=True, slots=True)
class KeepWaiting:
    """Nothing to do now."""


@dataclass(frozen=True, slots=True)
class RecordBlock:
    """It is in a block that is not final."""

    mined: MinedAttempt


@dataclass(frozen=True, slots=True)
class SettleSlot:
    """It is final, failed or not."""

    mined: MinedAttempt


@dataclass(frozen=True, slots=True)
class ReopenSlot:
    """A reorganisation took it out of its block."""


@dataclass(frozen=True, slots=True)
class SendAgain:
    """The newest bytes once more, to every endpoint."""


@dataclass(frozen=True, slots=True)
class ReplaceAttempt:
    """New bytes on the same nonce that pay more, if the ceiling allows; else the newest bytes once more."""

    kind: AttemptKind


@dataclass(frozen=True, slots=True)
class ForeignNonce:
    """A transaction that is none of ours took the nonce, finally."""


SlotAction = KeepWaiting | RecordBlock | SettleSlot | ReopenSlot | SendAgain | ReplaceAttempt | ForeignNonce


def sighting(votes: Sequence[Sequence[MinedAttempt | None]], configured: int) -> ReceiptStatus:
    """`votes`: for each endpoint that answers, what it says of each attempt. Raises `ValueError` without any."""
    if not votes:
        raise ValueError("nobody answers")
    said = [next((receipt for receipt in vote if receipt is not None), None) for vote in votes]
    needed = endpoints_needed(configured)
    found = [receipt for receipt in said if receipt is not None]
    if not found:
        return ReceiptStatus(ReceiptPresence.ABSENT, None, len(votes) >= needed)
    best = max(found, key=found.count)
    if found.count(best) >= endpoints_needed(len(votes)):
        return ReceiptStatus(ReceiptPresence.MINED, best, found.count(best) >= needed)
    return ReceiptStatus(ReceiptPresence.DISPUTED, None, False, best if found.count(best) == len(found) else None)


def agreed_number(values: Sequence[int], configured: int) -> int | None:
    """The number that two endpoints have reached (or the only one), of a number that only grows; None if too few
    answer."""
    needed = endpoints_needed(configured)
    return sorted(values, reverse=True)[needed - 1] if len(values) >= needed else None


def decide(slot: NonceSlot, facts: SlotFacts) -> SlotAction:
    seen = facts.sighting
    if seen.mined is not None:
        final = facts.finalized is not None and seen.mined.block_number <= facts.finalized
        if final and seen.vouched:
            return SettleSlot(seen.mined)
        return KeepWaiting() if slot.mined_in == seen.mined.place else RecordBlock(seen.mined)
    if slot.mined_in is not None:
        if seen.presence is ReceiptPresence.ABSENT:
            return ReopenSlot() if facts.head >= slot.mined_in[1] else KeepWaiting()
        if slot.fresh or facts.wallet_count > slot.nonce:
            return KeepWaiting()
        return SendAgain()  # one may have stayed on a fork that the others left
    if facts.wallet_count > slot.nonce:
        if is_strangers(slot.nonce, facts.wallet_count_final, seen):
            return ForeignNonce()
        # Some endpoint gives no receipt, but two say by their counts that the nonce is used: it is in a block, and
        # takes no place among the open slots, but it does not end yet.
        return KeepWaiting() if seen.disputed is None else RecordBlock(seen.disputed)
    action = _unmined(slot, facts)
    return (
        KeepWaiting() if slot.fresh and action != ReplaceAttempt("empty") else action
    )  # nobody knows yet whether it is dead


def _unmined(slot: NonceSlot, facts: SlotFacts) -> SlotAction:
    newest, market = slot.newest, facts.market
    if market is None or market.base_fee > market.ceiling:
        return SendAgain()  # nothing of ours can be mined: it waits for the market without using up its steps
    if newest.kind == "call" and is_dead(slot, facts):
        return ReplaceAttempt("empty")
    underpriced = market.base_fee > newest.max_fee
    stuck = newest.age >= (STUCK_SECONDS if underpriced else PATIENCE_SECONDS)
    steps = sum(attempt.kind == newest.kind for attempt in slot.attempts) - 1
    return ReplaceAttempt(newest.kind) if stuck and (underpriced or steps < MOST_REPLACEMENTS) else SendAgain()


def is_strangers(nonce: int, wallet_count_final: int | None, seen: ReceiptStatus) -> bool:
    """Whether a final transaction that is not ours took this nonce of our wallet, by the word of two endpoints."""
    taken = wallet_count_final is not None and wallet_count_final > nonce
    return taken and seen.presence is ReceiptPresence.ABSENT and seen.vouched


def is_dead(slot: NonceSlot, facts: SlotFacts) -> bool:
    """Whether the authorization would be refused in the next block. Not final: it may live again."""
    return _moved(slot.signer_nonce, facts.signer_nonce) or facts.time > slot.deadline


def _moved(nonce: int | None, current: int | None) -> bool:
    return nonce is not None and current is not None and current > nonce


# -- authorizations -------------------------------------------------------------------------------


class AuthorizationFate(StrEnum):
    """`ALIVE`: nothing has become of it yet. The others are states of a request that has ended."""

    ALIVE = "alive"
    SATISFIED = "satisfied_elsewhere"
    SUPERSEDED = "superseded"
    CANCELLED = "cancelled_by_user"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class FinalFacts:
    """At a finalized block that enough endpoints agree on.

    `signer_nonce`: the router's, None where it counts none. `same_effect`: an event of the same effect for the same
    signer and id, by a transaction that is not this request's. `other_effect`: an event of the signer for something
    else, by a transaction that is no known one of another nonce.
    """

    time: int
    signer_nonce: int | None
    same_effect: bool
    other_effect: bool


def fate(nonce: int | None, deadline: int, direct: bool, facts: FinalFacts) -> AuthorizationFate:
    """`direct`: the same effect can be reached without the authorization (a vault pays its recipient out)."""
    moved = _moved(nonce, facts.signer_nonce)
    if facts.same_effect and (moved or direct):
        return AuthorizationFate.SATISFIED
    if moved:
        return AuthorizationFate.SUPERSEDED if facts.other_effect else AuthorizationFate.CANCELLED
    return AuthorizationFate.EXPIRED if facts.time > deadline else AuthorizationFate.ALIVE
