"""Signers of our wallets. Another signer, for example a KMS, is a class with the three members of `WalletSigner`."""

import asyncio
import json
import re
import threading
from collections.abc import Mapping
from typing import Any, Protocol

from eth_account import Account
from eth_account.signers.local import LocalAccount
from eth_utils.address import to_checksum_address
from pydantic import SecretStr

from reminder_worker.errors import Misconfigured

_ONE_AT_A_TIME = threading.Lock()  # opening a usual keystore takes a quarter of a gigabyte


class WalletSigner(Protocol):
    """`address`: lower-case hex."""

    @property
    def address(self) -> str: ...

    async def open(self) -> None:
        """Prepare to sign. Raises `Misconfigured` if nothing can be signed."""
        ...

    async def sign(self, transaction: Mapping[str, Any]) -> bytes:
        """Return the raw bytes of an EIP-1559 transaction; its fields have the names of the JSON-RPC."""
        ...


class LocalSigner:
    """A private key in this process' memory."""

    def __init__(self, account: LocalAccount) -> None:
        self._account = account
        self.address = account.address.lower()

    def __repr__(self) -> str:
        return f"LocalSigner({self.address})"

    async def open(self) -> None:
        """Do nothing: a private key is always open."""

    async def sign(self, transaction: Mapping[str, Any]) -> bytes:
        fields = {**transaction, "to": to_checksum_address(transaction["to"])}  # required by eth-account
        return bytes(self._account.sign_transaction(fields).raw_transaction)


class KeystoreSigner:
    """Signer that opens its keystore when first used: opening takes a second, and most runs sign nothing."""

    def __init__(self, address: str, key: SecretStr, password: SecretStr) -> None:
        self.address = address
        self._key = key
        self._password = password
        self._opening = asyncio.Lock()
        self._opened: WalletSigner | None = None
        self._fault: str | None = None

    async def open(self) -> None:
        """Open the keystore once for all callers. Raises `Misconfigured` for a bad password or wallet."""
        async with self._opening:
            if self._opened is None and self._fault is None:
                try:
                    self._opened = await asyncio.to_thread(self._load)
                except Misconfigured as error:
                    self._fault = str(error)
        if self._fault is not None:
            raise Misconfigured(self._fault)

    async def sign(self, transaction: Mapping[str, Any]) -> bytes:
        """Open the keystore and sign. Raises as `open`."""
        await self.open()
        assert self._opened is not None  # noqa: S101 - it is open
        return await self._opened.sign(transaction)

    def _load(self) -> WalletSigner:
        opened = load_signer(self._key, self._password)
        if opened.address != self.address:
            raise Misconfigured("a keystore JSON holds another wallet's key than it says")
        return opened


def make_signer(key: SecretStr, password: SecretStr | None) -> WalletSigner:
    """Return the signer of a key. Raises `Misconfigured`; for a keystore with an address only when it signs."""
    address = _read_address(key.get_secret_value())
    if address is None or password is None:
        return load_signer(key, password)
    return KeystoreSigner(address, key, password)


def load_signer(key: SecretStr, password: SecretStr | None = None) -> LocalSigner:
    """Open a key: hex, or the text of a keystore JSON (version 3) with its password. Raises `Misconfigured`."""
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
        with _ONE_AT_A_TIME:
            return _account(bytes(Account.decrypt(text, password)))
    except (ValueError, KeyError, TypeError, NotImplementedError, RecursionError):
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


def _read_address(text: str) -> str | None:
    try:
        address = str(json.loads(text)["address"]).lower().removeprefix("0x")
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return f"0x{address}" if re.fullmatch("[0-9a-f]{40}", address) else None
