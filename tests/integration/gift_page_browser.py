"""A visitor's browser: Debian's Chromium by Playwright, with wallets whose keys live here and all it does on record."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import pytest
from eth_account.messages import encode_typed_data
from eth_account.signers.local import LocalAccount
from playwright.async_api import Browser, BrowserContext, Page, async_playwright, expect

from devnet import gift_to_open
from devnet.chain import ChainError
from devnet.scenarios import Scenario

FLAGS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-features=HttpsUpgrades,OptimizationHints,MediaRouter,Translate",
    "--use-fake-device-for-media-stream",  # a camera without a person
    "--use-fake-ui-for-media-stream",
)
PHONE, DESKTOP = (390, 844), (1280, 900)
NOWHERE = "http://127.0.0.1:1"  # nobody listens there
ICON = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E"
REJECTED, UNKNOWN_CHAIN, UNSUPPORTED = 4001, 4902, 4200
PATIENCE_MS = 60_000  # ends a hang; a page that waits this long is broken
expect.set_options(timeout=PATIENCE_MS)


# -- what goes over the wire ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SentRequest:
    """One request, byte for byte."""

    url: str
    head: bytes = field(repr=False)
    body: bytes = field(repr=False)


@dataclass
class BrowserWire:
    """The HTTP proxy that its visitors' traffic goes through, with `whole` the browser's own too. Only what is on this
    machine is answered."""

    whole: bool
    url: str = ""
    sent: list[SentRequest] = field(default_factory=list)
    _answering: set[asyncio.Task[Any]] = field(default_factory=set)

    @property
    def bytes(self) -> bytes:
        """All that the browser sent: one of one's own, for another's also sends what is on no wire here."""
        assert self.whole
        return b"\n".join(each.head + each.body for each in self.sent)

    @asynccontextmanager
    async def serve(self) -> AsyncIterator[None]:
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with server:
            try:
                yield
            finally:  # a page may still wait for an answer: no task may outlive the loop
                for task in self._answering:
                    task.cancel()
                await asyncio.gather(*self._answering, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._answer(reader, writer))
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            method, target, rest = head.split(b" ", 2)
            lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
            body = await reader.readexactly(int(lengths[0].split(b":")[1])) if lengths else b""
            self.sent.append(SentRequest(target.decode(), head, body))
            parts = urlsplit(target.decode())
            if method == b"CONNECT" or parts.hostname != "127.0.0.1":
                writer.write(b"HTTP/1.1 502 Not Here\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                return
            up, down = await asyncio.open_connection("127.0.0.1", parts.port or 80)
            path = target[len(f"{parts.scheme}://{parts.netloc}") :]
            lines = [line for line in rest[:-4].split(b"\r\n") if not line.lower().startswith(b"proxy-connection:")]
            down.write(b" ".join((method, path, b"\r\n".join([*lines, b"Connection: close"]) + b"\r\n\r\n")) + body)
            writer.write(await up.read())
            down.close()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            with suppress(ConnectionError):
                await writer.drain()
            writer.close()


# -- wallets --------------------------------------------------------------------------------------

_ANNOUNCE = """
(([number, info]) => {
  const listeners = {};
  const provider = {
    async request({ method, params }) {
      const answer = JSON.parse(await window.__wallet(number, JSON.stringify({ method, params: params ?? [] })));
      if (answer.error) throw Object.assign(new Error(answer.error.message), answer.error);
      return answer.result;
    },
    on(name, listener) { (listeners[name] ??= []).push(listener); return provider; },
    removeListener(name, listener) {
      listeners[name] = (listeners[name] ?? []).filter((each) => each !== listener);
      return provider;
    },
  };
  const detail = Object.freeze({ info: Object.freeze(info), provider });
  const announce = () => window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  window.addEventListener("eip6963:requestProvider", announce);
  announce();
})
"""


def full_width(text: str) -> str:
    """ASCII as Japanese keyboards write it."""
    return text.translate({ord(each): chr(ord(each) + 0xFEE0) for each in text})


class WalletDeclined(Exception):
    """What a wallet answers instead of a result (EIP-1193)."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass
class InjectedWallet:
    """An extension that asks nobody: it signs for `account` unless the method is in `declines`. `chain_id` is where it
    is, `knows` where it may go. `calls` are the methods it was asked for, with their parameters."""

    scenario: Scenario
    account: LocalAccount
    name: str = "Test wallet"
    chain_id: int = 31337
    knows: set[int] = field(default_factory=lambda: {1, 31337})
    shows_late: float = 0  # seconds after a switch until `eth_chainId` is the new one
    _shown: tuple[float, int] = (0, 0)
    declines: set[str] = field(default_factory=set)
    calls: list[tuple[str, Any]] = field(default_factory=list)

    def asked(self, method: str) -> list[Any]:
        """The parameters of each such call."""
        return [params for name, params in self.calls if name == method]

    def answer(self, method: str, params: Sequence[Any]) -> Any:
        """Raises `WalletDeclined`, and `ChainError` when the node does not do it."""
        self.calls.append((method, params))
        if method in self.declines:
            raise WalletDeclined(REJECTED, "The person said no.")
        match method:
            case "eth_requestAccounts" | "eth_accounts":
                return [self.account.address]
            case "eth_chainId":
                until, before = self._shown
                return hex(before if time.monotonic() < until else self.chain_id)
            case "wallet_switchEthereumChain":
                wanted = int(params[0]["chainId"], 16)
                if wanted not in self.knows:
                    raise WalletDeclined(UNKNOWN_CHAIN, "This chain was not added.")
                self._shown = (time.monotonic() + self.shows_late, self.chain_id)
                self.chain_id = wanted
                return None
            case "eth_signTypedData_v4":
                data = json.loads(params[1]) if isinstance(params[1], str) else params[1]
                data["domain"]["chainId"] = int(str(data["domain"]["chainId"]), 0)  # as hex, too
                if data["domain"]["chainId"] != self.chain_id:
                    raise WalletDeclined(UNSUPPORTED, "The message is for another chain than the wallet's.")
                return self.account.sign_message(encode_typed_data(full_message=data)).signature.to_0x_hex()
            case "eth_sendTransaction":
                (wanted,) = params
                if self.chain_id != self.scenario.anvil.chain_id:
                    raise WalletDeclined(UNSUPPORTED, "The wallet is on another chain.")
                value = int(wanted.get("value", "0x0"), 16)
                return self.scenario.send(self.account, wanted.get("to"), wanted.get("data", "0x"), value=value)
            case "eth_sign" | "personal_sign" | "eth_signTransaction":
                raise WalletDeclined(UNSUPPORTED, "This wallet does not do that.")
        return self.scenario.anvil.rpc(method, *params)


# -- the visitor ----------------------------------------------------------------------------------

_WATCH = """
document.addEventListener("securitypolicyviolation", (event) =>
  window.__violation(`${event.effectiveDirective} ${event.blockedURI}`));
"""

# The page's pauses between two looks pass five times as fast; what it gives up after takes as long as ever.
_IN_HASTE = """
(() => {
  const wait = window.setTimeout;
  window.setTimeout = (run, pause = 0, ...more) =>
    wait(run, pause >= 1000 && pause <= 8000 ? pause / 5 : pause, ...more);
})();
"""

# Chromium on Linux has no BarcodeDetector: this stands in for it and sees what the test holds before the camera.
_BARCODE_DETECTOR_STAND_IN = """
window.__held = null;
window.BarcodeDetector = class BarcodeDetectorStandIn {
  static async getSupportedFormats() { return ["qr_code"]; }
  async detect(source) {
    if (!source) throw new TypeError("nothing to look at");
    return window.__held === null ? [] : [{ rawValue: window.__held, format: "qr_code" }];
  }
};
"""

_STORED = """
async () => JSON.stringify([
  { ...localStorage }, { ...sessionStorage }, document.cookie, history.state, window.name,
  await indexedDB.databases(), await caches.keys(),
  (await navigator.serviceWorker.getRegistrations()).map((each) => each.scope),
])
"""


@dataclass
class PageVisitor:
    """One person's browser, fresh; `page` is Playwright's.

    `wire` has every byte that its pages sent (a browser of one's own: its own affairs too), `asked` the addresses that
    they asked for, `console` every line written, `faults` the uncaught errors, `violations` what the page's policy
    refused.
    """

    context: BrowserContext
    page: Page
    wire: BrowserWire
    asked: list[str] = field(default_factory=list)
    console: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    wallets: list[InjectedWallet] = field(default_factory=list)

    async def has(self, *wallets: InjectedWallet) -> None:
        """Installed from the next page on."""
        for wallet in wallets:
            number = len(self.wallets)
            self.wallets.append(wallet)
            unique = f"00000000-0000-4000-8000-{number:012d}"
            info = {"uuid": unique, "name": wallet.name, "icon": ICON, "rdns": f"org.example.wallet{number}"}
            await self.context.add_init_script(f"{_ANNOUNCE.strip()}({json.dumps([number, info])})")

    async def has_barcode_detector(self) -> None:
        """From the next page on: the labelled stand-in, and leave to use the camera."""
        await self.context.grant_permissions(["camera"])
        await self.context.add_init_script(_BARCODE_DETECTOR_STAND_IN)

    async def holds_before_camera(self, text: str) -> None:
        await self.page.evaluate("(text) => { window.__held = text; }", text)

    async def stored(self) -> str:
        """All that the page's origin keeps in this browser."""
        kept = await self.page.evaluate(_STORED)
        return str(kept) + json.dumps(await self.context.storage_state())

    async def everything(self) -> str:
        """Whatever a secret could have got into: requests, storage, console lines, errors and reports."""
        wire = self.wire.bytes.decode("latin-1")
        return "\n".join([wire, await self.stored(), *self.console, *self.faults, *self.violations])

    def foreign(self, *ours: str) -> list[str]:
        """Addresses asked for that are of other origins than these."""
        parts = ((url, urlsplit(url)) for url in self.asked)
        return [url for url, of in parts if of.scheme != "data" and f"{of.scheme}://{of.netloc}" not in ours]

    def _ask(self, number: int, question: str) -> str:
        asked = json.loads(question)
        try:
            return json.dumps({"result": self.wallets[number].answer(asked["method"], asked["params"])})
        except WalletDeclined as declined:
            return json.dumps({"error": {"code": declined.code, "message": str(declined)}})
        except ChainError as failed:
            return json.dumps({"error": {"code": -32603, "message": str(failed)}})


Visit = Callable[..., Awaitable[PageVisitor]]
"""`new_visitor` of a browser that is there."""


def find_chromium() -> str:
    """Return the browser's path, or skip the test where there is none."""
    found = gift_to_open.find_chromium()
    if found is None:
        pytest.skip("chromium is not installed (apt-get install chromium): the gift page was not tried in a browser")
    return found


@asynccontextmanager
async def launched(proxy: str = NOWHERE) -> AsyncIterator[Browser]:
    """Skips where there is no Chromium, as `find_chromium`."""
    path = find_chromium()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=path, headless=True, args=list(FLAGS), proxy={"server": proxy}
        )
        try:
            yield browser
        finally:
            await browser.close()


@asynccontextmanager
async def open_browser() -> AsyncIterator[tuple[Browser, BrowserWire]]:
    """One that nobody else uses. Skips as `launched`."""
    wire = BrowserWire(whole=True)
    async with wire.serve(), launched(wire.url) as browser:
        yield browser, wire


@asynccontextmanager
async def visiting(browser: Browser) -> AsyncIterator[Visit]:
    """Of a browser that others use before and after, to which nothing of these visitors is left."""
    wire = BrowserWire(whole=False)
    async with wire.serve():
        try:
            yield partial(new_visitor, browser, wire)
        finally:
            for context in browser.contexts:
                await context.close()


async def new_visitor(
    browser: Browser, wire: BrowserWire, size: tuple[int, int] = DESKTOP, *, dark: bool = False, **more: Any
) -> PageVisitor:
    """`more` are options of Playwright's `new_context`: timezone_id, locale, is_mobile, reduced_motion,
    java_script_enabled."""
    context = await browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if dark else "light",
        proxy={"server": wire.url},
        **more,
    )
    context.set_default_timeout(PATIENCE_MS)
    visitor = PageVisitor(context, await context.new_page(), wire)
    context.on("request", lambda request: visitor.asked.append(request.url))
    context.on("console", lambda line: visitor.console.append(line.text))
    context.on("weberror", lambda error: visitor.faults.append(str(error.error)))
    await context.expose_function("__wallet", visitor._ask)
    await context.expose_function("__violation", lambda violation: visitor.violations.append(violation))
    await context.add_init_script(_WATCH + _IN_HASTE)
    return visitor
