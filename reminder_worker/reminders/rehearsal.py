"""Rehearsal: which emails the people of a legacy will get, and why somebody gets none.

The planner's own functions decide, on facts of one block. The prophecy holds while nothing changes: no sign of life, no
claim, no other set, configuration or Premium.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts.legacies import LegacyFacts, LegacyReads, Triggers
from reminder_worker.chain.contracts.premium import PremiumSetting, ReminderView
from reminder_worker.chain.contracts.safes import SafeLegacy, SafeState, read_safes
from reminder_worker.chain.types import BlockHeader
from reminder_worker.concurrency import in_time, run_each, run_together
from reminder_worker.errors import ChainUnavailable, NotConfigured, ServiceError
from reminder_worker.indexer.models import SAFE, ReminderConfig
from reminder_worker.indexer.selector import IndexerSelector
from reminder_worker.outbox.mail_client import MailClient, PreviewedEmail
from reminder_worker.outbox.messages import (
    LATEST_TIME,
    WINDOW_KINDS,
    EmailAddressee,
    Language,
    RecipientRole,
    ReminderKind,
    build_reminder_body,
    may_mail,
)
from reminder_worker.reminders.audience import (
    CLAIM_WINDOWS,
    WINDOW_LINES,
    LegacyMembership,
    configured_people,
    is_named,
    list_named,
    make_membership,
    read_safe_signers,
)
from reminder_worker.reminders.authorization import SignedRequest
from reminder_worker.reminders.further_emails import is_for_further, list_further_times
from reminder_worker.reminders.horizon import ForeseenWindow, foresee_windows, opened_long_ago
from reminder_worker.reminders.planner import PlannedEmail, plan_window_emails
from reminder_worker.reminders.recipients import RecipientStore, StoredRecipient, StoredSet
from reminder_worker.reminders.rendering import describe_legacy, describe_turn, find_wording
from reminder_worker.reminders.tables import due_window, watch
from reminder_worker.settings import Settings

MOST_TEXTS = 400
"""Emails that one rehearsal renders, the earliest first: six for each of the 64 people of a full set."""
TEXTS_AT_ONCE = 4
REHEARSALS_AT_ONCE = 2
"""With texts, in one process: its eight renders at a time leave most of the mail service to emails."""
JUDGE_SECONDS = 5.0
"""Time for verdicts beside another answer: the set is saved or read by then, and its creator waits."""


class UntoldReason(StrEnum):
    """Reason why a person gets no email."""

    NOT_CONFIGURED = "not_configured"
    NO_ADDRESS = "no_address"
    ADDRESS_RETURNS = "address_returns"
    UNSUBSCRIBED = "unsubscribed"
    ERASED_THEMSELF = "erased_themself"
    NOT_A_MEMBER = "not_a_member"
    LATER_LINE = "later_line"
    LINE_WITHOUT_MEMBERS = "line_without_members"
    OVER_BOUND = "over_bound"
    NO_PREMIUM = "no_premium"
    GUARD_MISSING = "guard_missing"
    MODULE_DISABLED = "module_disabled"
    TEST_CHAIN_NOT_LISTED = "test_chain_not_listed"
    TOO_LATE = "too_late"
    NO_WINDOW = "no_window"


Reasons = tuple[UntoldReason, ...]


@dataclass(frozen=True, slots=True)
class RehearsalFacts:
    """Facts that decide about the emails of a legacy, at one block. Times in unix seconds, `ahead` in seconds.

    `members`: None if a list on chain is longer than we read. `safe`: None for a legacy without a Safe. `too_late`:
    windows that opened too long ago for an email.
    """

    legacy: str
    now: int
    is_live: bool
    triggers: Triggers
    ahead: int
    members: LegacyMembership | None
    config: ReminderConfig | None
    premium_until: int
    safe: SafeState | None = None
    too_late: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class RehearsedEmail:
    """An email as its person will read it."""

    kind: ReminderKind
    language: Language
    content: PreviewedEmail


@dataclass(frozen=True, slots=True)
class RehearsedPerson:
    """Verdict on one account: told if there is no reason against it. `role`: None for an account without one."""

    recipient: str
    role: RecipientRole | None
    reasons: Reasons
    email: RehearsedEmail | None = field(default=None, repr=False)

    @property
    def will_be_told(self) -> bool:
        return not self.reasons


@dataclass(frozen=True, slots=True)
class RehearsedWindow:
    """Emails of a window that is open or to come, with a verdict on each account they are for.

    `turn`: 0 for the first emails; further ones count from 1. `emails_at`: chain time when they are due.
    """

    window: ForeseenWindow
    turn: int
    emails_at: int
    people: tuple[RehearsedPerson, ...] = ()

    @property
    def kind(self) -> ReminderKind:
        return WINDOW_KINDS[self.window.number]

    @property
    def line(self) -> int:
        return WINDOW_LINES[self.window.number]


@dataclass(frozen=True, slots=True)
class PersonVerdict:
    """Verdict on one account over all windows. `reasons`: of the windows without a first email to this account."""

    recipient: str
    will_be_told: bool
    reasons: Reasons


@dataclass(frozen=True, slots=True)
class LegacyRehearsal:
    """Prophecy for one legacy. Windows and their further emails are in order of time."""

    as_of: int
    is_live: bool
    premium_until: int
    people: tuple[PersonVerdict, ...]
    windows: tuple[RehearsedWindow, ...]


def rehearse_legacy(facts: RehearsalFacts, stored: Mapping[str, Reasons], roles: Mapping[str, str]) -> LegacyRehearsal:
    """Return the prophecy, without texts.

    `stored`: by account of the set, the reasons that lie in its address; a person who erased themself is among them.
    `roles`: as the creator stored them.
    """
    people = _list_people(facts, stored)
    own = {each: _find_own_reasons(each, facts, stored) for each in people}
    named = list_named(facts.members) if facts.members else {}
    windows = []
    for window in _list_emails(facts):
        planned = {each.recipient: each.role for each in _plan_emails(window, facts, stored)}
        reasons = _find_window_reasons(window, facts)
        verdicts = []
        for each in people:
            found = (*own[each], *reasons)
            if not found and each not in planned:
                found = (UntoldReason.LATER_LINE,)
            role = planned.get(each) or named.get(each) or roles.get(each)
            if window.turn == 0 or (role and is_for_further(window.window.number, RecipientRole(role))):
                verdicts.append(RehearsedPerson(each, RecipientRole(role) if role else None, found))
        windows.append(replace(window, people=tuple(verdicts)))
    verdicts_of = tuple(_judge_person(each, own[each], windows) for each in people)
    return LegacyRehearsal(facts.now, facts.is_live, facts.premium_until, verdicts_of, tuple(windows))


def _list_people(facts: RehearsalFacts, stored: Collection[str]) -> list[str]:
    """List the accounts of the set, and each account that the chain names, in order."""
    people = set(stored)
    if facts.members is not None:
        people |= list_named(facts.members).keys()
    if facts.config is not None:
        people |= configured_people(facts.config)
    return sorted(people)


def _list_windows(facts: RehearsalFacts) -> list[ForeseenWindow]:
    """List the windows that are open or to come. Without known members each line may have one."""
    if not facts.is_live:
        return []
    has_second, has_third = True, True
    if facts.members is not None:
        has_second, has_third = is_named(2, facts.members), is_named(3, facts.members)
    windows = foresee_windows(facts.triggers, facts.ahead, has_second, has_third)
    return [window for window in windows if window.closes_at > facts.now]


def _list_emails(facts: RehearsalFacts) -> list[RehearsedWindow]:
    """List the windows that are open or to come, and their further emails to come, in order of time."""
    found = []
    for window in _list_windows(facts):
        found.append(RehearsedWindow(window, 0, window.opens_at))
        times = list_further_times(window.number, window.deadline, facts.ahead)
        for turn, at in enumerate(times, 1):
            if facts.now < at < window.closes_at:
                found.append(RehearsedWindow(window, turn, at))
    return sorted(found, key=lambda each: each.emails_at)


def _plan_emails(
    window: RehearsedWindow, facts: RehearsalFacts, stored: Mapping[str, Reasons]
) -> Sequence[PlannedEmail]:
    if facts.members is None:
        return []
    reachable = [each for each, reasons in stored.items() if not reasons]
    number, deadline = window.window.number, window.window.deadline
    is_first = window.turn == 0
    return plan_window_emails(
        facts.legacy, number, deadline, facts.members, facts.config, reachable, window.turn, is_open=is_first
    )


def _find_own_reasons(account: str, facts: RehearsalFacts, stored: Mapping[str, Reasons]) -> Reasons:
    """Return the reasons of an account that hold for every window."""
    reasons = []
    if facts.config is None or account not in configured_people(facts.config):
        reasons.append(UntoldReason.NOT_CONFIGURED)
    if facts.members is None:
        reasons.append(UntoldReason.OVER_BOUND)
    elif account != facts.members.owner and account not in list_named(facts.members):
        reasons.append(UntoldReason.NOT_A_MEMBER)
    return (*reasons, *stored.get(account, (UntoldReason.NO_ADDRESS,)))


def _find_window_reasons(window: RehearsedWindow, facts: RehearsalFacts) -> Reasons:
    """Return the reasons why nobody gets these emails of a window."""
    reasons = []
    number = window.window.number
    if facts.members is not None and not is_named(window.line, facts.members):
        reasons.append(UntoldReason.LINE_WITHOUT_MEMBERS)
    if facts.premium_until < max(window.emails_at, facts.now):
        reasons.append(UntoldReason.NO_PREMIUM)
    if facts.safe is not None and facts.safe.guarded is False:
        reasons.append(UntoldReason.GUARD_MISSING)
    elif facts.safe is not None and facts.safe.enabled is False and number in CLAIM_WINDOWS:
        reasons.append(UntoldReason.MODULE_DISABLED)
    if number in facts.too_late and window.turn == 0:
        reasons.append(UntoldReason.TOO_LATE)
    return tuple(reasons)


def _judge_person(account: str, own: Reasons, windows: Sequence[RehearsedWindow]) -> PersonVerdict:
    """Sum up the windows. That an account's line comes later matters only if it comes never."""
    first: list[RehearsedPerson] = []
    further: list[RehearsedPerson] = []
    for window in windows:
        verdicts = further if window.turn else first
        verdicts += [person for person in window.people if person.recipient == account]
    if not first:
        return PersonVerdict(account, False, (*own, UntoldReason.NO_WINDOW))
    is_told = any(each.will_be_told for each in (*first, *further))
    reasons = {reason for each in first for reason in each.reasons}
    if is_told or reasons != {UntoldReason.LATER_LINE}:
        reasons.discard(UntoldReason.LATER_LINE)
    return PersonVerdict(account, is_told, tuple(reason for reason in UntoldReason if reason in reasons))


class RehearsalStage:
    """Rehearses legacies for their creators. `mail` is open, or None where no email is sent."""

    def __init__(
        self,
        engine: AsyncEngine,
        chains: Mapping[int, Chain],
        indexers: Mapping[int, IndexerSelector],
        recipients: RecipientStore,
        mail: MailClient | None,
        settings: Settings,
    ) -> None:
        self._engine = engine
        self._chains = chains
        self._indexers = indexers
        self._recipients = recipients
        self._mail = mail
        self._settings = settings
        self._rendering = asyncio.Semaphore(REHEARSALS_AT_ONCE)

    async def rehearse(self, request: SignedRequest, *, with_texts: bool) -> LegacyRehearsal:
        """Return the prophecy, also after Premium lapsed.

        Raises as `RequestAuthorizer.authorise_request`, `IndexerUnavailable`, `MailUnavailable`, `DecryptionFailed`,
        and `NotConfigured` where no email is sent or the mail service renders none.
        """
        if self._mail is None:
            raise NotConfigured("No mail service is configured here.")
        granted = await self._recipients.authorise_read(request, "RehearseLegacy")
        legacy, facts = await in_time(self._read_facts(request.chain_id, granted.identity.legacy))
        found = await self._recipients.read_granted(request, granted)
        stopped = await self._find_unsubscribed(self._mail, found.recipients)
        rehearsed = self._apply_rules(request.chain_id, facts, found, stopped)
        if legacy is None or not with_texts:  # None: nobody gets an email
            return rehearsed
        async with self._rendering:
            return await self._render_texts(self._mail, request.chain_id, legacy, rehearsed, found.recipients)

    async def judge_people(self, chain_id: int, legacy: str, found: StoredSet) -> tuple[PersonVerdict, ...] | None:
        """Return the verdicts in short; None if they are not known in time, or where no email is sent."""
        if self._mail is None:
            return None
        try:
            return await in_time(self._judge_set(self._mail, chain_id, legacy, found), JUDGE_SECONDS)
        except (ServiceError, SQLAlchemyError):
            return None

    async def _judge_set(
        self, mail: MailClient, chain_id: int, legacy: str, found: StoredSet
    ) -> tuple[PersonVerdict, ...]:
        stopped = await self._find_unsubscribed(mail, found.recipients)
        _, facts = await self._read_facts(chain_id, legacy)
        return self._apply_rules(chain_id, facts, found, stopped).people

    def _apply_rules(
        self, chain_id: int, facts: RehearsalFacts, found: StoredSet, stopped: Collection[str]
    ) -> LegacyRehearsal:
        chain = self._chains[chain_id].settings
        stored: dict[str, Reasons] = dict.fromkeys(found.erased_themselves, (UntoldReason.ERASED_THEMSELF,))
        for each in found.recipients:
            reasons = []
            if each.bounced is not None and each.bounced.reason == "mailbox_unknown":
                reasons.append(UntoldReason.ADDRESS_RETURNS)
            if each.email in stopped:
                reasons.append(UntoldReason.UNSUBSCRIBED)
            if not may_mail(each.email, chain, self._settings):
                reasons.append(UntoldReason.TEST_CHAIN_NOT_LISTED)
            stored[each.recipient] = tuple(reasons)
        return rehearse_legacy(facts, stored, {each.recipient: each.role for each in found.recipients})

    async def _find_unsubscribed(self, mail: MailClient, people: Sequence[StoredRecipient]) -> frozenset[str]:
        """Return the addresses of people who unsubscribed; of the last day only if the mail service does not tell."""
        asked = sorted({each.email for each in people})
        found = await mail.find_suppressed(asked)
        if found is None:
            return frozenset(each.email for each in people if each.unsubscribed)
        return found

    async def _read_facts(self, chain_id: int, legacy: str) -> tuple[LegacyFacts | None, RehearsalFacts]:
        """Read what decides, at the head. The first value is None if a list on chain is longer than we read."""
        chain = self._chains[chain_id]
        head = await chain.get_head()
        (found,) = await LegacyReads(chain).read_facts([legacy], at=head.hash)
        creator, members, safe = "", None, None
        if found is None:
            creator, triggers, is_live = await self._read_unlisted(chain, legacy, head)
        else:
            creator, triggers, is_live = found.creator, found.triggers, found.is_live
            members, safe = await self._read_members(chain, found, head)
        ahead, premium_until, configs = await run_together(
            self._read_ahead(chain, creator, head),
            PremiumSetting(chain).read_expiries([creator], at=head.hash),
            self._indexers[chain_id].reminder_configs([legacy], head.number),
        )
        facts = RehearsalFacts(
            legacy, head.timestamp, is_live, triggers, ahead, members, configs.get(legacy), premium_until[0], safe
        )
        return found if members else None, replace(facts, too_late=await self._find_late(chain_id, facts))

    async def _read_unlisted(self, chain: Chain, legacy: str, head: BlockHeader) -> tuple[str, Triggers, bool]:
        """Read a genuine legacy whose lists are too long. Raises `ChainUnavailable` if it reverts altogether."""
        reads = LegacyReads(chain)
        identities, triggers, live = await run_together(
            reads.read_identities([legacy], at=head.hash),
            reads.read_triggers([legacy], at=head.hash),
            reads.read_live([legacy], at=head.hash),
        )
        if identities[0] is None or triggers[0] is None or live[0] is None:
            raise ChainUnavailable("the legacy cannot be read")
        return identities[0].creator, triggers[0], live[0]

    async def _read_members(
        self, chain: Chain, legacy: LegacyFacts, head: BlockHeader
    ) -> tuple[LegacyMembership | None, SafeState | None]:
        if legacy.legacy_type != SAFE:
            return make_membership(legacy.members, ()), None
        guards = await self._indexers[chain.chain_id].own_index.find_guards([legacy.legacy])
        asked = SafeLegacy(legacy.legacy, legacy.owner, guards.get(legacy.legacy))
        states, signers = await run_together(
            read_safes(chain, [asked], at=head.hash), read_safe_signers(chain, [legacy.owner], head.hash)
        )
        named = signers[legacy.owner]
        return None if named is None else make_membership(legacy.members, named), states[0]

    async def _read_ahead(self, chain: Chain, creator: str, head: BlockHeader) -> int:
        (chosen,) = await PremiumSetting(chain).read_times_ahead([creator], at=head.hash)
        return chosen or await ReminderView(chain).read_default_notify_ahead(at=head.hash)

    async def _find_late(self, chain_id: int, facts: RehearsalFacts) -> frozenset[int]:
        """Return open windows that get no email: stored as seen too late, or not stored and open for too long."""
        w, d = watch.c, due_window.c
        asked = select(w.asked_at).where(w.chain_id == chain_id, w.legacy == facts.legacy)
        seen = select(d.window, d.deadline, d.state).where(d.chain_id == chain_id, d.legacy == facts.legacy)
        async with self._engine.connect() as conn:
            asked_at = await conn.scalar(asked)
            states = {(row.window, row.deadline): row.state for row in await conn.execute(seen)}
        late = set()
        for window in _list_windows(facts):
            if window.opens_at > facts.now:
                continue
            state, max_age = (
                states.get((window.number, window.deadline)),
                self._settings.reminders.signal_max_age_seconds,
            )
            if state is None and opened_long_ago(
                window.number, facts.triggers, facts.ahead, asked_at, 0, facts.now, max_age
            ):
                state = "too_old"
            if state == "too_old":
                late.add(window.number)
        return frozenset(late)

    async def _render_texts(
        self,
        mail: MailClient,
        chain_id: int,
        legacy: LegacyFacts,
        rehearsed: LegacyRehearsal,
        people: Sequence[StoredRecipient],
    ) -> LegacyRehearsal:
        """Add the text of each email, at most `MOST_TEXTS`."""
        by_account = {each.recipient: each for each in people}
        wanted: list[tuple[RehearsedWindow, RehearsedPerson]] = []
        for window in rehearsed.windows:
            wanted += [(window, person) for person in window.people if person.will_be_told]
        texts: dict[tuple[int, int, str], RehearsedEmail] = {}

        async def render(email: tuple[RehearsedWindow, RehearsedPerson]) -> None:
            window, person = email
            stored = by_account[person.recipient]
            body = self._build_body(chain_id, legacy, window, person, stored, rehearsed.premium_until)
            content = await mail.preview_email(body)
            if content is None:
                raise NotConfigured("The mail service of this installation shows no texts.")
            key = window.window.number, window.turn, person.recipient
            texts[key] = RehearsedEmail(window.kind, stored.words.language, content)

        await run_each(wanted[:MOST_TEXTS], TEXTS_AT_ONCE, render)
        windows = []
        for window in rehearsed.windows:
            number, turn = window.window.number, window.turn
            shown = [replace(each, email=texts.get((number, turn, each.recipient))) for each in window.people]
            windows.append(replace(window, people=tuple(shown)))
        return replace(rehearsed, windows=tuple(windows))

    def _build_body(
        self,
        chain_id: int,
        legacy: LegacyFacts,
        window: RehearsedWindow,
        person: RehearsedPerson,
        stored: StoredRecipient,
        premium_until: int,
    ) -> bytes:
        words, deadline = stored.words, window.window.deadline
        role = person.role or RecipientRole(stored.role)
        wording = find_wording(window.kind, role, legacy.legacy_type)
        to = EmailAddressee(stored.email, stored.name, wording, stored.recipient, words.language, words.time_zone)
        about = describe_legacy(legacy, words, self._chains[chain_id].settings, self._settings.service)
        extra = describe_turn(window.window.number, deadline, window.turn, role, premium_until)
        return build_reminder_body(window.kind, to, about, min(deadline, LATEST_TIME), None, **extra)
