"""What we stored against what the chain says: each slot is driven to its end, each budget settled by the receipt.

Facts are read in one batch from every endpoint, decided on by plain rules (`fate`), and written in one transaction for
each slot. Only then are stored bytes sent. Any number of reconcilers may run at once, and be killed anywhere.
"""

from collections.abc import Awaitable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, TypeVar

import structlog
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.alerts import Alerts, Facts
from reminder_worker.chain.client import Chain
from reminder_worker.errors import DecryptionFailed, RelayStopped, Unavailable
from reminder_worker.mail.messages import AlertKind
from reminder_worker.privacy.vault import Vault
from reminder_worker.relay import effects, settle, store
from reminder_worker.relay import slot_statements as sql
from reminder_worker.relay.admission import Admission
from reminder_worker.relay.attempts import Attempt, open_raw, store_attempt
from reminder_worker.relay.broadcast import broadcast
from reminder_worker.relay.fate import (
    ChainFacts,
    Fate,
    FinalFacts,
    Foreign,
    Kind,
    Market,
    MinedAttempt,
    Rebroadcast,
    Record,
    Replace,
    Settle,
    Unmine,
    decide,
    fate,
)
from reminder_worker.relay.fees import EMPTY_GAS, Fees, bump
from reminder_worker.relay.settle import Ending, OpenSlot, StoredRequest
from reminder_worker.relay.values import State
from reminder_worker.relay.views import SignerOf, Views, view_chain

log = structlog.get_logger(__name__)
T = TypeVar("T")

WAITING_LOOKED_AT: Final = 100
STUCK_ALERT_SECONDS: Final = 900
USUAL_GAS: Final = 210_000
"""Of one relay, for the alert of a low balance: a claim on the deployed contracts."""
FOREIGN_NONCE: Final = "foreign_nonce"


@dataclass(slots=True)
class ReconcileReport:
    """What one run came to on one chain; amounts in wei, ages in seconds. Public facts only.

    `requeued`: the slot ended and the authorization lives on. `freed`: an empty transfer was signed for a dead one.
    `failed`: slots and requests that could not be looked at this time.
    """

    open_slots: int = 0
    waiting: int = 0
    recorded: int = 0
    unmined: int = 0
    rebroadcast: int = 0
    replaced: int = 0
    freed: int = 0
    confirmed: int = 0
    reverted: int = 0
    expired: int = 0
    satisfied_elsewhere: int = 0
    superseded: int = 0
    cancelled_by_user: int = 0
    requeued: int = 0
    started: int = 0
    failed: int = 0
    oldest_open_seconds: int = 0
    balance_wei: int = 0
    stopped: str | None = None


@dataclass(frozen=True, slots=True)
class _Seen:
    """What one run goes by."""

    slots: Sequence[OpenSlot]
    waiting: Sequence[StoredRequest]
    views: Views
    market: Market | None


class Reconcile:
    """Of one wallet on all its chains: `admission` is the one that takes its nonces."""

    def __init__(
        self,
        engine: AsyncEngine,
        vault: Vault,
        chains: Mapping[int, Chain],
        admission: Admission,
        alerts: Alerts,
        low_balance_relays: int,
    ) -> None:
        self._engine = engine
        self._vault = vault
        self._chains = chains
        self._admission = admission
        self._alerts = alerts
        self._low_balance_relays = low_balance_relays
        self._wallet = admission.signer.address.lower()

    async def look(self, chain_id: int) -> bool:
        """Whether a request or a slot of the wallet is open."""
        async with self._engine.connect() as connection:
            return bool(await connection.scalar(sql.HAS_WORK, self._key(chain_id)))

    async def run(self, chain_id: int) -> ReconcileReport:
        """Raises `Unavailable` when the chain does not answer; then nothing was ended."""
        with suppress(RelayStopped):  # what is under way is driven to its end all the same
            await self._admission.open_wallet(chain_id)
        chain, report = self._chains[chain_id], ReconcileReport()
        seen = await self._see(chain)
        report.open_slots, report.waiting = len(seen.slots), len(seen.waiting)
        await self._look_for_strangers(chain_id, seen.views)
        outgoing: list[Attempt] = []
        for at in seen.slots:
            outgoing += await self._guarded(chain_id, at.request, self._slot(chain, at, seen, report), report) or ()
        for request in seen.waiting:
            await self._guarded(chain_id, request, self._waiting(chain, request, seen.views, report), report)
        await broadcast(self._engine, chain, outgoing)
        with suppress(RelayStopped):
            report.started = await self._admission.start_open(chain_id)
        await self._tell(chain, seen, report)
        return report

    # -- reading --------------------------------------------------------------------------------

    async def _see(self, chain: Chain) -> _Seen:
        async with self._engine.connect() as connection:
            slots = await settle.read_slots(connection, chain.chain_id, self._wallet)
            waiting = await settle.read_waiting(connection, chain.chain_id, self._wallet, WAITING_LOOKED_AT)
        hashes = [attempt.tx_hash for at in slots for attempt in at.slot.attempts]
        requests = [*(at.request for at in slots), *waiting]
        signers = list(dict.fromkeys(_signer(each) for each in requests if each.lane in effects.LANES))
        views = await view_chain(chain, self._wallet, hashes, signers)
        return _Seen(slots, waiting, views, await self._market(chain))

    async def _market(self, chain: Chain) -> Market | None:
        try:
            base_fee, priority_fee = await chain.fees()
        except Unavailable:
            return None
        return Market(base_fee, priority_fee, self._admission.caps.gas_price_ceiling_wei)

    # -- slots ----------------------------------------------------------------------------------

    async def _slot(self, chain: Chain, at: OpenSlot, seen: _Seen, report: ReconcileReport) -> Sequence[Attempt]:
        """One step of a slot; what is to be sent after it."""
        facts = _facts(at, seen)
        action = decide(at.slot, facts)
        match action:
            case Record(mined):
                if await self._record(chain.chain_id, at, mined):
                    report.recorded += 1
            case Unmine():
                if await self._unmine(chain.chain_id, at):
                    report.unmined += 1
                    return await self._newest(chain.chain_id, at, report)
            case Settle(mined):
                await self._finish(chain, at, mined, seen.views, report)
            case Foreign():
                await self._stop(chain.chain_id, at.slot.nonce)
                await self._finish(chain, at, None, seen.views, report)
            case Replace(kind) if facts.market is not None:
                return await self._replace(chain.chain_id, at, kind, facts.market, report)
            case Replace() | Rebroadcast():
                return await self._newest(chain.chain_id, at, report)
        return ()

    async def _record(self, chain_id: int, at: OpenSlot, mined: MinedAttempt) -> bool:
        async with self._engine.begin() as connection:
            if not await settle.unchanged(connection, chain_id, self._wallet, at.slot):
                return False
            await settle.record(connection, chain_id, self._wallet, at, mined)
            return True

    async def _unmine(self, chain_id: int, at: OpenSlot) -> bool:
        async with self._engine.begin() as connection:
            if not await settle.unchanged(connection, chain_id, self._wallet, at.slot):
                return False
            await settle.unmine(connection, chain_id, self._wallet, at)
            return True

    async def _finish(
        self, chain: Chain, at: OpenSlot, mined: MinedAttempt | None, views: Views, report: ReconcileReport
    ) -> None:
        ending = await self._ending(chain, at, mined, views)
        if ending is None:
            return  # the endpoints do not agree yet on what became of the authorization
        async with self._engine.begin() as connection:
            if not await settle.unchanged(connection, chain.chain_id, self._wallet, at.slot):
                return
            released = await settle.finish(connection, chain.chain_id, self._wallet, at, mined, ending)
            spent = mined.cost if mined else 0
            await store.settle_budget(connection, chain.chain_id, self._wallet, released.day, released.reserved, spent)
        _count(report, ending.state)

    async def _ending(self, chain: Chain, at: OpenSlot, mined: MinedAttempt | None, views: Views) -> Ending | None:
        called = mined is not None and settle.kind_of(at.slot, mined.tx_hash) == "call"
        if mined is not None and called and mined.succeeded:
            return Ending("confirmed")
        if mined is not None and called:
            found = await self._fate(chain, at.request, views, await _time_of(chain, mined))
            return None if found is None else _of_a_failed_call(at.request.lane, found)
        found = await self._fate(chain, at.request, views, views.time_final)
        if found is Fate.ALIVE:
            return Ending("queued", "slot_freed" if mined else FOREIGN_NONCE)
        return None if found is None else Ending(found.value)

    async def _replace(
        self, chain_id: int, at: OpenSlot, kind: Kind, market: Market, report: ReconcileReport
    ) -> Sequence[Attempt]:
        """Stored with its reservation before it is sent; where ceiling or cap forbid it, the newest bytes again."""
        async with self._engine.begin() as connection:
            if not await settle.unchanged(connection, chain_id, self._wallet, at.slot):
                return ()
            gas = EMPTY_GAS if kind == "empty" else at.slot.attempts[0].gas_limit
            fees = await self._affordable(connection, chain_id, at, gas, market)
            attempt = None if fees is None else await self._sign(connection, chain_id, at, kind, gas, fees)
        if attempt is None:
            return await self._newest(chain_id, at, report)
        if kind == at.slot.newest.kind:
            report.replaced += 1
        else:
            report.freed += 1
        return [attempt]

    async def _affordable(
        self, connection: AsyncConnection, chain_id: int, at: OpenSlot, gas: int, market: Market
    ) -> Fees | None:
        """What the market asks, if today's cap has room for it; else one step within what is reserved."""
        newest = Fees(at.slot.newest.max_fee, at.slot.newest.priority_fee)
        for ceiling in (market.ceiling, min(market.ceiling, at.reserved // gas)):
            fees = bump(newest, market.base_fee, market.priority_fee, ceiling)
            if fees is not None and await store.raise_reservation(
                connection, chain_id, self._wallet, at.slot.nonce, gas * fees.max_fee, self._admission.caps.daily_wei
            ):
                return fees
        return None

    async def _sign(
        self, connection: AsyncConnection, chain_id: int, at: OpenSlot, kind: Kind, gas: int, fees: Fees
    ) -> Attempt:
        key = self._vault.record(at.request.salt, at.request.key_id)
        sealed = await connection.scalar(sql.CALL_DATA, {"id": at.request.id})
        attempt = await store_attempt(
            connection,
            key,
            self._admission.signer,
            chain_id=chain_id,
            nonce=at.slot.nonce,
            kind=kind,
            to=at.request.router,
            data=key.open(sealed, f"relay_request.call_data|{at.request.id}") if kind == "call" else b"",
            fees=fees,
            gas_limit=gas,
        )
        await connection.execute(sql.SET_HASH, {"id": at.request.id, "tx_hash": attempt.tx_hash})
        return attempt

    async def _newest(self, chain_id: int, at: OpenSlot, report: ReconcileReport) -> Sequence[Attempt]:
        """The stored bytes that pay most; none when the slot became final meanwhile."""
        newest = at.slot.newest
        async with self._engine.connect() as connection:
            row = (await connection.execute(sql.RAW, {"chain_id": chain_id, "tx_hash": newest.tx_hash})).one()
        if row.raw is None:
            return ()
        raw = open_raw(self._vault.record(at.request.salt, at.request.key_id), chain_id, row)
        report.rebroadcast += 1
        return [Attempt(chain_id, at.slot.nonce, newest.tx_hash, raw)]

    # -- requests -------------------------------------------------------------------------------

    async def _waiting(self, chain: Chain, request: StoredRequest, views: Views, report: ReconcileReport) -> None:
        """A request without a slot ends when its authorization has, finally."""
        nonce = views.nonce_final(_signer(request)) if request.lane in effects.LANES else None
        over = views.time_final is not None and views.time_final > request.deadline
        if not over and not (nonce is not None and nonce > request.nonce):
            return
        found = await self._fate(chain, request, views, views.time_final)
        if found is None or found is Fate.ALIVE:
            return
        async with self._engine.begin() as connection:
            if not await settle.end_waiting(connection, chain.chain_id, self._wallet, request, found.value):
                return
        _count(report, found.value)

    async def _fate(self, chain: Chain, request: StoredRequest, views: Views, time: int | None) -> Fate | None:
        """None while too few endpoints say what it takes to know."""
        if time is None or views.head_final is None:
            return None
        if request.lane not in effects.LANES:
            return fate(None, request.deadline, False, FinalFacts(time, None, False, False))
        nonce = views.nonce_final(_signer(request))
        if nonce is None:
            return None
        direct = request.lane == "gift_withdraw"
        found: Sequence[effects.Effect] | None = ()
        if nonce > request.nonce or direct:
            found = await effects.effects(
                chain, request.lane, request.signer, request.created_at, views.head_final, self._wallet
            )
        if found is None:
            return None
        async with self._engine.connect() as connection:
            own = await settle.own_nonces(connection, chain.chain_id, [effect.tx_hash for effect in found])
        same = {
            effect
            for effect in found
            if (effect.lane, effect.subject_id) == (request.lane, request.subject_id) and effect.tx_hash not in own
        }
        other = any(effect not in same and own.get(effect.tx_hash, request.nonce) == request.nonce for effect in found)
        return fate(request.nonce, request.deadline, direct, FinalFacts(time, nonce, bool(same), other))

    # -- the wallet -----------------------------------------------------------------------------

    async def _look_for_strangers(self, chain_id: int, views: Views) -> None:
        """More transactions of our wallet than we ever signed: somebody else holds its key."""
        count, final = views.vouched_wallet_count, views.wallet_count_final
        async with self._engine.connect() as connection:
            wallet = (await connection.execute(sql.WALLET, self._key(chain_id))).one()
        if count is not None and count > wallet.next_nonce:
            await self._stop(chain_id, wallet.next_nonce)
        if final is not None and final > wallet.next_nonce:
            async with self._engine.begin() as connection:
                await connection.execute(sql.PASS_OVER, {**self._key(chain_id), "count": final})

    async def _stop(self, chain_id: int, nonce: int) -> None:
        async with self._engine.begin() as connection:
            await connection.execute(sql.STOP_WALLET, {**self._key(chain_id), "reason": FOREIGN_NONCE})
            facts: Facts = {"reason": FOREIGN_NONCE, "nonce": nonce}
            await self._alerts.raise_(connection, AlertKind.RELAYER_STOPPED, self._wallet, chain_id, facts)
        log.error("relay_wallet_stopped", chain_id=chain_id, wallet=self._wallet, reason=FOREIGN_NONCE, nonce=nonce)

    async def _tell(self, chain: Chain, seen: _Seen, report: ReconcileReport) -> None:
        """Conditions operators are told of, raised and cleared by what this run saw."""
        chain_id = chain.chain_id
        report.balance_wei = await chain.balance(self._wallet)
        async with self._engine.connect() as connection:
            wallet = (await connection.execute(sql.WALLET, self._key(chain_id))).one()
            slots = await settle.read_slots(connection, chain_id, self._wallet)
        report.stopped = wallet.stopped
        unmined = [at for at in slots if at.slot.mined_in is None]
        oldest = max(unmined, key=lambda at: at.age, default=None)
        report.oldest_open_seconds = int(oldest.age) if oldest else 0
        if seen.market is not None:
            price = min(seen.market.base_fee + seen.market.priority_fee, seen.market.ceiling)
            pays_for = report.balance_wei // (USUAL_GAS * price)
            facts: Facts = {"balance_wei": report.balance_wei, "pays for": f"{pays_for} relays"}
            low = pays_for < self._low_balance_relays
            await self._condition(chain_id, AlertKind.RELAYER_LOW_BALANCE, low, facts)
        facts = {"waiting_since_seconds": report.oldest_open_seconds}
        if oldest is not None:
            facts = {"nonce": oldest.slot.nonce, "tried with": f"{len(oldest.slot.attempts)} fees", **facts}
        stuck = report.oldest_open_seconds >= STUCK_ALERT_SECONDS
        await self._condition(chain_id, AlertKind.RELAY_STUCK, stuck, facts)
        if wallet.stopped is None:
            await self._condition(chain_id, AlertKind.RELAYER_STOPPED, False, {})

    async def _condition(self, chain_id: int, kind: AlertKind, holds: bool, facts: Facts) -> None:
        tell = self._alerts.raise_ if holds else self._alerts.clear
        await tell(None, kind, self._wallet, chain_id, facts)

    async def _guarded(
        self, chain_id: int, request: StoredRequest, work: Awaitable[T], report: ReconcileReport
    ) -> T | None:
        """What cannot be looked at now holds up none of the others."""
        try:
            return await work
        except (Unavailable, DecryptionFailed) as error:
            report.failed += 1
            log.warning(
                "relay_request_not_reconciled", chain_id=chain_id, id=str(request.id), error=type(error).__name__
            )
            return None

    def _key(self, chain_id: int) -> dict[str, object]:
        return {"chain_id": chain_id, "wallet": self._wallet}


def _signer(request: StoredRequest) -> SignerOf:
    return (request.router, request.signer)


def _facts(at: OpenSlot, seen: _Seen) -> ChainFacts:
    views = seen.views
    return ChainFacts(
        head=views.head,
        time=views.time,
        finalized=views.head_final,
        wallet_count=views.wallet_count,
        wallet_count_final=views.wallet_count_final,
        signer_nonce=views.nonce(_signer(at.request)),
        sighting=views.sighting([attempt.tx_hash for attempt in at.slot.attempts]),
        market=seen.market,
    )


def _of_a_failed_call(lane: str, found: Fate) -> Ending:
    """Whoever makes us pay for nothing is paused: by a call that fails, or by taking the nonce back under way.

    Not for being front-run, whose effect is there; and the attestor's renewals pause nobody.
    """
    state = "reverted" if found is Fate.ALIVE else found.value
    return Ending(
        state, "failed_on_chain", paused=lane in effects.LANES and found not in (Fate.SATISFIED, Fate.EXPIRED)
    )


async def _time_of(chain: Chain, mined: MinedAttempt) -> int | None:
    block = await chain.block_by_hash(mined.block_hash)
    return None if block is None else block.timestamp


def _count(report: ReconcileReport, state: str) -> None:
    name = "requeued" if state == State.QUEUED else state
    setattr(report, name, getattr(report, name) + 1)
