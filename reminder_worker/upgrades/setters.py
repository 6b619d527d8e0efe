"""A daily look at the addresses that setters change.

The Safe that owns TimeLockRouter can call its setters past the queue, and no event tells of it. Two endpoints have to
agree on the addresses at a final block. A change that no executed operation of the UpgradeTimelock explains is alerted.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from eth_utils.crypto import keccak
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from reminder_worker.chain.abi_codec import address_at
from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts import read_or_none
from reminder_worker.chain.quorum import read_agreed
from reminder_worker.chain.types import ContractCall
from reminder_worker.errors import ChainUnavailable
from reminder_worker.indexer.chain_index import CURSOR
from reminder_worker.indexer.store import read_cursor
from reminder_worker.outbox.alerts import AlertOutbox
from reminder_worker.outbox.messages import AlertKind
from reminder_worker.upgrades import store
from reminder_worker.upgrades.operations import decode_call
from reminder_worker.upgrades.tables import sql
from reminder_worker.upgrades.wording import Facts, WordingContext

NOBODY: Final = "0x" + "00" * 20


@dataclass(frozen=True, slots=True)
class WatchedGetter:
    """A getter of a contract (its name in the settings), and the setter with the argument that changes its answer."""

    contract: str
    getter: str
    setter: str
    argument: str
    effect: str


_OTHER_VAULTS: Final = "the router locks assets in other vaults"
_OTHER_ROUTER: Final = "a vault obeys another router"
GETTERS: Final = (
    WatchedGetter("time_lock_router", "timelockERC20Contract", "setTimelock", "timelockERC20", _OTHER_VAULTS),
    WatchedGetter("time_lock_router", "timelockERC721Contract", "setTimelock", "timelockERC721", _OTHER_VAULTS),
    WatchedGetter("time_lock_router", "timelockERC1155Contract", "setTimelock", "timelockERC1155", _OTHER_VAULTS),
    WatchedGetter(
        "time_lock_router", "tokenWhitelist", "setTokenWhitelist", "whitelist", "the router accepts other tokens"
    ),
    WatchedGetter(
        "time_lock_router",
        "uniswapRouter",
        "setUniswapRouter",
        "uniswapRouter",
        "tokens are swapped by another contract",
    ),
    WatchedGetter("time_lock_router", "owner", "transferOwnership", "newOwner", "the router obeys another owner"),
    WatchedGetter("timelock_erc20", "routerAddresses", "setRouterAddresses", "router", _OTHER_ROUTER),
    WatchedGetter("timelock_erc721", "routerAddresses", "setRouterAddresses", "router", _OTHER_ROUTER),
    WatchedGetter("timelock_erc1155", "routerAddresses", "setRouterAddresses", "router", _OTHER_ROUTER),
)


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
class SetterChange:
    """An answer that changed. `since`: the block of the answer before."""

    watched: WatchedGetter
    contract: str
    before: str
    now: str
    since: int


@dataclass(frozen=True, slots=True)
class ExecutedCall:
    """A call of an operation, executed in `block_number`."""

    block_number: int
    target: str
    data: bytes


def is_explained(change: SetterChange, calls: Iterable[ExecutedCall]) -> bool:
    """Return whether one of these calls made the change: its setter with the new address, or an upgrade."""
    return any(_explains(call, change) for call in calls if call.block_number > change.since)


def _explains(call: ExecutedCall, change: SetterChange) -> bool:
    decoded = decode_call(call.data)
    arguments = decoded.arguments or {}
    if arguments.get("proxy") == change.contract:
        return True  # new code may answer anything
    if call.target != change.contract:
        return False
    function = (decoded.function or "").partition("(")[0]
    if function == "renounceOwnership":
        return change.watched.getter == "owner" and change.now == NOBODY
    return function == change.watched.setter and arguments.get(change.watched.argument) == change.now


def changed_facts(changes: Sequence[SetterChange], block: int, context: WordingContext) -> Facts:
    """Return the facts about changes of one contract, read at this block."""
    facts: Facts = {
        "contract": context.name_address(changes[0].contract),
        "as powerful as an upgrade": "; ".join(dict.fromkeys(change.watched.effect for change in changes)),
    }
    for change in changes:
        facts[f"{change.watched.getter} before"] = context.name_address(change.before)
        facts[f"{change.watched.getter} now"] = context.name_address(change.now)
    setters = dict.fromkeys(change.watched.setter for change in changes)
    facts["set by"] = f"{', '.join(setters)}, past the UpgradeTimelock: no executed operation explains it"
    return facts | {"after block": min(change.since for change in changes), "seen at block": block}


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
        """Compare the addresses once a day, and return the number of alerts. The first answer is only stored.

        Raises `ChainUnavailable` if no two endpoints have agreed for a day since the comparison was due.
        """
        async with self._engine.connect() as connection:
            stored = await self._read_stored(connection)
        if len(stored) == len(self._watched) and not any(each.due for each in stored.values()):
            return 0
        block = await self._chain.get_known_block("finalized")
        if block is None or any(block.number <= (each.block_number or 0) for each in stored.values()):
            return 0
        if not await self._is_queue_recorded(block.number):
            return 0
        if len(stored) < len(self._watched):
            stored = await self._begin()
        try:
            found = await read_agreed(self._chain, lambda view: self._read_addresses(view, block.hash))
        except ChainUnavailable:
            if any(each.overdue for each in stored.values()):
                raise
            return 0
        return await self._record(stored, found, block.number)

    async def _read_stored(self, connection: AsyncConnection) -> dict[tuple[str, str], StoredValue]:
        rows = [
            StoredValue(*row) for row in await connection.execute(sql["setter_values"], {"chain_id": self._chain_id})
        ]
        return {key: row for row in rows if (key := (row.contract, row.getter)) in self._watched}

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

    async def _read_addresses(self, view: Chain, at: str) -> tuple[str | None, ...]:
        """Return the answers in order; None for a contract without the getter."""
        calls = [ContractCall(contract, keccak(text=f"{getter}()")[:4]) for contract, getter in self._watched]
        return tuple(read_or_none(address_at, answer) for answer in await view.call_many(calls, at=at))

    async def _record(
        self, stored: Mapping[tuple[str, str], StoredValue], found: Sequence[str | None], block: int
    ) -> int:
        answers = dict(zip(self._watched, found, strict=True))
        values = {
            "chain_id": self._chain_id,
            "block": block,
            **self._keys(),
            "values": list(found),
            "before": [stored[key].block_number for key in self._watched],
        }
        async with self._engine.begin() as connection:
            saved = [(row.contract, row.getter) for row in await connection.execute(sql["save_setters"], values)]
            changes = [
                SetterChange(self._watched[key], key[0], before.value, now, before.block_number)
                for key, before in stored.items()
                if key in saved and (now := answers[key]) is not None
                if before.value not in (None, now) and before.block_number is not None
            ]
            return await self._alert(connection, changes, block) if changes else 0

    async def _alert(self, connection: AsyncConnection, changes: Sequence[SetterChange], block: int) -> int:
        """Write an alert for each contract with a change that the queue does not explain."""
        values = {"chain_id": self._chain_id, "first": min(change.since for change in changes) + 1, "last": block}
        calls = [
            ExecutedCall(row.changed_block, row.target, bytes.fromhex(row.data))
            for row in await connection.execute(sql["executed_calls"], values)
        ]
        context = WordingContext(self._chain.settings, self._timelock, {}, (), block)
        by_contract: dict[str, list[SetterChange]] = {}
        for change in changes:
            if not is_explained(change, calls):
                by_contract.setdefault(change.contract, []).append(change)
        for contract, unexplained in by_contract.items():
            facts = changed_facts(unexplained, block, context)
            kind, stage = AlertKind.UPGRADE_PAST_QUEUE, f"block {block}"
            await self._alerts.record_event(connection, kind, contract, stage, self._chain_id, facts)
        return len(by_contract)
