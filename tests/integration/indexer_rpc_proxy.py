"""A node between the service and anvil that misbehaves as nodes do: refuses ranges, answers late, changes meanwhile."""

from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from devnet.chain import Anvil

Rule = Callable[[str, list[Any]], Any]
"""Method and parameters to the answer in anvil's place, `PASS` to ask anvil, or raises `Refusal`."""
PASS = object()


class Refusal(Exception):
    """A JSON-RPC error of the node."""


def ten_blocks_at_once(method: str, params: list[Any]) -> Any:
    """A rule: as some providers have it in their small plans."""
    if method == "eth_getLogs" and int(params[0]["toBlock"], 16) - int(params[0]["fromBlock"], 16) > 9:
        raise Refusal("up to a 10 block range")
    return PASS


class RpcProxy:
    """`async with` it; set `rule` to misbehave, until `well`. `asked` counts the requests by method."""

    def __init__(self, anvil: Anvil) -> None:
        self._anvil = anvil
        self.rule: Rule
        self.well()
        self.asked: dict[str, int] = {}
        self._runner: web.AppRunner | None = None
        self.url = ""

    def well(self) -> None:
        """It answers as anvil does."""
        self.rule = lambda _method, _params: PASS

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_post("/", self._serve)
        self._runner = web.AppRunner(app)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    async def _serve(self, request: web.Request) -> web.Response:
        body = await request.json()
        answers = [self._answer(one) for one in (body if isinstance(body, list) else [body])]
        return web.json_response(answers if isinstance(body, list) else answers[0])

    def _answer(self, request: Any) -> Any:
        method, params = request["method"], request.get("params", [])
        self.asked[method] = self.asked.get(method, 0) + 1
        envelope = {"jsonrpc": "2.0", "id": request["id"]}
        try:
            answer = self.rule(method, params)
        except Refusal as refusal:
            return {**envelope, "error": {"code": -32005, "message": str(refusal)}}
        return {**envelope, "result": self._anvil.rpc(method, *params) if answer is PASS else answer}
