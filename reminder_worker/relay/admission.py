"""Admission: from a good authorization to committed bytes, in one transaction, and only then to the wire.

Lock the wallet's row, reserve the caps, take the nonce, sign, and store the bytes. A crash before the commit leaves
nothing. After it the stored bytes are sent, by admission or by the next run of the reconciler; nothing is signed again.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from contextvars import Context
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Row
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.errors import DecryptionFailed, LimitReached, NonceMismatch, RelayStopped, ServiceError
from reminder_worker.privacy.vault import Vault
from reminder_worker.relay import store
from reminder_worker.relay.attempts import (
    TAKEN,
    NewAttempt,
    ReadyRequest,
    SignedTransaction,
    broadcast_attempts,
    sign_attempt,
)
from reminder_worker.relay.caps import CapsLeft, request_row
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

Outcome = RequestView | BaseException


@dataclass(frozen=True, slots=True)
class AdmissionRequest:
    """A good authorization, with the prices when it came. `waits`: behind an open request of the same signer."""

    authorization: RelayAuthorization
    waits: bool
    prices: WalletPrices


@dataclass(slots=True)
class BatchRows:
    """Rows of one batch: new requests, and the attempts of those whose turn has come."""

    requests: list[dict[str, Any]]
    attempts: list[NewAttempt]


@dataclass(eq=False, slots=True)
class OpenBatch:
    """A batch that more requests may join until `work` takes them."""

    items: list[AdmissionRequest] = field(default_factory=list)
    task: asyncio.Task[Sequence[Outcome]] | None = None


class BatchRunner:
    """Runner of batches: requests that come while their work waits for its turn are worked on together.

    `work` gets a function, and calls it when its turn has come: the function returns all requests of the batch. `work`
    returns an outcome per request in order, an exception for a request that failed by itself. An exception of `work`
    goes to every caller. A caller that is cancelled does not cancel `work`.
    """

    def __init__(
        self, work: Callable[[Callable[[], Sequence[AdmissionRequest]]], Awaitable[Sequence[Outcome]]]
    ) -> None:
        self._work = work
        self._open: OpenBatch | None = None

    async def run(self, item: AdmissionRequest) -> RequestView:
        batch = self._open
        if batch is None or len(batch.items) >= 64:
            batch = self._open = OpenBatch()
        if batch.task is None:
            # In a context of its own: its log lines do not belong to the first request.
            batch.task = asyncio.create_task(self._work_on(batch), context=Context())
        place = len(batch.items)
        batch.items.append(item)
        outcome = (await asyncio.shield(batch.task))[place]
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    async def _work_on(self, batch: OpenBatch) -> Sequence[Outcome]:
        try:
            return await self._work(partial(self._close_batch, batch))
        finally:
            self._close_batch(batch)

    def _close_batch(self, batch: OpenBatch) -> Sequence[AdmissionRequest]:
        if self._open is batch:
            self._open = None
        return batch.items


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
        self._batches = {id: BatchRunner(partial(self._admit_batch, id)) for id in self.wallet.chains}
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
        asked = AdmissionRequest(authorization, waits, await self.wallet.read_prices(chain_id))
        return await self._batches[chain_id].run(asked)

    async def _admit_batch(self, chain_id: int, take: Callable[[], Sequence[AdmissionRequest]]) -> Sequence[Outcome]:
        """Admit requests that come while the wallet's row is held together, in one transaction; then send them.

        If the transaction fails for all, for example by a row that the database refuses, each request is admitted by
        itself. The second try also finds a digest that another wallet took at the same moment.
        """
        async with self._turns[chain_id]:
            batch = take()
            (stored,) = await asyncio.gather(self._store_batch(chain_id, batch), return_exceptions=True)
            if not isinstance(stored, BaseException):
                parts: list[tuple[Sequence[Outcome], Sequence[SignedTransaction]] | BaseException] = [stored]
            elif isinstance(stored, RelayStopped) or (len(batch) == 1 and not isinstance(stored, IntegrityError)):
                raise stored
            else:
                alone = (self._store_batch(chain_id, [asked]) for asked in batch)
                parts = await asyncio.gather(*alone, return_exceptions=True)
        outcomes: list[Outcome] = []
        transactions: list[SignedTransaction] = []
        for part in parts:
            if isinstance(part, BaseException):
                outcomes.append(part)
            else:
                outcomes += part[0]
                transactions += part[1]
        answers = await broadcast_attempts(self._engine, self.wallet.chains[chain_id], transactions)
        taken = {tx_hash for tx_hash, returned in answers.items() if TAKEN & set(returned)}
        return [
            replace(outcome, state=RequestState.BROADCAST)
            if isinstance(outcome, RequestView) and outcome.tx_hash in taken
            else outcome
            for outcome in outcomes
        ]

    async def _store_batch(
        self, chain_id: int, batch: Sequence[AdmissionRequest]
    ) -> tuple[Sequence[Outcome], Sequence[SignedTransaction]]:
        """Decide on the requests in order, in one transaction. Return the outcomes and the transactions to send."""
        decided: list[UUID | ServiceError] = []
        rows = BatchRows([], [])
        async with self._engine.begin() as connection:
            authorizations = [asked.authorization for asked in batch]
            nonce = await store.lock_wallet(connection, chain_id, self.signer.address)
            left = await store.read_caps(connection, chain_id, self.signer.address, self.caps, authorizations)
            for asked in batch:
                try:
                    known = left.known.get(asked.authorization.digest)
                    decided.append(known or await self._draft_request(asked, left, nonce + len(rows.attempts), rows))
                except (LimitReached, NonceMismatch, RelayStopped) as refused:
                    decided.append(refused)
            attempts = [attempt.row for attempt in rows.attempts]
            views = await store.add_requests(connection, chain_id, self.signer.address, left, rows.requests, attempts)
            for id in {entry for entry in decided if isinstance(entry, UUID)} - views.keys():
                view = await store.find_by_id(connection, id)
                views |= {id: view} if view else {}
        outcomes = [views[entry] if isinstance(entry, UUID) else entry for entry in decided]
        return outcomes, [attempt.transaction for attempt in rows.attempts]

    async def _draft_request(self, asked: AdmissionRequest, left: CapsLeft, nonce: int, rows: BatchRows) -> UUID:
        """Add the row of a new request and, if its turn has come, the row of its transaction."""
        authorization, prices = asked.authorization, asked.prices
        fees, wei = self.wallet.offer_fees(prices, authorization.gas_now)
        waiting = RequestState.DEFERRED_FEE if fees is None else None
        waiting = RequestState.WAITING_PREDECESSOR if asked.waits else waiting
        state = left.count_request(authorization, waiting, wei, prices.balance)
        id, key = uuid4(), self._vault.record_key()
        sealed = key.seal(authorization.call_data, call_context(id))
        row = {**request_row(authorization, state), "id": id, "key_id": key.key_id, "salt": key.salt}
        if state is RequestState.SIGNED and fees is not None:
            ready = ReadyRequest(id, authorization.router, authorization.gas_now, key, authorization.call_data)
            attempt = await sign_attempt(self.signer, authorization.chain_id, ready, nonce, fees, wei=wei)
            rows.attempts.append(attempt)
            row["tx_hash"] = attempt.transaction.tx_hash
        rows.requests.append({**row, "call_data": sealed})
        left.known[authorization.digest] = id
        return id

    async def start_waiting(self, chain_id: int) -> int:
        """Give nonces to waiting requests whose turn has come; return their number. See `RequestStarter`."""
        await self.wallet.open(chain_id)
        return 0 if self._starter is None else await self._starter.start_waiting(chain_id)

    # -- stored requests ------------------------------------------------------------------------

    async def read_request(self, id: UUID) -> RequestView | None:
        async with self._engine.connect() as connection:
            return await store.find_by_id(connection, id)

    async def waits_for(self, id: UUID) -> WaitsFor | None:
        """Return why an open request is not in a block yet; None if no reason is known, or it is not open."""
        async with self._engine.connect() as connection:
            place = (await connection.execute(sql["place"], {"id": id})).one_or_none()
            if place is None:
                return None
            if place.wallet != self.signer.address or place.chain_id not in self.wallet.chains:
                return WaitsFor.PAUSED  # of a retired wallet
            standing = (await connection.execute(sql["standing"], self.wallet.row_key(place.chain_id))).one()
        prices = await self.wallet.read_prices_soon(place.chain_id)
        waiting = _to_waiting(place, standing)
        if prices is None:
            return find_wait_reason(waiting, None, 0, self.caps)
        gas = GasPrice(prices.base_fee, prices.tip, self.caps.gas_price_ceiling_wei)
        return find_wait_reason(waiting, gas, prices.balance, self.caps)

    async def matches_call(self, id: UUID, call_data: bytes) -> bool:
        """Return whether this is the stored call, signature included. The call of an ended request is deleted."""
        async with self._engine.connect() as connection:
            row = (await connection.execute(sql["sealed_call"], {"id": id})).one_or_none()
        with suppress(DecryptionFailed):
            if row is not None:
                key = self._vault.record_key(row.salt, row.key_id)
                return key.open(row.call_data, call_context(id)) == call_data
        return False


def _to_waiting(place: Row[Any], standing: Row[Any]) -> WaitingRequest:
    latest = None
    if place.max_fee_wei is not None:
        latest = LatestAttempt(int(place.max_fee_wei), place.attempt_gas, place.behind_ours)
    return WaitingRequest(
        state=RequestState(place.state),
        reason=place.reason,
        gas_limit=place.gas_limit,
        is_behind=place.behind_its_signers,
        attempted=latest,
        is_stopped=standing.stopped is not None,
        open=standing.open,
        owed=int(standing.owed),
        used=int(standing.used_wei),
    )
