"""Attempts: transactions signed for a slot's nonce, sealed and stored before they are sent.

The code that stores an attempt commits first, and only then broadcasts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

import structlog
from eth_utils.crypto import keccak
from sqlalchemy import Row
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.chain.types import SendOutcome
from reminder_worker.privacy.vault import RecordKey
from reminder_worker.relay.fees import EMPTY_GAS, GasFees
from reminder_worker.relay.signer import WalletSigner
from reminder_worker.relay.state_machine import AttemptKind
from reminder_worker.relay.tables import sql

log = structlog.get_logger(__name__)
TAKEN: Final = frozenset({SendOutcome.ACCEPTED, SendOutcome.KNOWN})


@dataclass(frozen=True, slots=True)
class SignedTransaction:
    """`raw` is what goes on the wire; it holds a user's signature."""

    tx_hash: str
    raw: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class NewAttempt:
    """A signed transaction and the row that stores it."""

    transaction: SignedTransaction
    row: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True, slots=True)
class ReadyRequest:
    """A request whose turn has come; `data` holds a user's signature."""

    id: UUID
    router: str
    gas_limit: int
    key: RecordKey = field(repr=False)
    data: bytes = field(repr=False)


class ReservationTooSmall(Exception):
    """The attempt could cost more than its slot reserved (see `slot_store.raise_reservation`), or the slot is final."""


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
    """Sign a call. With `kind` empty: a transfer of nothing to ourselves, without `to`, `data` and `gas_limit`."""
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


async def sign_first_attempt(
    signer: WalletSigner, chain_id: int, request: ReadyRequest, nonce: int, fees: GasFees, wei: int
) -> NewAttempt:
    """Sign the call of a request that takes a nonce. `wei`: reserved by its slot."""
    attempt = await sign_attempt(
        request.key,
        signer,
        chain_id=chain_id,
        nonce=nonce,
        kind="call",
        to=request.router,
        data=request.data,
        fees=fees,
        gas_limit=request.gas_limit,
    )
    return NewAttempt(attempt.transaction, {**attempt.row, "request_id": request.id, "wei": str(wei)})


async def store_attempt(connection: AsyncConnection, attempt: NewAttempt) -> SignedTransaction:
    """Store a replacement on an open slot. Raises `ReservationTooSmall` beyond what the slot reserves."""
    if await connection.scalar(sql["store_attempt"], dict(attempt.row)) is None:
        raise ReservationTooSmall
    return attempt.transaction


def open_raw(key: RecordKey, chain_id: int, row: Row[Any]) -> bytes:
    """Decrypt the bytes of a stored row with `raw` and `tx_hash`. Raises `DecryptionFailed`."""
    return key.open(row.raw, _context(chain_id, row.tx_hash))


async def broadcast(
    engine: AsyncEngine, chain: Chain, transactions: Sequence[SignedTransaction]
) -> Mapping[str, tuple[SendOutcome, ...]]:
    """Send committed bytes to every endpoint; return, by transaction hash, one outcome per responding endpoint.

    The outcomes decide nothing: the reconciler reads the chain. A request becomes `broadcast` once an endpoint has an
    attempt of it; while the database is away, in the next run.
    """
    if not transactions:
        return {}
    answers = await chain.send_raw([transaction.raw for transaction in transactions])
    outcomes = {
        transaction.tx_hash: tuple(answer[position] for answer in answers)
        for position, transaction in enumerate(transactions)
    }
    taken = [tx_hash for tx_hash, returned in outcomes.items() if TAKEN & set(returned)]
    for tx_hash, returned in outcomes.items():
        if tx_hash not in taken:
            said = [str(outcome) for outcome in returned] or ["unreachable"]
            log.warning("transaction_not_taken", chain_id=chain.chain_id, tx=tx_hash, said=said)
    values = {"chain_id": chain.chain_id, "sent": list(outcomes), "taken": taken}
    try:
        async with engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
            await connection.execute(sql["mark_sent"], values)
    except (SQLAlchemyError, OSError) as error:  # the bytes are stored and sent: this is no failure of the request
        log.warning("transactions_not_marked", chain_id=chain.chain_id, error=type(error).__name__)
    return outcomes


def _context(chain_id: int, tx_hash: str) -> str:
    return f"tx_attempt.raw|{chain_id}|{tx_hash}"
