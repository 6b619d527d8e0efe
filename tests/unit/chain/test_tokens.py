"""A token's symbol is shown only if it is harmless."""

import pytest
from eth_abi.abi import encode as abi_encode
from hypothesis import given
from hypothesis import strategies as st

from reminder_worker.chain.contracts.tokens import TokenMetadata, decode_metadata
from reminder_worker.chain.types import RevertedCall

SIX = (6).to_bytes(32, "big")


def text(value: str) -> bytes:
    return abi_encode(["string"], [value])


@pytest.mark.parametrize("symbol", ["USDC", "1INCH", "USDC.e", "stETH", "UNI-V2", "x"])
def test_plain_symbols_are_kept(symbol: str) -> None:
    assert decode_metadata(text(symbol), SIX) == TokenMetadata(symbol, 6)
    assert decode_metadata(symbol.encode().ljust(32, b"\0"), SIX) == TokenMetadata(symbol, 6)  # bytes32, as MKR once


def test_a_symbol_that_is_long_like_a_link_or_not_plain_is_dropped() -> None:
    for symbol in (
        "", "TWELVE_CHARS", "evil.com", "wWw", "a/b", "http:", "a b", "US\nDC", "\u202eCDSU", "USD₮", "<b>", "U\0S",
        "a@b", "A" * 100_000,
    ):  # fmt: skip
        assert decode_metadata(text(symbol), SIX) == TokenMetadata(None, 6)
    assert decode_metadata(RevertedCall(), SIX) == TokenMetadata(None, 6), "it has none"


@given(st.binary(max_size=300))
def test_garbage_as_a_symbol_never_raises(data: bytes) -> None:
    found = decode_metadata(data, SIX)
    assert found is not None
    assert found.symbol is None or (found.symbol.isascii() and found.symbol.isprintable() and len(found.symbol) <= 11)


@pytest.mark.parametrize("decimals", [RevertedCall(), b"", (37).to_bytes(32, "big"), b"\xff" * 32, SIX + b"\0"])
def test_without_usable_decimals_there_is_no_metadata(decimals: bytes | RevertedCall) -> None:
    assert decode_metadata(text("USDC"), decimals) is None
