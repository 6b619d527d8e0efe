"""A life of the relay: the state machine of its tests, behind two RPC endpoints of which one at a time misbehaves."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import ClassVar, TypeVar, cast

from hypothesis import HealthCheck, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import rule, run_state_machine_as_test

from devnet import leaks
from devnet.chain import Anvil
from devnet.deploy import deploy
from devnet.scenarios import Scenario
from reminder_worker.chain.client import Chain
from reminder_worker.database.engine import open_engine
from reminder_worker.errors import Unavailable
from tests.campaign.life import CampaignLife, listening
from tests.campaign.nodes import answers, behind, garbage
from tests.campaign.postgres import RealPostgres
from tests.integration.chain_proxy import Json, NodeProxy, chain_settings, proxy
from tests.integration.relay_machine import RelayMachine
from tests.integration.relay_world import EPOCH, RelayWorld

T = TypeVar("T")
_LENGTH_OF_A_SIGNATURE = (65).to_bytes(32)


def _no_receipts(request: Json, response: Json) -> Json:
    return {**response, "result": None} if request["method"] == "eth_getTransactionReceipt" else response


def _forgetful(request: Json, response: Json) -> Json:
    """It says that our wallet never sent anything."""
    return {**response, "result": "0x0"} if request["method"] == "eth_getTransactionCount" else response


def _takes_nothing(request: Json, response: Json) -> Json:
    if request["method"] != "eth_sendRawTransaction":
        return response
    return {"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32000, "message": "transaction underpriced"}}


def _swallows(request: Json) -> Json | None:
    """It says it has the transaction, and throws it away."""
    return {"result": "0x" + "0" * 64} if request["method"] == "eth_sendRawTransaction" else None


_SPOILS: dict[str, Callable[[NodeProxy, Anvil], None]] = {
    "node hangs": lambda node, _: setattr(node, "hang", True),
    "node answers 500": lambda node, _: setattr(node, "reply", answers(500)),
    "node answers no JSON": lambda node, _: setattr(node, "reply", garbage),
    "node lags": lambda node, anvil: setattr(node, "answer", behind(anvil, 2)),
    "node denies receipts": lambda node, _: setattr(node, "alter", _no_receipts),
    "node forgets our nonces": lambda node, _: setattr(node, "alter", _forgetful),
    "node takes no transaction": lambda node, _: setattr(node, "alter", _takes_nothing),
    "node swallows transactions": lambda node, _: setattr(node, "answer", _swallows),
}


class BesetRelay(RelayMachine):
    nodes: ClassVar[list[NodeProxy]]
    life: ClassVar[CampaignLife]
    postgres: ClassVar[RealPostgres]

    def wait(self, work: Awaitable[T]) -> T:
        """A chain that cannot be read is told to who asks, and nothing else happens."""
        try:
            return super().wait(work)
        except Unavailable:
            return cast(T, None)

    @rule(which=st.integers(0, 1), how=st.sampled_from(sorted(_SPOILS)))
    def node_misbehaves(self, which: int, how: str) -> None:
        self.faults[how] += 1
        self.nodes_recover()
        _SPOILS[how](self.nodes[which], self.world.anvil)

    @rule()
    def nodes_recover(self) -> None:
        for node in self.nodes:
            node.well()

    def teardown(self) -> None:
        self.nodes_recover()
        super().teardown()
        self.nothing_leaked()

    def nothing_leaked(self) -> None:
        """Of what would be worth something to a thief: the first half of each signature, which calls carry."""
        halves = {}
        for which, authorization in self.sent.items():
            start = authorization.call_data.rindex(_LENGTH_OF_A_SIGNATURE) + 32
            halves[f"authorization {which}"] = authorization.call_data[start : start + 32]
        places = {"database": self.postgres.dump(), "log": "\n".join(self.life.log)}
        found = leaks.search(leaks.secrets_of({}, halves), ((name, said.encode()) for name, said in places.items()))
        assert not found, "; ".join(map(str, found))


def live(number: int, steps: int, postgres: RealPostgres) -> CampaignLife:
    """Several lives of up to `steps` steps, drawn from one seed."""
    life = CampaignLife(number)
    BesetRelay.life, BesetRelay.postgres = life, postgres
    with listening(life), Anvil(slots_in_an_epoch=EPOCH) as anvil, asyncio.Runner() as runner:
        scenario = Scenario(anvil, deploy(anvil))
        engine = open_engine(postgres.url)
        proxies = [proxy(anvil.url), proxy(anvil.url)]
        BesetRelay.nodes = [runner.run(each.__aenter__()) for each in proxies]
        urls = [node.url for node in BesetRelay.nodes]
        chain = Chain(chain_settings(scenario, *urls, RPC_TIMEOUT=0.5))
        BesetRelay.runner, BesetRelay.base, BesetRelay.faults = runner, RelayWorld(scenario, engine, chain), Counter()
        try:
            run_state_machine_as_test(
                seed(number)(BesetRelay),
                settings=settings(
                    max_examples=10,
                    stateful_step_count=steps,
                    deadline=None,
                    database=None,
                    print_blob=False,
                    suppress_health_check=list(HealthCheck),
                ),
            )
        except Exception as fault:  # noqa: BLE001 - whatever the machine finds is what is looked for
            life.violations.append(f"{type(fault).__name__}: {fault}")
            life.story += getattr(fault, "__notes__", [])
        finally:
            runner.run(chain.close())
            runner.run(engine.dispose())
            for each in proxies:
                runner.run(each.__aexit__(None, None, None))
    life.faults = Counter({name: count for name, count in BesetRelay.faults.items() if count})
    return life
