"""JSON from outside into our types, or a fault that names the field and echoes nothing of its value."""

import re
from typing import Final, TypeVar

import aiohttp
import msgspec

from reminder_worker.errors import FieldFault, InvalidInput, Malformed

T = TypeVar("T")

NOT_JSON: Final = (msgspec.DecodeError, UnicodeError, RecursionError)
"""Raised by `msgspec.json.decode`: no JSON, JSON of another shape, no UTF-8, or nested without end."""


def decode_json(data: bytes | str, kind: type[T], prefix: str = "") -> T:
    """`prefix` is the JSON pointer of `data` in the request. Raises `Malformed` or `InvalidInput`."""
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError as error:
        fault = _describe_fault(str(error), prefix)
        raise InvalidInput("The request holds a field that is not acceptable.", [fault]) from None
    except NOT_JSON:
        where = f" in {prefix}" if prefix else ""
        raise Malformed(f"The JSON text{where} cannot be read.") from None


def _describe_fault(message: str, prefix: str) -> FieldFault:
    """Return known parts of msgspec's message only: it may hold the received value or an unknown field's name."""
    where = re.search(r" - at `\$(?P<path>[^`]*)`$", message)
    pointer = prefix + (re.sub(r"\[(\d+)\]", r"/\1", where["path"].replace(".", "/")) if where else "")
    message = message[: where.start()] if where else message
    if missing := re.match(r"Object missing required field `(?P<field>\w+)`", message):
        return FieldFault(f"{pointer}/{missing['field']}", "is missing")
    if message.startswith("Object contains unknown field"):
        return FieldFault(pointer, "holds a field that is not known here")
    if message.startswith("Invalid enum value"):
        return FieldFault(pointer, "is not one of the allowed values")
    if expected := re.match(r"Expected (?P<expected>.+?)(?:, got `\w+`)?$", message):
        return FieldFault(pointer, f"has to be {re.sub(r'`([^`]+)`', _name_json_types, expected['expected'])}")
    return FieldFault(pointer, "is not acceptable")


def _name_json_types(types: re.Match[str]) -> str:
    """Callers know JSON's types, not Python's."""
    words = {"int": "an integer", "float": "a number", "str": "a string", "bool": "true or false"}
    words |= {"object": "an object", "array": "an array"}
    return " or ".join(words.get(name, name) for name in types[1].split(" | "))


async def read_body(response: aiohttp.ClientResponse, most: int) -> bytes:
    """Return the body, cut after `most` + 1 bytes. Raises what aiohttp raises."""
    content, body = response.content, bytearray()
    while len(body) <= most and not content.at_eof():
        body += await content.readany()
    del body[most + 1 :]
    return bytes(body)
