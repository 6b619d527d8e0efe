"""Tables of the chain index: logs and what is projected from them."""

from pathlib import Path
from typing import Final

from sqlalchemy import BigInteger, Boolean, Column, Computed, DateTime, Index, Integer, SmallInteger, Table, Text, text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from reminder_worker.database.queries import load_queries
from reminder_worker.database.tables import Address, Hash, metadata, now_column

sql: Final = load_queries(Path(__file__).with_name("queries.sql"))

chain_event = Table(
    "chain_event",
    metadata,
    Column("chain_id", BigInteger, primary_key=True, comment="EIP-155 id of the chain"),
    Column("block_number", BigInteger, primary_key=True, comment="block of the log"),
    Column("log_index", Integer, primary_key=True, comment="position of the log in its block"),
    Column("block_hash", Hash, nullable=False, comment="hash of the block"),
    Column("block_time", BigInteger, nullable=False, comment="time of the block, unix seconds"),
    Column("tx_hash", Hash, nullable=False, comment="transaction that emitted the log"),
    Column("contract", Address, nullable=False, comment="contract that emitted the log"),
    Column("name", Text, nullable=False, comment="the event's name on chain"),
    Column("legacy", Address, comment="the legacy it concerns, where there is one"),
    Column("creator", Address, comment="the user it concerns, where there is one"),
    Column("timelock_id", BigInteger, comment="the timelock it concerns, where there is one"),
    Column(
        "data", JSONB, nullable=False, comment="the decoded fields the service uses; never a name, a note or a nickname"
    ),
    Index("chain_event_legacy", "chain_id", "legacy", "block_number"),
    Index("chain_event_creator", "chain_id", "creator", "block_number"),
    Index("chain_event_timelock", "chain_id", "timelock_id"),
    Index(
        "chain_event_of_none",
        "chain_id",
        "contract",
        "block_number",
        postgresql_where=text("legacy is null and creator is null and timelock_id is null"),
    ),
    comment="What the chain said, in log order; the tables below are folded from it",
)

legacy = Table(
    "legacy",
    metadata,
    Column("chain_id", BigInteger, primary_key=True, comment="EIP-155 id of the chain"),
    Column("address", Address, primary_key=True, comment="contract of the legacy"),
    Column("router", Address, nullable=False, comment="router that created it"),
    Column("legacy_id", BigInteger, nullable=False, comment="number of the legacy at its router"),
    Column("legacy_type", SmallInteger, nullable=False, comment="1 Safe, 3 plain account"),
    Column("creator", Address, nullable=False, comment="account that created it"),
    Column("owner", Address, nullable=False, comment="account or Safe whose assets it passes on"),
    Column("created_block", BigInteger, nullable=False, comment="block of its creation"),
    Column("created_at", BigInteger, nullable=False, comment="unix seconds, by the block"),
    Column("activated_at", BigInteger, comment="first claim, unix seconds; null: none"),
    Column("deleted_at", BigInteger, comment="deletion, unix seconds; null: none is known"),
    Column("auto_renew", Boolean, nullable=False, server_default="false", comment="the owner opted in to auto-renew"),
    Index("legacy_by_id", "chain_id", "router", "legacy_id", unique=True),
    Index("legacy_by_creator", "chain_id", "creator"),
    Index(
        "legacy_live_owner",
        "chain_id",
        "owner",
        postgresql_where=text("activated_at is null and deleted_at is null"),
    ),
    Index(
        "legacy_auto_renew",
        "chain_id",
        "address",
        postgresql_where=text("auto_renew and legacy_type = 3 and deleted_at is null"),
    ),
    comment="Legacies of the configured routers, folded from chain_event",
)

reminder_config = Table(
    "reminder_config",
    metadata,
    Column("chain_id", BigInteger, primary_key=True, comment="EIP-155 id of the chain"),
    Column("legacy", Address, primary_key=True, comment="contract of the legacy"),
    Column("creator", Address, nullable=False, comment="account that created the legacy"),
    Column("cosigners", ARRAY(Address), nullable=False, comment="accounts of cosigners"),
    Column("beneficiaries", ARRAY(Address), nullable=False, comment="accounts of the first line"),
    Column("second_line", Address, comment="account of the second line; null: none"),
    Column("third_line", Address, comment="account of the third line; null: none"),
    Column("updated_block", BigInteger, nullable=False, comment="no longer read"),  # needs a default before its drop
    comment="Who is configured to be notified, folded in log order from PremiumSetting's events",
)

timelock = Table(
    "timelock",
    metadata,
    Column("chain_id", BigInteger, primary_key=True, comment="EIP-155 id of the chain"),
    Column("timelock_id", BigInteger, primary_key=True, comment="number of the timelock, the same in all vaults"),
    Column("lock_type", SmallInteger, nullable=False, comment="0 regular, 1 soft, 2 gift"),
    Column("owner", Address, nullable=False, comment="account that sealed it"),
    Column("recipient", Address, nullable=False, comment="account that may withdraw"),
    Column("unlock_time", BigInteger, nullable=False, comment="unix seconds; no withdrawal before it"),
    Column("status", SmallInteger, nullable=False, comment="0 null, 1 created, 2 live, 3 ended"),
    Column("assets", JSONB, nullable=False, comment="[{vault, token, id, amount}]"),
    Column("created_block", BigInteger, nullable=False, comment="block of its sealing"),
    Column("created_at", BigInteger, nullable=False, comment="time of its sealing, unix seconds, by the block"),
    Column(
        "tokens",
        ARRAY(Text),
        Computed("worker.tokens_of(assets)", persisted=True),
        comment="the tokens of its ERC-20 assets; null: it has NFTs, no asset, or more than 20 tokens",
    ),
    Index("timelock_by_recipient", "chain_id", "recipient"),
    Index("timelock_by_owner", "chain_id", "owner", "timelock_id"),
    Index("timelock_gifts", "chain_id", "created_at", postgresql_where=text("lock_type = 2")),
    comment="Timelocks of the three vaults, folded from chain_event; no name is ever stored",
)

index_cursor = Table(
    "index_cursor",
    metadata,
    Column("chain_id", BigInteger, primary_key=True, comment="EIP-155 id of the chain"),
    Column("name", Text, primary_key=True, comment="`index`, `signals` or `upgrades`"),
    Column("block_number", BigInteger, nullable=False, comment="last block that was read; -1: none is valid"),
    Column("block_hash", Hash, nullable=False, comment="hash of that block"),
    Column("source", Text, comment="who answered last: subgraph or chain_index"),
    now_column("moved_at", "when the reader last moved"),
    comment="How far each reader got; moves in the transaction of the rows",
)

log_limit = Table(
    "log_limit",
    metadata,
    Column("chain_id", BigInteger, primary_key=True, comment="EIP-155 id of the chain"),
    Column("endpoint", Text, primary_key=True, comment="position and host, never the address, which has a key"),
    Column("blocks", Integer, nullable=False, comment="that one question for logs may span"),
    Column("wider_at", DateTime(timezone=True), nullable=False, comment="more blocks may be asked for again"),
    comment="What RPC endpoints accept, learned from refusals",
)
