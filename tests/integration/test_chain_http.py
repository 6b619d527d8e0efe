"""The chain's own HTTP: every form of a whole answer is read, nothing else is taken for one."""

import asyncio
import gzip
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from reminder_worker.chain import http
from reminder_worker.chain.http import Connections, HttpFailed

OK = b"HTTP/1.1 200 OK\r\n"
HELLO = OK + b"Content-Length: 5\r\n\r\nhello"
WRONG = OK + b"Content-Length: 5\r\n\r\nwrong"
Speak = Callable[[bytes, asyncio.StreamWriter], Awaitable[None]]


class Server:
    """Reads whole requests, answers each by `speak`, and counts its connections."""

    def __init__(self, speak: Speak) -> None:
        self.speak = speak
        self.connections = 0
        self.heads: list[bytes] = []
        self.gone = asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                self.heads.append(head)
                size = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
                await self.speak(await reader.readexactly(size), writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            self.gone.set()
        finally:
            writer.close()


@asynccontextmanager
async def speaking(speak: Speak, credentials: str = "") -> AsyncIterator[tuple[Server, Connections]]:
    server = Server(speak)
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    connections = Connections(f"http://{credentials}127.0.0.1:{port}/key?a=b", 5.0)
    try:
        yield server, connections
    finally:
        await connections.close()
        listening.close()
        await listening.wait_closed()


def saying(*parts: bytes, close: bool = False) -> Speak:
    """Part by part, each in a packet of its own as far as that can be had."""

    async def speak(_body: bytes, writer: asyncio.StreamWriter) -> None:
        for part in parts:
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(0)
        if close:
            writer.close()

    return speak


WHOLE: dict[str, Speak] = {
    "with its length": saying(HELLO),
    "byte by byte": saying(*(HELLO[i : i + 1] for i in range(len(HELLO)))),
    "in chunks": saying(OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n", b"3\r\nllo\r\n0\r\n\r\n"),
    "until the connection ends": saying(OK + b"\r\nhel", b"lo", close=True),
    "packed": saying(
        OK + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(gzip.compress(b"hello")),
        gzip.compress(b"hello"),
    ),
    "after a sign of life": saying(b"HTTP/1.1 103 Early Hints\r\n\r\n", HELLO),
    "of HTTP/1.0": saying(b"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello", close=True),
}
NOT_WHOLE: dict[str, Speak] = {
    "less than its length": saying(HELLO[:-1], close=True),
    "chunks without an end": saying(OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", close=True),
    "half a head": saying(OK, close=True),
    "nothing": saying(close=True),
    "not HTTP": saying(b"SSH-2.0-OpenSSH_9.6\r\n"),
    "another protocol": saying(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
    "badly packed": saying(OK + b"Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello"),
    "a head without an end": saying(OK + b"X: " + b"x" * 70_000),
}


@pytest.mark.parametrize("form", WHOLE)
async def test_every_form_of_an_answer_is_read(form: str) -> None:
    async with speaking(WHOLE[form]) as (_, connections):
        assert await connections.post(b"{}") == (200, b"hello")
        assert await connections.post(b"{}") == (200, b"hello")


@pytest.mark.parametrize("form", NOT_WHOLE)
async def test_what_is_not_a_whole_answer_is_none(form: str) -> None:
    async with speaking(NOT_WHOLE[form]) as (_, connections):
        with pytest.raises(HttpFailed) as caught:
            await connections.post(b"{}")
        assert not caught.value.slow


async def test_requests_one_after_the_other_share_a_connection_and_at_once_have_their_own() -> None:
    async def echo(body: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(OK + b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    async with speaking(echo) as (server, connections):
        for n in range(5):
            assert await connections.post(b"%d" % n) == (200, b"%d" % n)
        assert server.connections == 1
        answers = await asyncio.gather(*(connections.post(b"%d" % n) for n in range(100)))
        assert answers == [(200, b"%d" % n) for n in range(100)]
        assert server.connections <= http.MAX_CONNECTIONS


@pytest.mark.parametrize("at_once", [True, False])
async def test_an_answer_that_nobody_asked_for_is_not_taken_for_the_next(at_once: bool) -> None:
    writers: list[asyncio.StreamWriter] = []

    async def speak(_body: bytes, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        writer.write(HELLO + WRONG if at_once and len(writers) == 1 else HELLO)

    async with speaking(speak) as (server, connections):
        assert await connections.post(b"{}") == (200, b"hello")
        if not at_once:
            writers[0].write(WRONG)
        await server.gone.wait()  # the connection it came on is given up
        assert await connections.post(b"{}") == (200, b"hello")
        assert server.connections == 2


async def test_a_connection_that_was_closed_or_long_idle_is_not_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async with speaking(saying(OK + b"Connection: close\r\nContent-Length: 5\r\n\r\nhello")) as (server, connections):
        await connections.post(b"{}")
        await connections.post(b"{}")
        assert server.connections == 2
        server.speak = saying(HELLO)
        await connections.post(b"{}")
        monkeypatch.setattr(http, "TRUSTED_IDLE_SECONDS", 0.0)
        await connections.post(b"{}")
        assert server.connections == 4


async def test_a_connection_that_nobody_waits_for_any_more_is_closed() -> None:
    asked = asyncio.Event()

    async def nothing(_body: bytes, _writer: asyncio.StreamWriter) -> None:
        asked.set()

    async with speaking(nothing) as (server, connections):
        waiting = asyncio.ensure_future(connections.post(b"{}"))
        await asked.wait()
        waiting.cancel()
        await server.gone.wait()
        server.speak = saying(HELLO)
        assert await connections.post(b"{}") == (200, b"hello")


@pytest.mark.parametrize("packed", [False, True])
async def test_an_answer_larger_than_the_memory_for_it_is_refused_as_large(
    monkeypatch: pytest.MonkeyPatch, packed: bool
) -> None:
    monkeypatch.setattr(http, "MAX_ANSWER_BYTES", 10_000)
    body = gzip.compress(bytes(20_000)) if packed else bytes(20_000)
    encoding = b"Content-Encoding: gzip\r\n" if packed else b""
    large = saying(OK + encoding + b"Content-Length: %d\r\n\r\n" % len(body), body)
    async with speaking(large) as (_, connections):
        with pytest.raises(HttpFailed) as caught:
            await connections.post(b"{}")
        assert caught.value.large


async def test_the_address_is_sent_whole_and_credentials_as_their_header() -> None:
    async with speaking(saying(HELLO), credentials="user:s%40cret@") as (server, connections):
        await connections.post(b"{}")
        lines = server.heads[0].split(b"\r\n")
        assert lines[0] == b"POST /key?a=b HTTP/1.1"
        assert b"Authorization: Basic " + b64encode(b"user:s@cret") in lines
        assert not [line for line in lines if line.startswith(b"Host:") and b"cret" in line]


async def test_an_address_that_takes_no_connection_or_no_tls_fails() -> None:
    async with speaking(saying(HELLO)) as (_, connections):
        port = connections._port
        with pytest.raises(HttpFailed):
            await Connections(f"https://127.0.0.1:{port}/", 0.3).post(b"{}")
    with pytest.raises(HttpFailed):
        await Connections(f"http://127.0.0.1:{port}/", 5.0).post(b"{}")
