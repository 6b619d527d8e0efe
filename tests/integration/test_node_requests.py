"""Requests to nodes are counted by day, endpoint, pass and method, and the processes' counts add up."""

import asyncio
from collections import Counter

import pytest
from aiohttp import web
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from devnet.leaks import KnownSecret, search
from devnet.scenarios import Scenario
from reminder_worker import passes
from reminder_worker.database.engine import open_engine
from reminder_worker.indexer.feature import INDEX
from reminder_worker.monitoring.feature import WATCHDOG
from reminder_worker.monitoring.node_requests import store_requests
from reminder_worker.monitoring.retention import forget_expired
from reminder_worker.outbox.messages import format_deadline
from reminder_worker.reminders.feature import SIGNALS
from reminder_worker.runtime import open_runtime
from reminder_worker.settings import Settings
from tests.integration.chain_proxy import NodeProxy, proxy
from tests.integration.reminder_world import CHAIN_ID, settings_for

pytestmark = pytest.mark.core

KEY = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6"


def settings_of(scenario: Scenario, database_url: str, *nodes: NodeProxy, **environ: str) -> Settings:
    urls = ",".join(node.url for node in nodes)
    return settings_for(scenario, "http://127.0.0.1:1", database_url, **{f"CHAIN_{CHAIN_ID}_RPC_URLS": urls}, **environ)


async def read_counts(engine: AsyncEngine, column: str) -> Counter[str]:
    async with engine.connect() as connection:
        found = await connection.execute(
            text(f"select {column}, cast(sum(count) as int) from worker.node_request group by 1")
        )
        return Counter(dict(map(tuple, found)))


async def test_counts_of_processes_add_up_by_pass_and_method(
    chain_scenario: Scenario, engine: AsyncEngine, database_url: str
) -> None:
    """Two workers at once: a poll asks both endpoints in batches, a run asks more, and a command asks for the head."""
    async with proxy(chain_scenario.anvil.url, KEY) as first, proxy(chain_scenario.anvil.url, KEY) as second:
        settings = settings_of(chain_scenario, database_url, first, second)
        async with open_runtime(settings) as one, open_runtime(settings) as other:
            await asyncio.gather(passes.poll_pass(one, INDEX), passes.poll_pass(other, INDEX))
            polled = first.asked + second.asked
            assert await read_counts(engine, "method") == polled
            assert await read_counts(engine, "pass") == {"index": polled.total()}
            await passes.run_pass(one, SIGNALS)
            ran = (first.asked + second.asked).total() - polled.total()
            assert ran > 0
            await other.chains[CHAIN_ID].get_head()
            outside = (first.asked + second.asked).total() - polled.total() - ran
        assert await read_counts(engine, "pass") == {"index": polled.total(), "signals": ran, "cli": outside}
        assert await read_counts(engine, "method") == first.asked + second.asked
        assert await read_counts(engine, "endpoint") == {
            "1:127.0.0.1": first.asked.total(),
            "2:127.0.0.1": second.asked.total(),
        }
        async with engine.connect() as connection:
            rows = (await connection.execute(text("select * from worker.node_request"))).all()
        assert search([KnownSecret("the key of an endpoint", KEY.encode())], [("rows", str(rows).encode())]) == []


async def test_refused_requests_count_too(chain_scenario: Scenario, engine: AsyncEngine, database_url: str) -> None:
    async with proxy(chain_scenario.anvil.url) as node:
        node.most_in_a_batch = 1
        async with open_runtime(settings_of(chain_scenario, database_url, node)) as runtime:
            await passes.poll_pass(runtime, INDEX)
        assert await read_counts(engine, "method") == node.asked


async def test_counts_are_kept_for_90_days(chain_scenario: Scenario, engine: AsyncEngine, database_url: str) -> None:
    async with proxy(chain_scenario.anvil.url) as node:
        async with open_runtime(settings_of(chain_scenario, database_url, node)) as runtime:
            await runtime.chains[CHAIN_ID].get_head()
        for moved, deleted in ((90, 0), (1, len(node.asked))):
            async with engine.begin() as connection:
                await connection.execute(text(f"update worker.node_request set day = day - {moved}"))
            assert await forget_expired(engine) == deleted
        assert await read_counts(engine, "method") == {}


async def test_counts_wait_for_a_database_that_does_not_answer(
    chain_scenario: Scenario, engine: AsyncEngine, database_url: str
) -> None:
    unreachable = open_engine("postgresql+psycopg://nobody@127.0.0.1:1/none")
    async with proxy(chain_scenario.anvil.url) as node:
        async with open_runtime(settings_of(chain_scenario, database_url, node)) as runtime:
            await runtime.chains[CHAIN_ID].get_head()
            await store_requests(unreachable, runtime.chains)
            assert await read_counts(engine, "method") == {}
        assert await read_counts(engine, "method") == node.asked


async def test_an_endpoint_without_allowance_rests_and_the_next_one_answers(
    chain_scenario: Scenario, engine: AsyncEngine, database_url: str
) -> None:
    """The alert comes once, names the endpoint and the end of its rest, and once more when it answers again."""

    async def pass_minutes() -> None:
        async with engine.begin() as connection:
            await connection.execute(text("update worker.alert_state set turning_since = now() - interval '1 hour'"))

    async def read_alerts() -> list[tuple[str, str]]:
        async with engine.connect() as connection:
            found = await connection.execute(
                text(
                    "select variables->>'status', cast(variables->'facts' as text) from worker.alert"
                    " where kind = 'rpc_trouble' and subject = 'allowance of endpoint 1:127.0.0.1' order by created_at"
                )
            )
            return [(row[0], row[1]) for row in found]

    async with (
        proxy(chain_scenario.anvil.url, KEY) as first,
        proxy(chain_scenario.anvil.url) as second,
        open_runtime(settings_of(chain_scenario, database_url, first, second)) as runtime,
    ):
        first.reply = lambda: web.json_response({"error": {"code": 402, "message": "Payment Required"}}, status=402)
        for _ in range(2):
            (looked,) = await passes.poll_pass(runtime, INDEX)
            assert looked.error is None
            await passes.poll_pass(runtime, WATCHDOG)
            await pass_minutes()
        assert first.asked == {"eth_chainId": 1}, "it rests"
        assert second.asked["eth_getBlockByNumber"] > 1
        rest = runtime.chains[CHAIN_ID].endpoints.members[0].rest
        ((status, facts),) = await read_alerts()
        assert status == "raised"
        assert format_deadline(rest.spent_until) in facts
        assert rest.spent_until % 86400 == 0, "the next midnight"
        assert KEY not in facts

        first.well()
        rest.until = 0.0  # midnight
        for _ in range(2):
            await passes.poll_pass(runtime, WATCHDOG)
            await pass_minutes()
        assert [status for status, _ in await read_alerts()] == ["raised", "cleared"]
        assert first.asked["eth_getBlockByNumber"] > 0
