"""Reads for auto-renew: the attestor, each legacy's state and budget, and owners' transaction counts.

A timer is renewed on a count alone. Therefore it is read at the hash of a finalized block, from every endpoint
separately.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from reminder_worker.chain import abi_codec, wire
from reminder_worker.chain.abi import find_selector
from reminder_worker.chain.abi_codec import WORD, encode_call, encode_word
from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts import decode_configured, read_or_none
from reminder_worker.chain.quorum import endpoints_needed, find_agreed, find_reached
from reminder_worker.chain.rpc import Request, RpcError
from reminder_worker.chain.types import BlockHeader, ContractCall
from reminder_worker.errors import ChainUnavailable

DAY_SECONDS: Final = 86400
WINDOW_SECONDS: Final = 30 * DAY_SECONDS
"""`AUTO_RENEW_WINDOW()`: how long before t1 a timer may be renewed."""
BUDGET_SECONDS: Final = 365 * DAY_SECONDS
"""`AUTO_RENEW_BUDGET()`: how long after the owner's own last sign of life it may be renewed."""


@dataclass(frozen=True, slots=True)
class RenewState:
    """`autoRenewState`: `budget_anchor` is the owner's own last sign of life (unix seconds), which no renewal moves."""

    enabled: bool
    last_nonce_seen: int
    budget_anchor: int

    @property
    def budget_end(self) -> int:
        return self.budget_anchor + BUDGET_SECONDS


@dataclass(frozen=True, slots=True)
class TransactionCounts:
    """Lowest and highest count of an owner's transactions at one block, over the responding endpoints.

    If three or more respond and all but one agree, the deviating count is ignored: it would stop all renewals.
    """

    lowest: int
    highest: int


def budget_step(budget_end: int, now: int) -> int | None:
    """Return the due reminder of the budget's end, in days before the end: the nearest, or None."""
    left = budget_end - now
    return next((days for days in (7, 30) if 0 <= left <= days * DAY_SECONDS), None)


def encode_activity(legacy_id: int, observed: int) -> bytes:
    """Encode the call of `recordActivity`."""
    return find_selector("TransferEOALegacyRouter", "recordActivity") + encode_word(legacy_id) + encode_word(observed)


class RenewalReads:
    """Reads of the router of plain-account legacies. Raises `ChainUnavailable`."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self._router = chain.settings.transfer_eoa_legacy_router
        self._endpoints = len(chain.settings.rpc_urls)

    async def read_attestor(self, *, at: str) -> str:
        answer = await self._chain.call(self._encode_call("activityAttestor"), at=at)
        return decode_configured("activityAttestor", abi_codec.address_at, answer)

    async def read_states(self, legacy_ids: Sequence[int], *, at: str) -> list[RenewState | None]:
        """Return states in order; None for an id without a state."""
        calls = [self._encode_call("autoRenewState", encode_word(id)) for id in legacy_ids]
        return [read_or_none(_decode_state, answer) for answer in await self._chain.call_many(calls, at=at)]

    async def read_resets(self, legacies: Sequence[str], *, at: str) -> list[int | None]:
        """Return the last start of each timer (`getLastTimestamp`, unix seconds); None without a usable answer."""
        answers = await self._chain.call_many(
            [encode_call(legacy, "Legacy", "getLastTimestamp") for legacy in legacies], at=at
        )
        return [read_or_none(partial(abi_codec.uint_at, bits=63), answer) for answer in answers]

    async def read_reset_of(self, legacy_id: int, *, at: str) -> int | None:
        """Return the last start of the timer of the legacy with this id."""
        registered = await self._chain.call(self._encode_call("legacyAddresses", encode_word(legacy_id)), at=at)
        legacy = decode_configured("legacyAddresses", abi_codec.address_at, registered)
        return (await self.read_resets([legacy], at=at))[0]

    async def read_finalized(self) -> BlockHeader:
        """Return the highest block that is final at two endpoints (or the only one)."""
        found = await self._chain.endpoints.ask_each([("eth_getBlockByNumber", ["finalized", False])], _decode_block)
        blocks = [block for block in found if block is not None]
        number = find_reached([block.number for block in blocks], self._endpoints)
        if number is None:
            raise ChainUnavailable(f"too few endpoints of chain {self._chain.chain_id} say what is final")
        reached = [block for block in blocks if block.number == number]
        return find_agreed(reached, self._endpoints) or reached[0]

    async def read_counts(self, owners: Sequence[str], *, at: str) -> list[TransactionCounts | None]:
        """Return counts in order; None if too few endpoints have the block."""
        found: list[TransactionCounts | None] = []
        for start in range(0, len(owners), 500):
            some = owners[start : start + 500]
            requests: list[Request] = [("eth_getTransactionCount", [owner, {"blockHash": at}]) for owner in some]
            answers = await self._chain.endpoints.ask_each(requests, _decode_counts)
            for counts in zip(*answers, strict=True) if answers else [()] * len(some):
                numbers = [number for number in counts if number is not None]
                alike = [number for number in numbers if 2 <= numbers.count(number) == len(numbers) - 1]
                believed = alike or numbers
                enough = len(numbers) >= endpoints_needed(self._endpoints)
                found.append(TransactionCounts(min(believed), max(believed)) if enough else None)
        return found

    def _encode_call(self, function: str, arguments: bytes = b"") -> ContractCall:
        return encode_call(self._router, "TransferEOALegacyRouter", function, arguments)


def _decode_block(answers: Sequence[Any]) -> BlockHeader | None:
    return None if isinstance(answers[0], RpcError) else wire.decode_block(answers[0])


def _decode_counts(answers: Sequence[Any]) -> list[int | None]:
    return [None if isinstance(answer, RpcError) else wire.decode_count(answer) for answer in answers]


def _decode_state(data: bytes, position: int) -> RenewState:
    return RenewState(
        abi_codec.bool_at(data, position),
        abi_codec.uint_at(data, position + WORD, 64),
        abi_codec.uint_at(data, position + 2 * WORD, 64),
    )
