"""Promises towards contracts that anybody may deploy: they cost a bounded look, and nobody else anything."""

import asyncio

from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, LegacyMode, Scenario
from reminder_worker.chain.client import Chain
from reminder_worker.reminders.horizon import read_open_windows
from tests.integration import api_world
from tests.integration.chain_proxy import Json, NodeProxy, chain_settings
from tests.integration.reminder_world import CHAIN_ID, MailWorld

"""What stands at an address: code that reverts, loops, is invalid, answers or reverts with much, or nothing."""
HOSTILE = {
    "reverts": "0x60006000fd",
    "burns all gas": "0x5b600056",
    "invalid": "0xfe",
    "answers with 950 KB": "0x620e7ef05ff3",
    "reverts with 950 KB": "0x620e7ef05ffd",
    "answers with 100 KB": "0x620186a05ff3",
    "reverts with 100 KB": "0x620186a05ffd",
    "answers with a word that is no address": "0x7f" + "ff" * 32 + "60005260206000f3",
    "answers half a word": "0x60106000f3",
    "calls itself": "0x600060006000600060003060005af1",
    "is gone": "0x",
}
POISON, GOOD = 132, 12


async def test_hundreds_of_poisoned_legacies_keep_no_reminder_of_others(world: MailWorld) -> None:
    """All become due in the same look, in the same batches as the others; the next look asks none of them."""
    scenario, anna = world.scenario, world.address("anna")
    owner = world.account("owner")
    scenario.subscribe_premium(owner)
    poison = scenario.bulk_create(owner, POISON, {anna: 100}, inactivity=DAY)
    good = scenario.bulk_create(owner, GOOD, {anna: 100}, inactivity=DAY)
    mixed = sorted([*poison, *good], key=lambda legacy: legacy.address)
    await world.sql(
        "insert into worker.watch (chain_id, legacy, creator, legacy_type)"
        " select :chain, legacy, :creator, 3 from unnest(cast(:legacies as text[])) as w(legacy)",
        chain=CHAIN_ID,
        creator=world.address("owner"),
        legacies=[legacy.address for legacy in mixed],
    )
    codes = list(HOSTILE.values())
    for number, legacy in enumerate(poison):
        scenario.anvil.set_code(legacy.address, codes[number % len(codes)])
    report = await world.look_at_chain()
    assert report.asked == POISON + GOOD
    opened = {row[0] for row in await world.sql("select distinct legacy from worker.due_window where state = 'open'")}
    assert opened == {legacy.address for legacy in good}
    assert report.reverting >= POISON // 2
    assert set(report.set_aside) <= {legacy.address for legacy in poison}
    assert (await world.due.run()).asked == 0, "what failed rests, what answered is not asked again"


class OnlyTogether(NodeProxy):
    """Answers for two batches, and for a part of one, only once it is asked for two at a time."""

    def __init__(self, scenario: Scenario, legacies: int) -> None:
        super().__init__(scenario.anvil.url)
        self._view = scenario.deployment.premium_reminder_view
        self._whole = 2 * (4 + 32 * (2 + legacies))
        self._batches, self._parts = asyncio.Barrier(2), set[str]()
        self._two = asyncio.Event()
        self._under_way = 0
        self.most = 0

    async def _one(self, request: Json) -> Json:
        call = request["params"][0] if request["method"] == "eth_call" else {}
        if call.get("to", "").lower() != self._view:
            return await super()._one(request)
        self._under_way += 1
        self.most = max(self.most, self._under_way)
        if len(call["data"]) - 2 < self._whole:
            self._parts.add(call["data"])
            if len(self._parts) > 1:
                self._two.set()
            await self._two.wait()
        else:
            await self._batches.wait()
        answer = await super()._one(request)
        self._under_way -= 1
        return answer


async def test_the_halves_of_a_batch_that_reverts_are_asked_about_together(chain_scenario: Scenario) -> None:
    """One after the other, a few hundred that revert would keep everybody's emails back for as long as they do. No more
    than so many over all batches: a provider that counts requests would refuse them all."""
    owner = chain_scenario.account("owner")
    anna: dict[str, int] = {chain_scenario.account("anna").address: 100}
    chain_scenario.subscribe_premium(owner)
    good = chain_scenario.bulk_create(owner, 3, anna, inactivity=DAY)
    bad = chain_scenario.create_reverting_legacy(owner, anna, inactivity=DAY)
    chain_scenario.set_mode(bad, LegacyMode.REVERTS)
    node = OnlyTogether(chain_scenario, 4)
    await node.start()
    async with Chain(chain_settings(chain_scenario, node.url, RPC_TIMEOUT=20)) as chain:
        head = await chain.get_head()
        places, batch = asyncio.Semaphore(2), [legacy.address for legacy in [*good, bad]]
        batches = await asyncio.gather(*(read_open_windows(chain, batch, head.hash, places) for _ in range(2)))
        assert [endpoint.errors for endpoint in chain.endpoints.list_health()] == [0], "it was not asked for two"
    await node.stop()
    assert [found.keys() for found in batches] == [{legacy.address for legacy in good}] * 2
    assert node.most == 2


async def test_a_fake_legacy_of_any_kind_is_refused_and_costs_the_next_one_nothing(
    chain_scenario: Scenario, engine: AsyncEngine
) -> None:
    """Whoever names an address of their own can neither be believed nor make us think that the node is ill."""
    async with api_world.open_world(chain_scenario, engine) as world:
        owner, attacker = world.owner(), world.owner("attacker")
        legacy = world.legacy(owner)
        chain = world.parts.chains[world.chain_id]
        for number, (what, code) in enumerate(HOSTILE.items()):
            address = f"0x{0xBAD0000 + number:040x}"
            chain_scenario.anvil.set_code(address, code)
            answer = await world.ingest(attacker, address, [api_world.person(1)])
            assert (answer.status, answer.code) == (403, "not_a_known_legacy"), (what, answer.body)
            assert [(endpoint.ok, endpoint.errors) for endpoint in chain.endpoints.list_health()] == [(True, 0)], what
            assert (await world.ingest(owner, legacy, [api_world.person(1)])).status == 200, what


async def test_a_set_is_not_shown_to_another_creator_whatever_the_node_says(
    chain_scenario: Scenario, engine: AsyncEngine
) -> None:
    """As from a node that lies: the attacker is told to be the creator of a genuine legacy."""
    async with api_world.open_world(chain_scenario, engine) as world:
        owner, attacker = world.owner(), world.owner("attacker")
        legacy = world.legacy(owner)
        assert (await world.ingest(owner, legacy, [api_world.person(1)])).status == 200
        assert len((await world.call(owner, "ReadRecipients", legacy)).body["recipients"]) == 1
        anvil = chain_scenario.anvil
        before = anvil.rpc("eth_getCode", legacy.address, "latest")
        fake = chain_scenario.deploy_fake_legacy(attacker, legacy.id, [])
        anvil.set_code(legacy.address, anvil.rpc("eth_getCode", fake.address, "latest"))
        lied = await world.call(attacker, "ReadRecipients", legacy)
        assert (lied.status, any(lied.body.values())) == (200, False)
        anvil.set_code(legacy.address, before)
        assert len((await world.call(owner, "ReadRecipients", legacy)).body["recipients"]) == 1
