"""Signed `/recipients` for a set of ten over HTTP, beside its recovery, chain reads and decryption done bare."""

import asyncio
import time
from collections.abc import Iterable, Sequence
from typing import Any

import aiohttp
from coincurve import PublicKey
from eth_account.messages import encode_typed_data
from eth_account.signers.local import LocalAccount
from eth_typing import Hash32
from eth_utils.crypto import keccak
from sqlalchemy import select

from api.server import open_servers
from bench.harness import RUNS, BenchFigure, interleaved
from bench.stats_rps import logging_as_served
from bench.surroundings import CHAIN_ID, RequestRecorder, chain, database, secret_urls, settings
from devnet.scenarios import Scenario
from devnet.wallet import DemoWallet
from reminder_worker.reminders.authorization import SIGNED_MESSAGE_TYPES
from reminder_worker.reminders.recipients import open_row
from reminder_worker.reminders.tables import recipient
from reminder_worker.runtime import Runtime, open_runtime
from reminder_worker.settings import Settings

PEOPLE = 10
REQUESTS = 150
DAY = 86400
_JSON = {"Content-Type": "application/json"}


async def measure() -> list[BenchFigure]:
    async with database() as (_, url):
        with chain() as scenario:
            recorder = RequestRecorder(scenario.anvil.url)
            environ = scenario.deployment.settings_environ(CHAIN_ID, scenario.anvil.url)
            limits = {"RATE_LIMIT_PER_MINUTE": "1000000", "API_PORT": "0", "METRICS_PORT": "0"}
            configured = settings(url, environ, **limits)
            async with recorder.listening() as recorded:
                reads = await _chain_reads(configured, recorded, recorder, scenario)
            with logging_as_served(configured):
                async with open_runtime(configured) as runtime, open_servers(runtime) as (port, _):
                    return await _measure(runtime, f"http://127.0.0.1:{port}/recipients", scenario, reads)


async def _chain_reads(configured: Settings, url: str, recorder: RequestRecorder, scenario: Scenario) -> list[bytes]:
    """Save the set, then read it once: what the service asked the chain for that."""
    owner = scenario.account("owner")
    people = [scenario.account(f"person {n}").address for n in range(PEOPLE)]
    scenario.subscribe_premium(owner, 400 * DAY)
    legacy = scenario.create_legacy(owner, {people[0]: 100}, inactivity=180 * DAY).address
    through = configured.chains[0].model_copy(update={"rpc_urls": secret_urls(url)})
    async with (
        open_runtime(configured.model_copy(update={"chains": (through,)})) as runtime,
        open_servers(runtime) as (port, _),
    ):
        wallet = DemoWallet(owner, f"http://127.0.0.1:{port}", CHAIN_ID)
        rows = [
            {"recipient": each, "role": "beneficiary", "email": f"p{n}@example.com", "name": "A Name"}
            for n, each in enumerate(people)
        ]
        await asyncio.to_thread(wallet.ingest, legacy, rows)
        recorder.bodies.clear()
        answer = await asyncio.to_thread(wallet.read, legacy)
        if len(answer.body["recipients"]) != PEOPLE:
            raise RuntimeError("the set was not saved")
        return list(recorder.bodies)


async def _measure(runtime: Runtime, url: str, scenario: Scenario, reads: Sequence[bytes]) -> list[BenchFigure]:
    owner = scenario.account("owner")
    async with runtime.engine.connect() as connection:
        rows = (await connection.execute(select(recipient))).all()
    first = int(time.time()) + 900  # later than the one the chain reads were taken from
    signed = iter(signed_reads(owner, [rows[0].legacy], range(first, first + RUNS * REQUESTS)))
    digest = keccak(b"any digest")
    signature = owner.unsafe_sign_hash(Hash32(digest)).signature
    compact = signature[:64] + bytes([signature[64] - 27])
    node = scenario.anvil.url

    async with aiohttp.ClientSession(headers=_JSON) as session:

        async def ours() -> None:
            for _ in range(REQUESTS):
                async with session.post(url, json=next(signed)) as answer:
                    if answer.status != 200:
                        raise RuntimeError(f"answered {answer.status}")
                    await answer.read()

        async def bare() -> None:
            for _ in range(REQUESTS):
                PublicKey.from_signature_and_message(compact, digest, hasher=None)
                for body in reads:
                    async with session.post(node, data=body) as answer:
                        await answer.read()
                for row in rows:
                    open_row(runtime.vault, row)

        seconds, floor, ratio = await interleaved(ours, bare)
    return [BenchFigure("recipients", REQUESTS / seconds, "requests/s", REQUESTS / floor, ratio, "ratio >= 0.6")]


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
