"""Retention: rows that are over are deleted by the clock."""

from collections.abc import Iterable, Mapping
from typing import Any

import structlog
from sqlalchemy import BigInteger, ColumnElement, Date, cast, delete, extract, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.database.tables import age, quota, span, used_signature
from reminder_worker.errors import MailUnavailable
from reminder_worker.gifts.tables import gift_wallet, gift_write
from reminder_worker.monitoring.erasure import erase_deleted_legacies, erase_forgotten
from reminder_worker.monitoring.node_requests import today_utc
from reminder_worker.monitoring.tables import node_request, sql
from reminder_worker.outbox.mail_client import MailClient
from reminder_worker.outbox.tables import alert, suppression
from reminder_worker.relay.models import OPEN_STATES
from reminder_worker.relay.tables import nonce_slot, relay_budget, relay_request, tx_attempt
from reminder_worker.reminders.tables import erasure_count
from reminder_worker.upgrades.operations import OPEN
from reminder_worker.upgrades.tables import upgrade_operation

log = structlog.get_logger(__name__)


class RetentionPass:
    """Pass `forget`: deletes expired rows, erases the people of deleted legacies, and whoever asked the mail service.

    Always has work: a schedule or `tick` starts it by the clock.
    """

    def __init__(self, engine: AsyncEngine, chains: Iterable[Chain], mail: MailClient | None) -> None:
        self._engine = engine
        self._chains = chains
        self._mail = mail

    async def poll(self) -> bool:
        return True

    async def run(self) -> Mapping[str, Any]:
        rows = await forget_expired(self._engine)
        deleted = [await erase_deleted_legacies(self._engine, chain) for chain in self._chains]
        report = {"rows": rows, "recipients_of_deleted_legacies": sum(deleted)}
        if self._mail is None:
            return report
        try:
            forgotten = await erase_forgotten(self._engine, self._mail)
        except MailUnavailable as error:  # the next hour asks again
            log.warning("forgotten_not_read", error=type(error).__name__)
            return report
        return {**report, "recipients_forgotten": forgotten.recipients, "gifts_forgotten": forgotten.gifts}


async def forget_expired(engine: AsyncEngine) -> int:
    """Delete what is over; return how many rows.

    Spent signatures after their deadline, which refuses them now. Counters after their window. Unsubscribed addresses
    after a day: the mail service keeps them. Bounced addresses that nobody has any more. Rows of gifts, requests,
    budgets and alerts, and counts of requests to nodes and of erasures, after their time. Nothing is deleted while the
    database's clock is far ahead of the chains: gifts of the future would be forgotten.
    """
    async with engine.connect() as connection:
        if await connection.scalar(sql["clock_is_ahead"]):
            log.warning("nothing_forgotten")
            return 0
    long_over = cast(extract("epoch", func.clock_timestamp()), BigInteger) - 3600  # clocks may differ
    async with engine.begin() as connection:
        deleted = [
            await connection.execute(delete(used_signature).where(used_signature.c.deadline < long_over)),
            await connection.execute(delete(quota).where(quota.c.ends_at < long_over)),
            await connection.execute(delete(suppression).where(age(suppression.c.since) > 86_400)),
            await connection.execute(sql["forget_bounces"]),
            await connection.execute(delete(node_request).where(node_request.c.day < today_utc() - 90)),
            await connection.execute(delete(erasure_count).where(erasure_count.c.day < today_utc() - 90)),
        ]
        rows = sum(result.rowcount for result in deleted)
        return rows + await _forget_gifts(connection, long_over) + await _forget_relayed(connection)


async def _forget_gifts(connection: AsyncConnection, long_over: ColumnElement[int]) -> int:
    """Delete emails after their time with their notifications, deadlines, and wallets that were never made.

    The creation of a wallet may still end within a day; after that it is found by its name.
    """
    given_up = gift_wallet.c.timestamp_ms / 1000 < long_over - 86_400
    emails = int(await connection.scalar(sql["forget_gift_emails"]) or 0)
    deleted = [
        await connection.execute(sql["forget_gift_reminders"]),
        await connection.execute(sql["forget_gift_givers"]),
        await connection.execute(delete(gift_write).where(gift_write.c.deadline < long_over)),
        await connection.execute(delete(gift_wallet).where(gift_wallet.c.sub_organization_id.is_(None), given_up)),
    ]
    return emails + sum(result.rowcount for result in deleted)


async def _forget_relayed(connection: AsyncConnection) -> int:
    """Delete requests with slots and attempts, budgets and alerts that ended over 90 days ago."""
    r, s, t, a, o = relay_request.c, nonce_slot.c, tx_attempt.c, alert.c, upgrade_operation.c
    long_ago = func.now() - span(days=90)
    unsettled = select(1).where(s.request_id == r.id, s.state != "final").exists()
    old = select(r.id).where(r.updated_at < long_ago, ~r.state.in_(OPEN_STATES), ~unsettled).limit(5000)
    ids = list((await connection.execute(old)).scalars())
    forgotten = delete(nonce_slot).where(s.request_id.in_(ids)).returning(s.chain_id, s.wallet, s.nonce)
    slots = (await connection.execute(forgotten)).all()
    of_slots = tuple_(t.chain_id, t.wallet, t.nonce).in_([tuple(slot) for slot in slots])
    # An alert about an operation that still waits is kept: it would be sent again.
    still_open = select(1).where(o.chain_id == a.chain_id, o.operation_id == a.subject, o.state.in_(OPEN)).exists()
    over = a.state.in_(("sent", "log_only", "merged")) & (a.created_at < long_ago) & ~still_open
    deleted = [
        await connection.execute(delete(tx_attempt).where(of_slots)),
        await connection.execute(delete(relay_request).where(r.id.in_(ids))),
        await connection.execute(delete(relay_budget).where(relay_budget.c.day < cast(long_ago, Date))),
        await connection.execute(delete(alert).where(over)),
    ]
    return len(slots) + sum(result.rowcount for result in deleted)
