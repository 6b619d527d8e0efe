"""Emails and names at rest: AES-256-GCM (SP 800-38D) under a key of their own for each row.

A row's key is HKDF-SHA256 (RFC 5869) of the master key, the row's random salt and a purpose with a
version. The associated data says where a ciphertext belongs (table, column, key of the row), so one moved
to another place does not decrypt. Deleting the row deletes the salt, and with it the key.
"""

import os
from collections.abc import Sequence

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from reminder_worker.errors import DecryptionFailed


def hkdf_sha256(key: bytes, salt: bytes | None, info: bytes, length: int) -> bytes:
    """Derive `length` bytes (RFC 5869: extract, then expand)."""
    return HKDF(algorithm=SHA256(), length=length, salt=salt, info=info).derive(key)


def derive_key(key: bytes, purpose: str, salt: bytes | None = None, length: int = 32) -> bytes:
    """Derive a subkey for one purpose; two purposes or two salts never share one."""
    return hkdf_sha256(key, salt, f"reminder-worker/v1/{purpose}".encode(), length)


class RecordKey:
    """The key of one row. `key_id` and `salt` are stored beside the ciphertexts; the key never is."""

    __slots__ = ("_cipher", "key_id", "salt")

    def __init__(self, key_id: str, salt: bytes, key: bytes) -> None:
        self.key_id = key_id
        self.salt = salt
        self._cipher = AESGCM(key)

    def seal(self, plaintext: bytes, context: str) -> bytes:
        """Return nonce and ciphertext with tag; `context` names table, column and row, and is needed to open it."""
        nonce = os.urandom(12)
        return nonce + self._cipher.encrypt(nonce, plaintext, context.encode())

    def open(self, blob: bytes, context: str) -> bytes:
        """Raises `DecryptionFailed`, which says where, never what."""
        try:
            return self._cipher.decrypt(blob[:12], blob[12:], context.encode())
        except (InvalidTag, ValueError):
            raise DecryptionFailed(f"a ciphertext of {context.partition('|')[0]} does not belong there") from None


class Vault:
    """Derives the keys of rows. `old_keys` only open what was sealed before a rotation."""

    def __init__(self, key: bytes, old_keys: Sequence[bytes] = ()) -> None:
        if any(len(each) != 32 for each in (key, *old_keys)):
            raise ValueError("a master key has 32 bytes")
        self.key_id = _key_id(key)
        self._keys = {_key_id(each): each for each in (*old_keys, key)}

    def __repr__(self) -> str:
        return f"Vault({self.key_id})"

    @property
    def key_ids(self) -> frozenset[str]:
        """Return the ids of all keys that can open rows here."""
        return frozenset(self._keys)

    def record_key(self, salt: bytes | None = None, key_id: str | None = None) -> RecordKey:
        """Return the key of a stored row, or of a new one (fresh salt, current master key) when nothing is given."""
        key_id = key_id or self.key_id
        salt = salt or os.urandom(32)
        if key_id not in self._keys:
            raise DecryptionFailed("a row was written under a master key that is not configured")
        return RecordKey(key_id, salt, derive_key(self._keys[key_id], "record", salt))


def _key_id(key: bytes) -> str:
    """Return an id that tells keys apart and reveals nothing of them."""
    return derive_key(key, "key-id", length=8).hex()
