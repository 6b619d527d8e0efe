"""Caps, cooldowns and rate limits: atomic counters in the database, shared by all processes.

A subject is public (an address on chain) or a keyed hash, never an email or a client address in clear. With a
connection, a method works in the caller's transaction, whose rollback refunds the quota.
"""

import time
from collections.abc import Callable, Mapping

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.database.engine import in_transaction
from reminder_worker.errors import LimitReached

# A counter taken by itself need not outlive a crash of the database, so its commit does not wait for the disk.
_TAKE = text("""
    insert into worker.quota (scope, subject, "window", used, ends_at)
    select :scope, subject, :window, cost, :ends
    from unnest(cast(:subjects as text[]), cast(:costs as bigint[])) as asked(subject, cost)
    where cost <= :limit
      and (not :relaxed or set_config('synchronous_commit', 'off', true) = 'off')
    order by subject  -- two callers lock rows in the same order
    on conflict (scope, subject, "window") do update set used = quota.used + excluded.used
    where quota.used + excluded.used <= :limit
    returning subject
""")
# A cooldown much longer than a new one is of a clock that was put back, or of an earlier setting.
_COOL_DOWN = text("""
    insert into worker.quota (scope, subject, "window", used, ends_at) values (:scope, :subject, 0, 1, :ends)
    on conflict (scope, subject, "window") do update set ends_at = excluded.ends_at
    where quota.ends_at <= :now or quota.ends_at > :ends + 3600  -- clocks of two processes differ
    returning true
""")


class QuotaCounters:
    """`now` gives unix seconds (wall clock)."""

    def __init__(self, engine: AsyncEngine, now: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._autocommit = engine.execution_options(isolation_level="AUTOCOMMIT")
        self.now = now

    async def reserve_one(
        self,
        connection: AsyncConnection | None,
        scope: str,
        subject: str,
        limit: int,
        window_seconds: int,
        cost: int = 1,
        code: str = "rate_limited",
    ) -> None:
        """Reserve `cost` of `limit` in the current window; raises `LimitReached` without room, and uses nothing."""
        # The clock is read before the counter: read afterwards, at the very end of a full window, it would name the end
        # of the next one.
        left = window_seconds - int(self.now()) % window_seconds
        if cost and not await self.reserve_many(connection, scope, {subject: cost}, limit, window_seconds):
            raise LimitReached("A limit for this is used up; try again later.", left, code)

    async def reserve_many(
        self,
        connection: AsyncConnection | None,
        scope: str,
        costs: Mapping[str, int],
        limit: int,
        window_seconds: int,
    ) -> frozenset[str]:
        """Reserve for many subjects in one statement. Return the subjects within the limit; the others use nothing."""
        start = int(self.now()) // window_seconds * window_seconds
        values = {
            "scope": scope,
            "subjects": list(costs),
            "costs": list(costs.values()),
            "window": start,
            "ends": start + window_seconds,
            "limit": limit,
            "relaxed": connection is None,
        }
        if connection is not None:
            return frozenset((await connection.execute(_TAKE, values)).scalars().all())
        async with self._autocommit.connect() as own:
            return frozenset((await own.execute(_TAKE, values)).scalars().all())

    async def refund_one(self, scope: str, subject: str, window_seconds: int, taken_at: float) -> None:
        """Refund one unused reservation. `taken_at`: unix seconds just before it, by this object's clock."""
        start = int(taken_at) // window_seconds * window_seconds
        async with self._engine.begin() as own:
            statement = text("""
                update worker.quota set used = greatest(0, used - 1)
                where scope = :scope and subject = :subject and "window" = :window
            """)
            await own.execute(statement, {"scope": scope, "subject": subject, "window": start})

    async def start_cooldown(self, connection: AsyncConnection | None, scope: str, subject: str, seconds: int) -> None:
        """Grant a subject once in `seconds`, counted from the last grant; raises `LimitReached` with the time left."""
        if seconds <= 0:
            return
        now = int(self.now())
        key = {"scope": scope, "subject": subject}
        async with in_transaction(self._engine, connection) as conn:
            granted: Row[tuple[bool]] | None = (
                await conn.execute(_COOL_DOWN, {**key, "now": now, "ends": now + seconds})
            ).first()
            if granted is None:
                at = 'select ends_at from worker.quota where scope = :scope and subject = :subject and "window" = 0'
                ends = await conn.scalar(text(at), key)
                raise LimitReached("This was done not long ago; try again later.", int(ends or now) - now, "cooldown")
