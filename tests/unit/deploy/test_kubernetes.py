"""The manifests are valid and locked down, and the values for Dagster's chart say what dagster.yaml says."""

import re
import tomllib
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from dagster_k8s import K8sRunLauncher
from dagster_k8s.job import UserDefinedDagsterK8sConfig

from mail_service.settings import MailServiceSettings as MailSettings
from reminder_worker import __version__
from reminder_worker.settings import ApiSettings, Settings
from tests.unit.deploy.parts import (
    DEPLOY,
    ROOT,
    TAG,
    UID,
    mail_names,
    manifests,
    pods,
    read,
    with_secret_files,
    worker_names,
)

VERSION = "1.34"
NGINX_UID = 101
OBJECTS = manifests()
VALUES = read("kubernetes/dagster-values.yaml")
CODE = VALUES["dagster-user-deployments"]["deployments"][0]
RUNS = VALUES["runLauncher"]["config"]["k8sRunLauncher"]["runK8sConfig"]
PODS = dict(pods(OBJECTS))
PARTS = [VALUES["dagsterWebserver"], VALUES["dagsterDaemon"], CODE]


def _all(kind: str) -> dict[str, dict[str, Any]]:
    return {each["metadata"]["name"]: each for each in OBJECTS if each["kind"] == kind}


@pytest.mark.parametrize("manifest", OBJECTS, ids=lambda each: f"{each['kind']}-{each['metadata']['name']}")
def test_every_manifest_is_valid(manifest: dict[str, Any]) -> None:
    kubernetes_validate.validate(manifest, VERSION, strict=True)
    assert manifest["kind"] == "Namespace" or manifest["metadata"]["namespace"] == "reminder-worker"


def _is_locked_down(pod: dict[str, Any], container: dict[str, Any], uid: int = UID) -> bool:
    return (
        pod["runAsNonRoot"] is True
        and pod["runAsUser"] == uid
        and pod["seccompProfile"] == {"type": "RuntimeDefault"}
        and container
        == {"readOnlyRootFilesystem": True, "allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
    )


def test_every_pod_is_locked_down() -> None:
    assert len(PODS) == 5, "without a mailbox no reader of reports"
    for name, pod in PODS.items():
        assert pod["automountServiceAccountToken"] is False
        uid = NGINX_UID if name == "proxy" else UID
        for container in pod["containers"]:
            assert _is_locked_down(pod["securityContext"], container["securityContext"], uid), name
            assert container["resources"]["limits"]["memory"]
            assert TAG.match(container["image"])


def test_every_pod_finds_what_it_names() -> None:
    maps = _all("ConfigMap").keys()
    for name, pod in PODS.items():
        volumes = {each["name"]: each for each in pod["volumes"]}
        assert {each["configMap"]["name"] for each in volumes.values() if "configMap" in each} <= maps
        assert [each["name"] for each in pod["containers"][0]["volumeMounts"] if each["name"] not in volumes] == []
        given = [each["configMapRef"]["name"] for each in pod["containers"][0].get("envFrom", [])]
        assert given == {"api": ["worker-settings"], "mail": ["mail-settings"]}.get(name, [])


def test_dagsters_pods_and_runs_are_locked_down() -> None:
    for part in PARTS:
        assert _is_locked_down(part["podSecurityContext"], part["securityContext"])
        assert part["resources"]["limits"]["memory"]
        assert {"name": "tmp", "mountPath": "/tmp"} in part["volumeMounts"]
    assert _is_locked_down(RUNS["podSpecConfig"]["securityContext"], RUNS["containerConfig"]["securityContext"])
    assert RUNS["podSpecConfig"]["automountServiceAccountToken"] is False


def test_what_serves_is_probed_and_outlives_a_drained_node() -> None:
    budgets = _all("PodDisruptionBudget")
    for name in ("api", "mail", "proxy"):
        deployment = _all("Deployment")[name]
        assert deployment["spec"]["replicas"] == 2
        container = deployment["spec"]["template"]["spec"]["containers"][0]
        ready, live = ("/proxy-health",) * 2 if name == "proxy" else ("/health/ready", "/health/live")
        assert container["readinessProbe"]["httpGet"]["path"] == ready
        assert container["livenessProbe"]["httpGet"]["path"] == live
        assert container["startupProbe"]["httpGet"]["path"] == live
        labels = deployment["spec"]["template"]["metadata"]["labels"]
        assert budgets[name]["spec"]["minAvailable"] == 1
        assert budgets[name]["spec"]["selector"]["matchLabels"].items() <= labels.items()
        assert _all("Service")[name]["spec"]["selector"].items() <= labels.items()


def test_nothing_is_reached_that_no_policy_allows() -> None:
    policies = _all("NetworkPolicy")
    assert policies["nothing-else"]["spec"]["podSelector"] == {}
    assert policies["nothing-else"]["spec"]["policyTypes"] == ["Ingress", "Egress"]
    assert "ingress" not in policies["nothing-else"]["spec"]
    for name in ("api", "mail", "proxy"):
        selected = policies[name]["spec"]["podSelector"]["matchLabels"]
        assert selected.items() <= _all("Deployment")[name]["spec"]["template"]["metadata"]["labels"].items()
    assert policies["passes"]["spec"]["podSelector"]["matchLabels"] == CODE["labels"]


def test_metrics_are_for_the_scraper_alone() -> None:
    port = ApiSettings.model_fields["metrics_port"].default
    assert port not in [each["port"] for service in _all("Service").values() for each in service["spec"]["ports"]]
    for_metrics = [
        rule
        for rule in _all("NetworkPolicy")["api"]["spec"]["ingress"]
        if {"protocol": "TCP", "port": port} in rule["ports"]
    ]
    assert [rule["from"][0]["namespaceSelector"]["matchLabels"] for rule in for_metrics] == [
        {"kubernetes.io/metadata.name": "monitoring"}
    ]


def test_nothing_is_published_but_the_proxy() -> None:
    assert [name for name, each in _all("Service").items() if each["spec"].get("type")] == ["proxy"]
    assert not _all("Ingress")
    from_outside = [
        name
        for name, policy in _all("NetworkPolicy").items()
        for rule in policy["spec"].get("ingress", [])
        if "from" not in rule
    ]
    assert from_outside == ["proxy"]
    assert VALUES["ingress"] == {"enabled": False}


def test_the_proxy_is_composes() -> None:
    """Image and files are those of Compose, with every variable they need, and services at the expected names."""
    compose = read("compose.yaml")["services"]["proxy"]
    container = PODS["proxy"]["containers"][0]
    assert container["image"] == compose["image"]
    assert {each["name"] for each in container["env"]} == compose["environment"].keys()
    assert {each["mountPath"] for each in container["volumeMounts"]} - {"/tmp", "/run/secrets"} == {
        volume.split(":")[1] for volume in compose["volumes"]
    }
    for name, text in _all("ConfigMap")["proxy"]["data"].items():
        assert text == (DEPLOY / "proxy" / name).read_text()
    sites = (DEPLOY / "proxy" / "sites.conf.template").read_text()
    for name, port in re.findall(r"http://([a-z-]+)\$\{DOMAIN\}:(\d+)", sites):
        assert [each["port"] for each in _all("Service")[name]["spec"]["ports"]] == [int(port)]


def test_viewers_can_change_nothing() -> None:
    viewer = PODS["dagster-viewer"]["containers"][0]
    assert viewer["args"] == read("compose.yaml")["services"]["dagster-viewer"]["command"]
    selectors = {name: _all("Service")[f"dagster-{name}"]["spec"]["selector"] for name in ("viewer", "operator")}
    labels = _all("Deployment")["dagster-viewer"]["spec"]["template"]["metadata"]["labels"]
    assert selectors["viewer"].items() <= labels.items()
    assert selectors["operator"]["component"] == "dagster-webserver"
    assert VALUES["dagsterWebserver"]["enableReadOnly"] is False


def test_only_the_daemon_and_operators_reach_the_code_server() -> None:
    """A caller can start runs. No rule lets the mail service, the API, the proxy or the viewers' pages call."""
    port = {"protocol": "TCP", "port": CODE["port"]}
    policies = {name: each["spec"] for name, each in _all("NetworkPolicy").items()}
    into = [rule for spec in policies.values() for rule in spec.get("ingress", []) if port in rule["ports"]]
    callers = {"key": "component", "operator": "In", "values": ["dagster-daemon", "dagster-webserver"]}
    assert into == [{"from": [{"podSelector": {"matchExpressions": [callers]}}], "ports": [port]}]
    out = {name for name, spec in policies.items() for rule in spec.get("egress", []) if port in rule["ports"]}
    assert out == {"dagster"}
    assert policies["dagster"]["podSelector"] == {"matchExpressions": [callers]}
    assert "egress" not in policies["dagster-viewer"]


def test_only_the_proxy_reaches_dagsters_pages() -> None:
    """The pages have no login. The operators' pages start runs."""
    port = {"protocol": "TCP", "port": 3000}
    policies = {name: each["spec"] for name, each in _all("NetworkPolicy").items()}
    into = {
        name: rule["from"]
        for name, spec in policies.items()
        for rule in spec.get("ingress", [])
        if port in rule["ports"]
    }
    proxy = [{"podSelector": {"matchLabels": {"app.kubernetes.io/name": "proxy"}}}]
    assert into == {"dagster": proxy, "dagster-viewer": proxy}
    assert {name for name, spec in policies.items() for rule in spec.get("egress", []) if port in rule["ports"]} == {
        "proxy"
    }


@pytest.mark.parametrize(("settings", "names"), [("worker-settings", worker_names()), ("mail-settings", mail_names())])
def test_every_variable_is_a_setting(settings: str, names: tuple[set[str], set[str]]) -> None:
    assert _all("ConfigMap")[settings]["data"].keys() <= names[0] | names[1]


def test_the_parts_start_with_these_settings(tmp_path: Path) -> None:
    worker = Settings.from_environ(with_secret_files(_all("ConfigMap")["worker-settings"]["data"], tmp_path))
    assert worker.problems == ()
    assert worker.mail
    mail = with_secret_files(_all("ConfigMap")["mail-settings"]["data"], tmp_path)
    MailSettings.from_environ(mail)


def _service_links() -> dict[str, str]:
    """Return the variables that Kubernetes adds to a pod for each service (`enableServiceLinks`, the default).

    The pod's own ConfigMap overrides them, the image does not.
    """
    found: dict[str, str] = {}
    for name, service in _all("Service").items():
        prefix, port = name.upper().replace("-", "_"), service["spec"]["ports"][0]["port"]
        found |= {f"{prefix}_SERVICE_HOST": "10.96.0.7", f"{prefix}_SERVICE_PORT": str(port)}
        found[f"{prefix}_PORT"] = f"tcp://10.96.0.7:{port}"
    return found


def test_no_service_puts_a_setting_into_a_pod(tmp_path: Path) -> None:
    """The service `api` has an `API_PORT`, and `mail` a `MAIL_SERVICE_HOST` that nobody can listen on."""
    data = {name: _all("ConfigMap")[f"{name}-settings"]["data"] for name in ("worker", "mail")}
    assert not _service_links().keys() & (worker_names()[0] - data["worker"].keys())
    assert not _service_links().keys() & (mail_names()[0] - data["mail"].keys())
    worker = Settings.from_environ(with_secret_files({**_service_links(), **data["worker"]}, tmp_path))
    mail = MailSettings.from_environ(with_secret_files({**_service_links(), **data["mail"]}, tmp_path))
    assert worker.api.port == ApiSettings.model_fields["port"].default
    assert (mail.host, mail.port) == ("0.0.0.0", MailSettings.model_fields["port"].default)


def test_ports_agree() -> None:
    api, mail = ApiSettings.model_fields, MailSettings.model_fields
    ports = {
        name: {port["name"]: port["containerPort"] for port in pod["containers"][0].get("ports", [])}
        for name, pod in PODS.items()
    }
    assert ports["api"] == {"http": api["port"].default, "metrics": api["metrics_port"].default}
    assert ports["mail"] == {"http": mail["port"].default}
    assert f"'127.0.0.1', {CODE['port']}" in CODE["readinessProbe"]["exec"]["command"][-1]
    webserver = VALUES["dagsterWebserver"]
    assert webserver["service"]["port"] == webserver["readinessProbe"]["httpGet"]["port"] == 3000


def test_each_part_has_the_image_of_compose_and_one_version_of_dagster() -> None:
    parts = {name: pod["containers"][0]["image"] for name, pod in PODS.items() if name != "proxy"}
    compose = read("compose.yaml")["services"]
    for name, image in parts.items():
        assert image == f"registry.example.org/{compose[name]['image']}", name
    images = {f"{part['image']['repository']}:{part['image']['tag']}" for part in PARTS}
    assert images == {parts["dagster-viewer"]} == {f"registry.example.org/reminder-worker-passes:{__version__}"}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    passes = project["optional-dependencies"]["passes"]
    pinned = next(each for each in passes if each.startswith("dagster=="))
    text = (ROOT / "deploy/kubernetes/dagster-values.yaml").read_text()
    assert set(re.findall(r"version (\d+\.\d+\.\d+)", text)) == {pinned.removeprefix("dagster==")}


def test_the_chart_says_what_dagster_yaml_says() -> None:
    instance = yaml.safe_load((ROOT / "dagster.yaml").read_text())
    daemon, runs = VALUES["dagsterDaemon"], VALUES["concurrency"]
    queue = daemon["runCoordinator"]["config"]["queuedRunCoordinator"]
    assert queue["dequeueIntervalSeconds"] == instance["run_queue"]["dequeue_interval_seconds"]
    assert runs["runs"]["maxConcurrentRuns"] == instance["concurrency"]["runs"]["max_concurrent_runs"]
    assert runs["pools"] == {
        "defaultLimit": instance["concurrency"]["pools"]["default_limit"],
        "granularity": instance["concurrency"]["pools"]["granularity"],
    }
    assert daemon["sensors"] == {
        "useThreads": instance["sensors"]["use_threads"],
        "numWorkers": instance["sensors"]["num_workers"],
    }
    assert daemon["runRetries"]["maxRetries"] == instance["run_retries"]["max_retries"]
    monitoring = instance["run_monitoring"]
    assert daemon["runMonitoring"]["freeSlotsAfterRunEndSeconds"] == monitoring["free_slots_after_run_end_seconds"]
    kept = VALUES["retention"]["sensor"]["purgeAfterDays"]
    assert instance["retention"]["sensor"]["purge_after_days"].items() <= kept.items()
    assert VALUES["additionalInstanceConfig"] == {name: instance[name] for name in ("nux", "auto_materialize")}
    assert VALUES["telemetry"] == instance["telemetry"]
    assert VALUES["computeLogManager"]["type"] == instance["compute_logs"]["class"]
    assert VALUES["postgresql"]["postgresqlScheme"] == "postgresql+psycopg2"


def test_the_run_launcher_takes_the_runs_configuration() -> None:
    config = UserDefinedDagsterK8sConfig.from_dict(
        {
            "container_config": RUNS["containerConfig"],
            "pod_spec_config": RUNS["podSpecConfig"],
            "job_spec_config": RUNS["jobSpecConfig"],
        }
    )
    assert config.pod_spec_config["security_context"]["run_as_user"] == UID
    assert VALUES["runLauncher"]["type"] == K8sRunLauncher.__name__


def test_dagsters_database_is_not_migrated_beside_its_new_daemon() -> None:
    """The page of updates migrates it while the daemon and the pages are away."""
    assert VALUES["migrate"] == {"enabled": False}
    page = (ROOT / "deploy/README.md").read_text()
    assert "migrate.enabled=true,dagsterDaemon.enabled=false,dagsterWebserver.replicaCount=0" in page
