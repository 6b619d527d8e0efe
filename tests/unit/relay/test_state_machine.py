"""State machine: actions of slots and fates of authorizations, for all answers of endpoints."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reminder_worker.relay.fees import MOST_REPLACEMENTS
from reminder_worker.relay.state_machine import (
    FRESH_SECONDS,
    PATIENCE_SECONDS,
    STUCK_SECONDS,
    AttemptKind,
    AuthorizationFate,
    FinalFacts,
    ForeignNonce,
    GasPrice,
    KeepWaiting,
    MinedAttempt,
    NonceSlot,
    ReceiptPresence,
    ReceiptStatus,
    RecordBlock,
    ReopenSlot,
    ReplaceAttempt,
    SendAgain,
    SettleSlot,
    SlotFacts,
    StoredAttempt,
    agree_on_receipts,
    decide_action,
    decide_fate,
    is_foreign,
)

CALL = StoredAttempt("0xa1", "call", 100, 2, 500_000, 0.0, FRESH_SECONDS)
EMPTY = replace(CALL, tx_hash="0xe1", kind="empty", max_fee=120)
SLOT = NonceSlot(nonce=7, mined_in=None, attempts=(CALL,), deadline=1000, signer_nonce=3)
MINED = MinedAttempt("0xa1", 50, "0xb50", True, 10**5, 10**15)
ABSENT = ReceiptStatus(ReceiptPresence.ABSENT, None, confirmed=True)
SEEN = ReceiptStatus(ReceiptPresence.MINED, MINED, confirmed=True)
FACTS = SlotFacts(
    head=52,
    time=900,
    finalized=40,
    wallet_count=7,
    wallet_count_final=7,
    signer_nonce=3,
    receipts=ABSENT,
    price=GasPrice(base_fee=50, priority_fee=1, ceiling=400),
)

small = st.integers(0, 6)
receipts = st.builds(
    MinedAttempt, st.sampled_from(["0xa1", "0xa2"]), small, st.sampled_from(["0xb1", "0xb2"]), st.booleans(), small
)
votes = st.lists(st.lists(st.none() | receipts, min_size=1, max_size=3), min_size=1, max_size=4)
attempts = st.lists(
    st.builds(
        StoredAttempt,
        st.just("0xa1"),
        st.sampled_from(["call", "empty"]),
        st.integers(1, 500),
        st.integers(0, 5),
        st.just(21_000),
        st.sampled_from([STUCK_SECONDS, PATIENCE_SECONDS]),
        st.sampled_from([None, FRESH_SECONDS]),  # what was just sent is mostly let be, and would hide all other rules
    ),
    min_size=1,
    max_size=10,
).map(tuple)
places = st.tuples(st.just("0xa1"), small, st.just("0xb1"))
slots = st.builds(NonceSlot, small, st.none() | places, attempts, st.integers(0, 9), st.none() | small)


markets = st.none() | st.builds(GasPrice, st.integers(1, 500), st.integers(0, 5), st.just(300))
at_any_time = (small, small, st.none() | small, small, st.none() | small, st.none() | small)
undecided = st.builds(
    SlotFacts, *at_any_time, st.sampled_from([ABSENT, replace(ABSENT, confirmed=False), SEEN]), markets
)


@st.composite
def facts(draw: st.DrawFn) -> SlotFacts:
    configured = draw(st.integers(1, 4))
    seen = agree_on_receipts(draw(votes.filter(lambda each: len(each) <= configured)), configured)
    rest: list[Any] = [*map(draw, at_any_time), seen, draw(markets)]
    return SlotFacts(*rest)


@given(slots, facts())
def test_slot_ends_only_by_final_facts_confirmed_by_two_endpoints(slot: NonceSlot, chain: SlotFacts) -> None:
    action = decide_action(slot, chain)
    if isinstance(action, SettleSlot):
        assert chain.receipts.confirmed
        assert chain.finalized is not None
        assert action.mined.block_number <= chain.finalized
    if isinstance(action, ForeignNonce):
        assert chain.receipts == ABSENT
        assert chain.wallet_count_final is not None
        assert chain.wallet_count_final > slot.nonce


@settings(max_examples=300)
@given(slots, undecided)
def test_replacement_only_for_unmined_slots_while_gas_is_below_the_ceiling(slot: NonceSlot, chain: SlotFacts) -> None:
    action = decide_action(slot, chain)
    if isinstance(action, ReplaceAttempt):
        assert chain.price is not None
        assert chain.price.base_fee <= chain.price.ceiling
        assert slot.mined_in is None
        assert chain.receipts.mined is None
        assert chain.wallet_count <= slot.nonce
        same = [attempt for attempt in slot.attempts if attempt.kind == action.kind]
        underpriced = chain.price.base_fee > slot.newest.max_fee
        assert len(same) <= MOST_REPLACEMENTS or underpriced or slot.newest.kind == "call" != action.kind
        if slot.newest.kind == "empty":
            assert action.kind == "empty", "a slot given up is never turned back"


@given(votes, st.integers(1, 4))
def test_a_receipt_counts_when_two_endpoints_give_the_same_or_only_one_answers(
    said: list[list[MinedAttempt | None]], configured: int
) -> None:
    seen = agree_on_receipts(said, configured)
    for_it = sum(seen.mined in vote for vote in said) if seen.mined is not None else 0
    if seen.presence is ReceiptPresence.MINED:
        assert for_it >= min(2, len(said))
    if seen.mined is not None and seen.confirmed:
        assert for_it >= min(2, configured)
    if seen.confirmed:
        assert len(said) >= min(2, configured), "nor is it denied by fewer"
    assert (seen.presence is ReceiptPresence.ABSENT) == (not any(receipt for vote in said for receipt in vote))


def test_one_of_two_endpoints_that_lies_about_a_receipt_changes_nothing() -> None:
    lie = agree_on_receipts([[MINED], [None]], configured=2)
    assert lie == ReceiptStatus(ReceiptPresence.DISPUTED, None, confirmed=False, disputed=MINED)
    assert decide_action(SLOT, replace(FACTS, receipts=lie, finalized=60)) == SendAgain()
    recorded = replace(SLOT, mined_in=MINED.place)
    assert decide_action(recorded, replace(FACTS, receipts=lie)) == SendAgain(), "who denies it may have lost it"
    just = replace(recorded, attempts=(replace(CALL, sent=FRESH_SECONDS - 1),))
    assert decide_action(just, replace(FACTS, receipts=lie)) == KeepWaiting()


def test_disputed_receipt_of_a_used_nonce_is_recorded_and_ends_nothing() -> None:
    one_lacks_it = replace(FACTS, receipts=agree_on_receipts([[MINED], [None]], configured=2), finalized=60)
    taken = replace(one_lacks_it, wallet_count=8, wallet_count_final=8)
    assert decide_action(SLOT, taken) == RecordBlock(MINED)
    assert decide_action(replace(SLOT, mined_in=MINED.place), taken) == KeepWaiting()
    two_receipts = agree_on_receipts([[MINED], [replace(MINED, cost=1)]], configured=2)
    assert decide_action(SLOT, replace(taken, receipts=two_receipts)) == KeepWaiting()


def test_one_endpoint_alone_decides_only_when_no_second_is_configured() -> None:
    final = replace(FACTS, finalized=60)
    alone = agree_on_receipts([[MINED]], configured=2)
    assert decide_action(SLOT, replace(final, receipts=alone)) == RecordBlock(MINED)
    assert decide_action(SLOT, replace(final, receipts=agree_on_receipts([[MINED]], configured=1))) == SettleSlot(MINED)


def test_a_receipt_is_recorded_once_and_again_when_its_block_changed() -> None:
    assert decide_action(SLOT, replace(FACTS, receipts=SEEN)) == RecordBlock(MINED)
    recorded = replace(SLOT, mined_in=MINED.place)
    assert decide_action(recorded, replace(FACTS, receipts=SEEN)) == KeepWaiting()
    moved = replace(MINED, block_hash="0xb51", block_number=51)
    assert decide_action(recorded, replace(FACTS, receipts=replace(SEEN, mined=moved))) == RecordBlock(moved)


def test_reorganisation_reopens_a_slot_and_a_lagging_endpoint_does_not() -> None:
    recorded = replace(SLOT, mined_in=MINED.place)
    assert decide_action(recorded, FACTS) == ReopenSlot()
    assert decide_action(recorded, replace(FACTS, head=50)) == ReopenSlot()
    assert decide_action(recorded, replace(FACTS, head=49)) == KeepWaiting()


def test_foreign_nonce_is_believed_only_when_final() -> None:
    taken = replace(FACTS, wallet_count=8)
    assert decide_action(SLOT, taken) == KeepWaiting()
    assert decide_action(SLOT, replace(taken, wallet_count_final=8)) == ForeignNonce()
    doubtful = ReceiptStatus(ReceiptPresence.ABSENT, None, confirmed=False)
    assert decide_action(SLOT, replace(taken, wallet_count_final=8, receipts=doubtful)) == KeepWaiting()


def test_fresh_attempt_is_left_alone_unless_its_authorization_is_dead() -> None:
    just = replace(SLOT, attempts=(replace(CALL, sent=FRESH_SECONDS - 1),))
    assert decide_action(just, FACTS) == KeepWaiting()
    assert decide_action(just, replace(FACTS, time=1001)) == ReplaceAttempt("empty")
    assert decide_action(replace(SLOT, attempts=(replace(CALL, sent=None),)), FACTS) == SendAgain()


def test_fresh_attempt_is_not_replaced_while_its_signers_nonce_is_unknown() -> None:
    old = replace(CALL, age=10 * PATIENCE_SECONDS)
    unasked = replace(FACTS, signer_nonce=None)
    assert decide_action(replace(SLOT, attempts=(replace(old, sent=FRESH_SECONDS - 1),)), unasked) == KeepWaiting()
    assert decide_action(replace(SLOT, attempts=(replace(old, sent=FRESH_SECONDS),)), FACTS) == ReplaceAttempt("call")


def test_a_slot_whose_authorization_died_is_freed_at_once() -> None:
    assert decide_action(SLOT, FACTS) == SendAgain()
    for dead in (replace(FACTS, time=1001), replace(FACTS, signer_nonce=4)):
        assert decide_action(SLOT, dead) == ReplaceAttempt("empty")


def test_authorization_is_alive_at_its_exact_deadline() -> None:
    """The last final block, the second of the deadline, a gas price at the ceiling."""
    seen = replace(FACTS, receipts=SEEN)
    assert decide_action(SLOT, replace(seen, finalized=49)) == RecordBlock(MINED)
    assert decide_action(SLOT, replace(seen, finalized=50)) == SettleSlot(MINED)
    assert decide_action(SLOT, replace(FACTS, time=1000)) == SendAgain()
    stuck = replace(SLOT, attempts=(replace(CALL, age=STUCK_SECONDS),))
    assert decide_action(stuck, replace(FACTS, price=GasPrice(400, 1, 400))) == ReplaceAttempt("call")


def test_slot_under_cancellation_is_not_cancelled_again_and_our_mined_transaction_is_never_foreign() -> None:
    given_up = replace(SLOT, attempts=(CALL, EMPTY))
    assert decide_action(given_up, replace(FACTS, time=1001)) == SendAgain()
    assert is_foreign(7, 8, ABSENT)
    assert not is_foreign(7, 8, SEEN)


def test_underpriced_attempt_is_replaced_after_a_minute_and_a_fair_one_later() -> None:
    def at(age: float, base_fee: int) -> object:
        slot = replace(SLOT, attempts=(replace(CALL, age=age),))
        return decide_action(slot, replace(FACTS, price=GasPrice(base_fee, 1, 400)))

    assert at(STUCK_SECONDS - 1, 101) == SendAgain()
    assert at(STUCK_SECONDS, 101) == ReplaceAttempt("call")
    assert at(STUCK_SECONDS, 100) == SendAgain()
    assert at(PATIENCE_SECONDS, 100) == ReplaceAttempt("call")


def test_no_step_is_used_above_the_ceiling_and_none_is_left_after_four() -> None:
    old = replace(SLOT, attempts=(replace(CALL, age=PATIENCE_SECONDS),))
    spike = replace(FACTS, price=GasPrice(401, 1, 400), signer_nonce=4)
    assert decide_action(old, spike) == SendAgain()
    assert decide_action(old, replace(FACTS, price=None)) == SendAgain()
    used = replace(old, attempts=old.attempts * (MOST_REPLACEMENTS + 1))
    assert decide_action(replace(used, attempts=used.attempts[1:]), FACTS) == ReplaceAttempt("call")
    assert decide_action(used, FACTS) == SendAgain()
    dead = replace(FACTS, signer_nonce=4)
    assert decide_action(used, dead) == ReplaceAttempt("empty"), "one more sets the nonce free"
    freed = replace(used, attempts=(*used.attempts, replace(EMPTY, age=PATIENCE_SECONDS)))
    assert decide_action(freed, dead) == ReplaceAttempt("empty"), "which has four steps of its own"


@pytest.mark.parametrize("kind", ["call", "empty"])
def test_underpriced_fourth_replacement_is_replaced_up_to_the_ceiling(kind: AttemptKind) -> None:
    """Otherwise it would block all later nonces until gas is cheaper."""
    steps = (replace(CALL, kind=kind, age=PATIENCE_SECONDS),) * (MOST_REPLACEMENTS + 1)
    slot = replace(SLOT, attempts=steps)
    assert decide_action(slot, replace(FACTS, price=GasPrice(100, 1, 400))) == SendAgain(), "it offers enough"
    assert decide_action(slot, replace(FACTS, price=GasPrice(101, 1, 400))) == ReplaceAttempt(kind)
    assert decide_action(slot, replace(FACTS, price=GasPrice(401, 1, 400))) == SendAgain()


FINAL = FinalFacts(time=900, signer_nonce=3, same_effect=False, other_effect=False)


def test_the_fate_of_an_authorization_and_without_a_router_nonce_it_only_lives_or_expires() -> None:
    for change, direct, expected in (
        ({}, False, AuthorizationFate.ALIVE),
        ({"time": 1000}, False, AuthorizationFate.ALIVE),
        ({"time": 1001}, False, AuthorizationFate.EXPIRED),
        ({"signer_nonce": 4}, False, AuthorizationFate.CANCELLED),
        ({"signer_nonce": 4, "other_effect": True}, False, AuthorizationFate.SUPERSEDED),
        ({"signer_nonce": 4, "same_effect": True, "other_effect": True}, False, AuthorizationFate.SATISFIED),
        ({"same_effect": True}, False, AuthorizationFate.ALIVE),
        ({"same_effect": True}, True, AuthorizationFate.SATISFIED),
        ({"time": 1001, "signer_nonce": 4}, False, AuthorizationFate.CANCELLED),
        ({"signer_nonce": None, "time": 1001}, False, AuthorizationFate.EXPIRED),
    ):
        assert decide_fate(3, 1000, direct, replace(FINAL, **change)) == expected

    assert decide_fate(None, 1000, False, replace(FINAL, signer_nonce=9)) == AuthorizationFate.ALIVE
    auto = replace(SLOT, signer_nonce=None)  # the attestor's observation is no sponsorNonce
    assert decide_action(auto, replace(FACTS, signer_nonce=9)) == SendAgain()
