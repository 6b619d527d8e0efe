"""Waiting requests: their start, and the reason for which an open request is not in a block yet.

A request starts after a second check whether it is worth the fee, in its turn, while the caps have room.
"""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

import structlog
from sqlalchemy import Row
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts.routers import RouterReads
from reminder_worker.chain.simulation import LEAST_PAID_WEI
from reminder_worker.chain.types import ETHER, BlockHeader, ContractCall, RevertedCall
from reminder_worker.errors import ChainUnavailable, DecryptionFailed
from reminder_worker.privacy.vault import Vault
from reminder_worker.relay import store
from reminder_worker.relay.attempts import ReadyRequest, broadcast_attempts, sign_attempt
from reminder_worker.relay.authorizations import decode_claim
from reminder_worker.relay.fees import EMPTY_GAS, GasFees, compute_reservation, first_fees
from reminder_worker.relay.models import (
    LEAST_SECONDS_LEFT,
    WAITING_STATES,
    RelayLane,
    RequestState,
    WaitsFor,
    WalletCaps,
    call_context,
)
from reminder_worker.relay.onchain_effects import was_reset_since
from reminder_worker.relay.state_machine import GasPrice
from reminder_worker.relay.tables import sql
from reminder_worker.relay.validation import confirm_gas, estimate_gas
from reminder_worker.relay.wallet import RelayWallet, WalletPrices

log = structlog.get_logger(__name__)

STARTED_AT_ONCE: Final = 64
_REASONS: Final[Mapping[str, WaitsFor]] = {
    "daily_cap_reached": WaitsFor.DAILY_CAP,
    "low_balance": WaitsFor.BALANCE,
    "signer_paused": WaitsFor.PAUSED,
    "not_readable": WaitsFor.PAUSED,
    "not_simulated": WaitsFor.CHAIN,
    "expires_soon": WaitsFor.WOULD_FAIL,
    "would_revert": WaitsFor.WOULD_FAIL,
    "nothing_to_claim": WaitsFor.WOULD_FAIL,
}
"""By the code that is stored when a request is passed over."""


@dataclass(frozen=True, slots=True)
class PricedRequest:
    """A request with first fees and the wei to reserve. `fees` None: gas is too dear."""

    request: ReadyRequest
    fees: GasFees | None
    wei: int


class RequestStarter:
    """Starts waiting requests of one wallet. `turns`: by chain, held while nonces are taken."""

    def __init__(
        self, engine: AsyncEngine, vault: Vault, wallet: RelayWallet, turns: Mapping[int, asyncio.Lock]
    ) -> None:
        self._engine = engine
        self._vault = vault
        self._wallet = wallet
        self._turns = turns

    async def start_waiting(self, chain_id: int) -> int:
        """Give nonces to requests whose turn has come, in the order they came; return their number.

        Raises `RelayStopped` and `ChainUnavailable`; requests that were started until then stay started.
        """
        prices = await self._wallet.read_prices(chain_id)
        key = self._wallet.row_key(chain_id)
        if self._wallet.offer_fees(prices, EMPTY_GAS)[0] is None:
            async with self._engine.begin() as connection:  # the wallet's row first, like all who move many requests
                await store.lock_wallet(connection, chain_id, self._wallet.address)
                await connection.execute(sql["defer"], key)
            return 0
        async with self._engine.connect() as connection:
            room = self._wallet.caps.max_open - (await connection.execute(sql["standing"], key)).one().open
            values = {**key, "limit": STARTED_AT_ONCE if room > 0 else 0}
            rows = (await connection.execute(sql["to_start"], values)).all()
        started = 0
        while rows and room > started:
            tried, rows = rows[: room - started], rows[room - started :]
            ready = await self._check_again(chain_id, tried)
            count = await self._start_fitting(chain_id, ready, prices)
            started += count
            if count < len(ready):
                break
        return started

    async def _check_again(self, chain_id: int, rows: Sequence[Row[Any]]) -> list[ReadyRequest]:
        """Return the requests that are still worth their fee; the others keep a reason, and are tried again later."""
        found: list[tuple[Row[Any], ReadyRequest]] = []
        for row in rows:
            try:
                key = self._vault.record_key(row.salt, row.key_id)
                data = key.open(row.call_data, call_context(row.id))
            except DecryptionFailed:
                log.error("relay_request_not_decryptable", chain_id=chain_id, id=str(row.id))
                await self._pass_over({row.id: "not_readable"})
            else:
                found.append((row, ReadyRequest(row.id, row.router, row.gas_limit, key, data)))
        chain = self._wallet.chains[chain_id]
        calls = [(ContractCall(ready.router, ready.data), ready.gas_limit) for _, ready in found]
        head = await chain.get_head()
        answers = await chain.call_each(calls, at=head.hash, sender=self._wallet.address)
        checked = await asyncio.gather(
            *(
                self._check_one(chain, row, ready, answer, head)
                for (row, ready), answer in zip(found, answers, strict=True)
            )
        )
        await self._pass_over(
            {ready.id: each for (_, ready), each in zip(found, checked, strict=True) if isinstance(each, str)}
        )
        return [each for each in checked if isinstance(each, ReadyRequest)]

    async def _check_one(
        self, chain: Chain, row: Row[Any], ready: ReadyRequest, answer: bytes | RevertedCall | None, head: BlockHeader
    ) -> ReadyRequest | str:
        """Return the request with the gas that it needs now, or as a code why it is not worth its fee now.

        Its effect may already exist on chain.
        """
        if row.paused:
            return "signer_paused"
        least = 1 if row.lane == RelayLane.AUTO_RENEW else LEAST_SECONDS_LEFT  # a timer's last chance is worth its fee
        if row.deadline < head.timestamp + least:
            return "expires_soon"
        if answer is None:
            return "not_simulated"
        if isinstance(answer, RevertedCall):
            return "would_revert"
        if row.lane == RelayLane.AUTO_RENEW:
            try:
                is_over = await was_reset_since(chain, row.router, int(row.subject_id), bytes(row.digest), at=head.hash)
            except ChainUnavailable:  # the other requests do not wait for this one
                return "not_simulated"
            return "began_anew" if is_over else ready
        if row.lane == RelayLane.CLAIM:  # other calls revert if there is nothing to do
            return await self._check_claim(chain, row, ready, head)
        return ready

    async def _check_claim(
        self, chain: Chain, row: Row[Any], ready: ReadyRequest, head: BlockHeader
    ) -> ReadyRequest | str:
        found, claim = None, decode_claim(ready.data)
        claimed: tuple[str, ...] = ()
        if claim is not None:
            claimed = (*claim[1], *([ETHER] if claim[2] else []))
        call, sender = ContractCall(ready.router, ready.data), self._wallet.address
        with suppress(ChainUnavailable):  # a node without simulation: the plain call has decided
            payer = None
            if claim and claim[2]:
                legacy = await RouterReads(chain).read_legacy_of(ready.router, claim[0], at=head.hash)
                payer = legacy if legacy and await chain.get_balance(legacy) >= LEAST_PAID_WEI else None
            found = await chain.simulate(
                call, at=head, sender=sender, gas=ready.gas_limit, emitter=ready.router, payer=payer
            )
        if isinstance(found, RevertedCall):
            return "would_revert"
        if found is not None and not found.find_received(row.signer, claimed):
            return "nothing_to_claim"
        gas = estimate_gas(found, row.signer, claimed)
        enough = await confirm_gas(chain, call, at=head, sender=sender, gas=gas, most=ready.gas_limit)
        return ready if enough is None else replace(ready, gas_limit=enough)

    async def _start_fitting(self, chain_id: int, ready: Sequence[ReadyRequest], prices: WalletPrices) -> int:
        """Start as many requests, in their order, as the caps have room for: one transaction, and then the wire."""
        if not ready:
            return 0
        wallet = self._wallet
        async with self._turns[chain_id], self._engine.begin() as connection:
            nonce = await store.lock_wallet(connection, chain_id, wallet.address)
            ids = {"ids": [request.id for request in ready]}
            waiting = set(
                (await connection.execute(sql["still_waiting"], ids)).scalars()
            )  # since others may start some
            standing = (await connection.execute(sql["standing"], wallet.row_key(chain_id))).one()
            priced = [
                PricedRequest(request, *wallet.offer_fees(prices, request.gas_limit))
                for request in ready
                if request.id in waiting
            ]
            chosen, too_dear = choose_fitting(priced, prices.balance, standing, wallet.caps)
            for id, reason in too_dear.items():
                await connection.execute(sql["pass_over"], {"id": id, "reason": reason})
            attempts = [
                await sign_attempt(wallet.signer, chain_id, entry.request, nonce + position, fees, wei=entry.wei)
                for position, (entry, fees) in enumerate(chosen)
            ]
            if attempts:
                rows = [attempt.row for attempt in attempts]
                await store.start_requests(connection, chain_id, wallet.address, standing.day, rows)
        await broadcast_attempts(self._engine, wallet.chains[chain_id], [attempt.transaction for attempt in attempts])
        return len(attempts)

    async def _pass_over(self, reasons: Mapping[UUID, str]) -> None:
        for id, reason in reasons.items():
            async with self._engine.begin() as connection:
                await connection.execute(sql["pass_over"], {"id": id, "reason": reason})


def choose_fitting(
    priced: Sequence[PricedRequest], balance: int, standing: Row[Any], caps: WalletCaps
) -> tuple[list[tuple[PricedRequest, GasFees]], dict[UUID, str]]:
    """Choose requests in order until one has no room now; those behind it wait.

    Also return, with the reason as a code, requests that cap or balance could not pay for even if all open slots cost
    nothing. These requests are passed over, and delay no other.
    """
    chosen: list[tuple[PricedRequest, GasFees]] = []
    too_dear: dict[UUID, str] = {}
    owed, room = int(standing.owed), caps.daily_wei - int(standing.used_wei)
    for entry in priced[: max(0, caps.max_open - standing.open)]:
        fees, wei = entry.fees, entry.wei
        if fees is None:
            break
        if standing.spent_wei + wei > caps.daily_wei:
            too_dear[entry.request.id] = "daily_cap_reached"
        elif balance < wei:
            too_dear[entry.request.id] = "low_balance"
        elif wei > room or balance < owed + wei:
            break
        else:
            chosen.append((entry, fees))
            owed, room = owed + wei, room - wei
    return chosen, too_dear


@dataclass(frozen=True, slots=True)
class LatestAttempt:
    """Latest attempt of a request with a nonce; fee in wei per gas. `is_behind`: an earlier nonce is not mined."""

    max_fee: int
    gas_limit: int
    is_behind: bool


@dataclass(frozen=True, slots=True)
class WaitingRequest:
    """An open request and its wallet: `open` slots, the wei they reserve (`owed`), the part `used` of today's cap.

    `is_behind`: an earlier nonce of the same signer is not mined. `is_stopped`: the wallet takes no requests.
    """

    state: RequestState
    reason: str | None
    gas_limit: int
    is_behind: bool
    attempted: LatestAttempt | None
    is_stopped: bool
    open: int
    owed: int
    used: int


def find_wait_reason(
    request: WaitingRequest, price: GasPrice | None, balance: int, caps: WalletCaps
) -> WaitsFor | None:
    """Return the reason, None if none is known. `price` None: no endpoint answers, and `balance` (wei) is ignored."""
    if request.attempted is not None:
        return _find_sent_reason(request.attempted, price, balance)
    if request.state not in WAITING_STATES:
        return None
    if request.is_stopped:
        return WaitsFor.PAUSED
    if request.state is RequestState.WAITING_PREDECESSOR and request.is_behind:
        return WaitsFor.EARLIER
    if price is None:
        return WaitsFor.CHAIN
    fees = first_fees(price.base_fee, price.priority_fee, price.ceiling)
    if fees is None:
        return WaitsFor.FEES
    if request.reason is not None and request.reason in _REASONS:
        return _REASONS[request.reason]
    wei = compute_reservation(request.gas_limit, fees, price.ceiling)
    if request.used + wei > caps.daily_wei:
        return WaitsFor.DAILY_CAP
    if balance < wei:
        return WaitsFor.BALANCE
    if request.open >= caps.max_open or balance < request.owed + wei:
        return WaitsFor.EARLIER
    return None


def _find_sent_reason(attempt: LatestAttempt, price: GasPrice | None, balance: int) -> WaitsFor | None:
    if price is None:
        return WaitsFor.CHAIN
    if attempt.max_fee < price.base_fee:
        return WaitsFor.FEES
    if balance < attempt.gas_limit * attempt.max_fee:
        return WaitsFor.BALANCE
    return WaitsFor.EARLIER if attempt.is_behind else None
