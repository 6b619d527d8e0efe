"""What nodes say of gas prices and of transactions sent to them. They agree on no codes, so their words are read."""

import re
from statistics import median_low
from typing import Any, Final

import msgspec

from reminder_worker.chain import wire
from reminder_worker.chain.rpc import Request, RpcError
from reminder_worker.chain.types import SendOutcome

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


class WireFeeHistory(msgspec.Struct, rename="camel"):
    base_fee_per_gas: list[wire.Quantity]
    reward: list[list[wire.Quantity]] | None = None


def fees(value: object) -> tuple[int, int] | None:
    """The next block's base fee, and the median of what the middle transaction of each block gave."""
    history = msgspec.convert(value, WireFeeHistory | None)
    if history is None or not history.base_fee_per_gas:
        return None
    tips = [int(tip, 16) for block in history.reward or () for tip in block]
    return int(history.base_fee_per_gas[-1], 16), median_low(tips) if tips else 0


def outcome(answer: Any) -> SendOutcome:
    """Raises `msgspec.ValidationError` for what is neither a transaction's hash nor an error."""
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


def count(answer: Any) -> int:
    """How many transactions an account has sent. Raises `msgspec.ValidationError`, also for a refusal."""
    if isinstance(answer, RpcError):
        raise msgspec.ValidationError("refused")
    return wire.count(answer)
