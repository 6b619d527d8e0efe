"""Emails and alerts for operators: facts, and what a person decides about dead and held ones.

Facts are counts and ages, never an address, a name or a ciphertext. Each statement reads a partial index or a small
table, however long the ledger is. Conditions use `now()`: no index serves `clock_timestamp()`, which may change from
row to row.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from uuid import UUID, uuid5

import structlog
from sqlalchemy import (
    ColumnElement,
    DateTime,
    Float,
    Row,
    Table,
    TextClause,
    cast,
    extract,
    func,
    literal,
    null,
    select,
    union_all,
    update,
)
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.database.queries import read_rows
from reminder_worker.database.tables import age, span
from reminder_worker.errors import MailUnavailable
from reminder_worker.outbox.daily_quota import DAY_SECONDS
from reminder_worker.outbox.mail_client import MailClient
from reminder_worker.outbox.models import EMAIL_STATES
from reminder_worker.outbox.tables import alert, alert_state, sent_ledger

log = structlog.get_logger(__name__)
_QUEUED_AGAIN = {"state": "queued", "reason": None, "tries": 0, "rejections": 0, "claimed_at": None, "settled_at": None}


@dataclass(frozen=True, slots=True)
class OperatorLedger:
    """Ledger of a feature's emails, for operators.

    `about`: the subject of an email, in words. `same_recipient`: the stored address is still that of the email.
    `plan_again`: runs for the `id` of an email that was closed without being sent.
    """

    table: Table
    about: ColumnElement[str]
    same_recipient: ColumnElement[bool]
    plan_again: TextClause | None = None


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


@dataclass(frozen=True, slots=True)
class RecentAlert:
    """Alert of the last day. `stage`: "raised 1", "cleared 2" or the stage of an event; `age` in seconds."""

    chain_id: int
    kind: str
    subject: str
    stage: str
    state: str
    age: int


async def count_undecided(engine: AsyncEngine, ledger: Table = sent_ledger) -> list[UndecidedEmails]:
    """Count the undecided emails of a ledger."""
    t = ledger.c
    group = (t.chain_id, t.kind, t.state, t.reason)
    since = func.coalesce(t.claimed_at, t.created_at)
    question = select(*group, func.count(), age(func.min(since)), age(func.max(since)))
    question = question.where(t.state.in_(EMAIL_STATES["troubled"])).group_by(*group).order_by(*group)
    return await read_rows(engine, UndecidedEmails, question)


async def count_waiting(engine: AsyncEngine) -> list[WaitingEmails]:
    """Count the reminders to be tried, and those in flight; one branch for each partial index."""
    t, now = sent_ledger.c, func.clock_timestamp()
    no_time = cast(null(), DateTime(timezone=True))
    waiting = select(t.chain_id, t.next_try, t.created_at, literal(0).label("claimed"))
    waiting = waiting.where(t.state.in_(EMAIL_STATES["to_try"]))
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


async def read_recent_alerts(engine: AsyncEngine) -> list[RecentAlert]:
    """Return the alerts of the last day, the newest first, at most fifty."""
    t = alert.c
    question = select(t.chain_id, t.kind, t.subject, t.stage, t.state, age(t.created_at))
    question = question.where(t.created_at >= func.now() - span(days=1)).order_by(t.created_at.desc()).limit(50)
    return await read_rows(engine, RecentAlert, question)


async def count_undelivered_alerts(engine: AsyncEngine) -> dict[str, int]:
    """Count the undelivered alerts: `queued` alerts wait, `dead` alerts were refused by the mail service."""
    states = ("queued", "dead")
    question = select(alert.c.state, func.count()).where(alert.c.state.in_(states)).group_by(alert.c.state)
    counts = await read_rows(engine, lambda state, count: (state, count), question)
    return dict.fromkeys(states, 0) | dict(counts)


async def find_stuck(engine: AsyncEngine, ledgers: Sequence[OperatorLedger]) -> Sequence[Row[Any]]:
    """id, state (held, dead), kind, chain_id, about (a legacy, a gift, an alert's subject) and age in seconds."""
    a = alert.c
    kind, about = (literal("alert ") + a.kind).label("kind"), a.subject.label("about")
    questions = [select(a.id, a.state, kind, a.chain_id, about, a.created_at).where(a.state == "dead")]
    for ledger in ledgers:
        t, about = ledger.table.c, ledger.about.label("about")
        emails = select(t.id, t.state, t.kind, t.chain_id, about, t.created_at)
        questions.append(emails.where(t.state.in_(("held", "dead"))))
    stuck = union_all(*questions).subquery("stuck").c
    columns = (stuck.id, stuck.state, stuck.kind, stuck.chain_id, stuck.about, age(stuck.created_at).label("age"))
    async with engine.connect() as connection:
        return (await connection.execute(select(*columns).order_by(stuck.state, stuck.created_at))).all()


async def requeue_dead(
    engine: AsyncEngine, ledgers: Sequence[OperatorLedger], ids: Sequence[UUID] | None = None
) -> int:
    """Put dead emails and alerts back into the queue, all or the named ones; return how many."""
    count = 0
    outboxes: list[tuple[Table, dict[str, Any]]] = [
        (alert, {"state": "queued"}),
        *((ledger.table, _QUEUED_AGAIN) for ledger in ledgers),
    ]
    async with engine.begin() as connection:
        for outbox, queued in outboxes:
            back = update(outbox).where(outbox.c.state == "dead").values(**queued, next_try=func.clock_timestamp())
            count += (await connection.execute(back if ids is None else back.where(outbox.c.id.in_(ids)))).rowcount
    return count


async def settle_sent(engine: AsyncEngine, ledgers: Sequence[OperatorLedger], id: UUID, message_id: str) -> bool:
    """Settle a held email as sent with this Message-ID; return False when no such email is held."""
    known = {"state": "sent", "message_id": message_id, "reason": "by_hand", "body": None, "body_salt": None}
    async with engine.begin() as connection:
        for ledger in ledgers:
            t = ledger.table.c
            held = update(ledger.table).where(t.id == id, t.state == "held")
            if (await connection.execute(held.values(**known, settled_at=func.clock_timestamp()))).rowcount:
                log.info("settled_by_hand", key=str(id), state="sent")
                return True
    return False


async def settle_unsent(
    engine: AsyncEngine, ledgers: Sequence[OperatorLedger], mail: MailClient | None, id: UUID
) -> str | None:
    """Put a held email that never left back into the queue, or close it when its recipient was replaced or erased.

    Return in words what was done, None when no such email is held. A mail service that keeps keys (`mail`) is asked
    first: it may know more by now. Raises `MailUnavailable` when it cannot say.

    The mail service sends nothing under the old id any more, so the email gets a new id, derived from the old id: if
    the database is restored from an earlier backup and this is repeated, the mail service recognises the key.
    """
    known = await mail.ask_status(id) if mail else None
    if known is not None and known.state == "in_flight":
        raise MailUnavailable("the mail service has it in hand: try again in a minute")
    if known is not None and known.state == "accepted":
        settled = await settle_sent(engine, ledgers, id, known.message_id)
        return "sent, as the mail service knows by now" if settled else None
    new_id = uuid5(id, "unsent")
    unsent = {"id": new_id, "body": None, "body_salt": None}
    queued = {**unsent, **_QUEUED_AGAIN, "next_try": func.clock_timestamp()}
    closed = {**unsent, "state": "dropped", "reason": "body_gone", "settled_at": func.clock_timestamp()}
    for ledger in ledgers:
        t = ledger.table.c
        async with engine.begin() as connection:
            # Locked first: a statement sees other tables as of its begin. If it waited for the row while a recipient
            # was replaced, it would still see the earlier recipient.
            held = select(t.id).where(t.id == id, t.state == "held").with_for_update()
            if (await connection.execute(held)).first() is None:
                continue
            row = update(ledger.table).where(t.id == id)
            sent_again = (await connection.execute(row.where(ledger.same_recipient).values(**queued))).rowcount > 0
            if not sent_again:
                await connection.execute(row.values(**closed))
                if ledger.plan_again is not None:
                    await connection.execute(ledger.plan_again, {"id": new_id})
            merged = update(sent_ledger).where(sent_ledger.c.merged_into == id)
            await connection.execute(merged.values(merged_into=new_id))
            log.info("settled_by_hand", key=str(id), state="queued" if sent_again else "dropped", anew=str(new_id))
        if sent_again:
            return f"back in the queue as {new_id}"
        return "closed, not sent: whom it was for was replaced or erased since, or is no longer kept"
    return None
