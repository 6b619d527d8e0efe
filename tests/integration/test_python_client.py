"""A Python client that is generated from the OpenAPI document works. It is made for this test alone."""

import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import Scenario
from tests.integration.api_world import open_world, person

ROOT = Path(__file__).parents[2]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Generated without a warning."""
    name = "generated_client"
    (tmp_path / "config.yaml").write_text("post_hooks: []\n")
    command = [str(Path(sys.executable).with_name("openapi-python-client")), "generate", "--fail-on-warning"]
    command += ["--path", str(ROOT / "tests/golden/openapi.json"), "--config", str(tmp_path / "config.yaml")]
    command += ["--meta", "none", "--output-path", str(tmp_path / name)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    monkeypatch.syspath_prepend(tmp_path)
    return name


async def test_a_generated_python_client_saves_and_reads_recipients(
    chain_scenario: Scenario, engine: AsyncEngine, package: str
) -> None:
    """A refusal is a typed value, too."""

    def load(name: str) -> Any:
        return importlib.import_module(f"{package}.{name}")

    async with open_world(chain_scenario, engine) as world:
        owner = world.owner()
        legacy = world.legacy(owner)
        ingest, read = load("api.recipients.ingest_legacy"), load("api.recipients.read_recipients")
        models = load("models")
        saving = world.ingest_body(owner, legacy, [person()])
        async with load("client").Client(base_url=world.url) as client:
            saved = await ingest.asyncio(client=client, body=models.IngestBody.from_dict(saving))
            reading = models.SignedBody.from_dict(world.signed(owner, "ReadRecipients", legacy))
            found = await read.asyncio(client=client, body=reading)
            again = await read.asyncio(client=client, body=reading)
    assert saved.saved == 1
    assert [each.email for each in found.recipients] == [person()["email"]]
    assert (type(again), again.code.value) == (models.Problem, "already_used")
