"""The local mailbox: what a person and a test see of an email that arrived."""

from collections.abc import AsyncIterator
from email.message import EmailMessage
from email.policy import SMTP

import aiohttp
import aiosmtplib
import pytest

from devnet.smtp import SmtpInbox

EMAIL = (
    b"From: Reminders <reminders@example.org>\r\nTo: Anna <anna@example.org>\r\nSubject: <b>Hello</b>\r\n"
    b"List-Unsubscribe: <http://127.0.0.1:1/unsubscribe/x>\r\n"
    b'MIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary="b"\r\n\r\n'
    b"--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nplain <i>words</i>\r\n"
    b"--b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>rich</p><script>steal()</script>\r\n--b--\r\n"
)


@pytest.fixture
async def inbox() -> AsyncIterator[SmtpInbox]:
    async with SmtpInbox(http_port=0) as opened:
        yield opened


@pytest.fixture
async def session(inbox: SmtpInbox) -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(inbox.url) as opened:
        yield opened


async def deliver(inbox: SmtpInbox, *recipients: str, content: bytes = EMAIL) -> None:
    async with aiosmtplib.SMTP(hostname="127.0.0.1", port=inbox.smtp_port, start_tls=False) as client:
        for recipient in recipients:
            await client.sendmail("reminders@example.org", [recipient], content)


async def test_messages_are_listed_newest_first(inbox: SmtpInbox, session: aiohttp.ClientSession) -> None:
    await deliver(inbox, "anna@example.org", "bert@example.org")
    page = await (await session.get("/")).text()
    assert page.index("bert@example.org") < page.index("anna@example.org")
    assert "&lt;b&gt;Hello&lt;/b&gt;" in page
    assert "http" not in page.replace(inbox.url, "")


async def test_an_email_is_shown_without_running_it(inbox: SmtpInbox, session: aiohttp.ClientSession) -> None:
    """HTML in a sandboxed frame whose own policy forbids scripts and requests; text and headers escaped."""
    await deliver(inbox, "anna@example.org")
    page = await (await session.get("/messages/1")).text()
    assert '<iframe sandbox="allow-popups allow-popups-to-escape-sandbox" src="/messages/1/body"' in page
    assert "steal()" not in page
    body = await session.get("/messages/1/body")
    policy = body.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "sandbox" in policy
    assert "allow-scripts" not in policy
    assert "plain &lt;i&gt;words&lt;/i&gt;" in await (await session.get("/messages/1?part=text")).text()
    assert "Anna &lt;anna@example.org&gt;" in await (await session.get("/messages/1?part=headers")).text()
    assert (await session.get("/messages/2")).status == 404


async def test_attachments_are_listed_and_saved(inbox: SmtpInbox, session: aiohttp.ClientSession) -> None:
    """A calendar entry and a picture inside the HTML's part. A file of HTML is saved, too, and never shown."""
    email = EmailMessage()
    email["Subject"] = "With files"
    email.set_content("words")
    email.add_alternative("<p>rich</p>", subtype="html")
    html = email.get_body(("html",))
    assert html is not None
    html.add_related(b"\x89PNG", "image", "png", cid="<card>")
    email.add_attachment("BEGIN:VCALENDAR\n", subtype="calendar", filename="day <b>.ics")
    email.add_attachment("<script>steal()</script>", subtype="html", filename="page.html")
    await deliver(inbox, "anna@example.org", content=email.as_bytes(policy=SMTP))
    page = await (await session.get("/messages/1")).text()
    assert 'download="day &lt;b&gt;.ics">day &lt;b&gt;.ics</a> (text/calendar,' in page
    found = []
    for place in range(3):
        answer = await session.get(f"/messages/1/attachments/{place}")
        assert answer.headers["Content-Disposition"] == "attachment"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        found.append((answer.content_type, (await answer.read()).strip()))
    assert found == [
        ("image/png", b"\x89PNG"),
        ("text/calendar", b"BEGIN:VCALENDAR"),
        ("text/html", b"<script>steal()</script>"),
    ]
    assert (await session.get("/messages/1/attachments/3")).status == 404
    assert "Attachments" not in await (await session.get("/")).text()


async def test_programs_read_and_clear_it(inbox: SmtpInbox, session: aiohttp.ClientSession) -> None:
    await deliver(inbox, "anna@example.org")
    [message] = await (await session.get("/api/messages")).json()
    assert (message["to"], message["subject"], message["text"]) == (
        "anna@example.org",
        "<b>Hello</b>",
        "plain <i>words</i>",
    )
    assert {"name": "To", "value": "Anna <anna@example.org>"} in message["headers"]
    assert (await session.delete("/api/messages")).status == 204
    assert await (await session.get("/api/messages")).json() == []


async def test_another_site_cannot_read_it(inbox: SmtpInbox, session: aiohttp.ClientSession) -> None:
    """A name that an attacker points to loopback is refused."""
    answer = await session.get("/api/messages", headers={"Host": f"evil.example:{inbox.http_port}"})
    assert answer.status == 403


async def test_it_goes_down_and_comes_back_on_its_port(inbox: SmtpInbox) -> None:
    port = inbox.smtp_port
    await inbox.refuse()
    with pytest.raises(aiosmtplib.SMTPConnectError):
        await deliver(inbox, "anna@example.org")
    await inbox.accept()
    assert inbox.smtp_port == port
    await deliver(inbox, "anna@example.org")
    assert len(inbox.messages) == 1
