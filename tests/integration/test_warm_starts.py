"""Runs as copies of a process that has imported everything: what a code server does with a launched run."""

import os
import signal
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

import dagster as dg
import psutil
import pytest
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._core.workspace.load_target import GrpcServerTarget

from devnet.scenarios import Scenario
from pipelines.definitions import defs
from tests.background import ignore_interrupts, is_interruptible

ROOT = Path(__file__).parents[2]
JOB = "prune"  # its second op asks our database
# Libraries of a run that are machine code
IN_MEMORY = ("uvloop", "psycopg_binary", "aiohttp", "pyreqwest", "coincurve")
COMMAND = (sys.executable, "-m", "pipelines.code_server")
PATIENCE_SECONDS = 300  # ends a hang; the start imports everything


class CodeServer:
    def __init__(self, process: subprocess.Popen[bytes], instance: dg.DagsterInstance, socket: Path) -> None:
        self._process, self._instance = process, instance
        self._target = GrpcServerTarget(host="localhost", socket=str(socket), port=None, location_name="worker")

    @property
    def pid(self) -> int:
        return self._process.pid

    def run(self) -> dg.DagsterRunStatus:
        """Launch a run and wait for its end."""
        with WorkspaceProcessContext(self._instance, self._target) as context:
            workspace = context.create_request_context()
            (repository,) = workspace.get_code_location("worker").get_repositories().values()
            origin = repository.get_full_job(JOB).get_remote_origin()
            run = self._instance.create_run_for_job(defs.resolve_job_def(JOB), remote_job_origin=origin)
            self._instance.launch_run(run.run_id, workspace)
        ends = monotonic() + PATIENCE_SECONDS
        while monotonic() < ends:  # SQLite tells nobody
            found = self._instance.get_run_by_id(run.run_id)
            if found is not None and found.is_finished:
                return found.status
            sleep(0.05)
        raise TimeoutError

    def warm(self) -> psutil.Process:
        """Return the fork server: its copies are the code server, which starts no other process, and the runs."""
        started = psutil.Process(self._process.pid).children()
        (found,) = [each for each in started if "multiprocessing.forkserver" in " ".join(each.cmdline())]
        served = min(found.children(), key=psutil.Process.create_time)
        assert served.children() == []
        return found


@pytest.fixture
def code_server(database_url: str, chain_scenario: Scenario, tmp_path: Path) -> Iterator[CodeServer]:
    anvil, key, socket = chain_scenario.anvil, b64encode(b"k" * 32).decode(), tmp_path / "code.sock"
    environ = {
        **os.environ,
        "DATABASE_URL": database_url.replace("postgresql+psycopg://", "postgresql://"),
        "EMAIL_ENC_KEY": key,
        "HASH_KEY": key,
        "APP_ORIGIN": "https://app.example.org",
        "CHAINS": str(anvil.chain_id),
        **chain_scenario.deployment.settings_environ(anvil.chain_id, anvil.url),
    }
    options = ["-s", str(socket), "-m", "pipelines.definitions"]
    process = subprocess.Popen([*COMMAND, *options], cwd=ROOT, env=environ, preexec_fn=ignore_interrupts)
    try:
        ends = monotonic() + PATIENCE_SECONDS
        while not socket.exists():
            assert process.poll() is None, "the code server ended while it started"
            assert monotonic() < ends, "the code server does not start"
            sleep(0.05)
        with dg.DagsterInstance.local_temp(str(tmp_path)) as instance:
            yield CodeServer(process, instance, socket)
        process.terminate()
        process.wait(PATIENCE_SECONDS)
    finally:
        process.kill()


def test_a_run_is_a_copy_of_a_process_that_has_imported_everything_and_opened_nothing(code_server: CodeServer) -> None:
    """The code server is one in the background of a script, and ends by SIGTERM all the same."""
    assert is_interruptible(code_server.pid)
    assert code_server.run() == dg.DagsterRunStatus.SUCCESS
    warm = code_server.warm()
    mapped = " ".join(each.path for each in warm.memory_maps())
    assert [name for name in IN_MEMORY if name not in mapped] == []
    assert "polars" not in mapped
    assert warm.num_threads() == 1
    assert [each.status for each in warm.net_connections("inet")] == []
    assert code_server.run() == dg.DagsterRunStatus.SUCCESS
    assert code_server.warm() == warm
    _, *runs = sorted(warm.children(), key=psutil.Process.create_time)
    assert psutil.wait_procs(runs, PATIENCE_SECONDS)[1] == []
    assert warm.cpu_times().children_user > 0  # of copies that ended: the runs


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_the_end_of_the_code_server_leaves_no_process(code_server: CodeServer, number: signal.Signals) -> None:
    left = psutil.Process(code_server.pid).children(recursive=True)
    assert len(left) >= 3
    os.kill(code_server.pid, number)
    assert psutil.wait_procs(left, PATIENCE_SECONDS)[1] == []
