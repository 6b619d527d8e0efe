"""Validate notify signals: genuine or not, members, configuration and amounts at the signal's block.

Facts about an activation are read at the parent of its block, because the activation empties the lists. Many signals
are validated in one round of requests.
"""

import asyncio
import random
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec
import structlog
from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.chain.client import Chain, StateGone
from reminder_worker.chain.contracts.legacies import LegacyReads
from reminder_worker.chain.contracts.premium import TokenWhiteList
from reminder_worker.chain.quorum import find_agreed
from reminder_worker.chain.types import BlockHeader, EventLog
from reminder_worker.database.queries import json_text
from reminder_worker.errors import ChainUnavailable, IndexerUnavailable
from reminder_worker.indexer.chain_index import CURSOR as INDEX_CURSOR
from reminder_worker.indexer.models import IndexHead, ReminderConfig, SignalKind
from reminder_worker.indexer.projection import TABLE_PROJECTIONS, ChainEvent, config_of, project_config
from reminder_worker.indexer.selector import IndexerSelector
from reminder_worker.indexer.store import read_cursor
from reminder_worker.reminders.audience import (
    ACTIVATIONS,
    LegacyMembership,
    amounts_to_json,
    clamp_line,
    read_memberships,
    select_claim_transfers,
    sum_received,
)
from reminder_worker.reminders.signal_transactions import SignalTransaction, SignalTransactions, StoredSignal
from reminder_worker.reminders.tables import sql
from reminder_worker.settings import ReminderSettings

log = structlog.get_logger(__name__)

STATE_KEPT_BLOCKS = 100  # a full node keeps the state of 128 blocks
SILENCE_SECONDS = 3600  # how long a signal waits for a silent second endpoint
DENIED = "denied_by_an_endpoint"  # reason: the signal waits until two endpoints return its transaction


@dataclass(frozen=True, slots=True)
class ValidatedSignal:
    """Result for a signal. `state`: planned, refused (with a reason) or new (retried after `delay` seconds).

    Only a planned signal has `members` and the fields below.
    """

    signal: StoredSignal
    state: str
    reason: str | None = None
    members: LegacyMembership | None = None
    config: ReminderConfig | None = None
    line: int = 1
    amounts: str | None = None
    delay: float = 0.0


@dataclass(frozen=True, slots=True)
class SignalFacts:
    """Facts about many signals, by the block whose state validates a signal.

    Unreadable blocks have None in `members` or are absent from `configs`: their signals are retried.

    `instead`: members for signals whose block has no state any more. `doubted`: blocks whose state a silent endpoint
    may still have. `lines`: by legacy and time, the last line informed of its right to act.
    """

    members: Mapping[IndexHead, Mapping[str, LegacyMembership | None] | None]
    doubted: Collection[IndexHead]
    instead: Mapping[StoredSignal, LegacyMembership | None]
    configs: Mapping[IndexHead, Mapping[str, ReminderConfig]]
    lines: Mapping[tuple[str, int], int]
    whitelist: frozenset[str]


class SignalValidator:
    """Validator of one chain. Raises `ChainUnavailable` if nothing can be read."""

    def __init__(
        self, engine: AsyncEngine, chain: Chain, indexers: IndexerSelector, settings: ReminderSettings
    ) -> None:
        self._engine = engine
        self._chain = chain
        self._indexers = indexers
        self._max_age = settings.signal_max_age_seconds
        self._transactions = SignalTransactions(chain)
        self._blocks = asyncio.Semaphore(16)

    async def validate_signals(self, signals: Sequence[StoredSignal]) -> list[ValidatedSignal]:
        """Return one result per signal, in order."""
        found, denied = await self._confirm_transactions(signals)
        legacies = sorted({signal.legacy for signal in signals})
        head = await self._chain.get_head()
        identities = await LegacyReads(self._chain).read_identities(legacies, at=head.hash)
        types = {each.legacy: each.legacy_type for each in identities if each is not None}
        verdicts: dict[StoredSignal, ValidatedSignal] = {}
        good: dict[StoredSignal, SignalTransaction] = {}
        for signal in signals:
            transaction = found.get(signal.tx_hash)
            if transaction is None and signal.age > self._max_age:
                # A transaction reorganised out may return, but not after a long time.
                verdicts[signal] = ValidatedSignal(signal, "refused", "transaction_gone")
            elif transaction is None:
                verdicts[signal] = _retry_later(signal, DENIED if signal.tx_hash in denied else "not_readable_yet")
            elif not _is_announced(transaction, signal):
                verdicts[signal] = ValidatedSignal(signal, "refused", "not_in_its_transaction")
            elif signal.legacy not in types and head.number < transaction.block_number:
                verdicts[signal] = _retry_later(signal)  # a lagging node does not know the legacy yet
            elif signal.legacy not in types:
                verdicts[signal] = ValidatedSignal(signal, "refused", "not_genuine")
            else:
                good[signal] = transaction
        verdicts.update({each.signal: each for each in await self._validate_genuine(good, types)})
        for each in verdicts.values():
            if each.state == "refused":
                log.warning("signal_refused", chain_id=self._chain.chain_id, tx=each.signal.tx_hash, reason=each.reason)
        return [verdicts[signal] for signal in signals]

    async def _confirm_transactions(
        self, signals: Sequence[StoredSignal]
    ) -> tuple[dict[str, SignalTransaction], set[str]]:
        """Return successful transactions by hash, and the hashes of those that an endpoint denies.

        One endpoint alone cannot invent a transaction: two must return it. A silent second endpoint is awaited
        for a limited time. A denial lasts until two endpoints confirm the transaction: otherwise an attacker would only
        have to silence the denying endpoint for a moment.
        """
        by_hash: dict[str, list[StoredSignal]] = defaultdict(list)
        for signal in signals:
            by_hash[signal.tx_hash].append(signal)
        said = await asyncio.gather(*map(self._transactions.read_voices, by_hash.values()))
        if not any(said):
            raise ChainUnavailable(f"no endpoint of chain {self._chain.chain_id} answers")
        endpoints = len(self._chain.settings.rpc_urls)
        denied = {signal.tx_hash for signal in signals if signal.denied}
        waited = {signal.tx_hash for signal in signals if signal.age > SILENCE_SECONDS} - denied
        found = {}
        for tx_hash, heard in zip(by_hash, said, strict=True):
            is_alone = len(heard) == 1 and tx_hash in waited
            transaction = find_agreed([each for each in heard if each is not None], 1 if is_alone else endpoints)
            if transaction is not None:
                found[tx_hash] = transaction
            elif endpoints == 1:
                continue
            elif len(heard) > 1 or heard == [None]:
                denied.add(tx_hash)
        return found, denied

    async def _validate_genuine(
        self, good: Mapping[StoredSignal, SignalTransaction], types: Mapping[str, int]
    ) -> list[ValidatedSignal]:
        if not good:
            return []
        places = await self._find_blocks(good)
        by_place: dict[IndexHead, dict[str, int]] = defaultdict(dict)
        for signal, place in places.items():
            by_place[place][signal.legacy] = types[signal.legacy]
        doubted: set[IndexHead] = set()
        found = await asyncio.gather(*(self._read_members(place, some, doubted) for place, some in by_place.items()))
        members = dict(zip(by_place, found, strict=True))
        unknown = []
        for signal, place in places.items():
            read = members[place]
            if read is not None and read[signal.legacy] is None:
                unknown.append(signal)
        transfers = [signal for signal in good if signal.kind == SignalKind.TRANSFER_ACTIVATION]
        whitelist = await TokenWhiteList(self._chain).read_tokens() if transfers else frozenset[str]()
        known = SignalFacts(
            members=members,
            doubted=doubted,
            instead=await self._find_members_instead(unknown, types),
            configs=await self._read_configs(by_place),
            lines=await self._read_told_lines(transfers),
            whitelist=whitelist,
        )
        return [self._decide_signal(signal, within, places.get(signal), known) for signal, within in good.items()]

    def _decide_signal(
        self, signal: StoredSignal, within: SignalTransaction, place: IndexHead | None, known: SignalFacts
    ) -> ValidatedSignal:
        members = known.members[place] if place else None
        if place is None or members is None or place not in known.configs:
            return _retry_later(signal)
        belongs = members.get(signal.legacy) or known.instead.get(signal)
        if belongs is None and place in known.doubted and signal.age <= SILENCE_SECONDS:
            return _retry_later(signal)
        if belongs is None:
            return ValidatedSignal(signal, "refused", "members_not_known")
        line, amounts = clamp_line(signal.layer), None
        if signal.kind == SignalKind.TRANSFER_ACTIVATION:
            line = max(line, known.lines.get((signal.legacy, signal.block_time), 1))
            moved = _select_transfers(signal, within, belongs.owner)
            found = sum_received(moved, signal.legacy, belongs, known.whitelist)
            amounts = json_text(amounts_to_json(found))
        config = known.configs[place].get(signal.legacy)
        return ValidatedSignal(signal, "planned", None, belongs, config, line, amounts)

    async def _find_blocks(self, good: Mapping[StoredSignal, SignalTransaction]) -> dict[StoredSignal, IndexHead]:
        """Return the block that validates each signal: the parent for an activation, else its own.

        A signal whose block is not found is absent.
        """

        async def read_block(block_hash: str) -> BlockHeader | None:
            async with self._blocks:
                return await self._chain.get_block_by_hash(block_hash)

        hashes = sorted({within.block_hash for within in good.values()})
        blocks = dict(zip(hashes, await asyncio.gather(*map(read_block, hashes)), strict=True))
        places = {}
        for signal, within in good.items():
            block = blocks[within.block_hash]
            if block is not None and signal.kind_of_email in ACTIVATIONS:
                places[signal] = IndexHead(block.number - 1, block.parent_hash)
            elif block is not None:
                places[signal] = IndexHead(block.number, block.hash)
        return places

    async def _read_members(
        self, place: IndexHead, types: Mapping[str, int], doubted: set[IndexHead]
    ) -> dict[str, LegacyMembership | None] | None:
        """Return members by legacy at a block, or None to retry.

        If the state is gone, each legacy has None, and the block is `doubted` unless all endpoints confirm the loss.
        """
        try:
            async with self._blocks:
                return await read_memberships(self._chain, types, place.hash)
        except StateGone as gone:
            head = await self._chain.get_block("latest")
            if head is None or head.number - place.number < STATE_KEPT_BLOCKS:
                return None  # a lagging node or a reorganisation
            if not gone.everywhere:
                doubted.add(place)
            return dict.fromkeys(types)
        except ChainUnavailable:
            return None

    async def _find_members_instead(
        self, signals: Collection[StoredSignal], types: Mapping[str, int]
    ) -> dict[StoredSignal, LegacyMembership | None]:
        """Return current members, else stored ones; for an activation only stored ones: it may empty the lists."""
        if not signals:
            return {}
        lasting = {each.legacy: types[each.legacy] for each in signals if each.kind_of_email not in ACTIVATIONS}
        head = await self._chain.get_head()
        now = await read_memberships(self._chain, lasting, head.hash) if lasting else {}
        values = {"chain_id": self._chain.chain_id, "legacies": sorted({signal.legacy for signal in signals})}
        async with self._engine.connect() as conn:
            rows = await conn.execute(sql["stored_memberships"], values)
            stored = {row.legacy: msgspec.convert(row.membership, LegacyMembership) for row in rows}
        members = {}
        for signal in signals:
            members[signal] = stored.get(signal.legacy)
            if signal.kind_of_email not in ACTIVATIONS:
                members[signal] = now.get(signal.legacy) or members[signal]
        return members

    async def _read_configs(
        self, by_place: Mapping[IndexHead, Mapping[str, int]]
    ) -> dict[IndexHead, dict[str, ReminderConfig]]:
        """Return configurations by block. A block that no index has, or has any more, is absent."""
        chain_id = self._chain.chain_id
        legacies = sorted(set[str]().union(*by_place.values()))
        async with self._engine.connect() as conn:
            # Cursor and events from one snapshot: a reorganisation in between would hide all configurations.
            await conn.execution_options(isolation_level="REPEATABLE READ")
            cursor = await read_cursor(conn, chain_id, INDEX_CURSOR)
            values = {
                "chain_id": chain_id,
                "legacies": legacies,
                "names": sorted(TABLE_PROJECTIONS["reminder_config"].events),
            }
            events = [ChainEvent(*row) for row in await conn.execute(sql["config_events"], values)]
        found = {}
        for place, types in by_place.items():
            if cursor is not None and cursor.number >= place.number:
                found[place] = _fold_configs(events, place.number, types)
                continue
            answer = await self._ask_indexer(place, types)
            if answer is not None:
                found[place] = answer
        return found

    async def _ask_indexer(self, place: IndexHead, legacies: Collection[str]) -> dict[str, ReminderConfig] | None:
        try:
            indexer = (await self._indexers.choose_indexer()).indexer
            return await indexer.reminder_configs(legacies, place)
        except IndexerUnavailable:
            return None

    async def _read_told_lines(self, signals: Iterable[StoredSignal]) -> dict[tuple[str, int], int]:
        asked = sorted({(signal.legacy, signal.block_time) for signal in signals})
        if not asked:
            return {}
        legacies, times = [legacy for legacy, _ in asked], [time for _, time in asked]
        values = {"chain_id": self._chain.chain_id, "legacies": legacies, "times": times}
        async with self._engine.connect() as conn:
            return {(row.legacy, row.at): row.line for row in await conn.execute(sql["told_lines"], values)}


def _is_announced(transaction: SignalTransaction, signal: StoredSignal) -> bool:
    """Return whether the transaction has the signal. Without this proof a wrong indexer could trigger emails."""
    said = (signal.legacy, signal.layer, signal.kind)
    notices = transaction.list_notices()
    return any((args["legacy"], args["layer"], args["notifyType"]) == said for _, args in notices)


def _select_transfers(signal: StoredSignal, transaction: SignalTransaction, owner: str) -> list[EventLog]:
    told = {}
    for at, args in transaction.list_notices():
        if args["notifyType"] == SignalKind.TRANSFER_ACTIVATION and args["creator"] == owner:
            told[at] = args["legacy"]
    return select_claim_transfers(transaction.logs, signal.legacy, owner, told)


def _fold_configs(events: Sequence[ChainEvent], last: int, legacies: Collection[str]) -> dict[str, ReminderConfig]:
    """Return the configurations of these legacies at block `last`."""
    by_legacy: dict[str, list[ChainEvent]] = defaultdict(list)
    for event in events:
        if event.legacy and event.legacy in legacies and event.block_number <= last:
            by_legacy[event.legacy].append(event)
    configs = {}
    for legacy, some in by_legacy.items():
        row = project_config(some)
        if row is not None:
            configs[legacy] = config_of(row)
    return configs


def _retry_later(signal: StoredSignal, reason: str = "not_readable_yet") -> ValidatedSignal:
    longest = min(3600.0, 4.0 * 2 ** min(signal.tries, 12))
    delay = random.uniform(longest / 4, longest)  # noqa: S311 - not a secret
    return ValidatedSignal(signal, "new", reason, delay=delay)
