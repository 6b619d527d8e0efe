"""Facts about windows, signals and saved legacies for operators: counts, ages and public addresses."""

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.database.queries import count_rows, estimate_rows, read_rows
from reminder_worker.database.tables import age
from reminder_worker.reminders.tables import notify_signal, recipient, sql, watch


@dataclass(frozen=True, slots=True)
class WindowCount:
    """Open windows of one kind (1..6); deadlines in chain time, unix seconds."""

    chain_id: int
    window: int
    count: int
    first_deadline: int
    last_deadline: int


@dataclass(frozen=True, slots=True)
class SignalCount:
    """Signals of one kind (0..2) that are still `new`; `oldest`: seconds since the first was seen."""

    chain_id: int
    kind: int
    count: int
    oldest: int
    max_tries: int


@dataclass(frozen=True, slots=True)
class EmailDelay:
    """Seconds from the block of a signal to the mail service's yes, of the emails sent in the last day."""

    chain_id: int
    median: float
    longest: float


@dataclass(frozen=True, slots=True)
class SavedLegacies:
    """Legacies with stored recipients; the index has no reminder configuration of those in `unknown`."""

    saved: int
    unknown: tuple[str, ...]


async def count_windows(engine: AsyncEngine) -> list[WindowCount]:
    """Count the open windows of watched legacies. A legacy without recipients keeps windows as they were last seen."""
    return await read_rows(engine, WindowCount, sql["count_windows"])


async def count_new_signals(engine: AsyncEngine) -> list[SignalCount]:
    """Count the signals that are not planned yet."""
    t = notify_signal.c
    question = select(t.chain_id, t.kind, func.count(), age(func.min(t.seen_at)), func.max(t.tries))
    question = question.where(t.state == "new").group_by(t.chain_id, t.kind).order_by(t.chain_id, t.kind)
    return await read_rows(engine, SignalCount, question)


async def measure_delays(engine: AsyncEngine) -> list[EmailDelay]:
    """Measure how long the emails about signals took. An email that an operator settled by hand does not count."""
    return await read_rows(engine, EmailDelay, sql["email_delays"])


async def count_paused_legacies(engine: AsyncEngine) -> int:
    """Count the legacies that the due pass has set aside because asking about them reverts."""
    return await count_rows(engine, watch, watch.c.paused_until > func.now())


async def count_silent(engine: AsyncEngine) -> dict[int, int]:
    """Count by chain the legacies whose set reaches nobody."""
    question = select(watch.c.chain_id, func.count()).where(watch.c.silent).group_by(watch.c.chain_id)
    async with engine.connect() as connection:
        rows = await connection.execute(question.order_by(watch.c.chain_id))
        return {row[0]: row[1] for row in rows}


async def count_recipients(engine: AsyncEngine) -> int:
    return await estimate_rows(engine, recipient)


async def read_next_ask(engine: AsyncEngine, chains: Collection[int]) -> int | None:
    """Return the chain time at which the due pass next asks about a legacy of these chains; None: about no legacy."""
    async with engine.connect() as connection:
        moment = await connection.scalar(sql["next_ask"], {"chains": list(chains)})
        return None if moment is None else int(moment)


async def read_saved_legacies(engine: AsyncEngine, chain_id: int) -> SavedLegacies:
    """Return the legacies of a chain that have stored recipients."""
    async with engine.connect() as connection:
        row = (await connection.execute(sql["saved_legacies"], {"chain_id": chain_id})).one()
    return SavedLegacies(row.saved, tuple(row.unknown))
