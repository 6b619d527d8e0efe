"""The due pass over 20,000 watched legacies against a real node: the daily look, and when everything changed."""

from itertools import count
from statistics import median

from sqlalchemy import TextClause, text
from sqlalchemy.ext.asyncio import AsyncEngine

from bench.harness import RUNS, BenchFigure, seconds_of
from bench.surroundings import CHAIN_ID, RequestRecorder, chain, database, secret_urls, settings
from devnet.scenarios import Scenario
from reminder_worker.chain.client import Chain
from reminder_worker.indexer.chain_index import ChainIndex
from reminder_worker.indexer.models import SAFE
from reminder_worker.reminders.due_windows import DuePass, ask_now
from reminder_worker.reminders.feature import DUE
from reminder_worker.reminders.horizon import next_reading_time

LEGACIES = 20_000
DAY = 86400
EOA = 3

WATCH_ALL = text("""
    insert into worker.watch (chain_id, legacy, creator, legacy_type)
    select chain_id, address, creator, legacy_type from worker.legacy
""")
_ALL_CHANGED = text("update worker.watch set next_ask = 0, asked_at = null")
_ALL_DUE = text("update worker.watch set next_ask = 1")


async def measure() -> list[BenchFigure]:
    async with database() as (engine, url):
        with chain() as scenario:
            owner, heir = scenario.account("owner"), scenario.account("heir")
            scenario.subscribe_premium(owner, 400 * DAY)
            scenario.bulk_create(owner, LEGACIES, {heir.address: 100})
            figures = await _measure(engine, url, scenario)
    return [*figures, BenchFigure("due.runs_day", count_runs_of_a_day(), "runs, 1,000 legacies", None, None, "<= 100")]


async def _measure(engine: AsyncEngine, url: str, scenario: Scenario) -> list[BenchFigure]:
    node = scenario.anvil.url
    configured = settings(url, scenario.deployment.settings_environ(CHAIN_ID, node))
    direct = Chain(configured.chains[0])
    index = ChainIndex(engine, direct, ask_now)
    while (await index.run()).has_more:
        pass
    async with engine.begin() as connection:
        await connection.execute(WATCH_ALL)
    recorder = RequestRecorder(node)
    bills: dict[str, tuple[int, float]] = {}
    async with recorder.listening() as recorded_url:
        recorded = Chain(configured.chains[0].model_copy(update={"rpc_urls": secret_urls(recorded_url)}))
        due = DuePass(engine, recorded, index, configured.reminders)
        for name, again in (("changed", _ALL_CHANGED), ("daily", _ALL_DUE)):
            await _make_due(engine, again)
            recorder.clear()
            if (await due.run()).asked != LEGACIES:
                raise RuntimeError("not all legacies were asked about")
            bills[name] = len(recorder.list_methods()), recorder.exchanged / 1e6
        second = await due.run()
        await recorded.close()
    due = DuePass(engine, direct, index, configured.reminders)
    figures = []
    for name, again in (("daily", _ALL_DUE), ("changed", _ALL_CHANGED)):
        times = []
        for _ in range(RUNS):
            await _make_due(engine, again)
            times.append(await seconds_of(due.run))
        requests, megabytes = bills[name]
        figures += [
            BenchFigure(f"due.{name}", requests, "requests", None, None, "<= 48" if name == "daily" else ""),
            BenchFigure(f"due.{name}_mb", megabytes, "MB asked and answered"),
            BenchFigure(f"due.{name}_rate", LEGACIES / median(times), "legacies/s"),
        ]
    await direct.close()
    return [
        *figures,
        BenchFigure("due.second_tick", second.asked / LEGACIES, "share asked again", None, None, "<= 0.05"),
    ]


async def _make_due(engine: AsyncEngine, statement: TextClause) -> None:
    async with engine.begin() as connection:
        await connection.execute(statement)
    async with engine.connect() as connection:
        await (await connection.execution_options(isolation_level="AUTOCOMMIT")).execute(text("vacuum analyze"))


def count_runs_of_a_day(legacies: int = 1000) -> int:
    """Count the runs on the second day after 1,000 legacies were saved at random times of a day, a tenth of Safes.

    The sensor ticks each minute. After an empty poll it does not ask for `every_seconds`, as `poll_pass` does.
    """
    far = (4 * 10**9,) * 3  # no window opens on these days
    types = {f"0x{number:040x}": SAFE if number % 10 == 0 else EOA for number in range(legacies)}
    rounds = {SAFE: 3600, EOA: DAY}
    next_asks = {legacy: number * 7919 % rounds[types[legacy]] for number, legacy in enumerate(types)}
    runs, quiet_until = 0, 0
    for now in count(0, 60):
        if now >= 3 * DAY:
            return runs
        if now < quiet_until:
            continue
        due = [legacy for legacy, at in next_asks.items() if at <= now]
        if not due:
            quiet_until = now + DUE.every_seconds - 5
            continue
        runs += now >= 2 * DAY
        for legacy in due:
            next_asks[legacy] = next_reading_time(now, legacy, types[legacy], far, 0)
    raise AssertionError
