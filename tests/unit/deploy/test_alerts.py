"""The rules for Prometheus, by Prometheus' own tool. What they are about: tests/integration/test_alert_rules.py."""

import shutil
import subprocess

import pytest

from tests.unit.deploy.parts import DEPLOY

PROMTOOL = shutil.which("promtool")
pytestmark = pytest.mark.skipif(PROMTOOL is None, reason="promtool is not installed")


@pytest.mark.parametrize("arguments", [("check", "rules", "alerts.yaml"), ("test", "rules", "alerts.test.yaml")])
def test_the_rules_are_valid_and_are_raised_by_what_they_are_about(arguments: tuple[str, ...]) -> None:
    said = subprocess.run(
        [str(PROMTOOL), *arguments], cwd=DEPLOY / "prometheus", capture_output=True, text=True, check=False
    )
    assert said.returncode == 0, said.stdout + said.stderr
