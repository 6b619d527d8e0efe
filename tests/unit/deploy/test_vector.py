"""Vector's configurations ship the lines of our own processes, and only those."""

import json
import logging
import re
from datetime import datetime
from typing import Any

import pytest
import structlog

from mail_service.logs import configure_logs
from reminder_worker.logging import configure_logging
from reminder_worker.settings import Settings
from tests.unit.deploy.parts import ROOT, env_example, read, secret_values

DOCKER, KUBERNETES = read("vector/docker.yaml"), read("vector/kubernetes.yaml")
COMPOSE = read("compose.yaml")
PAGE = (ROOT / "docs/shipping-logs.md").read_text()


def test_both_differ_in_the_source_only() -> None:
    program = KUBERNETES["transforms"]["lines"]["source"]
    KUBERNETES["transforms"]["lines"]["source"] = program.replace(".kubernetes.pod_name", ".container_name")
    assert {**KUBERNETES, "sources": None} == {**DOCKER, "sources": None}
    for each in (DOCKER, KUBERNETES):
        assert each["transforms"]["lines"]["inputs"] == list(each["sources"])
        assert [sink["inputs"] for sink in each["sinks"].values()] == [list(each["transforms"])]


def test_every_container_of_ours_is_read_and_no_other() -> None:
    heads = DOCKER["sources"]["containers"]["include_containers"]
    for name, service in COMPOSE["services"].items():
        ours = service["image"].startswith("reminder-worker-")
        container = f"{COMPOSE['name']}-{name}-1"
        assert any(container.startswith(head) for head in heads) is ours, name
    namespace = read("kubernetes/namespace.yaml")["metadata"]["name"]
    selected = KUBERNETES["sources"]["containers"]
    assert selected["extra_namespace_label_selector"] == f"kubernetes.io/metadata.name={namespace}"
    assert selected["extra_label_selector"] == "app.kubernetes.io/name!=proxy"


def _written(capfd: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capfd.readouterr().err.splitlines()]


def test_our_lines_have_the_fields_that_the_page_names(capfd: pytest.CaptureFixture[str]) -> None:
    secrets = {name.upper(): value for name, value in secret_values().items()}
    given = {**env_example(), **secrets, "CHAIN_1_RPC_URLS": secrets["RPC_URLS"], "LOG_FORMAT": "json"}
    configure_logging(Settings.from_environ(given))
    structlog.get_logger().error("pass_failed", name="relay", chain_id=1, error="TooMuch")
    logging.getLogger("library").warning("speaks")
    lines = _written(capfd)
    configure_logs()
    structlog.get_logger("mail_service").info("send", key="k", outcome="accepted", seconds=0.2)
    lines += _written(capfd)
    assert [line["event"] for line in lines] == ["pass_failed", "speaks", "send"]
    for line in lines:
        assert datetime.fromisoformat(line["timestamp"]).utcoffset() is not None
        assert f"`{line['level']}`" in PAGE
        assert "part" not in line, "the configuration would overwrite it"


def test_the_level_of_text_is_the_word_at_its_head() -> None:
    for line, level in (
        ("2026-11-27 19:45:48 +0000 - dagster.daemon - ERROR - a sensor failed", "error"),
        ("WARNING uvicorn a library speaks", "warning"),
        ("Error: the database does not answer", "error"),
        ("Traceback (most recent call last):", None),
    ):
        pattern = re.search(r"parse_regex\(text, r'(.+)'\)", DOCKER["transforms"]["lines"]["source"])
        assert pattern
        found = re.search(pattern[1], line)
        assert (found and found["level"].lower()) == level
