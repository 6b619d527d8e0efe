"""Addresses that a test chain may write to."""

from reminder_worker.outbox.messages import is_allowed


def test_the_allowlist_holds_whole_addresses_and_whole_domains() -> None:
    for email, allowed in (
        ("anna@example.org", True),
        ("ben@allowed.example", True),
        ("ben@example.org", False),
        ("anna@example.org.evil.example", False),
        ("evil@notallowed.example", False),
        ("x@sub.allowed.example", False),
    ):
        assert is_allowed(email, ("anna@example.org", "@allowed.example")) is allowed


def test_an_empty_allowlist_allows_nobody() -> None:
    assert not is_allowed("anna@example.org", ())
