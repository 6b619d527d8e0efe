"""Meaning of nodes' answers to calls and to sent transactions. Nodes agree on no codes, so their words are read."""

import re
from statistics import median_low
from typing import Any, Final

import msgspec

from reminder_worker.chain import wire
from reminder_worker.chain.rpc import Request, RpcError
from reminder_worker.chain.types import ContractCall, RevertedCall, SendOutcome

READ_GAS: Final = 2_000_000  # far more than any read of ours needs: who burns it all costs the node little
_EXECUTION = re.compile(
    r"revert|out of gas|outofgas|opcode|(bad|invalid) ?instruction|stack ?(under|over)flow|stack limit|invalid ?jump|"
    r"evm error (?!fatal)|vm execution|execution (aborted|halted|error|timeout)|completed due to an exception|"
    r"write protection|(static ?call|access) ?violation|precompile ?(error|failure)|gas uint64|intrinsic gas|"
    r"return data out of bounds",
    re.I,
)
# A full node's words for an unknown block or for pruned state; `archive` is a provider's word for paid old state.

# The code -32001 is left out: some nodes send it under load.
_NO_SUCH_BLOCK = re.compile(
    r"(header|block|resource)( \w+){0,3} not found|could not (be found|find block)|unknown block|missing trie node|"
    r"not currently canonical|(state|historical) .{0,80}(not |un)available|no state (available|found)|state histories|"
    r"prun(ed|ing)|archive|blockoutofrange",
    re.I,
)
# EIP-3607, of geth's and Nethermind's kin: a transaction's sender has no code, and some nodes ask that of a call, too.
_SENDER_HAS_CODE = re.compile(r"sender not an eoa|senderhasdeployedcode|sender has deployed code", re.I)
_HEX_DATA = re.compile(r"0x((?:[0-9a-fA-F]{2})*)$")
FEE_HISTORY: Final[Request] = ("eth_feeHistory", ["0x5", "latest", [50]])
_KNOWN: Final = re.compile(
    r"already ?(known|imported|exists|in)|\bknown transaction|already_exists|existing tx with same hash", re.I
)
_NONCE_TOO_LOW: Final = re.compile(r"nonce (is )?too low|old ?nonce|nonce too old|nonce_too_low", re.I)
_UNDERPRICED: Final = re.compile(
    r"underpriced|fee(pergas)? ?too ?low|less than block base fee|below (the |current )?base ?fee|insufficient ?fee|"
    r"below (configured )?minimum|could not replace|replacement ?not ?allowed",
    re.I,
)


class RequestRefused(Exception):
    """The node works and refuses this request. Only the error's code is kept: the words may be a stranger's."""

    def __init__(self, error: RpcError) -> None:
        super().__init__()
        self.code = error.code


def unless_error(answer: Any) -> Any:
    """Return the answer. Raises `RequestRefused` for an error."""
    if isinstance(answer, RpcError):
        raise RequestRefused(answer)
    return answer


def call_request(call: ContractCall, at: str | None, gas: int | None, sender: str | None) -> Request:
    """Return the request of a call. `at`: a block's hash (EIP-1898); None: the latest block."""
    message: dict[str, object] = {"to": call.to, "data": "0x" + call.data.hex()}
    if gas is not None:
        message["gas"] = hex(gas)
    if sender is not None:
        message["from"] = sender
    return ("eth_call", [message, "latest" if at is None else {"blockHash": at}])


def refuses_sender(answer: Any) -> bool:
    """Return whether the node refuses a call because its sender is a contract. A revert may have the same words."""
    return (
        isinstance(answer, RpcError)
        and answer.code != 3
        and _SENDER_HAS_CODE.search(f"{answer.message} {answer.data}") is not None
    )


def call_outcome(answer: Any, gas: int | None) -> bytes | RevertedCall | None:
    """Return a call's outcome; None if the node lacks the block. Raises `RequestRefused`."""
    if not isinstance(answer, RpcError):
        return wire.hex_bytes(answer)
    if gas is not None and gas <= READ_GAS and "timeout" in answer.message and answer.code != 3:
        raise RequestRefused(answer)  # nothing takes long on so little gas but a node that stalls
    if answer.code == 3 or _EXECUTION.search(answer.message):
        return RevertedCall(_revert_data(answer.data))
    if _NO_SUCH_BLOCK.search(answer.message):
        return None
    raise RequestRefused(answer)


def _revert_data(data: object) -> bytes:
    """Return the revert data. Nodes send hex, an object around it, or `Reverted 0x...`."""
    if isinstance(data, dict):
        data = data.get("data")
    found = _HEX_DATA.search(data) if isinstance(data, str) else None
    return bytes.fromhex(found[1]) if found else b""


class WireFeeHistory(msgspec.Struct, rename="camel"):
    base_fee_per_gas: list[wire.Quantity]
    reward: list[list[wire.Quantity]] | None = None


def read_fees(value: object) -> tuple[int, int] | None:
    """Return the next block's base fee, and the median of the blocks' middle tips."""
    history = msgspec.convert(value, WireFeeHistory | None)
    if history is None or not history.base_fee_per_gas:
        return None
    tips = [int(tip, 16) for block in history.reward or () for tip in block]
    return int(history.base_fee_per_gas[-1], 16), median_low(tips) if tips else 0


def send_outcome(answer: Any) -> SendOutcome:
    """Return the outcome of sending. Raises `msgspec.ValidationError` unless it is a hash or an error."""
    if not isinstance(answer, RpcError):
        msgspec.convert(answer, wire.Word)
        return SendOutcome.ACCEPTED
    for words, meaning in (
        (_KNOWN, SendOutcome.KNOWN),
        (_NONCE_TOO_LOW, SendOutcome.NONCE_TOO_LOW),
        (_UNDERPRICED, SendOutcome.UNDERPRICED),
    ):
        if words.search(answer.message):
            return meaning
    return SendOutcome.REJECTED


def transaction_count(answer: Any) -> int:
    """Return an account's number of transactions. Raises `msgspec.ValidationError`, also for a refusal."""
    if isinstance(answer, RpcError):
        raise msgspec.ValidationError("refused")
    return wire.count(answer)
