"""The contracts' ABI files, only the members in use, with their selectors and topics."""

import json
from functools import cache
from importlib.resources import files
from typing import Any

from eth_utils.abi import abi_to_signature, event_abi_to_log_topic, function_abi_to_4byte_selector

Member = Any
"""A function, an event or a parameter, as JSON."""


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
        if member["type"] == "function" and function in (member["name"], abi_to_signature(member)):
            return function_abi_to_4byte_selector(member)
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
    return "0x" + event_abi_to_log_topic(event).hex()
