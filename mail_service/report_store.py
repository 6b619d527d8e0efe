"""Tables that a delivery report changes, and the position of the reader in the mailbox."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine

from mail_service.store import report_count, report_reader, statements

_BOUNCE_LOCK = 0x626F756E6365  # "bounce"
_READER_LOCK = 0x7265706F7274  # "report"
COUNTS = ("taken", "unmatched", "set_aside", "other_feedback", "unreadable")


@dataclass(frozen=True, slots=True)
class MatchedEmail:
    """An email that a report is about; `address_hash` is None for an email to operators."""

    key: str
    address_hash: bytes | None


@dataclass(frozen=True, slots=True)
class ReportHealth:
    """`unread`: emails in the mailbox, None without one. `counts`: reports by what became of them."""

    unread: int | None
    good_look_at: datetime | None
    counts: dict[str, int]


class ReportStore:
    """Every method commits before it returns. Raises `SQLAlchemyError`."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def find_email(self, message_id: str) -> MatchedEmail | None:
        """Find an email of the last 30 days that left or may have left."""
        async with self._engine.connect() as connection:
            row = (await connection.execute(statements["find_by_message_id"], {"message_id": message_id})).first()
        return MatchedEmail(row.key, row.address_hash) if row else None

    async def record_bounce(self, key: str, reason: str) -> None:
        """The first report about an email counts."""
        await self._execute("record_bounce", key=key, reason=reason, lock=_BOUNCE_LOCK)

    async def suppress_address(self, address_hash: bytes) -> None:
        await self._execute("suppress", address_hash=address_hash)

    async def count(self, name: str, more: int = 1) -> None:
        """`name`: of `COUNTS`."""
        await self._execute("count_report", name=name, more=more)

    async def read_health(self) -> ReportHealth:
        async with self._engine.connect() as connection:
            reader = (await connection.execute(sa.select(report_reader))).first()
            rows = await connection.execute(sa.select(report_count.c.name, report_count.c.count))
            counts = {row.name: row[1] for row in rows}
        shown = {name: counts.get(name, 0) for name in COUNTS}
        return ReportHealth(reader.unread if reader else None, reader.good_look_at if reader else None, shown)

    @asynccontextmanager
    async def hold_reader_lock(self) -> AsyncIterator[bool]:
        """Yield whether this process may read the mailbox now: of several, one does."""
        async with self._engine.connect() as connection:
            locked = bool(await connection.scalar(sa.select(sa.func.pg_try_advisory_lock(_READER_LOCK))))
            try:
                yield locked
            finally:
                if locked:
                    await connection.execute(sa.select(sa.func.pg_advisory_unlock(_READER_LOCK)))

    async def open_mailbox(self, mailbox: str) -> int:
        """Return the last UID that was read of this mailbox, 0 at the first time."""
        return await self._fetch_number("open_mailbox", mailbox=mailbox)

    async def begin_report(self) -> int:
        """Record that the next report is being read; return how often that began, if the process died since."""
        return await self._fetch_number("begin_report")

    async def finish_report(self, uid: int) -> None:
        await self._execute("finish_report", uid=uid)

    async def finish_look(self, uid: int, unread: int) -> None:
        """Record that emails up to `uid` were read, and how many may wait. Without any it was a whole look."""
        await self._execute("finish_look", uid=uid, unread=unread)

    async def _fetch_number(self, name: str, /, **values: object) -> int:
        async with self._engine.connect() as connection:
            return int((await connection.execute(statements[name], values)).scalar_one())

    async def _execute(self, name: str, /, **values: object) -> None:
        async with self._engine.connect() as connection:
            await connection.execute(statements[name], values)
