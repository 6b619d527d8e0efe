"""Requests to the node for viewers of a gift: one viewer, a crowd within a block's time, and a gift that ended.

Page and facts over HTTP, as on a public chain, with an index that knows the gifts.
"""

import asyncio

import aiohttp

from api.server import open_servers
from bench.harness import BenchFigure
from bench.stats_rps import logging_as_served
from bench.surroundings import CHAIN_ID, RequestRecorder, chain, database, secret_urls, settings
from devnet.scenarios import Scenario
from reminder_worker.monitoring.node_bill import find_prices
from reminder_worker.runtime import open_runtime
from reminder_worker.settings import Settings

CROWD = 200
HOUR = 3600


async def measure() -> list[BenchFigure]:
    async with database() as (_, url):
        with chain() as scenario:
            environ = scenario.deployment.settings_environ(CHAIN_ID, scenario.anvil.url)
            more = {"RATE_LIMIT_PER_MINUTE": "1000000", "API_PORT": "0", "METRICS_PORT": "0"}
            configured = settings(url, environ, GIFT_ORIGINS="https://gifts.example", GIFT_PREFIX="gifts", **more)
            recorder = RequestRecorder(scenario.anvil.url)
            async with recorder.listening() as node:
                through = configured.chains[0].model_copy(update={"rpc_urls": secret_urls(node)})
                with logging_as_served(configured):
                    return await _view(configured.model_copy(update={"chains": (through,)}), scenario, recorder)


async def _view(configured: Settings, scenario: Scenario, recorder: RequestRecorder) -> list[BenchFigure]:
    giver, ada = scenario.account("giver"), scenario.account("ada")
    ended, first, alone, crowded = (scenario.create_gift(giver, ada.address, eth=1, duration=0) for _ in range(4))
    scenario.withdraw_gift(ada, ended)
    scenario.advance(HOUR)
    scenario.anvil.mine(2 * scenario.anvil.slots_in_an_epoch + 1)
    async with open_runtime(configured) as runtime, open_servers(runtime) as (port, _), aiohttp.ClientSession() as web:
        runtime.chains[CHAIN_ID].shares_heads = True
        await runtime.chain_indexes[CHAIN_ID].run()

        async def count(gift: int, viewers: int) -> list[str]:
            recorder.clear()
            paths = (f"gifts/{CHAIN_ID}/{gift}", f"gift/{CHAIN_ID}/{gift}")
            asked = [web.get(f"http://127.0.0.1:{port}/{path}") for path in paths for _ in range(viewers)]
            for answer in await asyncio.gather(*asked):
                if answer.status != 200:
                    raise RuntimeError(f"a view has the status {answer.status}")
                await answer.read()
            return recorder.list_methods()

        for gift in (first, ended):  # the endpoint's chain id, the token's name and the gift's end are read once
            await count(gift, 1)
        one, many, none = await count(alone, 1), await count(crowded, CROWD), await count(ended, CROWD)
    price = find_prices("https://alchemy.com").price_of
    return [
        BenchFigure("gift_view.requests", len(one), "requests for a page with its facts", aim="<= 1"),
        BenchFigure("gift_view.units", sum(map(price, one)), "compute units", aim="<= 26"),
        BenchFigure("gift_view.crowd", len(many), f"requests for {CROWD} viewers in a block's time", aim="<= 1"),
        BenchFigure("gift_view.ended", len(none), f"requests for {CROWD} viewers of a gift that ended", aim="0"),
    ]
