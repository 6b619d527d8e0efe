"""The budget of a wallet, to the last wei and the last second of the day, and wait reasons."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from reminder_worker.errors import LimitReached, RelayStopped
from reminder_worker.relay.budget import FINAL_SECONDS, WalletBudget, list_limits
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


LIMITS = list_limits(ASKED, WalletCaps(CAP, 10, 1))


def budget(**what: Any) -> WalletBudget:
    """Return an unused budget, except for `what`."""
    unused = {"open": 0, "owed": 0, "used": 0, "spent": 0, "has_queue": False, "counts": {}}
    day = {"day": date(2026, 11, 20), "seconds_left": 86_400, "balance": 10 * CAP}
    return WalletBudget(**{"caps": WalletCaps(CAP, 10, 1), **unused, **day, **what})


def test_request_that_uses_balance_and_cap_to_the_last_wei_is_admitted() -> None:
    tight = budget(owed=400, used=400, balance=1000)
    tight.check_caps(LIMITS, 600)
    assert (tight.find_wait(600), tight.place_request(600)) == (None, RequestState.SIGNED)
    with pytest.raises(LimitReached):
        tight.check_caps(LIMITS, 601)


def test_balance_pays_for_what_is_owed_before_a_new_request() -> None:
    owing = budget(owed=400, balance=999)
    assert (owing.find_wait(600), owing.settled().find_wait(600)) == (WaitsFor.EARLIER, None)
    with pytest.raises(RelayStopped):
        owing.place_request(600)


def test_slots_taken_one_after_the_other_count_against_cap_balance_and_places() -> None:
    one = budget(caps=WalletCaps(CAP, 10, 1, max_open=3), balance=700, owed=100).take_slot(300)
    assert (one.find_wait(301), one.find_wait(300)) == (WaitsFor.EARLIER, None)
    assert one.take_slot(200).take_slot(100).find_wait(0) is WaitsFor.EARLIER
    assert replace(one, balance=CAP).find_wait(CAP - 299) is WaitsFor.DAILY_CAP


def test_request_without_a_free_slot_waits_whatever_the_balance() -> None:
    for taken in (budget(balance=0, open=16), budget(balance=0, has_queue=True)):
        assert taken.place_request(200) is RequestState.QUEUED


@pytest.mark.parametrize(("seconds_left", "wait"), [(86_400, FINAL_SECONDS), (60, 60)])
def test_request_that_fits_after_settlement_may_retry_then_or_at_midnight(seconds_left: int, wait: int) -> None:
    with pytest.raises(LimitReached) as refused:
        budget(used=900, spent=800, seconds_left=seconds_left).check_caps(LIMITS, 200)
    assert (refused.value.code, refused.value.retry_after) == ("daily_cap_reserved", wait)


@pytest.mark.parametrize(("spent", "code"), [(799, "daily_cap_reserved"), (801, "daily_cap_reached")])
def test_cap_is_reached_only_by_wei_that_are_spent_for_good(spent: int, code: str) -> None:
    full = budget(used=900, spent=spent)
    assert full.name_full_cap(200) == code
    assert (full.settled().find_wait(200) is WaitsFor.DAILY_CAP) == (code == "daily_cap_reached")


def test_request_without_a_turn_waits_even_if_the_cap_was_lowered_below_its_use() -> None:
    """The request reserves nothing today, and may start on another day."""
    full = budget(used=CAP + 1, spent=CAP + 1)
    full.check_caps(LIMITS, 0)
    with pytest.raises(LimitReached, match="global"):
        replace(full, counts={"global": 10}).check_caps(LIMITS, 0)


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
    return WaitingRequest(**{**well, **what})


def test_wait_reason_of_a_request_is_the_wei_or_slot_that_it_lacks_or_its_stored_code() -> None:
    """Only a successor waits for its predecessor: any other request has the router's next nonce."""
    dear = GasPrice(base_fee=MARKET.ceiling, priority_fee=1, ceiling=MARKET.ceiling)
    rich, sent = budget(caps=CAPS, balance=10 * WEI), waiting(state=RequestState.BROADCAST)
    just_pays = replace(sent, attempted=LatestAttempt(MARKET.base_fee, GAS, is_behind=False))
    for request, market, purse, waits in (
        (waiting(), MARKET, budget(caps=CAPS, used=9 * WEI, open=1, balance=WEI), None),
        (waiting(), MARKET, budget(caps=CAPS, owed=5, used=9 * WEI, open=1, balance=5 + WEI), None),
        (waiting(), MARKET, budget(caps=CAPS, used=9 * WEI + 1, balance=WEI), WaitsFor.DAILY_CAP),
        (waiting(), MARKET, budget(caps=CAPS, owed=5, balance=WEI - 1), WaitsFor.BALANCE),
        (waiting(), MARKET, budget(caps=CAPS, owed=5, balance=WEI + 4), WaitsFor.EARLIER),
        (waiting(), MARKET, budget(caps=CAPS, open=2, balance=WEI), WaitsFor.EARLIER),
        (just_pays, MARKET, budget(balance=GAS * MARKET.base_fee), None),
        (sent, None, budget(stopped="foreign_nonce"), None),  # replaced by a cancellation
        (waiting(state=RequestState.DEFERRED_FEE, is_behind=True), dear, rich, WaitsFor.FEES),
        (waiting(state=RequestState.WAITING_PREDECESSOR), MARKET, rich, None),
        (waiting(reason="daily_cap_reached"), MARKET, rich, WaitsFor.DAILY_CAP),
        (waiting(reason="low_balance"), MARKET, rich, WaitsFor.BALANCE),
        (waiting(reason="signer_paused"), MARKET, rich, WaitsFor.PAUSED),
        (waiting(reason="not_readable"), MARKET, rich, WaitsFor.PAUSED),
        (waiting(reason="not_simulated"), MARKET, rich, WaitsFor.CHAIN),
        (waiting(reason="expires_soon"), MARKET, rich, WaitsFor.WOULD_FAIL),
        (waiting(reason="would_revert"), MARKET, rich, WaitsFor.WOULD_FAIL),
        (waiting(reason="nothing_to_claim"), MARKET, rich, WaitsFor.WOULD_FAIL),
    ):
        assert find_wait_reason(request, market, purse) is waits, (request, purse)
