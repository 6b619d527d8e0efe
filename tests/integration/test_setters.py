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
from reminder_worker.outbox.alerts import AlertOutbox
from reminder_worker.upgrades.job import UpgradeWatch
from reminder_worker.upgrades.setters import SetterWatch
from tests.integration.chain_proxy import Json, NodeProxy, proxy
from tests.integration.upgrade_world import UpgradeWorld, chain_settings, world

OTHER = "0x" + "5b" * 20
SETTERS = "OwnedSetters"
CONTRACT_NAMES = {
    "transfer_eoa_legacy_router": "TransferEOALegacyRouter",
    "premium_setting": "PremiumSetting",
    "premium_registry": "PremiumRegistry",
    "token_white_list": "TokenWhiteList",
    "timelock_erc20": "TimelockERC20",
    "timelock_erc721": "TimelockVault",
}
PAST_QUEUE: list[tuple[str, str, list[object], set[str]]] = [
    ("transfer_eoa_legacy_router", "setLegacyImplementation", [OTHER], {"legacyImplementation"}),
    ("transfer_eoa_legacy_router", "setLegacyCreationCode", [bytes(24_000)], {"legacyCreationCode"}),
    ("transfer_eoa_legacy_router", "setPullVault", [OTHER], {"pullVault"}),
    ("transfer_eoa_legacy_router", "setActivityAttestor", [OTHER], {"activityAttestor"}),
    (
        "premium_setting",
        "setParams",
        [OTHER] * 4,
        {
            "premiumRegistry",
            "transferLegacyContractRouter",
            "transferLegacyEOAContractRouter",
            "multisigLegacyContractRouter",
        },
    ),
    ("premium_setting", "transferOwnership", [OTHER], {"owner"}),
    ("premium_registry", "transferOwnership", [OTHER], {"owner"}),
    ("token_white_list", "addToken", [OTHER], {"getWhitelist"}),
    ("token_white_list", "removeToken", [OTHER], {"getWhitelist"}),
    ("timelock_erc20", "setUniswapRouter", [OTHER], {"uniswapRouter"}),
    ("timelock_erc20", "setRouterAddresses", [OTHER], {"routerAddresses"}),
    ("timelock_erc20", "transferOwnership", [OTHER], {"owner"}),
    ("timelock_erc721", "transferOwnership", [OTHER], {"owner"}),
]
"""Setters by the setting of their contract, with arguments and changed getters."""


@dataclass
class SetterWorld:
    """A TimeLockRouter that a Safe owns, an ERC-1155 vault that the UpgradeTimelock owns, and two endpoints."""

    upgrades: UpgradeWorld
    setters: SetterWatch
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

    def call_as_owner(self, setting: str, function: str, *arguments: object) -> None:
        """Call a contract of the deployment as its owner or code admin."""
        name, deployment = CONTRACT_NAMES[setting], self.scenario.deployment
        self.scenario.write_as_deployer(name, getattr(deployment, setting), function, *arguments)

    def schedule(self, contract: str, function: str, *arguments: str) -> DemoOperation:
        return self.scenario.schedule(contract, bytes.fromhex(self.encode(function, *arguments)[2:]))

    def encode(self, function: str, *arguments: str) -> str:
        return self.scenario.contracts[SETTERS].encode(function, *arguments)

    async def next_day(self, days: int = 1) -> list[dict[str, str]]:
        """Look when everything is final and the comparison is due; return the alerts about setters."""
        await self.let_days_pass(days)
        self.scenario.anvil.mine(3)
        await self.upgrades.catch_up()
        return self.alerts()

    async def let_days_pass(self, days: int = 1) -> None:
        async with self.upgrades.engine.begin() as connection:
            earlier = f"compared_at = compared_at - interval '{days} days'"
            await connection.execute(text(f"update worker.setter_value set {earlier}"))

    def alerts(self) -> list[dict[str, str]]:
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
            s, RPC_URLS=f"{first.url},{second.url}", TIME_LOCK_ROUTER=router, TIMELOCK_ERC1155=vault
        )
        chain = await stack.enter_async_context(Chain(settings))
        upgrades = world(s, engine, chain)
        setters = SetterWatch(engine, chain, AlertOutbox(engine), upgrades.timelock)
        made = SetterWorld(upgrades, setters, [first, second], safe, router, vault)
        await made.upgrades.catch_up()  # the queue's history comes first
        await made.next_day()
        yield made


@pytest.mark.core
async def test_a_setter_called_by_the_safe_past_the_queue_is_alerted_once(it: SetterWorld) -> None:
    it.call_from_safe("setUniswapRouter", OTHER)
    (facts,) = await it.next_day()
    assert facts["about"] == to_checksum_address(it.router)
    assert facts["contract"] == f"TimeLockRouter {to_checksum_address(it.router)}"
    assert facts["effect"] == "tokens are swapped by another contract"
    assert facts["uniswapRouter before"] == to_checksum_address("0x" + "00" * 20)
    assert facts["uniswapRouter now"] == to_checksum_address(OTHER)
    assert facts["set by"].startswith("setUniswapRouter, past the UpgradeTimelock")
    assert await it.next_day() == []


async def test_every_setter_of_the_router_is_one_alert(it: SetterWorld) -> None:
    for function, count, effect in (
        ("setTimelock", 3, "the router locks assets in other vaults"),
        ("setTokenWhitelist", 1, "the router accepts other tokens"),
        ("transferOwnership", 1, "the router obeys another owner"),
    ):
        it.call_from_safe(function, *[OTHER] * count)
        (facts,) = await it.next_day()
        assert facts["effect"] == effect
        assert len([name for name in facts if name.endswith(" now")]) == count


async def test_every_setter_of_every_contract_is_one_alert_with_the_changed_values(it: SetterWorld) -> None:
    for setting, function, arguments, getters in PAST_QUEUE:
        it.call_as_owner(setting, function, *arguments)
        (facts,) = await it.next_day()
        call = f"{setting}.{function}"
        assert facts["about"] == to_checksum_address(getattr(it.scenario.deployment, setting)), call
        assert {name.removesuffix(" now") for name in facts if name.endswith(" now")} == getters, call
        assert all(facts[f"{getter} before"] != facts[f"{getter} now"] for getter in getters), call
        assert function in facts["set by"], call


async def test_creation_code_of_the_largest_size_is_compared_whole(it: SetterWorld) -> None:
    """Code of a creation may have 49,152 bytes. Only its last byte changes here."""
    setter = "transfer_eoa_legacy_router", "setLegacyCreationCode"
    it.call_as_owner(*setter, bytes(49_152))
    (facts,) = await it.next_day()
    before = facts["legacyCreationCode now"]
    it.call_as_owner(*setter, bytes(49_151) + b"\1")
    (facts,) = await it.next_day()
    assert facts["legacyCreationCode before"] == before != facts["legacyCreationCode now"]


async def test_a_value_set_back_within_the_day_is_alerted_by_its_event(it: SetterWorld) -> None:
    """A setter without an event leaves no trace then."""
    deployment = it.scenario.deployment
    for setter, before, event in (
        ("setPullVault", deployment.legacy_pull_vault, "PullVaultSet"),
        ("setActivityAttestor", deployment.attestor, "ActivityAttestorSet"),
    ):
        it.call_as_owner("transfer_eoa_legacy_router", setter, OTHER)
        it.scenario.anvil.mine(1)
        it.call_as_owner("transfer_eoa_legacy_router", setter, before)
        (facts,) = await it.next_day()
        shown = [value for name, value in facts.items() if name.startswith(f"{event} in block ")]
        assert [each.partition(",")[0].split()[-1].lower() for each in shown] == [OTHER, before]
    it.call_as_owner("token_white_list", "removeToken", deployment.usdc)
    it.call_as_owner("token_white_list", "addToken", deployment.usdc)
    (facts,) = await it.next_day()
    assert len([name for name in facts if name.startswith("Token")]) == 2
    it.call_from_safe("setUniswapRouter", OTHER)
    it.call_from_safe("setUniswapRouter", "0x" + "00" * 20)
    assert await it.next_day() == []


async def test_a_change_of_owner_by_the_queue_is_explained_with_its_event_and_one_beside_it_is_not(
    it: SetterWorld,
) -> None:
    scenario = it.scenario
    operation = it.schedule(it.vault, "transferOwnership", scenario.account("new owner").address)
    scenario.execute_when_ready(operation)
    assert await it.next_day() == []
    back = it.encode("transferOwnership", it.upgrades.timelock)
    scenario.send(scenario.account("new owner"), it.vault, back)
    operation = it.schedule(it.vault, "transferOwnership", OTHER)
    scenario.execute_when_ready(operation)
    (facts,) = await it.next_day()
    assert len([name for name in facts if name.startswith("OwnershipTransferred")]) == 1
    assert facts["owner now"] == to_checksum_address(OTHER)


async def test_values_watched_for_the_first_time_are_no_change(it: SetterWorld) -> None:
    """Also of a contract that answers for the first time later, as after an update of this service or of a contract."""
    router = it.scenario.deployment.transfer_eoa_legacy_router
    code = it.scenario.anvil.rpc("eth_getCode", router, "latest")
    async with it.upgrades.engine.begin() as connection:
        await connection.execute(text("delete from worker.setter_value where getter <> 'uniswapRouter'"))
    it.scenario.anvil.set_code(router, "0x")
    assert await it.next_day() == []
    assert it.stored()[router, "pullVault"] is None
    it.scenario.anvil.set_code(router, code)
    it.call_as_owner("transfer_eoa_legacy_router", "setPullVault", OTHER)
    assert await it.next_day() == []
    assert it.stored()[router, "pullVault"] == OTHER


async def test_a_setter_that_a_reorganisation_takes_back_is_not_alerted(it: SetterWorld) -> None:
    """Endpoints are asked at a final block. The change of the head is compared a day later, if it is still there."""
    for block in (1, 2):
        it.scenario.anvil.mine(3)
        await it.let_days_pass()
        it.call_from_safe("setUniswapRouter", OTHER)
        it.scenario.anvil.mine(block - 1)
        await it.upgrades.catch_up()
        assert it.alerts() == []
        assert it.stored()[it.router, "uniswapRouter"] == "0x" + "00" * 20
        it.scenario.anvil.reorg(block)
        assert await it.next_day() == []
    it.call_from_safe("setUniswapRouter", OTHER)
    assert len(await it.next_day()) == 1


async def test_a_change_that_the_queue_made_while_a_getter_did_not_answer_is_no_such_alert(it: SetterWorld) -> None:
    """The getter is compared with its last answer, however long ago, and with all operations since then."""
    operation = it.schedule(it.vault, "setRouterAddresses", OTHER)
    it.scenario.execute_when_ready(operation)
    code = it.scenario.anvil.rpc("eth_getCode", it.vault, "latest")
    it.scenario.anvil.set_code(it.vault, "0x")
    assert await it.next_day() == []
    assert it.stored()[it.vault, "routerAddresses"] == it.router
    it.scenario.anvil.set_code(it.vault, code)
    assert await it.next_day() == []
    assert it.stored()[it.vault, "routerAddresses"] == OTHER


async def test_a_change_that_the_queue_made_is_no_such_alert_and_waits_for_the_index(it: SetterWorld) -> None:
    """It is compared once the index has read the operation, and the operation is recorded."""
    operation = it.schedule(it.vault, "setRouterAddresses", OTHER)
    it.scenario.execute_when_ready(operation)
    it.scenario.anvil.mine(3)
    await it.let_days_pass()
    assert not await it.upgrades.watch.poll()
    await it.upgrades.read_index()
    assert not await it.setters.compare_when_due()
    assert it.stored()[it.vault, "routerAddresses"] == it.router
    await it.upgrades.catch_up()
    assert it.alerts() == []
    assert it.stored()[it.vault, "routerAddresses"] == OTHER


async def test_a_change_that_the_queue_made_waits_for_the_history_of_the_timelock(it: SetterWorld) -> None:
    """Another timelock was configured for a while. Then the service forgets the queue of the first timelock."""
    upgrades = it.upgrades
    operation = it.schedule(it.vault, "setRouterAddresses", OTHER)
    it.scenario.execute_when_ready(operation)
    it.scenario.anvil.mine(3)
    await upgrades.read_index()
    await it.let_days_pass()
    await UpgradeWatch(upgrades.engine, upgrades.chain, upgrades.index, AlertOutbox(upgrades.engine), it.router).poll()
    assert await upgrades.watch.poll(), "the history is read and not recorded"
    assert it.stored()[it.vault, "routerAddresses"] == it.router
    await upgrades.catch_up()
    assert it.alerts() == []
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
    assert facts["uniswapRouter now"] == f"TimelockERC1155 {to_checksum_address(it.vault)}"
    it.call_from_safe("setUniswapRouter", OTHER)
    (facts,) = await it.next_day()
    assert facts["uniswapRouter now"] == to_checksum_address(OTHER)


async def test_the_first_look_stores_and_missing_getters_change_nothing(it: SetterWorld) -> None:
    """A getter that fails later has not changed."""
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
    assert not await it.upgrades.watch.poll()
    assert [node.posts for node in it.nodes] == [[], []]
    async with it.upgrades.engine.begin() as connection:
        await connection.execute(text("update worker.setter_value set compared_at = compared_at - interval '1 day'"))
    it.scenario.anvil.mine(3)
    await it.upgrades.read_index()
    for node in it.nodes:
        node.posts.clear()
    assert not await it.upgrades.watch.poll()
    for node in it.nodes:
        assert node.methods().count("eth_call") == 3, "all addresses, the creation code and the whitelist"
        assert "eth_getLogs" not in node.methods()
