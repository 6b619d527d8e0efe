"""Events as the deployed contracts emit them, with eth_abi as the oracle, and as a stranger may forge them."""

import re
from contextlib import suppress
from typing import Any

import pytest
from eth_abi.abi import encode as abi_encode
from eth_utils.abi import abi_to_signature, collapse_if_tuple
from eth_utils.crypto import keccak
from hypothesis import given
from hypothesis import strategies as st

from reminder_worker.chain.abi import compute_topic, list_events
from reminder_worker.chain.events import (
    CONTRACTS,
    EVENTS,
    PERSON,
    TRANSFER_TOPIC,
    TokenTransfer,
    UndecodableLog,
    decode_log,
    decode_transfer,
    map_topics,
)
from reminder_worker.chain.types import EventLog
from reminder_worker.settings import ChainSettings

SECRET = "Grandma's nickname"
SHARES = "(address,uint256)"
TERMS = "(uint256,uint256,uint256)"
SAFE = "(string,string,string[],address[])"
SIGNATURES = {
    "TransferEOALegacyRouter": f"""
        TransferEOALegacyCreatedV2(uint256,address,address,{SHARES}[],{TERMS},uint256)
        TransferEOALegacyCreated(uint256,address,address,(string,string,string[],{SHARES}[]),{TERMS},uint256)
        TransferEOALegacyConfigUpdated(uint256,(string,string,string[],{SHARES}[]),{TERMS},uint256)
        TransferEOALegacyLayer23DistributionUpdated(uint256,uint8,string,{SHARES},uint256)
        TransferEOALegacyDistributionUpdated(uint256,string[],{SHARES}[],uint256)
        TransferEOALegacyTriggerUpdated(uint256,uint128,uint256)
        TransferEOALegacyAutoRenewSet(uint256,address,bool,uint256)
        TransferEOALegacyAutoRenewed(uint256,address,uint64,uint256)
        TransferEOALegacyActivatedWithUnswap(uint256,uint8,uint256)""",
    "MultisigLegacyRouter": f"""
        MultisigLegacyCreated(uint256,address,address,address,address,{SAFE},(uint128,uint128),uint256)
        MultisigLegacyActivated(uint256,address[],uint256,bool,uint256)
        MultisigLegacyBeneficiariesUpdated(uint256,string[],address[],uint128,uint256)""",
    "PremiumSetting": f"""
        LegacyEmailNotifyRequested(address,address,uint8,uint8)
        LegacyReminderUpdated(address,uint256,address,uint128,address[],address[],address,address)
        LegacyReminderUpdated(address,uint256,address,uint128,{PERSON}[],{PERSON}[],{PERSON},{PERSON})
        BeneficiariesEmailSync(address,uint256,address,uint128,address[])
        BeneficiariesEmailSync(address,uint256,address,uint128,{PERSON}[])
        UserConfigUpdated(address,uint256)
        UserConfigUpdated(address,string,string,uint256)
        LegacyConfigReset(address,uint256,address,uint128)""",
    "TimelockERC20": """
        TimelockCreated(uint256,address,address,address[],uint256[],uint256,uint256,uint8,string)
        ChangeStatus(uint256,uint8)""",
    "TimelockERC721": """
        TimelockCreated(uint256,address,address,address[],uint256[],uint256,uint256,uint8,string)
        TokensWithdrawn(uint256,address)""",
    "TimelockERC1155": """
        TimelockCreated(uint256,address,address,address[],uint256[],uint256[],uint256,uint256,uint8,string)""",
}

ALL = [(contract, event) for contract in CONTRACTS.values() for event in list_events(contract)]


def value_of(kind: str, parameter: dict[str, Any]) -> st.SearchStrategy[Any]:
    if kind.endswith("[]"):
        return st.lists(value_of(kind[:-2], parameter), max_size=3)
    if kind == "tuple":
        return st.tuples(*(value_of(each["type"], each) for each in parameter["components"]))
    if kind == "address":
        return st.binary(min_size=20, max_size=20).map(lambda raw: "0x" + raw.hex())
    if kind == "bool":
        return st.booleans()
    if kind == "string":
        return st.just(SECRET)
    return st.integers(min_value=0, max_value=2 ** int(kind[4:]) - 1)


def kept(parameter: dict[str, Any], value: Any) -> Any:
    """Return the address of a person, and every other value whole."""
    if collapse_if_tuple(parameter) == PERSON:
        return value[0]
    if collapse_if_tuple(parameter) == f"{PERSON}[]":
        return tuple(person[0] for person in value)
    return tuple(value) if isinstance(value, list) else value


def made_log(event: dict[str, Any], values: dict[str, Any]) -> EventLog:
    indexed = [each for each in event["inputs"] if each["indexed"]]
    plain = [each for each in event["inputs"] if not each["indexed"]]
    topics = ["0x" + abi_encode([each["type"]], [values[each["name"]]]).hex() for each in indexed]
    data = abi_encode([collapse_if_tuple(each) for each in plain], [values[each["name"]] for each in plain])
    return EventLog("0x" + "11" * 20, (compute_topic(event), *topics), data, 7, "0x" + "22" * 32, "0x" + "33" * 32, 0)


def changed(log: EventLog, data: bytes) -> EventLog:
    return EventLog(log.address, log.topics, data, 7, log.block_hash, log.tx_hash, 0)


@pytest.mark.parametrize("contract", SIGNATURES)
def test_the_abi_files_have_the_deployed_events(contract: str) -> None:
    for declared in SIGNATURES[contract].split():
        assert declared in [abi_to_signature(event) for event in list_events(contract)]
        assert "0x" + keccak(text=declared).hex() in {first for first, _ in EVENTS}


@pytest.mark.parametrize(("contract", "event"), ALL, ids=[f"{c}.{e['name']}" for c, e in ALL])
@given(data=st.data())
def test_every_plain_field_is_decoded_and_no_text_is(contract: str, event: dict[str, Any], data: st.DataObject) -> None:
    values = {each["name"]: data.draw(value_of(each["type"], each)) for each in event["inputs"]}
    decoded = decode_log(made_log(event, values))
    texts = re.compile("string|[(]")
    plain = [
        each
        for each in event["inputs"]
        if collapse_if_tuple(each).startswith(PERSON) or not texts.match(collapse_if_tuple(each))
    ]
    expected = {each["name"]: kept(each, values[each["name"]]) for each in plain}
    if contract == "TimelockERC721" and "tokenIds" in expected:
        expected["amounts"] = expected.pop("tokenIds")
    assert decoded.name == event["name"]
    assert decoded.args == expected
    assert SECRET not in repr(decoded)


@pytest.mark.parametrize(("contract", "event"), ALL, ids=[f"{c}.{e['name']}" for c, e in ALL])
@given(data=st.data())
def test_forged_data_is_undecodable_or_decoded_but_nothing_else(
    contract: str, event: dict[str, Any], data: st.DataObject
) -> None:
    """Cut short, with one word overwritten, or all random: hostile offsets and lengths included."""
    log = made_log(event, {each["name"]: data.draw(value_of(each["type"], each)) for each in event["inputs"]})
    forged = bytearray(log.data)
    if forged:
        place = 32 * data.draw(st.integers(0, len(forged) // 32 - 1))
        huge = st.sampled_from([2**256 - 1, 2**255, 2**64, 2**32, len(forged), len(forged) - 31, 1, 0])
        forged[place : place + 32] = data.draw(huge).to_bytes(32, "big")
    for data_ in (bytes(forged), log.data[: data.draw(st.integers(0, len(log.data)))], data.draw(st.binary())):
        with suppress(UndecodableLog):
            assert SECRET not in repr(decode_log(changed(log, data_)))


def reminder_updated() -> EventLog:
    event = next(each for each in list_events("PremiumSetting") if each["name"] == "LegacyReminderUpdated")
    person = "0x" + "ab" * 20
    values: dict[str, Any] = {each["name"]: person for each in event["inputs"]}
    values |= {"legacyId": 1, "legacyType": 3, "cosigners": [], "beneficiaries": [person] * 2}
    return made_log(event, values)


def test_a_word_out_of_bounds_makes_a_log_undecodable() -> None:
    for word, value in (
        (1, 2**160),  # an address with dirt above it
        (2, 2**128),  # uint128
        (3, 2**256 - 32),  # the offset of an array
        (8, 2**40),  # the length of an array
        (10, 1 << 200),  # an element of an array
    ):
        log = reminder_updated()
        forged = log.data[: 32 * word] + value.to_bytes(32, "big") + log.data[32 * word + 32 :]
        with pytest.raises(UndecodableLog):
            decode_log(changed(log, forged))


def with_emails(people: list[tuple[str, str, str]]) -> EventLog:
    """As before 2026-06-02; every line is the first of these people."""
    event = [each for each in list_events("PremiumSetting") if each["name"] == "LegacyReminderUpdated"][-1]
    values: dict[str, Any] = {"user": people[0][0], "legacyId": 1, "legacyAddress": people[0][0], "legacyType": 3}
    values |= {"cosigners": [], "beneficiaries": people, "secondLine": people[0], "thirdLine": people[0]}
    return made_log(event, values)


def test_no_part_of_an_email_is_read_or_shown_wherever_it_stands() -> None:
    """Offsets into the texts, at every byte of them, and out of the data: an address it says, or is undecodable."""
    email = bytes(range(0x61, 0x7B)).decode()  # no four of its bytes stand anywhere else
    person = "0x" + "ab" * 20
    log = with_emails([(person, email, email[::-1])] * 2)
    parts = [raw[start : start + 4] for raw in (email.encode(), email[::-1].encode()) for start in range(len(raw) - 3)]
    shown = [form for part in parts for form in (part.decode(), part.hex(), str(int.from_bytes(part)))]
    undecodable = 0
    for word in range(3, len(log.data) // 32):
        for value in (*range(0, len(log.data) + 64), 2**64, 2**255, 2**256 - 32):
            forged = log.data[: 32 * word] + value.to_bytes(32, "big") + log.data[32 * word + 32 :]
            try:
                told = repr(decode_log(changed(log, forged)))
            except UndecodableLog as error:
                undecodable += 1
                told = repr((error, error.__cause__, error.__context__))
            assert not [form for form in shown if form in told]
    assert undecodable > 1000
    assert not [form for form in shown if form in repr(log)]


def test_a_thousand_people_with_long_texts_are_a_thousand_addresses() -> None:
    people = [(f"0x{number:040x}", SECRET * 50, "") for number in range(1, 1001)]
    assert decode_log(with_emails(people)).args["beneficiaries"] == tuple(address for address, _, _ in people)


def test_missing_topics_and_unknown_events_are_undecodable() -> None:
    log = reminder_updated()
    for topics in ((), log.topics[:1], (*log.topics, log.topics[0]), ("0x" + "00" * 32,)):
        with pytest.raises(UndecodableLog):
            decode_log(EventLog(log.address, topics, log.data, 7, log.block_hash, log.tx_hash, 0))


def test_an_event_counts_only_from_the_contract_that_emits_it() -> None:
    names = [field.alias for field in ChainSettings.model_fields.values() if field.is_required() and field.alias]
    values = {name: f"0x{index:040x}" for index, name in enumerate(names)}
    settings = ChainSettings.model_validate(
        values | {"chain_id": 1, "RPC_URLS": "http://localhost", "START_BLOCK": "0"}
    )
    notify = "0x" + keccak(text="LegacyEmailNotifyRequested(address,address,uint8,uint8)").hex()
    emitting = [address for address, topics in map_topics(settings).items() if notify in topics]
    assert emitting == [settings.premium_setting]


def test_an_erc20_transfer_gives_token_sides_and_amount_and_any_other_log_is_none() -> None:
    side, other, amount = "0x" + "00" * 12 + "aa" * 20, "0x" + "00" * 12 + "bb" * 20, (5).to_bytes(32, "big")

    def decoded(topics: tuple[str, ...], data: bytes) -> TokenTransfer | None:
        return decode_transfer(EventLog("0x" + "11" * 20, topics, data, 7, "0x" + "22" * 32, "0x" + "33" * 32, 0))

    found = decoded((TRANSFER_TOPIC, side, other), amount)
    assert found == TokenTransfer("0x" + "11" * 20, "0x" + "aa" * 20, "0x" + "bb" * 20, 5)
    assert decoded((TRANSFER_TOPIC, side, side, side), b"") is None  # ERC-721
    assert decoded((TRANSFER_TOPIC, side), amount) is None
    assert decoded((TRANSFER_TOPIC, side, "0x" + "ff" * 32), amount) is None
    assert decoded((side, side, side), amount) is None
    assert decoded((TRANSFER_TOPIC, side, side), amount + b"\0") is None
