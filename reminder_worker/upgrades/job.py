"""The pass that watches the UpgradeTimelock, and tells operators of every change once for each of its stages.

It reads by itself, apart from the chain index: a place at the last final block, and from there to the head anew at
each look. Whatever differs from what is stored is a change: it appeared, stands in another block, or is gone. Events,
operations, alerts and the place are written in one transaction, by whoever read the place last: so nothing is lost by
a downtime of any length, and nothing told twice by two runs at once. What happened before the first start is stored
and not told, except for what is still pending.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

import structlog
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.chain.abi import selector
from reminder_worker.chain.abi_codec import WORD, at
from reminder_worker.chain.client import Call as Read
from reminder_worker.chain.client import Chain
from reminder_worker.chain.logs import FIRST_BLOCKS
from reminder_worker.errors import ChainUnavailable, Misconfigured
from reminder_worker.indexer.log_reader import EndpointsDisagree
from reminder_worker.outbox.alerts import Alerts
from reminder_worker.outbox.messages import AlertKind
from reminder_worker.upgrades import store
from reminder_worker.upgrades.decode import CANCELLER
from reminder_worker.upgrades.events import UpgradeEvent
from reminder_worker.upgrades.notifications import Alert, Step, of_history, of_watch
from reminder_worker.upgrades.operations import (
    LATEST,
    Operation,
    difference,
    operation_of,
    role_members,
)
from reminder_worker.upgrades.reading import NotNow, Reading, place_at, read
from reminder_worker.upgrades.store import Place
from reminder_worker.upgrades.wording import LEAST_DELAY_SECONDS, Around, Facts, implementations

log = structlog.get_logger(__name__)

BUDGET_SECONDS: Final = 90.0  # a run stays under 120 seconds
PATIENCE_SECONDS: Final = 1800  # without a step on, while what was read does not fit together
LOOK_SECONDS: Final = 5.0  # beyond which a look leaves what is left to the run


@dataclass(slots=True)
class UpgradeReport:
    """What a run did. `open`: operations that wait or may be executed; `disagreeing`: of those that `getTimestamp`
    says otherwise of than the logs."""

    last_block: int = -1
    events: int = 0
    skipped: int = 0
    told: int = 0
    open: int = 0
    disagreeing: int = 0
    rewound_to: int | None = None
    stopped: str = "budget"


class UpgradeWatch:
    """Of one chain whose settings name an UpgradeTimelock."""

    def __init__(self, engine: AsyncEngine, chain: Chain, alerts: Alerts, timelock: str) -> None:
        self._engine = engine
        self._chain = chain
        self._chain_id = chain.chain_id
        self._alerts = alerts
        self._timelock = timelock

    # -- looking --------------------------------------------------------------------------------

    async def look(self) -> bool:
        """Whether there is something to store or to tell, beyond passing over blocks without any.

        What is new at the head is stored and in the service log when this returns, since a run starts seconds later;
        that one sends the emails.
        """
        place = await self._place()
        if place.moved_at is None:
            return True
        found, stored = await self._read(place, FIRST_BLOCKS)
        if isinstance(found, Reading) and not found.at_head:
            return True  # a long way is the run's, which has the time
        if not await self._is_due(place, found, stored):
            _must_agree(self._chain_id, found)
            return False
        try:
            await self.run(LOOK_SECONDS)
        finally:
            await self._alerts.write_log()
        return True

    async def _is_due(self, place: Place, found: Reading | NotNow, stored: Sequence[UpgradeEvent]) -> bool:
        if not isinstance(found, Reading):
            self._bear(found, place)
            return found is NotNow.REORGANISED
        changed = {event.key for event in found.events} != {event.key for event in stored}
        final = any(event.block_number <= found.final[0] for event in stored)
        if place.history or changed or final:
            return True
        async with self._engine.begin() as connection:
            if await store.executable(connection, self._chain_id, found.head.timestamp):
                return True
            if not stored and found.final[0] > place.number:
                new = Place(*found.final, place.history)
                await store.take_place(connection, self._chain_id, self._timelock, place, new)
        return False

    # -- a run ----------------------------------------------------------------------------------

    async def run(self, budget_seconds: float = BUDGET_SECONDS) -> UpgradeReport:
        """Read on to the head, slice by slice. Of several at once one writes each slice. Raises `ChainUnavailable`, and
        at the first start `Misconfigured` when there is no timelock: its silence would pass for a quiet queue."""
        ends, report, base, most = time.monotonic() + budget_seconds, UpgradeReport(), None, FIRST_BLOCKS
        while time.monotonic() < ends:
            place = await self._place()
            found, stored = await self._read(base or place, most)
            most = self._chain.log_ranges.at_once
            if found is NotNow.REORGANISED and base is None:
                base = await self._before_the_fork(place)
                report.rewound_to = base.number
                log.warning("upgrades_rewound", chain_id=self._chain_id, block=base.number)
                continue
            if not isinstance(found, Reading):
                self._bear(found, place)
                report.stopped = found.name.lower()
                return report
            step = await self._step(place, found, stored)
            if not await self._write(step, report):
                report.stopped = "moved_by_another"
                return report
            if found.at_head:
                _must_agree(self._chain_id, found)
                report.stopped = "at_head"
                return report
            if found.doubtful is not None:
                most = found.head.number  # no slice moves the place over it: from there up to the head at once
            base = None
        return report

    def _bear(self, found: NotNow, place: Place) -> None:
        """Raise unless a later run may find the nodes in agreement: they are given `PATIENCE_SECONDS` from the last
        step on (none if there was none yet), and after that the run fails, or nobody would ever hear of it."""
        since = (datetime.now(UTC) - place.moved_at).total_seconds() if place.moved_at else None
        bears = since is not None and since <= PATIENCE_SECONDS
        if found is not NotNow.REORGANISED and not bears:
            raise ChainUnavailable(f"the endpoints of chain {self._chain_id} contradict what they said: {found.name}")

    async def _place(self) -> Place:
        async with self._engine.begin() as connection:
            stored = await store.read_place(connection, self._chain_id, self._timelock)
            if stored is None:
                await store.forget_others(connection, self._chain_id, self._timelock)
        return stored or await self._start()

    async def _start(self) -> Place:
        start = await place_at(self._chain, self._chain.settings.start_block - 1, history=True)
        if start is None:
            raise ChainUnavailable(f"no endpoint of chain {self._chain_id} has its first block yet")
        return start

    async def _before_the_fork(self, place: Place) -> Place:
        """The block of our newest event if the chain still has it, else the beginning. Seldom needed: only a
        development chain is rolled back deeper than what it called final, and only a lying endpoint calls a block final
        that the chain does not have."""
        async with self._engine.connect() as connection:
            newest = await store.newest_event(connection, self._chain_id, place.number)
        if newest is not None:
            there = await place_at(self._chain, newest.block_number, history=place.history)
            if there is not None and there.hash == newest.block_hash:
                return replace(there, moved_at=place.moved_at)
        return replace(await self._start(), history=place.history, moved_at=place.moved_at)

    async def _read(self, base: Place, most: int) -> tuple[Reading | NotNow, list[UpgradeEvent]]:
        """The reading, and what is stored of its blocks."""
        async with self._engine.connect() as connection:
            stored = await store.events_from(connection, self._chain_id, base.number + 1)
        found = await read(self._chain, self._timelock, base, stored, most)
        if isinstance(found, Reading) and not found.at_head:
            stored = [event for event in stored if event.block_number <= found.last.number]
        return found, stored

    # -- what follows from a reading ------------------------------------------------------------

    async def _step(self, place: Place, reading: Reading, stored: Sequence[UpgradeEvent]) -> Step:
        said, had = {event.key for event in reading.events}, {event.key: event for event in stored}
        fresh = await self._with_senders([event for event in reading.events if event.key not in had])
        kept = [event for key, event in had.items() if key in said]
        now = tuple(sorted([*kept, *fresh], key=lambda event: event.key[:2]))
        gone = tuple(event for key, event in had.items() if key not in said)
        touched = {event.operation_id for event in (*now, *gone) if event.operation_id is not None}
        async with self._engine.connect() as connection:
            touched |= set(await store.open_operations(connection, self._chain_id))
            elsewhere = await store.events_of(connection, self._chain_id, touched)
        outside = [event for event in elsewhere if event.key not in had]
        everything = sorted([*outside, *now], key=lambda event: event.key[:2])
        said_of: dict[str | None, list[UpgradeEvent]] = {}
        for event in everything:
            said_of.setdefault(event.operation_id, []).append(event)
        folded = {id: operation_of(id, said_of.get(id, ())) for id in sorted(touched)}
        operations = {id: operation for id, operation in folded.items() if operation is not None}
        delay, disagreeing = None, 0
        if reading.at_head:
            operations, delay, disagreeing = await self._by_the_timelock(operations, reading)
            if delay is None and place.history:  # later it may be the node's fault: what the logs tell is told then
                raise Misconfigured(f"CHAIN_{self._chain_id}_UPGRADE_TIMELOCK: no timelock answers at this address")
        vanished = tuple(id for id, operation in folded.items() if operation is None)
        found = difference(stored, now)
        return Step(place, reading, now, tuple(fresh), gone, found, operations, vanished, delay, disagreeing)

    async def _with_senders(self, events: Sequence[UpgradeEvent]) -> list[UpgradeEvent]:
        hashes = sorted({event.tx_hash for event in events})
        senders = dict(zip(hashes, await self._chain.senders(hashes), strict=True))
        return [replace(event, sender=senders[event.tx_hash]) for event in events]

    async def _by_the_timelock(
        self, operations: Mapping[str, Operation], reading: Reading
    ) -> tuple[dict[str, Operation], int | None, int]:
        """Those that are open with the time that the timelock itself says; its minimum delay (None: it does not
        answer); how many it says to be done or unknown although its logs say they are open."""
        waiting = [operation for operation in operations.values() if operation.is_open]
        get = selector("TimelockController", "getTimestamp")
        reads = [Read(self._timelock, get + bytes.fromhex(operation.operation_id[2:])) for operation in waiting]
        reads.append(Read(self._timelock, selector("TimelockController", "getMinDelay")))
        *moments, delay = [
            at(answer, 0) if isinstance(answer, bytes) and len(answer) == WORD else None
            for answer in await self._chain.call_many(reads, at=reading.head.hash)
        ]
        found, disagreeing = dict(operations), 0
        for operation, moment in zip(waiting, moments, strict=True):
            if moment is None or moment <= 1:
                disagreeing += 1
                moment = operation.ready_at or LATEST
            state = "ready" if moment <= reading.head.timestamp else "pending"
            found[operation.operation_id] = replace(operation, ready_at=min(moment, LATEST), state=state)
        return found, delay, disagreeing

    # -- writing and telling --------------------------------------------------------------------

    async def _write(self, step: Step, report: UpgradeReport) -> bool:
        """False when another run wrote meanwhile."""
        alerts = await self._to_tell(step)
        async with self._engine.begin() as connection:
            if not await store.take_place(connection, self._chain_id, self._timelock, step.place, step.after):
                return False
            await store.replace_events(connection, self._chain_id, step.gone, step.fresh)
            operations = list(step.operations.values())
            await store.save_operations(connection, self._chain_id, operations, step.vanished, step.after.number)
            told = [
                await self._alerts.once(connection, each.kind, each.subject, each.stage, self._chain_id, each.facts)
                for each in alerts
            ]
            if step.delay is not None:
                told.append(await self._tell_of_the_delay(connection, step.delay))
        if step.place.history:
            log.info("upgrade_history_recorded", chain_id=self._chain_id, events=len(step.fresh), told=sum(told))
        report.last_block = step.reading.last.number
        report.events += len(step.fresh)
        report.skipped += step.reading.skipped
        report.told += sum(told)
        report.open = sum(each.is_open for each in operations)
        report.disagreeing = step.disagreeing
        return True

    async def _tell_of_the_delay(self, connection: AsyncConnection, seconds: int) -> bool:
        facts: Facts = {"delay_seconds": seconds, "alert_below_seconds": LEAST_DELAY_SECONDS}
        tell = self._alerts.raise_ if seconds < LEAST_DELAY_SECONDS else self._alerts.clear
        return await tell(connection, AlertKind.UPGRADE_DELAY_SHORT, self._timelock, self._chain_id, facts)

    async def _to_tell(self, step: Step) -> list[Alert]:
        if step.place.history and not step.reading.at_head:
            return []
        addresses = implementations(step.operations.values())
        codes = dict(zip(addresses, await self._chain.codes(addresses), strict=True))
        async with self._engine.connect() as connection:
            roles = await store.role_events(connection, self._chain_id)
            subjects = {self._timelock, *step.operations, *step.vanished}
            told = await store.told(connection, self._chain_id, subjects)
        before = [event for event in roles if event.block_number < step.reading.first]
        cancellers = role_members([*before, *step.now], CANCELLER)
        around = Around(self._chain.settings, self._timelock, codes, cancellers, step.after.number)
        return of_history(step, around) if step.place.history else of_watch(step, around, told)


def _must_agree(chain_id: int, found: Reading | NotNow) -> None:
    """Raises for a reading with a log in doubt. Called last, after all that is certain was told."""
    if isinstance(found, Reading) and found.doubtful is not None:
        raise EndpointsDisagree(f"no two endpoints of chain {chain_id} give a log of block {found.doubtful}")
