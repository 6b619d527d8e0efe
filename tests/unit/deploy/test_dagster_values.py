"""The values for Dagster's chart against what that chart knows (dagster-chart.yaml beside this file)."""

from typing import Any

import kubernetes_validate
import yaml
from jsonschema import Draft7Validator

from tests.unit.deploy.parts import ROOT, changed, read

KNOWN = yaml.safe_load((ROOT / "tests/unit/deploy/dagster-chart.yaml").read_text())
VALUES = read("kubernetes/dagster-values.yaml")
VERSION = "1.34"


def _problems(values: dict[str, Any]) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in Draft7Validator(KNOWN).iter_errors(values)]


def test_dagsters_chart_knows_every_value_that_it_is_given() -> None:
    assert _problems(VALUES) == []


def test_a_wrong_value_for_dagsters_chart_is_seen() -> None:
    for changes, said in (
        ({"dagsterDeamon": {}}, "'dagsterDeamon' was unexpected"),
        ({"migrate": {"enable": False}}, "$.migrate: Additional properties"),
        ({"dagsterDaemon": {"runMonitoring": {"startTimeout": 5}}}, "'startTimeout' was unexpected"),
        ({"runLauncher": {"config": {"k8sRunLauncher": {"runk8sConfig": {}}}}}, "'runk8sConfig' was unexpected"),
        ({"postgresql": {"enabled": "no"}}, "$.postgresql.enabled: 'no' is not of type 'boolean'"),
        ({"concurrency": {"pools": {"granularity": "step"}}}, "'step' is not one of ['run', 'op']"),
    ):
        assert said in " ".join(_problems(changed(VALUES, changes)))


def test_what_dagsters_chart_hands_to_kubernetes_is_valid() -> None:
    code = VALUES["dagster-user-deployments"]["deployments"][0]
    for name, part in (("webserver", VALUES["dagsterWebserver"]), ("daemon", VALUES["dagsterDaemon"]), ("code", code)):
        probes = {
            kind: {key: value for key, value in part[kind].items() if key != "enabled"}
            for kind in ("livenessProbe", "readinessProbe", "startupProbe")
            if kind in part
        }
        given = {key: part[key] for key in ("securityContext", "resources", "volumeMounts")}
        pod = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name},
            "spec": {
                "securityContext": part["podSecurityContext"],
                "volumes": part["volumes"],
                "containers": [{"name": name, **given, **probes}],
            },
        }
        kubernetes_validate.validate(pod, VERSION, strict=True)
