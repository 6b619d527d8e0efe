"""Decoding of calls in the upgrade queue, and the timelock's roles.

A proposer chooses the bytes. They are read as a contract reads them, never beyond their end; undecodable calls are
marked. Contracts ignore bytes after the arguments: such bytes are counted and shown.

"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from eth_utils.crypto import keccak

from reminder_worker.chain import abi
from reminder_worker.chain.abi_codec import WORD, MalformedData, address_at, at, bytes_at

SELECTOR: Final = 4
_FUNCTIONS: Final = {
    "ProxyAdmin": ("upgrade", "upgradeAndCall", "transferOwnership", "renounceOwnership", "changeProxyAdmin"),
    "TimelockController": ("updateDelay", "grantRole", "revokeRole"),
}
ROLES: Final[Mapping[str, str]] = {
    "0x" + "00" * WORD: "DEFAULT_ADMIN_ROLE",
    **{"0x" + keccak(text=name).hex(): name for name in ("PROPOSER_ROLE", "EXECUTOR_ROLE", "CANCELLER_ROLE")},
}
CANCELLER: Final = next(role for role, name in ROLES.items() if name == "CANCELLER_ROLE")

GIVES_AWAY: Final[Mapping[str, str]] = {
    "changeProxyAdmin(address,address)": "gives a proxy to another admin",
    "transferOwnership(address)": "gives a contract to another owner",
    "renounceOwnership()": "leaves a contract without an owner",
}
"""What the timelock cannot undo, by function."""

Argument = str | int | bytes
Reader = Callable[[bytes, int], Argument]


@dataclass(frozen=True, slots=True)
class UpgradeCall:
    """One call of an operation. `value` in wei."""

    target: str
    value: int
    data: bytes


@dataclass(frozen=True, slots=True)
class DecodedCall:
    """`function` is None when the selector is not one we know; `arguments` is None when they do not decode.

    Arguments by name: addresses and roles as lower-case `0x` hex, numbers as int, `bytes` as they are. `extra`: how
    many bytes follow that no argument covers.
    """

    function: str | None
    arguments: Mapping[str, Argument] | None
    extra: int = 0

    @property
    def implementation(self) -> str | None:
        """Return the proxy's new implementation, if the call sets one."""
        found = (self.arguments or {}).get("implementation")
        return found if isinstance(found, str) else None


def decode(data: bytes) -> DecodedCall:
    """Decode call data. Never raises."""
    member = _BY_SELECTOR.get(data[:SELECTOR])
    if member is None:
        return DecodedCall(None, None)
    function = abi.signature(member)
    try:
        arguments, used = _arguments(member, data[SELECTOR:])
    except MalformedData:
        return DecodedCall(function, None)
    return DecodedCall(function, arguments, len(data) - SELECTOR - used)


def role_name(role: str) -> str:
    """Return a role's name; `role` itself (0x and 64 hex digits) for a foreign role."""
    return ROLES.get(role, role)


def plain_words(data: bytes) -> str:
    """Describe undecoded call data."""
    if not data:
        return "none"
    if len(data) < SELECTOR:
        return f"{len(data)} bytes, too short for a selector: 0x{data.hex()}"
    return f"selector 0x{data[:SELECTOR].hex()}, {len(data)} bytes"


def _arguments(member: abi.Member, data: bytes) -> tuple[dict[str, Argument], int]:
    """Decode the arguments. Return them and their size in bytes. Raises `MalformedData`."""
    found: dict[str, Argument] = {}
    used = len(member["inputs"]) * WORD
    for index, parameter in enumerate(member["inputs"]):
        if parameter["type"] == "bytes":
            place = at(data, index * WORD)
            value = bytes_at(data, place, len(data))
            used = max(used, place + WORD + -(-len(value) // WORD) * WORD)
            found[parameter["name"]] = value
        else:
            found[parameter["name"]] = READERS[parameter["type"]](data, index * WORD)
    return found, min(used, len(data))


def _word_at(data: bytes, position: int) -> str:
    return f"0x{at(data, position):064x}"


READERS: Final[Mapping[str, Reader]] = {"address": address_at, "uint256": at, "bytes32": _word_at}
_BY_SELECTOR: Final = {
    abi.selector(contract, member["name"]): member
    for contract, names in _FUNCTIONS.items()
    for member in abi.members(contract)
    if member["type"] == "function" and member["name"] in names
}
