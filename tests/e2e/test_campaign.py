"""A short campaign of faults; the long one is `make prove`."""

import asyncio
from collections.abc import Iterator

import pytest

from tests.campaign import mail, relay, reminders
from tests.campaign.postgres import Postgres, postgres


@pytest.fixture(scope="module")
def own_postgres() -> Iterator[Postgres]:
    """Not the other tests': it is restarted under way."""
    with postgres() as opened:
        yield opened


@pytest.mark.timeout(300)
def test_a_life_full_of_faults_emails_everybody_once_and_loses_nothing(own_postgres: Postgres) -> None:
    life = asyncio.run(reminders.live(1, 15, own_postgres))
    assert life.violations == [], "\n".join(life.story)
    assert sum(life.faults.values()) >= 15


@pytest.mark.timeout(300)
def test_a_life_full_of_faults_relays_each_authorization_once_to_the_wei(own_postgres: Postgres) -> None:
    life = relay.live(1, 6, own_postgres)
    assert life.violations == [], "\n".join(life.story)
    assert sum(life.faults.values()) > 10


@pytest.mark.timeout(300)
def test_a_life_full_of_faults_of_the_mail_service_counted_by_smtp(own_postgres: Postgres) -> None:
    life = asyncio.run(mail.live(1, 8, own_postgres))
    assert life.violations == [], "\n".join(life.story)
    assert sum(life.faults.values()) >= 8
