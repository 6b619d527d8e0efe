"""Setters called past the upgrade queue: noticed within a day, and nothing else is taken for one."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass

import pytest
from eth_utils.address import to_checksum_address
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.deploy import UPGRADE_DELAY
from devnet.scenarios import Scenario
from devnet.upgrades import DemoOperation
from reminder_worker.chain.client import Chain
from reminder_worker.errors import ChainUnavailable
from tests.integration.chain_proxy import Json, NodeProxy, proxy
from tests.integration.upgrade_world import UpgradeWorld, chain_settings, world

OTHER = "0x" + "5b" * 20
SETTERS = "OwnedSetters"


@dataclass
class SetterWorld:
    """A router that a Safe owns, a vault that the UpgradeTimelock owns, and two endpoints."""

    upgrades: UpgradeWorld
    nodes: list[NodeProxy]
    safe: str
    router: str
    vault: str

    @property
    def scenario(self) -> Scenario:
        return self.upgrades.scenario

    def call_from_safe(self, function: str, *arguments: str) -> None:
        signer = self.scenario.account("safe owner")
        self.scenario.execute_from_safe(signer, self.safe, self.router, self.encode(function, *arguments))

    def schedule(self, contract: str, function: str, *arguments: str) -> DemoOperation:
        return self.scenario.schedule(contract, bytes.fromhex(self.encode(function, *arguments)[2:]))

    def encode(self, function: str, *arguments: str) -> str:
        return self.scenario.contracts[SETTERS].encode(function, *arguments)

    async def next_day(self, days: int = 1) -> list[dict[str, str]]:
        """Look when everything is final and the comparison is due; return the alerts about setters."""
        async with self.upgrades.engine.begin() as connection:
            earlier = f"compared_at = compared_at - interval '{days} days'"
            await connection.execute(text(f"update worker.setter_value set {earlier}"))
        self.scenario.anvil.mine(3)
        await self.upgrades.catch_up()
        return [facts for kind, facts in self.upgrades.told() if kind == "past_queue"]

    def stored(self) -> dict[tuple[str, str], str | None]:
        rows = self.upgrades.rows("select contract, getter, value from worker.setter_value")
        return {(row.contract, row.getter): row.value for row in rows}


@pytest.fixture
async def it(chain_scenario: Scenario, engine: AsyncEngine) -> AsyncIterator[SetterWorld]:
    s, url = chain_scenario, chain_scenario.anvil.url
    safe = s.create_safe([s.account("safe owner")])
    router = s.deploy(SETTERS, safe, OTHER)
    vault = s.deploy(SETTERS, s.deployment.upgrade_timelock, router)
    async with proxy(url) as first, proxy(url) as second, AsyncExitStack() as stack:
        settings = chain_settings(
            s, RPC_URLS=f"{first.url},{second.url}", TIME_LOCK_ROUTER=router, TIMELOCK_ERC20=vault
        )
        chain = await stack.enter_async_context(Chain(settings))
        made = SetterWorld(world(s, engine, chain), [first, second], safe, router, vault)
        await made.upgrades.catch_up()  # the queue's history comes first
        await made.next_day()
        yield made


@pytest.mark.core
async def test_a_setter_called_by_the_safe_past_the_queue_is_alerted_once(it: SetterWorld) -> None:
    it.call_from_safe("setUniswapRouter", OTHER)
    (facts,) = await it.next_day()
    assert facts["about"] == to_checksum_address(it.router)
    assert facts["contract"] == f"TimeLockRouter {to_checksum_address(it.router)}"
    assert facts["as powerful as an upgrade"] == "tokens are swapped by another contract"
    assert facts["uniswapRouter before"] == to_checksum_address("0x" + "00" * 20)
    assert facts["uniswapRouter now"] == to_checksum_address(OTHER)
    assert facts["set by"].startswith("setUniswapRouter, past the UpgradeTimelock")
    assert await it.next_day() == []


@pytest.mark.parametrize(
    ("function", "count", "effect"),
    [
        ("setTimelock", 3, "the router locks assets in other vaults"),
        ("setTokenWhitelist", 1, "the router accepts other tokens"),
        ("transferOwnership", 1, "the router obeys another owner"),
    ],
)
async def test_every_setter_of_the_router_is_one_alert(it: SetterWorld, function: str, count: int, effect: str) -> None:
    it.call_from_safe(function, *[OTHER] * count)
    (facts,) = await it.next_day()
    assert facts["as powerful as an upgrade"] == effect
    assert len([name for name in facts if name.endswith(" now")]) == count


async def test_a_change_that_the_queue_made_is_no_such_alert(it: SetterWorld) -> None:
    operation = it.schedule(it.vault, "setRouterAddresses", OTHER)
    it.scenario.execute_when_ready(operation)
    assert await it.next_day() == []
    assert it.stored()[it.vault, "routerAddresses"] == OTHER


async def test_an_operation_explains_neither_another_address_nor_a_later_change(it: SetterWorld) -> None:
    it.call_from_safe("transferOwnership", it.upgrades.timelock)
    operation = it.schedule(it.router, "setUniswapRouter", OTHER)
    back = it.schedule(it.router, "transferOwnership", it.safe)
    assert len(await it.next_day()) == 1
    it.scenario.advance(UPGRADE_DELAY)
    it.scenario.execute(operation)
    it.scenario.execute(back)
    it.call_from_safe("setUniswapRouter", it.vault)
    (facts,) = await it.next_day()
    assert facts["uniswapRouter now"] == f"TimelockERC20 {to_checksum_address(it.vault)}"
    it.call_from_safe("setUniswapRouter", OTHER)
    (facts,) = await it.next_day()
    assert facts["uniswapRouter now"] == to_checksum_address(OTHER)


async def test_the_first_look_stores_and_missing_getters_change_nothing(it: SetterWorld) -> None:
    """The other vaults of the local chain answer one getter only; a getter that fails later has not changed."""
    stored = it.stored()
    assert it.upgrades.told() == []
    assert (stored[it.router, "owner"], stored[it.vault, "routerAddresses"]) == (it.safe, it.router)
    code = it.scenario.anvil.rpc("eth_getCode", it.router, "latest")
    it.scenario.anvil.set_code(it.router, "0x")
    assert await it.next_day() == []
    assert it.stored() == stored
    it.scenario.anvil.set_code(it.router, code)
    it.call_from_safe("setUniswapRouter", OTHER)
    assert len(await it.next_day()) == 1


@pytest.mark.parametrize("lying", [0, 1])
async def test_one_endpoint_alone_neither_invents_nor_hides_a_change(it: SetterWorld, lying: int) -> None:
    """Without two that agree nothing is stored, and after a further day the pass fails."""
    it.call_from_safe("setUniswapRouter", OTHER)

    def alter(_: Json, response: Json) -> Json:
        if not isinstance(response.get("result"), str):
            return response
        return response | {"result": response["result"].replace(OTHER[2:], "00" * 20)}

    it.nodes[lying].alter = alter
    assert await it.next_day() == []
    assert it.stored()[it.router, "uniswapRouter"] == "0x" + "00" * 20
    with pytest.raises(ChainUnavailable):
        await it.next_day()
    it.nodes[lying].well()
    assert len(await it.next_day(days=0)) == 1


async def test_a_comparison_asks_each_endpoint_once_a_day(it: SetterWorld) -> None:
    await it.next_day()
    for node in it.nodes:
        node.posts.clear()
    assert not await it.upgrades.watch.look()
    assert [node.posts for node in it.nodes] == [[], []]
    async with it.upgrades.engine.begin() as connection:
        await connection.execute(text("update worker.setter_value set compared_at = compared_at - interval '1 day'"))
    it.scenario.anvil.mine(3)
    await it.upgrades.read_index()
    for node in it.nodes:
        node.posts.clear()
    assert not await it.upgrades.watch.look()
    calls = [node.methods().count("eth_call") for node in it.nodes]
    assert calls == [1, 1]
