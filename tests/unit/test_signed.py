"""The digest of a signed message is unique to its chain, kind and content."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from reminder_worker.chain.eip712 import typed_data_digest
from reminder_worker.errors import DeadlineTooFar, Expired
from reminder_worker.gifts import notifications, wallets
from reminder_worker.reminders import authorization
from reminder_worker.reminders.recipients import RecipientWords, read_recipient_set
from reminder_worker.signed_messages import MAX_AHEAD_SECONDS, check_deadline, payload_hash, service_domain

MESSAGE_TYPES: dict[str, Any] = {
    **authorization.SIGNED_MESSAGE_TYPES,
    **notifications.MESSAGE_TYPES,
    **wallets.MESSAGE_TYPES,
}
VALUES: dict[str, list[Any]] = {
    "address": ["0x" + "11" * 20, "0x" + "22" * 20],
    "bytes32": [b"\1" * 32, b"\2" * 32],
    "uint256": [1, 2],
}


def digests(kind: str) -> Iterator[bytes]:
    """Yield digests of a message on two chains, and with each field changed."""
    fields = MESSAGE_TYPES[kind]
    first = {field["name"]: VALUES[field["type"]][0] for field in fields}
    messages = [first, *({**first, field["name"]: VALUES[field["type"]][1]} for field in fields)]
    for chain_id in (1, 11155111):
        for message in messages:
            yield typed_data_digest(service_domain(chain_id), kind, MESSAGE_TYPES, message)


def test_no_message_is_good_on_another_chain_for_another_purpose_or_about_anything_else() -> None:
    found = [digest for kind in MESSAGE_TYPES for digest in digests(kind)]
    assert len(MESSAGE_TYPES) == 8
    assert len(set(found)) == len(found)


def test_who_is_refused_by_a_clock_is_told_what_it_says() -> None:
    """Signing anew does not help whose own clock is wrong, nor anybody when it is the service's."""
    now = 1_795_387_320
    check_deadline(now + MAX_AHEAD_SECONDS, now)
    for deadline, refusal in ((now, Expired), (now + MAX_AHEAD_SECONDS + 1, DeadlineTooFar)):
        with pytest.raises(refusal, match="here it is 2026-11-22 22:42 UTC"):
            check_deadline(deadline, now)


def test_a_signed_set_without_time_zones_keeps_its_hash_and_stays_valid() -> None:
    """The payload is one that clients of the previous release made and signed."""
    payload = (
        '{"salt":"0x6f1d2c4b8a9e3f507182736455667788","recipients":[{"recipient":"'
        '0x70997970C51812dc3A010C7d01b50e0d17dc79C8","role":"beneficiary","email":"anna@example.org","name":"Anna",'
        '"language":"es"}],"ownerName":"Maria","title":"For the children"}'
    )
    assert payload_hash(payload).hex() == "490e32ab85672cbf768b4bdcc1a2a0e42760cdfc3491014ed82fd3dde13c290b"
    (anna,) = read_recipient_set(payload)
    assert anna.words == RecipientWords("Maria", "For the children", "es")
    assert b"timeZone" not in msgspec.json.encode(anna.words)
