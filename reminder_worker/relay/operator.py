"""Facts about the relay for operators, and their actions on one request or wallet.

Facts are counts, ages and public facts, never a signature or a signed transaction. Ages are by the database's clock, in
seconds; amounts are in wei. After an action the reconciler's own rules go on.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Date, Row, and_, cast, func, or_, select, true
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.database.queries import read_rows
from reminder_worker.database.rotation import count_rows_of_other_keys
from reminder_worker.database.tables import age, span
from reminder_worker.errors import ChainUnavailable, Refused
from reminder_worker.relay.models import CANCELLED_BY_OPERATOR, OPEN_STATES
from reminder_worker.relay.reconciler import RelayReconciler
from reminder_worker.relay.tables import (
    FOLLOWED_SECONDS,
    nonce_slot,
    relay_budget,
    relay_request,
    sql,
)
from reminder_worker.relay.wallet import RelayWallet


@dataclass(frozen=True, slots=True)
class PayingWallet:
    """Wallet as configured: `role` is relayer or attestor; caps are for each chain and day (UTC)."""

    role: str
    address: str
    daily_wei: int
    daily_count: int


@dataclass(frozen=True, slots=True)
class RequestCount:
    """Requests of one lane in one state; `oldest`: age of the first."""

    chain_id: int
    lane: str
    state: str
    count: int
    oldest: int


@dataclass(frozen=True, slots=True)
class WalletState:
    """One of our wallets on one chain. `oldest_open`: age of its oldest slot that is not mined.

    `requests`, `reserved_wei` and `spent_wei` are of today (UTC).
    """

    chain_id: int
    address: str
    next_nonce: int
    stopped: str | None
    unmined: int
    mined: int
    oldest_open: int | None
    requests: int
    reserved_wei: int
    spent_wei: int


@dataclass(frozen=True, slots=True)
class WalletSpend:
    """Wei that final transactions of a wallet cost, and requests admitted, on one chain in a month (UTC)."""

    chain_id: int
    address: str
    month: date
    requests: int
    spent_wei: int


@dataclass(frozen=True, slots=True)
class UnfinishedRequests:
    """Open requests of one wallet without an end in sight; `oldest`: seconds since one of them changed.

    No process follows requests of a wallet that is not `ours`, or on a chain that is not `served`.
    """

    chain_id: int
    wallet: str
    count: int
    oldest: int
    ours: bool
    served: bool = True


@dataclass(frozen=True, slots=True)
class AttemptFacts:
    """One signed transaction, without its bytes."""

    tx_hash: str
    nonce: int
    kind: str
    max_fee_wei: int
    priority_fee_wei: int
    gas_limit: int
    stored_at: datetime
    broadcast_at: datetime | None


async def count_open_requests(
    engine: AsyncEngine, ours: Collection[str], chains: Collection[int]
) -> list[RequestCount]:
    """Count the open requests that are followed: all others never end. Their ages begin when they came."""
    t = relay_request.c
    is_followed = t.wallet.in_(list(ours)) & t.chain_id.in_(list(chains))
    return await _count_requests(engine, t.state.in_(OPEN_STATES) & is_followed, t.created_at)


async def count_ended_requests(engine: AsyncEngine) -> list[RequestCount]:
    """Count the requests that ended within a day."""
    t = relay_request.c
    lately = t.updated_at >= func.now() - span(days=1)
    return await _count_requests(engine, ~t.state.in_(OPEN_STATES) & lately, t.updated_at)


async def _count_requests(
    engine: AsyncEngine, condition: ColumnElement[bool], moment: ColumnElement[Any]
) -> list[RequestCount]:
    t = relay_request.c
    group = (t.chain_id, t.lane, t.state)
    question = select(*group, func.count(), age(func.min(moment))).where(condition)
    return await read_rows(engine, RequestCount, question.group_by(*group).order_by(*group))


async def read_wallet_states(engine: AsyncEngine) -> list[WalletState]:
    """Return every wallet that ever paid, by chain and address."""

    def make_state(*row: Any) -> WalletState:
        return WalletState(*row[:-2], *map(int, row[-2:]))

    return await read_rows(engine, make_state, sql["wallet_states"])


async def read_spend(engine: AsyncEngine) -> list[WalletSpend]:
    """Return what each wallet spent this month and last month (UTC), the newest month first."""
    b = relay_budget.c
    today = func.timezone("UTC", func.clock_timestamp())
    month = cast(func.date_trunc("month", b.day), Date)
    question = select(b.chain_id, b.wallet, month, func.sum(b.requests), func.sum(b.spent_wei))
    last_month = func.date_trunc("month", func.date_trunc("month", today) - span(days=1))
    question = question.where(b.scope == "global", b.day >= last_month)
    group = (b.chain_id, b.wallet, month)

    def make_spend(*row: Any) -> WalletSpend:
        return WalletSpend(*row[:-2], *map(int, row[-2:]))

    return await read_rows(engine, make_spend, question.group_by(*group).order_by(month.desc(), b.chain_id, b.wallet))


async def find_unfinished(
    engine: AsyncEngine, ours: Collection[str], chains: Collection[int], *, of_ours: bool = False, seconds: int = 0
) -> list[UnfinishedRequests]:
    """Return open requests without a change for `seconds` whose wallet is not `ours` or whose chain is not served.

    `of_ours` adds followed requests that are mined and not final. Without the key or the chain nothing ends a request:
    such requests are reported while any request is followed (`FOLLOWED_SECONDS`), not for ever.
    """
    r, s = relay_request.c, nonce_slot.c
    mined_slot = and_(s.request_id == r.id, s.state == "mined")
    is_ours, is_served = r.wallet.in_(list(ours)), r.chain_id.in_(list(chains))
    lately = r.updated_at > func.clock_timestamp() - span(seconds=FOLLOWED_SECONDS)
    condition: ColumnElement[bool] = ~(is_ours & is_served) & lately
    if of_ours:
        condition = or_(condition, is_ours & is_served & (s.state == "mined"))
    since = func.clock_timestamp() - span(seconds=seconds)
    question = select(r.chain_id, r.wallet, func.count(), age(func.min(r.updated_at)))
    question = question.select_from(relay_request.outerjoin(nonce_slot, mined_slot))
    question = question.where(r.state.in_(OPEN_STATES), r.updated_at <= since, condition)

    def make_group(chain_id: int, wallet: str, count: int, oldest: int) -> UnfinishedRequests:
        return UnfinishedRequests(chain_id, wallet, count, oldest, wallet in ours, chain_id in chains)

    return await read_rows(engine, make_group, question.group_by(r.chain_id, r.wallet).order_by(r.chain_id, r.wallet))


async def find_requests(
    engine: AsyncEngine, *, request_id: UUID | None = None, ended: bool = False, limit: int = 100
) -> Sequence[Row[Any]]:
    """Return open requests, ended requests or the named one, newest first, without encrypted columns, with the slot."""
    t, s = relay_request.c, nonce_slot.c
    columns = [column for column in t if column.name not in {"key_id", "salt", "call_data"}]
    slot = (
        select(s.nonce.label("slot"), s.state.label("slot_state"), s.reserved_wei, s.spent_wei)
        .where(s.request_id == t.id)
        .order_by(s.opened_at.desc())
        .limit(1)
        .lateral()
    )
    question = select(*columns, *slot.c, age(t.created_at).label("age"))
    question = question.select_from(relay_request.outerjoin(slot, true()))
    if request_id is not None:
        question = question.where(t.id == request_id)
    else:
        # An ended request may have a slot that a cancellation transaction still has to free.
        under_way = or_(t.state.in_(OPEN_STATES), func.coalesce(slot.c.slot_state != "final", False))
        question = question.where(~under_way if ended else under_way)
    async with engine.connect() as connection:
        return list(await connection.execute(question.order_by(t.created_at.desc()).limit(limit)))


async def read_attempts(engine: AsyncEngine, request_id: UUID) -> list[AttemptFacts]:
    """Return every transaction that was signed for a request, oldest first."""

    def make_attempt(tx_hash: str, nonce: int, kind: str, max_fee: int, priority_fee: int, *rest: Any) -> AttemptFacts:
        return AttemptFacts(tx_hash, nonce, kind, int(max_fee), int(priority_fee), *rest)

    return await read_rows(engine, make_attempt, sql["attempts_of_request"], {"id": request_id})


async def count_requests_of_other_keys(
    engine: AsyncEngine, key_ids: Collection[str], ours: Collection[str], chains: Collection[int]
) -> int:
    """Count the requests that none of these keys opens, as long as they are followed or may still end."""
    r = relay_request.c
    is_followed = r.wallet.in_(list(ours)) & r.chain_id.in_(list(chains))
    lately = r.updated_at > func.clock_timestamp() - span(seconds=FOLLOWED_SECONDS)
    return await count_rows_of_other_keys(engine, relay_request, key_ids, r.salt.is_not(None), is_followed | lately)


async def count_under_other_keys(
    engine: AsyncEngine, key_id: str, ours: Collection[str], chains: Collection[int]
) -> tuple[int, int]:
    """Count the requests with encrypted bytes that only an older master key decrypts.

    First those of the wallets `ours` on `chains`: a rotation waits for them. Then the rest: without their wallet's key
    and their chain they never end.
    """
    r = relay_request.c
    is_followed = and_(r.wallet.in_(list(ours)), r.chain_id.in_(list(chains)))
    question = select(func.count().filter(is_followed), func.count().filter(~is_followed))
    question = question.where(r.salt.is_not(None), r.key_id != key_id)
    async with engine.connect() as connection:
        followed, left = (await connection.execute(question)).one()
    return followed, left


class OperatorActions:
    """Actions on one wallet. They raise `NotFound` for a request that is not open in this wallet, `Refused` if nothing
    can be done, and `NotConfigured` on a chain that is not served any more."""

    def __init__(self, engine: AsyncEngine, wallet: RelayWallet, reconciler: RelayReconciler) -> None:
        self._engine = engine
        self._wallet = wallet
        self._reconciler = reconciler

    async def replace_attempt(self, chain_id: int, request_id: UUID) -> str:
        """Replace the latest attempt of a request now, with a higher fee, and return its hash.

        A call that was cancelled, has expired or would revert is replaced by a cancellation transaction.
        """
        return await self._reconciler.replace_now(chain_id, request_id)

    async def cancel_request(self, chain_id: int, request_id: UUID) -> bool:
        """Give a request up. True: it has ended. False: a cancellation transaction is on its way to free its nonce."""
        values = {"id": request_id, "reason": CANCELLED_BY_OPERATOR}
        async with self._engine.begin() as connection:
            await connection.execute(sql["lock_wallet"], self._wallet.row_key(chain_id))
            if await connection.scalar(sql["end_waiting"], values):
                return True
            if not await connection.scalar(sql["give_up"], values):
                raise Refused("it is in a block, or has ended")
        await self._reconciler.run(chain_id)
        return False

    async def resume_wallet(self, chain_id: int) -> None:
        """Let a stopped wallet take requests again, once no external transaction can use its next nonce."""
        await self._reconciler.run(chain_id)  # with nothing open, the last run may be an hour old
        counts = await self._wallet.chains[chain_id].count_transactions(self._wallet.address, "latest")
        if not counts:
            raise ChainUnavailable(f"no endpoint of chain {chain_id} counts the wallet's transactions")
        async with self._engine.begin() as connection:
            resumed = await connection.scalar(sql["resume"], {**self._wallet.row_key(chain_id), "count": max(counts)})
        if not resumed:
            raise Refused("the wallet is not stopped, or the foreign transaction is not final yet: try again later")
        await self._reconciler.run(chain_id)
