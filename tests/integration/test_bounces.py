"""The worker learns of emails that came back, with the real mail service, SMTP server and chain."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

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
from reminder_worker.declarations import ExpectedPass, FactScope
from reminder_worker.gifts.emails import GiftLedger
from reminder_worker.monitoring.erasure import erase_person
from reminder_worker.monitoring.retention import forget_expired
from reminder_worker.outbox.bounces import BounceReader, count_bounces, forget_bounces
from reminder_worker.outbox.delivery_reports import ReportReading, read_report_reading
from reminder_worker.outbox.feature import REPORTS
from reminder_worker.outbox.mail_client import MailClient, ReturnedEmail
from reminder_worker.outbox.operator import count_settled
from reminder_worker.reminders.emails import ReminderLedger
from reminder_worker.settings import MailSettings
from tests.delivery_reports import REPORTER_TEXT, complaint, postfix
from tests.integration.api_world import open_world as open_api
from tests.integration.api_world import person
from tests.integration.gift_mail_world import ORIGIN, gift_world
from tests.integration.mail_service_stack import environment, served
from tests.integration.mail_stub import MailStub
from tests.integration.reminder_world import MailWorld, open_world

ANNA, BEN = "anna@example.org", "ben@example.org"


class LateClient(MailClient):
    """Client of the mail service whose first page of bounces is taken only once it `may_go_on`."""

    def __init__(self, settings: MailSettings) -> None:
        super().__init__(settings)
        self.has_page, self.may_go_on = asyncio.Event(), asyncio.Event()

    async def list_bounces(self, after: int) -> list[ReturnedEmail]:
        page = await super().list_bounces(after)
        self.has_page.set()
        await self.may_go_on.wait()
        return page


def bounce_reader(world: MailWorld, client: MailClient | None = None) -> BounceReader:
    ledgers = (ReminderLedger.statements, GiftLedger.statements)
    return BounceReader(world.engine, client or world.client, ledgers)


@asynccontextmanager
async def running(
    engine: AsyncEngine, scenario: Scenario, inbox: SmtpInbox
) -> AsyncIterator[tuple[MailWorld, ReportBook]]:
    """A worker with its mail service, and where reports come in."""
    environ = environment(engine.url.render_as_string(hide_password=False), inbox, GIFT_ORIGINS=ORIGIN)
    settings = MailServiceSettings.from_environ(environ)
    hasher = AddressHasher(settings.hash_key.get_secret_value())
    async with (
        served(environ) as service,
        MailStore.open(settings.database_url.get_secret_value(), 1) as store,
        open_world(engine, scenario, service, GIFT_ORIGINS=ORIGIN) as world,
    ):
        yield world, ReportBook(ReportStore(store.engine), hasher, settings.sender[1].domain)


async def open_window(world: MailWorld, *people: str) -> Legacy:
    legacy = world.legacy(inactivity=30 * DAY)
    await world.save(legacy, *people)
    world.scenario.advance(24 * DAY)
    await world.tick()
    return legacy


async def report(
    book: ReportBook, inbox: SmtpInbox, to: str, raw_of: object = postfix, *more: str, place: int = -1
) -> None:
    """Bring a report about the latest email to this address, or about an earlier one."""
    message_id = [message.header("Message-ID") for message in inbox.messages if message.to == to][place]
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
        assert not await bounce_reader(world).poll()
        await report(book, inbox, ANNA)
        await report(book, inbox, BEN, postfix, "5.2.2")
        assert await bounce_reader(world).poll()
        found = await bounce_reader(world).run()
        assert (found.returned, found.addresses) == (2, 2)
        assert not await bounce_reader(world).poll()
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
        assert written_to(inbox) == ["anna@right.example", BEN]  # the signed set says that ben's is right, too


async def test_sent_emails_stay_counted_after_their_people_were_erased(
    engine: AsyncEngine, chain_scenario: Scenario, inbox: SmtpInbox
) -> None:
    """Also one that came back, which then names nobody. An email that was not sent yet never counts."""

    async def count_sent() -> int:
        return sum(each.count for each in await count_settled(engine, 1) if each.state == "sent")

    async with running(engine, chain_scenario, inbox) as (world, book):
        legacy = await open_window(world, "anna", "ben")
        inbox.faults.reply_to_data = "451 4.3.0 later"
        await world.save(legacy, "owner")
        await world.tick()
        inbox.faults.reply_to_data = None
        await report(book, inbox, ANNA)
        assert (await bounce_reader(world).run()).returned == 1
        assert await world.states() == {"sent": 1, "sent:bounced": 1, "released:mail_unavailable": 1}
        for email in (ANNA, BEN, "owner@example.org"):
            assert (await erase_person(engine, world.hashes, email, None)).recipients == 1
        await world.hurry()
        await world.tick()
        assert await count_sent() == len(inbox.messages) == 2
        (row,) = await world.sql("select * from worker.sent_ledger where reason = 'bounced'")
        assert world.address("anna") not in str(row)
        await world.save(legacy, emails={world.address("anna"): "anna@right.example"})
        await world.tick()
        assert await count_sent() == len(inbox.messages) == 3


async def test_a_report_about_an_earlier_address_blames_nobody(
    engine: AsyncEngine, chain_scenario: Scenario, inbox: SmtpInbox
) -> None:
    async with running(engine, chain_scenario, inbox) as (world, book):
        legacy = await open_window(world, "anna")
        await report(book, inbox, ANNA)
        await world.save(legacy, emails={world.address("anna"): "anna@right.example"})
        assert (await bounce_reader(world).run()).addresses == 0
        assert await count_bounces(engine) == {}


async def test_a_gifts_address_that_does_not_exist_gets_no_further_email_until_it_is_signed_again(
    engine: AsyncEngine, chain_scenario: Scenario, inbox: SmtpInbox
) -> None:
    """A bounce for another reason stops no email, and ends no earlier bounce. Bounces are forgotten with the gifts."""
    gone, signed_again, full = "gone@example.org", "again@example.org", "full@example.org"
    async with running(engine, chain_scenario, inbox) as (world, book):
        gifts = gift_world(engine, chain_scenario, world.settings, world.mail, world.client, world.chain, world.index)
        addresses = [gone, gone, signed_again, full]
        ids = [gifts.seal() for _ in addresses]
        await world.index.run()
        for id, email in zip(ids, addresses, strict=True):
            await gifts.register(id, recipientEmail=email)
        await gifts.tick()
        assert written_to(inbox) == sorted(addresses)
        await report(book, inbox, gone)
        await report(book, inbox, signed_again)
        await report(book, inbox, full, postfix, "5.2.2")
        assert (await bounce_reader(world).run()).addresses == 3
        await report(book, inbox, gone, postfix, "5.2.2", place=0)
        assert (await bounce_reader(world).run()).returned == 1
        await forget_expired(engine)
        assert await count_bounces(engine) == {"mailbox_full": 1, "mailbox_unknown": 2}
        await gifts.register(ids[addresses.index(signed_again)], recipientEmail=signed_again)
        inbox.clear()
        chain_scenario.advance(30 * DAY + 1)
        await gifts.tick()
        assert written_to(inbox) == sorted([signed_again, full])
        suppressed = "select kind, reason from worker.gift_ledger where state = 'suppressed'"
        assert await world.sql(suppressed) == [("gift_unlocked", "bounced")] * 2
        assert await gifts.kept() == 0
        await forget_expired(engine)
        assert await count_bounces(engine) == {}


async def test_giver_hears_once_that_an_email_to_the_recipient_came_back(
    engine: AsyncEngine, chain_scenario: Scenario, inbox: SmtpInbox
) -> None:
    """Also of the opening day's email, after which the recipient's address is not stored any more."""
    gone, giver = "gone@example.org", "giver@example.org"
    async with running(engine, chain_scenario, inbox) as (world, book):
        gifts = gift_world(engine, chain_scenario, world.settings, world.mail, world.client, world.chain, world.index)
        id = gifts.seal()
        await world.index.run()
        await gifts.register(id, recipientEmail=gone, giverEmail=giver, timing="none")
        chain_scenario.advance(30 * DAY + 1)
        await gifts.tick()
        assert (written_to(inbox), await gifts.kept()) == ([gone], 0)
        await report(book, inbox, gone)
        assert (await bounce_reader(world).run()).returned == 1
        inbox.clear()
        for _ in range(3):
            await gifts.tick()
            await world.sql("update worker.gift_giver set next_look = now()")
        assert written_to(inbox) == [giver]
        await report(book, inbox, giver)
        assert (await bounce_reader(world).run()).addresses == 1
        await forget_expired(engine)
        assert await count_bounces(engine) == {"mailbox_unknown": 1}, "the giver's own address is stored"


async def test_a_report_about_an_email_that_is_held_leaves_its_reason(
    engine: AsyncEngine, chain_scenario: Scenario, inbox: SmtpInbox
) -> None:
    async with running(engine, chain_scenario, inbox) as (world, book):
        legacy = await open_window(world, "anna")
        await world.save(legacy, "ben")
        inbox.faults.drop_after_data = True
        await world.tick()
        await world.hurry()
        await world.tick()
        assert await world.states("before_activation") == {"sent": 1, "held:in_doubt": 1}
        for email in (ANNA, BEN):
            await report(book, inbox, email)
        assert (await bounce_reader(world).run()).addresses == 2
        assert await world.states("before_activation") == {"sent:bounced": 1, "held:in_doubt": 1}


async def test_a_reader_that_is_late_takes_no_bounce_twice(
    engine: AsyncEngine, chain_scenario: Scenario, inbox: SmtpInbox
) -> None:
    """An address that was signed for again meanwhile would be blamed once more."""
    async with running(engine, chain_scenario, inbox) as (world, book):
        await open_window(world, "anna", "ben")
        await report(book, inbox, ANNA)
        assert world.settings.mail is not None
        async with LateClient(world.settings.mail) as client:
            late = asyncio.create_task(bounce_reader(world, client).run())
            await client.has_page.wait()
            await report(book, inbox, BEN)
            assert (await bounce_reader(world).run()).returned == 2
            async with engine.begin() as connection:
                ben = world.hashes.hash_email(BEN)
                assert await forget_bounces(connection, {ben}) == {ben}
            client.may_go_on.set()
            assert (await late).returned == 1
        assert await count_bounces(engine) == {"mailbox_unknown": 1}
        assert not await bounce_reader(world).poll()


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
        await open_window(world, "anna", "ben")
        with capture_logs() as logs:
            await report(book, inbox, ANNA)
            await report(book, inbox, BEN, complaint)
            await bounce_reader(world).run()
        tables = await world.sql(
            "select table_schema || '.' || table_name as name from information_schema.tables"
            " where table_schema in ('worker', 'mail_service')"
        )
        kept = repr(logs)
        for table in tables:
            kept += repr([row.t for row in await world.sql(f"select t::text as t from {table.name} t")])
        assert "mailbox_unknown" in kept
        people = (ANNA, ANNA.encode().hex(), BEN, BEN.encode().hex())
        for secret in (REPORTER_TEXT, *people, "User unknown", "mx.example", "SomeGenerator"):
            assert secret not in kept


async def test_a_mail_service_that_knows_of_none_or_fails_stops_nothing(world: MailWorld) -> None:
    """Any service with the contract of before will do."""
    assert isinstance(world.mail, MailStub)
    assert not await bounce_reader(world).poll()
    await world.mail.stop()
    with capture_logs() as logs:
        assert (await bounce_reader(world).run()).returned == 0
        assert not await bounce_reader(world).poll()
    assert [line["event"] for line in logs] == ["report_counts_not_read", "bounces_not_read"] * 2


def reports(look: str | None, *, unread: int = 3, set_aside: int = 0) -> dict[str, Any]:
    """Answer of `GET /reports`."""
    counts = {"taken": 10, "unmatched": 2, "setAside": set_aside, "notComplaints": 4, "unreadable": 5}
    return {"mailbox": {"unread": unread, "lastGoodLook": look}, "counts": counts}


@pytest.mark.core
async def test_state_of_delivery_reports_is_kept_as_last_answered(world: MailWorld) -> None:
    assert isinstance(world.mail, MailStub)

    async def kept(answer: Any) -> ReportReading | None:
        world.mail.reports = answer
        await bounce_reader(world).poll()
        return await read_report_reading(world.engine)

    assert await kept(None) is None
    hour_ago = datetime.now(UTC) - timedelta(hours=1)
    found = await kept(reports(hour_ago.isoformat()))
    assert found is not None
    assert found.look_age is not None
    assert 3600 <= found.look_age < 3700
    assert replace(found, look_age=None) == ReportReading(3, None, 10, 2, 0, None, 4, 5)
    assert await kept(reports(None, unread=0)) == ReportReading(0, None, 10, 2, 0, None, 4, 5)
    assert await kept({**reports(None), "mailbox": None}) == ReportReading(None, None, 10, 2, 0, None, 4, 5)
    world.mail.reports = "no state"
    await bounce_reader(world).poll()
    assert await read_report_reading(world.engine) is not None, "an unusable answer deletes nothing"
    assert await kept(None) is None
    world.mail.reports = reports(None)
    await bounce_reader(world).run()
    assert await read_report_reading(world.engine) is not None, "a run without a look keeps it, too"


@pytest.mark.parametrize(("look", "age"), [("0001-01-01T00:00:00+14:00", 366 * 86400), ("9999-12-31T23:59:59Z", 1)])
async def test_any_time_that_a_mail_service_sends_gives_an_age(world: MailWorld, look: str, age: int) -> None:
    assert isinstance(world.mail, MailStub)
    world.mail.reports = reports(look)
    await bounce_reader(world).poll()
    found = await read_report_reading(world.engine)
    assert found is not None
    assert found.look_age is not None
    assert 0 <= found.look_age <= age


async def test_only_a_rising_count_of_reports_set_aside_is_new(world: MailWorld) -> None:
    assert isinstance(world.mail, MailStub)
    ages = []
    for count in (0, 1, 1, 0, 1):
        world.mail.reports = reports(None, set_aside=count)
        await bounce_reader(world).poll()
        found = await read_report_reading(world.engine)
        assert found is not None
        ages.append(found.set_aside_age)
        await world.sql("update worker.report_reading set set_aside_at = set_aside_at - interval '1 hour'")
    assert [age if age is None else age // 3600 for age in ages] == [None, 0, 1, 2, 0]


async def test_state_of_delivery_reports_shows_nothing_while_the_pass_is_off(world: MailWorld) -> None:
    assert isinstance(world.mail, MailStub)
    world.mail.reports = reports(None)
    await bounce_reader(world).poll()
    for expected, is_shown in (([ExpectedPass("bounces", 0, 300)], True), ([], False)):
        kept = await REPORTS.read(FactScope(world.engine, {}, expected=expected))
        assert (kept is not None) is is_shown


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
