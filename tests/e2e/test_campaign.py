"""A short campaign of faults; the long one is `make prove`."""

import asyncio
from collections.abc import Iterator

import pytest

from tests.campaign import mail, relay, reminders
from tests.campaign.postgres import RealPostgres, postgres
from tests.campaign.smtp import ScriptedSmtp, SmtpMishap


@pytest.fixture(scope="module")
def own_postgres() -> Iterator[RealPostgres]:
    """Not the other tests': it is restarted under way."""
    with postgres() as opened:
        yield opened


def test_a_life_full_of_faults_emails_everybody_once_and_loses_nothing(own_postgres: RealPostgres) -> None:
    life = asyncio.run(reminders.live(1, 12, own_postgres))
    assert life.violations == [], "\n".join(life.story)
    assert sum(life.faults.values()) >= 12


def test_a_life_full_of_faults_relays_each_authorization_once_to_the_wei(own_postgres: RealPostgres) -> None:
    life = relay.live(1, 6, own_postgres)
    assert life.violations == [], "\n".join(life.story)
    assert sum(life.faults.values()) > 10


def test_a_life_full_of_faults_of_the_mail_service_counted_by_smtp(own_postgres: RealPostgres) -> None:
    life = asyncio.run(mail.live(1, 6, own_postgres))
    assert life.violations == [], "\n".join(life.story)
    assert sum(life.faults.values()) >= 6


async def test_the_smtp_server_of_a_life_ends_with_everything_it_started() -> None:
    """Also while a connection waits for its next word, and one for a server that is slow."""
    async with ScriptedSmtp() as smtp:
        smtp.mishaps.append(SmtpMishap("ehlo", 60.0))
        for word in (b"NOOP\r\n", b"EHLO me\r\n"):
            reader, writer = await asyncio.open_connection("127.0.0.1", smtp.port)
            await reader.readline()
            writer.write(word)
        while smtp.mishaps:  # noqa: ASYNC110 - of another thread
            await asyncio.sleep(0.01)
    assert asyncio.all_tasks(smtp._loop) == set()
    assert smtp._loop.is_closed()
    assert await reader.read() == b""
