"""Facts that operators ask for, read in one place.

The watchdog, `doctor`, `/metrics`, the Dagster assets and checks and the words of idle sensors render these facts and
have no SQL of their own. Facts are about the chains, the wallets and the passes of this installation. Each room reads
its own tables in its `operator_facts.py`. Nothing is judged here: see `rules.py`.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol, TypeVar

from sqlalchemy import DateTime, cast, func, select, true
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.auto_renew.operator_facts import (
    DecisionCount,
    OwnerDecision,
    count_decisions,
    read_owner_decisions,
)
from reminder_worker.database.queries import read_rows
from reminder_worker.database.tables import age, span
from reminder_worker.gifts.emails import GIFTS_FOR_OPERATORS, GiftEmailCount, count_gift_emails, count_notifications
from reminder_worker.indexer.store import ReaderPosition, read_positions
from reminder_worker.monitoring.node_requests import RequestTally, read_requests
from reminder_worker.monitoring.tables import pass_state, sql
from reminder_worker.outbox.bounces import count_bounces
from reminder_worker.outbox.delivery_reports import ReportReading, read_report_reading
from reminder_worker.outbox.operator import (
    RaisedCondition,
    RecentAlert,
    SettledEmails,
    UndecidedEmails,
    WaitingEmails,
    count_settled,
    count_undecided,
    count_undelivered_alerts,
    count_waiting,
    read_conditions,
    read_recent_alerts,
)
from reminder_worker.relay.operator import (
    RequestCount,
    UnfinishedRequests,
    WalletSpend,
    WalletState,
    count_ended_requests,
    count_open_requests,
    find_unfinished,
    read_spend,
    read_wallet_states,
)
from reminder_worker.reminders.emails import REMINDERS_FOR_OPERATORS
from reminder_worker.reminders.erasure import RecentErasures, read_erasures
from reminder_worker.reminders.operator_facts import (
    EmailDelay,
    SignalCount,
    WindowCount,
    count_new_signals,
    count_paused_legacies,
    count_recipients,
    count_windows,
    measure_delays,
    read_next_ask,
)
from reminder_worker.settings import ChainSettings
from reminder_worker.statistics.prices import FeedState, read_feed_states
from reminder_worker.statistics.snapshots import StatisticsSnapshot, find_newest_snapshot
from reminder_worker.upgrades.store import UpgradeCount, count_upgrades

C = TypeVar("C", bound="ChainCount")
WATCHDOG: Final = "watchdog"  # name of its pass


@dataclass(frozen=True, slots=True)
class WatchLimits:
    """Limits of what counts as wrong."""

    alive_seconds: int = 300  # without a success, beside how often a pass is looked at: a run ends within 180
    blip_seconds: int = 180  # an endpoint's trouble that is over sooner is not reported
    calm_seconds: int = 300  # how long all is well before a condition ends
    looked_within_seconds: int = 300  # an older report of the watchdog says nothing of now
    late_seconds: int = 1800  # an email that was due and is not out
    not_final_seconds: int = 7200  # mined, and still not final; a chain that is well takes a quarter of an hour
    settled_within: int = 3600  # seconds, of a safe or finalized block; a healthy chain takes a quarter of an hour
    clocks_within: int = 300  # seconds that clocks may be apart; signed messages have ten minutes to spare
    max_lag_blocks: int = 100
    failures_per_hour: int = 10
    mailbox_read_within: int = 3600  # seconds, of the mailbox of delivery reports; it is read every three minutes
    unmatched_at_first: int = 20  # so many delivery reports, none about an email of ours: nothing is ever matched
    set_aside_shown: int = 86400  # seconds for which a report that was set aside counts as wrong


LIMITS: Final = WatchLimits()
DAYS_SHOWN: Final = 14  # of settled emails and of requests to nodes
LEDGERS: Final = (REMINDERS_FOR_OPERATORS, GIFTS_FOR_OPERATORS)


@dataclass(frozen=True, slots=True)
class ExpectedPass:
    """Pass that is on, and how often it is looked at.

    A pass `by_the_clock` has its first hour from when a watchdog first looked for it; a failed one is tried again in
    the next hour.
    """

    name: str
    chain_id: int
    every_seconds: int
    by_the_clock: bool = False


@dataclass(frozen=True, slots=True)
class PassState:
    """Ages in whole seconds, None where it never happened; `error` is the class of the last failure, if not over.

    `endpoints`: the fields of each `EndpointHealth` in the process of the last look.
    """

    name: str
    chain_id: int
    checked_age: int | None
    succeeded_age: int | None
    failed_age: int | None
    error: str | None
    detail: dict[str, Any] | None
    endpoints: list[dict[str, Any]] | None


@dataclass(frozen=True, slots=True)
class EmailTrouble:
    """Emails and relays in trouble. `late`: due for `LIMITS.late_seconds` and not out; `held`, `dead`: of the last day.

    `others_go_out`: all late emails were tried, and emails that came later were accepted. `refused_alerts`: refused by
    the mail service. `failed`: failures of the last hour by room.
    """

    late: int = 0
    oldest_late: int = 0
    others_go_out: bool = False
    held: int = 0
    dead: int = 0
    refused_alerts: int = 0
    failed: Mapping[str, int] | None = None


@dataclass(frozen=True, slots=True)
class FactScope:
    """Subject of the facts: the chains and wallets in use, and the passes that are on."""

    engine: AsyncEngine
    chains: Mapping[int, ChainSettings]
    wallets: Collection[str] = ()
    expected: Sequence[ExpectedPass] = ()
    is_local: bool = False


class ChainCount(Protocol):
    """Fact about one chain."""

    @property
    def chain_id(self) -> int: ...


class UnreadPart:
    """Stand-in for a part that was not asked for: its use is a mistake, not an empty answer."""

    def __getattr__(self, name: str) -> Any:
        raise LookupError(f"this part of the facts was not read: {name}")

    def __iter__(self) -> Any:
        raise LookupError("this part of the facts was not read")


UNREAD: Final[Any] = UnreadPart()


@dataclass(frozen=True, slots=True)
class OperatorFacts:
    """Facts by part, as of one moment. `read_facts` fills the parts that were asked for."""

    expected: Sequence[ExpectedPass] = UNREAD
    passes: Sequence[PassState] = UNREAD
    positions: Sequence[ReaderPosition] = UNREAD
    signals: Sequence[SignalCount] = UNREAD
    windows: Sequence[WindowCount] = UNREAD
    next_ask: int | None = UNREAD
    paused_legacies: int = UNREAD
    recipients: int = UNREAD
    waiting: WaitingEmails = UNREAD
    undecided: Sequence[UndecidedEmails] = UNREAD
    settled_last_day: Sequence[SettledEmails] = UNREAD
    settled_by_day: Sequence[SettledEmails] = UNREAD
    delays: Sequence[EmailDelay] = UNREAD
    gift_emails: Sequence[GiftEmailCount] = UNREAD
    gift_notifications: int = UNREAD
    bounces: Mapping[str, int] = UNREAD
    reports: ReportReading | None = UNREAD
    trouble: EmailTrouble = UNREAD
    open_requests: Sequence[RequestCount] = UNREAD
    ended_requests: Sequence[RequestCount] = UNREAD
    wallets: Sequence[WalletState] = UNREAD
    spend: Sequence[WalletSpend] = UNREAD
    unfinished: Sequence[UnfinishedRequests] = UNREAD
    unfollowed: Sequence[UnfinishedRequests] = UNREAD
    decisions: Sequence[DecisionCount] = UNREAD
    owners: Sequence[OwnerDecision] = UNREAD
    conditions: Sequence[RaisedCondition] = UNREAD
    undelivered_alerts: Mapping[str, int] = UNREAD
    recent_alerts: Sequence[RecentAlert] = UNREAD
    upgrades: Sequence[UpgradeCount] = UNREAD
    feeds: Sequence[tuple[int, FeedState]] = UNREAD
    snapshots: Mapping[int, StatisticsSnapshot] = UNREAD
    node_requests: Sequence[RequestTally] = UNREAD
    erasures: Sequence[RecentErasures] = UNREAD

    @property
    def watchdog(self) -> PassState | None:
        """The watchdog's pass; None before it has reported anything."""
        return next((state for state in self.passes if state.name == WATCHDOG and state.detail), None)

    @property
    def watchdog_looks(self) -> bool:
        """True if its last look is recent and did not fail: a failed look leaves the report of an earlier look."""
        state = self.watchdog
        age = state.checked_age if state is not None and not state.error else None
        return age is not None and age <= LIMITS.looked_within_seconds

    def states_of(self, name: str) -> list[PassState]:
        """Return the states of one pass, by chain."""
        return [state for state in self.passes if state.name == name]


FactPart = Literal[
    "passes",
    "positions",
    "signals",
    "windows",
    "next_ask",
    "paused_legacies",
    "recipients",
    "waiting",
    "undecided",
    "settled_last_day",
    "settled_by_day",
    "delays",
    "gift_emails",
    "gift_notifications",
    "bounces",
    "reports",
    "trouble",
    "open_requests",
    "ended_requests",
    "wallets",
    "spend",
    "unfinished",
    "unfollowed",
    "decisions",
    "owners",
    "conditions",
    "undelivered_alerts",
    "recent_alerts",
    "upgrades",
    "feeds",
    "snapshots",
    "node_requests",
    "erasures",
]


async def read_facts(scope: FactScope, *parts: FactPart) -> OperatorFacts:
    """Read the named parts, one after the other. Raises what the database raises."""
    found = {part: await READERS[part](scope) for part in parts}
    return OperatorFacts(expected=scope.expected, **found)


async def read_pass_states(engine: AsyncEngine) -> list[PassState]:
    """Return every pass that ever looked, by name and chain."""
    t = pass_state.c
    ages = (age(t.checked_at), age(t.succeeded_at), age(t.failed_at))
    question = select(t.name, t.chain_id, *ages, t.error, t.detail, t.endpoints).order_by(t.name, t.chain_id)
    return await read_rows(engine, PassState, question)


async def was_reported_lately(engine: AsyncEngine, name: str, chain_id: int) -> bool:
    """Return whether the last report of a pass has `looked_at`, a moment within the last hour."""
    looked = cast(pass_state.c.detail["looked_at"].astext, DateTime(timezone=True))
    lately = looked >= func.clock_timestamp() - span(hours=1)
    question = select(true()).where(pass_state.c.name == name, pass_state.c.chain_id == chain_id, lately)
    async with engine.connect() as connection:
        return bool(await connection.scalar(select(question.exists())))


def _keep_served(scope: FactScope, counts: Sequence[C]) -> list[C]:
    return [count for count in counts if count.chain_id in scope.chains]


async def _read_passes(scope: FactScope) -> list[PassState]:
    """Return the passes that are on: the row of a pass that was switched off says nothing of now."""
    on = {(expected.name, expected.chain_id) for expected in scope.expected}
    return [state for state in await read_pass_states(scope.engine) if (state.name, state.chain_id) in on]


async def _read_waiting(scope: FactScope) -> WaitingEmails:
    """Return the sums of the served chains: on any other no email is sent, and it would grow old for ever."""
    counts = _keep_served(scope, await count_waiting(scope.engine))
    return WaitingEmails(
        chain_id=0,
        due=sum(count.due for count in counts),
        later=sum(count.later for count in counts),
        next_try=min((count.next_try for count in counts if count.next_try is not None), default=None),
        in_flight=sum(count.in_flight for count in counts),
        oldest=max((count.oldest for count in counts if count.oldest is not None), default=None),
    )


async def _read_undecided(scope: FactScope) -> list[UndecidedEmails]:
    """Return those of both ledgers; on a chain that is not served an email in doubt stays in doubt for ever."""
    counts = [count for ledger in LEDGERS for count in await count_undecided(scope.engine, ledger.table)]
    return [count for count in counts if count.state != "unknown" or count.chain_id in scope.chains]


async def _read_settled_by_day(scope: FactScope) -> list[SettledEmails]:
    return [count for ledger in LEDGERS for count in await count_settled(scope.engine, DAYS_SHOWN, ledger.table)]


async def _read_reports(scope: FactScope) -> ReportReading | None:
    """Return what the pass `bounces` keeps; None while the pass is off: its row says nothing of now."""
    is_on = any(expected.name == "bounces" for expected in scope.expected)
    return await read_report_reading(scope.engine) if is_on else None


async def _read_trouble(scope: FactScope) -> EmailTrouble:
    on = {expected.name for expected in scope.expected}
    values = {
        "late": LIMITS.late_seconds,
        "rooms": [room for room, name in (("reminders", "dispatch"), ("gifts", "gifts")) if name in on],
        "chains": list(scope.chains),
        "unsafe": [chain_id for chain_id, chain in scope.chains.items() if chain.signal_block == "latest"],
    }
    async with scope.engine.connect() as connection:
        row = (await connection.execute(sql["trouble"], values)).one()
    failed = {room: getattr(row, room) for room in ("reminders", "gifts", "relay")}
    return EmailTrouble(row.late, row.oldest_late, row.others_go_out, row.held, row.dead, row.refused_alerts, failed)


async def _read_wallets(scope: FactScope) -> list[WalletState]:
    """Return the wallets in use: slots of an earlier key, or on a chain that is not served, never end."""
    states = _keep_served(scope, await read_wallet_states(scope.engine))
    return [state for state in states if state.address in scope.wallets]


async def _read_unfinished(scope: FactScope) -> list[UnfinishedRequests]:
    """Return requests that should be final by now. On an idle local chain nothing becomes final."""
    return await find_unfinished(
        scope.engine, scope.wallets, scope.chains, of_ours=not scope.is_local, seconds=LIMITS.not_final_seconds
    )


async def _read_upgrades(scope: FactScope) -> list[UpgradeCount]:
    """Return operations of watched timelocks: on any other an operation would wait for ever."""
    watched = {chain_id for chain_id, chain in scope.chains.items() if chain.upgrade_timelock}
    return [count for count in await count_upgrades(scope.engine) if count.chain_id in watched]


async def _read_feeds(scope: FactScope) -> list[tuple[int, FeedState]]:
    """Return every configured feed with its chain."""
    return [
        (chain_id, state)
        for chain_id, chain in scope.chains.items()
        for state in await read_feed_states(scope.engine, chain)
    ]


async def _read_snapshots(scope: FactScope) -> dict[int, StatisticsSnapshot]:
    """Return the newest snapshots by chain."""
    snapshots = {chain_id: await find_newest_snapshot(scope.engine, chain_id) for chain_id in scope.chains}
    return {chain_id: snapshot for chain_id, snapshot in snapshots.items() if snapshot is not None}


def _of_served(count: Callable[[AsyncEngine], Awaitable[Sequence[Any]]]) -> Callable[[FactScope], Awaitable[Any]]:
    async def read(scope: FactScope) -> Any:
        return _keep_served(scope, await count(scope.engine))

    return read


READERS: Final[Mapping[FactPart, Callable[[FactScope], Awaitable[Any]]]] = {
    "passes": _read_passes,
    "positions": _of_served(read_positions),
    "signals": _of_served(count_new_signals),
    "windows": lambda scope: count_windows(scope.engine),
    "next_ask": lambda scope: read_next_ask(scope.engine, scope.chains),
    "paused_legacies": lambda scope: count_paused_legacies(scope.engine),
    "recipients": lambda scope: count_recipients(scope.engine),
    "waiting": _read_waiting,
    "undecided": _read_undecided,
    "settled_last_day": lambda scope: count_settled(scope.engine, 1),
    "settled_by_day": _read_settled_by_day,
    "delays": _of_served(measure_delays),
    "gift_emails": lambda scope: count_gift_emails(scope.engine),
    "gift_notifications": lambda scope: count_notifications(scope.engine),
    "bounces": lambda scope: count_bounces(scope.engine),
    "reports": _read_reports,
    "trouble": _read_trouble,
    "open_requests": lambda scope: count_open_requests(scope.engine, scope.wallets, scope.chains),
    "ended_requests": lambda scope: count_ended_requests(scope.engine),
    "wallets": _read_wallets,
    "spend": _of_served(read_spend),
    "unfinished": _read_unfinished,
    "unfollowed": lambda scope: find_unfinished(scope.engine, scope.wallets, scope.chains),
    "decisions": _of_served(count_decisions),
    "owners": lambda scope: read_owner_decisions(scope.engine, limit=100),
    "conditions": lambda scope: read_conditions(scope.engine),
    "undelivered_alerts": lambda scope: count_undelivered_alerts(scope.engine),
    "recent_alerts": lambda scope: read_recent_alerts(scope.engine),
    "upgrades": _read_upgrades,
    "feeds": _read_feeds,
    "snapshots": _read_snapshots,
    "node_requests": _of_served(lambda engine: read_requests(engine, DAYS_SHOWN)),
    "erasures": lambda scope: read_erasures(scope.engine),
}
