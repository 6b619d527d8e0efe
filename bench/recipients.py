"""Signed `/recipients` for a set of ten over HTTP: its requests to the node, and its time with a near and a far node.

The client and the far node are processes of their own, outside of the measured process.
"""

import asyncio
import json
import time
from collections.abc import Iterable, Sequence
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from eth_account.messages import encode_typed_data
from eth_account.signers.local import LocalAccount

from api.server import open_servers
from bench.client import post_in_order
from bench.harness import BenchFigure
from bench.stats_rps import logging_as_served
from bench.surroundings import CHAIN_ID, RequestRecorder, chain, database, secret_urls, settings, stub
from devnet.scenarios import Scenario
from devnet.wallet import DemoWallet
from reminder_worker.monitoring.node_bill import find_prices
from reminder_worker.reminders.authorization import SIGNED_MESSAGE_TYPES
from reminder_worker.runtime import open_runtime
from reminder_worker.settings import Settings

PEOPLE = 10
REQUESTS = 150
WARM = 5  # the first read of a process asks the node more: these are not measured
FAR_MILLISECONDS = 50
DAY = 86400


async def measure() -> list[BenchFigure]:
    async with database() as (_, url):
        with chain() as scenario:
            environ = scenario.deployment.settings_environ(CHAIN_ID, scenario.anvil.url)
            limits = {"RATE_LIMIT_PER_MINUTE": "1000000", "API_PORT": "0", "METRICS_PORT": "0"}
            configured = settings(url, environ, **limits)
            legacy = await _save_set(configured, scenario)
            with logging_as_served(configured):
                requests, units = await _count_requests(configured, scenario, legacy)
                near = await _read(configured, scenario, legacy, REQUESTS, 1)
                node = urlsplit(scenario.anvil.url)
                async with stub("far_node", str(node.hostname), str(node.port), str(FAR_MILLISECONDS)) as far_url:
                    far = await _read(_through(configured, far_url), scenario, legacy, REQUESTS, 2)
    return [
        BenchFigure("recipients", 1000 / median(near), "reads/s, one client"),
        BenchFigure("recipients.requests", requests, "requests to the node", None, None, "<= 1"),
        BenchFigure("recipients.units", units, "compute units", None, None, "<= 46"),
        BenchFigure("recipients.far", median(far), f"ms, node {FAR_MILLISECONDS} ms away", None, None, "<= 65"),
    ]


async def _save_set(configured: Settings, scenario: Scenario) -> str:
    owner = scenario.account("owner")
    people = [scenario.account(f"person {n}").address for n in range(PEOPLE)]
    scenario.subscribe_premium(owner, 400 * DAY)
    legacy = scenario.create_legacy(owner, {people[0]: 100}, inactivity=180 * DAY).address
    async with open_runtime(configured) as runtime, open_servers(runtime) as (port, _):
        wallet = DemoWallet(owner, f"http://127.0.0.1:{port}", CHAIN_ID)
        rows = [
            {"recipient": each, "role": "beneficiary", "email": f"p{n}@example.com", "name": "A Name"}
            for n, each in enumerate(people)
        ]
        await asyncio.to_thread(wallet.ingest, legacy, rows)
        answer = await asyncio.to_thread(wallet.read, legacy)
    if len(answer.body["recipients"]) != PEOPLE:
        raise RuntimeError("the set was not saved")
    return legacy


async def _count_requests(configured: Settings, scenario: Scenario, legacy: str) -> tuple[float, float]:
    """Return HTTP requests to the node and their compute units, for a read after the first few."""
    recorder, read = RequestRecorder(scenario.anvil.url), 10
    async with recorder.listening() as url:
        await _read(_through(configured, url), scenario, legacy, 0, 3)
        first = len(recorder.bodies)  # of a new process and its first reads
        recorder.clear()
        await _read(_through(configured, url), scenario, legacy, read, 0)
    units = sum(map(find_prices("https://alchemy.com").price_of, recorder.list_methods(first)))
    return (len(recorder.bodies) - first) / read, units / read


async def _read(configured: Settings, scenario: Scenario, legacy: str, count: int, turn: int) -> list[float]:
    """Read as often from a new process, one after the other; return milliseconds after the first few."""
    first = int(time.time()) + 900 + 300 * turn  # each signed read counts once
    bodies = signed_reads(scenario.account("owner"), [legacy], range(first, first + WARM + count))
    async with open_runtime(configured) as runtime, open_servers(runtime) as (port, _):
        times = await post_in_order(
            f"http://127.0.0.1:{port}/recipients", [json.dumps(each).encode() for each in bodies]
        )
    return times[WARM:]


def _through(configured: Settings, url: str) -> Settings:
    through = configured.chains[0].model_copy(update={"rpc_urls": secret_urls(url)})
    return configured.model_copy(update={"chains": (through,)})


def signed_reads(owner: LocalAccount, legacies: Sequence[str], deadlines: Iterable[int]) -> list[dict[str, Any]]:
    """For `POST /recipients`: of each legacy with each deadline, since a digest is spent once used."""
    domain = {"name": "Reminder Worker", "version": "1", "chainId": CHAIN_ID}
    types = {"ReadRecipients": [dict(field) for field in SIGNED_MESSAGE_TYPES["ReadRecipients"]]}
    made = []
    for deadline in deadlines:
        for legacy in legacies:
            message = {"legacy": legacy, "deadline": deadline}
            signature = owner.sign_message(encode_typed_data(domain, types, message)).signature.hex()
            made.append({**message, "chainId": CHAIN_ID, "signature": "0x" + signature.removeprefix("0x")})
    return made
