"""Email addresses, and keyed hashes in place of addresses."""

import hmac
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as BadBase64
from dataclasses import dataclass
from typing import Final
from unicodedata import normalize

import idna

from mail_service.errors import bad_address

MARK: Final = re.compile(r"(?<![0-9a-z])[0-9a-f]{48}(?![0-9a-z])")
MARK_FIELD: Final = "email_mark"  # a provider's variable for the mark of an email; its events repeat it
_LOCAL_PART = re.compile(r"[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*")


@dataclass(frozen=True, slots=True)
class MailAddress:
    """A deliverable address: local part as given, domain in IDNA form."""

    local: str
    domain: str

    def __str__(self) -> str:
        return f"{self.local}@{self.domain}"

    @property
    def suppression_form(self) -> str:
        """Return the form for suppression: letter case of the local part does not make another person."""
        return f"{self.local.lower()}@{self.domain}"

    @property
    def needs_smtputf8(self) -> bool:
        return not self.local.isascii()


def parse_address(text: str) -> MailAddress:
    """The address in `text`, trimmed and NFC; no DNS is asked. Raises 422 `bad_address`.

    `=?` begins an encoded word (RFC 2047): `email` decodes it when it writes a header, line breaks and all.
    """
    if len(text) > 2 * 254:  # normalisation of marks is quadratic
        raise bad_address("The email address is too long.")
    local, at, domain = normalize("NFC", text.strip()).rpartition("@")
    if not at or not _LOCAL_PART.fullmatch(local) or "=?" in local or len(local.encode()) > 64:
        raise bad_address("The email address is not valid.")
    try:
        encoded = idna.encode(domain.lower(), uts46=True).decode()
    except (idna.IDNAError, UnicodeError):
        raise bad_address("The domain of the email address is not valid.") from None
    _, dot, last = encoded.rpartition(".")
    if not dot or not last or last.isdecimal() or len(local.encode()) + len(encoded) > 253:
        raise bad_address("The email address is not valid.")
    return MailAddress(local, encoded)


@dataclass(frozen=True, slots=True)
class AddressHasher:
    """Keyed hashes (HMAC-SHA256) of addresses, separate for each purpose."""

    key: bytes

    def __repr__(self) -> str:
        return "Hasher(***)"

    def _compute_hash(self, purpose: str, data: bytes) -> bytes:
        return hmac.digest(self.key, purpose.encode() + b"\0" + data, "sha256")

    def hash_body(self, canonical: bytes) -> bytes:
        return self._compute_hash("body", canonical)

    def hash_address(self, address: MailAddress) -> bytes:
        return self._compute_hash("suppression", address.suppression_form.encode())

    def make_message_id(self, key: str, domain: str) -> str:
        """`Message-ID` of the email sent under this Idempotency-Key: the same at every attempt."""
        return f"<{self._compute_hash('message-id', key.encode())[:16].hex()}@{domain}>"

    def make_mark(self, message_id: str) -> str:
        """Return the mark of an email, 48 hex digits: the local part of its `Message-ID`, and a tag over it."""
        local = message_id.strip("<>").partition("@")[0]
        return local + self._make_tag("mark", local.encode())[:8].hex()

    def read_mark(self, mark: str, domain: str) -> str | None:
        """Return the `Message-ID` of the email with this mark, None if the mark is not ours."""
        message_id = f"<{mark[:32]}@{domain}>"
        is_ours = hmac.compare_digest(mark.encode(), self.make_mark(message_id).encode())
        return message_id if is_ours else None

    def make_unsubscribe_token(self, address: MailAddress) -> str:
        """The address's hash and a tag over it: shows no address and cannot be made without the key."""
        return self._make_token("unsubscribe", self.hash_address(address))

    def read_unsubscribe_token(self, token: str) -> bytes | None:
        """The address's hash, or None when the token is not ours."""
        return self._read_token("unsubscribe", token)

    def make_forget_token(self, address: MailAddress, reference: bytes) -> str:
        """As for unsubscribing, with the caller's reference of the address."""
        return self._make_token("forget", self.hash_address(address) + reference)

    def read_forget_token(self, token: str) -> tuple[bytes, bytes] | None:
        """The address's hash and the caller's reference, or None when the token is not ours."""
        data = self._read_token("forget", token)
        return None if data is None else (data[:32], data[32:])

    def _make_token(self, purpose: str, data: bytes) -> str:
        return urlsafe_b64encode(data + self._make_tag(purpose, data)).decode()

    def _read_token(self, purpose: str, token: str) -> bytes | None:
        try:
            raw = urlsafe_b64decode(token.encode("ascii"))
        except (BadBase64, UnicodeEncodeError, ValueError):
            return None
        data, tag = raw[:-16], raw[-16:]
        return data if hmac.compare_digest(tag, self._make_tag(purpose, data)) else None

    def _make_tag(self, purpose: str, data: bytes) -> bytes:
        return self._compute_hash(purpose, data)[:16]
