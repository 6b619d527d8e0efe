"""The functions of Dagster and Python that the code server replaces, in the versions that are installed."""

import inspect
from multiprocessing import forkserver

import pytest
from dagster._grpc.server import DagsterApiServer

ADVICE = "`start_runs_as_copies` in pipelines/code_server.py has no effect any more: read decision 0007 and change it"


@pytest.mark.parametrize(
    ("calling", "called"),
    [
        (DagsterApiServer.__init__, 'self._mp_ctx = multiprocessing.get_context("spawn")'),
        (DagsterApiServer.StartRun, "self._mp_ctx.Process("),
        (forkserver.ForkServer.connect_to_new_process, "self.ensure_running()"),
    ],
)
def test_dagster_and_python_still_call_what_the_code_server_replaces(calling: object, called: str) -> None:
    assert called in inspect.getsource(calling), ADVICE  # type: ignore[arg-type]
