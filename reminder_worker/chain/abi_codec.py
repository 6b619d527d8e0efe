"""ABI words by hand: needed words only, with checked bounds and no allocation by a stranger's numbers.

Multicall3's `aggregate3` is encoded by hand too, because 100,000 calls pass through here."""

import struct
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Final

from reminder_worker.chain.abi import find_selector
from reminder_worker.chain.types import ContractCall, RevertedCall

WORD: Final = 32
MAX_ARRAY: Final = 100_000


class MalformedData(ValueError):
    """Bytes without the expected ABI encoding."""


def encode_word(value: int) -> bytes:
    return value.to_bytes(WORD, "big")


def encode_address(address: str) -> bytes:
    return bytes(12) + bytes.fromhex(address[2:])


def encode_call(to: str, contract: str, function: str, arguments: bytes = b"") -> ContractCall:
    """Return a call of a contract's function, by its name in the ABI file."""
    return ContractCall(to, find_selector(contract, function) + arguments)


def word_at(data: bytes, position: int) -> int:
    """Return the word at a byte position as a number; raise `MalformedData` beyond the end."""
    chunk = data[position : position + WORD]
    if len(chunk) != WORD:
        raise MalformedData("a word beyond the end")
    return int.from_bytes(chunk, "big")


def uint_at(data: bytes, position: int, bits: int) -> int:
    value = word_at(data, position)
    if value >> bits:
        raise MalformedData(f"not a uint{bits}")
    return value


def bool_at(data: bytes, position: int) -> bool:
    return uint_at(data, position, 1) == 1


def address_at(data: bytes, position: int) -> str:
    chunk = data[position : position + WORD]
    if len(chunk) != WORD or not chunk.startswith(bytes(12)):
        raise MalformedData("not an address")
    return "0x" + chunk[12:].hex()


def _array_at(data: bytes, position: int, most: int = MAX_ARRAY) -> tuple[int, int]:
    """Return the first element's position and the count of an array with its length at `position`."""
    first = position + WORD
    count = int.from_bytes(data[position:first], "big")
    if count > most or first + count * WORD > len(data):
        raise MalformedData("an array beyond the end or its bound")
    return first, count


def uints_at(data: bytes, position: int, bits: int = 256) -> tuple[int, ...]:
    first, count = _array_at(data, position)
    end = first + count * WORD
    found = tuple([int.from_bytes(data[place : place + WORD], "big") for place in range(first, end, WORD)])
    if found and max(found) >> bits:
        raise MalformedData(f"not a uint{bits}")
    return found


def addresses_at(data: bytes, position: int, most: int = MAX_ARRAY) -> tuple[str, ...]:
    """Return the addresses of an array; raise `MalformedData` for more than `most`."""
    first, count = _array_at(data, position, most)
    return tuple([address_at(data, place) for place in range(first, first + count * WORD, WORD)])


def addresses_behind(data: bytes, position: int, most: int = MAX_ARRAY) -> tuple[str, ...]:
    """Return an `address[]` from a call's answer, with the array's offset at `position`."""
    return addresses_at(data, word_at(data, position), most)


def leading_address_at(data: bytes, position: int) -> str:
    """Return the address at a struct's start. A position between words would be inside a text."""
    if position % WORD:
        raise MalformedData("a struct between words")
    return address_at(data, position)


def leading_addresses_at(data: bytes, position: int) -> tuple[str, ...]:
    """Return the leading addresses of an array of structs. After the length stand the structs' offsets."""
    first, count = _array_at(data, position)
    heads = range(first, first + count * WORD, WORD)
    return tuple([leading_address_at(data, first + word_at(data, head)) for head in heads])


def bytes_at(data: bytes, position: int, limit: int) -> bytes:
    """Return `bytes` or a `string` of at most `limit` bytes, with the length at `position`."""
    size = word_at(data, position)
    if size > limit or position + WORD + size > len(data):
        raise MalformedData("bytes beyond the end")
    return data[position + WORD : position + WORD + size]


_ONE: Final = struct.Struct(">24xQ")  # a word, of which no more than 64 bits mean anything here
_TWO: Final = struct.Struct(">24xQ24xQ")


def encode_multicall(calls: Sequence[ContractCall]) -> bytes:
    """Encode the calls of `aggregate3`, as hex because addresses are hex already."""
    arguments = {data: _encode_argument(data).hex() for data in {call.data for call in calls}}
    high_bytes = "00" * 12
    tails = [high_bytes + call.to[2:] + arguments[call.data] for call in calls]
    sizes = tuple(map(len, arguments.values()))
    if len(set(sizes)) == 1:
        heads = _encode_heads(len(calls), WORD + sizes[0] // 2)
    else:
        ends = accumulate((len(tail) // 2 for tail in tails), initial=len(calls) * WORD)
        heads = b"".join(map(encode_word, list(ends)[:-1]))
    return b"".join(
        (
            find_selector("Multicall3", "aggregate3"),
            encode_word(WORD),
            encode_word(len(calls)),
            heads,
            bytes.fromhex("".join(tails)),
        )
    )


@lru_cache(64)
def _encode_heads(count: int, size: int) -> bytes:
    """Return the offsets of `count` elements of the same size."""
    return b"".join([encode_word(count * WORD + index * size) for index in range(count)])


def _encode_argument(data: bytes) -> bytes:
    """Encode the rest of a call after the target: allowed failure, offset, size and data."""
    return encode_word(1) + encode_word(96) + encode_word(len(data)) + data + bytes(-len(data) % WORD)


def decode_multicall(data: bytes, count: int) -> list[bytes | RevertedCall]:
    """Decode exactly `count` results of `(bool success, bytes returnData)`; raise `MalformedData` otherwise."""
    start = word_at(data, 0)
    if word_at(data, start) != count:
        raise MalformedData("another number of results than calls")
    base = start + WORD
    results: list[bytes | RevertedCall] = []
    try:
        for (offset,) in _ONE.iter_unpack(data[base : base + count * WORD]):
            succeeded, relative = _TWO.unpack_from(data, base + offset)
            value = base + offset + relative
            (size,) = _ONE.unpack_from(data, value)
            answer = data[value + WORD : value + WORD + size]
            if len(answer) != size:
                raise MalformedData("a result beyond the end")
            results.append(answer if succeeded == 1 else RevertedCall(answer))
    except (struct.error, OverflowError):
        raise MalformedData("a word beyond the end") from None
    if len(results) != count:
        raise MalformedData("fewer results than calls")
    return results
