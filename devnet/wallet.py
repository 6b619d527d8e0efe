"""Actions of a wallet at the API: make, sign and send the EIP-712 message of a recipient endpoint."""

import json
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from eth_account.messages import encode_typed_data
from eth_account.signers.local import LocalAccount
from eth_utils.address import to_checksum_address

from devnet.parts import ask

_LEGACY_AND_DEADLINE = [{"name": "legacy", "type": "address"}, {"name": "deadline", "type": "uint256"}]
_NOTIFY = [{"name": "payloadHash", "type": "bytes32"}, _LEGACY_AND_DEADLINE[1]]
_EMAIL_WALLET = [{"name": "emailHash", "type": "bytes32"}, _LEGACY_AND_DEADLINE[1]]
_INGEST = [_LEGACY_AND_DEADLINE[0], {"name": "payloadHash", "type": "bytes32"}, _LEGACY_AND_DEADLINE[1]]
_LIFETIME_SECONDS = 600


@dataclass(frozen=True, slots=True)
class WalletAnswer:
    status: int
    body: Mapping[str, Any] = field(repr=False)


@dataclass(slots=True)
class DemoWallet:
    """One account at one API. `signatures` keeps all its signatures, for the search for leaks."""

    account: LocalAccount
    api_url: str
    chain_id: int
    signatures: list[bytes] = field(default_factory=list, repr=False)
    _last_deadline: int = 0

    def ingest(self, legacy: str, recipients: Sequence[Mapping[str, str]], **words: str) -> WalletAnswer:
        """`recipients`: recipient, role, email, name, language. `words`: `ownerName` and `title`, signed with them."""
        payload, digest = _payload({"recipients": list(recipients), **words})
        signed = self._signed("IngestLegacy", _INGEST, legacy=to_checksum_address(legacy), payloadHash=digest)
        body = {"legacy": to_checksum_address(legacy), "payload": payload, **signed}
        return post(self.api_url, "/ingest-legacy", body)

    def read(self, legacy: str) -> WalletAnswer:
        return self._about(legacy, "/recipients", "ReadRecipients")

    def rehearse(self, legacy: str) -> WalletAnswer:
        """Return the emails to come, with their texts."""
        return self._about(legacy, "/rehearsal", "RehearseLegacy", emails=True)

    def erase(self, legacy: str) -> WalletAnswer:
        return self._about(legacy, "/erase-legacy", "EraseLegacy")

    def erase_self(self, legacy: str) -> WalletAnswer:
        """As a recipient: their own entry."""
        about = {"recipient": self.account.address, "legacy": to_checksum_address(legacy)}
        fields = [{"name": "recipient", "type": "address"}, *_LEGACY_AND_DEADLINE]
        return post(self.api_url, "/erase-recipient", {**about, **self._signed("EraseRecipient", fields, **about)})

    def notify_gift(self, **wish: str) -> WalletAnswer:
        """As the giver: whom to tell of a gift, in the API's own field names."""
        payload, digest = _payload(wish)
        signed = self._signed("GiftNotify2", _NOTIFY, payloadHash=digest)
        return post(self.api_url, "/gift/notify", {"giver": self.account.address, "payload": payload, **signed})

    def wallet_of_email(self, email: str) -> WalletAnswer:
        """As the giver: the wallet that a gift for this address is sealed to."""
        signed = self._signed("GiftEmailWallet", _EMAIL_WALLET, emailHash=sha256(email.encode()).digest())
        return post(self.api_url, "/gift/recipient-wallet", {"giver": self.account.address, "email": email, **signed})

    def _about(self, legacy: str, path: str, primary: str, **more: bool) -> WalletAnswer:
        """`more`: fields of the body that are not signed."""
        about = {"legacy": to_checksum_address(legacy)}
        return post(self.api_url, path, {**about, **more, **self._signed(primary, _LEGACY_AND_DEADLINE, **about)})

    def _signed(self, primary: str, fields: list[dict[str, str]], **values: str | bytes) -> dict[str, Any]:
        deadline = max(int(time.time()) + _LIFETIME_SECONDS, self._last_deadline + 1)  # of two writes the later wins
        self._last_deadline = deadline
        domain = {"name": "Reminder Worker", "version": "1", "chainId": self.chain_id}
        message = {"deadline": deadline, **values}
        signature = self.account.sign_message(encode_typed_data(domain, {primary: fields}, message)).signature
        self.signatures.append(bytes(signature))
        return {"chainId": self.chain_id, "deadline": deadline, "signature": "0x" + bytes(signature).hex()}


def _payload(content: Mapping[str, Any]) -> tuple[str, bytes]:
    """Return the text of a payload, and its hash for signing."""
    payload = json.dumps({"salt": "0x" + secrets.token_hex(32), **content})
    return payload, sha256(payload.encode()).digest()


def post(api_url: str, path: str, body: Mapping[str, Any]) -> WalletAnswer:
    return _answer(*ask(api_url + path, "POST", json.dumps(body)))


def get(api_url: str, path: str) -> WalletAnswer:
    return _answer(*ask(api_url + path))


def _answer(status: int, body: bytes) -> WalletAnswer:
    return WalletAnswer(status, json.loads(body or b"{}"))
