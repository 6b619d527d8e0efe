"""Bytes of a row of each table that keeps its rows for ever, and the GiB of a year.

The service's own statements write the rows and lead each through its states. Addresses and hashes are random, as on a
chain. The bench vacuums a table after each tenth of the rows, as autovacuum would.
"""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from random import Random
from typing import Final
from uuid import UUID

from sqlalchemy import insert, text
from sqlalchemy.ext.asyncio import AsyncEngine

from bench.big_tables import FOR_EACH_LEGACY
from bench.growth import send_due
from bench.harness import BenchFigure
from bench.surroundings import CHAIN_ID, database
from mail_service import store as mail_store
from reminder_worker.database.queries import array_text, json_text
from reminder_worker.indexer.projection import NOTIFY, ChainEvent
from reminder_worker.indexer.store import add_events
from reminder_worker.reminders.audience import format_signal_event, format_window_event
from reminder_worker.reminders.tables import notify_signal, recipient, sql

ROWS: Final = 100_000
TENTHS: Final = 10
Writer = Callable[[int], Awaitable[None]]
"""Writes a number of rows."""
MOST_EMAILS: Final = 365_000_000
"""A million emails a day."""
EMAILS_OF_LEGACIES: Final = 600_000
"""Six a year for each of 100,000 legacies: of a signal and of a window, to three people each."""
_NOW: Final = 1_790_000_000
_random: Final = Random(43)


async def measure(rows: int = ROWS) -> list[BenchFigure]:
    async with database() as (engine, url), mail_store.MailStore.open(url, 1) as mail:
        writers: Mapping[str, Writer] = {
            "mail_service.message": partial(_post_emails, mail.engine),
            "worker.sent_ledger": partial(_send_reminders, engine),
            "worker.chain_event": partial(_index_events, engine),
            "worker.notify_signal": partial(_plan_signals, engine),
            "worker.due_window": partial(_close_windows, engine),
        }
        sizes = {table: await _measure_row(engine, table, write, rows) for table, write in writers.items()}
    of_email = sum(size * _count_rows_of_email(table) for table, size in sizes.items())
    return [
        BenchFigure("growth.year", of_email * MOST_EMAILS / 2**30, "GiB of a million emails a day", aim="<= 1024"),
        BenchFigure("growth.year.legacies", of_email * EMAILS_OF_LEGACIES / 2**30, "GiB of 100,000 legacies"),
        *(BenchFigure(f"growth.year.{table.split('.')[1]}", size, "bytes of a row") for table, size in sizes.items()),
    ]


def _count_rows_of_email(table: str) -> float:
    """Return the rows for each email, as `bench.big_tables` fills the tables."""
    name = table.split(".")[1]
    return 1 if name == "message" else FOR_EACH_LEGACY[name] / FOR_EACH_LEGACY["sent_ledger"]


async def _measure_row(engine: AsyncEngine, table: str, write: Writer, rows: int) -> float:
    """Return the bytes of a row with its part of the indexes."""
    for _ in range(TENTHS):
        await write(rows // TENTHS)
        async with engine.connect() as connection:
            in_peace = await connection.execution_options(isolation_level="AUTOCOMMIT")
            await in_peace.execute(text(f"vacuum analyze {table}"))
    async with engine.connect() as connection:
        return float(await connection.scalar(text(f"select pg_total_relation_size('{table}') / {rows}")))


async def _post_emails(engine: AsyncEngine, count: int) -> None:
    """Write the rows of emails that SMTP accepted more than 30 days ago."""
    for _ in range(count // 100):
        attempts = [_random.getrandbits(62) for _ in range(100)]
        values = {
            "keys": [_make_uuid() for _ in attempts],
            "body_hashes": [_random.randbytes(32) for _ in attempts],
            "attempts": attempts,
            "message_ids": [f"<{_random.randbytes(16).hex()}@mail.example.org>" for _ in attempts],
            "address_hashes": [_random.randbytes(32) for _ in attempts],
            "instance": 1,
        }
        async with engine.connect() as connection:
            await connection.execute(mail_store.statements["claim"], values)
            for name in ("hand_over_free_rows", "accept_free_rows"):
                await connection.execute(mail_store.statements[name], {"attempts": attempts})
    async with engine.connect() as connection:
        await connection.execute(
            text("update mail_service.message set address_hash = null where address_hash is not null")
        )


async def _send_reminders(engine: AsyncEngine, count: int) -> None:
    """Plan and send emails: half of a signal, half of a window."""
    addresses = [(_make_address(), _make_address()) for _ in range(count)]
    people = [
        {
            "chain_id": CHAIN_ID, "legacy": legacy, "recipient": person, "role": "beneficiary", "key_id": "k",
            "salt": _random.randbytes(32), "email": b"e" * 50, "name": b"n" * 40, "email_hash": _random.randbytes(32),
        }
        for legacy, person in addresses
    ]  # fmt: skip
    events = []
    for number in range(count // 2):
        events += [format_signal_event(_make_hash(), 1), format_window_event(1, _NOW + number)]
    planned = {
        "legacies": array_text(legacy for legacy, _ in addresses),
        "recipients": array_text(person for _, person in addresses),
        "kinds": array_text(["owner_reset", "before_activation"] * (count // 2)),
        "events": array_text(events),
        "roles": array_text(["beneficiary"] * count),
    }
    async with engine.begin() as connection:
        await connection.execute(insert(recipient), people)
        await connection.execute(sql["insert_entries"], {"chain_id": CHAIN_ID, "rearm": False, **planned})
    if await send_due(engine) != count:
        raise RuntimeError("not all emails were sent")


async def _index_events(engine: AsyncEngine, count: int) -> None:
    """Write the events of new legacies, of signals, and of gifts."""
    block = _random.getrandbits(32)
    events = list[ChainEvent]()
    for number in range(count // 4):
        legacy, creator, at = _make_address(), _make_address(), block + number
        created = {"legacy_id": number, "legacy_type": 3, "owner": creator}
        people = {"cosigners": [], "beneficiaries": [_make_address(), _make_address()]}
        configured = {**people, "second_line": None, "third_line": None}
        asset = {"token": _make_address(), "id": None, "amount": str(_random.getrandbits(64))}
        terms = {"lock_type": 2, "owner": creator, "recipient": _make_address(), "unlock_time": _NOW}
        events += [
            _make_event(at, 0, "TransferEOALegacyCreatedV2", created, legacy, creator),
            _make_event(at, 1, "LegacyReminderUpdated", configured, legacy, creator),
            _make_event(at, 2, NOTIFY, {"layer": 1, "kind": 0}, legacy, creator),
            _make_event(at, 3, "TimelockCreated", {**terms, "assets": [asset]}, timelock_id=number),
        ]
    async with engine.begin() as connection:
        await add_events(connection, CHAIN_ID, events)


def _make_event(
    block: int,
    index: int,
    name: str,
    data: Mapping[str, object],
    legacy: str | None = None,
    creator: str | None = None,
    timelock_id: int | None = None,
) -> ChainEvent:
    places = _make_hash(), _NOW, _make_hash(), _make_address()  # block, time, transaction and contract
    return ChainEvent(block, index, *places, name, legacy, creator, timelock_id, data)


async def _plan_signals(engine: AsyncEngine, count: int) -> None:
    """Write signals that were planned."""
    rows = [
        {
            "chain_id": CHAIN_ID, "tx_hash": _make_hash(), "legacy": _make_address(), "kind": 0, "layer": 1,
            "creator": _make_address(), "block_number": _NOW, "block_time": _NOW,
        }
        for _ in range(count)
    ]  # fmt: skip
    settled = {
        "tx_hashes": array_text(row["tx_hash"] for row in rows),
        "legacies": array_text(row["legacy"] for row in rows),
        "kinds": array_text([0] * count),
        "layers": array_text([1] * count),
        "states": array_text(["planned"] * count),
        "reasons": array_text([None] * count),
        "amounts": array_text([None] * count),
        "delays": array_text([0.0] * count),
    }
    async with engine.begin() as connection:
        await connection.execute(insert(notify_signal), rows)
    async with engine.begin() as connection:
        await connection.execute(sql["settle_signals"], {"chain_id": CHAIN_ID, **settled})


async def _close_windows(engine: AsyncEngine, count: int) -> None:
    """Write windows that were planned and closed."""
    window = {"window": 1, "deadline": _NOW, "old": False, "due": 0, "over": 0}
    seen = [{"legacy": _make_address(), **window} for _ in range(count)]
    values = {"chain_id": CHAIN_ID, "block": 1, "changed": [], "seen": json_text(seen)}
    async with engine.begin() as connection:
        await connection.execute(sql["see_windows"], values)
    for change in ("planned_at = clock_timestamp()", "state = 'closed'"):
        async with engine.begin() as connection:
            await connection.execute(text(f"update worker.due_window set {change} where state = 'open'"))


def _make_address() -> str:
    return f"0x{_random.getrandbits(160):040x}"


def _make_hash() -> str:
    return f"0x{_random.getrandbits(256):064x}"


def _make_uuid() -> str:
    return str(UUID(int=_random.getrandbits(128), version=4))
