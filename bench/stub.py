"""An HTTP server that answers every JSON it is sent as fast as a socket can, and prints its port.

It runs in a separate process, to share no interpreter with the measured code.
"""

import asyncio
import ctypes
import signal
from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec
import uvloop

_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
_LENGTH = b"content-length:"
Answer = Callable[[bytes], bytes]
"""From a request's body to its answer's."""


def answer_rpc(body: bytes, answer_one: Callable[[Any], dict[str, Any]]) -> bytes:
    """Answer a JSON-RPC request, or each of a batch."""
    asked = msgspec.json.decode(body)
    return msgspec.json.encode([*map(answer_one, asked)] if isinstance(asked, list) else answer_one(asked))


def serve(answer: Answer, delay_seconds: float = 0.0) -> None:
    """Until whoever started this process ends. Each answer leaves `delay_seconds` after its question came."""
    uvloop.run(_serve(answer, delay_seconds))


async def _serve(answer: Answer, delay_seconds: float) -> None:
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # ends with the process that started it
    server = await asyncio.get_running_loop().create_server(
        partial(_StubProtocol, answer, delay_seconds), "127.0.0.1", 0
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


class _StubProtocol(asyncio.Protocol):
    def __init__(self, answer: Answer, delay_seconds: float) -> None:
        self._answer = answer
        self._delay_seconds = delay_seconds
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
            answer = self._answer(body)
            asyncio.get_running_loop().call_later(self._delay_seconds, self._send, _HEAD % len(answer) + answer)

    def _send(self, answer: bytes) -> None:
        self._transport.write(answer)  # type: ignore[attr-defined]
