"""Contents of the files in deploy/, read once for these tests."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from mail_service.settings import MailServiceSettings as MailSettings
from mail_service.settings import ReportSettings
from reminder_worker.settings import GROUPS, ChainSettings, is_secret_field

ROOT = Path(__file__).parents[3]
DEPLOY = ROOT / "deploy"
UID = 10001
TAG = re.compile(r"^[\w./-]+:v?\d+\.\d+(\.\d+)?(-[a-z]+(-[a-z]+)?)?$")  # a version, never `latest` or a moving major


def read(path: str) -> Any:
    return yaml.safe_load((DEPLOY / path).read_text())


def example_values() -> dict[str, Any]:
    values: dict[str, Any] = read("kubernetes/worker-values.yaml")
    return values


def changed(values: dict[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The values with the changes merged in, as Helm merges two files of values."""
    merged = dict(values)
    for name, change in changes.items():
        below = merged.get(name)
        merged[name] = changed(below, change) if isinstance(below, dict) and isinstance(change, Mapping) else change
    return merged


def rendered(values: dict[str, Any]) -> list[dict[str, Any]]:
    """Every object of our chart, rendered by Helm's own library. It checks the values first."""
    helm = pytest.importorskip("helm_python", reason="Helm's library has no package for this platform")
    with helm.Chart.load(DEPLOY / "chart") as chart:
        texts = chart.render(values, name="worker", namespace="reminder-worker")
    return [each for _, text in sorted(texts.items()) for each in yaml.safe_load_all(text) if each]


def manifests() -> list[dict[str, Any]]:
    """Every object that an operator applies, but those of Dagster's chart."""
    return [read("kubernetes/namespace.yaml"), *rendered(example_values())]


def env_example() -> dict[str, str]:
    lines = (DEPLOY / "env.example").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


def worker_names() -> tuple[set[str], set[str]]:
    """All settings' names, and those that may be files. A chain's are those of chain 1."""
    pairs = [
        (("CHAIN_1_" if group is ChainSettings else "") + field.alias, is_secret_field(field))
        for group in GROUPS
        for field in group.model_fields.values()
        if field.alias
    ]
    return {name for name, _ in pairs} | {"CHAINS"}, {f"{name}_FILE" for name, secret in pairs if secret}


def mail_names() -> tuple[set[str], set[str]]:
    pairs = [(str(field.alias), is_secret_field(field)) for field in MailSettings.model_fields.values()]
    return {name for name, _ in pairs}, {f"{name}_FILE" for name, secret in pairs if secret}


def reader_names() -> set[str]:
    """All settings' names of the reader of delivery reports; its secrets are files. No password of SMTP, no token."""
    fields = [(str(field.alias), is_secret_field(field)) for field in ReportSettings.model_fields.values()]
    names = {f"{name}_FILE" if secret else name for name, secret in fields}
    return names - {"MAIL_SERVICE_DATABASE_URL_FILE"}


def secret_values() -> dict[str, str]:
    """Something well-formed for each secret, by the name of its file."""
    key = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
    return {
        "database_url": "postgresql://worker:password@postgres/worker",
        "mail_database_url": "postgresql://mail_service:password@postgres/mail_service",
        "reports_database_url": "postgresql://mail_reports:password@postgres/mail_service",
        "email_enc_key": key,
        "hash_key": key,
        "mail_hash_key": key,
        "mail_token": "a-token-of-enough-characters",
        "rpc_urls": "https://rpc.example.org",
        "smtp_password": "password",
        "report_imap_password": "password",
    }


def with_secret_files(environment: Mapping[str, str], folder: Path) -> dict[str, str]:
    """The environment with each `/run/secrets/...` replaced by a real file that holds something well-formed."""
    for name, value in secret_values().items():
        (folder / name).write_text(value)
    return {
        name: str(folder / Path(value).name) if name.endswith("_FILE") else value for name, value in environment.items()
    }


def pods(objects: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """(name, pod specification) of everything that makes pods."""
    for each in objects:
        if each["kind"] in ("Deployment", "Job"):
            yield each["metadata"]["name"], each["spec"]["template"]["spec"]
