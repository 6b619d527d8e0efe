"""The node's JSON in strict types: another shape is the endpoint's failure, not an answer.

A result stays JSON (`msgspec.Raw`) until its reader decodes it here: what the type does not name takes no memory.
Every function raises `msgspec.ValidationError`, also for an error in place of a result.
"""

from typing import Annotated, Any

import msgspec

from reminder_worker import strict_json
from reminder_worker.chain.types import BlockHeader, EventLog, TransactionReceipt

Hex = Annotated[str, msgspec.Meta(pattern=r"^0x(?:[0-9a-fA-F]{2})*\Z")]
Quantity = Annotated[str, msgspec.Meta(pattern=r"^0x[0-9a-fA-F]{1,64}\Z")]
# What no chain reaches and our columns do not hold: the endpoint's garbage, not an error of our database.
Count = Annotated[str, msgspec.Meta(pattern=r"^0x0*[0-9a-fA-F]{1,15}\Z")]
Moment = Annotated[str, msgspec.Meta(pattern=r"^0x0*[0-9a-fA-F]{1,9}\Z")]  # to the year 4147
Index = Annotated[str, msgspec.Meta(pattern=r"^0x0*[0-9a-fA-F]{1,7}\Z")]
Price = Annotated[str, msgspec.Meta(pattern=r"^0x0*[0-9a-fA-F]{1,32}\Z")]  # so that a cost fits its column
Word = Annotated[str, msgspec.Meta(pattern=r"^0x[0-9a-fA-F]{64}\Z")]
AddressHex = Annotated[str, msgspec.Meta(pattern=r"^0x[0-9a-fA-F]{40}\Z")]


class WireBlock(msgspec.Struct, rename="camel"):
    number: Count
    hash: Word
    parent_hash: Word
    timestamp: Moment


class WireBloom(msgspec.Struct, rename="camel"):
    logs_bloom: Hex | None = None


class WireLog(msgspec.Struct, rename="camel"):
    address: AddressHex
    topics: Annotated[list[Word], msgspec.Meta(max_length=4)]
    data: Hex
    block_number: Count
    block_hash: Word
    transaction_hash: Word
    log_index: Index
    removed: bool = False


class WireOutcome(msgspec.Struct, rename="camel"):
    """A receipt without its logs, whose number a stranger's contract decides."""

    transaction_hash: Word
    block_number: Count
    block_hash: Word
    status: Quantity
    gas_used: Count
    effective_gas_price: Price


class WireReceipt(WireOutcome, rename="camel"):
    logs: list[WireLog]


class WireTransaction(msgspec.Struct):
    sender: AddressHex = msgspec.field(name="from")


class WireErrorData(msgspec.Struct):
    data: str = ""


def decode_result(value: object, kind: Any) -> Any:
    """Decode a result into a value of the type `kind`."""
    if not isinstance(value, msgspec.Raw):
        raise msgspec.ValidationError("no result")
    try:
        return msgspec.json.decode(value, type=kind)
    except msgspec.ValidationError:
        raise
    except strict_json.NOT_JSON:
        raise msgspec.ValidationError("not JSON") from None


def decode_hex(value: object) -> bytes:
    """Decode hex. Reads large answers only once."""
    return parse_hex(decode_result(value, str))


def parse_hex(text: str) -> bytes:
    if text.startswith("0x"):
        try:
            data = bytes.fromhex(text[2:])
        except ValueError:
            data = b""
        if 2 * len(data) + 2 == len(text):  # fromhex passes over white space
            return data
    raise msgspec.ValidationError("not hex data")


def decode_error_data(value: msgspec.Raw) -> str:
    """Return the text in an error's data, empty without one. Nodes send it alone or in an object. Raises nothing."""
    try:
        data: str | WireErrorData = msgspec.json.decode(value, type=str | WireErrorData)
    except strict_json.NOT_JSON:
        return ""
    return data if isinstance(data, str) else data.data


def decode_quantity(value: object) -> int:
    return int(decode_result(value, Quantity), 16)


def decode_count(value: object) -> int:
    """Decode the number of an account's transactions."""
    return int(decode_result(value, Count), 16)


def decode_block(value: object) -> BlockHeader | None:
    """None for `null`: this endpoint does not have the block."""
    wire: WireBlock | None = decode_result(value, WireBlock | None)
    if wire is None:
        return None
    return BlockHeader(int(wire.number, 16), wire.hash.lower(), wire.parent_hash.lower(), int(wire.timestamp, 16))


def decode_bloom(value: object) -> int:
    """Return the logs bloom of a block as a number; 0 if the node lacks the block or gives no bloom."""
    wire: WireBloom | None = decode_result(value, WireBloom | None)
    if wire is None or wire.logs_bloom is None:
        return 0
    return int(wire.logs_bloom.removeprefix("0x") or "0", 16)


def decode_logs(value: object) -> list[EventLog]:
    return [_decode_log(wire) for wire in decode_result(value, list[WireLog])]


def has_logs(value: object) -> bool:
    """Return whether a list of logs has one."""
    return bool(decode_result(value, list[WireLog]))


def decode_receipt(value: object) -> TransactionReceipt | None:
    """None for `null`: this endpoint does not have the transaction in a block."""
    wire: WireReceipt | None = decode_result(value, WireReceipt | None)
    return None if wire is None else _make_receipt(wire, tuple(_decode_log(log) for log in wire.logs))


def decode_outcome(value: object) -> TransactionReceipt | None:
    """Return a receipt as `decode_receipt`, with no logs: strangers' contracts add tens of thousands."""
    wire: WireOutcome | None = decode_result(value, WireOutcome | None)
    return None if wire is None else _make_receipt(wire, ())


def decode_sender(value: object) -> str | None:
    """Return a transaction's sender; None for `null`: unknown to this endpoint."""
    wire: WireTransaction | None = decode_result(value, WireTransaction | None)
    return None if wire is None else wire.sender.lower()


def _make_receipt(wire: WireOutcome, logs: tuple[EventLog, ...]) -> TransactionReceipt:
    return TransactionReceipt(
        tx_hash=wire.transaction_hash.lower(),
        block_number=int(wire.block_number, 16),
        block_hash=wire.block_hash.lower(),
        succeeded=int(wire.status, 16) == 1,
        gas_used=int(wire.gas_used, 16),
        cost=int(wire.gas_used, 16) * int(wire.effective_gas_price, 16),
        logs=logs,
    )


def _decode_log(wire: WireLog) -> EventLog:
    if wire.removed:
        raise msgspec.ValidationError("a log that a reorganisation removed")
    return EventLog(
        address=wire.address.lower(),
        topics=tuple(topic.lower() for topic in wire.topics),
        data=bytes.fromhex(wire.data[2:]),
        block_number=int(wire.block_number, 16),
        block_hash=wire.block_hash.lower(),
        tx_hash=wire.transaction_hash.lower(),
        log_index=int(wire.log_index, 16),
    )
