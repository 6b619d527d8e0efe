"""What live legacies can move, read from the chain at one block: batches, bounded, each token isolated.

Whoever holds nothing of a token is asked for no allowance. At most `AT_ONCE` calls are under way, and of a batch only
sums are kept. A token that keeps failing is given up: its readers' time is not its own.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

import polars as pl

from reminder_worker.chain import abi_codec
from reminder_worker.chain.abi import selector
from reminder_worker.chain.abi_codec import WORD, address_word
from reminder_worker.chain.client import BlockHeader, Chain
from reminder_worker.chain.contracts import configured
from reminder_worker.chain.contracts.legacies import LegacyReads
from reminder_worker.chain.types import ContractCall, RevertedCall
from reminder_worker.indexer.models import EOA, SAFE
from reminder_worker.statistics import aggregates, wide

AT_ONCE: Final = 20_000  # calls
FIRST_BATCH: Final = 1_000  # calls; finds out who keeps failing
MOST_FAILURES: Final = 16  # of one token's balances
_IS_LIVE: Final = selector("Legacy", "isLive")
_BALANCE_OF: Final = selector("ERC20", "balanceOf")
_ALLOWANCE: Final = selector("ERC20", "allowance")
_PERMITTED: Final = selector("Permit2", "allowance")
_ETH_BALANCE: Final = selector("Multicall3", "getEthBalance")
_PERMIT_WORDS: Final = 3
_WAYS: Final = ("holder", "token", "own", "vault", "shared")
_BALANCES: Final = {"holder": pl.String, "token": pl.String, "balance": pl.Binary}


@dataclass(frozen=True, slots=True)
class Holdings:
    """In wei, and in base units by token. `unreadable`: tokens that kept failing, of which nothing is known.

    `deleted`: how many of the legacies are not live any more.
    """

    wei: int
    amounts: Mapping[str, int]
    unreadable: frozenset[str]
    deleted: int


async def read_holdings(chain: Chain, live: pl.DataFrame, tokens: frozenset[str], block: BlockHeader) -> Holdings:
    """Of live legacies (`legacy`, `legacy_type`, `owner`), all at `block`. Raises `ChainUnavailable`.

    A Safe legacy that was deleted is among them, since its router tells no event of it.
    """
    is_safe = pl.col("legacy_type") == SAFE
    reader = _Reader(chain, block, tokens)
    deleted = await reader.deleted(live.filter(is_safe)["legacy"].to_list())
    live = live.filter(~pl.col("legacy").is_in(deleted))
    places = live.select(pl.when(is_safe).then(pl.col("owner")).otherwise(pl.col("legacy")).unique())
    wei = await _wei(chain, places.to_series().to_list(), block)
    amounts: dict[str, int] = {}
    for batch in _batches(live.sort("owner"), len(tokens)):
        amounts = aggregates.added(amounts, await reader.batch(batch))
    unreadable = reader.unreadable
    known = {token: amount for token, amount in amounts.items() if token not in unreadable}
    return Holdings(wei, known, unreadable, len(deleted))


def _batches(live: pl.DataFrame, tokens: int) -> Iterator[pl.DataFrame]:
    """Some holders at a time, each with all his legacies; `live` is sorted by them."""
    if not tokens:
        return
    owners = live["owner"].unique(maintain_order=True)
    start, size = 0, max(1, FIRST_BATCH // tokens)
    while start < len(owners):
        some = owners.slice(start, size)
        first = live["owner"].search_sorted(some[0], side="left")
        last = live["owner"].search_sorted(some[-1], side="right")
        yield live.slice(first, last - first)
        start, size = start + len(some), max(1, AT_ONCE // tokens)


async def _wei(chain: Chain, places: Sequence[str], block: BlockHeader) -> int:
    found = 0
    for start in range(0, len(places), AT_ONCE):
        calls = [
            ContractCall(chain.settings.multicall3, _ETH_BALANCE + address_word(place))
            for place in places[start : start + AT_ONCE]
        ]
        answers = await chain.call_many(calls, at=block.hash)
        found += wide.total([abi_codec.word(configured("getEthBalance", abi_codec.at, answer)) for answer in answers])
    return found


class _Reader:
    """Reads batches of holders; remembers which tokens to leave out."""

    def __init__(self, chain: Chain, block: BlockHeader, tokens: frozenset[str]) -> None:
        self._chain = chain
        self._block = block
        self._failures: Counter[str] = Counter()
        self._answered: set[str] = set()
        self._given_up: frozenset[str] = frozenset()
        self._tokens = tokens

    @property
    def unreadable(self) -> frozenset[str]:
        """Tokens that were given up, and those that never answered, however seldom they were asked."""
        return self._given_up | (self._failures.keys() - self._answered)

    async def deleted(self, safes: Sequence[str]) -> list[str]:
        """Safe legacies that say they are not live; one that says nothing sensible stays."""
        answers = await self._read((ContractCall(legacy, _IS_LIVE) for legacy in safes), _word)
        return [legacy for legacy, answer in zip(safes, answers, strict=True) if answer == wide.ZERO]

    async def batch(self, live: pl.DataFrame) -> dict[str, int]:
        """Base units by token that claims of these legacies can move."""
        balances = await self._balances(live["owner"].unique().to_list())
        pairs = balances.select("holder", "token").join(
            live.rename({"owner": "holder"}), on="holder", maintain_order="left"
        )
        is_eoa = pl.col("legacy_type") == EOA
        of_eoa = pairs.filter(is_eoa)
        of_eoa = of_eoa.join(await self._vaults(of_eoa["legacy"].unique(maintain_order=True)), on="legacy")
        own = pl.Series("own", await self._own(of_eoa), dtype=pl.Binary)
        ways = pl.concat(
            [
                (await self._shared(of_eoa.with_columns(own))).select(*_WAYS),
                pairs.filter(~is_eoa).select(
                    "holder", "token", own=pl.lit(wide.LARGEST), vault=pl.lit(""), shared=pl.lit(wide.ZERO)
                ),
            ]
        )
        return aggregates.reachable(balances, ways)

    async def _balances(self, holders: Sequence[str]) -> pl.DataFrame:
        """Those above zero."""
        asked = [(holder, token) for holder in holders for token in sorted(self._tokens)]
        calls = (ContractCall(token, _BALANCE_OF + address_word(holder)) for holder, token in asked)
        found: list[tuple[str, str, bytes]] = []
        for (holder, token), balance in zip(asked, await self._read(calls, _word), strict=True):
            if balance is None:
                self._failures[token] += 1
                continue
            self._answered.add(token)
            if balance != wide.ZERO:
                found.append((holder, token, balance))
        self._given_up = frozenset(token for token, count in self._failures.items() if count >= MOST_FAILURES)
        self._tokens -= self._given_up
        kept = [row for row in found if row[1] in self._tokens]
        return pl.DataFrame(kept, schema=_BALANCES, orient="row")

    async def _own(self, pairs: pl.DataFrame) -> list[bytes]:
        """For each holder, token and legacy the larger of the two allowances that are the legacy's alone."""
        rows = pairs.select("holder", "token", "legacy")
        given = (ContractCall(token, _ALLOWANCE + _words(holder, legacy)) for holder, token, legacy in rows.iter_rows())
        allowances = await self._read(given, _word)
        permitted = await self._permitted(rows.iter_rows())
        return [max(allowance or wide.ZERO, permit) for allowance, permit in zip(allowances, permitted, strict=True)]

    async def _vaults(self, legacies: pl.Series) -> pl.DataFrame:
        """The pull vault of each legacy, empty for none."""
        vaults = await LegacyReads(self._chain).pull_vaults(legacies.to_list(), at=self._block.hash)
        return pl.DataFrame(
            {"legacy": legacies, "vault": pl.Series([vault or "" for vault in vaults], dtype=pl.String)}
        )

    async def _shared(self, ways: pl.DataFrame) -> pl.DataFrame:
        """Add what each holder permits to the pull vault of each legacy."""
        keys = ["holder", "token", "vault"]
        asked = ways.filter(pl.col("vault") != "").select(keys).unique(maintain_order=True)
        permits = asked.with_columns(shared=pl.Series(await self._permitted(asked.iter_rows()), dtype=pl.Binary))
        return ways.join(permits, on=keys, how="left").with_columns(pl.col("shared").fill_null(wide.ZERO))

    async def _permitted(self, asked: Iterator[tuple[str, ...]]) -> list[bytes]:
        """Permit2's allowances of (owner, token, spender)."""
        calls = (ContractCall(self._chain.settings.permit2, _PERMITTED + _words(*each)) for each in asked)
        return [permit or wide.ZERO for permit in await self._read(calls, self._permit)]

    async def _read(self, calls: Iterator[ContractCall], value: Callable[[bytes], bytes | None]) -> list[bytes | None]:
        """In their order; None for what failed or is not what was asked for."""
        found: list[bytes | None] = []
        while some := list(islice(calls, AT_ONCE)):
            for answer in await self._chain.call_many(some, at=self._block.hash):
                found.append(None if isinstance(answer, RevertedCall) else value(answer))
        return found

    def _permit(self, answer: bytes) -> bytes | None:
        """What may be taken of it at the block: as Permit2, the moment it expires at still counts."""
        if len(answer) != _PERMIT_WORDS * WORD:
            return None
        return answer[:WORD] if abi_codec.at(answer, WORD) >= self._block.timestamp else None


def _word(answer: bytes) -> bytes | None:
    return answer if len(answer) == WORD else None


def _words(*addresses: str) -> bytes:
    return b"".join(map(address_word, addresses))
