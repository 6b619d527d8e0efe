"""Claims of due emails: 30,000 to one address, which may get twenty a day, and to as many addresses by 1, 2 and 4
dispatchers.

Nothing is posted: a claim is a transaction under the lock of all claims, which this measures.
"""

import asyncio
from statistics import median
from time import perf_counter
from typing import Final

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from bench.erase import store_person
from bench.harness import BenchFigure, seconds_of
from bench.surroundings import database
from reminder_worker.outbox.daily_quota import DailyQuota
from reminder_worker.outbox.store import OutboxStore
from reminder_worker.reminders.emails import ReminderLedger
from reminder_worker.reminders.rendering import ReminderRenderer

EMAILS: Final = 30_000
RUNS: Final = 3


async def measure() -> list[BenchFigure]:
    async with database() as (engine, _url):
        await store_person(engine, b"h" * 32, f"0x{7:040x}", legacies=EMAILS, gifts=0)
        one_address = await _claim_all(OutboxStore(engine, ReminderLedger(), DailyQuota(20)))
        # Now everybody has an address of their own.
        await _run_in_peace(engine, "update worker.recipient set email_hash = sha256(legacy::bytea)")
        by_number = {number: [await _claim_by(engine, number) for _ in range(RUNS)] for number in (1, 2, 4)}
    rates = {number: EMAILS / median(seconds) for number, seconds in by_number.items()}
    return [
        BenchFigure("claims.one_address", max(one_address) * 1000, "ms, longest claim", None, None, "<= 200"),
        BenchFigure("claims.one_address.all", sum(one_address), "s for 30,000 emails", None, None, "<= 4"),
        BenchFigure("claims.dispatchers.1", rates[1], "emails/s"),
        BenchFigure("claims.dispatchers.2", rates[2], "emails/s", rates[1], rates[2] / rates[1], "ratio >= 1"),
        BenchFigure("claims.dispatchers", rates[4], "emails/s by 4", rates[1], rates[4] / rates[1], "ratio >= 1"),
    ]


async def _claim_all(store: OutboxStore) -> list[float]:  # type: ignore[type-arg]
    """Return the seconds of each claim until nothing is due."""
    seconds = []
    while True:
        began = perf_counter()
        claim = await store.claim_due(ReminderRenderer.batch_size)
        seconds.append(perf_counter() - began)
        if claim.idle:
            return seconds


async def _claim_by(engine: AsyncEngine, number: int) -> float:
    """Return how many seconds this number of dispatchers needs to claim everything."""
    await _run_in_peace(
        engine,
        "update worker.sent_ledger set state = 'queued', reason = null, lease_token = null, lease_until = null,"
        " next_try = now() where state <> 'sent'",
    )
    stores = [OutboxStore(engine, ReminderLedger(), DailyQuota(20)) for _ in range(number)]
    return await seconds_of(lambda: asyncio.gather(*map(_claim_all, stores)))


async def _run_in_peace(engine: AsyncEngine, words: str) -> None:
    """Run a statement that changes many rows, and put the tables in order after it."""
    async with engine.connect() as connection:
        connection = await connection.execution_options(isolation_level="AUTOCOMMIT")
        for statement in (words, "truncate worker.quota", "vacuum analyze worker.sent_ledger, worker.recipient"):
            await connection.execute(text(statement))
