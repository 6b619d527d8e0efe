"""Multicall3 `aggregate3`: many isolated reads in one eth_call, by hand because 100,000 calls go through here."""

import struct
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Final

from reminder_worker.chain.abi import selector
from reminder_worker.chain.abi_codec import WORD, Malformed, at, word
from reminder_worker.chain.types import Call, Reverted

AGGREGATE3: Final = selector("Multicall3", "aggregate3")
_ALLOW_FAILURE_AND_DATA_OFFSET: Final = word(1) + word(96)
_HIGH_BYTES_OF_AN_ADDRESS: Final = "00" * 12
_ONE: Final = struct.Struct(">24xQ")  # a word, of which no more than 64 bits mean anything here
_TWO: Final = struct.Struct(">24xQ24xQ")


def encode(calls: Sequence[Call]) -> bytes:
    """Put together as hex, which the targets are anyway."""
    arguments = {data: _argument(data).hex() for data in {call.data for call in calls}}
    tails = [_HIGH_BYTES_OF_AN_ADDRESS + call.to[2:] + arguments[call.data] for call in calls]
    sizes = tuple(map(len, arguments.values()))
    if len(set(sizes)) == 1:
        heads = _heads(len(calls), WORD + sizes[0] // 2)
    else:
        ends = accumulate((len(tail) // 2 for tail in tails), initial=len(calls) * WORD)
        heads = b"".join(map(word, list(ends)[:-1]))
    return b"".join((AGGREGATE3, word(WORD), word(len(calls)), heads, bytes.fromhex("".join(tails))))


@lru_cache(64)
def _heads(count: int, size: int) -> bytes:
    """Where each of `count` elements of the same size starts."""
    return b"".join([word(count * WORD + index * size) for index in range(count)])


def _argument(data: bytes) -> bytes:
    """What follows the target: failure allowed, where the data starts, its size and itself."""
    return _ALLOW_FAILURE_AND_DATA_OFFSET + word(len(data)) + data + bytes(-len(data) % WORD)


def decode(data: bytes, count: int) -> list[bytes | Reverted]:
    """`(bool success, bytes returnData)[]` of exactly `count`; raises `Malformed`."""
    start = at(data, 0)
    if at(data, start) != count:
        raise Malformed("another number of results than calls")
    base = start + WORD
    results: list[bytes | Reverted] = []
    try:
        for (offset,) in _ONE.iter_unpack(data[base : base + count * WORD]):
            succeeded, relative = _TWO.unpack_from(data, base + offset)
            value = base + offset + relative
            (size,) = _ONE.unpack_from(data, value)
            answer = data[value + WORD : value + WORD + size]
            if len(answer) != size:
                raise Malformed("a result beyond the end")
            results.append(answer if succeeded == 1 else Reverted(answer))
    except (struct.error, OverflowError):
        raise Malformed("a word beyond the end") from None
    if len(results) != count:
        raise Malformed("fewer results than calls")
    return results
