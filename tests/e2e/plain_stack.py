"""The local stack without Dagster, whose passes are made by `reminder-worker tick`; also as a process of its own.

Its parts and ticks send traces to a collector in this process.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import Self

from rich.console import Console

from devnet.chain import usable_port
from devnet.demo import DemoStory
from devnet.local import StackPorts, bare_environ, port_variable
from devnet.parts import StackLog, StackPart
from devnet.stack import LocalStack, run
from tests.trace_collector import TraceCollector, collecting


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

    collector: TraceCollector

    @contextmanager
    def running(self) -> Iterator[Self]:
        with collecting() as self.collector, super().running():
            yield self

    @property
    def traced(self) -> dict[str, str]:
        return {"OTEL_EXPORTER_OTLP_ENDPOINT": self.collector.url, "OTEL_BSP_SCHEDULE_DELAY": "200"}

    def _mail(self) -> StackPart:
        part = super()._mail()
        return replace(part, environ={**part.environ, **self.traced})

    def _api(self, environ: Mapping[str, str]) -> StackPart:
        return super()._api({**environ, **self.traced})

    def _worker(self, environ: Mapping[str, str]) -> Sequence[Sequence[StackPart]]:
        return ((self._api(environ),),)


class TickedStory(DemoStory):
    """The same story; where it waits for Dagster's work, `tick` does it."""

    stack: PlainStack

    def look_now(self, job: str) -> None:
        return

    def wait(self, condition: Callable[[], bool], what: str) -> None:
        def ticked() -> bool:
            if condition():
                return True
            done = reminder_worker(self.stack.directory, "tick", check=True, LOG_FORMAT="json", **self.stack.traced)
            with (self.stack.directory / "logs" / "tick.log").open("a") as kept:
                kept.write(done.stderr)
            return condition()

        super().wait(ticked, what)

    def _everything(self) -> Iterator[tuple[str, bytes]]:
        yield from super()._everything()
        yield "traces", b"".join(self.stack.collector.received)


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
