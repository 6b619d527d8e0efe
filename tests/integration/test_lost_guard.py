"""The owner of a Safe legacy is told once when its guard or its module is gone from the Safe.

Without its own guard the legacy sees no transaction of the Safe, so nobody is reminded. Without the module every claim
fails, and no email says that a claim is possible.
"""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass

import pytest
from eth_utils.crypto import keccak
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.chain import RevertedTransaction
from devnet.scenarios import DAY, Legacy, Scenario
from devnet.steps import NOBODY
from reminder_worker.chain.abi_codec import encode_address, encode_word
from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts.safes import SafeLegacy, SafeState, read_safes
from reminder_worker.chain.types import NODE_POLICY
from reminder_worker.indexer import chain_index
from reminder_worker.reminders import due_windows
from tests.integration.chain_proxy import Json, NodeProxy, proxy, refused
from tests.integration.mail_stub import MailFault, MailStub
from tests.integration.reminder_world import MailWorld, open_world, save_again_while_asked
from tests.integration.test_pruned_nodes import pruned

KIND, MODULE = "guard_removed", "module_disabled"
TOLD = [(KIND, "owner@example.org")]
READY = [("ready_to_activate", "anna@example.org"), ("ready_to_activate", "owner@example.org")]
MODULES_SLOT = 3
"""Where SafeStandIn stores its modules."""
Nodes = tuple[MailWorld, NodeProxy, NodeProxy]


@pytest.fixture
async def nodes(chain_scenario: Scenario, engine: AsyncEngine) -> AsyncIterator[Nodes]:
    """A worker with two endpoints, of which the first is asked first."""
    url = chain_scenario.anvil.url
    async with MailStub() as mail, proxy(url) as first, proxy(url) as second, AsyncExitStack() as stack:
        both = {"CHAIN_31337_RPC_URLS": f"{first.url},{second.url}"}
        yield (
            await stack.enter_async_context(open_world(engine, chain_scenario, mail, subgraph=None, **both)),
            first,
            second,
        )


async def guarded(
    world: MailWorld, *, premium_days: int = 900, inactivity_days: float = 800, installed: bool = True
) -> tuple[str, Legacy]:
    """Create a Safe and its legacy with stored emails; no other reminder is due for long."""
    owner, anna = world.account("owner"), world.address("anna")
    world.scenario.subscribe_premium(owner, premium_days * DAY)
    safe = world.scenario.create_safe([owner, world.account("ben")])
    period = int(inactivity_days * DAY)
    legacy = world.scenario.create_safe_legacy(owner, safe, [anna], inactivity=period, guarded=installed)
    world.scenario.configure_reminders(owner, legacy, [anna])
    await world.save(legacy, "owner", "anna")
    await world.tick()
    assert world.mail.inbox == []
    return safe, legacy


def remove_guard(world: MailWorld, safe: str) -> None:
    world.scenario.set_guard(world.account("owner"), safe, NOBODY)


def exchange_guard(world: MailWorld, safe: str) -> None:
    """The new guard sees every transaction of the Safe; the legacy sees none."""
    world.scenario.set_guard(world.account("owner"), safe, world.scenario.deploy("SafeGuard", safe))


def lose(world: MailWorld, safe: str, legacy: Legacy, kind: str) -> None:
    """Take away what an email of this kind is about."""
    if kind == KIND:
        remove_guard(world, safe)
    else:
        world.scenario.disable_module(world.account("owner"), safe, legacy)


def write_unseen(world: MailWorld, safe: str, place: bytes, word: bytes) -> None:
    """Write into the storage of the Safe. The guard does not see that, as with a call by another module."""
    world.scenario.anvil.rpc("anvil_setStorageAt", safe, "0x" + place.hex(), "0x" + word.hex())
    world.scenario.anvil.mine()


def set_guard_unseen(world: MailWorld, safe: str, guard: str | None) -> None:
    assert guard is not None
    write_unseen(world, safe, keccak(text="guard_manager.guard.address"), encode_address(guard))


def switch_module_unseen(world: MailWorld, safe: str, legacy: Legacy, *, on: bool) -> None:
    write_unseen(world, safe, keccak(encode_address(legacy.address) + encode_word(MODULES_SLOT)), encode_word(on))


async def after(world: MailWorld, days: float = 1) -> list[tuple[str, str]]:
    """Let days pass; return the emails of this tick."""
    world.mail.inbox.clear()
    world.scenario.advance(int(days * DAY))
    await world.days_pass(days)
    await world.tick()
    return sorted((email.template, email.to) for email in world.mail.inbox)


@pytest.mark.core
async def test_the_owner_alone_is_told_once_and_again_when_a_guard_set_anew_is_lost(world: MailWorld) -> None:
    safe, legacy = await guarded(world)
    assert await after(world) == []
    remove_guard(world, safe)
    assert await after(world) == TOLD
    assert await after(world) == []
    assert await after(world) == []
    world.scenario.install_guard(world.account("owner"), safe, legacy)
    assert await after(world) == []
    remove_guard(world, safe)
    assert await after(world) == TOLD
    assert not await world.dispatch.poll()


async def test_a_guard_set_again_before_it_is_sent_drops_the_email(world: MailWorld) -> None:
    safe, legacy = await guarded(world)
    remove_guard(world, safe)
    world.scenario.advance(DAY)
    await world.look_at_chain()
    world.scenario.install_guard(world.account("owner"), safe, legacy)
    report = await world.dispatch.run()
    assert (report.plan.guards, await world.states(KIND)) == (1, {"dropped:window_closed": 1})
    assert await after(world, 2) == []


async def test_a_guard_that_was_never_there_is_not_lost(world: MailWorld) -> None:
    safe, legacy = await guarded(world, installed=False)
    assert await after(world) == []
    world.scenario.install_guard(world.account("owner"), safe, legacy)
    assert await after(world) == []
    remove_guard(world, safe)
    assert await after(world) == TOLD


async def test_an_owner_without_premium_is_not_told(world: MailWorld) -> None:
    safe, _ = await guarded(world, premium_days=35)
    assert await after(world, 20) == [("premium_ending", "owner@example.org")]
    assert await after(world, 16) == [("premium_lapsed", "owner@example.org")]
    remove_guard(world, safe)
    assert await after(world) == []
    assert await world.states(KIND) == {}


@pytest.mark.parametrize(("days", "is_told"), [(6, True), (8, False)])
@pytest.mark.parametrize("kind", [KIND, MODULE])
async def test_what_was_lost_longer_than_a_week_before_premium_is_renewed_is_no_news(
    world: MailWorld, kind: str, days: int, is_told: bool
) -> None:
    safe, legacy = await guarded(world, premium_days=35)
    assert await after(world, 36) == [("premium_lapsed", "owner@example.org")]
    lose(world, safe, legacy, kind)
    assert await after(world) == []
    assert await after(world, days - 1) == []
    world.scenario.subscribe_premium(world.account("owner"), 400 * DAY)
    assert await after(world) == ([(kind, "owner@example.org")] if is_told else [])
    assert await world.states(kind) == ({"sent": 1} if is_told else {})


@pytest.mark.parametrize("kind", [KIND, MODULE])
async def test_an_owner_saved_again_while_a_warning_in_doubt_is_asked_about_is_told_after_all(
    world: MailWorld, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    safe, legacy = await guarded(world)
    lose(world, safe, legacy, kind)
    world.mail.fail(MailFault.DIES_BEFORE)
    assert await after(world) == []
    await save_again_while_asked(world, monkeypatch, legacy, "owner")
    assert await after(world, 1.1) == [(kind, "owner@example.org")]


async def test_premium_that_ends_before_it_is_sent_drops_the_email(world: MailWorld) -> None:
    safe, _ = await guarded(world)
    remove_guard(world, safe)
    world.scenario.advance(DAY)
    await world.look_at_chain()
    world.scenario.end_premium(world.account("owner").address)
    await world.dispatch.run()
    assert await world.states(KIND) == {"dropped:not_premium": 1}
    assert world.mail.inbox == []


async def test_of_a_days_hourly_looks_one_reads_the_guard(world: MailWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    await guarded(world, inactivity_days=7.5)
    read: list[SafeLegacy] = []

    async def count_and_read(chain: Chain, asked: Sequence[SafeLegacy], *, at: str) -> list[SafeState]:
        read.extend(asked)
        return await read_safes(chain, asked, at=at)

    monkeypatch.setattr(due_windows, "read_safes", count_and_read)
    asked = 0
    for _ in range(24):
        world.scenario.advance(3600)
        asked += (await world.look_at_chain()).asked
    assert (asked, len(read)) == (24, 1)


async def test_guard_and_module_of_many_safes_cost_one_request(proxied: tuple[MailWorld, NodeProxy]) -> None:
    world, node = proxied
    safe, legacy = await guarded(world)
    head = await world.chain.get_head()
    node.posts.clear()
    found = await read_safes(world.chain, [SafeLegacy(legacy.address, safe, legacy.guard)] * 200, at=head.hash)
    assert found == [SafeState(guarded=True, enabled=True)] * 200
    assert len(node.posts) == 1


# -- another guard in the place of the legacy's own -----------------------------------------------------


@pytest.mark.core
async def test_while_the_guard_is_another_nobody_is_reminded_and_the_owner_is_told_once(world: MailWorld) -> None:
    """Signers exchange it and use their Safe, which the legacy does not see. Then its own guard comes back."""
    safe, legacy = await guarded(world, inactivity_days=30)
    owner = world.account("owner")
    exchange_guard(world, safe)
    assert await after(world) == TOLD
    for _ in range(4):
        world.scenario.execute_from_safe(owner, safe, owner.address)
        assert await after(world, 6) == []
    assert world.scenario.due_windows([legacy]) == [[1]]
    assert await after(world, 6) == []
    assert world.scenario.due_windows([legacy]) == [[4]], "the chain lets the heir claim"
    assert await world.states("ready_to_activate") == {}
    world.scenario.install_guard(owner, safe, legacy)
    assert await after(world) == READY
    world.scenario.execute_from_safe(owner, safe, owner.address)
    assert world.scenario.due_windows([legacy]) == [[]]


async def test_a_guard_that_was_another_from_the_beginning_counts_as_none(world: MailWorld) -> None:
    safe, legacy = await guarded(world, inactivity_days=30, installed=False)
    exchange_guard(world, safe)
    assert await after(world, 31) == []
    assert world.scenario.due_windows([legacy]) == [[4]]
    world.scenario.install_guard(world.account("owner"), safe, legacy)
    assert await after(world) == READY


async def test_a_guard_exchanged_before_a_reminder_is_sent_drops_it_until_the_guard_is_back(world: MailWorld) -> None:
    safe, legacy = await guarded(world, inactivity_days=30)
    world.scenario.advance(25 * DAY)
    await world.look_at_chain()
    set_guard_unseen(world, safe, world.scenario.deploy("SafeGuard", safe))
    assert (await world.dispatch.run()).plan.windows == 1
    assert await world.states() == {"dropped:window_closed": 2}
    assert await after(world) == TOLD
    set_guard_unseen(world, safe, legacy.guard)
    assert await after(world) == [("before_activation", "anna@example.org"), ("before_activation", "owner@example.org")]


# -- the module -----------------------------------------------------------------------------------------


@pytest.mark.core
async def test_while_the_module_is_off_nobody_is_told_of_claims_and_the_owner_is_told_once(world: MailWorld) -> None:
    safe, legacy = await guarded(world, inactivity_days=30)
    owner, anna = world.account("owner"), world.account("anna")
    world.scenario.disable_module(owner, safe, legacy)
    assert await after(world) == [(MODULE, "owner@example.org")]
    assert await after(world) == []
    announced = [("before_activation", "anna@example.org"), ("before_activation", "owner@example.org")]
    assert await after(world, 23) == announced
    assert await after(world, 6) == []
    assert world.scenario.due_windows([legacy]) == [[4]]
    with pytest.raises(RevertedTransaction, match="GS104"):
        world.scenario.activate_safe_legacy(anna, legacy)
    assert await after(world) == []
    assert await world.states("ready_to_activate") == {}, "nor is it planned, to be dropped, with every tick"
    switch_module_unseen(world, safe, legacy, on=True)
    assert await after(world) == READY
    world.scenario.activate_safe_legacy(anna, legacy)
    assert ("activated_multisig", "anna@example.org") in await after(world)


async def test_a_module_switched_off_again_is_told_again_and_only_beside_the_guard(world: MailWorld) -> None:
    safe, legacy = await guarded(world)
    owner = world.account("owner")
    for _ in range(2):
        world.scenario.disable_module(owner, safe, legacy)
        assert await after(world) == [(MODULE, "owner@example.org")]
        world.scenario.enable_module(owner, safe, legacy)
        assert await after(world) == []
    world.scenario.disable_module(owner, safe, legacy)
    remove_guard(world, safe)
    assert await after(world) == TOLD
    world.scenario.install_guard(owner, safe, legacy)
    assert await after(world) == [(MODULE, "owner@example.org")]


async def test_a_module_switched_on_before_it_is_sent_drops_the_warning(world: MailWorld) -> None:
    safe, legacy = await guarded(world)
    world.scenario.disable_module(world.account("owner"), safe, legacy)
    world.scenario.advance(DAY)
    await world.look_at_chain()
    world.scenario.enable_module(world.account("owner"), safe, legacy)
    report = await world.dispatch.run()
    assert (report.plan.modules, await world.states(MODULE)) == (1, {"dropped:window_closed": 1})


async def test_a_module_switched_off_before_the_heirs_hear_drops_their_email_until_it_is_on(world: MailWorld) -> None:
    safe, legacy = await guarded(world, inactivity_days=30)
    world.scenario.advance(31 * DAY)
    await world.look_at_chain()
    switch_module_unseen(world, safe, legacy, on=False)
    await world.dispatch.run()
    assert await world.states() == {"dropped:window_closed": 2}
    assert await after(world) == [(MODULE, "owner@example.org")]
    switch_module_unseen(world, safe, legacy, on=True)
    assert await after(world) == READY


async def test_while_a_safe_does_not_answer_about_its_module_the_heirs_email_waits(world: MailWorld) -> None:
    safe, _ = await guarded(world, inactivity_days=30)
    world.scenario.advance(31 * DAY)
    await world.look_at_chain()
    anvil = world.scenario.anvil
    code = anvil.rpc("eth_getCode", safe, "latest")
    anvil.set_code(safe, code.replace("2d9ad53d", "00000000"))
    assert await after(world) == []
    assert await world.states() == {"released:legacy_not_readable": 2}
    anvil.set_code(safe, code)
    await world.hurry()
    assert await after(world) == READY


# -- what one endpoint says -----------------------------------------------------------------------------


@dataclass(frozen=True)
class FalseGuard:
    """Put another guard into an endpoint's answers to contract calls."""

    told: str
    instead: str

    def __call__(self, request: Json, response: Json) -> Json:
        if request["method"] != "eth_call" or not isinstance(response.get("result"), str):
            return response
        shown = response["result"].replace(self.told[2:].lower(), self.instead[2:].lower())
        return response | {"result": shown}


@pytest.mark.parametrize("place", ["first", "second"])
async def test_one_endpoint_alone_takes_no_guard_away(nodes: Nodes, place: str) -> None:
    """The email waits for the endpoint that is asked first, as a gift's does, and is sent once that one is well."""
    world, first, second = nodes
    liar = first if place == "first" else second
    _, legacy = await guarded(world, inactivity_days=30)
    world.scenario.advance(23 * DAY + DAY // 4)
    await world.look_at_chain()
    assert legacy.guard is not None
    liar.alter = FalseGuard(legacy.guard, "0x" + "0d" * 20)
    sent = await after(world)
    assert sent == [] or place == "second"
    assert await world.states() == ({"sent": 2} if sent else {"released:legacy_not_readable": 2})
    assert await after(world) == []
    liar.well()
    await world.hurry()
    sent += await after(world)
    assert [kind for kind, _ in sent] == ["before_activation"] * 2


@pytest.mark.one_order("a guard is there if the endpoint that is asked first says so")
@pytest.mark.parametrize("second_is", ["lying", "silent"])
async def test_a_lost_guard_is_told_once_two_endpoints_miss_it_and_nobody_is_told_of_claims_meanwhile(
    nodes: Nodes, second_is: str
) -> None:
    world, _, second = nodes
    safe, legacy = await guarded(world, inactivity_days=30)
    other = world.scenario.deploy("SafeGuard", safe)
    world.scenario.set_guard(world.account("owner"), safe, other)
    assert legacy.guard is not None
    if second_is == "lying":
        second.alter = FalseGuard(other, legacy.guard)
    else:
        second.answer = lambda request: refused("no") if request["method"] == "eth_call" else None
    assert await after(world, 31) == []
    assert await after(world) == []
    second.well()
    assert await after(world) == TOLD


# -- creations that an earlier release stored -------------------------------------------------------------


async def forget_guards(world: MailWorld) -> None:
    """Leave the events as the releases before stored them."""
    await world.sql("update worker.chain_event set data = data - 'guard'")


async def test_the_guard_of_a_creation_stored_without_it_is_read_once(proxied: tuple[MailWorld, NodeProxy]) -> None:
    world, node = proxied
    safe, legacy = await guarded(world)
    await forget_guards(world)
    assert await world.index.find_guards([legacy.address]) == {legacy.address: legacy.guard}
    asked = node.asked["eth_getLogs"]
    assert await world.index.find_guards([legacy.address]) == {legacy.address: legacy.guard}
    assert node.asked["eth_getLogs"] == asked
    exchange_guard(world, safe)
    assert await after(world) == TOLD


async def test_while_no_node_has_the_log_of_the_creation_any_guard_counts(proxied: tuple[MailWorld, NodeProxy]) -> None:
    world, node = proxied
    safe, _ = await guarded(world)
    ((block,),) = await world.sql("select block_number from worker.chain_event where name = 'MultisigLegacyCreated'")
    await forget_guards(world)

    def lacks_the_block(request: Json) -> Json | None:
        is_of_the_block = request["method"] == "eth_getLogs" and request["params"][0]["toBlock"] == hex(block)
        return refused("no such block") if is_of_the_block else None

    node.answer = lacks_the_block
    exchange_guard(world, safe)
    assert await after(world) == []
    node.well()
    assert await after(world) == TOLD


@dataclass(frozen=True)
class FalseCreation:
    """Put other addresses into an endpoint's logs."""

    instead: Mapping[str, str]

    def __call__(self, request: Json, response: Json) -> Json:
        if request["method"] != "eth_getLogs":
            return response
        shown = json.dumps(response)
        for told, other in self.instead.items():
            shown = shown.replace(told[2:].lower(), other[2:].lower())
        changed: Json = json.loads(shown)
        return changed


async def test_an_endpoint_cannot_replace_the_stored_guard_of_another_legacy(
    proxied: tuple[MailWorld, NodeProxy],
) -> None:
    world, node = proxied
    _, stored = await guarded(world)
    owner = world.account("owner")
    safe = world.scenario.create_safe([owner])
    lacking = world.scenario.create_safe_legacy(owner, safe, [world.address("anna")], inactivity=800 * DAY)
    await world.index.run()
    where = "where legacy = :legacy and name = 'MultisigLegacyCreated'"
    await world.sql(f"update worker.chain_event set data = data - 'guard' {where}", legacy=lacking.address)
    assert lacking.guard is not None
    node.alter = FalseCreation({lacking.address: stored.address, lacking.guard: "0x" + "0d" * 20})
    assert await world.index.find_guards([lacking.address]) == {}
    assert await world.index.find_guards([stored.address]) == {stored.address: stored.guard}


async def test_guards_whose_logs_are_pruned_keep_no_newer_guard_from_being_read(
    proxied: tuple[MailWorld, NodeProxy], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A block is asked about in one call. The oldest blocks are pruned first."""
    world, node = proxied
    _, old = await guarded(world)
    world.scenario.anvil.mine(10)
    kept_from = world.scenario.anvil.block_number()
    owner = world.account("owner")
    safe = world.scenario.create_safe([owner])
    new = world.scenario.create_safe_legacy(owner, safe, [world.address("anna")], inactivity=800 * DAY)
    world.scenario.anvil.mine(NODE_POLICY.kept_log_blocks + 10)
    await world.index.run()
    await forget_guards(world)
    node.alter = pruned(kept_from)
    monkeypatch.setattr(chain_index, "GUARDS_AT_ONCE", 1)
    both = [old.address, new.address]
    assert await world.index.find_guards(both) == {new.address: new.guard}
    monkeypatch.setattr(chain_index, "GUARDS_AT_ONCE", 50)
    assert await world.index.find_guards(both) == {new.address: new.guard}
    node.well()
    assert await world.index.find_guards(both) == {old.address: old.guard, new.address: new.guard}


async def test_no_older_block_is_asked_about_once_a_guards_logs_are_pruned(
    proxied: tuple[MailWorld, NodeProxy],
) -> None:
    world, node = proxied
    owner, legacies = world.account("owner"), []
    for _ in range(3):
        safe = world.scenario.create_safe([owner])
        heirs = [world.address("anna")]
        legacies.append(world.scenario.create_safe_legacy(owner, safe, heirs, inactivity=800 * DAY).address)
    world.scenario.anvil.mine(NODE_POLICY.kept_log_blocks + 10)
    await world.index.run()
    await forget_guards(world)
    node.alter = pruned(world.scenario.anvil.block_number())
    node.posts.clear()
    assert await world.index.find_guards(legacies) == {}
    asked = {request["params"][0]["toBlock"] for request in node.requests if request["method"] == "eth_getLogs"}
    assert len(asked) == 1
