"""Multicall3 `aggregate3`: many isolated reads in one eth_call, by hand because 20,000 calls go through here."""

import struct
from collections.abc import Sequence
from typing import Final

from reminder_worker.chain.abi import selector
from reminder_worker.chain.values import Call, Reverted
from reminder_worker.chain.words import WORD, Malformed, address_word, at, word

AGGREGATE3: Final = selector("Multicall3", "aggregate3")
_ALLOW_FAILURE_AND_DATA_OFFSET: Final = word(1) + word(96)
_ONE: Final = struct.Struct(">24xQ")  # a word, of which no more than 64 bits mean anything here
_TWO: Final = struct.Struct(">24xQ24xQ")


def encode(calls: Sequence[Call]) -> bytes:
    targets = {to: address_word(to) for to in {call.to for call in calls}}
    arguments = {data: _argument(data) for data in {call.data for call in calls}}
    heads: list[bytes] = []
    tails: list[bytes] = []
    offset = len(calls) * WORD
    for call in calls:
        argument = arguments[call.data]
        heads.append(offset.to_bytes(WORD, "big"))
        tails += (targets[call.to], argument)
        offset += WORD + len(argument)
    return b"".join((AGGREGATE3, word(WORD), word(len(calls)), *heads, *tails))


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
