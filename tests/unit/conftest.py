"""Every unit test is part of `make check`, and none opens a socket."""

import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.core)


@pytest.fixture(autouse=True)
def no_sockets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail a test that connects or listens. Event loops and forked processes keep the machine's own pairs and pipes."""
    for name in ("bind", "connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, _within_machine(getattr(socket.socket, name)))


def _within_machine(method: Callable[..., Any]) -> Callable[..., Any]:
    def guarded(self: socket.socket, *arguments: Any) -> Any:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            pytest.fail("a unit test opens a socket: a test that needs one belongs in tests/integration")
        return method(self, *arguments)

    return guarded
