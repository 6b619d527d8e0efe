"""The contracts' ABI files, only the members in use, and what follows from them: selectors, topics, canonical types."""

import json
from functools import cache
from importlib.resources import files
from typing import Any

from eth_utils.crypto import keccak

Member = dict[str, Any]


@cache
def read_members(contract: str) -> tuple[Member, ...]:
    """Return the members of an ABI file, which is read once."""
    return tuple(json.loads(files(__name__).joinpath(f"{contract}.json").read_text(encoding="utf-8")))


@cache
def find_selector(contract: str, function: str) -> bytes:
    """Return the first four bytes of a call. `function`: the name, or the signature of an overloaded function.

    Raises `KeyError` for a function that the ABI file lacks.
    """
    for member in read_members(contract):
        if member["type"] == "function" and function in (member["name"], format_signature(member)):
            return keccak(text=format_signature(member))[:4]
    raise KeyError(f"{contract}.{function}")


def list_events(contract: str) -> tuple[Member, ...]:
    return tuple(member for member in read_members(contract) if member["type"] == "event")


@cache
def find_topic(contract: str, event: str) -> str:
    """Return the first topic of an event's logs, by its name. Raises `KeyError` for an event that the file lacks."""
    for member in list_events(contract):
        if member["name"] == event:
            return compute_topic(member)
    raise KeyError(f"{contract}.{event}")


def compute_topic(event: Member) -> str:
    """Return the first topic of an event's logs."""
    return "0x" + keccak(text=format_signature(event)).hex()


def format_signature(member: Member) -> str:
    return f"{member['name']}({','.join(map(format_type, member['inputs']))})"


def format_type(parameter: Member) -> str:
    """Return a parameter's type with tuples spelled out, as hashed."""
    kind: str = parameter["type"]
    if not kind.startswith("tuple"):
        return kind
    return f"({','.join(map(format_type, parameter['components']))}){kind.removeprefix('tuple')}"
