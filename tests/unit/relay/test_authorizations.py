"""Digests as wallets sign them, and calls as the routers accept them."""

from dataclasses import replace
from typing import Any

import pytest
from eth_abi.abi import decode
from eth_account import Account
from eth_account.messages import encode_typed_data
from eth_utils.crypto import keccak
from hypothesis import given
from hypothesis import strategies as st

from reminder_worker.chain.eip712 import TypedDataDomain
from reminder_worker.relay.authorizations import (
    MESSAGE_TYPES,
    WITHDRAW_TO_TYPES,
    CheckInRequest,
    ClaimRequest,
    Request,
    SponsorRequest,
    WithdrawRequest,
    compute_digest,
    decode_claim,
    encode_call,
)

ROUTER = "0x" + "a5" * 20
DOMAIN = TypedDataDomain("10102 Legacy Sponsored", "1", 11155111, ROUTER)
VERSION_2 = replace(DOMAIN, version="2")
ACCOUNT = Account.from_key("0x" + "17" * 32)
addresses = st.binary(min_size=20, max_size=20).map(lambda raw: "0x" + raw.hex())
numbers = st.integers(0, 2**256 - 1)
terms = {
    "chain_id": st.just(11155111),
    "router": st.just(ROUTER),
    "subject_id": numbers,
    "signer": addresses,
    "nonce": numbers,
    "deadline": numbers,
    "signature": st.binary(max_size=200),
}
requests = st.one_of(
    st.builds(ClaimRequest, **terms, assets=st.lists(addresses, max_size=5).map(tuple), is_eth=st.booleans()),
    st.builds(CheckInRequest, **terms),
    st.builds(WithdrawRequest, **terms, skip_swap=st.booleans()),
)
withdrawals = st.builds(WithdrawRequest, **terms, skip_swap=st.booleans(), pay_to=addresses)


def signed_by_a_wallet(request: Request) -> tuple[str, dict[str, object]]:
    """Return primary type and message as the contracts define them."""
    rest: dict[str, object] = {"nonce": request.nonce, "deadline": request.deadline}
    match request:
        case ClaimRequest():
            packed = b"".join(bytes(12) + bytes.fromhex(asset[2:]) for asset in request.assets)
            own = {"beneficiary": request.signer, "legacyId": request.subject_id, "assetsHash": keccak(packed)}
            return "ClaimAuth", own | {"isETH": request.is_eth} | rest
        case CheckInRequest():
            return "CheckInAuth", {"owner": request.signer, "legacyId": request.subject_id} | rest
        case WithdrawRequest():
            own = {"recipient": request.signer, "timelockId": request.subject_id}
            return "WithdrawAuth", own | {"skipSwap": request.skip_swap} | rest


@given(requests)
def test_digest_equals_that_of_wallets(request: Request) -> None:
    primary_type, message = signed_by_a_wallet(request)
    domain = {"name": DOMAIN.name, "version": "1", "chainId": DOMAIN.chain_id, "verifyingContract": ROUTER}
    types = {primary_type: [dict(field) for field in MESSAGE_TYPES[primary_type]]}
    signable = encode_typed_data(domain, types, message)
    assert compute_digest(request, DOMAIN) == keccak(b"\x19\x01" + signable.header + signable.body)


@given(withdrawals)
def test_version_2_signs_the_payee_of_a_withdrawal(request: WithdrawRequest) -> None:
    primary_type, message = signed_by_a_wallet(request)
    domain = {"name": DOMAIN.name, "version": "2", "chainId": DOMAIN.chain_id, "verifyingContract": ROUTER}
    types = {primary_type: [dict(field) for field in WITHDRAW_TO_TYPES[primary_type]]}
    signable = encode_typed_data(domain, types, message | {"payTo": request.pay_to})
    assert compute_digest(request, VERSION_2) == keccak(b"\x19\x01" + signable.header + signable.body)


def test_types_equal_those_of_the_contracts() -> None:
    for types, encoded in (
        (
            MESSAGE_TYPES,
            "ClaimAuth(address beneficiary,uint256 legacyId,bytes32 assetsHash,bool isETH,uint256 nonce,"
            "uint256 deadline)",
        ),
        (MESSAGE_TYPES, "CheckInAuth(address owner,uint256 legacyId,uint256 nonce,uint256 deadline)"),
        (
            MESSAGE_TYPES,
            "WithdrawAuth(address recipient,uint256 timelockId,bool skipSwap,uint256 nonce,uint256 deadline)",
        ),
        (
            WITHDRAW_TO_TYPES,
            "WithdrawAuth(address recipient,address payTo,uint256 timelockId,bool skipSwap,uint256 nonce,"
            "uint256 deadline)",
        ),
    ):
        primary_type = encoded.partition("(")[0]
        fields = ",".join(f"{field['type']} {field['name']}" for field in types[primary_type])
        assert f"{primary_type}({fields})" == encoded


@given(requests)
def test_call_contains_exactly_the_signed_fields(request: Request) -> None:
    auth = "(address,uint256,uint256,bytes)"
    signer = (request.signer, request.nonce, request.deadline, request.signature)
    values: tuple[Any, ...]
    match request:
        case ClaimRequest():
            signature, values = (
                f"activeLegacyFor(uint256,address[],bool,{auth})",
                (request.subject_id, request.assets, request.is_eth, signer),
            )
        case CheckInRequest():
            signature, values = f"activeAliveFor(uint256,{auth})", (request.subject_id, signer)
        case WithdrawRequest():
            signature, values = (f"withdrawFor(uint256,bool,{auth})", (request.subject_id, request.skip_swap, signer))
    data = encode_call(request, compute_digest(request, DOMAIN), "1")
    assert data[:4] == keccak(text=signature)[:4]
    name = signature.partition("(")[0]
    types = {"activeLegacyFor": ["uint256", "address[]", "bool", auth], "activeAliveFor": ["uint256", auth]}
    assert decode(types.get(name, ["uint256", "bool", auth]), data[4:]) == values


@given(withdrawals)
def test_version_2_call_names_the_payee(request: WithdrawRequest) -> None:
    auth = "(address,address,uint256,uint256,bytes)"
    data = encode_call(request, compute_digest(request, VERSION_2), "2")
    assert data[:4] == keccak(text=f"withdrawFor(uint256,bool,{auth})")[:4]
    given = (request.signer, request.pay_to, request.nonce, request.deadline, request.signature)
    assert decode(["uint256", "bool", auth], data[4:]) == (request.subject_id, request.skip_swap, given)


@given(requests, st.binary(max_size=64))
def test_claim_is_decoded_with_trailing_bytes_and_other_calls_are_not(request: Request, behind: bytes) -> None:
    told = decode_claim(encode_call(request, b"", "1") + behind)
    if isinstance(request, ClaimRequest):
        assert told == (request.subject_id, request.assets, request.is_eth, request.signer, request.nonce)
    else:
        assert told is None


@pytest.mark.parametrize("word", [1, 3, 4, 9, 10])  # of the places and lengths of assets, authorization and signature
@pytest.mark.parametrize("number", [2**20, 2**63, 2**64 - 1, 2**256 - 1])
def test_claim_with_offsets_outside_its_data_is_not_decoded(word: int, number: int) -> None:
    """The decoder raises nothing, whatever the chain contains: an error would fail every run."""
    request = ClaimRequest(1, ROUTER, 5, ROUTER, 0, 1, bytes(65), assets=(ROUTER,), is_eth=True)
    call = encode_call(request, b"", "1")
    assert decode_claim(call) is not None
    assert decode_claim(call[: 4 + 32 * word] + number.to_bytes(32, "big") + call[36 + 32 * word :]) is None


@pytest.mark.parametrize("v", [0, 27])
def test_plain_signature_gets_a_v_that_contracts_accept(v: int) -> None:
    bare = CheckInRequest(11155111, ROUTER, 7, ACCOUNT.address.lower(), 0, 1_795_000_000, b"")
    hashed = compute_digest(bare, DOMAIN)
    signed = bytes(ACCOUNT.unsafe_sign_hash(hashed).signature)
    raw = signed[:64] + bytes([signed[64] - 27 + v])
    request = CheckInRequest(11155111, ROUTER, 7, ACCOUNT.address.lower(), 0, 1_795_000_000, raw)
    assert signed in encode_call(request, hashed, "1")


def test_65_bytes_of_a_smart_wallet_stay_unchanged() -> None:
    """A signature that ends in 0 or 1 may mean anything to a smart wallet."""
    raw = b"\x05" * 64 + b"\0"
    request = CheckInRequest(11155111, ROUTER, 7, "0x" + "22" * 20, 0, 1_795_000_000, raw)
    assert raw + b"\0" * 31 in encode_call(request, compute_digest(request, DOMAIN), "1")


def test_a_request_does_not_show_its_signature() -> None:
    request = SponsorRequest(1, ROUTER, 7, ROUTER, 0, 1, b"secret-secret")
    assert "secret" not in repr(request)
