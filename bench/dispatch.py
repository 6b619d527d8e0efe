"""ReminderDispatch: resolve, claim, decrypt, POST and record, beside a bare loop that posts the same bodies.

Real PostgreSQL with its default durability, a real node, a mail stub in a process of its own.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path
from statistics import median
from uuid import UUID, uuid4

from sqlalchemy import insert, text
from sqlalchemy.ext.asyncio import AsyncEngine

from bench.harness import RUNS, BenchFigure, seconds_of
from bench.surroundings import CHAIN_ID, chain, database, post_all, settings, stub
from reminder_worker.auto_renew.budgets import find_ending_budgets
from reminder_worker.outbox.mail_client import EmailOutcome, MailClient
from reminder_worker.outbox.tables import sent_ledger
from reminder_worker.reminders.planner import ReminderDispatch
from reminder_worker.reminders.recipients import seal_row
from reminder_worker.reminders.tables import recipient
from reminder_worker.runtime import Runtime, open_runtime

FEW, MANY = 5_000, 50_000
HEIRS = 19  # and the owner: 20 emails for each legacy
DAY = 86400
_STATM = Path("/proc/self/statm")


class _RecordingMailClient(MailClient):
    """The real client, keeping what it sends."""

    bodies: list[bytes]

    async def send_email(self, key: UUID, body: bytes) -> EmailOutcome:
        self.bodies.append(body)
        return await super().send_email(key, body)


async def measure() -> list[BenchFigure]:
    async with (
        database() as (engine, url),
        stub("mail_stub") as mail_url,
        worker(url, mail_url, "bench", MANY) as (runtime, legacies, people),
    ):
        return await _measure(engine, runtime, mail_url, legacies, people)


@asynccontextmanager
async def worker(
    database_url: str, mail_url: str, mail_token: str, emails: int
) -> AsyncIterator[tuple[Runtime, list[str], list[str]]]:
    """The worker over a real node, with legacies and their people for as many emails."""
    with chain() as scenario:
        owner = scenario.account("owner")
        heirs: dict[str, int] = {scenario.account(f"heir {n}").address: 100 // HEIRS for n in range(HEIRS - 1)}
        heirs[scenario.account("last heir").address] = 100 - sum(heirs.values())
        scenario.subscribe_premium(owner, 400 * DAY)
        legacies = [each.address for each in scenario.bulk_create(owner, emails // (HEIRS + 1), heirs)]
        environ = scenario.deployment.settings_environ(CHAIN_ID, scenario.anvil.url)
        configured = settings(database_url, environ, MAIL_URL=mail_url, MAIL_TOKEN=mail_token)
        async with open_runtime(configured) as runtime:
            while (await runtime.chain_indexes[CHAIN_ID].run()).has_more:
                pass
            people = [owner.address.lower(), *(address.lower() for address in heirs)]
            await store_recipients(runtime, legacies, people)
            yield runtime, legacies, people


async def _measure(
    engine: AsyncEngine, runtime: Runtime, mail_url: str, legacies: list[str], people: list[str]
) -> list[BenchFigure]:
    few = legacies[: FEW // len(people)]
    bodies = await _bodies(engine, runtime, few, people)
    headers = {"Content-Type": "application/json", "Authorization": "Bearer bench", "Idempotency-Key": str(uuid4())}
    assert runtime.settings.mail is not None
    concurrency = runtime.settings.mail.concurrency

    async def ours(some: list[str]) -> tuple[float, int]:
        await queue_emails(engine, some, people)
        peak = asyncio.create_task(_peak_memory())
        seconds = await seconds_of(runtime.dispatch.run)  # type: ignore[union-attr]
        peak.cancel()
        if await count_sent(engine) != len(some) * len(people):
            raise RuntimeError("not all were sent")
        return seconds, await peak

    async def floor() -> float:
        return await seconds_of(lambda: post_all(f"{mail_url}/send", bodies, concurrency, headers))

    runs = [(await floor(), await ours(few), await ours(legacies)) for _ in range(RUNS)]
    bare = FEW / median(run[0] for run in runs)
    small, large = FEW / median(run[1][0] for run in runs), MANY / median(run[2][0] for run in runs)
    ratio_small = median(run[0] / run[1][0] for run in runs)
    ratio_large = median(run[0] * (MANY / FEW) / run[2][0] for run in runs)
    growth = median(run[2][0] / run[1][0] for run in runs)
    memory = median(run[2][1] - run[1][1] for run in runs) / 2**20
    return [
        BenchFigure("dispatch.5000", small, "emails/s", bare, ratio_small, "ratio >= 0.5, >= 2,000/s"),
        BenchFigure("dispatch.50000", large, "emails/s", bare, ratio_large, "ratio >= 0.5, >= 2,000/s"),
        BenchFigure("dispatch.growth", growth, "time of 50,000 / time of 5,000", None, None, "<= 11"),
        BenchFigure("dispatch.memory", memory, "MiB more for 50,000 than for 5,000", None, None, "flat"),
    ]


async def _bodies(engine: AsyncEngine, runtime: Runtime, legacies: list[str], people: list[str]) -> list[bytes]:
    assert runtime.settings.mail is not None
    await queue_emails(engine, legacies, people)
    async with _RecordingMailClient(runtime.settings.mail) as mail:
        mail.bodies = []
        await ReminderDispatch(
            engine, runtime.chains, runtime.indexers, runtime.vault, mail, runtime.settings, find_ending_budgets
        ).run()
        return mail.bodies


async def store_recipients(runtime: Runtime, legacies: list[str], people: list[str]) -> None:
    for legacy in legacies:
        rows = []
        for person in people:
            email = f"{person[2:10]}.{legacy[2:14]}@example.com".encode()
            place = {"chain_id": CHAIN_ID, "legacy": legacy, "recipient": person}
            sealed = seal_row(runtime.vault.record_key(), (CHAIN_ID, legacy, person), email, b"A Name")
            rows.append({**place, "role": "beneficiary", "email_hash": sha256(email).digest(), **sealed})
        async with runtime.engine.begin() as connection:
            await connection.execute(insert(recipient), rows)


async def queue_emails(engine: AsyncEngine, legacies: list[str], people: list[str]) -> None:
    """A mass event: everybody of every legacy is to hear of an owner's activity."""
    async with engine.begin() as connection:
        await connection.execute(text("truncate worker.sent_ledger, worker.quota"))
        for start in range(0, len(legacies), 250):
            rows = [
                {
                    "id": uuid4(),
                    "chain_id": CHAIN_ID,
                    "legacy": legacy,
                    "recipient": person,
                    "kind": "owner_reset",
                    "event": f"0x{'ab' * 32}:1",
                    "role": "beneficiary",
                }
                for legacy in legacies[start : start + 250]
                for person in people
            ]
            await connection.execute(insert(sent_ledger), rows)
    async with engine.connect() as connection:
        await (await connection.execution_options(isolation_level="AUTOCOMMIT")).execute(text("vacuum analyze"))


async def count_sent(engine: AsyncEngine) -> int:
    async with engine.connect() as connection:
        return await connection.scalar(text("select count(*) from worker.sent_ledger where state = 'sent'")) or 0


async def _peak_memory() -> int:
    """Bytes resident at the highest, until cancelled."""
    highest = 0
    try:
        while True:
            highest = max(highest, int(_STATM.read_text().split()[1]) * 4096)  # noqa: ASYNC240 - memory, not a disk
            await asyncio.sleep(0.05)
    except asyncio.CancelledError:
        return highest
