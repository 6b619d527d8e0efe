"""Call data of the upgrade queue is decoded as a contract does it, and no bytes raise an error."""

import pytest
from eth_abi.abi import encode
from eth_utils.crypto import keccak
from hypothesis import given
from hypothesis import strategies as st

from reminder_worker.chain.types import EventLog
from reminder_worker.settings import ChainSettings
from reminder_worker.upgrades.operations import (
    AS_POWERFUL,
    UpgradeCall,
    UpgradeOperation,
    decode_call,
    decode_timelock_log,
    plain_words,
    role_name,
)
from reminder_worker.upgrades.wording import (
    MOST_CALLS,
    WordingContext,
    all_facts,
    call_facts,
    executable_facts,
    scheduled_facts,
)

PROXY, NEW, OWNER = "0x" + "11" * 20, "0x" + "22" * 20, "0x" + "33" * 20
ROLE = keccak(text="PROPOSER_ROLE")
KNOWN: dict[str, tuple[list[object], dict[str, object]]] = {
    "upgrade(address,address)": ([PROXY, NEW], {"proxy": PROXY, "implementation": NEW}),
    "upgradeAndCall(address,address,bytes)": (
        [PROXY, NEW, b"\1\2\3"],
        {"proxy": PROXY, "implementation": NEW, "data": b"\1\2\3"},
    ),
    "updateDelay(uint256)": ([172_800], {"newDelay": 172_800}),
    "grantRole(bytes32,address)": ([ROLE, OWNER], {"role": "0x" + ROLE.hex(), "account": OWNER}),
    "revokeRole(bytes32,address)": ([ROLE, OWNER], {"role": "0x" + ROLE.hex(), "account": OWNER}),
    "transferOwnership(address)": ([OWNER], {"newOwner": OWNER}),
    "renounceOwnership()": ([], {}),
    "changeProxyAdmin(address,address)": ([PROXY, OWNER], {"proxy": PROXY, "newAdmin": OWNER}),
    "setRouterAddresses(address)": ([NEW], {"router": NEW}),
    "setUniswapRouter(address)": ([NEW], {"uniswapRouter": NEW}),
    "setTimelock(address,address,address)": (
        [PROXY, NEW, OWNER],
        {"timelockERC20": PROXY, "timelockERC721": NEW, "timelockERC1155": OWNER},
    ),
    "setTokenWhitelist(address)": ([NEW], {"whitelist": NEW}),
    "setConsentVerifier(address)": ([NEW], {"verifier": NEW}),
    "setLegacyImplementation(address)": ([NEW], {"legacyImplementation": NEW}),
    "setLegacyCreationCode(bytes)": ([b"\1\2\3"], {"code": b"\1\2\3"}),
    "setPullVault(address)": ([NEW], {"pullVault": NEW}),
    "setActivityAttestor(address)": ([NEW], {"attestor": NEW}),
    "addToken(address)": ([NEW], {"token": NEW}),
    "removeToken(address)": ([NEW], {"token": NEW}),
    "setParams(address,address,address,address)": (
        [PROXY, NEW, OWNER, NEW],
        {"premiumRegistry": PROXY, "transferRouter": NEW, "transferEOARouter": OWNER, "multisigRouter": NEW},
    ),
}
SELECTORS = [keccak(text=function)[:4] for function in KNOWN]
TOPICS = [
    "0x" + keccak(text=event).hex()
    for event in (
        "CallScheduled(bytes32,uint256,address,uint256,bytes,bytes32,uint256)",
        "CallExecuted(bytes32,uint256,address,uint256,bytes)",
        "MinDelayChange(uint256,uint256)",
    )
]
WORDS = st.one_of(st.just(bytes(32)), st.just(b"\xff" * 32), st.binary(min_size=32, max_size=32)) | st.integers(
    0, 2**256 - 1
).map(lambda number: number.to_bytes(32, "big"))
BODY = st.lists(WORDS, max_size=8).map(b"".join) | st.integers(0, 200).map(lambda n: n.to_bytes(32, "big") * 5)


def data(function: str, values: list[object]) -> bytes:
    return keccak(text=function)[:4] + encode(list(filter(None, function.partition("(")[2][:-1].split(","))), values)


def test_every_function_of_an_upgrade_is_decoded_with_its_arguments() -> None:
    """Extra bytes are counted. Contracts accept an unpadded argument, too."""
    for function, (values, arguments) in KNOWN.items():
        for extra in (b"", b"hidden"):
            found = decode_call(data(function, values) + extra)
            assert (found.function, found.arguments, found.extra) == (function, arguments, len(extra))
    whole = data("upgradeAndCall(address,address,bytes)", [PROXY, NEW, b"\1\2\3"])
    assert decode_call(whole[:-29]) == decode_call(whole)
    for cut in (4, 5, 35, 36, 67, 99):
        assert decode_call(whole[:cut]).arguments is None, cut


def test_an_offset_into_the_arguments_heads_decodes_as_in_a_contract() -> None:
    """Contracts accept such an offset. eth-abi refuses it, and the alert would lack the arguments."""
    selector = keccak(text="setLegacyCreationCode(bytes)")[:4]
    assert decode_call(selector + bytes(32)).arguments == {"code": b""}


@pytest.mark.parametrize(("calls", "words"), [(MOST_CALLS, None), (MOST_CALLS + 1, "1 are not shown here")])
def test_a_batch_says_how_many_calls_are_not_shown(calls: int, words: str | None) -> None:
    operation = UpgradeOperation("0x" + "44" * 32, "pending", (UpgradeCall(PROXY, 0, b""),) * calls)
    facts = executable_facts(operation, _context())
    assert (facts["calls"], facts.get("more calls")) == (f"{calls}, executed together", words)


def test_an_unknown_function_is_its_selector_and_length_and_an_unknown_role_its_hash() -> None:
    assert decode_call(b"\xde\xad\xbe\xef" + bytes(64)).function is None
    assert plain_words(b"\xde\xad\xbe\xef" + bytes(64)) == "selector 0xdeadbeef, 68 bytes"
    assert plain_words(b"\1") == "1 bytes, too short for a selector: 0x01"
    for role, name in ((ROLE.hex(), "PROPOSER_ROLE"), ("00" * 32, "DEFAULT_ADMIN_ROLE"), ("77" * 32, "0x" + "77" * 32)):
        assert role_name("0x" + role) == name


def test_a_call_that_gives_control_away_is_marked_wherever_it_stands_in_a_batch() -> None:
    for function, words in (
        ("changeProxyAdmin(address,address)", "gives a proxy to another admin"),
        ("transferOwnership(address)", "gives a contract to another owner"),
        ("renounceOwnership()", "leaves a contract without an owner"),
        ("upgradeAndCall(address,address,bytes)", None),
    ):
        upgrade, call = (
            UpgradeCall(PROXY, 0, data(name, KNOWN[name][0])) for name in ("upgrade(address,address)", function)
        )
        for calls in ((call,), (call, upgrade), (upgrade,) * MOST_CALLS + (call,)):
            operation = UpgradeOperation("0x" + "44" * 32, "pending", calls)
            for facts in (scheduled_facts(operation, _context()), all_facts(operation, _context())):
                beware = facts.get("beware")
                assert beware == (words and f"graver than an upgrade, since this timelock cannot undo it: {words}")


@pytest.mark.parametrize("function", sorted(AS_POWERFUL))
def test_a_setter_as_powerful_as_an_upgrade_is_marked_wherever_it_stands_in_a_batch(function: str) -> None:
    upgrade, call = (
        UpgradeCall(PROXY, 0, data(name, KNOWN[name][0])) for name in ("upgrade(address,address)", function)
    )
    for calls in ((call,), (upgrade,) * MOST_CALLS + (call,)):
        operation = UpgradeOperation("0x" + "44" * 32, "pending", calls)
        for facts in (scheduled_facts(operation, _context()), all_facts(operation, _context())):
            assert facts["as powerful as an upgrade"] == AS_POWERFUL[function]
            assert "beware" not in facts


@given(selector=st.sampled_from(SELECTORS) | st.binary(max_size=4), body=BODY | st.binary(max_size=300))
def test_no_call_data_raises_or_reads_beyond_its_end(selector: bytes, body: bytes) -> None:
    found = decode_call(selector + body)
    assert found.extra >= 0
    for value in (found.arguments or {}).values():
        assert not isinstance(value, bytes) or len(value) <= len(body)


@given(selector=st.sampled_from(SELECTORS) | st.binary(max_size=4), body=BODY | st.binary(max_size=300))
def test_no_call_data_is_shown_as_a_link(selector: bytes, body: bytes) -> None:
    """The mail service refuses a fact with a control character or an address of the web in it."""
    facts = call_facts(UpgradeCall(PROXY, 1, selector + body), _context())
    for value in facts.values():
        assert str(value).isprintable()
        assert "://" not in str(value)


@given(topic=st.sampled_from(TOPICS), indexed=st.lists(WORDS, max_size=3), body=BODY | st.binary(max_size=300))
def test_no_log_raises(topic: str, indexed: list[bytes], body: bytes) -> None:
    topics = (topic, *("0x" + word.hex() for word in indexed))
    log = EventLog(PROXY, topics, body, 1, "0x" + "aa" * 32, "0x" + "bb" * 32, 0)
    event = decode_timelock_log(log, 1)
    assert event is None or len(event.data.get("data", "")) <= 2 * len(body)


def _context() -> WordingContext:
    names = (
        "TRANSFER_EOA_LEGACY_ROUTER", "MULTISIG_LEGACY_ROUTER", "PREMIUM_SETTING", "PREMIUM_REGISTRY",
        "PREMIUM_REMINDER_VIEW", "TIME_LOCK_ROUTER", "TIMELOCK_ERC20", "TIMELOCK_ERC721", "TIMELOCK_ERC1155",
        "TOKEN_WHITE_LIST",
    )  # fmt: skip
    addresses = {name: f"0x{number:040x}" for number, name in enumerate(names, 1)}
    values = {**addresses, "chain_id": 1, "RPC_URLS": "http://127.0.0.1", "START_BLOCK": 0}
    return WordingContext(ChainSettings.model_validate(values), OWNER, {}, (), 0)
