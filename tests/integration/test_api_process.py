"""Promises of the API as a process: it starts ready, ends in order, and says when a port is taken."""

import asyncio
import json
import os
import signal
import sys
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from api.server import open_servers
from devnet.scenarios import Scenario
from reminder_worker.errors import Misconfigured
from tests.integration.api_world import ENC_KEY, HASH_KEY, open_world

ROOT = Path(__file__).parents[2]
PROGRAM = """
import asyncio
from api.server import serve
from reminder_worker.logging import configure_logging
from reminder_worker.settings import Settings

settings = Settings.from_environ()
configure_logging(settings)
asyncio.run(serve(settings))
"""


@asynccontextmanager
async def _process(environ: dict[str, str]) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PROGRAM, cwd=ROOT, env=environ, stderr=asyncio.subprocess.PIPE
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


@pytest.fixture
def environ(chain_scenario: Scenario, database_url: str) -> dict[str, str]:
    anvil, deployment = chain_scenario.anvil, chain_scenario.deployment
    return {
        "PATH": os.environ["PATH"],
        "ENVIRONMENT": "local",
        "DATABASE_URL": database_url,
        "EMAIL_ENC_KEY": b64encode(ENC_KEY).decode(),
        "HASH_KEY": b64encode(HASH_KEY).decode(),
        "APP_ORIGIN": "https://app.example.org",
        "CHAINS": str(anvil.chain_id),
        "API_PORT": "0",
        "METRICS_PORT": "0",
        "LOG_FORMAT": "json",
        **deployment.settings_environ(anvil.chain_id, anvil.url),
    }


async def _next_event(process: asyncio.subprocess.Process, event: str) -> dict[str, object]:
    """Read the log up to this event."""
    assert process.stderr is not None
    async with asyncio.timeout(60):
        async for line in process.stderr:
            entry: dict[str, object] = json.loads(line)
            if entry["event"] == event:
                return entry
    raise AssertionError(f"the process ended before {event}")


async def test_it_starts_ready_and_ends_in_order(environ: dict[str, str]) -> None:
    """SIGTERM ends it with 0 although a client keeps its connection open."""
    async with _process(environ) as process, aiohttp.ClientSession() as session:
        listening_at = await _next_event(process, "listening")
        base = f"http://127.0.0.1:{listening_at['port']}"
        async with session.get(base + "/health/ready") as response:
            assert response.status == 200
            assert "Server" not in response.headers
        async with session.get(f"http://127.0.0.1:{listening_at['metrics_port']}/metrics") as response:
            assert "reminder_worker_database_up 1.0" in await response.text()
        process.send_signal(signal.SIGTERM)
        await _next_event(process, "stopping")
        assert await asyncio.wait_for(process.wait(), 60) == 0


async def test_its_requests_to_nodes_are_counted_as_those_of_the_api(
    environ: dict[str, str], engine: AsyncEngine
) -> None:
    """The check at the start asks for chain id and block; a page about an unknown gift calls contracts."""
    gift = f"/gift/{environ['CHAINS']}/7"
    async with _process({**environ, "GIFT_ORIGINS": "https://app.example.org"}) as process:
        listening_at = await _next_event(process, "listening")
        base = f"http://127.0.0.1:{listening_at['port']}"
        async with (
            aiohttp.ClientSession(base, headers={"Accept": "application/json"}) as session,
            session.get(gift) as response,
        ):
            assert response.status == 404
        process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), 60) == 0
    async with engine.connect() as connection:
        found = (await connection.execute(text("select pass, method from worker.node_request"))).all()
    assert {("api", "eth_chainId"), ("api", "eth_call")} <= {(row[0], row[1]) for row in found}
    assert {row[0] for row in found} == {"api"}


@pytest.mark.parametrize("rpc", ["", "http://127.0.0.1:9"])
async def test_endpoints_of_another_chain_are_an_error_at_the_start_and_nothing_ends(
    chain_scenario: Scenario, environ: dict[str, str], rpc: str
) -> None:
    """A second endpoint without an answer is no such error."""
    url = chain_scenario.anvil.url
    other = chain_scenario.deployment.settings_environ(5, ",".join(filter(None, (rpc, url))))
    async with _process({**environ, "CHAINS": "5", **other}) as process, aiohttp.ClientSession() as session:
        listening_at = await _next_event(process, "listening")
        said = await _next_event(process, "rpc_of_another_chain")
        assert (said["level"], said["chain_id"]) == ("error", 5)
        assert str(said["reason"]).startswith("CHAIN_5_RPC_URLS: ")
        assert f"127.0.0.1 serves chain {chain_scenario.anvil.chain_id}" in str(said["reason"])
        async with session.get(f"http://127.0.0.1:{listening_at['port']}/health/live") as response:
            assert response.status == 200
        async with session.get(f"http://127.0.0.1:{listening_at['metrics_port']}/metrics") as response:
            page = await response.text()
        up = [line.split()[-1] for line in page.splitlines() if line.startswith("reminder_worker_api_rpc_up{")]
        assert up == ["0.0"] * (1 + bool(rpc))
        process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), 60) == 0


async def test_a_taken_port_is_named_with_its_settings(chain_scenario: Scenario, engine: AsyncEngine) -> None:
    for field, settings in (("port", "API_HOST, API_PORT"), ("metrics_port", "METRICS_HOST, METRICS_PORT")):
        async with open_world(chain_scenario, engine) as world:
            port = int(world.url.rpartition(":")[2])
            taken = world.parts.settings.api.model_copy(update={field: port})
            world.parts.settings = world.parts.settings.model_copy(update={"api": taken})  # type: ignore[misc]
            with pytest.raises(Misconfigured, match=f"^{settings}: cannot listen on 127.0.0.1:{port}"):
                async with open_servers(world.parts):
                    pass
