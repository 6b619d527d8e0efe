"""Tables of gifts (notifications, emails, wallets), and the statements of `queries.sql` by name."""

from pathlib import Path
from typing import Final

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    DateTime,
    Index,
    LargeBinary,
    Table,
    Text,
    Uuid,
    text,
)

from reminder_worker.database.queries import load_queries
from reminder_worker.database.tables import Address, metadata, now_column
from reminder_worker.outbox.tables import delivery_columns

sql: Final = load_queries(Path(__file__).with_name("queries.sql"))

gift_notification = Table(
    "gift_notification",
    metadata,
    Column("chain_id", BigInteger, primary_key=True, comment="EIP-155 id of the chain"),
    Column("timelock_id", BigInteger, primary_key=True, comment="timelock of the gift"),
    Column("key_id", Text, nullable=False, comment="which master key"),
    Column("salt", LargeBinary, nullable=False, comment="HKDF salt of this row, new at every write"),
    Column("payload", LargeBinary, nullable=False, comment="AES-256-GCM: email, names and the whole claim link"),
    Column("email_hash", LargeBinary, nullable=False, comment="keyed hash of the normalised email"),
    Column("timing", Text, nullable=False, comment="when the gift email goes out: immediate, scheduled, or none"),
    Column("owner", Address, nullable=False, comment="pinned: compared before every send"),
    Column("recipient", Address, nullable=False, comment="pinned"),
    Column("unlock_time", BigInteger, nullable=False, comment="pinned, unix seconds"),
    now_column("written_at", "when the giver last saved it"),
    CheckConstraint("timing in ('immediate','scheduled','none')", name="gift_notification_timing"),
    CheckConstraint("octet_length(salt) = 32", name="gift_notification_salt_is_32_bytes"),
    comment="Whom a giver wants told of a gift, encrypted; deleted after opening day",
)

Index("gift_notification_unlock", gift_notification.c.chain_id, gift_notification.c.unlock_time)

Index("gift_notification_email_hash", gift_notification.c.email_hash)

gift_write = Table(
    "gift_write",
    metadata,
    Column("chain_id", BigInteger, primary_key=True, comment="EIP-155 id of the chain"),
    Column("timelock_id", BigInteger, primary_key=True, comment="timelock of the gift"),
    Column(
        "deadline", BigInteger, nullable=False, comment="unix seconds, of the last accepted registration or erasure"
    ),
    comment="What a captured older message cannot roll back; survives erasure",
)

gift_ledger = Table(
    "gift_ledger",
    metadata,
    Column("id", Uuid, primary_key=True, comment="random; the Idempotency-Key"),
    Column("email_hash", LargeBinary, nullable=False, comment="keyed hash of the normalised email"),
    Column("chain_id", BigInteger, nullable=False, comment="EIP-155 id of the chain"),
    Column("timelock_id", BigInteger, nullable=False, comment="timelock of the gift"),
    Column("kind", Text, nullable=False, comment="kind of email"),
    *delivery_columns(),
    Column("body", LargeBinary, comment="exact request body, encrypted under the notification's key, while undecided"),
    Column("body_salt", LargeBinary, comment="salt of the notification the body was encrypted under"),
    Column("message_id", Text, comment="the mail service's id of the accepted email"),
    Column("expires_at", DateTime(timezone=True), nullable=False, comment="90 days after unlock"),
    now_column("created_at", "when the row was written"),
    Column(
        "claimed_at",
        DateTime(timezone=True),
        comment="when its body was stored to be posted; null: certainly not posted",
    ),
    Column("settled_at", DateTime(timezone=True), comment="when the state became final; null: not yet"),
    Column(
        "number_hash",
        LargeBinary,
        comment="SHA-256 of the number printed in the email; null: not posted, or its recipient was erased",
    ),
    CheckConstraint(
        "state in ('queued','claimed','released','sent','unknown','held','dropped','suppressed','dead')",
        name="gift_ledger_state",
    ),
    CheckConstraint(
        "body is null or state in ('claimed','unknown','held')", name="gift_ledger_keeps_a_body_only_while_undecided"
    ),
    comment="One row for each email, gift and kind: at most one email, also after the notification is deleted",
)

Index(
    "gift_ledger_once",
    gift_ledger.c.email_hash,
    gift_ledger.c.chain_id,
    gift_ledger.c.timelock_id,
    gift_ledger.c.kind,
    unique=True,
)

Index("gift_ledger_gift", gift_ledger.c.chain_id, gift_ledger.c.timelock_id)

Index(
    "gift_ledger_due",
    gift_ledger.c.next_try,
    postgresql_where=text("state in ('queued','released','unknown')"),
)

Index("gift_ledger_leases", gift_ledger.c.lease_until, postgresql_where=text("state = 'claimed'"))

Index("gift_ledger_settled", gift_ledger.c.settled_at)

Index("gift_ledger_number", gift_ledger.c.number_hash, postgresql_where=text("number_hash is not null"))

Index("gift_ledger_expiry", gift_ledger.c.expires_at)

Index("gift_ledger_shown", gift_ledger.c.state, postgresql_where=text("state in ('unknown','held','dead')"))

gift_wallet = Table(
    "gift_wallet",
    metadata,
    Column("email_hash", LargeBinary, primary_key=True, comment="keyed hash of the normalised email"),
    Column(
        "timestamp_ms",
        BigInteger,
        nullable=False,
        comment="of the creating request: the same bytes are the same activity",
    ),
    Column("sub_organization_id", Text, comment="the identity provider's; null: not created yet"),
    Column("address_hash", LargeBinary, comment="keyed hash of the wallet's address; null: not asked for yet"),
    now_column("created_at", "when the wallet was first asked for"),
    comment="Which sub-organization holds the wallet of an email; neither email nor address",
)

Index("gift_wallet_addresses", gift_wallet.c.address_hash)
