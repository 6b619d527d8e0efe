"""Questions that web3 forms, and whose answers web3 reads. Import this module inside the function that needs it.

web3 imports eth-account, see `accounts.py`. It reads no answer as a node sends it: `EndpointProvider` decodes each
answer with the type of its method first. Therefore its errors have no words of a node and no address.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Annotated, Any, Final

import msgspec
from web3 import AsyncWeb3
from web3.eth import AsyncEth
from web3.exceptions import Web3Exception
from web3.providers.async_base import AsyncJSONBaseProvider
from web3.types import RPCEndpoint, RPCResponse

from reminder_worker.chain import accounts, wire  # noqa: F401 - accounts: web3 raises the recursion limit, too
from reminder_worker.chain.rpc import Answer, Request
from reminder_worker.chain.rpc_errors import unless_error

Question = Callable[[AsyncEth], Awaitable[Any]]
"""A call of web3, such as `lambda eth: eth.get_balance(address)`."""


class WireFees(msgspec.Struct, rename="camel"):
    base_fee_per_gas: Annotated[list[wire.Quantity], msgspec.Meta(min_length=1)]
    reward: list[list[wire.Quantity]] | None = None


_TYPES: Final[Mapping[str, Any]] = {
    "eth_feeHistory": WireFees,
    "eth_getBalance": wire.Quantity,
    "eth_getBlockByNumber": wire.WireBlock,
    "eth_getCode": wire.Hex,
    "eth_getTransactionCount": wire.Count,
}
"""Type of an answer, by method. Nothing else is asked."""


class EndpointProvider(AsyncJSONBaseProvider):
    """web3 provider that asks one endpoint, and gives web3 well-formed results only."""

    def __init__(self, ask: Callable[[Sequence[Request]], Awaitable[Sequence[Answer]]]) -> None:
        super().__init__()
        self._ask = ask

    async def make_batch_request(self, requests: list[tuple[RPCEndpoint, Any]]) -> list[RPCResponse]:
        """Return the results in order. Raises as `ask_web3`."""
        responses: list[RPCResponse] = []
        for (method, _), answer in zip(requests, await self._ask(requests), strict=True):
            result = msgspec.to_builtins(wire.decode_result(unless_error(answer), _TYPES[method]))
            responses.append({"jsonrpc": "2.0", "id": len(responses), "result": result})
        return responses


def connect_web3(ask: Callable[[Sequence[Request]], Awaitable[Sequence[Answer]]]) -> AsyncWeb3[EndpointProvider]:
    """Return web3 for one endpoint. Without middleware it asks nothing by itself."""
    return AsyncWeb3(EndpointProvider(ask), middleware=[])


async def ask_web3(web3: AsyncWeb3[EndpointProvider], questions: Sequence[Question]) -> Sequence[Any]:
    """Ask all questions in one batch. Return the answers as web3 reads them.

    Raises `EndpointFailed`, `RequestRefused` for the node's own error, `msgspec.ValidationError` for garbage.
    """
    try:
        async with web3.batch_requests() as batch:
            for question in questions:
                batch.add(question(web3.eth))
            return await batch.async_execute()
    except (Web3Exception, ValueError, TypeError, KeyError):
        raise msgspec.ValidationError("an answer that web3 does not read") from None
