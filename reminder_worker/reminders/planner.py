"""Plan emails in the sent-ledger from notify signals, open windows and what ends, and dispatch them.

Planning can be repeated at any time: each email exists once. Emails dropped because their window closed return when
the window opens again for the same deadline.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import msgspec
import structlog
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.concurrency import in_time, run_together
from reminder_worker.database.engine import through_deadlocks
from reminder_worker.database.queries import list_columns
from reminder_worker.errors import NotConfigured, ServiceError
from reminder_worker.indexer.models import ReminderConfig
from reminder_worker.indexer.selector import IndexerSelector
from reminder_worker.outbox.daily_quota import DailyQuota
from reminder_worker.outbox.dispatcher import DeliveryReport, OutboxDispatcher
from reminder_worker.outbox.mail_client import MailClient
from reminder_worker.outbox.messages import WINDOW_KINDS, RecipientRole, ReminderKind
from reminder_worker.privacy.vault import Vault
from reminder_worker.reminders.audience import (
    ENDS_OF_PREMIUM,
    READY_WINDOWS,
    WINDOW_LINES,
    LegacyMembership,
    find_audience,
    format_window_event,
    is_named,
)
from reminder_worker.reminders.further_emails import find_turn, is_for_further
from reminder_worker.reminders.rendering import ReminderRenderer
from reminder_worker.reminders.signal_transactions import StoredSignal
from reminder_worker.reminders.signal_validation import DENIED, SignalValidator, ValidatedSignal
from reminder_worker.reminders.tables import sql
from reminder_worker.settings import ReminderSettings, Settings
from reminder_worker.settings.chains import find_test_chains


@dataclass(slots=True)
class PlanReport:
    """Counts of a planning run. `refused`: signals without emails, with a reason in their row; `later`: retried.

    `too_old`: signals not planned in time. `budgets`: ending auto-renew budgets; `premiums`: ends of Premium;
    `guards`, `modules`: lost guards and disabled modules of Safes. `gaps`: sets with people who get no emails.
    """

    signals: int = 0
    too_old: int = 0
    refused: int = 0
    later: int = 0
    windows: int = 0
    budgets: int = 0
    premiums: int = 0
    guards: int = 0
    modules: int = 0
    gaps: int = 0
    entries: int = 0


@dataclass(frozen=True, slots=True)
class PlannedEmail:
    """Email to insert into the sent-ledger."""

    legacy: str
    recipient: str
    kind: ReminderKind
    event: str
    role: RecipientRole


@dataclass(frozen=True, slots=True)
class EndingBudget:
    """A legacy whose auto-renew ends soon; `event` as of `format_budget_event`."""

    legacy: str
    owner: str
    event: str


FindEndingBudgets = Callable[[AsyncConnection, int, int], Awaitable[Sequence[EndingBudget]]]
"""Return budgets of a chain, at most so many, whose email is to be planned."""


class Planner:
    """Planner of one chain. Raises `Unavailable` if chain or indexers do not answer; the next run plans the rest."""

    def __init__(
        self,
        engine: AsyncEngine,
        chain: Chain,
        indexers: IndexerSelector,
        settings: ReminderSettings,
        find_ending_budgets: FindEndingBudgets,
    ) -> None:
        self._engine = engine
        self._chain = chain
        self._chain_id = chain.chain_id
        self._indexers = indexers
        self._max_age = settings.signal_max_age_seconds
        self._find_ending_budgets = find_ending_budgets
        self._reader = SignalValidator(engine, chain, indexers, settings)

    async def poll(self) -> bool:
        """Return whether a run would plan anything.

        A window read above the chain's head cannot be planned yet, so waiting windows cost a request for the head. A
        silent chain counts as work: the run then reports it.
        """
        async with self._engine.connect() as conn:
            if await conn.scalar(sql["something_to_plan"], {"chain_id": self._chain_id}):
                return True
            if await self._find_ending_budgets(conn, self._chain_id, 1):
                return True
            if await conn.scalar(sql["a_gap_to_tell"], {"chain_id": self._chain_id}):
                return True
            for ends in ("ending_premiums", "safe_troubles"):
                if (await conn.execute(sql[ends], {"chain_id": self._chain_id, "limit": 1})).first():
                    return True
        if not await self._has_window(2**62):
            return False
        try:
            head = await in_time(self._chain.get_known_head(), 5.0)  # polls of other chains wait for this one
        except ServiceError:
            return True
        return await self._has_window(head.number)

    async def _has_window(self, head: int) -> bool:
        async with self._engine.connect() as conn:
            return bool(await conn.scalar(sql["a_window_to_plan"], {"chain_id": self._chain_id, "head": head}))

    async def run(self, report: PlanReport) -> None:
        """Plan all that is new. A failing part does not delay the others. Adds to `report`."""
        await self._age_signals(report)
        failed: ServiceError | None = None
        # Few signals at once: a signal may need a block of its own, and a slow node has to answer in time.
        plans = (
            (self._plan_windows, 2000),
            (self._plan_budgets, 2000),
            (self._plan_ends, 2000),
            (self._plan_gaps, 2000),
            (self._plan_signals, 50),
        )
        for plan, most in plans:
            try:
                while await through_deadlocks(partial(plan, report, most)) == most:
                    pass
            except ServiceError as error:
                failed = error
        if failed is not None:
            raise failed

    async def _age_signals(self, report: PlanReport) -> None:
        """Mark signals as too old, also those seen in time while email was off."""
        head = await self._chain.get_head()
        values = {"chain_id": self._chain_id, "oldest": head.timestamp - self._max_age}
        async with self._engine.begin() as conn:
            aged = await conn.execute(sql["age_signals"], values)
        report.too_old += aged.rowcount

    async def _plan_signals(self, report: PlanReport, most: int) -> int:
        async with self._engine.connect() as conn:
            values = {"chain_id": self._chain_id, "limit": most, "denied": DENIED}
            signals = [StoredSignal(*row) for row in await conn.execute(sql["signals_to_plan"], values)]
        if not signals:
            return 0
        judged = await self._reader.validate_signals(signals)
        async with self._engine.begin() as conn:
            stored = await lock_recipients(conn, self._chain_id, {each.signal.legacy for each in judged})
            entries: list[PlannedEmail] = []
            for each in judged:
                entries += _plan_signal_emails(each, stored)
            made = await insert_emails(conn, self._chain_id, entries, rearm=False)
            results = list_columns(
                judged,
                tx_hashes="signal.tx_hash",
                legacies="signal.legacy",
                kinds="signal.kind",
                layers="signal.layer",
                states="state",
                reasons="reason",
                amounts="amounts",
                delays="delay",
            )
            await conn.execute(sql["settle_signals"], {"chain_id": self._chain_id, **results})
        states = results["states"]
        report.entries += made
        report.signals += states.count("planned")
        report.refused += states.count("refused")
        report.later += states.count("new")
        return len(signals)

    async def _plan_windows(self, report: PlanReport, most: int) -> int:
        # A window read above the chain's head waits alone.
        head = await self._chain.get_head()
        async with self._engine.connect() as conn:
            values = {"chain_id": self._chain_id, "limit": most, "head": head.number}
            windows = (await conn.execute(sql["windows_to_plan"], values)).all()
        if not windows:
            return 0
        legacies = sorted({row.legacy for row in windows})
        # The configuration must not be older than the members: a person configured in between would get no email.
        configs = await self._indexers.reminder_configs(legacies, max(row.membership_block for row in windows))
        marks = list_columns(windows, legacies="legacy", windows="window", deadlines="deadline", versions="version")
        async with self._engine.begin() as conn:
            stored = await lock_recipients(conn, self._chain_id, legacies)
            # A write of recipients changes each window's version, so an older plan marks nothing.
            marking = await conn.execute(sql["mark_windows"], {"chain_id": self._chain_id, **marks})
            marked = {tuple(row) for row in marking}
            entries: list[PlannedEmail] = []
            for row in windows:
                if (row.legacy, row.window, row.deadline) in marked:
                    members = msgspec.convert(row.membership, LegacyMembership)
                    config, people = configs.get(row.legacy), stored.get(row.legacy, ())
                    turn, is_open = find_turn(row.further_due, row.further_over), row.state == "open"
                    entries += plan_window_emails(
                        row.legacy, row.window, row.deadline, members, config, people, turn, is_open=is_open
                    )
            made = await insert_emails(conn, self._chain_id, entries, rearm=True)
        report.entries += made
        report.windows += len(marked)
        return len(windows)

    async def _plan_budgets(self, report: PlanReport, most: int) -> int:
        """Plan emails to owners whose auto-renew ends soon; the chain is read again before sending."""
        kind, role = ReminderKind.AUTO_RENEW_BUDGET, RecipientRole.OWNER
        async with self._engine.begin() as conn:
            budgets = await self._find_ending_budgets(conn, self._chain_id, most)
            wanted = [PlannedEmail(each.legacy, each.owner, kind, each.event, role) for each in budgets]
            kinds = await self._insert_of_stored(conn, wanted, report)
        report.budgets += kinds[kind]
        return len(budgets)

    async def _plan_ends(self, report: PlanReport, most: int) -> int:
        """Plan emails to owners about Premium and Safes; the chain is read again before sending."""
        async with self._engine.begin() as conn:
            values = {"chain_id": self._chain_id, "limit": most}
            premiums = (await conn.execute(sql["ending_premiums"], values)).all()
            troubles = (await conn.execute(sql["safe_troubles"], values)).all()
            wanted = []
            for row in (*premiums, *troubles):
                kind = ReminderKind(row.kind)
                wanted.append(PlannedEmail(row.legacy, row.creator, kind, row.event, RecipientRole.OWNER))
            kinds = await self._insert_of_stored(conn, wanted, report)
        report.premiums += sum(kinds[kind] for kind in ENDS_OF_PREMIUM)
        report.guards += kinds[ReminderKind.GUARD_REMOVED]
        report.modules += kinds[ReminderKind.MODULE_DISABLED]
        return max(len(premiums), len(troubles))

    async def _plan_gaps(self, report: PlanReport, most: int) -> int:
        """Plan emails to owners about people of their sets without emails; the set is read again before sending."""
        kind, role = ReminderKind.RECIPIENTS_GAP, RecipientRole.OWNER
        async with self._engine.begin() as conn:
            due = (await conn.execute(sql["gaps_to_tell"], {"chain_id": self._chain_id, "limit": most})).all()
            wanted = [PlannedEmail(row.legacy, row.creator, kind, row.event, role) for row in due if row.is_wanted]
            kinds = await self._insert_of_stored(conn, wanted, report)
        report.gaps += kinds[kind]
        return len(due)

    async def _insert_of_stored(
        self, conn: AsyncConnection, wanted: Sequence[PlannedEmail], report: PlanReport
    ) -> Counter[ReminderKind]:
        """Insert the emails whose recipient is stored; return how many they are, by kind."""
        stored = await lock_recipients(conn, self._chain_id, {each.legacy for each in wanted})
        entries = [each for each in wanted if each.recipient in stored.get(each.legacy, ())]
        report.entries += await insert_emails(conn, self._chain_id, entries, rearm=True)
        return Counter(each.kind for each in entries)


def plan_window_emails(
    legacy: str,
    window: int,
    deadline: int,
    members: LegacyMembership,
    config: ReminderConfig | None,
    stored: Sequence[str],
    turn: int = 0,
    *,
    is_open: bool = True,
) -> list[PlannedEmail]:
    """List the emails of one window. `deadline`: unix seconds; `stored`: accounts with an address here.

    `turn`: of the further emails, 0 for the first email; `is_open`: False for a window first seen too late, whose
    first email is not sent.
    """
    line = WINDOW_LINES[window]
    if not is_named(line, members):
        return []
    found = find_audience(config, stored, members, line, may_act=window in READY_WINDOWS)
    kind, emails = WINDOW_KINDS[window], []
    for recipient, role in found.items():
        own_turn = turn if is_for_further(window, role) else 0
        if own_turn or is_open:
            event = format_window_event(window, deadline, own_turn)
            emails.append(PlannedEmail(legacy, recipient, kind, event, role))
    return emails


def _plan_signal_emails(judged: ValidatedSignal, stored: Mapping[str, Sequence[str]]) -> Iterable[PlannedEmail]:
    if judged.members is None:
        return
    signal = judged.signal
    found = find_audience(judged.config, stored.get(signal.legacy, ()), judged.members, judged.line)
    for recipient, role in found.items():
        yield PlannedEmail(signal.legacy, recipient, signal.kind_of_email, signal.event, role)


async def lock_recipients(conn: AsyncConnection, chain_id: int, legacies: Collection[str]) -> dict[str, list[str]]:
    """Lock the recipients of these legacies until the transaction ends; return them by legacy."""
    found: dict[str, list[str]] = {}
    if not legacies:
        return found
    values = {"chain_id": chain_id, "legacies": sorted(legacies)}
    for legacy, recipient in await conn.execute(sql["lock_recipients"], values):
        found.setdefault(legacy, []).append(recipient)
    return found


async def insert_emails(conn: AsyncConnection, chain_id: int, entries: Sequence[PlannedEmail], *, rearm: bool) -> int:
    """Insert missing emails; with `rearm`, also queue dropped ones again. Return their number."""
    if not entries:
        return 0
    columns = list_columns(
        entries, legacies="legacy", recipients="recipient", kinds="kind.value", events="event", roles="role.value"
    )
    values = {"chain_id": chain_id, "rearm": rearm, **columns}
    return (await conn.execute(sql["insert_entries"], values)).rowcount


log = structlog.get_logger(__name__)


@dataclass(slots=True)
class DispatchReport(DeliveryReport):
    """Result of a dispatch. `unreadable_chains`: nothing was planned there now."""

    plan: PlanReport = field(default_factory=PlanReport)
    unreadable_chains: list[int] = field(default_factory=list)


class ReminderDispatch:
    """`mail` is open. Raises errors of the database; if a chain or the mail service fails, the emails wait."""

    def __init__(
        self,
        engine: AsyncEngine,
        chains: Mapping[int, Chain],
        indexers: Mapping[int, IndexerSelector],
        vault: Vault,
        mail: MailClient,
        settings: Settings,
        find_ending_budgets: FindEndingBudgets,
    ) -> None:
        if settings.mail is None:
            raise NotConfigured("no mail service is configured")
        self._engine = engine
        self._planners = {
            id: Planner(engine, chain, indexers[id], settings.reminders, find_ending_budgets)
            for id, chain in chains.items()
        }
        self.renderer = ReminderRenderer(engine, chains, indexers, vault, settings)
        quota = DailyQuota(settings.mail.daily_cap_per_address, find_test_chains(settings.chains))
        self.outbox = OutboxDispatcher(engine, self.renderer, quota, mail)

    async def poll(self) -> bool:
        """Return whether anything is to be planned, sent or asked about now."""
        async with self._engine.connect() as connection:
            if await connection.scalar(sql["has_work"]):
                return True
        for planner in self._planners.values():
            if await planner.poll():
                return True
        return False

    async def has_new_instructions(self) -> bool:
        """Return whether an email of instructions that an owner asked for is due and was never tried."""
        async with self._engine.connect() as connection:
            return bool(await connection.scalar(sql["has_new_instructions"]))

    async def run(self, budget_seconds: float = 90.0) -> DispatchReport:
        """Plan, ask about emails in doubt, then send until nothing is due or the time is up."""
        report = DispatchReport()
        await run_together(*(self._plan_chain(chain_id, report) for chain_id in self._planners))
        await self.outbox.run(report, budget_seconds)
        return report

    async def _plan_chain(self, chain_id: int, report: DispatchReport) -> None:
        try:
            await in_time(self._planners[chain_id].run(report.plan))
        except ServiceError as error:  # also `Misconfigured`, when a node denies a contract
            log.warning("not_planned", chain_id=chain_id, error=type(error).__name__)
            report.unreadable_chains.append(chain_id)
