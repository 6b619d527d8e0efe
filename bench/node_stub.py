"""A node that takes every transaction, and knows as many legacies as it is asked about: none has a window open.

`python -m bench.node_stub` prints its port.
"""

from functools import lru_cache
from typing import Any

from bench.stub import answer_rpc, serve
from bench.surroundings import CHAIN_ID
from reminder_worker.chain.abi import find_selector
from reminder_worker.chain.abi_codec import WORD, encode_word
from reminder_worker.chain.contracts.window_reader import CODE

NOW = 1_790_000_000  # the time of its only block, unix seconds
_BLOCK = {"number": hex(10**7), "hash": "0x" + "11" * 32, "parentHash": "0x" + "22" * 32, "timestamp": hex(NOW)}
_ANSWERS: dict[str, Any] = {
    "eth_chainId": hex(CHAIN_ID),
    "eth_getTransactionCount": "0x0",
    "eth_getBalance": hex(10**30),
    "eth_feeHistory": {"baseFeePerGas": [hex(10**9)] * 6, "reward": [[hex(10**9)]] * 5},
    "eth_sendRawTransaction": "0x" + "ab" * 32,
    "eth_getBlockByNumber": _BLOCK,
    "eth_getBlockByHash": _BLOCK,
}
_DUE = find_selector("PremiumReminderView", "dueRemindersBatch").hex()
_READER = CODE.hex()
_MANY = find_selector("Multicall3", "aggregate3").hex()
TOKENS = 2  # on the white list; nobody holds any
_LISTED = encode_word(WORD) + encode_word(TOKENS) + b"".join(encode_word(10**6 + number) for number in range(TOKENS))
# What each legacy and each user says: the first window is years away, and nobody chose a time of their own.
SAYS = {
    find_selector("Legacy", "getTriggerActivationTimestamp").hex(): encode_word(NOW + 10**8) * 3,
    find_selector("TokenWhiteList", "getWhitelist").hex(): _LISTED,
}


def _answer(body: bytes) -> bytes:
    return answer_rpc(body, _result)


def _result(request: Any) -> dict[str, Any]:
    method = request["method"]
    result = "0x" + answer_call(request["params"][0]["data"][2:]).hex() if method == "eth_call" else _ANSWERS[method]
    return {"jsonrpc": "2.0", "id": request["id"], "result": result}


@lru_cache(256)
def _same(count: int, each: bytes) -> bytes:
    """An array of `count` times the same: every offset is that of one."""
    return encode_word(WORD) + encode_word(count) + encode_word(count * WORD) * count + each


def answer_call(data: str) -> bytes:
    """By the four bytes; of many calls all are what the first is."""
    if data.startswith(_READER):
        size = int(data[len(_READER) + 6 * WORD : len(_READER) + 8 * WORD], 16)
        return (b"".join(number.to_bytes(8, "big") for number in (1, *[NOW + 10**8] * 3))) * (size // 40)
    if data[:8] == _DUE:
        return _same(int(data[72:136], 16), encode_word(0))
    if data[:8] == _MANY:
        count = int(data[72:136], 16)
        first = 8 + 2 * (2 + count + 4) * WORD
        said = SAYS.get(data[first : first + 8], encode_word(0))
        return _same(count, encode_word(1) + encode_word(2 * WORD) + encode_word(len(said)) + said)
    return SAYS.get(data[:8], encode_word(0))


if __name__ == "__main__":
    serve(_answer)
