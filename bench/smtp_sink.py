"""SMTP server that accepts everything and answers late: `python -m bench.smtp_sink MILLISECONDS` prints its port."""

import asyncio
import ctypes
import signal
import sys

import uvloop


class _SmtpSink(asyncio.Protocol):
    delay = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport, self._buffer, self._in_body = transport, b"", False
        self._answer(b"220 sink")

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while (end := self._buffer.find(b"\r\n.\r\n" if self._in_body else b"\r\n")) >= 0:
            line, self._buffer = self._buffer[:end], self._buffer[end + (5 if self._in_body else 2) :]
            if self._in_body:
                self._in_body = False
                self._answer(b"250 taken")
                continue
            verb = line[:4].upper()
            self._in_body = verb == b"DATA"
            self._answer({b"EHLO": b"250-sink\r\n250 8BITMIME", b"DATA": b"354 go on"}.get(verb, b"250 ok"))

    def _answer(self, line: bytes) -> None:
        asyncio.get_running_loop().call_later(self.delay, self._transport.write, line + b"\r\n")  # type: ignore[attr-defined]


async def _serve() -> None:
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # ends with the process that started it
    _SmtpSink.delay = int(sys.argv[1]) / 1000
    server = await asyncio.get_running_loop().create_server(_SmtpSink, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(_serve())
