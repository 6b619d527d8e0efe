"""Outcomes of the mail client, over real HTTP."""

import asyncio
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from aiohttp import web
from pyreqwest.exceptions import RequestPanicError
from structlog.testing import capture_logs

from reminder_worker.errors import MailUnavailable
from reminder_worker.outbox.mail_client import (
    MAX_ANSWER_BYTES,
    EmailAccepted,
    EmailInDoubt,
    EmailOutcome,
    EmailRefused,
    MailClient,
    NotAccepted,
    ReportCounts,
    ReportMailbox,
    ReportsAnswer,
    SuppressedAddress,
)
from reminder_worker.settings import MailSettings
from tests.integration.certificates import own_certificate

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
KEY = uuid4()


@asynccontextmanager
async def client_of(answer: web.Response | Handler, patience: float = 5.0) -> AsyncIterator[MailClient]:
    async def handle(request: web.Request) -> web.StreamResponse:
        return answer if isinstance(answer, web.Response) else await answer(request)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handle)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        async with MailClient(settings(runner.addresses[0][1], patience)) as client:
            yield client
    finally:
        await runner.cleanup()


def settings(port: int, timeout: float = 5.0) -> MailSettings:
    values = {"MAIL_URL": f"http://127.0.0.1:{port}", "MAIL_TOKEN": "a-secret-token", "MAIL_TIMEOUT": timeout}
    return MailSettings.model_validate(values)


def body(content: str | bytes, status: int = 200, **headers: str) -> web.Response:
    raw = content if isinstance(content, bytes) else content.encode()
    return web.Response(body=raw, status=status, headers=headers)


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (body('{"messageId": "<1@x>", "duplicate": false}'), EmailAccepted("<1@x>")),
        (body('{"messageId": "<1@x>", "duplicate": true, "more": 1}'), EmailAccepted("<1@x>")),
        (body('{"suppressed": true}'), SuppressedAddress()),
        (body("", 400), EmailRefused(400)),
        (body("", 413), EmailRefused(413)),
        (body("", 422), EmailRefused(422)),
        (body("", 401), NotAccepted()),
        (body("", 404), NotAccepted()),
        (body("", 429, **{"Retry-After": "17"}), NotAccepted(17.0)),
        (body("", 429, **{"Retry-After": "999999999"}), NotAccepted(86400.0)),
        (body("", 429, **{"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}), NotAccepted()),
        (body("", 429, **{"Retry-After": "\u0661\u0667"}), NotAccepted()),
        (body("", 503), NotAccepted()),
        (body("", 409), EmailInDoubt()),
        (body("", 425), EmailInDoubt()),
        (body("", 500), EmailInDoubt()),
        (body("", 502), EmailInDoubt()),
        (body("", 302, Location="/elsewhere"), EmailInDoubt()),
        (body(""), EmailInDoubt()),
        (body("<html>"), EmailInDoubt()),
        (body(b"\xff\xfe\x00"), EmailInDoubt()),
        (body(b'{"messageId": "\xff"}'), EmailInDoubt()),
        (body("[]"), EmailInDoubt()),
        (body("{}"), EmailInDoubt()),
        (body('{"messageId": ""}'), EmailInDoubt()),
        (body('{"messageId": "a\\u0000b"}'), EmailInDoubt()),
        (body('{"messageId": "' + "x" * 2000 + '"}'), EmailInDoubt()),
        (body('{"messageId": 7}'), EmailInDoubt()),
        (body(b'{"messageId": "<1@x>"' + b" " * MAX_ANSWER_BYTES + b"}"), EmailInDoubt()),
    ],
)
async def test_each_answer_to_a_send(answer: web.Response, outcome: EmailOutcome) -> None:
    async with client_of(answer) as client:
        assert await client.send_email(KEY, b"{}") == outcome


async def test_a_refused_connection_proves_that_nothing_was_accepted() -> None:
    async with client_of(body("")) as client:
        port = urlsplit(client._settings.url).port
    assert port is not None
    async with MailClient(settings(port)) as client:
        with capture_logs() as lines:
            assert await client.send_email(KEY, b"{}") == NotAccepted()
        assert "Connection refused" in lines[0]["error"]
        with pytest.raises(MailUnavailable):
            await client.ask_status(KEY)


async def test_a_service_that_cannot_prove_who_it_is_is_told_nothing(tmp_path: Path) -> None:
    heard = asyncio.Event()

    async def hear(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        if await reader.read(1):
            heard.set()

    server = await asyncio.start_server(hear, "127.0.0.1", 0, ssl=own_certificate(tmp_path / "cert.pem"))
    port = server.sockets[0].getsockname()[1]
    values = {"MAIL_URL": f"HTTPS://127.0.0.1:{port}", "MAIL_TOKEN": "a-secret-token"}
    async with server, MailClient(MailSettings.model_validate(values)) as client:
        with capture_logs() as lines:
            assert await client.send_email(KEY, b"{}") == NotAccepted()
    assert "certificate" in lines[0]["error"]
    assert not heard.is_set()


@pytest.fixture
def no_authorities(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without the certificates of any authority."""
    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.setenv(name, "/nowhere")


@pytest.mark.usefixtures("no_authorities")
async def test_where_no_certificate_can_be_checked_emails_wait_and_the_log_says_why() -> None:
    values = {"MAIL_URL": "https://127.0.0.1:9", "MAIL_TOKEN": "a-secret-token"}
    async with MailClient(MailSettings.model_validate(values)) as client:
        with capture_logs() as lines:
            assert await client.send_email(KEY, b"{}") == NotAccepted()
        assert "No CA certificates" in lines[0]["error"]
        with pytest.raises(MailUnavailable):
            await client.ask_status(KEY)


async def test_no_email_follows_a_redirect() -> None:
    async def redirect(request: web.Request) -> web.StreamResponse:
        if request.path == "/send":
            return body("", 307, Location="/elsewhere")
        return body('{"messageId": "<1@x>"}')

    async with client_of(redirect) as client:
        assert await client.send_email(KEY, b"{}") == EmailInDoubt()


@pytest.mark.parametrize(("answer", "error"), [(429, "HTTP 429"), (None, "connection closed before message completed")])
async def test_the_log_says_once_why_nothing_gets_out(answer: int | None, error: str) -> None:
    """From the first email on, for many an installation has no second one that hour; anew after one got out."""
    well = False

    async def handle(request: web.Request) -> web.StreamResponse:
        if well:
            return body('{"messageId": "<1@x>"}')
        if answer is None:
            assert request.transport is not None
            request.transport.close()
        return body("somebody@post.example", answer or 200)

    async with client_of(handle) as client:
        with capture_logs() as lines:
            await client.send_email(KEY, b"{}")
            await client.send_email(uuid4(), b"{}")
        line = {"event": "mail_not_taken", "log_level": "warning", "key": str(KEY), "error": error}
        assert lines == [line]
        with capture_logs() as lines:
            for well in (True, False):  # noqa: B007
                await client.send_email(KEY, b"{}")
        assert lines == [line]


async def test_a_silent_service_leaves_it_undecided() -> None:
    forever = asyncio.Event()

    async def hang(_: web.Request) -> web.StreamResponse:
        await forever.wait()
        return web.Response()

    async with client_of(hang, patience=0.2) as client:
        assert await client.send_email(KEY, b"{}") == EmailInDoubt()
        with pytest.raises(MailUnavailable):
            await client.ask_status(KEY)
        forever.set()


async def test_an_answer_that_breaks_off_leaves_it_undecided() -> None:
    async def half(request: web.Request) -> web.StreamResponse:
        answer = web.StreamResponse(headers={"Content-Length": "1000"})
        await answer.prepare(request)
        await answer.write(b'{"messageId": "<1@x>"}')
        assert request.transport is not None
        request.transport.abort()
        return answer

    async def none(request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        request.transport.get_extra_info("socket").setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
        )
        request.transport.abort()  # as a reset of the connection, after the whole request arrived
        return web.Response()

    for handler in (half, none):
        async with client_of(handler) as client:
            assert await client.send_email(KEY, b"{}") == EmailInDoubt()


async def test_panic_of_the_http_library_leaves_it_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    """For example for want of a thread, also after all was written."""

    def panic(_: MailClient) -> None:
        raise RequestPanicError("a thread panicked", {"causes": "in another form"})  # type: ignore[typeddict-item]

    monkeypatch.setattr(MailClient, "_open", property(panic))
    async with MailClient(settings(9)) as client:
        assert await client.send_email(KEY, b"{}") == EmailInDoubt()


async def test_the_key_the_token_and_the_exact_bytes_are_sent_past_every_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    seen = []

    async def record(request: web.Request) -> web.StreamResponse:
        seen.append((request.method, request.path, dict(request.headers), await request.read()))
        return body('{"messageId": "<1@x>"}')

    async with client_of(record) as client:
        await client.send_email(KEY, b'{"a":  1}')
    ((method, path, headers, sent),) = seen
    assert (method, path, sent) == ("POST", "/send", b'{"a":  1}')
    assert headers["Idempotency-Key"] == str(KEY)
    assert headers["Authorization"] == "Bearer a-secret-token"
    assert headers["Content-Type"] == "application/json"
    assert "Accept-Encoding" not in headers  # what is packed could unpack to any length


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (body('{"status": "accepted", "messageId": "<1@x>"}'), "accepted"),
        (body('{"status": "in_flight", "messageId": null}'), "in_flight"),
        (body('{"status": "in_doubt"}'), "in_doubt"),
        (body("", 404), "unknown"),
    ],
)
async def test_each_answer_to_a_question(answer: web.Response, state: str) -> None:
    async with client_of(answer) as client:
        assert (await client.ask_status(KEY)).state == state


@pytest.mark.parametrize(
    "answer",
    [
        body('{"status": "accepted"}'),
        body('{"status": "lost"}'),
        body(b'{"status": "accepted", "messageId": "\xff"}'),
        body("no json"),
        body("", 500),
        body("", 401),
        body("", 302, Location="/elsewhere"),
    ],
)
async def test_no_usable_answer_to_a_question_decides_nothing(answer: web.Response) -> None:
    async with client_of(answer) as client:
        with pytest.raises(MailUnavailable):
            await client.ask_status(KEY)


REPORTS = (
    '{"mailbox": {"unread": 3, "lastGoodLook": "2026-11-29T01:00:00Z"}, "more": 1, "counts": {"taken": 10,'
    ' "unmatched": 2, "setAside": 1, "notComplaints": 0, "unreadable": 0}}'
)


@pytest.mark.core
async def test_state_of_delivery_reports_is_read_and_an_older_mail_service_has_none() -> None:
    async with client_of(body(REPORTS)) as client:
        found = await client.read_reports()
    moment = datetime(2026, 11, 29, 1, tzinfo=UTC)
    assert found == ReportsAnswer(ReportMailbox(3, moment), ReportCounts(10, 2, 1, 0, 0))
    async with client_of(body("", 404)) as client:
        assert await client.read_reports() is None


@pytest.mark.parametrize(
    "answer",
    [
        body(REPORTS, 500),
        body("no json"),
        body("[" * 60_000),
        body(REPORTS.replace("3,", "-1,")),
        body(REPORTS.replace("10,", f"{10**30},")),
        body(REPORTS.replace("10,", "1.5,")),
        body(REPORTS.replace("00Z", "00")),  # a time without a zone
        body(REPORTS.replace('"setAside": 1, ', "")),
        body(REPORTS.replace('"more": 1', f'"more": "{"x" * MAX_ANSWER_BYTES}"')),
    ],
)
async def test_unusable_state_of_delivery_reports_is_no_answer(answer: web.Response) -> None:
    async with client_of(answer) as client:
        with pytest.raises(MailUnavailable):
            await client.read_reports()
