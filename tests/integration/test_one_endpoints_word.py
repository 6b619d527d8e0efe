"""Decisions that need two endpoints. A liar that is asked first, asked second, or answers alone changes nothing.

`RULES` has every such decision; the code makes it with `Chain.agreed` or the rules of `chain/quorum.py`.
The index is no such rule: it believes the logs of the endpoint that is asked first (`test_indexer_two_endpoints.py`).
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Legacy, Scenario
from reminder_worker.chain.abi import find_selector
from reminder_worker.chain.abi_codec import encode_address, encode_word
from reminder_worker.chain.client import Chain
from reminder_worker.chain.eip712 import ERC1271_MAGIC
from reminder_worker.chain.types import ContractCall
from reminder_worker.errors import ServiceError
from reminder_worker.gifts.claim_link import LinkRules
from reminder_worker.gifts.pages import GiftPages
from reminder_worker.indexer.chain_index import ChainIndex
from reminder_worker.indexer.models import ENDED, GIFT, LIVE
from reminder_worker.indexer.selector import IndexerSelector
from reminder_worker.kept_reads import KeptReads
from reminder_worker.monitoring.erasure import erase_deleted_legacies
from reminder_worker.relay.onchain_effects import read_direct_calls
from reminder_worker.statistics.file_store import LocalFiles
from reminder_worker.statistics.job import StatisticsPass
from reminder_worker.statistics.snapshots import find_newest_snapshot
from tests.integration import api_world, gift_mail_world, reminder_world
from tests.integration.chain_proxy import (
    SILENCE,
    Alter,
    Answer,
    Json,
    TwoEndpoints,
    alters,
    chain_settings,
    says_nothing,
    two_endpoints,
)
from tests.integration.gift_mail_world import NORMAL, World
from tests.integration.mail_stub import MailStub
from tests.integration.relay_world import CHAIN_ID, RelayWorld
from tests.integration.renewal_world import IN_WINDOW, RenewalWorld
from tests.integration.test_lost_guard import after, forget_guards, guarded
from tests.integration.upgrade_world import chain_settings as upgrade_settings
from tests.integration.upgrade_world import world as upgrade_world

COUNTS = "eth_getTransactionCount"
OTHER = "0x" + "0d" * 20
FORGED = "0x" + "ab" * 32


@dataclass(frozen=True)
class LiarCase:
    """A rule in its world behind two endpoints.

    `lie` alters the answers of an endpoint. `is_believed` lets the service work once and returns whether the lie took
    effect. `silence`: as `answer` of the other endpoint.
    """

    chain: Chain
    lie: Alter
    is_believed: Callable[[], Awaitable[bool]]
    silence: Answer = says_nothing

    async def try_once(self) -> bool:
        """Let the service work once, with no endpoint at rest."""
        for endpoint in self.chain.endpoints.members:
            endpoint.rest.record_success()
        return await self.is_believed()


@dataclass(frozen=True)
class LiarStage:
    """Parts to build a case from. `stack` closes the opened worlds."""

    stack: AsyncExitStack
    scenario: Scenario
    engine: AsyncEngine
    nodes: TwoEndpoints

    async def mail_world(self) -> reminder_world.MailWorld:
        mail = await self.stack.enter_async_context(MailStub())
        opened = reminder_world.open_world(self.engine, self.scenario, mail, subgraph=None, **self.nodes.environ)
        return await self.stack.enter_async_context(opened)

    async def gift_world(self) -> World:
        return await gift_mail_world.open_world(self.stack, self.engine, self.scenario, **self.nodes.environ)

    async def api_world(self, **more: str) -> api_world.ApiWorld:
        opened = api_world.open_world(self.scenario, self.engine, **self.nodes.environ, **more)
        return await self.stack.enter_async_context(opened)

    async def chain(self) -> Chain:
        settings = chain_settings(self.scenario, self.nodes.first.url, self.nodes.second.url)
        return await self.stack.enter_async_context(Chain(settings))

    async def relay_world(self) -> RelayWorld:
        """Mines no block by itself."""
        world = RelayWorld(self.scenario, self.engine, await self.chain())
        self.stack.callback(world.calm)
        return world

    def pass_days(self, days: float) -> None:
        """On chain, up to a final block."""
        self.scenario.anvil.increase_time(int(days * DAY))
        self.scenario.anvil.mine(70)


def exchanged(told: str, instead: str) -> Alter:
    """Replace a part of every answer that is a hexadecimal text."""

    def alter(_: Json, response: Json) -> Json:
        if not isinstance(response.get("result"), str):
            return response
        return response | {"result": response["result"].replace(told, instead)}

    return alter


def invents(scenario: Scenario, like: str) -> Alter:
    """Invent a transaction, with the receipt of `like`."""
    true = scenario.anvil.rpc("eth_getTransactionReceipt", like)
    logs = [{**each, "transactionHash": FORGED} for each in true["logs"]]
    forged = {**true, "transactionHash": FORGED, "logs": logs}
    return alters("eth_getTransactionReceipt", lambda asked, found: forged if asked["params"] == [FORGED] else found)


def signs_for(address: str) -> Alter:
    """Invent a contract at `address` that confirms every signature (ERC-1271)."""

    def alter(request: Json, response: Json) -> Json:
        if request["method"] == "eth_getCode" and request["params"][0].lower() == address.lower():
            return {"jsonrpc": "2.0", "id": request["id"], "result": "0x00"}
        asked = request["params"][0] if request["method"] == "eth_call" else {}
        if asked.get("to") == address.lower() and asked["data"].startswith("0x" + ERC1271_MAGIC.hex()):
            magic = ERC1271_MAGIC + bytes(28)
            return {"jsonrpc": "2.0", "id": request["id"], "result": "0x" + magic.hex()}
        return response

    return alter


# -- people -----------------------------------------------------------------------------------------------


async def deleted_legacy(at: LiarStage) -> LiarCase:
    """Nobody is erased because a legacy is called deleted."""
    world = await at.mail_world()
    legacy = world.legacy()
    await world.save(legacy, "owner", "anna")
    await world.index.run()
    await world.sql("update worker.legacy set deleted_at = 1 where address = :it", it=legacy.address)
    at.pass_days(1)

    async def is_believed() -> bool:
        return await erase_deleted_legacies(world.engine, world.chain) > 0

    return LiarCase(world.chain, alters("eth_call", lambda _, found: found.replace(f"{1:064x}", "0" * 64)), is_believed)


async def strangers_requests(world: api_world.ApiWorld, legacy: Legacy) -> bool:
    """Return whether a stranger may read the people of a legacy, send its instructions, replace or erase them."""
    stranger = world.owner("stranger")
    shown = await world.call(stranger, "ReadRecipients", legacy)
    answers = [
        await world.ingest(stranger, legacy, [api_world.person(2)]),
        await world.call(stranger, "SendInstructions", legacy),
        await world.call(stranger, "EraseLegacy", legacy),
    ]
    is_shown = shown.status == 200 and shown.body["recipients"] != []
    return is_shown or any(each.status < 300 for each in answers)


async def creators_signature(at: LiarStage) -> LiarCase:
    """No stranger writes or erases because a contract at the creator's address is said to confirm the signature."""
    world = await at.api_world()
    owner = world.owner()
    legacy = world.legacy(owner)
    assert (await world.ingest(owner, legacy, [api_world.person(1)])).status == 200
    return LiarCase(world.parts.chains[CHAIN_ID], signs_for(owner.address), partial(strangers_requests, world, legacy))


async def creator_of_a_legacy(at: LiarStage) -> LiarCase:
    """No stranger writes or erases because the stranger is said to have created the legacy."""
    world = await at.api_world()
    owner, stranger = world.owner(), world.owner("stranger")
    legacy = world.legacy(owner)
    assert (await world.ingest(owner, legacy, [api_world.person(1)])).status == 200
    asks = find_selector("Legacy", "creator").hex()

    def change(request: Json, found: str) -> str:
        data = str(request["params"][0]).lower()
        about = asks in data and legacy.address[2:].lower() in data
        return found.replace(owner.address[2:].lower(), stranger.address[2:].lower()) if about else found

    return LiarCase(
        world.parts.chains[CHAIN_ID], alters("eth_call", change), partial(strangers_requests, world, legacy)
    )


# -- gifts ------------------------------------------------------------------------------------------------


async def giver_of_a_gift(at: LiarStage) -> LiarCase:
    """No thief names the recipient's email because the thief is said to be the giver."""
    world = await at.gift_world()
    id, thief = world.seal(), world.scenario.account("thief")

    async def is_believed() -> bool:
        try:
            await world.notifications.register_notification(world.request(world.payload(id), thief))
        except ServiceError:
            return False
        return await world.kept() > 0

    return LiarCase(
        world.chains[CHAIN_ID], exchanged(world.giver.address[2:].lower(), thief.address[2:].lower()), is_believed
    )


async def givers_signature(at: LiarStage) -> LiarCase:
    """No thief names the recipient's email because a contract at the giver's address is said to confirm."""
    world = await at.gift_world()
    id, giver = world.seal(), world.giver.address.lower()

    async def is_believed() -> bool:
        forged = replace(world.request(world.payload(id), world.scenario.account("thief")), giver=giver)
        try:
            await world.notifications.register_notification(forged)
        except ServiceError:
            return False
        return await world.kept() > 0

    return LiarCase(world.chains[CHAIN_ID], signs_for(giver), is_believed)


def gift_words(recipient: str, status: int) -> str:
    """Lock type, status and recipient as a vault's answer has them."""
    return (encode_word(GIFT) + encode_word(status) + encode_address(recipient)).hex()


async def unlocked_gift(world: World) -> None:
    """Register a gift whose one email, that of the opening day, waits for the mail service."""
    await world.register(world.seal(), timing="none")
    await world.sql("update worker.gift_notification set written_at = now() - interval '8 days'")
    world.scenario.advance(30 * DAY + 1)
    world.scenario.anvil.mine(2 * world.scenario.anvil.slots_in_an_epoch + 1)
    await world.stub.stop()


async def gifts_end(at: LiarStage, *, status: int, recipient: str = "") -> LiarCase:
    """No email and no row of a gift goes because the gift is said to have ended or to be another person's."""
    world = await at.gift_world()
    await unlocked_gift(world)
    heir = world.heir.address.lower()

    async def is_believed() -> bool:
        await world.tick()
        return await world.kept() == 0 or (await world.states())["gift_unlocked"] != "released"

    lie = exchanged(gift_words(heir, LIVE), gift_words(recipient or heir, status))
    return LiarCase(world.chains[CHAIN_ID], lie, is_believed)


async def facts_of_an_ended_gift(at: LiarStage, *, was_confirmed: bool) -> LiarCase:
    """No viewer is shown another recipient of a gift that ended for longer than a slot.

    `was_confirmed`: both endpoints confirmed the gift's end for an earlier viewer, and its facts were dropped since.
    """
    world = await at.api_world(GIFT_ORIGINS="https://gifts.example.org")
    at.stack.enter_context(pytest.MonkeyPatch.context()).setattr(KeptReads.__init__, "__defaults__", (1,))
    giver, ada = at.scenario.account("giver"), at.scenario.account("ada")
    gift, newer = (at.scenario.create_gift(giver, ada.address, eth=1, duration=0) for _ in range(2))
    at.scenario.withdraw_gift(ada, gift)
    at.pass_days(1)
    index, chain = world.parts.chain_indexes[CHAIN_ID], world.parts.chains[CHAIN_ID]
    await index.run()
    indexers, rules = {CHAIN_ID: IndexerSelector(chain, index, None)}, LinkRules.from_origins([], "gifts")

    async def view_honestly(pages: GiftPages) -> None:
        """Show the gift by honest endpoints, and then a newer one: the facts of one gift are kept at most."""
        nodes = (at.nodes.first, at.nodes.second)
        lies = [(node.answer, node.alter) for node in nodes]
        for node in nodes:
            node.well()
        for each in (gift, newer):
            await pages.read_facts(CHAIN_ID, each)
        for node, (answer, alter) in zip(nodes, lies, strict=True):
            node.answer, node.alter = answer, alter

    async def is_believed() -> bool:
        """Two reads of a process that does not hold the facts: what it keeps costs no request."""
        pages = GiftPages(world.parts.chains, indexers, rules, relayed=())
        if was_confirmed:
            await view_honestly(pages)
        shown = await pages.read_facts(CHAIN_ID, gift)
        asked = len(at.nodes.first.posts) + len(at.nodes.second.posts)
        await pages.read_facts(CHAIN_ID, gift)
        is_kept = len(at.nodes.first.posts) + len(at.nodes.second.posts) == asked
        return is_kept and shown.recipient == OTHER

    return LiarCase(chain, exchanged(ada.address[2:].lower(), OTHER[2:]), is_believed)


# -- reminders --------------------------------------------------------------------------------------------


async def activation(at: LiarStage) -> LiarCase:
    """No email goes out because of an invented transaction."""
    world = await at.mail_world()
    legacy = world.legacy(inactivity=90 * DAY)
    await world.save(legacy, "owner", "anna")
    world.scenario.check_in(world.account("owner"), legacy)
    await world.tick()
    told = len(world.mail.inbox)
    assert told == 2, "what both say is told"
    await world.sql("delete from worker.sent_ledger")
    ((genuine,),) = await world.sql("select tx_hash from worker.notify_signal")

    async def is_believed() -> bool:
        await world.sql(
            "update worker.notify_signal set tx_hash = :it, state = 'new', seen_at = now(), reason = null,"
            " next_try = now()",
            it=FORGED,
        )
        await world.dispatch.run()
        return len(world.mail.inbox) > told

    return LiarCase(world.chain, invents(world.scenario, genuine), is_believed)


async def guard_of_a_safe(at: LiarStage) -> LiarCase:
    """No owner is told of a lost guard because another guard is named."""
    world = await at.mail_world()
    _, legacy = await guarded(world)
    assert legacy.guard is not None

    async def is_believed() -> bool:
        return await after(world) != []

    return LiarCase(world.chain, exchanged(legacy.guard[2:].lower(), OTHER[2:]), is_believed)


async def module_of_a_safe(at: LiarStage) -> LiarCase:
    """No owner is told of a module that is off because the answer is no."""
    world = await at.mail_world()
    await guarded(world)
    yes, no = f"{32:064x}{1:064x}", f"{32:064x}{0:064x}"

    def change(request: Json, found: str) -> str:
        return found.replace(yes, no) if "2d9ad53d" in str(request["params"][0]) else found

    async def is_believed() -> bool:
        return await after(world) != []

    return LiarCase(world.chain, alters("eth_call", change), is_believed)


async def guard_of_a_creation(at: LiarStage) -> LiarCase:
    """No other guard is stored for a creation of an earlier release."""
    world = await at.mail_world()
    _, legacy = await guarded(world)
    await forget_guards(world)
    assert legacy.guard is not None
    told, instead = legacy.guard[2:].lower(), OTHER[2:]

    def change(_: Json, logs: Any) -> Any:
        return [{**log, "data": log["data"].replace(told, instead)} for log in logs]

    async def is_believed() -> bool:
        return await world.index.find_guards([legacy.address]) == {legacy.address: OTHER}

    return LiarCase(world.chain, alters("eth_getLogs", change), is_believed)


# -- renewals and the relay -------------------------------------------------------------------------------


async def owners_count(at: LiarStage) -> LiarCase:
    """No timer is renewed because the owner is said to have sent more transactions."""
    world = RenewalWorld(await at.mail_world())
    world.legacy()
    await world.look()
    world.scenario.advance(IN_WINDOW)

    def silence(request: Json) -> Json | None:
        """Say what is final, and no count."""
        return SILENCE if request["method"] == COUNTS else None

    def change(request: Json, found: str) -> str:
        return hex(int(found, 16) + 5) if isinstance(request["params"][1], dict) else found

    async def is_believed() -> bool:
        try:
            return (await world.look()).sent > 0
        except ServiceError:
            return False

    return LiarCase(world.world.chain, alters(COUNTS, change), is_believed, silence)


async def final_block(at: LiarStage) -> LiarCase:
    """No timer is renewed because a new block is said to be final."""
    world = RenewalWorld(await at.mail_world())
    world.legacy()
    await world.look()
    world.scenario.advance(IN_WINDOW)
    assert (await world.look()).sent == 0
    world.transact()
    await world.world.index.run()
    newest = world.scenario.anvil.rpc("eth_getBlockByNumber", "latest", False)

    async def is_believed() -> bool:
        await world.world.sql("update worker.owner_activity set next_look = 0")  # as an hour later
        try:
            return (await world.renewer().run()).sent > 0
        except ServiceError:
            return False

    def change(request: Json, found: Any) -> Any:
        return newest if request["params"][0] == "finalized" else found

    return LiarCase(world.world.chain, alters("eth_getBlockByNumber", change), is_believed)


async def receipt(at: LiarStage, *, status: str) -> LiarCase:
    """No request ends and no gas is booked because of an invented receipt in a final block."""
    world = await at.relay_world()
    request = await world.admit(world.gift())
    world.drop(await world.attempts())
    block = world.anvil.rpc("eth_getBlockByNumber", "0x1", False)

    def change(asked: Json, _: Any) -> Any:
        return {
            "transactionHash": asked["params"][0],
            "blockNumber": block["number"],
            "blockHash": block["hash"],
            "status": status,
            "gasUsed": hex(10**6),
            "effectiveGasPrice": hex(10**9),
            "logs": [],
        }

    async def is_believed() -> bool:
        await world.run()
        is_open = await world.state(request) in ("broadcast", "mined")
        return not is_open or (await world.budget())["spent"] != 0

    return LiarCase(world.chain, alters("eth_getTransactionReceipt", change), is_believed)


def wallets_count(_: Json, found: str) -> str:
    return hex(99)


async def count_of_a_running_wallet(at: LiarStage) -> LiarCase:
    """No wallet stops because a stranger is said to have used its nonces."""
    world = await at.relay_world()
    await world.admit(world.gift())

    async def is_believed() -> bool:
        return (await world.run()).stopped is not None

    return LiarCase(world.chain, alters(COUNTS, wallets_count), is_believed)


async def count_of_a_starting_wallet(at: LiarStage, *, is_known: bool) -> LiarCase:
    """No wallet takes its first nonce from such an answer, and no known wallet stops when it starts."""
    world = await at.relay_world()
    if is_known:
        await world.admission.wallet.open(CHAIN_ID)

    async def is_believed() -> bool:
        world.restart()
        with suppress(ServiceError):
            await world.admission.wallet.open(CHAIN_ID)
        stopped = "stopped is not null" if is_known else "true"
        return await world.rows(f"select from worker.relay_wallet where {stopped}") != []

    return LiarCase(world.chain, alters(COUNTS, wallets_count), is_believed)


async def payment_by_another(at: LiarStage) -> LiarCase:
    """No request counts as done elsewhere because of an invented event with its receipt."""
    world = await at.relay_world()
    gift = world.gift()
    request = await world.admit(gift)
    world.drop(await world.attempts())
    world.cancel_nonce(gift.recipient)
    world.mine()
    deployment, contracts = world.scenario.deployment, world.scenario.contracts
    block = world.anvil.rpc("eth_getBlockByNumber", "latest", False)
    topics = [
        contracts["TimelockERC20"].event_topic("FundsWithdrawn"),
        f"0x{gift.id:064x}",
        "0x" + encode_address(gift.recipient.address).hex(),
    ]
    event = {
        "address": deployment.timelock_erc20, "topics": topics, "data": "0x", "blockNumber": block["number"],
        "blockHash": block["hash"], "transactionHash": FORGED, "logIndex": "0x0", "removed": False,
    }  # fmt: skip
    forged = {
        "transactionHash": FORGED, "blockNumber": block["number"], "blockHash": block["hash"], "status": "0x1",
        "gasUsed": hex(10**6), "effectiveGasPrice": hex(10**9), "logs": [event],
    }  # fmt: skip
    gives_receipt = alters("eth_getTransactionReceipt", lambda asked, it: forged if asked["params"] == [FORGED] else it)
    gives_event = alters("eth_getLogs", lambda _, found: [*found, event])

    def lie(asked: Json, response: Json) -> Json:
        return gives_event(asked, gives_receipt(asked, response))

    def silence(request: Json) -> Json | None:
        """Say nothing about the invented transaction."""
        return SILENCE if request["params"] == [FORGED] else None

    async def is_believed() -> bool:
        await world.run()
        world.finalize()
        await world.run()
        return await world.state(request) == "satisfied_elsewhere"

    return LiarCase(world.chain, lie, is_believed, silence)


async def call_of_a_stranger(at: LiarStage) -> LiarCase:
    """No transaction counts as a claim of other assets because its call is altered."""
    chain = await at.chain()
    giver = at.scenario.account("giver")
    router = at.scenario.deployment.time_lock_router.lower()
    at.scenario.create_gift(giver, giver.address, tokens=[(at.scenario.deployment.usdc, 10**6)], duration=DAY)
    (tx,) = at.scenario.anvil.rpc("eth_getBlockByNumber", "latest", False)["transactions"]
    altered = "0x" + "0d" * 36

    async def is_believed() -> bool:
        return await read_direct_calls(chain, router, [tx]) == {tx: bytes.fromhex(altered[2:])}

    return LiarCase(
        chain, alters("eth_getTransactionByHash", lambda _, found: {**found, "input": altered}), is_believed
    )


async def gas_of_a_call(at: LiarStage) -> LiarCase:
    """No call is sent with too little gas because its simulation is said to succeed."""
    chain = await at.chain()
    head = await chain.get_head()
    call = ContractCall(at.scenario.deployment.usdc, bytes.fromhex("deadbeef"))

    def succeeds(request: Json, response: Json) -> Json:
        asks = request["method"] == "eth_call" and "0xdeadbeef" in str(request["params"][0])
        return {"jsonrpc": "2.0", "id": request["id"], "result": "0x"} if asks else response

    async def is_believed() -> bool:
        return await chain.succeeds_at_each(call, at=head.hash, sender=call.to, gas=100_000)

    return LiarCase(chain, succeeds, is_believed)


# -- the watch --------------------------------------------------------------------------------------------


async def setter_past_the_queue(at: LiarStage) -> LiarCase:
    """No alert names a setter because a getter is said to have changed."""
    settings = upgrade_settings(at.scenario, RPC_URLS=at.nodes.urls)
    watched = upgrade_world(at.scenario, at.engine, await at.stack.enter_async_context(Chain(settings)))

    async def is_believed() -> bool:
        """A day later, with everything final."""
        async with at.engine.begin() as connection:
            await connection.execute(
                text("update worker.setter_value set compared_at = compared_at - interval '1 day'")
            )
        at.scenario.anvil.mine(3)
        try:
            await watched.catch_up()
        except ServiceError:
            return False
        return "past_queue" in watched.kinds()

    await watched.catch_up()
    await is_believed()  # the watched values of the scenario so far
    return LiarCase(
        watched.chain, exchanged(at.scenario.deployment.legacy_pull_vault[2:].lower(), OTHER[2:]), is_believed
    )


# -- statistics -------------------------------------------------------------------------------------------


async def snapshot_of_an_owner(at: LiarStage, told: str, instead: str, key: str) -> LiarCase:
    """No amount of a snapshot grows. `key`: what the lie changes of a token with 987,654 base units, 6 decimals."""
    chain, usdc = await at.chain(), at.scenario.deployment.usdc
    owner = at.scenario.account("owner")
    legacy = at.scenario.create_legacy(owner, {at.scenario.account("heir").address: 100})
    at.scenario.mint(usdc, owner.address, 987_654)
    at.scenario.approve(owner, usdc, legacy.address, 2**256 - 1)
    index = ChainIndex(at.engine, chain)
    folder = at.stack.enter_context(TemporaryDirectory())
    taken = StatisticsPass(at.engine, chain, LocalFiles(Path(folder)))

    async def is_believed() -> bool:
        """A day later: every owner is read."""
        async with at.engine.begin() as connection:
            await connection.execute(text("update worker.owner_holding set read_at = 0"))
        with suppress(ServiceError):
            await index.run()
            await taken.run()
        newest = await find_newest_snapshot(at.engine, chain.chain_id)
        shown = {} if newest is None else {each["token"]: each for each in newest.tokens}.get(usdc, {})
        return bool(shown) and (shown["amount"], shown["decimals"])[key == "decimals"] not in ("987654", 6)

    exchange, decimals = exchanged(told, instead), find_selector("ERC20", "decimals").hex()

    def lie(request: Json, response: Json) -> Json:
        return response if key == "decimals" and decimals not in str(request) else exchange(request, response)

    return LiarCase(chain, lie, is_believed)


amount_of_an_owner = partial(snapshot_of_an_owner, told="030f1206", instead="037f1206", key="amount")
decimals_of_a_token = partial(snapshot_of_an_owner, told=f"{6:064x}", instead=f"{9:064x}", key="decimals")


RULES: dict[str, Callable[[LiarStage], Awaitable[LiarCase]]] = {
    "a legacy is deleted": deleted_legacy,
    "a contract signs for the creator": creators_signature,
    "another person created the legacy": creator_of_a_legacy,
    "another person sealed the gift": giver_of_a_gift,
    "a contract signs for the giver": givers_signature,
    "a gift is claimed": partial(gifts_end, status=ENDED),
    "a gift is another person's": partial(gifts_end, status=LIVE, recipient=OTHER),
    "a gift is another person's and claimed": partial(gifts_end, status=ENDED, recipient=OTHER),
    "a gift ended that was another person's": partial(facts_of_an_ended_gift, was_confirmed=False),
    "a gift whose end was confirmed was another person's": partial(facts_of_an_ended_gift, was_confirmed=True),
    "a legacy was activated": activation,
    "a guard is lost": guard_of_a_safe,
    "a module is off": module_of_a_safe,
    "a legacy has another guard": guard_of_a_creation,
    "an owner was active": owners_count,
    "a block is final": final_block,
    "a transaction succeeded": partial(receipt, status="0x1"),
    "a transaction failed": partial(receipt, status="0x0"),
    "a running wallet was used elsewhere": count_of_a_running_wallet,
    "a new wallet was used before": partial(count_of_a_starting_wallet, is_known=False),
    "a known wallet was used elsewhere": partial(count_of_a_starting_wallet, is_known=True),
    "a gift was paid by another": payment_by_another,
    "a stranger called otherwise": call_of_a_stranger,
    "a call needs little gas": gas_of_a_call,
    "a setter was called past the queue": setter_past_the_queue,
    "an owner holds more": amount_of_an_owner,
    "a token has other decimals": decimals_of_a_token,
}
"""Cases by the claim of the liar."""


@pytest.mark.parametrize("rule", RULES)
async def test_one_lying_endpoint_changes_nothing_in_any_order(
    chain_scenario: Scenario, engine: AsyncEngine, rule: str
) -> None:
    """Two liars show that the lie reaches the rule."""
    async with two_endpoints(chain_scenario.anvil.url) as nodes, AsyncExitStack() as stack:
        case = await RULES[rule](LiarStage(stack, chain_scenario, engine, nodes))
        for order in nodes.each_order(case.lie, case.silence):
            assert not await case.try_once(), order
        nodes.first.alter = nodes.second.alter = case.lie
        assert await case.try_once()


# -- gifts of both endpoints ------------------------------------------------------------------------------


@pytest.fixture
async def nodes(chain_scenario: Scenario, engine: AsyncEngine) -> AsyncIterator[tuple[World, TwoEndpoints]]:
    """Registered gifts on one chain behind two endpoints."""
    async with two_endpoints(chain_scenario.anvil.url) as two, AsyncExitStack() as stack:
        yield await LiarStage(stack, chain_scenario, engine, two).gift_world(), two


async def test_a_gifts_email_that_lies_delayed_is_sent_after_them(nodes: tuple[World, TwoEndpoints]) -> None:
    world, two = nodes
    await unlocked_gift(world)
    heir = world.heir.address.lower()
    for _ in two.each_order(exchanged(gift_words(heir, LIVE), gift_words(heir, ENDED))):
        await world.tick()
    await world.stub.start()
    await world.tick()
    assert world.stub.told("gift_unlocked") == [NORMAL]


@pytest.mark.parametrize("timing", ["immediate", "none"])
async def test_a_withdrawal_that_is_taken_back_loses_no_email(nodes: tuple[World, TwoEndpoints], timing: str) -> None:
    """While a withdrawal is not final, its gift's emails wait and its row stays."""
    world, _ = nodes
    scenario = world.scenario
    id = world.seal()
    await world.register(id, timing=timing)
    if timing == "immediate":
        await world.tick()
    scenario.advance(30 * DAY + 1)
    before = scenario.anvil.snapshot()
    scenario.withdraw_gift(world.heir, id)
    await world.tick()
    assert (await world.states())["gift_unlocked"] == "released"
    assert await world.kept() == 1
    scenario.anvil.revert(before)
    await world.tick()
    assert world.stub.told("gift_unlocked") == [NORMAL]


async def test_a_withdrawal_that_is_final_at_two_endpoints_ends_the_emails(nodes: tuple[World, TwoEndpoints]) -> None:
    """A silent endpoint is waited for, whichever it is."""
    world, two = nodes
    id = world.seal()
    await world.register(id, timing="none")
    world.scenario.advance(30 * DAY + 1)
    world.scenario.withdraw_gift(world.heir, id)
    world.scenario.anvil.mine(2 * world.scenario.anvil.slots_in_an_epoch + 1)
    for silent in (two.first, two.second):
        silent.answer = says_nothing
        await world.tick()
        assert (await world.states(), await world.kept()) == ({"gift_unlocked": "released"}, 1)
        silent.well()
    await world.tick()
    assert (await world.states(), await world.kept()) == ({"gift_unlocked": "dropped"}, 0)
    assert world.stub.inbox == []
