"""Amounts that live legacies can move, read from the chain at one block.

Calls go out in bounded batches, and only sums of a batch are kept. A holder without a balance is asked for no
allowance. A token that keeps failing is left out.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

import polars as pl

from reminder_worker.chain import abi_codec
from reminder_worker.chain.abi import find_selector
from reminder_worker.chain.abi_codec import WORD, encode_address
from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts import decode_configured
from reminder_worker.chain.contracts.legacies import LegacyReads
from reminder_worker.chain.types import BlockHeader, ContractCall, RevertedCall
from reminder_worker.concurrency import split_batches
from reminder_worker.indexer.models import EOA, SAFE
from reminder_worker.statistics.aggregates import HolderToken, TokenAllowance, add_amounts, sum_movable

CALLS_AT_ONCE: Final = 20_000
MOST_BALANCE_FAILURES: Final = 16


@dataclass(frozen=True, slots=True)
class TokenHoldings:
    """Ether in wei, and base units by token. `unreadable`: tokens that kept failing, whose amounts are unknown.

    `deleted`: the number of legacies that say they are no longer live.
    """

    wei: int
    amounts: Mapping[str, int]
    unreadable: frozenset[str]
    deleted: int


async def read_holdings(chain: Chain, live: pl.DataFrame, tokens: frozenset[str], block: BlockHeader) -> TokenHoldings:
    """Read the holdings of live legacies (`legacy`, `legacy_type`, `owner`). Raises `ChainUnavailable`.

    `live` still has deleted Safe legacies, since their router emits no event: each Safe legacy is asked.
    """
    is_safe = pl.col("legacy_type") == SAFE
    reader = _HoldingsReader(chain, block, tokens)
    deleted = await reader.find_deleted(live.filter(is_safe)["legacy"].to_list())
    live = live.filter(~pl.col("legacy").is_in(deleted))
    accounts = live.select(pl.when(is_safe).then(pl.col("owner")).otherwise(pl.col("legacy")).unique())
    wei = await _sum_wei(chain, accounts.to_series().to_list(), block)
    amounts: dict[str, int] = {}
    for batch in _split_by_owner(live.sort("owner"), len(tokens)):
        amounts = add_amounts(amounts, await reader.sum_batch(batch))
    unreadable = reader.unreadable
    known = {token: amount for token, amount in amounts.items() if token not in unreadable}
    return TokenHoldings(wei, known, unreadable, len(deleted))


def _split_by_owner(live: pl.DataFrame, tokens: int) -> Iterator[pl.DataFrame]:
    """Yield batches of owners, each owner with all legacies; `live` is sorted by owner."""
    if not tokens:
        return
    owners = live["owner"].unique(maintain_order=True)
    start, size = 0, max(1, 1_000 // tokens)  # the first batch is small: it finds tokens that keep failing
    while start < len(owners):
        batch = owners.slice(start, size)
        first = live["owner"].search_sorted(batch[0], side="left")
        last = live["owner"].search_sorted(batch[-1], side="right")
        yield live.slice(first, last - first)
        start, size = start + len(batch), max(1, CALLS_AT_ONCE // tokens)


async def _sum_wei(chain: Chain, accounts: Sequence[str], block: BlockHeader) -> int:
    total, question = 0, find_selector("Multicall3", "getEthBalance")
    for batch in split_batches(accounts, CALLS_AT_ONCE):
        calls = [ContractCall(chain.settings.multicall3, question + encode_address(account)) for account in batch]
        answers = await chain.call_many(calls, at=block.hash)
        total += sum(decode_configured("getEthBalance", abi_codec.word_at, answer) for answer in answers)
    return total


class _HoldingsReader:
    """Reader of batches of owners; it remembers failing tokens."""

    def __init__(self, chain: Chain, block: BlockHeader, tokens: frozenset[str]) -> None:
        self._chain = chain
        self._block = block
        self._failures: Counter[str] = Counter()
        self._answered: set[str] = set()
        self._left_out: frozenset[str] = frozenset()
        self._tokens = tokens

    @property
    def unreadable(self) -> frozenset[str]:
        """Tokens that were left out, and tokens that failed at every call."""
        return self._left_out | (self._failures.keys() - self._answered)

    async def find_deleted(self, safes: Sequence[str]) -> list[str]:
        """Return Safe legacies that say they are not live; a legacy with another answer stays."""
        question = find_selector("Legacy", "isLive")
        answers = await self._read((ContractCall(legacy, question) for legacy in safes), _decode_uint)
        return [legacy for legacy, is_live in zip(safes, answers, strict=True) if is_live == 0]

    async def sum_batch(self, live: pl.DataFrame) -> dict[str, int]:
        """Return base units by token that claims of these legacies can move."""
        plain: dict[str, list[str]] = {}
        safe_owners = set()
        for legacy, kind, owner in live.select("legacy", "legacy_type", "owner").iter_rows():
            if kind == EOA:
                plain.setdefault(owner, []).append(legacy)
            else:
                safe_owners.add(owner)
        balances = await self._read_balances(live["owner"].unique().to_list())
        allowances: dict[HolderToken, list[TokenAllowance]] = {
            at: [TokenAllowance(own=2**256 - 1)] for at in balances if at[0] in safe_owners
        }
        asked = [(owner, token, legacy) for owner, token in balances for legacy in plain.get(owner, ())]
        own = await self._read_own_allowances(asked)
        legacies = sorted({legacy for _, _, legacy in asked})
        pull_vaults = await LegacyReads(self._chain).read_pull_vaults(legacies, at=self._block.hash)
        vaults = {legacy: vault or "" for legacy, vault in zip(legacies, pull_vaults, strict=True)}
        at_vaults = {(owner, token, vaults[legacy]): 0 for owner, token, legacy in asked if vaults[legacy]}
        permits = dict(zip(at_vaults, await self._read_permits(at_vaults), strict=True))
        for (owner, token, legacy), amount in zip(asked, own, strict=True):
            allowance = TokenAllowance(amount, vaults[legacy], permits.get((owner, token, vaults[legacy]), 0))
            allowances.setdefault((owner, token), []).append(allowance)
        return sum_movable(balances, allowances)

    async def _read_balances(self, holders: Sequence[str]) -> dict[HolderToken, int]:
        """Return balances above zero."""
        asked = [(holder, token) for holder in holders for token in sorted(self._tokens)]
        question = find_selector("ERC20", "balanceOf")
        calls = (ContractCall(token, question + encode_address(holder)) for holder, token in asked)
        found: dict[HolderToken, int] = {}
        for (holder, token), balance in zip(asked, await self._read(calls, _decode_uint), strict=True):
            if balance is None:
                self._failures[token] += 1
                continue
            self._answered.add(token)
            if balance:
                found[holder, token] = balance
        failing = {token for token, count in self._failures.items() if count >= MOST_BALANCE_FAILURES}
        self._left_out |= failing
        self._tokens -= failing
        return {at: balance for at, balance in found.items() if at[1] in self._tokens}

    async def _read_own_allowances(self, asked: Sequence[tuple[str, str, str]]) -> list[int]:
        """Return, per owner, token and legacy, the larger of the legacy's allowance and its Permit2 allowance."""
        question = find_selector("ERC20", "allowance")
        calls = (ContractCall(token, question + _address_words(owner, legacy)) for owner, token, legacy in asked)
        allowances = await self._read(calls, _decode_uint)
        permits = await self._read_permits(asked)
        return [max(allowance or 0, permit) for allowance, permit in zip(allowances, permits, strict=True)]

    async def _read_permits(self, asked: Iterable[tuple[str, str, str]]) -> list[int]:
        """Return Permit2 allowances by owner, token and spender."""
        question, permit2 = find_selector("Permit2", "allowance"), self._chain.settings.permit2
        calls = (ContractCall(permit2, question + _address_words(*each)) for each in asked)
        return [permit or 0 for permit in await self._read(calls, self._decode_permit)]

    async def _read(self, calls: Iterator[ContractCall], decode: Callable[[bytes], int | None]) -> list[int | None]:
        """Return decoded answers in order; None for a failed call or an unexpected answer."""
        found: list[int | None] = []
        while True:
            batch = list(islice(calls, CALLS_AT_ONCE))
            if not batch:
                return found
            for answer in await self._chain.call_many(batch, at=self._block.hash):
                found.append(None if isinstance(answer, RevertedCall) else decode(answer))

    def _decode_permit(self, answer: bytes) -> int | None:
        """Return the amount, or None once it has expired; as Permit2, count the moment of expiry as valid."""
        if len(answer) != 3 * WORD:
            return None
        return abi_codec.word_at(answer, 0) if abi_codec.word_at(answer, WORD) >= self._block.timestamp else None


def _decode_uint(answer: bytes) -> int | None:
    return int.from_bytes(answer, "big") if len(answer) == WORD else None


def _address_words(*addresses: str) -> bytes:
    return b"".join(map(encode_address, addresses))
