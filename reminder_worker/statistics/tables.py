"""Tables of prices and statistics, and the statements of `queries.sql` by name (`sql`)."""

from pathlib import Path
from typing import Final

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    DateTime,
    Index,
    Numeric,
    SmallInteger,
    Table,
    Text,
)
from sqlalchemy.dialects.postgresql import JSONB

from reminder_worker.database.queries import load_queries
from reminder_worker.database.tables import Address, Hash, metadata, now_column

sql: Final = load_queries(Path(__file__).with_name("queries.sql"))

price = Table(
    "price",
    metadata,
    Column("chain_id", BigInteger, primary_key=True),
    Column("feed", Address, primary_key=True, comment="or a token whose rate is part of each answer"),
    Column("round_id", Numeric(30, 0), primary_key=True),
    Column("answer", Numeric(78, 0), nullable=False, comment="US dollars, in units of 10^-decimals"),
    Column("decimals", SmallInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False, comment="unix seconds, by the feed"),
    now_column("read_at"),
    Column("denied_since", BigInteger, comment="unix seconds: the first look after it whose answer was not believed"),
    CheckConstraint("answer > 0", name="price_is_positive"),
    comment="Every sane round of every price feed that was seen, and rounds read back for gifts",
)

Index("price_at", price.c.chain_id, price.c.feed, price.c.updated_at)

price_feed = Table(
    "price_feed",
    metadata,
    Column("chain_id", BigInteger, primary_key=True),
    Column("token", Address, primary_key=True, comment="an address, or ETH"),
    Column("feed", Address, nullable=False, comment="two tokens may share one"),
    Column("symbol", Text, comment="of the token; null: none that may be shown"),
    Column("verdict", Text, nullable=False, comment="of the last answer: good, stale, or what was wrong with it"),
    Column("round_id", Numeric(30, 0), comment="of the last good answer"),
    Column("block_number", BigInteger, nullable=False, comment="at which it was asked"),
    Column("block_time", BigInteger, nullable=False, comment="unix seconds"),
    now_column("asked_at"),
    comment="How the price feed of each token answered last",
)

price_past = Table(
    "price_past",
    metadata,
    Column("chain_id", BigInteger, primary_key=True),
    Column("feed", Address, primary_key=True, comment="as in `price`"),
    Column("until", BigInteger, nullable=False, comment="unix seconds: gifts sealed until then have been asked for"),
    Column("failed_at", DateTime(timezone=True), comment="null: the feed answered"),
    comment="How far the rounds of each feed were read back for gifts",
)

statistics = Table(
    "statistics",
    metadata,
    Column("chain_id", BigInteger, primary_key=True),
    Column("hour", DateTime(timezone=True), primary_key=True, comment="the hour (UTC) the snapshot is of"),
    Column("block_number", BigInteger, nullable=False, comment="everything was read at this block"),
    Column("block_hash", Hash, comment="is it no longer on the chain, the snapshot is taken anew"),
    Column("block_time", BigInteger, nullable=False, comment="unix seconds"),
    Column("counts", JSONB, nullable=False, comment="{legacies: {...}, timelocks: {...}}"),
    Column("tokens", JSONB, nullable=False, comment="[{token, symbol, decimals, amount, usd}], base units as strings"),
    Column("value_secured_usd", Numeric(38, 2), comment="of tokens with a feed; null: one has no fresh price"),
    now_column("taken_at"),
    comment="Hourly aggregates of each chain: no address of a user, nothing per user",
)
