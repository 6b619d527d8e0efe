"""From the block with a notify event to the email that the SMTP server took, in the running local stack.

Its `SIGNAL_BLOCK` is `latest`: with `safe`, the default, a signal first waits for its block to be safe.
"""

import json
import random
import time
from datetime import datetime
from statistics import median, quantiles
from urllib.request import urlopen

from bench.harness import BenchFigure
from bench.stack import whole_stack
from devnet.local import CHAIN_ID
from devnet.scenarios import Legacy, Scenario
from devnet.stack import LocalStack
from devnet.wallet import DemoWallet

EVENTS = 20
DAY = 86400
PATIENCE_SECONDS = 60


async def measure() -> list[BenchFigure]:
    with whole_stack() as stack:
        scenario = Scenario(stack.anvil, stack.deployment)
        legacies = _prepare(stack, scenario)
        seconds = sorted(_one(stack, scenario, legacy) for legacy in legacies)
    p95 = quantiles(seconds, n=20, method="inclusive")[-1]
    return [
        BenchFigure("latency.median", median(seconds), "s from block to SMTP", None, None, "<= 1 s"),
        BenchFigure("latency.p95", p95, "s from block to SMTP", None, None, "<= 2 s"),
    ]


def _prepare(stack: LocalStack, scenario: Scenario) -> list[Legacy]:
    """One legacy for each event: a second reset of one would be merged into the next day's email."""
    owner, heir = scenario.account("latency owner"), scenario.account("latency heir")
    scenario.subscribe_premium(owner, 400 * DAY)
    wallet = DemoWallet(owner, stack.at.api, CHAIN_ID)
    legacies = []
    for number in range(EVENTS):
        legacy = scenario.create_legacy(owner, {heir.address: 100}, inactivity=180 * DAY)
        scenario.configure_reminders(owner, legacy)
        person = {"recipient": heir.address, "role": "beneficiary", "email": f"heir{number}@post.example", "name": ""}
        if wallet.ingest(legacy.address, [person]).status != 200:
            raise RuntimeError("a recipient was not saved")
        legacies.append(legacy)
    return legacies


def _one(stack: LocalStack, scenario: Scenario, legacy: Legacy) -> float:
    before = _received(stack)
    time.sleep(random.uniform(3, 8))  # at any moment of the sensors' rhythm
    scenario.check_in(scenario.account("latency owner"), legacy)
    mined = time.time()
    while time.time() - mined < PATIENCE_SECONDS:
        arrived = _received(stack)[len(before) :]
        if arrived:
            return max(0.0, arrived[0] - mined)
        time.sleep(0.1)
    raise RuntimeError("no email came")


def _received(stack: LocalStack) -> list[float]:
    """When each email was taken, unix seconds, oldest first."""
    with urlopen(f"{stack.at.inbox}/api/messages") as answer:
        return [datetime.fromisoformat(message["receivedAt"]).timestamp() for message in json.load(answer)]
