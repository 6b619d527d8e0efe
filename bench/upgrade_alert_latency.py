"""From the block in which an upgrade is scheduled to the line in the service log, in the running stack."""

import json
import random
import time
from datetime import datetime
from pathlib import Path
from statistics import median, quantiles

from bench.harness import BenchFigure
from bench.stack import whole_stack
from devnet.scenarios import Scenario
from devnet.stack import LocalStack

ALERTS = 10  # more in ten minutes would become one digest
PATIENCE_SECONDS = 90


async def measure() -> list[BenchFigure]:
    with whole_stack() as stack:
        scenario = Scenario(stack.anvil, stack.deployment)
        implementation = scenario.deploy("PremiumSetting")
        stack.supervisor.wait_until(lambda: _history_is_read(stack), "the first look at the timelock")
        seconds = sorted(_one(stack, scenario, implementation, number) for number in range(ALERTS))
    p95 = quantiles(seconds, n=20, method="inclusive")[-1]
    return [
        BenchFigure("upgrade_alert_latency.median", median(seconds), "s from block to log line", None, None, "<= 60 s"),
        BenchFigure("upgrade_alert_latency.p95", p95, "s from block to log line", None, None, "<= 60 s"),
    ]


def _one(stack: LocalStack, scenario: Scenario, implementation: str, number: int) -> float:
    time.sleep(random.uniform(3, 18))  # at any moment of the rhythm
    operation = scenario.schedule_upgrade(implementation, salt=number.to_bytes(32, "big"))
    mined = time.time()
    while time.time() - mined < PATIENCE_SECONDS:
        told = _told(stack.directory / "logs", operation.id)
        if told is not None:
            return max(0.0, told - mined)
        time.sleep(0.1)
    raise RuntimeError("no line in the log")


def _told(logs: Path, operation_id: str) -> float | None:
    """When the log says it, unix seconds."""
    for path in logs.iterdir():
        for line in path.read_text(errors="replace").splitlines():
            if operation_id in line and "upgrade_scheduled" in line:
                found = json.loads(line[line.index("{") :])
                return datetime.fromisoformat(found["timestamp"]).timestamp()
    return None


def _history_is_read(stack: LocalStack) -> bool:
    return any("upgrade_history_recorded" in path.read_text() for path in (stack.directory / "logs").iterdir())
