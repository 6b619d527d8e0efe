"""Promises about who is asking: a client cannot choose its own address."""

from typing import Any

from api.clients import ClientAddresses
from reminder_worker.privacy.hashing import KeyedHash

HASHES = KeyedHash(b"h" * 32)
PROXIES = ("10.0.0.0/8", "192.0.2.7", "2001:db8:ffff::/48", "::ffff:172.18.0.0/112", "::ffff:172.19.0.2")


def _scope(peer: str | None, *forwarded: str) -> Any:
    headers = [(b"x-forwarded-for", value.encode("latin-1")) for value in forwarded]
    return {"type": "http", "client": (peer, 1) if peer else None, "headers": headers}


def test_the_client_is_the_first_from_the_right_that_is_not_ours() -> None:
    for peer, forwarded, client in (
        ("203.0.113.9", (), "203.0.113.9"),
        ("203.0.113.9", ("198.51.100.1",), "203.0.113.9"),
        ("10.0.0.1", ("198.51.100.1",), "198.51.100.1"),
        ("10.0.0.1", ("6.6.6.6, 198.51.100.1",), "198.51.100.1"),
        ("10.0.0.1", ("6.6.6.6", "198.51.100.1"), "198.51.100.1"),
        ("10.0.0.1", ("198.51.100.1", "10.0.0.2"), "198.51.100.1"),
        ("10.0.0.1", ("6.6.6.6, 198.51.100.1, 192.0.2.7, 10.9.9.9",), "198.51.100.1"),
        ("10.0.0.1", ("10.0.0.3, 10.0.0.2",), "10.0.0.3"),
        ("10.0.0.1", ("198.51.100.1:4711",), "198.51.100.1"),
        ("10.0.0.1", ("[2001:db8::5]:4711",), "2001:db8::5"),
        ("10.0.0.1", ("2001:db8::5",), "2001:db8::5"),
        ("10.0.0.1", ("198.51.100.1, garbage",), "10.0.0.1"),
        ("10.0.0.1", ("198.51.100.1, garbage, 10.0.0.2",), "10.0.0.2"),
        ("10.0.0.1", ("",), "10.0.0.1"),
        ("::ffff:10.0.0.1", ("198.51.100.1",), "198.51.100.1"),
        ("2001:db8:ffff::1", ("::ffff:198.51.100.1",), "198.51.100.1"),
        ("::ffff:172.18.0.9", ("198.51.100.1",), "198.51.100.1"),
        ("172.19.0.2", ("198.51.100.1, 172.18.255.1",), "198.51.100.1"),
        ("::ffff:172.19.0.3", ("198.51.100.1",), "172.19.0.3"),
        (None, ("198.51.100.1",), "127.0.0.1"),
    ):
        assert str(ClientAddresses(PROXIES, HASHES).address(_scope(peer, *forwarded))) == client


def test_without_trusted_proxies_the_header_counts_for_nothing() -> None:
    assert str(ClientAddresses((), HASHES).address(_scope("127.0.0.1", "198.51.100.1"))) == "127.0.0.1"
