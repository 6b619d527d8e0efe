"""The local chain keeps the promises of the deployed contracts that the service is built on."""

import re
import tempfile
from pathlib import Path
from typing import Any

import pytest
from eth_account.signers.local import LocalAccount
from eth_utils.crypto import keccak

from devnet.chain import Anvil, ChainError, Reverted
from devnet.compile import load_contracts
from devnet.deploy import MULTICALL3, named_account
from devnet.hostile import Receiving, Signing, TokenMode
from devnet.scenarios import Legacy, Mode, Scenario
from devnet.steps import NOBODY
from reminder_worker.settings import ChainSettings

DAY = 24 * 3600
NOTIFIED = "LegacyEmailNotifyRequested"

# As the deployed contracts declare them.
PERSON = "(address,string,string)"
EVENTS = {
    "PremiumSetting": f"""
        LegacyEmailNotifyRequested(address,address,uint8,uint8)
        LegacyReminderUpdated(address,uint256,address,uint128,address[],address[],address,address)
        LegacyReminderUpdated(address,uint256,address,uint128,{PERSON}[],{PERSON}[],{PERSON},{PERSON})
        BeneficiariesEmailSync(address,uint256,address,uint128,address[])
        BeneficiariesEmailSync(address,uint256,address,uint128,{PERSON}[])
        SecondLineEmailReset(address,uint256,address,uint128)
        ThirdLineEmailReset(address,uint256,address,uint128)
        LegacyConfigReset(address,uint256,address,uint128)
        UserConfigUpdated(address,uint256)
        UserConfigUpdated(address,string,string,uint256)
        PremiumTimeUpdated(address,uint256)
        PremiumReset(address)""",
    "TransferEOALegacyRouter": """
        TransferEOALegacyCreatedV2(uint256,address,address,(address,uint256)[],(uint256,uint256,uint256),uint256)
        TransferEOALegacyTriggerUpdated(uint256,uint128,uint256)
        TransferEOALegacyConfigUpdated(uint256,(string,string,string[],(address,uint256)[]),(uint256,uint256,uint256),uint256)
        TransferEOALegacyLayer23DistributionUpdated(uint256,uint8,string,(address,uint256),uint256)
        TransferEOALegacyDistributionUpdated(uint256,string[],(address,uint256)[],uint256)
        TransferEOALegacyActivedAlive(uint256,uint256)
        TransferEOALegacyActivated(uint256,uint8,uint256)
        TransferEOALegacyActivatedWithUnswap(uint256,uint8,uint256)
        TransferEOALegacyDeleted(uint256,uint256)
        TransferEOALegacyAutoRenewSet(uint256,address,bool,uint256)
        TransferEOALegacyAutoRenewed(uint256,address,uint64,uint256)
        TransferEOALegacyClaimedFor(uint256,address,address,uint256)
        TransferEOALegacyCheckedInFor(uint256,address,address,uint256)""",
    "MultisigLegacyRouter": """
        MultisigLegacyCreated(uint256,address,address,address,address,(string,string,string[],address[]),(uint128,uint128),uint256)
        MultisigLegacyActivated(uint256,address[],uint256,bool,uint256)
        MultisigLegacyActivationTriggerUpdated(uint256,uint256,uint256)
        MultisigLegacyBeneficiariesUpdated(uint256,string[],address[],uint128,uint256)""",
    "TimelockERC20": """
        TimelockCreated(uint256,address,address,address[],uint256[],uint256,uint256,uint8,string)
        SoftTimelockUnlocked(uint256,uint256)
        FundsWithdrawn(uint256,address)
        ChangeStatus(uint256,uint8)""",
    "TimelockERC721": """
        TimelockCreated(uint256,address,address,address[],uint256[],uint256,uint256,uint8,string)
        TokensWithdrawn(uint256,address)""",
    "TimelockERC1155": """
        TimelockCreated(uint256,address,address,address[],uint256[],uint256[],uint256,uint256,uint8,string)
        FundsWithdrawn(uint256,address)""",
    "PremiumRegistry": "PlanSubcribed(address,uint256,string,uint256)",
}
INDEXED = {
    "LegacyEmailNotifyRequested": 2,
    "LegacyReminderUpdated": 1,
    "BeneficiariesEmailSync": 1,
    "TransferEOALegacyCreatedV2": 3,
    "TransferEOALegacyClaimedFor": 3,
    "TransferEOALegacyActivated": 1,
    "MultisigLegacyCreated": 0,
    "MultisigLegacyActivated": 0,
    "TimelockCreated": 3,
    "FundsWithdrawn": 2,
}


@pytest.mark.parametrize("contract", EVENTS)
def test_events_have_the_deployed_topics(contract: str) -> None:
    artifact = load_contracts()[contract]
    for signature in EVENTS[contract].split():
        name = re.split(r"\(", signature)[0]
        assert "0x" + keccak(text=signature).hex() in artifact.event_topics(name), name
        entry = next(item for item in artifact.abi if item["type"] == "event" and item["name"] == name)
        if name in INDEXED:
            assert sum(field["indexed"] for field in entry["inputs"]) == INDEXED[name], name


def three_lines(scenario: Scenario) -> Legacy:
    """Line 1 after 100 days, line 2 after 130, line 3 after 160, of a Premium owner."""
    owner = scenario.account("owner")
    scenario.subscribe_premium(owner)
    return scenario.create_legacy(
        owner,
        {scenario.account("heir").address: 60, scenario.account("other heir").address: 40},
        inactivity=100 * DAY,
        second_line=scenario.account("second").address,
        third_line=scenario.account("third").address,
    )


def signals(scenario: Scenario, transaction_hash: str) -> list[tuple[int, int]]:
    """(layer, type) of each notify signal of a transaction."""
    logs = scenario.events(transaction_hash, "PremiumSetting", NOTIFIED)
    return [(int(log["data"][2:66], 16), int(log["data"][66:], 16)) for log in logs]


def test_each_window_opens_exactly_at_its_second(chain_scenario: Scenario) -> None:
    """1 before line 1, 4 at t1, 2 before t2, 5 at t2, 3 before t3, 6 at t3."""
    legacy = three_lines(chain_scenario)
    triggers = chain_scenario.read("TransferEOALegacy", legacy.address, "getTriggerActivationTimestamp")
    t1, t2, t3 = triggers
    assert (t2 - t1, t3 - t2) == (30 * DAY, 30 * DAY)
    ahead = 7 * DAY
    for moment, before, after in (
        (t1 - ahead, [], [1]),
        (t1, [1], [4]),
        (t2 - ahead, [4], [2, 4]),
        (t2, [2, 4], [5]),
        (t3 - ahead, [5], [3, 5]),
        (t3, [3, 5], [6]),
    ):
        for timestamp, windows in ((moment - 1, before), (moment, after)):
            chain_scenario.anvil.set_time(timestamp)
            assert chain_scenario.due_windows([legacy]) == [windows]


def test_own_advance_notice_replaces_seven_days(chain_scenario: Scenario) -> None:
    legacy = three_lines(chain_scenario)
    chain_scenario.set_time_ahead(chain_scenario.account("owner"), 20 * DAY)
    chain_scenario.advance(79 * DAY)
    assert chain_scenario.due_windows([legacy]) == [[]]
    chain_scenario.advance(DAY)
    assert chain_scenario.due_windows([legacy]) == [[1]]


def test_no_window_without_premium_or_life(chain_scenario: Scenario) -> None:
    owner, legacy = chain_scenario.account("owner"), three_lines(chain_scenario)
    chain_scenario.advance(101 * DAY)
    assert chain_scenario.due_windows([legacy]) == [[4]]
    chain_scenario.end_premium(owner.address)
    assert chain_scenario.due_windows([legacy]) == [[]]
    chain_scenario.subscribe_premium_with_usdc(owner)
    assert chain_scenario.due_windows([legacy]) == [[4]]
    chain_scenario.delete_legacy(owner, legacy)
    assert chain_scenario.due_windows([legacy]) == [[]]


def test_premium_runs_out_by_itself(chain_scenario: Scenario) -> None:
    owner = chain_scenario.account("owner")
    chain_scenario.subscribe_premium(owner, seconds=10 * DAY)
    legacy = chain_scenario.create_legacy(owner, {chain_scenario.account("heir").address: 100}, inactivity=DAY)
    chain_scenario.advance(9 * DAY)
    assert chain_scenario.due_windows([legacy]) == [[4]]
    chain_scenario.advance(2 * DAY)
    assert chain_scenario.due_windows([legacy]) == [[]]


def test_one_reverting_legacy_fails_its_whole_batch_without_data(chain_scenario: Scenario) -> None:
    good = three_lines(chain_scenario)
    heirs: dict[str, int] = {chain_scenario.account("heir").address: 100}
    bad = chain_scenario.create_reverting_legacy(chain_scenario.account("owner"), heirs)
    assert chain_scenario.due_windows([good, bad]) == [[], []]
    assert chain_scenario.read("RevertingLegacy", bad.address, "getLegacyBeneficiaries")[0] == tuple(
        heir.lower() for heir in heirs
    )
    chain_scenario.set_mode(bad, Mode.REVERTS)
    with pytest.raises(Reverted) as failure:
        chain_scenario.due_windows([good, bad])
    assert failure.value.data == "0x"
    chain_scenario.set_mode(bad, Mode.BURNS_GAS)
    with pytest.raises(ChainError):
        chain_scenario.due_windows([good, bad])


def test_old_build_has_no_triggers_and_looks_ready(chain_scenario: Scenario) -> None:
    owner = chain_scenario.account("owner")
    chain_scenario.subscribe_premium(owner)
    old = chain_scenario.create_old_legacy(owner, {chain_scenario.account("heir").address: 100})
    assert chain_scenario.read("OldLegacy", old.address, "getTriggerActivationTimestamp") == (0, 0, 0)
    assert chain_scenario.due_windows([old]) == [[4]]


def test_registry_tells_a_genuine_legacy_from_a_fake_one(chain_scenario: Scenario) -> None:
    legacy = three_lines(chain_scenario)
    fake = chain_scenario.deploy_fake_legacy(chain_scenario.account("attacker"), legacy.id, [])
    assert chain_scenario.read("FakeLegacy", fake.address, "router") == legacy.router
    registered = chain_scenario.read("TransferEOALegacyRouter", legacy.router, "legacyAddresses", fake.id)
    assert registered == legacy.address != fake.address


def test_claims_pay_each_heir_its_own_share_and_signal_its_line(chain_scenario: Scenario) -> None:
    """60/40 of USDC and of USDT (which returns nothing), bounded by the allowance, whoever comes first."""
    scenario, legacy = chain_scenario, three_lines(chain_scenario)
    owner, heir, other = (scenario.account(label) for label in ("owner", "heir", "other heir"))
    tokens = [scenario.deployment.usdc, scenario.deployment.usdt]
    for token in tokens:
        scenario.mint(token, owner.address, 5_000)
        scenario.approve(owner, token, legacy.address, 1_000)
    with pytest.raises(Reverted, match="LegacyStillActive"):
        scenario.claim(heir, legacy, tokens)
    scenario.advance(101 * DAY)
    sent = scenario.claim(other, legacy, tokens, unswap=True)
    assert signals(scenario, sent) == [(1, 2)]
    assert scenario.events(sent, "TransferEOALegacyRouter", "TransferEOALegacyActivatedWithUnswap")
    assert signals(scenario, scenario.claim(other, legacy, tokens)) == [(1, 2)]
    scenario.claim(heir, legacy, tokens)
    for token in tokens:
        assert (scenario.balance(token, heir.address), scenario.balance(token, other.address)) == (600, 400)
    with pytest.raises(Reverted, match="OnlyBeneficaries"):
        scenario.claim(scenario.account("stranger"), legacy, tokens)
    with pytest.raises(Reverted, match="CannotClaim"):
        scenario.claim(scenario.account("second"), legacy, tokens)


def test_eth_of_the_legacy_is_claimed(chain_scenario: Scenario) -> None:
    legacy, second = three_lines(chain_scenario), chain_scenario.account("second")
    chain_scenario.send(chain_scenario.account("owner"), legacy.address, value=10**18)
    chain_scenario.advance(131 * DAY)
    before = chain_scenario.balance(None, second.address)
    chain_scenario.claim(second, legacy, is_eth=True)
    assert chain_scenario.balance(None, second.address) - before > 99 * 10**16
    assert chain_scenario.balance(None, legacy.address) == 0


def test_two_lines_claim_in_one_transaction(chain_scenario: Scenario) -> None:
    scenario, legacy = chain_scenario, three_lines(chain_scenario)
    scenario.advance(131 * DAY)
    heir, second = scenario.account("heir"), scenario.account("second")
    sent = scenario.claim_two_layers_in_one_transaction(heir, second, legacy)
    assert signals(scenario, sent) == [(1, 2), (2, 2)]


def test_a_claim_can_leave_no_beneficiary_on_chain(chain_scenario: Scenario) -> None:
    scenario, legacy = chain_scenario, three_lines(chain_scenario)
    scenario.set_empties_on_claim(scenario.account("owner"), legacy)
    scenario.advance(101 * DAY)
    sent = scenario.claim(scenario.account("heir"), legacy)
    members = scenario.read("TransferEOALegacy", legacy.address, "getLegacyBeneficiaries")
    assert members == ((), "0x" + "00" * 20, "0x" + "00" * 20)
    block = hex(int(scenario.anvil.receipt(sent)["blockNumber"], 16) - 1)
    parent = scenario.read("TransferEOALegacy", legacy.address, "getLegacyBeneficiaries", block=block)
    assert len(parent[0]) == 2


def test_check_in_moves_the_deadlines_and_signals_the_owner_reset(chain_scenario: Scenario) -> None:
    scenario, legacy = chain_scenario, three_lines(chain_scenario)
    scenario.advance(95 * DAY)
    assert scenario.due_windows([legacy]) == [[1]]
    sent = scenario.check_in(scenario.account("owner"), legacy)
    assert signals(scenario, sent) == [(1, 0)]
    assert scenario.due_windows([legacy]) == [[]]


def test_sponsored_claim_counts_once_and_only_as_signed(chain_scenario: Scenario) -> None:
    scenario, legacy = chain_scenario, three_lines(chain_scenario)
    heir, relayer, usdc = scenario.account("heir"), scenario.account("relayer"), scenario.deployment.usdc
    scenario.advance(101 * DAY)
    auth = scenario.claim_auth(heir, legacy.id, [usdc])
    with pytest.raises(Reverted, match="InvalidSponsorSignature"):
        scenario.claim_for(relayer, legacy, [usdc], auth, is_eth=True)
    sent = scenario.claim_for(relayer, legacy, [usdc], auth)
    assert signals(scenario, sent) == [(1, 2)]
    with pytest.raises(Reverted, match="InvalidSponsorNonce"):
        scenario.claim_for(relayer, legacy, [usdc], auth)
    with pytest.raises(Reverted, match="SponsorshipExpired"):
        scenario.claim_for(relayer, legacy, [], scenario.claim_auth(heir, legacy.id, [], deadline=1))
    scenario.disable_sponsored_claims(scenario.account("owner"), legacy)
    with pytest.raises(Reverted, match="SponsoredClaimsDisabled"):
        scenario.claim_for(relayer, legacy, [], scenario.claim_auth(heir, legacy.id, []))


def test_sponsored_check_in_is_the_owners_and_short_lived(chain_scenario: Scenario) -> None:
    scenario, legacy = chain_scenario, three_lines(chain_scenario)
    owner, relayer = scenario.account("owner"), scenario.account("relayer")
    too_far = scenario.check_in_auth(owner, legacy.id, deadline=scenario.anvil.now() + 2 * 3600)
    with pytest.raises(Reverted, match="CheckInDeadlineTooFar"):
        scenario.check_in_for(relayer, legacy, too_far)
    with pytest.raises(Reverted, match="OnlyOwner"):
        scenario.check_in_for(relayer, legacy, scenario.check_in_auth(relayer, legacy.id))
    auth = scenario.check_in_auth(owner, legacy.id)
    assert signals(scenario, scenario.check_in_for(relayer, legacy, auth)) == [(1, 0)]
    with pytest.raises(Reverted, match="InvalidSponsorNonce"):
        scenario.check_in_for(relayer, legacy, auth)


def test_contract_signers_count_by_erc1271_only(chain_scenario: Scenario) -> None:
    """A Safe and an EIP-7702 account are accepted; a delegate that refuses makes the account's own key worthless."""
    scenario, relayer = chain_scenario, chain_scenario.account("relayer")
    key, plain = scenario.account("safe key"), scenario.account("delegating")
    safe = scenario.create_safe([key])
    owner = scenario.account("owner")
    legacy = scenario.create_legacy(owner, {safe: 50, plain.address: 50}, inactivity=DAY)
    scenario.advance(2 * DAY)
    scenario.claim_for(relayer, legacy, [], scenario.claim_auth(key, legacy.id, [], on_behalf_of=safe))
    scenario.delegate_7702(plain)
    assert scenario.anvil.rpc("eth_getCode", plain.address, "latest").startswith("0xef0100")
    scenario.claim_for(relayer, legacy, [], scenario.claim_auth(plain, legacy.id, []))
    scenario.delegate_7702(plain, scenario.deployment.reverting_1271)
    with pytest.raises(Reverted, match="InvalidSponsorSignature"):
        scenario.claim_for(relayer, legacy, [], scenario.claim_auth(plain, legacy.id, []))


def test_edits_tell_the_configuration_only_when_synced(chain_scenario: Scenario) -> None:
    scenario, legacy = chain_scenario, three_lines(chain_scenario)
    owner, heir = scenario.account("owner"), scenario.account("heir").address
    scenario.configure_reminders(owner, legacy)
    unsynced = scenario.edit_distribution(owner, legacy, {heir: 100}, sync=False)
    assert not scenario.events(unsynced, "PremiumSetting", "BeneficiariesEmailSync")
    synced = scenario.edit_distribution(owner, legacy, {heir: 100})
    assert scenario.events(synced, "PremiumSetting", "BeneficiariesEmailSync")
    removed = scenario.edit_line(owner, legacy, 3, None)
    assert scenario.events(removed, "PremiumSetting", "ThirdLineEmailReset")
    deleted = scenario.delete_legacy(owner, legacy)
    assert scenario.events(deleted, "PremiumSetting", "LegacyConfigReset")


def test_safe_legacy_needs_its_guard_and_ends_with_its_activation(chain_scenario: Scenario) -> None:
    scenario, creator, heir = chain_scenario, chain_scenario.account("creator"), chain_scenario.account("heir")
    scenario.subscribe_premium(creator)
    safe = scenario.create_safe([creator])
    legacy = scenario.create_safe_legacy(creator, safe, [heir.address], inactivity=10 * DAY, guarded=False)
    scenario.advance(11 * DAY)
    assert scenario.due_windows([legacy]) == [[]]
    scenario.install_guard(creator, safe, legacy)
    assert scenario.due_windows([legacy]) == [[4]]
    scenario.execute_from_safe(creator, safe, creator.address)
    assert scenario.due_windows([legacy]) == [[]] or scenario.due_windows([legacy]) == [[1]]
    scenario.advance(11 * DAY)
    sent = scenario.activate_safe_legacy(heir, legacy)
    assert signals(scenario, sent) == [(1, 1)]
    assert scenario.read("SafeStandIn", safe, "isOwner", heir.address)
    assert scenario.read("MultisigLegacy", legacy.address, "getLegacyBeneficiaries")[0] == ()
    assert scenario.due_windows([legacy]) == [[]]


def test_auto_renew_keeps_its_bounds(chain_scenario: Scenario) -> None:
    scenario, legacy, owner = chain_scenario, three_lines(chain_scenario), chain_scenario.account("owner")
    with pytest.raises(Reverted, match="AutoRenewDisabled"):
        scenario.record_activity(legacy, 5)
    scenario.set_auto_renew(owner, legacy)
    with pytest.raises(Reverted, match="AutoRenewTooEarly"):
        scenario.record_activity(legacy, 5)
    for _ in range(4):
        scenario.advance(80 * DAY)
        sent = scenario.record_activity(legacy, scenario.anvil.block_number())
    assert signals(scenario, sent) == [(1, 0)]
    with pytest.raises(Reverted, match="StaleActivityNonce"):
        scenario.record_activity(legacy, 5)
    scenario.subscribe_premium(owner)
    scenario.advance(80 * DAY)
    with pytest.raises(Reverted, match="AutoRenewBudgetExhausted"):
        scenario.record_activity(legacy, 10**6)
    scenario.advance(30 * DAY)
    with pytest.raises(Reverted, match="AutoRenewTooLate"):
        scenario.record_activity(legacy, 10**6)


def test_gifts_of_both_lanes_reach_only_their_recipient(chain_scenario: Scenario) -> None:
    scenario, usdc = chain_scenario, chain_scenario.deployment.usdc
    giver, friend, relayer = (scenario.account(label) for label in ("giver", "friend", "relayer"))
    ether = scenario.create_gift(giver, friend.address, eth=10**18, duration=DAY)
    dollars = scenario.create_gift(giver, friend.address, tokens=[(usdc, 25_000_000)], duration=DAY)
    assert dollars == ether + 1
    with pytest.raises(Reverted, match="StillLocked"):
        scenario.withdraw_gift(friend, ether)
    scenario.advance(DAY)
    with pytest.raises(Reverted, match="NotAuthorized"):
        scenario.withdraw_gift(giver, ether)
    before = scenario.balance(None, friend.address)
    for gift in (ether, dollars):
        auth = scenario.withdraw_auth(friend, gift)
        scenario.withdraw_for(relayer, gift, auth)
        with pytest.raises(Reverted, match="InvalidSponsorNonce"):
            scenario.withdraw_for(relayer, gift, auth)
    assert scenario.balance(None, friend.address) - before == 10**18
    assert scenario.balance(usdc, friend.address) == 25_000_000
    details = scenario.read("TimelockERC20", scenario.deployment.timelock_erc20, "getTimelockDetails", ether)
    assert (details[0], details[7:10], details[11]) == ((), (False, 2, 3), "Gift")
    with pytest.raises(Reverted, match="TimelockNotLive"):
        scenario.withdraw_gift(friend, ether)
    scenario.withdraw_gift(friend, 999)


@pytest.mark.parametrize("skip_swap", [False, True])
def test_ether_may_be_kept_in_another_token_and_is_paid_out_as_ether(chain_scenario: Scenario, skip_swap: bool) -> None:
    scenario, it = chain_scenario, chain_scenario.deployment
    giver, friend = scenario.account("giver"), named_account("no ether yet")
    gift = scenario.create_gift(giver, friend.address, eth=10**18, stored_as=it.usdc, duration=0)
    details = scenario.read("TimelockERC20", it.timelock_erc20, "getTimelockDetails", gift)
    assert (details[0], details[1], details[7]) == ((it.usdc,), (2_500 * 10**6,), True)
    scenario.withdraw_for(giver, gift, scenario.withdraw_auth(friend, gift, skip_swap=skip_swap), skip_swap=skip_swap)
    found = scenario.balance(it.usdc, friend.address), scenario.balance(None, friend.address)
    assert found == ((2_500 * 10**6, 0) if skip_swap else (0, 10**18))
    assert scenario.read("TimelockERC20", it.timelock_erc20, "getTimelockDetails", gift)[7] is False
    with pytest.raises(Reverted, match="WrongPayment"):
        scenario.create_gift(giver, friend.address, eth=1, stored_as=scenario.deploy("TestERC20", "Junk", "JUNK", 18))


def test_soft_timelock_over_three_vaults(chain_scenario: Scenario) -> None:
    scenario, it, owner = chain_scenario, chain_scenario.deployment, chain_scenario.account("owner")
    lock = scenario.create_timelock(
        owner,
        owner.address,
        eth=5,
        tokens=[(it.usdt, 7)],
        erc721=[(it.erc721, 1)],
        erc1155=[(it.erc1155, 2, 3)],
        duration=0,
        soft=True,
        buffer=DAY,
    )
    with pytest.raises(Reverted, match="StillLocked"):
        scenario.withdraw_gift(owner, lock)
    scenario.unlock_soft_timelock(owner, lock)
    scenario.advance(DAY)
    scenario.withdraw_gift(owner, lock, skip_swap=True)
    assert [scenario.balance(token, owner.address) for token in (it.weth, it.usdt)] == [5, 7]
    assert scenario.read("TestERC721", it.erc721, "ownerOf", 1) == owner.address.lower()
    assert scenario.read("TestERC1155", it.erc1155, "balanceOf", owner.address, 2) == 3


def test_bulk_legacies_are_genuine_and_configured(chain_scenario: Scenario) -> None:
    scenario, owner = chain_scenario, chain_scenario.account("owner")
    scenario.subscribe_premium(owner)
    many = scenario.bulk_create(owner, 250, {scenario.account("heir").address: 100}, inactivity=DAY)
    assert len({legacy.address for legacy in many}) == 250
    router = many[0].router
    registered = scenario.read("TransferEOALegacyRouter", router, "legacyAddresses", many[-1].id)
    assert registered == many[-1].address
    assert scenario.due_windows(many) == [[1]] * 250


def test_the_deployments_environment_has_every_setting_a_chain_requires(chain_scenario: Scenario) -> None:
    environ = chain_scenario.deployment.settings_environ(31337, chain_scenario.anvil.url)
    fields = {item.alias: item.is_required() for item in ChainSettings.model_fields.values() if item.alias}
    given = {name.removeprefix("CHAIN_31337_") for name in environ}
    assert given <= fields.keys()
    assert {name for name, required in fields.items() if required} <= given


def test_multicall_isolates_a_reverting_read(chain_scenario: Scenario) -> None:
    view, owner = chain_scenario.deployment.premium_reminder_view, chain_scenario.account("owner")
    legacy = chain_scenario.create_reverting_legacy(owner, {owner.address: 100})
    chain_scenario.set_mode(legacy, Mode.REVERTS)
    ahead = bytes.fromhex(chain_scenario.contracts["PremiumReminderView"].encode("defaultNotifyAhead")[2:])
    reads = bytes.fromhex(chain_scenario.contracts["RevertingLegacy"].encode("getLegacyBeneficiaries")[2:])
    calls = [(legacy.address, True, reads), (view, True, ahead)]
    answers = chain_scenario.read("Multicall3", MULTICALL3, "aggregate3", calls)
    assert answers == ((False, b""), (True, (7 * DAY).to_bytes(32, "big")))


def test_the_chain_can_reorganise_and_goes_back_after_a_test(chain_scenario: Scenario) -> None:
    anvil, legacy = chain_scenario.anvil, three_lines(chain_scenario)
    before = anvil.snapshot()
    head = anvil.rpc("eth_getBlockByNumber", "latest", False)
    chain_scenario.check_in(chain_scenario.account("owner"), legacy)
    anvil.mine(2)
    anvil.reorg(3)
    topic = chain_scenario.contracts["PremiumSetting"].event_topic(NOTIFIED)
    assert anvil.rpc("eth_getLogs", {"fromBlock": head["number"], "topics": [topic]}) == []
    anvil.revert(before)
    assert anvil.rpc("eth_getBlockByNumber", "latest", False)["hash"] == head["hash"]


@pytest.mark.parametrize("transactions", [True, False])
def test_a_reorganisation_keeps_times_and_mines_transactions_in_other_blocks(
    chain_scenario: Scenario, transactions: bool
) -> None:
    anvil, legacy = chain_scenario.anvil, three_lines(chain_scenario)
    before = anvil.snapshot()
    anvil.mine(2)
    sent = chain_scenario.check_in(chain_scenario.account("owner"), legacy)
    chain_scenario.advance(30 * DAY)
    removed, head = anvil.rpc("eth_getTransactionReceipt", sent), anvil.rpc("eth_getBlockByNumber", "latest", False)
    anvil.remine(4, 2, transactions=transactions)
    assert anvil.now() == int(head["timestamp"], 16)
    assert anvil.block_number() == int(head["number"], 16) + 2
    assert anvil.rpc("eth_getBlockByNumber", head["number"], False)["hash"] != head["hash"]
    mined = anvil.rpc("eth_getTransactionReceipt", sent)
    if transactions:
        assert int(mined["blockNumber"], 16) == int(removed["blockNumber"], 16) + 2
        assert mined["blockHash"] != removed["blockHash"]
    else:
        assert mined is None
    anvil.revert(before)


def test_going_back_waits_for_what_is_being_mined(chain_scenario: Scenario) -> None:
    """Else its block lies on top of the snapshot with none beneath, for every test that follows."""
    anvil = chain_scenario.anvil
    sender = anvil.rpc("eth_accounts")[0]
    head = anvil.block_number()
    for _ in range(20):
        before = anvil.snapshot()
        anvil.mine(3)
        anvil.rpc("eth_sendTransaction", {"from": sender, "to": sender, "gas": hex(21_000)})
        anvil.revert(before)
        assert anvil.block_number() == head


def test_a_busy_port_is_a_clear_error(chain_scenario: Scenario) -> None:
    with pytest.raises(ChainError, match="is in use"):
        Anvil(port=chain_scenario.anvil.port).start()


def test_a_chain_that_stopped_leaves_no_states_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither where temporary files are nor in the home directory."""
    temporary, home = tmp_path / "temporary", tmp_path / "home"
    for directory in (temporary, home):
        directory.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setenv("HOME", str(home))
    with Anvil() as anvil:
        anvil.mine(600)  # more than it keeps in memory
        assert list(temporary.rglob("*.json"))
    assert not list(temporary.iterdir())
    assert not list(home.rglob("*.json"))


def test_a_vault_called_directly_pays_an_unlocked_gift_to_its_recipient_only(chain_scenario: Scenario) -> None:
    scenario, vault = chain_scenario, chain_scenario.deployment.timelock_erc20
    giver, friend, stranger = (scenario.account(label) for label in ("giver", "friend", "stranger"))
    gift = scenario.create_gift(giver, friend.address, tokens=[(scenario.deployment.usdc, 7)], duration=DAY)
    with pytest.raises(Reverted, match="StillLocked"):
        scenario.withdraw_from_vault(stranger, gift, friend.address)
    scenario.advance(DAY)
    with pytest.raises(Reverted, match="NotAuthorized"):
        scenario.withdraw_from_vault(stranger, gift, stranger.address)
    paid = scenario.withdraw_from_vault(stranger, gift, friend.address)
    assert scenario.events(paid, "TimelockERC20", "FundsWithdrawn")
    assert scenario.balance(scenario.deployment.usdc, friend.address) == 7
    with pytest.raises(Reverted, match="TimelockNotLive"):
        scenario.withdraw_for(stranger, gift, scenario.withdraw_auth(friend, gift))
    assert scenario.read("TimelockERC20", vault, "lockStatus", gift) == 3


def test_a_sponsored_withdrawal_of_an_unknown_id_spends_the_nonce_and_nothing_else(chain_scenario: Scenario) -> None:
    scenario, friend = chain_scenario, chain_scenario.account("friend")
    sent = scenario.withdraw_for(scenario.account("relayer"), 999, scenario.withdraw_auth(friend, 999))
    assert scenario.anvil.receipt(sent)["logs"] == []
    assert scenario.sponsor_nonce(scenario.deployment.time_lock_router, friend.address) == 1


@pytest.mark.parametrize("named", [False, True])
def test_a_router_of_version_2_pays_whom_the_recipient_names(chain_scenario: Scenario, named: bool) -> None:
    """And the recipient who names nobody; the vault tells of the recipient all the same."""
    scenario, it = chain_scenario, chain_scenario.deployment
    giver, friend, relayer = (scenario.account(label) for label in ("giver", "friend", "relayer"))
    exchange = scenario.account("exchange").address if named else NOBODY
    gift = scenario.create_timelock(
        giver,
        friend.address,
        tokens=[(it.usdc, 7)],
        erc721=[(it.erc721, 70)],
        erc1155=[(it.erc1155, 71, 3)],
        duration=0,
    )
    scenario.become_version(it.time_lock_router, "2")
    sent = scenario.withdraw_for(relayer, gift, scenario.withdraw_auth(friend, gift, pay_to=exchange))
    paid = exchange if named else friend.address
    assert scenario.balance(it.usdc, paid) == 7
    assert scenario.read("TestERC721", it.erc721, "ownerOf", 70) == paid.lower()
    assert scenario.read("TestERC1155", it.erc1155, "balanceOf", paid, 71) == 3
    (told,) = scenario.events(sent, "TimeLockRouter", "TimelockWithdrawnTo")
    (vaults,) = scenario.events(sent, "TimelockERC20", "FundsWithdrawn")[:1]
    assert [topic[-40:] for topic in told["topics"][2:]] == [friend.address[2:].lower(), paid[2:].lower()]
    assert vaults["topics"][2][-40:] == friend.address[2:].lower()


def test_what_a_router_of_version_2_refuses(chain_scenario: Scenario) -> None:
    """Its own address and the vaults' as destination, a deadline beyond seven days, an id that no vault has, what is
    signed for version 1, and version 1's call; and a vault sends nothing elsewhere but for the router."""
    scenario, it = chain_scenario, chain_scenario.deployment
    giver, friend, relayer = (scenario.account(label) for label in ("giver", "friend", "relayer"))
    gift = scenario.create_gift(giver, friend.address, tokens=[(it.usdc, 7)], duration=0)
    early = scenario.withdraw_auth(friend, gift)
    with pytest.raises(Reverted):
        scenario.withdraw_for(relayer, gift, scenario.withdraw_auth(friend, gift, version="2"))
    scenario.become_version(it.time_lock_router, "2")
    for keeper in (it.time_lock_router, it.timelock_erc20, it.timelock_erc721, it.timelock_erc1155):
        with pytest.raises(Reverted, match="InvalidPayee"):
            scenario.withdraw_for(relayer, gift, scenario.withdraw_auth(friend, gift, pay_to=keeper))
    far = scenario.anvil.now() + 7 * DAY + 60
    with pytest.raises(Reverted):
        scenario.withdraw_for(relayer, gift, scenario.withdraw_auth(friend, gift, deadline=far))
    with pytest.raises(Reverted):
        scenario.withdraw_for(relayer, 999, scenario.withdraw_auth(friend, 999))
    with pytest.raises(Reverted):
        scenario.withdraw_for(relayer, gift, early)
    with pytest.raises(Reverted, match="InvalidSponsorSignature"):
        scenario.withdraw_for(relayer, gift, (early[0], NOBODY, *early[1:]))
    with pytest.raises(Reverted, match="NotAuthorized"):
        scenario.write(
            friend, "TimelockERC20", it.timelock_erc20, "withdrawTo", gift, friend.address, relayer.address, False
        )
    scenario.withdraw_for(relayer, gift, scenario.withdraw_auth(friend, gift))


def test_only_the_attestor_renews(chain_scenario: Scenario) -> None:
    """And it is another account than the deployer."""
    scenario, legacy = chain_scenario, three_lines(chain_scenario)
    assert scenario.deployment.attestor == scenario.account("attestor").address.lower()
    with pytest.raises(Reverted, match="NotActivityAttestor"):
        scenario.write_as_deployer("TransferEOALegacyRouter", legacy.router, "recordActivity", legacy.id, 5)


def heirs_token(scenario: Scenario, mode: TokenMode) -> tuple[Legacy, str]:
    """A legacy that is open, whose owner's only asset is a hostile token."""
    owner, heir = scenario.account("owner"), scenario.account("heir")
    legacy, token = scenario.create_legacy(owner, {heir.address: 100}, inactivity=DAY), scenario.create_hostile_token()
    scenario.mint(token, owner.address, 100)
    scenario.approve(owner, token, legacy.address, 100)
    scenario.advance(2 * DAY)
    scenario.set_token_mode(token, mode)
    return legacy, token


def claim_hostile(scenario: Scenario, legacy: Legacy, token: str) -> dict[str, Any]:
    """Sent by the relayer with 900,000 gas whatever a simulation would say; its receipt."""
    arguments = (legacy.id, [token], False, scenario.claim_auth(scenario.account("heir"), legacy.id, [token]))
    data = scenario.contracts["TransferEOALegacyRouter"].encode("activeLegacyFor", *arguments)
    try:
        sent = scenario.send(scenario.account("relayer"), legacy.router, data, gas=900_000)
    except Reverted:
        sent = scenario.anvil.rpc("eth_getBlockByNumber", "latest", False)["transactions"][0]
    receipt: dict[str, Any] = scenario.anvil.rpc("eth_getTransactionReceipt", sent)
    return receipt


def test_a_hostile_token_takes_the_gas_it_is_given_and_no_more(chain_scenario: Scenario) -> None:
    """It burns, or returns what is no boolean: the claim reverts, and the nonce is not spent."""
    legacy, token = heirs_token(chain_scenario, TokenMode.BURNS_GAS)
    burnt = claim_hostile(chain_scenario, legacy, token)
    assert burnt["status"] == "0x0"
    assert 850_000 < int(burnt["gasUsed"], 16) <= 900_000
    chain_scenario.set_token_mode(token, TokenMode.RETURNS_NO_BOOLEAN)
    assert claim_hostile(chain_scenario, legacy, token)["status"] == "0x0"
    heir = chain_scenario.account("heir").address
    assert chain_scenario.sponsor_nonce(legacy.router, heir) == 0
    chain_scenario.set_token_mode(token, TokenMode.WELL)
    assert claim_hostile(chain_scenario, legacy, token)["status"] == "0x1"
    assert chain_scenario.balance(token, heir) == 100


def test_a_token_that_answers_at_length_is_dear_and_pays_nothing(chain_scenario: Scenario) -> None:
    legacy, token = heirs_token(chain_scenario, TokenMode.RETURNS_MUCH)
    dear = claim_hostile(chain_scenario, legacy, token)
    assert dear["status"] == "0x1"
    assert 500_000 < int(dear["gasUsed"], 16) <= 900_000
    assert chain_scenario.balance(token, chain_scenario.account("heir").address) == 0


def test_a_token_of_moods_refuses_in_odd_blocks_only(chain_scenario: Scenario) -> None:
    legacy, token = heirs_token(chain_scenario, TokenMode.REVERTS_IN_ODD_BLOCKS)
    for parity, status in ((1, "0x0"), (0, "0x1")):
        while (chain_scenario.anvil.block_number() + 1) % 2 != parity:
            chain_scenario.anvil.mine()
        assert claim_hostile(chain_scenario, legacy, token)["status"] == status


@pytest.mark.parametrize("sponsored", [True, False])
def test_a_token_that_calls_the_router_back_gets_nothing_by_it(chain_scenario: Scenario, sponsored: bool) -> None:
    """The authorization under way is spent already; a claim in the token's own name is nobody's."""
    legacy, token = heirs_token(chain_scenario, TokenMode.WELL)
    arguments: list[Any] = [legacy.id, [token], False]
    if sponsored:
        arguments.append(chain_scenario.claim_auth(chain_scenario.account("heir"), legacy.id, [token]))
    function = "activeLegacyFor" if sponsored else "activeLegacy"
    chain_scenario.call_back(token, "TransferEOALegacyRouter", legacy.router, function, *arguments)
    assert claim_hostile(chain_scenario, legacy, token)["status"] == "0x1"
    assert chain_scenario.entered(token) == 0
    assert chain_scenario.balance(token, chain_scenario.account("heir").address) == 100


def test_a_smart_wallet_signs_with_its_key_or_lies(chain_scenario: Scenario) -> None:
    """By turns honest, agreeing to anything, changing its mind after a block, reverting, burning."""
    scenario, relayer, key = chain_scenario, chain_scenario.account("relayer"), chain_scenario.account("key")
    wallet, stranger = scenario.create_hostile_wallet(key), scenario.account("stranger")
    legacy = scenario.create_legacy(scenario.account("owner"), {wallet: 100}, inactivity=DAY)
    scenario.advance(2 * DAY)

    def claim(signer: LocalAccount) -> str:
        auth = scenario.claim_auth(signer, legacy.id, [], on_behalf_of=wallet)
        return scenario.claim_for(relayer, legacy, [], auth)

    claim(key)
    with pytest.raises(Reverted, match="InvalidSponsorSignature"):
        claim(stranger)
    scenario.set_signing(wallet, Signing.ANYTHING)
    claim(stranger)
    scenario.set_signing(wallet, Signing.ANYTHING_UNTIL_BLOCK, until_block=scenario.anvil.block_number() + 2)
    claim(stranger)
    for signing in (Signing.ANYTHING_UNTIL_BLOCK, Signing.REVERTS, Signing.BURNS_GAS):
        if signing is not Signing.ANYTHING_UNTIL_BLOCK:
            scenario.set_signing(wallet, signing)
        with pytest.raises(Reverted, match="InvalidSponsorSignature"):
            claim(key)


def test_a_recipient_that_refuses_or_burns_eth_keeps_its_gift_locked_up(chain_scenario: Scenario) -> None:
    scenario, relayer, key = chain_scenario, chain_scenario.account("relayer"), chain_scenario.account("key")
    wallet = scenario.create_hostile_wallet(key)
    gift = scenario.create_gift(scenario.account("giver"), wallet, eth=10**18, duration=0)
    auth = scenario.withdraw_auth(key, gift, on_behalf_of=wallet)
    for receiving in (Receiving.REVERTS, Receiving.BURNS_GAS):
        scenario.set_receiving(wallet, receiving)
        with pytest.raises(Reverted):
            scenario.withdraw_for(relayer, gift, auth)
    scenario.call_back(wallet, "TimeLockRouter", scenario.deployment.time_lock_router, "withdrawFor", gift, False, auth)
    scenario.withdraw_for(relayer, gift, auth)
    assert scenario.entered(wallet) == 0
    assert scenario.balance(None, wallet) == 10**18
