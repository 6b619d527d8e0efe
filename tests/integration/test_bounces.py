"""The worker learns of emails that came back, with the real mail service, SMTP server and chain."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine
from structlog.testing import capture_logs

from devnet.scenarios import DAY, Legacy, Scenario
from devnet.smtp import SmtpInbox
from mail_service.addresses import AddressHasher
from mail_service.bounces import ReportBook
from mail_service.report_store import ReportStore
from mail_service.reports import parse_report
from mail_service.settings import MailServiceSettings
from mail_service.store import MailStore
from reminder_worker.gifts.emails import GiftLedger
from reminder_worker.monitoring.retention import forget_expired
from reminder_worker.outbox.bounces import BounceReader, count_bounces
from reminder_worker.reminders.emails import ReminderLedger
from tests.delivery_reports import REPORTER_TEXT, complaint, postfix
from tests.integration.api_world import open_world as open_api
from tests.integration.api_world import person
from tests.integration.mail_service_stack import environment, served
from tests.integration.mail_stub import MailStub
from tests.integration.reminder_world import MailWorld, open_world

ANNA, BEN = "anna@example.org", "ben@example.org"


def bounce_reader(world: MailWorld) -> BounceReader:
    return BounceReader(world.engine, world.client, (ReminderLedger.statements, GiftLedger.statements))


@asynccontextmanager
async def running(
    engine: AsyncEngine, scenario: Scenario, inbox: SmtpInbox
) -> AsyncIterator[tuple[MailWorld, ReportBook]]:
    """A worker with its mail service, and where reports come in."""
    environ = environment(engine.url.render_as_string(hide_password=False), inbox)
    settings = MailServiceSettings.from_environ(environ)
    hasher = AddressHasher(settings.hash_key.get_secret_value())
    async with (
        served(environ) as service,
        MailStore.open(settings.database_url.get_secret_value(), 1) as store,
        open_world(engine, scenario, service) as world,
    ):
        yield world, ReportBook(ReportStore(store.engine), hasher, settings.sender[1].domain)


async def open_window(world: MailWorld, *people: str) -> Legacy:
    legacy = world.legacy(inactivity=30 * DAY)
    await world.save(legacy, *people)
    world.scenario.advance(24 * DAY)
    await world.tick()
    return legacy


async def report(book: ReportBook, inbox: SmtpInbox, to: str, raw_of: object = postfix, *more: str) -> None:
    """Bring a report about the latest email to this address."""
    message_id = [message.header("Message-ID") for message in inbox.messages if message.to == to][-1]
    assert callable(raw_of)
    parsed = parse_report(raw_of(message_id, to, *more))
    assert parsed is not None
    assert await book.take_report(parsed)


def written_to(inbox: SmtpInbox) -> list[str]:
    return sorted(message.to for message in inbox.messages)


@pytest.mark.core
async def test_an_address_that_does_not_exist_gets_no_further_email_and_others_do(
    engine: AsyncEngine, chain_scenario: Scenario, inbox: SmtpInbox
) -> None:
    async with running(engine, chain_scenario, inbox) as (world, book):
        legacy = await open_window(world, "anna", "ben")
        assert not await bounce_reader(world).look()
        await report(book, inbox, ANNA)
        await report(book, inbox, BEN, postfix, "5.2.2")
        assert await bounce_reader(world).look()
        found = await bounce_reader(world).run()
        assert (found.returned, found.addresses) == (2, 2)
        assert not await bounce_reader(world).look()
        assert await count_bounces(engine) == {"mailbox_full": 1, "mailbox_unknown": 1}
        inbox.clear()
        world.scenario.check_in(world.account("owner"), legacy)
        await world.tick()
        assert written_to(inbox) == [BEN]
        assert (await world.states("owner_reset"))["suppressed:bounced"] == 1


async def test_a_corrected_address_gets_what_came_back_and_is_not_blamed_for_it(
    engine: AsyncEngine, chain_scenario: Scenario, inbox: SmtpInbox
) -> None:
    async with running(engine, chain_scenario, inbox) as (world, book):
        legacy = await open_window(world, "anna", "ben")
        await report(book, inbox, ANNA)
        await report(book, inbox, BEN)
        assert (await bounce_reader(world).run()).addresses == 2
        inbox.clear()
        await world.save(legacy, emails={world.address("anna"): "anna@right.example"})
        await world.tick()
        assert written_to(inbox) == ["anna@right.example"]


async def test_a_report_about_an_earlier_address_blames_nobody(
    engine: AsyncEngine, chain_scenario: Scenario, inbox: SmtpInbox
) -> None:
    async with running(engine, chain_scenario, inbox) as (world, book):
        legacy = await open_window(world, "anna")
        await report(book, inbox, ANNA)
        await world.save(legacy, emails={world.address("anna"): "anna@right.example"})
        assert (await bounce_reader(world).run()).addresses == 0
        assert await count_bounces(engine) == {}


async def test_a_complaint_ends_the_emails(engine: AsyncEngine, chain_scenario: Scenario, inbox: SmtpInbox) -> None:
    async with running(engine, chain_scenario, inbox) as (world, book):
        legacy = await open_window(world, "anna", "ben")
        await report(book, inbox, ANNA, complaint)
        assert (await bounce_reader(world).run()).returned == 0
        inbox.clear()
        world.scenario.check_in(world.account("owner"), legacy)
        await world.tick()
        assert written_to(inbox) == [BEN]


async def test_no_word_of_a_report_is_kept_or_logged(
    engine: AsyncEngine, chain_scenario: Scenario, inbox: SmtpInbox
) -> None:
    async with running(engine, chain_scenario, inbox) as (world, book):
        await open_window(world, "anna")
        with capture_logs() as logs:
            await report(book, inbox, ANNA)
            await bounce_reader(world).run()
        tables = await world.sql(
            "select table_schema || '.' || table_name as name from information_schema.tables"
            " where table_schema in ('worker', 'mail_service')"
        )
        kept = repr(logs)
        for table in tables:
            kept += repr([row.t for row in await world.sql(f"select t::text as t from {table.name} t")])
        assert "mailbox_unknown" in kept
        for secret in (REPORTER_TEXT, ANNA, ANNA.encode().hex(), "User unknown", "mx.example"):
            assert secret not in kept


async def test_a_mail_service_that_knows_of_none_or_fails_stops_nothing(world: MailWorld) -> None:
    """Any service with the contract of before will do."""
    assert isinstance(world.mail, MailStub)
    assert not await bounce_reader(world).look()
    await world.mail.stop()
    with capture_logs() as logs:
        assert (await bounce_reader(world).run()).returned == 0
    assert [line["event"] for line in logs] == ["bounces_not_read"]


@pytest.mark.core
async def test_the_creator_sees_what_came_back_until_a_set_is_signed_again(
    engine: AsyncEngine, chain_scenario: Scenario
) -> None:
    async with open_api(chain_scenario, engine) as world:
        owner = world.owner()
        legacy = world.legacy(owner)
        people = [person(1), person(2)]
        await world.ingest(owner, legacy, people)
        await world.sql(
            "insert into worker.bounce (email_hash, reason)"
            " select email_hash, 'mailbox_unknown' from worker.recipient where recipient = :r",
            r=f"0x{1:040x}",
        )

        async def shown() -> list[tuple[str | None, str | None, bool]]:
            answer = await world.call(owner, "ReadRecipients", legacy)
            found = answer.body["recipients"]
            return [(each.get("delivery"), each.get("bounceReason"), "bouncedAt" in each) for each in found]

        assert await shown() == [("bounced", "mailbox_unknown", True), (None, None, False)]
        assert await forget_expired(engine) == 0
        before = await world.sql("select recipient, salt, written_at from worker.recipient order by recipient")
        await world.ingest(owner, legacy, people)
        assert await shown() == [(None, None, False)] * 2
        after = await world.sql("select recipient, salt, written_at from worker.recipient order by recipient")
        assert [old.salt == new.salt for old, new in zip(before, after, strict=True)] == [False, True]


async def test_an_address_that_nobody_has_is_forgotten(engine: AsyncEngine, chain_scenario: Scenario) -> None:
    async with open_api(chain_scenario, engine) as world:
        owner = world.owner()
        legacy = world.legacy(owner)
        await world.ingest(owner, legacy, [person(1)])
        await world.sql("insert into worker.bounce select email_hash, 'other' from worker.recipient")
        await world.call(owner, "EraseLegacy", legacy)
        await forget_expired(engine)
        assert await count_bounces(engine) == {}
