"""Tables of prices and statistics, and the statements of `queries.sql` by name (`sql`)."""

from pathlib import Path
from typing import Final

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    DateTime,
    Index,
    Integer,
    LargeBinary,
    Numeric,
    SmallInteger,
    Table,
    Text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from reminder_worker.database.queries import load_queries
from reminder_worker.database.tables import Address, Hash, metadata, now_column
from reminder_worker.relay.models import REQUEST_STATES

sql: Final = load_queries(Path(__file__).with_name("queries.sql"), REQUEST_STATES)

price = Table(
    "price",
    metadata,
    Column("chain_id", BigInteger, primary_key=True, comment="EIP-155 id of the chain"),
    Column("feed", Address, primary_key=True, comment="Chainlink feed, or a token whose rate is part of each answer"),
    Column("round_id", Numeric(30, 0), primary_key=True, comment="the feed's number of the round"),
    Column("answer", Numeric(78, 0), nullable=False, comment="US dollars, in units of 10^-decimals"),
    Column("decimals", SmallInteger, nullable=False, comment="digits after the point in `answer`"),
    Column("updated_at", BigInteger, nullable=False, comment="time of the round, unix seconds, by the feed"),
    now_column("read_at", "when the service read it"),
    Column(
        "denied_since", BigInteger, comment="first look whose later answer was not believed, unix seconds; null: none"
    ),
    CheckConstraint("answer > 0", name="price_is_positive"),
    comment="Every plausible round of every price feed that was read, and rounds read back for gifts",
)

Index("price_at", price.c.chain_id, price.c.feed, price.c.updated_at)

price_feed = Table(
    "price_feed",
    metadata,
    Column("chain_id", BigInteger, primary_key=True, comment="EIP-155 id of the chain"),
    Column("token", Address, primary_key=True, comment="contract of the token, or ETH"),
    Column("feed", Address, nullable=False, comment="Chainlink feed; two tokens may share a feed"),
    Column("symbol", Text, comment="symbol of the token; null: it may not be shown"),
    Column("verdict", Text, nullable=False, comment="judgement of the last answer: good, stale, or the fault"),
    Column("round_id", Numeric(30, 0), comment="round of the last good answer; null: none yet"),
    Column("block_number", BigInteger, nullable=False, comment="block at which the feed was asked"),
    Column("block_time", BigInteger, nullable=False, comment="time of that block, unix seconds"),
    now_column("asked_at", "when the feed was last asked"),
    comment="Last answer of the price feed of each token",
)

price_past = Table(
    "price_past",
    metadata,
    Column("chain_id", BigInteger, primary_key=True, comment="EIP-155 id of the chain"),
    Column("feed", Address, primary_key=True, comment="Chainlink feed, as in `price`"),
    Column("until", BigInteger, nullable=False, comment="rounds of gifts sealed until then were read, unix seconds"),
    Column("failed_at", DateTime(timezone=True), comment="last failure to read the feed; null: the feed answered"),
    comment="How far the rounds of each feed were read back for gifts",
)

owner_holding = Table(
    "owner_holding",
    metadata,
    Column("chain_id", BigInteger, primary_key=True, comment="EIP-155 id of the chain"),
    Column("owner", Address, primary_key=True, comment="account or Safe with a live legacy"),
    Column("legacies", Integer, nullable=False, comment="number of live legacies that were read"),
    Column("deleted", Integer, nullable=False, comment="number of deleted Safe legacies among these"),
    Column("wei", Numeric(78, 0), nullable=False, comment="ether of the legacies, of a Safe its own"),
    Column("amounts", JSONB, nullable=False, comment="{token: base units as text}"),
    Column(
        "unreadable",
        ARRAY(Text),
        nullable=False,
        comment="tokens whose balance could not be read; their amounts are older",
    ),
    Column(
        "asked",
        LargeBinary,
        nullable=False,
        comment="hash of the tokens that were asked for; with other tokens the owner is read again",
    ),
    Column("read_at", BigInteger, nullable=False, comment="time of the block of the reading, unix seconds"),
    comment="What claims can move of each owner, read once a day",
)

statistics = Table(
    "statistics",
    metadata,
    Column("chain_id", BigInteger, primary_key=True, comment="EIP-155 id of the chain"),
    Column(
        "hour", DateTime(timezone=True), primary_key=True, comment="start of the hour (UTC) of the block that was read"
    ),
    Column("block_number", BigInteger, nullable=False, comment="block of the counts; owners are read once a day"),
    Column("block_hash", Hash, comment="hash of that block; if the chain drops it, the snapshot is taken again"),
    Column("block_time", BigInteger, nullable=False, comment="time of that block, unix seconds"),
    Column(
        "counts",
        JSONB,
        nullable=False,
        comment="{legacies: {total, live, activated, deleted, byType}, timelocks: {total, live, ended, gifts}}",
    ),
    Column(
        "tokens",
        JSONB,
        nullable=False,
        comment="[{token, symbol, decimals, amount, usd}]; amount: base units as text; usd: US dollars as text",
    ),
    Column(
        "value_secured_usd",
        Numeric(38, 2),
        comment="US dollars; secured amounts in tokens with a price feed; null: a needed price is not fresh,"
        " or an owner was not read for two days",
    ),
    now_column("taken_at", "when the row was written"),
    comment="Statistics of each chain by hour: aggregates only, no address of a user, nothing per user",
)
