"""Attempts: transactions signed for a slot's nonce, sealed and stored before they are sent, and their replacements.

The code that stores an attempt commits first, and only then broadcasts.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date
from typing import Any
from uuid import UUID

import structlog
from eth_utils.crypto import keccak
from sqlalchemy import Row
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.chain.types import ContractCall, RevertedCall, SendOutcome
from reminder_worker.errors import ChainUnavailable
from reminder_worker.privacy.vault import RecordKey, Vault
from reminder_worker.relay import store
from reminder_worker.relay.fees import EMPTY_GAS, GasFees, bump_fees
from reminder_worker.relay.models import RelayAuthorization, RelayLane
from reminder_worker.relay.onchain_effects import was_reset_since
from reminder_worker.relay.state_machine import AttemptKind, GasPrice, StoredAttempt
from reminder_worker.relay.store import OpenSlot
from reminder_worker.relay.tables import sql
from reminder_worker.relay.wallet import RelayWallet, WalletSigner

log = structlog.get_logger(__name__)


class ReservationTooSmall(Exception):
    """The attempt could cost more than its slot reserved (see `store.raise_reservation`), or the slot is final."""


async def add_attempt(
    connection: AsyncConnection,
    signer: WalletSigner,
    chain_id: int,
    nonce: int,
    key: RecordKey,
    fees: GasFees,
    gas: int,
    *,
    call: ContractCall | None,
) -> bytes:
    """Sign an attempt for an open slot, store its bytes sealed by `key`, and return them.

    `call` None: a transfer of nothing to ourselves. Raises `ReservationTooSmall` beyond what the slot reserves.
    """
    raw = await signer.sign(
        {
            "type": 2,
            "chainId": chain_id,
            "nonce": nonce,
            "to": signer.address if call is None else call.to,
            "value": 0,
            "data": b"" if call is None else call.data,
            "gas": gas,
            "maxFeePerGas": fees.max_fee,
            "maxPriorityFeePerGas": fees.priority_fee,
            "accessList": [],
        }
    )
    tx_hash = hash_transaction(raw)
    values = {
        "chain_id": chain_id,
        "wallet": signer.address,
        "nonce": nonce,
        "tx_hash": tx_hash,
        "kind": "empty" if call is None else "call",
        "max_fee": fees.max_fee,
        "priority_fee": fees.priority_fee,
        "gas": gas,
        "raw": key.seal(raw, _raw_context(chain_id, tx_hash)),
    }
    if await connection.scalar(sql["store_attempt"], values) is None:
        raise ReservationTooSmall
    return raw


async def open_slot(
    connection: AsyncConnection,
    signer: WalletSigner,
    id: UUID,
    key: RecordKey,
    authorization: RelayAuthorization,
    fees: GasFees,
    wei: int,
    day: date,
) -> bytes:
    """Take a nonce for a request, reserve its wei on this day, and return its first attempt, in the caller's lock."""
    chain_id, gas = authorization.chain_id, authorization.gas_now
    slot = {"chain_id": chain_id, "wallet": signer.address, "request_id": id, "gas": gas, "wei": wei, "day": day}
    nonce = int(await connection.scalar(sql["take_nonce"], slot))
    call = ContractCall(authorization.router, authorization.call_data)
    return await add_attempt(connection, signer, chain_id, nonce, key, fees, gas, call=call)


def hash_transaction(raw: bytes) -> str:
    """Return the hash of a signed transaction."""
    return "0x" + keccak(raw).hex()


def open_raw(key: RecordKey, chain_id: int, row: Row[Any]) -> bytes:
    """Decrypt the bytes of a stored row with `raw` and `tx_hash`. Raises `DecryptionFailed`."""
    return key.open(row.raw, _raw_context(chain_id, row.tx_hash))


async def broadcast_attempts(
    engine: AsyncEngine, chain: Chain, transactions: Sequence[bytes]
) -> Mapping[str, Sequence[SendOutcome]]:
    """Send committed bytes to every endpoint; return, by transaction hash, one outcome per responding endpoint.

    The outcomes decide nothing: the reconciler reads the chain. A request becomes `broadcast` once an endpoint has an
    attempt of it; while the database is away, in the next run.
    """
    if not transactions:
        return {}
    answers = await chain.send_raw(transactions)
    outcomes: dict[str, Sequence[SendOutcome]] = {}
    for raw, *of_each in zip(transactions, *answers, strict=True):
        outcomes[hash_transaction(raw)] = of_each
    taken = [tx_hash for tx_hash, said in outcomes.items() if is_taken(said)]
    for tx_hash, said in outcomes.items():
        if tx_hash not in taken:
            words = [str(outcome) for outcome in said] or ["unreachable"]
            log.warning("transaction_not_taken", chain_id=chain.chain_id, tx=tx_hash, said=words)
    values = {"chain_id": chain.chain_id, "sent": list(outcomes), "taken": taken}
    try:
        async with engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
            await connection.execute(sql["mark_sent"], values)
    except (SQLAlchemyError, OSError) as error:  # the bytes are stored and sent: this is no failure of the request
        log.warning("transactions_not_marked", chain_id=chain.chain_id, error=type(error).__name__)
    return outcomes


def is_taken(said: Sequence[SendOutcome]) -> bool:
    """Return whether some endpoint has the transaction, by their outcomes."""
    return SendOutcome.ACCEPTED in said or SendOutcome.KNOWN in said


def _raw_context(chain_id: int, tx_hash: str) -> str:
    return f"tx_attempt.raw|{chain_id}|{tx_hash}"


class AttemptReplacer:
    """Signs replacements for one wallet, and stores bytes and reservations before sending."""

    def __init__(self, engine: AsyncEngine, vault: Vault, wallet: RelayWallet) -> None:
        self._engine = engine
        self._vault = vault
        self._wallet = wallet

    async def replace_attempt(
        self, chain: Chain, entry: OpenSlot, kind: AttemptKind, price: GasPrice
    ) -> tuple[AttemptKind, bytes | None] | None:
        """Sign, store and return a replacement with its kind; None if the slot has changed since it was read.

        A call that would come to nothing is replaced by a cancellation transaction. There is no transaction if the
        ceiling or today's cap leaves no room.
        """
        if kind == "call" and await self._would_revert(chain, entry):
            kind = "empty"
        chain_id = chain.chain_id
        gas = EMPTY_GAS if kind == "empty" else entry.slot.attempts[0].gas_limit
        async with self._engine.begin() as connection:
            if not await store.lock_unchanged(connection, chain_id, self._wallet.address, entry.slot):
                return None
            fees = await self._reserve_fees(connection, chain_id, entry, gas, price)
            if fees is None:
                return kind, None
            request = entry.request
            call = None
            if kind == "call":
                call = ContractCall(request.router, await store.read_call(connection, self._vault, request))
            key = self._vault.record_key(request.salt, request.key_id)
            nonce, signer = entry.slot.nonce, self._wallet.signer
            return kind, await add_attempt(connection, signer, chain_id, nonce, key, fees, gas, call=call)

    async def _would_revert(self, chain: Chain, entry: OpenSlot) -> bool:
        """Return whether the call has no use any more: the gift was paid, or the timer was reset, meanwhile."""
        request, gas = entry.request, entry.slot.newest.gas_limit
        async with self._engine.connect() as connection:
            call = ContractCall(request.router, await store.read_call(connection, self._vault, request))
        with suppress(ChainUnavailable):
            head = await chain.get_head()
            answer = await chain.call(call, at=head.hash, gas=gas, sender=self._wallet.address)
            if isinstance(answer, RevertedCall):
                return True
            if request.lane is RelayLane.AUTO_RENEW:
                return await was_reset_since(chain, request.router, request.subject_id, request.digest, at=head.hash)
        return False

    async def _reserve_fees(
        self, connection: AsyncConnection, chain_id: int, entry: OpenSlot, gas: int, price: GasPrice
    ) -> GasFees | None:
        """Reserve and return the fees of a replacement.

        First the market's fees, if today's cap has room. Else one step within the reservation, if it is enough to be
        mined: the steps are few.
        """
        newest = GasFees(entry.slot.newest.max_fee, entry.slot.newest.priority_fee)
        daily_wei = self._wallet.caps.daily_wei
        for ceiling in (price.ceiling, min(price.ceiling, entry.reserved // gas)):
            fees = bump_fees(newest, price.base_fee, price.priority_fee, ceiling)
            if fees is None or fees.max_fee < price.base_fee:
                continue
            wei = gas * fees.max_fee
            if await store.raise_reservation(
                connection, chain_id, self._wallet.address, entry.slot.nonce, wei, daily_wei
            ):
                return fees
        return None

    async def read_sealed(self, chain_id: int, tx_hashes: Sequence[str]) -> dict[str, Row[Any]]:
        """Return the rows of stored attempts, by hash; none of a slot that became final meanwhile."""
        if not tx_hashes:
            return {}
        values = {"chain_id": chain_id, "tx_hashes": list(tx_hashes)}
        async with self._engine.connect() as connection:
            rows = (await connection.execute(sql["raw"], values)).all()
        return {row.tx_hash: row for row in rows if row.raw is not None}

    async def open_stored(self, chain_id: int, entry: OpenSlot, row: Row[Any]) -> bytes:
        """Decrypt a stored attempt. Raises `DecryptionFailed`."""
        key = self._vault.record_key(entry.request.salt, entry.request.key_id)
        return open_raw(key, chain_id, row)


def list_earlier(
    slots: Sequence[OpenSlot], outcomes: Mapping[str, Sequence[SendOutcome]]
) -> list[tuple[OpenSlot, StoredAttempt]]:
    """Return the earlier attempts of slots whose latest attempt every endpoint rejects.

    For example the balance does not pay for the latest. Nodes may have forgotten the earlier ones, which are good
    enough once gas is cheaper again.
    """
    found: list[tuple[OpenSlot, StoredAttempt]] = []
    for entry in slots:
        newest = entry.slot.newest
        if set(outcomes.get(newest.tx_hash, ())) != {SendOutcome.REJECTED}:
            continue
        found += [(entry, attempt) for attempt in entry.slot.attempts[:-1] if attempt.kind == newest.kind]
    return found
