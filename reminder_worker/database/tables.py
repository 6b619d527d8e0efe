"""Every table of the service, in schema `worker`. Constraints, not code, hold the promises.

Addresses and hashes are lower-case `0x` hex; amounts are `numeric(78)` in base units; times that come
from a chain are unix seconds, our own are `timestamptz` set by the database's clock.
"""

from datetime import timedelta
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    DateTime,
    Integer,
    Interval,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    cast,
    extract,
    func,
)

SCHEMA = "worker"
metadata = MetaData(schema=SCHEMA)

Address = String(42)
Hash = String(66)


def now_column(name: str, comment: str) -> Column[object]:
    moment = DateTime(timezone=True)
    return Column(name, moment, nullable=False, server_default=func.clock_timestamp(), comment=comment)


def age(moment: ColumnElement[Any]) -> ColumnElement[int]:
    """Whole seconds since a moment, by the database's clock."""
    return cast(extract("epoch", func.clock_timestamp() - moment), Integer)


def span(**parts: float) -> ColumnElement[timedelta]:
    """A time to add to a moment or take from it; `parts` as of `timedelta`. Its type stands in the statement."""
    return cast(timedelta(**parts), Interval)


installation = Table(
    "installation",
    metadata,
    Column("name", Text, primary_key=True, comment="what the check value is of: a key's id, a chain's contracts"),
    Column("value", Text, nullable=False, comment="the check value: a hash or public addresses, never a key"),
    comment="Check values of keys, chains and contract addresses; a start with others is refused",
)

used_signature = Table(
    "used_signature",
    metadata,
    Column("digest", LargeBinary, primary_key=True, comment="EIP-712 digest"),
    Column("deadline", BigInteger, nullable=False, comment="unix seconds; forgotten after it"),
    comment="Digests spent, until their deadline",
)

quota = Table(
    "quota",
    metadata,
    Column("scope", Text, primary_key=True, comment="the rule that counts"),
    Column("subject", Text, primary_key=True, comment="an address or a keyed hash, never an email"),
    Column("window", BigInteger, primary_key=True, comment="unix seconds at which the window began"),
    Column("used", BigInteger, nullable=False, comment="units used in the window"),
    Column("ends_at", BigInteger, nullable=False, comment="unix seconds; the row is pruned after it"),
    comment="Caps, cooldowns and rate limits: one atomic counter",
)
