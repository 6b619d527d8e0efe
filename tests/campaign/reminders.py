"""A life of the reminders' worker: people act, the chain moves, everything fails in turn; then it is well, and judged.

One process with the real database and chain, two RPC endpoints and a subgraph in front of it, and a mail service that
keeps the contract's keys. What happens is drawn from the seed alone; `Life.story` tells it again.
"""

import asyncio
import random
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web
from eth_utils.crypto import keccak
from sqlalchemy.exc import SQLAlchemyError

from devnet.chain import Anvil, ChainError
from devnet.deploy import deploy
from devnet.scenarios import DAY, Legacy, Scenario
from reminder_worker.database.engine import open_engine
from reminder_worker.errors import ServiceError
from reminder_worker.indexer.subgraph import Subgraph
from reminder_worker.mail.messages import KIND_WINDOWS
from tests.campaign.postgres import Postgres
from tests.integration.chain_proxy import Json, Proxy, proxy
from tests.integration.crash import Crash, CrashAt
from tests.integration.indexer_graph_node import GraphNode
from tests.integration.mail_stub import Fault, MailStub
from tests.integration.reminder_world import CHAIN_ID, World, open_world

HEIRS = ("anna", "ben", "cleo", "dan", "eva")
DEEPEST = 64  # blocks of a reorganisation
INACTIVITY = 40 * DAY
NOTIFY_TOPIC = "0x" + keccak(text="LegacyEmailNotifyRequested(address,address,uint8,uint8)").hex()
_OF_WINDOWS = {kind.value for kind in KIND_WINDOWS}
OPEN = ("queued", "claimed", "released", "unknown")
ROUNDS_TO_SETTLE = 40
_EXPECTED = (ServiceError, SQLAlchemyError, OSError, TimeoutError, Crash)  # what a pass may end with
_PROCESS = Path(__file__).parents[1] / "integration" / "dispatch_process.py"
_MAIL_FAULTS = [fault for fault in Fault if fault is not Fault.SUPPRESSED]


@dataclass
class Life:
    """What happened in one: `faults` by name, `violations` in words, `story` step by step."""

    seed: int
    faults: Counter[str] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)
    story: list[str] = field(default_factory=list)


class Reminders:
    def __init__(self, life: Life, world: World, postgres: Postgres, nodes: list[Proxy], graph: GraphNode) -> None:
        self.life = life
        self.draw = random.Random(life.seed)
        self.world = world
        self.postgres = postgres
        self.nodes = nodes
        self.graph = graph
        self.legacies: list[Legacy] = []
        self.reorganised = False
        self.cursor = -1
        self.actions: list[tuple[str, Callable[[], Awaitable[None]]]] = [
            ("days pass", self._days_pass),
            ("the owner checks in", self._check_in),
            ("an heir claims", self._claim),
            ("recipients are written anew", self._rewrite),
        ]
        self.faults: list[tuple[str, Callable[[], Any]]] = [
            ("node hangs", self._node_hangs),
            ("node answers 500", lambda: self._node(lambda node: setattr(node, "reply", answers(500)))),
            ("node answers 429", lambda: self._node(lambda node: setattr(node, "reply", answers(429)))),
            ("node answers no JSON", lambda: self._node(lambda node: setattr(node, "reply", garbage))),
            ("all nodes are down", self._all_nodes_down),
            ("node of another chain", lambda: self._node(lambda node: setattr(node, "answer", _another_chain))),
            ("node lags", self._node_lags),
            ("node has no logs", lambda: self._node(lambda node: setattr(node, "alter", _no_logs))),
            ("reorganisation", self._reorganisation),
            ("subgraph stalls", self._subgraph_stalls),
            ("subgraph has indexing errors", self._subgraph_errors),
            ("subgraph answers 500", self._subgraph_500),
            *[("mail service", self._mail_fails)] * 4,
            ("mail service is down", self._mail_down),
            ("killed at a statement", self._crash),
            ("killed at a statement", self._crash),
            ("killed by signal", self._kill),
            ("two at once", self._two_at_once),
            ("connections dropped", self._connections_dropped),
            ("database restarted", self._database_restarted),
            ("disk full", self._disk_full),
            ("clock ahead", self._clock_ahead),
            ("clock back", self._clock_back),
            ("lease over too early", self._lease_over),
        ]

    # -- the life -------------------------------------------------------------------------------

    async def live(self, steps: int) -> None:
        await self._begin()
        for _ in range(steps):
            if self.draw.random() < 0.6:
                await self._act()
            name, fault = self.draw.choice(self.faults)
            self.life.faults[name] += 1
            self.life.story.append(name)
            async with fault():
                await self.tick()
            self.well()
            await self._cursor_never_goes_back()
        await self._settle()
        await self._judge()

    async def tick(self) -> bool:
        """As the passes do it: one that fails stops no other, but a process that is gone does nothing more. Whether
        all went well."""
        world, well = self.world, True
        for work in (world.index.advance, world.signals.run, world.due.run, world.dispatch.run):
            try:
                await work()
            except Crash:
                return False
            except _EXPECTED as error:
                well = False
                self.life.story.append(f"  {getattr(work, '__qualname__', work)}: {type(error).__name__}")

        return well

    def well(self) -> None:
        for node in self.nodes:
            node.well()
        self.graph.has_indexing_errors = False
        self.graph.faults.clear()

    async def _begin(self) -> None:
        for owner in ("owner", "other owner"):
            legacy = self.world.legacy(owner, HEIRS, inactivity=INACTIVITY)
            self.legacies.append(legacy)
            await self.world.save(legacy, owner, *HEIRS)
        self._mine(DEEPEST + 6)  # what is set up is deeper than any reorganisation
        await self.tick()

    async def _act(self) -> None:
        name, action = self.draw.choice(self.actions)
        self.life.story.append(name)
        with suppress(ChainError):  # for example a claim that comes too early
            await action()
        self._mine(self.draw.randint(0, 40))

    def _mine(self, blocks: int) -> None:
        self.world.scenario.anvil.mine(blocks)
        self.graph.sync(self.world.scenario)

    # -- people ---------------------------------------------------------------------------------

    async def _days_pass(self) -> None:
        self.world.scenario.advance(self.draw.randint(1, 12) * DAY)

    async def _check_in(self) -> None:
        which = self.draw.randrange(2)
        self.world.scenario.check_in(self.world.account(("owner", "other owner")[which]), self.legacies[which])

    async def _claim(self) -> None:
        self.world.scenario.claim(self.world.account("anna"), self.draw.choice(self.legacies), [])

    async def _rewrite(self) -> None:
        """Of the second legacy only: what the first is owed stays countable."""
        if self.draw.random() < 0.3:
            await self.world.erase(self.legacies[1])
        await self.world.save(self.legacies[1], "other owner", self.draw.choice(HEIRS))

    # -- what goes wrong ------------------------------------------------------------------------

    @asynccontextmanager
    async def _node(self, spoil: Callable[[Proxy], None]) -> AsyncIterator[None]:
        spoil(self.draw.choice(self.nodes))
        yield

    def _node_hangs(self) -> Any:
        return self._node(lambda node: setattr(node, "hang", True))

    @asynccontextmanager
    async def _all_nodes_down(self) -> AsyncIterator[None]:
        for node in self.nodes:
            node.reply = answers(503)
        yield

    def _node_lags(self) -> Any:
        blocks = self.draw.randint(1, 30)
        return self._node(lambda node: setattr(node, "answer", behind(self.world.scenario.anvil, blocks)))

    @asynccontextmanager
    async def _reorganisation(self) -> AsyncIterator[None]:
        depth = self.draw.randint(1, DEEPEST)
        self.life.story.append(f"  of {depth} blocks")
        self.reorganised = True
        self.world.scenario.anvil.reorg(depth)
        self.graph.sync(self.world.scenario)
        yield

    @asynccontextmanager
    async def _subgraph_stalls(self) -> AsyncIterator[None]:
        """It stays where it is while the chain goes on."""
        self.world.scenario.anvil.mine(self.draw.randint(1, 60))
        yield
        self.graph.sync(self.world.scenario)

    @asynccontextmanager
    async def _subgraph_errors(self) -> AsyncIterator[None]:
        self.graph.has_indexing_errors = True
        yield

    @asynccontextmanager
    async def _subgraph_500(self) -> AsyncIterator[None]:
        self.graph.faults.extend(web.Response(status=500) for _ in range(self.draw.randint(1, 4)))
        yield

    @asynccontextmanager
    async def _mail_fails(self) -> AsyncIterator[None]:
        fault = self.draw.choice(_MAIL_FAULTS)
        self.life.story.append(f"  {fault.name}")
        self.world.mail.fail(*[fault] * self.draw.randint(1, 4))
        yield

    @asynccontextmanager
    async def _mail_down(self) -> AsyncIterator[None]:
        await self.world.mail.stop()
        yield
        await self.world.mail.start()

    @asynccontextmanager
    async def _crash(self) -> AsyncIterator[None]:
        with CrashAt(self.world.engine, self.draw.randint(0, 60)):
            yield

    @asynccontextmanager
    async def _kill(self) -> AsyncIterator[None]:
        """A dispatcher that is a process of its own, ended by SIGKILL somewhere in its start or its work."""
        environ = self.world.scenario.deployment.settings_environ(CHAIN_ID, self.world.scenario.anvil.url)
        values = [f"{name}={value}" for name, value in {**environ, "MAIL_URL": self.world.mail.url}.items()]
        program = [sys.executable, str(_PROCESS), self.postgres.url, *values]
        process = await asyncio.create_subprocess_exec(
            *program, env={"PYTHONPATH": str(_PROCESS.parents[2])}, stderr=asyncio.subprocess.DEVNULL
        )
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), 0.6 + self.draw.random())
        if process.returncode is None:
            process.kill()
            await process.wait()
        yield

    @asynccontextmanager
    async def _two_at_once(self) -> AsyncIterator[None]:
        other = asyncio.create_task(self.tick())
        yield
        await other

    @asynccontextmanager
    async def _meanwhile(self, work: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
        async def later() -> None:
            await asyncio.sleep(self.draw.random() * 0.1)
            await work()

        task = asyncio.create_task(later())
        yield
        await task
        await self.postgres.ready()

    def _connections_dropped(self) -> Any:
        return self._meanwhile(self.postgres.drop_connections)

    def _database_restarted(self) -> Any:
        return self._meanwhile(self.postgres.restart)

    @asynccontextmanager
    async def _disk_full(self) -> AsyncIterator[None]:
        with self.postgres.full_disk():
            yield
        await self.postgres.ready()

    @asynccontextmanager
    async def _clock_ahead(self) -> AsyncIterator[None]:
        await self.world.days_pass(self.draw.choice((0.1, 1.01, 2)))
        yield

    @asynccontextmanager
    async def _clock_back(self) -> AsyncIterator[None]:
        await self.world.days_pass(-self.draw.choice((0.01, 0.2)))
        yield

    @asynccontextmanager
    async def _lease_over(self) -> AsyncIterator[None]:
        """A second dispatcher takes what the first still has in hand."""
        other = asyncio.create_task(self.tick())
        with suppress(SQLAlchemyError):
            await self.world.leases_expire()
        yield
        await other

    # -- judgement ------------------------------------------------------------------------------

    async def _cursor_never_goes_back(self) -> None:
        (row,) = await self.world.sql(
            "select coalesce(max(block_number), -1) from worker.index_cursor where name = 'signals'"
        )
        if row[0] < self.cursor and not self.reorganised:
            self.life.violations.append(f"the cursor of signals went back from {self.cursor} to {row[0]}")
        self.cursor, self.reorganised = row[0], False

    async def _settle(self) -> None:
        """Everything is well from now on, and time passes."""
        self.well()
        self.world.mail.faults.clear()
        for _ in range(ROUNDS_TO_SETTLE):
            self._mine(DEEPEST)
            await self.world.days_pass()
            await self.world.leases_expire()
            await self.world.hurry()
            await self.world.sql("update worker.watch set paused_until = null, next_ask = 0")
            self.world.mail.hung.set()
            for key in [key for key, (state, _) in self.world.mail._keys.items() if state == "in_flight"]:
                self.world.mail.decide(key)
            if not await self.tick():
                await asyncio.sleep(1)  # endpoints that failed rest
                continue
            states = await self.world.states()
            if not any(name.split(":")[0] in OPEN for name in states):
                return
        self.life.violations.append(f"stuck: {await self.world.states()}")

    async def _judge(self) -> None:
        self._nobody_heard_twice()
        await self._every_signal_was_planned_for_everybody()
        await self._every_open_window_was_told()
        await self._ledger_and_inbox_agree()
        self._nothing_leaked()

    def _nobody_heard_twice(self) -> None:
        keys = Counter(email.key for email in self.world.mail.inbox)
        twice = [key for key, times in keys.items() if times > 1]
        self.life.violations += [f"an entry was emailed {keys[key]} times" for key in twice]
        told = Counter(
            (email.to, email.template, email.variables["legacyAddress"], email.variables.get("deadline"))
            for email in self.world.mail.inbox
            if email.template in _OF_WINDOWS  # of signals, two in one minute have the same words
        )
        self.life.violations += [f"heard {times} times: {what[1]}" for what, times in told.items() if times > 1]

    async def _every_signal_was_planned_for_everybody(self) -> None:
        place, anvil = self.world.scenario.deployment, self.world.scenario.anvil
        asked = {"fromBlock": hex(place.start_block), "toBlock": "safe", "address": place.premium_setting}
        logs = anvil.rpc("eth_getLogs", {**asked, "topics": [NOTIFY_TOPIC]})
        for log in logs:
            legacy, tx = "0x" + log["topics"][1][-40:], log["transactionHash"]
            found = await self.world.sql(
                "select s.state, s.kind, (select count(*) from worker.sent_ledger l"
                " where l.legacy = s.legacy and position(s.tx_hash in l.event) > 0) as entries"
                " from worker.notify_signal s where s.tx_hash = :tx and s.legacy = :legacy",
                tx=tx,
                legacy=legacy,
            )
            if not found:
                self.life.violations.append("a signal on chain was never seen")
            elif found[0].state != "planned":
                self.life.violations.append(f"a signal is {found[0].state}")
            elif legacy == self.legacies[0].address and found[0].entries != 1 + len(HEIRS):
                self.life.violations.append(
                    f"a signal of kind {found[0].kind} was planned for {found[0].entries} of {1 + len(HEIRS)}"
                )

    async def _every_open_window_was_told(self) -> None:
        first = self.legacies[0]
        for window in self.world.scenario.due_windows([first])[0]:
            rows = await self.world.sql(
                "select count(l.id) from worker.due_window w left join worker.sent_ledger l"
                " on l.legacy = w.legacy and l.event like '%' || w.deadline || '%'"
                " where w.legacy = :legacy and w.\"window\" = :window and w.state = 'open'",
                legacy=first.address,
                window=window,
            )
            if not rows or rows[0][0] == 0:
                self.life.violations.append(f"window {window} is open on chain and was never planned")

    async def _ledger_and_inbox_agree(self) -> None:
        got = {email.key for email in self.world.mail.inbox}
        for row in await self.world.sql("select cast(id as text) as id, state, reason from worker.sent_ledger"):
            if row.state == "sent" and row.id not in got:
                self.life.violations.append("an entry says sent, and nobody got it")
            if row.state in ("dropped", "released", "queued") and row.id in got:
                self.life.violations.append(f"an entry says {row.state}, and somebody got it")

    def _nothing_leaked(self) -> None:
        dump = self.postgres.dump().lower()
        if "example.org" in dump.replace("app.example.org", ""):
            self.life.violations.append("an email address is in the database in clear")


# -- a node's faults --------------------------------------------------------------------------------


def answers(status: int) -> Callable[[], web.Response]:
    return lambda: web.Response(status=status)


def garbage() -> web.Response:
    return web.Response(text="<html>502</html>", content_type="text/html")


def _another_chain(request: Json) -> Json | None:
    return {"result": "0x1"} if request["method"] == "eth_chainId" else None


def _no_logs(request: Json, response: Json) -> Json:
    return {**response, "result": []} if request["method"] == "eth_getLogs" else response


def behind(anvil: Anvil, blocks: int) -> Callable[[Json], Json | None]:
    """It knows nothing of the newest blocks."""
    head = max(0, anvil.block_number() - blocks)

    def answer(request: Json) -> Json | None:
        if request["method"] == "eth_blockNumber":
            return {"result": hex(head)}
        if request["method"] != "eth_getBlockByNumber":
            return None
        tag = request["params"][0]
        if tag == "latest":
            return {"result": anvil.rpc("eth_getBlockByNumber", hex(head), False)}
        return {"result": None} if tag.startswith("0x") and int(tag, 16) > head else None

    return answer


def _patient(ask: Callable[..., Awaitable[list[Any]]]) -> Callable[..., Awaitable[list[Any]]]:
    """The campaign's own questions go through what it did to the database."""

    async def asked(statement: str, **values: Any) -> list[Any]:
        for _ in range(20):
            try:
                return await ask(statement, **values)
            except SQLAlchemyError:
                await asyncio.sleep(0.1)
        return await ask(statement, **values)

    return asked


async def live(seed: int, steps: int, postgres: Postgres) -> Life:
    """One life on a chain of its own; the database is emptied first."""
    life = Life(seed)
    async with AsyncExitStack() as stack:
        anvil = stack.enter_context(Anvil(slots_in_an_epoch=16))
        scenario = Scenario(anvil, deploy(anvil))
        engine = open_engine(postgres.url)
        stack.push_async_callback(engine.dispose)
        nodes = [await stack.enter_async_context(proxy(anvil.url)) for _ in range(2)]
        graph = await stack.enter_async_context(GraphNode())
        graph.sync(scenario)
        session = await stack.enter_async_context(aiohttp.ClientSession())
        subgraph = Subgraph(graph.url, session, backoff_seconds=0.01, rest_seconds=0.05)
        mail = await stack.enter_async_context(MailStub(retry_after=1))
        names = ("RPC_URLS", "RPC_TIMEOUT", "SIGNAL_BLOCK", "SUBGRAPH_MAX_LAG")
        values = (",".join(node.url for node in nodes), "0.7", "safe", "5")
        world = await stack.enter_async_context(
            open_world(
                engine,
                scenario,
                mail,
                subgraph=subgraph,
                MAIL_TIMEOUT="0.7",
                SIGNAL_MAX_AGE=str(1000 * DAY),  # what an outage made late is still owed
                MAIL_DAILY_CAP_PER_ADDRESS="100000",
                **{f"CHAIN_{CHAIN_ID}_{name}": value for name, value in zip(names, values, strict=True)},
            )
        )
        tables = await world.sql("select tablename from pg_tables where schemaname = 'worker'")
        kept = ("alembic_version",)
        world.sql = _patient(world.sql)  # type: ignore[method-assign]
        await world.sql("truncate " + ", ".join(f"worker.{row[0]}" for row in tables if row[0] not in kept))
        await Reminders(life, world, postgres, nodes, graph).live(steps)
    return life
