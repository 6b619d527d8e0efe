"""Why an open request is not in a block yet, as far as the tables, the gas market and our balance tell. Plain rules."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from reminder_worker.relay.fees import first_fees, reservation
from reminder_worker.relay.models import WAITING_STATES, RequestState, WaitsFor, WalletCaps
from reminder_worker.relay.state_machine import GasPrice

# What somebody who tried to start it wrote down; it is tried again with the next look.
_OF_REASON: Final[Mapping[str, WaitsFor]] = {
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
    """The newest bytes of a request that has a nonce, wei for one gas. `is_behind`: a nonce before it is not mined."""

    max_fee: int
    gas_limit: int
    is_behind: bool


@dataclass(frozen=True, slots=True)
class WaitingRequest:
    """An open request and its wallet: slots that are `open`, what they reserve (`owed`), what today's cap has `used`.

    `is_behind`: an earlier nonce of the same signer is not mined. `is_stopped`: the wallet takes nothing more.
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


def waits_for(at: WaitingRequest, market: GasPrice | None, balance: int, caps: WalletCaps) -> WaitsFor | None:
    """`market` None: no endpoint answers; `balance` (wei) is then not looked at. None: nothing that is known."""
    if at.attempted is not None:
        return _under_way(at.attempted, market, balance)
    if at.state not in WAITING_STATES:
        return None
    if at.is_stopped:
        return WaitsFor.PAUSED
    if at.state is RequestState.WAITING_PREDECESSOR and at.is_behind:
        return WaitsFor.EARLIER
    if market is None:
        return WaitsFor.CHAIN
    fees = first_fees(market.base_fee, market.priority_fee, market.ceiling)
    if fees is None:
        return WaitsFor.FEES
    if at.reason is not None and at.reason in _OF_REASON:
        return _OF_REASON[at.reason]
    wei = reservation(at.gas_limit, fees, market.ceiling)
    if at.used + wei > caps.daily_wei:
        return WaitsFor.DAILY_CAP
    if balance < wei:
        return WaitsFor.BALANCE
    if at.open >= caps.max_open or balance < at.owed + wei:
        return WaitsFor.EARLIER
    return None


def _under_way(attempted: LatestAttempt, market: GasPrice | None, balance: int) -> WaitsFor | None:
    if market is None:
        return WaitsFor.CHAIN
    if attempted.max_fee < market.base_fee:
        return WaitsFor.FEES
    if balance < attempted.gas_limit * attempted.max_fee:
        return WaitsFor.BALANCE
    return WaitsFor.EARLIER if attempted.is_behind else None
