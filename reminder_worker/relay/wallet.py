"""Our own wallets: what signs. Another signer, a KMS for one, is a class with these two members."""

from collections.abc import Mapping
from typing import Any, Final, Protocol

from coincurve import PrivateKey
from eth_account import Account
from eth_account.signers.local import LocalAccount
from eth_utils.crypto import keccak
from pydantic import SecretStr

from reminder_worker.errors import Misconfigured

_TYPE: Final = b"\x02"
_FIELDS: Final = ("chainId", "nonce", "maxPriorityFeePerGas", "maxFeePerGas", "gas", "to", "value", "data")
_TO: Final = _FIELDS.index("to")


class Signer(Protocol):
    """`address`: lower-case hex."""

    @property
    def address(self) -> str: ...

    async def sign(self, transaction: Mapping[str, Any]) -> bytes:
        """The raw bytes of an EIP-1559 transaction, whose fields have their names of the JSON-RPC."""
        ...


class LocalSigner:
    """A private key in this process' memory."""

    def __init__(self, account: LocalAccount) -> None:
        self._key = PrivateKey(bytes(account.key))
        self.address = account.address.lower()

    def __repr__(self) -> str:
        return f"LocalSigner({self.address})"

    async def sign(self, transaction: Mapping[str, Any]) -> bytes:
        """As eth-account does, which takes four times as long: the wallet's row is held meanwhile."""
        fields = [*(transaction[name] for name in _FIELDS), transaction.get("accessList", ())]
        fields[_TO] = bytes.fromhex(fields[_TO].removeprefix("0x"))
        signature = self._key.sign_recoverable(keccak(_TYPE + _rlp(fields)), hasher=None)
        r, s = int.from_bytes(signature[:32]), int.from_bytes(signature[32:64])
        return _TYPE + _rlp([*fields, signature[64], r, s])


def _rlp(value: Any) -> bytes:
    """Recursive length prefix, Appendix B of the yellow paper: of numbers, bytes and lists of them."""
    if isinstance(value, int):
        value = value.to_bytes((value.bit_length() + 7) // 8)
    if isinstance(value, bytes):
        return value if len(value) == 1 and value[0] < 0x80 else _prefixed(0x80, value)
    return _prefixed(0xC0, b"".join(map(_rlp, value)))


def _prefixed(kind: int, payload: bytes) -> bytes:
    size = len(payload)
    if size < 56:
        return bytes([kind + size]) + payload
    length = size.to_bytes((size.bit_length() + 7) // 8)
    return bytes([kind + 55 + len(length)]) + length + payload


def load_signer(key: SecretStr, password: SecretStr | None = None) -> LocalSigner:
    """`key`: hex, or the text of a keystore JSON (version 3) that `password` opens. Raises `Misconfigured`."""
    text = key.get_secret_value().strip()
    account: LocalAccount | None = None
    failure = "is neither a private key in hex nor a keystore JSON"
    if text.startswith("{"):
        if password is None:
            failure = "is a keystore JSON without its password"
        else:
            account, failure = _opened(text, password.get_secret_value()), "does not open with its password"
    else:
        account = _from_hex(text)
    if account is None:
        raise Misconfigured(f"a wallet's key {failure}")  # outside of handlers: a cause would carry the key
    return LocalSigner(account)


def _opened(text: str, password: str) -> LocalAccount | None:
    try:
        return _account(bytes(Account.decrypt(text, password)))
    except (ValueError, KeyError, TypeError, NotImplementedError):
        return None


def _from_hex(text: str) -> LocalAccount | None:
    try:
        key = bytes.fromhex(text.removeprefix("0x"))
        return _account(key) if len(key) == 32 else None
    except ValueError:
        return None


def _account(key: bytes) -> LocalAccount:
    account: LocalAccount = Account.from_key(key)
    return account
