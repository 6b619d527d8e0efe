"""Answers of nodes to a sent transaction, in the words of the clients in use."""

import msgspec
import pytest

from reminder_worker.chain.rpc import RpcError
from reminder_worker.chain.rpc_errors import send_outcome
from reminder_worker.chain.types import SendOutcome
from tests.unit.chain.results import as_sent


def test_refusals_are_told_apart() -> None:
    for message, meaning in (
        ("already known", SendOutcome.KNOWN),  # geth, reth
        ("AlreadyKnown", SendOutcome.KNOWN),  # nethermind
        ("Known transaction", SendOutcome.KNOWN),  # besu
        ("transaction already imported", SendOutcome.KNOWN),  # anvil
        ("ALREADY_EXISTS: already known", SendOutcome.KNOWN),  # erigon
        ("INTERNAL_ERROR: existing tx with same hash", SendOutcome.KNOWN),  # erigon
        ("Transaction with the same hash was already imported.", SendOutcome.KNOWN),
        ("nonce too low: next nonce 5, tx nonce 3", SendOutcome.NONCE_TOO_LOW),  # geth
        ("OldNonce, Current nonce: 5, nonce of rejected tx: 3", SendOutcome.NONCE_TOO_LOW),  # nethermind
        ("Nonce too low", SendOutcome.NONCE_TOO_LOW),  # besu
        ("replacement transaction underpriced", SendOutcome.UNDERPRICED),
        ("transaction underpriced: gas tip cap 0, minimum needed 1", SendOutcome.UNDERPRICED),
        ("max fee per gas less than block base fee: address 0x11, maxFeePerGas: 1", SendOutcome.UNDERPRICED),
        ("FeeTooLow, MaxFeePerGas too low.", SendOutcome.UNDERPRICED),  # nethermind
        ("ReplacementNotAllowed", SendOutcome.UNDERPRICED),  # nethermind
        ("Gas price below current base fee", SendOutcome.UNDERPRICED),  # besu
        ("Gas price below configured minimum gas price", SendOutcome.UNDERPRICED),  # besu
        ("INTERNAL_ERROR: could not replace existing tx", SendOutcome.UNDERPRICED),  # erigon
        (
            "transaction priority fee below minimum required priority fee 1",
            SendOutcome.UNDERPRICED,  # reth
        ),
        ("insufficient funds for gas * price + value", SendOutcome.REJECTED),
        ("intrinsic gas too low", SendOutcome.REJECTED),
        ("unknown transaction type", SendOutcome.REJECTED),
        ("in-flight transaction limit reached for delegated accounts", SendOutcome.REJECTED),  # geth
        ("address already reserved", SendOutcome.REJECTED),  # geth
    ):
        assert send_outcome(RpcError(-32000, message)) is meaning


def test_a_hash_is_an_acceptance_and_nothing_else_is() -> None:
    assert send_outcome(as_sent("0x" + "ab" * 32)) is SendOutcome.ACCEPTED
    for garbage in (None, "", "0x", True, {"hash": "0x" + "ab" * 32}):
        with pytest.raises(msgspec.ValidationError):
            send_outcome(as_sent(garbage))
