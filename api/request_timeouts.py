"""How long a connection may take, and how much it may send before a request is whole.

uvicorn waits for ever for the rest of a request, and keeps a header of any size in memory: a few hundred connections
that send a byte now and then would leave no room for anybody else.
"""

import asyncio
from typing import Final

from httptools import HttpParserError
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

REQUEST_SECONDS: Final = 20.0  # for a whole request, or for a part of the answer to be taken: at most twice this
MAX_HEAD_BYTES: Final = 64 * 1024  # all of a request but its body: request line, headers, what frames chunks, trailers


class TimedHttpProtocol(HttpToolsProtocol):
    """HTTP protocol of uvicorn with time limits. A connection is closed without a response, as after an idle time."""

    _whole_by: asyncio.TimerHandle | None = None
    _since: float | None = None  # when a request began that is not whole yet
    _in_head = True
    _head = 0  # bytes of a request that is not whole yet, without its body
    _unsent = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as in uvicorn
        super().connection_made(transport)
        self._since = self.loop.time()
        self._whole_by = self.loop.call_later(REQUEST_SECONDS, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._whole_by is not None:
            self._whole_by.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._since is None:
            self._since = self.loop.time()
        self._head += len(data)
        super().data_received(data)
        if self._head > MAX_HEAD_BYTES and not self.transport.is_closing():
            self.send_400_response("The header is too large.")

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._in_head:  # not a trailer, which no proxy has looked at
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        if self.parser.should_upgrade() and any(map(_is_of_a_body, self.headers)):
            raise HttpParserError  # the parser would take the body for the next request
        self._in_head = False  # what follows is body; the application limits that
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._head -= len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._since, self._in_head, self._head = None, True, 0
        super().on_message_complete()

    def _look(self) -> None:
        now, unsent = self.loop.time(), self.transport.get_write_buffer_size()
        if self._is_answering():
            self._since = None
        is_slow = self._since is not None and now - self._since >= REQUEST_SECONDS
        if is_slow or (unsent and unsent >= self._unsent > 0):
            self.transport.abort()
            return
        self._unsent = unsent
        self._whole_by = self.loop.call_later(REQUEST_SECONDS, self._look)

    def _is_answering(self) -> bool:
        """Return True if the full request has been received and we are producing the response."""
        cycle = self.cycle
        return cycle is not None and not cycle.response_complete and not cycle.more_body


def _is_of_a_body(header: tuple[bytes, bytes]) -> bool:
    name, value = header
    return name == b"transfer-encoding" or (name == b"content-length" and value != b"0")
