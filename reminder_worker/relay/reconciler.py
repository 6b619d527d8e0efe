"""What we stored against what the chain says: each slot is driven to its end, each budget settled by the receipt.

Facts are read in one batch from every endpoint, decided on by plain rules (`fate`), and written in one transaction for
each slot. Only then are stored bytes sent. Any number of reconcilers may run at once, and be killed anywhere.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar
from uuid import UUID

import structlog
from sqlalchemy import Row
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.chain.client import Call, Chain, Reverted
from reminder_worker.chain.contracts.timelocks import Timelocks
from reminder_worker.chain.types import SendOutcome
from reminder_worker.errors import ChainUnavailable, DecryptionFailed, Misconfigured, RelayStopped, Unavailable
from reminder_worker.indexer.models import LIVE
from reminder_worker.outbox.alerts import Alerts
from reminder_worker.privacy.vault import Vault
from reminder_worker.relay import onchain_effects, request_store, slot_store
from reminder_worker.relay.admission import RelayAdmission
from reminder_worker.relay.attempts import ReservationTooSmall, SignedTransaction, open_raw, sign_attempt, store_attempt
from reminder_worker.relay.broadcast import broadcast
from reminder_worker.relay.chain_view import ChainView, SignerOf, view_chain
from reminder_worker.relay.fees import EMPTY_GAS, GasFees, bump
from reminder_worker.relay.models import RelayLane, RequestState
from reminder_worker.relay.queries import sql
from reminder_worker.relay.renewals import was_reset_since
from reminder_worker.relay.resolution import RequestResolution
from reminder_worker.relay.slot_store import EndedSlot, OpenSlot, StoredRequest
from reminder_worker.relay.state_machine import (
    AttemptKind,
    AuthorizationFate,
    ForeignNonce,
    GasPrice,
    MinedAttempt,
    RecordBlock,
    ReopenSlot,
    ReplaceAttempt,
    SendAgain,
    SettleSlot,
    SlotAction,
    SlotFacts,
    StoredAttempt,
    decide,
    is_strangers,
)
from reminder_worker.relay.wallet_monitor import WalletMonitor

log = structlog.get_logger(__name__)
T = TypeVar("T")

WAITING_LOOKED_AT: Final = 100
WAITING_SECONDS: Final = 20.0
ENDING_SECONDS: Final = 20.0
NEAR_SECONDS: Final = 60.0


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
class RunFacts:
    """What one run goes by."""

    slots: Sequence[OpenSlot]
    waiting: Sequence[StoredRequest]
    views: ChainView
    market: GasPrice | None
    balance: int


class RelayReconciler:
    """Of one wallet on all its chains: `admission` is the one that takes its nonces."""

    def __init__(
        self,
        engine: AsyncEngine,
        vault: Vault,
        chains: Mapping[int, Chain],
        admission: RelayAdmission,
        alerts: Alerts,
        low_balance_relays: int,
    ) -> None:
        self._engine = engine
        self._vault = vault
        self._chains = chains
        self._admission = admission
        self._wallet = admission.signer.address
        self._outcomes = RequestResolution(engine, vault, self._wallet)
        self._watch = WalletMonitor(engine, alerts, self._wallet, admission.caps, low_balance_relays)

    async def look(self, chain_id: int) -> bool:
        """Whether a request or a slot of the wallet is open."""
        async with self._engine.connect() as connection:
            return bool(await connection.scalar(sql["has_work"], self._key(chain_id)))

    async def run(self, chain_id: int) -> ReconcileReport:
        """Look at everything that is open, and take each a step further: what is in a block is recorded, what is
        missing there is sent again or replaced, what is over ends, and what waits is started.

        Raises `Unavailable` when the chain does not answer; then nothing was ended.
        """
        await self._admission.open_wallet(chain_id)
        chain, report = self._chains[chain_id], ReconcileReport()
        seen = await self._see(chain)
        report.open_slots, report.waiting = len(seen.slots), len(seen.waiting)
        await self._watch.look_for_strangers(chain_id, seen.views)
        outgoing: list[SignedTransaction] = []
        decided = [(at, decide(at.slot, facts_of(at, seen))) for at in seen.slots]
        mined = [(at, each.mined) for at, each in decided if isinstance(each, RecordBlock | SettleSlot)]
        await self._at_once(chain_id, [each for each in mined if _is_new(*each)], self._record, report)
        outgoing += await self._newest(chain_id, [at for at, each in decided if isinstance(each, SendAgain)], report)
        over: list[tuple[OpenSlot, MinedAttempt | None]] = []
        fault: Unavailable | Misconfigured | None = None  # raised at the end: what is over needs neither fees nor key
        for at, action in decided:
            if isinstance(action, SettleSlot):
                over.append((_recorded(at, action.mined), action.mined))
            elif isinstance(action, ForeignNonce):
                stopped = await self._guarded(chain_id, at.request, self._stopped_by(chain, at), report)
                over += [(at, None)] if stopped else []
            else:
                work = self._slot(chain_id, at, action, seen.market, report)
                try:
                    outgoing += await self._guarded(chain_id, at.request, work, report) or ()
                except Misconfigured as error:  # the key does not open
                    fault = error
        said = await broadcast(self._engine, chain, outgoing)
        await broadcast(self._engine, chain, await self._earlier(chain_id, seen.slots, said, report))
        await self._end(chain, [each for each in over if _is_done(*each)], report)
        telling = asyncio.ensure_future(self._watch.tell(chain_id, seen.balance, seen.market))
        try:
            with suppress(RelayStopped):
                report.started = await self._admission.start_open(chain_id)
        except (Unavailable, Misconfigured) as error:  # what gas costs is not known, or the key does not open
            fault = error
        finally:
            told = await telling
        await self._end(chain, [each for each in over if not _is_done(*each)], report)
        await self._look_at_waiting(chain, seen, report)
        if fault is not None:
            raise fault
        report.balance_wei, report.oldest_open_seconds, report.stopped = seen.balance, *told
        return report

    # -- reading --------------------------------------------------------------------------------

    async def _see(self, chain: Chain) -> RunFacts:
        async with self._engine.connect() as connection:
            slots = await slot_store.read_slots(connection, chain.chain_id, self._wallet)
            waiting = await slot_store.read_waiting(connection, chain.chain_id, self._wallet, WAITING_LOOKED_AT)
        hashes = [attempt.tx_hash for at in slots for attempt in at.slot.attempts]
        unmined = _signers(at.request for at in slots if at.slot.mined_in is None and not at.slot.fresh)
        views, market, balance = await asyncio.gather(
            view_chain(chain, self._wallet, hashes, unmined, _signers(filter(_looked_at, waiting))),
            self._market(chain),
            chain.balance(self._wallet),
        )
        return RunFacts(slots, waiting, views, market, balance)

    async def _market(self, chain: Chain) -> GasPrice | None:
        try:
            base_fee, priority_fee = await chain.fees()
        except Unavailable:
            return None
        return GasPrice(base_fee, priority_fee, self._admission.caps.gas_price_ceiling_wei)

    # -- slots ----------------------------------------------------------------------------------

    async def _slot(
        self, chain_id: int, at: OpenSlot, action: SlotAction, market: GasPrice | None, report: ReconcileReport
    ) -> Sequence[SignedTransaction]:
        """Take the step of one slot, unless it is one of those that are written together (`_at_once`); returns what is
        to be sent after it."""
        match action:
            case ReopenSlot():
                if await self._unmine(chain_id, at):
                    report.unmined += 1
                    return await self._newest(chain_id, [at], report)
            case ReplaceAttempt(kind) if market is not None:
                if kind == "call" and await self._would_revert(chain_id, at):
                    kind = "empty"
                return await self._replace(chain_id, at, kind, market, report)
        return ()

    async def _at_once(
        self,
        chain_id: int,
        found: Sequence[tuple[OpenSlot, T]],
        write: Callable[[int, Sequence[tuple[OpenSlot, T]], ReconcileReport], Awaitable[None]],
        report: ReconcileReport,
    ) -> None:
        """Write all in one transaction: of a full block each would wait for the commits of the others. Where one of
        them cannot be written, each is written by itself."""
        if not found:
            return
        try:
            await write(chain_id, found, report)
        except IntegrityError:
            for each in found:
                await self._guarded(chain_id, each[0].request, write(chain_id, [each], report), report)

    async def _record(
        self, chain_id: int, found: Sequence[tuple[OpenSlot, MinedAttempt]], report: ReconcileReport
    ) -> None:
        async with self._engine.begin() as connection:
            recorded = await slot_store.record(connection, chain_id, self._wallet, found)
        report.recorded += recorded

    async def _finish(
        self, chain_id: int, found: Sequence[tuple[OpenSlot, EndedSlot]], report: ReconcileReport
    ) -> None:
        async with self._engine.begin() as connection:
            nonces = await slot_store.finish(connection, chain_id, self._wallet, [each for _, each in found])
        for at, each in found:
            if at.slot.nonce in nonces:
                _count(report, each.ending.state)

    async def _end(
        self, chain: Chain, found: Sequence[tuple[OpenSlot, MinedAttempt | None]], report: ReconcileReport
    ) -> None:
        """End what is over, for a limited time and in random order: if one takes all of the time, it is not always the
        same others that have to wait."""
        ends, ended = time.monotonic() + ENDING_SECONDS, list[tuple[OpenSlot, EndedSlot]]()
        for at, mined in random.sample(found, len(found)):
            if time.monotonic() > ends:
                break
            each = await self._guarded(chain.chain_id, at.request, self._ending(chain, at, mined), report)
            ended += [(at, each)] if each else []
        await self._at_once(chain.chain_id, ended, self._finish, report)

    async def _ending(self, chain: Chain, at: OpenSlot, mined: MinedAttempt | None) -> EndedSlot | None:
        """None: the endpoints do not agree yet on what became of the authorization."""
        ending = await self._outcomes.ending(chain, at, mined)
        return None if ending is None else EndedSlot(at, mined, ending)

    async def _stopped_by(self, chain: Chain, at: OpenSlot) -> bool:
        """Whether a stranger has taken the slot's nonce; then the wallet is stopped."""
        strangers = await self._is_a_strangers(chain, at)
        if strangers:
            await self._watch.stop(chain.chain_id, at.slot.nonce)
        return strangers

    async def _is_a_strangers(self, chain: Chain, at: OpenSlot) -> bool:
        """Whether it still looks so when the chain is asked once more. What was signed since the slot was read is ours
        as well; and behind one address there may be several nodes, of which one lacks for a moment what another has."""
        async with self._engine.begin() as connection:
            if not await slot_store.unchanged(connection, chain.chain_id, self._wallet, at.slot):
                return False
        hashes = [attempt.tx_hash for attempt in at.slot.attempts]
        views = await view_chain(chain, self._wallet, hashes)
        return is_strangers(at.slot.nonce, views.wallet_count_final, views.sighting(hashes))

    async def _unmine(self, chain_id: int, at: OpenSlot) -> bool:
        async with self._engine.begin() as connection:
            if not await slot_store.unchanged(connection, chain_id, self._wallet, at.slot):
                return False
            await slot_store.unmine(connection, chain_id, self._wallet, at)
            return True

    async def _would_revert(self, chain_id: int, at: OpenSlot) -> bool:
        """Whether the call would come to nothing now, so that nothing dearer is signed for it: while it was stuck its
        gift was paid out without it, or the timer that it renews began anew."""
        async with self._engine.connect() as connection:
            sealed = await connection.scalar(sql["call_data"], {"id": at.request.id})
        call, gas = (
            Call(at.request.router, slot_store.open_call(self._vault, at.request, sealed)),
            at.slot.newest.gas_limit,
        )
        answer: bytes | Reverted = b""
        with suppress(ChainUnavailable):
            chain = self._chains[chain_id]
            head, request = await chain.head(), at.request
            answer = await chain.call(call, at=head.hash, gas=gas, sender=self._wallet)
            if request.lane is RelayLane.AUTO_RENEW and not isinstance(answer, Reverted):
                return await was_reset_since(chain, request.router, request.subject_id, request.digest, at=head.hash)
        return isinstance(answer, Reverted)

    async def _replace(
        self, chain_id: int, at: OpenSlot, kind: AttemptKind, market: GasPrice, report: ReconcileReport
    ) -> Sequence[SignedTransaction]:
        """Sign a replacement and store it with its reservation before it is sent; where ceiling or cap forbid it, the
        newest bytes are sent again."""
        async with self._engine.begin() as connection:
            if not await slot_store.unchanged(connection, chain_id, self._wallet, at.slot):
                return ()
            gas = EMPTY_GAS if kind == "empty" else at.slot.attempts[0].gas_limit
            fees = await self._affordable(connection, chain_id, at, gas, market)
            attempt = None if fees is None else await self._sign(connection, chain_id, at, kind, gas, fees)
        if attempt is None:
            return await self._newest(chain_id, [at], report)
        if kind == at.slot.newest.kind:
            report.replaced += 1
        else:
            report.freed += 1
        return [attempt]

    async def _affordable(
        self, connection: AsyncConnection, chain_id: int, at: OpenSlot, gas: int, market: GasPrice
    ) -> GasFees | None:
        """The fees that the market asks for, if today's cap has room for them; else one step within what is reserved,
        but only if that is enough to be mined: the steps are few, and none is wasted."""
        newest = GasFees(at.slot.newest.max_fee, at.slot.newest.priority_fee)
        for ceiling in (market.ceiling, min(market.ceiling, at.reserved // gas)):
            fees = bump(newest, market.base_fee, market.priority_fee, ceiling)
            if fees is None or fees.max_fee < market.base_fee:
                continue
            if await request_store.raise_reservation(
                connection, chain_id, self._wallet, at.slot.nonce, gas * fees.max_fee, self._admission.caps.daily_wei
            ):
                return fees
        return None

    async def _sign(
        self, connection: AsyncConnection, chain_id: int, at: OpenSlot, kind: AttemptKind, gas: int, fees: GasFees
    ) -> SignedTransaction:
        key = self._vault.record(at.request.salt, at.request.key_id)
        sealed = await connection.scalar(sql["call_data"], {"id": at.request.id})
        signed = await sign_attempt(
            key,
            self._admission.signer,
            chain_id=chain_id,
            nonce=at.slot.nonce,
            kind=kind,
            to=at.request.router,
            data=slot_store.open_call(self._vault, at.request, sealed) if kind == "call" else b"",
            fees=fees,
            gas_limit=gas,
        )
        attempt = await store_attempt(connection, signed)
        await connection.execute(sql["set_hash"], {"id": at.request.id, "tx_hash": attempt.tx_hash})
        return attempt

    async def _newest(
        self, chain_id: int, slots: Sequence[OpenSlot], report: ReconcileReport
    ) -> list[SignedTransaction]:
        """The stored bytes that pay most; none of a slot that became final meanwhile."""
        return await self._stored(chain_id, [(at, at.slot.newest) for at in slots], report)

    async def _earlier(
        self,
        chain_id: int,
        slots: Sequence[OpenSlot],
        said: Mapping[str, Sequence[SendOutcome]],
        report: ReconcileReport,
    ) -> list[SignedTransaction]:
        """The earlier bytes of slots whose newest bytes every endpoint rejects, for example because the balance does
        not pay for them. Nodes may have forgotten the earlier ones, and they are good enough once gas is cheaper
        again."""
        refused = [at for at in slots if set(said.get(at.slot.newest.tx_hash, ())) == {SendOutcome.REJECTED}]
        before = [(at, each) for at in refused for each in at.slot.attempts[:-1] if each.kind == at.slot.newest.kind]
        return await self._stored(chain_id, before, report)

    async def _stored(
        self, chain_id: int, wanted: Sequence[tuple[OpenSlot, StoredAttempt]], report: ReconcileReport
    ) -> list[SignedTransaction]:
        if not wanted:
            return []
        hashes = [each.tx_hash for _, each in wanted]
        async with self._engine.connect() as connection:
            rows = (await connection.execute(sql["raw"], {"chain_id": chain_id, "tx_hashes": hashes})).all()
        stored = {row.tx_hash: row for row in rows if row.raw is not None}
        found: list[SignedTransaction] = []
        for at, each in wanted:
            if each.tx_hash in stored:
                opening = self._open(chain_id, at, stored[each.tx_hash])
                found += await self._guarded(chain_id, at.request, opening, report) or ()
        report.rebroadcast += len(found)
        return found

    async def _open(self, chain_id: int, at: OpenSlot, row: Row[Any]) -> Sequence[SignedTransaction]:
        raw = open_raw(self._vault.record(at.request.salt, at.request.key_id), chain_id, row)
        return [SignedTransaction(row.tx_hash, raw)]

    # -- requests -------------------------------------------------------------------------------

    async def _paid_out(self, chain: Chain, waiting: Sequence[StoredRequest]) -> frozenset[UUID]:
        """Requests whose gift was withdrawn already, which no nonce tells. The vault is asked for all of them at once,
        so that logs, which are dear, are searched for these only."""
        gifts = [request for request in waiting if request.lane is RelayLane.GIFT_WITHDRAW and _looked_at(request)]
        try:
            found = await Timelocks(chain).details([request.subject_id for request in gifts])
        except Unavailable:
            return frozenset()  # the next run tells
        pairs = zip(gifts, found, strict=True)
        return frozenset(request.id for request, gift in pairs if gift is not None and gift.status != LIVE)

    async def _look_at_waiting(self, chain: Chain, seen: RunFacts, report: ReconcileReport) -> None:
        """Look at requests without a slot: last of all and not for long, since each may need a search through logs and
        nobody's transaction waits for it; in random order, as in `_end`."""
        ends = time.monotonic() + WAITING_SECONDS
        paid_out = await self._paid_out(chain, seen.waiting)
        for request in random.sample(seen.waiting, len(seen.waiting)):
            if time.monotonic() > ends:
                break
            looking = self._waiting(chain, request, seen.views, request.id in paid_out, report)
            await self._guarded(chain.chain_id, request, looking, report)

    async def _waiting(
        self, chain: Chain, request: StoredRequest, views: ChainView, paid_out: bool, report: ReconcileReport
    ) -> None:
        """A request without a slot ends when its authorization has, finally, or its gift was paid out without it."""
        nonce = views.nonce_final(request.signer_of) if request.lane in onchain_effects.LANES else None
        over = views.time_final is not None and views.time_final > request.deadline
        if not over and not paid_out and not (nonce is not None and nonce > request.nonce):
            return
        found = await self._outcomes.fate_of(chain, request)
        if found is None or found is AuthorizationFate.ALIVE:
            return
        async with self._engine.begin() as connection:
            if not await slot_store.end_waiting(connection, chain.chain_id, self._wallet, request, found.value):
                return
        _count(report, found.value)

    async def _guarded(
        self, chain_id: int, request: StoredRequest, work: Awaitable[T], report: ReconcileReport
    ) -> T | None:
        """The result of `work`; None when it fails for a reason of this one request, which holds up none of the
        others."""
        try:
            return await work
        except (Unavailable, DecryptionFailed, IntegrityError, ReservationTooSmall) as error:
            report.failed += 1
            log.warning(
                "relay_request_not_reconciled", chain_id=chain_id, id=str(request.id), error=type(error).__name__
            )
            return None

    def _key(self, chain_id: int) -> dict[str, object]:
        return {"chain_id": chain_id, "wallet": self._wallet}


def _is_new(at: OpenSlot, mined: MinedAttempt) -> bool:
    """Whether the slot is not stored yet as being in this block. Once it is, final or not, it is not stuck and takes no
    place among the open ones."""
    return mined.place != at.slot.mined_in


def _recorded(at: OpenSlot, mined: MinedAttempt) -> OpenSlot:
    return replace(at, slot=replace(at.slot, mined_in=mined.place))


def _is_done(at: OpenSlot, mined: MinedAttempt | None) -> bool:
    """Whether the slot's call did what was asked, so that nothing more has to be found out. What became of any other
    may take a search of the logs, which is slow where nodes are and leaves them resting; what is to be sent does not
    wait for that."""
    return mined is not None and mined.succeeded and slot_store.kind_of(at.slot, mined.tx_hash) == "call"


def _looked_at(request: StoredRequest) -> bool:
    """Whether to look if its authorization has ended without a slot. Not for what was just queued: that is simulated
    soon anyway."""
    return request.state != RequestState.QUEUED or request.reason is not None or request.age >= NEAR_SECONDS


def _signers(requests: Iterable[StoredRequest]) -> list[SignerOf]:
    return list(dict.fromkeys(each.signer_of for each in requests if each.lane in onchain_effects.LANES))


def facts_of(at: OpenSlot, seen: RunFacts) -> SlotFacts:
    views = seen.views
    return SlotFacts(
        head=views.head,
        time=views.time,
        finalized=views.head_final,
        wallet_count=views.wallet_count,
        wallet_count_final=views.wallet_count_final,
        signer_nonce=views.nonce(at.request.signer_of),
        sighting=views.sighting([attempt.tx_hash for attempt in at.slot.attempts]),
        market=seen.market,
    )


def _count(report: ReconcileReport, state: str) -> None:
    name = "requeued" if state == RequestState.QUEUED else state
    setattr(report, name, getattr(report, name) + 1)
