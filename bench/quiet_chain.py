"""A chain like Ethereum on which nothing happens, by a clock that the bench moves, behind two counted endpoints."""

import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web
from eth_abi.abi import encode

from bench.node_stub import answer_call, answer_one, encode_many, split_many
from bench.stub import answer_rpc
from reminder_worker.chain.abi import find_selector
from reminder_worker.chain.abi_codec import encode_word
from reminder_worker.chain.contracts.holdings_reader import CODE as HOLDINGS_CODE
from reminder_worker.chain.contracts.window_reader import CODE

SLOT = 12
EPOCH = 32
FIRST_BLOCK_TIME = 1_438_269_973
_NO_HASH = "0x" + "00" * 32
_TOO_WIDE = "range too wide"
_MANY = find_selector("Multicall3", "aggregate3")
_ROUND = find_selector("PriceFeed", "latestRoundData")
_FIXED = {
    find_selector("PriceFeed", "decimals"): encode_word(8),
    find_selector("PriceFeed", "description"): encode(["string"], ["ETH / USD"]),
    find_selector("TimelockController", "getMinDelay"): encode_word(172_800),
}


class MovedClock:
    """Sets the process's clocks ahead. Timers of the event loop (uvloop) keep their own time."""

    def __init__(self) -> None:
        self.ahead = 0.0
        self._time, self._monotonic = time.time, time.monotonic

    def __enter__(self) -> "MovedClock":
        time.time = lambda: self._time() + self.ahead
        time.monotonic = lambda: self._monotonic() + self.ahead
        return self

    def __exit__(self, *_: object) -> None:
        time.time, time.monotonic = self._time, self._monotonic


class QuietChain:
    """One endpoint. It makes a block in each slot, has no logs, and refuses more than `log_blocks` blocks of logs.

    `refusal`: body of an HTTP 400 in place of an error, also for all other requests of the batch.
    """

    def __init__(self, log_blocks: int, refusal: bytes | None = None) -> None:
        self.asked: Counter[str] = Counter()
        self._log_blocks = log_blocks
        self._refusal = refusal

    @asynccontextmanager
    async def serve(self) -> AsyncIterator[str]:
        app = web.Application(client_max_size=2**28)
        app.router.add_post("/", self._answer)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        try:
            yield f"http://127.0.0.1:{runner.addresses[0][1]}/"
        finally:
            await runner.cleanup()

    async def _answer(self, http: web.Request) -> web.Response:
        answer = answer_rpc(await http.read(), self._answer_one)
        if self._refusal is not None and _TOO_WIDE.encode() in answer:
            return web.Response(status=400, body=self._refusal)
        return web.Response(body=answer)

    def _answer_one(self, request: Any) -> dict[str, Any]:
        method, params = request["method"], request["params"]
        self.asked[method] += 1
        answer: dict[str, Any] = {"jsonrpc": "2.0", "id": request["id"]}
        match method:
            case "eth_chainId":
                return {**answer, "result": hex(31337)}
            case "eth_getBlockByNumber":
                return {**answer, "result": _make_block(_find_number(params[0]))}
            case "eth_getBlockByHash":
                return {**answer, "result": _make_block(int(params[0], 16))}
            case "eth_getLogs":
                if int(params[0]["toBlock"], 16) - int(params[0]["fromBlock"], 16) >= self._log_blocks:
                    return {**answer, "error": {"code": -32602, "message": _TOO_WIDE}}
                return {**answer, "result": []}
            case "eth_call":
                return {**answer, "result": "0x" + _call(bytes.fromhex(params[0]["data"][2:])).hex()}
        raise RuntimeError(f"a quiet chain was asked for {method}")


def find_head() -> int:
    return int(time.time() - FIRST_BLOCK_TIME) // SLOT


def _find_number(tag: str) -> int:
    epochs_below = {"latest": None, "safe": 1, "finalized": 2}
    if tag not in epochs_below:
        return int(tag, 16)
    head, below = find_head(), epochs_below[tag]
    return head if below is None else (head // EPOCH - below) * EPOCH


def _make_block(number: int) -> dict[str, str] | None:
    if number > find_head():
        return None
    return {
        "number": hex(number),
        "hash": f"0x{number:064x}",
        "parentHash": f"0x{max(0, number - 1):064x}",
        "timestamp": hex(FIRST_BLOCK_TIME + number * SLOT),
    }


def _call(data: bytes) -> bytes:
    if data.startswith((CODE, HOLDINGS_CODE)):
        return answer_call(data.hex())
    if data.startswith(_MANY):
        return encode_many([_call_one(*call) for call in split_many(data)])
    return _call_one(0, data)


def _call_one(to: int, data: bytes) -> bytes:
    selector = data[:4]
    if selector == _ROUND:  # a new round each hour
        hour = int(time.time()) // 3600
        return b"".join(map(encode_word, (hour, 2000 * 10**8, hour * 3600, hour * 3600, hour)))
    return _FIXED.get(selector) or answer_one(to, data)
