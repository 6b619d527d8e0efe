"""Reconciler: drives stored slots to their end by the facts of the chain, and settles budgets by the receipts.

Facts are read in one batch from every endpoint, decided on by plain rules (`state_machine`), and written in one
transaction for each slot. Only then are stored bytes sent. Several reconcilers may run at once, and be killed anywhere.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar
from uuid import UUID

import structlog
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts.routers import TimelockReads
from reminder_worker.errors import (
    ChainUnavailable,
    DecryptionFailed,
    Misconfigured,
    NotFound,
    Refused,
    RelayStopped,
    Unavailable,
)
from reminder_worker.indexer.models import LIVE
from reminder_worker.outbox.alerts import AlertOutbox
from reminder_worker.privacy.vault import Vault
from reminder_worker.relay import store
from reminder_worker.relay.admission import RelayAdmission
from reminder_worker.relay.attempts import (
    AttemptReplacer,
    ReservationTooSmall,
    broadcast_attempts,
    hash_transaction,
    list_earlier,
)
from reminder_worker.relay.chain_view import ChainView, SignerKey, view_chain
from reminder_worker.relay.models import ReconcileReport, RelayLane, RequestState
from reminder_worker.relay.onchain_effects import RequestResolution
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
    decide_action,
    is_dead,
    is_foreign,
)
from reminder_worker.relay.store import EndedSlot, OpenSlot, StoredRequest
from reminder_worker.relay.tables import sql
from reminder_worker.relay.wallet_monitor import WalletMonitor

log = structlog.get_logger(__name__)
T = TypeVar("T")
PHASE_SECONDS: Final = 20.0
"""Seconds for ending slots, and for reading of waiting requests: each may need a search through logs."""
MinedSlot = tuple[OpenSlot, MinedAttempt | None]
"""A slot that is over; None: an external transaction took its nonce."""


@dataclass(frozen=True, slots=True)
class RunFacts:
    """Stored slots and requests, and what the chain says of them."""

    slots: Sequence[OpenSlot]
    waiting: Sequence[StoredRequest]
    views: ChainView
    price: GasPrice | None
    balance: int

    def of_slot(self, entry: OpenSlot) -> SlotFacts:
        views = self.views
        return SlotFacts(
            head=views.head,
            time=views.time,
            finalized=views.head_final,
            wallet_count=views.wallet_count,
            wallet_count_final=views.wallet_count_final,
            signer_nonce=views.find_nonce(entry.request.signer_key),
            receipts=views.find_receipts([attempt.tx_hash for attempt in entry.slot.attempts]),
            price=self.price,
        )


@dataclass(slots=True)
class ReconcileRun:
    """One run on one chain: its facts, and what its phases hand on.

    `fault`: raised at the end, since ending slots needs neither fees nor the wallet's key.
    """

    chain: Chain
    facts: RunFacts
    decided: Sequence[tuple[OpenSlot, SlotAction]]
    report: ReconcileReport
    outgoing: list[bytes] = field(default_factory=list)
    over: list[MinedSlot] = field(default_factory=list)
    fault: Unavailable | Misconfigured | None = None


class RelayReconciler:
    """Reconciles one wallet on all chains; `admission` allocates its nonces."""

    def __init__(
        self,
        engine: AsyncEngine,
        vault: Vault,
        chains: Mapping[int, Chain],
        admission: RelayAdmission,
        alerts: AlertOutbox,
        low_balance_relays: int,
    ) -> None:
        self._engine = engine
        self._chains = chains
        self._admission = admission
        self._wallet = admission.wallet
        self._resolution = RequestResolution(engine, vault, self._wallet.address)
        self._replacer = AttemptReplacer(engine, vault, self._wallet)
        self._monitor = WalletMonitor(engine, alerts, self._wallet, low_balance_relays)

    async def poll(self, chain_id: int) -> bool:
        """Return whether a request or a slot of the wallet is open."""
        async with self._engine.connect() as connection:
            return bool(await connection.scalar(sql["has_work"], self._wallet.row_key(chain_id)))

    async def run(self, chain_id: int) -> ReconcileReport:
        """Take everything that is open one step further.

        Raises `Unavailable` when the chain does not answer; then nothing was ended.
        """
        run = await self._begin_run(chain_id)
        await self._record_mined(run)
        await self._advance_slots(run)
        await self._send_attempts(run)
        await self._end_slots(run, [entry for entry in run.over if _is_done(*entry)])
        oldest, stopped = await self._start_and_alert(run)
        await self._end_slots(run, [entry for entry in run.over if not _is_done(*entry)])
        await self._check_waiting(run)
        if run.fault is not None:
            raise run.fault
        report = run.report
        report.balance_wei, report.oldest_open_seconds, report.stopped = run.facts.balance, oldest, stopped
        return report

    async def replace_now(self, chain_id: int, request_id: UUID) -> str:
        """Replace the latest attempt of a request by an operator's word, and return the hash of the replacement.

        Raises `NotFound` for a request without a slot, `Refused` if nothing can be replaced, and `ChainUnavailable`.
        """
        run = await self._begin_run(chain_id, watch=False)
        entry = next((entry for entry in run.facts.slots if entry.request.id == request_id), None)
        if entry is None:
            raise NotFound("this request has no transaction under way")
        facts = run.facts.of_slot(entry)
        if entry.slot.mined_in is not None or facts.wallet_count > entry.slot.nonce:  # its call is used, not dead
            raise Refused("its transaction is in a block already")
        if facts.price is None:
            raise ChainUnavailable(f"no endpoint of chain {chain_id} says what gas costs")
        kind: AttemptKind = "empty" if is_dead(entry.slot, facts) else entry.slot.newest.kind
        transactions = await self._replace_attempt(run, entry, kind, facts.price)
        await broadcast_attempts(self._engine, run.chain, transactions)
        if not run.report.replaced + run.report.freed:
            raise Refused("the ceiling or today's cap leaves no room for a higher fee; the newest was sent again")
        return hash_transaction(transactions[0])

    # -- phases ---------------------------------------------------------------------------------

    async def _begin_run(self, chain_id: int, *, watch: bool = True) -> ReconcileRun:
        """Read the facts, stop the wallet on an external transaction (`watch`), and decide on each slot."""
        await self._wallet.open(chain_id)
        chain = self._chains[chain_id]
        facts = await self._read_facts(chain)
        report = ReconcileReport(open_slots=len(facts.slots), waiting=len(facts.waiting))
        if watch:
            await self._monitor.find_external(chain_id, facts.views)
        decided = [(entry, decide_action(entry.slot, facts.of_slot(entry))) for entry in facts.slots]
        return ReconcileRun(chain, facts, decided, report)

    async def _record_mined(self, run: ReconcileRun) -> None:
        """Store the blocks of mined slots. A recorded slot is not stuck, and takes no place among the open ones."""
        mined = [(entry, action.mined) for entry, action in run.decided if isinstance(action, RecordBlock | SettleSlot)]
        await self._write_together(
            run, [found for found in mined if found[1].place != found[0].slot.mined_in], self._record_blocks
        )

    async def _advance_slots(self, run: ReconcileRun) -> None:
        """Reopen, replace or send again each slot that is not in a block, and collect the slots that are over."""
        again = [entry for entry, action in run.decided if isinstance(action, SendAgain)]
        run.outgoing += await self._read_latest(run, again)
        for entry, action in run.decided:
            match action:
                case SettleSlot(mined):
                    run.over.append((replace(entry, slot=replace(entry.slot, mined_in=mined.place)), mined))
                case ForeignNonce():
                    if await self._guard_request(run, entry.request, self._stop_if_foreign(run.chain, entry)):
                        run.over.append((entry, None))
                case ReopenSlot():
                    run.outgoing += await self._guard_request(run, entry.request, self._reopen_slot(run, entry)) or ()
                case ReplaceAttempt(kind) if run.facts.price is not None:
                    work = self._replace_attempt(run, entry, kind, run.facts.price)
                    try:
                        run.outgoing += await self._guard_request(run, entry.request, work) or ()
                    except Misconfigured as error:  # the wallet's key does not open
                        run.fault = error

    async def _send_attempts(self, run: ReconcileRun) -> None:
        """Send the latest attempts, and the earlier ones of slots whose latest is rejected everywhere."""
        outcomes = await broadcast_attempts(self._engine, run.chain, run.outgoing)
        earlier = await self._read_stored(run, list_earlier(run.facts.slots, outcomes))
        await broadcast_attempts(self._engine, run.chain, earlier)

    async def _end_slots(self, run: ReconcileRun, over: Sequence[MinedSlot]) -> None:
        """End slots for a limited time and in random order: a slow slot must not always delay the same slots."""
        ends, ended = time.monotonic() + PHASE_SECONDS, list[tuple[OpenSlot, EndedSlot]]()
        for entry, mined in random.sample(over, len(over)):
            if time.monotonic() > ends:
                break
            work = self._resolution.find_ending(run.chain, entry, mined)
            ending = await self._guard_request(run, entry.request, work)
            ended += [(entry, EndedSlot(entry, mined, ending))] if ending else []
        await self._write_together(run, ended, self._finish_slots)

    async def _start_and_alert(self, run: ReconcileRun) -> tuple[int, str | None]:
        """Start waiting requests while alerts are raised and cleared. Return the age of the oldest open slot, and why
        the wallet is stopped."""
        chain_id, facts = run.chain.chain_id, run.facts
        alerting = asyncio.ensure_future(self._monitor.raise_alerts(chain_id, facts.balance, facts.price))
        try:
            with suppress(RelayStopped):
                run.report.started = await self._admission.start_waiting(chain_id)
        except (Unavailable, Misconfigured) as error:  # the gas price is not known, or the key does not open
            run.fault = error
        finally:
            standing = await alerting
        return standing

    async def _check_waiting(self, run: ReconcileRun) -> None:
        """End waiting requests that are over: last, and for a limited time, since each may need a search of logs."""
        ends, waiting = time.monotonic() + PHASE_SECONDS, run.facts.waiting
        paid = await self._find_paid_gifts(run.chain, waiting)
        for request in random.sample(waiting, len(waiting)):
            if time.monotonic() > ends:
                break
            await self._guard_request(run, request, self._end_if_over(run, request, request.id in paid))

    # -- reading --------------------------------------------------------------------------------

    async def _read_facts(self, chain: Chain) -> RunFacts:
        async with self._engine.connect() as connection:
            slots = await store.read_slots(connection, chain.chain_id, self._wallet.address)
            waiting = await store.read_waiting(connection, chain.chain_id, self._wallet.address, 100)
        hashes: list[str] = []
        unmined: list[StoredRequest] = []
        for entry in slots:
            hashes += [attempt.tx_hash for attempt in entry.slot.attempts]
            if entry.slot.mined_in is None and not entry.slot.is_fresh:
                unmined.append(entry.request)
        views, price, balance = await asyncio.gather(
            view_chain(
                chain, self._wallet.address, hashes, _list_signers(unmined), _list_signers(filter(_is_checked, waiting))
            ),
            self._read_price(chain),
            chain.get_balance(self._wallet.address),
        )
        return RunFacts(slots, waiting, views, price, balance)

    async def _read_price(self, chain: Chain) -> GasPrice | None:
        try:
            base_fee, priority_fee = await chain.get_fees()
        except Unavailable:
            return None
        return GasPrice(base_fee, priority_fee, self._wallet.caps.gas_price_ceiling_wei)

    async def _read_latest(self, run: ReconcileRun, slots: Sequence[OpenSlot]) -> list[bytes]:
        return await self._read_stored(run, [(entry, entry.slot.newest) for entry in slots])

    async def _read_stored(self, run: ReconcileRun, wanted: Sequence[tuple[OpenSlot, StoredAttempt]]) -> list[bytes]:
        """Decrypt stored attempts to send them again."""
        chain_id, found = run.chain.chain_id, list[bytes]()
        rows = await self._replacer.read_sealed(chain_id, [attempt.tx_hash for _, attempt in wanted])
        for entry, attempt in wanted:
            if attempt.tx_hash in rows:
                work = self._replacer.open_stored(chain_id, entry, rows[attempt.tx_hash])
                transaction = await self._guard_request(run, entry.request, work)
                found += [transaction] if transaction else []
        run.report.rebroadcast += len(found)
        return found

    async def _find_paid_gifts(self, chain: Chain, waiting: Sequence[StoredRequest]) -> frozenset[UUID]:
        """Return requests whose gift was withdrawn already: no nonce shows it.

        The vault is asked for all of them at once. Logs are searched for the withdrawn ones only.
        """
        gifts = [request for request in filter(_is_checked, waiting) if request.lane is RelayLane.GIFT_WITHDRAW]
        try:
            found = await TimelockReads(chain).read_details([request.subject_id for request in gifts])
        except Unavailable:
            return frozenset()  # the next run asks again
        paid: list[UUID] = []
        for request, gift in zip(gifts, found, strict=True):
            if gift is not None and gift.status != LIVE:
                paid.append(request.id)
        return frozenset(paid)

    # -- writing --------------------------------------------------------------------------------

    async def _write_together(
        self,
        run: ReconcileRun,
        found: Sequence[tuple[OpenSlot, T]],
        write: Callable[[ReconcileRun, Sequence[tuple[OpenSlot, T]]], Awaitable[None]],
    ) -> None:
        """Write all slots in one transaction: a full block needs one commit. After an error write them one by one."""
        if not found:
            return
        try:
            await write(run, found)
        except IntegrityError:
            for entry in found:
                await self._guard_request(run, entry[0].request, write(run, [entry]))

    async def _record_blocks(self, run: ReconcileRun, found: Sequence[tuple[OpenSlot, MinedAttempt]]) -> None:
        async with self._engine.begin() as connection:
            recorded = await store.record_mined(connection, run.chain.chain_id, self._wallet.address, found)
        run.report.recorded += recorded

    async def _finish_slots(self, run: ReconcileRun, found: Sequence[tuple[OpenSlot, EndedSlot]]) -> None:
        ended = [slot for _, slot in found]
        async with self._engine.begin() as connection:
            nonces = await store.finish_slots(connection, run.chain.chain_id, self._wallet.address, ended)
        for slot in ended:
            if slot.entry.slot.nonce in nonces:
                run.report.count_state(slot.ending.state)

    async def _reopen_slot(self, run: ReconcileRun, entry: OpenSlot) -> Sequence[bytes]:
        chain_id, wallet = run.chain.chain_id, self._wallet.address
        async with self._engine.begin() as connection:
            if not await store.lock_unchanged(connection, chain_id, wallet, entry.slot):
                return ()
            await store.reopen_slot(connection, chain_id, wallet, entry)
        run.report.unmined += 1
        return await self._read_latest(run, [entry])

    async def _replace_attempt(
        self, run: ReconcileRun, entry: OpenSlot, kind: AttemptKind, price: GasPrice
    ) -> Sequence[bytes]:
        """Replace the latest attempt; if ceiling or cap forbid it, return the latest to send it again."""
        replacement = await self._replacer.replace_attempt(run.chain, entry, kind, price)
        if replacement is None:
            return ()
        signed_kind, transaction = replacement
        if transaction is None:
            return await self._read_latest(run, [entry])
        if signed_kind == entry.slot.newest.kind:
            run.report.replaced += 1
        else:
            run.report.freed += 1
        return [transaction]

    async def _stop_if_foreign(self, chain: Chain, entry: OpenSlot) -> bool:
        """Stop the wallet if an external transaction took the slot's nonce. Return whether one did.

        Read the chain once more: transactions signed since the slot was read are ours, too. One address may lead to
        several nodes, and for a moment some lack a receipt.
        """
        async with self._engine.begin() as connection:
            if not await store.lock_unchanged(connection, chain.chain_id, self._wallet.address, entry.slot):
                return False
        hashes = [attempt.tx_hash for attempt in entry.slot.attempts]
        views = await view_chain(chain, self._wallet.address, hashes)
        foreign = is_foreign(entry.slot.nonce, views.wallet_count_final, views.find_receipts(hashes))
        if foreign:
            await self._monitor.stop_wallet(chain.chain_id, entry.slot.nonce)
        return foreign

    async def _end_if_over(self, run: ReconcileRun, request: StoredRequest, is_paid: bool) -> None:
        """End a request without a slot if its authorization is over, or its gift was paid without it."""
        views, chain = run.facts.views, run.chain
        nonce = views.find_final_nonce(request.signer_key) if request.lane.has_nonce else None
        is_late = views.time_final is not None and views.time_final > request.deadline
        is_used = nonce is not None and nonce > request.nonce
        if not (is_late or is_paid or is_used):
            return
        fate = await self._resolution.find_fate(chain, request)
        if fate is None or fate is AuthorizationFate.ALIVE:
            return
        async with self._engine.begin() as connection:
            if not await store.end_waiting(connection, chain.chain_id, self._wallet.address, request, fate.value):
                return
        run.report.count_state(fate.value)

    async def _guard_request(self, run: ReconcileRun, request: StoredRequest, work: Awaitable[T]) -> T | None:
        """Return the result of `work`; None after an error of this request, which must not delay the others."""
        try:
            return await work
        except (Unavailable, DecryptionFailed, IntegrityError, ReservationTooSmall) as error:
            run.report.failed += 1
            error_name = type(error).__name__
            log.warning(
                "relay_request_not_reconciled", chain_id=run.chain.chain_id, id=str(request.id), error=error_name
            )
            return None


def _is_done(entry: OpenSlot, mined: MinedAttempt | None) -> bool:
    """Return whether the slot's call succeeded. Any other ending may need a slow search of logs: sending goes first."""
    return mined is not None and mined.succeeded and entry.slot.find_kind(mined.tx_hash) == "call"


def _is_checked(request: StoredRequest) -> bool:
    """Return whether to check if a waiting request is over. A new one is simulated soon anyway."""
    return request.state != RequestState.QUEUED or request.reason is not None or request.age >= 60.0


def _list_signers(requests: Iterable[StoredRequest]) -> list[SignerKey]:
    return list(dict.fromkeys(request.signer_key for request in requests if request.lane.has_nonce))
