"""Watches over the others: tells operators what is wrong and what is over, and pings only while nothing is wrong.

A condition is told once it has held for a while, and is over once all has been well for `CALM_SECONDS`, so that what
flaps is told once. `alert_state` keeps since when, so that a restart forgets nothing and several watchdogs tell a
change once. The ping is the last step: whatever fails before it, the database first of all, makes it silent. What
strangers can bring about is told and silences nothing: it would say that the service is dead, and hide that it is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

import aiohttp
import structlog
from sqlalchemy import func, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.database.engine import must_take_writes
from reminder_worker.database.tables import age
from reminder_worker.monitoring.facts import blocks_behind, gather
from reminder_worker.monitoring.operations import PassState
from reminder_worker.monitoring.rules import Expected, Key, LastGap, Wrong, judge
from reminder_worker.monitoring.tables import pass_state
from reminder_worker.outbox.alerts import Alerts, Facts
from reminder_worker.outbox.messages import AlertKind
from reminder_worker.outbox.tables import alert_state
from reminder_worker.settings import Settings

log = structlog.get_logger(__name__)

NAME: Final = "watchdog"
SETTINGS: Final = "settings"  # in the place of a pass, the subject of a condition about settings
CALM_SECONDS: Final = 300
LOOKED_WITHIN: Final = 300  # seconds; what it said longer ago says nothing of now
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
    AlertKind.RELAY_NOT_FINAL,
)
OF_WALLETS: Final = (
    AlertKind.RELAYER_LOW_BALANCE,
    AlertKind.RELAYER_STOPPED,
    AlertKind.RELAY_STUCK,
    AlertKind.RELAY_CAP_USED,
)
"""Conditions that the relay tells of by itself. They and `OURS` say whether this worker is well; all other alerts are
about what happens on chain."""
BY_STRANGERS: Final = frozenset(
    {
        AlertKind.EMAILS_NEED_HAND,  # by what they write, when an SMTP server dislikes it
        AlertKind.FAILURES_GROWING,  # likewise, and by claims that are good when simulated and revert when mined
        AlertKind.RELAYER_LOW_BALANCE,  # by having their transactions paid for, as far as the caps let them
        AlertKind.RELAY_STUCK,  # by using up the caps, which a dearer replacement needs, too
        AlertKind.RELAY_CAP_USED,
    }
)
_ONE_AT_A_TIME = text("select pg_advisory_xact_lock(hashtextextended('reminder-worker watchdog', 0))")

# Committed before the ping, so that no ping says all is well while the database can only be read.
_A_WRITE = (
    insert(pass_state)
    .values(name=NAME, chain_id=0)
    .on_conflict_do_update(index_elements=["name", "chain_id"], set_={"name": NAME})
)
# A pass by the clock has no looks that are recorded: this row says since when one that never ran should have run.
_FIRST_LOOKED_FOR = insert(pass_state).values(checked_at=func.clock_timestamp()).on_conflict_do_nothing()


@dataclass(frozen=True, slots=True)
class _Told:
    """A condition as stored. `age` and `turning` in seconds: since it was told, since it looks otherwise."""

    kind: str
    subject: str
    chain_id: int
    raised: bool
    age: int
    turning: int | None

    @property
    def key(self) -> Key:
        return (AlertKind(self.kind), self.subject, self.chain_id)


@dataclass(frozen=True, slots=True)
class Sighting:
    """What one look came to. `changed`: alerts raised or cleared; `heartbeat`: asked, off, silent (something
    of ours is wrong), or the class of what failed. `blocks_behind`: as that of `watchdog_facts`; `gaps`: by chain id.
    """

    healthy: bool
    wrong: int
    changed: int
    heartbeat: str
    blocks_behind: Mapping[str, Sequence[int]] = field(default_factory=dict)
    gaps: Mapping[int, LastGap] = field(default_factory=dict)


class Watchdog:
    """`wallets`: addresses of ours whose keys are in use."""

    def __init__(
        self,
        engine: AsyncEngine,
        alerts: Alerts,
        chains: Mapping[int, Chain],
        wallets: Sequence[str],
        settings: Settings,
    ) -> None:
        self._engine = engine
        self._alerts = alerts
        self._chains = chains
        self._wallets = wallets
        self._settings = settings

    async def look(self, expected: Sequence[Expected]) -> Sighting:
        """Judge, tell what changed, ping when nothing is wrong. Raises what the database raises, and is silent then."""
        detail = await self._remembered()
        before = detail.get("blocks_behind") or {}
        gaps = {int(id): LastGap(**gap) for id, gap in (detail.get("gaps") or {}).items()}
        is_local = self._settings.is_local
        known = await gather(self._engine, self._chains, expected, before, gaps, self._wallets, is_local=is_local)
        wrong = {**judge(known), **self._off_by_mistake()}
        async with self._engine.begin() as conn:
            await conn.execute(_ONE_AT_A_TIME)
            await conn.execute(_A_WRITE)
            by_the_clock = [{"name": each.name, "chain_id": each.chain_id} for each in expected if each.by_the_clock]
            if by_the_clock:
                await conn.execute(_FIRST_LOOKED_FOR, by_the_clock)
            changed = await self._tell(conn, wrong, expected) + await self._forget_gone(conn)
            raised = (await conn.scalars(select(_T.kind).where(_OF_THE_WORKER, _T.raised))).all()
        unwell = {kind for kind, _, _ in wrong} | {AlertKind(kind) for kind in raised}
        heartbeat = "silent" if self._settings.ops.heartbeat_url else "off"
        gaps = {sight.chain_id: sight.gap for sight in known.chains if sight.gap is not None}
        found = Sighting(not unwell, len(wrong), changed, heartbeat, blocks_behind(known.chains), gaps)
        if changed:
            log.warning("health_changed", healthy=found.healthy, wrong=len(wrong), changed=changed)
            await self._alerts.write_log()  # emails are sent by a run, and that none starts may be what is wrong
        # The emails of a stranger's address may be put off for ever: late emails are an outage only while nothing else
        # goes out.
        bearable = BY_STRANGERS | {AlertKind.EMAILS_LATE} if known.trouble.others_go_out else BY_STRANGERS
        if unwell <= bearable and not known.trouble.refused_alerts:
            await must_take_writes(self._engine)  # what was just written may have found the last room on a full disk
            found = replace(found, heartbeat=await self._ping())
        await self._remember(found)
        return found

    # -- telling ----------------------------------------------------------------------------------

    async def _tell(self, conn: AsyncConnection, wrong: Mapping[Key, Wrong], expected: Sequence[Expected]) -> int:
        """Tell what changed; returns how many conditions turned. What is no longer judged, such as a pass that was
        switched off, counts as not wrong."""
        judged = {(each.name, each.chain_id) for each in expected} | {(SETTINGS, 0)}
        rows = [_Told(*row) for row in (await conn.execute(_TOLD)).all()]
        told = {row.key: row for row in rows}
        changed = 0
        for key in {**wrong, **told}:
            found, row = wrong.get(key), told.get(key)
            if (found is not None) == (row is not None and row.raised):
                if row is not None and row.turning is not None:
                    await _turning(conn, key, None)
                continue
            if found is not None and found.because in wrong:
                continue
            since = row.turning if row is not None and row.turning is not None else 0
            if since < (found.hold_seconds if found else CALM_SECONDS):
                if row is None or row.turning is None or row.turning < 0:  # a clock that was put back since
                    await _turning(conn, key, func.clock_timestamp())
                continue
            await _turning(conn, key, None)
            kind, subject, chain_id = key
            stalled = kind is AlertKind.WORKER_STALLED
            watched = (subject, chain_id) in judged if stalled else not chain_id or chain_id in self._chains
            changed += await self._turn(conn, key, found, row, unwatched=not watched)
        return changed

    async def _turn(
        self, conn: AsyncConnection, key: Key, found: Wrong | None, row: _Told | None, *, unwatched: bool
    ) -> bool:
        kind, subject, chain_id = key
        if found is not None:
            return await self._alerts.raise_(conn, kind, subject, chain_id, found.facts)
        lasted: Facts = {"it_lasted_seconds": row.age} if row is not None else {}
        return await self._alerts.clear(conn, kind, subject, chain_id, lasted, unwatched=unwatched)

    async def _forget_gone(self, conn: AsyncConnection) -> int:
        """End conditions of a wallet, timelock or chain that is no longer ours: nobody else ever would."""
        unread = self._unread_keys()  # whose wallets are ours all the same, but not known by their addresses
        cleared = 0
        for row in (await conn.execute(_TOLD_BY_OTHERS)).all():
            chain = self._chains.get(row.chain_id)
            if row.kind == AlertKind.UPGRADE_DELAY_SHORT:
                ours = chain is not None and row.subject == chain.settings.upgrade_timelock
            else:
                ours = unread or (chain is not None and row.subject in self._wallets)
            if not ours:
                key = (AlertKind(row.kind), row.subject, row.chain_id)
                cleared += await self._alerts.clear(conn, *key, {}, unwatched=True)
        return cleared

    def _off_by_mistake(self) -> dict[Key, Wrong]:
        """What somebody set, and is off all the same. Nothing else would show it: no pass of it is late, and everything
        that is on may be well."""
        facts: dict[str, str | int] = {}
        if self._settings.problems:
            names = (problem.partition(": ")[0] for problem in self._settings.problems)
            facts["set by half"] = ", ".join(name for name in names if " " not in name)
        if unread := self._unread_keys():
            facts["wallets whose key cannot be used"] = unread
        key = (AlertKind.WORKER_STALLED, SETTINGS, 0)
        return {key: Wrong(*key, facts)} if facts else {}

    def _unread_keys(self) -> int:
        groups = (self._settings.relay, self._settings.auto_renew)
        return max(0, sum(group is not None for group in groups) - len(self._wallets))

    # -- the heartbeat ----------------------------------------------------------------------------

    async def _ping(self) -> str:
        """Its address is a secret: no error of the HTTP library gets out of here, because those carry it."""
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

    # -- memory -----------------------------------------------------------------------------------

    async def _remembered(self) -> Mapping[str, Any]:
        question = select(pass_state.c.detail).where(pass_state.c.name == NAME, pass_state.c.chain_id == 0)
        async with self._engine.connect() as conn:
            detail: dict[str, Any] = await conn.scalar(question) or {}
        return detail

    async def _remember(self, found: Sighting) -> None:
        detail = {
            "healthy": found.healthy,
            "wrong": found.wrong,
            "heartbeat": found.heartbeat,
            "blocks_behind": found.blocks_behind,
            "gaps": {str(id): asdict(gap) for id, gap in found.gaps.items()},
        }
        statement = insert(pass_state).values(name=NAME, chain_id=0, detail=detail)
        async with self._engine.begin() as conn:
            await conn.execute(
                statement.on_conflict_do_update(index_elements=["name", "chain_id"], set_={"detail": detail})
            )


def looks(state: PassState | None) -> bool:
    """Whether it looked lately: what is said of now is by that look. One that failed says what was before."""
    age = state.checked_age if state is not None and not state.error else None
    return age is not None and 0 <= age <= LOOKED_WITHIN


_T = alert_state.c
_TOLD = select(
    _T.kind, _T.subject, _T.chain_id, _T.raised, age(_T.since).label("age"), age(_T.turning_since).label("turning")
).where(_T.kind.in_(OURS))
_TOLD_BY_OTHERS = select(_T.kind, _T.subject, _T.chain_id).where(
    _T.kind.in_((*OF_WALLETS, AlertKind.UPGRADE_DELAY_SHORT)), _T.raised
)
_OF_THE_WORKER = _T.kind.in_(OURS + OF_WALLETS)


async def _turning(conn: AsyncConnection, key: Key, since: Any) -> None:
    kind, subject, chain_id = key
    values = {"kind": kind.value, "subject": subject, "chain_id": chain_id}
    if since is not None:
        new = insert(alert_state).values(**values, raised=False, changes=0, turning_since=since)
        await conn.execute(new.on_conflict_do_update(index_elements=list(values), set_={"turning_since": since}))
        return
    where = (_T.kind == kind.value) & (_T.subject == subject) & (_T.chain_id == chain_id)
    await conn.execute(update(alert_state).where(where).values(turning_since=None))
