"""Claims of reminders, and of several dispatchers at once. `test_email_ledgers.py` has what holds for gifts, too."""

import asyncio
from base64 import b64decode
from collections.abc import AsyncIterator

import psycopg
import pytest
from aiohttp import web
from sqlalchemy import event, text
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Scenario
from reminder_worker.database import rotation
from reminder_worker.monitoring.erasure import erase_person
from reminder_worker.outbox import dispatcher, store
from reminder_worker.outbox.store import OutboxStore
from reminder_worker.outbox.tables import sql
from reminder_worker.privacy.vault import Vault
from reminder_worker.reminders import erasure
from reminder_worker.reminders.emails import ReminderEmail
from reminder_worker.reminders.recipients import SEALED_RECIPIENTS
from reminder_worker.reminders.rendering import ReminderRenderer
from tests.integration.locks import blocked, frozen
from tests.integration.mail_stub import MailFault, MailStub
from tests.integration.reminder_world import ENC_KEY, MailWorld, open_world, reminder_store

MAIL_TIMEOUT = 2  # seconds, of the world's settings
ANOTHER_QUEUED = """
    insert into worker.sent_ledger (id, chain_id, legacy, recipient, kind, event, role, next_try)
    select gen_random_uuid(), chain_id, legacy, recipient, kind, 'later', role, now() from worker.sent_ledger
"""


@pytest.fixture
async def world(engine: AsyncEngine, chain_scenario: Scenario) -> AsyncIterator[MailWorld]:
    """One email is due, and was planned and not accepted before."""
    async with MailStub() as mail, open_world(engine, chain_scenario, mail) as opened:
        legacy = opened.legacy(inactivity=30 * DAY)
        await opened.save(legacy, "anna")
        opened.scenario.check_in(opened.account("owner"), legacy)
        await opened.look_at_chain()
        await mail.stop()
        await opened.dispatch.run()
        await mail.start()
        await opened.hurry()
        yield opened


async def undecided(world: MailWorld) -> OutboxStore[ReminderEmail]:
    world.mail.fail(MailFault.DIES_BEFORE)
    await world.dispatch.run()
    await world.hurry()
    assert await world.states() == {"unknown": 1}
    return reminder_store(world)


async def test_an_undecided_email_is_posted_again_to_its_first_address_only(world: MailWorld) -> None:
    ledger = await undecided(world)
    await world.sql("update worker.sent_ledger set claimed_at = now() - interval '20 hours'")
    claim = await ledger.claim_unknown(10)
    (entry,) = claim.entries
    assert await ledger.confirm_unknown(claim, [entry.id]) == {entry.id}
    lately = "select claimed_at > now() - interval '1 minute' from worker.sent_ledger"
    assert await world.sql(lately) == [(True,)], "others of its kind wait for a day from now on"
    await world.sql("update worker.recipient set salt = sha256('another')")
    assert await ledger.confirm_unknown(claim, [entry.id]) == frozenset()


ANOTHER_UNDECIDED = """
    insert into worker.sent_ledger
        (id, chain_id, legacy, recipient, kind, event, role, state, next_try, body, body_salt, claimed_at)
    select gen_random_uuid(), chain_id, legacy, recipient, kind, 'later', role, 'unknown', now(), body, body_salt,
        claimed_at
    from worker.sent_ledger
"""


@pytest.mark.parametrize("other", ["is claimed meanwhile", "is held meanwhile", "is undecided, too"])
async def test_of_two_emails_of_a_kind_that_waited_for_longer_than_a_day_the_later_goes_first(
    world: MailWorld, other: str
) -> None:
    """The other one waits a day for it, although an earlier look saw nothing in the way."""
    ledger = await undecided(world)
    await world.sql("update worker.sent_ledger set claimed_at = now() - interval '25 hours'")
    await world.sql(ANOTHER_UNDECIDED)
    (later,) = (row.id for row in await world.sql("select id from worker.sent_ledger where event = 'later'"))
    if other == "is claimed meanwhile":
        fresh = "state = 'queued', body = null, body_salt = null, claimed_at = null"
        await world.sql(f"update worker.sent_ledger set {fresh} where event = 'later'")
    claim = await ledger.claim_unknown(10)
    assert not any(entry.sent_meanwhile for entry in claim.entries)
    ids = [entry.id for entry in claim.entries]
    if other == "is claimed meanwhile":
        assert [entry.id for entry in (await ledger.claim_due(10)).entries] == [later]
    elif other == "is held meanwhile":
        await world.sql("update worker.sent_ledger set state = 'held', claimed_at = now() where event = 'later'")
        ids.remove(later)
    posted = await ledger.confirm_unknown(claim, ids)
    assert posted == ({later} if other == "is undecided, too" else frozenset())


async def test_of_two_emails_of_a_kind_that_two_dispatchers_confirm_at_once_one_is_posted(world: MailWorld) -> None:
    """Each claim looks for an email under way before the other claim has finished."""
    ledger = await undecided(world)
    await world.sql("update worker.sent_ledger set claimed_at = now() - interval '25 hours'")
    await world.sql(ANOTHER_UNDECIDED)
    claims = [await ledger.claim_unknown(1) for _ in range(2)]
    async with world.engine.connect() as other:
        await other.execute(text("select from worker.recipient for update"))
        both = [asyncio.create_task(ledger.confirm_unknown(each, [each.entries[0].id])) for each in claims]
        await blocked(world.engine, 2)
        await other.rollback()
    assert sorted(len(each) for each in await asyncio.gather(*both)) == [0, 1]


async def test_two_dispatchers_that_claim_at_once_do_not_both_claim_emails_of_one_kind(world: MailWorld) -> None:
    """The later claim waits for the earlier one, and then sees which email is under way."""
    await world.sql("update worker.sent_ledger set kind = 'before_activation', event = '1:1'")
    await world.sql(ANOTHER_QUEUED.replace("'later'", "'1:2'"))
    ledger = reminder_store(world)
    async with world.engine.connect() as other:
        await other.execute(text("select from worker.quota for update"))
        both = [asyncio.create_task(ledger.claim_due(1)) for _ in range(2)]
        await blocked(world.engine, 2)
        await other.rollback()
    assert sorted(len(each.entries) for each in await asyncio.gather(*both)) == [0, 1]


async def test_an_email_whose_recipient_is_saved_again_during_its_claim_is_not_lost(
    world: MailWorld, database_url: str
) -> None:
    """The claim finds no recipient, and looks once more before it deletes the email."""
    url = database_url.replace("+psycopg", "")
    with psycopg.connect(url) as connection:
        connection.execute("create table worker.kept as table worker.recipient")
        connection.execute("delete from worker.recipient")

    def save_again(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if "delete from worker.sent_ledger" in statement:
            with psycopg.connect(url) as connection:
                connection.execute("insert into worker.recipient table worker.kept")
                connection.execute("drop table worker.kept")

    event.listen(world.engine.sync_engine, "before_cursor_execute", save_again)
    await world.dispatch.run()
    event.remove(world.engine.sync_engine, "before_cursor_execute", save_again)
    assert world.mail.inbox == []
    await world.leases_expire()
    await world.dispatch.run()
    assert await world.states() == {"sent": 1}


@pytest.mark.parametrize("in_doubt", [False, True], ids=["claimed", "in doubt"])
async def test_no_email_is_posted_in_the_last_part_of_its_lease(
    world: MailWorld, monkeypatch: pytest.MonkeyPatch, in_doubt: bool
) -> None:
    """A post and its answer have to end before another dispatcher may take the email over."""
    if in_doubt:
        await undecided(world)
    before, requests = world.mail.requests, 2 if in_doubt else 1
    monkeypatch.setattr(dispatcher, "LEASE_SECONDS", dispatcher.LEASE_MARGIN_SECONDS + requests * MAIL_TIMEOUT)
    await world.dispatch.run()
    assert world.mail.requests == before
    monkeypatch.undo()
    await world.hurry()
    await world.dispatch.run()
    assert world.mail.requests == before + 1
    assert await world.states() == {"sent": 1}


@pytest.mark.parametrize("in_doubt", [False, True], ids=["claimed", "in doubt"])
async def test_a_run_posts_nothing_after_its_end_that_it_prepared_before(
    world: MailWorld, monkeypatch: pytest.MonkeyPatch, in_doubt: bool
) -> None:
    """A slow mail service must not stretch a run."""
    if in_doubt:
        await undecided(world)
    before = world.mail.requests
    monkeypatch.setattr(dispatcher, "GRACE_SECONDS", -90.0)
    await world.dispatch.run(budget_seconds=90.0)
    assert world.mail.requests == before
    monkeypatch.undo()
    await world.hurry()
    await world.dispatch.run()
    assert world.mail.requests == before + 1
    assert await world.states() == {"sent": 1}


async def test_a_run_out_of_time_leaves_unprepared_emails_as_they_are(
    engine: AsyncEngine, chain_scenario: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of the three parts of a run that prepare ends with the slice in its hands."""
    monkeypatch.setattr(ReminderRenderer, "first_batch_size", 1)
    monkeypatch.setattr(ReminderRenderer, "batch_size", 1)
    people = [f"heir {number}" for number in range(6)]
    async with MailStub() as mail, open_world(engine, chain_scenario, mail) as world:
        legacy = world.legacy(heirs=people, inactivity=30 * DAY)
        await world.save(legacy, *people, emails={world.address(each): f"{each[5:]}@example.org" for each in people})
        world.scenario.check_in(world.account("owner"), legacy)
        await world.look_at_chain()
        report = await world.dispatch.run(budget_seconds=0)
        assert (report.slices, report.more) == (3, True)
        assert (await world.states())["queued"] == 3


class Counted(MailStub):
    """Answers nobody before `waited_for` requests were under way at once."""

    waited_for = 2
    under_way = 0
    most = 0

    async def _send(self, request: web.Request) -> web.StreamResponse:
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        if self.under_way == self.waited_for:
            self.hung.set()
        await self.hung.wait()
        try:
            return await super()._send(request)
        finally:
            self.under_way -= 1


async def test_slices_follow_one_another_without_a_gap_and_with_no_more_under_way_than_may_be(
    engine: AsyncEngine, chain_scenario: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ReminderRenderer, "first_batch_size", 1)
    monkeypatch.setattr(ReminderRenderer, "batch_size", 1)
    people = [f"heir {number}" for number in range(6)]
    async with Counted() as mail, open_world(engine, chain_scenario, mail, MAIL_CONCURRENCY="2") as world:
        legacy = world.legacy(heirs=people, inactivity=30 * DAY)
        await world.save(legacy, *people, emails={world.address(each): f"{each[5:]}@example.org" for each in people})
        world.scenario.check_in(world.account("owner"), legacy)
        await world.tick()
        assert mail.most == 2
        assert await world.states() == {"sent": 6}


async def test_a_dispatcher_frozen_during_a_claim_does_not_block_other_claims(
    world: MailWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A paused machine holds its connections for hours, and with them the lock of all claims."""
    async with frozen(world.engine, monkeypatch) as stopped, stopped.connect() as connection:
        await connection.execute(sql["lock_claims"], {"lock": store.CLAIM_LOCK})
        async with asyncio.timeout(60):
            await world.dispatch.run()
        await connection.invalidate()
    assert await world.states() == {"sent": 1}


@pytest.mark.parametrize("what", ["a write of recipients", "an erasure by operators", "a rotation of keys"])
async def test_a_process_frozen_with_locked_recipients_holds_up_no_email(
    world: MailWorld, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """An email that may be posted again waits for its recipient's row, and everybody's claims wait for that."""
    await undecided(world)
    reached = asyncio.Event()

    async def stop(*_: object) -> None:
        reached.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(rotation, "_reseal_rows", stop)
    monkeypatch.setattr(erasure, "cancel_unsent", stop)
    async with frozen(world.engine, monkeypatch) as stopped:
        working = asyncio.create_task(_lock_recipients(world, stopped, what))
        async with asyncio.timeout(60):
            await reached.wait()
            await world.dispatch.run()
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
    assert await world.states() == {"sent": 1}


async def _lock_recipients(world: MailWorld, engine: AsyncEngine, what: str) -> None:
    if what == "a rotation of keys":
        async for _ in rotation.rotate_keys(engine, Vault(b"n" * 32, [b64decode(ENC_KEY)]), SEALED_RECIPIENTS):
            pass
    elif what == "an erasure by operators":
        await erase_person(engine, world.hashes, "anna@example.org", None)
    else:
        async with engine.connect() as connection:
            await connection.execute(text("select from worker.recipient for update"))
            await rotation._reseal_rows(connection, world.vault, SEALED_RECIPIENTS, [])
