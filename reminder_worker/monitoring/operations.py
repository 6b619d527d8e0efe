"""What operators ask about a running worker, and the forgetting of what has expired.

Plain questions over our own tables, for asset metadata, asset checks and metrics. Answers are counts, ages,
block numbers, codes and public addresses; never an email, a name or a ciphertext. Each reads an index or a small
table, so that a ledger of millions of rows does not slow a tick; ages are by the database's clock. Conditions have
`now()`: no index is used for `clock_timestamp()`, which may change from row to row.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, TypeVar

import structlog
from sqlalchemy import BigInteger, ColumnElement, Select, Table, cast, delete, extract, func, select, text, true
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.database.tables import age, quota, span, used_signature
from reminder_worker.gifts.tables import gift_ledger, gift_notification, gift_wallet, gift_write
from reminder_worker.indexer.tables import index_cursor
from reminder_worker.monitoring import operations_relay
from reminder_worker.monitoring.queries import sql
from reminder_worker.monitoring.tables import pass_state
from reminder_worker.outbox.tables import sent_ledger, suppression
from reminder_worker.reminders.tables import due_window, notify_signal, watch

log = structlog.get_logger(__name__)

UNDECIDED_STATES = ("unknown", "held", "dead")
WAITING_STATES = ("queued", "released", "unknown")
HELD_CALLS_FOR = 7 * 86_400  # seconds
UNFINISHED_SECONDS = 86_400  # within which the creation of a wallet may still end
REMEMBERED_SECONDS = 86_400  # who unsubscribed
CLOCKS_APART = 3600  # seconds by which the database's clock may be ahead of those that judge deadlines
T = TypeVar("T")


# By the newest snapshot of any chain. When none was taken for as long, that is an alert of its own.
_CLOCK_AHEAD = text("""
    select extract(epoch from clock_timestamp()) - max(newest.block_time) > 30 * 86400
    from (select distinct chain_id from worker.index_cursor) c
    cross join lateral (
        select block_time from worker.statistics s where s.chain_id = c.chain_id order by s.hour desc limit 1
    ) newest
""")
_SAVED = text("""
    select count(*) as saved, coalesce(array_agg(w.legacy) filter (where c.legacy is null), '{}') as unknown
    from worker.watch w left join worker.reminder_config c using (chain_id, legacy)
    where chain_id = :chain_id
""")


@dataclass(frozen=True, slots=True)
class SavedLegacies:
    """Legacies with stored recipients. The index has no reminder configuration of those in `unknown`."""

    saved: int
    unknown: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PassState:
    """Ages in whole seconds, None where it never happened; `error` is the class of the last failure, if not over.

    `endpoints`: the fields of each `EndpointHealth`, as the process that looked last sees them.
    """

    name: str
    chain_id: int
    checked_age: int | None
    succeeded_age: int | None
    failed_age: int | None
    error: str | None
    detail: dict[str, Any] | None
    endpoints: list[dict[str, Any]] | None


@dataclass(frozen=True, slots=True)
class Position:
    """How far a reader (`index`, `signals`, `horizon`, `upgrades`) got; `source` is who answered last."""

    chain_id: int
    name: str
    block_number: int
    source: str | None
    age: int


@dataclass(frozen=True, slots=True)
class WindowCount:
    """Due windows of one kind (1..6) in one state; deadlines in chain time, unix seconds."""

    chain_id: int
    window: int
    state: str
    count: int
    first_deadline: int
    last_deadline: int


@dataclass(frozen=True, slots=True)
class SignalCount:
    """Notify signals of one kind (0..2) that are still `new`; `oldest` is the age of the first seen, in seconds."""

    chain_id: int
    kind: int
    count: int
    oldest: int
    max_tries: int


@dataclass(frozen=True, slots=True)
class EmailCount:
    """Ledger rows nobody has settled (`unknown`) or that wait for an operator (`held`, `dead`), and why. Ages in
    seconds."""

    chain_id: int
    kind: str
    state: str
    reason: str | None
    count: int
    oldest: int
    newest: int

    @property
    def calls_for_somebody(self) -> bool:
        """Of held ones for a while only: some cannot be found out, and who is always told looks no more."""
        return self.state == "dead" or (self.state == "held" and self.newest <= HELD_CALLS_FOR)


@dataclass(frozen=True, slots=True)
class GiftEmails:
    """Emails of gifts of one kind that are in one state, and why."""

    chain_id: int
    kind: str
    state: str
    reason: str | None
    count: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """Emails to be tried: those due now, those later, when the next is, and those being sent at this moment."""

    due: int
    later: int
    next_try: datetime | None
    in_flight: int


@dataclass(frozen=True, slots=True)
class Sends:
    """Emails settled on one day (UTC)."""

    day: date
    kind: str
    state: str
    count: int


async def saved_legacies(engine: AsyncEngine, chain_id: int) -> SavedLegacies:
    """Read all legacies of a chain that have stored recipients."""
    async with engine.connect() as connection:
        row = (await connection.execute(_SAVED, {"chain_id": chain_id})).one()
    return SavedLegacies(row.saved, tuple(row.unknown))


async def database_time(engine: AsyncEngine) -> float:
    """Unix seconds."""
    async with engine.connect() as connection:
        return float(await connection.scalar(select(extract("epoch", func.clock_timestamp()))) or 0)


async def pass_states(engine: AsyncEngine) -> list[PassState]:
    """Every pass that ever looked, by name and chain."""
    t = pass_state.c
    ages = (age(t.checked_at), age(t.succeeded_at), age(t.failed_at))
    return await _rows(
        engine,
        PassState,
        select(t.name, t.chain_id, *ages, t.error, t.detail, t.endpoints).order_by(t.name, t.chain_id),
    )


async def pass_state_of(engine: AsyncEngine, name: str) -> PassState | None:
    """Of a pass that is for no chain; None before it has reported anything."""
    return next((state for state in await pass_states(engine) if state.name == name and state.detail), None)


async def positions(engine: AsyncEngine) -> list[Position]:
    t = index_cursor.c
    columns = (t.chain_id, t.name, t.block_number, t.source, age(t.moved_at))
    return await _rows(engine, Position, select(*columns).order_by(t.chain_id, t.name))


async def windows_by_kind(engine: AsyncEngine) -> list[WindowCount]:
    """Of watched legacies: those of one whose recipients are erased stay as they were last seen."""
    t, w = due_window.c, watch.c
    group = (t.chain_id, t.window, t.state)
    columns = (*group, func.count(), func.min(t.deadline), func.max(t.deadline))
    watched = select(*columns).join(watch, (w.chain_id == t.chain_id) & (w.legacy == t.legacy))
    return await _rows(engine, WindowCount, watched.group_by(*group).order_by(*group))


async def unsettled_signals(engine: AsyncEngine) -> list[SignalCount]:
    t = notify_signal.c
    columns = (t.chain_id, t.kind, func.count(), age(func.min(t.seen_at)), func.max(t.tries))
    question = select(*columns).where(t.state == "new").group_by(t.chain_id, t.kind).order_by(t.chain_id, t.kind)
    return await _rows(engine, SignalCount, question)


async def undecided_emails(engine: AsyncEngine, chains: Collection[int] | None = None) -> list[EmailCount]:
    """Of reminders and of gifts. `chains`: on any other, which was taken out, an unknown one is not sent again and may
    stay so for ever; those are left out. None: nothing is."""
    found: list[EmailCount] = []
    for t in (sent_ledger.c, gift_ledger.c):
        group = (t.chain_id, t.kind, t.state, t.reason)
        since = func.coalesce(t.claimed_at, t.created_at)
        columns = (*group, func.count(), age(func.min(since)), age(func.max(since)))
        question = select(*columns).where(t.state.in_(UNDECIDED_STATES)).group_by(*group).order_by(*group)
        found += await _rows(engine, EmailCount, question)
    return [each for each in found if chains is None or each.state != "unknown" or each.chain_id in chains]


async def gift_emails(engine: AsyncEngine) -> list[GiftEmails]:
    """Every email of a gift that is remembered."""
    t = gift_ledger.c
    group = (t.chain_id, t.kind, t.state, t.reason)
    return await _rows(engine, GiftEmails, select(*group, func.count()).group_by(*group).order_by(*group))


async def gifts_to_be_told_of(engine: AsyncEngine) -> int:
    """Gifts whose recipient hears of them at the latest on opening day."""
    async with engine.connect() as connection:
        return int(await connection.scalar(select(func.count()).select_from(gift_notification)) or 0)


async def waiting_emails(engine: AsyncEngine, chains: Collection[int] | None = None) -> Waiting:
    """`chains`: None for all, also for one that was taken out, of which nothing is sent any more."""
    t = sent_ledger.c
    now = func.clock_timestamp()
    tries = select(
        func.count().filter(t.next_try <= now),
        func.count().filter(t.next_try > now),
        func.min(t.next_try).filter(t.next_try > now),
    ).where(t.state.in_(WAITING_STATES), _on(chains))
    claimed = select(func.count()).where(t.state == "claimed", _on(chains))
    async with engine.connect() as connection:
        due, later, next_try = (await connection.execute(tries)).one()
        return Waiting(due, later, next_try, await connection.scalar(claimed) or 0)


async def oldest_waiting_email(engine: AsyncEngine, chains: Collection[int]) -> float:
    """Its age in seconds; 0 where none waits."""
    age_seconds = extract("epoch", func.clock_timestamp() - func.min(sent_ledger.c.created_at))
    async with engine.connect() as connection:
        waiting = select(age_seconds).where(sent_ledger.c.state.in_(WAITING_STATES), _on(chains))
        return float(await connection.scalar(waiting) or 0)


def _on(chains: Collection[int] | None) -> ColumnElement[bool]:
    return true() if chains is None else sent_ledger.c.chain_id.in_(list(chains))


async def sends_per_day(engine: AsyncEngine, days: int = 14) -> list[Sends]:
    """What came of reminders settled in the last `days` days: sent, suppressed, dropped, dead."""
    return await _settled(engine, sent_ledger, days)


async def gift_sends_per_day(engine: AsyncEngine, days: int = 14) -> list[Sends]:
    """As `sends_per_day`, of emails of gifts."""
    return await _settled(engine, gift_ledger, days)


async def paused_legacies(engine: AsyncEngine) -> int:
    """Legacies the due pass has set aside because asking about them reverts."""
    question = select(func.count()).where(watch.c.paused_until > func.now())
    async with engine.connect() as connection:
        return await connection.scalar(question) or 0


async def next_ask(engine: AsyncEngine, chains: Collection[int]) -> int | None:
    """Chain time (unix seconds) at which the due pass next has a legacy of these chains to ask about; None: of none,
    but for those that are set aside."""
    async with engine.connect() as connection:
        found = await connection.scalar(sql["next_ask"], {"chains": list(chains)})
        return None if found is None else int(found)


async def forget_expired(engine: AsyncEngine) -> int:
    """Delete what is no longer needed. Returns how many rows.

    Spent signatures after their deadline, which refuses them now; counters after their window; who unsubscribed after
    a day, since the mail service knows and they may have changed their mind; what gifts, the relay, auto-renew and
    alerts no longer need (`operations_relay.forget`). Nothing while the database's clock is far ahead of the chains:
    gifts that are still to be told of would be forgotten.
    """
    async with engine.connect() as connection:
        if await connection.scalar(_CLOCK_AHEAD):
            log.warning("nothing_forgotten")
            return 0
    long_over = cast(extract("epoch", func.clock_timestamp()), BigInteger) - CLOCKS_APART
    async with engine.begin() as connection:
        signatures = await connection.execute(delete(used_signature).where(used_signature.c.deadline < long_over))
        counters = await connection.execute(delete(quota).where(quota.c.ends_at < long_over))
        heard = await connection.execute(delete(suppression).where(age(suppression.c.since) > REMEMBERED_SECONDS))
        gifts = await _forget_gifts(connection, long_over)
        relayed = await operations_relay.forget(connection)
    return signatures.rowcount + counters.rowcount + heard.rowcount + gifts + relayed


async def _forget_gifts(connection: AsyncConnection, long_over: ColumnElement[int]) -> int:
    """The ledger after its time with whom it was about, deadlines that refuse older messages by themselves, and wallets
    never made: their creation, should it end after all, is found by its name.
    """
    wallet = gift_wallet.c
    given_up = wallet.timestamp_ms / 1000 < long_over - UNFINISHED_SECONDS
    emails = int(await connection.scalar(sql["forget_gift_emails"]) or 0)
    done = [
        await connection.execute(delete(gift_write).where(gift_write.c.deadline < long_over)),
        await connection.execute(delete(gift_wallet).where(wallet.sub_organization_id.is_(None), given_up)),
    ]
    return emails + sum(each.rowcount for each in done)


async def _settled(engine: AsyncEngine, ledger: Table, days: int) -> list[Sends]:
    t = ledger.c
    day = func.date(func.timezone("UTC", t.settled_at))
    since = func.now() - span(days=days)
    question = select(day, t.kind, t.state, func.count()).where(t.settled_at >= since)
    return await _rows(engine, Sends, question.group_by(day, t.kind, t.state).order_by(day, t.kind, t.state))


async def _rows(engine: AsyncEngine, answer: type[T], question: Select[Any]) -> list[T]:
    async with engine.connect() as connection:
        return [answer(*row) for row in await connection.execute(question)]
