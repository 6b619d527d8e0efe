"""The reader of delivery reports: a real mailbox, a process of its own, a role of its own."""

import asyncio
import imaplib
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from signal import SIGPROF
from typing import Any

import psycopg
import pytest
from structlog.testing import capture_logs

from devnet.chain import usable_port
from devnet.smtp import SmtpInbox
from mail_service.mailbox import LIMITS, supervise_reader
from mail_service.settings import MailServiceSettings
from tests.delivery_reports import complaint, postfix, qmail, ses, slow_to_read
from tests.integration.imap_server import ImapServer, imap_server
from tests.integration.mail_service_stack import EMAIL, ServiceClient, environment, served
from tests.integration.test_delivery_reports import bounces, mark_of, open_mailbox, report_health, sent

ADDRESS = "reports+*@mail.example.org"
# The reader with less patience, since a test waits for it.
_READER = """
import asyncio
import imaplib
import mail_service.mailbox as mailbox
from mail_service.settings import ReportSettings
mailbox.LIMITS = mailbox.LIMITS._replace(poll_seconds=0.05, cpu_seconds=1)
asyncio.run(mailbox.read_reports(ReportSettings.from_environ()))
"""


def use_quick_reader(monkeypatch: pytest.MonkeyPatch, environ: dict[str, str]) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("mail_service.mailbox.LIMITS", LIMITS._replace(restart_seconds=0.01))
    monkeypatch.setattr("mail_service.app.supervise_reader", partial(supervise_reader, (sys.executable, "-c", _READER)))


@pytest.fixture
async def imap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ImapServer]:
    async with imap_server(tmp_path, usable_port()) as server:
        monkeypatch.setenv("SSL_CERT_FILE", str(server.authority))
        yield server


@asynccontextmanager
async def running(
    database: str, inbox: SmtpInbox, imap: ImapServer, **more: str
) -> AsyncIterator[tuple[ServiceClient, MailServiceSettings]]:
    """The mail service, and the settings of a reader beside it."""
    environ = environment(database, inbox, REPORT_ADDRESS=ADDRESS)
    async with served(environ) as client:
        yield client, MailServiceSettings.from_environ({**environ, **imap.environ(), **more})


def counts(health: dict[str, Any]) -> dict[str, int]:
    return {name: count for name, count in health["counts"].items() if count}


@pytest.mark.core
async def test_the_envelope_sender_finds_an_email_whose_message_id_was_replaced(
    mail_database: str, inbox: SmtpInbox, imap: ImapServer
) -> None:
    async with running(mail_database, inbox, imap) as (client, settings):
        await sent(client, "key-1")
        sender = inbox.messages[0].sender
        assert sender == f"reports+{mark_of('key-1')}@mail.example.org"
        forged = sender.replace(mark_of("key-1")[:8], "00000000")
        for to in (forged, sender):
            imap.deliver(ses(EMAIL).replace(b"reports@mail.example.org", to.encode()))
        async with open_mailbox(settings) as mailbox:
            await mailbox.read()
        assert [each["key"] for each in await bounces(client)] == ["key-1"]
        assert counts(await report_health(client)) == {"taken": 1, "unmatched": 1}


@pytest.mark.parametrize("form", [complaint, postfix], ids=["complaint", "bounce"])
@pytest.mark.parametrize("named", ["", "other@example.net"], ids=["nobody", "another"])
async def test_a_report_that_does_not_name_the_address_ends_no_email_to_it(
    mail_database: str, inbox: SmtpInbox, imap: ImapServer, form: Callable[[str, str], bytes], named: str
) -> None:
    async with running(mail_database, inbox, imap) as (client, settings):
        imap.deliver(form(await sent(client, "key-1"), EMAIL).replace(EMAIL.encode(), named.encode()))
        async with open_mailbox(settings) as mailbox:
            await mailbox.read()
        assert counts(await report_health(client)) == {"taken": 1}
        assert all(each["reason"] == "other" for each in await bounces(client))
        assert "suppressed" not in (await client.send("key-2")).json


async def test_feedback_about_our_own_setup_unsubscribes_nobody_and_is_counted(
    mail_database: str, inbox: SmtpInbox, imap: ImapServer
) -> None:
    async with running(mail_database, inbox, imap) as (client, settings):
        report = complaint(await sent(client, "key-1"), EMAIL)
        imap.deliver(report.replace(b"Feedback-Type: abuse", b"Feedback-Type: auth-failure"))
        async with open_mailbox(settings) as mailbox:
            await mailbox.read()
        assert "suppressed" not in (await client.send("key-2")).json
        assert counts(await report_health(client)) == {"notComplaints": 1}
        assert len(imap.subjects()) == 1


async def test_an_email_is_read_once_also_by_the_next_process(
    mail_database: str, inbox: SmtpInbox, imap: ImapServer
) -> None:
    async with running(mail_database, inbox, imap) as (client, settings):
        imap.deliver(b"Subject: a letter of a person\r\n\r\nHello", qmail("<of@another.example>", EMAIL))
        for _ in range(2):
            async with open_mailbox(settings) as mailbox:
                assert not await mailbox.read()
        health = await report_health(client)
        assert (health["mailbox"]["unread"], counts(health)) == (0, {"unmatched": 1})
        assert health["mailbox"]["lastGoodLook"].endswith("Z")


async def test_a_mailbox_whose_numbers_begin_anew_is_read_from_its_beginning(
    mail_database: str, inbox: SmtpInbox, imap: ImapServer
) -> None:
    imap.make_folder("Returned")
    async with running(mail_database, inbox, imap, REPORT_IMAP_FOLDER="Returned") as (client, settings):
        imap.deliver(*[b"Subject: a letter of a person\r\n\r\nHello"] * 3, folder="Returned")
        async with open_mailbox(settings) as mailbox:
            await mailbox.read()
            for _ in range(LIMITS.tries):
                await mailbox.store.begin_report()  # as if the next report had ended the reader each time
            imap.make_folder("Returned")
            imap.deliver(qmail(await sent(client, "key-1"), EMAIL), folder="Returned")
            await mailbox.read()
        assert [each["key"] for each in await bounces(client)] == ["key-1"]


async def test_a_long_queue_of_reports_is_read_in_steps_and_not_called_read_before_its_end(
    mail_database: str, inbox: SmtpInbox, imap: ImapServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mail_service.mailbox.LIMITS", LIMITS._replace(emails=2))
    async with running(mail_database, inbox, imap) as (client, settings), open_mailbox(settings) as mailbox:
        imap.deliver(*[qmail("<of@another.example>", EMAIL)] * 3)
        assert await mailbox.read()
        assert (await report_health(client))["mailbox"] == {"unread": 1, "lastGoodLook": None}
        assert not await mailbox.read()
        health = await report_health(client)
        assert (health["mailbox"]["unread"], health["mailbox"]["lastGoodLook"] is None) == (0, False)


async def test_an_email_that_the_mailbox_does_not_give_is_set_aside(
    mail_database: str, inbox: SmtpInbox, imap: ImapServer
) -> None:
    async with running(mail_database, inbox, imap) as (client, settings), open_mailbox(settings) as mailbox:
        imap.deliver(qmail(await sent(client, "key-1"), EMAIL))
        [first] = (imap.home / "mail" / "cur").iterdir()
        first.chmod(0)
        imap.deliver(qmail(await sent(client, "key-2"), EMAIL))
        for _ in range(2):
            with pytest.raises(imaplib.IMAP4.abort):
                await mailbox.read()
        await mailbox.read()
        assert [each["key"] for each in await bounces(client)] == ["key-2"]
        assert counts(await report_health(client)) == {"taken": 1, "setAside": 1}


async def test_one_of_two_readers_reads(mail_database: str, inbox: SmtpInbox, imap: ImapServer) -> None:
    async with running(mail_database, inbox, imap) as (client, settings), open_mailbox(settings) as one:
        imap.deliver(qmail(await sent(client, "key-1"), EMAIL))
        async with open_mailbox(settings) as other:
            async with other.store.hold_reader_lock() as locked:
                await one.read()
                assert (locked, await bounces(client)) == (True, [])
            await one.read()
        assert [each["key"] for each in await bounces(client)] == ["key-1"]


@pytest.mark.core
async def test_a_report_that_costs_too_much_is_set_aside_while_emails_are_sent(
    mail_database: str, inbox: SmtpInbox, imap: ImapServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twice the process that reads it is ended; then the reports after it are read."""
    environ = environment(mail_database, inbox, REPORT_ADDRESS=ADDRESS)
    async with served(environ) as client:
        imap.deliver(slow_to_read(), postfix(await sent(client, "key-1"), EMAIL))
    use_quick_reader(monkeypatch, environ | imap.environ())
    with capture_logs() as logs:
        async with served(environ | imap.environ()) as client:
            number = 0
            while not await bounces(client):
                await asyncio.sleep(0.2)  # leaves the machine to the reader
                assert (await client.send(f"later-{number}", to={"email": "ben@example.net", "name": ""})).status == 200
                number += 1
            health = await report_health(client)
    assert counts(health) == {"taken": 1, "setAside": 1}
    assert [line["code"] for line in logs if line["event"] == "report_reader_ended"] == [-SIGPROF, -SIGPROF]
    assert len(imap.subjects()) == 1


async def test_the_reader_needs_a_role_that_writes_reports_only(
    mail_database: str, inbox: SmtpInbox, imap: ImapServer
) -> None:
    with psycopg.connect(mail_database, autocommit=True) as connection:
        connection.execute(
            "do $$ begin if not exists (select from pg_roles where rolname = 'mail_reports') then"
            " create role mail_reports login; end if; end $$"
        )
    own = mail_database.replace("postgresql://postgres", "postgresql://mail_reports")
    assert own != mail_database
    async with running(mail_database, inbox, imap, MAIL_SERVICE_REPORTS_DATABASE_URL=own) as (client, settings):
        imap.deliver(postfix(await sent(client, "key-1"), EMAIL), complaint(await sent(client, "key-2"), EMAIL))
        async with open_mailbox(settings) as mailbox:
            await mailbox.read()
        assert [each["key"] for each in await bounces(client)] == ["key-1"]
        assert (await client.send("key-3")).json == {"suppressed": True}
    for forbidden in (
        "delete from mail_service.suppression",
        "select address_hash from mail_service.suppression",
        "update mail_service.message set state = 'accepted'",
        "select body_hash from mail_service.message",
        "delete from mail_service.bounce",
        "select * from mail_service.forgotten",
        "create table mail_service.x (i int)",
    ):
        with psycopg.connect(own) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(forbidden)


async def test_a_mailbox_that_cannot_be_read_stops_no_email(
    mail_database: str, inbox: SmtpInbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    nobody = ImapServer(usable_port(), Path("/"))
    environ = environment(mail_database, inbox, **nobody.environ())
    use_quick_reader(monkeypatch, environ)
    async with served(environ) as client:
        for number in range(20):
            assert (await client.send(f"key-{number}")).status == 200
        assert (await report_health(client))["mailbox"] is None
