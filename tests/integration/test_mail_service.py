"""The mail service over real HTTP, a real PostgreSQL and a real SMTP server: one email per key, whatever happens."""

import asyncio
import re
import signal
import ssl
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import msgspec
import psycopg
import pytest
from aiosmtplib import SMTPResponse
from aiosmtplib.protocol import SMTPProtocol
from sqlalchemy.exc import SQLAlchemyError
from structlog.testing import capture_logs

from devnet.chain import usable_port
from devnet.smtp import SmtpInbox
from mail_service import smtp
from mail_service.addresses import AddressHasher, parse_address
from mail_service.catalogue import TEMPLATES
from mail_service.errors import MailProblem
from mail_service.sending import EmailSender, SendRequest
from mail_service.settings import MailServiceSettings
from mail_service.store import MailStore
from tests.integration.certificates import own_certificate
from tests.integration.mail_service_stack import (
    EMAIL,
    NAME,
    ORIGIN,
    TOKEN,
    ServiceClient,
    body,
    environment,
    process,
    served,
)


@pytest.fixture
async def client(mail_database: str, inbox: SmtpInbox) -> AsyncIterator[ServiceClient]:
    async with served(environment(mail_database, inbox)) as running:
        yield running


def rows(database: str) -> list[tuple[str, str, str]]:
    with psycopg.connect(database) as connection:
        return connection.execute("select key, state, stage from mail_service.message order by key").fetchall()


@pytest.mark.core
async def test_an_email_arrives_whole(client: ServiceClient, inbox: SmtpInbox) -> None:
    """Both parts, the headers of an automatic email, one-click unsubscribe, the answer's message id."""
    answer = await client.send("key-1")
    assert (answer.status, answer.json["duplicate"]) == (200, False)
    [message] = inbox.messages
    assert message.to == EMAIL
    assert message.sender == "reminders@mail.example.org"
    assert message.header("Message-ID") == answer.json["messageId"]
    assert message.header("To") == f"{NAME} <{EMAIL}>"
    assert message.header("Auto-Submitted") == "auto-generated"
    assert message.header("Date")
    assert re.fullmatch(r"<http://127.0.0.1:8090/unsubscribe/[\w=-]+>", message.header("List-Unsubscribe") or "")
    assert message.header("List-Unsubscribe-Post") == "List-Unsubscribe=One-Click"
    for part in (message.text, message.html):
        assert NAME in part
        assert f"{ORIGIN}/legacy/11155111/42" in part
        assert "24 November 2026" in part
    assert NAME not in message.subject


async def test_a_line_of_one_dot_ends_no_email(mail_database: str, inbox: SmtpInbox) -> None:
    """The line does not begin a second email of its author either."""
    pool = smtp.SmtpPool(MailServiceSettings.from_environ(environment(mail_database, inbox)))
    sender, recipient = parse_address("reminders@mail.example.org"), parse_address(EMAIL)

    async def gate() -> bool:
        return True

    content = b"Subject: one\r\n\r\nfirst\r\n.\r\n..second\r\nMAIL FROM:<x@example.org>\r\n"
    await pool.deliver(smtp.SmtpEnvelope(sender, recipient, content), gate)
    await pool.close()
    [message] = inbox.messages
    assert message.text.splitlines() == ["first", ".", "..second", "MAIL FROM:<x@example.org>"]


@pytest.mark.core
async def test_a_repeated_request_is_answered_from_memory(client: ServiceClient, inbox: SmtpInbox) -> None:
    first, second = await client.send("key-1"), await client.send("key-1")
    assert second.json == {"messageId": first.json["messageId"], "duplicate": True}
    assert (await client.status("key-1")).json == {"status": "accepted", "messageId": first.json["messageId"]}
    turned = {**body(), "variables": dict(reversed(body()["variables"].items()))}
    headers = {"Authorization": f"Bearer {TOKEN}", "Idempotency-Key": "key-1"}
    assert (await client.request("POST", "/send", json=turned, headers=headers)).json == second.json, "the same request"
    assert len(inbox.messages) == 1


async def test_a_hundred_copies_at_once_are_one_email(client: ServiceClient, inbox: SmtpInbox) -> None:
    answers = await asyncio.gather(*(client.send("key-1") for _ in range(100)))
    assert len(inbox.messages) == 1
    assert {answer.status for answer in answers} <= {200, 425}
    assert [answer.json["duplicate"] for answer in answers if answer.status == 200].count(False) == 1
    assert (await client.send("key-1")).json["duplicate"] is True


async def test_two_instances_share_the_keys(mail_database: str, inbox: SmtpInbox) -> None:
    """Two services that migrate and send at the same moment: still one email for each key."""
    environ = environment(mail_database, inbox)
    async with served(environ) as one, served(environ) as two:
        keys = [f"key-{number}" for number in range(20)]
        await asyncio.gather(*(service.send(key) for key in keys for service in (one, two)))
    assert len(inbox.messages) == len(keys)
    assert rows(mail_database) == [(key, "accepted", "handing_over") for key in sorted(keys)]


async def test_a_key_belongs_to_one_body(client: ServiceClient, inbox: SmtpInbox) -> None:
    await client.send("key-1")
    answer = await client.send("key-1", variables={"legacyId": "43"})
    assert (answer.status, answer.json["code"]) == (409, "idempotency_key_reused")
    assert len(inbox.messages) == 1


async def test_a_thousand_outcomes_that_wait_for_the_database_stop_further_emails(
    mail_database: str, inbox: SmtpInbox
) -> None:
    """The outcomes are in memory only. Once they are recorded, emails go out again."""
    settings = MailServiceSettings.from_environ(environment(mail_database, inbox))
    later = msgspec.convert(body(), SendRequest)
    async with MailStore.open(settings.database_url.get_secret_value(), 3) as store:
        with psycopg.connect(mail_database, autocommit=True) as connection:
            connection.execute(
                "create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$"
            )
            for event in ("insert", "delete"):  # of claims, and of the outcomes that free them
                connection.execute(
                    f"create trigger no_{event} before {event} on mail_service.message"
                    " for each statement execute function refuse()"
                )
            claims = [store.claim_key(f"key-{number}", b"body", "<key@x>", None) for number in range(1000)]
            failed = await asyncio.gather(*claims, return_exceptions=True)
            assert all(isinstance(each, SQLAlchemyError) for each in failed)
            connection.execute("drop trigger no_insert on mail_service.message")
            async with EmailSender(settings, store) as sender:
                with pytest.raises(MailProblem) as refused:
                    await sender.send_email("later", later)
            assert (refused.value.code, inbox.messages) == ("database_unavailable", [])
            connection.execute("drop trigger no_delete on mail_service.message")
        await store.beat()
        async with EmailSender(settings, store) as sender:
            await sender.send_email("later", later)
    assert len(inbox.messages) == 1


async def test_a_key_under_way_is_said_to_be(client: ServiceClient, inbox: SmtpInbox) -> None:
    inbox.faults.hold = asyncio.Event()
    sending = asyncio.create_task(client.send("key-1"))
    await inbox.wait_for_count(1)
    answer, status = await client.send("key-1"), await client.status("key-1")
    inbox.faults.hold.set()
    assert (answer.status, answer.json["code"]) == (425, "in_flight")
    assert status.json["status"] == "in_flight"
    assert (await sending).status == 200


async def test_a_caller_that_hangs_up_does_not_stop_the_email(mail_database: str, inbox: SmtpInbox) -> None:
    """Cancelled while the body is out: the delivery goes on, and closing the service waits for it."""
    inbox.faults.hold = asyncio.Event()
    settings = MailServiceSettings.from_environ(environment(mail_database, inbox))
    async with MailStore.open(settings.database_url.get_secret_value(), 3) as store:
        async with EmailSender(settings, store) as sender:
            sending = asyncio.create_task(sender.send_email("key-1", msgspec.convert(body(), SendRequest)))
            await inbox.wait_for_count(1)
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)
            inbox.faults.hold.set()
        assert rows(mail_database) == [("key-1", "accepted", "handing_over")]


async def test_an_smtp_server_that_is_down_frees_the_key(
    client: ServiceClient, inbox: SmtpInbox, mail_database: str
) -> None:
    await client.send("key-0")
    await inbox.refuse()
    answer = await client.send("key-1")
    assert (answer.status, answer.json["code"]) == (503, "smtp_unavailable")
    assert "ConnectionRefusedError" in answer.json["detail"]
    assert (await client.status("key-1")).status == 404
    await inbox.accept()
    assert (await client.send("key-1")).json["duplicate"] is False
    assert len(inbox.messages) == 2


@pytest.mark.parametrize(
    ("fault", "reply", "status", "code"),
    [
        ("reply_to_rcpt", "451 4.7.1 greylisted", 429, "smtp_deferred"),
        ("reply_to_mail", "421 4.7.0 too many emails", 429, "smtp_deferred"),
        ("reply_to_mail", "550 no such mailbox", 503, "smtp_refused"),
        ("reply_to_data", "554 5.6.0 not this content", 503, "smtp_refused"),
    ],
)
async def test_a_refusal_frees_the_key(
    client: ServiceClient, inbox: SmtpInbox, fault: str, reply: str, status: int, code: str
) -> None:
    """Nothing was accepted, the answer says what to do, repeats nothing of the server's, and a retry goes through."""
    await client.send("key-0")
    setattr(inbox.faults, fault, reply)
    with capture_logs() as logs:
        answer = await client.send("key-1")
    assert (answer.status, answer.json["code"]) == (status, code)
    assert answer.headers["Retry-After"] == "60"
    assert "zoe" not in (str(answer.json) + str(logs)).lower()
    assert reply[:3] in logs[0]["detail"], "a full quota looks otherwise than a wrong password"
    setattr(inbox.faults, fault, None)
    assert (await client.send("key-1")).json["duplicate"] is False
    assert len(inbox.messages) == 2
    assert inbox.connections == 1 or reply.startswith("421"), "each refusal would cost a login"


async def test_a_lost_reply_is_in_doubt_and_never_sent_again(client: ServiceClient, inbox: SmtpInbox) -> None:
    inbox.faults.drop_after_data = True
    answer = await client.send("key-1")
    assert (answer.status, answer.json["code"]) == (409, "in_doubt")
    inbox.faults.drop_after_data = False
    assert (await client.status("key-1")).json["status"] == "in_doubt"
    again = await client.send("key-1")
    assert (again.status, again.json["code"]) == (409, "in_doubt")
    assert len(inbox.messages) == 1


async def test_replies_are_waited_for_as_long_as_a_server_may_take(
    client: ServiceClient, inbox: SmtpInbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Five minutes each (RFC 5321, 4.5.3.2), or no email ever leaves by a server that lets strangers wait. Ten for the
    one that decides: who gives up before holds an email for ever that was refused, or arrived."""
    read, waited = SMTPProtocol.read_response, list[float | None]()

    async def noted(protocol: SMTPProtocol, timeout: float | None = None) -> SMTPResponse:  # noqa: ASYNC109
        waited.append(timeout)
        return await read(protocol, timeout)

    monkeypatch.setattr(SMTPProtocol, "read_response", noted)
    assert (await client.send("key-1")).status == 200
    assert waited == [300, 300, 300, 300, 300, 600], "greeting, EHLO, MAIL, RCPT, DATA, end of data"


async def test_a_kill_after_the_end_of_data_is_in_doubt(mail_database: str, inbox: SmtpInbox, tmp_path: Path) -> None:
    """kill -9 between the end of data and the record: the next start says so, and there are never two emails."""
    environ, port, log = environment(mail_database, inbox), usable_port(), tmp_path / "log"
    inbox.faults.hold = asyncio.Event()
    async with process(environ, port, log) as (child, client):
        sending = asyncio.create_task(client.send("key-1"))
        await inbox.wait_for_count(1)
        child.send_signal(signal.SIGKILL)
        await child.wait()
        await asyncio.gather(sending, return_exceptions=True)
    inbox.faults.hold.set()
    assert rows(mail_database) == [("key-1", "in_flight", "handing_over")]
    async with process(environ, port, log) as (_, client):
        await client.until("key-1", "in_doubt")
        assert (await client.send("key-1")).json["code"] == "in_doubt"
        assert (await client.send("key-2")).status == 200
    assert len(inbox.messages) == 2


async def test_a_kill_before_the_body_leaves_frees_the_key(
    mail_database: str, inbox: SmtpInbox, tmp_path: Path
) -> None:
    """kill -9 while the SMTP server has not agreed yet: the next start knows that nothing was sent."""
    environ, port, log = environment(mail_database, inbox), usable_port(), tmp_path / "log"
    inbox.faults.hold_rcpt = asyncio.Event()
    async with process(environ, port, log) as (child, client):
        sending = asyncio.create_task(client.send("key-1"))
        await inbox.faults.rcpt_reached.wait()
        child.send_signal(signal.SIGKILL)
        await child.wait()
        await asyncio.gather(sending, return_exceptions=True)
    inbox.faults.hold_rcpt.set()
    assert rows(mail_database) == [("key-1", "in_flight", "claimed")]
    async with process(environ, port, log) as (_, client):
        await client.until("key-1", 404)
        assert (await client.send("key-1")).json["duplicate"] is False
    assert len(inbox.messages) == 1


async def test_a_living_instance_is_not_judged(mail_database: str, inbox: SmtpInbox) -> None:
    """A second start leaves alone what the first has under way."""
    environ = environment(mail_database, inbox)
    inbox.faults.hold = asyncio.Event()
    async with served(environ) as one:
        sending = asyncio.create_task(one.send("key-1"))
        await inbox.wait_for_count(1)
        async with served(environ) as two:
            status = await two.status("key-1")
        inbox.faults.hold.set()
        assert status.json["status"] == "in_flight"
        assert (await sending).status == 200


async def test_an_instance_judged_dead_by_mistake_does_not_send(mail_database: str, inbox: SmtpInbox) -> None:
    """Its claim was taken away before the body left: the email does not leave."""
    inbox.faults.hold_rcpt = asyncio.Event()
    async with served(environment(mail_database, inbox)) as client:
        sending = asyncio.create_task(client.send("key-1"))
        await inbox.faults.rcpt_reached.wait()
        with psycopg.connect(mail_database, autocommit=True) as connection:
            connection.execute("delete from mail_service.message")
        inbox.faults.hold_rcpt.set()
        assert (await sending).status == 425
        assert inbox.messages == []
        assert (await client.send("key-1")).status == 200


async def test_sigterm_finishes_what_is_under_way(mail_database: str, inbox: SmtpInbox, tmp_path: Path) -> None:
    inbox.faults.hold = asyncio.Event()
    async with process(environment(mail_database, inbox), usable_port(), tmp_path / "log") as (child, client):
        sending = asyncio.create_task(client.send("key-1"))
        await inbox.wait_for_count(1)
        child.send_signal(signal.SIGTERM)
        inbox.faults.hold.set()
        assert (await sending).status == 200
        await child.wait()
    assert rows(mail_database) == [("key-1", "accepted", "handing_over")]


async def test_a_database_that_is_away_sends_nothing(
    client: ServiceClient, inbox: SmtpInbox, mail_database: str
) -> None:
    """The unsubscribe page answers 503 without the database, and the service reconnects by itself."""
    hasher = AddressHasher(
        MailServiceSettings.from_environ(environment(mail_database, inbox)).hash_key.get_secret_value()
    )
    token = hasher.make_unsubscribe_token(parse_address(EMAIL))
    name = mail_database.split("?")[0].rpartition("/")[2]
    admin = mail_database.replace(f"/{name}?", "/postgres?")
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute(f"alter database {name} allow_connections false")
        connection.execute("select pg_terminate_backend(pid) from pg_stat_activity where datname = %s", (name,))
        answer = await client.send("key-1")
        assert (answer.status, answer.json["code"]) == (503, "database_unavailable")
        assert (await client.request("GET", "/health/ready")).status == 503
        assert (await client.request("GET", "/health/live")).status == 200
        unsubscribed = await client.request("POST", f"/unsubscribe/{token}")
        assert (unsubscribed.status, "Not done yet" in unsubscribed.json) == (503, True)
        back = await client.request("POST", f"/unsubscribe/{token}/undo")
        assert (back.status, "Not done yet" in back.json) == (503, True)
        assert "Stop these emails?" in (await client.request("GET", f"/unsubscribe/{token}")).json
        assert inbox.messages == []
        connection.execute(f"alter database {name} allow_connections true")
    assert (await client.send("key-1")).status == 200


async def test_database_that_fails_before_the_body_leaves_frees_the_key(
    client: ServiceClient, inbox: SmtpInbox, mail_database: str
) -> None:
    with psycopg.connect(mail_database, autocommit=True) as connection:
        connection.execute(
            "create function mail_service.fails() returns trigger language plpgsql as"
            " $$ begin raise exception 'no'; end $$"
        )
        trigger = "trigger fails before update on mail_service.message"
        connection.execute(f"create {trigger} for each row execute function mail_service.fails()")
        assert (await client.send("key-1")).json["code"] == "database_unavailable"
        connection.execute("drop trigger fails on mail_service.message")
    assert inbox.messages == []
    assert (await client.send("key-1")).status == 200


@pytest.fixture
def certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """A certificate of 127.0.0.1 that this process trusts."""
    path = tmp_path / "cert.pem"
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    return own_certificate(path)


async def test_starttls_and_login(mail_database: str, certificate: ssl.SSLContext) -> None:
    """An email over an encrypted connection; a wrong password is 503, since no caller can help it."""
    settings = {"SMTP_TLS": "starttls", "SMTP_USERNAME": "user"}
    async with SmtpInbox(tls=certificate, login=("user", "right")) as inbox:
        async with served(environment(mail_database, inbox, SMTP_PASSWORD="right", **settings)) as client:
            assert (await client.send("key-1")).status == 200
        async with served(environment(mail_database, inbox, SMTP_PASSWORD="wrong", **settings)) as client:
            answer = await client.send("key-2")
    assert (answer.status, answer.json["code"]) == (503, "smtp_refused")
    assert len(inbox.messages) == 1


async def test_a_refused_login_is_not_tried_with_each_email(
    mail_database: str, certificate: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That would lock the account. After five minutes one waiting email tries it; `doctor` may at any time."""
    settings = {"SMTP_TLS": "starttls", "SMTP_USERNAME": "user", "SMTP_PASSWORD": "new", "SMTP_POOL_SIZE": "2"}
    async with (
        SmtpInbox(tls=certificate, login=("user", "right")) as inbox,
        served(environment(mail_database, inbox, **settings)) as client,
    ):
        with monkeypatch.context() as time_over:
            time_over.setattr(smtp, "TIMES", smtp.SmtpTimes(retry_after_refused_login=0))
            answer = await client.send("key-1")
        assert (answer.status, answer.json["code"], inbox.connections) == (503, "smtp_refused", 1)
        answers = await asyncio.gather(*(client.send(f"key-{number}") for number in range(2, 22)))
        assert {answer.status for answer in answers} == {503}
        assert all(200 < int(answer.headers["Retry-After"]) <= 300 for answer in answers)
        assert inbox.connections == 2
        await inbox.refuse()
        async with SmtpInbox(inbox.smtp_port, tls=certificate, login=("user", "new")):
            assert (await client.send("key-1")).status == 503
            token = {"Authorization": f"Bearer {TOKEN}"}
            assert (await client.request("GET", "/smtp", headers=token)).status == 200
            assert (await client.send("key-1")).status == 200


async def test_whether_the_smtp_server_lets_us_in_is_told_before_an_email_finds_out(
    mail_database: str, certificate: ssl.SSLContext
) -> None:
    """To the token's owner only, and no matter of readiness: what became of an email is told without SMTP, too."""
    settings = {"SMTP_TLS": "starttls", "SMTP_USERNAME": "user", "SMTP_POOL_SIZE": "1"}
    token = {"Authorization": f"Bearer {TOKEN}"}
    async with SmtpInbox(tls=certificate, login=("user", "right")) as inbox:
        async with served(environment(mail_database, inbox, SMTP_PASSWORD="right", **settings)) as client:
            await client.send("key-1")
            answers = await asyncio.gather(*(client.request("GET", "/smtp", headers=token) for _ in range(3)))
            assert {(answer.status, str(answer.json)) for answer in answers} == {(200, "{'status': 'ok'}")}
            assert (await client.request("GET", "/smtp")).status == 401
        async with served(environment(mail_database, inbox, SMTP_PASSWORD="wrong", **settings)) as client:
            answer = await client.request("GET", "/smtp", headers=token)
            assert (answer.status, answer.json["code"]) == (503, "smtp_refused")
            assert "login (535" in answer.json["detail"]
            await inbox.refuse()
            answer = await client.request("GET", "/smtp", headers=token)
            assert (answer.status, answer.json["code"]) == (503, "smtp_unavailable")
            assert (await client.request("GET", "/health/ready")).status == 200
            assert (await client.status("key-1")).json["status"] == "accepted"
    assert len(inbox.messages) == 1


async def test_nothing_is_sent_in_clear_when_encryption_is_asked_for(mail_database: str, inbox: SmtpInbox) -> None:
    """A server without STARTTLS receives no address, nor does an attacker who hides STARTTLS."""
    async with served(environment(mail_database, inbox, SMTP_TLS="starttls")) as client:
        answer = await client.send("key-1")
    assert (answer.json["code"], "STARTTLS" in answer.json["detail"]) == ("smtp_unavailable", True)
    async with served(environment(mail_database, inbox, SMTP_TLS="tls")) as client:
        answer = await client.send("key-1")
    assert (answer.json["code"], "SMTP_PORT" in answer.json["detail"]) == ("smtp_unavailable", True)
    assert inbox.messages == []


async def test_a_certificate_of_somebody_else_is_refused(
    mail_database: str, certificate: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    async with (
        SmtpInbox(tls=certificate) as inbox,
        served(environment(mail_database, inbox, SMTP_TLS="starttls")) as client,
    ):
        with capture_logs() as logs:
            assert (await client.send("key-1")).json["code"] == "smtp_unavailable"
    assert "certificate" in logs[0]["detail"], "a server that answers is not looked for in vain"
    assert inbox.messages == []


async def test_a_full_queue_says_so(mail_database: str, inbox: SmtpInbox) -> None:
    """Beyond what the pool can take soon: 429 with Retry-After, and the key stays free."""
    inbox.faults.hold = asyncio.Event()
    async with served(environment(mail_database, inbox, SMTP_POOL_SIZE="1")) as client:
        sending = [asyncio.create_task(client.send(f"key-{number}")) for number in range(17)]
        await inbox.wait_for_count(1)
        for number in range(17):
            await client.until(f"key-{number}", "in_flight")
        answer, status = await client.send("one-more"), await client.status("one-more")
        inbox.faults.hold.set()
        assert (answer.status, answer.json["code"], answer.headers["Retry-After"]) == (429, "busy", "2")
        assert status.status == 404
        assert {answer.status for answer in await asyncio.gather(*sending)} == {200}
    assert len(inbox.messages) == 17


async def test_unsubscribing_takes_a_post(client: ServiceClient, inbox: SmtpInbox) -> None:
    """A GET changes nothing, a POST suppresses whatever the letter case, the token shows no address."""
    await client.send("key-1")
    url = (inbox.messages[0].header("List-Unsubscribe") or "").strip("<>")
    path = url.removeprefix("http://127.0.0.1:8090")
    assert EMAIL.split("@")[0].lower() not in path.lower()
    assert path not in inbox.messages[0].html + inbox.messages[0].text, "its links lead to the app alone"
    asked = await client.request("GET", path)
    assert asked.status == 200
    assert '<form method="post">' in asked.json
    assert (await client.send("key-2")).json["duplicate"] is False
    done = await client.request("POST", path, data={"List-Unsubscribe": "One-Click"})
    assert done.status == 200
    assert (await client.send("key-3")).json == {"suppressed": True}
    assert (await client.send("key-4", to={"email": EMAIL.lower(), "name": ""})).json == {"suppressed": True}
    assert (await client.send("key-5", to={"email": "other@example.net", "name": ""})).status == 200
    assert (await client.send("key-1")).json["duplicate"] is True
    assert len(inbox.messages) == 3


@pytest.mark.parametrize(("template", "answered"), [("gift_waiting", "suppressed"), ("relayer_stopped", "messageId")])
async def test_who_unsubscribed_gets_no_gift_either_and_operators_are_told_all_the_same(
    client: ServiceClient, inbox: SmtpInbox, mail_database: str, template: str, answered: str
) -> None:
    hasher = AddressHasher(
        MailServiceSettings.from_environ(environment(mail_database, inbox)).hash_key.get_secret_value()
    )
    await client.request("POST", f"/unsubscribe/{hasher.make_unsubscribe_token(parse_address(EMAIL))}")
    asked = TEMPLATES[template]
    links = {
        name: str(asked.sample[name]).format(origin=ORIGIN, gift_origin=ORIGIN)
        for name in ("actionUrl", "claimUrl")
        if name in asked.sample
    }
    email = {
        "template": template,
        "templateVersion": asked.version,
        "to": {"email": EMAIL, "name": ""},
        "variables": {**asked.sample, **links},
        "category": asked.category,
    }
    headers = {"Authorization": f"Bearer {TOKEN}", "Idempotency-Key": "key-1"}
    assert answered in (await client.request("POST", "/send", json=email, headers=headers)).json


async def test_who_stopped_emails_by_mistake_finds_the_way_back(client: ServiceClient, inbox: SmtpInbox) -> None:
    """By the button of the page that stopped them, and by any link of an email later; again a GET changes nothing."""
    await client.send("key-1")
    path = (inbox.messages[0].header("List-Unsubscribe") or "").strip("<>").removeprefix("http://127.0.0.1:8090")
    token = path.rpartition("/")[2]
    for key, page in (("key-2", await client.request("POST", path)), ("key-3", await client.request("GET", path))):
        assert f'<form method="post" action="{token}/undo">' in page.json
        assert (await client.send(key)).json == {"suppressed": True}
    assert (await client.request("GET", f"{path}/undo")).status == 405
    assert (await client.send("key-4")).json == {"suppressed": True}
    back = await client.request("POST", f"{path}/undo")
    assert (back.status, "address was deleted already, we no longer have it" in back.json) == (200, True)
    assert (await client.send("key-5")).json["duplicate"] is False
    assert "Stop these emails?" in (await client.request("GET", path)).json


async def test_a_preview_reads_as_the_email_and_its_links_do_nothing(mail_database: str, inbox: SmtpInbox) -> None:
    """It is shown to another person than the addressee, who must not be able to end the addressee's emails."""
    more = {"MAIL_SERVICE_PUBLIC_URL": f"{ORIGIN}/mail", "MAIL_SERVICE_EMAIL_PAGE_URL": f"{ORIGIN}/emails"}
    async with served(environment(mail_database, inbox, **more)) as client:
        email = {"language": "de", "number": "7KQ2-M0XD-4RTV-93HB", "reference": "ab" * 32}
        await client.send("key-1", **email)
        headers = {"Authorization": f"Bearer {TOKEN}"}
        shown = await client.request("POST", "/preview", json=body(**email), headers=headers)
        [sent] = inbox.messages
        assert shown.json["subject"] == sent.subject
        own = re.compile(r"(unsubscribe|forget)/[^ \n]+|[0-9A-Z]{4}(?:-[0-9A-Z]{4}){3}")
        assert own.sub("", shown.json["text"]) == own.sub("", sent.text)
        assert "7KQ2-M0XD" in sent.text
        assert "0000-0000-0000-0000" in shown.json["text"]
        for page in ("unsubscribe", "forget"):
            (link,) = re.findall(rf"{ORIGIN}/mail(/{page}/[^ \n]+)", shown.json["text"])
            assert (await client.request("POST", link)).status == 404
        assert (await client.send("key-2")).json["duplicate"] is False
        assert len(inbox.messages) == 2, "the preview sent nothing"
        assert len(rows(mail_database)) == 2, "the preview stored nothing"


async def test_who_unsubscribed_is_told_to_the_caller_in_order(client: ServiceClient, inbox: SmtpInbox) -> None:
    await client.send("key-1")
    url = (inbox.messages[0].header("List-Unsubscribe") or "").strip("<>")
    await client.request("POST", url.removeprefix("http://127.0.0.1:8090"))
    headers = {"Authorization": f"Bearer {TOKEN}"}
    for emails, status, expected in (
        (["other@example.net", EMAIL.lower(), "third@example.net"], 200, {"suppressed": [False, True, False]}),
        ([], 200, {"suppressed": []}),
        (["zoe"], 422, None),
        (["a@example.net"] * 201, 400, None),
    ):
        answer = await client.request("POST", "/suppressed", json={"emails": emails}, headers=headers)
        assert answer.status == status
        assert expected is None or answer.json == expected


async def test_a_forged_unsubscribe_token_does_nothing(
    client: ServiceClient, inbox: SmtpInbox, mail_database: str
) -> None:
    await client.send("key-1")
    token = (inbox.messages[0].header("List-Unsubscribe") or "").rpartition("/")[2].strip(">")
    forged = ("B" if token[0] == "A" else "A") + token[1:]
    for bad in (forged, token[:-8], "x", "%E2%82%AC"):
        assert (await client.request("POST", f"/unsubscribe/{bad}")).status == 404
        assert (await client.request("POST", f"/unsubscribe/{bad}/undo")).status == 404
    with psycopg.connect(mail_database) as connection:
        assert connection.execute("select count(*) from mail_service.suppression").fetchone() == (0,)


async def test_a_bad_request_is_refused(client: ServiceClient, inbox: SmtpInbox) -> None:
    """And the log says what is wrong with it: after three times the worker's email is dead until that is repaired."""
    for changes, status, code in (
        ({"template": "no_such"}, 400, "unknown_template"),
        ({"templateVersion": 2}, 400, "unknown_template"),
        ({"category": "ops"}, 400, "wrong_category"),
        ({"category": "spam"}, 400, "malformed"),
        ({"extra": 1}, 400, "malformed"),
        ({"language": "en\r\nBcc: x@example.org"}, 400, "malformed"),
        ({"variables": {"deadline": None}}, 400, "missing_variable"),
        ({"variables": {"amount": "1"}}, 400, "unknown_variable"),
        ({"variables": {"actionUrl": "https://app.example.org.evil.example/x"}}, 400, "foreign_url"),
        ({"to": {"email": EMAIL, "name": "Zoe\r\nBcc: x@example.org"}}, 400, "bad_name"),
        ({"to": {"email": "zoe@example.net\r\nBcc: x@example.org", "name": ""}}, 422, "bad_address"),
        ({"to": {"email": "zoe", "name": ""}}, 422, "bad_address"),
        ({"variables": {"legacyName": "x" * 300_000}}, 413, "request_entity_too_large"),
    ):
        with capture_logs() as logs:
            answer = await client.send("key-1", **changes)
        assert (answer.status, answer.json["code"]) == (status, code)
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert [(line["event"], line["key"], line["status"], line["code"]) for line in logs] == [
            ("refused", "key-1", status, code)
        ]
        assert "zoe" not in (str(answer.json) + str(logs)).lower()
        assert (await client.status("key-1")).status == 404
        assert inbox.messages == []


@pytest.mark.core
async def test_time_that_nobody_can_read_is_refused(client: ServiceClient, inbox: SmtpInbox) -> None:
    """A calendar file and other languages need the time itself."""
    for text in ("next Tuesday", "Tuesday, 31 February 2026, 15:04 UTC", "2026-11-24T15:04:00Z", "٣", "9" * 300):
        answer = await client.send(variables={"deadline": text})
        assert (answer.status, answer.json["code"]) == (422, "bad_time")
        assert answer.json["errors"][0]["pointer"] == "/variables/deadline"
        assert text not in str(answer.json)
    assert inbox.messages == []


async def test_foreign_text_in_any_variable_of_any_template_is_no_error_of_ours(
    client: ServiceClient, inbox: SmtpInbox
) -> None:
    for template in TEMPLATES.values():
        known = {**template.sample}
        for name in {"actionUrl", "claimUrl"} & known.keys():
            known[name] = f"{ORIGIN}/x"
        for variable in template.variables:
            for text in ("31 February 0000", "a\0b"):
                given = {**body(template=template.name, category=template.category)}
                given["variables"] = {**known, variable.name: text}
                headers = {"Authorization": f"Bearer {TOKEN}", "Idempotency-Key": uuid4().hex}
                answer = await client.request("POST", "/send", json=given, headers=headers)
                assert answer.status in (200, 400, 422), (template.name, variable.name, text, answer.json)


async def test_numbers_and_keys_that_the_database_cannot_hold_are_refused(client: ServiceClient) -> None:
    """The answer does not blame the database."""
    headers = {"Authorization": f"Bearer {TOKEN}"}
    for path in ("/bounces", "/forgotten"):
        for number in (-1, 2**63, 10**40, "9" * 5000, "x", "%00"):
            assert (await client.request("GET", f"{path}?after={number}", headers=headers)).status == 400, number
    for key in ("%00", "a%00b", "%ff", "%ed%a0%80", "x" * 201):
        assert (await client.request("GET", f"/messages/{key}", headers=headers)).status == 404, key


async def test_only_the_token_opens(client: ServiceClient, inbox: SmtpInbox) -> None:
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": TOKEN}, {"Authorization": "Bearer é"}):
        answer = await client.request("POST", "/send", json=body(), headers={"Idempotency-Key": "key-1", **headers})
        assert (answer.status, answer.json["code"]) == (401, "unauthorized")
        assert (await client.request("GET", "/messages/key-1", headers=headers)).status == 401
        for path in ("/preview", "/suppressed"):
            assert (await client.request("POST", path, json=body(), headers=headers)).status == 401
    assert inbox.messages == []


async def test_a_key_is_required(client: ServiceClient) -> None:
    answer = await client.request("POST", "/send", json=body(), headers={"Authorization": f"Bearer {TOKEN}"})
    assert (answer.status, answer.json["code"]) == (400, "missing_idempotency_key")
    with capture_logs() as logs:
        assert (await client.send("zoe@example.net")).json["code"] == "bad_idempotency_key"
    assert "zoe" not in str(logs), "what is no key may be anything"


async def test_templates_and_previews_are_pages(client: ServiceClient) -> None:
    listed = (await client.request("GET", "/templates")).json["templates"]
    assert {"before_activation", "instructions"} <= {template["name"] for template in listed}
    for template in listed:
        shown = await client.request("GET", f"/templates/{template['name']}/preview")
        assert (shown.status, shown.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
        assert "cid:" not in shown.json, "a browser finds no other part of an email"
        text = await client.request("GET", f"/templates/{template['name']}/preview?part=text&role=owner")
        assert text.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert (await client.request("GET", "/templates/no_such/preview")).status == 404


async def test_nothing_personal_is_kept_or_logged(mail_database: str, inbox: SmtpInbox, tmp_path: Path) -> None:
    """Neither tables nor log hold the address, the name or the words of an email, whatever the outcome."""
    log = tmp_path / "log"
    async with process(environment(mail_database, inbox), usable_port(), log) as (_, client):
        await client.send("key-1")
        inbox.faults.reply_to_rcpt = f"550 5.1.1 <{EMAIL}> unknown"
        await client.send("key-2")
        inbox.faults.reply_to_rcpt = None
        inbox.faults.drop_after_data = True
        await client.send("key-3")
        await client.send("key-4", to={"email": f"{EMAIL} x", "name": NAME})
        await client.send("key-5", variables={"actionUrl": f"https://evil.example/{NAME}"})
        path = (inbox.messages[0].header("List-Unsubscribe") or "").strip("<>").removeprefix("http://127.0.0.1:8090")
        await client.request("POST", path)
    written = log.read_text()
    assert '"outcome": "accepted"' in written
    with psycopg.connect(mail_database) as connection:
        tables = [
            row[0] for row in connection.execute("select tablename from pg_tables where schemaname = 'mail_service'")
        ]
        assert set(tables) == {"bounce", "forgotten", "message", "report_count", "report_reader", "suppression"}
        stored = "".join(
            str(row) for table in tables for row in connection.execute(f"select t::text from mail_service.{table} t")
        )
    for kept in (written, stored):
        lowered = kept.lower()
        assert not any(word in lowered for word in ("quillfeather", "zoe", "evil", "claim open", "24 november"))
        assert EMAIL.lower().encode().hex() not in lowered
    assert "\\x" in stored
