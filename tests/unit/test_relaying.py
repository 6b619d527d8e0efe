"""Our wallets as they are put together: which keys are opened, and when."""

import json
from typing import Any

import pytest
from eth_account import Account
from pydantic import SecretStr

from reminder_worker.errors import Misconfigured
from reminder_worker.relay.wallet import load_signer
from reminder_worker.relaying import signer_of

KEY = "4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318"
ADDRESS = Account.from_key(KEY).address.lower()
KEYSTORE: dict[str, Any] = Account.encrypt(bytes.fromhex(KEY), "open sesame", kdf="pbkdf2", iterations=10)
TRANSACTION = {
    "type": 2,
    "chainId": 1,
    "nonce": 7,
    "to": "0x" + "11" * 20,
    "value": 0,
    "data": b"",
    "gas": 50_000,
    "maxFeePerGas": 3,
    "maxPriorityFeePerGas": 1,
    "accessList": [],
}


def _keystore(**changes: Any) -> SecretStr:
    return SecretStr(json.dumps({**KEYSTORE, **changes}))


async def test_a_keystore_is_opened_once_and_by_a_signature_only(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []

    def opens(*arguments: Any) -> Any:
        opened.append(arguments)
        return load_signer(*arguments)

    monkeypatch.setattr("reminder_worker.relaying.load_signer", opens)
    signer = signer_of(_keystore(), SecretStr("open sesame"))
    assert signer.address == ADDRESS
    assert not opened
    expected = await load_signer(SecretStr(KEY)).sign(TRANSACTION)
    assert [await signer.sign(TRANSACTION) for _ in range(2)] == [expected, expected]
    assert len(opened) == 1


@pytest.mark.parametrize("address", [None, "", "0x12", ["x"]])
async def test_a_keystore_that_does_not_say_its_address_is_opened_to_know_it(address: object) -> None:
    assert signer_of(_keystore(address=address), SecretStr("open sesame")).address == ADDRESS


async def test_a_keystore_that_lies_about_its_address_or_does_not_open_signs_nothing() -> None:
    for signer in (
        signer_of(_keystore(address="11" * 20), SecretStr("open sesame")),
        signer_of(_keystore(), SecretStr("wrong")),
    ):
        with pytest.raises(Misconfigured):
            await signer.sign(TRANSACTION)
        assert "sesame" not in repr(signer)
