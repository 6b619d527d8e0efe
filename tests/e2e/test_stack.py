"""The local stack's promises: no process is left behind, it starts again after kill -9, a busy port is named."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from devnet.local import StackPorts, bare_environ
from devnet.parts import MARK, end_leftovers
from tests.background import ignore_interrupts, is_interruptible
from tests.e2e import plain_stack
from tests.e2e.plain_stack import free_ports, port_environ, reminder_worker


class StackTerminal:
    """A terminal in which the stack runs: Ctrl-C reaches the whole foreground process group.

    It is started in the background, and where another installation's `.env` lies, as one may in a checkout.
    """

    def __init__(self, directory: Path, ports: StackPorts) -> None:
        self.directory = directory
        checkout = directory.with_suffix(".checkout")
        checkout.mkdir(exist_ok=True)
        (checkout / ".env").write_text("DATABASE_URL=postgresql://somewhere/production\nLOG_LEVEL=another\n")
        self.log = directory.with_suffix(".log")
        self.process = subprocess.Popen(
            [sys.executable, "-m", plain_stack.__name__, str(directory)],
            env=bare_environ() | port_environ(ports), cwd=checkout, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=self.log.open("w"), text=True, start_new_session=True, preexec_fn=ignore_interrupts,
        )  # fmt: skip

    def until_up(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line == "UP\n":
                return
        raise AssertionError(self.log.read_text())

    def ctrl_c(self) -> int:
        os.killpg(self.process.pid, signal.SIGINT)
        self.process.communicate()
        return self.process.returncode

    def kill_9(self) -> None:
        self.process.kill()
        self.process.communicate()

    def parts(self) -> list[psutil.Process]:
        """The stack's processes, known by their environment."""
        return [process for process in psutil.process_iter() if self._is_part(process)]

    def _is_part(self, process: psutil.Process) -> bool:
        try:
            return bool(process.environ().get(MARK) == str(self.directory)) and process.status() != "zombie"
        except psutil.Error:
            return False


@pytest.fixture
def terminals() -> Iterator[list[StackTerminal]]:
    opened: list[StackTerminal] = []
    yield opened
    for terminal in opened:
        if terminal.process.poll() is None:
            terminal.kill_9()
        end_leftovers(terminal.directory)


def test_ctrl_c_and_kill_9_leave_nothing_that_hinders_the_next_start(
    tmp_path: Path, terminals: list[StackTerminal]
) -> None:
    directory, ports = tmp_path / "local", free_ports()
    first = StackTerminal(directory, ports)
    terminals.append(first)
    first.until_up()
    parts = first.parts()
    assert {"postgres", "anvil"} <= {process.name() for process in parts}
    ours = [process for process in parts if process.name().startswith("python")]
    assert len(ours) >= 3
    if sys.platform == "linux":
        assert [process.cmdline() for process in ours if not is_interruptible(process.pid)] == []
    assert not any((Path(process.cwd()) / ".env").exists() for process in parts)

    for name in ("statistics", "printables"):
        (directory / name).mkdir(exist_ok=True)
        (directory / name / "of an earlier start").touch()
    sockets_of_first = Path((directory / "sockets").read_text())
    assert sockets_of_first.exists()
    first.kill_9()
    if sys.platform == "linux":  # elsewhere the next start ends them
        _, alive = psutil.wait_procs(parts, timeout=60)
        assert alive == []

    second = StackTerminal(directory, ports)
    terminals.append(second)
    second.until_up()
    assert not list(directory.glob("*/of an earlier start"))
    assert reminder_worker(directory, "doctor").returncode == 0

    refused = _demo(directory, port_environ(free_ports()))
    assert refused.returncode == 1
    assert f"process {second.process.pid}; kill {second.process.pid} ends it" in refused.stdout
    assert second.process.poll() is None

    assert second.ctrl_c() == 0
    assert second.parts() == []
    assert not sockets_of_first.exists()
    assert not Path((directory / "sockets").read_text()).exists()


def test_sigterm_ends_a_stack_that_is_only_starting(tmp_path: Path, terminals: list[StackTerminal]) -> None:
    terminal = StackTerminal(tmp_path / "local", free_ports())
    terminals.append(terminal)
    while not terminal.parts():
        assert terminal.process.poll() is None, terminal.log.read_text()
    terminal.process.terminate()
    assert terminal.process.wait() == 0
    assert terminal.parts() == []


def test_a_busy_port_is_named_with_its_part_and_variable_before_anything_starts(tmp_path: Path) -> None:
    ports = free_ports()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", ports.mail))
        taken.listen()
        same = port_environ(ports) | {"DEMO_SMTP_PORT": str(ports.inbox)}
        started = _demo(tmp_path, same)
    assert started.returncode == 1
    assert f"port {ports.mail} for the mail part cannot be had" in started.stdout
    assert "set DEMO_MAIL_PORT to another" in started.stdout
    assert f"port {ports.inbox} is given to both" in started.stdout
    assert not (tmp_path / "postgres").exists()
    assert "starting" not in started.stdout


def test_a_port_that_is_none_is_a_sentence(tmp_path: Path) -> None:
    started = _demo(tmp_path, {"DEMO_API_PORT": "eighty"})
    assert started.returncode == 1
    assert "DEMO_API_PORT is not a port" in started.stderr
    assert "Traceback" not in started.stderr


def _demo(directory: Path, environ: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "devnet", "--once"],
        env=bare_environ() | environ | {"DEMO_DIRECTORY": str(directory)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
