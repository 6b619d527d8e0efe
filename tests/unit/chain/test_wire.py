"""Bounds of a node's numbers: after an impossible number the next endpoint is asked."""

from typing import Any

import msgspec
import pytest

from reminder_worker.chain import rpc_errors, wire
from tests.unit.chain.results import as_sent

WORD = "0x" + "11" * 32
BLOCK: dict[str, Any] = {"number": "0x10", "hash": WORD, "parentHash": WORD, "timestamp": "0x6923"}
LOG: dict[str, Any] = {
    "address": "0x" + "22" * 20,
    "topics": [WORD],
    "data": "0x",
    "blockNumber": "0x10",
    "blockHash": WORD,
    "transactionHash": WORD,
    "logIndex": "0x0",
}
RECEIPT: dict[str, Any] = {
    "transactionHash": WORD,
    "blockNumber": "0x10",
    "blockHash": WORD,
    "status": "0x1",
    "gasUsed": "0x5208",
    "effectiveGasPrice": "0x1",
    "logs": [LOG],
}
BIGINT, INTEGER, YEAR_10000 = hex(2**63), hex(2**31), hex(253_402_300_800)


@pytest.mark.parametrize("changed", [{"number": BIGINT}, {"timestamp": BIGINT}, {"timestamp": YEAR_10000}])
def test_a_block_beyond_what_a_column_or_a_calendar_holds_is_garbage(changed: dict[str, str]) -> None:
    """Stored, it would be an error of our database, and nobody would ask the next endpoint."""
    assert wire.decode_block(as_sent(BLOCK)) is not None
    with pytest.raises(msgspec.ValidationError):
        wire.decode_block(as_sent({**BLOCK, **changed}))


@pytest.mark.parametrize("changed", [{"blockNumber": BIGINT}, {"logIndex": INTEGER}])
def test_a_log_beyond_what_a_column_holds_is_garbage_in_a_receipt_too(changed: dict[str, str]) -> None:
    assert len(wire.decode_logs(as_sent([LOG]))) == 1
    with pytest.raises(msgspec.ValidationError):
        wire.decode_logs(as_sent([{**LOG, **changed}]))
    with pytest.raises(msgspec.ValidationError):
        wire.decode_receipt(as_sent({**RECEIPT, "logs": [{**LOG, **changed}]}))


@pytest.mark.parametrize("number", ["blockNumber", "gasUsed", "effectiveGasPrice"])
def test_a_receipt_of_a_block_or_a_cost_beyond_what_a_column_holds_is_garbage(number: str) -> None:
    """A receipt that does not fit the table would delay all other final receipts."""
    assert wire.decode_receipt(as_sent(RECEIPT)) is not None
    with pytest.raises(msgspec.ValidationError):
        wire.decode_receipt(as_sent({**RECEIPT, number: hex(2**255)}))


def test_a_wallet_has_sent_no_more_than_a_nonce_holds() -> None:
    assert rpc_errors.transaction_count(as_sent("0x10")) == 16
    with pytest.raises(msgspec.ValidationError):
        rpc_errors.transaction_count(as_sent(BIGINT))


def test_zeros_before_a_number_are_read() -> None:
    """Nodes should not send them; some do."""
    found = wire.decode_block(as_sent({**BLOCK, "number": "0x" + "0" * 62 + "10"}))
    assert found is not None
    assert found.number == 16
