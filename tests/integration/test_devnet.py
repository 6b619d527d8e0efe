"""The local chain keeps the promises of the deployed contracts that the service is built on."""

import pytest

from devnet.chain import RevertedTransaction
from devnet.deploy import STANDARD_PLAN, named_account
from devnet.scenarios import Legacy, Scenario
from devnet.steps import NOBODY
from reminder_worker.settings import ChainSettings

DAY = 24 * 3600
NOTIFIED = "LegacyEmailNotifyRequested"


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


def test_claims_pay_each_heir_its_own_share_and_signal_its_line(chain_scenario: Scenario) -> None:
    """60/40 of USDC and of USDT (which returns nothing), bounded by the allowance, whoever comes first."""
    scenario, legacy = chain_scenario, three_lines(chain_scenario)
    owner, heir, other = (scenario.account(label) for label in ("owner", "heir", "other heir"))
    tokens = [scenario.deployment.usdc, scenario.deployment.usdt]
    for token in tokens:
        scenario.mint(token, owner.address, 5_000)
        scenario.approve(owner, token, legacy.address, 1_000)
    with pytest.raises(RevertedTransaction, match="LegacyStillActive"):
        scenario.claim(heir, legacy, tokens)
    scenario.advance(101 * DAY)
    sent = scenario.claim(other, legacy, tokens, unswap=True)
    assert signals(scenario, sent) == [(1, 2)]
    assert scenario.events(sent, "TransferEOALegacyRouter", "TransferEOALegacyActivatedWithUnswap")
    assert signals(scenario, scenario.claim(other, legacy, tokens)) == [(1, 2)]
    scenario.claim(heir, legacy, tokens)
    for token in tokens:
        assert (scenario.balance(token, heir.address), scenario.balance(token, other.address)) == (600, 400)
    with pytest.raises(RevertedTransaction, match="OnlyBeneficaries"):
        scenario.claim(scenario.account("stranger"), legacy, tokens)
    with pytest.raises(RevertedTransaction, match="CannotClaim"):
        scenario.claim(scenario.account("second"), legacy, tokens)


def test_sponsored_claim_counts_once_and_only_as_signed(chain_scenario: Scenario) -> None:
    scenario, legacy = chain_scenario, three_lines(chain_scenario)
    heir, relayer, usdc = scenario.account("heir"), scenario.account("relayer"), scenario.deployment.usdc
    scenario.advance(101 * DAY)
    auth = scenario.claim_auth(heir, legacy.id, [usdc])
    with pytest.raises(RevertedTransaction, match="InvalidSponsorSignature"):
        scenario.claim_for(relayer, legacy, [usdc], auth, is_eth=True)
    sent = scenario.claim_for(relayer, legacy, [usdc], auth)
    assert signals(scenario, sent) == [(1, 2)]
    with pytest.raises(RevertedTransaction, match="InvalidSponsorNonce"):
        scenario.claim_for(relayer, legacy, [usdc], auth)
    with pytest.raises(RevertedTransaction, match="SponsorshipExpired"):
        scenario.claim_for(relayer, legacy, [], scenario.claim_auth(heir, legacy.id, [], deadline=1))
    scenario.disable_sponsored_claims(scenario.account("owner"), legacy)
    with pytest.raises(RevertedTransaction, match="SponsoredClaimsDisabled"):
        scenario.claim_for(relayer, legacy, [], scenario.claim_auth(heir, legacy.id, []))


def test_sponsored_check_in_is_the_owners_and_short_lived(chain_scenario: Scenario) -> None:
    scenario, legacy = chain_scenario, three_lines(chain_scenario)
    owner, relayer = scenario.account("owner"), scenario.account("relayer")
    too_far = scenario.check_in_auth(owner, legacy.id, deadline=scenario.anvil.now() + 2 * 3600)
    with pytest.raises(RevertedTransaction, match="CheckInDeadlineTooFar"):
        scenario.check_in_for(relayer, legacy, too_far)
    with pytest.raises(RevertedTransaction, match="OnlyOwner"):
        scenario.check_in_for(relayer, legacy, scenario.check_in_auth(relayer, legacy.id))
    auth = scenario.check_in_auth(owner, legacy.id)
    assert signals(scenario, scenario.check_in_for(relayer, legacy, auth)) == [(1, 0)]
    with pytest.raises(RevertedTransaction, match="InvalidSponsorNonce"):
        scenario.check_in_for(relayer, legacy, auth)


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
    scenario.disable_module(creator, safe, legacy)
    scenario.advance(11 * DAY)
    assert scenario.due_windows([legacy]) == [[4]]
    with pytest.raises(RevertedTransaction, match="GS104"):
        scenario.activate_safe_legacy(heir, legacy)
    scenario.enable_module(creator, safe, legacy)
    scenario.advance(11 * DAY)
    sent = scenario.activate_safe_legacy(heir, legacy)
    assert signals(scenario, sent) == [(1, 1)]
    assert scenario.read("SafeStandIn", safe, "isOwner", heir.address)
    assert scenario.read("MultisigLegacy", legacy.address, "getLegacyBeneficiaries")[0] == ()
    assert scenario.due_windows([legacy]) == [[]]


def test_premium_that_runs_cannot_be_extended_until_it_has_ended(chain_scenario: Scenario) -> None:
    """Neither paid in ether or USDC nor by the admin."""
    s, owner = chain_scenario, chain_scenario.account("owner")
    setting, registry, usdc = s.deployment.premium_setting, s.deployment.premium_registry, s.deployment.usdc
    s.mint(usdc, owner.address, 10**12)
    s.approve(owner, usdc, registry, 10**12)
    s.subscribe_premium(owner, 30 * DAY)
    end = s.read("PremiumSetting", setting, "premiumExpired", owner.address)
    s.anvil.set_time(end - DAY)
    for pay in (
        lambda: s.subscribe_premium(owner),
        lambda: s.write(owner, "PremiumRegistry", registry, "subscribeByUSDC", STANDARD_PLAN),
        lambda: s.write_as_deployer("PremiumSetting", setting, "addPremiumTime", owner.address, DAY),
    ):
        with pytest.raises(RevertedTransaction, match="AlreadyPremium"):
            pay()
    s.anvil.set_time(end + 1)
    s.write(owner, "PremiumRegistry", registry, "subscribeByUSDC", STANDARD_PLAN)
    assert s.read("PremiumSetting", setting, "isPremium", owner.address)


def test_auto_renew_keeps_its_bounds(chain_scenario: Scenario) -> None:
    scenario, legacy, owner = chain_scenario, three_lines(chain_scenario), chain_scenario.account("owner")
    with pytest.raises(RevertedTransaction, match="AutoRenewDisabled"):
        scenario.record_activity(legacy, 5)
    scenario.set_auto_renew(owner, legacy)
    with pytest.raises(RevertedTransaction, match="AutoRenewTooEarly"):
        scenario.record_activity(legacy, 5)
    for _ in range(4):
        scenario.advance(80 * DAY)
        sent = scenario.record_activity(legacy, scenario.anvil.block_number())
    assert signals(scenario, sent) == [(1, 0)]
    with pytest.raises(RevertedTransaction, match="StaleActivityNonce"):
        scenario.record_activity(legacy, 5)
    scenario.advance(80 * DAY)
    with pytest.raises(RevertedTransaction, match="AutoRenewNotPremium"):
        scenario.record_activity(legacy, 10**6)
    scenario.subscribe_premium(owner)
    with pytest.raises(RevertedTransaction, match="AutoRenewBudgetExhausted"):
        scenario.record_activity(legacy, 10**6)
    scenario.advance(30 * DAY)
    with pytest.raises(RevertedTransaction, match="AutoRenewTooLate"):
        scenario.record_activity(legacy, 10**6)


def test_gifts_of_both_lanes_reach_only_their_recipient(chain_scenario: Scenario) -> None:
    scenario, usdc = chain_scenario, chain_scenario.deployment.usdc
    giver, friend, relayer = (scenario.account(label) for label in ("giver", "friend", "relayer"))
    ether = scenario.create_gift(giver, friend.address, eth=10**18, duration=DAY)
    dollars = scenario.create_gift(giver, friend.address, tokens=[(usdc, 25_000_000)], duration=DAY)
    assert dollars == ether + 1
    with pytest.raises(RevertedTransaction, match="StillLocked"):
        scenario.withdraw_gift(friend, ether)
    scenario.advance(DAY)
    with pytest.raises(RevertedTransaction, match="NotAuthorized"):
        scenario.withdraw_gift(giver, ether)
    before = scenario.balance(None, friend.address)
    for gift in (ether, dollars):
        auth = scenario.withdraw_auth(friend, gift)
        scenario.withdraw_for(relayer, gift, auth)
        with pytest.raises(RevertedTransaction, match="InvalidSponsorNonce"):
            scenario.withdraw_for(relayer, gift, auth)
    assert scenario.balance(None, friend.address) - before == 10**18
    assert scenario.balance(usdc, friend.address) == 25_000_000
    details = scenario.read("TimelockERC20", scenario.deployment.timelock_erc20, "getTimelockDetails", ether)
    assert (details[0], details[7:10], details[11]) == ((), (False, 2, 3), "Gift")
    with pytest.raises(RevertedTransaction, match="TimelockNotLive"):
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
    with pytest.raises(RevertedTransaction, match="WrongPayment"):
        scenario.create_gift(giver, friend.address, eth=1, stored_as=scenario.deploy("TestERC20", "Junk", "JUNK", 18))


def test_the_deployments_environment_has_every_setting_a_chain_requires(chain_scenario: Scenario) -> None:
    environ = chain_scenario.deployment.settings_environ(31337, chain_scenario.anvil.url)
    fields = {item.alias: item.is_required() for item in ChainSettings.model_fields.values() if item.alias}
    given = {name.removeprefix("CHAIN_31337_") for name in environ}
    assert given <= fields.keys()
    assert {name for name, required in fields.items() if required} <= given


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
    with pytest.raises(RevertedTransaction):
        scenario.withdraw_for(relayer, gift, scenario.withdraw_auth(friend, gift, version="2"))
    scenario.become_version(it.time_lock_router, "2")
    for keeper in (it.time_lock_router, it.timelock_erc20, it.timelock_erc721, it.timelock_erc1155):
        with pytest.raises(RevertedTransaction, match="InvalidPayee"):
            scenario.withdraw_for(relayer, gift, scenario.withdraw_auth(friend, gift, pay_to=keeper))
    far = scenario.anvil.now() + 7 * DAY + 60
    with pytest.raises(RevertedTransaction):
        scenario.withdraw_for(relayer, gift, scenario.withdraw_auth(friend, gift, deadline=far))
    with pytest.raises(RevertedTransaction):
        scenario.withdraw_for(relayer, 999, scenario.withdraw_auth(friend, 999))
    with pytest.raises(RevertedTransaction):
        scenario.withdraw_for(relayer, gift, early)
    with pytest.raises(RevertedTransaction, match="InvalidSponsorSignature"):
        scenario.withdraw_for(relayer, gift, (early[0], NOBODY, *early[1:]))
    with pytest.raises(RevertedTransaction, match="NotAuthorized"):
        scenario.write(
            friend, "TimelockERC20", it.timelock_erc20, "withdrawTo", gift, friend.address, relayer.address, False
        )
    scenario.withdraw_for(relayer, gift, scenario.withdraw_auth(friend, gift))
