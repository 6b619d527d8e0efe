"""Amounts of each heir, from the logs of a transaction by any sender."""

from dataclasses import replace

import pytest

from reminder_worker.chain.events import TRANSFER_TOPIC
from reminder_worker.chain.types import ETHER, EventLog
from reminder_worker.reminders.audience import (
    MOST_TOKENS,
    LegacyMembership,
    amounts_to_json,
    select_claim_transfers,
    sum_amounts,
    sum_received,
)
from reminder_worker.reminders.signal_transactions import MOST_TRANSFERS, _join_logs

OWNER, ANNA, BEN, CLARA, STRANGER, LEGACY = (f"0x{digit * 40}" for digit in "123456")
USDC, WETH, LIAR = (f"0x{digit * 40}" for digit in "abc")
MEMBERS = LegacyMembership(OWNER, OWNER, (ANNA, BEN), CLARA)


def transfer(token: str, sender: str, recipient: str, units: int, extra_topics: int = 0) -> EventLog:
    topics = (
        TRANSFER_TOPIC,
        *(f"0x{address[2:]:0>64}" for address in (sender, recipient)),
        *["0x" + "0" * 64] * extra_topics,
    )
    return EventLog(token, topics, units.to_bytes(32, "big"), 1, "0x", "0x", 0)


def of(*logs: EventLog, members: LegacyMembership = MEMBERS) -> dict[str, dict[str, int]]:
    return sum_received(logs, LEGACY, members, {USDC, WETH})


def test_transfers_from_the_owner_and_from_the_legacy_are_summed_by_heir_and_token() -> None:
    logs = [
        transfer(USDC, OWNER, ANNA, 5),
        transfer(USDC, LEGACY, ANNA, 7),
        transfer(WETH, OWNER, ANNA, 1),
        transfer(USDC, OWNER, CLARA, 9),
    ]
    assert of(*logs) == {ANNA: {USDC: 12, WETH: 1}, CLARA: {USDC: 9}}


def test_ether_that_the_network_logs_is_ether_and_no_token() -> None:
    """On chains with EIP-7708 a system address logs each move of ether in the shape of a token's transfer."""
    assert of(transfer("0x" + "ff" * 19 + "fe", LEGACY, ANNA, 5)) == {ANNA: {ETHER: 5}}


def test_transfers_from_or_to_other_people_and_of_an_nft_do_not_count() -> None:
    """An owner who is an heir, too, receives nothing from themselves."""
    logs = [
        transfer(USDC, STRANGER, ANNA, 5),
        transfer(USDC, ANNA, BEN, 5),
        transfer(USDC, OWNER, STRANGER, 5),
        transfer(USDC, OWNER, LEGACY, 5),
        transfer(USDC, OWNER, OWNER, 5),
        transfer(USDC, OWNER, ANNA, 0),
        transfer(USDC, OWNER, ANNA, 5, extra_topics=1),
    ]
    assert of(*logs) == {}
    assert of(transfer(USDC, OWNER, OWNER, 5), members=LegacyMembership(OWNER, OWNER, (OWNER, ANNA))) == {}


@pytest.mark.parametrize("told_first", [False, True])
def test_two_legacies_claimed_in_one_transaction_show_their_own_transfers(told_first: bool) -> None:
    """One wallet pays for both legacies; the sender of the transaction may add unrelated transfers."""
    first, second, marker = transfer(USDC, OWNER, ANNA, 5), transfer(USDC, OWNER, ANNA, 7), transfer(USDC, BEN, BEN, 1)
    own = transfer(USDC, LEGACY, ANNA, 1)
    logs = [marker, first, own, marker, second] if told_first else [first, own, marker, second, marker]
    places = [0, 3] if told_first else [2, 4]
    for at, units in ((0, 6), (1, 8)):
        told = {place: LEGACY if at == turn else STRANGER for turn, place in enumerate(places)}
        assert of(*select_claim_transfers(logs, LEGACY, OWNER, told)) == {ANNA: {USDC: units}}
    assert of(*select_claim_transfers(logs, LEGACY, OWNER, dict.fromkeys(places, LEGACY))) == {ANNA: {USDC: 13}}


def test_a_claim_without_transfers_shows_no_transfers_of_another_legacy() -> None:
    marker, moved = transfer(USDC, BEN, BEN, 1), transfer(USDC, OWNER, ANNA, 5)
    told = {0: LEGACY, 2: STRANGER}
    assert of(*select_claim_transfers([marker, moved, marker], LEGACY, OWNER, told)) == {}
    assert of(*select_claim_transfers([marker, marker], LEGACY, OWNER, {0: LEGACY, 1: STRANGER})) == {}


def test_a_flood_of_invented_tokens_does_not_push_out_a_whitelisted_one() -> None:
    flood = [transfer(f"0x{number:040x}", OWNER, ANNA, 1) for number in range(5000)]
    found = of(*flood, transfer(USDC, OWNER, ANNA, 5))[ANNA]
    assert len(found) == MOST_TOKENS
    assert next(iter(found.items())) == (USDC, 5)


def test_of_a_flood_of_transfers_a_thousand_are_kept_beside_every_notice() -> None:
    """The owner may move one unit thousands of times in a transaction, and fifty transactions are judged together."""
    flood = [replace(transfer(USDC, OWNER, ANNA, 1), log_index=at) for at in range(5000)]
    notice = replace(transfer(USDC, BEN, BEN, 1), log_index=9000)
    kept = _join_logs([notice], flood)
    assert len(kept) == MOST_TRANSFERS + 1
    assert kept[-1] == notice


def test_no_whitelisted_token_is_left_out_of_a_claim_of_as_many_as_the_contract_takes() -> None:
    moved = [transfer(f"0x{number:040x}", OWNER, ANNA, 1) for number in range(50)]
    found = sum_received([*moved, transfer(LIAR, OWNER, ANNA, 1)], LEGACY, MEMBERS, {each.address for each in moved})
    assert found[ANNA].keys() == {each.address for each in moved}


def test_amounts_of_several_transactions_add_up_for_one_heir_and_for_the_owner() -> None:
    stored = [amounts_to_json({ANNA: {USDC: 5}, BEN: {USDC: 1}}), amounts_to_json({ANNA: {USDC: 2**255, WETH: 3}})]
    assert sum_amounts(stored, ANNA) == {USDC: 2**255 + 5, WETH: 3}
    assert sum_amounts(stored, None) == {USDC: 2**255 + 6, WETH: 3}
    assert sum_amounts(stored, CLARA) == {}
