"""Answers of wallets, keyboards and scanners to the gift page: each row was seen in the wild."""

import json
import subprocess
from typing import Any

KEY = "4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318"
GROUPS = [KEY[at : at + 4] for at in range(0, 64, 4)]
RIGHT_KEYS = (
    "\u200b".join(GROUPS), "\u00ad".join(GROUPS), "\u200e" + "\u2066".join(GROUPS) + "\u2069",
    "\u2212".join(GROUPS), "\ufe63".join(GROUPS), "\u30fc".join(GROUPS), "\u2043".join(GROUPS),
    ", ".join(GROUPS) + ".", f"\u201c{KEY}\u201d", f"ethereum:0x{KEY}", f"Ethereum:{KEY}",
    f"\ufeff0x{KEY.upper()}\n",
)  # fmt: skip
NO_KEYS = (KEY[1:], KEY + "0", KEY[:-1] + "g", f"bitcoin:{KEY}", "")


def as_typed_with(zero: str) -> str:
    """Return the key with the digits of another script, and Cyrillic letters that look the same as on the sheet."""
    digits = "".join(chr(ord(zero) + number) for number in range(10))
    written = str.maketrans("0123456789aceB", digits + "\u0430\u0441\u0435\u0412")
    return KEY.replace("b", "B").translate(written)


def ask_page(given: list[dict[str, Any]]) -> list[Any]:
    """Return the answers of the page's own modules, run by Node.js."""
    command = ["node_modules/.bin/tsx", "tests/integration/wallet_driver.ts"]
    lines = "".join(json.dumps(each) + "\n" for each in given)
    ran = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in ran.stdout.splitlines()]


def test_a_right_paper_key_is_read_whatever_stands_between_its_digits() -> None:
    """Also in digits of Arabic, Persian or Hindi."""
    texts = [*RIGHT_KEYS, *map(as_typed_with, "\u0660\u06f0\u0966")]
    found = ask_page([{"key": text} for text in texts])
    assert [text for text, key in zip(texts, found, strict=True) if key != f"0x{KEY}"] == []


def test_digits_that_are_no_paper_key_are_refused() -> None:
    assert ask_page([{"key": text} for text in NO_KEYS]) == [None] * len(NO_KEYS)


def test_a_wallet_without_the_network_is_named_also_by_a_nested_code() -> None:
    errors: list[tuple[dict[str, Any], str]] = [
        ({"code": 4902}, "wallet-unknown-network"),
        ({"code": -32603, "data": {"originalError": {"code": 4902}}}, "wallet-unknown-network"),
        ({"code": -32603, "data": {"originalError": None}}, "wallet-other-network"),
        ({"code": -32603, "data": "0x"}, "wallet-other-network"),
        ({"code": 4902, "data": {"originalError": {"code": "UNKNOWN"}}}, "wallet-unknown-network"),
        ({"code": 4001}, "wallet-other-network"),
    ]
    for said, (error, phrase) in zip(ask_page([{"error": error} for error, _ in errors]), errors, strict=True):
        assert said == phrase, error
