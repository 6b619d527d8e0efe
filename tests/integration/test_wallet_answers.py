"""Answers of wallets, keyboards and scanners to the gift page: each row was seen in the wild."""

import json
import subprocess
from typing import Any

import pytest

KEY = "4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318"
GROUPS = [KEY[at : at + 4] for at in range(0, 64, 4)]


def ask_page(given: dict[str, Any]) -> Any:
    """Return the answer of the page's own modules, run by Node.js."""
    command = ["node_modules/.bin/tsx", "tests/integration/wallet_driver.ts"]
    ran = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, check=True)
    return json.loads(ran.stdout)


@pytest.mark.parametrize(
    "text",
    [
        "\u200b".join(GROUPS), "\u00ad".join(GROUPS), "\u200e" + "\u2066".join(GROUPS) + "\u2069",
        "\u2212".join(GROUPS), "\ufe63".join(GROUPS), "\u30fc".join(GROUPS), "\u2043".join(GROUPS),
        ", ".join(GROUPS) + ".", f"\u201c{KEY}\u201d", f"ethereum:0x{KEY}", f"Ethereum:{KEY}",
        f"\ufeff0x{KEY.upper()}\n",
    ],
)  # fmt: skip
def test_a_right_paper_key_is_read_whatever_stands_between_its_digits(text: str) -> None:
    assert ask_page({"key": text}) == f"0x{KEY}"


@pytest.mark.parametrize("text", [KEY[1:], KEY + "0", KEY[:-1] + "g", f"bitcoin:{KEY}", ""])
def test_digits_that_are_no_paper_key_are_refused(text: str) -> None:
    assert ask_page({"key": text}) is None


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ({"code": 4902}, "does not know the network"),
        ({"code": -32603, "data": {"originalError": {"code": 4902}}}, "does not know the network"),
        ({"code": -32603, "data": {"originalError": None}}, "on another network"),
        ({"code": -32603, "data": "0x"}, "on another network"),
        ({"code": 4902, "data": {"originalError": {"code": "UNKNOWN"}}}, "does not know the network"),
        ({"code": 4001}, "on another network"),
    ],
)
def test_a_wallet_without_the_network_is_named_also_by_a_nested_code(error: dict[str, Any], words: str) -> None:
    assert words in ask_page({"error": error})
