"""Whatever fails, an email of any kind is sent once; a doubtful email is held and shown, and no email is lost."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Legacy, Scenario
from reminder_worker.gifts.tables import gift_ledger
from reminder_worker.monitoring.facts import LEDGERS
from reminder_worker.outbox.alerts import AlertOutbox
from reminder_worker.outbox.mail_client import MailClient
from reminder_worker.outbox.messages import AlertKind
from reminder_worker.outbox.operator import count_undecided, requeue_dead, settle_sent, settle_unsent
from reminder_worker.outbox.tables import sent_ledger
from tests.integration import gift_mail_world
from tests.integration.crash import CrashAt, PlannedCrash
from tests.integration.mail_stub import MailFault, MailStub
from tests.integration.reminder_world import MailWorld, open_world

EVERYBODY = ["anna@example.org", "ben@example.org", "owner@example.org"]
DUE = "before_activation"
LEDGER_OF = {"reminders": sent_ledger, "gifts": gift_ledger}


@dataclass
class DueEmails:
    """Three due emails of one kind, with their worker. `to`: their addresses, sorted."""

    kind: str
    engine: AsyncEngine
    mail: MailStub
    client: MailClient
    template: str
    to: list[str]
    run: Callable[[], Awaitable[Any]]

    @property
    def table(self) -> str:
        return {"reminders": "worker.sent_ledger", "gifts": "worker.gift_ledger", "alerts": "worker.alert"}[self.kind]

    async def sql(self, statement: str) -> list[Any]:
        async with self.engine.begin() as connection:
            result = await connection.execute(text(statement))
            return list(result.all()) if result.returns_rows else []

    async def states(self) -> dict[str, int]:
        """Count these emails by state, or by `state:reason`."""
        reason = "''" if self.kind == "alerts" else "coalesce(':' || reason, '')"
        rows = await self.sql(
            f"select state || {reason}, count(*) from {self.table} where kind = '{self.template}' group by 1"
        )
        return {row[0]: row[1] for row in rows}

    async def hurry(self) -> None:
        """Make all waiting emails due."""
        waits = f"kind = '{self.template}' and state in ('queued', 'released', 'unknown')"
        await self.sql(f"update {self.table} set next_try = now() where {waits}")

    async def settle(self, runs: int = 4) -> None:
        """Let a healthy worker take over, later."""
        for _ in range(runs):
            if self.kind != "alerts":
                over = "lease_until = now() - interval '1 s' where lease_until is not null"
                await self.sql(f"update {self.table} set {over}")
            await self.hurry()
            await self.run()
            if not set(await self.states()) - {"sent", "held"}:
                return

    async def undecided(self) -> list[tuple[str, int]]:
        return [(each.state, each.count) for each in await count_undecided(self.engine, LEDGER_OF[self.kind])]

    async def each_was_sent_once(self) -> None:
        assert self.mail.told(self.template) == self.to
        assert await self.states() == {"sent": 3}


@asynccontextmanager
async def due_emails(kind: str, engine: AsyncEngine, scenario: Scenario, **environ: str) -> AsyncIterator[DueEmails]:
    async with AsyncExitStack() as stack:
        if kind == "gifts":
            world = await gift_mail_world.open_world(stack, engine, scenario, **environ)
            for address in EVERYBODY:
                await world.register(world.seal(), recipientEmail=address)
            yield DueEmails(kind, engine, world.stub, world.client, "gift_waiting", EVERYBODY, world.mail.run)
            return
        mail = await stack.enter_async_context(MailStub())
        reminders = await stack.enter_async_context(open_world(engine, scenario, mail, subgraph=None, **environ))
        if kind == "reminders":
            await open_window(reminders)
            yield of_reminders(reminders)
            return
        alerts = AlertOutbox(engine, reminders.client, "night.watch@operators.example")
        for wallet in ("one", "two", "three"):
            await alerts.raise_condition(None, AlertKind.RELAY_STUCK, wallet, 31337, {})
        to = ["night.watch@operators.example"] * 3
        yield DueEmails(kind, engine, mail, reminders.client, AlertKind.RELAY_STUCK, to, alerts.run)


def of_reminders(world: MailWorld) -> DueEmails:
    return DueEmails("reminders", world.engine, world.mail, world.client, DUE, EVERYBODY, world.dispatch.run)


@pytest.fixture(params=["reminders", "gifts"])
async def emails(
    request: pytest.FixtureRequest, engine: AsyncEngine, chain_scenario: Scenario
) -> AsyncIterator[DueEmails]:
    async with due_emails(request.param, engine, chain_scenario) as opened:
        yield opened


@pytest.fixture
async def world(engine: AsyncEngine, chain_scenario: Scenario) -> AsyncIterator[MailWorld]:
    """A legacy of three people whose first window is open and stored, and nothing planned yet."""
    async with MailStub() as mail, open_world(engine, chain_scenario, mail) as opened:
        await open_window(opened)
        yield opened


async def open_window(world: MailWorld, **terms: Any) -> Legacy:
    legacy = world.legacy(inactivity=30 * DAY, **terms)
    await world.save(legacy, "owner", "anna", "ben")
    world.scenario.advance(24 * DAY)
    await world.look_at_chain()
    return legacy


@pytest.mark.parametrize(
    "fault", [f for f in MailFault if f not in (MailFault.IN_DOUBT, MailFault.IN_FLIGHT, MailFault.SUPPRESSED)]
)
@pytest.mark.parametrize("emails", ["reminders", "gifts", "alerts"], indirect=True)
@pytest.mark.core
async def test_one_failing_answer_leaves_one_email_each(emails: DueEmails, fault: MailFault) -> None:
    if (emails.kind, fault) == ("alerts", MailFault.REJECTED):
        return  # dead at once: see test_alerts.py
    emails.mail.fail(fault)
    await emails.run()
    assert sum((await emails.states()).values()) == 3
    await emails.settle()
    await emails.each_was_sent_once()


@pytest.mark.parametrize("fault", [MailFault.ACCEPTS_AND_DIES, MailFault.UNAVAILABLE])
@pytest.mark.parametrize("emails", ["reminders", "gifts", "alerts"], indirect=True)
async def test_a_whole_outage_leaves_one_email_each(emails: DueEmails, fault: MailFault) -> None:
    emails.mail.fail(*[fault] * 3)
    await emails.run()
    await emails.settle()
    await emails.each_was_sent_once()


async def test_what_the_mail_service_doubts_is_held_shown_and_never_sent_again(emails: DueEmails) -> None:
    emails.mail.fail(MailFault.IN_DOUBT)
    await emails.run()
    await emails.settle()
    assert await emails.states() == {"sent": 2, "held:in_doubt": 1}
    assert len(emails.mail.told(emails.template)) == 2
    assert await emails.undecided() == [("held", 1)]


async def hold(emails: DueEmails) -> UUID:
    emails.mail.fail(MailFault.IN_DOUBT)
    await emails.run()
    await emails.settle()
    ((held,),) = await emails.sql(f"select id from {emails.table} where state = 'held'")
    assert isinstance(held, UUID)
    return held


async def test_what_is_held_is_sent_once_when_somebody_finds_that_it_never_left(emails: DueEmails) -> None:
    """Sent under another key, because the mail service stays in doubt. Only an operator can ask its provider."""
    held = await hold(emails)
    assert "back in the queue" in (await settle_unsent(emails.engine, LEDGERS, emails.client, held) or "")
    assert await settle_unsent(emails.engine, LEDGERS, emails.client, held) is None
    await emails.settle()
    await emails.each_was_sent_once()
    assert not await emails.sql(f"select from {emails.table} where body is not null")
    assert not await emails.undecided()


async def test_what_was_settled_is_not_sent_again_by_a_database_that_was_put_back(emails: DueEmails) -> None:
    held = await hold(emails)
    await settle_unsent(emails.engine, LEDGERS, emails.client, held)
    await emails.settle()
    await emails.sql(
        f"update {emails.table} set state = 'held', message_id = null, id = '{held}'"
        f" where id = '{uuid5(held, 'unsent')}'"
    )
    assert await emails.states() == {"sent": 2, "held": 1}
    assert "back in the queue" in (await settle_unsent(emails.engine, LEDGERS, emails.client, held) or "")
    await emails.settle()
    await emails.each_was_sent_once()


async def test_what_the_mail_service_knows_by_now_is_not_sent_again(emails: DueEmails) -> None:
    held = await hold(emails)
    emails.mail.find_out(str(held))
    assert "knows by now" in (await settle_unsent(emails.engine, LEDGERS, emails.client, held) or "")
    await emails.settle()
    assert await emails.states() == {"sent": 2, "sent:by_hand": 1}
    assert len(emails.mail.told(emails.template)) == 2


async def test_what_was_held_for_an_address_is_closed_and_an_open_window_told_to_the_next(world: MailWorld) -> None:
    held = await hold(of_reminders(world))
    ((who,),) = await world.sql(f"select recipient from worker.sent_ledger where id = '{held}'")
    await world.sql(f"update worker.recipient set written_at = clock_timestamp() where recipient = '{who}'")
    assert "closed, not sent" in (await settle_unsent(world.engine, LEDGERS, world.client, held) or "")
    assert await world.states() == {"sent": 2, "dropped:body_gone": 1}
    await of_reminders(world).settle()
    await of_reminders(world).each_was_sent_once()


async def test_what_is_held_is_settled_with_the_id_it_left_under(emails: DueEmails) -> None:
    held = await hold(emails)
    assert await settle_sent(emails.engine, LEDGERS, held, "<it@mail.example.org>")
    await emails.settle()
    assert await emails.states() == {"sent": 2, "sent:by_hand": 1}
    assert len(emails.mail.told(emails.template)) == 2
    assert not await emails.undecided()


async def test_what_is_under_way_is_waited_for_and_then_sent_once(emails: DueEmails) -> None:
    emails.mail.fail(MailFault.IN_FLIGHT)
    await emails.run()
    await emails.settle(2)
    assert (await emails.states())["unknown"] == 1
    (key,) = await emails.sql(f"select cast(id as text) from {emails.table} where state = 'unknown'")
    emails.mail.decide(key[0])
    await emails.settle()
    await emails.each_was_sent_once()


@pytest.mark.parametrize("kind", ["reminders", "gifts"])
async def test_a_service_that_keeps_no_keys_makes_every_undecidable_send_held(
    engine: AsyncEngine, chain_scenario: Scenario, kind: str
) -> None:
    async with due_emails(kind, engine, chain_scenario, MAIL_IDEMPOTENT="false") as emails:
        emails.mail.fail(MailFault.ACCEPTS_AND_DIES, MailFault.DIES_BEFORE)
        await emails.run()
        await emails.settle()
        assert await emails.states() == {"sent": 1, "held:undecidable": 2}
        assert emails.mail.told(emails.template) == sorted({*emails.mail.told(emails.template)})
        assert len(emails.mail.inbox) == 2


async def test_retry_after_is_honoured(emails: DueEmails) -> None:
    emails.mail.retry_after = 1234
    emails.mail.fail(MailFault.SLOW_DOWN)
    await emails.run()
    (waits,) = await emails.sql(
        f"select extract(epoch from next_try - now()) from {emails.table} where state = 'released'"
    )
    assert 1200 < waits[0] <= 1234


async def test_down_for_a_week_kills_nothing_and_doubles_nothing(world: MailWorld) -> None:
    await world.mail.stop()
    for _ in range(8):
        report = await world.dispatch.run()
        assert "dead" not in report.outcomes.get(DUE, {})
        await world.days_pass(1)
        await world.hurry()
    assert sum((await world.states()).values()) == 3
    await world.mail.start()
    await of_reminders(world).settle()
    await of_reminders(world).each_was_sent_once()


async def test_a_request_refused_three_times_is_dead_until_it_is_requeued(emails: DueEmails) -> None:
    await emails.run()
    await emails.sql(f"update {emails.table} set state = 'queued', message_id = null, claimed_at = null")
    emails.mail.decide_all()
    emails.mail.inbox.clear()
    emails.mail.fail(*[MailFault.REJECTED] * 9)
    for _ in range(3):
        await emails.run()
        await emails.hurry()
    assert await emails.states() == {"dead:rejected_422": 3}
    assert await requeue_dead(emails.engine, LEDGERS) == 3
    await emails.settle()
    await emails.each_was_sent_once()


async def test_an_outage_spares_the_rest_of_the_slice(world: MailWorld) -> None:
    legacy = world.legacy(heirs=[f"heir{n}" for n in range(20)], inactivity=1 * DAY)
    await world.save(legacy, "owner", *(f"heir{n}" for n in range(20)))
    await world.look_at_chain()
    world.mail.fail(*[MailFault.UNAVAILABLE] * 1000)
    report = await world.dispatch.run()
    assert report.outage
    assert world.mail.requests < 100
    world.mail.faults.clear()
    await of_reminders(world).settle()
    assert await world.states() == {"sent": 24}


async def start_over(world: MailWorld) -> None:
    await world.sql("delete from worker.sent_ledger")
    await world.sql("delete from worker.quota")
    await world.sql("update worker.due_window set planned_at = null")
    world.mail.inbox.clear()


@pytest.mark.parametrize("faults", [(), (MailFault.ACCEPTS_AND_DIES, MailFault.DIES_BEFORE, MailFault.UNAVAILABLE)])
async def test_a_crash_at_every_step_of_the_worker(world: MailWorld, faults: tuple[MailFault, ...]) -> None:
    """Every statement and every commit of a run with sends, doubts and retries, one after the other."""
    for number in range(500):
        await start_over(world)
        world.mail.fail(*faults)
        if faults:
            await world.dispatch.run()
            await world.hurry()
        try:
            with CrashAt(world.engine, number) as crash:
                await world.dispatch.run()
        except PlannedCrash:
            await of_reminders(world).settle()
            assert world.mail.told(DUE) == EVERYBODY, f"crashed before statement {number}"
            assert await world.states() == {"sent": 3}
        if crash.left >= 0:
            break
    assert 15 < number < 499


async def test_killed_while_the_mail_service_has_the_email_in_hand(world: MailWorld, database_url: str) -> None:
    """A real process and a real kill -9: the lease expires, the mail service is asked, nobody hears twice."""
    world.mail.fail(*[MailFault.ACCEPTS_AND_HANGS] * 3)
    program = Path(__file__).with_name("dispatch_process.py")
    values = {**world.scenario.deployment.settings_environ(31337, world.scenario.anvil.url), "MAIL_URL": world.mail.url}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(program),
        database_url,
        *(f"{name}={value}" for name, value in values.items()),
        env={**os.environ, "PYTHONPATH": str(program.parents[2])},
    )
    while len(world.mail.inbox) < 3:
        await asyncio.sleep(0.02)
        assert process.returncode is None
    process.send_signal(signal.SIGKILL)
    await process.wait()
    assert await world.states() == {"claimed": 3}
    await world.dispatch.run()
    assert await world.states() == {"claimed": 3}  # the lease is not over
    await of_reminders(world).settle()
    await of_reminders(world).each_was_sent_once()


@pytest.mark.core
async def test_two_dispatchers_at_once_send_each_email_once(
    world: MailWorld, engine: AsyncEngine, chain_scenario: Scenario
) -> None:
    heirs = [f"heir{n}" for n in range(40)]
    legacy = world.legacy(heirs=heirs, inactivity=1 * DAY)
    await world.save(legacy, "owner", *heirs)
    await world.look_at_chain()
    world.mail.fail(MailFault.ACCEPTS_AND_DIES, MailFault.UNAVAILABLE, MailFault.DIES_BEFORE)
    async with open_world(engine, chain_scenario, world.mail) as other:
        await asyncio.gather(world.dispatch.run(), other.dispatch.run(), other.dispatch.run())
        await world.hurry()
        await asyncio.gather(world.dispatch.run(), other.dispatch.run())
    await of_reminders(world).settle()
    assert len(world.mail.inbox) == 44
    assert not world.mail.duplicates()
    assert await world.states() == {"sent": 44}
