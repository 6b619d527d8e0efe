"""Processes of the local stack: started, watched, logged to one terminal, and ended without a trace.

Each part leads a separate process group. Ctrl-C therefore reaches only the supervisor, which ends the parts in order.
On Linux the kernel ends a part when the supervisor dies. Remaining processes (a part's own children, other systems)
carry the mark below in their environment, and the next start ends them.
"""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

import psutil
from rich.console import Console
from rich.markup import escape
from rich.text import Text

from devnet.orphans import die_with_parent

MARK = "REMINDER_WORKER_STACK"  # environment variable: the data directory of the stack a process belongs to
_STOP_SECONDS = 10
# How long anything of the local stack may take: far longer than on a slow and busy machine, so that only what will
# never come is given up.
PATIENCE_SECONDS = 300
_COLOURS = (
    "cyan",
    "magenta",
    "blue",
    "yellow",
    "green",
    "bright_cyan",
    "bright_magenta",
    "bright_blue",
    "bright_yellow",
)
_LEVELS = {"warning": "yellow", "error": "bold red", "critical": "bold red"}
_STAMPED = re.compile(r"[\d-]{10} [\d:]{8} \+0000 - (?P<logger>\S+) - (?P<level>[A-Z]+) - (?P<message>.*)")
_COLOUR_CODES = re.compile(r"\x1b\[\d+m")
_LEFT_OUT = {"event", "message", "level", "timestamp", "logger"}


class StackFailed(Exception):
    """The stack cannot start or go on; the text is for the person at the terminal."""


class PartEnded(StackFailed):
    """A part ended by itself."""


@dataclass(frozen=True, slots=True)
class StackPart:
    """`ready` is asked until it is true; `user` is whom root becomes; lines holding a word of `quiet` are not shown."""

    name: str
    command: Sequence[str]
    environ: Mapping[str, str]
    ready: Callable[[], bool]
    user: str | None = None
    stop_signal: signal.Signals = signal.SIGTERM
    quiet: tuple[str, ...] = ()


@dataclass(slots=True)
class _RunningPart:
    part: StackPart
    process: subprocess.Popen[str]
    pump: threading.Thread | None = None
    last_lines: deque[str] = field(default_factory=lambda: deque(maxlen=15))


class StackLog:
    """The terminal: time, part and message in columns. Lines of JSON are shown as words and fields."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._colours: dict[str, str] = {}

    def part(self, name: str, line: str) -> None:
        colour = self._colours.setdefault(name, _COLOURS[len(self._colours) % len(_COLOURS)])
        text, style = _readable(line)
        self._print(Text.assemble((f"{name:<13}", colour), ("│ ", "dim"), (text, style)))

    def say(self, markup: str) -> None:
        """A line of the story."""
        self._print(Text.assemble((f"{'story':<13}", "bold"), ("│ ", "dim")) + Text.from_markup(markup))

    def _print(self, line: Text) -> None:
        stamp = datetime.now().strftime("%H:%M:%S ")
        with suppress(OSError):  # the terminal may be gone, and the parts are to be ended all the same
            self.console.print(Text.assemble((stamp, "dim"), line), soft_wrap=True, highlight=False)


class PartSupervisor:
    """All parts of one stack. Not thread safe: the thread that starts a part must outlive the part.

    The parts work in `logs`, created again at each start. Our commands and Dagster's read `.env` of the working
    directory, and Dagster prefers it to the environment: there is none in `logs`.
    """

    def __init__(self, directory: Path, log: StackLog) -> None:
        self.directory = directory
        self.logs = directory / "logs"
        self.log = log
        self._running: list[_RunningPart] = []
        self._batches: dict[str, int] = {}

    def start(self, *parts: StackPart) -> None:
        """Start them together and wait until all are ready. Raises `PartEnded` or `StackFailed`."""
        began = time.monotonic()
        batch = len(self._batches)
        for part in parts:
            self._batches.setdefault(part.name, batch)  # one that is started again keeps its place
        started = [self._spawn(part) for part in parts]
        waiting = {running.part.name: running for running in started}
        while waiting:
            self.check()
            for name, running in list(waiting.items()):
                if running.part.ready():
                    del waiting[name]
                    self.log.part(name, f"ready after {time.monotonic() - began:.1f} s")
            if time.monotonic() - began > PATIENCE_SECONDS:
                raise StackFailed(f"not ready after {PATIENCE_SECONDS} s: {', '.join(waiting)}")
            time.sleep(0.05)

    def check(self) -> None:
        """Raises `PartEnded` with the last lines of a part that is no more."""
        for running in self._running:
            code = running.process.poll()
            if code is not None:
                if running.pump:
                    running.pump.join(2)
                last = "\n".join(f"    {escape(line)}" for line in running.last_lines)
                raise PartEnded(f"{running.part.name} ended by itself (exit code {code}); its last lines:\n{last}")

    def wait_until(self, condition: Callable[[], bool], what: str) -> None:
        """Wait while watching the parts. Raises `StackFailed` naming `what` when it does not come true."""
        give_up = time.monotonic() + PATIENCE_SECONDS
        while not condition():
            self.check()
            if time.monotonic() > give_up:
                raise StackFailed(f"waited {PATIENCE_SECONDS} s in vain for {what}")
            time.sleep(0.2)

    def pids(self) -> dict[str, int]:
        return {running.part.name: running.process.pid for running in self._running}

    def kill(self, name: str) -> StackPart:
        """End a part by SIGKILL and forget it, to observe the other parts. Return it for a later start."""
        running = next(running for running in self._running if running.part.name == name)
        self._running.remove(running)
        running.process.kill()
        running.process.wait()
        return running.part

    def stop(self) -> None:
        """End all parts in reverse order of their start, since a part may need earlier parts while ending."""
        for batch in sorted(set(self._batches.values()), reverse=True):
            group = [running for running in self._running if self._batches[running.part.name] == batch]
            for running in group:
                _signal(running, running.part.stop_signal)
            give_up = time.monotonic() + _STOP_SECONDS
            for running in group:
                try:
                    running.process.wait(max(0.1, give_up - time.monotonic()))
                except subprocess.TimeoutExpired:
                    self.log.part(running.part.name, "did not end in time and is killed")
                _signal(running, signal.SIGKILL)  # and whatever it left in its group
                running.process.wait()
        self._running.clear()
        end_leftovers(self.directory)

    def _spawn(self, part: StackPart) -> _RunningPart:
        self.log.part(part.name, "starting")
        process = subprocess.Popen(
            list(part.command), cwd=self.logs, env={**part.environ, MARK: str(self.directory)},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
            bufsize=1, start_new_session=True, preexec_fn=die_with_parent(), user=part.user, group=part.user,
            extra_groups=[] if part.user else None,
        )  # fmt: skip
        running = _RunningPart(part, process)
        self._running.append(running)
        running.pump = threading.Thread(target=self._pump, args=(running,), daemon=True, name=f"log of {part.name}")
        running.pump.start()
        return running

    def _pump(self, running: _RunningPart) -> None:
        lines: IO[str] | None = running.process.stdout
        assert lines is not None
        with (self.logs / f"{running.part.name.replace(' ', '-')}.log").open("a") as kept:
            for line in lines:
                kept.write(line)
                kept.flush()
                stripped = _COLOUR_CODES.sub("", line).rstrip()
                if stripped and not any(word in stripped for word in running.part.quiet):
                    running.last_lines.append(stripped)
                    self.log.part(running.part.name, stripped)


def ask(
    url: str,
    method: str = "GET",
    body: str | None = None,
    timeout: float = PATIENCE_SECONDS,
    headers: Mapping[str, str] | None = None,
) -> tuple[int, bytes]:
    """One HTTP request, whose body is JSON; status and body of the answer."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=timeout)
    try:
        connection.request(method, parts.path or "/", body, {"Content-Type": "application/json", **(headers or {})})
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def answers(url: str) -> Callable[[], bool]:
    """Return a check that an HTTP GET is answered with 200."""

    def good() -> bool:
        try:
            return ask(url, timeout=2)[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    return good


def busy_ports(ports: Iterable[tuple[int, str, str]]) -> list[str]:
    """A sentence for each (port, part, variable) that cannot be had, also when two parts want the same."""
    complaints: list[str] = []
    wanted: dict[int, str] = {}
    for port, part, variable in ports:
        if port in wanted:
            complaints.append(f"port {port} is given to both {wanted[port]} and {part}; change {variable}")
            continue
        wanted[port] = part
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError as error:
                complaints.append(
                    f"port {port} for {part} cannot be had ({error.strerror}); free it or set {variable} to another"
                )
    return complaints


def end_leftovers(directory: Path) -> int:
    """End what an earlier stack of this directory left behind; how many processes. Knows them by their mark alone."""
    left = [
        process for process in psutil.process_iter() if process.pid != os.getpid() and _is_marked(process, directory)
    ]
    for process in left:
        try:
            process.kill()
        except psutil.NoSuchProcess:
            continue
    psutil.wait_procs(left, timeout=5)
    return len(left)


def _is_marked(process: psutil.Process, directory: Path) -> bool:
    try:
        return bool(process.environ().get(MARK) == str(directory))
    except (psutil.Error, OSError):
        return False  # gone, a zombie, or somebody else's


def _signal(running: _RunningPart, number: signal.Signals) -> None:
    """Signal the part only, which ends its own children; SIGKILL goes to the whole group."""
    try:
        if number == signal.SIGKILL:
            os.killpg(running.process.pid, number)
        elif running.process.poll() is None:
            running.process.send_signal(number)
    except (ProcessLookupError, PermissionError):
        return


def _readable(line: str) -> tuple[str, str]:
    """A log line and its style: JSON as `event  key=value …`, others without a time and a level of their own."""
    if not line.startswith("{"):
        found = _STAMPED.match(line)
        return (found["message"], _LEVELS.get(found["level"].lower(), "")) if found else (line, "")
    try:
        record = json.loads(line)
    except ValueError:
        return line, ""
    words = str(record.get("event") or record.get("message") or "")
    fields = " ".join(f"{key}={value}" for key, value in record.items() if key not in _LEFT_OUT)
    shown = _of_alert(record) if words == "alert" else fields
    text = f"{words}  {shown}".rstrip().replace("\n", "\n" + " " * 25)
    return text, _LEVELS.get(str(record.get("level", "")).lower(), "")


def _of_alert(record: Mapping[str, Any]) -> str:
    """Its kind, subject and what of it; all of its facts are in the part's own log and the operators' email."""
    facts = record["facts"]
    what = facts.get("what") or facts.get("function") or record["status"]
    return f"{record['kind'].replace('_', ' ')} {record['subject']}".rstrip() + f": {what}"
