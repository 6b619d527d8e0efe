"""Remaining caps of a wallet, to the last wei and the last second of the day, and wait reasons."""

from collections import Counter
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from reminder_worker.errors import LimitReached, RelayStopped
from reminder_worker.relay.caps import FINAL_SECONDS, CapsLeft
from reminder_worker.relay.fees import compute_reservation, first_fees
from reminder_worker.relay.models import RelayAuthorization, RelayLane, RequestState, WaitsFor, WalletCaps
from reminder_worker.relay.state_machine import GasPrice
from reminder_worker.relay.waiting import LatestAttempt, WaitingRequest, find_wait_reason

CAP = 1000
SOMEBODY = "0x" + "11" * 20
ASKED = RelayAuthorization(
    chain_id=1,
    lane=RelayLane.CLAIM,
    digest=bytes(32),
    router=SOMEBODY,
    subject_id=1,
    signer=SOMEBODY,
    creator=SOMEBODY,
    nonce=0,
    deadline=2**40,
    call_data=b"",
    gas_limit=100_000,
)


def room(**what: Any) -> CapsLeft:
    """Return unused caps, except for `what`."""
    nothing = {"open": 0, "owed": 0, "used_wei": 0, "spent_wei": 0, "queue": False, "counts": Counter()}
    day = {"day": date(2026, 11, 20), "seconds_left": 86_400}
    return CapsLeft(caps=WalletCaps(CAP, 10, 1), known={}, nonces=set(), **{**nothing, **day, **what})


def test_request_that_uses_balance_and_cap_to_the_last_wei_is_admitted() -> None:
    assert room(owed=400, used_wei=400).count_request(ASKED, None, 600, balance=1000) is RequestState.SIGNED


def test_balance_pays_for_what_is_owed_before_a_new_request() -> None:
    """Wei of open slots and of requests taken just now are owed."""
    with pytest.raises(RelayStopped):
        room(owed=400).count_request(ASKED, None, 600, balance=999)
    two = room(owed=100)
    assert two.count_request(ASKED, None, 300, balance=700) is RequestState.SIGNED
    with pytest.raises(RelayStopped):
        two.count_request(replace(ASKED, nonce=1), None, 301, balance=700)
    assert two.count_request(replace(ASKED, nonce=1), None, 300, balance=700) is RequestState.SIGNED


@pytest.mark.parametrize(("seconds_left", "wait"), [(86_400, FINAL_SECONDS), (60, 60)])
def test_request_that_fits_after_settlement_may_retry_then_or_at_midnight(seconds_left: int, wait: int) -> None:
    with pytest.raises(LimitReached) as refused:
        room(used_wei=900, spent_wei=800, seconds_left=seconds_left).count_request(ASKED, None, 200, balance=CAP)
    assert (refused.value.code, refused.value.retry_after) == ("daily_cap_reserved", wait)


def test_request_without_a_turn_waits_even_if_the_cap_was_lowered_below_its_use() -> None:
    """The request reserves nothing today, and may start on another day."""
    full = room(used_wei=CAP + 1, spent_wei=CAP + 1)
    assert full.count_request(ASKED, RequestState.DEFERRED_FEE, 200, balance=0) is RequestState.DEFERRED_FEE
    assert (full.wei, full.taken["global", ""]) == (0, 1)


# -- what an open request waits for ----------------------------------------------------------------

GAS = 100_000
MARKET = GasPrice(base_fee=10**9, priority_fee=10**8, ceiling=10**11)
OFFER = first_fees(MARKET.base_fee, MARKET.priority_fee, MARKET.ceiling)
assert OFFER is not None
WEI = compute_reservation(GAS, OFFER, MARKET.ceiling)
CAPS = WalletCaps(daily_wei=10 * WEI, daily_count=10, gas_price_ceiling_wei=MARKET.ceiling, max_open=2)


def waiting(**what: Any) -> WaitingRequest:
    """Return a waiting request without a wait reason, except for `what`."""
    well = {"state": RequestState.QUEUED, "reason": None, "gas_limit": GAS, "is_behind": False, "attempted": None}
    return WaitingRequest(**{**well, "is_stopped": False, "open": 0, "owed": 0, "used": 0, **what})


@pytest.mark.parametrize("owed", [0, 5])
def test_request_that_cap_and_balance_just_pay_for_waits_for_nothing(owed: int) -> None:
    assert find_wait_reason(waiting(owed=owed, used=9 * WEI, open=1), MARKET, owed + WEI, CAPS) is None


@pytest.mark.parametrize(
    ("at", "balance", "waits"),
    [
        (waiting(used=9 * WEI + 1), WEI, WaitsFor.DAILY_CAP),
        (waiting(owed=5), WEI - 1, WaitsFor.BALANCE),
        (waiting(owed=5), WEI + 4, WaitsFor.EARLIER),
        (waiting(open=2), WEI, WaitsFor.EARLIER),
    ],
)
def test_request_that_lacks_a_wei_or_a_slot_names_it_as_wait_reason(
    at: WaitingRequest, balance: int, waits: WaitsFor
) -> None:
    assert find_wait_reason(at, MARKET, balance, CAPS) is waits


def test_sent_request_waits_for_nothing_while_fee_and_balance_just_suffice() -> None:
    sent = waiting(state=RequestState.BROADCAST, attempted=LatestAttempt(MARKET.base_fee, GAS, is_behind=False))
    assert find_wait_reason(sent, MARKET, GAS * MARKET.base_fee, CAPS) is None


def test_request_replaced_by_a_cancellation_waits_for_nothing() -> None:
    assert find_wait_reason(waiting(state=RequestState.BROADCAST, is_stopped=True), None, 0, CAPS) is None


def test_only_a_successor_waits_for_its_predecessor_until_that_is_mined() -> None:
    """Any other request has the router's next nonce."""
    dear = GasPrice(base_fee=MARKET.ceiling, priority_fee=1, ceiling=MARKET.ceiling)
    assert find_wait_reason(waiting(state=RequestState.DEFERRED_FEE, is_behind=True), dear, WEI, CAPS) is WaitsFor.FEES
    assert find_wait_reason(waiting(state=RequestState.WAITING_PREDECESSOR), MARKET, WEI, CAPS) is None


@pytest.mark.parametrize(
    ("reason", "waits"),
    [
        ("daily_cap_reached", WaitsFor.DAILY_CAP),
        ("low_balance", WaitsFor.BALANCE),
        ("signer_paused", WaitsFor.PAUSED),
        ("not_readable", WaitsFor.PAUSED),
        ("not_simulated", WaitsFor.CHAIN),
        ("expires_soon", WaitsFor.WOULD_FAIL),
        ("would_revert", WaitsFor.WOULD_FAIL),
        ("nothing_to_claim", WaitsFor.WOULD_FAIL),
    ],
)
def test_stored_code_of_a_passed_over_request_is_its_wait_reason(reason: str, waits: WaitsFor) -> None:
    assert find_wait_reason(waiting(reason=reason), MARKET, 10 * WEI, CAPS) is waits
