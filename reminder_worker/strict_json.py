"""JSON from outside into our types, or faults that name the fields and echo nothing that was sent."""

import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Any, Final, TypeVar, get_args

import aiohttp
import msgspec

from reminder_worker.errors import FieldFault, InvalidInput, Malformed

T = TypeVar("T")

MOST_FAULTS: Final = 100  # of a request: nobody reads more, and an answer stays small

NOT_JSON: Final = (msgspec.DecodeError, UnicodeError, RecursionError)
"""Raised by `msgspec.json.decode`: no JSON, JSON of another shape, no UTF-8, or nested without end."""


def decode_json(data: bytes | str, kind: type[T], prefix: str = "") -> T:
    """`prefix` is the JSON pointer of `data` in the request. Raises `Malformed` or `InvalidInput`."""
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError as error:
        faults = [_describe_fault(str(error), prefix)]
    except NOT_JSON:
        where = f" in {prefix}" if prefix else ""
        raise Malformed(f"The JSON text{where} cannot be read.") from None
    with suppress(*NOT_JSON):  # behind the first fault, which ended the reading
        found = _find_faults(msgspec.json.decode(data), kind, prefix)
        faults = list(islice(found, MOST_FAULTS)) or faults
    raise InvalidInput("The request holds fields that are not acceptable.", faults)


def _find_faults(value: Any, kind: Any, pointer: str) -> Iterator[FieldFault]:
    """Yield a fault for each field without its form; unknown fields of an object share one."""
    try:
        msgspec.convert(value, kind)
        return
    except msgspec.ValidationError as error:
        first = _describe_fault(str(error), pointer)
    element = next(iter(get_args(kind)), None)
    if isinstance(value, dict) and _is_struct(kind):
        yield from _find_object_faults(value, kind, pointer)
    elif isinstance(value, list) and _is_struct(element):
        for position, each in enumerate(value):
            yield from _find_faults(each, element, f"{pointer}/{position}")
    else:
        yield first


def _find_object_faults(value: dict[str, Any], kind: type[msgspec.Struct], pointer: str) -> Iterator[FieldFault]:
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    for name, field in fields.items():
        if name in value:
            yield from _find_faults(value[name], field.type, f"{pointer}/{name}")
        elif field.required:
            yield FieldFault(f"{pointer}/{name}", "is missing")
    unknown = len(value.keys() - fields.keys())
    if unknown and kind.__struct_config__.forbid_unknown_fields:
        # Their names may be a person's: those that are known say enough.
        count = "a field that is" if unknown == 1 else f"{unknown} fields that are"
        yield FieldFault(pointer, f"holds {count} not known here; known are {', '.join(sorted(fields))}")


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


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
