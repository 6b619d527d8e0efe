"""A worker's life, whatever it is beset by: how time passes, people act, passes run and fail, and what always holds."""

import asyncio
import random
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

from sqlalchemy.exc import SQLAlchemyError

from devnet.chain import ChainError
from devnet.deploy import HOUR
from devnet.scenarios import DAY
from reminder_worker.errors import ServiceError
from reminder_worker.reminders import rendering
from reminder_worker.reminders.planner import PlanReport
from tests.campaign.expected import LATE_BLOCKS
from tests.campaign.legacies import LINE_DELAY, AllFamilies, LegacyFamily
from tests.campaign.life import CampaignLife
from tests.campaign.postgres import RealPostgres
from tests.integration.crash import CrashAt, PlannedCrash
from tests.integration.reminder_world import CHAIN_ID, MailWorld

DEEPEST = 64  # blocks of a reorganisation
UNTIL_SAFE = 20  # blocks: more than `safe` is behind the head
CAP = 1  # emails to one address in a day: fewer than happen
OPEN = ("queued", "claimed", "released", "unknown")
ROUNDS_TO_SETTLE = 20  # days: a dozen of one email a day, and what endpoints and leases need
A_DAY = 1.01
AT_ONCE = 0.3  # how often two faults come together
CRASH = "killed at a statement"
_EXPECTED = (ServiceError, SQLAlchemyError, OSError, TimeoutError, PlannedCrash)  # what a pass may end with
_PROCESS = Path(__file__).parents[1] / "integration" / "dispatch_process.py"
_HOT_LOOP = _PROCESS.with_name("hot_loop_process.py")
STATEMENTS_OF_A_BEAT = 120  # about, with those of the start
Fault = tuple[str, Callable[[], Any]]


class WorkerLife:
    """`heirs` of the legacies; `actions` of people and `faults` are drawn from the seed."""

    def __init__(self, life: CampaignLife, world: MailWorld, postgres: RealPostgres, heirs: Sequence[str]) -> None:
        self.life = life
        self.draw = random.Random(life.seed)
        self.world = world
        self.postgres = postgres
        self.families = AllFamilies(world, self.draw, heirs)
        self.reorganised = False
        self.set_back = 0.0  # days that the database's clock was set back, in all
        self.days: list[tuple[int, Collection[str]]] = [(0, ())]  # see `judge.cap_was_kept`
        self.merged: list[tuple[str, int, int]] = []  # see `judge.resets_were_merged`
        self._cursors: dict[str, int] = {}
        self.actions: list[tuple[str, Callable[[], Awaitable[None]]]] = [
            ("days pass", self._days_pass),
            ("the owner checks in", self._check_in),
            ("an heir claims", self._claim),
            ("recipients are written anew", self._rewrite),
        ]
        self.faults: list[Fault] = [
            (CRASH, self._crash),
            ("killed by signal", self._kill),
            *[("hot loop killed at a statement", self._kill_hot_loop)] * 2,
            ("two at once", self._two_at_once),
            ("connections dropped", self._connections_dropped),
            ("database restarted", self._database_restarted),
            ("disk full", self._disk_full),
            ("clock ahead", self._clock_ahead),
            ("clock back", self._clock_back),
            ("wall clock stepped", self._wall_clock),
            ("lease over too early", self._lease_over),
        ]

    # -- the life -------------------------------------------------------------------------------

    async def live(self, steps: int) -> None:
        await self.begin()
        for _ in range(steps):
            await self.act()
            async with AsyncExitStack() as stack:
                for name, fault in self._drawn():
                    self.life.faults[name] += 1
                    self.life.story.append(name)
                    await stack.enter_async_context(fault())
                    self.look()
                await self.tick()
            await self.well()
            await self._cursors_never_go_back()
            await self._nothing_waits_longer_than_stated()
        await self.settle()
        await self._go_through_windows()
        await self.go_through_ends()
        self.life.violations += await self.judge()

    def _drawn(self) -> list[Fault]:
        """One, or two at once. A crash at a statement comes last: the statements that it counts are the passes'."""
        drawn = dict(self.draw.choices(self.faults, k=2 if self.draw.random() < AT_ONCE else 1))
        return sorted(drawn.items(), key=lambda each: each[0] == CRASH)

    async def tick(self) -> bool:
        """Run all passes. A failing pass does not stop the others, but a crashed process does nothing more.

        Return whether all passes succeeded.
        """
        well = True
        for work in self.passes():
            try:
                await work()
            except PlannedCrash:
                return False
            except _EXPECTED as error:
                well = False
                self.life.story.append(f"  {getattr(work, '__qualname__', work)}: {type(error).__name__}")
        return well

    def passes(self) -> list[Callable[[], Awaitable[object]]]:
        """Return the passes of a tick, in order."""
        return [self.world.index.run, self.world.signals.run, self.world.due.run, self.world.dispatch.run]

    async def begin(self) -> None:
        await self.families.begin()
        self.mine(DEEPEST + 6)  # what is set up is deeper than any reorganisation
        self.look()
        await self.tick()

    async def act(self) -> None:
        if self.draw.random() < 0.6:
            name, action = self.draw.choice(self.actions)
            self.life.story.append(name)
            with suppress(ChainError):  # for example a claim that comes too early
                await action()
            self.look()
            self.mine(self.draw.randint(0, 40))

    def mine(self, blocks: int) -> None:
        self.world.scenario.anvil.mine(blocks)

    async def well(self) -> None:
        """Whatever is outside of the worker works again."""
        raise NotImplementedError

    def look(self, *, settled: bool = False) -> None:
        """Keep what the chain says now: each state that a pass may meet."""
        self.families.look(self.heard(), settled=settled)

    def heard(self) -> int:
        """How many emails people got so far."""
        raise NotImplementedError

    async def judge(self) -> list[str]:
        """Return the broken promises."""
        raise NotImplementedError

    # -- people ---------------------------------------------------------------------------------

    async def _days_pass(self) -> None:
        days = self.draw.randint(1, 12)
        self.world.scenario.advance(days * DAY)
        await self.days_pass(days)

    async def _check_in(self) -> None:
        """Mostly choose a legacy with one line: the later lines of other legacies must open, too."""
        (family,) = self.draw.choices(self.families.each, (4, 4, 1, 1))
        self.families.check_in(family)

    async def _claim(self) -> None:
        """Mostly of the second legacy: a claim ends the owner's part, and no timer starts anew after it."""
        (family,) = self.draw.choices(self.families.each, (2, 8, 2, 2))
        self.families.claim(family, self.draw.choice(family.claimants))

    async def _rewrite(self) -> None:
        """Change the second legacy only: the emails owed by the first stay countable."""
        await self.families.rewrite()

    # -- what goes wrong with the worker, its database and its clocks -------------------------------

    @asynccontextmanager
    async def _crash(self) -> AsyncIterator[None]:
        with CrashAt(self.world.engine, self.draw.randint(0, 60)):
            yield

    @asynccontextmanager
    async def _kill(self) -> AsyncIterator[None]:
        """Start a dispatcher as a separate process and end it by SIGKILL during its start or its work."""
        process = await self._start(_PROCESS)
        asyncio.get_running_loop().call_later(0.6 + self.draw.random(), _end, process)
        said, _ = await process.communicate()
        self.life.log.append(said.decode())
        yield

    @asynccontextmanager
    async def _kill_hot_loop(self) -> AsyncIterator[None]:
        """Let the loop of the sensors' process do one beat; it ends by SIGKILL before one of its statements."""
        self.look()  # the judge has to see the signals that the loop tells of
        number = self.draw.randint(0, STATEMENTS_OF_A_BEAT)
        said, _ = await (await self._start(_HOT_LOOP, str(number))).communicate()
        self.life.story.append(f"  before statement {number}")
        self.life.log.append(said.decode())
        yield

    async def _start(self, script: Path, *words: str) -> asyncio.subprocess.Process:
        environ = self.world.scenario.deployment.settings_environ(CHAIN_ID, self.world.scenario.anvil.url)
        chain = self.world.settings.chains[0]
        environ |= {  # as the world's own worker
            "MAIL_URL": self.world.mail.url,
            "MAIL_DAILY_CAP_PER_ADDRESS": str(CAP),
            "SIGNAL_MAX_AGE": str(self.world.settings.reminders.signal_max_age_seconds),
            f"CHAIN_{CHAIN_ID}_NAME": chain.name,
            f"CHAIN_{CHAIN_ID}_SIGNAL_BLOCK": chain.signal_block,
        }
        values = [f"{name}={value}" for name, value in environ.items()]
        return await asyncio.create_subprocess_exec(
            *[sys.executable, str(script), *words, self.postgres.url, *values],
            env={"PYTHONPATH": str(script.parents[2])},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )

    @asynccontextmanager
    async def _two_at_once(self) -> AsyncIterator[None]:
        other = asyncio.create_task(self.tick())
        yield
        await other

    @asynccontextmanager
    async def meanwhile(self, work: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
        async def later() -> None:
            await asyncio.sleep(self.draw.random() * 0.1)
            await work()

        task = asyncio.create_task(later())
        yield
        await task
        await self.postgres.ready()

    def _connections_dropped(self) -> Any:
        return self.meanwhile(self.postgres.drop_connections)

    def _database_restarted(self) -> Any:
        return self.meanwhile(self.postgres.restart)

    @asynccontextmanager
    async def _disk_full(self) -> AsyncIterator[None]:
        with self.postgres.full_disk():
            yield
        await self.postgres.ready()

    @asynccontextmanager
    async def _clock_ahead(self) -> AsyncIterator[None]:
        await self.days_pass(self.draw.choice((0.1, A_DAY, 2)))
        yield

    @asynccontextmanager
    async def _clock_back(self) -> AsyncIterator[None]:
        days = self.draw.choice((0.01, 0.2))
        self.set_back += days
        await self.days_pass(-days)
        yield

    @asynccontextmanager
    async def _wall_clock(self) -> AsyncIterator[None]:
        """The only question of a pass that this machine's clock answers: the passes go by the chain's and the
        database's."""
        days = self.draw.choice((-400, -1, 1, 400))
        self.life.story.append(f"  by {days} days")

        class Stepped(datetime):
            @classmethod
            def now(cls, tz: Any = None) -> Any:
                return datetime.now(tz) + timedelta(days=days)

        with patch.object(rendering, "datetime", Stepped):
            yield

    @asynccontextmanager
    async def _lease_over(self) -> AsyncIterator[None]:
        """A second dispatcher takes what the first still has in hand."""
        other = asyncio.create_task(self.tick())
        with suppress(SQLAlchemyError):
            await self.world.leases_expire()
        yield
        await other

    # -- what holds all the time ----------------------------------------------------------------

    async def days_pass(self, days: float = A_DAY) -> None:
        """Move the database's clock for every waiting row. What is under way then was counted on the day before."""
        rows = await self.world.sql(
            "select cast(id as text) from worker.sent_ledger where state in ('claimed', 'unknown', 'held')"
        )
        under_way = frozenset(row[0] for row in rows)
        self.days.append((self.heard(), under_way))
        await self.world.days_pass(days)
        moved = f"make_interval(secs => {days * DAY})"
        await self.world.sql(f"update worker.notify_signal set next_try = next_try - {moved}")
        await self.world.sql(f"update worker.watch set paused_until = paused_until - {moved}")
        await self.world.sql(f"update worker.recipient set written_at = written_at - {moved}")

    async def _cursors_never_go_back(self) -> None:
        """Check the cursors of signals, index and horizon. A reorganisation may take each back once."""
        rows = await self.world.sql("select name, max(block_number) from worker.index_cursor group by name")
        for name, number in rows:
            before = self._cursors.get(name, -1)
            if number < before and not self.reorganised:
                self.life.violations.append(f"cursor {name} went back from {before} to {number}")
        self._cursors = dict(rows)
        self.reorganised = False

    async def _nothing_waits_longer_than_stated(self) -> None:
        """A day at most until the next try of anything, three minutes until a lease is over."""
        late = f"now() + make_interval(secs => {86400 * (1 + self.set_back) + 60})"
        lease = f"now() + make_interval(secs => {180 + 86400 * self.set_back})"
        for what, where in {
            "an entry": f"worker.sent_ledger where state in {OPEN} and next_try > {late}",
            "a lease": f"worker.sent_ledger where state in ('claimed', 'unknown') and lease_until > {lease}",
            "a signal": f"worker.notify_signal where state = 'new' and next_try > {late}",
            "a legacy": f"worker.watch where paused_until > {late}",
        }.items():
            ((number,),) = await self.world.sql(f"select count(*) from {where}")
            if number:
                self.life.violations.append(f"{what} waits longer than stated")

    async def settle(self) -> None:
        """Everything is well from now on, and time passes, a day at a time: nothing is hurried.

        A day of the chain passes, too: some changes leave no event, and are found within a day.
        """
        self.world.scenario.advance(DAY)
        self.look()
        for _ in range(ROUNDS_TO_SETTLE):
            await self.well()
            self.mine(UNTIL_SAFE)
            await self.days_pass()
            self.look()
            if not await self.tick():
                await asyncio.sleep(1)  # endpoints that failed rest
                continue
            if not await self._open():
                self.look(settled=True)
                return
        self.life.violations.append(f"stuck: {await self._open()}")

    async def _go_through_windows(self) -> None:
        """Every window of every line opens once, and everybody who may claim does: each kind is judged in each life."""
        first = await self.families.renew()
        self.look()
        lines = (first, first + LINE_DELAY, first + 2 * LINE_DELAY)
        moments = [first - 6 * DAY, *(each + wait for each in lines for wait in (-4 * DAY, HOUR))]
        moments += [first + days * DAY for days in (31, 91, 366)]
        for moment in moments:
            self.world.scenario.anvil.set_time(moment)
            await self.settle()
        for claim in self.families.claims():
            with suppress(ChainError):  # of one line, the second claim of a Safe legacy
                claim()
        self.look()
        await self.settle()

    async def go_through_ends(self) -> None:
        """Go through what lasts, or happens once: Premium ends, a guard and a module go, a claim moves tokens.

        Several check-ins of a day are one email, and a window closes after its emails were planned.
        """
        claimed, leaving = await self.families.begin_claimed(), await self.families.begin_leaving()
        await self.families.begin_ending(120 * DAY)
        await self.families.begin_troubled()
        await self.settle()
        self.families.make_trouble()
        await self._several_check_ins(leaving)
        self._set_time(leaving, -4 * DAY)  # also the claimed one's
        await self.settle()
        await self.people_leave()
        await self._a_window_closes(leaving)
        self.families.claim(claimed, claimed.claimants[0], assets=[self.world.scenario.deployment.usdc])
        self.look()
        await self.settle()
        ends = self.families.read_end_of_premium()
        for days in (-25, -5, 1):
            self.world.scenario.anvil.set_time(ends + days * DAY)
            await self.settle()

    async def people_leave(self) -> None:
        """Some heirs do not want, or cannot get, any more emails; nobody without a mail service."""

    def _set_time(self, family: LegacyFamily, wait: int) -> None:
        """Move the chain to so many seconds after the day of the first line."""
        first = self.world.scenario.read("TransferEOALegacy", family.legacy.address, "getTriggerActivationTimestamp")[0]
        self.world.scenario.anvil.set_time(first + wait)

    async def _several_check_ins(self, family: LegacyFamily) -> None:
        """Nobody hears of the first ones before the last is on chain."""
        for _ in range(3):
            self.families.check_in(family)
        self.look()
        began = self.heard()
        await self.settle()
        self.merged.append((family.legacy.address, began, self.heard()))

    async def _a_window_closes(self, family: LegacyFamily) -> None:
        """The owner checks in while the emails to the heirs wait, and the chain is long past it when they could go."""
        self._set_time(family, HOUR)
        self.look()
        await self.world.look_at_chain()
        for planner in self.world.dispatch._planners.values():
            await planner.run(PlanReport())
        ((waiting,),) = await self.world.sql(
            "select count(*) from worker.sent_ledger where kind = 'ready_to_activate' and state = 'queued'"
        )
        if not waiting:
            self.life.violations.append("no window closed before its emails, so nothing was proven of it")
        self.families.check_in(family)
        self.look()
        self.mine(LATE_BLOCKS + 2)
        await self.settle()

    async def _open(self) -> dict[str, int]:
        """Count unsettled entries by state, and signals without a plan."""
        rows = await self.world.sql(
            f"select state, count(*) from worker.sent_ledger where state in {OPEN} group by state"
            " union all select 'new signal', count(*) from worker.notify_signal where state = 'new' having count(*) > 0"
        )
        return {row[0]: row[1] for row in rows}


def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.kill()


def patient(ask: Callable[..., Awaitable[list[Any]]]) -> Callable[..., Awaitable[list[Any]]]:
    """The campaign's own questions go through what it did to the database."""

    async def asked(statement: str, **values: Any) -> list[Any]:
        for _ in range(20):
            try:
                return await ask(statement, **values)
            except SQLAlchemyError:
                await asyncio.sleep(0.1)
        return await ask(statement, **values)

    return asked


async def emptied(world: MailWorld) -> None:
    """No life begins with what another left."""
    schemas = "('worker', 'mail_service')"
    tables = await world.sql(
        f"select schemaname || '.' || tablename from pg_tables where schemaname in {schemas}"
        " and tablename <> 'alembic_version'"
    )
    await world.sql("truncate " + ", ".join(row[0] for row in tables))
    world.sql = patient(world.sql)  # type: ignore[method-assign,assignment]
