"""A real browser: Debian's chromium without a window, driven over the DevTools protocol, all its traffic on record."""

import asyncio
import base64
import os
import shutil
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from tempfile import TemporaryDirectory
from typing import Any

import aiohttp
import pytest

REQUIRED = "REQUIRE_BROWSER"
NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--disable-features=HttpsUpgrades,OptimizationHints,MediaRouter,Translate",
    "--proxy-bypass-list=<-loopback>",  # nothing goes past the proxy, not even to this machine
    "--remote-debugging-port=0",
)


def find_chromium() -> str:
    """Skips the test where there is none, by name; where one is required that is a failure."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        reason = "chromium is not installed (apt-get install chromium): the gift page was not tried in a browser"
        if os.environ.get(REQUIRED):
            pytest.fail(f"{REQUIRED} is set, and {reason}")
        pytest.skip(reason)
    return found


@dataclass
class Recorder:
    """An HTTP proxy that serves one host from a port of ours, refuses all others and keeps what every request said."""

    host: str
    port: int
    requests: list[bytes] = field(default_factory=list)

    @asynccontextmanager
    async def serve(self) -> AsyncIterator[int]:
        server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        async with server:
            yield server.sockets[0].getsockname()[1]

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            self.requests.append(head)
            method, target, rest = head.split(b" ", 2)
            start = f"http://{self.host}".encode()
            if method != b"GET" or not target.startswith(start + b"/"):
                writer.write(b"HTTP/1.1 502 Not Here\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                return
            up, down = await asyncio.open_connection("127.0.0.1", self.port)
            down.write(b" ".join((method, target.removeprefix(start), rest[:-2])) + b"Connection: close\r\n\r\n")
            writer.write(await up.read())
            down.close()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            await writer.drain()
            writer.close()


class Tab:
    """One page of the browser. `events` are all that DevTools told, in order."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._session: str | None = None
        self._numbers = count(1)
        self._calls: dict[int, asyncio.Future[Any]] = {}
        self._loaded = asyncio.Event()
        self.events: list[dict[str, Any]] = []

    async def open(self) -> None:
        target = (await self.call("Target.createTarget", url="about:blank"))["targetId"]
        self._session = (await self.call("Target.attachToTarget", targetId=target, flatten=True))["sessionId"]
        for domain in ("Page", "Network", "Log", "Runtime"):
            await self.call(f"{domain}.enable")

    async def listen(self) -> None:
        async for message in self._socket:
            said = message.json()
            if "id" in said:
                self._calls.pop(said["id"]).set_result(said)
                continue
            self.events.append(said)
            if said["method"] == "Page.loadEventFired":
                self._loaded.set()

    async def call(self, method: str, **params: Any) -> Any:
        number = next(self._numbers)
        answer = self._calls[number] = asyncio.get_running_loop().create_future()
        session = {"sessionId": self._session} if self._session else {}
        await self._socket.send_json({"id": number, "method": method, "params": params, **session})
        said = await asyncio.wait_for(answer, 30)
        assert "error" not in said, said
        return said["result"]

    async def visit(self, url: str) -> None:
        """Returns when the page and its images are loaded."""
        self._loaded.clear()
        await self.call("Page.navigate", url=url)
        await asyncio.wait_for(self._loaded.wait(), 30)

    async def value(self, expression: str) -> Any:
        """Of a JavaScript expression in the page."""
        found = await self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    async def picture(self, width: int, height: int, *, dark: bool = False) -> bytes:
        """PNG of the page in a window of this size."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        await self.call("Emulation.setEmulatedMedia", features=[scheme])
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        await self.call("Emulation.setDeviceMetricsOverride", **size)
        return base64.b64decode((await self.call("Page.captureScreenshot", captureBeyondViewport=True))["data"])

    def told(self, method: str) -> list[dict[str, Any]]:
        return [event["params"] for event in self.events if event["method"] == method]


@asynccontextmanager
async def browse(proxy_port: int) -> AsyncIterator[Tab]:
    """A tab of a fresh browser, all of whose traffic goes through the proxy."""
    with TemporaryDirectory(prefix="rw-browser-", ignore_cleanup_errors=True) as folder:
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
        process = await asyncio.create_subprocess_exec(
            find_chromium(),
            *FLAGS,
            *sandbox,
            f"--user-data-dir={folder}",
            f"--proxy-server=http://127.0.0.1:{proxy_port}",
            "about:blank",
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        assert process.stderr is not None
        try:
            address = await asyncio.wait_for(_address(process.stderr), 30)
            async with aiohttp.ClientSession() as session, session.ws_connect(address, max_msg_size=0) as socket:
                tab = Tab(socket)
                tasks = [asyncio.create_task(work) for work in (tab.listen(), process.stderr.read())]
                await tab.open()
                yield tab
                for task in tasks:
                    task.cancel()
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            await process.wait()


async def _address(said: asyncio.StreamReader) -> str:
    """Where DevTools listens, which the browser says when it does."""
    async for line in said:
        if line.startswith(b"DevTools listening on "):
            return line.decode().split()[-1]
    raise AssertionError("the browser ended before it was ready")
