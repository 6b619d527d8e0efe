"""Watchdog over the passes: reports to operators what begins to be wrong and what is over.

A condition is reported after it has been wrong for a while, and ends after five minutes without trouble: a flapping
condition is reported once. `alert_state` keeps the times, so a restart forgets nothing, and several watchdogs
report a change once. The heartbeat is the last step: any failure before it, first of all of the database, silences it.
Conditions that strangers can cause are reported and silence nothing: a dead service would look the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

import aiohttp
import structlog
from sqlalchemy import func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from reminder_worker.chain.client import Chain
from reminder_worker.database.engine import must_take_writes
from reminder_worker.declarations import FactScope
from reminder_worker.indexer.feature import POSITIONS
from reminder_worker.monitoring.endpoints import KnownGap, KnownSights, blocks_behind, look_at_chains
from reminder_worker.monitoring.facts import LIMITS, WatchedFacts
from reminder_worker.monitoring.feature import EMAIL_TROUBLE, PASS_STATES, UNFINISHED_REQUESTS, WATCHDOG
from reminder_worker.monitoring.rules import ConditionKey, WrongCondition, judge_facts
from reminder_worker.monitoring.tables import pass_state, sql
from reminder_worker.outbox.alerts import AlertFacts, AlertOutbox
from reminder_worker.outbox.feature import REPORTS
from reminder_worker.outbox.messages import AlertKind
from reminder_worker.outbox.tables import alert_state
from reminder_worker.settings import Settings

log = structlog.get_logger(__name__)

SETTINGS: Final = "settings"  # in the place of a pass, the subject of a condition about settings
PING_SECONDS: Final = 10.0
NOT_TOLD_YET: Final = "something looks wrong, but not for long enough to be told"
OURS: Final = (
    AlertKind.WORKER_STALLED,
    AlertKind.INDEX_LAGGING,
    AlertKind.INDEX_GAP,
    AlertKind.RPC_TROUBLE,
    AlertKind.EMAILS_NEED_HAND,
    AlertKind.EMAILS_LATE,
    AlertKind.FAILURES_GROWING,
    AlertKind.REPORTS_NOT_READ,
    AlertKind.RELAY_NOT_FINAL,
)
OF_WALLETS: Final = (
    AlertKind.RELAYER_LOW_BALANCE,
    AlertKind.RELAYER_STOPPED,
    AlertKind.RELAY_STUCK,
    AlertKind.RELAY_CAP_USED,
)
"""Conditions that the relay reports itself. With `OURS` they show the worker's health;
all other alerts are about chains."""
BY_STRANGERS: Final = frozenset(
    {
        AlertKind.EMAILS_NEED_HAND,  # by texts that an SMTP server dislikes
        AlertKind.FAILURES_GROWING,  # likewise, and by claims that are good when simulated and revert when mined
        AlertKind.REPORTS_NOT_READ,  # by a report that cannot be read, or by filling the mailbox
        AlertKind.RELAYER_LOW_BALANCE,  # by having their transactions paid for, as far as the caps let them
        AlertKind.RELAY_STUCK,  # by using up the caps, which a fee bump needs, too
        AlertKind.RELAY_CAP_USED,
    }
)


@dataclass(frozen=True, slots=True)
class StoredCondition:
    """Condition as stored. `age` and `turning` in seconds: since its last report, since it looks otherwise."""

    kind: str
    subject: str
    chain_id: int
    raised: bool
    age: int
    turning: int | None

    @property
    def key(self) -> ConditionKey:
        return (AlertKind(self.kind), self.subject, self.chain_id)


@dataclass(frozen=True, slots=True)
class WatchdogReport:
    """Result of a look. `changed`: alerts raised or cleared; `heartbeat`: asked, off, silent or the class of a failure.

    `blocks_behind`: as of `endpoints.blocks_behind`; `gaps`: by chain id.
    """

    healthy: bool
    wrong: int
    changed: int
    heartbeat: str
    blocks_behind: Mapping[str, Sequence[int]] = field(default_factory=dict)
    gaps: Mapping[int, KnownGap] = field(default_factory=dict)


class HealthWatchdog:
    """Looks at the passes, endpoints, emails and wallets of `scope`."""

    def __init__(
        self,
        scope: FactScope,
        alerts: AlertOutbox,
        chains: Mapping[int, Chain],
        settings: Settings,
    ) -> None:
        others = [expected for expected in scope.expected if expected.name != WATCHDOG.name]
        self._scope = replace(scope, expected=others)
        self._engine = scope.engine
        self._alerts = alerts
        self._chains = chains
        self._settings = settings
        self.sights: KnownSights = {}  # last look at a chain, and its monotonic seconds

    async def poll(self) -> bool:
        """Judge and report as `run` does; return whether an alert changed, or nothing was ever reported before."""
        is_first = not await self._read_memory()
        return (await self.run()).changed > 0 or is_first

    async def run(self) -> WatchdogReport:
        """Judge, report changes, ping while nothing is wrong. Raises what the database raises, and is silent then."""
        detail = await self._read_memory()
        before = detail.get("blocks_behind", {})
        gaps = {int(chain_id): KnownGap(**gap) for chain_id, gap in detail.get("gaps", {}).items()}
        scope = self._scope
        facts = WatchedFacts(
            scope.expected,
            await PASS_STATES.read(scope),
            await EMAIL_TROUBLE.read(scope),
            await UNFINISHED_REQUESTS.read(scope),
            await REPORTS.read(scope),
        )
        positions = await POSITIONS.read(scope)
        sights = await look_at_chains(
            self._engine, self._chains, positions, before, gaps, self.sights, is_local=scope.is_local
        )
        wrong = {**judge_facts(facts, sights), **self._off_by_mistake()}
        async with self._engine.begin() as conn:
            await conn.execute(sql["lock_watchdog"])
            await conn.execute(sql["probe_write"])
            by_the_clock = [
                {"name": step.name, "chain_id": step.chain_id} for step in scope.expected if step.by_the_clock
            ]
            if by_the_clock:
                await conn.execute(sql["expect_pass"], by_the_clock)
            changed = await self._report_changes(conn, wrong) + await self._forget_gone(conn)
            raised = (await conn.scalars(sql["raised_conditions"], {"kinds": [*map(str, OURS + OF_WALLETS)]})).all()
        unwell = {kind for kind, _, _ in wrong} | {AlertKind(kind) for kind in raised}
        heartbeat = "silent" if self._settings.ops.heartbeat_url else "off"
        gaps = {sight.chain_id: sight.gap for sight in sights if sight.gap is not None}
        report = WatchdogReport(not unwell, len(wrong), changed, heartbeat, blocks_behind(sights), gaps)
        if changed:
            log.warning("health_changed", healthy=report.healthy, wrong=len(wrong), changed=changed)
            await self._alerts.write_log()  # emails are sent by a run, and runs may be what does not start
        # Emails to a stranger's address may be deferred for ever: late emails are an outage while no email goes out.
        bearable = BY_STRANGERS | {AlertKind.EMAILS_LATE} if facts.trouble.others_go_out else BY_STRANGERS
        if unwell <= bearable and not facts.trouble.refused_alerts:
            await must_take_writes(self._engine)  # the write above may have used the last room on a full disk
            report = replace(report, heartbeat=await self._ask_heartbeat())
        await self._store_memory(report)
        return report

    async def _report_changes(self, conn: AsyncConnection, wrong: Mapping[ConditionKey, WrongCondition]) -> int:
        """Raise and clear alerts; return how many. A condition that is not judged any more counts as right."""
        found = await conn.execute(sql["stored_conditions"], {"kinds": [*map(str, OURS)]})
        stored = {row.key: row for row in (StoredCondition(*row) for row in found)}
        changed = 0
        for key in {**wrong, **stored}:
            condition, row = wrong.get(key), stored.get(key)
            turning = row.turning if row is not None else None
            if (condition is not None) == (row is not None and row.raised):
                if turning is not None:
                    await _set_turning(conn, key, None)
            elif condition is not None and condition.because in wrong:
                continue
            elif (turning or 0) < (condition.hold_seconds if condition else LIMITS.calm_seconds):
                if turning is None:
                    await _set_turning(conn, key, func.clock_timestamp())
            else:
                await _set_turning(conn, key, None)
                changed += await self._change_alert(conn, key, condition, row)
        return changed

    async def _change_alert(
        self,
        conn: AsyncConnection,
        key: ConditionKey,
        condition: WrongCondition | None,
        row: StoredCondition | None,
    ) -> bool:
        """Raise the alert of a condition that is wrong now, or clear it."""
        if condition is not None:
            return await self._alerts.raise_condition(conn, *key, condition.facts)
        kind, subject, chain_id = key
        judged = {(expected.name, expected.chain_id) for expected in self._scope.expected} | {(SETTINGS, 0)}
        stalled = kind is AlertKind.WORKER_STALLED
        watched = (subject, chain_id) in judged if stalled else not chain_id or chain_id in self._chains
        lasted: AlertFacts = {"it_lasted_seconds": row.age} if row is not None else {}
        return await self._alerts.clear_condition(conn, *key, lasted, unwatched=not watched)

    async def _forget_gone(self, conn: AsyncConnection) -> int:
        """End conditions of a wallet, timelock or chain that is not ours any more: nothing else ends them."""
        unread = self._unread_keys()  # their wallets are ours, but their addresses are not known
        cleared = 0
        kinds = [*map(str, OF_WALLETS), AlertKind.UPGRADE_DELAY_SHORT.value]
        for row in (await conn.execute(sql["raised_conditions"], {"kinds": kinds})).all():
            chain = self._chains.get(row.chain_id)
            if row.kind == AlertKind.UPGRADE_DELAY_SHORT:
                ours = chain is not None and row.subject == chain.settings.upgrade_timelock
            else:
                ours = unread or (chain is not None and row.subject in self._scope.wallets)
            if not ours:
                key = (AlertKind(row.kind), row.subject, row.chain_id)
                cleared += await self._alerts.clear_condition(conn, *key, {}, unwatched=True)
        return cleared

    def _off_by_mistake(self) -> dict[ConditionKey, WrongCondition]:
        """Report parts that were set and are off all the same: no pass of such a part is late."""
        facts: dict[str, str | int] = {}
        if self._settings.problems:
            names = (problem.partition(": ")[0] for problem in self._settings.problems)
            facts["set by half"] = ", ".join(name for name in names if " " not in name)
        unread = self._unread_keys()
        if unread:
            facts["wallets whose key cannot be used"] = unread
        key = (AlertKind.WORKER_STALLED, SETTINGS, 0)
        return {key: WrongCondition(*key, facts)} if facts else {}

    def _unread_keys(self) -> int:
        groups = (self._settings.relay, self._settings.auto_renew)
        return max(0, sum(group is not None for group in groups) - len(self._scope.wallets))

    async def _ask_heartbeat(self) -> str:
        """Ask HEARTBEAT_URL. The URL is a secret: errors of the HTTP library carry it and do not leave this method."""
        url = self._settings.ops.heartbeat_url
        if url is None:
            return "off"
        try:
            timeout = aiohttp.ClientTimeout(total=PING_SECONDS)
            async with (
                aiohttp.ClientSession(timeout=timeout) as session,
                session.get(url.get_secret_value(), allow_redirects=False) as response,
            ):
                failure = "" if response.status < 300 else f"HTTP {response.status}"
        except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as error:
            failure = type(error).__name__
        if failure:
            log.warning("heartbeat_failed", error=failure)
        return failure or "asked"

    async def _read_memory(self) -> Mapping[str, Any]:
        question = select(pass_state.c.detail).where(pass_state.c.name == WATCHDOG.name, pass_state.c.chain_id == 0)
        async with self._engine.connect() as conn:
            detail: dict[str, Any] = await conn.scalar(question) or {}
        return detail

    async def _store_memory(self, report: WatchdogReport) -> None:
        detail = {
            "healthy": report.healthy,
            "wrong": report.wrong,
            "heartbeat": report.heartbeat,
            "blocks_behind": report.blocks_behind,
            "gaps": {str(chain_id): asdict(gap) for chain_id, gap in report.gaps.items()},
        }
        statement = insert(pass_state).values(name=WATCHDOG.name, chain_id=0, detail=detail)
        async with self._engine.begin() as conn:
            await conn.execute(
                statement.on_conflict_do_update(index_elements=["name", "chain_id"], set_={"detail": detail})
            )


async def _set_turning(conn: AsyncConnection, key: ConditionKey, since: Any) -> None:
    kind, subject, chain_id = key
    values = {"kind": kind.value, "subject": subject, "chain_id": chain_id}
    if since is not None:
        new = insert(alert_state).values(**values, raised=False, changes=0, turning_since=since)
        await conn.execute(new.on_conflict_do_update(index_elements=list(values), set_={"turning_since": since}))
        return
    t = alert_state.c
    where = (t.kind == kind.value) & (t.subject == subject) & (t.chain_id == chain_id)
    await conn.execute(update(alert_state).where(where).values(turning_since=None))
