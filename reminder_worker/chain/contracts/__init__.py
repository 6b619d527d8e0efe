"""The protocol's contracts, read: many reads in one request, all at one block where `at` is its hash.

A legacy is anybody's contract, so its failure is a value (`None`); a configured contract that does not answer as
it should is `ChainUnavailable`.
"""

from collections.abc import Callable
from typing import TypeVar

from reminder_worker.chain.abi_codec import MalformedData
from reminder_worker.chain.types import RevertedCall
from reminder_worker.errors import ChainUnavailable

Answer = bytes | RevertedCall
T = TypeVar("T")


def configured(name: str, read: Callable[[bytes, int], T], answer: Answer) -> T:
    """The value a configured contract gives; when it does not, nothing can be decided."""
    if not isinstance(answer, RevertedCall):
        try:
            return read(answer, 0)
        except MalformedData:
            pass
    raise ChainUnavailable(f"{name} of a configured contract does not answer as it should")


def said(read: Callable[[bytes, int], T], answer: Answer, position: int = 0) -> T | None:
    """The value that anybody's contract gives; None when it reverts, or gives something else."""
    try:
        return read(answer_bytes(answer), position)
    except MalformedData:
        return None


def decoded(decode: Callable[..., T], *answers: object) -> T | None:
    """None for what reverted or is not what a legacy answers."""
    try:
        return decode(*answers)
    except MalformedData:
        return None


def answer_bytes(answer: Answer) -> bytes:
    if isinstance(answer, RevertedCall):
        raise MalformedData("reverted")
    return answer
