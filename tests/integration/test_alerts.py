"""Alerts to operators: told when something begins and when it is over, at least once, never in a flood."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import SecretStr
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine
from structlog.testing import capture_logs

from devnet.compile import ROOT
from devnet.smtp import SmtpInbox
from reminder_worker.logging import configure_logging
from reminder_worker.outbox.alerts import STORM, AlertOutbox
from reminder_worker.outbox.mail_client import MailClient
from reminder_worker.outbox.messages import AlertKind
from reminder_worker.settings import MailSettings
from tests.integration.mail_service_stack import TOKEN, environment, served
from tests.integration.mail_stub import MailFault, MailStub

OPS = "night.watch@operators.example"
WALLET = "0x" + "ab" * 20
RUNBOOK = "https://wiki.example.org/runbook"
LOW, STUCK = AlertKind.RELAYER_LOW_BALANCE, AlertKind.RELAY_STUCK
FACTS = {"balance_wei": 10**16, "pays_for": 12}


@pytest.fixture
async def mail() -> AsyncIterator[MailStub]:
    async with MailStub() as stub:
        yield stub


def _client(url: str) -> MailClient:
    return MailClient(
        MailSettings.model_validate({"MAIL_URL": url, "MAIL_TOKEN": SecretStr(TOKEN), "MAIL_TIMEOUT": 1.0})
    )


@pytest.fixture
async def alerts(engine: AsyncEngine, mail: MailStub) -> AsyncIterator[AlertOutbox]:
    async with _client(mail.url) as client:
        yield AlertOutbox(engine, client, OPS, {31337: "Testland"})


async def _sql(engine: AsyncEngine, statement: str) -> list[Any]:
    async with engine.begin() as connection:
        result = await connection.execute(text(statement))
        return list(result.all()) if result.returns_rows else []


async def _states(engine: AsyncEngine) -> dict[str, int]:
    return {row.state: row.n for row in await _sql(engine, "select state, count(*) n from worker.alert group by 1")}


async def _hurry(engine: AsyncEngine) -> None:
    await _sql(engine, "update worker.alert set next_try = now() where state = 'queued'")


async def _ten_minutes_pass(engine: AsyncEngine) -> None:
    later = "created_at = created_at - interval '601 s', next_try = next_try - interval '601 s'"
    await _sql(engine, f"update worker.alert set {later}")


def _lines(logs: Any) -> list[tuple[str, str, str]]:
    return [(line["kind"], line["status"], line["log_level"]) for line in logs if line["event"] == "alert"]


# -- what is told -----------------------------------------------------------------------------------


@pytest.mark.core
async def test_a_condition_is_told_when_it_begins_and_once_more_when_it_is_over(
    alerts: AlertOutbox, mail: MailStub
) -> None:
    with capture_logs() as logs:
        for _ in range(3):
            await alerts.raise_condition(None, LOW, WALLET, 31337, FACTS)
            await alerts.run()
        for _ in range(2):
            await alerts.clear_condition(None, LOW, WALLET, 31337, {"balance_wei": 10**18})
            await alerts.run()
        await alerts.raise_condition(None, LOW, WALLET, 31337, FACTS)
        await alerts.run()
    told = ["raised", "cleared", "raised"]
    assert _lines(logs) == [(LOW, "raised", "error"), (LOW, "cleared", "info"), (LOW, "raised", "error")]
    assert [email.variables["status"] for email in mail.inbox] == told
    assert {(email.to, email.template) for email in mail.inbox} == {(OPS, LOW)}
    assert mail.inbox[0].variables["chainName"] == "Testland"
    assert mail.inbox[0].variables["facts"] == [
        {"name": "balance", "value": "0.01 ETH"},
        {"name": "pays for", "value": "12"},
    ]


async def test_the_log_has_every_alert_whatever_else_it_leaves_out(
    engine: AsyncEngine, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without an address to write to nobody else would hear of an upgrade."""
    configure_logging(SimpleNamespace(service=SimpleNamespace(log_level="error", log_format="json")))  # type: ignore[arg-type]
    only_logged = AlertOutbox(engine)
    await only_logged.record_event(None, AlertKind.UPGRADE_SCHEDULED, "0x01", "scheduled", 31337, {})
    await only_logged.raise_condition(None, LOW, WALLET, 31337, FACTS)
    await only_logged.run()
    await only_logged.clear_condition(None, LOW, WALLET, 31337, FACTS)
    await only_logged.run()
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [(line["event"], line["status"]) for line in lines] == [
        ("alert", "event"),
        ("alert", "raised"),
        ("alert", "cleared"),
    ]


async def test_what_was_never_wrong_is_never_over(alerts: AlertOutbox, engine: AsyncEngine) -> None:
    assert not await alerts.clear_condition(None, LOW, WALLET, 31337, {})
    assert await _states(engine) == {}


async def test_an_event_is_told_once_for_each_stage(alerts: AlertOutbox, mail: MailStub) -> None:
    for stage in ("scheduled", "scheduled", "executed", "scheduled"):
        await alerts.record_event(None, STUCK, "operation 7", stage, 31337, {"stage": stage})
    await alerts.run()
    assert [email.variables["facts"][0]["value"] for email in mail.inbox] == ["scheduled", "executed"]


async def test_many_that_see_a_condition_at_once_tell_it_once(alerts: AlertOutbox, engine: AsyncEngine) -> None:
    new = await asyncio.gather(*(alerts.raise_condition(None, LOW, WALLET, 31337, FACTS) for _ in range(20)))
    assert sum(new) == 1
    assert await _states(engine) == {"queued": 1}


async def test_an_alert_of_a_transaction_that_is_rolled_back_was_never_raised(
    alerts: AlertOutbox, engine: AsyncEngine
) -> None:
    async with engine.connect() as connection:
        assert await alerts.raise_condition(connection, LOW, WALLET, 31337, FACTS)
        await connection.rollback()
    assert not await alerts.poll()
    assert await alerts.raise_condition(None, LOW, WALLET, 31337, FACTS)


# -- the log ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("email", [None, OPS], ids=["no mail service", "no address"])
async def test_without_mail_the_log_is_told_and_nothing_waits(engine: AsyncEngine, email: str | None) -> None:
    async with _client("http://127.0.0.1:9") as client:
        alerts = AlertOutbox(engine, None, email) if email else AlertOutbox(engine, client, None)
        await alerts.raise_condition(None, LOW, WALLET, 31337, FACTS)
        with capture_logs() as logs:
            await alerts.run()
            await alerts.run()
    assert _lines(logs) == [(LOW, "raised", "error")]
    assert await _states(engine) == {"log_only": 1}
    assert not await alerts.poll()


async def test_the_log_shows_hashes_and_addresses_and_no_email(alerts: AlertOutbox, capsys: Any) -> None:
    from reminder_worker.privacy.redaction import redact

    tx_hash = "0x" + "12" * 32
    await alerts.raise_condition(None, STUCK, WALLET, 31337, {"tx_hash": tx_hash})
    with capture_logs() as logs:
        await alerts.run()
    shown = str([redact(logging, "error", dict(line)) for line in logs])
    assert tx_hash in shown
    assert WALLET in shown
    assert OPS not in shown


# -- email ------------------------------------------------------------------------------------------


async def test_after_a_restart_with_other_words_the_same_bytes_are_sent(
    alerts: AlertOutbox, engine: AsyncEngine, mail: MailStub
) -> None:
    """The mail service refuses another body under the same key, so an alert is stored with its final words."""
    await alerts.raise_condition(None, LOW, WALLET, 31337, FACTS)
    mail.fail(MailFault.IN_FLIGHT)
    await alerts.run()
    ((key, (_, first)),) = mail._keys.items()
    mail.decide(key)
    await _hurry(engine)
    async with _client(mail.url) as client:
        await AlertOutbox(engine, client, OPS, {31337: "Renamed"}).run()
    assert mail._keys[key][1] == first
    assert mail.inbox[0].key == key


async def test_an_outage_loses_nothing_and_is_not_hammered(
    alerts: AlertOutbox, engine: AsyncEngine, mail: MailStub
) -> None:
    for number in range(STORM):
        await alerts.raise_condition(None, LOW, f"wallet {number}", 31337, FACTS)
    await mail.stop()
    for _ in range(12):
        assert (await alerts.run()).outage
        assert not await alerts.poll()  # all of them wait for the next try
        await _hurry(engine)
    async with engine.connect() as connection:
        assert await connection.scalar(text("select sum(tries) from worker.alert")) == 12, "one of them at a time"
    await mail.start()
    assert (await alerts.run()).sent == STORM
    assert await _states(engine) == {"sent": STORM}


@pytest.mark.parametrize(("seconds", "least"), [(3000, 2900), (0, 2)])
async def test_who_is_told_to_come_back_later_does(
    alerts: AlertOutbox, engine: AsyncEngine, mail: MailStub, seconds: int, least: int
) -> None:
    """Never at once."""
    await alerts.raise_condition(None, LOW, WALLET, 31337, FACTS)
    mail.retry_after = seconds
    mail.fail(MailFault.SLOW_DOWN)
    assert (await alerts.run()).outage
    async with engine.connect() as connection:
        left = await connection.scalar(text(f"select next_try > now() + interval '{least} s' from worker.alert"))
    assert left is True


async def test_a_refused_alert_is_dead_and_shown_and_holds_up_no_other(
    alerts: AlertOutbox, engine: AsyncEngine, mail: MailStub
) -> None:
    await alerts.raise_condition(None, LOW, WALLET, 31337, FACTS)
    await alerts.raise_condition(None, STUCK, WALLET, 31337, FACTS)
    mail.fail(MailFault.REJECTED)
    with capture_logs() as logs:
        report = await alerts.run()
    assert (report.dead, report.sent) == (1, 1)
    assert [line["status"] for line in logs if line["event"] == "alert_refused"] == [422]
    assert await _states(engine) == {"dead": 1, "sent": 1}


@pytest.mark.parametrize("fails", [MailFault.GARBAGE, MailFault.IN_DOUBT])
async def test_one_that_always_fails_holds_up_none_of_the_others(
    alerts: AlertOutbox, engine: AsyncEngine, mail: MailStub, fails: MailFault
) -> None:
    await alerts.raise_condition(None, LOW, WALLET, 31337, FACTS)
    mail.fail(fails)
    await alerts.run()
    await alerts.raise_condition(None, STUCK, WALLET, 31337, FACTS)
    await _hurry(engine)
    await alerts.run()
    assert [email.template for email in mail.inbox] == [STUCK, LOW]


@pytest.mark.parametrize("fails", ["outage", "this one alone"])
async def test_the_end_is_not_told_before_the_beginning(
    alerts: AlertOutbox, engine: AsyncEngine, mail: MailStub, fails: str
) -> None:
    """As when the whole network was down: the beginning waits for its next try, and would be the last word."""
    await alerts.raise_condition(None, LOW, WALLET, 31337, FACTS)
    if fails == "outage":
        await mail.stop()
    else:
        mail.fail(*[MailFault.GARBAGE] * 3)
    for _ in range(3):
        await _hurry(engine)
        assert (await alerts.run()).outage
    await alerts.clear_condition(None, LOW, WALLET, 31337, FACTS)
    await alerts.raise_condition(None, STUCK, WALLET, 31337, FACTS)
    if fails == "outage":
        await mail.start()
    assert (await alerts.run()).sent == 3
    assert [(email.template, email.variables["status"]) for email in mail.inbox] == [
        (STUCK, "raised"),
        (LOW, "raised"),
        (LOW, "cleared"),
    ]


async def test_two_that_deliver_at_once_send_each_alert_once(
    alerts: AlertOutbox, engine: AsyncEngine, mail: MailStub
) -> None:
    for number in range(5):
        await alerts.raise_condition(None, LOW, f"wallet {number}", 31337, FACTS)
    await asyncio.gather(*(alerts.run() for _ in range(4)))
    await _hurry(engine)
    await alerts.run()
    assert sorted(email.variables["about"] for email in mail.inbox) == [f"wallet {number}" for number in range(5)]


async def test_the_real_mail_service_takes_every_alert(engine: AsyncEngine, database_url: str) -> None:
    async with (
        SmtpInbox() as inbox,
        served(environment(database_url, inbox)) as service,
        _client(service.url) as client,
    ):
        alerts = AlertOutbox(engine, client, OPS, {31337: "Testland"})
        for kind in AlertKind:
            await alerts.raise_condition(None, kind, WALLET, 31337, FACTS)
            assert (await alerts.run()).sent == 1
            await _ten_minutes_pass(engine)
    assert [message.to for message in inbox.messages] == [OPS] * len(AlertKind)


async def test_an_alert_names_its_installation_and_its_entry_in_the_runbook(
    engine: AsyncEngine, database_url: str
) -> None:
    async with (
        SmtpInbox() as inbox,
        served(environment(database_url, inbox, RUNBOOK_URL=RUNBOOK)) as service,
        _client(service.url) as client,
    ):
        alerts = AlertOutbox(engine, client, OPS, {31337: "Testland"}, "North")
        await alerts.raise_condition(None, LOW, WALLET, 31337, FACTS)
        assert (await alerts.run()).sent == 1
    (message,) = inbox.messages
    assert "North" in message.text
    assert "North" in message.html
    assert f"{RUNBOOK}#runbook-{LOW}" in message.text
    assert f'href="{RUNBOOK}#runbook-{LOW}"' in message.html


def test_each_kind_of_alert_has_an_entry_in_the_runbook() -> None:
    text = (ROOT / "docs/runbook.md").read_text(encoding="utf-8")
    assert [kind for kind in AlertKind if f'<a id="runbook-{kind}"></a>' not in text] == []


# -- storms -----------------------------------------------------------------------------------------


async def test_a_storm_becomes_one_email_that_counts_every_alert(
    alerts: AlertOutbox, engine: AsyncEngine, mail: MailStub
) -> None:
    for number in range(STORM + 1):
        await alerts.raise_condition(None, LOW, f"wallet {number}", 31337, FACTS)
    with capture_logs() as logs:
        await alerts.run()
        await alerts.run()
    (digest,) = mail.inbox
    assert digest.template == AlertKind.ALERTS_DIGEST
    (row,) = digest.variables["facts"]
    assert row["name"] == "relayer low balance raised"
    assert row["value"].startswith(f"{STORM + 1}: wallet 0 on Testland, wallet 1 on Testland")
    assert len(_lines(logs)) == STORM + 2  # each of them, and the digest
    assert await _states(engine) == {"merged": STORM + 1, "sent": 1}


async def test_a_storm_that_goes_on_is_one_email_in_ten_minutes(
    alerts: AlertOutbox, engine: AsyncEngine, mail: MailStub
) -> None:
    for number in range(3 * STORM):
        await alerts.raise_condition(None, LOW, f"wallet {number}", 31337, FACTS)
        await alerts.run()
    own = [email for email in mail.inbox if email.template == LOW]
    digests = [email for email in mail.inbox if email.template == AlertKind.ALERTS_DIGEST]
    assert (len(own), len(digests)) == (STORM, 1)
    assert not await alerts.poll()  # the rest waits until the ten minutes are over
    await _ten_minutes_pass(engine)
    assert await alerts.poll()
    await alerts.run()
    assert len(mail.inbox) == STORM + 2
    assert (await _states(engine)).get("queued") is None
