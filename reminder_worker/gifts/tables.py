"""Tables of gifts (notifications, emails, wallets), and the statements of `queries.sql` by name."""

from pathlib import Path
from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    Index,
    LargeBinary,
    Table,
    Text,
    false,
    text,
)

from reminder_worker.database.queries import load_queries
from reminder_worker.database.tables import Address, metadata, now_column
from reminder_worker.outbox.models import EMAIL_STATES
from reminder_worker.outbox.tables import email_ledger

sql: Final = load_queries(Path(__file__).with_name("queries.sql"), EMAIL_STATES)

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

Index("gift_notification_recipient", gift_notification.c.recipient)

gift_reminder = Table(
    "gift_reminder",
    metadata,
    Column("chain_id", BigInteger, primary_key=True, comment="EIP-155 id of the chain"),
    Column("timelock_id", BigInteger, primary_key=True, comment="timelock of the gift"),
    Column("key_id", Text, nullable=False, comment="which master key"),
    Column("salt", LargeBinary, nullable=False, comment="HKDF salt of this row, new at every write"),
    Column("payload", LargeBinary, nullable=False, comment="AES-256-GCM: email and language"),
    Column("email_hash", LargeBinary, nullable=False, comment="keyed hash of the normalised email"),
    Column("owner", Address, nullable=False, comment="pinned: compared before every send"),
    Column("recipient", Address, nullable=False, comment="pinned"),
    Column("unlock_time", BigInteger, nullable=False, comment="pinned, unix seconds"),
    Column("next_kind", Text, comment="kind of the next email; null: the last one was planned"),
    Column("next_at", DateTime(timezone=True), comment="when the next email is planned; null: the last one was"),
    now_column("written_at", "when the giver last saved it"),
    CheckConstraint("octet_length(salt) = 32", name="gift_reminder_salt_is_32_bytes"),
    comment="Recipients reminded after opening day, encrypted; deleted once the gift is opened or a year later",
)

Index("gift_reminder_next", gift_reminder.c.next_at)

Index("gift_reminder_unlock", gift_reminder.c.unlock_time)

Index("gift_reminder_email_hash", gift_reminder.c.email_hash)

Index("gift_reminder_recipient", gift_reminder.c.recipient)

gift_giver = Table(
    "gift_giver",
    metadata,
    Column("chain_id", BigInteger, primary_key=True, comment="EIP-155 id of the chain"),
    Column("timelock_id", BigInteger, primary_key=True, comment="timelock of the gift"),
    Column("key_id", Text, nullable=False, comment="which master key"),
    Column("salt", LargeBinary, nullable=False, comment="HKDF salt of this row, new at every write"),
    Column("payload", LargeBinary, nullable=False, comment="AES-256-GCM: email, language and both names"),
    Column("email_hash", LargeBinary, nullable=False, comment="keyed hash of the giver's normalised email"),
    Column("recipient_hash", LargeBinary, nullable=False, comment="keyed hash of the recipient's normalised email"),
    Column("owner", Address, nullable=False, comment="pinned: compared before every send"),
    Column("recipient", Address, nullable=False, comment="pinned"),
    Column("unlock_time", BigInteger, nullable=False, comment="pinned, unix seconds"),
    Column("unopened_at", DateTime(timezone=True), nullable=False, comment="90 days after unlock"),
    Column("returned", Boolean, nullable=False, server_default=false(), comment="an email to the recipient came back"),
    Column("told_returned", Boolean, nullable=False, server_default=false(), comment="that email was planned"),
    Column(
        "next_look",
        DateTime(timezone=True),
        server_default=text("clock_timestamp() + interval '1 hour'"),
        comment="when to look what became of the gift; null: the last email was planned",
    ),
    now_column("written_at", "when the giver last saved it"),
    CheckConstraint("octet_length(salt) = 32", name="gift_giver_salt_is_32_bytes"),
    comment="Givers told what became of their gift, encrypted; deleted with the last email",
)

Index("gift_giver_next", gift_giver.c.next_look)

Index("gift_giver_email_hash", gift_giver.c.email_hash)

Index("gift_giver_recipient_hash", gift_giver.c.recipient_hash)

Index("gift_giver_owner", gift_giver.c.owner)

Index("gift_giver_recipient", gift_giver.c.recipient)

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

gift_ledger = email_ledger(
    "gift_ledger",
    Column("email_hash", LargeBinary, nullable=False, comment="keyed hash of the normalised email"),
    Column("timelock_id", BigInteger, nullable=False, comment="timelock of the gift"),
    Column("expires_at", DateTime(timezone=True), nullable=False, comment="90 days after unlock"),
    Index("gift_ledger_gift", "chain_id", "timelock_id"),
    Index("gift_ledger_expiry", "expires_at"),
    key=("email_hash", "chain_id", "timelock_id", "kind"),
    comment="One row for each email, gift and kind: at most one email, also after the notification is deleted",
)

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
