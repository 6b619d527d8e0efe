"""Wait reason: why an open request is not in a block yet, by tables, gas price and our balance. Plain rules."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from reminder_worker.relay.fees import first_fees, reservation
from reminder_worker.relay.models import WAITING_STATES, RequestState, WaitsFor, WalletCaps
from reminder_worker.relay.state_machine import GasPrice

# By the code that `starting` stored when it passed the request over.
_BY_CODE: Final[Mapping[str, WaitsFor]] = {
    "daily_cap_reached": WaitsFor.DAILY_CAP,
    "low_balance": WaitsFor.BALANCE,
    "signer_paused": WaitsFor.PAUSED,
    "not_readable": WaitsFor.PAUSED,
    "not_simulated": WaitsFor.CHAIN,
    "expires_soon": WaitsFor.WOULD_FAIL,
    "would_revert": WaitsFor.WOULD_FAIL,
    "nothing_to_claim": WaitsFor.WOULD_FAIL,
}


@dataclass(frozen=True, slots=True)
class LatestAttempt:
    """Latest attempt of a request with a nonce; fee in wei per gas. `is_behind`: an earlier nonce is not mined."""

    max_fee: int
    gas_limit: int
    is_behind: bool


@dataclass(frozen=True, slots=True)
class WaitingRequest:
    """An open request and its wallet: `open` slots, the wei they reserve (`owed`), the part `used` of today's cap.

    `is_behind`: an earlier nonce of the same signer is not mined. `is_stopped`: the wallet takes no requests.
    """

    state: RequestState
    reason: str | None
    gas_limit: int
    is_behind: bool
    attempted: LatestAttempt | None
    is_stopped: bool
    open: int
    owed: int
    used: int


def find_wait_reason(
    request: WaitingRequest, price: GasPrice | None, balance: int, caps: WalletCaps
) -> WaitsFor | None:
    """Return the reason, None if none is known. `price` None: no endpoint answers, and `balance` (wei) is ignored."""
    if request.attempted is not None:
        return _find_sent_reason(request.attempted, price, balance)
    if request.state not in WAITING_STATES:
        return None
    if request.is_stopped:
        return WaitsFor.PAUSED
    if request.state is RequestState.WAITING_PREDECESSOR and request.is_behind:
        return WaitsFor.EARLIER
    if price is None:
        return WaitsFor.CHAIN
    fees = first_fees(price.base_fee, price.priority_fee, price.ceiling)
    if fees is None:
        return WaitsFor.FEES
    if request.reason is not None and request.reason in _BY_CODE:
        return _BY_CODE[request.reason]
    wei = reservation(request.gas_limit, fees, price.ceiling)
    if request.used + wei > caps.daily_wei:
        return WaitsFor.DAILY_CAP
    if balance < wei:
        return WaitsFor.BALANCE
    if request.open >= caps.max_open or balance < request.owed + wei:
        return WaitsFor.EARLIER
    return None


def _find_sent_reason(attempt: LatestAttempt, price: GasPrice | None, balance: int) -> WaitsFor | None:
    if price is None:
        return WaitsFor.CHAIN
    if attempt.max_fee < price.base_fee:
        return WaitsFor.FEES
    if balance < attempt.gas_limit * attempt.max_fee:
        return WaitsFor.BALANCE
    return WaitsFor.EARLIER if attempt.is_behind else None
