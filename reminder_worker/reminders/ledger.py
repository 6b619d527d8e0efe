"""The sent-ledger: at most one email for each entry, and none lost silently. All of it in batches.

`queued` and `released` entries were proven never to be posted. A claim takes them under a lease; storing the
exact body sets `claimed_at`, and only then may it be posted. So an expired lease says by itself what it proves:
without `claimed_at` nothing was posted, with it nobody knows, and the mail service is asked first (`unknown`).
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Row, TextClause
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.database.engine import through_deadlocks
from reminder_worker.database.parameters import array_text, json_text
from reminder_worker.outbox.messages import KIND_WINDOWS
from reminder_worker.outbox.outcomes import Settlement, counted_as
from reminder_worker.reminders.audience import PLANNED_AGAIN
from reminder_worker.reminders.claims import LIMITED, Sibling, decide
from reminder_worker.reminders.entries import Claim, Entry, Group, read_entry
from reminder_worker.reminders.queries import sql

LEASE_SECONDS = 180
DAY_SECONDS = 86400
_CLAIM_LOCK = 0x636C61696D  # "claim": claims of several dispatchers, and what they confirm, follow one another


class Ledger:
    """`daily_cap`: emails to one address in a day (UTC, by the database's clock), over all kinds.

    Those of the chains `apart` have a count of their own: few of them are ever sent, and none takes another's place.
    """

    def __init__(self, engine: AsyncEngine, daily_cap: int, apart: Collection[int] = ()) -> None:
        self._engine = engine
        self._autocommit = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._daily_cap = daily_cap
        self._apart = frozenset(apart)

    async def has_work(self) -> bool:
        """Whether an entry is due or a lease has expired."""
        async with self._engine.connect() as conn:
            return bool(await conn.scalar(sql["has_work"]))

    async def expire_leases(self) -> None:
        """Take over entries of dispatchers that are gone: to be sent if they were never posted, else to be asked about.

        Those that were never posted give back the place of an address's day that their claim took: the next claim takes
        one again.
        """

        async def expire() -> None:
            async with self._engine.begin() as conn:
                unposted = (await conn.execute(sql["expire_leases"], {"lease": LEASE_SECONDS})).all()
                for day in {row.day for row in unposted}:
                    counts = Counter(
                        self._counted_as(row.email_hash, row.chain_id) for row in unposted if row.day == day
                    )
                    await conn.execute(sql["refund"], _quota_values(counts, day))

        await through_deadlocks(expire)  # writes of recipients lock the same rows one by one

    async def claim(self, limit: int) -> Claim:
        """Lease up to `limit` entries that are due and may be sent now; the others are put off, merged or settled."""
        return await through_deadlocks(lambda: self._claim(limit))

    async def _claim(self, limit: int) -> Claim:
        token = uuid4()
        values = {"limit": limit, "token": token, "lease": LEASE_SECONDS, "limited": list(LIMITED)}
        async with self._engine.begin() as conn:
            day = int(await conn.scalar(sql["lock_claims"], {"lock": _CLAIM_LOCK}))
            rows = (await conn.execute(sql["claim"], values)).all()
            entries = [read_entry(row) for row in rows]
            orphans = [entry.id for entry in entries if entry.stored is None]
            silent = [row.id for row in rows if row.suppressed]
            await _run(conn, sql["delete_orphans"], orphans)
            await _run(conn, sql["suppress"], silent)
            settled = {*orphans, *silent}
            due = [entry for entry in entries if entry.id not in settled] if settled else entries
            crowded = {row.id for row in rows if row.crowded}
            decision = decide(due, await _siblings(conn, [e for e in due if e.id in crowded], token))
            kept = {entry.id for entry in decision.claim}
            await _run(conn, sql["put_back"], [e.id for e in due if e.id not in kept and e.id not in decision.merge])
            await _merge(conn, decision.merge)
            await _defer(conn, decision.defer)
            await _run(conn, sql["hurry"], decision.hurry)
            claimed, over = await self._charge(conn, decision.claim, rows, day)
            await _run(conn, sql["defer_to_next_day"], [entry.id for entry in over], {"until": day + DAY_SECONDS})
        for entry in claimed:
            entry.counted_on = day
        return Claim(
            token,
            tuple(claimed),
            _leased_until(rows),
            merged=len(decision.merge),
            put_off=len(decision.defer) + len(over),
            suppressed=len(settled),
        )

    async def claim_unknown(self, limit: int) -> Claim:
        """Lease undecided entries that may be asked about again."""
        token = uuid4()
        await self.expire_leases()
        async with self._engine.begin() as conn:
            values = {"limit": limit, "token": token, "lease": LEASE_SECONDS, "limited": list(LIMITED)}
            rows = (await conn.execute(sql["claim_unknown"], values)).all()
        return Claim(token, tuple(read_entry(row, undecided=True) for row in rows), _leased_until(rows))

    async def store(self, claim: Claim, bodies: Mapping[UUID, tuple[bytes, bytes]]) -> frozenset[UUID]:
        """Store each body (sealed, and the salt of the recipient row it is sealed under); returns which of them may be
        posted now.

        Left out are entries whose lease was lost, or whose recipient was erased, replaced or re-encrypted since.
        """
        rows = [{"id": id, "body": body, "salt": salt} for id, (body, salt) in bodies.items()]
        values = {"token": claim.token, "rows": json_text(rows)}
        return await self._to_be_posted(claim, sql["store"], values) if rows else frozenset()

    async def confirm(self, claim: Claim, ids: Iterable[UUID]) -> frozenset[UUID]:
        """Which of these undecided entries may be posted once more, with the body that is stored.

        No two dispatchers do this at once, nor while another claims: neither would see what the other is about to post.
        """
        values = {"token": claim.token, "ids": array_text(ids), "limited": list(LIMITED)}
        return await self._to_be_posted(claim, sql["confirm"], values, alone=True)

    async def not_to_post(self, claim: Claim, ids: Iterable[UUID]) -> frozenset[UUID]:
        """Which of these entries, whose bodies were stored, are not to be posted: they are no longer ours, or their
        recipient was erased since."""
        async with self._autocommit.connect() as conn:
            values = {"token": claim.token, "ids": array_text(ids)}
            return frozenset((await conn.execute(sql["not_to_post"], values)).scalars())

    async def settle(self, claim: Claim, settlements: Sequence[Settlement[Entry]]) -> None:
        """Record outcomes: an acceptance whoever holds the lease by now, any other only under our lease."""
        if not settlements:
            return
        rows = [each.columns() for each in settlements]
        dropped = [each.entry for each in settlements if each.state == "dropped"]

        async def record() -> frozenset[UUID]:
            async with self._engine.begin() as conn:
                values = {
                    "token": claim.token,
                    "until": claim.until,
                    "rows": json_text(rows),
                    "lasting": list(PLANNED_AGAIN),
                }
                ours = frozenset((await conn.execute(sql["settle"], values)).scalars())
                await _ask_again(conn, dropped)  # in this transaction: a crash would leave a reminder dropped for good
                return ours

        ours = await through_deadlocks(record)
        await self._remember_suppressed([each.entry for each in settlements if each.state == "suppressed"])
        await self._refund(settlements, ours)

    async def _charge(
        self, conn: AsyncConnection, entries: Sequence[Entry], rows: Sequence[Row[Any]], day: int
    ) -> tuple[Sequence[Entry], Sequence[Entry]]:
        """Count each entry against its address's day; returns those that fit and those over the cap. The latter are
        those whose turn comes last. `rows` are the rows of these entries, and of others."""
        counts = self._addresses(entries)
        if not counts:
            return [], []
        values = {**_quota_values(counts, day), "cap": self._daily_cap}
        excess = {row.subject: row.over for row in await conn.execute(sql["charge"], values)}
        if not excess:
            return entries, []
        fitting: list[Entry] = []
        over: list[Entry] = []
        turns = {row.id: (row.next_try, row.created_at) for row in rows}
        for entry in sorted(entries, key=lambda each: turns[each.id], reverse=True):
            (subject,) = self._addresses([entry])
            excess[subject] = excess.get(subject, 0) - 1
            (over if excess[subject] >= 0 else fitting).append(entry)
        await conn.execute(sql["refund"], _quota_values(self._addresses(over), day))
        return fitting[::-1], over

    async def _to_be_posted(
        self, claim: Claim, statement: TextClause, values: Mapping[str, Any], *, alone: bool = False
    ) -> frozenset[UUID]:
        """Run a statement that returns entries which may be posted now, and the day. An email counts on the day on
        which it is posted, also if its claim took a place of an earlier day: then it takes one of this day, too."""

        async def record() -> dict[UUID, int]:
            async with self._engine.begin() as conn:
                if alone:
                    await conn.execute(sql["lock_claims"], {"lock": _CLAIM_LOCK})
                days = {row.id: row.posted_on for row in await conn.execute(statement, values)}
                later = [each for each in claim.entries if days.get(each.id, each.counted_on) != each.counted_on]
                for day in {days[each.id] for each in later}:
                    counts = self._addresses(each for each in later if days[each.id] == day)
                    await conn.execute(sql["charge"], {**_quota_values(counts, day), "cap": self._daily_cap})
                return days

        days = await through_deadlocks(record)
        for entry in claim.entries:
            entry.counted_on = days.get(entry.id, entry.counted_on)
        return frozenset(days)

    async def _refund(self, settlements: Sequence[Settlement[Entry]], ours: Set[UUID]) -> None:
        """Give back the places of attempts that reached nobody. Not of an entry that is no longer ours: `expire_leases`
        gave its place back, or whoever holds it now may post it on that place."""
        by_day: dict[int, list[Entry]] = defaultdict(list)
        for entry in (each.entry for each in settlements if each.entry.id in ours and each.refund):
            if entry.counted_on is not None:
                by_day[entry.counted_on].append(entry)

        async def give_back() -> None:
            async with self._engine.begin() as conn:
                for day, entries in by_day.items():
                    await conn.execute(sql["refund"], _quota_values(self._addresses(entries), day))

        if by_day:
            await through_deadlocks(give_back)  # claims take places of the same addresses

    def _addresses(self, entries: Iterable[Entry]) -> Counter[str]:
        """How many of these entries there are for each address, by the keyed hash that it is counted under."""
        return Counter(self._counted_as(entry.stored.email_hash, entry.chain_id) for entry in entries if entry.stored)

    def _counted_as(self, email_hash: bytes, chain_id: int) -> str:
        return counted_as(email_hash, apart=chain_id in self._apart)

    async def _remember_suppressed(self, entries: Sequence[Entry]) -> None:
        hashes = {entry.stored.email_hash for entry in entries if entry.stored}
        if hashes:
            async with self._engine.begin() as conn:
                await conn.execute(sql["remember_suppressed"], {"hashes": sorted(hashes)})


def _leased_until(rows: Sequence[Row[Any]]) -> datetime | None:
    return rows[0].lease_until if rows else None  # of one claim all end at once


async def _run(
    conn: AsyncConnection, statement: TextClause, ids: Sequence[UUID], values: Mapping[str, Any] | None = None
) -> None:
    if ids:
        await conn.execute(statement, {"ids": array_text(ids), **(values or {})})


async def _ask_again(conn: AsyncConnection, dropped: Sequence[Entry]) -> None:
    """Have windows of dropped entries looked at again: the drop may rest on the word of a node that is behind, which
    knows neither a window that just opened nor an heir who was just added."""
    legacies = {(entry.chain_id, entry.legacy) for entry in dropped if entry.kind in KIND_WINDOWS}
    if legacies:
        rows = [{"chain_id": chain_id, "legacy": legacy} for chain_id, legacy in sorted(legacies)]
        await conn.execute(sql["ask_again"], {"rows": json_text(rows)})


async def _siblings(conn: AsyncConnection, entries: Sequence[Entry], token: UUID) -> dict[Group, list[Sibling]]:
    groups = {entry.group for entry in entries}
    if not groups:
        return {}
    asked = [dict(zip(("chain_id", "legacy", "recipient", "kind"), group, strict=True)) for group in groups]
    values = {"rows": json_text(asked), "token": token}
    found: dict[Group, list[Sibling]] = defaultdict(list)
    for row in await conn.execute(sql["siblings"], values):
        found[(row.chain_id, row.legacy, row.recipient, row.kind)].append(Sibling(row.id, row.created_at, row.until))
    return found


async def _merge(conn: AsyncConnection, merge: Mapping[UUID, UUID]) -> None:
    if merge:
        rows = [{"id": id, "into_id": into} for id, into in merge.items()]
        await conn.execute(sql["merge"], {"rows": json_text(rows)})


async def _defer(conn: AsyncConnection, defer: Mapping[UUID, datetime]) -> None:
    if defer:
        rows = [{"id": id, "until": until} for id, until in defer.items()]
        await conn.execute(sql["defer"], {"rows": json_text(rows)})


def _quota_values(counts: Mapping[str, int], day: int) -> dict[str, Any]:
    ordered = sorted(counts.items())  # two callers lock rows in the same order
    rows = [{"subject": subject, "cost": cost} for subject, cost in ordered]
    return {"rows": json_text(rows), "day": day, "ends": day + DAY_SECONDS}
