"""Admission: from a good authorization to committed bytes, in one transaction, and only then to the wire.

Lock the wallet's row, reserve the caps, take the nonce, sign, and store the bytes. A crash before the commit leaves
nothing. After it the stored bytes are sent, by admission or by the next run of the reconciler; nothing is signed again.
"""

import asyncio
from collections import defaultdict
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Row
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.database.queries import array_text
from reminder_worker.errors import DecryptionFailed, NonceMismatch
from reminder_worker.privacy.vault import Vault
from reminder_worker.relay import store
from reminder_worker.relay.attempts import broadcast_attempts, hash_transaction, is_taken, open_slot
from reminder_worker.relay.budget import list_limits
from reminder_worker.relay.models import (
    RelayAuthorization,
    RequestState,
    RequestView,
    WaitsFor,
    WalletCaps,
    call_context,
)
from reminder_worker.relay.state_machine import GasPrice
from reminder_worker.relay.tables import sql
from reminder_worker.relay.waiting import LatestAttempt, RequestStarter, WaitingRequest, find_wait_reason
from reminder_worker.relay.wallet import RelayWallet, WalletPrices, WalletSigner


class RelayAdmission:
    """Admission of one wallet on all its chains.

    `any_chain`: also local chains, whose transactions may cost more than their gas. `starts`: waiting requests get
    nonces when their turn comes; in a dry run they do not.
    """

    def __init__(
        self,
        engine: AsyncEngine,
        vault: Vault,
        chains: Mapping[int, Chain],
        signer: WalletSigner,
        caps: WalletCaps,
        *,
        any_chain: bool = False,
        starts: bool = True,
    ) -> None:
        self.wallet = RelayWallet(engine, chains, signer, caps, any_chain=any_chain)
        self.signer = signer
        self.caps = caps
        self._engine = engine
        self._vault = vault
        self._turns = {id: asyncio.Lock() for id in self.wallet.chains}
        self._starter = RequestStarter(engine, vault, self.wallet, self._turns) if starts else None

    async def admit_request(self, authorization: RelayAuthorization, *, waits: bool = False) -> RequestView:
        """Relay an authorization once, however often it is asked for.

        `waits`: behind our own open request of the same signer. Raises `LimitReached` (`daily_cap_reached`,
        `daily_cap_reserved`), `NonceMismatch` (an open request of the signer has this nonce), `RelayStopped`,
        `ChainUnavailable`, `NotConfigured`, and `Misconfigured` if nothing can be signed; then nothing is stored.
        """
        await self.signer.open()
        chain_id = authorization.chain_id
        await self.wallet.open(chain_id)
        prices = await self.wallet.read_prices(chain_id)
        # A client that is gone stops neither the transaction nor the sending.
        return await asyncio.shield(self._admit_good(authorization, waits, prices))

    async def _admit_good(self, authorization: RelayAuthorization, waits: bool, prices: WalletPrices) -> RequestView:
        """Store a request in one transaction, in its turn. Then send it."""
        chain_id = authorization.chain_id
        async with self._turns[chain_id]:
            try:
                view, raw = await self._store_request(authorization, waits, prices)
            except IntegrityError:  # another wallet took the digest at the same moment
                async with self._engine.connect() as connection:
                    known = await store.find_by_digest(connection, chain_id, authorization.digest)
                if known is None:
                    raise
                return known
        if raw is None:
            return view
        tx_hash = hash_transaction(raw)
        outcomes = await broadcast_attempts(self._engine, self.wallet.chains[chain_id], [raw])
        state = RequestState.BROADCAST if is_taken(outcomes[tx_hash]) else view.state
        return replace(view, state=state, tx_hash=tx_hash)

    async def _store_request(
        self, authorization: RelayAuthorization, waits: bool, prices: WalletPrices
    ) -> tuple[RequestView, bytes | None]:
        """Return the stored request, with the bytes to send if it got a nonce."""
        row_key = self.wallet.row_key(authorization.chain_id)
        limits = list_limits(authorization, self.caps)
        fees, wei = self.wallet.offer_fees(prices, authorization.gas_now)
        state = None
        if waits:
            state = RequestState.WAITING_PREDECESSOR
        elif fees is None:
            state = RequestState.DEFERRED_FEE
        async with self._engine.begin() as connection:
            await store.lock_wallet(connection, authorization.chain_id, self.signer.address)
            known, has_rival = await store.find_rivals(connection, row_key, authorization)
            if known is not None:
                return known, None
            budget = await self.wallet.read_budget(connection, authorization.chain_id, prices.balance, limits)
            budget.check_caps(limits, 0 if state else wei)
            if has_rival:
                detail = "Another request with this nonce is under way; wait for it, or sign the next nonce."
                raise NonceMismatch(detail)
            state = state or budget.place_request(wei)
            id, key = uuid4(), self._vault.record_key()
            day = budget.day
            view = await store.add_request(connection, row_key, id, key, authorization, state, day, limits)
            if state is not RequestState.SIGNED or fees is None:
                return view, None
            return view, await open_slot(connection, self.signer, id, key, authorization, fees, wei, day)

    async def start_waiting(self, chain_id: int) -> int:
        """Give nonces to waiting requests whose turn has come; return their number. See `RequestStarter`."""
        await self.wallet.open(chain_id)
        return 0 if self._starter is None else await self._starter.start_waiting(chain_id)

    # -- stored requests ------------------------------------------------------------------------

    async def read_request(self, id: UUID) -> RequestView | None:
        return (await self.read_requests([id])).get(id)

    async def read_requests(self, ids: Collection[UUID]) -> dict[UUID, RequestView]:
        """Return the existing requests by id. One question reads all of them."""
        async with self._engine.connect() as connection:
            return await store.find_by_ids(connection, ids)

    async def waits_for(self, id: UUID) -> WaitsFor | None:
        """Return why an open request is not in a block yet; None if no reason is known, or it is not open."""
        return (await self.find_wait_reasons([id])).get(id)

    async def find_wait_reasons(self, ids: Collection[UUID]) -> dict[UUID, WaitsFor | None]:
        """Return the reasons of open requests by id. A question reads them all, another the budget of a chain."""
        async with self._engine.connect() as connection:
            places = (await connection.execute(sql["places"], {"ids": array_text(ids)})).all()
        ours: dict[int, list[Row[Any]]] = defaultdict(list)
        reasons: dict[UUID, WaitsFor | None] = {}
        for place in places:
            if place.wallet == self.signer.address and place.chain_id in self.wallet.chains:
                ours[place.chain_id].append(place)
            else:
                reasons[place.id] = WaitsFor.PAUSED  # of a retired wallet
        for chain_id, its_places in ours.items():
            prices = await self.wallet.read_prices_soon(chain_id)
            gas, balance = None, 0
            if prices is not None:
                gas = GasPrice(prices.base_fee, prices.tip, self.caps.gas_price_ceiling_wei)
                balance = prices.balance
            async with self._engine.connect() as connection:
                budget = await self.wallet.read_budget(connection, chain_id, balance)
            reasons |= {place.id: find_wait_reason(_to_waiting(place), gas, budget) for place in its_places}
        return reasons

    async def matches_call(self, id: UUID, call_data: bytes) -> bool:
        """Return whether this is the stored call, signature included. The call of an ended request is deleted."""
        async with self._engine.connect() as connection:
            row = (await connection.execute(sql["sealed_call"], {"id": id})).one_or_none()
        with suppress(DecryptionFailed):
            if row is not None:
                key = self._vault.record_key(row.salt, row.key_id)
                return key.open(row.call_data, call_context(id)) == call_data
        return False


def _to_waiting(place: Row[Any]) -> WaitingRequest:
    latest = None
    if place.max_fee_wei is not None:
        latest = LatestAttempt(int(place.max_fee_wei), place.attempt_gas, place.behind_ours)
    return WaitingRequest(
        state=RequestState(place.state),
        reason=place.reason,
        gas_limit=place.gas_limit,
        is_behind=place.behind_its_signers,
        attempted=latest,
    )
