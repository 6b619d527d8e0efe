"""What operators ask about the relay, auto-renew and alerts, as `operations` does of all else.

Answers are counts, ages and public facts. Nothing here reads a signature or a signed transaction. Ages are by the
database's clock, amounts in wei.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Date,
    Row,
    and_,
    cast,
    delete,
    extract,
    func,
    or_,
    select,
    true,
    tuple_,
)
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.auto_renew.tables import owner_activity
from reminder_worker.database.rotation import count_rows_of_other_keys
from reminder_worker.database.tables import FOLLOWED_SECONDS, age, span
from reminder_worker.outbox.tables import alert, alert_state
from reminder_worker.relay.tables import nonce_slot, relay_budget, relay_request, relay_wallet, tx_attempt
from reminder_worker.upgrades.tables import upgrade_operation

OPEN_STATES = ("queued", "waiting_predecessor", "deferred_fee", "signed", "broadcast", "mined")
SLICE = 5000  # requests forgotten at once
KEPT_DAYS = 90  # ended requests, budgets and alerts that were delivered


@dataclass(frozen=True, slots=True)
class PayingWallet:
    """A wallet as configured: `role` is relayer or attestor; caps are for each chain and day (UTC)."""

    role: str
    address: str
    daily_wei: int
    daily_count: int


@dataclass(frozen=True, slots=True)
class Requests:
    """Requests of one lane in one state; `oldest` is the age of the first, in seconds."""

    chain_id: int
    lane: str
    state: str
    count: int
    oldest: int


@dataclass(frozen=True, slots=True)
class Wallet:
    """One of our wallets on one chain. `oldest_open` is the age of its oldest slot that is not mined, in seconds.

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
class Unfinished:
    """Requests of one wallet that come to no end; `oldest`: seconds since something happened to one of them."""

    chain_id: int
    address: str
    count: int
    oldest: int


@dataclass(frozen=True, slots=True)
class Attempt:
    """One signed transaction, without its bytes."""

    tx_hash: str
    nonce: int
    kind: str
    max_fee_wei: int
    priority_fee_wei: int
    gas_limit: int
    stored_at: datetime
    broadcast_at: datetime | None


@dataclass(frozen=True, slots=True)
class Condition:
    """Something that is wrong at the moment."""

    chain_id: int
    kind: str
    subject: str
    age: int


@dataclass(frozen=True, slots=True)
class Owner:
    """Auto-renew of one legacy, as it was last looked at. Seconds from now, negative when over, None: not known."""

    chain_id: int
    legacy: str
    to_deadline: int | None
    budget_left: int | None
    baseline: int
    nonce_seen: int
    decision: str
    reason: str | None


@dataclass(frozen=True, slots=True)
class Verdicts:
    """How many legacies came to a decision for a reason."""

    chain_id: int
    decision: str
    reason: str | None
    count: int


async def open_requests(engine: AsyncEngine) -> list[Requests]:
    return await _requests(engine, relay_request.c.state.in_(OPEN_STATES), relay_request.c.created_at)


async def followed_requests(engine: AsyncEngine, ours: Collection[str], chains: Collection[int]) -> list[Requests]:
    """Open requests of our wallets on these chains. Nobody follows the others, so they stay open for ever."""
    r = relay_request.c
    return await _requests(engine, and_(r.state.in_(OPEN_STATES), _followed(ours, chains)), r.created_at)


async def ended_requests(engine: AsyncEngine) -> list[Requests]:
    """Of the last day."""
    t = relay_request.c
    since = func.now() - span(days=1)
    return await _requests(engine, and_(~t.state.in_(OPEN_STATES), t.updated_at >= since), t.updated_at)


async def _requests(engine: AsyncEngine, which: ColumnElement[bool], moment: ColumnElement[Any]) -> list[Requests]:
    t = relay_request.c
    group = (t.chain_id, t.lane, t.state)
    columns = (*group, func.count(), age(func.min(moment)))
    return [
        Requests(*row) for row in await _rows(engine, select(*columns).where(which).group_by(*group).order_by(*group))
    ]


async def wallets(engine: AsyncEngine) -> list[Wallet]:
    w, s, b = relay_wallet.c, nonce_slot.c, relay_budget.c
    slots = (
        select(
            func.count().filter(s.state == "open").label("unmined"),
            func.count().filter(s.state == "mined").label("mined"),
            age(func.min(s.opened_at).filter(s.state == "open")).label("oldest_open"),
        )
        .where(s.chain_id == w.chain_id, s.wallet == w.address, s.state != "final")
        .lateral()
    )
    today = cast(func.timezone("UTC", func.clock_timestamp()), Date)
    spent = and_(b.chain_id == w.chain_id, b.wallet == w.address, b.scope == "global", b.subject == "", b.day == today)
    figures = (func.coalesce(column, 0).label(column.name) for column in (b.requests, b.reserved_wei, b.spent_wei))
    question = (
        select(
            w.chain_id,
            w.address,
            w.next_nonce,
            w.stopped,
            slots.c.unmined,
            slots.c.mined,
            slots.c.oldest_open,
            *figures,
        )
        .select_from(relay_wallet.join(slots, true()).outerjoin(relay_budget, spent))
        .order_by(w.chain_id, w.address)
    )
    found = await _rows(engine, question)
    return [
        Wallet(**{**row._mapping, "reserved_wei": int(row.reserved_wei), "spent_wei": int(row.spent_wei)})
        for row in found
    ]


async def unfinished(
    engine: AsyncEngine, ours: Sequence[str], chains: Sequence[int], *, of_ours: bool = False, seconds: int = 0
) -> list[Unfinished]:
    """Open requests that nothing has happened to for `seconds` and that nobody follows: of wallets that are not `ours`,
    or on chains other than `chains`. With `of_ours` also those that we follow, and that are mined but not yet final.

    Without its key or its chain nothing ever ends a request. So those that nobody follows are only told of for
    `FOLLOWED_SECONDS`, as long as any request is followed: of a stolen or lost key they would be told of for ever.
    """
    r, s = relay_request.c, nonce_slot.c
    still = and_(s.request_id == r.id, s.state == "mined")
    lately = r.updated_at > func.clock_timestamp() - span(seconds=FOLLOWED_SECONDS)
    not_ours = and_(~_followed(ours, chains), lately)
    which = or_(not_ours, and_(_followed(ours, chains), s.state == "mined")) if of_ours else not_ours
    since = func.clock_timestamp() - span(seconds=seconds)
    question = select(r.chain_id, r.wallet, func.count(), age(func.min(r.updated_at)))
    question = question.select_from(relay_request.outerjoin(nonce_slot, still))
    question = question.where(r.state.in_(OPEN_STATES), r.updated_at <= since, which).group_by(r.chain_id, r.wallet)
    return [Unfinished(*row) for row in await _rows(engine, question.order_by(r.chain_id, r.wallet))]


async def count_requests_of_other_keys(
    engine: AsyncEngine, key_ids: Collection[str], ours: Sequence[str], chains: Sequence[int]
) -> int:
    """Count stored requests that none of these keys opens, without those that nobody follows or ends any more."""
    lately = relay_request.c.updated_at > func.clock_timestamp() - span(seconds=FOLLOWED_SECONDS)
    still = relay_request.c.salt.is_not(None), or_(_followed(ours, chains), lately)
    return await count_rows_of_other_keys(engine, relay_request, key_ids, *still)


def _followed(ours: Collection[str], chains: Collection[int]) -> ColumnElement[bool]:
    return and_(relay_request.c.wallet.in_(list(ours)), relay_request.c.chain_id.in_(list(chains)))


async def find_requests(
    engine: AsyncEngine, *, request_id: UUID | None = None, ended: bool = False, limit: int = 100
) -> Sequence[Row[Any]]:
    """Open requests, or ended ones, or one, newest first: the columns without what is sealed, and those of the slot."""
    t, s = relay_request.c, nonce_slot.c
    sealed = {"key_id", "salt", "call_data"}
    columns = [column for column in t if column.name not in sealed]
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
        # An ended request may have a slot that an empty transaction still has to free.
        under_way = or_(t.state.in_(OPEN_STATES), func.coalesce(slot.c.slot_state != "final", False))
        question = question.where(~under_way if ended else under_way)
    return await _rows(engine, question.order_by(t.created_at.desc()).limit(limit))


async def attempts(engine: AsyncEngine, request_id: UUID) -> list[Attempt]:
    """Everything that was signed for a request, oldest first."""
    t, s = tx_attempt.c, nonce_slot.c
    same = and_(s.chain_id == t.chain_id, s.wallet == t.wallet, s.nonce == t.nonce)
    question = select(*(column for column in t if column.name != "raw")).select_from(tx_attempt.join(nonce_slot, same))
    question = question.where(s.request_id == request_id).order_by(t.stored_at)
    return [
        Attempt(
            row.tx_hash,
            row.nonce,
            row.kind,
            int(row.max_fee_wei),
            int(row.priority_fee_wei),
            row.gas_limit,
            row.stored_at,
            row.broadcast_at,
        )
        for row in await _rows(engine, question)
    ]


async def conditions(engine: AsyncEngine) -> list[Condition]:
    """What alerts say is wrong now."""
    t = alert_state.c
    question = select(t.chain_id, t.kind, t.subject, age(t.since)).where(t.raised).order_by(t.since)
    return [Condition(*row) for row in await _rows(engine, question)]


async def undelivered_alerts(engine: AsyncEngine) -> dict[str, int]:
    """Alerts that wait for the mail service (`queued`) or that it refused (`dead`)."""
    question = select(alert.c.state, func.count()).where(alert.c.state.in_(("queued", "dead"))).group_by(alert.c.state)
    return {"queued": 0, "dead": 0} | {row[0]: row[1] for row in await _rows(engine, question)}


async def owners(engine: AsyncEngine, limit: int) -> list[Owner]:
    """Of auto-renew, what is held first: somebody has to look. Then nearest deadlines, those that are over last."""
    t = owner_activity.c
    now = cast(extract("epoch", func.clock_timestamp()), BigInteger)
    ends = [func.nullif(column, 0) - now for column in (t.deadline, t.budget_end)]
    question = select(t.chain_id, t.legacy, *ends, t.baseline, t.nonce_seen, t.decision, t.reason)
    question = question.order_by(t.decision != "held", t.deadline < now, t.deadline)
    return [Owner(*row) for row in await _rows(engine, question.limit(limit))]


async def verdicts(engine: AsyncEngine) -> list[Verdicts]:
    t = owner_activity.c
    group = (t.chain_id, t.decision, t.reason)
    question = select(*group, func.count()).group_by(*group).order_by(*group)
    return [Verdicts(*row) for row in await _rows(engine, question)]


async def under_other_keys(
    engine: AsyncEngine, key_id: str, ours: Sequence[str], chains: Sequence[int]
) -> tuple[int, int]:
    """How many requests have sealed bytes that only an older master key opens: first those of the wallets `ours` on
    `chains`, whose end a rotation waits for; then all others, which nobody can end without their wallet's key and their
    chain."""
    r, followed_here = relay_request.c, _followed(ours, chains)
    counts = (func.count().filter(which) for which in (followed_here, ~followed_here))
    ((followed, left),) = await _rows(engine, select(*counts).where(r.salt.is_not(None), r.key_id != key_id))
    return followed, left


async def forget(connection: AsyncConnection) -> int:
    """Requests, their slots and attempts, budgets and alerts that ended over `KEPT_DAYS` days ago; returns how many."""
    r, s = relay_request.c, nonce_slot.c
    long_ago = func.now() - span(days=KEPT_DAYS)
    unsettled = select(1).where(s.request_id == r.id, s.state != "final").exists()
    old = select(r.id).where(r.updated_at < long_ago, ~r.state.in_(OPEN_STATES), ~unsettled).limit(SLICE)
    ids = list((await connection.execute(old)).scalars())
    slots = (
        await connection.execute(
            delete(nonce_slot).where(s.request_id.in_(ids)).returning(s.chain_id, s.wallet, s.nonce)
        )
    ).all()
    t = tx_attempt.c
    of_slots = tuple_(t.chain_id, t.wallet, t.nonce).in_([tuple(slot) for slot in slots])
    a, o = alert.c, upgrade_operation.c
    open_still = select(1).where(
        o.chain_id == a.chain_id, o.operation_id == a.subject, o.state.in_(("pending", "ready"))
    )
    done = [
        await connection.execute(delete(tx_attempt).where(of_slots)),
        await connection.execute(delete(relay_request).where(r.id.in_(ids))),
        await connection.execute(delete(relay_budget).where(relay_budget.c.day < cast(long_ago, Date))),
        await connection.execute(
            delete(alert).where(
                # What was told of an operation that still waits would be told again.
                a.created_at < long_ago,
                a.state.in_(("sent", "log_only", "merged")),
                ~open_still.exists(),
            )
        ),
    ]
    return len(slots) + sum(each.rowcount for each in done)


async def _rows(engine: AsyncEngine, question: Any) -> Sequence[Any]:
    async with engine.connect() as connection:
        return (await connection.execute(question)).all()
