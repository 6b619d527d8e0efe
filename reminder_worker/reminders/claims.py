"""Which of the entries that are due may be claimed now. No I/O.

At most one email of a kind per legacy and recipient in 24 hours (docs/specification.md). Of owner resets
and transfer activations the latest speaks for those before it. Reminders of windows are never merged: which deadline
still holds only the chain knows, so the newest goes first and the others wait.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from reminder_worker.outbox.messages import KIND_WINDOWS, Kind
from reminder_worker.reminders.audience import MERGED_WITHIN_A_DAY
from reminder_worker.reminders.entries import Entry, Group

LIMITED = frozenset(KIND_WINDOWS) | MERGED_WITHIN_A_DAY


@dataclass(frozen=True, slots=True)
class Sibling:
    """Another entry of the same group. `until`: how long it keeps the others back; None if it was not sent.

    One that was sent, or may have been, does so for 24 hours; one under way until its lease is over, since by then it
    is known whether it was sent.
    """

    id: UUID
    created_at: datetime
    until: datetime | None


@dataclass(slots=True)
class Decision:
    """Entries to claim, to merge into a later one, and to put off until a time. Others stay as they are.

    `hurry`: waiting entries that others are merged into, and that nothing keeps back any more.
    """

    claim: list[Entry] = field(default_factory=list)
    merge: dict[UUID, UUID] = field(default_factory=dict)
    defer: dict[UUID, datetime] = field(default_factory=dict)
    hurry: list[UUID] = field(default_factory=list)


def decide(due: Sequence[Entry], siblings: Mapping[Group, Sequence[Sibling]]) -> Decision:
    """`siblings` by group: the unsent ones and those of the last 24 hours, without those in `due`."""
    decision = Decision()
    groups: dict[Group, list[Entry]] = defaultdict(list)
    for entry in due:
        if entry.kind in LIMITED:
            groups[entry.group].append(entry)
        else:
            decision.claim.append(entry)
    for group, entries in groups.items():
        others = siblings.get(group, ())
        if len(entries) == 1 and not others:
            decision.claim.append(entries[0])
        else:
            _decide_group(decision, Kind(group[3]), entries, others)
    return decision


def _decide_group(decision: Decision, kind: Kind, due: Sequence[Entry], others: Sequence[Sibling]) -> None:
    candidates, waiting = list(due), list[UUID]()
    if kind in MERGED_WITHIN_A_DAY:
        unsent: list[Entry | Sibling] = [*due, *(other for other in others if other.until is None)]
        latest = max(unsent, key=_age)
        decision.merge.update({entry.id: latest.id for entry in unsent if entry.id != latest.id})
        candidates = [entry for entry in due if entry.id == latest.id]
        waiting = [] if candidates else [latest.id]
    kept_back = [other.until for other in others if other.until is not None]
    if kept_back:
        decision.defer.update({entry.id: max(kept_back) for entry in candidates})
    elif waiting:
        decision.hurry.extend(waiting)
    elif candidates:
        decision.claim.append(max(candidates, key=_age))


def _age(entry: Entry | Sibling) -> tuple[datetime, UUID]:
    return entry.created_at, entry.id
