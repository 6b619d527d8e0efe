"""Promises of the keyed hashes."""

from ipaddress import IPv4Address, IPv6Address

import pytest

from reminder_worker.privacy.hashing import KeyedHash

HASHES = KeyedHash(b"h" * 32)


def test_a_hash_depends_on_the_key_and_on_the_purpose() -> None:
    assert HASHES.hash_email("a@example.org") == KeyedHash(b"h" * 32).hash_email("a@example.org")
    assert HASHES.hash_email("a@example.org") != KeyedHash(b"i" * 32).hash_email("a@example.org")
    assert HASHES.hash_email("10.0.0.1")[:16].hex() != HASHES.hash_client("10.0.0.1")
    assert len(HASHES.hash_email("a@example.org")) == 32


def test_a_client_is_an_address_or_one_ipv6_network_of_64_bits_in_any_form() -> None:
    """A household has 2**64 addresses to spend."""
    assert HASHES.hash_client("2001:db8:1:2::1") == HASHES.hash_client("2001:db8:1:2:ffff::9")
    assert HASHES.hash_client("2001:db8:1:2::1") != HASHES.hash_client("2001:db8:1:3::1")
    assert HASHES.hash_client("::ffff:10.0.0.1") == HASHES.hash_client("10.0.0.1") != HASHES.hash_client("10.0.0.2")
    with pytest.raises(ValueError):
        HASHES.hash_client("unix:/run/socket")


def test_nothing_shows_the_key() -> None:
    assert "hhhh" not in repr(HASHES)
    assert (b"h" * 32).hex() not in repr(HASHES) + HASHES.key_id


def test_a_site_is_an_ipv6_48() -> None:
    one, same, other = (HASHES.hash_site(IPv6Address(f"2001:db8:{rest}")) for rest in ("1:2::1", "1:ffff::9", "2:2::1"))
    assert one == same != other
    assert one != HASHES.hash_client("2001:db8:1::")
    assert HASHES.hash_site(IPv4Address("10.0.0.1")) is HASHES.hash_site(IPv6Address("::ffff:10.0.0.1")) is None
