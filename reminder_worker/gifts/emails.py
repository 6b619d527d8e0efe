"""Emails of gifts: an announcement on the giver's day and an email on opening day, at most once."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar
from uuid import UUID

import msgspec
import structlog
from sqlalchemy import Row, Text, cast, exists, func, literal, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.concurrency import run_together
from reminder_worker.database.engine import through_deadlocks
from reminder_worker.database.queries import estimate_rows, json_text, read_rows
from reminder_worker.database.rotation import SealedTable
from reminder_worker.errors import ChainUnavailable, DecryptionFailed, NotConfigured, ServiceError
from reminder_worker.gifts.claim_link import ClaimLink, LinkRules, rebuild_link
from reminder_worker.gifts.gift_givers import UNOPENED_SECONDS, GiverAddress, make_giver_context, plan_giver_emails
from reminder_worker.gifts.gift_reminders import (
    REMINDER_DAYS,
    ReminderAddress,
    find_reminder_time,
    is_reminder_due,
    make_reminder_context,
    plan_reminders,
)
from reminder_worker.gifts.notifications import NotificationPayload, make_payload_context
from reminder_worker.gifts.pages import GiftReader, TimelockedGift
from reminder_worker.gifts.tables import gift_giver, gift_ledger, gift_notification, gift_reminder, sql
from reminder_worker.outbox import outcomes
from reminder_worker.outbox.daily_quota import DailyQuota
from reminder_worker.outbox.dispatcher import DeliveryReport, OutboxDispatcher
from reminder_worker.outbox.email_numbers import hash_number, make_number
from reminder_worker.outbox.mail_client import MailClient
from reminder_worker.outbox.messages import GiftKind, GiftSubject, build_gift_body, may_mail
from reminder_worker.outbox.models import ClaimedEmail, ClaimSelection, EmailSettlement, EmailStatements, RenderedEmail
from reminder_worker.outbox.operator import OperatorLedger
from reminder_worker.privacy.vault import Vault
from reminder_worker.settings import Settings
from reminder_worker.settings.chains import find_test_chains

log = structlog.get_logger(__name__)
T = TypeVar("T")


class GiftsAreOthers(ChainUnavailable):
    """The gifts of several givers all differ from the registered ones. A failed upgrade explains this, a reorganisation
    does not. The emails wait: otherwise all would be dropped because their gifts seem to be others."""


@dataclass(slots=True)
class GiftMailReport(DeliveryReport):
    """Result of a run. `deleted`: rows shredded after their opening day."""

    deleted: int = 0
    unreadable_chains: list[int] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class StoredNotification:
    """A row of `gift_notification`, still encrypted. `written`: unix seconds; `long_known`: written longer ago than the
    retry window."""

    key_id: str
    salt: bytes = field(repr=False)
    payload: bytes = field(repr=False)
    owner: str
    recipient: str
    unlock_time: int
    long_known: bool
    written: int


@dataclass(slots=True, eq=False)
class GiftEmail(ClaimedEmail):
    """A claimed entry of the gift ledger.

    `stored` is None if the row of its gift was erased or replaced. `wanted`: the giver still asks for this email.
    """

    email_hash: bytes = field(repr=False)
    timelock_id: int
    suppressed: bool
    bounced: bool
    wanted: bool | None
    stored: StoredNotification | None


class GiftLedger:
    """The gift ledger, for the outbox (`EmailLedger`). `values`: times of the chains' latest blocks, retry window."""

    statements = EmailStatements.load(sql)

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values

    def read_entry(self, row: Row[Any], *, undecided: bool = False) -> GiftEmail:
        """Read eight columns of every email, four of a gift's, and eight of its notification."""
        values: Sequence[Any] = tuple(row)
        stored = None if row.salt is None else StoredNotification(*values[12:20])
        id, chain_id, kind, tries, rejections, email_hash, body, counted_on = values[:8]
        timelock_id, suppressed, bounced, wanted = values[8:12]
        return GiftEmail(
            id,
            chain_id,
            kind,
            tries,
            rejections,
            email_hash,
            body,
            undecided,
            counted_on,
            timelock_id,
            suppressed,
            bounced,
            wanted,
            stored,
        )

    async def select(
        self, connection: AsyncConnection, rows: Sequence[Row[Any]], entries: Sequence[GiftEmail], token: UUID
    ) -> ClaimSelection[GiftEmail]:
        return ClaimSelection(entries)

    async def finish_settling(
        self, connection: AsyncConnection, settlements: Sequence[EmailSettlement[GiftEmail]]
    ) -> None:
        pass


FoundGifts = Mapping[tuple[int, int], TimelockedGift | None]


@dataclass(frozen=True, slots=True)
class GiftBatchFacts:
    """Gifts of a batch at the latest blocks, and `heads`, the times of these blocks by chain (absent: not readable).

    `final`: finalized gifts of ids whose latest gift is claimed or another (absent: not confirmed by two endpoints).
    """

    latest: FoundGifts
    final: FoundGifts
    heads: Mapping[int, int]


class GiftMail:
    """Gift emails of all chains. A chain's latest block decides when a gift opens."""

    def __init__(
        self,
        engine: AsyncEngine,
        vault: Vault,
        chains: Mapping[int, Chain],
        gifts: GiftReader,
        mail: MailClient,
        settings: Settings,
    ) -> None:
        if settings.mail is None or settings.gifts is None:
            raise NotConfigured("no mail service is configured, or no gift is served")
        self._engine = engine
        self._vault = vault
        self._chains = chains
        self._gifts = gifts
        self._mail = mail
        self._settings = settings
        # Half of the cap that is shared with reminders, so that a flood of gifts keeps no reminder from its address.
        cap = max(1, settings.mail.daily_cap_per_address // 2)
        self._quota = DailyQuota(cap, find_test_chains(settings.chains))
        self._retry_window = settings.gifts.retry_window_seconds
        self._rules = LinkRules.from_origins(settings.gifts.origins, settings.gifts.prefix)

    async def poll(self) -> bool:
        """Return whether an email is due or in doubt, or a row to be deleted. Reads only each chain's latest block."""
        times = await self._read_head_times(GiftMailReport())
        async with self._engine.connect() as connection:
            return bool(await connection.scalar(sql["has_work"], times))

    async def run(self, budget_seconds: float = 90.0) -> GiftMailReport:
        """Raises errors of the database; if a chain or the mail service fails, the emails wait."""
        report = GiftMailReport()
        times = await self._read_head_times(report)
        await through_deadlocks(lambda: self._hurry_opened(times))
        await self.make_dispatcher(times, report).run(report, budget_seconds)
        # An erasure takes the same locks in another order.
        report.deleted = await through_deadlocks(lambda: self._delete_ended(times))
        return report

    def make_dispatcher(self, times: Mapping[str, Any], report: GiftMailReport) -> OutboxDispatcher[GiftEmail]:
        """Return the dispatcher of one run."""
        return OutboxDispatcher(self._engine, GiftRenderer(self, times, report), self._quota, self._mail)

    async def _hurry_opened(self, times: Mapping[str, Any]) -> None:
        async with self._engine.begin() as connection:
            await connection.execute(sql["hurry_opened"], times)
            await plan_reminders(connection, self._retry_window)
            await plan_giver_emails(connection, self._retry_window)

    async def _delete_ended(self, times: Mapping[str, Any]) -> int:
        async with self._engine.begin() as connection:
            done = (await connection.execute(sql["delete_done"], times)).all()
            late = (await connection.execute(sql["delete_late"], times)).all()
            await connection.execute(sql["delete_ended_reminders"])
            await connection.execute(sql["delete_ended_givers"])
        for row in late:
            log.warning("gift_email_too_late", chain_id=row.chain_id, timelock_id=row.timelock_id)
        return len(done) + len(late)

    async def _read_head_times(self, report: GiftMailReport) -> dict[str, Any]:
        """When gifts open is judged by each chain's latest block; a chain that cannot be read is left out."""
        async with self._engine.connect() as connection:
            chains = (await connection.scalars(sql["chains"])).all()
        asked = sorted(set(chains) & set(self._chains))
        found = await run_together(*(self._read_or_report(id, self._gifts.read_head_time(id), report) for id in asked))
        heads = [{"chain_id": id, "time": head} for id, head in zip(asked, found, strict=True) if head is not None]
        return {"heads": json_text(heads), "retry_window": self._retry_window}

    async def read_facts(self, entries: Sequence[GiftEmail], report: GiftMailReport) -> GiftBatchFacts:
        latest: dict[tuple[int, int], TimelockedGift | None] = {}
        final: dict[tuple[int, int], TimelockedGift | None] = {}
        heads: dict[int, int] = {}

        async def read(chain_id: int) -> None:
            some = [entry for entry in entries if entry.chain_id == chain_id]
            known = await self._read_or_report(chain_id, self._read_gifts(chain_id, some), report)
            if known is None:
                return
            gifts, heads[chain_id] = known
            gone = set[int]()
            for entry in some:
                gift = latest[chain_id, entry.timelock_id] = gifts.get(entry.timelock_id)
                if entry.stored is not None and _explain_gone(entry.stored, gift) is not None:
                    gone.add(entry.timelock_id)
            if not gone:
                return
            confirmed = await self._read_or_report(chain_id, self._gifts.read_finalized(chain_id, gone), report)
            if confirmed is not None:
                final.update({(chain_id, id): confirmed.get(id) for id in gone})

        await run_together(*(read(id) for id in {entry.chain_id for entry in entries} & set(self._chains)))
        return GiftBatchFacts(latest, final, heads)

    async def _read_gifts(self, chain_id: int, entries: Sequence[GiftEmail]) -> tuple[dict[int, TimelockedGift], int]:
        """As `GiftReader.read`. Raises `GiftsAreOthers`, too."""
        gifts, head = await self._gifts.read_gifts(chain_id, {entry.timelock_id for entry in entries})
        recipients = [(entry.timelock_id, entry.stored.recipient) for entry in entries if entry.stored]
        if recipients and not _has_any_gift(gifts, recipients):
            async with self._engine.connect() as connection:
                others = (await connection.execute(sql["registered"], {"chain_id": chain_id})).all()
            theirs, _ = await self._gifts.read_gifts(chain_id, {row.timelock_id for row in others})
            recipients = [(row.timelock_id, row.recipient) for row in others]
            if len({row.owner for row in others}) > 1 and not _has_any_gift(theirs, recipients):
                raise GiftsAreOthers("no gift is what was registered")
        return gifts, head

    async def _read_or_report(self, chain_id: int, reading: Awaitable[T], report: GiftMailReport) -> T | None:
        """None for a chain that cannot be read now. All are asked at once: it keeps no other waiting."""
        try:
            return await reading
        except ServiceError as error:  # also `Misconfigured`, when a node denies a contract
            log.warning("gifts_not_readable", chain_id=chain_id, error=type(error).__name__)
            report.unreadable_chains.append(chain_id)
            return None

    def render_email(
        self, entry: GiftEmail, facts: GiftBatchFacts
    ) -> RenderedEmail[GiftEmail] | EmailSettlement[GiftEmail]:
        """Render an email, or return the result if it is not to be posted now."""
        stored = entry.stored
        if stored is None:
            return outcomes.drop_email(entry, "erased")
        irrelevant = self._reject_irrelevant(entry, stored, facts)
        if irrelevant is not None:
            return irrelevant
        if entry.suppressed and not entry.undecided:
            return outcomes.settle_suppressed(entry)
        if entry.bounced and not entry.undecided:
            return outcomes.settle_suppressed(entry, "bounced")
        try:
            key = self._vault.record_key(stored.salt, stored.key_id)
            if entry.undecided:
                if entry.body is None:
                    return outcomes.drop_email(entry, "body_gone")
                return RenderedEmail(entry, key.open(entry.body, make_body_context(entry.id)), entry.body, stored.salt)
            payload = self._open_payload(entry, key.open, stored.payload)
        except DecryptionFailed:
            log.error("gift_not_decryptable", chain_id=entry.chain_id, timelock_id=entry.timelock_id)
            return _retry_in_half_an_hour(entry, "not_decryptable")
        chain = self._chains[entry.chain_id].settings
        if not may_mail(payload.email, chain, self._settings):
            return outcomes.drop_email(entry, "test_chain")
        about = GiftSubject(
            chain_id=entry.chain_id,
            chain_name=chain.shown_name,
            timelock_id=entry.timelock_id,
            recipient=stored.recipient,
            router=chain.time_lock_router,
            unlock_time=stored.unlock_time,
        )
        number = make_number()
        body = build_gift_body(
            GiftKind(entry.kind),
            payload.email,
            payload.recipient_name,
            payload.giver_name,
            payload.link,
            about,
            entry.email_hash,
            payload.language,
            number,
        )
        sealed = key.seal(body, make_body_context(entry.id))
        return RenderedEmail(entry, body, sealed, stored.salt, hash_number(number))

    def _open_payload(
        self, entry: GiftEmail, decrypt: Callable[[bytes, str], bytes], payload: bytes
    ) -> NotificationPayload:
        """Return the words of an email. A reminder has no names. Its link has no fragment, nor has that of a giver."""
        at = (entry.chain_id, entry.timelock_id)
        kind = GiftKind(entry.kind)
        if kind not in REMINDER_DAYS and not kind.is_for_giver:
            opened = msgspec.json.decode(decrypt(payload, make_payload_context(*at)), type=NotificationPayload)
            return replace(opened, link=rebuild_link(opened.link, self._rules))
        link = ClaimLink(self._rules.origins[0], self._rules.prefix, *at).url
        if kind.is_for_giver:
            giver = msgspec.json.decode(decrypt(payload, make_giver_context(*at)), type=GiverAddress)
            return NotificationPayload(giver.email, giver.recipient_name, giver.giver_name, link, giver.language)
        address = msgspec.json.decode(decrypt(payload, make_reminder_context(*at)), type=ReminderAddress)
        return NotificationPayload(address.email, "", "", link, address.language)

    def _reject_irrelevant(
        self, entry: GiftEmail, stored: StoredNotification, facts: GiftBatchFacts
    ) -> EmailSettlement[GiftEmail] | None:
        """Return the result of an email that is not to be sent now; None: send it."""
        if entry.chain_id not in self._chains:  # it was served once, and may be again
            return _retry_in_half_an_hour(entry, "chain_not_configured")
        if entry.chain_id not in facts.heads:
            return outcomes.retry_later(entry, 30.0, "chain_not_readable")
        at, head = (entry.chain_id, entry.timelock_id), facts.heads[entry.chain_id]
        gone = _explain_gone(stored, facts.latest[at])
        tells_opened = entry.kind == GiftKind.GIVER_OPENED
        if gone is not None:
            is_final = at in facts.final and _explain_gone(stored, facts.final[at]) == gone
            if tells_opened and gone == "claimed" and is_final:
                return None
            if gone == "gift_is_another":
                log.error("gift_is_another", chain_id=entry.chain_id, timelock_id=entry.timelock_id)
                # Else the node lags and does not know the gift yet.
                is_final = is_final and stored.long_known and head >= stored.written
            return outcomes.drop_email(entry, gone) if is_final else _retry_in_half_an_hour(entry, gone)
        if tells_opened:  # the node lags, or the chain was reorganised
            return _retry_in_half_an_hour(entry, "not_opened")
        if not entry.wanted:
            return outcomes.drop_email(entry, "not_wanted")
        if entry.kind == GiftKind.GIVER_RETURNED:
            return None
        if entry.kind == GiftKind.GIVER_UNOPENED:
            is_due = head >= stored.unlock_time + UNOPENED_SECONDS
            return None if is_due else _retry_in_half_an_hour(entry, "not_open_yet")
        if entry.kind in REMINDER_DAYS:
            if head > find_reminder_time(GiftKind(entry.kind), stored.unlock_time) + self._retry_window:
                return outcomes.drop_email(entry, "too_late")  # the next one says the same, also after a long stop
            is_due = is_reminder_due(GiftKind(entry.kind), stored.unlock_time, head)
            return None if is_due else _retry_in_half_an_hour(entry, "not_open_yet")
        if entry.kind == GiftKind.GIFT_WAITING:
            return outcomes.drop_email(entry, "open_already") if head >= stored.unlock_time else None
        return outcomes.retry_later(entry, 30.0, "not_open_yet") if head < stored.unlock_time else None


class GiftRenderer:
    """Gift emails of one run, for the outbox (`EmailFamily`)."""

    batch_size = first_batch_size = 64

    def __init__(self, mail: GiftMail, times: Mapping[str, Any], report: GiftMailReport) -> None:
        self.ledger = GiftLedger(times)
        self._mail = mail
        self._report = report

    async def render(
        self, entries: Sequence[GiftEmail]
    ) -> tuple[list[RenderedEmail[GiftEmail]], list[EmailSettlement[GiftEmail]]]:
        """Render each email from the gift on chain now, the stored address and the current texts. An undecided email is
        posted as stored if it is still true."""
        facts = await self._mail.read_facts(entries, self._report)
        ready: list[RenderedEmail[GiftEmail]] = []
        settled: list[EmailSettlement[GiftEmail]] = []
        for entry in entries:
            result = self._mail.render_email(entry, facts)
            if isinstance(result, RenderedEmail):
                ready.append(result)
            else:
                settled.append(result)
        return ready, settled

    def never_arrived(self, entry: GiftEmail) -> EmailSettlement[GiftEmail] | None:
        """Return the result of an undecided entry that the mail service does not know; None: post it again as is. If
        its body is gone, the person registered now gets a new email."""
        if entry.body is not None and entry.stored is not None:
            return None
        return outcomes.render_again(entry) if entry.wanted else outcomes.drop_email(entry, "body_gone")


def _retry_in_half_an_hour(entry: GiftEmail, reason: str) -> EmailSettlement[GiftEmail]:
    return outcomes.retry_later(entry, 1800.0, reason)


def _explain_gone(stored: StoredNotification, gift: TimelockedGift | None) -> str | None:
    """Return why the gift as registered no longer exists, as a code; None: it exists."""
    # A reorganisation may have given the id to another giver's gift, which may be over by now.
    registered = stored.owner, stored.recipient, stored.unlock_time
    if gift is None or (gift.owner, gift.recipient, gift.unlock_time) != registered:
        return "gift_is_another"
    return "claimed" if gift.is_ended else None


def _has_any_gift(gifts: Mapping[int, TimelockedGift], recipients: Sequence[tuple[int, str]]) -> bool:
    found = {(id, gift.recipient) for id, gift in gifts.items()}
    return not found.isdisjoint(recipients)


def make_body_context(id: UUID) -> str:
    """Where a stored body belongs."""
    return f"gift_ledger.body|{id}"


SEALED_REMINDERS = SealedTable(
    gift_reminder,
    ("chain_id", "timelock_id"),
    ("payload",),
    lambda _, *at: make_reminder_context(*at),
    gift_ledger,
    make_body_context,
)
SEALED_GIVERS = SealedTable(
    gift_giver,
    ("chain_id", "timelock_id"),
    ("payload",),
    lambda _, *at: make_giver_context(*at),
    gift_ledger,
    make_body_context,
)
SEALED = SealedTable(
    gift_notification,
    ("chain_id", "timelock_id"),
    ("payload",),
    lambda _, *at: make_payload_context(*at),
    gift_ledger,
    make_body_context,
)
GIFTS_FOR_OPERATORS = OperatorLedger(
    gift_ledger,
    about=literal("gift ") + cast(gift_ledger.c.timelock_id, Text),
    same_recipient=or_(
        *(
            exists().where(
                table.c.chain_id == gift_ledger.c.chain_id,
                table.c.timelock_id == gift_ledger.c.timelock_id,
                table.c.email_hash == gift_ledger.c.email_hash,
                kinds,
            )
            for table, kinds in (
                (gift_notification, gift_ledger.c.kind.in_([GiftKind.GIFT_WAITING, GiftKind.GIFT_UNLOCKED])),
                (gift_reminder, gift_ledger.c.kind.startswith("gift_reminder")),
                (gift_giver, gift_ledger.c.kind.startswith("giver_")),
            )
        )
    ),
)


@dataclass(frozen=True, slots=True)
class GiftEmailCount:
    """Remembered emails of gifts, by kind, state and reason."""

    chain_id: int
    kind: str
    state: str
    reason: str | None
    count: int


async def count_gift_emails(engine: AsyncEngine) -> list[GiftEmailCount]:
    """Count the emails of gifts that are remembered."""
    t = gift_ledger.c
    group = (t.chain_id, t.kind, t.state, t.reason)
    return await read_rows(engine, GiftEmailCount, select(*group, func.count()).group_by(*group).order_by(*group))


async def count_notifications(engine: AsyncEngine) -> int:
    """Count the gifts whose recipient is still to be written to, on opening day at the latest."""
    return await estimate_rows(engine, gift_notification)
