"""Tables of the upgrade queue."""

from pathlib import Path
from typing import Final

from sqlalchemy import BigInteger, Boolean, CheckConstraint, Column, Index, Integer, Table, Text, text
from sqlalchemy.dialects.postgresql import JSONB

from reminder_worker.database.queries import list_words, load_queries
from reminder_worker.database.tables import Address, Hash, metadata, now_column
from reminder_worker.upgrades.operations import OPEN

sql: Final = load_queries(Path(__file__).with_name("queries.sql"))

upgrade_event = Table(
    "upgrade_event",
    metadata,
    Column("chain_id", BigInteger, primary_key=True, comment="EIP-155 id of the chain"),
    Column("block_number", BigInteger, primary_key=True, comment="block of the log"),
    Column("log_index", Integer, primary_key=True, comment="position of the log in its block"),
    Column("block_hash", Hash, nullable=False, comment="hash of the block"),
    Column("block_time", BigInteger, nullable=False, comment="time of the block, unix seconds"),
    Column("tx_hash", Hash, nullable=False, comment="transaction that emitted the log"),
    Column("sender", Address, comment="who sent the transaction"),
    Column("name", Text, nullable=False, comment="the event's name on chain"),
    Column("operation_id", Hash, comment="the operation it concerns, where there is one"),
    Column("data", JSONB, nullable=False, comment="the decoded fields"),
    Index("upgrade_event_operation", "chain_id", "operation_id"),
    comment="What the UpgradeTimelock said, in log order; what is not final is read anew at each look",
)

upgrade_operation = Table(
    "upgrade_operation",
    metadata,
    Column("chain_id", BigInteger, primary_key=True, comment="EIP-155 id of the chain"),
    Column("operation_id", Hash, primary_key=True, comment="id of the operation at the UpgradeTimelock"),
    Column(
        "state",
        Text,
        nullable=False,
        comment="pending, ready, executed, cancelled, or gone (a reorganisation took it back)",
    ),
    Column("calls", JSONB, nullable=False, comment="[{target, value, data}] in their order"),
    Column("predecessor", Hash, comment="the operation that has to be executed first"),
    Column("delay", BigInteger, comment="seconds, as scheduled"),
    Column("ready_at", BigInteger, comment="unix seconds, from getTimestamp: when it may be executed"),
    Column("scheduled_by", Address, comment="who sent the transaction"),
    Column("scheduled_at", BigInteger, comment="unix seconds"),
    Column("scheduled_block", BigInteger, comment="null: it was never seen scheduled"),
    Column("scheduled_tx", Hash, comment="transaction that scheduled it"),
    Column("changed_block", BigInteger, nullable=False, comment="block of its last change"),
    Column("final", Boolean, nullable=False, comment="its last change is in a final block"),
    now_column("seen_at", "when it was first read"),
    CheckConstraint("state in ('pending','ready','executed','cancelled','gone')", name="upgrade_operation_state"),
    Index("upgrade_operation_open", "chain_id", postgresql_where=text(f"state in ({list_words(OPEN)})")),
    comment="Operations of the UpgradeTimelock, folded from upgrade_event; `gone`: a reorganisation took it back",
)

setter_value = Table(
    "setter_value",
    metadata,
    Column("chain_id", BigInteger, primary_key=True, comment="EIP-155 id of the chain"),
    Column("contract", Address, primary_key=True, comment="the contract that was asked"),
    Column("getter", Text, primary_key=True, comment="name of the getter"),
    Column("value", Address, comment="the last answer of the getter; null: it never answered"),
    Column("block_number", BigInteger, comment="the final block of the last answer"),
    now_column("compared_at", "when the answer was last compared; a day earlier at first"),
    comment="Addresses that setters change, as compared once a day",
)
