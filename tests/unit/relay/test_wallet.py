"""Keys of our wallets: hex or keystore, when each is opened, and never in an error, a repr or a log."""

import json
import traceback
from typing import Any

import pytest
from eth_account import Account
from eth_account.typed_transactions.typed_transaction import TypedTransaction
from hexbytes import HexBytes
from pydantic import SecretStr

from reminder_worker.errors import Misconfigured
from reminder_worker.relay.wallet import load_signer, make_signer

KEY = "4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318"
ADDRESS = Account.from_key(KEY).address.lower()
ENCRYPTED: dict[str, Any] = Account.encrypt(bytes.fromhex(KEY), "open sesame", kdf="pbkdf2", iterations=10)
KEYSTORE = json.dumps(ENCRYPTED)
TRANSACTION = {
    "type": 2,
    "chainId": 1,
    "nonce": 7,
    "to": "0x" + "11" * 20,
    "value": 0,
    "data": b"\x01\x02",
    "gas": 50_000,
    "maxFeePerGas": 3,
    "maxPriorityFeePerGas": 1,
    "accessList": [],
}


def test_a_key_in_hex_is_read_and_a_keystore_opens_with_its_password() -> None:
    for text in (KEY, "0x" + KEY, f"  0x{KEY}\n", KEY.upper()):
        assert load_signer(SecretStr(text)).address == ADDRESS
    assert load_signer(SecretStr(KEYSTORE), SecretStr("open sesame")).address == ADDRESS


def test_bad_key_is_refused_and_not_echoed() -> None:
    for text, password in (
        ("", None),
        (KEY[:-2], None),
        (KEY + "00", None),
        ("zz" * 32, None),
        ("00" * 32, None),
        (KEYSTORE, None),
        (KEYSTORE, "wrong"),
        ("{" + KEY, "open sesame"),
        ('{"crypto": {}}', "open sesame"),
        ('{"crypto": ' * 50_000, "open sesame"),
    ):
        with pytest.raises(Misconfigured) as refused:
            load_signer(SecretStr(text), None if password is None else SecretStr(password))
        shown = "".join(traceback.format_exception(refused.value))
        assert refused.value.__cause__ is None
        assert refused.value.__context__ is None
        assert not any(secret in shown for secret in (KEY[:-2], "zz" * 32, "00" * 32, "wrong", "sesame"))


async def test_signed_bytes_are_the_transaction_from_our_address_and_the_key_shows_in_no_repr() -> None:
    signer = load_signer(SecretStr(KEY))
    raw = await signer.sign(TRANSACTION)
    assert KEY not in repr(signer)
    assert Account.recover_transaction(HexBytes(raw)).lower() == ADDRESS
    signed = TypedTransaction.from_bytes(HexBytes(raw)).as_dict()
    assert [signed[name] for name in ("nonce", "gas", "maxFeePerGas")] == [7, 50_000, 3]
    assert bytes(signed["data"]) == b"\x01\x02"


def _keystore(**changes: Any) -> SecretStr:
    return SecretStr(json.dumps({**ENCRYPTED, **changes}))


async def test_a_keystore_is_opened_once_and_by_a_signature_only(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []

    def opens(*arguments: Any) -> Any:
        opened.append(arguments)
        return load_signer(*arguments)

    monkeypatch.setattr("reminder_worker.relay.wallet.load_signer", opens)
    signer = make_signer(_keystore(), SecretStr("open sesame"))
    assert signer.address == ADDRESS
    assert not opened
    expected = await load_signer(SecretStr(KEY)).sign(TRANSACTION)
    assert [await signer.sign(TRANSACTION) for _ in range(2)] == [expected, expected]
    assert len(opened) == 1


@pytest.mark.parametrize("address", [None, "", "0x12", ["x"]])
async def test_keystore_without_an_address_is_opened_to_learn_it(address: object) -> None:
    assert make_signer(_keystore(address=address), SecretStr("open sesame")).address == ADDRESS


async def test_a_keystore_that_lies_about_its_address_or_does_not_open_signs_nothing() -> None:
    for signer in (
        make_signer(_keystore(address="11" * 20), SecretStr("open sesame")),
        make_signer(_keystore(), SecretStr("wrong")),
    ):
        with pytest.raises(Misconfigured):
            await signer.sign(TRANSACTION)
        assert "sesame" not in repr(signer)
