"""Promises of what request bodies take, before anything is asked."""

import json
from typing import Any

import msgspec
import pytest

from api.controllers.operator import ErasePersonBody
from api.gift_bodies import GiftEraseBody
from api.schemas import EXAMPLE_DEADLINE, EXAMPLE_RECIPIENT, EXAMPLE_SIGNATURE, SignedBody
from api.sponsor_bodies import CheckInBody, ClaimBody, GiftWithdrawBody
from reminder_worker.errors import InvalidInput
from reminder_worker.strict_json import decode_json

SIGNED = {"chainId": 1, "deadline": EXAMPLE_DEADLINE, "signature": EXAMPLE_SIGNATURE}
RELAYED = SIGNED | {"nonce": "0", "router": EXAMPLE_RECIPIENT, "legacyId": "7"}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"chainId": "1"}, "has to be an integer"),
        ({"chainId": 0}, "has to be an integer >= 1"),
        ({"legacy": 7}, "has to be a string"),
        ({"legacy": "0x12"}, "has to be a string matching regex '^0x[0-9a-fA-F]{40}$'"),
    ],
    ids=str,
)
def test_a_field_of_another_type_is_refused_in_the_words_of_json(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        decode_json(json.dumps(SIGNED | {"legacy": EXAMPLE_RECIPIENT} | changes), SignedBody)
    assert [(fault.pointer, fault.detail) for fault in refused.value.faults] == [(f"/{next(iter(changes))}", words)]


@pytest.mark.parametrize(
    ("body", "whole"),
    [
        (SignedBody, SIGNED | {"legacy": EXAMPLE_RECIPIENT}),
        (ClaimBody, RELAYED | {"beneficiary": EXAMPLE_RECIPIENT, "assets": [EXAMPLE_RECIPIENT], "isETH": False}),
        (CheckInBody, RELAYED | {"owner": EXAMPLE_RECIPIENT}),
        (
            GiftWithdrawBody,
            SIGNED | {"nonce": "0", "timelockId": "7", "skipSwap": False, "recipient": EXAMPLE_RECIPIENT},
        ),
        (GiftEraseBody, SIGNED | {"giver": EXAMPLE_RECIPIENT, "timelockId": "7"}),
        (ErasePersonBody, {"address": EXAMPLE_RECIPIENT}),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_an_address_with_a_line_end_behind_it_is_none(body: type[msgspec.Struct], whole: dict[str, Any]) -> None:
    decode_json(json.dumps(whole), body)
    names = [name for name, value in whole.items() if value in (EXAMPLE_RECIPIENT, [EXAMPLE_RECIPIENT])]
    assert names
    for name in names:
        longer: Any = EXAMPLE_RECIPIENT + "\n"
        with pytest.raises(InvalidInput) as refused:
            decode_json(json.dumps(whole | {name: [longer] if isinstance(whole[name], list) else longer}), body)
        assert [fault.pointer.split("/")[1] for fault in refused.value.faults] == [name]
