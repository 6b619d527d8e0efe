"""A node with mainnet's history of our contracts: a log in every 475th block, answers after 50 ms.

`python -m bench.history_stub LIMIT START COUNT ROUTER` prints its port. Questions for the logs of more than LIMIT
blocks are refused. `bench_counts` returns the number of requests of each method, and forgets them.
"""

import sys
import time
from collections import Counter
from typing import Any

from bench.stub import answer_rpc, serve
from bench.surroundings import CHAIN_ID
from reminder_worker.chain import abi

EVERY = 475  # blocks from log to log: 4,000 logs in 1.9 million blocks
_CHECKED_IN = next(
    abi.compute_topic(event)
    for event in abi.list_events("TransferEOALegacyRouter")
    if event["name"] == "TransferEOALegacyCheckedInFor"
)


class HistoryNode:
    """Blocks 0 to `start` + `count`; logs of `router` from `start` on."""

    def __init__(self, limit: int, start: int, count: int, router: str) -> None:
        self._limit = limit
        self._start = start
        self._head = start + count
        self._router = router
        self._now = int(time.time())
        self._counts: Counter[str] = Counter()

    def answer(self, body: bytes) -> bytes:
        return answer_rpc(body, self._one)

    def _one(self, request: Any) -> dict[str, Any]:
        method, params = request["method"], request["params"]
        if method == "bench_counts":
            counts, self._counts = self._counts, Counter()
            return {"jsonrpc": "2.0", "id": request["id"], "result": counts}
        self._counts[method] += 1
        if method == "eth_chainId":
            found: Any = hex(CHAIN_ID)
        elif method == "eth_getBlockByNumber":
            found = self._block(self._head if params[0].isalpha() else int(params[0], 16))
        else:
            first, last = (int(params[0][name], 16) for name in ("fromBlock", "toBlock"))
            if last - first >= self._limit:
                self._counts["refused"] += 1
                error = {"code": -32602, "message": f"up to a {self._limit} block range"}
                return {"jsonrpc": "2.0", "id": request["id"], "error": error}
            places = range(max(first, self._start) // -EVERY * -EVERY, last + 1, EVERY)
            found = [self._log(number) for number in places]
        return {"jsonrpc": "2.0", "id": request["id"], "result": found}

    def _block(self, number: int) -> dict[str, str] | None:
        if number > self._head:
            return None
        return {
            "number": hex(number),
            "hash": _hash(number),
            "parentHash": _hash(number - 1),
            "timestamp": hex(self._now - 12 * (self._head - number)),
            "logsBloom": "0x" + "00" * 256,
        }

    def _log(self, number: int) -> dict[str, Any]:
        legacy, owner, relayer = (f"0x{value:064x}" for value in (1 + number % 1000, 10**6 + number % 1000, 7))
        return {
            "address": self._router,
            "topics": [_CHECKED_IN, legacy, owner, relayer],
            "data": f"0x{self._now:064x}",
            "blockNumber": hex(number),
            "blockHash": _hash(number),
            "transactionHash": _hash(number),
            "logIndex": "0x0",
        }


def _hash(number: int) -> str:
    return f"0x{number + 2**200:064x}"


if __name__ == "__main__":
    limit, start, count = map(int, sys.argv[1:4])
    serve(HistoryNode(limit, start, count, sys.argv[4]).answer, delay_seconds=0.05)
