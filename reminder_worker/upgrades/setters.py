"""A daily comparison of the answers that setters change.

Owners and the code admin can call setters past the queue, most of them without an event. Two endpoints have to agree on
the answers at a final block. A change that no executed operation of the UpgradeTimelock explains is alerted. A value
that was set and set back in between is found by the events, which the index reads.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from eth_utils.crypto import keccak
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts import read_or_none
from reminder_worker.chain.types import ContractCall
from reminder_worker.errors import ChainUnavailable
from reminder_worker.indexer.chain_index import CURSOR
from reminder_worker.indexer.store import read_cursor
from reminder_worker.outbox.alerts import AlertOutbox
from reminder_worker.outbox.messages import AlertKind
from reminder_worker.upgrades import store
from reminder_worker.upgrades.getters import GETTERS, WatchedGetter, digest
from reminder_worker.upgrades.operations import decode_call
from reminder_worker.upgrades.tables import sql
from reminder_worker.upgrades.wording import Facts, WordingContext

NOBODY: Final = "0x" + "00" * 20


@dataclass(frozen=True, slots=True)
class StoredValue:
    """The last answer of a getter, at a final block; both None if the getter never answered."""

    contract: str
    getter: str
    value: str | None
    block_number: int | None
    due: bool
    overdue: bool


@dataclass(frozen=True, slots=True)
class SetterEvent:
    """An event of a setter with its new value, an address."""

    contract: str
    name: str
    value: str
    block_number: int
    tx_hash: str


@dataclass(frozen=True, slots=True)
class SetterChange:
    """Two answers of a getter, and the events of its setters between them. `since`: the block of the answer before."""

    watched: WatchedGetter
    contract: str
    before: str
    now: str
    since: int
    events: tuple[SetterEvent, ...] = ()

    def is_event(self, event: SetterEvent) -> bool:
        """Return whether the event is of a setter of this getter, after the answer before."""
        is_of_setter = event.contract == self.contract and event.name in self.watched.events
        return is_of_setter and event.block_number > self.since

    @property
    def is_shown_by_events(self) -> bool:
        """Return whether the events lead to the answer; those of a list name its changed members."""
        if not self.events:
            return self.before == self.now
        return not self.watched.is_address or self.events[-1].value == self.now


@dataclass(frozen=True, slots=True)
class ExecutedCall:
    """A call of an operation, executed in `block_number`."""

    block_number: int
    target: str
    data: bytes


def is_explained(change: SetterChange, calls: Sequence[ExecutedCall]) -> bool:
    """Return whether executed calls made the change: each event in its block, and the answer without an event."""
    if unexplained_events(change, calls):
        return False
    if change.is_shown_by_events:
        return True
    return any(_explains(call, change, change.now) for call in calls if call.block_number > change.since)


def unexplained_events(change: SetterChange, calls: Sequence[ExecutedCall]) -> list[SetterEvent]:
    """Return the events of a change that no executed call in the same block made."""
    found = []
    for event in change.events:
        beside = [call for call in calls if call.block_number == event.block_number]
        if not any(_explains(call, change, event.value) for call in beside):
            found.append(event)
    return found


def _explains(call: ExecutedCall, change: SetterChange, value: str) -> bool:
    """Return whether the call sets this value, or gives the contract new code, which may answer anything."""
    decoded = decode_call(call.data)
    arguments = decoded.arguments or {}
    if arguments.get("proxy") == change.contract:
        return True
    function = (decoded.function or "").partition("(")[0]
    if call.target != change.contract or function not in change.watched.setters:
        return False
    if function == "renounceOwnership":
        return value == NOBODY
    given = arguments.get(change.watched.argument)
    return value == (digest(given) if isinstance(given, bytes) else given)


def changed_facts(
    changes: Sequence[SetterChange], calls: Sequence[ExecutedCall], block: int, context: WordingContext
) -> Facts:
    """Return the facts about unexplained changes of one contract, read at this block."""
    facts: Facts = {
        "contract": context.name_address(changes[0].contract),
        "effect": "; ".join(dict.fromkeys(change.watched.effect for change in changes)),
    }
    for change in changes:
        facts[f"{change.watched.getter} before"] = _show_value(change.watched, change.before, context)
        facts[f"{change.watched.getter} now"] = _show_value(change.watched, change.now, context)
        for event in unexplained_events(change, calls)[-5:]:
            shown = f"{context.name_address(event.value)}, transaction {event.tx_hash}"
            facts[f"{event.name} in block {event.block_number}"] = shown
    setters = dict.fromkeys(" or ".join(change.watched.setters) for change in changes)
    facts["set by"] = f"{', '.join(setters)}, past the UpgradeTimelock: no executed operation explains it"
    return facts | {"after block": min(change.since for change in changes), "seen at block": block}


def _show_value(watched: WatchedGetter, value: str, context: WordingContext) -> str:
    if watched.is_address:
        return context.name_address(value)
    return f"a longer answer whose keccak-256 begins with {value}"


class SetterWatch:
    """The comparison of one chain with a configured UpgradeTimelock."""

    def __init__(self, engine: AsyncEngine, chain: Chain, alerts: AlertOutbox, timelock: str) -> None:
        self._engine = engine
        self._chain = chain
        self._chain_id = chain.chain_id
        self._alerts = alerts
        self._timelock = timelock
        self._watched = {(getattr(chain.settings, each.contract), each.getter): each for each in GETTERS}

    async def compare_when_due(self) -> int:
        """Compare the answers once a day, and return the number of alerts. The first answer is only stored.

        Raises `ChainUnavailable` if no two endpoints have agreed for a day since the comparison was due.
        """
        async with self._engine.connect() as connection:
            stored = await self._read_stored(connection)
        if len(stored) == len(self._watched) and not any(each.due for each in stored.values()):
            return 0
        block = await self._chain.get_known_block("finalized")
        if block is None:
            return 0
        if any(block.number <= (each.block_number or 0) for each in stored.values()):
            return 0
        if not await self._is_queue_recorded(block.number):
            return 0
        if len(stored) < len(self._watched):
            stored = await self._begin()
        try:
            found = await self._chain.agreed(lambda view: self._read_answers(view, block.hash))
        except ChainUnavailable:
            if any(each.overdue for each in stored.values()):
                raise
            return 0
        return await self._record(stored, found, block.number)

    async def _read_stored(self, connection: AsyncConnection) -> dict[tuple[str, str], StoredValue]:
        stored = {}
        for row in await connection.execute(sql["setter_values"], {"chain_id": self._chain_id}):
            key = (row.contract, row.getter)
            if key in self._watched:
                stored[key] = StoredValue(*row)
        return stored

    async def _begin(self) -> dict[tuple[str, str], StoredValue]:
        async with self._engine.begin() as connection:
            await connection.execute(sql["begin_setters"], {"chain_id": self._chain_id, **self._keys()})
            return await self._read_stored(connection)

    def _keys(self) -> dict[str, list[str]]:
        return {
            "contracts": [contract for contract, _ in self._watched],
            "getters": [getter for _, getter in self._watched],
        }

    async def _is_queue_recorded(self, block: int) -> bool:
        """Return whether all the timelock's events up to this block are recorded. One may explain a change."""
        async with self._engine.connect() as connection:
            index = await read_cursor(connection, self._chain_id, CURSOR)
            if index is None or index.number < block:
                return False
            if await store.is_history(connection, self._chain_id, self._timelock) is not False:
                return False
            return not await store.unrecorded_events(connection, self._chain_id, self._timelock)

    async def _read_answers(self, view: Chain, at: str) -> tuple[str | None, ...]:
        """Return the answers in order; None for a contract without the getter.

        Longer answers are asked for alone, because `call_many` cuts them: creation code may have 49,152 bytes.
        """
        calls = {key: ContractCall(key[0], keccak(text=f"{key[1]}()")[:4]) for key in self._watched}
        short = [key for key, watched in self._watched.items() if watched.is_address]
        answers = dict(zip(short, await view.call_many([calls[key] for key in short], at=at), strict=True))
        for key in calls.keys() - answers.keys():
            answers[key] = await view.call(calls[key], at=at)
        return tuple(read_or_none(watched.read, answers[key]) for key, watched in self._watched.items())

    async def _record(
        self, stored: Mapping[tuple[str, str], StoredValue], found: Sequence[str | None], block: int
    ) -> int:
        values = {
            "chain_id": self._chain_id,
            "block": block,
            **self._keys(),
            "values": list(found),
            "before": [stored[key].block_number for key in self._watched],
        }
        async with self._engine.begin() as connection:
            saved = {(row.contract, row.getter) for row in await connection.execute(sql["save_setters"], values)}
            compared = []
            for (key, watched), now in zip(self._watched.items(), found, strict=True):
                before = stored[key]
                if key not in saved or now is None:
                    continue  # another process compared it, or there is no answer
                if before.value is None or before.block_number is None:
                    continue  # the first answer
                compared.append(SetterChange(watched, key[0], before.value, now, before.block_number))
            return await self._alert(connection, compared, block) if compared else 0

    async def _alert(self, connection: AsyncConnection, compared: Sequence[SetterChange], block: int) -> int:
        """Write an alert for each contract with a change that the queue does not explain."""
        values = {"chain_id": self._chain_id, "first": min(change.since for change in compared) + 1, "last": block}
        events = await self._read_events(connection, values)
        calls = [
            ExecutedCall(row.changed_block, row.target, bytes.fromhex(row.data))
            for row in await connection.execute(sql["executed_calls"], values)
        ]
        context = WordingContext(self._chain.settings, self._timelock, {}, (), block)
        by_contract: dict[str, list[SetterChange]] = {}
        for silent in compared:
            change = replace(silent, events=tuple(event for event in events if silent.is_event(event)))
            if not is_explained(change, calls):
                by_contract.setdefault(change.contract, []).append(change)
        for contract, unexplained in by_contract.items():
            facts = changed_facts(unexplained, calls, block, context)
            kind, stage = AlertKind.UPGRADE_PAST_QUEUE, f"block {block}"
            await self._alerts.record_event(connection, kind, contract, stage, self._chain_id, facts)
        return len(by_contract)

    async def _read_events(self, connection: AsyncConnection, blocks: Mapping[str, int]) -> list[SetterEvent]:
        contracts, names = set[str](), set[str]()
        for (contract, _), watched in self._watched.items():
            if watched.events:
                contracts.add(contract)
                names.update(watched.events)
        values = {**blocks, "contracts": sorted(contracts), "names": sorted(names)}
        found = await connection.execute(sql["setter_events"], values)
        return [SetterEvent(*row) for row in found]
