"""A mail service that accepts everything as fast as a socket can: `python -m bench.mail_stub` prints its port.

A process of its own, so that what is measured does not share its interpreter.
"""

import asyncio
import ctypes
import signal

import uvloop

_BODY = b'{"messageId":"<bench@stub>","duplicate":false}'
_ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(_BODY), _BODY)
_LENGTH = b"content-length:"


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
            self._buffer = self._buffer[end + 4 + length :]
            self._transport.write(_ANSWER)  # type: ignore[attr-defined]


async def serve() -> None:
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # ends with the process that started it
    server = await asyncio.get_running_loop().create_server(Stub, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(serve())
