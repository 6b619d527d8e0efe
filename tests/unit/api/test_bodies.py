"""Promises of what request bodies take, before anything is asked."""

import json
from typing import Any

import pytest

from api.controllers.operator import ErasePersonBody
from api.gift_bodies import GiftEraseBody
from api.schemas import EXAMPLE_DEADLINE, EXAMPLE_RECIPIENT, EXAMPLE_SIGNATURE, SignedBody
from api.sponsor_bodies import CheckInBody, ClaimBody, GiftWithdrawBody
from reminder_worker.errors import InvalidInput
from reminder_worker.reminders.recipients import read_recipient_set
from reminder_worker.strict_json import MOST_FAULTS, decode_json

SIGNED = {"chainId": 1, "deadline": EXAMPLE_DEADLINE, "signature": EXAMPLE_SIGNATURE}
RELAYED = SIGNED | {"nonce": "0", "router": EXAMPLE_RECIPIENT, "legacyId": "7"}


def test_a_field_of_another_type_is_refused_in_the_words_of_json() -> None:
    for changes, words in (
        ({"chainId": "1"}, "has to be an integer"),
        ({"chainId": 0}, "has to be an integer >= 1"),
        ({"legacy": 7}, "has to be a string"),
        ({"legacy": "0x12"}, "has to be a string matching regex '^0x[0-9a-fA-F]{40}$'"),
    ):
        with pytest.raises(InvalidInput) as refused:
            decode_json(json.dumps(SIGNED | {"legacy": EXAMPLE_RECIPIENT} | changes), SignedBody)
        assert [(fault.pointer, fault.detail) for fault in refused.value.faults] == [(f"/{next(iter(changes))}", words)]


def named(refused: pytest.ExceptionInfo[InvalidInput]) -> list[tuple[str, str]]:
    return [(fault.pointer, fault.detail) for fault in refused.value.faults]


def test_all_missing_unknown_and_mistyped_fields_are_named_at_once_and_nothing_sent_is_repeated() -> None:
    with pytest.raises(InvalidInput) as refused:
        decode_json('{"chainId":"canary","anna@example.org":1,"Canary":2,"signature":7}', SignedBody)
    known = "chainId, deadline, legacy, signature"
    assert named(refused) == [
        ("/chainId", "has to be an integer"),
        ("/legacy", "is missing"),
        ("/deadline", "is missing"),
        ("/signature", "has to be a string"),
        ("", f"holds 2 fields that are not known here; known are {known}"),
    ]


def test_all_bad_fields_in_a_list_are_named_and_there_is_an_end_to_it() -> None:
    good = {"recipient": EXAMPLE_RECIPIENT, "role": "owner", "email": "anna@example.org", "name": ""}
    with pytest.raises(InvalidInput) as refused:
        read_recipient_set(json.dumps({"recipients": [good | {"role": "friend"}, good, good | {"Anna": 1}, 7]}))
    assert named(refused) == [
        ("/payload/salt", "is missing"),
        ("/payload/recipients/0/role", "is not one of the allowed values"),
        (
            "/payload/recipients/2",
            "holds a field that is not known here; known are email, language, name, recipient, role, timeZone",
        ),
        ("/payload/recipients/3", "has to be an object"),
    ]
    with pytest.raises(InvalidInput) as refused:
        read_recipient_set(json.dumps({"recipients": [{}] * 10_000}))
    assert len(refused.value.faults) == MOST_FAULTS


def test_where_no_json_follows_a_bad_field_that_field_is_named() -> None:
    for text in ('{"chainId":"1"', '{"chainId":"1","legacy":' + "[" * 30_000):
        with pytest.raises(InvalidInput) as refused:
            decode_json(text, SignedBody)
        assert named(refused) == [("/chainId", "has to be an integer")]


def test_an_address_with_a_line_end_behind_it_is_none() -> None:
    for body, whole in (
        (SignedBody, SIGNED | {"legacy": EXAMPLE_RECIPIENT}),
        (ClaimBody, RELAYED | {"beneficiary": EXAMPLE_RECIPIENT, "assets": [EXAMPLE_RECIPIENT], "isETH": False}),
        (CheckInBody, RELAYED | {"owner": EXAMPLE_RECIPIENT}),
        (
            GiftWithdrawBody,
            SIGNED | {"nonce": "0", "timelockId": "7", "skipSwap": False, "recipient": EXAMPLE_RECIPIENT},
        ),
        (GiftEraseBody, SIGNED | {"giver": EXAMPLE_RECIPIENT, "timelockId": "7"}),
        (ErasePersonBody, {"address": EXAMPLE_RECIPIENT}),
    ):
        decode_json(json.dumps(whole), body)
        names = [name for name, value in whole.items() if value in (EXAMPLE_RECIPIENT, [EXAMPLE_RECIPIENT])]
        assert names
        for name in names:
            longer: Any = EXAMPLE_RECIPIENT + "\n"
            with pytest.raises(InvalidInput) as refused:
                decode_json(json.dumps(whole | {name: [longer] if isinstance(whole[name], list) else longer}), body)
            assert [fault.pointer.split("/")[1] for fault in refused.value.faults] == [name]
