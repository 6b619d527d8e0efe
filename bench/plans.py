"""Reads of growing tables in PostgreSQL's plans of our statements.

SQL texts are planned generically, with unknown parameters, as PostgreSQL finally does with a prepared statement.
Questions built in Python are executed, and planned for their values unless the generic plan seems cheaper, as in
PostgreSQL. A plan reads a whole table by a sequential scan, by an index without a condition, or by an index condition
on the chain only.
"""

import importlib
import pkgutil
import re
from collections.abc import AsyncIterator, Awaitable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from sqlalchemy import Index, TextClause, event, func, select
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.ext.asyncio import AsyncEngine

import reminder_worker
from bench.big_tables import SMALL
from bench.surroundings import CHAIN_ID
from reminder_worker.declarations import ExpectedPass, FactScope
from reminder_worker.features import FACTS
from reminder_worker.indexer import store as index_tables
from reminder_worker.indexer import tables
from reminder_worker.monitoring.erasure import erase_person
from reminder_worker.monitoring.facts import LEDGERS
from reminder_worker.monitoring.retention import forget_expired
from reminder_worker.outbox import operator
from reminder_worker.outbox.alerts import AlertOutbox
from reminder_worker.privacy.hashing import KeyedHash
from reminder_worker.relay.operator import (
    count_requests_of_other_keys,
    count_under_other_keys,
    find_requests,
    read_attempts,
)
from reminder_worker.reminders.recipients import cancel_unsent
from reminder_worker.schema import metadata
from reminder_worker.settings import ChainSettings
from reminder_worker.settings.values import PriceFeed
from reminder_worker.statistics import prices, snapshots
from reminder_worker.upgrades import store as upgrade_queue

# The name of a statement or of what asks it, and why it may read all.
WHOLE_BY_DESIGN: Final = {
    "rows_of_other_keys": "an operator asks `doctor`",
    "gifts.delete_done": "a run's end, when something is to be deleted; the look uses indexes",
    "gifts.delete_late": "as delete_done",
    "indexer.legacy_runs": "once an hour, in order of an index; each minute while something is missing",
    "indexer.timelock_runs": "as legacy_runs",
    "reminders.saved_legacies": "an operator asks `doctor`",
    "monitoring.forget_bounces": "once an hour, of a small table",
    "monitoring.forget_gift_reminders": "once an hour, of a small table",
    "monitoring.forget_gift_givers": "once an hour, of a small table",
    "bounces": "counts a small table",
    "recipients": "counts the first 100,000 rows, each quarter of an hour",
    "recent_alerts": "of a small table, each quarter of an hour",
    "monitoring.deleted_legacies": "once an hour, of watched legacies",
    "auto_renew.forget": "a run looks at every owner who opted in",
    "auto_renew.opted_in": "as forget",
    "auto_renew.something_to_forget": "as forget",
    "auto_renew.something_to_look_at": "of the owners who opted in, whether each was ever read",
    "reminders.ask_again_window": "an operator asks for a `backfill`",
    "forget_expired": "once an hour, of what lives for hours or days",
    "decisions": "what a run of auto-renew shows",
    "owners": "what a run of auto-renew shows",
    "find_requests": "an operator's list",
    "ended find_requests": "an operator's list",
    "under_other_keys": "a rotation of keys",
    "statistics.legacies": "a run counts every row, once an hour",
    "statistics.due_owners": "as statistics.legacies, in order of an index",
    "statistics.forget_owners": "as statistics.legacies",
    "statistics.holding_totals": "as statistics.legacies",
    "statistics.holding_tokens": "as statistics.legacies",
    "statistics.unreadable_tokens": "as statistics.legacies",
    "statistics.late_owners": "as statistics.legacies",
    "statistics.timelocks": "as statistics.legacies",
    "statistics.locked_amounts": "as statistics.legacies",
    "statistics count": "one row an hour",
    "gift_emails": "counts every email of every gift",
    "settled_by_day": "as gift_emails, four times an hour",
    "gift_notifications": "as recipients",
}


async def whole_reads(engine: AsyncEngine) -> dict[str, list[str]]:
    """Return the tables read as a whole by statement name, including those of `WHOLE_BY_DESIGN`."""
    found = {name: await whole_reads_of(engine, words) for name, words in statements()}
    asked: list[tuple[str, Any]] = []

    def remember(_connection: Any, _cursor: Any, words: str, values: Any, *_: Any) -> None:
        asked.append((words, values))

    event.listen(engine.sync_engine, "before_cursor_execute", remember)
    async for name, work in _questions(engine):
        asked.clear()
        await work
        found[name] = [each for words, values in tuple(asked) for each in await whole_reads_of(engine, words, values)]
    event.remove(engine.sync_engine, "before_cursor_execute", remember)
    return {name: tables for name, tables in found.items() if tables}


def statements() -> Iterator[tuple[str, str]]:
    """Return every statement of the rooms' `queries.sql` and of all modules, as the driver gets it."""
    for path in sorted(Path(reminder_worker.__path__[0]).glob("*/queries.sql")):
        room = path.parent.name
        for name, statement in importlib.import_module(f"reminder_worker.{room}.tables").sql.items():
            yield f"{room}.{name}", _as_sent(statement)
    for found in pkgutil.walk_packages(reminder_worker.__path__, "reminder_worker."):
        if ".migrations" in found.name:
            continue
        for name, value in sorted(vars(importlib.import_module(found.name)).items()):
            if isinstance(value, TextClause):
                yield f"{found.name.removeprefix('reminder_worker.')}.{name}", _as_sent(value)


def _as_sent(statement: TextClause) -> str:
    return str(statement.compile(dialect=PGDialect_psycopg()))  # type: ignore[no-untyped-call]


async def _questions(engine: AsyncEngine) -> AsyncIterator[tuple[str, Awaitable[object]]]:
    """Yield the questions of operators, metrics, the index and `/stats`; deletions come last."""
    now = datetime.now(UTC).date()
    feeds = (PriceFeed("ETH", f"0x{1:040x}", 3600),)
    priced = ChainSettings.model_construct(
        chain_id=CHAIN_ID, price_feeds=feeds, signal_block="safe", upgrade_timelock="0x"
    )
    scope = FactScope(
        engine, {CHAIN_ID: priced}, ["0x"], [ExpectedPass("dispatch", 0, 15), ExpectedPass("gifts", 0, 15)]
    )
    for fact in FACTS:
        yield fact.name, fact.read(scope)
    yield "stuck", operator.find_stuck(engine, LEDGERS)
    yield "find_requests", find_requests(engine)
    yield "ended find_requests", find_requests(engine, ended=True)
    yield "one of find_requests", find_requests(engine, request_id=uuid4())
    yield "attempts", read_attempts(engine, uuid4())
    yield "rows_of_other_keys", count_requests_of_other_keys(engine, ["k"], ["0x"], [CHAIN_ID])
    yield "under_other_keys", count_under_other_keys(engine, "k", ["0x"], [CHAIN_ID])
    yield "alerts look", AlertOutbox(engine).poll()
    yield "prices_at", prices.find_prices_at(engine, priced, int(datetime.now(UTC).timestamp()))
    yield "statistics recent", snapshots.find_recent_snapshots(engine, CHAIN_ID, 5)
    yield "statistics by day", snapshots.find_last_of_each_day(engine, CHAIN_ID, now - timedelta(days=30), now)
    yield "statistics count", snapshots.count_snapshots(engine)
    async with engine.begin() as connection:
        yield "known_logs", index_tables.known_logs(connection, CHAIN_ID, ["0x"], 2**62)
        yield "event_blocks", index_tables.event_blocks(connection, CHAIN_ID, ["0x"], -9)
        yield "select_events", index_tables.select_events(connection, CHAIN_ID, {"NotifyRequested"}, -9, -5)
        yield "newest_gifts", index_tables.newest_gifts(connection, CHAIN_ID, "0x", 2, ["0x"])
        yield "timelock_events", index_tables.timelock_events(connection, CHAIN_ID, 5, {"TimelockCreated"})
        yield "timelocks_of_owner", index_tables.timelocks_of_owner(connection, CHAIN_ID, "0x", 2**62, 51)
        yield "legacies_by_id", index_tables.legacies_by_id(connection, CHAIN_ID, [("0x", 5)])
        for table in (tables.legacy, tables.reminder_config):
            yield "select_rows", index_tables.select_rows(connection, table, CHAIN_ID, ["0x1"])
        yield "cancel_unsent", cancel_unsent(connection, [(CHAIN_ID, f"0x{1:040x}", f"0x{1:040x}")])
        newest = await connection.scalar(select(func.max(tables.chain_event.c.block_number)))
        yield "forget_after", index_tables.forget_after(connection, CHAIN_ID, ["0x"], (newest or 9) - 9)
        yield "unrecorded_events", upgrade_queue.unrecorded_events(connection, CHAIN_ID, "0x")
    yield "erase_person", erase_person(engine, KeyedHash(b"k" * 32), None, f"0x{1:040x}")
    yield "forget_expired", forget_expired(engine)


async def whole_reads_of(engine: AsyncEngine, statement: str, values: Any = None) -> list[str]:
    """Return the whole reads of a statement in the driver's form, with %(name)s."""
    async with engine.connect() as connection:
        driver: Any = (await connection.get_raw_connection()).driver_connection
        await driver.execute("set local random_page_cost = 1.1")  # or small tables are dearer by index
        cursor = await driver.execute("explain (generic_plan, format json) " + _numbered(statement))
        plan = (await cursor.fetchone())[0][0]["Plan"]
        if values is not None:
            cursor = await driver.execute("explain (format json) " + statement, values)
            plan = min(plan, (await cursor.fetchone())[0][0]["Plan"], key=lambda each: each["Total Cost"])
        await driver.rollback()
    return sorted(set(_whole(plan, limited=False)))


def _numbered(statement: str) -> str:
    names: dict[str, str] = {}

    def number(found: re.Match[str]) -> str:
        return names.setdefault(found[1], f"${len(names) + 1}") + _CASTS.get(found[1], "")

    return re.sub(r"%\((\w+)\)s", number, statement).replace("%%", "%")


# What the driver says itself of such numbers.
_CASTS: Final = {"wei": "::numeric", "max_fee": "::numeric", "priority_fee": "::numeric", "attempt_gas": "::bigint"}
_PARTIAL: Final = {
    index.name
    for table in metadata.sorted_tables
    for index in table.indexes
    if isinstance(index, Index) and index.dialect_options["postgresql"]["where"] is not None
}
_BIG: Final = {table.name for table in metadata.sorted_tables} - SMALL
_ONLY_CHAIN: Final = re.compile(r"\(chain_id = [^()]+\)")


def _whole(node: Mapping[str, Any], limited: bool) -> Iterator[str]:
    """Yield whole reads of a plan node. `limited`: a node above stops early, so an ordered index scan is not whole."""
    kind, table, index = node["Node Type"], node.get("Relation Name"), node.get("Index Name")
    condition = node.get("Index Cond")
    if kind == "Seq Scan" and table in _BIG:
        yield f"{table} in order"
    of_all = condition is None or _ONLY_CHAIN.fullmatch(condition)
    if "Index" in kind and of_all and index not in _PARTIAL and not limited and (table in _BIG or kind[:6] == "Bitmap"):
        yield f"{table or index} by {index} {condition or 'without a condition'}"
    below = kind == "Limit" or (limited and kind in ("LockRows", "Nested Loop", "Subquery Scan", "Result"))
    for child in node.get("Plans", ()):
        yield from _whole(child, below)
