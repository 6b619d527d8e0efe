"""Promises about calls of the protocol inside a transaction with 38,000 logs: they cost no more than others.

Such a transaction has 16 million gas, the most on Ethereum, and a receipt of 14.5 MB.
"""

import asyncio
import tracemalloc
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Scenario
from devnet.steps import DemoSteps
from reminder_worker.chain.block_logs import address_topic
from reminder_worker.chain.client import Chain
from reminder_worker.chain.events import ETHER_LOGS, TRANSFER_TOPIC
from reminder_worker.reminders import signal_transactions
from reminder_worker.reminders.planner import PlanReport
from tests.integration.api_world import open_world
from tests.integration.chain_proxy import Json, proxy
from tests.integration.mail_stub import MailStub
from tests.integration.reminder_world import CHAIN_ID, MailWorld
from tests.integration.reminder_world import open_world as open_mail_world
from tests.integration.test_gift_pages import GIFTS, facts, indexed

LOGS = 38_000
"""Calls the address in the first word of its input with the rest of its input, then logs `LOGS` empty events."""
CROWDED = "0x602036038060205f375f5f825f5f5f355af161" + f"{LOGS:04x}" + "5b5f5fa0600190038060155700"
CALL_AND_TRANSFER = "0x602036038060205f375f5f825f5f5f355af15f7f{0}7f{1}60205fa300"
"""Calls like `CROWDED`, then logs a transfer from an owner. `{0}`: the owner's topic; `{1}`: the event's."""
LITTLE = 4 * 1024 * 1024


def call_in_crowd(scenario: DemoSteps, through: str, contract: str, target: str, function: str, *args: object) -> str:
    """Let the contract at `through` call a function between thousands of logs; return the transaction's hash."""
    scenario.anvil.set_code(through, CROWDED)
    data = "0x" + target[2:].rjust(64, "0") + scenario.contracts[contract].encode(function, *args)[2:]
    tx = scenario.send(scenario.account("stranger"), through, data, gas=16_700_000)
    assert len(scenario.anvil.receipt(tx)["logs"]) > LOGS
    return tx


@contextmanager
def uses_little_memory() -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < LITTLE


def methods_asked(chain: Chain) -> dict[str, int]:
    """Return how often the first endpoint was asked for logs and receipts."""
    asked = {"eth_getLogs": 0, "eth_getTransactionReceipt": 0}
    for (_, method), times in chain.endpoints.members[0].asked.items():
        if method in asked:
            asked[method] += times
    return asked


async def test_how_a_gift_was_paid_out_is_read_once_without_the_receipt(
    chain_scenario: Scenario, engine: AsyncEngine
) -> None:
    """Everybody may withdraw it for the recipient, and fifty may look at its page at once."""
    ada, vault = chain_scenario.account("ada").address, chain_scenario.deployment.timelock_erc20
    async with open_world(chain_scenario, engine, **GIFTS) as world:
        gift = chain_scenario.create_gift(chain_scenario.account("giver"), ada, eth=10**18, duration=0)
        stranger = "0x" + "57" * 20
        call_in_crowd(chain_scenario, stranger, "TimelockERC20", vault, "withdraw", gift, ada, False)
        await indexed(world)
        chain = world.parts.chains[world.chain_id]
        before = methods_asked(chain)
        with uses_little_memory():
            answers = await asyncio.gather(*(facts(world, gift) for _ in range(50)))
        assert {answer.status for answer in answers} == {200}
        assert {answer.body["state"] for answer in answers} == {"claimed"}
        assert {answer.body["assets"][0]["asEther"] for answer in answers} == {True}
        asked = methods_asked(chain)
        assert asked["eth_getTransactionReceipt"] == 0
        assert asked["eth_getLogs"] - before["eth_getLogs"] == 3


async def plan(world: MailWorld) -> PlanReport:
    report = PlanReport()
    with uses_little_memory():
        await world.dispatch._planners[CHAIN_ID]._plan_signals(report, 50)
    return report


async def test_check_ins_between_thousands_of_logs_are_told_and_take_little_memory(world: MailWorld) -> None:
    legacy = world.legacy(inactivity=90 * DAY)
    await world.save(legacy, "owner", "anna")
    for _ in range(3):
        owner = world.account("owner").address
        call_in_crowd(world.scenario, owner, "TransferEOALegacyRouter", legacy.router, "activeAlive", legacy.id)
    await world.index.run()
    await world.signals.run()
    report = await plan(world)
    assert (report.signals, report.later, report.refused) == (3, 0, 0)


async def test_a_claim_between_thousands_of_logs_is_told_with_its_amounts(world: MailWorld) -> None:
    s, usdc, anna = world.scenario, world.scenario.deployment.usdc, world.address("anna")
    legacy = world.legacy(heirs=["anna"], inactivity=30 * DAY)
    await world.save(legacy, "owner", "anna")
    s.mint(usdc, world.address("owner"), 100)
    s.approve(world.account("owner"), usdc, legacy.address, 100)
    s.advance(31 * DAY)
    address = world.account("anna").address
    call_in_crowd(s, address, "TransferEOALegacyRouter", legacy.router, "activeLegacy", legacy.id, [usdc], False)
    await world.index.run()
    await world.signals.run()
    report = await plan(world)
    assert (report.signals, report.later, report.refused) == (1, 0, 0)
    ((amounts,),) = await world.sql("select amounts from worker.notify_signal where kind = 2")
    assert amounts == {anna: [[usdc, "100"]]}


async def test_a_claim_has_the_same_amounts_by_its_receipt_and_by_logs(
    world: MailWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    s, usdc = world.scenario, world.scenario.deployment.usdc
    legacy = world.legacy(inactivity=30 * DAY)
    s.mint(usdc, world.address("owner"), 100)
    s.approve(world.account("owner"), usdc, legacy.address, 100)
    s.anvil.set_code(ETHER_LOGS, s.anvil.rpc("eth_getCode", usdc, "latest"))
    s.mint(ETHER_LOGS, world.address("owner"), 100)
    s.approve(world.account("owner"), ETHER_LOGS, legacy.address, 100)
    s.whitelist(ETHER_LOGS)
    s.advance(31 * DAY)
    tx = s.claim(world.account("anna"), legacy, [usdc, ETHER_LOGS])
    block = s.anvil.block_number()
    s.write_as_deployer("TokenWhiteList", s.deployment.token_white_list, "removeToken", ETHER_LOGS)
    signal = signal_transactions.StoredSignal(tx, legacy.address, 2, 1, block, 0, 0, 0, denied=False)
    reads = signal_transactions.SignalTransactions(world.chain)
    (by_receipt,) = await reads.read_voices([signal])
    monkeypatch.setattr(signal_transactions, "RECEIPT_BYTES", 100)
    assert await reads.read_voices([signal]) == [by_receipt]
    assert by_receipt is not None
    assert len(by_receipt.logs) == 5, "a notice, and to each heir a transfer of USDC and one of ether"


def send_longer_receipts(request: Json, response: Json) -> Json:
    """Answer as a node whose receipts have more bytes: nodes differ in the fields of a log."""
    if request["method"] != "eth_getTransactionReceipt" or response.get("result") is None:
        return response
    return response | {"result": response["result"] | {"more": "0" * signal_transactions.RECEIPT_BYTES}}


@pytest.mark.parametrize("longer_at", [0, 1])
async def test_claim_with_a_receipt_that_only_one_endpoint_may_send_is_told(
    chain_scenario: Scenario, engine: AsyncEngine, longer_at: int
) -> None:
    """By its receipt the claim has a transfer by a stranger's contract, by logs it has not."""
    s, usdc = chain_scenario, chain_scenario.deployment.usdc
    async with MailStub() as mail, proxy(s.anvil.url) as first, proxy(s.anvil.url) as second, AsyncExitStack() as stack:
        urls = {"CHAIN_31337_RPC_URLS": f"{first.url},{second.url}"}
        world = await stack.enter_async_context(open_mail_world(engine, s, mail, subgraph=None, **urls))
        legacy = world.legacy(heirs=["anna"], inactivity=30 * DAY)
        await world.save(legacy, "owner", "anna")
        s.mint(usdc, world.address("owner"), 100)
        s.approve(world.account("owner"), usdc, legacy.address, 100)
        s.advance(31 * DAY)
        anna, owner = world.account("anna").address, world.address("owner")
        s.anvil.set_code(anna, CALL_AND_TRANSFER.format(*(each[2:] for each in (address_topic(owner), TRANSFER_TOPIC))))
        claim = s.contracts["TransferEOALegacyRouter"].encode("activeLegacy", legacy.id, [usdc], False)
        s.send(s.account("stranger"), anna, address_topic(legacy.router) + claim[2:], gas=5_000_000)
        await world.index.run()
        await world.signals.run()
        (first, second)[longer_at].alter = send_longer_receipts
        report = await plan(world)
        assert (report.signals, report.later, report.refused) == (1, 0, 0)
        ((amounts,),) = await world.sql("select amounts from worker.notify_signal where kind = 2")
        assert amounts == {world.address("anna"): [[usdc, "100"]]}
