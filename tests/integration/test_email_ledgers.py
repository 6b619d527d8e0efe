"""The contract of a ledger of emails, kept by the ledger of reminders and by that of gifts."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Scenario
from reminder_worker.gifts.emails import GiftMailReport
from reminder_worker.gifts.tables import sql as gift_sql
from reminder_worker.monitoring.erasure import erase_person
from reminder_worker.outbox import outcomes
from reminder_worker.outbox.daily_quota import DAY_SECONDS, DailyQuota
from reminder_worker.outbox.dispatcher import DeliveryReport, OutboxDispatcher, PreparedBatch
from reminder_worker.outbox.mail_client import EmailRefused, NotAccepted
from reminder_worker.outbox.models import EmailClaim
from reminder_worker.outbox.store import OutboxStore
from reminder_worker.privacy.hashing import KeyedHash
from reminder_worker.reminders.planner import DispatchReport
from reminder_worker.reminders.tables import sql as reminder_sql
from tests.integration import gift_mail_world, reminder_world
from tests.integration.locks import blocked
from tests.integration.mail_stub import MailFault, MailStub

ANNA = "anna@example.org"
LEASE_OVER = "lease_until = now() - interval '1 minute'"
ANOTHERS = "lease_token = gen_random_uuid()"
# Claim, lease and quota together: a lease that is moved alone lies on the day before, shortly after midnight.
A_DAY_AGO = """
    with moved as (
        update ledger set claimed_at = claimed_at - interval '1 day', lease_until = lease_until - interval '1 day'
    )
    update worker.quota set "window" = "window" - 86400, ends_at = ends_at - 86400 where scope = 'email_day'
"""


@dataclass
class OneEmail:
    """A ledger with one due email to Anna. `plan` plans it again; `work`: the statement that asks for work."""

    table: str
    engine: AsyncEngine
    mail: MailStub
    hashes: KeyedHash
    outbox: OutboxDispatcher[Any]
    run: Callable[[], Awaitable[DeliveryReport]]
    plan: Callable[[], Awaitable[object]]
    work: Any

    @property
    def store(self) -> OutboxStore[Any]:
        return self.outbox.store

    async def sql(self, statement: str, **values: Any) -> list[Any]:
        """Run a statement, in which `ledger` is the table."""
        async with self.engine.begin() as connection:
            result = await connection.execute(text(statement.replace("ledger", self.table)), values)
            return list(result.all()) if result.returns_rows else []

    async def change(self, columns: str) -> None:
        await self.sql(f"update ledger set {columns}")

    async def row(self) -> Any:
        (found,) = await self.sql("select * from ledger")
        return found

    async def read_state(self) -> str:
        return str((await self.row()).state)

    async def read_used(self) -> list[int]:
        """Return the used quota of the address, by day."""
        rows = await self.sql("select used from worker.quota where scope = 'email_day' order by \"window\"")
        return [row.used for row in rows]

    async def has_work(self) -> bool:
        async with self.engine.connect() as connection:
            return bool(await connection.scalar(self.work, dict(self.store._ledger.values)))

    async def claim(self) -> tuple[EmailClaim[Any], Any]:
        claim = await self.store.claim_due(10)
        (entry,) = claim.entries
        return claim, entry

    async def prepare(self) -> PreparedBatch[Any]:
        """Claim the email and store its body: it may be posted from now on."""
        batch = await self.outbox.prepare_batch(DeliveryReport(), time.monotonic() + 60)
        assert batch is not None
        assert len(batch.ready) == 1
        return batch

    async def finish(self, batch: PreparedBatch[Any]) -> None:
        """Post the batch and record the results."""
        report = DeliveryReport()
        await self.outbox.settle_batch(report, batch.claim, await self.outbox.post_batch(batch, report))

    async def make_undecided(self, fault: MailFault = MailFault.DIES_BEFORE) -> None:
        self.mail.fail(fault)
        await self.run()
        assert await self.read_state() == "unknown"
        await self.hurry()

    async def hurry(self) -> None:
        await self.sql("update ledger set next_try = now() where state in ('queued', 'released', 'unknown')")

    async def expire_leases(self) -> None:
        await self.change(LEASE_OVER)
        await self.store.expire_leases()

    async def take_over(self) -> None:
        """Let a healthy worker run after the lease."""
        await self.expire_leases()
        for _ in range(2):
            await self.hurry()
            await self.run()

    async def erase(self) -> None:
        erased = await erase_person(self.engine, self.hashes, ANNA, None)
        assert erased.recipients + erased.gifts == 1


async def open_reminders(stack: AsyncExitStack, engine: AsyncEngine, scenario: Scenario) -> OneEmail:
    mail = await stack.enter_async_context(MailStub())
    world = await stack.enter_async_context(reminder_world.open_world(engine, scenario, mail))
    await world.save(world.legacy(inactivity=30 * DAY), "anna")
    scenario.advance(24 * DAY)
    await world.look_at_chain()

    async def plan() -> None:
        await world.sql("update worker.due_window set planned_at = null")
        await world.dispatch._plan_chain(reminder_world.CHAIN_ID, DispatchReport())

    await plan()
    outbox, work = world.dispatch.outbox, reminder_sql["has_work"]
    return OneEmail("worker.sent_ledger", engine, mail, world.hashes, outbox, world.dispatch.run, plan, work)


async def open_gifts(stack: AsyncExitStack, engine: AsyncEngine, scenario: Scenario) -> OneEmail:
    world = await gift_mail_world.open_world(stack, engine, scenario)
    id = world.seal()

    async def plan() -> None:
        await world.register(id, recipientEmail=ANNA)
        await world.sql("delete from worker.gift_ledger where kind = 'gift_unlocked'")

    await plan()
    report = GiftMailReport()
    outbox, work = world.mail.make_dispatcher(await world.mail._read_head_times(report), report), gift_sql["has_work"]
    return OneEmail("worker.gift_ledger", engine, world.stub, world.hashes, outbox, world.mail.run, plan, work)


@pytest.fixture(params=[open_reminders, open_gifts], ids=["reminders", "gifts"])
async def email(
    request: pytest.FixtureRequest, engine: AsyncEngine, chain_scenario: Scenario
) -> AsyncIterator[OneEmail]:
    async with AsyncExitStack() as stack:
        yield await request.param(stack, engine, chain_scenario)


# -- crashes ----------------------------------------------------------------------------------------


async def test_after_a_crash_before_its_body_is_stored_an_email_is_due_again(email: OneEmail) -> None:
    """It is certainly unsent. The watchdog leaves out some reasons, so that of an earlier try must not stay."""
    await email.change("state = 'released', reason = 'gift_is_another', claimed_at = now()")
    await email.claim()
    await email.sql(A_DAY_AGO)
    await email.store.expire_leases()
    row = await email.row()
    assert (row.state, row.reason, row.claimed_at, await email.read_used()) == ("released", None, None, [0])
    await email.take_over()
    assert (await email.read_state(), len(email.mail.inbox), await email.read_used()) == ("sent", 1, [0, 1])


async def test_after_a_crash_before_its_post_an_email_is_asked_about_and_posted_as_it_was(email: OneEmail) -> None:
    batch = await email.prepare()
    await email.expire_leases()
    assert (await email.read_state(), await email.read_used()) == ("unknown", [1])
    await email.take_over()
    assert (await email.read_state(), await email.read_used()) == ("sent", [1])
    assert [posted.number for posted in email.mail.inbox] == [json.loads(batch.ready[0].body)["number"]]


@pytest.mark.core
async def test_after_a_crash_before_its_acceptance_is_recorded_an_email_is_not_posted_again(email: OneEmail) -> None:
    batch = await email.prepare()
    await email.outbox.post_batch(batch, DeliveryReport())
    await email.take_over()
    assert (await email.read_state(), email.mail.requests, await email.read_used()) == ("sent", 1, [1])


async def test_a_lease_that_ends_while_the_body_is_stored_refunds_nothing(email: OneEmail) -> None:
    """From then on the email may have been posted."""
    await email.claim()
    await email.change(LEASE_OVER)
    async with email.engine.connect() as storing:
        await storing.execute(text(f"update {email.table} set claimed_at = now(), body = ''"))
        expiring = asyncio.create_task(email.store.expire_leases())
        await blocked(email.engine)
        await storing.commit()
    await expiring
    assert (await email.read_state(), await email.read_used()) == ("unknown", [1])


# -- leases -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("lost", [LEASE_OVER, ANOTHERS])
async def test_a_dispatcher_posts_no_email_after_it_lost_the_lease(email: OneEmail, lost: str) -> None:
    """If the mail service keeps no keys, the next holder would repeat the email."""
    batch = await email.prepare()
    await email.change(lost)
    await email.outbox.post_batch(batch, DeliveryReport())
    assert email.mail.requests == 0


@pytest.mark.parametrize("lost", [LEASE_OVER, ANOTHERS])
async def test_only_the_holder_of_the_lease_posts_an_email_in_doubt_again(email: OneEmail, lost: str) -> None:
    await email.make_undecided()
    claim = await email.store.claim_unknown(10)
    ids = [entry.id for entry in claim.entries]
    assert await email.store.confirm_unknown(claim, ids) == set(ids)
    await email.change(lost)
    assert await email.store.confirm_unknown(claim, ids) == frozenset()


async def test_an_email_in_doubt_is_asked_about_by_one_dispatcher_at_a_time(email: OneEmail) -> None:
    """A run of another dispatcher would find nothing to do."""
    await email.make_undecided()
    assert await email.has_work()
    assert len((await email.store.claim_unknown(10)).entries) == 1
    assert (await email.store.claim_unknown(10)).entries == ()
    assert not await email.has_work()


@pytest.mark.parametrize("state", ["claimed", "unknown", "held"])
async def test_an_acceptance_counts_without_the_lease_and_no_other_result_does(email: OneEmail, state: str) -> None:
    batch = await email.prepare()
    entry = batch.ready[0].entry
    await email.change(f"{ANOTHERS}, state = '{state}'")
    await email.store.settle_claim(batch.claim, [outcomes.settle_answer(entry, EmailRefused(422))])
    assert await email.read_state() == state
    await email.store.settle_claim(batch.claim, [outcomes.settle_sent(entry, "m")])
    row = await email.row()
    assert (row.state, row.message_id, row.body, row.body_salt) == ("sent", "m", None, None)


async def test_an_acceptance_after_the_next_claim_says_when_the_email_left(email: OneEmail) -> None:
    """Without that time the page of emails would not find its number."""
    batch = await email.prepare()
    await email.change(f"{ANOTHERS}, claimed_at = null, body = null, body_salt = null")
    await email.store.settle_claim(batch.claim, [outcomes.settle_sent(batch.ready[0].entry, "m")])
    row = await email.row()
    assert (row.state, row.claimed_at is not None, row.number_hash is not None) == ("sent", True, True)


async def test_a_sent_email_has_the_id_that_the_mail_service_gave(email: OneEmail) -> None:
    for columns in ("state = 'sent'", "message_id = 'm'"):
        with pytest.raises(IntegrityError, match="sent_has_a_message_id"):
            await email.change(columns)


# -- plans ------------------------------------------------------------------------------------------


async def test_an_email_that_is_planned_again_has_three_tries_again(email: OneEmail) -> None:
    """Otherwise its next refusal would be its last."""
    await email.change("state = 'dropped', reason = 'window_closed', tries = 5, rejections = 2, settled_at = now()")
    await email.plan()
    row = await email.row()
    assert (row.state, row.reason, row.tries, row.rejections, row.settled_at) == ("queued", None, 0, 0, None)


# -- erasure ----------------------------------------------------------------------------------------


async def test_an_erasure_between_claim_and_store_stores_no_body_and_refunds_the_quota(email: OneEmail) -> None:
    claim, _ = await email.claim()
    await email.erase()
    report = DeliveryReport()
    batch = await email.outbox.render_batch(
        report, claim, claim.entries, email.store.store_bodies, time.monotonic() + 60
    )
    assert (batch.ready, await email.read_used()) == ([], [0])
    await _check_that_nothing_is_left(email)


async def test_an_erasure_before_the_post_stops_the_email_and_refunds_the_quota(email: OneEmail) -> None:
    batch = await email.prepare()
    await email.erase()
    await email.finish(batch)
    assert await email.read_used() == [0]
    await _check_that_nothing_is_left(email)


@pytest.mark.parametrize("arrived", [False, True])
async def test_an_email_in_doubt_is_asked_about_and_not_posted_again_after_an_erasure(
    email: OneEmail, arrived: bool
) -> None:
    await email.make_undecided(MailFault.ACCEPTS_AND_DIES if arrived else MailFault.DIES_BEFORE)
    await email.erase()
    await _check_that_nothing_is_left(email, "sent" if arrived else "dropped")


async def _check_that_nothing_is_left(email: OneEmail, state: str = "dropped") -> None:
    posted = email.mail.requests
    for _ in range(2):
        await email.hurry()
        await email.run()
    assert email.mail.requests == posted
    rows = await email.sql("select state, body, body_salt, number_hash from ledger")
    assert [tuple(row) for row in rows] in ([], [(state, None, None, None)])


async def test_a_held_email_keeps_no_body(email: OneEmail) -> None:
    """No dispatcher posts a held email again. An operator settles it, or a new email goes out."""
    email.mail.fail(MailFault.IN_DOUBT)
    await email.run()
    await email.take_over()
    row = await email.row()
    assert (row.state, row.reason, row.body, row.body_salt) == ("held", "in_doubt", None, None)


# -- the daily quota --------------------------------------------------------------------------------


@pytest.mark.parametrize(("lost", "used"), [("lease_until = lease_until", 0), (ANOTHERS, 1)])
async def test_only_the_holder_of_the_lease_refunds_the_quota(email: OneEmail, lost: str, used: int) -> None:
    """The next holder may post the email on it."""
    claim, entry = await email.claim()
    await email.change(lost)
    await email.store.settle_claim(claim, [outcomes.settle_answer(entry, NotAccepted())])
    assert await email.read_used() == [used]


async def test_an_expired_lease_refunds_the_quota_of_the_day_of_its_claim_once(email: OneEmail) -> None:
    await email.claim()
    await email.sql(A_DAY_AGO)
    await email.store.expire_leases()
    assert await email.read_used() == [0]


async def test_an_email_that_is_posted_again_on_another_day_uses_the_quota_of_that_day(email: OneEmail) -> None:
    """A refusal refunds the later day. A refund of the first day would leave the later day one email short."""
    await email.make_undecided()
    await email.sql(A_DAY_AGO)
    claim = await email.store.claim_unknown(10)
    (entry,) = claim.entries
    await email.store.confirm_unknown(claim, [entry.id])
    assert await email.read_used() == [1, 1]
    await email.store.settle_claim(claim, [outcomes.settle_answer(entry, EmailRefused(422))])
    assert await email.read_used() == [1, 0]


async def test_an_email_above_the_quota_waits_in_the_queue_until_the_next_day(email: OneEmail) -> None:
    """The watchdog counts released emails as late, and this email waits for a cause outside of the service."""
    full = OutboxStore(email.engine, email.store._ledger, DailyQuota(0))
    claim = await full.claim_due(10)
    assert (claim.entries, claim.put_off) == ((), 1)
    row = await email.row()
    assert (row.state, row.reason, row.lease_token, row.lease_until) == ("queued", "daily_cap", None, None)
    assert row.next_try.timestamp() % DAY_SECONDS == 0
    assert await email.read_used() == [0]


@pytest.mark.parametrize("reason", ["suppressed", "bounced"])
async def test_an_email_to_an_address_that_takes_none_uses_no_quota(email: OneEmail, reason: str) -> None:
    added = {
        "suppressed": "insert into worker.suppression (email_hash) values (:hash)",
        "bounced": "insert into worker.bounce (email_hash, reason) values (:hash, 'mailbox_unknown')",
    }
    await email.sql(added[reason], hash=email.hashes.hash_email(ANNA))
    await email.run()
    row = await email.row()
    assert (row.state, row.reason, row.settled_at is not None) == ("suppressed", reason, True)
    assert (email.mail.requests, sum(await email.read_used())) == (0, 0)
