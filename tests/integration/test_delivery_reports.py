"""Emails that come back: reports by webhook and from a real mailbox, over real HTTP, SMTP, IMAP and PostgreSQL."""

import asyncio
import hmac
import json
import time
from base64 import b64decode, b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from structlog.testing import capture_logs

from devnet.chain import usable_port
from devnet.smtp import SmtpInbox
from mail_service.addresses import AddressHasher
from mail_service.bounces import ReportBook
from mail_service.mailbox import ReportMailbox
from mail_service.report_store import ReportStore
from mail_service.settings import MailServiceSettings
from mail_service.store import make_engine
from tests.delivery_reports import REPORTER_TEXT, complaint, exchange, gmail, postfix
from tests.integration.imap_server import imap_server
from tests.integration.mail_service_stack import EMAIL, KEY_32, TOKEN, MailAnswer, ServiceClient, environment, served

SECRET, MAILGUN_KEY = "a-secret-for-reports", "a-signing-key-of-mailgun"
SENDGRID_HEADER = "X-Twilio-Email-Event-Webhook"
SENDGRID_KEY = ec.generate_private_key(ec.SECP256R1())
KEYS = {
    "REPORT_SECRET": SECRET,
    "REPORT_MAILGUN_KEY": MAILGUN_KEY,
    "REPORT_SENDGRID_KEY": b64encode(
        SENDGRID_KEY.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    ).decode(),
}


@asynccontextmanager
async def open_mailbox(settings: MailServiceSettings) -> AsyncIterator[ReportMailbox]:
    engine = make_engine(settings.reader_database_url, 2)
    hasher = AddressHasher(settings.hash_key.get_secret_value())
    try:
        yield ReportMailbox(settings, ReportBook(ReportStore(engine), hasher, settings.sender[1].domain))
    finally:
        await engine.dispose()


@pytest.fixture
async def client(mail_database: str, inbox: SmtpInbox) -> AsyncIterator[ServiceClient]:
    async with served(environment(mail_database, inbox, **KEYS)) as running:
        yield running


async def sent(client: ServiceClient, key: str, email: str = EMAIL) -> str:
    return str((await client.send(key, to={"email": email, "name": ""})).json["messageId"])


def message_id_of(key: str) -> str:
    return AddressHasher(b64decode(KEY_32)).make_message_id(key, "mail.example.org")


def mark_of(key: str) -> str:
    return AddressHasher(b64decode(KEY_32)).make_mark(message_id_of(key))


async def report_counts(client: ServiceClient) -> dict[str, int]:
    return dict((await report_health(client))["counts"])


async def report_health(client: ServiceClient) -> dict[str, Any]:
    answer = await client.request("GET", "/reports", headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer.status == 200, answer
    return dict(answer.json)


async def bounces(client: ServiceClient, after: int = 0) -> list[dict[str, Any]]:
    answer = await client.request("GET", f"/bounces?after={after}", headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer.status == 200, answer
    return list(answer.json["bounces"])


async def signed(
    client: ServiceClient, *reports: dict[str, str], secret: str = SECRET, age: float = 0.0, without: str = ""
) -> MailAnswer:
    content, at = json.dumps({"reports": reports}).encode(), str(int(time.time() - age))
    signature = hmac.new(secret.encode(), at.encode() + b"." + content, "sha256").hexdigest()
    headers = {"X-Report-Timestamp": at, "X-Report-Signature": signature}
    headers.pop(without, None)
    return await client.request("POST", "/reports/signed", data=content, headers=headers)


def bounced(message_id: str, status: str = "5.1.1") -> dict[str, str]:
    return {"messageId": message_id, "event": "bounced", "status": status}


@pytest.mark.core
async def test_an_email_that_came_back_is_listed_once(client: ServiceClient) -> None:
    one, two = await sent(client, "key-1"), await sent(client, "key-2")
    for _ in range(2):
        assert (await signed(client, bounced(one), bounced("<x@y>"))).json == {"taken": 1}
    first = await bounces(client)
    assert [(each["key"], each["reason"]) for each in first] == [("key-1", "mailbox_unknown")]
    assert (await signed(client, bounced(two, "5.2.2"))).status == 200
    later = await bounces(client, first[0]["number"])
    assert [(each["key"], each["reason"]) for each in later] == [("key-2", "mailbox_full")]
    assert later[0]["number"] > first[0]["number"]


async def test_numbers_rise_also_after_the_table_was_lost(client: ServiceClient, mail_database: str) -> None:
    await signed(client, bounced(await sent(client, "key-1")))
    [before] = await bounces(client)
    with psycopg.connect(mail_database) as connection:
        connection.execute("delete from mail_service.bounce")
    await signed(client, bounced(await sent(client, "key-2")))
    assert [each["key"] for each in await bounces(client, before["number"])] == ["key-2"]


async def test_a_report_needs_its_signature_in_time(client: ServiceClient) -> None:
    report = bounced(await sent(client, "key-1"))
    event = {"event": "bounce", "smtp-id": report["messageId"]}
    unsigned = mailgun(report["messageId"])
    unsigned["signature"]["signature"] = ""
    refused = [
        await signed(client, report, secret="another-secret-of-16"),
        await signed(client, report, age=301),
        await signed(client, report, age=-301),
        await client.request("POST", "/reports/signed", data=json.dumps({"reports": [report]})),
        await client.request("POST", "/reports/mailgun", json=mailgun(report["messageId"], key="another-key")),
        await client.request("POST", "/reports/mailgun", json=mailgun(report["messageId"], age=86_401)),
        await client.request("POST", "/reports/mailgun", json=unsigned),
        await sendgrid(client, [event], altered=True),
        await sendgrid(client, [event], age=86_401),
        *[await signed(client, report, without=f"X-Report-{part}") for part in ("Signature", "Timestamp")],
        *[await sendgrid(client, [event], without=f"{SENDGRID_HEADER}-{part}") for part in ("Signature", "Timestamp")],
    ]
    assert {(answer.status, answer.json["code"]) for answer in refused} == {(403, "bad_signature")}
    assert (await client.request("GET", "/bounces")).status == 401
    assert await bounces(client) == []


async def test_without_their_secrets_there_are_no_webhooks(mail_database: str, inbox: SmtpInbox) -> None:
    async with served(environment(mail_database, inbox)) as client:
        answers = [
            await client.request("POST", f"/reports/{way}", json={}) for way in ("signed", "mailgun", "sendgrid")
        ]
    assert [answer.status for answer in answers] == [404, 404, 404]


@pytest.mark.core
async def test_a_complaint_unsubscribes(client: ServiceClient) -> None:
    message_id = await sent(client, "key-1")
    assert (await signed(client, {"messageId": message_id, "event": "complained"})).json == {"taken": 1}
    assert (await client.send("key-2")).json == {"suppressed": True}
    assert await bounces(client) == []


def mailgun(message_id: str, *, key: str = MAILGUN_KEY, age: float = 0.0, **event: Any) -> dict[str, Any]:
    at, token = str(int(time.time() - age)), "t" * 50
    signature = hmac.new(key.encode(), f"{at}{token}".encode(), "sha256").hexdigest()
    told = {
        "event": "failed",
        "severity": "permanent",
        "recipient": EMAIL,
        "message": {"headers": {"message-id": message_id.strip("<>"), "to": EMAIL}},
        "delivery-status": {"code": 550, "enhanced-code": "5.1.1", "message": REPORTER_TEXT},
        **event,
    }
    return {"signature": {"timestamp": at, "token": token, "signature": signature}, "event-data": told}


async def sendgrid(
    client: ServiceClient, events: list[dict[str, Any]], *, age: float = 0.0, altered: bool = False, without: str = ""
) -> MailAnswer:
    content, at = json.dumps(events).encode(), str(int(time.time() - age))
    signature = b64encode(SENDGRID_KEY.sign(at.encode() + content, ec.ECDSA(SHA256()))).decode()
    headers = {
        f"{SENDGRID_HEADER}-Signature": signature,
        f"{SENDGRID_HEADER}-Timestamp": at,
    }
    headers.pop(without, None)
    data = content + b" " if altered else content
    return await client.request("POST", "/reports/sendgrid", data=data, headers=headers)


async def test_mailgun_and_sendgrid_report_in_their_own_forms(client: ServiceClient) -> None:
    ids = [await sent(client, f"key-{number}") for number in range(6)]
    for message_id, event in (
        (ids[0], {}),
        (ids[1], {"severity": "temporary"}),
        (ids[2], {"delivery-status": {"message": "550 5.7.1 refused"}}),
    ):
        assert (await client.request("POST", "/reports/mailgun", json=mailgun(message_id, **event))).status == 200
    events = [
        {"event": "bounce", "type": "bounce", "status": "5.1.1", "smtp-id": ids[3], "email": EMAIL, "reason": "550 x"},
        {"event": "bounce", "type": "blocked", "status": "5.0.0", "smtp-id": ids[4], "email": EMAIL, "reason": "554"},
        {"event": "delivered", "smtp-id": ids[5], "email": EMAIL, "response": "250 OK"},
        {"event": "dropped", "smtp-id": ids[5], "email": EMAIL, "reason": "Bounced Address"},
    ]
    assert (await sendgrid(client, events)).json == {"taken": 3}
    assert {each["key"]: each["reason"] for each in await bounces(client)} == {
        "key-0": "mailbox_unknown",
        "key-2": "blocked",
        "key-3": "mailbox_unknown",
        "key-4": "blocked",
        "key-5": "other",
    }
    await client.request("POST", "/reports/mailgun", json=mailgun(ids[0], event="complained"))
    assert (await client.send("key-7")).json == {"suppressed": True}


@pytest.mark.parametrize("oddity", [{"reason": None}, {"smtp-id": None}, {"event": None}, {"smtp-id": "a\0b"}, {}])
async def test_an_odd_event_of_sendgrid_loses_no_other_of_its_batch(
    client: ServiceClient, oddity: dict[str, None]
) -> None:
    good = {"event": "bounce", "status": "5.1.1", "smtp-id": await sent(client, "key-1"), "email": EMAIL}
    odd: Any = {**good, "smtp-id": "<x@y>", **oddity} if oddity else "no object"
    assert (await sendgrid(client, [odd, good, {"email": EMAIL}])).json == {"taken": 1}
    assert [each["reason"] for each in await bounces(client)] == ["mailbox_unknown"]
    assert (await report_counts(client))["unreadable"] == (1 if oddity and "event" not in oddity else 2)


@pytest.mark.parametrize("name", ["delivery-status", "severity", "recipient", "message"])
async def test_a_null_of_mailgun_does_not_hide_a_complaint(client: ServiceClient, name: str) -> None:
    await sent(client, "key-1")
    event: dict[str, Any] = {"event": "complained", "user-variables": {"email_mark": mark_of("key-1")}, name: None}
    assert (await client.request("POST", "/reports/mailgun", json=mailgun("<x@y>", **event))).json == {"taken": 1}
    assert (await client.send("key-2")).json == {"suppressed": True}


async def test_a_bounce_of_mailgun_without_its_status_is_taken(client: ServiceClient) -> None:
    missing: dict[str, Any] = {"delivery-status": None, "recipient": None}
    hook = mailgun(await sent(client, "key-1"), **missing)
    assert (await client.request("POST", "/reports/mailgun", json=hook)).json == {"taken": 1}
    assert [each["reason"] for each in await bounces(client)] == ["other"]


async def test_the_mark_finds_an_email_whose_message_id_the_provider_replaced(
    client: ServiceClient, inbox: SmtpInbox
) -> None:
    await sent(client, "key-1")
    [email] = inbox.messages
    mark = mark_of("key-1")
    assert json.loads(str(email.header("X-SMTPAPI"))) == {"unique_args": {"email_mark": mark}}
    assert json.loads(str(email.header("X-Mailgun-Variables"))) == {"email_mark": mark}
    forged = mark[:-1] + ("0" if mark[-1] != "0" else "1")
    complaints = [{"event": "spamreport", "email": EMAIL, "email_mark": each} for each in (forged, mark)]
    assert (await sendgrid(client, complaints[:1])).json == {"taken": 0}
    assert (await sendgrid(client, complaints[1:])).json == {"taken": 1}
    assert (await client.send("key-2")).json == {"suppressed": True}
    assert (await report_counts(client))["unmatched"] == 1


async def test_without_a_webhook_emails_have_no_variables_of_providers(mail_database: str, inbox: SmtpInbox) -> None:
    async with served(environment(mail_database, inbox)) as client:
        await client.send("key-1")
    [email] = inbox.messages
    assert (email.header("X-SMTPAPI"), email.header("X-Mailgun-Variables")) == (None, None)


async def test_a_complaint_about_another_address_unsubscribes_nobody(client: ServiceClient) -> None:
    event = {"event": "spamreport", "email": "other@example.net", "smtp-id": await sent(client, "key-1")}
    assert (await sendgrid(client, [event])).json == {"taken": 1}
    assert (await client.send("key-2")).status == 200
    assert "suppressed" not in (await client.send("key-3")).json


async def test_a_batch_of_sendgrid_may_have_two_mebibytes_and_no_other_body(client: ServiceClient) -> None:
    event = {"event": "bounce", "status": "5.1.1", "smtp-id": await sent(client, "key-1"), "email": EMAIL}
    batch = [{"event": "delivered", "response": "x" * 1000}] * 1900 + [event]
    assert (await sendgrid(client, batch)).json == {"taken": 1}
    assert (await sendgrid(client, batch * 2)).status == 413
    for way in ("signed", "mailgun"):
        assert (await client.request("POST", f"/reports/{way}", data=b"x" * 300_000)).status == 413


async def test_a_nul_in_a_name_is_an_unknown_email(client: ServiceClient) -> None:
    """PostgreSQL takes no such text: the answer must not be that the database fails."""
    assert (await signed(client, bounced("<a\0b@x>"))).json == {"taken": 0}
    assert (await client.status("a%00b")).status == 404


async def test_where_an_address_is_forwarded_to_does_not_blame_it(client: ServiceClient) -> None:
    message_id = await sent(client, "key-1")
    other = mailgun(message_id, recipient="somebody@elsewhere.example")
    assert (await client.request("POST", "/reports/mailgun", json=other)).json == {"taken": 1}
    assert [each["reason"] for each in await bounces(client)] == ["other"]


async def test_old_emails_are_matched_no_more(client: ServiceClient, mail_database: str) -> None:
    message_id = await sent(client, "key-1")
    with psycopg.connect(mail_database) as connection:
        connection.execute("update mail_service.message set created_at = now() - interval '31 days'")
    assert (await signed(client, bounced(message_id))).json == {"taken": 0}


async def test_the_running_service_deletes_the_address_hashes_of_old_emails(
    mail_database: str, inbox: SmtpInbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    environ = environment(mail_database, inbox)
    async with served(environ) as client:
        for key in ("key-old", "key-new"):
            await client.send(key)
    monkeypatch.setattr("mail_service.sending._BEAT_SECONDS", 0.01)
    with psycopg.connect(mail_database, autocommit=True) as connection:
        old = "created_at = now() - interval '31 days'"
        connection.execute(f"update mail_service.message set {old} where key = 'key-old'")
        with_hash = "select key from mail_service.message where address_hash is not null order by key"
        async with served(environ) as client:
            while (found := connection.execute(with_hash).fetchall()) != [("key-new",)]:  # the test's timeout ends it
                assert ("key-new",) in found
                await asyncio.sleep(0.01)
            assert (await client.send("key-old")).json["duplicate"] is True, "its key is never forgotten"


async def test_a_report_about_an_email_under_way_is_about_no_email_yet(client: ServiceClient, inbox: SmtpInbox) -> None:
    """Its SMTP server may still refuse the email, which then goes out again under the same key."""
    inbox.faults.hold = asyncio.Event()
    sending = asyncio.create_task(client.send("key-1"))
    await inbox.wait_for_count(1)
    early = await signed(client, bounced(message_id_of("key-1")))
    inbox.faults.hold.set()
    assert (await sending).status == 200
    assert early.json == {"taken": 0}
    assert await bounces(client) == []
    assert (await signed(client, bounced(message_id_of("key-1")))).json == {"taken": 1}


async def test_a_table_of_the_release_before_gets_its_column(mail_database: str, inbox: SmtpInbox) -> None:
    async with served(environment(mail_database, inbox)) as client:
        await client.send("key-1")
    with psycopg.connect(mail_database) as connection:
        connection.execute("drop table mail_service.bounce")
        connection.execute("drop index mail_service.message_message_id")
        connection.execute("alter table mail_service.message drop column address_hash")
    async with served(environment(mail_database, inbox, **KEYS)) as client:
        assert (await client.send("key-1")).json["duplicate"] is True
        report = bounced((await client.status("key-1")).json["messageId"])
        assert (await signed(client, report)).json == {"taken": 1}


async def test_the_envelope_sender_leads_to_the_mailbox_of_reports(mail_database: str, inbox: SmtpInbox) -> None:
    async with served(environment(mail_database, inbox, REPORT_ADDRESS="reports@mail.example.org")) as client:
        await client.send("key-1")
    [message] = inbox.messages
    assert (message.sender, message.header("From")) == (
        "reports@mail.example.org",
        "Legacy reminders <reminders@mail.example.org>",
    )


async def test_a_mailbox_is_read_and_only_understood_reports_are_deleted(
    mail_database: str, inbox: SmtpInbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    addresses = [f"{name}@example.net" for name in ("anna", "ben", "cleo", "dora", "emil")]
    async with imap_server(tmp_path, usable_port()) as imap:
        monkeypatch.setenv("SSL_CERT_FILE", str(imap.authority))
        environ = environment(mail_database, inbox)
        settings = MailServiceSettings.from_environ(environ | imap.environ())
        async with served(environ) as client:
            ids = [await sent(client, f"key-{number}", each) for number, each in enumerate(addresses)]
            imap.deliver(
                b"Subject: a letter of a person\r\n\r\n" + ids[0].encode(),
                postfix(ids[0], addresses[0]).replace(b"Final-Recipient: rfc822; anna", b"Final-Recipient: rfc822; a"),
                exchange(ids[1], addresses[1]),
                gmail(ids[2], addresses[2]),
                postfix(ids[3], addresses[3], "4.4.1", "delayed"),
                postfix("<forged@mail.example.org>", addresses[3]),
                complaint(ids[4], addresses[4]),
            )
            with capture_logs() as logs:
                async with open_mailbox(settings) as mailbox:
                    await mailbox.read()
                    await mailbox.read()
                assert (await report_counts(client))["taken"] == 4
            assert {each["key"]: each["reason"] for each in await bounces(client)} == {
                "key-0": "mailbox_unknown",
                "key-1": "mailbox_unknown",
                "key-2": "mailbox_full",
            }
            assert (await client.send("key-9", to={"email": addresses[4], "name": ""})).json == {"suppressed": True}
        assert imap.subjects() == [
            ("a letter of a person", False),
            ("Undelivered Mail Returned to Sender", False),
            ("Undelivered Mail Returned to Sender", False),
        ]
    with psycopg.connect(mail_database) as connection:
        tables = ("message", "bounce", "suppression")
        stored = repr([connection.execute(f"select * from mail_service.{table}").fetchall() for table in tables])
    for secret in (REPORTER_TEXT, *addresses):
        assert secret not in stored + repr(logs)
