"""The endpoints of givers over HTTP: bodies, answers, problems and limits; their rules are tested by themselves."""

import hashlib
import json
import secrets
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.identity_provider_stand_in import FakeTime, IdentityProviderStandIn
from devnet.scenarios import DAY, Scenario
from tests.integration.api_world import ApiWorld, open_world

EMAIL = "canary.grandchild@post.example"
ORIGIN = "https://gifts.example.org"
LETTER = "eyJ2IjoxLCJ0byI6IkNhbmFyeSIsImZyb20iOiJHcmFuZHBhIiwibm90ZSI6ImNhbmFyeSJ9"
TYPES = {
    "GiftNotify2": [{"name": "payloadHash", "type": "bytes32"}, {"name": "deadline", "type": "uint256"}],
    "GiftNotifyErase": [{"name": "timelockId", "type": "uint256"}, {"name": "deadline", "type": "uint256"}],
    "GiftEmailWallet": [{"name": "emailHash", "type": "bytes32"}, {"name": "deadline", "type": "uint256"}],
}


@pytest.fixture
async def world(engine: AsyncEngine, chain_scenario: Scenario) -> AsyncIterator[ApiWorld]:
    async with open_world(chain_scenario, engine, GIFT_ORIGINS=ORIGIN) as opened:
        yield opened


def seal(world: ApiWorld) -> int:
    scenario = world.scenario
    tokens = [(scenario.deployment.usdc, 10**6)]
    heir = scenario.account("heir").address
    return scenario.create_gift(scenario.account("giver"), heir, tokens=tokens, duration=30 * DAY)


def signed(world: ApiWorld, kind: str, message: dict[str, Any], **fields: Any) -> dict[str, Any]:
    giver, deadline = world.scenario.account("giver"), world.deadline()
    domain = {"name": "Reminder Worker", "version": "1", "chainId": world.chain_id}
    types = {kind: TYPES[kind]}
    signature = giver.sign_typed_data(domain, types, {**message, "deadline": deadline}).signature.to_0x_hex()
    return {"chainId": world.chain_id, "giver": giver.address, "deadline": deadline, "signature": signature, **fields}


def registration(world: ApiWorld, timelock_id: int, **changes: Any) -> dict[str, Any]:
    whole = {
        "salt": "0x" + secrets.token_hex(16),
        "timelockId": str(timelock_id),
        "recipientEmail": EMAIL,
        "recipientName": "Canary",
        "giverName": "Grandpa",
        "claimLink": f"{ORIGIN}/gifts/{world.chain_id}/{timelock_id}#g={LETTER}",
        "timing": "immediate",
    }
    payload = json.dumps(whole | changes)
    return signed(world, "GiftNotify2", {"payloadHash": hashlib.sha256(payload.encode()).digest()}, payload=payload)


async def test_a_registration_is_answered_with_its_times_and_can_be_erased(world: ApiWorld) -> None:
    await world.parts.chain_indexes[world.chain_id].run()
    id = seal(world)
    answer = await world.post("/gift/notify", registration(world, id))
    assert answer.status == 201
    assert set(answer.body) == {"timing", "notifyAt", "unlockAt"}
    assert answer.body["unlockAt"].endswith("Z")
    erase = signed(world, "GiftNotifyErase", {"timelockId": id}, timelockId=str(id))
    erased = await world.post("/gift/notify/erase", erase)
    assert (erased.status, erased.body) == (200, {"erased": True})
    assert (await world.post("/gift/notify/erase", erase)).code == "already_used"


async def test_refusals_name_the_field_and_echo_nothing(world: ApiWorld) -> None:
    await world.parts.chain_indexes[world.chain_id].run()
    id = seal(world)
    evil = "https://zaffre.example/gifts/1/1#g=" + LETTER
    refused = await world.post("/gift/notify", registration(world, id, claimLink=evil))
    assert (refused.status, refused.code) == (422, "invalid_input")
    assert [each["pointer"] for each in refused.body["errors"]] == ["/payload/claimLink"]
    assert "zaffre" not in json.dumps(refused.body)
    unknown = await world.post("/gift/notify", registration(world, id + 1))
    assert (unknown.status, unknown.code) == (404, "not_found")
    stolen = registration(world, id) | {"giver": world.scenario.account("thief").address}
    assert (await world.post("/gift/notify", stolen)).status == 403


async def test_a_client_has_so_many_registrations_an_hour(engine: AsyncEngine, chain_scenario: Scenario) -> None:
    limits = {"GIFT_ORIGINS": ORIGIN, "GIFT_NOTIFY_PER_CLIENT_HOUR": "2"}
    async with open_world(chain_scenario, engine, **limits) as world:
        codes = [(await world.post("/gift/notify", {})).code for _ in range(3)]
        assert codes == ["invalid_input", "invalid_input", "rate_limited"]
        world.clock.ahead += 3600
        assert (await world.post("/gift/notify", {})).code == "invalid_input"


async def test_what_is_counted_by_the_hour_is_counted_by_the_minute_too(
    engine: AsyncEngine, chain_scenario: Scenario
) -> None:
    async with open_world(chain_scenario, engine, GIFT_ORIGINS=ORIGIN, RATE_LIMIT_PER_MINUTE="2") as world:
        for _ in range(2):
            assert (await world.request("GET", "/sponsor/status")).status == 200
        for path in ("/gift/notify", "/gift/recipient-wallet", "/sponsor/claim"):
            assert (await world.post(path, {})).code == "rate_limited"


async def test_who_used_up_an_hours_registrations_takes_one_back_all_the_same(
    engine: AsyncEngine, chain_scenario: Scenario
) -> None:
    limits = {"GIFT_ORIGINS": ORIGIN, "GIFT_NOTIFY_PER_CLIENT_HOUR": "1"}
    async with open_world(chain_scenario, engine, **limits) as world:
        await world.parts.chain_indexes[world.chain_id].run()
        id = seal(world)
        assert (await world.post("/gift/notify", registration(world, id))).status == 201
        assert (await world.post("/gift/notify", registration(world, id))).code == "rate_limited"
        erase = signed(world, "GiftNotifyErase", {"timelockId": id}, timelockId=str(id))
        assert (await world.post("/gift/notify/erase", erase)).body == {"erased": True}


async def test_an_emails_wallet_over_http(engine: AsyncEngine, chain_scenario: Scenario) -> None:
    async with AsyncExitStack() as stack:
        provider = await stack.enter_async_context(IdentityProviderStandIn(FakeTime(), a_second=99))
        world = await stack.enter_async_context(open_world(chain_scenario, engine, **provider.settings()))
        giver = chain_scenario.account("giver")
        chain_scenario.send(giver, giver.address)
        message = {"emailHash": hashlib.sha256(EMAIL.encode()).digest()}
        answer = await world.post("/gift/recipient-wallet", signed(world, "GiftEmailWallet", message, email=EMAIL))
        assert answer.status == 200
        assert answer.body["address"].lower() == provider.only.accounts["wallet-1"][0]["address"]
        assert answer.body["address"] != answer.body["address"].lower(), "EIP-55"


async def test_what_is_not_configured_says_so(engine: AsyncEngine, chain_scenario: Scenario) -> None:
    async with open_world(chain_scenario, engine) as world:
        for path, body in (
            ("/gift/notify", registration(world, 1)),
            ("/gift/recipient-wallet", signed(world, "GiftEmailWallet", {"emailHash": b"0" * 32}, email=EMAIL)),
        ):
            answer = await world.post(path, body)
            assert (answer.status, answer.code) == (503, "not_configured")
