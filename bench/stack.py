"""The whole local stack, on ports and in a directory of its own, for what only the whole can show."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from devnet.compile import load_contracts
from devnet.local import StackPorts
from devnet.parts import StackLog
from devnet.stack import LocalStack


@contextmanager
def whole_stack(kind: type[LocalStack] = LocalStack) -> Iterator[LocalStack]:
    load_contracts()
    with TemporaryDirectory(prefix="rw-bench-") as directory, Path("/dev/null").open("w") as nowhere:
        # PostgreSQL, which will not be root, has to get into it.
        Path(directory).chmod(0o755)
        with kind(Path(directory), _free_ports(), StackLog(Console(file=nowhere))).running() as stack:
            yield stack


def _free_ports() -> StackPorts:
    held = [socket.create_server(("127.0.0.1", 0)) for _ in fields(StackPorts)]
    ports = StackPorts(*(each.getsockname()[1] for each in held))
    for each in held:
        each.close()
    return ports
