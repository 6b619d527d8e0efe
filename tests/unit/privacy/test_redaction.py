"""Promises of the logs: whoever writes a line, nothing personal and nothing secret gets out."""

import json
import logging
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st

from reminder_worker.errors import ChainUnavailable
from reminder_worker.logging import configure_logging
from reminder_worker.privacy.redaction import MASK, MAX_TEXT, OnChain, redact_text, redact_value, shown_host

EMAIL = "canary.person@secret.example.org"
KEY = "0x" + "ab" * 32
SECRETS = (
    EMAIL,
    "canary%40secret.example.org",
    "canary\uff20secret.example.org",
    "canary\\u0040secret.example.org",
    KEY,
    "ab" * 32,
    "0x" + "cd" * 65,
    "Bearer canary-token-1",
    "Basic Y2FuYXJ5OnBhc3M=",
    "https://user:canary@rpc.example/v2/canary?key=canary#canary",
    "postgresql://canary:canary@db.example/name",
    "wss://rpc.example/canary",
    "/path?token=canary",
    "/gift/1/2#g=canary",
    "Y2FuYXJ5Y2FuYXJ5Y2FuYXJ5Y2FuYXJ5Y2FuYXJ5Y2E=",
)


@pytest.fixture(params=["json", "console"])
def logged(request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]) -> Iterator[Any]:
    """Logging as a process has it; calling it gives what was written since."""
    root = logging.getLogger()
    before, hook = (list(root.handlers), root.level), sys.excepthook
    configure_logging(SimpleNamespace(service=SimpleNamespace(log_level="info", log_format=request.param)))  # type: ignore[arg-type]
    yield lambda: capsys.readouterr().err
    structlog.reset_defaults()
    root.handlers[:], sys.excepthook = before[0], hook
    root.setLevel(before[1])


def _leaks(line: str) -> list[str]:
    return [word for word in ("canary", "Y2Fu", "abababab", "cdcdcdcd") if word in line]


@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_is_masked_wherever_it_stands(logged: Any, secret: str) -> None:
    log = structlog.get_logger()
    log.warning(f"seen {secret} there", value=secret, nested={"deep": [{"er": (secret,)}], secret: 1}, many={secret})
    logging.getLogger("uvicorn.error").warning("seen %s there", secret)
    written = logged()
    assert written.count("there") == 2
    assert _leaks(written) == []


def test_values_under_telling_names_are_masked_whatever_they_look_like(logged: Any) -> None:
    structlog.get_logger().warning("seen", email="canary", signature=b"canary", payload={"a": "canary"}, Token="canary")
    assert _leaks(logged()) == []


def test_the_text_of_a_foreign_exception_is_withheld_and_its_place_is_told(logged: Any) -> None:
    """A name has no shape that could be masked: `KeyError: 'Canary'` must not get out."""

    def fail() -> None:
        try:
            raise KeyError("canary")
        except KeyError as error:
            raise ChainUnavailable("no node answers at https://rpc.example/canary") from error

    try:
        fail()
    except ChainUnavailable:
        structlog.get_logger().exception("failed")
        logging.getLogger("litestar").exception("failed too")
    written = logged()
    assert _leaks(written) == []
    assert written.count("no node answers at https://rpc.example/...") == 2
    assert written.count("KeyError") == 2


def test_what_nobody_catches_or_a_library_appends_is_logged_without_its_text(logged: Any) -> None:
    """asyncio appends the repr of a failed task, exception and all."""
    sys.excepthook(ValueError, ValueError("canary"), None)
    logging.getLogger("asyncio").error("Task was never retrieved\nfuture: <Task exception=KeyError('canary')>")
    written = logged()
    assert "ValueError" in written
    assert "Task was never retrieved" in written
    assert _leaks(written) == []


def test_unknown_objects_are_shown_by_class() -> None:
    class Person:
        def __repr__(self) -> str:
            return "canary"

        __str__ = __repr__

    assert redact_value({"who": Person(), "raw": b"canary"}) == {"who": "<Person>", "raw": "<6 bytes>"}


KEY_OF_A_HOST = "0a1b2c3d4e5f60718293a4b5c6d7e8f9"


def test_a_key_in_the_name_of_a_host_is_shown_by_its_beginning_only(logged: Any) -> None:
    for key in (
        KEY_OF_A_HOST, "0b7e1c52-9a3f-4c1d-8e60-5f2a7d9c4b31", "kqwzjxvbnmtrplgfhdsy", "a7x9k2m4q1", "node-4f9a1c7e2b",
        "some-silent-restless-words-here",
    ):  # fmt: skip
        host = f"{key}.eth.rpc.example"
        assert shown_host(host) == f"{key[:4]}….eth.rpc.example"
        structlog.get_logger().warning("fails", url=f"https://{host}:8545/v1")
        line = logged()
        assert key not in line
        assert ".eth.rpc.example:8545/..." in line


def test_the_name_of_a_host_without_a_key_is_shown_as_it_is() -> None:
    for host in (
        "127.0.0.1", "2001:db8:85a3:8d3:1319:8a2e:370:7348", "localhost", "eth-mainnet.g.alchemy.com",
        "ethereum-sepolia-rpc.publicnode.com", "nd-123-456-789.p2pify.com",
        "geth-archive-0.geth.ethereum.svc.cluster.local",
    ):  # fmt: skip
        assert shown_host(host) == host


def test_hashes_addresses_and_numbers_stay_readable() -> None:
    """An operator needs them; a hash passes only in a field named as a hash."""
    line = {"tx_hash": KEY, "legacy": "0x" + "ab" * 20, "block": 12, "route": "/recipients", "hashes": [KEY]}
    assert redact_value(line) == line
    assert redact_value({"value": KEY}) == {"value": "[masked]"}
    assert (
        redact_text("chain 1: pass index failed after 3.5 s, 12/40") == "chain 1: pass index failed after 3.5 s, 12/40"
    )
    assert redact_text("listening on http://127.0.0.1:8080") == "listening on http://127.0.0.1:8080"


def test_a_text_without_end_is_cut() -> None:
    """To look for the shapes costs the square of its length at worst."""
    assert redact_text("said " * MAX_TEXT).endswith(" [cut]")


@given(st.emails(), st.text(max_size=30), st.text(max_size=30))
def test_no_email_survives(email: str, before: str, after: str) -> None:
    local, _, domain = email.rpartition("@")
    assert f"{local}@{domain}" not in redact_text(f"{before} {email} {after}")


def test_json_lines_are_json(capsys: pytest.CaptureFixture[str]) -> None:
    root = logging.getLogger()
    handlers, level, hook = list(root.handlers), root.level, sys.excepthook
    configure_logging(SimpleNamespace(service=SimpleNamespace(log_level="info", log_format="json")))  # type: ignore[arg-type]
    try:
        with structlog.contextvars.bound_contextvars(request_id="r-1"):
            structlog.get_logger().info("Ünïcode", count=1)
        line = json.loads(capsys.readouterr().err)
    finally:
        structlog.reset_defaults()
        root.handlers[:], sys.excepthook = handlers, hook
        root.setLevel(level)
    assert (line["event"], line["count"], line["request_id"], line["level"]) == ("Ünïcode", 1, "r-1", "info")


def test_what_is_public_on_chain_keeps_its_hashes_and_nothing_else() -> None:
    text = OnChain(f"call 0x{'ab' * 36} of canary@secret.example.org at https://rpc.example/{'cd' * 32}")
    assert redact_value(text) == f"call 0x{'ab' * 36} of {MASK} at https://rpc.example/..."
