"""Table of the passes."""

from pathlib import Path
from typing import Final

from sqlalchemy import (
    BigInteger,
    Column,
    DateTime,
    Table,
    Text,
)
from sqlalchemy.dialects.postgresql import JSONB

from reminder_worker.database.queries import load_queries
from reminder_worker.database.tables import metadata

sql: Final = load_queries(Path(__file__).with_name("queries.sql"))
"""Statements of `queries.sql`, by name."""

pass_state = Table(
    "pass_state",
    metadata,
    Column("name", Text, primary_key=True),
    Column("chain_id", BigInteger, primary_key=True, server_default="0", comment="0: not of one chain"),
    Column("checked_at", DateTime(timezone=True)),
    Column("succeeded_at", DateTime(timezone=True)),
    Column("failed_at", DateTime(timezone=True)),
    Column("error", Text, comment="the class of the last error, never its content"),
    Column("detail", JSONB, comment="counts, ages and block numbers for operators"),
    Column("endpoints", JSONB, comment="the chain's RPC endpoints as the process that looked last sees them"),
    comment="When each pass last looked, succeeded and failed",
)
