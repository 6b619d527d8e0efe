"""Cost of an idle chain at its first endpoint: requests of each poll, times polls of a day, by two price lists.

Two endpoints, a chain with upgrades and prices, one new block without events before each poll but that of signals:
the safe block moves every six minutes. Prices as published in 2026.
"""

from collections import Counter
from json import loads

from bench.harness import BenchFigure
from bench.surroundings import CHAIN_ID, RequestRecorder, chain, database, settings, stub
from devnet.scenarios import Scenario
from reminder_worker import passes
from reminder_worker.runtime import Runtime, open_runtime

PRICES = {  # compute units and credits of a request
    "eth_getBlockByNumber": (20, 80),
    "eth_getBlockByHash": (20, 80),
    "eth_getLogs": (60, 255),
    "eth_call": (26, 80),
    "eth_getCode": (20, 80),
}
DAY = 86400
WATCHDOG_SECONDS = 180  # how long the watchdog's sight of a chain serves


async def measure() -> list[BenchFigure]:
    async with database() as (_, url), stub("mail_stub") as mail_url:
        with chain() as scenario:
            recorder = RequestRecorder(scenario.anvil.url)
            async with recorder.listening() as first:
                deployed = scenario.deployment
                environ = {
                    **deployed.settings_environ(CHAIN_ID, scenario.anvil.url),
                    **deployed.upgrade_environ(CHAIN_ID),
                    **deployed.price_environ(CHAIN_ID),
                }
                environ[f"CHAIN_{CHAIN_ID}_RPC_URLS"] = f"{first},{scenario.anvil.url}"
                environ[f"CHAIN_{CHAIN_ID}_SIGNAL_BLOCK"] = "safe"
                configured = settings(url, environ, MAIL_URL=mail_url, MAIL_TOKEN="bench")
                async with open_runtime(configured) as runtime:
                    bill = await _count_a_day(runtime, scenario, recorder)
    units, credits = (sum(PRICES[method][unit] * count for method, count in bill.items()) for unit in (0, 1))
    return [
        BenchFigure("node_bill.units_month", units * 30 / 1e6, "million compute units", None, None, "<= 8"),
        BenchFigure("node_bill.credits_day", credits / 1e6, "million credits", None, None, "<= 1.2"),
        *(BenchFigure(f"node_bill.{method}", count, "requests/day") for method, count in sorted(bill.items())),
    ]


async def _count_a_day(runtime: Runtime, scenario: Scenario, recorder: RequestRecorder) -> Counter[str]:
    bill: Counter[str] = Counter()
    for step in passes.PASSES:
        if step.switched_off(runtime.settings) is None:
            (chain_id,) = step.list_chain_ids(runtime.settings)
            await passes.run_pass(runtime, step.name)
            if step.name != "signals":
                scenario.anvil.mine()
            recorder.bodies.clear()
            await step.poll(runtime, chain_id)
            for method in _list_methods(recorder):
                bill[method] += DAY // (step.every_seconds if step.per_chain else WATCHDOG_SECONDS)
    return bill


def _list_methods(recorder: RequestRecorder) -> list[str]:
    bodies = map(loads, recorder.bodies)
    return [request["method"] for body in bodies for request in (body if isinstance(body, list) else [body])]
