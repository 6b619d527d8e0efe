"""A life of the reminders' worker: people act, the chain moves, everything fails in turn; then it is well, and judged.

One process with the real database and chain, two RPC endpoints and a subgraph in front of it, and a mail service that
keeps the contract's keys. What happens is drawn from the seed alone; `CampaignLife.story` tells it again.
"""

from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import aiohttp
from aiohttp import web

from devnet.chain import Anvil
from devnet.deploy import deploy
from devnet.scenarios import DAY, Scenario
from reminder_worker.database.engine import open_engine
from reminder_worker.indexer.subgraph import SubgraphClient
from tests.campaign import judge
from tests.campaign.expected import FURTHER, WARNINGS, ReceivedEmail
from tests.campaign.judge import KeyedEmail
from tests.campaign.legacies import HEIRS
from tests.campaign.life import CampaignLife, listening, nothing_is_left
from tests.campaign.nodes import another_chain, answers, behind, garbage, no_logs, none_of_the_newest
from tests.campaign.postgres import RealPostgres
from tests.campaign.worker import CAP, CRASH, DEEPEST, WorkerLife, emptied
from tests.integration.chain_proxy import NodeProxy, proxy
from tests.integration.indexer_graph_node import GraphNode
from tests.integration.mail_stub import MailFault, MailStub, PostedEmail
from tests.integration.reminder_world import CHAIN_ID, MailWorld, open_world

AGAIN = 0.6  # how often a reorganisation mines the same transactions again
LONG = 30  # faults: a life in which everything is expected to have happened
_MAIL_FAULTS = [fault for fault in MailFault if fault is not MailFault.SUPPRESSED]


class ReminderLife(WorkerLife):
    def __init__(
        self, life: CampaignLife, world: MailWorld, postgres: RealPostgres, nodes: list[NodeProxy], graph: GraphNode
    ) -> None:
        super().__init__(life, world, postgres, HEIRS)
        self.nodes = nodes
        self.graph = graph
        self.sources: Counter[str] = Counter()
        self.faults += [
            ("node hangs", self._node_hangs),
            ("node answers 500", lambda: self._node(lambda node: setattr(node, "reply", answers(500)))),
            ("node answers 429", lambda: self._node(lambda node: setattr(node, "reply", answers(429)))),
            ("node answers no JSON", lambda: self._node(lambda node: setattr(node, "reply", garbage))),
            ("all nodes are down", self._all_nodes_down),
            ("node of another chain", lambda: self._node(lambda node: setattr(node, "answer", another_chain))),
            ("node lags", self._node_lags),
            ("node has no logs", lambda: self._node(lambda node: setattr(node, "alter", no_logs))),
            ("no node has the newest logs", self._no_newest_logs),
            *[("reorganisation", self._reorganisation)] * 2,
            ("subgraph stalls", self._subgraph_stalls),
            ("subgraph has indexing errors", self._subgraph_errors),
            ("subgraph answers 500", self._subgraph_500),
            *[("mail service", self._mail_fails)] * 4,
            ("mail service is down", self._mail_down),
            (CRASH, self._crash),
        ]

    async def well(self) -> None:
        for node in self.nodes:
            node.well()
        for endpoint in self.world.chain.endpoints.members:
            endpoint.rest.record_success()  # the rest after an outage would outlast the life
        self.graph.has_indexing_errors = False
        self.graph.faults.clear()
        rows = await self.world.sql("select source from worker.index_cursor where name = 'signals'")
        self.sources.update(row[0] for row in rows)

    def mine(self, blocks: int) -> None:
        super().mine(blocks)
        self.graph.sync(self.world.scenario)

    def heard(self) -> int:
        return len(self.world.mail.inbox)

    # -- what goes wrong ------------------------------------------------------------------------

    @asynccontextmanager
    async def _node(self, spoil: Callable[[NodeProxy], None]) -> AsyncIterator[None]:
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
    async def _no_newest_logs(self) -> AsyncIterator[None]:
        """And nobody else to ask: the subgraph fails, too."""
        self.graph.has_indexing_errors = True
        self.mine(self.draw.randint(0, 3))
        head = self.world.scenario.anvil.block_number()
        for node in self.nodes:
            node.alter = none_of_the_newest(head)
        yield

    @asynccontextmanager
    async def _reorganisation(self) -> AsyncIterator[None]:
        """Transactions are gone, or are mined again in other blocks."""
        depth, later, again = self.draw.randint(1, DEEPEST), self.draw.randint(1, 5), self.draw.random() < AGAIN
        self.life.story.append(f"  of {depth} blocks, transactions {'again' if again else 'gone'}")
        self.reorganised = True
        self.world.scenario.anvil.remine(depth, later, transactions=again)
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

    # -- judgement ------------------------------------------------------------------------------

    async def settle(self) -> None:
        self.world.mail.faults.clear()
        self.world.mail.hung.set()
        for key in [key for key, (state, _) in self.world.mail._keys.items() if state == "in_flight"]:
            self.world.mail.decide(key)
        await super().settle()

    async def judge(self) -> list[str]:
        first, letters = self.families.each[0].legacy, [_letter(email) for email in self.world.mail.inbox]
        doubted = {key for key, (state, _) in self.world.mail._keys.items() if state == "in_doubt"}
        switched = len(self.sources) > 1 or sum(self.life.faults.values()) < LONG
        return [
            *([] if switched else ["the source of signals never switched, so nothing was proven of it"]),
            *judge.no_entry_was_emailed_twice(letters),
            *await judge.people_were_told_what_the_chain_says(self.families, letters, *WARNINGS),
            *judge.resets_were_merged(letters, self.merged),
            *judge.wallets_are_the_persons_own(self.world, letters),
            *judge.amounts_are_the_persons_own(self.families, letters),
            *judge.cap_was_kept(letters, self.days, CAP),
            *await judge.ledger_and_letters_agree(self.world, letters, doubted),
            *await judge.nothing_was_dropped_that_was_true(self.world, first),
            *judge.nothing_leaked(database=self.postgres.dump(), log="\n".join(self.life.log)),
        ]


def _letter(email: PostedEmail) -> KeyedEmail:
    legacy, deadline = str(email.variables["legacyAddress"]).lower(), email.variables.get("deadline")
    read = ReceivedEmail(email.to, email.template, legacy, deadline, _read_turn(email))
    amounts = {row["tokenAddress"].lower(): row["amount"] for row in email.variables.get("amounts", ())}
    return KeyedEmail(email.key, read, email.variables["recipientAddress"].lower(), amounts)


def _read_turn(email: PostedEmail) -> int:
    left = email.variables.get("remindersLeft")
    return 0 if left is None else FURTHER[email.template] - int(left)


async def live(seed: int, steps: int, postgres: RealPostgres) -> CampaignLife:
    """One life on a chain of its own; the database is emptied first."""
    life = CampaignLife(seed)
    with listening(life):
        await _live(life, steps, postgres)
    await nothing_is_left(life, postgres)
    return life


async def _live(life: CampaignLife, steps: int, postgres: RealPostgres) -> None:
    async with AsyncExitStack() as stack:
        anvil = stack.enter_context(Anvil(slots_in_an_epoch=16))
        scenario = Scenario(anvil, deploy(anvil))
        engine = open_engine(postgres.url)
        stack.push_async_callback(engine.dispose)
        nodes = [await stack.enter_async_context(proxy(anvil.url)) for _ in range(2)]
        graph = await stack.enter_async_context(GraphNode())
        graph.sync(scenario)
        session = await stack.enter_async_context(aiohttp.ClientSession())
        subgraph = SubgraphClient(graph.url, session, backoff_seconds=0.01, rest_seconds=0.05)
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
                MAIL_DAILY_CAP_PER_ADDRESS=str(CAP),
                **{f"CHAIN_{CHAIN_ID}_{name}": value for name, value in zip(names, values, strict=True)},
            )
        )
        await emptied(world)
        await ReminderLife(life, world, postgres, nodes, graph).live(steps)
