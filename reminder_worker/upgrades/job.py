"""The pass that watches the UpgradeTimelock and reports every change of its queue to operators once.

The index reads the timelock's logs with its own, so a poll asks the tables alone. The difference between the timelock's
events in the index and the recorded ones is what is new, or was taken back by a reorganisation. It counts once the
index is at the head: in the middle of a rewind, events only seem gone. Events, operations and alerts are written in one
transaction: a downtime of any length loses nothing, and two runs at once report nothing twice. Events from before the
first start are recorded and not reported, except for what is still pending.

Once a day the addresses that setters change are compared, too (`setters.py`).

If a timelock is configured after the index began, a reader of its own reads its earlier logs, up to the index's block.
All its logs are stored up to the block of the cursor `upgrades`, by either reader.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import structlog
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.chain.abi import find_selector
from reminder_worker.chain.abi_codec import WORD, word_at
from reminder_worker.chain.client import Chain
from reminder_worker.chain.types import BlockHeader, RevertedCall
from reminder_worker.chain.types import ContractCall as Read
from reminder_worker.errors import ChainUnavailable, Misconfigured
from reminder_worker.indexer.chain_index import CURSOR, ChainIndex
from reminder_worker.indexer.event_reader import BUDGET_SECONDS, AddedContract, EventReader, IndexProgress
from reminder_worker.indexer.store import read_cursor
from reminder_worker.outbox.alerts import AlertOutbox
from reminder_worker.outbox.messages import AlertKind
from reminder_worker.settings import ChainSettings
from reminder_worker.upgrades import store
from reminder_worker.upgrades.getters import decode_upgrade_logs, setter_topics
from reminder_worker.upgrades.notifications import QueueStep, UpgradeAlert, alerts_of_changes, alerts_of_history
from reminder_worker.upgrades.operations import (
    CANCELLER,
    LATEST,
    OPEN,
    TOPICS,
    UpgradeEvent,
    UpgradeOperation,
    operation_of,
    role_members,
)
from reminder_worker.upgrades.setters import SetterWatch
from reminder_worker.upgrades.tables import sql
from reminder_worker.upgrades.wording import LEAST_DELAY_SECONDS, Facts, WordingContext, list_implementations

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class UpgradeReport:
    """Result of a run. `told`: written alerts; `open`: operations that wait or may be executed; `disagreeing`: open
    operations that `getTimestamp` calls done or unknown."""

    last_block: int = -1
    events: int = 0
    skipped: int = 0
    told: int = 0
    open: int = 0
    disagreeing: int = 0
    rewound_to: int | None = None
    stopped: str = "budget"


def upgrade_logs(settings: ChainSettings) -> AddedContract | None:
    """Return what the index reads of a configured timelock, and of the setters that can be called past it."""
    timelock = settings.upgrade_timelock
    if timelock is None:
        return None
    first_source = store.first_source(timelock)
    return AddedContract(timelock, TOPICS, decode_upgrade_logs, store.CURSOR, first_source, setter_topics(settings))


class UpgradeWatch:
    """Watch of one chain with a configured UpgradeTimelock. `index` reads `upgrade_logs`, too."""

    def __init__(
        self, engine: AsyncEngine, chain: Chain, index: ChainIndex, alerts: AlertOutbox, timelock: str
    ) -> None:
        self._engine = engine
        self._chain = chain
        self._chain_id = chain.chain_id
        self._index = index
        self._alerts = alerts
        self._timelock = timelock
        self._reader = EventReader(engine, chain, store.CURSOR, {timelock: TOPICS}, decode_upgrade_logs, source=None)
        self._setters = SetterWatch(engine, chain, alerts, timelock)

    async def poll(self) -> bool:
        """Return whether there is something to record. Without a change the node is asked only once a day.

        Changes are recorded and in the service log when this returns; the run that follows within seconds sends the
        emails. Raises `EndpointsDisagree` after that, about a log from before the index had this timelock.
        """
        has_changed = await self._poll_queue()
        if await self._setters.compare_when_due():
            await self._alerts.write_log()
            return True
        return has_changed

    async def _poll_queue(self) -> bool:
        is_history = await self._begin_history()
        earlier = await self._read_earlier_logs(5, is_history, slices=1)  # the run does what takes longer
        if not _is_read_whole(earlier):
            return earlier.has_more
        if not is_history and not await self._is_due():
            self._reader.raise_for(earlier)
            return False
        progress = await self._read_index()
        if not _is_read_whole(progress):
            return False  # the pass of the index reads on
        if not is_history:
            try:
                await self._record_changes(UpgradeReport(), progress, is_history=False)
            finally:
                await self._alerts.write_log()
        self._reader.raise_for(earlier)
        return True

    async def run(self, budget_seconds: float = BUDGET_SECONDS) -> UpgradeReport:
        """Read logs that the index left out, then record and report every change. Once a day, compare the setters.

        Raises `ChainUnavailable`, and at the first start `Misconfigured` if no timelock answers: its silence would look
        like a quiet queue.
        """
        is_history = await self._begin_history()
        earlier = await self._read_earlier_logs(budget_seconds, is_history)
        progress = await self._read_index() if _is_read_whole(earlier) else earlier
        report = UpgradeReport(
            last_block=progress.last_block,
            skipped=earlier.skipped,
            rewound_to=progress.rewound_to,
            stopped=progress.stopped,
        )
        if _is_read_whole(progress) and not await self._record_changes(report, progress, is_history):
            report.stopped = "moved_by_another"
        report.told += await self._setters.compare_when_due()  # `tick` runs without a poll
        self._reader.raise_for(earlier)
        return report

    async def _begin_history(self) -> bool:
        """Return whether nothing of this timelock is recorded yet."""
        async with self._engine.connect() as connection:
            is_history = await store.is_history(connection, self._chain_id, self._timelock)
        if is_history is None:
            start = await self._reader.find_start()
            async with self._engine.begin() as connection:
                await store.begin_history(connection, self._chain_id, self._timelock, start)
        return is_history is not False

    async def _read_earlier_logs(
        self, budget_seconds: float, is_history: bool, slices: int | None = None
    ) -> IndexProgress:
        """Read logs of the timelock that the index left out, up to the index's block.

        Raises `ChainUnavailable` if the endpoints contradict the cursor for half an hour, or at the first start: a pass
        that reads nothing is no success.
        """
        async with self._engine.connect() as connection:
            index = await read_cursor(connection, self._chain_id, CURSOR)
        own = await self._reader.find_cursor()
        if index is None or own == index or own.number > index.number:  # the last: the index is read again
            return IndexProgress(own.number + 1, own.number, stopped="at_head")
        progress = await self._reader.read_on(budget_seconds, slices=slices, end=index.number)
        if progress.rewound_to is not None:
            log.warning("upgrades_rewound", chain_id=self._chain_id, block=progress.rewound_to)
        if progress.stopped in ("unsettled", "node_behind"):
            waits = (datetime.now(UTC) - own.moved_at).total_seconds() if own.moved_at else 0
            if is_history or waits > 1800:
                raise ChainUnavailable(
                    f"the endpoints of chain {self._chain_id} contradict their earlier answers: {progress.stopped}"
                )
        return progress

    async def _read_index(self) -> IndexProgress:
        """Let the index read the newest blocks, with two slices also behind a log in doubt. Its own pass reads more."""
        return await self._index.read_on(5, slices=2)

    async def _is_due(self) -> bool:
        """Return whether there is a difference to record, or the time of an operation has come or gone."""
        async with self._engine.connect() as connection:
            if await store.unrecorded_events(connection, self._chain_id, self._timelock):
                return True
            if await store.read_events(connection, sql["removed_events"], self._chain_id):
                return True
            work = (await connection.execute(sql["pending_work"], {"chain_id": self._chain_id})).one()
        if work.unsettled:
            values = {"chain_id": self._chain_id, "final": await self._final_block()}
            async with self._engine.begin() as connection:
                await connection.execute(sql["settle_operations"], values)
        return work.ready_at is not None and work.ready_at <= (await self._chain.get_known_head()).timestamp

    async def _final_block(self) -> int:
        """Return the last final block; -1 while no endpoint names one."""
        final = await self._chain.get_block("finalized")
        return -1 if final is None else final.number

    # -- what changed ---------------------------------------------------------------------------

    async def _record_changes(self, report: UpgradeReport, read: IndexProgress, is_history: bool) -> bool:
        """Record and report what changed. Return False when another process did it or rewound the index meanwhile."""
        step = await self._compare_queue(read.last_block)
        if step is None:
            return False
        if step.delay is None and is_history:  # later it may be the node's fault: the logs are reported then
            raise Misconfigured(f"CHAIN_{self._chain_id}_UPGRADE_TIMELOCK: no timelock answers at this address")
        final = await self._final_block()
        alerts = await self._alerts_of(step, final, is_history)
        async with self._engine.begin() as connection:
            if not await store.record_events(connection, self._chain_id, step.gone, step.fresh):
                await connection.rollback()
                return False
            operations = list(step.operations.values())
            await store.save_operations(connection, self._chain_id, operations, step.vanished)
            await connection.execute(sql["settle_operations"], {"chain_id": self._chain_id, "final": final})
            told = [
                await self._alerts.record_event(
                    connection, alert.kind, alert.subject, alert.stage, self._chain_id, alert.facts
                )
                for alert in alerts
            ]
            if step.delay is not None:
                told.append(await self._report_delay(connection, step.delay))
            if is_history:
                values = {"chain_id": self._chain_id, "timelock": self._timelock}
                await connection.execute(sql["end_history"], values)
        if is_history:
            log.info("upgrade_history_recorded", chain_id=self._chain_id, events=len(step.fresh), told=sum(told))
        report.events = len(step.fresh)
        report.told = sum(told)
        report.open = sum(operation.is_open for operation in operations)
        report.disagreeing = step.disagreeing
        return True

    async def _compare_queue(self, last_block: int) -> QueueStep | None:
        """Compare the index with what is recorded, and read the open operations' times from the timelock.

        Return None if the index is below `last_block`, up to which it was read: it was rewound since.
        """
        async with self._engine.connect() as connection:
            await connection.execution_options(isolation_level="REPEATABLE READ")
            index = await read_cursor(connection, self._chain_id, CURSOR)
            if index is None or index.number < last_block:
                return None
            found = await store.unrecorded_events(connection, self._chain_id, self._timelock)
            gone = await store.read_events(connection, sql["removed_events"], self._chain_id)
            changed = {event.operation_id for event in (*found, *gone) if event.operation_id is not None}
            touched = sorted(changed.union(await store.operations_in_states(connection, self._chain_id, *OPEN)))
            recorded = await store.read_events(connection, sql["events_of"], self._chain_id, operations=touched)
            reorganised_before = frozenset(await store.operations_in_states(connection, self._chain_id, "gone"))
        fresh = await self._with_senders(found)
        events = sorted(
            [*(event for event in recorded if event not in gone), *fresh],
            key=lambda event: (event.block_number, event.log_index),
        )
        events_of: dict[str | None, list[UpgradeEvent]] = {}
        for event in events:
            events_of.setdefault(event.operation_id, []).append(event)
        operations: dict[str, UpgradeOperation] = {}
        vanished = []
        for id in touched:
            operation = operation_of(id, events_of.get(id, ()))
            if operation is None:
                vanished.append(id)
            else:
                operations[id] = operation
        operations, delay, disagreeing = await self._ask_timelock(operations, await self._chain.get_head())
        return QueueStep(tuple(fresh), tuple(gone), operations, tuple(vanished), reorganised_before, delay, disagreeing)

    async def _with_senders(self, events: Sequence[UpgradeEvent]) -> list[UpgradeEvent]:
        hashes = sorted({event.tx_hash for event in events})
        senders = dict(zip(hashes, await self._chain.get_senders(hashes), strict=True))
        return [replace(event, sender=senders[event.tx_hash]) for event in events]

    async def _ask_timelock(
        self, operations: Mapping[str, UpgradeOperation], head: BlockHeader
    ) -> tuple[dict[str, UpgradeOperation], int | None, int]:
        """Return the operations with the times that the timelock names, its minimum delay (None: it does not answer),
        and how many open operations it calls done or unknown."""
        waiting = [operation for operation in operations.values() if operation.is_open]
        get = find_selector("TimelockController", "getTimestamp")
        reads = [Read(self._timelock, get + bytes.fromhex(operation.operation_id[2:])) for operation in waiting]
        reads.append(Read(self._timelock, find_selector("TimelockController", "getMinDelay")))
        *moments, delay = map(_read_number, await self._chain.call_many(reads, at=head.hash))
        found, disagreeing = dict(operations), 0
        for operation, moment in zip(waiting, moments, strict=True):
            if moment is None or moment <= 1:
                disagreeing += 1
                moment = operation.ready_at or LATEST
            state = "ready" if moment <= head.timestamp else "pending"
            found[operation.operation_id] = replace(operation, ready_at=min(moment, LATEST), state=state)
        return found, delay, disagreeing

    async def _report_delay(self, connection: AsyncConnection, seconds: int) -> bool:
        facts: Facts = {"delay_seconds": seconds, "alert_below_seconds": LEAST_DELAY_SECONDS}
        report = self._alerts.raise_condition if seconds < LEAST_DELAY_SECONDS else self._alerts.clear_condition
        return await report(connection, AlertKind.UPGRADE_DELAY_SHORT, self._timelock, self._chain_id, facts)

    async def _alerts_of(self, step: QueueStep, final: int, is_history: bool) -> list[UpgradeAlert]:
        addresses = list_implementations(step.operations.values())
        codes = dict(zip(addresses, await self._chain.get_codes(addresses), strict=True))
        async with self._engine.connect() as connection:
            recorded = await store.read_events(connection, sql["role_events"], self._chain_id)
            subjects = {self._timelock, *step.operations, *step.vanished}
            reported = await store.reported_stages(connection, self._chain_id, subjects)
        roles = [*(event for event in recorded if event not in step.gone), *step.fresh]
        roles.sort(key=lambda event: (event.block_number, event.log_index))
        context = WordingContext(self._chain.settings, self._timelock, codes, role_members(roles, CANCELLER), final)
        return alerts_of_history(step, context) if is_history else alerts_of_changes(step, context, reported)


def _is_read_whole(progress: IndexProgress) -> bool:
    """Return whether everything certain up to the head is stored: in the middle of a rewind, events only seem gone."""
    return progress.stopped in ("at_head", "disagreement")


def _read_number(answer: bytes | RevertedCall) -> int | None:
    """Return a getter's number; None for a revert or a wrong answer."""
    return word_at(answer, 0) if isinstance(answer, bytes) and len(answer) == WORD else None
