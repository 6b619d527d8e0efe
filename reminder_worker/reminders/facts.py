"""Facts about a batch of emails from the chain, the index and our tables, read in one round of requests.

All chain facts belong to one block. They are kept while this block is the head, because the next batch is often about
the same legacies.
"""

import asyncio
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncEngine

from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts.legacies import LegacyFacts, LegacyReads
from reminder_worker.chain.contracts.premium import PremiumSetting, TokenWhiteList
from reminder_worker.chain.contracts.safes import SafeLegacy, SafeState, read_safes
from reminder_worker.chain.contracts.tokens import ETHER_METADATA, TokenMetadata, TokenReads
from reminder_worker.chain.renewals import RenewalReads, RenewState
from reminder_worker.chain.types import ETHER, BlockHeader
from reminder_worker.concurrency import run_together, split_batches
from reminder_worker.errors import IndexerUnavailable
from reminder_worker.indexer.models import SAFE, ReminderConfig
from reminder_worker.indexer.selector import IndexerSelector
from reminder_worker.outbox.messages import KIND_WINDOWS, RecipientRole, ReminderKind, TokenAmount
from reminder_worker.reminders.audience import (
    ACTIVATIONS,
    CLAIM_WINDOWS,
    OWNER_WARNINGS,
    SAFE_TROUBLES,
    find_possible_audience,
    make_membership,
    read_safe_signers,
    sum_amounts,
)
from reminder_worker.reminders.emails import ReminderEmail
from reminder_worker.reminders.gaps import LegacyGap, find_gaps
from reminder_worker.reminders.horizon import QUESTIONS_AT_ONCE, read_open_windows
from reminder_worker.reminders.tables import sql


@dataclass(slots=True)
class ReminderFacts:
    """Facts of one chain at one block. `configs` is None if no indexer answers; `windows` lacks reverting legacies.

    `legacies` has None for an unreadable legacy and for a Safe with too many signers.
    """

    head: BlockHeader
    legacies: dict[str, LegacyFacts | None] = field(default_factory=dict)
    signers: dict[str, tuple[str, ...] | None] = field(default_factory=dict)
    windows: dict[str, tuple[int, ...]] = field(default_factory=dict)
    configs: Mapping[str, ReminderConfig] | None = None
    amounts: Mapping[UUID, list[TokenAmount]] = field(default_factory=dict)
    told: Mapping[tuple[str, str], Mapping[RecipientRole, int]] = field(default_factory=dict)
    renewals: Mapping[str, RenewState] = field(default_factory=dict)
    expiries: Mapping[str, int] = field(default_factory=dict)
    safes: dict[str, SafeState] = field(default_factory=dict)
    gaps: Mapping[str, LegacyGap] = field(default_factory=dict)
    _audiences: dict[tuple[str, int, bool], dict[str, RecipientRole]] = field(default_factory=dict)

    def list_readable(self, legacies: Collection[str]) -> list[LegacyFacts]:
        """Return what is known of the legacies, by address; without those that revert."""
        found = [self.legacies[legacy] for legacy in sorted(legacies)]
        return [one for one in found if one is not None]

    def find_audience(
        self, legacy: LegacyFacts, configs: Mapping[str, ReminderConfig], line: int, *, may_act: bool
    ) -> Mapping[str, RecipientRole]:
        """Return the possible audience of an email to this line, computed once per batch."""
        key = (legacy.legacy, line, may_act)
        found = self._audiences.get(key)
        if found is None:
            signers = self.signers[legacy.owner] if legacy.legacy_type == SAFE else ()
            members = make_membership(legacy.members, signers or ())
            found = self._audiences[key] = find_possible_audience(configs.get(legacy.legacy), members, line, may_act)
        return found


class ReminderFactReader:
    """Reader of one chain. Raises `ChainUnavailable`."""

    def __init__(self, engine: AsyncEngine, chain: Chain, indexers: IndexerSelector, batch_size: int) -> None:
        self._engine = engine
        self._chain = chain
        self._indexers = indexers
        self._batch_size = batch_size
        self._tokens = TokenReads(chain)
        self._questions = asyncio.Semaphore(QUESTIONS_AT_ONCE)
        self._known: ReminderFacts | None = None

    async def read_facts(self, entries: Sequence[ReminderEmail]) -> ReminderFacts:
        head = await self._chain.get_head()
        facts = self._known
        if facts is None or facts.head.hash != head.hash or len(facts.legacies) > 20_000:
            facts = self._known = ReminderFacts(head)

        def select(kinds: Collection[ReminderKind]) -> list[ReminderEmail]:
            return [entry for entry in entries if entry.kind in kinds]

        legacies = {entry.legacy for entry in entries}
        due_entries = select(KIND_WINDOWS)
        due = {entry.legacy for entry in due_entries}
        configured = {entry.legacy for entry in entries if entry.kind not in ACTIVATIONS}
        instructed = [entry for entry in select({ReminderKind.INSTRUCTIONS}) if entry.role == RecipientRole.OWNER]
        _, _, configs, amounts, told = await run_together(
            self._learn_legacies(facts, sorted(legacies - facts.legacies.keys())),
            self._learn_windows(facts, sorted(due - facts.windows.keys())),
            self._read_configs(sorted(configured), head.number),
            self._read_amounts(select({ReminderKind.ACTIVATED_TRANSFER})),
            self._count_told(instructed),
        )
        budgets = {entry.legacy for entry in select({ReminderKind.AUTO_RENEW_BUDGET})}
        renewals = await self._read_renewals(facts, budgets)
        opened = {entry.legacy for entry in due_entries if KIND_WINDOWS[entry.kind] in CLAIM_WINDOWS}
        creators = {one.members.creator for one in facts.list_readable(opened)}
        warned = {entry.recipient for entry in select(OWNER_WARNINGS)}
        expiries = await self._read_expiries(facts, creators | warned)
        await self._learn_safes(facts, due | {entry.legacy for entry in select(SAFE_TROUBLES)})
        gaps = await self._read_gaps({entry.legacy for entry in select({ReminderKind.RECIPIENTS_GAP})})
        return ReminderFacts(
            head,
            facts.legacies,
            facts.signers,
            facts.windows,
            configs,
            amounts,
            told,
            renewals,
            expiries,
            facts.safes,
            gaps,
        )

    async def _read_gaps(self, legacies: Collection[str]) -> Mapping[str, LegacyGap]:
        if not legacies:
            return {}
        async with self._engine.connect() as conn:
            return await find_gaps(conn, self._chain.chain_id, sorted(legacies))

    async def _learn_safes(self, facts: ReminderFacts, legacies: set[str]) -> None:
        """Read the guard and the module of each Safe legacy."""
        known = facts.list_readable(legacies - facts.safes.keys())
        wanted = [one for one in known if one.legacy_type == SAFE]
        if not wanted:
            return
        guards = await self._indexers.own_index.find_guards([one.legacy for one in wanted])
        asked = [SafeLegacy(one.legacy, one.owner, guards.get(one.legacy)) for one in wanted]
        found = await read_safes(self._chain, asked, at=facts.head.hash)
        facts.safes.update(zip([one.legacy for one in wanted], found, strict=True))

    async def _read_expiries(self, facts: ReminderFacts, owners: Collection[str]) -> dict[str, int]:
        """Return when Premium of each owner ends."""
        asked = sorted(owners)
        if not asked:
            return {}
        return dict(zip(asked, await PremiumSetting(self._chain).read_expiries(asked, at=facts.head.hash), strict=True))

    async def _learn_legacies(self, facts: ReminderFacts, legacies: Sequence[str]) -> None:
        if not legacies:
            return
        found = await LegacyReads(self._chain).read_facts(legacies, at=facts.head.hash)
        readable = [each for each in found if each is not None]
        owners = {each.legacy: each.owner for each in readable if each.legacy_type == SAFE}
        unknown = sorted(set(owners.values()) - facts.signers.keys())
        facts.signers.update(await read_safe_signers(self._chain, unknown, facts.head.hash))
        facts.legacies.update(zip(legacies, found, strict=True))
        for legacy, safe in owners.items():
            if facts.signers[safe] is None:
                facts.legacies[legacy] = None

    async def _learn_windows(self, facts: ReminderFacts, legacies: Sequence[str]) -> None:
        batches = split_batches(legacies, self._batch_size)
        asked = (read_open_windows(self._chain, batch, facts.head.hash, self._questions) for batch in batches)
        for found in await run_together(*asked):
            facts.windows.update(found)

    async def _read_renewals(self, facts: ReminderFacts, legacies: Collection[str]) -> dict[str, RenewState]:
        """Return the auto-renew state of each readable legacy with a renewing router."""
        router = self._chain.settings.transfer_eoa_legacy_router
        asked = [one for one in facts.list_readable(legacies) if one.router == router]
        states = await RenewalReads(self._chain).read_states([one.legacy_id for one in asked], at=facts.head.hash)
        return {one.legacy: state for one, state in zip(asked, states, strict=True) if state is not None}

    async def _read_configs(self, legacies: Sequence[str], reached: int) -> Mapping[str, ReminderConfig] | None:
        if not legacies:
            return {}
        try:
            return await self._indexers.reminder_configs(legacies, reached)
        except IndexerUnavailable:
            return None

    async def _read_amounts(self, entries: Sequence[ReminderEmail]) -> dict[UUID, list[TokenAmount]]:
        """Return amounts by email, including merged ones. Owners and cosigners see the amounts of all heirs."""
        if not entries:
            return {}
        async with self._engine.connect() as conn:
            rows = (await conn.execute(sql["amounts"], {"ids": [entry.id for entry in entries]})).all()
        stored: dict[UUID, dict[str, Any]] = defaultdict(dict)
        for row in rows:  # two lines of one transaction have the same transfers
            stored[row.entry_id][row.tx_hash] = row.amounts or {}
        sums = {}
        for entry in entries:
            sees_all = entry.role in (RecipientRole.OWNER, RecipientRole.COSIGNER)
            sums[entry.id] = sum_amounts(stored[entry.id].values(), None if sees_all else entry.recipient)
        tokens = sorted(set[str]().union(*sums.values()) - {ETHER})
        whitelist, metadata = await run_together(
            TokenWhiteList(self._chain).read_tokens(), self._tokens.read_metadata(tokens)
        )
        metadata = {**metadata, ETHER: ETHER_METADATA}
        return {id: _list_amounts(units, whitelist | {ETHER}, metadata) for id, units in sums.items()}

    async def _count_told(self, entries: Sequence[ReminderEmail]) -> dict[tuple[str, str], dict[RecipientRole, int]]:
        """Return the number of people of each role, by legacy and request."""
        if not entries:
            return {}
        values = {"chain_id": self._chain.chain_id, "events": [entry.event for entry in entries]}
        told: dict[tuple[str, str], dict[RecipientRole, int]] = defaultdict(dict)
        async with self._engine.connect() as conn:
            for row in await conn.execute(sql["told"], {**values, "legacies": [entry.legacy for entry in entries]}):
                told[(row.legacy, row.event)][RecipientRole(row.role)] = row.people
        return told


def _list_amounts(
    sums: Mapping[str, int], whitelist: frozenset[str], metadata: Mapping[str, TokenMetadata | None]
) -> list[TokenAmount]:
    """List at most 100 tokens, whitelisted ones first, with symbols. The symbol of any other token may be a lie."""
    amounts = []
    for token in sorted(sums, key=lambda token: (token not in whitelist, token))[:100]:
        about = metadata[token]
        if about is None:
            amounts.append(TokenAmount(token, sums[token], None, None))
        else:
            symbol = about.symbol if token in whitelist else None
            amounts.append(TokenAmount(token, sums[token], symbol, about.decimals))
    return amounts
