"""The API as a process: its port, the metrics port, and an orderly end."""

import asyncio
import signal
import socket
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from types import FrameType
from typing import Any, Final

import structlog
import uvicorn
from httptools import HttpParserError
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

import reminder_worker.chain.questions  # noqa: F401 - now: its import would hold up the first signed message
from api.app import make_application
from api.metrics import MetricsApp, RequestMetrics
from api.stats import PublishedStats
from reminder_worker.chain.client import Chain
from reminder_worker.chain.rpc import asking_as
from reminder_worker.errors import ChainUnavailable, Misconfigured
from reminder_worker.monitoring.node_requests import store_each_minute
from reminder_worker.runtime import Runtime, open_runtime
from reminder_worker.settings import Settings

REQUEST_SECONDS: Final = 20.0  # for a whole request, or for a part of the answer to be taken: at most twice this
MAX_HEAD_BYTES: Final = 64 * 1024  # all of a request but its body: request line, headers, what frames chunks, trailers


class TimedHttpProtocol(HttpToolsProtocol):
    """HTTP protocol of uvicorn with time limits. A connection is closed without a response, as after an idle time."""

    _whole_by: asyncio.TimerHandle | None = None
    _since: float | None = None  # when a request began that is not whole yet
    _in_head = True
    _head = 0  # bytes of a request that is not whole yet, without its body
    _unsent = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as in uvicorn
        super().connection_made(transport)
        self._since = self.loop.time()
        self._whole_by = self.loop.call_later(REQUEST_SECONDS, self._check_time)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._whole_by is not None:
            self._whole_by.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._since is None:
            self._since = self.loop.time()
        self._head += len(data)
        super().data_received(data)
        if self._head > MAX_HEAD_BYTES and not self.transport.is_closing():
            self.send_400_response("The header is too large.")

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._in_head:  # not a trailer, which no proxy has looked at
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        if self.parser.should_upgrade() and any(map(_is_of_a_body, self.headers)):
            raise HttpParserError  # the parser would take the body for the next request
        self._in_head = False  # what follows is body; the application limits that
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._head -= len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._since, self._in_head, self._head = None, True, 0
        super().on_message_complete()

    def _check_time(self) -> None:
        now, unsent = self.loop.time(), self.transport.get_write_buffer_size()
        if self._is_answering():
            self._since = None
        is_slow = self._since is not None and now - self._since >= REQUEST_SECONDS
        if is_slow or (unsent and unsent >= self._unsent > 0):
            self.transport.abort()
            return
        self._unsent = unsent
        self._whole_by = self.loop.call_later(REQUEST_SECONDS, self._check_time)

    def _is_answering(self) -> bool:
        """Return True if the full request has been received and we are producing the response."""
        cycle = self.cycle
        return cycle is not None and not cycle.response_complete and not cycle.more_body


def _is_of_a_body(header: tuple[bytes, bytes]) -> bool:
    name, value = header
    return name == b"transfer-encoding" or (name == b"content-length" and value != b"0")


log = structlog.get_logger(__name__)


class SharedProcessServer(uvicorn.Server):
    """Server that leaves signals to `serve`: two servers share this process, and the runtime is closed after both."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def serve(settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT; requests under way are finished. Raises Misconfigured for a busy port."""
    stop = asyncio.Event()
    async with open_runtime(settings) as runtime:
        with _stop_on_signals(stop), asking_as("api"):
            async with (
                store_each_minute(runtime.engine, runtime.chains),
                open_servers(runtime) as (port, metrics_port),
                _check_in_background(runtime.chains.values()),
            ):
                log.info("listening", host=settings.api.host, port=port, metrics_port=metrics_port)
                await stop.wait()
        log.info("stopping")


@asynccontextmanager
async def open_servers(parts: Runtime) -> AsyncIterator[tuple[int, int]]:
    """The API and its metrics on the configured addresses; yields both ports (0 in the settings: a free one)."""
    metrics, settings = RequestMetrics(), parts.settings.api
    scrape = MetricsApp(parts.engine, parts.chains, metrics, parts.wallets, parts.settings)
    published = PublishedStats(parts.engine, [chain.settings for chain in parts.chains.values()])
    async with (
        published.keep_refreshing(),
        _open_server("API", make_application(parts, metrics, published), settings.host, settings.port) as port,
        _open_server("METRICS", scrape, settings.metrics_host, settings.metrics_port) as metrics_port,
    ):
        yield port, metrics_port


@asynccontextmanager
async def _check_in_background(chains: Iterable[Chain]) -> AsyncIterator[None]:
    """Check each chain's endpoints once in the background: the first request may come late."""
    asking = asyncio.gather(*map(_check_chain, chains))
    try:
        yield
    finally:
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)


async def _check_chain(chain: Chain) -> None:
    """No reason to stop: an endpoint of another chain is not believed, and may be mended."""
    try:
        await chain.endpoints.check_chain_ids()
    except Misconfigured as error:
        log.error("rpc_of_another_chain", chain_id=chain.chain_id, reason=str(error))
    except ChainUnavailable:
        pass  # each endpoint has said why


@asynccontextmanager
async def _open_server(part: str, app: Any, host: str, port: int) -> AsyncIterator[int]:
    """Serves on an address whose settings begin with the name of the part."""
    config = uvicorn.Config(
        app,
        http=TimedHttpProtocol,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,  # X-Forwarded-For is ours to read, and only from trusted proxies
        lifespan="off",
        ws="none",
        limit_concurrency=1000,
        timeout_graceful_shutdown=15,
    )
    server, bound = SharedProcessServer(config), _bind_socket(part, host, port)
    running = asyncio.create_task(server.serve(sockets=[bound]))
    try:
        while not server.started:
            if running.done():
                running.result()
                raise Misconfigured(f"the server did not start on {host}:{port}")
            await asyncio.sleep(0.01)
        yield int(bound.getsockname()[1])
    finally:
        server.should_exit = True
        await running
        bound.close()


def _bind_socket(part: str, host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        bound = socket.socket(family, kind, protocol)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
    except UnicodeError:
        raise Misconfigured(f"{part}_HOST: cannot listen on {host}:{port}: not the name of a host") from None
    except OSError as error:
        setting = f"{part}_HOST" if isinstance(error, socket.gaierror) else f"{part}_HOST, {part}_PORT"
        raise Misconfigured(f"{setting}: cannot listen on {host}:{port}: {error.strerror}") from None
    return bound


@contextmanager
def _stop_on_signals(stop: asyncio.Event) -> Iterator[None]:
    """SIGTERM and SIGINT set `stop`."""

    def handle(_number: int, _frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(stop.set)

    loop = asyncio.get_running_loop()
    before = {number: signal.signal(number, handle) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
