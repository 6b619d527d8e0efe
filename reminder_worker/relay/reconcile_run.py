"""Values of one run of the reconciler: report, facts, and results of the phases."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from reminder_worker.chain.client import Chain
from reminder_worker.errors import Misconfigured, Unavailable
from reminder_worker.relay.attempts import SignedTransaction
from reminder_worker.relay.chain_view import ChainView
from reminder_worker.relay.models import RequestState
from reminder_worker.relay.request_store import StoredRequest
from reminder_worker.relay.slot_store import OpenSlot
from reminder_worker.relay.state_machine import GasPrice, MinedAttempt, SlotAction, SlotFacts

MinedSlot = tuple[OpenSlot, MinedAttempt | None]
"""A slot that is over; None: an external transaction took its nonce."""


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


@dataclass(frozen=True, slots=True)
class RunFacts:
    """Stored slots and requests, and what the chain says of them."""

    slots: Sequence[OpenSlot]
    waiting: Sequence[StoredRequest]
    views: ChainView
    price: GasPrice | None
    balance: int

    def of_slot(self, entry: OpenSlot) -> SlotFacts:
        views = self.views
        return SlotFacts(
            head=views.head,
            time=views.time,
            finalized=views.head_final,
            wallet_count=views.wallet_count,
            wallet_count_final=views.wallet_count_final,
            signer_nonce=views.nonce(entry.request.signer_key),
            receipts=views.receipts([attempt.tx_hash for attempt in entry.slot.attempts]),
            price=self.price,
        )


@dataclass(slots=True)
class ReconcileRun:
    """One run on one chain: its facts, and what its phases hand on.

    `fault`: raised at the end, since ending slots needs neither fees nor the wallet's key.
    """

    chain: Chain
    facts: RunFacts
    decided: Sequence[tuple[OpenSlot, SlotAction]]
    report: ReconcileReport
    outgoing: list[SignedTransaction] = field(default_factory=list)
    over: list[MinedSlot] = field(default_factory=list)
    fault: Unavailable | Misconfigured | None = None
