"""Tables of the passes and of the requests to nodes."""

from pathlib import Path
from typing import Final

from sqlalchemy import (
    BigInteger,
    Column,
    Date,
    DateTime,
    Table,
    Text,
)
from sqlalchemy.dialects.postgresql import JSONB

from reminder_worker.database.queries import load_queries
from reminder_worker.database.tables import metadata, now_column
from reminder_worker.outbox.models import EMAIL_STATES

sql: Final = load_queries(Path(__file__).with_name("queries.sql"), EMAIL_STATES)
"""Statements of `queries.sql`, by name."""

pass_state = Table(
    "pass_state",
    metadata,
    Column("name", Text, primary_key=True, comment="the pass"),
    Column("chain_id", BigInteger, primary_key=True, server_default="0", comment="0: not of one chain"),
    Column("checked_at", DateTime(timezone=True), comment="last look"),
    Column("succeeded_at", DateTime(timezone=True), comment="last success"),
    Column("failed_at", DateTime(timezone=True), comment="last failure"),
    Column("error", Text, comment="the class of the last error, never its content"),
    Column("detail", JSONB, comment="counts, ages and block numbers for operators"),
    Column("endpoints", JSONB, comment="the chain's RPC endpoints as the process that looked last sees them"),
    comment="When each pass last looked, succeeded and failed",
)

node_request = Table(
    "node_request",
    metadata,
    Column("day", Date, primary_key=True, comment="UTC"),
    Column("chain_id", BigInteger, primary_key=True, comment="EIP-155 id of the chain"),
    Column("endpoint", Text, primary_key=True, comment="position and host, never the address, which has a key"),
    Column("pass", Text, primary_key=True, comment="the pass that asked, or api, or cli"),
    Column("method", Text, primary_key=True, comment="JSON-RPC method"),
    Column("count", BigInteger, nullable=False, comment="requests sent"),
    now_column("since", "first request of the row"),
    comment="Requests sent to RPC endpoints by day, of all processes; kept for 90 days",
)
