"""The sent-ledger: at most one email for each entry, and none lost. All of it in batches.

`queued` and `released` entries were proven never to be posted. A claim takes them under a lease; storing the
exact body sets `claimed_at`, and only then may it be posted. So an expired lease says by itself what it proves:
without `claimed_at` nothing was posted, with it nobody knows, and the mail service is asked first (`unknown`).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Row
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.reminders import statements as sql
from reminder_worker.reminders.claims import LIMITED, Due, Group, Sibling, decide
from reminder_worker.reminders.entries import Claim, Entry, Settlement, read_entry

LEASE_SECONDS = 180
DAY_SECONDS = 86400
_CLAIM_LOCK = 0x636C61696D  # "claim": claims of several dispatchers follow one another, for milliseconds
_DEADLOCK = "40P01"


class Ledger:
    """`daily_cap`: emails to one address in a day (UTC, by the database's clock), over all kinds."""

    def __init__(self, engine: AsyncEngine, daily_cap: int) -> None:
        self._engine = engine
        self._daily_cap = daily_cap

    async def has_work(self) -> bool:
        """Whether an entry is due or a lease has expired."""
        async with self._engine.connect() as conn:
            return bool(await conn.scalar(sql.HAS_WORK))

    async def claim(self, limit: int) -> Claim:
        """Lease up to `limit` entries that are due and may be sent now; the others are put off, merged or settled."""
        token = uuid4()
        async with self._engine.begin() as conn:
            day = int(await conn.scalar(sql.LOCK_CLAIMS, {"lock": _CLAIM_LOCK, "day": DAY_SECONDS}))
            await conn.execute(sql.EXPIRE_LEASES)
            rows = (await conn.execute(sql.PICK, {"limit": limit})).all()
            if not rows:
                return Claim(token, ())
            orphans = [row.id for row in rows if row.email_hash is None]
            gone = [row.id for row in rows if row.suppressed]
            await _run(conn, sql.DELETE_ORPHANS, orphans)
            await _run(conn, sql.SUPPRESS, gone)
            open_rows = {row.id: row for row in rows if row.email_hash is not None and not row.suppressed}
            decision = decide([_due(row) for row in open_rows.values()], await _siblings(conn, rows))
            await _merge(conn, decision.merge)
            await _defer(conn, decision.defer)
            claimed, over = await self._charge(conn, [open_rows[id] for id in decision.claim], day)
            await _run(conn, sql.DEFER_TO_NEXT_DAY, [row.id for row in over], {"until": day + DAY_SECONDS})
            lease = {"token": token, "lease": LEASE_SECONDS}
            await _run(conn, sql.CLAIM, [row.id for row in claimed], lease)
        return Claim(
            token,
            tuple(read_entry(row) for row in claimed),
            quota_day=day,
            merged=len(decision.merge),
            put_off=len(decision.defer) + len(over),
            suppressed=len(gone) + len(orphans),
        )

    async def claim_unknown(self, limit: int) -> Claim:
        """Lease undecided entries that may be asked about again."""
        token = uuid4()
        async with self._engine.begin() as conn:
            await conn.execute(sql.EXPIRE_LEASES)
            values = {
                "limit": limit,
                "token": token,
                "lease": LEASE_SECONDS,
                "limited": [kind.value for kind in LIMITED],
            }
            rows = (await conn.execute(sql.CLAIM_UNKNOWN, values)).all()
        return Claim(token, tuple(read_entry(row, undecided=True) for row in rows))

    async def store(self, claim: Claim, bodies: Mapping[UUID, tuple[bytes, bytes]]) -> frozenset[UUID]:
        """Store each body (sealed, and the salt of the recipient row it is sealed under) that may now be posted.

        Left out are entries whose lease was lost and whose recipient was erased, replaced or re-encrypted since.
        """
        values = {
            "token": claim.token,
            "ids": list(bodies),
            "bodies": [body for body, _ in bodies.values()],
            "salts": [salt for _, salt in bodies.values()],
        }
        return await self._retried(sql.STORE, values)

    async def confirm(self, claim: Claim, ids: Iterable[UUID]) -> frozenset[UUID]:
        """Of undecided entries, those whose stored body may be posted once more."""
        return await self._retried(sql.CONFIRM, {"token": claim.token, "ids": list(ids)})

    async def settle(self, claim: Claim, settlements: Sequence[Settlement]) -> None:
        """Record outcomes. An acceptance counts whoever holds the lease by now; the rest only under ours."""
        if not settlements:
            return
        values = {
            "token": claim.token,
            "ids": [each.entry.id for each in settlements],
            "states": [each.state for each in settlements],
            "reasons": [each.reason for each in settlements],
            "message_ids": [each.message_id for each in settlements],
            "delays": [each.delay for each in settlements],
            "tries": [each.tries for each in settlements],
            "rejections": [each.rejections for each in settlements],
        }
        await self._retried(sql.SETTLE, values)
        await self._remember_suppressed([each.entry for each in settlements if each.state == "suppressed"])
        await self._refund(claim, settlements)

    async def _charge(
        self, conn: AsyncConnection, rows: Sequence[Row[Any]], day: int
    ) -> tuple[list[Row[Any]], list[Row[Any]]]:
        """Count each entry against its address's day; returns those that fit and those over the cap."""
        counts = Counter(row.email_hash.hex() for row in rows)
        if not counts:
            return [], []
        values = _quota_values(counts, day)
        used = {row.subject: row.used for row in await conn.execute(sql.CHARGE, values)}
        left = {subject: self._daily_cap - (used[subject] - count) for subject, count in counts.items()}
        if all(left[subject] >= count for subject, count in counts.items()):
            return list(rows), []
        fitting: list[Row[Any]] = []
        over: list[Row[Any]] = []
        for row in rows:
            subject = row.email_hash.hex()
            left[subject] -= 1
            (fitting if left[subject] >= 0 else over).append(row)
        await conn.execute(sql.REFUND, _quota_values(Counter(row.email_hash.hex() for row in over), day))
        return fitting, over

    async def _refund(self, claim: Claim, settlements: Sequence[Settlement]) -> None:
        """Attempts that reached nobody do not use up a person's day."""
        unused = [each.entry for each in settlements if each.refund and not each.entry.undecided]
        counts = Counter(entry.stored.email_hash.hex() for entry in unused if entry.stored)
        if counts:
            async with self._engine.begin() as conn:
                await conn.execute(sql.REFUND, _quota_values(counts, claim.quota_day))

    async def _remember_suppressed(self, entries: Sequence[Entry]) -> None:
        hashes = {entry.stored.email_hash for entry in entries if entry.stored}
        if hashes:
            async with self._engine.begin() as conn:
                await conn.execute(sql.REMEMBER_SUPPRESSED, {"hashes": sorted(hashes)})

    async def _retried(self, statement: Any, values: Mapping[str, Any]) -> frozenset[UUID]:
        """Writes of recipients lock the same rows one by one; whoever loses a deadlock tries again."""
        for _ in range(4):
            try:
                async with self._engine.begin() as conn:
                    return frozenset((await conn.execute(statement, values)).scalars().all())
            except OperationalError as error:
                if getattr(error.orig, "sqlstate", None) != _DEADLOCK:
                    raise
        async with self._engine.begin() as conn:
            return frozenset((await conn.execute(statement, values)).scalars().all())


async def requeue(engine: AsyncEngine, ids: Sequence[UUID] | None = None) -> int:
    """Dead entries back to the queue, all of them or those named; returns how many."""
    async with engine.begin() as conn:
        return (await conn.execute(sql.REQUEUE, {"ids": None if ids is None else list(ids)})).rowcount


@dataclass(frozen=True, slots=True)
class Depth:
    """Entries of one kind in one state that is not final, or needs an operator; `oldest` age in seconds."""

    kind: str
    state: str
    entries: int
    oldest: float


async def depths(engine: AsyncEngine) -> list[Depth]:
    """What waits, is under way, or is shown to operators (unknown, held, dead)."""
    async with engine.connect() as conn:
        return [Depth(*row) for row in await conn.execute(sql.DEPTHS)]


async def _run(
    conn: AsyncConnection, statement: Any, ids: Sequence[UUID], values: Mapping[str, Any] | None = None
) -> None:
    if ids:
        await conn.execute(statement, {"ids": list(ids), **(values or {})})


async def _siblings(conn: AsyncConnection, rows: Sequence[Row[Any]]) -> dict[Group, list[Sibling]]:
    groups = {_group(row) for row in rows if row.kind in LIMITED}
    if not groups:
        return {}
    chains, legacies, recipients, kinds = zip(*groups, strict=True)
    values = {
        "chains": list(chains),
        "legacies": list(legacies),
        "recipients": list(recipients),
        "kinds": list(kinds),
        "picked": [row.id for row in rows],
    }
    found: dict[Group, list[Sibling]] = defaultdict(list)
    for row in await conn.execute(sql.SIBLINGS, values):
        found[_group(row)].append(Sibling(row.id, row.created_at, row.since))
    return found


async def _merge(conn: AsyncConnection, merge: Mapping[UUID, UUID]) -> None:
    if merge:
        await conn.execute(sql.MERGE, {"ids": list(merge), "into": list(merge.values())})


async def _defer(conn: AsyncConnection, defer: Mapping[UUID, datetime]) -> None:
    if defer:
        await conn.execute(sql.DEFER, {"ids": list(defer), "until": list(defer.values())})


def _quota_values(counts: Mapping[str, int], day: int) -> dict[str, Any]:
    ordered = sorted(counts.items())  # two callers lock rows in the same order
    return {
        "subjects": [subject for subject, _ in ordered],
        "costs": [cost for _, cost in ordered],
        "day": day,
        "ends": day + DAY_SECONDS,
    }


def _group(row: Row[Any]) -> Group:
    return row.chain_id, row.legacy, row.recipient, row.kind


def _due(row: Row[Any]) -> Due:
    return Due(row.id, _group(row), row.created_at)
