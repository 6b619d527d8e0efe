"""The files that hosts and hooks read are whole: workflow, hooks, dependency updates, forms, security policy."""

import re
from typing import Any

import pytest
import yaml

from reminder_worker import __version__
from tests.prose import ROOT


def read(path: str) -> Any:
    return yaml.safe_load((ROOT / path).read_text())


def test_files_are_yaml_with_a_mapping() -> None:
    paths = [ROOT / ".pre-commit-config.yaml", *(ROOT / ".github").rglob("*.yml")]
    assert len(paths) >= 6
    assert [path for path in paths if not isinstance(read(str(path)), dict)] == []


def test_workflow_runs_the_same_as_a_developer() -> None:
    workflow = read(".github/workflows/ci.yml")
    (job,) = workflow["jobs"].values()
    assert [step["run"] for step in job["steps"] if "run" in step][-1] == ".ci/run"
    assert workflow[True].keys() >= {"push", "pull_request"}, "YAML reads `on` as true"


def test_workflow_can_change_nothing() -> None:
    workflow = read(".github/workflows/ci.yml")
    (job,) = workflow["jobs"].values()
    assert workflow["permissions"] == {"contents": "read"}
    assert "permissions" not in job
    assert "secrets." not in (ROOT / ".github/workflows/ci.yml").read_text()
    actions = {step["uses"]: step.get("with", {}) for step in job["steps"] if "uses" in step}
    assert all(re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", action) for action in actions)
    (checkout,) = [options for action, options in actions.items() if action.startswith("actions/checkout@")]
    assert checkout["persist-credentials"] is False


def test_workflow_uses_the_python_and_node_of_the_image() -> None:
    (job,) = read(".github/workflows/ci.yml")["jobs"].values()
    images = dict(re.findall(r"^ARG (\w+)_IMAGE=(\S+)$", (ROOT / "deploy/Dockerfile").read_text(), re.M))
    assert job["container"]["image"] == images["PYTHON"].replace("-slim", "")
    (node,) = [step["with"]["node-version"] for step in job["steps"] if "setup-node" in step.get("uses", "")]
    assert images["NODE"].startswith(f"node:{node}-")


def test_hooks_use_only_the_programs_of_the_checkout() -> None:
    configuration = read(".pre-commit-config.yaml")
    assert [repository["repo"] for repository in configuration["repos"]] == ["local"]
    hooks = {hook["id"]: hook for hook in configuration["repos"][0]["hooks"]}
    assert hooks.keys() == {"ruff", "ruff-format", "prettier", "prose", "sqruff", "subject"}
    for hook in hooks.values():
        assert hook["language"] == "system"
        assert (ROOT / hook["entry"].split()[0]).exists()
    assert {*configuration["default_stages"], *hooks["subject"]["stages"]} == {"pre-commit", "commit-msg"}
    assert set(configuration["default_install_hook_types"]) == {"pre-commit", "commit-msg"}


def test_dependency_updates_cover_every_list_of_packages() -> None:
    updates = {update["package-ecosystem"]: update["directory"] for update in read(".github/dependabot.yml")["updates"]}
    files = {"pip": "pyproject.toml", "npm": "package-lock.json", "github-actions": ".github", "docker": "Dockerfile"}
    assert updates.keys() == files.keys()
    for ecosystem, file in files.items():
        assert (ROOT / updates[ecosystem].lstrip("/") / file).exists()


@pytest.mark.parametrize("form", ["bug", "change"])
def test_form_asks_something(form: str) -> None:
    content = read(f".github/ISSUE_TEMPLATE/{form}.yml")
    assert content["name"]
    assert content["description"]
    required = [part for part in content["body"] if part.get("validations", {}).get("required")]
    assert required
    identifiers = [part["id"] for part in content["body"] if part["type"] != "markdown"]
    assert len(set(identifiers)) == len(identifiers)


def test_security_policy_names_this_version_and_a_private_way() -> None:
    policy = (ROOT / "SECURITY.md").read_text()
    assert "Report a vulnerability" in policy
    assert f"| {__version__.rpartition('.')[0]}.x | yes |" in policy


@pytest.mark.parametrize("section", ["Emails", "Privacy", "The API", "Money", "Operators"])
def test_make_check_tries_promises_of_each_section(section: str) -> None:
    core: set[str] = set()
    for path in (ROOT / "tests" / "integration").glob("test_*.py"):
        marker = "" if "pytestmark = pytest.mark.core" in path.read_text() else r"@pytest\.mark\.core\n"
        core |= set(re.findall(rf"^{marker}(?:async )?def (test_\w+)", path.read_text(), re.M))
    promises = (ROOT / "docs" / "promises.md").read_text().partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    assert any(name in core for name in re.findall(r"::(test_\w+)", promises))
