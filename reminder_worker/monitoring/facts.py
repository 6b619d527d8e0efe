"""Facts over several rooms, and the limits by which the watchdog judges them.

The watchdog, `doctor`, `/metrics`, the Dagster assets and checks and the words of idle sensors render facts and have no
SQL of their own. A room declares the facts of its tables in `feature.py`. Nothing is judged here: see
`rules.py`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import DateTime, cast, func, literal, select, true
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.database.queries import read_rows
from reminder_worker.database.tables import age, span
from reminder_worker.declarations import ExpectedPass, FactScope, WorkerPass
from reminder_worker.gifts.emails import GIFTS_FOR_OPERATORS
from reminder_worker.gifts.feature import GIFTS
from reminder_worker.monitoring.feature import WATCHDOG
from reminder_worker.monitoring.tables import pass_state, sql
from reminder_worker.outbox.delivery_reports import ReportReading
from reminder_worker.outbox.operator import SettledEmails, UndecidedEmails, count_settled, count_undecided
from reminder_worker.relay.operator import UnfinishedRequests
from reminder_worker.reminders.emails import REMINDERS_FOR_OPERATORS
from reminder_worker.reminders.feature import DISPATCH


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
class PassState:
    """Ages in whole seconds, None where it never happened; `error` is the class of the last failure, if not over.

    `detail`: the last report, empty before the first. `endpoints`: the fields of each `EndpointHealth` in the process
    of the last look.
    """

    name: str
    chain_id: int
    checked_age: int | None
    succeeded_age: int | None
    failed_age: int | None
    error: str | None
    detail: Mapping[str, Any] = field(default_factory=dict)
    endpoints: Sequence[dict[str, Any]] = ()


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
    failed: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WatchedFacts:
    """Input of the watchdog's rules. `reports` is None while no delivery report is read."""

    expected: Sequence[ExpectedPass] = ()
    passes: Sequence[PassState] = ()
    trouble: EmailTrouble = EmailTrouble()
    unfinished: Sequence[UnfinishedRequests] = ()
    reports: ReportReading | None = None


def find_watchdog(states: Sequence[PassState]) -> PassState | None:
    """Return the watchdog's pass; None before it has reported anything."""
    for state in states_of(WATCHDOG, states):
        if state.detail:
            return state
    return None


def watchdog_report(states: Sequence[PassState]) -> Mapping[str, Any]:
    """Return the watchdog's last report; empty before the first."""
    state = find_watchdog(states)
    return state.detail if state is not None else {}


def watchdog_looks(states: Sequence[PassState]) -> bool:
    """Return whether its last look is recent and did not fail: a failed look leaves the report of an earlier look."""
    state = find_watchdog(states)
    if state is None or state.error or state.checked_age is None:
        return False
    return state.checked_age <= LIMITS.looked_within_seconds


def states_of(step: WorkerPass, states: Sequence[PassState]) -> list[PassState]:
    """Return the states of one pass, by chain."""
    return [state for state in states if state.name == step.name]


async def read_pass_states(engine: AsyncEngine) -> list[PassState]:
    """Return every pass that ever looked, by name and chain."""
    t = pass_state.c
    ages = (age(t.checked_at), age(t.succeeded_at), age(t.failed_at))
    report = (func.coalesce(t.detail, literal({}, JSONB)), func.coalesce(t.endpoints, literal([], JSONB)))
    question = select(t.name, t.chain_id, *ages, t.error, *report).order_by(t.name, t.chain_id)
    return await read_rows(engine, PassState, question)


async def was_reported_lately(engine: AsyncEngine, name: str, chain_id: int) -> bool:
    """Return whether the last report of a pass has `looked_at`, a moment within the last hour."""
    looked = cast(pass_state.c.detail["looked_at"].astext, DateTime(timezone=True))
    lately = looked >= func.clock_timestamp() - span(hours=1)
    question = select(true()).where(pass_state.c.name == name, pass_state.c.chain_id == chain_id, lately)
    async with engine.connect() as connection:
        return bool(await connection.scalar(select(question.exists())))


async def read_expected_states(scope: FactScope) -> list[PassState]:
    """Return the passes that are on: the row of a pass that was switched off says nothing of now."""
    on = {(expected.name, expected.chain_id) for expected in scope.expected}
    return [state for state in await read_pass_states(scope.engine) if (state.name, state.chain_id) in on]


async def count_undecided_emails(scope: FactScope) -> list[UndecidedEmails]:
    """Return those of both ledgers; on a chain that is not served an email in doubt stays in doubt for ever."""
    found = []
    for ledger in LEDGERS:
        for count in await count_undecided(scope.engine, ledger.table):
            if count.state != "unknown" or count.chain_id in scope.chains:
                found.append(count)
    return found


async def count_settled_emails(scope: FactScope) -> list[SettledEmails]:
    """Return those of both ledgers in the last `DAYS_SHOWN` days."""
    return [count for ledger in LEDGERS for count in await count_settled(scope.engine, DAYS_SHOWN, ledger.table)]


async def read_email_trouble(scope: FactScope) -> EmailTrouble:
    rooms = [room for room, step in (("reminders", DISPATCH), ("gifts", GIFTS)) if scope.has_pass(step)]
    unsafe = [chain_id for chain_id, chain in scope.chains.items() if chain.signal_block == "latest"]
    values = {"late": LIMITS.late_seconds, "rooms": rooms, "chains": list(scope.chains), "unsafe": unsafe}
    async with scope.engine.connect() as connection:
        row = (await connection.execute(sql["trouble"], values)).one()
    failed = {room: getattr(row, room) for room in ("reminders", "gifts", "relay")}
    return EmailTrouble(row.late, row.oldest_late, row.others_go_out, row.held, row.dead, row.refused_alerts, failed)
