"""Each image has the packages that its parts import: with only these, every part starts."""

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE
from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path

import aiohttp

from bench.image import link_image, list_code, list_packages
from devnet.chain import usable_port
from devnet.scenarios import Scenario
from tests.integration.api_world import ENC_KEY, HASH_KEY

# Import every module of the image's own code, print those that lack a package, and become the part.
PROGRAM = """
import importlib, json, pkgutil, runpy, sys

lacking = {}
for name in sys.argv[1].split(","):
    for module in pkgutil.walk_packages(importlib.import_module(name).__path__, f"{name}."):
        if "migrations" not in module.name and not module.name.endswith("__main__"):
            try:
                importlib.import_module(module.name)
            except ModuleNotFoundError as error:
                lacking[module.name] = error.name
print(json.dumps(lacking), flush=True)
sys.argv = sys.argv[2:]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""
STATISTICS = "reminder_worker.statistics."


async def _start(image: str, folder: Path, environ: Mapping[str, str], *part: str, ready_at: str) -> dict[str, str]:
    """Start a part with the packages of its image alone and wait until it is ready; return the modules that lack one.

    `ready_at`: an address, or a socket's path.
    """
    link_image(image, folder)
    log = folder / "log"
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-S", "-c", PROGRAM, ",".join(list_code(image)), *part),
        cwd=folder,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(folder), **environ},
        stdout=PIPE,
        stderr=log.open("w"),
    )
    assert process.stdout is not None
    try:
        lacking: dict[str, str] = json.loads(await process.stdout.readline() or "{}")
        async with aiohttp.ClientSession() as session, asyncio.timeout(120):
            while not await _is_ready(session, ready_at):
                assert process.returncode is None, log.read_text()
                await asyncio.sleep(0.05)
        return lacking
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def _is_ready(session: aiohttp.ClientSession, at: str) -> bool:
    if not at.startswith("http"):
        return Path(at).exists()  # noqa: ASYNC240 - a socket, not a disk
    try:
        async with session.get(f"{at}/health/ready") as answer:
            return answer.status == 200
    except aiohttp.ClientConnectionError:
        return False


async def test_each_part_starts_with_the_packages_of_its_image_alone(
    chain_scenario: Scenario, database_url: str, tmp_path: Path
) -> None:
    anvil, ports = chain_scenario.anvil, [str(usable_port()) for _ in range(3)]
    worker = {
        "ENVIRONMENT": "local",
        "DATABASE_URL": database_url,
        "EMAIL_ENC_KEY": b64encode(ENC_KEY).decode(),
        "HASH_KEY": b64encode(HASH_KEY).decode(),
        "APP_ORIGIN": "https://app.example.org",
        "CHAINS": str(anvil.chain_id),
        "API_PORT": ports[0],
        "METRICS_PORT": ports[1],
        "STATISTICS_FOLDER": "s3://numbers/of-all-parts",
        **chain_scenario.deployment.settings_environ(anvil.chain_id, anvil.url),
    }
    mail = {
        "MAIL_SERVICE_DATABASE_URL": database_url,
        "MAIL_SERVICE_TOKEN": "a-token-for-the-tests",
        "MAIL_SERVICE_HASH_KEY": b64encode(HASH_KEY).decode(),
        "MAIL_SERVICE_PUBLIC_URL": "http://127.0.0.1:8090",
        "MAIL_SERVICE_PORT": ports[2],
        "APP_ORIGIN": "https://app.example.org",
        "MAIL_FROM": "Reminders <reminders@mail.example.org>",
        "SMTP_HOST": "127.0.0.1",
        "SMTP_PORT": "25",
        "SMTP_TLS": "none",
    }
    code = ("pipelines.code_server", "--socket", str(tmp_path / "code.sock"), "-m", "pipelines.definitions")
    api_lacks, mail_lacks, passes_lack = await asyncio.gather(
        _start(
            "api",
            tmp_path / "api",
            worker,
            "reminder_worker.cli.main",
            "serve",
            ready_at=f"http://127.0.0.1:{ports[0]}",
        ),
        _start("mail", tmp_path / "mail", mail, "mail_service", ready_at=f"http://127.0.0.1:{ports[2]}"),
        _start("passes", tmp_path / "passes", worker, *code, ready_at=str(tmp_path / "code.sock")),
    )
    assert (mail_lacks, passes_lack) == ({}, {})
    assert set(api_lacks.values()) == {"polars"}, "only the pass of the statistics reads with Polars"
    assert all(name.startswith(STATISTICS) for name in api_lacks)


def test_only_the_image_of_the_passes_has_what_only_they_need() -> None:
    heavy = {"polars", "dagster", "dagster-webserver", "kubernetes", "botocore", "google-cloud-storage"}
    names = {image: {package.name.lower() for package in list_packages(image)} for image in ("api", "mail", "passes")}
    assert heavy <= names["passes"]
    assert not heavy & (names["api"] | names["mail"])
    assert "web3" not in names["mail"]
