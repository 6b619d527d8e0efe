"""EIP-712 digests and ECDSA recovery, with eth_account as the oracle."""

from typing import Any

import pytest
from eth_account import Account
from eth_account.messages import _hash_eip191_message, encode_typed_data
from hypothesis import given
from hypothesis import strategies as st

from reminder_worker.chain.eip712 import TypedDataDomain, recover_signer, typed_data_digest

ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
ACCOUNT = Account.from_key(b"\x07" * 32)
DIGEST = b"\x05" * 32
FIELDS = {
    "address": st.binary(min_size=20, max_size=20).map(lambda raw: "0x" + raw.hex()),
    "uint256": st.integers(0, 2**256 - 1),
    "uint64": st.integers(0, 2**64 - 1),
    "bytes32": st.binary(min_size=32, max_size=32),
    "bool": st.booleans(),
    "string": st.text("aé漢😀 ", max_size=20),
}


@given(st.lists(st.sampled_from(sorted(FIELDS)), min_size=1, max_size=5), st.booleans(), st.data())
def test_digests_are_those_of_eip_712(kinds: list[str], with_contract: bool, data: st.DataObject) -> None:
    types = {"Message": [{"name": f"f{index}", "type": kind} for index, kind in enumerate(kinds)]}
    message = {f"f{index}": data.draw(FIELDS[kind]) for index, kind in enumerate(kinds)}
    plain: dict[str, Any] = {"name": "Reminder Worker", "version": "1", "chainId": 31337}
    contract = "0x" + "ab" * 20 if with_contract else None
    expected = encode_typed_data(plain | ({"verifyingContract": contract} if contract else {}), types, message)
    domain = TypedDataDomain("Reminder Worker", "1", 31337, contract)
    assert typed_data_digest(domain, "Message", types, message) == _hash_eip191_message(expected)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("uint64", 2**64),
        ("uint256", -1),
        ("bytes32", b"\x01" * 31),
        ("address", "0x1234"),
        ("bool", 1),
        ("string", b"text"),
        ("string", None),
        ("uint256", "1"),
        ("uint256", True),
        ("address", "0x" + "zz" * 20),
        ("int256", 1),
    ],
)
def test_a_value_that_does_not_fit_its_type_is_refused_and_not_shown(kind: str, value: object) -> None:
    with pytest.raises(ValueError) as refused:
        typed_data_digest(TypedDataDomain("a", "1", 1), "M", {"M": [{"name": "f", "type": kind}]}, {"f": value})
    assert refused.value.__context__ is None
    assert str(value) not in str(refused.value)


def test_a_missing_field_is_refused() -> None:
    with pytest.raises(KeyError):
        typed_data_digest(TypedDataDomain("a", "1", 1), "M", {"M": [{"name": "f", "type": "string"}]}, {})


def test_the_signer_is_recovered_with_either_style_of_v_and_no_other() -> None:
    signature = bytes(Account.unsafe_sign_hash(DIGEST, ACCOUNT.key).signature)
    for v in (signature[64], signature[64] - 27):
        assert recover_signer(DIGEST, signature[:64] + bytes([v])) == ACCOUNT.address.lower()
    for v in (2, 3, 26, 29, 31, 255):
        assert recover_signer(DIGEST, signature[:64] + bytes([v])) is None


def test_other_forms_and_lengths_and_numbers_off_the_curve_are_refused() -> None:
    """High s (EIP-2): otherwise one authorization would have two signatures. EIP-2098 is the compact form."""
    signed = Account.unsafe_sign_hash(DIGEST, ACCOUNT.key)
    r, one, zero = signed.r.to_bytes(32, "big"), (1).to_bytes(32, "big"), bytes(32)
    for form, signature in {
        "high s": r + (ORDER - signed.s).to_bytes(32, "big") + bytes([55 - signed.v]),
        "compact": r + (signed.s | (signed.v - 27) << 255).to_bytes(32, "big"),
        "longer": bytes(signed.signature) + b"\0",
        "empty": b"",
        "r of 0": zero + one + b"\x1b",
        "r of the order": ORDER.to_bytes(32, "big") + one + b"\x1b",
        "s of 0": one + zero + b"\x1b",
    }.items():
        assert recover_signer(DIGEST, signature) is None, form


@given(st.binary(min_size=65, max_size=65))
def test_garbage_recovers_to_no_known_account_and_raises_nothing(signature: bytes) -> None:
    assert recover_signer(DIGEST, signature) != ACCOUNT.address.lower()
