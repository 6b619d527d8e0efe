"""Start of the API, of `reminder-worker tick` and of Dagster's runs, in the local stack with nothing due; medians of 5.

A run's CPU is that of its process: from the copy of the process with all imports to its end.
"""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from statistics import median

import psutil
import psycopg

from bench.harness import RUNS, BenchFigure
from bench.stack import whole_stack
from devnet.dagster_ui import launch
from devnet.local import HOST
from devnet.parts import answers
from devnet.stack import LocalStack

JOB = "relay"
_ENDED = "select status in ('SUCCESS', 'FAILURE', 'CANCELED') from runs where run_id = %s"


async def measure() -> list[BenchFigure]:
    return _measure()  # here: the stack sets handlers of signals, which only the main thread may do


def _measure() -> list[BenchFigure]:
    with whole_stack() as stack:
        _run_once(stack)  # the first one starts what is started once
        figures = {
            "api": _median(lambda: _start_api(stack)),
            "tick": _median(lambda: _run_command(_command(stack, "tick"))),
            "run": _median(lambda: _run_once(stack)),
        }
    aims = {"run": "<= 0.7"}
    return [
        figure
        for name, (seconds, cpu) in figures.items()
        for figure in (
            BenchFigure(f"start.{name}", seconds, "s"),
            BenchFigure(f"start.{name}.cpu", cpu, "CPU s", None, None, aims.get(name, "")),
        )
    ]


def _median(work: Callable[[], tuple[float, float]]) -> tuple[float, float]:
    found = [work() for _ in range(RUNS)]
    return median(seconds for seconds, _ in found), median(cpu for _, cpu in found)


def _command(stack: LocalStack, *words: str) -> list[str]:
    return [sys.executable, "-m", "reminder_worker.cli.main", "--env-file", str(stack.directory / "env"), *words]


def _run_command(command: list[str]) -> tuple[float, float]:
    """Return the seconds and CPU seconds of a command that ends by itself."""
    began, before = time.perf_counter(), os.times()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return time.perf_counter() - began, cpu


def _start_api(stack: LocalStack) -> tuple[float, float]:
    """Return the seconds and CPU seconds until a second API is ready."""
    port = _free_port()
    environ: Mapping[str, str] = {**os.environ, "API_PORT": str(port), "METRICS_PORT": str(_free_port())}
    began = time.perf_counter()
    process = subprocess.Popen(
        _command(stack, "serve"), env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        ready = answers(f"http://{HOST}:{port}/health/ready")
        while not ready():
            if process.poll() is not None:
                raise RuntimeError("the API ended while it started")
            time.sleep(0.01)
        times = psutil.Process(process.pid).cpu_times()
        return time.perf_counter() - began, times.user + times.system
    finally:
        process.terminate()
        process.wait()


def _run_once(stack: LocalStack) -> tuple[float, float]:
    """Return the seconds from the request of a run to its end, and the CPU seconds of its process."""
    code = psutil.Process(stack.supervisor.pids()["dagster code"])
    (origin,) = [child for child in code.children() if child.children()]  # the code server and each run are its copies
    before, began = _cpu_of_ended(origin), time.perf_counter()
    run = launch(stack.at.dagster, JOB)
    with psycopg.connect(stack.at.databases["dagster"], autocommit=True) as connection:
        while (found := connection.execute(_ENDED, [run]).fetchone()) is None or not found[0]:
            time.sleep(0.02)
    seconds = time.perf_counter() - began
    while len(origin.children()) > 1:
        time.sleep(0.02)
    return seconds, _cpu_of_ended(origin) - before


def _cpu_of_ended(origin: psutil.Process) -> float:
    """Return the CPU seconds of all runs that have ended."""
    times = origin.cpu_times()
    return float(times.children_user + times.children_system)


def _free_port() -> int:
    with socket.create_server((HOST, 0)) as held:
        return int(held.getsockname()[1])
