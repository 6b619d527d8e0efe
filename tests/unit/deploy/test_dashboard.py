"""Grafana's dashboard is drawn from its plan, names existing metrics and labels, and Prometheus reads it."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from prometheus_client import generate_latest

from api.metrics import RequestMetrics
from devnet import dashboard
from tests.unit.deploy.parts import DEPLOY, ROOT, read

PANELS = [panel for panel in json.loads(dashboard.find_page().read_text())["panels"] if panel["type"] != "row"]
TARGETS = [(panel["title"], target) for panel in PANELS for target in panel["targets"]]
OF_PROMETHEUS = {"ALERTS": {"alertname", "alertstate", "severity"}}
_NAME = re.compile(r"\b(?:reminder_worker_\w+|ALERTS\b)")
PROMTOOL = shutil.which("promtool")
NEEDS_PROMTOOL = pytest.mark.skipif(PROMTOOL is None, reason="promtool is not installed")


def labels_of_metrics() -> dict[str, set[str]]:
    lines = (ROOT / "tests" / "golden" / "metrics.txt").read_text().splitlines()
    found = {name: set(labels) for name, _, *labels in map(str.split, lines)} | OF_PROMETHEUS
    requests = RequestMetrics()
    requests.observe("GET", "/", 200, 0.1)
    for name, inside in re.findall(r"^(\w+)\{(.*)\} ", generate_latest(requests.registry).decode(), re.M):
        found.setdefault(name, set()).update(re.findall(r'(\w+)="', inside))
    return found


def test_the_file_is_what_its_plan_says() -> None:
    assert dashboard.find_page().read_text() == dashboard.draw(), "python -m devnet.dashboard writes it anew"


def test_every_metric_and_label_exists() -> None:
    known = labels_of_metrics()
    for title, target in TARGETS:
        expression = target["expr"]
        names = _NAME.findall(expression)
        assert names, title
        wanted = set(re.findall(r"(\w+)\s*(?:=~|!=|=)", expression))
        kept = {label.strip() for by in re.findall(r"by \(([^)]*)\)", expression) for label in by.split(",")}
        for name in names:
            assert name in known, f"{title}: {name}"
            assert wanted | kept <= known[name] | {"le"}, f"{title}: {name}"
        assert set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])) <= kept, f"{title}: joined away"


@NEEDS_PROMTOOL
def test_prometheus_reads_every_expression(tmp_path: Path) -> None:
    rules = [{"record": f"panel:{at}", "expr": target["expr"]} for at, (_, target) in enumerate(TARGETS)]
    (tmp_path / "panels.yaml").write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}))
    said = subprocess.run(
        [str(PROMTOOL), "check", "rules", "panels.yaml"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert said.returncode == 0, said.stdout + said.stderr
    assert f"{len(rules)} rules found" in said.stdout


@NEEDS_PROMTOOL
def test_prometheus_reads_its_configuration() -> None:
    said = subprocess.run(
        [str(PROMTOOL), "check", "config", "prometheus.yaml"],
        cwd=DEPLOY / "prometheus",
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.returncode == 0, said.stdout + said.stderr


def test_panels_neither_overlap_nor_leave_the_page() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in json.loads(dashboard.find_page().read_text())["panels"]:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert at["x"] + at["w"] <= 24
        assert not cells & taken, panel["title"]
        taken |= cells


def test_grafana_finds_prometheus_and_the_dashboard_where_compose_puts_them() -> None:
    services = read("compose.yaml")["services"]
    (source,) = read("grafana/datasource.yaml")["datasources"]
    assert source["url"] == "http://prometheus:9090"
    (provider,) = read("grafana/dashboards.yaml")["providers"]
    mounted = dict(volume.split(":")[:2] for volume in services["grafana"]["volumes"])
    assert mounted["./grafana/reminder-worker.json"].startswith(provider["options"]["path"] + "/")
    for service in ("prometheus", "grafana"):
        files = [volume.split(":")[0] for volume in services[service]["volumes"] if volume.startswith("./")]
        assert all((DEPLOY / file).is_file() for file in files)
