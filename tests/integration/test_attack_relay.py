"""Authorizations of the relay: chain, contract, lane and encoding are fixed by the signature."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from eth_account.messages import encode_typed_data
from eth_account.signers.local import LocalAccount
from eth_utils.crypto import keccak
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import DAY, Scenario
from devnet.sponsorship import CHECK_IN, CLAIM, NONCE_AND_DEADLINE, WITHDRAW
from tests.integration.api_world import ApiWorld, open_world
from tests.integration.test_attack_signed import twins

ETHER, UNITS = 10**18, 5_000_000
RELAYER = "relayer of these tests"
LANES: dict[str, tuple[str, tuple[str, ...]]] = {
    "/sponsor/claim": ("ClaimAuth", CLAIM),
    "/sponsor/check-in": ("CheckInAuth", CHECK_IN),
    "/sponsor/gift-withdraw": ("WithdrawAuth", WITHDRAW),
}


@pytest.fixture
async def world(chain_scenario: Scenario, engine: AsyncEngine) -> AsyncIterator[ApiWorld]:
    relayer = chain_scenario.account(RELAYER)
    chain_scenario.anvil.set_balance(relayer.address, 100 * ETHER)
    more = {"RELAYER_KEY": relayer.key.hex(), "RELAY_PER_CLIENT_HOUR": "1000", "RATE_LIMIT_PER_MINUTE": "100000"}
    async with open_world(chain_scenario, engine, **more) as opened:
        yield opened


class AttackedLane:
    """Good request of a lane, with signer and body."""

    def __init__(self, world: ApiWorld, path: str) -> None:
        scenario, it = world.scenario, world.scenario.deployment
        heir = scenario.account("heir")
        self.world, self.path, self.signer = world, path, heir
        self.router = it.transfer_eoa_legacy_router
        if path == "/sponsor/gift-withdraw":
            giver = scenario.account("giver")
            gift = scenario.create_gift(giver, heir.address, tokens=[(it.usdc, UNITS)], duration=DAY)
            scenario.advance(DAY + 1)
            self.router = it.time_lock_router
            self.values: tuple[Any, ...] = (heir.address, gift, False)
            self.about: dict[str, Any] = {"timelockId": str(gift), "skipSwap": False, "recipient": heir.address}
            return
        owner = world.owner()
        legacy = world.legacy(owner)
        scenario.mint(it.usdc, owner.address, UNITS)
        scenario.approve(owner, it.usdc, legacy.address, UNITS)
        self.about = {"router": legacy.router, "legacyId": str(legacy.id)}
        if path == "/sponsor/claim":
            scenario.advance(181 * DAY)
            assets = keccak(bytes.fromhex(it.usdc[2:]).rjust(32, b"\0"))
            self.values = (heir.address, legacy.id, assets, False)
            self.about |= {"assets": [it.usdc], "isETH": False, "beneficiary": heir.address}
        else:
            self.signer = owner
            self.values = (owner.address, legacy.id)
            self.about |= {"owner": owner.address}

    def body(self, *, kind: str | None = None, signer: LocalAccount | None = None, **changes: Any) -> dict[str, Any]:
        """Return the request signed as another type, by another account, or in a changed domain."""
        scenario = self.world.scenario
        own_kind, fields = LANES[self.path]
        named = [each.split(":") for each in (*fields, *NONCE_AND_DEADLINE)]
        nonce, deadline = scenario.sponsor_nonce(self.router, self.values[0]), scenario.anvil.now() + 1800
        message = dict(zip((name for name, _ in named), (*self.values, nonce, deadline), strict=True))
        types = {kind or own_kind: [{"name": name, "type": each} for name, each in named]}
        _, name, version, chain_id, contract, _, _ = scenario.read("Sponsored", self.router, "eip712Domain")
        whole = {"name": name, "version": version, "chainId": chain_id, "verifyingContract": contract} | changes
        domain = {field: value for field, value in whole.items() if value is not None}
        signed = (signer or self.signer).sign_message(encode_typed_data(domain, types, message))
        return {
            "chainId": self.world.chain_id,
            "nonce": str(nonce),
            "deadline": deadline,
            "signature": signed.signature.to_0x_hex(),
            **self.about,
        }


@pytest.mark.parametrize("path", list(LANES))
async def test_an_authorization_is_of_one_chain_contract_and_lane_and_is_relayed_once(
    world: ApiWorld, path: str
) -> None:
    """Other requests store nothing; other bytes give the same request or none."""
    lane, it = AttackedLane(world, path), world.scenario.deployment
    other_routers = {it.transfer_eoa_legacy_router, it.time_lock_router, "0x" + "00" * 20} - {lane.router}
    wrong = [
        lane.body(chainId=1),
        lane.body(chainId=world.chain_id + 1),
        lane.body(version="9"),
        lane.body(name="Reminder Worker"),
        lane.body(verifyingContract=None),
        lane.body(signer=world.scenario.account("thief")),
        *(lane.body(verifyingContract=router) for router in sorted(other_routers)),
        *(lane.body(kind=kind) for own, (kind, _) in LANES.items() if own != path),
    ]
    for body in wrong:
        answer = await world.post(path, body)
        assert (answer.status, answer.code) == (403, "signer_mismatch"), answer.body
    assert (await world.post(path, wrong[0] | {"chainId": 1})).status == 422
    assert await world.sql("select 1 from worker.relay_request") == []
    whole = lane.body()
    accepted = await world.post(path, whole)
    assert accepted.status == 202, accepted.body
    for how, twin in twins(whole["signature"]).items():
        answer = await world.post(path, whole | {"signature": twin})
        assert answer.status in {403, 409} or answer.body["id"] == accepted.body["id"], (how, answer.body)
    again = await world.post(path, whole)
    assert (again.status, again.body["id"]) == (202, accepted.body["id"])
    assert len(await world.sql("select 1 from worker.relay_request")) == 1
    relayer = world.scenario.account(RELAYER).address
    assert world.scenario.anvil.rpc("eth_getTransactionCount", relayer, "pending") == "0x1"
