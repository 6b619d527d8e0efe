"""Reads of Safe wallets. Any contract can pretend to be a Safe."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from reminder_worker.chain import abi_codec
from reminder_worker.chain.abi_codec import WORD, MalformedData, encode_address, encode_word
from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts import Answer, read_or_none
from reminder_worker.chain.quorum import endpoints_needed, find_agreed
from reminder_worker.chain.types import ContractCall
from reminder_worker.concurrency import in_time, run_together
from reminder_worker.errors import ServiceError

# getStorageAt(uint256,uint256): one word at keccak256("guard_manager.guard.address"). PremiumReminderView asks so, too.
_GUARD: Final = (
    bytes.fromhex("5624b25b")
    + bytes.fromhex("4a204f620c8c5ccdca3fd54d003badd85ba500436a431f0cbda4f558c93c34c8")
    + encode_word(1)
)
_IS_MODULE_ENABLED: Final = bytes.fromhex("2d9ad53d")


@dataclass(frozen=True, slots=True)
class SafeLegacy:
    """A legacy, its Safe and its own guard. `guard` None: not known, so any guard counts."""

    legacy: str
    safe: str
    guard: str | None


@dataclass(frozen=True, slots=True)
class SafeState:
    """State of a Safe: the legacy's guard is installed, the legacy is one of its modules. None: cannot tell."""

    guarded: bool | None
    enabled: bool | None


async def read_safes(chain: Chain, asked: Sequence[SafeLegacy], *, at: str) -> list[SafeState]:
    """Return in order the state of each Safe at a block hash. Raises `ChainUnavailable`.

    A missing guard or module stops emails. It counts only if two endpoints miss it: then each endpoint is asked.
    """
    found = await _read_from(chain, asked, at)
    doubtful = [index for index, state in enumerate(found) if state.guarded is False or state.enabled is False]
    views = chain.single_views()
    if not doubtful or len(views) == 1:
        return found
    again = [asked[index] for index in doubtful]
    votes = [vote for vote in await run_together(*(_read_in_time(view, again, at) for view in views)) if vote]
    for place, index in enumerate(doubtful):
        states = [vote[place] for vote in votes]
        found[index] = SafeState(
            _count_votes(found[index].guarded, [state.guarded for state in states], len(views)),
            _count_votes(found[index].enabled, [state.enabled for state in states], len(views)),
        )
    return found


def _count_votes(first: bool | None, votes: Sequence[bool | None], endpoints: int) -> bool | None:
    """Return what two endpoints say, if the first one found something missing. Two that miss it are enough."""
    if first is not False or votes.count(False) >= endpoints_needed(endpoints):
        return first
    return find_agreed([vote for vote in votes if vote is not None], endpoints)


async def _read_in_time(view: Chain, asked: Sequence[SafeLegacy], at: str) -> list[SafeState]:
    """Return nothing if the endpoint is silent."""
    try:
        return await in_time(_read_from(view, asked, at), view.settings.rpc_timeout_seconds)
    except ServiceError:
        return []


async def _read_from(chain: Chain, asked: Sequence[SafeLegacy], at: str) -> list[SafeState]:
    if not asked:
        return []
    calls: list[ContractCall] = []
    for each in asked:
        calls.append(ContractCall(each.safe, _GUARD))
        calls.append(ContractCall(each.safe, _IS_MODULE_ENABLED + encode_address(each.legacy)))
    answers = await chain.call_many(calls, at=at)
    return [
        SafeState(_is_guarded(each, guard), read_or_none(abi_codec.bool_at, module))
        for each, guard, module in zip(asked, answers[::2], answers[1::2], strict=True)
    ]


def _is_guarded(asked: SafeLegacy, answer: Answer) -> bool | None:
    word = read_or_none(_decode_slot, answer)
    if word is None:
        return None
    return any(word) if asked.guard is None else word == encode_address(asked.guard)


def _decode_slot(data: bytes, position: int) -> bytes:
    word = abi_codec.bytes_at(data, abi_codec.word_at(data, position), WORD)
    if len(word) != WORD:
        raise MalformedData("not one word")
    return word
