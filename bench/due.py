"""The due pass over 20,000 watched legacies against a real node, beside the same calls issued bare."""

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from bench.harness import BenchFigure, interleaved
from bench.surroundings import CHAIN_ID, RequestRecorder, chain, database, post_all, secret_urls, settings
from devnet.scenarios import Scenario
from reminder_worker.chain.client import Chain
from reminder_worker.indexer.chain_index import ChainIndex
from reminder_worker.reminders.due_windows import DuePass, ask_now

LEGACIES = 20_000
DAY = 86400

WATCH_ALL = text("""
    insert into worker.watch (chain_id, legacy, creator, legacy_type)
    select chain_id, address, creator, legacy_type from worker.legacy
""")
_ASK_ALL = text("update worker.watch set next_ask = 0, asked_at = null")


async def measure() -> list[BenchFigure]:
    async with database() as (engine, url):
        with chain() as scenario:
            owner, heir = scenario.account("owner"), scenario.account("heir")
            scenario.subscribe_premium(owner, 400 * DAY)
            scenario.bulk_create(owner, LEGACIES, {heir.address: 100})
            return await _measure(engine, url, scenario)


async def _measure(engine: AsyncEngine, url: str, scenario: Scenario) -> list[BenchFigure]:
    node = scenario.anvil.url
    environ = scenario.deployment.settings_environ(CHAIN_ID, node)
    configured = settings(url, environ)
    direct = Chain(configured.chains[0])
    index = ChainIndex(engine, direct, ask_now)
    while (await index.advance()).has_more:
        pass
    async with engine.begin() as connection:
        await connection.execute(WATCH_ALL)
    recorder = RequestRecorder(node)
    async with recorder.listening() as recorded_url:
        recorded = Chain(configured.chains[0].model_copy(update={"rpc_urls": secret_urls(recorded_url)}))
        first = await DuePass(engine, recorded, index, configured.reminders).run()
        everything = list(recorder.bodies)
        recorder.bodies.clear()
        second = await DuePass(engine, recorded, index, configured.reminders).run()
        await recorded.close()
    if first.asked != LEGACIES:
        raise RuntimeError(f"asked about {first.asked} of {LEGACIES}")
    due = DuePass(engine, direct, index, configured.reminders)

    async def again() -> None:
        async with engine.begin() as connection:
            await connection.execute(_ASK_ALL)
        async with engine.connect() as connection:
            await (await connection.execution_options(isolation_level="AUTOCOMMIT")).execute(text("vacuum analyze"))

    async def ours() -> None:
        await due.run()

    async def bare() -> None:
        await post_all(node, everything, configured.reminders.due_concurrency, {"Content-Type": "application/json"})

    seconds, floor, ratio = await interleaved(ours, bare, before=again)
    await direct.close()
    return [
        BenchFigure("due.first_tick", LEGACIES / seconds, "legacies/s", LEGACIES / floor, ratio, "ratio >= 0.85"),
        BenchFigure("due.second_tick", second.asked / LEGACIES, "share asked again", None, None, "<= 0.05"),
    ]
