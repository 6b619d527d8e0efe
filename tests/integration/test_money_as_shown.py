"""Money as people see it: failures at once, an id only for a good signature, the true reason of a refusal."""

from collections.abc import AsyncIterator
from typing import Any
from unittest.mock import AsyncMock

import pytest
from playwright.async_api import expect
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.hostile import HostileSigning, TokenMode
from devnet.scenarios import DAY, LegacyMode, Scenario
from reminder_worker.relay.factory import RELAYER
from reminder_worker.relay.models import RequestState
from tests.integration.api_world import ApiWorld
from tests.integration.gift_page_browser import PageVisitor
from tests.integration.gift_page_steps import PAPER, key_of, type_key
from tests.integration.gift_page_world import open_gift_world
from tests.integration.mail_stub import MailStub
from tests.integration.relay_world import open_bare_world
from tests.integration.reminder_world import open_world as open_reminder_world
from tests.integration.test_gift_page_endings import see_it_failed
from tests.integration.test_instructions import signed
from tests.integration.test_sponsor_api import (
    UNITS,
    SponsorScenario,
    check_in_body,
    claim_body,
    gas_of,
    pause,
    refused,
    relayed,
    relaying,
    sealed,
    withdraw_body,
)

__all__ = ["sealed"]

LANES = ("claim", "check-in", "gift-withdraw")


@pytest.fixture
async def world(chain_scenario: Scenario, engine: AsyncEngine) -> AsyncIterator[ApiWorld]:
    async with relaying(chain_scenario, engine) as opened:
        yield opened


# -- a repeat of a request --------------------------------------------------------------------------


def asked(world: ApiWorld, sealed: SponsorScenario, lane: str) -> tuple[dict[str, Any], str]:
    """Return a relayable request and a contract of its call."""
    if lane == "claim":
        return claim_body(world, sealed.legacy(), sealed.heir, [sealed.it.usdc]), sealed.it.usdc
    if lane == "check-in":
        world.scenario.subscribe_premium(sealed.owner)
        legacy = sealed.legacy(opened=False)
        return check_in_body(world, legacy, sealed.owner), legacy.address
    return withdraw_body(world, sealed.gift(), sealed.heir), sealed.it.usdc


def another_keys(world: ApiWorld, sealed: SponsorScenario, body: dict[str, Any]) -> str:
    """A signature of the right form, made by another key for another gift."""
    return str(withdraw_body(world, sealed.gift(), world.scenario.account("stranger"))["signature"])


async def test_public_fields_without_a_good_signature_tell_no_id(world: ApiWorld, sealed: SponsorScenario) -> None:
    """All fields but the signature are public once the transaction was sent."""
    for lane in LANES:
        path, (body, _) = f"/sponsor/{lane}", asked(world, sealed, lane)
        first, stranger = await relayed(world, path, body), another_keys(world, sealed, body)
        for state in ("as it is", "its signer is paused", "ended", "its router was upgraded"):
            if state == "its signer is paused":
                await pause(world, sealed.owner if lane == "check-in" else sealed.heir)
            elif state == "ended":
                await world.sql("delete from worker.quota where scope = 'relay_paused'")
                await world.sql("update worker.relay_request set state = 'confirmed', call_data = null, salt = null")
            elif state == "its router was upgraded" and lane == "gift-withdraw":
                sealed.become("2")
            for signature in ("0x", stranger):
                answer = await world.post(path, body | {"signature": signature})
                assert answer.status != 202, (lane, state)
                assert first.body["id"] not in str(answer.body)
            again = await world.post(path, body)
            assert (again.status, again.body["id"]) == (202, first.body["id"]), (lane, state)


async def test_the_stored_signature_of_a_smart_wallet_is_a_repeat_also_when_the_wallet_changed(
    world: ApiWorld, sealed: SponsorScenario
) -> None:
    """Another signature is answered by the wallet as it is now."""
    wallet = world.scenario.create_hostile_wallet(sealed.heir)
    body = withdraw_body(world, sealed.gift(recipient=wallet), sealed.heir, on_behalf_of=wallet)
    first = await relayed(world, "/sponsor/gift-withdraw", body)
    world.scenario.set_signing(wallet, HostileSigning.REVERTS)
    again = await world.post("/sponsor/gift-withdraw", body)
    assert (again.status, again.body["id"]) == (202, first.body["id"])
    other = body | {"signature": body["signature"] + "00"}
    assert (await world.post("/sponsor/gift-withdraw", other)).code == "signer_mismatch"


# -- a transaction that failed ----------------------------------------------------------------------

REVERTS = "0x60006000fd"  # code of a contract that refuses every call


async def follow(world: ApiWorld) -> None:
    """Let the relay look once at what it sent."""
    await world.sql("update worker.tx_attempt set broadcast_at = broadcast_at - interval '15 s'")
    await world.parts.relaying.reconcilers[RELAYER].run(world.chain_id)


@pytest.mark.parametrize("lane", LANES)
async def test_a_failed_transaction_is_said_to_have_failed_before_it_is_final(
    world: ApiWorld, sealed: SponsorScenario, lane: str
) -> None:
    body, needed = asked(world, sealed, lane)
    anvil = world.scenario.anvil
    anvil.rpc("evm_setAutomine", False)
    try:
        id = (await world.post(f"/sponsor/{lane}", body)).body["id"]
        anvil.set_code(needed, REVERTS)
        anvil.mine()
        await follow(world)
        told = (await world.request("GET", f"/sponsor/requests/{id}")).body
        assert (told["status"], told["error"]["code"]) == ("mined", "failed_on_chain")
        assert "failed on chain" in told["error"]["detail"]
        assert "not final yet" in told["error"]["detail"]
        anvil.mine(65)
        await follow(world)
        told = (await world.request("GET", f"/sponsor/requests/{id}")).body
        assert (told["status"], told["error"]["code"]) == ("reverted", "failed_on_chain")
        assert "being made final" not in told["error"]["detail"]
    finally:
        anvil.rpc("evm_setAutomine", True)


async def test_a_failure_that_a_reorganisation_took_back_is_shown_no_more(
    lasting_scenario: Scenario, engine: AsyncEngine
) -> None:
    """The same transaction succeeds in the block that stays."""
    async with open_bare_world(lasting_scenario, engine) as world:
        gift, anvil = world.gift(), lasting_scenario.anvil
        request = await world.admit(gift)
        usdc = lasting_scenario.deployment.usdc
        code = anvil.rpc("eth_getCode", usdc, "latest")
        anvil.set_code(usdc, REVERTS)
        world.mine()
        await world.run()
        view = await world.admission.read_request(request.id)
        assert view is not None
        assert (view.state, view.reason) == (RequestState.MINED, "failed_on_chain")
        anvil.reorg(1)
        anvil.set_code(usdc, code)
        world.drop(await world.attempts())
        await world.run()
        view = await world.admission.read_request(request.id)
        assert view is not None
        assert (view.state, view.reason) == (RequestState.BROADCAST, None)
        await world.settle()
        view = await world.admission.read_request(request.id)
        assert view is not None
        assert (view.state, view.reason) == (RequestState.CONFIRMED, None)


@pytest.mark.asyncio(loop_scope="session")
async def test_the_gift_page_says_at_once_that_the_transaction_failed(
    chain_scenario: Scenario, engine: AsyncEngine, visitor: PageVisitor
) -> None:
    """It never says that the gift has arrived."""
    anvil, page = chain_scenario.anvil, visitor.page
    async with open_gift_world(chain_scenario, engine) as world:
        world.following.clear()
        gift = await world.seal(world.person("ada"), marks=PAPER)
        anvil.rpc("evm_setAutomine", False)
        await page.goto(gift.url)
        await type_key(page, key_of(gift.recipient))
        await expect(page.get_by_role("status").filter(has_text="It is on its way")).to_be_visible()
        anvil.set_code(chain_scenario.deployment.usdc, REVERTS)
        anvil.mine()
        await follow(world.api)
        status = page.get_by_role("status").filter(has_text="final")
        await expect(status).to_contain_text("The network refused the transaction")
        anvil.mine(65)
        await follow(world.api)
        await see_it_failed(page, "The network refused the transaction. Nothing was moved")
        anvil.rpc("evm_setAutomine", True)


# -- a trigger that no clock reaches ----------------------------------------------------------------

LARGEST = 2**256 - 1
TRIGGERS = ("the inactivity overflows", "a later line's delay overflows", "the first trigger is the largest number")


def terms_of(scenario: Scenario, trigger: str) -> dict[str, Any]:
    """Terms of a legacy that the next block creates."""
    if trigger == TRIGGERS[0]:
        return {"inactivity": LARGEST}
    if trigger == TRIGGERS[1]:
        lines = {"second_line": scenario.account("clara").address, "third_line": scenario.account("dan").address}
        return lines | {"delay3": LARGEST}
    now = scenario.anvil.now() + 1
    scenario.anvil.rpc("evm_setNextBlockTimestamp", now)
    return {"inactivity": LARGEST - now}


async def test_a_legacy_that_never_opens_is_refused_a_claim_and_checked_in_as_its_contract_does(
    world: ApiWorld, sealed: SponsorScenario
) -> None:
    """The contract computes the triggers in a check-in and fails with the first two."""
    world.scenario.subscribe_premium(sealed.owner)
    for trigger in TRIGGERS:
        legacy = sealed.legacy(opened=False, **terms_of(world.scenario, trigger))
        claim = claim_body(world, legacy, sealed.heir, [sealed.it.usdc])
        detail = (await refused(world, "/sponsor/claim", claim, 422, "legacy_still_active")).body["detail"]
        assert detail == "The legacy opens for this account after the year 9999."
        answer = await world.post("/sponsor/check-in", check_in_body(world, legacy, sealed.owner))
        expected = (202, None) if trigger == TRIGGERS[2] else (422, "would_fail")
        assert (answer.status, answer.body.get("code")) == expected, trigger


async def test_a_legacy_that_cannot_be_read_is_not_called_unknown_to_the_router(
    world: ApiWorld, sealed: SponsorScenario
) -> None:
    legacy = world.scenario.create_reverting_legacy(sealed.owner, {sealed.heir.address: 100})
    world.scenario.set_mode(legacy, LegacyMode.REVERTS)
    body = claim_body(world, legacy, sealed.heir, [sealed.it.usdc])
    detail = (await refused(world, "/sponsor/claim", body, 403, "not_a_known_legacy")).body["detail"]
    assert detail == "The contract with this id does not answer as a legacy does."


@pytest.mark.parametrize("trigger", TRIGGERS)
async def test_instructions_of_a_legacy_that_never_opens_are_sent(
    chain_scenario: Scenario, engine: AsyncEngine, trigger: str
) -> None:
    async with MailStub() as mail, open_reminder_world(engine, chain_scenario, mail) as world:
        owner, heirs = world.account("owner"), {world.address("anna"): 60, world.address("ben"): 40}
        legacy = chain_scenario.create_legacy(owner, heirs, **terms_of(chain_scenario, trigger))
        chain_scenario.subscribe_premium(owner)
        chain_scenario.configure_reminders(owner, legacy)
        await world.save(legacy, "owner", "anna", "ben")
        await world.index.run()
        assert await world.instructions.queue_instructions(signed(owner, legacy)) == 3
        await world.dispatch.run()
        assert await world.states("instructions") == {"sent": 3}


# -- the gas of a large family ----------------------------------------------------------------------

MOST_GAS = 4_000_000  # of RELAY_CLAIM_GAS: what the day's cap pays for at the ceiling of the gas price


@pytest.mark.parametrize(
    ("heirs", "tokens", "is_eth", "is_simulated"), [(24, 1, False, True), (32, 1, True, False), (32, 2, False, True)]
)
async def test_a_claim_has_the_gas_that_its_family_needs(
    world: ApiWorld,
    sealed: SponsorScenario,
    monkeypatch: pytest.MonkeyPatch,
    heirs: int,
    tokens: int,
    is_eth: bool,
    is_simulated: bool,
) -> None:
    if not is_simulated:  # as on a node without eth_simulateV1
        monkeypatch.setattr(world.parts.chains[world.chain_id], "simulate", AsyncMock(return_value=None))
    cousins: dict[str, int] = {world.scenario.account(f"cousin {number}").address: 1 for number in range(heirs - 1)}
    legacy = world.scenario.create_legacy(sealed.owner, cousins | {sealed.heir.address: 101 - heirs})
    named = [sealed.it.usdc, sealed.it.dai][:tokens]
    for token in named:
        world.scenario.mint(token, sealed.owner.address, UNITS)
        world.scenario.approve(sealed.owner, token, legacy.address, UNITS)
    if is_eth:
        world.scenario.anvil.set_balance(legacy.address, 10**18)
    world.scenario.advance(181 * DAY)
    answer = await relayed(world, "/sponsor/claim", claim_body(world, legacy, sealed.heir, named, is_eth=is_eth))
    (row,) = await world.sql("select gas_limit from worker.relay_request")
    assert row.gas_limit == MOST_GAS
    limit, used = gas_of(world, answer)
    assert used < limit <= (2.5 * used if is_simulated else MOST_GAS)
    for token in named:
        assert world.scenario.balance(token, sealed.heir.address) == UNITS * (101 - heirs) // 100


# -- dearer storage ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("heirs", "tokens"), [(1, 10), (5, 2), (32, 1)])
async def test_claims_of_many_payments_are_relayed_when_a_new_slot_costs_80000_more(
    world: ApiWorld, sealed: SponsorScenario, heirs: int, tokens: int
) -> None:
    """As EIP-8037 prices created state. The gas is of the simulation, within the lane's most."""
    cousins: dict[str, int] = {world.scenario.account(f"cousin {number}").address: 1 for number in range(heirs - 1)}
    legacy = world.scenario.create_legacy(sealed.owner, cousins | {sealed.heir.address: 101 - heirs})
    named = [world.scenario.create_hostile_token(TokenMode.PAYS_FOR_NEW_SLOTS) for _ in range(tokens)]
    for token in named:
        world.scenario.mint(token, sealed.owner.address, UNITS)
        world.scenario.approve(sealed.owner, token, legacy.address, UNITS)
    world.scenario.advance(181 * DAY)
    answer = await relayed(world, "/sponsor/claim", claim_body(world, legacy, sealed.heir, named))
    limit, used = gas_of(world, answer)
    assert heirs * tokens * 110_000 < used < limit <= MOST_GAS
    (slot,) = await world.sql("select gas_limit from worker.nonce_slot")
    assert slot.gas_limit == limit
    for token in named:
        assert world.scenario.balance(token, sealed.heir.address) == UNITS * (101 - heirs) // 100


async def test_a_claim_that_the_days_cap_does_not_pay_for_is_refused_however_much_gas_it_needs(
    chain_scenario: Scenario, engine: AsyncEngine, sealed: SponsorScenario
) -> None:
    """The gas comes from the simulation; the day's wei bound it."""
    token = chain_scenario.create_hostile_token(TokenMode.PAYS_FOR_NEW_SLOTS)
    legacy = sealed.legacy(tokens=[token])
    async with relaying(chain_scenario, engine, RELAY_DAILY_WEI_CAP=str(10**15)) as world:
        body = claim_body(world, legacy, sealed.heir, [token])
        await refused(world, "/sponsor/claim", body, 429, "daily_cap_reached")
