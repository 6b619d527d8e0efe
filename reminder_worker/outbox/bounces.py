"""Emails that came back: the mail service knows their keys, our ledgers the keyed hash of the address.

No further email goes to an address whose mailbox does not exist. What came back for another reason is only shown. Both
end when a set or a gift that names the address is signed again, and when nobody has the address any more.
"""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Literal
from uuid import UUID

import structlog
from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.database.engine import through_deadlocks
from reminder_worker.database.queries import array_text, json_text, read_rows
from reminder_worker.errors import MailUnavailable
from reminder_worker.outbox.delivery_reports import keep_reports
from reminder_worker.outbox.mail_client import MailClient, ReturnedEmail
from reminder_worker.outbox.models import EmailStatements
from reminder_worker.outbox.tables import alert, bounce, sql

BounceReason = Literal["mailbox_unknown", "mailbox_full", "blocked", "other"]
MOST_PAGES = 20
log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class BouncedAddress:
    """An email to the address came back: why, and when we learned of it."""

    reason: BounceReason
    since: datetime


@dataclass(slots=True)
class BounceRun:
    """Emails that came back, and how many of their addresses are still stored."""

    returned: int = 0
    addresses: int = 0


class BounceReader:
    """Asks the mail service for emails that came back since the last time. Several readers do no harm."""

    def __init__(self, engine: AsyncEngine, mail: MailClient, ledgers: Sequence[EmailStatements]) -> None:
        self._engine = engine
        self._mail = mail
        self._ledgers = ledgers

    async def poll(self) -> bool:
        """Return whether an email came back, and keep what the mail service says about its reading of reports."""
        await self._keep_reports()
        return bool(await self._ask(await self._read_cursor()))

    async def run(self) -> BounceRun:
        """Record the addresses. If the mail service fails, they wait; other parts report that.

        Keeps the state of delivery reports, too: `reminder-worker tick` runs without a poll.
        """
        await self._keep_reports()
        report = BounceRun()
        for _ in range(MOST_PAGES):
            found = await self._ask(await self._read_cursor())
            if not found:
                break
            report.returned += len(found)
            report.addresses += await through_deadlocks(partial(self._record_page, found))
        return report

    async def _keep_reports(self) -> None:
        try:
            await keep_reports(self._engine, await self._mail.read_reports())
        except MailUnavailable:
            log.warning("report_counts_not_read")

    async def _ask(self, after: int) -> list[ReturnedEmail]:
        try:
            return await self._mail.list_bounces(after)
        except MailUnavailable:
            log.warning("bounces_not_read")
            return []

    async def _read_cursor(self) -> int:
        async with self._engine.connect() as connection:
            return int(await connection.scalar(sql["bounce_cursor"]) or 0)

    async def _record_page(self, page: Sequence[ReturnedEmail]) -> int:
        reasons = {}
        for each in page:
            with suppress(ValueError):  # another worker may share the mail service, with keys of another form
                reasons[UUID(each.key)] = each.reason
        ids = {"ids": array_text(reasons)}
        rows: dict[bytes, dict[str, Any]] = {}
        async with self._engine.begin() as connection:
            for ledger in self._ledgers:
                for row in await connection.execute(ledger.bounced_addresses, ids):
                    rows[row.email_hash] = {"email_hash": row.email_hash, "reason": reasons[row.id]}
                await connection.execute(ledger.note_returned, ids)
            if rows:
                by_hash = [rows[email_hash] for email_hash in sorted(rows)]
                await connection.execute(sql["record_bounces"], {"rows": json_text(by_hash)})
            alerts = await connection.execute(select(alert.c.id, alert.c.kind).where(alert.c.id.in_(reasons)))
            await connection.execute(sql["move_bounce_cursor"], {"after": max(each.number for each in page)})
        for row in alerts:
            log.error("alert_bounced", alert_id=row.id, kind=row.kind, reason=reasons[row.id])
        return len(rows)


async def forget_bounces(connection: AsyncConnection, hashes: Collection[bytes]) -> frozenset[bytes]:
    """Forget bounces of addresses that were signed for again. Return the addresses that had bounced."""
    if not hashes:
        return frozenset()
    forgotten = delete(bounce).where(bounce.c.email_hash.in_(sorted(hashes))).returning(bounce.c.email_hash)
    return frozenset((await connection.execute(forgotten)).scalars())


async def count_bounces(engine: AsyncEngine) -> Mapping[str, int]:
    """Count the stored addresses from which an email came back, by reason."""
    question = select(bounce.c.reason, func.count()).group_by(bounce.c.reason).order_by(bounce.c.reason)
    return dict(await read_rows(engine, lambda reason, count: (reason, count), question))
