"""What a node of the chain can do to who asks it, for the proxies in front of it."""

from collections.abc import Callable

from aiohttp import web

from devnet.chain import Anvil
from tests.integration.chain_proxy import Json

BLOCKS_WITHOUT_LOGS = 8  # those that our index reads again


def answers(status: int) -> Callable[[], web.Response]:
    return lambda: web.Response(status=status)


def garbage() -> web.Response:
    return web.Response(text="<html>502</html>", content_type="text/html")


def another_chain(request: Json) -> Json | None:
    return {"result": "0x1"} if request["method"] == "eth_chainId" else None


def no_logs(request: Json, response: Json) -> Json:
    return {**response, "result": []} if request["method"] == "eth_getLogs" else response


def none_of_the_newest(head: int) -> Callable[[Json, Json], Json]:
    """As behind a load balancer: the blocks up to `head` are known, the logs of the last ones not yet."""

    def alter(request: Json, response: Json) -> Json:
        if request["method"] != "eth_getLogs" or "result" not in response:
            return response
        known = [log for log in response["result"] if int(log["blockNumber"], 16) <= head - BLOCKS_WITHOUT_LOGS]
        return {**response, "result": known}

    return alter


def behind(anvil: Anvil, blocks: int) -> Callable[[Json], Json | None]:
    """It knows nothing of the newest blocks."""
    head = max(0, anvil.block_number() - blocks)

    def answer(request: Json) -> Json | None:
        if request["method"] == "eth_blockNumber":
            return {"result": hex(head)}
        if request["method"] != "eth_getBlockByNumber":
            return None
        tag = request["params"][0]
        if tag == "latest":
            return {"result": anvil.rpc("eth_getBlockByNumber", hex(head), False)}
        return {"result": None} if tag.startswith("0x") and int(tag, 16) > head else None

    return answer
