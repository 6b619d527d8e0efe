"""The relay's endpoints as served: relayed requests, refusals with their codes, and no stored row after a refusal."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any
from unittest.mock import AsyncMock

import pytest
from eth_account import Account
from eth_account.signers.local import LocalAccount
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak
from pydantic import SecretStr
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from api import clients
from devnet.chain import Anvil
from devnet.deploy import deploy
from devnet.hostile import HostileReceiving, HostileSigning, TokenMode
from devnet.scenarios import DAY, Legacy, Scenario
from devnet.sponsorship import Auth
from reminder_worker.chain.contracts.routers import TimelockReads
from reminder_worker.chain.eip712 import ERC1271_MAGIC, SignatureVerdict, SignatureVerifier
from reminder_worker.chain.events import TRANSFER_TOPIC
from reminder_worker.errors import ChainUnavailable
from reminder_worker.relay import intake
from reminder_worker.relay.factory import RELAYER
from reminder_worker.relay.models import CANCELLED_BY_OPERATOR
from reminder_worker.relay.store import pause_subject
from reminder_worker.relay.validation import LEAST_GAS_LIMIT
from reminder_worker.relay.wallet import load_signer
from tests.integration.api_world import ApiAnswer, ApiWorld, open_world
from tests.integration.chain_proxy import Json, proxy, stopped, two_endpoints

RELAYER_KEY = "0x" + keccak(text="the relayer of the tests").hex()
RELAY = {"RELAYER_KEY": RELAYER_KEY, "RELAY_PER_CLIENT_HOUR": "1000", "RELAY_PER_SIGNER": "100"}
ETHER = 10**18
UNITS = 5_000_000


@pytest.fixture
async def world(chain_scenario: Scenario, engine: AsyncEngine) -> AsyncIterator[ApiWorld]:
    async with relaying(chain_scenario, engine) as opened:
        yield opened


def relaying(scenario: Scenario, engine: AsyncEngine, **more: str) -> Any:
    scenario.anvil.set_balance(load_signer(SecretStr(RELAYER_KEY)).address, 100 * ETHER)
    return open_world(scenario, engine, **(RELAY | more))


class SponsorScenario:
    """A gift and a legacy, with their accounts."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.it = scenario.deployment
        self.owner, self.heir = scenario.account("owner"), scenario.account("heir")

    def legacy(self, *, opened: bool = True, tokens: Sequence[str] | None = None, **terms: Any) -> Legacy:
        """Create the owner's legacy; the heir may claim the tokens."""
        made = self.scenario.create_legacy(self.owner, {self.heir.address: 100}, **terms)
        for token in (self.it.usdc,) if tokens is None else tokens:
            self.scenario.mint(token, self.owner.address, UNITS)
            self.scenario.approve(self.owner, token, made.address, UNITS)
        if opened:
            self.scenario.advance(181 * DAY)
        return made

    def become(self, version: str) -> None:
        """Upgrade the router of timelocks."""
        self.scenario.become_version(self.it.time_lock_router, version)

    def gift(self, *, opened: bool = True, recipient: str | None = None, **terms: Any) -> int:
        whole: dict[str, Any] = {"tokens": [(self.it.usdc, UNITS)], "duration": DAY, **terms}
        made = self.scenario.create_gift(self.scenario.account("giver"), recipient or self.heir.address, **whole)
        if opened:
            self.scenario.advance(DAY + 1)
        return made

    def gift_with_an_nft(self, standard: str) -> None:
        """Create a gift with a whitelisted token, too; it opens in a second."""
        scenario, it, giver = self.scenario, self.it, self.scenario.account("giver")
        scenario.mint(it.usdc, giver.address, 5)
        scenario.approve(giver, it.usdc, it.time_lock_router, 5)
        single, several = ([(it.erc721, 9)], []) if standard == "ERC721" else ([], [(it.erc1155, 3, 4)])
        mixed = scenario._gift(self.heir.address, 0, [(it.usdc, 5)], single, several, 1)
        for nft in single + several:
            scenario.write_as_deployer(f"Test{standard}", nft[0], "mint", giver.address, *nft[1:])
            scenario.write(giver, f"Test{standard}", nft[0], "setApprovalForAll", it.time_lock_router, True)
        scenario.write(giver, "TimeLockRouter", it.time_lock_router, "createTimelockedGift", mixed)


@pytest.fixture
def sealed(chain_scenario: Scenario) -> SponsorScenario:
    return SponsorScenario(chain_scenario)


def claim_body(
    world: ApiWorld, legacy: Legacy, signer: LocalAccount, assets: Sequence[str], *, is_eth: bool = False, **terms: Any
) -> dict[str, Any]:
    auth = world.scenario.claim_auth(signer, legacy.id, list(assets), is_eth=is_eth, **terms)
    body = {"router": to_checksum_address(legacy.router), "legacyId": str(legacy.id), "assets": list(assets)}
    return body | {"isETH": is_eth} | _auth(world, "beneficiary", auth)


def check_in_body(world: ApiWorld, legacy: Legacy, owner: LocalAccount, **terms: Any) -> dict[str, Any]:
    auth = world.scenario.check_in_auth(owner, legacy.id, **terms)
    return {"router": legacy.router, "legacyId": str(legacy.id)} | _auth(world, "owner", auth)


def withdraw_body(world: ApiWorld, gift: int, recipient: LocalAccount, **terms: Any) -> dict[str, Any]:
    auth = world.scenario.withdraw_auth(recipient, gift, **terms)
    skip_swap = bool(terms.get("skip_swap", False))
    to = {"payTo": terms["pay_to"]} if "pay_to" in terms else {}
    return {"timelockId": str(gift), "skipSwap": skip_swap} | to | _auth(world, "recipient", auth)


def _auth(world: ApiWorld, who: str, auth: Auth) -> dict[str, Any]:
    signer, *_, nonce, deadline, signature = auth
    terms = {"nonce": str(nonce), "deadline": deadline, "signature": "0x" + signature.hex()}
    return {"chainId": world.chain_id, who: signer} | terms


async def relayed(world: ApiWorld, path: str, body: dict[str, Any]) -> ApiAnswer:
    """Send a request that is accepted, and mine it."""
    answer = await world.post(path, body)
    assert answer.status == 202, answer.body
    assert world.scenario.anvil.receipt(answer.body["txHash"])["status"] == "0x1"
    return answer


async def stored(world: ApiWorld) -> int:
    (row,) = await world.sql("select count(*) from worker.relay_request")
    return int(row.count)


async def refused(world: ApiWorld, path: str, body: dict[str, Any], status: int, code: str) -> ApiAnswer:
    """Send a request that is refused: no row is stored, and no transaction is sent."""
    before = await stored(world)
    answer = await world.post(path, body)
    assert (answer.status, answer.body.get("code")) == (status, code), answer.body
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert await stored(world) == before
    return answer


# -- what is relayed --------------------------------------------------------------------------------


@pytest.mark.core
async def test_an_heir_without_ether_claims(world: ApiWorld, sealed: SponsorScenario) -> None:
    """Tokens and ether arrive, and the request names its transaction."""
    legacy, heir = sealed.legacy(), sealed.heir
    world.scenario.anvil.set_balance(heir.address, 0)
    world.scenario.anvil.set_balance(legacy.address, ETHER)
    answer = await relayed(world, "/sponsor/claim", claim_body(world, legacy, heir, [sealed.it.usdc], is_eth=True))
    assert set(answer.body) == {"id", "status", "txHash"}
    assert answer.body["status"] == "broadcast"
    assert world.scenario.balance(sealed.it.usdc, heir.address) == UNITS
    assert world.scenario.balance(None, heir.address) == ETHER
    told = (await world.request("GET", f"/sponsor/requests/{answer.body['id']}")).body
    assert (told["lane"], told["txHash"], told["error"]) == ("claim", answer.body["txHash"], None)
    fields = {"id", "lane", "status", "waitsFor", "txHash", "blockNumber", "error", "createdAt", "updatedAt"}
    assert set(told) == fields


def gas_of(world: ApiWorld, relay: ApiAnswer) -> tuple[int, int]:
    """Return the gas limit of a request's transaction, and the gas used."""
    anvil, tx_hash = world.scenario.anvil, relay.body["txHash"]
    sent = anvil.rpc("eth_getTransactionByHash", tx_hash)
    return int(sent["gas"], 16), int(anvil.receipt(tx_hash)["gasUsed"], 16)


async def test_no_more_gas_is_reserved_than_a_request_needs_twice(world: ApiWorld, sealed: SponsorScenario) -> None:
    """Reserved wei are not available to other families on this day."""
    world.scenario.subscribe_premium(sealed.owner)
    tokens = [sealed.it.usdc, sealed.it.dai]
    opened, other, gift = sealed.legacy(tokens=tokens), sealed.legacy(opened=False), sealed.gift()
    claim = await relayed(world, "/sponsor/claim", claim_body(world, opened, sealed.heir, tokens))
    check_in = await relayed(world, "/sponsor/check-in", check_in_body(world, other, sealed.owner))
    withdrawal = await relayed(world, "/sponsor/gift-withdraw", withdraw_body(world, gift, sealed.heir))
    for relay, ceiling in ((claim, 4_000_000), (check_in, 500_000), (withdrawal, 1_000_000)):
        limit, used = gas_of(world, relay)
        assert 1.5 * used < limit < min(2.5 * used, ceiling)
    rows = await world.sql("select gas_limit from worker.nonce_slot order by nonce")
    assert [row.gas_limit for row in rows] == [gas_of(world, relay)[0] for relay in (claim, check_in, withdrawal)]
    owner, giver = sealed.owner.address.lower(), world.scenario.account("giver").address.lower()
    rows = await world.sql("select lane, creator from worker.relay_request order by created_at")
    assert [tuple(row) for row in rows] == [("claim", owner), ("check_in", owner), ("gift_withdraw", giver)]


async def test_small_transfers_to_the_owner_do_not_raise_a_claims_gas(world: ApiWorld, sealed: SponsorScenario) -> None:
    """Tokens that arrive before the claim are shared among the line: the claim would fail and pause its signer."""
    usdc, dai = sealed.it.usdc, sealed.it.dai
    for is_eth, named in ((True, [usdc]), (False, [usdc, dai])):
        legacy = sealed.legacy(tokens=[usdc])
        claim = await relayed(world, "/sponsor/claim", claim_body(world, legacy, sealed.heir, named, is_eth=is_eth))
        limit, used = gas_of(world, claim)
        assert 2.5 * used < limit < 3.5 * used, named  # the payments of two assets, twice


@pytest.mark.core
async def test_a_gift_of_ether_is_withdrawn_as_signed(world: ApiWorld, sealed: SponsorScenario) -> None:
    """As wrapped ether or as ether, by a router of either version."""
    world.scenario.anvil.set_balance(sealed.heir.address, 0)
    for version, times in (("1", 1), ("2", 2)):
        sealed.become(version)
        for skip_swap, token in ((True, sealed.it.weth), (False, None)):
            body = withdraw_body(world, sealed.gift(eth=ETHER, tokens=()), sealed.heir, skip_swap=skip_swap)
            await relayed(world, "/sponsor/gift-withdraw", body)
            assert world.scenario.balance(token, sealed.heir.address) == times * ETHER


async def test_gift_is_paid_to_the_payee_named_by_its_recipient(world: ApiWorld, sealed: SponsorScenario) -> None:
    """The router has version 2, and the payee is signed."""
    exchange, thief = world.scenario.account("exchange").address, world.scenario.account("thief").address
    sealed.become("2")
    body = withdraw_body(world, sealed.gift(), sealed.heir, pay_to=exchange)
    for changed in (body | {"payTo": thief}, {key: value for key, value in body.items() if key != "payTo"}):
        await refused(world, "/sponsor/gift-withdraw", changed, 403, "signer_mismatch")
    answer = await relayed(world, "/sponsor/gift-withdraw", body)
    assert world.scenario.balance(sealed.it.usdc, exchange) == UNITS
    assert world.scenario.balance(sealed.it.usdc, sealed.heir.address) == 0
    again = await world.post("/sponsor/gift-withdraw", body | {"payTo": exchange.upper().replace("X", "x", 1)})
    assert again.body["id"] == answer.body["id"]


async def test_smart_wallets_and_delegated_accounts_sign_by_erc1271(world: ApiWorld, sealed: SponsorScenario) -> None:
    for version in ("1", "2"):
        sealed.become(version)
        safe = world.scenario.create_safe([sealed.heir])
        gift = sealed.gift(recipient=safe)
        await relayed(world, "/sponsor/gift-withdraw", withdraw_body(world, gift, sealed.heir, on_behalf_of=safe))
        delegated = world.scenario.account(f"delegated for {version}")
        gift = sealed.gift(recipient=delegated.address)
        world.scenario.delegate_7702(delegated)
        await relayed(world, "/sponsor/gift-withdraw", withdraw_body(world, gift, delegated))
        assert world.scenario.balance(sealed.it.usdc, delegated.address) == UNITS


# -- once -------------------------------------------------------------------------------------------


async def test_a_request_that_has_ended_is_answered_again_with_its_end(
    world: ApiWorld, sealed: SponsorScenario
) -> None:
    """Also long after its deadline; an operator's cancellation is not reported as a missed deadline."""
    body = withdraw_body(world, sealed.gift(), sealed.heir)
    first = await relayed(world, "/sponsor/gift-withdraw", body)
    world.scenario.advance(30 * DAY)
    for state, error in (("confirmed", None), ("satisfied_elsewhere", None), ("expired", "expired")):
        await world.sql("update worker.relay_request set state = :s", s=state)
        again = await world.post("/sponsor/gift-withdraw", body)
        assert (again.status, again.body["id"], again.body["status"]) == (202, first.body["id"], state)
        told = (await world.request("GET", f"/sponsor/requests/{first.body['id']}")).body
        assert (told["error"] or {}).get("code") == error
    await world.sql("update worker.relay_request set state = 'expired', reason = :r", r=CANCELLED_BY_OPERATOR)
    told = (await world.request("GET", f"/sponsor/requests/{first.body['id']}")).body
    assert told["error"]["code"] == "cancelled_by_operator"
    assert "cancelled the request" in told["error"]["detail"]
    assert "deadline" not in told["error"]["detail"]


# -- nonces -----------------------------------------------------------------------------------------


async def test_waiting_request_is_validated_as_far_as_possible(world: ApiWorld, sealed: SponsorScenario) -> None:
    """A gift that is still locked, a claim of nothing and a gift that the index does not know do not queue up."""
    first, locked, unknown = sealed.gift(), sealed.gift(opened=False, duration=999 * DAY), sealed.gift()
    empty = sealed.legacy(tokens=())
    full, closed = sealed.legacy(opened=False), sealed.legacy()
    world.scenario.disable_sponsored_claims(sealed.owner, closed)
    world.scenario.subscribe_premium(sealed.owner)
    world.scenario.anvil.rpc("evm_setAutomine", False)
    try:
        assert (await world.post("/sponsor/gift-withdraw", withdraw_body(world, first, sealed.heir))).status == 202
        ahead = withdraw_body(world, locked, sealed.heir, nonce=1)
        await refused(world, "/sponsor/gift-withdraw", ahead, 422, "still_locked")
        ahead = withdraw_body(world, unknown, sealed.heir, nonce=1)
        await refused(world, "/sponsor/gift-withdraw", ahead, 503, "indexer_unavailable")
        assert (
            await world.post("/sponsor/claim", claim_body(world, full, sealed.heir, [sealed.it.usdc]))
        ).status == 202
        ahead = claim_body(world, empty, sealed.heir, [sealed.it.dai], nonce=1)
        await refused(world, "/sponsor/claim", ahead, 422, "nothing_to_claim")
        ahead = claim_body(
            world, full, sealed.heir, [sealed.it.usdc], nonce=1, deadline=world.scenario.anvil.now() + 99
        )
        assert (await world.post("/sponsor/claim", ahead)).body["status"] == "waiting_predecessor"
        ahead = claim_body(world, closed, sealed.heir, [sealed.it.usdc], nonce=2)
        await refused(world, "/sponsor/claim", ahead, 422, "sponsored_claims_disabled")
        ahead = check_in_body(world, full, sealed.owner)
        assert (await world.post("/sponsor/check-in", ahead)).status == 202
        ahead = check_in_body(world, full, sealed.owner, nonce=1, deadline=world.scenario.anvil.now() + 2 * 3600)
        await refused(world, "/sponsor/check-in", ahead, 422, "check_in_deadline_too_far")
    finally:
        world.scenario.anvil.rpc("evm_setAutomine", True)
        world.scenario.anvil.mine(1)


# -- deadlines and signatures -----------------------------------------------------------------------


async def test_a_signature_without_an_end_is_relayed_as_signed_and_followed_for_seven_days(
    world: ApiWorld, sealed: SponsorScenario
) -> None:
    """A hopeless request behind the first one ends, too."""
    body = withdraw_body(world, sealed.gift(), sealed.heir, deadline=2**53 - 1)
    now = world.scenario.anvil.now()
    await relayed(world, "/sponsor/gift-withdraw", body)
    (row,) = await world.sql("select deadline from worker.relay_request")
    assert now <= row.deadline - 7 * DAY <= world.scenario.anvil.now()


async def test_only_the_signers_own_signature_counts(world: ApiWorld, sealed: SponsorScenario) -> None:
    gift, legacy = sealed.gift(), sealed.legacy()
    thief = world.scenario.account("thief")
    good = withdraw_body(world, gift, sealed.heir)
    forged = good | {"signature": withdraw_body(world, gift, thief, nonce=0)["signature"]}
    for body in (
        forged,
        good | {"signature": "0x" + "00" * 65},
        good | {"signature": good["signature"] + "00"},
        good | {"skipSwap": True},
        good | {"deadline": good["deadline"] + 1},
        withdraw_body(world, gift, thief),
        withdraw_body(world, gift, thief) | {"recipient": sealed.heir.address},
    ):
        await refused(world, "/sponsor/gift-withdraw", body, 403, "signer_mismatch")
    good = claim_body(world, legacy, sealed.heir, [sealed.it.usdc])
    await refused(world, "/sponsor/claim", good | {"assets": [sealed.it.weth]}, 403, "signer_mismatch")
    await refused(world, "/sponsor/claim", good | {"isETH": True}, 403, "signer_mismatch")


async def test_hostile_signers_cost_bounded_reads(world: ApiWorld, sealed: SponsorScenario) -> None:
    wallet = world.scenario.create_hostile_wallet(sealed.heir)
    gift = sealed.gift(recipient=wallet)
    for signing in (HostileSigning.BURNS_GAS, HostileSigning.REVERTS, HostileSigning.RETURNS_MUCH):
        world.scenario.set_signing(wallet, signing)
        body = withdraw_body(world, gift, sealed.heir, on_behalf_of=wallet)
        answer = await world.post("/sponsor/gift-withdraw", body)
        assert answer.status in {403, 422}, (signing, answer.body)
    assert await stored(world) == 0


# -- legacies ---------------------------------------------------------------------------------------


async def test_early_claim_names_its_time_and_succeeds_later(world: ApiWorld, sealed: SponsorScenario) -> None:
    legacy = sealed.legacy(opened=False)
    t1, _, _ = world.scenario.read("TransferEOALegacy", legacy.address, "getTriggerActivationTimestamp")
    world.scenario.advance(t1 - world.scenario.anvil.now() - 60)
    body = claim_body(world, legacy, sealed.heir, [sealed.it.usdc])
    answer = await refused(world, "/sponsor/claim", body, 422, "legacy_still_active")
    assert "opens for this account on" in answer.body["detail"]
    assert answer.body["detail"].endswith("UTC.")
    world.scenario.anvil.set_time(t1)
    assert (await world.post("/sponsor/claim", body)).status == 202


async def test_bad_claims_are_refused_with_their_codes(world: ApiWorld, sealed: SponsorScenario) -> None:
    legacy, stranger = sealed.legacy(), world.scenario.account("stranger")
    usdc, other = sealed.it.usdc, world.scenario.create_hostile_token(whitelisted=False)

    async def no(status: int, code: str, signer: LocalAccount, assets: list[str], **changes: Any) -> ApiAnswer:
        body = claim_body(world, changes.pop("legacy", legacy), signer, assets, is_eth=changes.pop("is_eth", False))
        return await refused(world, "/sponsor/claim", body | changes, status, code)

    assert [e["pointer"] for e in (await no(422, "invalid_input", sealed.heir, [usdc, other])).body["errors"]] == [
        "/assets/1"
    ]
    assert (await no(422, "invalid_input", sealed.heir, [])).body["errors"][0]["pointer"] == "/assets"
    assert (await no(422, "invalid_input", sealed.heir, [usdc, usdc])).body["errors"][0]["pointer"] == "/assets"
    await no(422, "only_beneficiaries", stranger, [usdc])
    await no(403, "not_a_known_legacy", sealed.heir, [usdc], router=world.scenario.deployment.multisig_legacy_router)
    await no(403, "not_a_known_legacy", sealed.heir, [usdc], legacy=Legacy(legacy.address, 99, legacy.router))
    await no(422, "nothing_to_claim", sealed.heir, [sealed.it.dai])
    await no(422, "nothing_to_claim", sealed.heir, [], is_eth=True)
    world.scenario.disable_sponsored_claims(sealed.owner, legacy)
    await no(422, "sponsored_claims_disabled", sealed.heir, [usdc])
    world.scenario.disable_sponsored_claims(sealed.owner, legacy, disabled=False)
    world.scenario.delete_legacy(sealed.owner, legacy)
    await no(422, "cannot_claim", sealed.heir, [usdc])


# An account that signs everything, returns ether to its sender, and logs the payment as a token of its own.
SENDS_BACK = (
    "0x361560155763" + ERC1271_MAGIC.hex() + "60e01b60005260206000f35b600060006000600034335af150"
    "600160005230337f" + TRANSFER_TOPIC[2:] + "60206000a300"
)


@pytest.mark.parametrize("heir", ["is the owner", "sends it back"])
async def test_tokens_that_return_within_the_claim_are_not_delivered(
    world: ApiWorld, sealed: SponsorScenario, heir: str
) -> None:
    """Otherwise it could be claimed every day at our cost alone."""
    whose = sealed.owner if heir == "is the owner" else sealed.heir
    legacy = world.scenario.create_legacy(sealed.owner, {whose.address: 100})
    world.scenario.advance(181 * DAY)
    if heir == "is the owner":
        world.scenario.mint(sealed.it.usdc, sealed.owner.address, UNITS)
        world.scenario.approve(sealed.owner, sealed.it.usdc, legacy.address, UNITS)
        body = claim_body(world, legacy, whose, [sealed.it.usdc])
    else:
        world.scenario.anvil.set_balance(legacy.address, ETHER)
        world.scenario.anvil.set_code(whose.address, SENDS_BACK)
        body = claim_body(world, legacy, whose, [], is_eth=True)
    await refused(world, "/sponsor/claim", body, 422, "nothing_to_claim")


async def test_a_legacy_that_was_claimed_from_pays_further_claims_and_takes_no_check_in(
    world: ApiWorld, sealed: SponsorScenario
) -> None:
    """The legacy is not live from the first claim on."""
    legacy = sealed.legacy(tokens=[sealed.it.usdc, sealed.it.dai])
    world.scenario.subscribe_premium(sealed.owner)
    await relayed(world, "/sponsor/claim", claim_body(world, legacy, sealed.heir, [sealed.it.usdc]))
    check_in = check_in_body(world, legacy, sealed.owner)
    assert (
        "claimed from" in (await refused(world, "/sponsor/check-in", check_in, 422, "legacy_not_found")).body["detail"]
    )
    await relayed(world, "/sponsor/claim", claim_body(world, legacy, sealed.heir, [sealed.it.dai]))
    assert world.scenario.balance(sealed.it.dai, sealed.heir.address) == UNITS


async def test_claim_beyond_the_sponsored_gas_mentions_the_users_own_fee(
    chain_scenario: Scenario, engine: AsyncEngine, sealed: SponsorScenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each heir of a large family is paid: the claim would not fail on chain, and the legacy has not ended."""
    async with relaying(chain_scenario, engine, RELAY_CLAIM_GAS="300000") as world:
        shares: dict[str, int] = {world.scenario.account(f"cousin {number}").address: 1 for number in range(40)}
        legacy = world.scenario.create_legacy(sealed.owner, shares | {sealed.heir.address: 60})
        for token in (sealed.it.usdc, sealed.it.dai):
            world.scenario.mint(token, sealed.owner.address, UNITS)
            world.scenario.approve(sealed.owner, token, legacy.address, UNITS)
        world.scenario.advance(181 * DAY)
        for token, is_eth in ((sealed.it.usdc, False), (sealed.it.dai, True)):
            if is_eth:  # and as on a node without eth_simulateV1
                monkeypatch.setattr(world.parts.chains[world.chain_id], "simulate", AsyncMock(return_value=None))
            body = claim_body(world, legacy, sealed.heir, [token], is_eth=is_eth)
            detail = (await refused(world, "/sponsor/claim", body, 422, "would_fail")).body["detail"]
            assert "more gas than is sponsored" in detail
            assert detail.endswith("at your own fee, still works.")
            assert ("fewer assets" in detail) == is_eth
            world.scenario.claim(sealed.heir, legacy, [token], is_eth=is_eth)
            assert world.scenario.balance(token, sealed.heir.address) == UNITS * 60 // 100


@pytest.mark.parametrize("silent", [False, True])
async def test_without_simulation_allowances_and_the_call_decide(
    world: ApiWorld, sealed: SponsorScenario, monkeypatch: pytest.MonkeyPatch, silent: bool
) -> None:
    """The node lacks eth_simulateV1, and answers with an error or not at all."""
    simulate = AsyncMock(side_effect=ChainUnavailable("no answer")) if silent else AsyncMock(return_value=None)
    monkeypatch.setattr(world.parts.chains[world.chain_id], "simulate", simulate)
    legacy, token = sealed.legacy(), world.scenario.create_hostile_token(TokenMode.BURNS_GAS)
    world.scenario.mint(token, sealed.owner.address, UNITS)
    world.scenario.approve(sealed.owner, token, legacy.address, UNITS)
    world.scenario.anvil.set_balance(legacy.address, ETHER)  # which the claim does not name
    empty = claim_body(world, legacy, sealed.heir, [sealed.it.dai])
    await refused(world, "/sponsor/claim", empty, 422, "nothing_to_claim")
    await refused(world, "/sponsor/claim", claim_body(world, legacy, sealed.heir, [token]), 422, "would_fail")
    body = claim_body(world, legacy, sealed.heir, [sealed.it.usdc])
    assert gas_of(world, await relayed(world, "/sponsor/claim", body))[0] == 4_000_000  # nobody tells what it needs
    body = withdraw_body(world, sealed.gift(), sealed.heir)
    await refused(world, "/sponsor/gift-withdraw", body, 503, "indexer_unavailable")  # no index has read a block yet
    await world.parts.chain_indexes[world.chain_id].run()
    body = withdraw_body(world, sealed.gift(), sealed.heir)  # sealed just now: the index reads on for it
    assert (await world.post("/sponsor/gift-withdraw", body)).status == 202


async def test_gas_burning_tokens_and_recipients_are_refused_before_sending(
    world: ApiWorld, sealed: SponsorScenario
) -> None:
    token = world.scenario.create_hostile_token(TokenMode.BURNS_GAS)
    legacy = sealed.legacy(tokens=[token])
    await refused(world, "/sponsor/claim", claim_body(world, legacy, sealed.heir, [token]), 422, "would_fail")
    wallet = world.scenario.create_hostile_wallet(sealed.heir, receiving=HostileReceiving.BURNS_GAS)
    gift = sealed.gift(recipient=wallet, eth=ETHER, tokens=())
    body = withdraw_body(world, gift, sealed.heir, on_behalf_of=wallet)
    await refused(world, "/sponsor/gift-withdraw", body, 422, "would_fail")


async def test_check_ins_are_for_premium_owners_and_an_hour_at_most(world: ApiWorld, sealed: SponsorScenario) -> None:
    legacy = sealed.legacy(opened=False)
    path, now = "/sponsor/check-in", world.scenario.anvil.now()
    await refused(world, path, check_in_body(world, legacy, sealed.owner), 403, "premium_required")
    world.scenario.subscribe_premium(sealed.owner)
    world.scenario.subscribe_premium(sealed.heir)
    far = check_in_body(world, legacy, sealed.owner, deadline=now + 2 * 3600)
    await refused(world, path, far, 422, "check_in_deadline_too_far")
    await refused(world, path, check_in_body(world, legacy, sealed.heir), 403, "signer_mismatch")
    unknown = check_in_body(world, Legacy(legacy.address, 99, legacy.router), sealed.owner)
    await refused(world, path, unknown, 403, "not_a_known_legacy")
    hour = check_in_body(world, legacy, sealed.owner, deadline=now + 3600)
    assert (await world.post(path, hour)).status == 202
    world.scenario.delete_legacy(sealed.owner, legacy)
    await refused(world, path, check_in_body(world, legacy, sealed.owner), 422, "legacy_not_found")


# -- gifts ------------------------------------------------------------------------------------------


async def test_early_gift_names_its_time_and_succeeds_later(world: ApiWorld, sealed: SponsorScenario) -> None:
    gift = sealed.gift(opened=False)
    world.scenario.advance(DAY - 60)
    body = withdraw_body(world, gift, sealed.heir)
    answer = await refused(world, "/sponsor/gift-withdraw", body, 422, "still_locked")
    assert answer.body["detail"].startswith("The gift opens on ")
    (details,) = await TimelockReads(world.parts.chains[world.chain_id]).read_details([gift])
    assert details is not None
    world.scenario.anvil.set_time(details.unlock_time)
    assert (await world.post("/sponsor/gift-withdraw", body)).status == 202


async def test_only_live_gifts_of_whitelisted_tokens_alone_are_withdrawn(
    world: ApiWorld, sealed: SponsorScenario
) -> None:
    scenario, heir, path = world.scenario, sealed.heir, "/sponsor/gift-withdraw"
    giver, usdc = scenario.account("giver"), sealed.it.usdc
    await refused(world, path, withdraw_body(world, 99, heir), 404, "not_found")
    lock = scenario.create_timelock(giver, heir.address, tokens=[(usdc, 5)], duration=1)
    nfts = scenario.create_timelock(giver, heir.address, erc721=[(sealed.it.erc721, 7)], duration=1)
    for standard in ("ERC721", "ERC1155"):
        sealed.gift_with_an_nft(standard)
    other = scenario.create_hostile_token(whitelisted=False)
    odd = scenario.create_gift(giver, heir.address, tokens=[(usdc, 5), (other, 5)], duration=1)
    taken = sealed.gift()
    scenario.withdraw_gift(heir, taken)
    scenario.advance(10)
    await refused(world, path, withdraw_body(world, lock, heir), 422, "not_a_gift")
    await refused(world, path, withdraw_body(world, nfts, heir), 404, "not_found")
    for mixed in (nfts + 1, nfts + 2, odd):
        await refused(world, path, withdraw_body(world, mixed, heir), 422, "not_only_whitelisted_tokens")
    await refused(world, path, withdraw_body(world, taken, heir), 422, "timelock_not_live")


@pytest.mark.parametrize("place", [0, 1])
async def test_a_node_that_imports_no_blocks_refuses_nobody(
    chain_scenario: Scenario, engine: AsyncEngine, place: int
) -> None:
    """At its last block the gift is locked, and the legacy not open."""
    sealed = SponsorScenario(chain_scenario)
    gift, legacy = sealed.gift(opened=False), sealed.legacy(opened=False)
    async with two_endpoints(chain_scenario.anvil.url) as two, relaying(chain_scenario, engine, **two.environ) as world:
        (two.first, two.second)[place].answer = stopped(chain_scenario.anvil)
        chain_scenario.advance(181 * DAY)
        await relayed(world, "/sponsor/gift-withdraw", withdraw_body(world, gift, sealed.heir))
        await relayed(world, "/sponsor/claim", claim_body(world, legacy, sealed.heir, [sealed.it.usdc]))


@pytest.mark.parametrize("place", [0, 1])
async def test_endpoint_with_a_low_gas_estimate_makes_no_request_fail_on_chain(
    chain_scenario: Scenario, engine: AsyncEngine, place: int
) -> None:
    """Otherwise its signer would be paused for the day."""
    sealed = SponsorScenario(chain_scenario)
    gift, opened, other = sealed.gift(), sealed.legacy(), sealed.legacy(opened=False)
    chain_scenario.subscribe_premium(sealed.owner)

    def too_little(request: Json, response: Json) -> Json:
        if request["method"] == "eth_simulateV1":
            response["result"][0]["calls"][0]["gasUsed"] = hex(21_000)
        if request["method"] == "eth_call" and request["params"][0].get("gas") == hex(LEAST_GAS_LIMIT):
            return {"jsonrpc": "2.0", "id": request["id"], "result": "0x"}  # it says that so little does
        return response

    async with two_endpoints(chain_scenario.anvil.url) as two:
        (two.first, two.second)[place].alter = too_little
        async with relaying(chain_scenario, engine, **two.environ) as world:
            await relayed(world, "/sponsor/claim", claim_body(world, opened, sealed.heir, [sealed.it.usdc]))
            await relayed(world, "/sponsor/check-in", check_in_body(world, other, sealed.owner))
            await relayed(world, "/sponsor/gift-withdraw", withdraw_body(world, gift, sealed.heir))


# -- caps, pauses, limits ---------------------------------------------------------------------------


async def test_full_cap_mentions_the_users_own_fee(chain_scenario: Scenario, engine: AsyncEngine) -> None:
    sealed = SponsorScenario(chain_scenario)
    async with relaying(chain_scenario, engine, RELAY_PER_SIGNER="1") as world:
        body = withdraw_body(world, sealed.gift(), sealed.heir)
        assert (await world.post("/sponsor/gift-withdraw", body)).status == 202
        more = withdraw_body(world, sealed.gift(), sealed.heir)
        answer = await refused(world, "/sponsor/gift-withdraw", more, 429, "daily_cap_reached")
        assert "at your own fee, still works" in answer.body["detail"]
        assert 0 < int(answer.headers["Retry-After"]) <= DAY
        assert (await world.post("/sponsor/gift-withdraw", body)).status == 202, "the first is still answered"


async def pause(world: ApiWorld, signer: LocalAccount) -> None:
    """The reconciler pauses a signer when a request reverts on chain."""
    async with world.engine.begin() as connection:
        await connection.execute(
            text(
                "insert into worker.quota select 'relay_paused', :subject, day, 1, day + 86400"
                " from (select cast(floor(extract(epoch from now()) / 86400) * 86400 as bigint) as day) d"
            ),
            {"subject": pause_subject(world.chain_id, signer.address.lower())},
        )


async def test_a_paused_signer_waits_for_tomorrow(world: ApiWorld, sealed: SponsorScenario) -> None:
    body = withdraw_body(world, sealed.gift(), sealed.heir)
    await pause(world, sealed.heir)
    answer = await refused(world, "/sponsor/gift-withdraw", body, 429, "signer_paused")
    assert 0 < int(answer.headers["Retry-After"]) <= DAY
    await world.sql("update worker.quota set ends_at = ends_at - 86400")
    assert (await world.post("/sponsor/gift-withdraw", body)).status == 202


async def test_requests_of_a_client_are_limited_per_hour(chain_scenario: Scenario, engine: AsyncEngine) -> None:
    """Refused requests count, reads do not, and a forged X-Forwarded-For is ignored."""
    async with relaying(chain_scenario, engine, RELAY_PER_CLIENT_HOUR="3") as world:
        world.clock.ahead = 1800 - world.clock() % 3600
        for number in range(3):
            answer = await world.post("/sponsor/claim", {}, headers={"X-Forwarded-For": f"198.51.100.{number}"})
            assert answer.status == 422
        answer = await world.post("/sponsor/gift-withdraw", {}, headers={"X-Forwarded-For": "198.51.100.9"})
        assert (answer.status, answer.code) == (429, "rate_limited")
        assert 60 < int(answer.headers["Retry-After"]) <= 3600
        assert (await world.request("GET", "/sponsor/status")).status == 200


# -- what is off, down or unknown -------------------------------------------------------------------


async def test_without_a_relayer_requests_are_refused_and_the_status_answers(
    chain_scenario: Scenario, engine: AsyncEngine
) -> None:
    sealed = SponsorScenario(chain_scenario)
    async with open_world(chain_scenario, engine) as world:
        body = withdraw_body(world, sealed.gift(), sealed.heir)
        await refused(world, "/sponsor/gift-withdraw", body, 503, "not_configured")
        status = (await world.request("GET", "/sponsor/status")).body
        nothing = {"gift": False, "giftPayTo": False, "legacy": False, "reason": "not_configured"}
        chains = [{"chainId": world.chain_id} | nothing]
        assert status == {"gift": False, "giftEmail": False, "legacy": False, "chains": chains}


async def test_a_destination_is_refused_where_the_router_pays_the_recipient_only(
    world: ApiWorld, sealed: SponsorScenario
) -> None:
    """The destination is checked first: all other fields of the request are bad, too."""
    exchange = world.scenario.account("exchange").address
    body = withdraw_body(world, 99, sealed.heir, nonce=9, deadline=1) | {"payTo": exchange}
    answer = await refused(world, "/sponsor/gift-withdraw", body, 422, "payto_unsupported")
    assert [error["pointer"] for error in answer.body["errors"]] == ["/payTo"]
    assert "pays the recipient only" in answer.body["detail"]


async def test_the_contracts_that_keep_gifts_are_no_destination(world: ApiWorld, sealed: SponsorScenario) -> None:
    for keeper in ("time_lock_router", "timelock_erc20", "timelock_erc721", "timelock_erc1155"):
        sealed.become("2")
        body = withdraw_body(world, sealed.gift(), sealed.heir, pay_to=to_checksum_address(getattr(sealed.it, keeper)))
        answer = await refused(world, "/sponsor/gift-withdraw", body, 422, "invalid_input")
        assert [error["pointer"] for error in answer.body["errors"]] == ["/payTo"]


@pytest.mark.parametrize(("before", "after", "next_one"), [("1", "2", "late"), ("1", "2", "names"), ("2", "1", "new")])
async def test_an_upgrade_while_the_service_runs_is_noticed_at_the_next_request(
    world: ApiWorld, sealed: SponsorScenario, before: str, after: str, next_one: str
) -> None:
    """Whatever that is; and one that is taken back. What was signed for the other version is refused by name, but a
    request that was taken is answered as ever; the status tells where a destination can be named."""
    path, names = "/sponsor/gift-withdraw", {}
    if next_one == "names":
        names["pay_to"] = world.scenario.account("exchange").address

    async def may_name() -> bool:
        return bool((await world.request("GET", "/sponsor/status")).body["chains"][0]["giftPayTo"])

    sealed.become(before)
    taken = withdraw_body(world, sealed.gift(), sealed.heir)
    first = await relayed(world, path, taken)
    assert await may_name() == (before == "2")
    gift = sealed.gift()
    late = withdraw_body(world, gift, sealed.heir, deadline=world.scenario.anvil.now() + 999)
    sealed.become(after)
    if next_one == "late":
        await refused(world, path, late, 403, "version_mismatch")
    await relayed(world, path, withdraw_body(world, gift, sealed.heir, **names))
    answer = await refused(world, path, late, 403, "version_mismatch")
    assert f"signed for version {before} of the router, which has version {after}" in answer.body["detail"]
    assert (await world.post(path, taken)).body["id"] == first.body["id"]
    assert await may_name() == (after == "2")


@pytest.mark.parametrize("lane", ["claim", "check-in", "gift-withdraw"])
async def test_an_upgraded_routers_authorizations_are_refused_by_name(
    world: ApiWorld, sealed: SponsorScenario, lane: str
) -> None:
    """A later version signs something else: that is not the signer's fault, whenever they signed, and known without a
    restart."""
    s, it = world.scenario, sealed.it
    router = it.time_lock_router if lane == "gift-withdraw" else it.transfer_eoa_legacy_router
    legacy = sealed.legacy(opened=lane == "claim")
    s.subscribe_premium(sealed.owner)
    gift = sealed.gift()

    def body() -> dict[str, Any]:
        if lane == "gift-withdraw":
            return withdraw_body(world, gift, sealed.heir)
        if lane == "check-in":
            return check_in_body(world, legacy, sealed.owner)
        return claim_body(world, legacy, sealed.heir, [it.usdc])

    assert (await world.request("GET", "/sponsor/status")).body["chains"][0]["reason"] is None
    early = body()
    s.become_version(router, "3")
    for sent in (early, early, body()):
        answer = await refused(world, f"/sponsor/{lane}", sent, 503, "router_version_unsupported")
        assert "at your own fee, still works" in answer.body["detail"]
    (chain,) = (await world.request("GET", "/sponsor/status")).body["chains"]
    assert (chain["gift"], chain["legacy"]) == (lane != "gift-withdraw", lane == "gift-withdraw")
    assert chain["reason"] == "router_version_unsupported"


async def test_status_lists_the_lanes_that_work(chain_scenario: Scenario, engine: AsyncEngine) -> None:
    provider = {
        "TURNKEY_ORGANIZATION_ID": "the-organization",
        "TURNKEY_API_PUBLIC_KEY": "036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
        "TURNKEY_API_PRIVATE_KEY": "00" * 31 + "01",
    }
    async with relaying(chain_scenario, engine, **provider) as world:
        status = (await world.request("GET", "/sponsor/status")).body
        chains = [{"chainId": world.chain_id, "gift": True, "giftPayTo": False, "legacy": True, "reason": None}]
        assert status == {"gift": True, "giftEmail": True, "legacy": True, "chains": chains}
    async with relaying(chain_scenario, engine, RELAY_DAILY_COUNT_CAP="0") as world:
        status = (await world.request("GET", "/sponsor/status")).body
        assert (status["gift"], status["chains"][0]["reason"]) == (False, "daily_cap_reached")
    async with relaying(chain_scenario, engine) as world:
        chain_scenario.anvil.set_code(chain_scenario.deployment.transfer_eoa_legacy_router, "0x00")
        (chain,) = (await world.request("GET", "/sponsor/status")).body["chains"]
        assert (chain["gift"], chain["legacy"], chain["reason"]) == (True, False, "chain_unavailable")
    async with relaying(chain_scenario, engine) as world:
        chain_scenario.anvil.set_balance(world.parts.relaying.admissions[RELAYER].signer.address, 0)
        status = (await world.request("GET", "/sponsor/status")).body
        assert (status["legacy"], status["chains"][0]["reason"]) == (False, "low_balance")


@pytest.mark.core
@pytest.mark.parametrize("table", ["relay_wallet", "quota"])
async def test_database_that_hangs_is_not_called_a_silent_chain(
    chain_scenario: Scenario, engine: AsyncEngine, monkeypatch: pytest.MonkeyPatch, table: str
) -> None:
    """The status says so. If even the rate limit's counter hangs, the answer is a problem and comes in time, too."""
    monkeypatch.setattr(intake, "STATUS_SECONDS", 0.3)
    monkeypatch.setattr(clients, "DATABASE_SECONDS", 0.3)
    async with relaying(chain_scenario, engine, RATE_LIMIT_PER_MINUTE="10000") as world:
        for opened in (False, True):  # the first request of a process also compares the wallet's nonces
            async with engine.begin() as connection:
                await connection.execute(text(f"lock table worker.{table} in access exclusive mode"))
                if table == "quota":
                    answer = await refused_by_status(world)
                    assert (answer.status, answer.code, answer.headers["Retry-After"]) == (503, "unavailable", "5")
                else:
                    (chain,) = (await world.request("GET", "/sponsor/status")).body["chains"]
                    assert (chain["gift"], chain["legacy"], chain["reason"]) == (False, False, "unavailable"), opened
            await until_it_relays(world)


async def test_chain_that_hangs_is_called_so(
    chain_scenario: Scenario, engine: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "STATUS_SECONDS", 0.3)
    async with proxy(chain_scenario.anvil.url) as node:
        node.hang = True
        async with relaying(chain_scenario, engine, CHAIN_31337_RPC_URLS=node.url) as world:
            (chain,) = (await world.request("GET", "/sponsor/status")).body["chains"]
            assert chain["reason"] == "chain_unavailable"
            node.well()


async def refused_by_status(world: ApiWorld) -> ApiAnswer:
    """Ask for the status until the requests that the process has counted in advance are used up."""
    async with asyncio.timeout(60):
        while (answer := await world.request("GET", "/sponsor/status")).status == 200:
            pass
    return answer


async def until_it_relays(world: ApiWorld) -> None:
    async with asyncio.timeout(60):
        while True:
            answer = await world.request("GET", "/sponsor/status")
            if answer.status == 200 and answer.body["chains"][0]["reason"] is None:
                return


async def test_unopened_keystore_offers_no_sponsored_lane(
    chain_scenario: Scenario, engine: AsyncEngine, sealed: SponsorScenario
) -> None:
    """Nothing is queued for cheaper gas either, and other accounts do not learn the reason."""
    gift = sealed.gift()
    keystore = json.dumps(
        Account.encrypt(bytes.fromhex(RELAYER_KEY.removeprefix("0x")), "open sesame", kdf="pbkdf2", iterations=10)
    )
    for password, reason in (("open sesame", None), ("wrong", "not_configured")):
        async with relaying(chain_scenario, engine, RELAYER_KEY=keystore, RELAYER_KEY_PASSWORD=password) as world:
            (chain,) = (await world.request("GET", "/sponsor/status")).body["chains"]
            assert (chain["gift"], chain["legacy"], chain["reason"]) == (reason is None, reason is None, reason)
    locked = {"RELAYER_KEY": keystore, "RELAYER_KEY_PASSWORD": "wrong"}
    for ceiling in ("50000000000", "1"):
        async with relaying(chain_scenario, engine, **locked, RELAY_GAS_PRICE_CEILING=ceiling) as world:
            body = withdraw_body(world, gift, sealed.heir)
            answer = await refused(world, "/sponsor/gift-withdraw", body, 503, "not_configured")
            assert "at your own fee, still works" in answer.body["detail"]
            assert "password" not in answer.body["detail"]


async def test_lane_with_a_cap_of_zero_is_not_offered(chain_scenario: Scenario, engine: AsyncEngine) -> None:
    for cap, gift, legacy in (("PER_GIFT", False, True), ("PER_LEGACY", True, False), ("DAILY_WEI_CAP", False, False)):
        sealed = SponsorScenario(chain_scenario)
        off = {f"RELAY_{cap}": "0", "GIFT_ORIGINS": "https://gifts.example.org"}
        async with relaying(chain_scenario, engine, **off) as world:
            status = (await world.request("GET", "/sponsor/status")).body
            told = status["chains"][0]
            assert (status["gift"], status["legacy"]) == (told["gift"], told["legacy"]) == (gift, legacy)
            assert told["reason"] == "daily_cap_reached"
            facts = await world.request("GET", f"/gift/{world.chain_id}/{sealed.gift()}")
            assert facts.body["sponsored"] is gift


async def test_lanes_of_a_test_chain_do_not_count_for_mainnet(chain_scenario: Scenario, engine: AsyncEngine) -> None:
    with Anvil(chain_id=1) as mainnet:
        environ = deploy(mainnet).settings_environ(1, mainnet.url)
        both = {**environ, "CHAINS": f"{chain_scenario.anvil.chain_id},1"}
        async with relaying(chain_scenario, engine, **both) as world:
            signer = world.parts.relaying.admissions[RELAYER].signer.address
            status = (await world.request("GET", "/sponsor/status")).body
            assert [chain["reason"] for chain in status["chains"]] == [None, "low_balance"]
            assert (status["gift"], status["legacy"]) == (False, False)
        mainnet.set_balance(signer, 100 * ETHER)
        async with relaying(chain_scenario, engine, **both) as world:
            status = (await world.request("GET", "/sponsor/status")).body
            assert (status["gift"], status["legacy"]) == (True, True)


async def test_stored_request_is_returned_without_the_chain(engine: AsyncEngine) -> None:
    with Anvil() as anvil:
        scenario = Scenario(anvil, deploy(anvil))
        sealed = SponsorScenario(scenario)
        async with relaying(scenario, engine, **{f"CHAIN_{anvil.chain_id}_RPC_TIMEOUT": "1"}) as world:
            body = withdraw_body(world, sealed.gift(), sealed.heir)
            first = await relayed(world, "/sponsor/gift-withdraw", body)
            anvil.stop()
            again = await world.post("/sponsor/gift-withdraw", body)
            assert (again.status, again.body["id"]) == (202, first.body["id"])


async def test_an_unknown_id_is_not_found_nor_is_a_renewals(world: ApiWorld, sealed: SponsorScenario) -> None:
    renewal = await relayed(world, "/sponsor/gift-withdraw", withdraw_body(world, sealed.gift(), sealed.heir))
    await world.sql("update worker.relay_request set lane = 'auto_renew'")
    for id in ("3f2b8f0e-6c1d-4b5a-9f57-0f6f2f0c9a11", "1", "canary", renewal.body["id"]):
        answer = await world.request("GET", f"/sponsor/requests/{id}")
        assert (answer.status, answer.code) == (404, "not_found")
        assert "canary" not in str(answer.body)


async def test_bad_field_is_named_and_not_echoed(world: ApiWorld) -> None:
    for change, pointer in (
        ({"legacyId": 7}, "/legacyId"),
        ({"legacyId": "0x7"}, "/legacyId"),
        ({"legacyId": "-1"}, "/legacyId"),
        ({"legacyId": str(1 << 256)}, "/legacyId"),
        ({"nonce": "07"}, "/nonce"),
        ({"nonce": str(1 << 256)}, "/nonce"),
        ({"deadline": "tomorrow"}, "/deadline"),
        ({"assets": ["canary"]}, "/assets/0"),
        ({"isETH": 1}, "/isETH"),
        ({"beneficiary": "canary"}, "/beneficiary"),
        ({"signature": "canary"}, "/signature"),
        ({"chainId": 5}, "/chainId"),
        ({"extra": "canary"}, ""),
    ):
        legacy = Legacy("0x" + "11" * 20, 1, world.scenario.deployment.transfer_eoa_legacy_router)
        body = claim_body(world, legacy, world.scenario.account("heir"), [world.scenario.deployment.usdc]) | change
        answer = await refused(world, "/sponsor/claim", body, 422, "invalid_input")
        assert [error["pointer"] for error in answer.body["errors"]] == [pointer]
        assert "canary" not in str(answer.body)


async def test_signature_is_checked_as_the_router_checks_it(
    world: ApiWorld, sealed: SponsorScenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A smart wallet may sign for certain contracts only."""
    callers, verdict = [], SignatureVerifier.check_signature

    async def record(
        self: SignatureVerifier, digest: bytes, signature: bytes, signer: str, *, caller: str | None = None
    ) -> SignatureVerdict:
        callers.append(caller)
        return await verdict(self, digest, signature, signer, caller=caller)

    monkeypatch.setattr(SignatureVerifier, "check_signature", record)
    assert (await world.post("/sponsor/gift-withdraw", withdraw_body(world, sealed.gift(), sealed.heir))).status == 202
    assert set(callers) == {sealed.it.time_lock_router}


async def test_without_simulation_own_tokens_of_an_owner_are_nothing_to_claim(
    world: ApiWorld, sealed: SponsorScenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They would come back, to be claimed again; ether that is kept in the legacy is theirs to claim."""
    monkeypatch.setattr(world.parts.chains[world.chain_id], "simulate", AsyncMock(return_value=None))
    legacy, usdc = world.scenario.create_legacy(sealed.owner, {sealed.owner.address: 100}), sealed.it.usdc
    world.scenario.mint(usdc, sealed.owner.address, UNITS)
    world.scenario.approve(sealed.owner, usdc, legacy.address, UNITS)
    world.scenario.advance(181 * DAY)
    body = claim_body(world, legacy, sealed.owner, [usdc], is_eth=True)
    await refused(world, "/sponsor/claim", body, 422, "nothing_to_claim")
    world.scenario.anvil.set_balance(legacy.address, ETHER)
    await relayed(world, "/sponsor/claim", body)
