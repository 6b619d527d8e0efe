"""Replacing: bytes for an open slot that are sent again, with a higher fee, or as a cancellation transaction."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.chain.client import Chain, ContractCall, RevertedCall
from reminder_worker.chain.types import SendOutcome
from reminder_worker.errors import ChainUnavailable
from reminder_worker.privacy.vault import Vault
from reminder_worker.relay import request_store, slot_store
from reminder_worker.relay.attempts import SignedTransaction, open_raw, sign_attempt, store_attempt
from reminder_worker.relay.fees import EMPTY_GAS, GasFees, bump_fees
from reminder_worker.relay.models import RelayLane
from reminder_worker.relay.renewals import was_reset_since
from reminder_worker.relay.slot_store import OpenSlot
from reminder_worker.relay.state_machine import AttemptKind, GasPrice, StoredAttempt
from reminder_worker.relay.tables import sql
from reminder_worker.relay.wallet import RelayWallet


@dataclass(frozen=True, slots=True)
class AttemptReplacement:
    """`transaction`: None if the ceiling or today's cap left no room."""

    kind: AttemptKind
    transaction: SignedTransaction | None


class AttemptReplacer:
    """Signs replacements for one wallet, and stores bytes and reservations before sending."""

    def __init__(self, engine: AsyncEngine, vault: Vault, wallet: RelayWallet) -> None:
        self._engine = engine
        self._vault = vault
        self._wallet = wallet

    async def replace(
        self, chain: Chain, entry: OpenSlot, kind: AttemptKind, price: GasPrice
    ) -> AttemptReplacement | None:
        """Sign and store a replacement; None if the slot has changed since it was read.

        A call that would come to nothing is replaced by a cancellation transaction.
        """
        if kind == "call" and await self._would_revert(chain, entry):
            kind = "empty"
        chain_id = chain.chain_id
        gas = EMPTY_GAS if kind == "empty" else entry.slot.attempts[0].gas_limit
        async with self._engine.begin() as connection:
            if not await slot_store.lock_unchanged(connection, chain_id, self._wallet.address, entry.slot):
                return None
            fees = await self._reserve_fees(connection, chain_id, entry, gas, price)
            if fees is None:
                return AttemptReplacement(kind, None)
            data = await request_store.read_call(connection, self._vault, entry.request) if kind == "call" else b""
            attempt = await sign_attempt(
                self._vault.record(entry.request.salt, entry.request.key_id),
                self._wallet.signer,
                chain_id=chain_id,
                nonce=entry.slot.nonce,
                kind=kind,
                to=entry.request.router,
                data=data,
                fees=fees,
                gas_limit=gas,
            )
            transaction = await store_attempt(connection, attempt)
            values = {"id": entry.request.id, "tx_hash": transaction.tx_hash}
            await connection.execute(sql["set_hash"], values)
        return AttemptReplacement(kind, transaction)

    async def _would_revert(self, chain: Chain, entry: OpenSlot) -> bool:
        """Return whether the call has no use any more: the gift was paid, or the timer was reset, meanwhile."""
        request, gas = entry.request, entry.slot.newest.gas_limit
        async with self._engine.connect() as connection:
            call = ContractCall(request.router, await request_store.read_call(connection, self._vault, request))
        with suppress(ChainUnavailable):
            head = await chain.head()
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
            if await slot_store.raise_reservation(
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

    async def open_stored(self, chain_id: int, entry: OpenSlot, row: Row[Any]) -> SignedTransaction:
        """Decrypt a stored attempt. Raises `DecryptionFailed`."""
        key = self._vault.record(entry.request.salt, entry.request.key_id)
        return SignedTransaction(row.tx_hash, open_raw(key, chain_id, row))


def list_earlier(
    slots: Sequence[OpenSlot], outcomes: Mapping[str, Sequence[SendOutcome]]
) -> list[tuple[OpenSlot, StoredAttempt]]:
    """Return the earlier attempts of slots whose latest attempt every endpoint rejects.

    For example the balance does not pay for the latest. Nodes may have forgotten the earlier ones, which are good
    enough once gas is cheaper again.
    """
    rejected = [entry for entry in slots if set(outcomes.get(entry.slot.newest.tx_hash, ())) == {SendOutcome.REJECTED}]
    return [
        (entry, attempt)
        for entry in rejected
        for attempt in entry.slot.attempts[:-1]
        if attempt.kind == entry.slot.newest.kind
    ]
