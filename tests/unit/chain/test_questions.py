"""Questions of web3, with well-formed, refused and malformed answers."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from eth_utils.address import to_checksum_address

from reminder_worker.chain.questions import Question, ask_web3, connect_web3
from reminder_worker.chain.rpc import Answer, Request, RpcError
from reminder_worker.chain.rpc_errors import RequestRefused
from tests.unit.chain.results import as_sent

WALLET = "0x" + "ab" * 20
SHOWN = to_checksum_address(WALLET)
WORD = "0x" + "11" * 32
BLOCK = {"number": "0x10", "hash": WORD, "parentHash": WORD, "timestamp": "0x6923", "extraData": "0x" + "00" * 99}
SECRET = "words of a node"

QUESTIONS: dict[str, tuple[Question, list[Any], Any, Any]] = {
    "eth_getTransactionCount": (
        lambda eth: eth.get_transaction_count(SHOWN, "pending"),
        [SHOWN, "pending"],
        "0x1f",
        31,
    ),
    "eth_getBalance": (lambda eth: eth.get_balance(SHOWN), [SHOWN, "latest"], hex(2**200), 2**200),
    "eth_getCode": (lambda eth: eth.get_code(SHOWN), [SHOWN, "latest"], "0x6001", b"\x60\x01"),
    "eth_feeHistory": (
        lambda eth: eth.fee_history(5, "latest", [50]),
        ["0x5", "latest", [50]],
        {"oldestBlock": "0x1", "baseFeePerGas": ["0x10", "0x30"], "reward": [["0x5"], ["0x9"]]},
        {"baseFeePerGas": [16, 48], "reward": [[5], [9]]},
    ),
    "eth_getBlockByNumber": (
        lambda eth: eth.get_block("latest"),
        ["latest", False],
        BLOCK,
        {"number": 16, "hash": bytes.fromhex("11" * 32), "parentHash": bytes.fromhex("11" * 32), "timestamp": 0x6923},
    ),
}
"""By method: the question, its parameters as sent, an answer of a node, and the answer as read."""
MALFORMED: list[Any] = [None, True, 7, "", "0x", "0xzz", "-0x1", "0x1_0", SECRET, [], {}, [SECRET], {"hash": SECRET}]


class TellingNode:
    """Stand-in for an endpoint. Answers are told by method, and each batch is kept."""

    def __init__(self, told: dict[str, Any]) -> None:
        self._told = told
        self.batches: list[list[Request]] = []

    async def ask(self, requests: Sequence[Request]) -> list[Answer]:
        self.batches.append([(method, list(params)) for method, params in requests])
        answers = [self._told[method] for method, _ in requests]
        return [each if isinstance(each, RpcError) else as_sent(each) for each in answers]


async def test_every_question_of_a_batch_is_sent_once_and_read() -> None:
    node = TellingNode({method: sent for method, (_, _, sent, _) in QUESTIONS.items()})
    answers = await ask_web3(connect_web3(node.ask), [question for question, *_ in QUESTIONS.values()])
    assert list(answers) == [read for *_, read in QUESTIONS.values()]
    assert node.batches == [[(method, params) for method, (_, params, _, _) in QUESTIONS.items()]], "nothing else"


@pytest.mark.parametrize("method", QUESTIONS)
async def test_a_malformed_answer_is_garbage_and_is_not_shown(method: str) -> None:
    """A count above what a column holds, too."""
    numbers = [hex(2**257), *([hex(2**63)] if method == "eth_getTransactionCount" else [])]
    for answer in [*MALFORMED, *numbers]:
        if method == "eth_getCode" and answer == "0x":  # an account without code
            continue
        node = TellingNode({method: answer})
        with pytest.raises(msgspec.ValidationError) as garbage:
            await ask_web3(connect_web3(node.ask), [QUESTIONS[method][0]])
        assert SECRET not in str(garbage.value)
        assert garbage.value.__cause__ is None


async def test_malformed_fees_are_garbage() -> None:
    question = QUESTIONS["eth_feeHistory"][0]
    tips = {"baseFeePerGas": ["0x1"], "reward": [[SECRET]]}
    garbage: list[Any] = [{"baseFeePerGas": []}, {"baseFeePerGas": SECRET}, tips]
    for fees in garbage:
        with pytest.raises(msgspec.ValidationError):
            await ask_web3(connect_web3(TellingNode({"eth_feeHistory": fees}).ask), [question])


async def test_a_nodes_own_error_is_a_refusal_without_its_words() -> None:
    node = TellingNode({method: RpcError(-32000, SECRET) for method in QUESTIONS})
    for question, *_ in QUESTIONS.values():
        with pytest.raises(RequestRefused) as refused:
            await ask_web3(connect_web3(node.ask), [question])
        assert refused.value.code == -32000
        assert SECRET not in str(refused.value)
