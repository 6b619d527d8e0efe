"""Findings of `doctor` about a real mail service that differs from the worker."""

import re
import time
from types import SimpleNamespace

import pytest

from devnet.smtp import SmtpInbox
from mail_service.catalogue import TEMPLATES
from reminder_worker.doctor import mail
from reminder_worker.doctor.mail import describe_reports, examine_mail
from reminder_worker.outbox.delivery_reports import ReportReading
from reminder_worker.settings import Settings
from tests.integration.conftest import AnvilChain
from tests.integration.mail_service_stack import KEY_32, ORIGIN, TOKEN, environment, served

GIFTS = "https://gifts.example.org"


def _settings(chain: AnvilChain, url: str, **changes: str) -> Settings:
    environ = {
        **chain.deployment.settings_environ(31337, chain.anvil.url),
        "CHAINS": "31337",
        "CHAIN_31337_SIGNAL_BLOCK": "latest",
        "DATABASE_URL": "postgresql://localhost/none",
        "EMAIL_ENC_KEY": KEY_32,
        "HASH_KEY": KEY_32,
        "APP_ORIGIN": ORIGIN,
        "MAIL_URL": url,
        "MAIL_TOKEN": TOKEN,
        "GIFT_ORIGINS": GIFTS,
        "OPS_EMAIL": "operators@example.org",
    }
    return Settings.from_environ(environ | changes)


async def test_a_setting_that_kills_emails_is_named_before_the_first(
    anvil_chain: AnvilChain, mail_database: str, inbox: SmtpInbox
) -> None:
    async with served(environment(mail_database, inbox, GIFT_ORIGINS=GIFTS)) as client:
        for changes, good, words in (
            ({}, True, "writes our emails, its SMTP server lets it in"),
            ({"APP_ORIGIN": "HTTPS://App.Example.org:443"}, True, "writes our emails"),
            ({"APP_ORIGIN": "https://www.example.org"}, False, "refuses links to our APP_ORIGIN"),
            ({"GIFT_ORIGINS": f"{GIFTS},https://more.example.org"}, False, "refuses links to some of our GIFT_ORIGINS"),
            ({"MAIL_TOKEN": "another-token-than-theirs"}, False, "refuses our token"),
        ):
            _, found, said = await examine_mail(_settings(anvil_chain, client.url, **changes))
            assert (found, words in said) == (good, True), said


async def test_an_smtp_server_that_takes_no_email_is_named_before_the_first(
    anvil_chain: AnvilChain, mail_database: str, inbox: SmtpInbox
) -> None:
    environ = environment(mail_database, inbox, GIFT_ORIGINS=GIFTS, SMTP_USERNAME="user", SMTP_PASSWORD="a-password")
    async with served(environ) as client:
        _, found, said = await examine_mail(_settings(anvil_chain, client.url))
    assert (found, "does not let it in" in said, "AUTH" in said) == (False, True, True), said
    assert "password" not in said


@pytest.mark.parametrize(("hours", "words"), [(3, "hours behind"), (-400 * 24, "days ahead of")])
async def test_a_mail_service_whose_clock_is_another_is_named(
    anvil_chain: AnvilChain,
    mail_database: str,
    inbox: SmtpInbox,
    monkeypatch: pytest.MonkeyPatch,
    hours: int,
    words: str,
) -> None:
    """It dates the emails."""
    monkeypatch.setattr(mail, "time", SimpleNamespace(time=lambda: time.time() + hours * 3600))
    async with served(environment(mail_database, inbox, GIFT_ORIGINS=GIFTS)) as client:
        _, found, said = await examine_mail(_settings(anvil_chain, client.url))
    assert (found, words in said) == (False, True), said


async def test_a_mail_service_that_does_not_know_an_email_is_named_with_it(
    anvil_chain: AnvilChain, mail_database: str, inbox: SmtpInbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = {name: template for name, template in TEMPLATES.items() if name not in ("gift_waiting", "relay_stuck")}
    monkeypatch.setattr("mail_service.app.TEMPLATES", older)
    async with served(environment(mail_database, inbox, GIFT_ORIGINS=GIFTS)) as client:
        _, found, said = await examine_mail(_settings(anvil_chain, client.url))
    assert found is False
    assert re.search(r"does not write gift_waiting, relay_stuck in version 1\b", said)


@pytest.mark.parametrize(
    ("reading", "verdict", "words"),
    [
        (None, None, "does not say whether it reads any"),
        (ReportReading(taken=7), None, "no mailbox is read (REPORT_IMAP_HOST of the mail service); so far 7 taken"),
        (ReportReading(unread=2), None, "was not read yet; 2 unread"),
        (ReportReading(unread=2, look_age=300), True, "was last read 5 minutes ago; 2 unread, so far 0 taken"),
        (ReportReading(unread=2, look_age=3601), False, "see reports_not_read in the runbook"),
        (ReportReading(unread=2, set_aside=1, set_aside_age=60), False, "failed twice in the last day; 2 unread"),
    ],
)
def test_reading_of_delivery_reports_is_described(
    reading: ReportReading | None, verdict: bool | None, words: str
) -> None:
    _, found, said = describe_reports(reading)
    assert (found, words in said) == (verdict, True), said
