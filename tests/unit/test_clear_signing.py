"""The ERC-7730 files describe exactly the messages that the code takes, in the form that their schema allows."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from eth_utils.crypto import keccak
from jsonschema import Draft202012Validator, ValidationError

from reminder_worker.chain.eip712 import Types
from reminder_worker.gifts import notifications, wallets
from reminder_worker.relay import authorizations
from reminder_worker.reminders import authorization, self_erasure
from reminder_worker.settings.chains import PRESETS
from reminder_worker.signed_messages import service_domain

FOLDER = Path(__file__).parents[2] / "clients" / "erc7730"
SERVICE = {"ethereum": 1, "sepolia": 11155111}
CALLED = {"legacy-router": "TRANSFER_EOA_LEGACY_ROUTER", "multisig-legacy-router": "MULTISIG_LEGACY_ROUTER"}
# The part of the schema's version 2 that these files need, in our words.
FIELD = {
    "type": "object",
    "required": ["path", "label", "format"],
    "additionalProperties": False,
    "properties": {
        "path": {"type": "string"},
        "label": {"type": "string", "maxLength": 20},  # a Ledger's screen cuts longer ones
        "format": {"enum": ["raw", "addressName", "date"]},
        "params": {"type": "object"},
    },
    "if": {"properties": {"format": {"const": "date"}}},
    "then": {"required": ["params"], "properties": {"params": {"const": {"encoding": "timestamp"}}}},
}
FORMATS = {
    "type": "object",
    "additionalProperties": {
        "type": "object",
        "required": ["intent", "fields"],
        "additionalProperties": False,
        "properties": {"intent": {"type": "string"}, "fields": {"type": "array", "items": FIELD}},
    },
}
EIP712 = {
    "type": "object",
    "required": ["domain"],
    "additionalProperties": False,
    "anyOf": [{"required": ["deployments"]}, {"required": ["domainSeparator"]}],
    "properties": {
        "domain": {"type": "object"},
        "deployments": {"type": "array"},
        "domainSeparator": {"type": "string"},
    },
}
CONTRACT = {
    "type": "object",
    "required": ["deployments"],
    "additionalProperties": False,
    "properties": {"deployments": {"type": "array"}},
}
SCHEMA = {
    "type": "object",
    "required": ["$schema", "context", "metadata", "display"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"const": "https://eips.ethereum.org/assets/eip-7730/erc7730-v2.schema.json"},
        "context": {
            "type": "object",
            "required": ["$id"],
            "oneOf": [{"required": ["eip712"]}, {"required": ["contract"]}],
            "additionalProperties": False,
            "properties": {"$id": {"type": "string"}, "eip712": EIP712, "contract": CONTRACT},
        },
        "metadata": {"type": "object", "required": ["owner", "contractName"]},
        "display": {
            "type": "object",
            "required": ["formats"],
            "additionalProperties": False,
            "properties": {"formats": FORMATS},
        },
    },
}


def load(name: str) -> Any:
    """Return a file with what it includes."""
    found = json.loads((FOLDER / f"eip712-{name}.json").read_text())
    included = found.pop("includes", None)
    return (json.loads((FOLDER / included).read_text()) if included else {}) | found


def encode_types(*types: Types) -> dict[str, list[str]]:
    """Return the fields of each message, by EIP-712's encodeType."""
    found: dict[str, list[str]] = {}
    for each in types:
        for name, fields in each.items():
            words = ",".join(f"{field['type']} {field['name']}" for field in fields)
            found[f"{name}({words})"] = [field["name"] for field in fields]
    return found


def pick(*names: str) -> Types:
    return {name: authorizations.MESSAGE_TYPES[name] for name in names}


SERVICE_TYPES = (
    authorization.SIGNED_MESSAGE_TYPES,
    self_erasure.MESSAGE_TYPES,
    wallets.MESSAGE_TYPES,
    notifications.MESSAGE_TYPES,
)
MESSAGES = {
    "reminder-worker-ethereum": encode_types(*SERVICE_TYPES),
    "reminder-worker-sepolia": encode_types(*SERVICE_TYPES),
    "legacy-router": encode_types(pick("ClaimAuth", "CheckInAuth")),
    "timelock-router": encode_types(pick("WithdrawAuth"), authorizations.WITHDRAW_TO_TYPES),
}


def test_a_wallet_shows_every_field_of_every_message_from_a_file_in_the_form_of_the_schema() -> None:
    validator = Draft202012Validator(SCHEMA)
    for name, messages in MESSAGES.items():
        found = load(name)
        formats = found["display"]["formats"]
        shown = {message: [field["path"] for field in words["fields"]] for message, words in formats.items()}
        assert shown == messages, name
        validator.validate(found)
        with pytest.raises(ValidationError):
            validator.validate(found | {"surprise": True})


def test_the_contracts_are_those_of_the_presets() -> None:
    for name, setting in (("legacy-router", "TRANSFER_EOA_LEGACY_ROUTER"), ("timelock-router", "TIME_LOCK_ROUTER")):
        known = [{"chainId": chain_id, "address": preset[setting]} for chain_id, preset in PRESETS.items()]
        assert load(name)["context"]["eip712"]["deployments"] == known


def test_a_wallet_shows_every_transaction_of_the_page_of_a_legacy_and_each_of_its_arguments() -> None:
    page = (FOLDER.parents[1] / "gift_page/src/legacy_people.ts").read_text(encoding="utf-8")
    sent = re.findall(r'define\("(\w+)", \[(.*)\], \[\], "nonpayable"\)', page)
    functions = {f"{name}({kinds.replace(' ', '').replace(chr(34), '')})" for name, kinds in sent}
    shown = set()
    for name, setting in CALLED.items():
        found = json.loads((FOLDER / f"calldata-{name}.json").read_text())
        Draft202012Validator(SCHEMA).validate(found)
        known = [{"chainId": chain_id, "address": preset[setting]} for chain_id, preset in PRESETS.items()]
        assert found["context"]["contract"]["deployments"] == known
        for signature, words in found["display"]["formats"].items():
            function, arguments = signature.removesuffix(")").split("(")
            kinds, names = zip(*(each.split(" ") for each in arguments.split(",")), strict=True)
            shown.add(f"{function}({','.join(kinds)})")
            assert [field["path"].removesuffix(".[]") for field in words["fields"]] == list(names)
    assert shown == functions
    assert len(functions) == 3


@pytest.mark.parametrize("name", SERVICE)
def test_the_services_domain_is_found_by_its_separator(name: str) -> None:
    found, domain = load(f"reminder-worker-{name}")["context"]["eip712"], service_domain(SERVICE[name])
    assert found["domain"] == {"name": domain.name, "version": domain.version, "chainId": domain.chain_id}
    kind = keccak(text="EIP712Domain(string name,string version,uint256 chainId)")
    words = kind + keccak(text=domain.name) + keccak(text=domain.version) + domain.chain_id.to_bytes(32, "big")
    assert found["domainSeparator"] == "0x" + keccak(words).hex()
