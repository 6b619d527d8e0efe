"""Our Helm chart refuses wrong values, and its migration needs nothing of it. Its objects: test_kubernetes.py."""

import json
import re
from typing import Any

import kubernetes_validate
import pytest
from jsonschema import Draft7Validator

from reminder_worker import __version__
from tests.unit.deploy.parts import (
    DEPLOY,
    changed,
    example_values,
    mail_names,
    manifests,
    pods,
    read,
    reader_names,
    rendered,
    worker_names,
)

helm = pytest.importorskip("helm_python", reason="Helm's library has no package for this platform")
CHART = DEPLOY / "chart"
SCHEMA = json.loads((CHART / "values.schema.json").read_text())
VERSION = "1.34"


def _rendered(**changes: Any) -> dict[tuple[str, str], dict[str, Any]]:
    objects = rendered(changed(example_values(), changes))
    return {(each["kind"], each["metadata"]["name"]): each for each in objects}


def _images(objects: dict[tuple[str, str], dict[str, Any]]) -> dict[str, str]:
    return {name: pod["containers"][0]["image"].rpartition(":")[2] for name, pod in pods(list(objects.values()))}


def test_helms_linter_has_nothing_to_say() -> None:
    report = helm.lint(CHART, example_values(), strict=True, namespace="reminder-worker", kube_version=f"v{VERSION}.0")
    assert [each["error"] for each in report["messages"]] == ["icon is recommended"]
    assert report["errors"] == []


def test_the_chart_has_the_version_of_its_image() -> None:
    chart = read("chart/Chart.yaml")
    assert chart["version"] == chart["appVersion"] == __version__


def test_wrong_values_are_refused_and_named() -> None:
    for changes, said in (
        ({"replicas": 3}, "additional properties 'replicas' not allowed"),
        ({"api": {"replica": 3}}, "at '/api': additional properties 'replica' not allowed"),
        ({"proxy": {"settings": {"API_HOST": "x"}}}, "additional properties 'API_HOST' not allowed"),
        ({"podMonitor": {"enable": True}}, "at '/podMonitor': additional properties 'enable' not allowed"),
        ({"networks": {"nodes": [{"cidr": "10.30.0.5/32"}]}}, "missing property 'port'"),
        ({"worker": {"secret": None}}, "at '/worker': missing property 'secret'"),
        ({"mail": {"secret": None}}, "at '/mail': missing property 'secret'"),
        ({"proxy": {"secret": ""}}, "at '/proxy/secret'"),
        ({"worker": {"settings": {"EMAIL_ENC_KEY_FILE": None}}}, "missing property 'EMAIL_ENC_KEY_FILE'"),
        ({"mail": {"settings": {"MAIL_SERVICE_TOKEN_FILE": None}}}, "missing property 'MAIL_SERVICE_TOKEN_FILE'"),
        ({"worker": {"settings": {"HASH_KEY_FILE": "MDEyMzQ1Njc4OTAxMjM0NQ=="}}}, "/worker/settings/HASH_KEY_FILE"),
        ({"worker": {"settings": {"CHAINS": 1}}}, "at '/worker/settings/CHAINS': got number, want string"),
        ({"worker": {"settings": {"API_PORT": "9000"}}}, "at '/worker/settings/API_PORT'"),
        ({"image": {"tag": "latest"}}, "at '/image/tag'"),
        ({"reports": {"enabled": True}}, "missing properties 'REPORT_IMAP_HOST', 'REPORT_IMAP_USERNAME'"),
        ({"reports": {"settings": {"SMTP_HOST": "x"}}}, "additional properties 'SMTP_HOST' not allowed"),
        ({"reports": {"settings": {"REPORT_IMAP_PORT": "1143"}}}, "at '/reports/settings/REPORT_IMAP_PORT'"),
        ({"mail": {"settings": {"REPORT_IMAP_HOST": "x"}}}, "invalid propertyName 'REPORT_IMAP_HOST'"),
        ({"mail": {"enabled": False}, "reports": {"enabled": True}}, "at '/mail/enabled'"),
        ({"api": {"replicas": 1}}, "at '/api/replicas'"),
    ):
        with pytest.raises(helm.HelmError, match=re.escape(said)):
            _rendered(**changes)


def test_what_only_an_operator_knows_has_no_default() -> None:
    """Nothing is installed with the name or address of an example."""
    assert "example" not in (CHART / "values.yaml").read_text().replace("is an example of a whole file", "")
    with pytest.raises(helm.HelmError) as refused:
        rendered({})
    for name in ("repository", "APP_ORIGIN", "TRUSTED_PROXIES", "MAIL_FROM", "API_HOSTNAME", "database"):
        assert f"'{name}'" in str(refused.value)


def test_a_secret_is_a_file_and_any_other_setting_may_be_given() -> None:
    settings = Draft7Validator({**SCHEMA["definitions"]["settings"], "definitions": SCHEMA["definitions"]})
    for names, files in (worker_names(), mail_names()):
        secrets = {name.removesuffix("_FILE") for name in files}
        assert [name for name in secrets if settings.is_valid({name: "value"})] == []
        settings.validate(dict.fromkeys(names - secrets | files, "value"))


def test_the_migration_needs_nothing_of_the_chart() -> None:
    """Before the first installation nothing is there but the Secrets."""
    objects = _rendered()
    job = objects["Job", "migrate"]["spec"]["template"]["spec"]
    container = job["containers"][0]
    assert container["args"] == ["reminder-worker", "migrate"]
    assert "envFrom" not in container
    assert {each["name"]: each["value"] for each in container["env"]} == objects["ConfigMap", "worker-settings"]["data"]
    assert {kind for volume in job["volumes"] for kind in volume.keys() - {"name"}} == {"secret", "emptyDir"}
    assert not [key for key in objects if key[0] == "Secret"]


def test_the_mail_service_can_be_replaced_first_and_taken_back_last() -> None:
    forward = _images(_rendered(image={"tag": "0.2.0"}, api={"tag": "0.1.0"}))
    assert (forward["migrate"], forward["mail"], forward["api"]) == ("0.2.0", "0.2.0", "0.1.0")
    back = _images(_rendered(image={"tag": "0.1.0"}, mail={"tag": "0.2.0"}))
    assert (back["migrate"], back["mail"], back["api"]) == ("0.1.0", "0.2.0", "0.1.0")


def test_changed_settings_start_their_pods_anew() -> None:
    def annotations(**changes: Any) -> dict[str, Any]:
        objects = _rendered(**{"reports": {"enabled": True, "settings": MAILBOX}, **changes})
        return {
            name: objects["Deployment", name]["spec"]["template"]["metadata"] for name in ("api", "mail", "reports")
        }

    before = annotations()
    assert annotations(worker={"settings": {"CHAINS": "1,10"}})["api"] != before["api"]
    assert annotations(mail={"settings": {"SMTP_HOST": "other.example.org"}})["mail"] != before["mail"]
    assert annotations(mail={"settings": {"REPORT_ADDRESS": "reports@example.org"}})["reports"] != before["reports"]


def test_a_pod_monitor_takes_the_place_of_the_annotations_and_of_nothing_else() -> None:
    without = {(each["kind"], each["metadata"]["name"]): each for each in manifests()}
    objects = _rendered(podMonitor={"enabled": True, "labels": {"release": "prometheus"}})
    monitor = objects.pop(("PodMonitor", "api"))
    assert monitor == {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PodMonitor",
        "metadata": {"name": "api", "namespace": "reminder-worker", "labels": {"release": "prometheus"}},
        "spec": {
            "selector": {"matchLabels": {"app.kubernetes.io/name": "api"}},
            "podMetricsEndpoints": [{"port": "metrics", "path": "/metrics"}],
        },
    }
    api = without["Deployment", "api"]["spec"]["template"]
    assert monitor["spec"]["selector"]["matchLabels"].items() <= api["metadata"]["labels"].items()
    assert "metrics" in [port["name"] for port in api["spec"]["containers"][0]["ports"]]
    for name in ("scrape", "port", "path"):
        api["metadata"]["annotations"].pop(f"prometheus.io/{name}")
    assert objects == {key: each for key, each in without.items() if key[0] != "Namespace"}


def test_networks_of_your_own_are_added_and_no_more() -> None:
    nodes, smtp = {"cidr": "10.30.0.5/32", "port": 8545}, {"cidr": "10.30.0.25/32", "port": 25}
    before, after = _rendered(), _rendered(networks={"nodes": [nodes], "smtp": [smtp]})
    added = {
        key[1]: [rule for rule in after[key]["spec"]["egress"] if rule not in before[key]["spec"]["egress"]]
        for key in after
        if after[key] != before[key]
    }
    expected = {"api": nodes, "passes": nodes, "mail": smtp}
    assert added == {
        name: [{"to": [{"ipBlock": {"cidr": each["cidr"]}}], "ports": [{"protocol": "TCP", "port": each["port"]}]}]
        for name, each in expected.items()
    }


MAILBOX = {"REPORT_IMAP_HOST": "imap.example.org", "REPORT_IMAP_USERNAME": "reports@example.org"}


def test_api_shows_the_addresses_and_the_organisation_of_the_mail_service() -> None:
    """Each is said once."""
    said = {"EMAIL_PAGE_URL": "https://api.example.org/emails", "ORGANISATION_NAME": "Example & Heirs"}
    objects = _rendered(mail={"settings": said})
    shown = {**said, "MAIL_SERVICE_PUBLIC_URL": "https://mail.example.org"}
    for name in ("worker-settings", "mail-settings"):
        assert shown.items() <= objects["ConfigMap", name]["data"].items()
    assert "ORGANISATION_URL" not in objects["ConfigMap", "worker-settings"]["data"]


def test_reader_of_a_mailbox_is_apart_bounded_and_reaches_mailbox_and_database_only() -> None:
    """Strangers write what it reads."""
    given = {"REPORT_ADDRESS": "reports@example.org"}
    without, objects = (
        _rendered(mail={"settings": given}),
        _rendered(mail={"settings": given}, reports={"enabled": True, "settings": MAILBOX}),
    )
    added = {("Deployment", "reports"), ("ConfigMap", "reports-settings"), ("NetworkPolicy", "reports")}
    assert objects.keys() - without.keys() == added
    assert {key: each for key, each in objects.items() if key not in added} == without
    for key in added:
        kubernetes_validate.validate(objects[key], VERSION, strict=True)
    data = objects["ConfigMap", "reports-settings"]["data"]
    assert data.keys() <= reader_names()
    assert (data["MAIL_FROM"], data["REPORT_ADDRESS"]) == (
        without["ConfigMap", "mail-settings"]["data"]["MAIL_FROM"],
        "reports@example.org",
    )
    deployment = objects["Deployment", "reports"]["spec"]
    pod = deployment["template"]["spec"]
    (container,) = pod["containers"]
    assert (deployment["replicas"], deployment["strategy"]) == (1, {"type": "Recreate"})
    assert container["args"] == ["python", "-m", "mail_service", "reports"]
    assert container["resources"]["limits"].keys() == {"cpu", "memory"}
    assert (
        container["securityContext"]
        == objects["Deployment", "mail"]["spec"]["template"]["spec"]["containers"][0]["securityContext"]
    )
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert not {"ports", "readinessProbe", "livenessProbe"} & container.keys()
    assert (pod["automountServiceAccountToken"], pod["enableServiceLinks"]) == (False, False)
    policy = objects["NetworkPolicy", "reports"]["spec"]
    assert policy["podSelector"]["matchLabels"].items() <= deployment["template"]["metadata"]["labels"].items()
    assert (policy["policyTypes"], policy.get("ingress")) == (["Ingress", "Egress"], None)
    (rule,) = policy["egress"]
    assert rule["ports"] == [{"protocol": "TCP", "port": 993}, {"protocol": "TCP", "port": 143}]
    assert "10.0.0.0/8" in rule["to"][0]["ipBlock"]["except"]
    (smtp,) = objects["NetworkPolicy", "mail"]["spec"]["egress"]
    assert [each["port"] for each in smtp["ports"]] == [587, 465]


def test_every_other_value_makes_valid_objects_too() -> None:
    objects = _rendered(
        mail={"enabled": False, "settings": None},
        proxy={"serviceAnnotations": {"example.org/kind": "network"}},
        statistics={"storageClass": "shared"},
        networks={"nodes": [{"cidr": "fd00::5/128", "port": 8545}]},
        image={"tag": "0.1.0@sha256:" + "0" * 64},
    )
    for each in objects.values():
        kubernetes_validate.validate(each, VERSION, strict=True)
    assert objects["PersistentVolumeClaim", "statistics"]["spec"]["storageClassName"] == "shared"
    assert objects["Service", "proxy"]["metadata"]["annotations"] == {"example.org/kind": "network"}
    assert ("Deployment", "mail") not in objects


def test_the_two_charts_agree() -> None:
    """Dagster's runs take settings, secrets and the volume from ours."""
    code = read("kubernetes/dagster-values.yaml")["dagster-user-deployments"]["deployments"][0]
    objects = _rendered()
    volumes = {each["name"]: each for each in code["volumes"]}
    assert volumes["secrets"]["secret"]["secretName"] == read("chart/values.yaml")["worker"]["secret"]
    assert ("PersistentVolumeClaim", volumes["statistics"]["persistentVolumeClaim"]["claimName"]) in objects
    assert all(("ConfigMap", each["name"]) in objects for each in code["envConfigMaps"])


def test_the_readme_creates_the_secrets_that_the_chart_names() -> None:
    values = changed(read("chart/values.yaml"), example_values())
    page = (DEPLOY / "README.md").read_text()
    created = {
        name: set(re.findall(r"--from-file=(\w+)", keys))
        for name, keys in re.findall(r"create secret generic ([\w-]+) ((?:--from-file=\S+\s*\\?\s*)+)", page)
    }
    assert created[values["viewer"]["secret"]] == {"dagster_pg_url"}
    for part, folder in (("worker", "worker"), ("mail", "mail"), ("reports", "reports")):
        files = {value for name, value in values[part]["settings"].items() if name.endswith("_FILE")}
        assert {f"/run/secrets/{folder}/{key}" for key in created[values[part]["secret"]]} == files
    sites = (DEPLOY / "proxy/sites.conf.template").read_text()
    assert created[values["proxy"]["secret"]] == set(re.findall(r"/run/secrets/(\w+)", sites))
