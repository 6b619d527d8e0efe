"""Claims of the sent-ledger: expired leases, and entries in the hands of another dispatcher."""

import asyncio
import time
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
from reminder_worker.outbox import outcomes as become
from reminder_worker.outbox.mail_client import EmailRefused, NotAccepted
from reminder_worker.outbox.models import EmailClaim
from reminder_worker.outbox.store import OutboxStore
from reminder_worker.outbox.tables import sql
from reminder_worker.privacy.vault import Vault
from reminder_worker.reminders import erasure
from reminder_worker.reminders.emails import ReminderEmail
from reminder_worker.reminders.planner import DispatchReport
from reminder_worker.reminders.recipients import SEALED_RECIPIENTS, cancel_unsent
from reminder_worker.reminders.rendering import ReminderRenderer
from tests.integration.locks import blocked, frozen
from tests.integration.mail_stub import MailFault, MailStub
from tests.integration.reminder_world import ENC_KEY, MailWorld, open_world, reminder_store

MAIL_TIMEOUT = 2  # seconds, of the world's settings
LEASE_OVER = "update worker.sent_ledger set lease_until = now() - interval '1 minute'"
ANOTHERS = "update worker.sent_ledger set lease_token = gen_random_uuid()"
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


async def in_hand(world: MailWorld) -> tuple[OutboxStore[ReminderEmail], EmailClaim[ReminderEmail], ReminderEmail]:
    ledger = reminder_store(world)
    claim = await ledger.claim_due(10)
    (entry,) = claim.entries
    return ledger, claim, entry


async def make_ready(
    ledger: OutboxStore[ReminderEmail], claim: EmailClaim[ReminderEmail], entry: ReminderEmail
) -> None:
    """Its body is stored: it may be posted from now on."""
    assert entry.stored is not None
    assert await ledger.store_bodies(claim, {entry.id: (b"sealed", entry.stored.salt, None)})


@pytest.mark.parametrize(("lost", "used"), [("select 1", 0), (ANOTHERS, 1)])
async def test_only_the_current_holder_of_an_email_refunds_its_daily_quota(
    world: MailWorld, lost: str, used: int
) -> None:
    """The new holder may post the email for that quota: a refund would exceed the limit of that day."""
    ledger = reminder_store(world)
    claim = await ledger.claim_due(10)
    await world.sql(lost)
    await ledger.settle_claim(claim, [become.settle_answer(entry, NotAccepted()) for entry in claim.entries])
    assert await world.sql("select used from worker.quota where scope = 'email_day'") == [(used,)]


async def test_a_claimed_email_of_an_erased_recipient_refunds_its_daily_quota(
    world: MailWorld,
) -> None:
    """Else the same address, in another legacy, would hear a day late at its cap."""
    ledger, claim, entry = await in_hand(world)
    async with world.engine.begin() as conn:
        await cancel_unsent(conn, entry.chain_id, entry.legacy, [entry.recipient])
    await ledger.settle_claim(claim, [become.retry_later(entry, 0.0, "recipient_changed")])
    assert await world.sql("select used from worker.quota where scope = 'email_day'") == [(0,)]


@pytest.mark.parametrize("lost", [LEASE_OVER, ANOTHERS])
async def test_a_dispatcher_posts_no_email_after_losing_its_lease(world: MailWorld, lost: str) -> None:
    """Where the mail service keeps no keys, the next one to hold it would repeat it."""
    report = DispatchReport()
    piece = await world.dispatch.outbox.prepare_batch(report, time.monotonic() + 60)
    assert piece is not None
    assert len(piece.ready) == 1
    await world.sql(lost)
    await world.dispatch.outbox.post_batch(piece, report)
    assert world.mail.requests == 0


@pytest.mark.parametrize("lost", [LEASE_OVER, ANOTHERS, "update worker.recipient set salt = sha256('another')"])
async def test_only_the_holder_posts_an_undecided_email_again_to_its_first_address(world: MailWorld, lost: str) -> None:
    ledger = await undecided(world)
    await world.sql("update worker.sent_ledger set claimed_at = now() - interval '20 hours'")
    claim = await ledger.claim_unknown(10)
    (entry,) = claim.entries
    assert await ledger.confirm_unknown(claim, [entry.id]) == {entry.id}
    lately = "select claimed_at > now() - interval '1 minute' from worker.sent_ledger"
    assert await world.sql(lately) == [(True,)], "others of its kind wait for a day from now on"
    await world.sql(lost)
    assert await ledger.confirm_unknown(claim, [entry.id]) == frozenset()


async def test_a_lease_lost_before_posting_refunds_the_daily_quota(
    world: MailWorld,
) -> None:
    """Else a worker that is killed again and again uses up the day of everybody in its hands."""
    ledger, _, _ = await in_hand(world)
    await world.sql(A_DAY_AGO)
    await world.sql("update worker.sent_ledger set lease_until = lease_until - interval '1 day'")
    await ledger.expire_leases()
    assert await world.sql(USED_BY_DAY) == [(0,)]


async def test_a_lease_that_is_lost_when_the_email_may_have_been_posted_gives_nothing_back(world: MailWorld) -> None:
    ledger, claim, entry = await in_hand(world)
    await make_ready(ledger, claim, entry)
    await world.sql(LEASE_OVER)
    await ledger.expire_leases()
    assert await world.states() == {"unknown": 1}
    assert await world.sql(USED_BY_DAY) == [(1,)]


async def test_a_lease_that_is_lost_while_the_body_is_stored_gives_nothing_back(world: MailWorld) -> None:
    """From then on the email may have been posted."""
    ledger, _, _ = await in_hand(world)
    await world.sql(LEASE_OVER)
    async with world.engine.connect() as storing:
        await storing.execute(text("update worker.sent_ledger set claimed_at = now(), body = ''"))
        expiring = asyncio.create_task(ledger.expire_leases())
        await blocked(world.engine)
        await storing.commit()
    await expiring
    assert await world.states() == {"unknown": 1}
    assert await world.sql(USED_BY_DAY) == [(1,)]


A_DAY_AGO = """
    with moved as (update worker.sent_ledger set claimed_at = claimed_at - interval '1 day')
    update worker.quota set "window" = "window" - 86400, ends_at = ends_at - 86400 where scope = 'email_day'
"""
USED_BY_DAY = "select used from worker.quota where scope = 'email_day' order by \"window\""


async def test_an_undecided_email_that_is_posted_again_on_another_day_takes_a_place_of_that_one(
    world: MailWorld,
) -> None:
    """And gives back no other's place there when it comes to nothing: one more than the cap would fit into the day."""
    ledger = await undecided(world)
    await world.sql(A_DAY_AGO)
    claim = await ledger.claim_unknown(10)
    (entry,) = claim.entries
    assert await ledger.confirm_unknown(claim, [entry.id]) == {entry.id}
    assert await world.sql(USED_BY_DAY) == [(1,), (1,)]
    await ledger.settle_claim(claim, [become.settle_answer(entry, EmailRefused(422))])
    assert await world.sql(USED_BY_DAY) == [(1,), (0,)]


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
    await world.sql(ANOTHER_QUEUED)
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


async def test_an_undecided_email_is_asked_about_by_one_dispatcher_at_a_time(world: MailWorld) -> None:
    ledger = await undecided(world)
    assert len((await ledger.claim_unknown(10)).entries) == 1
    assert (await ledger.claim_unknown(10)).entries == ()


@pytest.mark.parametrize("state", ["claimed", "unknown", "held"])
async def test_an_acceptance_counts_from_any_dispatcher_and_no_other_answer_does(world: MailWorld, state: str) -> None:
    ledger, claim, entry = await in_hand(world)
    await make_ready(ledger, claim, entry)
    await world.sql(ANOTHERS + ", state = :state", state=state)
    await ledger.settle_claim(claim, [become.settle_answer(entry, EmailRefused(422))])
    assert await world.sql("select state from worker.sent_ledger") == [(state,)]
    await ledger.settle_claim(claim, [become.settle_sent(entry, "m")])
    assert await world.sql("select state from worker.sent_ledger") == [("sent",)]


async def test_an_email_is_proven_unsent_until_its_body_is_stored(world: MailWorld) -> None:
    """The next dispatcher sends it, also if the mail service does not know its outcome."""
    ledger = await undecided(world)
    # As one that was dropped and is true again.
    await world.sql("update worker.sent_ledger set state = 'queued', body = null, body_salt = null")
    assert (await ledger.claim_due(10)).entries
    await world.sql(LEASE_OVER)
    await ledger.expire_leases()
    assert await world.states() == {"released": 1}


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
