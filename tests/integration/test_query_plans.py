"""No statement of the passes, the API or the metrics reads the whole of a table that grows."""

from typing import Final

from sqlalchemy.ext.asyncio import AsyncEngine

from bench.big_tables import fill
from bench.plans import WHOLE_BY_DESIGN, whole_reads, whole_reads_of

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
