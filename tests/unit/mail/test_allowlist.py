"""Addresses that a test chain may write to."""

import pytest

from reminder_worker.outbox.messages import is_allowed


@pytest.mark.parametrize(
    ("email", "allowed"),
    [
        ("anna@example.org", True),
        ("ben@allowed.example", True),
        ("ben@example.org", False),
        ("anna@example.org.evil.example", False),
        ("evil@notallowed.example", False),
        ("x@sub.allowed.example", False),
    ],
)
def test_the_allowlist_holds_whole_addresses_and_whole_domains(email: str, allowed: bool) -> None:
    assert is_allowed(email, ("anna@example.org", "@allowed.example")) is allowed


def test_an_empty_allowlist_allows_nobody() -> None:
    assert not is_allowed("anna@example.org", ())
