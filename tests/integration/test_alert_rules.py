"""The rules for Prometheus: about metrics that are really exported, with labels they really have, and a runbook."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.scenarios import Scenario
from reminder_worker.monitoring import watchdog
from reminder_worker.relay.operator import PayingWallet
from tests.integration.api_world import open_world
from tests.integration.relay_rows import RELAYER, connected, enter_budget, enter_wallet

ROOT = Path(__file__).parents[2]
RULES = {
    rule["alert"]: rule
    for group in yaml.safe_load((ROOT / "deploy" / "prometheus" / "alerts.yaml").read_text())["groups"]
    for rule in group["rules"]
}
EACH = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
ANCHORS = set(re.findall(r'<a id="([\w-]+)">', (ROOT / "docs" / "runbook.md").read_text()))
KIND = "{{ $labels.kind }}"
_METRIC = re.compile(r"(reminder_worker_\w+)(?:\{([^}]*)\})?")
_BY = re.compile(r"by \(([\w, ]+)\)")


@EACH
def test_every_rule_says_how_bad_it_is_what_it_is_and_where_it_is_explained(rule: Any) -> None:
    assert rule["labels"]["severity"] in ("warning", "critical")
    assert rule["annotations"]["summary"]
    page, _, anchor = rule["annotations"]["runbook"].partition("#")
    assert page == "docs/runbook.md"
    kinds = [kind.value for kind in watchdog.OURS + watchdog.OF_WALLETS]
    assert {anchor.replace(KIND, kind) for kind in kinds} <= ANCHORS
    named = set(re.findall(r"\$labels\.(\w+)", str(rule["annotations"])))
    kept = {label.strip() for found in _BY.findall(rule["expr"]) for label in found.split(",")}
    assert named <= kept, "a label that the expression aggregates away is empty"


async def _exported(engine: AsyncEngine, scenario: Scenario) -> str:
    """A scrape of a service of which every family has a sample."""
    with connected(engine.url.render_as_string(hide_password=False)) as database:
        enter_wallet(database.execute)
        enter_budget(database.execute, reserved=1, spent=1, requests=1)
    async with engine.begin() as connection:
        for statement in (
            "insert into worker.pass_state (name, chain_id, checked_at, succeeded_at, detail) values ('watchdog', 0,"
            ' now(), now(), \'{"healthy": true, "heartbeat": "asked"}\')',
            "insert into worker.index_cursor (chain_id, name, block_number, block_hash) values (31337, 'index', 1, '')",
            "insert into worker.alert_state (chain_id, kind, subject, raised, changes)"
            " values (31337, 'rpc_trouble', 'x', true, 1)",
        ):
            await connection.execute(text(statement.replace(":", r"\:")))
    async with open_world(scenario, engine) as world:
        world.parts.wallets.append(PayingWallet("relayer", RELAYER, daily_wei=10, daily_count=10))  # type: ignore[attr-defined]
        await world.parts.chains[31337].get_block("latest")
        await world.request("GET", "/health/live")
        async with world.session.get(world.metrics_url + "/metrics") as response:
            return await response.text()


async def test_every_metric_and_label_of_the_rules_is_exported(chain_scenario: Scenario, engine: AsyncEngine) -> None:
    page = await _exported(engine, chain_scenario)
    labels: dict[str, set[str]] = {}
    for name, inside in re.findall(r"^(\w+)(?:\{(.*)\})? ", page, re.M):
        labels.setdefault(name, set()).update(re.findall(r'(\w+)="', inside))
    for alert, rule in RULES.items():
        used = _METRIC.findall(rule["expr"])
        assert used, alert
        for name, inside in used:
            assert name in labels, f"{alert}: {name}"
            wanted = set(re.findall(r"(\w+)\s*(?:=~|!=|=)", inside))
            wanted |= {label.strip() for found in _BY.findall(rule["expr"]) for label in found.split(",")}
            assert wanted <= labels[name], f"{alert}: {name}"
