"""Delivery reports at the mail service: whether its mailbox is read, and what became of the reports.

The pass `bounces` keeps the mail service's answer. Nothing is kept of a mail service that does not count reports.
"""

from dataclasses import dataclass

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.database.queries import read_rows
from reminder_worker.database.tables import age
from reminder_worker.outbox.mail_client import ReportsAnswer
from reminder_worker.outbox.tables import report_reading, sql


@dataclass(frozen=True, slots=True)
class ReportReading:
    """Answer of the mail service as kept. `unread`: None without a mailbox. Ages in seconds, None: it never happened.

    `look_age`: since the mailbox was last read to its end; `set_aside_age`: since `set_aside` last rose.
    """

    unread: int | None = None
    look_age: int | None = None
    taken: int = 0
    unmatched: int = 0
    set_aside: int = 0
    set_aside_age: int | None = None
    not_complaints: int = 0
    unreadable: int = 0


async def keep_reports(engine: AsyncEngine, answer: ReportsAnswer | None) -> None:
    """Replace what is kept; None: the mail service does not count reports."""
    async with engine.begin() as connection:
        if answer is None:
            await connection.execute(delete(report_reading))
            return
        counts = answer.counts
        values: dict[str, object] = {
            "unread": None,
            "looked_at": None,
            "taken": counts.taken,
            "unmatched": counts.unmatched,
            "set_aside": counts.set_aside,
            "not_complaints": counts.not_complaints,
            "unreadable": counts.unreadable,
        }
        if answer.mailbox is not None:
            values |= {"unread": answer.mailbox.unread, "looked_at": answer.mailbox.last_good_look}
        await connection.execute(sql["keep_reports"], values)


async def read_report_reading(engine: AsyncEngine) -> ReportReading | None:
    """Return what is kept; None if the mail service was not asked yet, or does not count reports."""
    t = report_reading.c
    columns = (t.unread, age(t.looked_at), t.taken, t.unmatched, t.set_aside, age(t.set_aside_at))
    question = select(*columns, t.not_complaints, t.unreadable)
    return next(iter(await read_rows(engine, ReportReading, question)), None)
