"""kill -9 between every two steps of admission and broadcast: each authorization is mined once, none is lost."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import Scenario
from reminder_worker.relay.attempts import broadcast_attempts
from tests.integration.relay_authorizations import TARGET, authorization
from tests.integration.relay_process import NUMBERS, STEPS
from tests.integration.relay_world import CHAIN_ID, RelayWorld, open_world, stored_attempts

COMMITTED = ("committed", "sent", "marked as sent")


@pytest.fixture
async def world(engine: AsyncEngine, chain_scenario: Scenario) -> AsyncIterator[RelayWorld]:
    async with open_world(chain_scenario, engine) as opened:
        yield opened


async def run_process(world: RelayWorld, database_url: str, step: str) -> int:
    program = Path(__file__).with_name("relay_process.py")
    environ = world.scenario.deployment.settings_environ(CHAIN_ID, world.anvil.url)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(program),
        database_url,
        world.key,
        step,
        *(f"{name.removeprefix(f'CHAIN_{CHAIN_ID}_')}={value}" for name, value in environ.items()),
        env={**os.environ, "PYTHONPATH": str(program.parents[2])},
    )
    return await process.wait()


def mined(world: RelayWorld) -> list[str]:
    """Return the data of the wallet's transactions, by nonce."""
    blocks = (world.anvil.rpc("eth_getBlockByNumber", hex(n), True) for n in range(world.anvil.block_number() + 1))
    sent = [tx for block in blocks for tx in block["transactions"] if tx["from"] == world.wallet]
    assert [int(tx["nonce"], 16) for tx in sent] == list(range(len(sent)))
    assert {tx["to"] for tx in sent} <= {TARGET}
    return [tx["input"] for tx in sent]


@pytest.mark.parametrize("step", STEPS)
async def test_request_is_mined_once_after_a_kill_at_any_step(world: RelayWorld, database_url: str, step: str) -> None:
    """The first request is stored whole, or not at all. While it is sent, the others may follow."""
    assert await run_process(world, database_url, step) == -9
    left = await world.attempts()
    assert len(left) in (range(1, len(NUMBERS) + 1) if step in COMMITTED else [0])
    assert (await world.budget())["requests"] == len(left)

    # After the restart: what is committed is sent as it is, and the users, who got no answer, ask again.
    async with world.engine.connect() as connection:
        await broadcast_attempts(
            world.engine, world.chain, await stored_attempts(connection, world.vault, CHAIN_ID, world.wallet)
        )
    asked = (*NUMBERS, 9)
    views = [await world.admission.admit_request(authorization(number)) for number in asked]
    world.mine()
    assert mined(world) == ["0x" + authorization(number).call_data.hex() for number in asked]
    attempts = [each["tx_hash"] for each in await world.attempts()]
    assert attempts == [view.tx_hash for view in views]
    assert attempts[: len(left)] == [each["tx_hash"] for each in left]
    assert {await world.state(view) for view in views} == {"broadcast"}
    assert (await world.budget())["requests"] == len(asked)


async def test_without_a_kill_the_process_admits(world: RelayWorld, database_url: str) -> None:
    assert await run_process(world, database_url, "") == 0
    world.mine()
    assert mined(world) == ["0x" + authorization(number).call_data.hex() for number in NUMBERS]
