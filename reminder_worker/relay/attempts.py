"""Attempts: bytes signed for a slot's nonce. They are stored, sealed under their request's key, before anyone sends
them; whoever stores one commits, and only then broadcasts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from eth_utils.crypto import keccak
from sqlalchemy import Row
from sqlalchemy.ext.asyncio import AsyncConnection

from reminder_worker.privacy.vault import RecordKey
from reminder_worker.relay.fees import EMPTY_GAS, GasFees
from reminder_worker.relay.queries import sql
from reminder_worker.relay.signer import WalletSigner
from reminder_worker.relay.state_machine import AttemptKind


@dataclass(frozen=True, slots=True)
class SignedTransaction:
    """`raw` is what goes on the wire; it holds a user's signature."""

    tx_hash: str
    raw: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class NewAttempt:
    """An attempt and the row that stores it."""

    attempt: SignedTransaction
    row: Mapping[str, Any] = field(repr=False)


class ReservationTooSmall(Exception):
    """The attempt could cost more than its slot reserved (`store.raise_reservation` first), or the slot is final."""


async def sign_attempt(
    key: RecordKey,
    signer: WalletSigner,
    *,
    chain_id: int,
    nonce: int,
    kind: AttemptKind,
    to: str,
    data: bytes,
    fees: GasFees,
    gas_limit: int,
) -> NewAttempt:
    """`kind` empty: a transfer of nothing to ourselves; `to`, `data` and `gas_limit` are then not looked at."""
    if kind == "empty":
        to, data, gas_limit = signer.address, b"", EMPTY_GAS
    raw = await signer.sign(
        {
            "type": 2,
            "chainId": chain_id,
            "nonce": nonce,
            "to": to,
            "value": 0,
            "data": data,
            "gas": gas_limit,
            "maxFeePerGas": fees.max_fee,
            "maxPriorityFeePerGas": fees.priority_fee,
            "accessList": [],
        }
    )
    tx_hash = "0x" + keccak(raw).hex()
    row = {
        "chain_id": chain_id,
        "tx_hash": tx_hash,
        "wallet": signer.address,
        "nonce": nonce,
        "kind": kind,
        "max_fee": fees.max_fee,
        "priority_fee": fees.priority_fee,
        "attempt_gas": gas_limit,
        "raw": key.seal(raw, _context(chain_id, tx_hash)),
    }
    return NewAttempt(SignedTransaction(tx_hash, raw), row)


async def store_attempt(connection: AsyncConnection, signed: NewAttempt) -> SignedTransaction:
    """A replacement on an open slot. Raises `ReservationTooSmall` and stores nothing beyond what is reserved."""
    if await connection.scalar(sql["store_attempt"], dict(signed.row)) is None:
        raise ReservationTooSmall
    return signed.attempt


def open_raw(key: RecordKey, chain_id: int, row: Row[Any]) -> bytes:
    """The bytes of a stored row with `raw` and `tx_hash`. Raises `DecryptionFailed`."""
    return key.open(row.raw, _context(chain_id, row.tx_hash))


def _context(chain_id: int, tx_hash: str) -> str:
    return f"tx_attempt.raw|{chain_id}|{tx_hash}"
