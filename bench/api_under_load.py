"""The API under wrk while the passes run in a process of their own and owners check in: how long answers take.

`python -m bench api_under_load` takes half a minute; `API_UNDER_LOAD_SECONDS=600` is the long version. Of a machine
that wrk, the node, PostgreSQL and the passes share, times say less than that every answer is good. Asked for is what is
in memory, what asks the database, and a legacy's recipients by signed reads, checked on the chain and decrypted.
"""

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, time

import msgspec
import uvloop
from eth_account.signers.local import LocalAccount
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from api.server import open_servers
from bench.dispatch import store_recipients
from bench.due import WATCH_ALL
from bench.harness import BenchFigure
from bench.recipients import signed_reads
from bench.stats_rps import RATE, logging_as_served, snapshot
from bench.surroundings import CHAIN_ID, chain, database, settings_environ, stub
from devnet.scenarios import Legacy, Scenario
from reminder_worker import passes
from reminder_worker.errors import ServiceError
from reminder_worker.features import POLLED_PASSES
from reminder_worker.runtime import open_runtime
from reminder_worker.settings import Settings
from reminder_worker.statistics.snapshots import save_snapshot

SECONDS = int(os.environ.get("API_UNDER_LOAD_SECONDS", "30"))
CONNECTIONS = 16
LEGACIES = 200
DAY = 86400
PATHS = ("/stats", "/sponsor/status", "/health/ready")
SIGNED_EVERY = 25  # requests; each uses a prepared message, since a message counts once
PREPARED_PER_SECOND = 40
LONGEST_PREPARATION = 300
_TURNS = """
local paths, turn, bodies = {{ {paths} }}, 0, {{}}
local json = {{ ["Content-Type"] = "application/json" }}
for line in io.lines("{bodies}") do
    bodies[#bodies + 1] = line
end
request = function()
    turn = turn + 1
    if turn % {every} == 0 and #bodies > 0 then
        return wrk.format("POST", "/recipients", json, table.remove(bodies))
    end
    return wrk.format("GET", paths[turn % #paths + 1])
end
"""
_UNITS = {"us": 0.001, "ms": 1.0, "s": 1000.0}
_TIMES = re.compile(rb"^\s+(50|99)%\s+([0-9.]+)(us|ms|s)$", re.M)
_SUCCEEDED = text("select exists (select from worker.pass_state where succeeded_at is not null)")
_ANSWERED = text("select count(*) from worker.used_signature")


async def measure(seconds: int = SECONDS) -> list[BenchFigure]:
    async with database() as (engine, url), stub("mail_stub") as mail_url:
        with chain() as scenario:
            environ = settings_environ(
                url,
                scenario.deployment.settings_environ(CHAIN_ID, scenario.anvil.url),
                MAIL_URL=mail_url,
                MAIL_TOKEN="bench",
                RATE_LIMIT_PER_MINUTE="100000000",
                API_PORT="0",
                METRICS_PORT="0",
                LOG_FORMAT="json",
            )
            configured = Settings.from_environ(environ)
            await save_snapshot(engine, snapshot(int(datetime.now(UTC).timestamp())))
            with logging_as_served(configured):
                async with open_runtime(configured) as runtime, open_servers(runtime) as (port, _):
                    owner, heir = scenario.account("owner"), scenario.account("heir")
                    scenario.subscribe_premium(owner, 400 * DAY)
                    legacies = scenario.bulk_create(owner, LEGACIES, {heir.address: 100})
                    while (await runtime.chain_indexes[CHAIN_ID].run()).has_more:
                        pass
                    people = [owner.address.lower(), heir.address.lower()]
                    await store_recipients(runtime, [each.address for each in legacies], people)
                    async with engine.begin() as connection:
                        await connection.execute(WATCH_ALL)
                    reads = await asyncio.to_thread(_reads, owner, [each.address for each in legacies], seconds)
                    async with _passes(environ, engine), _check_ins(scenario, legacies):
                        said = await _wrk(f"http://127.0.0.1:{port}", reads, seconds)
                    async with engine.connect() as connection:
                        answered = await connection.scalar(_ANSWERED)
    return _figures(said, int(answered or 0), seconds)


def _reads(owner: LocalAccount, legacies: list[str], seconds: int) -> list[bytes]:
    """Bodies of `POST /recipients` that are good until the end."""
    first = int(time()) + seconds + LONGEST_PREPARATION
    deadlines = range(first, first + max(1, seconds * PREPARED_PER_SECOND // len(legacies)))
    return [msgspec.json.encode(body) for body in signed_reads(owner, legacies, deadlines)]


def _figures(said: bytes, answered: int, seconds: int) -> list[BenchFigure]:
    rate = RATE.search(said)
    times = {found[1]: float(found[2]) * _UNITS[found[3].decode()] for found in _TIMES.finditer(said)}
    if rate is None or len(times) != 2:
        raise RuntimeError("wrk: " + said.decode())
    errors = sum(int(number) for number in re.findall(rb"Non-2xx or 3xx responses: (\d+)", said))
    for line in re.findall(rb"Socket errors: (.+)", said):
        errors += sum(int(number) for number in re.findall(rb"\d+", line))
    return [
        BenchFigure("api_under_load.p50", times[b"50"], f"ms, {CONNECTIONS} connections, {seconds} s"),
        BenchFigure("api_under_load.p99", times[b"99"], f"ms, {CONNECTIONS} connections, {seconds} s"),
        BenchFigure("api_under_load.rate", float(rate[1]), "requests/s"),
        BenchFigure("api_under_load.signed", answered / seconds, "signed reads of recipients/s among them"),
        BenchFigure("api_under_load.errors", errors, "answers that were not good", None, None, "0"),
    ]


async def _wrk(url: str, reads: list[bytes], seconds: int) -> bytes:
    with TemporaryDirectory(prefix="rw-bench-") as directory:
        script, bodies = Path(directory) / "turns.lua", Path(directory) / "bodies"
        bodies.write_bytes(b"\n".join(reads))
        paths = ", ".join(f'"{path}"' for path in PATHS)
        script.write_text(_TURNS.format(paths=paths, bodies=bodies, every=SIGNED_EVERY))
        command = ("wrk", "-t", "1", "-c", str(CONNECTIONS), "-d", f"{seconds}s", "--latency", "-s", str(script), url)
        process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        said, _ = await process.communicate()
    return said


@asynccontextmanager
async def _passes(environ: Mapping[str, str], engine: AsyncEngine) -> AsyncIterator[None]:
    """Under way: the first of them has succeeded."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bench.api_under_load",
        env={**os.environ, **environ},
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(60), engine.connect() as connection:
            while not await connection.scalar(_SUCCEEDED):
                await connection.rollback()
                await asyncio.sleep(0.1)
        yield
        if process.returncode is not None:
            raise RuntimeError("the passes ended before the measurement")
    finally:
        with suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM)
        await process.wait()


@asynccontextmanager
async def _check_ins(scenario: Scenario, legacies: list[Legacy]) -> AsyncIterator[None]:
    """Check in an owner each second, as a source of logs, signals and windows."""

    async def check_in() -> None:
        owner = scenario.account("owner")
        while True:
            for legacy in legacies:
                await asyncio.to_thread(scenario.check_in, owner, legacy)
                await asyncio.sleep(1)

    working = asyncio.create_task(check_in())
    try:
        yield
        if working.done():
            working.result()
    finally:
        working.cancel()
        with suppress(asyncio.CancelledError):
            await working


async def _run_passes() -> None:
    """Poll every pass at its interval until the process is terminated."""
    async with open_runtime(Settings.from_environ()) as runtime:
        on = [each for each in POLLED_PASSES if each.off(runtime.settings) is None]
        next_look = dict.fromkeys((each.name for each in on), 0.0)
        while True:
            for each in on:
                if monotonic() < next_look[each.name]:
                    continue
                next_look[each.name] = monotonic() + each.every_seconds
                if any(outcome.due for outcome in await passes.poll_pass(runtime, each)):
                    with suppress(ServiceError):
                        await passes.run_pass(runtime, each)
            await asyncio.sleep(0.2)


if __name__ == "__main__":
    uvloop.run(_run_passes())
