"""The pages of viewers load the definitions by themselves, without a setting, and show what operators do."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any
from urllib.request import Request, urlopen

import pytest

from devnet.chain import usable_port
from devnet.local import bare_environ

ROOT = Path(__file__).parents[2]
PATIENCE_SECONDS = 300  # ends a hang
REPOSITORY = {"repositoryLocationName": "reminder_worker", "repositoryName": "__repository__"}
LOADED = """{ repositoriesOrError { ... on RepositoryConnection { nodes {
  name location { name } jobs { name } schedules { name } assetNodes { assetKey { path } }
  sensors { name sensorState { status } } } } } }"""
STOP = "mutation($id: String!) { stopSensor(id: $id) { __typename ... on PythonError { message } } }"
START = "mutation($sensor: SensorSelector!) { startSensor(sensorSelector: $sensor) { __typename } }"
STATE = """query($sensor: SensorSelector!) { sensorOrError(sensorSelector: $sensor) {
  ... on Sensor { sensorState { id status } } } }"""


class DagsterPages:
    def __init__(self, port: int) -> None:
        self._url = f"http://127.0.0.1:{port}"

    def answer(self) -> bool:
        try:
            with urlopen(f"{self._url}/server_info") as got:
                return bool(got.status == 200)
        except OSError:
            return False

    def ask(self, query: str, **variables: object) -> Any:
        body = json.dumps({"query": query, "variables": variables}).encode()
        with urlopen(Request(f"{self._url}/graphql", body, {"Content-Type": "application/json"})) as got:
            return json.load(got)["data"]


@contextmanager
def started(parts: Sequence[tuple[Sequence[str], Callable[[], bool]]], folder: Path) -> Iterator[None]:
    """Run all parts with no setting but Dagster's folder."""
    environ = {**bare_environ(), "DAGSTER_HOME": str(folder)}
    processes = [subprocess.Popen(command, cwd=folder, env=environ) for command, _ in parts]
    try:
        ends = monotonic() + PATIENCE_SECONDS
        while not all(ready() for _, ready in parts):
            assert [each.poll() for each in processes] == [None] * len(parts), "one ended while it started"
            assert monotonic() < ends, "one does not start"
            sleep(0.05)
        yield
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(PATIENCE_SECONDS)


@pytest.fixture
def pages(tmp_path: Path) -> Iterator[tuple[DagsterPages, DagsterPages]]:
    """The viewers' pages and the operators' pages of one instance. Only the latter know the code server."""
    socket, workspace = tmp_path / "code.sock", tmp_path / "operators.yaml"
    workspace.write_text(
        (ROOT / "deploy/workspace.yaml").read_text().replace("/run/reminder-worker/code.sock", str(socket))
    )
    (tmp_path / "dagster.yaml").write_text("telemetry: {enabled: false}\n")
    webserver = [str(Path(sys.executable).with_name("dagster-webserver")), "-h", "127.0.0.1"]
    code = [sys.executable, "-m", "pipelines.code_server", "--socket", str(socket), "-m", "pipelines.definitions"]
    ports = usable_port(), usable_port()
    viewers, operators = (DagsterPages(port) for port in ports)
    for_viewers = [*webserver, "-p", str(ports[0]), "--read-only", "-w", str(ROOT / "workspace.yaml")]
    for_operators = [*webserver, "-p", str(ports[1]), "-w", str(workspace)]
    both = [(for_viewers, viewers.answer), (for_operators, operators.answer)]
    with started([(code, socket.exists)], tmp_path), started(both, tmp_path):
        yield viewers, operators


def test_viewers_see_what_operators_see_and_change_nothing(pages: tuple[DagsterPages, DagsterPages]) -> None:
    viewers, operators = pages
    loaded = operators.ask(LOADED)["repositoriesOrError"]
    (repository,) = loaded["nodes"]
    assert len(repository["assetNodes"]) > 10
    sensor = {**REPOSITORY, "sensorName": repository["sensors"][0]["name"]}
    state = operators.ask(STATE, sensor=sensor)["sensorOrError"]["sensorState"]
    assert state["status"] == "RUNNING"
    assert viewers.ask(LOADED)["repositoriesOrError"] == loaded

    operators.ask(STOP, id=state["id"])
    assert viewers.ask(STATE, sensor=sensor)["sensorOrError"]["sensorState"]["status"] == "STOPPED"
    assert viewers.ask(START, sensor=sensor)["startSensor"] == {"__typename": "UnauthorizedError"}
    assert operators.ask(STATE, sensor=sensor)["sensorOrError"]["sensorState"]["status"] == "STOPPED"
