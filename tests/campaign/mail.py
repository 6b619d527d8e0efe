"""A life of all kinds of emails: the worker posts reminders, gift emails and alerts to the real mail service.

The mail service hands over to a scripted SMTP server. It is two processes on one database. They are killed at every
point of a delivery and at any statement. SMTP refuses, hangs up, stalls and talks nonsense, and the worker fails, too.
The SMTP server counts.
"""

import asyncio
import re
import signal
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import aiohttp

from devnet.chain import Anvil
from devnet.deploy import HOUR, deploy
from devnet.scenarios import DAY, Scenario
from mail_service.addresses import AddressHasher, parse_address
from mail_service.bounces import ReportBook
from mail_service.report_store import ReportStore
from mail_service.reports import parse_report
from mail_service.settings import MailServiceSettings
from mail_service.store import make_engine
from reminder_worker.database.engine import open_engine
from reminder_worker.gifts.emails import GiftLedger
from reminder_worker.monitoring.erasure import erase_forgotten
from reminder_worker.monitoring.facts import LEDGERS
from reminder_worker.outbox.alerts import AlertOutbox
from reminder_worker.outbox.bounces import BounceReader
from reminder_worker.outbox.messages import AlertKind
from reminder_worker.outbox.operator import find_stuck
from reminder_worker.reminders.emails import ReminderLedger
from tests.campaign import judge
from tests.campaign.expected import GIFTS, WARNINGS, ReceivedEmail
from tests.campaign.gifts import BOUNCED, ENDING, GIFTED, UNOPENED, UNTOLD, WITHDRAWN, GivenGift, giver_of
from tests.campaign.judge import KeyedEmail
from tests.campaign.legacies import HEIRS, LEAVING, email_of
from tests.campaign.life import CampaignLife, listening, nothing_is_left
from tests.campaign.mail_services import MailService, MailServices
from tests.campaign.postgres import RealPostgres
from tests.campaign.reading import read_amounts, read_email, read_wallet
from tests.campaign.smtp import POINTS, REFUSALS, AcceptedEmail, ScriptedSmtp, SmtpMishap
from tests.campaign.worker import A_DAY, CAP, OPEN, WorkerLife, emptied
from tests.delivery_reports import complaint, postfix
from tests.integration.gift_mail_world import ORIGIN as GIFT_ORIGIN
from tests.integration.gift_mail_world import gift_world
from tests.integration.mail_service_stack import KEY_32, ORIGIN, TOKEN
from tests.integration.reminder_world import CHAIN_ID, MailWorld, open_world

SOME_HEIRS = HEIRS[:3]
APPLICATION = "mail_service"  # as PostgreSQL knows its connections
_SENDER = "sender.example"
BEFORE_THE_END = 95 * DAY + DAY // 2
"""Opening day of the last gifts. Premium ends on day 120, and life settles 25 days earlier, for a day: emails about an
opening that is a week ago are not tried again."""
OPERATOR = "nightwatch"  # gets no reminders


class MailLife(WorkerLife):
    def __init__(
        self, life: CampaignLife, world: MailWorld, postgres: RealPostgres, smtp: ScriptedSmtp, services: MailServices
    ) -> None:
        super().__init__(life, world, postgres, SOME_HEIRS)
        self.smtp = smtp
        self.services = services
        self.hasher = AddressHasher(
            MailServiceSettings.from_environ(_environ(postgres, smtp)).hash_key.get_secret_value()
        )
        self.alerts = AlertOutbox(world.engine, world.client, f"{OPERATOR}@example.org")
        self.gifts = gift_world(
            world.engine, world.scenario, world.settings, world.mail, world.client, world.chain, world.index
        )
        self.reports = make_engine(MailServiceSettings.from_environ(_environ(postgres, smtp)).reader_database_url, 1)
        self.bounces = BounceReader(world.engine, world.client, (ReminderLedger.statements, GiftLedger.statements))
        self.acts = 0
        self.given: dict[int, GivenGift] = {}  # by id
        self.may_doubt = False  # whether a present fault can leave an email in doubt
        self.locks_lost = False
        self.login_refused = False
        self.doubts = 0
        self.faults += [
            *[("SMTP refuses", self._refuses)] * 3,
            *[("SMTP hangs up", self._hangs_up)] * 3,
            *[("SMTP is slow", self._is_slow)] * 2,
            ("SMTP talks nonsense", self._nonsense),
            ("SMTP is down", self._smtp_down),
            *[("mail service killed at a point of SMTP", self._killed_at_a_point)] * 4,
            *[("mail service killed at a statement", self._killed_at_a_statement)] * 3,
            ("mail service killed at any moment", self._killed_at_any_moment),
            ("mail service asked to stop", self._asked_to_stop),
            ("mail service is down", self._down),
            *[("mail service's connections dropped", self._its_connections_dropped)] * 2,
        ]

    async def begin(self) -> None:
        await self.services.up()
        await super().begin()

    async def act(self) -> None:
        """Every step has emails: on a new day, everybody of a legacy hears of a check-in."""
        await self.days_pass()
        await super().act()
        await self._check_in()
        await self._give_and_alert()
        self.mine(self.draw.randint(1, 10))

    async def _give_and_alert(self) -> None:
        """Two more people get a gift, and a wallet runs low on ETH, or has enough again.

        One gift stays sealed. The next step withdraws the other one, and tells its giver.
        """
        self.acts += 1
        now = self.world.scenario.advance(HOUR)
        for gift in self.given.values():
            if gift.opens <= now and not gift.is_withdrawn:
                self._withdraw(gift)
        await self._give(f"{GIFTED}{self.acts}@example.org", 20 * 365 * DAY, tells_giver=False)
        await self._give(f"{GIFTED}.soon{self.acts}@example.org", HOUR, is_announced=False)
        change = self.alerts.raise_condition if self.acts % 2 else self.alerts.clear_condition
        await change(None, AlertKind.RELAYER_LOW_BALANCE, f"wallet {self.acts // 4 % 2}", CHAIN_ID, {})

    async def _give(self, to: str, duration: int, *, is_announced: bool = True, tells_giver: bool = True) -> None:
        id = self.gifts.seal(duration=duration, tokens=[(self.world.scenario.deployment.usdc, 1)])
        opens = self.world.scenario.anvil.now() + duration
        wishes = {"giverEmail": giver_of(to)} if tells_giver else {}
        timing = "immediate" if is_announced else "none"
        await self.gifts.register(id, recipientEmail=to, remindAfterOpening=to == UNOPENED, timing=timing, **wishes)
        self.given[id] = GivenGift(id, to, opens, is_announced, tells_giver)

    def _withdraw(self, gift: GivenGift) -> None:
        self.world.scenario.withdraw_gift(self.gifts.heir, gift.id)
        gift.is_withdrawn = True

    def look(self, *, settled: bool = False) -> None:
        now, left = self.world.scenario.anvil.now(), self.families.left
        due = [email for gift in self.given.values() for email in gift.list_due(now, came_back=gift.to in left)]
        self.families.look(self.heard(), settled=settled, gifts=Counter(due))

    async def go_through_ends(self) -> None:
        """Four gifts of givers with an address open meanwhile. One gift is withdrawn.

        The email that announced another one came back. Later the email to its giver comes back, too.
        """
        for to in ENDING:
            await self._give(to, BEFORE_THE_END)
        await super().go_through_ends()
        (withdrawn,) = (gift for gift in self.given.values() if gift.to == WITHDRAWN)
        await self._reach(withdrawn.opens + 31 * DAY)
        await self._return_latest(giver_of(BOUNCED), postfix)
        await self.bounces.run()
        self.families.left.add(giver_of(BOUNCED))
        await self._withdraw_twice(withdrawn)
        await self._reach(withdrawn.opens + 91 * DAY)
        await self._reach(withdrawn.opens + 366 * DAY)

    async def _reach(self, moment: int) -> None:
        """A day on which the next reminder of a gift is due."""
        self.world.scenario.anvil.set_time(moment)
        await self.world.sql("update worker.gift_reminder set next_at = now()")
        await self.settle()

    async def _withdraw_twice(self, gift: GivenGift) -> None:
        """A reorganisation takes back the first withdrawal, which the worker saw."""
        self.world.scenario.withdraw_gift(self.gifts.heir, gift.id)
        await self.days_pass()
        await self.tick()
        self.world.scenario.anvil.remine(1, 1, transactions=False)
        await self.days_pass()
        await self.tick()
        self._withdraw(gift)
        await self.settle()

    async def people_leave(self) -> None:
        """An email comes back, one is complained about; one person unsubscribes, one has their address forgotten.

        An email to the recipient of a gift comes back, too, and a giver unsubscribes.
        """
        bouncing, complaining, unsubscribing, forgotten = leaving = [email_of(label) for label in LEAVING]
        for to, raw_of in ((bouncing, postfix), (BOUNCED, postfix), (complaining, complaint)):
            await self._return_latest(to, raw_of)
        tokens = [self.hasher.make_unsubscribe_token(parse_address(to)) for to in (unsubscribing, giver_of(UNTOLD))]
        links = re.findall(r"Delete my email address:\s+\S+/forget/(\S+)", self._list_taken(forgotten)[-1].text)
        async with aiohttp.ClientSession(self.services.url, raise_for_status=True) as session:
            for path in (*(f"/unsubscribe/{token}" for token in tokens), f"/forget/{links[0]}"):
                await session.post(path)
        await self.bounces.run()
        await erase_forgotten(self.world.engine, self.world.client)
        self.families.left |= {*leaving, BOUNCED, giver_of(UNTOLD)}
        self.look()

    async def _return_latest(self, to: str, raw_of: Callable[[str, str], bytes]) -> None:
        """Bring a report about the latest email to this address."""
        book = ReportBook(ReportStore(self.reports), self.hasher, _SENDER)
        taken = self._list_taken(to)
        report = parse_report(raw_of(taken[-1].message_id, to)) if taken else None
        if report is None or not await book.take_report(report):
            self.life.violations.append(f"no report about an email to {to} was taken")

    def _list_taken(self, to: str) -> list[AcceptedEmail]:
        return [each for each in self.smtp.taken if each.to == to]

    def passes(self) -> list[Callable[[], Awaitable[object]]]:
        return [*super().passes(), self.gifts.mail.run, self.alerts.run]

    async def days_pass(self, days: float = A_DAY) -> None:
        """Each gift with a giver is due to be looked at. Day 90 comes by the chain's clock."""
        await super().days_pass(days)
        for table, columns in {
            "gift_ledger": ("next_try", "created_at", "claimed_at", "settled_at", "lease_until"),
            "alert": ("next_try", "created_at"),
        }.items():
            moved = ", ".join(f"{column} = {column} - make_interval(secs => {days * DAY})" for column in columns)
            await self.world.sql(f"update worker.{table} set {moved}")
        await self.world.sql(
            "update worker.gift_giver set next_look = least(next_look, now()),"
            " unopened_at = case when unlock_time <= :opened then now() else unopened_at end"
            " where next_look is not null",
            opened=self.world.scenario.anvil.now() - 90 * DAY,
        )

    async def _open(self) -> dict[str, int]:
        rows = await self.world.sql(
            f"select 'gift ' || state, count(*) from worker.gift_ledger where state in {OPEN}"
            " and (kind <> 'gift_unlocked' or timelock_id = any(:opened)) group by state"
            " union all select 'alert', count(*) from worker.alert where state = 'queued' having count(*) > 0",
            opened=[id for id, gift in self.given.items() if gift.opens <= self.world.scenario.anvil.now()],
        )
        return await super()._open() | {row[0]: row[1] for row in rows}

    async def well(self) -> None:
        self.smtp.mishaps.clear()
        if not self.smtp.listens:
            await self.smtp.start()
        if self.login_refused:  # who mends a password starts the service anew, which else waits for five minutes
            self.login_refused = False
            for one in self.services.each:
                await self._stopped(one)
        await self.services.up()
        ((doubts, under_way),) = await self.world.sql(
            "select count(*) filter (where state = 'in_doubt'), count(*) filter (where state = 'in_flight')"
            " from mail_service.message"
        )
        if doubts > self.doubts and not self.may_doubt:
            self.life.violations.append(f"{doubts - self.doubts} in doubt without need")
        self.doubts, self.may_doubt = doubts, self.may_doubt and under_way > 0

    def heard(self) -> int:
        return len(self._to_people())

    def _to_people(self) -> list[AcceptedEmail]:
        return [each for each in self.smtp.taken if not each.to.startswith(OPERATOR)]

    # -- what goes wrong ------------------------------------------------------------------------

    def _mishaps(self, point: str, how: str | float) -> None:
        self.life.story.append(f"  {point}: {how}")
        self.smtp.mishaps.extend([SmtpMishap(point, how)] * self.draw.randint(1, 4))

    @asynccontextmanager
    async def _refuses(self) -> AsyncIterator[None]:
        point, how = self.draw.choice([*REFUSALS]), self.draw.choice(("4xx", "5xx"))
        self.login_refused |= point == "auth"
        self._mishaps(point, how)
        yield

    @asynccontextmanager
    async def _hangs_up(self) -> AsyncIterator[None]:
        point = self.draw.choice([*REFUSALS, "body", "end"])
        self.may_doubt |= point in ("body", "end")
        self._mishaps(point, "drop")
        yield

    @asynccontextmanager
    async def _is_slow(self) -> AsyncIterator[None]:
        """Longer than the worker waits, and longer than the mail service does."""
        point, seconds = self.draw.choice([*REFUSALS, "body", "end"]), self.draw.choice((1.0, 4.0))
        self.may_doubt |= point in ("body", "end") and seconds > 3
        self._mishaps(point, seconds)
        yield

    @asynccontextmanager
    async def _nonsense(self) -> AsyncIterator[None]:
        point = self.draw.choice([*REFUSALS])
        self.may_doubt |= point == "end"
        self._mishaps(point, "nonsense")
        yield

    @asynccontextmanager
    async def _smtp_down(self) -> AsyncIterator[None]:
        await self.smtp.stop()
        yield

    @asynccontextmanager
    async def _killed_at_a_point(self) -> AsyncIterator[None]:
        self.may_doubt = True
        point = self.draw.choice(POINTS)
        self.life.story.append(f"  {point}")
        self.smtp.mishaps.append(SmtpMishap(point, "kill"))
        yield

    @asynccontextmanager
    async def _killed_at_a_statement(self) -> AsyncIterator[None]:
        self.may_doubt = True
        when, number = self.draw.choice(("before", "after")), self.draw.randint(0, 16)
        self.life.story.append(f"  {when} {number}")
        self._one().at_statement(when, number)
        yield

    @asynccontextmanager
    async def _killed_at_any_moment(self) -> AsyncIterator[None]:
        self.may_doubt = True
        timer = asyncio.get_running_loop().call_later(self.draw.random() * 0.3, self._one().end)
        yield
        timer.cancel()

    @asynccontextmanager
    async def _asked_to_stop(self) -> AsyncIterator[None]:
        """Open requests are finished, so no email is in doubt."""
        one = self._one()
        timer = asyncio.get_running_loop().call_later(self.draw.random() * 0.3, one.end, signal.SIGTERM)
        yield
        timer.cancel()
        await self._stopped(one)

    async def _stopped(self, one: MailService) -> None:
        one.end(signal.SIGTERM)
        await one.ended()

    @asynccontextmanager
    async def _down(self) -> AsyncIterator[None]:
        self.may_doubt = True  # what it had in hand when the worker no longer waited
        for one in self.services.each:
            one.end()
            await one.ended()
        yield

    def _its_connections_dropped(self) -> Any:
        self._lock_lost()
        return self.meanwhile(lambda: self.postgres.drop_connections(APPLICATION))

    def _connections_dropped(self) -> Any:
        self._lock_lost()
        return super()._connections_dropped()

    def _database_restarted(self) -> Any:
        self._lock_lost()
        return super()._database_restarted()

    def _disk_full(self) -> Any:
        self._lock_lost()
        return super()._disk_full()

    def _lock_lost(self) -> None:
        """The other process may believe this process dead. Its open emails are then in doubt until it reports them."""
        self.may_doubt = self.locks_lost = True

    def _one(self) -> MailService:
        return self.draw.choice(self.services.each)

    # -- judgement ------------------------------------------------------------------------------

    async def judge(self) -> list[str]:
        first = self.families.each[0].legacy
        rows = await self.world.sql("select key, state from mail_service.message")
        states = {row.key: row.state for row in rows}
        doubted = {key for key, state in states.items() if state == "in_doubt"}
        late = {key for key, state in states.items() if state == "accepted"} if self.locks_lost else set()
        keys = {self.hasher.make_message_id(key, _SENDER): key for key in states}
        letters = [
            KeyedEmail(
                keys.get(each.message_id, each.message_id),
                read_email(each.to, each.subject, each.text),
                read_wallet(each.text),
                read_amounts(each.text),
            )
            for each in self._to_people()
        ]
        reminders = [letter for letter in letters if letter.read.kind not in GIFTS]
        taken = {keys.get(each.message_id, each.message_id) for each in self.smtp.taken}
        said = "\n".join([*self.life.log, self.services.log.read_text()])
        return [
            *judge.no_entry_was_emailed_twice(letters),
            *await judge.people_were_told_what_the_chain_says(
                self.families, letters, *WARNINGS, *GIFTS, shown=await self._shown_gifts()
            ),
            *judge.resets_were_merged(letters, self.merged),
            *judge.wallets_are_the_persons_own(self.world, letters),
            *judge.amounts_are_the_persons_own(self.families, letters),
            *judge.cap_was_kept(letters, self.days, CAP),
            *self._mail_service_tells_the_truth(states, taken),
            *await self._gift_emails_and_alerts_arrived(),
            *await judge.ledger_and_letters_agree(self.world, reminders, doubted, late),
            *await judge.nothing_was_dropped_that_was_true(self.world, first),
            *judge.nothing_leaked(database=self.postgres.dump(), log=said),
        ]

    def _mail_service_tells_the_truth(self, states: dict[str, str], taken: set[str]) -> list[str]:
        found = ["the mail service has one under way for ever" for state in states.values() if state == "in_flight"]
        for key in taken - states.keys():
            found.append(f"SMTP took what the mail service knows nothing of: {key}")
        for key, state in states.items():
            if state == "accepted" and key not in taken:
                found.append("the mail service says accepted, and SMTP never took it")
        return found

    async def _shown_gifts(self) -> list[ReceivedEmail]:
        """Return the emails of gifts that operators see."""
        ids = [row.id for row in await find_stuck(self.world.engine, LEDGERS)]
        rows = await self.world.sql("select timelock_id, kind from worker.gift_ledger where id = any(:ids)", ids=ids)
        return [self.given[row.timelock_id].email(row.kind) for row in rows]

    async def _gift_emails_and_alerts_arrived(self) -> list[str]:
        """Check gift emails (at most once) and alerts (at least once). Operators see held and refused emails."""
        times = Counter(each.message_id for each in self.smtp.taken)
        shown = {row.id for row in await find_stuck(self.world.engine, LEDGERS)}
        lasting = [id for id, gift in self.given.items() if gift.to not in ENDING]
        gifts = await self.world.sql(
            "select id, kind, state from worker.gift_ledger where kind = 'gift_waiting' and timelock_id = any(:ids)",
            ids=lasting,
        )
        alerts = await self.world.sql("select id, kind, state from worker.alert where state <> 'merged'")
        found = [] if len(gifts) == self.acts and (alerts or not self.acts) else ["a gift or an alert was lost"]
        for row in [*gifts, *alerts]:
            arrived = times[self.hasher.make_message_id(str(row.id), _SENDER)]
            if row.state == "sent" and not arrived:
                found.append(f"{row.kind} says sent, and nobody got it")
            if row.state != "sent" and row.id not in shown:
                found.append(f"{row.kind} is {row.state} and not shown")
            if arrived > 1:
                found.append(f"{row.kind} was sent {arrived} times under one key")
        if len({each.to for each in self.smtp.taken if each.to.startswith(GIFTED)}) < len(gifts) / 2:
            found.append("few gifts were announced, so little was proven of them")
        return found


def _environ(postgres: RealPostgres, smtp: ScriptedSmtp) -> dict[str, str]:
    url = postgres.url.replace("postgresql+psycopg://", "postgresql://")
    return {
        "MAIL_SERVICE_DATABASE_URL": f"{url}&application_name={APPLICATION}",
        "MAIL_SERVICE_TOKEN": TOKEN,
        "MAIL_SERVICE_HASH_KEY": KEY_32,
        "MAIL_SERVICE_PUBLIC_URL": "http://127.0.0.1:8090",
        "APP_ORIGIN": ORIGIN,
        "MAIL_FROM": f"Reminders <reminders@{_SENDER}>",
        "SMTP_HOST": "127.0.0.1",
        "SMTP_PORT": str(smtp.port),
        "SMTP_TLS": "none",
        "SMTP_USERNAME": "user",
        "SMTP_PASSWORD": "a-password",
        "SMTP_POOL_SIZE": "3",
        "GIFT_ORIGINS": GIFT_ORIGIN,
    }


async def live(seed: int, steps: int, postgres: RealPostgres) -> CampaignLife:
    """One life on a chain of its own; the database is emptied first."""
    life = CampaignLife(seed)
    with listening(life), TemporaryDirectory() as directory:
        await _live(life, steps, postgres, Path(directory))
    await nothing_is_left(life, postgres)
    return life


async def _live(life: CampaignLife, steps: int, postgres: RealPostgres, directory: Path) -> None:
    async with AsyncExitStack() as stack:
        anvil = stack.enter_context(Anvil(slots_in_an_epoch=16))
        scenario = Scenario(anvil, deploy(anvil))
        engine = open_engine(postgres.url)
        stack.push_async_callback(engine.dispose)
        smtp = await stack.enter_async_context(ScriptedSmtp())
        services = MailServices(_environ(postgres, smtp), directory / "log")
        stack.push_async_callback(services.stop)
        await services.start()
        smtp.kill = services.end_who_speaks_from
        world = await stack.enter_async_context(
            open_world(
                engine,
                scenario,
                services,
                MAIL_TIMEOUT="0.7",
                MAIL_CONCURRENCY="4",
                SIGNAL_MAX_AGE=str(1000 * DAY),  # what an outage made late is still owed
                MAIL_DAILY_CAP_PER_ADDRESS=str(CAP),
                GIFT_ORIGINS=GIFT_ORIGIN,
            )
        )
        await emptied(world)
        lived = MailLife(life, world, postgres, smtp, services)
        stack.push_async_callback(lived.reports.dispose)
        await lived.live(steps)
