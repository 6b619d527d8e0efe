"""Settings of the local chain, and an RPC endpoint on loopback that misbehaves as told in front of its node."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
from aiohttp import web

from devnet.chain import Anvil
from devnet.scenarios import Scenario
from reminder_worker.settings import ChainSettings

Json = dict[str, Any]
Alter = Callable[[Json, Json], Json]
Answer = Callable[[Json], Json | None]
SILENCE: Json = {"error": {"code": -32000, "message": "header not found"}}
"""Of a node that has no block: an answer that says nothing."""


def says_nothing(_: Json) -> Json | None:
    """As `answer` of a proxy."""
    return SILENCE


def alters(method: str, change: Callable[[Json, Any], Any]) -> Alter:
    """Return an `alter` of a proxy that changes the result of one method."""

    def alter(request: Json, response: Json) -> Json:
        if request["method"] != method or "result" not in response:
            return response
        return response | {"result": change(request, response["result"])}

    return alter


def chain_settings(scenario: Scenario, *urls: str, **more: Any) -> ChainSettings:
    """Settings of the local chain behind these endpoints; `more` by environment names without the prefix."""
    environ = scenario.deployment.settings_environ(31337, ",".join(urls))
    values = {name.removeprefix("CHAIN_31337_"): value for name, value in environ.items()}
    return ChainSettings.model_validate({"chain_id": 31337, "RPC_TIMEOUT": 5.0, **values, **more})


class NodeProxy:
    """`answer`: an RPC request to a response object, or None to ask the node. `reply`: an HTTP answer to everything.
    `alter`: the node's response to what is sent instead."""

    def __init__(self, node_url: str, secret: str = "") -> None:
        self._node_url = node_url
        self._path = f"/{secret}"
        self._runner: web.AppRunner | None = None
        self._session: aiohttp.ClientSession | None = None
        self.url = ""
        self.posts: list[Json | list[Json]] = []
        self.answer: Callable[[Json], Json | None] = lambda request: None
        self.alter: Callable[[Json, Json], Json] = lambda request, response: response
        self.reply: Callable[[], web.Response] | None = None
        self.hang = False
        self._is_well = asyncio.Event()
        self.most_in_a_batch = 1000
        self.refuses_batches: Callable[[list[Json], Json], web.Response] = lambda _batch, refusal: web.json_response(
            {"jsonrpc": "2.0", "id": None, **refusal}, status=400
        )
        self.largest = 64 * 1024 * 1024
        self.status_of_refusals = 0  # in place of a whole batch, if `answer` refuses one of its requests

    @property
    def requests(self) -> list[Json]:
        return [each for post in self.posts for each in (post if isinstance(post, list) else [post])]

    def methods(self) -> list[str]:
        return [request["method"] for request in self.requests]

    @property
    def asked(self) -> Counter[str]:
        """How often each method, since `posts` was cleared."""
        return Counter(self.methods())

    def well(self) -> None:
        self.answer = lambda request: None
        self.alter = lambda request, response: response
        self.reply = None
        self.hang = False
        self._is_well.set()  # who hangs has an answer
        self._is_well = asyncio.Event()

    async def start(self) -> None:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_post(self._path, self._serve)
        self._session = aiohttp.ClientSession()
        self._runner = web.AppRunner(app, shutdown_timeout=0.1, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        port = self._runner.addresses[0][1]
        self.url = f"http://127.0.0.1:{port}{self._path}"

    async def stop(self) -> None:
        assert self._runner is not None
        assert self._session is not None
        await self._runner.cleanup()
        await self._session.close()

    async def _serve(self, http: web.Request) -> web.StreamResponse:
        if len(await http.read()) > self.largest:
            return web.Response(status=413)
        body = json.loads(await http.read())
        self.posts.append(body)
        if self.hang:
            await self._is_well.wait()
        if self.reply is not None:
            return self.reply()
        if isinstance(body, list) and len(body) > self.most_in_a_batch:
            return self.refuses_batches(body, {"error": {"code": -32600, "message": "batch too large"}})
        batch = body if isinstance(body, list) else [body]
        if self.status_of_refusals and any("error" in (self.answer(each) or {}) for each in batch):
            return web.Response(status=self.status_of_refusals, text="refused")
        if isinstance(body, list):
            return web.json_response([await self._one(each) for each in body])
        return web.json_response(await self._one(body))

    async def _one(self, request: Json) -> Json:
        told = self.answer(request)
        if told is not None:
            return {"jsonrpc": "2.0", "id": request["id"], **told}
        assert self._session is not None
        async with self._session.post(self._node_url, json=request) as response:
            found: Json = await response.json()
        return self.alter(request, found)


def refused(message: str) -> Json:
    """A JSON-RPC error of the node."""
    return {"error": {"code": -32005, "message": message}}


def limited_by_second(most: int, clock: Callable[[], float], refusal: Json) -> Callable[[Json], Json | None]:
    """A provider with a limit of requests in each second of `clock`. It refuses the others with this error."""
    seconds: Counter[int] = Counter()

    def answer(request: Json) -> Json | None:
        seconds[int(clock())] += 1
        return refusal if seconds[int(clock())] > most else None

    return answer


def stopped(anvil: Anvil) -> Callable[[Json], Json | None]:
    """A node that answers as ever and imports no block from now on. Its newest one has a time at which others are
    asked, too, and are believed rather than it, wherever a test has set the chain's clock."""
    head = anvil.block_number()
    newest = {**anvil.rpc("eth_getBlockByNumber", hex(head), False), "timestamp": hex(2**33)}

    def lacks(place: Any) -> bool:
        if isinstance(place, dict):
            block = anvil.rpc("eth_getBlockByHash", place["blockHash"], False)
            return block is None or int(block["number"], 16) > head
        return isinstance(place, str) and place.startswith("0x") and int(place, 16) > head

    def answer(request: Json) -> Json | None:
        method, params = request["method"], request["params"]
        if method == "eth_getBlockByNumber":
            return {"result": newest} if params[0] == "latest" else {"result": None} if lacks(params[0]) else None
        if method in ("eth_call", "eth_simulateV1", "eth_getTransactionCount") and lacks(params[1]):
            return {"error": {"code": -32000, "message": "header not found"}}
        if params and params[-1] == "latest":
            params[-1] = hex(head)
        return None

    return answer


@asynccontextmanager
async def proxy(node_url: str, secret: str = "") -> AsyncIterator[NodeProxy]:
    made = NodeProxy(node_url, secret)
    await made.start()
    try:
        yield made
    finally:
        await made.stop()


@dataclass(frozen=True)
class TwoEndpoints:
    """Two endpoints of one node. `first` is asked first."""

    first: NodeProxy
    second: NodeProxy

    @property
    def urls(self) -> str:
        return f"{self.first.url},{self.second.url}"

    @property
    def environ(self) -> dict[str, str]:
        return {"CHAIN_31337_RPC_URLS": self.urls}

    def each_order(self, lie: Alter, silence: Answer = says_nothing) -> Iterator[str]:
        """Yield the name of each of four orders: the first or the second endpoint lies, the other is honest or silent.

        Both endpoints are well before an order with a new liar, and after the last order.
        """
        for liar, other, name in ((self.first, self.second, "first"), (self.second, self.first, "second")):
            liar.alter = lie
            yield f"the {name} endpoint lies"
            other.answer = silence
            yield f"the {name} endpoint lies, and the other one is silent"
            liar.well()
            other.well()


@asynccontextmanager
async def two_endpoints(node_url: str) -> AsyncIterator[TwoEndpoints]:
    async with proxy(node_url) as first, proxy(node_url) as second:
        yield TwoEndpoints(first, second)


def gives_gas(gas: int) -> Answer:
    """As `answer` of a node with so much gas for a call."""

    def answer(request: Json) -> None:
        if request["method"] == "eth_call":
            request["params"][0]["gas"] = hex(gas)

    return answer


def refuses_code(request: Json) -> Json | None:
    """As an answer of a proxy: no call runs without a contract (`to`)."""
    runs = request["method"] == "eth_call" and "to" not in request["params"][0]
    return {"error": {"code": -32602, "message": "missing field `to`"}} if runs else None
