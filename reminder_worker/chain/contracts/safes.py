"""Reads of Safe wallets. Any contract can pretend to be a Safe."""

from collections.abc import Sequence
from typing import Final

from reminder_worker.chain import abi_codec
from reminder_worker.chain.abi_codec import WORD, MalformedData, encode_word
from reminder_worker.chain.client import Chain
from reminder_worker.chain.contracts import read_or_none
from reminder_worker.chain.types import ContractCall

# getStorageAt(uint256,uint256): one word at keccak256("guard_manager.guard.address"). PremiumReminderView asks so, too.
_GUARD: Final = (
    bytes.fromhex("5624b25b")
    + bytes.fromhex("4a204f620c8c5ccdca3fd54d003badd85ba500436a431f0cbda4f558c93c34c8")
    + encode_word(1)
)


async def read_guards(chain: Chain, safes: Sequence[str], *, at: str) -> list[bool | None]:
    """Return in order whether a guard is installed in each Safe; None for a revert or a wrong answer."""
    answers = await chain.call_many([ContractCall(safe, _GUARD) for safe in safes], at=at) if safes else []
    return [read_or_none(_decode_guard, answer) for answer in answers]


def _decode_guard(data: bytes, position: int) -> bool:
    word = abi_codec.bytes_at(data, abi_codec.word_at(data, position), WORD)
    if len(word) != WORD:
        raise MalformedData("not one word")
    return any(word)
