"""CPU of a hundred streams that follow as many open requests, whose states do not change.

The client shares the API's process, and is silent. The processor time of the API without a stream is subtracted, and
that of its database connections is counted.
"""

import asyncio
from contextlib import AsyncExitStack
from time import process_time

import aiohttp
import psutil
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from api.request_events import MOST_STREAMS
from api.server import open_servers
from bench.harness import BenchFigure
from bench.relay_latency import LIMITS
from bench.surroundings import CHAIN_ID, chain, database, settings
from bench.withdrawals import relayer
from reminder_worker.relay.factory import RELAYER
from reminder_worker.runtime import Runtime, open_runtime

SECONDS = 30
_REQUESTS = text("""
    insert into worker.relay_request (
        id, chain_id, wallet, lane, digest, router, subject_id, signer, creator, nonce, deadline, state, gas_limit
    )
    select
        gen_random_uuid(), :chain, :wallet, 'gift_withdraw', sha256(n::text::bytea), '0x1', n, '0x' || n, '0x1', 0,
        2000000000, 'queued', 500000
    from generate_series(1, :count) n
    returning id
""")
_BACKENDS = text("select pid from pg_stat_activity where datname = current_database()")


async def measure(seconds: float = SECONDS) -> list[BenchFigure]:
    async with database() as (_, url):
        with chain() as scenario:
            relayer(scenario)
            environ = scenario.deployment.settings_environ(CHAIN_ID, scenario.anvil.url)
            limits = {**LIMITS, "TRUSTED_PROXIES": "127.0.0.1"}
            async with (
                open_runtime(settings(url, environ, **limits)) as runtime,
                open_servers(runtime) as (port, _),
                AsyncExitStack() as opened,
            ):
                idle = await _cores(runtime.engine, seconds)
                await _follow(runtime, f"http://127.0.0.1:{port}", opened)
                busy = await _cores(runtime.engine, seconds)
    about = f"cores of the API and its database connections, {MOST_STREAMS} streams"
    return [BenchFigure("streams", busy - idle, about, None, None, "<= 0.02")]


async def _follow(runtime: Runtime, url: str, opened: AsyncExitStack) -> None:
    """Open a stream for each of as many requests, and read its first event."""
    admission = runtime.relaying.admissions[RELAYER]
    await admission.wallet.open(CHAIN_ID)
    async with runtime.engine.begin() as connection:
        values = {"chain": CHAIN_ID, "wallet": admission.signer.address, "count": MOST_STREAMS}
        ids = (await connection.execute(_REQUESTS, values)).scalars().all()
    session = await opened.enter_async_context(aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)))
    for number, id in enumerate(ids):
        client = {"X-Forwarded-For": f"203.0.113.{number}"}
        asked = session.get(f"{url}/sponsor/requests/{id}/events", headers=client)
        answer = await opened.enter_async_context(asked)
        if answer.status != 200:
            raise RuntimeError(f"a stream was refused: {answer.status}")
        await answer.content.readline()


async def _cores(engine: AsyncEngine, seconds: float) -> float:
    """Return the processor time of a second."""
    before = process_time() + await _database_time(engine)
    await asyncio.sleep(seconds)
    return (process_time() + await _database_time(engine) - before) / seconds


async def _database_time(engine: AsyncEngine) -> float:
    async with engine.connect() as connection:
        pids = (await connection.execute(_BACKENDS)).scalars().all()
    times = [psutil.Process(pid).cpu_times() for pid in pids]
    return float(sum(each.user + each.system for each in times))
