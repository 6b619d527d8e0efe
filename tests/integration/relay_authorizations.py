"""Authorizations of calls that succeed, with different signers, legacies and creators."""

from dataclasses import replace
from typing import Any, Final

from eth_utils.crypto import keccak

from reminder_worker.relay.models import RelayAuthorization, RelayLane

TARGET: Final = "0x" + "7a" * 20
GAS: Final = 100_000


def authorization(number: int, **terms: Any) -> RelayAuthorization:
    data = b"authorization " + number.to_bytes(4, "big")
    person = f"0x{number + 0xABC000:040x}"
    made = RelayAuthorization(
        chain_id=31337,
        lane=RelayLane.CHECK_IN,
        digest=keccak(data),
        router=TARGET,
        subject_id=number,
        signer=person,
        creator=person,
        nonce=number,
        deadline=2**40,
        call_data=data,
        gas_limit=GAS,
    )
    return replace(made, **terms)
