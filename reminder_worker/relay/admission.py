"""Admission: from a good authorization to committed bytes, in one transaction, and only then to the wire.

The wallet's row is locked, caps are reserved, the nonce is taken, signed for, and stored with the bytes. A crash before
the commit leaves nothing; after it the stored bytes are what is sent, by whoever looks next. Nothing is signed again.
"""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final
from uuid import UUID, uuid4

import structlog
from sqlalchemy import Row, TextClause
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.chain.client import Block, Call, Chain, Reverted
from reminder_worker.chain.contracts.routers import SponsoredReads
from reminder_worker.chain.simulation import LEAST_PAID_WEI
from reminder_worker.concurrency import Looks
from reminder_worker.errors import (
    ChainUnavailable,
    DecryptionFailed,
    LimitReached,
    NonceMismatch,
    NotConfigured,
    RelayStopped,
    ServiceError,
)
from reminder_worker.privacy.vault import RecordKey, Vault
from reminder_worker.relay import request_store
from reminder_worker.relay.attempts import NewAttempt, SignedTransaction, sign_attempt
from reminder_worker.relay.authorizations import claimed
from reminder_worker.relay.batches import BatchRunner
from reminder_worker.relay.broadcast import TAKEN, broadcast
from reminder_worker.relay.caps import CapsLeft
from reminder_worker.relay.fees import GasFees, first_fees, reservation
from reminder_worker.relay.models import (
    FOREIGN_NONCE,
    LEAST_SECONDS_LEFT,
    RelayAuthorization,
    RelayLane,
    RequestState,
    RequestView,
    WaitsFor,
    WalletCaps,
    call_context,
)
from reminder_worker.relay.queries import sql
from reminder_worker.relay.renewals import was_reset_since
from reminder_worker.relay.signer import WalletSigner
from reminder_worker.relay.state_machine import GasPrice, agreed_number
from reminder_worker.relay.wait_reason import LatestAttempt, WaitingRequest, waits_for

log = structlog.get_logger(__name__)

RELAYED_CHAINS: Final = frozenset({1, 11155111, 17000, 560048})
"""Chains on which a transaction costs its gas and nothing else; rollups charge a fee for its data, too."""
MARKET_SECONDS: Final = 3.0
PATIENCE_SECONDS: Final = 2.0
"""How long the status of one request waits for the chain to say what gas costs."""
SILENT_SECONDS: Final = 30.0
"""After so long without an answer a chain counts as silent. Until then it is slow, and what it said last counts."""
STARTED_AT_ONCE: Final = 64
USUAL_GAS: Final = 300_000


@dataclass(frozen=True, slots=True)
class MarketReading:
    """Wei; `read_at` on the monotonic clock."""

    base_fee: int
    tip: int
    balance: int
    read_at: float


@dataclass(frozen=True, slots=True)
class ReadyRequest:
    """A waiting request that nothing speaks against; `data` holds a user's signature."""

    id: UUID
    router: str
    gas_limit: int
    key: RecordKey = field(repr=False)
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class AdmissionRequest:
    """A good authorization, and the gas market when it came. `waits`: behind an open request of the same signer."""

    authorization: RelayAuthorization
    waits: bool
    market: MarketReading


Outcome = RequestView | BaseException
_Decided = tuple[Sequence[Outcome], Sequence[SignedTransaction]]
"""In the order asked; and what is to be sent."""


class RelayAdmission:
    """Of one wallet on all its chains. `any_chain`: also chains that may charge more than gas (local ones). `starts`:
    whether what waits gets a nonce when its turn comes; in a dry run it does not."""

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
        self.signer = signer
        self.caps = caps
        self._engine = engine
        self._vault = vault
        self._starts = starts
        self._chains = {id: chain for id, chain in chains.items() if any_chain or id in RELAYED_CHAINS}
        self._locks = {id: asyncio.Lock() for id in self._chains}
        self._turns = {id: asyncio.Lock() for id in self._chains}
        self._batches = {id: BatchRunner(partial(self._admit_all, id)) for id in self._chains}
        self._opened: set[int] = set()
        self._markets: dict[int, MarketReading] = {}
        self._looks = Looks(self._market_if_any)

    # -- what there is --------------------------------------------------------------------------

    async def view(self, id: UUID) -> RequestView | None:
        async with self._engine.connect() as connection:
            return await request_store.view(connection, id)

    async def waits_for(self, id: UUID) -> WaitsFor | None:
        """Why an open request is not in a block yet; None: nothing that is known, or it is not open. Answers soon."""
        async with self._engine.connect() as connection:
            place = (await connection.execute(sql["place"], {"id": id})).one_or_none()
            if place is None:
                return None
            if place.wallet != self.signer.address or place.chain_id not in self._chains:
                return WaitsFor.PAUSED  # nobody follows it any more
            standing = (await connection.execute(sql["standing"], self._key(place.chain_id))).one()
        looked = await self._looks.within(PATIENCE_SECONDS, [place.chain_id])
        market = looked[place.chain_id] if place.chain_id in looked else self._last_market(place.chain_id)
        if market is None:
            return waits_for(_waiting(place, standing), None, 0, self.caps)
        prices = GasPrice(market.base_fee, market.tip, self.caps.gas_price_ceiling_wei)
        return waits_for(_waiting(place, standing), prices, market.balance, self.caps)

    async def find(self, chain_id: int, digest: bytes) -> RequestView | None:
        async with self._engine.connect() as connection:
            return await request_store.find(connection, chain_id, digest)

    async def holds(self, id: UUID, call_data: bytes) -> bool:
        """Return whether this is the stored call, signature included. The call of an ended request is deleted."""
        async with self._engine.connect() as connection:
            row = (await connection.execute(sql["sealed_call"], {"id": id})).one_or_none()
        with suppress(DecryptionFailed):
            if row is not None:
                key = self._vault.record(row.salt, row.key_id)
                return key.open(row.call_data, call_context(id)) == call_data
        return False

    async def open_of(self, chain_id: int, router: str, signer: str) -> list[int]:
        """Nonces (of the signer at the router) of our open requests, in order."""
        values = {**self._key(chain_id), "router": router, "signer": signer}
        async with self._engine.connect() as connection:
            return [int(nonce) for nonce in (await connection.execute(sql["open_of"], values)).scalars()]

    async def ready(self, chain_id: int) -> str | None:
        """Why nothing would be relayed on this chain now, as a code; None: it would, at the latest when fees fall.

        Raises `Misconfigured` where nothing can be signed.
        """
        if chain_id not in self._chains:
            return "chain_refused"
        await self.signer.open()
        try:
            await self.open_wallet(chain_id)
            market = await self._market(chain_id)
        except RelayStopped as stopped:
            return stopped.reason
        except ChainUnavailable:
            return "chain_unavailable"
        async with self._engine.connect() as connection:
            standing = (await connection.execute(sql["standing"], self._key(chain_id))).one()
        fees, wei = self._offer(market, USUAL_GAS)
        if standing.stopped is not None:
            return "stopped"
        if standing.requests >= self.caps.daily_count or standing.spent_wei + wei > self.caps.daily_wei:
            return "daily_cap_reached"
        if standing.used_wei + wei > self.caps.daily_wei:
            return "daily_cap_reserved"
        return "low_balance" if fees is not None and market.balance < standing.owed + wei else None

    async def open_wallet(self, chain_id: int) -> None:
        """Compare our counter of nonces with the chain's, once in this process: before its first admission.

        Raises `RelayStopped`, `ChainUnavailable`, and `NotConfigured` for a chain that is not relayed on.
        """
        if chain_id in self._opened:
            return
        if chain_id not in self._chains:
            raise NotConfigured("nothing is relayed on this chain")
        async with self._locks[chain_id]:
            if chain_id not in self._opened:
                await self._reconcile_counter(self._chains[chain_id])
                self._opened.add(chain_id)

    # -- admission ------------------------------------------------------------------------------

    async def admit(self, authorization: RelayAuthorization, *, waits: bool = False) -> RequestView:
        """Relay it once, however often it is asked for. `waits`: behind our own open request of the same signer.

        Raises `LimitReached` (`daily_cap_reached`, `daily_cap_reserved`), `NonceMismatch` (an open request of the
        signer has it: of two only one could succeed), `RelayStopped`, `ChainUnavailable`, `NotConfigured`, and
        `Misconfigured` where nothing can be signed, now or when its turn comes; then nothing is stored.
        """
        await self.signer.open()
        chain_id = authorization.chain_id
        await self.open_wallet(chain_id)
        asked = AdmissionRequest(authorization, waits, await self._market(chain_id))
        return await self._batches[chain_id].do(asked)

    async def _admit_all(self, chain_id: int, take: Callable[[], Sequence[AdmissionRequest]]) -> Sequence[Outcome]:
        """Requests that come while the wallet's row is held are admitted together, in one transaction."""
        async with self._turns[chain_id]:
            outcomes, attempts = await self._decided(chain_id, take())
        answers = await broadcast(self._engine, self._chains[chain_id], attempts)
        taken = {tx_hash for tx_hash, said in answers.items() if TAKEN & set(said)}
        return [
            replace(each, state=RequestState.BROADCAST)
            if isinstance(each, RequestView) and each.tx_hash in taken
            else each
            for each in outcomes
        ]

    async def _decided(self, chain_id: int, asked: Sequence[AdmissionRequest]) -> _Decided:
        """As `_decide`; where that fails for all, for example because the database refuses the row of one, each is
        decided by itself. If another wallet took the digest at the same moment, that request is found then."""
        (decided,) = await asyncio.gather(self._decide(chain_id, asked), return_exceptions=True)
        if not isinstance(decided, BaseException):
            return decided
        if isinstance(decided, RelayStopped) or (len(asked) == 1 and not isinstance(decided, IntegrityError)):
            raise decided
        alone = await asyncio.gather(*(self._decide(chain_id, [each]) for each in asked), return_exceptions=True)
        outcomes: list[Outcome] = []
        attempts: list[SignedTransaction] = []
        for each in alone:
            if isinstance(each, BaseException):
                outcomes.append(each)
            else:
                outcomes += each[0]
                attempts += each[1]
        return outcomes, attempts

    async def _decide(self, chain_id: int, asked: Sequence[AdmissionRequest]) -> _Decided:
        """Decide on each in its turn, by the same rules and all in one transaction. Also returns what is to be sent
        once it is committed."""
        decided: list[UUID | ServiceError] = []
        rows: list[dict[str, Any]] = []
        signed: list[NewAttempt] = []
        async with self._engine.begin() as connection:
            nonce = await request_store.lock_wallet(connection, chain_id, self.signer.address)
            authorizations = [each.authorization for each in asked]
            room = await request_store.read_room(connection, chain_id, self.signer.address, self.caps, authorizations)
            for each in asked:
                try:
                    known = room.known.get(each.authorization.digest)
                    decided.append(known or await self._take(each, room, nonce + len(signed), rows, signed))
                except (LimitReached, NonceMismatch, RelayStopped) as refused:
                    decided.append(refused)
            views = await request_store.add(
                connection, chain_id, self.signer.address, room, rows, [each.row for each in signed]
            )
            for id in {each for each in decided if isinstance(each, UUID)} - views.keys():
                views |= {view.id: view for view in [await request_store.view(connection, id)] if view}
        outcomes = [views[each] if isinstance(each, UUID) else each for each in decided]
        return outcomes, [each.attempt for each in signed]

    async def _take(
        self, asked: AdmissionRequest, room: CapsLeft, nonce: int, rows: list[dict[str, Any]], signed: list[NewAttempt]
    ) -> UUID:
        """A new request: its row, and when its turn has come the bytes of its transaction."""
        authorization, market = asked.authorization, asked.market
        fees, wei = self._offer(market, authorization.gas_now)
        waiting = (
            RequestState.WAITING_PREDECESSOR if asked.waits else RequestState.DEFERRED_FEE if fees is None else None
        )
        state = room.take(authorization, waiting, wei, market.balance)
        id, key = uuid4(), self._vault.record()
        sealed = key.seal(authorization.call_data, call_context(id))
        row = {**request_store.request_row(authorization, state), "id": id, "key_id": key.key_id, "salt": key.salt}
        if state is RequestState.SIGNED and fees is not None:
            each = ReadyRequest(id, authorization.router, authorization.gas_now, key, authorization.call_data)
            signed.append(await self._sign(authorization.chain_id, each, nonce, fees, wei))
            row["tx_hash"] = signed[-1].attempt.tx_hash
        rows.append({**row, "call_data": sealed})
        room.known[authorization.digest] = id
        return id

    async def _sign(self, chain_id: int, ready: ReadyRequest, nonce: int, fees: GasFees, wei: int) -> NewAttempt:
        signed = await sign_attempt(
            ready.key,
            self.signer,
            chain_id=chain_id,
            nonce=nonce,
            kind="call",
            to=ready.router,
            data=ready.data,
            fees=fees,
            gas_limit=ready.gas_limit,
        )
        return NewAttempt(signed.attempt, {**signed.row, "request_id": ready.id, "wei": str(wei)})

    async def start_open(self, chain_id: int) -> int:
        """Give nonces to requests without one whose turn has come, in the order they came; returns how many.

        Raises `RelayStopped` and `ChainUnavailable`; what was started until then is started.
        """
        await self.open_wallet(chain_id)
        if not self._starts:
            return 0
        market = await self._market(chain_id)
        if self._offer(market, USUAL_GAS)[0] is None:
            async with self._engine.begin() as connection:  # the wallet's row first, like all who move many requests
                await request_store.lock_wallet(connection, chain_id, self.signer.address)
                await connection.execute(sql["defer"], self._key(chain_id))
            return 0
        async with self._engine.connect() as connection:
            room = self.caps.max_open - (await connection.execute(sql["standing"], self._key(chain_id))).one().open
            values = {**self._key(chain_id), "limit": STARTED_AT_ONCE if room > 0 else 0}
            rows = (await connection.execute(sql["to_start"], values)).all()
        started = 0
        while rows and room > started:
            tried, rows = rows[: room - started], rows[room - started :]
            ready = await self._ready(chain_id, tried)
            count = await self._start(chain_id, ready, market)
            started += count
            if count < len(ready):
                break
        return started

    async def _ready(self, chain_id: int, rows: Sequence[Row[Any]]) -> list[ReadyRequest]:
        """Those that are to be paid for now. The others are marked with the reason why not."""
        found: list[tuple[Row[Any], ReadyRequest]] = []
        for row in rows:
            try:
                key = self._vault.record(row.salt, row.key_id)
                data = key.open(row.call_data, call_context(row.id))
            except DecryptionFailed:
                log.error("relay_request_not_decryptable", chain_id=chain_id, id=str(row.id))
                await self._execute(sql["pass_over"], {"id": row.id, "reason": "not_readable"})
            else:
                found.append((row, ReadyRequest(row.id, row.router, row.gas_limit, key, data)))
        chain = self._chains[chain_id]
        calls = [(Call(each.router, each.data), each.gas_limit) for _, each in found]
        head = await chain.head()
        answers = await chain.call_each(calls, at=head.hash, sender=self.signer.address)
        asked = (self._objection(chain, *each, answer, head) for each, answer in zip(found, answers, strict=True))
        ready = []
        for (_, each), objection in zip(found, await asyncio.gather(*asked), strict=True):
            if objection is None:
                ready.append(each)
            else:
                await self._execute(sql["pass_over"], {"id": each.id, "reason": objection})
        return ready

    async def _start(self, chain_id: int, ready: Sequence[ReadyRequest], market: MarketReading) -> int:
        """As many of them, in their order, as there is room for: one transaction, and then the wire."""
        if not ready:
            return 0
        async with self._turns[chain_id], self._engine.begin() as connection:
            nonce = await request_store.lock_wallet(connection, chain_id, self.signer.address)
            values = {"ids": [each.id for each in ready]}
            waiting = set(
                (await connection.execute(sql["still_waiting"], values)).scalars()
            )  # others may have taken some
            standing = (await connection.execute(sql["standing"], self._key(chain_id))).one()
            chosen, too_dear = self._that_fit([each for each in ready if each.id in waiting], market, standing)
            for id, reason in too_dear.items():
                await connection.execute(sql["pass_over"], {"id": id, "reason": reason})
            signed = [
                await self._sign(chain_id, each, nonce + position, fees, wei)
                for position, (each, fees, wei) in enumerate(chosen)
            ]
            if signed:
                rows = [each.row for each in signed]
                await request_store.start(connection, chain_id, self.signer.address, standing.day, rows)
        await broadcast(self._engine, self._chains[chain_id], [each.attempt for each in signed])
        return len(signed)

    def _that_fit(
        self, ready: Sequence[ReadyRequest], market: MarketReading, standing: Row[Any]
    ) -> tuple[list[tuple[ReadyRequest, GasFees, int]], dict[UUID, str]]:
        """The requests, with their fees and wei, before the first that has no room now: those behind it wait. And with
        the reason as a code those that would have no room even if all that is under way cost nothing, by today's cap or
        by the balance: nobody waits for them."""
        chosen: list[tuple[ReadyRequest, GasFees, int]] = []
        too_dear: dict[UUID, str] = {}
        owed, room = int(standing.owed), self.caps.daily_wei - int(standing.used_wei)
        for each in ready[: max(0, self.caps.max_open - standing.open)]:
            fees, wei = self._offer(market, each.gas_limit)
            if fees is not None and standing.spent_wei + wei > self.caps.daily_wei:
                too_dear[each.id] = "daily_cap_reached"
                continue
            if fees is not None and market.balance < wei:
                too_dear[each.id] = "low_balance"
                continue
            if fees is None or wei > room or market.balance < owed + wei:
                break
            chosen.append((each, fees, wei))
            owed, room = owed + wei, room - wei
        return chosen, too_dear

    async def _objection(
        self, chain: Chain, row: Row[Any], ready: ReadyRequest, answer: bytes | Reverted | None, head: Block
    ) -> str | None:
        """Why a request is not to be paid for now, as a code; None: it is. Since it came, what it was for may have been
        done."""
        if row.paused:
            return "signer_paused"
        least = (
            1 if row.lane == RelayLane.AUTO_RENEW else LEAST_SECONDS_LEFT
        )  # the last chance of a timer is worth its fee
        if row.deadline < head.timestamp + least:
            return "expires_soon"
        if answer is None:
            return "not_simulated"
        if isinstance(answer, Reverted):
            return "would_revert"
        if row.lane == RelayLane.AUTO_RENEW:
            try:
                is_over = await was_reset_since(chain, row.router, int(row.subject_id), bytes(row.digest), at=head.hash)
            except ChainUnavailable:  # the other requests do not wait until somebody says it of this one
                return "not_simulated"
            return "began_anew" if is_over else None
        if row.lane != RelayLane.CLAIM:  # only a claim succeeds where there is nothing to do
            return None
        found, claim = None, claimed(ready.data)
        with suppress(ChainUnavailable):  # a node that does not know the question; the plain call has decided
            payer = None
            if claim and claim[2]:
                legacy = await SponsoredReads(chain).legacy_of(ready.router, claim[0], at=head.hash)
                payer = legacy if legacy and await chain.balance(legacy) >= LEAST_PAID_WEI else None
            found = await chain.simulate(
                Call(ready.router, ready.data),
                at=head,
                sender=self.signer.address,
                gas=ready.gas_limit,
                emitter=ready.router,
                payer=payer,
            )
        if isinstance(found, Reverted):
            return "would_revert"
        delivers = found is None or found.received(row.signer, claim[1] if claim else ())
        return None if delivers else "nothing_to_claim"

    # -- the chain ------------------------------------------------------------------------------

    async def _reconcile_counter(self, chain: Chain) -> None:
        """Compare our counter of nonces with the chain's. The chain is asked first: our counter, read afterwards, only
        grows, so what is higher on chain than it was not signed by us."""
        counts = await chain.transaction_counts(self.signer.address, "latest")
        if not counts:
            raise ChainUnavailable(f"no endpoint of chain {chain.chain_id} counts the wallet's transactions")
        count = agreed_number(counts, len(chain.settings.rpc_urls))
        key = self._key(chain.chain_id)
        async with self._engine.connect() as connection:
            row = (await connection.execute(sql["read_wallet"], key)).one_or_none()
        if row is None:
            pending = await chain.transaction_counts(self.signer.address, "pending")
            if count is None or len({*counts, *pending}) > 1:
                # A transaction of ours that we do not know is under way, or endpoints lag: not the time to start.
                raise RelayStopped("the wallet's first nonce is not settled on chain", "not_reconciled")
            await self._execute(sql["add_wallet"], {**key, "next_nonce": count})
        elif count is not None and count > row.next_nonce:
            await self._execute(sql["stop_wallet"], {**key, "reason": FOREIGN_NONCE})
            log.error("foreign_transaction", chain_id=chain.chain_id)

    async def _market(self, chain_id: int) -> MarketReading:
        """At most `MARKET_SECONDS` old, asked for once by all who wait for it."""
        async with self._locks[chain_id]:
            market = self._markets.get(chain_id)
            if market is None or time.monotonic() - market.read_at > MARKET_SECONDS:
                chain = self._chains[chain_id]
                (base_fee, tip), balance = await asyncio.gather(chain.fees(), chain.balance(self.signer.address))
                market = self._markets[chain_id] = MarketReading(base_fee, tip, balance, time.monotonic())
            return market

    def _last_market(self, chain_id: int) -> MarketReading | None:
        market = self._markets.get(chain_id)
        return market if market and time.monotonic() - market.read_at < SILENT_SECONDS else None

    async def _market_if_any(self, chain_id: int) -> MarketReading | None:
        try:
            return await self._market(chain_id)
        except ChainUnavailable:
            return None

    def _offer(self, market: MarketReading, gas_limit: int) -> tuple[GasFees | None, int]:
        """First fees and the wei to reserve; None and 0 while gas is too dear."""
        ceiling = self.caps.gas_price_ceiling_wei
        fees = first_fees(market.base_fee, market.tip, ceiling)
        return fees, reservation(gas_limit, fees, ceiling) if fees else 0

    async def _execute(self, statement: TextClause, values: Mapping[str, Any]) -> None:
        async with self._engine.begin() as connection:
            await connection.execute(statement, dict(values))

    def _key(self, chain_id: int) -> dict[str, Any]:
        return {"chain_id": chain_id, "wallet": self.signer.address}


def _waiting(place: Row[Any], standing: Row[Any]) -> WaitingRequest:
    newest = None
    if place.max_fee_wei is not None:
        newest = LatestAttempt(int(place.max_fee_wei), place.attempt_gas, place.behind_ours)
    return WaitingRequest(
        state=RequestState(place.state),
        reason=place.reason,
        gas_limit=place.gas_limit,
        is_behind=place.behind_its_signers,
        attempted=newest,
        is_stopped=standing.stopped is not None,
        open=standing.open,
        owed=int(standing.owed),
        used=int(standing.used_wei),
    )
