"""Answers to eth_simulateV1: a transaction's logs or its revert, in the form of each node."""

from typing import Any

import msgspec
import pytest

from reminder_worker.chain.abi_codec import encode_word
from reminder_worker.chain.events import TRANSFER_TOPIC, TokenTransfer, decode_transfer
from reminder_worker.chain.simulation import SimulatedTransaction, build_simulation
from reminder_worker.chain.simulation import decode_outcome as decode_sent_outcome
from reminder_worker.chain.types import ETHER, ContractCall, RevertedCall, SimulatedLog
from tests.unit.chain.results import as_sent

HEIR = "0x" + "b8" * 20
NOBODY = "0x" + "00" * 20
COIN = "0x" + "c0" * 20
TOKEN = "0x" + "E7" * 20


def decode_outcome(value: Any) -> SimulatedTransaction | RevertedCall:
    return decode_sent_outcome(as_sent(value))


def topic(address: str) -> str:
    return "0x" + address[2:].rjust(64, "0")


WORD_OF_NOBODY = topic(NOBODY)


def answer(**call: Any) -> list[Any]:
    return [{"number": "0x1", "calls": [{"returnData": "0x", "logs": [], "gasUsed": "0x5208", "status": "0x1"} | call]}]


def log(**changes: Any) -> dict[str, Any]:
    whole = {"address": TOKEN, "topics": [TRANSFER_TOPIC, "0x" + "00" * 32, "0x" + HEIR[2:].rjust(64, "0")]}
    return whole | {"data": "0x" + "00" * 31 + "07", "logIndex": "0x0", "removed": False} | changes


def test_simulated_logs_come_in_order() -> None:
    found = decode_outcome(answer(logs=[log(), log(address=ETHER)]))
    assert isinstance(found, SimulatedTransaction)
    moves = [decode_transfer(each) for each in found.logs]
    assert moves == [TokenTransfer(TOKEN.lower(), NOBODY, HEIR, 7), TokenTransfer(ETHER, NOBODY, HEIR, 7)]


def test_the_gas_used_is_returned_if_the_node_gives_it() -> None:
    assert decode_outcome(answer()) == SimulatedTransaction((), 21_000)
    (block,) = answer()
    del block["calls"][0]["gasUsed"]
    assert decode_outcome([block]) == SimulatedTransaction((), None)


def test_a_revert_is_found_wherever_its_data_stands() -> None:
    for failed in (
        {"returnData": "0x6097fe15", "error": {"code": -3200, "message": "execution failed"}},
        {"returnData": "0x", "error": {"code": 3, "message": "execution reverted", "data": "0x6097fe15"}},
    ):
        assert decode_outcome(answer(status="0x0", **failed)) == RevertedCall(bytes.fromhex("6097fe15"))
    assert decode_outcome(answer(status="0x0")) == RevertedCall(b"")


@pytest.mark.parametrize(
    "garbage", [None, [], [{}], [{"calls": []}], answer(status="yes"), answer(gasUsed=1), answer(logs=[{}]), {}]
)
def test_garbage_is_the_nodes_failure(garbage: Any) -> None:
    with pytest.raises(msgspec.ValidationError):
        decode_outcome(garbage)


def test_other_logs_than_transfers_move_nothing() -> None:
    for changes in (
        {"data": b""},
        {"topics": (TRANSFER_TOPIC, WORD_OF_NOBODY)},
        {"topics": ("0x" + "11" * 32, WORD_OF_NOBODY, WORD_OF_NOBODY)},
    ):
        whole: dict[str, Any] = {
            "address": COIN,
            "data": encode_word(7),
            "topics": (TRANSFER_TOPIC, WORD_OF_NOBODY, WORD_OF_NOBODY),
        }
        assert decode_transfer(SimulatedLog(**whole)) == TokenTransfer(COIN, NOBODY, NOBODY, 7)
        assert decode_transfer(SimulatedLog(**(whole | changes))) is None


def test_an_asset_is_received_only_if_its_balance_grew() -> None:
    """Only the requested tokens and ether count: other contracts may log anything."""
    for moves, received in (
        ([(COIN, NOBODY, HEIR, 7)], {COIN}),
        ([(COIN, NOBODY, HEIR, 7), (ETHER, NOBODY, HEIR, 1)], {COIN, ETHER}),
        ([(COIN, NOBODY, HEIR, 7), (COIN, HEIR, NOBODY, 6)], {COIN}),
        ([(COIN, NOBODY, HEIR, 7), (COIN, HEIR, NOBODY, 7)], set()),
        ([(COIN, NOBODY, HEIR, 7), (ETHER, HEIR, NOBODY, 7)], {COIN}),
        ([(COIN, HEIR, HEIR, 7)], set()),
        ([(COIN, NOBODY, HEIR, 0)], set()),
        ([(COIN, NOBODY, NOBODY, 7)], set()),
        ([(HEIR, NOBODY, HEIR, 7)], set()),
        ([("0x" + "ff" * 19 + "fe", NOBODY, HEIR, 7)], {ETHER}),
    ):
        logs = [SimulatedLog(token, (TRANSFER_TOPIC, *map(topic, (a, b))), encode_word(n)) for token, a, b, n in moves]
        assert SimulatedTransaction(tuple(logs), None).find_received(HEIR, [COIN]) == received


def test_the_gas_is_bounded_and_moves_of_ether_are_asked_for() -> None:
    method, (payload, block) = build_simulation(ContractCall(TOKEN, b"\1"), at=16, sender=HEIR, gas=900_000)
    assert (method, block) == ("eth_simulateV1", "0x10")
    assert isinstance(payload, dict)
    assert payload["traceTransfers"] is True
    assert payload["blockStateCalls"][0]["calls"][0]["gas"] == hex(900_000)
