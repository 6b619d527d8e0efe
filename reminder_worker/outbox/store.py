"""The ledger of a family of emails: at most one email for each entry, and none lost silently.

`queued` and `released` entries were certainly never posted. A claim takes them under a lease. Storing the exact body
sets `claimed_at`, and only then may the email be posted. An expired lease without `claimed_at` proves that nothing was
posted. With `claimed_at` the email is in doubt (`unknown`): the mail service is asked before anything is posted again.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from datetime import datetime
from typing import Any, Generic
from uuid import UUID, uuid4

from sqlalchemy import Row, TextClause
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.database.engine import through_deadlocks
from reminder_worker.database.queries import array_text, json_text
from reminder_worker.outbox.daily_quota import DAY_SECONDS, DailyQuota
from reminder_worker.outbox.models import E, EmailClaim, EmailLedger, EmailSettlement
from reminder_worker.outbox.tables import sql

LEASE_SECONDS = 180
CLAIM_LOCK = 0x636C61696D  # "claim": serialises claims and confirmations of several dispatchers


class OutboxStore(Generic[E]):
    """Claims entries of one ledger in batches, stores their bodies and records results."""

    def __init__(self, engine: AsyncEngine, ledger: EmailLedger[E], quota: DailyQuota) -> None:
        self._engine = engine
        self._autocommit = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._ledger = ledger
        self._quota = quota

    async def expire_leases(self) -> None:
        """Take over entries whose dispatcher is gone: never posted ones are due again, the others are in doubt.

        Refund the quota of entries that were never posted: the next claim reserves it again.
        """

        async def expire() -> None:
            async with self._engine.begin() as connection:
                values = {**self._ledger.values, "lease": LEASE_SECONDS}
                unposted = (await connection.execute(self._ledger.statements.expire_leases, values)).all()
                for day in {row.day for row in unposted}:
                    rows = [row for row in unposted if row.day == day]
                    counts = Counter(self._quota.make_subject(row.email_hash, row.chain_id) for row in rows)
                    await self._quota.refund_quota(connection, counts, day)

        await through_deadlocks(expire)  # writes of recipients lock the same rows

    async def claim_due(self, limit: int) -> EmailClaim[E]:
        """Lease up to `limit` due entries that may be sent now. The ledger puts off, merges or settles the others."""
        return await through_deadlocks(lambda: self._claim_once(limit))

    async def _claim_once(self, limit: int) -> EmailClaim[E]:
        token, statements = uuid4(), self._ledger.statements
        async with self._engine.begin() as connection:
            day = int(await connection.scalar(sql["lock_claims"], {"lock": CLAIM_LOCK}))
            rows = (await connection.execute(statements.claim, self._claim_values(token, limit))).all()
            entries = [self._ledger.read_entry(row) for row in rows]
            selection = await self._ledger.select(connection, rows, entries, token)
            turns = {row.id: (row.next_try, row.created_at) for row in rows}
            claimed, over = await self._quota.reserve_quota(connection, selection.entries, turns, day)
            if over:
                values = {**self._ledger.values, "ids": array_text(entry.id for entry in over)}
                await connection.execute(statements.defer_to_next_day, {**values, "until": day + DAY_SECONDS})
        for entry in claimed:
            entry.counted_on = day
        put_off = selection.put_off + len(over)
        return EmailClaim(
            token, tuple(claimed), _leased_until(rows), selection.merged, put_off, settled=selection.settled
        )

    async def claim_unknown(self, limit: int) -> EmailClaim[E]:
        """Lease entries in doubt that may be asked about again."""
        token = uuid4()
        await self.expire_leases()
        async with self._engine.begin() as connection:
            values = self._claim_values(token, limit)
            rows = (await connection.execute(self._ledger.statements.claim_unknown, values)).all()
        entries = tuple(self._ledger.read_entry(row, undecided=True) for row in rows)
        return EmailClaim(token, entries, _leased_until(rows))

    def _claim_values(self, token: UUID, limit: int) -> dict[str, Any]:
        return {**self._ledger.values, "limit": limit, "token": token, "lease": LEASE_SECONDS}

    async def store_bodies(
        self, claim: EmailClaim[E], bodies: Mapping[UUID, tuple[bytes, bytes, bytes | None]]
    ) -> frozenset[UUID]:
        """Store bodies (encrypted), each with the salt of its recipient's row and the hash of its
        number. Return the entries that may now be posted.

        Left out are entries whose lease was lost, or whose recipient was erased, replaced or re-encrypted since.
        """
        if not bodies:
            return frozenset()
        rows = [
            {"id": id, "body": body, "salt": salt, "number_hash": number_hash}
            for id, (body, salt, number_hash) in bodies.items()
        ]
        return await self._approve_posts(self._ledger.statements.store, claim, bodies, rows=json_text(rows))

    async def confirm_unknown(self, claim: EmailClaim[E], ids: Iterable[UUID]) -> frozenset[UUID]:
        """Return the undecided entries that may be posted again with their stored body.

        Neither another confirmation nor a claim runs meanwhile: it would not see what this dispatcher will post.
        """
        return await self._approve_posts(self._ledger.statements.confirm, claim, ids, alone=True)

    async def _approve_posts(
        self, statement: TextClause, claim: EmailClaim[E], ids: Iterable[UUID], *, alone: bool = False, **values: Any
    ) -> frozenset[UUID]:
        """Run a statement that returns entries which may now be posted, with the day.

        An email counts on the day it is posted. If its claim used the quota of an earlier day, it uses this day's, too.
        """
        bound = {**self._ledger.values, "token": claim.token, "ids": array_text(ids), **values}

        async def record() -> dict[UUID, int]:
            async with self._engine.begin() as connection:
                if alone:
                    await connection.execute(sql["lock_claims"], {"lock": CLAIM_LOCK})
                if self._ledger.statements.lock_entries is not None:
                    await connection.execute(self._ledger.statements.lock_entries, bound)
                days = {row.id: row.posted_on for row in await connection.execute(statement, bound)}
                later = [entry for entry in claim.entries if days.get(entry.id, entry.counted_on) != entry.counted_on]
                for day in {days[entry.id] for entry in later}:
                    counts = self._quota.count_emails(entry for entry in later if days[entry.id] == day)
                    await self._quota.charge_quota(connection, counts, day)
                return days

        days = await through_deadlocks(record)
        for entry in claim.entries:
            entry.counted_on = days.get(entry.id, entry.counted_on)
        return frozenset(days)

    async def find_not_to_post(self, claim: EmailClaim[E], ids: Iterable[UUID]) -> frozenset[UUID]:
        """Return the entries that must not be posted: the lease was lost, or the recipient erased since the store."""
        async with self._autocommit.connect() as connection:
            values = {**self._ledger.values, "token": claim.token, "ids": array_text(ids)}
            return frozenset((await connection.execute(self._ledger.statements.not_to_post, values)).scalars())

    async def settle_claim(self, claim: EmailClaim[E], settlements: Sequence[EmailSettlement[E]]) -> None:
        """Record results: an acceptance always, any other result only under the lease of this claim."""
        if not settlements:
            return
        rows = json_text([settlement.columns() for settlement in settlements])
        values = {**self._ledger.values, "token": claim.token, "until": claim.until, "rows": rows}

        async def record() -> frozenset[UUID]:
            async with self._engine.begin() as connection:
                ours = frozenset((await connection.execute(self._ledger.statements.settle, values)).scalars())
                await self._ledger.finish_settling(connection, settlements)
                return ours

        await self._refund_unsent(settlements, await through_deadlocks(record))

    async def _refund_unsent(self, settlements: Sequence[EmailSettlement[E]], ours: Set[UUID]) -> None:
        """Refund the quota of emails that were not sent. After a lost lease `expire_leases` refunds it, or the new
        holder posts the email on it."""
        by_day: dict[int, list[E]] = defaultdict(list)
        for settlement in settlements:
            entry = settlement.entry
            if settlement.refund and entry.id in ours and entry.counted_on is not None:
                by_day[entry.counted_on].append(entry)

        async def refund() -> None:
            async with self._engine.begin() as connection:
                for day, entries in by_day.items():
                    await self._quota.refund_quota(connection, self._quota.count_emails(entries), day)

        if by_day:
            await through_deadlocks(refund)  # claims reserve quota of the same addresses

    async def remember_suppressed(self, entries: Iterable[E]) -> None:
        """Remember addresses whose owners unsubscribed at the mail service."""
        hashes = {entry.email_hash for entry in entries if entry.email_hash}
        if hashes:
            async with self._engine.begin() as connection:
                await connection.execute(sql["remember_suppressed"], {"hashes": sorted(hashes)})


def _leased_until(rows: Sequence[Row[Any]]) -> datetime | None:
    return rows[0].lease_until if rows else None  # all leases of a claim end at once
