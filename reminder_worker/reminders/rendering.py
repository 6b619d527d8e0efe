"""Decide whether a claimed email is still due, and render it: again at every attempt."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache

import msgspec
import structlog
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts.legacies import LegacyFacts
from reminder_worker.chain.contracts.safes import SafeState
from reminder_worker.chain.renewals import BUDGET_SECONDS, RenewState, budget_step
from reminder_worker.concurrency import in_time, run_together
from reminder_worker.errors import DecryptionFailed, ServiceError
from reminder_worker.indexer.models import SAFE
from reminder_worker.indexer.selector import IndexerSelector
from reminder_worker.outbox.email_numbers import hash_number, make_number
from reminder_worker.outbox.messages import (
    KIND_WINDOWS,
    EmailAddressee,
    LegacySubject,
    RecipientRole,
    ReminderKind,
    build_reminder_body,
    format_amounts,
    format_deadline,
    format_role_counts,
    may_mail,
)
from reminder_worker.outbox.models import EmailSettlement, RenderedEmail
from reminder_worker.outbox.outcomes import drop_email, render_again, retry_later
from reminder_worker.privacy.emails import check_mailed_name
from reminder_worker.privacy.vault import Vault
from reminder_worker.reminders.audience import (
    ACTIVATIONS,
    ALL_LINES,
    CLAIM_WINDOWS,
    ENDS_OF_PREMIUM,
    OWNER_ONLY,
    OWNER_WARNINGS,
    PLANNED_AGAIN,
    READY_WINDOWS,
    SAFE_TROUBLES,
    WINDOW_LINES,
    clamp_line,
    format_budget_event,
    is_named,
    make_membership,
    read_budget_anchor,
    read_premium_expiry,
    read_signal_layer,
    read_window_deadline,
    read_window_turn,
)
from reminder_worker.reminders.emails import ReminderEmail, ReminderLedger
from reminder_worker.reminders.facts import ReminderFactReader, ReminderFacts
from reminder_worker.reminders.further_emails import (
    CLAIM_DAYS,
    count_left,
    find_end_of_reminders,
    is_for_further,
)
from reminder_worker.reminders.gaps import format_gaps
from reminder_worker.reminders.horizon import window_deadline
from reminder_worker.reminders.recipients import RecipientWords, email_body_context, open_words, recipient_context
from reminder_worker.settings import ChainSettings, ServiceSettings, Settings

log = structlog.get_logger(__name__)
CLAIM_FUNCTION = "activeLegacy(uint256 legacyId, address[] assets, bool isETH)"
CLAIM_FUNCTION_OF_SAFES = "activeLegacy(uint256 legacyId)"
"""Functions of the routers that a beneficiary calls with their own wallet."""
ReadyReminder = RenderedEmail[ReminderEmail]
ReminderResult = EmailSettlement[ReminderEmail]


class ReminderRenderer:
    """Renders emails of all chains for the outbox (`EmailFamily`).

    Emails of an unreadable chain wait for the next tick and count no attempt.
    """

    batch_size = 1000  # no larger: a claim holds up all other claims
    first_batch_size = 200  # small, so that the first email is posted soon
    ledger = ReminderLedger()

    def __init__(
        self,
        engine: AsyncEngine,
        chains: Mapping[int, Chain],
        indexers: Mapping[int, IndexerSelector],
        vault: Vault,
        settings: Settings,
    ) -> None:
        self._chains = chains
        self._vault = vault
        self._settings = settings
        self._max_age = timedelta(seconds=settings.reminders.signal_max_age_seconds)
        size = settings.reminders.due_batch_size
        self._readers = {id: ReminderFactReader(engine, chain, indexers[id], size) for id, chain in chains.items()}

    async def render(self, entries: Sequence[ReminderEmail]) -> tuple[list[ReadyReminder], list[ReminderResult]]:
        """Return emails to post and outcomes of the others.

        An email in doubt keeps its stored body, or is rendered again if its deadline has changed.
        """
        facts, settled = await self._read_facts(entries)
        ready: list[ReadyReminder] = []
        for entry in entries:
            if entry.chain_id in facts:
                verdict = self._render_email(entry, facts[entry.chain_id])
                if isinstance(verdict, RenderedEmail):
                    ready.append(verdict)
                else:
                    settled.append(verdict)
        return ready, settled

    def never_arrived(self, entry: ReminderEmail) -> ReminderResult | None:
        """Return the result of an undecided entry that the mail service does not know; None: post it again as is."""
        if entry.sent_meanwhile:
            return retry_later(entry, 3600.0)
        if entry.body is not None or entry.stored is None:
            return None
        if entry.reworded or entry.kind in PLANNED_AGAIN:
            return render_again(entry)  # its recipient was replaced: a lasting state concerns the new address, too
        return None

    async def _read_facts(
        self, entries: Sequence[ReminderEmail]
    ) -> tuple[dict[int, ReminderFacts], list[ReminderResult]]:
        by_chain: dict[int, list[ReminderEmail]] = defaultdict(list)
        for entry in entries:
            by_chain[entry.chain_id].append(entry)
        facts: dict[int, ReminderFacts] = {}
        settled: list[ReminderResult] = []

        async def read_chain(chain_id: int, some: Sequence[ReminderEmail]) -> None:
            try:
                facts[chain_id] = await in_time(self._readers[chain_id].read_facts(some))
            except ServiceError as error:  # also `Misconfigured`, when a node denies a contract
                log.warning("chain_not_readable", chain_id=chain_id, error=type(error).__name__)
                settled.extend(retry_later(entry, 5.0, "chain_not_readable") for entry in some)

        for chain_id in by_chain.keys() - self._readers.keys():  # a chain served before
            settled.extend(retry_later(entry, 300.0, "chain_not_configured") for entry in by_chain.pop(chain_id))
        await run_together(*(read_chain(chain_id, some) for chain_id, some in by_chain.items()))
        return facts, settled

    def _check_relevance(
        self, entry: ReminderEmail, legacy: LegacyFacts, facts: ReminderFacts
    ) -> RecipientRole | ReminderResult:
        """Return the recipient's role if the email is still due."""
        if entry.kind in ACTIVATIONS:
            return RecipientRole(entry.role)
        if entry.kind in KIND_WINDOWS:
            if entry.legacy not in facts.windows:
                return self._settle_unreadable(entry)
            if not _is_still_open(entry, legacy, facts.windows[entry.legacy]):
                return drop_email(entry, "window_closed")
            if not is_named(_find_line(entry), make_membership(legacy.members, ())):
                return drop_email(entry, "not_in_audience")
        if entry.kind is ReminderKind.INSTRUCTIONS and not legacy.is_live:
            return drop_email(entry, "legacy_not_live")  # the recipients would wait in vain
        if entry.kind is ReminderKind.AUTO_RENEW_BUDGET:
            state = facts.renewals.get(entry.legacy)
            if state is None:
                return self._settle_unreadable(entry)
            over = _find_reason_not_to_ask(entry, legacy, state, facts.head.timestamp)
            if over is not None:
                return drop_email(entry, over)
        if entry.legacy in facts.safes:
            is_true = _fits_safe(entry.kind, facts.safes[entry.legacy])
            if is_true is None:
                return self._settle_unreadable(entry)
            if not is_true:
                return drop_email(entry, "window_closed")
        if entry.kind in OWNER_WARNINGS:
            over = _find_reason_not_to_warn(entry, legacy, facts)
            if over is not None:
                return drop_email(entry, over)
        if entry.kind is ReminderKind.RECIPIENTS_GAP and entry.recipient == legacy.members.creator:
            return RecipientRole.OWNER  # also where no reminders are configured: nobody else would say so
        if facts.configs is None:
            return retry_later(entry, 5.0, "indexer_unavailable")
        may_act = KIND_WINDOWS.get(entry.kind) in READY_WINDOWS
        role = facts.find_audience(legacy, facts.configs, _find_line(entry), may_act=may_act).get(entry.recipient)
        if role is None or not _is_for_role(entry, role):
            return _settle_outsider(entry)
        return role

    def _settle_unreadable(self, entry: ReminderEmail) -> ReminderResult:
        if datetime.now(UTC) - entry.created_at > self._max_age:
            return drop_email(entry, "legacy_not_readable")
        return retry_later(entry, 300.0, "legacy_not_readable")

    def _render_email(self, entry: ReminderEmail, facts: ReminderFacts) -> ReadyReminder | ReminderResult:
        legacy = facts.legacies.get(entry.legacy)
        if legacy is None:
            return self._settle_unreadable(entry)
        role = self._check_relevance(entry, legacy, facts)
        if isinstance(role, EmailSettlement):
            return role
        if entry.undecided:
            deadline = _find_deadline(entry, legacy, facts.head.timestamp)
            return self._open_body(entry, None if deadline is None else format_deadline(deadline))
        if entry.stored is None:
            return drop_email(entry, "erased")
        try:
            key = self._vault.record_key(entry.stored.salt, entry.stored.key_id)
            at = (entry.chain_id, entry.legacy, entry.recipient)
            email = key.open(entry.stored.email, recipient_context("email", *at)).decode()
            name = key.open(entry.stored.name, recipient_context("name", *at)).decode()
            words = open_words(key, at, entry.stored.words)
        except DecryptionFailed:
            return self._settle_undecryptable(entry)
        if not may_mail(email, self._chains[entry.chain_id].settings, self._settings):
            return drop_email(entry, "test_chain")
        wording = find_wording(entry.kind, role, legacy.legacy_type)
        to = EmailAddressee(
            email, name, wording, entry.recipient, words.language, words.time_zone, email_hash=entry.email_hash
        )
        number = make_number()
        body = self._build_body(entry, legacy, facts, to, words, number)
        sealed = key.seal(body, email_body_context(entry.id))
        return RenderedEmail(entry, body, sealed, entry.stored.salt, hash_number(number))

    def _build_body(
        self,
        entry: ReminderEmail,
        legacy: LegacyFacts,
        facts: ReminderFacts,
        to: EmailAddressee,
        words: RecipientWords,
        number: str,
    ) -> bytes:
        about = describe_legacy(legacy, words, self._chains[entry.chain_id].settings, self._settings.service)
        extra: dict[str, object] = {}
        if entry.kind is ReminderKind.ACTIVATED_TRANSFER:
            extra["amounts"] = format_amounts(facts.amounts.get(entry.id, []))
        elif entry.kind is ReminderKind.INSTRUCTIONS:
            told = facts.told.get((entry.legacy, entry.event), {}) if to.role is RecipientRole.OWNER else {}
            extra["told"] = format_role_counts(told)
        elif entry.kind is ReminderKind.RECIPIENTS_GAP:
            extra["people"] = _list_gaps(entry, facts)
        elif entry.kind in KIND_WINDOWS:
            due, turn = read_window_deadline(entry.event), read_window_turn(entry.event)
            premium_until = facts.expiries.get(legacy.members.creator)
            extra = describe_turn(KIND_WINDOWS[entry.kind], due, turn, to.role, premium_until)
        deadline = _find_deadline(entry, legacy, facts.head.timestamp)
        return build_reminder_body(entry.kind, to, about, deadline, number, **extra)

    def _open_body(self, entry: ReminderEmail, deadline: str | None) -> ReadyReminder | ReminderResult:
        if entry.body is None or entry.stored is None:
            return drop_email(entry, "body_gone")
        try:
            key = self._vault.record_key(entry.stored.salt, entry.stored.key_id)
            body = key.open(entry.body, email_body_context(entry.id))
        except DecryptionFailed:
            return self._settle_undecryptable(entry)
        if msgspec.json.decode(body)["variables"].get("deadline") != deadline:
            return render_again(entry)
        return RenderedEmail(entry, body, entry.body, entry.stored.salt)

    def _settle_undecryptable(self, entry: ReminderEmail) -> ReminderResult:
        log.error("entry_not_decryptable", chain_id=entry.chain_id, legacy=entry.legacy, recipient=entry.recipient)
        return retry_later(entry, 3600.0, "not_decryptable", tries=1)


def _settle_outsider(entry: ReminderEmail) -> ReminderResult:
    """Settle an email whose recipient is not in the audience.

    A lagging node may not know a new heir yet. Windows and budgets are planned again. Other emails wait for ten
    minutes: no served node lags more.
    """
    if entry.kind in PLANNED_AGAIN or datetime.now(UTC) - entry.created_at > timedelta(minutes=10):
        return drop_email(entry, "not_in_audience")
    return retry_later(entry, 60.0, "not_in_audience")


def describe_turn(
    window: int, deadline: int, turn: int, role: RecipientRole, premium_until: int | None
) -> dict[str, object]:
    """Return the variables about further emails. `premium_until`: end of the owner's Premium; None if it was not read.

    A heir learns until which day we remind if that is before the next further email.
    """
    variables: dict[str, object] = {}
    if turn:
        variables["remindersLeft"] = count_left(window, turn)
    if window not in CLAIM_WINDOWS or not is_for_further(window, role):
        return variables
    if turn:
        variables["daysOpen"] = CLAIM_DAYS[turn - 1]
    if premium_until is not None:
        end = find_end_of_reminders(window, deadline, turn, premium_until)
        if end is not None:
            variables["remindedUntil"] = format_deadline(end)
    return variables


def _is_for_role(entry: ReminderEmail, role: RecipientRole) -> bool:
    """Return whether the email still goes to a person of the audience who has this role now."""
    if entry.kind in KIND_WINDOWS and read_window_turn(entry.event):
        return is_for_further(KIND_WINDOWS[entry.kind], role)
    return entry.kind not in OWNER_ONLY or role is RecipientRole.OWNER


def _find_line(entry: ReminderEmail) -> int:
    if entry.kind in KIND_WINDOWS:
        return WINDOW_LINES[KIND_WINDOWS[entry.kind]]
    if entry.kind is ReminderKind.INSTRUCTIONS:
        return ALL_LINES
    if entry.kind in OWNER_ONLY:
        return 1
    return clamp_line(read_signal_layer(entry.event))


def _is_still_open(entry: ReminderEmail, legacy: LegacyFacts, windows: Collection[int]) -> bool:
    """Return whether the same window is open for the same deadline. A new deadline is another reminder."""
    window = KIND_WINDOWS[entry.kind]
    if window not in windows:
        return False
    return read_window_deadline(entry.event) == window_deadline(window, legacy.triggers)


def _fits_safe(kind: ReminderKind, safe: SafeState) -> bool | None:
    """Return whether an email is true of the Safe's guard and module; None if that cannot be told."""
    needed = [safe.guarded]
    if kind is ReminderKind.GUARD_REMOVED:
        needed = [_negate(safe.guarded)]
    elif kind is ReminderKind.MODULE_DISABLED:
        needed.append(_negate(safe.enabled))
    elif KIND_WINDOWS.get(kind) in CLAIM_WINDOWS:
        needed.append(safe.enabled)
    elif kind not in KIND_WINDOWS:
        return True
    if False in needed:
        return False
    return None if None in needed else True


def _negate(value: bool | None) -> bool | None:
    return None if value is None else not value


def _find_reason_not_to_ask(entry: ReminderEmail, legacy: LegacyFacts, state: RenewState, now: int) -> str | None:
    """Return the reason not to ask the owner to check in, or None. Our renewals do not move the anchor."""
    if not state.enabled or not legacy.is_live:
        return "auto_renew_off"
    if read_budget_anchor(entry.event) != state.budget_anchor:
        return "checked_in"
    step = budget_step(state.budget_end, now)
    if step is None or entry.event != format_budget_event(state.budget_anchor, step):
        return "window_closed"
    return None


def _find_reason_not_to_warn(entry: ReminderEmail, legacy: LegacyFacts, facts: ReminderFacts) -> str | None:
    """Return the reason not to warn the owner about Premium or the Safe, or None."""
    if not legacy.is_live:
        return "legacy_not_live"
    if entry.kind is ReminderKind.RECIPIENTS_GAP and not _list_gaps(entry, facts):
        return "window_closed"
    if entry.kind in SAFE_TROUBLES or entry.kind is ReminderKind.RECIPIENTS_GAP:
        return "not_premium" if facts.expiries[entry.recipient] < facts.head.timestamp else None
    expiry, end = facts.expiries[entry.recipient], read_premium_expiry(entry.event)
    if expiry not in (0, end):  # 0: Premium was reset
        return "premium_renewed"
    has_lapsed = expiry < facts.head.timestamp
    return None if has_lapsed == (entry.kind is ReminderKind.PREMIUM_LAPSED) else "window_closed"


def _list_gaps(entry: ReminderEmail, facts: ReminderFacts) -> list[dict[str, str]]:
    """Return the variable `people` of an email about people without emails; empty if everybody gets them."""
    gap = facts.gaps.get(entry.legacy)
    return [] if gap is None else format_gaps(gap)


def _find_deadline(entry: ReminderEmail, legacy: LegacyFacts, now: int) -> int | None:
    if entry.kind in KIND_WINDOWS:
        return read_window_deadline(entry.event)
    if entry.kind is ReminderKind.AUTO_RENEW_BUDGET:
        return read_budget_anchor(entry.event) + BUDGET_SECONDS
    if entry.kind in ENDS_OF_PREMIUM:
        return read_premium_expiry(entry.event)
    if entry.kind in ACTIVATIONS or legacy.triggers[0] <= now:
        return None
    return legacy.triggers[0]


def find_wording(kind: ReminderKind, role: RecipientRole, legacy_type: int) -> RecipientRole:
    """Return the role that words an email. A Safe's creator gets a signer's words: only the Safe resets its timer."""
    of_the_timer = kind in KIND_WINDOWS or kind is ReminderKind.OWNER_RESET
    is_safe_owner = role is RecipientRole.OWNER and legacy_type == SAFE
    return RecipientRole.COSIGNER if of_the_timer and is_safe_owner else role


def describe_legacy(
    legacy: LegacyFacts, words: RecipientWords, chain: ChainSettings, service: ServiceSettings
) -> LegacySubject:
    path = service.legacy_path.replace("{chainId}", str(chain.chain_id)).replace("{legacy}", legacy.legacy)
    return LegacySubject(
        chain_id=chain.chain_id,
        chain_name=chain.shown_name,
        legacy=legacy.legacy,
        legacy_id=legacy.legacy_id,
        owner=legacy.owner,
        page=service.app_origin + path,
        is_own_page=service.leads_to_legacy_pages,
        router=legacy.router,
        claim_function=CLAIM_FUNCTION_OF_SAFES if legacy.legacy_type == SAFE else CLAIM_FUNCTION,
        name=_clean_legacy_name(legacy.name),
        owner_name=words.owner_name,
        title=words.title,
    )


@lru_cache(maxsize=10_000)
def _clean_legacy_name(name: str) -> str:
    """Return a legacy's name if it is acceptable as a person's name, else nothing: it is a stranger's text."""
    try:
        return check_mailed_name(name)
    except ValueError:
        return ""
