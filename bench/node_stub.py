"""A node that takes every transaction as fast as a socket can: `python -m bench.node_stub` prints its port.

A process of its own, so that what is measured does not share its interpreter.
"""

import asyncio
import ctypes
import signal
from typing import Any

import msgspec
import uvloop

from bench.surroundings import CHAIN_ID

_LENGTH = b"content-length:"
_ANSWERS: dict[str, Any] = {
    "eth_chainId": hex(CHAIN_ID),
    "eth_getTransactionCount": "0x0",
    "eth_getBalance": hex(10**30),
    "eth_feeHistory": {"baseFeePerGas": [hex(10**9)] * 6, "reward": [[hex(10**9)]] * 5},
    "eth_sendRawTransaction": "0x" + "ab" * 32,
}


class Stub(asyncio.Protocol):
    def __init__(self) -> None:
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            head = self._buffer[:end].lower()
            at = head.find(_LENGTH)
            length = int(head[at + len(_LENGTH) :].split(b"\r\n", 1)[0]) if at >= 0 else 0
            if len(self._buffer) < end + 4 + length:
                return
            body, self._buffer = self._buffer[end + 4 : end + 4 + length], self._buffer[end + 4 + length :]
            self._transport.write(_answer(body))  # type: ignore[attr-defined]


def _answer(body: bytes) -> bytes:
    request = msgspec.json.decode(body)
    answer = msgspec.json.encode({"jsonrpc": "2.0", "id": request["id"], "result": _ANSWERS[request["method"]]})
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    return head % len(answer) + answer


async def serve() -> None:
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # ends with the process that started it
    server = await asyncio.get_running_loop().create_server(Stub, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(serve())
