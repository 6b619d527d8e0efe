"""Time and requests to index mainnet's history: a new installation with one endpoint, which limits `eth_getLogs`.

The node is a stub on the same two cores that answers after 50 ms. Each run of the pass is bounded by time as in
Dagster, and starts with a new client, as a new process does. A row with fewer blocks than `BLOCKS` is scaled up.
"""

from time import perf_counter

from bench.growth import stubbed_settings
from bench.harness import BenchFigure
from bench.history_stub import EVERY
from bench.surroundings import CHAIN_ID, database, stub
from reminder_worker.chain import wire
from reminder_worker.chain.client import Chain
from reminder_worker.chain.rpc import RpcTransport
from reminder_worker.chain.types import NODE_POLICY
from reminder_worker.indexer.chain_index import ChainIndex

START = 24_589_469
BLOCKS = 1_900_000
READ = {10_000: BLOCKS, 500: BLOCKS, 10: 20_000}
"""Blocks that are read, by the limit of a question."""
AIMS = {10_000: "<= 1", 500: "<= 5", 10: "<= 120"}
LOG_RANGE = 5000


async def measure(smaller: int = 1) -> list[BenchFigure]:
    """`smaller`: by what the number of blocks is divided."""
    return [figure for limit, blocks in READ.items() for figure in await _catch_up(limit, blocks // smaller)]


async def _catch_up(limit: int, blocks: int) -> list[BenchFigure]:
    router = stubbed_settings("postgresql://-", "http://-").chains[0].transfer_eoa_legacy_router
    async with (
        database() as (engine, url),
        stub("history_stub", str(limit), str(START), str(blocks), router) as node_url,
    ):
        configured = stubbed_settings(url, node_url).chains[0].model_copy(update={"start_block": START})
        began = perf_counter()
        while True:
            async with Chain(configured) as chain:
                progress = await ChainIndex(engine, chain).run()
            if not progress.has_more:
                break
        minutes = (perf_counter() - began) / 60
        transport = RpcTransport(node_url, 5.0)
        answer = await transport.send_one(("bench_counts", []), NODE_POLICY.answer_bytes)
        counts = wire.decode_result(answer and answer.result, dict[str, int])
        await transport.close()
    if progress.last_block != START + blocks:
        raise RuntimeError(f"chain {CHAIN_ID}: {progress}")
    ranges = blocks / min(limit, LOG_RANGE)
    headers = blocks // EVERY  # each block with a log is asked for once, whatever the ranges are
    words = "minutes" if blocks == BLOCKS else f"minutes, scaled from {blocks} blocks"
    asked = (sum(counts.values()) - counts.get("refused", 0) - headers) / ranges
    return [
        BenchFigure(f"catch_up.{limit}", minutes * BLOCKS / blocks, words, None, None, AIMS[limit]),
        BenchFigure(f"catch_up.{limit}.requests", asked, "requests a range", None, None, "<= 1.2"),
        BenchFigure(f"catch_up.{limit}.refused", counts.get("refused", 0), "refused questions"),
    ]
