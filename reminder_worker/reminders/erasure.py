"""Erasure of recipients for any cause but a write of their creator."""

from dataclasses import dataclass
from datetime import date
from typing import Final, Literal

from sqlalchemy import ColumnElement, Integer, cast, delete, func, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.database.queries import read_rows
from reminder_worker.reminders.erasure_marks import mark_erased
from reminder_worker.reminders.recipients import cancel_unsent
from reminder_worker.reminders.tables import erasure_count, is_of_recipients, recipient, sql

ErasureCause = Literal["deleted_legacy", "link", "signature"]
"""`link`, `signature`: how a recipient erased themself."""
ROWS_AT_ONCE: Final = 1_000
"""Rows of one statement."""


@dataclass(frozen=True, slots=True)
class RecentErasures:
    """Recipients erased for one cause in the last 90 days; `last_day` in UTC."""

    cause: ErasureCause
    people: int
    last_day: date


async def erase_recipients(
    connection: AsyncConnection, which: ColumnElement[bool], *, cause: ErasureCause | None = None
) -> int:
    """Delete rows with their unsent emails; return how many. The operator's own erasures have no `cause`.

    Sent emails stay recorded without the person. All rows are erased in the caller's transaction, or none: a dispatcher
    waits for the rows before it posts an email of theirs.
    """
    key = recipient.c.chain_id, recipient.c.legacy, recipient.c.recipient
    rows = (await connection.execute(select(*key).where(which).order_by(*key).with_for_update())).all()
    if not rows:
        return 0
    for start in range(0, len(rows), ROWS_AT_ONCE):
        keys = [(row.chain_id, row.legacy, row.recipient) for row in rows[start : start + ROWS_AT_ONCE]]
        await cancel_unsent(connection, keys)
        if cause in ("link", "signature"):
            await mark_erased(connection, keys)
        await connection.execute(delete(recipient).where(is_of_recipients(recipient, keys)))
    chains, legacies = zip(*sorted({(row.chain_id, row.legacy) for row in rows}), strict=True)
    await connection.execute(sql["unwatch"], {"chains": list(chains), "legacies": list(legacies)})
    if cause is not None:
        await count_erasures(connection, cause, len(rows))
    return len(rows)


async def count_erasures(connection: AsyncConnection, cause: ErasureCause, people: int) -> None:
    """Add to the counts of the day."""
    await connection.execute(sql["count_erasure"], {"cause": cause, "people": people})


async def read_erasures(engine: AsyncEngine) -> list[RecentErasures]:
    """Return the counts of the last 90 days by cause, which retention keeps."""
    t = erasure_count.c
    question = select(t.cause, cast(func.sum(t.people), Integer), func.max(t.day))
    return await read_rows(engine, RecentErasures, question.group_by(t.cause).order_by(t.cause))
