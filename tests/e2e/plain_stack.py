"""The local stack without Dagster, whose passes are made by `reminder-worker tick`; also as a process of its own."""

import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path

from rich.console import Console

from devnet.chain import usable_port
from devnet.demo import DemoStory
from devnet.local import StackPorts, bare_environ, port_variable
from devnet.parts import StackLog, StackPart
from devnet.stack import LocalStack, run


def free_ports() -> StackPorts:
    wanted = len(fields(StackPorts))
    found: set[int] = set()
    while len(found) < wanted:
        found.add(usable_port())
    return StackPorts(*found)


def port_environ(ports: StackPorts) -> dict[str, str]:
    return {port_variable(field.name): str(getattr(ports, field.name)) for field in fields(StackPorts)}


class PlainStack(LocalStack):
    """Real PostgreSQL, chain, SMTP server, mail service and API, each a process."""

    def _worker(self, environ: Mapping[str, str]) -> Sequence[Sequence[StackPart]]:
        return ((self._api(environ),),)


class TickedStory(DemoStory):
    """The same story; where it waits for Dagster's work, `tick` does it."""

    def look_now(self, job: str) -> None:
        return

    def wait(self, condition: Callable[[], bool], what: str) -> None:
        def ticked() -> bool:
            if condition():
                return True
            done = reminder_worker(self.stack.directory, "tick", check=True, LOG_FORMAT="json")
            with (self.stack.directory / "logs" / "tick.log").open("a") as kept:
                kept.write(done.stderr)
            return condition()

        super().wait(ticked, what)


def reminder_worker(
    directory: Path, *arguments: str, check: bool = False, **more: str
) -> subprocess.CompletedProcess[str]:
    """The command as an operator of this stack runs it."""
    command = [sys.executable, "-m", "reminder_worker.cli.main", "--env-file", str(directory / "env"), *arguments]
    environ = bare_environ() | {"COLUMNS": "200"} | more
    done = subprocess.run(command, env=environ, cwd=directory, capture_output=True, text=True, check=False)
    assert not check or done.returncode == 0, done.stdout + done.stderr
    return done


def quiet_stack(directory: Path, ports: StackPorts) -> PlainStack:
    log = StackLog(Console(file=(directory.parent / "terminal.log").open("a"), width=120))
    return PlainStack(directory, ports, log)


def _stay_up(stack: LocalStack) -> bool:
    sys.stdout.write("UP\n")
    sys.stdout.flush()
    while True:
        stack.supervisor.check()
        time.sleep(0.1)


if __name__ == "__main__":
    run(PlainStack(Path(sys.argv[1]), StackPorts.from_environ(), StackLog(Console(stderr=True))), _stay_up)
