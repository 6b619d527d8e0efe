"""The vault follows its standards, and a ciphertext opens only in its own place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reminder_worker.errors import DecryptionFailed
from reminder_worker.privacy.vault import RecordKey, Vault, derive_key, hkdf_sha256

KEY, OTHER_KEY = b"k" * 32, b"o" * 32
SECRET = "canary.person@secret.example.org"


def test_keys_are_derived_as_in_rfc_5869() -> None:
    """Its three SHA-256 cases (appendix A.1 to A.3)."""
    for key, salt, info, length, expected in (
        (
            "0b" * 22,
            "000102030405060708090a0b0c",
            "f0f1f2f3f4f5f6f7f8f9",
            42,
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
        ),
        (
            bytes(range(0x00, 0x50)).hex(),
            bytes(range(0x60, 0xB0)).hex(),
            bytes(range(0xB0, 0x100)).hex(),
            82,
            "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09"
            "da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87",
        ),
        ("0b" * 22, "", "", 42, "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"),
    ):
        assert hkdf_sha256(bytes.fromhex(key), bytes.fromhex(salt), bytes.fromhex(info), length).hex() == expected


GCM_KEY = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"
GCM_TEXT = (
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
    "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
)
GCM_CIPHERTEXT = (
    "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
    "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
)


def test_ciphertexts_open_as_in_the_gcm_specification() -> None:
    """AES-256 cases 13 to 15 of the specification that SP 800-38D adopted."""
    for key, nonce, text, data, ciphertext, tag in (
        ("00" * 32, "00" * 12, "", "", "", "530f8afbc74536b9a963b4f1c4cb738b"),
        ("00" * 32, "00" * 12, "00" * 16, "", "cea7403d4d606b6e074ec5d3baf39d18", "d0d1c8a799996bf0265b98b5d48ab919"),
        (
            GCM_KEY,
            "cafebabefacedbaddecaf888",
            GCM_TEXT + "1aafd255",
            "",
            GCM_CIPHERTEXT + "898015ad",
            "b094dac5d93471bdec1a502270e3cc6c",
        ),
    ):
        opened = RecordKey("", b"", bytes.fromhex(key)).open(bytes.fromhex(nonce + ciphertext + tag), data)
        assert opened.hex() == text


def test_associated_data_counts_as_in_the_gcm_specification(monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 16; its associated data is not text, so the context's encoding is stepped over."""

    class Raw(str):
        def encode(self, *_: object) -> bytes:
            return bytes.fromhex("feedfacedeadbeeffeedfacedeadbeefabaddad2")

    blob = bytes.fromhex("cafebabefacedbaddecaf888" + GCM_CIPHERTEXT + "76fc6ece0f4e1768cddf8853bb2d551b")
    assert RecordKey("", b"", bytes.fromhex(GCM_KEY)).open(blob, Raw()).hex() == GCM_TEXT


@given(st.binary(max_size=300), st.text(max_size=60))
def test_what_is_sealed_opens_with_the_stored_salt_and_key_id(plaintext: bytes, context: str) -> None:
    sealed_with = Vault(KEY).record_key()
    context = context.encode(errors="ignore").decode()
    blob = sealed_with.seal(plaintext, context)
    assert Vault(KEY).record_key(sealed_with.salt, sealed_with.key_id).open(blob, context) == plaintext


def test_two_rows_never_share_a_key_and_two_seals_never_a_nonce() -> None:
    vault = Vault(KEY)
    one, two = vault.record_key(), vault.record_key()
    assert one.salt != two.salt
    assert one.seal(b"x", "c")[:12] != one.seal(b"x", "c")[:12]
    with pytest.raises(DecryptionFailed):
        two.open(one.seal(b"x", "c"), "c")


def test_a_ciphertext_opens_only_in_its_own_place() -> None:
    """Another row or column, an old ciphertext under a new salt, a flipped bit, a cut one: each fails loudly."""
    vault = Vault(KEY)
    record = vault.record_key()
    blob = record.seal(SECRET.encode(), "recipient.email|1|0xa|0xb")
    attempts = [
        (record, blob, "recipient.email|1|0xa|0xc"),
        (record, blob, "recipient.name|1|0xa|0xb"),
        (vault.record_key(), blob, "recipient.email|1|0xa|0xb"),
        (record, blob[:-1] + bytes([blob[-1] ^ 1]), "recipient.email|1|0xa|0xb"),
        (record, blob[:20], "recipient.email|1|0xa|0xb"),
        (record, b"", "recipient.email|1|0xa|0xb"),
    ]
    for key, stored, context in attempts:
        with pytest.raises(DecryptionFailed) as failed:
            key.open(stored, context)
        assert SECRET not in str(failed.value)
        assert "0xa" not in str(failed.value)


def test_a_wrong_master_key_opens_nothing() -> None:
    record = Vault(KEY).record_key()
    with pytest.raises(DecryptionFailed):
        Vault(OTHER_KEY).record_key(record.salt, record.key_id)
    forged = Vault(OTHER_KEY)
    with pytest.raises(DecryptionFailed):
        forged.record_key(record.salt, forged.key_id).open(record.seal(b"x", "c"), "c")


def test_an_old_key_opens_and_never_seals() -> None:
    old, both = Vault(OTHER_KEY), Vault(KEY, [OTHER_KEY])
    before = old.record_key()
    assert both.record_key(before.salt, before.key_id).open(before.seal(b"x", "c"), "c") == b"x"
    assert both.record_key().key_id == both.key_id == Vault(KEY).key_id != old.key_id


def test_a_key_id_reveals_no_key_and_nothing_shows_a_key() -> None:
    vault = Vault(KEY)
    record = vault.record_key()
    shown = vault.key_id + repr(vault) + repr(record) + str(record)
    key = derive_key(KEY, "record", record.salt)
    for secret in (KEY.hex(), repr(KEY), key.hex(), repr(key)[2:-1]):
        assert secret not in shown


@pytest.mark.parametrize("length", [0, 16, 31, 33])
def test_a_master_key_of_another_length_is_refused(length: int) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        Vault(b"k" * length)
