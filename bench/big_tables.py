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
from reminder_worker.schema import metadata
from reminder_worker.statistics.owner_holdings import hash_tokens


def _address(number: str) -> str:
    return f"'0x' || lpad(to_hex({number}), 40, '0')"


def _token(number: str) -> str:
    """One of the nine tokens that `bench.node_stub` lists."""
    return _address(f"1000000 + ({number}) % 9")


_LISTED: Final = [f"0x{1_000_000 + number:040x}" for number in range(9)]

ADDRESS: Final = _address("n")
_TWO: Final = f"jsonb_build_array({ADDRESS}, {ADDRESS})"
_HASH: Final = "'0x' || lpad(to_hex(n), 64, '0')"
_WORD: Final = "decode(lpad(to_hex(n), 64, '0'), 'hex')"
_NOW: Final = 1_790_000_000
_SOON: Final = "cast(extract(epoch from now()) as bigint)"
AT_ONCE: Final = 100_000
LEAST: Final = 2_000  # rows: of a few any plan reads all
# Few rows each, however long the service runs and however many legacies there are.
SMALL: Final = {"installation", "relay_wallet", "index_cursor", "pass_state", "alert_state", "price_feed",
                "upgrade_operation", "upgrade_event", "node_request", "log_limit", "bounce_cursor",
                "report_reading", "erasure_count", "price_past", "setter_value"}  # fmt: skip
_OF_TYPE: Final[tuple[tuple[type, str], ...]] = (
    (Uuid, "gen_random_uuid()"),
    (Text, "'x' || n"),
    (String, ADDRESS),
    (LargeBinary, _WORD),
    (DateTime, "now() - n * interval '150 seconds'"),  # five years of a million
    (Date, "current_date - cast(n % 700 as int)"),
    (JSONB, "'{}'"),
    (Boolean, "false"),
    (ARRAY, "'{}'"),
    (Numeric, "n"),
)
# Rows of a table for each legacy, of an installation with as many legacies as it is to serve at all after five years of
# use. What is independent of legacies comes last.
FOR_EACH_LEGACY: Final[Mapping[str, float]] = {
    "legacy": 1,
    "reminder_config": 1,
    "legacy_write": 1,
    "watch": 1,
    "owner_holding": 1,
    "recipient": 3,  # the owner and two heirs
    "chain_event": 4,  # made, configured, a notify signal, and one of the gifts and timelocks
    "notify_signal": 1,
    "due_window": 1,
    "sent_ledger": 6,  # three people, a signal and a window
    "suppression": 0.03,  # one of a hundred people unsubscribed
    "bounce": 0.03,
    "self_erasure": 0.01,
    "owner_activity": 0.05,  # owners with auto-renew
    "timelock": 0.2,
    "gift_notification": 0.05,  # deleted after opening day
    "gift_reminder": 0.02,  # of givers who asked for it, for a year
    "gift_giver": 0.02,  # of givers who left an address, until 90 days after the opening
    "gift_ledger": 0.1,  # remembered until 90 days after it
    "gift_write": 0.01,
    "gift_wallet": 0.05,
    "relay_request": 0.2,  # of 90 days, like the next three
    "nonce_slot": 0.2,
    "tx_attempt": 0.2,
    "relay_budget": 0.4,
    "used_signature": 0.01,  # of minutes
    "quota": 0.05,  # of a day
    "alert": 0.01,
    "price": 0.5,  # of ten feeds, hourly
    "statistics": 0.04,  # hourly
}
# Of a thousand emails, requests and signals nearly all are settled.
_SETTLED: Final = "case when n % 1000 = 1 then null else now() - n * interval '150 seconds' end"
# Of the emails of legacy n the k-th: to its three people in turn.
_PERSON: Final = _address("n * 8 + (k - 1) % 3")
_TOMORROW: Final = "now() + interval '1 day'"
_LEDGER: Final = {
    "next_try": _TOMORROW,
    "state": "case n % 1000 when 1 then 'queued' when 2 then 'held' else 'sent' end",
    "message_id": "case when n % 1000 not in (1, 2) then 'm' || n end",
    "settled_at": _SETTLED,
    "claimed_at": _SETTLED,
}
_OPENS: Final = f"{_SOON} + 86400 + n * 600"  # 50,000 gifts open over a year
_COLUMNS: Final[Mapping[str, Mapping[str, str]]] = {
    "recipient": {
        "recipient": _PERSON,
        "key_id": "'k'",
        "email": "decode(repeat('ab', 50), 'hex')",
        "name": "decode(repeat('ab', 40), 'hex')",
        "email_hash": "decode(lpad(to_hex(n * 8 + k), 64, '0'), 'hex')",
        "role": "'beneficiary'",
    },
    "quota": {"scope": "'email_day'", "ends_at": f"{_SOON} + (n % 200 - 100) * 864"},
    "used_signature": {"deadline": f"{_SOON} + n % 600 - 60"},
    "gift_write": {"deadline": f"{_SOON} + n % 600 - 60"},
    "sent_ledger": {
        **_LEDGER,
        "recipient": _PERSON,
        "event": f"{_HASH} || ':' || (k - 1) / 3",
        "kind": "'owner_reset'",
        "role": "'beneficiary'",
    },
    # The first half waits for the opening days of `gift_notification`, the second is long settled.
    "gift_ledger": {
        "kind": "case when n <= :rows / 2 then 'gift_unlocked' else 'gift_waiting' end",
        "expires_at": "now() + n * interval '1 minute'",
        "next_try": f"to_timestamp({_OPENS})",
        "created_at": f"to_timestamp({_OPENS})",
        "state": "case when n <= :rows / 2 then 'queued' else " + _LEDGER["state"] + " end",
        "message_id": "case when n > :rows / 2 then " + _LEDGER["message_id"] + " end",
        "settled_at": "case when n > :rows / 2 then " + _SETTLED + " end",
        "claimed_at": "case when n > :rows / 2 then " + _SETTLED + " end",
    },
    "gift_notification": {"key_id": "'k'", "timing": "'none'", "unlock_time": _OPENS},
    "gift_reminder": {
        "key_id": "'k'",
        "unlock_time": _OPENS,
        "next_kind": "'gift_reminder_30'",
        "next_at": f"to_timestamp({_OPENS}) + interval '30 days'",
    },
    "gift_giver": {
        "key_id": "'k'",
        "unlock_time": _OPENS,
        "unopened_at": f"to_timestamp({_OPENS}) + interval '90 days'",
        "next_look": "now() + (n % 3600 + 1) * interval '1 second'",
    },
    "gift_wallet": {"address_hash": _WORD, "sub_organization_id": "'s' || n"},
    "notify_signal": {
        "kind": "n % 3",
        "layer": "1",
        "state": "case n % 1000 when 1 then 'new' else 'planned' end",
        "next_try": _TOMORROW,
    },
    "due_window": {
        "window": "n % 6 + 1",
        "state": "case when n % 50 = 1 then 'open' else 'closed' end",
        "planned_at": "case when n % 1000 <> 1 then now() end",
    },
    "watch": {
        "legacy_type": "3",
        "next_ask": f"{_NOW} + 100000000 + n * 60",
        "asked_at": f"{_NOW} - 60",
        "membership": f"jsonb_build_object('owner', {ADDRESS}, 'beneficiaries', {_TWO})",
        "membership_block": "n",
        "premium_until": f"{_NOW} + 100000000",
    },
    "chain_event": {
        "block_number": "-n",  # before any block of a chain beside them
        "log_index": "k",
        "block_time": f"{_NOW} - n * 150",
        "name": "(array['LegacyReminderUpdated', 'TransferEOALegacyCreatedV2', 'LegacyEmailNotifyRequested',"
        " 'TokensWithdrawn'])[k]",
        "legacy": f"case when k < 4 then {ADDRESS} end",
        "creator": f"case when k < 4 then {ADDRESS} end",
        "timelock_id": "case when k = 4 then n end",
        "data": f"jsonb_build_object('owner', {ADDRESS}, 'legacy_id', n, 'beneficiaries', {_TWO})",
    },
    "legacy": {
        "legacy_type": "3",
        "router": "'0x'",
        "created_at": f"{_NOW} - n * 150",
        "activated_at": f"case when n % 20 = 7 then {_NOW} - n * 150 end",
        "auto_renew": "n % 20 = 1",
    },
    "owner_holding": {  # an hour ago: the share of an hour is due
        "legacies": "1",
        "deleted": "0",
        "amounts": f"jsonb_build_object({_token('n')}, '1000000000000000000', {_token('n + 1')}, '1')",
        "asked": f"decode('{hash_tokens(_LISTED).hex()}', 'hex')",
        "read_at": f"{_NOW} - 3600",
    },
    "reminder_config": {"beneficiaries": f"array[{ADDRESS}, {ADDRESS}]"},
    "timelock": {
        "lock_type": "n % 3",
        "status": "2 + n % 2",
        "created_at": f"{_NOW} - n * 150",
        "assets": f"jsonb_build_array(jsonb_build_object('vault', {ADDRESS}, 'token', {ADDRESS}, 'amount', '1'))",
    },
    "relay_request": {
        "lane": "'claim'",
        "wallet": "'0xours'",
        "state": "case when n % 1000 = 1 then 'queued' else 'confirmed' end",
        "updated_at": "now() - n * interval '40 seconds'",
    },
    "nonce_slot": {
        "wallet": "'0xours'",
        "state": "case when n % 1000 = 1 then 'open' else 'final' end",
        "spent_wei": "case when n % 1000 <> 1 then 1 end",
    },
    "tx_attempt": {"kind": "'call'", "wallet": "'0xours'"},
    "relay_budget": {"scope": "'signer'", "wallet": "'0xours'", "requests": "1", "reserved_wei": "0", "spent_wei": "0"},
    "bounce": {"reason": "'mailbox_unknown'"},
    "alert": {"state": "'sent'", "logged_at": "now()", "kind": "'k'", "created_at": "now() - n * interval '1 minute'"},
    "owner_activity": {
        "decision": "'none'",
        "legacy": _address("n * 20 - 19"),
        "owner": _address("n * 20 - 19"),
        "legacy_id": "n * 20 - 19",
        "next_look": f"{_NOW} + 1 + n % 24 * 3600",  # each is due once a day: at the stub's time none is
    },
    "price": {"decimals": "8", "feed": "'0x' || lpad(to_hex(n % 10), 40, '0')"},
    "statistics": {"hour": "date_trunc('hour', now()) - n * interval '1 hour'"},
}  # fmt: skip


def big_tables() -> list[Table]:
    return [table for table in metadata.sorted_tables if table.name not in SMALL]


async def fill(engine: AsyncEngine, rows: int, only: Mapping[str, int] | None = None) -> None:
    """Insert `rows` into every table, or the numbers of `only` into its tables; `legacy` has a row each."""
    async with engine.begin() as connection:
        for table in big_tables():
            count = rows if only is None else only.get(table.name, 0)
            if count:
                await _insert_many(connection, table, count)
    await vacuum(engine)


async def populate(engine: AsyncEngine, legacies: int) -> None:
    """All tables, as `FOR_EACH_LEGACY` says, none of them small."""
    for table in big_tables():
        share = FOR_EACH_LEGACY[table.name]
        async with engine.begin() as connection:
            await _insert_many(connection, table, max(LEAST, int(legacies * min(share, 1))), max(1, int(share)))
    await vacuum(engine)


async def _insert_many(connection: AsyncConnection, table: Table, count: int, each: int = 1) -> None:
    """Indexes of millions of rows are made afterwards: an entry at a time takes several times as long."""
    name = f"worker.{table.name}"
    apart = sorted(table.indexes, key=lambda index: str(index.name)) if count * each > AT_ONCE else []
    key = ", ".join(f'"{column.name}"' for column in table.primary_key)
    if apart:
        await connection.execute(text(f"alter table {name} drop constraint {table.name}_pkey"))
    for index in apart:
        await connection.execute(DropIndex(index))
    await connection.execute(text(_insert(table)), {"rows": count, "each": each})
    if apart:
        await connection.execute(text("set local maintenance_work_mem = '512MB'"))
        await connection.execute(text(f"alter table {name} add primary key ({key})"))
    for index in apart:
        await connection.execute(CreateIndex(index))


async def vacuum(engine: AsyncEngine) -> None:
    names = ", ".join(str(table) for table in big_tables())
    async with engine.connect() as connection:
        in_peace = await connection.execution_options(isolation_level="AUTOCOMMIT")
        await in_peace.execute(text(f"vacuum analyze {names}"))


def _insert(table: Table) -> str:
    given = _COLUMNS.get(table.name, {})
    chosen = {
        column.name: given.get(column.name) or _value(column)
        for column in table.columns
        if column.name in given or not (column.nullable or column.server_default)
    }
    names = ", ".join(f'"{name}"' for name in chosen)
    values = ", ".join(chosen.values())
    every = "generate_series(1, :rows) n, generate_series(1, :each) k"
    return f"insert into worker.{table.name} ({names}) select {values} from {every}"


def _value(column: Column[Any]) -> str:
    if column.name == "chain_id":
        return str(CHAIN_ID)
    if isinstance(column.type, String) and column.type.length == 66:
        return _HASH
    if isinstance(column.type, BigInteger) or not any(isinstance(column.type, kind) for kind, _ in _OF_TYPE):
        return "n"
    # Text is a String too: the first that fits.
    return next(value for kind, value in _OF_TYPE if isinstance(column.type, kind))
