"""Which alerts follow from the changes of the upgrade queue. Plain functions: no database, no chain.

A change is reported when it appears, and once more if a reorganisation takes it back. An operation is also reported
when its time has come.
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from reminder_worker.outbox.messages import AlertKind
from reminder_worker.upgrades import wording
from reminder_worker.upgrades.operations import (
    QueueChange,
    QueueEvent,
    UpgradeEvent,
    UpgradeOperation,
    group_changes,
    operation_of,
    without_moved,
)
from reminder_worker.upgrades.wording import Facts, WordingContext

ReportedStages = AbstractSet[tuple[str, str, str]]
"""(kind, subject, stage) of the alerts that were already written."""


@dataclass(frozen=True, slots=True)
class UpgradeAlert:
    """One alert. Kind, subject and `stage` identify it."""

    kind: AlertKind
    subject: str
    stage: str
    facts: Facts


@dataclass(frozen=True, slots=True)
class QueueStep:
    """The difference between the timelock's events in the index and the recorded ones, and what follows from it.

    `operations`: touched and open operations with their present state; `vanished`: ids of operations without events;
    `reorganised_before`: ids of earlier vanished operations. `delay`: the minimum delay in seconds, None without an
    answer of the timelock; `disagreeing`: number of open operations with another state at the timelock.
    """

    fresh: tuple[UpgradeEvent, ...]
    gone: tuple[UpgradeEvent, ...]
    operations: Mapping[str, UpgradeOperation]
    vanished: tuple[str, ...]
    reorganised_before: AbstractSet[str]
    delay: int | None
    disagreeing: int

    def changed_operation(self, change: QueueChange) -> UpgradeOperation | None:
        return self.operations.get(change.operation_id or "")


def alerts_of_history(step: QueueStep, context: WordingContext) -> list[UpgradeAlert]:
    """Return the alerts of the first start: of the past only what is still open."""
    marks = {
        change.operation_id: change.block_mark
        for change in group_changes(step.fresh)
        if change.name == QueueEvent.SCHEDULED
    }
    note: Facts = {"note": "it was scheduled before this service began to watch"}
    scheduled = [
        UpgradeAlert(
            AlertKind.UPGRADE_SCHEDULED,
            operation.operation_id,
            marks.get(operation.operation_id, f"{operation.scheduled_tx}"),
            note | wording.scheduled_facts(operation, context),
        )
        for operation in step.operations.values()
        if operation.is_open
    ]
    return [*scheduled, *_alert_executable(step, context)]


def alerts_of_changes(step: QueueStep, context: WordingContext, reported: ReportedStages) -> list[UpgradeAlert]:
    """Return corrections first, then new changes in the order of the chain, then operations whose time has come.

    A change that only moved to another block is not reported again.
    """
    appeared, gone = without_moved(group_changes(step.fresh), group_changes(step.gone))
    return [
        *_alert_corrections(gone, step, context, reported),
        *(_alert_change(change, step, context, reported) for change in appeared),
        *_alert_executable(step, context),
    ]


def _alert_corrections(
    gone: list[QueueChange], step: QueueStep, context: WordingContext, reported: ReportedStages
) -> list[UpgradeAlert]:
    """Return a correction for each reported change that a reorganisation took back."""
    known = {(kind, subject) for kind, subject, _ in reported}
    found = []
    for change in gone:
        subject = _subject_of(change, context)
        if any((kind.value, subject) in known for kind in (wording.CHANGES[change.name][0], AlertKind.UPGRADE_UNSEEN)):
            now = step.changed_operation(change)
            facts = wording.corrected_facts(change, now or _operation_before(change, step), now, context)
            found.append(
                _next_stage(AlertKind.UPGRADE_CORRECTED, subject, f"{change.block_mark} gone", facts, reported)
            )
    return found


def _operation_before(change: QueueChange, step: QueueStep) -> UpgradeOperation | None:
    """Return the operation from all removed events: a cancellation alone does not show the calls."""
    if change.operation_id is None:
        return None
    events = [event for event in step.gone if event.operation_id == change.operation_id]
    return operation_of(change.operation_id, events)


def _alert_change(
    change: QueueChange, step: QueueStep, context: WordingContext, reported: ReportedStages
) -> UpgradeAlert:
    operation = step.changed_operation(change)
    facts = wording.change_facts(change, operation, context)
    unseen = change.name == QueueEvent.EXECUTED and operation is not None and not operation.was_seen
    kind = AlertKind.UPGRADE_UNSEEN if unseen else wording.CHANGES[change.name][0]
    if change.operation_id in step.reorganised_before:
        facts = {"note": "a reorganisation had taken it back; it was mined again", **facts}
    return _next_stage(kind, _subject_of(change, context), change.block_mark, facts, reported)


def _alert_executable(step: QueueStep, context: WordingContext) -> list[UpgradeAlert]:
    return [
        UpgradeAlert(
            AlertKind.UPGRADE_EXECUTABLE,
            operation.operation_id,
            f"{operation.scheduled_tx} {operation.ready_at}",
            wording.executable_facts(operation, context),
        )
        for operation in step.operations.values()
        if operation.state == "ready"
    ]


def _next_stage(kind: AlertKind, subject: str, mark: str, facts: Facts, reported: ReportedStages) -> UpgradeAlert:
    """Return the alert with a stage of its own: a chain may go back and forth between two blocks."""
    stage, times = mark, 1
    while (kind.value, subject, stage) in reported:
        times += 1
        stage = f"{mark} {times}"
    return UpgradeAlert(kind, subject, stage, facts)


def _subject_of(change: QueueChange, context: WordingContext) -> str:
    return change.operation_id or context.timelock
