"""Amounts that live legacies can move, read from the chain at one block, by owner.

Owners are read by `holdings_reader.py`, many in a call. Where no endpoint runs its code, calls go out in bounded
batches. A holder without a balance is asked for no allowance then, and a token that keeps failing is asked no more.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from reminder_worker.chain import abi_codec
from reminder_worker.chain.abi import find_selector
from reminder_worker.chain.abi_codec import WORD, encode_address
from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts import decode_configured
from reminder_worker.chain.contracts.holdings_reader import OwnerHoldings, OwnerLegacies, read_packed
from reminder_worker.chain.contracts.legacies import LegacyReads
from reminder_worker.chain.types import BlockHeader, ContractCall, RevertedCall
from reminder_worker.concurrency import split_batches
from reminder_worker.indexer.models import SAFE
from reminder_worker.statistics.aggregates import HolderToken, TokenAllowance, find_movable

CALLS_AT_ONCE: Final = 20_000
MOST_BALANCE_FAILURES: Final = 16


class HoldingsReader:
    """Reader of owners at one block. It remembers tokens that keep failing.

    The index does not know of deleted Safe legacies, since their router emits no event: each Safe legacy is asked.
    """

    def __init__(self, chain: Chain, block: BlockHeader, tokens: Iterable[str]) -> None:
        self._chain = chain
        self._block = block
        self._tokens = sorted(tokens)
        self._failures: Counter[str] = Counter()

    async def read_owners(self, owners: Sequence[OwnerLegacies]) -> list[OwnerHoldings]:
        """Return the holdings of each owner, in order. Raises `ChainUnavailable`."""
        found: list[OwnerHoldings] = []
        while rest := owners[len(found) :]:
            packed = await read_packed(self._chain, rest, self._tokens, self._block)
            if packed is None:
                return found + await self._read_apart(rest)
            found += packed or await self._read_apart(rest[:1])
        return found

    async def _read_apart(self, owners: Sequence[OwnerLegacies]) -> list[OwnerHoldings]:
        """Read owners by single calls. The first batch is small: it finds tokens that keep failing."""
        size = max(1, len(self._tokens))
        first, rest = owners[: 1_000 // size + 1], owners[1_000 // size + 1 :]
        found = await self._read_batch(first)
        for batch in split_batches(rest, max(1, CALLS_AT_ONCE // size)):
            found += await self._read_batch(batch)
        return found

    async def _read_batch(self, owners: Sequence[OwnerLegacies]) -> list[OwnerHoldings]:
        safes = [(each.owner, legacy) for each in owners for legacy, kind in each.legacies if kind == SAFE]
        plain = {each.owner: [legacy for legacy, kind in each.legacies if kind != SAFE] for each in owners}
        deleted = set(await self._find_deleted([legacy for _, legacy in safes]))
        safe_owners = {owner for owner, legacy in safes if legacy not in deleted}
        counts = Counter(owner for owner, legacy in safes if legacy in deleted)
        accounts = [(each.owner, account) for each in owners for account in plain[each.owner]]
        accounts += [(owner, owner) for owner in safe_owners]
        wei: Counter[str] = Counter()
        for (owner, _), amount in zip(accounts, await self._read_wei(accounts), strict=True):
            wei[owner] += amount
        found = [OwnerHoldings(counts[each.owner], wei[each.owner], {}) for each in owners]
        by_owner = {each.owner: holdings.amounts for each, holdings in zip(owners, found, strict=True)}
        balances = await self._read_balances(list(by_owner))
        held = {at: balance for at, balance in balances.items() if balance is not None}
        amounts = await self._find_movable(held, plain, safe_owners)
        for owner, token in balances:
            movable = amounts.get((owner, token))  # None: the balance cannot be read
            if movable != 0:
                by_owner[owner][token] = movable
        return found

    async def _find_movable(
        self, balances: dict[HolderToken, int], plain: dict[str, list[str]], safe_owners: set[str]
    ) -> dict[HolderToken, int]:
        """Return base units that claims can move, of balances above zero."""
        allowances: dict[HolderToken, list[TokenAllowance]] = {
            at: [TokenAllowance(own=2**256 - 1)] for at in balances if at[0] in safe_owners
        }
        asked = [(owner, token, legacy) for owner, token in balances for legacy in plain[owner]]
        own = await self._read_own_allowances(asked)
        legacies = sorted({legacy for _, _, legacy in asked})
        pull_vaults = await LegacyReads(self._chain).read_pull_vaults(legacies, at=self._block.hash)
        vaults = {legacy: vault or "" for legacy, vault in zip(legacies, pull_vaults, strict=True)}
        at_vaults = {(owner, token, vaults[legacy]): 0 for owner, token, legacy in asked if vaults[legacy]}
        permits = dict(zip(at_vaults, await self._read_permits(at_vaults), strict=True))
        for (owner, token, legacy), amount in zip(asked, own, strict=True):
            allowance = TokenAllowance(amount, vaults[legacy], permits.get((owner, token, vaults[legacy]), 0))
            allowances.setdefault((owner, token), []).append(allowance)
        return find_movable(balances, allowances)

    async def _find_deleted(self, safes: Sequence[str]) -> list[str]:
        """Return Safe legacies that say they are not live; a legacy with another answer stays."""
        question = find_selector("Legacy", "isLive")
        answers = await self._read((ContractCall(legacy, question) for legacy in safes), _decode_uint)
        return [legacy for legacy, is_live in zip(safes, answers, strict=True) if is_live == 0]

    async def _read_wei(self, accounts: Sequence[tuple[str, str]]) -> list[int]:
        """Return the ether of each account. `accounts`: owner and account."""
        question, found = find_selector("Multicall3", "getEthBalance"), list[int]()
        for batch in split_batches(accounts, CALLS_AT_ONCE):
            calls = [ContractCall(self._chain.settings.multicall3, question + encode_address(a)) for _, a in batch]
            answers = await self._chain.call_many(calls, at=self._block.hash)
            found += [decode_configured("getEthBalance", abi_codec.word_at, answer) for answer in answers]
        return found

    async def _read_balances(self, holders: Sequence[str]) -> dict[HolderToken, int | None]:
        """Return balances above zero, and None for a failed call or a token that kept failing."""
        failing = {token for token, count in self._failures.items() if count >= MOST_BALANCE_FAILURES}
        pairs = [(holder, token) for holder in holders for token in self._tokens]
        asked = [(holder, token) for holder, token in pairs if token not in failing]
        question = find_selector("ERC20", "balanceOf")
        calls = (ContractCall(token, question + encode_address(holder)) for holder, token in asked)
        balances = dict(zip(asked, await self._read(calls, _decode_uint), strict=True))
        self._failures.update(token for (_, token), balance in balances.items() if balance is None)
        return {at: balances.get(at) for at in pairs if balances.get(at) != 0}

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
