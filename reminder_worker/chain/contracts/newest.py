"""Calls at the newest block, together with the block's number and time: one request for all of it."""

from collections.abc import Sequence

from reminder_worker.chain import abi_codec
from reminder_worker.chain.abi_codec import encode_call, encode_multicall
from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts import Answer, decode_configured
from reminder_worker.chain.rpc import RpcEndpoint
from reminder_worker.chain.rpc_errors import call_outcome, call_request
from reminder_worker.chain.types import NODE_POLICY, BlockMoment, ContractCall
from reminder_worker.errors import ChainUnavailable

NewestAnswers = tuple[BlockMoment, list[Answer]]


async def call_newest(chain: Chain, calls: Sequence[ContractCall]) -> NewestAnswers:
    """Return the newest block and the calls' answers in order, by one request to one endpoint.

    Another endpoint is asked as for `Chain.get_head`: while one fails, or its newest block is old. Call configured
    contracts only: a stranger's could burn the gas of the others. Raises `ChainUnavailable` and `Misconfigured`.
    """
    multicall = chain.settings.multicall3
    of_block = [encode_call(multicall, "Multicall3", name) for name in ("getBlockNumber", "getCurrentBlockTimestamp")]
    together = [*of_block, *calls]
    gas = NODE_POLICY.read_gas * len(together)
    request = call_request(ContractCall(multicall, encode_multicall(together)), None, gas, None)

    async def read(endpoint: RpcEndpoint) -> tuple[BlockMoment, NewestAnswers] | None:
        (answer,) = await endpoint.ask([request])
        outcome = call_outcome(answer, gas)
        if not isinstance(outcome, bytes):
            return None
        number, timestamp, *answers = chain.decode_results(outcome, len(together))
        block = BlockMoment(
            decode_configured("getBlockNumber", abi_codec.word_at, number),
            decode_configured("getCurrentBlockTimestamp", abi_codec.word_at, timestamp),
        )
        return block, (block, answers)

    found = await chain.endpoints.ask_for_newest("latest", read)
    if found is None:
        raise ChainUnavailable(f"no endpoint of chain {chain.chain_id} answers a call at its latest block")
    return found
