"""Waiting requests: their start, and the reason for which an open request is not in a block yet.

A request starts after a second check whether it is worth the fee, in its turn, while the caps have room.
"""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
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
from reminder_worker.privacy.vault import RecordKey, Vault
from reminder_worker.relay import store
from reminder_worker.relay.attempts import broadcast_attempts, open_slot
from reminder_worker.relay.authorizations import decode_claim
from reminder_worker.relay.budget import WalletBudget
from reminder_worker.relay.fees import EMPTY_GAS, compute_reservation, first_fees
from reminder_worker.relay.models import (
    LEAST_SECONDS_LEFT,
    WAITING_STATES,
    RelayAuthorization,
    RelayLane,
    RequestState,
    WaitsFor,
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
_CODES: Final[Mapping[WaitsFor, str]] = {
    WaitsFor.DAILY_CAP: "daily_cap_reached",
    WaitsFor.BALANCE: "low_balance",
}
"""What even a budget without open slots lacks."""


@dataclass(frozen=True, slots=True)
class ReadyRequest:
    """A waiting request with its opened call; `key` seals its attempts. `is_paused`: its signer is paused today."""

    id: UUID
    authorization: RelayAuthorization
    key: RecordKey = field(repr=False)
    is_paused: bool


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
            budget = await self._wallet.read_budget(connection, chain_id, prices.balance)
            room = self._wallet.caps.max_open - budget.open
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
        opened: list[ReadyRequest] = []
        for row in rows:
            try:
                opened.append(self._open_request(row))
            except DecryptionFailed:
                log.error("relay_request_not_decryptable", chain_id=chain_id, id=str(row.id))
                await self._pass_over(row.id, "not_readable")
        chain = self._wallet.chains[chain_id]
        calls = [(_router_call(request), request.authorization.gas_limit) for request in opened]
        head = await chain.get_head()
        answers = await chain.call_each(calls, at=head.hash, sender=self._wallet.address)
        checks = [
            self._check_one(chain, request, answer, head) for request, answer in zip(opened, answers, strict=True)
        ]
        ready: list[ReadyRequest] = []
        for request, checked in zip(opened, await asyncio.gather(*checks), strict=True):
            if isinstance(checked, str):
                await self._pass_over(request.id, checked)
            else:
                ready.append(checked)
        return ready

    def _open_request(self, row: Row[Any]) -> ReadyRequest:
        """Decrypt the call of a waiting request. Raises `DecryptionFailed`."""
        key = self._vault.record_key(row.salt, row.key_id)
        authorization = RelayAuthorization(
            chain_id=row.chain_id,
            lane=RelayLane(row.lane),
            digest=bytes(row.digest),
            router=row.router,
            subject_id=int(row.subject_id),
            signer=row.signer,
            creator=row.creator,
            nonce=int(row.nonce),
            deadline=row.deadline,
            call_data=key.open(row.call_data, call_context(row.id)),
            gas_limit=row.gas_limit,
        )
        return ReadyRequest(row.id, authorization, key, row.paused)

    async def _check_one(
        self, chain: Chain, request: ReadyRequest, answer: bytes | RevertedCall | None, head: BlockHeader
    ) -> ReadyRequest | str:
        """Return the request with the gas that it needs now, or as a code why it is not worth its fee now.

        Its effect may already exist on chain.
        """
        authorization = request.authorization
        is_renewal = authorization.lane is RelayLane.AUTO_RENEW
        if request.is_paused:
            return "signer_paused"
        least = 1 if is_renewal else LEAST_SECONDS_LEFT  # a timer's last chance is worth its fee
        if authorization.deadline < head.timestamp + least:
            return "expires_soon"
        if answer is None:
            return "not_simulated"
        if isinstance(answer, RevertedCall):
            return "would_revert"
        if is_renewal:
            renewed = authorization.router, authorization.subject_id, authorization.digest
            try:
                is_over = await was_reset_since(chain, *renewed, at=head.hash)
            except ChainUnavailable:  # the other requests do not wait for this one
                return "not_simulated"
            return "began_anew" if is_over else request
        if authorization.lane is RelayLane.CLAIM:  # other calls revert if there is nothing to do
            return await self._check_claim(chain, request, head)
        return request

    async def _check_claim(self, chain: Chain, request: ReadyRequest, head: BlockHeader) -> ReadyRequest | str:
        authorization, call = request.authorization, _router_call(request)
        claim = decode_claim(authorization.call_data)
        claimed: tuple[str, ...] = ()
        pays_ether = False
        if claim is not None:
            _, tokens, pays_ether, _, _ = claim
            claimed = (*tokens, ETHER) if pays_ether else tokens
        sender, most = self._wallet.address, authorization.gas_limit
        found = None
        with suppress(ChainUnavailable):  # a node without simulation: the plain call has decided
            payer = await self._find_payer(chain, authorization, head) if pays_ether else None
            found = await chain.simulate(call, at=head, sender=sender, gas=most, emitter=call.to, payer=payer)
        if isinstance(found, RevertedCall):
            return "would_revert"
        if found is not None and not found.find_received(authorization.signer, claimed):
            return "nothing_to_claim"
        gas = estimate_gas(found, authorization.signer, claimed)
        needs = await confirm_gas(chain, call, at=head, sender=sender, gas=gas, most=most)
        return replace(request, authorization=replace(authorization, needs=needs))

    async def _find_payer(self, chain: Chain, claim: RelayAuthorization, head: BlockHeader) -> str | None:
        """Return the legacy of a claim, if it holds ether that is worth a claim."""
        legacy = await RouterReads(chain).read_legacy_of(claim.router, claim.subject_id, at=head.hash)
        if legacy is None or await chain.get_balance(legacy) < LEAST_PAID_WEI:
            return None
        return legacy

    async def _start_fitting(self, chain_id: int, ready: Sequence[ReadyRequest], prices: WalletPrices) -> int:
        """Give nonces to requests in their order until one has no room, in one transaction. Then send them.

        A request that cap or balance could not pay for, even if all open slots cost nothing, is passed over and delays
        no other. Requests started by a second process meanwhile are left out.
        """
        wallet, transactions = self._wallet, list[bytes]()
        async with self._turns[chain_id], self._engine.begin() as connection:
            await store.lock_wallet(connection, chain_id, wallet.address)
            budget = await wallet.read_budget(connection, chain_id, prices.balance)
            for request in ready:
                id, authorization = request.id, request.authorization
                fees, wei = wallet.offer_fees(prices, authorization.gas_now)
                if fees is None or not budget.has_slot:
                    break
                lasting = budget.settled().find_wait(wei)
                if lasting is not None:
                    await connection.execute(sql["pass_over"], {"id": id, "reason": _CODES[lasting]})
                    continue
                if budget.find_wait(wei) is not None:
                    break
                if await connection.scalar(sql["start"], {"id": id}):
                    raw = await open_slot(
                        connection, wallet.signer, id, request.key, authorization, fees, wei, budget.day
                    )
                    transactions.append(raw)
                    budget = budget.take_slot(wei)
        await broadcast_attempts(self._engine, wallet.chains[chain_id], transactions)
        return len(transactions)

    async def _pass_over(self, id: UUID, reason: str) -> None:
        async with self._engine.begin() as connection:
            await connection.execute(sql["pass_over"], {"id": id, "reason": reason})


def _router_call(request: ReadyRequest) -> ContractCall:
    return ContractCall(request.authorization.router, request.authorization.call_data)


@dataclass(frozen=True, slots=True)
class LatestAttempt:
    """Latest attempt of a request with a nonce; fee in wei per gas. `is_behind`: an earlier nonce is not mined."""

    max_fee: int
    gas_limit: int
    is_behind: bool


@dataclass(frozen=True, slots=True)
class WaitingRequest:
    """An open request. `is_behind`: an earlier nonce of the same signer is not mined."""

    state: RequestState
    reason: str | None
    gas_limit: int
    is_behind: bool
    attempted: LatestAttempt | None


def find_wait_reason(request: WaitingRequest, price: GasPrice | None, budget: WalletBudget) -> WaitsFor | None:
    """Return the reason, None if none is known. `price` None: no endpoint answers; the balance is not known, either."""
    if request.attempted is not None:
        return _find_sent_reason(request.attempted, price, budget.balance)
    if request.state not in WAITING_STATES:
        return None
    if budget.stopped is not None:
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
    return budget.find_wait(compute_reservation(request.gas_limit, fees, price.ceiling))


def _find_sent_reason(attempt: LatestAttempt, price: GasPrice | None, balance: int) -> WaitsFor | None:
    if price is None:
        return WaitsFor.CHAIN
    if attempt.max_fee < price.base_fee:
        return WaitsFor.FEES
    if balance < attempt.gas_limit * attempt.max_fee:
        return WaitsFor.BALANCE
    return WaitsFor.EARLIER if attempt.is_behind else None
