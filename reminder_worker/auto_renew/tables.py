"""Table of the owners who opted in to auto-renew."""

from pathlib import Path
from typing import Final

from sqlalchemy import (
    BigInteger,
    Column,
    Index,
    Numeric,
    SmallInteger,
    Table,
    Text,
    text,
)

from reminder_worker.database.queries import load_queries
from reminder_worker.database.tables import Address, metadata, now_column
from reminder_worker.relay.models import REQUEST_STATES

sql: Final = load_queries(Path(__file__).with_name("queries.sql"), REQUEST_STATES)
"""Statements of `queries.sql`, by name."""

owner_activity = Table(
    "owner_activity",
    metadata,
    Column("chain_id", BigInteger, primary_key=True, comment="EIP-155 id of the chain"),
    Column("legacy", Address, primary_key=True, comment="contract of the legacy"),
    Column("legacy_id", Numeric(78, 0), nullable=False, comment="number of the legacy at its router"),
    Column("owner", Address, nullable=False, comment="account whose activity counts"),
    Column(
        "reset_at", BigInteger, nullable=False, comment="the timer's last reset that the baseline is of, unix seconds"
    ),
    Column(
        "baseline", BigInteger, nullable=False, comment="the owner's finalized transaction count first seen after it"
    ),
    Column("nonce_seen", BigInteger, nullable=False, comment="finalized transaction count at the last look"),
    Column("deadline", BigInteger, nullable=False, comment="t1, unix seconds"),
    Column("budget_end", BigInteger, nullable=False, comment="unix seconds; no renewal without a check-in after it"),
    Column(
        "budget_step",
        SmallInteger,
        comment="days before the budget's end: the reminder of it that is to be sent now; null: none",
    ),
    Column("decision", Text, nullable=False, comment="what the last look decided"),
    Column("reason", Text, comment="why, as a code"),
    now_column("checked_at", "when the last look was"),
    Column(
        "next_look",
        BigInteger,
        nullable=False,
        server_default="0",
        comment="chain time (unix seconds) of the next look",
    ),
    comment="Auto-renew: what was seen of each opted-in owner, and what was decided",
)

Index(
    "owner_activity_budgets",
    owner_activity.c.chain_id,
    owner_activity.c.legacy,
    postgresql_where=text("budget_step is not null"),
)
Index("owner_activity_next_look", owner_activity.c.chain_id, owner_activity.c.next_look)
