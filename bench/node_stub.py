"""A node that takes every transaction, and knows as many legacies as it is asked about: none has a window open.

Each owner holds one whole unit of two or three tokens out of nine. The legacies may move them.
`python -m bench.node_stub` prints its port.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any

from bench.stub import answer_rpc, serve
from bench.surroundings import CHAIN_ID
from reminder_worker.chain.abi import find_selector
from reminder_worker.chain.abi_codec import WORD, encode_word
from reminder_worker.chain.contracts.holdings_reader import CODE as HOLDINGS_CODE
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
_HOLDINGS = HOLDINGS_CODE.hex()
MOST_OWNERS = 500  # that a node with 50 million gas for a call reads, at 100,000 gas each
_MANY = find_selector("Multicall3", "aggregate3").hex()
_BALANCE = find_selector("ERC20", "balanceOf")
TOKENS = 9  # on the white list, as on mainnet's
_WHOLE = encode_word(10**18)
_LISTED = encode_word(WORD) + encode_word(TOKENS) + b"".join(encode_word(10**6 + number) for number in range(TOKENS))
# What each legacy and each user says: the first window is years away, and nobody chose a time of their own.
SAYS = {
    find_selector("Legacy", "getTriggerActivationTimestamp"): encode_word(NOW + 10**8) * 3,
    find_selector("Legacy", "isLive"): encode_word(1),
    find_selector("Legacy", "pullVault"): encode_word(10**7),
    find_selector("TokenWhiteList", "getWhitelist"): _LISTED,
    find_selector("ERC20", "allowance"): _WHOLE,
    find_selector("ERC20", "decimals"): encode_word(18),
    find_selector("Permit2", "allowance"): encode_word(0) * 3,
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
    """By the four bytes."""
    if data.startswith(_READER):
        size = int(data[len(_READER) + 6 * WORD : len(_READER) + 8 * WORD], 16)
        return (b"".join(number.to_bytes(8, "big") for number in (1, *[NOW + 10**8] * 3))) * (size // 40)
    if data.startswith(_HOLDINGS):
        return _answer_holdings(bytes.fromhex(data[len(_HOLDINGS) :]))
    if data[:8] == _DUE:
        return _same(int(data[72:136], 16), encode_word(0))
    if data[:8] == _MANY:
        return encode_many([answer_one(*call) for call in split_many(bytes.fromhex(data))])
    return SAYS.get(bytes.fromhex(data[:8]), encode_word(0))


def _answer_holdings(arguments: bytes) -> bytes:
    """Answer as the reader of holdings, for the first owners."""
    tokens, owners = (_bytes_at(arguments, _number(arguments, head)) for head in (3 * WORD, 4 * WORD))
    place, found = 0, list[bytes]()
    while place < len(owners) and len(found) < MOST_OWNERS:
        holder = bytes(12) + owners[place : place + 20]
        place += 22 + 21 * int.from_bytes(owners[place + 20 : place + 22], "big")
        asked = enumerate(range(0, len(tokens), 20))
        held = [index for index, at in asked if _holds(holder, int.from_bytes(tokens[at : at + 20], "big"))]
        amounts = b"".join(bytes((index, 8)) + _WHOLE[-8:] for index in held)
        found.append(bytes((0, 0, len(held), 0)) + amounts)
    answer = encode_word(len(found)) + b"".join(found)
    return answer + bytes(-len(answer) % WORD)


def _holds(holder: bytes, token: int) -> bool:
    return (token + int.from_bytes(holder, "big")) % 4 == 0


def answer_one(to: int, data: bytes) -> bytes:
    """Return the answer of one call of many."""
    if data.startswith(_BALANCE):
        return _WHOLE if _holds(data[4:36], to) else encode_word(0)
    return SAYS.get(data[:4], encode_word(0))


def split_many(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the contract and the data of each call of Multicall3's `aggregate3`."""
    first = 4 + 2 * WORD
    for head in range(first, first + _number(data, 4 + WORD) * WORD, WORD):
        at = first + _number(data, head)
        begin = at + 4 * WORD
        yield _number(data, at), data[begin : begin + _number(data, at + 3 * WORD)]


def encode_many(answers: Sequence[bytes]) -> bytes:
    """Return successful answers, each of whole words, as `aggregate3` does."""
    ends = accumulate((3 * WORD + len(each) for each in answers), initial=len(answers) * WORD)
    heads = b"".join(map(encode_word, list(ends)[:-1]))
    tails = [encode_word(1) + encode_word(2 * WORD) + encode_word(len(each)) + each for each in answers]
    return encode_word(WORD) + encode_word(len(answers)) + heads + b"".join(tails)


def _bytes_at(data: bytes, at: int) -> bytes:
    return data[at + WORD : at + WORD + _number(data, at)]


def _number(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + WORD], "big")


if __name__ == "__main__":
    serve(_answer)
