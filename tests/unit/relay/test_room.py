"""What is left of a wallet's caps, to the last wei and the last second of the day."""

from collections import Counter
from datetime import date
from typing import Any

import pytest

from reminder_worker.errors import LimitReached
from reminder_worker.relay.room import FINAL_SECONDS, Room
from reminder_worker.relay.values import Authorization, Caps, Lane, State

CAP = 1000
SOMEBODY = "0x" + "11" * 20
ASKED = Authorization(
    chain_id=1,
    lane=Lane.CLAIM,
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


def room(**what: Any) -> Room:
    """Empty but for `what`."""
    nothing = {"open": 0, "owed": 0, "used_wei": 0, "spent_wei": 0, "queue": False, "counts": Counter()}
    day = {"day": date(2026, 11, 20), "seconds_left": 86_400}
    return Room(caps=Caps(CAP, 10, 1), known={}, nonces=set(), **{**nothing, **day, **what})


def test_what_balance_and_cap_pay_for_to_the_last_wei_is_taken() -> None:
    assert room(owed=400, used_wei=400).take(ASKED, None, 600, balance=1000) is State.SIGNED


@pytest.mark.parametrize(("seconds_left", "wait"), [(86_400, FINAL_SECONDS), (60, 60)])
def test_who_would_fit_once_all_is_settled_comes_back_then_and_at_midnight_at_the_latest(
    seconds_left: int, wait: int
) -> None:
    with pytest.raises(LimitReached) as refused:
        room(used_wei=900, spent_wei=800, seconds_left=seconds_left).take(ASKED, None, 200, balance=CAP)
    assert (refused.value.code, refused.value.retry_after) == ("daily_cap_reserved", wait)


def test_who_has_no_turn_yet_waits_also_where_the_cap_was_lowered_below_what_is_used() -> None:
    """It reserves nothing today, and its turn may come on another day."""
    full = room(used_wei=CAP + 1, spent_wei=CAP + 1)
    assert full.take(ASKED, State.DEFERRED_FEE, 200, balance=0) is State.DEFERRED_FEE
    assert (full.wei, full.taken["global", ""]) == (0, 1)
