"""The whole way of a mass event: from emails that are due to the SMTP server's acceptance of each.

The worker's dispatch with a real node, the mail service as operators start it, PostgreSQL with its durability, and an
SMTP server that answers each command after 30 milliseconds.
"""

import asyncio
from functools import partial
from statistics import median

from sqlalchemy.ext.asyncio import AsyncEngine

from bench.dispatch import FEW, count_sent, queue_emails, worker
from bench.harness import BenchFigure, seconds_of
from bench.mail import TOKEN, mail_service
from bench.surroundings import database, stub
from reminder_worker.runtime import Runtime


async def measure() -> list[BenchFigure]:
    async with (
        stub("smtp_sink", "30") as sink,
        database() as (engine, url),
        mail_service(url, sink.rpartition(":")[2]) as mail_url,
        worker(url, mail_url, TOKEN, FEW) as (runtime, legacies, people),
    ):
        seconds = []
        for _ in range(3):
            await queue_emails(engine, legacies, people)
            seconds.append(await seconds_of(partial(_send_all, engine, runtime)))
    return [BenchFigure("end_to_end", FEW / median(seconds), "emails/s", None, None, ">= 100")]


async def _send_all(engine: AsyncEngine, runtime: Runtime) -> None:
    """Run the dispatch as its sensor does: again while something is left."""
    if runtime.dispatch is None:
        raise RuntimeError("no mail service is configured")
    async with asyncio.timeout(900):
        while await count_sent(engine) < FEW:
            if await runtime.dispatch.poll():
                await runtime.dispatch.run()
            else:  # what a slow mail service left waits for its next try
                await asyncio.sleep(1)
