"""What nodes answer to eth_simulateV1: the logs of a transaction, or why it reverts, as each of them puts it."""

from typing import Any

import msgspec
import pytest

from reminder_worker.chain.events import TRANSFER_TOPIC
from reminder_worker.chain.simulation import Simulated, SimulatedLog, outcome, request
from reminder_worker.chain.values import Call, Reverted

HEIR = "0x" + "b8" * 20
TOKEN = "0x" + "E7" * 20
ETHER = "0x" + "ee" * 20


def answer(**call: Any) -> list[Any]:
    return [{"number": "0x1", "calls": [{"returnData": "0x", "logs": [], "gasUsed": "0x5208", "status": "0x1"} | call]}]


def log(**changes: Any) -> dict[str, Any]:
    whole = {"address": TOKEN, "topics": [TRANSFER_TOPIC, "0x" + "00" * 32, "0x" + HEIR[2:].rjust(64, "0")]}
    return whole | {"data": "0x" + "00" * 31 + "07", "logIndex": "0x0", "removed": False} | changes


def test_logs_are_told_in_order() -> None:
    found = outcome(answer(logs=[log(), log(address=ETHER)]))
    assert isinstance(found, Simulated)
    assert [(each.address, each.pays(HEIR)) for each in found.logs] == [(TOKEN.lower(), True), (ETHER, True)]


def test_the_gas_is_told_where_the_node_tells_it() -> None:
    assert outcome(answer()) == Simulated((), 21_000)
    (block,) = answer()
    del block["calls"][0]["gasUsed"]
    assert outcome([block]) == Simulated((), None)


def test_a_revert_is_told_wherever_its_data_stands() -> None:
    for failed in (
        {"returnData": "0x6097fe15", "error": {"code": -3200, "message": "execution failed"}},
        {"returnData": "0x", "error": {"code": 3, "message": "execution reverted", "data": "0x6097fe15"}},
    ):
        assert outcome(answer(status="0x0", **failed)) == Reverted(bytes.fromhex("6097fe15"))
    assert outcome(answer(status="0x0")) == Reverted(b"")


@pytest.mark.parametrize(
    "garbage", [None, [], [{}], [{"calls": []}], answer(status="yes"), answer(gasUsed=1), answer(logs=[{}]), {}]
)
def test_garbage_is_the_nodes_failure(garbage: Any) -> None:
    with pytest.raises(msgspec.ValidationError):
        outcome(garbage)


@pytest.mark.parametrize(
    "changes",
    [
        {"data": b"\0" * 32},
        {"data": b""},
        {"topics": (TRANSFER_TOPIC, "0x" + "00" * 32, "0x" + "11".rjust(64, "0"))},
        {"topics": (TRANSFER_TOPIC, "0x" + "00" * 32)},
        {"topics": ("0x" + "11" * 32, "0x" + "00" * 32, "0x" + HEIR[2:].rjust(64, "0"))},
    ],
)
def test_what_moves_nothing_to_somebody_pays_them_nothing(changes: Any) -> None:
    whole = {"address": TOKEN, "data": b"\0" * 31 + b"\7"}
    topics = (TRANSFER_TOPIC, "0x" + "00" * 32, "0x" + HEIR[2:].rjust(64, "0"))
    assert SimulatedLog(**(whole | {"topics": topics})).pays(HEIR)
    assert not SimulatedLog(**(whole | {"topics": topics} | changes)).pays(HEIR)


def test_the_gas_is_bounded_and_moves_of_ether_are_asked_for() -> None:
    method, (payload, block) = request(Call(TOKEN, b"\1"), at=16, sender=HEIR, gas=900_000)
    assert (method, block) == ("eth_simulateV1", "0x10")
    assert isinstance(payload, dict)
    assert payload["traceTransfers"] is True
    assert payload["blockStateCalls"][0]["calls"][0]["gas"] == hex(900_000)
