"""Meaning of nodes' answers to calls and to sent transactions. Nodes agree on no codes, so their words are read."""

import re
from typing import Any, Final

from reminder_worker.chain import wire
from reminder_worker.chain.rpc import ANSWER_TOO_LONG, Request, RpcError
from reminder_worker.chain.types import NODE_POLICY, ContractCall, RevertedCall, SendOutcome

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
_SEND_OUTCOMES: Final = {
    SendOutcome.KNOWN: re.compile(
        r"already ?(known|imported|exists|in)|\bknown transaction|already_exists|existing tx with same hash", re.I
    ),
    SendOutcome.NONCE_TOO_LOW: re.compile(r"nonce (is )?too low|old ?nonce|nonce too old|nonce_too_low", re.I),
    SendOutcome.UNDERPRICED: re.compile(
        r"underpriced|fee(pergas)? ?too ?low|less than block base fee|below (the |current )?base ?fee|"
        r"insufficient ?fee|below (configured )?minimum|could not replace|replacement ?not ?allowed",
        re.I,
    ),
}


class RequestRefused(Exception):
    """The node works and refuses this request. Only the error's code is kept: the words may be a stranger's.

    `too_long`: the answer is beyond the bound of its method.
    """

    def __init__(self, error: RpcError) -> None:
        super().__init__()
        self.code = error.code
        self.too_long = error is ANSWER_TOO_LONG


def unless_error(answer: Any) -> Any:
    """Return the answer. Raises `RequestRefused` for an error."""
    if isinstance(answer, RpcError):
        raise RequestRefused(answer)
    return answer


def call_request(call: ContractCall, at: str | None, gas: int | None, sender: str | None) -> Request:
    """Return the request of a call. `at`: a block's hash (EIP-1898); None: the latest block.

    Without a contract ("") the node runs the data as a constructor.
    """
    message: dict[str, object] = {"data": "0x" + call.data.hex()}
    if call.to:
        message["to"] = call.to
    if gas is not None:
        message["gas"] = hex(gas)
    if sender is not None:
        message["from"] = sender
    return ("eth_call", [message, "latest" if at is None else {"blockHash": at}])


def refuses_sender(answer: Any) -> bool:
    """Return whether the node refuses a call because its sender is a contract, as geth's and Nethermind's kin do.

    A transaction's sender has no code (EIP-3607). A revert may have the same words.
    """
    if not isinstance(answer, RpcError) or answer.code == 3:
        return False
    words = f"{answer.message} {answer.data}".lower()
    return any(each in words for each in ("sender not an eoa", "senderhasdeployedcode", "sender has deployed code"))


def call_outcome(answer: Any, gas: int | None) -> bytes | RevertedCall | None:
    """Return a call's outcome; None if the node lacks the block. Raises `RequestRefused`."""
    if not isinstance(answer, RpcError):
        return wire.decode_hex(answer)
    has_little_gas = gas is not None and gas <= NODE_POLICY.read_gas
    ran_out_of_time = "timeout" in answer.message and answer.code != 3
    if has_little_gas and ran_out_of_time:
        raise RequestRefused(answer)  # nothing takes long on so little gas but a node that stalls
    if answer.code == 3 or _EXECUTION.search(answer.message):
        return RevertedCall(_revert_data(answer.data))
    if _NO_SUCH_BLOCK.search(answer.message):
        return None
    raise RequestRefused(answer)


def known_call_outcome(answer: Any, gas: int) -> bytes | RevertedCall | None:
    """Return a call's outcome; None also for a refusal."""
    try:
        return call_outcome(answer, gas)
    except RequestRefused:
        return None


def _revert_data(data: str) -> bytes:
    """Return the revert data. Nodes send hex, or `Reverted 0x...`."""
    found = re.search(r"0x((?:[0-9a-fA-F]{2})*)$", data)
    return bytes.fromhex(found[1]) if found else b""


def send_outcome(answer: Any) -> SendOutcome:
    """Return the outcome of sending. Raises `msgspec.ValidationError` unless it is a hash or an error."""
    if not isinstance(answer, RpcError):
        wire.decode_result(answer, wire.Word)
        return SendOutcome.ACCEPTED
    return next(
        (outcome for outcome, words in _SEND_OUTCOMES.items() if words.search(answer.message)), SendOutcome.REJECTED
    )
