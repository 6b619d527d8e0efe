"""The upgrade queue: every change on the timelock is told, once for each of its stages, and told truly."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak
from pydantic import SecretStr
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine
from structlog.testing import capture_logs

from devnet.deploy import UPGRADE_DELAY
from devnet.scenarios import Scenario
from devnet.upgrades import CANCELLER_ROLE
from reminder_worker.chain.abi_codec import encode_address
from reminder_worker.chain.client import Chain
from reminder_worker.chain.types import NODE_POLICY
from reminder_worker.errors import ChainUnavailable, Misconfigured
from reminder_worker.indexer.chain_index import ChainIndex
from reminder_worker.indexer.log_reader import ALONE_AFTER_SECONDS, OVERLAP, EndpointsDisagree
from reminder_worker.monitoring.retention import forget_expired
from reminder_worker.outbox.alerts import STORM, AlertOutbox
from reminder_worker.outbox.mail_client import MailClient
from reminder_worker.privacy.redaction import redact
from reminder_worker.settings import MailSettings
from reminder_worker.upgrades.job import UpgradeWatch, upgrade_logs
from tests.integration.chain_proxy import Json, NodeProxy, alters, proxy
from tests.integration.mail_service_stack import TOKEN
from tests.integration.mail_stub import MailStub
from tests.integration.upgrade_world import UpgradeWorld, chain_settings, world

DAY = 24 * 3600
SOMEBODY = "0x" + "5b" * 20
UNKNOWN = bytes.fromhex("deadbeef") + bytes(range(64))


@pytest.fixture
async def chain(chain_scenario: Scenario) -> AsyncIterator[Chain]:
    opened = Chain(chain_settings(chain_scenario))
    yield opened
    await opened.close()


@pytest.fixture
async def it(chain_scenario: Scenario, engine: AsyncEngine, chain: Chain) -> UpgradeWorld:
    """A watch that has read the history and stands at the head."""
    made = world(chain_scenario, engine, chain)
    await made.catch_up()
    assert made.kinds() == []
    return made


@asynccontextmanager
async def two_nodes(scenario: Scenario) -> AsyncIterator[tuple[list[NodeProxy], Chain]]:
    async with (
        proxy(scenario.anvil.url) as first,
        proxy(scenario.anvil.url) as second,
        Chain(chain_settings(scenario, RPC_URLS=f"{first.url},{second.url}")) as chain,
    ):
        yield [first, second], chain


async def _final(it: UpgradeWorld) -> None:
    """On this chain a block is final when two are behind it."""
    it.scenario.anvil.mine(3)
    await it.catch_up()


# -- what is told -----------------------------------------------------------------------------------


async def test_a_scheduled_upgrade_is_alerted_with_all_facts_for_a_decision(it: UpgradeWorld) -> None:
    s, new = it.scenario, it.scenario.deploy("PremiumSetting")
    before = s.anvil.now()
    operation = s.schedule_upgrade(new)
    await it.catch_up()
    ((kind, facts),) = it.told()
    code = bytes.fromhex(s.anvil.rpc("eth_getCode", new, "latest")[2:])
    assert kind == "scheduled"
    assert facts["about"] == operation.id
    assert facts["state"] == "waits for its time"
    assert facts["delay"] == "2 days"
    assert facts["sent by"] == s.proposer.address
    assert facts["contract"] == to_checksum_address(s.deployment.premium_proxy_admin)
    assert facts["function"] == "upgradeAndCall(address,address,bytes)"
    assert facts["proxy"] == f"PremiumSetting {to_checksum_address(s.deployment.premium_setting)}"
    assert facts["new implementation"] == to_checksum_address(new)
    assert facts["its code"] == f"{len(code):,} bytes, keccak-256 0x{keccak(code).hex()}"
    assert facts["transaction"] == operation.tx_hash
    assert facts["look with"] == f"reminder-worker upgrades show {operation.id} --chain 31337"
    assert facts["may cancel"] == s.proposer.address
    assert facts["final"].startswith("not yet")
    ready = s.read("TimelockController", it.timelock, "getTimestamp", bytes.fromhex(operation.id[2:]))
    assert before + UPGRADE_DELAY <= ready
    assert it.rows("select ready_at from worker.upgrade_operation")[0].ready_at == ready


async def test_the_transaction_that_an_alert_says_cancels_does_cancel(it: UpgradeWorld) -> None:
    s = it.scenario
    operation = s.schedule_upgrade(s.deploy("PremiumSetting"))
    await it.catch_up()
    ((_, facts),) = it.told()
    s.send(s.proposer, it.timelock, facts["cancel by"].rpartition(" ")[2])
    assert s.read("TimelockController", it.timelock, "getTimestamp", bytes.fromhex(operation.id[2:])) == 0


async def test_a_batch_is_one_operation_and_one_alert(it: UpgradeWorld) -> None:
    s = it.scenario
    calls = [(s.deployment.premium_proxy_admin, s.upgrade_data(SOMEBODY)), (it.timelock, UNKNOWN)]
    operation = s.schedule_batch(calls)
    await it.catch_up()
    ((kind, facts),) = it.told()
    assert (kind, facts["calls"]) == ("scheduled", "2, executed together")
    assert facts["1: new implementation"] == to_checksum_address(SOMEBODY)
    assert facts["2: contract"] == f"the UpgradeTimelock {to_checksum_address(it.timelock)}"
    assert facts["2: data"].startswith("selector 0xdeadbeef, 68 bytes: 0xdeadbeef")
    assert it.operations() == {operation.id: "pending"}


@pytest.mark.parametrize(
    ("call", "fact"),
    [
        (keccak(text="changeProxyAdmin(address,address)")[:4] + 2 * encode_address(SOMEBODY), "new admin"),
        (keccak(text="transferOwnership(address)")[:4] + encode_address(SOMEBODY), "new owner"),
        (keccak(text="renounceOwnership()")[:4], None),
    ],
    ids=["another admin", "another owner", "no owner"],
)
async def test_an_operation_that_gives_control_away_is_marked_as_graver_than_an_upgrade(
    it: UpgradeWorld, call: bytes, fact: str | None
) -> None:
    it.scenario.schedule(it.scenario.deployment.premium_proxy_admin, call)
    await it.catch_up()
    ((_, facts),) = it.told()
    assert facts["beware"].startswith("graver than an upgrade, since this timelock cannot undo it: ")
    assert "data" not in facts
    assert fact is None or facts[fact] == to_checksum_address(SOMEBODY)


async def test_a_setter_of_a_vault_is_told_with_its_argument_and_as_powerful_as_an_upgrade(it: UpgradeWorld) -> None:
    call = keccak(text="setRouterAddresses(address)")[:4] + encode_address(SOMEBODY)
    it.scenario.schedule(it.scenario.deployment.timelock_erc20, call)
    await it.catch_up()
    ((kind, facts),) = it.told()
    assert (kind, facts["function"]) == ("scheduled", "setRouterAddresses(address)")
    assert facts["as powerful as an upgrade"] == "a vault obeys another router"
    assert facts["router"] == to_checksum_address(SOMEBODY)
    assert "data" not in facts


async def test_a_storm_says_how_many_operations_give_control_away(it: UpgradeWorld) -> None:
    for number in range(STORM + 1):
        call = keccak(text="renounceOwnership()")[:4] if number == STORM else UNKNOWN
        it.scenario.schedule(it.timelock, call, salt=number.to_bytes(32, "big"))
    await it.catch_up()
    async with MailStub() as stub:
        settings = {"MAIL_URL": stub.url, "MAIL_TOKEN": SecretStr(TOKEN)}
        async with MailClient(MailSettings.model_validate(settings)) as client:
            await AlertOutbox(it.engine, client, "night.watch@operators.example").run()
    (digest,) = stub.inbox
    counts = {fact["name"]: int(fact["value"].partition(":")[0]) for fact in digest.variables["facts"]}
    assert counts == {"upgrade scheduled event": STORM, "upgrade scheduled event (graver than an upgrade)": 1}


@pytest.mark.core
async def test_an_operation_is_followed_from_scheduled_to_executed(it: UpgradeWorld) -> None:
    s, new = it.scenario, it.scenario.deploy("PremiumSetting")
    operation = s.schedule_upgrade(new)
    await it.catch_up()
    assert it.kinds() == ["scheduled"]
    await _final(it)
    assert it.kinds() == []
    s.advance(UPGRADE_DELAY)
    await it.catch_up()
    ((kind, facts),) = it.told()
    assert (kind, facts["state"]) == ("executable", "may be executed now")
    assert it.operations() == {operation.id: "ready"}
    s.execute(operation)
    await it.catch_up()
    ((kind, facts),) = it.told()
    assert (kind, facts["new implementation"]) == ("executed", to_checksum_address(new))
    await _final(it)
    assert it.kinds() == []
    assert it.operations() == {operation.id: "executed"}
    assert await it.catch_up() is None
    assert [row.final for row in it.rows("select final from worker.upgrade_operation")] == [True]


async def test_a_cancelled_operation_is_told_and_may_be_scheduled_and_told_again(it: UpgradeWorld) -> None:
    s = it.scenario
    operation = s.schedule_upgrade(SOMEBODY)
    s.cancel(operation)
    await it.catch_up()
    assert [(kind, facts["about"]) for kind, facts in it.told()] == [
        ("scheduled", operation.id),
        ("cancelled", operation.id),
    ]
    assert it.operations() == {operation.id: "cancelled"}
    s.schedule_upgrade(SOMEBODY)
    await it.catch_up()
    assert "scheduled" in it.kinds()
    assert it.operations() == {operation.id: "pending"}


async def test_a_delay_below_48_hours_is_a_condition_with_its_all_clear(it: UpgradeWorld) -> None:
    s = it.scenario
    s.execute_when_ready(s.schedule_delay(DAY))
    await it.catch_up()
    told = it.told()
    assert {kind for kind, _ in told} == {"scheduled", "executed", "delay_changed", "delay_short"}
    facts = dict(told)
    assert dict(told[0][1])["new delay"] == "24 hours (86400 seconds)"
    assert (facts["delay_changed"]["before"], facts["delay_changed"]["now"]) == (
        "2 days (172800 seconds)",
        "24 hours (86400 seconds)",
    )
    assert (facts["delay_short"]["status"], facts["delay_short"]["delay"]) == ("raised", "24 hours")
    s.execute_when_ready(s.schedule_delay(UPGRADE_DELAY, salt=b"\1" * 32))
    await it.catch_up()
    assert dict(it.told())["delay_short"]["status"] == "cleared"


async def test_roles_granted_and_revoked_are_told_by_their_names(it: UpgradeWorld) -> None:
    s = it.scenario
    s.execute_when_ready(s.schedule_role("grantRole", CANCELLER_ROLE, SOMEBODY))
    await it.catch_up()
    told = it.told()
    assert (told[0][1]["role"], told[0][1]["account"]) == ("CANCELLER_ROLE", to_checksum_address(SOMEBODY))
    granted = dict(told)["role_changed"]
    assert (granted["role"], granted["granted to"]) == ("CANCELLER_ROLE", to_checksum_address(SOMEBODY))
    s.schedule_upgrade(SOMEBODY)
    await it.catch_up()
    assert to_checksum_address(SOMEBODY) in dict(it.told())["scheduled"]["may cancel"]
    s.execute_when_ready(s.schedule_role("revokeRole", CANCELLER_ROLE, SOMEBODY))
    await it.catch_up()
    assert dict(it.told())["role_changed"]["revoked from"] == to_checksum_address(SOMEBODY)


async def test_an_execution_that_was_never_seen_scheduled_is_told_as_such(it: UpgradeWorld) -> None:
    s = it.scenario
    operation = s.schedule_upgrade(s.deploy("PremiumSetting"))
    s.anvil.mine(OVERLAP)
    await it.catch_up()
    async with it.engine.begin() as connection:
        for table in ("chain_event", "upgrade_event", "upgrade_operation", "alert"):
            await connection.execute(text(f"delete from worker.{table}"))
        head = f"block_number = {s.anvil.block_number()}, block_hash = :hash"
        block = s.anvil.rpc("eth_getBlockByNumber", "latest", False)["hash"]
        await connection.execute(text(f"update worker.index_cursor set {head}"), {"hash": block})
    it.told()
    s.execute_when_ready(operation)
    await it.catch_up()
    ((kind, facts),) = it.told()
    assert (kind, facts["about"]) == ("unseen", operation.id)
    assert facts["function"] == "upgradeAndCall(address,address,bytes)"


# -- reorganisations ----------------------------------------------------------------------------------


async def test_a_reorganised_operation_is_taken_back_and_told_again_when_it_is_mined_again(it: UpgradeWorld) -> None:
    s = it.scenario
    operation = s.schedule_upgrade(SOMEBODY)
    await it.catch_up()
    assert it.kinds() == ["scheduled"]
    s.anvil.reorg(1)
    await it.catch_up()
    ((kind, facts),) = it.told()
    assert (kind, facts["about"], facts["what"]) == ("corrected", operation.id, "scheduled")
    assert facts["now"].startswith("taken back")
    assert it.operations() == {operation.id: "gone"}
    s.schedule_upgrade(SOMEBODY)
    await it.catch_up()
    ((kind, facts),) = it.told()
    assert (kind, facts["note"]) == ("scheduled", "a reorganisation had taken it back; it was mined again")
    await _final(it)
    assert it.kinds() == []
    assert it.operations() == {operation.id: "pending"}


async def test_an_operation_that_moved_to_another_block_is_not_told_again_and_has_its_new_time(
    it: UpgradeWorld,
) -> None:
    s, _ = it.scenario, it.scenario.proposer
    before = s.anvil.snapshot()
    operation = s.schedule_upgrade(SOMEBODY)
    await it.catch_up()
    assert it.kinds() == ["scheduled"]
    s.anvil.revert(before)
    s.advance(3600)
    s.schedule_upgrade(SOMEBODY)
    await it.catch_up()
    assert it.kinds() == []
    ready = s.read("TimelockController", it.timelock, "getTimestamp", bytes.fromhex(operation.id[2:]))
    assert [row.ready_at for row in it.rows("select ready_at from worker.upgrade_operation")] == [ready]
    s.anvil.reorg(2)
    await it.catch_up()
    ((kind, facts),) = it.told()
    assert (kind, facts["about"]) == ("corrected", operation.id)


# -- downtime, the first start, several at once -------------------------------------------------------


async def test_a_day_of_downtime_loses_nothing(it: UpgradeWorld) -> None:
    s = it.scenario
    gone_by = s.schedule_upgrade(s.deploy("PremiumSetting"))
    s.execute_when_ready(gone_by)
    s.cancel(s.schedule_upgrade(SOMEBODY))
    s.advance(DAY)
    waiting = s.schedule_delay(3 * DAY)
    s.anvil.mine(200)
    await it.catch_up()
    assert it.kinds() == ["scheduled", "executed", "scheduled", "cancelled", "scheduled"]
    assert it.operations()[waiting.id] == "pending"
    assert await it.catch_up() is None


async def test_a_first_start_alerts_only_pending_operations(chain_scenario: Scenario, engine: AsyncEngine) -> None:
    s = chain_scenario
    s.execute_when_ready(s.schedule_upgrade(s.deploy("PremiumSetting")))
    s.cancel(s.schedule_upgrade(SOMEBODY))
    waiting = s.schedule_role("grantRole", CANCELLER_ROLE, SOMEBODY)
    s.anvil.mine(30)
    chain = Chain(chain_settings(s, LOG_RANGE="7"))
    try:
        made = world(s, engine, chain)
        await made.catch_up()
        ((kind, facts),) = made.told()
        assert (kind, facts["about"]) == ("scheduled", waiting.id)
        assert facts["note"] == "it was scheduled before this service began to watch"
        assert (facts["final"], made.operations()[waiting.id]) == ("yes", "pending")
        assert await made.catch_up() is None
    finally:
        await chain.close()


async def test_changes_before_finality_are_alerted_with_any_log_range(it: UpgradeWorld) -> None:
    """The range is shorter than the distance from the last final block to the head."""
    s = it.scenario
    chain = Chain(chain_settings(s, LOG_RANGE="1"))
    try:
        narrow = world(s, it.engine, chain)
        operation = s.schedule_upgrade(SOMEBODY)
        await narrow.read_index()
        report = await narrow.watch.run(budget_seconds=5)
        assert (report.stopped, report.last_block) == ("at_head", s.anvil.block_number())
        assert narrow.operations() == {operation.id: "pending"}
        ((kind, facts),) = narrow.told()
        assert (kind, facts["final"][:7]) == ("scheduled", "not yet")
    finally:
        await chain.close()


async def test_a_poll_without_a_change_asks_the_node_nothing(it: UpgradeWorld) -> None:
    """The index read the new blocks, with the timelock's logs in its own question."""
    s = it.scenario
    async with proxy(s.anvil.url) as node, Chain(chain_settings(s, RPC_URLS=node.url)) as chain:
        watched = world(s, it.engine, chain)
        s.anvil.mine(20)
        await watched.read_index()
        assert not await watched.watch.poll(), "this day's comparison of setters"
        node.posts.clear()
        assert not await watched.watch.poll()
        assert node.posts == []
        operation = s.schedule_upgrade(SOMEBODY)
        await watched.catch_up()
        assert watched.operations() == {operation.id: "pending"}
        assert node.methods().count("eth_getLogs") == 2, "of the index: a poll and its run"


async def test_a_node_without_a_final_block_holds_up_no_alert(chain_scenario: Scenario, engine: AsyncEngine) -> None:
    """Nodes that were just started say `null`."""
    async with proxy(chain_scenario.anvil.url) as node:
        node.answer = lambda request: {"result": None} if "finalized" in request["params"] else None
        async with Chain(chain_settings(chain_scenario, RPC_URLS=node.url)) as chain:
            it = world(chain_scenario, engine, chain)
            await it.catch_up()
            chain_scenario.schedule_upgrade(SOMEBODY)
            await it.catch_up()
            ((kind, facts),) = it.told()
            assert (kind, facts["final"][:7]) == ("scheduled", "not yet")


async def test_nodes_behind_the_cursor_fail_the_pass_after_half_an_hour(it: UpgradeWorld) -> None:
    """A shorter delay is a lagging node. Here the index has read three blocks without the timelock."""
    s, head = it.scenario, it.scenario.anvil.block_number()
    s.anvil.mine(3)
    await ChainIndex(it.engine, it.chain).run()
    async with proxy(s.anvil.url) as node, Chain(chain_settings(s, RPC_URLS=node.url)) as chain:
        late = {hex(head + ahead) for ahead in (1, 2, 3)}
        node.answer = lambda request: {"result": None} if late & set(request["params"][:1]) else None
        behind = world(s, it.engine, chain)
        assert not await behind.watch.poll()
        async with it.engine.begin() as connection:
            await connection.execute(text("update worker.index_cursor set moved_at = moved_at - interval '1 hour'"))
        with pytest.raises(ChainUnavailable):
            await behind.watch.poll()


async def test_an_address_without_a_timelock_is_no_quiet_queue(
    chain_scenario: Scenario, engine: AsyncEngine, chain: Chain
) -> None:
    """Otherwise a wrong address would be watched forever: no log, and every look a success."""
    timelock = chain_scenario.deployment.usdc
    index = ChainIndex(
        engine, chain, added=upgrade_logs(chain.settings.model_copy(update={"upgrade_timelock": timelock}))
    )
    watch = UpgradeWatch(engine, chain, index, AlertOutbox(engine), timelock)
    await index.run()
    for _ in range(2):
        with pytest.raises(Misconfigured, match="CHAIN_31337_UPGRADE_TIMELOCK"):
            await watch.poll() and await watch.run()


@pytest.mark.parametrize("lacking", [0, 1])
async def test_an_operation_whose_logs_one_of_two_endpoints_lacks_is_told(it: UpgradeWorld, lacking: int) -> None:
    s = it.scenario
    async with two_nodes(s) as (nodes, chain):
        nodes[lacking].alter = alters("eth_getLogs", lambda *_: [])
        both = world(s, it.engine, chain)
        operation = s.schedule_upgrade(SOMEBODY)
        await both.catch_up()
        assert both.operations() == {operation.id: "pending"}
        await _final(both)
        assert both.kinds() == ["scheduled"]


@pytest.mark.one_order("the logs of the endpoint that is asked first are believed")
async def test_an_operation_of_the_second_endpoint_only_is_not_alerted_and_delays_no_other(it: UpgradeWorld) -> None:
    """The pass fails with a disagreement until the block is an hour old."""
    s = it.scenario
    real = s.schedule_upgrade(SOMEBODY)
    head = s.anvil.block_number()
    (scheduled,) = s.anvil.rpc("eth_getLogs", {"address": it.timelock, "fromBlock": hex(head)})
    forged = {**scheduled, "transactionHash": "0x" + "f0" * 32, "logIndex": "0x7"}
    forged["topics"] = [scheduled["topics"][0], "0x" + "ab" * 32, *scheduled["topics"][2:]]

    def invents(request: Json, found: list[Json]) -> list[Json]:
        return found if int(request["params"][0]["fromBlock"], 16) > head else [*found, forged]

    async with two_nodes(s) as (nodes, chain):
        nodes[1].alter = alters("eth_getLogs", invents)
        both = world(s, it.engine, chain)
        with pytest.raises(EndpointsDisagree):
            await both.catch_up()
        assert both.kinds() == ["scheduled"]
        s.anvil.mine(3)
        with pytest.raises(EndpointsDisagree):
            await both.catch_up()
        assert both.kinds() == []
        s.anvil.mine(NODE_POLICY.first_log_blocks)
        later = s.schedule_delay(3 * DAY)
        with pytest.raises(EndpointsDisagree):
            await both.catch_up()
        assert both.kinds() == ["scheduled"], "however far the head is from what is in doubt"
        s.advance(ALONE_AFTER_SECONDS + 60)
        await both.catch_up()
        assert await both.catch_up() is None
    assert it.kinds() == ["scheduled", "scheduled"]
    assert it.operations() == {real.id: "pending", later.id: "pending"}


async def test_an_executable_operation_is_alerted_once_in_months(it: UpgradeWorld) -> None:
    """Old alerts are deleted, except the alert of an open operation."""
    s = it.scenario
    s.schedule_upgrade(SOMEBODY)
    await it.catch_up()
    await _final(it)
    s.advance(UPGRADE_DELAY)
    await it.catch_up()
    assert it.kinds() == ["scheduled", "executable"]
    async with it.engine.begin() as connection:
        await connection.execute(
            text("update worker.alert set state = 'sent', created_at = created_at - interval '91 days'")
        )
    await forget_expired(it.engine)
    it.heard = len(it.rows("select 1 from worker.alert"))
    s.schedule_delay(3 * DAY)
    await it.catch_up()
    assert it.kinds() == ["scheduled"]


async def test_blocks_that_the_index_read_without_the_timelock_are_read_at_the_next_start(it: UpgradeWorld) -> None:
    """Nothing between is lost, and a reorganisation just then is followed. Later the index reads both again."""
    s, without = it.scenario, ChainIndex(it.engine, it.chain)
    first = s.schedule_upgrade(SOMEBODY)
    s.anvil.mine(OVERLAP + 1)
    await without.run()
    assert await it.watch.run()
    assert it.operations() == {first.id: "pending"}
    lost = s.schedule_delay(DAY)
    await without.run()
    await it.watch.run()
    assert it.operations() == {first.id: "pending", lost.id: "pending"}
    s.anvil.reorg(1)
    second = s.schedule_delay(3 * DAY)
    s.anvil.mine(OVERLAP + 1)
    await without.run()
    await it.catch_up()
    assert it.operations() == {first.id: "pending", lost.id: "gone", second.id: "pending"}
    assert it.kinds() == ["scheduled", "scheduled", "corrected", "scheduled"]
    await it.index.rewind_to(0)
    s.anvil.mine()
    await it.catch_up()
    assert it.kinds() == []
    assert [row.block_number for row in it.rows("select * from worker.index_cursor")] == 2 * [s.anvil.block_number()]


async def test_concurrent_runs_alert_each_change_once(it: UpgradeWorld) -> None:
    s = it.scenario
    s.schedule_upgrade(SOMEBODY)
    s.schedule_delay(DAY)
    await it.read_index()
    others = [world(s, it.engine, it.chain) for _ in range(4)]
    await asyncio.gather(*(each.watch.run() for each in [it, *others]))
    assert sorted(it.kinds()) == ["scheduled", "scheduled"]
    await asyncio.gather(*(each.watch.run() for each in [it, *others]))
    assert it.kinds() == []


# -- delivery ----------------------------------------------------------------------------------------


async def test_an_alert_is_in_the_log_also_without_an_email_address(it: UpgradeWorld) -> None:
    operation = it.scenario.schedule_upgrade(SOMEBODY)
    await it.read_index()
    with capture_logs(processors=[redact]) as logs:
        await it.watch.poll()  # a run may be seconds away
        await AlertOutbox(it.engine).run()
    (line,) = [line for line in logs if line["event"] == "alert"]
    assert (line["kind"], line["subject"]) == ("upgrade_scheduled", operation.id)
    assert line["facts"]["new_implementation"] == to_checksum_address(SOMEBODY)
    assert line["facts"]["transaction"] == operation.tx_hash
    assert operation.id[2:] in line["facts"]["cancel_by"]
