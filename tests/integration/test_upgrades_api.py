"""`/upgrades` shows to everybody what waits in the queue, decoded, and no queue before it was read."""

import asyncio

import pytest
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import Scenario
from reminder_worker.chain.abi_codec import encode_address
from reminder_worker.chain.client import Chain
from tests.integration.api_world import ApiAnswer, ApiWorld, open_world
from tests.integration.upgrade_world import chain_settings, world

SOMEBODY = "0x" + "5b" * 20


async def _answers(at: ApiWorld, status: int, words: str = "") -> ApiAnswer:
    for _ in range(500):
        answer = await at.request("GET", "/upgrades")
        if answer.status == status and words in str(answer.body):
            return answer
        await asyncio.sleep(0.02)
    raise AssertionError("nothing was published")


async def test_the_queue_is_public_decoded_and_cached(
    chain_scenario: Scenario, engine: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.stats.EVERY_SECONDS", 0.05)
    s = chain_scenario
    async with (
        open_world(s, engine, **s.deployment.upgrade_environ(s.anvil.chain_id)) as at,
        Chain(chain_settings(s)) as chain,
    ):
        assert (await at.request("GET", "/upgrades")).code == "unavailable"
        watched = world(s, engine, chain)
        await watched.catch_up()
        assert (await _answers(at, 200)).body["chains"][0]["operations"] == []
        call = keccak(text="setRouterAddresses(address)")[:4] + encode_address(SOMEBODY)
        operation = s.schedule(s.deployment.timelock_erc20, call)
        await watched.catch_up()
        answer = await _answers(at, 200, operation.id)
        (queue,) = answer.body["chains"]
        (shown,) = queue["operations"]
        assert queue["timelock"] == to_checksum_address(s.deployment.upgrade_timelock)
        assert (shown["state"], shown["transaction"]) == ("pending", operation.tx_hash)
        assert shown["calls"] == [
            {
                "target": to_checksum_address(s.deployment.timelock_erc20),
                "value": "0",
                "data": f"0x{call.hex()}",
                "function": "setRouterAddresses(address)",
                "arguments": {"router": to_checksum_address(SOMEBODY)},
                "asPowerfulAsAnUpgrade": "a vault obeys another router",
                "graverThanAnUpgrade": None,
            }
        ]
        s.cancel(operation)
        await watched.catch_up()
        await _answers(at, 200, "'operations': []")
        tag = (await at.request("GET", "/upgrades")).headers["ETag"]
        assert (await at.request("GET", "/upgrades", headers={"If-None-Match": tag})).status == 304


async def test_without_a_timelock_it_says_so(chain_scenario: Scenario, engine: AsyncEngine) -> None:
    async with open_world(chain_scenario, engine) as bare:
        assert (await bare.request("GET", "/upgrades")).code == "not_configured"
