"""Caps of a wallet: the remaining budget while the wallet's row is locked, reduced by admitted requests in order.

Plain arithmetic on values read under the lock; nothing is stored here.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final
from uuid import UUID

from reminder_worker.errors import LimitReached, NonceMismatch, RelayStopped
from reminder_worker.relay.models import RelayAuthorization, RelayLane, RequestState, WalletCaps

FINAL_SECONDS: Final = 1200
"""Seconds after which open transactions are settled: usually they are final within a quarter of an hour."""
GLOBAL: Final = ("global", "")
Scope = tuple[str, str]
"""The name of a cap, and its subject."""
SignerNonce = tuple[str, str, int]
"""Router, signer and nonce."""


@dataclass(slots=True)
class CapsLeft:
    """Remaining caps. Wei are booked on the scope `global` alone.

    `seconds_left`: until the day ends. `open`: open slots; `owed`: the wei that they reserve. `used_wei`: reserved or
    spent today; `spent_wei`: the part that is spent for good. `queue`: an earlier request waits for a slot already.
    `known`: requests by digest. `nonces`: those of open requests. `taken`, `wei`: counted and reserved since all this
    was read.
    """

    caps: WalletCaps
    day: date
    seconds_left: int
    open: int
    owed: int
    used_wei: int
    spent_wei: int
    queue: bool
    counts: Counter[Scope]
    known: dict[bytes, UUID]
    nonces: set[SignerNonce]
    taken: Counter[Scope] = field(default_factory=Counter)
    wei: int = 0

    def count_request(
        self, authorization: RelayAuthorization, waiting: RequestState | None, wei: int, balance: int
    ) -> RequestState:
        """Count a new request and return its state: `signed` with `wei` reserved if its turn has come, else waiting.

        `waiting`: the state of a request that has no turn yet; `wei` is then ignored. Raises `LimitReached`,
        `NonceMismatch`, `RelayStopped`; then nothing is counted.
        """
        wei = 0 if waiting else wei
        scopes = list_limits(authorization, self.caps)
        self._check_caps(scopes, wei)
        nonce = signer_nonce(authorization)
        if authorization.lane is not RelayLane.AUTO_RENEW and nonce in self.nonces:
            raise NonceMismatch("Another request with this nonce is under way; wait for it, or sign the next nonce.")
        has_slot = self.open < self.caps.max_open and not self.queue
        state = waiting or (RequestState.SIGNED if has_slot else RequestState.QUEUED)
        if state is RequestState.SIGNED:
            if balance < self.owed + wei:
                raise RelayStopped("the wallet's balance does not pay for what is under way", "low_balance")
            self.open += 1
            self.owed += wei
            self.used_wei += wei
            self.wei += wei
        self.nonces.add(nonce)
        for scope, _ in scopes:
            self.counts[scope] += 1
            self.taken[scope] += 1
        return state

    def _check_caps(self, scopes: Sequence[tuple[Scope, int]], wei: int) -> None:
        """Check the caps. A waiting request has to fit, too."""
        exhausted = [scope for scope, most in scopes if self.counts[scope] >= most]
        full = bool(wei) and self.used_wei + wei > self.caps.daily_wei
        if full and not exhausted and self.spent_wei + wei <= self.caps.daily_wei:
            # A reservation is several times the final cost of the transaction.
            detail = "today's cap of sponsored transactions is reserved by those under way; try again in twenty minutes"
            raise LimitReached(detail, min(self.seconds_left, FINAL_SECONDS), "daily_cap_reserved")
        if full:
            exhausted.append(GLOBAL)
        if exhausted:
            detail = f"today's cap ({min(exhausted)[0]}) of sponsored transactions is used up"
            raise LimitReached(detail, self.seconds_left, "daily_cap_reached")


def signer_nonce(authorization: RelayAuthorization) -> SignerNonce:
    return authorization.router, authorization.signer, authorization.nonce


def list_limits(authorization: RelayAuthorization, caps: WalletCaps) -> Sequence[tuple[Scope, int]]:
    """Return the scopes of a request with their limits."""
    subject = f"{authorization.router}/{authorization.subject_id}"
    is_gift = authorization.lane is RelayLane.GIFT_WITHDRAW
    capped: tuple[tuple[Scope, int | None], ...] = (
        (("gift", subject), caps.per_gift) if is_gift else (("legacy", subject), caps.per_legacy),
        (("signer", authorization.signer), caps.per_signer),
        (("creator", authorization.creator), caps.per_creator),
    )
    return [(GLOBAL, caps.daily_count), *((scope, limit) for scope, limit in capped if limit is not None)]


def caps_values(chain_id: int, wallet: str, caps: WalletCaps, asked: Sequence[RelayAuthorization]) -> dict[str, Any]:
    """Return the parameters of `caps_left`."""
    scopes = list({scope for authorization in asked for scope, _ in list_limits(authorization, caps)})
    nonces = list({signer_nonce(authorization) for authorization in asked})
    return {
        "chain_id": chain_id,
        "wallet": wallet,
        "scopes": [scope for scope, _ in scopes],
        "subjects": [subject for _, subject in scopes],
        "digests": [authorization.digest for authorization in asked],
        "routers": [router for router, _, _ in nonces],
        "signers": [signer for _, signer, _ in nonces],
        "nonces": [nonce for _, _, nonce in nonces],
    }


def request_row(authorization: RelayAuthorization, state: RequestState) -> dict[str, Any]:
    """Return the row of a new request, without its id, key and ciphertext."""
    return {
        "lane": authorization.lane.value,
        "digest": authorization.digest,
        "router": authorization.router,
        "subject_id": str(authorization.subject_id),
        "signer": authorization.signer,
        "creator": authorization.creator,
        "nonce": str(authorization.nonce),
        "deadline": authorization.deadline,
        "state": state.value,
        "gas_limit": authorization.gas_limit,
    }
