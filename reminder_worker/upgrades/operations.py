"""From the timelock's events to its operations, and from two readings of the chain to what there is to tell.

Plain functions: no database, no chain.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from reminder_worker.upgrades.decode import Call
from reminder_worker.upgrades.events import CANCELLED, DELAY, EXECUTED, GRANTED, REVOKED, SCHEDULED, UpgradeEvent

OPEN: Final = frozenset({"pending", "ready"})
NO_OPERATION: Final = "0x" + "00" * 32
LATEST: Final = 2**63 - 1  # delays and moments beyond it do not fit into a row, nor into anybody's life
_TOLD: Final = frozenset({SCHEDULED, EXECUTED, CANCELLED, DELAY, GRANTED, REVOKED})


@dataclass(frozen=True, slots=True)
class Operation:
    """`state`: pending, ready, executed, cancelled. What begins with `scheduled_` is None when that was never seen.

    Times in unix seconds, `delay` in seconds; `ready_at`: block time and delay, which is what `getTimestamp` says.
    """

    operation_id: str
    state: str
    calls: tuple[Call, ...]
    predecessor: str | None = None
    delay: int | None = None
    ready_at: int | None = None
    scheduled_by: str | None = None
    scheduled_at: int | None = None
    scheduled_block: int | None = None
    scheduled_tx: str | None = None
    changed_block: int = 0

    @property
    def is_open(self) -> bool:
        return self.state in OPEN

    @property
    def was_seen(self) -> bool:
        return self.scheduled_tx is not None


@dataclass(frozen=True, slots=True)
class Change:
    """What one transaction did: a whole batch is one. `name` is the event's."""

    name: str
    operation_id: str | None
    events: tuple[UpgradeEvent, ...]

    @property
    def first(self) -> UpgradeEvent:
        return self.events[0]

    @property
    def mark(self) -> str:
        """Tells it from the same change in another block."""
        return f"{self.first.block_hash}/{self.first.log_index}"

    @property
    def same_as(self) -> tuple[object, ...]:
        """Equal for the same change in another block."""
        return self.name, self.operation_id, tuple(sorted(event.data.items()) for event in self.events)


@dataclass(frozen=True, slots=True)
class Difference:
    """`moved`: the same change, (before, now) in another block."""

    appeared: tuple[Change, ...]
    moved: tuple[tuple[Change, Change], ...]
    gone: tuple[Change, ...]


def changes(events: Iterable[UpgradeEvent]) -> list[Change]:
    """In the order in which they began.

    The events of a batch are one change: those of its scheduling follow one another, while events of the timelock's own
    may stand between those of its execution, since a call may change the timelock itself.
    """
    groups: list[list[UpgradeEvent]] = []
    executed: dict[object, list[UpgradeEvent]] = {}
    for event in events:
        if event.name not in _TOLD:
            continue
        group = None
        if event.name == EXECUTED:
            group = executed.get(_together(event))
        elif event.name == SCHEDULED and groups and _together(groups[-1][0]) == _together(event):
            group = groups[-1]
        if group is None:
            group = []
            groups.append(group)
        if event.name == EXECUTED:
            executed[_together(event)] = group
        group.append(event)
    return [Change(group[0].name, group[0].operation_id, tuple(group)) for group in groups]


def difference(before: Iterable[UpgradeEvent], now: Iterable[UpgradeEvent]) -> Difference:
    """Between what is stored of a range of blocks and what the chain says of it."""
    old = {change.mark: change for change in changes(before)}
    new = {change.mark: change for change in changes(now)}
    gone = [change for mark, change in old.items() if mark not in new]
    appeared, moved = [], []
    for change in (change for mark, change in new.items() if mark not in old):
        twin = next((other for other in gone if other.same_as == change.same_as), None)
        if twin is None:
            appeared.append(change)
        else:
            gone.remove(twin)
            moved.append((twin, change))
    return Difference(tuple(appeared), tuple(moved), tuple(gone))


def operation_of(operation_id: str, events: Sequence[UpgradeEvent]) -> Operation | None:
    """From all its events, in log order; None when nothing was said of it.

    Only what was cancelled can be scheduled again under the same id.
    """
    found: Operation | None = None
    for event in events:
        if event.name == SCHEDULED:
            found = _scheduled(operation_id, found, event)
        elif event.name == EXECUTED:
            found = _executed(operation_id, found, event)
        elif event.name == CANCELLED:
            base = found or Operation(operation_id, "", ())
            found = replace(base, state="cancelled", changed_block=event.block_number)
    return found


def _scheduled(operation_id: str, before: Operation | None, event: UpgradeEvent) -> Operation:
    if before is not None and before.is_open:
        return replace(before, calls=(*before.calls, _call(event)))
    predecessor, delay = event.data["predecessor"], min(event.data["delay"], LATEST)
    return Operation(
        operation_id,
        "pending",
        (_call(event),),
        predecessor=None if predecessor == NO_OPERATION else predecessor,
        delay=delay,
        ready_at=min(event.block_time + delay, LATEST),
        scheduled_by=event.sender,
        scheduled_at=event.block_time,
        scheduled_block=event.block_number,
        scheduled_tx=event.tx_hash,
        changed_block=event.block_number,
    )


def _executed(operation_id: str, before: Operation | None, event: UpgradeEvent) -> Operation:
    if before is None or not before.was_seen:
        calls = (*(before.calls if before else ()), _call(event))
        return Operation(operation_id, "executed", calls, changed_block=event.block_number)
    return replace(before, state="executed", changed_block=event.block_number)


def role_members(events: Iterable[UpgradeEvent], role: str) -> list[str]:
    """Who holds a role by these events, in log order."""
    held: dict[str, None] = {}
    for event in events:
        if event.name == GRANTED and event.data["role"] == role:
            held[event.data["account"]] = None
        elif event.name == REVOKED and event.data["role"] == role:
            held.pop(event.data["account"], None)
    return list(held)


def _call(event: UpgradeEvent) -> Call:
    return Call(event.data["target"], event.data["value"], bytes.fromhex(event.data["data"]))


def _together(event: UpgradeEvent) -> tuple[str, str | None, str, str]:
    return event.name, event.operation_id, event.tx_hash, event.block_hash
