"""The recipient set inside a signed payload: read strictly, checked whole, before anything asks the chain."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from reminder_worker.errors import FieldFault, InvalidInput
from reminder_worker.privacy.emails import check_mailed_name, normalise_email
from reminder_worker.signed_messages import check_salt
from reminder_worker.strict_json import decode

MAX_RECIPIENTS = 64
Role = Literal["owner", "cosigner", "beneficiary", "second_line", "third_line"]

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")


@dataclass(frozen=True, slots=True)
class Recipient:
    """Whom to write to for one address of a legacy. `recipient` is lower case; email and name never show."""

    recipient: str
    role: Role
    email: str = field(repr=False)
    name: str = field(repr=False)


class _PayloadRecipient(msgspec.Struct, forbid_unknown_fields=True):
    recipient: str
    role: Role
    email: str
    name: str


class _Payload(msgspec.Struct, forbid_unknown_fields=True):
    salt: str
    recipients: list[_PayloadRecipient]


def read_recipient_set(payload: str) -> tuple[Recipient, ...]:
    """Raises `Malformed`, or `InvalidInput` with a fault for every bad field."""
    read = decode(payload, _Payload, "/payload")
    faults: list[FieldFault] = []
    try:
        check_salt(read.salt)
    except ValueError as error:
        faults.append(FieldFault("/payload/salt", str(error)))
    if len(read.recipients) > MAX_RECIPIENTS:
        fault = FieldFault("/payload/recipients", f"has to hold at most {MAX_RECIPIENTS} recipients")
        raise InvalidInput("The set has too many recipients.", [*faults, fault])
    recipients = [_checked(each, f"/payload/recipients/{i}", faults) for i, each in enumerate(read.recipients)]
    seen: set[str] = set()
    for i, each in enumerate(recipients):
        if each.recipient in seen:
            faults.append(FieldFault(f"/payload/recipients/{i}/recipient", "occurs twice in the set"))
        seen.add(each.recipient)
    if faults:
        raise InvalidInput("The recipient set holds fields that are not acceptable.", faults)
    return tuple(recipients)


def _checked(each: _PayloadRecipient, pointer: str, faults: list[FieldFault]) -> Recipient:
    def field_or_fault(name: str, check: Callable[[str], str], value: str) -> str:
        try:
            return check(value)
        except ValueError as error:
            faults.append(FieldFault(f"{pointer}/{name}", str(error)))
            return value

    return Recipient(
        recipient=field_or_fault("recipient", _address, each.recipient),
        role=each.role,
        email=field_or_fault("email", normalise_email, each.email),
        name=field_or_fault("name", check_mailed_name, each.name),
    )


def _address(text: str) -> str:
    if not _ADDRESS.fullmatch(text) or int(text, 16) == 0:
        raise ValueError("has to be an address: 0x and 40 hex digits, not zero")
    return text.lower()
