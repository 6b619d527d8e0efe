"""Reads of the protocol's contracts: many reads in one request, at one block if `at` is a hash.

A legacy is a stranger's contract: its failure is a value (`None`). A wrong answer of a configured contract raises
`ChainUnavailable`.
"""

from collections.abc import Callable

from reminder_worker.chain.abi_codec import MalformedData
from reminder_worker.chain.types import RevertedCall, T
from reminder_worker.errors import ChainUnavailable

Answer = bytes | RevertedCall


def decode_configured(name: str, read: Callable[[bytes, int], T], answer: Answer) -> T:
    """Return the value of a configured contract. Raises `ChainUnavailable` for a wrong answer."""
    if not isinstance(answer, RevertedCall):
        try:
            return read(answer, 0)
        except MalformedData:
            pass
    raise ChainUnavailable(f"{name} of a configured contract does not answer as it should")


def read_or_none(read: Callable[[bytes, int], T], answer: Answer, position: int = 0) -> T | None:
    """Return the value of a stranger's contract; None for a revert or a wrong answer."""
    try:
        return read(answer_bytes(answer), position)
    except MalformedData:
        return None


def decode_or_none(decode: Callable[..., T], *answers: object) -> T | None:
    """Return the decoded answers; None for a revert or a wrong answer."""
    try:
        return decode(*answers)
    except MalformedData:
        return None


def answer_bytes(answer: Answer) -> bytes:
    if isinstance(answer, RevertedCall):
        raise MalformedData("reverted")
    return answer
