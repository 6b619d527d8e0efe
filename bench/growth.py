"""Cost of an email, a legacy and an entry as their number grows.

`value` is items a second, `floor` the value of the smallest size, and `ratio` the remaining share: 1 is a flat curve.
Real PostgreSQL with its default durability, a database for each size on one server, the sizes in turn; the node of the
due pass is a stub in a process of its own.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from statistics import median
from time import perf_counter

from sqlalchemy import make_url, text
from sqlalchemy.ext.asyncio import AsyncEngine

from bench.big_tables import fill, vacuum
from bench.harness import RUNS, BenchFigure
from bench.node_stub import NOW
from bench.surroundings import CHAIN_ID, postgres, settings, stub
from reminder_worker.chain.client import Chain
from reminder_worker.database.engine import open_engine
from reminder_worker.database.migrate import migrate_database
from reminder_worker.indexer.chain_index import ChainIndex
from reminder_worker.outbox import outcomes
from reminder_worker.outbox.daily_quota import DailyQuota
from reminder_worker.outbox.store import OutboxStore
from reminder_worker.reminders.due_windows import DuePass, ask_now
from reminder_worker.reminders.emails import ReminderLedger
from reminder_worker.reminders.rendering import ReminderRenderer
from reminder_worker.schema import metadata
from reminder_worker.settings import Settings
from reminder_worker.settings.chains import CONTRACTS

RECIPIENTS = (1_000, 10_000, 100_000)
WATCHED = (1_000, 20_000, 200_000)
LEDGER = (1_000_000, 10_000_000)
AT_LEAST = 10_000  # items in one run, however few there are
BODY = b"b" * 600
AIM = "ratio >= 0.83: cost of each within 20% of flat"
Work = Callable[[AsyncEngine, int, int], Awaitable[float]]
"""Items a second, of an engine, a size and `AT_LEAST`."""

_QUEUE = text("""
    update worker.sent_ledger
    set state = 'queued', next_try = now(), message_id = null, settled_at = null, claimed_at = null, lease_token = null
    where chain_id = :chain and legacy in (
        select '0x' || lpad(to_hex(n), 40, '0') from generate_series(1, :count) n
    )
""")
_SETTLE_ALL = """
    update worker.sent_ledger set state = 'sent', message_id = 'm', settled_at = now(), claimed_at = now()
    where state <> 'sent'
"""
_ASK_ALL = text("update worker.watch set next_ask = :now - 1, asked_at = null")


async def measure(smaller: int = 1, runs: int = RUNS) -> list[BenchFigure]:
    """`smaller`: by what every size is divided."""
    with postgres() as url:
        async with stub("node_stub") as node_url:
            curves = (
                ("recipients", "emails/s", RECIPIENTS, ("recipient", "sent_ledger"), _all_emails),
                ("watched", "legacies/s", WATCHED, ("watch",), _due(node_url)),
                ("ledger", "entries/s", LEDGER, ("sent_ledger",), _a_slice),
            )
            return [
                figure
                for name, unit, sizes, tables, work in curves
                for figure in await _curve(
                    url, name, unit, [size // smaller for size in sizes], tables, work, AT_LEAST // smaller, runs
                )
            ]


async def _curve(
    url: str, name: str, unit: str, sizes: Sequence[int], tables: Sequence[str], work: Work, least: int, runs: int
) -> list[BenchFigure]:
    async with AsyncExitStack() as stack:
        engines = {}
        for size in sizes:
            engines[size] = await stack.enter_async_context(_database(url, f"{name}_{size}"))
            await fill(engines[size], 0, {"recipient": least} | dict.fromkeys(tables, size))
            await _in_peace(engines[size], _SETTLE_ALL)
        rates: dict[int, list[float]] = {size: [] for size in sizes}
        for _ in range(runs):
            for size in sizes:
                rates[size].append(await work(engines[size], size, least))
    few = sizes[0]
    return [
        BenchFigure(
            f"growth.{name}.{size}",
            median(rates[size]),
            unit,
            median(rates[few]),
            median(many / one for many, one in zip(rates[size], rates[few], strict=True)),
            AIM,
        )
        for size in sizes
    ]


async def _all_emails(engine: AsyncEngine, size: int, least: int) -> float:
    """Everybody is to hear: claimed, stored, looked at once more and settled as sent."""
    seconds = 0.0
    times = max(1, least // size)
    for _ in range(times):
        seconds += await _send(engine, size)
    return times * size / seconds


async def _a_slice(engine: AsyncEngine, _size: int, least: int) -> float:
    """Return the seconds per size for a ledger with mostly old, settled rows."""
    return least / await _send(engine, least)


async def _send(engine: AsyncEngine, count: int) -> float:
    async with engine.begin() as connection:
        await connection.execute(text("truncate worker.quota"))
        await connection.execute(_QUEUE, {"chain": CHAIN_ID, "count": count})
    await vacuum(engine)
    await _in_peace(engine, "checkpoint")
    began = perf_counter()
    done = await send_due(engine)
    seconds = perf_counter() - began
    if done != count:
        raise RuntimeError(f"{done} of {count} were sent")
    return seconds


async def send_due(engine: AsyncEngine) -> int:
    """Claim, store and settle every due email as sent; return how many."""
    ledger = OutboxStore(engine, ReminderLedger(), DailyQuota(10**6))
    done = 0
    while not (claim := await ledger.claim_due(ReminderRenderer.batch_size)).idle:
        bodies = {each.id: (BODY, each.stored.salt, each.id.bytes * 2) for each in claim.entries if each.stored}
        stored = await ledger.store_bodies(claim, bodies)
        await ledger.find_not_to_post(claim, stored)
        sent = [outcomes.settle_sent(each, f"<{each.id.hex}@mail.example.org>") for each in claim.entries]
        await ledger.settle_claim(claim, sent)
        done += len(stored)
    return done


def _due(node_url: str) -> Work:
    async def ask_all(engine: AsyncEngine, size: int, least: int) -> float:
        seconds = 0.0
        times = max(1, least // size)
        configured = stubbed_settings(str(engine.url), node_url)
        chain = Chain(configured.chains[0])
        for _ in range(times):
            async with engine.begin() as connection:
                await connection.execute(_ASK_ALL, {"now": NOW})
            await vacuum(engine)
            due = DuePass(engine, chain, ChainIndex(engine, chain, ask_now), configured.reminders)
            began = perf_counter()
            report = await due.run()
            seconds += perf_counter() - began
            if report.asked != size or report.reverting:
                raise RuntimeError(f"{report.asked} of {size} were asked about, {report.reverting} revert")
        await chain.close()
        return times * size / seconds

    return ask_all


def stubbed_settings(database_url: str, node_url: str) -> Settings:
    """Return settings with invented contracts: the stub answers for all."""
    addresses = {f"CHAIN_{CHAIN_ID}_{name.upper()}": f"0x{n:040x}" for n, name in enumerate(CONTRACTS, start=1)}
    return settings(
        database_url, {**addresses, f"CHAIN_{CHAIN_ID}_RPC_URLS": node_url, f"CHAIN_{CHAIN_ID}_START_BLOCK": "0"}
    )


@asynccontextmanager
async def _database(server: str, name: str) -> AsyncIterator[AsyncEngine]:
    """A migrated one of its own on this server, gone afterwards."""
    admin = open_engine(server)
    await _in_peace(admin, f"create database {name}")
    engine = open_engine(make_url(server).set(database=name).render_as_string(hide_password=False))
    try:
        await migrate_database(engine, metadata)
        yield engine
    finally:
        await engine.dispose()
        await _in_peace(admin, f"drop database {name} with (force)")
        await admin.dispose()


async def _in_peace(engine: AsyncEngine, words: str) -> None:
    """Outside of a transaction."""
    async with engine.connect() as connection:
        await (await connection.execution_options(isolation_level="AUTOCOMMIT")).execute(text(words))
