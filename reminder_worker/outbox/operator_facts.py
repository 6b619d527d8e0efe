"""Facts about emails and alerts for operators: counts and ages, never an address, a name or a ciphertext.

Each statement reads a partial index or a small table, however long the ledger is. Conditions use `now()`: no index
serves `clock_timestamp()`, which may change from row to row.
"""

from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy import DateTime, Float, Table, cast, extract, func, literal, null, select, union_all
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.database.queries import read_rows
from reminder_worker.database.tables import age, span
from reminder_worker.outbox.tables import alert, alert_state, sent_ledger

DAY_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class UndecidedEmails:
    """Emails of one kind that are in doubt (`unknown`) or wait for an operator (`held`, `dead`). Ages in seconds."""

    chain_id: int
    kind: str
    state: str
    reason: str | None
    count: int
    oldest: int
    newest: int

    @property
    def needs_operator(self) -> bool:
        """Held emails are reported for seven days only, to avoid alert fatigue."""
        return self.state == "dead" or (self.state == "held" and self.newest <= 7 * DAY_SECONDS)


@dataclass(frozen=True, slots=True)
class WaitingEmails:
    """Reminders of one chain to be tried now or later, when the next is, and those in flight.

    `oldest`: age in seconds of the oldest reminder that is due or waits.
    """

    chain_id: int
    due: int = 0
    later: int = 0
    next_try: datetime | None = None
    in_flight: int = 0
    oldest: float | None = None


@dataclass(frozen=True, slots=True)
class SettledEmails:
    """Emails of one kind settled on one day (UTC): sent, suppressed, dropped or dead."""

    day: date
    kind: str
    state: str
    count: int


@dataclass(frozen=True, slots=True)
class RaisedCondition:
    """Condition that is wrong now, as alerts said. `age` in seconds."""

    chain_id: int
    kind: str
    subject: str
    age: int


async def count_undecided(engine: AsyncEngine, ledger: Table = sent_ledger) -> list[UndecidedEmails]:
    """Count the undecided emails of a ledger."""
    t = ledger.c
    group = (t.chain_id, t.kind, t.state, t.reason)
    since = func.coalesce(t.claimed_at, t.created_at)
    question = select(*group, func.count(), age(func.min(since)), age(func.max(since)))
    question = question.where(t.state.in_(("unknown", "held", "dead"))).group_by(*group).order_by(*group)
    return await read_rows(engine, UndecidedEmails, question)


async def count_waiting(engine: AsyncEngine) -> list[WaitingEmails]:
    """Count the reminders to be tried, and those in flight; one branch for each partial index."""
    t, now = sent_ledger.c, func.clock_timestamp()
    no_time = cast(null(), DateTime(timezone=True))
    waiting = select(t.chain_id, t.next_try, t.created_at, literal(0).label("claimed"))
    waiting = waiting.where(t.state.in_(("queued", "released", "unknown")))
    claimed = select(t.chain_id, no_time, no_time, literal(1)).where(t.state == "claimed")
    row = union_all(waiting, claimed).subquery("row").c
    later = row.next_try > now
    question = select(
        row.chain_id,
        func.count().filter(row.next_try <= now),
        func.count().filter(later),
        func.min(row.next_try).filter(later),
        func.sum(row.claimed),
        cast(extract("epoch", now - func.min(row.created_at)), Float),
    )
    return await read_rows(engine, WaitingEmails, question.group_by(row.chain_id).order_by(row.chain_id))


async def count_settled(engine: AsyncEngine, days: int, ledger: Table = sent_ledger) -> list[SettledEmails]:
    """Count the emails of a ledger that were settled in the last `days` days."""
    t = ledger.c
    day = func.date(func.timezone("UTC", t.settled_at))
    question = select(day, t.kind, t.state, func.count()).where(t.settled_at >= func.now() - span(days=days))
    return await read_rows(
        engine, SettledEmails, question.group_by(day, t.kind, t.state).order_by(day, t.kind, t.state)
    )


async def read_conditions(engine: AsyncEngine) -> list[RaisedCondition]:
    """Return the conditions that are raised, the longest first."""
    t = alert_state.c
    question = select(t.chain_id, t.kind, t.subject, age(t.since)).where(t.raised).order_by(t.since)
    return await read_rows(engine, RaisedCondition, question)


async def count_undelivered_alerts(engine: AsyncEngine) -> dict[str, int]:
    """Count the undelivered alerts: `queued` alerts wait, `dead` alerts were refused by the mail service."""
    states = ("queued", "dead")
    question = select(alert.c.state, func.count()).where(alert.c.state.in_(states)).group_by(alert.c.state)
    counts = await read_rows(engine, lambda state, count: (state, count), question)
    return dict.fromkeys(states, 0) | dict(counts)
