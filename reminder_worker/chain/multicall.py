"""Multicall3 `aggregate3`: many isolated reads in one eth_call, by hand because 20,000 calls go through here."""

import struct
from collections.abc import Sequence
from typing import Final

from reminder_worker.chain.abi import selector
from reminder_worker.chain.values import Call, Reverted
from reminder_worker.chain.words import WORD, Malformed, at, word

AGGREGATE3: Final = selector("Multicall3", "aggregate3")
_ALLOW_FAILURE_AND_DATA_OFFSET: Final = word(1) + word(96)
_ZEROS: Final = bytes(WORD)
_ONE: Final = struct.Struct(">24xQ")  # a word, of which no more than 64 bits mean anything here
_TWO: Final = struct.Struct(">24xQ24xQ")


def encode(calls: Sequence[Call]) -> bytes:
    heads: list[bytes] = []
    tails: list[bytes] = []
    offset = len(calls) * WORD
    for call in calls:
        size = len(call.data)
        padding = -size % WORD
        target = bytes(12) + bytes.fromhex(call.to[2:])
        heads.append(offset.to_bytes(WORD, "big"))
        tails += (target, _ALLOW_FAILURE_AND_DATA_OFFSET, size.to_bytes(WORD, "big"), call.data, _ZEROS[:padding])
        offset += 4 * WORD + size + padding
    return b"".join((AGGREGATE3, word(WORD), word(len(calls)), *heads, *tails))


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
