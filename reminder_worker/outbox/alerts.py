"""Outbox of alerts to operators: written into the service log and, if configured, sent by email.

A condition causes an alert at its beginning and at its end. An event causes an alert at every stage. An alert is
committed first and sent at least once. Its id is the Idempotency-Key and its bytes never change, so an outage neither
loses nor repeats an alert. More than `STORM` alerts in ten minutes become one email.
Facts are public: addresses on chain, counts, amounts, ages. Never a key, an email or a name.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID, uuid4

import structlog
from sqlalchemy import Row, func, literal_column, or_, select, true, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.database.engine import in_transaction
from reminder_worker.database.tables import span
from reminder_worker.errors import MailUnavailable
from reminder_worker.outbox.mail_client import (
    EmailAccepted,
    EmailInDoubt,
    EmailOutcome,
    EmailRefused,
    MailClient,
    MessageStatus,
    NotAccepted,
    SuppressedAddress,
)
from reminder_worker.outbox.messages import BEWARE, AlertKind, build_alert_body, checksum_address, make_alert_variables
from reminder_worker.outbox.outcomes import choose_backoff
from reminder_worker.outbox.tables import alert, alert_state, sql
from reminder_worker.privacy.redaction import OnChain

log = structlog.get_logger(__name__)
# Ignores LOG_LEVEL: without email, only the log reports an upgrade, as a warning.
_log_of_alerts = structlog.wrap_logger(None, wrapper_class=structlog.make_filtering_bound_logger(logging.NOTSET))

AlertFacts = Mapping[str, str | int]
STORM: Final = 10  # separate emails in ten minutes; more alerts become a digest


@dataclass(slots=True)
class AlertReport:
    """Result of one delivery. `outage`: the mail service accepts no emails now."""

    logged: int = 0
    sent: int = 0
    merged: int = 0
    waiting: int = 0
    dead: int = 0
    outage: bool = False


class AlertOutbox:
    """`mail` is open. Without `mail` or `ops_email`, alerts go into the service log only."""

    def __init__(
        self,
        engine: AsyncEngine,
        mail: MailClient | None = None,
        ops_email: str | None = None,
        chain_names: Mapping[int, str] | None = None,
        installation: str = "",
    ) -> None:
        self._engine = engine
        self._mail = mail if ops_email else None
        self._ops_email = ops_email or ""
        self._chain_names = chain_names or {}
        self._installation = installation

    # -- telling --------------------------------------------------------------------------------

    async def raise_condition(
        self, connection: AsyncConnection | None, kind: AlertKind, subject: str, chain_id: int, facts: AlertFacts
    ) -> bool:
        """The condition holds. True when that is new. In the caller's transaction when given its connection."""
        key = {"chain_id": chain_id, "kind": kind.value, "subject": subject}
        statement = insert(alert_state).values(**key, raised=True, changes=1)
        statement = statement.on_conflict_do_update(
            index_elements=list(key),
            set_={"raised": True, "changes": alert_state.c.changes + 1, "since": func.clock_timestamp()},
            where=~alert_state.c.raised,
        )
        async with in_transaction(self._engine, connection) as conn:
            changes = await conn.scalar(statement.returning(alert_state.c.changes))
            return changes is not None and await self._insert_alert(
                conn, kind, subject, chain_id, "raised", changes, facts
            )

    async def clear_condition(
        self,
        connection: AsyncConnection | None,
        kind: AlertKind,
        subject: str,
        chain_id: int,
        facts: AlertFacts,
        *,
        unwatched: bool = False,
    ) -> bool:
        """The condition is over, or nobody knows: `unwatched`. True when it had been raised."""
        where = (alert_state.c.chain_id == chain_id) & (alert_state.c.kind == kind.value)
        statement = (
            update(alert_state)
            .where(where, alert_state.c.subject == subject, alert_state.c.raised)
            .values(raised=False, changes=alert_state.c.changes + 1, since=func.clock_timestamp())
        )
        async with in_transaction(self._engine, connection) as conn:
            changes = await conn.scalar(statement.returning(alert_state.c.changes))
            status = "unwatched" if unwatched else "cleared"
            return changes is not None and await self._insert_alert(
                conn, kind, subject, chain_id, status, changes, facts
            )

    async def record_event(
        self,
        connection: AsyncConnection | None,
        kind: AlertKind,
        subject: str,
        stage: str,
        chain_id: int,
        facts: AlertFacts,
    ) -> bool:
        """An event came to a stage. True the first time."""
        async with in_transaction(self._engine, connection) as conn:
            return await self._insert_alert(conn, kind, subject, chain_id, "event", stage, facts)

    async def _insert_alert(
        self,
        conn: AsyncConnection,
        kind: AlertKind,
        subject: str,
        chain_id: int,
        status: str,
        stage: str | int,
        facts: AlertFacts,
    ) -> bool:
        is_address = len(subject) == 42 and subject.startswith("0x")
        shown = checksum_address(subject) if is_address else subject
        if self._installation:
            facts = {**facts, "installation": self._installation}
        values = {
            "id": uuid4(),
            "chain_id": chain_id,
            "kind": kind.value,
            "subject": subject,
            "stage": stage if status == "event" else f"{status} {stage}",
            "variables": make_alert_variables(status, chain_id, self._chain_names.get(chain_id, ""), shown, facts),
        }
        statement = insert(alert).values(values).on_conflict_do_nothing().returning(alert.c.id)
        return await conn.scalar(statement) is not None

    # -- delivery -------------------------------------------------------------------------------

    async def poll(self) -> bool:
        """Return whether an alert is to be logged or sent now."""
        # A state in a parameter would keep the plan that is made for all parameters from the index.
        due = (alert.c.state == literal_column("'queued'")) & (alert.c.next_try <= func.now())
        async with self._engine.connect() as conn:
            return bool(await conn.scalar(select(select(true()).where(or_(due, alert.c.logged_at.is_(None))).exists())))

    async def run(self) -> AlertReport:
        """Log new alerts, then send due ones. Several may run at once."""
        report = AlertReport()
        report.logged = await self.write_log()
        if self._mail is None:
            async with self._engine.begin() as conn:
                await conn.execute(update(alert).where(alert.c.state == "queued").values(state="log_only"))
            return report
        await self._calm_a_storm(report)
        await self._send_due(self._mail, report)
        async with self._engine.connect() as conn:
            waiting = select(func.count()).where(alert.c.state == "queued")
            report.waiting = await conn.scalar(waiting) or 0
        return report

    async def write_log(self) -> int:
        """Log new alerts; return the number of lines. An alert is marked after its line: a crash in between repeats the
        line instead of losing it."""
        async with self._engine.connect() as conn:
            found = (
                await conn.execute(select(alert).where(alert.c.logged_at.is_(None)).order_by(alert.c.created_at))
            ).all()
        for row in found:
            _log_alert(row)
            await self._update_alert(row.id, logged_at=func.clock_timestamp())
        return len(found)

    async def _calm_a_storm(self, report: AlertReport) -> None:
        """Above the rate, merge all waiting alerts into one digest. Make the next digest after ten minutes."""
        ten_minutes = span(minutes=10)
        lately_made = alert.c.created_at >= func.clock_timestamp() - ten_minutes
        is_no_digest = alert.c.kind != AlertKind.ALERTS_DIGEST.value
        sent_lately = select(func.count()).where(is_no_digest, alert.c.state == "sent", lately_made)
        last_digest = select(func.max(alert.c.created_at)).where(~is_no_digest, lately_made)
        async with self._engine.begin() as conn:
            waiting = (
                await conn.execute(
                    select(alert)
                    .where(is_no_digest, alert.c.state == "queued")
                    .order_by(alert.c.created_at, alert.c.id)
                    .with_for_update()
                )
            ).all()
            if not waiting or len(waiting) + (await conn.scalar(sent_lately) or 0) <= STORM:
                return
            ids = [row.id for row in waiting]
            digested = await conn.scalar(last_digest)
            if digested is not None:
                until = digested + ten_minutes
                held = update(alert).where(alert.c.id.in_(ids), alert.c.next_try < until)
                await conn.execute(held.values(next_try=until))
                return
            await self._insert_alert(conn, AlertKind.ALERTS_DIGEST, "", 0, "event", uuid4().hex, _digest_facts(waiting))
            await conn.execute(update(alert).where(alert.c.id.in_(ids)).values(state="merged"))
            report.merged = len(ids)

    async def _send_due(self, mail: MailClient, report: AlertReport) -> None:
        async with self._engine.connect() as conn:
            found = (await conn.execute(sql["due_alerts"])).all()
        for row in found:
            body = build_alert_body(row.kind, self._ops_email, int(row.created_at.timestamp()), row.variables)
            outcome = await mail.send_email(row.id, body)
            if isinstance(outcome, EmailInDoubt):
                outcome = await self._ask_about(mail, row.id)
            if not await self._settle_alert(row, outcome, report):
                return

    async def _ask_about(self, mail: MailClient, alert_id: UUID) -> EmailOutcome:
        """Ask the mail service about an alert. If even the mail service cannot know, send the alert again with a new
        key: twice is better than never. That counts as a try, so backoff applies and other alerts go first."""
        try:
            status: MessageStatus = await mail.ask_status(alert_id)
        except MailUnavailable:
            return EmailInDoubt()
        if status.state == "accepted":
            return EmailAccepted(status.message_id)
        if status.state == "in_doubt":
            await self._update_alert(alert_id, id=uuid4(), tries=alert.c.tries + 1, next_try=func.clock_timestamp())
        return EmailInDoubt()

    async def _settle_alert(self, row: Row[Any], outcome: EmailOutcome, report: AlertReport) -> bool:
        """Record a result. Return False if the mail service fails: the other alerts wait, too."""
        if isinstance(outcome, EmailAccepted):
            await self._update_alert(row.id, state="sent", message_id=outcome.message_id, tries=row.tries + 1)
            report.sent += 1
            return True
        if isinstance(outcome, EmailRefused | SuppressedAddress):
            status = outcome.status if isinstance(outcome, EmailRefused) else "suppressed"
            log.error("alert_refused", alert_id=row.id, kind=row.kind, status=status)
            await self._update_alert(row.id, state="dead", tries=row.tries + 1)
            report.dead += 1
            return True
        pause = min(900.0, max(10.0, choose_backoff(row.tries)))
        if isinstance(outcome, NotAccepted) and outcome.retry_after is not None:
            pause = max(pause, outcome.retry_after)
        until = func.clock_timestamp() + span(seconds=pause)
        async with self._engine.begin() as conn:
            await conn.execute(update(alert).where(alert.c.id == row.id).values(tries=row.tries + 1))
            others = update(alert).where(alert.c.state == "queued", alert.c.next_try < until)
            await conn.execute(others.values(next_try=until))
        report.outage = True
        return False

    async def _update_alert(self, alert_id: UUID, **values: Any) -> None:
        async with self._engine.begin() as conn:
            await conn.execute(update(alert).where(alert.c.id == alert_id).values(**values))


def _log_alert(row: Row[Any]) -> None:
    shown = OnChain if row.kind.startswith("upgrade_") else str  # hashes and call data are what they are about
    facts = {fact["name"].replace(" ", "_"): shown(fact["value"]) for fact in row.variables["facts"]}
    status, subject = row.variables["status"], shown(row.subject)
    levels = {"raised": "error", "cleared": "info", "unwatched": "info", "event": "warning"}
    say = getattr(_log_of_alerts, levels[status])
    say("alert", alert_id=row.id, kind=row.kind, status=status, chain_id=row.chain_id, subject=subject, facts=facts)


def _digest_facts(rows: Sequence[Row[Any]]) -> dict[str, str | int]:
    """Return one line for each kind and status: the number of alerts and their subjects, as far as there is room."""
    subjects: dict[str, list[str]] = {}
    for row in rows:
        name = f"{row.kind} {row.variables['status']}".replace("_", " ")
        if any(fact["name"] == BEWARE for fact in row.variables["facts"]):
            name += " (graver than an upgrade)"
        where = f"{row.variables['about']} on {row.variables['chainName']}".strip()
        subjects.setdefault(name, []).append(where)
    return {name: f"{len(each)}: {', '.join(dict.fromkeys(each))}" for name, each in subjects.items()}
