"""No statement of the passes, the API or the metrics reads the whole of a table that grows."""

import time
from typing import Final
from uuid import uuid4

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from bench.big_tables import fill
from bench.plans import WHOLE_BY_DESIGN, whole_reads, whole_reads_of
from bench.surroundings import CHAIN_ID
from reminder_worker.database.queries import json_text
from reminder_worker.gifts.tables import sql

ROWS: Final = 10_000


async def test_no_statement_reads_a_table_that_grows_whole(engine: AsyncEngine) -> None:
    """Every statement in words, and every question of operators and metrics, over tables filled as by years of use."""
    await fill(engine, ROWS)
    found = await whole_reads(engine)
    assert {name: reads for name, reads in found.items() if name not in WHOLE_BY_DESIGN} == {}

    # What the check has to see: a table in order, an index without a condition, a plan that hopes for a row soon.
    for words in (
        "select * from worker.sent_ledger where state <> 'sent'",
        "select min(next_ask) from worker.watch",
        "select exists (select from worker.watch where chain_id = %(chain)s and next_ask <= %(now)s)",
        "select count(*) from worker.sent_ledger where settled_at > clock_timestamp()",
    ):
        assert await whole_reads_of(engine, words), words


async def test_a_look_at_gifts_reads_no_gift_that_waits(engine: AsyncEngine) -> None:
    """Neither the poll nor a claim reads gifts whose opening day is to come."""
    await fill(
        engine,
        0,
        {"gift_notification": ROWS // 2, "gift_reminder": ROWS // 5, "gift_giver": ROWS // 5, "gift_ledger": ROWS},
    )
    heads = json_text([{"chain_id": CHAIN_ID, "time": int(time.time())}])
    values = {"heads": heads, "retry_window": 0, "limit": 64, "token": uuid4(), "lease": 60}
    read = {}
    async with engine.connect() as connection:
        for name in ("has_work", "hurry_opened", "claim"):
            explained = text(f"explain (analyze, buffers, format json) {sql[name].text}")
            (plan,) = (await connection.execute(explained, values)).scalar_one()
            read[name] = plan["Plan"]["Shared Hit Blocks"] + plan["Plan"]["Shared Read Blocks"]
    assert max(read.values()) < 100, read
