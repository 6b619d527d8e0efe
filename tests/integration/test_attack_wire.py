"""Promises of the API towards bytes that no well-behaved client sends: slow, oversized, smuggled, forged."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy.ext.asyncio import AsyncEngine

from api import server
from api.metrics import RequestMetrics
from devnet.scenarios import Scenario
from reminder_worker.logging import configure_logging
from reminder_worker.reminders.recipients import StoredSet
from tests.integration.api_world import ApiWorld, open_world

QUICK = settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
LIVE = b"GET /health/live HTTP/1.1\r\nHost: x\r\n"
POST = b"POST /recipients HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"


@pytest.fixture
async def world(chain_scenario: Scenario, engine: AsyncEngine) -> AsyncIterator[ApiWorld]:
    async with open_world(chain_scenario, engine, RATE_LIMIT_PER_MINUTE="1000000") as opened:
        yield opened


@pytest.fixture
async def behind_proxy(chain_scenario: Scenario, engine: AsyncEngine) -> AsyncIterator[ApiWorld]:
    async with open_world(
        chain_scenario,
        engine,
        RATE_LIMIT_PER_MINUTE="1000000",
        TRUSTED_PROXIES="127.0.0.1",
        GIFT_ORIGINS="https://gifts.example.org",
    ) as opened:
        yield opened


@asynccontextmanager
async def connected(world: ApiWorld) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", int(world.url.rpartition(":")[2]))
    try:
        yield reader, writer
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


async def answers_to(world: ApiWorld, sent: bytes) -> bytes:
    """All that comes back until the server closes; what is sent asks for that, or is not worth an answer."""
    async with connected(world) as (reader, writer):
        received = b""
        with suppress(ConnectionError):  # it may close before it has read everything
            writer.write(sent)
            await writer.drain()
            async with asyncio.timeout(60):
                while more := await reader.read(65536):
                    received += more
        return received


def statuses(answers: bytes) -> list[int]:
    """Return the status codes of pipelined answers: a body does not end with a line."""
    return [int(each) for each in re.findall(rb"HTTP/1\.1 (\d{3})", answers)]


BEGUN = (
    b"",
    LIVE,
    LIVE + b"X-Slow: ",
    POST + b"Content-Length: 100\r\n\r\n{",
    POST + b"Transfer-Encoding: chunked\r\n\r\n5\r\n{",
)


async def dripping(world: ApiWorld, begun: bytes, drop: bytes) -> list[int]:
    """Return the answer to a client that keeps sending a little until the server closes."""
    async with connected(world) as (reader, writer), asyncio.timeout(60):
        writer.write(begun)
        gone = asyncio.create_task(reader.read())
        with suppress(ConnectionError):
            while not gone.done():
                writer.write(drop)
                await writer.drain()
                await asyncio.wait([gone], timeout=0.05)
        try:
            return statuses(await gone)
        except ConnectionError:
            return []


async def test_who_does_not_finish_a_request_is_not_waited_for(
    world: ApiWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also not while a byte comes now and then."""
    monkeypatch.setattr(server, "REQUEST_SECONDS", 0.3)
    for answered in await asyncio.gather(*(dripping(world, begun, b"1") for begun in BEGUN)):
        assert answered in ([], [400])


async def test_a_byte_now_and_then_keeps_no_connection_without_a_request(
    world: ApiWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "REQUEST_SECONDS", 0.3)
    assert await dripping(world, b"", b"\r\n") == []
    assert await dripping(world, LIVE + b"\r\n", b"\r\n") in ([200], [])


async def test_who_leaves_in_the_middle_of_a_request_is_no_fault_of_ours(
    world: ApiWorld, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Otherwise any client could raise the alert of our own faults."""
    configure_logging(world.parts.settings)
    counted: asyncio.Queue[tuple[Any, ...]] = asyncio.Queue()
    monkeypatch.setattr(RequestMetrics, "observe", lambda _, *seen: counted.put_nowait(seen))
    for begun in BEGUN[3:]:
        async with connected(world) as (_, writer):
            writer.write(begun)
            await writer.drain()
            writer.transport.abort()
        async with asyncio.timeout(60):
            method, route, status, _ = await counted.get()
        assert (method, route, status) == ("POST", "/recipients", 400)
    assert '"level": "error"' not in "".join(capsys.readouterr())


async def test_a_slow_answer_of_ours_is_waited_for(world: ApiWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time counts for what the client owes, not for what we do."""
    monkeypatch.setattr(server, "REQUEST_SECONDS", 0.1)

    async def slow(_request: Any) -> Any:
        await asyncio.sleep(0.5)
        return StoredSet((), (), {})

    monkeypatch.setattr(type(world.parts.recipients), "read_set", lambda _self, request: slow(request))
    body = json.dumps(world.signed(world.scenario.account("owner"), "ReadRecipients", f"0x{5:040x}")).encode()
    head = POST + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body)
    assert statuses(await answers_to(world, head + body)) == [200]


async def test_who_does_not_take_the_answer_is_not_waited_for(world: ApiWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """A document asked for a hundred times over and never read."""
    monkeypatch.setattr(server, "REQUEST_SECONDS", 0.3)
    async with connected(world) as (reader, writer), asyncio.timeout(60):
        reader._transport.pause_reading()  # type: ignore[attr-defined]
        with pytest.raises(ConnectionError):  # noqa: PT012 - whichever of them finds the connection gone
            while True:
                writer.write(b"GET /schema/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * 100)
                await writer.drain()
                await asyncio.sleep(0.05)


async def test_a_header_without_end_is_not_kept(world: ApiWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its size ends the request long before the time limit."""
    monkeypatch.setattr(server, "REQUEST_SECONDS", 3600)
    for endless in (b"X-Endless: " + b"a" * (1 << 22), b"X-A: b\r\n" * (1 << 19)):
        assert set(statuses(await answers_to(world, LIVE + endless))) <= {400}
    assert statuses(await answers_to(world, b"GET /" + b"a" * (1 << 22))) in ([], [400])
    large = b"Connection: close\r\nX-Large: " + b"a" * 30_000 + b"\r\n\r\n"
    assert statuses(await answers_to(world, LIVE + large)) == [200]


async def test_what_stands_between_chunks_or_behind_them_has_an_end_too(
    world: ApiWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "REQUEST_SECONDS", 3600)
    chunked = POST + b"Transfer-Encoding: chunked\r\n\r\n"
    for endless in (b"0\r\nX: " + b"a" * (1 << 22), b"0\r\n" + b"X: b\r\n" * (1 << 19), b"1;x=" + b"a" * (1 << 22)):
        assert set(statuses(await answers_to(world, chunked + endless))) <= {400}
    body = b"".join(b"40\r\n" + b" " * 64 + b"\r\n" for _ in range(1000)) + b"0\r\nX: a\r\n\r\n"
    last = LIVE + b"Connection: close\r\n\r\n"
    assert statuses(await answers_to(world, chunked + body + last)) == [400, 200], "white space is no JSON"


async def test_what_stands_behind_a_body_is_no_header(behind_proxy: ApiWorld) -> None:
    """A proxy that passes trailers on has not looked at them: they are what the client says of itself."""
    head = b"POST /recipients HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
    trailers = b"X-Request-ID: of-the-trailer\r\nContent-Type: application/json\r\n\r\n"
    answered = await answers_to(behind_proxy, head + b"2\r\n{}\r\n0\r\n" + trailers)
    assert statuses(answered) == [415]
    assert b"of-the-trailer" not in answered


FRAMINGS = (
    b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
    b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
    b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
    b"Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n",
    b"Content-Length: 3\r\nContent-Length: 0\r\n\r\n",
    b"Content-Length: 0\r\nContent-Length: 3\r\n\r\n",
    b"Content-Length: +0\r\n\r\n",
    b"Content-Length: -1\r\n\r\n",
    b"Content-Length: 0x0\r\n\r\n",
    b"Content-Length: 0, 0\r\n\r\n",
    b"Content-Length: 99999999999999999999999\r\n\r\n",
    b"Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n",
    b"Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n",
    b"Content-Length: 0\n\n",
    b"X: a\r\n Content-Length: 0\r\n\r\n",
    b"X: a\x00b\r\n\r\n",
)


async def test_no_second_request_hides_in_a_first_one(world: ApiWorld) -> None:
    """A proxy in front and the API might else disagree where a request ends."""
    for framing in FRAMINGS:
        answered = await answers_to(world, POST + framing + LIVE + b"Connection: close\r\n\r\n")
        assert 200 not in statuses(answered), framing
        assert len(statuses(answered)) <= 1, framing


async def test_no_second_request_hides_behind_the_wish_for_another_protocol(world: ApiWorld) -> None:
    """A proxy that passes `Upgrade` on, as for WebSockets, sees a body where the server might see a request."""
    hidden = LIVE + b"Connection: close\r\n\r\n"
    length, chunks = b"Content-Length: %d\r\n\r\n" % len(hidden), b"Transfer-Encoding: chunked\r\n\r\n"
    for start in (POST, LIVE, b"CONNECT /x HTTP/1.1\r\nHost: x\r\n"):
        for upgrade in (
            b"Connection: Upgrade\r\nUpgrade: h2c\r\n",
            b"Connection: x, upgrade\r\nUpgrade: websocket\r\n",
        ):
            for framing in (length, chunks):
                async with connected(world) as (reader, writer), asyncio.timeout(60):
                    writer.write(start + upgrade + framing)
                    answered = await reader.readuntil(b"\r\n\r\n")  # before what follows is there
                    with suppress(ConnectionError):
                        writer.write(hidden)
                        await writer.drain()
                        answered += await reader.read()
                assert statuses(answered) == [400], (start, upgrade, framing)
    plain = LIVE + b"Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n"
    assert statuses(await answers_to(world, plain)) == [200], "as some clients begin; it needs no body"


async def test_whatever_bytes_come_the_server_says_400_or_nothing_and_goes_on(world: ApiWorld) -> None:
    loop = asyncio.get_running_loop()

    @given(st.binary(max_size=400), st.sampled_from([b"", b"GET ", b"GET /", LIVE, POST + b"Content-Length: "]))
    @QUICK
    def attempt(rest: bytes, begin: bytes) -> None:
        async def once() -> bytes:
            async with connected(world) as (reader, writer):
                writer.write(begin + rest + b"\r\nConnection: close\r\n\r\n")
                writer.write_eof()
                try:
                    async with asyncio.timeout(0.5):  # an unfinished request has no answer
                        return await reader.read()
                except (TimeoutError, ConnectionError):
                    return b""

        answered = asyncio.run_coroutine_threadsafe(once(), loop).result(30)
        assert all(status < 500 for status in statuses(answered))

    await asyncio.to_thread(attempt)
    assert (await world.request("GET", "/health/live")).status == 200


ODD = st.binary(max_size=80).filter(lambda value: not re.search(rb"[\x00-\x08\x0a-\x1f\x7f]", value))
FORGED = st.sampled_from(
    [
        b"127.0.0.1",
        b"::1",
        b"::ffff:127.0.0.1",
        b"1.2.3.4:99999",
        b"[::1",
        b"[]:80",
        b"%00",
        b"fe80::1%eth0",
        b"1.2.3.4, ,,, 5.6.7.8",
        b"unknown",
        b"_hidden",
        b"999.999.999.999",
        b"0177.0.0.1",
        b"," * 70,
        b'\x1b[2J\x1b]0;x\x07{"event":"forged"}'.replace(b"\x1b", b"").replace(b"\x07", b""),
        b'W/"x", "y", *',
        b"*",
        b'"' * 79,
        b"Bearer ",
        b"Bearer \xff\xfe",
        b"Basic OjA=",
    ]
)
NAMES = ("X-Forwarded-For", "X-Request-ID", "Authorization", "If-None-Match", "Forwarded", "Cookie", "Accept", "Host")


async def test_no_header_breaks_the_server_or_is_repeated(behind_proxy: ApiWorld) -> None:
    """Neither in an answer nor in its headers, and the request's id stays one of ours or a harmless one."""
    world, loop = behind_proxy, asyncio.get_running_loop()

    def answer(line: bytes, headers: bytes) -> bytes:
        request = line + b" HTTP/1.1\r\nContent-Length: 0\r\nConnection: close\r\n" + headers + b"\r\n"
        return asyncio.run_coroutine_threadsafe(answers_to(world, request), loop).result(60)

    @given(
        st.lists(st.tuples(st.sampled_from(NAMES), ODD | FORGED), max_size=5),
        st.sampled_from(
            [b"GET /stats", b"GET /health/live", b"POST /recipients", b"GET /gift/31337/1", b"GET /ops/status"]
        ),
    )
    @QUICK
    def attempt(headers: list[tuple[str, bytes]], line: bytes) -> None:
        answered = answer(line, b"".join(name.encode() + b": " + value + b"\r\n" for name, value in headers))
        (status,) = statuses(answered)
        assert status < 500 or status == 503
        if status == 503:
            assert line == b"GET /stats", "nothing was counted here"
        head, _, body = answered.partition(b"\r\n\r\n")
        if status != 400 or b"problem+json" in head:
            assert re.search(rb"^x-request-id: [A-Za-z0-9-]{8,64}\r?$", head, re.MULTILINE | re.IGNORECASE)
        for name, value in headers:
            if len(value) > 8 and not (name == "X-Request-ID" and re.fullmatch(rb"[A-Za-z0-9-]{8,64}", value)):
                assert value not in body
                assert value not in head or value in answer(line, b"")  # as a part of `content-length`

    await asyncio.to_thread(attempt)


async def test_no_request_writes_a_log_line_of_its_own(
    behind_proxy: ApiWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    """Line breaks, escape sequences and JSON in a path, a query, a header or a body stay out of the log."""
    configure_logging(behind_proxy.parts.settings)
    forged = '\r\n{"event": "forged"}\x1b[2J\x1b]0;owned\x07'
    quoted = "%0d%0a%7B%22event%22%3A%22forged%22%7D%1b%5b2J"
    for line in (
        f"GET /{quoted} HTTP/1.1",
        f"GET /gift/1/{quoted} HTTP/1.1",
        f"GET /stats/prices?at={quoted} HTTP/1.1",
    ):
        await answers_to(
            behind_proxy, f"{line}\r\nHost: x\r\nConnection: close\r\nX-Request-ID: forged{quoted}\r\n\r\n".encode()
        )
    for body in ({"legacy": forged}, {forged: 1}, {"chainId": forged, "payload": forged}):
        await behind_proxy.post("/ingest-legacy", body)
    await behind_proxy.post("/recipients", data=b"{}", headers={"Content-Type": "application/" + quoted})
    await answers_to(behind_proxy, b"FORGED \x1b[2J forged\r\n\r\n")
    written = "".join(capsys.readouterr())
    lines = [line for line in written.splitlines() if line.strip()]
    assert sum('"event": "request"' in line for line in lines) == 7
    for line in lines:
        json.loads(line)
    assert "forged" not in written.lower()
    assert "\x1b" not in written
