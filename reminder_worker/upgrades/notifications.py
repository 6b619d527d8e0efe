"""Which alerts follow from a reading of the timelock. Plain functions: no database, no chain.

A change is told at the head, again when it is final, and corrected when a reorganisation moved it or took it back; what
was final already when it was first seen is told once.
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

from reminder_worker.outbox.messages import AlertKind
from reminder_worker.upgrades import wording
from reminder_worker.upgrades.events import EXECUTED, SCHEDULED, UpgradeEvent
from reminder_worker.upgrades.operations import Change, Difference, Operation, changes, operation_of
from reminder_worker.upgrades.reading import Reading
from reminder_worker.upgrades.store import Place
from reminder_worker.upgrades.wording import Around, Facts

Told = AbstractSet[tuple[str, str, str]]
"""(kind, subject, stage) of what operators were told already."""
_NOTE: Final = "note"
_FROM_BEFORE: Final = "it was scheduled before this service began to watch"
_AGAIN: Final = "a reorganisation had taken it back; it was mined again"
_GONE: Final = "gone"


@dataclass(frozen=True, slots=True)
class Alert:
    """`stage` makes it one of its kind and subject."""

    kind: AlertKind
    subject: str
    stage: str
    facts: Facts


@dataclass(frozen=True, slots=True)
class Step:
    """A reading, and what follows from it. `now`: all events of its blocks, of which `fresh` are to be stored.

    `operations`: those that it speaks of or that are open, as they are now; `vanished`: of which nothing is left.
    `delay`: the minimum delay in seconds, None when the timelock was not asked.
    """

    place: Place
    reading: Reading
    now: tuple[UpgradeEvent, ...]
    fresh: tuple[UpgradeEvent, ...]
    gone: tuple[UpgradeEvent, ...]
    difference: Difference
    operations: Mapping[str, Operation]
    vanished: tuple[str, ...]
    delay: int | None
    disagreeing: int

    @property
    def after(self) -> Place:
        number, hash = self.reading.final
        return Place(number, hash, self.place.history and not self.reading.at_head)

    def operation(self, change: Change) -> Operation | None:
        return self.operations.get(change.operation_id or "")


def of_history(step: Step, around: Around) -> list[Alert]:
    """At the first start: of what happened before only what is still open."""
    marks = {change.operation_id: change.mark for change in changes(step.now) if change.name == SCHEDULED}
    waiting = [operation for operation in step.operations.values() if operation.is_open]
    scheduled = [
        Alert(
            AlertKind.UPGRADE_SCHEDULED,
            operation.operation_id,
            marks.get(operation.operation_id, f"{operation.scheduled_tx}"),
            {_NOTE: _FROM_BEFORE, **wording.scheduled_facts(operation, around)},
        )
        for operation in waiting
    ]
    return [*scheduled, *_executable(step, around)]


def of_watch(step: Step, around: Around, told: Told) -> list[Alert]:
    """Corrections first, then what is new, in the order of the chain, then what became final."""
    return [
        *_corrected(step, around, told),
        *(_appeared(change, step, around, told) for change in step.difference.appeared),
        *_confirmed(step, around, told),
        *_executable(step, around),
    ]


def _corrected(step: Step, around: Around, told: Told) -> list[Alert]:
    gone: list[tuple[Change, Change | None]] = [(change, None) for change in step.difference.gone]
    found = []
    for before, after in [*gone, *step.difference.moved]:
        subject = _subject(before, around)
        if _was_told(told, subject, before):
            operation = step.operation(before)
            facts = wording.corrected_facts(before, after, operation or _as_it_was(before, step), around, operation)
            stage = f"{before.mark} {_GONE}" if after is None else after.mark
            found.append(_once_more(AlertKind.UPGRADE_CORRECTED, subject, stage, facts, told))
    return found


def _as_it_was(change: Change, step: Step) -> Operation | None:
    """The operation by its events that are not in the chain any more, all of them: its cancellation alone does not say
    what it was to do."""
    if change.operation_id is None:
        return None
    return operation_of(change.operation_id, [e for e in step.gone if e.operation_id == change.operation_id])


def _appeared(change: Change, step: Step, around: Around, told: Told) -> Alert:
    operation, subject = step.operation(change), _subject(change, around)
    facts = wording.change_facts(change, operation, around)
    unseen = change.name == EXECUTED and operation is not None and not operation.was_seen
    kind = AlertKind.UPGRADE_UNSEEN if unseen else wording.KINDS[change.name]
    if change.operation_id is not None and _was_taken_back(told, kind, subject):
        facts = {_NOTE: _AGAIN, **facts}
    return _once_more(kind, subject, change.mark, facts, told)


def _confirmed(step: Step, around: Around, told: Told) -> list[Alert]:
    """Changes that became final after they were told of. One that moved to another block counts as told by the
    correction in this same step."""
    final = [c for c in changes(step.now) if step.place.number < c.first.block_number <= step.after.number]
    return [
        Alert(
            AlertKind.UPGRADE_CONFIRMED,
            _subject(change, around),
            f"{change.mark} final",
            wording.confirmed_facts(change, step.operation(change), around),
        )
        for change in final
        if _was_told(told, _subject(change, around), change)
    ]


def _executable(step: Step, around: Around) -> list[Alert]:
    return [
        Alert(
            AlertKind.UPGRADE_EXECUTABLE,
            operation.operation_id,
            f"{operation.scheduled_tx} {operation.ready_at}",
            wording.executable_facts(operation, around),
        )
        for operation in step.operations.values()
        if operation.state == "ready"
    ]


def _once_more(kind: AlertKind, subject: str, mark: str, facts: Facts, told: Told) -> Alert:
    """A chain may go back and forth between two blocks: each time is a stage of its own."""
    stage, times = mark, 1
    while (kind.value, subject, stage) in told:
        times += 1
        stage = f"{mark} {times}"
    return Alert(kind, subject, stage, facts)


def _was_told(told: Told, subject: str, change: Change) -> bool:
    return any(about == subject and stage.split(" ")[0] == change.mark for _, about, stage in told)


def _was_taken_back(told: Told, kind: AlertKind, subject: str) -> bool:
    """Whether all that was told of this kind was taken back again. As long as one still stands, the next change of the
    same kind is a new one and not its return."""
    corrected = AlertKind.UPGRADE_CORRECTED.value
    said = {stage.split(" ")[0] for each, about, stage in told if (each, about) == (kind.value, subject)}
    gone = {
        stage.split(" ")[0] for each, about, stage in told if (each, about) == (corrected, subject) and _GONE in stage
    }
    return bool(said) and said <= gone


def _subject(change: Change, around: Around) -> str:
    return change.operation_id or around.timelock
