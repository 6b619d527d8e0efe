"""POST to one address over kept-alive connections (HTTP/1.1), for a small part of a general client's CPU time.

Whoever waits for the API waits for several requests to the chain, and those cost more than all else it does.
No redirect is followed, no cookie kept, no proxy used; no failure names more than its kind: an address holds a key.
"""

import asyncio
import ssl
import zlib
from base64 import b64encode
from functools import lru_cache
from typing import Final, cast
from urllib.parse import SplitResult, unquote, urlsplit

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

MAX_CONNECTIONS: Final = 32
MAX_ANSWER_BYTES: Final = 256 * 1024 * 1024
MAX_HEAD_BYTES: Final = 64 * 1024
TRUSTED_IDLE_SECONDS: Final = 15.0  # afterwards the other side may be about to close it
_GZIP_OR_ZLIB: Final = 47


class HttpFailed(Exception):
    """No whole answer. `slow`: not in time. `large`: more than may be kept in memory."""

    def __init__(self, reason: str, *, slow: bool = False, large: bool = False) -> None:
        super().__init__(reason)
        self.slow = slow
        self.large = large


class Connections:
    """To one address, opened as needed. Belongs to one event loop; `close` at the end."""

    def __init__(self, url: str, timeout: float) -> None:
        address = urlsplit(url)
        self._tls = address.scheme == "https"
        self._host = address.hostname or ""
        self._port = address.port or (443 if self._tls else 80)
        self._head = _head(address)
        self._timeout = timeout
        self._free = asyncio.Semaphore(MAX_CONNECTIONS)
        self._idle: list[_Connection] = []  # the one used last at the end

    async def post(self, body: bytes) -> tuple[int, bytes]:
        """Status and body of the answer. Raises `HttpFailed`."""
        failure, slow = "", False
        try:
            async with asyncio.timeout(self._timeout), self._free:
                connection = self._kept() or await self._connect()
                try:
                    return await connection.ask(b"%s%d\r\n\r\n%s" % (self._head, len(body), body))
                finally:
                    if connection.reusable:
                        connection.idle_since = connection.loop.time()
                        self._idle.append(connection)
                    else:
                        connection.abort()
        except TimeoutError:
            failure, slow = "timed out", True
        except (OSError, UnicodeError) as error:  # UnicodeError: a host that is no name
            failure = type(error).__name__
        raise HttpFailed(failure, slow=slow)  # outside of the handler: the cause may carry the address

    async def close(self) -> None:
        for connection in self._idle:
            connection.abort()
        self._idle.clear()
        await asyncio.sleep(0)  # in which they are closed

    def _kept(self) -> "_Connection | None":
        while self._idle and self._idle[0].idle_since < self._idle[0].loop.time() - TRUSTED_IDLE_SECONDS:
            self._idle.pop(0).abort()
        while self._idle:
            connection = self._idle.pop()
            if connection.reusable:
                return connection
        return None

    async def _connect(self) -> "_Connection":
        loop = asyncio.get_running_loop()
        tls = _tls() if self._tls else None
        _, connection = await loop.create_connection(lambda: _Connection(loop), self._host, self._port, ssl=tls)
        return connection


class _Connection(asyncio.Protocol):
    """One request at a time. The parser calls the `on_` methods; whatever it does not like ends the connection."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.idle_since = 0.0
        self.reusable = False  # nothing is under way, and nothing speaks against another request
        self._parser = HttpResponseParser(self)
        self._answer: asyncio.Future[tuple[int, bytes]] = loop.create_future()
        self._answer.cancel()  # nobody waits yet

    async def ask(self, request: bytes) -> tuple[int, bytes]:
        self.reusable = False
        if self._transport.is_closing():
            raise HttpFailed("disconnected")
        self._body = bytearray()
        self._received = 0
        self._unpack: zlib._Decompress | None = None
        self._ends_by_itself = self._in_body = False
        self._answer = self.loop.create_future()
        self._transport.write(request)
        return await self._answer

    def abort(self) -> None:
        self.reusable = False
        self._transport.abort()

    # -- from the transport -------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        if self.reusable:
            self.abort()  # an answer that nobody asked for would be taken for the next one
            return
        try:
            self._parser.feed_data(data)
        except (HttpParserError, HttpParserUpgrade):
            self._fail(HttpFailed("not HTTP"))
        self._received += len(data)
        if self._received > (MAX_ANSWER_BYTES if self._in_body else MAX_HEAD_BYTES):
            self._fail(HttpFailed("answer too large", large=True))

    def connection_lost(self, exc: Exception | None) -> None:
        self.reusable = False
        if exc is None and self._in_body and not self._ends_by_itself:
            self._succeed()  # the end of the connection is the end of such a body
        self._fail(HttpFailed("disconnected"))

    # -- from the parser ----------------------------------------------------------------------

    def on_message_begin(self) -> None:
        if self._answer.done():
            self.abort()

    def on_header(self, name: bytes, value: bytes) -> None:
        name = name.lower()
        if name == b"content-encoding" and value.lower() != b"identity":
            self._unpack = zlib.decompressobj(_GZIP_OR_ZLIB)
        elif name in (b"content-length", b"transfer-encoding"):
            self._ends_by_itself = True

    def on_headers_complete(self) -> None:
        self._in_body = True

    def on_body(self, data: bytes) -> None:
        if self._unpack is not None:
            try:
                data = self._unpack.decompress(data, MAX_ANSWER_BYTES + 1 - len(self._body))
            except zlib.error:
                self._fail(HttpFailed("badly packed"))
                return
        self._body += data
        if len(self._body) > MAX_ANSWER_BYTES:  # unpacked
            self._fail(HttpFailed("answer too large", large=True))

    def on_message_complete(self) -> None:
        if self._parser.get_status_code() < 200:
            self._in_body = False  # it says that it works on it
            return
        self.reusable = self._parser.should_keep_alive() and not self._transport.is_closing()
        self._succeed()

    def _succeed(self) -> None:
        if not self._answer.done():
            self._answer.set_result((self._parser.get_status_code(), bytes(self._body)))

    def _fail(self, failure: HttpFailed) -> None:
        if not self._answer.done():
            self._answer.set_exception(failure)
        self.abort()


@lru_cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()


def _head(address: SplitResult) -> bytes:
    """Everything before the number of bytes in the body."""
    credentials, _, host = address.netloc.rpartition("@")
    lines = [
        f"POST {address.path or '/'}{'?' if address.query else ''}{address.query} HTTP/1.1",
        f"Host: {host}",
        "Content-Type: application/json",
        "Accept-Encoding: gzip, deflate",
        "User-Agent: reminder-worker",
    ]
    if credentials:
        lines.append(f"Authorization: Basic {b64encode(unquote(credentials).encode()).decode()}")
    return "\r\n".join([*lines, "Content-Length: "]).encode()
