"""The typed contracts and events against our contracts on a real node."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from devnet.scenarios import LegacyMode, Scenario
from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts.legacies import LegacyFacts, LegacyIdentity, LegacyMembers, LegacyReads
from reminder_worker.chain.contracts.premium import PremiumSetting, ReminderView, TokenWhiteList
from reminder_worker.chain.contracts.tokens import TokenMetadata, TokenReads
from reminder_worker.chain.events import TRANSFER_TOPIC, decode_log, decode_transfer, map_topics
from reminder_worker.chain.logs import LogFilter
from reminder_worker.chain.types import RevertedCall
from reminder_worker.errors import ChainUnavailable
from tests.integration.chain_proxy import chain_settings, proxy

DAY = 86400


@pytest.fixture
async def chain(chain_scenario: Scenario) -> AsyncIterator[Chain]:
    opened = Chain(chain_settings(chain_scenario, chain_scenario.anvil.url))
    yield opened
    await opened.close()


def person(scenario: Scenario, label: str) -> str:
    return scenario.account(label).address.lower()


async def head_hash(chain: Chain) -> str:
    block = await chain.get_block("latest")
    assert block is not None
    return block.hash


# -- legacies -------------------------------------------------------------------------------------


async def test_facts_of_a_legacy_match_the_chain(chain: Chain, chain_scenario: Scenario) -> None:
    owner = chain_scenario.account("owner")
    heir, second = person(chain_scenario, "heir"), person(chain_scenario, "second")
    legacy = chain_scenario.create_legacy(
        owner, {heir: 100}, inactivity=10 * DAY, second_line=second, delay2=DAY, name="For Ada"
    )
    (facts,) = await LegacyReads(chain).read_facts([legacy.address], at=await head_hash(chain))
    now = chain_scenario.anvil.now()
    assert facts == LegacyFacts(
        legacy=legacy.address,
        creator=owner.address.lower(),
        owner=owner.address.lower(),
        router=legacy.router,
        legacy_id=legacy.id,
        legacy_type=3,
        members=LegacyMembers(owner.address.lower(), owner.address.lower(), (heir,), second, None),
        is_live=True,
        triggers=(now + 10 * DAY, now + 11 * DAY, now + 11 * DAY),
        name="For Ada",
    )


async def test_a_safe_legacy_has_its_safe_as_owner(chain: Chain, chain_scenario: Scenario) -> None:
    creator = chain_scenario.account("owner")
    safe = chain_scenario.create_safe([creator])
    legacy = chain_scenario.create_safe_legacy(creator, safe, [person(chain_scenario, "heir")])
    assert await LegacyReads(chain).is_genuine(legacy.address) == LegacyIdentity(
        legacy.address, creator.address.lower(), safe.lower(), legacy.router, legacy.id, 1
    )


async def test_only_a_legacy_that_a_configured_router_maps_back_is_genuine(
    chain: Chain, chain_scenario: Scenario
) -> None:
    """Not: a fake that names the true router and a true id, a plain account, another contract, another router."""
    owner = chain_scenario.account("owner")
    true = chain_scenario.create_legacy(owner, {person(chain_scenario, "heir"): 100})
    attacker = chain_scenario.account("attacker")
    fake = chain_scenario.deploy_fake_legacy(attacker, true.id, [person(chain_scenario, "victim")])
    beyond = chain_scenario.deploy_fake_legacy(attacker, 10**6, [])
    asked = [fake.address, owner.address.lower(), true.address, chain_scenario.deployment.usdc, beyond.address]
    found = await LegacyReads(chain).read_identities(asked, at=await head_hash(chain))
    assert [one is not None for one in found] == [False, False, True, False, False]
    assert await LegacyReads(chain).is_genuine(fake.address) is None
    settings = chain.settings.model_copy(update={"transfer_eoa_legacy_router": "0x" + "77" * 20})
    elsewhere = Chain(settings)
    assert await LegacyReads(elsewhere).is_genuine(true.address) is None
    await elsewhere.close()


async def test_an_earlier_identity_of_a_legacy_proves_nothing(chain: Chain, chain_scenario: Scenario) -> None:
    """Neither the same, nor another's, nor one under a router that is none of ours: the answer is always today's."""
    owner = chain_scenario.account("owner")
    heirs = {person(chain_scenario, "heir"): 100}
    one, other = (chain_scenario.create_legacy(owner, heirs).address for _ in range(2))
    fake = chain_scenario.deploy_fake_legacy(owner, 1, []).address
    legacies = LegacyReads(chain)
    truth = {address: await legacies.is_genuine(address) for address in (one, other, fake)}
    known = [each for each in truth.values() if each is not None]
    assert len(known) == 2
    strange = [replace(known[0], router=person(chain_scenario, "nobody")), replace(known[0], legacy_id=10**6)]
    for likely in (*known, *strange):
        for address, expected in truth.items():
            assert await legacies.recognise(address, likely=likely, account=None) == (expected, None)


async def test_reads_are_of_the_block_that_was_named(chain: Chain, chain_scenario: Scenario) -> None:
    owner, heir, other = (person(chain_scenario, label) for label in ("owner", "heir", "other"))
    legacy = chain_scenario.create_legacy(chain_scenario.account("owner"), {heir: 100})
    before = await head_hash(chain)
    chain_scenario.edit_distribution(chain_scenario.account("owner"), legacy, {other: 100})
    after = await head_hash(chain)
    reads = [(await LegacyReads(chain).read_members([legacy.address], at=at))[0] for at in (before, after)]
    assert reads == [
        LegacyMembers(owner, owner, (heir,), None, None),
        LegacyMembers(owner, owner, (other,), None, None),
    ]


async def test_one_reverting_legacy_leaves_the_others_readable(chain: Chain, chain_scenario: Scenario) -> None:
    owner, heir = chain_scenario.account("owner"), {person(chain_scenario, "heir"): 100}
    bad, good = chain_scenario.create_reverting_legacy(owner, heir), chain_scenario.create_legacy(owner, heir)
    for mode in (LegacyMode.REVERTS, LegacyMode.BURNS_GAS):
        chain_scenario.set_mode(bad, mode)
        at = await head_hash(chain)
        asked = [bad.address, good.address]
        assert [one is None for one in await LegacyReads(chain).read_facts(asked, at=at)] == [True, False]
        assert [one is None for one in await LegacyReads(chain).read_triggers(asked, at=at)] == [True, False]
        assert [one is None for one in await LegacyReads(chain).read_members(asked, at=at)] == [True, False]


async def test_genuineness_that_cannot_be_read_is_unavailable_not_false(chain: Chain, chain_scenario: Scenario) -> None:
    async with proxy(chain_scenario.anvil.url) as endpoint:
        failing = Chain(chain_settings(chain_scenario, endpoint.url))
        await failing.endpoints.check_chain_ids()
        endpoint.answer = lambda request: {"error": {"code": -32603, "message": "internal error"}}
        with pytest.raises(ChainUnavailable):
            await LegacyReads(failing).is_genuine("0x" + "11" * 20)
        await failing.close()


# -- reminder view and premium --------------------------------------------------------------------


async def test_due_windows_are_those_of_the_view(chain: Chain, chain_scenario: Scenario) -> None:
    owner, heir = chain_scenario.account("owner"), person(chain_scenario, "heir")
    chain_scenario.subscribe_premium(owner)
    soon = chain_scenario.create_legacy(owner, {heir: 100}, inactivity=3 * DAY, second_line=heir, delay2=DAY)
    later = chain_scenario.create_legacy(owner, {heir: 100}, inactivity=90 * DAY)
    asked = [soon, later, soon]
    found = await ReminderView(chain).read_due_windows([one.address for one in asked], at=await head_hash(chain))
    assert found == [tuple(windows) for windows in chain_scenario.due_windows(asked)]
    assert found == [(2, 1), (), (2, 1)]
    assert await ReminderView(chain).read_due_windows([], at=await head_hash(chain)) == []
    assert await ReminderView(chain).read_default_notify_ahead(at=await head_hash(chain)) == 7 * DAY


async def test_a_reverting_legacy_makes_its_batch_a_value_to_halve(chain: Chain, chain_scenario: Scenario) -> None:
    owner, heir = chain_scenario.account("owner"), {person(chain_scenario, "heir"): 100}
    chain_scenario.subscribe_premium(owner)
    bad, good = chain_scenario.create_reverting_legacy(owner, heir), chain_scenario.create_legacy(owner, heir)
    for mode in (LegacyMode.REVERTS, LegacyMode.BURNS_GAS):
        chain_scenario.set_mode(bad, mode)
        view, at = ReminderView(chain), await head_hash(chain)
        assert isinstance(await view.read_due_windows([good.address, bad.address], at=at), RevertedCall)
        assert isinstance(await view.read_due_windows([bad.address], at=at), RevertedCall)
        assert await view.read_due_windows([good.address], at=at) == [()]


async def test_premium_and_times_ahead(chain: Chain, chain_scenario: Scenario) -> None:
    owner, nobody = chain_scenario.account("owner"), person(chain_scenario, "nobody")
    before = await head_hash(chain)
    chain_scenario.subscribe_premium(owner)
    chain_scenario.set_time_ahead(owner, 2 * DAY)
    premium = PremiumSetting(chain)
    assert await premium.is_premium(owner.address.lower()) is True
    assert await premium.is_premium(owner.address.lower(), at=before) is False
    assert await premium.is_premium(nobody) is False
    users = [nobody, owner.address.lower()]
    assert await premium.read_times_ahead(users, at=await head_hash(chain)) == [0, 2 * DAY]


async def test_a_configured_contract_that_is_not_there_is_unavailable_not_an_answer(
    chain: Chain, chain_scenario: Scenario
) -> None:
    nowhere = {"PREMIUM_SETTING": "0x" + "77" * 20, "PREMIUM_REMINDER_VIEW": "0x" + "77" * 20}
    nowhere |= {"TOKEN_WHITE_LIST": chain_scenario.deployment.usdc}
    wrong = Chain(chain_settings(chain_scenario, chain_scenario.anvil.url, **nowhere))
    at = await head_hash(chain)
    for asked in (
        PremiumSetting(wrong).is_premium("0x" + "11" * 20),
        ReminderView(wrong).read_due_windows(["0x" + "11" * 20], at=at),
        TokenWhiteList(wrong).read_tokens(),
    ):
        with pytest.raises(ChainUnavailable):
            await asked
    await wrong.close()


# -- tokens ---------------------------------------------------------------------------------------


async def test_token_metadata_is_shown_only_when_harmless(chain: Chain, chain_scenario: Scenario) -> None:
    it = chain_scenario.deployment
    asked = [it.usdc, it.bytes32_token, it.no_metadata_token, it.hostile_symbol_token, it.long_symbol_token]
    found = await TokenReads(chain).read_metadata([*asked, "0x" + "77" * 20])
    assert found == {
        it.usdc: TokenMetadata("USDC", 6),
        it.bytes32_token: TokenMetadata("OLD", 18),
        it.no_metadata_token: None,
        it.hostile_symbol_token: TokenMetadata(None, 18),
        it.long_symbol_token: None,  # 255 decimals
        "0x" + "77" * 20: None,
    }


# -- events ---------------------------------------------------------------------------------------


async def test_a_safe_legacys_events_carry_no_text(chain: Chain, chain_scenario: Scenario) -> None:
    creator = chain_scenario.account("owner")
    safe = chain_scenario.create_safe([creator])
    legacy = chain_scenario.create_safe_legacy(creator, safe, [person(chain_scenario, "heir")], name="secret name")
    router = chain.settings.multisig_legacy_router
    wanted = LogFilter(frozenset({router}), map_topics(chain.settings)[router])
    (log,), _ = await chain.logs.read_logs(wanted, 0, chain_scenario.anvil.block_number())
    event = decode_log(log)
    assert event.name == "MultisigLegacyCreated"
    assert event.args["legacyAddress"] == legacy.address
    assert event.args["creatorAddress"] == creator.address.lower()
    assert event.args["safeAddress"] == safe.lower()
    assert "secret" not in repr(event)


async def test_transfers_of_a_claim_give_each_recipients_amount(chain: Chain, chain_scenario: Scenario) -> None:
    user = person(chain_scenario, "a")
    chain_scenario.mint(chain_scenario.deployment.usdc, user, 7)
    head = chain_scenario.anvil.block_number()
    wanted = LogFilter(frozenset({chain_scenario.deployment.usdc}), frozenset({TRANSFER_TOPIC}))
    logs, _ = await chain.logs.read_logs(wanted, head, head)
    transfers = [decode_transfer(log) for log in logs]
    assert [(t.token, t.recipient, t.amount) for t in transfers if t] == [(chain_scenario.deployment.usdc, user, 7)]
