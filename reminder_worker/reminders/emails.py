"""Reminders in the outbox: entries of the sent-ledger, and which of them may be claimed now.

A recipient gets at most one email of a kind per legacy in 24 hours (docs/specification.md). Of owner resets and
transfer activations, the latest speaks for those before it. Reminders of windows are merged only if they are about the
same deadline: only the chain knows which deadline still holds, so the newest goes first and the others wait.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from sqlalchemy import Row, Text, TextClause, cast, exists, text
from sqlalchemy.ext.asyncio import AsyncConnection

from reminder_worker.database.queries import array_text, json_text
from reminder_worker.outbox.messages import KIND_WINDOWS, ReminderKind
from reminder_worker.outbox.models import ClaimedEmail, ClaimSelection, EmailSettlement, EmailStatements
from reminder_worker.outbox.operator import OperatorLedger
from reminder_worker.outbox.tables import sent_ledger
from reminder_worker.reminders.audience import (
    MERGED_WITHIN_A_DAY,
    PLANNED_AGAIN,
    read_window_deadline,
    read_window_turn,
)
from reminder_worker.reminders.tables import recipient, sql

LIMITED_KINDS = frozenset(KIND_WINDOWS) | MERGED_WITHIN_A_DAY
EmailGroup = tuple[int, str, str, str]


@dataclass(slots=True, eq=False)
class EncryptedRecipient:
    """A row of `recipient`, still encrypted."""

    key_id: str
    salt: bytes = field(repr=False)
    email: bytes = field(repr=False)
    name: bytes = field(repr=False)
    words: bytes | None = field(default=None, repr=False)


@dataclass(slots=True, eq=False)
class ReminderEmail(ClaimedEmail):
    """A claimed entry of the sent-ledger.

    `reworded`: the stored body is gone, and only the name or role of its recipient changed since. `counted_on` is None
    if an undecided entry used the quota of another address.
    """

    kind: ReminderKind
    legacy: str
    recipient: str
    event: str
    role: str
    created_at: datetime
    stored: EncryptedRecipient | None
    reworded: bool = False
    sent_meanwhile: bool = False

    @property
    def email_group(self) -> EmailGroup:
        """Return chain, legacy, recipient and kind, for the rules on repetition."""
        return (self.chain_id, self.legacy, self.recipient, self.kind)


@dataclass(frozen=True, slots=True)
class SiblingEmail:
    """Another entry of the same group. `until`: how long it blocks its siblings; None if it was not sent.

    An entry that was sent, or may have been, blocks them for 24 hours; an entry in flight until its lease expires.
    """

    id: UUID
    event: str
    created_at: datetime
    until: datetime | None


AnyEmail = ReminderEmail | SiblingEmail


@dataclass(slots=True)
class ClaimDecision:
    """Entries to claim, to merge into a later one, and to defer until a time. Others stay as they are.

    `hurry`: unblocked entries with others merged into them.
    """

    claim: list[ReminderEmail] = field(default_factory=list)
    merge: dict[UUID, UUID] = field(default_factory=dict)
    defer: dict[UUID, datetime] = field(default_factory=dict)
    hurry: list[UUID] = field(default_factory=list)


class ReminderLedger:
    """The sent-ledger, for the outbox (`EmailLedger`)."""

    statements = EmailStatements.load(sql)
    values: Mapping[str, Any] = {"limited": sorted(LIMITED_KINDS), "lasting": sorted(PLANNED_AGAIN)}

    def read_entry(self, row: Row[Any], *, undecided: bool = False) -> ReminderEmail:
        """Read six columns of every email, five of a reminder, five of its recipient, and those of `claim_unknown`."""
        values: Sequence[Any] = tuple(row)
        id, chain_id, kind, tries, rejections, email_hash = values[:6]
        legacy, recipient, event, role, created_at = values[6:11]
        stored = None if email_hash is None else EncryptedRecipient(*values[11:16])
        body, counted_on, reworded, sent_meanwhile = values[16:20] if undecided else (None, None, False, False)
        return ReminderEmail(
            id,
            chain_id,
            ReminderKind(kind),
            tries,
            rejections,
            email_hash,
            body,
            undecided,
            counted_on,
            legacy,
            recipient,
            event,
            role,
            created_at,
            stored,
            reworded,
            sent_meanwhile,
        )

    async def select(
        self,
        connection: AsyncConnection,
        rows: Sequence[Row[Any]],
        entries: Sequence[ReminderEmail],
        token: UUID,
    ) -> ClaimSelection[ReminderEmail]:
        """Delete entries without a recipient, settle those of people without email, apply the rules on repetition."""
        orphans = [entry.id for entry in entries if entry.stored is None]
        unsubscribed, bounced, crowded = list[UUID](), list[UUID](), set[UUID]()
        for row in rows:
            if row.suppressed:
                unsubscribed.append(row.id)
            elif row.bounced:
                bounced.append(row.id)
            if row.crowded:
                crowded.add(row.id)
        await _run_with_ids(connection, sql["delete_orphans"], orphans)
        await _run_with_ids(connection, sql["suppress"], unsubscribed, reason="suppressed")
        await _run_with_ids(connection, sql["suppress"], bounced, reason="bounced")
        settled = {*orphans, *unsubscribed, *bounced}
        due = [entry for entry in entries if entry.id not in settled]
        siblings = await _read_siblings(connection, [entry for entry in due if entry.id in crowded], token)
        decision = decide_claim(due, siblings)
        decided = {*decision.merge, *(entry.id for entry in decision.claim)}
        put_back = [entry.id for entry in due if entry.id not in decided]
        await _run_with_ids(connection, sql["put_back"], put_back)
        if decision.merge:
            merged = [{"id": id, "into_id": into} for id, into in decision.merge.items()]
            await connection.execute(sql["merge"], {"rows": json_text(merged)})
        if decision.defer:
            deferred = [{"id": id, "until": until} for id, until in decision.defer.items()]
            await connection.execute(sql["defer"], {"rows": json_text(deferred)})
        await _run_with_ids(connection, sql["hurry"], decision.hurry)
        return ClaimSelection(decision.claim, len(decision.merge), len(decision.defer), len(settled))

    async def finish_settling(
        self, connection: AsyncConnection, settlements: Sequence[EmailSettlement[ReminderEmail]]
    ) -> None:
        """Check the windows of dropped entries again.

        A lagging node may have caused the drop: it does not know the latest windows and heirs.
        """
        legacies = set()
        for settlement in settlements:
            entry = settlement.entry
            if settlement.state == "dropped" and entry.kind in KIND_WINDOWS:
                legacies.add((entry.chain_id, entry.legacy))
        if legacies:
            rows = [{"chain_id": chain_id, "legacy": legacy} for chain_id, legacy in sorted(legacies)]
            await connection.execute(sql["ask_again"], {"rows": json_text(rows)})


def decide_claim(due: Sequence[ReminderEmail], siblings: Mapping[EmailGroup, Sequence[SiblingEmail]]) -> ClaimDecision:
    """Apply the rules on repetition. `siblings`: unsent entries and those of the last 24 hours, without those in
    `due`."""
    decision = ClaimDecision()
    groups: dict[EmailGroup, list[ReminderEmail]] = defaultdict(list)
    for entry in due:
        if entry.kind in LIMITED_KINDS:
            groups[entry.email_group].append(entry)
        else:
            decision.claim.append(entry)
    for group, entries in groups.items():
        others = siblings.get(group, ())
        if len(entries) == 1 and not others:
            decision.claim.append(entries[0])
        else:
            _decide_group(decision, ReminderKind(group[3]), entries, others)
    return decision


def _decide_group(
    decision: ClaimDecision, kind: ReminderKind, due: Sequence[ReminderEmail], others: Sequence[SiblingEmail]
) -> None:
    unsent: list[AnyEmail] = [*due, *(other for other in others if other.until is None)]
    merged, waiting = dict[UUID, UUID](), list[UUID]()
    for alike in _list_alike(kind, unsent):
        latest = max(alike, key=partial(_find_order, kind))
        merged.update({entry.id: latest.id for entry in alike if entry is not latest})
        if len(alike) > 1 and latest not in due:
            waiting.append(latest.id)
    decision.merge.update(merged)
    candidates = [entry for entry in due if entry.id not in merged]
    blocked_until = [other.until for other in others if other.until is not None]
    if blocked_until:
        decision.defer.update({entry.id: max(blocked_until) for entry in candidates})
    elif candidates:
        decision.claim.append(max(candidates, key=_find_age))
    else:
        decision.hurry.extend(waiting)


def _list_alike(kind: ReminderKind, unsent: Sequence[AnyEmail]) -> list[list[AnyEmail]]:
    """Group unsent emails; the latest of each group speaks for the others.

    Emails of windows: only those about the same deadline.
    """
    groups: dict[int, list[AnyEmail]] = defaultdict(list)
    for entry in unsent:
        groups[0 if kind in MERGED_WITHIN_A_DAY else read_window_deadline(entry.event)].append(entry)
    return list(groups.values())


def _find_order(kind: ReminderKind, entry: AnyEmail) -> tuple[int, datetime, UUID]:
    """Return the sort key within a group of `_list_alike`: of one deadline, the later turn is the latest."""
    turn = 0 if kind in MERGED_WITHIN_A_DAY else read_window_turn(entry.event)
    return turn, *_find_age(entry)


def _find_age(entry: AnyEmail) -> tuple[datetime, UUID]:
    return entry.created_at, entry.id


async def _run_with_ids(connection: AsyncConnection, statement: TextClause, ids: Sequence[UUID], **values: str) -> None:
    if ids:
        await connection.execute(statement, {"ids": array_text(ids), **values})


async def _read_siblings(
    connection: AsyncConnection, entries: Sequence[ReminderEmail], token: UUID
) -> dict[EmailGroup, list[SiblingEmail]]:
    groups = {entry.email_group for entry in entries}
    if not groups:
        return {}
    keys = [dict(zip(("chain_id", "legacy", "recipient", "kind"), group, strict=True)) for group in groups]
    found: dict[EmailGroup, list[SiblingEmail]] = defaultdict(list)
    for row in await connection.execute(sql["siblings"], {"rows": json_text(keys), "token": token}):
        sibling = SiblingEmail(row.id, row.event, row.created_at, row.until)
        found[(row.chain_id, row.legacy, row.recipient, row.kind)].append(sibling)
    return found


REMINDERS_FOR_OPERATORS = OperatorLedger(
    sent_ledger,
    about=cast(sent_ledger.c.legacy, Text),
    # A new address gets no email about a past event.
    same_recipient=exists().where(
        recipient.c.chain_id == sent_ledger.c.chain_id,
        recipient.c.legacy == sent_ledger.c.legacy,
        recipient.c.recipient == sent_ledger.c.recipient,
        recipient.c.written_at <= sent_ledger.c.claimed_at,
    ),
    # Plan the open windows again, for the recipients of now.
    plan_again=text("""
        update worker.due_window d set planned_at = null from worker.sent_ledger l
        where l.id = :id and d.chain_id = l.chain_id and d.legacy = l.legacy and d.state <> 'closed'
    """),
)
