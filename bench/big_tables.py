"""Every table that grows, filled as years of use would."""

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    Column,
    Date,
    DateTime,
    LargeBinary,
    Numeric,
    String,
    Table,
    Text,
    Uuid,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
from sqlalchemy.schema import CreateIndex, DropIndex

from bench.surroundings import CHAIN_ID
from reminder_worker.database import tables

ADDRESS: Final = "'0x' || lpad(to_hex(n), 40, '0')"
_HASH: Final = "'0x' || lpad(to_hex(n), 64, '0')"
_WORD: Final = "decode(lpad(to_hex(n), 64, '0'), 'hex')"
_NOW: Final = 1_790_000_000
AT_ONCE: Final = 100_000
# A handful of rows each, however long the service runs.
SMALL: Final = {"installation", "relay_wallet", "index_cursor", "pass_state", "alert_state", "price_feed",
                "upgrade_operation", "upgrade_event"}  # fmt: skip
_OF_TYPE: Final[tuple[tuple[type, str], ...]] = (
    (Uuid, "gen_random_uuid()"),
    (Text, "'x' || n"),
    (String, ADDRESS),
    (LargeBinary, _WORD),
    (DateTime, "now() - n * interval '10 seconds'"),
    (Date, "current_date - cast(n % 700 as int)"),
    (JSONB, "'{}'"),
    (Boolean, "false"),
    (ARRAY, "'{}'"),
    (Numeric, "n"),
)
# Of a thousand emails, requests and signals nearly all are settled.
_SETTLED: Final = "case when n % 1000 = 1 then null else now() - n * interval '10 seconds' end"
_LEDGER: Final = {
    "state": "case n % 1000 when 1 then 'queued' when 2 then 'held' else 'sent' end",
    "message_id": "case when n % 1000 not in (1, 2) then 'm' || n end",
    "settled_at": _SETTLED,
    "claimed_at": _SETTLED,
}
_COLUMNS: Final[Mapping[str, Mapping[str, str]]] = {
    "recipient": {"key_id": "'k'", "role": "'beneficiary'"},
    "quota": {"scope": "'email_day'"},
    "sent_ledger": {**_LEDGER, "kind": "'owner_reset'", "role": "'beneficiary'"},
    "gift_ledger": {**_LEDGER, "kind": "'gift_waiting'", "expires_at": "now() + n * interval '1 minute'"},
    "gift_notification": {"key_id": "'k'", "timing": "'none'", "unlock_time": f"{_NOW} + n"},
    "gift_wallet": {"address_hash": _WORD, "sub_organization_id": "'s' || n"},
    "notify_signal": {"kind": "n % 3", "layer": "1", "state": "case n % 1000 when 1 then 'new' else 'planned' end"},
    "due_window": {
        "window": "n % 6 + 1",
        "state": "case when n % 50 = 1 then 'open' else 'closed' end",
        "planned_at": "case when n % 1000 <> 1 then now() end",
    },
    "watch": {
        "legacy_type": "3",
        "next_ask": f"{_NOW} + n * 60",
        "asked_at": f"{_NOW} - 60",
        "membership": "'{}'",
        "membership_block": "n",
    },
    "chain_event": {"log_index": "0", "name": "'NotifyRequested'", "legacy": ADDRESS, "creator": ADDRESS,
                    "timelock_id": "n"},
    "legacy": {"legacy_type": "3", "router": "'0x'", "auto_renew": "n % 1000 = 1"},
    "timelock": {"lock_type": "2", "status": "2", "assets": "'[]'"},
    "relay_request": {
        "lane": "'claim'",
        "wallet": "'0xours'",
        "state": "case when n % 1000 = 1 then 'queued' else 'confirmed' end",
        "updated_at": "now() - n * interval '10 seconds'",
    },
    "nonce_slot": {
        "wallet": "'0xours'",
        "state": "case when n % 1000 = 1 then 'open' else 'final' end",
        "spent_wei": "case when n % 1000 <> 1 then 1 end",
    },
    "tx_attempt": {"kind": "'call'", "wallet": "'0xours'"},
    "relay_budget": {"scope": "'signer'", "wallet": "'0xours'", "requests": "1", "reserved_wei": "0", "spent_wei": "0"},
    "alert": {"state": "'sent'", "logged_at": "now()", "kind": "'k'", "created_at": "now() - n * interval '1 minute'"},
    "owner_activity": {"decision": "'none'", "legacy_id": "n"},
    "price": {"decimals": "8", "feed": "'0x' || lpad(to_hex(n % 10), 40, '0')"},
    "statistics": {"hour": "date_trunc('hour', now()) - n * interval '1 hour'"},
}  # fmt: skip


def big_tables() -> list[Table]:
    return [table for table in tables.metadata.sorted_tables if table.name not in SMALL]


async def fill(engine: AsyncEngine, rows: int, only: Mapping[str, int] | None = None) -> None:
    """`rows` in each, or in those that `only` names as many as it says."""
    async with engine.begin() as connection:
        for table in big_tables():
            count = rows if only is None else only.get(table.name, 0)
            if count:
                await _insert_many(connection, table, count)
    await vacuum(engine)


async def _insert_many(connection: AsyncConnection, table: Table, count: int) -> None:
    """Indexes of millions of rows are made afterwards: an entry at a time takes several times as long."""
    name = f"worker.{table.name}"
    apart = sorted(table.indexes, key=lambda index: str(index.name)) if count > AT_ONCE else []
    key = ", ".join(f'"{column.name}"' for column in table.primary_key)
    if apart:
        await connection.execute(text(f"alter table {name} drop constraint {table.name}_pkey"))
    for index in apart:
        await connection.execute(DropIndex(index))
    await connection.execute(text(_insert(table)), {"rows": count})
    if apart:
        await connection.execute(text("set local maintenance_work_mem = '512MB'"))
        await connection.execute(text(f"alter table {name} add primary key ({key})"))
    for index in apart:
        await connection.execute(CreateIndex(index))


async def vacuum(engine: AsyncEngine) -> None:
    async with engine.connect() as connection:
        await (await connection.execution_options(isolation_level="AUTOCOMMIT")).execute(text("vacuum analyze"))


def _insert(table: Table) -> str:
    given = _COLUMNS.get(table.name, {})
    chosen = {
        column.name: given.get(column.name) or _value(column)
        for column in table.columns
        if column.name in given or not (column.nullable or column.server_default)
    }
    names = ", ".join(f'"{name}"' for name in chosen)
    values = ", ".join(chosen.values())
    return f"insert into worker.{table.name} ({names}) select {values} from generate_series(1, :rows) n"


def _value(column: Column[Any]) -> str:
    if column.name == "chain_id":
        return str(CHAIN_ID)
    if isinstance(column.type, String) and column.type.length == 66:
        return _HASH
    if isinstance(column.type, BigInteger) or not any(isinstance(column.type, kind) for kind, _ in _OF_TYPE):
        return "n"
    # Text is a String too: the first that fits.
    return next(value for kind, value in _OF_TYPE if isinstance(column.type, kind))
