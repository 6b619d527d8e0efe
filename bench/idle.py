"""CPU and memory of the whole stack with nothing due. PostgreSQL, the chain and the demo's stand-ins are named apart.

A reader of delivery reports runs beside it: it has imported everything and is connected, and no mailbox answers.
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress

import psutil
import psycopg

from bench.harness import BenchFigure
from bench.stack import whole_stack
from devnet.local import bare_environ, mail_environ
from devnet.stack import LocalStack

SETTLE_SECONDS = 30
SECONDS = 120
APART = {"postgres": "PostgreSQL", "chain": "anvil"}
STAND_INS = {"inbox", "stand-in"}
READER = "report reader"
NO_MAILBOX = {
    "REPORT_IMAP_HOST": "127.0.0.1",
    "REPORT_IMAP_PORT": "1",
    "REPORT_IMAP_TLS": "none",
    "REPORT_IMAP_USERNAME": "reports",
    "REPORT_IMAP_PASSWORD": "bench",
}


async def measure() -> list[BenchFigure]:
    with whole_stack() as stack:
        async with _reading_reports(stack) as reader:
            return await _measure_stack(stack, {**stack.supervisor.pids(), READER: reader})


@asynccontextmanager
async def _reading_reports(stack: LocalStack) -> AsyncIterator[int]:
    """Run a reader of delivery reports and yield its process id."""
    environ = bare_environ() | mail_environ(stack.at, stack.ports, stack.secrets) | NO_MAILBOX
    command, quiet = (sys.executable, "-m", "mail_service.mailbox"), asyncio.subprocess.DEVNULL
    reader = await asyncio.create_subprocess_exec(*command, env=environ, stderr=quiet)
    try:
        yield reader.pid
    finally:
        reader.terminate()
        await reader.wait()


async def _measure_stack(stack: LocalStack, pids: Mapping[str, int]) -> list[BenchFigure]:
    await asyncio.sleep(SETTLE_SECONDS)
    before, opened = {name: _cpu(pid) for name, pid in pids.items()}, _connections_opened(stack)
    await asyncio.sleep(SECONDS)
    opened = (_connections_opened(stack) - opened) * 60 / SECONDS
    used = {name: (_cpu(pid) - before[name]) * 60 / SECONDS for name, pid in pids.items()}
    memory = {name: _memory(pid) for name, pid in pids.items()}
    ours = set(pids) - set(APART)
    figures = [
        BenchFigure("idle.cpu", _sum(used, ours), "CPU s/min, without PostgreSQL and anvil", None, None, "< 5 in all"),
        BenchFigure(
            "idle.memory",
            _sum(memory, ours - STAND_INS),
            "MiB of the whole stack, without PostgreSQL, anvil and stand-ins",
            None,
            None,
            "<= 750",
        ),
    ]
    figures.append(BenchFigure("idle.database_connections", opened, "new ones/min, all databases", None, None, "<= 60"))
    for name, label in APART.items():
        figures.append(BenchFigure(f"idle.cpu.{name}", used[name], f"CPU s/min of {label}"))
        figures.append(BenchFigure(f"idle.memory.{name}", memory[name], f"MiB of {label}"))
    for name in sorted(ours):
        figures.append(BenchFigure(f"idle.cpu.{name.replace(' ', '_')}", used[name], "CPU s/min"))
        aim = "<= 60" if name == READER else ""
        figures.append(BenchFigure(f"idle.memory.{name.replace(' ', '_')}", memory[name], "MiB", aim=aim))
    return figures


def _connections_opened(stack: LocalStack) -> float:
    """Return the number of sessions since the server's start; ours counts as one in each call."""
    with psycopg.connect(stack.at.databases["worker"]) as connection:
        row = connection.execute("select sum(sessions) from pg_stat_database").fetchone()
    return float(row[0]) if row else 0.0


def _tree(pid: int) -> list[psutil.Process]:
    process = psutil.Process(pid)
    return [process, *process.children(recursive=True)]


def _cpu(pid: int) -> float:
    """Return CPU seconds of the process and its children, ended children included."""
    total = 0.0
    for process in _tree(pid):
        # A run's process may end while it is looked at; from then on its parent counts its time.
        with suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            total += times.user + times.system
            if process.pid == pid:
                total += times.children_user + times.children_system
    return total


def _memory(pid: int) -> float:
    """MiB that are gone for others: pages shared within the tree count once, by their share (PSS)."""
    total = 0
    for process in _tree(pid):
        with suppress(psutil.NoSuchProcess):
            total += process.memory_full_info().pss
    return total / 2**20


def _sum(values: Mapping[str, float], names: set[str]) -> float:
    return sum(values[name] for name in names)
