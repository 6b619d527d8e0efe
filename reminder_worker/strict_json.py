"""JSON from outside into our types, or a fault that names the field and echoes nothing of its value."""

import re
from typing import Final, TypeVar

import aiohttp
import msgspec

from reminder_worker.errors import FieldFault, InvalidInput, Malformed

T = TypeVar("T")

NOT_JSON: Final = (msgspec.DecodeError, UnicodeError, RecursionError)
"""Raised by `msgspec.json.decode`: no JSON, JSON of another shape, no UTF-8, or nested without end."""

_WHERE = re.compile(r" - at `\$(?P<path>[^`]*)`$")
_MISSING = re.compile(r"^Object missing required field `(?P<field>\w+)`")
_TYPES = re.compile(r"`([^`]+)`")
_WORDS = {
    **{"int": "an integer", "float": "a number", "str": "a string", "bool": "true or false"},
    **{"object": "an object", "array": "an array"},
}
_EXPECTED = re.compile(r"^Expected (?P<expected>.+?)(?:, got `\w+`)?$")


def decode(data: bytes | str, kind: type[T], prefix: str = "") -> T:
    """`prefix` is the JSON pointer of `data` in the request. Raises `Malformed` or `InvalidInput`."""
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError as error:
        raise InvalidInput("The request holds a field that is not acceptable.", [_fault(str(error), prefix)]) from None
    except NOT_JSON:
        where = f" in {prefix}" if prefix else ""
        raise Malformed(f"The JSON text{where} cannot be read.") from None


def _fault(message: str, prefix: str) -> FieldFault:
    """msgspec's messages hold the received value or an unknown field's name in places: only the known parts pass."""
    where = _WHERE.search(message)
    pointer = prefix + (re.sub(r"\[(\d+)\]", r"/\1", where["path"].replace(".", "/")) if where else "")
    message = message[: where.start()] if where else message
    if missing := _MISSING.match(message):
        return FieldFault(f"{pointer}/{missing['field']}", "is missing")
    if message.startswith("Object contains unknown field"):
        return FieldFault(pointer, "holds a field that is not known here")
    if message.startswith("Invalid enum value"):
        return FieldFault(pointer, "is not one of the allowed values")
    if expected := _EXPECTED.match(message):
        return FieldFault(pointer, f"has to be {_TYPES.sub(_in_words, expected['expected'])}")
    return FieldFault(pointer, "is not acceptable")


def _in_words(types: re.Match[str]) -> str:
    """Callers know JSON's types, not Python's."""
    return " or ".join(_WORDS.get(name, name) for name in types[1].split(" | "))


async def read_body(response: aiohttp.ClientResponse, most: int) -> bytes:
    """Return the body, cut after `most` + 1 bytes. Raises what aiohttp raises."""
    content, body = response.content, bytearray()
    while len(body) <= most and not content.at_eof():
        body += await content.readany()
    del body[most + 1 :]
    return bytes(body)
