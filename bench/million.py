"""The budget: a million legacies with the rows of `bench.big_tables`, on one database.

Measures a poll and a run of every pass, a scrape, the deletion of expired rows, and the size of the database. It also
checks that no statement reads a whole table outside of `bench.plans.WHOLE_BY_DESIGN`. Some legacies are on a real
chain: their signals are read, planned and sent. Questions about tens of thousands go to a stub with free answers.
"""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from api.metrics import MetricsApp, RequestMetrics
from bench.big_tables import FOR_EACH_LEGACY, populate, vacuum
from bench.dispatch import store_recipients
from bench.harness import RUNS, BenchFigure
from bench.node_stub import NOW, TOKENS
from bench.plans import WHOLE_BY_DESIGN, whole_reads
from bench.surroundings import CHAIN_ID, chain, database, settings, stub
from bench.withdrawals import RELAYER_KEY
from devnet.scenarios import Legacy, Scenario
from reminder_worker import passes
from reminder_worker.features import PASS_BY_NAME, POLLED_PASSES
from reminder_worker.monitoring.retention import forget_expired
from reminder_worker.reminders.operator_facts import count_windows
from reminder_worker.runtime import Runtime, open_runtime

LEGACIES = 1_000_000
DUE = 40_000  # what an hour brings: each legacy is asked about once a day
REAL = 200
DAY = 86_400
STUBBED = ("due", "auto_renew", "statistics")
_ATTESTOR_KEY = "0x" + "5a" * 32
_DUE = text("""
    update worker.watch set next_ask = :now - 1, asked_at = null
    where (chain_id, legacy) in (select chain_id, legacy from worker.watch order by legacy limit :count)
""")
_WATCH = text("""
    insert into worker.watch (chain_id, legacy, creator, legacy_type)
    select chain_id, address, creator, legacy_type from worker.legacy where address = any(:legacies)
""")
_PLANNED = text("update worker.due_window set planned_at = now() where planned_at is null")
_AN_HOUR_LATER = text("update worker.owner_activity set next_look = next_look - 3600")
_SIZE = text("select pg_database_size(current_database())")
_PROCESS = Path("/proc/self")


@dataclass(frozen=True, slots=True)
class PassCost:
    seconds: float
    mib: float  # more than before, at the highest


async def measure(legacies: int = LEGACIES, due: int = DUE, real: int = REAL) -> list[BenchFigure]:
    async with AsyncExitStack() as stack:
        engine, url = await stack.enter_async_context(database())
        node, mail = [await stack.enter_async_context(stub(name)) for name in ("node_stub", "mail_stub")]
        folder = stack.enter_context(TemporaryDirectory(prefix="rw-bench-"))
        scenario = stack.enter_context(chain())
        await populate(engine, legacies)
        environ = {
            **scenario.deployment.settings_environ(CHAIN_ID, scenario.anvil.url),
            **scenario.deployment.upgrade_environ(CHAIN_ID),
            **scenario.deployment.price_environ(CHAIN_ID),
            "MAIL_URL": mail,
            "MAIL_TOKEN": "bench",
            "GIFT_ORIGINS": "https://gifts.example",
            "RELAYER_KEY": RELAYER_KEY,
            "ATTESTOR_KEY": _ATTESTOR_KEY,
            "STATISTICS_FOLDER": folder,
        }
        looks: dict[str, PassCost] = {}
        async with open_runtime(settings(url, environ)) as runtime:
            found = await _real(runtime, scenario, real, looks)
        async with open_runtime(settings(url, {**environ, f"CHAIN_{CHAIN_ID}_RPC_URLS": node})) as runtime:
            found += await _stubbed(runtime, legacies, due, looks)
        return [*_of_looks(looks), *found, *await _questions(engine), *await _database(engine)]


# -- at a real node -------------------------------------------------------------------------------


async def _real(runtime: Runtime, scenario: Scenario, count: int, looks: dict[str, PassCost]) -> list[BenchFigure]:
    """Everything but what is asked about very many."""
    owner, heirs = scenario.account("owner"), [scenario.account(name) for name in ("heir", "other heir")]
    scenario.subscribe_premium(owner, 400 * DAY)
    legacies = scenario.bulk_create(owner, count, {heir.address: 50 for heir in heirs})
    people = [each.address.lower() for each in (owner, *heirs)]
    await _run(runtime, "index")
    await store_recipients(runtime, [each.address for each in legacies], people)
    async with runtime.engine.begin() as connection:
        await connection.execute(_WATCH, {"legacies": [each.address for each in legacies]})
        await connection.execute(_PLANNED)
    for wallet in runtime.wallets:
        scenario.anvil.set_balance(wallet.address, 10**24)
    for name in ("due", "relay", "prices", "upgrades", "alerts", "watchdog"):
        await _run(runtime, name)
    for step in POLLED_PASSES:
        if step.name not in STUBBED:
            looks[step.name] = await _look(runtime, step.name)
    return [
        *await _signals(runtime, scenario, legacies, len(people)),
        *[
            BenchFigure(f"million.{name}.run", (await _run(runtime, name))[0].seconds * 1000, "ms, nothing due")
            for name in ("gifts", "bounces", "relay", "prices", "upgrades", "alerts", "watchdog")
        ],
        *await _scrape(runtime),
    ]


async def _signals(runtime: Runtime, scenario: Scenario, legacies: list[Legacy], people: int) -> list[BenchFigure]:
    """From blocks to emails."""
    for legacy in legacies:
        scenario.check_in(scenario.account("owner"), legacy)
    costs, signals, emails = {}, len(legacies), len(legacies) * people
    for name in ("index", "signals", "dispatch"):
        costs[name], report = await _run(runtime, name)
    sent = sum(states.get("sent", 0) for states in report["outcomes"].values())
    if sent != emails:
        raise RuntimeError(f"{sent} of {emails} were sent: {report}")
    figures = [
        BenchFigure("million.index.run", signals / costs["index"].seconds, "events/s"),
        BenchFigure("million.signals.run", signals / costs["signals"].seconds, "signals/s"),
        BenchFigure("million.dispatch.run", emails / costs["dispatch"].seconds, f"emails/s, {emails} planned and sent"),
    ]
    return [*figures, *(_memory(name, cost) for name, cost in costs.items())]


async def _scrape(runtime: Runtime) -> list[BenchFigure]:
    scrape = MetricsApp(runtime.engine, runtime.chains, RequestMetrics(), runtime.wallets, runtime.settings)
    if b"database_up 1.0" not in await scrape.text():
        raise RuntimeError("a scrape took too long for the database's part")
    costs = [await _cost(scrape.text) for _ in range(RUNS)]
    return [BenchFigure("million.scrape", median(each.seconds for each in costs) * 1000, "ms, every gauge of /metrics")]


# -- at a stub ------------------------------------------------------------------------------------


async def _stubbed(runtime: Runtime, legacies: int, due: int, looks: dict[str, PassCost]) -> list[BenchFigure]:
    await _run(runtime, "due")  # of those whose owners checked in
    for name in STUBBED:
        looks[name] = await _look(runtime, name)
    runs = []
    for _ in range(3):
        async with runtime.engine.begin() as connection:
            await connection.execute(_DUE, {"now": NOW, "count": due})
        cost, report = await _run(runtime, "due")
        runs.append(cost)
        if report["asked"] != due:
            raise RuntimeError(f"{report['asked']} of {due} were asked about")
    rate = due / median(each.seconds for each in runs)
    async with runtime.engine.begin() as connection:
        await connection.execute(_AN_HOUR_LATER)
    await vacuum(runtime.engine)
    opted_in = int(legacies * FOR_EACH_LEGACY["owner_activity"])
    renewing, renewed = await _run(runtime, "auto_renew")
    if renewed["legacies"] == 0:
        raise RuntimeError("nobody's timer was looked at")
    counting, counted = await _run(runtime, "statistics")
    if counted["legacies"] < legacies or not 0 < counted["owners_read"] < legacies / 10:
        raise RuntimeError(f"{counted['legacies']} legacies were counted")
    return [
        BenchFigure("million.due.run", rate, "legacies/s"),
        BenchFigure("million.due.day", legacies / rate, "s of a day to ask about all once"),
        _memory("due", max(runs, key=lambda each: each.mib), f"{due} due"),
        BenchFigure(
            "million.auto_renew.run",
            renewing.seconds,
            f"s, an hour's share: {renewed['legacies']} of {opted_in} owners",
        ),
        _memory("auto_renew", renewing),
        BenchFigure(
            "million.statistics.run",
            counting.seconds,
            f"s, once an hour; {counted['owners_read']} owners read, {TOKENS} tokens",
        ),
        _memory("statistics", counting),
    ]


# -- the database ---------------------------------------------------------------------------------


async def _questions(engine: AsyncEngine) -> list[BenchFigure]:
    shown = await _cost(lambda: count_windows(engine))
    forgetting = await _cost(lambda: forget_expired(engine))
    found = {name: reads for name, reads in (await whole_reads(engine)).items() if name not in WHOLE_BY_DESIGN}
    if found:
        raise RuntimeError(f"whole tables are read: {found}")
    return [
        BenchFigure(
            "million.due.shown", shown.seconds * 1000, "ms, open windows by kind, which Dagster shows after a run"
        ),
        BenchFigure("million.forget", forgetting.seconds, "s, once an hour"),
        BenchFigure(
            "million.whole_reads", len(found), "statements that read a table that grows whole", None, None, "0"
        ),
    ]


async def _database(engine: AsyncEngine) -> list[BenchFigure]:
    async with engine.connect() as connection:
        size = await connection.scalar(_SIZE)
    about = f"GiB; {FOR_EACH_LEGACY['recipient']} people, {FOR_EACH_LEGACY['sent_ledger']} emails a legacy"
    return [BenchFigure("million.database", float(size or 0) / 2**30, about)]


# -- what something costs -------------------------------------------------------------------------


async def _look(runtime: Runtime, name: str) -> PassCost:
    step = PASS_BY_NAME[name]
    (chain_id,) = step.list_chain_ids(runtime.settings)
    for _ in range(12):  # until every statement is a prepared one
        await passes.poll_part(runtime, step, chain_id)
    costs = [await _cost(lambda: passes.poll_part(runtime, step, chain_id)) for _ in range(RUNS)]
    return PassCost(median(each.seconds for each in costs), max(each.mib for each in costs))


def _of_looks(looks: Mapping[str, PassCost]) -> list[BenchFigure]:
    highest = max(each.mib for each in looks.values())
    times = [BenchFigure(f"million.{name}.look", each.seconds * 1000, "ms") for name, each in looks.items()]
    return [*times, BenchFigure("million.looks.memory", highest, "MiB more at the highest, of any look")]


async def _run(runtime: Runtime, name: str) -> tuple[PassCost, Mapping[str, Any]]:
    step = PASS_BY_NAME[name]
    (chain_id,) = step.list_chain_ids(runtime.settings)
    reports: list[Mapping[str, Any]] = []

    async def work() -> None:
        reports.append(passes.report_of(await passes.run_part(runtime, step, chain_id)))

    return await _cost(work), reports[0]


async def _cost(work: Callable[[], Awaitable[object]]) -> PassCost:
    (_PROCESS / "clear_refs").write_text("5")  # what is the highest is forgotten
    before, began = _kib("VmRSS"), perf_counter()
    await work()
    return PassCost(perf_counter() - began, (_kib("VmHWM") - before) / 1024)


def _kib(name: str) -> int:
    """Return a memory figure of this process."""
    lines = (_PROCESS / "status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name))


def _memory(name: str, cost: PassCost, about: str = "") -> BenchFigure:
    unit = "MiB more at the highest" + (f", {about}" if about else "")
    return BenchFigure(f"million.{name}.memory", cost.mib, unit)
